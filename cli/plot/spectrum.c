// trammel plot --spectrum: the amplitudes of a curve over the frequency, with as many points as a diagram
// shows.
#include "cli/common/curves.h"

#include "base/base.h"
#include "math/amplitudes.h"

#include <stdlib.h>

// From each of `columns` equal parts of the amplitudes the least and the largest one, in their order: peaks
// keep their height and place, and a diagram of a million rows has a size that can be read. Fewer amplitudes
// are all kept.
static size_t thin(const tmli_amplitudes *s, size_t first, size_t last, size_t columns, double *f, double *a)
{
    const size_t points = last - first;
    size_t n = 0;
    const size_t parts = points <= 2 * columns ? points : columns;
    for (size_t c = 0; c < parts; c++) {
        const size_t from = first + points / parts * c + points % parts * c / parts;
        const size_t to = first + points / parts * (c + 1) + points % parts * (c + 1) / parts;
        size_t least = from, most = from;
        for (size_t k = from; k < to; k++) {
            if (s->value[k] < s->value[least]) least = k;
            if (s->value[k] > s->value[most]) most = k;
        }
        const size_t pair[2] = {least < most ? least : most, least < most ? most : least};
        for (int i = pair[0] == pair[1]; i < 2; i++) {
            f[n] = (double)pair[i] * s->step;
            a[n++] = s->value[pair[i]];
        }
    }
    return n;
}

tml_status cli_curve_spectrum(const double *t, const double *x, size_t rows, double highest, size_t columns,
                              cli_points *out, tml_error *err)
{
    tmli_amplitudes s;
    *out = (cli_points){0};
    tml_status st = tmli_amplitudes_find(t, x, rows, NULL, &s, err);
    if (st != TML_OK) return st;
    size_t last = s.count;
    while (last > 2 && (double)(last - 2) * s.step >= highest)
        last--;  // the line ends at `highest` or beyond
    out->x = calloc(2 * columns + 1, sizeof(double));
    out->y = calloc(2 * columns + 1, sizeof(double));
    if (out->x && out->y) out->count = thin(&s, 1, last, columns, out->x, out->y);  // 0 Hz is the mean
    else st = tmli_fail(err, TML_ERR_NOMEM, "No memory for a spectrum.");
    tmli_amplitudes_clear(NULL, &s);
    return st;
}

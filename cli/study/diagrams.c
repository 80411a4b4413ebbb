// Diagrams of the page of a study: a quantity over a parameter. Of two parameters, those of a grid are
// families, a curve for each value of the other one; and a map shows where in their plane a quantity is how
// large, in bands of equal width.
#include "cli/common/html.h"
#include "study.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <trammel/plot.h>

enum {
    MOST_DIAGRAMS = 60,
    MOST_POINTS = 100000,
    MOST_CURVES = 8,  // of a family; more cannot be told apart
    BANDS = 6         // of a map
};

// From low to high: dark blue to yellow, also told apart by their lightness.
static const long ramp[BANDS] = {0x30327a, 0x2f6c9e, 0x2a9d8f, 0x74b65f, 0xd0b13c, 0xf0e442};

typedef struct diagram {
    const cli_html *h;
    const tml_study *s;
    const tml_study_table *t;
    long rows;
    double *x, *y;  // (rows) of a series
} diagram;

static double value_at(const diagram *d, long row, int column)
{
    return tml_study_table_values(d->t, row)[column];
}

static tml_axis_def axis_of(const diagram *d, int column, tml_axis_def axis)
{
    const char *unit = tml_study_column_unit(d->s, column);
    axis.label = study_column_name(d->s, column);
    axis.unit = unit[0] ? unit : NULL;
    return axis;
}

static tml_status create_plot(const diagram *d, int x, int y, const char *title, tml_plot **out,
                              tml_error *err)
{
    tml_plot_def def = tml_plot_def_default();
    def.x = axis_of(d, x, def.x);
    def.y = axis_of(d, y, def.y);
    def.title = title;
    def.width = title ? 460 : 340;
    def.height = 260;
    if (title) def.legend = TML_LEGEND_OUTSIDE;
    return tml_plot_create(&def, NULL, out, err);
}

static tml_status end_plot(const diagram *d, tml_plot *plot, tml_status st, tml_error *err)
{
    if (st == TML_OK) st = cli_html_plot(d->h, plot, err);
    tml_plot_destroy(plot);
    return st;
}

static tml_status write_points(const diagram *d, int x, int y, tml_error *err)
{
    tml_plot *plot = NULL;
    tml_series_def series = tml_series_def_default();
    for (long i = 0; i < d->rows; i++) {
        d->x[i] = value_at(d, i, x);
        d->y[i] = value_at(d, i, y);
    }
    series.count = (int)d->rows;
    series.x = d->x;
    series.y = d->y;
    series.line = TML_LINE_NONE;
    series.marker = TML_MARKER_CIRCLE;
    tml_status st = create_plot(d, x, y, NULL, &plot, err);
    if (st == TML_OK) st = tml_plot_add(plot, &series, err);
    return end_plot(d, plot, st, err);
}

// ---- families ---------------------------------------------------------------------------------------------

// The values of a column in the order of their first rows, at most MOST_CURVES; their number, or one more.
static int distinct(const diagram *d, int column, double values[MOST_CURVES])
{
    int count = 0;
    for (long i = 0; i < d->rows; i++) {
        const double v = value_at(d, i, column);
        int k = 0;
        while (k < count && values[k] != v) k++;
        if (k < count) continue;
        if (count == MOST_CURVES) return MOST_CURVES + 1;
        values[count++] = v;
    }
    return count;
}

typedef struct point {
    double x, y;
} point;

static int by_abscissa(const void *a, const void *b)
{
    const double x = ((const point *)a)->x, y = ((const point *)b)->x;
    return (x > y) - (x < y);
}

// The members with one value of a parameter, sorted for a line.
static int collect(const diagram *d, int x, int y, int other, double value)
{
    point *p = calloc((size_t)d->rows, sizeof *p);
    int n = 0;
    if (!p) return -1;
    for (long i = 0; i < d->rows; i++)
        if (value_at(d, i, other) == value) p[n++] = (point){value_at(d, i, x), value_at(d, i, y)};
    qsort(p, (size_t)n, sizeof *p, by_abscissa);
    for (int i = 0; i < n; i++) {
        d->x[i] = p[i].x;
        d->y[i] = p[i].y;
    }
    free(p);
    return n;
}

// y over x, a curve for each value of the other parameter.
static tml_status write_family(const diagram *d, int x, int y, int other, const double *values, int count,
                               tml_error *err)
{
    tml_plot *plot = NULL;
    char title[STUDY_LABEL];
    tml_status st = create_plot(d, x, y, study_column_label(d->s, other, title), &plot, err);
    for (int k = 0; k < count && st == TML_OK; k++) {
        tml_series_def series = tml_series_def_default();
        char name[32];
        snprintf(name, sizeof name, "%.4g", values[k]);
        series.name = name;
        series.count = collect(d, x, y, other, values[k]);
        series.x = d->x;
        series.y = d->y;
        st = series.count < 0 ? tmli_fail(err, TML_ERR_NOMEM, "No memory for diagrams.")
                              : tml_plot_add(plot, &series, err);
    }
    return end_plot(d, plot, st, err);
}

// ---- maps -------------------------------------------------------------------------------------------------

// Where in the plane of two parameters a quantity is in which band of its range.
static tml_status write_map(const diagram *d, int x, int y, int quantity, double least, double most,
                            tml_error *err)
{
    tml_plot *plot = NULL;
    char title[STUDY_LABEL];
    tml_status st = create_plot(d, x, y, study_column_label(d->s, quantity, title), &plot, err);
    for (int k = BANDS - 1; k >= 0 && st == TML_OK; k--) {  // the legend has the largest values on top
        tml_series_def series = tml_series_def_default();
        char name[64];
        snprintf(name, sizeof name, "%.3g .. %.3g", least + (most - least) * k / BANDS,
                 least + (most - least) * (k + 1) / BANDS);
        series.name = name;
        series.x = d->x;
        series.y = d->y;
        series.line = TML_LINE_NONE;
        series.marker = TML_MARKER_SQUARE;
        series.color = ramp[k];
        for (long i = 0; i < d->rows; i++) {
            const double share = (value_at(d, i, quantity) - least) / (most - least);
            if (isnan(share) || (int)fmin(share * BANDS, BANDS - 1) != k) continue;
            d->x[series.count] = value_at(d, i, x);
            d->y[series.count++] = value_at(d, i, y);
        }
        if (series.count > 0) st = tml_plot_add(plot, &series, err);
    }
    return end_plot(d, plot, st, err);
}

// ---- all of them ------------------------------------------------------------------------------------------

// Two parameters: a family over each of them where the other has few values, and the map.
static tml_status write_pair(const diagram *d, int quantity, double least, double most, tml_error *err)
{
    double values[MOST_CURVES];
    tml_status st = TML_OK;
    for (int x = 0; x < 2 && st == TML_OK; x++) {
        const int count = distinct(d, 1 - x, values);
        const bool family = count <= MOST_CURVES && d->rows >= 2L * count;
        st = family ? write_family(d, x, quantity, 1 - x, values, count, err)
                    : write_points(d, x, quantity, err);
    }
    return st == TML_OK ? write_map(d, 0, 1, quantity, least, most, err) : st;
}

static tml_status write_all(const diagram *d, tml_error *err)
{
    const int np = tml_study_parameter_count(d->s), nq = tml_study_quantity_count(d->s);
    tml_status st = TML_OK;
    int drawn = 0;
    for (int q = 0; q < nq && st == TML_OK && drawn < MOST_DIAGRAMS; q++) {
        tml_study_statistics v;
        st = tml_study_table_statistics(d->t, np + q, &v, err);
        if (st != TML_OK || !(v.most > v.least)) continue;  // nothing to see
        if (np == 2) {
            st = write_pair(d, np + q, v.least, v.most, err);
            drawn += 3;
            continue;
        }
        for (int p = 0; p < np && st == TML_OK && drawn < MOST_DIAGRAMS; p++, drawn++)
            st = write_points(d, p, np + q, err);
    }
    return st;
}

tml_status study_write_diagrams(const cli_html *h, const tml_study *s, const tml_study_table *t,
                                tml_error *err)
{
    diagram d = {.h = h, .s = s, .t = t, .rows = tml_study_table_count(t)};
    if (d.rows < 2 || d.rows > MOST_POINTS) return TML_OK;
    d.x = calloc(2 * (size_t)d.rows, sizeof *d.x);
    d.y = d.x ? d.x + d.rows : NULL;
    cli_html_heading(h, "Diagrams");
    cli_html_raw(h, "<div class=\"pair\">\n");
    const tml_status st = d.x ? write_all(&d, err) : tmli_fail(err, TML_ERR_NOMEM, "No memory for diagrams.");
    cli_html_raw(h, "</div>\n");
    free(d.x);
    return st;
}

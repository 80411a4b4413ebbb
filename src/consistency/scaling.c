// Scales of unknowns and rows; see scaling.h.
#include "consistency/scaling.h"
#include "system/active_rows/active_rows.h"
#include "system/state/first_order.h"
#include "system/state/units.h"

#include <math.h>

#include "consistency/constants.h"
#include "consistency/tolerances.h"

void tmli_kernel_units(const tml_system *s, const double *B_values, double *unit)
{
    for (int j = 0; j < s->n; j++) unit[j] = tmli_coordinate_unit(s, j);
    for (int i = 0; i < s->nz && s->state_scale; i++) unit[tmli_mechanical(s) + i] = s->state_scale[i];
    for (int r = 0; r < s->m; r++) {
        double largest = 0;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1] && B_values; i++)
            largest = fmax(largest, fabs(B_values[i]) * unit[s->rowcol[i]]);
        unit[s->n + r] = largest > 0 ? largest : 1;
    }
}

double tmli_scale_inertia(const tml_system *s, const double *B_values, const double *mass, const double *A,
                          const double *unit, int r)
{
    double sum = 0, massless = 0;
    for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++)
        if (!(mass[s->rowcol[i]] > 0)) massless = fmax(massless, fabs(B_values[i]) * unit[s->rowcol[i]]);
    for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) {
        const int j = s->rowcol[i];
        if (mass[j] > 0 && fabs(B_values[i]) * unit[j] >= TMLI_AMPLIFIED_TOLERANCE * massless)
            sum += B_values[i] * B_values[i] / A[j];
    }
    return sum > 0 ? 1 / sum : 0;
}

// Round-off of positions, eps times the model length (or more, system.h: reach), rotates a body of radius of
// gyration l by eps length/l.
static double find_gyration_ratio(const tml_system *s, const double *mass)
{
    double smallest = s->length;
    for (int j = 1; j < s->n; j++) {
        const bool pair = s->node[j] == s->node[j - 1] && s->kind[j] == TML_COORDINATE_ROTATION;
        if (!pair || !(mass[j] > 0)) continue;
        int i = j;
        while (i >= 0 && s->node[i] == s->node[j] && s->kind[i] != TML_COORDINATE_TRANSLATION) i--;
        if (i >= 0 && s->node[i] == s->node[j] && mass[i] > 0)
            smallest = fmin(smallest, sqrt(mass[j] / mass[i]));
    }
    return s->length / smallest;
}

tml_status tmli_scale_rows(const tml_system *s, void *work, tml_scaling scaling, const tml_state *x, double b,
                           double cd, double h, double *diagonal, double *B_values, double *unit, double *e,
                           double *gyration_ratio, tml_error *err)
{
    double *dm = diagonal;
    const tml_status st = s->ops->diagonals(s->self, work, x, dm, dm + s->n, dm + 2 * s->n, err);
    return st != TML_OK ? st
                        : tmli_scale_rows_by(s, work, scaling, x, b, cd, h, diagonal, B_values, unit, e,
                                             gyration_ratio, err);
}

tml_status tmli_scale_rows_by(const tml_system *s, void *work, tml_scaling scaling, const tml_state *x,
                              double b, double cd, double h, double *diagonal, double *B_values, double *unit,
                              double *e, double *gyration_ratio, tml_error *err)
{
    double *dm = diagonal, *dd = dm + s->n, *dk = dd + s->n;
    const tml_status st = tmli_active_rows(s, work, x, B_values, err);
    if (st != TML_OK) return st;
    double *A = dk, mean[2] = {0};  // A overwrites the stiffness
    int count[2] = {0};
    double all = 0;
    const int n = tmli_mechanical(s);
    double largest[2] = {0};
    for (int j = 0; j < n; j++) largest[s->kind[j]] = fmax(largest[s->kind[j]], dm[j]);
    for (int j = 0; j < n; j++)
        if (dm[j] < MASS_OF_ROUNDOFF * largest[s->kind[j]]) dm[j] = 0;
    for (int j = n; j < s->n; j++) A[j] = dm[j] + cd * dd[j];
    for (int j = 0; j < n; j++) {
        all += (dm[j] + h * dd[j] + h * h * dk[j]) / n;
        A[j] = dm[j] + cd * dd[j] + b * dk[j];
        if (!(dm[j] > 0)) continue;
        mean[s->kind[j]] += A[j];
        count[s->kind[j]]++;
    }
    tmli_kernel_units(s, B_values, unit);
    *gyration_ratio = find_gyration_ratio(s, dm) * (s->ops->reach ? s->ops->reach(s->self, x->q) : 1);
    for (int i = 0; i < 2; i++) mean[i] = count[i] ? mean[i] / count[i] : 0;
    if (mean[0] == 0) mean[0] = mean[1] > 0 ? mean[1] / (s->length * s->length) : 1;
    if (mean[1] == 0) mean[1] = mean[0] * s->length * s->length;
    for (int r = 0; r < s->m; r++) {
        e[r] = scaling == TML_SCALING_UNIFORM ? all : tmli_scale_inertia(s, B_values, dm, A, unit, r);
        if (e[r] == 0) e[r] = mean[1] / (unit[s->n + r] * unit[s->n + r]);  // a row between massless bodies
    }
    for (int j = 0; j < n; j++) {
        if (scaling == TML_SCALING_UNIFORM) A[j] = all;
        else if (!(dm[j] > 0)) A[j] = mean[s->kind[j]];
    }
    return TML_OK;
}

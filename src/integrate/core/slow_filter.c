// The filter of vibrations by the matrix of a time scale; see slow_filter.h.
#include "integrate/core/slow_filter.h"
#include "system/active_rows/active_rows.h"
#include "system/state/fields.h"
#include "system/state/first_order.h"

#include <string.h>

static const tmli_fields FIELDS = {
    "slow filter", offsetof(tmli_slow_filter, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_slow_filter, kappa, kappa),
                        TMLI_KEPT(tmli_slow_filter, mass, stiffness, TMLI_BY_NNZ, 1),
                        TMLI_SCRATCH(tmli_slow_filter, product, other, TMLI_BY_N, 1),
                        {0}}};

tml_status tmli_slow_filter_create(const tml_system *sys, const tml_linsolver_ops *solver,
                                   const bool *left_out, tmli_slow_filter *f, tml_error *err)
{
    *f = (tmli_slow_filter){.sys = sys};
    tml_status st = tmli_object_create(&FIELDS, sys, f, err);
    if (st == TML_OK) st = tmli_index1_create(sys, solver, &f->matrix, err);
    if (st == TML_OK && left_out) tmli_index1_leave_out(&f->matrix, left_out);
    if (st != TML_OK) tmli_slow_filter_clear(f);
    return st;
}

void tmli_slow_filter_clear(tmli_slow_filter *f)
{
    if (f->matrix.sys) tmli_index1_clear(&f->matrix);
    if (f->sys) tmli_object_clear(&FIELDS, f->sys, f);
    *f = (tmli_slow_filter){0};
}

tml_status tmli_slow_filter_set_mass(tmli_slow_filter *f, const tml_state *x, tml_error *err)
{
    const tml_assembly mass = {.cm = 1};
    f->kappa = 0;
    return tmli_active_assemble(f->sys, f->matrix.work, x, &mass, f->mass, err);
}

// sum of value_i v_(row_i): in four sums, so that none waits for the last one's addition.
static double column_times(const int *row, const double *value, int count, const double *v)
{
    double sum[4] = {0};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += value[i + k] * v[row[i + k]];
    for (; i < count; i++) sum[0] += value[i] * v[row[i]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// product (n) := part of the transposed matrix times v, which M is and for which v'product is the same.
// Returns v'product. Both of the mechanical coordinates alone.
static double multiply(const tml_system *sys, const double *values, const double *v, double *product)
{
    const tml_pattern *p = sys->pattern;
    const int n = tmli_mechanical(sys);
    double sum = 0;
    for (int j = 0; j < n; j++) {
        const int first = p->colptr[j];
        int last = p->colptr[j + 1];
        while (last > first && p->rowind[last - 1] >= n) last--;
        product[j] = column_times(p->rowind + first, values + first, last - first, v);
        sum += v[j] * product[j];
    }
    memset(product + n, 0, (size_t)(sys->n - n) * sizeof(double));
    return sum;
}

double tmli_slow_filter_square(const tmli_slow_filter *f, const double *v, double *Mv)
{
    return multiply(f->sys, f->mass, v, Mv);
}

double tmli_slow_filter_form(tmli_slow_filter *f, const tml_state *x, double cd, double ck, const double *v)
{
    const tml_assembly part = {.cd = cd, .ck = ck};
    if (tmli_active_assemble(f->sys, f->matrix.work, x, &part, f->stiffness, NULL) != TML_OK) return 0;
    return tmli_slow_filter_last_form(f, v);
}

double tmli_slow_filter_stiffness(tmli_slow_filter *f, const tml_state *x, const double *v)
{
    return tmli_slow_filter_form(f, x, 0, 1, v);
}

double tmli_slow_filter_last_form(tmli_slow_filter *f, const double *v)
{
    return multiply(f->sys, f->stiffness, v, f->product);
}

bool tmli_slow_filter_vibrates(tmli_slow_filter *f, const tml_state *x, double kappa, const double *v)
{
    const double vMv = multiply(f->sys, f->mass, v, f->product);
    return kappa * kappa * tmli_slow_filter_stiffness(f, x, v) > vMv;
}

bool tmli_slow_filter_factor_damped(tmli_slow_filter *f, const tml_state *x, double kappa, double part)
{
    const tml_status st = tmli_index1_factor(&f->matrix, x, part * kappa, kappa * kappa, NULL);
    f->kappa = st == TML_OK ? kappa : 0;
    return f->kappa > 0;
}

bool tmli_slow_filter_factor(tmli_slow_filter *f, const tml_state *x, double kappa)
{
    return tmli_slow_filter_factor_damped(f, x, kappa, 1);
}

static void filter_once(tmli_slow_filter *f, const double *v, double *out)
{
    tmli_slow_filter_square(f, v, f->product);
    tmli_index1_solve(&f->matrix, f->product, NULL, out, NULL);
}

void tmli_slow_filter_apply(tmli_slow_filter *f, double *v)
{
    for (int i = 0; i < TMLI_SLOW_FILTERS; i++) filter_once(f, v, v);
}

// -udot is w^2 times the displacement: kappa^2 S udot, S = (M + ..)^-1 M, leaves x^2/(1 + x^2), and so does
// each 1 - S.
void tmli_slow_filter_fast_part(tmli_slow_filter *f, const double *udot, double *d)
{
    const int n = f->sys->n;
    double *less = f->other;
    filter_once(f, udot, d);
    for (int j = 0; j < n; j++) d[j] *= -f->kappa * f->kappa;
    for (int i = 0; i < 2; i++) {
        filter_once(f, d, less);
        for (int j = 0; j < n; j++) d[j] -= less[j];
    }
}

void tmli_slow_filter_archive(tmli_slow_filter *f, tml_archive *a)
{
    tmli_object_archive(&FIELDS, f->sys, f, a);
    if (f->kappa > 0) tmli_index1_archive(&f->matrix, a);
}

// Multipliers of least norm; see minimum_norm.h.
#include "consistency/minimum_norm.h"
#include "system/active_rows/active_rows.h"
#include "system/state/fields.h"

#include <math.h>
#include <string.h>

#include "consistency/constants.h"
#include "consistency/tolerances.h"

// eps of (1) over the size of B inverse(A) B', whose entries are squares of pivots S. Rows that are dependent
// up to errors of data get minimum-norm multipliers, rows that are independent by TMLI_NEAR_SINGULAR keep
// theirs: eps is the geometric mean of both S, and a sweep leaves the part eps/(S + eps), in 3 sweeps 1e-12.
#define REGULARIZATION (TMLI_INPUT_ERROR * TMLI_NEAR_SINGULAR)
enum { SWEEPS = 3 };

static const tmli_fields FIELDS = {
    "reactions", offsetof(tmli_minimum_norm, memory),
    (const tmli_span[]){TMLI_SCRATCH(tmli_minimum_norm, r, x, TMLI_BY_N, 1),
                        TMLI_SCRATCH(tmli_minimum_norm, dl, given, TMLI_BY_M, 1),
                        {0}}};

void tmli_minimum_norm_clear(tmli_minimum_norm *s)
{
    if (!s->sys) return;
    tmli_index1_clear(&s->matrix);
    tmli_object_clear(&FIELDS, s->sys, s);
    *s = (tmli_minimum_norm){0};
}

tml_status tmli_minimum_norm_create(const tml_system *sys, const tml_linsolver_ops *solver,
                                    tmli_minimum_norm *s, tml_error *err)
{
    *s = (tmli_minimum_norm){.sys = sys};
    tml_status st = tmli_object_create(&FIELDS, sys, s, err);
    if (st == TML_OK) st = tmli_index1_create(sys, solver, &s->matrix, err);
    if (st != TML_OK) {
        tmli_minimum_norm_clear(s);
        return st;
    }
    s->matrix.epsilon = REGULARIZATION;
    return TML_OK;
}

// One sweep of (1); *change: the largest of dl over the largest of lambda.
static tml_status sweep(tmli_minimum_norm *s, tml_state *x, const double *applied, double *change,
                        tml_error *err)
{
    const tml_system *sys = s->sys;
    double largest = 0, step = 0;
    const tml_status st = tmli_active_residual(sys, s->matrix.work, x, NULL, s->r, s->phi, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < sys->n; j++) s->r[j] = -s->r[j] - (applied ? applied[j] : 0);
    tmli_index1_solve(&s->matrix, s->r, NULL, s->x, s->dl);
    for (int i = 0; i < sys->m; i++) {
        const double unit = s->matrix.unit[sys->n + i];
        x->lambda[i] += s->dl[i];
        step = fmax(step, fabs(s->dl[i]) * unit);
        largest = fmax(largest, fabs(x->lambda[i]) * unit);
    }
    *change = largest > 0 ? step / largest : 0;
    return TML_OK;
}

tml_status tmli_minimum_norm_set(tmli_minimum_norm *s, tml_state *x, const double *applied, tml_error *err)
{
    const tml_system *sys = s->sys;
    const size_t bytes = (size_t)sys->m * sizeof *x->lambda;
    const int most = sys->loads ? TMLI_LOAD_ITERATIONS : SWEEPS;
    double change = INFINITY, last;
    memcpy(s->given, x->lambda, bytes);
    memset(x->lambda, 0, bytes);
    tml_status st = tmli_index1_factor(&s->matrix, x, 0, 0, err);
    for (int k = 1; k <= most && st == TML_OK; k++) {
        last = change;
        st = sweep(s, x, applied, &change, err);
        const bool ends =
            change <= TMLI_ROUNDOFF || (change <= LOADS_STALLED && change > TMLI_STALLED_RATE * last);
        if (st == TML_OK && k >= SWEEPS && (!sys->loads || ends)) return TML_OK;
    }
    memcpy(x->lambda, s->given, bytes);
    return st != TML_OK ? st
                        : tmli_fail(err, TML_RETRY,
                                    "friction that is loaded by reactions has no solution at t = %g s that "
                                    "iteration finds (last change of the reactions %.2g)",
                                    x->t, change);
}

void tmli_minimum_norm_archive(tmli_minimum_norm *s, tml_archive *a) { tmli_index1_archive(&s->matrix, a); }

// Matrices of the one-step methods for reduced equations; equation numbers as in statespace.h.
#include "integrate/statespace/statespace.h"
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"

#include <math.h>
#include <string.h>

#include "integrate/statespace/constants.h"

static const int ONE = 1;

// The matrices grow when a new basis has more degrees of freedom than all before: constraints have become
// dependent.
tml_status tmli_statespace_reserve(tmli_statespace *s, tml_error *err)
{
    const tml_env *env = &s->sys->env;
    const size_t dof = (size_t)s->dof;
    if (s->sparse || dof <= s->capacity) return TML_OK;
    tmli_free(env, s->J1);
    tmli_free(env, s->pivot);
    s->known_J = false;
    s->factored = 0;
    s->capacity = 0;
    s->pivot = tmli_calloc(env, dof, sizeof(int));
    if (!tmli_calloc_block(env, TMLI_ARRAY(s->J1, dof * dof), TMLI_ARRAY(s->J2, dof * dof),
                           TMLI_ARRAY(s->S, dof * dof), TMLI_ARRAY(s->Mr, dof * dof)) ||
        !s->pivot)
        return tmli_no_memory(err, s->scheme->name);
    s->capacity = dof;
    return TML_OK;
}

// out (dof) := Mr y
static void times_Mr(const tmli_statespace *s, const double *y, double *out)
{
    memset(out, 0, (size_t)s->dof * sizeof *out);
    for (int c = 0; c < s->dof; c++)
        for (int r = 0; r < s->dof; r++) out[r] += s->Mr[c * s->dof + r] * y[c];
}

static tml_status factor(tmli_statespace *s, double g, tml_error *err)
{
    const int dof = s->dof;
    int info = 0;
    const tml_status st = tmli_lapack_load(err);
    if (st != TML_OK) return st;
    for (int i = 0; i < dof * dof; i++) s->S[i] = -g * s->J2[i] - g * g * s->J1[i];
    for (int i = 0; i < dof; i++) s->S[i * dof + i] += 1;
    for (int c = 0; c < dof && s->independent; c++) {
        memcpy(s->dz, s->S + c * dof, (size_t)dof * sizeof *s->dz);
        times_Mr(s, s->dz, s->S + c * dof);
    }
    tmli_dgetrf(&dof, &dof, s->S, &dof, s->pivot, &info);
    s->count.factorizations++;
    if (info == 0) return TML_OK;
    return tmli_fail(err, TML_RETRY, "the iteration matrix is singular at t = %g s", s->x->t);
}

// The state at which the sparse matrix is evaluated: ahead by a part of the step, so that its error
// for fast rotating bodies is equal at both ends; for the trapezoidal rule at its only stage.
static const tml_state *matrix_state(tmli_statespace *s, double h)
{
    const double e = s->scheme->table->explicit_first ? h : MATRIX_AHEAD * h;
    tml_state_copy(s->probe, s->x);
    for (int q = 0; q < s->dof; q++) {
        s->vd[q] = s->vd0[q] + e * s->a0[q];
        s->v[q] = e * (s->vd0[q] + e / 2 * s->a0[q]);
    }
    return tmli_reduction_solve_dependent(s->red, s->x->t + e, s->v, s->vd, s->probe, NULL) == TML_OK
               ? s->probe
               : s->x;
}

tml_status tmli_statespace_matrix(tmli_statespace *s, double g, bool anew, tml_error *err)
{
    if (s->dof == 0) return TML_OK;
    const bool evaluate = !s->known_J || ((s->stale || anew) && !s->fresh);
    tml_status st = TML_OK;
    if (s->sparse) {
        if (!evaluate && s->factored == g) return TML_OK;
        s->factored = 0;
        st = tmli_reduction_descriptor_factor(s->red, matrix_state(s, g / s->scheme->table->gamma), g, g * g,
                                              err);
        s->fresh = s->known_J = st == TML_OK;
    } else {
        if (evaluate) {
            s->factored = 0;
            // [M B'; B 0] of the full descriptor form
            if (s->descriptor) st = tmli_reduction_descriptor_factor(s->red, s->x, 0, 0, err);
            if (st == TML_OK)
                st =
                    tmli_reduction_jacobian(s->red, s->x, s->J1, s->J2, s->scheme->table ? NULL : s->Jt, err);
            if (st == TML_OK && s->independent) st = tmli_reduction_reduced_mass(s->red, s->x, s->Mr, err);
            s->fresh = s->known_J = st == TML_OK;
        }
        if (st == TML_OK && s->factored != g) {
            s->factored = 0;
            st = factor(s, g, err);
        }
    }
    if (st != TML_OK) return st;
    if (s->fresh) s->age = 0;
    if (s->fresh) s->stale = false;
    s->factored = g;
    return TML_OK;
}

tml_status tmli_statespace_renew_matrix(tmli_statespace *s, const tml_state *y, double g, tml_error *err)
{
    tml_status st = TML_OK;
    s->factored = 0;
    if (s->sparse || s->descriptor)
        st = tmli_reduction_descriptor_factor(s->red, y, s->sparse ? g : 0, s->sparse ? g * g : 0, err);
    if (st == TML_OK && !s->sparse) st = tmli_reduction_jacobian(s->red, y, s->J1, s->J2, NULL, err);
    if (st == TML_OK && s->independent) st = tmli_reduction_reduced_mass(s->red, y, s->Mr, err);
    if (st == TML_OK && !s->sparse) st = factor(s, g, err);
    if (st != TML_OK) return st;
    s->factored = g;
    s->stale = true;  // the next step begins elsewhere
    s->fresh = false;
    return TML_OK;
}

void tmli_statespace_solve_independent(const tmli_statespace *s, double *y)
{
    int info = 0;
    if (s->dof > 0) tmli_dgetrs("N", &s->dof, &ONE, s->S, &s->dof, s->pivot, y, &s->dof, &info, 1);
}

void tmli_statespace_solve(const tmli_statespace *s, double *y)
{
    if (s->independent) {
        memcpy(s->full, y, (size_t)s->dof * sizeof *y);
        times_Mr(s, s->full, y);
    }
    tmli_statespace_solve_independent(s, y);
}

void tmli_statespace_times_J1(const tmli_statespace *s, double factor, const double *y, double *out)
{
    for (int c = 0; c < s->dof; c++) {
        const double f = factor * y[c], *column = s->J1 + (size_t)c * (size_t)s->dof;
        for (int r = 0; r < s->dof; r++) out[r] += f * column[r];
    }
}

void tmli_statespace_filter_velocity(tmli_statespace *s, double g, double *e)
{
    if (s->dof == 0) return;
    if (!s->sparse) {
        tmli_statespace_solve(s, e);
        return;
    }
    memset(s->e1, 0, (size_t)s->dof * sizeof(double));
    tmli_reduction_descriptor_filter(s->red, g, s->e1, e, e);
}

void tmli_statespace_filter(tmli_statespace *s, double g)
{
    if (s->dof == 0) return;
    if (s->sparse) {
        tmli_reduction_descriptor_filter(s->red, g, s->e1, s->e2, s->e2);
    } else {
        tmli_statespace_times_J1(s, g, s->e1, s->e2);
        tmli_statespace_solve(s, s->e2);
    }
    for (int i = 0; i < s->dof; i++) s->e1[i] += g * s->e2[i];
}

// Largest over smallest diagonal element of the factor: a lower bound at no cost.
double tmli_statespace_condition(void *self)
{
    const tmli_statespace *s = self;
    if (s->sparse || s->factored == 0 || s->dof == 0) return 0;
    double least = INFINITY, most = 0;
    for (int i = 0; i < s->dof; i++) {
        const double d = fabs(s->S[i * s->dof + i]);
        least = fmin(least, d);
        most = fmax(most, d);
    }
    return most / least;
}

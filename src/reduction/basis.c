// The basis [V U] at the centre, and solutions with it; equation numbers as in reduction.h and internal.h.
//
// Tangent coordinates: vectors of the null space are orthonormalized and then rotated to be as near as
// possible to the last V: V <- V Q with Q the orthogonal factor of V' V_last. Away from the centre
//   d = y - N V+ y,  y: solution of Bs y = b with y_N = 0,  N: null space of Bs there with V+ N = 1    (8)
// solves Bs d = b, V+ d = 0.
#include "consistency/scaling.h"
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "reduction/internal.h"

#include <math.h>
#include <string.h>

#include "consistency/tolerances.h"
#include "reduction/constants.h"

void tmli_reduction_rows_times(const tml_system *s, const double *B_values, const double *x, double *out)
{
    for (int r = 0; r < s->m; r++) {
        double sum = 0;
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) sum += B_values[k] * x[s->rowcol[k]];
        out[r] = sum;
    }
}

void tmli_reduction_scale_rows(const tmli_reduction *r, const double *B_values, double *out)
{
    const tml_system *s = r->sys;
    for (int i = 0; i < s->m; i++)
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++)
            out[k] = B_values[k] * r->unit[s->rowcol[k]] / r->unit[s->n + i];
    for (int i = 0; i < s->m && r->velocity_rows > 0; i++)  // (5'): these rows do not restrict positions
        if (tmli_reduction_is_velocity_row(r, i))
            memset(out + s->rowptr[i], 0, (size_t)(s->rowptr[i + 1] - s->rowptr[i]) * sizeof *out);
}

// ---- V and V+ ---------------------------------------------------------------------------------------------

void tmli_reduction_expand(const tmli_reduction *r, const double *y, double *full)
{
    const int n = r->sys->n;
    if (!r->tangent) {
        const int *column = r->choice.column + r->choice.rank;
        for (int j = 0; j < n; j++) full[j] = 0;
        for (int k = 0; k < r->dof; k++) full[column[k]] = y[k];
        return;
    }
    for (int j = 0; j < n; j++) full[j] = 0;
    for (int k = 0; k < r->dof; k++) {
        const double *V = r->V + (size_t)k * (size_t)n;
        for (int j = 0; j < n; j++) full[j] += y[k] * V[j];
    }
    for (int j = 0; j < n; j++) full[j] *= r->unit[j];
}

void tmli_reduction_extract(const tmli_reduction *r, const double *full, double *y)
{
    const int n = r->sys->n;
    if (!r->tangent) {
        const int *column = r->choice.column + r->choice.rank;
        for (int k = 0; k < r->dof; k++) y[k] = full[column[k]];
        return;
    }
    for (int k = 0; k < r->dof; k++) {
        const double *V = r->V + (size_t)k * (size_t)n;
        double sum = 0;
        for (int j = 0; j < n; j++) sum += V[j] * (full[j] / r->unit[j]);
        y[k] = sum;
    }
}

int tmli_reduction_column(const tmli_reduction *r, int k)
{
    return r->tangent ? -1 : r->choice.column[r->choice.rank + k];
}

// ---- solves -----------------------------------------------------------------------------------------------

void tmli_reduction_constrain(const tmli_reduction *r, tmli_thread_work *tw, bool local, const double *value,
                              double *d)
{
    local = local && tw->use_local;
    const tml_system *s = r->sys;
    const int n = s->n;
    for (int i = 0; i < s->m; i++) tw->b[i] = value[i] / r->unit[n + i];
    tmli_columns_solve(local ? &tw->local_factor : &tw->centre_factor, tw->b, d);
    if (r->tangent) {
        const double *null_space = local ? tw->null_space : r->V;
        for (int k = 0; k < r->dof; k++) {
            const double *V = r->V + (size_t)k * (size_t)n;
            double sum = 0;
            for (int j = 0; j < n; j++) sum += V[j] * d[j];
            tw->a[k] = sum;
        }
        for (int k = 0; k < r->dof; k++)  // (8)
            for (int j = 0; j < n; j++) d[j] -= tw->a[k] * null_space[(size_t)k * (size_t)n + (size_t)j];
    }
    for (int j = 0; j < n; j++) d[j] *= r->unit[j];
}

void tmli_reduction_lift_in(const tmli_reduction *r, tmli_thread_work *tw, const double *y, double *full)
{
    tmli_reduction_expand(r, y, full);
    if (r->sys->m == 0 || r->tangent) return;
    tmli_reduction_rows_times(r->sys, r->B_values, full, tw->residual);
    tmli_reduction_constrain(r, tw, false, tw->residual, tw->z);
    for (int j = 0; j < r->sys->n; j++) full[j] -= tw->z[j];
}

// Project each column of Z (n x dof, in units) into the null space of Bs by changing its dependent entries.
static void project_to_null_space(const tmli_reduction *r, tmli_thread_work *tw, tmli_columns *factor,
                                  const double *B_scaled, double *Z)
{
    const tml_system *s = r->sys;
    for (int k = 0; k < r->dof; k++) {
        double *z = Z + (size_t)k * (size_t)s->n;
        tmli_reduction_rows_times(s, B_scaled, z, tw->b);
        tmli_columns_solve(factor, tw->b, tw->z);
        for (int j = 0; j < s->n; j++) z[j] -= tw->z[j];
    }
}

// N of (8): null_space := V projected into the null space, times the inverse of V' null_space.
static bool make_null_space(const tmli_reduction *r, tmli_thread_work *tw, const double *B_scaled)
{
    const int n = r->sys->n, dof = r->dof;
    const double one = 1, zero = 0;
    if (dof == 0) return true;
    if (tmli_lapack_load(NULL) != TML_OK) return false;  // make_tangent_basis says so
    memcpy(tw->null_space, r->V, (size_t)n * (size_t)dof * sizeof *tw->null_space);
    project_to_null_space(r, tw, &tw->local_factor, B_scaled, tw->null_space);
    tmli_dgemm("T", "N", &dof, &dof, &n, &one, r->V, &n, tw->null_space, &n, &zero, tw->square, &dof, 1, 1);
    int info = 0;
    tmli_dgetrf(&dof, &dof, tw->square, &dof, tw->pivot, &info);
    if (info != 0) return false;
    // rows of null_space are the unknowns of transposed systems
    for (int j = 0; j < n; j++) {
        const int single = 1;
        for (int k = 0; k < dof; k++) tw->a[k] = tw->null_space[(size_t)k * (size_t)n + (size_t)j];
        tmli_dgetrs("T", &dof, &single, tw->square, &dof, tw->pivot, tw->a, &dof, &info, 1);
        for (int k = 0; k < dof; k++) tw->null_space[(size_t)k * (size_t)n + (size_t)j] = tw->a[k];
    }
    return true;
}

bool tmli_reduction_refactor(const tmli_reduction *r, tmli_thread_work *tw, const double *B_scaled)
{
    tw->use_local =
        tmli_columns_factor(&tw->local_factor, B_scaled) && (!r->tangent || make_null_space(r, tw, B_scaled));
    return tw->use_local;
}

// ---- tangent space ----------------------------------------------------------------------------------------

static double norm(const double *v, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += v[j] * v[j];
    return sqrt(sum);
}

// Gram-Schmidt: orthonormalize the columns of V. A column that loses most of its length is treated twice.
static void orthonormalize(double *V, int n, int dof)
{
    for (int k = 0; k < dof; k++) {
        double *v = V + (size_t)k * (size_t)n, before = norm(v, n), after = before;
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < k; i++) {
                const double *w = V + (size_t)i * (size_t)n;
                double sum = 0;
                for (int j = 0; j < n; j++) sum += w[j] * v[j];
                for (int j = 0; j < n; j++) v[j] -= sum * w[j];
            }
            after = norm(v, n);
            if (after > 0.5 * before) break;  // "twice is enough": Parlett, The Symmetric Eigenvalue Problem
        }
        for (int j = 0; j < n; j++) v[j] /= after;
    }
}

// V := V Q, Q the orthogonal factor of G = V' V_last, by the iteration Q <- Q (3 - Q'Q)/2 from G, whose
// singular values are cosines of the angles between the two tangent spaces.
static void align_basis(const tmli_reduction *r, tmli_thread_work *tw)
{
    const int n = r->sys->n, dof = r->dof;
    const double one = 1, zero = 0;
    double *Q = tw->square, *X = Q + (size_t)dof * (size_t)dof;
    if (dof == 0) return;
    tmli_dgemm("T", "N", &dof, &dof, &n, &one, r->V, &n, r->V_before, &n, &zero, Q, &dof, 1, 1);
    for (int it = 0; it < MAX_ITERATIONS; it++) {
        double *E = X, off = 0;
        tmli_dgemm("T", "N", &dof, &dof, &dof, &one, Q, &dof, Q, &dof, &zero, E, &dof, 1, 1);
        for (int i = 0; i < dof * dof; i++) {
            const double unit = i % (dof + 1) == 0;
            off = fmax(off, fabs(E[i] - unit));
            E[i] = 1.5 * unit - 0.5 * E[i];
        }
        if (off < TMLI_ROUNDOFF) break;
        double *next = X + (size_t)dof * (size_t)dof;
        tmli_dgemm("N", "N", &dof, &dof, &dof, &one, Q, &dof, E, &dof, &zero, next, &dof, 1, 1);
        memcpy(Q, next, (size_t)dof * (size_t)dof * sizeof *Q);
    }
    orthonormalize(Q, dof, dof);
    tmli_dgemm("N", "N", &n, &dof, &dof, &one, r->V, &n, Q, &dof, &zero, tw->null_space, &n, 1, 1);
    memcpy(r->V, tw->null_space, (size_t)n * (size_t)dof * sizeof *r->V);
}

static bool reserve_work(tmli_thread_work *tw, const tml_env *env, size_t n, size_t dof)
{
    tmli_free_all(env, tw->null_space, tw->square, tw->pivot);
    return tmli_calloc_all(env, TMLI_ARRAY(tw->null_space, n * dof), TMLI_ARRAY(tw->square, 3 * dof * dof),
                           TMLI_ARRAY(tw->pivot, dof));
}

tml_status tmli_reduction_reserve_columns(tmli_reduction *r, tml_error *err)
{
    const tml_env *env = &r->sys->env;
    const size_t n = (size_t)r->sys->n, dof = (size_t)r->dof;
    if (r->dof <= r->capacity) return TML_OK;
    double *V = tmli_calloc(env, n * dof, sizeof *V), *W = tmli_calloc(env, n * dof, sizeof *W);
    if (W && r->capacity > 0) memcpy(W, r->V_before, n * (size_t)r->capacity * sizeof *W);
    tmli_free(env, r->V);
    tmli_free(env, r->V_before);
    r->V = V;
    r->V_before = W;
    bool ok = V && W && reserve_work(&r->main_work, env, n, dof);
    for (int i = 0; i < r->helper_count && ok && !tmli_reduction_is_exact(r); i++)
        ok = reserve_work(&r->helper_work[i], env, n, dof);
    r->capacity = ok ? r->dof : 0;
    return ok ? TML_OK : tmli_no_memory(err, "reduction");
}

// align: the last V has as many columns, and the new one is aligned with it.
static tml_status make_tangent_basis(tmli_reduction *r, bool align, tml_error *err)
{
    const size_t n = (size_t)r->sys->n;
    const int *column = r->choice.column + r->choice.rank;
    double *last = r->V;
    r->V = r->V_before;
    r->V_before = last;
    tml_status st = tmli_reduction_reserve_columns(r, err);
    if (st != TML_OK) return st;
    if (r->dof == 0) return TML_OK;
    if (align) memcpy(r->V, r->V_before, n * (size_t)r->dof * sizeof *r->V);
    else memset(r->V, 0, n * (size_t)r->dof * sizeof *r->V);
    for (int k = 0; k < r->dof && !align; k++) r->V[(size_t)k * n + (size_t)column[k]] = 1;
    project_to_null_space(r, &r->main_work, &r->main_work.centre_factor, r->B_scaled, r->V);
    orthonormalize(r->V, r->sys->n, r->dof);
    if (!align) return TML_OK;
    st = tmli_lapack_load(err);
    if (st == TML_OK) align_basis(r, &r->main_work);
    return st;
}

// ---- the choice -------------------------------------------------------------------------------------------

// True if left-out rows still depend on the others: they vanish along a vector of the null space.
static bool left_out_still_dependent(const tmli_reduction *r)
{
    const tml_system *s = r->sys;
    tmli_thread_work *tw = (tmli_thread_work *)&r->main_work;
    if (r->choice.rank == s->m) return true;
    memcpy(tw->y, r->test_vector, (size_t)s->n * sizeof *tw->y);
    tmli_reduction_rows_times(s, r->B_scaled, tw->y, tw->b);
    tmli_columns_solve(&tw->centre_factor, tw->b, tw->z);
    for (int j = 0; j < s->n; j++) tw->y[j] -= tw->z[j];
    tmli_reduction_rows_times(s, r->B_scaled, tw->y, tw->b);
    for (int i = 0; i < s->m; i++)
        if (!(fabs(tw->b[i]) < TMLI_GAP_INCREASE)) return false;
    return true;
}

static bool factor_centre(tmli_reduction *r)
{
    return tmli_columns_factor(&r->main_work.centre_factor, r->B_scaled);
}

// True if the present choice of columns can be kept. *present: |B| |inverse(B U)| with it, infinite if it
// cannot be used.
static bool can_keep_choice(tmli_reduction *r, double *present)
{
    *present = INFINITY;
    if (!r->ready || !factor_centre(r)) return false;
    const double condition = tmli_columns_condition(&r->main_work.centre_factor, r->B_scaled);
    *present = condition;
    r->condition = fmin(r->condition, condition);
    // only the solution of (2) depends on the condition of tangent coordinates
    const double growth = r->tangent ? 1 / TMLI_NEAR_SINGULAR : PARTITION_GROWTH;
    if (!(condition <= growth * r->condition && left_out_still_dependent(r))) return false;
    return r->tangent || ++r->age < RECHECK_STEPS;
}

static bool same_columns(const tmli_pivot_choice *a, const tmli_pivot_choice *b)
{
    if (a->rank != b->rank) return false;
    for (int j = a->rank; j < a->n; j++)
        if (a->column[j] != b->column[j]) return false;
    return true;
}

// Factor the new choice, or return to the previous one if that is nearly as good. condition: of the previous
// one, infinite if it cannot be used. *moved: the columns have changed.
static bool factor_better_choice(tmli_reduction *r, double condition, bool *moved)
{
    *moved = !r->ready || !same_columns(&r->choice, &r->choice_before);
    if (!factor_centre(r)) return false;
    r->condition = tmli_columns_condition(&r->main_work.centre_factor, r->B_scaled);
    if (!r->ready || !*moved || r->choice.rank != r->choice_before.rank ||
        MIN_IMPROVEMENT * r->condition < condition)
        return true;
    tmli_pivot_choice_copy(&r->choice, &r->choice_before);
    r->condition = condition;
    *moved = false;
    return factor_centre(r);
}

// condition: as of factor_better_choice
static tml_status choose_columns(tmli_reduction *r, double condition, bool *moved, tml_error *err)
{
    const tml_system *s = r->sys;
    tmli_pivot_choice_copy(&r->choice_before, &r->choice);
    double *weighted = r->main_work.B_scaled;
    for (int k = 0; k < s->rowptr[s->m]; k++)
        weighted[k] =
            r->B_scaled[k] * (s->kind[s->rowcol[k]] == TML_COORDINATE_ROTATION ? ROTATION_WEIGHT : 1);
    const tml_status st =
        tmli_pivot_choice_make(&r->choice, s->rowptr, s->rowcol, weighted, NULL, TMLI_RANK_TOLERANCE, err);
    if (st != TML_OK) return st;
    if (!factor_better_choice(r, condition, moved))
        return tmli_fail(
            err, TML_ERR_SINGULAR,
            "the constraints cannot be solved for dependent coordinates at t = %g s: the constraint Jacobian "
            "is zero or not finite",
            r->centre->t);
    r->age = 0;
    if (*moved && r->ready) r->old_factored = tmli_columns_factor(&r->old_factor, r->B_scaled);
    r->dof_before = r->ready ? r->dof : s->n - r->choice.rank;
    r->dof = s->n - r->choice.rank;
    bool any = false;
    for (int i = 0; i < s->m; i++) {
        r->left_out[i] = r->choice.left_out[i] && !tmli_reduction_is_velocity_row(r, i);
        any = any || r->left_out[i];
    }
    tmli_index1_leave_out(&r->main_work.dynamics, any ? r->left_out : NULL);
    if (r->descriptor.sys) tmli_index1_leave_out(&r->descriptor, r->main_work.dynamics.left_out);
    return tmli_reduction_reserve_dense(r, err);
}

tml_status tmli_reduction_choose_basis(tmli_reduction *r, bool *changed, tml_error *err)
{
    const tml_system *s = r->sys;
    tmli_kernel_units(s, r->B_values, r->unit);
    *changed = !r->ready;
    if (s->m == 0) {
        for (int j = 0; j < s->n; j++) r->choice.column[j] = r->choice.position[j] = j;
        r->dof = s->n;
        r->ready = true;
        return tmli_reduction_reserve_dense(r, err);
    }
    for (int j = 0; j < s->n; j++)
        if (s->kind[j] == TML_COORDINATE_TRANSLATION) r->unit[j] *= r->translation_factor;
    tmli_reduction_scale_rows(r, r->B_values, r->B_scaled);
    double condition;
    const bool had_basis = r->ready, keep = can_keep_choice(r, &condition);
    const int dof = r->dof;
    bool moved = false;
    tml_status st = keep ? TML_OK : choose_columns(r, condition, &moved, err);
    if (st == TML_OK && r->tangent) st = make_tangent_basis(r, had_basis && r->dof == dof, err);
    *changed = r->tangent ? !had_basis || r->dof != dof : moved;
    r->ready = st == TML_OK;
    return st;
}

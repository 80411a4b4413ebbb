// The basis [V U] at the centre, and solves with it; equation numbers as in reduction.h and parts.h.
//
// tangent V: any vectors of the null space made orthonormal, then turned among themselves to be as near to
// the last V as
//          they can: V <- V Q with Q the orthogonal factor of V' V_last. Away from the centre
//            d = y - N V+ y,   y: solution of Bs y = b with y_N = 0,   N: null space of Bs there with V+ N = 1      (8)
//          solves Bs d = b, V+ d = 0.
#include "consistency/redundant_rows.h"
#include "consistency/scaling.h"
#include "linalg/dense/lapack.h"
#include "reduction/internal.h"

#include <math.h>
#include <string.h>

// Pivots below it are zero: rows depend on others. In units, where entries are of the order 1.
static const double RANK_TOLERANCE = TMLI_RANK_TOLERANCE;
// A partition is looked at again when |B| |inverse(B U)| has grown by this factor since it was chosen, or if
// it was bad when it was chosen (RECHECK) and that is CHECK_AGAIN steps ago. The dependent coordinates move
// that much faster than the independent ones: what is harmless for solving (2) already bends w(v) so that
// steps become smaller. Of tangent coordinates only solves depend on it.
static const double WORSE[2] = {1.6, 50}, RECHECK = 10;
enum { CHECK_AGAIN = 30 };
// A new one is taken only if it is better by this factor.
static const double BETTER = 1.2;

void tmli_reduction_rows_times(const tml_system *s, const double *rows, const double *x, double *out)
{
    for (int r = 0; r < s->m; r++) {
        double sum = 0;
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) sum += rows[k] * x[s->rowcol[k]];
        out[r] = sum;
    }
}

void tmli_reduction_scale_rows(const tmli_reduction *r, const double *rows, double *out)
{
    const tml_system *s = r->sys;
    for (int i = 0; i < s->m; i++)
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++)
            out[k] = rows[k] * r->unit[s->rowcol[k]] / r->unit[s->n + i];
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

// ---- solves -----------------------------------------------------------------------------------------------

void tmli_reduction_constrain(const tmli_reduction *r, tmli_thread_work *l, bool near, const double *value,
                              double *d)
{
    near = near && l->renewed;
    const tml_system *s = r->sys;
    const int n = s->n;
    for (int i = 0; i < s->m; i++) l->b[i] = value[i] / r->unit[n + i];
    tmli_columns_solve(near ? &l->near : &l->factor, l->b, d);
    if (r->tangent) {
        const double *null = near ? l->null : r->V;
        for (int k = 0; k < r->dof; k++) {
            const double *V = r->V + (size_t)k * (size_t)n;
            double sum = 0;
            for (int j = 0; j < n; j++) sum += V[j] * d[j];
            l->a[k] = sum;
        }
        for (int k = 0; k < r->dof; k++)  // (8)
            for (int j = 0; j < n; j++) d[j] -= l->a[k] * null[(size_t)k * (size_t)n + (size_t)j];
    }
    for (int j = 0; j < n; j++) d[j] *= r->unit[j];
}

void tmli_reduction_lift_in(const tmli_reduction *r, tmli_thread_work *l, const double *y, double *full)
{
    tmli_reduction_expand(r, y, full);
    if (r->sys->m == 0 || r->tangent) return;
    tmli_reduction_rows_times(r->sys, r->rows, full, l->residual);
    tmli_reduction_constrain(r, l, false, l->residual, l->z);
    for (int j = 0; j < r->sys->n; j++) full[j] -= l->z[j];
}

// Every column of Z (n x dof, units) brought into the null space of Bs by its dependent entries.
static void into_null_space(const tmli_reduction *r, tmli_thread_work *l, tmli_columns *factor,
                            const double *scaled, double *Z)
{
    const tml_system *s = r->sys;
    for (int k = 0; k < r->dof; k++) {
        double *z = Z + (size_t)k * (size_t)s->n;
        tmli_reduction_rows_times(s, scaled, z, l->b);
        tmli_columns_solve(factor, l->b, l->z);
        for (int j = 0; j < s->n; j++) z[j] -= l->z[j];
    }
}

// N of (8): null := V brought into the null space, times the inverse of V' null.
static bool make_null(const tmli_reduction *r, tmli_thread_work *l, const double *scaled)
{
    const int n = r->sys->n, dof = r->dof;
    const double one = 1, zero = 0;
    if (dof == 0) return true;
    memcpy(l->null, r->V, (size_t)n * (size_t)dof * sizeof *l->null);
    into_null_space(r, l, &l->near, scaled, l->null);
    dgemm_("T", "N", &dof, &dof, &n, &one, r->V, &n, l->null, &n, &zero, l->small, &dof, 1, 1);
    int info;
    dgetrf_(&dof, &dof, l->small, &dof, l->pivot, &info);
    if (info != 0) return false;
    // rows of null are the unknowns of transposed systems
    for (int j = 0; j < n; j++) {
        const int single = 1;
        for (int k = 0; k < dof; k++) l->a[k] = l->null[(size_t)k * (size_t)n + (size_t)j];
        dgetrs_("T", &dof, &single, l->small, &dof, l->pivot, l->a, &dof, &info, 1);
        for (int k = 0; k < dof; k++) l->null[(size_t)k * (size_t)n + (size_t)j] = l->a[k];
    }
    return true;
}

bool tmli_reduction_refactor(const tmli_reduction *r, tmli_thread_work *l, const double *scaled)
{
    l->renewed = tmli_columns_factor(&l->near, scaled) && (!r->tangent || make_null(r, l, scaled));
    return l->renewed;
}

// ---- the tangent plane ------------------------------------------------------------------------------------

static double norm(const double *v, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += v[j] * v[j];
    return sqrt(sum);
}

// Gram-Schmidt: columns of V orthonormal. What loses most of its length to those before it is made orthogonal
// twice.
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
            if (after > 0.5 * before) break;
        }
        for (int j = 0; j < n; j++) v[j] /= after;
    }
}

// V := V Q, Q the orthogonal factor of G = V' V_last, by the iteration Q <- Q (3 - Q'Q)/2 from G, whose
// singular values are cosines of the angles between the planes.
static void align(const tmli_reduction *r, tmli_thread_work *l)
{
    const int n = r->sys->n, dof = r->dof;
    const double one = 1, zero = 0;
    double *Q = l->small, *X = Q + (size_t)dof * (size_t)dof;
    if (dof == 0) return;
    dgemm_("T", "N", &dof, &dof, &n, &one, r->V, &n, r->V_before, &n, &zero, Q, &dof, 1, 1);
    for (int it = 0; it < 8; it++) {
        double *E = X, off = 0;
        dgemm_("T", "N", &dof, &dof, &dof, &one, Q, &dof, Q, &dof, &zero, E, &dof, 1, 1);
        for (int i = 0; i < dof * dof; i++) {
            const double unit = i % (dof + 1) == 0;
            off = fmax(off, fabs(E[i] - unit));
            E[i] = 1.5 * unit - 0.5 * E[i];
        }
        if (off < 1e-14) break;
        double *next = X + (size_t)dof * (size_t)dof;
        dgemm_("N", "N", &dof, &dof, &dof, &one, Q, &dof, E, &dof, &zero, next, &dof, 1, 1);
        memcpy(Q, next, (size_t)dof * (size_t)dof * sizeof *Q);
    }
    orthonormalize(Q, dof, dof);
    dgemm_("N", "N", &n, &dof, &dof, &one, r->V, &n, Q, &dof, &zero, l->null, &n, 1, 1);
    memcpy(r->V, l->null, (size_t)n * (size_t)dof * sizeof *r->V);
}

static bool lane_room(tmli_thread_work *l, const tml_env *env, size_t n, size_t dof)
{
    tmli_free(env, l->null);
    tmli_free(env, l->small);
    tmli_free(env, l->pivot);
    l->null = tmli_calloc(env, n * dof, sizeof *l->null);
    l->small = tmli_calloc(env, 3 * dof * dof, sizeof *l->small);
    l->pivot = tmli_calloc(env, dof, sizeof *l->pivot);
    return l->null && l->small && l->pivot;
}

// Columns for dof coordinates; allocates only if there are more than ever.
static tml_status make_room(tmli_reduction *r, tml_error *err)
{
    const tml_env *env = &r->sys->env;
    const size_t n = (size_t)r->sys->n, dof = (size_t)r->dof;
    if (r->dof <= r->room) return TML_OK;
    double *V = tmli_calloc(env, n * dof, sizeof *V), *W = tmli_calloc(env, n * dof, sizeof *W);
    if (W && r->room > 0) memcpy(W, r->V_before, n * (size_t)r->room * sizeof *W);
    tmli_free(env, r->V);
    tmli_free(env, r->V_before);
    r->V = V;
    r->V_before = W;
    bool ok = V && W && lane_room(&r->lane, env, n, dof);
    for (int i = 0; i < r->helpers && ok && !tmli_reduction_is_exact(r); i++)
        ok = lane_room(&r->helper[i], env, n, dof);
    r->room = ok ? r->dof : 0;
    return ok ? TML_OK : tmli_no_memory(err, "reduction");
}

// near: there is a V of as many columns to stay near to.
static tml_status tangent_basis(tmli_reduction *r, bool near, tml_error *err)
{
    const size_t n = (size_t)r->sys->n;
    const int *column = r->choice.column + r->choice.rank;
    double *last = r->V;  // V_before: what the new one is near to
    r->V = r->V_before;
    r->V_before = last;
    const tml_status st = make_room(r, err);
    if (st != TML_OK) return st;
    if (r->dof == 0) return TML_OK;
    if (near) memcpy(r->V, r->V_before, n * (size_t)r->dof * sizeof *r->V);
    else memset(r->V, 0, n * (size_t)r->dof * sizeof *r->V);
    for (int k = 0; k < r->dof && !near; k++) r->V[(size_t)k * n + (size_t)column[k]] = 1;
    into_null_space(r, &r->lane, &r->lane.factor, r->scaled, r->V);
    orthonormalize(r->V, r->sys->n, r->dof);
    if (near) align(r, &r->lane);
    return TML_OK;
}

// ---- the choice -------------------------------------------------------------------------------------------

// Rows left out still depend on the others: they vanish along a vector of the null space.
static bool still_dependent(const tmli_reduction *r)
{
    const tml_system *s = r->sys;
    tmli_thread_work *l = (tmli_thread_work *)&r->lane;
    if (r->choice.rank == s->m) return true;
    memcpy(l->y, r->test, (size_t)s->n * sizeof *l->y);
    tmli_reduction_rows_times(s, r->scaled, l->y, l->b);
    tmli_columns_solve(&l->factor, l->b, l->z);
    for (int j = 0; j < s->n; j++) l->y[j] -= l->z[j];
    tmli_reduction_rows_times(s, r->scaled, l->y, l->b);
    for (int i = 0; i < s->m; i++)
        if (!(fabs(l->b[i]) < 100 * RANK_TOLERANCE)) return false;
    return true;
}

static bool factor(tmli_reduction *r) { return tmli_columns_factor(&r->lane.factor, r->scaled); }

// The partition at hand still serves.
static bool still_good(tmli_reduction *r)
{
    if (!r->ready || !factor(r)) return false;
    const double condition = tmli_columns_condition(&r->lane.factor, r->scaled);
    r->condition = fmin(r->condition, condition);
    if (condition > WORSE[r->tangent] * r->condition || !still_dependent(r)) return false;
    return r->tangent || condition < RECHECK || ++r->age < CHECK_AGAIN;
}

static bool same_columns(const tmli_pivot_choice *a, const tmli_pivot_choice *b)
{
    if (a->rank != b->rank) return false;
    for (int j = a->rank; j < a->n; j++)
        if (a->column[j] != b->column[j]) return false;
    return true;
}

// Factor what was chosen, or go back to what was before if that is nearly as good. condition: of that,
// infinite if it is none.
static bool settle(tmli_reduction *r, double condition, bool *moved)
{
    *moved = !r->ready || !same_columns(&r->choice, &r->before);
    if (!factor(r)) return false;
    r->condition = tmli_columns_condition(&r->lane.factor, r->scaled);
    if (!r->ready || !*moved || r->choice.rank != r->before.rank || BETTER * r->condition < condition)
        return true;
    tmli_pivot_choice_copy(&r->choice, &r->before);
    r->condition = condition;
    *moved = false;
    return factor(r);
}

// Rotations are rather independent than translations by this factor. Springs, joints and inertia are
// straighter in angles: on the stiff double pendulum methods take a tenth of the steps in the angles of its
// rods than in positions of their centres.
static const double TURN = 0.1;

static tml_status choose_anew(tmli_reduction *r, bool *moved, tml_error *err)
{
    const tml_system *s = r->sys;
    const double condition =
        r->ready && factor(r) ? tmli_columns_condition(&r->lane.factor, r->scaled) : INFINITY;
    tmli_pivot_choice_copy(&r->before, &r->choice);
    double *preferred = r->lane.scaled;
    for (int k = 0; k < s->rowptr[s->m]; k++)
        preferred[k] = r->scaled[k] * (s->kind[s->rowcol[k]] == TML_COORDINATE_ROTATION ? TURN : 1);
    const tml_status st =
        tmli_pivot_choice_make(&r->choice, s->rowptr, s->rowcol, preferred, RANK_TOLERANCE, err);
    if (st != TML_OK) return st;
    if (!settle(r, condition, moved))
        return tmli_fail(
            err, TML_ERR_SINGULAR,
            "the constraints cannot be solved for dependent coordinates at t = %g s: their rows are not "
            "finite or vanish",
            r->centre->t);
    r->age = 0;
    if (*moved && r->ready) r->old_factored = tmli_columns_factor(&r->old, r->scaled);
    r->dof_before = r->ready ? r->dof : s->n - r->choice.rank;
    r->dof = s->n - r->choice.rank;
    tmli_index1_leave_out(&r->lane.dynamics, r->choice.rank < s->m ? r->choice.left_out : NULL);
    if (r->descriptor.sys) tmli_index1_leave_out(&r->descriptor, r->lane.dynamics.left_out);
    return tmli_reduction_reserve_dense(r, err);
}

tml_status tmli_reduction_choose_basis(tmli_reduction *r, bool *changed, tml_error *err)
{
    const tml_system *s = r->sys;
    tmli_kernel_units(s, r->rows, r->unit);
    *changed = !r->ready;
    if (s->m == 0) {
        for (int j = 0; j < s->n; j++) r->choice.column[j] = r->choice.position[j] = j;
        r->dof = s->n;
        r->ready = true;
        return tmli_reduction_reserve_dense(r, err);
    }
    for (int j = 0; j < s->n; j++)
        if (s->kind[j] == TML_COORDINATE_TRANSLATION) r->unit[j] *= r->lengths;
    tmli_reduction_scale_rows(r, r->rows, r->scaled);
    const bool had = r->ready, good = still_good(r);
    const int dof = r->dof;
    bool moved = false;
    tml_status st = good ? TML_OK : choose_anew(r, &moved, err);
    if (st == TML_OK && r->tangent) st = tangent_basis(r, had && r->dof == dof, err);
    *changed = r->tangent ? !had || r->dof != dof : moved;
    r->ready = st == TML_OK;
    return st;
}

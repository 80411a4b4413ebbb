// Dependent positions and velocities; equation numbers as in reduction.h.
//
// (2) is solved by a simplified Newton method with the matrix B U of the centre or, once the iteration is
// slow, of the present increment. The residual is Phi at the centre plus its change, computed without
// cancellation if the system supports it. (3) is linear: the same matrix solves it approximately, and
// iterative refinement with the present B corrects that. Both begin at the last solution if that is nearer
// than the centre: the two evaluations of a step of adams, and points of its dense output, are close to each
// other.
#include "reduction/internal.h"
#include "system/active_rows/active_rows.h"
#include "system/state/first_order.h"
#include "system/state/move.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "consistency/tolerances.h"
#include "reduction/constants.h"

static double largest_motion(const tmli_reduction *r, const double *d)
{
    double largest = 0;
    for (int j = 0; j < tmli_mechanical(r->sys); j++) {
        const double size = fabs(d[j]) / tmli_reduction_coordinate_unit(r, j);
        if (!(size <= largest)) largest = size;  // also if NaN
    }
    return largest;
}

// True if a correction of this size is the last one: the round-off of residuals, which are proportional to
// the increment, is as large. Near a singular configuration it is not: the matrix changes much over the
// increment, and the next corrections are as large.
static bool is_settled(const tmli_reduction *r, const tmli_thread_work *tw, double size)
{
    return size < SETTLED_CORRECTION && !tw->use_local && !r->tangent &&
           r->condition <= CLEAR_CONDITION * r->sys->m &&
           size < SETTLED_CORRECTION * largest_motion(r, tw->d);
}

void tmli_reduction_set_centre(const tmli_reduction *r, tmli_thread_work *tw)
{
    const size_t n = (size_t)r->sys->n;
    memset(tw->d, 0, n * sizeof *tw->d);
    memset(tw->v, 0, n * sizeof *tw->v);
    memcpy(tw->d_rate, r->centre->u, n * sizeof *tw->d_rate);
    tmli_reduction_extract(r, tw->d_rate, tw->vd);
    tw->t = r->centre->t;
    tw->use_local = false;
}

// ---- positions --------------------------------------------------------------------------------------------

// tw->residual (m) = Phi(q0 (+) d, t); overwrites x->q if the system has no `increment`.
static tml_status residual(const tmli_reduction *r, tmli_thread_work *tw, tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    tml_status st;
    if (s->ops->increment) {
        st = tmli_active_increment(s, tw->work, r->centre, tw->d, x->t, tw->residual, err);
        for (int i = 0; i < s->m; i++) tw->residual[i] += r->phi[i];
    } else {
        tmli_state_move(s, r->centre, tw->d, x);
        st = tmli_active_residual(s, tw->work, x, NULL, tw->motion, tw->residual, err);
    }
    return st;
}

// Predict the increment to first order, from the centre or from the last configuration if that is nearer.
static void predict(const tmli_reduction *r, tmli_thread_work *tw, double t, const double *v)
{
    const tml_system *s = r->sys;
    double from_last = 0, from_centre = 0;
    for (int k = 0; k < r->dof; k++) {
        from_last = fmax(from_last, fabs(v[k] - tw->v[k]));
        from_centre = fmax(from_centre, fabs(v[k]));
    }
    const bool last = tw->from_last = from_last < from_centre;
    if (!last) memset(tw->d, 0, (size_t)s->n * sizeof *tw->d);
    for (int k = 0; k < r->dof; k++) {
        tw->a[k] = last ? v[k] - tw->v[k] : v[k];
        tw->v[k] = v[k];
    }
    const double dt = t - (last ? tw->t : r->centre->t);
    tw->t = t;
    tmli_reduction_expand(r, tw->a, tw->y);
    tmli_reduction_rows_times(s, r->B_values, tw->y, tw->residual);
    for (int i = 0; i < s->m; i++) tw->residual[i] = r->nu[i] * dt - tw->residual[i];
    tmli_reduction_constrain(r, tw, false, tw->residual, tw->z);
    for (int j = 0; j < s->n; j++) tw->d[j] += tw->y[j] + tw->z[j];
}

bool tmli_reduction_tangent_column(const tmli_reduction *r, tmli_thread_work *tw, int local)
{
    const tml_system *s = r->sys;
    bool any = false;
    for (int j = 0, count = 0; j < s->n; j++) {
        count = j > 0 && s->node[j] == s->node[j - 1] ? count + 1 : 0;
        tw->y[j] = count == local;
        any |= count == local;
    }
    if (any) s->ops->tangent(s->self, tw->d, tw->y, tw->z);
    return any;
}

bool tmli_reduction_factor_local(const tmli_reduction *r, tmli_thread_work *tw)
{
    const tml_system *s = r->sys;
    memcpy(tw->B_scaled, tw->B_values, (size_t)s->rowptr[s->m] * sizeof *tw->B_scaled);
    for (int local = 0; s->ops->tangent_rate && tmli_reduction_tangent_column(r, tw, local); local++) {
        for (int i = 0; i < s->m; i++)
            for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) {
                if (tw->y[s->rowcol[k]] == 0) continue;
                double sum = 0;
                for (int e = s->rowptr[i]; e < s->rowptr[i + 1]; e++)
                    if (s->node[s->rowcol[e]] == s->node[s->rowcol[k]])
                        sum += tw->B_values[e] * tw->z[s->rowcol[e]];
                tw->B_scaled[k] = sum;
            }
    }
    tmli_reduction_scale_rows(r, tw->B_scaled, tw->B_scaled);
    return tmli_reduction_refactor(r, tw, tw->B_scaled);
}

static tml_status fail_positions(const tmli_reduction *r, double t, double size, tml_error *err)
{
    const tml_system *s = r->sys;
    return tmli_fail(
        err, TML_RETRY,
        "dependent positions do not converge at t = %g s, %g s after the last step: last correction %g model "
        "lengths; a smaller step or better assembled joints are needed (%d coordinates, %d constraints)",
        t, t - r->centre->t, size, s->n, s->m);
}

// *count: number of iterations.
static tml_status solve_positions(const tmli_reduction *r, tmli_thread_work *tw, double t, const double *v,
                                  tml_state *x, int *count, tml_error *err)
{
    const tml_system *s = r->sys;
    double last = INFINITY, size = INFINITY;
    predict(r, tw, t, v);
    for (int it = 0; it < MAX_ITERATIONS; it++) {
        tml_status st = residual(r, tw, x, err);
        if (st != TML_OK) return st;
        *count = it + 1;
        tmli_reduction_constrain(r, tw, true, tw->residual, tw->z);
        size = largest_motion(r, tw->z);
        if (!isfinite(size)) break;
        const double rate = last < INFINITY ? size / last : 1;
        // beyond a singular configuration a matrix from before it leads to the wrong branch: omit the
        // correction
        const bool diverges = last < INFINITY && last >= TMLI_ROUNDOFF_CORRECTION && rate > 1;
        for (int j = 0; j < s->n && !diverges; j++) tw->d[j] -= tw->z[j];
        if (size < 4 * DBL_EPSILON || (rate < 1 && size * rate < DBL_EPSILON)) return TML_OK;
        if (is_settled(r, tw, size)) return TML_OK;
        if (rate > TMLI_STALLED_RATE && last < TMLI_ROUNDOFF_CORRECTION) return TML_OK;
        if (rate > TMLI_SLOW_RATE && last < INFINITY && size > TMLI_ROUNDOFF) {
            tmli_state_move(s, r->centre, tw->d, x);
            st = tmli_active_rows(s, tw->work, x, tw->B_values, err);
            if (st != TML_OK) return st;
            if (!tmli_reduction_factor_local(r, tw)) break;
            size = INFINITY;
        }
        last = size;
    }
    tmli_reduction_set_centre(r, tw);  // no start for the next solution
    return fail_positions(r, t, size, err);
}

// ---- velocities -------------------------------------------------------------------------------------------

// First approximation of d': that of the last solution or none, and by the matrix of the centre what vd adds.
static void predict_rate(const tmli_reduction *r, tmli_thread_work *tw, const double *vd)
{
    const tml_system *s = r->sys;
    const bool last = tw->from_last;
    if (!last) memset(tw->d_rate, 0, (size_t)s->n * sizeof *tw->d_rate);
    for (int k = 0; k < r->dof; k++) {
        tw->a[k] = last ? vd[k] - tw->vd[k] : vd[k];
        tw->vd[k] = vd[k];
    }
    tmli_reduction_expand(r, tw->a, tw->y);
    tmli_reduction_rows_times(s, r->B_values, tw->y, tw->residual);
    for (int i = 0; i < s->m; i++) tw->residual[i] = (last ? 0 : r->nu[i]) - tw->residual[i];
    tmli_reduction_constrain(r, tw, false, tw->residual, tw->z);
    for (int j = 0; j < s->n; j++) tw->d_rate[j] += tw->y[j] + tw->z[j];
}

// d' and x->u of the configuration x->q. refactor: the present matrix is a poor approximation there.
static tml_status solve_velocities(const tmli_reduction *r, tmli_thread_work *tw, const double *vd,
                                   bool refactor, tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    predict_rate(r, tw, vd);
    s->ops->tangent(s->self, tw->d, tw->d_rate, x->u);
    tml_status st = tmli_active_velocity(s, tw->work, x, tw->residual, err);
    if (st == TML_OK) st = tmli_active_rows(s, tw->work, x, tw->B_values, err);
    if (st != TML_OK) return st;
    if (refactor && !tmli_reduction_factor_local(r, tw)) tw->use_local = false;
    const double speed = fmax(largest_motion(r, tw->d_rate), REST_SPEED / r->opt.duration);
    double last = INFINITY, size = INFINITY;
    for (int it = 0; it < MAX_ITERATIONS; it++) {
        tmli_reduction_constrain(r, tw, true, tw->residual, tw->z);
        size = largest_motion(r, tw->z);
        if (!(size < INFINITY) || size > last) break;
        const double rate = last < INFINITY ? size / last : 1;
        // B times the velocities has no more digits, and the matrix is not that of this configuration
        if (rate > TMLI_STALLED_RATE && last < TMLI_ROUNDOFF_CORRECTION * speed) return TML_OK;
        for (int j = 0; j < s->n; j++) tw->d_rate[j] -= tw->z[j];
        s->ops->tangent(s->self, tw->d, tw->z, tw->y);
        for (int j = 0; j < s->n; j++) x->u[j] -= tw->y[j];
        if (size <= DBL_EPSILON * speed || size * rate <= DBL_EPSILON * speed) return TML_OK;
        if (is_settled(r, tw, size / speed)) return TML_OK;
        for (int i = 0; i < s->m; i++)
            for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++)
                tw->residual[i] -= tw->B_values[k] * tw->y[s->rowcol[k]];
        last = size;
    }
    if (size <= TMLI_RANK_TOLERANCE * speed) return TML_OK;
    tmli_reduction_set_centre(r, tw);  // do not keep the matrix of a distant configuration
    return tmli_fail(err, TML_RETRY,
                     "dependent velocities do not converge at t = %g s, %g s after the last step: a smaller "
                     "step is needed",
                     x->t, x->t - r->centre->t);
}

tml_status tmli_reduction_solve_dependent_in(const tmli_reduction *r, tmli_thread_work *tw, double t,
                                             const double *v, const double *vd, tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    int count = 0;
    x->t = t;
    if (s->m > 0) {
        const tml_status st = solve_positions(r, tw, t, v, x, &count, err);
        if (st != TML_OK) return st;
    } else {
        memcpy(tw->d, v, (size_t)s->n * sizeof *tw->d);
    }
    tmli_state_move(s, r->centre, tw->d, x);
    if (s->m > 0) return solve_velocities(r, tw, vd, count > MANY_ITERATIONS && !r->tangent, x, err);
    memcpy(tw->d_rate, vd, (size_t)s->n * sizeof *tw->d_rate);
    s->ops->tangent(s->self, tw->d, tw->d_rate, x->u);
    return TML_OK;
}

tml_status tmli_reduction_solve_dependent(tmli_reduction *r, double t, const double *v, const double *vd,
                                          tml_state *x, tml_error *err)
{
    r->at_centre = false;
    return tmli_reduction_solve_dependent_in(r, &r->main_work, t, v, vd, x, err);
}

// d, d' (rate) and d'' (second) (n) of a state near the centre.
static void to_chart(const tmli_reduction *r, const tml_state *x, double *d, double *rate, double *second)
{
    const tml_system *s = r->sys;
    tmli_state_local(s, r->centre, x, x->t - r->centre->t, second, d);
    s->ops->tangent_inverse(s->self, d, x->u, rate);
    memcpy(second, x->udot, (size_t)s->n * sizeof *second);
    if (!s->ops->tangent_rate) return;
    double *difference = r->main_work.motion;
    s->ops->tangent_rate(s->self, d, rate, difference);
    for (int j = 0; j < s->n; j++) difference[j] = x->udot[j] - difference[j];
    s->ops->tangent_inverse(s->self, d, difference, second);
}

void tmli_reduction_between(tmli_reduction *r, const tml_state *a, const tml_state *b, double theta,
                            double *d, double *rate)
{
    tmli_thread_work *tw = &r->main_work;
    const double h = b->t - a->t, o = theta, o2 = o * o, o3 = o2 * o, o4 = o2 * o2;
    // quintic Hermite polynomial with values, first and second derivatives at both ends, and its derivative
    const double to_b = o3 * (10 + o * (6 * o - 15)), to_b1 = 30 * o2 * (1 + o * (o - 2)),
                 slope_a = o + o3 * (o * (8 - 3 * o) - 6), slope_a1 = 1 + o2 * (o * (32 - 15 * o) - 18),
                 slope_b = o3 * (o * (7 - 3 * o) - 4), slope_b1 = o2 * (o * (28 - 15 * o) - 12),
                 curve_a = (o2 - 3 * o3 + 3 * o4 - o4 * o) / 2,
                 curve_a1 = o + (-9 * o2 + 12 * o3 - 5 * o4) / 2, curve_b = (o3 - 2 * o4 + o4 * o) / 2,
                 curve_b1 = (3 * o2 - 8 * o3 + 5 * o4) / 2;
    double *const end[3] = {tw->y, tw->z, tw->s}, *const second = tw->a;
    to_chart(r, a, d, rate, second);
    to_chart(r, b, end[0], end[1], end[2]);
    for (int j = 0; j < r->sys->n; j++) {
        const double change = end[0][j] - d[j], ra = h * rate[j], rb = h * end[1][j], ca = h * h * second[j],
                     cb = h * h * end[2][j];
        d[j] += to_b * change + slope_a * ra + slope_b * rb + curve_a * ca + curve_b * cb;
        rate[j] = (to_b1 * change + slope_a1 * ra + slope_b1 * rb + curve_a1 * ca + curve_b1 * cb) / h;
    }
}

// Distance of the present configuration from a singular one, relative to the centre: 1 is as far. Relative,
// because long chains have matrices of large condition everywhere.
static double clearance(const tmli_reduction *r, tmli_thread_work *tw)
{
    return tw->use_local ? r->condition / tmli_columns_condition(&tw->local_factor, tw->B_scaled) : 1;
}

// Solve (2) and (3) starting from the increment d and its rate. refactor: with a matrix at d.
static tml_status solve_from(tmli_reduction *r, tmli_thread_work *tw, double t, const double *v,
                             const double *vd, const double *d, const double *rate, bool refactor,
                             tml_state *x)
{
    const tml_system *s = r->sys;
    memcpy(tw->d, d, (size_t)s->n * sizeof *d);
    memcpy(tw->d_rate, rate, (size_t)s->n * sizeof *rate);
    tmli_reduction_extract(r, d, tw->v);
    tmli_reduction_extract(r, rate, tw->vd);
    tw->t = x->t = t;
    if (refactor) {
        tmli_state_move(s, r->centre, d, x);
        const tml_status st = tmli_active_rows(s, tw->work, x, tw->B_values, NULL);
        if (st != TML_OK || !tmli_reduction_factor_local(r, tw)) return TML_RETRY;
    }
    return tmli_reduction_solve_dependent(r, t, v, vd, x, NULL);
}

bool tmli_reduction_solve_dependent_near(tmli_reduction *r, double t, const double *v, const double *vd,
                                         const double *d, const double *rate, tml_state *x)
{
    const tml_system *s = r->sys;
    tmli_thread_work *tw = &r->main_work;
    if (s->m == 0) return tmli_reduction_solve_dependent(r, t, v, vd, x, NULL) == TML_OK;
    tml_status st = solve_from(r, tw, t, v, vd, d, rate, false, x);
    if (st == TML_RETRY) st = solve_from(r, tw, t, v, vd, d, rate, true, x);
    if (st == TML_OK) {
        for (int j = 0; j < s->n; j++) tw->y[j] = tw->d[j] - d[j];
        const double clear = clearance(r, tw);
        if (clear >= TMLI_AMPLIFIED_TOLERANCE && largest_motion(r, tw->y) < TMLI_NEAR_SINGULAR * clear)
            return true;
    }
    tmli_reduction_set_centre(r, tw);
    tmli_state_move(s, r->centre, d, x);
    s->ops->tangent(s->self, d, rate, x->u);
    x->t = t;
    return false;
}

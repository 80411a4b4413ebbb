// Dependent positions and velocities; equation numbers as in reduction.h.
//
// (2) is solved by Newton's method with a kept matrix B U: that of the centre, or, once the iteration was
// slow, one made at the increment where it was. The residual is Phi at the centre plus its change, computed
// without cancellation where the system can. (3) is linear; the kept matrix solves it approximately and the
// residual with the present B corrects that.
#include "reduction/internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_POSITION = 30, MAX_VELOCITY = 40 };
// A factorization costs some iterations: it is renewed if the iteration contracts worse than this.
static const double SLOW = 0.1;
// If positions took more iterations than this, velocities, which need B anyway, get a matrix of their own,
// from which the next place is found as well. (Tangent coordinates also have a null space to make; they go on
// with what there is.)
enum { MANY = 4 };
// Corrections [lengths or rad] that are round-off if they do not get smaller.
static const double NOISE = 1e-10;
// The same for velocities, relative to the speed: near singular positions B U enlarges the round-off of B u.
static const double STALLED = 1e-8;

// A place that is found this share [lengths or rad] of its clearance away from where it is expected is the
// right one: near a singular position the other branch is about as far away as that. Places with less
// clearance than UNCLEAR have velocities without digits.
static const double SURE = 0.01, UNCLEAR = 1e-3;

// Speeds [lengths or rad per duration of the run] that are rest: round-off is not measured by them.
static const double AT_REST = 1e-3;

static double largest(const tmli_reduction *r, const double *d)
{
    double most = 0;
    for (int j = 0; j < r->sys->n; j++) {
        const double size = fabs(d[j]) / tmli_reduction_coordinate_unit(r, j);
        if (!(size <= most)) most = size;  // NaN as well
    }
    return most;
}

void tmli_reduction_set_centre(const tmli_reduction *r, tmli_thread_work *l)
{
    const size_t n = (size_t)r->sys->n;
    memset(l->d, 0, n * sizeof *l->d);
    memset(l->v, 0, n * sizeof *l->v);
    memcpy(l->rate, r->centre->u, n * sizeof *l->rate);
    l->t = r->centre->t;
    l->renewed = false;
}

// ---- positions --------------------------------------------------------------------------------------------

// residual (m) = Phi(q0 (+) d, t); x->q is overwritten if the system can only subtract.
static tml_status residual(const tmli_reduction *r, tmli_thread_work *l, tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    tml_status st;
    if (s->ops->increment) {
        st = s->ops->increment(s->self, l->work, r->centre, l->d, x->t, l->residual, err);
        for (int i = 0; i < s->m; i++) l->residual[i] += r->phi[i];
    } else {
        s->ops->retract(s->self, r->centre->q, l->d, x->q);
        st = s->ops->residual(s->self, l->work, x, NULL, l->motion, l->residual, err);
    }
    return st;
}

// The increment to first order: from the centre, or from the last place if that is nearer.
static void predict(const tmli_reduction *r, tmli_thread_work *l, double t, const double *v)
{
    const tml_system *s = r->sys;
    double from_last = 0, from_centre = 0;
    for (int k = 0; k < r->dof; k++) {
        from_last = fmax(from_last, fabs(v[k] - l->v[k]));
        from_centre = fmax(from_centre, fabs(v[k]));
    }
    const bool last = from_last < from_centre;
    if (!last) memset(l->d, 0, (size_t)s->n * sizeof *l->d);
    for (int k = 0; k < r->dof; k++) {
        l->a[k] = last ? v[k] - l->v[k] : v[k];
        l->v[k] = v[k];
    }
    const double dt = t - (last ? l->t : r->centre->t);
    l->t = t;
    tmli_reduction_expand(r, l->a, l->y);
    tmli_reduction_rows_times(s, r->rows, l->y, l->residual);
    for (int i = 0; i < s->m; i++) l->residual[i] = r->nu[i] * dt - l->residual[i];
    tmli_reduction_constrain(r, l, false, l->residual, l->z);
    for (int j = 0; j < s->n; j++) l->d[j] += l->y[j] + l->z[j];
}

// A matrix made of l->rows, those of B at the increment d, for places near it: that of B T. T has a block per
// node, whose columns come out one by one.
static bool renew(const tmli_reduction *r, tmli_thread_work *l)
{
    const tml_system *s = r->sys;
    memcpy(l->scaled, l->rows, (size_t)s->rowptr[s->m] * sizeof *l->scaled);
    for (int local = 0, more = s->ops->tangent_rate != NULL; more; local++) {
        more = false;
        for (int j = 0, count = 0; j < s->n; j++) {
            count = j > 0 && s->node[j] == s->node[j - 1] ? count + 1 : 0;
            l->y[j] = count == local;
            more |= count == local;
        }
        if (!more) break;
        s->ops->tangent(s->self, l->d, l->y, l->z);
        for (int i = 0; i < s->m; i++)
            for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) {
                if (l->y[s->rowcol[k]] == 0) continue;
                double sum = 0;
                for (int e = s->rowptr[i]; e < s->rowptr[i + 1]; e++)
                    if (s->node[s->rowcol[e]] == s->node[s->rowcol[k]])
                        sum += l->rows[e] * l->z[s->rowcol[e]];
                l->scaled[k] = sum;
            }
    }
    tmli_reduction_scale_rows(r, l->scaled, l->scaled);
    return tmli_reduction_refactor(r, l, l->scaled);
}

static tml_status no_convergence(const tmli_reduction *r, double t, double size, tml_error *err)
{
    const tml_system *s = r->sys;
    return tmli_fail(
        err, TML_RETRY,
        "dependent positions cannot be found at t = %g s, %g s after the last step: they still change by %g "
        "lengths; a smaller step or better assembled joints are needed (%d coordinates, %d constraints)",
        t, t - r->centre->t, size, s->n, s->m);
}

// *count: iterations that it took.
static tml_status solve_positions(const tmli_reduction *r, tmli_thread_work *l, double t, const double *v,
                                  tml_state *x, int *count, tml_error *err)
{
    const tml_system *s = r->sys;
    double last = INFINITY, size = INFINITY;
    int renewals = 0;
    predict(r, l, t, v);
    for (int it = 0; it < MAX_POSITION; it++) {
        tml_status st = residual(r, l, x, err);
        if (st != TML_OK) return st;
        *count = it + 1;
        tmli_reduction_constrain(r, l, true, l->residual, l->z);
        size = largest(r, l->z);
        if (!(size < 10)) break;
        const double rate = last < INFINITY ? size / last : 1;
        // beyond a singular position a matrix from before it leads to the wrong branch: what it asks for is
        // not done
        const bool wrong = last < INFINITY && last >= NOISE && rate > 1 && renewals < 4;
        for (int j = 0; j < s->n && !wrong; j++) l->d[j] -= l->z[j];
        if (size < 4 * DBL_EPSILON || (rate < 1 && size * rate < DBL_EPSILON)) return TML_OK;
        if (rate > 0.5 && last < NOISE) return TML_OK;
        if (rate > SLOW && last < INFINITY && renewals < 4 && size > 1e-13) {
            renewals++;
            s->ops->retract(s->self, r->centre->q, l->d, x->q);
            st = s->ops->rows(s->self, l->work, x, l->rows, err);
            if (st != TML_OK) return st;
            if (!renew(r, l)) break;
            size = INFINITY;
        }
        last = size;
    }
    tmli_reduction_set_centre(r, l);  // what went wrong is no start
    return no_convergence(r, t, size, err);
}

// ---- velocities -------------------------------------------------------------------------------------------

// d' and x->u; x->q is in place. far: the matrix in use is not good here.
static tml_status solve_velocities(const tmli_reduction *r, tmli_thread_work *l, const double *vd, bool far,
                                   tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    tmli_reduction_expand(r, vd, l->rate);
    tmli_reduction_rows_times(s, r->rows, l->rate, l->residual);
    for (int i = 0; i < s->m; i++) l->residual[i] = r->nu[i] - l->residual[i];
    tmli_reduction_constrain(r, l, false, l->residual, l->z);
    for (int j = 0; j < s->n; j++) l->rate[j] += l->z[j];
    s->ops->tangent(s->self, l->d, l->rate, x->u);
    tml_status st = s->ops->velocity(s->self, l->work, x, l->residual, err);
    if (st == TML_OK) st = s->ops->rows(s->self, l->work, x, l->rows, err);
    if (st != TML_OK) return st;
    if (far && !renew(r, l)) l->renewed = false;
    const double speed = fmax(largest(r, l->rate), AT_REST / r->opt.duration);
    double last = INFINITY, size = INFINITY;
    for (int it = 0; it < MAX_VELOCITY; it++) {
        tmli_reduction_constrain(r, l, true, l->residual, l->z);
        size = largest(r, l->z);
        if (!(size < INFINITY) || (it > 3 && size > last)) break;
        for (int j = 0; j < s->n; j++) l->rate[j] -= l->z[j];
        s->ops->tangent(s->self, l->d, l->z, l->y);
        for (int j = 0; j < s->n; j++) x->u[j] -= l->y[j];
        if (size <= DBL_EPSILON * speed || (it > 0 && size * (size / last) <= DBL_EPSILON * speed))
            return TML_OK;
        for (int i = 0; i < s->m; i++)
            for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++)
                l->residual[i] -= l->rows[k] * l->y[s->rowcol[k]];
        last = size;
    }
    if (size <= STALLED * speed) return TML_OK;
    tmli_reduction_set_centre(r, l);  // the matrix of a place far away must not stay
    return tmli_fail(err, TML_RETRY,
                     "dependent velocities cannot be found at t = %g s, %g s after the last step: a smaller "
                     "step is needed",
                     x->t, x->t - r->centre->t);
}

tml_status tmli_reduction_solve_dependent_in(const tmli_reduction *r, tmli_thread_work *l, double t,
                                             const double *v, const double *vd, tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    int count = 0;
    x->t = t;
    if (s->m > 0) {
        const tml_status st = solve_positions(r, l, t, v, x, &count, err);
        if (st != TML_OK) return st;
    } else {
        memcpy(l->d, v, (size_t)s->n * sizeof *l->d);
    }
    s->ops->retract(s->self, r->centre->q, l->d, x->q);
    if (s->m > 0) return solve_velocities(r, l, vd, count > MANY && !r->tangent, x, err);
    memcpy(l->rate, vd, (size_t)s->n * sizeof *l->rate);
    s->ops->tangent(s->self, l->d, l->rate, x->u);
    return TML_OK;
}

tml_status tmli_reduction_solve_dependent(tmli_reduction *r, double t, const double *v, const double *vd,
                                          tml_state *x, tml_error *err)
{
    r->placed_centre = false;
    return tmli_reduction_solve_dependent_in(r, &r->lane, t, v, vd, x, err);
}

// d, rate, second (n) of a state near the centre, in its chart.
static void in_chart(const tmli_reduction *r, const tml_state *x, double *d, double *rate, double *second)
{
    const tml_system *s = r->sys;
    s->ops->local(s->self, r->centre->q, x->q, d);
    s->ops->tangent_inverse(s->self, d, x->u, rate);
    memcpy(second, x->udot, (size_t)s->n * sizeof *second);
    if (!s->ops->tangent_rate) return;
    double *turning = r->lane.motion;
    s->ops->tangent_rate(s->self, d, rate, turning);
    for (int j = 0; j < s->n; j++) turning[j] = x->udot[j] - turning[j];
    s->ops->tangent_inverse(s->self, d, turning, second);
}

void tmli_reduction_between(tmli_reduction *r, const tml_state *a, const tml_state *b, double theta,
                            double *d, double *rate)
{
    tmli_thread_work *l = &r->lane;
    const double h = b->t - a->t, o = theta, o2 = o * o, o3 = o2 * o, o4 = o2 * o2;
    // Hermite: the quintic with values, slopes and curvatures of both ends, and its derivative
    const double to_b = o3 * (10 + o * (6 * o - 15)), to_b1 = 30 * o2 * (1 + o * (o - 2)),
                 slope_a = o + o3 * (o * (8 - 3 * o) - 6), slope_a1 = 1 + o2 * (o * (32 - 15 * o) - 18),
                 slope_b = o3 * (o * (7 - 3 * o) - 4), slope_b1 = o2 * (o * (28 - 15 * o) - 12),
                 bend_a = (o2 - 3 * o3 + 3 * o4 - o4 * o) / 2, bend_a1 = o + (-9 * o2 + 12 * o3 - 5 * o4) / 2,
                 bend_b = (o3 - 2 * o4 + o4 * o) / 2, bend_b1 = (3 * o2 - 8 * o3 + 5 * o4) / 2;
    double *const end[3] = {l->y, l->z, l->s}, *const curve = l->rate;
    in_chart(r, a, d, rate, curve);
    in_chart(r, b, end[0], end[1], end[2]);
    for (int j = 0; j < r->sys->n; j++) {
        const double way = end[0][j] - d[j], ra = h * rate[j], rb = h * end[1][j], ca = h * h * curve[j],
                     cb = h * h * end[2][j];
        d[j] += to_b * way + slope_a * ra + slope_b * rb + bend_a * ca + bend_b * cb;
        rate[j] = (to_b1 * way + slope_a1 * ra + slope_b1 * rb + bend_a1 * ca + bend_b1 * cb) / h;
    }
}

// How far the place of l is from one where dependent positions are not determined; 1: as far as others. Long
// chains have matrices of large condition everywhere.
static double clearance(const tmli_reduction *r, tmli_thread_work *l)
{
    return l->renewed ? r->condition / tmli_columns_condition(&l->near, l->scaled) : 1;
}

// The place of l is said to be near d. anew: with a matrix made there.
static tml_status place_from(tmli_reduction *r, tmli_thread_work *l, double t, const double *v,
                             const double *vd, const double *d, bool anew, tml_state *x)
{
    const tml_system *s = r->sys;
    memcpy(l->d, d, (size_t)s->n * sizeof *d);
    tmli_reduction_extract(r, d, l->v);
    l->t = x->t = t;
    if (anew) {
        s->ops->retract(s->self, r->centre->q, d, x->q);
        const tml_status st = s->ops->rows(s->self, l->work, x, l->rows, NULL);
        if (st != TML_OK || !renew(r, l)) return TML_RETRY;
    }
    return tmli_reduction_solve_dependent(r, t, v, vd, x, NULL);
}

bool tmli_reduction_solve_dependent_near(tmli_reduction *r, double t, const double *v, const double *vd,
                                         const double *d, const double *rate, tml_state *x)
{
    const tml_system *s = r->sys;
    tmli_thread_work *l = &r->lane;
    if (s->m == 0) return tmli_reduction_solve_dependent(r, t, v, vd, x, NULL) == TML_OK;
    tml_status st = place_from(r, l, t, v, vd, d, false, x);
    if (st == TML_RETRY) st = place_from(r, l, t, v, vd, d, true, x);
    if (st == TML_OK) {
        for (int j = 0; j < s->n; j++) l->y[j] = l->d[j] - d[j];
        const double clear = clearance(r, l);
        if (clear >= UNCLEAR && largest(r, l->y) < SURE * clear) return true;
    }
    tmli_reduction_set_centre(r, l);
    s->ops->retract(s->self, r->centre->q, d, x->q);
    s->ops->tangent(s->self, d, rate, x->u);
    x->t = t;
    return false;
}

void tmli_reduction_locate(const tmli_reduction *r, const tml_state *x, double *v, double *vd)
{
    const tml_system *s = r->sys;
    const tmli_thread_work *l = &r->lane;
    s->ops->local(s->self, r->centre->q, x->q, l->y);
    s->ops->tangent_inverse(s->self, l->y, x->u, l->z);
    tmli_reduction_extract(r, l->y, v);
    tmli_reduction_extract(r, l->z, vd);
}

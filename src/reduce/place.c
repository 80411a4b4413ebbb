// Dependent positions and velocities; equation numbers as in reduction.h.
//
// (2) is solved by Newton's method with a kept matrix B U: that of the centre, or, once the iteration was slow, one made at
// the increment where it was. The residual is Phi at the centre plus its change, computed without cancellation where the
// system can. (3) is linear; the kept matrix solves it approximately and the residual with the present B corrects that.
#include "reduce/parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_POSITION = 30, MAX_VELOCITY = 40 };
// A factorization costs some iterations: it is renewed if the iteration contracts worse than this.
static const double SLOW = 0.1;
// If positions took more iterations than this, velocities, which need B anyway, get a matrix of their own, from which the next
// place is found as well. (Tangent coordinates also have a null space to make; they go on with what there is.)
enum { MANY = 4 };
// Corrections [lengths or rad] that are round-off if they do not get smaller.
static const double NOISE = 1e-10;
// The same for velocities, relative to the speed: near singular positions B U enlarges the round-off of B u.
static const double STALLED = 1e-8;

// Speeds [lengths or rad per duration of the run] that are rest: round-off is not measured by them.
static const double AT_REST = 1e-3;

static double largest(const tmli_reduction *r, const double *d)
{
    double most = 0;
    for (int j = 0; j < r->sys->n; j++) {
        const double size = fabs(d[j]) / tmli_reduce_size(r, j);
        if (!(size <= most)) most = size;  // NaN as well
    }
    return most;
}

void tmli_reduce_place_centre(const tmli_reduction *r, tmli_lane *l)
{
    const size_t n = (size_t)r->sys->n;
    memset(l->d, 0, n * sizeof *l->d);
    memset(l->v, 0, n * sizeof *l->v);
    memcpy(l->rate, r->centre->u, n * sizeof *l->rate);
    l->t = r->centre->t;
    l->renewed = false;
}

// ---- positions -----------------------------------------------------------------------------------------------------------

// residual (m) = Phi(q0 (+) d, t); x->q is overwritten if the system can only subtract.
static tml_status residual(const tmli_reduction *r, tmli_lane *l, tml_state *x, tml_error *err)
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
static void predict(const tmli_reduction *r, tmli_lane *l, double t, const double *v)
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
    tmli_reduce_expand(r, l->a, l->y);
    tmli_reduce_rows_times(s, r->rows, l->y, l->residual);
    for (int i = 0; i < s->m; i++) l->residual[i] = r->nu[i] * dt - l->residual[i];
    tmli_reduce_constrain(r, l, false, l->residual, l->z);
    for (int j = 0; j < s->n; j++) l->d[j] += l->y[j] + l->z[j];
}

// A matrix made of l->rows, those of B at the increment d, for places near it: that of B T. T has a block per node, whose
// columns come out one by one.
static bool renew(const tmli_reduction *r, tmli_lane *l)
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
    tmli_reduce_scale_rows(r, l->scaled, l->scaled);
    return tmli_reduce_renew(r, l, l->scaled);
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
static tml_status solve_positions(const tmli_reduction *r, tmli_lane *l, double t, const double *v,
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
        tmli_reduce_constrain(r, l, true, l->residual, l->z);
        size = largest(r, l->z);
        if (!(size < 10)) break;
        const double rate = last < INFINITY ? size / last : 1;
        // beyond a singular position a matrix from before it leads to the wrong branch: what it asks for is not done
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
    tmli_reduce_place_centre(r, l);  // what went wrong is no start
    return no_convergence(r, t, size, err);
}

// ---- velocities ----------------------------------------------------------------------------------------------------------

// d' and x->u; x->q is in place. far: the matrix in use is not good here.
static tml_status solve_velocities(const tmli_reduction *r, tmli_lane *l, const double *vd, bool far,
                                   tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    tmli_reduce_expand(r, vd, l->rate);
    tmli_reduce_rows_times(s, r->rows, l->rate, l->residual);
    for (int i = 0; i < s->m; i++) l->residual[i] = r->nu[i] - l->residual[i];
    tmli_reduce_constrain(r, l, false, l->residual, l->z);
    for (int j = 0; j < s->n; j++) l->rate[j] += l->z[j];
    s->ops->tangent(s->self, l->d, l->rate, x->u);
    tml_status st = s->ops->velocity(s->self, l->work, x, l->residual, err);
    if (st == TML_OK) st = s->ops->rows(s->self, l->work, x, l->rows, err);
    if (st != TML_OK) return st;
    if (far && !renew(r, l)) l->renewed = false;
    const double speed = fmax(largest(r, l->rate), AT_REST / r->opt.duration);
    double last = INFINITY, size = INFINITY;
    for (int it = 0; it < MAX_VELOCITY; it++) {
        tmli_reduce_constrain(r, l, true, l->residual, l->z);
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
    tmli_reduce_place_centre(r, l);  // the matrix of a place far away must not stay
    return tmli_fail(
        err,
        TML_RETRY, "dependent velocities cannot be found at t = %g s, %g s after the last step: a smaller step is needed",
        x->t, x->t - r->centre->t);
}

tml_status tmli_reduce_place(const tmli_reduction *r, tmli_lane *l, double t, const double *v,
                             const double *vd, tml_state *x, tml_error *err)
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

tml_status tmli_reduction_place(tmli_reduction *r, double t, const double *v, const double *vd, tml_state *x,
                                tml_error *err)
{
    r->placed_centre = false;
    return tmli_reduce_place(r, &r->lane, t, v, vd, x, err);
}

void tmli_reduction_between(tmli_reduction *r, const tml_state *a, const tml_state *b, double theta)
{
    const tml_system *s = r->sys;
    tmli_lane *l = &r->lane;
    const double h = b->t - a->t, t2 = theta * theta, t3 = t2 * theta;
    s->ops->local(s->self, r->centre->q, a->q, l->d);
    s->ops->tangent_inverse(s->self, l->d, a->u, l->rate);
    s->ops->local(s->self, r->centre->q, b->q, l->y);
    s->ops->tangent_inverse(s->self, l->y, b->u, l->z);
    for (int j = 0; j < s->n; j++)
        l->d[j] += (3 * t2 - 2 * t3) * (l->y[j] - l->d[j]) +
                   h * ((theta - 2 * t2 + t3) * l->rate[j] + (t3 - t2) * l->z[j]);
    tmli_reduce_extract(r, l->d, l->v);
    l->t = a->t + theta * h;
}

void tmli_reduction_locate(const tmli_reduction *r, const tml_state *x, double *v, double *vd)
{
    const tml_system *s = r->sys;
    const tmli_lane *l = &r->lane;
    s->ops->local(s->self, r->centre->q, x->q, l->y);
    s->ops->tangent_inverse(s->self, l->y, x->u, l->z);
    tmli_reduce_extract(r, l->y, v);
    tmli_reduce_extract(r, l->z, vd);
}

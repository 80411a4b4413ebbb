// The path of equilibria under growing loads, by pseudo-arclength continuation.
//
// On the path (2) of equilibrium.h the tangent is (v, 1) with K v = -R0, and a correction (d, ds) stays in
// the plane across it:
//   d = d1 + ds v,   tau.(x - x_k, s - s_k) + tau.(d, ds) = arc                                           (2)
#include "analysis/statics/search.h"

#include <math.h>
#include <string.h>

#include "analysis/statics/constants.h"

// v = change of the configuration with the load.
static void tangent(tmli_search *a)
{
    const tml_system *s = a->sys;
    for (int j = 0; j < s->n; j++) a->v[j] = -a->R0[j];
    memset(a->v + s->n, 0, (size_t)s->m * sizeof(double));
    tmli_search_solve(a, a->v);
}

static double product(const tmli_search *a, const double *x, const double *y)
{
    double sum = 0;
    for (int j = 0; j < a->sys->n; j++) sum += x[j] * y[j] / (a->unit[j] * a->unit[j]);
    return sum / a->sys->n;
}

// One load step from a->from, s_k along tau: the corrector of (2). *load: in: predicted, out: found.
static tmli_outcome correct(tmli_search *a, double start, double arc, tml_state *x, double *load, int *used,
                            tml_error *err)
{
    const tml_system *s = a->sys;
    const double accuracy = CONVERGED_CORRECTION * fmin(1, arc * tmli_search_largest(a, a->tau));
    double last[2] = {INFINITY, INFINITY};
    for (int i = 0; i < MAX_CORRECTIONS; i++) {
        if (tmli_search_residual(a, x, err) != TML_OK) return TMLI_DIVERGED;
        if (tmli_search_factor(a, x, 0, err) != TML_OK) return TMLI_DIVERGED;
        tmli_search_correction(a, *load);
        tangent(a);
        a->out->iterations++;
        *used = i + 1;
        s->ops->local(s->self, a->from->q, x->q, a->way);
        for (int j = s->n - s->nz; j < s->n; j++) a->way[j] = x->u[j] - a->from->u[j];
        const double plane = product(a, a->tau, a->way) + a->tau_s * (*load - start) - arc;
        const double ds = -(plane + product(a, a->tau, a->d)) / (a->tau_s + product(a, a->tau, a->v));
        for (int j = 0; j < s->n + s->m; j++) a->d[j] += ds * a->v[j];
        const tmli_outcome found = tmli_search_judge(a, tmli_search_largest(a, a->d), accuracy, *load, last);
        if (found == TMLI_DIVERGED) return found;
        tmli_search_move(a, a->d, x);
        *load += ds;
        if (found == TMLI_CONVERGED) return found;
    }
    return TMLI_DIVERGED;
}

// tau_s of the tangent v, which goes the way of tau.
static double slope_of(const tmli_search *a, double *sign)
{
    *sign = product(a, a->v, a->tau) + a->tau_s < 0 ? -1 : 1;
    return *sign / sqrt(product(a, a->v, a->v) + 1);
}

static void set_direction(tmli_search *a, bool first)
{
    const size_t size = (size_t)(a->sys->n + a->sys->m);
    double sign = 1, slope = first ? 1 / sqrt(product(a, a->v, a->v) + 1) : slope_of(a, &sign);
    memcpy(a->tau_last, a->tau, size * sizeof(double));
    a->tau_s_last = a->tau_s;
    for (size_t j = 0; j < size; j++) a->tau[j] = slope * a->v[j];
    a->tau_s = slope;
}

static void exchange_directions(tmli_search *a)
{
    double *const tau = a->tau, tau_s = a->tau_s;
    a->tau = a->tau_last;
    a->tau_last = tau;
    a->tau_s = a->tau_s_last;
    a->tau_s_last = tau_s;
}

// Whether the path at x, a step of the length `arc` after a->from, still goes about the way of tau: its
// tangent, and the chord of the step. If not, the step was too long to follow it, or has reached another
// path.
static bool keeps_direction(tmli_search *a, const tml_state *x, double change, double arc, tml_error *err)
{
    const tml_system *s = a->sys;
    s->ops->local(s->self, a->from->q, x->q, a->d);
    for (int j = s->n - s->nz; j < s->n; j++) a->d[j] = x->u[j] - a->from->u[j];
    const double moved = product(a, a->d, a->d);
    a->cosine = arc / sqrt(moved + change * change);  // of half the angle
    a->cosine = 2 * a->cosine * a->cosine - 1;
    // where the load dominates the length of the arc, the way of the coordinates on their own
    for (int j = 0; j < s->n; j++) a->d[j] -= arc * a->tau[j];
    if (product(a, a->d, a->d) > LARGEST_DEVIATION * LARGEST_DEVIATION * moved) a->cosine = 0;
    if (tmli_search_factor(a, x, 0, err) == TML_OK) {  // else x is a limit point
        tangent(a);
        const double norm = sqrt(product(a, a->v, a->v) + 1);
        a->cosine = fmin(a->cosine, fabs(product(a, a->v, a->tau) + a->tau_s) / norm);
    }
    return a->cosine > LEAST_COSINE;
}

// A step of the length `arc` from a->from. *load: in: there, out: at x.
static tmli_outcome take_step(tmli_search *a, double arc, tml_state *x, double *load, int *used,
                              tml_error *err)
{
    const double start = *load;
    tml_state_copy(x, a->from);
    for (int j = 0; j < a->sys->n + a->sys->m; j++) a->d[j] = arc * a->tau[j];
    tmli_search_move(a, a->d, x);
    *load += arc * a->tau_s;
    return correct(a, start, arc, x, load, used, err);
}

// Load at the limit point within the last step, of the length `arc` from a->from at `start` to `end`: where
// tau_s = 0, by the secant method with bisection. tau and tau_last are the directions after and before it.
static double find_limit_load(tmli_search *a, double start, double end, double arc, tml_error *err)
{
    double at[2] = {0, arc}, slope[2] = {a->tau_s_last, a->tau_s}, load = end;
    exchange_directions(a);
    for (int i = 0; i < LIMIT_POINT_TRIALS; i++) {
        double t = at[0] + (at[1] - at[0]) * slope[0] / (slope[0] - slope[1]), sign, found = start;
        int used;
        if (i % 3 == 2) t = (at[0] + at[1]) / 2;
        if (take_step(a, t, a->trial, &found, &used, err) != TMLI_CONVERGED ||
            tmli_search_factor(a, a->trial, 0, err) != TML_OK)
            break;
        tangent(a);
        const double here = slope_of(a, &sign);
        load = found;
        const int side = here * slope[0] > 0 ? 0 : 1;
        at[side] = t;
        slope[side] = here;
        if (fabs(here) < LIMIT_POINT_SLOPE * fabs(a->tau_s)) break;
    }
    exchange_directions(a);
    return load;
}

static void add_limit_point(tmli_search *a, double load)
{
    tmli_equilibrium *e = a->out;
    if (e->limit_points < TMLI_LIMIT_LOADS) e->limit_load[e->limit_points] = load;
    e->limit_points++;
}

tml_status tmli_search_follow_loads(tmli_search *a, tml_state *x, tmli_equilibrium_step *on_step, void *user,
                                    bool *began, tml_error *err)
{
    const tml_system *s = a->sys;
    double load = 0, arc = 0, first_arc = 0, load_before = 0, arc_before = 0;
    *began = false;
    for (a->out->steps = 0; a->out->steps < MAX_STEPS; a->out->steps++) {
        tml_status st = tmli_search_residual(a, x, err);
        if (st != TML_OK) return st;
        const bool singular = tmli_search_factor(a, x, 0, err) != TML_OK;
        if (!singular) tangent(a);
        if (!*began && (singular || !(tmli_search_largest(a, a->v) < 1e6))) return TML_OK;
        if (!singular) set_direction(a, !*began);
        if (*began && !singular && a->tau_s * a->tau_s_last < 0) {
            add_limit_point(a, find_limit_load(a, load_before, load, arc_before, err));
            st = tmli_search_residual(a, x, err);
            if (st != TML_OK) return st;
        }
        if (!*began) {  // the whole load at once, if that moves little
            const double most = tmli_search_largest(a, a->tau);
            arc = first_arc = fmin(1 / a->tau_s, most > 0 ? FIRST_PREDICTION / most : INFINITY);
        }
        *began = true;
        tml_state_copy(a->from, x);
        tmli_outcome found = TMLI_DIVERGED;
        double next = load;
        int used = 0;
        while (arc > SMALLEST_ARC * first_arc) {
            arc = fmin(arc, LARGEST_PREDICTION / fmax(tmli_search_largest(a, a->tau), 1e-300));
            if (a->tau_s > 0 && load + arc * a->tau_s > 1) arc = (1 - load) / a->tau_s;  // not beyond the end
            next = load;
            found = take_step(a, arc, x, &next, &used, err);
            if (found == TMLI_CONVERGED && keeps_direction(a, x, next - load, arc, err)) break;
            found = TMLI_DIVERGED;
            arc /= 3;
        }
        if (found != TMLI_CONVERGED) {
            tml_state_copy(x, a->from);
            return tmli_fail(err, TML_ERR_STEP,
                             "no %s beyond %.4g of the loads: the path of equilibria cannot be followed "
                             "further",
                             a->wanted, load);
        }
        if (s->ops->accept) s->ops->accept(s->self, a->work, x);
        const bool end = (load - 1) * (next - 1) <= 0 || fabs(next - 1) < END_OF_LOADS;
        load_before = load;
        arc_before = arc;
        load = next;
        if (on_step) on_step(load, x, user);
        if (end) return TML_OK;
        const double turn = acos(fmin(fmax(a->cosine, -1), 1));
        arc *= fmin(2, fmax(0.4, fmin(sqrt((double)WANTED_CORRECTIONS / used), WANTED_TURN / turn)));
    }
    return tmli_fail(err, TML_ERR_STEP, "no %s found in %d load steps; the last one has %.4g of the loads",
                     a->wanted, MAX_STEPS, load);
}

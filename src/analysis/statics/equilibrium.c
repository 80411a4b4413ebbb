// Equilibrium by pseudo-arclength continuation of the loads, or by relaxation.
//
// The linear equations in units of the model (lengths, rad) are
//   [ K + mu M    B' ] [ d  ]     [ (1 - s) R0 - R ]
//   [ B          -e  ] [ dl ] = - [ Phi            ]        K = -df/dq + (B'lambda)_q                     (1)
// where columns of first-order states hold -df/dz instead. On the path (2) of equilibrium.h the tangent is
// (v, 1) with K v = -R0, and a correction (d, ds) stays in the plane across it:
//   d = d1 + ds v,   tau.(x - x_k, s - s_k) + tau.(d, ds) = arc                                           (2)
#include "analysis/statics/equilibrium.h"
#include "base/tolerances.h"
#include "linalg/pattern/pattern.h"
#include "system/state/move.h"

#include <math.h>
#include <string.h>

#include "analysis/statics/constants.h"

typedef struct statics {
    const tml_system *sys;
    const tmli_spin *spin;  // NULL: at rest
    void *lin, *work;
    double *values, *extra, *mass;   // (nnz) the matrix, D, and M of steady rotation
    double *R0, *motion, *phi;       // (n), (n), (m)
    double *d, *v, *tau, *tau_last;  // (n + m) correction, tangent; tau: of the path, with tau_s
    double tau_s, tau_s_last;        // _last: at the point before
    double cosine;                   // of the angle between the path before and after the last step
    double *unit, *r;                // (n) of coordinates, (m) of rows
    double stiffness;                // largest entry of K in units
    double force;                    // largest force in units, of R0 and of the multipliers
    tml_state *from;                 // last point of the path
    tml_state *trial;                // a point near a limit point
    int32_t *diagonal;               // (n + m)
    tmli_equilibrium *out;
} statics;

static void clear(statics *a)
{
    const tml_env *env = &a->sys->env;
    if (a->lin) tml_linsolver_klu.destroy(a->lin);
    if (a->work) a->sys->ops->destroy_work(a->work);
    tml_state_destroy(a->from, a->sys);
    tml_state_destroy(a->trial, a->sys);
    tmli_free(env, a->values);
    tmli_free(env, a->diagonal);
}

static tml_status prepare(statics *a, const tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m, nnz = (size_t)tmli_pattern_nnz(s->pattern);
    a->values = tmli_calloc(&s->env, 3 * nnz + 3 * n + 2 * m + 4 * (n + m) + 1, sizeof(double));
    a->diagonal = tmli_calloc(&s->env, n + m + 1, sizeof *a->diagonal);
    a->work = s->ops->create_work(s->self, &s->env);
    if (!a->values || !a->diagonal || !a->work) return tmli_no_memory(err, "statics");
    a->extra = a->values + nnz;
    a->mass = a->extra + nnz;
    a->R0 = a->mass + nnz;
    a->motion = a->R0 + n;
    a->unit = a->motion + n;
    a->phi = a->unit + n;
    a->r = a->phi + m;
    a->d = a->r + m;
    a->v = a->d + n + m;
    a->tau = a->v + n + m;
    a->tau_last = a->tau + n + m;
    for (int i = 0; i < s->n + s->m; i++) a->diagonal[i] = tmli_pattern_find(s->pattern, i, i);
    for (int j = 0; j < s->n; j++) a->unit[j] = s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1;
    tml_status st = tml_state_create(s, &a->from, err);
    if (st == TML_OK) st = tml_state_create(s, &a->trial, err);
    if (st == TML_OK) st = tml_linsolver_klu.create(s->pattern, &s->env, &a->lin, err);
    // r: inverse of the change of a row if its coordinates move by a unit
    double *const rows = a->extra;
    if (st == TML_OK) st = s->ops->rows(s->self, a->work, x, rows, err);
    for (int i = 0; i < s->m && st == TML_OK; i++) {
        double largest = 0;
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++)
            largest = fmax(largest, fabs(rows[k]) * a->unit[s->rowcol[k]]);
        a->r[i] = largest > 0 ? 1 / largest : 1;
    }
    return st;
}

static bool is_state(const statics *a, int j) { return j >= a->sys->n - a->sys->nz; }

// The matrix of (1), factored. mu: factor of the mass matrix.
static tml_status factor(statics *a, const tml_state *x, double mu, tml_error *err)
{
    const tml_system *s = a->sys;
    const tml_pattern *p = s->pattern;
    const tml_assembly stiff = {.cm = mu, .ck = 1, .r = a->r}, damping = {.cd = 1};
    tml_status st = s->ops->assemble(s->self, a->work, x, &stiff, a->values, err);
    if (st == TML_OK && (s->nz > 0 || a->spin))
        st = s->ops->assemble(s->self, a->work, x, &damping, a->extra, err);
    if (st == TML_OK && a->spin) {
        st = s->ops->assemble(s->self, a->work, x, &(tml_assembly){.cm = 1}, a->mass, err);
        tmli_spin_tangent(a->spin, x, a->mass, a->extra, a->values);
    }
    if (st != TML_OK) return st;
    a->stiffness = 0;
    for (int j = 0; j < s->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int i = p->rowind[k];
            if (i < s->n) {
                if (is_state(a, j)) a->values[k] = a->extra[k] + mu * (i == j);
                a->values[k] *= a->unit[i] * a->unit[j];
                a->stiffness = fmax(a->stiffness, fabs(a->values[k]));
            } else {
                a->values[k] *= a->unit[j];
            }
        }
    if (!(a->stiffness > 0)) a->stiffness = 1;
    for (int j = 0; j < s->n + s->m; j++)  // rows and columns of multipliers in the size of the stiffness
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int i = p->rowind[k];
            if (j >= s->n && i < s->n) a->values[k] *= a->unit[i];
            if ((i < s->n) != (j < s->n)) a->values[k] *= a->stiffness;
        }
    for (int i = 0; i < s->m; i++)
        a->values[a->diagonal[s->n + i]] -= MULTIPLIER_REGULARIZATION * a->stiffness;
    return tml_linsolver_klu.factor(a->lin, a->values, err);
}

// motion, phi at x. u and udot of x are those of rest or of steady rotation, first-order states aside.
static tml_status residual(statics *a, tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    if (a->spin) tmli_spin_apply(a->spin, x);
    const tml_status st = s->ops->residual(s->self, a->work, x, NULL, a->motion, a->phi, err);
    for (int i = 0; i < s->m && s->level; i++)
        if (s->level[i] == TML_LEVEL_VELOCITY) a->phi[i] = 0;
    a->force = 0;
    for (int j = 0; j < s->n; j++) a->force = fmax(a->force, fabs(a->R0[j]) * a->unit[j]);
    for (int i = 0; i < s->m; i++) a->force = fmax(a->force, fabs(x->lambda[i]) / a->r[i]);
    return st;
}

// Solve (1) for the right-hand side (motion, phi) in out, which becomes (d, dlambda).
static void solve(statics *a, double *out)
{
    const tml_system *s = a->sys;
    for (int j = 0; j < s->n; j++) out[j] *= a->unit[j];
    for (int i = 0; i < s->m; i++) out[s->n + i] *= a->r[i] * a->stiffness;
    tml_linsolver_klu.solve(a->lin, out);
    for (int j = 0; j < s->n; j++) out[j] *= a->unit[j];
    for (int i = 0; i < s->m; i++) out[s->n + i] *= a->r[i] * a->stiffness;
}

// d = correction at the load s.
static void correction(statics *a, double load)
{
    const tml_system *s = a->sys;
    for (int j = 0; j < s->n; j++) a->d[j] = (1 - load) * a->R0[j] - a->motion[j];
    for (int i = 0; i < s->m; i++) a->d[s->n + i] = -a->phi[i];
    solve(a, a->d);
}

// v = change of the configuration with the load.
static void tangent(statics *a)
{
    const tml_system *s = a->sys;
    for (int j = 0; j < s->n; j++) a->v[j] = -a->R0[j];
    memset(a->v + s->n, 0, (size_t)s->m * sizeof(double));
    solve(a, a->v);
}

static double largest(const statics *a, const double *d)
{
    double most = 0;
    for (int j = 0; j < a->sys->n; j++)
        if (!(fabs(d[j]) / a->unit[j] <= most)) most = fabs(d[j]) / a->unit[j];  // NaN counts
    return most;
}

static double product(const statics *a, const double *x, const double *y)
{
    double sum = 0;
    for (int j = 0; j < a->sys->n; j++) sum += x[j] * y[j] / (a->unit[j] * a->unit[j]);
    return sum / a->sys->n;
}

// x moves by (d, dlambda).
static void move(statics *a, const double *d, tml_state *x)
{
    const tml_system *s = a->sys;
    for (int j = s->n - s->nz; j < s->n; j++) x->u[j] += d[j];
    tmli_state_move(s, x, d, x);
    for (int i = 0; i < s->m; i++) x->lambda[i] += d[s->n + i];
}

// Largest force in units that is not balanced at the load s.
static double imbalance(const statics *a, double load)
{
    double most = 0;
    for (int j = 0; j < a->sys->n; j++)
        most = fmax(most, fabs(a->motion[j] - (1 - load) * a->R0[j]) * a->unit[j]);
    for (int i = 0; i < a->sys->m; i++) most = fmax(most, fabs(a->phi[i]) * a->r[i] * a->stiffness);
    return most;
}

typedef enum outcome { CONVERGED, DIVERGED, FAILED } outcome;

// Whether corrections end here: they are at round-off, or so small that they no longer decrease.
static bool has_converged(double size, double before)
{
    return size < 1e-13 || (size < CONVERGED_CORRECTION && size > before / 4);
}

// Newton's method at the load s = 1.
static outcome newton(statics *a, tml_state *x, tml_error *err)
{
    double before = INFINITY;
    for (int i = 0; i < 2 * MAX_CORRECTIONS; i++) {
        if (residual(a, x, err) != TML_OK || factor(a, x, 0, err) != TML_OK) return FAILED;
        correction(a, 1);
        a->out->iterations++;
        const double size = largest(a, a->d);
        if (!(size < 2) || (i > 2 && size > 2 * before)) return DIVERGED;
        move(a, a->d, x);
        if (has_converged(size, before)) return residual(a, x, err) == TML_OK ? CONVERGED : FAILED;
        before = size;
    }
    return DIVERGED;
}

// One load step from a->from, s_k along tau: the corrector of (2). *load: in: predicted, out: found.
static outcome correct(statics *a, double start, double arc, tml_state *x, double *load, int *used,
                       tml_error *err)
{
    const tml_system *s = a->sys;
    double before = INFINITY;
    for (int i = 0; i < MAX_CORRECTIONS; i++) {
        if (residual(a, x, err) != TML_OK) return DIVERGED;
        if (factor(a, x, 0, err) != TML_OK) return DIVERGED;
        correction(a, *load);
        tangent(a);
        a->out->iterations++;
        *used = i + 1;
        s->ops->local(s->self, a->from->q, x->q, a->motion);  // motion is free until the next residual
        for (int j = s->n - s->nz; j < s->n; j++) a->motion[j] = x->u[j] - a->from->u[j];
        const double plane = product(a, a->tau, a->motion) + a->tau_s * (*load - start) - arc;
        const double ds = -(plane + product(a, a->tau, a->d)) / (a->tau_s + product(a, a->tau, a->v));
        for (int j = 0; j < s->n + s->m; j++) a->d[j] += ds * a->v[j];
        const double size = largest(a, a->d);
        if (!(size < 2) || (i > 1 && size > 2 * before)) return DIVERGED;
        move(a, a->d, x);
        *load += ds;
        if (has_converged(size, before)) return CONVERGED;
        before = size;
    }
    return DIVERGED;
}

// tau_s of the tangent v, which goes the way of tau.
static double slope_of(const statics *a, double *sign)
{
    *sign = product(a, a->v, a->tau) + a->tau_s < 0 ? -1 : 1;
    return *sign / sqrt(product(a, a->v, a->v) + 1);
}

static void set_direction(statics *a, bool first)
{
    const size_t size = (size_t)(a->sys->n + a->sys->m);
    double sign = 1, slope = first ? 1 / sqrt(product(a, a->v, a->v) + 1) : slope_of(a, &sign);
    memcpy(a->tau_last, a->tau, size * sizeof(double));
    a->tau_s_last = a->tau_s;
    for (size_t j = 0; j < size; j++) a->tau[j] = slope * a->v[j];
    a->tau_s = slope;
}

static void exchange_directions(statics *a)
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
static bool keeps_direction(statics *a, const tml_state *x, double change, double arc, tml_error *err)
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
    if (factor(a, x, 0, err) == TML_OK) {  // else x is a limit point
        tangent(a);
        const double norm = sqrt(product(a, a->v, a->v) + 1);
        a->cosine = fmin(a->cosine, fabs(product(a, a->v, a->tau) + a->tau_s) / norm);
    }
    return a->cosine > LEAST_COSINE;
}

// A step of the length `arc` from a->from. *load: in: there, out: at x.
static outcome take_step(statics *a, double arc, tml_state *x, double *load, int *used, tml_error *err)
{
    const double start = *load;
    tml_state_copy(x, a->from);
    for (int j = 0; j < a->sys->n + a->sys->m; j++) a->d[j] = arc * a->tau[j];
    move(a, a->d, x);
    *load += arc * a->tau_s;
    return correct(a, start, arc, x, load, used, err);
}

// Load at the limit point within the last step, of the length `arc` from a->from at `start` to `end`: where
// tau_s = 0, by the secant method with bisection. tau and tau_last are the directions after and before it.
static double find_limit_load(statics *a, double start, double end, double arc, tml_error *err)
{
    double at[2] = {0, arc}, slope[2] = {a->tau_s_last, a->tau_s}, load = end;
    exchange_directions(a);
    for (int i = 0; i < LIMIT_POINT_TRIALS; i++) {
        double t = at[0] + (at[1] - at[0]) * slope[0] / (slope[0] - slope[1]), sign, found = start;
        int used;
        if (i % 3 == 2) t = (at[0] + at[1]) / 2;
        if (take_step(a, t, a->trial, &found, &used, err) != CONVERGED ||
            factor(a, a->trial, 0, err) != TML_OK)
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

static void add_limit_point(statics *a, double load)
{
    tmli_equilibrium *e = a->out;
    if (e->limit_points < TMLI_LIMIT_LOADS) e->limit_load[e->limit_points] = load;
    e->limit_points++;
}

// Follow (2) to s = 1. *began: false if there is no stiffness at the start.
static tml_status follow_loads(statics *a, tml_state *x, tmli_equilibrium_step *on_step, void *user,
                               bool *began, tml_error *err)
{
    const tml_system *s = a->sys;
    double load = 0, arc = 0, first_arc = 0, load_before = 0, arc_before = 0;
    *began = false;
    for (a->out->steps = 0; a->out->steps < MAX_STEPS; a->out->steps++) {
        tml_status st = residual(a, x, err);
        if (st != TML_OK) return st;
        const bool singular = factor(a, x, 0, err) != TML_OK;
        if (!singular) tangent(a);
        if (!*began && (singular || !(largest(a, a->v) < 1e6))) return TML_OK;
        if (!singular) set_direction(a, !*began);
        if (*began && !singular && a->tau_s * a->tau_s_last < 0) {
            add_limit_point(a, find_limit_load(a, load_before, load, arc_before, err));
            st = residual(a, x, err);
            if (st != TML_OK) return st;
        }
        if (!*began) {  // the whole load at once, if that moves little
            const double most = largest(a, a->tau);
            arc = first_arc = fmin(1 / a->tau_s, most > 0 ? FIRST_PREDICTION / most : INFINITY);
        }
        *began = true;
        tml_state_copy(a->from, x);
        outcome found = DIVERGED;
        double next = load;
        int used = 0;
        while (arc > SMALLEST_ARC * first_arc) {
            arc = fmin(arc, LARGEST_PREDICTION / fmax(largest(a, a->tau), 1e-300));
            if (a->tau_s > 0 && load + arc * a->tau_s > 1) arc = (1 - load) / a->tau_s;  // not beyond the end
            next = load;
            found = take_step(a, arc, x, &next, &used, err);
            if (found == CONVERGED && keeps_direction(a, x, next - load, arc, err)) break;
            found = DIVERGED;
            arc /= 3;
        }
        if (found != CONVERGED) {
            tml_state_copy(x, a->from);
            return tmli_fail(
                err, TML_ERR_STEP,
                "no equilibrium beyond %.4g of the loads: the path of equilibria cannot be followed "
                "further",
                load);
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
    return tmli_fail(err, TML_ERR_STEP,
                     "no equilibrium found in %d load steps; the last one has %.4g of the loads", MAX_STEPS,
                     load);
}

// Largest |entry| of the mass matrix in units.
static tml_status mass_size(statics *a, const tml_state *x, double *out, tml_error *err)
{
    const tml_system *s = a->sys;
    const tml_pattern *p = s->pattern;
    const tml_assembly mass = {.cm = 1};
    const tml_status st = s->ops->assemble(s->self, a->work, x, &mass, a->values, err);
    *out = 0;
    for (int j = 0; j < s->n && st == TML_OK; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if (p->rowind[k] < s->n)
                *out = fmax(*out, fabs(a->values[k]) * a->unit[j] * a->unit[p->rowind[k]]);
    return st;
}

// Steps of (1) with growing pseudo-time 1/mu.
static tml_status relax(statics *a, tml_state *x, tml_error *err)
{
    double mass, mu, before = INFINITY;
    tml_status st = mass_size(a, x, &mass, err);
    if (st == TML_OK) st = residual(a, x, err);
    if (st != TML_OK) return st;
    if (!(mass > 0)) mass = 1;
    mu = fmax(a->force, 1e-300) / (LARGEST_PREDICTION / 4 * mass);
    const double first = mu;
    a->out->relaxed = true;
    for (a->out->steps = 0; a->out->steps < MAX_STEPS; a->out->steps++) {
        st = residual(a, x, err);
        if (st == TML_OK && factor(a, x, mu, err) != TML_OK) {
            mu *= RELAXATION_GROWTH;
            continue;
        }
        if (st != TML_OK) return st;
        correction(a, 1);
        a->out->iterations++;
        const double size = largest(a, a->d);
        if (!(size < LARGEST_PREDICTION / 2)) {
            mu *= RELAXATION_GROWTH;
            continue;
        }
        const double drive = mu * size;  // the force along the free motion, over mass
        move(a, a->d, x);
        if (size < 1e-13 || (size < CONVERGED_CORRECTION && mu < 1e-9 * first)) return TML_OK;
        mu *= drive < before ? RELAXATION_DECAY : 2;
        mu = fmax(mu, 1e-12 * first);
        before = drive;
    }
    return tmli_fail(err, TML_ERR_STEP, "no equilibrium found in %d steps of relaxation", MAX_STEPS);
}

tml_status tmli_equilibrium_find(const tml_system *sys, tml_state *x, const tmli_spin *spin,
                                 tmli_equilibrium_step *on_step, void *user, tmli_equilibrium *out,
                                 tml_error *err)
{
    statics a = {.sys = sys, .spin = spin, .out = out};
    tml_state *start = NULL;
    *out = (tmli_equilibrium){0};
    const int moving = sys->n - sys->nz;
    if (!spin) memset(x->u, 0, (size_t)moving * sizeof(double));
    memset(x->udot, 0, (size_t)sys->n * sizeof(double));
    memset(x->lambda, 0, (size_t)sys->m * sizeof(double));
    tml_status st = prepare(&a, x, err);
    if (st == TML_OK) st = tml_state_create(sys, &start, err);
    if (st == TML_OK) st = residual(&a, x, err);
    if (st == TML_OK) {
        tml_state_copy(start, x);
        memcpy(a.R0, a.motion, (size_t)sys->n * sizeof(double));
        bool began = false;
        st = follow_loads(&a, x, on_step, user, &began, err);
        if (st == TML_ERR_STEP || (st == TML_OK && !began)) {  // relaxation, from the start again
            const tmli_equilibrium path = *out;
            tml_state_copy(x, start);
            const tml_status relaxed = relax(&a, x, began ? NULL : err);
            if (!began || relaxed == TML_OK) st = relaxed;
            else *out = path;
        }
    }
    if (st == TML_OK) {
        tml_state_copy(a.from, x);
        if (newton(&a, x, NULL) != CONVERGED) {  // some motion has no stiffness
            out->neutral = true;
            tml_state_copy(x, a.from);
            st = residual(&a, x, err);
        }
    }
    if (st == TML_OK) {
        if (sys->ops->accept) sys->ops->accept(sys->self, a.work, x);
        const double left = imbalance(&a, 1);
        out->residual = left > 0 ? left / a.force : 0;
        sys->ops->local(sys->self, start->q, x->q, a.d);
        out->moved = largest(&a, a.d);
        if (!(left <=
              BALANCED * a.force + TMLI_ROUNDOFF * a.stiffness))  // forces have round-off of stiffness
            st = tmli_fail(err, TML_ERR_STEP,
                           "the configuration found is no equilibrium: forces of %.2g of the largest are not "
                           "balanced",
                           out->residual);
    }
    tml_state_destroy(start, sys);
    clear(&a);
    return st;
}

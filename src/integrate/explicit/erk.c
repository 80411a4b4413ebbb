// Explicit Runge-Kutta methods of orders 5 and 8 on the degrees of freedom; see erk_tables.h for the
// formulas, explicit.h for what is shared, and docs/theory/explicit.md for the rest.
//
// Every step has its chart, at its start: v0 = 0. The end of the step is also the first stage of the next
// one; its accelerations are only split anew there.
//
// Local error. The estimates e5 (order 8: e5 and e3, powers h^6 and h^4) are of lower power than the error:
//   order 5: estimate = |e5|;   order 8: estimate = |e5|^2 / sqrt(|e5|^2 + 0.01 |e3|^2), of the power h^8      (1)
// They are converted to the power of the error (explicit.h), so that errors at the end go with the tolerance.
#include "integrate/core/methods.h"
#include "integrate/explicit/erk_tables.h"
#include "integrate/explicit/explicit.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Wanted value of the error of a step in units of what is allowed; a step is rejected above 1.
static const double SETPOINT = 0.2;
// The error (1) times this is taken for the error; found on the bundled models, see docs/theory/explicit.md.
static const double SAFETY = 1;
// Share of the last error in the choice of the step: exponents (1 - 0.75 PI)/order and PI/order.
static const double PI_SHARE = 0.4;
// Largest rotation of a body in one step [rad].
static const double MOST_TURN = 1.8;

// How far [lengths or rad] from a singular position accelerations are taken in its place.
static const double BESIDE = 0.02;

// Notes of the dense output: are the further stages known (0: not tried, -1: they cannot be evaluated).
enum { KNOWN, NOTES };

/** Stage i as a combination of the accelerations before: only what is not zero. */
typedef struct row {
    int count;
    int from[TMLI_ERK_STAGES];
    double once[TMLI_ERK_STAGES], twice[TMLI_ERK_STAGES];  // for vd (2), for v (1) of erk_tables.h
} row;

typedef struct erk {
    tmli_explicit common;
    const tmli_erk_table *table;
    row stage[TMLI_ERK_STAGES];
    row estimate[TMLI_ERK_ESTIMATES];
    row last_change;                 // from the stage before the end, at the same time, to the end
    double h_trial;                  // [s]
    double *vd0;                     // (dof) at the start of the step
    double *k[TMLI_ERK_STAGES];      // (dof) accelerations of the stages
    double *v, *vd;                  // (dof) scratch
    double *whole[TMLI_ERK_STAGES];  // (n) the same of all coordinates, d'' of reduction.h
    double *d, *rate;                // (n) scratch
    double *note;                    // (NOTES) of the dense output, written by interpolate
} erk;

static void destroy(void *self)
{
    erk *e = self;
    if (!e) return;
    const tml_env env = e->common.sys->env;
    tmli_explicit_clear(&e->common);
    tmli_free(&env, e);
}

static void fill(const tmli_erk_table *t, const double *weights, row *r)
{
    double twice[TMLI_ERK_STAGES];
    tmli_erk_twice(t, weights, twice);
    r->count = 0;
    for (int j = 0; j < t->stages + t->more; j++) {
        if (weights[j] == 0 && twice[j] == 0) continue;
        r->from[r->count] = j;
        r->once[r->count] = weights[j];
        r->twice[r->count++] = twice[j];
    }
}

static tml_status create(const tml_system *sys, const tml_integrator_options *opt, const tmli_erk_table *t,
                         void **self, tml_error *err)
{
    *self = NULL;
    erk *e = tmli_calloc(&sys->env, 1, sizeof *e);
    if (!e) return tmli_no_memory(err, "integrator");
    const size_t n = (size_t)sys->n, all = (size_t)(t->stages + t->more);
    double *own = NULL, change[TMLI_ERK_STAGES];
    tml_status st = tmli_explicit_create(sys, opt, (2 * all + 5) * n + NOTES, &e->common, &own, err);
    if (st != TML_OK) {
        destroy(e);
        return st;
    }
    e->table = t;
    e->vd0 = own;
    e->v = own + n;
    e->vd = own + 2 * n;
    for (size_t i = 0; i < all; i++) e->k[i] = own + (3 + i) * n;
    e->d = own + (3 + all) * n;
    e->rate = e->d + n;
    for (size_t i = 0; i < all; i++) e->whole[i] = e->rate + (1 + i) * n;
    e->note = e->rate + (1 + all) * n;
    for (size_t i = 0; i < all; i++) fill(t, t->a[i], &e->stage[i]);
    for (int i = 0; i < t->estimates; i++) fill(t, t->e[i], &e->estimate[i]);
    const int last = t->stages - 1;
    for (int j = 0; j < TMLI_ERK_STAGES; j++) change[j] = t->a[last][j] - t->a[last - 1][j];
    fill(t, change, &e->last_change);
    *self = e;
    return TML_OK;
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    erk *e = self;
    return tmli_explicit_start(&e->common, x, err);
}

// The step that is right for all of the motion at its rate, and a part of it: growing is cheaper than a
// rejection.
static double first_step(void *self)
{
    erk *e = self;
    const tml_integrator_options *opt = &e->common.opt;
    const double w = tmli_explicit_rate(&e->common), T = opt->duration, tol = fmax(opt->atol, opt->rtol);
    const double wh = pow(0.6 * tol / (e->table->error * w * T), 1.0 / e->table->order);
    return fmin(T / 10, 0.25 * fmin(wh, 1) / w);
}

// ---- step -------------------------------------------------------------------------------------------------

// v += h^2 sum twice k, vd += h sum once k, of n coordinates.
static void add(const row *r, double h, double *const *stage, int n, double *v, double *vd)
{
    const double h2 = h * h;
    int i = 0;
    for (; i + 1 < r->count; i += 2) {
        const double *k = stage[r->from[i]], *l = stage[r->from[i + 1]];
        const double ak = h * r->once[i], al = h * r->once[i + 1], bk = h2 * r->twice[i],
                     bl = h2 * r->twice[i + 1];
        for (int j = 0; j < n; j++) {
            v[j] += bk * k[j] + bl * l[j];
            vd[j] += ak * k[j] + al * l[j];
        }
    }
    if (i == r->count) return;
    const double *k = stage[r->from[i]], a = h * r->once[i], b = h2 * r->twice[i];
    for (int j = 0; j < n; j++) {
        v[j] += b * k[j];
        vd[j] += a * k[j];
    }
}

static void point(const erk *e, const row *r, double c, double h, double *v, double *vd)
{
    for (int j = 0; j < e->common.dof; j++) {
        v[j] = c * h * e->vd0[j];
        vd[j] = e->vd0[j];
    }
    add(r, h, e->k, e->common.dof, v, vd);
}

// d, rate := the same of all coordinates, from the state x. Dependent ones follow from the independent ones
// too, by the constraints; where these do not tell which of two branches, this does.
static void point_of_all(const erk *e, const row *r, double c, double h, const tml_state *x)
{
    const int n = e->common.sys->n;
    for (int j = 0; j < n; j++) {
        e->d[j] = c * h * x->u[j];
        e->rate[j] = x->u[j];
    }
    add(r, h, e->whole, n, e->d, e->rate);
}

static tml_status stage(erk *e, int i, double t, double h, tml_state *x, tml_error *err)
{
    point(e, &e->stage[i], e->table->c[i], h, e->v, e->vd);
    const tml_status st =
        tmli_explicit_evaluate(&e->common, t + e->table->c[i] * h, e->v, e->vd, x, e->k[i], err);
    if (st == TML_OK && e->common.sys->m > 0)
        tmli_reduction_increment(e->common.reduction, x, NULL, NULL, e->whole[i]);
    return st;
}

// Size of an estimate over the tolerance.
static double size_of(erk *e, const row *r, double h)
{
    const size_t bytes = (size_t)e->common.dof * sizeof(double);
    memset(e->v, 0, bytes);
    memset(e->vd, 0, bytes);
    add(r, h, e->k, e->common.dof, e->v, e->vd);
    const double position = tmli_explicit_error(&e->common, e->v, 1, 0);
    return fmax(position, tmli_explicit_error(&e->common, e->vd, 0, 1));
}

static tml_status judge(erk *e, double h, const double *q, double *error, tml_error *err)
{
    const tmli_erk_table *t = e->table;
    tmli_explicit_weigh(&e->common, h, q);
    double worst = size_of(e, &e->estimate[0], h);
    if (t->estimates == 2 && worst > 0) {
        const double other = size_of(e, &e->estimate[1], h);
        worst *= worst / hypot(worst, 0.1 * other);  // (1); squares could overflow
    }
    const double *first = e->k[0], *end = e->k[t->judged - 1];
    for (int j = 0; j < e->common.dof; j++) e->v[j] = end[j] - first[j];
    const double change = tmli_explicit_error(&e->common, e->v, 0, h);
    *error = SAFETY * tmli_explicit_convert(&e->common, h, worst, change, t->estimate_order, t->estimate,
                                            t->order + 1, t->error);
    if (isfinite(*error)) return TML_OK;
    return tmli_fail(err, TML_RETRY, "the error estimate is not finite at t = %g s", e->common.x->t + h);
}

// (2) of explicit.h, by the formula of the step: below a tenth of the tolerance where the estimates are.
static double rift(erk *e, double h)
{
    const tmli_explicit *c = &e->common;
    const tml_system *s = c->sys;
    const int last = e->table->stages - 1;
    double worst = 0;
    if (s->m == 0) return 0;
    point_of_all(e, &e->stage[last], 1, h, c->x);
    tmli_reduction_increment(c->reduction, c->trial, c->full, c->near, e->v);
    for (int j = 0; j < s->n; j++) {
        const double size = s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1;
        const double off = fmax(fabs(e->d[j] - c->full[j]), h * fabs(e->rate[j] - c->near[j])) / size;
        if (!(off <= worst)) worst = off;
    }
    return worst;
}

static void judge_rift(erk *e, double h, double *error)
{
    const double off = rift(e, h) / tmli_explicit_rift_limit(&e->common);
    if (e->common.dof == 0 || !(off <= 1)) *error = tmli_explicit_rift_error(off);
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    erk *e = self;
    tmli_explicit *c = &e->common;
    const int last = e->table->stages - 1;
    e->h_trial = h;
    *error = 0;
    e->note[KNOWN] = 0;
    tml_status st = tmli_explicit_centre(c, e->vd0, e->k[0], err);
    memcpy(e->whole[0], c->x->udot, (size_t)c->sys->n * sizeof(double));
    for (int i = 1; i < e->table->judged && st == TML_OK; i++)
        st = stage(e, i, c->x->t, h, i == last ? c->trial : c->stage, err);
    if (st == TML_OK && !c->opt.fixed_step)
        st = judge(e, h, e->table->judged > last ? c->trial->q : c->stage->q, error, err);
    if (st == TML_OK && e->table->judged <= last && *error <= 1)
        st = stage(e, last, c->x->t, h, c->trial, err);
    if (st == TML_OK && !c->opt.fixed_step && *error <= 1) judge_rift(e, h, error);
    return st;
}

// h |lambda| from the last two stages, both at the end of the step; explicit.h (1).
static double seen_stiffness(erk *e)
{
    const int last = e->table->stages - 1;
    const double h = e->h_trial;
    const size_t bytes = (size_t)e->common.dof * sizeof(double);
    double cause = 0, answer = 0;
    memset(e->v, 0, bytes);
    memset(e->vd, 0, bytes);
    add(&e->last_change, h, e->k, e->common.dof, e->v, e->vd);
    for (int j = 0; j < e->common.dof; j++) {
        const double x = e->v[j], y = h * e->vd[j], z = h * h * (e->k[last][j] - e->k[last - 1][j]);
        cause += x * x + y * y;
        answer += y * y + z * z;
    }
    return cause > 0 ? sqrt(answer / cause) : 0;
}

static void accept(void *self, double t)
{
    erk *e = self;
    tmli_explicit_check_stiffness(&e->common, seen_stiffness(e), e->table->limit);
    tmli_explicit_accept(&e->common, t, e->h_trial);
    e->common.centred = false;
}

// Error per unit step is of the power `order` of h; proportional-integral control (Gustafsson). The longest
// step in which no body turns further about changing axes than the chart is good for: a rotation vector of
// more than about a radian is no smooth function of time any more, and the estimate, made for small steps,
// misses that.
static double turn_limit(const tmli_explicit *c, const tml_state *x)
{
    const tml_system *s = c->sys;
    double fastest = 0;
    for (int j = 0; j < s->n;) {
        double square = 0;
        int rotations = 0;
        const int node = s->node[j];
        for (; j < s->n && s->node[j] == node; j++) {
            if (s->kind[j] != TML_COORDINATE_ROTATION) continue;
            square += x->u[j] * x->u[j];
            rotations++;
        }
        if (rotations > 1) fastest = fmax(fastest, square);
    }
    return fastest > 0 ? MOST_TURN / sqrt(fastest) : INFINITY;
}

static double next_step(void *self, double h, double error, bool accepted)
{
    erk *e = self;
    const double order = e->table->order, now = fmax(error, 1e-8) / SETPOINT;
    if (!accepted) return h * fmin(0.8, fmax(0.2, pow(now, -1 / order)));
    double factor = pow(now, -(1 - 0.75 * PI_SHARE) / order);
    if (e->common.old_error > 0) factor *= pow(e->common.old_error, PI_SHARE / order);
    e->common.old_error = now;
    return fmin(h * fmin(4, fmax(0.3, factor)), turn_limit(&e->common, e->common.trial));
}

// ---- dense output -----------------------------------------------------------------------------------------

// Share of the last step in which nothing moves further than BESIDE.
static double beside(const tmli_explicit *c)
{
    const tml_system *s = c->sys;
    double most = 0;
    for (int j = 0; j < s->n; j++) {
        const double size = s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1;
        most = fmax(most, fmax(fabs(c->previous->u[j]), fabs(c->x->u[j])) / size);
    }
    return fmin(BESIDE / (most * c->h_last), 0.1);
}

// k and whole of the further stage i, `shift` of the step beside it; there accelerations follow those of the
// ends. False: they cannot be evaluated.
static bool evaluate_beside(const erk *e, int i, double shift, double *k, double *whole)
{
    const tmli_explicit *c = &e->common;
    const tmli_erk_table *t = e->table;
    const int last = t->stages - 1;
    const double at = t->c[i], dt = shift * c->h_last;
    point(e, &e->stage[i], at, c->h_last, e->v, e->vd);
    point_of_all(e, &e->stage[i], at, c->h_last, c->previous);
    for (int j = 0; j < c->dof; j++) {
        const double a = (1 - at) * e->k[0][j] + at * e->k[last][j];
        e->v[j] += dt * (e->vd[j] + dt / 2 * a);
        e->vd[j] += dt * a;
    }
    for (int j = 0; j < c->sys->n && dt != 0; j++) {
        const double a = (1 - at) * e->whole[0][j] + at * e->whole[last][j];
        e->d[j] += dt * (e->rate[j] + dt / 2 * a);
        e->rate[j] += dt * a;
    }
    if (!tmli_reduction_solve_dependent_near(c->reduction, c->previous->t + at * c->h_last + dt, e->v, e->vd,
                                             e->d, e->rate, c->stage))
        return false;
    if (tmli_reduction_accelerate(c->reduction, c->stage, k, NULL) != TML_OK) return false;
    tmli_reduction_increment(c->reduction, c->stage, NULL, NULL, whole);
    return true;
}

// A further stage that is in a singular position: the mean of those on both sides of it.
static bool evaluate_around(const erk *e, int i)
{
    const tmli_explicit *c = &e->common;
    const double shift = beside(c);
    double *k = c->near, *whole = c->full;
    if (!evaluate_beside(e, i, -shift, k, whole) || !evaluate_beside(e, i, shift, e->k[i], e->whole[i]))
        return false;
    for (int j = 0; j < c->dof; j++) e->k[i][j] = (e->k[i][j] + k[j]) / 2;
    for (int j = 0; j < c->sys->n; j++) e->whole[i][j] = (e->whole[i][j] + whole[j]) / 2;
    return true;
}

// The further stages, on the first question about a step.
static bool extend(const erk *e)
{
    const tmli_erk_table *t = e->table;
    if (e->note[KNOWN] != 0) return e->note[KNOWN] > 0;
    e->note[KNOWN] = -1;
    for (int i = t->stages; i < t->stages + t->more; i++)
        if (!evaluate_beside(e, i, 0, e->k[i], e->whole[i]) && !evaluate_around(e, i)) return false;
    e->note[KNOWN] = 1;
    return true;
}

static void interpolate(const void *self, double theta, tml_state *out)
{
    const erk *e = self;
    const tmli_explicit *c = &e->common;
    const tmli_erk_table *t = e->table;
    if (c->h_last == 0 || theta >= 1) {
        tml_state_copy(out, c->x);
        return;
    }
    double b[TMLI_ERK_STAGES];
    row weights;
    if (extend(e)) tmli_erk_dense(t, theta, b);
    else tmli_erk_cubic(t, theta, b);  // through both ends
    fill(t, b, &weights);
    point(e, &weights, theta, c->h_last, e->v, e->vd);
    if (c->sys->m > 0) point_of_all(e, &weights, theta, c->h_last, c->previous);
    tmli_explicit_between(c, theta, e->v, e->vd, e->d, e->rate, out);
}

static const tml_state *state(const void *self) { return ((const erk *)self)->common.x; }
static const tml_counters *counters(const void *self) { return &((const erk *)self)->common.count; }
static bool stiff(const void *self) { return ((const erk *)self)->common.stiff; }
static double condition(void *self)
{
    (void)self;
    return 0;  // there is no iteration matrix
}

static tml_status create5(const tml_system *sys, const tml_integrator_options *opt, void **self,
                          tml_error *err)
{
    return create(sys, opt, &tmli_erk5, self, err);
}
static tml_status create8(const tml_system *sys, const tml_integrator_options *opt, void **self,
                          tml_error *err)
{
    return create(sys, opt, &tmli_erk8, self, err);
}

#define ERK(NAME, SUMMARY, CITATION, ORDER, CREATE, QUINTIC)                                                 \
    {                                                                                                        \
        .name = NAME, .summary = SUMMARY, .form = "state space", .stability = "explicit",                    \
        .citation = CITATION, .order = ORDER, .equations = TML_EQUATIONS_STATE_SPACE, .is_explicit = true,   \
        .quintic_inside = QUINTIC, .create = CREATE, .start = start, .first_step = first_step, .step = step, \
        .next_step = next_step, .accept = accept, .interpolate = interpolate, .state = state,                \
        .counters = counters, .condition = condition, .destroy = destroy, .stiff = stiff                     \
    }

const tml_method_ops tmli_method_erk5 =
    ERK("erk5", "explicit Runge-Kutta of order 5, dense output of order 4", "Dormand & Prince 1980", 5,
        create5, true);
// Its steps are too long for a quintic, and its dense output of order 7 is cheap.
const tml_method_ops tmli_method_erk8 =
    ERK("erk8", "explicit Runge-Kutta of order 8, dense output of order 7",
        "Prince & Dormand 1981; Hairer, Norsett & Wanner 1993", 8, create8, false);

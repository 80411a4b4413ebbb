// Explicit Runge-Kutta methods of orders 5 and 8 on the degrees of freedom; formulas in erk_tables.h,
// shared parts in explicit.h, theory in docs/theory/explicit.md.
//
// Every step has its own chart, at its start: v0 = 0. The end of a step is also the first stage of the next
// one; its accelerations are only transformed to the new chart.
//
// Local error. The estimates e5 (order 8: e5 and e3, powers h^6 and h^4) are of lower power than the error:
//   order 5: estimate = |e5|
//   order 8: estimate = s |e5|^2 / sqrt(|e5|^2 + 0.01 |e3|^2), of the power h^8                           (1)
// The two differ by the rate of the motion, w^2 = |e5| / (h^2 |e3|). Where accelerations change fast within a
// step, |e5| of one step is large or small by chance, and (1) with its square: errors of twenty times the
// estimate were accepted, others of a twentieth rejected. The rate of the steps before tells which: w^2 is
// the geometric mean over steps, in which each one before counts half of the one after it, and |e5| in (1)
// is h^2 w^2 |e3|. s > 1: without the large ones the estimates are smaller on the average.
// Where a step passes a narrow peak of the accelerations, e5 may still vanish, and (1) with it:
// steps with errors of a hundred tolerances were accepted. (1) is therefore at least what e3 alone gives for
// a vibration A exp(i w t), of which |e3| = c3 A x^4 and h times the change of the accelerations = A x^2, x =
// h w, with an amplitude A as large as the motion, or the larger one that fits both:
//   order 8: estimate >= c A x^8, for (1) = c A x^8                                                       (2)
// The smooth motion of a step has smaller amplitudes at high rates: there (2) is far below (1).
// The conversion holds for smooth steps, too. On the way into a peak errors grow from one step to the next by
// much more than their power of h; the estimate then counts as it is.                                   (3)
// Forces that jump within a step leave |e5| and |e3| of one size, and a rate far above that of all steps
// before: a mean that would be less than 1/30 of it is not taken.                                       (4)
// They are converted to the power of the error (explicit.h), so that errors at the end are proportional to
// the tolerance.
//
// Steps that changes of the inputs cut short have a lower order where the tolerance allows it: ticks.h.
#include "integrate/explicit/erk.h"
#include "integrate/core/methods.h"
#include "integrate/core/step_control.h"
#include "system/state/first_order.h"
#include "system/state/move.h"
#include "system/state/units.h"

#include <math.h>
#include <string.h>

#include "integrate/explicit/constants.h"

static const tmli_fields FIELDS = {
    "erk", offsetof(tmli_erk, common.memory),
    (const tmli_span[]){TMLI_PARTS(tmli_erk, common, common, tmli_explicit_spans),
                        TMLI_NUMBERS(tmli_erk, h_trial, last_rate2),
                        TMLI_INDICES(tmli_erk, further, further, TMLI_ERK_FURTHER_UNKNOWN, TMLI_BY_ONE,
                                     TMLI_ERK_FURTHER_IMPOSSIBLE),
                        TMLI_INDICES(tmli_erk, used, used, 0, TMLI_BY_ONE, TMLI_LOWER_ORDERS),
                        TMLI_PARTS(tmli_erk, ticks, ticks, tmli_ticks_spans),
                        TMLI_KEPT_FIRST(tmli_erk, k, TMLI_BY_OWN, TMLI_BY_N, 1),
                        TMLI_KEPT_FIRST(tmli_erk, whole, TMLI_BY_OWN, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_erk, vd0, rate, TMLI_BY_N, 1),
                        {0}}};

static void destroy(void *self)
{
    if (self) tmli_explicit_destroy(self);
}

void tmli_erk_set_weights(const tmli_erk_table *t, const double *weights, tmli_erk_row *r)
{
    double twice[TMLI_ERK_STAGES];
    tmli_erk_integrate_weights(t, weights, twice);
    r->count = 0;
    for (int j = 0; j < t->stages + t->more; j++) {
        if (weights[j] == 0 && twice[j] == 0) continue;
        r->from[r->count] = j;
        r->once[r->count] = weights[j];
        r->twice[r->count++] = twice[j];
    }
}

static void set_formula(const tmli_erk_table *t, tmli_erk_formula *f)
{
    const int last = t->stages - 1;
    double change[TMLI_ERK_STAGES];
    f->table = t;
    for (int i = 0; i < t->stages + t->more; i++) tmli_erk_set_weights(t, t->a[i], &f->stage[i]);
    for (int i = 0; i < t->estimates; i++) tmli_erk_set_weights(t, t->e[i], &f->estimate[i]);
    for (int j = 0; j < TMLI_ERK_STAGES; j++) change[j] = t->a[last][j] - t->a[last - 1][j];
    tmli_erk_set_weights(t, change, &f->last_change);
}

// own: index in TABLES of the method's own order
static tml_status create(const tml_system *sys, const tml_integrator_options *opt, int own, void **self,
                         tml_error *err)
{
    static const tmli_erk_table *const TABLES[TMLI_LOWER_ORDERS + 1] = {&tmli_erk3, &tmli_erk5, &tmli_erk8};
    const tmli_erk_table *t = TABLES[own];
    const size_t all = (size_t)(t->stages + t->more);
    const tml_status st = tmli_explicit_create(sys, opt, &FIELDS, sizeof(tmli_erk), all, self, err);
    if (st != TML_OK) return st;
    tmli_erk *e = *self;
    for (int i = 0; i <= TMLI_LOWER_ORDERS; i++) set_formula(TABLES[i < own ? i : own], &e->formula[i]);
    e->used = e->ticks.lower = own;
    e->common.control = (tmli_step_control){.wanted = TMLI_WANTED_ERROR_EXPLICIT,
                                            .growth = 1 / TMLI_SMALLEST_RATIO,
                                            .damped = true,
                                            .anticipates = t->estimates == 2,
                                            .one_step = true};
    return TML_OK;
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    tmli_erk *e = self;
    e->error = e->last_error = 0;
    e->rate2 = e->last_rate2 = 0;
    e->used = e->ticks.lower;
    tmli_ticks_start(&e->ticks);
    return tmli_explicit_start(&e->common, x, err);
}

// The first stage is evaluated anew.
static tml_status inputs_changed(void *self, const tml_state *x, tml_error *err)
{
    tmli_erk *e = self;
    tmli_explicit *c = &e->common;
    tmli_ticks_change(&e->ticks);
    const tml_status st = tmli_explicit_centre(c, e->vd0, e->k[0], err);
    memset(e->v, 0, (size_t)c->dof * sizeof(double));
    return st == TML_OK ? tmli_explicit_change_inputs(c, x, e->v, e->vd0, e->k[0], err) : st;
}

// The step whose error is allowed if all of the motion has this rate, and a part of it: growing is cheaper
// than a rejection.
static double first_step(void *self)
{
    tmli_erk *e = self;
    const tml_integrator_options *opt = &e->common.opt;
    const double w = tmli_explicit_rate(&e->common), T = opt->duration,
                 tol = fmax(opt->run.atol, opt->run.rtol);
    const double wh = pow(TMLI_STEP_SHARE * tol / (tmli_erk_present(e)->table->error * w * T),
                          1.0 / tmli_erk_present(e)->table->order);
    return fmin(T / ERK_FIRST_STEPS_PER_RUN, TMLI_FIRST_STEP_PART * fmin(wh, 1) / w);
}

// ---- step -------------------------------------------------------------------------------------------------

// v (n) += h^2 sum twice k, vd (n) += h sum once k.
static void add_combination(const tmli_erk_row *r, double h, double *const *stage, int n, double *v,
                            double *vd)
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

void tmli_erk_set_point(const tmli_erk *e, const tmli_erk_row *r, double c, double h, double *v, double *vd)
{
    for (int j = 0; j < e->common.dof; j++) {
        v[j] = c * h * e->vd0[j];
        vd[j] = e->vd0[j];
    }
    add_combination(r, h, e->k, e->common.dof, v, vd);
}

void tmli_erk_set_point_of_all(const tmli_erk *e, const tmli_erk_row *r, double c, double h,
                               const tml_state *x)
{
    const int n = e->common.sys->n;
    for (int j = 0; j < n; j++) {
        e->d[j] = c * h * x->u[j];
        e->rate[j] = x->u[j];
    }
    add_combination(r, h, e->whole, n, e->d, e->rate);
}

static tml_status evaluate_stage(tmli_erk *e, int i, double t, double h, tml_state *x, tml_error *err)
{
    tmli_erk_set_point(e, &tmli_erk_present(e)->stage[i], tmli_erk_present(e)->table->c[i], h, e->v, e->vd);
    const tml_status st = tmli_explicit_evaluate(&e->common, t + tmli_erk_present(e)->table->c[i] * h, e->v,
                                                 e->vd, x, e->k[i], err);
    if (st == TML_OK && e->common.sys->m > 0)
        tmli_reduction_increment(e->common.reduction, x, NULL, NULL, e->whole[i]);
    return st;
}

// Size of an estimate over the tolerance.
static double estimate_size(tmli_erk *e, const tmli_erk_row *r, double h)
{
    const size_t bytes = (size_t)e->common.dof * sizeof(double);
    memset(e->v, 0, bytes);
    memset(e->vd, 0, bytes);
    add_combination(r, h, e->k, e->common.dof, e->v, e->vd);
    const double position = tmli_explicit_error(&e->common, e->v, 1, 0);
    return fmax(position, tmli_explicit_error(&e->common, e->vd, 0, 1));
}

// (1) of |e5| and |e3|, over the tolerance.
static double mean_estimate(tmli_erk *e, double h, double worst, double other)
{
    double rate2 = worst / (h * h * other);
    const double mean = e->last_rate2 > 0 ? sqrt(rate2 * e->last_rate2) : rate2;
    if (!(rate2 > UNSMOOTH_GROWTH * mean)) rate2 = mean;  // (4)
    if (isfinite(rate2)) {
        e->rate2 = rate2;
        worst = rate2 * h * h * other;
    }
    return MEAN_ESTIMATE_SAFETY * worst * (worst / hypot(worst, SECOND_ESTIMATE_WEIGHT * other));
}

// (2) of |e3|, over the tolerance; change: that of the velocities by the accelerations, A (h w)^2.
static double least_estimate(const tmli_erk *e, double other, double change)
{
    const tmli_erk_table *t = tmli_erk_present(e)->table;
    const double x4 = other / t->second, root = x4 / change;
    const double rate4 =
        fmin(fmax(e->common.opt.run.atol, e->common.opt.run.rtol) * x4, root * root);  // (h w)^4
    return t->estimate * x4 * rate4;
}

// (3)
static bool grows_unsmoothly(const tmli_erk *e, double h, double error)
{
    const double smooth = e->last_error * pow(h / e->common.h_last, tmli_erk_present(e)->table->order);
    return e->last_error > 0 && error > UNSMOOTH_GROWTH * smooth;
}

static tml_status estimate_error(tmli_erk *e, double h, const double *q, double *error, tml_error *err)
{
    const tmli_erk_table *t = tmli_erk_present(e)->table;
    tmli_explicit_weigh(&e->common, h, q);
    double worst = estimate_size(e, &tmli_erk_present(e)->estimate[0], h);
    const double *first = e->k[0], *end = e->k[t->judged - 1];
    const bool two = t->estimates == 2 && worst > 0;
    const double other = two ? estimate_size(e, &tmli_erk_present(e)->estimate[1], h) : 0;
    for (int j = 0; j < e->common.dof; j++) e->v[j] = end[j] - first[j];
    const double change = tmli_explicit_error(&e->common, e->v, 0, h);
    if (two) worst = fmax(mean_estimate(e, h, worst, other), least_estimate(e, other, change));
    *error = tmli_explicit_convert(&e->common, h, worst, change, t->estimate_order, t->estimate, t->order + 1,
                                   t->error);
    if (*error > UNSMOOTH_FROM && grows_unsmoothly(e, h, *error))
        *error = worst / tmli_weights_budget(&e->common.weights, h);  // (3)
    e->error = *error;
    if (isfinite(*error)) return TML_OK;
    return tmli_fail(err, TML_RETRY, "the error estimate is not finite at t = %g s", e->common.x->t + h);
}

// Branch distance, explicit.h (2), by the formula of the step; below a tenth of the tolerance where the
// estimates are.
static double branch_distance(tmli_erk *e, double h)
{
    const tmli_explicit *c = &e->common;
    const tml_system *s = c->sys;
    const int last = tmli_erk_present(e)->table->stages - 1;
    double worst = 0;
    if (s->m == 0) return 0;
    tmli_erk_set_point_of_all(e, &tmli_erk_present(e)->stage[last], 1, h, c->x);
    tmli_reduction_increment(c->reduction, c->trial, c->full, c->near, e->v);
    for (int j = 0; j < tmli_mechanical(s); j++) {
        const double size = tmli_coordinate_unit(s, j);
        const double off = fmax(fabs(e->d[j] - c->full[j]), h * fabs(e->rate[j] - c->near[j])) / size;
        if (!(off <= worst)) worst = off;
    }
    return worst;
}

static void check_branch(tmli_erk *e, double h, double *error)
{
    const double off = branch_distance(e, h) / tmli_explicit_branch_limit(&e->common);
    if (e->common.dof == 0 || !(off <= 1)) *error = tmli_explicit_branch_error(off);
}

// The formula of the next step. Errors of different orders are not compared.
static void select_formula(tmli_erk *e)
{
    const int used = e->common.opt.fixed_step ? e->ticks.lower : tmli_ticks_order(&e->ticks);
    if (used == e->used) return;
    e->used = used;
    e->last_error = e->last_rate2 = 0;
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    tmli_erk *e = self;
    tmli_explicit *c = &e->common;
    select_formula(e);
    const int last = tmli_erk_present(e)->table->stages - 1;
    e->h_trial = h;
    *error = 0;
    e->further = TMLI_ERK_FURTHER_UNKNOWN;
    tml_status st = tmli_explicit_centre(c, e->vd0, e->k[0], err);
    memcpy(e->whole[0], c->x->udot, (size_t)c->sys->n * sizeof(double));
    for (int i = 1; i < tmli_erk_present(e)->table->judged && st == TML_OK; i++)
        st = evaluate_stage(e, i, c->x->t, h, i == last ? c->trial : c->stage, err);
    if (st == TML_OK && !c->opt.fixed_step)
        st = estimate_error(e, h, tmli_erk_present(e)->table->judged > last ? c->trial->q : c->stage->q,
                            error, err);
    if (st == TML_OK && tmli_erk_present(e)->table->judged <= last && *error <= 1)
        st = evaluate_stage(e, last, c->x->t, h, c->trial, err);
    if (st == TML_OK && !c->opt.fixed_step && *error <= 1) check_branch(e, h, error);
    if (st == TML_OK && *error <= 1) st = tmli_state_check_branch(c->sys, c->work, c->trial, err);
    if (st == TML_OK && *error <= 1) st = tmli_reduction_project_velocity(c->reduction, c->trial, err);
    return st;
}

// h |lambda| from the last two stages, both at the end of the step; explicit.h (1).
static double measure_stiffness(tmli_erk *e)
{
    const int last = tmli_erk_present(e)->table->stages - 1;
    const double h = e->h_trial;
    const size_t bytes = (size_t)e->common.dof * sizeof(double);
    double cause = 0, answer = 0;
    memset(e->v, 0, bytes);
    memset(e->vd, 0, bytes);
    add_combination(&tmli_erk_present(e)->last_change, h, e->k, e->common.dof, e->v, e->vd);
    for (int j = 0; j < e->common.dof; j++) {
        const double x = e->v[j], y = h * e->vd[j], z = h * h * (e->k[last][j] - e->k[last - 1][j]);
        cause += x * x + y * y;
        answer += y * y + z * z;
    }
    return cause > 0 ? sqrt(answer / cause) : 0;
}

static void accept(void *self, double t)
{
    tmli_erk *e = self;
    if (tmli_erk_present(e)->table->limit > 0)
        tmli_explicit_check_stiffness(&e->common, e->h_trial, measure_stiffness(e),
                                      tmli_erk_present(e)->table->limit);
    tmli_explicit_accept(&e->common, t, e->h_trial);
    e->last_error = e->error;
    e->last_rate2 = e->rate2;
    e->common.centred = false;
}

// The longest step in which no body rotates further about changing axes than the chart allows. A rotation
// vector of more than about a radian is no smooth function of time any more, and the estimate, made for
// small steps, misses that.
static double rotation_limit(const tmli_explicit *c, const tml_state *x)
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
    return fastest > 0 ? LARGEST_ROTATION / sqrt(fastest) : INFINITY;
}

// The error per unit step is of the power `order` of h. A step of a lower order that is rejected is repeated
// with the method's own, which follows one that is accepted, too, and is made for longer steps.
static double next_step(void *self, double h, double error, bool accepted)
{
    tmli_erk *e = self;
    tmli_ticks_step(&e->ticks, accepted);
    const bool lower = e->used < e->ticks.lower;
    if (lower && !accepted) return h;
    const double next =
        lower ? h / TMLI_SMALLEST_RATIO
              : tmli_step_next(&e->common.control, h, error, tmli_erk_present(e)->table->order, accepted);
    return accepted ? fmin(next, rotation_limit(&e->common, e->common.trial)) : next;
}

static const tml_state *state(const void *self) { return ((const tmli_erk *)self)->common.x; }
static void counters(const void *self, tml_counters *out) { *out = ((const tmli_erk *)self)->common.count; }
static bool stiff(const void *self) { return ((const tmli_erk *)self)->common.stiff; }
static void archive(void *self, tml_archive *a) { tmli_explicit_archive(self, a); }

TMLI_CREATE_METHOD(create5, create(sys, opt, 1, self, err))
TMLI_CREATE_METHOD(create8, create(sys, opt, 2, self, err))

#define ERK(NAME, SUMMARY, CITATION, ORDER, CREATE, QUINTIC)                                               \
    {                                                                                                      \
        .name = NAME, .summary = SUMMARY, .form = "state space", .stability = "explicit",                  \
        .citation = CITATION, .order = ORDER, .equations = TML_EQUATIONS_STATE_SPACE, .is_explicit = true, \
        .exact_if_driven = true, .quintic_inside = QUINTIC, .create = CREATE, .start = start,              \
        .first_step = first_step, .step = step, .next_step = next_step, .accept = accept,                  \
        .interpolate = tmli_erk_interpolate, .state = state, .counters = counters, .destroy = destroy,     \
        .stiff = stiff, .archive = archive, .inputs_changed = inputs_changed                               \
    }

const tml_method_ops tmli_method_erk5 =
    ERK("erk5", "explicit Runge-Kutta of order 5, dense output of order 4", "Dormand & Prince 1980", 5,
        create5, true);
// Its steps are too long for a quintic, and its dense output of order 7 is cheap.
const tml_method_ops tmli_method_erk8 =
    ERK("erk8", "explicit Runge-Kutta of order 8, dense output of order 7",
        "Prince & Dormand 1981; Hairer, Norsett & Wanner 1993", 8, create8, false);

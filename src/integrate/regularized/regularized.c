// Methods baumgarte, trust-region and direct-reg: regularized equations (regularized.h) integrated by IDA
// (ida.h).
//
// IDA chooses its steps and orders; the step loop is told the result. A trial step h lets IDA make one
// step, of size h if IDA agrees. If IDA made a shorter step, the trial is rejected with that as the next
// size, and its repetition costs nothing. If the step loop wants less than IDA has made, the trial is IDA's
// interpolation. Nothing is ever undone in IDA.
//
// The chart q0 (+) d of IDA's unknowns serves rotations up to about pi: beyond, IDA restarts with order 1
// in a new chart.
//
// IDA judges errors by the weights of the other methods (integrate/core/error_weights.h): the share h/T of
// the tolerance for a step of size h, all unknowns of motion, none of the multipliers. IDA's norm is a root
// mean square over all N unknowns; allowing 6/sqrt(N) of it comes close to a largest value, and leaves the
// errors of runs below the tolerance.
//
// Automatic choices.
//
// gamma: deviations from the constraints decay within 1/gamma (regularized.h (3)). 1/gamma must not be
// shorter than IDA's steps: the equations would be of index 3 for IDA, its error test would see the noise
// of the multipliers, and steps collapse from gamma h = 3 on. On the other hand drift grows with 1/gamma.
// gamma is GAMMA_OVER_RATE times the rate of the motion, its largest relative speed so far: 1/gamma is a
// tenth of the time in which the motion changes, which is some steps at usual tolerances. On the solution
// Phi is 0 and gamma has no effect, so that a change, from GAMMA_GROWTH on, does not disturb the history.
//
// epsilon: in units of the rows' inertia (regularized.h (5), (6)) it is the limit of singular values s of S
// below which rows count as dependent: eps for direct, sqrt(eps) for trust region. Elsewhere it displaces
// the motion by what epsilon.h computes, and eps is made so small that this is half a percent of the
// tolerance. Where constraints carry little load this would allow a large eps. It is at most 1e-2 tol for
// direct, which fails at singular configurations from 1e-8 on with usual tolerances, and 1e-8 tol for the
// trust region, which passes with 1e-14: larger values leave the constraints of a driven mechanism in its
// singular configuration for longer than needed.
//
// With redundancy: regularize the rows may depend on each other everywhere; the displacement is then not
// determined, and eps is the largest one.
//
// An alternative was tried: epsilon acts on the change of the multipliers only, with those of the last step
// kept (augmented Lagrangian). It is as good far from singular configurations, but every step then has
// equations of its own: the error test sees their jumps, and the zone in which forces fade out shrinks with
// the step. direct-reg no longer passed models/singular_slider_crank.yaml with any epsilon from 1e-6 to
// 1e-12, nor the trust region with 1e-12.
#include "integrate/regularized/regularized.h"
#include "base/base.h"
#include "integrate/core/error_weights.h"
#include "integrate/core/methods.h"
#include "integrate/core/step_control.h"
#include "integrate/regularized/epsilon.h"
#include "integrate/regularized/ida.h"
#include "system/state/accepted.h"
#include "system/state/fields.h"
#include "system/state/move.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/regularized/constants.h"

typedef struct regularized {
    const tml_system *sys;
    tml_integrator_options opt;
    tmli_regular_eq eq;
    tmli_weights weights;
    tmli_epsilon_control epsilon_control;  // if epsilon is chosen automatically
    tmli_ida *ida;
    tml_counters count;
    double h_restart;  // largest first step of this restart
    double mark;       // [s]
    int counted;       // steps since then, to check progress
    bool restart;      // IDA must restart at x
    void *memory;      // of all arrays
    tml_state *x, *previous, *trial;
    double *y, *yp;  // (size) scratch: IDA's unknowns and their derivatives
    double *moved;   // (n) displacement since the start
    bool *unjudged;  // (size)
} regularized;

// ---- callbacks of IDA -------------------------------------------------------------------------------------

static tml_status residual(double t, const double *y, const double *yp, double *r, void *user, tml_error *err)
{
    return tmli_regular_residual(&((regularized *)user)->eq, t, y, yp, r, err);
}

static tml_status matrix(double t, double cj, const double *y, const double *yp, double *values, void *user,
                         tml_error *err)
{
    (void)values;
    return tmli_regular_factor(&((regularized *)user)->eq, t, cj, y, yp, err);
}

static void solve(double *x, void *user) { tmli_regular_solve(&((regularized *)user)->eq, x); }

static void weigh(const double *y, double *allowed, void *user)
{
    regularized *s = user;
    const int n = s->sys->n;
    const double h = tmli_ida_next_step(s->ida), share = RMS_SHARE / sqrt((double)s->eq.size);
    s->sys->ops->retract(s->sys->self, s->eq.centre->q, y, s->eq.x->q);
    s->sys->ops->local(s->sys->self, s->weights.q_start, s->eq.x->q, s->moved);
    for (int j = 0; j < n; j++) {
        allowed[j] = share * tmli_weights_step_position(&s->weights, j, s->moved, h);
        allowed[n + j] = share * tmli_weights_step_velocity(&s->weights, j, h);
    }
    // Newton's iteration ends when the motion has converged, and the multipliers with it: M cj du = -B'
    // dlambda
    for (int i = 2 * n; i < s->eq.size; i++) allowed[i] = UNJUDGED_ERROR;
}

// ---- creation ---------------------------------------------------------------------------------------------

static const tmli_fields FIELDS = {
    "regularized", offsetof(regularized, memory),
    (const tmli_span[]){TMLI_NUMBERS(regularized, h_restart, mark),
                        TMLI_NUMBERS(regularized, counted, counted),
                        TMLI_NUMBERS(regularized, restart, restart),
                        TMLI_KEPT_STATES(regularized, x, trial),
                        TMLI_KEPT(regularized, y, yp, TMLI_BY_OWN, 1),
                        TMLI_SCRATCH(regularized, moved, moved, TMLI_BY_N, 1),
                        TMLI_SCRATCH(regularized, unjudged, unjudged, TMLI_BY_OWN, 1),
                        {0}}};

static tmli_sizes sizes_of(const regularized *s)
{
    tmli_sizes sizes = tmli_sizes_of(s->sys);
    sizes.of[TMLI_BY_OWN] = (size_t)s->eq.size;
    return sizes;
}

static void destroy(void *self)
{
    regularized *s = self;
    if (!s) return;
    const tml_env *env = &s->sys->env;
    tmli_ida_destroy(s->ida);
    tmli_epsilon_control_clear(&s->epsilon_control);
    tmli_regular_clear(&s->eq);
    tmli_weights_clear(&s->weights);
    tmli_object_clear(&FIELDS, s->sys, s);
    tmli_free(env, s);
}

static bool chooses_epsilon(const regularized *s)
{
    return s->opt.run.epsilon == 0 && s->eq.kind != TMLI_REGULARIZATION_BAUMGARTE && s->sys->m > 0 &&
           s->opt.run.redundancy != TML_REDUNDANCY_REGULARIZE;
}

// Epsilon where constraints carry little load.
static double largest_epsilon(const regularized *s)
{
    const bool direct = s->eq.kind == TMLI_REGULARIZATION_DIRECT;
    return fmax((direct ? LARGEST_EPSILON_DIRECT : LARGEST_EPSILON_TRUST_REGION) *
                    fmin(s->opt.run.rtol, s->opt.run.atol),
                LEAST_EPSILON);
}

static tml_status build(regularized *s, tmli_regularization kind, tml_error *err)
{
    const tml_system *sys = s->sys;
    tml_status st = tmli_regular_init(sys, kind, s->opt.solver, &s->eq, err);
    s->eq.index = s->opt.run.index == 2 ? 2 : 3;
    if (st == TML_OK) st = tmli_weights_create(sys, &s->opt, &s->weights, err);
    if (st == TML_OK && chooses_epsilon(s))
        st = tmli_epsilon_control_create(&s->eq, &s->weights, largest_epsilon(s), s->opt.solver,
                                         &s->epsilon_control, err);
    const tmli_sizes sizes = sizes_of(s);
    if (st == TML_OK) st = tmli_fields_create(&FIELDS, &sizes, s, err);
    if (st != TML_OK) return st;
    for (int i = 2 * sys->n; i < s->eq.size; i++) s->unjudged[i] = true;
    const tmli_ida_def def = {.env = sys->env,
                              .size = s->eq.size,
                              .max_order = s->opt.run.max_order ? s->opt.run.max_order : 5,
                              .unjudged = s->unjudged,
                              .residual = residual,
                              .matrix = matrix,
                              .solve = solve,
                              .weigh = weigh,
                              .user = s};
    return tmli_ida_create(&def, &s->ida, err);
}

static tml_status create(const tml_system *sys, const tml_integrator_options *opt, tmli_regularization kind,
                         const char *name, void **self, tml_error *err)
{
    *self = NULL;
    if (opt->fixed_step)
        return tmli_fail(
            err, TML_ERR_ARG,
            "method %s does not support fixed steps, because IDA chooses them; remove step, or give max_step",
            name);
    if (opt->run.max_order < 0 || opt->run.max_order > 5)
        return tmli_fail(err, TML_ERR_ARG, "max_order = %d is outside of its range 1 .. 5",
                         opt->run.max_order);
    regularized *s = tmli_calloc(&sys->env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, "integrator");
    s->sys = sys;
    s->opt = *opt;
    tml_status st = build(s, kind, err);
    if (st != TML_OK) {
        destroy(s);
        return st;
    }
    *self = s;
    return TML_OK;
}

// ---- gamma, epsilon and starts ----------------------------------------------------------------------------

static void update_gamma(regularized *s)
{
    const double wanted = GAMMA_OVER_RATE * tmli_weights_rate(&s->weights);
    if (s->opt.run.gamma == 0 && wanted > GAMMA_GROWTH * s->eq.gamma) s->eq.gamma = wanted;
}

// First step: that of order 1 whose error, h^2/2 times the acceleration, is allowed.
static double start_step(regularized *s)
{
    const double h = FIRST_STEP_PROBE * s->opt.duration;
    double worst = 0;
    memset(s->moved, 0, (size_t)s->sys->n * sizeof *s->moved);
    for (int j = 0; j < s->sys->n; j++) {
        const double a = fabs(s->x->udot[j]), unit = tmli_weights_unit(&s->weights, j);
        const double rate = tmli_weights_rate(&s->weights);
        const double jerk = rate * (a + rate * unit * FIRST_STEP_LEAST_ACCELERATION);
        worst = fmax(worst, 0.5 * h * h * a / tmli_weights_step_position(&s->weights, j, s->moved, h));
        worst = fmax(worst, 0.5 * h * h * jerk / tmli_weights_step_velocity(&s->weights, j, h));
    }
    const double longest = FIRST_STEP_OF_RUN * s->opt.duration;
    return worst > 0 ? fmin(FIRST_STEP_SHARE * h / worst, longest) : longest;
}

static tml_status restart_ida(regularized *s, tml_error *err)
{
    tml_status st = tmli_regular_centre(&s->eq, s->x, tmli_ida_y(s->ida), tmli_ida_yp(s->ida), err);
    if (st != TML_OK) return st;
    const double h = fmin(start_step(s), s->h_restart);
    s->restart = false;
    s->h_restart = INFINITY;
    return tmli_ida_start(s->ida, s->x->t, h, err);
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    regularized *s = self;
    tml_state_copy(s->x, x);
    tml_state_copy(s->previous, x);
    tml_state_copy(s->trial, x);
    tmli_weights_start(&s->weights, x);
    s->eq.gamma = s->opt.run.gamma > 0 ? s->opt.run.gamma : GAMMA_OVER_RATE * tmli_weights_rate(&s->weights);
    s->h_restart = INFINITY;
    s->counted = 0;
    s->mark = x->t;
    const tml_status st = restart_ida(s, err);
    if (st == TML_OK && chooses_epsilon(s))
        s->eq.epsilon = tmli_epsilon_control_start(&s->epsilon_control, x);
    else s->eq.epsilon = s->opt.run.epsilon > 0 ? s->opt.run.epsilon : largest_epsilon(s);
    return st;
}

static double first_step(void *self) { return tmli_ida_next_step(((regularized *)self)->ida); }

// ---- steps ------------------------------------------------------------------------------------------------

static void set_trial(regularized *s, double t)
{
    tmli_ida_get(s->ida, t, 0, s->y);
    tmli_ida_get(s->ida, t, 1, s->yp);
    tmli_regular_state(&s->eq, t, s->y, s->yp, s->trial);
}

// Times that differ by less than this are the same [s].
static double same_time(const regularized *s, double h)
{
    return fmax(TMLI_TIME_SLACK * h, SAME_TIME_ULPS * DBL_EPSILON * (fabs(s->x->t) + h));
}

// Where constraints lose rank IDA can continue forever with vanishing steps.
static tml_status check_progress(regularized *s, tml_error *err)
{
    if (++s->counted < PROGRESS_STEPS) return TML_OK;
    const double time = tmli_ida_time(s->ida) - s->mark;
    s->counted = 0;
    s->mark = tmli_ida_time(s->ida);
    if (time * tmli_weights_rate(&s->weights) > LEAST_PROGRESS) return TML_OK;
    return tmli_fail(
        err, TML_ERR_STEP,
        "the last %d steps of IDA cover only %.1g s, at t = %g s: the constraints depend on each other "
        "there, or nearly. Try %s",
        PROGRESS_STEPS, time, s->x->t,
        s->eq.trust ? "another epsilon or gamma, or a looser tolerance"
                    : "method trust-region, or another tolerance");
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    regularized *s = self;
    const double end = s->x->t + h, near = same_time(s, h);
    tml_status st = s->restart ? restart_ida(s, err) : TML_OK;
    if (st == TML_OK && tmli_ida_time(s->ida) <= s->x->t + near) {
        const double wanted = tmli_ida_next_step(s->ida);
        st = tmli_ida_step(s->ida, h < wanted * (1 - TMLI_TIME_SLACK) ? end : INFINITY, err);
        if (st != TML_OK) {
            s->restart = true;
            s->h_restart = TMLI_SMALLEST_RATIO * h;
            return st;
        }
        st = check_progress(s, err);
    }
    if (st != TML_OK) return st;
    tmli_ida_count(s->ida, &s->count);
    *error = tmli_ida_time(s->ida) < end - near ? INFINITY : 0;
    if (*error != 0) return TML_OK;
    set_trial(s, fmin(end, tmli_ida_time(s->ida)));
    st = tmli_state_check_branch(s->sys, s->eq.work, s->trial, err);
    if (st != TML_OK) {
        s->restart = true;
        s->h_restart = TMLI_SMALLEST_RATIO * h;
    }
    return st;
}

static double next_step(void *self, double h, double error, bool accepted)
{
    const regularized *s = self;
    const double ahead = tmli_ida_time(s->ida) - (s->x->t + (accepted ? h : 0));
    (void)error;
    return ahead > same_time(s, h) ? ahead : tmli_ida_next_step(s->ida);
}

static void accept(void *self, double t)
{
    regularized *s = self;
    tml_state *x = s->previous;
    s->previous = s->x;
    s->x = s->trial;
    s->trial = x;
    s->x->t = t;
    if (s->sys->ops->accept) s->sys->ops->accept(s->sys->self, s->eq.work, s->x);
    tmli_weights_track(&s->weights, s->x);
    update_gamma(s);
    if (chooses_epsilon(s))
        s->eq.epsilon = tmli_epsilon_control_update(&s->epsilon_control, s->x, s->x->t - s->previous->t);
    tml_state_copy(s->trial, s->x);  // for its angles and modes
    tmli_state_copy_accepted(s->eq.x, s->x);
    if (tmli_regular_rotation(&s->eq, s->y) > TMLI_CHART_ROTATION) s->restart = true;
}

// IDA continues with its history: its error test sees the jump of the accelerations, and shortens the step if
// the tolerance demands it. An IDA that is ahead of x has made its step with the old inputs.
static tml_status inputs_changed(void *self, const tml_state *x, tml_error *err)
{
    regularized *s = self;
    (void)err;
    tmli_state_copy_inputs(s->x, x);
    tmli_state_copy_inputs(s->trial, x);
    tmli_state_copy_inputs(s->eq.x, x);
    if (tmli_ida_time(s->ida) > s->x->t + same_time(s, 0)) s->restart = true;
    return TML_OK;
}

static void interpolate(void *self, double theta, tml_state *out)
{
    const regularized *s = self;
    if (theta >= 1 || s->x->t == s->previous->t) {
        tml_state_copy(out, s->x);
        return;
    }
    const double t = s->previous->t + theta * (s->x->t - s->previous->t);
    tml_state_copy(out, s->x);
    tmli_state_copy_accepted(out, s->previous);
    tmli_ida_get(s->ida, t, 0, s->y);
    tmli_ida_get(s->ida, t, 1, s->yp);
    tmli_regular_state(&s->eq, t, s->y, s->yp, out);
}

static const tml_state *state(const void *self) { return ((const regularized *)self)->x; }
static void counters(const void *self, tml_counters *out) { *out = ((const regularized *)self)->count; }
static double condition(void *self)
{
    const double r = tmli_regular_rcond(&((regularized *)self)->eq);
    return r > 0 ? 1 / r : 0;
}

// IDA sets up its parts in the first step: one from x, before the archive gives IDA its history.
static void archive(void *self, tml_archive *a)
{
    regularized *s = self;
    const tmli_sizes sizes = sizes_of(s);
    tmli_archive_mark(a, "regularized");
    tml_state_archive(s->x, a);  // IDA is set up there
    tmli_weights_archive(&s->weights, NULL, a);
    double gamma = s->eq.gamma, epsilon = s->eq.epsilon;
    tml_archive_doubles(a, &gamma, 1);
    tml_archive_doubles(a, &epsilon, 1);
    if (tml_archive_reading(a) && tml_archive_status(a) == TML_OK) {
        s->eq.gamma = gamma;
        s->eq.epsilon = epsilon;
        s->h_restart = INFINITY;
        if (restart_ida(s, NULL) != TML_OK || tmli_ida_step(s->ida, INFINITY, NULL) < 0)
            tml_archive_fail(a, TML_ERR_IO, "the saved simulation is damaged: IDA cannot be set up");
        if (tml_archive_status(a) != TML_OK) return;
    }
    tmli_regular_archive(&s->eq, a);
    if (chooses_epsilon(s)) tmli_epsilon_control_archive(&s->epsilon_control, a);
    tmli_ida_archive(s->ida, a);
    tml_counters_archive(&s->count, a);
    tmli_fields_archive(&FIELDS, &sizes, s, a);
}

// ---- tables -----------------------------------------------------------------------------------------------

TMLI_CREATE_METHOD(create_baumgarte, create(sys, opt, TMLI_REGULARIZATION_BAUMGARTE, "baumgarte", self, err))
TMLI_CREATE_METHOD(create_trust,
                   create(sys, opt, TMLI_REGULARIZATION_TRUST_REGION, "trust-region", self, err))
TMLI_CREATE_METHOD(create_direct, create(sys, opt, TMLI_REGULARIZATION_DIRECT, "direct-reg", self, err))

#define REGULARIZED(NAME, SUMMARY, CITATION, CREATE, DEPENDENT)                                          \
    {                                                                                                    \
        .name = NAME, .summary = SUMMARY, .form = "index 3, regularized",                                \
        .stability = "stiffly stable, orders 1-5", .citation = CITATION, .order = 5, .max_order = 5,     \
        .equations = TML_EQUATIONS_REGULARIZED, .no_fixed_step = true, .create = CREATE, .start = start, \
        .first_step = first_step, .step = step, .next_step = next_step, .accept = accept,                \
        .interpolate = interpolate, .state = state, .counters = counters, .condition = condition,        \
        .inputs_changed = inputs_changed, .destroy = destroy, .archive = archive, .any_rank = DEPENDENT  \
    }

const tml_method_ops tmli_method_baumgarte =
    REGULARIZED("baumgarte", "IDA on stabilized constraints (gamma)",
                "Baumgarte 1972; Petzold, Ren & Maly 1997, (2.6), (4.4)", create_baumgarte, false);
const tml_method_ops tmli_method_trust_region =
    REGULARIZED("trust-region", "IDA on constraints of any rank (gamma, epsilon)",
                "Petzold, Ren & Maly 1997, (2.10), (4.6)", create_trust, true);
const tml_method_ops tmli_method_direct_reg =
    REGULARIZED("direct-reg", "IDA on softened constraints (gamma, epsilon)",
                "Petzold, Ren & Maly 1997, (2.12), (4.8)", create_direct, true);

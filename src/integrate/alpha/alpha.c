// The step of the alpha family; equation numbers as in alpha.h.
#include "integrate/alpha/alpha.h"
#include "integrate/core/hermite.h"
#include "system/state/accepted.h"
#include "system/state/fields.h"
#include "system/state/move.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/alpha/constants.h"

static const tmli_span POINT[] = {TMLI_KEPT(tmli_alpha_point, v, jerk, TMLI_BY_N, 1),
                                  TMLI_KEPT(tmli_alpha_point, lambda, lambda_rate, TMLI_BY_M, 1),
                                  TMLI_NUMBERS(tmli_alpha_point, span, span),
                                  {0}};
static const tmli_fields FIELDS = {
    "alpha", offsetof(tmli_alpha, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_alpha, h_last, matrix_error),
                        TMLI_NUMBERS(tmli_alpha, matrix_count, matrix_count),
                        TMLI_NUMBERS(tmli_alpha, standing_known, standing_known),
                        TMLI_KEPT_STATES(tmli_alpha, x, previous),
                        TMLI_SCRATCH_STATES(tmli_alpha, scratch, scratch),
                        TMLI_PARTS(tmli_alpha, last, found, POINT),
                        TMLI_KEPT(tmli_alpha, shift, eu, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_alpha, fresh_lambda, gap, TMLI_BY_M, 1),
                        {0}}};

void tmli_alpha_destroy(void *self)
{
    tmli_alpha *g = self;
    if (!g) return;
    const tml_env *env = &g->sys->env;
    tmli_kernel_clear(&g->kernel);
    tmli_consistent_clear(&g->consistent);
    tmli_weights_clear(&g->weights);
    tmli_vibration_test_clear(&g->vibrations);
    tmli_object_clear(&FIELDS, g->sys, g);
    tmli_free(env, g);
}

// 2 c4 of vibration_test.h (3). A vibration of phase x = h w is multiplied by r in a step, by (1) to (3)
//   (r - 1)^2 = -x^2 ((1 - af) r + af)/((1 - am) r + am) [1 - gamma + gamma r + (r - 1)(1/2 - beta + beta r)]
static double loss_of(const tmli_alpha_scheme *s)
{
    const double x = LOSS_PHASE;
    double complex r = cexp(I * x);
    for (int i = 0; i < LOSS_ITERATIONS; i++)
        r = 1 + I * x *
                    csqrt(((1 - s->af) * r + s->af) / ((1 - s->am) * r + s->am) *
                          (1 - s->gamma + s->gamma * r + (r - 1) * (0.5 - s->beta + s->beta * r)));
    return 2 * (1 - cabs(r)) / (x * x * x * x);
}

static void set_scheme(tmli_alpha *g, const tmli_alpha_scheme *scheme)
{
    const double am = scheme->am, af = scheme->af, beta = scheme->beta, gamma = scheme->gamma;
    const double theta = am - af;
    const double kappa = ((1 - af) - (1 - am) * (1 + 2 * theta) - theta * theta) / 2;
    g->scheme = *scheme;
    g->scheme.inner = scheme->inner && af > 0;
    g->point = g->scheme.inner ? 1 - af : 1;
    g->theta = theta;
    g->cq = 1.0 / 6 - theta / 2 - beta;
    g->c1 = 0.5 - theta - gamma;
    if (fabs(g->c1) < 16 * DBL_EPSILON) g->c1 = 0;  // a sum of rounded numbers of the order 1
    g->cs = g->cq - g->c1 / 2;
    g->cu = 1.0 / 6 - theta * theta / 2 - kappa - gamma * (1 + 2 * theta) / 2;
    g->order = g->c1 == 0 ? 2 : 1;
    g->loss = loss_of(scheme);
    // roots of (1), (2) with Phi = 0; of v in (3); of `a` where forces do not react
    g->root = fabs(gamma - 1.5) / (gamma + 0.5);
    if (!g->scheme.inner) g->root = fmax(g->root, af / (1 - af));
    g->root = fmax(g->root, fabs(am / (1 - am)));
    // Disturbances of `a` decay by the root per step and grow with the step. In the multipliers they are
    // divided by h: shorter steps do not reduce them.
    g->renews = g->root * TMLI_STIFF_GROWTH > 1 || g->opt.run.control == TML_CONTROL_ALL;
    g->control = (tmli_step_control){.wanted = TMLI_WANTED_ERROR, .growth = TMLI_STIFF_GROWTH, .keeps = true};
}

tml_status tmli_alpha_create(const tml_system *sys, const tml_integrator_options *opt,
                             const tmli_alpha_scheme *scheme, void **self, tml_error *err)
{
    *self = NULL;
    if (opt->run.constraint_point != TML_CONSTRAINT_POINT_END && !scheme->inner)
        return tmli_fail(err, TML_ERR_ARG,
                         "constraint_point is a setting of midpoint, and of genalpha and hht with placement "
                         "inner");
    if (opt->run.constraint_point != TML_CONSTRAINT_POINT_END && sys->level)
        return tmli_fail(err, TML_ERR_ARG,
                         "constraint_point must be end: the model has constraints of velocities, such as "
                         "rolling, which hold at the end of the step");
    if (opt->run.constraint_point == TML_CONSTRAINT_POINT_MEAN && !sys->ops->increment)
        return tmli_fail(
            err, TML_ERR_ARG,
            "constraint_point must not be mean: the system has no increments of its constraints");
    // with af = 1/2 the errors of constraints and of velocities across them change their sign in every step
    // and do not decay, while the curvature of the constraints adds to them
    if (opt->run.constraint_point == TML_CONSTRAINT_POINT_INNER && !(scheme->af < 0.5))
        return tmli_fail(err, TML_ERR_ARG,
                         "constraint_point inner needs numerical damping, which midpoint and genalpha with "
                         "rho = 1 do not have: velocities across the constraints would alternate");
    tmli_alpha *g = tmli_calloc(&sys->env, 1, sizeof *g);
    if (!g) return tmli_no_memory(err, "integrator");
    g->sys = sys;
    g->opt = *opt;
    set_scheme(g, scheme);
    tml_status st = tmli_object_create(&FIELDS, sys, g, err);
    if (st == TML_OK) st = tmli_kernel_create(sys, opt, &g->count, &g->kernel, err);
    if (st == TML_OK)
        st = tmli_consistent_create_shared(sys, opt->solver, opt->shared_workspace, &g->consistent, err);
    if (st == TML_OK) st = tmli_weights_create(sys, opt, &g->weights, err);
    if (st == TML_OK) st = tmli_vibration_test_create(sys, opt, &g->kernel, &g->weights, &g->vibrations, err);
    if (st != TML_OK) {
        tmli_alpha_destroy(g);
        return st;
    }
    g->kernel.weights = &g->weights;
    *self = g;
    return TML_OK;
}

// ---- step -------------------------------------------------------------------------------------------------

// Coefficients of a step: a_f = c5 v_i + c6 a_i + c9 v, D = h u_i + c1 v_i + c2 a_i + c8 v, u_f = u_i + c3
// v_i + c4 a_i + c7 v.
typedef struct coefficients {
    double c1, c2, c3, c4, c5, c6, c7, c8, c9;
} coefficients;

static coefficients coefficients_of(const tmli_alpha_scheme *s, double h)
{
    const double k = 1 / (1 - s->am), af = s->inner ? 0 : s->af;
    const double c5 = af * k, c9 = (1 - af) * k;
    return (coefficients){.c1 = s->beta * c5 * h * h,
                          .c2 = (0.5 - s->beta * k) * h * h,
                          .c3 = s->gamma * c5 * h,
                          .c4 = (1 - s->gamma * k) * h,
                          .c5 = c5,
                          .c6 = -s->am * k,
                          .c7 = s->gamma * c9 * h,
                          .c8 = s->beta * c9 * h * h,
                          .c9 = c9};
}

// Predict D and the trial state at the point of equilibrium: accelerations change as in the last step.
static void predict(tmli_alpha *g, double h, const coefficients *k)
{
    const tml_system *s = g->sys;
    const tml_state *x = g->x;
    tml_state *y = g->trial;
    const double c = g->point;
    tml_state_copy(y, x);
    y->t = x->t + c * h;
    for (int j = 0; j < s->n; j++) {
        const double u = g->u_start[j], v = x->udot[j], a = v + h * g->shift[j];
        const double guess = v + c * h * g->last.jerk[j];
        y->udot[j] = guess;
        y->u[j] = u + c * (k->c3 * v + k->c4 * a + k->c7 * guess);
        g->D[j] = h * u + k->c1 * v + k->c2 * a + k->c8 * guess;
    }
    for (int r = 0; r < s->m; r++) y->lambda[r] = x->lambda[r] + c * h * g->last.lambda_rate[r];
}

// Complete the step from the point of equilibrium to its end: q, u, and (6).
static void finish(tmli_alpha *g, double h, const coefficients *k)
{
    const tml_system *s = g->sys;
    const tml_state *x = g->x;
    tml_state *y = g->trial;
    const double rest = (1 - g->point) * h;
    if (g->point < 1) {
        y->t = x->t + h;
        tmli_state_move(s, x, g->D, y);
    }
    for (int j = 0; j < s->n; j++) {
        const double v = x->udot[j], a = v + h * g->shift[j], raw = y->udot[j];
        if (g->point < 1) y->u[j] = g->u_start[j] + k->c3 * v + k->c4 * a + k->c7 * raw;
        g->found.jerk[j] = (g->found.v[j] - g->last.v[j]) / g->found.span;
        y->udot[j] = g->found.v[j] + rest * g->found.jerk[j];
        g->trial_shift[j] = (k->c5 * v + k->c6 * a + k->c9 * raw - y->udot[j]) / h;
    }
    for (int r = 0; r < s->m; r++) {
        g->found.lambda_rate[r] = (g->found.lambda[r] - g->last.lambda[r]) / g->found.span;
        y->lambda[r] = g->found.lambda[r] + rest * g->found.lambda_rate[r];
    }
}

// (12) for the shift: across the constraints it is theta times the jerk.
static tml_status renew_shift(tmli_alpha *g, tml_error *err)
{
    const int n = g->sys->n;
    if (g->theta == 0) {
        // the midpoint rule does not use `a`, the trapezoidal rule has a = udot
        memset(g->trial_shift, 0, (size_t)n * sizeof(double));
        return TML_OK;
    }
    double *d = g->first;
    for (int j = 0; j < n; j++) d[j] = g->theta * g->found.jerk[j] - g->trial_shift[j];
    tml_status st = tmli_alpha_split(g, g->trial, d, g->taken, err);
    for (int j = 0; j < n && st == TML_OK; j++) g->trial_shift[j] += g->taken[j];
    return st;
}

// (12) for accelerations and multipliers.
static tml_status apply_index1(tmli_alpha *g, tml_error *err)
{
    const tml_system *s = g->sys;
    if (s->m == 0 || !g->renew) return TML_OK;
    tml_status st = tmli_alpha_solve_index1(g, g->trial, g->fresh_v, g->fresh_lambda, err);
    if (st != TML_OK) return st;
    memcpy(g->found.v, g->fresh_v, (size_t)s->n * sizeof(double));
    memcpy(g->found.lambda, g->fresh_lambda, (size_t)s->m * sizeof(double));
    return TML_OK;
}

tml_status tmli_alpha_step(void *self, double h, double *error, tml_error *err)
{
    tmli_alpha *g = self;
    const tml_system *s = g->sys;
    const coefficients k = coefficients_of(&g->scheme, h);
    tml_state *y = g->trial;
    tml_status st = TML_OK;
    g->h_trial = h;
    tmli_vibration_test_begin(&g->vibrations);
    g->is_short = s->m > 0 && h < SHORT_STEP * g->longest;
    g->renew = g->renews || g->is_short;
    g->a0 = 1 / k.c8;
    g->a1 = g->point * k.c7 / k.c8;
    // the last step was cut to land on a time: its differences have too short a span
    if (g->h_last > 0 && TMLI_SMALLEST_RATIO * h > g->h_last) st = tmli_alpha_begin(g, err);
    if (st == TML_OK && g->h_last == 0 && g->opt.fixed_step) st = tmli_alpha_settle(g, h, err);
    if (st == TML_OK) st = tmli_alpha_perturb(g, h, err);
    if (st != TML_OK) return st;
    predict(g, h, &k);
    const tmli_stage stage = {.a0 = g->a0,
                              .a1 = g->a1,
                              .theta = g->point,
                              .t_end = g->x->t + h,
                              .rows = g->opt.run.constraint_point,
                              .u_start = g->u_start,
                              .h = h};
    st = tmli_kernel_solve(&g->kernel, g->x, &stage, tmli_weights_feedback(&g->weights, h),
                           tmli_weights_newton_tolerance(&g->weights, h), g->D, y, err);
    if (st != TML_OK && g->h_last == 0 && g->opt.fixed_step) tmli_step_name_start(g->quick, err);
    if (st != TML_OK) return st;
    memcpy(g->found.v, y->udot, (size_t)s->n * sizeof(double));
    memcpy(g->found.lambda, y->lambda, (size_t)s->m * sizeof(double));
    g->found.span = g->point * h + (1 - g->point) * g->h_last;
    st = apply_index1(g, err);
    if (st != TML_OK) return st;
    finish(g, h, &k);
    st = tmli_state_check_branch(s, g->kernel.work, y, err);
    if (st == TML_OK && s->m > 0 && g->renew) st = renew_shift(g, err);
    *error = 0;
    return st == TML_OK && !g->opt.fixed_step ? tmli_alpha_estimate(g, h, error, err) : st;
}

void tmli_alpha_accept(void *self, double t)
{
    tmli_alpha *g = self;
    const tml_system *s = g->sys;
    g->trial->t = t;
    if (s->ops->accept) s->ops->accept(s->self, g->kernel.work, g->trial);
    const tmli_alpha_point found = g->found;
    g->found = g->last;
    g->last = found;
    memcpy(g->shift, g->trial_shift, (size_t)s->n * sizeof(double));
    memcpy(g->D_last, g->D, (size_t)s->n * sizeof(double));
    tml_state *oldest = g->previous;
    g->previous = g->x;
    g->x = g->trial;
    g->trial = oldest;
    g->h_last = g->h_dense = g->h_trial;
    g->longest = fmax(g->h_last, STEP_MEMORY * g->longest);
    g->standing_known = false;
    tmli_weights_track(&g->weights, g->x);
    tmli_vibration_test_accept(&g->vibrations, g->x, &g->count);
    g->count.steps++;
}

// The error per unit step is of order h^2 (h if the scheme is of first order).
double tmli_alpha_next_step(void *self, double h, double error, bool accepted)
{
    tmli_alpha *g = self;
    return tmli_step_next(&g->control, h, error, g->order, accepted);
}

// ---- dense output -----------------------------------------------------------------------------------------

void tmli_alpha_interpolate(void *self, double theta, tml_state *out)
{
    const tmli_alpha *g = self;
    tmli_hermite(g->sys, g->previous, g->x, g->D_last, g->h_dense, theta, out);
}

const tml_state *tmli_alpha_state(const void *self) { return ((const tmli_alpha *)self)->x; }
void tmli_alpha_counters(const void *self, tml_counters *out) { *out = ((const tmli_alpha *)self)->count; }
double tmli_alpha_condition(void *self) { return tmli_kernel_condition(&((tmli_alpha *)self)->kernel); }
void tmli_alpha_conditioning(void *self, tml_conditioning *out)
{
    tmli_kernel_conditioning(&((tmli_alpha *)self)->kernel, out);
}

void tmli_alpha_archive(void *self, tml_archive *a)
{
    tmli_alpha *g = self;
    tmli_object_archive(&FIELDS, g->sys, g, a);
    tml_counters_archive(&g->count, a);
    tmli_kernel_archive(&g->kernel, a);
    tmli_step_archive(&g->control, a);
    tmli_consistent_archive(&g->consistent, a);
    tmli_weights_archive(&g->weights, &g->consistent, a);
    tmli_vibration_test_archive(&g->vibrations, a);
}

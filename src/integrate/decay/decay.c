// The methods decay and conserve; equation numbers as in decay.h.
#include "integrate/decay/decay.h"
#include "integrate/core/hermite.h"
#include "integrate/core/methods.h"
#include "system/state/fields.h"
#include "system/state/first_order.h"
#include "system/state/move.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/decay/constants.h"

enum { POINTS = TMLI_DECAY_HISTORY + 1 };

static const tmli_span POINT[] = {TMLI_NUMBERS(tmli_decay_point, t, t),
                                  TMLI_KEPT(tmli_decay_point, v, v, TMLI_BY_N, 1),
                                  TMLI_KEPT(tmli_decay_point, lambda, lambda, TMLI_BY_M, 1),
                                  {0}};
static const tmli_fields FIELDS = {
    "decay", offsetof(tmli_decay, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_decay, ratio, h_dense),
                        TMLI_INDICES(tmli_decay, points, points, 0, TMLI_BY_ONE, POINTS),
                        TMLI_KEPT_STATES(tmli_decay, x, previous),
                        TMLI_SCRATCH_STATES(tmli_decay, end, end),
                        TMLI_PARTS(tmli_decay, point[0], point, POINT),
                        TMLI_KEPT(tmli_decay, inertia, moved, TMLI_BY_N, 1),
                        TMLI_SCRATCH(tmli_decay, gap, gap, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_decay, mass, mass, TMLI_BY_NNZ, 1),
                        {0}}};

static void destroy(void *self)
{
    tmli_decay *g = self;
    if (!g) return;
    const tml_env *env = &g->sys->env;
    tmli_kernel_clear(&g->kernel);
    tmli_consistent_clear(&g->consistent);
    tmli_weights_clear(&g->weights);
    tmli_vibration_test_clear(&g->vibrations);
    tmli_object_clear(&FIELDS, g->sys, g);
    tmli_free(env, g);
}

static tml_status create(const tml_system *sys, const tml_integrator_options *opt, double rho, void **self,
                         tml_error *err)
{
    *self = NULL;
    if (!(rho >= 0 && rho <= 1))
        return tmli_fail(err, TML_ERR_ARG, "rho = %g is outside of its range 0 .. 1", rho);
    tmli_decay *g = tmli_calloc(&sys->env, 1, sizeof *g);
    if (!g) return tmli_no_memory(err, "integrator");
    g->sys = sys;
    g->opt = *opt;
    g->most = (1 - rho) / (1 + rho) / 2;
    g->control = (tmli_step_control){.wanted = TMLI_WANTED_ERROR, .growth = TMLI_STIFF_GROWTH, .keeps = true};
    // (5) is as good as the solution of (2): it is iterated to round-off whatever the tolerance
    tml_integrator_options exact = *opt;
    exact.fixed_step = opt->fixed_step || sys->nz == 0;
    tml_status st = tmli_object_create(&FIELDS, sys, g, err);
    if (st == TML_OK) st = tmli_kernel_create(sys, &exact, &g->count, &g->kernel, err);
    if (st == TML_OK)
        st = tmli_consistent_create_shared(sys, opt->solver, opt->shared_workspace, &g->consistent, err);
    if (st == TML_OK) st = tmli_weights_create(sys, opt, &g->weights, err);
    if (st == TML_OK) st = tmli_vibration_test_create(sys, opt, &g->kernel, &g->weights, &g->vibrations, err);
    if (st != TML_OK) {
        destroy(g);
        return st;
    }
    g->kernel.weights = &g->weights;
    *self = g;
    return TML_OK;
}

TMLI_CREATE_METHOD(create_decay, create(sys, opt, isnan(opt->run.rho) ? 0 : opt->run.rho, self, err))
TMLI_CREATE_METHOD(create_conserve, create(sys, opt, 1, self, err))

// ---- start ------------------------------------------------------------------------------------------------

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    tmli_decay *g = self;
    const tml_system *s = g->sys;
    tml_state_copy(g->x, x);
    tml_state_copy(g->previous, x);
    memset(g->D_last, 0, (size_t)s->n * sizeof(double));
    g->h_dense = 0;
    tmli_step_start(&g->control);
    tmli_weights_start(&g->weights, x);
    tmli_kernel_request_matrix(&g->kernel);
    g->point[1].t = x->t;
    memcpy(g->point[1].v, x->udot, (size_t)s->n * sizeof(double));
    memcpy(g->point[1].lambda, x->lambda, (size_t)s->m * sizeof(double));
    g->points = 1;
    tml_state_copy(g->trial, x);
    tml_status st = tmli_consistent_accelerations(&g->consistent, g->trial, err);
    if (st != TML_OK) return st;
    tmli_weights_set_massless(&g->weights, tmli_consistent_massless(&g->consistent));
    st = s->ops->diagonals(s->self, g->kernel.work, x, g->inertia, g->first, g->second, err);
    for (int j = tmli_mechanical(s); j < s->n; j++) g->inertia[j] = 0;
    if (st == TML_OK) st = tmli_vibration_test_start(&g->vibrations, x, err);
    const tml_assembly mass = {.cm = 1};
    return st == TML_OK ? tmli_active_assemble(s, g->kernel.work, x, &mass, g->mass, err) : st;
}

// Accelerations jump: those of earlier steps with them, so that what error estimate and (6) compare stays.
static tml_status inputs_changed(void *self, const tml_state *x, tml_error *err)
{
    tmli_decay *g = self;
    double *d = g->first, *dl = g->gap;
    tml_status st = tmli_consistent_change_inputs(&g->consistent, g->x, x, d, dl, err);
    for (int i = 1; i <= g->points && st == TML_OK; i++) {
        for (int j = 0; j < g->sys->n; j++) g->point[i].v[j] += d[j];
        for (int r = 0; r < g->sys->m; r++) g->point[i].lambda[r] += dl[r];
    }
    return st;
}

// By the motion alone; the error estimate of the first step does the rest.
static double first_step(void *self)
{
    tmli_decay *g = self;
    const tml_system *s = g->sys;
    double h = g->opt.duration / TMLI_FIRST_STEPS_PER_RUN;
    const double part = TMLI_FIRST_STEP_PART * sqrt(fmin(1, g->opt.run.atol + g->opt.run.rtol));
    const double rate = tmli_weights_with_states(&g->weights, tmli_weights_rate(&g->weights));
    h = fmin(h, part / (rate + DBL_MIN));
    for (int j = 0; j < tmli_mechanical(s); j++)
        h = fmin(h, part * sqrt(tmli_weights_unit(&g->weights, j) / (fabs(g->x->udot[j]) + DBL_MIN)));
    return h;
}

// ---- step -------------------------------------------------------------------------------------------------

// r of (6) from the last three accelerations, for a step of size h. Those that change velocities by less than
// a step may be wrong are taken for steady: the round-off of forces in balance alternates, too, and alpha
// would cost first-order states beside them their order.
static double alternation(const tmli_decay *g, double h)
{
    if (g->points < TMLI_DECAY_HISTORY) return 0;
    const tmli_decay_point *a = &g->point[1], *b = &g->point[2], *c = &g->point[3];
    const double w = (b->t - c->t) / (a->t - c->t);
    double out = 0, size[3] = {0}, allowed = 0;
    for (int j = 0; j < g->sys->n; j++) {
        const double m = g->inertia[j], d = b->v[j] - (w * a->v[j] + (1 - w) * c->v[j]);
        const double e = tmli_weights_step_velocity(&g->weights, j, h) / h;
        out += m * d * d;
        if (!tmli_weights_massless(&g->weights, j)) allowed += m * e * e;
        size[0] += m * a->v[j] * a->v[j];
        size[1] += m * b->v[j] * b->v[j];
        size[2] += m * c->v[j] * c->v[j];
    }
    const double sum = sqrt(size[1]) + w * sqrt(size[0]) + (1 - w) * sqrt(size[2]);
    return sum > 2 * sqrt(allowed) ? fmin(1, sqrt(out) / sum) : 0;
}

// What a step begins with, in the order in which it is tried. Large steps of a stiff system end nowhere near
// where present accelerations lead.
typedef enum guess { ACCELERATIONS_GO_ON, VELOCITIES_GO_ON, REST, GUESSES } guess;

// D and the state at the middle of the step.
static void predict(tmli_decay *g, double h, guess by)
{
    const tml_system *s = g->sys;
    const tml_state *x = g->x;
    const tmli_decay_point *a = &g->point[1], *b = &g->point[2];
    tml_state *y = g->trial;
    const double t = x->t + h / 2, share = 0.5 + g->share;
    // accelerations change as in the last steps, unless they alternate
    const double ahead =
        g->points > 1 && by == ACCELERATIONS_GO_ON ? (1 - g->ratio) * (t - a->t) / (a->t - b->t) : 0;
    tml_state_copy(y, x);
    y->t = t;
    for (int j = 0; j < s->n; j++) {
        y->udot[j] = by == ACCELERATIONS_GO_ON ? a->v[j] + (ahead > 0 ? ahead * (a->v[j] - b->v[j]) : 0)
                     : by == VELOCITIES_GO_ON  ? 0
                                               : -x->u[j] / (share * h);
        g->D[j] = by == REST ? 0 : h * x->u[j] + share * h * h * y->udot[j];
        y->u[j] = g->D[j] / h;
    }
    for (int r = 0; r < s->m; r++)
        y->lambda[r] = a->lambda[r] + (ahead > 0 ? ahead * (a->lambda[r] - b->lambda[r]) : 0);
}

// From the middle to the end of the step; accelerations and multipliers are extrapolated.
static void finish(tmli_decay *g, double h)
{
    const tml_system *s = g->sys;
    const tml_state *x = g->x;
    tml_state *y = g->trial;
    tmli_decay_point *found = &g->point[0];
    const tmli_decay_point *last = &g->point[1];
    const double rest = (1 - g->ratio) * (h / 2) / (found->t - last->t);
    y->t = x->t + h;
    tmli_state_move(s, x, g->D, y);
    for (int j = 0; j < s->n; j++) {
        y->u[j] = x->u[j] + h * found->v[j];
        y->udot[j] = found->v[j] + rest * (found->v[j] - last->v[j]);
    }
    for (int r = 0; r < s->m; r++)
        y->lambda[r] = found->lambda[r] + rest * (found->lambda[r] - last->lambda[r]);
}

// Kinetic energy [J] of the velocities u (n).
static double kinetic_energy(const tmli_decay *g, const double *u)
{
    const tml_pattern *p = g->sys->pattern;
    double sum = 0;
    for (int j = 0; j < tmli_mechanical(g->sys); j++)
        for (int i = p->colptr[j]; i < p->colptr[j + 1]; i++)
            if (p->rowind[i] < tmli_mechanical(g->sys)) sum += u[p->rowind[i]] * g->mass[i] * u[j];
    return sum / 2;
}

// (8): velocities of the trial state. They stay as the step has found them where the rows are dependent, and
// next to rest, where they could not have the kinetic energy.
static tml_status project(tmli_decay *g, tml_error *err)
{
    const tml_system *s = g->sys;
    tml_state *y = g->trial;
    double *gap = g->gap, *d = g->first;
    if (s->m == 0) return TML_OK;
    tml_status st = tmli_consistent_factor(&g->consistent, y, err);
    if (st == TML_ERR_SINGULAR) return TML_OK;
    if (st == TML_OK) st = tmli_active_velocity(s, g->kernel.work, y, gap, err);
    if (st != TML_OK) return st;
    g->count.factorizations++;
    tmli_consistent_constrain(&g->consistent, gap, d);
    const double before = kinetic_energy(g, y->u);
    for (int j = 0; j < s->n; j++) y->u[j] -= d[j];
    if (g->most > 0 || !s->autonomous) return TML_OK;
    const double after = kinetic_energy(g, y->u);
    const bool restores = fabs(before - after) <= LARGEST_RESTORED * before;
    const double factor = restores && after > 0 ? sqrt(before / after) : 1;
    for (int j = 0; j < s->n; j++)
        y->u[j] = !restores                            ? y->u[j] + d[j]
                  : s->kind[j] == TML_COORDINATE_STATE ? y->u[j]
                                                       : factor * y->u[j];
    return TML_OK;
}

// (1) to (3), from one guess after the other. The first try ends at the round-off of positions; if light and
// thin parts do not get there, because their rotations have more, the next ones end at theirs.
static tml_status solve(tmli_decay *g, const tmli_stage *stage, double h, tml_error *err)
{
    const double feedback = tmli_weights_feedback(&g->weights, h);
    // increments of first-order states are measured in units of the tolerance, which round-off may exceed
    const bool states = g->sys->nz > 0;
    const double tol = states ? tmli_weights_newton_tolerance(&g->weights, h) : 0;
    tml_status st = TML_RETRY;
    bool retry = true;
    for (int i = states; i <= GUESSES && retry; i++) {
        const guess by = i == 0 ? ACCELERATIONS_GO_ON : (guess)(i - 1);
        if (i > 1 && !g->opt.fixed_step) break;  // a smaller step is better
        predict(g, h, by);
        tmli_kernel_set_roundoff_share(&g->kernel, i == 0 ? 1 / g->kernel.gyration_ratio : 1);
        st = tmli_kernel_solve(&g->kernel, g->x, stage, feedback, tol, g->D, g->trial, err);
        if (st != TML_OK) tmli_kernel_request_matrix(&g->kernel);
        retry = st == TML_RETRY || st == TML_ERR_SINGULAR || st == TML_ERR_NAN;
    }
    return st;
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    tmli_decay *g = self;
    const tml_system *s = g->sys;
    tml_state *y = g->trial;
    g->h_trial = h;
    tmli_vibration_test_begin(&g->vibrations);
    g->ratio = alternation(g, h);
    g->share = g->ratio * sqrt(g->ratio) * g->most;
    const tmli_stage stage = {.a0 = 1 / ((0.5 + g->share) * h * h),
                              .a1 = 1 / h,
                              .theta = 0.5,
                              .t_end = g->x->t + h,
                              .u_start = g->x->u,
                              .velocity_share = 0.5 + g->share,
                              .h = h,
                              .mean_end = g->end,
                              .decay = g->share};
    tml_status st = solve(g, &stage, h, err);
    if (st != TML_OK) return st;
    g->point[0].t = y->t;
    memcpy(g->point[0].v, y->udot, (size_t)s->n * sizeof(double));
    memcpy(g->point[0].lambda, y->lambda, (size_t)s->m * sizeof(double));
    finish(g, h);
    st = tmli_state_check_branch(s, g->kernel.work, y, err);
    if (st == TML_OK) st = project(g, err);
    *error = 0;
    return st == TML_OK && !g->opt.fixed_step ? tmli_decay_estimate(g, h, error, err) : st;
}

static void accept(void *self, double t)
{
    tmli_decay *g = self;
    const tml_system *s = g->sys;
    g->trial->t = t;
    if (s->ops->accept) s->ops->accept(s->self, g->kernel.work, g->trial);
    const tmli_decay_point oldest = g->point[POINTS - 1];
    for (int i = POINTS - 1; i > 0; i--) g->point[i] = g->point[i - 1];
    g->point[0] = oldest;
    if (g->points < TMLI_DECAY_HISTORY) g->points++;
    memcpy(g->D_last, g->D, (size_t)s->n * sizeof(double));
    tml_state *before = g->previous;
    g->previous = g->x;
    g->x = g->trial;
    g->trial = before;
    g->h_dense = g->h_trial;
    tmli_weights_track(&g->weights, g->x);
    tmli_vibration_test_accept(&g->vibrations, g->x, &g->count);
    g->count.steps++;
}

// The error per unit step is of order h^2.
static double next_step(void *self, double h, double error, bool accepted)
{
    return tmli_step_next(&((tmli_decay *)self)->control, h, error, 2, accepted);
}

static void interpolate(void *self, double theta, tml_state *out)
{
    const tmli_decay *g = self;
    tmli_hermite(g->sys, g->previous, g->x, g->D_last, g->h_dense, theta, out);
}

static const tml_state *state(const void *self) { return ((const tmli_decay *)self)->x; }
static void counters(const void *self, tml_counters *out) { *out = ((const tmli_decay *)self)->count; }
static double condition(void *self) { return tmli_kernel_condition(&((tmli_decay *)self)->kernel); }
static void conditioning(void *self, tml_conditioning *out)
{
    tmli_kernel_conditioning(&((tmli_decay *)self)->kernel, out);
}

static void archive(void *self, tml_archive *a)
{
    tmli_decay *g = self;
    tmli_object_archive(&FIELDS, g->sys, g, a);
    tml_counters_archive(&g->count, a);
    tmli_kernel_archive(&g->kernel, a);
    tmli_step_archive(&g->control, a);
    tmli_consistent_archive(&g->consistent, a);
    tmli_weights_archive(&g->weights, &g->consistent, a);
    tmli_vibration_test_archive(&g->vibrations, a);
}

// A massless part is in equilibrium with the mean of its forces: without inertia (6) does not see it.
static double radius(const tml_integrator_options *opt)
{
    (void)opt;
    return 1;
}

#define DECAY_FUNCTIONS                                                                             \
    .order = 2, .coarse_multipliers = true, .equations = TML_EQUATIONS_INDEX3, .form = "index 3",   \
    .radius_at_infinity = radius, .start = start, .first_step = first_step, .step = step,           \
    .next_step = next_step, .accept = accept, .interpolate = interpolate, .state = state,           \
    .counters = counters, .condition = condition, .conditioning = conditioning, .destroy = destroy, \
    .archive = archive, .inputs_changed = inputs_changed

const tml_method_ops tmli_method_decay = {
    .name = "decay",
    .summary = "energy never grows and high frequencies decay, at any step size (rho)",
    .stability = "energy-decaying, spectral radius rho at infinity",
    .citation = "own scheme, after Gonzalez 1996 and Armero & Romero 2001",
    .create = create_decay,
    DECAY_FUNCTIONS,
};

const tml_method_ops tmli_method_conserve = {
    .name = "conserve",
    .summary = "energy is conserved, at any step size",
    .stability = "energy-conserving, no damping",
    .citation = "Gonzalez 1996; Simo & Wong 1991",
    .create = create_conserve,
    DECAY_FUNCTIONS,
};

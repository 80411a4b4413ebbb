// Kinematics of driven mechanisms: the motion follows from the constraints alone, without integration.
//
//   Phi(q, t) = 0,   B u = nu,   B udot = gamma,   M udot + B' lambda = f                                 (1)
// The last equation gives the forces of drivers and joints (inverse dynamics). A step from x to x.t + h is a
// step of continuation in t, from the predicted state
//   q (+) (h u + h^2/2 udot),   u + h udot                                                                (2)
// by Newton's method (consistency/consistent.h). How far (2) is from the result, O(h^3), controls the step
// size: the correction must be small, so that it does not lead to another branch.
//
// B has as many independent rows as columns. In a singular configuration det B = 0: the motion is not
// determined, and branches may cross. On a path through it det B changes its sign; at a limit of the motion
// there is no path onward, and steps become arbitrarily short. Either ends the run.
#include "base/modes.h"
#include "consistency/consistent.h"
#include "consistency/tolerances.h"
#include "integrate/core/step_control.h"
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "system/state/fields.h"
#include "system/state/first_order.h"
#include "system/state/move.h"
#include "system/state/quintic.h"
#include "system/state/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrate/kinematic/constants.h"

typedef struct kinematic {
    const tml_system *sys;
    tmli_consistent consistent;
    double duration;         // of the run [s]
    bool fixed;              // steps of a given size
    double h_last, h_trial;  // [s]
    tmli_step_control control;
    tml_counters count;
    void *memory;  // of all arrays
    void *work;
    tml_state *x;  // last accepted
    tml_state *previous;
    tml_state *trial, *probe;
    double *quintic;    // of the last step
    double *d;          // (n)
    double *predicted;  // (nq) of (2)
    double *B_values;   // (entries of B)
    double *B;          // (n x n) active rows; none: too large
    int *pivot;         // (n)
} kinematic;

// ---- creation ---------------------------------------------------------------------------------------------

static const tmli_fields FIELDS = {
    "kinematics", offsetof(kinematic, memory),
    (const tmli_span[]){TMLI_NUMBERS(kinematic, h_last, h_last),
                        TMLI_WORK(kinematic, work),
                        TMLI_KEPT_STATES(kinematic, x, previous),
                        TMLI_SCRATCH_STATES(kinematic, trial, probe),
                        TMLI_KEPT(kinematic, quintic, quintic, TMLI_BY_N, TMLI_QUINTIC_SIZE(1)),
                        TMLI_SCRATCH(kinematic, d, d, TMLI_BY_N, 1),
                        TMLI_SCRATCH(kinematic, predicted, predicted, TMLI_BY_NQ, 1),
                        TMLI_SCRATCH(kinematic, B_values, B_values, TMLI_BY_ENTRIES, 1),
                        TMLI_SCRATCH(kinematic, B, B, TMLI_BY_OWN, 1),
                        TMLI_SCRATCH(kinematic, pivot, pivot, TMLI_BY_N, 1),
                        {0}}};

static void destroy(void *self)
{
    kinematic *s = self;
    if (!s) return;
    const tml_env *env = &s->sys->env;
    tmli_consistent_clear(&s->consistent);
    tmli_object_clear(&FIELDS, s->sys, s);
    tmli_free(env, s);
}

static tml_status create(const tml_system *sys, const tml_integrator_options *opt, void **self,
                         tml_error *err)
{
    kinematic *s = tmli_calloc(&sys->env, 1, sizeof *s);
    *self = NULL;
    if (!s) return tmli_no_memory(err, "kinematics");
    s->sys = sys;
    s->duration = opt->duration;
    s->fixed = opt->fixed_step;
    s->control =
        (tmli_step_control){.wanted = TMLI_WANTED_ERROR, .growth = 1 / TMLI_SMALLEST_RATIO, .one_step = true};
    tml_status st = tmli_consistent_create_redundant(sys, opt->solver, &s->consistent, err);
    const bool watch = sys->n <= MAX_DETERMINANT && sys->loops;
    tmli_sizes sizes = tmli_sizes_of(sys);
    sizes.of[TMLI_BY_OWN] = watch ? (size_t)sys->n * (size_t)sys->n : 0;
    if (st == TML_OK) st = tmli_fields_create(&FIELDS, &sizes, s, err);
    if (st == TML_OK && watch) st = tmli_lapack_load(err);
    if (st != TML_OK) {
        destroy(s);
        return st;
    }
    if (!watch) s->B = NULL;
    *self = s;
    return TML_OK;
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    kinematic *s = self;
    (void)err;
    tml_state_copy(s->x, x);
    s->h_last = 0;
    tmli_step_start(&s->control);
    return TML_OK;
}

static double first_step(void *self)
{
    const kinematic *s = self;
    const double longest = s->duration / TMLI_FIRST_STEPS_PER_RUN;
    const double speed = tmli_largest_motion(s->sys, tmli_mechanical(s->sys), s->x->u),
                 acceleration = tmli_largest_motion(s->sys, tmli_mechanical(s->sys), s->x->udot);
    const double rate = fmax(speed / FIRST_MOTION, sqrt(acceleration / (2 * FIRST_MOTION)));
    return rate * longest > 1 ? 1 / rate : longest;
}

// ---- a step -----------------------------------------------------------------------------------------------

// y := the state of the mechanism h [s] after x. *miss: correction of (2) [model lengths or rad].
static tml_status solve_at(kinematic *s, double h, tml_state *y, double *miss, tml_error *err)
{
    const tml_system *sys = s->sys;
    const tml_state *x = s->x;
    tml_state_copy(y, x);
    for (int j = 0; j < sys->n; j++) {
        s->d[j] = h * (x->u[j] + h / 2 * x->udot[j]);  // (2)
        y->u[j] = x->u[j] + h * x->udot[j];
    }
    tmli_state_move(sys, x, s->d, y);
    y->t = x->t + h;
    memcpy(s->predicted, y->q, (size_t)sys->nq * sizeof(double));
    tml_status st = tmli_consistent_project(&s->consistent, y, err);
    s->count.residuals++;
    s->count.factorizations++;
    if (st == TML_OK && s->consistent.near_singular)
        st = tmli_fail(err, TML_RETRY, "the mechanism is near a singular configuration at t = %g s", y->t);
    if (st == TML_OK) st = tmli_state_check_branch(sys, s->work, y, err);
    if (st != TML_OK) return st;
    sys->ops->local(sys->self, s->predicted, y->q, s->d);
    *miss = tmli_largest_motion(sys, tmli_mechanical(sys), s->d);
    return TML_OK;
}

// ---- singular configurations ------------------------------------------------------------------------------

// Sign of the determinant of the active rows of B at y; 0: it is zero, or there are not n of them.
static int determinant_sign(kinematic *s, const tml_state *y)
{
    const tml_system *sys = s->sys;
    const int n = sys->n;
    int count = 0, info = 0, sign = 1;
    if (tmli_active_rows(sys, s->work, y, s->B_values, NULL) != TML_OK) return 0;
    memset(s->B, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int r = 0; r < sys->m; r++) {
        if ((y->inactive && y->inactive->row[r]) || tmli_is_released_row(sys, y, r)) continue;
        if (count == n) return 0;
        double *row = s->B + (size_t)count++ * (size_t)n;
        for (int k = sys->rowptr[r]; k < sys->rowptr[r + 1]; k++) row[sys->rowcol[k]] = s->B_values[k];
    }
    if (count < n) return 0;
    tmli_dgetrf(&n, &n, s->B, &n, s->pivot, &info);
    if (info != 0) return 0;
    for (int i = 0; i < n; i++) {
        if (s->pivot[i] != i + 1) sign = -sign;
        if (s->B[(size_t)i * (size_t)(n + 1)] < 0) sign = -sign;
    }
    return sign;
}

// True if rows depend on others at y that do not do so everywhere; `name` becomes that of the first of them.
static bool name_dependent(kinematic *s, const tml_state *y, char *name, size_t size)
{
    tmli_consistent *c = &s->consistent;
    const tml_system *sys = s->sys;
    if (!c->redundant.base || !c->searched) return false;
    if (tmli_redundant_rows_find(&c->redundant, y, TMLI_NEAR_SINGULAR, TMLI_INACTIVE_ALIKE, NULL) != TML_OK ||
        c->redundant.choice.rank >= sys->n)
        return false;
    for (int r = sys->m - 1; r >= 0; r--) {
        if (!c->redundant.choice.left_out[r] || c->always_inactive[r]) continue;
        if (sys->row_name) sys->row_name(sys, r, name, size);
        else snprintf(name, size, "row %d", r);
        return true;
    }
    return false;
}

static tml_status fail_singular(kinematic *s, const char *row, double t, tml_error *err)
{
    (void)s;
    return tmli_fail(err, TML_ERR_STEP,
                     "singular configuration at t = %.6g s: there %s depends on the other constraints, and "
                     "the drivers do not determine the motion. End the motion before it, or drive another "
                     "coordinate ('trammel run' passes many singular configurations).",
                     t, row);
}

// det B has another sign at the trial than at x. Locates the change: a singular configuration, or a jump to
// another branch, after which a shorter step is tried. Where redundant rows are left out, the ones that are
// in may become dependent without the mechanism being singular: others are chosen from then on.
static tml_status examine_sign_change(kinematic *s, int sign, tml_error *err)
{
    double low = 0, high = s->h_trial, miss;
    char row[160];
    tml_state_copy(s->probe, s->x);
    while (high - low > SHORTEST_STEP * s->duration) {
        const double h = (low + high) / 2;
        if (solve_at(s, h, s->probe, &miss, NULL) == TML_OK && determinant_sign(s, s->probe) == sign) low = h;
        else high = h;
    }
    tml_status st = solve_at(s, low, s->probe, &miss, NULL);
    if (st == TML_OK && name_dependent(s, s->probe, row, sizeof row))
        return fail_singular(s, row, s->x->t + low, err);
    if (tmli_consistent_inactive_count(&s->consistent) == 0)
        return tmli_fail(err, TML_RETRY, "the iteration at t = %g s has gone to another branch",
                         s->x->t + s->h_trial);
    s->consistent.searched = false;
    st = solve_at(s, s->h_trial, s->trial, &miss, err);
    return st;
}

// A step of size h has failed with status st. Short ones do so at a limit of the motion.
static tml_status explain_failure(kinematic *s, double h, tml_status st, tml_error *err)
{
    char row[160];
    if (h > SHORTEST_STEP * s->duration || !name_dependent(s, s->x, row, sizeof row)) return st;
    return tmli_fail(
        err, TML_ERR_STEP,
        "singular configuration at t = %.6g s: the drivers move the mechanism against a limit of its "
        "motion, set by %s, and it locks up. Reduce the range of the motion, or drive another "
        "coordinate.",
        s->x->t, row);
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    kinematic *s = self;
    double miss = 0;
    s->h_trial = h;
    tml_status st = solve_at(s, h, s->trial, &miss, err);
    if (st == TML_RETRY || st == TML_ERR_NAN || st == TML_ERR_SINGULAR) {
        tmli_step_failed(&s->control, h);
        return explain_failure(s, h, st, err);
    }
    if (st != TML_OK) return st;
    *error = s->fixed ? 0 : miss / TMLI_BRANCH_DISTANCE;
    if (*error > 1 || !s->B) return TML_OK;
    const int after = determinant_sign(s, s->trial), before = determinant_sign(s, s->x);
    return before * after < 0 ? examine_sign_change(s, before, err) : TML_OK;
}

static double next_step(void *self, double h, double error, bool accepted)
{
    kinematic *s = self;
    return tmli_step_next(&s->control, h, error, 3, accepted);
}

static void accept(void *self, double t)
{
    kinematic *s = self;
    tml_state *const before = s->previous;
    s->previous = s->x;
    s->x = s->trial;
    s->trial = before;
    s->x->t = t;
    s->h_last = t - s->previous->t;
    if (s->sys->ops->accept) s->sys->ops->accept(s->sys->self, s->work, s->x);
    s->count.steps++;
    tmli_quintic_fit(s->sys, s->previous, s->x, s->h_last, s->quintic);
}

static void interpolate(void *self, double theta, tml_state *out)
{
    const kinematic *s = self;
    if (s->h_last > 0) tmli_quintic_at(s->sys, s->previous, s->x, s->h_last, theta, s->quintic, out);
    else tml_state_copy(out, s->x);
}

static const tml_state *state(const void *self) { return ((const kinematic *)self)->x; }
static void counters(const void *self, tml_counters *out) { *out = ((const kinematic *)self)->count; }

static void archive(void *self, tml_archive *a)
{
    kinematic *s = self;
    tmli_object_archive(&FIELDS, s->sys, s, a);
    tmli_step_archive(&s->control, a);
    tml_counters_archive(&s->count, a);
    tmli_consistent_archive(&s->consistent, a);
}

const tml_method_ops tml_method_kinematics = {
    .name = "kinematics",
    .summary = "positions from the constraints, forces by inverse dynamics; no integration",
    .form = "constraints",
    .stability = "",
    .citation = "",
    .order = 6,
    .equations = TML_EQUATIONS_STATE_SPACE,
    .quintic_inside = true,
    .selects_rows = true,
    .driven_only = true,
    .exact_if_driven = true,
    .create = create,
    .start = start,
    .first_step = first_step,
    .step = step,
    .next_step = next_step,
    .accept = accept,
    .interpolate = interpolate,
    .state = state,
    .counters = counters,
    .destroy = destroy,
    .archive = archive,
};

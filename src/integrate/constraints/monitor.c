// A method watched for constraints that depend on each other; see watch.h.
#include "integrate/constraints/monitor.h"
#include "integrate/constraints/internal.h"

#include <math.h>
#include <string.h>

// Failed trials at one place after which the rows are looked at: those of Newton's method, and all. A fixed
// step has one.
enum { FAILURES = 2, REJECTIONS = 6 };
// Tolerance down to which methods of any rank are left alone with drivers.
static const double ALONE = 1e-7;
// How near to a lock-up a run goes, in shares of its duration.
static const double LOCK_TIME = 1e-6;
// Steps shorter than that, one after the other, that are no accident.
enum { CREEPING = 20 };
// First step from a singular position [lengths or rad]: rows are independent beyond, and have missed little.
static const double SHORT = 4e-3;
// Share of the tolerance that positions may be off the constraints in a lock-up [lengths or rad].
static const double ASTRAY = 0.1;

static void destroy(void *self)
{
    tmli_monitor *w = self;
    if (!w) return;
    const tml_env env = w->rows.base->env;
    const tml_system *base = w->rows.base;
    tmli_decorator_clear(&w->method);
    tmli_consistent_clear(&w->consistent);
    tml_state_destroy(w->x, base);
    tml_state_destroy(w->probe, base);
    tml_state_destroy(w->between, base);
    tmli_singular_clear(&w->singular);
    tmli_redundant_rows_clear(&w->rows);
    tmli_free(&env, w->wanted);
    tmli_free(&env, w->memory);
    tmli_free(&env, w);
}

// ---- the method -------------------------------------------------------------------------------------------

static void forget_trials(tmli_monitor *w)
{
    w->failures = w->rejections = 0;
    w->looked = w->lock = false;
    w->longest = 0;
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    tmli_monitor *w = self;
    w->pending = false;
    w->passed = 0;
    w->wait = w->span = 1;
    w->trouble.status = TML_OK;
    w->level = w->near;
    w->pace = 0;
    w->swift = false;
    w->locks = false;
    w->creeping = 0;
    forget_trials(w);
    tmli_monitor_deactivate(w, NULL, NULL);
    tml_status st = w->known ? tmli_redundant_rows_set_known(&w->rows, x, w->wanted, err)
                             : tmli_redundant_rows_find_built(&w->rows, x, w->rank, TMLI_INACTIVE_LAST, err);
    w->known = false;
    if (st != TML_OK) return st;
    tml_state_copy(w->x, x);
    if (w->rows.choice.rank < w->rows.base->m) {
        tmli_monitor_deactivate(w, w->rows.choice.left_out, NULL);
        st = tmli_consistent_project(&w->consistent, w->x, err);
    }
    w->gap = w->gap_start = tmli_monitor_gap_at(w, w->x);
    w->singular.known = false;
    return st == TML_OK ? w->method.inner->start(w->method.self, w->x, err) : st;
}

// Rows that depend on others only where the run begins do nothing in the first step.
static double first_step(void *self)
{
    tmli_monitor *w = self;
    const double h = w->method.inner->first_step(w->method.self), few = tmli_monitor_reach(w, w->x, SHORT);
    if (tmli_monitor_inactive_count(w) == 0 || w->passed > 0 || !(few < h)) return h;
    tmli_monitor_predict(w, w->x, few);
    return tmli_monitor_any_independent(w, w->probe) ? few : h;
}

// While rows are held at a singular position steps do not go much further than it takes them to come back.
static bool too_long(const tmli_monitor *w, double h)
{
    return w->passed > 0 && !w->fixed &&
           h > tmli_monitor_reach(w, w->method.inner->state(w->method.self), 4 * w->near);
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    tmli_monitor *w = self;
    if (w->trouble.status != TML_OK) {
        if (err) *err = w->trouble;
        return w->trouble.status;
    }
    tml_status st = w->pending ? w->method.inner->start(w->method.self, w->x, err) : TML_OK;
    w->pending = false;
    if (st != TML_OK) return st;
    if (too_long(w, h)) return tmli_fail(err, TML_RETRY, "the step leads too far beyond a singular position");
    st = w->method.inner->step(w->method.self, h, error, err);
    const bool failed = st == TML_RETRY || st == TML_ERR_NAN || st == TML_ERR_SINGULAR;
    if ((!failed && !(st == TML_OK && *error > 1)) || w->alone) return st;
    if (w->locks && h < LOCK_TIME * w->duration) {
        if (err) *err = w->why;
        return TML_ERR_STEP;
    }
    w->failures += failed;
    w->rejections++;
    w->longest = fmax(w->longest, h);
    if (w->failures < (w->fixed ? 1 : FAILURES) && w->rejections < REJECTIONS) return st;
    bool found = false;
    if (!w->lock) {
        if (w->looked && w->rejections % 4 != 0) return st;
        w->looked = true;
        const tml_status ahead = tmli_monitor_look_ahead(w, w->longest, &found, &w->why);
        if (ahead != TML_OK && err) *err = w->why;
        if (ahead != TML_OK && !w->lock) return ahead;
    }
    if (w->lock) {
        if (err) *err = w->why;
        return h < LOCK_TIME * w->duration || w->fixed ? TML_ERR_STEP : TML_RETRY;
    }
    return found && !too_long(w, h) ? w->method.inner->step(w->method.self, h, error, err) : st;
}

// Dense output finds dependent coordinates and evaluates stages with the rows of the step that it is about.
static void interpolate(const void *self, double theta, tml_state *out)
{
    const tmli_monitor *w = self;
    if (w->pending) tmli_active_rows_swap_saved(w->rows.system);
    w->method.inner->interpolate(w->method.self, theta, out);
    if (w->pending) tmli_active_rows_swap_saved(w->rows.system);
}

static const tml_state *state(const void *self)
{
    const tmli_monitor *w = self;
    return w->pending ? w->x : w->method.inner->state(w->method.self);
}

// A method that gives way where constraints cannot be met does not fail at a lock-up that was seen ahead.
// There it leaves the constraints, or creeps.
static bool gives_way(tmli_monitor *w, const tml_state *x, double h)
{
    double position = 0, velocity = 0;
    if (h > LOCK_TIME * w->duration) w->creeping = 0;
    else if (++w->creeping >= CREEPING) return true;
    return tmli_consistent_residuals(&w->consistent, x, &position, &velocity, NULL, NULL, NULL) == TML_OK &&
           position > w->astray;
}

static void accept(void *self, double t)
{
    tmli_monitor *w = self;
    const double before = w->t_before = state(w)->t;
    w->method.inner->accept(w->method.self, t);
    const tml_state *x = w->method.inner->state(w->method.self);
    forget_trials(w);
    tmli_monitor_check_inactive(w, x);
    if (w->pending) {
        tml_state_copy(w->x, x);
        tmli_monitor_change_rows(w);
    }
    if (w->pending || w->trouble.status != TML_OK) return;
    const int parts = tmli_singular_step(&w->singular, x, x->t - before);
    for (int i = 1; i < parts && !w->pending; i++) {  // long steps are looked at in between too
        w->method.inner->interpolate(w->method.self, (double)i / parts, w->between);
        w->between->t = before + (x->t - before) * i / parts;
        tmli_monitor_note_passage(w, w->between);
    }
    tmli_monitor_check_singular(w, x);
    if (w->method.inner->any_rank && w->locks && gives_way(w, x, x->t - before)) w->trouble = w->why;
}

static const tml_counters *counters(const void *self)
{
    tmli_monitor *w = (tmli_monitor *)self;
    const tml_counters own = w->count;
    w->count = *w->method.inner->counters(w->method.self);
    w->count.singular = own.singular;
    w->count.singular_first = own.singular_first;
    w->count.singular_last = own.singular_last;
    w->count.rank = own.rank;
    w->count.singular_rank = own.singular_rank;
    return &w->count;
}

// ---- creation ---------------------------------------------------------------------------------------------

static void set_table(tmli_monitor *w, const tml_method_ops *inner)
{
    tmli_decorate(&w->method, inner, destroy);
    w->method.ops.start = start;
    w->method.ops.first_step = first_step;
    w->method.ops.step = step;
    w->method.ops.accept = accept;
    w->method.ops.interpolate = interpolate;
    w->method.ops.state = state;
    w->method.ops.counters = counters;
}

// The solver that follows the topology is the fastest for accelerations of bodies.
static const tml_linsolver_ops *solver_of(const tml_system *sys, const tml_integrator_options *opt)
{
    return opt->solver->accelerations && !sys->coupled ? opt->solver->accelerations : opt->solver;
}

static tml_status make_parts(tmli_monitor *w, const tml_system *sys, const tml_integrator_options *opt,
                             tml_error *err)
{
    const size_t n = (size_t)sys->n, m = (size_t)sys->m;
    tml_status st = tmli_redundant_rows_create(sys, &w->rows, err);
    w->rows.base = sys;
    if (st == TML_OK) st = tmli_consistent_create(w->rows.system, solver_of(sys, opt), &w->consistent, err);
    if (st == TML_OK) st = tml_state_create(sys, &w->x, err);
    if (st == TML_OK) st = tml_state_create(sys, &w->probe, err);
    if (st == TML_OK) st = tml_state_create(sys, &w->between, err);
    if (st == TML_OK) st = tmli_singular_create(&w->rows, &w->singular, err);
    w->wanted = tmli_calloc(&sys->env, 2 * m + 1, sizeof *w->wanted);
    w->memory = tmli_calloc(&sys->env, 2 * m + 11 * n, sizeof(double));
    if (st == TML_OK && !(w->wanted && w->memory)) st = tmli_no_memory(err, "integrator");
    if (st != TML_OK) return st;
    w->rank = sys->m - opt->repeated;
    w->known = opt->dependent != NULL;
    if (w->known) memcpy(w->wanted, opt->dependent, m * sizeof *w->wanted);
    w->phi = w->memory;
    w->nu = w->phi + m;
    w->d = w->nu + m;
    w->test = w->d + n;
    w->force = w->test + n;
    w->kept = w->force + 2 * n;
    w->fresh = w->kept + 2 * n;
    w->inertia = w->fresh + 2 * n;
    for (size_t j = 0; j < n; j++)
        w->test[j] = w->rows.unit[j] * (0.5 + fmod(0.6180339887498949 * (double)(j + 1), 1));
    return w->method.inner->create(w->rows.system, opt, &w->method.self, err);
}

// Methods of any rank give way before a singular position, and fare better with rows held; but where a driver
// takes all freedoms they are caught again, which held rows are not. Below this tolerance they have no digits
// left for either. A given epsilon is to be seen at work.
static bool leave_alone(const tml_method_ops *inner, const tml_system *sys, const tml_integrator_options *opt)
{
    return inner->any_rank && (opt->epsilon > 0 || (!sys->autonomous && opt->rtol > ALONE));
}

// While rows are held over pivots up to s, the neglected change of the force across, of the order s, moves
// things by s^3: that must be within the tolerance. Much smaller pivots leave no digits to the accelerations
// of reduced equations.
static double near_singular(double tol)
{
    return fmin(fmax(0.3 * cbrt(tol), 0.1 * TMLI_NEAR_SINGULAR), TMLI_NEAR_SINGULAR);
}

tml_status tmli_monitor_create(const tml_method_ops *inner, const tml_system *sys,
                               const tml_integrator_options *opt, const tml_method_ops **ops, void **self,
                               tml_error *err)
{
    *ops = inner;
    *self = NULL;
    if (!sys->loops) return inner->create(sys, opt, self, err);
    tmli_monitor *w = tmli_calloc(&sys->env, 1, sizeof *w);
    if (!w) return tmli_no_memory(err, "integrator");
    w->fixed = opt->fixed_step;
    w->alone = leave_alone(inner, sys, opt);
    w->duration = opt->duration;
    w->astray = ASTRAY * opt->rtol;
    w->near = opt->fixed_step ? 0.3 * TMLI_NEAR_SINGULAR : near_singular(opt->rtol);
    set_table(w, inner);
    const tml_status st = make_parts(w, sys, opt, err);
    if (st != TML_OK) {
        destroy(w);
        return st;
    }
    *ops = &w->method.ops;
    *self = w;
    return TML_OK;
}

// The decorator of the inner method; see monitor.h.
#include "integrate/constraints/monitor.h"
#include "integrate/constraints/internal.h"
#include "linalg/block/symbolic.h"
#include "system/state/accepted.h"
#include "system/state/fields.h"
#include "system/state/quintic.h"

#include <math.h>
#include <string.h>

#include "consistency/tolerances.h"
#include "integrate/constraints/constants.h"

static const tmli_fields FIELDS = {
    "monitor", offsetof(tmli_monitor, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_monitor, redundant_known, no_turning),
                        TMLI_INDICES(tmli_monitor, max_rank, max_rank, 0, TMLI_BY_M, 0),
                        TMLI_INDICES(tmli_monitor, gap_row, gap_row, 0, TMLI_BY_M, -1),
                        TMLI_NUMBERS(tmli_monitor, singular_rows, stalled_steps),
                        TMLI_NUMBERS(tmli_monitor, stall_start, min_energy),
                        TMLI_KEPT_STATES(tmli_monitor, x, x),
                        TMLI_SCRATCH_STATES(tmli_monitor, probe, between),
                        TMLI_SCRATCH(tmli_monitor, quintic, quintic, TMLI_BY_OWN, TMLI_QUINTIC_SIZE(1)),
                        TMLI_KEPT(tmli_monitor, phi, nu, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_monitor, d, test_vector, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_monitor, force, force, TMLI_BY_N, 2),
                        TMLI_KEPT(tmli_monitor, inertia, inertia, TMLI_BY_N, 3),
                        TMLI_KEPT(tmli_monitor, requested, requested, TMLI_BY_M, 1),
                        {0}}};

static void destroy(void *self)
{
    tmli_monitor *mon = self;
    if (!mon) return;
    const tml_system *base = mon->redundant.base;
    const tml_env *env = &base->env;
    tmli_decorator_clear(&mon->method);
    tmli_consistent_clear(&mon->consistent);
    tml_state_destroy(mon->before, base);
    tmli_singular_value_clear(&mon->smallest);
    tmli_redundant_rows_clear(&mon->redundant);
    tmli_object_clear(&FIELDS, base, mon);
    tmli_free(env, mon);
}

// ---- the method -------------------------------------------------------------------------------------------

static void reset_trials(tmli_monitor *mon)
{
    mon->failures = mon->rejections = 0;
    mon->searched = mon->locked = false;
    mon->longest_trial = 0;
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    tmli_monitor *mon = self;
    mon->rows_changed = false;
    mon->singular_rows = 0;
    mon->check_countdown = mon->check_interval = 1;
    mon->pending_error.status = TML_OK;
    mon->deactivation_pivot = mon->near_pivot;
    mon->acceleration_scale = 0;
    mon->no_turning = false;
    mon->lock_ahead = false;
    mon->short_steps = mon->stalled_steps = 0;
    mon->stall_start = x->t;
    reset_trials(mon);
    tml_state_copy(mon->x, x);
    tmli_monitor_set_inactive(mon, NULL, NULL, 0);
    tml_status st =
        mon->redundant_known
            ? tmli_redundant_rows_set_known(&mon->redundant, mon->x, mon->requested, err)
            : tmli_redundant_rows_find_built(&mon->redundant, mon->x, mon->max_rank, TMLI_INACTIVE_LAST, err);
    mon->redundant_known = false;
    if (st != TML_OK) return st;
    if (mon->redundant.rank < mon->redundant.base->m) {
        tmli_monitor_set_inactive(mon, mon->redundant.choice.left_out, NULL, 0);
        st = tmli_consistent_project(&mon->consistent, mon->x, err);
    }
    mon->gap = mon->gap_start = tmli_monitor_largest_gap(mon, mon->x);
    mon->smallest.known = false;
    return st == TML_OK ? mon->method.inner->start(mon->method.self, mon->x, err) : st;
}

// Rows that depend on others only at the start have no effect in the first step: that must be short, but long
// enough to tell that they are independent afterwards.
static double first_step(void *self)
{
    tmli_monitor *mon = self;
    const double h = mon->method.inner->first_step(mon->method.self),
                 limit = tmli_monitor_travel_time(mon, mon->x, MAX_STEP_PIVOTS * TMLI_AMPLIFIED_TOLERANCE);
    if (tmli_monitor_inactive_count(mon) == 0 || mon->singular_rows > 0 || !(limit < h)) return h;
    tmli_monitor_predict(mon, mon->x, limit);
    return tmli_monitor_any_independent(mon, mon->probe) ? limit : h;
}

// While singular rows are inactive, a step must not go much further than to where they are reactivated.
static bool exceeds_travel_limit(const tmli_monitor *mon, double h)
{
    return mon->singular_rows > 0 && !mon->fixed_step &&
           h > tmli_monitor_travel_time(mon, mon->method.inner->state(mon->method.self),
                                        MAX_STEP_PIVOTS * mon->near_pivot);
}

// A trial of size h from the last state has failed or was rejected, with status st. Searches ahead where that
// is due. *again: a singular configuration was found and its rows are inactive; the trial can be repeated.
static tml_status handle_rejection(tmli_monitor *mon, double h, tml_status st, bool failed, bool *again,
                                   tml_error *err)
{
    *again = false;
    if (mon->lock_ahead && h < NEGLIGIBLE_TIME * mon->duration) {
        if (err) *err = mon->lock_error;
        return TML_ERR_STEP;
    }
    mon->failures += failed;
    mon->rejections++;
    mon->longest_trial = fmax(mon->longest_trial, h);
    if (mon->failures < (mon->fixed_step ? 1 : FAILURES_BEFORE_SEARCH) &&
        mon->rejections < REJECTIONS_PER_SEARCH)
        return st;
    if (!mon->locked) {
        if (mon->searched && mon->rejections % REJECTIONS_PER_SEARCH != 0) return st;
        mon->searched = true;
        const tml_status ahead = tmli_monitor_search_ahead(mon, mon->longest_trial, again, &mon->lock_error);
        if (ahead != TML_OK && err) *err = mon->lock_error;
        if (ahead != TML_OK && !mon->locked) return ahead;
    }
    if (mon->locked) {
        if (err) *err = mon->lock_error;
        return h < NEGLIGIBLE_TIME * mon->duration || mon->fixed_step ? TML_ERR_STEP : TML_RETRY;
    }
    return st;
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    tmli_monitor *mon = self;
    if (mon->pending_error.status != TML_OK) {
        if (err) *err = mon->pending_error;
        return mon->pending_error.status;
    }
    tml_status st = mon->rows_changed ? mon->method.inner->start(mon->method.self, mon->x, err) : TML_OK;
    mon->rows_changed = false;
    if (st != TML_OK) return st;
    if (exceeds_travel_limit(mon, h))
        return tmli_fail(err, TML_RETRY, "the step goes too far beyond a singular configuration");
    st = mon->method.inner->step(mon->method.self, h, error, err);
    const bool failed = st == TML_RETRY || st == TML_ERR_NAN || st == TML_ERR_SINGULAR;
    if ((!failed && !(st == TML_OK && *error > 1)) || mon->ignore_singular) return st;
    bool again;
    st = handle_rejection(mon, h, st, failed, &again, err);
    return again && !exceeds_travel_limit(mon, h) ? mon->method.inner->step(mon->method.self, h, error, err)
                                                  : st;
}

// Rows that are about to change make the method start at mon->x in the next step.
static tml_status inputs_changed(void *self, const tml_state *x, tml_error *err)
{
    tmli_monitor *mon = self;
    if (!mon->rows_changed) return mon->method.inner->inputs_changed(mon->method.self, x, err);
    tmli_state_copy_inputs(mon->x, x);
    return tmli_consistent_accelerations(&mon->consistent, mon->x, err);
}

static const tml_state *state(const void *self)
{
    const tmli_monitor *mon = self;
    return mon->rows_changed ? mon->x : mon->method.inner->state(mon->method.self);
}

// A regularized method does not fail at a predicted lock-up. It violates the constraints there, or its steps
// become very short.
static bool reached_lock(tmli_monitor *mon, const tml_state *x, double h)
{
    if (h > NEGLIGIBLE_TIME * mon->duration) mon->short_steps = 0;
    else if (++mon->short_steps >= MAX_SKIPPED) return true;
    return tmli_monitor_largest_residual(mon, x) > mon->tol;
}

// Many steps within a negligible time: round-off may keep a method from coming as close to a lock-up as the
// usual test for one wants (check_singular). It is repeated here farther away. A driver that passes the
// configuration at a small distance s takes s^2 of the run for it, more than this, and steps of the order of
// that.
static void check_stalled_steps(tmli_monitor *mon, const tml_state *x)
{
    mon->stalled_steps++;
    if (!(x->t - mon->stall_start < NEGLIGIBLE_TIME * mon->duration)) {
        mon->stall_start = x->t;
        mon->stalled_steps = 0;
    }
    if (mon->fixed_step || mon->lock_ahead || mon->redundant.base->autonomous || mon->rows_changed ||
        mon->stalled_steps % MAX_SKIPPED != MAX_SKIPPED - 1 || !(mon->smallest.s < mon->near_pivot))
        return;
    tml_state_copy(mon->x, x);
    tmli_monitor_check_lock(mon);
}

static void accept(void *self, double t)
{
    tmli_monitor *mon = self;
    const double before = mon->t_before = state(mon)->t;
    if (mon->before) tml_state_copy(mon->before, state(mon));
    mon->quintic_known = false;
    mon->method.inner->accept(mon->method.self, t);
    const tml_state *x = mon->method.inner->state(mon->method.self);
    const bool failed = mon->failures > 0;
    reset_trials(mon);
    tmli_monitor_check_inactive(mon, x);
    if (mon->rows_changed) {
        tml_state_copy(mon->x, x);
        tmli_monitor_change_rows(mon);
    }
    if (mon->rows_changed || mon->pending_error.status != TML_OK) return;
    const int parts = tmli_singular_value_begin_step(&mon->smallest, x, x->t - before);
    mon->smallest.failed = false;
    for (int i = 1; i < parts && !mon->rows_changed; i++) {  // checks within a long step
        tmli_monitor_interpolate(mon, (double)i / parts, mon->between);
        mon->between->t = before + (x->t - before) * i / parts;
        tmli_monitor_detect_passage(mon, mon->between);
    }
    mon->smallest.failed = failed;
    tmli_monitor_check_singular(mon, x);
    if (mon->smallest.shortage.status != TML_OK) mon->pending_error = mon->smallest.shortage;
    check_stalled_steps(mon, x);
    if (mon->method.inner->any_rank && mon->lock_ahead && reached_lock(mon, x, x->t - before))
        mon->pending_error = mon->lock_error;
}

// Those of the method, and of the monitor what it alone counts.
static void counters(const void *self, tml_counters *out)
{
    const tmli_monitor *mon = self;
    mon->method.inner->counters(mon->method.self, out);
    out->singular = mon->count.singular;
    out->singular_first = mon->count.singular_first;
    out->singular_last = mon->count.singular_last;
    out->rank = mon->count.rank;
    out->singular_rank = mon->count.singular_rank;
}

static void archive_error(tml_error *err, tml_archive *a)
{
    int status = (int)err->status;
    tml_archive_indices(a, &status, 1, TML_ERR_STOPPED, TML_RETRY);
    tml_archive_text(a, err->msg, sizeof err->msg);
    tml_archive_doubles(a, &err->t, 1);
    if (tml_archive_reading(a)) err->status = (tml_status)status;
}

static void archive(void *self, tml_archive *a)
{
    tmli_monitor *mon = self;
    tmli_object_archive(&FIELDS, mon->redundant.base, mon, a);
    tmli_redundant_rows_archive(&mon->redundant, a);
    tmli_consistent_archive(&mon->consistent, a);
    tmli_singular_value_archive(&mon->smallest, a);
    tml_counters_archive(&mon->count, a);
    archive_error(&mon->lock_error, a);
    archive_error(&mon->pending_error, a);
    tmli_decorator_archive(self, a);
}

// ---- creation ---------------------------------------------------------------------------------------------

static void set_table(tmli_monitor *mon, const tml_method_ops *inner)
{
    tmli_decorate(&mon->method, inner, destroy);
    mon->method.ops.start = start;
    mon->method.ops.first_step = first_step;
    mon->method.ops.step = step;
    mon->method.ops.accept = accept;
    mon->method.ops.state = state;
    mon->method.ops.counters = counters;
    mon->method.ops.archive = archive;
    if (inner->inputs_changed) mon->method.ops.inputs_changed = inputs_changed;
}

// The tree solver is the fastest for accelerations of uncoupled bodies.
static const tml_linsolver_ops *choose_solver(const tml_system *sys, const tml_integrator_options *opt)
{
    return sys->coupled ? opt->solver : tmli_acceleration_solver(opt->solver, sys->pattern);
}

static tml_status create_parts(tmli_monitor *mon, const tml_system *sys, const tml_integrator_options *opt,
                               tml_error *err)
{
    const tmli_consistent *shared = opt->shared_workspace;
    tml_status st = tmli_redundant_rows_create(sys, shared ? &shared->redundant : NULL, &mon->redundant, err);
    mon->redundant.base = sys;
    if (st == TML_OK)
        st = tmli_consistent_create_shared(mon->redundant.system, choose_solver(sys, opt), shared,
                                           &mon->consistent, err);
    tmli_sizes sizes = tmli_sizes_of(sys);
    sizes.of[TMLI_BY_OWN] = mon->method.inner->quintic_inside ? (size_t)sys->n : 0;
    if (st == TML_OK) st = tmli_fields_create(&FIELDS, &sizes, mon, err);
    if (st == TML_OK) st = tmli_singular_value_create(&mon->redundant, &mon->smallest, err);
    if (st == TML_OK && mon->method.inner->quintic_inside) st = tml_state_create(sys, &mon->before, err);
    if (st != TML_OK) return st;
    mon->max_rank = sys->m - opt->min_redundant;
    mon->redundant_known = opt->redundant != NULL;
    if (mon->redundant_known) memcpy(mon->requested, opt->redundant, (size_t)sys->m * sizeof *mon->requested);
    for (int j = 0; j < sys->n; j++)
        mon->test_vector[j] = mon->redundant.unit[j] * (0.5 + fmod(0.6180339887498949 * (j + 1), 1));
    tml_integrator_options inner = *opt;
    inner.shared_workspace = &mon->consistent;
    return mon->method.inner->create(mon->redundant.system, &inner, &mon->method.self, err);
}

// Regularized methods tolerate a loss of rank. Near a singular configuration their constraints yield, and
// inactive rows give better results. If a driver prescribes all motion, the constraints recover on their own,
// which inactive rows do not; below the tolerance IGNORE_SINGULAR_RTOL they have no digits left for either. A
// given epsilon is meant to take effect.
static bool passes_singular(const tml_method_ops *inner, const tml_system *sys,
                            const tml_integrator_options *opt)
{
    return inner->any_rank &&
           (opt->run.epsilon > 0 || (!sys->autonomous && opt->run.rtol > IGNORE_SINGULAR_RTOL));
}

// While rows are inactive over pivots up to s, the neglected change of their force, of the order s, moves
// bodies by s^3, which must be within the tolerance. There must be reliable states within near_pivot. With
// fixed steps there is no tolerance: the mean of the bounds.
static double choose_near_pivot(const tml_integrator_options *opt)
{
    const double least = 2 * RELIABLE_PIVOT, most = TMLI_NEAR_SINGULAR;
    return opt->fixed_step ? sqrt(least * most)
                           : fmin(fmax(NEAR_PIVOT_FACTOR * cbrt(opt->run.rtol), least), most);
}

tml_status tmli_monitor_create(const tml_method_ops *inner, const tml_system *sys,
                               const tml_integrator_options *opt, const tml_method_ops **ops, void **self,
                               tml_error *err)
{
    *ops = inner;
    *self = NULL;
    const bool as_given =
        opt->run.redundancy == TML_REDUNDANCY_REGULARIZE && inner->equations == TML_EQUATIONS_REGULARIZED;
    if (!sys->loops || inner->selects_rows || as_given) return inner->create(sys, opt, self, err);
    tmli_monitor *mon = tmli_calloc(&sys->env, 1, sizeof *mon);
    if (!mon) return tmli_no_memory(err, "integrator");
    mon->fixed_step = opt->fixed_step;
    mon->ignore_singular = passes_singular(inner, sys, opt);
    mon->duration = opt->duration;
    mon->tol = opt->run.rtol;
    mon->near_pivot = choose_near_pivot(opt);
    set_table(mon, inner);
    const tml_status st = create_parts(mon, sys, opt, err);
    if (st != TML_OK) {
        destroy(mon);
        return st;
    }
    *ops = &mon->method.ops;
    *self = mon;
    return TML_OK;
}

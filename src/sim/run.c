// The loop of a run: steps, outputs within steps, events.
#include "base/tolerances.h"
#include "sim/loop.h"

#include <float.h>
#include <math.h>

#include "consistency/tolerances.h"
#include "sim/constants.h"

// ---- outputs ----------------------------------------------------------------------------------------------

static bool accelerate(void *self, tml_state *x)
{
    tml_sim *sim = self;
    return tmli_consistent_project(tmli_sim_output_projection(sim), x, NULL) == TML_OK;
}

void tmli_sim_relax(tml_sim *sim, const tml_state *own, tml_state *x)
{
    tmli_relax(&sim->relaxation, sim->last_step, own, accelerate, sim, x);
}

void tmli_sim_complete(tml_sim *sim, bool motion_only, bool of_method, tml_state *out)
{
    tml_state_copy(sim->scratch, out);
    // captured contacts have no force in the equations: accelerations and multipliers are means over the step
    if (sim->driver.method->contacts) motion_only = true;
    // projection fails where constraints become dependent: keep the state as it is
    tmli_consistent *c = tmli_sim_output_projection(sim);
    const tml_status st =
        motion_only ? tmli_consistent_project_motion(c, out, NULL) : tmli_consistent_project(c, out, NULL);
    sim->open_within = st != TML_OK;
    if (st != TML_OK) tml_state_copy(out, sim->scratch);
    if (st != TML_OK || motion_only) return;
    if (of_method) tmli_sim_relax(sim, sim->scratch, out);
    if (sim->minimum_norm.sys && !c->near_singular)
        tmli_minimum_norm_set(&sim->minimum_norm, out, NULL, NULL);
    // contacts whose rows depend on each other: forces by which they hold
    if (tmli_consistent_inactive_count(c) > 0) tmli_impact_rows_rest(&sim->impacts.rows, out, true, false);
}

// The method's own coordinates serve: all rows are independent, and their reactions unique.
static bool completes_itself(tml_sim *sim, double theta, tml_state *out)
{
    const tmli_driver *d = &sim->driver;
    const tmli_consistent *c = tmli_sim_output_projection(sim);
    return d->method->complete && !sim->minimum_norm.sys && !c->matrix.has_massless &&
           (!c->redundant.base || c->searched) && !c->near_singular &&
           tmli_consistent_inactive_count(c) == 0 && d->method->complete(d->self, theta, sim->last_step, out);
}

void tmli_sim_interpolate(tml_sim *sim, double t, bool motion_only, tml_state *out)
{
    const tml_state *x = sim->driver.method->state(sim->driver.self);
    const double h = sim->last_step;
    const double theta = h > 0 ? fmin(fmax(1 - (x->t - t) / h, 0), 1) : 1;
    sim->open_within = false;
    if (theta >= 1) tml_state_copy(out, x);
    if (motion_only || !completes_itself(sim, theta, out)) {
        if (theta >= 1) tml_state_copy(out, x);
        else sim->driver.method->interpolate(sim->driver.self, theta, out);
        tmli_sim_complete(sim, motion_only, true, out);
    }
    out->t = t;
    if (!motion_only && sim->sys->ops->accept) sim->sys->ops->accept(sim->sys->self, sim->work, out);
}

// Constraint residuals of the last step, computed once if several outputs are within it; of the output `out`
// if that is not on the constraints.
static tml_status measure_residuals(tml_sim *sim, const tml_state *out, tml_error *err)
{
    const tml_state *x = sim->open_within ? out : sim->driver.method->state(sim->driver.self);
    tml_sim_report *r = &sim->report;
    tmli_opening open;
    int row;
    if (!sim->open_within && x->t == sim->residual_of[0] && sim->last_step == sim->residual_of[1])
        return TML_OK;
    tml_status st = tmli_consistent_residuals(&sim->consistent, x, &sim->output_residual[0],
                                              &sim->output_residual[1], &row, &open, err);
    if (st != TML_OK) return st;
    if (sim->output_residual[0] > r->position_residual) {
        r->position_residual = sim->output_residual[0];
        r->position_row = row;
    }
    if (open.size > sim->open.size) sim->open = open;
    r->velocity_residual = fmax(r->velocity_residual, sim->output_residual[1]);
    sim->residual_of[0] = sim->open_within ? NAN : x->t;
    sim->residual_of[1] = sim->last_step;
    return TML_OK;
}

// Share of the last step before t; 1: all of it.
static double share_of_step(const tml_sim *sim, double t)
{
    return sim->last_step_used > 0 ? 1 - (sim->t_reached - t) / sim->last_step_used : 1;
}

// Energy dissipated up to time t within the last step [J].
static double dissipated_until(const tml_sim *sim, double t)
{
    const double theta = share_of_step(sim, t);
    if (!(theta < 1)) return sim->dissipated;
    return sim->work_before - sim->last_step_used * tmli_sim_mean_power(sim, TMLI_POWER_OF_ALL, theta) +
           tmli_sim_captured_loss(sim, theta) - tmli_sim_captured_driven(sim, theta);
}

// Integral of a part of the power up to t; if all work is of one kind, it is that or nothing.
static double part_at(const tml_sim *sim, int part, double t)
{
    const tmli_work_kind kind = part == TMLI_POWER_SUPPLIED ? TMLI_WORK_SUPPLIED : TMLI_WORK_CONTACT;
    const double theta = share_of_step(sim, t);
    if (sim->npowers == 1) return sim->model && sim->model->works[kind] ? -sim->output_dissipated : 0;
    if (!(theta < 1)) return sim->part[part];
    const double captured = part == TMLI_POWER_OF_CONTACTS ? -tmli_sim_captured_loss(sim, theta)
                                                           : tmli_sim_captured_driven(sim, theta);
    return sim->part_before[part] + sim->last_step_used * tmli_sim_mean_power(sim, part, theta) + captured;
}

void tmli_sim_find_work(tml_sim *sim, double t)
{
    sim->output_dissipated = dissipated_until(sim, t);
    sim->output_supplied = part_at(sim, TMLI_POWER_SUPPLIED, t);
    sim->output_lost = -part_at(sim, TMLI_POWER_OF_CONTACTS, t);
}

// The farthest that bodies have been from their start, and turned, and their largest speed.
static void measure_travel(tml_sim *sim)
{
    for (int i = 0; i < sim->model->nbodies; i++)
        for (int k = 0; k < 7; k++) {
            const double d = fabs(sim->out->q[7 * i + k] - sim->model->node[i].q0[k]);
            sim->travel[k >= 3] = fmax(sim->travel[k >= 3], d);
        }
    for (int j = 0; j < sim->sys->n; j++)
        if (sim->sys->node[j] < sim->model->nbodies && sim->sys->kind[j] == TML_COORDINATE_TRANSLATION)
            sim->travel[2] = fmax(sim->travel[2], fabs(sim->out->u[j]));
}

static tml_status audit_output(tml_sim *sim, tml_error *err)
{
    tml_sim_report *r = &sim->report;
    tml_status st = measure_residuals(sim, sim->out, err);
    if (st != TML_OK) return st;
    if (sim->model && sim->model->length_is_guess) measure_travel(sim);
    tmli_sim_find_work(sim, sim->out->t);
    if (!sim->sys->ops->energy) return TML_OK;
    double power;
    st = sim->sys->ops->energy(sim->sys->self, sim->work, sim->out, &r->kinetic, &r->potential, &power, err);
    r->dissipated = sim->output_dissipated;
    r->supplied = sim->output_supplied;
    r->contact_loss = sim->output_lost;
    const double error = fabs(r->kinetic + r->potential + r->dissipated - r->energy_start);
    r->energy_error = fmax(r->energy_error, error);
    tmli_sim_raise_energy_scale(sim, r->kinetic, r->potential, r->dissipated);
    return st;
}

tml_status tmli_sim_row_at(tml_sim *sim, double t, tml_state *out, tml_error *err)
{
    tmli_sim_interpolate(sim, t, false, out);
    tmli_sim_find_work(sim, t);
    if (sim->actuators) tmli_sim_actuate(sim, out, NULL);
    return measure_residuals(sim, out, err);
}

void tmli_sim_project_sample(tml_sim *sim, tml_state *x)
{
    tml_state_copy(sim->scratch, x);
    if (tmli_consistent_project_motion(tmli_sim_output_projection(sim), x, NULL) != TML_OK)
        tml_state_copy(x, sim->scratch);
    tmli_mb_set_poses(sim->model, sim->work, x->q);
}

void tmli_sim_set_step_observer(tml_sim *sim, tmli_sim_step_observer *observer, void *user)
{
    sim->observer = observer;
    sim->observer_user = user;
}

// Outputs need no accelerations and multipliers.
static bool needs_motion_only(const tml_sim *sim)
{
    return !sim->record && (sim->hooks.motion_only || !sim->hooks.on_output);
}

// Rows that are kept, and the hook of a run.
static tml_status give_row(tml_sim *sim, tml_error *err)
{
    tml_status st = sim->record ? tmli_sim_append_row(sim, sim->out, err) : TML_OK;
    if (st != TML_OK || !sim->running || !sim->hooks.on_output) return st;
    sim->in_output = true;
    st = sim->hooks.on_output(sim, sim->out, sim->hooks.user);
    sim->in_output = false;
    if (st != TML_OK && err && err->status != st)
        tmli_fail(err, st, "stopped by the output hook at t = %g s", sim->out->t);
    return st;
}

// Give sim->out to the caller.
static tml_status write_row(tml_sim *sim, tml_error *err)
{
    tmli_sim_note_table_range(sim, sim->out);
    const bool actuated = sim->actuators && !needs_motion_only(sim);
    if (actuated) tmli_sim_actuate(sim, sim->out, NULL);
    const tml_status st = give_row(sim, err);
    if (actuated) tmli_sim_restore_multipliers(sim, sim->out);  // a restart needs those of the drivers
    return st;
}

static tml_status output(tml_sim *sim, double t, tml_error *err)
{
    tmli_sim_interpolate(sim, t, needs_motion_only(sim), sim->out);
    const tml_status st = audit_output(sim, err);
    return st == TML_OK ? write_row(sim, err) : st;
}

// ---- discontinuities --------------------------------------------------------------------------------------

// The state before a jump of velocities. work: output_dissipated, output_supplied and output_lost then.
static tml_status output_before_jump(tml_sim *sim, const double work[3], tml_error *err)
{
    const tml_system *s = sim->sys;
    tml_sim_report *r = &sim->report;
    double power;
    tml_state_copy(sim->out, sim->before_jump);
    sim->output_dissipated = work[0];
    sim->output_supplied = work[1];
    sim->output_lost = work[2];
    const tml_status st =
        s->ops->energy ? s->ops->energy(s->self, sim->work, sim->out, &r->kinetic, &r->potential, &power, err)
                       : TML_OK;
    return st == TML_OK ? write_row(sim, err) : st;
}

// Restart at the discontinuity that ended the last step. An output at this time has the new modes.
static tml_status pass_discontinuity(tml_sim *sim, bool row, tml_error *err)
{
    const long impulses = sim->report.impulse_count;
    tmli_sim_find_work(sim, sim->t_reached);
    const double work[3] = {sim->output_dissipated, sim->output_supplied, sim->output_lost};
    if (sim->hooks.jump_rows) tml_state_copy(sim->before_jump, sim->branch_end);
    tml_status st = tmli_sim_restart_after_switch(sim, err);
    sim->last_step = sim->last_step_used = 0;
    const bool jump = sim->hooks.jump_rows && sim->report.impulse_count > impulses;
    if (st == TML_OK && jump) st = output_before_jump(sim, work, err);
    return st == TML_OK && (row || jump) ? output(sim, sim->t_reached, err) : st;
}

// ---- the run ----------------------------------------------------------------------------------------------

// Time of the output due at t if the motion is known up to `now`: t if the two differ by round-off, otherwise
// at most `now`. An event at `now` ends the run: no output is later.
static double output_time(double t, double dt, double now, bool event)
{
    const double roundoff = fmax(TMLI_ROUNDOFF * dt, 4 * DBL_EPSILON * fabs(now));
    return t - now <= roundoff && !event ? t : fmin(t, now);
}

static void find_next_output(tml_sim *sim, double t)
{
    sim->run_next = floor((t - sim->t_start) / sim->run.output_step + OUTPUT_TIME_SLACK) + 1;
    sim->run_written = t;
}

tml_status tmli_sim_open_outputs(tml_sim *sim, tml_error *err)
{
    const double t = tml_sim_time(sim);
    find_next_output(sim, t);
    sim->run_opens = true;
    const tml_status st = output(sim, t, err);
    sim->run_opens = false;
    return st;
}

// The first output is the current state, unless the run continues one that a hook has stopped or saved.
static tml_status open_run(tml_sim *sim, tml_error *err)
{
    if (sim->run_open) return TML_OK;
    sim->outputs_set_inputs = false;
    if (sim->event_pending < 0) tmli_sim_start_events(sim);
    if (sim->event_pending < 0 && tml_sim_time(sim) == sim->t_start) tmli_sim_note_events(sim);
    return tmli_sim_open_outputs(sim, err);
}

// Where the next step must end: at the next output if inputs may be set there.
static double step_limit(const tml_sim *sim, double t_end)
{
    const double next = sim->t_start + sim->run_next * sim->run.output_step;
    return sim->outputs_set_inputs ? fmin(t_end, next) : t_end;
}

// Outputs before t_end that the motion up to `until` has. *cut: inputs were set at one of them, before the
// end of the step, and act from there: the rest of the step is dropped.
static tml_status write_due(tml_sim *sim, double t_end, double until, double now, bool event, bool *cut,
                            tml_error *err)
{
    const double dt = sim->run.output_step, slack = OUTPUT_TIME_SLACK * dt;
    tml_status st = TML_OK;
    for (*cut = false; st == TML_OK && !*cut; sim->run_next++) {
        const double t = sim->t_start + sim->run_next * dt;
        if (!(t <= until && t < t_end - slack)) break;
        sim->run_written = output_time(t, dt, now, event);
        st = output(sim, sim->run_written, err);
        *cut = st == TML_OK && sim->inputs_pending && sim->out->t < sim->t_reached - slack;
    }
    return st == TML_OK && *cut ? tmli_sim_restart_within_step(sim, needs_motion_only(sim), err) : st;
}

tml_status tmli_sim_write_due(tml_sim *sim, double now, tml_error *err)
{
    const double slack = OUTPUT_TIME_SLACK * sim->run.output_step;
    bool cut;
    return write_due(sim, INFINITY, sim->restart_pending ? now - slack : now + slack, now, false, &cut, err);
}

tml_status tmli_sim_write_outputs(tml_sim *sim, double t_end, double now, bool event, tml_error *err)
{
    const double dt = sim->run.output_step, slack = OUTPUT_TIME_SLACK * dt;
    const bool restart = !event && sim->restart_pending;
    bool cut;
    tml_status st = write_due(sim, t_end, restart ? now - slack : now + slack, now, event, &cut, err);
    if (cut) return st;
    if (st == TML_OK && restart) {
        const double t = sim->t_start + sim->run_next * dt;
        const bool row = t <= now + slack && t < t_end - slack;
        st = pass_discontinuity(sim, row, err);
        if (row) sim->run_written = now;
        sim->run_next += row;
    }
    const bool last = event || now >= t_end;
    if (st == TML_OK && last && now > sim->run_written) st = output(sim, now, err);
    return st;
}

static tml_status call_on_step(tml_sim *sim, double t, double step, tml_error *err)
{
    if (!sim->hooks.on_step || !(step > 0)) return TML_OK;
    sim->run_open = true;
    const tml_status st = sim->hooks.on_step(sim, t, step, sim->hooks.user);
    if (st == TML_OK) sim->run_open = false;
    else tmli_fail(err, st, "stopped at t = %g s", t);
    return st;
}

void tmli_sim_write_last(tml_sim *sim)
{
    const double t = tml_sim_time(sim);
    if (!(t > sim->run_written)) return;
    sim->run_written = t;
    output(sim, t, NULL);  // the failure of the run is the one that counts
}

static tml_status run_loop(tml_sim *sim, double t_end, tml_error *err)
{
    tml_status st = open_run(sim, err);
    sim->run_open = false;
    while (st == TML_OK && tml_sim_time(sim) < t_end) {
        double now;
        int event = -1;
        st = tmli_sim_advance_to_event(sim, step_limit(sim, t_end), &event, &now, err);
        if (st != TML_OK) {
            tmli_sim_write_last(sim);  // how far the run has come
            break;
        }
        const double reached = sim->t_reached;
        double step = sim->last_step_used;
        if (sim->observer && sim->last_step > 0)
            st = sim->observer(sim, sim->t_reached - step, now, event >= 0 || sim->restart_pending,
                               sim->observer_user, err);
        if (st != TML_OK) break;
        st = tmli_sim_write_outputs(sim, t_end, now, event >= 0, err);
        if (sim->t_reached < reached) {  // the step was cut, before any event
            step -= reached - sim->t_reached;
            now = sim->t_reached;
            event = -1;
        }
        if (st == TML_OK && event >= 0)  // the state is that of the event; a further run starts there
            st = tmli_sim_restart_at_event(sim, event, needs_motion_only(sim), err);
        if (st == TML_OK) st = call_on_step(sim, now, step, err);
        if (event >= 0) break;
    }
    return st;
}

// A run that is grossly off is no result: joints that are open, or energy that was lost where rows were
// inactive. Fixed steps are the user's choice of the error.
static tml_status refuse_gross_errors(tml_sim *sim, tml_error *err)
{
    tml_sim_report r;
    char name[128];
    const tml_system *s = sim->sys;
    // joints that repeat others may be out of line by the errors of dimensions
    const double admitted = fmax(sim->run.rtol, TMLI_BUILT_TOLERANCE);
    if (sim->run.step > 0) return TML_OK;
    tml_sim_get_report(sim, &r);
    // behind a singular configuration rows without an equation follow the motion only if it keeps them closed
    const double most = r.count.singular > 0 ? 1 : GROSS_RESIDUAL;
    if (sim->open.row >= 0 && sim->open.size > most * admitted)
        return tmli_fail(err, TML_ERR_STEP,
                         "%s was open by %.2g model lengths or rad, %.4g times the tolerance: the motion is "
                         "wrong. Try a tighter tolerance or another method.",
                         s->row_name(s, sim->open.row, name, sizeof name), sim->open.size,
                         sim->open.size / admitted);
    if (r.count.singular > 0 && r.energy_error > GROSS_ENERGY_ERROR * r.energy_scale)
        return tmli_fail(err, TML_ERR_STEP,
                         "the energy balance is off by %.0f %% of the largest term after the singular "
                         "configuration at t = %g s: the motion is wrong. Try a tighter tolerance or another "
                         "method.",
                         100 * r.energy_error / r.energy_scale, r.count.singular_first);
    return TML_OK;
}

// Bodies that are still deep in each other at the end: no law of contact holds them there under their loads.
static void warn_of_sunk_bodies(const tml_sim *sim)
{
    char text[300];
    for (int i = 0; sim->model && i < sim->model->nuser_forces; i++)
        if (tmli_mb_has_sunk(sim->model, sim->work, tml_sim_state(sim), i, text, sizeof text))
            tmli_log(
                &sim->env, TML_LOG_WARNING,
                "%s at t = %g s, more than 10 %% of the smaller one: the contact is too soft for its load, "
                "or the bodies are caught in each other",
                text, tml_sim_time(sim));
}

// Where the length of the model is a guess, an allowed share of it may be a large one of the motion. A run
// that ends before the motion has turned back a few times does not tell how far that goes.
static void warn_of_guessed_length(const tml_sim *sim)
{
    const double L = sim->sys->length, way = sim->travel[0], turn = sim->travel[1];
    const double allowed = sim->run.atol * L;
    if (!(way > TMLI_ROUNDOFF * L && way > LEAST_TRAVEL_PER_TURN * L * turn) ||
        allowed * LEAST_TRAVEL <= sim->run.rtol * way ||
        way > LEAST_TRAVEL * sim->travel[2] * (sim->run.end - sim->run.start))
        return;
    tmli_log(&sim->env, TML_LOG_WARNING,
             "the model has no dimensions: %.3g m counts as its length, and an error of %.2g m as within the "
             "tolerance, but nothing moves by more than %.2g m; set 'atol' to %.1g, or give a frame or the "
             "point of a joint at a typical distance",
             L, allowed, way, sim->run.rtol * way / L);
}

bool tml_sim_is_near_end(const tml_sim *sim, double t_end)
{
    if (!sim) return false;
    if (isnan(t_end)) t_end = sim->run.end;
    return tmli_driver_is_near(&sim->driver, tmli_sim_time(sim), t_end);
}

static tml_status run(tml_sim *sim, double t_end, tml_error *err)
{
    if (isnan(t_end)) t_end = sim->run.end;
    if (isinf(t_end))
        return tmli_fail(err, TML_ERR_ARG, "the run would end at t = %g s, expected a finite time", t_end);
    if (t_end < tml_sim_time(sim))
        return tmli_fail(err, TML_ERR_ARG, "the simulation is at t = %g s and cannot go back to %g s",
                         tml_sim_time(sim), t_end);
    sim->report.event = NULL;
    if (!sim->run_open) sim->residual_of[0] = NAN;
    const double clock = tmli_wall_time();
    tml_status st = sim->restart_pending ? tmli_sim_restart_after_switch(sim, err) : TML_OK;
    sim->running = true;
    if (st == TML_OK) st = run_loop(sim, t_end, err);
    sim->running = false;
    if (sim->record && !sim->run_open) find_next_output(sim, tml_sim_time(sim));
    if (st == TML_OK) st = refuse_gross_errors(sim, err);
    if (st == TML_OK) warn_of_sunk_bodies(sim);
    if (st == TML_OK) warn_of_guessed_length(sim);
    sim->report.wall_seconds += tmli_wall_time() - clock;
    if (st != TML_OK && err) err->t = tml_sim_time(sim);
    return st;
}

tml_status tml_sim_run(tml_sim *sim, double t_end, tml_error *err)
{
    if (!sim) return tmli_null_argument(err, "tml_sim_run");
    bool first;
    tml_status st = tmli_sim_enter(sim, "tml_sim_run", &first, err);
    if (st == TML_OK) st = run(sim, t_end, err);
    tmli_sim_leave(sim, first);
    return st;
}

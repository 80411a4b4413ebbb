// The loop of a run: steps, outputs within steps, events.
#include "sim/sim.h"

#include <float.h>
#include <math.h>
#include <time.h>

#include "sim/constants.h"

static double wall_clock(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- outputs ----------------------------------------------------------------------------------------------

// State at time t within the last step, interpolated and projected. Without motion_only also its
// accelerations, multipliers and turns of the joint angles (else the turns are those of the start of the
// step).
static void interpolate_output(tml_sim *sim, double t, bool motion_only, tml_state *out)
{
    const tml_state *x = sim->driver.method->state(sim->driver.self);
    const double h = sim->last_step;
    const double theta = h > 0 ? fmin(fmax(1 - (x->t - t) / h, 0), 1) : 1;
    if (theta >= 1) tml_state_copy(out, x);
    else sim->driver.method->interpolate(sim->driver.self, theta, out);
    tml_state_copy(sim->scratch, out);
    // projection fails where constraints become dependent: keep the integrator's state
    tmli_consistent *c = sim->output_projection.sys ? &sim->output_projection : &sim->consistent;
    const tml_status st =
        motion_only ? tmli_consistent_project_motion(c, out, NULL) : tmli_consistent_project(c, out, NULL);
    if (st != TML_OK) tml_state_copy(out, sim->scratch);
    else if (!motion_only && sim->minimum_norm.sys && !c->near_singular)
        tmli_minimum_norm_set(&sim->minimum_norm, out, NULL);
    out->t = t;
    if (!motion_only && sim->sys->ops->accept) sim->sys->ops->accept(sim->sys->self, sim->work, out);
}

// Constraint residuals of the last step; computed once if several outputs are within it.
static tml_status measure_residuals(tml_sim *sim, tml_error *err)
{
    const tml_state *x = sim->driver.method->state(sim->driver.self);
    tml_sim_report *r = &sim->report;
    int row;
    if (x->t == sim->residual_of[0] && sim->last_step == sim->residual_of[1]) return TML_OK;
    tml_status st = tmli_consistent_residuals(&sim->consistent, x, &sim->output_residual[0],
                                              &sim->output_residual[1], &row, NULL, err);
    if (st != TML_OK) return st;
    if (sim->output_residual[0] > r->position_residual) {
        r->position_residual = sim->output_residual[0];
        r->position_row = row;
    }
    r->velocity_residual = fmax(r->velocity_residual, sim->output_residual[1]);
    sim->residual_of[0] = x->t;
    sim->residual_of[1] = sim->last_step;
    return TML_OK;
}

static tml_status audit_output(tml_sim *sim, double work_before, tml_error *err)
{
    tml_sim_report *r = &sim->report;
    tml_status st = measure_residuals(sim, err);
    if (st != TML_OK) return st;
    // the non-conservative work up to the output time
    const double theta =
        sim->last_step_used > 0 ? 1 - (sim->t_reached - sim->out->t) / sim->last_step_used : 1;
    sim->output_dissipated =
        theta < 1 ? work_before - sim->last_step_used * tmli_sim_mean_power(sim, theta) : sim->dissipated;
    if (!sim->sys->ops->energy) return TML_OK;
    double power;
    st = sim->sys->ops->energy(sim->sys->self, sim->work, sim->out, &r->kinetic, &r->potential, &power, err);
    r->dissipated = sim->output_dissipated;
    const double error = fabs(r->kinetic + r->potential + r->dissipated - r->energy_start);
    r->energy_error = fmax(r->energy_error, error);
    r->energy_scale =
        fmax(r->energy_scale,
             fmax(fabs(r->kinetic), fmax(fabs(r->potential - r->energy_start), fabs(r->dissipated))));
    return st;
}

// Outputs need no accelerations and multipliers.
static bool needs_motion_only(const tml_sim *sim) { return sim->hooks.motion_only || !sim->hooks.on_output; }

static tml_status output(tml_sim *sim, double t, double work_before, tml_error *err)
{
    interpolate_output(sim, t, needs_motion_only(sim), sim->out);
    tml_status st = audit_output(sim, work_before, err);
    if (st == TML_OK && sim->hooks.on_output) {
        st = sim->hooks.on_output(sim, sim->out, sim->hooks.user);
        if (st != TML_OK && err && err->status != st)
            tmli_fail(err, st, "stopped by the output hook at t = %g s", t);
    }
    return st;
}

// ---- events -----------------------------------------------------------------------------------------------

static double event_value(tml_sim *sim, int i, const tml_state *x)
{
    tmli_mb_set_poses(sim->model, sim->work, x->q);
    return tmli_mb_expression(sim->model, sim->work, x, &sim->model->event[i].when);
}

static bool crossed(const tmli_event *e, double before, double after)
{
    if (before == 0 || isnan(before) || isnan(after)) return false;
    const bool up = before < 0 && after >= 0, down = before > 0 && after <= 0;
    return (up && e->direction >= 0) || (down && e->direction <= 0);
}

// Bisection on the dense output.
static double locate_event(tml_sim *sim, int i, double t0, double t1)
{
    const double before = sim->event_last[i];
    for (int k = 0; k < EVENT_BISECTIONS; k++) {
        const double t = t0 + (t1 - t0) / 2;
        if (t <= t0 || t >= t1) break;
        interpolate_output(sim, t, true, sim->out);  // events depend on positions and velocities only
        if (crossed(&sim->model->event[i], before, event_value(sim, i, sim->out))) t1 = t;
        else t0 = t;
    }
    return t1;
}

// First event within the last step, or -1; *t becomes its time.
static int find_event(tml_sim *sim, double t_before, double *t)
{
    const tml_state *x = sim->restart_pending ? sim->branch_end : sim->driver.method->state(sim->driver.self);
    int first = -1;
    *t = sim->t_reached;
    if (!sim->model) return -1;
    for (int i = 0; i < sim->model->nevents; i++) {
        const double after = event_value(sim, i, x);
        if (crossed(&sim->model->event[i], sim->event_last[i], after)) {
            const double at = locate_event(sim, i, t_before, sim->t_reached);
            if (first < 0 || at < *t) {
                *t = at;
                first = i;
            }
        }
        if (first < 0) sim->event_last[i] = after;
    }
    return first;
}

// ---- discontinuities --------------------------------------------------------------------------------------

// Restart at the discontinuity that ended the last step. An output at this time has the new modes.
static tml_status pass_discontinuity(tml_sim *sim, bool row, tml_error *err)
{
    tml_status st = tmli_sim_restart_after_switch(sim, err);
    sim->last_step = sim->last_step_used = 0;
    return st == TML_OK && row ? output(sim, sim->t_reached, sim->dissipated, err) : st;
}

// ---- the run ----------------------------------------------------------------------------------------------

// Time of the output due at t if the motion is known up to `now`: t if the two differ by round-off, otherwise
// at most `now`. An event at `now` ends the run: no output is later.
static double output_time(double t, double dt, double now, bool event)
{
    const double roundoff = fmax(OUTPUT_TIME_ROUNDOFF * dt, 4 * DBL_EPSILON * fabs(now));
    return t - now <= roundoff && !event ? t : fmin(t, now);
}

static tml_status run_loop(tml_sim *sim, double t_end, tml_error *err)
{
    const double dt = sim->run.output_step, t0 = sim->t_start;
    double k = floor((tml_sim_time(sim) - t0) / dt + OUTPUT_TIME_SLACK) + 1;  // number of the next output
    for (int i = 0; sim->model && i < sim->model->nevents; i++)
        sim->event_last[i] = event_value(sim, i, sim->driver.method->state(sim->driver.self));
    tml_status st = output(sim, tml_sim_time(sim), sim->dissipated, err);
    double t_written = tml_sim_time(sim);
    while (st == TML_OK && tml_sim_time(sim) < t_end) {
        const double before = tml_sim_time(sim), work_before = sim->dissipated;
        st = tmli_sim_advance(sim, t_end, err);
        if (st != TML_OK) break;
        double now = sim->t_reached;
        sim->last_step = tml_sim_time(sim) - before;
        const double step = sim->last_step_used = now - before;
        const int event = find_event(sim, before, &now);
        const bool restart = event < 0 && sim->restart_pending;
        const double slack = OUTPUT_TIME_SLACK * dt, until = restart ? now - slack : now + slack;
        for (; st == TML_OK && t0 + k * dt <= until && t0 + k * dt < t_end - slack; k++) {
            t_written = output_time(t0 + k * dt, dt, now, event >= 0);
            st = output(sim, t_written, work_before, err);
        }
        if (st == TML_OK && restart) {
            const bool row = t0 + k * dt <= now + slack && t0 + k * dt < t_end - slack;
            st = pass_discontinuity(sim, row, err);
            if (row) t_written = now;
            k += row;
        }
        const bool last = event >= 0 || now >= t_end;
        if (st == TML_OK && last && now > t_written) st = output(sim, now, work_before, err);
        if (st == TML_OK && sim->hooks.on_step && step > 0) {
            st = sim->hooks.on_step(sim, now, step, sim->hooks.user);
            if (st != TML_OK) tmli_fail(err, st, "stopped at t = %g s", now);
        }
        if (event >= 0) {  // the state is that of the event; a further run starts there
            sim->report.event = sim->model->event[event].name;
            // accelerations by the same solver as at every start, where it succeeds
            if (st == TML_OK && (sim->output_projection.sys || needs_motion_only(sim)))
                tmli_consistent_accelerations(&sim->consistent, sim->out, NULL);
            if (needs_motion_only(sim) && sim->sys->ops->accept)
                sim->sys->ops->accept(sim->sys->self, sim->work, sim->out);
            if (st == TML_OK) st = sim->driver.method->start(sim->driver.self, sim->out, err);
            tmli_discontinuities_restart(&sim->discontinuities, sim->out);
            sim->restart_pending = false;
            sim->t_reached = now;
            break;
        }
    }
    return st;
}

tml_status tml_sim_run(tml_sim *sim, double t_end, tml_error *err)
{
    if (isnan(t_end)) t_end = sim->run.end;
    if (t_end < tml_sim_time(sim))
        return tmli_fail(err, TML_ERR_ARG, "the simulation is at t = %g s and cannot go back to %g s",
                         tml_sim_time(sim), t_end);
    sim->report.event = NULL;
    sim->residual_of[0] = NAN;
    const double clock = wall_clock();
    tml_status st = run_loop(sim, t_end, err);
    sim->report.wall_seconds += wall_clock() - clock;
    if (st != TML_OK && err) err->t = tml_sim_time(sim);
    return st;
}

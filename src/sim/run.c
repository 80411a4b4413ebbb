// A run: steps, outputs between them, events.
#include "sim/sim.h"

#include <float.h>
#include <math.h>
#include <time.h>

static double wall_clock(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- outputs ----------------------------------------------------------------------------------------------

// The state at time t within the last step: interpolated, projected, and unless motion will do with its own
// accelerations, multipliers and counted angles (those of the start of the step tell as well how often a
// joint has turned).
static void state_at(tml_sim *sim, double t, bool motion_only, tml_state *out)
{
    const tml_state *x = sim->driver.method->state(sim->driver.self);
    const double h = sim->row_step;
    const double theta = h > 0 ? fmin(fmax(1 - (x->t - t) / h, 0), 1) : 1;
    if (theta >= 1) tml_state_copy(out, x);
    else sim->driver.method->interpolate(sim->driver.self, theta, out);
    tml_state_copy(sim->probe, out);
    // where the constraints become dependent the integrator's own state is the best there is
    tmli_consistent *c = sim->rows.sys ? &sim->rows : &sim->consistent;
    const tml_status st =
        motion_only ? tmli_consistent_project_motion(c, out, NULL) : tmli_consistent_project(c, out, NULL);
    if (st != TML_OK) tml_state_copy(out, sim->probe);
    else if (!motion_only && sim->shares.sys && !c->near_singular) tmli_minimum_norm_set(&sim->shares, out, NULL);
    out->t = t;
    if (!motion_only && sim->sys->ops->accept) sim->sys->ops->accept(sim->sys->self, sim->work, out);
}

// How well the last step keeps the constraints; once, if several rows are within it.
static tml_status measure_step(tml_sim *sim, tml_error *err)
{
    const tml_state *x = sim->driver.method->state(sim->driver.self);
    tml_sim_report *r = &sim->report;
    int row;
    if (x->t == sim->measured[0] && sim->row_step == sim->measured[1]) return TML_OK;
    tml_status st = tmli_consistent_residuals(&sim->consistent, x, &sim->row_residual[0],
                                              &sim->row_residual[1], &row, NULL, err);
    if (st != TML_OK) return st;
    if (sim->row_residual[0] > r->position_residual) {
        r->position_residual = sim->row_residual[0];
        r->position_row = row;
    }
    r->velocity_residual = fmax(r->velocity_residual, sim->row_residual[1]);
    sim->measured[0] = x->t;
    sim->measured[1] = sim->row_step;
    return TML_OK;
}

static tml_status measure_row(tml_sim *sim, double work_before, tml_error *err)
{
    tml_sim_report *r = &sim->report;
    tml_status st = measure_step(sim, err);
    if (st != TML_OK) return st;
    // the non-conservative work up to the output time
    const double theta = sim->row_span > 0 ? 1 - (sim->t_now - sim->out->t) / sim->row_span : 1;
    sim->row_dissipated =
        theta < 1 ? work_before - sim->row_span * tmli_sim_mean_power(sim, theta) : sim->work_taken;
    if (!sim->sys->ops->energy) return TML_OK;
    double power;
    st = sim->sys->ops->energy(sim->sys->self, sim->work, sim->out, &r->kinetic, &r->potential, &power, err);
    r->dissipated = sim->row_dissipated;
    const double error = fabs(r->kinetic + r->potential + r->dissipated - r->energy_start);
    r->energy_error = fmax(r->energy_error, error);
    r->energy_scale =
        fmax(r->energy_scale,
             fmax(fabs(r->kinetic), fmax(fabs(r->potential - r->energy_start), fabs(r->dissipated))));
    return st;
}

// Nobody looks at accelerations and multipliers of rows.
static bool motion_will_do(const tml_sim *sim) { return sim->hooks.motion_only || !sim->hooks.on_output; }

static tml_status output(tml_sim *sim, double t, double work_before, tml_error *err)
{
    state_at(sim, t, motion_will_do(sim), sim->out);
    tml_status st = measure_row(sim, work_before, err);
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

// Bisection on the dense output; 50 halvings reach the resolution of t.
static double locate(tml_sim *sim, int i, double t0, double t1)
{
    const double before = sim->event_last[i];
    for (int k = 0; k < 50; k++) {
        const double t = t0 + (t1 - t0) / 2;
        if (t <= t0 || t >= t1) break;
        state_at(sim, t, true, sim->out);  // expressions know no accelerations and no multipliers
        if (crossed(&sim->model->event[i], before, event_value(sim, i, sim->out))) t1 = t;
        else t0 = t;
    }
    return t1;
}

// First event within the last step, or -1; *t becomes its time.
static int find_event(tml_sim *sim, double t_before, double *t)
{
    const tml_state *x = sim->pending ? sim->border : sim->driver.method->state(sim->driver.self);
    int first = -1;
    *t = sim->t_now;
    if (!sim->model) return -1;
    for (int i = 0; i < sim->model->nevents; i++) {
        const double after = event_value(sim, i, x);
        if (crossed(&sim->model->event[i], sim->event_last[i], after)) {
            const double at = locate(sim, i, t_before, sim->t_now);
            if (first < 0 || at < *t) {
                *t = at;
                first = i;
            }
        }
        if (first < 0) sim->event_last[i] = after;
    }
    return first;
}

// ---- switches ---------------------------------------------------------------------------------------------

// The last step ended at a switch: go on from there with the new modes, which also count for a row at that
// time.
static tml_status pass_switch(tml_sim *sim, bool row, tml_error *err)
{
    tml_status st = tmli_sim_restart_after_switch(sim, err);
    sim->row_step = sim->row_span = 0;
    return st == TML_OK && row ? output(sim, sim->t_now, sim->work_taken, err) : st;
}

// ---- the run ----------------------------------------------------------------------------------------------

// The time of a row due at t, when the motion is known up to `now` which may be a little less: t itself if
// that is by round-off, and not beyond an event that ends the run.
static double row_time(double t, double dt, double now, bool event)
{
    const double roundoff = fmax(1e-12 * dt, 4 * DBL_EPSILON * fabs(now));
    return t - now <= roundoff && !event ? t : fmin(t, now);
}

static tml_status run_loop(tml_sim *sim, double t_end, tml_error *err)
{
    const double dt = sim->run.output_step, t0 = sim->t_first;
    double k = floor((tml_sim_time(sim) - t0) / dt + 1e-9) + 1;  // number of the next output
    for (int i = 0; sim->model && i < sim->model->nevents; i++)
        sim->event_last[i] = event_value(sim, i, sim->driver.method->state(sim->driver.self));
    tml_status st = output(sim, tml_sim_time(sim), sim->work_taken, err);
    double t_written = tml_sim_time(sim);
    while (st == TML_OK && tml_sim_time(sim) < t_end) {
        const double before = tml_sim_time(sim), work_before = sim->work_taken;
        st = tmli_sim_advance(sim, t_end, err);
        if (st != TML_OK) break;
        double now = sim->t_now;
        sim->row_step = tml_sim_time(sim) - before;
        const double step = sim->row_span = now - before;
        const int event = find_event(sim, before, &now);
        const bool settle = event < 0 && sim->pending;
        const double slack = 1e-9 * dt, until = settle ? now - slack : now + slack;
        for (; st == TML_OK && t0 + k * dt <= until && t0 + k * dt < t_end - slack; k++) {
            t_written = row_time(t0 + k * dt, dt, now, event >= 0);
            st = output(sim, t_written, work_before, err);
        }
        if (st == TML_OK && settle) {
            const bool row = t0 + k * dt <= now + slack && t0 + k * dt < t_end - slack;
            st = pass_switch(sim, row, err);
            if (row) t_written = now;
            k += row;
        }
        const bool last = event >= 0 || now >= t_end;
        if (st == TML_OK && last && now > t_written) st = output(sim, now, work_before, err);
        if (st == TML_OK && sim->hooks.on_step && step > 0) {
            st = sim->hooks.on_step(sim, now, step, sim->hooks.user);
            if (st != TML_OK) tmli_fail(err, st, "stopped at t = %g s", now);
        }
        if (event >= 0) {  // the simulation stands at the event, ready to go on from there
            sim->report.event = sim->model->event[event].name;
            // from accelerations by the solver of all starts, where it finds any
            if (st == TML_OK && (sim->rows.sys || motion_will_do(sim)))
                tmli_consistent_accelerations(&sim->consistent, sim->out, NULL);
            if (motion_will_do(sim) && sim->sys->ops->accept)
                sim->sys->ops->accept(sim->sys->self, sim->work, sim->out);
            if (st == TML_OK) st = sim->driver.method->start(sim->driver.self, sim->out, err);
            tmli_discontinuities_restart(&sim->switches, sim->out);
            sim->pending = false;
            sim->t_now = now;
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
    sim->measured[0] = NAN;
    const double clock = wall_clock();
    tml_status st = run_loop(sim, t_end, err);
    sim->report.wall_seconds += wall_clock() - clock;
    if (st != TML_OK && err) err->t = tml_sim_time(sim);
    return st;
}

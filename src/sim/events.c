// Events of the model: expressions that cross zero within a step, located on its dense output.
#include "sim/sim.h"

#include <float.h>
#include <math.h>

#include "sim/constants.h"

static double event_value(tml_sim *sim, int i, const tml_state *x)
{
    tmli_mb_set_poses(sim->model, sim->work, x->q);
    return tmli_mb_expression(sim->model, sim->work, x, &sim->model->event[i].when);
}

static bool crossed(const tmli_event *e, double before, double after)
{
    if (before == 0) return false;
    const bool up = before < 0 && after >= 0, down = before > 0 && after <= 0;
    return (up && e->direction >= 0) || (down && e->direction <= 0);
}

// Bisection on the dense output.
static double locate_event(tml_sim *sim, int i, double t0, double t1)
{
    const double before = sim->event_last[i];
    for (const double roundoff = DBL_EPSILON * (t1 - t0); t1 - t0 > roundoff;) {
        const double t = t0 + (t1 - t0) / 2;
        if (t <= t0 || t >= t1) break;
        tmli_sim_interpolate(sim, t, true, sim->out);  // events depend on positions and velocities only
        if (crossed(&sim->model->event[i], before, event_value(sim, i, sim->out))) t1 = t;
        else t0 = t;
    }
    return t1;
}

// The event function is not a number at the end of the last step. *t becomes the last time before that;
// returns the value there.
static double value_before_nan(tml_sim *sim, int i, double t_before, double *t)
{
    double t0 = t_before, t1 = sim->t_reached, value = sim->event_last[i];
    for (const double roundoff = DBL_EPSILON * (t1 - t0); t1 - t0 > roundoff;) {
        const double middle = t0 + (t1 - t0) / 2;
        if (middle <= t0 || middle >= t1) break;
        tmli_sim_interpolate(sim, middle, true, sim->out);
        const double x = event_value(sim, i, sim->out);
        if (isnan(x)) t1 = middle;
        else t0 = middle, value = x;
    }
    *t = t0;
    return value;
}

// First event within the last step, or -1; *t becomes its time. An event function that is not a number cannot
// be watched: its zero might be missed.
static tml_status find_event(tml_sim *sim, double t_before, int *event, double *t, tml_error *err)
{
    const tml_state *x = sim->restart_pending ? sim->branch_end : sim->driver.method->state(sim->driver.self);
    int first = -1;
    *t = sim->t_reached;
    *event = -1;
    if (!sim->model) return TML_OK;
    for (int i = 0; i < sim->model->nevents; i++) {
        double after = event_value(sim, i, x), until = sim->t_reached;
        if (isnan(after) && !isnan(sim->event_last[i])) {
            after = value_before_nan(sim, i, t_before, &until);
            if (!crossed(&sim->model->event[i], sim->event_last[i], after)) after = NAN;
        }
        if (isnan(after) || isnan(sim->event_last[i]))
            return tmli_fail(err, TML_ERR_NAN, "event '%s': its expression is not a number at t = %.6g s",
                             sim->model->event[i].name, isnan(sim->event_last[i]) ? t_before : until);
        if (crossed(&sim->model->event[i], sim->event_last[i], after)) {
            const double at = locate_event(sim, i, t_before, until);
            if (first < 0 || at < *t) {
                *t = at;
                first = i;
            }
        }
        if (first < 0) sim->event_last[i] = after;
    }
    *event = first;
    return TML_OK;
}

void tmli_sim_start_events(tml_sim *sim)
{
    for (int i = 0; sim->model && i < sim->model->nevents; i++)
        sim->event_last[i] = event_value(sim, i, tmli_sim_state(sim));
    sim->event_known = true;
}

tml_status tmli_sim_advance_to_event(tml_sim *sim, double t_end, int *event, double *t, tml_error *err)
{
    const double before = tml_sim_time(sim);
    *event = sim->event_pending;
    *t = before;
    if (sim->event_pending >= 0) return TML_OK;
    const tml_status st = tmli_sim_advance(sim, t_end, err);
    if (st != TML_OK) return st;
    return find_event(sim, before, event, t, err);
}

tml_status tmli_sim_keep_event(tml_sim *sim, int event)
{
    tml_state *x = sim->branch_end;
    tml_state_copy(x, sim->out);
    tmli_consistent_accelerations(&sim->consistent, x, NULL);
    if (sim->sys->ops->accept) sim->sys->ops->accept(sim->sys->self, sim->work, x);
    sim->event_pending = event;
    sim->restart_pending = false;
    return TML_OK;
}

tml_status tmli_sim_restart_at_event(tml_sim *sim, int event, bool accelerate, tml_error *err)
{
    const tml_system *s = sim->sys;
    tml_state *x = sim->out;
    double kinetic, potential;
    sim->report.event = sim->model->event[event].name;
    sim->dissipated = tmli_sim_dissipated(sim, x->t);
    // accelerations by the same solver as at every start, where it succeeds
    if (accelerate || sim->output_projection.sys) tmli_consistent_accelerations(&sim->consistent, x, NULL);
    if (accelerate && s->ops->accept) s->ops->accept(s->self, sim->work, x);
    tml_status st = sim->driver.method->start(sim->driver.self, x, err);
    tmli_discontinuities_restart(&sim->discontinuities, x);
    sim->restart_pending = false;
    sim->event_pending = -1;
    sim->t_reached = x->t;
    sim->last_step = sim->last_step_used = 0;
    if (st == TML_OK && s->ops->energy)
        st = s->ops->energy(s->self, sim->work, x, &kinetic, &potential, &sim->power_last, err);
    tmli_sim_start_events(sim);
    return st;
}

tml_status tml_sim_step(tml_sim *sim, double t_end, tml_error *err)
{
    if (!sim) return tmli_null_argument(err, "tml_sim_step");
    sim->run_open = false;
    sim->report.event = NULL;
    if (!(t_end > tml_sim_time(sim))) return TML_OK;
    if (!sim->event_known) tmli_sim_start_events(sim);
    int event = -1;
    double t;
    tml_status st = tmli_sim_advance_to_event(sim, t_end, &event, &t, err);
    if (st == TML_OK && event >= 0) {
        tmli_sim_interpolate(sim, t, true, sim->out);
        return tmli_sim_restart_at_event(sim, event, true, err);
    }
    if (st == TML_OK && sim->restart_pending) st = tmli_sim_restart_after_switch(sim, err);
    return st;
}

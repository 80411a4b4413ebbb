// Events of the model: expressions that cross zero within a step, located on its dense output.
#include "sim/loop.h"

#include <float.h>
#include <math.h>

#include "sim/constants.h"
#include "sim/queries/constants.h"

// The margin of a condition is 0 where its two sides are equal, and they may stay so for a while: it has the
// sign of the condition.
static double event_value(tml_sim *sim, int i, const tml_state *x)
{
    const tmli_event *e = &sim->model->event[i];
    tmli_mb_set_poses(sim->model, sim->work, x->q);
    if (!e->condition.expr) return tmli_mb_expression(sim->model, sim->work, x, &e->when);
    const double value = tmli_mb_event_expression(sim->model, sim->work, x, &e->when);
    if (isnan(value)) return value;
    const bool holds = tmli_mb_event_expression(sim->model, sim->work, x, &e->condition) != 0;
    return copysign(fmax(fabs(value), DBL_MIN), holds ? 1 : -1);
}

// The same at the end of a step, 0 for what is round-off: what rests crosses nothing in the next step.
static double value_at_end(tml_sim *sim, int i, const tml_state *x)
{
    const tmli_event *e = &sim->model->event[i];
    const double value = event_value(sim, i, x);
    if (e->condition.expr || isnan(value)) return value;
    return tmli_mb_event_expression(sim->model, sim->work, x, &e->when) == 0 ? 0 : value;
}

static bool crossed(const tmli_event *e, double before, double after)
{
    if (before == 0) return false;
    const bool up = before < 0 && after >= 0, down = before > 0 && after <= 0;
    return (up && e->direction >= 0) || (down && e->direction <= 0);
}

// Bisection on the dense output, from t0, where the value is `before`.
static double locate_event(tml_sim *sim, int i, double before, double t0, double t1)
{
    for (const double roundoff = DBL_EPSILON * (t1 - t0); t1 - t0 > roundoff;) {
        const double t = t0 + (t1 - t0) / 2;
        if (t <= t0 || t >= t1) break;
        tmli_sim_interpolate(sim, t, true, sim->out);  // events depend on positions and velocities only
        if (crossed(&sim->model->event[i], before, event_value(sim, i, sim->out))) t1 = t;
        else t0 = t;
    }
    return t1;
}

// Value of event function i at a time of the last step, on the dense output as it is.
static double sample(tml_sim *sim, int i, double t)
{
    const tml_state *x = sim->driver.method->state(sim->driver.self);
    const double theta = 1 - (x->t - t) / sim->last_step;
    sim->driver.method->interpolate(sim->driver.self, fmin(fmax(theta, 0), 1), sim->out);
    return event_value(sim, i, sim->out);
}

// A part of a step, with the values of an event function at its ends.
typedef struct part {
    double t0, v0, t1, v1;
} part;

// The function has the same sign at both ends of p and, with the value v, in its middle. If it changes its
// sign at the vertex of the parabola through the three, and event i happens there: true, and p is the part up
// to the vertex, or from there.
static bool crosses_at_vertex(tml_sim *sim, int i, part *p, double v)
{
    const tmli_event *e = &sim->model->event[i];
    const double curve = p->v0 - 2 * v + p->v1, share = (p->v0 - p->v1) / (2 * curve);
    if (!(fabs(share) < 1)) return false;
    const double t = (p->t0 + p->t1) / 2 + share * (p->t1 - p->t0) / 2, at = sample(sim, i, t);
    if (isnan(at) || (at < 0) == (p->v0 < 0)) return false;
    *p = crossed(e, p->v0, at) ? (part){p->t0, p->v0, t, at} : (part){t, at, p->t1, p->v1};
    return crossed(e, p->v0, p->v1);
}

// The first part of p in which event i happens: true, and p is that part. Where the function is far from
// linear it may cross zero twice: it is examined at its extreme, and p is halved, at most `depth` times.
static bool find_crossing(tml_sim *sim, int i, part *p, int depth)
{
    const tmli_event *e = &sim->model->event[i];
    const double t = p->t0 + (p->t1 - p->t0) / 2;
    if (depth == 0 || t <= p->t0 || t >= p->t1) return crossed(e, p->v0, p->v1);
    const double v = sample(sim, i, t), nearest = fmin(fabs(p->v0), fmin(fabs(v), fabs(p->v1)));
    const bool hidden = fabs(p->v0 - 2 * v + p->v1) > EVENT_CURVATURE * nearest;
    const bool changes = (p->v0 < 0) != (v < 0) || (v < 0) != (p->v1 < 0);
    if (isnan(v) || !(hidden || changes)) return crossed(e, p->v0, p->v1);
    if (!changes && crosses_at_vertex(sim, i, p, v)) return true;
    part half = {p->t0, p->v0, t, v};
    bool found = find_crossing(sim, i, &half, depth - 1);
    if (!found) {
        half = (part){t, v, p->t1, p->v1};
        found = find_crossing(sim, i, &half, depth - 1);
    }
    if (found) *p = half;
    return found;
}

// Rotation of the fastest body in the last step [rad], an estimate.
static double rotation(const tml_sim *sim, const tml_state *x)
{
    const tml_system *s = sim->sys;
    double fastest = 0;
    for (int j = 0; j < s->n; j++)
        if (s->kind[j] == TML_COORDINATE_ROTATION) fastest = fmax(fastest, fabs(x->u[j]));
    return fastest * sim->last_step;
}

// Whether event i happens in the last step, from t0 to t1, where its value is `after`. *p: a short part of
// the step in which it does. Functions of angles repeat themselves: a part is not longer than a share of a
// turn.
static bool happens(tml_sim *sim, int i, const tml_state *x, double t0, double t1, double after, part *p)
{
    const double turn = rotation(sim, x);
    const int parts = EVENT_PARTS + (int)fmin(turn / EVENT_ROTATION, MAX_EVENT_PARTS);
    if (!(sim->last_step > 0)) {
        *p = (part){t0, sim->event_last[i], t1, after};
        return crossed(&sim->model->event[i], p->v0, p->v1);
    }
    part q = {.t1 = t0, .v1 = sim->event_last[i]};
    for (int k = 1; k <= parts; k++) {
        const double t = k < parts ? t0 + (t1 - t0) * k / parts : t1;
        const double v = k < parts ? sample(sim, i, t) : after;
        if (isnan(v)) continue;
        q = (part){q.t1, q.v1, t, v};
        *p = q;
        if (find_crossing(sim, i, p, EVENT_DIVISIONS)) return true;
    }
    return false;
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
        double after = value_at_end(sim, i, x), until = sim->t_reached;
        if (isnan(after) && !isnan(sim->event_last[i])) {
            after = value_before_nan(sim, i, t_before, &until);
            if (!crossed(&sim->model->event[i], sim->event_last[i], after)) after = NAN;
        }
        if (isnan(after) || isnan(sim->event_last[i]))
            return tmli_fail(err, TML_ERR_NAN, "event '%s': its expression is not a number at t = %.6g s",
                             sim->model->event[i].name, isnan(sim->event_last[i]) ? t_before : until);
        part p;
        if (happens(sim, i, x, t_before, until, after, &p)) {
            const double at = locate_event(sim, i, p.v0, p.t0, p.t1);
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
        sim->event_last[i] = value_at_end(sim, i, tmli_sim_state(sim));
    sim->event_known = true;
}

// A condition that holds from the start has nothing to become; the user may wait for it.
void tmli_sim_note_events(const tml_sim *sim)
{
    for (int i = 0; sim->model && i < sim->model->nevents; i++) {
        const tmli_event *e = &sim->model->event[i];
        if (e->condition.expr && e->direction > 0 && sim->event_last[i] > 0)
            tmli_log(&sim->env, TML_LOG_WARNING,
                     "event '%s' is true at the start: it happens when its condition becomes true again",
                     e->name);
    }
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
    sim->report.event = sim->model->event[event].name;
    return tmli_sim_restart_within_step(sim, accelerate, err);
}

tml_status tmli_sim_restart_within_step(tml_sim *sim, bool accelerate, tml_error *err)
{
    const tml_system *s = sim->sys;
    tml_state *x = sim->out;
    double kinetic, potential;
    tmli_sim_find_work(sim, x->t);
    sim->dissipated = sim->output_dissipated;
    sim->part[TMLI_POWER_SUPPLIED] = sim->output_supplied;
    sim->part[TMLI_POWER_OF_CONTACTS] = -sim->output_lost;
    // accelerations by the same solver as at every start, where it succeeds
    if (accelerate || sim->output_projection.sys) tmli_consistent_accelerations(&sim->consistent, x, NULL);
    if (accelerate && s->ops->accept) s->ops->accept(s->self, sim->work, x);
    tml_status st = sim->driver.method->start(sim->driver.self, x, err);
    tmli_discontinuities_restart(&sim->discontinuities, x);
    sim->restart_pending = false;
    sim->event_pending = -1;
    sim->t_reached = x->t;
    sim->last_step = sim->last_step_used = 0;
    if (st == TML_OK && s->ops->energy) st = tmli_sim_energy_at_start(sim, x, &kinetic, &potential, err);
    tmli_sim_start_events(sim);
    return st;
}

static tml_status step(tml_sim *sim, double t_end, tml_error *err)
{
    if (isnan(t_end)) return tmli_fail(err, TML_ERR_ARG, "t_end = %g s, expected a time", t_end);
    sim->run_open = false;
    sim->report.event = NULL;
    if (!(t_end > tml_sim_time(sim))) return TML_OK;
    if (!sim->event_known) tmli_sim_start_events(sim);
    int event = -1;
    double t;
    tml_status st = tmli_sim_advance_to_event(sim, t_end, &event, &t, err);
    if (st != TML_OK && sim->record) tmli_sim_write_last(sim);
    if (st != TML_OK) return st;
    if (sim->record) st = tmli_sim_write_outputs(sim, INFINITY, t, event >= 0, err);
    else if (event >= 0) tmli_sim_interpolate(sim, t, true, sim->out);
    if (st == TML_OK && event >= 0) return tmli_sim_restart_at_event(sim, event, true, err);
    if (st == TML_OK && sim->restart_pending) st = tmli_sim_restart_after_switch(sim, err);
    return st;
}

tml_status tml_sim_step(tml_sim *sim, double t_end, tml_error *err)
{
    if (!sim) return tmli_null_argument(err, "tml_sim_step");
    bool first;
    tml_status st = tmli_sim_enter(sim, "tml_sim_step", &first, err);
    if (st == TML_OK) st = step(sim, t_end, err);
    tmli_sim_leave(sim, first);
    return st;
}

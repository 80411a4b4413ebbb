// States of a simulation at chosen times: within the last step, and a restart from a given one.
#include "analysis/assembly/assembly.h"
#include "sim/loop.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- states within the last step --------------------------------------------------------------------------

// Begin of the part of the motion that the dense output gives [s].
static double first_known(const tml_sim *sim) { return sim->t_reached - sim->last_step_used; }

static bool same_time(double a, double b) { return fabs(a - b) <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b)); }

// Time t within the last step; NAN: outside of it by more than round-off.
static double within_step(const tml_sim *sim, double t)
{
    const double begin = first_known(sim), end = tml_sim_time(sim);
    if (!isfinite(t)) return NAN;
    if (t < begin && !same_time(t, begin)) return NAN;
    if (t > end && !same_time(t, end)) return NAN;
    return fmin(fmax(t, begin), end);
}

static tml_status state_at(tml_sim *sim, double t, tml_state *out, tml_error *err)
{
    const double at = within_step(sim, t);
    if (isnan(at))
        return tmli_fail(err, TML_ERR_ARG, "t = %g s is not within the last step, %g .. %g s", t,
                         first_known(sim), tml_sim_time(sim));
    if (tmli_sim_at_branch_end(sim) && at == sim->branch_end->t) tml_state_copy(out, sim->branch_end);
    else tmli_sim_interpolate(sim, at, false, out);
    return TML_OK;
}

tml_status tml_sim_state_at(tml_sim *sim, double t, tml_state *out, tml_error *err)
{
    if (!sim || !out) return tmli_null_argument(err, "tml_sim_state_at");
    bool first;
    tml_status st = tmli_sim_enter(sim, "tml_sim_state_at", &first, err);
    if (st == TML_OK) st = state_at(sim, t, out, err);
    tmli_sim_leave(sim, first);
    return st;
}

static tml_status advance_to(tml_sim *sim, double t, tml_state *out, tml_error *err)
{
    tml_status st = TML_OK;
    if (!isfinite(t)) return tmli_fail(err, TML_ERR_ARG, "t = %g s, expected a finite time", t);
    if (t < first_known(sim) && !same_time(t, first_known(sim)))
        return tmli_fail(err, TML_ERR_ARG, "the last step of the simulation begins at t = %g s, after %g s",
                         first_known(sim), t);
    sim->run_open = false;
    sim->report.event = NULL;
    if (!sim->event_known) tmli_sim_start_events(sim);
    while (st == TML_OK && tml_sim_time(sim) < t && !same_time(tml_sim_time(sim), t)) {
        int event = -1;
        double reached;
        st = tmli_sim_advance_to_event(sim, INFINITY, &event, &reached, err);
        if (st == TML_OK && sim->record)
            st = event >= 0 && reached <= t ? tmli_sim_write_outputs(sim, INFINITY, reached, true, err)
                                            : tmli_sim_write_due(sim, reached, err);
        if (st != TML_OK || event < 0) continue;
        tmli_sim_interpolate(sim, reached, true, sim->out);
        if (reached > t) {
            st = tmli_sim_keep_event(sim, event);
            continue;
        }
        st = tmli_sim_restart_at_event(sim, event, true, err);
        if (st == TML_OK && out) tml_state_copy(out, tmli_sim_state(sim));
        return st;
    }
    return st == TML_OK && out ? state_at(sim, t, out, err) : st;
}

tml_status tml_sim_advance_to(tml_sim *sim, double t, tml_state *out, tml_error *err)
{
    if (!sim) return tmli_null_argument(err, "tml_sim_advance_to");
    bool first;
    tml_status st = tmli_sim_enter(sim, "tml_sim_advance_to", &first, err);
    if (st == TML_OK) st = advance_to(sim, t, out, err);
    tmli_sim_leave(sim, first);
    return st;
}

// ---- restart ----------------------------------------------------------------------------------------------

// Projection of a nearly consistent state; assembly as at a start, which allocates, of any other.
static tml_status make_consistent(tml_sim *sim, tml_state *x, tml_error *err)
{
    double *weight = NULL;
    tml_state_copy(sim->scratch, x);
    tml_status st = tmli_consistent_project(&sim->consistent, x, err);
    if (st != TML_RETRY) return st;
    tml_state_copy(x, sim->scratch);
    if (sim->model && !tmli_assembly_weights(sim->model, &weight)) return tmli_no_memory(err, "simulation");
    st = tmli_assemble(sim->sys, weight, x, NULL, NULL, err);
    tmli_free(&sim->env, weight);
    return st == TML_OK ? tmli_consistent_accelerations(&sim->consistent, x, err) : st;
}

void tmli_sim_set_origin(const tml_sim *sim, tml_state *x)
{
    const double *own = sim->sys->origin;
    if (memcmp(x->origin, own, sizeof x->origin) == 0) return;
    for (int i = 0; sim->model && i < sim->model->nbodies; i++)
        for (int k = 0; k < 3; k++) x->q[7 * i + k] += x->origin[k] - own[k];
    memcpy(x->origin, own, sizeof x->origin);
}

static tml_status restart(tml_sim *sim, const tml_state *x, tml_error *err)
{
    const tml_system *s = sim->sys;
    tml_state *y = sim->out;
    if (!tmli_state_fits(s, x))
        return tmli_fail(err, TML_ERR_ARG, "tml_sim_restart: the state belongs to another system");
    if (!isfinite(x->t))
        return tmli_fail(err, TML_ERR_ARG,
                         "tml_sim_restart: the state is at t = %g s, expected a finite time", x->t);
    if (y != x) tml_state_copy(y, x);
    tmli_sim_set_origin(sim, y);
    // rows that held its coordinates before must not take the given velocities away
    tmli_discontinuities_set_modes(&sim->discontinuities, y);
    tmli_consistent_rows_changed(&sim->consistent);
    if (sim->output_projection.sys) tmli_consistent_rows_changed(&sim->output_projection);
    tml_status st = make_consistent(sim, y, err);
    if (st == TML_OK && s->ops->accept) s->ops->accept(s->self, sim->work, y);
    if (st == TML_OK) st = tmli_sim_check_gaps(sim, y, err);
    if (st == TML_OK && sim->discontinuities.n > 0) {
        tmli_discontinuities_set_modes(&sim->discontinuities, y);
        st = tmli_consistent_accelerations(&sim->consistent, y, err);
        if (st == TML_OK) st = tmli_sim_settle_modes(sim, y, true, false, err);
    }
    if (st == TML_OK && sim->massless_motion)
        st = tmli_massless_motion_balance(sim->massless_motion, &sim->consistent, y, err);
    tmli_driver *d = &sim->driver;
    if (st == TML_OK) st = d->method->start(d->self, y, err);
    if (st != TML_OK) return st;
    if (!d->fixed) tmli_driver_begin(d, sim->run.min_step);
    sim->discontinuities.skip = -INFINITY;
    tmli_discontinuities_restart(&sim->discontinuities, y);
    sim->restart_pending = sim->run_open = sim->event_known = false;
    sim->event_pending = -1;
    sim->t_reached = y->t;
    sim->last_step = sim->last_step_used = 0;
    sim->residual_of[0] = NAN;
    sim->report.event = NULL;
    if (!s->ops->energy) return TML_OK;
    double kinetic, potential;
    st = tmli_sim_energy_at_start(sim, y, &kinetic, &potential, err);
    if (st == TML_OK) sim->report.energy_start = kinetic + potential + sim->dissipated;
    return st;
}

tml_status tml_sim_restart(tml_sim *sim, const tml_state *x, tml_error *err)
{
    if (!sim || !x) return tmli_null_argument(err, "tml_sim_restart");
    bool first;
    tml_status st = tmli_sim_enter(sim, "tml_sim_restart", &first, err);
    if (st == TML_OK) st = restart(sim, x, err);
    if (st == TML_OK) st = tmli_sim_record_anew(sim, err);
    tmli_sim_leave(sim, first);
    return st;
}

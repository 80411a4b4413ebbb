// Switches of a simulation: the state where a step ends at one, and the new start from there.
#include "sim/sim.h"

#include <math.h>

// A jump of the right side of a constraint by more than this many lengths (rad) is no round-off.
static const double JUMP = 1e-6;

tml_status tmli_sim_create_discontinuities(tml_sim *sim, tml_error *err)
{
    tml_status st = tmli_discontinuities_create(sim->sys, sim->run.end - sim->run.start, sim->run.atol,
                                                &sim->switches, err);
    if (st == TML_OK) st = tml_state_create(sim->sys, &sim->border, err);
    if (st == TML_OK) st = tml_state_create(sim->sys, &sim->beyond, err);
    return st;
}

void tmli_sim_locate_discontinuity(tml_sim *sim, double t0, double t_end)
{
    tml_state *x = sim->border;
    sim->pending = tmli_discontinuities_locate(&sim->switches, &sim->driver, t0, t_end, &sim->t_now, x);
    if (!sim->pending) return;
    // what has crossed is decided by the state as it was located; projection may move it back by round-off
    tml_state_copy(sim->beyond, x);
    if (tmli_consistent_project(&sim->consistent, x, NULL) != TML_OK) tml_state_copy(x, sim->beyond);
    x->t = sim->t_now;
    if (sim->sys->ops->accept) sim->sys->ops->accept(sim->sys->self, sim->work, x);
}

// The right side of a constraint switched. A jump of its position would need an infinite force; one of its
// velocity is an impulse: the least change of the velocities, weighted by mass.
static tml_status strike(tml_sim *sim, int row, tml_state *x, tml_error *err)
{
    const tml_system *s = sim->sys;
    double position, velocity, before = 0, after = 0, potential, power;
    int at = -1;
    tml_status st = tmli_consistent_residuals(&sim->consistent, x, &position, &velocity, &at, NULL, err);
    if (st != TML_OK) return st;
    if (position > JUMP * fmin(s->length, 1)) {
        char name[160] = "a constraint";
        if (s->row_name) s->row_name(s, at >= 0 ? at : row, name, sizeof name);
        return tmli_fail(err, TML_ERR_MODEL,
                         "%s: its motion jumps by %.3g at t = %.6g s, which no force can follow; "
                         "write the jump as a short transition with step()",
                         name, position, x->t);
    }
    if (s->ops->energy) st = s->ops->energy(s->self, sim->work, x, &before, &potential, &power, err);
    if (st == TML_OK) st = tmli_consistent_project(&sim->consistent, x, err);
    if (st == TML_OK && s->ops->energy)
        st = s->ops->energy(s->self, sim->work, x, &after, &potential, &power, err);
    sim->work_taken -= after - before;
    return st;
}

// What floats on its forces follows them at once where they jump, and so does its energy.
static tml_status follow(tml_sim *sim, tml_state *x, tml_error *err)
{
    const tml_system *s = sim->sys;
    double kinetic[2] = {0}, potential[2] = {0}, power;
    tml_status st = TML_OK;
    if (s->ops->energy) st = s->ops->energy(s->self, sim->work, x, &kinetic[0], &potential[0], &power, err);
    if (st == TML_OK) st = tmli_massless_motion_balance(sim->floating, &sim->consistent, x, err);
    if (st == TML_OK && s->ops->energy)
        st = s->ops->energy(s->self, sim->work, x, &kinetic[1], &potential[1], &power, err);
    sim->work_taken -= kinetic[1] + potential[1] - kinetic[0] - potential[0];
    return st;
}

tml_status tmli_sim_restart_after_switch(tml_sim *sim, tml_error *err)
{
    const tml_system *s = sim->sys;
    tmli_driver *d = &sim->driver;
    tml_state *x = sim->border;
    int row = -1;
    tmli_discontinuities_change_modes(&sim->switches, sim->beyond, &row);
    for (int i = 0; i < x->nmode; i++) x->mode[i] = sim->beyond->mode[i];
    sim->pending = false;
    tml_status st =
        row >= 0 ? strike(sim, row, x, err) : tmli_consistent_accelerations(&sim->consistent, x, err);
    if (st == TML_OK && sim->floating) st = follow(sim, x, err);
    if (st == TML_OK) st = d->method->start(d->self, x, err);
    if (st != TML_OK) return st;
    if (!d->fixed) d->h = fmin(d->method->first_step(d->self), d->h_max);
    tmli_discontinuities_restart(&sim->switches, x);
    if (!s->ops->energy) return TML_OK;
    double kinetic, potential;
    return s->ops->energy(s->self, sim->work, x, &kinetic, &potential, &sim->power_last, err);
}

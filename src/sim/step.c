// Single steps; changes of the solver or the method on the way.
#include "sim/choose.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Go on from x, near the last accepted state, with an integrator made anew.
static tml_status renew(tml_sim *sim, const tml_state *x, tml_error *err)
{
    const tml_method_ops *method = sim->driver.method;
    tmli_driver next = sim->driver;
    next.self = NULL;
    tml_status st = tmli_sim_create_integrator(sim, x, NULL, &next, err);
    if (st != TML_OK) {
        if (next.self) next.method->destroy(next.self);
        return st;
    }
    const tml_counters *spent = method->counters(sim->driver.self);
    sim->earlier.steps += spent->steps;
    sim->earlier.iterations += spent->iterations;
    sim->earlier.residuals += spent->residuals;
    sim->earlier.factorizations += spent->factorizations;
    sim->earlier.bases += spent->bases;
    tmli_sim_add_singular(&sim->earlier, spent);
    method->destroy(sim->driver.self);
    sim->driver = next;
    sim->report.method = sim->driver.method->name;
    sim->report.solver = sim->solver->name;
    return TML_OK;
}

// The solver without pivoting met a matrix it cannot factor: go on from the last accepted state with the one
// that pivots.
static tml_status switch_solver(tml_sim *sim, tml_error *err)
{
    const tml_state *x = tml_sim_state(sim);
    tmli_log(&sim->env, TML_LOG_WARNING, "%s; using solver klu from t = %g s on",
             err ? err->msg : "singular matrix", x->t);
    sim->solver = &tml_linsolver_klu;
    tml_status st = renew(sim, x, err);
    if (st != TML_OK) return st;
    tmli_consistent_clear(&sim->consistent);
    tmli_consistent_clear(&sim->rows);
    return tmli_sim_create_consistent(sim, err);
}

// The method was chosen for a problem that has changed, `why`: go on with an implicit one. Its start wants
// multipliers, which the state of an explicit one does not have.
static tml_status leave_explicit(tml_sim *sim, const char *why, tml_error *err)
{
    tmli_sim_choice choice = {0};
    const char *before = sim->driver.method->name;
    tml_state_copy(sim->out, tml_sim_state(sim));
    tml_status st = tmli_consistent_accelerations(&sim->consistent, sim->out, err);
    if (st == TML_OK) st = tmli_sim_choose(sim, sim->out, true, &choice, err);
    if (st == TML_OK) st = tmli_sim_take_choice(sim, &choice, err);
    if (st == TML_OK) st = renew(sim, sim->out, err);
    if (st != TML_OK) return st;
    const size_t used = strlen(sim->reason);
    snprintf(sim->reason + used, sizeof sim->reason - used, " (%s); changed to %s at t = %.4g s: %s (%s)",
             before, sim->report.method, sim->out->t, why, choice.reason);
    tmli_log(&sim->env, TML_LOG_INFO, "changed from %s to %s at t = %.4g s: %s", before, sim->report.method,
             sim->out->t, why);
    return TML_OK;
}

static bool crawls(const tml_sim *sim)
{
    const tmli_driver *d = &sim->driver;
    return sim->open && !d->fixed && d->method->stiff && d->method->stiff(d->self);
}

// An explicit method that was chosen here cannot go on, which an implicit one perhaps can.
static bool halts(const tml_sim *sim, tml_status st)
{
    return (st == TML_ERR_STEP || st == TML_ERR_SINGULAR) && sim->open && !sim->driver.fixed &&
           tml_method_is_explicit(sim->method);
}

tml_status tmli_sim_advance(tml_sim *sim, double t_end, tml_error *err)
{
    tmli_driver *d = &sim->driver;
    if (crawls(sim)) {
        const tml_status changed = leave_explicit(sim, "the problem became stiff", err);
        if (changed != TML_OK) return changed;
    }
    const double before = tml_sim_time(sim);
    const double limit = tmli_discontinuities_limit(&sim->switches, tml_sim_state(sim), d->h, t_end);
    sim->pending = limit <= before;
    if (sim->pending) {  // a switch of time is due where the state stands
        tml_state_copy(sim->border, tml_sim_state(sim));
        sim->border->t = sim->t_now = sim->switches.next;
        tml_state_copy(sim->beyond, sim->border);
        return TML_OK;
    }
    tmli_sim_begin_power(sim);
    tml_status st = tmli_driver_step(d, limit, err);
    if (halts(sim, st) && leave_explicit(sim, "no step succeeded", NULL) == TML_OK)
        st = tmli_driver_step(d, limit, err);
    if (st == TML_ERR_SINGULAR && tmli_sim_may_pivot(sim)) {
        st = switch_solver(sim, err);
        if (st == TML_OK) st = tmli_driver_step(d, limit, err);
    }
    if (st != TML_OK) return st;
    sim->t_now = tml_sim_time(sim);
    if (sim->switches.n > 0) tmli_sim_locate_discontinuity(sim, before, t_end);
    return tmli_sim_add_power(sim, sim->pending ? sim->border : tml_sim_state(sim), sim->t_now - before,
                              tml_sim_time(sim) - before, err);
}

tml_status tml_sim_step(tml_sim *sim, double t_end, tml_error *err)
{
    if (!(t_end > tml_sim_time(sim))) return TML_OK;
    tml_status st = tmli_sim_advance(sim, t_end, err);
    if (st == TML_OK && sim->pending) st = tmli_sim_restart_after_switch(sim, err);
    return st;
}

// Single steps, and changes of the linear solver or the method during a run.
#include "sim/choose.h"
#include "sim/loop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Replace the integrator by a new one, started at x, which is the last accepted state or close to it.
static tml_status replace_integrator(tml_sim *sim, const tml_state *x, tml_error *err)
{
    const tml_method_ops *method = sim->driver.method;
    tmli_driver next = sim->driver;
    next.self = NULL;
    tml_status st = tmli_sim_create_integrator(sim, x, NULL, &next, err);
    if (st != TML_OK) {
        if (next.self) next.method->destroy(next.self);
        return st;
    }
    tml_counters spent;
    method->counters(sim->driver.self, &spent);
    sim->earlier_counters.steps += spent.steps;
    sim->earlier_counters.iterations += spent.iterations;
    sim->earlier_counters.residuals += spent.residuals;
    sim->earlier_counters.factorizations += spent.factorizations;
    sim->earlier_counters.bases += spent.bases;
    tmli_sim_add_singular(&sim->earlier_counters, &spent);
    tmli_sim_add_damped(&sim->earlier_counters, &spent);
    method->destroy(sim->driver.self);
    sim->driver = next;
    sim->report.method = sim->driver.method->name;
    sim->report.solver = sim->solver->name;
    return TML_OK;
}

// The solver without pivoting failed to factor a matrix: continue from the last accepted state with klu,
// which pivots.
static tml_status switch_solver(tml_sim *sim, tml_error *err)
{
    const tml_state *x = tmli_sim_state(sim);
    tmli_log(&sim->env, TML_LOG_WARNING, "%s; using solver klu from t = %g s on",
             err ? err->msg : "singular matrix", x->t);
    sim->solver = &tml_linsolver_klu;
    tml_status st = replace_integrator(sim, x, err);
    if (st != TML_OK) return st;
    tmli_consistent_clear(&sim->consistent);
    tmli_consistent_clear(&sim->output_projection);
    return tmli_sim_create_consistent(sim, err);
}

// The method chosen by `auto` no longer suits the problem, for the reason `why`: continue from sim->out, the
// present state with its multipliers, with the choice. Without success the method stays.
static tml_status change_method(tml_sim *sim, const tmli_sim_choice *choice, const char *why, tml_error *err)
{
    const char *before = sim->driver.method->name;
    char after[60];
    const tmli_sim_choice old = {.method = sim->method, .kinematics = sim->run.kinematics};
    tml_status st = tmli_sim_take_choice(sim, choice, err);
    if (st == TML_OK) st = replace_integrator(sim, sim->out, err);
    if (st != TML_OK) {
        sim->method = old.method;
        sim->run.kinematics = old.kinematics;
        return st;
    }
    const bool other_unknowns = strcmp(before, sim->report.method) == 0;
    snprintf(after, sizeof after, "%s%s", sim->report.method, other_unknowns ? " on bodies" : "");
    const size_t used = strlen(sim->reason);
    snprintf(sim->reason + used, sizeof sim->reason - used, " (%s); changed to %s at t = %.4g s: %s (%s)",
             before, after, sim->out->t, why, choice->reason);
    tmli_log(&sim->env, TML_LOG_INFO, "changed from %s to %s at t = %.4g s: %s", before, after, sim->out->t,
             why);
    return TML_OK;
}

// sim->out := the present state. The start of a method needs multipliers, which not all states have.
static tml_status complete_state(tml_sim *sim, tml_error *err)
{
    tml_state_copy(sim->out, tmli_sim_state(sim));
    return tmli_consistent_accelerations(&sim->consistent, sim->out, err);
}

// The explicit method no longer suits the problem: continue with an implicit one.
static tml_status change_to_implicit(tml_sim *sim, const char *why, tml_error *err)
{
    tmli_sim_choice choice = {0};
    tml_status st = complete_state(sim, err);
    if (st == TML_OK) st = tmli_sim_choose(sim, sim->out, true, &choice, err);
    return st == TML_OK ? change_method(sim, &choice, why, err) : st;
}

// The steps of the implicit method have collapsed: continue with the one that fails least, if there is one.
static bool change_to_fallback(tml_sim *sim, const char *why)
{
    tmli_sim_choice choice = {0};
    return tmli_sim_choose_fallback(sim, &choice) && complete_state(sim, NULL) == TML_OK &&
           change_method(sim, &choice, why, NULL) == TML_OK;
}

static bool is_stability_limited(const tml_sim *sim)
{
    const tmli_driver *d = &sim->driver;
    return sim->auto_method && !d->fixed && d->method->stiff && d->method->stiff(d->self);
}

// An explicit method chosen by `auto` has failed; an implicit one may succeed.
static bool explicit_step_failed(const tml_sim *sim, tml_status st)
{
    return (st == TML_ERR_STEP || st == TML_ERR_SINGULAR) && sim->auto_method && !sim->driver.fixed &&
           tml_method_is_explicit(sim->method);
}

// Steps are fixed, until sim->run.control_from.
static bool has_fixed_part(const tml_sim *sim) { return sim->run.step > 0 && !isnan(sim->run.control_from); }

// Fixed steps end here. sim->run is what is saved: a run that is resumed has controlled steps.
static tml_status begin_control(tml_sim *sim, tml_error *err)
{
    tmli_sim_choice choice = {0};
    tml_status st = complete_state(sim, err);
    if (st != TML_OK) return st;
    sim->run.step = 0;
    if (!sim->auto_method) return replace_integrator(sim, sim->out, err);
    st = tmli_sim_choose(sim, sim->out, false, &choice, err);
    return st == TML_OK ? change_method(sim, &choice, "its error controls the steps", err) : st;
}

// Before a step: a method that stability limits, or whose steps have collapsed, gives way to an implicit one.
static tml_status reconsider_method(tml_sim *sim, tml_error *err)
{
    if (has_fixed_part(sim) && tmli_sim_time(sim) >= sim->run.control_from) {
        const tml_status st = begin_control(sim, err);
        if (st != TML_OK) return st;
    }
    if (is_stability_limited(sim)) {
        const tml_status changed = change_to_implicit(sim, "the problem became stiff", err);
        if (changed != TML_OK) return changed;
    }
    tmli_sim_recent recent;
    const tml_status st = tmli_sim_check_progress(sim, &recent, err);
    if (st != TML_OK || !sim->auto_method || !(recent.slow || recent.collapsed)) return st;
    char why[60];
    snprintf(why, sizeof why, "its steps fell to %.2g s", recent.mean_step);
    if (!tml_method_is_explicit(sim->method)) {
        if (recent.collapsed) change_to_fallback(sim, why);
        return TML_OK;
    }
    // not near a singular configuration of a loop, where an implicit method cannot start
    return recent.slow && !sim->sys->loops ? change_to_implicit(sim, why, err) : TML_OK;
}

// Steps with captured contacts do not need the forces at their end. Where these are no numbers the run ends
// with the state before, which has energies.
static tml_status refuse_lost_work(tml_sim *sim, tml_error *err)
{
    const double t = tmli_sim_time(sim);
    if (!sim->driver.method->contacts || isfinite(sim->dissipated)) return TML_OK;
    sim->run_written = t;  // no row
    return tmli_fail(err, TML_ERR_NAN,
                     "the work of the forces is not a finite number in the step to t = %g s", t);
}

// Impulses of drivers by the blows of captured contacts.
static void add_blows(tml_sim *sim)
{
    const tml_method_ops *method = sim->driver.method;
    double *row;
    const tml_state *x = method->contact_blows ? method->contact_blows(sim->driver.self, &row) : NULL;
    if (x) tmli_sim_add_impulses(sim, x, row, NULL);
}

tml_status tmli_sim_advance(tml_sim *sim, double t_end, tml_error *err)
{
    tmli_driver *d = &sim->driver;
    if (sim->inputs_pending) {
        const tml_status st = tmli_sim_apply_inputs(sim, err);
        if (st != TML_OK) return st;
    }
    if (sim->restart_pending) {
        const tml_status st = tmli_sim_restart_after_switch(sim, err);
        if (st != TML_OK) return st;
    }
    tml_status st = reconsider_method(sim, err);
    if (st != TML_OK) return st;
    if (has_fixed_part(sim)) t_end = fmin(t_end, sim->run.control_from);
    const double before = tmli_sim_time(sim);
    double limit = tmli_discontinuities_limit(&sim->discontinuities, tmli_sim_state(sim), d->h, t_end);
    sim->restart_pending = limit <= before;
    if (!sim->restart_pending && !d->fixed)
        limit = tmli_time_probe_limit(&sim->time_probe, tmli_sim_state(sim), d->h, limit);
    if (sim->restart_pending) {  // a discontinuity in time is at the present state
        tml_state_copy(sim->branch_end, tmli_sim_state(sim));
        sim->branch_end->t = sim->t_reached = sim->discontinuities.next;
        tml_state_copy(sim->branch_end_located, sim->branch_end);
        sim->last_step = 0;
        sim->last_step_used = sim->t_reached - before;
        tmli_sim_begin_work(sim);
        return TML_OK;
    }
    tmli_sim_begin_power(sim);
    tmli_sim_begin_work(sim);
    st = tmli_driver_step(d, limit, err);
    if (explicit_step_failed(sim, st) && change_to_implicit(sim, "no step succeeded", NULL) == TML_OK)
        st = tmli_driver_step(d, limit, err);
    if (st != TML_OK && d->below_minimum && change_to_fallback(sim, "no step succeeded"))
        st = tmli_driver_step(d, limit, err);
    if (st == TML_ERR_SINGULAR && tmli_sim_may_pivot(sim)) {
        st = switch_solver(sim, err);
        if (st == TML_OK) st = tmli_driver_step(d, limit, err);
    }
    if (st != TML_OK && d->below_minimum) tmli_sim_explain_stop(sim, err);
    if (st == TML_ERR_SINGULAR && sim->massless_motion && !d->method->one_step)
        tmli_error_append(err,
                          "The steps of %s have collapsed: a motion without inertia follows springs that "
                          "are very stiff for the inertia behind them. Try method radau5",
                          d->method->name);
    if (st != TML_OK) return st;
    sim->t_reached = tmli_sim_time(sim);
    if (sim->discontinuities.n > 0) st = tmli_sim_locate_discontinuity(sim, before, t_end, err);
    if (st == TML_OK) st = tmli_sim_check_poles(sim, before, err);
    if (st != TML_OK) return st;
    sim->last_step = tmli_sim_time(sim) - before;
    sim->last_step_used = sim->t_reached - before;
    add_blows(sim);
    st = tmli_sim_add_power(sim, sim->restart_pending ? sim->branch_end : tmli_sim_state(sim),
                            sim->t_reached - before, tmli_sim_time(sim) - before, err);
    const double lost = tmli_sim_captured_loss(sim, 1);
    const double driven = tmli_sim_captured_driven(sim, 1);
    sim->dissipated += lost - driven;
    sim->part[TMLI_POWER_SUPPLIED] += driven;
    sim->part[TMLI_POWER_OF_CONTACTS] -= lost;
    if (st == TML_OK) st = refuse_lost_work(sim, err);
    return st == TML_OK ? tmli_sim_look_at_energy(sim, err) : st;
}

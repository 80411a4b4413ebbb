// Queries of a simulation: time, state, settings, report.
#include "sim/queries/sim.h"

#include <math.h>

void tmli_sim_add_singular(tml_counters *to, const tml_counters *next)
{
    if (next->singular == 0) return;
    if (to->singular == 0) to->singular_first = next->singular_first;
    to->singular += next->singular;
    to->singular_last = next->singular_last;
    to->rank = next->rank;
    to->singular_rank = next->singular_rank;
}

void tmli_sim_add_damped(tml_counters *to, const tml_counters *next)
{
    if (next->damped_above == 0) return;
    to->damped_above = to->damped_above > 0 ? fmin(to->damped_above, next->damped_above) : next->damped_above;
    to->damped_position = fmax(to->damped_position, next->damped_position);
    to->damped_velocity = fmax(to->damped_velocity, next->damped_velocity);
    to->damped_energy += next->damped_energy;
}

double tml_sim_time(const tml_sim *sim) { return sim ? tml_sim_state(sim)->t : NAN; }
const tml_state *tml_sim_state(const tml_sim *sim)
{
    if (!sim) return NULL;
    return tmli_sim_at_branch_end(sim) ? sim->branch_end : tmli_sim_state(sim);
}
const tml_system *tml_sim_system(const tml_sim *sim) { return sim ? sim->given : NULL; }
const tml_model *tml_sim_model(const tml_sim *sim) { return sim ? sim->model : NULL; }
const tml_run_def *tml_sim_settings(const tml_sim *sim) { return sim ? &sim->run : NULL; }
bool tml_sim_get_conditioning(tml_sim *sim, tml_conditioning *out)
{
    if (!sim || !out || !sim->run.report || !sim->driver.method->conditioning) return false;
    sim->driver.method->conditioning(sim->driver.self, out);
    return true;
}
double tml_sim_condition(tml_sim *sim)
{
    return sim && sim->driver.method->condition ? sim->driver.method->condition(sim->driver.self) : 0;
}

long tmli_sim_step_count(const tml_sim *sim)
{
    tml_counters now;
    sim->driver.method->counters(sim->driver.self, &now);
    return sim->earlier_counters.steps + now.steps;
}

void tml_sim_get_report(const tml_sim *sim, tml_sim_report *out)
{
    if (!out) return;
    if (!sim) {
        *out = (tml_sim_report){.position_row = -1};
        return;
    }
    *out = sim->report;
    sim->driver.method->counters(sim->driver.self, &out->count);
    out->count.steps += sim->earlier_counters.steps;
    out->count.iterations += sim->earlier_counters.iterations;
    out->count.residuals += sim->earlier_counters.residuals;
    out->count.factorizations += sim->earlier_counters.factorizations;
    out->count.bases += sim->earlier_counters.bases;
    tml_counters all = sim->earlier_counters;
    tmli_sim_add_damped(&out->count, &all);
    tmli_sim_add_singular(&all, &out->count);
    out->count.singular = all.singular;
    out->count.singular_first = all.singular_first;
    out->count.singular_last = all.singular_last;
    out->count.rank = all.rank;
    out->count.singular_rank = all.singular_rank;
    out->count.rejected_error = sim->driver.rejected_error;
    out->count.rejected_newton = sim->driver.rejected_newton;
    if (sim->driver.method->contacts) sim->driver.method->contacts(sim->driver.self, &out->contacts);
    out->switches = sim->discontinuities.count;
    out->repeated = sim->minimum_norm.sys ? tmli_consistent_inactive_count(&sim->consistent) : 0;
    out->h_min = sim->driver.h_low;
    out->h_max = sim->driver.h_high;
    out->h_mean = out->count.steps ? (tml_sim_time(sim) - sim->t_start) / (double)out->count.steps : 0;
}

// ---- one thread at a time ---------------------------------------------------------------------------------
// A call that finds another thread within the same simulation is refused. A function that the run has called
// (a hook, a force of the user) may call the simulation in turn.

// Its address differs from thread to thread.
static const void *this_thread(void)
{
    static _Thread_local const char here = 0;
    return &here;
}

tml_status tmli_sim_enter(const tml_sim *sim, const char *call, bool *first, tml_error *err)
{
    tmli_sim_owner *o = (tmli_sim_owner *)&sim->owner;  // also a constant simulation has scratch memory
    const void *me = this_thread(), *found = NULL;
    *first = atomic_compare_exchange_strong_explicit(&o->thread, &found, me, memory_order_acquire,
                                                     memory_order_relaxed);
    if (*first) atomic_store_explicit(&o->call, call, memory_order_relaxed);
    if (*first || found == me) return TML_OK;
    const char *other = atomic_load_explicit(&o->call, memory_order_relaxed);
    return tmli_fail(err, TML_ERR_ARG,
                     "%s was called while another thread is in %s of the same simulation, which belongs to "
                     "one thread at a time",
                     call, other ? other : "a call");
}

void tmli_sim_leave(const tml_sim *sim, bool first)
{
    tmli_sim_owner *o = (tmli_sim_owner *)&sim->owner;
    if (first) atomic_store_explicit(&o->thread, NULL, memory_order_release);
}

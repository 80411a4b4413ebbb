// The inside of a simulation.
#ifndef TMLI_SIM_SIM_H
#define TMLI_SIM_SIM_H

#include "analysis/rank/massless_motion.h"
#include "base/base.h"
#include "consistency/consistent.h"
#include "consistency/minimum_norm.h"
#include "integrate/core/driver.h"
#include "integrate/events/discontinuities.h"
#include "model/model.h"
#include "system/multibody/multibody.h"
#include <trammel/sim.h>

enum { TMLI_POWER_NODES = 7 };  // of a step at most, where the audit takes the power

struct tml_sim {
    tml_env env;
    const tml_model *model;  // NULL: a user system
    const tml_system *sys;
    tml_run_def run;  // settings in force
    const tml_linsolver_ops *solver;
    const tml_method_ops *method;
    tmli_massless_motion *floating;  // parts that forces alone determine; NULL: none
    bool open;                       // the choice of the method was left open: it may be changed on the way
    char reason[400];                // why this method, if so
    tmli_driver driver;
    tmli_consistent consistent;  // for starts and the audit
    tmli_consistent rows;        // for rows of results, by another solver; else unused
    tmli_minimum_norm shares;    // multipliers of rows that depend on each other; unused if there are none
    void *work;                  // of the system, for outputs and energies
    tml_state *out;              // at an output or event time
    tml_state *probe;            // while an event is being located
    tml_state *before;           // at the start of the last step, for the audit
    double *chart;               // (6n) of that step, if charted (power.c)
    bool charted;
    tml_sim_hooks hooks;
    tml_sim_report report;
    double t_first;
    double power_last;               // of the non-conservative forces at the last accepted step [W]
    double power[TMLI_POWER_NODES];  // over the last step, at the nodes of Lobatto's formula (power.c)
    bool moving;                     // constraints may do work
    double work_taken;               // integral of -power so far [J]
    double row_residual
        [2];             // position and velocity residual of the integrator's state behind the present output
    double measured[2];  // time and row_step for which that is
    double row_step, row_dissipated;
    double row_span;       // the part of row_step up to t_now
    tml_counters earlier;  // work done before a change of the linear solver or the method
    double *event_last;    // (nevents) values at the last accepted step
    tmli_discontinuities switches;
    bool pending;       // the last step passed the end of a branch, at time t_now
    double t_now;       // up to where the last step counts: its end, or the switch on it
    tml_state *border;  // there: the old modes held
    tml_state *beyond;  // there: as it was located, not projected
    // channels
    tmli_arena arena;
    tml_channel *channel;
    int nchannels;
};

// create.c
/** sim->consistent for sim->solver. */
tml_status tmli_sim_create_consistent(tml_sim *sim, tml_error *err);
/** True if the solver without pivoting is in use, but not because the user asked for it by name. */
bool tmli_sim_may_pivot(const tml_sim *sim);
/** An integrator with its step loop, started from x. dependent: rows that repeat others there; NULL: it is to look for
 * them. */
tml_status tmli_sim_create_integrator(const tml_sim *sim, const tml_state *x, const bool *dependent,
                                      tmli_driver *d, tml_error *err);
struct tmli_sim_choice;
/** The method, the unknowns and the solver that suits them, unless the start has needed pivots. */
tml_status tmli_sim_take_choice(tml_sim *sim, const struct tmli_sim_choice *choice, tml_error *err);
// report.c
/** Add the singular positions of an integrator that follows. */
void tmli_sim_add_singular(tml_counters *to, const tml_counters *next);
// power.c
tml_status tmli_sim_create_power(tml_sim *sim, tml_error *err);
void tmli_sim_begin_power(tml_sim *sim);  ///< before a step
/** Add what the step up to x has taken. span: of the step up to x [s], h: all of it. */
tml_status tmli_sim_add_power(tml_sim *sim, const tml_state *x, double span, double h, tml_error *err);
/** Integral of the power over the first share theta of the last step, over its duration [W]. */
double tmli_sim_mean_power(const tml_sim *sim, double theta);
/** Check ranges and fill in what depends on other settings (settings.c). */
tml_status tmli_sim_check_settings(tml_run_def *run, tml_error *err);
/** run->method by name; NULL for the open choice, `auto`. */
tml_status tmli_sim_find_method(const tml_model *m, const tml_run_def *run, const tml_method_ops **out,
                                tml_error *err);
tml_status tmli_sim_find_solver(tml_sim *sim, tml_error *err);
/** One accepted step towards t_end, without a change of modes: sim->pending tells if settle must follow. */
tml_status tmli_sim_advance(tml_sim *sim, double t_end, tml_error *err);
// switches.c
tml_status tmli_sim_create_discontinuities(tml_sim *sim, tml_error *err);
/** Look for a switch on the last step, from t0: sets pending, t_now and border. */
void tmli_sim_locate_discontinuity(tml_sim *sim, double t0, double t_end);
/** Change the modes at the switch that ended the last step and start anew from there. */
tml_status tmli_sim_restart_after_switch(tml_sim *sim, tml_error *err);
tml_status tmli_sim_build_channels(tml_sim *sim, tml_error *err);
/** Channels of reactions: whether they are unique at the start, sim->out (reactions.c). dependent: constraint
 * rows depend on others there; then the report gets its sentences too. Uses sim->probe. */
tml_status tmli_sim_flag_reactions(tml_sim *sim, bool dependent, tml_error *err);

#endif

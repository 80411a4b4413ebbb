// The inside of a simulation.
#ifndef TMLI_SIM_H
#define TMLI_SIM_H

#include "base/base.h"
#include "integrate/consistent.h"
#include "integrate/driver.h"
#include "model/model.h"
#include "system/multibody.h"
#include <trammel/sim.h>

struct tml_sim {
    tml_env env;
    const tml_model *model;  // NULL: a user system
    const tml_system *sys;
    tml_run_def run;  // settings in force
    const tml_linsolver_ops *solver;
    tmli_driver driver;
    tmli_consistent consistent;
    void *work;        // of the system, for outputs and energies
    tml_state *out;    // at an output or event time
    tml_state *probe;  // while an event is being located
    tml_sim_hooks hooks;
    tml_sim_report report;
    double t_first;
    double power_last;    // of the non-conservative forces at the last accepted step [W]
    double power_before;  // and at the one before
    double work_taken;    // integral of -power so far [J]
    double row_residual[2];  // position and velocity residual of the integrator's state behind the present output
    double row_step, row_dissipated;
    tml_counters earlier;  // work done before a change of the linear solver
    double *event_last;    // (nevents) values at the last accepted step
    // channels
    tmli_arena arena;
    tml_channel *channel;
    int nchannels;
};

/** Check ranges and fill in what depends on other settings (settings.c). */
tml_status tmli_sim_check_settings(tml_run_def *run, tml_error *err);
tml_status tmli_sim_find_method(const tml_model *m, const tml_run_def *run, const tml_method_ops **out,
                                tml_error *err);
tml_status tmli_sim_find_solver(tml_sim *sim, tml_error *err);
tml_status tmli_sim_build_channels(tml_sim *sim, tml_error *err);

#endif

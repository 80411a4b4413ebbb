// The motion within the steps of a run, for those who want it as it is rather than as rows.
#ifndef TMLI_SIM_STEP_OBSERVER_H
#define TMLI_SIM_STEP_OBSERVER_H

#include "base/base.h"
#include <trammel/sim.h>

/** Called after every accepted step of a run, before its outputs: the motion is known from t0 to t1 [s].
 * ends: a discontinuity or an event is at t1, and the motion may jump there. */
typedef tml_status tmli_sim_step_observer(tml_sim *sim, double t0, double t1, bool ends, void *user,
                                          tml_error *err);
void tmli_sim_set_step_observer(tml_sim *sim, tmli_sim_step_observer *observer, void *user);  ///< NULL: none

/** State at t [s] within the last step: positions, velocities and states of the dense output as they are, not
 * projected. exact: not by the polynomial that replaces the dense output of some methods, where it is costly
 * (quintic_inside). Poses for tmli_sim_motion_value are set. */
void tmli_sim_sample(tml_sim *sim, double t, bool exact, tml_state *out);
/** Project positions and velocities of a sample, and set the poses again. Without success x is unchanged. */
void tmli_sim_project_sample(tml_sim *sim, tml_state *x);
/** True if a channel follows from positions, velocities, states, inputs and time: a sample has its value. */
bool tmli_sim_is_motion(const tml_sim *sim, int channel);
/** The value of such a channel at a sample, whose poses are set. */
double tmli_sim_motion_value(const tml_sim *sim, const tml_state *x, int channel);
/** State at t within the last step as a row has it, for tml_sim_channel_values. */
tml_status tmli_sim_row_at(tml_sim *sim, double t, tml_state *out, tml_error *err);

#endif

// The inside of a run. Files of this room:
//   create.c           creation: start state, method, solver, integrator
//   settings.c         settings of the run: ranges, names of methods and solvers
//   choose.c           the choice of `auto`
//   step.c             single steps; a change of method or solver during the run
//   run.c              the loop over steps: outputs
//   events.c           events of the model within a step
//   state.c            states within the last step, restart from a given state
//   save.c             simulations in archives and files; back to a mark in place (rewind.h)
//   inputs.c           numbers that a program sets between steps
//   discontinuities.c  the state at a discontinuity, and the restart there
//   power.c            work of the non-conservative forces, for the energy balance
//   rows.c             values of channels at a state; rows that are kept in memory
#ifndef TMLI_SIM_LOOP_H
#define TMLI_SIM_LOOP_H

#include "sim/queries/sim.h"

// create.c
/** A simulation of def->model or def->system, with the settings `run` as they are, and without parts. */
tml_status tmli_sim_allocate(const tml_sim_def *def, const tml_run_def *run, tml_sim **out, tml_error *err);
/** Its states and workspaces. Needs the settings. */
tml_status tmli_sim_create_parts(tml_sim *sim, tml_error *err);
/** Keep the system in joint coordinates that the choice of the method has made for its creation, which takes
 * it or destroys it. NULL: destroy what is kept. */
void tmli_sim_set_joints(tml_sim *sim, tml_system *joints);
/** Create the integrator *d with its step loop, not started. */
tml_status tmli_sim_create_method(tml_sim *sim, const bool *dependent, tmli_driver *d, tml_error *err);
/** Create sim->consistent for sim->solver. */
tml_status tmli_sim_create_consistent(tml_sim *sim, tml_error *err);
/** True if the solver in use does not pivot, and the user has not chosen it by name. */
bool tmli_sim_may_pivot(const tml_sim *sim);
/** Create an integrator with its step loop, started at x. dependent (m): redundant rows there; NULL: the
 * integrator finds them. */
tml_status tmli_sim_create_integrator(tml_sim *sim, const tml_state *x, const bool *dependent, tmli_driver *d,
                                      tml_error *err);
struct tmli_sim_choice;
/** Set method and kinematics of a choice, and the solver that suits them unless klu is in use. */
tml_status tmli_sim_take_choice(tml_sim *sim, const struct tmli_sim_choice *choice, tml_error *err);

// settings.c
/** Check ranges and fill in the settings that depend on others. */
tml_status tmli_sim_check_settings(tml_run_def *run, tml_error *err);
/** The name of a method or solver leaves the choice open: NULL or "auto". */
bool tmli_sim_is_auto(const char *name);
/** Find run->method by name; *out NULL for `auto`. */
tml_status tmli_sim_find_method(const tml_model *m, const tml_run_def *run, const tml_method_ops **out,
                                tml_error *err);
/** Fails if forces depend on multipliers that the method does not compute well enough. */
tml_status tmli_sim_check_loads(const tml_sim *sim, tml_error *err);
tml_status tmli_sim_find_solver(tml_sim *sim, tml_error *err);
/** The method and the solver that a run names exist. */
tml_status tmli_sim_check_names(const tml_model *m, const tml_run_def *run, tml_error *err);
/** Find the schedule of all block solvers that are created later; sim->sys becomes sim->system. */
tml_status tmli_sim_share_schedule(tml_sim *sim, tml_error *err);

// step.c
/** Make one accepted step towards t_end without a change of modes. If it sets sim->restart_pending, the
 * caller must call tmli_sim_restart_after_switch next. */
tml_status tmli_sim_advance(tml_sim *sim, double t_end, tml_error *err);

// run.c
/** Take from the projected state x within the last step what its forces show of motions that the step does
 * not resolve. own: the state of the method there. */
void tmli_sim_relax(tml_sim *sim, const tml_state *own, tml_state *x);
/** Project `out` onto the constraints, unless they are dependent; without motion_only also its accelerations
 * and multipliers. of_method: it is a state of the method within its last step. */
void tmli_sim_complete(tml_sim *sim, bool motion_only, bool of_method, tml_state *out);
/** State at time t within the last step, interpolated and projected. Without motion_only also its
 * accelerations, multipliers and turns of the joint angles (else the turns are those of the start of the
 * step). */
void tmli_sim_interpolate(tml_sim *sim, double t, bool motion_only, tml_state *out);
/** Set output_dissipated and its parts to those up to t. */
void tmli_sim_find_work(tml_sim *sim, double t);
/** A step begins with the work done up to now. */
static inline void tmli_sim_begin_work(tml_sim *sim)
{
    sim->work_before = sim->dissipated;
    memcpy(sim->part_before, sim->part, sizeof sim->part);
}

/** Begin with the outputs at the present time, which is the first of them: the next one is the next multiple
 * of output_step. */
tml_status tmli_sim_open_outputs(tml_sim *sim, tml_error *err);
/** Outputs due in the last step, of which the part up to `now` is valid, but before t_end; with an event at
 * `now` also there. Then the restart at a discontinuity that ended the step. Inputs that on_output sets
 * within the step cut it there: t_reached is less than `now` then. */
tml_status tmli_sim_write_outputs(tml_sim *sim, double t_end, double now, bool event, tml_error *err);
/** The same, while rows are kept, for a step that goes on: of a discontinuity there is no restart. */
tml_status tmli_sim_write_due(tml_sim *sim, double now, tml_error *err);
/** A step has failed: the last accepted state is an output, too, if it has not been one. */
void tmli_sim_write_last(tml_sim *sim);

// rows.c
/** Keep the channels at the state x, sim->out, as a row. */
tml_status tmli_sim_append_row(tml_sim *sim, const tml_state *x, tml_error *err);
/** Begin the rows that are kept anew, at the present state; nothing if none are. */
tml_status tmli_sim_record_anew(tml_sim *sim, tml_error *err);

// events.c
/** The event functions at the last accepted state become known. */
void tmli_sim_start_events(tml_sim *sim);
/** Log the conditions that are true already. */
void tmli_sim_note_events(const tml_sim *sim);
/** Make a step as tmli_sim_advance does and search it for events of the model. *event: the first of them,
 * -1: none. *t: its time, or the end of the valid part of the step. An event that was kept is found again,
 * without a step. */
tml_status tmli_sim_advance_to_event(tml_sim *sim, double t_end, int *event, double *t, tml_error *err);
/** Restart at the event, where sim->out is the state. accelerate: compute its accelerations and the turns of
 * its angles. */
tml_status tmli_sim_restart_at_event(tml_sim *sim, int event, bool accelerate, tml_error *err);
/** Restart at sim->out, a state within the last step; `accelerate` as above. */
tml_status tmli_sim_restart_within_step(tml_sim *sim, bool accelerate, tml_error *err);
/** The event is in the last step, where sim->out is the state, but later than wanted: the next step finds it.
 */
tml_status tmli_sim_keep_event(tml_sim *sim, int event);

// power.c
tml_status tmli_sim_create_power(tml_sim *sim, tml_error *err);
void tmli_sim_begin_power(tml_sim *sim);  ///< call before a step
/** Add the energy dissipated in the last step up to x. span: length of this part [s], h: length of the step
 * [s]. */
tml_status tmli_sim_add_power(tml_sim *sim, const tml_state *x, double span, double h, tml_error *err);
/** Power at the last accepted state, and its parts. */
tml_status tmli_sim_power_now(tml_sim *sim, double power[TMLI_POWERS], tml_error *err);
/** Energies at x, where a step begins, whose power is kept. */
tml_status tmli_sim_energy_at_start(tml_sim *sim, const tml_state *x, double *kinetic, double *potential,
                                    tml_error *err);
/** Integral of a power over the first fraction theta of the last step, divided by the length of the step
 * [W]. */
double tmli_sim_mean_power(const tml_sim *sim, int power, double theta);
/** Energy that captured contacts took out in the last step up to the share theta of it [J]; 0: there are
 * none. */
double tmli_sim_captured_loss(const tml_sim *sim, double theta);
/** Work of prescribed motions against all that they move, by its impulses, in the same way [J]. */
double tmli_sim_captured_driven(const tml_sim *sim, double theta);

/** Raise the scale of the energy balance to these energies [J]. */
void tmli_sim_raise_energy_scale(tml_sim *sim, double kinetic, double potential, double dissipated);
/** The same to those of the last accepted state, after some of the steps: outputs may be rare, and at times
 * at which all energies are small. */
tml_status tmli_sim_look_at_energy(tml_sim *sim, tml_error *err);

// state.c
/** Count the positions of a state, perhaps of another model with the same coordinates, from the origin of
 * this model. */
void tmli_sim_set_origin(const tml_sim *sim, tml_state *x);

// inputs.c
/** Begin with the inputs that were set. */
tml_status tmli_sim_apply_inputs(tml_sim *sim, tml_error *err);

// discontinuities.c
/** Fails if a run cannot begin at x: beyond a rigid limit, or with limits but without switches. */
tml_status tmli_sim_check_gaps(tml_sim *sim, const tml_state *x, tml_error *err);
tml_status tmli_sim_create_discontinuities(tml_sim *sim, tml_error *err);
/** True if a step with a discontinuity is made again so that it ends behind it. */
static inline bool tmli_sim_repeats_steps(const tml_sim *sim)
{
    return sim->run.repeat_steps && sim->method->one_step && !sim->driver.fixed;
}
/** Search the last step, which began at t0, for a discontinuity; set restart_pending, t_reached and
 * branch_end. */
tml_status tmli_sim_locate_discontinuity(tml_sim *sim, double t0, double t_end, tml_error *err);
/** Change the modes at the discontinuity that ended the last step, and restart the integrator there. */
tml_status tmli_sim_restart_after_switch(tml_sim *sim, tml_error *err);
/** Apply the impulses of impacts, and of prescribed velocities if they have `jumped`, and look at all modes
 * again where velocities have changed by that. Then let friction slip that sticks at x but cannot hold, and
 * limits open that would pull; accelerations and multipliers of x are known. begins: a run begins or is
 * restarted at x. */
tml_status tmli_sim_settle_modes(tml_sim *sim, tml_state *x, bool begins, bool jumped, tml_error *err);

#endif

// The inside of a simulation. Files of this room:
//   create.c           creation: start state, method, solver, integrator
//   start_notes.c      what the assembly has replaced; springs that cannot act
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
//   channels.c         the catalogue of result channels: names, units, functions
//   rows.c             values of channels at a state; rows that are kept in memory
//   reactions.c        which reaction channels are unique
//   actuators.c        forces of actuators in place of those of drivers
//   undriven.c         what drivers leave free, for messages
//   report.c           queries: state, settings, report; one thread at a time
#ifndef TMLI_SIM_SIM_H
#define TMLI_SIM_SIM_H

#include "analysis/rank/massless_motion.h"
#include "base/base.h"
#include "consistency/consistent.h"
#include "consistency/minimum_norm.h"
#include "integrate/core/driver.h"
#include "integrate/events/discontinuities.h"
#include "integrate/events/impacts.h"
#include "integrate/events/time_probe.h"
#include "linalg/block/symbolic.h"
#include "model/model.h"
#include "result/reader.h"
#include "sim/step_observer.h"
#include "system/multibody/multibody.h"
#include "system/state/accepted.h"
#include <stdatomic.h>
#include <string.h>
#include <trammel/compare.h>
#include <trammel/sim.h>

/** The power of all forces without a potential, of which a part is of drivers, applied forces and laws, and
 * another of contacts. */
enum { TMLI_POWER_OF_ALL, TMLI_POWER_SUPPLIED, TMLI_POWER_OF_CONTACTS, TMLI_POWERS };
/** The work in a step: nodes of its formula; parts up to which it is refined where the motion is prescribed
 * (about two for each halving around a peak); values that are kept. */
enum {
    TMLI_POWER_NODES = 7,
    TMLI_POWER_PARTS = 24,
    TMLI_POWER_VALUES = (TMLI_POWER_NODES - 1) * TMLI_POWER_PARTS + 1
};

enum { TMLI_SIGNAL_NONE = -1 };  // a channel that is not compared: it follows from others, or is no motion
enum { TMLI_CHANNEL_GROUP = TMLI_CONTACT_QUANTITIES * TMLI_FORCE_CONTACTS };  // channels of a group of motion

/** A state whose channels are wanted, with its energies [J]. */
typedef struct tmli_channel_row {
    const tml_sim *sim;
    const tml_state *x;
    double kinetic, potential;
} tmli_channel_row;
/** Channels of one body, joint, force, ... whose values are computed together (channels.c). */
typedef struct tmli_channel_group tmli_channel_group;
typedef void tmli_channel_value(const tmli_channel_row *r, const tmli_channel_group *g, double *out);
struct tmli_channel_group {
    tmli_channel_value *value;  // the `count` values from the first on
    int element;
    int first, count;
    int motion;  // so many follow from positions, velocities, states, inputs and time
};

typedef struct tmli_actuators tmli_actuators;

/** See explain.c. */
typedef struct tmli_sim_progress {
    long steps;  // steps and time at the last progress check
    double t;
    int slow_checks;  // in a row, with steps that are too short
    int long_checks;  // in a row, with a long run to come
    bool warned;      // of either
} tmli_sim_progress;

/** The steps since the last progress check. */
typedef struct tmli_sim_recent {
    double mean_step;  // [s]
    bool slow;         // so short that the rest of the run would take millions of them
    bool collapsed;    // far shorter than those before
} tmli_sim_recent;

/** Which thread is in a call of the simulation (report.c). */
typedef struct tmli_sim_owner {
    _Atomic(const void *) thread;  // NULL: none
    _Atomic(const char *) call;    // the function that it called
} tmli_sim_owner;

struct tml_sim {
    tml_env env;
    tmli_sim_owner owner;
    const tml_model *model;   // NULL: a user system
    const tml_system *given;  // the model's or the user's: it outlives the simulation
    const tml_system *sys;    // this one, or `system`
    tml_system system;        // a copy of it with `pattern`
    tml_pattern pattern;      // a copy of its pattern with `schedule`
    tmli_symbolic schedule;   // of all block solvers of the simulation
    tml_run_def run;          // settings in use
    const tml_linsolver_ops *solver;
    const tml_method_ops *method;
    tmli_massless_motion *massless_motion;  // motions without inertia, determined by forces; NULL: none
    bool fully_driven;                      // no degree of freedom: drivers prescribe all motion
    bool auto_method;                       // `auto` has chosen the method, and may change it during the run
    bool auto_kinematics;                   // the same of the unknowns
    char reason[560];                       // of that choice
    tml_system *joints;  // sys in joint coordinates, between the choice of a method and its creation; NULL
    tmli_driver driver;
    tmli_consistent consistent;  // for starts and for the energy balance
    // projects outputs with the solver `tree`; unused (sys NULL): consistent does
    tmli_consistent output_projection;
    tmli_minimum_norm minimum_norm;  // multipliers of redundant rows; unused (sys NULL) if there are none
    tmli_actuators *actuators;       // NULL: none
    void *work;                      // scratch of the system, for outputs and energies
    tml_state *out;                  // state at an output or event time
    tml_state *scratch;
    tmli_time_probe time_probe;  // of forces that change within a step
    tml_sim_hooks hooks;
    tml_result *record;                // rows of all outputs (rows.c); NULL: none are kept
    size_t record_room;                // rows for which it has memory
    tmli_sim_step_observer *observer;  // sees every step of a run before its outputs; NULL: none
    void *observer_user;
    tml_sim_report report;
    double t_start;
    double *input;        // (2 ninput) values and rates that the next step begins with
    bool inputs_pending;  // they differ from those of the state
    tmli_sim_progress progress;
    tml_counters earlier_counters;  // of integrators replaced by a change of solver or method
    double *event_last;             // (nevents) event values at the last accepted step
    bool event_known;               // they are known
    int event_pending;  // an event in the last step that was not passed yet, at branch_end; -1: none

    // the run in progress (run.c)
    bool run_open;       // a hook on_step is being called, or has stopped the run: a further run continues it
    bool in_output;      // a hook on_output is being called
    double run_next;     // number of the next output
    double run_written;  // time of the last output [s]
    bool running;        // in tml_sim_run, which calls the hooks
    bool run_opens;      // the first output of a run is being written
    bool outputs_set_inputs;  // on_output has set inputs in this run: steps end at output times

    // work of the non-conservative forces (power.c)
    tml_state *step_start;           // state at the start of the last step
    double *quintic;                 // (TMLI_QUINTIC_SIZE) the motion within the last step
    bool quintic_known;              // it is computed
    double *power_fit;               // (tmli_mb_power_fit_size) the motion of the bodies with power
    int npowers;                     // 1 if all work is of one kind, else TMLI_POWERS
    double power_last[TMLI_POWERS];  // at the last accepted step [W]
    // over the last step, at the nodes of Lobatto's formula for each of its parts [W]
    double node_power[TMLI_POWERS][TMLI_POWER_VALUES];
    int power_parts;
    double power_end[TMLI_POWER_PARTS + 1];  // ends of these parts, shares of the step, from 0 on
    bool many_nodes;                         // they are those of the formula of order 12
    bool moving;                             // constraints may do work
    double dissipated;                       // integral of -power up to t_reached [J]
    double work_before;                      // the same up to the start of the last step [J]
    double part[TMLI_POWERS];                // integrals of the powers up to t_reached [J]; 0: not used
    double part_before[TMLI_POWERS];         // the same up to the start of the last step

    // the last step, from which outputs are interpolated (run.c)
    double t_reached;  // end of the valid part of the last step [s]: its end, or a discontinuity within it
    double last_step;  // length of the last step [s]
    double last_step_used;      // length of its part up to t_reached [s]
    double output_residual[2];  // position and velocity residuals of the integrator's state at its end
    double residual_of[2];      // time and length of the step with these residuals
    tmli_opening open;          // the largest of the run
    double output_dissipated;   // dissipated energy at the present output [J]
    double output_supplied;     // work of drivers, applied forces and laws up to it [J]
    double output_lost;         // energy lost in contacts up to it [J]

    // discontinuities (discontinuities.c)
    tmli_discontinuities discontinuities;
    bool restart_pending;           // the last step reached the end of a branch, at t_reached
    tml_state *branch_end;          // state there, with the old modes
    tml_state *branch_end_located;  // the same as located, not projected

    tmli_impacts impacts;

    // impulses at jumps of prescribed velocities (discontinuities.c)
    double *jump;                 // (m) residual of velocities before the impulses
    tml_state *before_jump;       // state at the last discontinuity, before it
    tml_sim_impulse *impulse;     // (MAX_IMPULSES) the first of them
    double *impulse_sum;          // (nimpulses) of drivers, limits and contacts since the start
    const char **start_sentence;  // (2 nbodies) of the report

    double *pole_value;  // (2 model->npole_values) before and after a part of a step
    bool *table_left;    // (tables of the model) its argument has left the range of its points

    // channels
    tmli_arena arena;
    bool *not_finite;  // (nchannels) a value was not finite, and this was reported
    tml_channel *channel;
    int *signal;    // (nchannels) tml_signal_kind or TMLI_SIGNAL_NONE
    int *group_of;  // (nchannels)
    tmli_channel_group *group;
    int nchannels, ngroups, nimpulses;
};

/** Add to the sums: impulses of the rows (m), in the sense of multipliers, and what the unilateral
 * constraints push with (nmode, NULL: nothing), at the state x. */
void tmli_sim_add_impulses(tml_sim *sim, const tml_state *x, double *row, const double *push);

/** Log splines that swing beyond their points, and prepare tmli_sim_note_table_range. */
tml_status tmli_sim_watch_tables(tml_sim *sim, tml_error *err);
/** Log tables that are used at x outside of their points, each once. */
void tmli_sim_note_table_range(tml_sim *sim, const tml_state *x);

/** The last accepted state of the method, which may be beyond a discontinuity. */
static inline const tml_state *tmli_sim_state(const tml_sim *sim)
{
    return sim->driver.method->state(sim->driver.self);
}
static inline double tmli_sim_time(const tml_sim *sim) { return tmli_sim_state(sim)->t; }
/** The motion is known up to sim->branch_end, before the end of the method's last step. */
static inline bool tmli_sim_at_branch_end(const tml_sim *sim)
{
    return sim->restart_pending || sim->event_pending >= 0;
}

/** What projects states within a step, and finds their accelerations and multipliers. */
static inline tmli_consistent *tmli_sim_output_projection(tml_sim *sim)
{
    return sim->output_projection.sys ? &sim->output_projection : &sim->consistent;
}

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

// start_notes.c
/** Report the given velocities that the start, sim->out, has changed by more than the tolerance. */
tml_status tmli_sim_note_start(tml_sim *sim, const tml_state *given, tml_error *err);
/** Refuse a start, sim->out, in a singular configuration whose velocities no accelerations can continue. */
tml_status tmli_sim_check_branch(tml_sim *sim, tml_error *err);
/** Warn of torsion springs about an axis about which joints allow no rotation. */
tml_status tmli_sim_note_idle_springs(tml_sim *sim, tml_error *err);

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

// expressions.c
tml_status tmli_sim_create_poles(tml_sim *sim, tml_error *err);
/** Fails if a force or motion has grown without bound within the last step, which began at t0; the step is
 * undone then. */
tml_status tmli_sim_check_poles(tml_sim *sim, double t0, tml_error *err);
/** True: one will soon after the state x, where steps have become too small, and err says so. x is not
 * sim->out or sim->scratch. */
bool tmli_sim_explain_pole(tml_sim *sim, const tml_state *x, tml_error *err);

// explain.c
/** Check the steps since the last progress check; nothing is slow before one is due. If they stay slow, a
 * warning gives the cause, and if it is a motion without bound the run fails with this reason. */
tml_status tmli_sim_check_progress(tml_sim *sim, tmli_sim_recent *recent, tml_error *err);

// run.c
/** x := the accelerations and multipliers of `own`, a state of the method within its last step, instead of
 * those by the forces there, where stiff springs spoil these (tml_method_ops.vibrates): true. */
bool tmli_sim_keep_forces(tml_sim *sim, const tml_state *own, tml_state *x);
/** Project `out` onto the constraints, unless they are dependent; without motion_only also its accelerations
 * and multipliers. of_method: it is a state of the method within its last step. */
void tmli_sim_complete(tml_sim *sim, bool motion_only, bool of_method, tml_state *out);
/** State at time t within the last step, interpolated and projected. Without motion_only also its
 * accelerations, multipliers and turns of the joint angles (else the turns are those of the start of the
 * step). */
void tmli_sim_interpolate(tml_sim *sim, double t, bool motion_only, tml_state *out);
/** Energy dissipated up to time t within the last step [J]. */
double tmli_sim_dissipated(const tml_sim *sim, double t);
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

// report.c
/** Add the singular configurations counted by the integrator that came next. */
void tmli_sim_add_singular(tml_counters *to, const tml_counters *next);
/** The same of the vibrations that were damped. */
void tmli_sim_add_damped(tml_counters *to, const tml_counters *next);
/** Accepted steps since the start, of all methods of the run. */
long tmli_sim_step_count(const tml_sim *sim);

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

// actuators.c
tml_status tmli_sim_create_actuators(tml_sim *sim, tml_error *err);  ///< nothing if the model has none
void tmli_sim_destroy_actuators(tml_sim *sim);
void tmli_sim_archive_actuators(tml_sim *sim, tml_archive *a);
/** Find the forces of the actuators at the consistent state x, and replace its multipliers by those with
 * these forces; multipliers of actuated drivers become 0. TML_ERR_MODEL: they cannot exert the forces, which
 * are NAN then; x is unchanged. */
tml_status tmli_sim_actuate(tml_sim *sim, tml_state *x, tml_error *err);
/** The multipliers of x before the last call. */
void tmli_sim_restore_multipliers(tml_sim *sim, tml_state *x);
/** (model->nactuators) of the last call, positive if they increase their coordinates [N or N m]. */
const double *tmli_sim_actuator_forces(const tml_sim *sim);
/** Unit of force [N or N m] of actuator i: moments of 1 N m, or a force with this moment at the model length.
 */
static inline double tmli_actuator_scale(const tml_model *m, int i)
{
    return tmli_measure_is_angle(m->measure_use[m->actuator[i].use].measure.kind) ? 1 : 1 / m->length;
}

// report.c
/** At the begin of a public call. *first: the thread was not yet in a call of this simulation; for leave.
 * Error: TML_ERR_ARG, another thread is in one; leaving does nothing then. */
tml_status tmli_sim_enter(const tml_sim *sim, const char *call, bool *first, tml_error *err);
void tmli_sim_leave(const tml_sim *sim, bool first);

// undriven.c
/** TML_ERR_MODEL with the bodies and joint coordinates that are free at sim->out. who: needs all driven. */
tml_status tmli_sim_fail_undriven(tml_sim *sim, const char *who, tml_error *err);

// channels.c
tml_status tmli_sim_build_channels(tml_sim *sim, tml_error *err);
bool tmli_sim_is_reaction(const tmli_channel_group *g);  // `element` is its joint
bool tmli_sim_is_attitude(const tmli_channel_group *g);
bool tmli_sim_is_of_model(const tmli_channel_group *g);  // a number of the whole model: energies, work, ...
bool tmli_sim_needs_poses(const tmli_channel_group *g);  // its values need those of sim->work

// reactions.c
/** Flag the channels of reactions that are unique at the start, sim->out. dependent: there are dependent
 * rows; then the report gets a sentence per joint, too. Uses sim->scratch. */
tml_status tmli_sim_flag_reactions(tml_sim *sim, bool dependent, tml_error *err);

// ---- explain.c --------------------------------------------------------------------------------------------

/** Steps have become too small: replace the message by the cause if the state shows one. Uses
 * sim->scratch. */
void tmli_sim_explain_stop(tml_sim *sim, tml_error *err);

#endif

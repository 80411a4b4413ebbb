// A simulation, and what is read of it: channels, reports, causes of failures. Files of this room:
//   start_notes.c      what the assembly has replaced; springs that cannot act
//   channels.c         the catalogue of result channels: names, units, functions
//   reactions.c        which reaction channels are unique
//   actuators.c        forces of actuators in place of those of drivers
//   undriven.c         what drivers leave free, for messages
//   report.c           queries: state, settings, report; one thread at a time
//   expressions.c      forces and motions that grow without bound
//   explain.c          why steps have become short, for messages
#ifndef TMLI_SIM_QUERIES_SIM_H
#define TMLI_SIM_QUERIES_SIM_H

#include "analysis/rank/massless_motion.h"
#include "base/base.h"
#include "consistency/consistent.h"
#include "consistency/minimum_norm.h"
#include "integrate/core/driver.h"
#include "integrate/core/relax.h"
#include "integrate/events/discontinuities.h"
#include "integrate/events/impacts.h"
#include "integrate/events/time_probe.h"
#include "linalg/block/symbolic.h"
#include "model/model.h"
#include "result/reader.h"
#include "sim/queries/step_observer.h"
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
    tmli_relaxation relaxation;      // of outputs
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
    bool open_within;  // the last state within it is not on the constraints: the residuals are to be its own
    double residual_of[2];  // time and length of the step with these residuals
    tmli_opening open;      // the largest of the run
    double travel[3];  // for a guessed length: way from the start [m], change of quaternions, speed [m/s]
    double output_dissipated;  // dissipated energy at the present output [J]
    double output_supplied;    // work of drivers, applied forces and laws up to it [J]
    double output_lost;        // energy lost in contacts up to it [J]

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

// start_notes.c
/** Report the given velocities that the start, sim->out, has changed by more than the tolerance. */
tml_status tmli_sim_note_start(tml_sim *sim, const tml_state *given, tml_error *err);
/** Refuse a start, sim->out, in a singular configuration whose velocities no accelerations can continue. */
tml_status tmli_sim_check_branch(tml_sim *sim, tml_error *err);
/** Warn of torsion springs about an axis about which joints allow no rotation. */
tml_status tmli_sim_note_idle_springs(tml_sim *sim, tml_error *err);

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

// report.c
/** Add the singular configurations counted by the integrator that came next. */
void tmli_sim_add_singular(tml_counters *to, const tml_counters *next);
/** The same of the vibrations that were damped. */
void tmli_sim_add_damped(tml_counters *to, const tml_counters *next);
/** Accepted steps since the start, of all methods of the run. */
long tmli_sim_step_count(const tml_sim *sim);

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

// explain.c
/** Steps have become too small: replace the message by the cause if the state shows one. Uses
 * sim->scratch. */
void tmli_sim_explain_stop(tml_sim *sim, tml_error *err);

#endif

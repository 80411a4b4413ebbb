// A simulation: one model (or system of callbacks), one method and one linear solver, advanced in time.
#ifndef TRAMMEL_SIM_H
#define TRAMMEL_SIM_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/integrator.h>
#include <trammel/model.h>
#include <trammel/result.h>
#include <trammel/spec.h>
#include <trammel/system.h>

TML_C_BEGIN

/** A simulation belongs to one thread at a time. Calls that advance, change, evaluate or save it are refused
 * (TML_ERR_ARG, with the names of both calls) while another thread is in one; queries of its fields have no
 * such check, and neither has its destruction: their behaviour is undefined then. Functions that a run calls,
 * such as hooks, may call the simulation. Any number of simulations may share a model. */
typedef struct tml_sim tml_sim;

/** A jump of a prescribed velocity: an impulse of the driver, part of the sum in its channel
 * "impulse" (the velocities before and after are in the jump_rows of tml_sim_hooks). */
typedef struct tml_sim_impulse {
    const char *joint;  ///< the driver
    double t;           ///< [s]
    double value;       ///< integral of its multiplier [N s or N m s]
    double jump;        ///< of the prescribed velocity [m/s or rad/s]
    double work;        ///< of all drivers at this time [J]
} tml_sim_impulse;

enum { TML_LIMIT_LOADS = 8 };  ///< limit points whose loads are kept

/** A static equilibrium, or that of a steady rotation (docs/statics.md). */
typedef struct tml_equilibrium {
    bool found;        ///< the run begins in it
    bool relaxed;      ///< found by relaxation, since the start had no stiffness; else by load steps
    bool neutral;      ///< some motion changes no force: it is one equilibrium of many
    bool turns;        ///< of a steady rotation
    int steps;         ///< load steps or steps of the relaxation
    int iterations;    ///< of Newton's method
    int limit_points;  ///< extremes of the load that were passed
    double limit_load[TML_LIMIT_LOADS];  ///< the first of them, as shares of the loads
    int unstable;                        ///< growing motions about it; -1: not known
    double residual;                     ///< largest force that is not balanced, over the largest force
    double moved;  ///< largest change of a coordinate from the start [model lengths or rad]
} tml_equilibrium;

/** Statistics of a run up to now. Texts are borrowed from the simulation. */
typedef struct tml_sim_report {
    tml_counters count;
    double h_min, h_max, h_mean;            ///< accepted steps [s]
    double position_residual;               ///< largest at output times, before projection [m or rad]
    double velocity_residual;               ///< the same at velocity level [m/s or rad/s]
    int position_row;                       ///< row of the largest position residual, -1: none
    double energy_start;                    ///< kinetic + potential [J]
    double kinetic, potential, dissipated;  ///< at the last output [J]
    double supplied;                        ///< of -dissipated: work of drivers, applied forces and laws [J]
    double contact_loss;  ///< of dissipated: lost in contacts, tyres, limits and impacts [J]
    double energy_error;  ///< largest |kinetic + potential + dissipated - energy_start| at outputs [J]
    double energy_scale;  ///< largest energy term so far, the reference for energy_error [J]
    /** Energy error that errors of positions within the tolerance can cause: the tolerance times the forces
     * at the start times the model length [J]. */
    double energy_allowed;
    int start_change_count;  ///< given velocities that the start has changed by more than the tolerance
    /** One for each: "angular velocity of body 'crank' from 6.28 to 4.7 rad/s". */
    const char *const *start_changes;
    long impulse_count;               ///< jumps of prescribed velocities
    int impulses_kept;                ///< entries of `impulses`
    const tml_sim_impulse *impulses;  ///< the first of them
    long impact_count;                ///< impacts of unilateral constraints (rigid limits)
    double impact_loss;               ///< kinetic energy lost in them [J]
    long switches;                    ///< number of discontinuities of the model that were located
    int repeated;                     ///< redundant constraint rows at the start
    int sentence_count;               ///< joints with such rows
    /** One sentence for each of them, as in tml_check: "hinge_C: rotation about x repeats hinge_A; ...". */
    const char *const *sentences;
    int creeping_count;       ///< regularized friction forces, which creep under load
    const char *creeps_most;  ///< the one with the largest speed of creep; NULL: none
    double creep;             ///< that speed [m/s or rad/s]
    double wall_seconds;
    const char *method, *solver;    ///< names of those in use
    const char *reason;             ///< why this method was chosen; NULL: it was given by name
    const char *event;              ///< name of the event that ended the run; NULL: none
    tml_equilibrium equilibrium;    ///< if the run began in one
    tml_contact_counters contacts;  ///< of captured contacts; bound = 0: the run has none
} tml_sim_report;

/** Functions called after accepted steps (for progress) and at output times; each may be NULL. They return
 * TML_OK to continue or TML_ERR_STOPPED to stop the run. */
typedef struct tml_sim_hooks {
    tml_status (*on_step)(const tml_sim *sim, double t, double h, void *user);  ///< t, h [s]
    /** x is consistent: projected, with the accelerations and multipliers of the projected state. */
    tml_status (*on_output)(const tml_sim *sim, const tml_state *x, void *user);
    void *user;
    /** Only positions and velocities are needed: udot and lambda of x, and with them the reactions among the
     * channels, are those of the integrator (multipliers may be 0). An output then costs a half to a
     * fifth. */
    bool motion_only;
    /** Two further outputs where a prescribed velocity jumps: the states before and after, at the same time.
     */
    bool jump_rows;
} tml_sim_hooks;

/** What a simulation is made of. Pointers are borrowed: model, system and method must outlive the simulation;
 * x0 and run are copied. */
typedef struct tml_sim_def {
    size_t size;               ///< set by tml_sim_def_default()
    const tml_model *model;    ///< NULL: `system`
    const tml_system *system;  ///< that of a model stands for the model
    /** Start, at the time run->start: the consistent state near its q and u. A system needs it; NULL for a
     * model: the start of the model. */
    const tml_state *x0;
    const tml_run_def *run;        ///< NULL: settings of the model, or tml_run_def_default()
    const tml_method_ops *method;  ///< a method that is not in the table tml_methods; NULL: run->method
} tml_sim_def;

TML_API tml_sim_def tml_sim_def_default(void);
/** Create a simulation. Errors as those of tml_sim_create. */
TML_API tml_status tml_sim_create_def(const tml_sim_def *def, tml_sim **out, tml_error *err);

/** Create a simulation of a model that starts at run->start: assemble positions and velocities, then compute
 * accelerations and multipliers. The model must outlive the simulation; the caller destroys *out. run NULL:
 * tml_model_run(model). Errors: TML_ERR_ARG (invalid option, unknown method or solver),
 * TML_ERR_ASSEMBLY (err names the joints that do not close), TML_ERR_SINGULAR (massless motion that no force
 * determines), TML_ERR_NAN, TML_ERR_NOMEM. */
TML_API tml_status tml_sim_create(const tml_model *model, const tml_run_def *run, tml_sim **out,
                                  tml_error *err);
/** The same for any system. It starts at run->start from the consistent state near x0, of which q, u and z
 * are used; x0 is copied. run NULL: tml_run_def_default(). */
TML_API tml_status tml_sim_create_system(const tml_system *sys, const tml_state *x0, const tml_run_def *run,
                                         tml_sim **out, tml_error *err);
TML_API void tml_sim_destroy(tml_sim *sim);                                ///< accepts NULL
TML_API void tml_sim_set_hooks(tml_sim *sim, const tml_sim_hooks *hooks);  ///< hooks are copied

/** One accepted step, not beyond t_end [s] (INFINITY: of any size); the caller keeps the loop. No output
 * hooks. Events and discontinuities of the model are located as in a run: the step ends there, and `event` of
 * the report is the name of the event or NULL. */
TML_API tml_status tml_sim_step(tml_sim *sim, double t_end, tml_error *err);
/** Advance to exactly t_end [s] (NAN: end time of the run) and call the hooks; the first output is the
 * current state. A run that on_step has stopped, or that was saved in on_step and loaded, is continued as if
 * nothing had happened, without this first output. Returns TML_OK also if an event ended the run (event of
 * the report). On failure the state is the last accepted one, all outputs so far are valid, and err->t is the
 * time reached. TML_ERR_ARG: t_end is before the present time or infinite. */
TML_API tml_status tml_sim_run(tml_sim *sim, double t_end, tml_error *err);
/** Whether the next step reaches t_end [s] (NAN: end time of the run) or will be shortened so that a later
 * one does. Saved at the first step for which this is so, in on_step, a run continues to a later end as if
 * t_end had not been. */
TML_API bool tml_sim_is_near_end(const tml_sim *sim, double t_end);

// ---- inputs -----------------------------------------------------------------------------------------------

// What can change during a run: the inputs of a model, which expressions of forces, of rates of states, of
// outputs and of events use by name. Values of inputs belong to the simulation; the model is shared.
// What cannot: parameters of a model file and all numbers of a spec. Masses, geometry, stiffnesses given as
// numbers and motions of drivers are computed from them when the model is built, and so are the scales,
// patterns and independent constraint rows that methods rely on. Build the model again with another value
// (overrides of tml_spec_read), and continue at the state reached (tml_sim_def.x0). A number that only such
// expressions use can be an input instead of a parameter.

/** Set an input of the model from the present time on: value + rate (t - present time). Steps end where they
 * are told to (t_end of tml_sim_step or tml_sim_run): between two calls inputs are constant (rate 0) or
 * linear. The next step begins with the accelerations of the new values; the method keeps its step size and
 * what it knows of the motion. In on_output the present time is that of the output: a controller with the
 * output step as its period. Steps of such a run end at output times. Nothing is allocated. Errors:
 * TML_ERR_ARG (no such input, a value that is not finite). */
TML_API tml_status tml_sim_set_input(tml_sim *sim, int input, double value, double rate, tml_error *err);
/** Set a number of the model by its name from the present time on: an input, as tml_sim_set_input with rate
 * 0. Errors: TML_ERR_ARG (a parameter: the message says that it is fixed and what to do, a value that is not
 * finite), TML_ERR_NAME (no such input or parameter; the message gives the nearest name). */
TML_API tml_status tml_sim_set_parameter(tml_sim *sim, const char *name, double value, tml_error *err);
/** The same with rate 0 for several inputs at once, or for none: inputs (count), NULL: all of the model in
 * their order. */
TML_API tml_status tml_sim_set_inputs(tml_sim *sim, const int *inputs, int count, const double *values,
                                      tml_error *err);
/** The value of an input at the present time, as last set; NAN: there is no such input. */
TML_API double tml_sim_input(const tml_sim *sim, int input);

// ---- recorded rows ----------------------------------------------------------------------------------------

/** Keep rows of all channels in memory from now on: the present state, then the outputs of every call that
 * advances, at multiples of output_step from the start of the simulation and where an event or a failure ends
 * a step. A row at the time at which an input is set has the value before. tml_sim_restart begins the rows
 * anew. They are not part of a saved simulation. Errors: TML_ERR_ARG (a system of callbacks, within a run),
 * those of the equations, TML_ERR_NOMEM: also of later calls, whose motion is valid then. */
TML_API tml_status tml_sim_record(tml_sim *sim, tml_error *err);
/** The rows so far, for tml_result_row, tml_result_write, tml_page_write, ...; NULL: none are kept. Borrowed;
 * rows move in memory when their number grows. */
TML_API const tml_result *tml_sim_recorded(const tml_sim *sim);

// ---- states at chosen times -------------------------------------------------------------------------------

/** Make steps of the method's own size until t [s] lies within the last one: no step is cut to end at t, so
 * that chosen times cost no accuracy and no restart. out (NULL: not wanted): consistent state at t, as in
 * on_output. An event of the model before t ends the call: `event` of the report, and out is the state there.
 * TML_ERR_ARG: t is before the last step or not finite. */
TML_API tml_status tml_sim_advance_to(tml_sim *sim, double t, tml_state *out, tml_error *err);
/** Consistent state at a time t [s] within the last accepted step, from the dense output of the method,
 * projected onto the constraints. TML_ERR_ARG: t is outside of the step. */
TML_API tml_status tml_sim_state_at(tml_sim *sim, double t, tml_state *out, tml_error *err);
/** Continue from another state: its t, q and u, and the turns of its angles, are used and made consistent.
 * Model, method, channels and memory stay; statistics go on. Only a state far from consistent takes memory.
 * Errors: TML_ERR_ARG (state of another system), TML_ERR_ASSEMBLY, those of the equations. After an error the
 * simulation must be restarted again. */
TML_API tml_status tml_sim_restart(tml_sim *sim, const tml_state *x, tml_error *err);

// ---- saved simulations ------------------------------------------------------------------------------------

// A saved simulation contains everything that later steps and outputs depend on. Loaded in another process
// and continued, it has the same bits as one that was not interrupted, with the same build of the library on
// the same kind of machine. The model or system is not in it, but what identifies it is. A file can be read
// by the version of the library that wrote it. Size and checksum are verified: files that are damaged,
// truncated or of another kind give TML_ERR_IO, those of another model or method TML_ERR_ARG.

/** Write a file, complete or not at all. Not while on_output is called. Errors: TML_ERR_IO, TML_ERR_NOMEM,
 * TML_ERR_ARG (a method or solver without `archive`). */
TML_API tml_status tml_sim_save(const tml_sim *sim, const char *path, tml_error *err);
/** The same in memory. *size: bytes needed; data NULL: only that. TML_ERR_ARG: capacity is too small. */
TML_API tml_status tml_sim_save_memory(const tml_sim *sim, void *data, size_t capacity, size_t *size,
                                       tml_error *err);
/** Load a simulation of the same model. Hooks are not set. The caller destroys *out. */
TML_API tml_status tml_sim_load(const tml_model *model, const char *path, tml_sim **out, tml_error *err);
/** The same for any system or for a method that is not in the table; x0 and run of def are not used. */
TML_API tml_status tml_sim_load_def(const tml_sim_def *def, const char *path, tml_sim **out, tml_error *err);
TML_API tml_status tml_sim_load_memory(const tml_sim_def *def, const void *data, size_t size, tml_sim **out,
                                       tml_error *err);

TML_API double tml_sim_time(const tml_sim *sim);               ///< of the last accepted state [s]
TML_API const tml_state *tml_sim_state(const tml_sim *sim);    ///< last accepted; borrowed
TML_API const tml_system *tml_sim_system(const tml_sim *sim);  ///< borrowed
TML_API const tml_model *tml_sim_model(const tml_sim *sim);    ///< borrowed; NULL for a system of callbacks
TML_API const tml_run_def *tml_sim_settings(const tml_sim *sim);  ///< in use, defaults resolved; borrowed
TML_API void tml_sim_get_report(const tml_sim *sim, tml_sim_report *out);
/** Estimate of the condition number (1-norm) of the last iteration matrix; 0 if the solver offers none. */
TML_API double tml_sim_condition(tml_sim *sim);
/** Data on the matrix and the Newton iteration of the last step, for instance within the hook on_step. False
 * if the run was not made with `report` or the method does not offer it. Costs more than a step. */
TML_API bool tml_sim_get_conditioning(tml_sim *sim, tml_conditioning *out);

TML_API int tml_sim_channel_count(const tml_sim *sim);  ///< 0 for a system of callbacks
/** (tml_sim_channel_count) channels of the results in the order of the CSV columns, "t" first; borrowed. */
TML_API const tml_channel *tml_sim_channels(const tml_sim *sim);
/** The channel with this name, "crank.x"; -1: there is none, and err (TML_ERR_NAME) gives the nearest one. */
TML_API int tml_sim_channel_index(const tml_sim *sim, const char *name, tml_error *err);
/** Whether a channel follows from positions, velocities, states, inputs and time alone: tml_sim_read is as
 * good as an output then. False: also accelerations and multipliers, or there is no such channel. */
TML_API bool tml_sim_channel_is_motion(const tml_sim *sim, int channel);
/** Values of some channels at the last accepted state, for a program in a loop: only they are computed.
 * Reactions are those of the method. channels (count), NULL: all of them. Error: TML_ERR_ARG (no such
 * channel), those of the equations. */
TML_API tml_status tml_sim_read(tml_sim *sim, const int *channels, int count, double *out, tml_error *err);
/** Values of all channels at a state x that on_output received. out: (number of channels). */
TML_API tml_status tml_sim_channel_values(const tml_sim *sim, const tml_state *x, double *out,
                                          tml_error *err);

TML_C_END
#endif

// A simulation: one model (or user system), one method, one linear solver, advancing in time.
#ifndef TRAMMEL_SIM_H
#define TRAMMEL_SIM_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/integrator.h>
#include <trammel/model.h>
#include <trammel/result.h>
#include <trammel/spec.h>
#include <trammel/system.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tml_sim tml_sim;

/** What a run looked like so far. */
typedef struct tml_sim_report {
    tml_counters count;
    double h_min, h_max, h_mean;            ///< accepted steps [s]
    double position_residual;               ///< worst seen at output times, before any projection [m or rad]
    double velocity_residual;               ///< [m/s or rad/s]
    int position_row;                       ///< row of the worst position residual, -1: none
    double energy_start;                    ///< kinetic + potential [J]
    double kinetic, potential, dissipated;  ///< at the last output [J]
    double energy_error;  ///< largest |kinetic + potential + dissipated - energy_start| at outputs [J]
    double energy_scale;  ///< largest energy term seen, to judge it by [J]
    long switches;  ///< times at which a switch of the model (a jump or kink of its expressions) was located
    int repeated;   ///< rows of the constraints that depend on others at the start
    int sentence_count;  ///< joints with such rows
    const char *const *
        sentences;  ///< about each of them, as in tml_check: "hinge_C: rotation about x repeats hinge_A; ..."
    double wall_seconds;
    const char *method, *solver;  ///< names in use
    const char *reason;           ///< why this method; NULL: it was asked for by name
    const char *event;            ///< name of the event that ended the run; NULL: none
} tml_sim_report;

/** Called after accepted steps (for progress) and at output times. Return TML_OK to go on, TML_ERR_STOPPED to
 * stop. */
typedef struct tml_sim_hooks {
    tml_status (*on_step)(const tml_sim *sim, double t, double h, void *user);
    /** x is consistent: projected, with accelerations and multipliers of the projected state. */
    tml_status (*on_output)(const tml_sim *sim, const tml_state *x, void *user);
    void *user;
    /** Positions and velocities will do: udot and lambda of x are then the integrator's own (multipliers
     * perhaps 0), and so are the reactions among the channels. Rows cost a half to a fifth. */
    bool motion_only;
} tml_sim_hooks;

/** Create a simulation of a model at rest at run->start: the mechanism is assembled (positions, velocities)
 * and its accelerations and multipliers are computed. The model must outlive the simulation. run NULL:
 * tml_model_run(model). Errors: TML_ERR_ARG (option), TML_ERR_ASSEMBLY (names the joints that do not close),
 * TML_ERR_SINGULAR (a part without mass can move freely). */
TML_API tml_status tml_sim_create(const tml_model *model, const tml_run_def *run, tml_sim **out,
                                  tml_error *err);
/** The same for any system, starting from x0 (t, q, u used; made consistent first). run NULL:
 * tml_run_def_default(). */
TML_API tml_status tml_sim_create_system(const tml_system *sys, const tml_state *x0, const tml_run_def *run,
                                         tml_sim **out, tml_error *err);
TML_API void tml_sim_destroy(tml_sim *sim);
TML_API void tml_sim_set_hooks(tml_sim *sim, const tml_sim_hooks *hooks);

/** One accepted step, not beyond t_end; the caller keeps the loop. No output hooks. */
TML_API tml_status tml_sim_step(tml_sim *sim, double t_end, tml_error *err);
/** Advance to exactly t_end [s] (NAN: the run's end), calling the hooks; the first output is the present
 * state. TML_OK also if an event ended the run (report.event). On failure the state is the last accepted one
 * and the outputs made are valid; err.t is the time reached. */
TML_API tml_status tml_sim_run(tml_sim *sim, double t_end, tml_error *err);

TML_API double tml_sim_time(const tml_sim *sim);
TML_API const tml_state *tml_sim_state(const tml_sim *sim);  ///< last accepted; borrowed
TML_API const tml_system *tml_sim_system(const tml_sim *sim);
TML_API const tml_model *tml_sim_model(const tml_sim *sim);       ///< NULL for a user system
TML_API const tml_run_def *tml_sim_settings(const tml_sim *sim);  ///< in force, defaults filled in
TML_API void tml_sim_get_report(const tml_sim *sim, tml_sim_report *out);
/** Condition number estimate (1-norm) of the last iteration matrix; 0 if the solver cannot tell. */
TML_API double tml_sim_condition(tml_sim *sim);
/** The matrix and the Newton iteration of the last step; for instance from the hook on_step. False if the run
 * was not made with `report`, or the method does not tell. Costs more than a step. */
TML_API bool tml_sim_conditioning(tml_sim *sim, tml_conditioning *out);

/** The channels of a model's results in the order of the CSV columns, "t" first. Borrowed from the
 * simulation. */
TML_API int tml_sim_channels(const tml_sim *sim, const tml_channel **channels);
/** Values of all channels at x, as handed to on_output. out: (tml_sim_channels). */
TML_API tml_status tml_sim_channel_values(const tml_sim *sim, const tml_state *x, double *out,
                                          tml_error *err);

#ifdef __cplusplus
}
#endif
#endif

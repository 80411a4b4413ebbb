// The contract of the integration methods: one const table of functions per method, one step loop for all.
#ifndef TRAMMEL_INTEGRATOR_H
#define TRAMMEL_INTEGRATOR_H

#include <stdbool.h>
#include <trammel/archive.h>
#include <trammel/base.h>
#include <trammel/linsolver.h>
#include <trammel/spec.h>
#include <trammel/system.h>

TML_C_BEGIN

typedef struct tml_integrator_options {
    size_t size;      ///< set by tml_integrator_options_default()
    tml_run_def run;  ///< settings of the run; rtol and atol must be numbers
    double duration;  ///< [s], > 0: time over which the allowed errors accumulate
    /** no error control; the Newton iteration converges to round-off instead of the tolerance */
    bool fixed_step;
    const tml_linsolver_ops *solver;
    /** The caller tests `stiff` and changes the method: log no warning. */
    bool caller_handles_stiffness;
    /** Lower bound of the number of redundant constraint rows at the start, used if `redundant` is NULL. */
    int min_redundant;
    /** (m) redundant constraint rows at the start; NULL: not known. Read by tml_method_create only. */
    const bool *redundant;
    const void *shared_workspace;  ///< of the library: memory that a simulation and its method share; NULL
} tml_integrator_options;

TML_API tml_integrator_options tml_integrator_options_default(void);

/** Work counters since the start. */
typedef struct tml_counters {
    long steps, rejected_error, rejected_newton;
    long iterations, residuals, factorizations;
    int max_iterations;  ///< largest number of Newton iterations in one step
    long bases;          ///< changes of basis in the reduced equations, without the first choice
    long singular;       ///< singular configurations passed
    double singular_first, singular_last;  ///< time of the first and of the last of them [s]
    int rank, singular_rank;               ///< rank of the constraints elsewhere, and at the last of them
    /** Vibrations faster than this [Hz] were not resolved by some steps, and damped; 0: none were. */
    double damped_above;
    /** The largest of them in one step [m], [m/s]; of rotations times the length of the model. */
    double damped_position, damped_velocity;
    double damped_energy;  ///< that these steps took out of the motion [J]
} tml_counters;

/** What captured contacts did since the start (docs/theory/captured-contacts.md). */
typedef struct tml_contact_counters {
    int points, islands;  ///< most points that pressed in a step, and most groups of bodies that touched
    long impacts;         ///< points that were struck
    long sweeps;          ///< of all steps, the mean over their islands
    long missed;          ///< steps tried that did not meet the bound of the residual, and were halved
    double bound,
        residual;  ///< of it, and the largest of steps: over the change of velocity that contacts demand
    double depth;  ///< largest depth of shapes in each other after a step [m]
    double impact_loss;         ///< energy lost by impacts, also by those without rebound [J]
    double friction_loss;       ///< by friction, and by points that closed slowly [J]
    double lifted;              ///< potential energy gained where depths were removed [J]
    double last_loss;           ///< energy that contacts took out in the last step [J]
    double last_impact_loss;    ///< of it by impacts, at the start of the step [J]
    double last_driven;         ///< work of prescribed motions in the last step, against contacts, too [J]
    double last_impact_driven;  ///< of it in impacts [J]
} tml_contact_counters;

/** The iteration matrix of the last step as it was factored, and the last Newton correction that was smaller
 * than all corrections before it. The three fields are displacements, velocities and multipliers. Scaled
 * values refer to the unknowns of the factored matrix, physical values to the units of the model (m or rad,
 * the same per second, N or N m). NAN: not known, or not among the unknowns. */
typedef struct tml_conditioning {
    int unknowns;
    double scale_min, scale_max;  ///< over the rows: multiplier = scale x unknown (s of the scaling)
    /** Condition numbers: exact up to 200 unknowns; above that, lower bounds in the 1- and infinity norm and
     * NAN in the 2-norm. */
    double condition_1, condition_inf, condition_2;
    double growth;                  ///< growth of the factorization, as in tml_linsolver_info
    int iterations;                 ///< Newton iterations of the last step
    double correction;              ///< 2-norm of the correction over all scaled unknowns
    double scaled[3], physical[3];  ///< largest absolute value of the correction in each field
} tml_conditioning;

/** The equations that a method discretizes. */
typedef enum tml_equations {
    TML_EQUATIONS_INDEX3,       ///< motion and position constraints; multipliers are unknowns
    TML_EQUATIONS_INDEX2,       ///< stabilized: position and velocity constraints (Gear, Gupta, Leimkuhler)
    TML_EQUATIONS_REGULARIZED,  ///< constraints that give way by a small regularization parameter
    TML_EQUATIONS_STATE_SPACE   ///< the degrees of freedom; accelerations follow from the index-1 equations
} tml_equations;

/** An integration method. step works on a trial state: a step that fails or is not accepted leaves no trace.
 */
typedef struct tml_method_ops {
    const char *name;       ///< "genalpha"
    const char *summary;    ///< one line
    const char *form;       ///< for display: "index 3"
    const char *stability;  ///< for display: "A-stable, rho_inf = 0..1"
    const char *citation;
    int order;

    // Capabilities: what code asks of a method.
    tml_equations equations;
    bool is_explicit;    ///< needs accelerations only, and no iteration matrix
    bool no_fixed_step;  ///< cannot take steps of a given size
    bool inner_point;    ///< can satisfy the equations of motion at a point inside the step
    int max_order;       ///< largest value of the option max_order; 0: the order does not vary
    bool any_rank;       ///< passes singular configurations by itself
    bool selects_rows;   ///< finds redundant rows and singular configurations itself
    bool driven_only;    ///< needs a system without degrees of freedom
    /** Without degrees of freedom its states are exact at any step: no error limits the steps. */
    bool exact_if_driven;
    /** Its accelerations are differences of its velocities: errors of positions do not show in them, and they
     * have no vibrations of their own as those of alpha methods. */
    bool smooth;
    /** Corrects positions in the metric of the mass matrix, which massless motion does not have. */
    bool mass_weighted;
    /** Between the ends of a step a quintic through positions, velocities and accelerations is accurate
     * enough, and cheaper than interpolate. */
    bool quintic_inside;
    /** No step depends on those before it: a step may be made again from its start, with another size. */
    bool one_step;
    bool coarse_multipliers;  ///< of first order: the work of drivers needs those of the index-1 system
    /** Spectral radius at infinite frequency with these options: the part of a disturbance of massless motion
     * that a step leaves. NULL: 0. */
    double (*radius_at_infinity)(const tml_integrator_options *opt);

    tml_status (*create)(const tml_system *sys, const tml_integrator_options *opt, void **self,
                         tml_error *err);
    /** Begin at x (consistent: positions, velocities, accelerations, multipliers). Also after an event. The
     * states that the method evaluates from here on have the modes, counted angles, inputs and inactive rows
     * of x, or of a later accepted state (tml_state_copy). */
    tml_status (*start)(void *self, const tml_state *x, tml_error *err);
    /** A first step size [s] that suits the tolerance. */
    double (*first_step)(void *self);
    /** Try a step of size h. error: estimated local error over what the tolerance allows; accept if <= 1. */
    tml_status (*step)(void *self, double h, double *error, tml_error *err);
    /** Step size the method would like next, from the error of the trial step just made (accepted or not). */
    double (*next_step)(void *self, double h, double error, bool accepted);
    /** Take the trial step; t: its time (rounding may keep t0 + h from being it). */
    void (*accept)(void *self, double t);
    /** State at t0 + theta h of the last accepted step, theta in [0, 1]; not projected. May evaluate and keep
     * what it needs of the step; steps that follow do not depend on it. */
    void (*interpolate)(void *self, double theta, tml_state *out);
    /** The state of `interpolate` in the coordinates in which the method integrates, with their system, which
     * has the modes and energies of the ordinary one, and scratch memory of it. Valid until the next call.
     * forces: with accelerations and multipliers by the forces there; NULL if that is not possible. NULL as
     * the function: they are the ordinary ones. */
    const tml_state *(*inside)(void *self, double theta, bool forces, const tml_system **sys, void **work);
    /** The state of `interpolate` within the last step, of length h, projected onto the constraints, with
     * accelerations and multipliers by the forces there. False: not possible at this state, and *out is
     * undefined. NULL: never. */
    bool (*complete)(void *self, double theta, double h, tml_state *out);
    const tml_state *(*state)(const void *self);  ///< last accepted; borrowed
    void (*counters)(const void *self, tml_counters *out);
    /** Condition estimate of the last iteration matrix, 1-norm; 0: unknown. NULL: there is no matrix. */
    double (*condition)(void *self);
    void (*destroy)(void *self);
    /** With the option report: the matrix and the iteration of the last step. NULL if not offered. Costs more
     * than a step. */
    void (*conditioning)(void *self, tml_conditioning *out);
    /** True once steps have been seen to be limited by stability, not accuracy. NULL: never so. */
    bool (*stiff)(const void *self);
    /** Other rows of the same constraints have equations than in the last step: x is the last accepted state
     * with its new inactive rows and multipliers. What is known of the motion goes on. NULL: the method
     * starts anew. */
    void (*rows_changed)(void *self, const tml_state *x);
    /** The inputs are those of x from the last accepted state on; all else of x is that state. Positions and
     * velocities are continuous, accelerations and multipliers jump. The method makes its own consistent with
     * the new inputs, and keeps step size, matrices and what it knows of the motion. The error test must not
     * take the jump for a rapid change within a step. NULL: the method starts anew. */
    tml_status (*inputs_changed)(void *self, const tml_state *x, tml_error *err);
    /** Visit every field that later steps, dense output and counters depend on: the same calls write and
     * read them. The object that reads was made by `create` with the same system and options, and was not
     * started. A run that is saved and loaded continues with the same bits. */
    void (*archive)(void *self, tml_archive *a);
    /** The counters of captured contacts. NULL: the method has none. */
    void (*contacts)(const void *self, tml_contact_counters *out);
    /** Of captured contact `contact` in the last step, as means over it, without blows: the sums of normal
     * forces and of friction [N], and how many points pressed. Not NULL where `contacts` is not. */
    void (*contact_loads)(const void *self, int contact, double out[3]);
    /** row (m) := the impulses of prescribed motions by the blows at the start of the last step, where the
     * state was the one returned. NULL: there were none. Not NULL where `contacts` is not. */
    const tml_state *(*contact_blows)(const void *self, double **row);
    /** How often a fixed step that fails may be halved. 0: it ends the run. */
    int halvings;
} tml_method_ops;

/** All counters, in an archive. */
TML_API void tml_counters_archive(tml_counters *c, tml_archive *a);

/** True if the method needs accelerations only, and no iteration matrix. */
TML_API bool tml_method_is_explicit(const tml_method_ops *method);

/** Create an integrator of a system: the object *self with its table *ops.
 *
 * *ops is `method` itself or a decorator of it. A decorator integrates another form of the equations; states
 * going in and out are still those of `sys`. opt->group selects bodies on SE(3). opt->kinematics selects
 * joint coordinates; auto selects them for explicit methods if `sys` is the system of a model and every joint
 * coordinate moves something with inertia. method->create ignores both options. Destroy the integrator with
 * (*ops)->destroy(*self), which also ends the life of *ops. Errors: TML_ERR_ARG (invalid option; SE(3) or
 * joint coordinates for a system that is not that of a model), TML_ERR_NOMEM. */
TML_API tml_status tml_method_create(const tml_method_ops *method, const tml_system *sys,
                                     const tml_integrator_options *opt, const tml_method_ops **ops,
                                     void **self, tml_error *err);

TML_API extern const tml_method_ops *const tml_methods[];         ///< all methods; NULL at the end
TML_API const tml_method_ops *tml_method_find(const char *name);  ///< NULL: there is no such method
/** The motion of a mechanism that drivers prescribe, from the constraints alone (docs/kinematics.md). Not in
 * the table: it is for systems without degrees of freedom only (tml_sim_def.method). */
TML_API extern const tml_method_ops tml_method_kinematics;
/** Time stepping by Moreau and Jean, which captures the impulses of rigid contacts. Not in the table: it is
 * for models with captured contacts only (tml_run_def.contacts). */
TML_API extern const tml_method_ops tml_method_moreau;

TML_C_END
#endif

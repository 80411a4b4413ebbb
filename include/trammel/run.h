// Settings of a run, as a specification has them (spec.h).
#ifndef TRAMMEL_RUN_H
#define TRAMMEL_RUN_H

#include <stdbool.h>
#include <stddef.h>

/** Scaling of the linear equations of the Newton iteration (docs/theory/scaling.md). */
typedef enum tml_scaling {
    TML_SCALING_NONE,        ///< none
    TML_SCALING_LEFT,        ///< constraint rows divided by the step size h
    TML_SCALING_LEFT_RIGHT,  ///< also multipliers, by s = 1/h^2
    /** also velocities, by 1/h (three fields; same as above for two fields) */
    TML_SCALING_LEFT_RIGHT_VELOCITY,
    TML_SCALING_UNIFORM,   ///< one factor s = k + d/h + m/h^2 for all rows (averages of the diagonals)
    TML_SCALING_NORM,      ///< as uniform, with the infinity norms of the matrices
    TML_SCALING_PHYSICAL,  ///< one factor per row, from the inertia and stiffness of the bodies it joins
    TML_SCALING_GIVEN      ///< one factor s = k + d/h + m/h^2 for all rows, as the user gives it
} tml_scaling;

/** k, d and m of TML_SCALING_GIVEN: s = k + d/h + m/h^2 at the step size h. All >= 0, one > 0. */
typedef struct tml_scale_factor {
    double k;  ///< stiffness [N/m]
    double d;  ///< damping [N s/m]
    double m;  ///< mass [kg]
} tml_scale_factor;

/** When the Newton iteration of a step ends. */
typedef enum tml_iterate {
    TML_ITERATE_CONVERGED,  ///< when the tolerance is met
    TML_ITERATE_SATURATED   ///< when corrections stop decreasing; a new matrix in every iteration
} tml_iterate;

/** The Lie group on which the bodies of a model move within a step. */
typedef enum tml_group {
    /** R3 x SO(3): translation and rotation separate, translational velocity in the inertial frame */
    TML_GROUP_R3SO3,
    TML_GROUP_SE3,        ///< SE(3): all velocities in the body frame (motion formalism); exponential map
    TML_GROUP_SE3_CAYLEY  ///< SE(3) with the Cayley map: increments are Euler motion parameters
} tml_group;

/** Where generalized-alpha satisfies the equations of motion. */
typedef enum tml_placement {
    TML_PLACEMENT_NODES,  ///< at the ends of steps, with averaged accelerations (Arnold and Bruels)
    TML_PLACEMENT_INNER   ///< at a point inside the step (Chung and Hulbert)
} tml_placement;

/** Where methods with equilibrium inside the step satisfy the position constraints. */
typedef enum tml_constraint_point {
    TML_CONSTRAINT_POINT_END,   ///< at the end of the step
    TML_CONSTRAINT_POINT_MEAN,  ///< the mean of start and end, with the weights of the inner point, is zero
    TML_CONSTRAINT_POINT_INNER  ///< at the inner point
} tml_constraint_point;

/** Unknowns of the Newton iteration. */
typedef enum tml_fields {
    TML_FIELDS_TWO,   ///< displacements and multipliers; velocities are eliminated
    TML_FIELDS_THREE  ///< displacements, velocities and multipliers
} tml_fields;

/** The errors that control the step size. */
typedef enum tml_control {
    TML_CONTROL_MOTION,  ///< positions and velocities
    TML_CONTROL_ALL      ///< multipliers too
} tml_control;

/** What treats constraints that depend on each other, always or at some configurations, in the regularized
 * methods. Other methods always select. */
typedef enum tml_redundancy {
    TML_REDUNDANCY_SELECT,     ///< dependent rows are set aside, and exchanged where that is better
    TML_REDUNDANCY_REGULARIZE  ///< nothing but the regularization of the method
} tml_redundancy;

/** How the methods of the state-space family choose independent coordinates. */
typedef enum tml_coordinates {
    TML_COORDINATES_PARTITION,  ///< a subset of the coordinates of the system
    TML_COORDINATES_TANGENT     ///< coordinates in the tangent plane of the constraints
} tml_coordinates;

/** The unknowns in which a model is integrated. */
typedef enum tml_kinematics {
    /** joints for explicit methods if the model allows it, and with method auto if they are faster; otherwise
     * bodies */
    TML_KINEMATICS_AUTO,
    TML_KINEMATICS_BODIES,  ///< positions and orientations of all bodies; every joint is a constraint
    TML_KINEMATICS_JOINTS   ///< relative coordinates of a spanning tree; only cut joints are constraints
} tml_kinematics;

/** Source of the derivatives of the reduced equations. */
typedef enum tml_jacobian {
    TML_JACOBIAN_EXACT,        ///< exact derivatives of the elements
    TML_JACOBIAN_DIFFERENCES,  ///< difference quotients of accelerations
    /** exact, and in the descriptor form (infl-trap, infl-sdirk) with all derivatives of the dependent
     * coordinates, which `exact` neglects there */
    TML_JACOBIAN_FULL
} tml_jacobian;

/** The error estimate of the methods of the state-space family. */
typedef enum tml_estimate {
    /** filtered by the matrix, so that fast modes do not count, and converted to the order of the method;
     * SDIRK methods also test a defect */
    TML_ESTIMATE_FILTERED,
    TML_ESTIMATE_EMBEDDED  ///< distance of the embedded formula as it is, per step (Negrut 1998)
} tml_estimate;

/** Where a run begins. */
typedef enum tml_begin {
    TML_BEGIN_GIVEN,   ///< with the positions and velocities of the model
    TML_BEGIN_STATIC,  ///< at rest in a static equilibrium near the positions of the model (docs/statics.md)
    /** in the equilibrium of a steady rotation: bodies turn as at the start, loaded by their centrifugal
     * forces */
    TML_BEGIN_STEADY
} tml_begin;

/** How the impacts of rigid contacts are found. */
typedef enum tml_contacts {
    TML_CONTACTS_LOCATED,  ///< steps end at each impact, opening and end of slip
    /** steps of a given size capture the impulses of all contacts within them; the model is built for it
     * (docs/theory/captured-contacts.md) */
    TML_CONTACTS_CAPTURED
} tml_contacts;

/** Settings of a run: the `run:` block of the file, overridden by the options of the command. */
typedef struct tml_run_def {
    size_t size;          ///< set by tml_run_def_default()
    const char *method;   ///< "bdf", ...; "auto" or NULL: chosen from properties of the model at the start
    const char *solver;   ///< "dense", "klu", "block", "auto"; NULL: auto
    double start;         ///< start time [s]
    double end;           ///< end time [s], > start
    double output_step;   ///< time between outputs [s]; 0: (end - start)/500
    double tol;           ///< [-] tolerance, > 0; default of rtol and atol
    double rtol;          ///< [-] relative tolerance; NAN: tol
    double atol;          ///< absolute tolerance in model lengths (translations) or rad; NAN: tol
    double step;          ///< fixed step size [s]; 0: step-size control
    double control_from;  ///< time from which on errors control the steps instead [s]; NAN: never
    double max_step;      ///< largest step size [s]; 0: no limit
    double min_step;      ///< smallest step size [s]; 0: 1e-15 (end - start)
    /** [-] spectral radius at infinity of genalpha and newmark, 0..1; NAN: default of the method */
    double rho;
    double alpha;  ///< [-] numerical damping of hht, -1/3..0; NAN: default of the method
    /** Highest order: bdf, ggl and the regularized methods 1..5, adams 1..12; 0: no limit. */
    int max_order;
    /** [1/s] feedback of constraint errors in baumgarte, trust-region and direct-reg; 0: chosen by the
     * method. */
    double gamma;
    /** Regularization parameter of trust-region and direct-reg, in units of row inertia; 0: chosen by the
     * method. */
    double epsilon;
    /** Constraints that these methods feed back, 3: positions and velocities, 2: velocities only; default 3.
     */
    int index;
    tml_redundancy redundancy;
    tml_placement placement;
    tml_constraint_point constraint_point;
    tml_fields fields;
    tml_control control;
    tml_scaling scaling;
    tml_scale_factor scale;  ///< for TML_SCALING_GIVEN
    double augment;          ///< penalty of the augmented Lagrangian, in units of the scaling; 0: off
    tml_iterate iterate;
    bool report;    ///< keep the data for tml_sim_get_conditioning; not a key of the file
    bool switches;  ///< locate the discontinuities of the model and end steps there; default true
    /** alpha and Radau methods: make a step with a discontinuity again so that it ends just behind it;
     * default true. False: the state there is interpolated */
    bool repeat_steps;
    tml_group group;
    tml_coordinates coordinates;
    tml_kinematics kinematics;
    tml_jacobian jacobian;
    tml_estimate estimate;
    tml_begin begin;
    /** Patterns of the channels that the command writes, separated by commas, as in its option --channels;
     * NULL: all. Programs pass channels to tml_writer_create themselves. */
    const char *record;
    /** threads of one run; 0: automatic, at most one per processor; default 1 */
    int threads;
    tml_contacts contacts;  ///< of the law rigid; default located
} tml_run_def;

#endif

// What the user says: a mutable description of a mechanism, from a file or from calls. Build a tml_model from
// it.
//
// Units are SI; angles in rad. A "frame" is a named point with axes, fixed to a body or to the ground,
// written "body.frame", "ground.frame", or just "body" (its centre of mass and axes) or "ground" (the
// inertial frame).
#ifndef TRAMMEL_SPEC_H
#define TRAMMEL_SPEC_H

#include <stdbool.h>
#include <stdint.h>
#include <trammel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tml_spec tml_spec;

/** A rigid body. Its frame sits in the centre of mass. */
typedef struct tml_body_def {
    size_t size;       ///< set by tml_body_def_default()
    const char *name;  ///< required; unique; letters, digits, '_'; not "ground"
    double mass;       ///< [kg], >= 0
    double inertia
        [6];  ///< [kg m^2] about the centre of mass, body axes: Jxx Jyy Jzz Jxy Jxz Jyz (tensor entries)
    double position[3];          ///< centre of mass at the start, inertial frame [m]
    double orientation[4];       ///< unit quaternion (scalar first), body to inertial axes, at the start
    double velocity[3];          ///< of the centre of mass at the start, inertial frame [m/s]
    double angular_velocity[3];  ///< at the start, body frame [rad/s]
    bool point;  ///< a point mass: no rotation, 3 coordinates (2 in planar models); inertia must be 0
    bool fixed_at_start;  ///< its given pose is exact: not moved by the assembly
} tml_body_def;

/** A named frame on a body or on the ground. */
typedef struct tml_frame_def {
    size_t size;
    const char *body;       ///< body's name or "ground"
    const char *name;       ///< required; unique on its body
    double position[3];     ///< from the body's frame, in body axes [m]
    double orientation[4];  ///< unit quaternion, frame axes to body axes
} tml_frame_def;

typedef enum tml_joint_type {
    TML_JOINT_FIXED,
    TML_JOINT_REVOLUTE,           ///< one rotation about the common z axis
    TML_JOINT_PRISMATIC,          ///< one translation along the common z axis
    TML_JOINT_CYLINDRICAL,        ///< rotation about and translation along the common z axis
    TML_JOINT_SPHERICAL,          ///< common origin
    TML_JOINT_UNIVERSAL,          ///< common origin, x of a perpendicular to y of b
    TML_JOINT_CONSTANT_VELOCITY,  ///< common origin, equal turning about the two z axes
    TML_JOINT_PLANAR,             ///< b's origin in the x-y plane of a, z axes parallel
    TML_JOINT_POINT_ON_LINE,      ///< b's origin on the z axis of a
    TML_JOINT_POINT_ON_PLANE,     ///< b's origin in the x-y plane of a
    TML_JOINT_DISTANCE,           ///< constant distance between the origins (a massless rod)
    TML_JOINT_PARALLEL,           ///< z axes parallel
    TML_JOINT_PERPENDICULAR,      ///< z axes perpendicular
    TML_JOINT_SCREW,              ///< cylindrical, translation = pitch * turns
    TML_JOINT_GEAR,    ///< first - ratio * second stays constant (two joint coordinates of equal kind)
    TML_JOINT_RACK,    ///< distance - ratio * angle stays constant (ratio: pinion radius [m])
    TML_JOINT_DRIVER,  ///< a coordinate follows an expression of time
    TML_JOINT_TYPES
} tml_joint_type;

/** A joint between frame a and frame b. */
typedef struct tml_joint_def {
    size_t size;
    const char *name;  ///< required; unique among joints and bodies
    tml_joint_type type;
    const char *a;       ///< frame reference; not for gear, rack, driver
    const char *b;       ///< frame reference; the joint's reaction is that on b's body
    bool has_point;      ///< place the origins of both joint frames at `point`
    double point[3];     ///< inertial frame, at the start [m]
    bool has_axis;       ///< turn the z axes of both joint frames to `axis`
    double axis[3];      ///< inertial frame, at the start; any length > 0
    double length;       ///< distance: [m], > 0; NAN: as at the start
    double pitch;        ///< screw: [m per turn]
    double ratio;        ///< gear: [-] (or [rad/m], ...), rack: [m]
    const char *first;   ///< gear: "joint.angle" or "joint.distance"; rack: the distance
    const char *second;  ///< gear: the other coordinate; rack: the angle
    const char *
        of;  ///< driver: what is driven: "joint.angle", "joint.distance", "frame.x|y|z", "distance(frame, frame)"
    const char *motion;  ///< driver: expression of t [m or rad]
    double
        /** angle at the start, if it lies outside (-pi, pi]: picks the turn counted from; NAN: nearest 0
         * [rad] */
        angle;
} tml_joint_def;

typedef enum tml_road_type {
    TML_ROAD_FLAT,   ///< height 0
    TML_ROAD_BUMP,   ///< a half cylinder lying across the road
    TML_ROAD_STEP,   ///< a sharp edge (length 0) or a smooth ramp
    TML_ROAD_SINE,   ///< waves
    TML_ROAD_TABLE,  ///< spline through points
    TML_ROAD_TYPES
} tml_road_type;

/** A road: its height z [m] along `up` as a function of the way s [m] along `direction`, both from `origin`.
 * It does not change across. Tyres follow it (docs/roads.md). */
typedef struct tml_road_def {
    size_t size;
    const char *name;  ///< required; unique among roads, forces, joints and bodies
    tml_road_type type;
    double origin[3];     ///< s = 0, z = 0; inertial frame [m]
    double direction[3];  ///< of s, inertial frame; any length > 0; default x
    bool has_up;
    double up[3];  ///< of z, perpendicular to direction; any length > 0; default z, in planar models y
    double
        /** bump: s of its middle; step: of the edge or the begin of the ramp; sine: of a zero upwards [m] */
        position;
    double diameter;      ///< bump: [m], > 0; half of it is its height
    double height;        ///< step: [m], negative: down
    double length;        ///< step: of the ramp [m], >= 0; 0: a sharp edge
    double amplitude;     ///< sine: [m]
    double wavelength;    ///< sine: [m], > 0
    double waves;         ///< sine: how many, from position on, > 0; NAN: without end in both directions
    int table_count;      ///< table: points, >= 2
    const double *table;  ///< (table_count x 2) s ascending, z [m]; natural cubic spline, linear outside
} tml_road_def;

typedef enum tml_force_type {
    TML_FORCE_SPRING,   ///< translational spring-damper-actuator between two origins
    TML_FORCE_TORSION,  ///< rotational spring-damper-actuator about the z axis of a
    TML_FORCE_BUSHING,  ///< six-dimensional spring-damper between two frames
    TML_FORCE_APPLIED,  ///< force and torque given by expressions
    TML_FORCE_DRAG,     ///< resistance to a body's motion
    TML_FORCE_TYRE,     ///< spring-damper between the centre of a wheel and the road below it
    TML_FORCE_TYPES
} tml_force_type;

/** A force element. Spring and torsion pull b towards a with
 *   F = stiffness (x - free) + damping xdot + law(x, xdot, t, ...) + table(x - free),     x: length [m] or angle [rad]
 */
typedef struct tml_force_def {
    size_t size;
    const char *name;  ///< required; unique among forces, roads, joints and bodies
    tml_force_type type;
    const char *a;     ///< spring, torsion, bushing: frame reference
    const char *b;     ///< spring, torsion, bushing: frame reference; applied: where it acts; drag: the body
    double stiffness;  ///< [N/m] or [N m/rad]
    double damping;    ///< [N s/m] or [N m s/rad]
    double free;       ///< free length [m] or free angle [rad]; NAN: as at the start
    const char *law;   ///< expression of length|angle, rate, t and any state [N or N m]; NULL: none
    int table_count;   ///< points of the force table; 0: none; else >= 2
    const double *
        /** (table_count x 2) elongation x - free ascending, force; natural cubic spline, linear outside */
        table;
    double stiffness6[36];  ///< bushing, row-major, (x y z rx ry rz) in the axes of frame a [N/m, N, N m/rad]
    double damping6[36];
    double preload6[6];     ///< bushing: force and torque at zero deflection
    const char *force[3];   ///< applied: expressions of t and state [N]; NULL: 0
    const char *torque[3];  ///< applied: [N m]; NULL: 0
    bool body_axes;    ///< applied: components along b's frame axes (follower) instead of the inertial ones
    double linear;     ///< drag: F = -(linear + quadratic |v|) v  [N s/m]
    double quadratic;  ///< [N s^2/m^2]
    double angular_linear;     ///< drag: torque = -(angular_linear + angular_quadratic |w|) w  [N m s]
    double angular_quadratic;  ///< [N m s^2]
    const char *road;          ///< tyre: its road; `b` is the centre of the wheel
    double
        /** tyre: of the wheel without load [m], > 0. F = stiffness e + damping edot + table(e), pushes up, */
        radius;
    ///< e [m]: compression, radius + height of the road - height of the wheel's centre
    bool contact;  ///< tyre: cannot pull; default true. false: linear, as if the wheel were tied to the road
    bool normal;   ///< tyre: the force acts along the normal of the road instead of along `up`
} tml_force_def;

/** A named expression written as an extra column: any state, joint coordinate, rate, reaction, distance, t.
 */
typedef struct tml_output_def {
    size_t size;
    const char *name;
    const char *value;
} tml_output_def;

/** Stop the run when an expression crosses zero. */
typedef struct tml_event_def {
    size_t size;
    const char *name;
    const char *when;  ///< expression of t and state
    int direction;     ///< +1 only upwards, -1 only downwards, 0 both
} tml_event_def;

/** How Newton's equations are scaled before they are solved (docs/theory/scaling.md). */
typedef enum tml_scaling {
    TML_SCALING_NONE,                 ///< equations as written
    TML_SCALING_LEFT,                 ///< constraint rows divided by the step
    TML_SCALING_LEFT_RIGHT,           ///< rows, and multipliers by s = 1/h^2
    TML_SCALING_LEFT_RIGHT_VELOCITY,  ///< velocities by 1/h too (three fields; two fields: as before)
    TML_SCALING_UNIFORM,  ///< one factor s = k + d/h + m/h^2 for all rows (averages of the diagonals)
    TML_SCALING_PHYSICAL  ///< a factor per row from the inertia and stiffness of what it joins
} tml_scaling;

/** When the Newton iteration of a step ends. */
typedef enum tml_iterate {
    TML_ITERATE_CONVERGED,  ///< when the tolerance is met
    TML_ITERATE_SATURATED   ///< when corrections stop falling; a new matrix in every iteration
} tml_iterate;
/** On which group the bodies of a model move within a step. */
typedef enum tml_group {
    TML_GROUP_R3SO3,  ///< positions and rotations apart, velocities of translation in the inertial frame
    /** rigid motions, all velocities in the body frame (the motion formalism); exponential map */
    TML_GROUP_SE3,
    TML_GROUP_SE3_CAYLEY  ///< the same with the Euler motion parameters of the increment, Cayley's map
} tml_group;

/** Where generalized-alpha asks for equilibrium. */
typedef enum tml_placement {
    TML_PLACEMENT_NODES,  ///< at the ends of steps, accelerations averaged (Arnold and Bruels)
    TML_PLACEMENT_INNER   ///< at an inner point of the step (Chung and Hulbert)
} tml_placement;

/** Unknowns of the Newton iteration. */
typedef enum tml_fields {
    TML_FIELDS_TWO,   ///< displacements and multipliers; velocities are eliminated
    TML_FIELDS_THREE  ///< displacements, velocities and multipliers
} tml_fields;

/** What the step-size control watches. */
typedef enum tml_control {
    TML_CONTROL_MOTION,  ///< positions and velocities
    TML_CONTROL_ALL      ///< multipliers too
} tml_control;

/** How methods of the state-space family split increments into independent and dependent parts. */
typedef enum tml_coordinates {
    TML_COORDINATES_PARTITION,  ///< some of the system's own coordinates are the independent ones
    TML_COORDINATES_TANGENT     ///< coordinates in the tangent plane of the constraints
} tml_coordinates;

/** In which unknowns a model is integrated. */
typedef enum tml_kinematics {
    /** joints for explicit methods where the model allows it, and with method auto where they pay; else
     * bodies */
    TML_KINEMATICS_AUTO,
    TML_KINEMATICS_BODIES,  ///< positions and rotations of all bodies, every joint a constraint
    /** relative coordinates of the joints of a spanning tree; only loops are constraints */
    TML_KINEMATICS_JOINTS
} tml_kinematics;

/** Where the derivatives of the reduced equations come from. */
typedef enum tml_jacobian {
    TML_JACOBIAN_EXACT,       ///< from the derivatives of the elements
    TML_JACOBIAN_DIFFERENCES  ///< from differences of accelerations
} tml_jacobian;

/** How to run: the file's `run:` block, overridden by the command's options. */
typedef struct tml_run_def {
    size_t size;
    const char *method;  ///< "bdf", ...; "auto" or NULL: chosen by what the model shows at the start
    const char *solver;  ///< "dense", "klu", "block", "auto"; NULL: auto
    double start;        ///< [s]
    double end;          ///< [s], > start
    double output_step;  ///< [s]; 0: (end - start)/500
    double tol;          ///< relative to the model's size and the value's, > 0; sets rtol and atol together
    double rtol;         ///< relative tolerance; NAN: tol
    double atol;         ///< absolute tolerance in model lengths (and rad); NAN: tol
    double step;         ///< fixed step [s]; 0: step-size control
    double max_step;     ///< [s]; 0: no limit
    double min_step;     ///< [s]; 0: 1e-14 (end - start) or so
    double rho;          ///< spectral radius at infinity of genalpha and newmark, 0..1; NAN: the method's own
    double alpha;        ///< numerical damping of hht, -1/3..0; NAN: the method's own
    double
        /** highest order of bdf, ggl and the regularized methods, 1..5, and adams, 1..12; 0: all they have */
        max_order;
    double
        gamma;  ///< [1/s] feedback of constraint errors of baumgarte, trust-region and direct-reg; 0: chosen
    double
        epsilon;  ///< regularization of trust-region and direct-reg, in units of the rows' inertia; 0: chosen
    tml_placement placement;
    tml_fields fields;
    tml_control control;
    tml_scaling scaling;
    double augment;  ///< augmented-Lagrangian penalty in units of the scaling; 0: off
    tml_iterate iterate;
    bool report;    ///< keep what tml_sim_conditioning tells; not a key of the file
    bool switches;  ///< locate jumps and kinks of the model's expressions and end steps there; default true
    tml_group group;
    tml_coordinates coordinates;
    tml_kinematics kinematics;
    tml_jacobian jacobian;
    double threads;  ///< threads that one run may use; 0: as many as pay, at most the processors; default 1
} tml_run_def;

TML_API tml_body_def tml_body_def_default(void);
TML_API tml_frame_def tml_frame_def_default(void);
TML_API tml_joint_def tml_joint_def_default(void);
TML_API tml_road_def tml_road_def_default(void);
TML_API tml_force_def tml_force_def_default(void);
TML_API tml_output_def tml_output_def_default(void);
TML_API tml_event_def tml_event_def_default(void);
TML_API tml_run_def tml_run_def_default(void);

/** An empty description. env may be NULL (malloc, silence). */
TML_API tml_status tml_spec_create(const tml_env *env, tml_spec **out, tml_error *err);
TML_API void tml_spec_destroy(tml_spec *spec);

TML_API tml_status tml_spec_set_title(tml_spec *spec, const char *title, tml_error *err);
TML_API void tml_spec_set_planar(tml_spec *spec, bool planar);         ///< motion in the x-y plane only
TML_API void tml_spec_set_gravity(tml_spec *spec, const double g[3]);  ///< [m/s^2], inertial frame; default 0
TML_API tml_status tml_spec_set_run(tml_spec *spec, const tml_run_def *def, tml_error *err);
TML_API const tml_run_def *tml_spec_run(const tml_spec *spec);  ///< borrowed

/** Each copies its definition and checks its single fields; names are resolved by tml_model_build. */
TML_API tml_status tml_spec_add_body(tml_spec *spec, const tml_body_def *def, tml_error *err);
TML_API tml_status tml_spec_add_frame(tml_spec *spec, const tml_frame_def *def, tml_error *err);
TML_API tml_status tml_spec_add_joint(tml_spec *spec, const tml_joint_def *def, tml_error *err);
TML_API tml_status tml_spec_add_road(tml_spec *spec, const tml_road_def *def, tml_error *err);
TML_API tml_status tml_spec_add_force(tml_spec *spec, const tml_force_def *def, tml_error *err);
TML_API tml_status tml_spec_add_output(tml_spec *spec, const tml_output_def *def, tml_error *err);
TML_API tml_status tml_spec_add_event(tml_spec *spec, const tml_event_def *def, tml_error *err);

/** A parameter value given from outside ("--set NAME=VALUE"); text is an expression. */
typedef struct tml_parameter {
    const char *name;
    const char *text;
} tml_parameter;

/** Read a YAML (or JSON) model file. overrides: values that replace those of the file's `parameters`; an
 * override of a parameter the file does not have is an error. Errors carry file, line and column. */
TML_API tml_status tml_spec_read(const char *path, const tml_parameter *overrides, int count,
                                 const tml_env *env, tml_spec **out, tml_error *err);
/** As tml_spec_read, from a text in memory; `name` stands for the path in messages; includes are relative to
 * it. */
TML_API tml_status tml_spec_parse(const char *text, size_t length, const char *name,
                                  const tml_parameter *overrides, int count, const tml_env *env,
                                  tml_spec **out, tml_error *err);

/** The text the spec was read from (main file only), NULL if it came from calls. Borrowed. */
TML_API const char *tml_spec_text(const tml_spec *spec);

#ifdef __cplusplus
}
#endif
#endif

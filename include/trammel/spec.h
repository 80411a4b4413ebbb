// The specification: a mutable description of a mechanism, read from a file or built by calls.
// tml_model_build turns it into a tml_model.
//
// Units are SI; angles are in rad. A "frame" is a named point with axes, fixed to a body or to the ground. A
// frame reference is "body.frame", "ground.frame", "body" (its centre of mass and axes) or "ground" (the
// inertial frame). Definitions: start from the default function, which sets `size`. All texts and tables are
// copied.
#ifndef TRAMMEL_SPEC_H
#define TRAMMEL_SPEC_H

#include <stdbool.h>
#include <stdint.h>
#include <trammel/base.h>
#include <trammel/part.h>
#include <trammel/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tml_spec tml_spec;

/** A rigid body. The origin of its frame is the centre of mass. */
typedef struct tml_body_def {
    size_t size;       ///< set by tml_body_def_default()
    const char *name;  ///< required; unique; letters, digits, '_'; not "ground"
    double mass;       ///< [kg], >= 0
    /** [kg m^2] about the centre of mass, body axes: entries Jxx Jyy Jzz Jxy Jxz Jyz of the tensor. */
    double inertia[6];
    double position[3];          ///< centre of mass at the start, inertial frame [m]
    double orientation[4];       ///< unit quaternion (scalar first), body to inertial axes, at the start
    double velocity[3];          ///< of the centre of mass at the start, inertial frame [m/s]
    double angular_velocity[3];  ///< at the start, body frame [rad/s]
    bool point;  ///< a point mass: no rotation, 3 coordinates (2 in planar models); inertia must be 0
    bool fixed_at_start;  ///< the assembly of the start keeps the given pose
    /** [kg/m^3], planar [kg/m^2]: mass, centre and inertia follow from the shapes of the body, see
     * tml_spec_weigh(); 0: they are given. */
    double density;
} tml_body_def;

/** A named frame on a body or on the ground. */
typedef struct tml_frame_def {
    size_t size;            ///< set by tml_frame_def_default()
    const char *body;       ///< name of the body, or "ground"
    const char *name;       ///< required; unique on its body
    double position[3];     ///< of the origin, relative to the body frame, in body axes [m]
    double orientation[4];  ///< unit quaternion, frame axes to body axes
} tml_frame_def;

/** The types of joints, X(constant, name of its table of functions): the catalogue.
 *
 *   fixed              no relative motion
 *   revolute           one rotation about the common z axis
 *   prismatic          one translation along the common z axis
 *   cylindrical        rotation about and translation along the common z axis
 *   spherical          common origin
 *   universal          common origin, x of a perpendicular to y of b
 *   constant_velocity  common origin, equal rotation about the two z axes
 *   planar             b's origin in the x-y plane of a, z axes parallel
 *   point_on_line      b's origin on the z axis of a
 *   point_on_plane     b's origin in the x-y plane of a
 *   distance           constant distance between the origins (a massless rod)
 *   parallel           z axes parallel
 *   perpendicular      z axes perpendicular
 *   screw              cylindrical, translation = pitch * turns
 *   gear               first - ratio * second stays constant (two joint coordinates of equal kind)
 *   rack               distance - ratio * angle stays constant (ratio: pinion radius [m])
 *   driver             a coordinate, or its rate, follows an expression of time
 *   pose               position and orientation of b relative to a follow expressions of time
 *   knife_edge         b's origin in the x-y plane of a, its velocity has no component along y of b
 *   wheel              a disc about z of b rolls on the x-y plane of a, on the side of +z, without slip */
#define TML_JOINT_TYPE_LIST(X)              \
    X(FIXED, fixed)                         \
    X(REVOLUTE, revolute)                   \
    X(PRISMATIC, prismatic)                 \
    X(CYLINDRICAL, cylindrical)             \
    X(SPHERICAL, spherical)                 \
    X(UNIVERSAL, universal)                 \
    X(CONSTANT_VELOCITY, constant_velocity) \
    X(PLANAR, planar)                       \
    X(POINT_ON_LINE, point_on_line)         \
    X(POINT_ON_PLANE, point_on_plane)       \
    X(DISTANCE, distance)                   \
    X(PARALLEL, parallel)                   \
    X(PERPENDICULAR, perpendicular)         \
    X(SCREW, screw)                         \
    X(GEAR, gear)                           \
    X(RACK, rack)                           \
    X(DRIVER, driver)                       \
    X(POSE, pose)                           \
    X(KNIFE_EDGE, knife_edge)               \
    X(WHEEL, wheel)

#define TML_JOINT_TYPE_CONSTANT(NAME, name) TML_JOINT_##NAME,
typedef enum tml_joint_type { TML_JOINT_TYPE_LIST(TML_JOINT_TYPE_CONSTANT) TML_JOINT_TYPES } tml_joint_type;
#undef TML_JOINT_TYPE_CONSTANT

enum { TML_ACTUATORS = 12 };  ///< actuators of one driver or pose, at most

/** Laws of dry friction along a coordinate (docs/friction.md). */
typedef enum tml_friction_law {
    /** sticks exactly, up to the static force; slips with
     * F = coulomb + (static - coulomb) exp(-(v/stribeck)^2) + viscous |v| */
    TML_FRICTION_COULOMB,
    TML_FRICTION_LUGRE,        ///< bristles: a state of its own, small elastic displacement before it slips
    TML_FRICTION_REGULARIZED,  ///< a smooth force tanh(v/creep): creeps under load instead of sticking
    TML_FRICTION_LAWS
} tml_friction_law;

/** Friction. Forces are in N, or N m along an angle. */
typedef struct tml_friction_def {
    tml_friction_law law;
    double coulomb;             ///< force while it slips, >= 0; NAN: coefficient * load * radius
    double static_force;        ///< largest force while it sticks; NAN: that of slip
    double coefficient;         ///< of friction; NAN: `coulomb` is given
    double static_coefficient;  ///< NAN: `coefficient`
    double load;                ///< normal load [N]
    /** The load is the force that the joint transmits. Bristles are then per unit of load: [1/m] or [m/rad],
     * [s/m] or [m s/rad]. */
    bool load_of_reaction;
    double radius;             ///< along angles: radius at which the load acts [m]
    double stribeck;           ///< speed over which the static force falls [m/s or rad/s]; NAN: at once
    double viscous;            ///< force per speed
    double bristle_stiffness;  ///< lugre: sigma_0 [N/m or N m/rad]
    double bristle_damping;    ///< lugre: sigma_1 [N s/m or N m s/rad]
    double creep;              ///< regularized: speed of creep [m/s or rad/s]
} tml_friction_def;

/** Limits of a coordinate. Compliant ones have a stiffness: beyond a limit, by e, the force stiffness e +
 * damping edot drives it back; it never pulls. Rigid ones have a restitution: the rate at which a limit is
 * struck is reversed and multiplied by it. */
typedef struct tml_limits_def {
    double lower, upper;  ///< [m or rad]; NAN: none
    double stiffness;     ///< [N/m or N m/rad], > 0; NAN: the limits are rigid
    double damping;       ///< [N s/m or N m s/rad]
    double restitution;   ///< [-] 0..1; NAN: the limits are compliant
} tml_limits_def;

/** A joint between frame a and frame b. The fields from `stiffness` on act along its first coordinate (angle
 * or distance); they become the forces NAME_force and NAME_friction. */
typedef struct tml_joint_def {
    size_t size;       ///< set by tml_joint_def_default()
    const char *name;  ///< required; unique among joints and bodies
    tml_joint_type type;
    const char *a;       ///< frame reference; not for gear, rack, driver
    const char *b;       ///< frame reference; the reaction of the joint acts on the body of b
    bool has_point;      ///< put the origins of both joint frames at `point`
    double point[3];     ///< inertial frame, at the start [m]
    bool has_axis;       ///< turn the z axes of both joint frames to `axis`
    double axis[3];      ///< inertial frame, at the start; any length > 0
    double length;       ///< distance: [m], > 0; NAN: the value at the start
    double pitch;        ///< screw: [m per turn]
    double ratio;        ///< gear: [-] (or [rad/m], ...), rack: [m]
    const char *first;   ///< gear: "joint.angle" or "joint.distance"; rack: the distance
    const char *second;  ///< gear: the other coordinate; rack: the angle
    /** driver: the driven coordinate: "joint.angle", "joint.distance", "frame.x|y|z" or "distance(frame,
     * frame)". */
    const char *of;
    const char *motion;  ///< driver: expression of t [m or rad]; NULL: `speed` is given
    const char *speed;   ///< driver: rate of the coordinate as an expression of t [m/s or rad/s]
    double radius;       ///< wheel: radius of the disc [m], > 0
    double tread;        ///< wheel: radius of its rounded tread, which adds to `radius` below it [m]
    /** Angle of the joint at the start [rad]. Selects the number of full turns if the angle lies outside
     * (-pi, pi]. NAN: the angle in (-pi, pi]. */
    double angle;
    /** pose: x, y, z [m] of the origin of b along the axes of a, and roll, pitch, yaw [rad] of b relative to
     * a (rotation about x, then y, then z of a), expressions of t; NULL: the coordinate is free. */
    const char *pose[6];
    int actuator_count;  ///< driver, pose: number of actuators
    /** driver, pose: joint coordinates whose forces make the motion; without them the driver exerts the force
     * itself. They change the reported forces, not the motion. */
    const char *actuator[TML_ACTUATORS];
    double stiffness;   ///< [N/m or N m/rad]
    double damping;     ///< [N s/m or N m s/rad]
    double free;        ///< coordinate without a force of the spring; NAN: value at the start
    double backlash;    ///< width about `free` in which stiffness and damping do not act [m or rad]
    const char *drive;  ///< force or torque along the coordinate, an expression [N or N m]; NULL: none
    bool has_limits;
    tml_limits_def limits;
    bool has_friction;
    tml_friction_def friction;
} tml_joint_def;

typedef enum tml_road_type {
    TML_ROAD_FLAT,   ///< height 0
    TML_ROAD_BUMP,   ///< a half cylinder lying across the road
    TML_ROAD_STEP,   ///< a sharp edge (length 0) or a smooth ramp
    TML_ROAD_SINE,   ///< waves
    TML_ROAD_TABLE,  ///< curve through points
    TML_ROAD_TYPES
} tml_road_type;

/** A road for tyres (docs/roads.md): its height z [m] along `up` is a function of the distance s [m] along
 * `direction`, both measured from `origin`. It is constant across `direction` and `up`. */
typedef struct tml_road_def {
    size_t size;       ///< set by tml_road_def_default()
    const char *name;  ///< required; unique among roads, forces, joints and bodies
    tml_road_type type;
    double origin[3];     ///< s = 0, z = 0; inertial frame [m]
    double direction[3];  ///< of s, inertial frame; any length > 0; default x
    bool has_up;
    double up[3];  ///< of z, perpendicular to direction; any length > 0; default z, in planar models y
    /** s [m] of: bump: its middle; step: the edge or the start of the ramp; sine: a zero with positive
     * slope. */
    double position;
    double diameter;    ///< bump: [m], > 0; half of it is its height
    double height;      ///< step: [m], negative: down
    double length;      ///< step: of the ramp [m], >= 0; 0: a sharp edge
    double amplitude;   ///< sine: [m]
    double wavelength;  ///< sine: [m], > 0
    double waves;       ///< sine: number of waves from `position` on, > 0; NAN: unlimited in both directions
    int table_count;    ///< table: number of points, >= 2
    const double *table;          ///< (table_count x 2) s ascending, z [m]
    tml_table_style table_style;  ///< table: default monotone, straight lines outside
} tml_road_def;

/** What the elements of a beam interpolate between their nodes: positions and rotations by themselves, or
 * rigid motions. */
typedef enum tml_beam_interpolation { TML_BEAM_R3SO3, TML_BEAM_SE3 } tml_beam_interpolation;

/** The types of forces, X(constant, name of its table of functions): the catalogue.
 *
 *   spring   translational spring-damper-actuator between two origins
 *   torsion  rotational spring-damper-actuator about the z axis of a
 *   bushing  six-dimensional spring-damper between two frames
 *   applied  force and torque given by expressions
 *   drag     resistance to a body's motion
 *   tyre     spring-damper between the centre of a wheel and the road below it
 *   callback forces and moments on frames by a function of the program
 *   beam     an element of a beam between 2 to 4 bodies, its nodes; made by tml_spec_add_beam
 *   friction dry friction along a coordinate of a joint
 *   coordinate spring, damper, limits and drive along a coordinate of a joint
 *   modal    the element of a modal body; made by tml_spec_add_modal
 *   limit    rigid limits of a coordinate of a joint, with restitution
 *   slip_tyre a tyre that rolls with slip, along and across the road */
#define TML_FORCE_TYPE_LIST(X) \
    X(SPRING, spring)          \
    X(TORSION, torsion)        \
    X(BUSHING, bushing)        \
    X(APPLIED, applied)        \
    X(DRAG, drag)              \
    X(TYRE, tyre)              \
    X(CALLBACK, callback)      \
    X(BEAM, beam)              \
    X(FRICTION, friction)      \
    X(COORDINATE, coordinate)  \
    X(MODAL, modal)            \
    X(LIMIT, limit)            \
    X(SLIP_TYRE, slip_tyre)

#define TML_FORCE_TYPE_CONSTANT(NAME, name) TML_FORCE_##NAME,
typedef enum tml_force_type { TML_FORCE_TYPE_LIST(TML_FORCE_TYPE_CONSTANT) TML_FORCE_TYPES } tml_force_type;
#undef TML_FORCE_TYPE_CONSTANT

/** The motion of a frame, as a force callback sees it: inertial axes, velocities of its origin. */
typedef struct tml_frame_motion {
    double position[3];          ///< [m]
    double axes[9];              ///< axes of the frame in its columns, row-major
    double velocity[3];          ///< [m/s]
    double angular_velocity[3];  ///< [rad/s]
} tml_frame_motion;

/** wrench (6 per frame) = force [N] and moment [N m] on the body of each frame at the origin of the frame,
 * inertial axes; all 0 on entry. It must depend on its arguments and `user` alone and be as smooth as the
 * accuracy of the run asks for; it may be called from any thread, at trial states, in any order. */
typedef void (*tml_force_function)(double t, const tml_frame_motion *frame, double *wrench, void *user);

/** Derivatives of a tml_force_function: matrix (6 n x 12 n for n frames, row-major, 0 on entry). Columns
 * 12 i .. 12 i + 11 are by the motion of frame i, each with the rest of all motions held: displacement of its
 * origin [m], rotation of its axes [rad], velocity [m/s] and angular velocity [rad/s], inertial axes. */
typedef void (*tml_force_derivatives)(double t, const tml_frame_motion *frame, double *derivative,
                                      void *user);

enum { TML_CALLBACK_FRAMES = 4 };  ///< frames of one force callback, at most

/** A modal body (docs/modal-bodies.md): an elastic part in a floating frame. It becomes bodies NAME_NODE at
 * the interface nodes of the part, with frames NAME.NODE, and a force NAME_part of type modal. A node whose
 * name begins with a digit has the frame NAME.nNODE. */
typedef struct tml_modal_def {
    size_t size;           ///< set by tml_modal_def_default()
    const char *name;      ///< required; unique among bodies, joints, forces, ...
    const tml_part *part;  ///< required; borrowed, it must live as long as the spec
    /** in files: that of the part, or those of a mesh with its interface nodes, "left, right", and the number
     * of modes; the reader sets `part` */
    const char *part_file, *stiffness_file, *mass_file, *nodes_file, *interface;
    int modes;
    double position[3];          ///< of the origin of the part, inertial frame [m]
    double orientation[4];       ///< of its axes, unit quaternion
    double velocity[3];          ///< of its origin at the start, inertial frame [m/s]
    double angular_velocity[3];  ///< at the start, inertial frame [rad/s]; the part moves as a rigid body
    const char *reference;       ///< node that carries the floating frame; NULL: that of the part
    /** shares of critical damping of the elastic modes of the free part; the last one is that of all further
     * ones; 0: none */
    int damping_count;
    const double *damping;
    double mass_damping;       ///< further damping alpha M of these modes [1/s]
    double stiffness_damping;  ///< and beta K [s]
    bool stiffening;           ///< use the load cases of the part; default true
} tml_modal_def;

/** Laws of the slip of tyres (docs/roads.md). */
typedef enum tml_slip_law {
    TML_SLIP_BRUSH,          ///< a tread of bristles, with a coefficient of friction and two stiffnesses
    TML_SLIP_MAGIC_FORMULA,  ///< Pacejka's formula along and across
    TML_SLIP_LAWS
} tml_slip_law;

/** Force of the slip s per load: D sin(C atan(B s (1 - E) + E atan(B s))). */
typedef struct tml_magic_def {
    double B;  ///< > 0; B C D is the slope at s = 0
    double C;  ///< > 0
    double D;  ///< peak, > 0
    double E;  ///< <= 1; default 0
} tml_magic_def;

/** A force element. Spring and torsion pull b towards a with the force [N] or torque [N m]
 *   F = stiffness (x - free) + damping xdot + law(x, xdot, t, ...) + table(x - free)
 * where x is the length [m] or the angle [rad]. */
typedef struct tml_force_def {
    size_t size;       ///< set by tml_force_def_default()
    const char *name;  ///< required; unique among forces, roads, joints and bodies
    tml_force_type type;
    const char *a;  ///< spring, torsion, bushing: frame reference
    /** spring, torsion, bushing: frame reference; applied: frame at which it acts; drag: the body; tyre: the
     * centre of the wheel */
    const char *b;
    double stiffness;       ///< [N/m] or [N m/rad]
    double damping;         ///< [N s/m] or [N m s/rad]
    double free;            ///< free length [m] or free angle [rad]; NAN: the value at the start
    const char *law;        ///< expression of length|angle, rate, t and any state [N or N m]; NULL: none
    int table_count;        ///< points of the force table; 0: none; else >= 2
    const double *table;    ///< (table_count x 2) pairs of x - free, ascending, and force
    double stiffness6[36];  ///< bushing, row-major, (x y z rx ry rz) in the axes of frame a [N/m, N, N m/rad]
    double damping6[36];
    double preload6[6];     ///< bushing: force and torque at zero deflection
    const char *force[3];   ///< applied: expressions of t and state [N]; NULL: 0
    const char *torque[3];  ///< applied: [N m]; NULL: 0
    /** applied: components in the axes of frame b (follower force), not in the inertial axes */
    bool body_axes;
    double linear;             ///< drag: F = -(linear + quadratic |v|) v  [N s/m]
    double quadratic;          ///< [N s^2/m^2]
    double angular_linear;     ///< drag: torque = -(angular_linear + angular_quadratic |w|) w  [N m s]
    double angular_quadratic;  ///< [N m s^2]
    const char *road;          ///< tyre: name of the road
    /** tyre: radius of the unloaded wheel [m], > 0. The force F = stiffness e + damping edot + table(e)
     * pushes up; the compression e [m] = radius + height of the road - height of the wheel centre */
    double radius;
    /** tyre: the force is never negative; default true. false: bilateral, the wheel cannot lift off */
    bool contact;
    bool normal;      ///< tyre: the force acts along the normal of the road instead of along `up`
    int frame_count;  ///< callback: number of frames; beam: number of nodes, 2 to 4
    /** callback: frame references, on different bodies or ground; beam: bodies, in the order along the beam,
     * at the Lobatto points of the element; their x axes point along it */
    const char *frame[TML_CALLBACK_FRAMES];
    double section_stiffness[36];               ///< beam: stiffness6 of tml_beam_def
    double section_damping;                     ///< beam: damping of tml_beam_def [s]
    tml_beam_interpolation beam_interpolation;  ///< beam: interpolation of tml_beam_def
    /** beam: damping against motion in space, per length: of the velocity (one number, [N s/m^2]) and of the
     * angular velocity about x, y, z of the section [N s] */
    double space_damping[4];
    tml_force_function function;  ///< callback: required
    void *user;                   ///< callback: last argument of the function and of its derivatives
    tml_table_style table_style;  ///< of `table`; default monotone, straight lines outside
    /** friction, coordinate: along "joint.angle", "joint.distance", "frame.x|y|z" or "distance(f, g)" */
    const char *of;
    tml_friction_def friction;   ///< friction
    const char *drive;           ///< coordinate: force along it, an expression [N or N m]; NULL: none
    double backlash;             ///< coordinate: width about `free` without stiffness and damping [m or rad]
    tml_limits_def limits;       ///< coordinate
    const tml_modal_def *modal;  ///< modal: the body, borrowed
    /** callback: NULL: by differences, two calls of the function per coordinate of a body and its velocity.
     * Wrong ones do not make results wrong; they slow the Newton iterations of implicit methods. */
    tml_force_derivatives derivatives;
    /** slip tyre: axis of the wheel in the axes of its frame; default y, in planar models z */
    bool has_axis;
    double axis[3];
    tml_slip_law slip_law;
    double load;                    ///< slip tyre: load N0 of stiffnesses and damping [N], > 0
    double load_exponent;           ///< slip tyre: p of forces ~ N (N/N0)^p, above -1; default 0
    double coefficient;             ///< brush: coefficient of friction, > 0; NAN: not given
    double longitudinal_stiffness;  ///< brush: force per longitudinal slip [N]; NAN: not given
    double cornering_stiffness;     ///< brush: side force per slip angle [N/rad]; NAN: not given
    bool has_longitudinal, has_lateral;
    tml_magic_def longitudinal, lateral;  ///< magic formula
    double longitudinal_relaxation;       ///< slip tyre: relaxation lengths [m], > 0
    double lateral_relaxation;
    double slip_damping;  ///< slip tyre: damping of the deflection of the tyre [N s/m]
    double trail;         ///< slip tyre: pneumatic trail at small slip [m]
} tml_force_def;

/** The shapes by which bodies are drawn (docs/viewer.md) and touch (docs/contact.md). */
typedef enum tml_shape_type {
    TML_SHAPE_SPHERE,    ///< radius
    TML_SHAPE_PLANE,     ///< the half space below the plane through the origin of `at` with `normal`
    TML_SHAPE_BOX,       ///< edges, centred at the origin of `at`, along its axes
    TML_SHAPE_CYLINDER,  ///< radius and length, centred, about `axis`
    TML_SHAPE_CAPSULE,   ///< a cylinder of `length` with half spheres at its ends
    TML_SHAPE_CONE,      ///< drawn only: base of `radius` at -length/2, tip at +length/2 along `axis`
    TML_SHAPE_TORUS,     ///< drawn only: a tube about a circle of `radius` around `axis`
    TML_SHAPE_MESH,      ///< triangles of a file; its hull touches
    TML_SHAPE_PROFILE,   ///< planar models: a closed curve through points
    TML_SHAPE_TYPES
} tml_shape_type;

/** The curve between the points of a profile. */
typedef enum tml_outline_style {
    TML_OUTLINE_SPLINE,  ///< periodic cubic spline by chord length
    TML_OUTLINE_LINEAR,  ///< straight sides with rounded corners
    TML_OUTLINE_STYLES
} tml_outline_style;

/** A shape, fixed to a frame of a body or of the ground. */
typedef struct tml_shape_def {
    size_t size;       ///< set by tml_shape_def_default()
    const char *name;  ///< required; unique among shapes
    tml_shape_type type;
    const char *at;     ///< frame reference; NULL: the body with the name of the shape
    const char *group;  ///< a name for several shapes; NULL: none
    double radius;      ///< sphere, cylinder, capsule, cone, torus: [m], > 0
    double length;      ///< cylinder, capsule, cone: [m], > 0; of a capsule without its half spheres
    double edges[3];    ///< box: lengths of its edges [m], > 0; planar: the first two
    bool has_normal;
    double normal[3];  ///< plane: outward normal in the axes of `at`; default z, planar: y
    bool has_axis;
    double axis[3];         ///< of round shapes, in the axes of `at`; default z, planar: x (torus: z)
    double youngs_modulus;  ///< [Pa]; NAN: not known
    double poisson;         ///< Poisson's ratio; default 0.3
    double tube;            ///< torus: radius of the tube [m], > 0
    const char *file;    ///< mesh: STL, OBJ or glTF; tml_spec_read takes it from the folder of the model file
    double scale;        ///< mesh: metres per unit of the file, > 0; default 1
    const char *colour;  ///< "#rrggbb", "#rgb" or the name of a colour; NULL: chosen by the viewer
    double opacity;      ///< 0 (invisible) .. 1 (solid, default)
    bool hidden;         ///< it is not drawn
    int point_count;     ///< profile: number of points
    const double *points;       ///< profile: (point_count x 3) in the axes of `at`, z = 0 [m]
    tml_outline_style outline;  ///< profile
    double rounding;            ///< profile, linear: radius of its corners [m]; NAN: 1 % of its size
    int repeat;                 ///< profile: number of equal sectors of which the points give one; default 1
} tml_shape_def;

/** Laws of the normal force N of a contact with the penetration d and its rate v; N is never negative. */
typedef enum tml_contact_law {
    TML_CONTACT_HUNT_CROSSLEY,  ///< stiffness d^exponent (1 + damping v)
    TML_CONTACT_HERTZ,          ///< stiffness d^1.5 + damping d^0.25 v
    TML_CONTACT_LINEAR,         ///< stiffness d + damping v
    TML_CONTACT_RIGID,          ///< no penetration: a unilateral constraint, and impacts with restitution
    TML_CONTACT_LAWS
} tml_contact_law;

/** What `restitution` of a rigid contact is the ratio of. */
typedef enum tml_impact_law {
    TML_IMPACT_NEWTON,   ///< speeds along the normal, after over before the impact
    TML_IMPACT_POISSON,  ///< normal impulses, of expansion over compression
    TML_IMPACT_LAWS
} tml_impact_law;

/** A contact between two shapes or groups of shapes: it becomes one force, which pushes them apart where they
 * overlap. */
typedef struct tml_contact_def {
    size_t size;       ///< set by tml_contact_def_default()
    const char *name;  ///< required; unique among forces, joints, bodies, ...
    const char *a;     ///< shape or group
    const char *b;     ///< shape or group; NULL: the shapes of group a touch each other
    tml_contact_law law;
    double stiffness;    ///< [N/m^exponent], > 0; NAN: of spheres, from their Young's moduli (Hertz)
    double exponent;     ///< hunt-crossley: > 0; NAN: 1.5
    double damping;      ///< see tml_contact_law; NAN: from `restitution`, or 0
    double restitution;  ///< speed after over speed before an impact, 0 to 1; NAN: `damping` is given
    double speed;  ///< hunt-crossley with restitution: least speed of an impact at which it is met [m/s]
    bool has_friction;
    /** law lugre or regularized; bristles per unit of load: [1/m], [s/m]; of rigid contacts law coulomb */
    tml_friction_def friction;
    double rolling;         ///< rolling resistance: moment over normal force [m]
    double drilling;        ///< the same about the normal [m]
    double spin_creep;      ///< angular speed at which 76 % of these moments are reached [rad/s]
    tml_impact_law impact;  ///< rigid
} tml_contact_def;

/** The sections of beams. Their axes: x along the beam, y along the width, z along the height. */
typedef enum tml_section_type {
    TML_SECTION_GENERAL,    ///< stiffness, mass and inertia are given
    TML_SECTION_RECTANGLE,  ///< width, height
    TML_SECTION_CIRCLE,     ///< radius
    TML_SECTION_TUBE,       ///< radius, inner_radius
    TML_SECTION_I,          ///< width, height, web, flange: web along z
    TML_SECTION_L,          ///< width, height, web, flange: legs along y (flange) and z (web)
    TML_SECTION_TYPES
} tml_section_type;

/** Materials of beams: Young's modulus [Pa], Poisson's ratio, density [kg/m^3]. */
typedef enum tml_material {
    TML_MATERIAL_NONE,       ///< the three numbers are given
    TML_MATERIAL_STEEL,      ///< 210e9, 0.3, 7850
    TML_MATERIAL_ALUMINIUM,  ///< 70e9, 0.33, 2700
    TML_MATERIAL_TITANIUM,   ///< 114e9, 0.34, 4430
    TML_MATERIALS
} tml_material;

/** A beam (docs/beams.md): geometrically exact, with shear and torsion. It becomes `elements * order + 1`
 * bodies NAME_0, NAME_1, ..., the nodes, and `elements` forces NAME_e1, NAME_e2, ... of type beam. The frames
 * NAME.start, NAME.mid (where a node is there) and NAME.end are those of nodes. Nodes are on the line of the
 * centres of mass of the sections. */
typedef struct tml_beam_def {
    size_t size;         ///< set by tml_beam_def_default()
    const char *name;    ///< required; unique among bodies, joints, forces, ...
    double position[3];  ///< start, inertial frame [m]
    bool has_end;
    double end[3];  ///< end of a straight beam, inertial frame [m]
    bool has_up;
    double up[3];           ///< section axis z, made perpendicular to x; default z, or y for a beam along z
    double length;          ///< if no end is given: [m], > 0
    double orientation[4];  ///< if no end is given: section axes at the start, unit quaternion
    double curvature[3];    ///< shape without stress: twist, curvature about y and z [rad/m], section axes
    /** instead of position, end, length, orientation: points of a curve, inertial frame [m] */
    int point_count;
    const double *points;  ///< (3 point_count)
    /** stations that become nodes, frames NAME.s1, NAME.s2, ...: shares of the length, 0 to 1 */
    int station_count;
    const double *stations;
    int elements;  ///< number of elements, >= 1; default 4
    int order;     ///< degree of the polynomials, 1 to 3: 2 to 4 nodes per element; default 3
    tml_beam_interpolation interpolation;  ///< default TML_BEAM_R3SO3
    tml_section_type section;
    double width, height, radius, inner_radius, web, flange;  ///< of the section [m]
    tml_material material;
    double youngs_modulus;  ///< [Pa]; NAN: of the material
    double poisson;         ///< Poisson's ratio [-]; NAN: of the material
    double density;         ///< [kg/m^3]; NAN: of the material
    /** general: stiffness of (axial, shear y, shear z, torsion, bending about y, about z) [N, N m, N m^2] */
    double stiffness6[36];
    double mass;                 ///< general: per length [kg/m]
    double inertia[6];           ///< general: per length, as of a body: Jxx Jyy Jzz Jxy Jxz Jyz [kg m]
    double damping;              ///< stress = stiffness (strain + damping d(strain)/dt) [s]
    double mass_damping;         ///< force = -mass_damping mass velocity [1/s]
    double velocity[3];          ///< at the start: of the start point, inertial frame [m/s]
    double angular_velocity[3];  ///< at the start, inertial frame [rad/s]; the beam moves as a rigid body
    /** loads per length, expressions of t and any state; NULL: none. In inertial axes [N/m, N]: */
    const char *load[3], *load_moment[3];
    const char *follower_load[3], *follower_moment[3];  ///< in section axes
} tml_beam_def;

/** A named expression that becomes a channel of the results. */
typedef struct tml_output_def {
    size_t size;       ///< set by tml_output_def_default()
    const char *name;  ///< required; unique
    /** expression of t, states, joint coordinates and their rates, reactions and distances */
    const char *value;
    const char *unit;  ///< unit of the value, for results; NULL: 1
} tml_output_def;

/** An event: the run ends when an expression crosses zero. */
typedef struct tml_event_def {
    size_t size;       ///< set by tml_event_def_default()
    const char *name;  ///< required; unique
    const char *when;  ///< expression of t and state
    int direction;     ///< +1: only if it increases, -1: only if it decreases, 0: both
} tml_event_def;

/** A first-order state z with zdot = rate, integrated with the motion: controllers, actuators, filters.
 * Expressions use it by its name. */
typedef struct tml_state_def {
    size_t size;       ///< set by tml_state_def_default()
    const char *name;  ///< required; unique among bodies, joints, forces, roads, states and inputs
    const char *rate;  ///< expression of t, states and motion [unit/s]
    double start;      ///< value at the start [unit]
    double scale;      ///< nominal magnitude [unit], > 0: unit of the absolute tolerance; default 1
    const char *unit;  ///< of the value, for results; NULL: "1"
} tml_state_def;

/** An input: a number that the caller sets between steps (tml_sim_set_input). Expressions use it by its name.
 */
typedef struct tml_input_def {
    size_t size;       ///< set by tml_input_def_default()
    const char *name;  ///< required; unique among bodies, joints, forces, roads, states and inputs
    double value;      ///< at the start [unit]
    const char *unit;  ///< NULL: "1"
} tml_input_def;

/** A table: a function of one argument in expressions, NAME(x). */
typedef struct tml_table_def {
    size_t size;       ///< set by tml_table_def_default()
    const char *name;  ///< required; unique among bodies, joints, forces, roads, states, inputs and tables
    int count;         ///< number of points, >= 2
    const double *points;  ///< (count x 2) x ascending, y
    tml_table_style style;
    const char *file;  ///< in model files: a CSV file, from which tml_spec_read takes the points; NULL: none
    const char *x;     ///< column of the file by name or number (from 1); NULL: the first
    const char *y;     ///< NULL: the second
} tml_table_def;

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

/** Settings of a run: the `run:` block of the file, overridden by the options of the command. */
typedef struct tml_run_def {
    size_t size;         ///< set by tml_run_def_default()
    const char *method;  ///< "bdf", ...; "auto" or NULL: chosen from properties of the model at the start
    const char *solver;  ///< "dense", "klu", "block", "auto"; NULL: auto
    double start;        ///< start time [s]
    double end;          ///< end time [s], > start
    double output_step;  ///< time between outputs [s]; 0: (end - start)/500
    double tol;          ///< [-] tolerance, > 0; default of rtol and atol
    double rtol;         ///< [-] relative tolerance; NAN: tol
    double atol;         ///< absolute tolerance in model lengths (translations) or rad; NAN: tol
    double step;         ///< fixed step size [s]; 0: step-size control
    double max_step;     ///< largest step size [s]; 0: no limit
    double min_step;     ///< smallest step size [s]; 0: 1e-15 (end - start)
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
} tml_run_def;

TML_API tml_body_def tml_body_def_default(void);
TML_API tml_frame_def tml_frame_def_default(void);
TML_API tml_beam_def tml_beam_def_default(void);
TML_API tml_modal_def tml_modal_def_default(void);
TML_API tml_joint_def tml_joint_def_default(void);
TML_API tml_road_def tml_road_def_default(void);
TML_API tml_force_def tml_force_def_default(void);
TML_API tml_shape_def tml_shape_def_default(void);
TML_API tml_contact_def tml_contact_def_default(void);
TML_API tml_output_def tml_output_def_default(void);
TML_API tml_event_def tml_event_def_default(void);
TML_API tml_state_def tml_state_def_default(void);
TML_API tml_input_def tml_input_def_default(void);
TML_API tml_table_def tml_table_def_default(void);
TML_API tml_run_def tml_run_def_default(void);

/** Create an empty specification. env may be NULL. Error: TML_ERR_NOMEM. */
TML_API tml_status tml_spec_create(const tml_env *env, tml_spec **out, tml_error *err);
TML_API void tml_spec_destroy(tml_spec *spec);  ///< accepts NULL

/** Set the title; it is copied. Error: TML_ERR_NOMEM. */
TML_API tml_status tml_spec_set_title(tml_spec *spec, const char *title, tml_error *err);
TML_API void tml_spec_set_planar(tml_spec *spec, bool planar);         ///< motion in the x-y plane only
TML_API void tml_spec_set_gravity(tml_spec *spec, const double g[3]);  ///< [m/s^2], inertial frame; default 0
/** Set how the model is run; the definition is copied. Errors: TML_ERR_ARG, TML_ERR_MODEL (invalid value),
 * TML_ERR_NOMEM. */
TML_API tml_status tml_spec_set_run(tml_spec *spec, const tml_run_def *def, tml_error *err);
TML_API const tml_run_def *tml_spec_run(const tml_spec *spec);  ///< borrowed

// Add an element. The definition is copied and its fields are checked one by one; tml_model_build resolves
// names. Errors: TML_ERR_ARG, TML_ERR_MODEL (invalid value), TML_ERR_NAME (invalid or used name),
// TML_ERR_NOMEM. On failure the spec is not changed.
TML_API tml_status tml_spec_add_body(tml_spec *spec, const tml_body_def *def, tml_error *err);
TML_API tml_status tml_spec_add_frame(tml_spec *spec, const tml_frame_def *def, tml_error *err);
TML_API tml_status tml_spec_add_beam(tml_spec *spec, const tml_beam_def *def, tml_error *err);
TML_API tml_status tml_spec_add_modal(tml_spec *spec, const tml_modal_def *def, tml_error *err);
TML_API tml_status tml_spec_add_joint(tml_spec *spec, const tml_joint_def *def, tml_error *err);
TML_API tml_status tml_spec_add_road(tml_spec *spec, const tml_road_def *def, tml_error *err);
TML_API tml_status tml_spec_add_force(tml_spec *spec, const tml_force_def *def, tml_error *err);
TML_API tml_status tml_spec_add_shape(tml_spec *spec, const tml_shape_def *def, tml_error *err);
/** Bodies with a density: mass and inertia from their shapes. Position, velocity, frames and shapes of such a
 * body are given in a frame of one's own choice; it becomes the frame `origin` of the body, whose own one
 * goes to the centre of mass. Shapes that overlap count twice. tml_spec_read() does this; a program calls it
 * after the last shape. Errors: TML_ERR_MODEL (no shapes, a plane, a mesh that is not closed), and those of
 * reading a mesh. */
TML_API tml_status tml_spec_weigh(tml_spec *spec, tml_error *err);
TML_API tml_status tml_spec_add_contact(tml_spec *spec, const tml_contact_def *def, tml_error *err);
TML_API tml_status tml_spec_add_output(tml_spec *spec, const tml_output_def *def, tml_error *err);
TML_API tml_status tml_spec_add_event(tml_spec *spec, const tml_event_def *def, tml_error *err);
TML_API tml_status tml_spec_add_state(tml_spec *spec, const tml_state_def *def, tml_error *err);
TML_API tml_status tml_spec_add_input(tml_spec *spec, const tml_input_def *def, tml_error *err);
TML_API tml_status tml_spec_add_table(tml_spec *spec, const tml_table_def *def, tml_error *err);

/** A value that replaces a parameter of the file ("--set NAME=VALUE"). */
typedef struct tml_parameter {
    const char *name;
    const char *text;  ///< expression
} tml_parameter;

/** Read a model file (YAML or JSON). overrides (count) replace values of `parameters` in the file; NULL if
 * count = 0. An override of a parameter that the file does not define is an error. Files that the model names
 * (include, tables, parts) are regular files in its folder or below, also after symbolic links are followed;
 * tml_spec_read_def admits more folders. env may be NULL. The caller destroys *out. Errors: TML_ERR_IO,
 * TML_ERR_SYNTAX, TML_ERR_NAME, TML_ERR_MODEL, TML_ERR_NOMEM, with file, line and column. */
TML_API tml_status tml_spec_read(const char *path, const tml_parameter *overrides, int count,
                                 const tml_env *env, tml_spec **out, tml_error *err);
/** As tml_spec_read, from a text of `length` bytes in memory. Messages and the paths of includes use `name`
 * as the path of the file. */
TML_API tml_status tml_spec_parse(const char *text, size_t length, const char *name,
                                  const tml_parameter *overrides, int count, const tml_env *env,
                                  tml_spec **out, tml_error *err);

/** A file of a model: the model file, an included one, a table, a part. */
typedef struct tml_source {
    const char *path;  ///< as in messages: relative to the working directory, or absolute
    const char *text;  ///< `length` bytes, and a zero byte after them
    size_t length;
} tml_source;

/** How to read a model file. Pointers are borrowed. */
typedef struct tml_read_def {
    size_t size;       ///< set by tml_read_def_default()
    const char *path;  ///< of the model file
    const tml_parameter *parameters;
    int parameter_count;
    /** Folders, beyond that of the model file, from which its files may be read: see tml_spec_read. */
    const char *const *folders;
    int folder_count;
    /** Files in memory, in place of those on disk: if there are any, no other is read. */
    const tml_source *sources;
    int source_count;
} tml_read_def;
TML_API tml_read_def tml_read_def_default(void);
TML_API tml_status tml_spec_read_def(const tml_read_def *def, const tml_env *env, tml_spec **out,
                                     tml_error *err);

/** The files from which the spec was read, the model file first; 0 if it was built by calls. */
TML_API int tml_spec_source_count(const tml_spec *spec);
TML_API const tml_source *tml_spec_source(const tml_spec *spec, int index);  ///< NULL: out of range; borrowed
/** The text of the first of them; NULL if there is none. Borrowed. */
TML_API const char *tml_spec_text(const tml_spec *spec);

#ifdef __cplusplus
}
#endif
#endif

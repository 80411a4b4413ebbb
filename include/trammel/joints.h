// Joints of a specification (spec.h), and what acts along their coordinates.
#ifndef TRAMMEL_JOINTS_H
#define TRAMMEL_JOINTS_H

#include <stdbool.h>
#include <stddef.h>

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

/** A motor with its controller, along a coordinate. Its force is
 *   F = stiffness (position - coordinate) + damping (speed - rate) + command,
 * within `limit`. With a lag the force f follows it, lag df/dt = F - f. Expressions are of t, states, inputs
 * and coordinates. */
typedef struct tml_motor_def {
    const char *position;  ///< target of the coordinate, an expression [m or rad]; NULL: none
    const char *speed;     ///< target of its rate, an expression [m/s or rad/s]; NULL: 0
    const char *command;   ///< force, an expression [N or N m]; NULL: none
    double stiffness;      ///< [N/m or N m/rad]
    double damping;        ///< [N s/m or N m s/rad]
    double limit;          ///< largest force, > 0 [N or N m]; NAN: none
    double lag;            ///< [s], >= 0
} tml_motor_def;

/** A joint between frame a and frame b. The fields from `stiffness` on act along its first coordinate (angle
 * or distance); they become the forces NAME_force, NAME_friction and NAME_motor. */
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
    /** Inertia along the coordinate, of what turns with it behind a gear [kg m^2 or kg], >= 0. */
    double armature;
    bool has_motor;
    tml_motor_def motor;
} tml_joint_def;

#endif

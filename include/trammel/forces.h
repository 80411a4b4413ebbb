// Forces and roads of a specification (spec.h).
#ifndef TRAMMEL_FORCES_H
#define TRAMMEL_FORCES_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/bodies.h>
#include <trammel/joints.h>
#include <trammel/table.h>

TML_C_BEGIN

typedef enum tml_road_type {
    TML_ROAD_FLAT,    ///< height 0
    TML_ROAD_BUMP,    ///< a half cylinder lying across the road
    TML_ROAD_STEP,    ///< a sharp edge (length 0) or a smooth ramp
    TML_ROAD_SINE,    ///< waves
    TML_ROAD_TABLE,   ///< curve through points
    TML_ROAD_RANDOM,  ///< uneven by chance, with the spectrum of ISO 8608
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
     * slope; random: where it begins, if length > 0. */
    double position;
    double diameter;  ///< bump: [m], > 0; half of it is its height
    double height;    ///< step: [m], negative: down
    /** step: of the ramp [m], >= 0; 0: a sharp edge. random: of the way on which it becomes uneven [m]; 0: it
     * is so everywhere. */
    double length;
    double amplitude;   ///< sine: [m]
    double wavelength;  ///< sine: [m], > 0
    double waves;       ///< sine: number of waves from `position` on, > 0; NAN: unlimited in both directions
    int table_count;    ///< table: number of points, >= 2
    const double *table;          ///< (table_count x 2) s ascending, z [m]
    tml_table_style table_style;  ///< table: default monotone, straight lines outside
    double roughness;             ///< random: spectral density of the height at 0.1 cycles/m [m^3], > 0
    double shortest;              ///< random: shortest wavelength [m], > 0; default 0.35
    double longest;               ///< random: longest wavelength [m], > shortest; default 90
    int seed;                     ///< random: other roads of the same kind; default 1
} tml_road_def;

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
 *   slip_tyre a tyre that rolls with slip, along and across the road
 *   armature inertia along a coordinate of a joint */
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
    X(SLIP_TYRE, slip_tyre)    \
    X(ARMATURE, armature)

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
    /** friction, coordinate, limit, armature: along "joint.angle", "joint.distance", "frame.x|y|z" or
     * "distance(f, g)" */
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
    double armature;      ///< armature: inertia along the coordinate [kg m^2 or kg], >= 0
} tml_force_def;

TML_C_END

#endif

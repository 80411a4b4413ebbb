// Keys of joints. A new type of joint has a row in joint_types and its keys here.
#include "spec/schema_tables.h"

#define J(t) (1u << TML_JOINT_##t)
#define JOINT(m) offsetof(tml_joint_def, m)

#define JOINTS_BETWEEN (~(J(GEAR) | J(RACK) | J(DRIVER)))
#define JOINTS_ROLLING (J(KNIFE_EDGE) | J(WHEEL))
#define JOINTS_PLACED \
    (JOINTS_BETWEEN & ~(J(DISTANCE) | J(PARALLEL) | J(PERPENDICULAR) | J(POSE) | JOINTS_ROLLING))
#define JOINTS_AXIS \
    (JOINTS_BETWEEN & ~(J(SPHERICAL) | J(DISTANCE) | J(PERPENDICULAR) | J(POSE) | JOINTS_ROLLING))
#define JOINTS_ANGLE (J(REVOLUTE) | J(CYLINDRICAL) | J(SCREW) | J(PLANAR) | J(PARALLEL) | J(UNIVERSAL))
#define JOINTS_ALONG \
    (JOINTS_ANGLE | J(PRISMATIC) | J(POINT_ON_LINE) | J(POINT_ON_PLANE) | J(DISTANCE) | JOINTS_ROLLING)
#define JOINTS_TURNING (J(REVOLUTE) | J(CYLINDRICAL) | J(SCREW))

const char *const tmli_pose_keys[6] = {"x", "y", "z", "roll", "pitch", "yaw"};

#define POSE_FIELD(key, k, unit, text)                                                                       \
    {                                                                                                        \
        key, TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, unit, "free", J(POSE), 0, JOINT(pose[k]), 0, NULL, NULL, \
            text                                                                                             \
    }

static const tmli_key_choice joint_types[] = {
    {"fixed", TML_JOINT_FIXED,
     "no relative motion: the frames a and b coincide; with `point` and bodies for a and b: as placed at the "
     "start"},
    {"revolute", TML_JOINT_REVOLUTE, "one rotation about the common z axis"},
    {"prismatic", TML_JOINT_PRISMATIC, "one translation along the common z axis"},
    {"cylindrical", TML_JOINT_CYLINDRICAL, "rotation about and translation along the common z axis"},
    {"spherical", TML_JOINT_SPHERICAL, "common origin"},
    {"universal", TML_JOINT_UNIVERSAL, "common origin, x of a perpendicular to y of b"},
    {"constant-velocity", TML_JOINT_CONSTANT_VELOCITY, "common origin, equal rotation about the two z axes"},
    {"planar", TML_JOINT_PLANAR, "origin of b in the x-y plane of a, z axes parallel"},
    {"point-on-line", TML_JOINT_POINT_ON_LINE, "origin of b on the z axis of a"},
    {"point-on-plane", TML_JOINT_POINT_ON_PLANE, "origin of b in the x-y plane of a"},
    {"distance", TML_JOINT_DISTANCE, "constant distance between the origins (a massless rod)"},
    {"parallel", TML_JOINT_PARALLEL, "z axes parallel"},
    {"perpendicular", TML_JOINT_PERPENDICULAR, "z axes perpendicular"},
    {"screw", TML_JOINT_SCREW, "cylindrical, with translation = pitch * turns"},
    {"gear", TML_JOINT_GEAR, "first - ratio * second stays constant"},
    {"rack", TML_JOINT_RACK, "distance - ratio * angle stays constant"},
    {"driver", TML_JOINT_DRIVER, "a coordinate, or its rate, follows an expression of time"},
    {"pose", TML_JOINT_POSE, "position and orientation of b relative to a follow expressions of time"},
    {"knife-edge", TML_JOINT_KNIFE_EDGE,
     "a blade: origin of b in the x-y plane of a, without velocity along y of b"},
    {"wheel", TML_JOINT_WHEEL,
     "a disc about z of b rolls without slip on the x-y plane of a, on the side of +z"},
    {NULL, 0, NULL},
};
_Static_assert(sizeof joint_types / sizeof *joint_types == TML_JOINT_TYPES + 1, "one row per joint type");

static const tmli_field joint_fields[] = {
    {"type", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "", ALL, ALL, JOINT(type), 0, joint_types, NULL,
     "kind of joint"},
    {"a", TMLI_FIELD_REFERENCE, TMLI_RANGE_ANY, "", "", JOINTS_BETWEEN, JOINTS_BETWEEN, JOINT(a), 0, NULL,
     NULL, "first frame"},
    {"b", TMLI_FIELD_REFERENCE, TMLI_RANGE_ANY, "", "", JOINTS_BETWEEN, JOINTS_BETWEEN, JOINT(b), 0, NULL,
     NULL, "second frame; the reaction of the joint acts on its body"},
    {"point", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m", "origins of a and b", JOINTS_PLACED, 0, JOINT(point),
     JOINT(has_point), NULL, NULL, "origin of both joint frames; inertial frame, at the start"},
    {"axis", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "z axes of a and b", JOINTS_AXIS, 0, JOINT(axis),
     JOINT(has_axis), NULL, NULL,
     "direction of the z axes of both joint frames; inertial frame, at the start"},
    {"length", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "value at the start", J(DISTANCE), 0,
     JOINT(length), 0, NULL, NULL, "distance between the origins"},
    {"pitch", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "m/turn", "", J(SCREW), J(SCREW), JOINT(pitch), 0, NULL,
     NULL, "translation per full turn"},
    {"ratio", TMLI_FIELD_NUMBER, TMLI_RANGE_NONZERO, "", "", J(GEAR) | J(RACK), J(GEAR) | J(RACK),
     JOINT(ratio), 0, NULL, NULL,
     "gear: change of first per change of second; rack: radius of the pinion [m]"},
    {"first", TMLI_FIELD_COORDINATE, TMLI_RANGE_ANY, "", "", J(GEAR) | J(RACK), J(GEAR) | J(RACK),
     JOINT(first), 0, NULL, NULL,
     "gear: one coordinate, `joint.angle` or `joint.distance`; rack: the distance"},
    {"second", TMLI_FIELD_COORDINATE, TMLI_RANGE_ANY, "", "", J(GEAR) | J(RACK), J(GEAR) | J(RACK),
     JOINT(second), 0, NULL, NULL, "gear: the other coordinate; rack: the angle"},
    {"of", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "", J(DRIVER), J(DRIVER), JOINT(of), 0, NULL, NULL,
     "the driven coordinate: `joint.angle`, `joint.distance`, `frame.x`, `frame.y`, `frame.z` or "
     "`distance(frame, frame)`"},
    {"motion", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "m or rad", "none", J(DRIVER), 0, JOINT(motion), 0,
     NULL, NULL, "its value as an expression of t; either this or `speed`"},
    {"speed", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "m/s or rad/s", "none", J(DRIVER), 0, JOINT(speed), 0,
     NULL, NULL, "its rate as an expression of t; the value is free at the start and then the integral"},
    {"radius", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", J(WHEEL), J(WHEEL), JOINT(radius), 0, NULL,
     NULL, "radius of the disc"},
    {"tread", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "m", "0: a sharp edge", J(WHEEL), 0, JOINT(tread), 0,
     NULL, NULL, "radius of the rounded tread: the wheel is a torus whose middle circle has `radius`"},
    {"angle", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "rad", "between -pi and pi", JOINTS_TURNING, 0, JOINT(angle),
     0, NULL, NULL,
     "angle at the start, if it is beyond half a turn: selects the number of full turns, also for torsion "
     "springs and other angles about this axis"},
    POSE_FIELD("x", 0, "m", "position of the origin of b along x of a, as an expression of t"),
    POSE_FIELD("y", 1, "m", "the same along y of a"),
    POSE_FIELD("z", 2, "m", "the same along z of a"),
    POSE_FIELD(
        "roll", 3, "rad",
        "rotation of b about x of a, as an expression of t; the first of three rotations about the axes "
        "of a, then pitch, then yaw"),
    POSE_FIELD("pitch", 4, "rad", "rotation about y of a, between -pi/2 and pi/2"),
    POSE_FIELD("yaw", 5, "rad", "rotation about z of a; in planar models the angle"),
    {"actuators", TMLI_FIELD_COORDINATES, TMLI_RANGE_ANY, "", "the driver itself", J(DRIVER) | J(POSE), 0,
     JOINT(actuator), JOINT(actuator_count), NULL, NULL,
     "coordinates of joints or springs whose forces make the motion, such as `[leg1.distance, "
     "leg2.distance]`; "
     "all drivers with actuators use all of these together"},
    {"stiffness", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "N/m or N m/rad", "0", JOINTS_ALONG, 0, JOINT(stiffness),
     0, NULL, NULL, "of a spring along the first coordinate of the joint, its angle or distance"},
    {"damping", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "N s/m or N m s/rad", "0", JOINTS_ALONG, 0, JOINT(damping),
     0, NULL, NULL, "force per rate of that coordinate"},
    {"free", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "m or rad", "value at the start", JOINTS_ALONG, 0,
     JOINT(free), 0, NULL, NULL, "coordinate at which the spring has no force"},
    {"backlash", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "m or rad", "0", JOINTS_ALONG, 0, JOINT(backlash),
     0, NULL, NULL, "width about `free` in which stiffness and damping do not act"},
    {"torque", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "N m", "none", JOINTS_ANGLE, 0, JOINT(drive), 0, NULL,
     NULL, "torque on the body of b along the angle, an expression of value, rate, t and any state"},
    {"force", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "N", "none", JOINTS_ALONG & ~(JOINTS_ANGLE), 0,
     JOINT(drive), 0, NULL, NULL,
     "force on the body of b along the coordinate, an expression of value, rate, t and any state"},
    {"armature", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "kg m2 or kg", "0", JOINTS_ALONG, 0,
     JOINT(armature), 0, NULL, NULL,
     "inertia along the coordinate, such as that of the rotor of a motor times the square of its gear ratio"},
    {"limits", TMLI_FIELD_BLOCK, TMLI_RANGE_ANY, "", "none", JOINTS_ALONG, 0, JOINT(limits),
     JOINT(has_limits), NULL, &tmli_schema_limits, "compliant or rigid limits of the coordinate"},
    {"friction", TMLI_FIELD_BLOCK, TMLI_RANGE_ANY, "", "none", JOINTS_ALONG, 0, JOINT(friction),
     JOINT(has_friction), NULL, &tmli_schema_friction, "dry friction along the coordinate"},
};
const tmli_schema tmli_schema_joint = {TMLI_SCHEMA_ENTRY,
                                       "joint",
                                       "A constraint between frame a and frame b, or between coordinates of "
                                       "other joints. Closed loops need no special treatment.",
                                       joint_types,
                                       COUNT(joint_fields),
                                       joint_fields,
                                       sizeof(tml_joint_def),
                                       &tmli_kind_joint};

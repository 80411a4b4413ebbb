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

#define POSE_FIELD(key, k, unit, text) \
    TYPED(key, EXPRESSION, ANY, unit, "free", J(POSE), 0, JOINT(pose[k]), text)

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
    TYPED("type", CHOICE, ANY, "", "", ALL, ALL, JOINT(type), "kind of joint", .choices = joint_types),
    TYPED("a", REFERENCE, ANY, "", "", JOINTS_BETWEEN, JOINTS_BETWEEN, JOINT(a), "first frame"),
    TYPED("b", REFERENCE, ANY, "", "", JOINTS_BETWEEN, JOINTS_BETWEEN, JOINT(b),
          "second frame; the reaction of the joint acts on its body"),
    TYPED("point", VECTOR, ANY, "m", "origins of a and b", JOINTS_PLACED, 0, JOINT(point),
          "origin of both joint frames; inertial frame, at the start", .flag = JOINT(has_point)),
    TYPED("axis", AXIS, ANY, "", "z axes of a and b", JOINTS_AXIS, 0, JOINT(axis),
          "direction of the z axes of both joint frames; inertial frame, at the start",
          .flag = JOINT(has_axis)),
    TYPED("length", NUMBER, POSITIVE, "m", "value at the start", J(DISTANCE), 0, JOINT(length),
          "distance between the origins"),
    TYPED("pitch", NUMBER, ANY, "m/turn", "", J(SCREW), J(SCREW), JOINT(pitch), "translation per full turn"),
    TYPED("ratio", NUMBER, NONZERO, "", "", J(GEAR) | J(RACK), J(GEAR) | J(RACK), JOINT(ratio),
          "gear: change of first per change of second; rack: radius of the pinion [m]"),
    TYPED("first", COORDINATE, ANY, "", "", J(GEAR) | J(RACK), J(GEAR) | J(RACK), JOINT(first),
          "gear: one coordinate, `joint.angle` or `joint.distance`; rack: the distance"),
    TYPED("second", COORDINATE, ANY, "", "", J(GEAR) | J(RACK), J(GEAR) | J(RACK), JOINT(second),
          "gear: the other coordinate; rack: the angle"),
    TYPED("of", TEXT, ANY, "", "", J(DRIVER), J(DRIVER), JOINT(of),
          "the driven coordinate: `joint.angle`, `joint.distance`, `frame.x`, `frame.y`, `frame.z` or "
          "`distance(frame, frame)`"),
    TYPED("motion", EXPRESSION, ANY, "m or rad", "none", J(DRIVER), 0, JOINT(motion),
          "its value as an expression of t; either this or `speed`"),
    TYPED("speed", EXPRESSION, ANY, "m/s or rad/s", "none", J(DRIVER), 0, JOINT(speed),
          "its rate as an expression of t; the value is free at the start and then the integral"),
    TYPED("radius", NUMBER, POSITIVE, "m", "", J(WHEEL), J(WHEEL), JOINT(radius), "radius of the disc"),
    TYPED("tread", NUMBER, NONNEGATIVE, "m", "0: a sharp edge", J(WHEEL), 0, JOINT(tread),
          "radius of the rounded tread: the wheel is a torus whose middle circle has `radius`"),
    TYPED("angle", NUMBER, ANY, "rad", "between -pi and pi", JOINTS_TURNING, 0, JOINT(angle),
          "angle at the start, if it is beyond half a turn: selects the number of full turns, also for "
          "torsion springs and other angles about this axis"),
    POSE_FIELD("x", 0, "m", "position of the origin of b along x of a, as an expression of t"),
    POSE_FIELD("y", 1, "m", "the same along y of a"),
    POSE_FIELD("z", 2, "m", "the same along z of a"),
    POSE_FIELD(
        "roll", 3, "rad",
        "rotation of b about x of a, as an expression of t; the first of three rotations about the axes "
        "of a, then pitch, then yaw"),
    POSE_FIELD("pitch", 4, "rad", "rotation about y of a, between -pi/2 and pi/2"),
    POSE_FIELD("yaw", 5, "rad", "rotation about z of a; in planar models the angle"),
    TYPED("actuators", COORDINATES, ANY, "", "the driver itself", J(DRIVER) | J(POSE), 0, JOINT(actuator),
          "coordinates of joints or springs whose forces make the motion, such as `[leg1.distance, "
          "leg2.distance]`; all drivers with actuators use all of these together",
          .flag = JOINT(actuator_count)),
    TYPED("stiffness", NUMBER, ANY, "N/m or N m/rad", "0", JOINTS_ALONG, 0, JOINT(stiffness),
          "of a spring along the first coordinate of the joint, its angle or distance"),
    TYPED("damping", NUMBER, ANY, "N s/m or N m s/rad", "0", JOINTS_ALONG, 0, JOINT(damping),
          "force per rate of that coordinate"),
    TYPED("free", NUMBER, ANY, "m or rad", "value at the start", JOINTS_ALONG, 0, JOINT(free),
          "coordinate at which the spring has no force"),
    TYPED("backlash", NUMBER, NONNEGATIVE, "m or rad", "0", JOINTS_ALONG, 0, JOINT(backlash),
          "width about `free` in which stiffness and damping do not act"),
    TYPED("torque", EXPRESSION, ANY, "N m", "none", JOINTS_ANGLE, 0, JOINT(drive),
          "torque on the body of b along the angle, an expression of value, rate, t and any state"),
    TYPED("force", EXPRESSION, ANY, "N", "none", JOINTS_ALONG & ~(JOINTS_ANGLE), 0, JOINT(drive),
          "force on the body of b along the coordinate, an expression of value, rate, t and any state"),
    TYPED("armature", NUMBER, NONNEGATIVE, "kg m2 or kg", "0", JOINTS_ALONG, 0, JOINT(armature),
          "inertia along the coordinate, such as that of the rotor of a motor times the square of its gear "
          "ratio"),
    TYPED("limits", BLOCK, ANY, "", "none", JOINTS_ALONG, 0, JOINT(limits),
          "compliant or rigid limits of the coordinate", .flag = JOINT(has_limits),
          .sub = &tmli_schema_limits),
    TYPED("friction", BLOCK, ANY, "", "none", JOINTS_ALONG, 0, JOINT(friction),
          "dry friction along the coordinate", .flag = JOINT(has_friction), .sub = &tmli_schema_friction),
    TYPED("motor", BLOCK, ANY, "", "none", JOINTS_ALONG, 0, JOINT(motor),
          "motor with its controller, along the coordinate", .flag = JOINT(has_motor),
          .sub = &tmli_schema_motor),
};
const tmli_schema tmli_schema_joint =
    SCHEMA(ENTRY, "joint", joint_types, joint_fields, sizeof(tml_joint_def), &tmli_kind_joint,
           "A constraint between frame a and frame b, or between coordinates of other joints. Closed loops "
           "need no special treatment.");

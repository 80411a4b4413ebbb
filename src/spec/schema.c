// The tables of the file format, in the order of the reference page.
#include "spec/schema.h"

#include <stdio.h>
#include <string.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define J(t) (1u << TML_JOINT_##t)
#define F(t) (1u << TML_FORCE_##t)
#define R(t) (1u << TML_ROAD_##t)
#define ALL UINT32_MAX
#define BODY(m) offsetof(tml_body_def, m)
#define FRAME(m) offsetof(tml_frame_def, m)
#define JOINT(m) offsetof(tml_joint_def, m)
#define ROAD(m) offsetof(tml_road_def, m)
#define FORCE(m) offsetof(tml_force_def, m)
#define RUN(m) offsetof(tml_run_def, m)

#define JOINTS_BETWEEN (~(J(GEAR) | J(RACK) | J(DRIVER)))
#define JOINTS_PLACED (JOINTS_BETWEEN & ~(J(DISTANCE) | J(PARALLEL) | J(PERPENDICULAR)))
#define JOINTS_AXIS (JOINTS_BETWEEN & ~(J(SPHERICAL) | J(DISTANCE) | J(PERPENDICULAR)))
#define JOINTS_TURNING (J(REVOLUTE) | J(CYLINDRICAL) | J(SCREW))
#define FORCES_BETWEEN (F(SPRING) | F(TORSION) | F(BUSHING))
#define FORCES_SCALAR (F(SPRING) | F(TORSION))

static const tmli_key_choice joint_types[] = {
    {"fixed", TML_JOINT_FIXED, "no relative motion: the frames a and b coincide"},
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
    {"driver", TML_JOINT_DRIVER, "a coordinate follows an expression of time"},
    {NULL, 0, NULL},
};
_Static_assert(sizeof joint_types / sizeof *joint_types == TML_JOINT_TYPES + 1, "one row per joint type");

static const tmli_key_choice force_types[] = {
    {"spring", TML_FORCE_SPRING, "spring-damper-actuator between two points"},
    {"torsion", TML_FORCE_TORSION, "rotational spring-damper-actuator about the z axis of a"},
    {"bushing", TML_FORCE_BUSHING, "spring-damper in all six directions between two frames"},
    {"applied", TML_FORCE_APPLIED, "force and torque given by expressions"},
    {"drag", TML_FORCE_DRAG, "resistance to the motion of a body"},
    {"tyre", TML_FORCE_TYRE, "spring-damper between the centre of a wheel and the road below it"},
    {NULL, 0, NULL},
};
_Static_assert(sizeof force_types / sizeof *force_types == TML_FORCE_TYPES + 1, "one row per force type");

static const tmli_key_choice road_types[] = {
    {"flat", TML_ROAD_FLAT, "height 0 everywhere"},
    {"bump", TML_ROAD_BUMP, "a half cylinder across the road; wheels roll over it"},
    {"step", TML_ROAD_STEP, "a sharp edge that wheels roll over, or a smooth ramp"},
    {"sine", TML_ROAD_SINE, "waves"},
    {"table", TML_ROAD_TABLE, "a smooth curve through points"},
    {NULL, 0, NULL},
};
_Static_assert(sizeof road_types / sizeof *road_types == TML_ROAD_TYPES + 1, "one row per road type");

static const tmli_key_choice along_choices[] = {
    {"up", 0, "along `up` of the road"},
    {"normal", 1, "along the normal of the road: a slope also exerts a horizontal force"},
    {NULL, 0, NULL},
};
static const tmli_key_choice axes_choices[] = {
    {"inertial", 0, "components along the inertial axes"},
    {"body", 1, "components along the axes of the frame `at`, which rotate with the body"},
    {NULL, 0, NULL},
};
static const tmli_key_choice direction_choices[] = {
    {"up", 1, "only from negative to positive"},
    {"down", -1, "only from positive to negative"},
    {"both", 0, "every crossing"},
    {NULL, 0, NULL},
};
static const tmli_key_choice scaling_choices[] = {
    {"none", TML_SCALING_NONE, "none"},
    {"left", TML_SCALING_LEFT, "constraint rows divided by the step size"},
    {"left-right", TML_SCALING_LEFT_RIGHT, "rows by powers of the step size, multipliers by 1/step^2"},
    {"left-right-velocity", TML_SCALING_LEFT_RIGHT_VELOCITY,
     "as left-right, and velocities by 1/step (with fields: three)"},
    {"uniform", TML_SCALING_UNIFORM, "one factor for all constraint rows"},
    {"physical", TML_SCALING_PHYSICAL,
     "one factor per row, from the inertia and stiffness of the bodies it joins"},
    {NULL, 0, NULL},
};
static const tmli_key_choice iterate_choices[] = {
    {"converged", TML_ITERATE_CONVERGED, "until the tolerance is met"},
    {"saturated", TML_ITERATE_SATURATED,
     "until corrections stop decreasing, with a new matrix in every iteration"},
    {NULL, 0, NULL},
};
static const tmli_key_choice group_choices[] = {
    {"r3so3", TML_GROUP_R3SO3, "translation and rotation separate"},
    {"se3", TML_GROUP_SE3, "rigid-body motions, all velocities in the frame of the body"},
    {"se3-cayley", TML_GROUP_SE3_CAYLEY, "as se3, with the Cayley map (Euler motion parameters)"},
    {NULL, 0, NULL},
};

static const tmli_key_choice placement_choices[] = {
    {"nodes", TML_PLACEMENT_NODES, "at the ends of the steps (Arnold and Bruels)"},
    {"inner", TML_PLACEMENT_INNER, "at a point inside the step (Chung and Hulbert)"},
    {NULL, 0, NULL},
};
static const tmli_key_choice fields_choices[] = {
    {"two", TML_FIELDS_TWO, "displacements and multipliers"},
    {"three", TML_FIELDS_THREE, "displacements, velocities and multipliers"},
    {NULL, 0, NULL},
};
static const tmli_key_choice control_choices[] = {
    {"motion", TML_CONTROL_MOTION, "positions and velocities"},
    {"all", TML_CONTROL_ALL, "positions, velocities and multipliers"},
    {NULL, 0, NULL},
};

static const tmli_key_choice coordinates_choices[] = {
    {"partition", TML_COORDINATES_PARTITION,
     "a subset of the coordinates of the model, chosen for good conditioning"},
    {"tangent", TML_COORDINATES_TANGENT, "coordinates in the tangent plane of the constraints"},
    {NULL, 0, NULL},
};
static const tmli_key_choice kinematics_choices[] = {
    {"auto", TML_KINEMATICS_AUTO,
     "joints for explicit methods if the model allows it, and with method auto if they are faster; otherwise "
     "bodies"},
    {"bodies", TML_KINEMATICS_BODIES,
     "positions and orientations of all bodies; every joint is a constraint"},
    {"joints", TML_KINEMATICS_JOINTS,
     "relative coordinates of a spanning tree; only cut joints are constraints"},
    {NULL, 0, NULL},
};
static const tmli_key_choice jacobian_choices[] = {
    {"exact", TML_JACOBIAN_EXACT, "exact derivatives of the elements"},
    {"differences", TML_JACOBIAN_DIFFERENCES, "difference quotients of accelerations"},
    {NULL, 0, NULL},
};

static const tmli_field body_fields[] = {
    {"mass", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "kg", "", ALL, ALL, BODY(mass), 0, NULL, NULL,
     "mass"},
    {"inertia", TMLI_FIELD_INERTIA, TMLI_RANGE_ANY, "kg m^2", "0", ALL, 0, BODY(inertia), 0, NULL, NULL,
     "about the centre of mass in body axes: one number (planar: Jzz; spatial: the same about every axis), "
     "three [Jxx, Jyy, Jzz] or six [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] entries of the tensor; 0: all mass in one "
     "point; rotations that no force or joint determines are kept at rest"},
    {"position", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m", "[0, 0, 0]", ALL, 0, BODY(position), 0, NULL, NULL,
     "centre of mass at the start, inertial frame"},
    {"orientation", TMLI_FIELD_ROTATION, TMLI_RANGE_ANY, "rad", "0", ALL, 0, BODY(orientation), 0, NULL, NULL,
     "body axes at the start, relative to the inertial axes"},
    {"velocity", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m/s", "[0, 0, 0]", ALL, 0, BODY(velocity), 0, NULL, NULL,
     "of the centre of mass at the start, inertial frame"},
    {"angular_velocity", TMLI_FIELD_SPIN, TMLI_RANGE_ANY, "rad/s", "[0, 0, 0]", ALL, 0,
     BODY(angular_velocity), 0, NULL, NULL, "at the start, body frame"},
    {"point", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "false", ALL, 0, BODY(point), 0, NULL, NULL,
     "a point mass: it has no rotation and no inertia, and 3 unknowns instead of 6"},
    {"fixed_at_start", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "false", ALL, 0, BODY(fixed_at_start), 0, NULL,
     NULL, "the assembly of the start does not move this body"},
    {"frames", TMLI_FIELD_FRAMES, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_frame,
     "named points with axes, fixed to the body, relative to its centre of mass, in body axes"},
};
const tmli_schema tmli_schema_body = {
    "body",
    "A rigid body. The origin of its frame is the centre of mass. The motion of a "
    "body without mass (`mass: 0`) must be determined by joints or forces.",
    NULL,
    COUNT(body_fields),
    body_fields,
    sizeof(tml_body_def)};

static const tmli_field frame_fields[] = {
    {"position", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m", "[0, 0, 0]", ALL, 0, FRAME(position), 0, NULL, NULL,
     "relative to the origin of the body frame, in body axes"},
    {"orientation", TMLI_FIELD_ROTATION, TMLI_RANGE_ANY, "rad", "0", ALL, 0, FRAME(orientation), 0, NULL,
     NULL, "frame axes, relative to the body axes"},
};
const tmli_schema tmli_schema_frame = {
    "frame",
    "A named point with axes on a body or on the ground. `NAME: [x, y, z]` is short for a position alone.",
    NULL,
    COUNT(frame_fields),
    frame_fields,
    sizeof(tml_frame_def)};

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
    {"motion", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "m or rad", "", J(DRIVER), J(DRIVER), JOINT(motion), 0,
     NULL, NULL, "its value as an expression of t"},
    {"angle", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "rad", "between -pi and pi", JOINTS_TURNING, 0, JOINT(angle),
     0, NULL, NULL, "angle at the start, if it is beyond half a turn: selects the number of full turns"},
};
const tmli_schema tmli_schema_joint = {"joint",
                                       "A constraint between frame a and frame b, or between coordinates of "
                                       "other joints. Closed loops need no special treatment.",
                                       joint_types,
                                       COUNT(joint_fields),
                                       joint_fields,
                                       sizeof(tml_joint_def)};

static const tmli_field road_fields[] = {
    {"type", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "", ALL, ALL, ROAD(type), 0, road_types, NULL,
     "kind of road"},
    {"origin", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m", "[0, 0, 0]", ALL, 0, ROAD(origin), 0, NULL, NULL,
     "origin of the distance s along the road and of the height, inertial frame"},
    {"direction", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "[1, 0, 0]", ALL, 0, ROAD(direction), 0, NULL, NULL,
     "direction of s, inertial frame; the road is constant across it"},
    {"up", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "z, planar: y", ALL, 0, ROAD(up), ROAD(has_up), NULL, NULL,
     "direction of the height, perpendicular to `direction`"},
    {"position", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "m", "0", R(BUMP) | R(STEP) | R(SINE), 0, ROAD(position),
     0, NULL, NULL,
     "s of the middle of the bump, of the edge of the step or the start of its ramp, or of a zero of the "
     "sine "
     "with positive slope"},
    {"diameter", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", R(BUMP), R(BUMP), ROAD(diameter), 0, NULL,
     NULL, "diameter of the half cylinder; its height is half of it"},
    {"height", TMLI_FIELD_NUMBER, TMLI_RANGE_NONZERO, "m", "", R(STEP), R(STEP), ROAD(height), 0, NULL, NULL,
     "height of the step; negative: down. A sharp edge must be lower than the radius of the wheels"},
    {"length", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "m", "0: a sharp edge", R(STEP), 0, ROAD(length), 0,
     NULL, NULL, "length of the ramp, whose height is height x^2 (3 - 2 x) with x from 0 to 1"},
    {"amplitude", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "m", "", R(SINE), R(SINE), ROAD(amplitude), 0, NULL,
     NULL, "height = amplitude sin(2 pi (s - position)/wavelength)"},
    {"wavelength", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", R(SINE), R(SINE), ROAD(wavelength), 0,
     NULL, NULL, "see amplitude"},
    {"waves", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "unlimited", R(SINE), 0, ROAD(waves), 0, NULL, NULL,
     "number of waves from `position` on; the height is constant before and after them"},
    {"table", TMLI_FIELD_TABLE, TMLI_RANGE_ANY, "m, m", "", R(TABLE), R(TABLE), ROAD(table),
     ROAD(table_count), NULL, NULL,
     "cubic spline through rows [s, height], s ascending; straight lines outside"},
};
const tmli_schema tmli_schema_road = {"road",
                                      "A road for tyres: its height as a function of the distance s along a "
                                      "direction ([roads and tyres](roads.md)).",
                                      road_types,
                                      COUNT(road_fields),
                                      road_fields,
                                      sizeof(tml_road_def)};

static const tmli_field force_fields[] = {
    {"type", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "", ALL, ALL, FORCE(type), 0, force_types, NULL,
     "kind of force"},
    {"a", TMLI_FIELD_REFERENCE, TMLI_RANGE_ANY, "", "", FORCES_BETWEEN, FORCES_BETWEEN, FORCE(a), 0, NULL,
     NULL, "first frame"},
    {"b", TMLI_FIELD_REFERENCE, TMLI_RANGE_ANY, "", "", FORCES_BETWEEN, FORCES_BETWEEN, FORCE(b), 0, NULL,
     NULL, "second frame"},
    {"at", TMLI_FIELD_REFERENCE, TMLI_RANGE_ANY, "", "", F(APPLIED) | F(TYRE), F(APPLIED) | F(TYRE), FORCE(b),
     0, NULL, NULL, "frame at which force and torque act; tyre: the centre of the wheel"},
    {"road", TMLI_FIELD_ROAD, TMLI_RANGE_ANY, "", "", F(TYRE), F(TYRE), FORCE(road), 0, NULL, NULL,
     "the road below the wheel"},
    {"radius", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", F(TYRE), F(TYRE), FORCE(radius), 0, NULL,
     NULL, "radius of the unloaded wheel"},
    {"contact", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "true", F(TYRE), 0, FORCE(contact), 0, NULL, NULL,
     "the tyre cannot pull and may lift off the road; false: it can also pull (linear)"},
    {"along", TMLI_FIELD_BOOL_CHOICE, TMLI_RANGE_ANY, "", "up", F(TYRE), 0, FORCE(normal), 0, along_choices,
     NULL, "direction of the force of the tyre"},
    {"body", TMLI_FIELD_BODY, TMLI_RANGE_ANY, "", "", F(DRAG), F(DRAG), FORCE(b), 0, NULL, NULL,
     "the body on which the drag acts"},
    {"stiffness", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "N/m or N m/rad", "0", FORCES_SCALAR | F(TYRE), 0,
     FORCE(stiffness), 0, NULL, NULL, "force per elongation (tyre: compression)"},
    {"stiffness", TMLI_FIELD_MATRIX6, TMLI_RANGE_ANY, "N/m, N, N m/rad", "0", F(BUSHING), 0,
     FORCE(stiffness6), 0, NULL, NULL,
     "six diagonal entries or a 6 x 6 matrix for (x, y, z, rx, ry, rz) in the axes of frame a"},
    {"damping", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "N s/m or N m s/rad", "0", FORCES_SCALAR | F(TYRE), 0,
     FORCE(damping), 0, NULL, NULL, "force per rate of elongation"},
    {"damping", TMLI_FIELD_MATRIX6, TMLI_RANGE_ANY, "N s/m, N s, N m s/rad", "0", F(BUSHING), 0,
     FORCE(damping6), 0, NULL, NULL, "as stiffness, for the rates"},
    {"preload", TMLI_FIELD_VECTOR6, TMLI_RANGE_ANY, "N, N m", "0", F(BUSHING), 0, FORCE(preload6), 0, NULL,
     NULL, "force and torque at zero deflection"},
    {"length", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "m", "value at the start", F(SPRING), 0,
     FORCE(free), 0, NULL, NULL, "free length"},
    {"angle", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "rad", "value at the start", F(TORSION), 0, FORCE(free), 0,
     NULL, NULL, "free angle"},
    {"law", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "N or N m", "none", FORCES_SCALAR, 0, FORCE(law), 0, NULL,
     NULL,
     "additional force as an expression of length or angle, rate, t and any state; a positive force pulls b "
     "towards a"},
    {"table", TMLI_FIELD_TABLE, TMLI_RANGE_ANY, "m or rad, N or N m", "none", FORCES_SCALAR | F(TYRE), 0,
     FORCE(table), FORCE(table_count), NULL, NULL,
     "additional force by a cubic spline through rows [elongation, force] (tyre: [compression, force]), "
     "ascending; "
     "linear outside"},
    {"force", TMLI_FIELD_FORCE3, TMLI_RANGE_ANY, "N", "none", F(APPLIED), 0, FORCE(force), 0, NULL, NULL,
     "components as expressions of t and any state"},
    {"torque", TMLI_FIELD_TORQUE3, TMLI_RANGE_ANY, "N m", "none", F(APPLIED), 0, FORCE(torque), 0, NULL, NULL,
     "components as expressions of t and any state"},
    {"axes", TMLI_FIELD_BOOL_CHOICE, TMLI_RANGE_ANY, "", "inertial", F(APPLIED), 0, FORCE(body_axes), 0,
     axes_choices, NULL, "axes of the components"},
    {"linear", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "N s/m", "0", F(DRAG), 0, FORCE(linear), 0, NULL, NULL,
     "force = -(linear + quadratic |v|) v"},
    {"quadratic", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "N s^2/m^2", "0", F(DRAG), 0, FORCE(quadratic), 0, NULL,
     NULL, "see linear"},
    {"angular_linear", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "N m s", "0", F(DRAG), 0, FORCE(angular_linear), 0,
     NULL, NULL, "torque = -(angular_linear + angular_quadratic |w|) w"},
    {"angular_quadratic", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "N m s^2", "0", F(DRAG), 0,
     FORCE(angular_quadratic), 0, NULL, NULL, "see angular_linear"},
};
const tmli_schema tmli_schema_force = {"force",
                                       "A force element. Spring and torsion pull b towards a with stiffness "
                                       "(x - free) + damping rate + law + table(x - free), "
                                       "where x is the length or the angle. A tyre pushes the wheel off the "
                                       "road with stiffness e + damping rate + table(e), where e is its "
                                       "compression.",
                                       force_types,
                                       COUNT(force_fields),
                                       force_fields,
                                       sizeof(tml_force_def)};

static const tmli_field output_fields[] = {
    {"value", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "", "", ALL, ALL, offsetof(tml_output_def, value), 0,
     NULL, NULL, "expression of t, states, joint coordinates, reactions, distances"},
};
const tmli_schema tmli_schema_output = {"output",
                                        "A named expression, written as a column of the results. In a file: "
                                        "`NAME: expression`, without further keys.",
                                        NULL,
                                        COUNT(output_fields),
                                        output_fields,
                                        sizeof(tml_output_def)};

static const tmli_field event_fields[] = {
    {"when", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "", "", ALL, ALL, offsetof(tml_event_def, when), 0, NULL,
     NULL, "the run stops where this expression crosses zero"},
    {"direction", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "both", ALL, 0, offsetof(tml_event_def, direction),
     0, direction_choices, NULL, "direction of the crossing"},
};
const tmli_schema tmli_schema_event = {"event",      "Stops the run when an expression crosses zero.",
                                       NULL,         COUNT(event_fields),
                                       event_fields, sizeof(tml_event_def)};

static const tmli_field run_fields[] = {
    {"method", TMLI_FIELD_WORD, TMLI_RANGE_ANY, "", "auto", ALL, 0, RUN(method), 0, NULL, NULL,
     "integration method, see `trammel methods`; auto: chosen from properties of the model at the start"},
    {"solver", TMLI_FIELD_WORD, TMLI_RANGE_ANY, "", "auto", ALL, 0, RUN(solver), 0, NULL, NULL,
     "linear solver: dense, klu, block, reduced (multipliers first), tree (joint coordinates), or auto: tree "
     "for methods on the degrees of freedom, block for the others, klu if block is not reliable"},
    {"start", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "s", "0", ALL, 0, RUN(start), 0, NULL, NULL,
     "time at the start"},
    {"end", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "s", "1", ALL, 0, RUN(end), 0, NULL, NULL,
     "time at the end, after start"},
    {"output_step", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "s", "(end - start)/500", ALL, 0,
     RUN(output_step), 0, NULL, NULL, "time between rows of the results"},
    {"tol", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "1e-4", ALL, 0, RUN(tol), 0, NULL, NULL,
     "tolerance, relative to the length of the model and to the size of a value; default of rtol and atol"},
    {"rtol", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "tol", ALL, 0, RUN(rtol), 0, NULL, NULL,
     "relative tolerance"},
    {"atol", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "tol", ALL, 0, RUN(atol), 0, NULL, NULL,
     "absolute tolerance in model lengths or rad"},
    {"step", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "s", "0: step-size control", ALL, 0, RUN(step), 0,
     NULL, NULL, "fixed step size"},
    {"max_step", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "s", "0: no limit", ALL, 0, RUN(max_step), 0,
     NULL, NULL, "largest step size"},
    {"min_step", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "s", "0: 1e-15 (end - start)", ALL, 0,
     RUN(min_step), 0, NULL, NULL, "smallest step size"},
    {"rho", TMLI_FIELD_NUMBER, TMLI_RANGE_UNIT, "", "genalpha 0.8, newmark 1", ALL, 0, RUN(rho), 0, NULL,
     NULL,
     "spectral radius at infinity of genalpha and newmark: 1 keeps high frequencies, 0 removes them in one "
     "step"},
    {"alpha", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "", "-0.3", ALL, 0, RUN(alpha), 0, NULL, NULL,
     "numerical damping of hht, -1/3 (most) to 0 (none)"},
    {"placement", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "nodes", ALL, 0, RUN(placement), 0,
     placement_choices, NULL, "where genalpha and hht satisfy the equations of motion"},
    {"max_order", TMLI_FIELD_INTEGER, TMLI_RANGE_POSITIVE, "", "no limit", ALL, 0, RUN(max_order), 0, NULL,
     NULL, "highest order of bdf, ggl and the regularized methods, 1 to 5, and of adams, 1 to 12"},
    {"gamma", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "1/s", "0: chosen from the motion", ALL, 0,
     RUN(gamma), 0, NULL, NULL,
     "feedback of constraint errors in baumgarte, trust-region and direct-reg; errors decay with the time "
     "constant 1/gamma"},
    {"epsilon", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "", "0: chosen from the tolerance", ALL, 0,
     RUN(epsilon), 0, NULL, NULL,
     "regularization parameter of trust-region and direct-reg, in units of the effective inertia of the "
     "constraints"},
    {"fields", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "two", ALL, 0, RUN(fields), 0, fields_choices, NULL,
     "unknowns of the Newton iteration"},
    {"control", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "motion", ALL, 0, RUN(control), 0, control_choices,
     NULL, "errors that control the step size"},
    {"scaling", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "physical", ALL, 0, RUN(scaling), 0, scaling_choices,
     NULL, "scaling of the constraint equations"},
    {"augment", TMLI_FIELD_AUGMENT, TMLI_RANGE_NONNEGATIVE, "", "true", ALL, 0, RUN(augment), 0, NULL, NULL,
     "penalty of the augmented Lagrangian in units of the scaling; true and on mean 1, false and off mean 0"},
    {"iterate", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "converged", ALL, 0, RUN(iterate), 0, iterate_choices,
     NULL, "when the Newton iteration of a step ends"},
    {"switches", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "true", ALL, 0, RUN(switches), 0, NULL, NULL,
     "locate discontinuities, the jumps and kinks of expressions (if, step, abs, min, floor, ...), and end "
     "steps there; "
     "false: only the error control reacts to them"},
    {"group", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "r3so3", ALL, 0, RUN(group), 0, group_choices, NULL,
     "Lie group on which bodies move within a step"},
    {"coordinates", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "partition", ALL, 0, RUN(coordinates), 0,
     coordinates_choices, NULL, "independent coordinates of the state-space methods"},
    {"kinematics", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "auto", ALL, 0, RUN(kinematics), 0,
     kinematics_choices, NULL, "unknowns in which the model is integrated"},
    {"jacobian", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "exact", ALL, 0, RUN(jacobian), 0, jacobian_choices,
     NULL, "derivatives of the state-space methods"},
    {"threads", TMLI_FIELD_INTEGER, TMLI_RANGE_NONNEGATIVE, "", "1", ALL, 0, RUN(threads), 0, NULL, NULL,
     "threads of one run; 0: automatic, at most one per processor"},
};
const tmli_schema tmli_schema_run = {"run",      "Settings of a run; options of the command override them.",
                                     NULL,       COUNT(run_fields),
                                     run_fields, sizeof(tml_run_def)};

static const tmli_field ground_fields[] = {
    {"frames", TMLI_FIELD_FRAMES, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_frame,
     "named points with axes on the ground, in the inertial frame"},
};
const tmli_schema tmli_schema_ground = {
    "ground", "Frames fixed in the inertial frame.", NULL, COUNT(ground_fields), ground_fields, 0};

static const tmli_field defaults_fields[] = {
    {"bodies", TMLI_FIELD_PARTIAL, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_body,
     "values for fields that a body does not give"},
    {"joints", TMLI_FIELD_PARTIAL, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_joint,
     "values for fields that a joint does not give, if they apply to its type"},
    {"forces", TMLI_FIELD_PARTIAL, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_force,
     "values for fields that a force does not give, if they apply to its type"},
};
const tmli_schema tmli_schema_defaults = {
    "defaults",
    "Values for fields that an entry of this file does not give. They do not apply to included files.",
    NULL,
    COUNT(defaults_fields),
    defaults_fields,
    0};

// clang-format off
#define SECTION(key, kind, fallback, sub, doc) \
    {key, kind, TMLI_RANGE_ANY, "", fallback, ALL, 0, 0, 0, NULL, &tmli_schema_##sub, doc}
#define SECTIONS \
    SECTION("ground", TMLI_FIELD_BLOCK, "", ground, "frames fixed in the inertial frame"), \
    SECTION("bodies", TMLI_FIELD_ENTRIES, "none", body, "rigid bodies by name"), \
    SECTION("joints", TMLI_FIELD_ENTRIES, "none", joint, "joints by name"), \
    SECTION("roads", TMLI_FIELD_ENTRIES, "none", road, "roads for tyres, by name"), \
    SECTION("forces", TMLI_FIELD_ENTRIES, "none", force, "force elements by name"), \
    SECTION("outputs", TMLI_FIELD_EXPRESSIONS, "none", output, \
            "extra columns of the results, `NAME: expression`"), \
    SECTION("events", TMLI_FIELD_ENTRIES, "none", event, "conditions that stop the run, by name"), \
    SECTION("repeat", TMLI_FIELD_BLOCKS, "none", repeat, \
            "blocks of entries generated for each value of an index")
// clang-format on

static const tmli_field repeat_fields[] = {
    {"index", TMLI_FIELD_WORD, TMLI_RANGE_ANY, "", "", ALL, ALL, 0, 0, NULL, NULL, "name of the index"},
    {"from", TMLI_FIELD_INTEGER, TMLI_RANGE_ANY, "", "1", ALL, 0, 0, 0, NULL, NULL,
     "first value of the index"},
    {"to", TMLI_FIELD_INTEGER, TMLI_RANGE_ANY, "", "", ALL, ALL, 0, 0, NULL, NULL,
     "last value of the index; nothing is generated if `from` is beyond it"},
    {"step", TMLI_FIELD_INTEGER, TMLI_RANGE_NONZERO, "", "1", ALL, 0, 0, 0, NULL, NULL,
     "difference between successive values"},
    SECTIONS,
};
const tmli_schema tmli_schema_repeat = {"repeat",
                                        "A block of entries generated once for each value of the index. In "
                                        "names and in every text of the block `{...}` is "
                                        "replaced by the value of the expression inside (whole numbers "
                                        "without a decimal point). Numbers may also use the index by its "
                                        "name; expressions evaluated during the run (law, motion, outputs, "
                                        "when, force, torque) can use it only as `{i}`.",
                                        NULL,
                                        COUNT(repeat_fields),
                                        repeat_fields,
                                        0};

static const tmli_field rotation_fields[] = {
    {"axis", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, NULL,
     "rotation axis, any length; with angle"},
    {"angle", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "rad", "", ALL, 0, 0, 0, NULL, NULL,
     "rotation angle about axis"},
    {"quaternion", TMLI_FIELD_QUATERNION, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, NULL,
     "[e0, e1, e2, e3], scalar first; normalized"},
    {"euler", TMLI_FIELD_ANGLES, TMLI_RANGE_ANY, "rad", "", ALL, 0, 0, 0, NULL, NULL,
     "three rotations, each about an axis of the frame after the preceding ones"},
    {"sequence", TMLI_FIELD_SEQUENCE, TMLI_RANGE_ANY, "", "zyx", ALL, 0, 0, 0, NULL, NULL,
     "axes of the three rotations of euler, such as zxz, xyz, zyx"},
    {"x", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, NULL,
     "direction of the x axis of the frame; give two of x, y, z"},
    {"y", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, NULL,
     "direction of the y axis of the frame"},
    {"z", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, NULL,
     "direction of the z axis of the frame; it is used exactly (x, if z is not given), and the other one is "
     "made "
     "perpendicular to it"},
};
const tmli_schema tmli_schema_rotation = {"orientation",
                                          "One number (angle about z), or a map in one of four "
                                          "forms: axis and angle; quaternion; euler with sequence; two of "
                                          "x, y, z.",
                                          NULL,
                                          COUNT(rotation_fields),
                                          rotation_fields,
                                          0};

const tmli_schema tmli_schema_include = {
    "include",
    "The entries of an included file precede those of the including file. "
    "Paths are relative to the including file. A file that is included twice is "
    "read once; a file that includes itself is an error. Only one of the files "
    "may give title, planar, gravity and run; parameters are common to all.",
    NULL,
    0,
    NULL,
    0};

static const tmli_field model_fields[] = {
    {"title", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, NULL,
     "title of the model, one line"},
    {"description", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, NULL,
     "text for readers of the file; it has no effect"},
    {"planar", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "false", ALL, 0, 0, 0, NULL, NULL,
     "motion in the x-y plane: vectors may be written with two numbers, orientations and angular velocities "
     "with one"},
    {"gravity", TMLI_FIELD_GRAVITY, TMLI_RANGE_ANY, "m/s^2", "0", ALL, 0, 0, 0, NULL, NULL,
     "inertial frame; one number means downwards: -y in planar models, else -z"},
    {"parameters", TMLI_FIELD_NUMBERS, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, NULL,
     "named numbers; they may use each other in any order, and the command can replace them (`--set`)"},
    {"include", TMLI_FIELD_FILES, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_include,
     "a file or a list of files to read before this one"},
    {"defaults", TMLI_FIELD_BLOCK, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_defaults,
     "values for fields that entries do not give"},
    SECTIONS,
    {"run", TMLI_FIELD_BLOCK, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, &tmli_schema_run,
     "settings of the run"},
};
const tmli_schema tmli_schema_model = {
    "model", "The file is a map with these keys, in any order.", NULL, COUNT(model_fields), model_fields, 0};

const tmli_schema *const tmli_schemas[TMLI_SCHEMA_COUNT] = {
    &tmli_schema_model,    &tmli_schema_body,   &tmli_schema_frame, &tmli_schema_rotation,
    &tmli_schema_ground,   &tmli_schema_joint,  &tmli_schema_road,  &tmli_schema_force,
    &tmli_schema_output,   &tmli_schema_event,  &tmli_schema_run,   &tmli_schema_repeat,
    &tmli_schema_defaults, &tmli_schema_include};

const tmli_field *tmli_schema_find(const tmli_schema *s, const char *key, int type)
{
    for (int i = 0; i < s->nfields; i++) {
        const tmli_field *f = &s->fields[i];
        if (strcmp(f->key, key) == 0 && (type < 0 || (f->types >> type & 1u))) return f;
    }
    return NULL;
}

const char *tmli_schema_type_name(const tmli_schema *s, int type)
{
    if (!s->types || type < 0) return "";
    for (const tmli_key_choice *t = s->types; t->name; t++)
        if (t->value == type) return t->name;
    return "";
}

int tmli_schema_keys(const tmli_schema *s, int type, const char **keys, int room)
{
    int n = 0;
    for (int i = 0; i < s->nfields && n < room; i++) {
        const tmli_field *f = &s->fields[i];
        if (type >= 0 && !(f->types >> type & 1u)) continue;
        if (tmli_schema_find(s, f->key, type) == f) keys[n++] = f->key;
    }
    return n;
}

const char *tmli_schema_owners(const tmli_schema *s, const char *key, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = 0;
    for (const tmli_key_choice *t = s->types; t && t->name; t++) {
        if (!tmli_schema_find(s, key, t->value)) continue;
        const int n = snprintf(buf + used, size - used, "%s%s", used ? ", " : "", t->name);
        if (n < 0 || (size_t)n >= size - used) break;
        used += (size_t)n;
    }
    return buf;
}

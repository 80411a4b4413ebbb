// Keys of forces and roads. A new type of force has a row in force_types and its keys here.
#include "spec/schema_tables.h"

#define F(t) (1u << TML_FORCE_##t)
#define R(t) (1u << TML_ROAD_##t)
#define FORCE(m) offsetof(tml_force_def, m)
#define ROAD(m) offsetof(tml_road_def, m)

#define FORCES_BETWEEN (F(SPRING) | F(TORSION) | F(BUSHING))
#define FORCES_SCALAR (F(SPRING) | F(TORSION))
#define FORCES_TYRE (F(TYRE) | F(SLIP_TYRE))
#define FORCES_ALONG (F(FRICTION) | F(COORDINATE) | F(LIMIT) | F(ARMATURE))

static const tmli_key_choice force_types[] = {
    {"spring", TML_FORCE_SPRING, "spring-damper-actuator between two points"},
    {"torsion", TML_FORCE_TORSION, "rotational spring-damper-actuator about the z axis of a"},
    {"bushing", TML_FORCE_BUSHING, "spring-damper in all six directions between two frames"},
    {"applied", TML_FORCE_APPLIED, "force and torque given by expressions"},
    {"drag", TML_FORCE_DRAG, "resistance to the motion of a body"},
    {"tyre", TML_FORCE_TYRE, "spring-damper between the centre of a wheel and the road below it"},
    {"callback", TML_FORCE_CALLBACK, "a function of a program that uses the library; not in files"},
    {"beam", TML_FORCE_BEAM, "an element of a beam; made by the section `beams`"},
    {"friction", TML_FORCE_FRICTION, "dry friction along a coordinate of a joint"},
    {"coordinate", TML_FORCE_COORDINATE, "spring, damper, limits and drive along a coordinate of a joint"},
    {"modal", TML_FORCE_MODAL, "the element of a modal body; made by the section `modal_bodies`"},
    {"limit", TML_FORCE_LIMIT, "rigid limits of a coordinate of a joint, with restitution"},
    {"slip-tyre", TML_FORCE_SLIP_TYRE, "tyre of a wheel that rolls with slip ([slip](roads.md#slip))"},
    {"armature", TML_FORCE_ARMATURE, "inertia along a coordinate of a joint"},
    {NULL, 0, NULL},
};
_Static_assert(sizeof force_types / sizeof *force_types == TML_FORCE_TYPES + 1, "one row per force type");

static const tmli_key_choice road_types[] = {
    {"flat", TML_ROAD_FLAT, "height 0 everywhere"},
    {"bump", TML_ROAD_BUMP, "a half cylinder across the road; wheels roll over it"},
    {"step", TML_ROAD_STEP, "a sharp edge that wheels roll over, or a smooth ramp"},
    {"sine", TML_ROAD_SINE, "waves"},
    {"table", TML_ROAD_TABLE, "a curve through points"},
    {"random", TML_ROAD_RANDOM,
     "uneven by chance, with the spectrum of ISO 8608 ([classes](roads.md#random-roads))"},
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
static const tmli_key_choice slip_laws[] = {
    {"brush", TML_SLIP_BRUSH,
     "bristles under a parabolic pressure; slip is relative to the speed of rolling"},
    {"magic-formula", TML_SLIP_MAGIC_FORMULA,
     "Pacejka's formula along and across; slip is relative to the forward speed of the wheel"},
    {NULL, 0, NULL},
};

#define MAGIC(m) offsetof(tml_magic_def, m)
static const tmli_field magic_fields[] = {
    TYPED("B", NUMBER, POSITIVE, "", "", ALL, ALL, MAGIC(B),
          "stiffness factor; B C D is the slope of the force per load at no slip"),
    TYPED("C", NUMBER, POSITIVE, "", "", ALL, ALL, MAGIC(C),
          "shape factor; above 1 the force falls beyond a peak"),
    TYPED("D", NUMBER, POSITIVE, "", "", ALL, ALL, MAGIC(D), "peak of the force per load"),
    FIELD("E", NUMBER, ANY, "", "0", MAGIC(E), "curvature factor, at most 1"),
};
const tmli_schema tmli_schema_magic =
    SCHEMA(VALUE, "magic", NULL, magic_fields, sizeof(tml_magic_def), NULL,
           "Pacejka's formula, force = load D sin(C atan(B s (1 - E) + E atan(B s))) of the slip s, the "
           "value of the keys `longitudinal` and `lateral` of a slip tyre ([slip](roads.md#slip)).");

static const tmli_field road_fields[] = {
    TYPED("type", CHOICE, ANY, "", "", ALL, ALL, ROAD(type), "kind of road", .choices = road_types),
    FIELD("origin", VECTOR, ANY, "m", "[0, 0, 0]", ROAD(origin),
          "origin of the distance s along the road and of the height, inertial frame"),
    FIELD("direction", AXIS, ANY, "", "[1, 0, 0]", ROAD(direction),
          "direction of s, inertial frame; the road is constant across it"),
    FIELD("up", AXIS, ANY, "", "z, planar: y", ROAD(up),
          "direction of the height, perpendicular to `direction`", .flag = ROAD(has_up)),
    TYPED("position", NUMBER, ANY, "m", "0", R(BUMP) | R(STEP) | R(SINE) | R(RANDOM), 0, ROAD(position),
          "s of the middle of the bump, of the edge of the step or the start of its ramp, of a zero of the "
          "sine with positive slope, or where a random road with a `length` begins"),
    TYPED("diameter", NUMBER, POSITIVE, "m", "", R(BUMP), R(BUMP), ROAD(diameter),
          "diameter of the half cylinder; its height is half of it"),
    TYPED("height", NUMBER, NONZERO, "m", "", R(STEP), R(STEP), ROAD(height),
          "height of the step; negative: down. A sharp edge must be lower than the radius of the wheels"),
    TYPED("length", NUMBER, NONNEGATIVE, "m", "0: a sharp edge, uneven everywhere", R(STEP) | R(RANDOM), 0,
          ROAD(length),
          "length of the ramp, whose height is height x^2 (3 - 2 x) with x from 0 to 1; random: so the road "
          "becomes uneven, and it is flat before"),
    TYPED("amplitude", NUMBER, ANY, "m", "", R(SINE), R(SINE), ROAD(amplitude),
          "height = amplitude sin(2 pi (s - position)/wavelength)"),
    TYPED("wavelength", NUMBER, POSITIVE, "m", "", R(SINE), R(SINE), ROAD(wavelength), "see amplitude"),
    TYPED("waves", NUMBER, POSITIVE, "", "unlimited", R(SINE), 0, ROAD(waves),
          "number of waves from `position` on; the height is constant before and after them"),
    TYPED("table", TABLE, ANY, "m, m", "", R(TABLE), R(TABLE), ROAD(table),
          "curve through rows [s, height], s ascending, or the name of a table", .flag = ROAD(table_count),
          .sub = &tmli_schema_table),
    TYPED("interpolation", CHOICE, ANY, "", "monotone, or that of the table", R(TABLE), 0,
          ROAD(table_style.interpolation), "the curve between the rows", .choices = tmli_interpolations),
    TYPED("outside", CHOICE, ANY, "", "extend, or that of the table", R(TABLE), 0, ROAD(table_style.outside),
          "the curve before the first and after the last row", .choices = tmli_outsides),
    TYPED("roughness", NUMBER, POSITIVE, "m^3", "", R(RANDOM), R(RANDOM), ROAD(roughness),
          "spectral density of the height at 0.1 waves per metre; the middle of class A of ISO 8608 is "
          "16e-6, and each further class has 4 times as much"),
    TYPED("shortest", NUMBER, POSITIVE, "m", "0.35", R(RANDOM), 0, ROAD(shortest), "shortest wavelength"),
    TYPED("longest", NUMBER, POSITIVE, "m", "90", R(RANDOM), 0, ROAD(longest), "longest wavelength"),
    TYPED("seed", INTEGER, ANY, "", "1", R(RANDOM), 0, ROAD(seed),
          "whole number; other numbers give other roads of the same kind, such as that of the other track"),
};
const tmli_schema tmli_schema_road =
    SCHEMA(ENTRY, "road", road_types, road_fields, sizeof(tml_road_def), &tmli_kind_road,
           "A road for tyres: its height as a function of the distance s along a direction ([roads and "
           "tyres](roads.md)).");

static const tmli_field force_fields[] = {
    TYPED("type", CHOICE, ANY, "", "", ALL, ALL, FORCE(type), "kind of force", .choices = force_types),
    TYPED("of", TEXT, ANY, "", "", FORCES_ALONG, FORCES_ALONG, FORCE(of),
          "the coordinate: `joint.angle`, `joint.distance`, `frame.x`, `frame.y`, `frame.z` or "
          "`distance(frame, frame)`"),
    TYPED("law", CHOICE, ANY, "", "coulomb", F(FRICTION), 0, FORCE(friction.law),
          "law of friction ([friction](friction.md))", .choices = tmli_friction_laws),
    TYPED("coulomb", NUMBER, NONNEGATIVE, "N or N m", "coefficient * load", F(FRICTION), 0,
          FORCE(friction.coulomb), "force while it slips"),
    TYPED("static", NUMBER, NONNEGATIVE, "N or N m", "that of slip", F(FRICTION), 0,
          FORCE(friction.static_force), "largest force while it sticks"),
    TYPED("coefficient", NUMBER, NONNEGATIVE, "", "none", F(FRICTION), 0, FORCE(friction.coefficient),
          "coefficient of friction, instead of `coulomb`"),
    TYPED("static_coefficient", NUMBER, NONNEGATIVE, "", "that of slip", F(FRICTION), 0,
          FORCE(friction.static_coefficient), "the same for `static`"),
    TYPED("load", LOAD, NONNEGATIVE, "N", "none", F(FRICTION), 0, FORCE(friction.load),
          "normal load of the coefficients: a constant, or the force that the joint transmits",
          .flag = FORCE(friction.load_of_reaction)),
    TYPED("radius", NUMBER, POSITIVE, "m", "none", F(FRICTION), 0, FORCE(friction.radius),
          "along an angle: radius at which the load acts"),
    TYPED("stribeck", NUMBER, POSITIVE, "m/s or rad/s", "none", F(FRICTION), 0, FORCE(friction.stribeck),
          "speed over which the force falls from `static` to `coulomb`; without it: at once"),
    TYPED("viscous", NUMBER, NONNEGATIVE, "N s/m or N m s/rad", "0", F(FRICTION), 0, FORCE(friction.viscous),
          "additional force per speed"),
    TYPED("bristle_stiffness", NUMBER, POSITIVE, "N/m or N m/rad", "none", F(FRICTION), 0,
          FORCE(friction.bristle_stiffness), "lugre: stiffness of the bristles, sigma_0"),
    TYPED("bristle_damping", NUMBER, NONNEGATIVE, "N s/m or N m s/rad", "0", F(FRICTION), 0,
          FORCE(friction.bristle_damping), "lugre: damping of the bristles, sigma_1"),
    TYPED("creep", NUMBER, POSITIVE, "m/s or rad/s", "none", F(FRICTION), 0, FORCE(friction.creep),
          "regularized: speed at which 76 % of the force is reached"),
    TYPED("force", EXPRESSION, ANY, "N or N m", "none", F(COORDINATE), 0, FORCE(drive),
          "force or torque along the coordinate, an expression of value, rate, t and any state"),
    TYPED("free", NUMBER, ANY, "m or rad", "value at the start", F(COORDINATE), 0, FORCE(free),
          "coordinate at which the spring has no force"),
    TYPED("backlash", NUMBER, NONNEGATIVE, "m or rad", "0", F(COORDINATE), 0, FORCE(backlash),
          "width about `free` in which stiffness and damping do not act"),
    TYPED("lower", NUMBER, ANY, "m or rad", "none", F(COORDINATE) | F(LIMIT), 0, FORCE(limits.lower),
          "least value of the coordinate without a force"),
    TYPED("upper", NUMBER, ANY, "m or rad", "none", F(COORDINATE) | F(LIMIT), 0, FORCE(limits.upper),
          "greatest value of the coordinate without a force"),
    TYPED("restitution", NUMBER, UNIT, "", "none", F(LIMIT), F(LIMIT), FORCE(limits.restitution),
          "rate after an impact over the rate before it, 0 (none) to 1 (no loss)"),
    TYPED("armature", NUMBER, NONNEGATIVE, "kg m2 or kg", "", F(ARMATURE), F(ARMATURE), FORCE(armature),
          "inertia along the coordinate"),
    TYPED("limit_stiffness", NUMBER, POSITIVE, "N/m or N m/rad", "none", F(COORDINATE), 0,
          FORCE(limits.stiffness), "force per way beyond a limit"),
    TYPED("limit_damping", NUMBER, NONNEGATIVE, "N s/m or N m s/rad", "0", F(COORDINATE), 0,
          FORCE(limits.damping), "force per speed beyond a limit; the sum never pulls"),
    TYPED("a", REFERENCE, ANY, "", "", FORCES_BETWEEN, FORCES_BETWEEN, FORCE(a), "first frame"),
    TYPED("b", REFERENCE, ANY, "", "", FORCES_BETWEEN, FORCES_BETWEEN, FORCE(b), "second frame"),
    TYPED("at", REFERENCE, ANY, "", "", F(APPLIED) | FORCES_TYRE, F(APPLIED) | FORCES_TYRE, FORCE(b),
          "frame at which force and torque act; tyre: the centre of the wheel"),
    TYPED("road", ROAD, ANY, "", "", FORCES_TYRE, FORCES_TYRE, FORCE(road), "the road below the wheel"),
    TYPED("radius", NUMBER, POSITIVE, "m", "", FORCES_TYRE, FORCES_TYRE, FORCE(radius),
          "radius of the unloaded wheel"),
    TYPED("contact", BOOL, ANY, "", "true", F(TYRE), 0, FORCE(contact),
          "the tyre cannot pull and may lift off the road; false: it can also pull (linear)"),
    TYPED("along", BOOL_CHOICE, ANY, "", "up", F(TYRE), 0, FORCE(normal),
          "direction of the force of the tyre", .choices = along_choices),
    TYPED("axis", AXIS, ANY, "", "y, planar: z", F(SLIP_TYRE), 0, FORCE(axis),
          "axis of the wheel in the axes of `at`; its body turns with the wheel. The wheel rolls forward "
          "along `direction` of the road, whichever way the axis points",
          .flag = FORCE(has_axis)),
    TYPED("law", CHOICE, ANY, "", "brush", F(SLIP_TYRE), 0, FORCE(slip_law), "law of the forces of slip",
          .choices = slip_laws),
    TYPED("load", NUMBER, POSITIVE, "N", "", F(SLIP_TYRE), F(SLIP_TYRE), FORCE(load),
          "normal load to which stiffnesses and damping of the slip belong"),
    TYPED("load_exponent", NUMBER, ANY, "", "0", F(SLIP_TYRE), 0, FORCE(load_exponent),
          "exponent p by which all forces of slip are in proportion to N (N/load)^p with the normal load N; "
          "above -1, of tyres of cars about -0.1"),
    TYPED("coefficient", NUMBER, POSITIVE, "", "none", F(SLIP_TYRE), 0, FORCE(coefficient),
          "brush: coefficient of friction"),
    TYPED("longitudinal_stiffness", NUMBER, POSITIVE, "N", "none", F(SLIP_TYRE), 0,
          FORCE(longitudinal_stiffness), "brush: longitudinal force per slip, at `load`"),
    TYPED("cornering_stiffness", NUMBER, POSITIVE, "N/rad", "none", F(SLIP_TYRE), 0,
          FORCE(cornering_stiffness), "brush: side force per slip angle, at `load`"),
    TYPED("longitudinal", BLOCK, ANY, "", "none", F(SLIP_TYRE), 0, FORCE(longitudinal),
          "magic formula: longitudinal force by the slip kappa", .flag = FORCE(has_longitudinal),
          .sub = &tmli_schema_magic),
    TYPED("lateral", BLOCK, ANY, "", "none", F(SLIP_TYRE), 0, FORCE(lateral),
          "magic formula: side force by the tangent of the slip angle", .flag = FORCE(has_lateral),
          .sub = &tmli_schema_magic),
    TYPED("longitudinal_relaxation", NUMBER, POSITIVE, "m", "", F(SLIP_TYRE), F(SLIP_TYRE),
          FORCE(longitudinal_relaxation),
          "relaxation length: distance over which the longitudinal slip approaches that of the motion"),
    TYPED("lateral_relaxation", NUMBER, POSITIVE, "m", "", F(SLIP_TYRE), F(SLIP_TYRE),
          FORCE(lateral_relaxation), "the same across"),
    TYPED("slip_damping", NUMBER, NONNEGATIVE, "N s/m", "0", F(SLIP_TYRE), 0, FORCE(slip_damping),
          "force per rate of the deflection of the tyre along and across the road, at `load`; it ends the "
          "oscillations of a vehicle that has stopped"),
    TYPED("trail", NUMBER, NONNEGATIVE, "m", "0", F(SLIP_TYRE), 0, FORCE(trail),
          "pneumatic trail at small slip: the side force acts that much behind the contact"),
    TYPED("body", BODY, ANY, "", "", F(DRAG), F(DRAG), FORCE(b), "the body on which the drag acts"),
    TYPED("stiffness", NUMBER, ANY, "N/m or N m/rad", "0", FORCES_SCALAR | FORCES_TYRE | F(COORDINATE), 0,
          FORCE(stiffness), "force per elongation (tyre: compression)"),
    TYPED("stiffness", MATRIX6, ANY, "N/m, N, N m/rad", "0", F(BUSHING), 0, FORCE(stiffness6),
          "six diagonal entries or a 6 x 6 matrix for (x, y, z, rx, ry, rz) in the axes of frame a"),
    TYPED("damping", NUMBER, ANY, "N s/m or N m s/rad", "0", FORCES_SCALAR | FORCES_TYRE | F(COORDINATE), 0,
          FORCE(damping), "force per rate of elongation"),
    TYPED("damping", MATRIX6, ANY, "N s/m, N s, N m s/rad", "0", F(BUSHING), 0, FORCE(damping6),
          "as stiffness, for the rates"),
    TYPED("preload", VECTOR6, ANY, "N, N m", "0", F(BUSHING), 0, FORCE(preload6),
          "force and torque at zero deflection"),
    TYPED("length", NUMBER, NONNEGATIVE, "m", "value at the start", F(SPRING), 0, FORCE(free), "free length"),
    TYPED("angle", NUMBER, ANY, "rad", "value at the start", F(TORSION), 0, FORCE(free),
          "free angle; it may differ from the angle at the start by any number of turns"),
    TYPED("law", EXPRESSION, ANY, "N or N m", "none", FORCES_SCALAR, 0, FORCE(law),
          "additional force as an expression of length or angle, rate, t and any state; a positive force "
          "pulls b towards a"),
    TYPED("table", TABLE, ANY, "m or rad, N or N m", "none", FORCES_SCALAR | FORCES_TYRE, 0, FORCE(table),
          "additional force by a curve through rows [elongation, force] (tyre: [compression, force]), "
          "ascending, or the name of a table",
          .flag = FORCE(table_count), .sub = &tmli_schema_table),
    TYPED("interpolation", CHOICE, ANY, "", "monotone, or that of the table", FORCES_SCALAR | FORCES_TYRE, 0,
          FORCE(table_style.interpolation), "the curve between the rows of `table`",
          .choices = tmli_interpolations),
    TYPED("outside", CHOICE, ANY, "", "extend, or that of the table", FORCES_SCALAR | FORCES_TYRE, 0,
          FORCE(table_style.outside), "the curve before the first and after the last row of `table`",
          .choices = tmli_outsides),
    TYPED("force", FORCE3, ANY, "N", "none", F(APPLIED), 0, FORCE(force),
          "components as expressions of t and any state"),
    TYPED("torque", TORQUE3, ANY, "N m", "none", F(APPLIED), 0, FORCE(torque),
          "components as expressions of t and any state"),
    TYPED("axes", BOOL_CHOICE, ANY, "", "inertial", F(APPLIED), 0, FORCE(body_axes), "axes of the components",
          .choices = axes_choices),
    TYPED("linear", NUMBER, ANY, "N s/m", "0", F(DRAG), 0, FORCE(linear),
          "force = -(linear + quadratic |v|) v"),
    TYPED("quadratic", NUMBER, ANY, "N s^2/m^2", "0", F(DRAG), 0, FORCE(quadratic), "see linear"),
    TYPED("angular_linear", NUMBER, ANY, "N m s", "0", F(DRAG), 0, FORCE(angular_linear),
          "torque = -(angular_linear + angular_quadratic |w|) w"),
    TYPED("angular_quadratic", NUMBER, ANY, "N m s^2", "0", F(DRAG), 0, FORCE(angular_quadratic),
          "see angular_linear"),
};
const tmli_schema tmli_schema_force =
    SCHEMA(ENTRY, "force", force_types, force_fields, sizeof(tml_force_def), &tmli_kind_force,
           "A force element. Spring and torsion pull b towards a with stiffness (x - free) + damping rate + "
           "law + table(x - free), where x is the length or the angle. A tyre pushes the wheel off the road "
           "with stiffness e + damping rate + table(e), where e is its compression.");

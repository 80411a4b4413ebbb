// Keys of forces and roads. A new type of force has a row in force_types and its keys here.
#include "spec/schema_tables.h"

#define F(t) (1u << TML_FORCE_##t)
#define R(t) (1u << TML_ROAD_##t)
#define FORCE(m) offsetof(tml_force_def, m)
#define ROAD(m) offsetof(tml_road_def, m)

#define FORCES_BETWEEN (F(SPRING) | F(TORSION) | F(BUSHING))
#define FORCES_SCALAR (F(SPRING) | F(TORSION))
#define FORCES_TYRE (F(TYRE) | F(SLIP_TYRE))
#define FORCES_ALONG (F(FRICTION) | F(COORDINATE) | F(LIMIT))

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
    {NULL, 0, NULL},
};
_Static_assert(sizeof force_types / sizeof *force_types == TML_FORCE_TYPES + 1, "one row per force type");

static const tmli_key_choice road_types[] = {
    {"flat", TML_ROAD_FLAT, "height 0 everywhere"},
    {"bump", TML_ROAD_BUMP, "a half cylinder across the road; wheels roll over it"},
    {"step", TML_ROAD_STEP, "a sharp edge that wheels roll over, or a smooth ramp"},
    {"sine", TML_ROAD_SINE, "waves"},
    {"table", TML_ROAD_TABLE, "a curve through points"},
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
    {"B", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "", ALL, ALL, MAGIC(B), 0, NULL, NULL,
     "stiffness factor; B C D is the slope of the force per load at no slip"},
    {"C", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "", ALL, ALL, MAGIC(C), 0, NULL, NULL,
     "shape factor; above 1 the force falls beyond a peak"},
    {"D", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "", ALL, ALL, MAGIC(D), 0, NULL, NULL,
     "peak of the force per load"},
    {"E", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "", "0", ALL, 0, MAGIC(E), 0, NULL, NULL,
     "curvature factor, at most 1"},
};
const tmli_schema tmli_schema_magic = {TMLI_SCHEMA_VALUE,
                                       "magic",
                                       "Pacejka's formula, force = load D sin(C atan(B s (1 - E) + E atan(B "
                                       "s))) of the slip s, the value of the keys `longitudinal` and "
                                       "`lateral` of a slip tyre ([slip](roads.md#slip)).",
                                       NULL,
                                       COUNT(magic_fields),
                                       magic_fields,
                                       sizeof(tml_magic_def),
                                       NULL};

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
     ROAD(table_count), NULL, &tmli_schema_table,
     "curve through rows [s, height], s ascending, or the name of a table"},
    {"interpolation", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "monotone, or that of the table", R(TABLE), 0,
     ROAD(table_style.interpolation), 0, tmli_interpolations, NULL, "the curve between the rows"},
    {"outside", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "extend, or that of the table", R(TABLE), 0,
     ROAD(table_style.outside), 0, tmli_outsides, NULL, "the curve before the first and after the last row"},
};
const tmli_schema tmli_schema_road = {TMLI_SCHEMA_ENTRY,
                                      "road",
                                      "A road for tyres: its height as a function of the distance s along a "
                                      "direction ([roads and tyres](roads.md)).",
                                      road_types,
                                      COUNT(road_fields),
                                      road_fields,
                                      sizeof(tml_road_def),
                                      &tmli_kind_road};

static const tmli_field force_fields[] = {
    {"type", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "", ALL, ALL, FORCE(type), 0, force_types, NULL,
     "kind of force"},
    {"of", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "", FORCES_ALONG, FORCES_ALONG, FORCE(of), 0, NULL, NULL,
     "the coordinate: `joint.angle`, `joint.distance`, `frame.x`, `frame.y`, `frame.z` or "
     "`distance(frame, frame)`"},
    {"law", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "coulomb", F(FRICTION), 0, FORCE(friction.law), 0,
     tmli_friction_laws, NULL, "law of friction ([friction](friction.md))"},
    {"coulomb", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N or N m", "coefficient * load", F(FRICTION), 0,
     FORCE(friction.coulomb), 0, NULL, NULL, "force while it slips"},
    {"static", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N or N m", "that of slip", F(FRICTION), 0,
     FORCE(friction.static_force), 0, NULL, NULL, "largest force while it sticks"},
    {"coefficient", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "", "none", F(FRICTION), 0,
     FORCE(friction.coefficient), 0, NULL, NULL, "coefficient of friction, instead of `coulomb`"},
    {"static_coefficient", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "", "that of slip", F(FRICTION), 0,
     FORCE(friction.static_coefficient), 0, NULL, NULL, "the same for `static`"},
    {"load", TMLI_FIELD_LOAD, TMLI_RANGE_NONNEGATIVE, "N", "none", F(FRICTION), 0, FORCE(friction.load),
     FORCE(friction.load_of_reaction), NULL, NULL,
     "normal load of the coefficients: a constant, or the force that the joint transmits"},
    {"radius", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "none", F(FRICTION), 0, FORCE(friction.radius), 0,
     NULL, NULL, "along an angle: radius at which the load acts"},
    {"stribeck", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m/s or rad/s", "none", F(FRICTION), 0,
     FORCE(friction.stribeck), 0, NULL, NULL,
     "speed over which the force falls from `static` to `coulomb`; without it: at once"},
    {"viscous", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N s/m or N m s/rad", "0", F(FRICTION), 0,
     FORCE(friction.viscous), 0, NULL, NULL, "additional force per speed"},
    {"bristle_stiffness", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "N/m or N m/rad", "none", F(FRICTION), 0,
     FORCE(friction.bristle_stiffness), 0, NULL, NULL, "lugre: stiffness of the bristles, sigma_0"},
    {"bristle_damping", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N s/m or N m s/rad", "0", F(FRICTION), 0,
     FORCE(friction.bristle_damping), 0, NULL, NULL, "lugre: damping of the bristles, sigma_1"},
    {"creep", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m/s or rad/s", "none", F(FRICTION), 0,
     FORCE(friction.creep), 0, NULL, NULL, "regularized: speed at which 76 % of the force is reached"},
    {"force", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "N or N m", "none", F(COORDINATE), 0, FORCE(drive), 0,
     NULL, NULL, "force or torque along the coordinate, an expression of value, rate, t and any state"},
    {"free", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "m or rad", "value at the start", F(COORDINATE), 0,
     FORCE(free), 0, NULL, NULL, "coordinate at which the spring has no force"},
    {"backlash", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "m or rad", "0", F(COORDINATE), 0,
     FORCE(backlash), 0, NULL, NULL, "width about `free` in which stiffness and damping do not act"},
    {"lower", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "m or rad", "none", F(COORDINATE) | F(LIMIT), 0,
     FORCE(limits.lower), 0, NULL, NULL, "least value of the coordinate without a force"},
    {"upper", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "m or rad", "none", F(COORDINATE) | F(LIMIT), 0,
     FORCE(limits.upper), 0, NULL, NULL, "greatest value of the coordinate without a force"},
    {"restitution", TMLI_FIELD_NUMBER, TMLI_RANGE_UNIT, "", "none", F(LIMIT), F(LIMIT),
     FORCE(limits.restitution), 0, NULL, NULL,
     "rate after an impact over the rate before it, 0 (none) to 1 (no loss)"},
    {"limit_stiffness", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "N/m or N m/rad", "none", F(COORDINATE), 0,
     FORCE(limits.stiffness), 0, NULL, NULL, "force per way beyond a limit"},
    {"limit_damping", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N s/m or N m s/rad", "0", F(COORDINATE), 0,
     FORCE(limits.damping), 0, NULL, NULL, "force per speed beyond a limit; the sum never pulls"},
    {"a", TMLI_FIELD_REFERENCE, TMLI_RANGE_ANY, "", "", FORCES_BETWEEN, FORCES_BETWEEN, FORCE(a), 0, NULL,
     NULL, "first frame"},
    {"b", TMLI_FIELD_REFERENCE, TMLI_RANGE_ANY, "", "", FORCES_BETWEEN, FORCES_BETWEEN, FORCE(b), 0, NULL,
     NULL, "second frame"},
    {"at", TMLI_FIELD_REFERENCE, TMLI_RANGE_ANY, "", "", F(APPLIED) | FORCES_TYRE, F(APPLIED) | FORCES_TYRE,
     FORCE(b), 0, NULL, NULL, "frame at which force and torque act; tyre: the centre of the wheel"},
    {"road", TMLI_FIELD_ROAD, TMLI_RANGE_ANY, "", "", FORCES_TYRE, FORCES_TYRE, FORCE(road), 0, NULL, NULL,
     "the road below the wheel"},
    {"radius", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", FORCES_TYRE, FORCES_TYRE, FORCE(radius), 0,
     NULL, NULL, "radius of the unloaded wheel"},
    {"contact", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "true", F(TYRE), 0, FORCE(contact), 0, NULL, NULL,
     "the tyre cannot pull and may lift off the road; false: it can also pull (linear)"},
    {"along", TMLI_FIELD_BOOL_CHOICE, TMLI_RANGE_ANY, "", "up", F(TYRE), 0, FORCE(normal), 0, along_choices,
     NULL, "direction of the force of the tyre"},
    {"axis", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "y, planar: z", F(SLIP_TYRE), 0, FORCE(axis),
     FORCE(has_axis), NULL, NULL,
     "axis of the wheel in the axes of `at`; its body turns with the wheel. The wheel rolls forward along "
     "`direction` of the road, whichever way the axis points"},
    {"law", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "brush", F(SLIP_TYRE), 0, FORCE(slip_law), 0, slip_laws,
     NULL, "law of the forces of slip"},
    {"load", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "N", "", F(SLIP_TYRE), F(SLIP_TYRE), FORCE(load), 0,
     NULL, NULL, "normal load to which stiffnesses and damping of the slip belong"},
    {"load_exponent", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "", "0", F(SLIP_TYRE), 0, FORCE(load_exponent), 0,
     NULL, NULL,
     "exponent p by which all forces of slip are in proportion to N (N/load)^p with the normal load N; "
     "above -1, of tyres of cars about -0.1"},
    {"coefficient", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "none", F(SLIP_TYRE), 0, FORCE(coefficient),
     0, NULL, NULL, "brush: coefficient of friction"},
    {"longitudinal_stiffness", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "N", "none", F(SLIP_TYRE), 0,
     FORCE(longitudinal_stiffness), 0, NULL, NULL, "brush: longitudinal force per slip, at `load`"},
    {"cornering_stiffness", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "N/rad", "none", F(SLIP_TYRE), 0,
     FORCE(cornering_stiffness), 0, NULL, NULL, "brush: side force per slip angle, at `load`"},
    {"longitudinal", TMLI_FIELD_BLOCK, TMLI_RANGE_ANY, "", "none", F(SLIP_TYRE), 0, FORCE(longitudinal),
     FORCE(has_longitudinal), NULL, &tmli_schema_magic,
     "magic formula: longitudinal force by the slip kappa"},
    {"lateral", TMLI_FIELD_BLOCK, TMLI_RANGE_ANY, "", "none", F(SLIP_TYRE), 0, FORCE(lateral),
     FORCE(has_lateral), NULL, &tmli_schema_magic,
     "magic formula: side force by the tangent of the slip angle"},
    {"longitudinal_relaxation", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", F(SLIP_TYRE), F(SLIP_TYRE),
     FORCE(longitudinal_relaxation), 0, NULL, NULL,
     "relaxation length: distance over which the longitudinal slip approaches that of the motion"},
    {"lateral_relaxation", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", F(SLIP_TYRE), F(SLIP_TYRE),
     FORCE(lateral_relaxation), 0, NULL, NULL, "the same across"},
    {"slip_damping", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N s/m", "0", F(SLIP_TYRE), 0,
     FORCE(slip_damping), 0, NULL, NULL,
     "force per rate of the deflection of the tyre along and across the road, at `load`; it ends the "
     "oscillations of a vehicle that has stopped"},
    {"trail", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "m", "0", F(SLIP_TYRE), 0, FORCE(trail), 0, NULL,
     NULL, "pneumatic trail at small slip: the side force acts that much behind the contact"},
    {"body", TMLI_FIELD_BODY, TMLI_RANGE_ANY, "", "", F(DRAG), F(DRAG), FORCE(b), 0, NULL, NULL,
     "the body on which the drag acts"},
    {"stiffness", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "N/m or N m/rad", "0",
     FORCES_SCALAR | FORCES_TYRE | F(COORDINATE), 0, FORCE(stiffness), 0, NULL, NULL,
     "force per elongation (tyre: compression)"},
    {"stiffness", TMLI_FIELD_MATRIX6, TMLI_RANGE_ANY, "N/m, N, N m/rad", "0", F(BUSHING), 0,
     FORCE(stiffness6), 0, NULL, NULL,
     "six diagonal entries or a 6 x 6 matrix for (x, y, z, rx, ry, rz) in the axes of frame a"},
    {"damping", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "N s/m or N m s/rad", "0",
     FORCES_SCALAR | FORCES_TYRE | F(COORDINATE), 0, FORCE(damping), 0, NULL, NULL,
     "force per rate of elongation"},
    {"damping", TMLI_FIELD_MATRIX6, TMLI_RANGE_ANY, "N s/m, N s, N m s/rad", "0", F(BUSHING), 0,
     FORCE(damping6), 0, NULL, NULL, "as stiffness, for the rates"},
    {"preload", TMLI_FIELD_VECTOR6, TMLI_RANGE_ANY, "N, N m", "0", F(BUSHING), 0, FORCE(preload6), 0, NULL,
     NULL, "force and torque at zero deflection"},
    {"length", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "m", "value at the start", F(SPRING), 0,
     FORCE(free), 0, NULL, NULL, "free length"},
    {"angle", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "rad", "value at the start", F(TORSION), 0, FORCE(free), 0,
     NULL, NULL, "free angle; it may differ from the angle at the start by any number of turns"},
    {"law", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "N or N m", "none", FORCES_SCALAR, 0, FORCE(law), 0, NULL,
     NULL,
     "additional force as an expression of length or angle, rate, t and any state; a positive force pulls b "
     "towards a"},
    {"table", TMLI_FIELD_TABLE, TMLI_RANGE_ANY, "m or rad, N or N m", "none", FORCES_SCALAR | FORCES_TYRE, 0,
     FORCE(table), FORCE(table_count), NULL, &tmli_schema_table,
     "additional force by a curve through rows [elongation, force] (tyre: [compression, force]), ascending, "
     "or "
     "the name of a table"},
    {"interpolation", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "monotone, or that of the table",
     FORCES_SCALAR | FORCES_TYRE, 0, FORCE(table_style.interpolation), 0, tmli_interpolations, NULL,
     "the curve between the rows of `table`"},
    {"outside", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "extend, or that of the table",
     FORCES_SCALAR | FORCES_TYRE, 0, FORCE(table_style.outside), 0, tmli_outsides, NULL,
     "the curve before the first and after the last row of `table`"},
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
const tmli_schema tmli_schema_force = {TMLI_SCHEMA_ENTRY,
                                       "force",
                                       "A force element. Spring and torsion pull b towards a with stiffness "
                                       "(x - free) + damping rate + law + table(x - free), "
                                       "where x is the length or the angle. A tyre pushes the wheel off the "
                                       "road with stiffness e + damping rate + table(e), where e is its "
                                       "compression.",
                                       force_types,
                                       COUNT(force_fields),
                                       force_fields,
                                       sizeof(tml_force_def),
                                       &tmli_kind_force};

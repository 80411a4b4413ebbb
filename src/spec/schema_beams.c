// Keys of beams.
#include "spec/schema_tables.h"

#define BEAM(m) offsetof(tml_beam_def, m)
#define S(t) (1u << TML_SECTION_##t)
#define SOLID (S(RECTANGLE) | S(CIRCLE) | S(TUBE) | S(I) | S(L))
#define BOX (S(RECTANGLE) | S(I) | S(L))
#define WALLS (S(I) | S(L))

static const tmli_key_choice section_types[] = {
    {"general", TML_SECTION_GENERAL, "stiffness, mass and inertia of the section are given"},
    {"rectangle", TML_SECTION_RECTANGLE, "width along y, height along z"},
    {"circle", TML_SECTION_CIRCLE, "a full circle"},
    {"tube", TML_SECTION_TUBE, "a circular ring"},
    {"i", TML_SECTION_I, "two flanges along y, a web along z between them"},
    {"l", TML_SECTION_L, "an angle: a leg along y (flange) and one along z (web) from a common corner"},
    {NULL, 0, NULL},
};
_Static_assert(sizeof section_types / sizeof *section_types == TML_SECTION_TYPES + 1, "one row per section");

static const tmli_key_choice materials[] = {
    {"none", TML_MATERIAL_NONE, "E, nu and density are given"},
    {"steel", TML_MATERIAL_STEEL, "210e9 Pa, 0.3, 7850 kg/m^3"},
    {"aluminium", TML_MATERIAL_ALUMINIUM, "70e9 Pa, 0.33, 2700 kg/m^3"},
    {"titanium", TML_MATERIAL_TITANIUM, "114e9 Pa, 0.34, 4430 kg/m^3"},
    {NULL, 0, NULL},
};
_Static_assert(sizeof materials / sizeof *materials == TML_MATERIALS + 1, "one row per material");

static const tmli_key_choice interpolations[] = {
    {"r3so3", TML_BEAM_R3SO3, "positions and rotations by themselves"},
    {"se3", TML_BEAM_SE3, "rigid motions: elements with 2 nodes have constant strains"},
    {NULL, 0, NULL},
};

static const tmli_field beam_fields[] = {
    {"type", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "", ALL, ALL, BEAM(section), 0, section_types, NULL,
     "form of the section"},
    {"position", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m", "[0, 0, 0]", ALL, 0, BEAM(position), 0, NULL, NULL,
     "start of the beam, inertial frame"},
    {"end", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m", "", ALL, 0, BEAM(end), BEAM(has_end), NULL, NULL,
     "end of a straight beam, inertial frame; instead of length, orientation"},
    {"up", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "z, or y for a beam along z", ALL, 0, BEAM(up), BEAM(has_up),
     NULL, NULL,
     "with end or points: direction of section axis z at the start, made perpendicular to the beam"},
    {"length", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", ALL, 0, BEAM(length), 0, NULL, NULL,
     "length along the axis, if no end is given"},
    {"orientation", TMLI_FIELD_ROTATION, TMLI_RANGE_ANY, "rad", "0", ALL, 0, BEAM(orientation), 0, NULL, NULL,
     "with length: section axes at the start; x points along the beam"},
    {"curvature", TMLI_FIELD_SPIN, TMLI_RANGE_ANY, "rad/m", "[0, 0, 0]", ALL, 0, BEAM(curvature), 0, NULL,
     NULL,
     "of the shape without stress: twist and curvatures about y and z, section axes; with end or points: "
     "only twist"},
    {"points", TMLI_FIELD_POINTS, TMLI_RANGE_ANY, "m", "none", ALL, 0, BEAM(points), BEAM(point_count), NULL,
     NULL,
     "points of a curved beam, inertial frame, joined by a smooth curve; instead of position, end, length, "
     "orientation"},
    {"stations", TMLI_FIELD_LIST, TMLI_RANGE_ANY, "", "none", ALL, 0, BEAM(stations), BEAM(station_count),
     NULL, NULL, "shares of the length, 0 to 1, at which elements end: the frames NAME.s1, NAME.s2, ..."},
    {"elements", TMLI_FIELD_INTEGER, TMLI_RANGE_POSITIVE, "", "4", ALL, 0, BEAM(elements), 0, NULL, NULL,
     "number of elements; at least one between two stations"},
    {"order", TMLI_FIELD_INTEGER, TMLI_RANGE_POSITIVE, "", "3", ALL, 0, BEAM(order), 0, NULL, NULL,
     "degree of the elements, 1 to 3: an element has order + 1 nodes"},
    {"interpolation", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "r3so3", ALL, 0, BEAM(interpolation), 0,
     interpolations, NULL, "what the elements interpolate between their nodes"},
    {"width", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", BOX, BOX, BEAM(width), 0, NULL, NULL,
     "of the section, along y"},
    {"height", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", BOX, BOX, BEAM(height), 0, NULL, NULL,
     "of the section, along z"},
    {"radius", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", S(CIRCLE) | S(TUBE), S(CIRCLE) | S(TUBE),
     BEAM(radius), 0, NULL, NULL, "outer radius of the section"},
    {"inner_radius", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", S(TUBE), S(TUBE), BEAM(inner_radius), 0,
     NULL, NULL, "of a tube"},
    {"web", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", WALLS, WALLS, BEAM(web), 0, NULL, NULL,
     "thickness of the web, or of the leg along z"},
    {"flange", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", WALLS, WALLS, BEAM(flange), 0, NULL, NULL,
     "thickness of the flanges, or of the leg along y"},
    {"material", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "none", SOLID, 0, BEAM(material), 0, materials, NULL,
     "E, nu and density by name"},
    {"E", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "Pa", "of the material", SOLID, 0, BEAM(youngs_modulus), 0,
     NULL, NULL, "Young's modulus"},
    {"nu", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "", "of the material", SOLID, 0, BEAM(poisson), 0, NULL, NULL,
     "Poisson's ratio, more than -1 and at most 0.5"},
    {"density", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "kg/m^3", "of the material", SOLID, 0, BEAM(density),
     0, NULL, NULL, "mass per volume"},
    {"stiffness", TMLI_FIELD_MATRIX6, TMLI_RANGE_ANY, "N, N m, N m^2", "", S(GENERAL), S(GENERAL),
     BEAM(stiffness6), 0, NULL, NULL,
     "six diagonal entries [EA, GAy, GAz, GJ, EIy, EIz] or a 6 x 6 matrix, symmetric and positive definite"},
    {"mass", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "kg/m", "", S(GENERAL), S(GENERAL), BEAM(mass), 0, NULL,
     NULL, "per length"},
    {"inertia", TMLI_FIELD_INERTIA, TMLI_RANGE_ANY, "kg m", "", S(GENERAL), S(GENERAL), BEAM(inertia), 0,
     NULL, NULL, "per length, about the centre of mass in section axes; numbers as those of a body"},
    {"damping", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "s", "0", ALL, 0, BEAM(damping), 0, NULL, NULL,
     "stress = stiffness (strain + damping d(strain)/dt)"},
    {"mass_damping", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "1/s", "0", ALL, 0, BEAM(mass_damping), 0,
     NULL, NULL, "force = -mass_damping times momentum, against motion in space"},
    {"load", TMLI_FIELD_FORCE3, TMLI_RANGE_ANY, "N/m", "none", ALL, 0, BEAM(load), 0, NULL, NULL,
     "force per length along the whole beam, inertial axes; expressions of t and any state"},
    {"load_moment", TMLI_FIELD_TORQUE3, TMLI_RANGE_ANY, "N", "none", ALL, 0, BEAM(load_moment), 0, NULL, NULL,
     "moment per length, inertial axes"},
    {"follower_load", TMLI_FIELD_FORCE3, TMLI_RANGE_ANY, "N/m", "none", ALL, 0, BEAM(follower_load), 0, NULL,
     NULL, "force per length in the axes of the moving sections"},
    {"follower_moment", TMLI_FIELD_TORQUE3, TMLI_RANGE_ANY, "N", "none", ALL, 0, BEAM(follower_moment), 0,
     NULL, NULL, "moment per length in the axes of the moving sections"},
    {"velocity", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m/s", "[0, 0, 0]", ALL, 0, BEAM(velocity), 0, NULL, NULL,
     "of the start point at the start, inertial frame"},
    {"angular_velocity", TMLI_FIELD_SPIN, TMLI_RANGE_ANY, "rad/s", "[0, 0, 0]", ALL, 0,
     BEAM(angular_velocity), 0, NULL, NULL, "at the start, inertial frame: the beam moves as a rigid body"},
};
const tmli_schema tmli_schema_beam = {
    TMLI_SCHEMA_ENTRY,
    "beam",
    "A flexible beam ([beams](beams.md)). It becomes bodies NAME_0, NAME_1, ... (the nodes) and elements "
    "NAME_e1, NAME_e2, ... The frames NAME.start, NAME.mid (if a node is there), NAME.end and those of the "
    "stations are frames of nodes.",
    section_types,
    COUNT(beam_fields),
    beam_fields,
    sizeof(tml_beam_def),
    &tmli_kind_beam};

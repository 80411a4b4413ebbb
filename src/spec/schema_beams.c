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
    TYPED("type", CHOICE, ANY, "", "", ALL, ALL, BEAM(section), "form of the section",
          .choices = section_types),
    FIELD("position", VECTOR, ANY, "m", "[0, 0, 0]", BEAM(position), "start of the beam, inertial frame"),
    FIELD("end", VECTOR, ANY, "m", "", BEAM(end),
          "end of a straight beam, inertial frame; instead of length, orientation", .flag = BEAM(has_end)),
    FIELD("up", AXIS, ANY, "", "z, or y for a beam along z", BEAM(up),
          "with end or points: direction of section axis z at the start, made perpendicular to the beam",
          .flag = BEAM(has_up)),
    FIELD("length", NUMBER, POSITIVE, "m", "", BEAM(length), "length along the axis, if no end is given"),
    FIELD("orientation", ROTATION, ANY, "rad", "0", BEAM(orientation),
          "with length: section axes at the start; x points along the beam"),
    FIELD("curvature", SPIN, ANY, "rad/m", "[0, 0, 0]", BEAM(curvature),
          "of the shape without stress: twist and curvatures about y and z, section axes; with end or "
          "points: only twist"),
    FIELD("points", POINTS, ANY, "m", "none", BEAM(points),
          "points of a curved beam, inertial frame, joined by a smooth curve; instead of position, end, "
          "length, orientation",
          .flag = BEAM(point_count)),
    FIELD("stations", LIST, ANY, "", "none", BEAM(stations),
          "shares of the length, 0 to 1, at which elements end: the frames NAME.s1, NAME.s2, ...",
          .flag = BEAM(station_count)),
    FIELD("elements", INTEGER, POSITIVE, "", "4", BEAM(elements),
          "number of elements; at least one between two stations"),
    FIELD("order", INTEGER, POSITIVE, "", "3", BEAM(order),
          "degree of the elements, 1 to 3: an element has order + 1 nodes"),
    FIELD("interpolation", CHOICE, ANY, "", "r3so3", BEAM(interpolation),
          "what the elements interpolate between their nodes", .choices = interpolations),
    TYPED("width", NUMBER, POSITIVE, "m", "", BOX, BOX, BEAM(width), "of the section, along y"),
    TYPED("height", NUMBER, POSITIVE, "m", "", BOX, BOX, BEAM(height), "of the section, along z"),
    TYPED("radius", NUMBER, POSITIVE, "m", "", S(CIRCLE) | S(TUBE), S(CIRCLE) | S(TUBE), BEAM(radius),
          "outer radius of the section"),
    TYPED("inner_radius", NUMBER, POSITIVE, "m", "", S(TUBE), S(TUBE), BEAM(inner_radius), "of a tube"),
    TYPED("web", NUMBER, POSITIVE, "m", "", WALLS, WALLS, BEAM(web),
          "thickness of the web, or of the leg along z"),
    TYPED("flange", NUMBER, POSITIVE, "m", "", WALLS, WALLS, BEAM(flange),
          "thickness of the flanges, or of the leg along y"),
    TYPED("material", CHOICE, ANY, "", "none", SOLID, 0, BEAM(material), "E, nu and density by name",
          .choices = materials),
    TYPED("E", NUMBER, POSITIVE, "Pa", "of the material", SOLID, 0, BEAM(youngs_modulus), "Young's modulus"),
    TYPED("nu", NUMBER, ANY, "", "of the material", SOLID, 0, BEAM(poisson),
          "Poisson's ratio, more than -1 and at most 0.5"),
    TYPED("density", NUMBER, POSITIVE, "kg/m^3", "of the material", SOLID, 0, BEAM(density),
          "mass per volume"),
    TYPED("stiffness", MATRIX6, ANY, "N, N m, N m^2", "", S(GENERAL), S(GENERAL), BEAM(stiffness6),
          "six diagonal entries [EA, GAy, GAz, GJ, EIy, EIz] or a 6 x 6 matrix, symmetric and positive "
          "definite"),
    TYPED("mass", NUMBER, POSITIVE, "kg/m", "", S(GENERAL), S(GENERAL), BEAM(mass), "per length"),
    TYPED("inertia", INERTIA, ANY, "kg m", "", S(GENERAL), S(GENERAL), BEAM(inertia),
          "per length, about the centre of mass in section axes; numbers as those of a body"),
    FIELD("damping", NUMBER, NONNEGATIVE, "s", "0", BEAM(damping),
          "stress = stiffness (strain + damping d(strain)/dt)"),
    FIELD("mass_damping", NUMBER, NONNEGATIVE, "1/s", "0", BEAM(mass_damping),
          "force = -mass_damping times momentum, against motion in space"),
    FIELD("load", FORCE3, ANY, "N/m", "none", BEAM(load),
          "force per length along the whole beam, inertial axes; expressions of t and any state"),
    FIELD("load_moment", TORQUE3, ANY, "N", "none", BEAM(load_moment), "moment per length, inertial axes"),
    FIELD("follower_load", FORCE3, ANY, "N/m", "none", BEAM(follower_load),
          "force per length in the axes of the moving sections"),
    FIELD("follower_moment", TORQUE3, ANY, "N", "none", BEAM(follower_moment),
          "moment per length in the axes of the moving sections"),
    FIELD("velocity", VECTOR, ANY, "m/s", "[0, 0, 0]", BEAM(velocity),
          "of the start point at the start, inertial frame"),
    FIELD("angular_velocity", SPIN, ANY, "rad/s", "[0, 0, 0]", BEAM(angular_velocity),
          "at the start, inertial frame: the beam moves as a rigid body"),
};
const tmli_schema tmli_schema_beam =
    SCHEMA(ENTRY, "beam", section_types, beam_fields, sizeof(tml_beam_def), &tmli_kind_beam,
           "A flexible beam ([beams](beams.md)). It becomes bodies NAME_0, NAME_1, ... (the nodes) and "
           "elements NAME_e1, NAME_e2, ... The frames NAME.start, NAME.mid (if a node is there), NAME.end "
           "and those of the stations are frames of nodes.");

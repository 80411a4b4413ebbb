// Keys of shapes and contacts.
#include "spec/schema_tables.h"

#define S(t) (1u << TML_SHAPE_##t)
#define SHAPE(m) offsetof(tml_shape_def, m)
#define CONTACT(m) offsetof(tml_contact_def, m)

#define SHAPES_ROUND (S(SPHERE) | S(CYLINDER) | S(CAPSULE) | S(CONE) | S(TORUS))
#define SHAPES_LONG (S(CYLINDER) | S(CAPSULE) | S(CONE))
#define FIELD S(HEIGHT_FIELD)
#define SHAPES_TOUCHING (S(SPHERE) | S(PLANE) | S(BOX) | S(CYLINDER) | S(CAPSULE) | S(MESH))

static const tmli_key_choice shape_types[] = {
    {"sphere", TML_SHAPE_SPHERE, "a sphere about the origin of `at`; in planar models a disc"},
    {"plane", TML_SHAPE_PLANE, "all that lies below the plane through the origin of `at`"},
    {"box", TML_SHAPE_BOX, "a box along the axes of `at`; in planar models a rectangle"},
    {"cylinder", TML_SHAPE_CYLINDER, "a cylinder, its ends slightly domed"},
    {"capsule", TML_SHAPE_CAPSULE, "a cylinder with half spheres at its ends"},
    {"cone", TML_SHAPE_CONE, "a cone, its tip towards `axis`, its middle at the origin of `at`; drawn only"},
    {"torus", TML_SHAPE_TORUS, "a ring about `axis`; drawn only"},
    {"mesh", TML_SHAPE_MESH, "triangles of an STL, OBJ or glTF file in the axes of `at`; its hull touches"},
    {"profile", TML_SHAPE_PROFILE, "planar models: what a closed curve through points encloses"},
    {"height-field", TML_SHAPE_HEIGHT_FIELD,
     "all below a smooth surface through a grid of heights over a rectangle about the origin of `at`"},
    {NULL, 0, NULL},
};
_Static_assert(sizeof shape_types / sizeof *shape_types == TML_SHAPE_TYPES + 1, "one row per shape type");
_Static_assert(SHAPE(columns) == SHAPE(height_count) + sizeof(int), "TMLI_FIELD_GRID");

static const tmli_key_choice outline_styles[] = {
    {"spline", TML_OUTLINE_SPLINE, "a smooth closed curve, the periodic cubic spline by chord length"},
    {"linear", TML_OUTLINE_LINEAR, "a polygon with rounded corners"},
    {NULL, 0, NULL},
};

static const tmli_field shape_fields[] = {
    {"type", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "", ALL, ALL, SHAPE(type), 0, shape_types, NULL,
     "kind of shape"},
    {"at", TMLI_FIELD_REFERENCE, TMLI_RANGE_ANY, "", "the body of the same name", ALL, 0, SHAPE(at), 0, NULL,
     NULL, "frame to which the shape is fixed"},
    {"group", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "none", ALL, 0, SHAPE(group), 0, NULL, NULL,
     "a name for several shapes, to be used in contacts"},
    {"radius", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", SHAPES_ROUND, SHAPES_ROUND, SHAPE(radius), 0,
     NULL, NULL, "radius; of a torus, of the circle in its tube"},
    {"length", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", SHAPES_LONG | FIELD, SHAPES_LONG | FIELD,
     SHAPE(length), 0, NULL, NULL,
     "length along `axis`, of a capsule without its half spheres; of a height field along x"},
    {"width", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", FIELD, FIELD, SHAPE(width), 0, NULL, NULL,
     "width along y"},
    {"heights", TMLI_FIELD_GRID, TMLI_RANGE_ANY, "`scale`", "those of `file`", FIELD, 0, SHAPE(heights),
     SHAPE(height_count), NULL, NULL,
     "rows of heights along z at equal distances: a row is along x, the first one at the least y"},
    {"tube", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "", S(TORUS), S(TORUS), SHAPE(tube), 0, NULL, NULL,
     "radius of the tube"},
    {"file", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "", S(MESH) | FIELD, S(MESH), SHAPE(file), 0, NULL, NULL,
     "inside the folder of the model file: STL (text or binary), OBJ or glTF (.glb, or .gltf with its data "
     "in "
     "it); of a height field rows of [columns](tables.md)"},
    {"scale", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "1", S(MESH) | FIELD, 0, SHAPE(scale), 0, NULL,
     NULL, "length of a unit of the file, or of `heights`: 0.001 for millimetres"},
    {"size", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m", "", S(BOX), S(BOX), SHAPE(edges), 0, NULL, NULL,
     "lengths of the edges"},
    {"points", TMLI_FIELD_POINTS, TMLI_RANGE_ANY, "m", "", S(PROFILE), S(PROFILE), SHAPE(points),
     SHAPE(point_count), NULL, NULL, "points of the curve in the axes of `at`, in one sense of rotation"},
    {"interpolation", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "spline", S(PROFILE), 0, SHAPE(outline), 0,
     outline_styles, NULL, "the curve between the points"},
    {"rounding", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "1 % of the farthest point", S(PROFILE), 0,
     SHAPE(rounding), 0, NULL, NULL, "linear: radius of the rounded corners"},
    {"repeat", TMLI_FIELD_INTEGER, TMLI_RANGE_POSITIVE, "", "1", S(PROFILE), 0, SHAPE(repeat), 0, NULL, NULL,
     "number of equal sectors about the origin, of which the points describe one, such as the teeth of a "
     "gear"},
    {"normal", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "z, planar: y", S(PLANE), 0, SHAPE(normal),
     SHAPE(has_normal), NULL, NULL, "outward normal in the axes of `at`"},
    {"axis", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "z, planar: x, of a torus z", SHAPES_LONG | S(TORUS), 0,
     SHAPE(axis), SHAPE(has_axis), NULL, NULL, "axis in the axes of `at`"},
    {"colour", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "chosen by the viewer", ALL, 0, SHAPE(colour), 0, NULL,
     NULL,
     "`\"#rrggbb\"`, or one of white, silver, grey, black, red, orange, yellow, green, teal, blue, purple, "
     "pink, brown, gold, steel"},
    {"opacity", TMLI_FIELD_NUMBER, TMLI_RANGE_UNIT, "", "1", ALL, 0, SHAPE(opacity), 0, NULL, NULL,
     "1: solid, 0: not to be seen"},
    {"hidden", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "false", ALL, 0, SHAPE(hidden), 0, NULL, NULL,
     "it is not drawn"},
    {"youngs_modulus", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "Pa", "none", SHAPES_TOUCHING, 0,
     SHAPE(youngs_modulus), 0, NULL, NULL, "Young's modulus, for contacts of spheres without `stiffness`"},
    {"poisson", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "", "0.3", SHAPES_TOUCHING, 0, SHAPE(poisson), 0, NULL,
     NULL, "Poisson's ratio"},
};
const tmli_schema tmli_schema_shape = {TMLI_SCHEMA_ENTRY,
                                       "shape",
                                       "A shape by which a body, or the ground, is drawn "
                                       "([viewer](viewer.md)) and touches others ([contact](contact.md)). It "
                                       "has no mass and no effect of its own.",
                                       shape_types,
                                       COUNT(shape_fields),
                                       shape_fields,
                                       sizeof(tml_shape_def),
                                       &tmli_kind_shape};

static const tmli_key_choice contact_laws[] = {
    {"hunt-crossley", TML_CONTACT_HUNT_CROSSLEY, "stiffness d^exponent (1 + damping v)"},
    {"hertz", TML_CONTACT_HERTZ, "stiffness d^1.5 + damping d^0.25 v"},
    {"linear", TML_CONTACT_LINEAR, "stiffness d + damping v"},
    {"rigid", TML_CONTACT_RIGID, "no depth: impacts with `restitution`, then a constraint that only pushes"},
    {NULL, 0, NULL},
};

static const tmli_key_choice impact_laws[] = {
    {"newton", TML_IMPACT_NEWTON, "speeds along the normal, after over before"},
    {"poisson", TML_IMPACT_POISSON, "normal impulses, of expansion over compression"},
    {NULL, 0, NULL},
};

static const tmli_field contact_fields[] = {
    {"a", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "", ALL, ALL, CONTACT(a), 0, NULL, NULL,
     "a shape or a group of shapes"},
    {"b", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "the shapes of `a` touch each other", ALL, 0, CONTACT(b), 0,
     NULL, NULL, "a shape or a group of shapes that touch those of `a`"},
    {"law", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "hunt-crossley", ALL, 0, CONTACT(law), 0, contact_laws,
     NULL, "normal force by the depth d [m] and its rate v [m/s]; it never pulls"},
    {"stiffness", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "N/m^exponent", "Hertz, by `youngs_modulus`", ALL,
     0, CONTACT(stiffness), 0, NULL, NULL, "of each point of contact"},
    {"exponent", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "1.5", ALL, 0, CONTACT(exponent), 0, NULL, NULL,
     "hunt-crossley: exponent of the depth, at least 1"},
    {"damping", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "s/m, N s/m^1.25, N s/m",
     "from `restitution`, or 0", ALL, 0, CONTACT(damping), 0, NULL, NULL, "see `law`"},
    {"restitution", TMLI_FIELD_NUMBER, TMLI_RANGE_UNIT, "", "none", ALL, 0, CONTACT(restitution), 0, NULL,
     NULL, "speed after over speed before an impact, instead of `damping`; rigid: required"},
    {"impact", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "newton", ALL, 0, CONTACT(impact), 0, impact_laws, NULL,
     "rigid: what `restitution` is the ratio of"},
    {"speed", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m/s", "1e-3 of the speeds of the model", ALL, 0,
     CONTACT(speed), 0, NULL, NULL,
     "hunt-crossley: least speed of impacts that meet `restitution`; in large groups that of all"},
    {"friction", TMLI_FIELD_BLOCK, TMLI_RANGE_ANY, "", "none", ALL, 0, CONTACT(friction),
     CONTACT(has_friction), NULL, &tmli_schema_friction,
     "law regularized or lugre, rigid: coulomb, with `coefficient`; the load is the normal force, and "
     "`viscous`, "
     "`bristle_stiffness` [1/m] and `bristle_damping` [s/m] are per unit of load"},
    {"rolling", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "m", "0", ALL, 0, CONTACT(rolling), 0, NULL, NULL,
     "rolling resistance: moment over normal force"},
    {"drilling", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "m", "0", ALL, 0, CONTACT(drilling), 0, NULL,
     NULL, "resistance to spin about the normal: moment over normal force"},
    {"spin_creep", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "rad/s", "none", ALL, 0, CONTACT(spin_creep), 0,
     NULL, NULL, "angular speed at which 76 % of these moments are reached"},
};
const tmli_schema tmli_schema_contact = {TMLI_SCHEMA_ENTRY,
                                         "contact",
                                         "A contact between shapes or groups of shapes "
                                         "([contact](contact.md)). It is a force, whose channels are `gap`, "
                                         "`force`, `friction` and `points`, and the "
                                         "[contact forces](contact.md#contact-forces).",
                                         NULL,
                                         COUNT(contact_fields),
                                         contact_fields,
                                         sizeof(tml_contact_def),
                                         &tmli_kind_contact};

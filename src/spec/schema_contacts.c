// Keys of shapes and contacts.
#include "spec/schema_tables.h"

#define S(t) (1u << TML_SHAPE_##t)
#define SHAPE(m) offsetof(tml_shape_def, m)
#define CONTACT(m) offsetof(tml_contact_def, m)

#define SHAPES_ROUND (S(SPHERE) | S(CYLINDER) | S(CAPSULE) | S(CONE) | S(TORUS))
#define SHAPES_LONG (S(CYLINDER) | S(CAPSULE) | S(CONE))
#define HEIGHTS S(HEIGHT_FIELD)
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
    TYPED("type", CHOICE, ANY, "", "", ALL, ALL, SHAPE(type), "kind of shape", .choices = shape_types),
    FIELD("at", REFERENCE, ANY, "", "the body of the same name", SHAPE(at),
          "frame to which the shape is fixed"),
    FIELD("group", TEXT, ANY, "", "none", SHAPE(group), "a name for several shapes, to be used in contacts"),
    TYPED("radius", NUMBER, POSITIVE, "m", "", SHAPES_ROUND, SHAPES_ROUND, SHAPE(radius),
          "radius; of a torus, of the circle in its tube"),
    TYPED("length", NUMBER, POSITIVE, "m", "", SHAPES_LONG | HEIGHTS, SHAPES_LONG | HEIGHTS, SHAPE(length),
          "length along `axis`, of a capsule without its half spheres; of a height field along x"),
    TYPED("width", NUMBER, POSITIVE, "m", "", HEIGHTS, HEIGHTS, SHAPE(width), "width along y"),
    TYPED("heights", GRID, ANY, "`scale`", "those of `file`", HEIGHTS, 0, SHAPE(heights),
          "rows of heights along z at equal distances: a row is along x, the first one at the least y",
          .flag = SHAPE(height_count)),
    TYPED("tube", NUMBER, POSITIVE, "m", "", S(TORUS), S(TORUS), SHAPE(tube), "radius of the tube"),
    TYPED("file", TEXT, ANY, "", "", S(MESH) | HEIGHTS, S(MESH), SHAPE(file),
          "inside the folder of the model file: STL (text or binary), OBJ or glTF (.glb, or .gltf with its "
          "data in it); of a height field rows of [columns](tables.md)"),
    TYPED("scale", NUMBER, POSITIVE, "m", "1", S(MESH) | HEIGHTS, 0, SHAPE(scale),
          "length of a unit of the file, or of `heights`: 0.001 for millimetres"),
    TYPED("size", VECTOR, ANY, "m", "", S(BOX), S(BOX), SHAPE(edges), "lengths of the edges"),
    TYPED("points", POINTS, ANY, "m", "", S(PROFILE), S(PROFILE), SHAPE(points),
          "points of the curve in the axes of `at`, in one sense of rotation", .flag = SHAPE(point_count)),
    TYPED("interpolation", CHOICE, ANY, "", "spline", S(PROFILE), 0, SHAPE(outline),
          "the curve between the points", .choices = outline_styles),
    TYPED("rounding", NUMBER, POSITIVE, "m", "1 % of the farthest point", S(PROFILE), 0, SHAPE(rounding),
          "linear: radius of the rounded corners"),
    TYPED("repeat", INTEGER, POSITIVE, "", "1", S(PROFILE), 0, SHAPE(repeat),
          "number of equal sectors about the origin, of which the points describe one, such as the teeth of "
          "a gear"),
    TYPED("normal", AXIS, ANY, "", "z, planar: y", S(PLANE), 0, SHAPE(normal),
          "outward normal in the axes of `at`", .flag = SHAPE(has_normal)),
    TYPED("axis", AXIS, ANY, "", "z, planar: x, of a torus z", SHAPES_LONG | S(TORUS), 0, SHAPE(axis),
          "axis in the axes of `at`", .flag = SHAPE(has_axis)),
    FIELD("colour", TEXT, ANY, "", "chosen by the viewer", SHAPE(colour),
          "`\"#rrggbb\"`, or one of white, silver, grey, black, red, orange, yellow, green, teal, blue, "
          "purple, pink, brown, gold, steel"),
    FIELD("opacity", NUMBER, UNIT, "", "1", SHAPE(opacity), "1: solid, 0: not to be seen"),
    FIELD("hidden", BOOL, ANY, "", "false", SHAPE(hidden), "it is not drawn"),
    TYPED("youngs_modulus", NUMBER, POSITIVE, "Pa", "none", SHAPES_TOUCHING, 0, SHAPE(youngs_modulus),
          "Young's modulus, for contacts of spheres without `stiffness`"),
    TYPED("poisson", NUMBER, ANY, "", "0.3", SHAPES_TOUCHING, 0, SHAPE(poisson), "Poisson's ratio"),
};
const tmli_schema tmli_schema_shape =
    SCHEMA(ENTRY, "shape", shape_types, shape_fields, sizeof(tml_shape_def), &tmli_kind_shape,
           "A shape by which a body, or the ground, is drawn ([viewer](viewer.md)) and touches others "
           "([contact](contact.md)). It has no mass and no effect of its own.");

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
    TYPED("a", TEXT, ANY, "", "", ALL, ALL, CONTACT(a), "a shape or a group of shapes"),
    FIELD("b", TEXT, ANY, "", "the shapes of `a` touch each other", CONTACT(b),
          "a shape or a group of shapes that touch those of `a`"),
    FIELD("law", CHOICE, ANY, "", "hunt-crossley", CONTACT(law),
          "normal force by the depth d [m] and its rate v [m/s]; it never pulls", .choices = contact_laws),
    FIELD("stiffness", NUMBER, POSITIVE, "N/m^exponent", "Hertz, by `youngs_modulus`", CONTACT(stiffness),
          "of each point of contact"),
    FIELD("exponent", NUMBER, POSITIVE, "", "1.5", CONTACT(exponent),
          "hunt-crossley: exponent of the depth, at least 1"),
    FIELD("damping", NUMBER, NONNEGATIVE, "s/m, N s/m^1.25, N s/m", "from `restitution`, or 0",
          CONTACT(damping), "see `law`"),
    FIELD("restitution", NUMBER, UNIT, "", "none", CONTACT(restitution),
          "speed after over speed before an impact, instead of `damping`; rigid: required"),
    FIELD("impact", CHOICE, ANY, "", "newton", CONTACT(impact), "rigid: what `restitution` is the ratio of",
          .choices = impact_laws),
    FIELD("speed", NUMBER, POSITIVE, "m/s", "1e-3 of the speeds of the model", CONTACT(speed),
          "hunt-crossley: least speed of impacts that meet `restitution`; in large groups that of all"),
    FIELD("friction", BLOCK, ANY, "", "none", CONTACT(friction),
          "law regularized or lugre, rigid: coulomb, with `coefficient`; the load is the normal force, and "
          "`viscous`, `bristle_stiffness` [1/m] and `bristle_damping` [s/m] are per unit of load",
          .flag = CONTACT(has_friction), .sub = &tmli_schema_friction),
    FIELD("rolling", NUMBER, NONNEGATIVE, "m", "0", CONTACT(rolling),
          "rolling resistance: moment over normal force"),
    FIELD("drilling", NUMBER, NONNEGATIVE, "m", "0", CONTACT(drilling),
          "resistance to spin about the normal: moment over normal force"),
    FIELD("spin_creep", NUMBER, POSITIVE, "rad/s", "none", CONTACT(spin_creep),
          "angular speed at which 76 % of these moments are reached"),
};
const tmli_schema tmli_schema_contact = SCHEMA(
    ENTRY, "contact", NULL, contact_fields, sizeof(tml_contact_def), &tmli_kind_contact,
    "A contact between shapes or groups of shapes ([contact](contact.md)). It is a force, whose channels are "
    "`gap`, `force`, `friction` and `points`, and the [contact forces](contact.md#contact-forces).");

// Shapes and contacts of a specification (spec.h).
#ifndef TRAMMEL_SHAPES_H
#define TRAMMEL_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/joints.h>
#include <trammel/switches.h>

/** The shapes by which bodies are drawn (docs/viewer.md) and touch (docs/contact.md). */
typedef enum tml_shape_type {
    TML_SHAPE_SPHERE,        ///< radius
    TML_SHAPE_PLANE,         ///< the half space below the plane through the origin of `at` with `normal`
    TML_SHAPE_BOX,           ///< edges, centred at the origin of `at`, along its axes
    TML_SHAPE_CYLINDER,      ///< radius and length, centred, about `axis`
    TML_SHAPE_CAPSULE,       ///< a cylinder of `length` with half spheres at its ends
    TML_SHAPE_CONE,          ///< drawn only: base of `radius` at -length/2, tip at +length/2 along `axis`
    TML_SHAPE_TORUS,         ///< drawn only: a tube about a circle of `radius` around `axis`
    TML_SHAPE_MESH,          ///< triangles of a file; its hull touches
    TML_SHAPE_PROFILE,       ///< planar models: a closed curve through points
    TML_SHAPE_HEIGHT_FIELD,  ///< all below a smooth surface through a grid of heights
    TML_SHAPE_TYPES
} tml_shape_type;

/** The curve between the points of a profile. */
typedef enum tml_outline_style {
    TML_OUTLINE_SPLINE,  ///< periodic cubic spline by chord length
    TML_OUTLINE_LINEAR,  ///< straight sides with rounded corners
    TML_OUTLINE_STYLES
} tml_outline_style;

/** A shape, fixed to a frame of a body or of the ground. */
typedef struct tml_shape_def {
    size_t size;       ///< set by tml_shape_def_default()
    const char *name;  ///< required; unique among shapes
    tml_shape_type type;
    const char *at;     ///< frame reference; NULL: the body with the name of the shape
    const char *group;  ///< a name for several shapes; NULL: none
    double radius;      ///< sphere, cylinder, capsule, cone, torus: [m], > 0
    double length;    ///< cylinder, capsule, cone, height field: [m], > 0; of a capsule without half spheres
    double edges[3];  ///< box: lengths of its edges [m], > 0; planar: the first two
    bool has_normal;
    double normal[3];  ///< plane: outward normal in the axes of `at`; default z, planar: y
    bool has_axis;
    double axis[3];         ///< of round shapes, in the axes of `at`; default z, planar: x (torus: z)
    double youngs_modulus;  ///< [Pa]; NAN: not known
    double poisson;         ///< Poisson's ratio; default 0.3
    double tube;            ///< torus: radius of the tube [m], > 0
    const char *file;    ///< mesh: STL, OBJ or glTF; tml_spec_read takes it from the folder of the model file
    double scale;        ///< mesh, height field: metres per unit of the numbers, > 0; default 1
    const char *colour;  ///< "#rrggbb", "#rgb" or the name of a colour; NULL: chosen by the viewer
    double opacity;      ///< 0 (invisible) .. 1 (solid, default)
    bool hidden;         ///< it is not drawn
    int point_count;     ///< profile: number of points
    const double *points;       ///< profile: (point_count x 3) in the axes of `at`, z = 0 [m]
    tml_outline_style outline;  ///< profile
    double rounding;            ///< profile, linear: radius of its corners [m]; NAN: 1 % of its size
    int repeat;                 ///< profile: number of equal sectors of which the points give one; default 1
    double width;               ///< height field: along y of `at` [m], > 0; `length` is along x
    int height_count;           ///< height field: number of heights, at least 2 rows of 2
    int columns;                ///< height field: numbers of a row, along x
    const double *heights;      ///< height field: rows from the least y on, in units of `scale`
} tml_shape_def;

/** Laws of the normal force N of a contact with the penetration d and its rate v; N is never negative. */
typedef enum tml_contact_law {
    TML_CONTACT_HUNT_CROSSLEY,  ///< stiffness d^exponent (1 + damping v)
    TML_CONTACT_HERTZ,          ///< stiffness d^1.5 + damping d^0.25 v
    TML_CONTACT_LINEAR,         ///< stiffness d + damping v
    TML_CONTACT_RIGID,          ///< no penetration: a unilateral constraint, and impacts with restitution
    TML_CONTACT_LAWS
} tml_contact_law;

/** A contact between two shapes or groups of shapes: it becomes one force, which pushes them apart where they
 * overlap. */
typedef struct tml_contact_def {
    size_t size;       ///< set by tml_contact_def_default()
    const char *name;  ///< required; unique among forces, joints, bodies, ...
    const char *a;     ///< shape or group
    const char *b;     ///< shape or group; NULL: the shapes of group a touch each other
    tml_contact_law law;
    double stiffness;    ///< [N/m^exponent], > 0; NAN: of spheres, from their Young's moduli (Hertz)
    double exponent;     ///< hunt-crossley: > 0; NAN: 1.5
    double damping;      ///< see tml_contact_law; NAN: from `restitution`, or 0
    double restitution;  ///< speed after over speed before an impact, 0 to 1; NAN: `damping` is given
    double speed;  ///< hunt-crossley with restitution: least speed of an impact at which it is met [m/s]
    bool has_friction;
    /** law lugre or regularized; bristles per unit of load: [1/m], [s/m]; of rigid contacts law coulomb */
    tml_friction_def friction;
    double rolling;         ///< rolling resistance: moment over normal force [m]
    double drilling;        ///< the same about the normal [m]
    double spin_creep;      ///< angular speed at which 76 % of these moments are reached [rad/s]
    tml_impact_law impact;  ///< rigid
} tml_contact_def;

#endif

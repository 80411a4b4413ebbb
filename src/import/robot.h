// A robot of a URDF file: links and joints that form a tree. Files of this room: values (attributes), robot
// (links, joints, the tree), others (what is not understood), light (links without mass), shapes (what is
// seen and touches), urdf (the spec).
//
// The frame of a link is at its joint; that of a body is at its centre of mass, with the axes of the link.
// A joint becomes a frame on both bodies whose z is its axis, so that angles and distances are those of the
// robot: both frames agree where they are 0.
#ifndef TMLI_IMPORT_ROBOT_H
#define TMLI_IMPORT_ROBOT_H

#include "import/import.h"
#include "import/xml/xml.h"
#include "math/math3.h"
#include "spec/spec.h"

/** Axes (columns) and origin of a frame in another. */
typedef struct tmli_pose {
    mat3 r;
    vec3 p;
} tmli_pose;

typedef enum tmli_urdf_kind {
    TMLI_URDF_REVOLUTE,
    TMLI_URDF_CONTINUOUS,
    TMLI_URDF_PRISMATIC,
    TMLI_URDF_FIXED,
    TMLI_URDF_FLOATING,
    TMLI_URDF_PLANAR,
    TMLI_URDF_BALL,  // not in URDF files
    TMLI_URDF_KINDS
} tmli_urdf_kind;

typedef struct tmli_link {
    const tmli_xml *element;
    const char *given, *name;  // in the file, in the model
    double mass;
    mat3 inertia;         // about the centre, axes of the link
    vec3 centre;          // in the frame of the link
    const tmli_xml *own;  // <inertial>; NULL: none
    int parent;           // joint; -1: none
    int first, last;      // joints to its children, linked by `sibling`; -1: none
    int top;              // the first link of those that are fixed to each other
    int holder;           // the link whose body it belongs to: itself, or one it is fixed to
    bool carries;         // it, or what it carries, has mass or inertia
    tmli_pose place;      // of its frame at the start, in the inertial frame
    vec3 velocity, turn;  // of its frame then, and its angular velocity, inertial axes
} tmli_link;

typedef struct tmli_urdf_joint {
    const tmli_xml *element;
    const char *given, *name;
    tmli_urdf_kind kind;
    int parent, child;  // links
    int sibling;        // next joint of the same parent; -1: none
    tmli_pose origin;
    vec3 axis;
    bool limited;
    double lower, upper;
    double start, rate;    // coordinate at the start, and its rate
    vec3 velocity, turn;   // of the child of a floating joint or a ball: in axes of the parent, in its own
    int leader;            // joint that it copies; -1: none
    double ratio, offset;  // q = ratio (that of the leader) + offset, both from their references
    bool held;             // it moves in the file, and not in the model
    double damping, friction, armature, stiffness;
    double spring;      // coordinate without a force of the spring
    const char *drive;  // force or torque along it, an expression; NULL: none
} tmli_urdf_joint;

typedef struct tmli_by_name {
    const char *name;
    int index;
} tmli_by_name;

typedef struct tmli_robot {
    const tml_import_def *def;
    const tmli_places *places;
    const char *folder;
    tmli_xml *root;
    tml_spec *spec;
    tml_spec *taken;    // only the names in use, those of forces of joints among them
    tmli_arena *arena;  // of the tree and all that is found in it
    int nlinks, njoints;
    tmli_link *links;
    tmli_urdf_joint *joints;
    tmli_by_name *link_names, *joint_names;  // sorted
    int *order;                              // (nlinks) parents before their children
    int first;                               // the link that is the child of none
    int ground;                              // the link that is the ground; -1: none
    double moment;                           // [kg m^2] least moment of inertia that counts
    bool touching;                           // there are <collision>s
    tml_error *err;
} tmli_robot;

static inline tmli_pose tmli_pose_mul(const tmli_pose *a, const tmli_pose *b)
{
    return (tmli_pose){m3_mul(&a->r, &b->r), v3_add(a->p, m3_mulv(&a->r, b->p))};
}
static inline tmli_pose tmli_pose_identity(void) { return (tmli_pose){m3_identity(), {0, 0, 0}}; }

/** The pose of <origin> within e; the identity if there is none. */
tml_status tmli_robot_origin(const tmli_robot *r, const tmli_xml *e, tmli_pose *out);
/** Add a note at an element; hidden characters become blanks. */
tml_status tmli_robot_note(const tmli_robot *r, const tmli_xml *e, const char *fmt, ...) TML_PRINTF(3, 4);
/** A name of the model, made of `given`: letters, digits and '_', and no other element has it. */
tml_status tmli_robot_name(const tmli_robot *r, const tmli_xml *e, const char *given, const char *what,
                           const char **out);
bool tmli_robot_is_taken(const tmli_robot *r, const char *name);
/** x with 15 digits; what is round-off of `size`, such as that of rotations, is 0. */
double tmli_robot_tidy(double x, double size);

/** Links, joints, the tree, and what copies what. */
tml_status tmli_robot_read(tmli_robot *r);
/** The start of a joint with limits: `wanted`, but inside of them; equal limits hold it. */
tml_status tmli_robot_limit(const tmli_robot *r, const tmli_xml *e, double wanted, tmli_urdf_joint *j);
/** Places and velocities of all links, from the starts of the joints. */
void tmli_robot_place(tmli_robot *r);
/** Bodies and joints of the model; the robot is weighed. */
tml_status tmli_robot_add(const tmli_robot *r);
/** "joint.angle" or "joint.distance"; NULL: no memory. */
const char *tmli_robot_coordinate(const tmli_robot *r, const tmli_urdf_joint *j);
/** A rotation about a unit vector [rad], and one that takes z to a unit vector by the shortest way. */
mat3 tmli_robot_about(vec3 axis, double angle);
mat3 tmli_robot_towards(vec3 axis);
/** Notes on the elements that are not understood. */
tml_status tmli_robot_note_others(const tmli_robot *r);
/** Which links are bodies; joints that move nothing with a mass are held. */
tml_status tmli_robot_weigh(tmli_robot *r);
/** The nearest tensor of a distribution of positive mass. */
void tmli_robot_mend(mat3 *J);
/** A frame at this pose, on the body of the link. *out: "body.frame"; may be NULL. */
tml_status tmli_robot_frame(const tmli_robot *r, const tmli_link *link, const tmli_xml *e, const char *name,
                            const tmli_pose *inside, const char **out);
/** A file of triangles as the shape *d; *use: false: it is left out, with a note. */
tml_status tmli_robot_mesh(const tmli_robot *r, const tmli_xml *e, const char *file, const double scale[3],
                           tml_shape_def *d, bool *use);
/** Colour and opacity of numbers between 0 and 1. */
tml_status tmli_robot_colour(const tmli_robot *r, const double rgba[4], tml_shape_def *d);
/** The shapes of a link. */
tml_status tmli_robot_shapes(const tmli_robot *r, const tmli_link *link);

/** The model of a <mujoco> file; mjcf.h. */
tml_status tmli_mjcf_read(tmli_robot *r);

#endif

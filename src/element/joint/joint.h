// Joints as rows of measures. Row r of a joint between marker a (origin P_a, axes x_a y_a z_a on body A) and
// marker b is
//   Phi_r = sum over its terms of coef * measure - target_r(t) = 0
// with d = P_b - P_a. A row at velocity level states this of the rates of its measures. Each type is a table
// of functions and properties. Rows of gears, racks and drivers constrain joint coordinates of other joints;
// model/build makes these rows. A pose is a driver between two frames: each of its rows follows a motion.
#ifndef TMLI_ELEMENT_JOINT_JOINT_H
#define TMLI_ELEMENT_JOINT_JOINT_H

#include "element/joint/measure.h"
#include <stdbool.h>
#include <trammel/spec.h>

/** A frame fixed to a body: origin s [m] and axes C (columns), in body axes. body = -1: ground. */
typedef struct tmli_marker {
    int body;
    vec3 s;
    mat3 C;
} tmli_marker;

/** One summand of a row. */
typedef struct tmli_term {
    tmli_measure measure;
    double coef;
    int row;
    int coord;  // the coordinate of the joint that the measure is, an angle counted beyond +-pi; -1: none
} tmli_term;

enum { TMLI_JOINT_TERMS = 8, TMLI_JOINT_ROWS = 6, TMLI_JOINT_COORDS = 6 };

/** A joint coordinate, JOINT.angle, JOINT.distance, ... in expressions. */
typedef struct tmli_joint_coord {
    const char *suffix;  // "angle"
    const char *rate;    // name of its rate: "rate"
    const char *unit;    // "rad"
    tmli_measure measure;
} tmli_joint_coord;

/** The branch of a joint's rows. Rows with products of axes also vanish where axes are turned by half a turn,
 * or permuted. On the branch of the joint the sum of dot products of axes exceeds `least`, elsewhere it does
 * not. */
typedef struct tmli_joint_branch {
    int count;  // 0: the rows have one branch
    tmli_measure dot[3];
    double least;
} tmli_joint_branch;

typedef struct tmli_joint_rows {
    int nrows, nterms, ncoords;
    tmli_joint_branch branch;
    tmli_term term[TMLI_JOINT_TERMS];
    double target[TMLI_JOINT_ROWS];  // constant right-hand side of each row
    bool rate[TMLI_JOINT_ROWS];      // the row is at velocity level: its measures have rates only
    tmli_joint_coord coord[TMLI_JOINT_COORDS];
} tmli_joint_rows;

/** The role of a joint. */
typedef enum tmli_joint_role {
    TMLI_JOINT_BETWEEN,  // rows between two frames
    TMLI_JOINT_COUPLER,  // one row between coordinates of other joints
    TMLI_JOINT_MOTION    // a coordinate of another joint follows a motion
} tmli_joint_role;

/** What the rows of a joint use of one of its frames. Rotations of the body that change none of it leave the
 * rows unchanged. */
enum { TMLI_USES_POINT = 1, TMLI_USES_X = 2, TMLI_USES_Y = 4, TMLI_USES_Z = 8, TMLI_USES_ALL_AXES = 14 };

/** Rotation that a joint leaves free. */
typedef enum tmli_rotation_kind {
    TMLI_ROTATION_NONE,
    TMLI_ROTATION_AXIS,      // about one axis, fixed in both bodies
    TMLI_ROTATION_TWO_AXES,  // about an axis fixed in the parent, then one fixed in the child
    TMLI_ROTATION_BALL       // free: unit quaternion, angular velocity in axes of the child
} tmli_rotation_kind;

/** The motion that a joint leaves free, in joint coordinates. */
typedef struct tmli_joint_motion {
    bool known;            // false: the joint cannot be a tree joint
    int nslide, slide[3];  // translations along these axes of frame a
    tmli_rotation_kind rotation;
    bool helical;  // a translation follows the rotation
    int solved;    // number of rows that it satisfies, the first ones; 0: all
} tmli_joint_motion;

/** How a planar model treats the z axes of a joint. */
typedef enum tmli_planar_axes {
    TMLI_AXES_FREE,
    TMLI_AXES_SLIDE,     // the joint slides along z: the other axes of both frames may be chosen
    TMLI_AXES_PARALLEL,  // the same for b only: coordinates are measured along the axes of a
    TMLI_AXES_COMMON     // any common axes of both frames will do
} tmli_planar_axes;

/** The direction that the z axis must have in a planar model. */
typedef enum tmli_planar_direction { TMLI_Z_ANY, TMLI_Z_NORMAL, TMLI_Z_IN_PLANE } tmli_planar_direction;

/** A type of joint. To add one: its table in a file here, one line in TML_JOINT_TYPE_LIST
 * (include/trammel/joints.h), its row and keys in spec/schema_joints.c. */
typedef struct tmli_joint_ops {
    tmli_joint_role role;
    /** Rows and coordinates between a and b; out is all 0. def: length and pitch are set. NULL: no frames. */
    void (*rows)(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b, tmli_joint_rows *out);
    unsigned uses[2];  // TMLI_USES_... of frames a and b
    tmli_joint_motion motion;
    tmli_planar_axes planar_axes;
    tmli_planar_direction planar_direction;
    bool rigid;         // no motion at all
    bool rod;           // its row is a length
    bool dependent;     // its own rows depend on each other in some configuration, where branches meet
    bool start_target;  // the target of its last row is the value at the start
    bool moved;         // every row follows a motion of its own (pose)
} tmli_joint_ops;

/** The table of a type. */
const tmli_joint_ops *tmli_joint_type(tml_joint_type type);

/** Rows and coordinates of a joint of this type between a and b. */
void tmli_joint_build(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                      tmli_joint_rows *out);

// ---- for the types: rows ----------------------------------------------------------------------------------

void tmli_joint_add_term(tmli_joint_rows *out, int row, double coef, tmli_measure m);
void tmli_joint_add_row(tmli_joint_rows *out, tmli_measure m);
/** A row at velocity level. */
void tmli_joint_add_rate_row(tmli_joint_rows *out, tmli_measure m);
void tmli_joint_add_coord(tmli_joint_rows *out, const char *suffix, const char *rate, const char *unit,
                          tmli_measure m);
/** Common origins: three rows with inertial axes. */
void tmli_joint_add_common_point(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b);
/** Parallel z axes: two rows, and the branch on which they do not point in opposite directions. */
void tmli_joint_add_parallel_z(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b);
/** The branch on which the axes `first` .. `last` of both frames together point in the same directions. */
void tmli_joint_set_branch(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b, int first,
                           int last, double least);
/** Origin of b on the z axis of a. */
void tmli_joint_add_on_line(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b);
/** The coordinate `angle` about z of a. */
void tmli_joint_add_angle(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b);
/** The coordinate `distance` along z of a. */
void tmli_joint_add_slide(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b);
/** The coordinates `px`, `py` in the x-y plane of a. */
void tmli_joint_add_in_plane(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b);

// Common measures between two markers
tmli_measure tmli_measure_coord(const tmli_marker *a, const tmli_marker *b, vec3 e);    // e . d, e inertial
tmli_measure tmli_measure_distance(const tmli_marker *a, const tmli_marker *b);         // |d|
tmli_measure tmli_measure_slide(const tmli_marker *a, const tmli_marker *b, int axis);  // axis of a . d
tmli_measure tmli_measure_twist(const tmli_marker *a,
                                const tmli_marker *b);  // angle from x_a to x_b about z_a
/** Velocity of slip of the disc about z of b on the x-y plane of a, along an axis of a (slip.c). */
tmli_measure tmli_measure_rolling(const tmli_marker *a, const tmli_marker *b, int axis, double radius,
                                  double tread);
/** Velocity of the origin of b relative to a, along an axis of b. */
tmli_measure tmli_measure_skid(const tmli_marker *a, const tmli_marker *b, int axis);
/** Sine of the angle between the z axes. */
tmli_measure tmli_measure_sine(const tmli_marker *a, const tmli_marker *b);
/** (axis ka of a) . (axis kb of b) */
tmli_measure tmli_measure_dot(const tmli_marker *a, int ka, const tmli_marker *b, int kb);
/** atan2(sin_a . sin_b, cos_a . cos_b) with axes of a and b given by number. */
tmli_measure tmli_measure_angle(const tmli_marker *a, const tmli_marker *b, int sin_a, int sin_b, int cos_a,
                                int cos_b);
/** asin(-(axis ka of a) . (axis kb of b)) */
tmli_measure tmli_measure_tilt(const tmli_marker *a, int ka, const tmli_marker *b, int kb);
/** d.d/(2 length) */
tmli_measure tmli_measure_squared(const tmli_marker *a, const tmli_marker *b, double length);

#endif

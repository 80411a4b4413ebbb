// Joints with a common point: fixed, revolute, spherical, universal, constant-velocity.
#include "element/joint/joint.h"

static void fixed(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b, tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_common_point(out, a, b);
    tmli_joint_add_row(out, tmli_measure_dot(a, 0, b, 1));
    tmli_joint_add_row(out, tmli_measure_dot(a, 1, b, 2));
    tmli_joint_add_row(out, tmli_measure_dot(a, 2, b, 0));
    // 3 here, -1 with two axes reversed, 0 with the axes permuted
    tmli_joint_set_branch(out, a, b, 0, 2, 1.5);
}

static void revolute(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                     tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_common_point(out, a, b);
    tmli_joint_add_parallel_z(out, a, b);
    tmli_joint_add_angle(out, a, b);
}

static void spherical(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                      tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_common_point(out, a, b);
}

static void universal(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                      tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_common_point(out, a, b);
    tmli_joint_add_row(out, tmli_measure_dot(a, 0, b, 1));
    // sin = z_a.y_b, cos = y_a.y_b
    tmli_joint_add_coord(out, "angle1", "rate1", "rad", tmli_measure_angle(a, b, 2, 1, 1, 1));
    // sin = x_a.z_b, cos = x_a.x_b
    tmli_joint_add_coord(out, "angle2", "rate2", "rad", tmli_measure_angle(a, b, 0, 2, 0, 0));
}

// With the quaternion (e0, e1, e2, e3) of b relative to a,
//   x_a.y_b - y_a.x_b = -4 e0 e3                                                                          (1)
//   x_a.x_b + y_a.y_b = 2 (e0^2 - e3^2)                                                                   (2)
// The joint is e3 = 0: b is bent against a, but not twisted. All half turns, e0 = 0, satisfy (1) as well;
// (2) tells them apart. The two branches meet where the joint is bent by half a turn, folded on itself.
static void constant_velocity(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                              tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_common_point(out, a, b);
    tmli_joint_add_row(out, tmli_measure_dot(a, 0, b, 1));
    tmli_joint_add_term(out, out->nrows - 1, -1, tmli_measure_dot(a, 1, b, 0));
    tmli_joint_set_branch(out, a, b, 0, 1, 0);  // (2)
}

const tmli_joint_ops tmli_joint_fixed = {
    .rows = fixed,
    .uses = {TMLI_USES_POINT | TMLI_USES_ALL_AXES, TMLI_USES_POINT | TMLI_USES_ALL_AXES},
    .motion = {.known = true},
    .planar_axes = TMLI_AXES_COMMON,
    .rigid = true,
};

const tmli_joint_ops tmli_joint_revolute = {
    .rows = revolute,
    .uses = {TMLI_USES_POINT | TMLI_USES_Z, TMLI_USES_POINT | TMLI_USES_Z},
    .motion = {.known = true, .rotation = TMLI_ROTATION_AXIS},
    .planar_direction = TMLI_Z_NORMAL,
};

const tmli_joint_ops tmli_joint_spherical = {
    .rows = spherical,
    .uses = {TMLI_USES_POINT, TMLI_USES_POINT},
    .motion = {.known = true, .rotation = TMLI_ROTATION_BALL},
};

const tmli_joint_ops tmli_joint_universal = {
    .rows = universal,
    .uses = {TMLI_USES_POINT | TMLI_USES_X, TMLI_USES_POINT | TMLI_USES_Y},
    .motion = {.known = true, .rotation = TMLI_ROTATION_TWO_AXES},
};

// A ball joint satisfies the first three rows; the last one remains a constraint.
const tmli_joint_ops tmli_joint_constant_velocity = {
    .rows = constant_velocity,
    .uses = {TMLI_USES_POINT | TMLI_USES_ALL_AXES, TMLI_USES_POINT | TMLI_USES_ALL_AXES},
    .motion = {.known = true, .rotation = TMLI_ROTATION_BALL, .solved = 3},
    .dependent = true,
};

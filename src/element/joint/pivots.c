// Joints with a common point: fixed, revolute, spherical, universal, constant-velocity.
#include "element/joint/joint.h"

static void fixed(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b, tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_common_point(out, a, b);
    tmli_joint_add_row(out, tmli_measure_dot(a, 0, b, 1));
    tmli_joint_add_row(out, tmli_measure_dot(a, 1, b, 2));
    tmli_joint_add_row(out, tmli_measure_dot(a, 2, b, 0));
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

static void constant_velocity(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                              tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_common_point(out, a, b);
    tmli_joint_add_row(out, tmli_measure_dot(a, 0, b, 1));
    tmli_joint_add_term(out, out->nrows - 1, -1, tmli_measure_dot(a, 1, b, 0));
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
};

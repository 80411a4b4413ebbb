// Joints that slide along the common z axis: prismatic, cylindrical, screw.
#include "element/joint/joint.h"

static void prismatic(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                      tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_parallel_z(out, a, b);
    tmli_joint_add_on_line(out, a, b);
    tmli_joint_add_row(out, tmli_measure_dot(a, 0, b, 1));
    tmli_joint_set_branch(out, a, b, 0, 2, 1);  // 3 here, -1 with two axes reversed
    tmli_joint_add_slide(out, a, b);
}

static void cylindrical(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                        tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_parallel_z(out, a, b);
    tmli_joint_add_on_line(out, a, b);
    tmli_joint_add_angle(out, a, b);
    tmli_joint_add_slide(out, a, b);
}

static void screw(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b, tmli_joint_rows *out)
{
    const double pi = 3.14159265358979323846;
    tmli_joint_add_parallel_z(out, a, b);
    tmli_joint_add_on_line(out, a, b);
    tmli_joint_add_angle(out, a, b);
    tmli_joint_add_slide(out, a, b);
    tmli_joint_add_row(out, tmli_measure_slide(a, b, 2));
    tmli_joint_add_term(out, out->nrows - 1, -def->pitch / (2 * pi), tmli_measure_twist(a, b));
}

const tmli_joint_ops tmli_joint_prismatic = {
    .rows = prismatic,
    .uses = {TMLI_USES_POINT | TMLI_USES_ALL_AXES, TMLI_USES_POINT | TMLI_USES_ALL_AXES},
    .motion = {.known = true, .nslide = 1, .slide = {2}},
    .planar_axes = TMLI_AXES_SLIDE,
    .planar_direction = TMLI_Z_IN_PLANE,
};

const tmli_joint_ops tmli_joint_cylindrical = {
    .rows = cylindrical,
    .uses = {TMLI_USES_POINT | TMLI_USES_Z, TMLI_USES_POINT | TMLI_USES_Z},
    .motion = {.known = true, .nslide = 1, .slide = {2}, .rotation = TMLI_ROTATION_AXIS},
    .planar_axes = TMLI_AXES_SLIDE,
};

const tmli_joint_ops tmli_joint_screw = {
    .rows = screw,
    .uses = {TMLI_USES_POINT | TMLI_USES_ALL_AXES, TMLI_USES_POINT | TMLI_USES_ALL_AXES},
    .motion = {.known = true, .rotation = TMLI_ROTATION_AXIS, .helical = true},
    .planar_axes = TMLI_AXES_SLIDE,
    .start_target = true,
};

// Orientation joint: the axes of both frames stay parallel, translation is free. Its three rows are the
// rotation rows of a fixed joint.
#include "element/joint/joint.h"

static void orientation(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                        tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_row(out, tmli_measure_dot(a, 0, b, 1));
    tmli_joint_add_row(out, tmli_measure_dot(a, 1, b, 2));
    tmli_joint_add_row(out, tmli_measure_dot(a, 2, b, 0));
    tmli_joint_add_in_plane(out, a, b);  // coordinates px, py
    tmli_joint_add_slide(out, a, b);     // and distance
}

const tmli_joint_ops tmli_joint_orientation = {
    .rows = orientation,
    .uses = {TMLI_USES_ALL_AXES, TMLI_USES_ALL_AXES},
    .motion = {.known = true, .nslide = 3, .slide = {0, 1, 2}},
    .planar_axes = TMLI_AXES_COMMON,
};

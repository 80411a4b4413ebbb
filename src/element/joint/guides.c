// Joints that guide a point or a direction: planar, point-on-line, point-on-plane, parallel, perpendicular,
// distance.
#include "element/joint/joint.h"

static void planar(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b, tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_parallel_z(out, a, b);
    tmli_joint_add_row(out, tmli_measure_slide(a, b, 2));
    tmli_joint_add_angle(out, a, b);
    tmli_joint_add_in_plane(out, a, b);
}

static void point_on_line(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                          tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_on_line(out, a, b);
    tmli_joint_add_slide(out, a, b);
}

static void point_on_plane(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                           tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_row(out, tmli_measure_slide(a, b, 2));
    tmli_joint_add_in_plane(out, a, b);
}

static void parallel(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                     tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_parallel_z(out, a, b);
    tmli_joint_add_angle(out, a, b);
}

static void perpendicular(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                          tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_row(out, tmli_measure_dot(a, 2, b, 2));
}

static void distance(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                     tmli_joint_rows *out)
{
    tmli_joint_add_row(out, tmli_measure_squared(a, b, def->length));
    out->target[0] = def->length / 2;
    tmli_joint_add_coord(out, "distance", "speed", "m", tmli_measure_distance(a, b));
}

const tmli_joint_ops tmli_joint_planar = {
    .rows = planar,
    .uses = {TMLI_USES_POINT | TMLI_USES_Z, TMLI_USES_POINT | TMLI_USES_Z},
    .motion = {.known = true, .nslide = 2, .slide = {0, 1}, .rotation = TMLI_ROTATION_AXIS},
    .planar_axes = TMLI_AXES_PARALLEL,
};

const tmli_joint_ops tmli_joint_point_on_line = {
    .rows = point_on_line,
    .uses = {TMLI_USES_POINT | TMLI_USES_Z, TMLI_USES_POINT},
    .motion = {.known = true, .nslide = 1, .slide = {2}, .rotation = TMLI_ROTATION_BALL},
    .planar_axes = TMLI_AXES_SLIDE,
};

const tmli_joint_ops tmli_joint_point_on_plane = {
    .rows = point_on_plane,
    .uses = {TMLI_USES_POINT | TMLI_USES_Z, TMLI_USES_POINT},
    .motion = {.known = true, .nslide = 2, .slide = {0, 1}, .rotation = TMLI_ROTATION_BALL},
};

const tmli_joint_ops tmli_joint_parallel = {
    .rows = parallel,
    .uses = {TMLI_USES_Z, TMLI_USES_Z},
    .motion = {.known = true, .nslide = 3, .slide = {0, 1, 2}, .rotation = TMLI_ROTATION_AXIS},
    .planar_axes = TMLI_AXES_PARALLEL,
};

const tmli_joint_ops tmli_joint_perpendicular = {
    .rows = perpendicular,
    .uses = {TMLI_USES_Z, TMLI_USES_Z},
};

const tmli_joint_ops tmli_joint_distance = {
    .rows = distance,
    .uses = {TMLI_USES_POINT, TMLI_USES_POINT},
    .rod = true,
};

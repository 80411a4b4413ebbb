// Joints with rows at velocity level: knife-edge and wheel. They restrict velocities, not positions: a blade
// and a wheel reach every place, by a way that is long enough.
#include "element/joint/joint.h"

// The origin of b stays in the x-y plane of a and has no velocity along y of b.
static void knife_edge(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                       tmli_joint_rows *out)
{
    (void)def;
    tmli_joint_add_row(out, tmli_measure_slide(a, b, 2));
    tmli_joint_add_rate_row(out, tmli_measure_skid(a, b, 1));
    tmli_joint_add_in_plane(out, a, b);
}

// A disc about z of b touches the x-y plane of a from above (+z) and rolls without slip. Its centre is
// r sin(angle between the axes) + tread above the plane.
static void wheel(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b, tmli_joint_rows *out)
{
    tmli_joint_add_row(out, tmli_measure_slide(a, b, 2));
    tmli_joint_add_term(out, 0, -def->radius, tmli_measure_sine(a, b));
    out->target[0] = def->tread;
    tmli_joint_add_rate_row(out, tmli_measure_rolling(a, b, 0, def->radius, def->tread));
    tmli_joint_add_rate_row(out, tmli_measure_rolling(a, b, 1, def->radius, def->tread));
    tmli_joint_add_in_plane(out, a, b);
}

const tmli_joint_ops tmli_joint_knife_edge = {
    .rows = knife_edge,
    .uses = {TMLI_USES_POINT | TMLI_USES_Z, TMLI_USES_POINT | TMLI_USES_Y},
};

const tmli_joint_ops tmli_joint_wheel = {
    .rows = wheel,
    .uses = {TMLI_USES_POINT | TMLI_USES_ALL_AXES, TMLI_USES_POINT | TMLI_USES_ALL_AXES},
};

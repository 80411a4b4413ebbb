// Leaf spring: a main leaf of stiffness k and a helper leaf of stiffness k2 that joins in beyond the gap g,
// between the origins of two frames. With the elongation e = x - free and its excess p = max(|e| - g, 0),
//   F = k e + k2 p sign(e) + c xdot,     U = k e^2/2 + k2 p^2/2                                        (1)
//   Q = -F grad x,    -Q_d = F N + grad x (F_x grad x + c u'N)',    -Q_u = c grad x grad x'            (2)
// with the gradient and the second derivative N of the length x.
#include "element/force/force.h"

typedef struct leaf_spring {
    tmli_marker at[2];
    int slot[2];
    double stiffness, damping, free, helper, gap;
} leaf_spring;

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    leaf_spring *s = f->data;
    const tml_status st = tmli_force_find_frames(b, e, s->at);
    if (st != TML_OK) return st;
    const int node[2] = {s->at[0].body, s->at[1].body};
    f->use = tmli_model_add_measure_use(b->m, tmli_measure_distance(&s->at[0], &s->at[1]), node[0], node[1]);
    if (f->use < 0) return tmli_no_memory(b->err, "model");
    s->stiffness = e->def.stiffness;
    s->damping = e->def.damping;
    s->helper = e->def.helper;
    s->gap = e->def.gap;
    const tmli_pose A = tmli_node_start_pose(b->m, node[0]), B = tmli_node_start_pose(b->m, node[1]);
    s->free =
        isnan(e->def.free) ? tmli_measure_value(&b->m->measure_use[f->use].measure, &A, &B) : e->def.free;
    return tmli_force_plan(b, f, 2, node, s->slot);
}

// Length, its rate and gradient; force and its slope.
typedef struct motion {
    const tmli_measure *measure;
    const tmli_pose *A, *B;
    double x, rate, g[12], u[12], F, slope, excess;
} motion;

static motion motion_of(const tmli_force *f, const tmli_view *v)
{
    const leaf_spring *s = f->data;
    const tmli_measure_use *use = &v->m->measure_use[f->use];
    motion k = {.measure = &use->measure,
                .A = tmli_pose_of(v->pose, use->node[0]),
                .B = tmli_pose_of(v->pose, use->node[1])};
    k.x = tmli_measure_of(v->m, v->pose, v->x, f->use, k.u);
    tmli_measure_grad(k.measure, k.A, k.B, k.g);
    for (int i = 0; i < 12; i++) k.rate += k.g[i] * k.u[i];
    const double e = k.x - s->free;
    k.excess = fmax(fabs(e) - s->gap, 0);
    k.slope = s->stiffness + (k.excess > 0 ? s->helper : 0);
    k.F = s->stiffness * e + s->helper * copysign(k.excess, e) + s->damping * k.rate;  // (1)
    return k;
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const leaf_spring *s = f->data;
    const motion k = motion_of(f, v);
    for (int side = 0; side < 2; side++) tmli_add_slot(Q, s->slot[side], k.g + 6 * side, -k.F);
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const leaf_spring *s = f->data;
    const motion k = motion_of(f, v);
    const int width = 6 * f->plan.nslots;
    double row[12], N[144] = {0};
    tmli_measure_row(k.measure, k.A, k.B, k.u, row);
    tmli_measure_add_hessian(k.measure, k.A, k.B, k.F, N);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            if (s->slot[i / 6] < 0 || s->slot[j / 6] < 0) continue;
            const int at = (6 * s->slot[i / 6] + i % 6) * width + 6 * s->slot[j / 6] + j % 6;
            H[at] += N[12 * i + j] + k.g[i] * (k.slope * k.g[j] + s->damping * row[j]);  // (2)
            D[at] += s->damping * k.g[i] * k.g[j];
        }
}

static void energy(const tmli_force *f, const tmli_view *v, double *potential, double power[TMLI_WORK_KINDS])
{
    const leaf_spring *s = f->data;
    const motion k = motion_of(f, v);
    const double e = k.x - s->free;
    *potential += s->stiffness * e * e / 2 + s->helper * k.excess * k.excess / 2;
    power[TMLI_WORK_DAMPED] -= s->damping * k.rate * k.rate;
}

static void channels(const tmli_force *f, const tmli_view *v, double *values)
{
    values[1] = motion_of(f, v).F;
}

static tmli_touch touch(const tmli_force *f, int node, vec3 *point)
{
    const leaf_spring *s = f->data;
    for (int side = 0; side < 2; side++) {
        *point = s->at[side].s;
        if (s->at[side].body == node) return TMLI_TOUCH_POINT;
    }
    return TMLI_TOUCH_NONE;
}

static const tmli_force_channel leaf_spring_channels[] = {{"length", "m", TMLI_CHANNEL_MEASURE, true},
                                                          {"force", "N", TMLI_CHANNEL_VALUE, true}};

const tmli_force_ops tmli_force_leaf_spring = {
    .size = sizeof(leaf_spring),
    .nchannels = 2,
    .channel = leaf_spring_channels,
    .build = build,
    .force = force,
    .tangent = tangent,
    .energy = energy,
    .channels = channels,
    .touch = touch,
};

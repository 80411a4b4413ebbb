// An element of a beam between its nodes (element.h), as a force. Damping against motion in space acts
// on node i with the length w_i of the beam that belongs to it:
//   force -space_damping[0] w_i v_i,   torque -space_damping[1..3] w_i times the angular velocity (body axes)
#include "element/beam/element.h"
#include "element/force/force.h"
#include "math/lagrange.h"

#include <string.h>

enum { ALL = 6 * TMLI_BEAM_NODES };

typedef struct beam {
    tmli_beam element;
    int node[TMLI_BEAM_NODES], slot[TMLI_BEAM_NODES];
    double damping[TMLI_BEAM_NODES][6];  // of the coordinates of a node [N s/m, N m s]
    bool damped;
} beam;

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    beam *k = f->data;
    const int nodes = e->def.frame_count;
    tmli_pose start[TMLI_BEAM_NODES];
    if (nodes < 2 || nodes > TMLI_BEAM_NODES)
        return tmli_fail_at(b->err, TML_ERR_ARG, e->at.at, "beam element '%s' has %d nodes, expected 2 to %d",
                            e->def.name, nodes, TMLI_BEAM_NODES);
    for (int i = 0; i < nodes; i++) {
        tmli_marker at;
        const tml_status st = tmli_model_find_frame(b->spec, b->m, e->def.frame[i], e->at.at, &at, b->err);
        if (st != TML_OK) return st;
        k->node[i] = at.body;
        if (at.body < 0 || b->m->node[at.body].ncoords != (b->m->planar ? 3 : 6))
            return tmli_fail_at(b->err, TML_ERR_MODEL, e->at.at,
                                "beam element '%s': its nodes must be bodies that can rotate", e->def.name);
        start[i] = tmli_node_start_pose(b->m, at.body);
    }
    if (!(tmli_beam_init(&k->element, nodes, e->def.beam_interpolation == TML_BEAM_SE3, start) > 0))
        return tmli_fail_at(
            b->err, TML_ERR_MODEL, e->at.at,
            "beam element '%s': its nodes are not in order along their x axes (more elements?)", e->def.name);
    tmli_beam_set_section(&k->element, e->def.section_stiffness, e->def.section_damping);
    k->element.planar = b->m->planar;
    for (int i = 0; i < nodes; i++) {
        const double length = tmli_lobatto_weight[nodes][i] * k->element.j[0];
        for (int c = 0; c < 6; c++) {
            k->damping[i][c] = length * e->def.space_damping[c < 3 ? 0 : c - 2];
            k->damped = k->damped || k->damping[i][c] != 0;
        }
    }
    f->rate_free = k->element.eta == 0 && !k->damped;
    return tmli_force_plan(b, f, nodes, k->node, k->slot);
}

// u is left alone if the velocities do not matter.
static void motion_of(const beam *k, bool rate_free, const tmli_view *v, tmli_pose *pose, double *u)
{
    for (int i = 0; i < k->element.nodes; i++) {
        pose[i] = v->pose[k->node[i]];
        if (!rate_free) tmli_node_velocity(v->m, v->x->u, k->node[i], u + 6 * i);
    }
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const beam *k = f->data;
    tmli_pose pose[TMLI_BEAM_NODES];
    double u[ALL], F[ALL] = {0};
    motion_of(k, f->rate_free, v, pose, u);
    tmli_beam_force(&k->element, pose, f->rate_free ? NULL : u, F);
    for (int i = 0; i < k->element.nodes; i++) {
        for (int c = 0; c < 6 && k->damped; c++) F[6 * i + c] += k->damping[i][c] * u[6 * i + c];
        tmli_add_slot(Q, k->slot[i], F + 6 * i, -1);
    }
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const beam *k = f->data;
    tmli_pose pose[TMLI_BEAM_NODES];
    double u[ALL];
    motion_of(k, f->rate_free, v, pose, u);
    tmli_beam_tangent(&k->element, pose, f->rate_free ? NULL : u, H,
                      D);  // the slots are the nodes, in their order
    const int width = 6 * f->plan.nslots;
    for (int i = 0; i < width && k->damped; i++) D[i * (width + 1)] += k->damping[i / 6][i % 6];
}

// The nodes of a step: poses in `pose` (start, middle, end), increments and velocities in d and u.
static tmli_beam_step step_of(const beam *k, const tmli_step_view *s, tmli_pose pose[3][TMLI_BEAM_NODES],
                              double *d, double *u)
{
    for (int i = 0; i < k->element.nodes; i++) {
        pose[0][i] = *tmli_pose_of(s->start.pose, k->node[i]);
        pose[1][i] = *tmli_pose_of(s->middle.pose, k->node[i]);
        pose[2][i] = *tmli_pose_of(s->end.pose, k->node[i]);
        tmli_node_velocity(s->middle.m, s->d, k->node[i], d + 6 * i);
        tmli_node_velocity(s->middle.m, s->middle.x->u, k->node[i], u + 6 * i);
    }
    return (tmli_beam_step){
        .start = pose[0], .middle = pose[1], .end = pose[2], .d = d, .u = u, .h = s->h, .decay = s->decay};
}

static void mean(const tmli_force *f, const tmli_step_view *s, double *Q)
{
    const beam *k = f->data;
    tmli_pose pose[3][TMLI_BEAM_NODES];
    double d[ALL], u[ALL], F[ALL] = {0};
    const tmli_beam_step step = step_of(k, s, pose, d, u);
    tmli_beam_mean_force(&k->element, &step, F);
    for (int i = 0; i < k->element.nodes; i++) {
        for (int c = 0; c < 6 && k->damped; c++) F[6 * i + c] += k->damping[i][c] * u[6 * i + c];
        tmli_add_slot(Q, k->slot[i], F + 6 * i, -1);
    }
}

static void mean_tangent(const tmli_force *f, const tmli_step_view *s, double *H_end, double *H, double *D)
{
    const beam *k = f->data;
    tmli_pose pose[3][TMLI_BEAM_NODES];
    double d[ALL], u[ALL];
    const tmli_beam_step step = step_of(k, s, pose, d, u);
    tmli_beam_mean_tangent(&k->element, &step, H_end, H, D);  // the slots are the nodes, in their order
    const int width = 6 * f->plan.nslots;
    for (int i = 0; i < width && k->damped; i++) D[i * (width + 1)] += k->damping[i / 6][i % 6];
}

static void energy(const tmli_force *f, const tmli_view *v, double *potential, double power[TMLI_WORK_KINDS])
{
    const beam *k = f->data;
    tmli_pose pose[TMLI_BEAM_NODES];
    double u[ALL], lost;
    motion_of(k, f->rate_free, v, pose, u);
    *potential += tmli_beam_energy(&k->element, pose, f->rate_free ? NULL : u, &lost);
    power[f->work] -= lost;
    for (int i = 0; i < 6 * k->element.nodes && k->damped; i++)
        power[f->work] -= k->damping[i / 6][i % 6] * u[i] * u[i];
}

static void channels(const tmli_force *f, const tmli_view *v, double *values)
{
    const beam *k = f->data;
    tmli_pose pose[TMLI_BEAM_NODES];
    double u[ALL];
    motion_of(k, f->rate_free, v, pose, u);
    double strain[6];
    const double *rates = f->rate_free ? NULL : u;
    tmli_beam_resultants(&k->element, pose, rates, 0, values + 6, values);
    tmli_beam_resultants(&k->element, pose, rates, -1, strain, values + 12);
    tmli_beam_resultants(&k->element, pose, rates, 1, strain, values + 18);
}

static bool conservative(const tmli_force *f) { return f->rate_free; }

static tmli_touch touch(const tmli_force *f, int node, vec3 *point)
{
    const beam *k = f->data;
    (void)point;
    for (int i = 0; i < k->element.nodes; i++)
        if (k->node[i] == node) return TMLI_TOUCH_TORQUE;
    return TMLI_TOUCH_NONE;
}

// In section axes: normal and shear forces, torsion and bending moments, strains in the middle of the
// element; forces and moments at both ends.
static const tmli_force_channel beam_channels[] = {
    {"N", "N", TMLI_CHANNEL_VALUE, false},
    {"Vy", "N", TMLI_CHANNEL_VALUE, false},
    {"Vz", "N", TMLI_CHANNEL_VALUE, false},
    {"T", "N m", TMLI_CHANNEL_VALUE, false},
    {"My", "N m", TMLI_CHANNEL_VALUE, false},
    {"Mz", "N m", TMLI_CHANNEL_VALUE, false},
    {"axial", "1", TMLI_CHANNEL_VALUE, false},
    {"shear_y", "1", TMLI_CHANNEL_VALUE, false},
    {"shear_z", "1", TMLI_CHANNEL_VALUE, false},
    {"twist", "rad/m", TMLI_CHANNEL_VALUE, false},
    {"bending_y", "rad/m", TMLI_CHANNEL_VALUE, false},
    {"bending_z", "rad/m", TMLI_CHANNEL_VALUE, false},
    {"N_start", "N", TMLI_CHANNEL_VALUE, false},
    {"Vy_start", "N", TMLI_CHANNEL_VALUE, false},
    {"Vz_start", "N", TMLI_CHANNEL_VALUE, false},
    {"T_start", "N m", TMLI_CHANNEL_VALUE, false},
    {"My_start", "N m", TMLI_CHANNEL_VALUE, false},
    {"Mz_start", "N m", TMLI_CHANNEL_VALUE, false},
    {"N_end", "N", TMLI_CHANNEL_VALUE, false},
    {"Vy_end", "N", TMLI_CHANNEL_VALUE, false},
    {"Vz_end", "N", TMLI_CHANNEL_VALUE, false},
    {"T_end", "N m", TMLI_CHANNEL_VALUE, false},
    {"My_end", "N m", TMLI_CHANNEL_VALUE, false},
    {"Mz_end", "N m", TMLI_CHANNEL_VALUE, false},
};

const tmli_force_ops tmli_force_beam = {
    .elastic_part = true,
    .work = TMLI_WORK_DAMPED,
    .size = sizeof(beam),
    .nchannels = 24,
    .channel = beam_channels,
    .build = build,
    .force = force,
    .tangent = tangent,
    .energy = energy,
    .mean = mean,
    .mean_tangent = mean_tangent,
    .channels = channels,
    .conservative = conservative,
    .touch = touch,
};

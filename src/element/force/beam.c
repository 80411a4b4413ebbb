// An element of a beam between its nodes (beam_element.h), as a force. Damping against motion in space acts
// on node i with the length w_i of the beam that belongs to it:
//   force -space_damping[0] w_i v_i,   torque -space_damping[1..3] w_i times the angular velocity (body axes)
#include "element/force/beam_element.h"
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
        const tml_status st = tmli_model_find_frame(b->spec, e->def.frame[i], e->at.at, &at, b->err);
        if (st != TML_OK) return st;
        k->node[i] = at.body;
        if (at.body < 0 || b->m->node[at.body].ncoords != (b->m->planar ? 3 : 6))
            return tmli_fail_at(b->err, TML_ERR_MODEL, e->at.at,
                                "beam element '%s': its nodes must be bodies that can rotate", e->def.name);
        start[i] = tmli_node_start_pose(b->m, at.body);
    }
    memcpy(k->element.C, e->def.section_stiffness, sizeof k->element.C);
    k->element.eta = e->def.section_damping;
    if (!(tmli_beam_init(&k->element, nodes, start) > 0))
        return tmli_fail_at(
            b->err, TML_ERR_MODEL, e->at.at,
            "beam element '%s': its nodes are not in order along their x axes (more elements?)", e->def.name);
    for (int i = 0; i < nodes; i++) {
        const double length = tmli_lobatto_weight[nodes][i] * k->element.j[0];
        for (int c = 0; c < 6; c++) {
            k->damping[i][c] = length * e->def.space_damping[c < 3 ? 0 : c - 2];
            k->damped = k->damped || k->damping[i][c] != 0;
        }
    }
    return tmli_force_plan(b, f, nodes, k->node, k->slot);
}

static void motion_of(const beam *k, const tmli_view *v, tmli_pose *pose, double *u)
{
    for (int i = 0; i < k->element.nodes; i++) {
        pose[i] = *tmli_pose_of(v->pose, k->node[i]);
        tmli_node_velocity(v->m, v->x->u, k->node[i], u + 6 * i);
    }
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const beam *k = f->data;
    tmli_pose pose[TMLI_BEAM_NODES];
    double u[ALL], F[ALL] = {0};
    motion_of(k, v, pose, u);
    tmli_beam_force(&k->element, pose, u, F);
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
    motion_of(k, v, pose, u);
    tmli_beam_tangent(&k->element, pose, u, H, D);  // the slots are the nodes, in their order
    const int width = 6 * f->plan.nslots;
    for (int i = 0; i < width && k->damped; i++) D[i * (width + 1)] += k->damping[i / 6][i % 6];
}

static void energy(const tmli_force *f, const tmli_view *v, double *potential, double *power)
{
    const beam *k = f->data;
    tmli_pose pose[TMLI_BEAM_NODES];
    double u[ALL], lost;
    motion_of(k, v, pose, u);
    *potential += tmli_beam_energy(&k->element, pose, u, &lost);
    *power -= lost;
    for (int i = 0; i < 6 * k->element.nodes; i++) *power -= k->damping[i / 6][i % 6] * u[i] * u[i];
}

static void channels(const tmli_force *f, const tmli_view *v, double *values)
{
    const beam *k = f->data;
    tmli_pose pose[TMLI_BEAM_NODES];
    double u[ALL];
    motion_of(k, v, pose, u);
    tmli_beam_resultants(&k->element, pose, u, 0, values + 6, values);
}

static bool conservative(const tmli_force *f)
{
    const beam *k = f->data;
    return k->element.eta == 0 && !k->damped;
}

static tmli_touch touch(const tmli_force *f, int node, vec3 *point)
{
    const beam *k = f->data;
    (void)point;
    for (int i = 0; i < k->element.nodes; i++)
        if (k->node[i] == node) return TMLI_TOUCH_TORQUE;
    return TMLI_TOUCH_NONE;
}

// In the middle of the element, section axes: normal and shear forces, torsion and bending moments, strains.
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
};

const tmli_force_ops tmli_force_beam = {
    .size = sizeof(beam),
    .nchannels = 12,
    .channel = beam_channels,
    .build = build,
    .force = force,
    .tangent = tangent,
    .energy = energy,
    .channels = channels,
    .conservative = conservative,
    .touch = touch,
};

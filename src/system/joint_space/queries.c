// What a program asks about a tree at a state: its coordinates, its matrices and forces apart, the motion of
// points.
//
// A point s of body i moves with J u, where the column of coordinate j on its path to the ground, whose unit
// motion is (v_j, w_j) at P of its tree joint, is
//   J_j  = (v_j + w_j x (p - P),  w_j)                                                                    (1)
//   J'_j = (W x v_j + (W x w_j) x (p - P) + w_j x (p' - P'),  W x w_j)                                    (2)
// in world axes. W is the angular velocity of the axes of the coordinate: that of the parent, or of the child
// for the second of two axes and for the three of a ball.
#include "system/joint_space/columns.h"

#include <string.h>

// ---- coordinates ------------------------------------------------------------------------------------------

// The measure of the model that equals coordinate k of a tree joint; -1: none.
static int measure_of(const tmli_joint_space *s, const tmli_tree_joint *b, int k)
{
    const tml_model *m = s->model;
    if (b->constraint < 0 || b->rotation == TMLI_ROTATION_BALL) return -1;
    if (k >= b->nslide) return b->counted_angle[k - b->nslide];
    const tmli_constraint *c = &m->constraint[b->constraint];
    // several slides of a joint that turns, too, are along the parent's axes: a measure is along those of a
    if (b->nslide > 1 && b->rotation == TMLI_ROTATION_AXIS && c->marker[0].body == b->node) return -1;
    for (int i = 0, slide = 0; i < c->ncoords; i++)
        if (!tmli_measure_is_angle(m->measure_use[c->coord[i]].measure.kind) && slide++ == k)
            return c->coord[i];
    return -1;
}

tmli_joint_space_coordinate tmli_joint_space_find_coordinate(const tml_system *sys, int j)
{
    const tmli_joint_space *s = sys->self;
    int i = 0;
    while (i + 1 < s->njoints && s->joint[i + 1].first <= j) i++;
    const tmli_tree_joint *b = &s->joint[i];
    const int k = j - b->first;
    const bool ball = b->rotation == TMLI_ROTATION_BALL && k >= b->nslide;
    return (tmli_joint_space_coordinate){.node = b->node,
                                         .constraint = b->constraint,
                                         .use = measure_of(s, b, k),
                                         .slide = k < b->nslide,
                                         .component = k < b->nslide ? k : k - b->nslide,
                                         .q = b->firstq + (ball ? b->nslide : k),
                                         .quaternion = ball};
}

// ---- matrices and forces ----------------------------------------------------------------------------------

void tmli_joint_space_loads(const tml_system *sys, void *work, const tml_state *x, double *bias,
                            double *forces)
{
    const tmli_joint_space *s = sys->self;
    tmli_joint_space_work *w = work;
    const tml_model *m = s->model;
    tmli_joint_space_velocities(s, w, x->q, x->u);
    tmli_joint_space_accelerations(s, w, NULL, w->budot);
    const tml_state y = tmli_joint_space_base_state(s, w, x, false);
    double *wrench = w->force;
    if (bias) {
        memset(wrench, 0, (size_t)m->n * sizeof *wrench);
        tmli_mb_add_inertia(m, &y, wrench);
        tmli_joint_space_project(s, w, wrench, bias);
    }
    if (!forces) return;
    memset(wrench, 0, (size_t)m->n * sizeof *wrench);
    tmli_mb_add_forces(m, w->base, &y, s->is_scalar, wrench);
    tmli_joint_space_project(s, w, wrench, forces);
    tmli_joint_space_add_along(s, w, x, &y, false, 1, forces);
    for (int j = 0; j < s->n; j++) forces[j] = -forces[j];
}

// ---- motion of points -------------------------------------------------------------------------------------

void tmli_joint_space_pose(const tml_system *sys, void *work, const double *q, int node, tmli_pose *out)
{
    const tmli_joint_space *s = sys->self;
    tmli_joint_space_work *w = work;
    *out = (tmli_pose){.R = m3_identity()};
    if (node < 0) return;
    tmli_joint_space_positions(s, w, q);
    const int i = s->joint_of_node[node];
    const tmli_tree_body *x = &w->body[i];
    out->R = s->joint[i].point ? tmli_node_start_pose(s->model, node).R : x->R;
    out->r = v3_add(x->P, x->c);
}

void tmli_joint_space_visit_points(const tml_system *sys, void *work, const tml_state *x, int i,
                                   tmli_point_visit *visit, void *user)
{
    const tmli_joint_space *s = sys->self;
    tmli_joint_space_work *w = work;
    const tmli_force *f = &s->model->force[i];
    if (!f->ops->points) return;
    tmli_joint_space_velocities(s, w, x->q, x->u);
    const tml_state y = tmli_joint_space_base_state(s, w, x, false);
    const tmli_view v = {.m = s->model, .x = &y, .pose = w->base->pose, .w = w->base};
    f->ops->points(f, &v, visit, user);
}

// (1), (2): one column each
static void set_column(const tmli_joint_space *s, const tmli_joint_space_work *w, int i, int k, vec3 p,
                       vec3 pdot, double column[6], double rate[6])
{
    const tmli_tree_joint *b = &s->joint[i];
    const tmli_tree_body *x = &w->body[i], *parent = tmli_parent_body(w, b);
    const bool second = b->rotation == TMLI_ROTATION_TWO_AXES && k == b->nslide + 1;
    const bool of_child = second || (b->rotation == TMLI_ROTATION_BALL && k >= b->nslide);
    const vec3 W = of_child ? x->w : parent->w, arm = v3_sub(p, x->P);
    vec3 v, om;
    tmli_tree_joint_motion(b, x, k, &v, &om);
    v3_store(v3_add(v, v3_cross(om, arm)), column);
    v3_store(om, column + 3);
    const vec3 turning = v3_cross(W, om);
    v3_store(v3_add(v3_cross(W, v), v3_add(v3_cross(turning, arm), v3_cross(om, v3_sub(pdot, x->v)))), rate);
    v3_store(turning, rate + 3);
}

void tmli_joint_space_jacobian(const tml_system *sys, void *work, const tml_state *x, int node, vec3 point,
                               double *J, double *rate)
{
    const tmli_joint_space *s = sys->self;
    tmli_joint_space_work *w = work;
    const size_t n = (size_t)s->n;
    memset(J, 0, 6 * n * sizeof *J);
    memset(rate, 0, 6 * n * sizeof *rate);
    if (node < 0) return;
    tmli_joint_space_velocities(s, w, x->q, x->u);
    const int body = s->joint_of_node[node];
    const tmli_tree_body *own = &w->body[body];
    const vec3 arm = v3_add(own->c, m3_mulv(&own->R, point)), p = v3_add(own->P, arm),
               pdot = v3_add(own->v, v3_cross(own->w, arm));
    for (int i = body; i >= 0; i = s->joint[i].parent)
        for (int k = 0; k < s->joint[i].nu; k++) {
            double column[6], change[6];
            set_column(s, w, i, k, p, pdot, column, change);
            for (size_t r = 0; r < 6; r++) {
                J[r * n + (size_t)(s->joint[i].first + k)] = column[r];
                rate[r * n + (size_t)(s->joint[i].first + k)] = change[r];
            }
        }
}

// Kinematics of the tree: positions, velocities and accelerations from parents to children; wrenches back.
//
// From a parent p to its child, l = P - P_p, relative velocities v_rel = sum e_k u_k of the slides, w_rel of
// the rotations:
//   w = w_p + w_rel                       v = v_p + w_p x l + v_rel                                       (1)
//   alpha = alpha_p + sum e_k udot_k + w_p x w_rel [+ (e_1 u_1) x (e_2 u_2)]                              (2)
//   a = a_p + alpha_p x l + sum e_k udot_k + w_p x (w_p x l) + 2 w_p x v_rel                              (3)
// (2): an axis fixed in the parent turns with w_p, the second of two with w_p + e_1 u_1. The axes of a ball
// are those of the child and turn with w_p + w_rel, but w_rel x w_rel = 0. Wrenches are passed to the
// parent by f_p += f, n_p += n + l x f.
#include "system/joint_space/internal.h"

#include <string.h>

// ---- positions --------------------------------------------------------------------------------------------

static void set_axes(const tmli_tree_joint *b, const mat3 *Rp, tmli_tree_body *x)
{
    for (int k = 0; k < b->nslide; k++) x->motion[k].v = m3_mulv(Rp, b->slide[k]);
    tmli_motion *t = x->motion + b->nslide;
    switch (b->rotation) {
    case TMLI_ROTATION_NONE: break;
    case TMLI_ROTATION_AXIS:
        t[0].w = m3_mulv(Rp, b->axis);
        t[0].v = v3_scale(b->pitch, t[0].w);
        break;
    case TMLI_ROTATION_TWO_AXES:
        t[0].w = m3_mulv(Rp, b->axis);
        t[1].w = m3_mulv(&x->R, b->axis2);
        break;
    case TMLI_ROTATION_BALL: break;  // the world axes, set once
    }
}

void tmli_joint_space_check_cache(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q,
                                  const double *u)
{
    if (memcmp(w->q, q, (size_t)s->nq * sizeof *q) != 0) {
        memcpy(w->q, q, (size_t)s->nq * sizeof *q);
        w->positions_valid = w->velocities_valid = w->planar_positions_valid = w->planar_velocities_valid =
            false;
    }
    if (u && memcmp(w->u, u, (size_t)s->n * sizeof *u) != 0) {
        memcpy(w->u, u, (size_t)s->n * sizeof *u);
        w->velocities_valid = w->planar_velocities_valid = false;
    }
}

// Bodies of a planar model from those in the plane: the same numbers whichever is computed first.
static void copy_planar_positions(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_planar_body *f = &w->planar_body[i];
        tmli_tree_body *x = &w->body[i];
        tmli_pose *pose = &w->base->pose[b->node];
        x->R = (mat3){{f->co, -f->si, 0, f->si, f->co, 0, 0, 0, 1}};
        x->P = v3(f->Px, f->Py, 0);
        x->l = v3(f->lx, f->ly, 0);
        x->c = v3(f->cx, f->cy, 0);
        for (int k = 0; k < b->nslide; k++) x->motion[k].v = v3(f->sx[k], f->sy[k], 0);
        if (b->rotation == TMLI_ROTATION_AXIS) x->motion[b->nslide].w = v3(0, 0, s->planar_joint[i].sign);
        pose->r.x = f->Px + f->cx;
        pose->r.y = f->Py + f->cy;
        if (!b->point) pose->R = x->R;
    }
}

void tmli_joint_space_positions(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q)
{
    tmli_joint_space_check_cache(s, w, q, NULL);
    if (w->positions_valid) return;
    w->positions_valid = true;
    if (s->planar) {
        tmli_joint_space_positions_planar(s, w, q);
        copy_planar_positions(s, w);
        return;
    }
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_tree_body *p = tmli_parent_body(w, b);
        tmli_tree_body *x = &w->body[i];
        const double *qi = q + b->firstq;
        x->l = m3_mulv(&p->R, tmli_tree_joint_arm(b, qi));
        x->P = v3_add(p->P, x->l);
        x->R = tmli_tree_joint_rotation(b, &p->R, qi);
        x->c = v3_scale(-1, m3_mulv(&x->R, b->origin));
        set_axes(b, &p->R, x);
        tmli_pose *pose = &w->base->pose[b->node];
        pose->r = v3_add(x->P, x->c);
        if (!b->point) pose->R = x->R;
    }
}

// ---- velocities -------------------------------------------------------------------------------------------

// Relative velocity and angular velocity of joint b for the velocity coordinates y.
static void relative_motion(const tmli_tree_joint *b, const tmli_tree_body *x, const double *y, vec3 *v,
                            vec3 *w)
{
    vec3 lin = {0, 0, 0}, ang = {0, 0, 0};
    for (int k = 0; k < b->nslide; k++) lin = v3_axpy(y[k], x->motion[k].v, lin);
    y += b->nslide;
    const tmli_motion *t = x->motion + b->nslide;
    switch (b->rotation) {
    case TMLI_ROTATION_NONE: break;
    case TMLI_ROTATION_AXIS:
        ang = v3_scale(y[0], t[0].w);
        if (b->pitch != 0) lin = v3_axpy(y[0], t[0].v, lin);
        break;
    case TMLI_ROTATION_TWO_AXES: ang = v3_axpy(y[0], t[0].w, v3_scale(y[1], t[1].w)); break;
    case TMLI_ROTATION_BALL: ang = m3_mulv(&x->R, v3_from(y)); break;
    }
    *v = lin;
    *w = ang;
}

static void store_node(const tml_model *m, const tmli_tree_joint *b, const tmli_tree_body *x, vec3 lin,
                       vec3 ang, double *out)
{
    const tmli_node *node = &m->node[b->node];
    double *o = out + node->first;
    if (node->ncoords == 6) {
        v3_store(lin, o);
        v3_store(m3_tmulv(&x->R, ang), o + 3);
        return;
    }
    o[0] = lin.x;
    if (b->state) return;
    o[1] = lin.y;
    if (!m->planar) o[2] = lin.z;
    else if (!b->point) o[2] = ang.z;
}

static void copy_planar_velocities(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_planar_body *f = &w->planar_body[i];
        tmli_tree_body *x = &w->body[i];
        double *u = w->bu + s->model->node[b->node].first;
        x->v = v3(f->vx, f->vy, 0);
        x->w = v3(0, 0, f->w);
        x->acc = v3(f->ax, f->ay, 0);
        u[0] = f->vx - f->w * f->cy;
        if (b->state) continue;
        u[1] = f->vy + f->w * f->cx;
        if (!b->point) u[2] = f->w;
    }
}

void tmli_joint_space_velocities(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q,
                                 const double *u)
{
    tmli_joint_space_positions(s, w, q);
    tmli_joint_space_check_cache(s, w, q, u);
    if (w->velocities_valid) return;
    w->velocities_valid = true;
    if (s->planar) {
        tmli_joint_space_velocities_planar(s, w, q, u);
        copy_planar_velocities(s, w);
        return;
    }
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_tree_body *p = tmli_parent_body(w, b);
        tmli_tree_body *x = &w->body[i];
        const double *ui = u + b->first;
        vec3 vrel, wrel;
        relative_motion(b, x, ui, &vrel, &wrel);
        const vec3 arm_velocity = v3_cross(p->w, x->l);
        x->w = v3_add(p->w, wrel);  // (1)
        x->v = v3_add(v3_add(p->v, arm_velocity), vrel);
        x->alpha = v3_add(p->alpha, v3_cross(p->w, wrel));  // (2)
        if (b->rotation == TMLI_ROTATION_TWO_AXES) {
            const tmli_motion *t = x->motion + b->nslide;
            x->alpha = v3_axpy(ui[b->nslide] * ui[b->nslide + 1], v3_cross(t[0].w, t[1].w), x->alpha);
        }
        const vec3 turn = v3_add(arm_velocity, v3_scale(2, vrel));
        x->acc = v3_add(v3_add(p->acc, v3_cross(p->alpha, x->l)), v3_cross(p->w, turn));  // (3)
        store_node(s->model, b, x, v3_add(x->v, v3_cross(x->w, x->c)), x->w, w->bu);
    }
}

void tmli_joint_space_lift(const tmli_joint_space *s, tmli_joint_space_work *w, const double *y, double *out)
{
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_tree_body *p = tmli_parent_body(w, b);
        tmli_tree_body *x = &w->body[i];
        vec3 v, a;
        relative_motion(b, x, y + b->first, &v, &a);
        x->dalpha = v3_add(p->dalpha, a);
        x->dacc = v3_add(v3_add(p->dacc, v3_cross(p->dalpha, x->l)), v);
        store_node(s->model, b, x, v3_add(x->dacc, v3_cross(x->dalpha, x->c)), x->dalpha, out);
    }
}

void tmli_joint_space_accelerations(const tmli_joint_space *s, tmli_joint_space_work *w, const double *udot,
                                    double *out)
{
    tmli_joint_space_lift(s, w, udot ? udot : w->zero_udot, out);
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_tree_body *x = &w->body[i];
        const tmli_node *node = &s->model->node[b->node];
        double a[6] = {0};
        v3_store(v3_add(v3_add(x->acc, v3_cross(x->alpha, x->c)), v3_cross(x->w, v3_cross(x->w, x->c))), a);
        v3_store(s->planar ? x->alpha : m3_tmulv(&x->R, x->alpha), a + 3);
        for (int k = 0; k < node->ncoords; k++) out[node->first + k] += a[node->local[k]];
    }
}

// ---- wrenches ---------------------------------------------------------------------------------------------

// Force and moment about P of the wrench of a node: force, moment about the centre of mass in body axes.
static void wrench_at(const tml_model *m, const tmli_tree_joint *b, const tmli_tree_body *x,
                      const double six[6], vec3 *f, vec3 *n)
{
    *f = v3_from(six);
    const vec3 own = b->point ? v3(0, 0, 0) : m->planar ? v3(0, 0, six[5]) : m3_mulv(&x->R, v3_from(six + 3));
    *n = v3_add(own, v3_cross(x->c, *f));
}

// out (nu) = generalized force of a wrench on each coordinate of b
static void project_wrench(const tmli_tree_joint *b, const tmli_tree_body *x, vec3 f, vec3 n, double *out)
{
    for (int k = 0; k < b->nslide; k++) out[k] = v3_dot(x->motion[k].v, f);
    out += b->nslide;
    const tmli_motion *t = x->motion + b->nslide;
    switch (b->rotation) {
    case TMLI_ROTATION_NONE: break;
    case TMLI_ROTATION_AXIS:
        out[0] = v3_dot(t[0].w, n);
        if (b->pitch != 0) out[0] += v3_dot(t[0].v, f);
        break;
    case TMLI_ROTATION_TWO_AXES:
        out[0] = v3_dot(t[0].w, n);
        out[1] = v3_dot(t[1].w, n);
        break;
    case TMLI_ROTATION_BALL: v3_store(m3_tmulv(&x->R, n), out); break;
    }
}

void tmli_joint_space_wrenches(const tmli_joint_space *s, tmli_joint_space_work *w, const double *wrench)
{
    for (int i = 0; i < s->njoints; i++) {
        double six[6];
        tmli_node_velocity(s->model, wrench, s->joint[i].node, six);
        wrench_at(s->model, &s->joint[i], &w->body[i], six, &w->body[i].f, &w->body[i].n);
    }
}

void tmli_joint_space_project(const tmli_joint_space *s, tmli_joint_space_work *w, const double *wrench,
                              double *out)
{
    tmli_joint_space_wrenches(s, w, wrench);
    for (int i = s->njoints - 1; i >= 0; i--) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_tree_body *x = &w->body[i];
        project_wrench(b, x, x->f, x->n, out + b->first);
        if (b->parent >= 0) tmli_joint_space_pass_wrench(x, &w->body[b->parent]);
    }
}

void tmli_joint_space_row_values(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_loop *p,
                                 const double *B, double *values)
{
    const tmli_plan *plan = &s->model->constraint[p->constraint].plan;
    for (int r = 0; r < p->nrows; r++) {
        const double *row = B + (p->keep + r) * 6 * plan->nslots;
        double *wrench = w->loop_f;
        memset(wrench, 0, 6 * (size_t)p->npath * sizeof *wrench);
        for (int k = 0; k < plan->nslots; k++) {
            vec3 f, n;
            const int i = p->path[p->slot[k]];
            wrench_at(s->model, &s->joint[i], &w->body[i], row + 6 * k, &f, &n);
            v3_store(f, wrench + 6 * p->slot[k]);
            v3_store(n, wrench + 6 * p->slot[k] + 3);
        }
        for (int k = 0; k < p->npath; k++) {
            const tmli_tree_body *x = &w->body[p->path[k]];
            const vec3 f = v3_from(wrench + 6 * k), n = v3_from(wrench + 6 * k + 3);
            project_wrench(&s->joint[p->path[k]], x, f, n, values + r * p->width + p->at[k]);
            if (p->up[k] < 0) continue;
            double *to = wrench + 6 * p->up[k];
            v3_store(v3_add(v3_from(to), f), to);
            v3_store(v3_add(v3_from(to + 3), v3_add(n, v3_cross(x->l, f))), to + 3);
        }
    }
}

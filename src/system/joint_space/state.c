// Conversion of states: joint coordinates to coordinates of the bodies (the base), and back.
#include "system/joint_space/internal.h"

#include <string.h>

#include "system/joint_space/constants.h"

// Of the two quaternions of a rotation, the one nearer to that of the last state is taken, so that they are
// continuous in time.
void tmli_joint_space_base_positions(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_tree_body *x = &w->body[i];
        double *out = w->bq + 7 * b->node;
        const quat last = q_from(out + 3), p = tmli_quat_from_matrix(&x->R);
        const double same = last.e0 * p.e0 + last.e1 * p.e1 + last.e2 * p.e2 + last.e3 * p.e3;
        v3_store(v3_add(x->P, x->c), out);
        if (b->point) memcpy(out + 3, s->model->node[b->node].q0 + 3, 4 * sizeof *out);
        else q_store(same < 0 ? (quat){-p.e0, -p.e1, -p.e2, -p.e3} : p, out + 3);
    }
}

// q, u and udot of the base of a planar model.
static void planar_to_base(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *y,
                           tml_state *x)
{
    static const tmli_planar_body ground = {.co = 1};
    tmli_joint_space_velocities_planar(s, w, y->q, y->u);
    for (int i = 0; i < s->njoints; i++) {
        const tmli_planar_joint *b = &s->planar_joint[i];
        const tmli_planar_body *p = b->parent < 0 ? &ground : &w->planar_body[b->parent];
        tmli_planar_body *f = &w->planar_body[i];
        const double *udot = y->udot + b->first, w2 = f->w * f->w;
        f->dx = p->dx - p->dw * f->ly;
        f->dy = p->dy + p->dw * f->lx;
        f->dw = p->dw + (b->turns ? b->sign * udot[b->nslide] : 0);
        for (int k = 0; k < b->nslide; k++) {
            f->dx += udot[k] * f->sx[k];
            f->dy += udot[k] * f->sy[k];
        }
        const int first = s->model->node[b->node].first;
        double *q = x->q + 7 * b->node, *last = w->bq + 7 * b->node + 3;
        x->u[first] = f->vx - f->w * f->cy;
        x->udot[first] = f->ax + f->dx - f->dw * f->cy - w2 * f->cx;
        memcpy(q, s->model->node[b->node].q0, 7 * sizeof *q);
        q[0] = f->Px + f->cx;
        if (s->joint[i].state) continue;
        x->u[first + 1] = f->vy + f->w * f->cx;
        x->udot[first + 1] = f->ay + f->dy + f->dw * f->cx - w2 * f->cy;
        q[1] = f->Py + f->cy;
        if (s->joint[i].point) continue;
        x->u[first + 2] = f->w;
        x->udot[first + 2] = f->dw;
        const double co = cos(f->phi / 2), si = sin(f->phi / 2),
                     sign = co * last[0] + si * last[3] < 0 ? -1 : 1;
        q[3] = last[0] = sign * co;
        q[6] = last[3] = sign * si;
        q[4] = q[5] = 0;
    }
}

void tmli_joint_space_to_base(const tml_system *sys, void *work, const tml_state *y, tml_state *x)
{
    const tmli_joint_space *s = sys->self;
    tmli_joint_space_work *w = work;
    x->t = y->t;
    if (s->planar) {
        planar_to_base(s, w, y, x);
    } else {
        tmli_joint_space_velocities(s, w, y->q, y->u);
        tmli_joint_space_base_positions(s, w);
        tmli_joint_space_accelerations(s, w, y->udot, x->udot);
        memcpy(x->q, w->bq, (size_t)x->nq * sizeof *x->q);
        memcpy(x->u, w->bu, (size_t)x->n * sizeof *x->u);
    }
    memset(x->lambda, 0, (size_t)x->m * sizeof *x->lambda);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const int first = s->model->constraint[p->constraint].first + p->keep;
        for (int r = 0; r < p->nrows; r++) x->lambda[first + r] = y->lambda[p->first + r];
    }
    memcpy(x->angle, y->angle, (size_t)y->na * sizeof *x->angle);
    memcpy(x->mode, y->mode, (size_t)y->nmode * sizeof *x->mode);
    memcpy(x->input, y->input, 2 * (size_t)y->ninput * sizeof *x->input);
    x->input_t = y->input_t;
}

// ---- from the base ----------------------------------------------------------------------------------------

static tml_status positions_from_base(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                      double *q, tml_error *err)
{
    const tml_model *m = s->model;
    tmli_mb_set_poses(m, w->base, x->q);
    w->positions_valid = w->velocities_valid = w->planar_positions_valid = w->planar_velocities_valid = false;
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_tree_body *p = tmli_parent_body(w, b);
        double *qi = q + b->firstq;
        const vec3 origin = b->parent < 0 ? v3(0, 0, 0) : s->joint[b->parent].origin;
        const tmli_pose parent = {.R = p->R, .r = v3_sub(p->P, m3_mulv(&p->R, origin))};
        tmli_pose child = w->base->pose[b->node];
        if (b->point) child.R = p->R;
        for (int k = 0; k < b->nqs; k++) qi[k] = 0;
        for (int k = 0; k < 2; k++)
            if (b->counted_angle[k] >= 0)
                qi[b->nslide + k] = x->angle[m->measure_use[b->counted_angle[k]].angle];
        tmli_tree_joint_coordinates(b, &parent, origin, &child, qi);
        tmli_tree_body *to = &w->body[i];
        to->R = tmli_tree_joint_rotation(b, &p->R, qi);
        to->P = v3_add(p->P, m3_mulv(&p->R, tmli_tree_joint_arm(b, qi)));
        const vec3 gap = v3_sub(v3_sub(to->P, m3_mulv(&to->R, b->origin)), child.r);
        double rotated = 0;
        for (int k = 0; k < 9 && !b->point; k++) rotated = fmax(rotated, fabs(to->R.m[k] - child.R.m[k]));
        if (v3_norm(gap) <= TREE_JOINT_ERROR * m->length && rotated <= TREE_JOINT_ERROR) continue;
        return tmli_fail(err, TML_ERR_MODEL,
                         "joint '%s' is off by %g m and %g rad at t = %g s, or closed in another wrench than "
                         "at the start of "
                         "the model; joint coordinates cannot take over. Try kinematics: bodies",
                         b->constraint < 0 ? m->node[b->node].name : m->constraint[b->constraint].name,
                         v3_norm(gap), rotated, x->t);
    }
    return TML_OK;
}

// out (nu): velocity coordinates of a tree joint with relative velocity v and angular velocity w
static void joint_velocities(const tmli_tree_joint *b, const tmli_tree_body *x, vec3 v, vec3 w, double *out)
{
    for (int k = 0; k < b->nslide; k++) out[k] = v3_dot(x->motion[k].v, v);
    out += b->nslide;
    if (b->rotation == TMLI_ROTATION_BALL) v3_store(m3_tmulv(&x->R, w), out);
    if (b->rotation == TMLI_ROTATION_AXIS || b->rotation == TMLI_ROTATION_TWO_AXES)
        out[0] = v3_dot(x->motion[b->nslide].w, w);
    if (b->rotation == TMLI_ROTATION_TWO_AXES) out[1] = v3_dot(x->motion[b->nslide + 1].w, w);
}

// Velocity of P and angular velocity of a body (or accelerations) from those of its node.
static void body_velocity(const tmli_joint_space *s, const tmli_tree_joint *b, const tmli_tree_body *x,
                          const double *u, vec3 *v, vec3 *w)
{
    double six[6];
    tmli_node_velocity(s->model, u, b->node, six);
    *w = s->planar ? v3(0, 0, six[5]) : m3_mulv(&x->R, v3_from(six + 3));
    *v = v3_sub(v3_from(six), v3_cross(*w, x->c));
}

static void velocities_from_base(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                 tml_state *y)
{
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_tree_body *p = tmli_parent_body(w, b);
        tmli_tree_body *to = &w->body[i];
        vec3 v, om;
        body_velocity(s, b, to, x->u, &v, &om);
        if (b->point) om = p->dalpha;
        to->dalpha = om;
        to->dacc = v;
        const vec3 frame_velocity = v3_add(p->dacc, v3_cross(p->dalpha, to->l));
        joint_velocities(b, to, v3_sub(v, frame_velocity), v3_sub(om, p->dalpha), y->u + b->first);
    }
}

// udot follows from the accelerations of the bodies minus those at udot = 0, as u from their velocities.
static void accelerations_from_base(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                    tml_state *y)
{
    const tml_model *m = s->model;
    tmli_joint_space_velocities(s, w, y->q, y->u);
    tmli_joint_space_accelerations(s, w, NULL, w->budot);
    for (int j = 0; j < m->n; j++) w->budot[j] = x->udot[j] - w->budot[j];
    tml_state rest = *x;
    rest.u = w->budot;
    double *const u = y->u;
    y->u = y->udot;
    velocities_from_base(s, w, &rest, y);
    y->u = u;
}

tml_status tmli_joint_space_from_base(const tml_system *sys, void *work, const tml_state *x, tml_state *y,
                                      tml_error *err)
{
    const tmli_joint_space *s = sys->self;
    tmli_joint_space_work *w = work;
    tml_status st = positions_from_base(s, w, x, y->q, err);
    if (st != TML_OK) return st;
    memcpy(w->bq, x->q, (size_t)x->nq * sizeof *w->bq);
    y->t = x->t;
    tmli_joint_space_positions(s, w, y->q);
    velocities_from_base(s, w, x, y);
    accelerations_from_base(s, w, x, y);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const int first = s->model->constraint[p->constraint].first + p->keep;
        for (int r = 0; r < p->nrows; r++) y->lambda[p->first + r] = x->lambda[first + r];
    }
    memcpy(y->angle, x->angle, (size_t)x->na * sizeof *y->angle);
    memcpy(y->mode, x->mode, (size_t)x->nmode * sizeof *y->mode);
    memcpy(y->input, x->input, 2 * (size_t)x->ninput * sizeof *y->input);
    y->input_t = x->input_t;
    return TML_OK;
}

void tmli_joint_space_archive(const tml_system *sys, void *work, tml_archive *a)
{
    const tmli_joint_space *s = sys->self;
    tml_archive_doubles(a, ((tmli_joint_space_work *)work)->bq, (size_t)s->base->nq);
}

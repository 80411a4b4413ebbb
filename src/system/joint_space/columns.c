// Exact derivatives of velocities and accelerations of the bodies by joint coordinates and their velocities.
//
// Coordinate j of a tree joint has the unit motion (v_j, w_j) at its P. It displaces the centre of mass r
// of a body outward of the joint by dr_j = v_j + w_j x (r - P). All bodies outward of j move with it as one
// rigid body, whose motion relative to the inward side is unchanged. Let (W, V) be angular velocity and
// velocity at r of the inward side of the coordinate, (A, Z) its angular and spatial acceleration at r, (w,
// v) and (a, z) those of the body, with the spatial acceleration z = rddot - w x rdot:
//   dw = w_j x (w - W)                 dv = w_j x (v - V) - (w - W) x dr_j                                (1)
//   s_w = W x w_j                      s_v = W x dr_j - w_j x V         rate of the motion j              (2)
//   da = w_j x (a - A) + s_w x (w - W)
//   dz = w_j x (z - Z) - (a - A) x dr_j + s_w x (v - V) - (w - W) x s_v                                   (3)
// at a point fixed in space; the centre of mass moves by dr_j, so that
//   d rdot = dv + w x dr_j,   d rddot = dz + a x dr_j + dw x rdot + w x d rdot                            (4)
// Angular vectors of states are in body axes: d(R'x) = R'(dx - w_j x x). Derivatives by
// velocities, with (W^, V^) of the side just outward of coordinate j (balls: with their own angular
// velocity):
//   by u_j:  a: s_w + w_j x (w - W^),   z: s_v + w_j x (v - V^) - (w - W^) x dr_j                         (5)
#include "system/joint_space/columns.h"

#include <string.h>

// Motion of the inward side of a coordinate, at P of its tree joint.
typedef struct inward_motion {
    vec3 W, V, A, Z;  // as above, Z at P
    vec3 W_outward;   // W^
} inward_motion;

static inward_motion inward_motion_of(const tmli_tree_joint *b, const tmli_tree_body *p,
                                      const tmli_tree_body *x, const double *u, const double *udot, int k)
{
    const vec3 alpha = v3_add(p->alpha, p->dalpha);
    inward_motion o = {.W = p->w, .V = x->v, .A = alpha, .W_outward = p->w};
    vec3 a = v3_add(x->acc, x->dacc);
    if (b->pitch != 0) {  // a screw moves P itself: the inward side is the parent
        const vec3 arm_velocity = v3_cross(p->w, x->l);
        o.V = v3_add(p->v, arm_velocity);
        a = v3_add(v3_add(p->acc, p->dacc), v3_add(v3_cross(alpha, x->l), v3_cross(p->w, arm_velocity)));
    }
    if (b->rotation == TMLI_ROTATION_TWO_AXES && k == b->nslide + 1) {
        const vec3 e = x->motion[b->nslide].w;
        const double u1 = u[b->first + b->nslide], u1dot = udot ? udot[b->first + b->nslide] : 0;
        o.W = o.W_outward = v3_axpy(u1, e, p->w);
        o.A = v3_axpy(u1dot, e, v3_axpy(u1, v3_cross(p->w, e), alpha));
    }
    if (b->rotation == TMLI_ROTATION_BALL && k >= b->nslide) o.W_outward = x->w;
    o.Z = v3_sub(a, v3_cross(o.W, o.V));
    return o;
}

typedef struct body_motion {
    vec3 r, v, w, a, z;
} body_motion;

static void store_column(const tmli_tree_joint *i, const tmli_tree_body *body, vec3 lin, vec3 ang,
                         double *out)
{
    v3_store(lin, out);
    v3_store(i->point ? v3(0, 0, 0) : m3_tmulv(&body->R, ang), out + 3);
}

// Columns of one coordinate for the body i with motion m.
static void set_column(const tmli_tree_joint *joint, const tmli_tree_body *body, const body_motion *m,
                       const inward_motion *o, vec3 P, vec3 vj, vec3 wj, double *H, double *U, double *A,
                       double *Au)
{
    const vec3 rho = v3_sub(m->r, P), dr = v3_add(vj, v3_cross(wj, rho));
    store_column(joint, body, dr, wj, H);
    if (!U) return;
    const vec3 V = v3_add(o->V, v3_cross(o->W, rho)), w_rel = v3_sub(m->w, o->W), v_rel = v3_sub(m->v, V);
    const vec3 dw = v3_cross(wj, w_rel), dv = v3_sub(v3_cross(wj, v_rel), v3_cross(w_rel, dr));  // (1)
    const vec3 drdot = v3_add(dv, v3_cross(m->w, dr));
    store_column(joint, body, drdot, v3_sub(dw, v3_cross(wj, m->w)), U);
    if (!A) return;
    const vec3 sw = v3_cross(o->W, wj), sv = v3_sub(v3_cross(o->W, dr), v3_cross(wj, V));  // (2)
    const vec3 Z = v3_add(o->Z, v3_cross(o->A, rho)), a_rel = v3_sub(m->a, o->A), z_rel = v3_sub(m->z, Z);
    const vec3 da = v3_add(v3_cross(wj, a_rel), v3_cross(sw, w_rel));  // (3)
    vec3 dz = v3_sub(v3_cross(wj, z_rel), v3_cross(a_rel, dr));
    dz = v3_add(dz, v3_sub(v3_cross(sw, v_rel), v3_cross(w_rel, sv)));
    const vec3 moved = v3_add(v3_cross(m->a, dr), v3_add(v3_cross(dw, m->v), v3_cross(m->w, drdot)));  // (4)
    store_column(joint, body, v3_add(dz, moved), v3_sub(da, v3_cross(wj, m->a)), A);
    const vec3 w_outward = v3_sub(m->w, o->W_outward);
    const vec3 v_outward = v3_sub(m->v, v3_add(o->V, v3_cross(o->W_outward, rho)));
    const vec3 au = v3_add(sw, v3_cross(wj, w_outward));  // (5)
    vec3 zu = v3_add(sv, v3_sub(v3_cross(wj, v_outward), v3_cross(w_outward, dr)));
    zu = v3_add(zu, v3_add(v3_cross(wj, m->v), v3_cross(m->w, dr)));
    store_column(joint, body, zu, au, Au);
}

void tmli_joint_space_set_columns(const tmli_joint_space *s, const tmli_joint_space_work *w, int i,
                                  const double *u, const double *udot, const tmli_motion_columns *c)
{
    const tmli_tree_joint *joint = &s->joint[i];
    const tmli_tree_body *body = &w->body[i];
    body_motion m = {.r = v3_add(body->P, body->c), .w = body->w, .a = v3_add(body->alpha, body->dalpha)};
    const vec3 arm_velocity = v3_cross(body->w, body->c);
    m.v = v3_add(body->v, arm_velocity);
    const vec3 acc =
        v3_add(v3_add(body->acc, body->dacc), v3_add(v3_cross(m.a, body->c), v3_cross(m.w, arm_velocity)));
    m.z = v3_sub(acc, v3_cross(m.w, m.v));
    for (int k = i; k >= 0; k = s->joint[k].parent) {
        const tmli_tree_joint *b = &s->joint[k];
        const tmli_tree_body *x = &w->body[k], *p = tmli_parent_body(w, b);
        for (int j = 0; j < b->nu; j++) {
            vec3 vj, wj;
            const size_t at = 6 * (size_t)(b->first + j);
            const inward_motion o = c->U ? inward_motion_of(b, p, x, u, udot, j) : (inward_motion){0};
            tmli_tree_joint_motion(b, x, j, &vj, &wj);
            set_column(joint, body, &m, &o, x->P, vj, wj, c->H + at, c->U ? c->U + at : NULL,
                       c->A ? c->A + at : NULL, c->Au ? c->Au + at : NULL);
        }
    }
}

void tmli_joint_space_set_motions(const tmli_joint_space *s, tmli_joint_space_work *w, const double *u,
                                  const double *udot)
{
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_tree_body *x = &w->body[i], *p = tmli_parent_body(w, b);
        for (int k = 0; k < b->nu; k++) {
            const inward_motion o = inward_motion_of(b, p, x, u, udot, k);
            const size_t at = 6 * (size_t)(b->first + k);
            vec3 v, a;
            tmli_tree_joint_motion(b, x, k, &v, &a);
            const vec3 v1 = v3_sub(v3_cross(o.W, v), v3_cross(a, o.V)), w1 = v3_cross(o.W, a);
            const vec3 v2 = v3_add(v3_sub(v3_cross(o.A, v), v3_cross(a, o.Z)),
                                   v3_sub(v3_cross(o.W, v1), v3_cross(w1, o.V)));
            v3_store(v, w->motions.psi + at);
            v3_store(a, w->motions.psi + at + 3);
            v3_store(v1, w->motions.first + at);
            v3_store(w1, w->motions.first + at + 3);
            v3_store(v2, w->motions.second + at);
            v3_store(v3_add(v3_cross(o.A, a), v3_cross(o.W, w1)), w->motions.second + at + 3);
            v3_store(v3_add(v1, v3_sub(v3_cross(o.W_outward, v), v3_cross(a, o.V))), w->motions.by_u + at);
            v3_store(v3_add(w1, v3_cross(o.W_outward, a)), w->motions.by_u + at + 3);
        }
    }
}

// ---- rows of the loops and their right sides gamma --------------------------------------------------------

// values (rows of the loop) += factor * local rows (constraint's rows x 6 slots) times the columns `which`
// (0: H, 1: U, 2: A, 3: A_u) of the bodies at its slots.
static void add_rows_columns(const tmli_joint_space *s, const tmli_joint_space_work *w, const tmli_loop *p,
                             const double *rows, int which, double factor, double *values)
{
    const tmli_plan *plan = &s->model->constraint[p->constraint].plan;
    const size_t n6 = 6 * (size_t)s->n;
    for (int k = 0; k < plan->nslots; k++) {
        const double *c = w->product + (size_t)(4 * k + which) * n6;
        for (int at = p->slot[k]; at >= 0; at = p->up[at]) {
            const tmli_tree_joint *b = &s->joint[p->path[at]];
            for (int r = 0; r < p->nrows; r++) {
                const double *row = rows + (p->keep + r) * 6 * plan->nslots + 6 * k;
                for (int j = 0; j < b->nu; j++)
                    values[r * p->width + p->at[at] + j] += factor * tmli_dot6(row, c + 6 * (b->first + j));
            }
        }
    }
}

static void slot_columns(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_loop *p,
                         const double *u, bool all)
{
    const tmli_plan *plan = &s->model->constraint[p->constraint].plan;
    const size_t n6 = 6 * (size_t)s->n;
    for (int k = 0; k < plan->nslots; k++) {
        double *c = w->product + (size_t)(4 * k) * n6;
        const tmli_motion_columns to = {c, c + n6, all ? c + 2 * n6 : NULL, all ? c + 3 * n6 : NULL};
        tmli_joint_space_set_columns(s, w, p->path[p->slot[k]], u, NULL, &to);
    }
}

void tmli_joint_space_loop_times(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                 const tmli_loop *p, const double *v, double *values)
{
    const tmli_constraint *c = &s->model->constraint[p->constraint];
    memset(values, 0, (size_t)(p->nrows * p->width) * sizeof *values);
    if (tmli_is_released(c, x)) return;
    slot_columns(s, w, p, v, false);
    tmli_mb_constraint_rows_times(s->model, w->base, c, w->bu, w->base->B);
    add_rows_columns(s, w, p, w->base->B, 0, 1, values);
    tmli_mb_constraint_rows(s->model, w->base, c);
    add_rows_columns(s, w, p, w->base->B, 1, 1, values);
}

tml_status tmli_joint_space_rows_times(const void *self, void *work, const tml_state *x, const double *v,
                                       double *values, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    if (!s->matrix) return tmli_joint_space_no_matrix(err);
    tmli_joint_space_velocities(s, w, x->q, v);  // (H v)_d is U_d with u = v; H v is w->bu
    for (int i = 0; i < s->nloops; i++)
        tmli_joint_space_loop_times(s, w, x, &s->loop[i], v, values + s->loop[i].offset);
    return TML_OK;
}

// gamma_q,d = gamma_d H + gamma_u U_d - (B h)_d H - B A_d, gamma_q,u = gamma_u H - B A_u, at udot = 0: A = h
tml_status tmli_joint_space_gamma_derivatives(const void *self, void *work, const tml_state *x, double *by_d,
                                              double *by_u, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    tmli_work *base = w->base;
    if (!s->matrix) return tmli_joint_space_no_matrix(err);
    tmli_joint_space_velocities(s, w, x->q, x->u);
    tmli_joint_space_accelerations(s, w, NULL, w->budot);
    const tml_state y = tmli_joint_space_base_state(s, w, x, false);
    memset(by_d, 0, (size_t)s->row_entries * sizeof *by_d);
    memset(by_u, 0, (size_t)s->row_entries * sizeof *by_u);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        double *second = base->B + c->nrows * 6 * c->plan.nslots;
        if (tmli_is_released(c, x)) continue;
        slot_columns(s, w, p, x->u, true);
        tmli_mb_constraint_gamma_derivatives(s->model, base, &y, c, base->B, second);
        add_rows_columns(s, w, p, base->B, 0, 1, by_d + p->offset);
        add_rows_columns(s, w, p, second, 1, 1, by_d + p->offset);
        add_rows_columns(s, w, p, second, 0, 1, by_u + p->offset);
        tmli_mb_constraint_rows_times(s->model, base, c, w->budot, base->B);
        add_rows_columns(s, w, p, base->B, 0, -1, by_d + p->offset);
        tmli_mb_constraint_rows(s->model, base, c);
        add_rows_columns(s, w, p, base->B, 2, -1, by_d + p->offset);
        add_rows_columns(s, w, p, base->B, 3, -1, by_u + p->offset);
    }
    return TML_OK;
}

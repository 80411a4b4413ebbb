// Increments of the configuration in joint coordinates: retraction, its tangent operator, and the change of
// the rows.
//
// Rotation vectors d of balls are composed on SO(3); all other coordinates are added.
#include "system/joint_space/internal.h"
#include "system/state/first_order.h"

// ---- increments of constraints without cancellation -------------------------------------------------------

static vec3 rotation_change(const mat3 *R, const tmli_pose_increment *t, vec3 v)  // (R exp(th) - R) v
{
    const vec3 a = v3_cross(t->th, v);
    return m3_mulv(R, v3_add(v3_scale(t->s, a), v3_scale(t->c, v3_cross(t->th, a))));
}

// Rotation vector of a child over the increment d, in its own frame at the start; th_p: that of the parent.
static vec3 rotation_increment(const tmli_tree_joint *b, const mat3 *Rp, const tmli_tree_body *x, vec3 th_p,
                               const double *d)
{
    d += b->nslide;
    vec3 th = m3_tmulv(&x->R, m3_mulv(Rp, th_p));
    if (b->rotation == TMLI_ROTATION_BALL) return tmli_so3_compose(th, v3_from(d));
    if (b->rotation == TMLI_ROTATION_NONE) return th;
    th = tmli_so3_compose(th, m3_tmulv(&x->R, v3_scale(d[0], x->motion[b->nslide].w)));
    return b->rotation == TMLI_ROTATION_TWO_AXES ? tmli_so3_compose(th, v3_scale(d[1], b->axis2)) : th;
}

tml_status tmli_joint_space_increment(const void *self, void *work, const tml_state *x0, const double *d,
                                      double t1, double *dphi, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    const tml_model *m = s->model;
    (void)err;
    if (s->planar) {
        tmli_joint_space_increment_planar(s, w, x0, d, t1, dphi);
        return TML_OK;
    }
    tmli_joint_space_positions(s, w, x0->q);
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_tree_body *p = tmli_parent_body(w, b);
        tmli_tree_body *x = &w->body[i];
        const double *di = d + b->first;
        double six[6] = {0};
        v3_store(p->dalpha, six + 3);
        const tmli_pose_increment turn = tmli_pose_increment_of(six);
        const vec3 a0 = tmli_tree_joint_arm(b, x0->q + b->firstq);
        vec3 da = {0, 0, 0};
        for (int k = 0; k < b->nslide; k++) da = v3_axpy(di[k], b->slide[k], da);
        if (b->pitch != 0) da = v3_axpy(b->pitch * di[b->nslide], b->axis, da);
        x->dacc = v3_add(p->dacc, v3_add(rotation_change(&p->R, &turn, v3_add(a0, da)), m3_mulv(&p->R, da)));
        x->dalpha = rotation_increment(b, &p->R, x, p->dalpha, di);
        v3_store(x->dalpha, six + 3);
        const tmli_pose_increment own = tmli_pose_increment_of(six);
        v3_store(v3_sub(x->dacc, rotation_change(&x->R, &own, b->origin)), six);
        if (b->point) six[3] = six[4] = six[5] = 0;
        w->base->increment[b->node] = tmli_pose_increment_of(six);
        const tmli_node *node = &m->node[b->node];
        for (int k = 0; k < node->ncoords; k++) w->budot[node->first + k] = six[node->local[k]];
    }
    tmli_joint_space_set_turned(s, w, x0, d);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        double change_of[TMLI_JOINT_ROWS];
        tmli_mb_constraint_increment(m, w->base, x0, &m->constraint[p->constraint], w->budot, t1, change_of);
        for (int r = 0; r < p->nrows; r++) dphi[p->first + r] = change_of[p->keep + r];
    }
    return TML_OK;
}

// ---- configuration ----------------------------------------------------------------------------------------

// All coordinates except quaternions are added.
void tmli_joint_space_retract(const void *self, const double *q, const double *d, double *out)
{
    const tmli_joint_space *s = self;
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const double *qi = q + b->firstq, *di = d + b->first;
        double *o = out + b->firstq;
        if (b->state) {
            tmli_integral_retract(1, qi, di, o);
            continue;
        }
        const int plain = b->rotation == TMLI_ROTATION_BALL ? b->nslide : b->nu;
        for (int k = 0; k < plain; k++) o[k] = qi[k] + di[k];
        if (plain == b->nu) continue;
        q_store(q_normalize(q_mul(q_from(qi + plain), tmli_so3_exp(v3_from(di + plain)))), o + plain);
    }
}

void tmli_joint_space_local(const void *self, const double *q0, const double *q1, double *d)
{
    const tmli_joint_space *s = self;
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const double *a = q0 + b->firstq, *z = q1 + b->firstq;
        double *o = d + b->first;
        if (b->state) {
            tmli_integral_local(1, a, z, o);
            continue;
        }
        const int plain = b->rotation == TMLI_ROTATION_BALL ? b->nslide : b->nu;
        for (int k = 0; k < plain; k++) o[k] = z[k] - a[k];
        if (plain < b->nu)
            v3_store(tmli_so3_log(q_mul(q_conj(q_from(a + plain)), q_from(z + plain))), o + plain);
    }
}

typedef vec3 (*ball_function)(vec3 d, vec3 v);

// out = f(d, y) at balls, `rest` (NULL: 0) elsewhere. out may be d or y.
static void per_ball(const tmli_joint_space *s, ball_function f, const double *d, const double *y,
                     const double *rest, double *out)
{
    if (s->nballs == 0) {
        if (rest) memmove(out, rest, (size_t)s->n * sizeof *out);
        else memset(out, 0, (size_t)s->n * sizeof *out);
        return;
    }
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const bool ball = b->rotation == TMLI_ROTATION_BALL;
        const int at = b->first + b->nslide;
        if (ball) v3_store(f(v3_from(d + at), v3_from(y + at)), out + at);
        for (int k = b->first; k < (ball ? at : b->first + b->nu); k++) out[k] = rest ? rest[k] : 0;
    }
}

static vec3 tangent_of(vec3 d, vec3 v)
{
    const mat3 T = tmli_so3_tangent(d);
    return m3_mulv(&T, v);
}
static vec3 inverse_of(vec3 d, vec3 v)
{
    const mat3 T = tmli_so3_tangent_inverse(d);
    return m3_mulv(&T, v);
}
static vec3 first_of(vec3 x, vec3 u)
{
    return v3_scale(-0.5, v3_cross(x, u));
}  // T = 1 - d~/2 + d~ d~/6 - ...
static vec3 second_of(vec3 x, vec3 u) { return v3_scale(1 / 6.0, v3_cross(u, v3_cross(x, u))); }

void tmli_joint_space_tangent_inverse(const void *self, const double *d, const double *u, double *out)
{
    const tmli_joint_space *s = self;
    per_ball(s, inverse_of, d, u, u, out);
}

void tmli_joint_space_tangent(const void *self, const double *d, const double *v, double *out)
{
    const tmli_joint_space *s = self;
    per_ball(s, tangent_of, d, v, v, out);
}

void tmli_joint_space_tangent_rate(const void *self, const double *d, const double *v, double *out)
{
    const tmli_joint_space *s = self;
    per_ball(s, tmli_so3_tangent_rate, d, v, NULL, out);
}

void tmli_joint_space_tangent_derivatives(const void *self, const double *x, const double *u, double *first,
                                          double *second)
{
    const tmli_joint_space *s = self;
    per_ball(s, first_of, x, u, NULL, first);
    per_ball(s, second_of, x, u, NULL, second);
}

void tmli_joint_space_compose(const void *self, const double *d1, const double *d2, double *out)
{
    const tmli_joint_space *s = self;
    for (int j = 0; j < s->n && s->nballs == 0; j++) out[j] = d1[j] + d2[j];
    for (int i = 0; i < s->njoints && s->nballs > 0; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const int at = b->first + b->nslide;
        const bool ball = b->rotation == TMLI_ROTATION_BALL;
        if (ball) v3_store(tmli_so3_compose(v3_from(d1 + at), v3_from(d2 + at)), out + at);
        for (int k = b->first; k < (ball ? at : b->first + b->nu); k++) out[k] = d1[k] + d2[k];
    }
}

void tmli_joint_space_add_turns(const void *self, const double *near, double *d)
{
    const tmli_joint_space *s = self;
    for (int i = 0; i < s->nballs; i++) {
        const int at = s->ball[i];
        v3_store(tmli_so3_add_turns(v3_from(d + at), v3_from(near + at)), d + at);
    }
}

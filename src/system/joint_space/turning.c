// Turns of counted angles over increments of joint coordinates.
//
// A counted angle of the model that is the angle of a tree joint changes as this coordinate does. Any other
// one depends on the tree joints between its two bodies, from each body up to their nearest common ancestor.
// On the path q (+) s d these rotate with constant rates. The angle is that about an axis of one of the
// bodies; if all joints rotate about parallels to it, their rotations add up.
#include "element/joint/turning.h"
#include "system/joint_space/internal.h"

// The tree joints between two bodies: from[0] and from[1] are those of the bodies, top is the common ancestor
// (-1: the ground).
typedef struct chain {
    const tmli_joint_space *s;
    const double *q, *d;
    int from[2], top;
} chain;

tmli_turning_chain tmli_joint_space_turning_chain(const tmli_joint_space *s, int use)
{
    const tmli_measure_use *u = &s->model->measure_use[use];
    const mat3 one = m3_identity();
    tmli_turning_chain c = {.use = use};
    if (s->planar) c.axis = tmli_turning_axis(&u->measure, &one, &one).z;
    for (int k = 0; k < 2; k++) c.from[k] = u->node[k] < 0 ? -1 : s->joint_of_node[u->node[k]];
    int a = c.from[0], b = c.from[1];
    while (a != b) {  // parents come before children
        if (a > b) a = s->joint[a].parent;
        else b = s->joint[b].parent;
    }
    c.top = a;
    return c;
}

// Attitude of a tree joint's child relative to its parent at q (+) s d.
static mat3 joint_attitude(const chain *c, const tmli_tree_joint *b, double s)
{
    const mat3 one = m3_identity();
    const double *q0 = c->q + b->firstq, *d = c->d + b->first;
    const int turns = b->nu - b->nslide;
    double q[7] = {0};
    if (b->rotation == TMLI_ROTATION_BALL)
        q_store(q_mul(q_from(q0 + b->nslide), tmli_so3_exp(v3_scale(s, v3_from(d + b->nslide)))),
                q + b->nslide);
    for (int k = b->nslide; k < b->nu && turns <= 2; k++) q[k] = q0[k] + s * d[k];
    return tmli_tree_joint_rotation(b, &one, q);
}

static mat3 attitude(const chain *c, int from, double s)
{
    mat3 R = m3_identity();
    for (int i = from; i != c->top; i = c->s->joint[i].parent) {
        const mat3 J = joint_attitude(c, &c->s->joint[i], s);
        R = m3_mul(&J, &R);
    }
    return R;
}

static void attitudes(const void *user, double s, mat3 *A, mat3 *B)
{
    const chain *c = user;
    *A = attitude(c, c->from[0], s);
    *B = attitude(c, c->from[1], s);
}

static double rotation_size(const chain *c)
{
    double size = 0;
    for (int k = 0; k < 2; k++)
        for (int i = c->from[k]; i != c->top; i = c->s->joint[i].parent) {
            const tmli_tree_joint *b = &c->s->joint[i];
            const double *d = c->d + b->first + b->nslide;
            if (b->rotation == TMLI_ROTATION_BALL) size += v3_norm(v3_from(d));
            if (b->rotation == TMLI_ROTATION_AXIS || b->rotation == TMLI_ROTATION_TWO_AXES)
                size += fabs(d[0]);
            if (b->rotation == TMLI_ROTATION_TWO_AXES) size += fabs(d[1]);
        }
    return size;
}

static void add_rotation(tmli_turning *t, double sign, vec3 rotation, vec3 n)
{
    const double along = v3_dot(rotation, n);
    t->along += sign * along;
    t->across += v3_norm(v3_axpy(-along, n, rotation));
}

// Rotations along and across n, which is given in the frame of body `from` and turned to that of its parents.
static void split_rotations(const chain *c, int from, double sign, vec3 n, tmli_turning *t)
{
    for (int i = from; i != c->top; i = c->s->joint[i].parent) {
        const tmli_tree_joint *b = &c->s->joint[i];
        const double *d = c->d + b->first + b->nslide;
        const mat3 J = joint_attitude(c, b, 0);
        if (b->rotation == TMLI_ROTATION_BALL) add_rotation(t, sign, v3_from(d), n);
        if (b->rotation == TMLI_ROTATION_TWO_AXES) add_rotation(t, sign, v3_scale(d[1], b->axis2), n);
        n = m3_mulv(&J, n);
        if (b->rotation == TMLI_ROTATION_AXIS || b->rotation == TMLI_ROTATION_TWO_AXES)
            add_rotation(t, sign, v3_scale(d[0], b->axis), n);
    }
}

// In the plane all rotations are about z.
static double planar_turning(const tmli_joint_space *s, const double *d, const tmli_turning_chain *c)
{
    double sum = 0, size = 0;
    for (int k = 0; k < 2; k++)
        for (int i = c->from[k]; i != c->top; i = s->planar_joint[i].parent) {
            const tmli_planar_joint *b = &s->planar_joint[i];
            if (!b->turns) continue;
            sum += (k == 0 ? -b->sign : b->sign) * d[b->first + b->nslide];
            size += fabs(d[b->first + b->nslide]);
        }
    return tmli_turning_is_small(size) ? 0 : c->axis * sum;
}

// Change of a counted angle that is no coordinate.
static double turning(const tmli_joint_space *s, const double *q, const double *d,
                      const tmli_turning_chain *counted)
{
    if (s->planar) return planar_turning(s, d, counted);
    const tmli_measure_use *use = &s->model->measure_use[counted->use];
    const chain c = {
        .s = s, .q = q, .d = d, .from = {counted->from[0], counted->from[1]}, .top = counted->top};
    tmli_turning t = {.size = rotation_size(&c), .attitudes = attitudes, .user = &c};
    if (tmli_turning_is_small(t.size)) return 0;
    mat3 A, B;
    attitudes(&c, 0, &A, &B);
    const vec3 n = tmli_turning_axis(&use->measure, &A, &B);
    split_rotations(&c, c.from[0], -1, m3_tmulv(&A, n), &t);
    split_rotations(&c, c.from[1], 1, m3_tmulv(&B, n), &t);
    return tmli_turning_change(&use->measure, &t);
}

// The angle of each tree joint that is counted: index in state.angle and its change over d.
static void add_changes(const tmli_joint_space *s, const double *q, const double *d, double *angle)
{
    const tml_model *m = s->model;
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        for (int k = 0; k < 2; k++)
            if (b->counted_angle[k] >= 0)
                angle[m->measure_use[b->counted_angle[k]].angle] += d[b->first + b->nslide + k];
    }
    double sum = 0;  // of all rotations: often none can turn an angle far
    for (int j = 0; j < s->n && s->ncounted > 0; j++)
        if (s->kind[j] == TML_COORDINATE_ROTATION) sum += fabs(d[j]);
    if (tmli_turning_is_small(sum)) return;
    for (int k = 0; k < s->ncounted; k++) {
        const tmli_turning_chain *c = &s->counted[k];
        angle[m->measure_use[c->use].angle] += turning(s, q, d, c);
    }
}

void tmli_joint_space_count(const void *self, const tml_state *x0, const double *d, double *angle)
{
    for (int i = 0; i < x0->na && angle != x0->angle; i++) angle[i] = x0->angle[i];
    add_changes(self, x0->q, d, angle);
}

void tmli_joint_space_set_turned(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x0,
                                 const double *d)
{
    for (int i = 0; i < x0->na; i++) w->base->turned[i] = 0;
    add_changes(s, x0->q, d, w->base->turned);
}

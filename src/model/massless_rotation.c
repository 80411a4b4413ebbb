// Rotations without inertia that nothing can cause: a point mass given as a body, a massless rod between two
// spherical joints, a thin rod. Their accelerations would be 0/0, and nothing depends on them.
//
// A body whose inertia J vanishes about n is free to spin if all that is fixed to it and that others feel
// (its centre of mass if it has mass, points where joints and forces act, directions that joints compare)
// lies on one axis along n. Then the turn s about that axis changes no constraint and no energy, and no force
// works on it, in any position:
//   dPhi/ds = 0,   Q_s = 0                                                                        (1)
// An inertia mu n n' added to J gives it the equation mu d(n.w)/dt + Q_gyro = 0. With n.w = 0 at the start
//   mu n (n.wdot) + w x mu n (n.w) = 0                                                            (2)
// for all time: the spin is held, and everything else moves as without mu, whatever its size. So no method,
// solver or choice of coordinates needs to know. If all lies in one point, the same holds for all three
// rotations.
//
// Bodies that fixed joints make one are taken as one here: mu is given to the first of them. What other
// joints let spin together is not looked at: the start names it.
#include "model/model.h"

#include <math.h>

static const double ALIGNED = 1e-9;      // sine of an angle that counts as none
static const double NO_INERTIA = 1e-12;  // |J n| over the trace of J

// What is known so far of a body: everything lies on the axis through `point` along `axis`, as far as they
// are set.
typedef struct spin {
    bool has_point, has_axis, never;
    vec3 point, axis;  // in the frame of the first body
    double length;     // the model's [m]
    mat3 C;            // frame of the body that is looked at, in that of the first
    vec3 s;
} spin;

// Where a body is in the frame of the first one of those that fixed joints make one with it.
typedef struct place {
    int first;  // -1: the ground
    mat3 C;
    vec3 s;
} place;

static void add_common_axis(spin *s, vec3 a)
{
    const double size = v3_norm(a);
    if (size == 0) return;
    a = v3_scale(1 / size, a);
    if (!s->has_axis) s->axis = a;
    else if (v3_norm(v3_cross(s->axis, a)) > ALIGNED) s->never = true;
    s->has_axis = true;
}

static void add_axis(spin *s, vec3 a) { add_common_axis(s, m3_mulv(&s->C, a)); }

static void add_point(spin *s, vec3 p)
{
    p = v3_add(s->s, m3_mulv(&s->C, p));
    if (!s->has_point) s->point = p;
    const vec3 d = v3_sub(p, s->point);
    if (s->has_point && v3_norm(d) > ALIGNED * s->length) add_common_axis(s, d);
    s->has_point = true;
}

// ---- bodies that are one ----------------------------------------------------------------------------------

static place of(const place *all, int node)
{
    return node < 0 ? (place){-1, m3_identity(), v3(0, 0, 0)} : all[node];
}

// All that is one with the first of b comes to be one with that of a: a x_a + s = b x_b + s.
static void unite(const tml_model *m, place *all, const tmli_marker *a, const tmli_marker *b)
{
    const place A = of(all, a->body), B = of(all, b->body);
    if (A.first == B.first) return;
    if (B.first < 0 ||
        (A.first >= 0 && B.first < A.first)) {  // the ground, then the lowest number, comes first
        unite(m, all, b, a);
        return;
    }
    // frame of the marker in that of either first body: (C, s) = place (marker)
    const mat3 Ca = m3_mul(&A.C, &a->C), Cb = m3_mul(&B.C, &b->C), back = m3_transpose(&Cb);
    const vec3 sa = v3_add(A.s, m3_mulv(&A.C, a->s)), sb = v3_add(B.s, m3_mulv(&B.C, b->s));
    const mat3 C = m3_mul(&Ca, &back);
    const vec3 s = v3_sub(sa, m3_mulv(&C, sb));
    for (int i = 0; i < m->nnodes; i++) {
        if (all[i].first != B.first) continue;
        all[i] = (place){A.first, m3_mul(&C, &all[i].C), v3_add(s, m3_mulv(&C, all[i].s))};
    }
}

static void find_places(const tml_model *m, place *all)
{
    for (int i = 0; i < m->nnodes; i++) all[i] = (place){i, m3_identity(), v3(0, 0, 0)};
    for (int k = 0; k < m->nconstraints; k++) {
        const tmli_constraint *c = &m->constraint[k];
        if (c->type == TML_JOINT_FIXED) unite(m, all, &c->marker[0], &c->marker[1]);
    }
}

// ---- what joints feel -------------------------------------------------------------------------------------

// A joint between two frames, its rows taken together: which turns of the body of side (0: a, 1: b) keep them
// all.
static void add_joint(spin *s, const tmli_constraint *c, int side)
{
    const tmli_marker *k = &c->marker[side];
    const vec3 x = v3(k->C.m[0], k->C.m[3], k->C.m[6]), y = v3(k->C.m[1], k->C.m[4], k->C.m[7]),
               z = v3(k->C.m[2], k->C.m[5], k->C.m[8]);
    switch (c->type) {
    case TML_JOINT_SPHERICAL:
    case TML_JOINT_DISTANCE: add_point(s, k->s); break;
    case TML_JOINT_REVOLUTE:
    case TML_JOINT_CYLINDRICAL:
        add_point(s, k->s);
        add_axis(s, z);
        break;
    case TML_JOINT_UNIVERSAL:
        add_point(s, k->s);
        add_axis(s, side == 0 ? x : y);
        break;
    case TML_JOINT_POINT_ON_LINE:
    case TML_JOINT_POINT_ON_PLANE:
        add_point(s, k->s);
        if (side == 0) add_axis(s, z);
        break;
    case TML_JOINT_PARALLEL:
    case TML_JOINT_PERPENDICULAR: add_axis(s, z); break;
    case TML_JOINT_PLANAR:
        add_point(s, k->s);
        add_axis(s, z);
        break;
    default: s->never = true;
    }
}

static void add_measure(spin *s, const tmli_measure *x, int side)
{
    switch (x->kind) {
    case TMLI_COORD:
    case TMLI_DIST2:
    case TMLI_LENGTH: add_point(s, side == 0 ? x->s_A : x->s_B); break;
    default: s->never = true;
    }
}

static void look_at_constraint(const tml_model *m, const tmli_constraint *c, int node, spin *s)
{
    if (c->type == TML_JOINT_FIXED) return;  // within what is one
    for (int side = 0; c->has_reaction && side < 2; side++)
        if (c->marker[side].body == node) add_joint(s, c, side);
    for (int i = 0; i < c->nterms && !c->has_reaction; i++) {
        const tmli_measure_use *l = &m->link[c->term[i].link];
        for (int side = 0; side < 2; side++)
            if (l->node[side] == node) add_measure(s, &l->measure, side);
    }
}

// ---- what forces feel -------------------------------------------------------------------------------------

// Drag brakes each rotation by itself, so that one at rest stays so.
static void look_at_force(const tml_model *m, const tmli_force *f, int node, spin *s)
{
    if (f->type == TML_FORCE_SPRING) {
        for (int side = 0; side < 2; side++)
            if (m->link[f->link].node[side] == node) add_measure(s, &m->link[f->link].measure, side);
    } else if (f->type == TML_FORCE_APPLIED || f->type == TML_FORCE_DRAG) {
        if (f->at.body != node) return;
        add_point(s, f->at.s);
        for (int k = 3; k < 6; k++) s->never = s->never || f->wrench[k].expr;
    } else {
        for (int side = 0; side < 2; side++)
            s->never = s->never || (f->slot[side] >= 0 && f->plan.node[f->slot[side]] == node);
    }
}

// ---- holding ----------------------------------------------------------------------------------------------

static double trace(const mat3 *J) { return J->m[0] + J->m[4] + J->m[8]; }

// A unit vector n with J n = 0; false: there is none, or more than one.
static bool null_vector(const mat3 *J, vec3 *n)
{
    double best = 0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const vec3 c = v3_cross(v3_from(J->m + 3 * i), v3_from(J->m + 3 * j));
        if (v3_norm(c) <= best) continue;
        best = v3_norm(c);
        *n = v3_scale(1 / best, c);
    }
    return best > 0 && v3_norm(m3_mulv(J, *n)) <= NO_INERTIA * trace(J);
}

// The axis of the spin in s, from what others feel and J of all. Returns how many rotations are free: 0, 1 or
// 3.
static int free_rotations(const tml_model *m, const mat3 *J, spin *s)
{
    if (s->never || !s->has_point) return 0;
    if (m->planar) {  // about z alone; in-plane moments of inertia do not matter
        if (J->m[8] != 0 || (s->has_axis && hypot(s->axis.x, s->axis.y) > ALIGNED)) return 0;
        s->axis = v3(0, 0, 1);
        return 1;
    }
    const double size = trace(J);
    if (!s->has_axis && size == 0) return 3;
    if (!s->has_axis) return null_vector(J, &s->axis) ? 1 : 0;
    return v3_norm(m3_mulv(J, s->axis)) <= NO_INERTIA * size ? 1 : 0;
}

// A direction without round-off in components that are none: their squares would pass for inertia.
static vec3 clean(vec3 n)
{
    double c[3] = {n.x, n.y, n.z};
    for (int i = 0; i < 3; i++)
        if (fabs(c[i]) < NO_INERTIA) c[i] = 0;
    return v3_from(c);
}

// In the frame of the body at p, what s is in that of the first.
static void note(const tml_model *m, tmli_node *node, const spin *s, const place *p, int count)
{
    node->massless_rotations = count;
    node->massless_axis = clean(m3_tmulv(&p->C, s->axis));
    node->massless_centre = m3_tmulv(&p->C, v3_sub(s->point, p->s));
    const vec3 n = node->massless_axis;
    if (count == 3)
        tmli_log(&m->env, TML_LOG_INFO,
                 "body '%s' has no inertia and nothing turns it: its rotation is held at rest", node->name);
    else
        tmli_log(&m->env, TML_LOG_INFO,
                 "body '%s' has no inertia about the axis [%.4g, %.4g, %.4g] and nothing turns it about it: "
                 "this rotation is held at rest",
                 node->name, n.x, n.y, n.z);
}

// mu: as the body's mass (of a massless one the mean of all) has it at the model's length, to suit the
// scaling
static void give_inertia(const tml_model *m, tmli_node *node, const spin *s, int count, double mean)
{
    const double mu = (node->mass > 0 ? node->mass : mean) * m->length * m->length;
    const double n[3] = {s->axis.x, s->axis.y, s->axis.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) node->J.m[3 * i + j] += mu * (count == 3 ? i == j : n[i] * n[j]);
}

static double mean_mass(const tml_model *m)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < m->nnodes; i++) {
        sum += m->node[i].mass;
        count += m->node[i].mass > 0;
    }
    return count > 0 ? sum / count : 1;
}

// What others feel of all bodies that are one with `first`, and their inertia, in its frame. False: one
// cannot turn.
static bool look_at(const tml_model *m, const place *all, int first, spin *s, mat3 *J)
{
    for (int i = first; i < m->nnodes; i++) {
        const tmli_node *node = &m->node[i];
        if (all[i].first != first) continue;
        if (node->ncoords == (m->planar ? 2 : 3)) return false;
        s->C = all[i].C;
        s->s = all[i].s;
        if (node->mass > 0) add_point(s, v3(0, 0, 0));
        for (int k = 0; k < m->nconstraints && !s->never; k++) look_at_constraint(m, &m->constraint[k], i, s);
        for (int k = 0; k < m->nforces && !s->never; k++) look_at_force(m, &m->force[k], i, s);
        const mat3 half = m3_mul(&all[i].C, &node->J), back = m3_transpose(&all[i].C),
                   turned = m3_mul(&half, &back);
        *J = m3_add(J, &turned);
    }
    return true;
}

tml_status tmli_model_find_massless_rotations(tml_model *m, tml_error *err)
{
    const double mean = mean_mass(m);
    place *all = tmli_calloc(&m->env, (size_t)m->nnodes, sizeof *all);
    if (!all) return tmli_no_memory(err, "model");
    find_places(m, all);
    for (int i = 0; i < m->nnodes; i++) {
        spin s = {.length = m->length};
        mat3 J = {{0}};
        if (all[i].first != i || !look_at(m, all, i, &s, &J)) continue;
        const int free = free_rotations(m, &J, &s);
        if (free == 0) continue;
        s.axis = clean(s.axis);
        give_inertia(m, &m->node[i], &s, free, mean);
        for (int j = i; j < m->nnodes; j++)
            if (all[j].first == i) note(m, &m->node[j], &s, &all[j], free);
    }
    tmli_free(&m->env, all);
    return TML_OK;
}

// w without its held part w_h, and rdot such that the centre C keeps its velocity rdot + R (w x C).
void tmli_model_stop_massless_rotations(const tml_model *m, tml_state *x)
{
    for (int i = 0; i < m->nnodes; i++) {
        const tmli_node *node = &m->node[i];
        if (node->massless_rotations == 0) continue;
        double u[6] = {0};
        for (int k = 0; k < node->ncoords; k++) u[node->local[k]] = x->u[node->first + k];
        const vec3 w = v3_from(u + 3), n = node->massless_axis;
        const vec3 held = node->massless_rotations == 3 ? w : v3_scale(v3_dot(n, w), n);
        const mat3 R = q_matrix(q_from(x->q + 7 * i + 3));
        v3_store(v3_add(v3_from(u), m3_mulv(&R, v3_cross(held, node->massless_centre))), u);
        v3_store(v3_sub(w, held), u + 3);
        for (int k = 0; k < node->ncoords; k++) x->u[node->first + k] = u[node->local[k]];
    }
}

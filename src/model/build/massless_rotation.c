// Massless rotations that no force or constraint determines: a point mass modelled as a body, a massless rod
// between two spherical joints, a thin rod. Their accelerations would be 0/0, and no other motion depends on
// them.
//
// A body has a free rotation about n if its inertia J about n is zero and all its points and directions that
// enter the equations (the centre of mass if it has mass, points of joints and forces, directions that joints
// compare) lie on one axis along n. The rotation angle s about this axis then changes no constraint and no
// energy, and no force does work on it, in any configuration:
//   dPhi/ds = 0,   Q_s = 0                                                                        (1)
// Adding the inertia mu n n' to J gives the equation mu d(n.w)/dt + Q_gyro = 0. With n.w = 0 at the start,
//   mu n (n.wdot) + w x mu n (n.w) = 0                                                            (2)
// holds for all time: the rotation stays at rest, and all other motion is independent of mu. Methods, solvers
// and coordinate choices therefore need no special case. If all points coincide, the same holds for all three
// rotations.
//
// Bodies connected by fixed joints form one rigid group here; mu is added to the first body of the group.
// Massless rotations that other joints couple are not searched for here; the analysis of the start reports
// them.
#include "element/force/force.h"
#include "model/build/build.h"

#include <math.h>

#include "base/tolerances.h"

// The axis on which all points and directions found so far lie. Vectors are in the frame of the first body of
// the group.
typedef struct axis_search {
    bool has_point, has_axis;  // the axis passes through `point`; it has the direction `axis`
    bool impossible;           // there is no such axis
    vec3 point, axis;          // [m]; unit vector
    double length;             // length of the model [m]
    mat3 C;                    // frame of the current body in that of the first body
    vec3 s;                    // its origin [m]
} axis_search;

// Pose of a body in the frame of the first body of its rigid group.
typedef struct group_pose {
    int first;  // first body of the group; -1: the ground
    mat3 C;
    vec3 s;  // [m]
} group_pose;

static void add_common_axis(axis_search *s, vec3 a)
{
    const double size = v3_norm(a);
    if (size == 0) return;
    a = v3_scale(1 / size, a);
    if (!s->has_axis) s->axis = a;
    else if (v3_norm(v3_cross(s->axis, a)) > TMLI_AGREEMENT) s->impossible = true;
    s->has_axis = true;
}

static void add_axis(axis_search *s, vec3 a) { add_common_axis(s, m3_mulv(&s->C, a)); }

static void add_point(axis_search *s, vec3 p)
{
    p = v3_add(s->s, m3_mulv(&s->C, p));
    if (!s->has_point) s->point = p;
    const vec3 d = v3_sub(p, s->point);
    if (s->has_point && v3_norm(d) > TMLI_AGREEMENT * s->length) add_common_axis(s, d);
    s->has_point = true;
}

// ---- rigid groups -----------------------------------------------------------------------------------------

// The groups while they are joined. The ground is the node after the last body. Vectors and matrices are in
// the frame of the root of a group, any of its nodes.
typedef struct rigid_groups {
    group_pose *pose;         // (nbodies + 1); first: the root
    int *size, *last, *next;  // (nbodies + 1) of a root: members, the last of their list; of a node: the next
} rigid_groups;

// Join the groups of the nodes of the markers a and b, which coincide: the smaller one into the larger one.
static void join_groups(const tml_model *m, rigid_groups *g, const tmli_marker *a, const tmli_marker *b)
{
    const group_pose A = g->pose[a->body < 0 ? m->nbodies : a->body],
                     B = g->pose[b->body < 0 ? m->nbodies : b->body];
    if (A.first == B.first) return;
    if (g->size[A.first] < g->size[B.first]) {
        join_groups(m, g, b, a);
        return;
    }
    // frame of the marker in the frames of the two roots
    const mat3 Ca = m3_mul(&A.C, &a->C), Cb = m3_mul(&B.C, &b->C), back = m3_transpose(&Cb);
    const vec3 sa = v3_add(A.s, m3_mulv(&A.C, a->s)), sb = v3_add(B.s, m3_mulv(&B.C, b->s));
    const mat3 C = m3_mul(&Ca, &back);
    const vec3 s = v3_sub(sa, m3_mulv(&C, sb));
    for (int i = B.first; i >= 0; i = g->next[i]) {
        const group_pose p = g->pose[i];
        g->pose[i] = (group_pose){A.first, m3_mul(&C, &p.C), v3_add(s, m3_mulv(&C, p.s))};
    }
    g->next[g->last[A.first]] = B.first;
    g->last[A.first] = g->last[B.first];
    g->size[A.first] += g->size[B.first];
}

// all (nbodies): the poses in the frame of the first body of each group, or of the ground.
static tml_status find_groups(const tml_model *m, group_pose *all, tmli_arena *scratch, tml_error *err)
{
    const size_t n = (size_t)m->nbodies + 1;
    rigid_groups g = {.pose = tmli_arena_alloc(scratch, n, sizeof *g.pose)};
    g.size = tmli_arena_alloc(scratch, n, sizeof *g.size);
    g.last = tmli_arena_alloc(scratch, n, sizeof *g.last);
    g.next = tmli_arena_alloc(scratch, n, sizeof *g.next);
    int *first = tmli_arena_alloc(scratch, n, sizeof *first);  // of a root
    if (!g.pose || !g.size || !g.last || !g.next || !first) return tmli_no_memory(err, "model");
    for (int i = 0; i < (int)n; i++) {
        g.pose[i] = (group_pose){i, m3_identity(), v3(0, 0, 0)};
        g.size[i] = 1;
        g.last[i] = i;
        g.next[i] = -1;
        first[i] = -1;
    }
    for (int k = 0; k < m->nconstraints; k++) {
        const tmli_constraint *c = &m->constraint[k];
        if (c->ops->rigid) join_groups(m, &g, &c->marker[0], &c->marker[1]);
    }
    const int ground = g.pose[m->nbodies].first;
    first[ground] = m->nbodies;
    for (int i = 0; i < m->nbodies; i++) {
        const group_pose *p = &g.pose[i];
        if (first[p->first] < 0) first[p->first] = i;
        const group_pose *f = &g.pose[first[p->first]];
        all[i] = (group_pose){p->first == ground ? -1 : first[p->first], m3_identity(), v3(0, 0, 0)};
        if (f == p) continue;
        const mat3 back = m3_transpose(&f->C);
        all[i].C = m3_mul(&back, &p->C);
        all[i].s = m3_mulv(&back, v3_sub(p->s, f->s));
    }
    return TML_OK;
}

// ---- what acts on a body ----------------------------------------------------------------------------------

// Lists by body: item[first[i]] .. item[first[i + 1] - 1], ascending.
typedef struct body_lists {
    int *first, *item;
} body_lists;

// The plans of constraints (step: size of one) or forces, by the bodies among their nodes.
static tml_status list_by_body(const tml_model *m, const tmli_plan *plan, size_t step, int count,
                               body_lists *lists, tmli_arena *scratch, tml_error *err)
{
    const size_t n = (size_t)m->nbodies;
    lists->first = tmli_arena_alloc(scratch, n + 2, sizeof(int));
    if (!lists->first) return tmli_no_memory(err, "model");
    int *at = lists->first + 1;  // while they are filled: the next place in the list before
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < count; k++) {
            const tmli_plan *p = (const tmli_plan *)(const void *)((const char *)plan + step * (size_t)k);
            for (int s = 0; s < p->nslots; s++) {
                if (p->node[s] >= m->nbodies) continue;
                if (pass) lists->item[at[p->node[s]]++] = k;
                else lists->first[p->node[s] + 2]++;
            }
        }
        if (pass) break;
        for (size_t i = 2; i < n + 2; i++) lists->first[i] += lists->first[i - 1];
        lists->item = tmli_arena_alloc(scratch, (size_t)lists->first[n + 1] + 1, sizeof(int));
        if (!lists->item) return tmli_no_memory(err, "model");
    }
    return TML_OK;
}

// ---- points and directions of joints ----------------------------------------------------------------------

// A joint between two frames: the points and directions of the body of side (0: a, 1: b) that its rows use.
static void add_joint(axis_search *s, const tmli_constraint *c, int side)
{
    const tmli_marker *k = &c->marker[side];
    const unsigned uses = c->ops->uses[side];
    if ((uses & TMLI_USES_ALL_AXES) == TMLI_USES_ALL_AXES) s->impossible = true;
    if (s->impossible) return;
    if (uses & TMLI_USES_POINT) add_point(s, k->s);
    for (int axis = 0; axis < 3; axis++)
        if (uses & (unsigned)TMLI_USES_X << axis) add_axis(s, m3_col(&k->C, axis));
}

static void add_measure(axis_search *s, const tmli_measure *x, int side)
{
    switch (x->kind) {
    case TMLI_COORD:
    case TMLI_DIST2:
    case TMLI_LENGTH: add_point(s, side == 0 ? x->s_A : x->s_B); break;
    default: s->impossible = true;
    }
}

static void add_constraint(const tml_model *m, const tmli_constraint *c, int node, axis_search *s)
{
    if (c->ops->rigid) return;  // within a group
    for (int side = 0; c->has_reaction && side < 2; side++)
        if (c->marker[side].body == node) add_joint(s, c, side);
    for (int i = 0; i < c->nterms && !c->has_reaction; i++) {
        const tmli_measure_use *use = &m->measure_use[c->term[i].use];
        for (int side = 0; side < 2; side++)
            if (use->node[side] == node) add_measure(s, &use->measure, side);
    }
}

// ---- points of forces -------------------------------------------------------------------------------------

static void add_force(const tmli_force *f, int node, axis_search *s)
{
    vec3 point;
    const tmli_touch touch = f->ops->touch(f, node, &point);
    if (touch == TMLI_TOUCH_POINT) add_point(s, point);
    if (touch == TMLI_TOUCH_TORQUE) s->impossible = true;
}

// ---- free rotations and their inertia ---------------------------------------------------------------------

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
    return best > 0 && v3_norm(m3_mulv(J, *n)) <= TMLI_ROUNDOFF * trace(J);
}

// Number of free rotations of a group with the inertia J: 0, 1 (about the axis in s) or 3.
static int count_free_rotations(const tml_model *m, const mat3 *J, axis_search *s)
{
    if (s->impossible || !s->has_point) return 0;
    if (m->planar) {  // about z alone; in-plane moments of inertia do not matter
        if (J->m[8] != 0 || (s->has_axis && hypot(s->axis.x, s->axis.y) > TMLI_AGREEMENT)) return 0;
        s->axis = v3(0, 0, 1);
        return 1;
    }
    const double size = trace(J);
    if (!s->has_axis && size == 0) return 3;
    if (!s->has_axis) return null_vector(J, &s->axis) ? 1 : 0;
    return v3_norm(m3_mulv(J, s->axis)) <= TMLI_ROUNDOFF * size ? 1 : 0;
}

// A direction with components of round-off size set to 0: in (2) their squares would act as inertia.
static vec3 remove_roundoff(vec3 n)
{
    double c[3] = {n.x, n.y, n.z};
    for (int i = 0; i < 3; i++)
        if (fabs(c[i]) < TMLI_ROUNDOFF) c[i] = 0;
    return v3_from(c);
}

// Store the free rotations of a group in one of its bodies, in the frame of this body, and log them.
static void store_rotations(const tml_model *m, tmli_node *node, const axis_search *s, const group_pose *p,
                            int count)
{
    node->massless_rotations = count;
    node->massless_axis = remove_roundoff(m3_tmulv(&p->C, s->axis));
    node->massless_centre = m3_tmulv(&p->C, v3_sub(s->point, p->s));
    const vec3 n = node->massless_axis;
    if (count == 3)
        tmli_log(&m->env, TML_LOG_INFO,
                 "body '%s' has no inertia and no force rotates it: its rotation is kept at rest",
                 node->name);
    else
        tmli_log(
            &m->env, TML_LOG_INFO,
            "body '%s' has no inertia about the axis [%.4g, %.4g, %.4g] and no force rotates it about this "
            "axis: this rotation is kept at rest",
            node->name, n.x, n.y, n.z);
}

// Add the inertia of (2). mu = mass times the square of the model length, for a good scaling; the mass is
// that of the body or, if it is 0, the mean of all bodies.
static void add_inertia(const tml_model *m, tmli_node *node, const axis_search *s, int count, double mean)
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
    for (int i = 0; i < m->nbodies; i++) {
        sum += m->node[i].mass;
        count += m->node[i].mass > 0;
    }
    return count > 0 ? sum / count : 1;
}

typedef struct group_search {
    const tml_model *m;
    group_pose *all;                         // (nbodies)
    body_lists constraints, forces, groups;  // groups: of a first body, the bodies of its group
} group_search;

static tml_status prepare(group_search *g, tmli_arena *scratch, tml_error *err)
{
    const tml_model *m = g->m;
    const size_t n = (size_t)m->nbodies;
    g->all = tmli_arena_alloc(scratch, n + 1, sizeof *g->all);
    tmli_plan *group = tmli_arena_alloc(scratch, n + 1, sizeof *group);
    if (!g->all || !group) return tmli_no_memory(err, "model");
    tml_status st = find_groups(m, g->all, scratch, err);
    if (st == TML_OK)
        st = list_by_body(m, &m->constraint->plan, sizeof *m->constraint, m->nconstraints, &g->constraints,
                          scratch, err);
    if (st == TML_OK)
        st = list_by_body(m, m->nforces ? &m->force->plan : NULL, sizeof *m->force, m->nforces, &g->forces,
                          scratch, err);
    for (int i = 0; i < m->nbodies && st == TML_OK; i++)
        group[i] = (tmli_plan){.nslots = g->all[i].first >= 0, .node = &g->all[i].first};
    if (st == TML_OK) st = list_by_body(m, group, sizeof *group, m->nbodies, &g->groups, scratch, err);
    return st;
}

// Search the axis of the group of `first` and sum the inertia J of its bodies, both in the frame of `first`.
// False: one of them is a point mass, which has no rotation.
static bool search_group(const group_search *g, int first, axis_search *s, mat3 *J)
{
    const tml_model *m = g->m;
    for (int at = g->groups.first[first]; at < g->groups.first[first + 1]; at++) {
        const int i = g->groups.item[at];
        const tmli_node *node = &m->node[i];
        const group_pose *pose = &g->all[i];
        if (node->ncoords == (m->planar ? 2 : 3)) return false;
        s->C = pose->C;
        s->s = pose->s;
        if (node->mass > 0) add_point(s, v3(0, 0, 0));
        for (int k = g->constraints.first[i]; k < g->constraints.first[i + 1] && !s->impossible; k++)
            add_constraint(m, &m->constraint[g->constraints.item[k]], i, s);
        for (int k = g->forces.first[i]; k < g->forces.first[i + 1] && !s->impossible; k++)
            add_force(&m->force[g->forces.item[k]], i, s);
        const mat3 half = m3_mul(&pose->C, &node->J), back = m3_transpose(&pose->C),
                   turned = m3_mul(&half, &back);
        *J = m3_add(J, &turned);
    }
    return true;
}

tml_status tmli_model_find_massless_rotations(tml_model *m, tml_error *err)
{
    const double mean = mean_mass(m);
    tmli_arena scratch = {.env = &m->env};
    group_search g = {.m = m};
    const tml_status st = prepare(&g, &scratch, err);
    for (int i = 0; i < m->nbodies && st == TML_OK; i++) {
        axis_search s = {.length = m->length};
        mat3 J = {{0}};
        if (g.all[i].first != i || !search_group(&g, i, &s, &J)) continue;
        const int free = count_free_rotations(m, &J, &s);
        if (free == 0) continue;
        s.axis = remove_roundoff(s.axis);
        add_inertia(m, &m->node[i], &s, free, mean);
        for (int k = g.groups.first[i]; k < g.groups.first[i + 1]; k++) {
            const int j = g.groups.item[k];
            store_rotations(m, &m->node[j], &s, &g.all[j], free);
        }
    }
    tmli_arena_clear(&scratch);
    return st;
}

// Remove the massless part from w, and change rdot such that the centre C keeps its velocity rdot + R (w x
// C).
void tmli_model_stop_massless_rotations(const tml_model *m, tml_state *x)
{
    for (int i = 0; i < m->nbodies; i++) {
        const tmli_node *node = &m->node[i];
        if (node->massless_rotations == 0) continue;
        double u[6] = {0};
        for (int k = 0; k < node->ncoords; k++) u[node->local[k]] = x->u[node->first + k];
        const vec3 w = v3_from(u + 3), n = node->massless_axis;
        const vec3 massless = node->massless_rotations == 3 ? w : v3_scale(v3_dot(n, w), n);
        const mat3 R = q_matrix(q_from(x->q + 7 * i + 3));
        v3_store(v3_add(v3_from(u), m3_mulv(&R, v3_cross(massless, node->massless_centre))), u);
        v3_store(v3_sub(w, massless), u + 3);
        for (int k = 0; k < node->ncoords; k++) x->u[node->first + k] = u[node->local[k]];
    }
}

// M, D and K of trees in joint coordinates, by composite bodies.
//
// Coordinate j has the unit motion psi = (v_j, w_j) at P of its tree joint, which all bodies outward of it
// share, and with (W, V), (A, Z) of the inward side and W^ of columns.c the vectors
//   psi'  = (W x v_j - w_j x V,  W x w_j)
//   psi'' = (A x v_j - w_j x Z + W x v' - w' x V,  A x w_j + W x w')      psi' = (v', w')
//   psi^  = psi' + (W^ x v_j - w_j x V,  W^ x w_j)
// all of them motions, whose velocity at another point is v + w x (point - P). The columns of columns.c are
//   H: psi,   U_d: psi' + (w_j x rdot, 0),   A_d: psi'' + (2 w' x rdot + w_j x rddot, w' x w)
//   A_u: psi^ + (2 w_j x rdot, w_j x w)                                                                   (1)
// at the centre of mass r of a body, in world axes. With its inertia I in world axes the wrenches of a body
// outward of j are those of
//   M: I psi,   D: I psi^ + Y w_j,   K: I psi'' + Y w' + C w_j                                            (2)
//   Y: force 2 m w_j x rdot, moment (w~ J - (J w)~ - J w~) w_j;   C: force m w_j x rddot
// so that all bodies outward of j act as one, whose I, Y and C are the sums of theirs. The same holds for the
// geometric stiffness, assemble.c (1), with F = sum f, T = sum (r - P) f', N = sum n:
//   row j, column k inward: w_k.g_j;   row k, column j: w_k.(g_j + w_j x N)
//   g_j = v_j x F + T w_j - tr(T) w_j                                                                     (3)
// Elements between bodies a and b have blocks that are summed over the bodies which coordinate j moves: the
// wrenches on all bodies follow, and go from children to parents as in kinematics.c.
#include "system/joint_space/columns.h"

#include <string.h>

// ---- inertia ----------------------------------------------------------------------------------------------

static mat3 add_cross_cross(vec3 a, vec3 b, double factor, mat3 X)  // X + factor a~ b~
{
    const double d = factor * v3_dot(a, b);
    const mat3 outer = m3_outer(v3_scale(factor, b), a);
    for (int i = 0; i < 9; i++) X.m[i] += outer.m[i];
    for (int i = 0; i < 3; i++) X.m[4 * i] -= d;
    return X;
}

// One body, at its P. wrench: of all bodies, as in the motion residual of the base; NULL: no K.
static tmli_composite body_alone(const tmli_joint_space *s, const tmli_joint_space_work *w, int i,
                                 const double *wrench)
{
    const tmli_tree_joint *b = &s->joint[i];
    const tmli_tree_body *x = &w->body[i];
    const tmli_node *node = &s->model->node[b->node];
    const double mass = node->mass;
    tmli_composite o = {.mass = mass, .moment = v3_scale(mass, x->c)};
    const vec3 arm_velocity = v3_cross(x->w, x->c), rdot = v3_add(x->v, arm_velocity);
    o.momentum = v3_scale(mass, rdot);
    if (!b->point) {
        const mat3 RJ = m3_mul(&x->R, &node->J), Rt = m3_transpose(&x->R);
        o.J = m3_mul(&RJ, &Rt);
        const mat3 w_skew = m3_skew(x->w), wJ = m3_mul(&w_skew, &o.J), Jw = m3_mul(&o.J, &w_skew),
                   spin = m3_skew(m3_mulv(&o.J, x->w));
        for (int k = 0; k < 9; k++) o.Y.m[k] = wJ.m[k] - spin.m[k] - Jw.m[k];
    }
    o.J = add_cross_cross(x->c, x->c, -mass, o.J);
    o.Y = add_cross_cross(x->c, rdot, -2 * mass, o.Y);
    if (!wrench) return o;
    const vec3 alpha = v3_add(x->alpha, x->dalpha);
    const vec3 acc =
        v3_add(v3_add(x->acc, x->dacc), v3_add(v3_cross(alpha, x->c), v3_cross(x->w, arm_velocity)));
    o.impulse = v3_scale(mass, acc);
    o.C = add_cross_cross(x->c, acc, -mass, o.C);
    double six[6];
    tmli_node_velocity(s->model, wrench, b->node, six);
    o.F = v3_from(six);
    if (!b->point) o.N = m3_mulv(&x->R, v3_from(six + 3));
    o.T = m3_outer(x->c, o.F);
    return o;
}

// Adds what is outward of a joint, at its P, to the composite of its parent, at P - l.
static void add_composite(const tmli_composite *x, vec3 l, bool stiff, tmli_composite *to)
{
    to->J = m3_add(&to->J, &x->J);
    to->J = add_cross_cross(l, x->moment, -1, to->J);
    to->J = add_cross_cross(x->moment, l, -1, to->J);
    to->J = add_cross_cross(l, l, -x->mass, to->J);
    to->mass += x->mass;
    to->moment = v3_add(to->moment, v3_axpy(x->mass, l, x->moment));
    to->Y = m3_add(&to->Y, &x->Y);
    to->Y = add_cross_cross(l, x->momentum, -2, to->Y);
    to->momentum = v3_add(to->momentum, x->momentum);
    if (!stiff) return;
    to->C = m3_add(&to->C, &x->C);
    to->C = add_cross_cross(l, x->impulse, -1, to->C);
    to->impulse = v3_add(to->impulse, x->impulse);
    const mat3 shifted = m3_outer(l, x->F);
    to->T = m3_add(&to->T, &x->T);
    to->T = m3_add(&to->T, &shifted);
    to->F = v3_add(to->F, x->F);
    to->N = v3_add(to->N, x->N);
}

static void inertia_times(const tmli_composite *I, const double *psi, double *out)
{
    const vec3 v = v3_from(psi), w = v3_from(psi + 3);
    v3_store(v3_axpy(I->mass, v, v3_cross(w, I->moment)), out);
    v3_store(v3_add(m3_mulv(&I->J, w), v3_cross(I->moment, v)), out + 3);
}

// out += Y w, or C w with the impulse and C
static void add_turned(vec3 momentum, double factor, const mat3 *X, vec3 w, double *out)
{
    v3_store(v3_add(v3_from(out), v3_scale(factor, v3_cross(w, momentum))), out);
    v3_store(v3_add(v3_from(out + 3), m3_mulv(X, w)), out + 3);
}

// Y' psi, or C' psi: a vector by which angular velocities are multiplied
static vec3 turned_by(vec3 momentum, double factor, const mat3 *X, const double *psi)
{
    return v3_add(v3_scale(factor, v3_cross(momentum, v3_from(psi))), m3_tmulv(X, v3_from(psi + 3)));
}

// (3)
static vec3 geometric_of(const tmli_composite *x, const double *psi)
{
    const vec3 v = v3_from(psi), w = v3_from(psi + 3);
    const double trace = x->T.m[0] + x->T.m[4] + x->T.m[8];
    return v3_add(v3_cross(v, x->F), v3_sub(m3_mulv(&x->T, w), v3_scale(trace, w)));
}

// What coordinate i contributes to its row and its column, carried along the path to the ground.
typedef struct carried {
    double row[6];          // I psi: I is symmetric
    vec3 row_Y, row_C;      // of the row: factors of w_j and w'_j in D and K, and of w_j in K
    double D[6], K[6];      // wrenches of the column
    vec3 geometric, above;  // g_i of (3), and g_i + w_i x N
} carried;

static carried start_path(const tmli_joint_space_work *w, const tmli_composite *x, int i, bool stiff)
{
    const size_t at = 6 * (size_t)i;
    const double *psi = w->motions.psi + at;
    carried o = {0};
    inertia_times(x, psi, o.row);
    inertia_times(x, w->motions.by_u + at, o.D);
    o.row_Y = turned_by(x->momentum, 2, &x->Y, psi);
    add_turned(x->momentum, 2, &x->Y, v3_from(psi + 3), o.D);
    if (!stiff) return o;
    inertia_times(x, w->motions.second + at, o.K);
    add_turned(x->momentum, 2, &x->Y, v3_from(w->motions.first + at + 3), o.K);
    add_turned(x->impulse, 1, &x->C, v3_from(psi + 3), o.K);
    o.row_C = turned_by(x->impulse, 1, &x->C, psi);
    o.geometric = geometric_of(x, psi);
    o.above = v3_add(o.geometric, v3_cross(v3_from(psi + 3), x->N));
    return o;
}

static void shift_wrench(vec3 l, double *x)
{
    const vec3 n = v3_cross(l, v3_from(x));
    x[3] += n.x;
    x[4] += n.y;
    x[5] += n.z;
}

// Entries of row i in the columns of coordinate j inward of it, or of the same joint.
static void add_row(const tmli_joint_space_work *w, const carried *c, int i, int j, size_t n,
                    const tmli_parts *to)
{
    const size_t at = 6 * (size_t)j, entry = (size_t)j * n + (size_t)i;
    const double *psi = w->motions.psi + at;
    const vec3 wj = v3_from(psi + 3);
    if (to->M) to->M[entry] += tmli_dot6(c->row, psi);
    if (to->D) to->D[entry] += tmli_dot6(c->row, w->motions.by_u + at) + v3_dot(c->row_Y, wj);
    if (to->K)
        to->K[entry] += tmli_dot6(c->row, w->motions.second + at) +
                        v3_dot(c->row_Y, v3_from(w->motions.first + at + 3)) + v3_dot(c->row_C, wj);
}

// Entries of column i in the row of coordinate j inward of its joint.
static void add_column(const tmli_joint_space_work *w, const carried *c, int i, int j, size_t n,
                       const tmli_parts *to)
{
    const size_t entry = (size_t)i * n + (size_t)j;
    const double *psi = w->motions.psi + 6 * (size_t)j;
    if (to->M) to->M[entry] += tmli_dot6(c->row, psi);
    if (to->D) to->D[entry] += tmli_dot6(c->D, psi);
    if (to->K) to->K[entry] += tmli_dot6(c->K, psi) + v3_dot(c->above, v3_from(psi + 3));
}

static void add_coordinate(const tmli_joint_space *s, const tmli_joint_space_work *w, int joint, int k,
                           const tmli_parts *to)
{
    const tmli_tree_joint *b = &s->joint[joint];
    const size_t n = (size_t)s->n;
    const int i = b->first + k;
    const bool stiff = to->K != NULL;
    carried c = start_path(w, &w->composite[joint], i, stiff);
    for (int j = 0; j < b->nu; j++) {
        const int at = b->first + j;
        const vec3 wj = v3_from(w->motions.psi + 6 * (size_t)at + 3);
        const bool ball = b->rotation == TMLI_ROTATION_BALL && k >= b->nslide && j >= b->nslide;
        add_row(w, &c, i, at, n, to);
        if (!stiff) continue;
        if (j <= k || ball) to->K[(size_t)at * n + (size_t)i] += v3_dot(wj, c.geometric);
        if (j < k && !ball) to->K[(size_t)i * n + (size_t)at] += v3_dot(wj, c.above);
    }
    vec3 l = w->body[joint].l;
    for (int p = b->parent; p >= 0; l = w->body[p].l, p = s->joint[p].parent) {
        shift_wrench(l, c.row);
        if (to->D) shift_wrench(l, c.D);
        if (to->K) shift_wrench(l, c.K);
        for (int j = s->joint[p].first; j < s->joint[p].first + s->joint[p].nu; j++) {
            add_row(w, &c, i, j, n, to);
            add_column(w, &c, i, j, n, to);
            if (stiff)
                to->K[(size_t)j * n + (size_t)i] +=
                    v3_dot(v3_from(w->motions.psi + 6 * (size_t)j + 3), c.geometric);
        }
    }
}

void tmli_joint_space_add_bodies(const tmli_joint_space *s, tmli_joint_space_work *w, const double *wrench,
                                 const tmli_parts *to)
{
    for (int i = 0; i < s->njoints; i++) w->composite[i] = body_alone(s, w, i, to->K ? wrench : NULL);
    for (int i = s->njoints - 1; i >= 0; i--)
        if (s->joint[i].parent >= 0)
            add_composite(&w->composite[i], w->body[i].l, to->K != NULL, &w->composite[s->joint[i].parent]);
    for (int i = 0; i < s->njoints; i++)
        for (int k = 0; k < s->joint[i].nu; k++) add_coordinate(s, w, i, k, to);
}

// ---- elements ---------------------------------------------------------------------------------------------

static void transform_columns(const tmli_tree_body *x, bool point, double B[36])
{
    for (int r = 0; r < 6; r++) {
        double *row = B + 6 * r;
        const vec3 own = point ? v3(0, 0, 0) : m3_mulv(&x->R, v3_from(row + 3));
        v3_store(v3_add(own, v3_cross(x->c, v3_from(row))), row + 3);
    }
}

// out: by columns
static void transform_rows(const tmli_tree_body *x, bool point, const double B[36], double out[36])
{
    for (int c = 0; c < 6; c++) {
        const vec3 f = v3(B[c], B[6 + c], B[12 + c]), n = v3(B[18 + c], B[24 + c], B[30 + c]);
        const vec3 own = point ? v3(0, 0, 0) : m3_mulv(&x->R, n);
        v3_store(f, out + 6 * c);
        v3_store(v3_add(own, v3_cross(x->c, f)), out + 6 * c + 3);
    }
}

// The block of bodies a, b from those of their centres of mass and axes to P and world axes: wrenches at P of
// a, by columns, for motions of P of b. In K the part of D U_d that belongs to w_j, (1).
static void transform_block(const tmli_joint_space *s, tmli_joint_space_work *w, int a, int b, bool damped,
                            double *K, double *D)
{
    const tmli_tree_body *x = &w->body[b];
    const bool point_a = s->joint[a].point, point_b = s->joint[b].point;
    double rows[36];
    transform_columns(x, point_b, K);
    if (damped) {
        const vec3 rdot = v3_add(x->v, v3_cross(x->w, x->c));
        for (int r = 0; r < 6; r++) {
            double *row = K + 6 * r + 3;
            v3_store(v3_add(v3_from(row), v3_cross(rdot, v3_from(D + 6 * r))), row);
        }
        memcpy(rows, D, sizeof rows);
        transform_columns(x, point_b, rows);
        transform_rows(&w->body[a], point_a, rows, D);
    }
    memcpy(rows, K, sizeof rows);
    transform_rows(&w->body[a], point_a, rows, K);
}

static void add_product(const double B[36], const double x[6], double *out)
{
    double sum[6];
    memcpy(sum, out, sizeof sum);
    for (int c = 0; c < 6; c++)
        for (int r = 0; r < 6; r++) sum[r] += B[6 * c + r] * x[c];
    memcpy(out, sum, sizeof sum);
}

static void motion_at(const double *psi, vec3 arm, double out[6])
{
    v3_store(v3_add(v3_from(psi), v3_cross(v3_from(psi + 3), arm)), out);
    memcpy(out + 3, psi + 3, 3 * sizeof *out);
}

// Wrenches (6 per body) in K and D of all bodies if coordinate j moves body b.
static void add_wrenches(const tmli_joint_space *s, const tmli_joint_space_work *w, int b, vec3 arm, int j,
                         double *K, double *D)
{
    const tmli_body_blocks *plan = &s->blocks;
    double psi[6], first[6];
    motion_at(w->motions.psi + 6 * (size_t)j, arm, psi);
    motion_at(w->motions.first + 6 * (size_t)j, arm, first);
    for (int i = plan->start[b]; i < plan->start[b + 1]; i++) {
        if (!plan->stiff[i]) continue;
        const double *of_D = w->blockD + 36 * (size_t)i;
        const size_t at = 6 * (size_t)plan->row[i];
        if (K) add_product(w->blockK + 36 * (size_t)i, psi, K + at);
        if (!plan->damped[i]) continue;
        if (K) add_product(of_D, first, K + at);
        if (D) add_product(of_D, psi, D + at);
    }
}

// Column of a matrix += wrenches (6 per body, destroyed) on the coordinates.
static void project_wrenches(const tmli_joint_space *s, const tmli_joint_space_work *w, double *wrench,
                             double *column)
{
    for (int i = s->njoints - 1; i >= 0; i--) {
        const tmli_tree_joint *b = &s->joint[i];
        double *x = wrench + 6 * (size_t)i;
        for (int k = b->first; k < b->first + b->nu; k++)
            column[k] += tmli_dot6(w->motions.psi + 6 * (size_t)k, x);
        if (b->parent < 0) continue;
        double *to = wrench + 6 * (size_t)b->parent;
        shift_wrench(w->body[i].l, x);
        for (int k = 0; k < 6; k++) to[k] += x[k];
    }
}

void tmli_joint_space_add_couplings(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_parts *to)
{
    const tmli_body_blocks *plan = &s->blocks;
    const size_t n = (size_t)s->n, six = 6 * (size_t)s->njoints;
    for (int b = 0; b < s->njoints; b++)
        for (int i = plan->start[b]; i < plan->start[b + 1]; i++)
            if (plan->stiff[i])
                transform_block(s, w, plan->row[i], b, plan->damped[i], w->blockK + 36 * (size_t)i,
                                w->blockD + 36 * (size_t)i);
    for (int joint = 0; joint < s->njoints; joint++) {
        const vec3 P = w->body[joint].P;
        for (int b = joint; b < s->njoints; b++) {
            const int parent = s->joint[b].parent;
            w->moves[b] = b == joint || (parent >= joint && w->moves[parent]);
        }
        for (int j = s->joint[joint].first; j < s->joint[joint].first + s->joint[joint].nu; j++) {
            double *K = to->K ? w->wrenches : NULL, *D = to->D ? w->wrenches + six : NULL;
            memset(w->wrenches, 0, 2 * six * sizeof *w->wrenches);
            for (int b = joint; b < s->njoints; b++)
                if (w->moves[b]) add_wrenches(s, w, b, v3_sub(w->body[b].P, P), j, K, D);
            if (K) project_wrenches(s, w, K, to->K + (size_t)j * n);
            if (D) project_wrenches(s, w, D, to->D + (size_t)j * n);
        }
    }
}

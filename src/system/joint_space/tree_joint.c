// One tree joint: the motion of its child relative to its parent, from the two frames of the joint in the
// model.
//
// With the axes M = R C of the two frames, a and b of the model,
//   M_b = M_a J(q) F,    P_b = P_a + M_a (slides)                                                         (1)
// J: rotation of the joint; F: a rotation that maps axes onto axes, because rows like z_a.x_b = z_a.y_b = 0
// also hold with opposite z axes. The F nearest to the model's start is taken. Where b is the parent, (1)
// is inverted; the coordinates are the same as in the model, angles from a to b and distances along the
// axis of a.
//
// The rows of the model's joint are checked at some values of the coordinates. A joint that (1) does not
// describe (for example a universal joint in a planar model) remains a constraint.
#include "base/tolerances.h"
#include "system/joint_space/internal.h"

#include <string.h>

enum { AXIS_ROTATIONS = 24 };

static vec3 unit_axis(int k) { return v3(k == 0, k == 1, k == 2); }

// F of (1). A joint that rotates about z keeps that axis or reverses it. Otherwise F is one of the 24
// rotations that map axes onto axes: number `rank` of them in ascending distance from R.
static mat3 axis_rotation(const mat3 *R, bool about_z, int rank)
{
    if (about_z) return R->m[8] < 0 ? (mat3){{1, 0, 0, 0, -1, 0, 0, 0, -1}} : m3_identity();
    mat3 all[AXIS_ROTATIONS];
    double near[AXIS_ROTATIONS];
    int count = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int sign = 0; sign < 4 && j != i; sign++) {
                const vec3 x = v3_scale(sign & 1 ? -1 : 1, unit_axis(i)),
                           y = v3_scale(sign & 2 ? -1 : 1, unit_axis(j));
                const mat3 F = m3_from_cols(x, y, v3_cross(x, y));
                double sum = 0;
                for (int k = 0; k < 9; k++) sum += F.m[k] * R->m[k];
                int at = count++;
                for (; at > 0 && near[at - 1] < sum; at--) {
                    near[at] = near[at - 1];
                    all[at] = all[at - 1];
                }
                near[at] = sum;
                all[at] = F;
            }
    return all[rank];
}

// ---- coordinates of a tree joint --------------------------------------------------------------------------

// R_parent turned about its own axis k: the two other columns turn into each other.
static mat3 turn_about(const mat3 *R_parent, int k, double c, double s)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    mat3 Q = *R_parent;
    for (int r = 0; r < 9; r += 3) {
        Q.m[r + i] = c * R_parent->m[r + i] + s * R_parent->m[r + j];
        Q.m[r + j] = c * R_parent->m[r + j] - s * R_parent->m[r + i];
    }
    return Q;
}

mat3 tmli_tree_joint_rotation(const tmli_tree_joint *b, const mat3 *R_parent, const double *q)
{
    mat3 Q = b->C;
    q += b->nslide;
    if (b->plain >= 0 && b->rotation == TMLI_ROTATION_AXIS)
        return turn_about(R_parent, b->plain, cos(q[0]), sin(q[0]));
    if (b->rotation == TMLI_ROTATION_BALL) Q = q_matrix(q_from(q));
    if (b->rotation == TMLI_ROTATION_AXIS || b->rotation == TMLI_ROTATION_TWO_AXES) {
        const double c = cos(q[0]), s = sin(q[0]);
        for (int i = 0; i < 9; i++) Q.m[i] = b->E0.m[i] + c * b->E1.m[i] + s * b->E2.m[i];
    }
    Q = m3_mul(R_parent, &Q);
    if (b->rotation != TMLI_ROTATION_TWO_AXES) return Q;
    const mat3 second = q_matrix(tmli_so3_exp(v3_scale(q[1], b->axis2)));
    return m3_mul(&Q, &second);
}

vec3 tmli_tree_joint_arm(const tmli_tree_joint *b, const double *q)
{
    vec3 a = b->arm;
    for (int k = 0; k < b->nslide; k++) a = v3_axpy(q[k], b->slide[k], a);
    return b->pitch != 0 ? v3_axpy(b->start + b->pitch * q[b->nslide], b->axis, a) : a;
}

// Angle by which Q rotates about the unit vector e, with the full turns that bring it nearest to `near`.
static double angle_about(const mat3 *Q, vec3 e, double near)
{
    const double two_pi = 6.28318530717958647692;
    const vec3 other = fabs(e.x) < 0.7 ? v3(1, 0, 0) : v3(0, 1, 0);
    const vec3 y = v3_cross(e, other), x = v3_cross(y, e), image = m3_mulv(Q, x);
    const double raw = atan2(v3_dot(image, y), v3_dot(image, x));  // |y| = |x|
    return raw + two_pi * round((near - raw) / two_pi);
}

void tmli_tree_joint_coordinates(const tmli_tree_joint *b, const tmli_pose *parent, vec3 parent_origin,
                                 const tmli_pose *child, double *q)
{
    const vec3 P = v3_add(child->r, m3_mulv(&child->R, b->origin));
    const vec3 from = v3_add(parent->r, m3_mulv(&parent->R, parent_origin));
    const vec3 a = v3_sub(m3_tmulv(&parent->R, v3_sub(P, from)), b->arm);
    for (int k = 0; k < b->nslide; k++) q[k] = v3_dot(b->slide[k], a);
    q += b->nslide;
    if (b->rotation == TMLI_ROTATION_NONE) return;
    const mat3 Rt = m3_transpose(&parent->R);
    mat3 Q = m3_mul(&Rt, &child->R);
    if (b->rotation == TMLI_ROTATION_BALL) {
        q_store(tmli_quat_from_matrix(&Q), q);
        return;
    }
    if (b->rotation ==
        TMLI_ROTATION_TWO_AXES) {  // Q axis2 = exp(axis q) C axis2; the rest is the second rotation
        const vec3 start = m3_mulv(&b->C, b->axis2), y = v3_cross(b->axis, start),
                   image = m3_mulv(&Q, b->axis2);
        const double two_pi = 6.28318530717958647692, raw = atan2(v3_dot(image, y), v3_dot(image, start));
        q[0] = raw + two_pi * round((q[0] - raw) / two_pi);
        const mat3 first = q_matrix(tmli_so3_exp(v3_scale(q[0], b->axis))), half = m3_mul(&first, &b->C);
        const mat3 back = m3_transpose(&half);
        Q = m3_mul(&back, &Q);
        q[1] = angle_about(&Q, b->axis2, q[1]);
        return;
    }
    const mat3 Ct = m3_transpose(&b->C);
    Q = m3_mul(&Q, &Ct);
    q[0] = angle_about(&Q, b->axis, q[0]);
}

// ---- from a joint of the model ----------------------------------------------------------------------------

typedef struct plan {  // motion of a joint type; axes of the frames as numbers 0 .. 2
    int nslide, slide[3];
    tmli_rotation_kind rotation;
    bool free_axes;  // rotation about the world's z axis, whatever the frames' axes (planar models)
    bool helical;
} plan;

static tmli_pose pose_of(const tml_model *m, int node)
{
    return node < 0 ? (tmli_pose){.R = m3_identity()} : tmli_node_start_pose(m, node);
}

static void set_axis(tmli_tree_joint *b, vec3 axis)
{
    const mat3 e = m3_skew(axis), ee = m3_outer(axis, axis), E0 = m3_mul(&ee, &b->C),
               minus = m3_scale(-1, &E0);
    b->axis = axis;
    b->E0 = E0;
    b->E1 = m3_add(&b->C, &minus);
    b->E2 = m3_mul(&e, &b->C);
    b->plain = -1;
    bool same = true;
    for (int i = 0; i < 9; i++) same = same && b->C.m[i] == (i % 4 == 0);
    const double along[3] = {axis.x, axis.y, axis.z};
    for (int k = 0; k < 3 && same; k++)
        if (along[k] == 1) b->plain = k;
}

// side: the joint's frame on the child, 0: a, 1: b; rank: number of F
static void set_frames(const tml_model *m, const tmli_constraint *c, int side, const plan *p, int rank,
                       tmli_tree_joint *b)
{
    const tmli_marker *A = &c->marker[0], *B = &c->marker[1], *parent = &c->marker[1 - side];
    const tmli_pose xA = pose_of(m, A->body), xB = pose_of(m, B->body);
    const mat3 one = m3_identity(), *CA = p->free_axes ? &one : &A->C, *CB = p->free_axes ? &one : &B->C;
    const mat3 MA = m3_mul(&xA.R, CA), MB = m3_mul(&xB.R, CB), MAt = m3_transpose(&MA),
               rel = m3_mul(&MAt, &MB);
    mat3 F = m3_identity();
    if (p->rotation == TMLI_ROTATION_AXIS && !p->free_axes) F = axis_rotation(&rel, true, 0);
    if (p->rotation == TMLI_ROTATION_NONE) F = axis_rotation(&rel, false, rank);
    // axes of a's frame in the parent's frame: those of a itself, or of b before the rotations
    const mat3 Ft = m3_transpose(&F), BF = m3_mul(CB, &Ft);
    const mat3 frame = side == 1 ? *CA : BF;
    const mat3 *last = side == 1 ? &BF : CA, back = m3_transpose(last);
    const double sign = side == 1 ? 1 : -1;
    b->C = m3_mul(&frame, &back);
    b->rotation = p->rotation;
    b->nslide = p->nslide;
    for (int k = 0; k < p->nslide; k++) {
        const mat3 *axes = p->free_axes && side == 1 ? &A->C : p->free_axes ? &B->C : &frame;
        b->slide[k] = v3_scale(sign, m3_col(axes, p->slide[k]));
    }
    if (p->rotation == TMLI_ROTATION_AXIS) set_axis(b, v3_scale(sign, m3_col(&frame, 2)));
    if (p->rotation == TMLI_ROTATION_TWO_AXES) {  // about x of a, then about y of b
        set_axis(b, side == 1 ? m3_col(CA, 0) : v3_scale(-1, m3_col(CB, 1)));
        b->axis2 = side == 1 ? m3_col(CB, 1) : v3_scale(-1, m3_col(CA, 0));
    }
    b->arm = parent->s;
    b->origin = c->marker[side].s;
    if (p->helical) {
        const tmli_row_term *twist = &c->term[c->nterms - 1];
        b->pitch = -twist->coef;
        b->start = c->target[twist->row];
    }
    if (b->point) {
        b->rotation = TMLI_ROTATION_NONE;
        b->C = m3_identity();
    }
}

static int count_coordinates(const tmli_tree_joint *b)
{
    static const int turns[4] = {0, 1, 2, 3};
    return b->nslide + turns[b->rotation];
}

static tmli_pose child_pose(const tmli_tree_joint *b, const tmli_pose *parent, const mat3 *still,
                            const double *q)
{
    tmli_pose x = {.R = b->point ? *still : tmli_tree_joint_rotation(b, &parent->R, q)};
    const vec3 P = v3_add(parent->r, m3_mulv(&parent->R, tmli_tree_joint_arm(b, q)));
    x.r = v3_sub(P, m3_mulv(&x.R, b->origin));
    return x;
}

// True if rows 0 .. solved-1 of c vanish at coordinates of b without any symmetry: rows that vanish there
// vanish everywhere. arm is measured from the parent's centre of mass.
static bool rows_hold(const tml_model *m, const tmli_constraint *c, int side, const tmli_tree_joint *b,
                      int solved)
{
    double q[7] = {0.31, -0.6, 0.27, 0.9, -0.2, 0.5, 0.4}, phi[TMLI_JOINT_ROWS];
    if (b->rotation == TMLI_ROTATION_BALL) q_store(q_normalize(q_from(q + b->nslide)), q + b->nslide);
    const int parent = c->marker[1 - side].body, child = c->marker[side].body;
    tmli_pose x[2];
    x[1 - side] = pose_of(m, parent);
    if (parent >= 0) {
        const mat3 turn = q_matrix(tmli_so3_exp(m->planar ? v3(0, 0, 0.4) : v3(0.12, -0.8, 0.4)));
        const vec3 shift = v3(0.3 * m->length, -0.4 * m->length, m->planar ? 0 : 0.4 * m->length);
        if (m->node[parent].ncoords == (m->planar ? 3 : 6)) x[1 - side].R = m3_mul(&x[1 - side].R, &turn);
        x[1 - side].r = v3_add(x[1 - side].r, shift);
    }
    const tmli_pose start = pose_of(m, child);
    x[side] = child_pose(b, &x[1 - side], &start.R, q);
    for (int r = 0; r < c->nrows; r++) phi[r] = -c->target[r];
    for (int k = 0; k < c->nterms; k++)
        phi[c->term[k].row] +=
            c->term[k].coef * tmli_measure_value(&m->measure_use[c->term[k].use].measure, &x[0], &x[1]);
    for (int r = 0; r < solved; r++)
        if (!(fabs(phi[r]) < TMLI_AGREEMENT * fmax(1, 3 * m->length))) return false;
    return true;
}

static bool try_plan(const tml_model *m, const tmli_constraint *c, int side, const plan *p,
                     tmli_tree_joint *b)
{
    const int child = c->marker[side].body;
    const int solved = c->ops->motion.solved && !m->planar ? c->ops->motion.solved : c->nrows;
    const tmli_tree_joint blank = *b;
    for (int rank = 0; rank < (p->rotation == TMLI_ROTATION_NONE && !b->point ? AXIS_ROTATIONS : 1); rank++) {
        *b = blank;
        set_frames(m, c, side, p, rank, b);
        b->solved = solved;
        b->nu = count_coordinates(b);
        b->nqs = b->nu + (b->rotation == TMLI_ROTATION_BALL);
        if (b->nu != m->node[child].ncoords - solved) return false;
        if (m->planar && fabs(b->C.m[8] - 1) > TMLI_AGREEMENT) continue;  // the child would leave the plane
        if (rows_hold(m, c, side, b, solved)) return true;
    }
    return false;
}

// In the plane, the motion that a joint leaves free is the first of these whose rows hold.
static bool planar_tree_joint(const tml_model *m, const tmli_constraint *c, int side, tmli_tree_joint *b)
{
    static const plan plans[] = {
        {0, {0}, TMLI_ROTATION_AXIS, false, false}, {0, {0}, TMLI_ROTATION_AXIS, true, false},
        {0, {0}, TMLI_ROTATION_NONE, false, false}, {1, {2}, TMLI_ROTATION_NONE, false, false},
        {1, {0}, TMLI_ROTATION_NONE, false, false}, {1, {2}, TMLI_ROTATION_AXIS, true, false},
        {1, {0}, TMLI_ROTATION_AXIS, true, false},  {2, {0, 1}, TMLI_ROTATION_AXIS, false, false},
    };
    const tmli_tree_joint blank = *b;
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
        *b = blank;
        if (!try_plan(m, c, side, &plans[k], b)) continue;
        bool in_plane = b->rotation == TMLI_ROTATION_NONE || hypot(b->axis.x, b->axis.y) < TMLI_AGREEMENT;
        for (int i = 0; i < b->nslide; i++) in_plane = in_plane && fabs(b->slide[i].z) < TMLI_AGREEMENT;
        if (in_plane) return true;
    }
    return false;
}

// Counted angles of the model that equal angles of b: those of the joint's own coordinates, if their values
// agree.
static void find_counted_angles(const tml_model *m, const tmli_constraint *c, int side, tmli_tree_joint *b)
{
    const int turns = b->rotation == TMLI_ROTATION_AXIS ? 1 : b->rotation == TMLI_ROTATION_TWO_AXES ? 2 : 0;
    for (int k = 0; k < turns; k++) {
        const int coord = b->rotation == TMLI_ROTATION_TWO_AXES && side == 0 ? 1 - k : k;
        if (coord >= c->ncoords || m->measure_use[c->coord[coord]].angle < 0) continue;
        double q[7] = {0};
        tmli_pose x[2];
        q[b->nslide] = 0.4;
        q[b->nslide + 1] = -0.7;
        x[1 - side] = pose_of(m, c->marker[1 - side].body);
        x[side] = child_pose(b, &x[1 - side], &x[1 - side].R, q);
        const double value = tmli_measure_value(&m->measure_use[c->coord[coord]].measure, &x[0], &x[1]);
        const bool same = fabs(value - q[b->nslide + k]) < TMLI_AGREEMENT;
        if (same) b->counted_angle[k] = c->coord[coord];
    }
}

bool tmli_tree_joint_is_sure(const tml_model *m, const tmli_constraint *c, int side)
{
    if (!c->pin || !c->has_reaction || c->marker[side].body < 0) return false;
    const tmli_measure *x = &m->measure_use[c->term[0].use].measure;
    const vec3 *const arm[2] = {&x->s_A, &x->s_B};
    for (int k = 0; k < 2; k++) {
        const int body = c->marker[k].body;
        if ((body >= 0 && m->node[body].ncoords < 3) || c->target[k] != 0 ||
            memcmp(arm[k], &c->marker[k].s, sizeof *arm[k]) != 0)
            return false;
    }
    return true;
}

bool tmli_tree_joint_of_joint(const tml_model *m, int constraint, int side, tmli_tree_joint *b)
{
    const tmli_constraint *c = &m->constraint[constraint];
    if (!c->has_reaction || c->nrows == 0 || c->rates || c->marker[side].body < 0) return false;
    const int parent = c->marker[1 - side].body, child = c->marker[side].body, full = m->planar ? 3 : 6;
    *b = (tmli_tree_joint){
        .node = child, .constraint = constraint, .counted_angle = {-1, -1, -1}, .plain = -1};
    b->point = m->node[child].ncoords < full;
    // a point mass has no attitude: the joint's point must be the point mass itself
    if (b->point && v3_norm(c->marker[side].s) > 0) return false;
    if (parent >= 0 && m->node[parent].ncoords < full && v3_norm(c->marker[1 - side].s) > 0) return false;
    const tmli_joint_motion *motion = &c->ops->motion;
    if (m->planar) {
        if (!planar_tree_joint(m, c, side, b)) return false;
    } else {
        plan p = {.nslide = motion->nslide, .rotation = motion->rotation, .helical = motion->helical};
        memcpy(p.slide, motion->slide, sizeof p.slide);
        if (!motion->known || !try_plan(m, c, side, &p, b)) return false;
    }
    if (!b->point) find_counted_angles(m, c, side, b);
    return true;
}

tmli_tree_joint tmli_tree_joint_free(const tml_model *m, int node)
{
    tmli_tree_joint b = {.node = node,
                         .parent = -1,
                         .constraint = -1,
                         .C = m3_identity(),
                         .counted_angle = {-1, -1, -1},
                         .plain = -1};
    b.point = m->node[node].ncoords < (m->planar ? 3 : 6);
    b.state = node >= m->nnodes - m->nz;
    b.nslide = b.state ? 1 : m->planar ? 2 : 3;
    for (int k = 0; k < b.nslide; k++) b.slide[k] = unit_axis(k);
    if (m->planar && !b.point) {
        b.rotation = TMLI_ROTATION_AXIS;
        set_axis(&b, v3(0, 0, 1));
    } else if (!b.point) {
        b.rotation = TMLI_ROTATION_BALL;
    }
    b.nu = count_coordinates(&b);
    b.nqs = b.nu + (b.rotation == TMLI_ROTATION_BALL || b.state);
    return b;
}

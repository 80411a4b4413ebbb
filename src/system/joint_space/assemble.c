// Exact derivatives in joint coordinates, by the chain rule from those of the model's elements.
//
// A coordinate j of a limb has the motion (v_j, w_j) at its P; seen at the centre of mass r of a body behind
// it dr_j = v_j + w_j x (r - P). Moving along j carries all that is behind it along as one rigid body, whose
// motion relative to what is before it stays. With (W, V) angular velocity and velocity at r of what is
// before the coordinate, (A, Z) its angular and spatial acceleration there, (w, v) and (a, z) those of the
// body, spatial: z = rddot - w x rdot:
//   dw = w_j x (w - W)                 dv = w_j x (v - V) - (w - W) x dr_j                                (1)
//   s_w = W x w_j                      s_v = W x dr_j - w_j x V                      rate of the motion j              (2)
//   da = w_j x (a - A) + s_w x (w - W)
//   dz = w_j x (z - Z) - (a - A) x dr_j + s_w x (v - V) - (w - W) x s_v                                   (3)
// at a point that stays; the centre of mass moves by dr_j, so that
//   d rdot = dv + w x dr_j,   d rddot = dz + a x dr_j + dw x rdot + w x d rdot                            (4)
// Angular vectors of states are in body axes: d(R'x) = R'(dx - w_j x x). By velocities, with (W^, V^) of what
// is behind coordinate j at once (balls: with their own turning):
//   by u_j:  a: s_w + w_j x (w - W^),   z: s_v + w_j x (v - V^) - (w - W^) x dr_j                         (5)
// The motion j itself turns if a coordinate k before it moves: the change of the power of a force f and
// moment n is
//   f.(w_k x dr_j)  if k is before j or of the same ball,   f.(w_j x dr_k) + n.(w_j x w_k)  if behind     (6)
// With K, D, M of the model, its residual r, U = H u and A = H udot + h:
//   K_q = H'(K H + D U_d + M A_d) + H'_d r,    D_q = H'(D H + M A_u),    M_q = H'M H                      (7)
#include "linalg/pattern/pattern.h"
#include "system/joint_space/internal.h"

#include <string.h>

typedef struct columns {  // 6 per coordinate; of one body, only coordinates on its way are set
    double *H, *U, *A, *Au;
} columns;

// What is before the coordinates of a limb, at its P.
typedef struct before {
    vec3 W, V, A, Z;  // as above, Z at P
    vec3 W_behind;    // W^
    bool ball;
} before;

static before motion_before(const tmli_tree_joint *b, const tmli_tree_body *p, const tmli_tree_body *x,
                            const double *u, const double *udot, int k)
{
    const vec3 alpha = v3_add(p->alpha, p->dalpha);
    before o = {.W = p->w, .V = x->v, .A = alpha, .W_behind = p->w};
    vec3 a = v3_add(x->acc, x->dacc);
    if (b->pitch != 0) {  // a screw moves P itself: before it is the parent
        const vec3 arm_velocity = v3_cross(p->w, x->l);
        o.V = v3_add(p->v, arm_velocity);
        a = v3_add(v3_add(p->acc, p->dacc), v3_add(v3_cross(alpha, x->l), v3_cross(p->w, arm_velocity)));
    }
    if (b->rotation == TMLI_ROTATION_TWO_AXES && k == b->nslide + 1) {
        const vec3 e = x->motion[b->nslide].w;
        const double u1 = u[b->first + b->nslide], u1dot = udot ? udot[b->first + b->nslide] : 0;
        o.W = o.W_behind = v3_axpy(u1, e, p->w);
        o.A = v3_axpy(u1dot, e, v3_axpy(u1, v3_cross(p->w, e), alpha));
    }
    o.ball = b->rotation == TMLI_ROTATION_BALL && k >= b->nslide;
    if (o.ball) o.W_behind = x->w;
    o.Z = v3_sub(a, v3_cross(o.W, o.V));
    return o;
}

static void motion_of(const tmli_tree_joint *b, const tmli_tree_body *x, int k, vec3 *v, vec3 *w)
{
    *v = x->motion[k].v;
    *w = x->motion[k].w;
    if (b->rotation == TMLI_ROTATION_BALL && k >= b->nslide) *w = m3_col(&x->R, k - b->nslide);
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
                       const before *o, vec3 P, vec3 vj, vec3 wj, double *H, double *U, double *A, double *Au)
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
    const vec3 w_behind = v3_sub(m->w, o->W_behind);
    const vec3 v_behind = v3_sub(m->v, v3_add(o->V, v3_cross(o->W_behind, rho)));
    const vec3 au = v3_add(sw, v3_cross(wj, w_behind));  // (5)
    vec3 zu = v3_add(sv, v3_sub(v3_cross(wj, v_behind), v3_cross(w_behind, dr)));
    zu = v3_add(zu, v3_add(v3_cross(wj, m->v), v3_cross(m->w, dr)));
    store_column(joint, body, zu, au, Au);
}

// Columns of body i; U, A and Au may be NULL in c. Velocities are those of the last move; udot (NULL: 0) as
// in the last accelerations.
static void set_columns(const tmli_joint_space *s, const tmli_joint_space_work *w, int i, const double *u,
                        const double *udot, const columns *c)
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
            const before o = c->U ? motion_before(b, p, x, u, udot, j) : (before){0};
            motion_of(b, x, j, &vj, &wj);
            set_column(joint, body, &m, &o, x->P, vj, wj, c->H + at, c->U ? c->U + at : NULL,
                       c->A ? c->A + at : NULL, c->Au ? c->Au + at : NULL);
        }
    }
}

// ---- matrices ---------------------------------------------------------------------------------------------

static double dot6(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static void mul6(const double M[36], const double *x, double factor, double *out)
{
    for (int i = 0; i < 6; i++) out[i] += factor * dot6(M + 6 * i, x);
}

// dense (row j, column k) += left(j).right for all j on the way of limb i
static void add_projections(const tmli_joint_space *s, int i, const double *left, const double *right,
                            double *column)
{
    for (int k = i; k >= 0; k = s->joint[k].parent)
        for (int j = s->joint[k].first; j < s->joint[k].first + s->joint[k].nu; j++)
            column[j] += dot6(left + 6 * j, right);
}

// A matrix cm M + cd D + ck K in joint coordinates.
typedef struct target {
    double cm, cd, ck;
    double *matrix;  // (n x n), by columns
} target;

// The column of one coordinate, as (7) before H': X (6) = what block K, D and the inertia M (NULL: of other
// bodies) say.
static void multiply(const target *t, const double *K, const double *D, const double *M, const columns *c,
                     int j, double X[6])
{
    const double *H = c->H + 6 * j;
    memset(X, 0, 6 * sizeof *X);
    if (t->ck != 0) {
        mul6(K, H, t->ck, X);
        if (D) mul6(D, c->U + 6 * j, t->ck, X);
        if (M) mul6(M, c->A + 6 * j, t->ck, X);
    }
    if (t->cd != 0 && D) mul6(D, H, t->cd, X);
    if (t->cd != 0 && M) mul6(M, c->Au + 6 * j, t->cd, X);
    if (t->cm != 0 && M) mul6(M, H, t->cm, X);
}

// All blocks of columns of body b.
static void add_blocks(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                       const tml_state *y, int b, const target *targets, int count)
{
    const columns c = {w->Hc, w->dU, w->dA, w->dAu}, other = {.H = w->product};
    const tmli_body_blocks *plan = &s->blocks;
    double M[36], gyroscopic[36];
    tmli_mb_node_blocks(s->model, s->joint[b].node, y, M, gyroscopic);
    set_columns(s, w, b, x->u, x->udot, &c);
    for (int i = plan->start[b]; i < plan->start[b + 1]; i++) {
        const int a = plan->row[i];
        double *K = w->blockK + 36 * (size_t)i, *D = plan->damped[i] ? w->blockD + 36 * (size_t)i : NULL;
        if (a != b) set_columns(s, w, a, NULL, NULL, &other);
        for (int k = 0; k < 36 && a == b; k++) D[k] += gyroscopic[k];
        for (int t = 0; t < count; t++) {
            if (targets[t].ck == 0 && (targets[t].cd == 0 || !D) && (targets[t].cm == 0 || a != b)) continue;
            for (int k = b; k >= 0; k = s->joint[k].parent)
                for (int j = s->joint[k].first; j < s->joint[k].first + s->joint[k].nu; j++) {
                    double X[6];
                    multiply(&targets[t], K, D, a == b ? M : NULL, &c, j, X);
                    add_projections(s, a, a == b ? c.H : other.H, X,
                                    targets[t].matrix + (size_t)j * (size_t)s->n);
                }
        }
    }
}

// (6): the wrench at body i, as in the motion residual of the base
static void add_geometric_stiffness(const tmli_joint_space *s, const tmli_joint_space_work *w, int i,
                                    const double *wrench, double ck, double *stiffness)
{
    double six[6];
    tmli_mb_node_velocity(s->model, wrench, s->joint[i].node, six);
    const vec3 f = v3_from(six), r = v3_add(w->body[i].P, w->body[i].c);
    const vec3 n = s->joint[i].point ? v3(0, 0, 0) : m3_mulv(&w->body[i].R, v3_from(six + 3));
    for (int kj = i; kj >= 0; kj = s->joint[kj].parent)
        for (int jj = 0; jj < s->joint[kj].nu; jj++) {
            vec3 vj, wj;
            motion_of(&s->joint[kj], &w->body[kj], jj, &vj, &wj);
            const vec3 drj = v3_add(vj, v3_cross(wj, v3_sub(r, w->body[kj].P)));
            const int j = s->joint[kj].first + jj;
            for (int kk = kj; kk >= 0; kk = s->joint[kk].parent)  // k before j, or in the same limb
                for (int ii = 0; ii < s->joint[kk].nu; ii++) {
                    const tmli_tree_joint *b = &s->joint[kk];
                    const bool ball = b->rotation == TMLI_ROTATION_BALL && ii >= b->nslide && jj >= b->nslide;
                    if (kk == kj && ii > jj && !ball) continue;
                    vec3 vk, wk;
                    motion_of(b, &w->body[kk], ii, &vk, &wk);
                    const int k = b->first + ii;
                    stiffness[(size_t)k * (size_t)s->n + (size_t)j] += ck * v3_dot(f, v3_cross(wk, drj));
                    if (kk == kj && (ball || ii == jj)) continue;
                    // and the other way round: row k, column j, which is behind k
                    stiffness[(size_t)j * (size_t)s->n + (size_t)k] +=
                        ck * (v3_dot(f, v3_cross(wk, drj)) + v3_dot(n, v3_cross(wk, wj)));
                }
        }
}

// blocks (of all pairs) += a local matrix (6 slots)^2
static void gather(const tmli_plan *p, const int *block, const double *local, double *blocks)
{
    const int width = 6 * p->nslots;
    for (int a = 0; a < p->nslots; a++)
        for (int b = 0; b < p->nslots; b++) {
            double *to = blocks + 36 * (size_t)block[a * p->nslots + b];
            for (int r = 0; r < 6; r++)
                for (int k = 0; k < 6; k++) to[6 * r + k] += local[(6 * a + r) * width + 6 * b + k];
        }
}

static void gather_forces(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *y)
{
    for (int i = 0; i < s->model->nforces; i++) {
        const tmli_force *f = &s->model->force[i];
        const size_t all = 36 * (size_t)(f->plan.nslots * f->plan.nslots);
        memset(w->base->H, 0, all * sizeof(double));
        memset(w->base->D, 0, all * sizeof(double));
        tmli_mb_force_tangent(s->model, w->base, y, f);
        gather(&f->plan, s->blocks.force[i], w->base->H, w->blockK);
        gather(&f->plan, s->blocks.force[i], w->base->D, w->blockD);
    }
}

static void gather_loops(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                         const double *p)
{
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *loop = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[loop->constraint];
        double mu[TMLI_JOINT_ROWS] = {0}, phi[TMLI_JOINT_ROWS];
        if (p) tmli_mb_constraint_value_rows(s->model, w->base, x, c, phi);
        for (int r = 0; r < loop->nrows; r++)
            mu[loop->keep + r] =
                x->lambda[loop->first + r] + (p ? p[loop->first + r] * phi[loop->keep + r] : 0);
        memset(w->base->H, 0, 36 * (size_t)(c->plan.nslots * c->plan.nslots) * sizeof(double));
        tmli_mb_constraint_hessian(s->model, w->base, c, mu);
        gather(&c->plan, s->blocks.loop[i], w->base->H, w->blockK);
    }
}

// B' diag(cp p) B
static void add_penalties(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_assembly *a,
                          double *stiffness)
{
    for (int i = 0; i < s->nloops && a->p && a->cp != 0; i++) {
        const tmli_loop *p = &s->loop[i];
        tmli_mb_constraint_rows(s->model, w->base, &s->model->constraint[p->constraint]);
        tmli_joint_space_row_values(s, w, p, w->base->B, w->projected + p->offset);
        for (int r = 0; r < p->nrows; r++) {
            const double *row = w->projected + p->offset + r * p->width, weight = a->cp * a->p[p->first + r];
            const int *col = s->rowcol + s->rowptr[p->first + r];
            for (int j = 0; j < p->width; j++)
                for (int k = 0; k < p->width; k++)
                    stiffness[(size_t)col[j] * (size_t)s->n + (size_t)col[k]] += weight * row[j] * row[k];
        }
    }
}

// Columns of balls times T of the increment: rows of length `stride` apart.
static void apply_tangent_to_columns(const tmli_joint_space *s, const double *increment, double *matrix)
{
    const size_t n = (size_t)s->n;
    for (int k = 0; k < s->nballs; k++) {
        const int j = s->ball[k];
        const mat3 T = tmli_so3_tangent(v3_from(increment + j));
        double *c0 = matrix + (size_t)j * n, *c1 = c0 + n, *c2 = c1 + n;
        for (size_t r = 0; r < n; r++) {
            const vec3 row = m3_tmulv(&T, v3(c0[r], c1[r], c2[r]));
            c0[r] = row.x;
            c1[r] = row.y;
            c2[r] = row.z;
        }
    }
}

static void apply_tangent_to_row(const tmli_joint_space *s, const tmli_loop *p, const double *increment,
                                 double *row)
{
    for (int k = 0; k < p->npath; k++) {
        const tmli_tree_joint *b = &s->joint[p->path[k]];
        if (b->rotation != TMLI_ROTATION_BALL) continue;
        double *at = row + p->at[k] + b->nslide;
        const mat3 T = tmli_so3_tangent(v3_from(increment + b->first + b->nslide));
        v3_store(m3_tmulv(&T, v3_from(at)), at);
    }
}

// rest may be NULL
static void scatter(const tmli_joint_space *s, const double *stiffness, const double *rest, double *values)
{
    const tml_pattern *p = s->pattern;
    memset(values, 0, (size_t)tmli_pattern_nnz(p) * sizeof *values);
    for (int j = 0; j < s->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1] && p->rowind[k] < s->n; k++) {
            const size_t at = (size_t)j * (size_t)s->n + (size_t)p->rowind[k];
            values[k] = stiffness[at] + (rest ? rest[at] : 0);
        }
}

static void scatter_loops(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_assembly *a,
                          double *values)
{
    const tml_pattern *p = s->pattern;
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *loop = &s->loop[i];
        tmli_mb_constraint_rows(s->model, w->base, &s->model->constraint[loop->constraint]);
        tmli_joint_space_row_values(s, w, loop, w->base->B, w->projected + loop->offset);
        for (int r = 0; r < loop->nrows; r++) {
            const int row = loop->first + r;
            const double f = a->r ? a->r[row] : 1;
            double *v = w->projected + loop->offset + r * loop->width;
            const int *col = s->rowcol + s->rowptr[row];
            for (int k = 0; k < loop->width; k++) values[tmli_pattern_find(p, col[k], s->n + row)] = f * v[k];
            if (a->increment) apply_tangent_to_row(s, loop, a->increment, v);
            for (int k = 0; k < loop->width; k++) values[tmli_pattern_find(p, s->n + row, col[k])] = f * v[k];
        }
    }
}

static tml_status no_matrix(tml_error *err)
{
    return tmli_fail(err, TML_ERR_ARG, "this system in joint coordinates was made without a matrix");
}

// The targets, set to zero before; p: penalties of the multipliers, or NULL. With ck the first of them has
// it.
static tml_status fill(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                       const double *p, const target *targets, int count, tml_error *err)
{
    bool stiff = false, any = false;
    const size_t n = (size_t)s->n;
    for (int t = 0; t < count; t++) {
        memset(targets[t].matrix, 0, n * n * sizeof *targets[t].matrix);
        stiff = stiff || targets[t].ck != 0;
        any = any || targets[t].cd != 0 || targets[t].cm != 0;
    }
    if (stiff) {  // leaves the wrenches of the residual in w->force
        const tml_status st = tmli_joint_space_residual(s, w, x, p, w->scratch, w->gamma, err);
        if (st != TML_OK) return st;
    }
    tmli_joint_space_velocities(s, w, x->q, x->u);
    if (!stiff && !any) return TML_OK;
    const tml_state y = tmli_joint_space_base_state(s, w, x, true);
    for (int i = 0; i < s->njoints && stiff; i++)
        add_geometric_stiffness(s, w, i, w->force, targets[0].ck, targets[0].matrix);
    memset(w->blockK, 0, 36 * (size_t)s->blocks.count * sizeof *w->blockK);
    memset(w->blockD, 0, 36 * (size_t)s->blocks.count * sizeof *w->blockD);
    bool forces = stiff;
    for (int t = 0; t < count; t++) forces = forces || targets[t].cd != 0;
    if (forces) gather_forces(s, w, &y);
    if (stiff) gather_loops(s, w, x, p);
    for (int b = 0; b < s->njoints; b++) add_blocks(s, w, x, &y, b, targets, count);
    return TML_OK;
}

tml_status tmli_joint_space_assemble(const void *self, void *work, const tml_state *x, const tml_assembly *a,
                                     double *values, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    if (!s->matrix) return no_matrix(err);
    double *stiffness = w->dense, *rest = w->dense + (size_t)s->n * (size_t)s->n;
    const target targets[2] = {{.ck = a->ck, .matrix = stiffness},
                               {.cm = a->cm, .cd = a->cd, .matrix = rest}};
    const tml_status st = fill(s, w, x, a->p, targets, 2, err);
    if (st != TML_OK) return st;
    add_penalties(s, w, a, stiffness);
    if (a->increment && !s->model->planar) apply_tangent_to_columns(s, a->increment, stiffness);
    scatter(s, stiffness, rest, values);
    scatter_loops(s, w, a, values);
    return TML_OK;
}

// K, D, M in w->dense
static tml_status fill_parts(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                             tml_error *err)
{
    const size_t size = (size_t)s->n * (size_t)s->n;
    const target targets[3] = {{.ck = 1, .matrix = w->dense},
                               {.cd = 1, .matrix = w->dense + size},
                               {.cm = 1, .matrix = w->dense + 2 * size}};
    return fill(s, w, x, NULL, targets, 3, err);
}

tml_status tmli_joint_space_assemble_parts(const void *self, void *work, const tml_state *x, double *M,
                                           double *D, double *K, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    if (!s->matrix) return no_matrix(err);
    const tml_status st = fill_parts(s, w, x, err);
    double *const out[3] = {K, D, M};
    for (size_t part = 0; part < 3 && st == TML_OK; part++)
        scatter(s, w->dense + part * (size_t)s->n * (size_t)s->n, NULL, out[part]);
    return st;
}

tml_status tmli_joint_space_diagonals(const void *self, void *work, const tml_state *x, double *dm,
                                      double *dd, double *dk, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    if (!s->matrix) return no_matrix(err);
    tml_state y = *x;
    y.lambda = w->zero_lambda;
    const tml_status st = fill_parts(s, w, &y, err);
    double *const out[3] = {dk, dd, dm};
    const size_t n = (size_t)s->n;
    for (size_t part = 0; part < 3 && st == TML_OK; part++)
        for (size_t j = 0; j < n; j++) out[part][j] = fabs(w->dense[part * n * n + j * (n + 1)]);
    return st;
}

// ---- derivatives of rows ----------------------------------------------------------------------------------

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
                    values[r * p->width + p->at[at] + j] += factor * dot6(row, c + 6 * (b->first + j));
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
        const columns to = {c, c + n6, all ? c + 2 * n6 : NULL, all ? c + 3 * n6 : NULL};
        set_columns(s, w, p->path[p->slot[k]], u, NULL, &to);
    }
}

tml_status tmli_joint_space_rows_times(const void *self, void *work, const tml_state *x, const double *v,
                                       double *values, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    if (!s->matrix) return no_matrix(err);
    tmli_joint_space_velocities(s, w, x->q, v);  // (H v)_d is U_d with u = v; H v is w->bu
    memset(values, 0, (size_t)s->row_entries * sizeof *values);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        slot_columns(s, w, p, v, false);
        tmli_mb_constraint_rows_times(s->model, w->base, c, w->bu, w->base->B);
        add_rows_columns(s, w, p, w->base->B, 0, 1, values + p->offset);
        tmli_mb_constraint_rows(s->model, w->base, c);
        add_rows_columns(s, w, p, w->base->B, 1, 1, values + p->offset);
    }
    return TML_OK;
}

// gamma_q,d = gamma_d H + gamma_u U_d - (B h)_d H - B A_d, gamma_q,u = gamma_u H - B A_u, at udot = 0: A = h
tml_status tmli_joint_space_gamma_derivatives(const void *self, void *work, const tml_state *x, double *by_d,
                                              double *by_u, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    tmli_mbwork *base = w->base;
    if (!s->matrix) return no_matrix(err);
    tmli_joint_space_velocities(s, w, x->q, x->u);
    tmli_joint_space_accelerations(s, w, NULL, w->budot);
    const tml_state y = tmli_joint_space_base_state(s, w, x, false);
    memset(by_d, 0, (size_t)s->row_entries * sizeof *by_d);
    memset(by_u, 0, (size_t)s->row_entries * sizeof *by_u);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        double *second = base->B + c->nrows * 6 * c->plan.nslots;
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

// Matrices in joint coordinates, by the chain rule from those of the model's elements and columns.c.
//
// The unit motion of coordinate j turns if coordinate k inward of it moves. The change of the generalized
// force of a force f and moment n is
//   f.(w_k x dr_j)                      if k is inward of j or of the same ball                           (1)
//   f.(w_j x dr_k) + n.(w_j x w_k)      if k is outward of j
// With K, D, M of the model, its residual r, U = H u and A = H udot + h:
//   K_q = H'(K H + D U_d + M A_d) + H'_d r,    D_q = H'(D H + M A_u),    M_q = H'M H                      (2)
#include "linalg/pattern/pattern.h"
#include "system/joint_space/columns.h"

#include <string.h>

static void mul6(const double M[36], const double *x, double factor, double *out)
{
    for (int i = 0; i < 6; i++) out[i] += factor * tmli_dot6(M + 6 * i, x);
}

// column (n) of a dense matrix += left(j).right for all coordinates j on the path of body i
static void add_projections(const tmli_joint_space *s, int i, const double *left, const double *right,
                            double *column)
{
    for (int k = i; k >= 0; k = s->joint[k].parent)
        for (int j = s->joint[k].first; j < s->joint[k].first + s->joint[k].nu; j++)
            column[j] += tmli_dot6(left + 6 * j, right);
}

// A matrix cm M + cd D + ck K in joint coordinates.
typedef struct target {
    double cm, cd, ck;
    double *matrix;  // (n x n), by columns
} target;

// out (6) += M x for the inertia of a body at its centre of mass
static void mul_inertia(const double M[36], const double x[6], double out[6])
{
    for (int i = 0; i < 3; i++) {
        const double *J = M + 6 * (3 + i) + 3;
        out[i] += M[7 * i] * x[i];
        out[3 + i] += J[0] * x[3] + J[1] * x[4] + J[2] * x[5];
    }
}

// X (6) := column of coordinate j in (2) before H', from the blocks K, D (NULL: 0) and, on the diagonal, the
// inertia M (else NULL).
static void multiply(const target *t, const double *K, const double *D, const double *M,
                     const tmli_motion_columns *c, int j, double X[6])
{
    const double *H = c->H + 6 * j, *U = c->U + 6 * j, *A = c->A + 6 * j, *Au = c->Au + 6 * j;
    double of_D[6], of_M[6];
    memset(X, 0, 6 * sizeof *X);
    if (K && t->ck != 0) mul6(K, H, t->ck, X);
    for (int i = 0; i < 6; i++) {
        of_D[i] = t->ck * U[i] + t->cd * H[i];
        of_M[i] = t->ck * A[i] + t->cd * Au[i] + t->cm * H[i];
    }
    if (D) mul6(D, of_D, 1, X);
    if (M) mul_inertia(M, of_M, X);
}

// Adds all blocks in the columns of body b.
static void add_blocks(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                       const tml_state *y, int b, const target *targets, int count)
{
    const tmli_motion_columns c = {w->Hc, w->dU, w->dA, w->dAu}, other = {.H = w->product};
    const tmli_body_blocks *plan = &s->blocks;
    double M[36], gyroscopic[36];
    tmli_mb_node_blocks(s->model, s->joint[b].node, y, M, gyroscopic);
    tmli_joint_space_set_columns(s, w, b, x->u, x->udot, &c);
    for (int i = plan->start[b]; i < plan->start[b + 1]; i++) {
        const int a = plan->row[i];
        double *K = plan->stiff[i] ? w->blockK + 36 * (size_t)i : NULL,
               *D = plan->damped[i] ? w->blockD + 36 * (size_t)i : NULL;
        if (a != b) tmli_joint_space_set_columns(s, w, a, NULL, NULL, &other);
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

// (1) for the wrench at body i, as in the motion residual of the base
static void add_geometric_stiffness(const tmli_joint_space *s, const tmli_joint_space_work *w, int i,
                                    const double *wrench, double ck, double *stiffness)
{
    double six[6];
    tmli_node_velocity(s->model, wrench, s->joint[i].node, six);
    const vec3 f = v3_from(six), r = v3_add(w->body[i].P, w->body[i].c);
    const vec3 n = s->joint[i].point ? v3(0, 0, 0) : m3_mulv(&w->body[i].R, v3_from(six + 3));
    for (int kj = i; kj >= 0; kj = s->joint[kj].parent)
        for (int jj = 0; jj < s->joint[kj].nu; jj++) {
            vec3 vj, wj;
            tmli_tree_joint_motion(&s->joint[kj], &w->body[kj], jj, &vj, &wj);
            const vec3 drj = v3_add(vj, v3_cross(wj, v3_sub(r, w->body[kj].P)));
            const int j = s->joint[kj].first + jj;
            for (int kk = kj; kk >= 0; kk = s->joint[kk].parent)  // k inward of j, or of the same joint
                for (int ii = 0; ii < s->joint[kk].nu; ii++) {
                    const tmli_tree_joint *b = &s->joint[kk];
                    const bool ball = b->rotation == TMLI_ROTATION_BALL && ii >= b->nslide && jj >= b->nslide;
                    if (kk == kj && ii > jj && !ball) continue;
                    vec3 vk, wk;
                    tmli_tree_joint_motion(b, &w->body[kk], ii, &vk, &wk);
                    const int k = b->first + ii;
                    stiffness[(size_t)k * (size_t)s->n + (size_t)j] += ck * v3_dot(f, v3_cross(wk, drj));
                    if (kk == kj && (ball || ii == jj)) continue;
                    // row k, column j, which is outward of k
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
        if (s->is_along[i]) continue;
        const size_t all = 36 * (size_t)(f->plan.nslots * f->plan.nslots);
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

// Multiplies the columns of balls by T of the increment.
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

tml_status tmli_joint_space_no_matrix(tml_error *err)
{
    return tmli_fail(err, TML_ERR_ARG, "this system in joint coordinates was made without a matrix");
}

// Computes the targets. p: penalties of the multipliers, or NULL. Only the first target may have ck.
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
    if (stiff) {  // sets w->force, the wrenches of the residual
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
    for (int t = 0; t < count; t++)
        tmli_joint_space_add_along_tangent(s, w, x, &y, targets[t].ck, targets[t].cd, targets[t].matrix);
    if (stiff) gather_loops(s, w, x, p);
    for (int b = 0; b < s->njoints; b++) add_blocks(s, w, x, &y, b, targets, count);
    return TML_OK;
}

tml_status tmli_joint_space_assemble(const void *self, void *work, const tml_state *x, const tml_assembly *a,
                                     double *values, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    if (!s->matrix) return tmli_joint_space_no_matrix(err);
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
    if (!s->matrix) return tmli_joint_space_no_matrix(err);
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
    if (!s->matrix) return tmli_joint_space_no_matrix(err);
    tml_state y = *x;
    y.lambda = w->zero_lambda;
    const tml_status st = fill_parts(s, w, &y, err);
    double *const out[3] = {dk, dd, dm};
    const size_t n = (size_t)s->n;
    for (size_t part = 0; part < 3 && st == TML_OK; part++)
        for (size_t j = 0; j < n; j++) out[part][j] = fabs(w->dense[part * n * n + j * (n + 1)]);
    return st;
}

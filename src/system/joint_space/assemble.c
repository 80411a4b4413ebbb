// Matrices in joint coordinates, by the chain rule from those of the model's elements and the derivatives of
// columns.c; the sums of (2) over the bodies are made by composite.c.
//
// The unit motion of coordinate j turns if coordinate k inward of it moves. The change of the generalized
// force of a force f and moment n is
//   f.(w_k x dr_j)                      if k is inward of j or of the same ball                           (1)
//   f.(w_j x dr_k) + n.(w_j x w_k)      if k is outward of j
// With K, D, M of the model, its residual r, U = H u and A = H udot + h:
//   K_q = H'(K H + D U_d + M A_d) + H'_d r,    D_q = H'(D H + M A_u),    M_q = H'M H                      (2)
#include "linalg/pattern/pattern.h"
#include "system/joint_space/columns.h"
#include "system/state/inactive.h"

#include <string.h>

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

// False: no multiplier of a loop acts, so that their second derivatives do not count.
static bool has_reactions(const tmli_joint_space *s, const tmli_joint_space_work *w, const tml_state *x,
                          const double *p)
{
    return s->nloops > 0 && (p || x->lambda != w->zero_lambda);
}

static void gather_forces(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *y)
{
    for (int i = 0; i < s->model->nforces; i++) {
        const tmli_force *f = &s->model->force[i];
        if (s->is_scalar[i]) continue;
        const size_t all = 36 * (size_t)(f->plan.nslots * f->plan.nslots);
        memset(w->base->D, 0, all * sizeof(double));
        tmli_mb_force_tangent(s->model, w->base, y, f);
        gather(&f->plan, s->blocks.force[i], w->base->H, w->blockK);
        gather(&f->plan, s->blocks.force[i], w->base->D, w->blockD);
    }
}

// p: penalties of the forces; rows at velocity level have Phi = B u - nu here.
static void gather_loops(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                         const tml_state *y, const double *p)
{
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *loop = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[loop->constraint];
        double mu[TMLI_JOINT_ROWS] = {0}, phi[TMLI_JOINT_ROWS];
        if (tmli_is_released(c, x)) continue;
        if (p) tmli_mb_constraint_value_rows(s->model, w->base, y, c, phi);
        for (int r = 0; r < loop->nrows; r++)
            mu[loop->keep + r] = x->lambda[loop->first + r] +
                                 (p ? tmli_active_penalty(x, p, loop->first + r) * phi[loop->keep + r] : 0);
        memset(w->base->H, 0, 36 * (size_t)(c->plan.nslots * c->plan.nslots) * sizeof(double));
        tmli_mb_constraint_hessian(s->model, w->base, c, mu);
        gather(&c->plan, s->blocks.loop[i], w->base->H, w->blockK);
    }
}

static bool is_velocity_row(const tmli_joint_space *s, int r)
{
    return s->level && s->level[r] == TML_LEVEL_VELOCITY;
}

// stiffness += B' diag(cp p) B of the rows at one level; at velocity level with their changes in place of B.
static void add_penalties(const tmli_joint_space *s, const tmli_joint_space_work *w, const tml_state *x,
                          const tml_assembly *a, bool at_velocity_level, double *stiffness)
{
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        for (int r = 0; r < p->nrows; r++) {
            if (is_velocity_row(s, p->first + r) != at_velocity_level) continue;
            const int at = p->offset + r * p->width;
            const double *row = w->projected + at, *by = (at_velocity_level ? w->changes : w->projected) + at,
                         weight = a->cp * tmli_active_penalty(x, a->p, p->first + r);
            const int *col = s->rowcol + s->rowptr[p->first + r];
            for (int j = 0; j < p->width; j++)
                for (int k = 0; k < p->width; k++)
                    stiffness[(size_t)col[j] * (size_t)s->n + (size_t)col[k]] += weight * by[j] * row[k];
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

// The rows of all loops at x in w->projected, and in w->changes the derivatives of their Phi by the
// increment: B T, or B + (B u - nu)_d T/cv at velocity level. Velocities are set.
static void set_rows(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                     const tml_assembly *a)
{
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        double *const rows = w->projected + p->offset, *const changes = w->changes + p->offset;
        const bool moving = c->rates && a->cv > 0;
        if (moving) tmli_joint_space_loop_times(s, w, x, p, x->u, changes);
        tmli_mb_rows_at(s->model, w->base, x, c);
        tmli_joint_space_row_values(s, w, p, w->base->B, rows);
        for (int r = 0; r < p->nrows; r++) {
            const double *b = rows + r * p->width;
            double *to = changes + r * p->width;
            const bool rate = is_velocity_row(s, p->first + r);
            if (!rate) memcpy(to, b, (size_t)p->width * sizeof *to);
            if (a->increment && (!rate || moving)) apply_tangent_to_row(s, p, a->increment, to);
            for (int k = 0; k < p->width && rate; k++) to[k] = b[k] + (moving ? to[k] / a->cv : 0);
        }
    }
}

// values := stiffness + cd D + cm M in the pattern; 0: the part is not used
static void scatter(const tmli_joint_space *s, const double *stiffness, double cd, const double *D, double cm,
                    const double *M, double *values)
{
    const tml_pattern *p = s->pattern;
    for (int j = 0; j < p->n; j++) {
        const size_t column = (size_t)j * (size_t)s->n;
        int32_t k = p->colptr[j];
        const int32_t end = p->colptr[j + 1];
        for (; j < s->n && k < end && p->rowind[k] < s->n; k++) {
            const size_t at = column + (size_t)p->rowind[k];
            double sum = stiffness ? stiffness[at] : 0;
            if (cd != 0) sum += cd * D[at];
            if (cm != 0) sum += cm * M[at];
            values[k] = sum;
        }
        for (; k < end; k++) values[k] = 0;
    }
}

// Released rows have a diagonal entry, and no others.
static void scatter_loops(const tmli_joint_space *s, const tmli_joint_space_work *w, const tml_state *x,
                          const tml_assembly *a, double *values)
{
    const tml_pattern *p = s->pattern;
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *loop = &s->loop[i];
        const bool released = tmli_is_released(&s->model->constraint[loop->constraint], x);
        for (int r = 0; r < loop->nrows; r++) {
            const int row = loop->first + r;
            const double f = a->r ? a->r[row] : 1;
            const double *b = w->projected + loop->offset + r * loop->width,
                         *change = w->changes + loop->offset + r * loop->width;
            const int *col = s->rowcol + s->rowptr[row];
            for (int k = 0; k < loop->width; k++) {
                values[tmli_pattern_find(p, col[k], s->n + row)] = f * b[k];
                values[tmli_pattern_find(p, s->n + row, col[k])] = f * change[k];
            }
            if (released) values[tmli_pattern_find(p, s->n + row, s->n + row)] = f > 0 ? -f : -1;
        }
    }
}

// Columns of the multipliers of one loop += -r dQ/dlambda; C (rows of its constraint x 6 slots of f)
static void add_load_columns(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_loop *loop,
                             const tmli_force *f, const double *C, const double *factor, double *values)
{
    const tmli_constraint *c = &s->model->constraint[loop->constraint];
    const int width = 6 * c->plan.nslots, wide = 6 * f->plan.nslots;
    double *const B = w->base->B, *const columns = w->projected + loop->offset;
    tmli_mb_clear_rows(c, B);
    for (int slot = 0; slot < c->plan.nslots; slot++) {
        int other = 0;
        while (other < f->plan.nslots && f->plan.node[other] != c->plan.node[slot]) other++;
        for (int r = 0; r < c->nrows && other < f->plan.nslots; r++)
            memcpy(B + r * width + 6 * slot, C + r * wide + 6 * other, 6 * sizeof *B);
    }
    tmli_joint_space_row_values(s, w, loop, B, columns);
    for (int r = 0; r < loop->nrows; r++) {
        const int row = loop->first + r;
        const int *col = s->rowcol + s->rowptr[row];
        for (int k = 0; k < loop->width; k++)
            values[tmli_pattern_find(s->pattern, col[k], s->n + row)] +=
                (factor ? factor[row] : 1) * columns[r * loop->width + k];
    }
}

// Columns of multipliers on which forces depend. Overwrites w->projected.
static void scatter_loads(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                          const double *factor, double *values)
{
    const tml_model *m = s->model;
    const tml_state y = tmli_joint_space_base_state(s, w, x, true);
    const tmli_view v = {.m = m, .x = &y, .pose = w->base->pose, .w = w->base};
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        if (f->load < 0) continue;
        const double *C = w->base->loads;
        memset(w->base->loads, 0, m->load_entries * sizeof *C);
        f->ops->by_multipliers(f, &v, w->base->loads);
        for (int l = 0; l < f->nloads; l++) {
            const tmli_constraint *c = &m->constraint[f->load + l];
            if (!tmli_is_released(c, x))
                add_load_columns(s, w, &s->loop[s->loop_of[f->load + l]], f, C, factor, values);
            C += c->nrows * 6 * f->plan.nslots;
        }
    }
}

// Penalties p of Phi as forces have them. Rows at velocity level take part as Phi = (B u - nu)/cv in
// matrices; the residual has p times B u - nu.
static const double *force_penalties(const tmli_joint_space *s, tmli_joint_space_work *w, const double *p,
                                     double cv)
{
    if (!p || !s->level) return p;
    for (int r = 0; r < s->m; r++) w->penalty[r] = !is_velocity_row(s, r) ? p[r] : cv > 0 ? p[r] / cv : 0;
    return w->penalty;
}

tml_status tmli_joint_space_no_matrix(tml_error *err)
{
    return tmli_fail(err, TML_ERR_ARG, "this system in joint coordinates was made without a matrix");
}

// The parts that are wanted, in w->dense
static tmli_parts parts_in(const tmli_joint_space *s, const tmli_joint_space_work *w, bool K, bool D, bool M)
{
    const size_t size = (size_t)s->n * (size_t)s->n;
    return (tmli_parts){
        .K = K ? w->dense : NULL, .D = D ? w->dense + size : NULL, .M = M ? w->dense + 2 * size : NULL};
}

// Computes the parts. p: penalties of the forces, or NULL.
static tml_status fill(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                       const double *p, const tmli_parts *to, tml_error *err)
{
    double *const part[3] = {to->K, to->D, to->M};
    for (int i = 0; i < 3; i++)
        if (part[i]) memset(part[i], 0, (size_t)s->n * (size_t)s->n * sizeof *part[i]);
    if (to->K) {  // sets w->force, the wrenches of the residual
        const tml_status st = tmli_joint_space_residual(s, w, x, p, w->scratch, w->gamma, err);
        if (st != TML_OK) return st;
    }
    tmli_joint_space_velocities(s, w, x->q, x->u);
    if (!to->K && !to->D && !to->M) return TML_OK;
    const tml_state y = tmli_joint_space_base_state(s, w, x, true);
    tmli_joint_space_set_motions(s, w, x->u, x->udot);
    tmli_joint_space_add_bodies(s, w, w->force, to);
    for (size_t j = 0; j < (size_t)s->n && to->M; j++) to->M[j * ((size_t)s->n + 1)] += s->armature[j];
    if (!to->K && !to->D) return TML_OK;
    const bool reactions = to->K && has_reactions(s, w, x, p);
    if (to->K) tmli_joint_space_add_along_tangent(s, w, x, &y, 1, 0, to->K);
    if (to->D) tmli_joint_space_add_along_tangent(s, w, x, &y, 0, 1, to->D);
    if (s->nscalar == s->model->nforces && !reactions) return TML_OK;  // no body has a force from another
    memset(w->blockK, 0, 36 * (size_t)s->blocks.count * sizeof *w->blockK);
    memset(w->blockD, 0, 36 * (size_t)s->blocks.count * sizeof *w->blockD);
    gather_forces(s, w, &y);
    if (reactions) gather_loops(s, w, x, &y, p);
    tmli_joint_space_add_couplings(s, w, to);
    return TML_OK;
}

tml_status tmli_joint_space_assemble(const void *self, void *work, const tml_state *x, const tml_assembly *a,
                                     double *values, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    if (!s->matrix) return tmli_joint_space_no_matrix(err);
    const size_t size = (size_t)s->n * (size_t)s->n;
    double *stiffness = w->dense;
    const tmli_parts to = parts_in(s, w, a->ck != 0, a->cd != 0, a->cm != 0);
    const tml_status st = fill(s, w, x, force_penalties(s, w, a->p, a->cv), &to, err);
    if (st != TML_OK) return st;
    const bool penalties = a->p && a->cp != 0;
    if (!to.K && penalties) memset(stiffness, 0, size * sizeof *stiffness);
    for (size_t i = 0; i < size && to.K && a->ck != 1; i++) stiffness[i] *= a->ck;
    set_rows(s, w, x, a);
    if (penalties) add_penalties(s, w, x, a, false, stiffness);
    const bool any = to.K || penalties;
    if (any && a->increment && !s->model->planar) apply_tangent_to_columns(s, a->increment, stiffness);
    if (penalties && s->level) add_penalties(s, w, x, a, true, stiffness);
    scatter(s, any ? stiffness : NULL, a->cd, to.D, a->cm, to.M, values);
    scatter_loops(s, w, x, a, values);
    if (a->loads && s->model->loads) scatter_loads(s, w, x, a->r, values);
    return TML_OK;
}

// K, D, M in w->dense
static tml_status fill_parts(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                             tml_error *err)
{
    const tmli_parts to = parts_in(s, w, true, true, true);
    return fill(s, w, x, NULL, &to, err);
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
        scatter(s, w->dense + part * (size_t)s->n * (size_t)s->n, 0, NULL, 0, NULL, out[part]);
    return st;
}

tml_status tmli_joint_space_parts(const tml_system *sys, void *work, const tml_state *x, double *M, double *D,
                                  double *K, tml_error *err)
{
    const tmli_joint_space *s = sys->self;
    if (!s->matrix) return tmli_joint_space_no_matrix(err);
    const tmli_parts to = {.K = K, .D = D, .M = M};
    return fill(s, work, x, NULL, &to, err);
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

// ---- pairs of bodies that elements couple ---------------------------------------------------------------

// Stiffness and damping are summed in one block per pair before they are expressed in joint coordinates.

static void mark_pairs(const tmli_joint_space *s, const tmli_plan *p, int kind, int *table)
{
    for (int b = 0; b < p->nslots; b++)
        for (int a = 0; a < p->nslots; a++) {
            int *at = &table[s->joint_of_node[p->node[b]] * s->njoints + s->joint_of_node[p->node[a]]];
            *at = *at > kind ? *at : kind;
        }
}

static int *list_blocks(const tmli_joint_space *s, const tmli_plan *p, const int *table, int *out)
{
    for (int a = 0; a < p->nslots; a++)
        for (int b = 0; b < p->nslots; b++)
            *out++ = table[s->joint_of_node[p->node[b]] * s->njoints + s->joint_of_node[p->node[a]]];
    return out;
}

static const tmli_plan *loop_plan(const tmli_joint_space *s, int i)
{
    return &s->model->constraint[s->loop[i].constraint].plan;
}

enum { NOTHING, GYROSCOPIC, STIFF, DAMPED };

// table (njoints x njoints): NOTHING or a kind on entry, then the number of the block
static bool number_blocks(tmli_joint_space *s, tmli_body_blocks *b, int *table)
{
    const int nl = s->njoints;
    for (int i = 0; i < nl; i++) table[i * (nl + 1)] = GYROSCOPIC;
    for (int i = 0; i < s->model->nforces; i++)
        if (!s->is_scalar[i]) mark_pairs(s, &s->model->force[i].plan, DAMPED, table);
    for (int i = 0; i < s->nloops; i++) mark_pairs(s, loop_plan(s, i), STIFF, table);
    size_t count = 0;
    for (size_t k = 0; k < (size_t)nl * (size_t)nl; k++) count += table[k] != NOTHING;
    if (!tmli_arena_alloc_all(&s->arena, TMLI_ARRAY(b->row, count + 1), TMLI_ARRAY(b->damped, count + 1),
                              TMLI_ARRAY(b->start, (size_t)nl + 1), TMLI_ARRAY(b->stiff, count + 1)))
        return false;
    for (int j = 0; j < nl; j++) {
        for (int i = 0; i < nl; i++) {
            if (table[j * nl + i] == NOTHING) continue;
            b->row[b->count] = i;
            b->stiff[b->count] = table[j * nl + i] != GYROSCOPIC;
            b->damped[b->count] = table[j * nl + i] == DAMPED || i == j;
            table[j * nl + i] = b->count++;
        }
        b->start[j + 1] = b->count;
    }
    return true;
}

tml_status tmli_joint_space_plan_blocks(tmli_joint_space *s, tml_error *err)
{
    const tml_model *m = s->model;
    tmli_body_blocks *b = &s->blocks;
    const size_t nl = (size_t)s->njoints;
    size_t entries = 0;
    for (int i = 0; i < m->nforces; i++)
        entries += (size_t)(m->force[i].plan.nslots * m->force[i].plan.nslots);
    for (int i = 0; i < s->nloops; i++)
        entries += (size_t)(loop_plan(s, i)->nslots * loop_plan(s, i)->nslots);
    b->of = tmli_arena_alloc(&s->arena, entries + 1, sizeof *b->of);
    b->force = tmli_arena_alloc(&s->arena, (size_t)m->nforces + 1, sizeof *b->force);
    b->loop = tmli_arena_alloc(&s->arena, (size_t)s->nloops + 1, sizeof *b->loop);
    int *table = tmli_calloc(&s->env, nl * nl + 1, sizeof *table);
    const bool ok = table && b->of && b->force && b->loop && number_blocks(s, b, table);
    int *next = b->of;
    for (int i = 0; i < m->nforces && ok; i++) {
        b->force[i] = next;
        next = list_blocks(s, &m->force[i].plan, table, next);
    }
    for (int i = 0; i < s->nloops && ok; i++) {
        b->loop[i] = next;
        next = list_blocks(s, loop_plan(s, i), table, next);
    }
    tmli_free(&s->env, table);
    return ok ? TML_OK : tmli_no_memory(err, "joint coordinates");
}

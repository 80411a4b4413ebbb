// The iteration matrix on SE(3), from that of the base block by block; equation numbers as in se3.c.
//
// The base gives ck K + cp B'pB and D separately, because T multiplies the first only and (4) needs D times
// the velocities. Columns of a node hold whole blocks: the coordinates of other nodes, then rows of
// constraints.
//
// The base gives rows at velocity level as B, with lambda + p Phi in place of lambda and without penalties.
// With (6) their changes by an increment and the penalties are
//   C = B_V + (B_V V - nu)_d T/cv,     B_V' cp p C                                                        (9)
#include "system/se3/internal.h"
#include "system/state/inactive.h"

typedef struct block {
    double e[6][6];
} block;

static void load_block(const tml_pattern *p, const tmli_node *I, const tmli_node *J, int32_t offset,
                       const double *values, block *out)
{
    memset(out, 0, sizeof *out);
    for (int c = 0; c < J->ncoords; c++)
        for (int r = 0; r < I->ncoords; r++)
            out->e[I->local[r]][J->local[c]] = values[p->colptr[J->first + c] + offset + r];
}

static void store_block(const tml_pattern *p, const tmli_node *I, const tmli_node *J, int32_t offset,
                        const block *b, double *values)
{
    for (int c = 0; c < J->ncoords; c++)
        for (int r = 0; r < I->ncoords; r++)
            values[p->colptr[J->first + c] + offset + r] = b->e[I->local[r]][J->local[c]];
}

// b := Q_I' b Q_J; NULL: a point mass, Q = 1.
static void rotate_block(const mat3 *RI, const mat3 *RJ, block *b)
{
    for (int c = 0; c < 6 && RI; c++) {
        const vec3 x = m3_tmulv(RI, v3(b->e[0][c], b->e[1][c], b->e[2][c]));
        b->e[0][c] = x.x;
        b->e[1][c] = x.y;
        b->e[2][c] = x.z;
    }
    for (int r = 0; r < 6 && RJ; r++) v3_store(m3_tmulv(RJ, v3_from(b->e[r])), b->e[r]);
}

// row (6) := row T
static void row_tangent(const tmli_se3_frame *f, double row[6])
{
    const vec3 t = v3_from(row), r = v3_from(row + 3);
    v3_store(m3_tmulv(&f->A, t), row);
    v3_store(v3_add(m3_tmulv(&f->C, t), m3_tmulv(&f->A, r)), row + 3);
}

// The parts of a body's own block due to its inertia and the rotation of its rows: (4) before, (2), (3)
// after T.
static void add_own_stiffness(const tmli_node *node, const tmli_se3_frame *f, vec3 n, double ck, block *b)
{
    const mat3 S = m3_skew(v3_axpy(-node->mass, f->a, n));
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) b->e[r][3 + c] += ck * S.m[3 * r + c];
}
static void add_own_inertia(const tmli_node *node, const tmli_se3_frame *f, double cm, double cd, block *b)
{
    const mat3 w = m3_skew(f->w), v = m3_skew(f->v);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            b->e[r][c] += node->mass * (cm * (r == c) + cd * w.m[3 * r + c]);
            b->e[r][3 + c] -= node->mass * cd * v.m[3 * r + c];
            b->e[3 + r][3 + c] += cm * node->J.m[3 * r + c];
        }
}

static bool is_velocity_row(const tmli_se3 *s, int r)
{
    return s->model->level && s->model->level[r] == TML_LEVEL_VELOCITY;
}

// One coordinate block (I, J), `offset` entries down the columns of J. values: ck K + cp B'pB of the base.
static void convert_block(const tmli_se3 *s, const tmli_se3_work *w, const tml_assembly *a, int i, int j,
                          int32_t offset, double *values)
{
    const tml_model *m = s->model;
    const tmli_node *I = &m->node[i], *J = &m->node[j];
    const tmli_se3_frame *fi = &w->frame[i], *fj = &w->frame[j];
    const mat3 *RI = s->on_se3[i] ? &fi->R : NULL, *RJ = s->on_se3[j] ? &fj->R : NULL;
    block k, d;
    load_block(m->pattern, I, J, offset, values, &k);
    load_block(m->pattern, I, J, offset, w->damping, &d);
    rotate_block(RI, RJ, &k);
    rotate_block(RI, RJ, &d);
    for (int r = 0; r < 6 && RJ; r++) {  // Q'D Q W of (4)
        const vec3 c = v3_cross(fj->v, v3_from(d.e[r]));
        v3_store(v3_axpy(a->ck, c, v3_from(k.e[r] + 3)), k.e[r] + 3);
    }
    if (i == j && RI) {
        double n[6];
        tmli_node_velocity(m, w->motion, i, n);
        add_own_stiffness(I, fi, v3_from(n), a->ck, &k);
    }
    for (int r = 0; r < 6 && RJ && a->increment; r++) row_tangent(fj, k.e[r]);
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) k.e[r][c] += a->cd * d.e[r][c];
    if (i == j && RI) add_own_inertia(I, fi, a->cm, a->cd, &k);
    for (int r = 0; r < 3 && i == j && !RI; r++) k.e[r][r] += a->cm * I->mass;
    store_block(m->pattern, I, J, offset, &k, values);
}

// Row r of the constraints in the columns of node j: times Q T.
static void convert_row(const tmli_se3 *s, const tmli_se3_work *w, const tml_assembly *a, int j,
                        int32_t offset, double *values)
{
    const tmli_node *J = &s->model->node[j];
    const int32_t *colptr = s->model->pattern->colptr;
    double g[6] = {0};
    const int r = s->model->pattern->rowind[colptr[J->first] + offset] - s->model->n;
    for (int c = 0; c < J->ncoords; c++) g[J->local[c]] = values[colptr[J->first + c] + offset];
    v3_store(m3_tmulv(&w->frame[j].R, v3_from(g)), g);
    if (a->increment && !is_velocity_row(s, r)) row_tangent(&w->frame[j], g);
    for (int c = 0; c < J->ncoords; c++) values[colptr[J->first + c] + offset] = g[J->local[c]];
}

static void convert_matrix(const tmli_se3 *s, const tmli_se3_work *w, const tml_assembly *a, double *values)
{
    const tml_model *m = s->model;
    const tml_pattern *p = m->pattern;
    for (int j = 0; j < m->nnodes; j++) {
        if (m->node[j].ncoords == 0) continue;
        const int32_t begin = p->colptr[m->node[j].first], end = p->colptr[m->node[j].first + 1];
        for (int32_t k = begin; k < end;) {
            const int32_t row = p->rowind[k];
            const int i = row < m->n ? m->node_of[row] : -1;
            if (i >= 0) convert_block(s, w, a, i, j, k - begin, values);
            else if (s->on_se3[j]) convert_row(s, w, a, j, k - begin, values);
            k += i >= 0 ? m->node[i].ncoords : 1;
        }
    }
    for (int32_t c = m->n; c < p->n; c++) {  // B': rotate the rows of motion
        for (int32_t k = p->colptr[c]; k < p->colptr[c + 1];) {
            const int i = p->rowind[k] < m->n ? m->node_of[p->rowind[k]] : -1;
            if (i >= 0 && s->on_se3[i]) {
                double g[6];
                tmli_se3_load_node(&m->node[i], values + k, g);
                v3_store(m3_tmulv(&w->frame[i].R, v3_from(g)), g);
                tmli_se3_store_node(&m->node[i], g, values + k);
            }
            k += i >= 0 ? m->node[i].ncoords : 1;
        }
    }
}

// Row r of (9): w->row_derivatives, which have (B_V V)_d, become C; values += its penalties, and C - B_V in
// its row.
static void add_velocity_row(const tmli_se3 *s, tmli_se3_work *w, const tml_state *x, const tml_assembly *a,
                             int r, double *values)
{
    const tml_model *m = s->model;
    const double factor = a->r ? a->r[r] : 1,
                 weight = a->p && a->cp != 0 ? a->cp * tmli_active_penalty(x, a->p, r) : 0;
    const int begin = m->rowptr[r], end = m->rowptr[r + 1];
    for (int k = begin; k < end;) {
        const int i = m->node_of[m->rowcol[k]];
        const tmli_node *node = &m->node[i];
        double g[6];
        tmli_se3_load_node(node, w->row_derivatives + k, g);
        if (a->increment && s->on_se3[i]) row_tangent(&w->frame[i], g);
        tmli_se3_store_node(node, g, w->row_derivatives + k);
        for (int c = 0; c < node->ncoords; c++, k++) {
            const double change = a->cv > 0 ? w->row_derivatives[k] / a->cv : 0;
            values[tmli_pattern_find(m->pattern, m->n + r, m->rowcol[k])] += factor * change;
            w->row_derivatives[k] = w->rows[k] + change;
        }
    }
    for (int j = begin; j < end && weight != 0; j++)
        for (int i = begin; i < end; i++)
            values[tmli_pattern_find(m->pattern, m->rowcol[i], m->rowcol[j])] +=
                weight * w->rows[i] * w->row_derivatives[j];
}

static tml_status add_velocity_rows(const tmli_se3 *s, tmli_se3_work *w, const tml_state *x,
                                    const tml_assembly *a, double *values, tml_error *err)
{
    const tml_model *m = s->model;
    const tml_status st = tmli_se3_rows_times(s, w, x, x->u, w->row_derivatives, err);  // and w->rows
    tmli_se3_set_frames(s, w, x, a->increment);
    for (int r = 0; r < m->m && st == TML_OK; r++)
        if (m->level[r] == TML_LEVEL_VELOCITY) add_velocity_row(s, w, x, a, r, values);
    return st;
}

// w->motion at x. y, plain: what the base gets has lambda + p Phi of rows at velocity level, (9).
static tml_status begin_assembly(const tmli_se3 *s, tmli_se3_work *w, const tml_state *x, tml_state *y,
                                 tml_assembly *plain, tml_error *err)
{
    const tml_model *m = s->model;
    tml_state at = *x;
    if (m->level && plain->p) {
        tml_status st = TML_OK;
        if (plain->ck != 0) st = tmli_se3_residual(s, w, x, NULL, w->motion, w->phi, err);
        if (st != TML_OK) return st;
        for (int r = 0; r < m->m; r++) {
            const bool rate = is_velocity_row(s, r), forces = rate && plain->ck != 0 && plain->cv > 0;
            w->penalty[r] = rate ? 0 : plain->p[r];
            w->mu[r] = x->lambda[r];
            if (forces) w->mu[r] += tmli_active_penalty(x, plain->p, r) * w->phi[r] / plain->cv;
        }
        plain->p = w->penalty;
        at.lambda = y->lambda = w->mu;
    }
    if (m->level) plain->cv = 0;
    return plain->ck != 0 ? tmli_se3_residual(s, w, &at, plain->p, w->motion, w->phi, err) : TML_OK;
}

tml_status tmli_se3_assemble(const void *self, void *work, const tml_state *x, const tml_assembly *a,
                             double *values, tml_error *err)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    const tml_system *b = s->base;
    tml_state y = tmli_se3_base_state(s, w, x);
    tml_assembly plain = *a;  // the base without inertia, damping and T
    plain.cm = plain.cd = 0;
    plain.increment = NULL;
    tml_status st = begin_assembly(s, w, x, &y, &plain, err);
    if (st == TML_OK) st = b->ops->assemble(b->self, w->base, &y, &plain, values, err);
    if (st != TML_OK) return st;
    if (a->ck != 0 || a->cd != 0) tmli_mb_assemble_damping(s->model, w->base, &y, w->damping);
    else memset(w->damping, 0, (size_t)tmli_pattern_nnz(b->pattern) * sizeof(double));
    tmli_se3_set_frames(s, w, x, a->increment);
    convert_matrix(s, w, a, values);
    return s->model->level ? add_velocity_rows(s, w, x, a, values, err) : TML_OK;
}

tml_status tmli_se3_diagonals(const void *self, void *work, const tml_state *x, double *dm, double *dd,
                              double *dk, tml_error *err)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    double *const out[3] = {dm, dd, dk};
    tml_state y = *x;
    y.lambda = w->zero;
    for (int part = 0; part < 3; part++) {
        const tml_assembly a = {.cm = part == 0, .cd = part == 1, .ck = part == 2};
        tml_status st = tmli_se3_assemble(self, work, &y, &a, w->values, err);
        if (st != TML_OK) return st;
        for (int j = 0; j < s->model->n; j++) {
            const tmli_node *node = &s->model->node[s->model->node_of[j]];
            out[part][j] = fabs(w->values[node->matrix[(j - node->first) * (node->ncoords + 1)]]);
        }
    }
    return TML_OK;
}

// The iteration matrix on SE(3), from that of the base block by block; equation numbers as in se3.c.
//
// The base gives ck K + cp B'pB and D separately, because T multiplies the first only and (4) needs D times
// the velocities. Columns of a node hold whole blocks: the coordinates of other nodes, then rows of
// constraints.
#include "system/se3/internal.h"

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
    for (int c = 0; c < J->ncoords; c++) g[J->local[c]] = values[colptr[J->first + c] + offset];
    v3_store(m3_tmulv(&w->frame[j].R, v3_from(g)), g);
    if (a->increment) row_tangent(&w->frame[j], g);
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

tml_status tmli_se3_assemble(const void *self, void *work, const tml_state *x, const tml_assembly *a,
                             double *values, tml_error *err)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    const tml_system *b = s->base;
    const tml_state y = tmli_se3_base_state(s, w, x);
    tml_assembly plain = *a;  // the base without inertia, damping and T
    plain.cm = plain.cd = 0;
    plain.increment = NULL;
    tml_status st = b->ops->assemble(b->self, w->base, &y, &plain, values, err);
    if (st == TML_OK && a->ck != 0) st = tmli_se3_residual(self, work, x, a->p, w->motion, w->phi, err);
    if (st != TML_OK) return st;
    if (a->ck != 0 || a->cd != 0) tmli_mb_assemble_damping(s->model, w->base, &y, w->damping);
    else memset(w->damping, 0, (size_t)tmli_pattern_nnz(b->pattern) * sizeof(double));
    tmli_se3_set_frames(s, w, x, a->increment);
    convert_matrix(s, w, a, values);
    return TML_OK;
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

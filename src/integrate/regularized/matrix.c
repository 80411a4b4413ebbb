// Newton's equations of the regularized form, (8) and (9) of regularized.h: pattern, assembly,
// factorization, solution.
#include "integrate/regularized/regularized.h"
#include "system/active_rows/active_rows.h"

#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- indices ----------------------------------------------------------------------------------------------

static int find_entry(const tmli_regular_eq *e, int row, int col)
{
    return tmli_pattern_find(e->pattern, row, col);
}

static void number_unknowns(tmli_regular_eq *e)
{
    const tml_pattern *p = e->sys->pattern;
    for (int32_t b = 0; b < p->nblocks; b++)
        for (int32_t i = p->blockptr[b]; i < p->blockptr[b + 1]; i++) {
            e->once[i] = e->trust ? p->blockptr[b] + i : i;
            e->twice[i] = e->trust ? p->blockptr[b + 1] + i : -1;
        }
}

static void find_motion_entries(tmli_regular_eq *e)
{
    const tml_pattern *p = e->sys->pattern;
    for (int j = 0; j < p->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int i = p->rowind[k];
            const bool motion = i < e->n && j < e->n;
            e->uu[k] = motion ? find_entry(e, e->once[i], e->once[j]) : -1;
            e->zz[k] = motion && e->trust ? find_entry(e, e->twice[i], e->twice[j]) : -1;
        }
    for (int j = 0; j < e->n; j++) e->uz[j] = e->trust ? find_entry(e, e->twice[j], e->twice[j]) : -1;
}

static void find_row_entries(tmli_regular_eq *e)
{
    const tml_system *s = e->sys;
    for (int r = 0; r < e->m; r++) {
        const int l = e->once[e->n + r], more = e->twice[e->n + r];
        e->ll[r] = find_entry(e, l, l);
        e->rr[r] = e->trust ? find_entry(e, more, more) : -1;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) {
            const int u = e->once[s->rowcol[i]], z = e->twice[s->rowcol[i]];
            e->ul[i] = find_entry(e, u, l);
            e->cu[i] = find_entry(e, e->trust ? more : l, u);
            e->zr[i] = e->trust ? find_entry(e, z, more) : -1;
            e->lz[i] = e->trust ? find_entry(e, l, z) : -1;
        }
    }
}

// Solvers that follow the graph may give up; then one that pivots replaces them.
static tml_status make_solvers(tmli_regular_eq *e, const tml_linsolver_ops *solver, tml_error *err)
{
    const tml_env *env = &e->sys->env;
    e->solver = solver->pivots ? solver : &tml_linsolver_block;
    e->spare = solver->pivots ? NULL : &tml_linsolver_klu;
    tml_status st = e->solver->create(e->pattern, env, &e->lin, err);
    return st == TML_OK && e->spare ? e->spare->create(e->pattern, env, &e->lin_spare, err) : st;
}

tml_status tmli_regular_layout(tmli_regular_eq *e, const tml_linsolver_ops *solver, tml_error *err)
{
    number_unknowns(e);
    find_motion_entries(e);
    find_row_entries(e);
    return make_solvers(e, solver, err);
}

// ---- chart ------------------------------------------------------------------------------------------------

// Column k of the node of row j, if the node has so many.
static int column_of(const tmli_regular_eq *e, int j, int k)
{
    const int column = e->first[j] + k;
    return column < e->n && e->first[column] == e->first[j] ? column : -1;
}

static int node_size(const tmli_regular_eq *e, int first)
{
    int end = first;
    while (end < e->n && e->first[end] == first) end++;
    return end - first;
}

// Evaluate T(d) and J = cj T + d(T d')/dd. T does not couple nodes, so columns at the same index of their
// nodes are differenced together.
static void evaluate_tangents(tmli_regular_eq *e, double cj, const double *d, const double *dp)
{
    const tml_system *s = e->sys;
    const double step = cbrt(DBL_EPSILON);
    const int c = e->colours;
    for (int k = 0; k < c; k++) {
        for (int j = 0; j < e->n; j++) e->v[j] = e->colour[j] == k ? 1 : 0;
        s->ops->tangent(s->self, d, e->v, e->w);
        for (int j = 0; j < e->n; j++) {
            const int column = column_of(e, j, k);
            if (column < 0) continue;
            e->T[column * c + e->colour[j]] = e->w[j];
            e->J[column * c + e->colour[j]] = cj * e->w[j];
        }
        if (!e->curved) continue;
        for (int j = 0; j < e->n; j++) e->v[j] = d[j] + (e->colour[j] == k ? step : 0);
        s->ops->tangent(s->self, e->v, dp, e->w);
        for (int j = 0; j < e->n; j++) e->v[j] = d[j] - (e->colour[j] == k ? step : 0);
        s->ops->tangent(s->self, e->v, dp, e->w2);
        for (int j = 0; j < e->n; j++) {
            const int column = column_of(e, j, k);
            if (column >= 0) e->J[column * c + e->colour[j]] += (e->w[j] - e->w2[j]) / (2 * step);
        }
    }
}

static tml_status factor_chart(tmli_regular_eq *e, double t, tml_error *err)
{
    const tml_status st = e->curved ? tmli_lapack_load(err) : TML_OK;
    if (st != TML_OK) return st;
    for (int j = 0; j < e->n && e->curved; j += node_size(e, j)) {
        const int size = node_size(e, j);
        int info = 0;
        tmli_dgetrf(&size, &size, e->J + j * e->colours, &e->colours, e->pivot + j, &info);
        if (info != 0)
            return tmli_fail(err, TML_RETRY, "a rotation is too large for its chart at t = %g s", t);
    }
    return TML_OK;
}

// x := inv(J) x for one vector; `transposed`: x := x inv(J) for `count` rows; of the node that begins at j.
static void divide_node(const tmli_regular_eq *e, int j, int size, const char *transposed, int count,
                        double *x)
{
    int info = 0;
    if (e->curved) {
        tmli_dgetrs(transposed, &size, &count, e->J + j * e->colours, &e->colours, e->pivot + j, x, &size,
                    &info, 1);
        return;
    }
    for (int i = 0; i < size * count; i++) x[i] /= e->cj;
}

static void divide_chart(const tmli_regular_eq *e, double *x)
{
    for (int j = 0, size; j < e->n; j += size) {
        size = node_size(e, j);
        divide_node(e, j, size, "N", 1, x + j);
    }
}

// Motion part of the system's matrix in `values`: K T -> K T inv(J). The columns of a node have the same
// rows.
static void divide_columns(tmli_regular_eq *e, double *values)
{
    const tml_pattern *p = e->sys->pattern;
    for (int j = 0, size; j < e->n; j += size) {
        size = node_size(e, j);
        int rows = 0;
        while (rows < p->colptr[j + 1] - p->colptr[j] && p->rowind[p->colptr[j] + rows] < e->n) rows++;
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < size; k++) e->gathered[i * size + k] = values[p->colptr[j + k] + i];
        divide_node(e, j, size, "T", rows, e->gathered);
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < size; k++) values[p->colptr[j + k] + i] = e->gathered[i * size + k];
    }
}

// Rows like those of B: a -> a T inv(J), node by node; columns that a row does not have count as 0.
static void divide_rows(tmli_regular_eq *e, double *a)
{
    const tml_system *s = e->sys;
    const int c = e->colours;
    for (int r = 0; r < e->m; r++)
        for (int i = s->rowptr[r], end = i; i < s->rowptr[r + 1]; i = end) {
            const int first = e->first[s->rowcol[i]], size = node_size(e, first);
            double *x = e->gathered, *y = e->gathered + c;
            memset(x, 0, 2 * (size_t)c * sizeof *x);
            for (; end < s->rowptr[r + 1] && e->first[s->rowcol[end]] == first; end++)
                x[e->colour[s->rowcol[end]]] = a[end];
            for (int k = 0; k < size; k++)
                for (int l = 0; l < size; l++) y[k] += x[l] * e->T[(first + k) * c + l];
            divide_node(e, first, size, "T", 1, y);
            for (int k = i; k < end; k++) a[k] = y[e->colour[s->rowcol[k]]];
        }
}

// ---- matrix -----------------------------------------------------------------------------------------------

static tml_status add_motion(tmli_regular_eq *e, const double *d, tml_error *err)
{
    const tml_system *s = e->sys;
    const int32_t nnz = tmli_pattern_nnz(s->pattern);
    const tml_assembly by_d = {.ck = 1, .increment = d}, by_u = {.cm = 1, .cd = 1 / e->cj}, mass = {.cm = 1};
    tml_status st = tmli_active_assemble(s, e->work, e->x, &by_d, e->values, err);
    if (st == TML_OK) st = tmli_active_assemble(s, e->work, e->x, &by_u, e->other, err);
    if (st != TML_OK) return st;
    divide_columns(e, e->values);
    for (int32_t k = 0; k < nnz; k++)
        if (e->uu[k] >= 0) e->matrix[e->uu[k]] += e->other[k] + e->values[k] / e->cj;
    if (!e->trust) return TML_OK;
    st = tmli_active_assemble(s, e->work, e->x, &mass, e->other, err);
    for (int32_t k = 0; k < nnz; k++)
        if (e->zz[k] >= 0) e->matrix[e->zz[k]] += e->other[k];
    for (int j = 0; j < e->n; j++) e->matrix[e->uz[j]] += e->inertia[j];
    return st;
}

// True if a row acts on nothing, as an inactive one: its multiplier stays unchanged.
static bool is_empty(const tmli_regular_eq *e, int r)
{
    for (int i = e->sys->rowptr[r]; i < e->sys->rowptr[r + 1]; i++)
        if (e->rows[i] != 0) return false;
    return true;
}

static tml_status add_constraint_rows(tmli_regular_eq *e, const double *y, const double *yp, tml_error *err)
{
    const tml_system *s = e->sys;
    const double k1 = tmli_regular_rate_gain(e), cj = e->cj, v = e->row_scale;
    tml_status st = tmli_active_gamma_derivatives(s, e->work, e->x, e->by_d, e->by_u, err);
    for (int j = 0; j < e->n; j++) e->v[j] = yp[e->n + j] + k1 * y[e->n + j];
    if (st == TML_OK) st = tmli_active_rows_times(s, e->work, e->x, e->v, e->times, err);
    if (st == TML_OK) st = tmli_active_rows(s, e->work, e->x, e->rows, err);
    if (st != TML_OK) return st;
    for (int r = 0; r < e->m; r++) {
        const double positions = tmli_regular_position_gain(e, r);
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++)
            e->times[i] += positions * e->rows[i] - e->by_d[i];
    }
    divide_rows(e, e->times);
    for (int r = 0; r < e->m; r++) {
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) {
            e->matrix[e->ul[i]] += e->rows[i];
            e->matrix[e->cu[i]] += v / cj * ((cj + k1) * e->rows[i] - e->by_u[i] + e->times[i]);
            if (!e->trust) continue;
            e->matrix[e->zr[i]] -= e->rows[i] * e->e[r];
            e->matrix[e->lz[i]] += e->rows[i] * e->e[r];
        }
        if (e->trust) {
            e->matrix[e->ll[r]] -= 1;
            e->matrix[e->rr[r]] -= e->epsilon * v;
        } else if (e->kind == TMLI_REGULARIZATION_DIRECT) {
            e->matrix[e->ll[r]] -= e->epsilon * v / e->e[r];
        } else if (is_empty(e, r)) {
            e->matrix[e->ll[r]] = 1;
        }
    }
    return TML_OK;
}

void tmli_regular_use_spare(tmli_regular_eq *e)
{
    e->solver->destroy(e->lin);
    e->solver = e->spare;
    e->lin = e->lin_spare;
    e->spare = NULL;
    e->lin_spare = NULL;
}

tml_status tmli_regular_factor(tmli_regular_eq *e, double t, double cj, const double *y, const double *yp,
                               tml_error *err)
{
    const double k1 = tmli_regular_rate_gain(e), k0 = e->index == 2 ? 0 : 2 * e->gamma * e->gamma;
    e->cj = cj;
    e->row_scale = cj / (cj + k1 + k0 / cj);
    memset(e->matrix, 0, (size_t)tmli_pattern_nnz(e->pattern) * sizeof *e->matrix);
    tmli_regular_state(e, t, y, yp, e->x);
    evaluate_tangents(e, cj, y, yp);
    tml_status st = factor_chart(e, t, err);
    if (st == TML_OK) st = add_motion(e, y, err);
    if (st == TML_OK && e->m > 0) st = add_constraint_rows(e, y, yp, err);
    if (st != TML_OK) return st;
    st = e->solver->factor(e->lin, e->matrix, err);
    if (st != TML_ERR_SINGULAR || !e->spare) return st;
    tmli_log(&e->sys->env, TML_LOG_INFO, "solver %s gives up at t = %g s; using %s instead", e->solver->name,
             t, e->spare->name);
    tmli_regular_use_spare(e);
    return e->solver->factor(e->lin, e->matrix, err);
}

// Set the right-hand side of (8), (9) from that of all unknowns; the first part of x becomes inv(J) r1.
static void set_right_side(tmli_regular_eq *e, double *x)
{
    const tml_system *s = e->sys;
    const tml_pattern *p = s->pattern;
    const int n = e->n;
    memset(e->right, 0, (size_t)e->pattern->n * sizeof *e->right);
    for (int j = 0; j < n; j++) e->right[e->once[j]] = x[n + j];
    for (int j = 0; j < n; j++)  // - K T inv(J) r1: e->values has inv(J) already
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1] && p->rowind[k] < n; k++)
            e->right[e->once[p->rowind[k]]] -= e->values[k] * x[j];
    for (int r = 0; r < e->m; r++) {
        double c = x[(e->trust ? e->at_r : e->at_l) + r];
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) c -= e->times[i] * x[s->rowcol[i]];
        e->right[e->trust ? e->twice[n + r] : e->once[n + r]] = e->row_scale * c;
        if (e->trust) e->right[e->once[n + r]] = x[e->at_l + r];
    }
    for (int j = 0; j < n && e->trust; j++) e->right[e->twice[j]] = x[e->at_z + j];
}

void tmli_regular_solve(tmli_regular_eq *e, double *x)
{
    const int n = e->n;
    set_right_side(e, x);
    e->solver->solve(e->lin, e->right);
    for (int j = 0; j < n; j++) {
        x[n + j] = e->right[e->once[j]] / e->cj;
        x[j] += x[n + j];
        if (e->trust) x[e->at_z + j] = e->right[e->twice[j]];
    }
    divide_chart(e, x);
    for (int r = 0; r < e->m; r++) {
        x[e->at_l + r] = e->right[e->once[n + r]];
        if (e->trust) x[e->at_r + r] = e->right[e->twice[n + r]];
    }
}

double tmli_regular_rcond(const tmli_regular_eq *e)
{
    return e->solver->rcond ? e->solver->rcond(e->lin) : 0;
}

// Exact derivatives of systems with few degrees of freedom, all columns at once; equation numbers as in
// jacobian.c.
//
// (12) is solved in the reduced coordinates as well: with dudot = H y + g, g = U inverse(B U) c, and H'B' = 0
//   Mr y = H'F - W'c,    Mr = H'M H,   W = inverse(B U)' U' M H                                       (14)
// F and c: right-hand sides of (12), y = V+ dudot. The factorization of (4) is not needed, only three
// solutions with B U of dof right-hand sides: for H, for W and for (10).
//
// Matrices of n or m rows are stored by rows, so that products with sparse matrices operate on whole rows.
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "reduction/internal.h"

#include <string.h>

typedef struct matrices {
    double *H, *MH, *dU, *F0, *F1;  // (n x dof)
    double *C0, *C1, *W;            // (m x dof)
    double *X;                      // (rank x dof), by columns
    double *Mr;                     // (dof x dof)
} matrices;

tml_status tmli_reduction_reserve_dense(tmli_reduction *r, tml_error *err)
{
    const tml_env *env = &r->sys->env;
    const size_t n = (size_t)r->sys->n, m = (size_t)r->sys->m, dof = (size_t)r->dof;
    if (!r->derivatives || r->helper_work || !tmli_reduction_is_exact(r) ||
        (r->dense_memory && r->dof <= r->dense_capacity))
        return TML_OK;
    tmli_free_all(env, r->dense_memory, r->dense_pivot);
    r->dense_memory = tmli_calloc(env, dof * (5 * n + 4 * m + dof), sizeof *r->dense_memory);
    r->dense_pivot = tmli_calloc(env, dof, sizeof *r->dense_pivot);
    r->dense_capacity = r->dof;
    return r->dense_memory && r->dense_pivot ? TML_OK : tmli_no_memory(err, "reduction");
}

static matrices lay_out_matrices(const tmli_reduction *r)
{
    const size_t n = (size_t)r->sys->n * (size_t)r->dof, m = (size_t)r->sys->m * (size_t)r->dof;
    matrices mat = {.H = r->dense_memory};
    mat.MH = mat.H + n;
    mat.dU = mat.MH + n;
    mat.F0 = mat.dU + n;
    mat.F1 = mat.F0 + n;
    mat.C0 = mat.F1 + n;
    mat.C1 = mat.C0 + m;
    mat.W = mat.C1 + m;
    mat.X = mat.W + m;
    mat.Mr = mat.X + m;
    return mat;
}

// ---- products ---------------------------------------------------------------------------------------------

static void add_row(int dof, double a, const double *restrict x, double *restrict y)
{
    for (int k = 0; k < dof; k++) y[k] += a * x[k];
}

// out (n x dof) += factor A x, A the first n rows and columns of a matrix of the pattern
static void add_product(const tmli_reduction *r, double factor, const double *A, const double *x, double *out)
{
    const tml_pattern *p = r->sys->pattern;
    const int n = r->sys->n, dof = r->dof;
    for (int j = 0; j < n; j++)
        for (int32_t e = p->colptr[j]; e < p->colptr[j + 1] && p->rowind[e] < n; e++)
            if (A[e] != 0)
                add_row(dof, factor * A[e], x + (size_t)j * (size_t)dof,
                        out + (size_t)p->rowind[e] * (size_t)dof);
}

// out (m x dof) += B x
static void add_rows_product(const tmli_reduction *r, const double *B_values, const double *x, double *out)
{
    const tml_system *s = r->sys;
    for (int i = 0; i < s->m; i++)
        for (int e = s->rowptr[i]; e < s->rowptr[i + 1]; e++)
            if (B_values[e] != 0)
                add_row(r->dof, B_values[e], x + (size_t)s->rowcol[e] * (size_t)r->dof,
                        out + (size_t)i * (size_t)r->dof);
}

// out (dof x dof, by columns) = alpha A'B + beta out, A and B (count x dof) by rows
static void product_transposed(int dof, int count, double alpha, const double *A, const double *B,
                               double beta, double *out)
{
    // by rows A is A' by columns
    if (count > 0) tmli_dgemm("N", "T", &dof, &dof, &count, &alpha, A, &dof, B, &dof, &beta, out, &dof, 1, 1);
}

// ---- solves with B U --------------------------------------------------------------------------------------

// Y (n x dof) := U inverse(B U) C, C (m x dof), in natural units.
static void constrain(tmli_reduction *r, matrices *mat, double factor, const double *C, double *Y)
{
    const tml_system *s = r->sys;
    const tmli_pivot_choice *c = &r->choice;
    const size_t dof = (size_t)r->dof, rank = (size_t)c->rank;
    for (size_t i = 0; i < rank; i++)
        for (size_t k = 0; k < dof; k++)
            mat->X[k * rank + i] = factor * C[(size_t)c->row[i] * dof + k] / r->unit[s->n + c->row[i]];
    tmli_columns_solve_many(&r->main_work.centre_factor, false, r->dof, mat->X);
    memset(Y, 0, (size_t)s->n * dof * sizeof *Y);
    for (size_t i = 0; i < rank; i++)
        for (size_t k = 0; k < dof; k++)
            Y[(size_t)c->column[i] * dof + k] = r->unit[c->column[i]] * mat->X[k * rank + i];
    if (!r->tangent) return;
    for (size_t k = 0; k < dof; k++)  // Y -= V V+ Y
        for (size_t l = 0; l < dof; l++) {
            const double *V = r->V + l * (size_t)s->n;
            double sum = 0;
            for (int j = 0; j < s->n; j++) sum += V[j] * Y[(size_t)j * dof + k] / r->unit[j];
            for (int j = 0; j < s->n; j++) Y[(size_t)j * dof + k] -= sum * r->unit[j] * V[j];
        }
}

// H: of tangent coordinates V itself
static void make_H(tmli_reduction *r, matrices *mat)
{
    const tml_system *s = r->sys;
    const size_t dof = (size_t)r->dof;
    memset(mat->H, 0, (size_t)s->n * dof * sizeof *mat->H);
    if (r->tangent) {
        for (size_t k = 0; k < dof; k++)
            for (int j = 0; j < s->n; j++)
                mat->H[(size_t)j * dof + k] = r->unit[j] * r->V[k * (size_t)s->n + (size_t)j];
        return;
    }
    const int *column = r->choice.column + r->choice.rank;
    for (size_t k = 0; k < dof; k++) mat->H[(size_t)column[k] * dof + k] = 1;
    if (s->m == 0) return;
    memset(mat->C0, 0, (size_t)s->m * dof * sizeof *mat->C0);
    add_rows_product(r, r->B_values, mat->H, mat->C0);
    constrain(r, mat, -1, mat->C0, mat->dU);
    for (size_t i = 0; i < (size_t)s->n * dof; i++) mat->H[i] += mat->dU[i];
}

// W of (14)
static void make_W(tmli_reduction *r, matrices *mat)
{
    const tml_system *s = r->sys;
    const tmli_pivot_choice *c = &r->choice;
    const size_t dof = (size_t)r->dof, rank = (size_t)c->rank;
    for (size_t i = 0; i < rank; i++) {
        const size_t j = (size_t)c->column[i];
        for (size_t k = 0; k < dof; k++) {
            double sum = mat->MH[j * dof + k];
            for (size_t l = 0; l < dof && r->tangent; l++)  // U' = rows of 1 - V+' V', and V = H
                sum -= r->V[l * (size_t)s->n + j] / r->unit[j] * mat->Mr[k * dof + l];
            mat->X[k * rank + i] = r->unit[j] * sum;
        }
    }
    tmli_columns_solve_many(&r->main_work.centre_factor, true, r->dof, mat->X);
    memset(mat->W, 0, (size_t)s->m * dof * sizeof *mat->W);
    for (size_t i = 0; i < rank; i++)
        for (size_t k = 0; k < dof; k++)
            mat->W[(size_t)c->row[i] * dof + k] = mat->X[k * rank + i] / r->unit[s->n + c->row[i]];
}

// ---- derivatives ------------------------------------------------------------------------------------------

// Terms of the chart: column k of dU += T'[H_k] u, and chart_term (dof) := V+ (T'[H_k] udot + T''[H_k, u] u).
static void add_chart_terms(tmli_reduction *r, const tml_state *x, const matrices *mat, int k,
                            double *chart_term)
{
    tmli_thread_work *tw = &r->main_work;
    const size_t dof = (size_t)r->dof, n = (size_t)r->sys->n;
    double *h = tw->column[0], *first = tw->column[1], *second = tw->column[2], *sum = tw->column[3];
    for (size_t j = 0; j < n; j++) h[j] = mat->H[j * dof + (size_t)k];
    tmli_reduction_tangent_derivatives(r, tw, h, x->u, first, second);
    for (size_t j = 0; j < n; j++) mat->dU[j * dof + (size_t)k] += first[j];  // (11)
    tmli_reduction_tangent_derivatives(r, tw, h, x->udot, sum, first);
    for (size_t j = 0; j < n; j++) sum[j] += second[j];
    tmli_reduction_extract(r, sum, chart_term);  // of (13)
}

tml_status tmli_reduction_dense_jacobian(tmli_reduction *r, const tml_state *x, double *by_v, double *by_vd,
                                         tml_error *err)
{
    const tml_system *s = r->sys;
    const int dof = r->dof;
    const size_t d = (size_t)dof, n = (size_t)s->n, m = (size_t)s->m;
    matrices mat = lay_out_matrices(r);
    if (dof == 0) return TML_OK;
    const tml_status st = tmli_lapack_load(err);
    if (st != TML_OK) return st;
    make_H(r, &mat);
    memset(mat.MH, 0, n * d * sizeof *mat.MH);
    memset(mat.F0, 0, n * d * sizeof *mat.F0);
    memset(mat.F1, 0, n * d * sizeof *mat.F1);
    memset(mat.C0, 0, m * d * sizeof *mat.C0);
    memset(mat.C1, 0, m * d * sizeof *mat.C1);
    add_product(r, 1, r->M, mat.H, mat.MH);
    product_transposed(dof, s->n, 1, mat.H, mat.MH, 0, mat.Mr);
    if (s->m > 0) {
        make_W(r, &mat);
        add_rows_product(r, r->gamma_u, mat.H, mat.C0);
        constrain(r, &mat, 0.5, mat.C0, mat.dU);  // (10)
    } else {
        memset(mat.dU, 0, n * d * sizeof *mat.dU);
    }
    // by_v holds the terms of the chart until it is computed
    memset(by_v, 0, d * d * sizeof *by_v);
    for (int k = 0; k < dof && s->ops->tangent_rate; k++)
        add_chart_terms(r, x, &mat, k, by_v + (size_t)k * d);
    add_product(r, -1, r->D, mat.H, mat.F0);
    add_product(r, -1, r->K, mat.H, mat.F1);
    add_product(r, -1, r->D, mat.dU, mat.F1);
    add_rows_product(r, r->gamma_d, mat.H, mat.C1);
    add_rows_product(r, r->gamma_u, mat.dU, mat.C1);
    // (14); afterwards F0 is free
    product_transposed(dof, s->n, 1, mat.H, mat.F0, 0, by_vd);
    product_transposed(dof, s->m, -1, mat.W, mat.C0, 1, by_vd);
    product_transposed(dof, s->n, 1, mat.H, mat.F1, 0, mat.F0);
    product_transposed(dof, s->m, -1, mat.W, mat.C1, 1, mat.F0);
    int info, *pivot = r->dense_pivot;
    tmli_dgetrf(&dof, &dof, mat.Mr, &dof, pivot, &info);
    if (info != 0)
        return tmli_fail(err, TML_ERR_SINGULAR,
                         "accelerations are not determined at t = %g s: a massless body can move freely "
                         "('trammel check' names it)",
                         x->t);
    tmli_dgetrs("N", &dof, &dof, mat.Mr, &dof, pivot, by_vd, &dof, &info, 1);
    tmli_dgetrs("N", &dof, &dof, mat.Mr, &dof, pivot, mat.F0, &dof, &info, 1);
    for (size_t i = 0; i < d * d; i++) by_v[i] = mat.F0[i] - by_v[i];  // (13)
    return TML_OK;
}

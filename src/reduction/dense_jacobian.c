// Exact derivatives for a few degrees of freedom, all columns at once; equation numbers as in jacobian.c.
//
// (12) is solved in the reduced coordinates as well: with dudot = H y + g, g = U inverse(B U) c, and H'B' = 0
//   Mr y = H'F - W'c,    Mr = H'M H,   W = inverse(B U)' U' M H                                       (14)
// F and c: right sides of (12), y = V+ dudot. So the factorization of (4) is not needed, and what is solved
// are systems with B U of dof right sides: for H, for W and for (10).
//
// Matrices of n or m rows hold their rows one after the other, so that a sparse matrix multiplies them by
// whole rows.
#include "linalg/dense/lapack.h"
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
    if (r->helper || !tmli_reduction_is_exact(r) || (r->few && r->dof <= r->few_room)) return TML_OK;
    tmli_free(env, r->few);
    tmli_free(env, r->few_pivot);
    r->few = tmli_calloc(env, dof * (5 * n + 4 * m + dof), sizeof *r->few);
    r->few_pivot = tmli_calloc(env, dof, sizeof *r->few_pivot);
    r->few_room = r->dof;
    return r->few && r->few_pivot ? TML_OK : tmli_no_memory(err, "reduction");
}

static matrices lay_out(const tmli_reduction *r)
{
    const size_t n = (size_t)r->sys->n * (size_t)r->dof, m = (size_t)r->sys->m * (size_t)r->dof;
    matrices w = {.H = r->few};
    w.MH = w.H + n;
    w.dU = w.MH + n;
    w.F0 = w.dU + n;
    w.F1 = w.F0 + n;
    w.C0 = w.F1 + n;
    w.C1 = w.C0 + m;
    w.W = w.C1 + m;
    w.X = w.W + m;
    w.Mr = w.X + m;
    return w;
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

// out (m x dof) += rows x
static void add_rows_product(const tmli_reduction *r, const double *rows, const double *x, double *out)
{
    const tml_system *s = r->sys;
    for (int i = 0; i < s->m; i++)
        for (int e = s->rowptr[i]; e < s->rowptr[i + 1]; e++)
            if (rows[e] != 0)
                add_row(r->dof, rows[e], x + (size_t)s->rowcol[e] * (size_t)r->dof,
                        out + (size_t)i * (size_t)r->dof);
}

// out (dof x dof, by columns) = alpha A'B + beta out, A and B (count x dof) by rows
static void product_transposed(int dof, int count, double alpha, const double *A, const double *B,
                               double beta, double *out)
{
    // by rows A is A' by columns
    if (count > 0) dgemm_("N", "T", &dof, &dof, &count, &alpha, A, &dof, B, &dof, &beta, out, &dof, 1, 1);
}

// ---- solves with B U --------------------------------------------------------------------------------------

// Y (n x dof) := U inverse(B U) C, C (m x dof), in natural units.
static void constrain(tmli_reduction *r, matrices *w, double factor, const double *C, double *Y)
{
    const tml_system *s = r->sys;
    const tmli_pivot_choice *c = &r->choice;
    const size_t dof = (size_t)r->dof, rank = (size_t)c->rank;
    for (size_t i = 0; i < rank; i++)
        for (size_t k = 0; k < dof; k++)
            w->X[k * rank + i] = factor * C[(size_t)c->row[i] * dof + k] / r->unit[s->n + c->row[i]];
    tmli_columns_solve_many(&r->lane.factor, false, r->dof, w->X);
    memset(Y, 0, (size_t)s->n * dof * sizeof *Y);
    for (size_t i = 0; i < rank; i++)
        for (size_t k = 0; k < dof; k++)
            Y[(size_t)c->column[i] * dof + k] = r->unit[c->column[i]] * w->X[k * rank + i];
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
static void make_H(tmli_reduction *r, matrices *w)
{
    const tml_system *s = r->sys;
    const size_t dof = (size_t)r->dof;
    memset(w->H, 0, (size_t)s->n * dof * sizeof *w->H);
    if (r->tangent) {
        for (size_t k = 0; k < dof; k++)
            for (int j = 0; j < s->n; j++)
                w->H[(size_t)j * dof + k] = r->unit[j] * r->V[k * (size_t)s->n + (size_t)j];
        return;
    }
    const int *column = r->choice.column + r->choice.rank;
    for (size_t k = 0; k < dof; k++) w->H[(size_t)column[k] * dof + k] = 1;
    if (s->m == 0) return;
    memset(w->C0, 0, (size_t)s->m * dof * sizeof *w->C0);
    add_rows_product(r, r->rows, w->H, w->C0);
    constrain(r, w, -1, w->C0, w->dU);
    for (size_t i = 0; i < (size_t)s->n * dof; i++) w->H[i] += w->dU[i];
}

// W of (14)
static void make_W(tmli_reduction *r, matrices *w)
{
    const tml_system *s = r->sys;
    const tmli_pivot_choice *c = &r->choice;
    const size_t dof = (size_t)r->dof, rank = (size_t)c->rank;
    for (size_t i = 0; i < rank; i++) {
        const size_t j = (size_t)c->column[i];
        for (size_t k = 0; k < dof; k++) {
            double sum = w->MH[j * dof + k];
            for (size_t l = 0; l < dof && r->tangent; l++)  // U' = rows of 1 - V+' V', and V = H
                sum -= r->V[l * (size_t)s->n + j] / r->unit[j] * w->Mr[k * dof + l];
            w->X[k * rank + i] = r->unit[j] * sum;
        }
    }
    tmli_columns_solve_many(&r->lane.factor, true, r->dof, w->X);
    memset(w->W, 0, (size_t)s->m * dof * sizeof *w->W);
    for (size_t i = 0; i < rank; i++)
        for (size_t k = 0; k < dof; k++)
            w->W[(size_t)c->row[i] * dof + k] = w->X[k * rank + i] / r->unit[s->n + c->row[i]];
}

// ---- derivatives ------------------------------------------------------------------------------------------

// What the chart adds: column k of dU += T'[H_k] u, and F0 := T'[H_k] udot + T''[H_k, u] u, by columns of V+
// F0 later.
static void add_chart(tmli_reduction *r, const tml_state *x, const matrices *w, int k, double *bend)
{
    tmli_thread_work *l = &r->lane;
    const size_t dof = (size_t)r->dof, n = (size_t)r->sys->n;
    double *h = l->column[0], *first = l->column[1], *second = l->column[2], *turn = l->column[3];
    for (size_t j = 0; j < n; j++) h[j] = w->H[j * dof + (size_t)k];
    tmli_reduction_tangent_derivatives(r, l, h, x->u, first, second);
    for (size_t j = 0; j < n; j++) w->dU[j * dof + (size_t)k] += first[j];  // (11)
    tmli_reduction_tangent_derivatives(r, l, h, x->udot, turn, first);
    for (size_t j = 0; j < n; j++) turn[j] += second[j];
    tmli_reduction_extract(r, turn, bend);  // of (13)
}

tml_status tmli_reduction_dense_jacobian(tmli_reduction *r, const tml_state *x, double *by_v, double *by_vd,
                                         tml_error *err)
{
    const tml_system *s = r->sys;
    const int dof = r->dof;
    const size_t d = (size_t)dof, n = (size_t)s->n, m = (size_t)s->m;
    matrices w = lay_out(r);
    if (dof == 0) return TML_OK;
    make_H(r, &w);
    memset(w.MH, 0, n * d * sizeof *w.MH);
    memset(w.F0, 0, n * d * sizeof *w.F0);
    memset(w.F1, 0, n * d * sizeof *w.F1);
    memset(w.C0, 0, m * d * sizeof *w.C0);
    memset(w.C1, 0, m * d * sizeof *w.C1);
    add_product(r, 1, r->M, w.H, w.MH);
    product_transposed(dof, s->n, 1, w.H, w.MH, 0, w.Mr);
    if (s->m > 0) {
        make_W(r, &w);
        add_rows_product(r, r->gamma_u, w.H, w.C0);
        constrain(r, &w, 0.5, w.C0, w.dU);  // (10)
    } else {
        memset(w.dU, 0, n * d * sizeof *w.dU);
    }
    // the bending of the chart waits in by_v, which is made last
    memset(by_v, 0, d * d * sizeof *by_v);
    for (int k = 0; k < dof && s->ops->tangent_rate; k++) add_chart(r, x, &w, k, by_v + (size_t)k * d);
    add_product(r, -1, r->D, w.H, w.F0);
    add_product(r, -1, r->K, w.H, w.F1);
    add_product(r, -1, r->D, w.dU, w.F1);
    add_rows_product(r, r->gamma_d, w.H, w.C1);
    add_rows_product(r, r->gamma_u, w.dU, w.C1);
    // (14); F0 is free after it
    product_transposed(dof, s->n, 1, w.H, w.F0, 0, by_vd);
    product_transposed(dof, s->m, -1, w.W, w.C0, 1, by_vd);
    product_transposed(dof, s->n, 1, w.H, w.F1, 0, w.F0);
    product_transposed(dof, s->m, -1, w.W, w.C1, 1, w.F0);
    int info, *pivot = r->few_pivot;
    dgetrf_(&dof, &dof, w.Mr, &dof, pivot, &info);
    if (info != 0)
        return tmli_fail(
            err, TML_ERR_SINGULAR,
            "no accelerations at t = %g s: a part without mass can move freely ('trammel check' names it)",
            x->t);
    dgetrs_("N", &dof, &dof, w.Mr, &dof, pivot, by_vd, &dof, &info, 1);
    dgetrs_("N", &dof, &dof, w.Mr, &dof, pivot, w.F0, &dof, &info, 1);
    for (size_t i = 0; i < d * d; i++) by_v[i] = w.F0[i] - by_v[i];  // (13)
    return TML_OK;
}

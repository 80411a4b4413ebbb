// Condition numbers far beyond 1/eps, as those of index-3 equations without scaling.
//
// The smallest singular value that a decomposition of A gives has an absolute error of eps |A|, so that no
// condition number beyond 1/eps could be told from another. Here inv(A) is formed instead, through the
// equilibrated matrix
//   E = diag(r) A diag(c),   inv(A) = diag(c) inv(E) diag(r)                       (1)
// whose condition number is moderate where A is only badly scaled, and both norms are largest singular
// values:
//   |A|_2 |inv(A)|_2 = sigma_max(A) sigma_max(inv(A))                               (2)
// These are right to eps times the condition number of E.
#include "linalg/rank/svd.h"
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "linalg/pattern/condest.h"

#include <math.h>
#include <string.h>

static double norm_1(size_t n, const double *a);
static double norm_inf(size_t n, const double *a, double *sums);
static double largest_singular_value(int n, double *a, double *s, double *work);

tml_status tmli_svd_create(const tml_pattern *p, const tml_env *env, tmli_svd *out, tml_error *err)
{
    *out = (tmli_svd){0};
    const tml_status st = tmli_lapack_load(err);
    if (st != TML_OK) return st;
    if (p->n > TMLI_SVD_MAX)
        return tmli_fail(err, TML_ERR_ARG, "svd: %d unknowns are more than %d", (int)p->n, TMLI_SVD_MAX);
    if (env) out->env = *env;
    const size_t n = (size_t)p->n;
    if (tmli_calloc_all(env, TMLI_ARRAY(out->memory, 2 * n * n + 10 * n), TMLI_ARRAY(out->pivot, n)))
        return TML_OK;
    tmli_svd_clear(out);
    return tmli_no_memory(err, "svd");
}

void tmli_svd_clear(tmli_svd *s)
{
    const tml_env env = s->env;
    tmli_free_all(&env, s->memory, s->pivot);
    *s = (tmli_svd){0};
}

static void set_all(double x, double condition[3]) { condition[0] = condition[1] = condition[2] = x; }

// (1); false if E is singular.
static bool invert(tmli_svd *s, const tml_pattern *p, const double *values, double *a, double *inverse,
                   double *row, double *col, double *work)
{
    const int n = p->n;
    const size_t ld = (size_t)n;
    tmli_equilibrate(p, values, row, col, work);
    memset(a, 0, ld * ld * sizeof *a);
    memset(inverse, 0, ld * ld * sizeof *inverse);
    for (size_t j = 0; j < ld; j++) {
        inverse[j * ld + j] = 1;
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const size_t i = (size_t)p->rowind[k];
            a[j * ld + i] = row[i] * values[k] * col[j];
        }
    }
    int info = 0;
    tmli_dgetrf(&n, &n, a, &n, s->pivot, &info);
    if (info != 0) return false;
    tmli_dgetrs("N", &n, &n, a, &n, s->pivot, inverse, &n, &info, 1);
    for (size_t j = 0; j < ld; j++)
        for (size_t i = 0; i < ld; i++) inverse[j * ld + i] *= col[i] * row[j];
    return true;
}

void tmli_svd_conditions(tmli_svd *s, const tml_pattern *p, const double *values, double condition[3])
{
    const int n = p->n;
    const size_t ld = (size_t)n;
    double *a = s->memory, *inverse = a + ld * ld, *row = inverse + ld * ld, *col = row + ld;
    double *sigma = col + ld, *work = sigma + ld, largest;
    set_all(NAN, condition);
    if (!isfinite(tmli_matrix_norm(p, values, &largest))) return;
    set_all(INFINITY, condition);
    if (!invert(s, p, values, a, inverse, row, col, work)) return;
    memset(a, 0, ld * ld * sizeof *a);
    for (size_t j = 0; j < ld; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            a[j * ld + (size_t)p->rowind[k]] = values[k];
    condition[0] = norm_1(ld, a) * norm_1(ld, inverse);
    condition[2] = norm_inf(ld, a, work) * norm_inf(ld, inverse, work);
    condition[1] = largest_singular_value(n, a, sigma, work);  // (2); destroys a
    condition[1] *= largest_singular_value(n, inverse, sigma, work);
}

static double norm_1(size_t n, const double *a)
{
    double norm = 0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += fabs(a[j * n + i]);
        norm = fmax(norm, sum);
    }
    return norm;
}

static double norm_inf(size_t n, const double *a, double *sums)
{
    double norm = 0;
    for (size_t i = 0; i < n; i++) sums[i] = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) sums[i] += fabs(a[j * n + i]);
    for (size_t i = 0; i < n; i++) norm = fmax(norm, sums[i]);
    return norm;
}

static double largest_singular_value(int n, double *a, double *s, double *work)
{
    const int one = 1, lwork = 5 * n;
    int info = 0;
    tmli_dgesvd("N", "N", &n, &n, a, &n, s, NULL, &one, NULL, &one, work, &lwork, &info, 1, 1);
    return info == 0 ? s[0] : (double)NAN;
}

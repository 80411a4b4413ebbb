// Dense LU with partial pivoting by LAPACK: for small systems, and the reference for the others.
//
//   P A = L U                                               (1)   dgetrf, P by rows, columns keep their order
//   w_j = sum_{k<j} |l_jk u_kj|,  singular if |u_jj| <= 1e-14 w_j      (2)
// w_j is the size of the terms that were subtracted to form u_jj; a pivot below w_j times a few hundred
// round-offs holds no correct digit. (2) does not depend on the scaling of rows or columns and finds
// redundant constraints, whose last pivot is seldom an exact zero. The column j names the block.
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "linalg/pattern/condest.h"
#include "linalg/pattern/pattern.h"

#include <math.h>
#include <string.h>

#include "linalg/dense/constants.h"

typedef struct dense {
    const tml_pattern *pattern;
    tml_env env;
    double *lu;    // (n x n) column-major
    double *work;  // (4 n) of dgecon
    int *pivot;    // (n)
    int *iwork;    // (n)
    double anorm, largest;
} dense;

static tml_status dense_create(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err);
static tml_status dense_factor(void *self, const double *values, tml_error *err);
static int32_t weak_column(const dense *s);
static void dense_solve(void *self, double *x);
static void dense_solve_transposed(void *self, double *x);
static double dense_rcond(void *self);
static void dense_info(const void *self, tml_linsolver_info *out);
static void dense_destroy(void *self);
static void dense_archive(void *self, tml_archive *a);

const tml_linsolver_ops tml_linsolver_dense = {
    .name = "dense",
    .summary = "dense LU with partial pivoting (LAPACK); small systems",
    .merit = "dense, with pivoting: for small systems",
    .pivots = true,
    .create = dense_create,
    .factor = dense_factor,
    .solve = dense_solve,
    .solve_transposed = dense_solve_transposed,
    .rcond = dense_rcond,
    .info = dense_info,
    .destroy = dense_destroy,
    .archive = dense_archive,
};

static tml_status dense_create(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err)
{
    *self = NULL;
    const tml_status st = tmli_lapack_load(err);
    if (st != TML_OK) return st;
    const size_t n = (size_t)pattern->n;
    dense *s = tmli_calloc(env, 1, sizeof *s);
    if (s) {
        s->pattern = pattern;
        if (env) s->env = *env;
    }
    if (!s || !tmli_calloc_all(env, TMLI_ARRAY(s->lu, n * n), TMLI_ARRAY(s->work, 4 * n),
                               TMLI_ARRAY(s->pivot, n), TMLI_ARRAY(s->iwork, n))) {
        dense_destroy(s);
        return tmli_fail(err, TML_ERR_NOMEM, "dense solver: no memory for a matrix of %zu rows", n);
    }
    *self = s;
    return TML_OK;
}

static tml_status dense_factor(void *self, const double *values, tml_error *err)
{
    dense *s = self;
    const tml_pattern *p = s->pattern;
    const size_t ld = (size_t)p->n;
    s->anorm = tmli_matrix_norm(p, values, &s->largest);
    if (!isfinite(s->anorm))
        return tmli_fail(err, TML_ERR_NAN, "dense solver: the matrix has an entry that is not finite");
    memset(s->lu, 0, ld * ld * sizeof *s->lu);
    for (int32_t j = 0; j < p->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            s->lu[(size_t)j * ld + (size_t)p->rowind[k]] = values[k];

    const int n = p->n;
    int info = 0;
    tmli_dgetrf(&n, &n, s->lu, &n, s->pivot, &info);
    const int32_t col = info > 0 ? info - 1 : weak_column(s);
    if (col >= 0) {
        char buf[TMLI_BLOCK_NAME];
        return tmli_fail(err, TML_ERR_SINGULAR, "dense solver: the matrix is singular, no usable pivot in %s",
                         tmli_pattern_block_name(p, tmli_pattern_block_of(p, col), buf));
    }
    return TML_OK;
}

// First column whose pivot is lost in round-off by (2), or -1.
static int32_t weak_column(const dense *s)
{
    const size_t n = (size_t)s->pattern->n;
    for (size_t j = 0; j < n; j++) {
        const double *u = s->lu + j * n;
        double sum = 0;
        for (size_t k = 0; k < j; k++) sum += fabs(s->lu[k * n + j] * u[k]);
        if (!(fabs(u[j]) > LOST_PIVOT * sum)) return (int32_t)j;
    }
    return -1;
}

static void dense_solve(void *self, double *x)
{
    dense *s = self;
    const int n = s->pattern->n, one = 1;
    int info = 0;
    tmli_dgetrs("N", &n, &one, s->lu, &n, s->pivot, x, &n, &info, 1);
}

static void dense_solve_transposed(void *self, double *x)
{
    dense *s = self;
    const int n = s->pattern->n, one = 1;
    int info = 0;
    tmli_dgetrs("T", &n, &one, s->lu, &n, s->pivot, x, &n, &info, 1);
}

static double dense_rcond(void *self)
{
    dense *s = self;
    const int n = s->pattern->n;
    int info = 0;
    double rcond = 0;
    tmli_dgecon("1", &n, s->lu, &n, &s->anorm, &rcond, s->work, s->iwork, &info, 1);
    return info == 0 ? rcond : 0;
}

static void dense_info(const void *self, tml_linsolver_info *out)
{
    const dense *s = self;
    const size_t n = (size_t)s->pattern->n;
    double largest = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i <= j; i++) largest = fmax(largest, fabs(s->lu[j * n + i]));
    *out = (tml_linsolver_info){.nonzeros_factor = (long)(n * n),
                                .flops_factor = 2.0 / 3.0 * (double)n * (double)n * (double)n,
                                .growth = s->largest > 0 ? largest / s->largest : 0};
}

static void dense_destroy(void *self)
{
    dense *s = self;
    if (!s) return;
    const tml_env env = s->env;
    tmli_free_all(&env, s->lu, s->work, s->pivot, s->iwork, s);
}

static void dense_archive(void *self, tml_archive *a)
{
    dense *s = self;
    const size_t n = (size_t)s->pattern->n;
    tml_archive_doubles(a, s->lu, n * n);
    tml_archive_indices(a, s->pivot, n, 0, s->pattern->n);
    tml_archive_doubles(a, &s->anorm, 1);
    tml_archive_doubles(a, &s->largest, 1);
}

// Dense QR by LAPACK: A = Q R, x = inverse(R) Q' b. Twice the work of LU, and no growth.
#include "base/pool.h"
#include "linalg/pattern/pattern.h"

#include <math.h>
#include <string.h>

// LAPACK, called by one thread at a time, as in linalg/dense/lapack.h
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double *a,
             const int *lda, const double *tau, double *c, const int *ldc, double *work, const int *lwork,
             int *info, size_t side_length, size_t trans_length);
void dtrtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs,
             const double *a, const int *lda, double *b, const int *ldb, int *info, size_t uplo_length,
             size_t trans_length, size_t diag_length);

typedef struct qr {
    const tml_pattern *pattern;
    tml_env env;
    double *a, *tau, *work;  // (n x n) column-major, (n), (n)
} qr;

static void destroy(void *self)
{
    qr *s = self;
    if (!s) return;
    const tml_env env = s->env;
    tmli_free(&env, s->a);
    tmli_free(&env, s);
}

static tml_status create(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err)
{
    const size_t n = (size_t)pattern->n;
    qr *s = tmli_calloc(env, 1, sizeof *s);
    if (s) {
        s->pattern = pattern;
        if (env) s->env = *env;
        s->a = tmli_calloc(env, n * n + 2 * n, sizeof(double));
    }
    if (!s || !s->a) {
        destroy(s);
        return tmli_no_memory(err, "QR solver");
    }
    s->tau = s->a + n * n;
    s->work = s->tau + n;
    *self = s;
    return TML_OK;
}

static tml_status factor(void *self, const double *values, tml_error *err)
{
    qr *s = self;
    const tml_pattern *p = s->pattern;
    const size_t ld = (size_t)p->n;
    const int n = p->n;
    int info = 0;
    memset(s->a, 0, ld * ld * sizeof *s->a);
    for (int32_t j = 0; j < n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            s->a[(size_t)j * ld + (size_t)p->rowind[k]] = values[k];
    tmli_library_enter();
    dgeqrf_(&n, &n, s->a, &n, s->tau, s->work, &n, &info);
    tmli_library_leave();
    for (size_t j = 0; j < ld; j++) {
        double size = 0;  // a diagonal of R far below its column is round-off
        for (size_t i = 0; i <= j; i++) size = fmax(size, fabs(s->a[j * ld + i]));
        if (fabs(s->a[j * ld + j]) > 1e-14 * size) continue;
        char buf[TMLI_BLOCK_NAME];
        const int32_t block = tmli_pattern_block_of(p, (int32_t)j);
        return tmli_fail(err, TML_ERR_SINGULAR, "QR solver: the matrix is singular, no usable pivot in %s",
                         tmli_pattern_block_name(p, block, buf));
    }
    return TML_OK;
}

static void solve(void *self, double *x)
{
    qr *s = self;
    const int n = s->pattern->n, one = 1;
    int info = 0;
    tmli_library_enter();
    dormqr_("L", "T", &n, &one, &n, s->a, &n, s->tau, x, &n, s->work, &n, &info, 1, 1);
    dtrtrs_("U", "N", "N", &n, &one, s->a, &n, x, &n, &info, 1, 1, 1);
    tmli_library_leave();
}

const tml_linsolver_ops tml_linsolver_qr = {
    .name = "qr",
    .summary = "dense QR (LAPACK); small systems",
    .merit = "dense, orthogonal: for small systems",
    .pivots = true,
    .create = create,
    .factor = factor,
    .solve = solve,
    .destroy = destroy,
};

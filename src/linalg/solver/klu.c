// Sparse LU with partial pivoting by KLU of SuiteSparse: the safe choice for systems of medium size.
//
// T. A. Davis, E. Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010) 36. The pattern is analysed once
// (block triangular form, then AMD). The first factorization chooses pivots; later ones keep them
// (klu_refactor: no search, no allocation) as long as they stay good. They are good while the reciprocal
// pivot growth
//   g = min_j ( max_i |a_ij| / max_i |u_ij| )                            (1)
// does not fall below a fraction of what it was when the pivots were chosen. (1) costs as much as the
// factorization itself, so it is computed only if some pivot has shrunk to that fraction of its first
// value: growth comes from small pivots. Otherwise new pivots are chosen, which allocates in KLU. This is
// rare, since values change smoothly along a motion.
//
// KLU stops only at an exact zero. A matrix singular up to round-off is found from the ratio of its extreme
// pivots,
//   min |u_jj| / max |u_jj| < 1e-14                                      (2)
// (rows scaled by their largest entry). Since (2) also holds for matrices that are only badly scaled, as
// those of small steps without scaling of the equations, the condition number of the equilibrated matrix
// decides then.
#include "linalg/dense/routines.h"
#include "linalg/pattern/condest.h"
#include "linalg/pattern/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <suitesparse/klu.h>

#include "linalg/dense/constants.h"

typedef struct klu_solver {
    const tml_pattern *pattern;
    tml_env env;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;  // NULL before the first factorization
    double pivot_growth;   // (1) right after the pivots were chosen
    double *pivot;         // (n) pivots of that factorization
    double anorm;
    double *work;       // (3 n) of tmli_condest
    double *row, *col;  // (n) factors that equilibrate a suspect matrix
    int32_t *colptr;    // own copies: KLU takes pointers to non-const
    int32_t *rowind;
    double *perturbed;  // (nnz) see name_singular
    double *chosen;     // (nnz) matrix for which the pivots were chosen
    double *last;       // (nnz) matrix of the present factors
    bool refactored;    // they were computed with the pivots of an earlier matrix
} klu_solver;

_Static_assert(sizeof(int) == sizeof(int32_t), "KLU's int version is given int32_t indices");

static tml_status klu_solver_create(const tml_pattern *pattern, const tml_env *env, void **self,
                                    tml_error *err);
static tml_status klu_solver_factor(void *self, const double *values, tml_error *err);
static bool refactor(klu_solver *s, double *values);
static tml_status factor_new_pivots(klu_solver *s, double *values, tml_error *err);
static tml_status name_singular(klu_solver *s, const double *values, tml_error *err);
static tml_status check_pivots(klu_solver *s, const double *values, tml_error *err);
static int32_t null_column(klu_solver *s);
static tml_status report_singular(const klu_solver *s, int32_t col, tml_error *err);
static void klu_solver_solve(void *self, double *x);
static void solve_transposed(void *self, double *x);
static void solve_scaled(void *self, double *x);
static void solve_scaled_transposed(void *self, double *x);
static double klu_solver_rcond(void *self);
static void klu_solver_info(const void *self, tml_linsolver_info *out);
static void klu_solver_destroy(void *self);
static void klu_solver_archive(void *self, tml_archive *a);

const tml_linsolver_ops tml_linsolver_klu = {
    .name = "klu",
    .summary = "sparse LU with partial pivoting (SuiteSparse KLU)",
    .merit = "sparse, with pivoting: the matrix has no pivots that are safe in a fixed order",
    .pivots = true,
    .create = klu_solver_create,
    .factor = klu_solver_factor,
    .solve = klu_solver_solve,
    .solve_transposed = solve_transposed,
    .rcond = klu_solver_rcond,
    .info = klu_solver_info,
    .destroy = klu_solver_destroy,
    .archive = klu_solver_archive,
};

static tml_status klu_solver_create(const tml_pattern *pattern, const tml_env *env, void **self,
                                    tml_error *err)
{
    *self = NULL;
    const tml_status st = tmli_klu_load(err);
    if (st != TML_OK) return st;
    const size_t n = (size_t)pattern->n, nnz = (size_t)pattern->colptr[n];
    klu_solver *s = tmli_calloc(env, 1, sizeof *s);
    if (s) {
        s->pattern = pattern;
        if (env) s->env = *env;
        klu_defaults(&s->common);
    }
    if (!s || !tmli_calloc_all(env, TMLI_ARRAY(s->work, 3 * n), TMLI_ARRAY(s->pivot, n),
                               TMLI_ARRAY(s->row, n), TMLI_ARRAY(s->col, n), TMLI_ARRAY(s->colptr, n + 1),
                               TMLI_ARRAY(s->rowind, nnz), TMLI_ARRAY(s->perturbed, 3 * nnz))) {
        klu_solver_destroy(s);
        return tmli_fail(err, TML_ERR_NOMEM, "klu solver: no memory for %zu entries", nnz);
    }
    s->chosen = s->perturbed + nnz;
    s->last = s->chosen + nnz;
    for (size_t i = 0; i <= n; i++) s->colptr[i] = pattern->colptr[i];
    for (size_t i = 0; i < nnz; i++) s->rowind[i] = pattern->rowind[i];
    s->symbolic = klu_analyze(pattern->n, s->colptr, s->rowind, &s->common);
    if (!s->symbolic) {
        const int status = s->common.status;
        klu_solver_destroy(s);
        if (status == KLU_OUT_OF_MEMORY)
            return tmli_fail(err, TML_ERR_NOMEM, "klu solver: memory is exhausted (%zu entries)", nnz);
        return tmli_fail(err, TML_ERR_ARG, "klu solver: the pattern was refused (KLU status %d)", status);
    }
    *self = s;
    return TML_OK;
}

static tml_status klu_solver_factor(void *self, const double *values, tml_error *err)
{
    klu_solver *s = self;
    double largest = 0;
    s->anorm = tmli_matrix_norm(s->pattern, values, &largest);
    if (!isfinite(s->anorm))
        return tmli_fail(err, TML_ERR_NAN, "klu solver: the matrix has an entry that is not finite");
    double *v = (double *)(uintptr_t)values;  // KLU only reads them
    s->refactored = refactor(s, v);
    if (!s->refactored) {
        const tml_status st = factor_new_pivots(s, v, err);
        if (st != TML_OK) return st;
    }
    double *keep = s->refactored ? s->last : s->chosen;
    memcpy(keep, values, (size_t)tmli_pattern_nnz(s->pattern) * sizeof *keep);
    return check_pivots(s, values, err);
}

// Factors with the known pivots. False if there are none or they are no longer good.
static bool refactor(klu_solver *s, double *values)
{
    if (!s->numeric) return false;
    if (!klu_refactor(s->colptr, s->rowind, values, s->symbolic, s->numeric, &s->common)) return false;
    if (s->common.status != KLU_OK) return false;
    const double *pivot = s->numeric->Udiag;
    bool shrunk = false;
    for (int32_t k = 0; k < s->pattern->n; k++) shrunk |= !(fabs(pivot[k]) > KEPT_PIVOT * fabs(s->pivot[k]));
    if (!shrunk) return true;
    if (!klu_rgrowth(s->colptr, s->rowind, values, s->symbolic, s->numeric, &s->common)) return false;
    return s->common.rgrowth > KEPT_PIVOT * s->pivot_growth;
}

static tml_status factor_new_pivots(klu_solver *s, double *values, tml_error *err)
{
    klu_free_numeric(&s->numeric, &s->common);
    s->numeric = klu_factor(s->colptr, s->rowind, values, s->symbolic, &s->common);
    if (s->common.status == KLU_SINGULAR) return name_singular(s, values, err);
    if (!s->numeric)
        return tmli_fail(err, TML_ERR_NOMEM, "klu solver: no memory for the factors of %d rows",
                         (int)s->pattern->n);
    klu_rgrowth(s->colptr, s->rowind, values, s->symbolic, s->numeric, &s->common);
    s->pivot_growth = s->common.rgrowth;
    memcpy(s->pivot, s->numeric->Udiag, (size_t)s->pattern->n * sizeof *s->pivot);
    return TML_OK;
}

// An exact zero pivot. Entries changed in their last digits usually give a matrix that can be factored and is
// as singular as before; its null vector then identifies the block. If not, a column is empty or nearly so,
// and KLU names it.
static tml_status name_singular(klu_solver *s, const double *values, tml_error *err)
{
    int32_t col = s->common.singular_col;
    uint32_t random = 1;
    for (int32_t k = 0; k < tmli_pattern_nnz(s->pattern); k++) {
        random = random * 1664525u + 1013904223u;
        s->perturbed[k] = values[k] * (1 + LOST_PIVOT * (double)(random >> 24) / 256);
    }
    klu_free_numeric(&s->numeric, &s->common);
    s->numeric = klu_factor(s->colptr, s->rowind, s->perturbed, s->symbolic, &s->common);
    if (s->numeric && s->common.status == KLU_OK) {
        tmli_equilibrate(s->pattern, values, s->row, s->col, s->work);
        col = null_column(s);
    }
    klu_free_numeric(&s->numeric, &s->common);
    return report_singular(s, col, err);
}

static tml_status check_pivots(klu_solver *s, const double *values, tml_error *err)
{
    klu_rcond(s->symbolic, s->numeric, &s->common);
    if (s->common.rcond > LOST_PIVOT) return TML_OK;  // (2)
    const int32_t n = s->pattern->n;
    const double norm = tmli_equilibrate(s->pattern, values, s->row, s->col, s->work);
    if (tmli_condest(n, norm, solve_scaled, solve_scaled_transposed, s, s->work) > DBL_EPSILON) return TML_OK;
    const tml_status st = report_singular(s, null_column(s), err);
    klu_free_numeric(&s->numeric, &s->common);  // pivots of a singular matrix must not be kept
    return st;
}

// The unknown with the largest part in the null vector, found by two steps of inverse iteration. Columns of
// small pivots would tell less: KLU's order of columns decides which of several dependent ones comes last.
static int32_t null_column(klu_solver *s)
{
    const int32_t n = s->pattern->n;
    double *x = s->work;
    int32_t largest = 0;
    for (int32_t i = 0; i < n; i++)
        x[i] = 1 + 0.618 * (i % 7);  // no symmetry of a mechanism is orthogonal to it
    for (int step = 0; step < 2; step++) {
        solve_scaled(s, x);
        for (int32_t i = 0; i < n; i++)
            if (!(fabs(x[i]) <= fabs(x[largest]))) largest = i;
        const double norm = fabs(x[largest]);
        if (!isfinite(norm)) break;
        for (int32_t i = 0; i < n; i++) x[i] /= norm;
    }
    return largest;
}

static tml_status report_singular(const klu_solver *s, int32_t col, tml_error *err)
{
    char buf[TMLI_BLOCK_NAME];
    if (col < 0 || col >= s->pattern->n)
        return tmli_fail(err, TML_ERR_SINGULAR, "klu solver: the matrix is singular by its pattern");
    return tmli_fail(err, TML_ERR_SINGULAR, "klu solver: the matrix is singular, no usable pivot in %s",
                     tmli_pattern_block_name(s->pattern, tmli_pattern_block_of(s->pattern, col), buf));
}

static void klu_solver_solve(void *self, double *x)
{
    klu_solver *s = self;
    if (s->numeric) klu_solve(s->symbolic, s->numeric, s->pattern->n, 1, x, &s->common);
}

static void solve_transposed(void *self, double *x)
{
    klu_solver *s = self;
    if (s->numeric) klu_tsolve(s->symbolic, s->numeric, s->pattern->n, 1, x, &s->common);
}

// With diag(row) A diag(col) in place of A.
static void solve_scaled(void *self, double *x)
{
    klu_solver *s = self;
    for (int32_t i = 0; i < s->pattern->n; i++) x[i] /= s->row[i];
    klu_solver_solve(s, x);
    for (int32_t i = 0; i < s->pattern->n; i++) x[i] /= s->col[i];
}

static void solve_scaled_transposed(void *self, double *x)
{
    klu_solver *s = self;
    for (int32_t i = 0; i < s->pattern->n; i++) x[i] /= s->col[i];
    solve_transposed(s, x);
    for (int32_t i = 0; i < s->pattern->n; i++) x[i] /= s->row[i];
}

static double klu_solver_rcond(void *self)
{
    klu_solver *s = self;
    if (!s->numeric) return 0;
    return tmli_condest(s->pattern->n, s->anorm, klu_solver_solve, solve_transposed, s, s->work);
}

static void klu_solver_info(const void *self, tml_linsolver_info *out)
{
    const klu_solver *s = self;
    *out = (tml_linsolver_info){0};
    if (!s->numeric) return;
    klu_common common = s->common;
    klu_flops(s->symbolic, s->numeric, &common);
    out->nonzeros_factor = (long)s->numeric->lnz + s->numeric->unz + s->numeric->nzoff;
    out->flops_factor = common.flops;
    out->growth = s->pivot_growth > 0 ? 1 / s->pivot_growth : 0;  // when the pivots were chosen
}

static void klu_solver_destroy(void *self)
{
    klu_solver *s = self;
    if (!s) return;
    const tml_env env = s->env;
    klu_free_numeric(&s->numeric, &s->common);
    klu_free_symbolic(&s->symbolic, &s->common);
    tmli_free_all(&env, s->work, s->pivot, s->row, s->col, s->colptr, s->rowind, s->perturbed, s);
}

// The factors are not stored: the same pivots are chosen for the same matrix, and the last matrix is factored
// with them.
static void klu_solver_archive(void *self, tml_archive *a)
{
    klu_solver *s = self;
    const size_t nnz = (size_t)tmli_pattern_nnz(s->pattern);
    bool known = s->numeric != NULL;
    tml_archive_doubles(a, &s->anorm, 1);
    tml_archive_bools(a, &known, 1);
    if (!known) {
        if (tml_archive_reading(a)) klu_free_numeric(&s->numeric, &s->common);
        return;
    }
    tml_archive_bools(a, &s->refactored, 1);
    tml_archive_doubles(a, s->chosen, nnz);
    if (s->refactored) tml_archive_doubles(a, s->last, nnz);
    if (!tml_archive_reading(a) || tml_archive_status(a) != TML_OK) return;
    const bool factored =
        factor_new_pivots(s, s->chosen, NULL) == TML_OK &&
        (!s->refactored || klu_refactor(s->colptr, s->rowind, s->last, s->symbolic, s->numeric, &s->common));
    if (!factored)
        tml_archive_fail(a, TML_ERR_IO, "the saved simulation is damaged: a matrix cannot be factored");
}

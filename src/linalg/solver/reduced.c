// The solver `reduced`: Cholesky through the multipliers' Schur complement in joint order where the matrix
// allows it (schur.h), otherwise block LU.
//
// The values decide at each factorization: they must be symmetric with uncoupled bodies, and definite
// enough. Couplings between bodies (augmentation, springs in an iteration matrix) would make the Schur
// complement full along chains, so such matrices are factored in an order of least fill; so are those whose
// topology does not suit (a body with very many joints). A factorization that meets a small pivot is
// repeated by block LU, which decides whether the matrix is singular and names the block.
#include "linalg/block/block_lu.h"
#include "linalg/pattern/condest.h"
#include "linalg/topology/schur.h"

#include "linalg/solver/constants.h"

typedef struct reduced {
    tml_env env;
    tmli_saddle saddle;
    tmli_schur schur;
    tmli_blocklu lu;
    double anorm;   // 0: not known
    bool by_schur;  // the last factorization
} reduced;

static tml_status reduced_create(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err);
static tml_status reduced_factor(void *self, const double *values, tml_error *err);
static tml_status reduced_factor_symmetric(void *self, const double *values, tml_error *err);
static void reduced_solve(void *self, double *x);
static void reduced_solve_transposed(void *self, double *x);
static double reduced_rcond(void *self);
static void reduced_info(const void *self, tml_linsolver_info *out);
static void reduced_destroy(void *self);
static void reduced_archive(void *self, tml_archive *a);

const tml_linsolver_ops tml_linsolver_reduced = {
    .name = "reduced",
    .summary = "Cholesky of the multipliers' Schur complement in joint order; accelerations of chains",
    .merit = "factors the Schur complement of the multipliers in joint order",
    .create = reduced_create,
    .factor = reduced_factor,
    .factor_symmetric = reduced_factor_symmetric,
    .solve = reduced_solve,
    .solve_transposed = reduced_solve_transposed,
    .rcond = reduced_rcond,
    .info = reduced_info,
    .destroy = reduced_destroy,
    .archive = reduced_archive,
};

static tml_status reduced_create(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err)
{
    *self = NULL;
    reduced *s = tmli_calloc(env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, "reduced solver");
    if (env) s->env = *env;
    tml_status st = tmli_saddle_init(&s->saddle, pattern, env, err);
    if (st == TML_OK) st = tmli_blocklu_init(&s->lu, pattern, "reduced solver", env, err);
    if (st == TML_OK) st = tmli_schur_init(&s->schur, &s->saddle, WORK_RATIO * s->lu.sym.cost, env, err);
    if (st != TML_OK) reduced_destroy(s);
    else *self = s;
    return st;
}

static tml_status reduced_factor(void *self, const double *values, tml_error *err)
{
    reduced *s = self;
    double largest;
    s->by_schur = tmli_saddle_read(&s->saddle, values, false) && tmli_schur_factor(&s->schur, values);
    if (!s->by_schur) return tmli_blocklu_factor(&s->lu, values, err);
    s->anorm = tmli_matrix_norm(s->lu.pattern, values, &largest);
    return TML_OK;
}

static tml_status reduced_factor_symmetric(void *self, const double *values, tml_error *err)
{
    reduced *s = self;
    s->by_schur = tmli_saddle_read(&s->saddle, values, true) && tmli_schur_factor(&s->schur, values);
    s->anorm = 0;
    return s->by_schur ? TML_OK : tmli_blocklu_factor(&s->lu, values, err);
}

static void reduced_solve(void *self, double *x)
{
    reduced *s = self;
    if (s->by_schur) tmli_schur_solve(&s->schur, x);
    else tmli_blocklu_solve(&s->lu, x);
}

static void reduced_solve_transposed(void *self, double *x)
{
    reduced *s = self;
    if (s->by_schur) tmli_schur_solve(&s->schur, x);
    else tmli_blocklu_solve_transposed(&s->lu, x);
}

static double reduced_rcond(void *self)
{
    reduced *s = self;
    if (!s->by_schur) return tmli_blocklu_rcond(&s->lu);
    return tmli_condest(s->lu.pattern->n, s->anorm, reduced_solve, reduced_solve, s, s->lu.work);
}

static void reduced_info(const void *self, tml_linsolver_info *out)
{
    const reduced *s = self;
    if (s->by_schur)
        *out =
            (tml_linsolver_info){.nonzeros_factor = (long)s->schur.nonzeros, .flops_factor = s->schur.flops};
    else tmli_blocklu_info(&s->lu, out);
}

static void reduced_destroy(void *self)
{
    reduced *s = self;
    if (!s) return;
    const tml_env env = s->env;
    tmli_blocklu_clear(&s->lu);
    tmli_schur_clear(&s->schur);
    tmli_saddle_clear(&s->saddle);
    tmli_free(&env, s);
}

static void reduced_archive(void *self, tml_archive *a)
{
    reduced *s = self;
    tml_archive_doubles(a, &s->anorm, 1);
    tml_archive_bools(a, &s->by_schur, 1);
    if (!s->by_schur) {
        tmli_blocklu_archive(&s->lu, a);
        return;
    }
    tmli_saddle_archive(&s->saddle, s->lu.pattern->n, a);
    tmli_schur_archive(&s->schur, a);
}

// The solvers that follow the topology where the matrix allows it, otherwise block LU: `reduced`, Cholesky
// through the multipliers' Schur complement in joint order (schur.h), and `tree`, elimination in joint
// coordinates along a spanning tree (articulated.h).
//
// The values decide at each factorization: they must be symmetric with uncoupled bodies, and definite
// enough. Couplings between bodies (augmentation, springs in an iteration matrix) would make the Schur
// complement full along chains, so such matrices are factored in an order of least fill; so are those whose
// topology does not suit (a body with very many joints). For `tree` they leave no leaf that could be
// eliminated by itself; block LU follows the same tree as far as the couplings allow. A factorization that
// meets a small pivot is repeated by block LU, which decides whether the matrix is singular and names the
// block.
#include "linalg/block/block_lu.h"
#include "linalg/pattern/condest.h"
#include "linalg/topology/articulated.h"
#include "linalg/topology/schur.h"

#include "linalg/solver/constants.h"

typedef struct topological {
    tml_env env;
    tmli_saddle saddle;
    bool along_tree;  // `tree`, else `reduced`
    union {
        tmli_articulated articulated;
        tmli_schur schur;
    };
    tmli_blocklu lu;
    double anorm;  // 0: not known
    bool follows;  // the last factorization did
} topological;

static void destroy(void *self)
{
    topological *s = self;
    if (!s) return;
    const tml_env env = s->env;
    tmli_blocklu_clear(&s->lu);
    if (s->along_tree) tmli_articulated_clear(&s->articulated);
    else tmli_schur_clear(&s->schur);
    tmli_saddle_clear(&s->saddle);
    tmli_free(&env, s);
}

static tml_status create(bool along_tree, const tml_pattern *pattern, const tml_env *env, void **self,
                         tml_error *err)
{
    const char *name = along_tree ? "tree solver" : "reduced solver";
    *self = NULL;
    topological *s = tmli_calloc(env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, name);
    if (env) s->env = *env;
    s->along_tree = along_tree;
    tml_status st = tmli_saddle_init(&s->saddle, pattern, env, err);
    if (st == TML_OK) st = tmli_blocklu_init(&s->lu, pattern, name, env, err);
    const double most = WORK_RATIO * s->lu.sym.cost;
    if (st == TML_OK && along_tree)
        st = tmli_articulated_init(&s->articulated, &s->saddle, most,
                                   (size_t)(MEMORY_RATIO * (double)s->lu.sym.factor_size), env, err);
    else if (st == TML_OK) st = tmli_schur_init(&s->schur, &s->saddle, most, env, err);
    if (st != TML_OK) destroy(s);
    else *self = s;
    return st;
}

static tml_status create_tree(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err)
{
    return create(true, pattern, env, self, err);
}

static tml_status create_reduced(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err)
{
    return create(false, pattern, env, self, err);
}

// known: the matrix is symmetric with uncoupled bodies
static bool follow(topological *s, const double *values, bool known)
{
    s->follows = tmli_saddle_read(&s->saddle, values, known) &&
                 (s->along_tree ? tmli_articulated_factor(&s->articulated, values)
                                : tmli_schur_factor(&s->schur, values));
    return s->follows;
}

static tml_status factor(void *self, const double *values, tml_error *err)
{
    topological *s = self;
    double largest;
    if (!follow(s, values, false)) return tmli_blocklu_factor(&s->lu, values, err);
    s->anorm = tmli_matrix_norm(s->lu.pattern, values, &largest);
    return TML_OK;
}

static tml_status factor_symmetric(void *self, const double *values, tml_error *err)
{
    topological *s = self;
    s->anorm = 0;
    return follow(s, values, true) ? TML_OK : tmli_blocklu_factor(&s->lu, values, err);
}

static void solve(void *self, double *x)
{
    topological *s = self;
    if (!s->follows) tmli_blocklu_solve(&s->lu, x);
    else if (s->along_tree) tmli_articulated_solve(&s->articulated, x);
    else tmli_schur_solve(&s->schur, x);
}

static void solve_transposed(void *self, double *x)
{
    topological *s = self;
    if (s->follows) solve(s, x);
    else tmli_blocklu_solve_transposed(&s->lu, x);
}

static double rcond(void *self)
{
    topological *s = self;
    if (!s->follows) return tmli_blocklu_rcond(&s->lu);
    return tmli_condest(s->lu.pattern->n, s->anorm, solve, solve, s, s->lu.work);
}

static void info(const void *self, tml_linsolver_info *out)
{
    const topological *s = self;
    if (!s->follows) tmli_blocklu_info(&s->lu, out);
    else if (s->along_tree)
        *out = (tml_linsolver_info){.nonzeros_factor = (long)s->articulated.nonzeros,
                                    .flops_factor = s->articulated.flops};
    else
        *out =
            (tml_linsolver_info){.nonzeros_factor = (long)s->schur.nonzeros, .flops_factor = s->schur.flops};
}

static tml_status set_threads(void *self, int threads, tml_error *err)
{
    return tmli_articulated_set_threads(&((topological *)self)->articulated, threads, err);
}

static void archive(void *self, tml_archive *a)
{
    topological *s = self;
    tml_archive_doubles(a, &s->anorm, 1);
    tml_archive_bools(a, &s->follows, 1);
    if (!s->follows) {
        tmli_blocklu_archive(&s->lu, a);
        return;
    }
    tmli_saddle_archive(&s->saddle, s->lu.pattern->n, a);
    if (s->along_tree) tmli_articulated_archive(&s->articulated, a);
    else tmli_schur_archive(&s->schur, a);
}

#define SHARED                                                                              \
    .factor = factor, .factor_symmetric = factor_symmetric, .solve = solve,                 \
    .solve_transposed = solve_transposed, .rcond = rcond, .info = info, .destroy = destroy, \
    .archive = archive

const tml_linsolver_ops tml_linsolver_tree = {
    .name = "tree",
    .summary = "joint coordinates along a spanning tree, loops cut; accelerations",
    .merit = "follows the tree of joints: no fill-in",
    .create = create_tree,
    .set_threads = set_threads,
    SHARED,
};

const tml_linsolver_ops tml_linsolver_reduced = {
    .name = "reduced",
    .summary = "Cholesky of the multipliers' Schur complement in joint order; accelerations of chains",
    .merit = "factors the Schur complement of the multipliers in joint order",
    .create = create_reduced,
    SHARED,
};

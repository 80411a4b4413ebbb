// The solver `tree`: elimination in joint coordinates along a spanning tree where the matrix allows it
// (articulated.h), otherwise block LU.
//
// As in reduced.c the values decide at each factorization. A matrix with couplings between bodies has no leaf
// that could be eliminated by itself; block LU follows the same tree as far as the couplings allow.
#include "linalg/block/block_lu.h"
#include "linalg/pattern/condest.h"
#include "linalg/topology/articulated.h"

#include "linalg/solver/constants.h"

typedef struct tree {
    tml_env env;
    tmli_saddle saddle;
    tmli_articulated articulated;
    tmli_blocklu lu;
    double anorm;  // 0: not known
    bool by_tree;  // the last factorization
} tree;

static tml_status tree_create(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err);
static tml_status tree_factor(void *self, const double *values, tml_error *err);
static tml_status tree_factor_symmetric(void *self, const double *values, tml_error *err);
static void tree_solve(void *self, double *x);
static void tree_solve_transposed(void *self, double *x);
static double tree_rcond(void *self);
static void tree_info(const void *self, tml_linsolver_info *out);
static void tree_destroy(void *self);
static void tree_archive(void *self, tml_archive *a);
static tml_status tree_set_threads(void *self, int threads, tml_error *err);

const tml_linsolver_ops tml_linsolver_tree = {
    .name = "tree",
    .summary = "joint coordinates along a spanning tree, loops cut; accelerations",
    .merit = "follows the tree of joints: no fill-in",
    .create = tree_create,
    .factor = tree_factor,
    .factor_symmetric = tree_factor_symmetric,
    .solve = tree_solve,
    .solve_transposed = tree_solve_transposed,
    .rcond = tree_rcond,
    .info = tree_info,
    .destroy = tree_destroy,
    .archive = tree_archive,
    .set_threads = tree_set_threads,
};

static tml_status tree_create(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err)
{
    *self = NULL;
    tree *s = tmli_calloc(env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, "tree solver");
    if (env) s->env = *env;
    tml_status st = tmli_saddle_init(&s->saddle, pattern, env, err);
    if (st == TML_OK) st = tmli_blocklu_init(&s->lu, pattern, "tree solver", env, err);
    if (st == TML_OK)
        st = tmli_articulated_init(&s->articulated, &s->saddle, WORK_RATIO * s->lu.sym.cost,
                                   (size_t)(MEMORY_RATIO * (double)s->lu.sym.factor_size), env, err);
    if (st != TML_OK) tree_destroy(s);
    else *self = s;
    return st;
}

static tml_status tree_factor(void *self, const double *values, tml_error *err)
{
    tree *s = self;
    double largest;
    s->by_tree =
        tmli_saddle_read(&s->saddle, values, false) && tmli_articulated_factor(&s->articulated, values);
    if (!s->by_tree) return tmli_blocklu_factor(&s->lu, values, err);
    s->anorm = tmli_matrix_norm(s->lu.pattern, values, &largest);
    return TML_OK;
}

static tml_status tree_factor_symmetric(void *self, const double *values, tml_error *err)
{
    tree *s = self;
    s->by_tree =
        tmli_saddle_read(&s->saddle, values, true) && tmli_articulated_factor(&s->articulated, values);
    s->anorm = 0;
    return s->by_tree ? TML_OK : tmli_blocklu_factor(&s->lu, values, err);
}

static void tree_solve(void *self, double *x)
{
    tree *s = self;
    if (s->by_tree) tmli_articulated_solve(&s->articulated, x);
    else tmli_blocklu_solve(&s->lu, x);
}

static void tree_solve_transposed(void *self, double *x)
{
    tree *s = self;
    if (s->by_tree) tmli_articulated_solve(&s->articulated, x);
    else tmli_blocklu_solve_transposed(&s->lu, x);
}

static double tree_rcond(void *self)
{
    tree *s = self;
    if (!s->by_tree) return tmli_blocklu_rcond(&s->lu);
    return tmli_condest(s->lu.pattern->n, s->anorm, tree_solve, tree_solve, s, s->lu.work);
}

static void tree_info(const void *self, tml_linsolver_info *out)
{
    const tree *s = self;
    if (s->by_tree)
        *out = (tml_linsolver_info){.nonzeros_factor = (long)s->articulated.nonzeros,
                                    .flops_factor = s->articulated.flops};
    else tmli_blocklu_info(&s->lu, out);
}

static void tree_destroy(void *self)
{
    tree *s = self;
    if (!s) return;
    const tml_env env = s->env;
    tmli_blocklu_clear(&s->lu);
    tmli_articulated_clear(&s->articulated);
    tmli_saddle_clear(&s->saddle);
    tmli_free(&env, s);
}

static tml_status tree_set_threads(void *self, int threads, tml_error *err)
{
    tree *s = self;
    return tmli_articulated_set_threads(&s->articulated, threads, err);
}

static void tree_archive(void *self, tml_archive *a)
{
    tree *s = self;
    tml_archive_doubles(a, &s->anorm, 1);
    tml_archive_bools(a, &s->by_tree, 1);
    if (!s->by_tree) {
        tmli_blocklu_archive(&s->lu, a);
        return;
    }
    tmli_saddle_archive(&s->saddle, s->lu.pattern->n, a);
    tmli_articulated_archive(&s->articulated, a);
}

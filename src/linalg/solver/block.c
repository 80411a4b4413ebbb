// The solver `block`: block LU, the fast solver of constrained systems in general; see block_lu.h.
#include "linalg/block/block_lu.h"

static tml_status block_create(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err);
static tml_status block_factor(void *self, const double *values, tml_error *err);
static double block_rcond(void *self);
static void block_info(const void *self, tml_linsolver_info *out);
static void block_destroy(void *self);

const tml_linsolver_ops tml_linsolver_block = {
    .name = "block",
    .summary = "block LU on the graph of bodies and joints, no pivoting between blocks; fast",
    .merit = "eliminates by bodies and joints without pivoting between them, which scaling and augmentation "
             "make sound",
    .accelerations = &tml_linsolver_tree,
    .create = block_create,
    .factor = block_factor,
    .solve = tmli_blocklu_solve,
    .solve_transposed = tmli_blocklu_solve_transposed,
    .rcond = block_rcond,
    .info = block_info,
    .destroy = block_destroy,
    .archive = tmli_blocklu_archive,
};

static tml_status block_create(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err)
{
    *self = NULL;
    tmli_blocklu *s = tmli_calloc(env, 1, sizeof *s);
    if (!s) return tmli_fail(err, TML_ERR_NOMEM, "block solver: no memory for %d rows", (int)pattern->n);
    const tml_status st = tmli_blocklu_init(s, pattern, "block solver", env, err);
    if (st != TML_OK) block_destroy(s);
    else *self = s;
    return st;
}

static tml_status block_factor(void *self, const double *values, tml_error *err)
{
    return tmli_blocklu_factor(self, values, err);
}

static double block_rcond(void *self) { return tmli_blocklu_rcond(self); }

static void block_info(const void *self, tml_linsolver_info *out) { tmli_blocklu_info(self, out); }

static void block_destroy(void *self)
{
    tmli_blocklu *s = self;
    if (!s) return;
    const tml_env env = s->env;
    tmli_blocklu_clear(s);
    tmli_free(&env, s);
}

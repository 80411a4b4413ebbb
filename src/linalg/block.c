// LU on the graph of blocks, without pivoting between blocks: the fast solver of constrained systems.
//
// The fronts of symbolic.h are factored in their order. Each gathers the entries of the matrix that belong to
// it and the updates its children left on a stack (the multifrontal method), factors its pivots by front.c,
// keeps L and U, and leaves its own update. All memory lies in the order of use; the schedule was computed
// once. A chain of n links costs O(n).
//
// Rows are exchanged only within a block (in fronts large enough for BLAS: among the front's pivots), so the
// result rests on the order: coordinate blocks are definite or made so by augmentation, and a multiplier block comes after blocks that give it rank
// (Bauchau, Epple, Bottasso, J. Comput. Nonlinear Dyn. 4 (2009), section 7). The factorization watches its
// pivots and gives up with the name of the block rather than returning a worthless solution.
#include "linalg/condest.h"
#include "linalg/front.h"
#include "linalg/pattern.h"

#include <math.h>
#include <string.h>

typedef struct block_solver {
    const tml_pattern *pattern;
    tml_env env;
    tmli_symbolic sym;
    double *factors;     // (sym.factor_size)
    double *stack;       // (sym.stack_size) updates
    double *F;           // (sym.front_size)
    double *history;     // (n) see front.c (4), order of elimination
    int32_t *pivot_end;  // (n) where the block of a pivot ends, order of elimination
    double *y;           // (n) solution in the order of elimination
    double *t;           // (sym.ld)
    double *work;        // (3 n) of tmli_condest
    int32_t *row;        // (n) exchanged rows, by front
    int *ipiv;           // (sym.ld)
    double anorm, largest;
    bool good;  // there are factors
} block_solver;

static tml_status block_create(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err);
static tml_status block_factor(void *self, const double *values, tml_error *err);
static void assemble(const block_solver *s, const tmli_front *f, const double *values);
static void add_update(const block_solver *s, const tmli_front *f, const tmli_front *child);
static tml_status give_up(const block_solver *s, int32_t unknown, tml_error *err);
static void block_solve(void *self, double *x);
static void block_solve_transposed(void *self, double *x);
static double block_rcond(void *self);
static void block_info(const void *self, tml_linsolver_info *out);
static void block_destroy(void *self);

const tml_linsolver_ops tml_linsolver_block = {
    .name = "block",
    .summary = "block LU on the graph of bodies and joints, no pivoting between blocks; fast",
    .create = block_create,
    .factor = block_factor,
    .solve = block_solve,
    .solve_transposed = block_solve_transposed,
    .rcond = block_rcond,
    .info = block_info,
    .destroy = block_destroy,
};

static void mark_blocks(block_solver *s);

static tml_status block_create(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err)
{
    *self = NULL;
    const size_t n = (size_t)pattern->n;
    block_solver *s = tmli_calloc(env, 1, sizeof *s);
    if (!s) return tmli_fail(err, TML_ERR_NOMEM, "block solver: no memory for %zu rows", n);
    s->pattern = pattern;
    if (env) s->env = *env;
    tml_status st = tmli_symbolic_init(&s->sym, pattern, env, err);
    if (st == TML_OK) {
        s->factors = tmli_calloc(env, s->sym.factor_size, sizeof(double));
        s->stack = tmli_calloc(env, s->sym.stack_size, sizeof(double));
        s->F = tmli_calloc(env, s->sym.front_size, sizeof(double));
        s->history = tmli_calloc(env, n, sizeof(double));
        s->pivot_end = tmli_calloc(env, n, sizeof(int32_t));
        s->y = tmli_calloc(env, n, sizeof(double));
        s->t = tmli_calloc(env, (size_t)s->sym.ld, sizeof(double));
        s->work = tmli_calloc(env, 3 * n, sizeof(double));
        s->row = tmli_calloc(env, n, sizeof *s->row);
        s->ipiv = tmli_calloc(env, (size_t)s->sym.ld, sizeof *s->ipiv);
        if (!s->factors || !s->stack || !s->F || !s->history || !s->pivot_end || !s->y || !s->t || !s->work ||
            !s->row || !s->ipiv)
            st = tmli_fail(err, TML_ERR_NOMEM, "block solver: no memory for factors of %zu numbers",
                           s->sym.factor_size);
    }
    if (st != TML_OK) {
        block_destroy(s);
        return st;
    }
    mark_blocks(s);
    *self = s;
    return TML_OK;
}

// A block's unknowns are neighbours in the order of elimination.
static void mark_blocks(block_solver *s)
{
    for (int32_t i = s->sym.n - 1; i >= 0; i--) {
        const int32_t here = tmli_pattern_block_of(s->pattern, s->sym.unknown[i]);
        const bool last = i + 1 == s->sym.n || tmli_pattern_block_of(s->pattern, s->sym.unknown[i + 1]) != here;
        s->pivot_end[i] = last ? i + 1 : s->pivot_end[i + 1];
    }
}

static tml_status block_factor(void *self, const double *values, tml_error *err)
{
    block_solver *s = self;
    const tmli_symbolic *sym = &s->sym;
    s->good = false;
    s->anorm = tmli_matrix_norm(s->pattern, values, &s->largest);
    if (!isfinite(s->anorm))
        return tmli_fail(err, TML_ERR_NAN, "block solver: the matrix has an entry that is not finite");
    memset(s->history, 0, (size_t)sym->n * sizeof *s->history);
    for (int32_t i = 0; i < sym->nfronts; i++) {
        const tmli_front *f = &sym->front[i];
        const tmli_front_work w = {.F = s->F,
                                   .L = s->factors + f->L,
                                   .U = s->factors + f->U,
                                   .d = s->factors + f->d,
                                   .update = s->stack + f->stack,
                                   .row = s->row + f->first,
                                   .history = s->history + f->first,
                                   .pivot_end = s->pivot_end + f->first,
                                   .ipiv = s->ipiv};
        assemble(s, f, values);
        const int32_t weak = tmli_front_factor(f, &w);
        if (weak >= 0) return give_up(s, f->first + weak, err);
        tmli_front_history(f, sym->run, w.L, w.U, s->history);
    }
    s->good = true;
    return TML_OK;
}

static void assemble(const block_solver *s, const tmli_front *f, const double *values)
{
    const tmli_symbolic *sym = &s->sym;
    double *F = s->F;
    memset(F, 0, (size_t)f->ld * ((size_t)f->nk + (size_t)f->r) * sizeof *F);
    for (int32_t k = f->entry; k < f->entry_end; k++) F[sym->target[k]] = values[sym->source[k]];
    for (int32_t k = f->child; k < f->child_end; k++) add_update(s, f, &sym->front[sym->child[k]]);
}

static void add_update(const block_solver *s, const tmli_front *f, const tmli_front *child)
{
    const tmli_run *run = s->sym.run, *end = run + child->run_end;
    const int32_t pad = f->nkp - f->nk;
    for (const tmli_run *c = run + child->run; c < end; c++) {
        for (int32_t j = 0; j < c->length; j++) {
            const double *from = s->stack + child->stack + (size_t)(c->from + j) * (size_t)child->rp;
            double *to = s->F + (size_t)(c->at + j) * (size_t)f->ld;
            for (const tmli_run *r = run + child->run; r < end; r++) {
                const double *a = from + r->from;
                double *b = to + (r->at < f->nk ? r->at : r->at + pad);
                for (int32_t i = 0; i < r->length; i++) b[i] += a[i];
            }
        }
    }
}

static tml_status give_up(const block_solver *s, int32_t unknown, tml_error *err)
{
    const tml_pattern *p = s->pattern;
    const int32_t block = tmli_pattern_block_of(p, s->sym.unknown[unknown]);
    char buf[TMLI_BLOCK_NAME];
    return tmli_fail(
        err, TML_ERR_SINGULAR,
        "block solver: no usable pivot in %s; %s, or the block solver needs augmentation: switch "
        "augmentation on, or try solver klu",
        tmli_pattern_block_name(p, block, buf),
        p->multiplier[block] ? "its constraints may be redundant"
                             : "it may have a motion without mass, stiffness and constraint");
}

static void block_solve(void *self, double *x)
{
    block_solver *s = self;
    const tmli_symbolic *sym = &s->sym;
    if (!s->good) return;
    for (int32_t i = 0; i < sym->n; i++) s->y[i] = x[sym->unknown[i]];
    for (int32_t i = 0; i < sym->nfronts; i++) {
        const tmli_front *f = &sym->front[i];
        tmli_front_forward(f, sym->run, s->factors + f->L, s->row + f->first, s->t, s->y);
    }
    for (int32_t i = sym->nfronts - 1; i >= 0; i--) {
        const tmli_front *f = &sym->front[i];
        tmli_front_backward(f, sym->run, s->factors + f->U, s->factors + f->d, s->t, s->y);
    }
    for (int32_t i = 0; i < sym->n; i++) x[sym->unknown[i]] = s->y[i];
}

static void block_solve_transposed(void *self, double *x)
{
    block_solver *s = self;
    const tmli_symbolic *sym = &s->sym;
    if (!s->good) return;
    for (int32_t i = 0; i < sym->n; i++) s->y[i] = x[sym->unknown[i]];
    for (int32_t i = 0; i < sym->nfronts; i++) {
        const tmli_front *f = &sym->front[i];
        tmli_front_forward_transposed(f, sym->run, s->factors + f->U, s->factors + f->d, s->t, s->y);
    }
    for (int32_t i = sym->nfronts - 1; i >= 0; i--) {
        const tmli_front *f = &sym->front[i];
        tmli_front_backward_transposed(f, sym->run, s->factors + f->L, s->row + f->first, s->t, s->y);
    }
    for (int32_t i = 0; i < sym->n; i++) x[sym->unknown[i]] = s->y[i];
}

static double block_rcond(void *self)
{
    block_solver *s = self;
    if (!s->good) return 0;
    return tmli_condest(s->pattern->n, s->anorm, block_solve, block_solve_transposed, s, s->work);
}

static void block_info(const void *self, tml_linsolver_info *out)
{
    const block_solver *s = self;
    *out = (tml_linsolver_info){.nonzeros_factor = (long)s->sym.nonzeros, .flops_factor = s->sym.flops};
    if (!s->good) return;
    double largest = 0;
    for (int32_t i = 0; i < s->sym.nfronts; i++) {
        const tmli_front *f = &s->sym.front[i];
        const size_t count = (size_t)f->nkp * ((size_t)f->nk + (size_t)f->r);
        for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(s->factors[f->U + k]));
        for (int32_t k = 0; k < f->nk; k++) largest = fmax(largest, fabs(1 / s->factors[f->d + (size_t)k]));
    }
    out->growth = s->largest > 0 ? largest / s->largest : 0;
}

static void block_destroy(void *self)
{
    block_solver *s = self;
    if (!s) return;
    const tml_env env = s->env;
    tmli_symbolic_clear(&s->sym);
    void *const arrays[] = {s->factors, s->stack, s->F,    s->history, s->pivot_end,
                            s->y,       s->t,     s->work, s->row,     s->ipiv};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tmli_free(&env, arrays[i]);
    tmli_free(&env, s);
}

// Factorization and solves over the fronts of a schedule; see block_lu.h.
#include "linalg/block/block_lu.h"

#include "linalg/dense/routines.h"
#include "linalg/dense/simd.h"
#include "linalg/dense/small.h"
#include "linalg/pattern/condest.h"
#include "linalg/pattern/pattern.h"

#include <math.h>
#include <string.h>

static void mark_blocks(tmli_blocklu *s);
static void assemble(const tmli_blocklu *s, const tmli_front *f, const double *values);
static void add_update(const tmli_blocklu *s, const tmli_front *f, const tmli_front *child);
static void add_history(const tmli_front *f, const tmli_index_run *run, const double *terms, double *history);

tml_status tmli_blocklu_init(tmli_blocklu *s, const tml_pattern *pattern, const char *who, const tml_env *env,
                             tml_error *err)
{
    const size_t n = (size_t)pattern->n;
    s->pattern = pattern;
    s->who = who;
    for (int i = 0; tmli_front_kernels_of(i); i++) s->kernels = tmli_front_kernels_of(i);
    if (env) s->env = *env;
    tml_status st = tmli_symbolic_init(&s->sym, pattern, env, err);
    for (int32_t i = 0; i < s->sym.nfronts && st == TML_OK; i++)
        if (tmli_front_needs_lapack(&s->sym.front[i])) st = tmli_lapack_load(err);
    if (st != TML_OK) return st;
    if (!tmli_calloc_all(env, TMLI_ARRAY(s->factors, s->sym.factor_size),
                         TMLI_ARRAY(s->stack, s->sym.stack_size), TMLI_ARRAY(s->F, s->sym.front_size),
                         TMLI_ARRAY(s->history, n), TMLI_ARRAY(s->pivot_end, n), TMLI_ARRAY(s->y, n),
                         TMLI_ARRAY(s->t, (size_t)s->sym.ld), TMLI_ARRAY(s->work, 3 * n),
                         TMLI_ARRAY(s->row, n), TMLI_ARRAY(s->ipiv, (size_t)s->sym.ld)))
        return tmli_fail(err, TML_ERR_NOMEM, "%s: no memory for factors of %zu numbers", who,
                         s->sym.factor_size);
    mark_blocks(s);
    return s->sym.free ? tmli_shifted_init(s, err) : TML_OK;
}

void tmli_blocklu_clear(tmli_blocklu *s)
{
    const tml_env env = s->env;
    tmli_symbolic_clear(&s->sym);
    tmli_free_all(&env, s->factors, s->stack, s->F, s->history, s->pivot_end, s->y, s->t, s->work, s->row,
                  s->ipiv, s->shifted, s->shift, s->b, s->error);
    *s = (tmli_blocklu){0};
}

// A block's unknowns are neighbours in the order of elimination.
static void mark_blocks(tmli_blocklu *s)
{
    for (int32_t i = s->sym.n - 1; i >= 0; i--) {
        const int32_t here = tmli_pattern_block_of(s->pattern, s->sym.unknown[i]);
        const bool last =
            i + 1 == s->sym.n || tmli_pattern_block_of(s->pattern, s->sym.unknown[i + 1]) != here;
        s->pivot_end[i] = last ? i + 1 : s->pivot_end[i + 1];
    }
}

tml_status tmli_blocklu_factor(tmli_blocklu *s, const double *values, tml_error *err)
{
    const tmli_symbolic *sym = &s->sym;
    s->good = false;
    s->anorm = tmli_matrix_norm(s->pattern, values, &s->largest);
    if (!isfinite(s->anorm))
        return tmli_fail(err, TML_ERR_NAN, "%s: the matrix has an entry that is not finite", s->who);
    if (sym->free) {
        tmli_shifted_set(s, values);
        values = s->shifted;
    }
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
                                   .first = f->first,
                                   .pivot_end = s->pivot_end + f->first,
                                   .terms = s->t,
                                   .ipiv = s->ipiv};
        assemble(s, f, values);
        const int32_t weak = s->kernels->factor(f, &w);
        if (weak >= 0)
            return tmli_blocklu_report_singular(
                s, tmli_pattern_block_of(s->pattern, sym->unknown[f->first + weak]), err);
        add_history(f, sym->run, w.terms, s->history);
    }
    s->good = true;
    return sym->free ? tmli_shifted_check(s, err) : TML_OK;
}

TMLI_INLINE void copy_piece(const int32_t rows, int32_t columns, const double *restrict from, int32_t stride,
                            double *restrict to, int32_t ld)
{
    for (int32_t c = 0; c < columns; c++)
        for (int32_t r = 0; r < rows; r++) to[c * ld + r] = from[c * stride + r];
}

static void assemble(const tmli_blocklu *s, const tmli_front *f, const double *values)
{
    const tmli_symbolic *sym = &s->sym;
    double *F = s->F;
    const size_t size = (size_t)f->ld * ((size_t)f->nk + (size_t)f->r);
    const v4 zero = v4_all(0);
    for (size_t i = 0; i < size; i += 4) v4_store(F + i, zero);  // ld is a multiple of 4
    for (int32_t k = f->piece; k < f->piece_end; k++) {
        const tmli_piece *p = &sym->piece[k];
        TMLI_SMALL(p->rows, copy_piece, p->columns, values + p->source, p->stride, F + p->target, f->ld)
    }
    for (int32_t k = f->child; k < f->child_end; k++) add_update(s, f, &sym->front[sym->child[k]]);
}

static void add_update(const tmli_blocklu *s, const tmli_front *f, const tmli_front *child)
{
    const tmli_index_run *run = s->sym.run, *end = run + child->run_end;
    const int32_t pad = f->nkp - f->nk;
    for (const tmli_index_run *c = run + child->run; c < end; c++) {
        for (int32_t j = 0; j < c->length; j++) {
            const double *from = s->stack + child->stack + (size_t)(c->from + j) * (size_t)child->rp;
            double *to = s->F + (size_t)(c->at + j) * (size_t)f->ld;
            for (const tmli_index_run *r = run + child->run; r < end; r++) {
                const double *a = from + r->from;
                double *b = to + (r->at < f->nk ? r->at : r->at + pad);
                for (int32_t i = 0; i < r->length; i++) b[i] += a[i];
            }
        }
    }
}

// Add what this front has subtracted from the diagonal of its rows, in modulus (terms), to history (n, order
// of elimination).
static void add_history(const tmli_front *f, const tmli_index_run *run, const double *terms, double *history)
{
    for (int32_t i = f->run; i < f->run_end; i++) {
        const tmli_index_run *x = &run[i];
        for (int32_t q = 0; q < x->length; q++) history[x->unknown + q] += terms[f->nkp + x->from + q];
    }
}

tml_status tmli_blocklu_report_singular(const tmli_blocklu *s, int32_t block, tml_error *err)
{
    const tml_pattern *p = s->pattern;
    char buf[TMLI_BLOCK_NAME];
    return tmli_fail(err, TML_ERR_SINGULAR,
                     "%s: no usable pivot in %s; %s, or this solver needs augmentation: switch "
                     "augmentation on, or try solver klu",
                     s->who, tmli_pattern_block_name(p, block, buf),
                     p->multiplier[block] ? "its constraints may be redundant"
                                          : "it may have a motion without mass, stiffness and constraint");
}

static void solve_forward(tmli_blocklu *s)
{
    const tmli_symbolic *sym = &s->sym;
    for (int32_t i = 0; i < sym->nfronts; i++) {
        const tmli_front *f = &sym->front[i];
        s->kernels->forward(f, sym->run, s->factors + f->L, s->row + f->first, s->t, s->y);
    }
    for (int32_t i = sym->nfronts - 1; i >= 0; i--) {
        const tmli_front *f = &sym->front[i];
        s->kernels->backward(f, sym->run, s->factors + f->U, s->factors + f->d, s->t, s->y);
    }
}

static void solve_transposed(tmli_blocklu *s)
{
    const tmli_symbolic *sym = &s->sym;
    for (int32_t i = 0; i < sym->nfronts; i++) {
        const tmli_front *f = &sym->front[i];
        tmli_front_forward_transposed(f, sym->run, s->factors + f->U, s->factors + f->d, s->t, s->y);
    }
    for (int32_t i = sym->nfronts - 1; i >= 0; i--) {
        const tmli_front *f = &sym->front[i];
        tmli_front_backward_transposed(f, sym->run, s->factors + f->L, s->row + f->first, s->t, s->y);
    }
}

void tmli_blocklu_solve_factors(tmli_blocklu *s, bool transposed, double *x)
{
    const tmli_symbolic *sym = &s->sym;
    for (int32_t i = 0; i < sym->n; i++) s->y[i] = x[sym->unknown[i]];
    if (transposed) solve_transposed(s);
    else solve_forward(s);
    for (int32_t i = 0; i < sym->n; i++) x[sym->unknown[i]] = s->y[i];
}

static void solve(tmli_blocklu *s, bool transposed, double *x)
{
    if (!s->good) return;
    if (s->sym.free) tmli_shifted_solve(s, transposed, x);
    else tmli_blocklu_solve_factors(s, transposed, x);
}

void tmli_blocklu_solve(void *self, double *x) { solve(self, false, x); }
void tmli_blocklu_solve_transposed(void *self, double *x) { solve(self, true, x); }

double tmli_blocklu_rcond(tmli_blocklu *s)
{
    if (!s->good) return 0;
    return tmli_condest(s->pattern->n, s->anorm, tmli_blocklu_solve, tmli_blocklu_solve_transposed, s,
                        s->work);
}

void tmli_blocklu_info(const tmli_blocklu *s, tml_linsolver_info *out)
{
    *out = (tml_linsolver_info){.nonzeros_factor = (long)s->sym.nonzeros, .flops_factor = s->sym.flops};
    if (!s->good || s->sym.free) return;  // growth of a shifted matrix is up to 1/SHIFT, and refined away
    double largest = 0;
    for (int32_t i = 0; i < s->sym.nfronts; i++) {
        const tmli_front *f = &s->sym.front[i];
        const size_t count = (size_t)f->nkp * ((size_t)f->nk + (size_t)f->r);
        for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(s->factors[f->U + k]));
        for (int32_t k = 0; k < f->nk; k++) largest = fmax(largest, fabs(1 / s->factors[f->d + (size_t)k]));
    }
    out->growth = s->largest > 0 ? largest / s->largest : 0;
}

void tmli_blocklu_archive(void *self, tml_archive *a)
{
    tmli_blocklu *s = self;
    tml_archive_bools(a, &s->good, 1);
    tml_archive_doubles(a, &s->anorm, 1);
    tml_archive_doubles(a, &s->largest, 1);
    if (!s->good) return;
    tml_archive_doubles(a, s->factors, s->sym.factor_size);
    tml_archive_indices(a, s->row, (size_t)s->sym.n, 0, s->sym.n);
    if (!s->sym.free) return;
    tml_archive_doubles(a, s->shifted, (size_t)tmli_pattern_nnz(s->pattern));
    tml_archive_doubles(a, s->shift, (size_t)s->sym.n);
}

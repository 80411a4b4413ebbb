// A skyline solver without any pivoting, for the laboratory: what O. A. Bauchau, A. Epple, C. L. Bottasso, J.
// Comput. Nonlinear Dyn. 4 (2009) 021007, section 7, use, to see what scaling and augmentation do for such a
// solver. The library's own `block` pivots within a block, `klu` and `dense` within a column. Not in the
// catalogue of solvers. Needs no test library.
//
//   A = L D U,  L, U' unit lower triangular in the profile of A; U = L' if A is symmetric                 (1)
// The order is that of the pattern, each multiplier block behind the last coordinate block that takes part in
// its constraints ("the only requirement", section 7). A pivot of exactly 0 ends the factorization; one of
// round-off does not.
#ifndef TEST_LINALG_SKYLINE_H
#define TEST_LINALG_SKYLINE_H

#include "linalg/pattern/pattern.h"

#include <math.h>
#include <string.h>

typedef struct skyline {
    const tml_pattern *pattern;
    tml_env env;
    int *place;   // (n) position of an unknown in the order of elimination
    int *first;   // (n) first position of row and column j within the profile
    long *start;  // (n + 1) where they begin in lower and upper
    double *lower, *upper, *pivot, *x;
    double largest, met;  // entry of the matrix, entry while factoring
} skyline;

// Give the unknowns of block b the next places.
static inline void skyline_place(skyline *s, int32_t b, int *next)
{
    for (int32_t i = s->pattern->blockptr[b]; i < s->pattern->blockptr[b + 1]; i++) s->place[i] = (*next)++;
}

static inline void skyline_order(skyline *s)
{
    const tml_pattern *p = s->pattern;
    int next = 0;
    for (int32_t i = 0; i < p->n; i++) s->place[i] = -1;
    for (int pass = 0; pass < 2; pass++)  // the second for multipliers without rules or behind multipliers
        for (int32_t b = 0; b < p->nblocks; b++) {
            if (!p->multiplier[b] && pass == 0) skyline_place(s, b, &next);
            for (int32_t k = 0; k < p->nblocks; k++) {
                bool ready = p->multiplier[k] && s->place[p->blockptr[k]] < 0;
                for (int32_t i = p->afterptr[k]; i < p->afterptr[k + 1]; i++)
                    ready = ready && s->place[p->blockptr[p->afterind[i]]] >= 0;
                if (ready && (pass == 1 || p->afterptr[k + 1] > p->afterptr[k])) skyline_place(s, k, &next);
            }
        }
}

static inline void skyline_destroy(void *self)
{
    skyline *s = self;
    if (!s) return;
    const tml_env env = s->env;
    tmli_free(&env, s->place);
    tmli_free(&env, s->first);
    tmli_free(&env, s->start);
    tmli_free(&env, s->lower);
    tmli_free(&env, s);
}

static inline tml_status skyline_create(const tml_pattern *pattern, const tml_env *env, void **self,
                                        tml_error *err)
{
    const size_t n = (size_t)pattern->n;
    skyline *s = tmli_calloc(env, 1, sizeof *s);
    *self = NULL;
    if (!s) return tmli_no_memory(err, "skyline");
    s->pattern = pattern;
    if (env) s->env = *env;
    s->place = tmli_calloc(env, n, sizeof *s->place);
    s->first = tmli_calloc(env, n, sizeof *s->first);
    s->start = tmli_calloc(env, n + 1, sizeof *s->start);
    if (s->place && s->first && s->start) {
        skyline_order(s);
        for (size_t i = 0; i < n; i++) s->first[i] = (int)i;
        for (int32_t j = 0; j < pattern->n; j++)
            for (int32_t k = pattern->colptr[j]; k < pattern->colptr[j + 1]; k++) {
                const int a = s->place[j], b = s->place[pattern->rowind[k]];
                if (b < s->first[a]) s->first[a] = b;
            }
        for (size_t i = 0; i < n; i++) s->start[i + 1] = s->start[i] + (long)i - s->first[i];
        s->lower = tmli_calloc(env, 2 * (size_t)s->start[n] + 2 * n, sizeof *s->lower);
    }
    if (!s->lower) {
        skyline_destroy(s);
        return tmli_no_memory(err, "skyline");
    }
    s->upper = s->lower + s->start[n];
    s->pivot = s->upper + s->start[n];
    s->x = s->pivot + n;
    *self = s;
    return TML_OK;
}

// Entry (i, j), i < j, of the upper or (j, i) of the lower factor.
static inline double *skyline_at(const skyline *s, double *factor, int i, int j)
{
    return &factor[s->start[j] + i - s->first[j]];
}

static inline void skyline_load(skyline *s, const double *values)
{
    const tml_pattern *p = s->pattern;
    memset(s->lower, 0, (2 * (size_t)s->start[p->n] + (size_t)p->n) * sizeof *s->lower);
    s->largest = 0;
    for (int32_t j = 0; j < p->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int row = s->place[p->rowind[k]], col = s->place[j];
            if (row == col) s->pivot[row] = values[k];
            else if (row < col) *skyline_at(s, s->upper, row, col) = values[k];
            else *skyline_at(s, s->lower, col, row) = values[k];
            s->largest = fmax(s->largest, fabs(values[k]));
        }
    s->met = s->largest;
}

static inline tml_status skyline_factor(void *self, const double *values, tml_error *err)
{
    skyline *s = self;
    skyline_load(s, values);
    for (int j = 0; j < s->pattern->n; j++) {
        for (int i = s->first[j]; i < j; i++) {
            double *u = skyline_at(s, s->upper, i, j), *l = skyline_at(s, s->lower, i, j);
            for (int k = s->first[i] > s->first[j] ? s->first[i] : s->first[j]; k < i; k++) {
                *u -= *skyline_at(s, s->lower, k, i) * *skyline_at(s, s->upper, k, j);
                *l -= *skyline_at(s, s->lower, k, j) * *skyline_at(s, s->upper, k, i);
            }
            s->met = fmax(s->met, fmax(fabs(*u), fabs(*l)));
            *l /= s->pivot[i];
            s->pivot[j] -= *l * *u;
        }
        s->met = fmax(s->met, fabs(s->pivot[j]));
        if (s->pivot[j] == 0 || !isfinite(s->pivot[j]))
            return tmli_fail(err, TML_ERR_SINGULAR, "skyline: pivot %d is %g", j, s->pivot[j]);
    }
    return TML_OK;
}

// lower: L, upper: D U, both in the profile.
static inline void skyline_solve(void *self, double *x)
{
    skyline *s = self;
    const int n = s->pattern->n;
    for (int i = 0; i < n; i++) s->x[s->place[i]] = x[i];
    for (int j = 0; j < n; j++)
        for (int k = s->first[j]; k < j; k++) s->x[j] -= *skyline_at(s, s->lower, k, j) * s->x[k];
    for (int j = n - 1; j >= 0; j--) {
        s->x[j] /= s->pivot[j];
        for (int k = s->first[j]; k < j; k++) s->x[k] -= *skyline_at(s, s->upper, k, j) * s->x[j];
    }
    for (int i = 0; i < n; i++) x[i] = s->x[s->place[i]];
}

static inline void skyline_info(const void *self, tml_linsolver_info *out)
{
    const skyline *s = self;
    *out = (tml_linsolver_info){.nonzeros_factor = 2 * s->start[s->pattern->n] + s->pattern->n,
                                .growth = s->largest > 0 ? s->met / s->largest : 0};
}

static inline void skyline_archive(void *self, tml_archive *a)
{
    skyline *s = self;
    const size_t n = (size_t)s->pattern->n;
    tml_archive_doubles(a, s->lower, 2 * (size_t)s->start[n] + n);
}

static const tml_linsolver_ops SKYLINE = {.name = "skyline",
                                          .summary = "profile L D U without pivoting",
                                          .merit = "for study",
                                          .create = skyline_create,
                                          .factor = skyline_factor,
                                          .solve = skyline_solve,
                                          .info = skyline_info,
                                          .destroy = skyline_destroy,
                                          .archive = skyline_archive};

#endif

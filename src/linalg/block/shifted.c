// Saddle-point matrices in a free order of elimination.
//
//   [ A  B' ]      [ A    B'   ]
//   [ B  0  ]  ->  [ B  -delta D ],   D_r = sum_j b_rj b_jr / a_jj                                      (1)
// With A definite, the shifted matrix is quasi-definite: it has a factorization in every symmetric order, of
// growth up to 1/delta (R. J. Vanderbei, SIAM J. Optim. 5 (1995) 100-113). D_r is the diagonal of B inv(A) B'
// for a diagonal A, so that delta is a pure number, whatever the units of a row; its sign follows that of B
// and B'. An entry that stands on the diagonal of a multiplier by itself, as of an inactive row, has D_r = 0.
//
// A solve is refined with the matrix as given. In a direction of the multipliers in which S = B inv(A) B',
// over D, is s, each refinement leaves
//   delta / (delta + s)                                                                               (2)
// of the error. Where rows are dependent, s = 0: no refinement helps, unless the right-hand side fits them.
// A trial solve with one that does not tells.
#include "linalg/block/block_lu.h"

#include "linalg/pattern/pattern.h"

#include <math.h>
#include <string.h>

#include "linalg/block/constants.h"

tml_status tmli_shifted_init(tmli_blocklu *s, tml_error *err)
{
    const size_t n = (size_t)s->pattern->n;
    if (!tmli_calloc_all(&s->env, TMLI_ARRAY(s->shifted, (size_t)tmli_pattern_nnz(s->pattern)),
                         TMLI_ARRAY(s->shift, n), TMLI_ARRAY(s->b, n), TMLI_ARRAY(s->error, n)))
        return tmli_fail(err, TML_ERR_NOMEM, "%s: no memory for %zu unknowns", s->who, n);
    return TML_OK;
}

static bool is_multiplier(const tml_pattern *p, int32_t i)
{
    return p->multiplier[tmli_pattern_block_of(p, i)];
}

void tmli_shifted_set(tmli_blocklu *s, const double *values)
{
    const tml_pattern *p = s->pattern;
    memcpy(s->shifted, values, (size_t)tmli_pattern_nnz(p) * sizeof *values);
    for (int32_t j = 0; j < p->n; j++) {
        s->error[j] = values[tmli_pattern_find(p, j, j)];  // the diagonal
        s->shift[j] = 0;
    }
    for (int32_t b = 0; b < p->nblocks; b++) {
        if (!p->multiplier[b]) continue;
        for (int32_t r = p->blockptr[b]; r < p->blockptr[b + 1]; r++) {
            double D = 0;
            for (int32_t k = p->colptr[r]; k < p->colptr[r + 1]; k++) {
                const int32_t j = p->rowind[k];
                if (is_multiplier(p, j) || s->error[j] == 0 || values[k] == 0) continue;
                D += values[k] * values[tmli_pattern_find(p, r, j)] / s->error[j];  // (1)
            }
            s->shift[r] = -SHIFT * D;
            s->shifted[tmli_pattern_find(p, r, r)] += s->shift[r];
        }
    }
}

// error := b - A x, or b - A' x.
static void find_residual(const tmli_blocklu *s, bool transposed, const double *x)
{
    const tml_pattern *p = s->pattern;
    for (int32_t i = 0; i < p->n; i++) s->error[i] = s->b[i] + s->shift[i] * x[i];
    for (int32_t j = 0; j < p->n; j++) {
        double sum = 0;
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            if (transposed) sum += s->shifted[k] * x[p->rowind[k]];
            else s->error[p->rowind[k]] -= s->shifted[k] * x[j];
        }
        s->error[j] -= sum;
    }
}

void tmli_shifted_solve(tmli_blocklu *s, bool transposed, double *x)
{
    const int32_t n = s->pattern->n;
    memcpy(s->b, x, (size_t)n * sizeof *x);
    tmli_blocklu_solve_factors(s, transposed, x);
    for (int k = 0; k < REFINEMENTS; k++) {
        find_residual(s, transposed, x);
        tmli_blocklu_solve_factors(s, transposed, s->error);
        for (int32_t i = 0; i < n; i++) x[i] += s->error[i];
    }
}

// The right-hand side has pseudo-random numbers, in units of the rows, in all rows of multipliers.
tml_status tmli_shifted_check(tmli_blocklu *s, tml_error *err)
{
    const tml_pattern *p = s->pattern;
    double *x = s->work, given = 0, left = 0, most = 0;
    uint32_t seed = 2463534242u;
    for (int32_t i = 0; i < p->n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = sqrt(fabs(s->shift[i])) * (seed >> 31 ? 1 : -1) * (0.5 + (double)(seed >> 8 & 0xffff) / 65536);
        if (s->shift[i] != 0) given += x[i] * x[i] / fabs(s->shift[i]);
    }
    tmli_shifted_solve(s, false, x);
    find_residual(s, false, x);
    int32_t worst = 0;
    for (int32_t i = 0; i < p->n; i++) {
        if (s->shift[i] == 0) continue;
        const double r = s->error[i] * s->error[i] / fabs(s->shift[i]);
        left += r;
        if (!(r <= most)) {
            most = r;
            worst = i;
        }
    }
    if (left <= TRIAL_RESIDUAL * TRIAL_RESIDUAL * given) return TML_OK;
    s->good = false;
    return tmli_blocklu_report_singular(s, tmli_pattern_block_of(p, worst), err);
}

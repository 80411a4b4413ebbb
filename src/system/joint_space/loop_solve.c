// The multipliers of the loops by the Schur complement S = B inverse(M) B' of loops.c, factored by Cholesky.
// A row whose pivot vanishes depends on earlier rows; its multiplier is 0.
#include "base/inline.h"
#include "linalg/dense/simd.h"
#include "system/joint_space/internal.h"

#include <string.h>

#include "system/joint_space/constants.h"

// Entry (i, j) of the skyline is row(i)[j].
static inline double *row_of(const tmli_joint_space *s, double *values, int i)
{
    return values + s->skyline[i + 1] - 1 - i;
}
static inline int begin_of(const tmli_joint_space *s, int i)
{
    return i + 1 - (s->skyline[i + 1] - s->skyline[i]);
}

// ---- the matrix -------------------------------------------------------------------------------------------

// Entries of rows i .. i + ni of loop a and j .. j + nj of loop b, ni and nj at most 2.
TMLI_INLINE void fill_block(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_loop_pair *pair,
                            int i, int ni, int j, int nj)
{
    const tmli_loop *a = &s->loop[pair->a], *b = &s->loop[pair->b];
    const double *x = w->projected + a->offset + i * a->width, *y = w->projected + b->offset + j * b->width;
    double sum[2][2] = {{0}};
    for (int k = 0; k < pair->nshared; k++) {
        const int *at = pair->shared + 3 * k;
        const double inv = w->inv[at[2]];
        for (int r = 0; r < ni; r++)
            for (int c = 0; c < nj; c++) sum[r][c] += x[r * a->width + at[0]] * y[c * b->width + at[1]] * inv;
    }
    for (int r = 0; r < ni; r++)
        for (int c = 0; c < nj; c++)
            if (b->schur + j + c <= a->schur + i + r)
                row_of(s, w->schur, a->schur + i + r)[b->schur + j + c] = sum[r][c];
}

static void fill_schur(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    memset(w->schur, 0, (size_t)s->skyline[s->m] * sizeof *w->schur);
    for (int k = 0; k < s->npairs; k++) {
        const tmli_loop_pair *pair = &s->pair[k];
        const int na = s->loop[pair->a].nrows, nb = s->loop[pair->b].nrows;
        for (int i = 0; i < na; i += 2)
            for (int j = 0; j < (pair->a == pair->b ? i + 1 : nb); j += 2) {
                const int ni = na - i < 2 ? 1 : 2, nj = nb - j < 2 ? 1 : 2;
                if (ni == 2 && nj == 2) fill_block(s, w, pair, i, 2, j, 2);
                else if (ni == 2) fill_block(s, w, pair, i, 2, j, 1);
                else if (nj == 2) fill_block(s, w, pair, i, 1, j, 2);
                else fill_block(s, w, pair, i, 1, j, 1);
            }
    }
}

// ---- Cholesky factors -------------------------------------------------------------------------------------

// Row i is done up to its diagonal, whose value in the matrix was `diagonal`.
static void set_pivot(tmli_joint_space_work *w, int i, double pivot, double diagonal, double *smallest)
{
    const bool independent = pivot > DEPENDENT_PIVOT * diagonal;
    if (independent && pivot < *smallest * diagonal) *smallest = pivot / diagonal;
    w->schur_inv[i] = independent ? 1 / sqrt(pivot) : 0;
}

static void factor_row(const tmli_joint_space *s, tmli_joint_space_work *w, int i, double *smallest)
{
    double *row = row_of(s, w->schur, i);
    const int begin = begin_of(s, i);
    const double diagonal = row[i];
    for (int j = begin; j < i; j++) {
        const double *other = row_of(s, w->schur, j);
        const int from = begin_of(s, j) > begin ? begin_of(s, j) : begin;
        double sum = row[j];
        for (int k = from; k < j; k++) sum -= row[k] * other[k];
        row[j] = sum * w->schur_inv[j];
        row[i] -= row[j] * row[j];
    }
    set_pivot(w, i, row[i], diagonal, smallest);
}

// c - sum over k in from .. to of x_k y_k, x: vectors of four rows
TMLI_INLINE v4 subtract_products(v4 c, const double *x, const double *y, int from, int to)
{
    for (int k = from; k < to; k++) c = v4_sub(c, v4_mul(v4_load(x + 4 * k), v4_all(y[k])));
    return c;
}

// Rows i .. i + 4 at once, each sum in the order of factor_row. They are interleaved in w->rows, from the
// first column of any of them on; entries outside a row's skyline are 0.
static void factor_four_rows(const tmli_joint_space *s, tmli_joint_space_work *w, int i, double *smallest)
{
    int begin = i;
    double diagonal[4], pivot[4], *row[4];
    for (int r = 0; r < 4; r++) begin = begin_of(s, i + r) < begin ? begin_of(s, i + r) : begin;
    double *const x = w->rows - 4 * (ptrdiff_t)begin;  // x[4 k + r]: entry (i + r, k)
    memset(w->rows, 0, 4 * (size_t)(i + 4 - begin) * sizeof *w->rows);
    for (int r = 0; r < 4; r++) {
        row[r] = row_of(s, w->schur, i + r);
        for (int k = begin_of(s, i + r); k < i + r; k++) x[4 * k + r] = row[r][k];
        diagonal[r] = row[r][i + r];
    }
    v4 left = v4_load(diagonal);
    for (int j = begin; j < i; j += 2) {  // two columns at a time
        const int b0 = begin_of(s, j), f0 = b0 > begin ? b0 : begin;
        const double *y0 = row_of(s, w->schur, j);
        v4 c0 = v4_load(x + 4 * j);
        if (j + 1 == i) {
            c0 = v4_mul(subtract_products(c0, x, y0, f0, j), v4_all(w->schur_inv[j]));
            v4_store(x + 4 * j, c0);
            left = v4_sub(left, v4_mul(c0, c0));
            break;
        }
        const int b1 = begin_of(s, j + 1), f1 = b1 > begin ? b1 : begin;
        const double *y1 = row_of(s, w->schur, j + 1);
        const int both = f0 > f1 ? (f0 < j ? f0 : j) : (f1 < j ? f1 : j);
        v4 c1 = v4_load(x + 4 * (j + 1));
        c0 = subtract_products(c0, x, y0, f0, both);
        c1 = subtract_products(c1, x, y1, f1, both);
        for (int k = both; k < j; k++) {
            const v4 xk = v4_load(x + 4 * k);
            c0 = v4_sub(c0, v4_mul(xk, v4_all(y0[k])));
            c1 = v4_sub(c1, v4_mul(xk, v4_all(y1[k])));
        }
        c0 = v4_mul(c0, v4_all(w->schur_inv[j]));
        v4_store(x + 4 * j, c0);
        c1 = v4_mul(subtract_products(c1, x, y1, f1 > j ? f1 : j, j + 1), v4_all(w->schur_inv[j + 1]));
        v4_store(x + 4 * (j + 1), c1);
        left = v4_sub(v4_sub(left, v4_mul(c0, c0)), v4_mul(c1, c1));
    }
    for (int r = 0; r < 4; r++) {  // among the four rows
        const int j = i + r, from = begin_of(s, j);
        v4_store(pivot, left);
        set_pivot(w, j, pivot[r], diagonal[r], smallest);
        row[r][j] = pivot[r];
        for (int k = from; k < j; k++) row[r][k] = x[4 * k + r];
        if (r == 3) break;
        const v4 c =
            v4_mul(subtract_products(v4_load(x + 4 * j), x, row[r], from, j), v4_all(w->schur_inv[j]));
        v4_store(x + 4 * j, c);
        left = v4_sub(left, v4_mul(c, c));
    }
}

// Returns the smallest pivot of an independent row, relative to its diagonal.
static double factor(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    double smallest = 1;
    int i = 0;
    for (; i + 4 <= s->m && s->m >= ROWS_AT_ONCE; i += 4) factor_four_rows(s, w, i, &smallest);
    for (; i < s->m; i++) factor_row(s, w, i, &smallest);
    return smallest;
}

// ---- solution ---------------------------------------------------------------------------------------------

// w->gamma (in the order of the factorization) := acceleration of the rows: w->opening + sum e u/D
static void compute_opening(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        for (int r = 0; r < p->nrows; r++) {
            const double *e_row = w->projected + p->offset + r * p->width;
            const int *col = s->rowcol + s->rowptr[p->first + r];
            double sum = w->opening[p->first + r];
            for (int k = 0; k < p->width; k++) sum += e_row[k] * w->inv[col[k]] * w->gen[col[k]];
            w->gamma[p->schur + r] = sum;
        }
    }
}

// y := inverse(S) y; returns y' inverse(S) y
static double solve(const tmli_joint_space *s, tmli_joint_space_work *w, double *y)
{
    double size = 0;
    for (int i = 0; i < s->m; i++) {
        const double *row = row_of(s, w->schur, i);
        for (int j = begin_of(s, i); j < i; j++) y[i] -= row[j] * y[j];
        y[i] *= w->schur_inv[i];
        size += y[i] * y[i];
    }
    for (int i = s->m - 1; i >= 0; i--) {
        const double *row = row_of(s, w->schur, i);
        y[i] *= w->schur_inv[i];
        for (int j = begin_of(s, i); j < i; j++) y[j] -= row[j] * y[i];
    }
    return size;
}

// lambda += y, u -= e y
static void add_multipliers(const tmli_joint_space *s, tmli_joint_space_work *w, const double *y)
{
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        for (int r = 0; r < p->nrows; r++) {
            const double *e_row = w->projected + p->offset + r * p->width, change = y[p->schur + r];
            const int *col = s->rowcol + s->rowptr[p->first + r];
            w->lambda[p->first + r] += change;
            for (int k = 0; k < p->width; k++) w->gen[col[k]] -= change * e_row[k];
        }
    }
}

void tmli_joint_space_factor_loops(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    fill_schur(s, w);
    w->smallest_pivot = factor(s, w);
}

void tmli_joint_space_solve_loops(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    memset(w->lambda, 0, (size_t)s->m * sizeof *w->lambda);
    compute_opening(s, w);
    const double force = solve(s, w, w->gamma);  // lambda' S lambda
    add_multipliers(s, w, w->gamma);
    double motion = 0;  // udot' M udot
    for (int j = 0; j < s->n; j++) motion += w->inv[j] * w->gen[j] * w->gen[j];
    const double limit = REFINED_RATIO * w->smallest_pivot;
    if (!(force > limit * limit * motion)) return;
    compute_opening(s, w);
    solve(s, w, w->gamma);
    add_multipliers(s, w, w->gamma);
}

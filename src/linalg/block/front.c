// Partial LU of a front.
//
//   P F11 = L11 U11                                                       (1)
//   L21 = F21 inv(U11),  U12 = inv(L11) P F12                             (2)
//   update = F22 - L21 U12                                                (3)
// Rows are exchanged within a block only, in large fronts among all pivots.
// A pivot u_jj is the difference of terms; it is no better than round-off if it is small against them:
//   |u_jj| <= LOST_PIVOT ( sum_{k<j} |l_jk u_kj| + sqrt(h_i h_j) )             (4)   i: row exchanged to j
// The sum has the terms subtracted within this front; h_i those subtracted on the diagonal (i, i) by earlier
// fronts, and the root of the product stands for entry (i, j), as in a definite matrix. (4) is
// invariant under symmetric scaling of the matrix by a diagonal matrix, so the units of a row do not matter.
//
// Small fronts, the most frequent, use the kernels below, with loops over vectors of 4 rows; large ones use
// BLAS.
#include "linalg/block/front.h"

#include "linalg/dense/lapack.h"
#include "linalg/dense/simd.h"
#include "linalg/dense/small.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/block/constants.h"
#include "linalg/dense/constants.h"

// Sizes of a front. The kernels are inlined with constant ones for the fronts of chains.
typedef struct shape {
    int32_t nk, r, nkp, rp, ld;
} shape;

static int32_t factor_large(const tmli_front *f, const tmli_front_work *w);
static int32_t find_lost_pivot(const shape f, const tmli_front_work *w);

TMLI_INLINE int32_t find_pivot(const double *col, int32_t j, int32_t end)
{
    int32_t best = j;
    double largest = fabs(col[j]);
    for (int32_t i = j + 1; i < end; i++) {
        const double a = fabs(col[i]);
        if (a > largest) {
            largest = a;
            best = i;
        }
    }
    return best;
}

TMLI_INLINE void swap_rows(const shape f, const tmli_front_work *w, int32_t i, int32_t j)
{
    const int32_t m = f.nk + f.r, ld = f.ld;
    for (int32_t c = 0; c < m; c++) {
        double *col = c < j ? w->L + c * ld : w->F + c * ld;
        const double a = col[i];
        col[i] = col[j];
        col[j] = a;
    }
    const int32_t row = w->row[i];
    w->row[i] = w->row[j];
    w->row[j] = row;
}

// F(j+1.., c) -= l(j+1..) F(j, c) for the ncols columns from F on. l is zero down to row j.
TMLI_INLINE void eliminate(const double *l, int32_t j, double *F, int32_t ncols, int32_t ld)
{
    const int32_t from = (j + 1) & ~3;
    int32_t c = 0;
    for (; c + 2 <= ncols; c += 2) {
        double *a = F + c * ld, *b = a + ld;
        const v4 ua = v4_all(a[j]), ub = v4_all(b[j]);
        for (int32_t q = from; q < ld; q += 4) {
            const v4 x = v4_load(l + q);
            v4_store(a + q, v4_nma(v4_load(a + q), x, ua));
            v4_store(b + q, v4_nma(v4_load(b + q), x, ub));
        }
    }
    if (c < ncols) {
        double *a = F + c * ld;
        const v4 ua = v4_all(a[j]);
        for (int32_t q = from; q < ld; q += 4) v4_store(a + q, v4_nma(v4_load(a + q), v4_load(l + q), ua));
    }
}

// A zero pivot produces infinities; find_lost_pivot finds the first.
TMLI_INLINE void factor_panel(const shape f, const tmli_front_work *w)
{
    const int32_t nk = f.nk, ld = f.ld;
    for (int32_t j = 0; j < nk; j++) {
        double *col = w->F + j * ld;
        const int32_t i = find_pivot(col, j, w->pivot_end[j] - w->first);
        if (i != j) swap_rows(f, w, i, j);
        const double inverse = 1 / col[j];
        w->d[j] = inverse;

        double *l = w->L + j * ld;
        const int32_t from = (j + 1) & ~3;
        const v4 scale = v4_all(inverse);
        for (int32_t q = from; q < ld; q += 4) v4_store(l + q, v4_mul(v4_load(col + q), scale));
        for (int32_t q = 0; q <= j; q++) l[q] = 0;
        eliminate(l, j, col + ld, nk - j - 1, ld);
    }
}

// U12 of (2), in place; the rows of F were exchanged along with the panel's.
TMLI_INLINE void solve_rows(const shape f, const double *L, double *F)
{
    const int32_t ld = f.ld, nk = f.nk, end = f.nkp;
    double *a = F + nk * ld;
    int32_t c = 0;
    for (; c + 2 <= f.r; c += 2, a += 2 * ld) {
        double *b = a + ld;
        for (int32_t k = 0; k < nk - 1; k++) {
            const double *l = L + k * ld;
            const v4 ua = v4_all(a[k]), ub = v4_all(b[k]);
            for (int32_t q = (k + 1) & ~3; q < end; q += 4) {
                const v4 x = v4_load(l + q);
                v4_store(a + q, v4_nma(v4_load(a + q), x, ua));
                v4_store(b + q, v4_nma(v4_load(b + q), x, ub));
            }
        }
    }
    if (c == f.r) return;
    for (int32_t k = 0; k < nk - 1; k++) {
        const double *l = L + k * ld;
        const v4 ua = v4_all(a[k]);
        for (int32_t q = (k + 1) & ~3; q < end; q += 4)
            v4_store(a + q, v4_nma(v4_load(a + q), v4_load(l + q), ua));
    }
}

TMLI_INLINE void update_pair(const shape f, const double *L21, const double *F, double *S)
{
    for (int32_t q = 0; q < f.rp; q += 4) {
        const double *s = F + f.nkp + q;
        v4 s0 = v4_load(s), s1 = v4_load(s + f.ld);
        for (int32_t k = 0; k < f.nk; k++) {
            const v4 x = v4_load(L21 + k * f.ld + q);
            s0 = v4_nma(s0, x, v4_all(F[k]));
            s1 = v4_nma(s1, x, v4_all(F[k + f.ld]));
        }
        v4_store(S + q, s0);
        v4_store(S + q + f.rp, s1);
    }
}

// (3), from F to the update matrix, in tiles of 4 rows by 4, 2 or 1 columns held in registers.
TMLI_INLINE void form_update(const shape f, const tmli_front_work *w)
{
    const int32_t ld = f.ld, nk = f.nk, rp = f.rp, nkp = f.nkp;
    const double *F = w->F + nk * ld;
    double *S = w->update;
    int32_t c = 0;
    for (; c + 4 <= f.r; c += 4, F += 4 * ld, S += 4 * rp) {
        for (int32_t q = 0; q < rp; q += 4) {
            const double *l = w->L + nkp + q, *s = F + nkp + q;
            v4 s0 = v4_load(s), s1 = v4_load(s + ld), s2 = v4_load(s + 2 * ld), s3 = v4_load(s + 3 * ld);
            for (int32_t k = 0; k < nk; k++) {
                const v4 x = v4_load(l + k * ld);
                s0 = v4_nma(s0, x, v4_all(F[k]));
                s1 = v4_nma(s1, x, v4_all(F[k + ld]));
                s2 = v4_nma(s2, x, v4_all(F[k + 2 * ld]));
                s3 = v4_nma(s3, x, v4_all(F[k + 3 * ld]));
            }
            v4_store(S + q, s0);
            v4_store(S + q + rp, s1);
            v4_store(S + q + 2 * rp, s2);
            v4_store(S + q + 3 * rp, s3);
        }
    }
    if (c + 2 <= f.r) {
        update_pair(f, w->L + nkp, F, S);
        c += 2, F += 2 * ld, S += 2 * rp;
    }
    if (c == f.r) return;
    for (int32_t q = 0; q < rp; q += 4) {
        v4 s = v4_load(F + nkp + q);
        for (int32_t k = 0; k < nk; k++) s = v4_nma(s, v4_load(w->L + k * ld + nkp + q), v4_all(F[k]));
        v4_store(S + q, s);
    }
}

TMLI_INLINE void store_U(const shape f, const double *F, double *U)
{
    const int32_t m = f.nk + f.r;
    for (int32_t c = 0; c < m; c++, F += f.ld, U += f.nkp) {
        for (int32_t q = 0; q < f.nkp; q += 4) v4_store(U + q, v4_load(F + q));
        for (int32_t q = c; q < f.nkp && c < f.nk; q++) U[q] = 0;
    }
}

// terms_i = sum_k |l_ik u_ki| over the pivots, for all rows of the front.
TMLI_INLINE void sum_terms(const shape f, const double *restrict L, const double *restrict F,
                           double *restrict terms)
{
    const int32_t ld = f.ld, pad = f.nkp - f.nk, m = f.nk + f.r;
    for (int32_t i = 0; i < ld; i++) terms[i] = 0;
    for (int32_t k = 0; k < f.nk; k++) {
        const double *l = L + k * ld, *u = F + k;
        for (int32_t i = k + 1; i < f.nk; i++) terms[i] += fabs(l[i] * u[i * ld]);
        for (int32_t i = f.nk; i < m; i++) terms[i + pad] += fabs(l[i + pad] * u[i * ld]);
    }
}

// (4): the first pivot that is lost in round-off, zero or not finite; -1: none.
static int32_t find_lost_pivot(const shape f, const tmli_front_work *w)
{
    for (int32_t j = 0; j < f.nk; j++) {
        const double pivot = fabs(w->F[j * f.ld + j]);
        const double sum = w->terms[j] + sqrt(w->history[w->row[j]] * w->history[j]);
        if (!(pivot > LOST_PIVOT * sum && pivot <= DBL_MAX)) return j;
    }
    return -1;
}

TMLI_INLINE int32_t factor_small(const shape f, const tmli_front_work *w)
{
    factor_panel(f, w);
    if (f.r) solve_rows(f, w->L, w->F);
    sum_terms(f, w->L, w->F, w->terms);
    const int32_t weak = find_lost_pivot(f, w);
    if (weak >= 0) return weak;
    if (f.r) form_update(f, w);
    store_U(f, w->F, w->U);
    return -1;
}

static bool is_large(const tmli_front *f) { return f->nk * (f->nk + f->r) >= BLAS_ENTRIES; }

#ifndef TMLI_FRONT_AVX2
bool tmli_front_needs_lapack(const tmli_front *f) { return is_large(f); }
#endif

int32_t TMLI_FRONT(factor)(const tmli_front *f, const tmli_front_work *w)
{
    for (int32_t i = 0; i < f->nk; i++) w->row[i] = i;
    if (is_large(f)) return factor_large(f, w);
    if (f->nk == 11 && f->r == 6)
        return factor_small((shape){11, 6, 12, 8, 20}, w);                         // spatial body and hinge
    if (f->nk == 5 && f->r == 3) return factor_small((shape){5, 3, 8, 4, 12}, w);  // planar body and hinge
    return factor_small((shape){f->nk, f->r, f->nkp, f->rp, f->ld}, w);
}

static int32_t factor_large(const tmli_front *f, const tmli_front_work *w)
{
    const int nk = f->nk, r = f->r, ld = f->ld, rp = f->rp;
    const double one = 1, minus = -1;
    double *F12 = w->F + (size_t)nk * (size_t)ld, *F21 = w->F + f->nkp;
    int info = 0;
    tmli_dgetrf(&nk, &nk, w->F, &ld, w->ipiv, &info);
    for (int32_t j = 0; j < nk; j++) {
        const int32_t i = w->ipiv[j] - 1;
        for (int32_t c = 0; c < r && i != j; c++) {
            const double a = F12[c * ld + i];
            F12[c * ld + i] = F12[c * ld + j];
            F12[c * ld + j] = a;
        }
        const int32_t row = w->row[i];
        w->row[i] = w->row[j];
        w->row[j] = row;
    }
    if (info > 0) return info - 1;
    if (r) {
        tmli_dtrsm("R", "U", "N", "N", &r, &nk, &one, w->F, &ld, F21, &ld, 1, 1, 1, 1);
        tmli_dtrsm("L", "L", "N", "U", &nk, &r, &one, w->F, &ld, F12, &ld, 1, 1, 1, 1);
    }
    const shape sizes = {f->nk, f->r, f->nkp, f->rp, f->ld};
    sum_terms(sizes, w->F, w->F, w->terms);
    const int32_t weak = find_lost_pivot(sizes, w);
    if (weak >= 0) return weak;
    if (r) {
        for (int32_t c = 0; c < r; c++)
            memcpy(w->update + c * rp, F12 + c * ld + f->nkp, (size_t)rp * sizeof *F12);
        tmli_dgemm("N", "N", &r, &r, &nk, &minus, F21, &ld, F12, &ld, &one, w->update, &rp, 1, 1);
    }
    for (int32_t j = 0; j < nk; j++) {
        w->d[j] = 1 / w->F[j * ld + j];
        memcpy(w->L + j * ld, w->F + j * ld, (size_t)ld * sizeof *w->L);
        memset(w->L + j * ld, 0, ((size_t)j + 1) * sizeof *w->L);
    }
    store_U(sizes, w->F, w->U);
    return -1;
}

// The part of a front in the triangular solves with A = P' L U.
//
//   forward:   t = inv(L11) P y1,  y2 -= L21 t              y1: the front's pivots, y2: its r rows
//   backward:  y1 = inv(U11) (y1 - U12 y2)
// The rows between nk and nkp are zero in L and U, so vectors may run over them.
#include "linalg/block/front.h"
#include "linalg/dense/simd.h"
#include "linalg/dense/small.h"

TMLI_INLINE void forward(const int32_t nk, const int32_t nkp, const int32_t ld, const tmli_front *f,
                         const tmli_index_run *run, const double *L, const int32_t *row, double *t, double *y)
{
    double *y1 = y + f->first;
    for (int32_t i = 0; i < nk; i++) t[i] = y1[row[i]];
    for (int32_t i = nk; i < nkp; i++) t[i] = 0;
    for (int32_t k = 0; k < nk - 1; k++) {
        const double *l = L + k * ld;
        const v4 s = v4_all(t[k]);
        for (int32_t q = (k + 1) & ~3; q < nkp; q += 4)
            v4_store(t + q, v4_nma(v4_load(t + q), v4_load(l + q), s));
    }
    for (int32_t i = 0; i < nk; i++) y1[i] = t[i];
    for (int32_t q = nkp; q < ld; q += 4) {
        v4 a = v4_all(0), b = v4_all(0);
        int32_t k = 0;
        for (; k + 2 <= nk; k += 2) {
            a = v4_nma(a, v4_load(L + k * ld + q), v4_all(t[k]));
            b = v4_nma(b, v4_load(L + (k + 1) * ld + q), v4_all(t[k + 1]));
        }
        if (k < nk) a = v4_nma(a, v4_load(L + k * ld + q), v4_all(t[k]));
        v4_store(t + q, v4_nma(a, b, v4_all(-1)));
    }
    for (int32_t i = f->run; i < f->run_end; i++) {
        double *y2 = y + run[i].unknown;
        const double *add = t + nkp + run[i].from;
        for (int32_t q = 0; q < run[i].length; q++) y2[q] += add[q];
    }
}

void TMLI_FRONT(forward)(const tmli_front *f, const tmli_index_run *run, const double *L, const int32_t *row,
                         double *t, double *y)
{
    if (f->nk == 11 && f->r == 6) forward(11, 12, 20, f, run, L, row, t, y);  // as in front.c
    else if (f->nk == 5 && f->r == 3) forward(5, 8, 12, f, run, L, row, t, y);
    else forward(f->nk, f->nkp, f->ld, f, run, L, row, t, y);
}

TMLI_INLINE void backward(const int32_t nk, const int32_t nkp, const int32_t r, const tmli_front *f,
                          const tmli_index_run *run, const double *U, const double *d, double *t, double *y)
{
    double *y1 = y + f->first;
    tmli_front_gather(f, run, y, t + nkp);
    for (int32_t i = 0; i < nk; i++) t[i] = y1[i];
    for (int32_t i = nk; i < nkp; i++) t[i] = 0;
    const double *U12 = U + nk * nkp, *y2 = t + nkp;
    for (int32_t q = 0; q < nkp && r; q += 4) {
        v4 a = v4_load(t + q), b = v4_all(0);
        int32_t c = 0;
        for (; c + 2 <= r; c += 2) {
            a = v4_nma(a, v4_load(U12 + c * nkp + q), v4_all(y2[c]));
            b = v4_nma(b, v4_load(U12 + (c + 1) * nkp + q), v4_all(y2[c + 1]));
        }
        if (c < r) a = v4_nma(a, v4_load(U12 + c * nkp + q), v4_all(y2[c]));
        v4_store(t + q, v4_nma(a, b, v4_all(-1)));
    }
    for (int32_t k = nk - 1; k > 0; k--) {
        const double *u = U + k * nkp, x = t[k] * d[k];
        const v4 s = v4_all(x);
        y1[k] = x;
        for (int32_t q = 0; q < k; q += 4) v4_store(t + q, v4_nma(v4_load(t + q), v4_load(u + q), s));
    }
    y1[0] = t[0] * d[0];
}

void TMLI_FRONT(backward)(const tmli_front *f, const tmli_index_run *run, const double *U, const double *d,
                          double *t, double *y)
{
    if (f->nk == 11 && f->r == 6) backward(11, 12, 6, f, run, U, d, t, y);
    else if (f->nk == 5 && f->r == 3) backward(5, 8, 3, f, run, U, d, t, y);
    else backward(f->nk, f->nkp, f->r, f, run, U, d, t, y);
}

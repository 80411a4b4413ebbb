// The part of a front in the triangular solves with the transpose of A = P' L U.
//
//   forward:   t = inv(U11') y1,  y2 -= U12' t              y1: the front's pivots, y2: its r rows
//   backward:  y1 = P' inv(L11') (y1 - L21' y2)
#include "linalg/block/front.h"

void tmli_front_forward_transposed(const tmli_front *f, const tmli_index_run *run, const double *U,
                                   const double *d, double *t, double *y)
{
    double *y1 = y + f->first;
    for (int32_t k = 0; k < f->nk; k++) {
        const double *u = U + k * f->nkp;
        double sum = y1[k];
        for (int32_t i = 0; i < k; i++) sum -= u[i] * t[i];
        y1[k] = t[k] = sum * d[k];
    }
    for (int32_t i = f->run; i < f->run_end; i++) {
        for (int32_t q = 0; q < run[i].length; q++) {
            const double *u = U + (f->nk + run[i].from + q) * f->nkp;
            double sum = 0;
            for (int32_t k = 0; k < f->nk; k++) sum += u[k] * t[k];
            y[run[i].unknown + q] -= sum;
        }
    }
}

void tmli_front_backward_transposed(const tmli_front *f, const tmli_index_run *run, const double *L,
                                    const int32_t *row, double *t, double *y)
{
    double *y1 = y + f->first;
    tmli_front_gather(f, run, y, t + f->nkp);
    for (int32_t k = f->nk - 1; k >= 0; k--) {
        const double *l = L + k * f->ld;
        double sum = y1[k];
        for (int32_t i = k + 1; i < f->nk; i++) sum -= l[i] * t[i];
        for (int32_t i = f->nkp; i < f->nkp + f->r; i++) sum -= l[i] * t[i];
        t[k] = sum;
    }
    for (int32_t i = 0; i < f->nk; i++) y1[row[i]] = t[i];
}

// Dense kernels on one front of the block factorization; see symbolic.h for the layout.
#ifndef TMLI_LINALG_BLOCK_FRONT_H
#define TMLI_LINALG_BLOCK_FRONT_H

#include "linalg/block/symbolic.h"

/** What one front's factorization reads and writes. */
typedef struct tmli_front_work {
    double *F;                 // (ld x (nk + r)) the assembled front; destroyed
    double *L, *U, *d;         // factors, see tmli_front
    double *update;            // (rp x r) F22 - L21 U12
    int32_t *row;              // (nk) row[i]: pivot row exchanged to row i
    const double *history;     // (nk) size of the terms already subtracted on the diagonal
    double *terms;             // (ld) sizes of what was subtracted on the diagonal, set by tmli_front_factor
    int *ipiv;                 // (nk) scratch of the large fronts
    int32_t first;             // the front's first pivot, order of elimination
    const int32_t *pivot_end;  // (nk) one past the last pivot of the same block, order of elimination
} tmli_front_work;

// The kernels that take most of the time are compiled once per kind of vector unit, under names of their own.
#if defined(TMLI_FRONT_AVX2)
#define TMLI_FRONT(name) tmli_front_##name##_avx2
#else
#define TMLI_FRONT(name) tmli_front_##name
#endif

/** Factor. Returns -1, or the pivot column (0 .. nk-1) that has no usable pivot (also if it is not finite).
 */
int32_t TMLI_FRONT(factor)(const tmli_front *f, const tmli_front_work *w);
/** Whether LAPACK and BLAS factor it. */
bool tmli_front_needs_lapack(const tmli_front *f);

/** The steps of solving with A = L U. t: (ld) scratch, y: (n) in the order of elimination. run: the
 * schedule's runs. */
void TMLI_FRONT(forward)(const tmli_front *f, const tmli_index_run *run, const double *L, const int32_t *row,
                         double *t, double *y);
void TMLI_FRONT(backward)(const tmli_front *f, const tmli_index_run *run, const double *U, const double *d,
                          double *t, double *y);
/** Those with the transpose. */
void tmli_front_forward_transposed(const tmli_front *f, const tmli_index_run *run, const double *U,
                                   const double *d, double *t, double *y);
void tmli_front_backward_transposed(const tmli_front *f, const tmli_index_run *run, const double *L,
                                    const int32_t *row, double *t, double *y);

/** The kernels for one kind of vector unit. */
typedef struct tmli_front_kernels {
    int32_t (*factor)(const tmli_front *f, const tmli_front_work *w);
    void (*forward)(const tmli_front *f, const tmli_index_run *run, const double *L, const int32_t *row,
                    double *t, double *y);
    void (*backward)(const tmli_front *f, const tmli_index_run *run, const double *U, const double *d,
                     double *t, double *y);
} tmli_front_kernels;

/** Kernels that this processor can run: number 0 has the vector unit that the whole library is compiled for,
 * the later the better. NULL if there is no such number. */
const tmli_front_kernels *tmli_front_kernels_of(int number);

/** t = the r rows of the front in y. */
static inline void tmli_front_gather(const tmli_front *f, const tmli_index_run *run, const double *y,
                                     double *t)
{
    for (int32_t i = f->run; i < f->run_end; i++) {
        const double *y2 = y + run[i].unknown;
        double *to = t + run[i].from;
        for (int32_t q = 0; q < run[i].length; q++) to[q] = y2[q];
    }
}

#endif

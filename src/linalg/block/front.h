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

/** Factor. Returns -1, or the pivot column (0 .. nk-1) that has no usable pivot (also if it is not finite).
 */
int32_t tmli_front_factor(const tmli_front *f, const tmli_front_work *w);

/** Add what this front has subtracted from the diagonal of its rows, in modulus (terms), to history (n, order
 * of elimination). */
void tmli_front_history(const tmli_front *f, const tmli_index_run *run, const double *terms, double *history);

/** The four steps of solving with A = L U and with its transpose. t: (ld) scratch, y: (n) in the order of
 * elimination. run: the schedule's runs. */
void tmli_front_forward(const tmli_front *f, const tmli_index_run *run, const double *L, const int32_t *row,
                        double *t, double *y);
void tmli_front_backward(const tmli_front *f, const tmli_index_run *run, const double *U, const double *d,
                         double *t, double *y);
void tmli_front_forward_transposed(const tmli_front *f, const tmli_index_run *run, const double *U,
                                   const double *d, double *t, double *y);
void tmli_front_backward_transposed(const tmli_front *f, const tmli_index_run *run, const double *L,
                                    const int32_t *row, double *t, double *y);

#endif

// The zero roots of a matrix, defective ones included.
#ifndef TMLI_ANALYSIS_MODES_STAIRCASE_H
#define TMLI_ANALYSIS_MODES_STAIRCASE_H

#include "base/base.h"

/** Replace A (N x N, by columns) by a regular matrix of *regular rows and columns that has its other
 * eigenvalues: N - *regular of them are zero. `error`: the 2-norm of what A may be off by. */
tml_status tmli_remove_zero_roots(double *A, int N, double error, tmli_arena *arena, int *regular,
                                  tml_error *err);

#endif

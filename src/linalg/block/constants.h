// Thresholds of the multifrontal block factorization; see base/constants.h.
#ifndef TMLI_LINALG_BLOCK_CONSTANTS_H
#define TMLI_LINALG_BLOCK_CONSTANTS_H

#include "base/constants.h"

// [-] Entries of the factor L of a front from which BLAS computes it.
// Origin: measured; from here, 24 pivots and 64 rows, BLAS is faster than the kernels of front.c.
TMLI_COUNT(BLAS_ENTRIES, 1536)
// [flop] Cost of a front that does not depend on its size; decides which fronts are merged.
// Origin: measured; a spatial chain is fastest with its 6 + 5 unknowns merged, a planar one with 3 + 2.
TMLI_CONSTANT(FRONT_OVERHEAD, 500)

#endif

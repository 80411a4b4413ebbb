// Thresholds of the multifrontal block factorization; see base/constants.h.
#ifndef TMLI_LINALG_BLOCK_CONSTANTS_H
#define TMLI_LINALG_BLOCK_CONSTANTS_H

#include "base/constants.h"

// [-] Pivots of a front from which BLAS factors it, if it also has BLAS_ROWS.
// Origin: chosen by trial; from here BLAS is faster than the kernels of front.c.
TMLI_COUNT(BLAS_PIVOTS, 24)
// [-] Rows of a front from which BLAS factors it, if it also has BLAS_PIVOTS.
// Origin: chosen by trial; from here BLAS is faster than the kernels of front.c.
TMLI_COUNT(BLAS_ROWS, 64)
// [flop] Cost of a front that does not depend on its size; decides which fronts are merged.
// Origin: measured; a spatial chain is fastest with its 6 + 5 unknowns merged, a planar one with 3 + 2.
TMLI_CONSTANT(FRONT_OVERHEAD, 500)

#endif

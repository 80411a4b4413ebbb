// Thresholds of the dense kernels, and those shared by the rooms of linalg; see base/constants.h.
#ifndef TMLI_LINALG_DENSE_CONSTANTS_H
#define TMLI_LINALG_DENSE_CONSTANTS_H

#include "base/constants.h"

// [-] Pivot of a Cholesky factor relative to its value before terms were subtracted, below which the
// factorization is abandoned. The caller then uses a factorization that chooses pivots.
// Origin: chosen by trial on the bundled models. Larger than what would be singular, since only time
// is lost.
TMLI_CONSTANT(CHOLESKY_PIVOT, 1e-11)
// [any] Pivots from here on are taken as overflow.
// Origin: close to the largest double.
TMLI_CONSTANT(LARGEST_PIVOT, 1e300)
// [-] Pivot of an LU factor relative to the terms subtracted to form it, below which it is round-off.
// Origin: some fifty round-offs. Larger would call ill-conditioned systems singular, smaller would let
// redundant constraints pass.
TMLI_CONSTANT(LOST_PIVOT, 1e-14)
// [-] KLU's pivots (and its reciprocal pivot growth) are kept while they are above this fraction of their
// values when the pivots were chosen.
// Origin: three digits of sixteen may be lost. Larger: new pivots more often; smaller: less accurate
// solutions.
TMLI_CONSTANT(KEPT_PIVOT, 1e-3)

#endif

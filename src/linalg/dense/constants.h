// Thresholds of the dense kernels, and those shared by the rooms of linalg; see base/constants.h.
#ifndef TMLI_LINALG_DENSE_CONSTANTS_H
#define TMLI_LINALG_DENSE_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Pivot of a Cholesky factor relative to its value before terms were subtracted, below which the
// factorization is abandoned. The caller then uses a factorization that chooses pivots.
// Origin: a pivot has the square of the relative size of a row, so that rows of 3e-6 are the limit. Round-off
// of 1e-16 then leaves five digits to the factor. Larger would only cost time.
TMLI_CONSTANT(CHOLESKY_PIVOT, 1e-11)
// [-] Number relative to the terms subtracted to form it, below which it is round-off: pivots of LU factors,
// rows of cut joints, and the ratio of pivots from which a condition number is estimated. Also the relative
// change of entries that leaves a matrix as singular as it is, without exact zeros.
// Origin: some fifty round-offs. Larger would call ill-conditioned systems singular, smaller would let
// redundant constraints pass.
#define LOST_PIVOT TMLI_FEW_ROUNDOFFS
// [-] KLU's pivots (and its reciprocal pivot growth) are kept while they are above this fraction of their
// values when the pivots were chosen.
// Origin: three digits of sixteen may be lost. Larger: new pivots more often; smaller: less accurate
// solutions.
#define KEPT_PIVOT TMLI_NEGLIGIBLE_SHARE

#endif

// Thresholds of the choice of independent rows and columns; see base/constants.h.
#ifndef TMLI_LINALG_RANK_CONSTANTS_H
#define TMLI_LINALG_RANK_CONSTANTS_H

#include "base/constants.h"

// [-] Entries of a matrix, zeros included, up to which full pivoting is used; threshold pivoting beyond.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(FULL_PIVOTING_ENTRIES, 32768)
// [-] Rows of the square matrix up to which its factors are dense; KLU beyond.
// Origin: chosen by trial on the bundled models; a call of a library costs more than such a factorization.
TMLI_COUNT(DENSE_FACTOR_ROWS, 12)
// [-] Entry relative to the largest of its row from which it may be a pivot of the sparse elimination.
// Origin: chosen by trial on the bundled models. Larger is more stable, smaller gives less fill-in.
TMLI_CONSTANT(PIVOT_THRESHOLD, 0.3)

#endif

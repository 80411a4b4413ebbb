// Thresholds of the choice of independent rows and columns; see base/constants.h.
#ifndef TMLI_LINALG_RANK_CONSTANTS_H
#define TMLI_LINALG_RANK_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Entries of a matrix, zeros included, up to which full pivoting is used; threshold pivoting beyond.
// Origin: time; full pivoting costs some m^2 n operations, here 1 ms.
TMLI_COUNT(FULL_PIVOTING_ENTRIES, 32768)
// [-] Rows of the square matrix up to which its factors are dense; KLU beyond.
// Origin: time; a call of a library costs more than such a factorization, 12^3/3 multiplications.
TMLI_COUNT(DENSE_FACTOR_ROWS, 12)
// [-] Columns with a pivot among which the sparse elimination looks for the cheapest.
// Origin: Zlatev (1980) advises 3 or 4. On nets of loops all columns take several times as long.
#define SEARCHED_COLUMNS TMLI_FEW

#endif

// Thresholds of the linear solvers; see base/constants.h.
#ifndef TMLI_LINALG_SOLVER_CONSTANTS_H
#define TMLI_LINALG_SOLVER_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Work of a factorization by topology (reduced, tree) relative to the cost of block LU, up to which it is
// planned.
// Origin: memory and time; work grows with the cube of the rows of all cut joints. Counts of operations
// predict times up to about this factor.
#define WORK_RATIO TMLI_TWOFOLD
// [-] Numbers that the elimination along a tree stores relative to the factors of block LU, up to which it is
// planned.
// Origin: memory; the bundled models have 0.2 to 1.7, a net of 40 x 40 loops 22.
TMLI_CONSTANT(MEMORY_RATIO, 5)

#endif

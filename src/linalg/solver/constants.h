// Thresholds of the linear solvers; see base/constants.h.
#ifndef TMLI_LINALG_SOLVER_CONSTANTS_H
#define TMLI_LINALG_SOLVER_CONSTANTS_H

#include "base/constants.h"

// [-] Work of a factorization by topology (reduced, tree) relative to block LU, up to which it is planned.
// Origin: chosen by trial on the bundled models; small dense kernels make up for about twice the operations.
TMLI_CONSTANT(WORK_RATIO, 2)
// [flop] Work that is always allowed.
// Origin: some microseconds, less than the difference between the solvers' overheads.
TMLI_CONSTANT(WORK_ALLOWANCE, 1e4)
// [-] Ratio of the smallest to the largest pivot of KLU below which the condition number is estimated.
// Origin: some fifty round-offs.
TMLI_CONSTANT(SUSPECT_PIVOT_RATIO, 1e-14)
// [-] Relative perturbation of the entries of a singular matrix that is factored to find its null vector.
// Origin: some fifty round-offs: enough to make exact zeros factorable, too little to make the matrix
// regular.
TMLI_CONSTANT(PERTURBATION, 1e-14)

#endif

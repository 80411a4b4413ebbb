// Thresholds of the linear solvers; see base/constants.h.
#ifndef TMLI_LINALG_SOLVER_CONSTANTS_H
#define TMLI_LINALG_SOLVER_CONSTANTS_H

#include "base/constants.h"

// [-] Work of a factorization by topology (reduced, tree) relative to block LU, up to which it is planned.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(WORK_RATIO, 2)
// [flop] Work that is always allowed.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(WORK_ALLOWANCE, 1e4)
// [-] Ratio of the smallest to the largest pivot of KLU below which the condition number is estimated.
// Origin: some fifty round-offs, as LOST_PIVOT of linalg/dense/constants.h.
TMLI_CONSTANT(SUSPECT_PIVOT_RATIO, 1e-14)
// [-] Relative perturbation of the entries of a singular matrix that is factored to find its null vector.
// Origin: the last digits of a double; exact zero pivots disappear, the matrix remains singular.
TMLI_CONSTANT(PERTURBATION, 1e-14)

#endif

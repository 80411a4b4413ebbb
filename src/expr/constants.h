// Thresholds of the expression language; see base/constants.h.
#ifndef TMLI_EXPR_CONSTANTS_H
#define TMLI_EXPR_CONSTANTS_H

#include "base/constants.h"

// [-] End of a smoothed jump, in widths: beyond it, the sliding motion ends.
// Origin: tanh(10) differs from 1 by 4e-9.
TMLI_CONSTANT(SMOOTHED_JUMP_END, 10)

// [-] Largest integer value of floor, ceil, round and mod whose branch a mode fixes.
// Origin: doubles cannot represent adjacent integers beyond 2^53 = 9e15.
TMLI_CONSTANT(LARGEST_BRANCH_NUMBER, 1e15)

#endif

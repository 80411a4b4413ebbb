// Thresholds of the expression language; see base/constants.h.
#ifndef TMLI_EXPR_CONSTANTS_H
#define TMLI_EXPR_CONSTANTS_H

#include "base/constants.h"

// [-] End of a smoothed jump, in widths: |z| beyond it ends the sliding motion.
// Origin: tanh(10) differs from 1 by 4e-9, less than any tolerance that is asked for.
TMLI_CONSTANT(SMOOTHED_JUMP_END, 10)

// [-] Largest integer value of floor, ceil, round and mod whose branch is fixed by a mode.
// Origin: from 2^53 = 9e15 on, neighbouring integers are not representable as doubles; 1e15 leaves some bits.
TMLI_CONSTANT(LARGEST_BRANCH_NUMBER, 1e15)

#endif

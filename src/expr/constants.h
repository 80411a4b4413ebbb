// Thresholds of the expression language; see base/constants.h.
#ifndef TMLI_EXPR_CONSTANTS_H
#define TMLI_EXPR_CONSTANTS_H

#include "base/constants.h"

// [-] End of a smoothed jump, in widths: beyond it, the sliding motion ends.
// Origin: tanh(10) differs from 1 by 4e-9.
TMLI_CONSTANT(SMOOTHED_JUMP_END, 10)

#endif

// Thresholds of the expression language; see base/constants.h.
#ifndef TMLI_EXPR_CONSTANTS_H
#define TMLI_EXPR_CONSTANTS_H

#include "base/tolerances.h"

// [-] End of a smoothed jump, in widths: beyond it, the sliding motion ends.
// Origin: tanh(10) differs from 1 by 4e-9.
#define SMOOTHED_JUMP_END TMLI_TENFOLD

#endif

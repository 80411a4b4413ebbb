// Levels at which numbers count as zero or as equal, for all rooms. Each is relative to the size of what is
// compared: terms of a sum, model length, 1 rad.
#ifndef TMLI_BASE_TOLERANCES_H
#define TMLI_BASE_TOLERANCES_H

#include "base/constants.h"

#include <float.h>

// [-] Result of sums and products that is zero except for round-off.
// Origin: a sum of n terms has an error of up to n DBL_EPSILON; models have up to some thousand terms.
TMLI_CONSTANT(TMLI_ROUNDOFF, 4096 * DBL_EPSILON)

// [-] Difference of two computed values that are equal by intent: both went through functions and iterations
// that lose some digits.
// Origin: the geometric mean of TMLI_ROUNDOFF and 1e-8, the square root of round-off, below which a double
// root or a pivot is lost.
TMLI_CONSTANT(TMLI_AGREEMENT, 1e-10)

// [-] Error of data that are written with six digits.
// Origin: six digits are the default of printf and of most programs that write models.
TMLI_CONSTANT(TMLI_INPUT_ERROR, 1e-6)

#endif

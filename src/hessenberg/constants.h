// Thresholds of the Hessenberg systems; base/constants.h says how they are declared. The defaults of
// tml_hessenberg_def are part of the public interface and stand in hessenberg.c.
#ifndef TMLI_HESSENBERG_CONSTANTS_H
#define TMLI_HESSENBERG_CONSTANTS_H

#include "base/constants.h"

// [-] Highest order k of derivatives of the constraints whose feedback has Taylor coefficients; beyond,
// binomial ones.
// Origin: partial sums of the exponential have roots with positive real parts from k = 5 on (0.24 gamma for
// k = 5).
TMLI_COUNT(HIGHEST_TAYLOR_ORDER, 4)

// [s] Step of the second differences that check the callback curvature.
// Origin: fourth root of the round-off, where truncation and round-off of a second difference are equal.
TMLI_CONSTANT(CURVATURE_DIFFERENCE, 1e-4)

// [-] Largest number of unknowns x and of multipliers y: matrices are dense.
// Origin: matrices are dense, and their columns are differenced one by one.
TMLI_COUNT(LARGEST_SYSTEM, 1000)

#endif

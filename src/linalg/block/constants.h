// Thresholds of the multifrontal block factorization; see base/constants.h.
#ifndef TMLI_LINALG_BLOCK_CONSTANTS_H
#define TMLI_LINALG_BLOCK_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Entries of the factor L of a front from which BLAS computes it.
// Origin: measured with AVX2; 40 pivots of 80 rows take half the time of BLAS, 64 of 128 the same, 96 of 192
// a fifth more.
TMLI_COUNT(BLAS_ENTRIES, 4096)
// [flop] Cost of a front that does not depend on its size; decides which fronts are merged.
// Origin: measured; a spatial chain is fastest with its 6 + 5 unknowns merged, a planar one with 3 + 2.
TMLI_CONSTANT(FRONT_OVERHEAD, 500)
// [flop] Cost of a factorization per unknown from which a free order is tried.
// Origin: measured; the bundled models have 100 to 1900, nets of 10 x 10 loops and more 4100 and more.
TMLI_CONSTANT(COSTLY_UNKNOWN, 3000)
// [-] Cost with the rules over cost of the free order from which the free order is taken.
// Origin: refinements triple the cost of a solve; Newton's method makes about ten solves per factorization.
#define FREE_ORDER_GAIN TMLI_FOURFOLD
// [-] Shift of the diagonal of a multiplier, in units of the inverse inertia its row feels.
// Origin: decision 0008: 1e-8 is too large for the scissor lift of 100 cells, 1e-10 serves all models tried;
// refinements restore what it changes, and round-off grows by its inverse.
#define SHIFT TMLI_MULTIPLIER_SHIFT
// [-] Refinements of a solve with shifted multipliers: each multiplies the error by shift / (shift + S).
// Origin: the same; the first brings 1e-6 to 1e-12, the second round-off.
#define REFINEMENTS TMLI_TWO_PASSES
// [-] Residual of a trial solve with shifted multipliers, over its right-hand side, from which rows are
// dependent.
// Origin: one dependent row among a million leaves 1e-3, independent ones (SHIFT/S)^3 < 1e-9.
TMLI_CONSTANT(TRIAL_RESIDUAL, 1e-4)

#endif

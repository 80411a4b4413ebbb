// Tolerances of constraint residuals and of the rank decision, for several rooms (consistency, reduction,
// integrate/constraints).
//
// B is scaled to units of the model (consistency/scaling.h), so that its entries are of the order 1. Pivots
// are those of its elimination (linalg/rank/columns.h). The gap of an inactive row is |Phi_r| divided by
// the unit of the row.
#ifndef TMLI_CONSISTENCY_TOLERANCES_H
#define TMLI_CONSISTENCY_TOLERANCES_H

#include "base/tolerances.h"

// [-] Pivots below it are zero in exact arithmetic: the row is redundant. Half the digits of double
// precision, the square root of DBL_EPSILON.
#define TMLI_RANK_TOLERANCE 0x1p-26

// [-] Pivots below it count as zero at the start: joints with small dimensional errors are redundant by
// intent, and as independent rows they would lock the mechanism. Hinges that are 1e-6 model lengths out of
// line are redundant by intent (docs/theory/singular.md); errors of the dimensions of a loop add up.
#define TMLI_BUILT_TOLERANCE (10 * TMLI_INPUT_ERROR)

// [-] Pivots, residuals and coefficients of rows that are redundant by intent stay below it: they are in
// error by TMLI_BUILT_TOLERANCE, times the number of digits that an elimination of rows loses.
#define TMLI_NEARLY_DEPENDENT (10 * TMLI_BUILT_TOLERANCE)

// [-] Pivots up to it count as zero where a nearby singular configuration amplifies dimensional errors and
// the number of independent rows is known.
// Origin: chosen by trial on models with slightly misaligned joints (tests/models/coupled_wheels.yaml).
TMLI_CONSTANT(TMLI_AMPLIFIED_TOLERANCE, 1e-3)

// [-] Pivots below it: the configuration is near a singular one. Above it multipliers and velocities still
// have half of their digits.
// Origin: the digits that are left; chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEAR_SINGULAR, 1e-2)

// [-] Weight of inactive rows in a search that prefers to leave them inactive, and of rows
// at velocity level.
// Origin: hysteresis: pivots of rows that are equally good differ by less along a motion.
#define TMLI_INACTIVE_WEIGHT TMLI_SMALL_SHARE

// [-] Growth of the gap of inactive rows that triggers a new search for redundant rows. Gaps of joints that
// are redundant by intent differ by the errors of the dimensions.
#define TMLI_GAP_INCREASE TMLI_INPUT_ERROR

// [-] Gap of inactive rows at the start up to which their dimensions fit exactly. Above it the joints have
// dimensional errors.
#define TMLI_EXACT_FIT TMLI_AGREEMENT

// [model lengths or rad] Correction of Newton iterations for positions that is round-off if it does not
// decrease.
#define TMLI_ROUNDOFF_CORRECTION TMLI_AGREEMENT

// [-] Ratio of two corrections, or residuals, above which an iteration has stopped converging.
// Origin: usual practice; Newton's method contracts much faster, and bisection not more slowly.
#define TMLI_STALLED_RATE TMLI_EVEN_SHARE

// [-] Contraction rate of a matrix that serves well: it is assumed before the first one is measured, and
// above it the matrix is factored again.
// Origin: bundled models; with 0.2 there are 4 % fewer factorizations and 4 % more iterations, which are ten
// times as many. At this rate 16 iterations reach round-off.
TMLI_SHARE(TMLI_SLOW_RATE, 0.1)

// Passes of the iteration on forces, or impulses, that depend on multipliers, at most.
#define TMLI_LOAD_ITERATIONS TMLI_ITERATIONS

// [model lengths, rad] Largest displacement or rotation in one correction of positions; longer corrections
// are shortened, or have diverged.
// Origin: a linearization is useless beyond 1 rad; half of it leaves quadratic terms below the linear ones.
TMLI_CONSTANT(TMLI_LARGEST_CORRECTION, 0.5)

#endif

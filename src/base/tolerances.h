// Levels at which numbers count as zero, as equal or as small, for all rooms. Each is relative to the size of
// what is compared: terms of a sum, model length, 1 rad.
//
// A threshold for which half and double make no difference has an order of magnitude and no more: it is one
// of these levels, and has a name in its room that says what it decides (#define NAME LEVEL).
#ifndef TMLI_BASE_TOLERANCES_H
#define TMLI_BASE_TOLERANCES_H

#include "base/constants.h"

#include <float.h>

// ---- round-off --------------------------------------------------------------------------------------------

// [-] Round-off of a number that some tens of operations have given.
// Origin: some fifty round-offs. Larger would call ill-conditioned systems singular.
TMLI_CONSTANT(TMLI_FEW_ROUNDOFFS, 1e-14)

// [-] Round-off of a sum of some hundred terms, and step of an iteration that squares its error at which it
// has converged.
// Origin: some hundred round-offs.
TMLI_CONSTANT(TMLI_SUM_ROUNDOFF, 1e-13)

// [-] Round-off of the solution of well-conditioned equations: of assembled positions, velocities,
// multipliers, impulses, frequencies.
// Origin: 1e-16 times a condition number of 1e4; those that should be 0 are seen at 1e-14 and below.
TMLI_CONSTANT(TMLI_SOLUTION_ROUNDOFF, 1e-12)

// [-] Result of sums and products that is zero except for round-off.
// Origin: a sum of n terms has an error of up to n DBL_EPSILON; models have up to some thousand terms.
TMLI_CONSTANT(TMLI_ROUNDOFF, 4096 * DBL_EPSILON)

// [-] Difference of two computed values that are equal by intent: both went through functions and iterations
// that lose some digits.
// Origin: the geometric mean of TMLI_ROUNDOFF and 1e-8, the square root of round-off, below which a double
// root or a pivot is lost.
TMLI_CONSTANT(TMLI_AGREEMENT, 1e-10)

// [-] Error of the solution of equations of large condition.
// Origin: 1e-16 times a condition number of some 1e6 to 1e7.
TMLI_CONSTANT(TMLI_SOLUTION_ERROR, 1e-9)

// [-] Square root of round-off: a double root, the shift of a singular matrix, the symmetry of a sum of
// squares.
// Origin: sqrt(DBL_EPSILON) = 1.5e-8.
TMLI_CONSTANT(TMLI_ROOT_ROUNDOFF, 1e-8)

// [-] Difference of two equal roots that round-off makes of them.
// Origin: the square root of TMLI_ROUNDOFF; flutter sets in with that of the load beyond its limit.
TMLI_CONSTANT(TMLI_DOUBLE_ROOT, 1e-6)

// [-] Differences above it are none of round-off, also where that is flat: near a double root, at the place
// of a minimum.
#define TMLI_ABOVE_ROOT_ROUNDOFF (10 * TMLI_ROOT_ROUNDOFF)

// [-] What no result shows: a share of an error, of a load, of a way.
// Origin: well below the tolerances of runs, well above round-off and what iterations leave.
TMLI_CONSTANT(TMLI_UNSEEN, 1e-6)

// [-] Motion of a difference quotient, in model lengths or rad, and what its error makes of equations.
// Origin: cbrt(DBL_EPSILON) = 6e-6: the error of the quotient is its square, its round-off 1e-16 over it.
TMLI_CONSTANT(TMLI_QUOTIENT_MOTION, 1e-5)

// Units in the last place by which a quantity is off that a step has computed.
// Origin: docs/decisions/0001; runs at 1e-9 are not stopped by round-off.
TMLI_CONSTANT(TMLI_ULPS, 8)

// [-] Shift of the diagonal of multipliers, in units of what their rows feel: dependent rows share a load.
// Origin: decision 0008: 1e-8 is too large for the scissor lift of 100 cells, 1e-10 serves all models tried;
// iterations and refinements restore what it changes.
TMLI_CONSTANT(TMLI_MULTIPLIER_SHIFT, 1e-10)

// ---- data -------------------------------------------------------------------------------------------------

// [-] Error of data that are written with six digits.
// Origin: six digits are the default of printf and of most programs that write models.
TMLI_CONSTANT(TMLI_INPUT_ERROR, 1e-6)

// [-] Growth by which the six digits of such data are lost.
#define TMLI_LOST_DIGITS (1 / TMLI_INPUT_ERROR)

// [-] Error of data that other programs have written.
// Origin: single precision and matrices of five to eight digits; axes and normals of six digits.
TMLI_CONSTANT(TMLI_IMPORTED_ERROR, 1e-5)

// [-] Error of masses and inertias.
// Origin: data sheets give four digits; a support or a spring by mistake changes them by 1e-2 and more.
TMLI_CONSTANT(TMLI_DATA_SHEET_ERROR, 1e-4)

// [-] Error of starts, directions and dimensions that are given roughly, with three digits.
#define TMLI_ROUGH_INPUT_ERROR (1000 * TMLI_INPUT_ERROR)

// ---- shares -----------------------------------------------------------------------------------------------

// [-] A share that is small beside the whole, one that is hardly seen, and one that does not count.
// Origin: one order of magnitude, two and three.
TMLI_SHARE(TMLI_SMALL_SHARE, 0.1)
TMLI_SHARE(TMLI_SLIGHT_SHARE, 0.01)
TMLI_SHARE(TMLI_NEGLIGIBLE_SHARE, 1e-3)

// [-] A share that is clearly less than the whole, and clearly more than a small one.
// Origin: half an order of magnitude.
TMLI_SHARE(TMLI_MODERATE_SHARE, 0.3)

// [-] A share as large as the rest.
// Origin: neither outweighs the other; a bound of 1 is kept with a factor of two.
TMLI_SHARE(TMLI_EVEN_SHARE, 0.5)

// [-] Growth that is no scatter, one that is none of an estimate either, and one by an order of magnitude.
// Origin: estimates of errors, rates and costs are right within a factor of about two.
TMLI_GROWTH(TMLI_TWOFOLD, 2)
TMLI_GROWTH(TMLI_FOURFOLD, 4)
TMLI_GROWTH(TMLI_TENFOLD, 10)

// [-] Way by which a start is in another body, over its size, or beyond a limit, from which on it is a
// mistake.
// Origin: contacts and limits at rest are less than 0.01 deep, else their stiffness is no model of a body.
TMLI_CONSTANT(TMLI_START_BEYOND, 0.05)

// ---- without bound ----------------------------------------------------------------------------------------

// A number that no quantity reaches, and whose square is a number.
// Origin: impulses of masses up to 1e30 kg at 1e8 m/s.
#define TMLI_UNBOUNDED 1e100

// ---- limits -----------------------------------------------------------------------------------------------

// Iterations of a loop that converges linearly, at most.
// Origin: a rate of 0.8, near to a friction that locks itself, needs 160 of them to round-off.
TMLI_COUNT(TMLI_ITERATIONS, 200)

// Iterations of Newton's method, and of others that converge as fast, at most.
// Origin: at a rate of 0.1, which asks for a new matrix, twelve iterations give all digits; more than are
// needed near a solution, so that what follows a failure is cheaper from there on.
TMLI_COUNT(TMLI_NEWTON_LIMIT, 12)

// Passes of what leaves the square of its error: the second leaves nothing that matters.
TMLI_COUNT(TMLI_TWO_PASSES, 2)

// Tries, parts or passes where one often serves and time forbids many.
// Origin: each costs as much as what it is to save.
TMLI_COUNT(TMLI_FEW, 4)

// Outputs of a run that does not say otherwise (spec.h): forces that change in time are sampled as often.
TMLI_COUNT(TMLI_RUN_OUTPUTS, 500)

// Parts of a search, or passes of one that need not end, at most; and steps of one with a solution at its
// end.
// Origin: time, less than that of some hundred steps of a run.
TMLI_COUNT(TMLI_SEARCH_PARTS, 1000)
TMLI_COUNT(TMLI_SEARCH_STEPS, 4000)

// Unknowns up to which dense matrices are made; where one factorization decides, three times as many.
// Origin: memory and time, 24 MB for three matrices of this size; 200 MB and half a minute for 3000.
TMLI_COUNT(TMLI_DENSE_UNKNOWNS, 1000)

// Steps of a search that halves an interval, at most: a double has no more digits.
#define TMLI_HALVINGS (DBL_MANT_DIG + 7)

#endif

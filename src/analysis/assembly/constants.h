// Thresholds of the assembly; see base/constants.h. base/tolerances.h and consistency/tolerances.h have
// the levels of residuals, corrections and pivots.
#ifndef TMLI_ANALYSIS_ASSEMBLY_CONSTANTS_H
#define TMLI_ANALYSIS_ASSEMBLY_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "consistency/tolerances.h"

#include <float.h>

// [-] Norm of the residuals of all rows, in model lengths or rad, up to which positions are left as they are.
// Origin: round-off of the positions of a few hundred rows, DBL_EPSILON times the root of their number.
#define ASSEMBLED_RESIDUAL (16 * DBL_EPSILON)

// Regularization eps, relative to 1/w, of the first iteration, in which nearly dependent rows must not drive
// the mechanism far away: it damps motion along pivots below its square root.
#define START_REGULARIZATION (TMLI_NEARLY_DEPENDENT * TMLI_NEARLY_DEPENDENT)

// [-] Iterations, at most: of Newton's method and of the method of Levenberg and Marquardt.
// Origin: ends loops. Steps of TMLI_LARGEST_CORRECTION cross any model before.
TMLI_COUNT(MAX_ITERATIONS, 400)

// [-] Part of the linearly predicted decrease of the residual that a correction must reach.
// Origin: any value below 1 lets the steps of Newton's method pass near a solution.
TMLI_SHARE(LINE_SEARCH_DECREASE, 0.25)

// [-] Factor of the regularization of Levenberg's and Marquardt's method after a failure, and its inverse
// after a success. The method starts with its inverse square.
// Origin: D. W. Marquardt, J. SIAM 11 (1963) 431-441.
#define DESCENT_FACTOR TMLI_TENFOLD

// ---- conflicts (assembly.c, conflict.c) -------------------------------------------------------------------

// [-] Residual of a conflict without one joint over that with it, below which the others agree.
// Origin: a matter of judgement; it changes the message of a failed assembly only.
#define ODD_JOINT_RESIDUAL TMLI_SMALL_SHARE

// [-] Residual over the largest one from which on a row takes part in a conflict.
// Origin: smaller ones remain of the iteration; it changes the message of a failed assembly only.
#define CONFLICT_RESIDUAL TMLI_NEGLIGIBLE_SHARE

// [-] Relative difference of gaps up to which one value is printed for all.
// Origin: (2) of conflict.h is linear; it changes the message of a failed assembly only.
TMLI_SHARE(SAME_GAP, 0.4)

#endif

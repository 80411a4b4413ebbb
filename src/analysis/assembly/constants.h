// Thresholds of the assembly; see base/constants.h. nearby.h has one that other rooms use too.
//
// Residuals are |r Phi| with the row units r of assembly.c: model lengths or rad.
#ifndef TMLI_ANALYSIS_ASSEMBLY_CONSTANTS_H
#define TMLI_ANALYSIS_ASSEMBLY_CONSTANTS_H

#include "analysis/rank/rank.h"
#include "base/constants.h"

// ---- iteration (assembly.c) -------------------------------------------------------------------------------

// [-] Regularization eps, relative to 1/w: of the first iteration, in which nearly dependent rows must not
// drive the mechanism far away.
// Origin: damps motion along pivots below its square root, 1e-4 = 10 TMLI_DEPENDENT.
TMLI_CONSTANT(START_REGULARIZATION, 1e-8)

// [-] Regularization eps of the final iteration.
// Origin: far above round-off, far below the accuracy of a correction.
TMLI_CONSTANT(FINAL_REGULARIZATION, 1e-12)

// [-] Corrections until Newton's iteration ends.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_CORRECTIONS, 100)

// [model lengths, rad] Largest displacement or rotation in one correction.
// Origin: chosen by trial on the bundled models; keeps rotations far from half a turn.
TMLI_CONSTANT(MAX_CORRECTION, 0.5)

// [model lengths, rad] Correction that ends an iteration.
// Origin: round-off of positions.
TMLI_CONSTANT(ZERO_CORRECTION, 1e-14)

// [model lengths, rad] Residual that ends the line search.
// Origin: round-off of positions, times the number of terms.
TMLI_CONSTANT(ZERO_RESIDUAL, 1e-13)

// [-] Halvings of a correction in the line search.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(LINE_SEARCH_HALVINGS, 12)

// [-] Part of the linearly predicted decrease of the residual that a correction must reach.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(LINE_SEARCH_DECREASE, 0.25)

// [-] Decrease of a small residual per correction above which the rows that remain are nearly dependent.
// Origin: Newton's iteration converges quadratically otherwise.
TMLI_CONSTANT(SLOW_DECREASE, 0.5)

// [model lengths, rad] Residual of an assembled mechanism.
// Origin: far above round-off, far below any tolerance of a run.
TMLI_CONSTANT(CLOSED_RESIDUAL, 1e-10)

// [model lengths, rad] Residual that nearly dependent rows may keep.
// Origin: ten times TMLI_DEPENDENT, which these rows differ by.
TMLI_CONSTANT(MISALIGNED_RESIDUAL, 1e-4)

// [-] Velocity residual over the scale of the velocities of an assembled mechanism.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(CLOSED_VELOCITY, 1e-8)

// [-] Corrections of the velocities, whose equations are linear.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(VELOCITY_CORRECTIONS, 4)

// [-] Weight of a body whose pose is exact, against 1 of the others.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(FIXED_BODY_WEIGHT, 1e10)

// ---- least sum of squares (assembly.c) --------------------------------------------------------------------

// [-] Steps of Levenberg's and Marquardt's method.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_DESCENT_STEPS, 400)

// [-] Its regularization: at the start, the limit at which it gives up, the divisor after a success, the
// factor after a failure.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(DESCENT_START, 1e-3)
TMLI_CONSTANT(DESCENT_LIMIT, 1e12)
TMLI_CONSTANT(DESCENT_DIVISOR, 8)
TMLI_CONSTANT(DESCENT_FACTOR, 10)

// [-] |B'r r Phi| over |r Phi| at which the sum of squares is at its minimum.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(FLAT_SLOPE, 1e-9)

// ---- rows without a gradient (assembly.c, conflict.c) -----------------------------------------------------

// [model lengths, rad] Displacement of the bodies of such a row before the iteration.
// Origin: gives the row a gradient above MIN_GRADIENT; chosen by trial.
TMLI_CONSTANT(NUDGE, 0.02)

// [-] Gradient that is round-off: it gives no direction.
// Origin: far above round-off of the derivatives.
TMLI_CONSTANT(ZERO_GRADIENT, 1e-9)

// [per length or rad] Gradient below which a row has none. Of a rod it is the distance of its points over its
// length.
// Origin: chosen by trial.
TMLI_CONSTANT(MIN_GRADIENT, 1e-3)

// ---- conflicts (assembly.c, conflict.c) -------------------------------------------------------------------

// [-] Residual of a conflict without one joint over that with it, below which the others agree.
// Origin: chosen by trial.
TMLI_CONSTANT(AGREEMENT, 0.1)

// [-] Size n + m of a system up to which the joint that is wrong is searched for.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(ODD_JOINT_SYSTEM, 3000)

// [-] Residual over the largest one from which on a row takes part in a conflict.
// Origin: smaller ones remain of the iteration.
TMLI_CONSTANT(CONFLICT_RESIDUAL, 1e-3)

// [-] Relative difference of gaps up to which one value is printed for all.
// Origin: (2) of conflict.h is linear; chosen by trial.
TMLI_CONSTANT(SAME_GAP, 0.4)

// [-] Relative difference of residuals up to which members are ordered by their rows.
// Origin: makes the order independent of round-off.
TMLI_CONSTANT(SAME_RESIDUAL, 1e-6)

// [-] Derivative by a translation over the largest derivative of a row above which the row is a length.
// Origin: round-off of the derivatives.
TMLI_CONSTANT(ZERO_TRANSLATION, 1e-12)

#endif

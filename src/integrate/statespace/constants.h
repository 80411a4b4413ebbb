// Thresholds of the state-space methods; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_STATESPACE_CONSTANTS_H
#define TMLI_INTEGRATE_STATESPACE_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "consistency/tolerances.h"
#include "integrate/core/tolerances.h"
#include "integrate/newton/convergence.h"

// ---- step controller (statespace.c) -----------------------------------------------------------------------

// [-] Half-way through a step the dense output, before projection, may miss the constraints by this many
// tolerances. It is the only bound where all motion is driven; elsewhere the error of the motion is much
// stricter.
#define DENSE_OUTPUT_ERROR TMLI_SMALL_SHARE

// [-] Wanted relative error of velocities at fixed steps, if the step is as long as the motion allows.
// Origin: round-off.
#define FIXED_STEP_ERROR TMLI_SUM_ROUNDOFF

// ---- matrices (statespace.c, matrix.c) --------------------------------------------------------------------

// [-] J1 and J2 are evaluated anew before the next step where Newton's method contracts worse than this.
// Lower: more evaluations of derivatives, fewer iterations.
// Origin: an evaluation costs about as much as five iterations.
TMLI_SHARE(EVALUATE_RATE, 0.05)

// [-] Share of the step after which the sparse matrix of methods with several stages is evaluated, so that
// its error is equally large at both ends.
// Origin: chosen by trial on the bundled models.
TMLI_SHARE(MATRIX_AHEAD, 0.6)

// ---- Newton's iteration of a stage (dirk.c) ---------------------------------------------------------------

// [-] Limit of iterations of a stage.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_ITERATIONS, 10)

// [-] The same for steps of fixed size, which are iterated to round-off and cannot become smaller.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_ITERATIONS_FIXED, 40)

// [-] Corrections that do not fall any more are round-off below this many allowed errors at steps of fixed
// size, 1e-8 of the speed; with step-size control below the allowed error.
// Origin: callbacks without derivatives have no more digits.
TMLI_CONSTANT(ROUNDOFF_FIXED, 1e5)

// [-] Largest rate that eta is computed with after the second iteration.
#define LARGEST_RATE (1 - TMLI_SLIGHT_SHARE)

// [-] Power of the share that the filter leaves of the defect dirk.c (3). Lower: smaller steps where fast
// modes are excited.
// Origin: of 0, 2 and 4, tried on the bundled models. With 4 velocities of the suspension's arms were off by
// six tolerances behind the bump, with 2 by half of one for 7 % more steps; with 0 the vehicle took about
// twice the steps, for errors far below the tolerance.
TMLI_CONSTANT(DEFECT_FILTER_POWER, 2)

#endif

// Thresholds of bdf, bdf2 and ggl; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_BDF_CONSTANTS_H
#define TMLI_INTEGRATE_BDF_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "integrate/core/step_control.h"
#include "integrate/core/tolerances.h"

// ---- order and step (control.c) ---------------------------------------------------------------------------

// [-] Another order must promise steps larger by this factor.
// Origin: chosen by trial on the bundled models; a change of order disturbs the multipliers.
#define ORDER_GAIN TMLI_KEEP_BELOW

// [-] After more rejections of one step than this a lower order is considered.
// Origin: docs/theory/bdf.md, 4.
TMLI_COUNT(REJECTIONS_BEFORE_LOWER_ORDER, 1)

// [-] After more rejections of one step than this the history is discarded.
#define REJECTIONS_BEFORE_RESTART (2 * TMLI_FEW)

// [-] Order of the first step with step-size control.
// Origin: the highest for which the derivatives at a start are known (start.c).
TMLI_COUNT(FIRST_ORDER, 3)

// [-] The same of order 2, at which vibrations need not be resolved.
// Origin: where an order that resolves them is at hand it is left for this; with 2 bdf takes 24,000 steps for
// modal_crank, with 4 the 15,000 of before. A cantilever takes 2,800 and 3,200.
#define ORDER_2_GAIN TMLI_FOURFOLD

// [-] Most considerations of order 2 that are left out after it promised nothing.
// Origin: the test is then a tenth of the work of modal_crank; a hundred steps are lost where it promises
// something later.
TMLI_COUNT(MOST_REFUSALS, 15)

// [-] 2 c4 of vibration_test.h (3): a vibration of phase x = h w decays by exp(-x^4/4) in a step of order 2.
// Origin: 3/2 - 2/r + 1/(2 r^2) = i x for r = exp(z) is z - z^3/3 + z^4/4 - .. = i x.
TMLI_CONSTANT(LOSS_OF_ORDER_2, 0.5)

// ---- error estimate (bdf.c) -------------------------------------------------------------------------------

// ---- probing the equations of motion (tmli_bdf_probe_force) -----------------------------------------------

// [-] Size to which an error is enlarged to probe the equations, over the accelerations of the motion.
// Origin: the equations are still linear, and the change is far above round-off.
#define PROBE_SIZE TMLI_NEGLIGIBLE_SHARE

// ---- start (bdf.c, start.c) -------------------------------------------------------------------------------

// [-] Distance of the points made up at a start, as a fraction one over this of a fixed step.
// Origin: near points are as exact as the derivatives; with step-size control a whole step keeps round-off
// small.
TMLI_CONSTANT(START_POINTS_PER_STEP, 4)

// [-] Time between the differences that also give the fourth derivative, over the time scale of the motion.
// Origin: truncation e^2 and round-off 1e-16/e^3 of third differences are then equal.
TMLI_CONSTANT(FOURTH_DERIVATIVE_DIFFERENCE, 1e-3)

// [-] Parts in which the motion is followed back from one made-up point to the next.
// Origin: with 2 the error of the path is far below that of the Taylor series.
TMLI_COUNT(PATH_PARTS, 2)

// [-] Points from which multipliers are predicted. A wrong prediction costs iterations, since a correction
// of multipliers turns the error of an old matrix into one of the positions. More points would prolong the
// disturbance of a change of the step.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MULTIPLIER_POINTS, 4)

// ---- drift (drift.c) --------------------------------------------------------------------------------------

// [-] Drift at the end of the run, over the tolerance, from which on errors count more.
// Origin: a free spatial slider-crank over three turns is then within eight tolerances, not fourteen; with 1
// within six. Bundled models take the same steps as without, with 1 2 % more.
TMLI_CONSTANT(DRIFT_TOLERANCES, 3)

// [rad or lengths] Path in one direction from which on errors are judged by their sum.
// Origin: about half a turn, farther than most vibrations go.
#define DRIFT_SHORTEST TMLI_CHART_ROTATION

// [-] Least share k of the kinetic energy, drift.c (1): a motion that stops does not go on in one direction.
// Origin: a tenth of the largest speed.
#define DRIFT_SLOWEST TMLI_SLIGHT_SHARE

// [-] The share of a step becomes smaller by no more than this factor.
// Origin: errors were up to 17 tolerances; a run takes at most 1.4 times the steps, by the fifth root.
TMLI_CONSTANT(DRIFT_LARGEST_FACTOR, 5)

// ---- Newton's iteration of bdf (bdf.c) --------------------------------------------------------------------

// [-] Share of a step's allowed velocity error that the iteration may leave.
// Origin: docs/theory/bdf.md, 4.
TMLI_SHARE(NEWTON_SHARE_OF_VELOCITY, 0.05)

// [-] Tolerance of the iteration at a start over that of the positions, until velocities have shown what
// they need.
#define FIRST_STRICTNESS TMLI_SMALL_SHARE

// [-] Further solves of a step if the velocities have not converged.
#define MAX_FURTHER_SOLVES TMLI_TWO_PASSES

// [-] Corrections of velocities count above this many round-offs of the increment.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(VELOCITY_ROUNDOFF, 2)

// [-] Share of the positions' round-off that corrections show, over that of the feedback and of the
// increment.
// Origin: chosen by trial on the bundled models.
TMLI_SHARE(CORRECTION_ROUNDOFF_SHARE, 0.05)

// [-] Error of a fixed step at order k that the feedback is held against: this times (rate h)^(k + 2).
#define FIXED_STEP_ERROR TMLI_NEGLIGIBLE_SHARE

// [-] Share of that error that Newton's iteration may leave.
#define FIXED_STEP_NEWTON_SHARE TMLI_UNSEEN

// [-] Powers of ten by which the tolerance of fixed steps shrinks with every order above 2.
// Origin: chosen by trial on the tests of orders.
TMLI_CONSTANT(FIXED_STEP_DIGITS_PER_ORDER, 3)

// ---- Newton's iteration of ggl (ggl.c) --------------------------------------------------------------------

// [-] A matrix is used while b of ggl.c (4) is within this factor of the one it was factored with.
// Origin: chosen by trial on the bundled models.
#define GGL_MATRIX_RATIO (TMLI_CHANGED * TMLI_CHANGED)

#endif

// Thresholds of the Radau methods; base/constants.h says how they are declared. Those that their Newton
// iteration shares with others stand in integrate/newton/convergence.h.
#ifndef TMLI_INTEGRATE_RADAU_CONSTANTS_H
#define TMLI_INTEGRATE_RADAU_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "integrate/core/step_control.h"
#include "integrate/core/tolerances.h"

// ---- error and step controller (radau.c, estimate.c) ------------------------------------------------------

// [-] Wanted error of a step over the allowed error.
// Origin: with 0.5, as for the other methods, errors of stiff runs exceed what the tests allow.
TMLI_SHARE(WANTED_ERROR, 0.4)

// [-] Factor of the converted error, radau.h (1), since errors of neighbouring steps mostly have the same
// sign.
// Origin: found on the bundled models; errors at the end are then 0.02 .. 3 times the tolerance, whatever
// the tolerance.
TMLI_CONSTANT(ERROR_SAFETY, 2)

// [-] TMLI_DAMPED_VIBRATION of what is overdamped.
// Origin: models/hmmwv.yaml, whose bushings take up the force of a kink of the road with 0.02 and 0.05
// tolerances; errors within the step are below that.
#define OVERDAMPED_ERROR TMLI_DAMPED_ERROR

// [-] Share of the estimate that the filter leaves, below which it fades with longer steps, radau.h (4).
// Origin: what it leaves of a rate with k rate = 1.
#define FADING_RATIO TMLI_FILTERED_SHARE

// [-] Part of the step that suits the rate of the motion, with which the method begins.
// Origin: with 0.25, as for other methods, the first step after a contact is rejected too often.
TMLI_SHARE(FIRST_STEP_PART, 0.15)

// [-] Gap of a velocity row at the end of a step, over the speeds of what it joins, above which the step has
// lost its motion.
// Origin: 0.09 in a step that takes a light body to another branch; 0.01 at most in bundled models with a
// tolerance of 0.1.
TMLI_SHARE(LARGEST_GAP, 0.05)

// [-] Gaps below this part of the largest velocity, and below the round-off of positions over h, do not
// count.
// Origin: bodies that hardly move have no scale of their own.
#define LEAST_GAP TMLI_SLIGHT_SHARE

// [-] Half-way through a step the dense output, before projection, may miss the constraints by this many
// tolerances.
// Origin: chosen by trial; where all motion is driven it is the only bound of the step.
#define DENSE_OUTPUT_ERROR TMLI_TENFOLD

// [-] Multipliers are judged by at least this share of the force that accelerates the inertia behind a row
// at the rate of the motion.
// Origin: chosen by trial on the bundled models.
#define LEAST_INERTIA_FORCE TMLI_SMALL_SHARE

// [lengths] Wanted error of Newton's iteration at fixed steps that are as long as the motion allows.
// Origin: round-off.
#define FIXED_STEP_NEWTON_ERROR TMLI_SOLUTION_ROUNDOFF

// [-] The same with control of multipliers, over rtol, at steps as long as the motion allows: the error of
// Phi appears in the multipliers of the next step divided by h^2.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(MULTIPLIER_NEWTON_SHARE, 1e-4)

// [-] Share of what other methods allow to Newton's iteration.
// Origin: stick and slip with bristles (tests/sim/test_friction.c) at 16 tolerances errs by 2.1 of them in
// the mean with 1, by 1.1 with 0.3 and 0.1; models/hmmwv.yaml takes 3 and 5 % more instructions.
#define NEWTON_SHARE TMLI_MODERATE_SHARE

// [-] The same after a step with vibrations that it does not resolve: forces of stiff springs, and reactions,
// show what the iteration leaves, and not only positions.
// Origin: work of the motor of a crank that moves a slider by a stiff spring (tests/cli/test_vibrations.py),
// over the largest energy: at the tolerances 1e-3 and 1e-4 off by 2.3 and 1.5 % with 1, by 0.3 and 0.2 % with
// 0.1, by 0.2 and 0.04 % with 0.01; for 15 and 25 % more iterations.
#define ELASTIC_NEWTON_SHARE TMLI_SMALL_SHARE

// [-] Share of what is allowed to Newton's iteration that it may use where errors of steps are far below the
// tolerance. From there up it may use their error over the allowed error.
// Origin: a block on stiff contacts with regularized friction, creeping and sliding, 31 tolerances from 1e-4
// to 1e-7 each: forces of the last second are off by 120 and 620 times the tolerance in N with 1 (medians of
// the largest), by 3 and 7 with 0.01, by 2 and 2 with 0.001, for 11 % more iterations.
#define NEWTON_LEAST_SHARE TMLI_NEGLIGIBLE_SHARE

// [-] Share of the step over which the second derivative of the chart is differenced.
// Origin: truncation e^2 and round-off 1e-16/e are both below 1e-8.
#define CHART_DIFFERENCE TMLI_START_DIFFERENCE

// ---- matrices (stages.c) ----------------------------------------------------------------------------------

// ---- Newton's iteration (stages_newton.c); _FIXED: steps of fixed size, which cannot become smaller -------

// [-] The matrix is factored anew without a trial if the step size has changed by more than this factor.
// Origin: chosen by trial on the bundled models.
#define FACTOR_RATIO TMLI_CHANGED

// [-] The same if the change of the step size alone would make the corrections of a coordinate fall no faster
// than by this rate: where dampers or springs are stiff.
// Origin: models/hmmwv.yaml, with bushings as stiff as 2.6e5 1/s, takes 13 % fewer instructions with 0.1 and
// 14 % with 0.03 to 0.06: of 78 evaluations of M, D and K 13 are left. Above REFACTOR_RATE a slow rate would
// be blamed on these.
TMLI_SHARE(FACTOR_CHANGE, 0.06)

// [lengths] Fixed steps that move the system by more than this couple the stages in one matrix.
// Origin: docs/theory/radau.md, 2; the contraction rate of simplified Newton is about this number.
TMLI_CONSTANT(COUPLING_MOTION, 3e-3)

// [-] Stages are also coupled if a correction is above this share of TMLI_NEWTON_LARGE_CORRECTION: one over
// this number.
// Origin: docs/theory/radau.md, 2.
#define COUPLING_CORRECTION_DIVISOR TMLI_TENFOLD

// [-] Unknowns of a model up to which stages can be coupled under control of the errors, too.
// Origin: their matrix has nine times the entries. models/beam_shaft.yaml, with 100 unknowns, fails as often
// with it and takes four times as long.
TMLI_COUNT(COUPLED_UNKNOWNS, 50)

// [-] Corrections of velocities count as what they move in this share of the step.
#define VELOCITY_WEIGHT TMLI_MODERATE_SHARE

// [-] Share of an augmented mass below which the mass itself is round-off.
// Origin: the square root of the round-off.
#define MASS_ROUNDOFF TMLI_ROOT_ROUNDOFF

// [1] Error over the allowed error by the prediction of the stages, below which a step with new inputs needs
// no estimate.
// Origin: a quarter of what the step control aims at, so that it still grows the step.
#define PREDICTED_ERROR (WANTED_ERROR / 4)

#endif

// Thresholds of the explicit methods; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_EXPLICIT_CONSTANTS_H
#define TMLI_INTEGRATE_EXPLICIT_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "integrate/core/tolerances.h"

// ---- shared (explicit.c) ----------------------------------------------------------------------------------

// [-] Steps at the limit of stability after which the problem counts as stiff.
// Origin: Hairer, Wanner, IV.2 (DOPRI5 and DOP853 use 15).
TMLI_COUNT(STIFF_STEPS, 15)

// [-] Other steps in a row after which the count of these starts again.
// Origin: Hairer, Wanner, IV.2 (DOPRI5 and DOP853 use 6).
TMLI_COUNT(NONSTIFF_STEPS, 6)

// [-] A step is rejected if its branch distance, explicit.h (2), is above this many tolerances plus
// BRANCH_ROUNDOFF.
// Origin: docs/theory/explicit.md.
#define BRANCH_TOLERANCES TMLI_TENFOLD

// [lengths or rad] Round-off of the branch distance.
// Origin: seen near singular configurations of the bundled models.
#define BRANCH_ROUNDOFF TMLI_ABOVE_ROOT_ROUNDOFF

// ---- Runge-Kutta methods (erk.c) --------------------------------------------------------------------------

// [-] Weight of the second estimate of order 8.
// Origin: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.10 (DOP853: 0.01 of its
// square).
#define SECOND_ESTIMATE_WEIGHT TMLI_SMALL_SHARE

// [-] Factor s of the estimate of order 8, erk.c (1).
// Origin: bench/accuracy/tuning and the bundled models; with it the mean of the rates costs no more steps
// than each step's own rate did, at smaller errors.
TMLI_CONSTANT(MEAN_ESTIMATE_SAFETY, 1.35)

// [-] Errors that grow from step to step by this factor more than their power of h are not those of smooth
// steps.
// Origin: on smooth models the factor is below 10; on the way into a peak it is several hundred.
TMLI_CONSTANT(UNSMOOTH_GROWTH, 30)

// [-] The same counts for estimated errors, over the allowed ones, above this.
// Origin: smaller ones stay below 1 as they are.
#define UNSMOOTH_FROM TMLI_SMALL_SHARE

// [-] The first step is at most one over this of the run.
// Origin: chosen by trial on the bundled models; steps of high order are long.
TMLI_CONSTANT(ERK_FIRST_STEPS_PER_RUN, 10)

// [rad] Largest rotation of a body in one step.
// Origin: a rotation vector of more than about a radian is no smooth function of time; chosen by trial.
TMLI_CONSTANT(LARGEST_ROTATION, 1.8)

// [lengths or rad] Distance from a singular configuration at which accelerations are evaluated in its place.
// Origin: chosen by trial on the bundled models.
#define SINGULAR_DISTANCE TMLI_BRANCH_DISTANCE

// [-] Largest such distance as a share of the step.
// Origin: chosen by trial on the bundled models.
#define SINGULAR_SHARE_OF_STEP TMLI_SMALL_SHARE

// ---- steps between changes of inputs (ticks.c) ------------------------------------------------------------

// [-] Ticks in a row with a single step each before a lower order is tried.
// Origin: a few changes of inputs that are far apart are no ticks; a loop has thousands.
TMLI_COUNT(SINGLE_STEP_TICKS, 3)

// [-] From this many ticks on, those for which an order is barred do not double any more.
// Origin: a trial that fails costs four to seven evaluations, less than one in a thousand of those of so many
// ticks.
TMLI_COUNT(MOST_BARRED_TICKS, 1024)

// ---- Adams methods (adams.c, adams_history.c) -------------------------------------------------------------

// [-] Factor of the estimated error.
// Origin: found on the bundled models, docs/theory/explicit.md.
TMLI_CONSTANT(ADAMS_ERROR_SAFETY, 2)

// [-] Share of the converted error that the estimated error does not fall below.
// Origin: chosen by trial on the bundled models.
TMLI_SHARE(CONVERTED_ERROR_SHARE, 0.1)

// [-] After more rejections of one step than this the order falls to 1.
// Origin: as in Shampine, Gordon 1975.
TMLI_COUNT(REJECTIONS_BEFORE_ORDER_ONE, 3)

// [-] The second evaluation of adams.c (4) is omitted while rho 2^k is below this.
// Origin: docs/theory/explicit.md; the region of stability without it ends near 0.7.
TMLI_CONSTANT(OMIT_SECOND_EVALUATION, 1)

// [-] Steps from one measurement of rho to the next.
// Origin: docs/theory/explicit.md; chosen by trial on the bundled models.
TMLI_COUNT(STEPS_PER_MEASUREMENT, 10)

// [-] rho 2^(k/2) above which the step counts as limited by stability.
// Origin: the region of stability ends at about 1.6.
TMLI_CONSTANT(ADAMS_STABILITY_LIMIT, 1.2)

#endif

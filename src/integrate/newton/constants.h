// Thresholds of the convergence monitor (convergence.c) and of the Newton kernel; those that other rooms need
// stand in convergence.h.
#ifndef TMLI_INTEGRATE_NEWTON_CONSTANTS_H
#define TMLI_INTEGRATE_NEWTON_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "consistency/tolerances.h"
#include "integrate/core/tolerances.h"
#include "integrate/newton/convergence.h"
#include <float.h>

// ---- contraction rate (convergence.c) ---------------------------------------------------------------------

// [-] Share of the last rate that a better measured one does not fall below.
// Origin: common practice (CVODE uses 0.3).
#define RATE_MEMORY TMLI_MODERATE_SHARE

// [-] The rate is multiplied by this after a solve with one iteration, which measures none: the matrix ages.
#define RATE_AGEING TMLI_TWOFOLD

// [-] A first correction larger than this times that of the last solve means that a force has set in. The
// rate of earlier steps is then not trusted.
// Origin: above the growth of the prediction's error, of order 3, when the step grows by 1.5.
#define UNEXPECTED TMLI_FOURFOLD

// [-] Corrections below this many R may have reached the round-off of residual and matrix, (2).
// Origin: the condition number of scaled matrices that is usual, over the 64 units of R.
#define STAGNATION (TMLI_TENFOLD * TMLI_TENFOLD)

// [lengths] The same if R is smaller, because constraints are computed from increments.
// Origin: stiff forces are computed from positions with a rounding of their own, of a few neighbours.
#define STAGNATION_OF_FORCES (8 * DBL_EPSILON)

// [-] Round-off of positions that damping passes on, in units in the last place of a length or 1 rad.
// Origin: differences of two positions of order 1 in two neighbouring steps.
TMLI_CONSTANT(PASSED_ULPS, 4)

// [-] Rates may miss the law of quadratic convergence, convergence.h (4), by this factor.
#define QUADRATIC_SLACK TMLI_TENFOLD

// ---- failure (convergence.c) ------------------------------------------------------------------------------

// [-] A rate above this ends the iteration after more than PATIENCE iterations; (1) counts it as this.
// Origin: common practice (DASSL, IDA use 0.9).
#define SLOWEST_RATE (1 - TMLI_SMALL_SHARE)

// [-] Iterations for which a slow rate is accepted.
// Origin: a rate is known after two; one more may be disturbed by what the first correction brought in.
TMLI_COUNT(PATIENCE, 3)

// [-] Limit of iterations.
#define MAX_ITERATIONS TMLI_NEWTON_LIMIT

// [-] The same for steps of fixed size, which cannot become smaller, and until corrections stop falling
// (option iterate).
// Origin: at a rate of one half fifty iterations give all digits.
TMLI_COUNT(MAX_ITERATIONS_FIXED, 50)

// [-] Iterations after which corrections at the level of round-off end the iteration, or an old matrix is
// renewed; one or two less at steps of fixed size, which renew their matrices sooner.
// Origin: one more than the iterations for which a slow rate is accepted, and one with a new matrix.
#define MAX_ROUNDOFF_ITERATIONS (PATIENCE + 2)

// [lengths] Displacement corrections that stop falling above this are not round-off, whatever the condition
// number (option iterate).
// Origin: without scaling those of steps of 1e-9 s still stop below it.
#define SATURATED_LIMIT TMLI_UNSEEN

// ---- new matrices (convergence.c) -------------------------------------------------------------------------

// [iterations] Cost of assembling and factoring a matrix.
// Origin: it costs about as much as two to three iterations.
TMLI_CONSTANT(FACTOR_COST, 2.5)

// [iterations] The same for steps of fixed size. They stay close to the full Newton method, so that the
// number of iterations does not depend on the step.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(FACTOR_COST_FIXED, 1)

// [-] The same for steps of fixed size.
// Origin: round-off is then reached in the fifth iteration.
TMLI_SHARE(REFACTOR_RATE_FIXED, 0.005)

// [lengths] Steps of fixed size whose first correction is larger get a new matrix each.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(FIRST_CORRECTION, 1e-5)

// ---- kernel -----------------------------------------------------------------------------------------------

// [-] Row scales are computed anew when the factor b of kernel.h (1) has changed by this factor.
// Origin: scales only balance the blocks of the matrix; chosen by trial on the bundled models.
#define RESCALE_RATIO (TMLI_CHANGED * TMLI_CHANGED)

// ---- vibrations (vibration_test.c) ------------------------------------------------------------------------

// [-] Ratio of two time scales that are tried, vibration_test.h (2).
// Origin: what the filter leaves changes from a quarter to a twenty-fifth.
#define SCALE_RATIO TMLI_TWOFOLD

// [-] Least stiffness over the largest of the two ends of a step for which what is stiff is a vibration.
// Origin: within it frequencies differ by 5 %. Into a steep wall, which changes by decades, steps of 0.5 lose
// a hundredth of the energy.
#define STIFFNESS_KEPT (1 - TMLI_SMALL_SHARE)

// [rad] Turn of parts, at the rate of the motion, from which on matrices of an earlier state are suspected if
// an error is too large: as much of a vibration passes their filter.
// Origin: a double pendulum on stiff springs takes 32,000 steps without this, 7,000 with.
#define TURN_KEPT TMLI_SLIGHT_SHARE

// [-] Share of the allowed amplitude below which the next longer time scale is tried.
// Origin: amplitudes of the vibrations of a beam grow with the third power of their period at most.
TMLI_SHARE(LONGER_SCALE, 0.125)

// [-] What an accepted step leaves of the largest amplitude seen.
// Origin: a hundred steps forget it, a period of the vibrations that matter takes tens.
#define PEAK_MEMORY (1 - TMLI_SLIGHT_SHARE)

#endif

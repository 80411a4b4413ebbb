// Convergence of Newton's method: the thresholds and tests that the three iterations share.
//
// The iterations are those of the kernel (kernel.c), of ggl (bdf/ggl.c) and of the Radau stages
// (radau/stages_newton.c). They differ in unknowns and matrix and agree in this: corrections c_n are
// measured in model lengths (1 rad for rotations), the contraction rate is c_n/c_{n-1}, and with it the
// remaining error is
//   rate/(1 - rate) c_n                                                                                 (1)
// Thresholds of one iteration alone stand in the constants.h of its room.
//
// Quadratic convergence. If every correction is made with a new matrix, c_{n+1} = Q c_n^2 and the rates r_n
// = c_n/c_{n-1} obey r_{n+1} = r_n^2. If the last two rates do, the law is trusted: a correction need not be
// followed by another one that proves it to have been the last. Where the matrix lacks a term the rates stop
// falling, and the test concludes nothing.
#ifndef TMLI_INTEGRATE_NEWTON_CONVERGENCE_H
#define TMLI_INTEGRATE_NEWTON_CONVERGENCE_H

#include "base/constants.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

// ---- round-off --------------------------------------------------------------------------------------------

// [lengths] Corrections below this (times gyration_ratio of kernel.h) are round-off of the positions.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEWTON_ROUNDOFF, 64 * DBL_EPSILON)

// [lengths] Corrections that stop falling below this (times gyration_ratio) have reached the round-off of
// residuals and matrix: no better solution exists.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEWTON_STAGNATION, 1e-12)

// [-] A contraction rate above this is no progress, if the corrections are as small as
// TMLI_NEWTON_STAGNATION.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEWTON_STAGNATION_RATE, 0.3)

// [-] A rate is measured from corrections above this many times round-off.
// Origin: a tenth of the measured rate may then be round-off.
TMLI_CONSTANT(TMLI_NEWTON_RATE_FROM, 10)

// [-] A rate decides about a new matrix if the earlier correction is above this many times round-off.
// Origin: a hundredth of the rate may then be round-off.
TMLI_CONSTANT(TMLI_NEWTON_JUDGE_FROM, 100)

// [-] Where the equations are not scaled, corrections of multipliers are measured in this times the largest
// multiplier: they are judged less strictly than positions.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEWTON_MULTIPLIER_UNIT, 1e3)

// ---- contraction rate -------------------------------------------------------------------------------------

// [-] Contraction rate assumed before the first one is measured.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEWTON_FIRST_RATE, 0.1)

// [-] Share of the last rate that a better measured one does not fall below.
// Origin: common practice (CVODE uses 0.3).
TMLI_CONSTANT(TMLI_NEWTON_RATE_MEMORY, 0.3)

// [-] Largest rate that (1) is evaluated with.
// Origin: (1) then estimates ten times the correction at most.
TMLI_CONSTANT(TMLI_NEWTON_LARGEST_RATE, 0.9)

// [-] The rate is multiplied by this after a solve with one iteration, which measures none: the matrix ages.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEWTON_RATE_AGEING, 2)

// [-] Largest rate whose logarithm is used to count the iterations still needed.
// Origin: any number below 1 that leaves the logarithm finite.
TMLI_CONSTANT(TMLI_NEWTON_COUNTED_RATE, 0.999)

// ---- failure ----------------------------------------------------------------------------------------------

// [-] Corrections that grow by more than this factor end the iteration.
// Origin: common practice (LSODE, CVODE use 2).
TMLI_CONSTANT(TMLI_NEWTON_DIVERGENCE, 2)

// [-] A rate above this ends the iteration after more than TMLI_NEWTON_PATIENCE iterations.
// Origin: common practice (DASSL, IDA use 0.9).
TMLI_CONSTANT(TMLI_NEWTON_SLOWEST_RATE, 0.9)

// [-] Iterations for which a slow rate is accepted.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(TMLI_NEWTON_PATIENCE, 3)

// [-] Least number of iterations of a solve with steps of fixed size, which are iterated to round-off.
// Origin: the second iteration measures the rate.
TMLI_COUNT(TMLI_NEWTON_LEAST_ITERATIONS_FIXED, 2)

// [-] Limit of iterations of the kernel and of ggl.
// Origin: chosen by trial on the bundled models; a smaller step is cheaper than more iterations.
TMLI_COUNT(TMLI_NEWTON_MAX_ITERATIONS, 10)

// ---- new matrices -----------------------------------------------------------------------------------------

// [iterations] Cost of assembling and factoring a matrix in the kernel and in ggl. The matrix is renewed
// within a solve if more iterations than this are still needed at the observed rate.
// Origin: it costs about as much as two iterations.
TMLI_CONSTANT(TMLI_NEWTON_FACTOR_COST, 2)

// [iterations] The same for steps of fixed size. They stay close to the full Newton method, so that the
// number of iterations does not depend on the step.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEWTON_FACTOR_COST_FIXED, 1)

// [-] The matrix of the kernel and of ggl is renewed before the next step if the rate was worse than this.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEWTON_REFACTOR_RATE, 0.2)

// [-] The same for steps of fixed size.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEWTON_REFACTOR_RATE_FIXED, 0.005)

// [-] Within a solve the matrix is kept if the rate is below this fraction of the rate that asks for a new
// one before the next step: one over this number.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEWTON_GOOD_RATE_DIVISOR, 10)

// [lengths] Steps of fixed size whose first correction is larger get a new matrix each (kernel, ggl).
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEWTON_FIRST_CORRECTION, 1e-5)

// [lengths] At steps of fixed size a correction larger than this is followed by a new matrix.
// Origin: chosen by trial on the bundled models; the configuration has then left the range of the old
// matrix.
TMLI_CONSTANT(TMLI_NEWTON_LARGE_CORRECTION, 1e-3)

// [-] Relative change of the scheme's coefficient up to which a matrix that contains the step size is kept.
// Origin: above the round-off of the coefficients, below every deliberate change of the step.
TMLI_CONSTANT(TMLI_NEWTON_SAME_COEFFICIENT, 1e-6)

// ---- iteration until corrections stop falling (option iterate = saturated) --------------------------------

// [-] Limit of iterations.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(TMLI_NEWTON_MAX_SATURATED, 50)

// [lengths] Displacement corrections that stop falling above this are not round-off, whatever the condition
// number.
// Origin: without scaling those of steps of 1e-9 s still stop below it.
TMLI_CONSTANT(TMLI_NEWTON_SATURATED_LIMIT, 1e-6)

// ---- contraction ------------------------------------------------------------------------------------------

/** (1) over the last correction, for the given rate. */
static inline double tmli_newton_remaining(double rate)
{
    const double used = fmin(rate, TMLI_NEWTON_LARGEST_RATE);
    return used / (1 - used);
}

/** The rate after a measurement of it. A good rate is not trusted at once, unless the matrix is new. memory:
 * share of the old rate below which the new one does not fall. */
static inline double tmli_newton_update_rate(double rate, double memory, bool new_matrix, double measured)
{
    return fmax(new_matrix ? 0 : memory * rate, fmin(measured, TMLI_NEWTON_LARGEST_RATE));
}

/** True if an iteration with this rate is to be given up. */
static inline bool tmli_newton_diverges(int iterations, double rate)
{
    return rate > TMLI_NEWTON_DIVERGENCE ||
           (iterations > TMLI_NEWTON_PATIENCE && rate > TMLI_NEWTON_SLOWEST_RATE);
}

/** Iterations that reduce `remaining` to `tol` at the given rate. */
static inline double tmli_newton_iterations_left(double remaining, double tol, double rate)
{
    return log(tol / remaining) / log(fmin(rate, TMLI_NEWTON_COUNTED_RATE));
}

/** Contraction rate above which the matrix is renewed before the next step (kernel, ggl). */
static inline double tmli_newton_refactor_rate(bool fixed_step)
{
    return fixed_step ? TMLI_NEWTON_REFACTOR_RATE_FIXED : TMLI_NEWTON_REFACTOR_RATE;
}

/** Cost of a new matrix in iterations (kernel, ggl). */
static inline double tmli_newton_factor_cost(bool fixed_step)
{
    return fixed_step ? TMLI_NEWTON_FACTOR_COST_FIXED : TMLI_NEWTON_FACTOR_COST;
}

/** End of a message about an iteration that does not converge. */
static inline const char *tmli_newton_scaling_hint(bool unscaled)
{
    return unscaled ? "; the equations are not scaled (option scaling)" : "";
}

// ---- quadratic convergence --------------------------------------------------------------------------------

// [-] Rates may miss the law r_{n+1} = r_n^2 by this factor.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_QUADRATIC_SLACK, 10)

typedef struct tmli_quadratic {
    double size;       // last correction, if made with a new matrix; else 0
    double rate;       // of the last two corrections; 0: not known
    double remaining;  // remaining error; INFINITY: not known
} tmli_quadratic;

/** A correction was made; exact: with a matrix evaluated where the correction began. With the matrix of an
 * exact correction before it, the rate still obeys the law, but the next rate will not be smaller. */
static inline void tmli_quadratic_add(tmli_quadratic *q, double size, bool exact)
{
    const double rate = q->size > 0 ? size / q->size : 0;
    const bool law = q->rate > 0 && rate > 0 && rate <= TMLI_QUADRATIC_SLACK * q->rate * q->rate;
    q->remaining = law ? TMLI_QUADRATIC_SLACK * rate * (exact ? rate : 1) * size : (double)INFINITY;
    q->rate = exact ? rate : 0;
    q->size = exact ? size : 0;
}

/** True if one more iteration with the present matrix would leave more than tol; false if not known. */
static inline bool tmli_quadratic_wants_matrix(const tmli_quadratic *q, double tol)
{
    const double next = q->rate * q->rate, slack = TMLI_QUADRATIC_SLACK * TMLI_QUADRATIC_SLACK;
    return q->rate > 0 && q->rate < 1 && slack * next * next * q->size > tol;
}

#endif

// Thresholds of the constraint monitor; see base/constants.h.
//
// Pivots and singular values are those of B in units of the model. Gaps of inactive rows are in units of
// the row. Distances are measured in model lengths or rad, whichever coordinate moves furthest.
// docs/theory/singular.md explains how the main thresholds work together.
#ifndef TMLI_INTEGRATE_CONSTRAINTS_CONSTANTS_H
#define TMLI_INTEGRATE_CONSTRAINTS_CONSTANTS_H

#include "base/constants.h"

// ---- failed steps (monitor.c) -----------------------------------------------------------------------------

// [-] Failed Newton iterations from one state after which the monitor searches ahead; one with fixed steps.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(FAILURES_BEFORE_SEARCH, 2)

// [-] Rejected trials of any kind from one state after which the monitor searches ahead.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(REJECTIONS_BEFORE_SEARCH, 6)

// [-] Rejected trials from one search ahead to the next.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(REJECTIONS_PER_SEARCH, 4)

// [-] Relative tolerance above which regularized methods pass singular configurations of driven mechanisms
// without the monitor.
// Origin: trust-region on 40 four_bars, which fails below it.
TMLI_CONSTANT(IGNORE_SINGULAR_RTOL, 1e-7)

// ---- steps near a singular configuration (monitor.c) ------------------------------------------------------

// [model lengths or rad] Travel of the first step if rows are dependent only at the start: short enough
// that the missing force has little effect, long enough that the rows are independent afterwards.
// Origin: erk8 at rtol 1e-6 from a singular start, which was 6e-3 m off with its own first step of 0.05 s.
TMLI_CONSTANT(FIRST_STEP_TRAVEL, 4e-3)

// [-] Travel of a step, in multiples of near_pivot, while singular rows are inactive.
// Origin: chosen by trial on the bundled models; rows are reactivated after about that travel.
TMLI_CONSTANT(MAX_STEP_PIVOTS, 4)

// [-] near_pivot over the cube root of the tolerance.
// Origin: over pivots up to s the neglected change of the force moves bodies by the order s^3.
TMLI_CONSTANT(NEAR_PIVOT_FACTOR, 0.3)

// [-] Least near_pivot over TMLI_NEAR_SINGULAR.
// Origin: smaller pivots leave no digits to accelerations of reduced equations.
TMLI_CONSTANT(NEAR_PIVOT_MIN_SHARE, 0.1)

// [-] near_pivot over TMLI_NEAR_SINGULAR with fixed steps.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(NEAR_PIVOT_FIXED_SHARE, 0.3)

// ---- lock-up (monitor.c, singular.c) ----------------------------------------------------------------------

// [-] Steps shorter than this share of the run's duration end a run that approaches a lock-up.
// Origin: chosen by trial on locked_crank.
TMLI_CONSTANT(LOCK_STEP_SHARE, 1e-6)

// [-] Consecutive steps of that length after which a regularized method has reached the lock-up.
// Origin: chosen by trial on locked_crank.
TMLI_COUNT(LOCK_SHORT_STEPS, 20)

// [-] Position residual over the tolerance at which a regularized method has reached the lock-up.
// Origin: chosen by trial on locked_crank.
TMLI_CONSTANT(LOCK_RESIDUAL_SHARE, 0.1)

// [-] Velocity residual of deactivated rows over the largest constraint velocity: above it the mechanism
// locks up.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(LOCK_VELOCITY_SHARE, 0.05)

// ---- redundant rows (redundant.c) -------------------------------------------------------------------------

// [-] Most steps between two checks that inactive rows are still redundant.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_CHECK_INTERVAL, 64)

// [-] Change of an inactive row along the null space of the active rows: above it the row is independent.
// Origin: chosen by trial; rows of joints with dimensional errors change by 1e-5.
TMLI_CONSTANT(INDEPENDENT_CHANGE, 1e-3)

// [-] Gap of inactive rows over that of the last check at which they are checked at once.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(GAP_GROWTH, 10)

// [-] Gap of inactive rows at which the constraints contradict each other.
// Origin: chosen by trial on overdriven_parallelogram.
TMLI_CONSTANT(CONFLICT_GAP, 1e-4)

// [-] The same over the gap at the start, if that is larger.
// Origin: chosen by trial on door_out_of_line and coupled_wheels.
TMLI_CONSTANT(CONFLICT_GAP_GROWTH, 30)

// [-] Gap of inactive rows up to which a state satisfies them.
// Origin: half the digits of double precision.
TMLI_CONSTANT(SATISFIED_GAP, 1e-8)

// [-] Gap of singular rows above which a run that cannot reactivate them ends.
// Origin: chosen by trial on flat_at_rest.
TMLI_CONSTANT(MAX_SINGULAR_GAP, 1e-2)

// [-] Pivots below it are weak: the active rows are close to a singular configuration.
// Origin: chosen by trial on three_cranks and coupled_wheels.
TMLI_CONSTANT(WEAK_PIVOT, 0.1)

// [-] First pivot of the search for better active rows, over WEAK_PIVOT.
// Origin: chosen by trial on coupled_wheels.
TMLI_CONSTANT(EXCHANGE_FIRST_PIVOT, 4)

// [-] Reduction of that pivot from one trial to the next.
// Origin: chosen by trial on coupled_wheels.
TMLI_CONSTANT(EXCHANGE_PIVOT_REDUCTION, 1.5)

// [-] Pivots at which singular rows are reactivated, over those at which they were deactivated. The search
// weighs inactive rows by 0.1, so that 0.2 means twice the pivots.
// Origin: chosen by trial: hysteresis of a factor 2.
TMLI_CONSTANT(REACTIVATION_SHARE, 0.2)

// [-] Coefficient of an active row, over the largest, from which an error message names its joint.
// Origin: chosen by trial on overdriven_parallelogram.
TMLI_CONSTANT(NAMED_COEFFICIENT, 1e-3)

// ---- singular configurations (singular.c) -----------------------------------------------------------------

// [-] Configurations of a predicted step that a search ahead tests, both ends included.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(SEARCH_POINTS, 9)

// [model lengths or rad] Longest prediction of a search ahead.
// Origin: chosen by trial: a second-order prediction over more is no information.
TMLI_CONSTANT(MAX_PREDICTION, 0.5)

// [-] Growth of the pivot threshold from one search ahead to the next.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(SEARCH_PIVOT_GROWTH, 2.5)

// [-] Bisections that locate a singular configuration within a step.
// Origin: 2^-12 of a step is well below the tolerance of the reported time.
TMLI_COUNT(BISECTIONS, 12)

// [-] Pivots above which multipliers are reliable: their errors are of the order roundoff/s^3.
// Origin: 1e-16/(5e-4)^3 = 1e-6 (docs/theory/singular.md).
TMLI_CONSTANT(RELIABLE_PIVOT, 5e-4)

// [model lengths or rad] Furthest distance back along the motion at which a state with reliable multipliers
// is sought.
// Origin: chosen by trial on folded_parallelogram and two_slider_cranks.
TMLI_CONSTANT(MAX_LOOKBACK, 0.05)

// [-] Growth of that distance from one trial to the next.
// Origin: doubling; the number of trials grows with the logarithm of the distance.
TMLI_CONSTANT(LOOKBACK_GROWTH, 2)

// [-] Singular value over near_pivot at which rows are deactivated although no step has failed.
// Origin: chosen by trial; beyond it reduced equations lose their digits.
TMLI_CONSTANT(DEACTIVATION_SHARE, 0.2)

// [-] The same for regularized methods, whose constraints yield before that.
// Origin: trust-region on a Peaucellier linkage at rtol 1e-6, which lost energy with a smaller value.
TMLI_CONSTANT(DEACTIVATION_SHARE_ANY_RANK, 0.6)

// [-] Least singular value at which rows are deactivated, also in slow motions.
// Origin: accelerations have errors of the order roundoff/s^3 = 1e-4 there.
TMLI_CONSTANT(MIN_DEACTIVATION_PIVOT, 1e-4)

// [-] Pivots of rows to deactivate over that singular value: it is not larger than the smallest pivot.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(DEACTIVATION_PIVOT_FACTOR, 2)

// [-] Divisor of the acceleration scale after rows were deactivated: old accelerations fade.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(ACCELERATION_SCALE_DECAY, 2)

// [model lengths or rad] v^2/a from which on a motion passes a singular configuration without turning back.
// Origin: chosen by trial on four_bars (docs/theory/singular.md).
TMLI_CONSTANT(NO_TURNING_DISTANCE, 0.5)

// [-] Share of the kinetic energy that is added to the denominator of the force without work
// (active_rows.h).
// Origin: chosen by trial; avoids a division by zero where the motion stops.
TMLI_CONSTANT(MIN_ENERGY_SHARE, 1e-6)

// [-] Pivots that vanish at a passage. The configuration of a passage is interpolated, hence the large
// value.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(VANISHING_PIVOT, 0.1)

// [model lengths or rad] Passages closer to each other count as one.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(SAME_PASSAGE_DISTANCE, 0.05)

// [-] Smallest singular value of the active rows below which they are exchanged for better ones, if
// inactive rows have a gap.
// Origin: chosen by trial on coupled_wheels.
TMLI_CONSTANT(EXCHANGE_VALUE_WITH_GAP, 0.15)

// [-] The same if all inactive rows are satisfied.
// Origin: chosen by trial on three_cranks.
TMLI_CONSTANT(EXCHANGE_VALUE, 0.01)

// [-] Least pivot of the rows that replace them.
// Origin: chosen by trial on three_cranks and coupled_wheels.
TMLI_CONSTANT(EXCHANGE_PIVOT, 0.2)

// [-] The same over the smallest singular value of the present active rows.
// Origin: chosen by trial on three_cranks and coupled_wheels.
TMLI_CONSTANT(EXCHANGE_IMPROVEMENT, 3)

// ---- the smallest singular value (singular_value.c) -------------------------------------------------------

// [-] Distance from one check to the next over the singular value.
// Origin: s changes at most like the distance; half of it leaves a margin (docs/theory/singular.md).
TMLI_CONSTANT(CHECK_DISTANCE_SHARE, 0.5)

// [model lengths or rad] Least distance from one check to the next.
// Origin: MIN_DEACTIVATION_PIVOT: smaller values need no resolution.
TMLI_CONSTANT(MIN_CHECK_DISTANCE, 1e-4)

// [model lengths or rad] Largest distance from one check to the next, before stretching.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(MAX_CHECK_DISTANCE, 0.5)

// [model lengths or rad] Distance within which the sign of n'Bw is meaningful, before stretching.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(MAX_VECTOR_DISTANCE, 1.5)

// [-] Stretch of these distances is STRETCH_RATE over the rate of change of s.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(STRETCH_RATE, 0.7)

// [-] Largest stretch where s hardly changes.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(MAX_STRETCH, 8)

// [-] Largest stretch where s is small and changes.
// Origin: chosen by trial on four_bars.
TMLI_CONSTANT(MAX_STRETCH_SMALL_VALUE, 2)

// [1/(model length or rad)] Rate of s above which it changes, where it is small.
// Origin: chosen by trial on four_bars.
TMLI_CONSTANT(SLOW_RATE, 0.05)

// [-] Decay of the largest recent rate of s from one check to the next.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(RATE_DECAY, 0.8)

// [-] A small singular value: inverse iteration converges fast below it.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(SMALL_SINGULAR_VALUE, 0.1)

// [-] Inverse iterations with the matrix of accelerations; one where s is small.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(ITERATIONS, 2)

// [-] Inverse iterations with B B'. A solve is cheap there.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(GRAM_ITERATIONS, 8)

// [-] Weight of the fixed test vector in the start vector of an iteration, so that no singular vector is
// missed.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TEST_VECTOR_WEIGHT, 0.3)

// [-] Most parts into which a step is divided for checks within it.
// Origin: chosen by trial on folded_parallelogram with erk8.
TMLI_COUNT(MAX_PARTS, 8)

// [-] Most checks that reuse the singular vectors of an earlier one.
// Origin: scripts/monitor-cost on four_bars: the checks cost at most 5 % of a run.
TMLI_COUNT(MAX_REUSES, 7)

// [-] Distance over s within which singular vectors are reused.
// Origin: scripts/monitor-cost on four_bars.
TMLI_CONSTANT(REUSE_DISTANCE, 16)

// [-] n'Bw over its first value, and the inverse ratio, above which singular vectors are reused.
// Origin: scripts/monitor-cost on four_bars.
TMLI_CONSTANT(REUSE_RATIO, 0.5)

// [-] Rows up to which coupled systems use B B' in place of the matrix of accelerations.
// Origin: chosen by trial: the inertia of all joints costs more than a step of an explicit method.
TMLI_COUNT(MAX_GRAM_ROWS, 128)

// Rows up to which all singular values are tracked; sizes arrays.
// Origin: chosen by trial on the bundled models.
enum { MAX_TRACKED_ROWS = 16 };

// [model lengths or rad] Distance from one comparison of all singular values to the next.
// Origin: chosen by trial on folded_parallelogram: all passages are detected (docs/theory/singular.md).
TMLI_CONSTANT(COMPARE_DISTANCE, 0.6)

// [model lengths or rad] Steps with more travel are long: all singular values are compared after each.
// Origin: chosen by trial; half of COMPARE_DISTANCE.
TMLI_CONSTANT(LONG_STEP_TRAVEL, 0.3)

// [model lengths or rad] Largest distance over which rows can be compared.
// Origin: chosen by trial; twice COMPARE_DISTANCE.
TMLI_CONSTANT(MAX_COMPARE_DISTANCE, 1.2)

// [-] Most states without a check: a method may take tiny steps near a configuration where it fails.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_SKIPPED_STATES, 200)

#endif

// Thresholds of the constraint monitor; see base/constants.h.
//
// Pivots and singular values are those of B in units of the model. Gaps of inactive rows are in units of
// the row. Distances are measured in model lengths or rad, whichever coordinate moves furthest.
// docs/theory/singular.md explains how the main thresholds work together.
#ifndef TMLI_INTEGRATE_CONSTRAINTS_CONSTANTS_H
#define TMLI_INTEGRATE_CONSTRAINTS_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "consistency/tolerances.h"
#include "integrate/core/step_control.h"
#include "integrate/core/tolerances.h"

// ---- pivots -----------------------------------------------------------------------------------------------

// [-] Pivots above which multipliers are reliable: their errors are of the order roundoff/s^3.
// Origin: 1e-16/(5e-4)^3 = 1e-6 (docs/theory/singular.md).
TMLI_CONSTANT(RELIABLE_PIVOT, 5e-4)

// [-] near_pivot over the cube root of the tolerance.
// Origin: over pivots up to s the neglected change of the force moves bodies by the order s^3, here
// 0.027 tolerances.
#define NEAR_PIVOT_FACTOR TMLI_MODERATE_SHARE

// [-] Singular value over near_pivot at which rows are deactivated although no step has failed. Times
// RELIABLE_PIVOT: the least such value, also in slow motions, and the least distance between two checks.
// Origin: accelerations have errors of the order roundoff/s^3 = 1e-4 at the least value.
TMLI_SHARE(DEACTIVATION_SHARE, 0.2)

// [-] Pivots at which singular rows are reactivated, over those at which they were deactivated. The search
// weighs inactive rows by 0.1, so that 0.2 means twice the pivots.
// Origin: hysteresis of a factor 2: the next check may be a distance s/2 away.
#define REACTIVATION_SHARE (2 * TMLI_INACTIVE_WEIGHT)

// [-] Travel of a step, in multiples of near_pivot, while singular rows are inactive.
// Origin: they are inactive from -s to 2 s at most, where s is near_pivot; a step covers that and a little.
#define MAX_STEP_PIVOTS TMLI_FOURFOLD

// [-] Distance to a singular configuration over the singular value, within which the latter must change its
// sign for rows to be deactivated.
// Origin: random loops; 3 to 10 where they pass one, 100 and more where bodies are far apart.
TMLI_GROWTH(MAX_APPROACH, 20)

// [-] Pivots and singular values below it are weak: the rows are close to a singular configuration, other
// rows would be the better choice, and inverse iteration converges fast.
// Origin: an order of magnitude below those of independent rows, which are about 1 in units of the model.
TMLI_SHARE(WEAK_PIVOT, 0.1)

// ---- distances and times ----------------------------------------------------------------------------------

// [model lengths or rad] Distance over which directions of motions and of rows can be compared: of
// predictions and of checks. If v^2/a is larger, a motion passes a singular configuration without turning
// back.
// Origin: a rotation by 0.5 rad changes a row by half of its size.
#define FAR_DISTANCE TMLI_LARGEST_CORRECTION

// [model lengths or rad] Passages within it count as one; states before one are sought no further back.
// Origin: WEAK_PIVOT/2, since pivots change at most like the distance.
#define NEIGHBOURHOOD (WEAK_PIVOT / 2)

// [-] Share of the run's duration that is negligible: shorter steps end a run that approaches a lock-up, and
// passages are not located more accurately.
// Origin: at a lock-up velocities grow like (t* - t)^(-1/2), here to 1e3 times those of the whole run.
#define NEGLIGIBLE_TIME TMLI_SHORTEST_BUDGET

// [-] Most steps without a check of inactive rows and of singular values; so many steps within
// a negligible time reach a lock-up.
// Origin: time; a check of one factorization in so many steps costs 1 or 2 %.
TMLI_COUNT(MAX_SKIPPED, 64)

// ---- failed steps (monitor.c) -----------------------------------------------------------------------------

// [-] Failed Newton iterations from one state after which the monitor searches ahead; one with fixed steps.
// Origin: one failure is usual where a step was too long.
TMLI_COUNT(FAILURES_BEFORE_SEARCH, 2)

// [-] Rejected trials of any kind from one search ahead to the next.
// Origin: time; a search evaluates B at MAX_PARTS + 1 configurations, a trial at two or three.
#define REJECTIONS_PER_SEARCH TMLI_FEW

// [-] Relative tolerance above which regularized methods pass singular configurations of driven mechanisms
// without the monitor.
// Origin: trust-region on 40 four_bars, which fails below it.
TMLI_CONSTANT(IGNORE_SINGULAR_RTOL, 1e-7)

// [-] Velocity residual of deactivated rows over the largest constraint velocity: above it the mechanism
// locks up.
// Origin: NEIGHBOURHOOD; over it the lost direction turns by as much.
#define LOCK_VELOCITY_SHARE NEIGHBOURHOOD

// ---- redundant rows (redundant.c) -------------------------------------------------------------------------

// [-] Gap of inactive rows over that of the last check at which they are checked at once; over that of the
// start, at which the constraints contradict each other.
// Origin: chosen by trial on door_out_of_line and coupled_wheels, which can move although gaps grow.
TMLI_GROWTH(GAP_GROWTH, 30)

// [-] Least gap of inactive rows at which the constraints contradict each other.
// Origin: chosen by trial on overdriven_parallelogram.
#define CONFLICT_GAP TMLI_DATA_SHEET_ERROR

// ---- singular configurations (singular.c) -----------------------------------------------------------------

// [-] Most parts into which a step is divided for checks within it, and for searches ahead; most checks with
// the same singular vectors.
// Origin: folded_parallelogram with erk8; scripts/monitor-cost on four_bars: the checks cost at most 5 % of a
// run.
TMLI_COUNT(MAX_PARTS, 8)

// [-] Share of the kinetic energy that is added to the denominator of the force without work
// (active_rows.h).
// Origin: avoids a division by zero where the motion stops, at 1e-3 of its velocity.
#define MIN_ENERGY_SHARE (TMLI_NEGLIGIBLE_SHARE * TMLI_NEGLIGIBLE_SHARE)

// ---- the smallest singular value (singular_value.c) -------------------------------------------------------

// [-] Distance from one check to the next over the singular value, and over that divided by its rate.
// Origin: s changes at most like the distance; half of it leaves a margin (docs/theory/singular.md).
#define CHECK_DISTANCE_SHARE TMLI_EVEN_SHARE

// [-] Largest stretch of distances where s hardly changes.
// Origin: chosen by trial; more than a rotation of 4 rad is no information about singular vectors.
TMLI_GROWTH(MAX_STRETCH, 8)

// [-] Decay of the largest recent rate of s from one check to the next.
// Origin: chosen by trial; the rate of ten checks ago counts one tenth.
TMLI_SHARE(RATE_DECAY, 0.8)

// [-] Inverse iterations; one where s is small.
// Origin: they start from the last vectors and converge by (s1/s2)^2 each.
#define ITERATIONS TMLI_TWO_PASSES

// [-] Weight of the fixed test vector in the start vector of an iteration, so that no singular vector is
// missed.
#define TEST_VECTOR_WEIGHT TMLI_MODERATE_SHARE

// [-] n'Bw over its first value, and the inverse ratio, above which singular vectors are reused.
#define REUSE_RATIO TMLI_EVEN_SHARE

// [-] Rows up to which coupled systems use B B' in place of the matrix of accelerations.
// Origin: time and memory; the inertia of all joints costs more than a step of an explicit method.
TMLI_COUNT(MAX_GRAM_ROWS, 128)

// Rows up to which all singular values are tracked; sizes arrays.
// Origin: time; determinants and eigenvalues of matrices cost the cube of their size.
enum { MAX_TRACKED_ROWS = 16 };

#endif

// Thresholds of the location of discontinuities; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_EVENTS_CONSTANTS_H
#define TMLI_INTEGRATE_EVENTS_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "consistency/tolerances.h"

// Points of a step at which event functions are evaluated, the end included, and least strides of a search
// ahead. Sizes arrays, so it cannot vary.
// Origin: docs/theory/discontinuities.md; more points cost evaluations, fewer miss short visits of another
// branch.
enum { SAMPLE_POINTS = 4 };

// ---- time -------------------------------------------------------------------------------------------------

// [-] Round-off of times, relative to t and to the duration of the run: closer ones are the same.
// Origin: some fifty round-offs, for sums of the steps of a run and of event functions of time.
#define TIME_ROUNDOFF TMLI_FEW_ROUNDOFFS

// [-] Share of the run, or of the time searched, that is a negligible time. Motion over it tells the next
// mode. Event functions of time are not searched for shorter pulses, nor again after they only touched zero.
// MAX_CHANGES that follow each other within it are chatter.
// Origin: above the root of round-off, since an event function that touches zero is flat over as much; well
// below a step.
#define INSTANT TMLI_ABOVE_ROOT_ROUNDOFF

// [-] Where velocities across the constraints have moved the end of a branch by less than an instant, the
// step is made again and ends twice as many instants before.
// Origin: the motion over an instant tells the next mode, so that the branch must not end within one.
TMLI_CONSTANT(RETREAT_INSTANTS, 1.5)

// ---- event functions of time ------------------------------------------------------------------------------

// [-] Evaluations of one event function of time in one search ahead; then the search ends earlier.
// Origin: time; a search stays below the cost of some steps, also if event functions vary much faster.
TMLI_COUNT(MAX_SEARCH_EVALUATIONS, 400)

// [-] The search covers at least 1/SEARCH_AHEAD of the run at once.
// Origin: time; a run then has some fifty searches, fewer than steps.
TMLI_CONSTANT(SEARCH_AHEAD, 50)

// [-] A stride is accepted if the value at its end, and the slope times the stride, miss their Taylor series
// by at most this share of the sum of its terms.
// Origin: (1) assumes the second derivative twice as large as it is; the error must be within that margin.
TMLI_SHARE(TAYLOR_ERROR, 0.3)

// ---- forces that change with time (time_probe.c) ----------------------------------------------------------

// [-] Samples of forces within a step that show what a method sees of them, its ends included.
// Origin: methods have three to twelve stages in a step; sums over five points are of fourth order.
TMLI_COUNT(PROBE_REFERENCES, 5)

// [-] Samples of forces within one step, at most.
// Origin: time; as many as a hundred steps of a run with five hundred outputs need.
#define MAX_PROBE_SAMPLES TMLI_RUN_OUTPUTS

// ---- event functions of the state -------------------------------------------------------------------------

// [rad] Rotation of a body within the points at which event functions are evaluated; a step with more has
// several such parts, at most MAX_SAMPLED_PARTS.
// Origin: the height of a corner follows the sine of the angle. Its values at distances of a quarter of a
// radian, with the minimum of the parabola through three of them, show a dip to 1e-3 of its arm.
TMLI_CONSTANT(SAMPLED_ROTATION, 1)
TMLI_COUNT(MAX_SAMPLED_PARTS, 100)

// [-] Halvings of the distance of two points between which an event function may be negative.
// Origin: time; where it turns round near zero each halving costs two evaluations, and shapes that graze each
// other within a step of 0.15 s overlap for 1e-3 s.
TMLI_COUNT(DIP_HALVINGS, 8)

// [-] Steepness of an event function between two points, over the largest mean one between neighbours.
// Origin: as that of the second derivative in the search ahead; a body that turns before it strikes is faster
// than the mean.
TMLI_GROWTH(DIP_STEEPNESS, 2)

// [-] One of so many iterations for a root is a bisection, so that the bracket closes in any case.
// Origin: a cycle of regula falsi with halved ends has three iterations (M. Dowell, P. Jarratt, BIT 11 (1971)
// 168-174).
TMLI_COUNT(BISECTION_PERIOD, 4)

// ---- chatter ----------------------------------------------------------------------------------------------

// [-] A mode that changes this often, each time within a negligible time after the last, chatters: the motion
// slides along a jump.
// Origin: docs/theory/discontinuities.md; each change restarts the method, and fifty cost as much as a run.
TMLI_COUNT(MAX_CHANGES, 50)

// [-] Width over which a jump is then smoothed: tolerances of the distance that its quantity covers during
// the run.
// Origin: docs/theory/discontinuities.md; the motion creeps by that width.
#define SMOOTHING_WIDTH TMLI_SMALL_SHARE

// [-] Least tolerance in this.
// Origin: the default tolerance; narrower jumps make the equations needlessly stiff.
TMLI_CONSTANT(LEAST_SMOOTHING_TOLERANCE, 1e-4)

// ---- impacts ----------------------------------------------------------------------------------------------

// [-] Error of a rate after an impact, over the rate before it, that shows a constraint which others keep
// from stopping. Origin: the solution is exact to round-off; a prescribed motion goes on unchanged.
#define IMPACT_ERROR TMLI_NEGLIGIBLE_SHARE

// [1/s] Rate in model lengths that is zero but for round-off: constraints that depend on others which rest
// may be struck with it. Origin: as AT_REST of the force elements, of velocities that should be 0.
#define IMPACT_ROUNDOFF TMLI_SOLUTION_ROUNDOFF

// [rad] Turn of a slip in space within a part of a jump of prescribed velocities, and parts at most. Origin:
// friction acts against the slip at the end of a part, so that its direction is wrong by half of that; a
// slip that turns round takes some 300 parts.
#define SLIP_TURN TMLI_SLIGHT_SHARE
#define MAX_PARTS TMLI_SEARCH_PARTS

// [-] Change of impulses in a pass over the largest that is round-off.
// Origin: 1e-16 times the condition number of the scaled equations.
#define IMPULSE_CHANGE TMLI_SOLUTION_ROUNDOFF

// [-] The same, if changes do not fall any more; gain of energy in an impact over all of it.
// Origin: loads are differences of forces with the round-off of all forces, at mass ratios of 1e12 some 1e-9.
#define IMPULSE_NOISE TMLI_ABOVE_ROOT_ROUNDOFF

// [N s, N m s] A bound of friction that no impulse reaches, and whose square is a number. Origin: impulses of
// masses up to 1e30 kg at 1e8 m/s.
#define NO_BOUND TMLI_UNBOUNDED

// [-] Height of a bounce over the model length, and time of all further bounces over the duration of the run,
// below which a unilateral constraint closes.
// Origin: the round-off of positions, 64 eps, with which a bounce is located; time: some 1e4 times that of t.
TMLI_CONSTANT(BOUNCE_ROUNDOFF, 1.5e-14)
#define BOUNCE_TIME TMLI_AGREEMENT

// [-] Coupling of two rows by W, over the mean of their diagonals, above which impulses of one change the
// rate of the other. Origin: 1e-16 times a condition number of the equations of some 1e6.
#define COUPLED_ROWS TMLI_SOLUTION_ERROR

// [-] Inverse inertia along a row over what it would be without other constraints, below which these hold it.
// Origin: some hundred round-offs; parts of a mechanism may differ in mass by 1e12.
TMLI_CONSTANT(HELD_ROW, 3e-14)

// ---- the law of impact (impact_law.c) ---------------------------------------------------------------------

// [-] Violation of the law by impulses, over the largest rate, both in units in which W is about 1. Origin:
// 1e-16 times the condition number of the rows that are not dependent, as IMPULSE_CHANGE.
TMLI_CONSTANT(LAW_ERROR, 1e-11)

// [-] The same of forces, over the largest acceleration. Origin: the velocities of states within a step meet
// their constraints to the error of the dense output, by which the accelerations of rows that depend on each
// other differ; well below the tolerances of runs.
TMLI_CONSTANT(FORCE_ERROR, 1e-6)

// [-] The same over the tolerance of the run, with which the errors of the dense output fall. Rows that
// depend on each other let go by that share of the forces too late, which must not show in the motion.
// Origin: FORCE_ERROR at the tolerance 1e-4, where it was found.
#define FORCE_ERROR_OF_TOLERANCE (FORCE_ERROR * 1e4)

// [-] Acceleration of rows in force that no force changes, over the largest terms of one, below which it is
// the error of the state. Origin: rows in force do not accelerate; errors of 4e-5 were seen at a tolerance of
// 1e-4, and a constraint that opens exceeds it at once.
TMLI_CONSTANT(FORCE_NOISE, 1e-4)

// [-] Round-off of a rate, over the sum of its terms without their signs. Origin: a dozen round-offs, of the
// terms and of the velocities in them, which constraints have just corrected.
TMLI_CONSTANT(RATE_ROUNDOFF, 3e-15)

// [-] Added to the diagonal of W, scaled to 1, in steps and in the matrix of Newton's method. Origin: the
// root of round-off: impulses of dependent rows drift by 1e-16 over it, and each pass leaves it over the
// least eigenvalue.
#define DEPENDENT_SHIFT TMLI_ROOT_ROUNDOFF

// Passes of Newton's method, and steps of all groups, at most; steps one after the other: a quarter. Origin:
// Newton's method ends within ten where the states of the contacts are right; time: an impact that has no
// solution costs 0.1 s.
TMLI_COUNT(NEWTON_PASSES, 30)
#define LAW_STEPS TMLI_SEARCH_STEPS

// [-] Newton's method is tried after a share of 1/STEPS_BETWEEN_TRIALS more steps than before. Origin: it
// costs as much as some ten steps, which a tenth more of them do not exceed.
TMLI_COUNT(STEPS_BETWEEN_TRIALS, 32)

// [-] Error of the solution of one group, over its impulse, and iterations for it, at most. Origin: some
// round-offs; a bisection gains a digit in three or four.
#define LOCAL_ERROR TMLI_FEW_ROUNDOFFS
#define LOCAL_ITERATIONS TMLI_ITERATIONS

// [-] Inertia that bodies without mass have in impulses, over W of consistency/index1.h (2).
// Origin: impulses on them are 0; what this inertia takes is 1e-9 of others, below every tolerance.
TMLI_CONSTANT(IMPULSE_INERTIA, 1e-6)

#endif

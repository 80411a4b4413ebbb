// Thresholds of the location of discontinuities; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_EVENTS_CONSTANTS_H
#define TMLI_INTEGRATE_EVENTS_CONSTANTS_H

#include "base/constants.h"

// Points of a step at which event functions are evaluated, the end included. Sizes arrays, so it cannot
// vary.
// Origin: docs/theory/discontinuities.md; more points cost evaluations, fewer miss short visits of another
// branch.
enum { SAMPLE_POINTS = 4 };

// ---- event functions of time ------------------------------------------------------------------------------

// [-] Evaluations of one event function of time in one search ahead; then the search ends earlier.
// Origin: chosen by trial; a bound for event functions that vary much faster than the steps.
TMLI_COUNT(MAX_SEARCH_EVALUATIONS, 400)

// [-] The search covers at least 1/SEARCH_AHEAD of the run at once.
// Origin: chosen by trial; searches are then rare.
TMLI_CONSTANT(SEARCH_AHEAD, 50)

// [-] Largest stride of the search is 1/LARGEST_STRIDE of the time searched.
// Origin: chosen by trial.
TMLI_CONSTANT(LARGEST_STRIDE, 4)

// [-] Smallest stride of the search, as a share of the time searched.
// Origin: chosen by trial; shorter pulses are not resolved by the steps.
TMLI_CONSTANT(SMALLEST_STRIDE, 1e-6)

// [-] Smallest stride of the search, in units in the last place of t.
// Origin: t must change.
TMLI_CONSTANT(SMALLEST_STRIDE_ULPS, 4)

// [-] Strides are this much longer than the root of (1), so that a root is passed and not approached
// forever.
// Origin: chosen by trial.
TMLI_CONSTANT(STRIDE_OVERSHOOT, 1.05)

// [-] A stride is accepted if the value at its end misses its Taylor series by at most this share of the sum
// of its terms.
// Origin: chosen by trial.
TMLI_CONSTANT(TAYLOR_VALUE_ERROR, 0.3)

// [-] The same for the slope times the stride.
// Origin: chosen by trial.
TMLI_CONSTANT(TAYLOR_SLOPE_ERROR, 0.5)

// ---- event functions of the state -------------------------------------------------------------------------

// [-] Limit of the iterations that locate a root within a step.
// Origin: above the number of bisections that reach the resolution of t.
TMLI_COUNT(MAX_ROOT_ITERATIONS, 100)

// [-] One of so many of these iterations is a bisection.
// Origin: chosen by trial.
TMLI_COUNT(BISECTION_PERIOD, 4)

// [-] A minimum between sample points is checked if the parabola through them falls below this share of the
// middle value.
// Origin: chosen by trial.
TMLI_CONSTANT(SUSPICIOUS_MINIMUM, 0.2)

// [-] The next mode is determined at a state whose positions and velocities are this share of the run later.
// Origin: chosen by trial; enough for the event functions to change.
TMLI_CONSTANT(LATER_MOTION, 1e-7)

// [-] The time of this state is later by so many units in the last place of t.
// Origin: chosen by trial.
TMLI_CONSTANT(LATER_TIME_ULPS, 16)

// [-] In this t counts as at least this share of the run.
// Origin: chosen by trial.
TMLI_CONSTANT(LATER_TIME_OF_RUN, 1e-3)

// [-] Times closer than this share of the run are the same.
// Origin: some tens of units in the last place of the duration.
TMLI_CONSTANT(SAME_TIME, 1e-14)

// [-] After an event function that only touched zero none is located within this many times SAME_TIME.
// Origin: chosen by trial; the root would be found again.
TMLI_CONSTANT(TOUCHED_ROOT_PAUSE, 100)

// ---- chatter ----------------------------------------------------------------------------------------------

// [-] A mode that changes this often within CHATTER_TIME chatters: the motion slides along a jump.
// Origin: docs/theory/discontinuities.md; chosen by trial.
TMLI_COUNT(MAX_CHANGES, 50)

// [-] Share of the run in which these changes are counted.
// Origin: docs/theory/discontinuities.md; chosen by trial.
TMLI_CONSTANT(CHATTER_TIME, 1e-6)

// [-] Width over which a jump is then smoothed: tolerances of the distance that its quantity covers during
// the run.
// Origin: docs/theory/discontinuities.md.
TMLI_CONSTANT(SMOOTHING_WIDTH, 0.1)

// [-] Least such width as a share of that distance.
// Origin: narrower jumps make the equations needlessly stiff.
TMLI_CONSTANT(LEAST_SMOOTHING_WIDTH, 1e-5)

#endif

// Thresholds of the step loop and of the error weights; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_CORE_CONSTANTS_H
#define TMLI_INTEGRATE_CORE_CONSTANTS_H

#include "base/constants.h"

// ---- step loop (driver.c) ---------------------------------------------------------------------------------

// [-] A step that falls short of the end time by less than this share of the remaining time is made to land
// on it.
// Origin: far above the round-off of t + h, far below any step that would be worth making on its own.
TMLI_CONSTANT(END_TIME_SLACK, 1e-9)

// [-] If more than 1/HALVING_RATIO of the remaining time would be used by the next step, two equal steps are
// made.
// Origin: slightly below 2, so that no step is much smaller than its neighbours.
TMLI_CONSTANT(HALVING_RATIO, 1.9)

// [-] The step is divided by this after a failed Newton iteration or evaluation.
// Origin: common practice (DASSL, IDA use 4).
TMLI_CONSTANT(FAILED_STEP_DIVISOR, 4)

// [-] Errors of rejected steps that fall below this share of the first one count as decreasing with the step
// size.
// Origin: chosen by trial on the bundled models; it selects only the advice of the final error message.
TMLI_CONSTANT(DECREASED_ERROR, 0.1)

// ---- error weights (error_weights.c) ----------------------------------------------------------------------

// [-] Multipliers are judged by at least this share of the largest one of all rows.
// Origin: chosen by trial on the bundled models; without it rows that carry no load decide the step.
TMLI_CONSTANT(LEAST_MULTIPLIER, 0.01)

// [lengths/s or rad/s] Allowed error of the velocity of massless coordinates: none is ever rejected.
// Origin: any number far above all velocities whose square does not overflow.
TMLI_CONSTANT(MASSLESS_VELOCITY, 1e100)

// [-] Units in the last place of its own velocity that a step may add to the error of a velocity.
// Origin: docs/decisions/0001; runs at 1e-9 are not stopped by round-off.
TMLI_CONSTANT(OWN_VELOCITY_ULPS, 8)

// [-] The same in units of the velocity that the fastest part of the model can pass on.
// Origin: docs/decisions/0001.
TMLI_CONSTANT(FASTEST_VELOCITY_ULPS, 2)

// [-] The same in units of the round-off of positions that the least feedback lets in, over h.
// Origin: docs/decisions/0001.
TMLI_CONSTANT(FEEDBACK_ULPS, 8)

// [-] Units in the last place of positions, over h, that velocities across the constraints may be off by.
// Origin: docs/decisions/0001, as above.
TMLI_CONSTANT(ACROSS_ULPS, 8)

// [-] Share of a step's error budget that the Newton iteration may leave.
// Origin: docs/theory/alpha.md, 4.
TMLI_CONSTANT(NEWTON_SHARE_OF_BUDGET, 0.1)

// [lengths] Largest error that the Newton iteration may leave, whatever the tolerance.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(NEWTON_LARGEST_ERROR, 1e-8)

// [lengths] The same without error control, at steps as long as the motion allows.
// Origin: round-off for practical purposes; chosen by trial on the bundled models.
TMLI_CONSTANT(NEWTON_FIXED_STEP_ERROR, 3e-9)

#endif

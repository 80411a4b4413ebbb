// Thresholds of error and step control that several methods share; base/constants.h says how they are
// declared. Those of one method alone stand in the constants.h of its room.
#ifndef TMLI_INTEGRATE_CORE_STEP_CONTROL_H
#define TMLI_INTEGRATE_CORE_STEP_CONTROL_H

#include "base/constants.h"

// ---- error per unit step ----------------------------------------------------------------------------------

// [-] A step of size h may use this times h/duration of the tolerance.
// Origin: docs/decisions/0001; below 1 because errors of neighbouring steps mostly have the same sign.
TMLI_CONSTANT(TMLI_STEP_SHARE, 0.6)

// [-] Steps shorter than this share of the duration get the error budget of a step of this length.
// Origin: chosen by trial on the bundled models; it keeps very short transients affordable.
TMLI_CONSTANT(TMLI_SHORTEST_BUDGET, 1e-6)

// ---- feedback of residuals, kernel.h (2) ------------------------------------------------------------------

// [-] Least share of the round-off of positions that is fed back.
// Origin: docs/theory/alpha.md, 3; old residuals must still decay within about a million steps.
TMLI_CONSTANT(TMLI_LEAST_FEEDBACK, 1e-6)

// [-] Share of the error estimate's terms that the round-off fed back may reach.
// Origin: docs/theory/alpha.md, 3; chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_FEEDBACK_NOISE, 0.003)

// ---- first step -------------------------------------------------------------------------------------------

// [-] The first step is at most one over this of the run.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_FIRST_STEPS_PER_RUN, 100)

// [-] Share of the allowed error that the first step of alpha and bdf may use.
// Origin: chosen by trial on the bundled models; growing is cheaper than a rejection.
TMLI_CONSTANT(TMLI_FIRST_STEP_SHARE, 0.1)

// [-] First step of alpha and bdf over the time in which an acceleration moves its coordinate by half a
// length: the force must not change the velocity out of scale within the step.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_FIRST_STEP_OF_ACCELERATION, 0.1)

// [-] Part of the step that suits the rate of the motion, with which state-space and explicit methods begin.
// Origin: chosen by trial on the bundled models; growing is cheaper than a rejection.
TMLI_CONSTANT(TMLI_FIRST_STEP_PART, 0.25)

// [-] Time between the differences of accelerations at a start, over the time scale of the motion.
// Origin: truncation e^2 and round-off 1e-16/e^2 of second differences are then equal.
TMLI_CONSTANT(TMLI_START_DIFFERENCE, 1e-4)

// ---- after a failed step ----------------------------------------------------------------------------------

// [-] After a failed Newton iteration of a one-step method steps stay below this times the failed one.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_FAILED_STEP_LIMIT, 0.6)

// [-] This limit is multiplied by this after every accepted step.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_FAILED_STEP_RELEASE, 1.05)

#endif

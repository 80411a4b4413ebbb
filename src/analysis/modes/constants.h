// Thresholds of steady motion; see base/constants.h.
#ifndef TMLI_ANALYSIS_MODES_CONSTANTS_H
#define TMLI_ANALYSIS_MODES_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Change of the equations of small motions, over their size, up to which a motion is steady.
// Origin: TMLI_INPUT_ERROR for inertia and geometry of symmetric bodies that are written with six digits.
TMLI_CONSTANT(STEADY_ERROR, 1e-6)

// [-] The same over the size of the largest terms.
// Origin: TMLI_AGREEMENT: terms of very stiff directions leave round-off in the others.
TMLI_CONSTANT(STEADY_NOISE, 1e-10)

// [-] The same for systems of callbacks.
// Origin: the error of their difference quotients, cbrt(eps)^2 to sqrt(eps), with a margin of some hundred.
TMLI_CONSTANT(STEADY_DIFFERENCES, 1e-5)

// [rad, model lengths] Motion after which the equations are compared, and once more after twice of it.
// Origin: twice of it is below half a turn even between two bodies that turn against each other, so that
// counted angles are known; a sine of any phase differs at one of the three points.
TMLI_CONSTANT(STEADY_ANGLE, 0.6)

// [-] Axes that are tried for a part of the model, at most.
// Origin: bounds the time of a check of a model with many bodies that turn differently.
TMLI_COUNT(STEADY_TRIES, 8)

#endif

// Thresholds of the advice; see base/constants.h.
#ifndef TMLI_ADVICE_CONSTANTS_H
#define TMLI_ADVICE_CONSTANTS_H

#include "base/constants.h"

// [-] Trial steps of a small model. The second half of them gives the typical step size.
// Origin: controllers reach it in less than 30 steps from a small first step.
TMLI_COUNT(MAX_TRIAL_STEPS, 60)

// [-] Trial steps times unknowns, at most.
// Origin: bounds the time of an advice to about a second.
TMLI_CONSTANT(TRIAL_WORK, 3e5)

#endif

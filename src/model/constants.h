// Thresholds of the model; see base/constants.h.
#ifndef TMLI_MODEL_CONSTANTS_H
#define TMLI_MODEL_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Overshoot of a spline over the range of its points from which on a run and `check` note it.
// Origin: a matter of judgement; drawn curves differ visibly from there. It changes a sentence, no result.
#define NOTE_OVERSHOOT TMLI_SLIGHT_SHARE

#endif

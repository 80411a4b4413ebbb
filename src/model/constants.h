// Thresholds of the model; see base/constants.h.
#ifndef TMLI_MODEL_CONSTANTS_H
#define TMLI_MODEL_CONSTANTS_H

#include "base/tolerances.h"

// [-] Overshoot of a spline over the range of its points from which on a run and `check` note it.
// Origin: a matter of judgement; drawn curves differ visibly from there. It changes a sentence, no result.
#define NOTE_OVERSHOOT TMLI_SLIGHT_SHARE

// [rad] Difference of the angle of a joint that is given from that of its frames, but for full turns, above
// which a warning tells it.
// Origin: assembly moves joints by less; angles are given to a degree.
#define OTHER_ANGLE TMLI_SMALL_SHARE

#endif

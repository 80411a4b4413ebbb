// Thresholds of the joint elements; see base/constants.h.
#ifndef TMLI_ELEMENT_JOINT_CONSTANTS_H
#define TMLI_ELEMENT_JOINT_CONSTANTS_H

#include "base/constants.h"

// [rad] Angle up to which (sin a)/a is computed from its series 1 - a^2/6.
// Origin: the next term, a^4/120, is below the round-off 1e-16 for a <= 3e-4.
TMLI_CONSTANT(SINC_SERIES_ANGLE, 1e-4)

#endif

// Threshold of the system on SE(3); see base/constants.h.
#ifndef TMLI_SYSTEM_SE3_CONSTANTS_H
#define TMLI_SYSTEM_SE3_CONSTANTS_H

#include "base/constants.h"

// [-] 1 + |theta|^2/4 up to which differences of configurations are measured by Cayley's map; here |theta|
// = 4, a rotation by 127 degrees.
// Origin: at 180 degrees the increment is infinite. Here it is 1.8 times the angle; no step turns that far.
TMLI_CONSTANT(CAYLEY_RANGE, 5)

#endif

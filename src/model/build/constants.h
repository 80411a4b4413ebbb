// Thresholds of model building; see base/constants.h.
#ifndef TMLI_MODEL_BUILD_CONSTANTS_H
#define TMLI_MODEL_BUILD_CONSTANTS_H

#include "base/constants.h"

// [-] Number of planar configurations at which a row is tested for a dependence on planar motion.
// Origin: a row that changes has a zero derivative at a scattered configuration with probability 0; three
// exclude a coincidence of given dimensions.
TMLI_COUNT(PLANAR_TRIALS, 3)

#endif

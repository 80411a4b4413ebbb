// Thresholds of model building; see base/constants.h.
#ifndef TMLI_MODEL_BUILD_CONSTANTS_H
#define TMLI_MODEL_BUILD_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Number of planar configurations at which a row is tested for a dependence on planar motion.
// Origin: a row that changes has a zero derivative at a scattered configuration with probability 0; three
// exclude a coincidence of given dimensions.
TMLI_COUNT(PLANAR_TRIALS, 3)

// [-] Distance of a joint at the start from the border between the branches of its rows, a sum of cosines. A
// joint nearer to it may be assembled on either.
// Origin: a tenth of the distance of a revolute joint; assembly moves joints by less.
#define LEAST_BRANCH_MARGIN TMLI_SMALL_SHARE

// [-] Distance of the middle of a model from the coordinate origin, in model lengths, up to which states
// count positions from there.
// Origin: coordinates of 500 lengths are rounded to 1e-13 lengths, a thousandth of TMLI_AGREEMENT.
TMLI_CONSTANT(NEAR_ORIGIN, 500)

// [-] Rounding of given positions, over the model length, above which a warning tells it.
// Origin: a tenth of TMLI_INPUT_ERROR: data of six digits are not affected.
#define ROUNDED_DIMENSIONS (TMLI_INPUT_ERROR / 10)

// [-] Rounding of given positions, over the model length, above which a model is refused.
// Origin: dimensions are given with three digits or more.
#define LOST_DIMENSIONS TMLI_ROUGH_INPUT_ERROR

#endif

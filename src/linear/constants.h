// Thresholds of linear systems and meshes of a model; see base/constants.h.
#ifndef TMLI_LINEAR_CONSTANTS_H
#define TMLI_LINEAR_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Largest displacement over the length of the model in the difference quotients of geometric stiffness.
// Origin: the error of the quotients is its square, their round-off 1e-16 over it.
#define STIFFENING_MOTION TMLI_QUOTIENT_MOTION

#endif

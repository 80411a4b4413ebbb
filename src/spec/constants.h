// Thresholds of the checks of definitions; see base/constants.h.
#ifndef TMLI_SPEC_CONSTANTS_H
#define TMLI_SPEC_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Error of an inertia tensor, relative to its trace, up to which it is accepted as physically
// possible.
// Origin: data sheets give four digits; the rounded inertia of a plate (Jzz = Jxx + Jyy) must be accepted.
#define INERTIA_TOLERANCE TMLI_DATA_SHEET_ERROR

#endif

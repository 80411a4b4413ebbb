// Thresholds of laws of contact; see base/constants.h.
#ifndef TMLI_ELEMENT_LAW_CONSTANTS_H
#define TMLI_ELEMENT_LAW_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [m] Depth below which the slope of a power law is taken at this depth: that of d^(1/4) is infinite at 0.
// Origin: less than the size of an atom; the slope is for Newton's iteration only, whose result does not
// depend on it.
TMLI_CONSTANT(LEAST_DEPTH, 1e-12)

// [-] Restitution above which the damping of Hunt and Crossley comes from a series. Origin: there the
// equation has lost 6 digits to cancellation, and the first term left out is of the size 1e-5.
#define NEARLY_ELASTIC (1 - TMLI_IMPORTED_ERROR)

#endif

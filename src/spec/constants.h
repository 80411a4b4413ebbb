// Thresholds of the checks of definitions; see base/constants.h.
#ifndef TMLI_SPEC_CONSTANTS_H
#define TMLI_SPEC_CONSTANTS_H

#include "base/constants.h"

// [-] Error of an inertia tensor, relative to its trace, for which it is still accepted as physically
// possible. Origin: data sheets give four digits; the rounded inertia of a plate (Jzz = Jxx + Jyy) must be
// accepted.
TMLI_CONSTANT(INERTIA_TOLERANCE, 1e-4)

// [-] Square of the sine of half the angle between the z axes of a body and of the plane in a planar model,
// up to which they are parallel. Origin: square of 1e-12, the round-off of an orientation that is a product
// of rotations.
TMLI_CONSTANT(PLANAR_ORIENTATION_SQUARED, 1e-24)

#endif

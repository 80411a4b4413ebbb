// Thresholds of outlines; see base/constants.h.
#ifndef TMLI_ELEMENT_OUTLINE_CONSTANTS_H
#define TMLI_ELEMENT_OUTLINE_CONSTANTS_H

#include "base/constants.h"

// Steps of Newton's method or halving for the foot of a point, at most. Origin: halving alone reaches the
// last digit in 53.
TMLI_COUNT(ITERATIONS, 60)

// [-] Change of a coordinate along an outline, in parts, at which its place is found. Origin: the distance
// changes with the square of it.
TMLI_CONSTANT(CONVERGED, 1e-13)

// Parts by which the foot of a point is followed along an outline before it is searched for anew. Origin: a
// point that moves by one part moves the foot by some parts where the outline is strongly curved.
TMLI_COUNT(FOLLOWED, 12)

// [-] Sine of the angle between two sides of a polygon at which a corner is none. Origin: its arc would be
// shorter than round-off.
TMLI_CONSTANT(NO_CORNER, 1e-9)

// [-] Radius of the corners of a polygon over the distance of its farthest point, by default. Origin: that of
// the edges of boxes in space.
TMLI_SHARE(CORNER, 0.01)

#endif

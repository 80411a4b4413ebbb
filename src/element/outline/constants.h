// Thresholds of outlines; see base/constants.h.
#ifndef TMLI_ELEMENT_OUTLINE_CONSTANTS_H
#define TMLI_ELEMENT_OUTLINE_CONSTANTS_H

#include "base/constants.h"

#include <float.h>

// Steps of Newton's method or halving for the foot of a point, at most. Origin: halving alone reaches the
// last digit in 53.
TMLI_COUNT(ITERATIONS, 60)

// [-] Change of a coordinate along an outline, in parts, at which its place is found. Origin: the distance
// changes with the square of it.
TMLI_CONSTANT(CONVERGED, 1e-13)

// Parts by which the foot of a point is followed along an outline before it is searched for anew. Origin: a
// point that moves by one part moves the foot by some parts where the outline is strongly curved.
TMLI_COUNT(FOLLOWED, 12)

// [-] Round-off of a place or a distance over the lengths it is made of, at most. Origin: that of some ten
// operations.
TMLI_CONSTANT(ROUNDED, 16 * DBL_EPSILON)

// Halvings of two parts of an outline that may cross, at most, and pairs that are tried for each part.
// Origin: 16 halvings reduce the distance from chords by 4e9; cams and gears need some 10 pairs.
TMLI_COUNT(HALVINGS, 16)
TMLI_COUNT(TRIED, 1000)

// [-] Sine of the angle between two sides of a polygon at which a corner is none. Origin: its arc would be
// shorter than round-off.
TMLI_CONSTANT(NO_CORNER, 1e-9)

// [-] Radius of the corners of a polygon over the distance of its farthest point, by default. Origin: that of
// the edges of boxes in space.
TMLI_SHARE(CORNER, 0.01)

#endif

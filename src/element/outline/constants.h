// Thresholds of outlines; see base/constants.h.
#ifndef TMLI_ELEMENT_OUTLINE_CONSTANTS_H
#define TMLI_ELEMENT_OUTLINE_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

#include <float.h>

// Steps of Newton's method or halving for the foot of a point, at most. Origin: halving alone reaches the
// last digit in 53.
#define ITERATIONS TMLI_HALVINGS

// [-] Change of a coordinate along an outline, in parts, at which its place is found. Origin: the distance
// changes with the square of it.
#define CONVERGED TMLI_SUM_ROUNDOFF

// Parts by which the foot of a point is followed along an outline before it is searched for anew. Origin: a
// point that moves by one part moves the foot by some parts where the outline is strongly curved.
TMLI_COUNT(FOLLOWED, 12)

// [-] Round-off of a place or a distance over the lengths it is made of, at most. Origin: that of some ten
// operations.
#define ROUNDED (16 * DBL_EPSILON)

// Halvings of two parts of an outline that may cross, at most, and pairs that are tried for each part.
// Origin: 16 halvings reduce the distance from chords by 4e9; cams and gears need some 10 pairs.
TMLI_COUNT(HALVINGS, 16)
#define TRIED TMLI_SEARCH_PARTS

// [-] Sine of the angle between two sides of a polygon at which a corner is none. Origin: its arc would be
// shorter than round-off.
#define NO_CORNER TMLI_SOLUTION_ERROR

// [-] Radius of the corners of a polygon over the distance of its farthest point, by default. Origin: that of
// the edges of boxes in space.
#define CORNER TMLI_SLIGHT_SHARE

#endif

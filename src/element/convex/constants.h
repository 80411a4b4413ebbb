// Thresholds of convex bodies; see base/constants.h.
#ifndef TMLI_ELEMENT_CONVEX_CONSTANTS_H
#define TMLI_ELEMENT_CONVEX_CONSTANTS_H

#include "base/tolerances.h"

// [-] Distance of a point from a plane, over the size of the body, within which it lies in the plane. Origin:
// coordinates of STL files are single precision numbers, 6e-8 of their size, and a face may be 100 times
// narrower than the body.
#define IN_PLANE TMLI_IMPORTED_ERROR

// [-] The same for points of which nothing but round-off is known. Origin: 1e4 units in the last place.
#define OUTSIDE TMLI_SOLUTION_ROUNDOFF

// [-] Area of a triangle, over the square of the size of the body, below which its normal is not known.
// Origin: sides of the length 1e-5, see IN_PLANE.
#define SLIVER TMLI_AGREEMENT

// [-] Radius by which edges and corners are rounded, over the distance of the nearest face from the centre.
// Origin: contacts at rest are less than 0.01 deep (START_OVERLAP of contacts); the normal is continuous
// down to the sum of both radii.
#define ROUNDED TMLI_SLIGHT_SHARE

// [-] By which the prism in a cylinder is narrower. Origin: contacts at rest are less deep, so that a lying
// cylinder rolls on its round side and not on the corners of the prism.
#define NARROWER TMLI_SLIGHT_SHARE

#endif

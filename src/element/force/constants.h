// Thresholds of the force elements; see base/constants.h.
#ifndef TMLI_ELEMENT_FORCE_CONSTANTS_H
#define TMLI_ELEMENT_FORCE_CONSTANTS_H

#include "base/constants.h"

// [-] Distance from the end of a road piece, in wheel radii, up to which a wheel is at the end. Left and
// right wheels, which differ by round-off, then change their pieces together, and the run restarts once.
// Origin: half a nanometre for a wheel of 0.5 m; without it, a pair of wheels restarted twice, the first
// time with a step of 1e-16 s.
TMLI_CONSTANT(PIECE_END_DISTANCE, 1e-9)

#endif

// Thresholds of roads and tyres; see base/constants.h.
#ifndef TMLI_ELEMENT_TYRE_CONSTANTS_H
#define TMLI_ELEMENT_TYRE_CONSTANTS_H

#include "base/tolerances.h"

// [-] Distance from the end of a road piece, in wheel radii, up to which a wheel is at the end. Left and
// right wheels, which differ by round-off, then change their pieces together, and the run restarts once.
// Origin: half a nanometre for a wheel of 0.5 m; without it, a pair of wheels restarted twice, the first
// time with a step of 1e-16 s.
#define PIECE_END_DISTANCE TMLI_SOLUTION_ERROR

// [-] Sine of the angle between the axis of a wheel and the direction up, below which it lies flat and has no
// lowest point. Origin: 0.06 degrees; no wheel that rolls is near it.
#define LYING TMLI_NEGLIGIBLE_SHARE

// [-] Share of the greatest deflection of a tyre at which its slip grows no more. Origin: there the slip is
// 1000 times that at which the linear force reaches the limit of friction; forces are constant long before.
#define GREATEST_SLIP (1 - TMLI_NEGLIGIBLE_SHARE)

#endif

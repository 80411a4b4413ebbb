// Thresholds of the joints; see base/constants.h.
#ifndef TMLI_ELEMENT_JOINT_CONSTANTS_H
#define TMLI_ELEMENT_JOINT_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// ---- turns of angles (turning.c) --------------------------------------------------------------------------

// [rad] Rotation of two bodies together up to which the turn nearest to the last angle is the right one.
// Origin: an angle about the axis of the rotation changes by as much; half a turn is the limit.
TMLI_CONSTANT(UNCOUNTED_ROTATION, 1)

// [rad] Rotation about other axes than that of the angle, up to which its turns are those about its axis.
// Origin: moves the angle by less than twice this, far below half a turn.
TMLI_CONSTANT(AXIAL_ROTATION, 0.25)

// [rad] Rotation of two bodies together in one part of a path on which an angle is followed.
// Origin: a tenth of half a turn, for angles that change faster than the bodies rotate.
TMLI_CONSTANT(FOLLOWED_ROTATION, 0.3)

// [-] Parts of such a path, at most.
// Origin: bounds the cost, 0.3 ms; parts of up to half a turn still tell the number of turns, so that bodies
// would have to turn 400 times relative to each other in one step, about an axis that itself turns.
// Iterations that diverge ask for any number: with 100000 parts they took 99 % of the time of a run.
#define FOLLOWED_PARTS TMLI_SEARCH_PARTS

#endif

// Thresholds of the import of robots; see base/constants.h.
#ifndef TMLI_IMPORT_CONSTANTS_H
#define TMLI_IMPORT_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Distance of the start of a joint from its limits over their distance, at least.
// Origin: a matter of judgement. In touch with a limit from the start, without a force that says whether it
// stays there, a closed gripper would switch between both for ever.
#define START_INSIDE TMLI_SLIGHT_SHARE

// [-] Part of a number that is round-off of rotations.
// Origin: products of some tens of matrices with entries of order 1.
#define ROTATION_ROUNDOFF TMLI_FEW_ROUNDOFFS

// [-] Moment of inertia about the axis of a joint, over the mass of the robot times the square of its size,
// up to which the joint moves nothing.
// Origin: with less, accelerations would have no digits; a finger of a gram, a millimetre thick, has 1e-12.
#define LEAST_MOMENT TMLI_FEW_ROUNDOFFS

#endif

// Thresholds of the import of robots; see base/constants.h.
#ifndef TMLI_IMPORT_CONSTANTS_H
#define TMLI_IMPORT_CONSTANTS_H

#include "base/constants.h"

// [-] Distance of the start of a joint from its limits over their distance, at least.
// Origin: a matter of judgement. In touch with a limit from the start, without a force that says whether it
// stays there, a closed gripper would switch between both for ever.
TMLI_SHARE(START_INSIDE, 0.01)

// [-] Part of a number that is round-off of rotations.
// Origin: products of some tens of matrices with entries of order 1.
TMLI_SHARE(ROTATION_ROUNDOFF, 1e-14)

// [-] Moment of inertia about the axis of a joint, over the mass of the robot times the square of its size,
// up to which the joint moves nothing.
// Origin: with less, accelerations would have no digits; a finger of a gram, a millimetre thick, has 1e-12.
TMLI_SHARE(LEAST_MOMENT, 1e-14)

#endif

// Thresholds of the energy-decaying methods; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_DECAY_CONSTANTS_H
#define TMLI_INTEGRATE_DECAY_CONSTANTS_H

#include "base/constants.h"

// [-] Growth of the step in one step: stiff components answer a change of the step by an error of their
// accelerations.
// Origin: that of the alpha family.
TMLI_GROWTH(LARGEST_GROWTH, 1.2)

// [-] Share of the part across the constraints that may leak through the projection with a new matrix and is
// not counted as error along them.
// Origin: that of the alpha family.
TMLI_SHARE(PROJECTION_LEAK, 0.03)

// [-] Largest share of the kinetic energy that is restored after a projection; with more the velocities stay
// as the step has found them.
// Origin: velocities then change by less than a tenth; only motion next to rest comes there.
TMLI_SHARE(LARGEST_RESTORED, 0.1)

#endif

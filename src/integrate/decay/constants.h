// Thresholds of the energy-decaying methods; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_DECAY_CONSTANTS_H
#define TMLI_INTEGRATE_DECAY_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "integrate/core/tolerances.h"

// [-] Largest share of the kinetic energy that is restored after a projection; with more the velocities stay
// as the step has found them.
// Origin: velocities then change by less than a tenth; only motion next to rest comes there.
#define LARGEST_RESTORED TMLI_SMALL_SHARE

#endif

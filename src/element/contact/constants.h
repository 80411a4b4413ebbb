// Thresholds of the contacts of a model; see base/constants.h.
#ifndef TMLI_ELEMENT_CONTACT_CONSTANTS_H
#define TMLI_ELEMENT_CONTACT_CONSTANTS_H

#include "base/constants.h"

// [-] Speed of impacts, over that of a fall by the model length, below which the damping of Hunt and Crossley
// grows no more. Origin: a fall by 1e-6 model lengths; slower ones are not seen, and the damping of a
// contact at rest would be stiff without end.
TMLI_CONSTANT(SLOW_IMPACT, 1e-3)

// [-] Depth of two shapes in each other at the start, over the size of the smaller, above which a warning
// names them. Origin: contacts at rest are less than 0.01 deep, else their stiffness is no model of a body.
TMLI_SHARE(START_OVERLAP, 0.05)

#endif

// Thresholds of units of co-simulation; see base/constants.h.
#ifndef TMLI_FMU_UNIT_CONSTANTS_H
#define TMLI_FMU_UNIT_CONSTANTS_H

#include "base/tolerances.h"

// [-] Share of a communication step by which its beginning may differ from the time of the unit.
// Origin: importers add up steps, 1e6 of them with a round-off of 1e-16 of the time each.
#define SAME_TIME TMLI_UNSEEN

#endif

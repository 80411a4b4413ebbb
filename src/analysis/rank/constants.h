// Thresholds of rank and massless motion; see base/constants.h. rank.h has those that other rooms use too.
#ifndef TMLI_ANALYSIS_RANK_CONSTANTS_H
#define TMLI_ANALYSIS_RANK_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// ---- rank and dependent rows (rank.c, dependence.c) -------------------------------------------------------

// [floating-point operations] Work of that choice beyond which it is omitted.
// Origin: about a second on one core.
TMLI_CONSTANT(LATE_ROW_WORK, 2e9)

// ---- massless motion (massless_motion.c) ------------------------------------------------------------------

// [-] Corrections (2) until the search for the equilibrium fails.
#define EQUILIBRIUM_CORRECTIONS TMLI_ITERATIONS

// [-] Passes over (3), (4) for the velocities.
// Origin: (4) needs the accelerations that follow from (3), and these the velocities of (4): the first pass
// gives both, the second corrects them, the third removes the rest.
TMLI_COUNT(VELOCITY_PASSES, 3)

#endif

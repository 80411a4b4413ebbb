// Dependent constraint rows at a configuration close to a given one, to tell rows that are redundant
// everywhere from rows that depend on others only in a singular configuration.
#ifndef TMLI_ANALYSIS_ASSEMBLY_NEARBY_H
#define TMLI_ANALYSIS_ASSEMBLY_NEARBY_H

#include "analysis/rank/dependence.h"
#include "consistency/tolerances.h"

// [model lengths, rad] Displacement to the nearby configuration. Pivots grow by about 1 per model length or
// rad with the distance from a singular configuration, so that they exceed TMLI_NEAR_SINGULAR there.
#define TMLI_NEARBY_DISTANCE (2 * TMLI_NEAR_SINGULAR)

/** tmli_dependence_calc at a configuration close to x: x is displaced by TMLI_NEARBY_DISTANCE and assembled
 * again, with weight as in tmli_assemble. y becomes that configuration. *found false: the assembly failed,
 * out stays empty. */
tml_status tmli_dependence_nearby(const tml_system *sys, void *w, const tml_state *x, const double *weight,
                                  tml_state *y, tmli_dependence *out, bool *found, tml_error *err);

#endif

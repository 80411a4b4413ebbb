// Dependent constraint rows at a configuration close to a given one, to tell rows that are redundant
// everywhere from rows that depend on others only in a singular configuration.
#ifndef TMLI_ANALYSIS_ASSEMBLY_NEARBY_H
#define TMLI_ANALYSIS_ASSEMBLY_NEARBY_H

#include "analysis/rank/dependence.h"
#include "base/constants.h"

// [model lengths, rad] Displacement to the nearby configuration.
// Origin: far enough that pivots of a singular configuration exceed TMLI_DEPENDENT, close enough to assemble;
// chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEARBY_DISTANCE, 0.02)

/** tmli_dependence_calc at a configuration close to x: x is displaced by TMLI_NEARBY_DISTANCE and assembled
 * again, with weight as in tmli_assemble. y becomes that configuration. *found false: the assembly failed,
 * out stays empty. */
tml_status tmli_dependence_nearby(const tml_system *sys, void *w, const tml_state *x, const double *weight,
                                  tml_state *y, tmli_dependence *out, bool *found, tml_error *err);

#endif

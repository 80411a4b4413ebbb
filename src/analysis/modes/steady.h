// Steady motion: the axes in which the equations of small motions beside it have constant coefficients.
#ifndef TMLI_ANALYSIS_MODES_STEADY_H
#define TMLI_ANALYSIS_MODES_STEADY_H

#include "analysis/modes/axes.h"
#include "analysis/modes/variation.h"

/** Look for axes in which the motion of v (with all its matrices) and the equations beside it do not change.
 * model: NULL for systems of callbacks, whose coordinates are the only axes tried. Fails if memory is
 * exhausted; a motion whose equations cannot be evaluated further on is not steady. */
tml_status tmli_steady_find(tmli_variation *v, const tml_model *model, tmli_steady *out, tml_error *err);

#endif

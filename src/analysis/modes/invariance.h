// Steady motion of large systems in axes that turn with one angular velocity.
#ifndef TMLI_ANALYSIS_MODES_INVARIANCE_H
#define TMLI_ANALYSIS_MODES_INVARIANCE_H

#include "analysis/modes/pencil.h"
#include "analysis/modes/spectrum.h"

/** Find out whether the state of p is at rest, steady, or neither; sets motion, axes, velocity and
 * acceleration of about. If it is steady, the axes of p are set. model: NULL for systems of callbacks,
 * which are steady only at rest. Errors: TML_ERR_NOMEM; a motion whose equations cannot be evaluated
 * further on is not steady. */
tml_status tmli_invariance_find(tmli_pencil *p, const tml_model *model, tmli_spectrum *about, tml_error *err);

#endif

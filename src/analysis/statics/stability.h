// Stability of an equilibrium.
#ifndef TMLI_ANALYSIS_STATICS_STABILITY_H
#define TMLI_ANALYSIS_STATICS_STABILITY_H

#include "model/model.h"
#include <trammel/system.h>

/** *unstable: number of roots of the linearized motion about x that grow; -1 if they cannot be computed (too
 * many coordinates, free massless parts, or a motion that is not steady). model: NULL if x is at rest.
 * imbalance: relative, of the forces if some motion has no stiffness, else 0. x->udot and x->lambda are set.
 * Error: TML_ERR_NOMEM. */
tml_status tmli_equilibrium_stability(const tml_system *sys, const tml_model *model, void *work, tml_state *x,
                                      double imbalance, int *unstable, tml_error *err);

#endif

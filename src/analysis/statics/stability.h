// Stability of an equilibrium.
#ifndef TMLI_ANALYSIS_STATICS_STABILITY_H
#define TMLI_ANALYSIS_STATICS_STABILITY_H

#include "base/base.h"
#include <trammel/system.h>

/** *unstable: number of roots of the linearized motion about x that grow; -1 if they cannot be computed (too
 * many coordinates, free massless parts). x->udot and x->lambda are set. Error: TML_ERR_NOMEM. */
tml_status tmli_equilibrium_stability(const tml_system *sys, void *work, tml_state *x, int *unstable,
                                      tml_error *err);

#endif

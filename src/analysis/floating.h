// Parts without mass whose motion forces alone determine: what floats, and where it floats at the start.
#ifndef TMLI_FLOATING_H
#define TMLI_FLOATING_H

#include "base/base.h"
#include "integrate/consistent.h"
#include <trammel/system.h>

/** Bring the parts that float to where the forces hold them, with the velocities they have there. x is consistent and
 * c has found that something floats; w: scratch of the system. *coordinate: one that floats.
 * TML_ERR_SINGULAR names a motion that nothing determines, TML_ERR_ASSEMBLY one without an equilibrium. */
tml_status tmli_floating_settle(const tml_system *sys, void *w, tmli_consistent *c, tml_state *x,
                                int *coordinate, tml_error *err);

#endif

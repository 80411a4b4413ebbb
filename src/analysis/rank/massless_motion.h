// Parts without mass whose motion forces alone determine: what floats, and where it floats at the start.
#ifndef TMLI_FLOATING_H
#define TMLI_FLOATING_H

#include "base/base.h"
#include "consistency/consistent.h"
#include <trammel/system.h>

typedef struct tmli_floating tmli_floating;

/** For a system whose tmli_consistent has found that something floats; w: scratch of the system, borrowed. All memory is taken
 * here. */
tml_status tmli_floating_create(const tml_system *sys, void *w, const tml_state *x, tmli_floating **out,
                                tml_error *err);
void tmli_floating_destroy(tmli_floating *f);  ///< accepts NULL

/** Bring the parts that float to where the forces hold them, with the velocities and accelerations they have there: at the
 * start, and where forces have jumped. x is consistent, and is so after it.
 * TML_ERR_SINGULAR names a motion that nothing determines, TML_ERR_ASSEMBLY one without an equilibrium. */
tml_status tmli_floating_settle(tmli_floating *f, tmli_consistent *c, tml_state *x, tml_error *err);
/** A coordinate that floats; -1: none does. After settle. */
int tmli_floating_coordinate(const tmli_floating *f);

#endif

// Parts without mass whose motion forces alone determine: what floats, and where it floats at the start.
#ifndef TMLI_ANALYSIS_RANK_MASSLESS_MOTION_H
#define TMLI_ANALYSIS_RANK_MASSLESS_MOTION_H

#include "base/base.h"
#include "consistency/consistent.h"
#include <trammel/system.h>

typedef struct tmli_massless_motion tmli_massless_motion;

/** For a system whose tmli_consistent has found that something floats; w: scratch of the system, borrowed.
 * All memory is taken here. */
tml_status tmli_massless_motion_create(const tml_system *sys, void *w, const tml_state *x,
                                       tmli_massless_motion **out, tml_error *err);
void tmli_massless_motion_destroy(tmli_massless_motion *f);  ///< accepts NULL

/** Bring the parts that float to where the forces hold them, with the velocities and accelerations they have
 * there: at the start, and where forces have jumped. x is consistent, and is so after it. TML_ERR_SINGULAR
 * names a motion that nothing determines, TML_ERR_ASSEMBLY one without an equilibrium. */
tml_status tmli_massless_motion_balance(tmli_massless_motion *f, tmli_consistent *c, tml_state *x,
                                        tml_error *err);
/** A coordinate that floats; -1: none does. After settle. */
int tmli_massless_motion_coordinate(const tmli_massless_motion *f);

#endif

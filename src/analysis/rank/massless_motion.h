// Massless motion: motion of parts without mass that only forces determine, and its balance at the start.
#ifndef TMLI_ANALYSIS_RANK_MASSLESS_MOTION_H
#define TMLI_ANALYSIS_RANK_MASSLESS_MOTION_H

#include "base/base.h"
#include "consistency/consistent.h"
#include <trammel/system.h>

typedef struct tmli_massless_motion tmli_massless_motion;

/** For a system in which tmli_consistent has found massless motion. w: scratch of the system, borrowed. All
 * memory is allocated here. */
tml_status tmli_massless_motion_create(const tml_system *sys, void *w, const tml_state *x,
                                       tmli_massless_motion **out, tml_error *err);
void tmli_massless_motion_destroy(tmli_massless_motion *l);  ///< accepts NULL

/** Move the massless parts to the equilibrium of their forces, and set their velocities and accelerations: at
 * the start, and after a jump of the forces. x is consistent on entry and on return. TML_ERR_SINGULAR names a
 * motion that nothing determines, TML_ERR_ASSEMBLY one without an equilibrium. */
tml_status tmli_massless_motion_balance(tmli_massless_motion *l, tmli_consistent *c, tml_state *x,
                                        tml_error *err);
/** A coordinate with massless motion, after tmli_massless_motion_balance; -1: there is none. */
int tmli_massless_motion_coordinate(const tmli_massless_motion *l);

#endif

// A system in which chosen rows of the constraints are held: another form of a system, for constraints that
// repeat others and for singular positions.
//
// A held row r has no equation and its multiplier, 0, no effect: Phi_r = 0, B_r = 0, gamma_r = 0, and in the
// matrix
//   [ A      B'r  0 ]          the row and the column of r are those of -d, d > 0: the correction of lambda_r is 0
//   [ r B    0    0 ]
//   [ 0      0   -d ]
// In the place of what held rows would do a force can act that changes linearly: M udot + B' lambda + g + (t
// - t0) g' = f. Everything else is the base system's. With nothing held it is that system.
#ifndef TMLI_SYSTEM_ACTIVE_ROWS_ACTIVE_ROWS_H
#define TMLI_SYSTEM_ACTIVE_ROWS_ACTIVE_ROWS_H

#include "base/base.h"
#include <stdbool.h>
#include <trammel/system.h>

/** base stays in use; end with tml_system_destroy. At first nothing is held. */
tml_status tmli_active_rows_create(const tml_system *base, tml_system **out, tml_error *err);
/** Hold the rows marked in held (m; NULL: none) from now on, with the force g (n; NULL: none). Not while
 * another thread evaluates the system. States with other multipliers of held rows than 0 must not be given
 * any more. */
void tmli_active_rows_deactivate(tml_system *sys, const bool *held, const double *g);
/** Let the force of the last tmli_active_rows_deactivate be that at t0 and change by `rate` (n), until the
 * next one. The system is not steady then. */
void tmli_active_rows_set_force_rate(tml_system *sys, const double *rate, double t0);
/** Let that force do no work, until the next tmli_active_rows_deactivate: what is along the motion is taken
 * from it, (u.g/(u.D u + least)) D u with D = inertia (n), diagonal; least > 0: a motion that stops for an
 * instant must not turn it around. (Derivatives by u of that small part are left out of the matrices.) */
void tmli_active_rows_force_without_work(tml_system *sys, const double *inertia, double least);
/** Keep what is held now, with its force, for tmli_active_rows_swap_saved: that changes it for what is held
 * then. */
void tmli_active_rows_save(tml_system *sys);
void tmli_active_rows_swap_saved(tml_system *sys);
/** Number of held rows. */
int tmli_active_rows_inactive_count(const tml_system *sys);

#endif

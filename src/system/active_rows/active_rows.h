// A system in which chosen constraint rows are inactive: a form of a system for redundant constraints and
// singular configurations.
//
// An inactive row r has no equation, and its multiplier is 0: Phi_r = 0, B_r = 0, gamma_r = 0. In the matrix
//   [ A      B'r  0 ]
//   [ r B    0    0 ]
//   [ 0      0   -d ]
// row and column r are zero except for the diagonal -d, d > 0, so that the correction of lambda_r is 0.
// A force that is linear in time can replace the constraint force of inactive rows:
//   M udot + B' lambda + g + (t - t0) g' = f                                                              (1)
// Everything else is that of the base system. With all rows active it is that system.
#ifndef TMLI_SYSTEM_ACTIVE_ROWS_ACTIVE_ROWS_H
#define TMLI_SYSTEM_ACTIVE_ROWS_ACTIVE_ROWS_H

#include "base/base.h"
#include <stdbool.h>
#include <trammel/system.h>

/** base is borrowed; end with tml_system_destroy. At first all rows are active. */
tml_status tmli_active_rows_create(const tml_system *base, tml_system **out, tml_error *err);
/** Make exactly the marked rows (m; NULL: none) inactive, with the constant force g (n; NULL: none). Not
 * while another thread evaluates the system. In states evaluated afterwards multipliers of inactive rows must
 * be 0. */
void tmli_active_rows_set_inactive(tml_system *sys, const bool *inactive, const double *g);
/** The force of the last tmli_active_rows_set_inactive is that at t0 [s] and has the rate g' (n), until the
 * next call of tmli_active_rows_set_inactive. The system is not autonomous then. */
void tmli_active_rows_set_force_rate(tml_system *sys, const double *rate, double t0);
/** That force does no work, until the next tmli_active_rows_set_inactive: its component along the motion is
 * subtracted, (u.g/(u.D u + min_energy)) D u with D = inertia (n), diagonal. min_energy > 0 avoids a division
 * by zero where the motion stops for an instant. (Matrices omit derivatives of that small component by u.) */
void tmli_active_rows_force_without_work(tml_system *sys, const double *inertia, double min_energy);
/** Save the inactive rows and their force. */
void tmli_active_rows_save(tml_system *sys);
/** Exchange the present inactive rows and their force with the saved ones. */
void tmli_active_rows_swap_saved(tml_system *sys);
/** The inactive rows and their force, present and saved. */
void tmli_active_rows_archive(tml_system *sys, tml_archive *a);
/** Number of inactive rows. */
int tmli_active_rows_inactive_count(const tml_system *sys);

#endif

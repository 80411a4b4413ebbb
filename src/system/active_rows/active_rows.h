// The system in which the inactive rows of a state (trammel/system.h) are left out: a form of a system for
// redundant constraints and singular configurations.
//
// An inactive row r has no equation, and its multiplier is 0: Phi_r = 0, B_r = 0, gamma_r = 0. In the matrix
//   [ A      B'r  0 ]
//   [ r B    0    0 ]
//   [ 0      0   -d ]
// row and column r are zero except for the diagonal -d, d > 0, so that the correction of lambda_r is 0. The
// force that replaces their constraint force is added to the equations of motion. (Matrices omit derivatives
// by u of its small component along the motion.)
// Everything else is that of the base system. At states with all rows active it is that system.
#ifndef TMLI_SYSTEM_ACTIVE_ROWS_ACTIVE_ROWS_H
#define TMLI_SYSTEM_ACTIVE_ROWS_ACTIVE_ROWS_H

#include "base/base.h"
#include <trammel/system.h>

/** base has loops and is borrowed; end with tml_system_destroy. transform_rows mixes rows of one frame: it is
 * for states with all rows active. So is accelerate. */
tml_status tmli_active_rows_create(const tml_system *base, tml_system **out, tml_error *err);

#endif

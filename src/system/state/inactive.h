// The inactive constraint rows of a state (trammel/system.h).
#ifndef TMLI_SYSTEM_STATE_INACTIVE_H
#define TMLI_SYSTEM_STATE_INACTIVE_H

#include "base/modes.h"

#include <stdbool.h>
#include <trammel/archive.h>
#include <trammel/system.h>

/** Make exactly the marked rows (m; NULL: none) of x inactive. force (2 n): g and g' of the force that
 * replaces theirs, with D = 0; the caller sets t0. NULL: none. In states that are evaluated multipliers of
 * inactive rows must be 0. */
void tmli_inactive_set(tml_state *x, const bool *inactive, const double *force);
/** Both states belong to the same system, and may share their inactive rows. */
void tmli_inactive_copy(tml_state *to, const tml_state *from);
void tmli_inactive_archive(tml_state *x, tml_archive *a);

/** Penalty p_r of a row, 0 if it is inactive at x. */
static inline double tmli_active_penalty(const tml_state *x, const double *p, int r)
{
    return x->inactive && x->inactive->row[r] ? 0 : p[r];
}

/** Row r has no equation at x: it is inactive, or released. */
static inline bool tmli_is_row_off(const tml_system *sys, const tml_state *x, int r)
{
    return (sys->selects_rows && x->inactive->row[r]) || tmli_is_released_row(sys, x, r);
}

/** True if no row is inactive at x. */
static inline bool tmli_all_active(const tml_system *sys, const tml_state *x)
{
    return !sys->selects_rows || x->inactive->count == 0;
}

#endif

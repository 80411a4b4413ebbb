// Modes of switches (trammel/switches.h), as states keep them.
#ifndef TMLI_BASE_MODES_H
#define TMLI_BASE_MODES_H

#include <math.h>
#include <trammel/system.h>

static inline bool tmli_mode_is_watched(double mode) { return mode != TML_SWITCH_UNWATCHED; }
static inline bool tmli_mode_fixes_branch(double mode) { return mode != TML_SWITCH_UNSET && isfinite(mode); }
static inline bool tmli_mode_is_driven(double mode) { return fabs(mode) == TML_SWITCH_DRIVEN; }

static inline bool tmli_is_unilateral(const tml_system *s, int i)
{
    return s->switches[i].kind == TML_SWITCH_UNILATERAL;
}

static inline bool tmli_is_friction(const tml_system *s, int i)
{
    return s->switches[i].kind == TML_SWITCH_FRICTION;
}

/** The row of switch i is in force. */
static inline bool tmli_holds_row(const tml_system *s, const tml_state *x, int i)
{
    return s->switches[i].row >= 0 && x->mode[i] == TML_SWITCH_HELD;
}

/** Row r belongs to a switch that does not hold it: B, Phi and gamma are 0 there, and the multiplier is. */
static inline bool tmli_is_released_row(const tml_system *s, const tml_state *x, int r)
{
    const int i = s->switch_of_row ? s->switch_of_row[r] : -1;
    return i >= 0 && x->mode[i] != TML_SWITCH_HELD;
}

#endif

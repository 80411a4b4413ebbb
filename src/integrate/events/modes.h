// Modes of constraints that are switched and of friction, as in the system contract.
#ifndef TMLI_INTEGRATE_EVENTS_MODES_H
#define TMLI_INTEGRATE_EVENTS_MODES_H

#include <math.h>
#include <trammel/system.h>

/** DRIVEN: friction whose coordinate is prescribed, with the sign of its slip; it never sticks. */
enum { TMLI_OPEN = 1, TMLI_CLOSED = 2, TMLI_DRIVEN = 3, TMLI_STRUCK = 4 };

static inline bool tmli_is_unilateral(const tml_system *s, int i)
{
    return s->restitution && !isnan(s->restitution[i]);
}

static inline bool tmli_is_friction(const tml_system *s, int i)
{
    return s->mode_of_force && s->mode_of_force[i] && !tmli_is_unilateral(s, i);
}

static inline bool tmli_is_driven(const tml_state *x, int i) { return fabs(x->mode[i]) == TMLI_DRIVEN; }

#endif

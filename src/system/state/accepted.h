// The part of a state that does not change within a step: counted angles, inputs and inactive rows.
#ifndef TMLI_SYSTEM_STATE_ACCEPTED_H
#define TMLI_SYSTEM_STATE_ACCEPTED_H

#include "system/state/inactive.h"

#include <string.h>

/** Whether a state has the sizes of a system; states of others must not be copied to its states. */
static inline bool tmli_state_fits(const tml_system *sys, const tml_state *x)
{
    return x->nq == sys->nq && x->n == sys->n && x->m == sys->m && x->na == sys->na &&
           x->nmode == sys->nmode && x->nz == sys->nz && x->ninput == sys->ninput;
}

/** Copy the inputs; both systems are forms of the same model. */
static inline void tmli_state_copy_inputs(tml_state *to, const tml_state *from)
{
    if (to == from) return;
    memcpy(to->input, from->input, 2 * (size_t)from->ninput * sizeof *to->input);
    to->input_t = from->input_t;
}

/** Copy the counted angles, the inputs and the inactive rows; both states belong to the same system. */
static inline void tmli_state_copy_accepted(tml_state *to, const tml_state *from)
{
    if (to == from) return;
    memcpy(to->angle, from->angle, (size_t)from->na * sizeof *to->angle);
    tmli_state_copy_inputs(to, from);
    tmli_inactive_copy(to, from);
}

#endif

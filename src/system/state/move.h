// States moved by increments.
#ifndef TMLI_SYSTEM_STATE_MOVE_H
#define TMLI_SYSTEM_STATE_MOVE_H

#include <string.h>
#include <trammel/system.h>

/** Sets the configuration of x to q0 (+) d, and its counted angles by the way from x0. x may be x0. */
static inline void tmli_state_move(const tml_system *sys, const tml_state *x0, const double *d, tml_state *x)
{
    if (sys->ops->count && x0->na > 0) sys->ops->count(sys->self, x0, d, x->angle);
    else if (x != x0) memcpy(x->angle, x0->angle, (size_t)x0->na * sizeof *x->angle);
    sys->ops->retract(sys->self, x0->q, d, x->q);
}

/** TML_RETRY if x is on another branch of the constraints than the start. */
static inline tml_status tmli_state_check_branch(const tml_system *sys, void *w, const tml_state *x,
                                                 tml_error *err)
{
    return sys->ops->check_branch ? sys->ops->check_branch(sys->self, w, x, err) : TML_OK;
}

/** Increment d (n) of the state `to` in the chart around the configuration of `from`, h [s] earlier. It has
 * the turns of the motion between them: those nearest to the integral of a cubic polynomial with the
 * velocities and accelerations of both ends. near (n): scratch. */
static inline void tmli_state_local(const tml_system *sys, const tml_state *from, const tml_state *to,
                                    double h, double *near, double *d)
{
    sys->ops->local(sys->self, from->q, to->q, d);
    if (!sys->ops->add_turns) return;
    for (int j = 0; j < sys->n; j++)
        near[j] = h / 2 * (from->u[j] + to->u[j]) + h * h / 12 * (from->udot[j] - to->udot[j]);
    sys->ops->add_turns(sys->self, near, d);
}

#endif

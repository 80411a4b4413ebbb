// Jumps of the velocities by impulses: impacts of unilateral constraints (system contract, restitution), and
// prescribed velocities that jump.
#ifndef TMLI_INTEGRATE_EVENTS_IMPACTS_H
#define TMLI_INTEGRATE_EVENTS_IMPACTS_H

#include "base/base.h"
#include "consistency/consistent.h"
#include "integrate/events/impulse_work.h"
#include <trammel/system.h>

#include <math.h>

/** Modes, as in the contract. */
enum { TMLI_OPEN = 1, TMLI_CLOSED = 2, TMLI_DRIVEN = 3, TMLI_STRUCK = 4 };

static inline bool tmli_is_unilateral(const tml_system *s, int i)
{
    return s->restitution && !isnan(s->restitution[i]);
}

static inline bool tmli_is_friction(const tml_system *s, int i)
{
    return s->mode_of_force && s->mode_of_force[i] && !tmli_is_unilateral(s, i);
}

/** Friction i belongs to a unilateral constraint. */
static inline bool tmli_rubs_in_contact(const tml_system *s, int i)
{
    return s->loads && s->loaded_by[i] >= 0 && s->loaded_by[i] < s->nmode;
}

typedef struct tmli_impacts {
    const tml_system *sys;
    tmli_consistent *consistent;  // borrowed
    void *work;                   // borrowed
    int level;                    // what friction does in the impact
    double duration;              // of the run [s]
    double *before;               // (nmode) rate of those that are struck, before the impact; NAN: others
    double *impulse, *value;      // (nmode) what they push with in the last impact; in all, of functions
    double *row_impulse;          // (m) of the last impact, in the sense of multipliers
    double *mode;                 // (nmode) modes with which the solution begins
    double *residual, *lambda, *gamma;  // (m)
    double *rate;                       // (2 m)
    double *du;                         // (n)
    double *u, *f0, *f;                 // (n)
    bool *stuck;                        // (nmode) friction whose mode is to be found from the motion
    bool *decided;  // (nmode) friction that has changed between slip and stick in the solution
} tmli_impacts;

/** consistent and work, scratch of the system, must outlive it. A system without discontinuities needs no
 * memory. */
tml_status tmli_impacts_create(const tml_system *sys, tmli_consistent *consistent, void *work,
                               double duration, tmli_impacts *s, tml_error *err);
void tmli_impacts_clear(tmli_impacts *s);
/** Change the velocities of x by the impulses of the unilateral constraints that are struck, which are open
 * or closed then, and of prescribed velocities, if those have `jumped`. All friction slips or sticks then as
 * the motion after it says. Accelerations and multipliers are renewed. *count: how many were struck; *done:
 * what became of the energy. Nothing happens if none is struck and nothing has jumped. */
tml_status tmli_impacts_apply(tmli_impacts *s, tml_state *x, bool jumped, int *count, tmli_impulse_work *done,
                              tml_error *err);

#endif

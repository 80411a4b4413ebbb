// Jumps of the velocities by impulses: impacts of unilateral constraints (system contract, restitution), and
// prescribed velocities that jump.
#ifndef TMLI_INTEGRATE_EVENTS_IMPACTS_H
#define TMLI_INTEGRATE_EVENTS_IMPACTS_H

#include "base/base.h"
#include "base/modes.h"
#include "consistency/consistent.h"
#include "integrate/events/impulse_work.h"
#include <trammel/system.h>

typedef struct tmli_impacts {
    const tml_system *sys;
    tmli_consistent *consistent;  // borrowed
    void *work;                   // borrowed
    tml_state *probe;
    tmli_impact_rows rows;
    double duration;      // of the run [s]
    double *before;       // (nmode) rate of those that are struck, before the impact; NAN: others
    double *rebound;      // (nmode) their rate after it
    double *inverse;      // (nmode) their inverse inertia, W
    double *impulse;      // (nmode) what unilateral constraints push with in the last impact
    double *value;        // (nmode) event functions
    double *after;        // (rows of rows.law) rates after the impact
    double *du;           // (n)
    double *row_impulse;  // (m) of the last impact, in the sense of multipliers
    double *rate;         // (2 m)
    double *w;            // (n)
    bool *stuck;          // (nmode) friction whose mode is to be found from the motion
    bool told_law, told_share, told_several;  // warnings that were given
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

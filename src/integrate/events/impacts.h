// Impacts of unilateral constraints (system contract, restitution).
#ifndef TMLI_INTEGRATE_EVENTS_IMPACTS_H
#define TMLI_INTEGRATE_EVENTS_IMPACTS_H

#include "base/base.h"
#include "consistency/consistent.h"
#include <trammel/system.h>

typedef struct tmli_impacts {
    const tml_system *sys;
    tmli_consistent *consistent;  // borrowed
    void *work;
    int level;                // what friction does in the impact
    double duration;          // of the run [s]
    double *before;           // (nmode) rate of those that are struck, before the impact; NAN: others
    double *impulse, *value;  // (nmode) what they push with in the last impact; in all, of functions
    double *row_impulse;      // (m) of the last impact, in the sense of multipliers
    double *mode;             // (nmode) modes with which the solution begins
    double *residual, *lambda, *gamma;  // (m)
    double *du;                         // (n)
    double *u, *f0, *f;                 // (n)
    bool *stuck;                        // (nmode) friction that stuck before the impact
    bool *decided;  // (nmode) friction that has changed between slip and stick in the solution
} tmli_impacts;

/** consistent must outlive it. A system without unilateral constraints needs no memory. */
tml_status tmli_impacts_create(const tml_system *sys, tmli_consistent *consistent, double duration,
                               tmli_impacts *s, tml_error *err);
void tmli_impacts_clear(tmli_impacts *s);
/** Change the velocities of x by the impulses of the unilateral constraints that are struck; they are open or
 * closed then. Accelerations and multipliers are renewed. *count: how many were struck; *loss: kinetic energy
 * lost [J]. */
tml_status tmli_impacts_apply(tmli_impacts *s, tml_state *x, int *count, double *loss, tml_error *err);

#endif

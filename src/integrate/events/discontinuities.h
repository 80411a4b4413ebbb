// Switches during a run: the modes of a state are held on each step; where a branch ends the step ends, and
// the method starts anew with the modes that hold from there on. docs/theory/discontinuities.md.
//
// Switches of time alone are looked for ahead, so that no step passes one. All others are looked at after a
// step, at its end and at points between on the dense output, and the first that has left its branch is
// located there.
#ifndef TMLI_INTEGRATE_EVENTS_DISCONTINUITIES_H
#define TMLI_INTEGRATE_EVENTS_DISCONTINUITIES_H

#include "base/base.h"
#include "integrate/core/driver.h"
#include <trammel/system.h>

typedef struct tmli_discontinuities {
    const tml_system *sys;
    void *work;
    int n;            // 0: nothing to do
    double duration;  // of the run [s]
    double tol;       // its tolerance
    bool of_state;    // some switch depends on more than time
    double *sample;   // (points x n) event_values at the beginning of a step and at points of it
    double *found;    // (n) scratch
    int *flips;       // (n) changes since
    double *since;    // (n) this time
    double *rate;     // (n) rate of the margin over the step that last passed a switch [1/s]
    bool warned;
    tml_state *probe, *later;
    double searched;  // no switch of time before this, except
    double next;      // the first one; infinite: none
    double skip;      // none before this
    long count;       // times at which modes changed
} tmli_discontinuities;

/** duration [s] and tolerance: of the run. A system without switches needs no memory. */
tml_status tmli_discontinuities_create(const tml_system *sys, double duration, double tol,
                                       tmli_discontinuities *s, tml_error *err);
void tmli_discontinuities_clear(tmli_discontinuities *s);

/** All modes as they hold from x on (positions, velocities, accelerations known). */
void tmli_discontinuities_set_modes(tmli_discontinuities *s, tml_state *x);
/** Integration goes on from x: forget what was known ahead. */
void tmli_discontinuities_restart(tmli_discontinuities *s, const tml_state *x);
/** How far a step of size h from x may go, at most to t_end. x.t if a switch of time is due at once. */
double tmli_discontinuities_limit(tmli_discontinuities *s, const tml_state *x, double h, double t_end);
/** The method of d has made a step from t0. True if a switch left its branch on it: *t is when, out the state
 * there (not projected, the old modes held). */
bool tmli_discontinuities_locate(tmli_discontinuities *s, const tmli_driver *d, double t0, double t_end,
                                 double *t, tml_state *out);
/** Change the modes of x, where a branch ends. *row: a row of the constraints whose right side switched, -1:
 * none. Modes that change back and forth in no time are freed, with a warning. */
void tmli_discontinuities_change_modes(tmli_discontinuities *s, tml_state *x, int *row);

#endif

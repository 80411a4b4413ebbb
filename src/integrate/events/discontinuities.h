// Location of discontinuities during a run (docs/theory/discontinuities.md). The modes of a state are
// constant
// during a step. Where a branch of an expression ends, the step ends, and the method restarts with the
// modes that hold from there on.
//
// Discontinuities of time alone are searched ahead, so that no step passes one. All others are checked
// after a step, at its end and at points between on the dense output; the first one that has left its
// branch is located there. The event function of a discontinuity is positive on its branch and passes zero
// where the branch ends.
#ifndef TMLI_INTEGRATE_EVENTS_DISCONTINUITIES_H
#define TMLI_INTEGRATE_EVENTS_DISCONTINUITIES_H

#include "base/base.h"
#include "consistency/consistent.h"
#include "integrate/core/driver.h"
#include "integrate/events/impact_rows.h"
#include <trammel/system.h>

typedef struct tmli_discontinuities {
    const tml_system *sys;
    void *work;
    int n;            // number of modes; 0: nothing to do
    double duration;  // of the run [s]
    double tol;       // tolerance of the run
    bool of_state;    // some discontinuity depends on more than time
    double *sample;   // ((points + 1) x n) event functions at the start of a step and at points of it
    double *found;    // (n) scratch
    int *changes;     // (n) changes of the mode, each a negligible time after the one before
    double *since;    // (n) when the last of them was [s]
    double *rate;     // (n) mean rate of the event function over the last step that ended at a discontinuity
    double *slope;    // (n) size of its slope at the end of the last step; INFINITY: it begins with this step
    int exit;         // the discontinuity that ended it
    bool warned;
    /** Gives the forces of states within a step, on which friction that sticks depends; NULL: not known. */
    tmli_consistent *forces;
    tmli_impact_rows *rest;  // the rows that hold by them; NULL: not known
    tml_error locked;        // why the state at the end of the last step has no forces; status TML_OK: it has
    tml_state *probe;        // state within a step
    tml_state *later;        // state a little later, see discontinuities.c
    double searched;         // discontinuities of time are known up to here [s]
    double next;             // the first of them [s]; INFINITY: none
    double skip;             // ignore those before this time [s]
    long count;              // number of times at which modes changed
} tmli_discontinuities;

/** duration [s] and tolerance are those of the run. A system without discontinuities needs no memory. */
tml_status tmli_discontinuities_create(const tml_system *sys, double duration, double tol,
                                       tmli_discontinuities *s, tml_error *err);
void tmli_discontinuities_clear(tmli_discontinuities *s);

/** Set all modes to those that hold from x on (positions, velocities, accelerations known). */
void tmli_discontinuities_set_modes(tmli_discontinuities *s, tml_state *x);
/** Integration restarts at x: forget what was known ahead. */
void tmli_discontinuities_restart(tmli_discontinuities *s, const tml_state *x);
/** The inputs have jumped to those of the last accepted state of d, where the motion goes on. True: by that a
 * discontinuity has left its branch. */
bool tmli_discontinuities_inputs_changed(tmli_discontinuities *s, const tmli_driver *d);
/** Time to which a step of size h from x may go, at most t_end. Equal to x.t if a discontinuity of time is
 * due there. */
double tmli_discontinuities_limit(tmli_discontinuities *s, const tml_state *x, double h, double t_end);
/** The method of d has made a step from t0. True if a discontinuity left its branch in this step: *t is the
 * time, out the state there (not projected, with the old modes). */
bool tmli_discontinuities_locate(tmli_discontinuities *s, const tmli_driver *d, double t0, double t_end,
                                 double *t, tml_state *out);
/** The branch whose end was located in the last step holds at the end of that step. */
bool tmli_discontinuities_returns(const tmli_discontinuities *s);
/** [s] The branch that ended at the located state ends so much later than x, the same state with its
 * constraints met, as far as its event function tells; 0: at x, within the tolerance. If it ends a negligible
 * time before or after x, this is how far before x the motion has to go on. The step began at t0. */
double tmli_discontinuities_lead(tmli_discontinuities *s, const tml_state *x, double t0);
/** Change the modes of x, where a branch ends. *row: a constraint row whose right-hand side is
 * discontinuous, -1: none. A mode that switches repeatedly within a negligible time is smoothed or freed,
 * with a warning. */
void tmli_discontinuities_change_modes(tmli_discontinuities *s, tml_state *x, int *row);
/** The velocities of x have jumped, or (jumped false) its accelerations; the modes of friction, and those of
 * closed constraints, are known for them. All other modes that depend on the state are looked at again: the
 * branches on which x now is, and with other accelerations those at whose ends it is. Returns how many have
 * changed; constraints may be struck. */
int tmli_discontinuities_look_again(tmli_discontinuities *s, tml_state *x, bool jumped);
void tmli_discontinuities_archive(tmli_discontinuities *s, tml_archive *a);

#endif

// Work of impulses: where the kinetic energy goes when velocities jump.
#ifndef TMLI_INTEGRATE_EVENTS_IMPULSE_WORK_H
#define TMLI_INTEGRATE_EVENTS_IMPULSE_WORK_H

#include "integrate/events/impact_rows.h"

/** What became of the kinetic energy in a jump of the velocities [J]. */
typedef struct tmli_impulse_work {
    double driven;       // work of prescribed motions
    double struck;       // lost in struck constraints, by the law of impact
    double rubbed;       // lost to impulses of friction in struck or closed constraints
    double friction;     // the same in joints
    double unexplained;  // gained otherwise: 0 but for round-off
} tmli_impulse_work;

/** The work of the impulses r->p and x->lambda, which change the velocities of x by du (n) and the rates of
 * the rows of the law to `after`; all but `unexplained`. Scratch: rate (2 m), w (n). */
tml_status tmli_impulse_work_find(const tmli_impact_rows *r, const tml_state *x, const double *du,
                                  const double *after, double *rate, double *w, tmli_impulse_work *out,
                                  tml_error *err);

#endif

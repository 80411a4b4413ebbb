// Work of impulses: where the kinetic energy goes when velocities jump.
#ifndef TMLI_INTEGRATE_EVENTS_IMPULSE_WORK_H
#define TMLI_INTEGRATE_EVENTS_IMPULSE_WORK_H

#include "base/base.h"
#include <trammel/system.h>

/** What became of the kinetic energy in a jump of the velocities [J]. */
typedef struct tmli_impulse_work {
    double driven;       // work of prescribed motions
    double struck;       // lost in struck constraints, by the law of impact
    double rubbed;       // lost to impulses of friction in struck or closed constraints
    double friction;     // the same in joints
    double unexplained;  // gained otherwise: 0 but for round-off
} tmli_impulse_work;

/** Work of the rows if the impulses L (m, in the sense of multipliers) change the velocities of x by du (n):
 * `driven`, and the losses in rows in force by the modes of x. Scratch: rate (2 m), w (n). */
tml_status tmli_impulse_work_of_rows(const tml_system *sys, void *work, const tml_state *x, const double *du,
                                     const double *L, double *rate, double *w, tmli_impulse_work *out,
                                     tml_error *err);

#endif

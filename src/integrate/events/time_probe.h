// Forces and prescribed motions that change with time within a step, between the times at which the method
// evaluates them.
//
// A method of high order makes steps of a third of the run where nothing moves. A pulse of a force in
// between,
//
//   f(t) = F exp(-((t - t0)/w)^2),  w much shorter than the step,
//
// is not seen by any of its stages, and its error estimate is 0. Before a long step those parts of f and
// gamma (system.h) that depend on time are therefore sampled at times within it, for the present state; jumps
// are found by discontinuities.h. A sample counts if
//   - it is outside of the range of PROBE_REFERENCES samples at equal distances, such as a method sees, by
//     more than the size of that range, and
//   - acting over the distance of the samples it changes a velocity by more than the tolerance.
// The step then ends at the sample before, and the next one at that sample, where the method sees it. Pulses
// shorter than the distance of the samples can still be missed. It is the time between two outputs, at most a
// five hundredth of the run.
#ifndef TMLI_INTEGRATE_EVENTS_TIME_PROBE_H
#define TMLI_INTEGRATE_EVENTS_TIME_PROBE_H

#include "base/base.h"
#include <trammel/system.h>

typedef struct tmli_time_probe {
    const tml_system *sys;  // NULL: nothing depends on time
    void *work;
    tml_state *x;
    double spacing;               // least distance of two samples [s]
    double least_rate;            // [1/s] of the model length or rad: least change of a velocity that counts
    double *sample, *low, *high;  // (n + m) f and gamma
    double *mass;                 // (n) diagonal
    double *unused;               // (2 n)
} tmli_time_probe;

/** tol: tolerance of velocities, in model lengths or rad per duration [s] of the run. An autonomous system
 * needs no probe. */
tml_status tmli_time_probe_create(const tml_system *sys, double spacing, double tol, double duration,
                                  tmli_time_probe *p, tml_error *err);
void tmli_time_probe_clear(tmli_time_probe *p);
/** The time at which a step from x to t_end, or of size h if that is shorter, has to end; t_end if nothing is
 * found within it. */
double tmli_time_probe_limit(tmli_time_probe *p, const tml_state *x, double h, double t_end);

#endif

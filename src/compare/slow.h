// The difference of two runs on the time scale of the motion, as the tolerance promises velocities and forces
// (docs/theory/vibrations.md, 2).
#ifndef TMLI_COMPARE_SLOW_H
#define TMLI_COMPARE_SLOW_H

#include "compare/trial.h"

/** Rows of `out`: at the times of run `b` that `a` has, too, the channels of b's state moved by
 *   q (+) F d,  u + F (ua - u)      d: increment from q to qa,  F: vibrations.h (3) at this state       (1)
 * in which vibrations faster than the time scale kappa of b's motion fade; first-order states are those of a.
 * There is a row only if the difference of the velocities vibrates faster than that, and F exists. Both runs
 * keep their states. *longest: the largest kappa [s]. */
tml_status tmli_slow_rows(const tml_model *model, const tml_run_def *run, const tmli_samples *a,
                          const tmli_samples *b, double slack, tmli_samples *out, double *longest,
                          tml_error *err);

#endif

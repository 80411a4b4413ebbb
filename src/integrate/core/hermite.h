// Dense output of one-step methods: cubic Hermite polynomials over a step.
#ifndef TMLI_INTEGRATE_CORE_HERMITE_H
#define TMLI_INTEGRATE_CORE_HERMITE_H

#include <trammel/system.h>

/** out := state at a->t + theta h between the states a and b of a step of size h with the increment D (n).
 * Increments and velocities are cubic, all else is linear. h = 0: out := b. */
void tmli_hermite(const tml_system *sys, const tml_state *a, const tml_state *b, const double *D, double h,
                  double theta, tml_state *out);

#endif

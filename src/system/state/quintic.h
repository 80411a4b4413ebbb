// The motion within a step as a polynomial of degree 5 through positions, velocities and accelerations at
// both ends. In the chart around the first state a, with increments d,
//   d(0) = 0, d'(0) = u0, d''(0) = udot0;   q1 = q0 (+) d(1), u1 = T d', udot1 = T d'' + T' d'            (1)
// It violates the constraints by O(h^6).
#ifndef TMLI_SYSTEM_STATE_QUINTIC_H
#define TMLI_SYSTEM_STATE_QUINTIC_H

#include <trammel/system.h>

/** Doubles that a polynomial needs for n coordinates: coefficients of theta^3 to theta^5, and scratch. */
#define TMLI_QUINTIC_SIZE(n) (6 * (size_t)(n))

/** memory (TMLI_QUINTIC_SIZE) := the polynomial of the step from a to x, h [s] later. */
void tmli_quintic_fit(const tml_system *sys, const tml_state *a, const tml_state *x, double h,
                      double *memory);
/** out := the state at a.t + theta h: positions and velocities of the polynomial, multipliers and
 * accelerations linear in theta, all else of a. */
void tmli_quintic_at(const tml_system *sys, const tml_state *a, const tml_state *x, double h, double theta,
                     double *memory, tml_state *out);

#endif

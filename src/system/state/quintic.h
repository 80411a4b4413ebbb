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

/** Coefficients c of theta^3 to theta^5 of one coordinate, with velocity u0 and acceleration udot0 at the
 * start, and the increment d[0] and its derivatives d[1], d[2] at the end. c may be d. */
static inline void tmli_quintic_coefficients(double h, double u0, double udot0, const double d[3],
                                             double c[3])
{
    const double c1 = h * u0, c2 = h * h / 2 * udot0;
    const double e = d[0] - c1 - c2, e1 = h * d[1] - c1 - 2 * c2, e2 = h * h * d[2] - 2 * c2;
    c[0] = 10 * e - 4 * e1 + e2 / 2;
    c[1] = -15 * e + 7 * e1 - e2;
    c[2] = 6 * e - 3 * e1 + e2 / 2;
}

/** Its increment d at theta, and the derivative v of this in time. */
static inline void tmli_quintic_value(double h, double u0, double udot0, const double c[3], double theta,
                                      double *d, double *v)
{
    const double c1 = h * u0, c2 = h * h / 2 * udot0;
    *d = theta * (c1 + theta * (c2 + theta * (c[0] + theta * (c[1] + theta * c[2]))));
    *v = (c1 + theta * (2 * c2 + theta * (3 * c[0] + theta * (4 * c[1] + 5 * theta * c[2])))) / h;
}

#endif

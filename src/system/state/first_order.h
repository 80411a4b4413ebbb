// First-order states: the last nz coordinates of a system (trammel/system.h), and their configuration, the
// integral of z as a sum of two numbers.
//
// Nothing depends on it, but methods take differences of configurations over the step. A single number of the
// size of z times the time of the run would leave them with the round-off of that size, and z with as much
// over h. The sum q[2 i] + q[2 i + 1] has twice the digits (T. J. Dekker, Numer. Math. 18 (1971) 224-242).
#ifndef TMLI_SYSTEM_STATE_FIRST_ORDER_H
#define TMLI_SYSTEM_STATE_FIRST_ORDER_H

#include <trammel/system.h>

/** Number of coordinates that are no first-order states; they come first. */
static inline int tmli_mechanical(const tml_system *sys) { return sys->n - sys->nz; }

/** out (2 nz) := the integrals q (2 nz), increased by d (nz). out may be q. */
static inline void tmli_integral_retract(int nz, const double *q, const double *d, double *out)
{
    for (int i = 0; i < nz; i++) {
        const double a = q[2 * i], b = d[i], sum = a + b, part = sum - a;
        const double rest = q[2 * i + 1] + ((a - (sum - part)) + (b - part)), total = sum + rest;
        out[2 * i + 1] = rest - (total - sum);
        out[2 * i] = total;
    }
}

/** d (nz) := the increments from q0 to q1 (2 nz each). */
static inline void tmli_integral_local(int nz, const double *q0, const double *q1, double *d)
{
    for (int i = 0; i < nz; i++) {
        const double a = q1[2 * i], b = -q0[2 * i], sum = a + b, part = sum - a;
        d[i] = sum + ((a - (sum - part)) + (b - part) + (q1[2 * i + 1] - q0[2 * i + 1]));
    }
}

#endif

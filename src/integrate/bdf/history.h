// Where a multistep method has been: the last accepted points, and what polynomials through them say about
// the next.
//
// Points are seen from the last of them, q_n: X_j (n) with q_{n-j} = q_n (+) X_j, X_0 = 0. On this chart the
// motion is a curve in a vector space, X' = inverse(T(X)) u, and polynomials make sense. The chart moves
// along with every accepted step by exact composition, X_{j+1} := (-D) o X_j, X_1 := -D, so that no digits of
// the small increments are lost in the configuration.
//
// With s_j = t_{n+1} - t_{n-j} > 0 the polynomial through the new point and the last k (a backward
// differentiation formula on the grid as it is, Y being X or u) has at the new point the slope
//   Y' = a Y_{n+1} + sum_j w_j Y_j,   a = sum_j 1/s_j,   w_j = -(1/s_j) prod_{i != j} s_i/(s_i - s_j),   j = 0 .. k-1   (1)
// and the one through the last k + 1 alone has there the value
//   sum_j p_j Y_j,                    p_j = prod_{i != j} s_i/(s_i - s_j),                                j = 0 .. k     (2)
// The distance of the new point from (2) is s_0 ... s_k Y[n+1, n, .., n-k], a divided difference; the slope
// (1) is wrong by s_0 ... s_{k-1} of it, that is by distance/s_k.                                         (3)
#ifndef TMLI_INTEGRATE_BDF_HISTORY_H
#define TMLI_INTEGRATE_BDF_HISTORY_H

#include "base/base.h"
#include <trammel/system.h>

enum { TMLI_BDF_ORDER = 5, TMLI_BDF_POINTS = TMLI_BDF_ORDER + 3 };

typedef struct tmli_history {
    const tml_system *sys;
    int count;                        // points there are
    double age[TMLI_BDF_POINTS];      // [s] t_n - t_{n-j}
    double *X[TMLI_BDF_POINTS];       // (n) X[0] = 0
    double *u[TMLI_BDF_POINTS];       // (n)
    double *lambda[TMLI_BDF_POINTS];  // (m)
    int multipliers;                  // points with multipliers
    bool flat;                        // T is the identity, increments add: nothing turns in space
    double *scratch;                  // (5 n)
} tmli_history;

tml_status tmli_history_create(const tml_system *sys, tmli_history *y, tml_error *err);
void tmli_history_clear(tmli_history *y);

/** The only point is x. */
void tmli_history_begin(tmli_history *y, const tml_state *x);
/** Points before the first at distances delta [s], as many as to make `count`, on the motion with the
 * velocity u + s d_1 + s^2/2 d_2 + ... of `terms` derivatives: derivative[i] (n) is d_{i+1}. */
void tmli_history_extend(tmli_history *y, int count, double delta, const double *const *derivative,
                         int terms);
/** x was accepted, h after the last point and D away from it. */
void tmli_history_append(tmli_history *y, const tml_state *x, double h, const double *D);

/** X (n) at time s after the first point on the motion of tmli_history_extend, from X at time `from`; u (n)
 * gets the velocity. */
void tmli_history_path(const tmli_history *y, const double *const *derivative, int terms, double from,
                       double s, double *X, double *u);

/** (1) for order k and a step of h: weights of the points, and the leading one. */
double tmli_history_slope(const tmli_history *y, int k, double h, double w[TMLI_BDF_POINTS]);
/** (2): the value at h after the last point of the polynomial through the last `points`. */
void tmli_history_value(const tmli_history *y, int points, double h, double p[TMLI_BDF_POINTS]);
/** Its slope there. */
void tmli_history_rate(const tmli_history *y, int points, double h, double d[TMLI_BDF_POINTS]);

#endif

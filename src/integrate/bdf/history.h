// History of a multistep method: the last accepted points, and polynomials through them.
//
// Points are described from the last of them, q_n: X_j (n) with q_{n-j} = q_n (+) X_j, X_0 = 0. On this
// chart the motion is a curve in a vector space, X' = inverse(T(X)) u, and polynomials make sense. The
// chart moves with every accepted step by exact composition, X_{j+1} := (-D) o X_j, X_1 := -D, so that no
// digits of the small increments are lost in the configuration.
//
// With s_j = t_{n+1} - t_{n-j} > 0 and Y being X or u, the polynomial through the new point and the last k
// (a backward differentiation formula on the variable grid) has the slope at the new point
//   Y' = a Y_{n+1} + sum_j w_j Y_j,   a = sum_j 1/s_j,   w_j = -(1/s_j) prod_{i != j} s_i/(s_i - s_j)     (1)
//                                     j = 0 .. k-1
// and the polynomial through the last k + 1 alone has the value
//   sum_j p_j Y_j,                    p_j = prod_{i != j} s_i/(s_i - s_j),   j = 0 .. k                   (2)
// The distance of the new point from (2) is s_0 ... s_k Y[n+1, n, .., n-k], a divided difference. The slope
// (1) is wrong by s_0 ... s_{k-1} times this difference, which is distance/s_k.
//                                                                                                       (3)
#ifndef TMLI_INTEGRATE_BDF_HISTORY_H
#define TMLI_INTEGRATE_BDF_HISTORY_H

#include "system/state/fields.h"

enum { TMLI_BDF_ORDER = 5, TMLI_BDF_POINTS = TMLI_BDF_ORDER + 3 };

typedef struct tmli_history {
    const tml_system *sys;
    int count, multipliers;           // number of points, and of points with multipliers
    double age[TMLI_BDF_POINTS];      // [s] t_n - t_{n-j}
    double *X[TMLI_BDF_POINTS];       // (n) X[0] = 0
    double *u[TMLI_BDF_POINTS];       // (n)
    double *lambda[TMLI_BDF_POINTS];  // (m)
    bool flat;                        // T is the identity and increments add (no spatial rotations)
    double *scratch;                  // (5 n)
} tmli_history;

/** Its fields, as those of a part of another object; set up once these have memory. */
extern const tmli_span tmli_history_spans[];
void tmli_history_set_up(tmli_history *y, const tml_system *sys);

/** Discard all points; x becomes the only one. */
void tmli_history_begin(tmli_history *y, const tml_state *x);
/** Add points before the first one at distances delta [s] until there are `count`, on the motion with the
 * velocity u + s d_1 + s^2/2 d_2 + ... of `terms` derivatives; derivative[i] (n) is d_{i+1}. */
void tmli_history_extend(tmli_history *y, int count, double delta, const double *const *derivative,
                         int terms);
/** Append the accepted state x, h [s] after the last point and at the increment D from it. */
void tmli_history_append(tmli_history *y, const tml_state *x, double h, const double *D);

/** The motion continues with accelerations and multipliers that have jumped by dudot (n) and dlambda (m). The
 * points before the last one become those of a motion that always had this acceleration more:
 * u_j -= age dudot, X_j += age^2/2 dudot. */
void tmli_history_add_jump(tmli_history *y, const double *dudot, const double *dlambda);
/** Follow the motion of tmli_history_extend from X (n) at time `from` to time s after the first point; u (n)
 * gets the velocity there. */
void tmli_history_path(const tmli_history *y, const double *const *derivative, int terms, double from,
                       double s, double *X, double *u);

/** (2): weights of the value at h after the last point; p[i]: of the polynomial through the last i + 1
 * points, for all up to `points`. Each has the factors of the one before, and one more. */
void tmli_history_values(const tmli_history *y, int points, double h,
                         double p[TMLI_BDF_POINTS][TMLI_BDF_POINTS]);
/** (1) for order k and a step h: returns a; w: weights of the points. p: (2) of the last k points. */
double tmli_history_slope(const tmli_history *y, int k, double h, const double p[TMLI_BDF_POINTS],
                          double w[TMLI_BDF_POINTS]);
/** Weights of its slope there. */
void tmli_history_rate(const tmli_history *y, int points, double h, double d[TMLI_BDF_POINTS]);

#endif

// History of accelerations of an Adams method, as modified divided differences, and its coefficients at
// variable steps.
//
// a_i = a at t_{n-i}; psi_i(n) = t_n - t_{n-i}. At t_n
//   phi_i(n) = psi_1(n) ... psi_i(n) a[t_n, ..., t_{n-i}],                  i = 0, 1, ...          (1)
// On a step h to t_{n+1}, with psi_i = h + psi_{i-1}(n) measured from there and beta_i = prod_{j <= i}
// psi_j/psi_j(n), the polynomial through k accelerations is
//   P(t_n + s h) = sum_{i < k} c_i(s) beta_i phi_i(n),   c_i(1) = 1                                 (2)
// and with the integrals of c_i, once and twice over,
//   g_i = int_0^1 c_i,  gg_i = int_0^1 int_0^s c_i                                                  (3)
// positions follow from accelerations directly, without a history of velocities:
//   vd = vd_n + h sum g_i beta_i phi_i,   v = v_n + h vd_n + h^2 sum gg_i beta_i phi_i              (4)
// The recursion of g has no significant cancellation: L. F. Shampine, M. K. Gordon, Computer Solution of
// Ordinary Differential Equations, Freeman 1975, chapter 5; F. T. Krogh, in: Lecture Notes in Mathematics
// 362 (1974) 22-71.
//
// Charts. phi belongs to one chart. When the chart moves, the accelerations of the earlier points are
// computed anew from the states there: q = q0 (+) d, u = T d', udot = T d'' + T' d' give d'' in any chart
// nearby, and its independent part is v''. A change of chart or basis loses nothing, and the order is kept.
// States are only kept where there is more than one chart. Points from which a body has rotated too far in
// space are dropped, which limits the order where bodies spin fast; in the plane, T is the identity.
#ifndef TMLI_INTEGRATE_EXPLICIT_ADAMS_HISTORY_H
#define TMLI_INTEGRATE_EXPLICIT_ADAMS_HISTORY_H

#include "integrate/explicit/explicit.h"

enum { TMLI_ADAMS_ORDER = 12, TMLI_ADAMS_POINTS = TMLI_ADAMS_ORDER + 2 };

typedef struct tmli_adams_history {
    const tml_system *sys;
    bool states;                        // states of the points are kept
    int count;                          // points known
    double age[TMLI_ADAMS_POINTS + 1];  // psi_i(n) [s]
    double rotated[TMLI_ADAMS_POINTS];  // largest rotation of a body in space since [rad]
    double beta[TMLI_ADAMS_POINTS];     // beta of the step under trial
    double g[TMLI_ADAMS_POINTS + 1], gg[TMLI_ADAMS_POINTS + 1];  // (3)
    double *phi[TMLI_ADAMS_POINTS];                              // (dof) (1)
    double *u[TMLI_ADAMS_POINTS], *udot[TMLI_ADAMS_POINTS];      // (n), the latest first
    double *d, *rate, *part;                                     // (n) scratch
    double *q[TMLI_ADAMS_POINTS];                                // (nq)
} tmli_adams_history;

/** Its fields, as those of a part of another object. */
extern const tmli_span tmli_adams_history_spans[];

/** Begin at x, where v'' = a (dof). */
void tmli_adams_history_begin(tmli_adams_history *y, const tml_state *x, const double *a, int dof);
/** Set beta for a step h, and g, gg up to index k. */
void tmli_adams_history_trial(tmli_adams_history *y, int k, double h);
/** The step h of the last trial is accepted: it ends at x with v'' = a (dof). */
void tmli_adams_history_append(tmli_adams_history *y, const tml_state *x, const double *a, int dof, double h);
/** Compute the differences in the present chart of e, which is at the latest point; a (dof): v'' there. */
void tmli_adams_history_move(tmli_adams_history *y, tmli_explicit *e, const double *a);
/** The accelerations of all points jump by dudot (n); a (dof): v'' at the latest one after that. */
void tmli_adams_history_add_jump(tmli_adams_history *y, const double *dudot, const double *a, int dof);
/** g and gg of the polynomial through the last k points, integrated from t_n to t_n + s: units of s and s^2.
 */
void tmli_adams_history_dense(const tmli_adams_history *y, int k, double s, double *g, double *gg);

#endif

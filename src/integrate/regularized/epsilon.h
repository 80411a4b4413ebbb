// Choice of the regularization parameter epsilon: how far regularized constraints displace the motion, and
// the epsilon that keeps the displacement within the tolerance.
//
// By regularized.h (5), (6) the multipliers leave, for an epsilon of 1, the residual acceleration
//
//   direct:        c = lambda/e                                                        (1)
//   trust region:  c = inv(D) inv(S) (lambda/e),  S = B inv(M) B', D = diag(e)         (2)
//
// across the constraints, and the feedback balances it with Phi = c/(2 g^2). The motion is displaced by a d
// with
//
//   B d = c/(2 g^2),  smallest in the metric of the mass                               (3)
//
// and while the loads change as fast as the feedback follows, or faster, its velocities are by up to
//
//   g d                                                                                (4)
//
// which takes energy from the motion. d contains the small singular values of the constraints, once (1) or
// three times (2), and the loads: a chain of a hundred loops under a thousand times its weight is displaced
// 1e9 times as much as a single one. It costs one factorization of the matrix of accelerations and two or
// three solutions with it. Epsilon is chosen so that (3) and (4) stay below a share of the allowed errors.
// Loads may grow by orders of magnitude between two evaluations, as when a light link whips round: epsilon
// then falls with them.
//
// At a singular configuration d is infinite, but only in passing, and there epsilon must be large enough to
// pass. The choice is therefore the value that all but one of the last evaluations ask for, at
// configurations some distance from each other.
#ifndef TMLI_INTEGRATE_REGULARIZED_EPSILON_H
#define TMLI_INTEGRATE_REGULARIZED_EPSILON_H

#include "base/base.h"
#include "consistency/index1.h"
#include "integrate/core/error_weights.h"
#include "integrate/regularized/regularized.h"

// Number of evaluations that count. Origin: docs/theory/regularization.md; sizes an array, so it cannot vary.
enum { TMLI_EPSILON_EVALUATIONS = 5 };

typedef struct tmli_epsilon_control {
    const tmli_regular_eq *eq;
    const tmli_weights *weights;
    double most;                              // largest epsilon
    tmli_index1 matrix;                       // of accelerations
    double wanted[TMLI_EPSILON_EVALUATIONS];  // epsilon of the last evaluations, as a ring
    double loads[TMLI_EPSILON_EVALUATIONS];   // and the largest multipliers there, in units
    double path;                              // distance covered since the last evaluation [lengths or rad]
    double time;                              // time since then, times the rate of the motion
    double load;                              // largest multiplier at the last evaluation, in units
    int evaluations;
    void *memory;  // of all arrays
    tml_state *probe;
    double *c;          // (m) of (3), at the last evaluation
    double *d, *moved;  // (n) of (3), at the last evaluation; scratch
} tmli_epsilon_control;

/** eq, weights: borrowed. most: epsilon where constraints carry little load and are far from dependent. */
tml_status tmli_epsilon_control_create(const tmli_regular_eq *eq, const tmli_weights *weights, double most,
                                       const tml_linsolver_ops *solver, tmli_epsilon_control *s,
                                       tml_error *err);
void tmli_epsilon_control_clear(tmli_epsilon_control *s);
/** Epsilon for a motion that begins at x, by evaluations there and on both sides. eq is centred at x and has
 * its gamma. */
double tmli_epsilon_control_start(tmli_epsilon_control *s, const tml_state *x);
/** Epsilon after a step of h [s] to x: unchanged, or a better one. */
double tmli_epsilon_control_update(tmli_epsilon_control *s, const tml_state *x, double h);
void tmli_epsilon_control_archive(tmli_epsilon_control *s, tml_archive *a);

#endif

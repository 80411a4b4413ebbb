// How far regularized constraints give way, and the epsilon that keeps it within a tolerance.
//
// By regularized.h (5), (6) the multipliers leave over, for an epsilon of 1,
//
//   direct:        c = lambda/e                                                        (1)
//   trust region:  c = inv(D) inv(S) (lambda/e)                                        (2)   S = B inv(M) B', D = diag(e)
//
// of the acceleration across the constraints, and the feedback holds Phi = c/(2 g^2) against it. The motion
// is off by a d with
//
//   B d = c/(2 g^2)                                                                    (3)   least in mass
//
// which has the small singular values of the constraints in it, once (1) or three times (2), and the loads: a
// chain of a hundred loops under a thousand times its weight gives way 1e9 times as much as a single one. It
// costs one factorization of the matrix of accelerations and two or three solutions with it. Epsilon is
// chosen so that d stays below a share of the allowed error.
//
// At a singular position d is infinite, but only in passing, and there epsilon has to be large enough to
// pass. So the choice is what all but one of the last looks ask for, at places some way from each other.
#ifndef TMLI_INTEGRATE_REGULARIZED_EPSILON_H
#define TMLI_INTEGRATE_REGULARIZED_EPSILON_H

#include "base/base.h"
#include "consistency/index1.h"
#include "integrate/core/error_weights.h"
#include "integrate/regularized/regularized.h"

enum { TMLI_SOFTNESS_LOOKS = 5 };

typedef struct tmli_epsilon_control {
    const tmli_regular_eq *eq;
    const tmli_weights *weights;
    double most;         // epsilon at most
    tmli_index1 matrix;  // of accelerations
    tml_state *probe;
    double *c, *d;                      // (m), (n) of (3), at the last look
    double *moved;                      // (n)
    double found[TMLI_SOFTNESS_LOOKS];  // by the last looks, in turn
    int looks;
    double way, time;  // that the motion has gone since the last look [lengths or rad; over its rate]
    double load;       // largest multiplier at that look, in units
} tmli_epsilon_control;

/** eq, weights: borrowed. most: epsilon where constraints are hardly loaded and far from depending on each
 * other. */
tml_status tmli_epsilon_control_create(const tmli_regular_eq *eq, const tmli_weights *weights, double most,
                                       const tml_linsolver_ops *solver, tmli_epsilon_control *s,
                                       tml_error *err);
void tmli_epsilon_control_clear(tmli_epsilon_control *s);
/** Epsilon for a motion that begins at x, by looks there and at both sides. eq is centred at x and has its
 * gamma. */
double tmli_epsilon_control_start(tmli_epsilon_control *s, const tml_state *x);
/** Epsilon after the motion has come to x by a step of h [s]: as it is, or a better one. */
double tmli_epsilon_control_follow(tmli_epsilon_control *s, const tml_state *x, double h);

#endif

// Constrained systems in regularized form for IDA. After L. R. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput.
// 18 (1997) 753-774, section 4, with q = q0 (+) d:
//
//   T(d) d' = u                                                                        (1)
//   M u' + B' lambda = f                                                               (2)
//   c = B u' - gamma_2 + k1 (B u - nu) + k0 Phi,  g: the option gamma [1/s]            (3)
//       index 3: k1 = 2 g, k0 = 2 g^2 (paper (4.3), h = 1/g); rows at velocity level without the last term
//       index 2: k1 = g, k0 = 0 (paper (2.5) for the constraint B u = nu)
//   baumgarte:     c = 0                                                               (4)
//   direct:        c = eps lambda / e                                                  (5)
//   trust region:  S D c = eps lambda / e,  S = B inv(M) B', D = diag(e)               (6)
//
// gamma_2 is the value that B u' must have (system.h (4)); the paper omits its part dB/dt u, which makes
// Phi settle at an offset of the order u^2/g^2 instead of 0. e is the inertia that a row feels, 1/e = S_rr:
// rows in units of inertia, so that eps has none and compares with singular values of S between 0 and about
// the number of rows. S is full, so (6) is solved with further unknowns,
//
//   c = eps r,   M z = B' D r,   e B z = lambda                                        (7)
//
// which keeps the matrix sparse and its numbers those of S, not of S^2. A coordinate without inertia gets one
// in (7), where any symmetric definite M will do.
//
// Unknowns y = (d, u, lambda) and for (6) also (z, r). Newton's equations are solved in those of the system's
// own pattern: (1) gives dd = inv(J) (r1 + du), J = cj T + d(T d')/dd, by nodes, and there remains, with a =
// cj du,
//
//   [ (cj M + D + K T inv(J)) / cj    B'        ] [ a       ]
//   [ C / w                           -eps v/e  ] [ dlambda ]                                             (8)
//   C = (cj + k1) B - gamma_u + c_d T inv(J)
//
// w = cj + k1 + k0/cj, v = cj/w: nearly [M B'; B 0]. For (6) the rows and columns of z and r join those
// of u and lambda of the same body or joint, so that the graph of blocks is the system's, and with it the
// solvers that follow it:
//
//   u:       A a + B' dlambda        z:  M dz - B' D dr
//   lambda:  e B dz - dlambda        r:  C/w a - eps v dr                                                 (9)
#ifndef TMLI_INTEGRATE_REGULARIZED_REGULARIZED_H
#define TMLI_INTEGRATE_REGULARIZED_REGULARIZED_H

#include "base/base.h"
#include "linalg/pattern/pattern.h"
#include <trammel/integrator.h>

typedef enum tmli_regularization {
    TMLI_REGULARIZATION_BAUMGARTE,     // (4): B must keep its rank
    TMLI_REGULARIZATION_DIRECT,        // (5)
    TMLI_REGULARIZATION_TRUST_REGION,  // (6)
} tmli_regularization;

typedef struct tmli_regular_eq {
    const tml_system *sys;
    tmli_regularization kind;
    double gamma, epsilon;
    double cj, row_scale;  // of the last factorization: cj, and cj/w
    int index;             // 2 or 3, of (3)
    bool curved;           // T is not the identity
    bool trust;            // (7)
    int n, m, size;
    int at_l, at_z, at_r;  // index of the first lambda, z and r
    int colours;
    const tml_pattern *pattern;          // of (8) or (9)
    tml_pattern *doubled;                // (9), owned
    void *memory;                        // of all arrays
    void *work;                          // workspace of the system
    tml_state *x;                        // state of evaluations; angle and mode stay as they were set
    tml_state *centre;                   // centre of the chart
    double *e;                           // (m) see consistency/scaling.h
    double *phi, *phidot, *gamma2;       // (m)
    double *unit;                        // (n + m) see consistency/scaling.h
    double *inertia;                     // (n) added to M in (7)
    double *motion, *f;                  // (n)
    double *v, *w, *w2;                  // (n)
    double *rows, *by_d, *by_u, *times;  // entries of B; times is left as c_d T inv(J)
    double *diagonal;                    // (3 n) scratch
    double *values, *other;              // entries of the system's pattern; values is left as K T inv(J)
    double *T, *J;                       // (n x colours) by columns of the nodes; J is left factored
    double *gathered;                    // (colours x n)
    double *matrix;                      // entries of the pattern
    double *right;                       // (unknowns of the pattern)
    int *colour, *first;                 // (n) index within the node, first index of the node
    int *pivot;                          // (n) pivots of J
    int *once, *twice;       // (n + m) row of an unknown of the system in (8), (9): u and lambda; z and r
    int *uu, *zz;            // entries of the system's pattern, its motion part; -1: none
    int *ul, *cu, *zr, *lz;  // entries of B: B' and C of (8), the others of (9)
    int *uz, *ll, *rr;       // (n), (m) diagonals of z, lambda, r
    const tml_linsolver_ops *solver;
    const tml_linsolver_ops *spare;  // used when `solver` gives up; NULL: none
    void *lin, *lin_spare;
} tmli_regular_eq;

/** solver: for (8), (9). The index is 3; set it afterwards for the other. */
tml_status tmli_regular_init(const tml_system *sys, tmli_regularization kind, const tml_linsolver_ops *solver,
                             tmli_regular_eq *e, tml_error *err);
void tmli_regular_clear(tmli_regular_eq *e);
/** k1 and k0 of (3). */
static inline double tmli_regular_rate_gain(const tmli_regular_eq *e)
{
    return e->index == 2 ? e->gamma : 2 * e->gamma;
}
static inline double tmli_regular_position_gain(const tmli_regular_eq *e, int row)
{
    const bool rate = e->sys->level && e->sys->level[row] == TML_LEVEL_VELOCITY;
    return rate || e->index == 2 ? 0 : 2 * e->gamma * e->gamma;
}
/** Move the chart to x; y and y' := unknowns there. */
tml_status tmli_regular_centre(tmli_regular_eq *e, const tml_state *x, double *y, double *yp, tml_error *err);
/** The state at y, y'; out keeps its angles and modes. */
void tmli_regular_state(const tmli_regular_eq *e, double t, const double *y, const double *yp,
                        tml_state *out);
/** Largest rotation of a node in the chart [rad]; 0 if T is the identity. */
double tmli_regular_rotation(const tmli_regular_eq *e, const double *y);

tml_status tmli_regular_residual(tmli_regular_eq *e, double t, const double *y, const double *yp, double *out,
                                 tml_error *err);
/** Factor F_y + cj F_y'; in (7) without the derivatives of M and B by d, which are multiplied by z and r. */
tml_status tmli_regular_factor(tmli_regular_eq *e, double t, double cj, const double *y, const double *yp,
                               tml_error *err);
/** x (size): right-hand side on entry, solution on return. */
void tmli_regular_solve(tmli_regular_eq *e, double *x);
/** Of the last factored matrix; 0: unknown. */
double tmli_regular_rcond(const tmli_regular_eq *e);

void tmli_regular_archive(tmli_regular_eq *e, tml_archive *a);

/** Set the indices of entries in the pattern, and create the solver: part of init. */
tml_status tmli_regular_layout(tmli_regular_eq *e, const tml_linsolver_ops *solver, tml_error *err);
/** The spare solver replaces the other. */
void tmli_regular_use_spare(tmli_regular_eq *e);

#endif

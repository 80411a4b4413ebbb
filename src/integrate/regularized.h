// Constrained systems in regularized form for IDA. After L. R. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput. 18 (1997) 753-774,
// section 4, with q = q0 (+) d:
//
//   T(d) d' = u                                                                        (1)
//   M u' + B' lambda = f                                                               (2)
//   c = B u' - gamma_2 + 2 g (B u - nu) + 2 g^2 Phi                                    (3)   g: the option gamma [1/s]
//   baumgarte:     c = 0                                                               (4)
//   direct:        c = eps lambda / e                                                  (5)
//   trust region:  S D c = eps lambda / e,  S = B inv(M) B', D = diag(e)               (6)
//
// gamma_2 is what B u' must be (system.h (4)); the paper leaves out its part dB/dt u, which makes Phi settle at an offset of the
// order u^2/g^2 instead of 0. e is the inertia that a row feels, 1/e = S_rr: rows in units of inertia, so that eps has none and
// compares with singular values of S between 0 and about the number of rows. S is full, so (6) is solved with further unknowns,
//
//   c = eps r,   M z = B' D r,   B z = lambda / e                                      (7)
//
// which keeps the matrix sparse and of the size of numbers that S has, not of S^2. A coordinate without inertia gets one in (7),
// where any symmetric definite M will do.
//
// Unknowns y = (d, u, lambda) and for (6) also (z, r).
#ifndef TMLI_REGULARIZED_H
#define TMLI_REGULARIZED_H

#include "base/base.h"
#include "linalg/pattern.h"
#include <trammel/hessenberg.h>
#include <trammel/integrator.h>

typedef struct tmli_regular_eq {
    const tml_system *sys;
    tml_regularization kind;
    double gamma, epsilon;
    int n, m, size;
    int at_l, at_z, at_r;  // where lambda, z and r begin
    void *work;            // of the system
    tml_state *x;          // where things are evaluated; angle and mode stay as they were set
    double *q0;            // (nq) centre of the chart
    double *e, *unit;      // (m), (n + m) see reduce/scale.h
    double *inertia;       // (n) what (7) adds to M
    double *block;
    double *motion, *phi, *phidot, *f, *gamma2;  // (n) or (m)
    double *rows, *by_d, *by_u, *times;          // entries of B
    double *diagonal;                            // (3 n) scratch
    double *values, *other;                      // entries of the system's pattern
    double *T, *slope;                           // (n x colours) T(d), d(T d')/dd
    double *v, *w, *w2;                          // (n)
    int *colour, *first;                         // (n) place in the node, and where the node begins
    int colours;
    // where things go in the matrix: (1) (2) by d and u, rows of B
    tml_pattern *pattern;
    int *places;        // all of them
    int *dd, *du;       // (n x colours): T entries
    int *ud, *uu, *zz;  // entries of the system's pattern, its motion part; -1: none
    int *ul, *cd, *cu;  // entries of B: B' in (2), (3) by d and by u
    int *zr, *lz;       // B' D in (7), B in (7)
    int *ll, *rr;       // (m) diagonals
} tmli_regular_eq;

tml_status tmli_regular_init(const tml_system *sys, tml_regularization kind, tmli_regular_eq *e, tml_error *err);
void tmli_regular_clear(tmli_regular_eq *e);
/** The pattern of the matrix and the places in it; part of init. */
tml_status tmli_regular_layout(tmli_regular_eq *e, tml_error *err);
/** Chart at x; y and y' there. */
tml_status tmli_regular_centre(tmli_regular_eq *e, const tml_state *x, double *y, double *yp, tml_error *err);
/** The state at y, y'; out has the angles and modes of the last centre. */
void tmli_regular_state(const tmli_regular_eq *e, double t, const double *y, const double *yp, tml_state *out);
/** Largest rotation of a node in the chart [rad]; 0 if T is the identity. */
double tmli_regular_turn(const tmli_regular_eq *e, const double *y);

tml_status tmli_regular_residual(tmli_regular_eq *e, double t, const double *y, const double *yp, double *r,
                                 tml_error *err);
/** F_y + cj F_y'; in (7) without the derivatives of M, B and D by d, which are multiplied by z and r. */
tml_status tmli_regular_matrix(tmli_regular_eq *e, double t, double cj, const double *y, const double *yp,
                               double *values, tml_error *err);

#endif

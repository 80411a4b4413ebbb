// The equations of small motions as a sparse pencil, for systems of any size.
//
// In axes that turn with g (linearize.c), with position increments d and multipliers l, motions exp(s t) obey
//   [ K + X(s) (s + T)    B' ] [ d ]
//   [ B                   0  ] [ l ] = 0,    X(s) = D + M (s + g),   T = g - C                            (1)
// because e = (s + T) d and M (s + g) e + D e + K d + B'l = 0. C and g are block diagonal: an entry couples
// the coordinates of one body. Rows at velocity level are B e + (B u - nu)_d d = 0 instead. First-order
// states have e only: it stands in place of their d.
//
// With P(s) the matrix of (1), the operator (d, e) -> (d', e') of the shift-and-invert method at the shift h,
//   P(h) (d', l) = (-M e - X(h) d, 0),   e' = d + (h + T) d'      (2)
// has the eigenvalue 1/(s - h) for every finite s, and 0 for the infinite ones that constraints and massless
// bodies bring: neither needs a reduction.
#ifndef TMLI_ANALYSIS_MODES_PENCIL_H
#define TMLI_ANALYSIS_MODES_PENCIL_H

#include "analysis/modes/steady.h"

#include <complex.h>

typedef struct tmli_pencil {
    const tml_system *sys;
    void *w;
    const tml_state *x;
    tmli_arena arena;
    int n, m;
    double *unit;        // (n) model length for translations, else 1: all below is in these units
    double *M, *D, *K;   // (nnz) in the order of the pattern
    double *resistance;  // (nnz) of motions: symmetric part of D without velocities, where it only dissipates
    double *other;       // (nnz) D while `resistance` is taken out of it; else scratch
    double *rows;        // (nnz) B and B', rows of size 1
    double *rate_rows;   // (nnz) (B u - nu)_d of rows at velocity level; NULL: there are none
    double *T, *g;       // (n x 6) column j of the block of its body
    int *first;          // (n) first coordinate of the body of a coordinate
    double complex shift;   // of the factors
    double complex *P, *X;  // (nnz) at the shift; P without the regularization of multipliers
    double complex *work;   // (3 (n + m))
    double size;            // factor of rows and multipliers: the largest entry of P
    struct tmli_pencil_factors *factors;
} tmli_pencil;

/** Assemble at x, of which udot and lambda are used. g is 0. The caller clears p, also after an error. */
tml_status tmli_pencil_init(tmli_pencil *p, const tml_system *sys, void *w, const tml_state *x,
                            tml_error *err);
/** Set g to that of axes, instead of those before. */
void tmli_pencil_set_axes(tmli_pencil *p, const tmli_steady *axes);
/** Take what dissipates out of the equations of motions (false: nothing does), or put it back. */
bool tmli_pencil_remove_damping(tmli_pencil *p);
void tmli_pencil_restore_damping(tmli_pencil *p);
/** P(s) = P0 + s P1 + s^2 P2 in the rows and columns of coordinates; each (nnz). */
void tmli_pencil_polynomial(tmli_pencil *p, double *P0, double *P1, double *P2);
/** Factor P(shift). TML_ERR_SINGULAR: the shift is an eigenvalue, or a free part has no mass. */
tml_status tmli_pencil_factor(tmli_pencil *p, double complex shift, tml_error *err);
/** x (n) becomes the increment d of P(shift) (d, l) = (x, 0). */
void tmli_pencil_solve(tmli_pencil *p, double complex *x);
/** (2): y (2 n) from x (2 n), d and e over |shift|, for tmli_arnoldi_solve; user: the pencil. */
void tmli_pencil_apply(const double complex *x, double complex *y, void *user);
/** |s| [1/s] that round-off in K alone may produce for a shape d (n, in units). */
double tmli_pencil_noise(const tmli_pencil *p, const double complex *d);
/** sqrt of the largest stiffness over inertia of a coordinate [1/s]: above all frequencies but by a factor.
 * */
double tmli_pencil_fastest(const tmli_pencil *p);
void tmli_pencil_clear(tmli_pencil *p);  // accepts a zeroed one

#endif

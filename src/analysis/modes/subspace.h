// A space of shapes in which the equations P(s) d = 0 of pencil.h are small: of possible motions and
// first-order states.
//
//   V'(P0 + s P1 + s^2 P2) V y = 0,   d = V y,   B V = 0                                                  (1)
#ifndef TMLI_ANALYSIS_MODES_SUBSPACE_H
#define TMLI_ANALYSIS_MODES_SUBSPACE_H

#include "analysis/modes/pencil.h"

// A root of (1)
typedef struct tmli_ritz {
    double complex s;
    double order;  // by which roots are wanted [1/s]
    double complex *y;
} tmli_ritz;

typedef struct tmli_subspace {
    tmli_pencil *p;
    double near;        // [rad/s] roots near i near are wanted
    tmli_arena round;   // of one solution of (1)
    double *P[3];       // (nnz) P0, P1, P2
    int room, size;     // columns of V
    double *V;          // (n x room) orthonormal
    bool *is_state;     // (room) first-order states, not motions
    double *v, *rows;   // (n), (m) scratch
    double complex *x;  // (n) scratch
    int projected;      // columns of V in (1)
    double *A[3];       // (room x room) (1)
    double *scale;      // (room) of the unknowns of (1)
    double *rigid;      // (projected x projected) rows: directions with stiffness, then `zeros` without
    int zeros;
    double turning;    // fastest rate of the axes and bodies [1/s]
    double rate;       // unit of roots of (1) [1/s]
    int count;         // roots of (1) with im >= 0, by `order`
    tmli_ritz *found;  // (2 projected)
} tmli_subspace;

/** An empty space with room for so many columns, at most. Memory comes from the arena of the pencil; the
 * caller clears v, also after an error. */
tml_status tmli_subspace_init(tmli_subspace *v, tmli_pencil *p, int room, double near, tml_error *err);
void tmli_subspace_clear(tmli_subspace *v);
/** Real and imaginary part of a shape (n) of length 1, of motions and of first-order states apart. Those that
 * are no motions, B d != 0, are left out: vectors of infinite roots. */
void tmli_subspace_extend(tmli_subspace *v, const double complex *d);
/** All roots of (1) but those that are 0: the directions without stiffness are counted apart. */
tml_status tmli_subspace_solve(tmli_subspace *v, tml_error *err);
/** The shape (n) of length 1 of unknowns y of (1); of the i-th direction without stiffness, y: scratch */
void tmli_subspace_shape(const tmli_subspace *v, const double complex *y, double complex *d);
void tmli_subspace_rigid(const tmli_subspace *v, int i, double complex *y, double complex *d);
/** By which a root with the shape d is wanted. */
double tmli_subspace_order(tmli_subspace *v, double complex root, const double complex *d);

/** y (n) := (c0 P0 + c1 P1 + c2 P2) x */
void tmli_subspace_multiply(const tmli_subspace *v, double complex c0, double complex c1, double complex c2,
                            const double complex *x, double complex *y);
/** d*(c0 P0 + c1 P1 + c2 P2) d; x of v is changed */
double complex tmli_subspace_form(tmli_subspace *v, double complex c0, double complex c1, double complex c2,
                                  const double complex *d);
/** What round-off leaves of d*P(s) d, size = |s| */
double tmli_subspace_roundoff(const tmli_subspace *v, double size, const double complex *d);
/** |s| [1/s] that round-off may produce for a shape; in moving axes also errors of differences. */
double tmli_subspace_noise(const tmli_subspace *v, const double complex *d);
/** False: the stiffness of a shape is round-off. */
bool tmli_subspace_is_stiff(tmli_subspace *v, const double complex *d);
double tmli_shape_norm(const double complex *d, int n);

#endif

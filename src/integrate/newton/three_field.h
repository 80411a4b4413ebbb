// Newton's matrix with the velocities among the unknowns (three fields), for any stage of the kernel:
//
//   [ a1 I   -I               0  ] [ dD ]     [ w      ]    w = a1 D + c - u: how far the scheme's relation
//   [ K T    (a0/a1) M + Dm   B' ] [ du ] = - [ motion ]        between D and u is violated
//   [ B T     0               0  ] [ dl ]     [ Phi    ]                                                  (1)
//
// With a1 = alpha0/h and a0 = a1^2 and its rows multiplied by h it is (4) of Bottasso, Bauchau, Cardona, SIAM
// J. Sci. Comput. 29 (2007) 397-414. The scheme's relation is affine, so w is followed by what the
// corrections leave of it, w += a1 dD - du, and not formed as a difference of large numbers.
//
// A body's displacements and velocities form one block of the pattern (rows: first the relations, then
// motion). Such a block is regular whenever that of two fields is, and eliminating it leaves the same Schur
// complement for the multipliers: solvers that do not pivot between blocks remain sound under the rules of
// the two-field pattern.
#ifndef TMLI_INTEGRATE_NEWTON_THREE_FIELD_H
#define TMLI_INTEGRATE_NEWTON_THREE_FIELD_H

#include "base/base.h"
#include <trammel/system.h>

typedef struct tmli_three_field {
    const tml_system *sys;
    tml_pattern *pattern;         // (2 n + m)
    void *memory;                 // of all arrays
    double *values;               // its entries
    double *left, *right;         // (2 n + m) factors of rows and columns, in the order of the pattern
    double *x;                    // (2 n + m) right-hand side and solution
    double *w;                    // (n) of (1)
    double *du;                   // (n) velocity part of the last solution
    int32_t *at;                  // (n + m) index of D_j, also of its relation; of a multiplier
    int32_t *velocity_at;         // (n) index of u_j, also of its motion row
    int32_t *own, *own_velocity;  // (n) indices of a1 and of -1 in the relations
    int32_t *entry;               // (nnz of two fields) indices of the entries of K, B and B'
    int32_t *velocity_entry;      // (the same) of M and Dm; -1: no entry between coordinates
} tmli_three_field;

tml_status tmli_three_field_create(const tml_system *sys, tmli_three_field **out, tml_error *err);
void tmli_three_field_destroy(tmli_three_field *f);  // NULL is fine

/** values := (1) with rows and columns multiplied by left and right. rest (nnz of two fields): K T in the
 * first block, B T and B'; inertia (the same): (a0/a1) M + Dm in the first block, other entries are
 * ignored. */
void tmli_three_field_fill(tmli_three_field *f, double a1, const double *rest, const double *inertia);
/** rhs (n + m): on entry the right-hand sides of motion and constraints; on return dD and multipliers, with
 * f->du. relation: the right-hand side of the relations is -w, else 0. left and right are applied here,
 * other scalings by the caller; solve(self, x) is that of the linear solver. */
void tmli_three_field_solve(tmli_three_field *f, void (*solve)(void *self, double *x), void *self,
                            bool relation, double *rhs);
void tmli_three_field_archive(tmli_three_field *f, tml_archive *a);  // NULL is fine

#endif

// The equations of motion with the constraints at acceleration level: one matrix, factored and solved.
//
//   [ M + cd D + ck K + B' p B   B' e ] [ x ]   [ a   ]        e: row factors, p = e: penalties
//   [ e B                        0    ] [ y ] = [ e c ]        lambda = e y + p c                         (1)
// solves (M + cd D + ck K) x + B' lambda = a, B x = c. The penalties change nothing of that, but with them
// the first block is definite along the constraints where M alone is not, and the matrix needs no pivoting.
// It is factored in units of the model (scale.h). With cd = ck = 0 and a = f, c = gamma it gives
// accelerations and multipliers; a solver with a way for symmetric matrices of uncoupled bodies then gets
// one, p = 0, unless M alone turns out to be too little.
//
// Rows that depend on others can be left out: their multipliers are 0 and their equation is that. So are
// those of rows that the system holds. With soft > 0 the zero of the matrix becomes -eps, soft times the size
// of B inverse(M) B', and all rows are scaled alike in units of the model: for multipliers of rows that
// depend on each other (consistency/minimum_norm.h).
//
// A part without mass whose motion forces alone determine has no acceleration in (1): the matrix is singular.
// Where that is allowed, W > 0 on the coordinates without mass takes its place, and accelerations are found
// by the proximal iteration
//   (M + W) dx + B' dy = f - M x - B' y,   B dx = gamma - B x,     x += dx, y += dy                       (2)
// which converges at the rate W/(M + W) of what the constraints do carry, to the solution of (1), and leaves
// the accelerations of what floats as it found them.
//
// Large forces in balance with each other, as in a scissor lift of many cells, leave accelerations with the
// round-off of forces over masses, which B udot = gamma shows. Then one pass of (2) with W = 0 takes it out.
#ifndef TMLI_CONSISTENCY_INDEX1_H
#define TMLI_CONSISTENCY_INDEX1_H

#include "base/base.h"
#include <trammel/integrator.h>
#include <trammel/system.h>

typedef struct tmli_index1 {
    const tml_system *sys;
    const tml_linsolver_ops *solver;
    void *lin, *work;
    double *values;        // (nnz)
    double *e;             // (m)
    double *rhs;           // (n + m)
    double *gamma;         // (m)
    double *diagonal;      // (3 n)
    double *rows;          // (entries of B)
    double *unit;          // (n + m) as in tmli_kernel_units
    const bool *left_out;  // (m) borrowed; NULL: none
    bool penalized;        // the last matrix has p = e, else p = 0
    bool mass_fails;       // the matrix with p = 0 was singular: not tried again
    bool scaled;           // e and unit of the matrix with cd = ck = 0 are known
    double soft;           // set by the owner after creation; 0: the matrix as it is
    double size;           // of the scaled matrix, where it is soft
    bool may_float;        // parts that forces alone determine are allowed
    bool floats;           // there are such: (2)
    double *guard;         // (n) W
    double *motion;        // (n) residual and change of (2)
    double *change;        // (m)
} tmli_index1;

tml_status tmli_index1_create(const tml_system *sys, const tml_linsolver_ops *solver, tmli_index1 *c,
                              tml_error *err);
void tmli_index1_clear(tmli_index1 *c);

/** Rows to leave out from now on (borrowed; NULL: none). */
void tmli_index1_leave_out(tmli_index1 *c, const bool *rows);
/** The system holds other rows than before. */
void tmli_index1_rows_changed(tmli_index1 *c);
/** Take (2) where a part without mass can move without inertia. */
void tmli_index1_allow_massless(tmli_index1 *c);
/** Factor the matrix of (1) at x. TML_ERR_SINGULAR: constraints are dependent, or a massless part can move
 * freely. */
tml_status tmli_index1_factor(tmli_index1 *c, const tml_state *x, double cd, double ck, tml_error *err);
/** (1): x (n) and lambda (m; may be NULL; 0 of held rows) of a (n; NULL: 0) and value (m; NULL: 0) = c, by
 * the last factorization. x may be a, lambda may be value. */
void tmli_index1_solve(tmli_index1 *c, const double *a, const double *value, double *x, double *lambda);
/** udot and lambda of x, by the last factorization; (2) begins with those that x has. */
tml_status tmli_index1_accelerations(tmli_index1 *c, tml_state *x, tml_error *err);

#endif

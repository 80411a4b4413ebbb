// The equations of motion with the constraints at acceleration level: one matrix, factored and solved.
//
//   [ M + cd D + ck K + B' p B   B' e ] [ x ]   [ a   ]        e: row factors, p = e: penalties
//   [ e B                        0    ] [ y ] = [ e c ]        lambda = e y + p c                         (1)
// solves (M + cd D + ck K) x + B' lambda = a, B x = c. The penalties do not change the solution, but they
// make the first block definite where M alone is not, so that the matrix needs no pivoting. It is factored in
// units of the model (scaling.h). With cd = ck = 0, a = f and c = gamma the solution is accelerations and
// multipliers. Solvers with a method for symmetric matrices of uncoupled bodies then get p = 0, unless that
// matrix turns out to be singular.
//
// Rows at velocity level can have a change C of their own, (B + C) x = c, and then no penalty: for Newton's
// equations of stages, where gamma depends on the unknown through the velocities.                       (1')
//
// Rows that depend on others can be left out: their multipliers are 0. So are those of inactive rows of the
// system. With epsilon > 0 the zero block becomes -eps, epsilon times the size of B inverse(M) B', and all
// rows are scaled alike in units of the model: for minimum-norm multipliers of redundant rows
// (consistency/minimum_norm.h).
//
// A massless body whose motion forces alone determine has no acceleration in (1): the matrix is singular. If
// that is allowed, W > 0 is added for coordinates without mass, and accelerations are found by the proximal
// iteration
//   (M + W) dx + B' dy = f - M x - B' y,   B dx = gamma - B x,     x += dx, y += dy                       (2)
// It converges to the solution of (1) at the rate W/(M + W), and leaves accelerations of massless motion
// unchanged.
//
// Large forces in equilibrium, as in a scissor lift of many cells, leave accelerations with the round-off of
// forces over masses, which shows in B udot = gamma. Then one pass of (2) with W = 0 removes it (iterative
// refinement).
#ifndef TMLI_CONSISTENCY_INDEX1_H
#define TMLI_CONSISTENCY_INDEX1_H

#include "base/base.h"
#include <trammel/integrator.h>
#include <trammel/system.h>

/** What matrices of one system can share if they are used in turn: the factors and all scratch. */
typedef struct tmli_index1_memory tmli_index1_memory;

typedef struct tmli_index1 {
    const tml_system *sys;
    const tml_linsolver_ops *solver;
    tmli_index1_memory *memory;
    void *lin;         // of `memory`, with these arrays:
    double *values;    // (nnz)
    double *rhs;       // (n + m)
    double *gamma;     // (m)
    double *diagonal;  // (3 n)
    double *B_values;  // (entries of B)
    double *motion;    // (n) residual and change of (2)
    double *change;    // (m) change of the multipliers in (2)
    void *work;
    bool own_work;             // it does not belong to `memory`
    bool penalized;            // the last matrix has p = e, else p = 0
    bool mass_singular;        // the matrix with p = 0 was singular: not tried again
    bool scaled;               // e and unit of the matrix with cd = ck = 0 are known
    bool allow_massless;       // massless motion that forces alone determine is allowed
    bool has_massless;         // there is such motion: (2)
    double proximal_share;     // of W in the matrix, set by the owner: less than 1 for impulses
    double epsilon;            // relative regularization, set by the owner after creation; 0: none
    double inertia_scale;      // size of the scaled mass matrix, for epsilon
    const bool *left_out;      // (m) borrowed; NULL: none
    const double *row_change;  // (entries of B) C of (1'), borrowed, set by the owner; NULL: none
    void *own;                 // memory of the arrays that follow
    double *e;                 // (m)
    double *penalty;           // (m) e, 0 for rows with a change
    double *last;              // (m) change of the multipliers in the pass before
    double *unit;              // (n + m) as in tmli_kernel_units
    double *proximal_mass;     // (n) W
    bool *off;                 // (m) rows without an equation at the last factorization
} tmli_index1;

tml_status tmli_index1_create(const tml_system *sys, const tml_linsolver_ops *solver, tmli_index1 *c,
                              tml_error *err);
/** The same with the memory of `shared` (NULL: its own), if that is for the same unknowns and the same
 * solver. Then neither may solve after the other has factored; both may be cleared first. */
tml_status tmli_index1_create_shared(const tml_system *sys, const tml_linsolver_ops *solver,
                                     const tmli_index1 *shared, tmli_index1 *c, tml_error *err);
void tmli_index1_clear(tmli_index1 *c);

/** Leave these rows (m) out from now on (borrowed; NULL: none). */
void tmli_index1_leave_out(tmli_index1 *c, const bool *left_out);
/** The next states have other inactive rows. */
void tmli_index1_rows_changed(tmli_index1 *c);
/** Use (2) if a massless body can move without inertia. */
void tmli_index1_allow_massless(tmli_index1 *c);
/** Factor the matrix of (1) at x. TML_ERR_SINGULAR: constraints are dependent, or a massless body can move
 * freely. */
tml_status tmli_index1_factor(tmli_index1 *c, const tml_state *x, double cd, double ck, tml_error *err);
/** Solve (1) with the last factorization: x (n) and lambda (m; may be NULL; 0 for inactive rows) from a (n;
 * NULL: 0) and value (m; NULL: 0) = c. x may be a, lambda may be value. */
void tmli_index1_solve(tmli_index1 *c, const double *a, const double *value, double *x, double *lambda);
/** True if accelerations can be refined: forces do not depend on multipliers, and all bodies have mass. */
static inline bool tmli_index1_refines(const tmli_index1 *c) { return !c->has_massless && !c->sys->loads; }
/** udot and lambda of x by the last factorization; (2) starts from those of x. nearby: the factorization is
 * that of a configuration close to x, so that passes of (2) are needed; only if tmli_index1_refines. */
tml_status tmli_index1_accelerations(tmli_index1 *c, tml_state *x, bool nearby, tml_error *err);
/** Without left_out, which is borrowed. */
void tmli_index1_archive(tmli_index1 *c, tml_archive *a);

#endif

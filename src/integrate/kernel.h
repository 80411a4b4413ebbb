// The Newton/KKT kernel shared by all methods that solve the index-3 equations directly.
//
// A method's formulas tie velocities and accelerations at the new time to the position increment D (q = q0 (+) D):
//   du = a1 dD,   dudot = a0 dD,   dd = T dD             (genalpha: a0 = 1/c8, a1 = c7/c8)
// Newton's matrix for (dD, dlambda), with the motion rows multiplied by b = 1/a0 (so that all blocks are of the order of
// the mass, whatever the step), constraint rows and multipliers scaled by e > 0 per row:
//   [ M + b a1 Dm + b (K + B' p B) T    B' e ] [ dD   ]     [ b residual ]           lambda = e/b lambda^
//   [ e B T                             0    ] [ dl^  ] = - [ e Phi      ]           b p = rho e               (1)
// dD and dl^ are both position-like; convergence is tested on dD (kernel.c, correct). Without scaling (b = e = 1, a0 M in the
// first block) the condition number grows like h^-4. References: Bauchau, Epple, Bottasso, J. Comput. Nonlinear Dyn. 4
// (2009) 021007; Dymore manual, generalized-alpha scheme, eqs. 21-27.
// Translations are measured in lengths of the model before factoring, rows and columns alike (and rows of the constraints
// that move them), so that pivots are chosen between numbers of equal kind, whatever the units of the model.
//
// Phi is not taken as it stands but as (1 - k) (Phi(q) - Phi(q0)) + k Phi(q), the difference computed without cancellation
// (system contract, increment). With the feedback k = 1 that is Phi(q). Its round-off, eps times the positions, would
// appear in the accelerations divided by h^2; at small steps k < 1 lets only that share of it in, while old residuals
// still decay like (1 - k)^steps.                                                                             (2)
//
// e for `physical` scaling: the inertia that row r feels, 1/e = sum_j B_rj^2 / A_jj with A the diagonal of the first block
// without penalty; massless coordinates are left out. With it light and heavy bodies in one model do no harm.
//
// An old matrix is used with the rows of the constraints carried to the configuration it was made at (system contract,
// carry), and the multipliers back.                                                                           (3)
#ifndef TMLI_KERNEL_H
#define TMLI_KERNEL_H

#include "base/base.h"
#include <trammel/integrator.h>
#include <trammel/system.h>

typedef struct tmli_kernel {
    const tml_system *sys;
    const tml_linsolver_ops *solver;
    void *lin, *work;
    tml_scaling scaling;
    double augment;          // rho
    double a0, a1;           // of the current step
    double factor_b;         // b at the last factorization; 0: none
    double scale_b;          // b at the last scaling
    double rate;             // observed contraction per iteration, for the first iteration of the next solve
    bool stale;              // refactor before the next solve
    double *values;          // (nnz)
    double *e, *r, *p;       // (m) row scale, row factor, penalty
    double *rhs;             // (n + m)
    double *dphi;            // (m) change of Phi over the step
    double feedback;         // k of (2), 0 < k <= 1
    double *residual;        // (n + m)
    double *unit;            // (n + m) length unit of an unknown: model length or 1 rad
    double *diagonal;        // (3 n)
    double *rows;            // (entries of B)
    double *predicted;       // (n) increment to restart from
    double *q_factor;        // (nq) configuration at the last factorization
    double *q_now;           // (nq) and at the last residual
    tml_state *restart;      // state to restart from
    double last_correction;  // size of the last Newton correction, in length units
    double lever;          // model length over the smallest radius of gyration: rotations' share of round-off
    int iterations;        // of the last solve
    int least_iterations;  // of every solve
    bool fixed;            // steps of fixed size
    tml_counters *count;
} tmli_kernel;

/** unit (n + m): the model's length for translations, 1 for rotations; for a row of the constraints what it changes by when
 * its coordinates move by one unit each (rows: values of B; NULL: 1). */
void tmli_kernel_units(const tml_system *sys, const double *rows, double *unit);

tml_status tmli_kernel_create(const tml_system *sys, const tml_integrator_options *opt, tml_counters *count,
                              tmli_kernel *k, tml_error *err);
void tmli_kernel_clear(tmli_kernel *k);

/** Solve the step's equations by Newton. x0 is the state at the start of the step, x the predicted one, D (n) the predicted
 * increment from x0->q; x and D are brought to the solution. tol: wanted error of D in length units. feedback as in (2).
 * TML_RETRY: no convergence, err says why. */
tml_status tmli_kernel_solve(tmli_kernel *k, const tml_state *x0, double feedback, double a0, double a1,
                             double tol, double *D, tml_state *x, tml_error *err);
/** Factor anew at x with the coefficients of a step, so that the next solve and tmli_kernel_constrain are up to date. */
tml_status tmli_kernel_refresh(tmli_kernel *k, double a0, double a1, const tml_state *x, tml_error *err);
/** d (n) with B d = y (m), least in the metric of the last matrix; exact up to the age of that matrix. */
void tmli_kernel_constrain(tmli_kernel *k, const double *y, double *d);
/** Condition estimate of the last matrix in the 1-norm; 0 if the solver cannot tell. */
double tmli_kernel_condition(tmli_kernel *k);

#endif

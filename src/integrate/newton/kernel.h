// The Newton/KKT kernel shared by all methods that solve the index-3 equations directly.
//
// A method's formulas tie velocities and accelerations at the new time to the position increment D (q = q0
// (+) D):
//   du = a1 dD,   dudot = a0 dD,   dd = T dD             (genalpha: a0 = 1/c8, a1 = c7/c8)
// Newton's matrix for (dD, dlambda), with the motion rows multiplied by b = 1/a0 (so that all blocks are of
// the order of the mass, whatever the step), constraint rows and multipliers scaled by e > 0 per row:
//   [ M + b a1 Dm + b (K + B' p B) T    B' e ] [ dD   ]     [ b residual ]           lambda = e/b lambda^
//   [ e B T                             0    ] [ dl^  ] = - [ e Phi      ]           b p = rho e          (1)
// dD and dl^ are both position-like; convergence is tested on dD (kernel.c, correct). Without scaling (b = e
// = 1, a0 M in the first block) the condition number grows like h^-4. References: Bauchau, Epple, Bottasso,
// J. Comput. Nonlinear Dyn. 4 (2009) 021007; Dymore manual, generalized-alpha scheme, eqs. 21-27.
// Translations are measured in lengths of the model before factoring, rows and columns alike (and rows of the
// constraints that move them), so that pivots are chosen between numbers of equal kind, whatever the units of
// the model.
//
// Phi is not taken as it stands but as (1 - k) (Phi(q) - Phi(q0)) + k Phi(q), the difference computed without
// cancellation (system contract, increment). With the feedback k = 1 that is Phi(q). Its round-off, eps times
// the positions, would appear in the accelerations divided by h^2; at small steps k < 1 lets only that share
// of it in, while old residuals still decay like (1 - k)^steps.                                           (2)
//
// Some schemes ask for equilibrium at an inner point of the step, q0 (+) theta D, and for the constraints at
// its end. Then du and dudot are those of that point, K and B' are taken there with theta K, B and Phi at the
// end, and the multipliers are those of the inner point.                                                  (3)
//
// Scalings (docs/theory/scaling.md) are choices of the factors of motion rows, constraint rows and
// multipliers; s: 1/time^2:
//   none      h,   h, 1             left         h,   1, 1            left-right[-velocity]  h^2, 1, 1/h^2
//   uniform   h^2, e, e/h^2         physical     b,   e, e/b                                              (4)
// The first three are those of Bottasso, Bauchau, Cardona, SIAM J. Sci. Comput. 29 (2007) 397-414, (4), (16),
// (23), (24); for `uniform` e is the average of the diagonal of M + h Dm + h^2 K. With three fields see
// three.h.
//
// e for `physical` scaling: the inertia that row r feels, 1/e = sum_j B_rj^2 / A_jj with A the diagonal of
// the first block without penalty; massless coordinates are left out. With it light and heavy bodies in one
// model do no harm.
//
// An old matrix is used with the rows of the constraints carried to the configuration it was made at (system
// contract, carry), and the multipliers back.                                                             (5)
#ifndef TMLI_INTEGRATE_NEWTON_KERNEL_H
#define TMLI_INTEGRATE_NEWTON_KERNEL_H

#include "base/base.h"
#include "consistency/scaling.h"
#include "integrate/newton/iteration_record.h"
#include "integrate/newton/three_field.h"
#include <trammel/integrator.h>
#include <trammel/system.h>

/** How one solve's state depends on its unknown D. */
typedef struct tmli_stage {
    double a0, a1;  // dudot = a0 dD, du = a1 dD; with a follow function to leading order
    double theta;   // motion is evaluated at q0 (+) theta D, (3); 1: at the end
    double t_end;   // time of the constraints if theta < 1
    /** D has become D + dD: bring u and udot of x after it; NULL: x->u += a1 dD, x->udot += a0 dD. */
    void (*follow)(void *user, const double *D, const double *dD, tml_state *x);
    /** Where u is no linear function of D, du = a1 dV with another unknown, T(D) dD = T(linearization_point)
     * dV: the increment that stands in the matrix instead of D, and the function that makes dD of dV in
     * place. NULL: dV = dD. */
    const double *linearization_point;
    void (*to_increment)(void *user, const double *D, double *dV);
    void *user;
    double h;  // step, for scalings by powers of it; 0: 1/sqrt(a0)
} tmli_stage;

typedef struct tmli_kernel {
    const tml_system *sys;
    const tml_linsolver_ops *solver;
    void *lin, *work;
    tml_scaling scaling;
    double augment;       // rho
    tmli_stage stage;     // of the current solve
    double factor_b;      // b at the last factorization; 0: none
    double t_start;       // start of the step being solved [s]
    double t_matrix;      // of the step in which the matrix was evaluated [s]
    double scale_b;       // b at the last scaling
    double h;             // h of the current solve
    double factor_ratio;  // h^2 a0 at the last factorization
    double rate;          // observed contraction per iteration, for the first iteration of the next solve
    bool stale;           // refactor before the next solve
    double *values;       // (nnz)
    double motion;        // factor of the rows of motion: b
    double *e;            // (m) inertia that a row feels
    double *row,
        *column;         // (m) factors of a constraint's row, and of its multiplier: lambda = column lambda^
    double *p;           // (m) penalty
    double *rhs;         // (n + m)
    double *dphi;        // (m) change of Phi over the step
    double feedback;     // k of (2), 0 < k <= 1
    double *offset;      // (m) what (2) leaves out of Phi
    double *residual;    // (n + m)
    double *unit;        // (n + m) length unit of an unknown: model length or 1 rad
    double *diagonal;    // (3 n)
    double *rows;        // (entries of B)
    double *predicted;   // (n) increment to restart from
    double *part;        // (n) scratch: theta D; what a projection takes out
    double *ends;        // (nnz) rows of B at the end of the step, if theta < 1
    double *q_factor;    // (nq) configuration at the last factorization
    double *q_now;       // (nq) and at the last residual
    tml_state *restart;  // state to restart from
    tml_state *end;      // end of the step, if theta < 1
    const tml_state *start;  // of the step
    double last_correction;  // size of the last Newton correction, in length units
    double first_size;       // of the first correction of the last solve that converged, in length units
    double
        noise;  // share of the positions' round-off that corrections show, 0..1; 1 unless the method sets it
    double
        gyration_ratio;    // model length over the smallest radius of gyration: rotations' share of round-off
    int iterations;        // of the last solve
    int least_iterations;  // of every solve
    bool fixed;            // steps of fixed size
    tml_counters *count;
    bool physical;  // lengths are measured in units of the model and rows by inertia
    bool plain;     // multipliers are not scaled
    bool saturate;  // iterate until corrections stop falling
    const double
        *measure;  // (n + m) what unknowns and rows are measured in, if physical: unit, or one for all rows
    tmli_three_field *three;     // NULL: two fields
    tmli_record *record;         // NULL: no report
    const tml_pattern *pattern;  // of the factored matrix
    const double *factored;      // its values
} tmli_kernel;

tml_status tmli_kernel_create(const tml_system *sys, const tml_integrator_options *opt, tml_counters *count,
                              tmli_kernel *k, tml_error *err);
void tmli_kernel_clear(tmli_kernel *k);

/** Solve the step's equations by Newton. x0 is the state at the start of the step, D (n) the predicted
 * increment from x0->q, x the predicted state at q0 (+) theta D; x and D are brought to the solution. tol:
 * wanted error of D in length units. feedback as in (2). TML_RETRY: no convergence, err says why. */
tml_status tmli_kernel_solve(tmli_kernel *k, const tml_state *x0, const tmli_stage *stage, double feedback,
                             double tol, double *D, tml_state *x, tml_error *err);
/** Factor anew at x with the coefficients of a step, so that the next solve and tmli_kernel_constrain are up
 * to date. */
tml_status tmli_kernel_refresh(tmli_kernel *k, double a0, double a1, const tml_state *x, tml_error *err);
/** d (n) with B d = y (m), least in the metric of the last matrix; exact up to the age of that matrix. */
void tmli_kernel_constrain(tmli_kernel *k, const double *y, double *d);
/** dv (n) and dl (m) with M dv + B' dl = -r (n), B dv = y (m) up to what the last matrix holds beside M, and
 * its age: a correction of accelerations and multipliers. */
void tmli_kernel_balance(tmli_kernel *k, const double *r, const double *y, double *dv, double *dl);
/** d (n) := -inverse(matrix) of (force, 0): how the increment of the step answers to a force (n) added to the
 * equations of motion, with the constraints kept; exact up to the age of the matrix. */
void tmli_kernel_respond(tmli_kernel *k, const double *force, double *d);
/** Take out of d (n) what the constraints forbid, d -= P B d with the rows of B in k->rows; `taken` (n) gets
 * what was taken out. Two sweeps, because the matrix behind P may be old. */
void tmli_kernel_project(tmli_kernel *k, double *d, double *taken);
/** Condition estimate of the last matrix in the 1-norm; 0 if the solver cannot tell. */
double tmli_kernel_condition(tmli_kernel *k);
/** The last matrix and the last solve's iteration; needs the option report, else all is NAN. */
void tmli_kernel_conditioning(tmli_kernel *k, tml_conditioning *out);

#endif

// The Newton kernel shared by all methods that solve the index-3 equations directly.
//
// The formulas of a method tie velocities and accelerations at the new time to the position increment D, q
// = q0 (+) D:
//   du = a1 dD,   dudot = a0 dD,   dd = T dD             (genalpha: a0 = 1/c8, a1 = c7/c8)
// The Newton matrix for (dD, dlambda) has its motion rows multiplied by b = 1/a0, so that all blocks are of
// the order of the mass, whatever the step. Constraint rows and multipliers are scaled by e > 0 per row:
//   [ M + b a1 Dm + b (K + B' p B) T    B' e ] [ dD   ]     [ b residual ]           lambda = e/b lambda^
//   [ e B T                             0    ] [ dl^  ] = - [ e Phi      ]           b p = rho e          (1)
// dD and dl^ are both position-like; convergence is tested on dD (kernel.c, correct). Without scaling (b =
// e = 1, a0 M in the first block) the condition number grows like h^-4. References: Bauchau, Epple,
// Bottasso, J. Comput. Nonlinear Dyn. 4 (2009) 021007; Dymore manual, generalized-alpha scheme, eqs. 21-27.
// Before factoring, translations are measured in model lengths, in rows and columns alike (and in the
// constraint rows that move them). Pivots are then chosen between numbers of equal kind, whatever the units
// of the model.
//
// Phi enters as (1 - k) (Phi(q) - Phi(q0)) + k Phi(q), with the difference computed without cancellation
// (system contract, increment). With the feedback k = 1 this is Phi(q). The round-off of Phi(q), eps times
// the positions, would appear in the accelerations divided by h^2. At small steps k < 1 lets only that
// share of it in, while old residuals still decay like (1 - k)^steps.
//                                                                                                         (2)
//
// Rows at velocity level, B u = nu, take part as (B u - nu)/cv, which is a length; cv = a1/share is the rate
// of the velocity at the end of the step by D. Their row of (1) is e (B + (B u - nu)_d T/cv). They have
// neither feedback nor a residual of positions.
//                                                                                                        (2')
//
// Some schemes ask for equilibrium at an inner point of the step, q0 (+) theta D, and for the constraints
// at its end. Then du and dudot belong to that point, K and B' are evaluated there with theta K, B and Phi
// at the end, and the multipliers are those of the inner point. For comparison, B and Phi can be those of the
// inner point, too, or the mean of Phi at both ends with the weights 1 - theta and theta can be zero, which
// is (2) with k = 1/theta.
//                                                                                                         (3)
//
// Scalings (docs/theory/scaling.md) are choices of the factors of motion rows, constraint rows and
// multipliers; s: 1/time^2:
//   none      h,   h, 1             left         h,   1, 1            left-right[-velocity]  h^2, 1, 1/h^2
//   uniform, norm  h^2, e, e/h^2    physical     b,   e, e/b            given   h^2, h^2 s, s             (4)
// The first three are those of Bottasso, Bauchau, Cardona, SIAM J. Sci. Comput. 29 (2007) 397-414, (4),
// (16), (23), (24); for `uniform` e is the average of the diagonal of M + h Dm + h^2 K, for `norm`
// |M| + h |Dm| + h^2 |K| in the infinity norm. For three fields see three_field.h. `given` has s = k + d/h +
// m/h^2 of the user, ibid. (28); its scaled multipliers are judged with the displacements. There, without
// scaling, and where the corrections of a step show what round-off leaves (saturate), (2) has k = 1 as in
// that paper: with k < 1 the corrections fall until they are exactly 0.
//
// e for `physical` scaling is the inertia that row r feels, 1/e = sum_j B_rj^2 / A_jj, with A the diagonal
// of the first block without penalty; massless coordinates are left out. Light and heavy bodies in one
// model then do no harm.
//
// An old matrix is used with the constraint rows transformed to the configuration at which it was evaluated
// (system contract, transform_rows), and the multipliers transformed back.
//                                                                                                         (5)
#ifndef TMLI_INTEGRATE_NEWTON_KERNEL_H
#define TMLI_INTEGRATE_NEWTON_KERNEL_H

#include "base/base.h"
#include "consistency/scaling.h"
#include "integrate/core/error_weights.h"
#include "integrate/newton/convergence.h"
#include "integrate/newton/iteration_record.h"
#include "integrate/newton/three_field.h"
#include <trammel/integrator.h>
#include <trammel/system.h>

/** How the state of one solve depends on its unknown D. */
typedef struct tmli_stage {
    double a0, a1;              // dudot = a0 dD, du = a1 dD; to leading order, if update_rates is set
    double theta;               // equilibrium is at q0 (+) theta D, (3); 1: at the end of the step
    double t_end;               // time of the constraints if theta < 1
    double h;                   // step size, for scalings by its powers; 0: 1/sqrt(a0)
    tml_constraint_point rows;  // where the constraints hold if theta < 1, (3)
    const double *u_start;      // (n) velocities from which the step starts, if theta < 1; for (2')
    double velocity_share;      // u - u_start over the change of u in the step; 0: theta
    /** D has become D + dD: update u and udot of x. NULL: x->u += a1 dD, x->udot += a0 dD. */
    void (*update_rates)(void *user, const double *D, const double *dD, tml_state *x);
    /** Where u is not a linear function of D, the matrix has another unknown V, du = a1 dV with T(D) dD =
     * T(linearization_point) dV. linearization_point is the increment used in the matrix instead of D;
     * to_increment turns dV into dD in place. NULL: dV = dD. */
    const double *linearization_point;
    void (*to_increment)(void *user, const double *D, double *dV);
    void *user;
    /** Forces and rows are means over the step (system contract, mean_residual), with theta = 1/2. mean_end:
     * a state that becomes the end of the step; NULL: those of the inner point. */
    tml_state *mean_end;
    double decay;  // of these means
} tmli_stage;

typedef struct tmli_kernel {
    const tml_system *sys;
    const tml_linsolver_ops *solver;
    void *lin;
    tml_scaling scaling;
    tml_scale_factor scale;  // for the scaling `given`
    double augment;          // rho of (1)
    tmli_stage stage;        // of the current solve
    tml_step step;           // of the current solve, if its forces are means
    double factor_b;         // b at the last factorization; 0: none
    double t_start;          // start of the step being solved [s]
    double t_matrix;         // start of the step in which the matrix was evaluated [s]
    double scale_b;          // b at the last scaling
    double h;                // h of the current solve
    double factor_ratio;     // h^2 a0 at the last factorization
    double motion_factor;    // factor of the motion rows, (4)
    double feedback;         // k of (2), 0 < k <= 1
    double roundoff_share;   // share of the positions' round-off that corrections show, 0..1
    double gyration_ratio;   // model length over smallest radius of gyration: enlarges round-off of rotations
    tmli_newton newton;      // monitor of the iteration
    bool stale;              // a new matrix is due before the next solve; set by tmli_kernel_request_matrix
    bool all_active;         // constraint rows were, at the last residual
    bool physical;           // unknowns are measured in model lengths, rows by inertia
    bool saturate;           // iterate until corrections stop falling (option iterate)
    const tml_state *start;  // state at the start of the step
    const tmli_weights *weights;    // set by the method, for the units of states
    const double *measure;          // (n + m) units of unknowns and rows, if physical
    tmli_three_field *three_field;  // NULL: two fields
    tmli_record *record;            // NULL: no report
    const tml_pattern *pattern;     // of the factored matrix
    const double *factored;         // its values
    tml_counters *count;
    void *memory;  // of all arrays
    void *work;
    tml_state *restart;     // state to restart from
    tml_state *end;         // state at the end of the step, if theta < 1
    double *values;         // (nnz)
    double *values_end;     // (nnz) constraint rows at the end (theta < 1), or inertia (three fields)
    double *e;              // (m) inertia that a row feels, (1)
    double *row_factor;     // (m) factor of a constraint row, (4)
    double *column_factor;  // (m) factor of its multiplier: lambda = column_factor lambda^
    double *penalty;        // (m) p of (1)
    double *force_penalty;  // (m) the same as a factor of the system's Phi, (2')
    double *dphi;           // (m) change of Phi over the step
    double *offset;         // (m) Phi minus its value by (2)
    double *rhs;            // (n + m)
    double *residual;       // (n + m)
    double *unit;           // (n + m) unit of an unknown: model length or 1 rad; states: by the weights
    double *own_measure;    // (n + m) `measure` if it is not `unit`
    double *diagonal;       // (3 n)
    double *rows;           // (entries of B) constraint rows, set by the caller of tmli_kernel_project
    double *predicted;      // (n) increment to restart from
    double *scratch;        // (n) theta D; what a projection takes out
    double *q_factor;       // (nq) configuration at the last factorization
    double *q_now;          // (nq) configuration at the last residual
} tmli_kernel;

tml_status tmli_kernel_create(const tml_system *sys, const tml_integrator_options *opt, tml_counters *count,
                              tmli_kernel *k, tml_error *err);
void tmli_kernel_clear(tmli_kernel *k);

/** Ask for a new matrix before the next solve. */
static inline void tmli_kernel_request_matrix(tmli_kernel *k) { k->stale = true; }
/** Share of the positions' round-off that the corrections of the next solves show, 0..1; 1 if never set. */
static inline void tmli_kernel_set_roundoff_share(tmli_kernel *k, double share) { k->roundoff_share = share; }

/** Solve the equations of a step by Newton's method. x0 is the state at the start of the step, D (n) the
 * predicted increment from x0->q, x the predicted state at q0 (+) theta D; on return x and D are the
 * solution. tol: wanted error of D [lengths]; feedback: k of (2). TML_RETRY: no convergence, err says why.
 */
tml_status tmli_kernel_solve(tmli_kernel *k, const tml_state *x0, const tmli_stage *stage, double feedback,
                             double tol, double *D, tml_state *x, tml_error *err);
/** Evaluate and factor the matrix at x with the coefficients of a step, for the next solve and for
 * tmli_kernel_constrain. */
tml_status tmli_kernel_refresh(tmli_kernel *k, double a0, double a1, const tml_state *x, tml_error *err);
/** d (n) with B d = y (m), smallest in the metric of the last matrix; exact up to the age of that matrix. */
void tmli_kernel_constrain(tmli_kernel *k, const double *y, double *d);
/** dv (n) and dl (m) with M dv + B' dl = -r (n), B dv = y (m): a correction of accelerations and
 * multipliers. It is exact up to the age of the last matrix and what it contains besides M. */
void tmli_kernel_balance(tmli_kernel *k, const double *r, const double *y, double *dv, double *dl);
/** Give x, the end of the last step, the inputs of `with`. dudot (n), dlambda (m): the jumps of accelerations
 * and multipliers, which are added to those of x. They are those of tmli_kernel_balance: a force that stiff
 * forces take up within a step does not accelerate, others are exact up to h times the rates of the
 * forces. */
tml_status tmli_kernel_change_inputs(tmli_kernel *k, tml_state *x, const tml_state *with, double *dudot,
                                     double *dlambda, tml_error *err);
/** d (n) := -inverse(matrix) (force, y): change of the step's increment if a force (n) is added to the
 * equations of motion and y (m; NULL: 0) to the constraints; exact up to the age of the matrix. */
void tmli_kernel_force_response(tmli_kernel *k, const double *force, const double *y, double *d);
/** What damping passes on of the round-off of positions over h, the step, to the velocity of coordinate j:
 * c eps unit/m with c and m of the coordinate itself, at the last matrix, and at most that velocity. */
double tmli_kernel_passed_roundoff(const tmli_kernel *k, int j, double unit, double h);
/** v (n) := a0 inverse(a0 M + a1 D + K) M v with the matrix of the step, along the constraints: what the step
 * leaves of changes v of velocities; count: of the first coordinates, the others stay. z: a copy of the state
 * of M, overwritten; scale: factor of v in accelerations far above round-off; force, d (n), gap (m): scratch.
 */
tml_status tmli_kernel_decay(tmli_kernel *k, tml_state *z, int count, double scale, double *v, double *force,
                             double *d, double *gap, tml_error *err);
/** Remove from d (n) what the constraints forbid, d -= P B d with the rows of B in k->rows; `taken` (n) gets
 * the part removed. The projection is repeated, because the matrix behind P may be old. positions: d is an
 * increment, which rows at velocity level do not restrict. */
void tmli_kernel_project(tmli_kernel *k, bool positions, double *d, double *taken);
/** Condition estimate of the last matrix in the 1-norm; 0 if the solver has none. */
double tmli_kernel_condition(tmli_kernel *k);
/** Report on the last matrix and the iteration of the last solve; needs the option report, else all values
 * are NAN. */
void tmli_kernel_conditioning(tmli_kernel *k, tml_conditioning *out);
void tmli_kernel_archive(tmli_kernel *k, tml_archive *a);

#endif

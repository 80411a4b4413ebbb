// The stage equations of a collocation method for the index-3 system, solved by simplified Newton.
//
// In the chart at q0, q = q0 (+) X, the motion is X' = inverse(T(X)) u, u' = udot. With Z_i the deviation of
// the stage increment D_i = c_i h u0 + Z_i from uniform motion, and A the Runge-Kutta matrix,
//   W_i = (1/h) sum_j A^-1_ij Z_j                        X'_i = u0 + W_i                                  (1)
//   V_i = u_i - u0 = W_i + (T(D_i) - 1) (W_i - Z_i/(c_i h))                                               (2)
//   udot_i = (1/h) sum_j A^-1_ij V_j                                                                      (3)
//   M udot_i + B'lambda_i - f = 0,   Phi(q0 (+) D_i, t0 + c_i h) = 0                                      (4)
// (2) is T(D_i) X'_i - u0, written with T(d) d = d so that nothing cancels at small steps: Z is of the order
// h^2. Where the retraction is curved (T(d) d is not d) it is W_i + (T(D_i) - 1) X'_i.
//
// With eigenvalues mu of A^-1, k = h/mu, and the left eigenvectors applied to the residuals, Newton's matrix
// decouples into
//   [ M + k Dm + k^2 K + P    B'e ] [ dZ ]     [ k^2 r + P* phi ]        lambda = e/k^2 lambda^
//   [ e B                     0   ] [ dl^] = - [ e phi          ]        P = rho B'e B,  P* = rho B'e     (5)
// for each, with T = 1. M + P, Dm and K are stored separately: a new step size needs a new sum and
// factorization, but no evaluation. M and B do not depend on h at all, so that a factorization also serves
// other step sizes as long as the iteration converges well. The augmentation P only serves the linear
// solver: it changes neither corrections nor multipliers. The complex system is solved as a real one, real
// and imaginary parts next to each other (linalg/pattern/expand.h).
//
// Rows at velocity level, psi = B u - nu = 0 at the stages, have the row
//   e (B + k (B u)_d) dZ = -e k psi                                                                      (5')
// of (5), and no part in P. Where u is a second field, they have a row e (B dW + k (B u)_d dZ) in the second
// field of (7), the derivative by d neglected, and eta = 0 in the first.
//
// Stabilized (two fields; Gear, Gupta, Leimkuhler 1985): u_i is an unknown too, and with v_i = T(D_i) X'_i,
// V_i unknown,
//   M (v_i - u_i) + B'eta_i = 0,    B u_i - nu = 0       in addition to (3), (4)                          (6)
//   [ M + P    -(M + P)          ] [ dZ ]      [ k r1 + P* (phi - k psi)  ]      dV = dW/k,  eta = e/k eta^
//   [ k^2 K    M + P + k Dm      ] [ dW ] = -  [ k^2 r + P* k psi         ]      lambda = e/k^2 lambda^
// with B'e, e B for both fields, psi = B u - nu.                                                          (7)
//
// Steps of fixed size are iterated to round-off and cannot become smaller. Where they move the system far,
// simplified Newton is slow, and all stages are put into one matrix with M, Dm, K and B of each: with k =
// h/|mu|, G = A^-1,
//   sum_j k^2 (G^2_ij/h^2 M_i + G_ij/h Dm_i) dZ_j + (k^2 K_i + P_i) dZ_i + B_i'e dl^_i
//                                       = -(k^2 r_i + P*_i phi_i),         e B_i dZ_i = -e phi_i          (8)
// With two fields also the derivatives of (6) by the configuration are in it, in the first field's columns:
// (B u)_q, and [M (v - u) + B'eta]_q.
//
// Scalings as in kernel.h (4), for the rows of (6), (4) and of the constraints, V, eta and lambda (first
// three: h for k; (6), V and eta with two fields only):
//   none                  h, h, h;        V: 1,   eta: 1,   lambda: 1
//   left                  h, h, 1;        V: 1,   eta: 1,   lambda: 1
//   left-right            h, h^2, 1;      V: 1,   eta: 1/h, lambda: 1/h^2
//   left-right-velocity   h, h^2, 1, h;   V: 1/h, eta: 1/h, lambda: 1/h^2      the last factor: rows of B u
//   uniform               h, h^2, e, e h; V: 1/h, eta: e/h, lambda: e/h^2
//   physical              k, k^2, e, e k; V: 1/k, eta: e/k, lambda: e/k^2                               (9)
// P is multiplied like M; for the first two it is rho |k|^2 B'B, which leaves the penalty rho.
//
// Phi is taken as in kernel.h (2). References: E. Hairer, G. Wanner, Solving Ordinary Differential Equations
// II, IV.8, VII.5; E. Hairer, C. Lubich, M. Roche, Lecture Notes in Mathematics 1409 (1989).
#ifndef TMLI_INTEGRATE_RADAU_STAGES_H
#define TMLI_INTEGRATE_RADAU_STAGES_H

#include "integrate/core/error_weights.h"
#include "integrate/newton/convergence.h"
#include "integrate/newton/iteration_record.h"
#include "integrate/radau/tables.h"

/** Matrix and solver of one eigenvalue. */
typedef struct tmli_stage_matrix {
    int times;          // unknowns per unknown of the system: fields, doubled for a complex pair
    tml_pattern *wide;  // owned; NULL: the system's own
    void *lin;
    double *values;
    double *rhs;             // (times (n + m)): [unknown][field][re, im]
    double h;                // of the factors below; 0: not known
    double complex k;        // h/mu of the solve
    double complex m[2][2];  // coefficients of M + P, Dm, K: [row field][column field]
    double complex d[2][2], s[2][2];
    double complex force[2];     // factor of a field's motion rows
    double complex level[2];     // factor of a field's constraint residuals, to the units of its unknowns
    double complex column[2];    // V of field 1 = column dW; field 0: 1
    double complex reaction[2];  // multiplier of a field = e reaction^
    double row;                  // factor of all constraint rows, besides e
    double across;               // factor of B'e: force times reaction
} tmli_stage_matrix;

/** All stages in one matrix, each with its own M, Dm, K and B: the full Newton method, for large steps of
 * fixed size, and where one matrix for all stages does not serve the steps that errors allow. */
typedef struct tmli_coupled {
    tmli_stage_matrix factor;                      // its factors, with |mu| for mu
    bool on;                                       // used for this step
    bool always;                                   // for all steps from now on, which the method sets
    bool given_up;                                 // it was, and did not pay
    bool known;                                    // factored
    tml_pattern *wide;                             // owned
    void *lin;                                     // NULL: not offered
    double *values, *rhs;                          // (times^2 nnz), (times (n + m)), [unknown][stage][field]
    double *mass, *damping, *stiffness, *penalty;  // (stages nnz) in units
    double *rows;                                  // (stages entries)
    double *stress;   // (stages nnz) two fields: derivative of (6) by the configuration, through M and B'
    double *turning;  // (stages entries) two fields: (B u)_q
} tmli_coupled;

typedef struct tmli_stages {
    const tml_system *sys;
    const tmli_radau_table *table;
    const tml_linsolver_ops *solver;
    int fields;  // 1: index 3; 2: stabilized index 2
    tml_scaling scaling;
    bool physical;  // unknowns are measured in model lengths, rows by inertia
    bool by_step;   // the matrix contains the step, not only in front of Dm and K
    bool saturate;  // iterate until corrections stop falling
    bool fixed;
    bool falls;       // with a record: the last correction was smaller than all before it
    bool have_parts;  // M, Dm, K have been evaluated
    bool stale;       // they are due for evaluation before the next solve
    double rho;       // the option augment
    double augment;   // P = augment B'e B
    double shift;     // if saturate: largest correction of Z [lengths]
    double gyration_ratio;
    double scale_h;   // step size of the scales; 0: none
    double factor_h;  // of the last factorization; 0: none
    double t_rows;    // time of rows_end; NAN: not known
    tml_counters *count;
    const tmli_weights *weights;  // set by the method, for the units of states
    tmli_stage_matrix matrix[TMLI_RADAU_EIGENVALUES];
    tmli_stage_matrix slow;  // M + kappa Dm + kappa^2 K of core/vibrations.h; h: kappa, 0: not factored
    tmli_coupled coupled;
    tmli_record *record[2];  // of the last eigenvalue's matrix, of the coupled one; NULL: no report
    tmli_newton newton;      // monitor of the iteration
    void *memory;            // of all arrays
    void *work;
    tml_state *stage[TMLI_RADAU_STAGES];
    tml_state *probe;                    // scratch
    double *mass, *damping, *stiffness;  // (nnz) M + P with B'e and e B, Dm, K; in units
    double *e;                           // (m) as in the kernel
    double *kappa;            // (m) violation of the constraints by the velocity, stages_estimate.c (3)
    double *unit;             // (n + m) as in the kernel
    double *measure;          // (n + m) units of unknowns and rows
    double *scratch, *other;  // (n + m)
    double *rows;             // B where the parts were evaluated
    double *rows_start;       // B at the start of the step, for the estimate
    double *rows_end;         // B at the end of the last trial,
    double *q_rows;           // (nq) and its configuration
    double *q_parts;          // (nq) configuration at which the parts were evaluated
    double *diagonal;         // (3 n) as in the kernel
    double *Z[TMLI_RADAU_STAGES], *D[TMLI_RADAU_STAGES], *V[TMLI_RADAU_STAGES];  // (n)
    double *eta[TMLI_RADAU_STAGES];                                              // (m), (6)
    /** (n) residuals of the fields: motion[fields - 1] of motion, motion[0] of (6) */
    double *motion[2][TMLI_RADAU_STAGES];
    double *phi[2][TMLI_RADAU_STAGES];  // (m) residuals of position and velocity level
    double *restart;                    // copy of the predicted Z, V, eta and multipliers
} tmli_stages;

tml_status tmli_stages_create(const tml_system *sys, const tml_integrator_options *opt, int stages,
                              int fields, tml_counters *count, tmli_stages *s, tml_error *err);
void tmli_stages_clear(tmli_stages *s);
/** Solve for a step of size h from x0. Z (with two fields also V and eta) and the multipliers of the stages
 * are the prediction on entry and the solution on return, with D, V and the states of the stages. tol:
 * wanted error of Z [lengths]; feedback: k of kernel.h (2). TML_RETRY: no convergence. */
tml_status tmli_stages_solve(tmli_stages *s, const tml_state *x0, double h, double feedback, double tol,
                             tml_error *err);
/** ed (n) and eu (n): the embedded method's distance in D and u at the end of a step h from x0, along the
 * constraints, filtered by the last matrix (docs/theory/radau.md (7), (8)). TML_ERR_NAN or TML_RETRY of the
 * system. */
tml_status tmli_stages_estimate(tmli_stages *s, const tml_state *x0, double h, double *ed, double *eu,
                                tml_error *err);
/** e'M e, e'Dm e and e'K e of velocities e along the constraints, without those of states. */
typedef struct tmli_stage_forms {
    double mass, damping, stiffness;
} tmli_stage_forms;
tmli_stage_forms tmli_stages_forms(tmli_stages *s, const double *eu);
/** True if velocities of these forms decay without a vibration. */
bool tmli_stages_is_overdamped(const tmli_stages *s, const tmli_stage_forms *f);
/** Filter an estimate once more: (ed, eu) := (1 - k J)^-1 (ed, eu), with J the matrix of the first-order
 * system along the constraints. Follows tmli_stages_estimate. Three stages only. */
void tmli_stages_filter_again(tmli_stages *s, const tml_state *x0, double *ed, double *eu);
/** v'M v, of which M v goes to Mv (n); without states. */
double tmli_stages_square(tmli_stages *s, const double *v, double *Mv);
/** Energy that the step of the last solve takes out of the motion [J], as if it were linear and undamped. a,
 * Ma (n): divided difference of accelerations, and M times it: how nodes have part in it. */
double tmli_stages_loss(tmli_stages *s, double h, double *a, double *Ma);
/** out (n) := velocities v along the constraints on the time scale kappa [s], core/vibrations.h (3). False:
 * they cannot be found. */
bool tmli_stages_slow_velocity(tmli_stages *s, double kappa, const double *v, double *out);
/** One field: kappa (m) := solution of M (u - ut) = B'kappa, and probe := x with its velocity u replaced by
 * ut, which satisfies the constraints; by the last matrix. Two fields: probe := x. */
tml_status tmli_stages_split_velocity(tmli_stages *s, const tml_state *x, tml_error *err);
/** eu (n) := change of the velocities at the end x of a step by what dampers pass on of the part of x's
 * velocity across the constraints; about, by the diagonal of M. Two fields: 0. */
tml_status tmli_stages_passed_on(tmli_stages *s, const tml_state *x, double *eu, tml_error *err);
double tmli_stages_condition(tmli_stages *s);
/** Report on the last matrix (of the pair of eigenvalues, if stages are not coupled) and iteration; needs
 * the option report. */
void tmli_stages_conditioning(tmli_stages *s, tml_conditioning *out);

void tmli_stages_archive(tmli_stages *s, tml_archive *a);

// ---- linear algebra, shared by the files of the stages ----------------------------------------------------

/** Evaluate M, Dm, K and B at x, and the scales for the step size h. */
tml_status tmli_stages_evaluate_parts(tmli_stages *s, const tml_state *x, double h, tml_error *err);
/** Rate at which corrections fall with the present factors in a step of size h, as far as the step size
 * matters: the largest change of a diagonal entry of M + k Dm + k^2 K, over the entry. 0: it does not. */
double tmli_stages_step_change(const tmli_stages *s, double h);
/** Factor for the step size h. */
tml_status tmli_stages_factor(tmli_stages *s, double h, tml_error *err);
/** Set the factors of a matrix's right-hand side for the step size h. */
void tmli_stages_set_coefficients(const tmli_stages *s, tmli_stage_matrix *a, double complex mu, double h);
/** Transform v (m) from the frames that rows have at q0 to those at q1 (system contract, transform_rows),
 * since the parts may be old. x: a state of the step, for its inactive rows. */
void tmli_stages_transform_rows(const tmli_stages *s, const tml_state *x, const double *q0, const double *q1,
                                double *v);
/** rhs := solution with the last factorization, in the units of the model. */
void tmli_stages_solve_linear(const tmli_stages *s, tmli_stage_matrix *a);

/** Evaluate one part of the matrix, in units; entries of the constraints are cleared unless `rows`. */
tml_status tmli_stages_evaluate_part(tmli_stages *s, const tml_state *x, const tml_assembly *a, bool rows,
                                     double *values, tml_error *err);

tml_status tmli_coupled_create(tmli_stages *s, tml_error *err);
void tmli_coupled_clear(tmli_stages *s);
/** Evaluate and factor at the present stages. */
tml_status tmli_coupled_factor(tmli_stages *s, double h, tml_error *err);
/** Record the last correction; true if it was smaller than those before it. */
bool tmli_stages_record(tmli_stages *s, double h);
/** Replace the residuals in motion and phi by the corrections. */
void tmli_coupled_solve(tmli_stages *s, double h);
/** The factors of a matrix's rows and unknowns, which tmli_stages_set_coefficients sets. */
void tmli_stages_archive_coefficients(tmli_stage_matrix *m, tml_archive *a);
void tmli_coupled_archive(tmli_stages *s, tml_archive *a);

static inline bool tmli_stages_is_velocity_row(const tmli_stages *s, int r)
{
    return s->sys->level && s->sys->level[r] == TML_LEVEL_VELOCITY;
}

/** Store or read a complex number in a right-hand side or solution; its real part alone if it does not
 * belong to a pair. */
static inline void tmli_stages_store_complex(double *at, bool pair, double complex x)
{
    at[0] = creal(x);
    if (pair) at[1] = cimag(x);
}
static inline double complex tmli_stages_load_complex(const double *at, bool pair)
{
    return pair ? at[0] + at[1] * I : at[0];
}

#endif

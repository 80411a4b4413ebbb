// Systems of callbacks: data and functions shared by callbacks.c, the operations of the system contract, and
// evaluate.c, the calls and the difference quotients that replace missing derivatives. N = n + nz.
#ifndef TMLI_SYSTEM_CALLBACKS_INTERNAL_H
#define TMLI_SYSTEM_CALLBACKS_INTERNAL_H

#include "base/base.h"

#include <trammel/system.h>

// Steps of (7) and (8), relative to the size of the argument. `nested`: of a function that is itself a
// difference, whose own step is STEP_FIRST_NESTED.
__attribute__((unused)) static const double STEP_FIRST = 1.220703125e-04;               // eps^(1/4)
__attribute__((unused)) static const double STEP_FIRST_NESTED = 7.400959797414051e-04;  // eps^(1/5)
__attribute__((unused)) static const double STEP_SECOND = 2.460783300575925e-03;        // eps^(1/6)
__attribute__((unused)) static const double STEP_SECOND_NESTED = 6.6968e-03;            // eps^(5/36)

// Increments relative to the size of q from which on the rows are not integrated, evaluate.c (9).
__attribute__((unused)) static const double LONG_INCREMENT = 0.01;

typedef struct tmli_callback_system {
    tml_system sys;           // sys.self points back to this struct
    tml_user_system_def def;  // as checked; length > 0
    tml_system_ops ops;       // of sys
} tmli_callback_system;

// Buffers of one difference quotient: the changed argument and the values at both sides.
typedef struct tmli_difference_buffers {
    double *x;  // (N)
    double *plus, *minus;
} tmli_difference_buffers;

typedef struct tmli_callback_work {
    tml_env env;
    tmli_difference_buffers inner;  // for B from differences of Phi: plus, minus (m)
    // for all other differences, which may contain an inner one: plus, minus (max(N, m n))
    tmli_difference_buffers outer;
    double *M_at;             // (n x n) M at the changed argument
    double *B_at;             // (m x n) B at the changed argument
    double *M, *K;            // (n x n)
    double *fq, *fu;          // (N x n), (N x N)
    double *B, *Bdot;         // (m x n)
    double *phi_q;            // (m x n) derivative of the rows of a matrix
    double *moved;            // (n) configuration along the motion
    double *f;                // (N)
    double *phi, *mu, *rate;  // (m)
    const double *v;          // (n) constant v of the fields M(t,q) v and B(t,q) v
    const double *field_mu;   // (m) constant mu of the field B(t,q)' mu
} tmli_callback_work;

/** Noise of gamma, relative to the square of the speed over one length: 0 if it is not from differences. */
double tmli_callback_noise(const tml_user_system_def *def);

// Values of callbacks: outputs are set to 0 before the call and checked after it.
tml_status tmli_callback_mass(const tmli_callback_system *s, double t, const double *q, double *M,
                              tml_error *err);
tml_status tmli_callback_force(const tmli_callback_system *s, const tml_state *x, double *f, tml_error *err);
tml_status tmli_callback_constraint(const tmli_callback_system *s, double t, const double *q, double *phi,
                                    tml_error *err);
/** dphi (m) = Phi(t1, q0 + d) - Phi(t0, q0), 0 for rows at velocity level; needs one of the callbacks
 * constraint_increment and constraint_jacobian. */
tml_status tmli_callback_increment(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x0,
                                   const double *d, double t1, double *dphi, tml_error *err);
// TML_ERR_NAN if one of count numbers is not finite; the message names the quantity and the entry.
tml_status tmli_callback_check_finite(const char *what, double t, const double *x, int count, tml_error *err);

// Derivatives, from callbacks or differences.
tml_status tmli_callback_jacobian(const tmli_callback_system *s, tmli_callback_work *w, double t,
                                  const double *q, double *B, tml_error *err);
/** The last entries of phi (m): B u - nu of the rows at velocity level; B (m x n): their rows at x. */
tml_status tmli_callback_velocity_rows(const tmli_callback_system *s, tmli_callback_work *w,
                                       const tml_state *x, const double *B, double *phi, tml_error *err);
/** by_q (velocity_rows x n) = d(B u - nu)/dq. */
tml_status tmli_callback_velocity_by_q(const tmli_callback_system *s, tmli_callback_work *w,
                                       const tml_state *x, double *by_q, tml_error *err);
/** Phi_t (m); 0 for rows at velocity level. */
tml_status tmli_callback_constraint_rate(const tmli_callback_system *s, tmli_callback_work *w,
                                         const tml_state *x, double *phi_t, tml_error *err);
tml_status tmli_callback_force_by_q(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                    double *fq, tml_error *err);
tml_status tmli_callback_force_by_u(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                    double *fu, tml_error *err);
/** K (n x n) = d/dq [M udot + B' mu] at constant mu. */
tml_status tmli_callback_stiffness(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                   const double *mu, double *K, tml_error *err);
tml_status tmli_callback_gamma(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                               double *gamma, tml_error *err);
tml_status tmli_callback_gamma_by_q(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                    double *by_q, tml_error *err);
tml_status tmli_callback_gamma_by_u(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                    double *by_u, tml_error *err);
/** by_q (m x n) = d(B v)/dq at constant v. */
tml_status tmli_callback_rows_times(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                    const double *v, double *by_q, tml_error *err);
/** Kinetic and potential energy [J], and the power [W] of all forces without a potential. */
tml_status tmli_callback_energy(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                double *kinetic, double *potential, double *power, tml_error *err);

/** y (rows) += factor A x, A (rows x cols) row-major. */
static inline void tmli_callback_add_product(double factor, const double *A, int rows, int cols,
                                             const double *x, double *y)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < cols; j++) sum += A[(size_t)i * (size_t)cols + (size_t)j] * x[j];
        y[i] += factor * sum;
    }
}

/** y (cols) += factor A' x. */
static inline void tmli_callback_add_transposed(double factor, const double *A, int rows, int cols,
                                                const double *x, double *y)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) y[j] += factor * A[(size_t)i * (size_t)cols + (size_t)j] * x[i];
}

#endif

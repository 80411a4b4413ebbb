// The inside of systems made of callbacks, shared by their files: user.c, the table of operations;
// user_eval.c, the calls and the difference quotients that replace missing derivatives.
#ifndef TMLI_SYSTEM_CALLBACKS_INTERNAL_H
#define TMLI_SYSTEM_CALLBACKS_INTERNAL_H

#include "base/base.h"

#include <trammel/system.h>

typedef struct tmli_user {
    tml_system sys;           // sys.self points back to this struct
    tml_user_system_def def;  // as checked; length > 0
} tmli_user;

// Buffers of one difference quotient: the moved argument and the values on both sides of it.
typedef struct tmli_user_level {
    double *x;  // (n)
    double *plus, *minus;
} tmli_user_level;

typedef struct tmli_user_work {
    tml_env env;
    tmli_user_level inner;    // for B as differences of Phi: plus, minus (m)
    tmli_user_level outer;    // for all else, around inner: plus, minus (max(n, m n))
    double *M_at;             // (n x n) M and
    double *B_at;             // (m x n) B at the moved argument
    double *M, *fq, *fu, *K;  // (n x n)
    double *B, *Bdot;         // (m x n)
    double *f;                // (n)
    double *phi, *mu, *rate;  // (m)
    const double *held_v;     // (n) v of the field M(t,q) v
    const double *held_mu;    // (m) mu of the field B(t,q)' mu
} tmli_user_work;

// Values of callbacks: output zeroed before the call, checked after it.
tml_status tmli_user_mass(const tmli_user *s, double t, const double *q, double *M, tml_error *err);
tml_status tmli_user_force(const tmli_user *s, const tml_state *x, double *f, tml_error *err);
tml_status tmli_user_constraint(const tmli_user *s, double t, const double *q, double *phi, tml_error *err);
// Fail with TML_ERR_NAN, a sentence that says what and where, if one of count numbers is not finite.
tml_status tmli_user_check_finite(const char *what, double t, const double *x, int count, tml_error *err);

// Derivatives, from callbacks or differences.
tml_status tmli_user_jacobian(const tmli_user *s, tmli_user_work *w, double t, const double *q, double *B,
                              tml_error *err);
/** Phi_t (m). */
tml_status tmli_user_constraint_rate(const tmli_user *s, tmli_user_work *w, const tml_state *x, double *phi_t,
                                     tml_error *err);
tml_status tmli_user_force_by_q(const tmli_user *s, tmli_user_work *w, const tml_state *x, double *fq,
                                tml_error *err);
tml_status tmli_user_force_by_u(const tmli_user *s, tmli_user_work *w, const tml_state *x, double *fu,
                                tml_error *err);
/** d/dq [M udot + B' mu] (n x n), mu held. */
tml_status tmli_user_stiffness(const tmli_user *s, tmli_user_work *w, const tml_state *x, const double *mu,
                               double *K, tml_error *err);
tml_status tmli_user_gamma(const tmli_user *s, tmli_user_work *w, const tml_state *x, double *gamma,
                           tml_error *err);
tml_status tmli_user_gamma_by_q(const tmli_user *s, tmli_user_work *w, const tml_state *x, double *by_q,
                                tml_error *err);
tml_status tmli_user_gamma_by_u(const tmli_user *s, tmli_user_work *w, const tml_state *x, double *by_u,
                                tml_error *err);
/** (B v)_q (m x n), v held. */
tml_status tmli_user_rows_times(const tmli_user *s, tmli_user_work *w, const tml_state *x, const double *v,
                                double *by_q, tml_error *err);
/** Kinetic energy, potential [J] and the power of what has no potential [W]. */
tml_status tmli_user_energy(const tmli_user *s, tmli_user_work *w, const tml_state *x, double *kinetic,
                            double *potential, double *power, tml_error *err);

/** y (rows) += factor A x, A (rows x cols) row-major. */
static inline void tmli_user_add_product(double factor, const double *A, int rows, int cols, const double *x,
                                         double *y)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < cols; j++) sum += A[(size_t)i * (size_t)cols + (size_t)j] * x[j];
        y[i] += factor * sum;
    }
}

/** y (cols) += factor A' x. */
static inline void tmli_user_add_transposed(double factor, const double *A, int rows, int cols,
                                            const double *x, double *y)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) y[j] += factor * A[(size_t)i * (size_t)cols + (size_t)j] * x[i];
}

#endif

// Differential-algebraic equations in Hessenberg form whose constraints may lose rank: regularization, and
// integration by IDA.
//
//   M x^(m) = f(X, t) - B(X, t) y         X = (x, x', .., x^(m-1)), m >= 1          (1)
//   0 = g(x, .., x^(l), t)                l: level of the constraint, 0 .. m-1      (2)
//
// L. R. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput. 18 (1997) 753-774. With G = dg/dx^(l) and G B
// nonsingular the index is k + 1, k = m - l. l = 0: constraint on positions (index 3 for m = 2); l = m - 1:
// index 2. One of
//
//   c = sum_j a_j g^(j) = 0, j = 0 .. k,  a_j = k!/j! gamma^(k-j)                    (3)   Baumgarte
//   (G B)' c = epsilon y                                                            (4)   trust region
//   c = epsilon y                                                                   (5)   direct
//
// replaces (2) and is solved together with (1) for X and y; c contains x^(m). (3) is the paper's (2.2),
// (4.3), (4.13) with gamma = 1/h; (4) is (2.10), (4.6), (4.16); (5) is (2.12), (4.8). Up to k = 4 all roots
// of sum a_j s^j have negative real parts. For k >= 5 this fails with the paper's coefficients, and those of
// (s + gamma)^k are used. As in the paper, the derivatives are g^(j) = g_x x^(j); `curvature` may add the
// missing terms. See docs/theory/regularization.md.
#ifndef PAPERS_HESSENBERG_H
#define PAPERS_HESSENBERG_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/integrator.h>

typedef enum tml_regularization {
    TML_REGULARIZATION_NONE,          ///< g^(k) = 0 alone: index reduction; errors of g accumulate
    TML_REGULARIZATION_BAUMGARTE,     ///< (3): G B must keep its rank
    TML_REGULARIZATION_TRUST_REGION,  ///< (4)
    TML_REGULARIZATION_DIRECT         ///< (5): G B must have no negative eigenvalues
} tml_regularization;

enum { TML_HESSENBERG_ORDER = 8 };  ///< largest m

/** The equations as callbacks, and how to solve them. Matrices are dense and row-major; outputs are 0 on
 * entry. A callback gets X (m nx) = (x, x', ..) and returns TML_OK, TML_RETRY (a smaller step may help) or an
 * error. */
typedef struct tml_hessenberg_def {
    size_t size;       ///< set by tml_hessenberg_def_default()
    int order, level;  ///< m and l of (1), (2)
    int nx, ny;        ///< number of entries of x and y
    tml_status (*force)(double t, const double *X, double *f, void *user);       ///< (nx)
    tml_status (*input)(double t, const double *X, double *B, void *user);       ///< (nx x ny)
    tml_status (*constraint)(double t, const double *X, double *g, void *user);  ///< (ny)
    /** (ny x (l+1) nx): g by x, .., x^(l); NULL: differences. */
    tml_status (*constraint_jacobian)(double t, const double *X, double *G, void *user);
    tml_status (*constraint_by_t)(double t, const double *X, double *gt,
                                  void *user);  ///< (ny); NULL: differences
    /** (ny) terms of g^(j), 2 <= j <= k, beside g_x x^(j) (for j = 2, l = 0: x' g_xx x' + 2 g_xt x' + g_tt).
     * NULL: omitted, as in the paper; |g| then remains of the order of these terms over a_0. */
    tml_status (*curvature)(double t, const double *X, int j, double *out, void *user);
    tml_status (*mass)(double t, const double *X, double *M, void *user);  ///< (nx x nx); NULL: identity
    /** > 0: M may be singular, and (M'M + mass_shift I) x^(m) = M'(f - B y), the paper's (4.11), is
     * solved. */
    double mass_shift;
    void *user;

    tml_regularization regularization;
    double gamma;    ///< [1/s] >= 0
    double epsilon;  ///< >= 0, in units of (G B)^2 (trust region) or G B (direct)
    /** Radius delta of the trust region, the paper's (2.9): |y|^2 / (2 gamma^2k) <= delta, and epsilon is the
     * multiplier of this condition, but at least `epsilon`, which must be > 0: y is that of (4), shortened to
     * the radius where it would be longer. 0: no bound, epsilon as given. */
    double radius;
    double rtol, atol;
    /** Number of blocks x, x', .. of X in the error test; 0: x .. x^(l), as in the paper. y is never
     * tested. */
    int judged;
    int max_order;     ///< highest order of IDA, 1..5
    double max_step;   ///< largest step size [s]; 0: no limit
    long max_steps;    ///< largest number of steps of one run
    double t0;         ///< start time [s]
    const double *x0;  ///< (m nx) X at t0; copied
} tml_hessenberg_def;

/** order 1, trust region, gamma 1e3, epsilon 1e-6, tolerances 1e-5, orders 1 to 5 of IDA */
tml_hessenberg_def tml_hessenberg_def_default(void);

typedef struct tml_hessenberg tml_hessenberg;

/** True if the library was built with SUNDIALS. Otherwise tml_hessenberg_create fails. */
bool tml_hessenberg_available(void);
/** Create a problem and compute y at t0 from the regularized equations. env may be NULL; the caller destroys
 * *out. Errors: TML_ERR_ARG, TML_ERR_SINGULAR (no solution for y), TML_ERR_NOMEM, and those of the
 * callbacks. */
tml_status tml_hessenberg_create(const tml_hessenberg_def *def, const tml_env *env, tml_hessenberg **out,
                                 tml_error *err);
void tml_hessenberg_destroy(tml_hessenberg *h);  ///< accepts NULL
/** Integrate to t [s]. Steps may end beyond t; the state at t is interpolated. Error: TML_ERR_STEP: IDA
 * failed or needs more than max_steps; the state is then the last accepted one. */
tml_status tml_hessenberg_run(tml_hessenberg *h, double t, tml_error *err);
/** Make one step of IDA; the state is that at its end. */
tml_status tml_hessenberg_step(tml_hessenberg *h, tml_error *err);
double tml_hessenberg_time(const tml_hessenberg *h);
const double *tml_hessenberg_x(const tml_hessenberg *h);  ///< (m nx); borrowed
const double *tml_hessenberg_y(const tml_hessenberg *h);  ///< (ny); borrowed
tml_counters tml_hessenberg_counters(const tml_hessenberg *h);
/** *out: largest |g| at the current state. */
tml_status tml_hessenberg_residual(tml_hessenberg *h, double *out, tml_error *err);
/** *out: largest difference at (t, X) between the given derivatives (constraint_jacobian, constraint_by_t,
 * and curvature for l = 0, j = 2) and difference quotients, divided by 1 + the largest value. */
tml_status tml_hessenberg_check(tml_hessenberg *h, double t, const double *X, double *out, tml_error *err);

#endif

// The examples of L. R. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput. 18 (1997) 753-774, as Hessenberg
// systems, and the reference of the second one.
//
// Example 5.1: x' = 2 + t y, 0 = t x - t (t + 1); x = t + 1. With s = 1 y is that of (3.1), x' = A x + B y +
// q, B = C': in x' = f - B y then B = t and y has the other sign. s = -1 is the paper's (5.1) read as (2.1a):
// B = -t, G B = -t^2 < 0.
//
// Example 5.2: slider-crank with equal arms, angles from the downward vertical,
//   [2, c; c, 1] theta'' = (s w2^2 - 19.6 sin theta1, -s w1^2 - 9.8 sin theta2)
//                          - (sin theta1, sin theta2) lambda,
//   c = cos(theta2 - theta1), s = sin(theta2 - theta1);  0 = -cos theta1 - cos theta2.
// Branches theta2 = pi - theta1 and theta2 = pi + theta1 cross at (0, pi). Straight on along the first,
//   (3 + 2 cos 2 theta) theta'' - 2 sin 2 theta theta'^2 + 9.8 sin theta = 0                              (1)
//   E = (3 + 2 cos 2 theta) theta'^2 / 2 - 9.8 cos theta                                                  (2)
#ifndef TEST_PETZOLD_H
#define TEST_PETZOLD_H

#include "hessenberg/hessenberg.h"
#include <math.h>

static const double PETZOLD_PI = 3.14159265358979323846;

// ---- Example 5.1; user: double s --------------------------------------------------------------------------

static inline tml_status petzold_1_force(double t, const double *X, double *f, void *user)
{
    (void)t, (void)X, (void)user;
    f[0] = 2;
    return TML_OK;
}
static inline tml_status petzold_1_input(double t, const double *X, double *B, void *user)
{
    (void)X;
    B[0] = *(const double *)user * t;
    return TML_OK;
}
static inline tml_status petzold_1_constraint(double t, const double *X, double *g, void *user)
{
    (void)user;
    g[0] = t * X[0] - t * (t + 1);
    return TML_OK;
}
static inline tml_status petzold_1_jacobian(double t, const double *X, double *G, void *user)
{
    (void)X, (void)user;
    G[0] = t;
    return TML_OK;
}
static inline tml_status petzold_1_by_t(double t, const double *X, double *gt, void *user)
{
    (void)user;
    gt[0] = X[0] - 2 * t - 1;
    return TML_OK;
}

/** From t = -1, x = 0; the solution is t + 1. */
static inline tml_hessenberg_def petzold_1(double *sign)
{
    static const double start[1] = {0};
    tml_hessenberg_def d = tml_hessenberg_def_default();
    d.nx = d.ny = 1;
    d.force = petzold_1_force;
    d.input = petzold_1_input;
    d.constraint = petzold_1_constraint;
    d.constraint_jacobian = petzold_1_jacobian;
    d.constraint_by_t = petzold_1_by_t;
    d.user = sign;
    d.t0 = -1;
    d.x0 = start;
    return d;
}

// ---- Example 5.2 ------------------------------------------------------------------------------------------

static inline tml_status petzold_2_mass(double t, const double *X, double *M, void *user)
{
    (void)t, (void)user;
    M[0] = 2;
    M[1] = M[2] = cos(X[1] - X[0]);
    M[3] = 1;
    return TML_OK;
}
static inline tml_status petzold_2_force(double t, const double *X, double *f, void *user)
{
    (void)t, (void)user;
    const double s = sin(X[1] - X[0]);
    f[0] = s * X[3] * X[3] - 19.6 * sin(X[0]);
    f[1] = -s * X[2] * X[2] - 9.8 * sin(X[1]);
    return TML_OK;
}
static inline tml_status petzold_2_input(double t, const double *X, double *B, void *user)
{
    (void)t, (void)user;
    B[0] = sin(X[0]);
    B[1] = sin(X[1]);
    return TML_OK;
}
static inline tml_status petzold_2_position(double t, const double *X, double *g, void *user)
{
    (void)t, (void)user;
    g[0] = -cos(X[0]) - cos(X[1]);
    return TML_OK;
}
static inline tml_status petzold_2_position_jacobian(double t, const double *X, double *G, void *user)
{
    (void)t, (void)user;
    G[0] = sin(X[0]);
    G[1] = sin(X[1]);
    return TML_OK;
}
static inline tml_status petzold_2_curvature(double t, const double *X, int j, double *out, void *user)
{
    (void)t, (void)user, (void)j;
    out[0] = cos(X[0]) * X[2] * X[2] + cos(X[1]) * X[3] * X[3];
    return TML_OK;
}
static inline tml_status petzold_2_velocity(double t, const double *X, double *g, void *user)
{
    (void)t, (void)user;
    g[0] = sin(X[0]) * X[2] + sin(X[1]) * X[3];
    return TML_OK;
}
static inline tml_status petzold_2_velocity_jacobian(double t, const double *X, double *G, void *user)
{
    (void)t, (void)user;
    G[0] = cos(X[0]) * X[2];
    G[1] = cos(X[1]) * X[3];
    G[2] = sin(X[0]);
    G[3] = sin(X[1]);
    return TML_OK;
}
static inline tml_status petzold_zero(double t, const double *X, double *gt, void *user)
{
    (void)t, (void)X, (void)gt, (void)user;
    return TML_OK;
}

/** index 2 or 3; start (4): theta, theta'. */
static inline tml_hessenberg_def petzold_2(int index, const double *start)
{
    tml_hessenberg_def d = tml_hessenberg_def_default();
    d.order = 2;
    d.level = 3 - index;
    d.nx = 2;
    d.ny = 1;
    d.force = petzold_2_force;
    d.input = petzold_2_input;
    d.mass = petzold_2_mass;
    d.constraint = index == 3 ? petzold_2_position : petzold_2_velocity;
    d.constraint_jacobian = index == 3 ? petzold_2_position_jacobian : petzold_2_velocity_jacobian;
    d.constraint_by_t = petzold_zero;
    d.x0 = start;
    return d;
}

/** Start on the first branch at angle theta, theta1' = w. */
static inline void petzold_2_start(double theta, double w, double start[4])
{
    start[0] = theta;
    start[1] = PETZOLD_PI - theta;
    start[2] = w;
    start[3] = -w;
}

static inline double petzold_2_slope(double theta, double w)
{
    return (2 * sin(2 * theta) * w * w - 9.8 * sin(theta)) / (3 + 2 * cos(2 * theta));
}

/** (1) from t0 to t1, with classical Runge-Kutta steps of 1e-4 s or less: errors below 1e-13. */
static inline void petzold_2_reference(double t0, double t1, double *theta, double *w)
{
    const double steps = ceil((t1 - t0) / 1e-4), h = steps > 0 ? (t1 - t0) / steps : 0;
    for (double i = 0; i < steps; i++) {
        double k[4][2];
        static const double at[4] = {0, 0.5, 0.5, 1};
        for (int s = 0; s < 4; s++) {
            const double a = *theta + (s ? h * at[s] * k[s - 1][0] : 0),
                         b = *w + (s ? h * at[s] * k[s - 1][1] : 0);
            k[s][0] = b;
            k[s][1] = petzold_2_slope(a, b);
        }
        *theta += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
        *w += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
    }
}

#endif

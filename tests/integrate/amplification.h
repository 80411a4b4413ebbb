// The amplification matrix of a method, taken from its own steps: the undamped oscillator q'' + w^2 q = 0 as
// a system of callbacks, fixed steps from three independent starting states (q, u, udot).
//
// After the first step, whose starting values are the method's business, the state of a one-step scheme with
// one auxiliary acceleration is seen in
//   z_n = ( q_n,  h u_n,  h (u_{n+1} - u_n)/(w h)^2 )
// and Z_2 = A Z_1 with the z of the three runs as columns. Where only q and u go on (trapezoidal and midpoint
// rule) Z is singular, and the first two components of two runs make A.
#ifndef TEST_INTEGRATE_AMPLIFICATION_H
#define TEST_INTEGRATE_AMPLIFICATION_H

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <trammel/integrator.h>
#include <trammel/system.h>

typedef struct amplification {
    int size;  // 3, or 2 if nothing else goes on
    double A[3][3];
    double re[3], im[3];       // eigenvalues
    double radius;             // spectral radius
    double period_elongation;  // of the complex pair: (w h)/arg - 1; NAN if there is none
    double damping;            // of the complex pair: algorithmic damping ratio
} amplification;

static inline tml_status oscillator_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = 1;
    return TML_OK;
}

static inline tml_status oscillator_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)u;
    f[0] = -*(double *)user * q[0];
    return TML_OK;
}

static inline tml_status oscillator_force_by_q(double t, const double *q, const double *u, double *fq,
                                               void *user)
{
    (void)t, (void)q, (void)u;
    fq[0] = -*(double *)user;
    return TML_OK;
}

static inline tml_status oscillator_force_by_u(double t, const double *q, const double *u, double *fu,
                                               void *user)
{
    (void)t, (void)q, (void)u, (void)user;
    fu[0] = 0;
    return TML_OK;
}

// q and h u of the steps 1 to 3 of a run from (q, u, udot).
static inline tml_status amplification_run(const tml_method_ops *method, const tml_system *sys,
                                           const tml_integrator_options *opt, double h, const double start[3],
                                           double q[3], double hu[3], tml_error *err)
{
    void *self = NULL;
    tml_state *x = NULL;
    tml_status st = tml_state_create(sys, &x, err);
    if (st == TML_OK) st = method->create(sys, opt, &self, err);
    if (st == TML_OK) {
        x->q[0] = start[0];
        x->u[0] = start[1];
        x->udot[0] = start[2];
        st = method->start(self, x, err);
    }
    for (int n = 0; n < 3 && st == TML_OK; n++) {
        double error;
        st = method->step(self, h, &error, err);
        if (st != TML_OK) break;
        method->accept(self, (n + 1) * h);
        q[n] = method->state(self)->q[0];
        hu[n] = h * method->state(self)->u[0];
    }
    if (self) method->destroy(self);
    tml_state_destroy(x, sys);
    return st;
}

// A = Y Z^-1 for n x n; false if Z is singular: the smallest of the normalized pivots.
static inline bool amplification_quotient(int n, double Z[3][3], double Y[3][3], double A[3][3])
{
    double W[3][6];  // rows: [Z' | Y'], so that the solution is A'
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            W[i][j] = Z[j][i];
            W[i][n + j] = Y[j][i];
        }
    for (int i = 0; i < n; i++) {
        double size = 0;
        for (int j = 0; j < n; j++) size = fmax(size, fabs(W[i][j]));
        for (int j = 0; j < 2 * n; j++) W[i][j] /= size;
    }
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int i = c + 1; i < n; i++) p = fabs(W[i][c]) > fabs(W[p][c]) ? i : p;
        if (!(fabs(W[p][c]) > 1e-9)) return false;
        for (int j = 0; j < 2 * n; j++) {
            const double swap = W[c][j];
            W[c][j] = W[p][j];
            W[p][j] = swap;
        }
        for (int i = 0; i < n; i++) {
            if (i == c) continue;
            const double factor = W[i][c] / W[c][c];
            for (int j = c; j < 2 * n; j++) W[i][j] -= factor * W[c][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[j][i] = W[i][n + j] / W[i][i];
    return true;
}

// Eigenvalues of a real matrix of size 2 or 3: a real root of the cubic by bisection and Newton, the rest
// from the quadratic.
static inline void amplification_eigenvalues(amplification *a)
{
    double(*A)[3] = a->A, trace = A[0][0] + A[1][1], det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    if (a->size == 3) {
        const double c2 = -(trace + A[2][2]);
        const double c1 = det + A[0][0] * A[2][2] - A[0][2] * A[2][0] + A[1][1] * A[2][2] - A[1][2] * A[2][1];
        const double c0 = -(A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) -
                            A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
                            A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]));
        double low = -10, high = 10;
        for (int i = 0; i < 200; i++) {
            const double x = (low + high) / 2, p = ((x + c2) * x + c1) * x + c0;
            if (p > 0) high = x;
            else low = x;
        }
        const double x = (low + high) / 2;
        a->re[2] = x;
        a->im[2] = 0;
        trace = -c2 - x;  // of the other two
        det = c1 + x * (c2 + x);
    }
    const double half = trace / 2, d = half * half - det;
    const double root = sqrt(fabs(d));
    for (int i = 0; i < 2; i++) {
        const double sign = i ? -1 : 1;
        a->re[i] = d >= 0 ? half + sign * root : half;
        a->im[i] = d >= 0 ? 0 : sign * root;
    }
}

/** Of a method with its options at h/T, T the period. */
static inline tml_status amplification_calc(const tml_method_ops *method,
                                            const tml_integrator_options *options, double h_over_T,
                                            amplification *out, tml_error *err)
{
    const double h = 1, wh = 2 * acos(-1) * h_over_T;
    double w2 = wh * wh;
    tml_integrator_options opt = *options;
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 1;
    def.mass = oscillator_mass;
    def.force = oscillator_force;
    def.force_by_q = oscillator_force_by_q;
    def.force_by_u = oscillator_force_by_u;
    def.user = &w2;
    opt.fixed_step = true;
    opt.duration = 10;
    *out = (amplification){.size = 3, .period_elongation = NAN, .damping = NAN};
    tml_system *sys = NULL;
    tml_status st = tml_system_create_user(&def, NULL, &sys, err);
    double Z[3][3], Y[3][3];
    const double start[3][3] = {{1, 0, 0}, {0, wh, 0}, {0, 0, w2}};
    for (int r = 0; r < 3 && st == TML_OK; r++) {
        double q[3], hu[3];
        st = amplification_run(method, sys, &opt, h, start[r], q, hu, err);
        for (int n = 0; n < 2 && st == TML_OK; n++) {
            double(*M)[3] = n == 0 ? Z : Y;
            M[0][r] = q[n];
            M[1][r] = hu[n];
            M[2][r] = (hu[n + 1] - hu[n]) / w2;
        }
    }
    tml_system_destroy(sys);
    if (st != TML_OK) return st;
    for (int i = 0; i < 3; i++) {  // components of like size: eigenvalues do not change
        const double size = fmax(fabs(Z[i][0]), fmax(fabs(Z[i][1]), fabs(Z[i][2])));
        for (int r = 0; r < 3; r++) {
            Z[i][r] /= size;
            Y[i][r] /= size;
        }
    }
    if (!amplification_quotient(3, Z, Y, out->A)) {
        out->size = 2;
        if (!amplification_quotient(2, Z, Y, out->A)) return TML_ERR_SINGULAR;
    }
    amplification_eigenvalues(out);
    for (int i = 0; i < out->size; i++) out->radius = fmax(out->radius, hypot(out->re[i], out->im[i]));
    if (out->im[0] > 0) {
        const double arg = atan2(out->im[0], out->re[0]), decay = log(hypot(out->re[0], out->im[0]));
        out->period_elongation = wh / arg - 1;
        out->damping = -decay / hypot(arg, decay);
    }
    return TML_OK;
}

#endif

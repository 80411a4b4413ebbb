// The model problems of the scaling papers as systems of callbacks, and small drivers that step them through
// the kernel: what tests/integrate/newton/test_laws.c checks and bench/papers prints. Needs no test library.
//
//   [A] O. A. Bauchau, A. Epple, C. L. Bottasso, J. Comput. Nonlinear Dyn. 4 (2009) 021007
//   [B] C. L. Bottasso, O. A. Bauchau, A. Cardona, SIAM J. Sci. Comput. 29 (2007) 397-414
//
// All functions return false with a sentence in err if something fails.
#ifndef TEST_INTEGRATE_LAB_H
#define TEST_INTEGRATE_LAB_H

#include "consistency/consistent.h"
#include "integrate/newton/kernel.h"

#include <math.h>
#include <string.h>

enum { LAB_MAX = 3 };  // coordinates of the largest problem

// ---- the pendulum of [B] (31): length, mass and gravity are 1 ---------------------------------------------

static inline tml_status lab_unit_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[3] = 1;
    return TML_OK;
}
static inline tml_status lab_gravity(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)q, (void)u, (void)user;
    f[1] = -1;
    return TML_OK;
}
static inline tml_status lab_rod(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return TML_OK;
}
static inline tml_status lab_rod_jacobian(double t, const double *q, double *B, void *user)
{
    (void)t, (void)user;
    B[0] = q[0];
    B[1] = q[1];
    return TML_OK;
}
static inline tml_status lab_rod_stiffness(double t, const double *q, const double *udot, const double *mu,
                                           double *K, void *user)
{
    (void)t, (void)q, (void)udot, (void)user;
    K[0] = K[3] = mu[0];
    return TML_OK;
}
static inline tml_status lab_no_derivative(double t, const double *q, const double *u, double *d, void *user)
{
    (void)t, (void)q, (void)u, (void)d, (void)user;
    return TML_OK;
}

/** Our multiplier has the opposite sign of the paper's. */
static inline tml_system *lab_pendulum(tml_error *err)
{
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 2;
    def.m = 1;
    def.mass = lab_unit_mass;
    def.force = lab_gravity;
    def.constraint = lab_rod;
    def.constraint_jacobian = lab_rod_jacobian;
    def.stiffness = lab_rod_stiffness;
    def.force_by_q = lab_no_derivative;
    def.force_by_u = lab_no_derivative;
    tml_system *sys = NULL;
    tml_system_create_user(&def, NULL, &sys, err);
    return sys;
}

// ---- problem II of [A] (28): pendulum with a torsional spring at its root, its angle a third coordinate ---

typedef struct lab_spring {
    double m, k, l;  // [kg], [N m/rad], [m]
} lab_spring;

static inline tml_status lab_spring_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q;
    M[0] = M[4] = ((const lab_spring *)user)->m;
    return TML_OK;
}
static inline tml_status lab_spring_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)u;
    f[2] = -((const lab_spring *)user)->k * q[2];
    return TML_OK;
}
static inline tml_status lab_spring_force_by_q(double t, const double *q, const double *u, double *fq,
                                               void *user)
{
    (void)t, (void)q, (void)u;
    fq[8] = -((const lab_spring *)user)->k;
    return TML_OK;
}
static inline tml_status lab_spring_constraint(double t, const double *q, double *phi, void *user)
{
    (void)t;
    const double l = ((const lab_spring *)user)->l;
    phi[0] = q[0] * q[0] + q[1] * q[1] - l * l;
    phi[1] = q[0] * cos(q[2]) + q[1] * sin(q[2]);
    return TML_OK;
}
static inline tml_status lab_spring_jacobian(double t, const double *q, double *B, void *user)
{
    (void)t, (void)user;
    const double c = cos(q[2]), s = sin(q[2]);
    B[0] = 2 * q[0];
    B[1] = 2 * q[1];
    B[3] = c;
    B[4] = s;
    B[5] = -q[0] * s + q[1] * c;
    return TML_OK;
}
static inline tml_status lab_spring_stiffness(double t, const double *q, const double *udot, const double *mu,
                                              double *K, void *user)
{
    (void)t, (void)udot, (void)user;
    const double c = cos(q[2]), s = sin(q[2]);
    K[0] = K[4] = 2 * mu[0];
    K[2] = K[6] = -s * mu[1];
    K[5] = K[7] = c * mu[1];
    K[8] = (-q[0] * c - q[1] * s) * mu[1];
    return TML_OK;
}

/** `p` must outlive the system. */
static inline tml_system *lab_spring_pendulum(lab_spring *p, tml_error *err)
{
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 3;
    def.m = 2;
    def.length = p->l;
    def.mass = lab_spring_mass;
    def.force = lab_spring_force;
    def.force_by_q = lab_spring_force_by_q;
    def.force_by_u = lab_no_derivative;
    def.constraint = lab_spring_constraint;
    def.constraint_jacobian = lab_spring_jacobian;
    def.stiffness = lab_spring_stiffness;
    def.user = p;
    tml_system *sys = NULL;
    tml_system_create_user(&def, NULL, &sys, err);
    return sys;
}

// ---- a kernel with a state --------------------------------------------------------------------------------

typedef struct lab {
    const tml_system *sys;
    tml_counters count;
    tmli_kernel kernel;
    tml_state *x, *trial;
    double h;
    long steps;
    double D[LAB_MAX], D_last[LAB_MAX];  // increments of the present and the last step
    double u_before[LAB_MAX];            // velocities one step before x
} lab;

static inline tml_integrator_options lab_options(tml_scaling scaling, tml_fields fields, double augment,
                                                 bool saturated)
{
    tml_integrator_options opt = tml_integrator_options_default();
    opt.fixed_step = true;
    opt.run.scaling = scaling;
    opt.run.fields = fields;
    opt.run.augment = augment;
    opt.run.iterate = saturated ? TML_ITERATE_SATURATED : TML_ITERATE_CONVERGED;
    opt.run.report = true;
    opt.solver = &tml_linsolver_dense;
    return opt;
}

static inline void lab_end(lab *b)
{
    tmli_kernel_clear(&b->kernel);
    tml_state_destroy(b->x, b->sys);
    tml_state_destroy(b->trial, b->sys);
    *b = (lab){0};
}

/** At q, at rest. count lives in b: b must not move. */
static inline bool lab_begin(lab *b, const tml_system *sys, const tml_integrator_options *opt, double h,
                             const double *q, tml_error *err)
{
    *b = (lab){.sys = sys, .h = h};
    tml_status st = tmli_kernel_create(sys, opt, &b->count, &b->kernel, err);
    if (st == TML_OK) st = tml_state_create(sys, &b->x, err);
    if (st == TML_OK) st = tml_state_create(sys, &b->trial, err);
    if (st == TML_OK) memcpy(b->x->q, q, (size_t)sys->nq * sizeof *q);
    if (st != TML_OK) lab_end(b);
    return st == TML_OK;
}

static inline void lab_accept(lab *b)
{
    tml_state *old = b->x;
    memcpy(b->u_before, old->u, (size_t)b->sys->n * sizeof(double));
    memcpy(b->D_last, b->D, (size_t)b->sys->n * sizeof(double));
    b->x = b->trial;
    b->trial = old;
    b->steps++;
}

/** The two-step backward difference formula of [B], the first step with the one-step one:
 *   u_n = (3/2 D_n - 1/2 D_n-1)/h,   D_n = q_n - q_n-1,
 *   udot_n = [3/2 (u_n - u_n-1) - 1/2 (u_n-1 - u_n-2)]/h.
 * flat: predict D = 0 and no force instead of going on as in the last step. */
static inline bool lab_bdf2_try(lab *b, bool flat, tml_error *err)
{
    const int n = b->sys->n;
    const bool first = b->steps == 0;
    const double h = b->h, a = first ? 1 : 1.5, c = first ? 0 : 0.5;
    const tml_state *x = b->x;
    tml_state *y = b->trial;
    tml_state_copy(y, x);
    y->t = x->t + h;
    for (int j = 0; j < n; j++) {
        b->D[j] = flat ? 0 : b->D_last[j];
        y->u[j] = (a * b->D[j] - c * b->D_last[j]) / h;
        y->udot[j] = (a * (y->u[j] - x->u[j]) - c * (x->u[j] - b->u_before[j])) / h;
    }
    if (flat) memset(y->lambda, 0, (size_t)b->sys->m * sizeof(double));
    const tmli_stage stage = {.a0 = a * a / (h * h), .a1 = a / h, .theta = 1, .h = h};
    return tmli_kernel_solve(&b->kernel, x, &stage, 1, 1e-16, b->D, y, err) == TML_OK;
}

/** The same equations once more from where they have got to: more corrections of the same step. */
static inline bool lab_bdf2_again(lab *b, tml_error *err)
{
    const tmli_stage stage = b->kernel.stage;
    return tmli_kernel_solve(&b->kernel, b->x, &stage, 1, 1e-16, b->D, b->trial, err) == TML_OK;
}

/** The midpoint rule of [A] (19): motion at the middle of the step, constraints at its end. scratch may be
 * another kernel on the same system that solves the step instead of b's; the step is not taken. */
static inline bool lab_midpoint_try(lab *b, tmli_kernel *kernel, tml_error *err)
{
    const int n = b->sys->n;
    const double h = b->h;
    const tml_state *x = b->x;
    tml_state *y = b->trial;
    tml_state_copy(y, x);
    y->t = x->t + h / 2;
    for (int j = 0; j < n; j++) {
        b->D[j] = b->D_last[j];
        y->u[j] = b->D[j] / h;
        y->udot[j] = 2 * (y->u[j] - x->u[j]) / h;
    }
    const tmli_stage stage = {.a0 = 2 / (h * h), .a1 = 1 / h, .theta = 0.5, .t_end = x->t + h, .h = h};
    return tmli_kernel_solve(kernel, x, &stage, 1, 1e-16, b->D, y, err) == TML_OK;
}

static inline void lab_midpoint_accept(lab *b)
{
    tml_state *y = b->trial;
    for (int j = 0; j < b->sys->n; j++) {
        y->q[j] = b->x->q[j] + b->D[j];
        y->u[j] = 2 * b->D[j] / b->h - b->x->u[j];
    }
    y->t = b->x->t + b->h;
    lab_accept(b);
}

// ---- the experiments --------------------------------------------------------------------------------------

/** The pendulum of [B] with BDF2 in steps of h up to t_end, at most `most` steps; corrections of the first
 * two steps are left out, because they depend on how the iteration is started. */
typedef struct lab_run {
    tml_conditioning last;  // at the end of the last step
    double correction;  // largest over the steps of the last decreasing correction: 2-norm, scaled unknowns
    double field[3];    // by field, largest modulus
    double iterations;  // mean
    long steps;
} lab_run;

static inline bool lab_pendulum_run(tml_scaling scaling, tml_fields fields, double h, double angle, long most,
                                    lab_run *out, tml_error *err)
{
    *out = (lab_run){0};
    tml_system *sys = lab_pendulum(err);
    if (!sys) return false;
    const tml_integrator_options opt = lab_options(scaling, fields, 0, true);
    const double q[2] = {cos(angle), sin(angle)};
    const long steps = (long)fmin(floor(1e-3 / h + 0.5), (double)most);
    lab b;
    bool good = lab_begin(&b, sys, &opt, h, q, err);
    for (long i = 0; i < steps && good; i++) {
        good = lab_bdf2_try(&b, false, err);
        if (!good) break;
        lab_accept(&b);
        out->iterations += (double)b.kernel.newton.iterations / (double)steps;
        const tml_conditioning *kept = &b.kernel.record->kept;
        if (i < 2) continue;
        out->correction = fmax(out->correction, kept->correction);
        for (int f = 0; f < 3; f++)
            if (!isnan(kept->scaled[f])) out->field[f] = fmax(out->field[f], kept->scaled[f]);
    }
    if (good) tmli_kernel_conditioning(&b.kernel, &out->last);
    out->steps = b.steps;
    lab_end(&b);
    tml_system_destroy(sys);
    return good;
}

/** The same by the method bdf2, as a simulation would: steps of fixed size, `iterate` saturated, `report`.
 * The method makes its past points from the derivatives at the start. */
static inline bool lab_method_run(tml_scaling scaling, tml_fields fields, double h, double angle, long most,
                                  lab_run *out, tml_error *err)
{
    const tml_method_ops *method = tml_method_find("bdf2");
    const long steps = (long)fmin(floor(1e-3 / h + 0.5), (double)most);
    tml_integrator_options opt = lab_options(scaling, fields, 0, true);
    opt.duration = 1e-3;
    tmli_consistent start = {0};
    tml_state *x = NULL;
    void *self = NULL;
    double error;
    *out = (lab_run){0};
    tml_system *sys = lab_pendulum(err);
    if (!sys) return false;
    tml_status st = tml_state_create(sys, &x, err);
    if (st == TML_OK) st = tmli_consistent_create(sys, opt.solver, &start, err);
    if (st == TML_OK) {
        x->q[0] = cos(angle);
        x->q[1] = sin(angle);
        st = tmli_consistent_project(&start, x, err);
    }
    if (st == TML_OK) st = method->create(sys, &opt, &self, err);
    if (st == TML_OK) st = method->start(self, x, err);
    for (long i = 0; i < steps && st == TML_OK; i++) {
        st = method->step(self, h, &error, err);
        if (st != TML_OK) break;
        method->accept(self, (double)(i + 1) * h);
        method->conditioning(self, &out->last);
        out->steps++;
        out->iterations += (double)out->last.iterations / (double)steps;
        if (i < 2) continue;
        out->correction = fmax(out->correction, out->last.correction);
        for (int f = 0; f < 3; f++)
            if (!isnan(out->last.scaled[f])) out->field[f] = fmax(out->field[f], out->last.scaled[f]);
    }
    if (self) method->destroy(self);
    tmli_consistent_clear(&start);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
    return st == TML_OK;
}

/** Problem II of [A] with the midpoint rule up to t = 1 s from phi = pi/4 at rest: the matrix at convergence
 * of the last step, without scaling and augmentation [0], with s = 1 [1] and with s of (6) [2], both
 * augmented. */
static inline bool lab_spring_run(double m, double h, tml_conditioning out[3], double *angle, tml_error *err)
{
    static const tml_scaling modes[3] = {TML_SCALING_NONE, TML_SCALING_LEFT_RIGHT, TML_SCALING_UNIFORM};
    lab_spring p = {m, 10, 1};
    tml_system *sys = lab_spring_pendulum(&p, err);
    if (!sys) return false;
    const double phi = 0.78539816339744831, q[3] = {sin(phi), -cos(phi), phi};
    const tml_integrator_options opt = lab_options(TML_SCALING_UNIFORM, TML_FIELDS_TWO, 1, false);
    const long steps = (long)floor(1 / h + 0.5);
    lab b;
    bool good = lab_begin(&b, sys, &opt, h, q, err);
    for (long i = 0; i + 1 < steps && good; i++) {
        good = lab_midpoint_try(&b, &b.kernel, err);
        if (good) lab_midpoint_accept(&b);
    }
    for (int i = 0; i < 3 && good; i++) {
        const tml_integrator_options o = lab_options(modes[i], TML_FIELDS_TWO, i > 0, true);
        tmli_kernel kernel = {0};
        tml_counters count = {0};
        good = tmli_kernel_create(sys, &o, &count, &kernel, err) == TML_OK;
        if (good) good = lab_midpoint_try(&b, &kernel, err);
        if (good) tmli_kernel_conditioning(&kernel, &out[i]);
        tmli_kernel_clear(&kernel);
    }
    if (good) *angle = b.x->q[2] + b.D[2];
    lab_end(&b);
    tml_system_destroy(sys);
    return good;
}

// ---- [A] (35): three equations in decimal arithmetic of five digits ---------------------------------------

/** x with five significant decimal digits, the others cut off. */
static inline double lab_chop(double x)
{
    if (x == 0) return 0;
    const double unit = pow(10, floor(log10(fabs(x)) + 1e-12) - 4);
    return trunc(x / unit + copysign(1e-6, x)) *
           unit;  // 1e-6: the decimal number itself is not exact in binary
}

/** Gauss' elimination of J = [1 0 0; 0 h^2 1; 0 1 0], right-hand side (1, 1, 1), with full pivoting or with
 * none. */
static inline void lab_five_digits(double h, bool pivot, double x[3])
{
    double a[3][4] = {{1, 0, 0, 1}, {0, lab_chop(h * h), 1, 1}, {0, 1, 0, 1}};
    int column[3] = {0, 1, 2};
    for (int k = 0; k < 3; k++) {
        int row = k, col = k;
        for (int i = k; i < 3 && pivot; i++)
            for (int j = k; j < 3; j++)
                if (fabs(a[i][j]) > fabs(a[row][col])) row = i, col = j;
        for (int j = 0; j < 4; j++) {
            const double swap = a[k][j];
            a[k][j] = a[row][j];
            a[row][j] = swap;
        }
        for (int i = 0; i < 3; i++) {
            const double swap = a[i][k];
            a[i][k] = a[i][col];
            a[i][col] = swap;
        }
        const int name = column[k];
        column[k] = column[col];
        column[col] = name;
        for (int i = k + 1; i < 3; i++) {
            const double l = lab_chop(a[i][k] / a[k][k]);
            for (int j = k; j < 4; j++) a[i][j] = lab_chop(a[i][j] - lab_chop(l * a[k][j]));
        }
    }
    for (int k = 2; k >= 0; k--) {
        double sum = a[k][3];
        for (int j = k + 1; j < 3; j++) sum = lab_chop(sum - lab_chop(a[k][j] * x[column[j]]));
        x[column[k]] = lab_chop(sum / a[k][k]);
    }
}

#endif

// IDA of SUNDIALS on a constrained mechanical system, in the form of stabilized index 2 (Gear, Gupta and
// Leimkuhler):
//   d' = u - B' mu          q = q0 (+) d                                                  (1)
//   M u' + B' lambda = f                                                                  (2)
//   Phi(q) = 0                                                                            (3)
//   B u = 0                                                                               (4)
// for y = (d, u, mu, lambda), 2 n + 2 m numbers. It holds for systems whose increments add up (vector spaces,
// and motion in the plane: turns about one axis commute) and whose constraints do not depend on time. mu
// vanishes on the solution.
//
// The Jacobian is analytic, without (B' mu)_d, which vanishes with mu.
#ifndef BENCH_IDA_SOLVER_H
#define BENCH_IDA_SOLVER_H

#include <stdbool.h>
#include <trammel/system.h>

typedef struct ida_problem {
    const char *name;
    const tml_system *sys;
    const tml_state *start;  // consistent
    double end;              // [s]
    /** Direct formulas; NULL: the system's own operations. */
    void (*evaluate)(const tml_state *x, double *motion, double *phi, double *rows);
    void (*rows_times)(const double *q, const double *v, double *out);
    /** Called with the configuration at every multiple of `sample` [s] and at the end; NULL: not. */
    void (*take)(const double *q, void *user);
    void *user;
    double sample;
} ida_problem;

typedef struct ida_setting {
    bool all;  // the multipliers are in the error test
    // absolute tolerance of mu and lambda, which Newton's convergence test sees: in units of tol
    double loose;
    int max_order;  // 1 .. 5
    double newton;  // coefficient of Newton's convergence test; IDA's own: 0.33
    double speed;   // absolute tolerance of velocities: tol * speed * unit [1/s]
    bool sparse;    // KLU instead of SUNDIALS' dense LU
} ida_setting;

typedef struct ida_result {
    double seconds;  // processor time from the start to the end, without creation
    long steps, rejected, evaluations, iterations, factorizations;
    double position, velocity;  // largest residuals of (3) and (4) at the end
    double mu;                  // largest |mu| at the end
} ida_result;

const char *ida_setting_name(const ida_setting *s, char *buf, size_t size);
/** Integrate to p->end. q (nq): configuration there. limit: seconds of processor time after which to give up.
 * NULL, or what went wrong. */
const char *ida_run(const ida_problem *p, const ida_setting *s, double tol, double limit, double *q,
                    ida_result *out);
/** Largest relative deviation of the Jacobian from central differences, at a perturbed state with mu = 0.
 * Negative: failure. */
double ida_check_jacobian(const ida_problem *p, bool sparse);

double cpu_seconds(void);

#endif

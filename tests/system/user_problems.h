// Three small constrained systems with every derivative by hand, for the tests of systems made of callbacks.
#ifndef TEST_USER_PROBLEMS_H
#define TEST_USER_PROBLEMS_H

#include <math.h>
#include <trammel/system.h>

// What `user` points to. A test may let the call number `fail_at` (from 1) of any callback go wrong.
typedef struct problem_user {
    int calls, fail_at;
    tml_status fail_status;  // TML_OK: the first number of the result becomes fail_value instead
    double fail_value;
} problem_user;

// Called last in every callback.
static inline tml_status problem_end(void *user, double *result)
{
    problem_user *p = user;
    if (++p->calls != p->fail_at) return TML_OK;
    if (p->fail_status == TML_OK) *result = p->fail_value;
    return p->fail_status;
}

// ---- pendulum in Cartesian coordinates: Phi = q'q - l^2, weight and damping -------------------------------

#define PEND_MASS 1.37
#define PEND_LENGTH 0.83
#define PEND_G 9.81
#define PEND_DAMPING 0.29

static tml_status pend_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q;
    M[0] = M[3] = PEND_MASS;  // the rest is zero already
    return problem_end(user, M);
}
static tml_status pend_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)q;
    f[0] = -PEND_DAMPING * u[0];
    f[1] = -PEND_DAMPING * u[1] - PEND_MASS * PEND_G;
    return problem_end(user, f);
}
static tml_status pend_constraint(double t, const double *q, double *phi, void *user)
{
    (void)t;
    phi[0] = q[0] * q[0] + q[1] * q[1] - PEND_LENGTH * PEND_LENGTH;
    return problem_end(user, phi);
}
static tml_status pend_jacobian(double t, const double *q, double *B, void *user)
{
    (void)t;
    B[0] = 2 * q[0];
    B[1] = 2 * q[1];
    return problem_end(user, B);
}
static tml_status pend_force_by_q(double t, const double *q, const double *u, double *fq, void *user)
{
    (void)t, (void)q, (void)u;
    return problem_end(user, fq);
}
static tml_status pend_force_by_u(double t, const double *q, const double *u, double *fu, void *user)
{
    (void)t, (void)q, (void)u;
    fu[0] = fu[3] = -PEND_DAMPING;
    return problem_end(user, fu);
}
static tml_status pend_stiffness(double t, const double *q, const double *udot, const double *mu, double *K,
                                 void *user)
{
    (void)t, (void)q, (void)udot;
    K[0] = K[3] = 2 * mu[0];
    return problem_end(user, K);
}
static tml_status pend_gamma(double t, const double *q, const double *u, double *gamma, void *user)
{
    (void)t, (void)q;
    gamma[0] = -2 * (u[0] * u[0] + u[1] * u[1]);
    return problem_end(user, gamma);
}
static tml_status pend_energy(double t, const double *q, const double *u, double *kinetic, double *potential,
                              void *user)
{
    (void)t;
    *kinetic = PEND_MASS / 2 * (u[0] * u[0] + u[1] * u[1]);
    *potential = PEND_MASS * PEND_G * q[1];
    return problem_end(user, kinetic);
}

// ---- pendulum with a root spring and an algebraic angle ---------------------------------------------------
// q = (q1, q2, phi), Phi = (q1^2 + q2^2 - l^2, q1 cos phi + q2 sin phi),
// M = diag(m, m, 0), f = (0, 0, -k phi)

#define ROOT_MASS 0.91
#define ROOT_LENGTH 0.47
#define ROOT_SPRING 3.3

static tml_status root_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q;
    M[0] = M[4] = ROOT_MASS;
    return problem_end(user, M);
}
static tml_status root_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)u;
    f[2] = -ROOT_SPRING * q[2];
    return problem_end(user, f);
}
static tml_status root_constraint(double t, const double *q, double *phi, void *user)
{
    (void)t;
    phi[0] = q[0] * q[0] + q[1] * q[1] - ROOT_LENGTH * ROOT_LENGTH;
    phi[1] = q[0] * cos(q[2]) + q[1] * sin(q[2]);
    return problem_end(user, phi);
}
static tml_status root_jacobian(double t, const double *q, double *B, void *user)
{
    (void)t;
    const double c = cos(q[2]), s = sin(q[2]);
    B[0] = 2 * q[0];
    B[1] = 2 * q[1];
    B[3] = c;
    B[4] = s;
    B[5] = -q[0] * s + q[1] * c;
    return problem_end(user, B);
}
static tml_status root_force_by_q(double t, const double *q, const double *u, double *fq, void *user)
{
    (void)t, (void)q, (void)u;
    fq[8] = -ROOT_SPRING;
    return problem_end(user, fq);
}
static tml_status root_force_by_u(double t, const double *q, const double *u, double *fu, void *user)
{
    (void)t, (void)q, (void)u;
    return problem_end(user, fu);
}
static tml_status root_stiffness(double t, const double *q, const double *udot, const double *mu, double *K,
                                 void *user)
{
    (void)t, (void)udot;
    const double c = cos(q[2]), s = sin(q[2]);
    K[0] = K[4] = 2 * mu[0];
    K[2] = K[6] = -s * mu[1];
    K[5] = K[7] = c * mu[1];
    K[8] = -(q[0] * c + q[1] * s) * mu[1];
    return problem_end(user, K);
}
static tml_status root_gamma(double t, const double *q, const double *u, double *gamma, void *user)
{
    (void)t;
    const double c = cos(q[2]), s = sin(q[2]);
    gamma[0] = -2 * (u[0] * u[0] + u[1] * u[1]);
    gamma[1] = 2 * u[2] * (s * u[0] - c * u[1]) + (q[0] * c + q[1] * s) * u[2] * u[2];
    return problem_end(user, gamma);
}
static tml_status root_energy(double t, const double *q, const double *u, double *kinetic, double *potential,
                              void *user)
{
    (void)t;
    *kinetic = ROOT_MASS / 2 * (u[0] * u[0] + u[1] * u[1]);
    *potential = ROOT_SPRING / 2 * q[2] * q[2];
    return problem_end(user, kinetic);
}

// ---- constraints that move with time, a mass that depends on q, a force on all arguments ------------------
// Phi = (q1 cos wt + q2 sin wt - a, q1 q3^2 - b t^2 q2)

#define MOVE_W 1.9
#define MOVE_A 0.61
#define MOVE_B 0.43
#define MOVE_K 2.3
#define MOVE_C 0.37

static tml_status move_mass(double t, const double *q, double *M, void *user)
{
    (void)t;
    M[0] = 1.3 + q[1] * q[1];
    M[1] = M[3] = 0.4 * q[0] * q[2];
    M[4] = 2.1 + q[2] * q[2];
    M[8] = 0.7 + q[0] * q[0];
    return problem_end(user, M);
}
static tml_status move_force(double t, const double *q, const double *u, double *f, void *user)
{
    f[0] = -MOVE_K * q[0] * q[1] - MOVE_C * u[0] * u[2];
    f[1] = sin(q[2]) - MOVE_C * u[1];
    f[2] = t * q[0] - MOVE_C * u[2] * u[2] * u[2];
    return problem_end(user, f);
}
static tml_status move_constraint(double t, const double *q, double *phi, void *user)
{
    phi[0] = q[0] * cos(MOVE_W * t) + q[1] * sin(MOVE_W * t) - MOVE_A;
    phi[1] = q[0] * q[2] * q[2] - MOVE_B * t * t * q[1];
    return problem_end(user, phi);
}
static tml_status move_jacobian(double t, const double *q, double *B, void *user)
{
    B[0] = cos(MOVE_W * t);
    B[1] = sin(MOVE_W * t);
    B[3] = q[2] * q[2];
    B[4] = -MOVE_B * t * t;
    B[5] = 2 * q[0] * q[2];
    return problem_end(user, B);
}
static tml_status move_force_by_q(double t, const double *q, const double *u, double *fq, void *user)
{
    (void)u;
    fq[0] = -MOVE_K * q[1];
    fq[1] = -MOVE_K * q[0];
    fq[5] = cos(q[2]);
    fq[6] = t;
    return problem_end(user, fq);
}
static tml_status move_force_by_u(double t, const double *q, const double *u, double *fu, void *user)
{
    (void)t, (void)q;
    fu[0] = -MOVE_C * u[2];
    fu[2] = -MOVE_C * u[0];
    fu[4] = -MOVE_C;
    fu[8] = -3 * MOVE_C * u[2] * u[2];
    return problem_end(user, fu);
}
static tml_status move_stiffness(double t, const double *q, const double *udot, const double *mu, double *K,
                                 void *user)
{
    (void)t;
    K[0] = 0.4 * q[2] * udot[1];
    K[1] = 2 * q[1] * udot[0];
    K[2] = 0.4 * q[0] * udot[1] + 2 * q[2] * mu[1];
    K[3] = 0.4 * q[2] * udot[0];
    K[5] = 0.4 * q[0] * udot[0] + 2 * q[2] * udot[1];
    K[6] = 2 * q[0] * udot[2] + 2 * q[2] * mu[1];
    K[8] = 2 * q[0] * mu[1];
    return problem_end(user, K);
}
static tml_status move_gamma(double t, const double *q, const double *u, double *gamma, void *user)
{
    const double w = MOVE_W, c = cos(w * t), s = sin(w * t);
    gamma[0] = -2 * w * (-s * u[0] + c * u[1]) + w * w * (q[0] * c + q[1] * s);
    gamma[1] = -(4 * q[2] * u[0] * u[2] + 2 * q[0] * u[2] * u[2] - 4 * MOVE_B * t * u[1] - 2 * MOVE_B * q[1]);
    return problem_end(user, gamma);
}

// ---- the table --------------------------------------------------------------------------------------------

enum { PROBLEM_PENDULUM, PROBLEM_ROOT, PROBLEM_MOVE, PROBLEM_COUNT };
enum { GIVE_NOTHING, GIVE_JACOBIAN, GIVE_GAMMA, GIVE_ALL };

/** The definition of a problem with some of its optional derivatives. */
static inline tml_user_system_def problem_def(int problem, int give, problem_user *user)
{
    const tml_user_system_def rest = tml_user_system_def_default();
    tml_user_system_def d[PROBLEM_COUNT] = {rest, rest, rest};
    d[0].n = 2, d[0].m = 1, d[0].length = PEND_LENGTH;
    d[0].mass = pend_mass, d[0].force = pend_force, d[0].constraint = pend_constraint;
    d[0].constraint_jacobian = pend_jacobian, d[0].force_by_q = pend_force_by_q,
    d[0].force_by_u = pend_force_by_u;
    d[0].stiffness = pend_stiffness, d[0].gamma = pend_gamma, d[0].energy = pend_energy;
    d[1].n = 3, d[1].m = 2, d[1].length = ROOT_LENGTH;
    d[1].mass = root_mass, d[1].force = root_force, d[1].constraint = root_constraint;
    d[1].constraint_jacobian = root_jacobian, d[1].force_by_q = root_force_by_q,
    d[1].force_by_u = root_force_by_u;
    d[1].stiffness = root_stiffness, d[1].gamma = root_gamma, d[1].energy = root_energy;
    d[2].n = 3, d[2].m = 2;
    d[2].mass = move_mass, d[2].force = move_force, d[2].constraint = move_constraint;
    d[2].constraint_jacobian = move_jacobian, d[2].force_by_q = move_force_by_q,
    d[2].force_by_u = move_force_by_u;
    d[2].stiffness = move_stiffness, d[2].gamma = move_gamma;
    tml_user_system_def *def = &d[problem];
    if (give != GIVE_ALL) {
        def->force_by_q = def->force_by_u = NULL;
        def->stiffness = NULL;
        def->energy = NULL;
        if (give != GIVE_JACOBIAN) def->constraint_jacobian = NULL;
        if (give != GIVE_GAMMA) def->gamma = NULL;
    }
    def->user = user;
    return *def;
}

#endif

// Systems with rows at velocity level: a skate on an inclined plane, whose motion is known, and a thin disc
// that rolls on a plane, with a row at position level and two at velocity level.
#ifndef TEST_INTEGRATE_VELOCITY_PROBLEMS_H
#define TEST_INTEGRATE_VELOCITY_PROBLEMS_H

#include <math.h>
#include <trammel/system.h>

// ---- skate ------------------------------------------------------------------------------------------------
//
// q = (x, y, phi), the blade along (cos phi, sin phi), gravity g along x:  -sin phi x' + cos phi y' = 0.
// phi = phi0 + w t, speed v = a + b sin phi with b = g/w, a = v0 - b sin phi0.

enum { SKATE_N = 3 };
static const double SKATE_MASS = 1.7, SKATE_INERTIA = 0.3, SKATE_G = 2.9, SKATE_TURN = 1.3, SKATE_V0 = 0.8,
                    SKATE_PHI0 = 0.4;

static inline tml_status skate_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[4] = SKATE_MASS;
    M[8] = SKATE_INERTIA;
    return TML_OK;
}
static inline tml_status skate_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)q, (void)u, (void)user;
    f[0] = SKATE_MASS * SKATE_G;
    return TML_OK;
}
static inline tml_status skate_rows(double t, const double *q, double *B, void *user)
{
    (void)t, (void)user;
    B[0] = -sin(q[2]);
    B[1] = cos(q[2]);
    return TML_OK;
}

static inline tml_status skate_gamma(double t, const double *q, const double *u, double *gamma, void *user)
{
    (void)t, (void)user;
    gamma[0] = u[2] * (cos(q[2]) * u[0] + sin(q[2]) * u[1]);
    return TML_OK;
}

static inline tml_user_system_def skate_def(void)
{
    tml_user_system_def def = tml_user_system_def_default();
    def.n = SKATE_N;
    def.m = def.velocity_rows = 1;
    def.mass = skate_mass;
    def.force = skate_force;
    def.velocity_jacobian = skate_rows;
    def.gamma = skate_gamma;  // by differences its errors are 4e-11, above those of the fine steps of erk8
    return def;
}

/** q (3), u (3) and the multiplier at t. */
static inline void skate_exact(double t, double *q, double *u, double *lambda)
{
    const double w = SKATE_TURN, p0 = SKATE_PHI0, p = p0 + w * t, b = SKATE_G / w, a = SKATE_V0 - b * sin(p0);
    const double v = a + b * sin(p);
    q[0] = (a * (sin(p) - sin(p0)) + b / 2 * (sin(p) * sin(p) - sin(p0) * sin(p0))) / w;
    q[1] = (a * (cos(p0) - cos(p)) + b / 2 * (p - p0) - b / 4 * (sin(2 * p) - sin(2 * p0))) / w;
    q[2] = p;
    u[0] = v * cos(p);
    u[1] = v * sin(p);
    u[2] = w;
    *lambda = -SKATE_MASS * (v * w + SKATE_G * sin(p));  // lateral acceleration v w, gravity -g sin phi
}

// ---- rolling disc -----------------------------------------------------------------------------------------
//
// q = (x, y, z, psi, beta, phi): centre, heading, lean, spin. With e1 = (cos psi, sin psi, 0) and w3 = phi' +
// psi' sin beta, R the radius, A and C the inertia about a diameter and the axis,
//   T = m/2 |r'|^2 + A/2 (beta'^2 + psi'^2 cos^2 beta) + C/2 w3^2
//   z = R cos beta                                              position level
//   x' = R w3 cos psi + R beta' cos beta sin psi                velocity level
//   y' = R w3 sin psi - R beta' cos beta cos psi

enum { DISC_N = 6 };
static const double DISC_MASS = 0.9, DISC_R = 0.4, DISC_A = 0.036, DISC_C = 0.072, DISC_G = 9.81;

static inline tml_status disc_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)user;
    const double s = sin(q[4]), c = cos(q[4]);
    M[0] = M[7] = M[14] = DISC_MASS;
    M[21] = DISC_A * c * c + DISC_C * s * s;
    M[23] = M[33] = DISC_C * s;
    M[28] = DISC_A;
    M[35] = DISC_C;
    return TML_OK;
}
static inline tml_status disc_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)user;
    const double s = sin(q[4]), c = cos(q[4]), w3 = u[5] + u[3] * s;
    f[2] = -DISC_MASS * DISC_G;
    f[3] = -2 * s * c * (DISC_C - DISC_A) * u[4] * u[3] - DISC_C * c * u[4] * u[5];
    f[4] = -DISC_A * u[3] * u[3] * c * s + DISC_C * w3 * u[3] * c;
    f[5] = -DISC_C * c * u[4] * u[3];
    return TML_OK;
}
static inline tml_status disc_constraint(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = q[2] - DISC_R * cos(q[4]);
    return TML_OK;
}
static inline tml_status disc_jacobian(double t, const double *q, double *B, void *user)
{
    (void)t, (void)user;
    B[2] = 1;
    B[4] = DISC_R * sin(q[4]);
    return TML_OK;
}
// user: NULL, or not NULL for a third row, the derivative of the one at position level
static inline tml_status disc_rows(double t, const double *q, double *B, void *user)
{
    const double sp = sin(q[3]), cp = cos(q[3]), sb = sin(q[4]), cb = cos(q[4]);
    B[0] = 1;
    B[3] = -DISC_R * sb * cp;
    B[4] = -DISC_R * cb * sp;
    B[5] = -DISC_R * cp;
    B[7] = 1;
    B[9] = -DISC_R * sb * sp;
    B[10] = DISC_R * cb * cp;
    B[11] = -DISC_R * sp;
    return user ? disc_jacobian(t, q, B + 12, user) : TML_OK;
}

static inline tml_user_system_def disc_def(bool redundant)
{
    static int more;
    tml_user_system_def def = tml_user_system_def_default();
    def.n = DISC_N;
    def.m = redundant ? 4 : 3;
    def.velocity_rows = redundant ? 3 : 2;
    def.length = DISC_R;
    def.mass = disc_mass;
    def.force = disc_force;
    def.constraint = disc_constraint;
    def.constraint_jacobian = disc_jacobian;
    def.velocity_jacobian = disc_rows;
    def.user = redundant ? &more : NULL;
    return def;
}

/** A start that rolls and leans. */
static inline void disc_start(double *q, double *u)
{
    const double start[DISC_N] = {0.1, -0.2, 0, 0.3, 0.25, 0.7};
    for (int i = 0; i < DISC_N; i++) q[i] = start[i];
    q[2] = DISC_R * cos(q[4]);
    u[3] = 0.9;
    u[4] = -0.3;
    u[5] = 6;
    const double w3 = u[5] + u[3] * sin(q[4]), lean = DISC_R * u[4];
    u[0] = DISC_R * w3 * cos(q[3]) + lean * cos(q[4]) * sin(q[3]);
    u[1] = DISC_R * w3 * sin(q[3]) - lean * cos(q[4]) * cos(q[3]);
    u[2] = -lean * sin(q[4]);
}

static inline double disc_energy(const tml_state *x)
{
    const double *u = x->u, s = sin(x->q[4]), c = cos(x->q[4]), w3 = u[5] + u[3] * s;
    return DISC_MASS / 2 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) +
           DISC_A / 2 * (u[4] * u[4] + u[3] * u[3] * c * c) + DISC_C / 2 * w3 * w3 +
           DISC_MASS * DISC_G * x->q[2];
}

#endif

// A user-defined system: M, f and Phi as callbacks, here for a pendulum in Cartesian coordinates.
//
//   m xddot + 2 x lambda = 0,   m yddot + 2 y lambda = -m g,   x^2 + y^2 - l^2 = 0
//
// The library replaces missing derivatives (here all of them) by difference quotients. The bob starts at rest
// with the rod horizontal and reaches its lowest point after a quarter of the period, K(1/2) sqrt(l/g), with
// the complete elliptic integral K(1/2) = 1.854074677301372. Expected there, within the tolerance: x = 0, y =
// -l, the speed sqrt(2 g l) (energy) and the rod force 3 m g = 2 l lambda. Exit status 0 if this holds.
#include <math.h>
#include <stdio.h>
#include <trammel/sim.h>

typedef struct pendulum {
    double m, l, g;  // [kg], [m], [m/s^2]
} pendulum;

static tml_status mass(double t, const double *q, double *M, void *user)
{
    const pendulum *p = (const pendulum *)user;
    (void)t, (void)q;
    M[0] = M[3] = p->m;  // (2 x 2), zero on entry
    return TML_OK;
}

static tml_status force(double t, const double *q, const double *u, double *f, void *user)
{
    const pendulum *p = (const pendulum *)user;
    (void)t, (void)q, (void)u;
    f[1] = -p->m * p->g;
    return TML_OK;
}

static tml_status constraint(double t, const double *q, double *phi, void *user)
{
    const pendulum *p = (const pendulum *)user;
    (void)t;
    phi[0] = q[0] * q[0] + q[1] * q[1] - p->l * p->l;
    return TML_OK;
}

typedef struct last {
    double q[2], u[2], lambda;
} last;

// Hook for outputs. x is consistent: its velocities satisfy the constraints, its multipliers the equations of
// motion.
static tml_status keep_state(const tml_sim *sim, const tml_state *x, void *user)
{
    const last end = {{x->q[0], x->q[1]}, {x->u[0], x->u[1]}, x->lambda[0]};
    (void)sim;
    *(last *)user = end;
    return TML_OK;
}

static int check(const pendulum *p, const last *end, double tol)
{
    const double speed = sqrt(2 * p->g * p->l), lambda = 3 * p->m * p->g / (2 * p->l);
    printf("position (%+.6f, %.6f) m, speed %.6f m/s (%.6f), multiplier %.5f N/m (%.5f)\n", end->q[0],
           end->q[1], fabs(end->u[0]), speed, end->lambda, lambda);
    return fabs(end->q[0]) <= tol * p->l &&
           fabs(end->q[1] + p->l) <= 1e-9 &&  // the constraint holds to round-off
           fabs(fabs(end->u[0]) - speed) <= tol * speed && fabs(end->lambda - lambda) <= 10 * tol * lambda;
}

int main(void)
{
    pendulum p = {1.3, 0.7, 9.81};
    tml_error err;
    tml_system *sys = NULL;
    tml_state *x0 = NULL;
    tml_sim *sim = NULL;
    last end = {{0, 0}, {0, 0}, 0};

    tml_user_system_def def = tml_user_system_def_default();
    def.n = 2;
    def.m = 1;
    def.length = p.l;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    def.user = &p;

    tml_run_def run = tml_run_def_default();
    run.end = 1.854074677301372 * sqrt(p.l / p.g);
    run.tol = 1e-6;

    tml_status st = tml_system_create_user(&def, NULL, &sys, &err);
    if (st == TML_OK) st = tml_state_create(sys, &x0, &err);  // all zero
    if (st == TML_OK) x0->q[0] = -p.l;
    if (st == TML_OK) st = tml_sim_create_system(sys, x0, &run, &sim, &err);
    const tml_sim_hooks hooks = {.on_output = keep_state, .user = &end};
    if (st == TML_OK) tml_sim_set_hooks(sim, &hooks);
    if (st == TML_OK) st = tml_sim_run(sim, NAN, &err);
    const int good = st == TML_OK && check(&p, &end, run.tol);
    if (st != TML_OK) fprintf(stderr, "t = %g s: %s\n", err.t, err.msg);
    else if (!good) fprintf(stderr, "the pendulum is not where it should be\n");

    tml_sim_destroy(sim);
    if (x0) tml_state_destroy(x0, sys);
    tml_system_destroy(sys);
    return good ? 0 : 1;
}

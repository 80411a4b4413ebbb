// A simulation of a system of callbacks with first-order states: every method, and the automatic choice.
#include "sim_fixture.h"

// A pendulum of length 0.83 in Cartesian coordinates under a torque-like force z, z' = (cos(3 t) - z)/tau.
typedef struct lagged {
    double tau;
} lagged;

static tml_status mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[3] = 1.37;
    return TML_OK;
}
static tml_status force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)user;
    f[0] = -q[1] * u[2];
    f[1] = q[0] * u[2] - 1.37 * 9.81;
    return TML_OK;
}
static tml_status constraint(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = q[0] * q[0] + q[1] * q[1] - 0.83 * 0.83;
    return TML_OK;
}
static tml_status rate(double t, const double *q, const double *u, double *zdot, void *user)
{
    (void)q;
    zdot[0] = (cos(3 * t) - u[2]) / ((const lagged *)user)->tau;
    return TML_OK;
}

typedef struct last {
    double t, q[2], u[2], z, worst;
} last;

static tml_status keep(const tml_sim *sim, const tml_state *x, void *user)
{
    (void)sim;
    last *l = user;
    l->t = x->t;
    memcpy(l->q, x->q, sizeof l->q);
    memcpy(l->u, x->u, sizeof l->u);
    l->z = x->z[0];
    l->worst = fmax(l->worst, fabs(x->q[0] * x->q[0] + x->q[1] * x->q[1] - 0.83 * 0.83));
    return TML_OK;
}

// z is known: it does not depend on the motion.
static double exact(double tau, double t)
{
    const double a = 1 / (1 + 9 * tau * tau), c = a * (cos(3 * t) + 3 * tau * sin(3 * t));
    return c + (0.2 - a) * exp(-t / tau);
}

// interrupted: saved half-way, loaded and continued.
static last simulate(double tau, const char *method, double tol, bool interrupted)
{
    lagged user = {tau};
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 2;
    def.m = 1;
    def.nz = 1;
    def.length = 0.83;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    def.rate = rate;
    def.user = &user;
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tml_sim *sim = NULL;
    tml_run_def run = tml_run_def_default();
    last end = {0};
    tml_error err = {0};
    run.end = 2;
    run.tol = tol;
    run.output_step = 0.1;
    run.method = method;
    OK(tml_system_create_user(&def, NULL, &sys, &err));
    OK(tml_state_create(sys, &x, &err));
    x->q[0] = 0.83;
    x->z[0] = 0.2;
    tml_sim_def what = tml_sim_def_default();
    what.system = sys;
    what.x0 = x;
    what.run = &run;
    OK(tml_sim_create_def(&what, &sim, &err));
    OK(tml_sim_run(sim, 1, &err));
    if (interrupted) {
        size_t size = 0;
        OK(tml_sim_save_memory(sim, NULL, 0, &size, &err));
        void *data = malloc(size);
        assert_non_null(data);
        OK(tml_sim_save_memory(sim, data, size, &size, &err));
        tml_sim_destroy(sim);
        OK(tml_sim_load_memory(&what, data, size, &sim, &err));
        free(data);
    }
    tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = keep, .user = &end});
    OK(tml_sim_run(sim, NAN, &err));
    tml_sim_destroy(sim);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
    return end;
}

static void test_methods(void **state)
{
    (void)state;
    const double tol = 1e-5;
    const last fine = simulate(0.07, "radau5", 1e-10, false);
    for (int i = -1; i < 0 || tml_methods[i]; i++) {
        const char *name = i < 0 ? "auto" : tml_methods[i]->name;
        const last end = simulate(0.07, name, tol, false), again = simulate(0.07, name, tol, true);
        printf("%-12s z %8.1e, q %8.1e, u %8.1e\n", name, end.z - exact(0.07, end.t), end.q[0] - fine.q[0],
               end.u[0] - fine.u[0]);
        if (memcmp(&end, &again, sizeof end) != 0) fail_msg("%s goes on in another way", name);
        CHECK_CLOSE(end.t, 2, 1e-12);
        CHECK_CLOSE(end.z, exact(0.07, end.t), 2 * tol);
        CHECK_CLOSE(end.q[0], fine.q[0], 10 * tol);
        CHECK_CLOSE(end.u[0], fine.u[0], 50 * tol);  // speeds of 5
        CHECK_SMALL(end.worst, 3e-13);  // residuals of 1e-13 in units of the row, 1.4, count as zero
    }
}

// A stiff state changes what `auto` chooses.
static void test_stiff(void **state)
{
    (void)state;
    const last end = simulate(1e-6, "auto", 1e-5, false);
    CHECK_CLOSE(end.z, exact(1e-6, end.t), 2e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods), cmocka_unit_test(test_stiff)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

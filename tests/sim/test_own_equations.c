// Own equations by callbacks at tight tolerances: their round-off and the noise of difference quotients must
// not make the steps shorter and shorter.
#include "sim_fixture.h"

#include <trammel/integrator.h>

// Two point masses on two rods of the lengths 1 m and 0.8 m, one below the other; the rods are constraints.
enum { N = 4, M = 2 };

static tml_status mass(double t, const double *q, double *m, void *user)
{
    (void)t, (void)q, (void)user;
    m[0] = m[5] = 1.1;
    m[10] = m[15] = 0.7;
    return TML_OK;
}

static tml_status force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)q, (void)u, (void)user;
    f[1] = -1.1 * 9.81;
    f[3] = -0.7 * 9.81;
    return TML_OK;
}

static tml_status constraint(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    const double x = q[2] - q[0], y = q[3] - q[1];
    phi[0] = q[0] * q[0] + q[1] * q[1] - 1;
    phi[1] = x * x + y * y - 0.64;
    return TML_OK;
}

static tml_status jacobian(double t, const double *q, double *B, void *user)
{
    (void)t, (void)user;
    B[0] = 2 * q[0];
    B[1] = 2 * q[1];
    B[4] = -2 * (q[2] - q[0]);
    B[5] = -2 * (q[3] - q[1]);
    B[6] = -B[4];
    B[7] = -B[5];
    return TML_OK;
}

static tml_status increment(double t0, const double *q, double t1, const double *d, double *dphi, void *user)
{
    (void)t0, (void)t1, (void)user;
    const double x = q[2] - q[0], y = q[3] - q[1], dx = d[2] - d[0], dy = d[3] - d[1];
    dphi[0] = (2 * q[0] + d[0]) * d[0] + (2 * q[1] + d[1]) * d[1];
    dphi[1] = (2 * x + dx) * dx + (2 * y + dy) * dy;
    return TML_OK;
}

typedef enum given { PHI_ALONE, WITH_ROWS, WITH_INCREMENT } given;

typedef struct problem {
    tml_user_system_def def;
    double x[2 * N];  // q, then u at the start
} problem;

static problem rods(given what)
{
    problem p = {.x = {0.8, -0.6, 0.8 + 0.48, -0.6 + 0.64}, .def = tml_user_system_def_default()};
    p.def.n = N;
    p.def.m = M;
    p.def.mass = mass;
    p.def.force = force;
    p.def.constraint = constraint;
    if (what == WITH_ROWS) p.def.constraint_jacobian = jacobian;
    if (what == WITH_INCREMENT) p.def.constraint_increment = increment;
    return p;
}

// Steps of a run of one second; q (2): last two coordinates at its end.
static long count_steps(problem p, const char *method, double tol, double q[2])
{
    const size_t n = (size_t)p.def.n;
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tml_sim *sim = NULL;
    tml_error err = {0};
    tml_run_def run = tml_run_def_default();
    run.end = 1;
    run.tol = tol;
    run.output_step = 1;
    run.method = method;
    OK(tml_system_create_user(&p.def, NULL, &sys, &err));
    OK(tml_state_create(sys, &x, &err));
    memcpy(x->q, p.x, n * sizeof(double));
    memcpy(x->u, p.x + n, n * sizeof(double));
    OK(tml_sim_create_system(sys, x, &run, &sim, &err));
    OK(tml_sim_run(sim, NAN, &err));
    tml_sim_report r;
    tml_sim_get_report(sim, &r);
    memcpy(q, tml_sim_state(sim)->q + n - 2, 2 * sizeof(double));
    tml_sim_destroy(sim);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
    return r.count.steps;
}

static double apart(const double a[2], const double b[2]) { return hypot(a[0] - b[0], a[1] - b[1]); }

// However much is given, the steps are about the same, and so is the motion.
static void steps_do_not_depend_on_what_is_given(void **state)
{
    (void)state;
    static const char *const methods[] = {"bdf", "ggl", "radau5", "infl-sdirk", "for-sdirk", "erk8", "adams"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (double tol = 1e-6; tol > 0.9e-9; tol *= 0.1) {
            double q[3][2];
            long steps[3];
            // gamma has an error of 2e-10 from Phi alone, and infl-sdirk solves its stages to 1 % of tol
            const bool coarse = tol < 0.9e-8 && strcmp(methods[i], "infl-sdirk") == 0;
            for (int k = coarse; k < 3; k++) steps[k] = count_steps(rods((given)k), methods[i], tol, q[k]);
            for (int k = coarse; k < 3; k++) {
                if (2 * steps[k] > 3 * steps[2])
                    fail_msg("%s at %g: %ld steps by way %d, %ld with increments", methods[i], tol, steps[k],
                             k, steps[2]);
                assert_true(apart(q[k], q[2]) < 2 * tol);
            }
        }
}

// A mass on a rod turns ten times a second, and only the distance is given.
static tml_status distance(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = hypot(q[0] - 3, q[1]) - 1;
    return TML_OK;
}

static tml_status mass_of_rotor(double t, const double *q, double *m, void *user)
{
    (void)t, (void)q, (void)user;
    m[0] = m[3] = 1.1;
    return TML_OK;
}

static tml_status force_of_rotor(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)q, (void)u, (void)user;
    f[1] = -1.1 * 9.81;
    return TML_OK;
}

// A tenth of the tolerance takes 10^(1/4) times the steps at most; with the noise counted as error, adams
// took 59 thousand and bdf more than half a million.
static void noise_is_no_error(void **state)
{
    (void)state;
    static const char *const methods[] = {"bdf", "ggl", "for-sdirk", "adams"};
    problem rotor = {.x = {3.8, -0.6, 36, 48}, .def = tml_user_system_def_default()};
    rotor.def.n = 2;
    rotor.def.m = 1;
    rotor.def.mass = mass_of_rotor;
    rotor.def.force = force_of_rotor;
    rotor.def.constraint = distance;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        double q[2];
        const long before = count_steps(rotor, methods[i], 1e-7, q),
                   steps = count_steps(rotor, methods[i], 1e-9, q);
        if (steps > 4 * before) fail_msg("%s: %ld steps at 1e-7, %ld at 1e-9", methods[i], before, steps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_do_not_depend_on_what_is_given),
        cmocka_unit_test(noise_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

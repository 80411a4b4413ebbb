// The error estimate of the Radau methods from within: against the embedded method's on a linear system,
// where it can be written down, and against velocities that are off the constraints, which must not enter it.
#include "integrate/fixture.h"
#include "integrate/radau/stages.h"

// ---- a linear system --------------------------------------------------------------------------------------

enum { N = 2 };
static const double MASS[N][N] = {{2, 0.3}, {0.3, 1.5}}, DAMPING[N][N] = {{3, -0.7}, {1.1, 2}},
                    STIFFNESS[N][N] = {{90, -25}, {10, 40}};

static tml_status mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    memcpy(M, MASS, sizeof MASS);
    return TML_OK;
}

static tml_status force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)user;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) f[i] -= STIFFNESS[i][j] * q[j] + DAMPING[i][j] * u[j];
    return TML_OK;
}

// y (2 N) := solution of ed - k eu = b_d, (M + k D) eu + k K ed = M b_u: (1 - k J)^-1 b for the first-order
// system.
static void filter(double complex k, double complex *y)
{
    double complex A[2 * N][2 * N] = {{0}}, b[2 * N] = {0};
    for (int i = 0; i < N; i++) {
        A[i][i] = 1;
        A[i][N + i] = -k;
        b[i] = y[i];
        for (int j = 0; j < N; j++) {
            A[N + i][j] = k * STIFFNESS[i][j];
            A[N + i][N + j] = MASS[i][j] + k * DAMPING[i][j];
            b[N + i] += MASS[i][j] * y[N + j];
        }
    }
    for (int p = 0; p < 2 * N; p++)  // no pivoting: the diagonal is large
        for (int i = p + 1; i < 2 * N; i++) {
            const double complex l = A[i][p] / A[p][p];
            for (int j = p; j < 2 * N; j++) A[i][j] -= l * A[p][j];
            b[i] -= l * b[p];
        }
    for (int i = 2 * N - 1; i >= 0; i--) {
        y[i] = b[i];
        for (int j = i + 1; j < 2 * N; j++) y[i] -= A[i][j] * y[j];
        y[i] /= A[i][i];
    }
}

// g0 (h y0' + sum_i e_i (y_i - y0)), filtered once by a real eigenvalue, by both of a pair.
static void linear_system(void **state)
{
    (void)state;
    tml_user_system_def def = tml_user_system_def_default();
    def.n = N;
    def.mass = mass;
    def.force = force;
    const double h = 0.07, q[N] = {0.3, -0.5}, u[N] = {-1, 2};
    for (int stages = 2; stages <= 3; stages++)
        for (int fields = 1; fields <= 2; fields++) {
            tml_system *sys = NULL;
            plan p = plan_default();
            ride r;
            OK(tml_system_create_user(&def, NULL, &sys, err));
            ride_user(&r, sys, q, u, &p);
            tml_integrator_options opt = tml_integrator_options_default();
            opt.solver = &tml_linsolver_dense;
            tml_counters count = {0};
            tmli_stages s;
            OK(tmli_stages_create(sys, &opt, stages, fields, &count, &s, err));
            OK(tmli_stages_solve(&s, r.x0, h, 1, 1e-13, err));
            double ed[N], eu[N];
            OK(tmli_stages_estimate(&s, r.x0, h, ed, eu, err));

            const tmli_radau_table *t = tmli_radau_find(stages);
            double complex y[2 * N];
            for (int j = 0; j < N; j++) {
                y[j] = h * u[j];
                y[N + j] = h * r.x0->udot[j];
                for (int i = 0; i < stages; i++) {
                    y[j] += t->estimate[i] * (t->c[i] * h * u[j] + s.Z[i][j]);
                    y[N + j] += t->estimate[i] * s.V[i][j];
                }
            }
            const double complex mu = t->eigen[0].mu;
            filter(h / mu, y);
            if (t->eigen[0].pair) filter(h / conj(mu), y);
            for (int j = 0; j < N; j++) {
                CHECK_SMALL(cimag(y[j]), 1e-14);
                CHECK_CLOSE(ed[j], t->g0 * creal(y[j]), 1e-11);
                CHECK_CLOSE(eu[j], t->g0 * creal(y[N + j]), 1e-10);
                assert_true(fabs(ed[j]) > 1e-6 && fabs(eu[j]) > 1e-5);
            }
            if (stages == 3) {  // once more
                tmli_stages_filter_again(&s, r.x0, ed, eu);
                filter(h / mu, y);
                for (int j = 0; j < N; j++) {
                    CHECK_CLOSE(ed[j], t->g0 * creal(y[j]), 1e-11);
                    CHECK_CLOSE(eu[j], t->g0 * creal(y[N + j]), 1e-10);
                }
            }
            tmli_stages_clear(&s);
            ride_end(&r);
        }
}

// ---- velocities off the constraints -----------------------------------------------------------------------

// The estimate of a step of h for the pendulum on its way, its velocity along the rod wrong by `off` [m/s].
static void estimate_with(int stages, double h, double off, double ed[2], double eu[2])
{
    plan p = plan_default();
    p.method = "radau5";
    p.tol = 1e-9;
    ride r;
    ride_model(&r, model_read("pendulum", NULL, 0), &p);
    ride_to(&r, 0.6);
    tml_state_copy(r.x0, ride_state(&r));
    OK(tmli_consistent_project(&r.consistent, r.x0, err));
    for (int j = 0; j < 2; j++) r.x0->u[j] += off * r.x0->q[j];
    tml_integrator_options opt = tml_integrator_options_default();
    opt.solver = &tml_linsolver_dense;
    tml_counters count = {0};
    tmli_stages s;
    OK(tmli_stages_create(r.sys, &opt, stages, 1, &count, &s, err));
    for (int i = 0; i < stages; i++) s.stage[i]->lambda[0] = r.x0->lambda[0];
    OK(tmli_stages_solve(&s, r.x0, h, 1, 1e-14, err));
    OK(tmli_stages_estimate(&s, r.x0, h, ed, eu, err));
    tmli_stages_clear(&s);
    ride_end(&r);
}

// What they add to the estimate falls with h^4 in positions and h^3 in velocities. Left in, or with the wrong
// sign, the reactions (3) that bring them back would add terms of h^2 and h.
static void velocities_off_the_constraints(void **state)
{
    (void)state;
    const double off = 1e-4;
    for (int stages = 2; stages <= 3; stages++) {
        double last[2] = {0};
        for (double h = 0.04; h > 0.004; h /= 2) {
            double ed[2][2], eu[2][2], d[2] = {0};
            for (int i = 0; i < 2; i++) estimate_with(stages, h, i ? off : 0, ed[i], eu[i]);
            for (int j = 0; j < 2; j++) {
                d[0] = fmax(d[0], fabs(ed[1][j] - ed[0][j]) / off);
                d[1] = fmax(d[1], fabs(eu[1][j] - eu[0][j]) / off);
            }
            printf("%d stages, h = %.3f s: positions %.3e s, velocities %.3e\n", stages, h, d[0], d[1]);
            if (last[0] > 0) assert_true(log2(last[0] / d[0]) > 3.7 && log2(last[1] / d[1]) > 2.7);
            memcpy(last, d, sizeof last);
        }
        assert_true(last[0] > 0);
    }
}

// ---- vibrations that steps damp ---------------------------------------------------------------------------

static const double SPRINGS[N][N] = {{90, -25}, {-25, 4000}};

static tml_status spring_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)u, (void)user;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) f[i] -= SPRINGS[i][j] * q[j];
    return TML_OK;
}

static double energy(const double *q, const double *u)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += (u[i] * MASS[i][j] * u[j] + q[i] * SPRINGS[i][j] * q[j]) / 2;
    return sum;
}

// out := (M + k^2 K)^-1 M v.
static void filter_springs(double k, const double *v, double *out)
{
    double A[N][N], b[N] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            A[i][j] = MASS[i][j] + k * k * SPRINGS[i][j];
            b[i] += MASS[i][j] * v[j];
        }
    const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    out[0] = (b[0] * A[1][1] - b[1] * A[0][1]) / det;
    out[1] = (b[1] * A[0][0] - b[0] * A[1][0]) / det;
}

// What the method says that a step takes out is what it takes out, of vibrations that it resolves and of
// others (frequencies 6.7 and 52 rad/s); and velocities on a time scale are filtered twice by the matrix for
// it, or for one up to twice as short.
static void energy_and_time_scale(void **state)
{
    (void)state;
    tml_user_system_def def = tml_user_system_def_default();
    def.n = N;
    def.mass = mass;
    def.force = spring_force;
    const double q[N] = {0.3, -0.05}, u[N] = {-1, 2};
    for (int stages = 2; stages <= 3; stages++)
        for (double h = 0.01; h < 0.2; h *= 4) {
            tml_system *sys = NULL;
            plan p = plan_default();
            ride r;
            OK(tml_system_create_user(&def, NULL, &sys, err));
            ride_user(&r, sys, q, u, &p);
            tml_integrator_options opt = tml_integrator_options_default();
            opt.solver = &tml_linsolver_dense;
            tml_counters count = {0};
            tmli_stages s;
            OK(tmli_stages_create(sys, &opt, stages, 1, &count, &s, err));
            OK(tmli_stages_solve(&s, r.x0, h, 1, 1e-14, err));
            const tml_state *end = s.stage[stages - 1];
            double a[N], Ma[N];
            const double lost = energy(q, u) - energy(end->q, end->u), said = tmli_stages_loss(&s, h, a, Ma);
            printf("%d stages, h = %.2f s: lost %.6e J, said %.6e J\n", stages, h, lost, said);
            CHECK_CLOSE(said / lost, 1, 1e-6);  // round-off over the smallest loss, 1e-10 of the energy
            double out[N], once[N], twice[N];
            assert_true(tmli_stages_slow_velocity(&s, 0.08, u, out));
            const double k = s.slow.h;
            assert_true(k <= 0.08 && k >= 0.04);
            filter_springs(k, u, once);
            filter_springs(k, once, twice);
            for (int j = 0; j < N; j++) CHECK_CLOSE(out[j], twice[j], 1e-13);
            tmli_stages_clear(&s);
            ride_end(&r);
        }
}

// The crank sets the vibrations of a connector in motion that is 5 mm long, of some MHz. Followed, they would
// take 10,000 steps of 0.2 us here.
static void damped_vibrations_do_not_hold_up(void **state)
{
    (void)state;
    plan p = plan_default();
    p.method = "radau5";
    p.tol = 1e-4;
    p.duration = 0.4;
    ride r;
    ride_model(&r, model_read("beam_crank", NULL, 0), &p);
    for (int i = 0; i < 300 && ride_state(&r)->t < 0.002; i++) OK(tmli_driver_step(&r.driver, 0.4, err));
    printf("t = %.4g s after %ld steps\n", ride_state(&r)->t, ride_count(&r).steps);
    assert_true(ride_state(&r)->t >= 0.002);
    ride_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_system), cmocka_unit_test(velocities_off_the_constraints),
        cmocka_unit_test(energy_and_time_scale), cmocka_unit_test(damped_vibrations_do_not_hold_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

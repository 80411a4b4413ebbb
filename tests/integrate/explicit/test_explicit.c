// The explicit methods: errors against tolerances, dense output, restarts, the warning of stiffness, charts
// and bases.
#include "integrate/chain_fixture.h"

#include "integrate/core/methods.h"

static const char *const METHODS[] = {"erk5", "erk8", "adams"};
enum { METHOD_COUNT = 3 };

static plan plan_of(const char *method, double tol, double duration)
{
    plan p = plan_default();
    p.method = method;
    p.max_order = 0;
    p.tol = tol;
    p.duration = duration;
    return p;
}

// ---- errors -----------------------------------------------------------------------------------------------

// Largest error of positions at the steps of a method, over the tolerance.
static double over_tolerance(const char *model, const char *method, double tol, double end, int *steps)
{
    plan p = plan_of("erk8", 1e-11, end), q = plan_of(method, tol, end);
    ride exact, r;
    double worst = 0, d[3];
    ride_model(&exact, model_read(model, NULL, 0), &p);
    ride_model(&r, model_read(model, NULL, 0), &q);
    while (ride_state(&r)->t < end) {
        OK(tmli_driver_step(&r.driver, end, err));
        ride_to(&exact, ride_state(&r)->t);
        state_distance(r.sys, ride_state(&exact), ride_state(&r), d);
        worst = fmax(worst, d[0] / tol);
    }
    printf("%-16s %-5s %7.0e: error/tolerance %7.3f, %5ld steps, %6ld evaluations\n", model, method, tol,
           worst, ride_count(&r).steps, ride_count(&r).residuals);
    *steps = (int)ride_count(&r).steps;
    ride_end(&exact);
    ride_end(&r);
    return worst;
}

static void errors_go_with_the_tolerance(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        double end;
    } cases[] = {{"spring_pendulum", 1}, {"double_pendulum", 5}, {"andrews", 0.03}, {"heavy_top", 2}};
    const double finest = less_if_slow("tolerances below 1e-3") ? 1e-4 : 1e-8;
    for (int i = 0; i < METHOD_COUNT; i++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (double tol = 1e-3; tol > finest; tol /= 100) {
                int steps;
                const double ratio = over_tolerance(cases[c].model, METHODS[i], tol, cases[c].end, &steps);
                assert_true(ratio < 10);
                assert_true(ratio > 0.01 || steps < 20);  // a few steps can be better than they know
            }
}

// ---- dense output and restarts ----------------------------------------------------------------------------

static void dense_output_meets_both_ends(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        const plan p = plan_of(METHODS[i], 1e-6, 0.03);
        ride r;
        ride_model(&r, model_read("andrews", NULL, 0), &p);
        tml_state *before = NULL, *x = NULL;
        OK(tml_state_create(r.sys, &before, err));
        OK(tml_state_create(r.sys, &x, err));
        for (int k = 0; k < 20; k++) {
            double d[3];
            tml_state_copy(before, ride_state(&r));
            ride_steps(&r, 1);
            r.driver.method->interpolate(r.driver.self, 0, x);
            assert_true(x->t == before->t);
            state_distance(r.sys, before, x, d);
            // speeds are up to 1e4 rad/s; the polynomial of Adams misses the start by the error of the step
            CHECK_SMALL(d[0], strcmp(METHODS[i], "adams") == 0 ? 1e-7 : 1e-13);
            CHECK_SMALL(d[1], strcmp(METHODS[i], "adams") == 0 ? 1e-3 : 1e-9);
            r.driver.method->interpolate(r.driver.self, 1, x);
            assert_memory_equal(x->q, ride_state(&r)->q, (size_t)r.sys->nq * sizeof(double));
            assert_memory_equal(x->u, ride_state(&r)->u, (size_t)r.sys->n * sizeof(double));
        }
        tml_state_destroy(before, r.sys);
        tml_state_destroy(x, r.sys);
        ride_end(&r);
    }
}

// As after an event: start from a state of the run.
static void starts_anew(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        const plan p = plan_of(METHODS[i], 1e-7, 2), q = plan_of("erk8", 1e-11, 2);
        ride r, exact;
        double d[3];
        chain_start(&r, &p);
        chain_start(&exact, &q);
        ride_to(&r, 0.7);
        ride_to(&exact, 2);
        tml_state *x = NULL;
        OK(tml_state_create(r.sys, &x, err));
        tml_state_copy(x, ride_state(&r));
        OK(r.driver.method->start(r.driver.self, x, err));
        r.driver.h = r.driver.method->first_step(r.driver.self);
        ride_to(&r, 2);
        state_distance(r.sys, ride_state(&exact), ride_state(&r), d);
        CHECK_SMALL(d[0], 1e-6);  // ten times the tolerance
        tml_state_destroy(x, r.sys);
        ride_end(&r);
        ride_end(&exact);
    }
}

static void repeats_bit_by_bit(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        const plan p = plan_of(METHODS[i], 1e-5, 0.03);
        ride a, b;
        ride_model(&a, model_read("andrews", NULL, 0), &p);
        ride_model(&b, model_read("andrews", NULL, 0), &p);
        ride_to(&a, 0.01);
        ride_to(&b, 0.01);
        assert_memory_equal(ride_state(&a)->q, ride_state(&b)->q, (size_t)a.sys->nq * sizeof(double));
        assert_int_equal(ride_count(&a).residuals, ride_count(&b).residuals);
        ride_end(&a);
        ride_end(&b);
    }
}

// ---- charts and bases -------------------------------------------------------------------------------------

// A four-bar turns full circles: dependent coordinates change with partitioning, and never with the tangent
// basis. The history of Adams is carried over both, so the steps are the same in number.
static void bases_do_not_matter(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        plan p = plan_of(METHODS[i], 1e-6, 2);
        ride a, b;
        double d[3];
        ride_model(&a, model_read("four_bar", NULL, 0), &p);
        p.coordinates = TML_COORDINATES_TANGENT;
        ride_model(&b, model_read("four_bar", NULL, 0), &p);
        ride_to(&a, 2);
        ride_to(&b, 2);
        state_distance(a.sys, ride_state(&a), ride_state(&b), d);
        printf("%-5s partition %ld steps, tangent %ld steps, apart %.1e\n", METHODS[i], ride_count(&a).steps,
               ride_count(&b).steps, d[0]);
        CHECK_SMALL(d[0], 2e-5);
        CHECK_CLOSE((double)ride_count(&a).steps / (double)ride_count(&b).steps, 1, 0.35);
        ride_end(&a);
        ride_end(&b);
    }
}

// ---- stiffness --------------------------------------------------------------------------------------------

typedef struct heard {
    int warnings;
    char last[300];
} heard;

static void listen(tml_log_level level, const char *text, void *user)
{
    heard *h = user;
    h->warnings += level == TML_LOG_WARNING;
    snprintf(h->last, sizeof h->last, "%s", text);
}

static tml_status unit_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[3] = 1;
    return TML_OK;
}

// A point after one that swings slowly, on a spring-damper of natural frequency w with three times the
// critical damping.
static tml_status follower(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t;
    const double w = *(const double *)user;
    f[0] = -w * w * (q[0] - q[1]) - 6 * w * (u[0] - u[1]);
    f[1] = -q[1];
    return TML_OK;
}

static int warnings(const char *method, double w, heard *h)
{
    const tml_env env = {.log = listen, .user = h};
    const plan p = plan_of(method, 1e-4, 10);
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 2;
    def.mass = unit_mass;
    def.force = follower;
    def.user = &w;
    tml_system *sys = NULL;
    OK(tml_system_create_user(&def, &env, &sys, err));
    ride r;
    ride_user(&r, sys, (double[2]){1, 1}, (double[2]){0, 0}, &p);
    ride_to(&r, 10);
    CHECK_CLOSE(ride_state(&r)->q[1], cos(10), 1e-4);
    ride_end(&r);
    return h->warnings;
}

static void stiffness_is_told_once(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        heard stiff = {0}, calm = {0};
        assert_int_equal(warnings(METHODS[i], 300, &stiff), 1);
        assert_non_null(strstr(stiff.last, "stiff from t = "));
        assert_non_null(strstr(stiff.last, "bdf"));
        assert_int_equal(warnings(METHODS[i], 0.5, &calm), 0);
    }
}

// ---- options ----------------------------------------------------------------------------------------------

static void wrong_orders(void **state)
{
    (void)state;
    const plan p = plan_of("adams", 1e-4, 1);
    ride r;
    chain_start(&r, &p);
    for (int k = -1; k <= 13; k += 14) {
        tml_integrator_options opt = tml_integrator_options_default();
        opt.run.max_order = k;
        tml_error err = {0};
        void *self = &opt;
        assert_int_equal(tmli_method_adams.create(r.sys, &opt, &self, &err), TML_ERR_ARG);
        assert_null(self);
        assert_non_null(strstr(err.msg, "1 .. 12"));
    }
    ride_end(&r);
}

// Where drivers prescribe all motion, the branch distance is all that limits the step, and no order promises
// more than another: with an order chosen by errors that are zero, every other step of adams was rejected.
static void driven_motion_rejects_little(void **state)
{
    (void)state;
    long steps = 0, rejected = 0;
    plan p = plan_default();
    p.method = "adams";
    p.duration = 1;
    for (p.tol = 3e-4; p.tol > 1e-5; p.tol /= 2) {
        ride r;
        ride_model(&r, model_read("slider_crank", NULL, 0), &p);
        ride_to(&r, 0.19);
        steps += ride_count(&r).steps;
        rejected += r.driver.rejected_error;
        ride_end(&r);
    }
    printf("%ld steps, %ld rejected\n", steps, rejected);
    assert_true(rejected * 4 < steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_go_with_the_tolerance),
                                       cmocka_unit_test(dense_output_meets_both_ends),
                                       cmocka_unit_test(starts_anew),
                                       cmocka_unit_test(repeats_bit_by_bit),
                                       cmocka_unit_test(bases_do_not_matter),
                                       cmocka_unit_test(stiffness_is_told_once),
                                       cmocka_unit_test(wrong_orders),
                                       cmocka_unit_test(driven_motion_rejects_little)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

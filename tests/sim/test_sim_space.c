// Simulations with the state-space family: nothing allocates in the step loop, no failed allocation goes unnoticed, long runs do
// not drift at position or velocity level, and the options coordinates and jacobian change the way, not the motion.
#include "sim_fixture.h"

static const char *const METHODS[] = {"ssp-trap", "infl-trap", "infl-sdirk", "for-sdirk", "for-rosen"};
enum { METHOD_COUNT = 5 };

static bool slow(void) { return getenv("TRAMMEL_SLOW_BUILD") != NULL; }

static void no_allocation_in_the_loop(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        counter c = {0};
        const tml_env env = count_env(&c);
        tml_model *m = load_model("andrews", (tml_parameter){0}, &env);
        tml_run_def run = *tml_model_run(m);
        run.method = METHODS[i];
        tml_sim *sim = start_sim(m, &run);
        tml_error err = {0};
        const long before = c.calls;
        assert_true(before > 0);
        OK(tml_sim_run(sim, i < 2 ? 1e-3 : 0.01, &err));
        assert_int_equal(c.calls, before);
        tml_sim_destroy(sim);
        tml_model_destroy(m);
        assert_int_equal(c.live, 0);
    }
}

// No allocation may fail without a trace, whichever it is.
static void failing_allocations(void **state)
{
    (void)state;
    for (int i = 1; i < METHOD_COUNT; i += 2) {
        counter c = {0};
        const tml_env env = count_env(&c);
        tml_model *m = load_model("pendulum", (tml_parameter){0}, &env);
        tml_run_def run = *tml_model_run(m);
        run.method = METHODS[i];
        for (int more = 1;; more++) {
            tml_sim *sim = NULL;
            tml_error err = {0};
            const long live = c.live;
            c.fail_at = c.calls + more;
            const tml_status st = tml_sim_create(m, &run, &sim, &err);
            if (st == TML_OK) {
                tml_sim_destroy(sim);
                assert_true(more > 20);
                break;
            }
            assert_int_equal(st, TML_ERR_NOMEM);
            assert_null(sim);
            assert_int_equal(c.live, live);
        }
        tml_model_destroy(m);
    }
}

// 20 000 steps of 5e-4 s with the four-bar linkage of the bundled models.
static void long_run(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        tml_model *m = load_model("four_bar", (tml_parameter){0}, NULL);
        tml_run_def run = *tml_model_run(m);
        run.method = METHODS[i];
        run.step = 5e-4;
        run.end = slow() ? 0.1 : 10;
        run.output_step = run.end / 10;
        tml_sim *sim = start_sim(m, &run);
        tml_error err = {0};
        OK(tml_sim_run(sim, run.end, &err));
        tml_sim_report r;
        tml_sim_get_report(sim, &r);
        print_message("%s: %ld steps, position residual %.2g, velocity %.2g\n", METHODS[i], r.count.steps,
                      r.position_residual, r.velocity_residual);
        assert_true(r.position_residual < 1e-14);  // round-off, over some lengths
        assert_true(r.velocity_residual < 1e-12);  // the crank turns at up to 40 rad/s
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

// Angle of the crank at the end.
static double crank_at_end(const char *method, tml_coordinates coordinates, tml_jacobian jacobian, long *steps)
{
    tml_model *m = load_model("four_bar", (tml_parameter){0}, NULL);
    tml_run_def run = *tml_model_run(m);
    run.method = method;
    run.tol = 1e-5;
    run.rtol = run.atol = NAN;
    run.end = 1;
    run.coordinates = coordinates;
    run.jacobian = jacobian;
    tml_sim *sim = start_sim(m, &run);
    tml_error err = {0};
    OK(tml_sim_run(sim, run.end, &err));
    tml_sim_report r;
    tml_sim_get_report(sim, &r);
    *steps = r.count.steps;
    const tml_state *x = tml_sim_state(sim);
    const double angle = 2 * atan2(x->q[6], x->q[3]);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
    return angle;
}

static void options_agree(void **state)
{
    (void)state;
    for (int i = slow() ? 3 : 0; i < METHOD_COUNT; i++) {
        long steps[3];
        const double plain = crank_at_end(METHODS[i], TML_COORDINATES_PARTITION, TML_JACOBIAN_EXACT, &steps[0]);
        const double tangent = crank_at_end(METHODS[i], TML_COORDINATES_TANGENT, TML_JACOBIAN_EXACT, &steps[1]);
        const double differences =
            crank_at_end(METHODS[i], TML_COORDINATES_PARTITION, TML_JACOBIAN_DIFFERENCES, &steps[2]);
        print_message("%s: tangent %.1e, differences %.1e; steps %ld %ld %ld\n", METHODS[i], tangent - plain,
                      differences - plain, steps[0], steps[1], steps[2]);
        // errors of runs at 1e-5 on this mechanism, which enlarges them: up to 40 tolerances
        assert_true(fabs(tangent - plain) < 4e-4);
        assert_true(fabs(differences - plain) < 1e-4);
        assert_true(labs(steps[2] - steps[0]) <= 1 + steps[0] / 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocation_in_the_loop),
                                       cmocka_unit_test(failing_allocations), cmocka_unit_test(long_run),
                                       cmocka_unit_test(options_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

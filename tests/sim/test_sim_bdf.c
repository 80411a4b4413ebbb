// Simulations with bdf, bdf2 and ggl: every bundled model runs, nothing allocates in the step loop, a hundred
// thousand steps do not drift.
#include "sim_fixture.h"

static const char *const METHODS[] = {"bdf", "bdf2", "ggl"};
enum { METHOD_COUNT = 3 };

static void bundled_models_run(void **state)
{
    (void)state;
    const bool brief = less_if_slow("a third of the models for each method");
    for (int i = 0; i < METHOD_COUNT; i++)
        for (const char *const *name = bundled_models(); *name; name++) {
            if (brief && (name - bundled_models()) % 3 != i % 3) continue;
            tml_model *m = load_model(*name, (tml_parameter){0}, NULL);
            tml_run_def run = *tml_model_run(m);
            run.method = METHODS[i];
            run.tol = i == 1 ? 1e-3 : 1e-4;  // order 2 takes many steps
            run.rtol = run.atol = NAN;
            tml_sim *sim = start_sim(m, &run);
            tml_error err = {0};
            OK(tml_sim_run(sim, run.end, &err));
            tml_sim_report r;
            tml_sim_get_report(sim, &r);
            // Newton may leave a tenth of what a step is allowed, and no step is longer than a hundredth or
            // so of the run; ggl's velocities are kept in the same way
            assert_true(r.position_residual < 1e-3 * run.tol);
            if (i == 2) assert_true(r.velocity_residual < 0.1 * run.tol);
            tml_sim_destroy(sim);
            tml_model_destroy(m);
        }
}

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
        OK(tml_sim_run(sim, i == 1 ? 1e-3 : 0.01, &err));
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
    counter c = {0};
    const tml_env env = count_env(&c);
    tml_model *model = load_model("pendulum", (tml_parameter){0}, &env);
    tml_run_def run = *tml_model_run(model);
    run.method = "ggl";
    memory_runs_out(&c, model, &run, NAN);
}

// 100 000 steps of 1e-4 s with the four-bar linkage of the bundled models.
static void long_run(void **state)
{
    (void)state;
    skip_if_slow("numbers after 100,000 steps");
    for (int i = 0; i < METHOD_COUNT; i++) {
        tml_model *m = load_model("four_bar", (tml_parameter){0}, NULL);
        tml_run_def run = *tml_model_run(m);
        run.method = METHODS[i];
        run.max_order = 3;
        run.step = 1e-4;
        run.end = 10;
        run.output_step = run.end / 10;
        tml_sim *sim = start_sim(m, &run);
        tml_error err = {0};
        OK(tml_sim_run(sim, run.end / 10, &err));
        tml_sim_report first, last;
        tml_sim_get_report(sim, &first);
        OK(tml_sim_run(sim, run.end, &err));
        tml_sim_get_report(sim, &last);
        print_message("%s: %ld steps, position residual %.2g, velocity %.2g (%.2g in the first tenth)\n",
                      METHODS[i], last.count.steps, last.position_residual, last.velocity_residual,
                      first.velocity_residual);
        assert_true(last.position_residual <
                    1e-12);  // round-off of a thousand steps that stand while feedback is low
        // a tenth of the run is three turns
        assert_true(last.velocity_residual < 10 * first.velocity_residual + 1e-12);
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

// A bar that whirls, and loses angle to errors that add up, takes the same steps whether or not the joint
// coordinate of a body at rest stands before its own.
static void order_of_coordinates(void **state)
{
    (void)state;
    long steps[2];
    for (int k = 0; k < 2; k++) {
        tml_error err = {0};
        tml_model *m =
            text_model(k ? "planar: true\ngravity: 9.81\n"
                           "bodies:\n"
                           "  still: {mass: 2, inertia: 0.1, position: [0, 0]}\n"
                           "  b: {mass: 2, inertia: 0.1, position: [0.3, 0], angular_velocity: 9}\n"
                           "joints:\n  axle: {type: revolute, a: ground, b: still, point: [0, 0]}\n"
                           "  pin: {type: revolute, a: ground, b: b, point: [0, 0]}\n"
                         : "planar: true\ngravity: 9.81\n"
                           "bodies:\n"
                           "  b: {mass: 2, inertia: 0.1, position: [0.3, 0], angular_velocity: 9}\n"
                           "joints:\n  pin: {type: revolute, a: ground, b: b, point: [0, 0]}\n");
        tml_run_def run = *tml_model_run(m);
        run.method = "bdf";
        run.kinematics = TML_KINEMATICS_JOINTS;
        run.tol = 1e-2;
        run.end = 20;
        run.output_step = 20;
        tml_sim *sim = start_sim(m, &run);
        assert_int_equal(tml_sim_state(sim)->n, 3 * (k + 1));
        OK(tml_sim_run(sim, NAN, &err));
        steps[k] = report_of(sim).count.steps;
        end_sim(sim, m);
    }
    CHECK_CLOSE((double)steps[1], (double)steps[0], 0.01 * (double)steps[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bundled_models_run),
                                       cmocka_unit_test(no_allocation_in_the_loop),
                                       cmocka_unit_test(failing_allocations), cmocka_unit_test(long_run),
                                       cmocka_unit_test(order_of_coordinates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

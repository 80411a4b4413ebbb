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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bundled_models_run),
                                       cmocka_unit_test(no_allocation_in_the_loop),
                                       cmocka_unit_test(failing_allocations), cmocka_unit_test(long_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

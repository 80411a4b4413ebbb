// With scaling Newton does not feel the step: iterations and condition number stay as they are over eight
// decades of h. Without, the condition number of the index-3 equations grows like h^-4 and small steps fail,
// saying so. And with scaling and augmentation the solver that does not pivot gives the same digits as those
// that do. bench/bench_conditioning prints the whole table.
#include "integrate/fixture.h"

enum { STEPS = 20, SIZES = 8 };

typedef struct result {
    int steps;          // made of STEPS
    double iterations;  // per step
    double condition;
    tml_status status;
    tml_error err;
} result;

static result measure(const char *model, double h, tml_scaling scaling, double augment)
{
    plan p = plan_default();
    p.h = h;
    p.duration = 10;
    p.scaling = scaling;
    p.augment = augment;
    ride r;
    result out = {0};
    ride_model(&r, model_read(model, NULL, 0), &p);
    while (out.status == TML_OK && out.steps < STEPS) {
        out.status = tmli_driver_step(&r.driver, 1e3, &out.err);
        out.steps += out.status == TML_OK;
    }
    assert_int_equal(ride_count(&r).steps, out.steps);
    out.iterations = (double)ride_count(&r).iterations / fmax(out.steps, 1);
    out.condition = r.driver.method->condition(r.driver.self);
    ride_end(&r);
    return out;
}

static void check_scaled(const char *model, tml_scaling scaling, double augment, double spread)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0}, h = 1e-1;
    for (int i = 0; i < SIZES; i++, h /= 10) {
        const result r = measure(model, h, scaling, augment);
        if (r.status != TML_OK) fail_msg("%s, h = %g: %s", model, h, r.err.msg);
        assert_int_equal(r.steps, STEPS);
        const double x[2] = {r.iterations, r.condition};
        for (int k = 0; k < 2; k++) {
            least[k] = fmin(least[k], x[k]);
            most[k] = fmax(most[k], x[k]);
        }
    }
    printf("%s, scaling %d, augment %g: iterations per step %.2f .. %.2f, condition %.3g .. %.3g\n", model,
           (int)scaling, augment, least[0], most[0], least[1], most[1]);
    assert_true(most[0] - least[0] <= spread);
    assert_true(most[1] <= 3 * least[1] && least[1] > 1);
    assert_true(most[1] < 100);  // a handful of unknowns in units of their own
}

static void scaled_newton_does_not_feel_the_step(void **state)
{
    (void)state;
    for (int augment = 0; augment < 2; augment++) {
        // Per step 3 +- 1: at h = 0.1 s a step turns the pendulum by 0.5 rad and Newton's own convergence
        // costs the rest; the spring pendulum takes 4.1 there.
        check_scaled("pendulum", TML_SCALING_PHYSICAL, augment, 2);
        check_scaled("pendulum", TML_SCALING_UNIFORM, augment, 2);
        check_scaled("pendulum", TML_SCALING_NORM, augment, 2);
        check_scaled("spring_pendulum", TML_SCALING_PHYSICAL, augment, 2.2);
    }
}

static void unscaled_condition_grows_with_the_fourth_power(void **state)
{
    (void)state;
    static const char *const models[] = {"pendulum", "spring_pendulum"};
    for (int m = 0; m < 2; m++) {
        double last = 0, h = 1e-1;
        int failed = 0;
        for (int i = 0; i < SIZES; i++, h /= 10) {
            const result r = measure(models[m], h, TML_SCALING_NONE, 0);
            if (i > 0) CHECK_CLOSE(log10(r.condition / last), 4, 0.1);  // per decade of h
            last = r.condition;
            // down to 1e-3 s the condition number, 1e13, still leaves Newton the digits it needs
            if (h > 0.9e-3) assert_int_equal(r.status, TML_OK);
            if (r.status == TML_OK) continue;
            failed++;
            printf("%s, unscaled, h = %g: condition %.2g, %d steps, then: %s\n", models[m], h, r.condition,
                   r.steps, r.err.msg);
            assert_int_equal(r.status, TML_ERR_STEP);
            assert_true(r.steps < STEPS);
            assert_non_null(strstr(r.err.msg, "Newton"));
            assert_non_null(strstr(r.err.msg, "The step is fixed at"));
            CHECK_CLOSE(r.err.t, r.steps * h, 1e-9 * h);
        }
        assert_true(failed > 0);
    }
}

// ---- solvers ----------------------------------------------------------------------------------------------

static const char *const MODELS[] = {
    "andrews",   "chain",    "double_pendulum", "four_bar",        "governor",
    "heavy_top", "pendulum", "slider_crank",    "spring_pendulum", "stiff_double_pendulum",
    "suspension"};
// [s], of the order of the steps that the tolerances of the files lead to
static const double STEP[] = {2e-5, 2e-3, 2e-3, 1e-3, 2e-3, 5e-4, 5e-3, 5e-4, 5e-3, 1e-3, 2e-3};

// After twenty steps the states differ by what round-off becomes in them: at most the tolerance of Newton's
// iteration, 1e-10 of a length (in fact 1e-14), in positions; the same over h in velocities, over h^2 in
// accelerations and so in multipliers. Where a correction meets the tolerance narrowly a solver may need an
// iteration more.
static void solvers_agree(void **state)
{
    (void)state;
    static const tml_linsolver_ops *const solvers[] = {&tml_linsolver_dense, &tml_linsolver_klu,
                                                       &tml_linsolver_block};
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        ride r[3];
        for (int k = 0; k < 3; k++) {
            plan p = plan_default();
            p.h = STEP[m];
            p.solver = solvers[k];
            ride_model(&r[k], model_read(MODELS[m], NULL, 0), &p);
            ride_steps(&r[k], STEPS);
        }
        for (int k = 1; k < 3; k++) {
            double d[3];
            state_distance(r[0].sys, ride_state(&r[0]), ride_state(&r[k]), d);
            printf("%-22s %-5s against dense: positions %7.1e, velocities times h %7.1e, multipliers %7.1e\n",
                   MODELS[m], solvers[k]->name, d[0], STEP[m] * d[1], d[2]);
            CHECK_SMALL(d[0], 1e-10);
            CHECK_SMALL(STEP[m] * d[1], 1e-10);
            CHECK_SMALL(d[2], 1e-6);
            CHECK_SMALL((double)(ride_count(&r[0]).iterations - ride_count(&r[k]).iterations), 2);
        }
        for (int k = 0; k < 3; k++) ride_end(&r[k]);
    }
}

// The root's angle has no inertia: without the augmented Lagrangian its pivot is only the spring, once the
// step is small.
static void block_solver_needs_augmentation(void **state)
{
    (void)state;
    plan p = plan_default();
    p.h = 1e-3;
    p.solver = &tml_linsolver_block;
    ride r;
    tml_error err = {0};
    p.augment = 0;
    ride_model(&r, model_read("spring_pendulum", NULL, 0), &p);
    const tml_status st = tmli_driver_step(&r.driver, 1, &err);
    printf("block without augmentation: %s\n", err.msg);
    assert_int_equal(st, TML_ERR_SINGULAR);
    assert_non_null(strstr(err.msg, "'arm'"));
    assert_int_equal(ride_count(&r).steps, 0);
    assert_true(ride_state(&r)->t == 0);
    ride_end(&r);
    p.augment = 1;
    ride_model(&r, model_read("spring_pendulum", NULL, 0), &p);
    ride_steps(&r, STEPS);
    ride_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaled_newton_does_not_feel_the_step),
        cmocka_unit_test(unscaled_condition_grows_with_the_fourth_power),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(block_solver_needs_augmentation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The laboratory of scalings on the Radau methods and ggl, which have matrices of their own: results do not
// depend on the scaling, condition numbers follow their powers of the step, and reports are made.
#include "integrate/fixture.h"

static const char *const METHODS[] = {"radau3", "radau5", "ggl", "ggl-radau3", "ggl-radau5"};
static const tml_scaling MODES[] = {TML_SCALING_NONE,       TML_SCALING_LEFT,
                                    TML_SCALING_LEFT_RIGHT, TML_SCALING_LEFT_RIGHT_VELOCITY,
                                    TML_SCALING_UNIFORM,    TML_SCALING_PHYSICAL};
enum { COUNT = sizeof METHODS / sizeof *METHODS, MODE_COUNT = sizeof MODES / sizeof *MODES };

// Powers of 1/h in the condition number, index 3 and stabilized index 2. Without scaling the multipliers of
// index 3 are known to h^-2 of what the positions are, rows and columns: h^-4; in the stabilized form to
// h^-1. `left` takes out one power. With velocities in their own unit `left-right` leaves one power where
// they are unknowns.
static const double POWERS[2][MODE_COUNT] = {{4, 3, 0, 0, 0, 0}, {2, 1, 1, 0, 0, 0}};

static plan plan_of(int method, tml_scaling mode, double h)
{
    plan p = plan_default();
    p.method = METHODS[method];
    p.scaling = mode;
    p.h = h;
    p.report = true;
    return p;
}

static tml_conditioning measure(const char *model, const plan *p, int steps)
{
    ride r;
    tml_conditioning c;
    ride_model(&r, model_read(model, NULL, 0), p);
    for (int i = 0; i < steps; i++) {
        tml_error err = {0};
        // unscaled small steps may fail, after the matrix was factored
        if (tmli_driver_step(&r.driver, 1e3, &err) != TML_OK) break;
    }
    r.driver.method->conditioning(r.driver.self, &c);
    ride_end(&r);
    return c;
}

static void condition_numbers_follow_their_powers(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT; m++)
        for (int augment = 0; augment < 2; augment++)
            for (int k = 0; k < MODE_COUNT; k++) {
                double condition[2];
                for (int i = 0; i < 2; i++) {
                    plan p = plan_of(m, MODES[k], i ? 1e-6 : 1e-5);
                    p.augment = augment;
                    const tml_conditioning c = measure("pendulum", &p, 3);
                    condition[i] = c.condition_2;
                    assert_true(c.condition_1 >= 1 && c.condition_inf >= 1 && c.growth > 0.1);
                    // two coordinates, one row; doubled by a pair, doubled by two fields
                    assert_int_equal(c.unknowns, m == 2 ? 6 : m < 2 ? 6 : 12);
                }
                // the law holds to terms of relative order h
                CHECK_CLOSE(log10(condition[1] / condition[0]), POWERS[m >= 2][k], 0.01);
                if (MODES[k] == TML_SCALING_PHYSICAL) assert_true(condition[1] < 15);
            }
}

// Multipliers over unknowns: 1, 1/h^2, e/h^2; radau: e/|k|^2 with k = h/mu, e = the mass of 1 kg.
static void scales(void **state)
{
    (void)state;
    const double h = 1e-3, s[3] = {1, 1, 1 / (h * h)};
    for (int m = 0; m < COUNT; m++)
        for (int k = 0; k < 3; k++) {
            const plan p = plan_of(m, MODES[k], h);
            const tml_conditioning c = measure("pendulum", &p, 3);
            CHECK_CLOSE(c.scale_min, s[k], 1e-12 * s[k]);
            CHECK_CLOSE(c.scale_max, s[k], 1e-12 * s[k]);
        }
}

// The last correction in units of the model is scaled back by the units of the unknowns; iterations are
// counted.
static void corrections(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT; m++)
        for (int saturated = 0; saturated < 2; saturated++) {
            plan p = plan_of(m, TML_SCALING_PHYSICAL, 1e-3);
            p.iterate = saturated ? TML_ITERATE_SATURATED : TML_ITERATE_CONVERGED;
            const tml_conditioning c = measure("pendulum", &p, 5);
            assert_true(c.iterations >= 2 && c.iterations <= (saturated ? 12 : 4));
            assert_true(c.correction > 0 && c.correction < 1e-9);
            assert_true(c.physical[0] < 1e-10 && c.physical[0] > 0);
            assert_true(c.physical[1] < 1e-6 && c.physical[1] > 0);
            assert_true(m >= 2 ? c.scaled[1] <= c.correction : isnan(c.scaled[1]));
            // radau's unknowns are sums over the stages with factors up to 3
            assert_true(c.physical[2] <= 10 * c.scale_max * c.scaled[2]);
            assert_true(saturated || c.physical[2] > 0);
            assert_true(c.scaled[0] <= c.correction && c.scaled[2] <= c.correction);
            if (saturated) CHECK_SMALL(c.scaled[0], 1e-15);  // round-off of a length of 1
        }
}

// All scalings give the same steps, on a spatial loop. 20 steps of round-off, over h in velocities, over h^2
// in multipliers; without scaling Newton stops at multipliers good to 1e-9.
static void scalings_do_not_change_the_result(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT; m++) {
        ride first = {0};
        for (int k = MODE_COUNT - 1; k >= 0; k--) {
            plan p = plan_of(m, MODES[k], 0x1p-8);
            p.report = false;
            ride r;
            ride_model(&r, model_read("governor", NULL, 0), &p);
            ride_steps(&r, 20);
            if (k == MODE_COUNT - 1) {
                first = r;
                continue;
            }
            double d[3];
            state_distance(r.sys, ride_state(&first), ride_state(&r), d);
            CHECK_SMALL(d[0], 1e-11);
            CHECK_SMALL(d[1], 1e-8);
            CHECK_SMALL(d[2], 1e-6);
            ride_end(&r);
        }
        ride_end(&first);
    }
}

// Step-size control with every scaling that can stand it: the same end within the tolerance.
static void control_with_every_scaling(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT; m++) {
        ride first = {0};
        for (int k = MODE_COUNT - 1; k >= 2; k--) {
            plan p = plan_of(m, MODES[k], 0);
            p.tol = 1e-5;
            p.report = false;
            ride r;
            ride_model(&r, model_read("pendulum", NULL, 0), &p);
            while (ride_state(&r)->t < 0.5) OK(tmli_driver_step(&r.driver, 0.5, err));
            if (k == MODE_COUNT - 1) {
                first = r;
                continue;
            }
            double d[3];
            state_distance(r.sys, ride_state(&first), ride_state(&r), d);
            CHECK_SMALL(d[0], 2e-5);  // two errors of a tolerance each
            assert_true(ride_count(&r).steps < 2 * ride_count(&first).steps);
            ride_end(&r);
        }
        ride_end(&first);
    }
}

// With step-size control the end of the iteration does not matter either.
static void saturated_with_control(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT; m++) {
        long steps[2];
        for (int saturated = 0; saturated < 2; saturated++) {
            plan p = plan_of(m, TML_SCALING_PHYSICAL, 0);
            p.iterate = saturated ? TML_ITERATE_SATURATED : TML_ITERATE_CONVERGED;
            ride r;
            ride_model(&r, model_read("pendulum", NULL, 0), &p);
            while (ride_state(&r)->t < 1) OK(tmli_driver_step(&r.driver, 1, err));
            steps[saturated] = ride_count(&r).steps;
            ride_end(&r);
        }
        if (steps[1] > 2 * steps[0]) fail_msg("%s: %ld and %ld steps", METHODS[m], steps[0], steps[1]);
    }
}

// Without the option all is NAN but what costs nothing.
static void no_report_without_the_option(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT; m++) {
        plan p = plan_of(m, TML_SCALING_PHYSICAL, 1e-3);
        p.report = false;
        const tml_conditioning c = measure("pendulum", &p, 2);
        assert_true(isnan(c.condition_1) && isnan(c.correction) && isnan(c.scaled[0]) && isnan(c.growth));
        assert_true(c.scale_max > 0 && c.iterations >= 2);
    }
}

// Steps that fail for want of a scaling say so: the monitor of every method knows which one it has. Those of
// ggl are long; which of them fail depends on round-off.
static void failures_name_the_scaling(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT; m++) {
        int failed = 0;
        for (int k = 0; k < 2; k++)
            for (double h = 0.2; h > 1e-8; h /= h > 0.01 ? 1.5 : 20) {
                plan p = plan_of(m, MODES[k], h);
                p.report = false;
                ride r;
                tml_error err = {0};
                tml_status st = TML_OK;
                ride_model(&r, model_read("four_bar", NULL, 0), &p);
                for (int i = 0; i < 200 && st == TML_OK; i++) st = tmli_driver_step(&r.driver, 1e3, &err);
                ride_end(&r);
                if (st == TML_OK || !strstr(err.msg, "Newton's corrections")) continue;
                failed++;
                if (!strstr(err.msg, "not scaled")) fail_msg("%s, h = %g: %s", METHODS[m], h, err.msg);
            }
        if (failed == 0) fail_msg("%s: no step failed", METHODS[m]);
    }
}

static void three_fields_are_refused(void **state)
{
    (void)state;
    tml_model *model = model_read("pendulum", NULL, 0);
    tml_integrator_options opt = tml_integrator_options_default();
    opt.run.fields = TML_FIELDS_THREE;
    for (int m = 0; m < COUNT; m++) {
        tml_error err = {0};
        void *self = &err;
        const tml_status st = tml_method_find(METHODS[m])->create(tml_model_system(model), &opt, &self, &err);
        assert_int_equal(st, TML_ERR_ARG);
        assert_null(self);
        assert_non_null(strstr(err.msg, "fields"));
        assert_non_null(strstr(err.msg, METHODS[m]));
    }
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(condition_numbers_follow_their_powers),
        cmocka_unit_test(scales),
        cmocka_unit_test(corrections),
        cmocka_unit_test(scalings_do_not_change_the_result),
        cmocka_unit_test(control_with_every_scaling),
        cmocka_unit_test(saturated_with_control),
        cmocka_unit_test(no_report_without_the_option),
        cmocka_unit_test(failures_name_the_scaling),
        cmocka_unit_test(three_fields_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

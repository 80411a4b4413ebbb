// bdf, bdf2 and ggl beyond their orders: Newton does not feel the step, multipliers keep their digits at very
// small steps, the solvers agree, a new start forgets the past, the dense output is as good as the steps,
// changes of step leave positions and velocities alone.
#include "integrate/order.h"

static const char *const METHODS[] = {"bdf", "bdf2", "ggl"};
enum { METHOD_COUNT = 3 };

// No step takes more than four iterations: at h = 0.1 s, where order 5 predicts to a tenth of a length,
// because that is round-off when it is squared three times.
static void newton_does_not_feel_the_step(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++)
        for (double h = 1e-1; h > 0.9e-9; h /= 10) {
            plan p = plan_default();
            p.method = METHODS[i];
            p.h = h;
            p.duration = 10;
            ride r;
            ride_model(&r, model_read("pendulum", NULL, 0), &p);
            ride_steps(&r, 30);
            const double per_step = (double)ride_count(&r).iterations / 30;
            printf("%-4s h = %7.0e: %.2f iterations per step, at most %d, condition %.3g\n", METHODS[i], h,
                   per_step, ride_count(&r).max_iterations, r.driver.method->condition(r.driver.self));
            assert_true(ride_count(&r).max_iterations <= 4);
            // a handful of unknowns in units of their own, twice as many for ggl
            assert_true(r.driver.method->condition(r.driver.self) < 300);
            ride_end(&r);
        }
}

// The multipliers that belong to the state reached come from the index-1 equations. At h = 1e-7 s those of an
// index-3 method feel eps/h = 2e-9 times velocities over accelerations, some 1e-8 here; without care it would
// be eps/h^2 = 0.02.
static void multipliers_at_tiny_steps(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        plan p = plan_default();
        p.method = METHODS[i];
        p.h = 1e-7;
        ride r;
        ride_model(&r, model_read("four_bar", NULL, 0), &p);
        tml_state *y = NULL;
        OK(tml_state_create(r.sys, &y, err));
        double worst = 0;
        for (int k = 0; k < 200; k++) {
            double d[3];
            ride_steps(&r, 1);
            tml_state_copy(y, ride_state(&r));
            OK(tmli_consistent_project(&r.consistent, y, err));
            state_distance(r.sys, y, ride_state(&r), d);
            worst = fmax(worst, d[2]);
        }
        printf("%-4s h = 1e-7: multipliers off by %.1e, at most %d iterations\n", METHODS[i], worst,
               ride_count(&r).max_iterations);
        CHECK_SMALL(worst, 1e-6);
        tml_state_destroy(y, r.sys);
        ride_end(&r);
    }
}

static void solvers_agree(void **state)
{
    (void)state;
    static const tml_linsolver_ops *const solvers[] = {&tml_linsolver_dense, &tml_linsolver_klu,
                                                       &tml_linsolver_block};
    static const char *const models[] = {"andrews", "chain", "heavy_top", "suspension"};
    static const double step[] = {2e-5, 2e-3, 5e-4, 2e-3};
    for (int i = 0; i < METHOD_COUNT; i++)
        for (int m = 0; m < 4; m++) {
            ride r[3];
            for (int k = 0; k < 3; k++) {
                plan p = plan_default();
                p.method = METHODS[i];
                p.max_order = 3;
                p.h = step[m];
                p.solver = solvers[k];
                ride_model(&r[k], model_read(models[m], NULL, 0), &p);
                ride_steps(&r[k], 20);
            }
            for (int k = 1; k < 3; k++) {
                double d[3];
                state_distance(r[0].sys, ride_state(&r[0]), ride_state(&r[k]), d);
                // the tolerance of the iteration, 3e-12 of a length, its quotient by h, and by h^2 in
                // accelerations
                CHECK_SMALL(d[0], 1e-11);
                CHECK_SMALL(step[m] * d[1], 1e-11);
                CHECK_SMALL(d[2], 1e-6);
            }
            for (int k = 0; k < 3; k++) ride_end(&r[k]);
        }
}

// A method started again from its own state does what a new one does from there.
static void a_start_forgets(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        plan p = plan_default();
        p.method = METHODS[i];
        p.tol = 1e-6;
        ride r, other;
        order_start(&r, &order_cases[0], &p);
        order_start(&other, &order_cases[0], &p);
        ride_to(&r, 0.1);
        const tml_counters before = ride_count(&r);
        tml_state *y = NULL;
        OK(tml_state_create(r.sys, &y, err));
        OK(r.driver.method->start(r.driver.self, r.x0, err));
        assert_true(ride_state(&r)->t == 0);
        // before the first step there is no dense output but the state itself
        r.driver.method->interpolate(r.driver.self, 0.5, y);
        assert_true(y->t == 0);
        r.driver.h = r.driver.method->first_step(r.driver.self);
        ride_to(&r, 0.1);
        ride_to(&other, 0.1);
        double d[3];
        state_distance(r.sys, ride_state(&r), ride_state(&other), d);
        // fastest speeds so far stay known, and with them the weights: not the same bits, but the same
        // accuracy
        CHECK_SMALL(d[0], 1e-6);
        CHECK_SMALL(d[1], 1e-4);
        assert_true(ride_count(&r).steps - before.steps < 2 * ride_count(&other).steps);
        tml_state_destroy(y, r.sys);
        ride_end(&r);
        ride_end(&other);
    }
}

// Between the points the dense output is off by no more than ten times the tolerance (model lengths) in
// positions, and it meets the points themselves.
static void dense_output(void **state)
{
    (void)state;
    const double tol = 1e-6;
    for (int i = 0; i < METHOD_COUNT; i++) {
        plan p = plan_default(), q;
        p.method = METHODS[i];
        p.tol = tol;
        p.duration = 0.2;
        q = p;
        q.method = "bdf";
        q.tol = 1e-10;
        ride r, fine;
        order_start(&r, &order_cases[0], &p);
        order_start(&fine, &order_cases[0], &q);
        tml_state *y = NULL, *z = NULL;
        OK(tml_state_create(r.sys, &y, err));
        OK(tml_state_create(r.sys, &z, err));
        double worst[3] = {0};
        while (ride_state(&r)->t < 0.2) {
            tml_state_copy(z, ride_state(&r));
            ride_to(&fine, fmax(ride_state(&r)->t, 1e-12));
            OK(tmli_driver_step(&r.driver, 0.2, err));
            const double h = ride_state(&r)->t - z->t;
            double d[3];
            r.driver.method->interpolate(r.driver.self, 0, y);
            state_distance(r.sys, y, z, d);
            CHECK_SMALL(d[0], 1e-13);
            CHECK_SMALL(d[1], 1e-11);
            r.driver.method->interpolate(r.driver.self, 0.63, y);
            CHECK_SMALL(y->t - (z->t + 0.63 * h), 1e-15);
            ride_to(&fine, y->t);
            state_distance(r.sys, y, ride_state(&fine), d);
            for (int k = 0; k < 3; k++) worst[k] = fmax(worst[k], d[k]);
        }
        printf("%-4s dense output at tol 1e-6: %.1e %.1e, multipliers %.1e\n", METHODS[i], worst[0], worst[1],
               worst[2]);
        CHECK_SMALL(worst[0], 10 * tol);
        tml_state_destroy(y, r.sys);
        tml_state_destroy(z, r.sys);
        ride_end(&r);
        ride_end(&fine);
    }
}

// Steps that change by a factor of two at random are as accurate as constant ones of their largest size, to
// within a factor: the standing error of the velocities jumps, the motion does not follow it.
static double end_error(const char *method, int k, bool jump, const tml_state *exact)
{
    plan p = plan_default();
    p.method = method;
    p.max_order = k;
    p.h = 1.0 / 1024;
    ride r;
    order_start(&r, &order_cases[0], &p);
    unsigned seed = 12345;
    while (ride_state(&r)->t < 0.25) {
        seed = seed * 1103515245u + 12345u;
        r.driver.h = jump && (seed >> 16) % 3 == 0 ? 1.0 / 2048 : 1.0 / 1024;
        OK(tmli_driver_step(&r.driver, 0.25, err));
    }
    double d[3];
    tml_state *y = NULL;
    OK(tml_state_create(r.sys, &y, err));
    tml_state_copy(y, ride_state(&r));
    OK(tmli_consistent_project(&r.consistent, y, err));
    state_distance(r.sys, exact, y, d);
    tml_state_destroy(y, r.sys);
    ride_end(&r);
    return d[0];
}

static void jumping_steps(void **state)
{
    (void)state;
    plan p = plan_default();
    p.method = "bdf";
    p.tol = 1e-11;
    p.duration = 0.25;
    ride fine;
    order_start(&fine, &order_cases[0], &p);
    ride_to(&fine, 0.25);
    for (int i = 0; i < METHOD_COUNT; i += 2)
        for (int k = 1; k <= 4; k++) {
            const double even = end_error(METHODS[i], k, false, ride_state(&fine));
            const double jumping = end_error(METHODS[i], k, true, ride_state(&fine));
            printf("%-4s order %d: error %.2e with even steps, %.2e with jumping ones\n", METHODS[i], k, even,
                   jumping);
            assert_true(jumping < 2 * even);
        }
    ride_end(&fine);
}

// With control `all` the multipliers of accepted points keep the tolerance, too: within ten times of it
// against a fine ride.
static void multipliers_under_control(void **state)
{
    (void)state;
    const double tol = 1e-5;
    for (int i = 0; i < METHOD_COUNT; i += 2) {
        plan p = plan_default(), q;
        p.method = METHODS[i];
        p.tol = tol;
        p.duration = 0.2;
        p.control = TML_CONTROL_ALL;
        q = p;
        q.method = "ggl";
        q.control = TML_CONTROL_MOTION;
        q.tol = 1e-9;
        ride r, fine;
        order_start(&r, &order_cases[0], &p);
        order_start(&fine, &order_cases[0], &q);
        double worst = 0;
        while (ride_state(&r)->t < 0.2) {
            double d[3];
            OK(tmli_driver_step(&r.driver, 0.2, err));
            ride_to(&fine, ride_state(&r)->t);
            state_distance(r.sys, ride_state(&fine), ride_state(&r), d);
            worst = fmax(worst, d[2]);
        }
        printf("%-4s multipliers under control: error %.1e at tol 1e-5, %ld steps\n", METHODS[i], worst,
               ride_count(&r).steps);
        CHECK_SMALL(worst, 10 * tol);
        ride_end(&r);
        ride_end(&fine);
    }
}

static void wrong_orders(void **state)
{
    (void)state;
    plan p = plan_default();
    ride r;
    order_start(&r, &order_cases[2], &p);
    for (int i = 0; i < METHOD_COUNT; i += 2)
        for (int k = -1; k <= 6; k += 7) {
            tml_integrator_options opt = tml_integrator_options_default();
            opt.run.max_order = k;
            tml_error err = {0};
            void *self = &opt;
            assert_int_equal(tml_method_find(METHODS[i])->create(r.sys, &opt, &self, &err), TML_ERR_ARG);
            assert_null(self);
            assert_non_null(strstr(err.msg, "max_order"));
        }
    ride_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(newton_does_not_feel_the_step),
                                       cmocka_unit_test(multipliers_at_tiny_steps),
                                       cmocka_unit_test(solvers_agree),
                                       cmocka_unit_test(a_start_forgets),
                                       cmocka_unit_test(dense_output),
                                       cmocka_unit_test(jumping_steps),
                                       cmocka_unit_test(multipliers_under_control),
                                       cmocka_unit_test(wrong_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

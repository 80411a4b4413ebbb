// The step loop: the end is hit exactly, a step that fails leaves no trace and says why, the dense output is
// continuous with its first derivative and of third order or better.
#include "integrate/fixture.h"

static void the_end_is_hit_exactly(void **state)
{
    (void)state;
    static const double ends[] = {0.1, 0.37, 0.3700000001, 1.0 / 3 + 0.5};
    for (int fixed = 0; fixed < 2; fixed++) {
        plan p = plan_default();
        p.h = fixed ? 0.0137 : 0;
        ride r;
        ride_model(&r, model_read("pendulum", NULL, 0), &p);
        for (int i = 0; i < 4; i++) {
            long before = ride_count(&r).steps;
            while (ride_state(&r)->t < ends[i]) {
                OK(tmli_driver_step(&r.driver, ends[i], err));
                assert_true(ride_state(&r)->t <= ends[i]);
            }
            assert_true(ride_state(&r)->t == ends[i]);
            assert_true(ride_count(&r).steps > before);
            if (fixed) assert_true(r.driver.h == 0.0137);  // the cut steps do not change it
        }
        ride_end(&r);
    }
}

static void a_step_cut_for_the_end_does_not_slow_the_rest(void **state)
{
    (void)state;
    plan p = plan_default();
    ride r;
    ride_model(&r, model_read("pendulum", NULL, 0), &p);
    ride_to(&r, 0.5);
    const double h = r.driver.h;
    ride_to(&r, 0.5 + 1e-3 * h);
    assert_true(r.driver.h >= h);
    ride_end(&r);
}

// Who samples steps may do so less in one that is much shorter than its error allows.
static void steps_cut_to_a_quarter_are_known(void **state)
{
    (void)state;
    plan p = plan_default();
    p.method = "radau5";
    ride r;
    ride_model(&r, model_read("pendulum", NULL, 0), &p);
    ride_to(&r, 0.5);
    static const struct {
        double share;  // of the step that the method wants
        bool cut;
    } cases[] = {{0.1, true}, {0.05, true}, {0.9, false}, {2.5, false}};
    for (int i = 0; i < 4; i++) {
        const double t = ride_state(&r)->t, h = r.driver.h;
        OK(tmli_driver_step(&r.driver, t + cases[i].share * h, err));
        assert_int_equal(r.driver.cut, cases[i].cut);
    }
    ride_end(&r);
    p.h = 0.01;  // fixed steps have no error that would allow more
    ride_model(&r, model_read("pendulum", NULL, 0), &p);
    OK(tmli_driver_step(&r.driver, 0.001, err));
    assert_false(r.driver.cut);
    ride_end(&r);
}

// What would leave a sliver for the last step is cut into two equal ones.
static void the_last_steps_are_even(void **state)
{
    (void)state;
    plan p = plan_default();
    ride r;
    ride_model(&r, model_read("pendulum", NULL, 0), &p);
    r.driver.h = 1e-4;
    OK(tmli_driver_step(&r.driver, 1.01e-4, err));
    CHECK_CLOSE(ride_state(&r)->t, 0.505e-4, 1e-18);
    OK(tmli_driver_step(&r.driver, 1.01e-4, err));
    assert_true(ride_state(&r)->t == 1.01e-4);
    CHECK_CLOSE(r.driver.h_low / r.driver.h_high, 1, 1e-9);
    ride_end(&r);
}

// A method that is never satisfied with its step: its error is `error` h^power.
typedef struct unhappy {
    tml_state state;
    double error, power;
} unhappy;
static tml_status try_step(void *self, double h, double *error, tml_error *err)
{
    const unhappy *m = self;
    (void)err;
    *error = m->error * pow(h, m->power);
    return TML_OK;
}
static double half(void *self, double h, double error, bool accepted)
{
    (void)self, (void)error, (void)accepted;
    return h / 2;
}
static const tml_state *state_of(const void *self) { return &((const unhappy *)self)->state; }

// An error that falls with the step speaks of a sudden change of force, one that does not of round-off.
static void why_steps_vanish(void **state)
{
    (void)state;
    static const tml_method_ops method = {.step = try_step, .next_step = half, .state = state_of};
    for (int power = 0; power < 2; power++) {
        unhappy m = {.error = power ? 1e9 : 50, .power = power};
        tmli_driver d = {.method = &method, .self = &m, .h = 0.1, .h_min = 1e-6, .h_max = 1};
        tml_error err = {0};
        assert_int_equal(tmli_driver_step(&d, 1, &err), TML_ERR_STEP);
        assert_int_equal(d.rejected_error, 17);  // 0.1 s/2^17 < 1e-6 s
        assert_true((strstr(err.msg, "sudden change of force") != NULL) == (power == 1));
        assert_true((strstr(err.msg, "what round-off allows") != NULL) == (power == 0));
    }
}

static void take_step(void *self, double t) { ((unhappy *)self)->state.t = t; }

// Steps that are accepted and become shorter all the same: time must not stand still in silence.
static void accepted_steps_that_vanish_end_the_run(void **state)
{
    (void)state;
    static const tml_method_ops method = {
        .step = try_step, .next_step = half, .accept = take_step, .state = state_of};
    unhappy m = {.error = 0.9};
    tmli_driver d = {.method = &method, .self = &m, .h = 0.1, .h_min = 1e-15, .h_max = 1};
    tml_error err = {0};
    tml_status st = TML_OK;
    int steps = 0;
    for (; steps < 200 && st == TML_OK; steps++) st = tmli_driver_step(&d, 1, &err);
    assert_int_equal(st, TML_ERR_STEP);
    assert_true(steps < 60);  // 0.1 s/2^47 < 1e-15 s
    assert_non_null(strstr(err.msg, "does not decrease with the step size"));
}

static void the_smallest_step_ends_the_ride(void **state)
{
    (void)state;
    plan p = plan_default();
    p.tol = 1e-9;
    p.min_step = 0.01;
    ride r;
    ride_model(&r, model_read("double_pendulum", NULL, 0), &p);
    r.driver.h = 0.05;
    tml_error err = {0};
    assert_int_equal(tmli_driver_step(&r.driver, 1, &err), TML_ERR_STEP);
    printf("%s\n", err.msg);
    assert_int_equal(err.status, TML_ERR_STEP);
    assert_non_null(strstr(err.msg, "the step fell to"));
    assert_non_null(strstr(err.msg, "(minimum 0.01 s)"));
    assert_non_null(strstr(err.msg, "Last cause: the estimated error is"));
    assert_true(err.t == 0);
    assert_true(r.driver.rejected_error > 0);
    assert_true(ride_state(&r)->t == 0);
    ride_end(&r);
}

// ---- no trace ---------------------------------------------------------------------------------------------

// A mass on a spring whose law has no value beyond a length; it flies there within 0.3 s.
static const char ELASTIC[] = "planar: true\n"
                              "gravity: 1\n"
                              "bodies:\n"
                              "  a: {mass: 0.7, inertia: 0.02, position: [1, 0], frames: {left: [-0.3, 0]}}\n"
                              "  b: {mass: 0.4, inertia: 0.01, position: [2, 0.1], velocity: [0.9, 0]}\n"
                              "joints:\n"
                              "  pin: {type: revolute, a: ground, b: a.left, point: [0.7, 0]}\n"
                              "forces:\n"
                              "  rubber: {type: spring, a: a, b: b, law: \"0.1*(1.25 - length)^1.5\"}\n";

static void check_untouched(const tml_state *now, const tml_state *before)
{
    assert_true(now->t == before->t);
    assert_memory_equal(now->q, before->q, (size_t)now->nq * sizeof(double));
    assert_memory_equal(now->u, before->u, (size_t)now->n * sizeof(double));
    assert_memory_equal(now->udot, before->udot, (size_t)now->n * sizeof(double));
    assert_memory_equal(now->lambda, before->lambda, (size_t)now->m * sizeof(double));
    if (now->na) assert_memory_equal(now->angle, before->angle, (size_t)now->na * sizeof(double));
}

static void a_force_without_value_is_named(void **state)
{
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        plan p = plan_default();
        p.h = fixed ? 1e-3 : 0;
        p.duration = 1;
        ride r;
        ride_model(&r, model_parse(ELASTIC, NULL, 0), &p);
        tml_state *before = NULL;
        OK(tml_state_create(r.sys, &before, err));
        tml_error err = {0};
        tml_status st = TML_OK;
        long steps = 0;
        while (st == TML_OK) {
            tml_state_copy(before, ride_state(&r));
            steps = ride_count(&r).steps;
            st = tmli_driver_step(&r.driver, 1, &err);
        }
        printf("t = %.6f s: %s\n", err.t, err.msg);
        assert_int_equal(st, TML_ERR_NAN);
        assert_non_null(strstr(err.msg, "'rubber'"));
        if (fixed) assert_non_null(strstr(err.msg, "The step is fixed at 0.001 s"));
        assert_true(err.t == before->t && err.t > 0.1 && err.t < 0.5);
        assert_int_equal(ride_count(&r).steps, steps);
        check_untouched(ride_state(&r), before);
        // and it goes on as it was: the same again
        assert_int_equal(tmli_driver_step(&r.driver, 1, &err), TML_ERR_NAN);
        check_untouched(ride_state(&r), before);
        tml_state_destroy(before, r.sys);
        ride_end(&r);
    }
}

// Newton that fails, and trials that the error test rejects, in the middle of a ride.
static void failed_trials_leave_no_trace(void **state)
{
    (void)state;
    static const char *const models[] = {"double_pendulum", "heavy_top", "governor"};
    for (int m = 0; m < 3; m++) {
        plan p = plan_default();
        ride r;
        ride_model(&r, model_read(models[m], NULL, 0), &p);
        ride_steps(&r, 7);
        tml_state *before = NULL, *inside = NULL, *later = NULL;
        OK(tml_state_create(r.sys, &before, err));
        OK(tml_state_create(r.sys, &inside, err));
        OK(tml_state_create(r.sys, &later, err));
        tml_state_copy(before, ride_state(&r));
        r.driver.method->interpolate(r.driver.self, 0.3, inside);
        int failed = 0;
        for (double h = 0.2; h < 1e3; h *= 3) {
            double error = 0;
            tml_error err = {0};
            const tml_status st = r.driver.method->step(r.driver.self, h, &error, &err);
            failed += st != TML_OK;
            if (st != TML_OK) assert_true(strlen(err.msg) > 20);
            assert_true(st != TML_OK || error > 1);
            check_untouched(ride_state(&r), before);
        }
        assert_true(failed > 0);
        r.driver.method->interpolate(r.driver.self, 0.3, later);
        check_untouched(later, inside);
        assert_int_equal(ride_count(&r).steps, 7);
        tml_state_destroy(before, r.sys);
        tml_state_destroy(inside, r.sys);
        tml_state_destroy(later, r.sys);
        ride_end(&r);
    }
}

// ---- dense output -----------------------------------------------------------------------------------------

// Both ends of a step are those of its states, in position and velocity; the rate of the interpolated
// positions there is the velocity, so the curve has no corner between steps.
static void dense_output_has_no_corners(void **state)
{
    (void)state;
    plan p = plan_default();
    ride r;
    ride_model(&r, model_read("heavy_top", NULL, 0), &p);
    const tml_system *s = r.sys;
    tml_state *x[3], *y[3];
    for (int i = 0; i < 3; i++) {
        OK(tml_state_create(s, &x[i], err));
        OK(tml_state_create(s, &y[i], err));
    }
    double d[3], *rate = calloc((size_t)s->n, sizeof *rate);
    for (int k = 0; k < 12; k++) {
        tml_state_copy(x[0], ride_state(&r));
        ride_steps(&r, 1);
        tml_state_copy(x[1], ride_state(&r));
        const double h = x[1]->t - x[0]->t;
        for (int end = 0; end < 2; end++) {
            r.driver.method->interpolate(r.driver.self, end, y[0]);
            state_distance(s, x[end], y[0], d);
            CHECK_SMALL(d[0], 1e-14);
            CHECK_SMALL(d[1], 1e-12);  // of 150 rad/s
            CHECK_SMALL(d[2], 1e-14);
            CHECK_CLOSE(y[0]->t, x[end]->t, 1e-15);
            // one-sided difference of second order: error (2 e)^2/3 times the third derivative in theta, at
            // most h^3 w^3; round-off 4 eps/e
            const double e = 1e-5;
            for (int i = 0; i < 2; i++)
                r.driver.method->interpolate(r.driver.self, end ? 1 - (i + 1) * e : (i + 1) * e, y[i]);
            double *near = calloc((size_t)s->n, sizeof *near);
            s->ops->local(s->self, x[end]->q, y[0]->q, near);
            s->ops->local(s->self, x[end]->q, y[1]->q, rate);
            for (int j = 0; j < s->n; j++) {
                const double slope = (4 * near[j] - rate[j]) / (2 * e * h) * (end ? -1 : 1);
                CHECK_CLOSE(slope, x[end]->u[j], 1e-9 / h + 1e-9 * 150);
            }
            free(near);
        }
    }
    for (int i = 0; i < 3; i++) {
        tml_state_destroy(x[i], s);
        tml_state_destroy(y[i], s);
    }
    free(rate);
    ride_end(&r);
}

// The position at theta = 0.3 of the step at t = 0.125 s, against 64 small steps that end there, from the
// state at the start of that step: the error of the interpolation, with the local error of one step (third
// order).
static double dense_error(const char *model, double h)
{
    plan p = plan_default();
    p.rho = 0;
    p.h = h;
    ride r, f;
    ride_model(&r, model_read(model, NULL, 0), &p);
    ride_to(&r, 0.125);
    tml_state *start = NULL, *y = NULL;
    OK(tml_state_create(r.sys, &start, err));
    OK(tml_state_create(r.sys, &y, err));
    tml_state_copy(start, ride_state(&r));
    OK(tmli_consistent_accelerations(&r.consistent, start, err));
    ride_steps(&r, 1);
    r.driver.method->interpolate(r.driver.self, 0.3, y);
    p.h = 0.3 * h / 64;
    ride_model(&f, model_read(model, NULL, 0), &p);
    OK(f.driver.method->start(f.driver.self, start, err));
    ride_steps(&f, 64);
    CHECK_CLOSE(ride_state(&f)->t, y->t, 1e-12);
    double d[3];
    state_distance(r.sys, ride_state(&f), y, d);
    tml_state_destroy(start, r.sys);
    tml_state_destroy(y, r.sys);
    ride_end(&f);
    ride_end(&r);
    return d[0];
}

static void dense_output_is_of_third_order(void **state)
{
    (void)state;
    static const char *const models[] = {"double_pendulum", "heavy_top"};
    static const double steps[] = {0x1p-8, 0x1p-11};
    for (int m = 0; m < 2; m++) {
        const double coarse = dense_error(models[m], steps[m]), fine = dense_error(models[m], steps[m] / 2);
        printf("%s: error of positions at theta = 0.3: %.2e, slope %.3f\n", models[m], fine,
               log2(coarse / fine));
        assert_true(log2(coarse / fine) > 2.8);
        assert_true(fine < 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_is_hit_exactly),
        cmocka_unit_test(a_step_cut_for_the_end_does_not_slow_the_rest),
        cmocka_unit_test(steps_cut_to_a_quarter_are_known),
        cmocka_unit_test(the_last_steps_are_even),
        cmocka_unit_test(why_steps_vanish),
        cmocka_unit_test(accepted_steps_that_vanish_end_the_run),
        cmocka_unit_test(the_smallest_step_ends_the_ride),
        cmocka_unit_test(a_force_without_value_is_named),
        cmocka_unit_test(failed_trials_leave_no_trace),
        cmocka_unit_test(dense_output_has_no_corners),
        cmocka_unit_test(dense_output_is_of_third_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

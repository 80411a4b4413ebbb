// The control of the step, for all methods: what positions may be off by; that the change of a step goes with
// the power of the step that the estimate has; that with control `all` the multipliers keep the tolerance;
// and how steps grow again after some that could not be solved.
#include "integrate/core/error_weights.h"
#include "integrate/core/step_control.h"
#include "integrate/order.h"

// What positions may be off by: atol in lengths of the model or radians, and for translations rtol of the way
// from the start.
static void allowed_positions(void **state)
{
    (void)state;
    plan p = plan_default();
    ride r;
    ride_model(&r, model_read("heavy_top", NULL, 0), &p);
    tml_integrator_options opt = tml_integrator_options_default();
    opt.run.atol = 1e-5;
    opt.run.rtol = 1e-3;
    tmli_weights w;
    OK(tmli_weights_create(r.sys, &opt, &w, err));
    const double moved[6] = {2, -3, 0, 4, -5, 6};
    for (int j = 0; j < r.sys->n; j++) {
        const bool translation = r.sys->kind[j] == TML_COORDINATE_TRANSLATION;
        const double allowed = translation ? 1e-5 * r.sys->length + 1e-3 * fabs(moved[j]) : 1e-5;
        CHECK_CLOSE(tmli_weights_position(&w, j, moved), allowed, 1e-18);
    }
    tmli_weights_clear(&w);
    ride_end(&r);
}

// A pendulum without constraints, with some damping: nothing but the method's own error is in the estimate.
static tml_status inertia(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = 1;
    return TML_OK;
}
static tml_status swing(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)user;
    f[0] = -9 * sin(q[0]) - 0.2 * u[0];
    return TML_OK;
}

static void ride_swing(ride *r, const plan *p)
{
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 1;
    def.mass = inertia;
    def.force = swing;
    tml_system *sys = NULL;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    ride_user(r, sys, (double[]){1.1}, (double[]){0.4}, p);
}

// The estimate of the step that ends at t = 1/2 s, after even ones.
static double estimate_at(const plan *p, int steps)
{
    ride r;
    double error = 0;
    ride_swing(&r, p);
    for (int i = 1; i <= steps; i++) {
        OK(r.driver.method->step(r.driver.self, 0.5 / steps, &error, err));
        r.driver.method->accept(r.driver.self, 0.5 * i / steps);
    }
    ride_end(&r);
    return error;
}

// The step after one of 0.01 s that is rejected with this error.
static double cut_of(const plan *p, double rejected)
{
    ride r;
    double error;
    ride_swing(&r, p);
    OK(r.driver.method->step(r.driver.self, 0.01, &error, err));
    const double next = r.driver.method->next_step(r.driver.self, 0.01, rejected, false);
    ride_end(&r);
    return next;
}

// A step rejected with f times the error is cut by f^(1/p) more, where p is the power of h in the estimate.
static void cuts_follow_the_estimate(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        int order, steps;
        double low, high;  // errors at which no bound of the cut is met
    } cases[] = {{"genalpha", 5, 64, 2, 6},   {"hht", 5, 64, 2, 6},     {"newmark", 5, 64, 2, 6},
                 {"midpoint", 5, 64, 2, 6},   {"bdf", 1, 64, 1.2, 1.6}, {"bdf", 2, 64, 2, 4},
                 {"bdf", 3, 64, 2, 8},        {"bdf2", 5, 64, 2, 4},    {"ggl", 3, 64, 2, 8},
                 {"radau3", 5, 32, 2, 8},     {"radau5", 5, 16, 4, 16}, {"ggl-radau3", 5, 32, 2, 8},
                 {"ggl-radau5", 5, 16, 4, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan p = plan_default();
        p.method = cases[i].method;
        p.max_order = cases[i].order;
        const double coarse = estimate_at(&p, cases[i].steps), fine = estimate_at(&p, 2 * cases[i].steps);
        const double power = log2(coarse / fine);
        const double less = cut_of(&p, cases[i].low), more = cut_of(&p, cases[i].high);
        const double assumed = log(cases[i].high / cases[i].low) / log(less / more);
        printf("%-10s order %d: estimate of power %.2f, assumed %.2f\n", p.method, p.max_order, power,
               assumed);
        CHECK_CLOSE(power / assumed, 1, 0.12);
        assert_true(more < less && less < 0.01);
    }
}

// With control `all` the multipliers of accepted points are within ten times the tolerance of those of a fine
// ride; without it they are farther off.
static void multipliers_under_control(void **state)
{
    (void)state;
    static const char *const methods[] = {"radau3", "radau5", "ggl-radau5"};
    const double tol = 1e-3;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        double worst[2] = {0};
        long steps[2];
        for (int all = 0; all < 2; all++) {
            plan p = plan_default(), q;
            p.method = methods[i];
            p.tol = tol;
            p.duration = 0.2;
            p.control = all ? TML_CONTROL_ALL : TML_CONTROL_MOTION;
            q = p;
            q.method = "ggl-radau5";
            q.control = TML_CONTROL_MOTION;
            q.tol = 1e-8;
            ride r, fine;
            order_start(&r, &order_cases[0], &p);
            order_start(&fine, &order_cases[0], &q);
            while (ride_state(&r)->t < 0.2) {
                double d[3];
                OK(tmli_driver_step(&r.driver, 0.2, err));
                ride_to(&fine, ride_state(&r)->t);
                state_distance(r.sys, ride_state(&fine), ride_state(&r), d);
                worst[all] = fmax(worst[all], d[2]);
            }
            steps[all] = ride_count(&r).steps;
            ride_end(&r);
            ride_end(&fine);
        }
        printf("%-10s multipliers off by %.1e in %ld steps, under control %.1e in %ld\n", methods[i],
               worst[0], steps[0], worst[1], steps[1]);
        CHECK_SMALL(worst[1], 10 * tol);
        assert_true(worst[1] < worst[0] / 2 && steps[1] > steps[0]);
    }
}

// A motion of which each step has no error and can be solved if it is not longer than `longest` and does not
// reach a multiple of `period` from nearer than `near` (infinite: none).
typedef struct course {
    double longest, period, near;
    int steps, failures;
} course;

static void follow(course *c, double t_end)
{
    tmli_step_control control = {.wanted = TMLI_WANTED_ERROR, .growth = 4, .one_step = true};
    double h = 1e-3;
    tmli_step_start(&control);
    c->steps = c->failures = 0;
    for (double t = 0; t < t_end;) {
        const double place = c->period * floor(t / c->period + 1);
        const bool reaches = t + h >= place && h > c->near;
        assert_true(h > 1e-9);
        if (h > c->longest || reaches) {
            tmli_step_failed(&control, h);
            h *= TMLI_SMALLEST_RATIO;
            c->failures++;
            continue;
        }
        t += h;
        h = fmin(1, tmli_step_next(&control, h, 1e-9, 4, true));  // errors allow steps of 1
        c->steps++;
    }
}

// A place that only short steps pass is left behind within some steps, each time it comes. If the limit grew
// by LIMIT_RELEASE alone, steps of 1/1000 would grow back to 1 in 140 steps, or never.
static void steps_leave_a_place(void **state)
{
    (void)state;
    for (double near = 0.1; near > 1e-4; near /= 10) {
        course c = {.longest = INFINITY, .period = 50, .near = near};
        follow(&c, 1000);  // 19 places
        printf("places passed by steps of %g: %d steps, %d failures\n", near, c.steps, c.failures);
        assert_true(c.failures >= 19 && c.failures < 19 * (3 - 3 * log10(near)));
        assert_true(c.steps < 1000 + 19 * (10 - 20 * log10(near)));
    }
}

// Where no step above a size can be solved, at most one step in ten fails, and the mean is half of that size.
static void steps_stay_below_a_size(void **state)
{
    (void)state;
    for (double longest = 0.7; longest > 1e-3; longest /= 3) {
        course c = {.longest = longest, .period = INFINITY, .near = INFINITY};
        follow(&c, 1000 * longest);
        printf("steps up to %g: mean %.3g, %.1f %% failures\n", longest, 1000 * longest / c.steps,
               100.0 * c.failures / c.steps);
        assert_true(10 * c.failures < c.steps);
        assert_true(c.steps < 2000);
    }
}

// A rejected step of a one-step method is repeated with the step that gives the error wanted, and no shorter;
// one of a multistep method, whose grid changes, and one that is rejected again, with a share of it.
static void one_safety_for_one_step_methods(void **state)
{
    (void)state;
    const double h = 0.1, error = 5, power = 4, share = pow(TMLI_REJECTED_RATIO, power);
    for (int one_step = 0; one_step < 2; one_step++) {
        tmli_step_control control = {.wanted = TMLI_WANTED_ERROR, .growth = 4, .one_step = one_step};
        tmli_step_start(&control);
        for (int again = 0; again < 2; again++) {
            const double next = tmli_step_next(&control, h, error, power, false);
            const double expected = error * pow(next / h, power) / TMLI_WANTED_ERROR;
            CHECK_CLOSE(expected, one_step && !again ? 1 : share, 1e-12);
        }
    }
}

enum { POWER = 8 };

static tmli_step_control explicit_control(bool anticipates)
{
    tmli_step_control c = {.wanted = TMLI_WANTED_ERROR_EXPLICIT,
                           .growth = 4,
                           .damped = true,
                           .one_step = true,
                           .anticipates = anticipates};
    tmli_step_start(&c);
    return c;
}

// Steps rejected on the way into a sharp peak at t = 0 of the rate 1/s(t), s = sqrt(t^2 + width^2): a step
// has the error (2 h/s)^8 of the rate at its end.
static int rejected_into_a_peak(bool anticipates, double width)
{
    tmli_step_control c = explicit_control(anticipates);
    int rejected = 0;
    for (double t = -1, h = 0.1; t < 0;) {
        const double error = pow(2 * h / hypot(t + h, width), POWER);
        const bool accepted = error <= 1;
        if (accepted) t += h;
        else rejected++;
        h = tmli_step_next(&c, h, error, POWER, accepted);
    }
    return rejected;
}

// A controller that anticipates growing errors meets a peak with fewer rejected steps.
static void peaks_are_anticipated(void **state)
{
    (void)state;
    int rejected[2] = {0};
    for (double width = 0.1; width > 1e-4; width /= 1.3)
        for (int i = 0; i < 2; i++) rejected[i] += rejected_into_a_peak(i, width);
    printf("into peaks: %d steps rejected, %d if anticipated\n", rejected[0], rejected[1]);
    assert_true(2 * rejected[1] < rejected[0]);
}

// The step after errors of 0.01 and of this one, both of 0.1 s.
static double step_after(bool anticipates, double error)
{
    tmli_step_control c = explicit_control(anticipates);
    tmli_step_next(&c, 0.1, 0.01, POWER, true);
    return tmli_step_next(&c, 0.1, error, POWER, true);
}

// An error that grew to 0.5, by 50, is expected to be 0.5 50^1.3 = 80.84 at the next equal step. Growth by
// less than eight changes nothing.
static void growth_goes_on(void **state)
{
    (void)state;
    CHECK_CLOSE(pow(step_after(true, 0.5) / 0.1, POWER) * 80.84 / TMLI_WANTED_ERROR_EXPLICIT, 1, 1e-3);
    assert_true(step_after(false, 0.5) > step_after(true, 0.5));
    assert_true(step_after(false, 0.07) == step_after(true, 0.07));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allowed_positions),         cmocka_unit_test(cuts_follow_the_estimate),
        cmocka_unit_test(multipliers_under_control), cmocka_unit_test(steps_leave_a_place),
        cmocka_unit_test(steps_stay_below_a_size),   cmocka_unit_test(one_safety_for_one_step_methods),
        cmocka_unit_test(peaks_are_anticipated),     cmocka_unit_test(growth_goes_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

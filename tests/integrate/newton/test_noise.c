// Tolerances near round-off: estimates that are round-off must not make the steps smaller and smaller, since
// that makes them worse. Each case once ended with a step below 1e-15 s.
#include "integrate/core/error_weights.h"
#include "integrate/fixture.h"

typedef struct tight {
    const char *model, *method;
    double tol, duration, end;  // [s]
    long steps;  // at most; twice those made, where the orders of the methods lead to expect them
} tight;

static const tight CASES[] = {
    {"slider_crank", "bdf", 1e-11, 0.6, 0.6, 6000},
    {"slider_crank", "ggl", 1e-11, 0.6, 0.6, 8000},
    {"stiff_double_pendulum", "bdf", 1e-11, 2, 2, 12000},
    {"slider_crank", "genalpha", 1e-11, 0.6, 0.02, 17000},
};

static void steps_do_not_collapse(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const tight *c = &CASES[i];
        plan p = plan_default();
        p.method = c->method;
        p.tol = c->tol;
        p.duration = c->duration;
        p.solver = &tml_linsolver_klu;
        ride r;
        tml_error err = {0};
        ride_model(&r, model_read(c->model, NULL, 0), &p);
        while (ride_state(&r)->t < c->end) {
            // the speed-up of the crank ends there, and so does a step in a simulation
            const double t = ride_state(&r)->t, stop = t < 0.2 && c->end > 0.2 ? 0.2 : c->end;
            if (tmli_driver_step(&r.driver, stop, &err) != TML_OK) fail_msg("%s: %s", c->method, err.msg);
            if (ride_count(&r).steps > c->steps)
                fail_msg("%s, %s: %ld steps at t = %g s", c->model, c->method, ride_count(&r).steps, t);
        }
        printf("%-22s %-9s tol %g: %ld steps\n", c->model, c->method, c->tol, ride_count(&r).steps);
        ride_end(&r);
    }
}

// What round-off adds to what is allowed is nothing at tolerances that people use, and matters near eps.
static void round_off_in_what_is_allowed(void **state)
{
    (void)state;
    plan p = plan_default();
    ride r;
    ride_model(&r, model_read("pendulum", NULL, 0), &p);
    tml_integrator_options opt = tml_integrator_options_default();
    opt.duration = 10;
    for (int i = 0; i < 2; i++) {
        tmli_weights w;
        opt.run.rtol = opt.run.atol = i ? 1e-13 : 1e-6;
        OK(tmli_weights_create(r.sys, &opt, &w, err));
        tmli_weights_start(&w, r.x0);
        const double h = i ? 1e-6 : 1e-3, moved[2] = {0}, share = tmli_weights_budget(&w, h);
        const double u = tmli_weights_step_velocity(&w, 0, h) / (tmli_weights_velocity(&w, 0) * share);
        const double q =
            tmli_weights_step_position(&w, 0, moved, h) / (tmli_weights_position(&w, 0, moved) * share);
        const double across = tmli_weights_velocity_across(&w, 0, h, 1, 1) / tmli_weights_velocity(&w, 0);
        assert_true(i ? u > 100 : u < 1.0001);
        assert_true(i ? q > 100 : q < 1.0001);
        assert_true(i ? across > 100 : across < 1.0001);
        tmli_weights_clear(&w);
    }
    ride_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_do_not_collapse),
                                       cmocka_unit_test(round_off_in_what_is_allowed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

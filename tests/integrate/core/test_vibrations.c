// Time scale and energy of the motion: what a part may lose of its energy is bounded, whatever the steps, and
// no other part has it to give.
#include "integrate/core/vibrations.h"
#include "integrate/order.h"

// A point of 0.7 kg and one of 40 kg, which nothing joins.
static ride begin(tmli_vibrations *v, double tol, double duration)
{
    plan p = plan_default();
    p.method = "radau5";
    ride r;
    ride_model(&r,
               model_parse("planar: true\nbodies: {a: {mass: 0.7, point: true, velocity: [3, 0]}, "
                           "b: {mass: 40, point: true, position: [1, 0], velocity: [3, 0]}}\n",
                           NULL, 0),
               &p);
    tml_integrator_options opt = tml_integrator_options_default();
    opt.run.atol = opt.run.rtol = tol;
    opt.duration = duration;
    OK(tmli_vibrations_create(r.sys, &opt, v, err));
    tmli_vibrations_start(v, r.x0);
    return r;
}

// The state at t has these velocities beside those of the start.
static void track(tmli_vibrations *v, const ride *r, double t, double a, double b, double aMa, bool lost)
{
    r->x0->u[0] = 3 + a;
    r->x0->u[2] = 3 + b;
    tmli_vibrations_set_change(v, r->x0);
    const double Mw[4] = {0.7 * a, 0, 40 * b, 0};
    tmli_vibrations_track(v, t, Mw, aMa, lost);
}

static void end(ride *r, tmli_vibrations *v)
{
    tmli_vibrations_clear(v);
    ride_end(r);
}

// Steps that take all they may from the first point, short and long: together no more than the tolerance of
// its energy, which is that of its motion beside the other one, and the first ones not all of it.
static void losses_are_bounded(void **state)
{
    (void)state;
    const double tol = 3e-4, T = 2.7, E = 0.7 * 0.3 * 0.3 / 2, a[4] = {1, 0, 0, 0}, Ma[4] = {0.7, 0, 0, 0};
    for (double h = T / 7; h > T / 20000; h /= 3) {
        tmli_vibrations v;
        ride r = begin(&v, tol, T);
        track(&v, &r, 0, 0.3, 5, 1, false);
        const double first = 1 / tmli_vibrations_judge(&v, 1e-9 * T, 1, a, Ma);
        CHECK_CLOSE(first / (tol * E), 0.05, 1e-6);
        for (double t = h; t < T * (1 + 1e-9); t += h) {
            const double most = 1 / tmli_vibrations_judge(&v, h, 1, a, Ma);
            CHECK_CLOSE(tmli_vibrations_judge(&v, h, most, a, Ma), 1, 1e-12);
            track(&v, &r, t, 0.2, 5, 1, true);
        }
        printf("h = %.1e s: lost %.4f of tol E\n", h, v.lost / (tol * E));
        assert_true(v.lost <= tol * E * 1.1);  // the last step may pass by what is spread over the time
        assert_true(v.lost > 0.45 * tol * E);
        end(&r, &v);
    }
}

// A vibration has the time scale 1/w, whether it moves along or not; just behind a discontinuity it is what
// has passed since.
static void time_scales(void **state)
{
    (void)state;
    const double w = 13, h = 1e-3;
    tmli_vibrations v;
    ride r = begin(&v, 1e-4, 3);
    for (int i = 1; i <= 3000; i++) {
        const double s = sin(w * h * i), c = cos(w * h * i);
        track(&v, &r, h * i, s, 0, 0.7 * w * w * c * c, false);
    }
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 0.1), 0.2 / w, 2e-4);
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 40), 0.2 / 40, 1e-15);
    r.x0->t = 3;
    tmli_vibrations_start(&v, r.x0);
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 0.1), 0, 1e-15);
    track(&v, &r, 3.001, 0.5, 0, 1, false);
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 0.1), 0.2e-3, 1e-12);
    end(&r, &v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(losses_are_bounded), cmocka_unit_test(time_scales)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

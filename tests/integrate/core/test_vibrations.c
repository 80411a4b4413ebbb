// Time scale and energy of the motion: what a run may lose of its energy is bounded, whatever its steps.
#include "integrate/core/vibrations.h"
#include "integrate/order.h"

static tmli_vibrations begin(double tol, double duration)
{
    tmli_vibrations v = {.duration = duration, .tol = tol, .t_start = NAN};
    tmli_vibrations_start(&v, 0);
    return v;
}

// Steps that take all they may, short and long: together no more than the tolerance of the energy, and the
// first ones not all of it.
static void losses_are_bounded(void **state)
{
    (void)state;
    const double tol = 3e-4, T = 2.7, E = 8.4;
    for (double h = T / 7; h > T / 20000; h /= 3) {
        tmli_vibrations v = begin(tol, T);
        tmli_vibrations_track(&v, 0, 2 * E, 1, 0);
        CHECK_CLOSE(tmli_vibrations_allowed_loss(&v, 1e-9 * T) / (tol * E), 0.05, 1e-6);
        for (double t = h; t < T * (1 + 1e-9); t += h)
            tmli_vibrations_track(&v, t, E, 1, tmli_vibrations_allowed_loss(&v, h));
        printf("h = %.1e s: spent %.4f of tol E\n", h, v.spent / (tol * E));
        assert_true(v.spent <= tol * E * 1.1);  // the last step may pass by what is spread over the time
        assert_true(v.spent > 0.45 * tol * E);
    }
}

// A vibration has the time scale 1/w, a rigid motion as well has that of its rate; just behind a
// discontinuity it is what has passed since.
static void time_scales(void **state)
{
    (void)state;
    const double w = 13, h = 1e-3;
    tmli_vibrations v = begin(1e-4, 3);
    for (int i = 1; i <= 3000; i++) {
        const double s = sin(w * h * i), c = cos(w * h * i);
        tmli_vibrations_track(&v, h * i, s * s, w * w * c * c, 0);
    }
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 0.1), 0.2 / w, 2e-4);
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 40), 0.2 / 40, 1e-15);
    tmli_vibrations_start(&v, 3);
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 0.1), 0, 1e-15);
    tmli_vibrations_track(&v, 3.001, 0.5, 1, 0);
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 0.1), 0.2e-3, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(losses_are_bounded), cmocka_unit_test(time_scales)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

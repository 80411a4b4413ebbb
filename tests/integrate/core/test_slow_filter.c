// Velocities on a time scale: of a vibration of frequency w the filter leaves 1/(1 + kappa^2 w^2)^2, of
// motion that no force holds all, and nothing across the constraints.
#include "integrate/core/slow_filter.h"
#include "integrate/order.h"

// Two masses on rails with a spring between them.
static const char *const MODEL = "planar: true\n"
                                 "bodies:\n"
                                 "  a: {mass: 0.7, inertia: 0.1, position: [0, 0]}\n"
                                 "  b: {mass: 1.9, inertia: 0.1, position: [1, 0]}\n"
                                 "joints:\n"
                                 "  rail: {type: prismatic, a: ground, b: a, axis: [1, 0]}\n"
                                 "  slide: {type: prismatic, a: ground, b: b, axis: [1, 0]}\n"
                                 "forces:\n"
                                 "  spring: {type: spring, a: a, b: b, stiffness: 5300, length: 1}\n";

static void filter(tmli_slow_filter *f, const tml_state *x, double kappa, double a, double b, double out[6])
{
    const double v[6] = {a, 0, 0, b, 0, 0};
    memcpy(out, v, sizeof v);
    assert_true(tmli_slow_filter_factor(f, x, kappa));
    tmli_slow_filter_apply(f, out);
}

static void leaves_slow_motion(void **state)
{
    (void)state;
    plan p = plan_default();
    p.method = "radau5";
    ride r;
    ride_model(&r, model_parse(MODEL, NULL, 0), &p);
    assert_int_equal(r.sys->n, 6);
    tmli_slow_filter f;
    OK(tmli_slow_filter_create(r.sys, tml_linsolver_find("klu"), NULL, &f, err));
    OK(tmli_slow_filter_set_mass(&f, r.x0, err));
    const double w = sqrt(5300 * (1 / 0.7 + 1 / 1.9));
    for (double kappa = 0.03 / w; kappa < 100 / w; kappa *= 2.3) {
        double v[6];
        const double left = pow(1 + pow(kappa * w, 2), -2);
        filter(&f, r.x0, kappa, 0.3, -0.3 * 0.7 / 1.9, v);  // the vibration
        CHECK_CLOSE(v[0], 0.3 * left, 1e-12);
        CHECK_CLOSE(v[3], -0.3 * 0.7 / 1.9 * left, 1e-12);
        filter(&f, r.x0, kappa, 0.3, 0.3, v);  // both together
        CHECK_CLOSE(v[0], 0.3, 1e-10);
        CHECK_CLOSE(v[3], 0.3, 1e-10);
    }
    // of a displacement by 0.02, whose acceleration is -w^2 times it, together with a slow motion
    for (double x = 0.1; x < 30; x *= 3) {
        const double udot[6] = {-0.02 * w * w + 5, 0, 0, 0.02 * 0.7 / 1.9 * w * w + 5};
        double d[6];
        assert_true(tmli_slow_filter_factor(&f, r.x0, x / w));
        tmli_slow_filter_fast_part(&f, udot, d);
        CHECK_CLOSE(d[0], 0.02 * pow(x * x / (1 + x * x), 3), 1e-11);
        CHECK_CLOSE(d[3], -0.02 * 0.7 / 1.9 * pow(x * x / (1 + x * x), 3), 1e-11);
    }
    const double apart[6] = {0.3, 0, 0, -0.3 * 0.7 / 1.9}, along[6] = {0.3, 0, 0, 0.3};
    assert_true(tmli_slow_filter_vibrates(&f, r.x0, 1.01 / w, apart));
    assert_false(tmli_slow_filter_vibrates(&f, r.x0, 0.99 / w, apart));
    assert_false(tmli_slow_filter_vibrates(&f, r.x0, 100 / w, along));
    double v[6] = {0.2, 0.5, -0.4, 0.2, 0.1, 0.6}, Mv[6];
    assert_true(tmli_slow_filter_factor(&f, r.x0, 0.01));
    tmli_slow_filter_apply(&f, v);  // across the constraints
    for (int j = 0; j < 6; j++) CHECK_CLOSE(v[j], j % 3 == 0 ? 0.2 : 0, 1e-12);
    CHECK_CLOSE(tmli_slow_filter_square(&f, v, Mv), 2.6 * 0.04, 1e-12);
    CHECK_CLOSE(Mv[3], 1.9 * 0.2, 1e-12);
    tmli_slow_filter_clear(&f);
    ride_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_slow_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

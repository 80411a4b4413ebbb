// Increments of constraints given by callbacks, and the accuracy of difference quotients.
#include "support/support.h"

#include <trammel/system.h>

#include <math.h>

static tml_status mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[3] = 1.3;
    return TML_OK;
}

static tml_status force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)q, (void)u, (void)user;
    f[1] = -9.81;
    return TML_OK;
}

// A curve sin(x) exp(y) = constant: it is no polynomial.
static tml_status constraint(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = sin(q[0]) * exp(q[1]) - 0.6;
    return TML_OK;
}

static tml_status jacobian(double t, const double *q, double *B, void *user)
{
    (void)t, (void)user;
    B[0] = cos(q[0]) * exp(q[1]);
    B[1] = sin(q[0]) * exp(q[1]);
    return TML_OK;
}

// sin(x + a) e^(y + b) - sin(x) e^y without cancellation.
static double exact_increment(const double *q, const double *d)
{
    const double change = 2 * cos(q[0] + d[0] / 2) * sin(d[0] / 2);  // of the sine
    return exp(q[1]) * (change * exp(d[1]) + sin(q[0]) * expm1(d[1]));
}

static tml_status increment(double t0, const double *q0, double t1, const double *d, double *dphi, void *user)
{
    (void)t0, (void)t1, (void)user;
    dphi[0] = exact_increment(q0, d);
    return TML_OK;
}

static tml_user_system_def define(void)
{
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 2;
    def.m = 1;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    return def;
}

static void measure(const tml_user_system_def *def, double size, double *error)
{
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tml_error err = {0};
    assert_int_equal(tml_system_create_user(def, NULL, &sys, &err), TML_OK);
    assert_int_equal(tml_state_create(sys, &x, &err), TML_OK);
    void *w = sys->ops->create_work(sys->self, NULL);
    const double d[2] = {0.73 * size, -0.41 * size};
    double dphi[1];
    x->q[0] = 0.731;
    x->q[1] = -0.117;
    assert_non_null(sys->ops->increment);
    assert_int_equal(sys->ops->increment(sys->self, w, x, d, 0.2, dphi, &err), TML_OK);
    *error = fabs(dphi[0] / exact_increment(x->q, d) - 1);
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
}

// The increment has its own digits, from 1e-12 to 1 lengths: by the callback or from the rows. Where the rows
// are not integrated (above 0.01) the round-off of Phi, 1e-16, over the increment remains.
static void increments_keep_their_digits(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        tml_user_system_def def = define();
        if (k == 0) def.constraint_increment = increment;
        else def.constraint_jacobian = jacobian;
        for (double size = 1e-12; size < 2; size *= 10) {
            double error;
            measure(&def, size, &error);
            if (!(error < 1e-13)) fail_msg("increment of %g, way %d: relative error %g", size, k, error);
        }
    }
}

static void values_are_subtracted_without_rows(void **state)
{
    (void)state;
    const tml_user_system_def def = define();
    tml_system *sys = NULL;
    assert_int_equal(tml_system_create_user(&def, NULL, &sys, NULL), TML_OK);
    assert_null(sys->ops->increment);
    tml_system_destroy(sys);
}

// Rows from differences of Phi: error h^4/30 of the fifth derivative and 1.5 eps/h with h = 1.2e-4, of values
// of Phi up to 2.3: below 7e-12; differences of two points had 4e-11.
static void rows_from_differences(void **state)
{
    (void)state;
    const tml_user_system_def def = define();
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tml_error err = {0};
    assert_int_equal(tml_system_create_user(&def, NULL, &sys, &err), TML_OK);
    assert_int_equal(tml_state_create(sys, &x, &err), TML_OK);
    void *w = sys->ops->create_work(sys->self, NULL);
    rng r = rng_seed(5);
    for (int k = 0; k < 100; k++) {
        double B[2], expected[2] = {0};
        x->q[0] = rng_range(&r, -1, 1);
        x->q[1] = rng_range(&r, -1, 1);
        assert_int_equal(sys->ops->rows(sys->self, w, x, B, &err), TML_OK);
        jacobian(0, x->q, expected, NULL);
        for (int j = 0; j < 2; j++) CHECK_CLOSE(B[j], expected[j], 7e-12);
    }
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(increments_keep_their_digits),
        cmocka_unit_test(values_are_subtracted_without_rows),
        cmocka_unit_test(rows_from_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The radius of the trust region, (2.9) of L. R. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput. 18 (1997)
// 753-774: multipliers are as long as it allows, and elsewhere what they were.
#include "hessenberg/petzold.h"
#include "support/support.h"

#define OK(call)                                                                                \
    do {                                                                                        \
        tml_error ok_err = {0}, *err = &ok_err;                                                 \
        if ((call) != TML_OK) fail_msg("%s:%d: %s: %s", __FILE__, __LINE__, #call, ok_err.msg); \
        (void)err;                                                                              \
    } while (0)

static tml_hessenberg *make(const tml_hessenberg_def *d)
{
    tml_hessenberg *h = NULL;
    OK(tml_hessenberg_create(d, NULL, &h, err));
    return h;
}

// Example 5.1 twice, x2' = 2 - 3 t y2: y = (1, 1/3)/t.
static tml_status pair_force(double t, const double *X, double *f, void *user)
{
    (void)t, (void)X, (void)user;
    f[0] = f[1] = 2;
    return TML_OK;
}
static tml_status pair_input(double t, const double *X, double *B, void *user)
{
    (void)X, (void)user;
    B[0] = t;
    B[3] = 3 * t;
    return TML_OK;
}
static tml_status pair_constraint(double t, const double *X, double *g, void *user)
{
    (void)user;
    for (int i = 0; i < 2; i++) g[i] = t * (X[i] - t - 1);
    return TML_OK;
}

static tml_hessenberg_def pair(void)
{
    static const double start[2] = {0, 0};
    static double sign = 1;
    tml_hessenberg_def d = petzold_1(&sign);
    d.nx = d.ny = 2;
    d.force = pair_force;
    d.input = pair_input;
    d.constraint = pair_constraint;
    d.constraint_jacobian = NULL;
    d.constraint_by_t = NULL;
    d.x0 = start;
    return d;
}

// |y| = a/|t| without a radius; with one it is bounded, and what it was until the bound is met. Behind it x
// returns to t + 1.
static void radius_bounds_multipliers(void **state)
{
    (void)state;
    double sign = 1;
    const double longest = 17.3;
    for (int ny = 1; ny <= 2; ny++) {
        tml_hessenberg_def d = ny == 1 ? petzold_1(&sign) : pair();
        const double a = ny == 1 ? 1 : sqrt(10) / 3;
        d.radius = longest * longest / (2 * d.gamma * d.gamma);  // (2.9) with h = 1/gamma
        d.epsilon = 1e-10;
        d.max_step = 1e-3;
        tml_hessenberg *h = make(&d);
        int active = 0, total = 0;
        while (tml_hessenberg_time(h) < 1) {
            OK(tml_hessenberg_step(h, err));
            const double t = tml_hessenberg_time(h), *y = tml_hessenberg_y(h);
            const double length = ny == 1 ? fabs(y[0]) : hypot(y[0], y[1]), free = a / fabs(t);
            total++;
            active += length > longest * (1 - 1e-3);
            CHECK_SMALL(length, longest * (1 + 1e-3));  // IDA keeps its matrix past the kink
            if (t < 0 && free < 0.99 * longest) CHECK_CLOSE(length, free, 0.01 * free);  // gamma x 1e-5 / t
        }
        printf("radius, %d multipliers: %d of %d steps on it, x off by %.1e\n", ny, active, total,
               fabs(tml_hessenberg_x(h)[0] - tml_hessenberg_time(h) - 1));
        assert_true(active > total / 20);
        for (int i = 0; i < ny; i++) CHECK_CLOSE(tml_hessenberg_x(h)[i], tml_hessenberg_time(h) + 1, 1e-6);
        tml_hessenberg_destroy(h);
    }
}

// A start at which y is on the bound: y must be that of the equations, as later.
static void radius_at_the_start(void **state)
{
    (void)state;
    double sign = 1;
    const double x0 = 0.97;
    tml_hessenberg_def d = petzold_1(&sign);
    d.t0 = -0.03;
    d.x0 = &x0;
    d.epsilon = 1e-8;
    d.radius = 9 * 9 / (2 * d.gamma * d.gamma);  // y = 33 without it
    tml_hessenberg *h = make(&d);
    CHECK_CLOSE(fabs(tml_hessenberg_y(h)[0]), 9, 1e-6);
    tml_hessenberg_destroy(h);
    d.radius = 50 * 50 / (2 * d.gamma * d.gamma);
    h = make(&d);
    const double square = pow(0.03, 4);  // of G B
    CHECK_CLOSE(fabs(tml_hessenberg_y(h)[0]), square / (square + 1e-8) / 0.03, 1e-9);
    tml_hessenberg_destroy(h);
}

static void radius_needs_a_trust_region(void **state)
{
    (void)state;
    double sign = 1;
    tml_hessenberg *h = NULL;
    tml_error e = {0};
    tml_hessenberg_def d = petzold_1(&sign);
    d.radius = -1;
    assert_int_equal(tml_hessenberg_create(&d, NULL, &h, &e), TML_ERR_ARG);
    d.radius = 1;
    d.regularization = TML_REGULARIZATION_DIRECT;
    assert_int_equal(tml_hessenberg_create(&d, NULL, &h, &e), TML_ERR_ARG);
    d.regularization = TML_REGULARIZATION_TRUST_REGION;
    d.epsilon = 0;
    assert_int_equal(tml_hessenberg_create(&d, NULL, &h, &e), TML_ERR_ARG);
    assert_non_null(strstr(e.msg, "radius"));
}

int main(void)
{
    if (!tml_hessenberg_available()) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radius_bounds_multipliers),
        cmocka_unit_test(radius_at_the_start),
        cmocka_unit_test(radius_needs_a_trust_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

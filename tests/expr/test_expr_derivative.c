// Exact derivatives of every operator and function against central differences, and at the special points.
#include "expr/scope.h"

// Each is defined for x in (0.1, 0.9) and y, z in (-2, 2); kinks and jumps have measure zero there.
static const char *const texts[] = {
    "x + 3*y",
    "x - y",
    "x*y",
    "x/(y + 3)",
    "x/z - z/x",
    "-x^2",
    "y^3",
    "y^-2",
    "x^0.7",
    "x^y",
    "y^n",
    "2.3^y",
    "pow(x, z*y)",
    "sin(3*y)",
    "cos(y*z)",
    "tan(x)",
    "asin(x)",
    "acos(x)",
    "asin(x*y/2)",
    "acos(x*y/2)",
    "atan(4*y)",
    "atan2(y, z)",
    "atan2(x*y, z - x)",
    "sinh(y)",
    "cosh(y)",
    "tanh(2*y)",
    "exp(y*z)",
    "log(x)",
    "log10(x + 1)",
    "sqrt(x)",
    "cbrt(y + 3)",
    "cbrt(-x)",
    "abs(y)",
    "sign(y)*x",
    "min(y, z)",
    "max(y*y, z, x)",
    "hypot(y, z)",
    "hypot(x, 2)",
    "mod(7*y, 1.3)",
    "mod(y, x)",
    "mod(y, -x)",
    "floor(3*y)*x",
    "ceil(y) + z",
    "round(5*y)*z",
    "clamp(y, -x, x)",
    "clamp(y*z, -0.5, 0.7)",
    "step(x, 0.3, 2, 0.7, -5)",
    "step(y, 0, 0, 1, 1)",
    "step(y, z - 1, x, z + 1.5, y*z)",
    "step(x, 0.7, z, 0.2, y)",
    "if(y > z, y^2*x, sin(z))",
    "if(y > 0, log(y), x)",
    "if(y > 0, sqrt(y), -sqrt(-y))",
    "(y < z)*y + (y >= z)*z*x",
    "y*(x > 0.5 and z > 0)",
    "y*(x > 0.5 or not z > 0)",
    "(y == z)*x + (y != z)*y",
    "(y <= z)*x",
    "(y) deg",
    "(y*z) deg + 30 deg*x",
    "-(-x*y)",
    "+x^2",
    "sin(x)^2 + cos(x)^2 + y",
    "exp(-x^2)*sin(3*y)/(1 + z^2)^1.5",
    "((x + y)*(y + z))^2/(3 + x*z)",
    "distance(a, b)*x + y*distance(A.tip, b)^2",
};

enum { POINTS = 40, MAXV = 8 };
static const double h = 1e-5;

static void random_point(rng *r, const tmli_expr *e, double *x)
{
    for (int i = 0; i < tmli_expr_nvars(e); i++)
        x[i] = tmli_expr_slot(e, i) == 0 ? rng_range(r, 0.1, 0.9) : rng_range(r, -2, 2);
}

// Compare a derivative with the difference quotients of steps h and 2h. Their difference is three times the
// truncation error of the former; round-off is eps |f|/h = 2e-11 |f|, times the size of intermediate values.
// Returns false where a kink or a pole lies so near that the quotients do not agree and say nothing.
static bool check_quotient(const char *what, const char *text, double found, const double f[5])
{
    const double d = (f[3] - f[1]) / (2 * h), d2 = (f[4] - f[0]) / (4 * h);
    const double truncation = fabs(d2 - d);
    if (!(truncation <= 1e-4 * (1 + fabs(d)))) return false;
    if (!(fabs(d - found) <= truncation + 1e-9 * (1 + fabs(d) + fabs(f[2]))))
        fail_msg("%s of %s = %.12g, difference quotient %.12g", what, text, found, d);
    return true;
}

static void test_gradient(void **state)
{
    (void)state;
    rng r = rng_seed(271828);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tmli_expr *e = compile_ok(texts[i]);
        const int n = tmli_expr_nvars(e);
        int used = 0;
        assert_true(n <= MAXV);
        for (int k = 0; k < POINTS; k++) {
            double x[MAXV] = {0}, g[MAXV];
            random_point(&r, e, x);
            const double v = tmli_expr_grad_mode(e, x, NULL, g);
            assert_true(v == tmli_expr_eval(e, x) || isnan(v));
            for (int j = 0; j < n; j++) {
                const double x_j = x[j];
                double f[5];
                for (int i5 = 0; i5 < 5; i5++) {
                    x[j] = x_j + (i5 - 2) * h;
                    f[i5] = tmli_expr_eval(e, x);
                }
                x[j] = x_j;
                used += check_quotient("partial derivative", texts[i], g[j], f);
            }
        }
        if (used < POINTS * n * 4 / 5)
            fail_msg("%s: only %d of %d differences could be used", texts[i], used, POINTS * n);
        tmli_expr_destroy(e);
    }
}

static void curve(const tmli_expr *e, const double *x, const double *xd, const double *xdd, double tau,
                  double out[3])
{
    double y[MAXV], yd[MAXV];
    for (int i = 0; i < tmli_expr_nvars(e); i++) {
        y[i] = x[i] + tau * xd[i] + tau * tau / 2 * xdd[i];
        yd[i] = xd[i] + tau * xdd[i];
    }
    tmli_expr_jet2_mode(e, y, yd, xdd, NULL, out);
}

// The first derivative against differences of the value, the second against differences of the first.
static void test_jet(void **state)
{
    (void)state;
    rng r = rng_seed(314159);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tmli_expr *e = compile_ok(texts[i]);
        int used = 0;
        for (int k = 0; k < POINTS; k++) {
            double x[MAXV] = {0}, xd[MAXV], xdd[MAXV], g[MAXV], mid[3] = {0}, f0[5], f1[5];
            random_point(&r, e, x);
            for (int j = 0; j < MAXV; j++) xd[j] = rng_range(&r, -1, 1), xdd[j] = rng_range(&r, -1, 1);
            for (int j = 0; j < 5; j++) {
                double jet[3];
                curve(e, x, xd, xdd, (j - 2) * h, jet);
                f0[j] = jet[0], f1[j] = jet[1];
                if (j == 2) memcpy(mid, jet, sizeof mid);
            }
            assert_true(mid[0] == tmli_expr_grad_mode(e, x, NULL, g));
            double along = 0, size = 0;
            for (int j = 0; j < tmli_expr_nvars(e); j++) along += g[j] * xd[j], size += fabs(g[j] * xd[j]);
            CHECK_CLOSE(mid[1], along, 1e-13 * (1 + size));  // the same sum in another order
            used += check_quotient("first derivative", texts[i], mid[1], f0) &&
                    check_quotient("second derivative", texts[i], mid[2], f1);
        }
        if (used < POINTS * 4 / 5) fail_msg("%s: only %d of %d points could be used", texts[i], used, POINTS);
        tmli_expr_destroy(e);
    }
}

static void test_jet_without_rates(void **state)
{
    (void)state;
    tmli_expr *e = compile_ok("x^3*y");
    const double x[] = {1.5, -0.7}, xd[] = {0.3, 2.1}, xdd[] = {-0.4, 0.9};
    double j[3];
    tmli_expr_jet2_mode(e, x, NULL, NULL, NULL, j);
    assert_true(j[0] == 1.5 * 1.5 * 1.5 * -0.7 && j[1] == 0 && j[2] == 0);
    tmli_expr_jet2_mode(e, x, xd, NULL, NULL, j);
    CHECK_CLOSE(j[1], 3 * 2.25 * -0.7 * 0.3 + 3.375 * 2.1, 1e-14);  // a few roundings of numbers near 7
    CHECK_CLOSE(j[2], 6 * 1.5 * -0.7 * 0.09 + 2 * 3 * 2.25 * 0.3 * 2.1, 1e-14);
    tmli_expr_jet2_mode(e, x, NULL, xdd, NULL, j);
    assert_true(j[1] == 0);
    CHECK_CLOSE(j[2], 3 * 2.25 * -0.7 * -0.4 + 3.375 * 0.9, 1e-14);
    tmli_expr_destroy(e);
}

// Points where a formula alone would give NaN: value, gradient, second derivative along x' = 1, x'' = 0.
static void test_special_points(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double x, v, g, gg;
    } cases[] = {
        {"x^2", 0, 0, 0, 2},
        {"x^3", 0, 0, 0, 0},
        {"x^3", -2, -8, 12, -12},
        {"x^1", 0, 0, 1, 0},
        {"x^0", 0, 1, 0, 0},
        {"x^2", -0.5, 0.25, -1, 2},
        {"x^-1", -0.5, -2, -4, -16},
        {"x^2.5", 0, 0, 0, 0},
        {"x^1.5", 0, 0, 0, INFINITY},
        {"abs(x)", 0, 0, 0, 0},
        {"hypot(x, 0)", 0, 0, 0, 0},
        {"atan2(x, 0)", 0, 0, 0, 0},
        {"sqrt(x)", 0, 0, INFINITY, -INFINITY},
        {"if(x > 0, log(x), 4*x)", -0.25, -1, 4, 0},
        {"if(x > 0, sqrt(x), 0)", 0, 0, 0, 0},
        {"if(x > 0, 1/x, x^2)", 0, 0, 0, 2},
        {"min(x, 2*x)", 0, 0, 1, 0},
        {"max(x, 2*x)", 0, 0, 1, 0},
        {"step(x, 0, 0, 1, 1)", 0, 0, 0, 0},
        {"step(x, 0, 0, 1, 1)", 1, 1, 0, 0},
        {"0*sqrt(x)", 0, 0, 0, 0},
        {"(x > 0)*3", 0, 0, 0, 0},
        {"exp(0*x)", 7, 1, 0, 0},
        {"(x*x)^(x*0 + 2)", 0, 0, 0, 0},
        {"x - x", 3, 0, 0, 0},
        {"tanh(x)", 800, 1, 0, 0},
        {"cbrt(x)^3", 8, 8, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tmli_expr *e = compile_ok(cases[i].text);
        const double one = 1;
        double g = 0, j[3] = {0};
        const double v = tmli_expr_grad_mode(e, &cases[i].x, NULL, &g);
        tmli_expr_jet2_mode(e, &cases[i].x, &one, NULL, NULL, j);
        const double expected[] = {cases[i].v, cases[i].g, cases[i].v, cases[i].g, cases[i].gg};
        const double found[] = {v, g, j[0], j[1], j[2]};
        for (int k = 0; k < 5; k++) {
            // 1e-14: a few roundings of numbers up to 16
            const bool same = found[k] == expected[k] || fabs(found[k] - expected[k]) <= 1e-14;
            if (!same)
                fail_msg("%s at %g, number %d: %.17g, expected %.17g", cases[i].text, cases[i].x, k, found[k],
                         expected[k]);
        }
        tmli_expr_destroy(e);
    }
}

// A cubic between constant ends: no jump of value and slope; slope 3/2 (h1 - h0)/(x1 - x0) in the middle.
static void test_step_is_smooth(void **state)
{
    (void)state;
    tmli_expr *e = compile_ok("step(x, 1.25, -3, 1.75, 4.5)");
    const double ends[] = {1.25, 1.75};
    for (int i = 0; i < 2; i++) {
        for (int side = -1; side <= 1; side++) {
            const double x = ends[i] + side * 1e-9;
            double g;
            CHECK_CLOSE(tmli_expr_grad_mode(e, &x, NULL, &g), i ? 4.5 : -3, 1e-15);  // s^2 = 4e-18
            CHECK_SMALL(g, 6 * 7.5 / 0.5 * 2e-9 * 1.001);  // 6 s (h1 - h0)/(x1 - x0)
        }
    }
    const double middle = 1.5;
    double g;
    CHECK_CLOSE(tmli_expr_grad_mode(e, &middle, NULL, &g), 0.75, 1e-15);
    CHECK_CLOSE(g, 1.5 * 7.5 / 0.5, 1e-14);
    tmli_expr_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),          cmocka_unit_test(test_jet),
        cmocka_unit_test(test_jet_without_rates), cmocka_unit_test(test_special_points),
        cmocka_unit_test(test_step_is_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

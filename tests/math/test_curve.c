// Curves through tables: against the defining properties, against differences and quadrature, and the
// refusals of create.
#include "math/curve.h"
#include "support/support.h"

static const tml_table_style SPLINE = {TML_INTERPOLATION_SPLINE, TML_OUTSIDE_EXTEND};

enum { POINTS = 9 };
static const double table[2 * POINTS] = {-1.31, 2.07,  -0.92, -0.44, -0.15, 0.381, 0.113, 1.77, 0.571,
                                         1.93,  0.734, -2.19, 1.618, 0.27,  2.05,  3.3,   2.71, 1.149};

static tmli_curve *make(int n, const double *points)
{
    tmli_curve *s = NULL;
    tml_error err = {0};
    assert_int_equal(tmli_curve_create(NULL, n, points, SPLINE, &s, &err), TML_OK);
    assert_non_null(s);
    return s;
}

static void test_interpolates(void **state)
{
    (void)state;
    tmli_curve *s = make(POINTS, table);
    for (int i = 0; i < POINTS; i++)
        CHECK_CLOSE(tmli_curve_eval(s, table[2 * i], NULL, NULL), table[2 * i + 1],
                    1e-14);  // Horner at t = 0 or h
    tmli_curve_destroy(NULL, s);
}

// Value, slope and curvature are continuous at the points, also at the ends, where the curvature vanishes.
static void test_smooth(void **state)
{
    (void)state;
    tmli_curve *s = make(POINTS, table);
    for (int i = 0; i < POINTS; i++) {
        const double x = table[2 * i], e = 1e-9;
        double l1, l2, r1, r2;
        const double l0 = tmli_curve_eval(s, x - e, &l1, &l2), r0 = tmli_curve_eval(s, x + e, &r1, &r2);
        CHECK_CLOSE(l0, r0, 1e-7);  // slopes are below 50
        CHECK_CLOSE(l1, r1, 1e-6);  // curvatures below 300
        CHECK_CLOSE(l2, r2, 1e-4);  // third derivatives below 1e4
        if (i == 0 || i == POINTS - 1) {
            CHECK_SMALL(l2, 1e-4);
            CHECK_SMALL(r2, 1e-4);
        }
    }
    tmli_curve_destroy(NULL, s);
}

static void test_linear_outside(void **state)
{
    (void)state;
    tmli_curve *s = make(POINTS, table);
    const double ends[2] = {table[0], table[2 * POINTS - 2]}, ys[2] = {table[1], table[2 * POINTS - 1]};
    for (int i = 0; i < 2; i++) {
        double slope, far_slope, c;
        (void)tmli_curve_eval(s, ends[i], &slope, NULL);
        assert_true(fabs(slope) > 0.1);  // else the rest says little
        const double x = ends[i] + (i ? 7.37 : -7.37);
        CHECK_CLOSE(tmli_curve_eval(s, x, &far_slope, &c), ys[i] + slope * (x - ends[i]),
                    1e-12);  // rounding of 50
        CHECK_CLOSE(far_slope, slope, 1e-12);
        assert_true(c == 0);
    }
    tmli_curve_destroy(NULL, s);
}

static void test_derivatives(void **state)
{
    (void)state;
    tmli_curve *s = make(POINTS, table);
    rng r = rng_seed(31);
    const double h = 1e-5;
    for (int n = 0; n < 400; n++) {
        const double x = rng_range(&r, -3, 5);
        bool near = false;  // third derivatives jump at the points
        for (int i = 0; i < POINTS; i++) near = near || fabs(x - table[2 * i]) < 2 * h;
        if (near) continue;
        double slope, curvature, p1, m1;
        const double y = tmli_curve_eval(s, x, &slope, &curvature);
        const double p = tmli_curve_eval(s, x + h, &p1, NULL), m = tmli_curve_eval(s, x - h, &m1, NULL);
        CHECK_CLOSE((p - m) / (2 * h), slope, 1e-6);  // h^2/6 y''' = 2e-7 (y''' < 1e4), and eps |y|/h = 1e-10
        CHECK_CLOSE((p1 - m1) / (2 * h), curvature, 1e-8);  // exact on a cubic; eps |y'|/h = 1e-9
        const double area = (tmli_curve_integral(s, x + h) - tmli_curve_integral(s, x - h)) / (2 * h);
        CHECK_CLOSE(area, y, 1e-7);  // h^2/6 y'' = 5e-9, and eps |integral|/h = 1e-9
    }
    tmli_curve_destroy(NULL, s);
}

// Simpson's rule is exact on cubics: sum it between the points that lie between 0 and x.
static double simpson(const tmli_curve *s, double a, double b)
{
    return (b - a) / 6 *
           (tmli_curve_eval(s, a, NULL, NULL) + 4 * tmli_curve_eval(s, (a + b) / 2, NULL, NULL) +
            tmli_curve_eval(s, b, NULL, NULL));
}

static void check_integral(const tmli_curve *s, int n, const double *points, double x)
{
    const double lo = fmin(0, x), hi = fmax(0, x);
    double sum = 0, at = lo;
    for (int i = 0; i < n; i++)
        if (points[2 * i] > at && points[2 * i] < hi) {
            sum += simpson(s, at, points[2 * i]);
            at = points[2 * i];
        }
    sum += simpson(s, at, hi);
    CHECK_CLOSE(tmli_curve_integral(s, x), x < 0 ? -sum : sum, 1e-12);  // rounding of sums below 1e3
}

static void test_integral(void **state)
{
    (void)state;
    double shifted[2 * POINTS];
    for (int k = -1; k <= 1; k++) {  // 0 right of, inside and left of the table
        for (int i = 0; i < 2 * POINTS; i++) shifted[i] = table[i] + (i % 2 ? 0 : 4.3 * k);
        tmli_curve *s = make(POINTS, shifted);
        assert_true(tmli_curve_integral(s, 0) == 0);
        for (double x = -8.1; x < 9; x += 0.217) check_integral(s, POINTS, shifted, x);
        tmli_curve_destroy(NULL, s);
    }
}

// Straight data stay straight, and two points are a line. A cubic with vanishing ends of y'' is reproduced.
static void test_reproduces(void **state)
{
    (void)state;
    const double line[4] = {-0.37, 1.93, 1.71, -2.41};
    tmli_curve *s = make(2, line);
    double slope, curvature;
    for (double x = -3; x < 4; x += 0.37) {
        const double k = (line[3] - line[1]) / (line[2] - line[0]);
        CHECK_CLOSE(tmli_curve_eval(s, x, &slope, &curvature), line[1] + k * (x - line[0]),
                    1e-14 * 10);  // values below 10
        CHECK_CLOSE(slope, k, 1e-15 * 4);
        assert_true(curvature == 0);
    }
    tmli_curve_destroy(NULL, s);

    // three points: M_1 = 3 (slope_1 - slope_0)/(h_0 + h_1) by hand, so y(x) between is known
    const double three[6] = {0.2, 1.1, 0.9, -0.4, 2.3, 0.7};
    const double h0 = 0.7, h1 = 1.4, s0 = -1.5 / h0, s1 = 1.1 / h1, M = 3 * (s1 - s0) / (h0 + h1);
    s = make(3, three);
    (void)tmli_curve_eval(s, 0.9, &slope, &curvature);
    CHECK_CLOSE(curvature, M, 1e-13);  // rounding of differences of decimal fractions
    CHECK_CLOSE(slope, s0 + h0 * M / 3, 1e-13);
    const double t = 0.431;
    CHECK_CLOSE(tmli_curve_eval(s, 0.2 + t, NULL, NULL),
                1.1 + (s0 - h0 * M / 6) * t + M / (6 * h0) * t * t * t, 1e-13);
    tmli_curve_destroy(NULL, s);
}

// ---- monotone, linear, hold -------------------------------------------------------------------------------

static const tml_interpolation kinds[3] = {TML_INTERPOLATION_MONOTONE, TML_INTERPOLATION_LINEAR,
                                           TML_INTERPOLATION_SPLINE};

static tmli_curve *make_style(int n, const double *points, tml_interpolation interpolation,
                              tml_outside outside)
{
    tmli_curve *c = NULL;
    const tml_table_style style = {interpolation, outside};
    assert_int_equal(tmli_curve_create(NULL, n, points, style, &c, NULL), TML_OK);
    return c;
}

// Between two points a monotone curve stays between their values, and moves in one direction; random tables
// with steps over six decades, where a spline swings far out.
static void test_monotone(void **state)
{
    (void)state;
    rng r = rng_seed(77);
    double worst_spline = 0;
    for (int trial = 0; trial < 200; trial++) {
        double points[2 * POINTS], x = rng_range(&r, -1, 1);
        for (int i = 0; i < POINTS; i++) {
            points[2 * i] = x;
            points[2 * i + 1] = rng_range(&r, -1, 1) * pow(10, rng_range(&r, -3, 0));
            if (i % 4 == 3) points[2 * i + 1] = points[2 * i - 1];  // level parts
            x += pow(10, rng_range(&r, -3, 1));
        }
        tmli_curve *c = make_style(POINTS, points, TML_INTERPOLATION_MONOTONE, TML_OUTSIDE_EXTEND),
                   *s = make_style(POINTS, points, TML_INTERPOLATION_SPLINE, TML_OUTSIDE_EXTEND);
        for (int i = 0; i < POINTS - 1; i++) {
            const double y0 = points[2 * i + 1], y1 = points[2 * i + 3],
                         h = points[2 * i + 2] - points[2 * i];
            double last = y0;
            for (int k = 0; k <= 50; k++) {
                const double y = tmli_curve_eval(c, points[2 * i] + k * h / 50, NULL, NULL);
                assert_true((y - last) * (y1 - y0) >= -1e-13);  // rounding of values below 1
                assert_true(y >= fmin(y0, y1) - 1e-13 && y <= fmax(y0, y1) + 1e-13);
                last = y;
            }
        }
        double at, value;
        assert_true(tmli_curve_overshoot(c, &at, &value) == 0);
        worst_spline = fmax(worst_spline, tmli_curve_overshoot(s, &at, &value));
        tmli_curve_destroy(NULL, c);
        tmli_curve_destroy(NULL, s);
    }
    assert_true(worst_spline > 2);  // of the range: the reason for this curve
}

// Derivatives, integrals and branches of all kinds; on a branch the curve is a polynomial beyond its ends.
static void test_kinds(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int kind = 0; kind < 3; kind++)
        for (int hold = 0; hold < 2; hold++) {
            tmli_curve *c =
                make_style(POINTS, table, kinds[kind], hold ? TML_OUTSIDE_HOLD : TML_OUTSIDE_EXTEND);
            const int count = tmli_curve_branch_count(c), smooth = tmli_curve_smoothness(c);
            assert_int_equal(smooth, hold || kind == 1 ? 0 : kind == 0 ? 1 : 2);
            assert_int_equal(count, kind == 2 ? (hold ? 3 : 1) : POINTS + 1);
            for (int i = 0; i < POINTS; i++)
                CHECK_CLOSE(tmli_curve_eval(c, table[2 * i], NULL, NULL), table[2 * i + 1], 1e-13);
            for (double x = -3.003; x < 5; x += 0.0371) {
                const int b = tmli_curve_branch(c, x);
                double slope, curvature, low, high, p1, m1;
                const double y = tmli_curve_eval_branch(c, b, x, &slope, &curvature);
                assert_true(y == tmli_curve_eval(c, x, NULL, NULL));
                tmli_curve_branch_ends(c, b, &low, &high);
                assert_true(b >= 0 && b < count && x >= low && x < high);
                const double p = tmli_curve_eval_branch(c, b, x + h, &p1, NULL),
                             m = tmli_curve_eval_branch(c, b, x - h, &m1, NULL);
                CHECK_CLOSE((p - m) / (2 * h), slope, 1e-5);  // third derivatives of up to 1e4
                if (kind != 2)
                    CHECK_CLOSE((p1 - m1) / (2 * h), curvature, 1e-7);  // exact; rounding of slopes over h
                check_integral(c, POINTS, table, x);
            }
            if (hold) {
                assert_true(tmli_curve_eval(c, -7.1, NULL, NULL) == table[1]);
                assert_true(tmli_curve_eval(c, 7.1, NULL, NULL) == table[2 * POINTS - 1]);
            }
            tmli_curve_destroy(NULL, c);
        }
}

// Data on a line are a line: smooth, whatever the interpolation.
static void test_line_is_smooth(void **state)
{
    (void)state;
    double line[14];
    for (int i = 0; i < 7; i++) {
        line[2 * i] = 0.1 * i * i;
        line[2 * i + 1] = 1000 + 0.3 * line[2 * i];
    }
    for (int kind = 0; kind < 3; kind++) {
        tmli_curve *c = make_style(7, line, kinds[kind], TML_OUTSIDE_EXTEND);
        assert_int_equal(tmli_curve_smoothness(c), 2);
        CHECK_CLOSE(tmli_curve_eval(c, 1.234, NULL, NULL), 1000 + 0.3 * 1.234, 1e-12);
        tmli_curve_destroy(NULL, c);
    }
}

// The overshoot of three points is known: y = t (1 - t^2) form between (0, 0), (1, 0), (2, 1) of a spline.
static void test_overshoot(void **state)
{
    (void)state;
    const double points[6] = {0, 0, 1, 0, 2, 1};
    tmli_curve *c = make_style(3, points, TML_INTERPOLATION_SPLINE, TML_OUTSIDE_EXTEND);
    double x, y;
    // M_1 = 3/2: y = (t^3 - t)/4 on the first interval, least at t = 1/sqrt(3): -1/(6 sqrt(3))
    CHECK_CLOSE(tmli_curve_overshoot(c, &x, &y), 1 / (6 * sqrt(3)), 1e-14);
    CHECK_CLOSE(x, 1 / sqrt(3), 1e-14);
    CHECK_CLOSE(y, -1 / (6 * sqrt(3)), 1e-14);
    tmli_curve_destroy(NULL, c);
}

static void test_refusals(void **state)
{
    (void)state;
    tml_error err;
    tmli_curve *s = (tmli_curve *)&err;
    const double down[6] = {0.1, 1.2, 0.7, 2.3, 0.6, 3.4}, twice[4] = {0.4, 1.1, 0.4, 2.1};
    const double nan_y[4] = {0.1, 0.2, 0.3, NAN}, inf_x[4] = {0.1, 0.2, INFINITY, 0.4};
    const double steep[6] = {0.1, -1e300, 0.1 + 1e-16, 1e300, 0.5, 3};
    assert_int_equal(tmli_curve_create(NULL, 1, down, SPLINE, &s, &err), TML_ERR_ARG);
    assert_null(s);
    assert_int_equal(tmli_curve_create(NULL, 3, down, SPLINE, &s, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "point 3 is at 0.6, after 0.7"));
    assert_int_equal(tmli_curve_create(NULL, 2, twice, SPLINE, &s, &err), TML_ERR_ARG);
    assert_int_equal(tmli_curve_create(NULL, 2, nan_y, SPLINE, &s, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "Point 2"));
    assert_int_equal(tmli_curve_create(NULL, 2, inf_x, SPLINE, &s, NULL), TML_ERR_ARG);
    assert_int_equal(tmli_curve_create(NULL, 3, steep, SPLINE, &s, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "too steep"));
    assert_null(s);
    tmli_curve_destroy(NULL, NULL);
}

static void *no_memory(size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    return NULL;
}

static void test_no_memory(void **state)
{
    (void)state;
    const tml_env env = {.alloc = no_memory};
    tmli_curve *s = NULL;
    tml_error err;
    assert_int_equal(tmli_curve_create(&env, POINTS, table, SPLINE, &s, &err), TML_ERR_NOMEM);
    assert_null(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpolates),   cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_linear_outside), cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_integral),       cmocka_unit_test(test_reproduces),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_monotone),       cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_line_is_smooth), cmocka_unit_test(test_overshoot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

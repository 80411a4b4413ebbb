// Spectra: amplitudes of sums of sines on equidistant and other rows, against the defining sum, and refusals.
#include "math/amplitudes.h"
#include "support/support.h"

#include <math.h>

enum { ROWS = 1001 };
static const double two_pi = 6.28318530717958647692;

static void check_within(double value, double expected, double error)
{
    if (!(fabs(value - expected) <= error)) fail_msg("%.12g, expected %.12g +- %g", value, expected, error);
}

// 3 sin at 2.3 Hz, 0.2 sin at 9.71 Hz, and a mean.
static double signal(double t) { return 40 + 3 * sin(two_pi * 2.3 * t + 1) + 0.2 * sin(two_pi * 9.71 * t); }

// The largest amplitude from f0 to f1 and its frequency.
static double peak(const tmli_amplitudes *s, double f0, double f1, double *at)
{
    double most = -1;
    *at = NAN;
    for (size_t k = 0; k < s->count; k++) {
        const double f = (double)k * s->step;
        if (f < f0 || f > f1 || s->value[k] <= most) continue;
        most = s->value[k];
        *at = f;
    }
    return most;
}

static tmli_amplitudes find(const double *t, const double *x, size_t rows)
{
    tmli_amplitudes s;
    tml_error err = {0};
    assert_int_equal(tmli_amplitudes_find(t, x, rows, NULL, &s, &err), TML_OK);
    return s;
}

static void assert_two_sines(const double *t, const double *x, size_t rows)
{
    tmli_amplitudes s = find(t, x, rows);
    double at;
    check_within(peak(&s, 1, 5, &at), 3, 0.003 * 3);
    check_within(at, 2.3, 0.51 * s.step);
    check_within(peak(&s, 8, 12, &at), 0.2, 0.005 * 0.2);
    check_within(at, 9.71, 0.51 * s.step);
    assert_true(peak(&s, 4, 8, &at) < 2e-3);    // nothing between them
    assert_true(peak(&s, 0, 0.5, &at) < 0.01);  // no mean
    tmli_amplitudes_clear(NULL, &s);
}

static void sines_on_equal_steps(void **state)
{
    (void)state;
    double t[ROWS], x[ROWS];
    for (int i = 0; i < ROWS; i++) {
        t[i] = 0.5 + 0.00973 * i;
        x[i] = signal(t[i]);
    }
    assert_two_sines(t, x, ROWS);
}

static void sines_on_other_steps(void **state)
{
    (void)state;
    double t[ROWS], x[ROWS];
    for (int i = 0; i < ROWS; i++) {  // steps from 0.4 to 1.6 of their mean, and rows that are there twice
        t[i] = i % 100 == 57 ? t[i - 1] : 0.01 * (i + 0.3 * sin(2.0 * i));
        x[i] = signal(t[i]);
    }
    assert_two_sines(t, x, ROWS);
    t[ROWS - 1] = t[ROWS - 2];  // also at the end
    x[ROWS - 1] = x[ROWS - 2];
    assert_two_sines(t, x, ROWS);
}

static void transform_is_the_sum(void **state)
{
    (void)state;
    enum { N = 37 };
    double t[N], x[N], w[N], sum = 0, mean = 0;
    for (int i = 0; i < N; i++) {
        t[i] = 0.25 * i;  // exact
        x[i] = (i * i * 7919) % 101 - 50.0;
        w[i] = (1 - cos(two_pi * i / N)) / 2;
        sum += w[i];
        mean += w[i] * x[i];
    }
    mean /= sum;
    tmli_amplitudes s = find(t, x, N);
    assert_int_equal(s.count, 257);                          // 512 >= 8 * 37
    check_within((double)(s.count - 1) * s.step, 2, 1e-12);  // half the sampling rate
    for (size_t k = 0; k < s.count; k++) {
        double re = 0, im = 0;
        for (int i = 0; i < N; i++) {
            const double angle = two_pi * (double)k * s.step * t[i];
            re += w[i] * (x[i] - mean) * cos(angle);
            im += w[i] * (x[i] - mean) * sin(angle);
        }
        check_within(s.value[k], (k + 1 < s.count ? 2 : 1) * hypot(re, im) / sum, 1e-11);
    }
    tmli_amplitudes_clear(NULL, &s);
}

// A square wave of height 1: its first amplitude is 4/pi, its second one a third of it.
static void jumps(void **state)
{
    (void)state;
    enum { TURNS = 8, HALF = 50, N = 2 * TURNS * HALF };
    double t[N], x[N];
    for (int i = 0; i < N; i++) {
        t[i] = (i / HALF) + (double)(i % HALF) / (HALF - 1);
        x[i] = i / HALF % 2 ? -1 : 1;
    }
    tmli_amplitudes s = find(t, x, N);
    double at;
    check_within(peak(&s, 0.3, 0.7, &at), 4 / (two_pi / 2), 0.01);
    check_within(at, 0.5, 0.51 * s.step);
    check_within(peak(&s, 1.3, 1.7, &at), 4 / (1.5 * two_pi), 0.01);
    tmli_amplitudes_clear(NULL, &s);
}

static void constants_have_none(void **state)
{
    (void)state;
    double t[20], x[20], at;
    for (int i = 0; i < 20; i++) {
        t[i] = i;
        x[i] = 1e6;
    }
    tmli_amplitudes s = find(t, x, 20);
    assert_true(peak(&s, 0, 1, &at) < 1e-8);
    tmli_amplitudes_clear(NULL, &s);
}

static void refused(void **state)
{
    (void)state;
    double t[9] = {0, 1, 2, 3, 3, 4, 5, 6, 7}, x[9] = {0};
    tmli_amplitudes s;
    tml_error err = {0};
    assert_int_equal(tmli_amplitudes_find(t, x, 8, NULL, &s, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "at least 8 times, not 7"));
    assert_int_equal(tmli_amplitudes_find(t, x, 0, NULL, &s, &err), TML_ERR_ARG);
    assert_int_equal(tmli_amplitudes_find(t, x, 9, NULL, &s, &err), TML_OK);
    tmli_amplitudes_clear(NULL, &s);
    x[4] = NAN;
    assert_int_equal(tmli_amplitudes_find(t, x, 9, NULL, &s, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "t = 3"));
    x[4] = 0;
    t[4] = 2.5;
    assert_int_equal(tmli_amplitudes_find(t, x, 9, NULL, &s, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "2.5 follows on 3"));
    assert_null(s.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_on_equal_steps), cmocka_unit_test(sines_on_other_steps),
        cmocka_unit_test(transform_is_the_sum), cmocka_unit_test(jumps),
        cmocka_unit_test(constants_have_none),  cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

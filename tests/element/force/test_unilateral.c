// Event function of a unilateral constraint: its sign by the law of unilateral.h, its size that of the gap.
#include "element/force/unilateral.h"
#include "support/support.h"

#include "base/modes.h"

static const tmli_unilateral units = {.unit = 1, .rest = 1e-9, .touch = 1e-12};

static double event(double gap, double rate, double error)
{
    const tmli_unilateral_state s = {.gap = gap, .rate = rate, .error = error};
    return tmli_unilateral_event(&units, TML_SWITCH_RELEASED, &s);
}

// Below zero: the gap is no longer open and closes. What is as near as round-off closes with its rate alone.
static void sign_of_open(void **state)
{
    (void)state;
    static const double rate[] = {-3.7, -2e-9, -0.4e-9, 0, 0.6e-9, 4.1};
    for (size_t i = 0; i < sizeof rate / sizeof *rate; i++) {
        const bool closes = rate[i] < -1e-9;
        for (double gap = 1e-15; gap < 10; gap *= 7) {
            assert_true(event(gap, rate[i], 0) > 0);
            if (closes) assert_true(event(-gap, rate[i], 0) < 0);
            else assert_true(event(-gap, rate[i], 0) > 0);
        }
        if (closes) assert_true(event(0, rate[i], 0) <= 0);
        else assert_true(event(0, rate[i], 0) > 0);
    }
}

// Bodies that have met part with some m/s from a gap of 1e-15 m: a search for short visits below zero
// compares the sizes at several points of a step.
static void size_of_open(void **state)
{
    (void)state;
    rng r = rng_seed(3);
    for (int i = 0; i < 2000; i++) {
        const double gap = rng_range(&r, -1, 1) * pow(10, rng_range(&r, -17, 0.7)),
                     rate = rng_range(&r, -1, 1) * pow(10, rng_range(&r, -10, 1)),
                     error = pow(10, rng_range(&r, -15, -7));
        assert_true(fabs(event(gap, rate, error)) <= fmax(fabs(gap), units.touch + error));
    }
    // without a jump where the gap begins to show
    CHECK_CLOSE(event(0.999999e-12, 3, 0), event(1.000001e-12, 3, 0), 3e-6);
    CHECK_CLOSE(event(-0.999999e-12, 3, 0), event(-1.000001e-12, 3, 0), 3e-6);
}

static void closed(void **state)
{
    (void)state;
    const tmli_unilateral_state s = {.gap = -1e-13, .rate = 1, .push = 12.5, .least = 0.25};
    assert_true(tmli_unilateral_event(&units, TML_SWITCH_HELD, &s) == 12.75);
    assert_true(tmli_unilateral_event(&units, TML_SWITCH_UNWATCHED, &s) == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sign_of_open), cmocka_unit_test(size_of_open),
                                       cmocka_unit_test(closed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

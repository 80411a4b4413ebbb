// The step controller on its own: the ratio of steps that the error asks for, what bounds it, and what it
// remembers of rejected and failed steps; equation numbers as in step_control.h.
#include "integrate/core/step_control.h"

#include <math.h>

#include "support/support.h"

#define H 0.031
#define POWER 4
#define CLOSE 1e-14  // some units in the last place of numbers of the order 1

// The error with which (1) asks for this ratio of the next step.
static double error_for(const tmli_step_control *c, double ratio) { return c->wanted / pow(ratio, POWER); }

static double next_ratio(tmli_step_control *c, double ratio, bool accepted)
{
    return tmli_step_next(c, H, error_for(c, ratio), POWER, accepted) / H;
}

static tmli_step_control one_step(void)
{
    tmli_step_control c = {.wanted = 0.37, .growth = 3.1, .retry = 1, .one_step = true};
    tmli_step_start(&c);
    return c;
}

static void follows_the_error(void **state)
{
    (void)state;
    tmli_step_control c = one_step();
    CHECK_CLOSE(next_ratio(&c, 0.73, true), 0.73, CLOSE);
    CHECK_CLOSE(next_ratio(&c, 1.02, true), 1.02, CLOSE);  // nothing is kept
    CHECK_CLOSE(next_ratio(&c, 1.9, true), 1.9, CLOSE);
    CHECK_CLOSE(next_ratio(&c, 7.0, true), c.growth, CLOSE);
    CHECK_CLOSE(next_ratio(&c, 0.01, true), TMLI_SMALLEST_RATIO, CLOSE);
    assert_true(tmli_step_next(&c, H, 0, POWER, true) == c.growth * H);  // no error at all
}

static void keeps_steps_within_its_band(void **state)
{
    (void)state;
    tmli_step_control c = one_step();
    c.keep_below = 1 / TMLI_KEEP_ABOVE;
    assert_true(tmli_step_next(&c, H, error_for(&c, 1.01 * TMLI_KEEP_ABOVE), POWER, true) == H);
    assert_true(tmli_step_next(&c, H, error_for(&c, 0.99 * c.keep_below), POWER, true) == H);
    CHECK_CLOSE(next_ratio(&c, 0.99 * TMLI_KEEP_ABOVE, true), 0.99 * TMLI_KEEP_ABOVE, CLOSE);
    CHECK_CLOSE(next_ratio(&c, 1.01 * c.keep_below, true), 1.01 * c.keep_below, CLOSE);
}

// (3) and (4); a band that keeps steps does not keep a rejected one.
static void cuts_rejected_steps(void **state)
{
    (void)state;
    tmli_step_control c = one_step();
    c.keep_below = 1 / TMLI_KEEP_ABOVE;
    CHECK_CLOSE(next_ratio(&c, 0.95, false), 0.95, CLOSE);
    CHECK_CLOSE(next_ratio(&c, 0.01, false), TMLI_SMALLEST_RATIO, CLOSE);
    CHECK_CLOSE(next_ratio(&c, 1.9, true), 1, CLOSE);  // the step after a rejected one
    CHECK_CLOSE(next_ratio(&c, 1.9, true), 1.9, CLOSE);
    tmli_step_control multistep = {.wanted = 0.5, .growth = 2, .retry = 0.8};
    tmli_step_start(&multistep);
    CHECK_CLOSE(next_ratio(&multistep, 0.7, false), 0.8 * 0.7, CLOSE);
    CHECK_CLOSE(next_ratio(&multistep, 1.3, false), 0.8, CLOSE);
    CHECK_CLOSE(next_ratio(&multistep, 1.9, true), 1.9, CLOSE);
}

// (2): at a constant ratio r its power 0.7 - 0.4 acts.
static void damps_ratios(void **state)
{
    (void)state;
    tmli_step_control c = one_step();
    c.damped = true;
    CHECK_CLOSE(next_ratio(&c, 1.3, true), pow(1.3, 0.7), CLOSE);
    CHECK_CLOSE(next_ratio(&c, 1.3, true), pow(1.3, 0.3), CLOSE);
    tmli_step_start(&c);
    CHECK_CLOSE(next_ratio(&c, 1.3, true), pow(1.3, 0.7), CLOSE);
}

// (5): half of the failed step, and more with every accepted one.
static void stays_below_failed_steps(void **state)
{
    (void)state;
    tmli_step_control c = one_step();
    tmli_step_failed(&c, 1.4 * H);
    CHECK_CLOSE(next_ratio(&c, 1.9, true), 0.7, CLOSE);
    double last = 0.7;
    for (int i = 0; i < 5; i++) {
        tmli_step_accepted(&c);
        const double ratio = next_ratio(&c, 1.9, true);
        assert_true(ratio > last && ratio < 1.1 * last);
        last = ratio;
    }
    tmli_step_start(&c);
    CHECK_CLOSE(next_ratio(&c, 1.9, true), 1.9, CLOSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_error),        cmocka_unit_test(keeps_steps_within_its_band),
        cmocka_unit_test(cuts_rejected_steps),      cmocka_unit_test(damps_ratios),
        cmocka_unit_test(stays_below_failed_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

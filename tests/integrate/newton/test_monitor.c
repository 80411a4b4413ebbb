// The convergence monitor of Newton's method, fed with corrections.
#include "integrate/newton/convergence.h"
#include "support/support.h"

// Verdict after these corrections, or the first that ends the iteration, with a new matrix.
static tmli_verdict judge(double tol, double roundoff, const double *sizes, int count)
{
    tmli_newton m = tmli_newton_create(false, false);
    tmli_newton_begin(&m, tol, roundoff, true, true);
    m.usual = 1;
    tmli_verdict v = TMLI_ITERATE;
    for (int i = 0; i < count && (v == TMLI_ITERATE || v == TMLI_RENEW); i++) {
        v = tmli_newton_judge(&m, sizes[i], sizes[i]);
        if (v == TMLI_RENEW) tmli_newton_renewed(&m, true);
    }
    return v;
}

// Corrections of some units in the last place of a millionth of a length, which no longer fall: they are
// round-off, however little of the round-off of positions is fed back, and however little is wanted.
static void stagnation_below_the_last_digit_is_round_off(void **state)
{
    (void)state;
    const double sizes[] = {3.1e-9, 4.2e-16, 1.95e-17, 1.99e-17, 1.97e-17, 2.01e-17, 1.96e-17, 1.99e-17};
    assert_int_equal(judge(1e-19, 1e-20, sizes, 8), TMLI_CONVERGED);
}

// The same digits far above: no convergence.
static void stagnation_far_above_is_failure(void **state)
{
    (void)state;
    const double sizes[] = {3.1e-3, 4.2e-7, 1.95e-8, 1.99e-8, 1.97e-8, 2.01e-8, 1.96e-8, 1.99e-8};
    assert_int_equal(judge(1e-12, 1e-14, sizes, 8), TMLI_DIVERGED);
}

static void growth_is_failure(void **state)
{
    (void)state;
    const double sizes[] = {3.1e-5, 4.2e-4};
    assert_int_equal(judge(1e-12, 1e-14, sizes, 2), TMLI_DIVERGED);
}

// A new matrix ends an iteration at once. That it does so from 4e-3 on says nothing about a first correction
// of 4e-2 in the next step.
static void new_matrix_gives_no_rate(void **state)
{
    (void)state;
    int most = 0;
    tmli_newton m = tmli_newton_create(false, TML_SCALING_PHYSICAL);
    tmli_newton_begin(&m, 1e-12, 1e-14, false, false);
    m.usual = 1;
    assert_int_equal(tmli_newton_judge(&m, 4.5e-2, 4.5e-2), TMLI_ITERATE);
    assert_int_equal(tmli_newton_judge(&m, 4e-3, 4e-3), TMLI_RENEW);
    tmli_newton_renewed(&m, false);
    assert_int_equal(tmli_newton_judge(&m, 2e-16, 2e-16), TMLI_CONVERGED);
    tmli_newton_end(&m, &most);
    tmli_newton_begin(&m, 1e-9, 1e-14, true, false);
    assert_int_equal(tmli_newton_judge(&m, 4e-2, 4e-2), TMLI_ITERATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stagnation_below_the_last_digit_is_round_off),
        cmocka_unit_test(stagnation_far_above_is_failure),
        cmocka_unit_test(growth_is_failure),
        cmocka_unit_test(new_matrix_gives_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

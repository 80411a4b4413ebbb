// The orders of bdf at fixed steps: k for positions, velocities and multipliers, k = 1 .. 5, on a spatial closed loop, on
// the heavy top and on callbacks; the same for bdf2 (order 2).
//
// The reference is the same method with finer steps, so that it is off by (4/fine)^k of the smallest error: 1/16 for
// order 1, which shifts that slope by log2(1 + 1/16) = 0.09; the next order of the error does the rest.
#include "integrate/order.h"

static void check(const char *method, int k, int which, int steps, int fine)
{
    plan p = plan_default();
    p.method = method;
    p.max_order = k;
    printf("order %d: ", k);
    order_check(&order_cases[which], &p,
                (order_expect){.order = {k, k, k}, .tolerance = 0.2, .steps = steps, .fine = fine});
}

static void test_linkage(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; k++) check("bdf", k, 0, k < 5 ? 8 : 4, k < 3 ? 64 : 16);
}
static void test_top(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; k++) check("bdf", k, 1, 16, k < 3 ? 64 : 16);
}
static void test_callbacks(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; k++) check("bdf", k, 2, k < 4 ? 8 : 4, k < 3 ? 64 : 16);
}
static void test_bdf2(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) check("bdf2", 2, i, i == 1 ? 16 : 8, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_linkage), cmocka_unit_test(test_top),
                                       cmocka_unit_test(test_callbacks), cmocka_unit_test(test_bdf2)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

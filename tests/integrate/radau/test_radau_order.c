// Orders of the Radau methods at fixed steps, for positions, velocities and multipliers apart, on a spatial
// closed loop and on callbacks. On the index-3 equations 2s - 1, s, s - 1; stabilized 2s - 1, 2s - 1, s
// (Hairer, Lubich, Roche 1989). Three stages need large steps, for their errors soon are round-off: one step
// from instant to instant.
#include "integrate/order.h"

static void check(int which, const char *method, order_expect e)
{
    order_case c = order_cases[which];
    plan p = plan_default();
    p.method = method;
    if (!c.build && e.steps == 1) c.end = 1;
    order_check(&c, &p, e);
}

static void radau3(void **state)
{
    (void)state;
    check(0, "radau3", (order_expect){.order = {3, 2, 1}, .tolerance = 0.2});
    check(2, "radau3", (order_expect){.order = {3, 2, 1}, .tolerance = 0.2});
}

static void radau5(void **state)
{
    (void)state;
    check(0, "radau5", (order_expect){.order = {5, 3, 2}, .tolerance = 0.2, .steps = 1, .fine = 16});
    check(2, "radau5", (order_expect){.order = {5, 3, 2}, .tolerance = 0.2, .steps = 1, .fine = 16});
}

static void ggl_radau3(void **state)
{
    (void)state;
    check(0, "ggl-radau3", (order_expect){.order = {3, 3, 2}, .tolerance = 0.2});
    check(2, "ggl-radau3", (order_expect){.order = {3, 3, 2}, .tolerance = 0.2});
}

static void ggl_radau5(void **state)
{
    (void)state;
    check(0, "ggl-radau5", (order_expect){.order = {5, 5, 3}, .tolerance = 0.2, .steps = 1, .fine = 16});
    check(2, "ggl-radau5", (order_expect){.order = {5, 5, 3}, .tolerance = 0.2, .steps = 1, .fine = 16});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(radau3), cmocka_unit_test(radau5),
                                       cmocka_unit_test(ggl_radau3), cmocka_unit_test(ggl_radau5)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Orders on SE(3), with either map: the measurements of test_genalpha_order.c, and some other methods. The
// top gets half the steps, because Cayley's map has larger terms of higher order and in its multipliers at
// rho = 0.8 those of second order nearly cancel. The linkage gets steps twice as long: the round-off in the
// multipliers of the reference would be 5 per cent of the smallest error.
#define main order_main
#include "test_genalpha_order.c"
#undef main

static void linkage_on_se3(void **state)
{
    (void)state;
    order_case c = order_cases[0];
    c.end = 0.5;
    check(&c);
}

static void heavy_top_on_se3(void **state)
{
    (void)state;
    order_case c = order_cases[1];
    c.end = 0.0625;
    check(&c);
}

// Methods that make velocities of increments: the orders that they have on R^3 x SO(3), test_bdf_order.c and
// test_radau_order.c. With Cayley's map T(d) d is not d.
static void increments_on_se3(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        order_expect expect;
    } cases[] = {{"bdf", {.order = {3, 3, 3}, .tolerance = 0.2}},
                 {"ggl", {.order = {3, 3, 3}, .tolerance = 0.2}},
                 {"radau3", {.order = {3, 2, 1}, .tolerance = 0.2}},
                 {"ggl-radau3", {.order = {3, 3, 2}, .tolerance = 0.2}},
                 {"radau5", {.order = {5, 3, 2}, .tolerance = 0.2, .steps = 1, .fine = 16}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan p = plan_default();
        p.method = cases[i].method;
        p.max_order = 3;
        order_check(&order_cases[0], &p, cases[i].expect);
    }
}

int main(void)
{
    (void)order_main;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linkage_on_se3),
        cmocka_unit_test(heavy_top_on_se3),
        cmocka_unit_test(increments_on_se3),
        cmocka_unit_test(multipliers_are_second_order_from_the_first_step),
    };
    int failed = 0;
    for (int group = TML_GROUP_SE3; group <= TML_GROUP_SE3_CAYLEY; group++) {
        plan_group = (tml_group)group;
        printf("%s\n", group == TML_GROUP_SE3 ? "exponential map" : "Cayley's map");
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}

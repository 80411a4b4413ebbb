// The measurements of test_genalpha_order.c on SE(3), with either map. The top gets half the steps, because Cayley's map has
// larger terms of higher order and in its multipliers at rho = 0.8 those of second order nearly cancel. The linkage gets
// steps twice as long: the round-off in the multipliers of the reference would be 5 per cent of the smallest error.
#define main order_main
#include "test_genalpha_order.c"
#undef main

static void linkage_on_se3(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) check_order("linkage", linkage, 0.5, RHO[i]);
}

static void heavy_top_on_se3(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) check_order("heavy top", heavy_top, 0.0625, RHO[i]);
}

int main(void)
{
    (void)order_main;
    const struct CMUnitTest some[] = {cmocka_unit_test(multipliers_are_second_order_from_the_first_step)};
    if (getenv("TRAMMEL_SLOW_BUILD")) {  // for its memory
        plan_group = TML_GROUP_SE3;
        return cmocka_run_group_tests(some, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linkage_on_se3),
        cmocka_unit_test(heavy_top_on_se3),
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

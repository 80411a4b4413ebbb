// The order of genalpha at fixed steps: 2 for every rho, on rotations in closed loops, on the heavy top and
// on callbacks.
//
// A disturbance at the start decays like rho^k: 0.8^72 = 1e-7 at the first instant counted. The reference at
// h/32 takes 0.017 of the slope; the third-order part of the error of the top, which turns by 0.15 rad in a
// step of h, is the rest of the 0.15 allowed.
#include "integrate/order.h"

static const double SLOPE_TOL = 0.15;
static const double RHO[] = {0, 0.5, 0.8};

static void check(const order_case *c)
{
    for (int i = 0; i < 3; i++) {
        plan p = plan_default();
        p.rho = RHO[i];
        order_check(c, &p, (order_expect){.order = {2, 2, 2}, .tolerance = SLOPE_TOL});
    }
}

static void linkage_is_second_order(void **state)
{
    (void)state;
    check(&order_cases[0]);
}

static void heavy_top_is_second_order(void **state)
{
    (void)state;
    check(&order_cases[1]);
}

static void callbacks_are_second_order(void **state)
{
    (void)state;
    check(&order_cases[2]);
}

// The starting values of alpha.h (7) leave no first-order transient in the multipliers, with rotations too.
static void multipliers_are_second_order_from_the_first_step(void **state)
{
    (void)state;
    static const double H[] = {0x1p-9, 0x1p-12, 0x1p-8};  // [s]
    int low = 0;
    const int count = plan_group == TML_GROUP_R3SO3 ? 3 : 2;  // callbacks have no bodies to move on SE(3)
    for (int c = 0; c < count; c++)
        for (int i = 0; i < 3; i++) {
            plan p = plan_default();
            p.rho = RHO[i];
            const double coarse = order_start_up(&order_cases[c], &p, H[c]);
            const double fine = order_start_up(&order_cases[c], &p, H[c] / 2), slope = log2(coarse / fine);
            printf("%-9s rho %.1f start-up of multipliers: error %8.1e  slope %5.3f\n", order_cases[c].name,
                   RHO[i], fine, slope);
            // on SE(3) nothing is left of it for the top, whose multipliers then show Newton's tolerance
            low += !(slope > 2 - SLOPE_TOL || fine < 1e-7);
        }
    assert_int_equal(low, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linkage_is_second_order),
        cmocka_unit_test(heavy_top_is_second_order),
        cmocka_unit_test(callbacks_are_second_order),
        cmocka_unit_test(multipliers_are_second_order_from_the_first_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

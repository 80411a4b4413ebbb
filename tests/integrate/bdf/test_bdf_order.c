// The orders of bdf and ggl at fixed steps: k for positions, velocities and multipliers, k = 1 .. 5, on a
// spatial closed loop, on the heavy top and on callbacks; and of bdf2.
//
// Errors are the largest over the ride, from its fifth instant on (multipliers need some steps after the
// start): errors of high order change their sign on the way, and what is left at one instant, its end, says
// little. The reference is the same method at finer steps: it is off by (4/fine)^k of the smallest error,
// 1/16 for order 1, which shifts that slope by 0.09.
#include "integrate/order.h"

enum { FIRST = 4 };
static const double SLOPE_TOL = 0.2;

static void measure(const order_case *c, const plan *p, int steps, int fine, double error[ORDER_LEVELS][3])
{
    ride exact_ride, r;
    tml_state *exact[ORDER_SAMPLES], *x[ORDER_SAMPLES];
    order_record(c, p, steps * fine, &exact_ride, exact);
    for (int level = 0; level < ORDER_LEVELS; level++) {
        order_record(c, p, steps << level, &r, x);
        for (int i = FIRST; i < ORDER_SAMPLES; i++) {
            double d[3];
            state_distance(exact_ride.sys, exact[i], x[i], d);
            for (int k = 0; k < 3; k++) error[level][k] = fmax(error[level][k], d[k]);
        }
        order_erase(&r, x);
    }
    order_erase(&exact_ride, exact);
}

// steps: between two of the sixteen instants, so coarse that the errors stand out of the round-off of the
// multipliers, eps (moved + feedback)/h^2. fields: those to check, of q, u, l.
static void check(const char *method, int k, const order_case *c, int steps, const char *fields)
{
    plan p = plan_default();
    p.method = method;
    p.max_order = k;
    double error[ORDER_LEVELS][3] = {0};
    measure(c, &p, steps, k < 3 ? 64 : 16, error);
    for (int i = 0; i < 3; i++) {
        const double first = log2(error[0][i] / error[1][i]), second = log2(error[1][i] / error[2][i]);
        printf("%s %d %-9s %s: error %8.1e slopes %5.3f %5.3f\n", method, k, c->name,
               i == 0   ? "q"
               : i == 1 ? "u"
                        : "l",
               error[2][i], first, second);
        if (strchr(fields, "qul"[i])) CHECK_CLOSE(second, k, SLOPE_TOL);
    }
}

static void test_linkage(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; k++) check("bdf", k, &order_cases[0], k < 5 ? 8 : 4, "qul");
}
static void test_top(void **state)
{
    (void)state;
    // order 5 is left out: at the 0.07 rad that the top turns in a step, the error of the start shows
    for (int k = 1; k <= 4; k++) check("bdf", k, &order_cases[1], k < 4 ? 16 : 8, "qul");
}
static void test_callbacks(void **state)
{
    (void)state;
    // B comes from differences here: coarser than with rows
    for (int k = 1; k <= 5; k++) check("bdf", k, &order_cases[2], k < 4 ? 8 : k < 5 ? 4 : 2, "qul");
}
static void test_bdf2(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) check("bdf2", 2, &order_cases[i], i == 1 ? 16 : 8, "qul");
}

static void test_ggl_linkage(void **state)
{
    (void)state;
    for (int k = 1; k <= 4; k++) check("ggl", k, &order_cases[0], 8, "qul");
    // at the larger step multipliers are not asymptotic yet, at the smaller one the start shows in the
    // positions
    check("ggl", 5, &order_cases[0], 2, "qu");
    check("ggl", 5, &order_cases[0], 4, "l");
}
static void test_ggl_callbacks(void **state)
{
    (void)state;
    // B u is kept to what B is worth, and that comes from differences here: no more than order 3 shows
    for (int k = 1; k <= 3; k++) check("ggl", k, &order_cases[2], 8, "qul");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linkage),     cmocka_unit_test(test_top),
        cmocka_unit_test(test_callbacks),   cmocka_unit_test(test_bdf2),
        cmocka_unit_test(test_ggl_linkage), cmocka_unit_test(test_ggl_callbacks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Orders of the state-space family at fixed steps, for positions and velocities: 2 of the trapezoidal rule, 4
// of the others, on a spatial closed loop and callbacks; also with tangent coordinates and with a Jacobian by
// differences.
#include "integrate/order.h"

static void check(int which, const char *method, double order, tml_coordinates coordinates,
                  tml_jacobian jacobian)
{
    plan p = plan_default();
    p.method = method;
    p.coordinates = coordinates;
    p.jacobian = jacobian;
    // few steps between instants for order 4, for its errors soon are round-off
    order_expect e = {.order = {order, order}, .tolerance = 0.2};
    if (order == 4) {
        e.steps = strcmp(method, "for-rosen") == 0 ? 4 : 2;
        e.fine = 16;
    }
    order_case c = order_cases[which];
    if (!c.build) c.end = 0.375;  // at the usual end some errors pass through zero
    order_check(&c, &p, e);
}

static void all_cases(const char *method, double order)
{
    check(0, method, order, TML_COORDINATES_PARTITION, TML_JACOBIAN_EXACT);
    check(2, method, order, TML_COORDINATES_PARTITION, TML_JACOBIAN_EXACT);
    check(0, method, order, TML_COORDINATES_TANGENT, TML_JACOBIAN_EXACT);
    check(0, method, order, TML_COORDINATES_PARTITION, TML_JACOBIAN_DIFFERENCES);
}

static void ssp_trap(void **state)
{
    (void)state;
    all_cases("ssp-trap", 2);
}
static void ssp_sdirk(void **state)
{
    (void)state;
    all_cases("ssp-sdirk", 4);
}
static void infl_trap(void **state)
{
    (void)state;
    all_cases("infl-trap", 2);
}
static void infl_sdirk(void **state)
{
    (void)state;
    all_cases("infl-sdirk", 4);
}
static void for_sdirk(void **state)
{
    (void)state;
    all_cases("for-sdirk", 4);
}
static void for_rosen(void **state)
{
    (void)state;
    all_cases("for-rosen", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ssp_trap),  cmocka_unit_test(ssp_sdirk),
                                       cmocka_unit_test(infl_trap), cmocka_unit_test(infl_sdirk),
                                       cmocka_unit_test(for_sdirk), cmocka_unit_test(for_rosen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

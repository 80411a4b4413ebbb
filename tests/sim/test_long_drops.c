// A thousand bodies fall on the ground at random, and on other shapes.
#include "contact_drops.h"

static void thousand_drops(void **state)
{
    (void)state;
    rng r = rng_seed(17);
    for (int k = 0; k < 1000; k++) drop(&r, k);
}

static void drops_on_shapes(void **state)
{
    (void)state;
    rng r = rng_seed(18);
    for (int k = 0; k < 20 * PAIRS; k++) drop_on(&r, k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(thousand_drops), cmocka_unit_test(drops_on_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

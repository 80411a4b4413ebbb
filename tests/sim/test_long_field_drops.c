// Bodies fall on height fields at random.
#include "contact_drops.h"

static void drops_on_fields(void **state)
{
    (void)state;
    rng r = rng_seed(19);
    for (int k = 0; k < 200; k++) drop_on_field(&r, k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drops_on_fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// A thousand bodies fall on the ground at random.
#include "contact_drops.h"

static void thousand_drops(void **state)
{
    (void)state;
    rng r = rng_seed(17);
    for (int k = 0; k < 1000; k++) drop(&r, k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(thousand_drops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

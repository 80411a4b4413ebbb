// The references of test_beam_references.c under refinement: to 1e-9 of the length.
#include "analysis/statics/references.h"

static void refined(void **state)
{
    (void)state;
    for (int elements = 4; elements <= 16; elements *= 2) compare_references(elements, INFINITY);
    compare_references(48, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

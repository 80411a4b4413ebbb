// Energy over very many large steps.
#include "energy.h"

static void decay_never_gains_energy(void **state)
{
    (void)state;
    const energy_record e = energy_ride(energy_linkage(), "decay", ENERGY_STEP, 100000);
    CHECK_SMALL(e.gain, 1e-13 * e.start);
    assert_true(e.end < e.start);
}

static void conserve_keeps_the_energy(void **state)
{
    (void)state;
    const energy_record e = energy_ride(energy_linkage(), "conserve", ENERGY_STEP, 10000);
    CHECK_SMALL(e.drift, 1e-10 * e.start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay_never_gains_energy),
        cmocka_unit_test(conserve_keeps_the_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Trial steps of an advice: few, with many unknowns.
#include "sim/sim_fixture.h"

#include "advice/constants.h"
#include <trammel/trammel.h>

// Masses in a row, joined by rods: 3 unknowns each.
static tml_model *row(int count)
{
    const size_t size = 200 * (size_t)count + 1000;
    char *text = malloc(size);
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, size, "planar: true\nbodies:\n");
    for (int i = 0; i < count; i++)
        n += (size_t)snprintf(text + n, size - n,
                              "  b%d: {mass: 1, point: true, position: [%d, 0], velocity: [0, %g]}\n", i, i,
                              0.1 * (i % 3));
    n += (size_t)snprintf(text + n, size - n, "joints:\n");
    for (int i = 1; i < count; i++)
        n += (size_t)snprintf(text + n, size - n, "  r%d: {type: distance, a: b%d, b: b%d}\n", i, i - 1, i);
    n += (size_t)snprintf(text + n, size - n, "run: {end: 1000, tol: 1e-3}\n");
    assert_true(n < size);
    tml_model *model = text_model(text);
    free(text);
    return model;
}

static void trial_steps(void **state)
{
    (void)state;
    static const int count[] = {3, 1800};
    for (int k = 0; k < 2; k++) {
        tml_error err = {0};
        tml_advice advice = {0};
        tml_model *model = row(count[k]);
        const double unknowns = 3 * count[k] - 1;
        OK(tml_advise(model, NULL, &advice, &err));
        assert_int_equal(advice.steps, (long)fmin(MAX_TRIAL_STEPS, TRIAL_WORK / unknowns));
        tml_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trial_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Absolute and relative tolerances that differ.
#include "sim_fixture.h"

#include <trammel/trammel.h>

static long steps_of(const tml_model *m, const char *method, double atol, double rtol)
{
    tml_error err = {0};
    tml_run_def run = *tml_model_run(m);
    run.method = method;
    run.atol = atol;
    run.rtol = rtol;
    tml_sim *sim = start_sim(m, &run);
    OK(tml_sim_run(sim, NAN, &err));
    const long steps = report_of(sim).count.steps;
    tml_sim_destroy(sim);
    return steps;
}

// The smaller one of the two demands no fewer steps than equal ones, and no more than if both were as small.
static void demands(void **state)
{
    (void)state;
    tml_model *m = text_model("planar: true\ngravity: 9.81\n"
                              "bodies: {bob: {mass: 1.7, point: true, position: [-0.83, 0]}}\n"
                              "joints: {rod: {type: distance, a: ground, b: bob, length: 0.83}}\n"
                              "run: {end: 1, output_step: 1, tol: 1e-4}\n");
    for (int i = 0; tml_methods[i]; i++) {
        const char *const name = tml_methods[i]->name;
        const double low = tml_methods[i]->order > 2 ? 1e-7 : 1e-5;
        const long large = steps_of(m, name, 1e-3, 1e-3), a = steps_of(m, name, low, 1e-3),
                   r = steps_of(m, name, 1e-3, low), small = steps_of(m, name, low, low);
        if (!(large <= a && large <= r && a <= small && r <= small))
            fail_msg("%s: %ld steps, with one or the other tolerance smaller %ld and %ld, with both %ld",
                     name, large, a, r, small);
    }
    tml_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(demands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// A loop whose inputs change at the ticks of a clock, with explicit Runge-Kutta methods: steps that are far
// shorter than the tolerance asks for have a lower order, errors stay below the tolerance, and where ticks
// are long or end nothing is different from steps without them.
#include "sim_fixture.h"

#include <string.h>
#include <trammel/trammel.h>

static const char *const TEXT =
    "gravity: [0, 0, -9.81]\n"
    "inputs: {first: {unit: N m}, second: {unit: N m}}\n"
    "defaults: {bodies: {mass: 1.2, inertia: [0.002, 0.02, 0.02], frames: {a: [-0.2, 0, 0], b: [0.2, 0, "
    "0]}}}\n"
    "bodies: {upper: {position: [0.2, 0, 0]}, lower: {position: [0.6, 0, 0]}}\n"
    "joints:\n"
    "  shoulder: {type: revolute, a: ground, b: upper.a, axis: [0, 1, 0], torque: first, damping: 0.1}\n"
    "  elbow: {type: revolute, a: upper.b, b: lower.a, axis: [0, 1, 0.5], torque: second, damping: 0.1}\n"
    "run: {end: 1}\n";

static tml_model *build(void)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    OK(tml_spec_parse(TEXT, strlen(TEXT), "ticks.yaml", NULL, 0, NULL, &spec, &err));
    return model_of(spec);
}

static tml_sim *simulation(const tml_model *model, const char *method, double tol)
{
    tml_error err = {0};
    tml_sim *sim = NULL;
    tml_run_def run = *tml_model_run(model);
    run.method = method;
    run.tol = tol;
    OK(tml_sim_create(model, &run, &sim, &err));
    return sim;
}

// Torques that do not depend on the state.
static void make_ticks(tml_sim *sim, double tick, double from, double to)
{
    tml_error err = {0};
    for (int k = (int)lround(from / tick); k < (int)lround(to / tick); k++) {
        OK(tml_sim_set_input(sim, 0, 6 + 3 * sin(5.0 * k * tick), 0, &err));
        OK(tml_sim_set_input(sim, 1, 2 * cos(7.0 * k * tick), 0, &err));
        while (tml_sim_time(sim) < tick * (k + 1)) OK(tml_sim_step(sim, tick * (k + 1), &err));
    }
}

static long evaluations(tml_sim *sim)
{
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    return report.count.residuals;
}

static double distance(const tml_sim *a, const tml_sim *b)
{
    const tml_state *x = tml_sim_state(a), *y = tml_sim_state(b);
    double most = 0;
    for (int j = 0; j < x->nq; j++) most = fmax(most, fabs(x->q[j] - y->q[j]));
    return most;
}

// Evaluations per tick, one of them at its start; at small tolerances the order is higher.
static void short_ticks_have_low_orders(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double tol, most;
    } cases[] = {{"erk8", 1e-3, 4.3}, {"erk8", 1e-9, 7.4}, {"erk5", 1e-3, 4.3},
                 {"erk5", 1e-9, 7.4}, {"erk8", 1e-13, 18}, {"auto", 1e-4, 4.4}};
    tml_model *model = build();
    tml_sim *exact = simulation(model, "erk8", 1e-13);
    make_ticks(exact, 1e-3, 0, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tml_sim *sim = simulation(model, cases[i].method, cases[i].tol);
        make_ticks(sim, 1e-3, 0, 1);
        assert_true((double)evaluations(sim) / 1000 < cases[i].most);
        CHECK_SMALL(distance(sim, exact), 2 * cases[i].tol);
        tml_sim_destroy(sim);
    }
    tml_sim_destroy(exact);
    tml_model_destroy(model);
}

// Ticks as long as the steps of order 8: trials of lower orders are few.
static void long_ticks_keep_the_order(void **state)
{
    (void)state;
    tml_model *model = build();
    tml_sim *sim = simulation(model, "erk8", 1e-9), *exact = simulation(model, "erk8", 1e-13);
    make_ticks(sim, 0.02, 0, 1);
    make_ticks(exact, 0.02, 0, 1);
    CHECK_SMALL(distance(sim, exact), 2e-9);
    assert_true(evaluations(sim) < 1550);  // 1412 without trials
    tml_sim_destroy(exact);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// After the last tick steps are as long as without ticks.
static void order_returns(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = build();
    tml_sim *sim = simulation(model, "erk8", 1e-6);
    make_ticks(sim, 1e-3, 0, 0.1);
    const long before = evaluations(sim);
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    const long steps = report.count.steps;
    while (tml_sim_time(sim) < 1) OK(tml_sim_step(sim, 1, &err));
    tml_sim_get_report(sim, &report);
    assert_true(report.count.steps - steps < 40);
    assert_true(evaluations(sim) - before < 40 * 17);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// A saved simulation goes on with the same orders, to the bit.
static void saved_within_ticks(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = build();
    tml_sim *whole = simulation(model, "erk8", 1e-4), *parts = simulation(model, "erk8", 1e-4), *again = NULL;
    make_ticks(whole, 1e-3, 0, 0.5);
    make_ticks(parts, 1e-3, 0, 0.2);
    static unsigned char data[1 << 18];
    tml_sim_def def = tml_sim_def_default();
    size_t size = 0;
    def.model = model;
    OK(tml_sim_save_memory(parts, data, sizeof data, &size, &err));
    OK(tml_sim_load_memory(&def, data, size, &again, &err));
    make_ticks(again, 1e-3, 0.2, 0.5);
    assert_memory_equal(tml_sim_state(whole)->q, tml_sim_state(again)->q,
                        (size_t)tml_sim_state(whole)->nq * sizeof(double));
    assert_int_equal(evaluations(whole), evaluations(again));
    tml_sim_destroy(again);
    tml_sim_destroy(parts);
    tml_sim_destroy(whole);
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_ticks_have_low_orders),
                                       cmocka_unit_test(long_ticks_keep_the_order),
                                       cmocka_unit_test(order_returns), cmocka_unit_test(saved_within_ticks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Loops that record: rows that a simulation keeps while a program advances it; inputs that on_output sets.
#include "sim_fixture.h"

#include <float.h>
#include <string.h>
#include <trammel/trammel.h>

// A cart under two inputs, and a pendulum that hits a limit.
static const char *const cart_text = "title: Cart\n"
                                     "planar: true\n"
                                     "bodies:\n"
                                     "  cart: {mass: 1.6, inertia: 0.01}\n"
                                     "joints:\n"
                                     "  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}\n"
                                     "inputs: {push: {value: 0.7, unit: N}, drag: {value: 0, unit: N}}\n"
                                     "forces:\n"
                                     "  drive: {type: applied, at: cart, force: [push - drag, 0]}\n"
                                     "events: {far: {when: cart.x - 3.1}}\n"
                                     "run: {end: 0.9, output_step: 0.05, tol: 1e-9}\n";
static const char *const pendulum_text =
    "planar: true\n"
    "gravity: 9.81\n"
    "bodies:\n"
    "  rod: {mass: 0.4, inertia: 0.013, position: [0.2955, 0], frames: {top: [-0.2955, 0]}}\n"
    "joints:\n"
    "  pin: {type: revolute, a: ground, b: rod.top, damping: 0.02, "
    "limits: {lower: -2.1, restitution: 0.6}}\n"
    "run: {end: 1.3, output_step: 0.07, tol: 1e-7}\n";

enum { MOST = 64 };
typedef struct rows {
    double *value;  // (MOST x n)
    int n, count;
} rows;

static tml_status keep(const tml_sim *sim, const tml_state *x, void *user)
{
    tml_error err = {0};
    rows *r = user;
    assert_true(r->count < MOST);
    OK(tml_sim_channel_values(sim, x, r->value + (ptrdiff_t)r->n * r->count++, &err));
    return TML_OK;
}

static void same_rows(const tml_result *found, const rows *wanted)
{
    assert_int_equal(tml_result_row_count(found), wanted->count);
    for (int i = 0; i < wanted->count; i++)
        for (int k = 0; k < wanted->n; k++) {
            const double a = tml_result_value(found, (size_t)i, k),
                         b = wanted->value[(ptrdiff_t)wanted->n * i + k];
            if (a != b && !(isnan(a) && isnan(b)))
                fail_msg("row %d, %s: %.17g, not %.17g", i, tml_result_channel_name(found, k), a, b);
        }
}

// Steps as those of a run: the rows are those that its hook gets, also at a limit where the motion restarts.
static void test_rows_of_a_run(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = text_model(pendulum_text);
    tml_sim *a = start_sim(model, NULL), *b = start_sim(model, NULL), *c = start_sim(model, NULL);
    rows wanted = {.n = tml_sim_channel_count(a)};
    wanted.value = calloc((size_t)MOST * (size_t)wanted.n, sizeof(double));
    assert_non_null(wanted.value);
    tml_sim_set_hooks(a, &(tml_sim_hooks){.on_output = keep, .user = &wanted});
    OK(tml_sim_run(a, NAN, &err));
    tml_sim_report report;
    tml_sim_get_report(a, &report);
    assert_true(report.switches > 0);

    assert_null(tml_sim_recorded(b));
    OK(tml_sim_record(b, &err));
    assert_int_equal(tml_result_row_count(tml_sim_recorded(b)), 1);
    while (tml_sim_time(b) < 1.3) OK(tml_sim_step(b, 1.3, &err));
    wanted.count--;  // the end is no multiple of the output step: a run has a row there
    same_rows(tml_sim_recorded(b), &wanted);

    OK(tml_sim_record(c, &err));  // in two runs; the second begins with the last row of the first
    OK(tml_sim_run(c, 0.7, &err));
    OK(tml_sim_run(c, NAN, &err));
    const tml_result *r = tml_sim_recorded(c);
    assert_int_equal(tml_result_row_count(r), wanted.count + 1);
    for (size_t i = 0; i + 1 < tml_result_row_count(r); i++)
        assert_true(tml_result_time(r, i) < tml_result_time(r, i + 1));
    free(wanted.value);
    tml_sim_destroy(a);
    tml_sim_destroy(b);
    tml_sim_destroy(c);
    tml_model_destroy(model);
}

static void step_to(tml_sim *sim, double t)
{
    tml_error err = {0};
    while (tml_sim_time(sim) < t) OK(tml_sim_step(sim, t, &err));
}

// Force of the controller at t [N].
static double law(double t) { return 2.3 * cos(5 * t) - 0.4; }

// Position of the cart at the end of ticks of length h in each of which the force is constant [m].
static double exact_place(double h, int ticks, double first, int from)
{
    double x = 0, v = 0;
    for (int i = 0; i < ticks; i++) {
        const double a = (i < from ? first : law(h * i)) / 1.6;
        x += v * h + a * h * h / 2;
        v += a * h;
    }
    return x;
}

// Ticks that are not those of the rows.
static void test_loop(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = text_model(cart_text);
    tml_sim *sim = start_sim(model, NULL);
    const double h = 0.02;
    OK(tml_sim_record(sim, &err));
    for (int i = 0; i < 40; i++) {
        const double both[] = {law(h * i) + 0.3, 0.3};
        OK(tml_sim_set_inputs(sim, NULL, 2, both, &err));
        step_to(sim, h * (i + 1));
    }
    const tml_result *r = tml_sim_recorded(sim);
    const int x = tml_result_channel_index(r, "cart.x", &err);
    assert_int_equal(tml_result_row_count(r), 17);
    assert_string_equal(tml_result_note_text(r, "title"), "Cart");
    for (size_t i = 0; i < 17; i++)  // 4e-16: round-off of the times
        assert_true(fabs(tml_result_time(r, i) - 0.05 * (double)i) < 4e-16);
    // the tolerance is 1e-9 of the model length, 1 m
    assert_true(fabs(tml_result_value(r, 16, x) - exact_place(h, 40, 0, 0)) < 1e-9);
    assert_true(fabs(tml_result_value(r, 8, x) - exact_place(h, 20, 0, 0)) < 1e-9);

    // restart: the rows begin anew
    tml_state *start = NULL;
    OK(tml_state_create(tml_sim_system(sim), &start, &err));
    tml_model_start(model, 0, start);
    start->u[0] = 40;
    OK(tml_sim_restart(sim, start, &err));
    tml_state_destroy(start, tml_sim_system(sim));
    assert_int_equal(tml_result_row_count(r), 1);
    tml_sim_report report = {0};
    while (!report.event) {
        OK(tml_sim_step(sim, 1, &err));
        tml_sim_get_report(sim, &report);
    }
    const size_t last = tml_result_row_count(r) - 1;  // rows at 0, 0.05 and the event
    assert_int_equal(last, 2);
    assert_true(fabs(tml_result_value(r, last, x) - 3.1) < 1e-9);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

typedef struct controller {
    tml_sim *sim;
    int calls, from;  // number of the first output at which the input is set
    double begin;     // value of the input then
} controller;

static tml_status control(const tml_sim *sim, const tml_state *x, void *user)
{
    tml_error err = {0};
    controller *c = user;
    assert_ptr_equal(sim, c->sim);
    if (c->calls++ < c->from) return TML_OK;
    OK(tml_sim_set_input(c->sim, 0, law(x->t), 0, &err));
    assert_true(tml_sim_input(c->sim, 0) == law(x->t));
    return TML_OK;
}

// Inputs set in on_output act from the output on, also if a step reaches beyond it, as they do in a loop.
static void test_inputs_in_outputs(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = text_model(cart_text);
    const char *const methods[] = {"erk5", "bdf", "genalpha", "radau5"};
    for (int from = 0; from < 8; from += 7)
        for (int k = 0; k < 4; k++) {
            tml_run_def run = *tml_model_run(model);
            run.method = methods[k];
            tml_sim *sim = start_sim(model, &run);
            controller c = {.sim = sim, .from = from};
            tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = control, .user = &c, .motion_only = k % 2});
            OK(tml_sim_run(sim, 0.75, &err));
            assert_int_equal(c.calls, 16);
            const double wanted = exact_place(0.05, 15, 0.7, from), found = tml_sim_state(sim)->q[0];
            // genalpha is of order 2: more steps, each of them within the tolerance
            if (!(fabs(found - wanted) < (k == 2 ? 1e-7 : 3e-9)))
                fail_msg("%s from output %d on: cart at %.10f, not %.10f", methods[k], from, found, wanted);
            tml_sim_destroy(sim);
        }
    tml_model_destroy(model);
}

static void test_read(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = load_model("slider_crank", (tml_parameter){0}, NULL);
    tml_sim *sim = start_sim(model, NULL);
    const int n = tml_sim_channel_count(sim);
    OK(tml_sim_run(sim, 0.031, &err));
    double *all = calloc((size_t)n, sizeof *all), *row = calloc((size_t)n, sizeof *row);
    assert_non_null(all);
    assert_non_null(row);
    OK(tml_sim_read(sim, NULL, n, all, &err));
    OK(tml_sim_channel_values(sim, tml_sim_state(sim), row, &err));
    assert_memory_equal(all, row, (size_t)n * sizeof *all);
    for (int i = n - 1; i >= 0; i--) {
        const int two[] = {i, (7 * i) % n};
        double value[2];
        OK(tml_sim_read(sim, two, 2, value, &err));
        assert_true(value[0] == all[two[0]] && value[1] == all[two[1]]);
    }
    const int wrong = n;
    assert_int_equal(tml_sim_read(sim, &wrong, 1, all, &err), TML_ERR_ARG);
    assert_int_equal(tml_sim_read(sim, NULL, n - 1, all, &err), TML_ERR_ARG);
    free(all);
    free(row);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// The work up to the present state, without an output there: 0.5 m v^2 comes from it.
static void test_read_energy(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = text_model(cart_text);
    tml_sim *sim = start_sim(model, NULL);
    step_to(sim, 0.61);
    const int of[] = {tml_sim_channel_index(sim, "energy.kinetic", &err),
                      tml_sim_channel_index(sim, "energy.dissipated", &err)};
    double energy[2];
    OK(tml_sim_read(sim, of, 2, energy, &err));
    const double v = 0.7 / 1.6 * 0.61;
    assert_true(fabs(energy[0] - 0.8 * v * v) < 1e-9 && fabs(energy[0] + energy[1]) < 1e-9);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

static void test_write(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = text_model(cart_text);
    tml_sim *sim = start_sim(model, NULL);
    OK(tml_sim_record(sim, &err));
    step_to(sim, 0.4);
    const tml_result *r = tml_sim_recorded(sim);
    tml_result *back = NULL;
    const tml_result_note note = {"title", "Cart"};
    OK(tml_result_write(r, "test_record.csv", &note, 1, &err));
    OK(tml_result_open("test_record.csv", NULL, &back, &err));
    assert_int_equal(tml_result_row_count(back), 9);
    for (size_t i = 0; i < 9; i++)
        for (int k = 0; k < tml_result_channel_count(r); k++)
            assert_true(tml_result_value(back, i, k) == tml_result_value(r, i, k));
    assert_int_equal(tml_result_write(back, "again.csv", NULL, 0, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "copy that file"));
    tml_result_close(back);
    remove("test_record.csv");
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// Wrong values change nothing; a record that finds no memory says so, and the motion goes on.
static void test_errors(void **state)
{
    (void)state;
    tml_error err = {0};
    counter c = {0};
    const tml_env env = count_env(&c);
    tml_spec *spec = NULL;
    OK(tml_spec_parse(cart_text, strlen(cart_text), "test.yaml", NULL, 0, &env, &spec, &err));
    tml_model *model = model_of(spec);
    tml_sim *sim = start_sim(model, NULL);
    const double bad[] = {1, NAN};
    assert_int_equal(tml_sim_set_inputs(sim, NULL, 2, bad, &err), TML_ERR_ARG);
    assert_true(tml_sim_input(sim, 0) == 0.7);
    assert_int_equal(tml_sim_set_inputs(sim, NULL, 1, bad, &err), TML_ERR_ARG);
    c.fail_at = c.calls + 1;
    assert_int_equal(tml_sim_record(sim, &err), TML_ERR_NOMEM);
    assert_null(tml_sim_recorded(sim));
    OK(tml_sim_record(sim, &err));
    step_to(sim, 0.3);
    assert_int_equal(tml_result_row_count(tml_sim_recorded(sim)), 7);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    assert_int_equal(c.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_a_run),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_inputs_in_outputs),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_read_energy),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

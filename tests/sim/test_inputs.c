// Inputs that a program sets during a run: every method continues with them as exactly as it does with a
// discontinuity that it locates, without the cost of a restart.
#include "sim_fixture.h"

#include <string.h>
#include <trammel/trammel.h>

enum { TICKS = 16 };
static const double tick = 0.05;  // [s]

// Force of tick i [N]: jumps of the size of the weights.
static double level(int i) { return 6 * sin(2.3 * i + 0.4); }

// A cart with a pendulum and a lagged sensor, open or (loop) closed by a second link to the ground. %s: the
// inputs, and the force on the cart.
static const char *const open_text =
    "planar: true\n"
    "gravity: 9.81\n"
    "%s"
    "bodies:\n"
    "  cart: {mass: 1.3, inertia: 0.01}\n"
    "  rod: {mass: 0.4, inertia: 0.013, position: [0.12, -0.27], "
    "orientation: 0.4182, frames: {top: [0, 0.2955]}}\n"
    "joints:\n"
    "  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}\n"
    "  pin: {type: revolute, a: cart, b: rod.top}\n"
    "states:\n"
    "  lag: {start: 0, rate: '(cart.x - lag)/0.2 + 0.3*(%s)'}\n"
    "forces:\n"
    "  drive: {type: applied, at: cart, force: ['%s - 4*cart.vx - 2*lag', 0]}\n"
    "run: {end: 0.8, tol: 1e-6}\n";
static const char *const loop_text = "planar: true\n"
                                     "gravity: 9.81\n"
                                     "%s"
                                     "bodies:\n"
                                     "  crank: {mass: 0.7, inertia: 0.011, position: [0.2, 0], "
                                     "frames: {a: [-0.2, 0], b: [0.2, 0]}}\n"
                                     "  rod: {mass: 0.9, inertia: 0.03, position: [0.75, 0.15], "
                                     "orientation: 0.4055, frames: {b: [-0.381, 0], c: [0.381, 0]}}\n"
                                     "  block: {mass: 1.1, inertia: 0.01, position: [1.1, 0.3]}\n"
                                     "joints:\n"
                                     "  hinge: {type: revolute, a: ground, b: crank.a}\n"
                                     "  pin: {type: revolute, a: crank.b, b: rod.b}\n"
                                     "  wrist: {type: revolute, a: rod.c, b: block}\n"
                                     "  guide: {type: prismatic, a: ground, b: block, axis: [1, 0]}\n"
                                     "states:\n"
                                     "  lag: {start: 0, rate: '(block.x - lag)/0.2 + 0.3*(%s)'}\n"
                                     "forces:\n"
                                     "  drive: {type: applied, at: block, force: ['%s - 4*block.vx - 2*lag', "
                                     "0]}\n"
                                     "run: {end: 0.8, tol: 1e-6}\n";

// The force as an input, or as an expression whose discontinuities are located.
static tml_model *build(const char *text, bool input)
{
    static char force[80 * TICKS], yaml[200 * TICKS + 2000];
    char piece[80];
    tml_error err = {0};
    tml_spec *spec = NULL;
    force[0] = 0;
    for (int i = 0; i < TICKS - 1 && !input; i++) {
        snprintf(piece, sizeof piece, "if(t < %.17g, %.17g, ", tick * (i + 1), level(i));
        strcat(force, piece);
    }
    snprintf(piece, sizeof piece, "%.17g", level(TICKS - 1));
    strcat(force, input ? "push" : piece);
    for (int i = 0; i < TICKS - 1 && !input; i++) strcat(force, ")");
    snprintf(yaml, sizeof yaml, text, input ? "inputs:\n  push: {value: 0, unit: N}\n" : "", force, force);
    OK(tml_spec_parse(yaml, strlen(yaml), "test.yaml", NULL, 0, NULL, &spec, &err));
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

static void advance(tml_sim *sim, double t)
{
    tml_error err = {0};
    while (tml_sim_time(sim) < t) OK(tml_sim_step(sim, t, &err));
}

typedef struct motion {
    double q[64], u[64];
    int nq, n;
    long steps, iterations;
} motion;

static motion end_of(tml_sim *sim)
{
    const tml_state *x = tml_sim_state(sim);
    motion end = {.nq = x->nq, .n = x->n};
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    assert_true(x->nq <= 64);
    memcpy(end.q, x->q, (size_t)x->nq * sizeof(double));
    memcpy(end.u, x->u, (size_t)x->n * sizeof(double));
    end.steps = report.count.steps;
    end.iterations = report.count.iterations;
    tml_sim_destroy(sim);
    return end;
}

static motion run_located(const tml_model *model, const char *method, double tol)
{
    tml_sim *sim = simulation(model, method, tol);
    advance(sim, tick * TICKS);
    return end_of(sim);
}

static motion run_inputs(const tml_model *model, const char *method, double tol)
{
    tml_error err = {0};
    tml_sim *sim = simulation(model, method, tol);
    for (int i = 0; i < TICKS; i++) {
        OK(tml_sim_set_input(sim, 0, level(i), 0, &err));
        advance(sim, tick * (i + 1));
    }
    return end_of(sim);
}

static double distance(const motion *a, const motion *b)
{
    double worst = 0;
    for (int i = 0; i < a->nq; i++) worst = fmax(worst, fabs(a->q[i] - b->q[i]));
    for (int i = 0; i < a->n; i++) worst = fmax(worst, fabs(a->u[i] - b->u[i]));
    return worst;
}

// Errors against a much more exact run, of the run with inputs and of the one that locates the jumps. Both
// obey the same tolerance; a factor of 5 between them is chance, and errors below a third of the tolerance
// need no comparison. Steps: a jump costs multistep methods some of their order either way.
static void check_method(const char *method, const tml_model *by_input, const tml_model *located,
                         const motion *exact)
{
    const double tol = 1e-6;
    const motion a = run_inputs(by_input, method, tol), b = run_located(located, method, tol);
    const double ea = distance(&a, exact), eb = distance(&b, exact);
    if (getenv("TRAMMEL_TEST_PRINT"))
        printf("%-12s inputs %.2e in %ld steps, located %.2e in %ld steps\n", method, ea, a.steps, eb,
               b.steps);
    if (!(ea <= fmax(5 * eb, tol / 3)))
        fail_msg("%s: error %.3g with inputs, %.3g if jumps are located", method, ea, eb);
    if (!((double)a.steps <= 1.35 * (double)b.steps + 5))
        fail_msg("%s: %ld steps with inputs, %ld if jumps are located", method, a.steps, b.steps);
}

static void every_method(const char *text)
{
    tml_model *by_input = build(text, true), *located = build(text, false);
    const motion exact = run_located(located, "erk8", 1e-11);
    for (int i = 0; tml_methods[i]; i++) check_method(tml_methods[i]->name, by_input, located, &exact);
    tml_model_destroy(by_input);
    tml_model_destroy(located);
}

static void test_open_chain(void **state)
{
    (void)state;
    every_method(open_text);
}

static void test_closed_loop(void **state)
{
    (void)state;
    skip_if_slow("the open chain tries every method");
    every_method(loop_text);
}

// ---- a controller at 1 kHz --------------------------------------------------------------------------------

static motion run_ticks(const tml_model *model, const char *method, bool controlled)
{
    tml_error err = {0};
    tml_sim *sim = simulation(model, method, 1e-4);
    for (int i = 0; i < 400; i++) {
        const double v = tml_sim_state(sim)->u[0];
        if (controlled) OK(tml_sim_set_input(sim, 0, -0.4 * v - 0.1 * sin(0.05 * i), 0, &err));
        advance(sim, 1e-3 * (i + 1));
    }
    return end_of(sim);
}

// Small changes of an input at every tick do not restart a method: it needs about the steps and iterations of
// a run whose steps end at the ticks. IDA cannot be told of the jump: its error test sees it.
static void test_controller(void **state)
{
    (void)state;
    const char *const texts[] = {open_text, loop_text};
    for (int k = 0; k < 2; k++) {
        tml_model *model = build(texts[k], true);
        for (int i = 0; tml_methods[i]; i++) {
            const char *name = tml_methods[i]->name;
            const motion with = run_ticks(model, name, true), without = run_ticks(model, name, false);
            const double more = tml_methods[i]->equations == TML_EQUATIONS_REGULARIZED ? 5 : 1;
            if (!((double)with.steps <= 1.2 * more * (double)without.steps &&
                  (double)with.iterations <= 1.3 * more * (double)without.iterations))
                fail_msg("%s: %ld steps and %ld iterations with the controller, %ld and %ld without", name,
                         with.steps, with.iterations, without.steps, without.iterations);
        }
        tml_model_destroy(model);
    }
}

static void test_no_allocation(void **state)
{
    (void)state;
    tml_error err = {0};
    for (int i = 0; tml_methods[i]; i++) {
        counter c = {0};
        const tml_env env = count_env(&c);
        tml_spec *spec = NULL;
        tml_model *model = NULL;
        char yaml[2000];
        snprintf(yaml, sizeof yaml, loop_text, "inputs:\n  push: {value: 0, unit: N}\n", "push", "push");
        OK(tml_spec_parse(yaml, strlen(yaml), "test.yaml", NULL, 0, &env, &spec, &err));
        OK(tml_model_build(spec, &model, &err));
        tml_spec_destroy(spec);
        tml_sim *sim = simulation(model, tml_methods[i]->name, 1e-4);
        advance(sim, 0.003);  // the first steps may take memory for matrices
        const long before = c.calls;
        for (int k = 0; k < 50; k++) {
            OK(tml_sim_set_input(sim, 0, level(k), 0.3, &err));
            advance(sim, 0.004 + 1e-3 * k);
        }
        if (c.calls != before)
            fail_msg("%s: %ld allocations in the loop", tml_methods[i]->name, c.calls - before);
        tml_sim_destroy(sim);
        tml_model_destroy(model);
        assert_int_equal(c.live, 0);
    }
}

// ---- the functions ----------------------------------------------------------------------------------------

static void test_refused(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = build(open_text, true), *none = build(open_text, false);
    tml_sim *sim = simulation(model, "radau5", 1e-5), *without = simulation(none, "radau5", 1e-5);
    assert_int_equal(tml_sim_set_input(NULL, 0, 1, 0, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "tml_sim_set_input"));
    assert_int_equal(tml_sim_set_input(sim, -1, 1, 0, &err), TML_ERR_ARG);
    assert_int_equal(tml_sim_set_input(sim, 1, 1, 0, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "the model has 1 inputs"));
    assert_int_equal(tml_sim_set_input(sim, 0, NAN, 0, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "push"));
    assert_int_equal(tml_sim_set_input(sim, 0, 0, INFINITY, &err), TML_ERR_ARG);
    assert_int_equal(tml_sim_set_input(sim, 0, 0, NAN, NULL), TML_ERR_ARG);
    assert_int_equal(tml_sim_set_input(without, 0, 1, 0, &err), TML_ERR_ARG);
    assert_true(isnan(tml_sim_input(NULL, 0)));
    assert_true(isnan(tml_sim_input(sim, 1)));
    assert_true(isnan(tml_sim_input(sim, -1)));
    assert_true(isnan(tml_sim_input(without, 0)));
    assert_true(tml_sim_input(sim, 0) == 0);  // a refused call changes nothing
    tml_sim_destroy(sim);
    tml_sim_destroy(without);
    tml_model_destroy(model);
    tml_model_destroy(none);
}

static tml_model *parametric(void)
{
    return text_model("planar: true\n"
                      "parameters: {size: 0.3, stiffness: 120}\n"
                      "inputs: {damping: {value: 2, unit: N s/m}}\n"
                      "bodies: {b: {mass: 1.2, inertia: 0.1, position: [size, 0]}}\n"
                      "joints: {rail: {type: prismatic, a: ground, b: b, axis: [1, 0]}}\n"
                      "forces: {f: {type: applied, at: b, force: ['-stiffness*b.x - damping*b.vx', 0]}}\n"
                      "run: {end: 1}\n");
}

// A damping that changes during the run; everything that is fixed is refused with the reason.
static void test_parameters(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = parametric();
    tml_sim *sim = start_sim(model, NULL);
    advance(sim, 0.1);
    const double a = fabs(tml_sim_state(sim)->u[0]);
    OK(tml_sim_set_parameter(sim, "damping", 2000, &err));
    assert_true(tml_sim_input(sim, 0) == 2000);
    advance(sim, 0.2);
    assert_true(fabs(tml_sim_state(sim)->u[0]) < 0.1 * a);  // about stiffness/damping times the elongation
    assert_int_equal(tml_sim_set_parameter(sim, "size", 0.4, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "parameter 'size' is fixed: the model was built with its value 0.3"));
    assert_non_null(strstr(err.msg, "Build it again"));
    assert_int_equal(tml_sim_set_parameter(sim, "stiffness", 100, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "make it an input"));
    assert_int_equal(tml_sim_set_parameter(sim, "dampign", 1, &err), TML_ERR_NAME);
    assert_non_null(strstr(err.msg, "is it 'damping'?"));
    assert_int_equal(tml_sim_set_parameter(sim, "siez", 1, &err), TML_ERR_NAME);
    assert_non_null(strstr(err.msg, "The parameter 'size' is fixed"));
    assert_int_equal(tml_sim_set_parameter(sim, "damping", NAN, &err), TML_ERR_ARG);
    assert_int_equal(tml_sim_set_parameter(sim, NULL, 1, &err), TML_ERR_ARG);
    assert_true(tml_sim_input(sim, 0) == 2000);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// A parameter of the same name would hide an input or a state.
static void test_hidden_names(void **state)
{
    (void)state;
    static const char *const sections[] = {"inputs: {k: {value: 1}}\n", "states: {k: {rate: '-k'}}\n"};
    for (int i = 0; i < 2; i++) {
        char yaml[300];
        tml_error err = {0};
        tml_spec *spec = NULL;
        tml_model *model = NULL;
        snprintf(yaml, sizeof yaml,
                 "planar: true\nparameters: {k: 3}\n%sbodies: {b: {mass: 1, inertia: 1}}\n"
                 "forces: {f: {type: applied, at: b, force: [k, 0]}}\nrun: {end: 1}\n",
                 sections[i]);
        OK(tml_spec_parse(yaml, strlen(yaml), "test.yaml", NULL, 0, NULL, &spec, &err));
        assert_int_equal(tml_model_build(spec, &model, &err), TML_ERR_NAME);
        assert_non_null(strstr(err.msg, "has the name of a parameter"));
        assert_int_equal(err.line, 3);
        tml_spec_destroy(spec);
    }
}

static void test_read_back(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = build(open_text, true);
    for (int i = 0; tml_methods[i]; i++) {
        tml_sim *sim = simulation(model, tml_methods[i]->name, 1e-4);
        OK(tml_sim_set_input(sim, 0, 1.7, 0.5, &err));  // before the run
        assert_true(tml_sim_input(sim, 0) == 1.7);
        OK(tml_sim_set_input(sim, 0, 2.1, 0.5, &err));  // again at the same time
        assert_true(tml_sim_input(sim, 0) == 2.1);
        advance(sim, 0.02);
        assert_true(fabs(tml_sim_input(sim, 0) - 2.11) < 1e-15);  // round-off
        assert_true(tml_sim_state(sim)->input[0] == 2.1);
        OK(tml_sim_set_input(sim, 0, -3, 0, &err));  // during the run
        assert_true(tml_sim_input(sim, 0) == -3);
        advance(sim, 0.03);
        assert_true(tml_sim_input(sim, 0) == -3);
        assert_true(tml_sim_state(sim)->input[0] == -3);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
}

// A simulation is saved with inputs that the next step begins with, loaded and continued: the same bits.
static void test_saved(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = build(loop_text, true);
    static unsigned char data[1 << 20];
    for (int i = 0; tml_methods[i]; i++) {
        tml_sim *sim = simulation(model, tml_methods[i]->name, 1e-5), *loaded = NULL;
        tml_sim_def def = tml_sim_def_default();
        size_t size;
        OK(tml_sim_set_input(sim, 0, 2.6, 0.3, &err));
        advance(sim, 0.11);
        OK(tml_sim_set_input(sim, 0, -1.9, 0.2, &err));
        OK(tml_sim_save_memory(sim, data, sizeof data, &size, &err));
        def.model = model;
        OK(tml_sim_load_memory(&def, data, size, &loaded, &err));
        assert_true(tml_sim_input(loaded, 0) == -1.9);
        advance(sim, 0.25);
        advance(loaded, 0.25);
        const motion a = end_of(sim), b = end_of(loaded);
        assert_int_equal(a.steps, b.steps);
        if (distance(&a, &b) != 0) fail_msg("%s: differs after loading", tml_methods[i]->name);
    }
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open_chain),   cmocka_unit_test(test_closed_loop),
        cmocka_unit_test(test_controller),   cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_hidden_names), cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

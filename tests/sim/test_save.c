// Saved simulations: one that is cut after some step, saved, loaded and continued has the same bits as one
// that was not cut.
#include "integrate/velocity_problems.h"
#include "sim_fixture.h"

#include <stdint.h>
#include <stdlib.h>

enum { STEPS_MAX = 30000 };

/** Hashes of the states after every step, and of the rows of output, of one run. */
typedef struct trace {
    uint64_t step[STEPS_MAX], row[ROWS_MAX];
    int steps, rows;
    int cut;      // the run is saved after this step; 0: never
    void *saved;  // what was saved then
    size_t size;
    int rows_at_cut;  // rows written before
    int switched;     // the last step that ended at a discontinuity of the model; 0: none
    long switches;    // number of these
    double *values;   // (channels)
    int channels;
} trace;

static uint64_t hash_doubles(const double *x, int count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < (size_t)count * sizeof *x; i++)
        hash = (hash ^ ((const unsigned char *)x)[i]) * 0x100000001b3u;
    return hash;
}

static void save(const tml_sim *sim, trace *r)
{
    tml_error err = {0};
    OK(tml_sim_save_memory(sim, NULL, 0, &r->size, &err));
    r->saved = malloc(r->size);
    assert_non_null(r->saved);
    OK(tml_sim_save_memory(sim, r->saved, r->size, &r->size, &err));
    r->rows_at_cut = r->rows;
}

static tml_status trace_row(const tml_sim *sim, const tml_state *x, void *user)
{
    trace *r = user;
    tml_error err = {0};
    assert_true(r->rows < ROWS_MAX);
    if (r->values) OK(tml_sim_channel_values(sim, x, r->values, &err));
    r->row[r->rows++] = r->values ? hash_doubles(r->values, r->channels) : state_hash(x);
    return TML_OK;
}

static tml_status trace_step(const tml_sim *sim, double t, double h, void *user)
{
    trace *r = user;
    (void)t, (void)h;
    assert_true(r->steps < STEPS_MAX);
    r->step[r->steps++] = state_hash(tml_sim_state(sim));
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    if (report.switches > r->switches) r->switched = r->steps;
    r->switches = report.switches;
    if (r->steps == r->cut) save(sim, r);
    return TML_OK;
}

static trace *trace_new(tml_sim *sim)
{
    trace *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->channels = tml_sim_channel_count(sim);
    if (r->channels > 0) r->values = calloc((size_t)r->channels, sizeof *r->values);
    tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = trace_row, .on_step = trace_step, .user = r});
    return r;
}

static void trace_free(trace *r)
{
    free(r->values);
    free(r->saved);
    free(r);
}

static void expect_same_report(const tml_sim *a, const tml_sim *b, const char *what)
{
    tml_sim_report x, y;
    tml_sim_get_report(a, &x);
    tml_sim_get_report(b, &y);
    if (x.count.steps != y.count.steps || x.count.iterations != y.count.iterations ||
        x.count.residuals != y.count.residuals || x.count.factorizations != y.count.factorizations ||
        x.count.singular != y.count.singular || x.count.rejected_error != y.count.rejected_error)
        fail_msg("%s: counters differ", what);
    if (x.energy_error != y.energy_error || x.position_residual != y.position_residual ||
        x.switches != y.switches || x.h_min != y.h_min || strcmp(x.method, y.method) != 0 ||
        strcmp(x.solver, y.solver) != 0 || x.sentence_count != y.sentence_count || x.event != y.event)
        fail_msg("%s: reports differ", what);
    for (int i = 0; i < x.sentence_count; i++) assert_string_equal(x.sentences[i], y.sentences[i]);
}

// One run in one piece, and one that is saved after its step `cut` and continued by another simulation.
static void compare(const tml_sim_def *def, int cut, const trace *whole, const tml_sim *first,
                    const char *what)
{
    tml_error err = {0};
    tml_sim *a = NULL, *b = NULL;
    OK(tml_sim_create_def(def, &a, &err));
    trace *cut_run = trace_new(a);
    cut_run->cut = cut;
    const tml_status st = tml_sim_run(a, NAN, &err);
    if (!cut_run->saved) fail_msg("%s: no step %d (%s %s)", what, cut, tml_status_name(st), err.msg);
    tml_sim_destroy(a);
    const tml_status loaded = tml_sim_load_memory(def, cut_run->saved, cut_run->size, &b, &err);
    if (loaded != TML_OK) fail_msg("%s: %s", what, err.msg);
    trace *rest = trace_new(b);
    tml_sim_run(b, NAN, &err);
    for (int i = 0; i < rest->steps; i++)
        if (cut + i >= whole->steps || rest->step[i] != whole->step[cut + i])
            fail_msg("%s: cut after step %d of %d, step %d after it differs", what, cut, whole->steps, i + 1);
    assert_int_equal(rest->steps, whole->steps - cut);
    for (int i = 0; i < rest->rows; i++)
        if (rest->row[i] != whole->row[cut_run->rows_at_cut + i])
            fail_msg("%s: cut after step %d, row %d after it differs", what, cut, i + 1);
    assert_int_equal(rest->rows, whole->rows - cut_run->rows_at_cut);
    expect_same_report(first, b, what);
    tml_sim_destroy(b);
    trace_free(cut_run);
    trace_free(rest);
}

static uint32_t random_state = 12345;
static int random_below(int n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (uint32_t)n);
}

// How many times as many cuts are tried: 1, or what TRAMMEL_TEST_CUTS says.
static int more_cuts(void)
{
    const char *text = getenv("TRAMMEL_TEST_CUTS");
    return text ? atoi(text) : 1;
}

// All steps in one piece; cuts at `cuts` random steps, or at all of them if there are no more, and where the
// method has just been restarted.
static int check_cuts(const tml_sim_def *def, int cuts, const char *what)
{
    tml_error err = {0};
    tml_sim *sim = NULL;
    const tml_status st = tml_sim_create_def(def, &sim, &err);
    if (st == TML_ERR_MODEL || st == TML_ERR_ARG || st == TML_ERR_SINGULAR) return 0;  // not for this method
    if (st != TML_OK) fail_msg("%s: %s", what, err.msg);
    trace *whole = trace_new(sim);
    tml_sim_run(sim, NAN, &err);
    const int steps = whole->steps;
    const bool all = cuts * more_cuts() >= steps - 1;
    const int tried = all ? steps - 1 : cuts * more_cuts();
    for (int i = 0; i < tried && steps > 1; i++)
        compare(def, 1 + (all ? i : random_below(steps - 1)), whole, sim, what);
    if (whole->switched > 0 && whole->switched < steps) compare(def, whole->switched, whole, sim, what);
    trace_free(whole);
    tml_sim_destroy(sim);
    return steps;
}

static tml_sim_def def_of(const tml_model *model, const tml_run_def *run)
{
    tml_sim_def def = tml_sim_def_default();
    def.model = model;
    def.run = run;
    return def;
}

// ---- every method -----------------------------------------------------------------------------------------

typedef struct test_case {
    const char *model;
    double end, tol;
} test_case;

// Closed loops in the plane, rotations in space, redundant rows, a singular configuration, events of time,
// discontinuities of the state.
static const test_case CASES[] = {{"slider_crank", 0.11, 1e-5},  {"heavy_top", 0.31, 1e-5},
                                  {"four_bars", 0.43, 1e-4},     {"singular_slider_crank", 0.61, 1e-4},
                                  {"governor", 0.21, 1e-4},      {"impact", 0.31, 1e-4},
                                  {"controlled_cart", 0.4, 1e-4}};

static void run_case(const test_case *c, bool fixed)
{
    tml_model *m = load_model(c->model, (tml_parameter){0}, NULL);
    for (int i = 0; tml_methods[i]; i++) {
        tml_run_def run = *tml_model_run(m);
        run.method = tml_methods[i]->name;
        run.end = run.start + c->end;
        run.rtol = run.atol = NAN;
        run.tol = c->tol;
        run.step = fixed ? c->end / 57 : 0;
        run.output_step = c->end / 23;
        if (fixed && tml_methods[i]->no_fixed_step) continue;
        char what[80];
        snprintf(what, sizeof what, "%s, %s%s", c->model, run.method, fixed ? ", fixed steps" : "");
        const tml_sim_def def = def_of(m, &run);
        check_cuts(&def, 2, what);
    }
    tml_model_destroy(m);
}

static void every_method(void **state)
{
    (void)state;
    const size_t stride = less_if_slow("every third model; half a minute") ? 3 : 1;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i += stride) run_case(&CASES[i], false);
}

static void every_method_with_fixed_steps(void **state)
{
    (void)state;
    skip_if_slow("every_method runs the same code");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i += 2) run_case(&CASES[i], true);
}

// ---- settings ---------------------------------------------------------------------------------------------

// Linear solvers keep pivots or factors; forms have states of their own.
static void solvers_and_forms(void **state)
{
    (void)state;
    static const char *const methods[] = {"genalpha", "bdf", "radau5", "for-sdirk", "ggl", "adams"};
    const bool brief = less_if_slow("a third of the settings for each method");
    tml_model *m = load_model("suspension", (tml_parameter){0}, NULL);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int k = brief ? (int)i % 3 : 0; k < 9; k += brief ? 3 : 1) {
            char what[80];
            tml_run_def run = *tml_model_run(m);
            run.method = methods[i];
            run.end = run.start + 0.13;
            run.solver = k < 5 ? tml_linsolvers[k]->name : NULL;
            if (k == 5) run.kinematics = TML_KINEMATICS_JOINTS;
            if (k == 6) run.group = TML_GROUP_SE3;
            if (k == 7) run.coordinates = TML_COORDINATES_TANGENT;
            if (k == 8) run.jacobian = TML_JACOBIAN_DIFFERENCES;
            snprintf(what, sizeof what, "suspension, %s, variant %d", methods[i], k);
            const tml_sim_def def = def_of(m, &run);
            check_cuts(&def, 1, what);
        }
    tml_model_destroy(m);
}

static void settings_of_newton(void **state)
{
    (void)state;
    static const char *const methods[] = {"genalpha", "hht", "bdf", "radau3", "ggl-radau3"};
    tml_model *m = load_model("slider_crank", (tml_parameter){0}, NULL);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int k = 0; k < 6; k++) {
            char what[80];
            tml_run_def run = *tml_model_run(m);
            run.method = methods[i];
            run.end = run.start + 0.07;
            run.tol = 1e-3;
            if (k == 0) run.fields = TML_FIELDS_THREE;
            if (k == 1) run.scaling = TML_SCALING_LEFT_RIGHT;
            if (k == 2) run.control = TML_CONTROL_ALL;
            if (k == 3) run.report = true;
            if (k == 4) run.placement = TML_PLACEMENT_INNER;
            if (k == 5) run.iterate = TML_ITERATE_SATURATED, run.step = 1e-3;
            snprintf(what, sizeof what, "slider_crank, %s, variant %d", methods[i], k);
            const tml_sim_def def = def_of(m, &run);
            check_cuts(&def, 1, what);
        }
    tml_model_destroy(m);
}

// `auto` on all bundled models: its changes of method, its solvers.
static void choices_of_auto(void **state)
{
    (void)state;
    const int cuts = less_if_slow("one cut of three") ? 1 : 3;
    for (const char *const *name = bundled_models(); *name; name++) {
        tml_model *m = load_model(*name, (tml_parameter){0}, NULL);
        tml_run_def run = *tml_model_run(m);
        run.end = run.start + (run.end - run.start) / (strncmp(*name, "hmmwv", 5) == 0 ? 10 : 4);
        const tml_sim_def def = def_of(m, &run);
        check_cuts(&def, cuts, *name);
        tml_model_destroy(m);
    }
}

// A problem that becomes stiff: cuts before and after the change of method.
static void change_of_method(void **state)
{
    (void)state;
    tml_model *m = text_model(
        "planar: true\nbodies: {b: {mass: 1, point: true, position: [0.31, 0]}}\n"
        "forces: {f: {type: applied, at: b, force: [\"-1e4*(1 + tanh(20*(t - 0.7)))*b.vx - 40*b.x\", 0]}}\n"
        "run: {end: 1.5, tol: 1e-5}\n");
    const tml_sim_def def = def_of(m, tml_model_run(m));
    tml_error err = {0};
    tml_sim *sim = start_sim(m, NULL);
    tml_sim_report report;
    OK(tml_sim_run(sim, NAN, &err));
    tml_sim_get_report(sim, &report);
    if (!strstr(report.reason, "changed to")) fail_msg("no change of method: %s", report.reason);
    tml_sim_destroy(sim);
    check_cuts(&def, 8, "stiff");
    tml_model_destroy(m);
}

// Steps that do not resolve the vibrations of a beam keep the matrices of the filters for a while.
static void unresolved_vibrations(void **state)
{
    (void)state;
    static const char *const methods[] = {"genalpha", "decay", "bdf", "radau5"};
    tml_model *m = text_model(
        "planar: true\ngravity: 9.81\n"
        "beams: {arm: {type: rectangle, position: [0, 0], end: [0.7, 0], width: 0.02, height: 0.01,\n"
        "  material: steel, elements: 2}}\n"
        "joints: {wall: {type: fixed, a: ground, b: arm.start}}\nrun: {end: 0.03}\n");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        tml_run_def run = *tml_model_run(m);
        run.method = methods[i];
        const tml_sim_def def = def_of(m, &run);
        check_cuts(&def, 5, methods[i]);
    }
    tml_model_destroy(m);
}

// Bodies turn so far in a step that the sign of a quaternion depends on the state before.
static void long_steps(void **state)
{
    (void)state;
    tml_model *m = load_model("heavy_top", (tml_parameter){0}, NULL);
    tml_run_def run = *tml_model_run(m);
    run.method = "erk8";
    run.tol = 1e-3;
    run.end = run.start + 0.15 * (run.end - run.start);
    run.output_step = (run.end - run.start) / 17;
    const tml_sim_def def = def_of(m, &run);
    check_cuts(&def, 30, "heavy_top, long steps");
    tml_model_destroy(m);
}

// Discontinuities of time and of the state, one of them with chatter, and an event that ends the run.
static void events_and_discontinuities(void **state)
{
    (void)state;
    static const char *const methods[] = {"genalpha",     "bdf",      "radau5", "ggl",
                                          "for-sdirk",    "ssp-trap", "erk5",   "adams",
                                          "trust-region", "auto",     NULL};
    tml_model *m = text_model(
        "planar: true\ngravity: 9.81\n"
        "bodies:\n"
        "  a: {mass: 1.7, inertia: 0.21, position: [0.41, 0], frames: {tip: [0.37, 0]}}\n"
        "joints:\n  pin: {type: revolute, a: ground, b: a, point: [0, 0]}\n"
        "forces:\n"
        "  f: {type: applied, at: a.tip, force: [\"if(t < 0.23, 3, -5)\", \"if(a.y < -0.3, 40, 0)\"]}\n"
        "  d: {type: applied, at: a.tip, force: [\"-2*sign(a.vx)\", 0]}\n"
        "events:\n  turned: {when: \"a.vx - 0.9\"}\n"
        "run: {end: 2, tol: 1e-4}\n");
    int ended = 0;
    for (int i = 0; methods[i]; i++) {
        tml_run_def run = *tml_model_run(m);
        run.method = methods[i];
        const tml_sim_def def = def_of(m, &run);
        check_cuts(&def, 3, methods[i]);
        tml_error err = {0};
        tml_sim *sim = start_sim(m, &run);
        tml_sim_report report;
        tml_sim_run(sim, NAN, &err);
        tml_sim_get_report(sim, &report);
        ended += report.event != NULL;
        assert_true(report.switches > 0);
        tml_sim_destroy(sim);
    }
    assert_true(ended > 0);
    tml_model_destroy(m);
}

// Redundant rows, singular configurations, lock-up: the constraint monitor has much to remember.
static void redundant_and_singular(void **state)
{
    (void)state;
    static const char *const models[] = {"redundant_bricard",
                                         "redundant_parallelogram",
                                         "redundant_scott_russell",
                                         "folded_parallelogram",
                                         "four_bars",
                                         NULL};
    static const char *const methods[] = {"genalpha", "bdf", "radau5", "adams", "trust-region", NULL};
    for (int k = 0; models[k]; k++) {
        tml_model *m = load_model(models[k], (tml_parameter){0}, NULL);
        for (int i = 0; methods[i]; i++) {
            char what[80];
            tml_run_def run = *tml_model_run(m);
            run.method = methods[i];
            run.end = run.start + (run.end - run.start) / 3;
            snprintf(what, sizeof what, "%s, %s", models[k], methods[i]);
            const tml_sim_def def = def_of(m, &run);
            check_cuts(&def, 2, what);
        }
        tml_model_destroy(m);
    }
}

// ---- systems of callbacks ---------------------------------------------------------------------------------

// A point on a circle under a force that changes with time.
static tml_status mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[3] = 1.3;
    return TML_OK;
}
static tml_status force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)u;
    f[0] = *(double *)user * sin(3 * t);
    f[1] = -1.3 * 9.81 - 0.1 * q[1];
    return TML_OK;
}
static tml_status circle(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return TML_OK;
}

static void user_system(void **state)
{
    (void)state;
    tml_error err = {0};
    double strength = 2.1;
    tml_user_system_def user = tml_user_system_def_default();
    user.n = 2;
    user.m = 1;
    user.mass = mass;
    user.force = force;
    user.constraint = circle;
    user.user = &strength;
    tml_system *sys = NULL;
    OK(tml_system_create_user(&user, NULL, &sys, &err));
    tml_state *x0 = NULL;
    OK(tml_state_create(sys, &x0, &err));
    x0->q[0] = 1;
    for (int i = 0; tml_methods[i]; i++) {
        tml_run_def run = tml_run_def_default();
        run.method = tml_methods[i]->name;
        run.end = 0.37;
        tml_sim_def def = tml_sim_def_default();
        def.system = sys;
        def.x0 = x0;
        def.run = &run;
        check_cuts(&def, 1, run.method);
    }
    // another force: another system
    tml_sim *sim = NULL;
    unsigned char *data = malloc(1 << 20);
    size_t size = 0;
    OK(tml_sim_create_system(sys, x0, NULL, &sim, &err));
    OK(tml_sim_step(sim, 1, &err));
    OK(tml_sim_save_memory(sim, data, 1 << 20, &size, &err));
    tml_sim_destroy(sim);
    sim = NULL;
    strength = 2.2;
    tml_sim_def def = tml_sim_def_default();
    def.system = sys;
    assert_int_equal(tml_sim_load_memory(&def, data, size, &sim, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "forces or masses differ"));
    strength = 2.1;
    OK(tml_sim_load_memory(&def, data, size, &sim, &err));
    tml_sim_destroy(sim);
    free(data);
    tml_state_destroy(x0, sys);
    tml_system_destroy(sys);
}

// Many coordinates: workspaces of several threads, sparse factors with kept pivots.
static void many_coordinates(void **state)
{
    (void)state;
    tml_model *m = load_model("chain", (tml_parameter){.name = "N", .text = "90"}, NULL);
    for (int k = 0; k < 4; k++) {
        tml_run_def run = *tml_model_run(m);
        run.method = k < 3 ? "for-sdirk" : "bdf";
        run.end = run.start + 0.03;
        run.threads = k == 0 ? 2 : 1;
        if (k == 2) run.jacobian = TML_JACOBIAN_DIFFERENCES, run.end = run.start + 0.01;
        if (k == 3) run.solver = "klu";
        const tml_sim_def def = def_of(m, &run);
        check_cuts(&def, 1, "chain");
    }
    tml_model_destroy(m);
}

// Rows at velocity level: a skate, and a rolling disc with a redundant row.
static void velocity_rows(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        tml_error err = {0};
        tml_system *sys = NULL;
        tml_state *x0 = NULL;
        double lambda;
        const tml_user_system_def user = k == 0 ? skate_def() : disc_def(k == 2);
        OK(tml_system_create_user(&user, NULL, &sys, &err));
        OK(tml_state_create(sys, &x0, &err));
        if (k == 0) skate_exact(0, x0->q, x0->u, &lambda);
        else disc_start(x0->q, x0->u);
        for (int i = 0; tml_methods[i]; i++) {
            tml_run_def run = tml_run_def_default();
            run.method = tml_methods[i]->name;
            run.end = 0.21;
            tml_sim_def def = tml_sim_def_default();
            def.system = sys;
            def.x0 = x0;
            def.run = &run;
            check_cuts(&def, 2, run.method);
        }
        tml_state_destroy(x0, sys);
        tml_system_destroy(sys);
    }
}

// Friction, limits, rolling, first-order states: rows that come and go in every form of the equations.
static void rows_in_forms(void **state)
{
    (void)state;
    static const char *const methods[] = {"genalpha", "bdf",       "radau5", "ggl",  "ggl-radau5",
                                          "ssp-trap", "for-sdirk", "adams",  "erk5", "trust-region"};
    tml_model *models[] = {
        load_model("skate", (tml_parameter){0}, NULL),
        load_model("contact/bicycle", (tml_parameter){0}, NULL),
        load_model("friction_arm", (tml_parameter){0}, NULL),
        text_model("gravity: [0, 0, -9.81]\n"
                   "bodies:\n"
                   "  a: {mass: 2, inertia: [0.02, 0.2, 0.2], position: [0.5, 0, 0]}\n"
                   "  b: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [1.5, 0, 0]}\n"
                   "joints:\n"
                   "  s: {type: revolute, a: ground, b: a, point: [0, 0, 0], axis: [0, 1, 0],\n"
                   "    friction: {coulomb: 1.5}, limits: {upper: 0.5, restitution: 0.4}}\n"
                   "  e: {type: revolute, a: a, b: b, point: [1, 0, 0], axis: [0, 1, 0],\n"
                   "    damping: 0.2, limits: {lower: -0.1, upper: 0.6, restitution: 0}}\n"
                   "run: {end: 1.5, output_step: 0.1}\n"),
        load_model("contact/tyre_stop", (tml_parameter){0}, NULL)};
    static const double end[] = {0.6, 0.4, 0.5, 1.1, 0.3};
    const int brief = less_if_slow("a third of the methods for each model") ? 3 : 1;
    for (int k = 0; k < 5; k++) {
        for (size_t i = (size_t)k % (size_t)brief; i < sizeof methods / sizeof *methods; i += (size_t)brief)
            for (int form = 1; form < 3; form++) {
                char what[80];
                tml_run_def run = *tml_model_run(models[k]);
                run.method = methods[i];
                run.end = run.start + end[k];
                run.tol = 1e-4;
                run.rtol = run.atol = NAN;
                if (form == 1) run.kinematics = TML_KINEMATICS_JOINTS;
                else run.group = TML_GROUP_SE3;
                snprintf(what, sizeof what, "model %d, %s, form %d", k, methods[i], form);
                const tml_sim_def def = def_of(models[k], &run);
                if (check_cuts(&def, 3, what) < 2) fail_msg("%s: does not run", what);
            }
        tml_model_destroy(models[k]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(every_method_with_fixed_steps),
        cmocka_unit_test(solvers_and_forms),
        cmocka_unit_test(settings_of_newton),
        cmocka_unit_test(choices_of_auto),
        cmocka_unit_test(change_of_method),
        cmocka_unit_test(unresolved_vibrations),
        cmocka_unit_test(long_steps),
        cmocka_unit_test(events_and_discontinuities),
        cmocka_unit_test(redundant_and_singular),
        cmocka_unit_test(user_system),
        cmocka_unit_test(velocity_rows),
        cmocka_unit_test(rows_in_forms),
        cmocka_unit_test(many_coordinates),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

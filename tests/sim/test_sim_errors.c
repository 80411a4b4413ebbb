// What cannot be: options, mechanisms that do not close, exhausted memory; and systems made of callbacks.
#include "sim_fixture.h"

#include <trammel/check.h>

// ---- options ----------------------------------------------------------------------------------------------

static void expect(const tml_model *m, const tml_run_def *run, tml_status status, const char *part)
{
    tml_error err = {0};
    tml_sim *sim = (tml_sim *)&err;  // must become NULL
    const tml_status st = tml_sim_create(m, run, &sim, &err);
    if (st != status || !strstr(err.msg, part))
        fail_msg("%s: '%s', expected '%s'", tml_status_name(st), err.msg, part);
    assert_null(sim);
    assert_int_equal(err.status, status);
    assert_int_equal(tml_sim_create(m, run, &sim, NULL), status);  // err may be NULL
}

static void options(void **state)
{
    (void)state;
    tml_model *m = load_model("pendulum", (tml_parameter){0}, NULL);
    const tml_run_def good = *tml_model_run(m);
    tml_run_def r;
#define WITH(field, value, part) \
    r = good;                    \
    r.field = value;             \
    expect(m, &r, TML_ERR_ARG, part)
    WITH(method, "genalfa", "genalpha");
    WITH(method, "genalfa", "'genalfa'");
    WITH(method, "xyzzy", "genalpha");  // nothing near: the list
    WITH(solver, "blok", "is it 'block'");
    WITH(solver, "wombat", "klu");
    WITH(end, -0.37, "ends at t = -0.37 s");
    WITH(end, INFINITY, "ends");
    WITH(end, NAN, "ends");
    WITH(start, NAN, "starts");
    WITH(step, -1e-3, "step = -0.001 s");
    WITH(step, NAN, "step");
    WITH(max_step, -0.2, "max_step");
    WITH(min_step, -1e-9, "min_step");
    WITH(output_step, -0.01, "output_step");
    WITH(output_step, 1e-300, "output_step");
    WITH(tol, -1e-5, "tol");
    WITH(tol, 0, "tol");
    WITH(rtol, 1.7, "rtol = 1.7");
    WITH(atol, -1, "atol = -1");
    WITH(rho, 1.3, "rho = 1.3");
    WITH(alpha, 0.2, "alpha = 0.2");
    WITH(max_order, 7, "max_order = 7");
    WITH(augment, -2, "augment");
    WITH(augment, INFINITY, "augment");
    WITH(size, 8, "tml_run_def_default");
#undef WITH
    tml_model_destroy(m);
}

// ---- assembly ---------------------------------------------------------------------------------------------

// Three bars that cannot meet: the joints between them are named.
// Times that are none: refused, and the simulation is as it was.
static void times(void **state)
{
    (void)state;
    tml_model *m = load_model("pendulum", (tml_parameter){0}, NULL);
    tml_error err = {0};
    tml_sim *sim = NULL;
    tml_state *x = NULL;
    tml_check *check = NULL;
    OK(tml_sim_create(m, NULL, &sim, &err));
    OK(tml_state_create(tml_model_system(m), &x, &err));
    OK(tml_sim_advance_to(sim, 0.31, NULL, &err));
    const double t = tml_sim_time(sim);
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tml_sim_advance_to(sim, bad[i], NULL, &err), TML_ERR_ARG);
        assert_int_equal(tml_sim_advance_to(sim, bad[i], x, NULL), TML_ERR_ARG);
        assert_int_equal(tml_sim_state_at(sim, bad[i], x, &err), TML_ERR_ARG);
        if (i > 0) assert_int_equal(tml_sim_run(sim, bad[i], &err), TML_ERR_ARG);  // NAN: the end of the run
        assert_int_equal(tml_check_create(m, bad[i], &check, &err), TML_ERR_ARG);
        tml_state_copy(x, tml_sim_state(sim));
        x->t = bad[i];
        assert_int_equal(tml_sim_restart(sim, x, &err), TML_ERR_ARG);
    }
    assert_int_equal(tml_sim_step(sim, NAN, &err), TML_ERR_ARG);
    assert_true(tml_sim_time(sim) == t);
    OK(tml_sim_step(sim, INFINITY, &err));
    assert_true(tml_sim_time(sim) > t);
    OK(tml_sim_run(sim, t + 0.4, &err));
    tml_sim_destroy(sim);
    tml_state_destroy(x, tml_model_system(m));
    tml_model_destroy(m);
}

static void assembly(void **state)
{
    (void)state;
    tml_model *m = text_model(
        "planar: true\n"
        "bodies:\n"
        "  left: {mass: 1, inertia: 0.1, position: [0, 0.2], frames: {root: [0, -0.2], tip: [0, 0.2]}}\n"
        "  right: {mass: 1, inertia: 0.1, position: [1, 0.2], frames: {root: [0, -0.2], tip: [0, 0.2]}}\n"
        "joints:\n"
        "  root_l: {type: revolute, a: ground, b: left.root}\n"
        "  root_r: {type: distance, a: ground, b: right.root, length: 1}\n"
        "  gap: {type: distance, a: left.tip, b: right.root, length: 2.9}\n");
    tml_run_def run = tml_run_def_default();
    run.end = 1;
    expect(m, &run, TML_ERR_ASSEMBLY, "cannot be assembled");
    expect(m, &run, TML_ERR_ASSEMBLY, "gap");
    tml_model_destroy(m);
}

// ---- failures on the way ----------------------------------------------------------------------------------

// The last of all equations, alone
static void nan_at_the_end(void **state)
{
    (void)state;
    tml_model *m = text_model("bodies: {b: {mass: 1, point: true}}\n"
                              "states: {first: {rate: -first}, bad: {rate: sqrt(0.3137 - t)}}\n"
                              "run: {end: 1, output_step: 0.01, tol: 1e-4}\n");
    tml_sim *sim = start_sim(m, NULL);
    tml_error err = {0};
    const tml_status st = tml_sim_run(sim, NAN, &err);
    assert_true(st == TML_ERR_NAN || st == TML_ERR_STEP);
    assert_non_null(strstr(err.msg, "bad"));
    CHECK_CLOSE(tml_sim_time(sim), 0.3137, 1e-3);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// A force that turns into NaN in the middle: a status, the time, and the state before it, which is the last
// row.
static void nan_on_the_way(void **state)
{
    (void)state;
    tml_model *m = text_model("bodies: {b: {mass: 1, point: true}}\n"
                              "forces: {bad: {type: applied, at: b, force: [sqrt(0.3137 - t), 0, 0]}}\n"
                              "run: {end: 1, output_step: 0.01, tol: 1e-4}\n");
    tml_sim *sim = start_sim(m, NULL);
    record *r = record_new(sim, NULL);
    tml_error err = {0};
    const tml_status st = tml_sim_run(sim, NAN, &err);
    assert_true(st == TML_ERR_NAN || st == TML_ERR_STEP);
    CHECK_CLOSE(tml_sim_time(sim), 0.3137, 1e-3);
    assert_true(tml_sim_time(sim) <= 0.3137 && err.t == tml_sim_time(sim));
    assert_non_null(strstr(err.msg, "bad"));
    assert_int_equal(r->rows, 2 + (int)floor(tml_sim_time(sim) / 0.01));
    assert_true(isfinite(tml_sim_state(sim)->q[0]));
    tml_sim_destroy(sim);
    record_free(r);
    // with a fixed step there is no ladder
    tml_run_def run = *tml_model_run(m);
    run.step = 0.02;
    sim = start_sim(m, &run);
    assert_true(tml_sim_run(sim, NAN, &err) < 0);
    assert_non_null(strstr(err.msg, "fixed at 0.02 s"));
    CHECK_CLOSE(tml_sim_time(sim), 0.3, 1e-12);
    assert_true(tml_sim_run(sim, NAN, NULL) < 0);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// ---- memory -----------------------------------------------------------------------------------------------

static void no_memory(const char *name, const char *solver)
{
    counter c = {0};
    const tml_env env = count_env(&c);
    tml_model *model = load_model(name, (tml_parameter){0}, &env);
    tml_run_def run = *tml_model_run(model);
    run.solver = solver;
    memory_runs_out(&c, model, &run, NAN);
}

static void memory(void **state)
{
    (void)state;
    static const char *const solvers[] = {"block", "reduced", "tree", "klu", "dense", "auto"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        no_memory("four_bar", solvers[i]);
        no_memory("governor", solvers[i]);
        no_memory("redundant_four_bar", solvers[i]);
    }
}

// ---- systems made of callbacks ----------------------------------------------------------------------------

// A bead on the parabola y = a x^2, spinning about the y axis at rate w; q = (x, y), M = m I, one constraint.
// It stays at rest everywhere if w^2 = 2 a g.
typedef struct bead {
    double m, a, w, g;
} bead;

static tml_status bead_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q;
    M[0] = M[3] = ((const bead *)user)->m;
    return TML_OK;
}
static tml_status bead_force(double t, const double *q, const double *u, double *f, void *user)
{
    const bead *b = user;
    (void)t, (void)u;
    f[0] = b->m * b->w * b->w * q[0];
    f[1] = -b->m * b->g;
    return TML_OK;
}
static tml_status bead_constraint(double t, const double *q, double *phi, void *user)
{
    (void)t;
    phi[0] = q[1] - ((const bead *)user)->a * q[0] * q[0];
    return TML_OK;
}
static tml_status bead_energy(double t, const double *q, const double *u, double *kinetic, double *potential,
                              void *user)
{
    const bead *b = user;
    (void)t;
    *kinetic = b->m / 2 * (u[0] * u[0] + u[1] * u[1]);
    *potential = b->m * (b->g * q[1] - b->w * b->w * q[0] * q[0] / 2);
    return TML_OK;
}

static tml_status count_rows(const tml_sim *sim, const tml_state *x, void *user)
{
    (void)sim;
    const double phi = x->q[1] - 0.37 * x->q[0] * x->q[0];
    CHECK_SMALL(phi, 1e-12);  // round-off of q, and of the differences behind the matrix
    ++*(int *)user;
    return TML_OK;
}

static void user_system(void **state)
{
    (void)state;
    bead b = {.m = 0.7, .a = 0.37, .w = 1.1, .g = 9.81};
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 2;
    def.m = 1;
    def.mass = bead_mass;
    def.force = bead_force;
    def.constraint = bead_constraint;
    def.energy = bead_energy;
    def.user = &b;
    tml_error err = {0};
    tml_system *sys = NULL;
    tml_state *x0 = NULL;
    OK(tml_system_create_user(&def, NULL, &sys, &err));
    OK(tml_state_create(sys, &x0, &err));
    x0->q[0] = 0.83;
    x0->q[1] = 0.37 * 0.83 * 0.83;
    tml_run_def run = tml_run_def_default();
    run.end = 1.3;
    run.output_step = 0.1;
    run.tol = 1e-6;
    tml_sim *sim = NULL;
    OK(tml_sim_create_system(sys, x0, &run, &sim, &err));
    assert_null(tml_sim_model(sim));
    assert_ptr_equal(tml_sim_system(sim), sys);
    int rows = 0;
    tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = count_rows, .user = &rows});
    OK(tml_sim_run(sim, NAN, &err));
    assert_int_equal(rows, 14);
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    CHECK_SMALL(report.energy_error, 1e-5 * report.energy_scale);  // ten times the tolerance
    assert_true(report.energy_scale > 0.5);
    double none;
    assert_int_equal(tml_sim_channel_values(sim, tml_sim_state(sim), &none, &err), TML_ERR_ARG);
    assert_int_equal(tml_sim_channel_count(sim), 0);
    tml_sim_destroy(sim);
    // at the right speed it rests anywhere, in equilibrium with lambda = m g
    b.w = sqrt(2 * b.a * b.g);
    OK(tml_sim_create_system(sys, x0, &run, &sim, &err));
    OK(tml_sim_run(sim, NAN, &err));
    CHECK_CLOSE(tml_sim_state(sim)->q[0], 0.83,
                1e-8);  // differences in place of derivatives cost 1e-8 at most
    CHECK_CLOSE(fabs(tml_sim_state(sim)->lambda[0]), 0.7 * 9.81, 1e-6);
    tml_sim_destroy(sim);
    // without settings: those of tml_run_def_default()
    const tml_run_def defaults = tml_run_def_default();
    OK(tml_sim_create_system(sys, x0, NULL, &sim, &err));
    assert_true(tml_sim_settings(sim)->tol == defaults.tol && tml_sim_settings(sim)->end == defaults.end);
    OK(tml_sim_run(sim, NAN, &err));
    assert_true(tml_sim_time(sim) == defaults.end);
    tml_sim_destroy(sim);
    tml_state_destroy(x0, sys);
    tml_system_destroy(sys);
}

// The system of a model stands for it: the same run, with its channels.
static void system_of_a_model(void **state)
{
    (void)state;
    tml_model *m = load_model("pendulum", (tml_parameter){0}, NULL);
    tml_error err = {0};
    tml_sim *sim = NULL, *own = NULL;
    OK(tml_sim_create(m, NULL, &sim, &err));
    const tml_system *sys = tml_model_system(m);
    OK(tml_sim_create_system(sys, tml_sim_state(sim), tml_model_run(m), &own, &err));
    assert_ptr_equal(tml_sim_model(own), m);
    assert_int_equal(tml_sim_channel_count(own), tml_sim_channel_count(sim));
    OK(tml_sim_run(sim, 0.2, &err));
    OK(tml_sim_run(own, 0.2, &err));
    assert_memory_equal(tml_sim_state(own)->q, tml_sim_state(sim)->q, (size_t)sys->nq * sizeof(double));
    tml_sim_destroy(own);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(options),        cmocka_unit_test(times),
                                       cmocka_unit_test(assembly),       cmocka_unit_test(nan_at_the_end),
                                       cmocka_unit_test(nan_on_the_way), cmocka_unit_test(memory),
                                       cmocka_unit_test(user_system),    cmocka_unit_test(system_of_a_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The choice of a method by what a model shows at its start, and what the report says about it.
#include "sim/queries/sim.h"
#include "sim_fixture.h"

#include <math.h>

// Two masses on a line: one swings at 1 rad/s, the other at `rate` with the damping ratio `zeta`, from rest
// with the amplitude given.
#define TWO(rate, zeta, amplitude)                                                                    \
    "planar: true\nbodies:\n  a: {mass: 1, point: true, position: [1, 0]}\n"                          \
    "  b: {mass: 1, point: true, position: [" #amplitude ", 1]}\n"                                    \
    "forces:\n  slow: {type: applied, at: a, force: [\"-a.x\", 0]}\n"                                 \
    "  fast: {type: applied, at: b, force: [\"-" #rate "^2*b.x - 2*" #zeta "*" #rate "*b.vx\", 0]}\n" \
    "run: {end: 2}\n"

// A chain of n slender rods; between each and the one before a torsion spring with these further keys.
#define CHAIN(n, keys)                                                                                       \
    "planar: true\ngravity: 9.81\nrun: {end: 2, tol: 1e-4}\n"                                                \
    "defaults:\n  bodies: {mass: 1, inertia: 1/12, frames: {a: [-1/2, 0], b: [1/2, 0]}}\n"                   \
    "  joints: {type: revolute}\n"                                                                           \
    "bodies: {r1: {position: [1/2, 0]}}\njoints: {j1: {a: ground, b: r1.a}}\n"                               \
    "repeat:\n  - index: i\n    from: 2\n    to: " #n "\n    bodies: {\"r{i}\": {position: [i - 1/2, 0]}}\n" \
    "    joints: {\"j{i}\": {a: \"r{i-1}.b\", b: \"r{i}.a\"}}\n"                                             \
    "    forces: {\"s{i}\": {type: torsion, a: \"r{i-1}.b\", b: \"r{i}.a\", " keys "}}\n"

// The method and the unknowns chosen for a model, which is destroyed, and a part of the reason.
static void expect_on(tml_model *m, const tml_run_def *given, const char *method, tml_kinematics kinematics,
                      const char *part)
{
    tml_run_def run = given ? *given : *tml_model_run(m);
    tml_sim *sim = start_sim(m, &run);
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    if (strcmp(report.method, method) != 0 || !report.reason || !strstr(report.reason, part))
        fail_msg("%s: %s, expected %s: %s", report.method, report.reason ? report.reason : "(no reason)",
                 method, part);
    if (tml_sim_settings(sim)->kinematics != kinematics)
        fail_msg("%s: kinematics %d, expected %d", method, tml_sim_settings(sim)->kinematics, kinematics);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// The same as the model or `given` has the unknowns.
static void expect(tml_model *m, const tml_run_def *given, const char *method, const char *part)
{
    expect_on(m, given, method, given ? given->kinematics : tml_model_run(m)->kinematics, part);
}

#define ON_JOINTS TML_KINEMATICS_JOINTS

static tml_model *bundled(const char *name) { return load_model(name, (tml_parameter){0}, NULL); }

static void by_the_steps(void **state)
{
    (void)state;
    tml_run_def run = tml_run_def_default();
    run.step = 1e-3;
    expect(bundled("pendulum"), &run, "genalpha", "fixed steps");
    expect(bundled("impact"), &run, "genalpha", "fixed steps");  // switches or not
}

static void by_the_forces(void **state)
{
    (void)state;
    expect_on(bundled("impact"), NULL, "radau5", ON_JOINTS, "4 discontinuities");
    static const char *const text = "planar: true\nbodies: {b: {mass: 2, point: true, position: [0, 1]}}\n"
                                    "forces: {f: {type: applied, at: b, force: [0, \"%s\"]}}\n"
                                    "run: {end: 1%s}\n";
    static const struct {
        const char *force, *more, *method, *part;
    } cases[] = {{"if(b.y < 0, -1e4*b.y, 0)", "", "radau5", "1 discontinuity in"},
                 {"if(b.y < 0, -1e4*b.y, 0)", ", switches: false", "erk8", "smooth"},
                 {"if(t < 0.3, 0, 10)", "", "erk8", "smooth"}};  // its time is known: one restart
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char model[400];
        snprintf(model, sizeof model, text, cases[i].force, cases[i].more);
        expect(text_model(model), NULL, cases[i].method, cases[i].part);
    }
}

static void by_the_spectrum(void **state)
{
    (void)state;
    // 1000 rad/s are 159 Hz
    expect(text_model(TWO(1000, 0.001, 0)), NULL, "radau5", "vibration of 159 Hz");
    // damped so that it is gone within a period: stiff only
    expect(text_model(TWO(1000, 0.9, 0)), NULL, "bdf", "smooth and stiff");
    // no faster than the motion itself
    expect(text_model(TWO(2, 0.001, 0)), NULL, "erk8", "not stiff");
    // a run too short to see it turn
    tml_model *m = text_model(TWO(1000, 0.001, 0));
    tml_run_def run = *tml_model_run(m);
    run.end = 0.1;
    expect(m, &run, "bdf", "smooth");
}

// Stiffness and the depth of the tree: few unknowns per joint, or one small matrix.
static void by_the_joints(void **state)
{
    (void)state;
    expect(text_model(CHAIN(3, "stiffness: 1, damping: 0.1")), NULL, "erk8", "without closed loops");
    expect_on(text_model(CHAIN(3, "stiffness: 1, damping: 1e4")), NULL, "radau5", ON_JOINTS,
              "stiff (time scales");
    expect(text_model(CHAIN(20, "stiffness: 1, damping: 1e4")), NULL, "bdf", "smooth and stiff");
    expect_on(bundled("stiff_double_pendulum"), NULL, "radau5", ON_JOINTS, "stiff");
    // unknowns given by name stay; on bodies every joint is a constraint
    tml_model *m = bundled("double_pendulum");
    tml_run_def run = *tml_model_run(m);
    run.kinematics = TML_KINEMATICS_BODIES;
    expect(m, &run, "bdf", "singular configurations");
    m = bundled("four_bar");
    run = *tml_model_run(m);
    run.kinematics = TML_KINEMATICS_BODIES;
    expect(m, &run, "bdf", "singular configurations");
}

// What is stiff is so against the motion: the same spring and damper beside a slow start, and beside a fast
// one. A fast rate of 1/s.
// Three bodies: the first on a hinge, the second guided on a plane of the first, the third on a ball joint of
// the second. With the tree in this order a light second body carries a heavy third one.
#define CARRIED(mass, J)                                                                                   \
    "gravity: 9.81\nground: {frames: {o: [20, -15, 3]}}\nbodies:\n"                                        \
    "  a: {mass: 1e3, inertia: [5e4, 5e4, 9e4], position: [-15, 5, 24]}\n"                                 \
    "  b: {mass: 1, inertia: [10, 10, 18], position: [-2, 22, 10], angular_velocity: [-0.6, -0.3, 0.7]}\n" \
    "  c: {mass: " mass ", inertia: [" J ", " J ", " J "], position: [-9, 7, 11],\n"                       \
    "      angular_velocity: [0, 0.4, 0.4], frames: {o: [-10, -4, 0]}}\n"                                  \
    "joints:\n"                                                                                            \
    "  hinge: {type: revolute, a: ground, b: a, point: [-6, -2, 20], axis: [0.06, -0.5, -0.3]}\n"          \
    "  guide: {type: point-on-plane, a: a, b: b, point: [-7, 18, 5], axis: [-0.3, -0.1, 0.04]}\n"          \
    "  ball: {type: spherical, a: b, b: c, point: [-10, 5, 0]}\n"                                          \
    "  rod: {type: distance, a: ground.o, b: c.o}\n"                                                       \
    "run: {end: 1, tol: 1e-4}\n"

// Newton's method converges for steps that the error test allows, whatever the masses.
static void by_the_masses(void **state)
{
    (void)state;
    static const char *const models[] = {CARRIED("1e3", "5e4"), CARRIED("2e7", "2e9")};
    for (int i = 0; i < 2; i++) {
        tml_error err = {0};
        tml_model *m = text_model(models[i]);
        tml_sim *sim = start_sim(m, NULL);
        assert_int_equal(tml_sim_settings(sim)->kinematics, i == 0 ? ON_JOINTS : TML_KINEMATICS_AUTO);
        OK(tml_sim_run(sim, NAN, &err));
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        print_message("%ld steps, %ld without convergence\n", report.count.steps,
                      report.count.rejected_newton);
        assert_true(5 * report.count.rejected_newton < report.count.steps);
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

static void by_the_motion(void **state)
{
    (void)state;
#define DAMPED(speed)                                                                 \
    "planar: true\nbodies:\n  a: {mass: 1, point: true, velocity: [" #speed ", 0]}\n" \
    "  b: {mass: 1, point: true, position: [0, 2]}\n"                                 \
    "forces:\n  damper: {type: applied, at: b, force: [\"-1*b.vx\", \"-1*b.vy\"]}\nrun: {end: 1e4}\n"
    expect(text_model(DAMPED(0.01)), NULL, "bdf",
           "smooth and stiff (time scales differ by a factor of 1e+02)");
    expect(text_model(DAMPED(0.1)), NULL, "erk8", "not stiff");
    // the same from diagonals, of many soft springs: with damping, and with so little that they vibrate
#define SPRINGS(damping)                                                                      \
    "gravity: 0\nrun: {end: 1e4}\ndefaults:\n  bodies: {mass: 1e-4, point: true}\n"           \
    "  forces: {type: spring, a: ground, stiffness: 0.01, length: 1, damping: " damping "}\n" \
    "repeat:\n  - index: i\n    from: 1\n    to: 60\n"                                        \
    "    bodies: {\"b{i}\": {position: [1, 0, 0]}}\n    forces: {\"s{i}\": {b: \"b{i}\"}}\n"
    expect(text_model(SPRINGS("1e-3")), NULL, "bdf", "smooth and stiff");
    expect(text_model(SPRINGS("1e-4")), NULL, "radau5", "weakly damped vibration of 1.59 Hz");
    // of few elements of a beam no eigenvalues are needed where the diagonals show a vibration, but where
    // the run is too short for it
    const tml_parameter four = {"n", "4"};
    expect(load_model("beam_flying_planar", four, NULL), NULL, "radau5", "vibration of 45.9 Hz or more");
    tml_model *beam = load_model("beam_flying_planar", four, NULL);
    tml_run_def brief = *tml_model_run(beam);
    brief.end = 0.01;
    expect(beam, &brief, "erk8", "not stiff");
    // a free body whose unknowns are given: nothing to say about joints
    tml_model *m =
        text_model("planar: true\nbodies: {b: {mass: 1, inertia: 1, velocity: [1, 0]}}\nrun: {end: 1}\n");
    tml_run_def run = *tml_model_run(m);
    run.kinematics = TML_KINEMATICS_BODIES;
    expect(m, &run, "bdf", "smooth: few evaluations");
}

static void by_the_loops(void **state)
{
    (void)state;
    expect(bundled("pendulum"), NULL, "bdf",
           "closed loops");  // of a distance: joints leave no fewer unknowns
    expect(bundled("andrews"), NULL, "adams", "closed loops in the plane");
    expect(load_model("four_bars", (tml_parameter){"N", "40"}, NULL), NULL, "adams",
           "closed loops in the plane");
    tml_model *andrews = bundled("andrews");
    tml_run_def run = *tml_model_run(andrews);
    run.rtol = run.atol = 1e-2;
    expect(andrews, &run, "erk5", "loose tolerance");
    expect_on(bundled("governor"), NULL, "bdf", ON_JOINTS, "closed loops");  // in space
    expect_on(bundled("slider_crank"), NULL, "for-sdirk", ON_JOINTS, "no degree of freedom");
}

// A hanging ladder of n rungs, all ends hinged.
#define LADDER(n)                                                                          \
    "planar: true\ngravity: [5, -8]\nrun: {end: 1, tol: 1e-3}\n"                           \
    "defaults:\n  bodies: {mass: 1, inertia: 1/12, frames: {a: [-1/2, 0], b: [1/2, 0]}}\n" \
    "  joints: {type: revolute}\n"                                                         \
    "bodies:\n  l0: {position: [0, -1/2], orientation: -pi/2}\n"                           \
    "  r0: {position: [1, -1/2], orientation: -pi/2}\n"                                    \
    "joints:\n  gl: {a: ground, b: l0.a}\n  gr: {a: ground, b: r0.a, point: [1, 0]}\n"     \
    "repeat:\n  - index: i\n    from: 1\n    to: " #n "\n"                                 \
    "    bodies:\n      \"l{i}\": {position: [0, -i - 1/2], orientation: -pi/2}\n"         \
    "      \"r{i}\": {position: [1, -i - 1/2], orientation: -pi/2}\n"                      \
    "      \"h{i}\": {position: [1/2, -i]}\n"                                              \
    "    joints:\n      \"jl{i}\": {a: \"l{i-1}.b\", b: \"l{i}.a\"}\n"                     \
    "      \"jr{i}\": {a: \"r{i-1}.b\", b: \"r{i}.a\"}\n"                                  \
    "      \"jh{i}\": {a: \"l{i-1}.b\", b: \"h{i}.a\"}\n"                                  \
    "      \"jk{i}\": {a: \"r{i-1}.b\", b: \"h{i}.b\"}\n"

// In joint coordinates each rung depends on all hinges above it: the operations grow with the cube of their
// number, on the bodies with the number.
static void by_the_operations(void **state)
{
    (void)state;
    expect(text_model(LADDER(10)), NULL, "adams", "closed loops in the plane");
    expect(text_model(LADDER(80)), NULL, "bdf", "closed loops or rods");
}

// Rolling and edges have no joint coordinates: on the bodies erk8 needs 170 steps for 2,270 of bdf, whose
// errors add up to 21 tolerances.
static void by_rolling(void **state)
{
    (void)state;
    tml_run_def run = tml_run_def_default();
    expect(bundled("rolling_disc"), NULL, "erk8", "rolls or skids");
    expect(bundled("skate"), NULL, "erk8", "rolls or skids");
    run.kinematics = TML_KINEMATICS_BODIES;  // of implicit methods
    expect(bundled("skate"), &run, "bdf", "smooth");
}

static void by_the_size(void **state)
{
    (void)state;
    expect(bundled("double_pendulum"), NULL, "erk8", "not stiff");
    // too large for eigenvalues: nothing but gravity, then diagonals of soft and of stiff springs
    expect(load_model("chain", (tml_parameter){"N", "60"}, NULL), NULL, "erk8", "not stiff");
    expect(text_model(CHAIN(60, "stiffness: 1, damping: 0.1")), NULL, "erk8", "not stiff");
    expect(text_model(CHAIN(60, "stiffness: 1, damping: 1e4")), NULL, "bdf", "smooth and stiff");
}

// Settings of Newton's iteration mean something only on bodies and with an implicit method.
static void by_newton(void **state)
{
    (void)state;
    const tml_run_def plain = tml_run_def_default();
    tml_run_def run = plain;
    run.scaling = TML_SCALING_NONE;
    expect(bundled("double_pendulum"), &run, "bdf", "smooth");
    run = plain;
    run.augment = 0;
    expect(bundled("double_pendulum"), &run, "bdf", "smooth");
    run = plain;
    run.control = TML_CONTROL_ALL;
    expect(bundled("double_pendulum"), &run, "bdf", "smooth");
    run = plain;
    run.solver = "klu";
    expect(bundled("four_bar"), &run, "bdf", "smooth");
    run = plain;
    run.group = TML_GROUP_SE3;
    expect(bundled("heavy_top"), &run, "bdf", "smooth");
}

// Two masses on a line given by callbacks; the second has the damping ratio 2 at `rate`, or hardly any mass.
typedef struct pair {
    double mass, rate;
} pair;

static tml_status pair_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q;
    M[0] = 1;
    M[3] = ((const pair *)user)->mass;
    return TML_OK;
}

static tml_status pair_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t;
    const double w = ((const pair *)user)->rate;
    f[0] = -q[0];
    f[1] = -w * w * q[1] - 4 * w * u[1];
    return TML_OK;
}

static void of_a_system(void **state)
{
    (void)state;
    static const struct {
        pair p;
        const char *method;
    } cases[] = {{{1, 2}, "erk8"}, {{1, 1000}, "bdf"}, {{1e-9, 2}, "bdf"}};
    for (int i = 0; i < 3; i++) {
        pair p = cases[i].p;
        tml_user_system_def def = tml_user_system_def_default();
        def.n = 2;
        def.mass = pair_mass;
        def.force = pair_force;
        def.user = &p;
        tml_error err = {0};
        tml_system *sys = NULL;
        tml_state *x0 = NULL;
        tml_sim *sim = NULL;
        tml_sim_report report;
        tml_run_def run = tml_run_def_default();
        OK(tml_system_create_user(&def, NULL, &sys, &err));
        OK(tml_state_create(sys, &x0, &err));
        x0->q[0] = 1;
        OK(tml_sim_create_system(sys, x0, &run, &sim, &err));
        tml_sim_get_report(sim, &report);
        assert_string_equal(report.method, cases[i].method);
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_CLOSE(tml_sim_state(sim)->q[0], cos(run.end), 3 * run.tol);
        tml_sim_destroy(sim);
        tml_state_destroy(x0, sys);
        tml_system_destroy(sys);
    }
}

// A setting that only one method has, or that radau5 lacks, decides: it is not dropped without a word.
static void by_a_setting(void **state)
{
    (void)state;
    const tml_run_def plain = tml_run_def_default();
    tml_run_def run = plain;
    run.rho = 0.6;
    expect(bundled("pendulum"), &run, "genalpha", "rho is given");
    run = plain;
    run.alpha = -0.1;
    expect(bundled("impact"), &run, "hht", "alpha is given");
    run = plain;
    run.placement = TML_PLACEMENT_INNER;
    expect(bundled("pendulum"), &run, "genalpha", "placement is given");
    run = plain;
    run.max_order = 2;
    expect(bundled("impact"), &run, "bdf", "max_order is given");
    run = plain;
    run.report = true;  // what is reported does not change the run
    expect_on(bundled("impact"), &run, "radau5", ON_JOINTS, "4 discontinuities");
    run = plain;
    run.fields = TML_FIELDS_THREE;
    expect(bundled("impact"), &run, "bdf", "fields: three");
    run = plain;
    run.iterate = TML_ITERATE_SATURATED;
    expect(bundled("impact"), &run, "bdf", "iterate: saturated");
}

static void by_name(void **state)
{
    (void)state;
    tml_model *m = bundled("impact");
    tml_run_def run = *tml_model_run(m);
    tml_sim_report report;
    run.method = "bdf2";
    tml_sim *sim = start_sim(m, &run);
    tml_sim_get_report(sim, &report);
    assert_string_equal(report.method, "bdf2");
    assert_null(report.reason);
    tml_sim_destroy(sim);
    run.method = "auto";
    expect_on(m, &run, "radau5", ON_JOINTS, "4 discontinuities");
}

// ---- on the way -------------------------------------------------------------------------------------------

typedef struct heard {
    int warnings, changes;
} heard;

static void listen(tml_log_level level, const char *text, void *user)
{
    heard *h = user;
    h->warnings += level == TML_LOG_WARNING;
    h->changes += strstr(text, "changed from erk8 to radau5") != NULL;
}

// A double pendulum whose second joint is braked from t = 1 s on, and a run of it.
static tml_sim_report braked(const char *method, double tol, heard *h, double *angle)
{
    static const char *const text = CHAIN(2, "law: \"5e3*(1 + tanh(20*(t - 1)))*rate\"");
    const tml_env env = {.log = listen, .user = h};
    tml_error err = {0};
    tml_spec *spec = NULL;
    OK(tml_spec_parse(text, strlen(text), "braked.yaml", NULL, 0, &env, &spec, &err));
    tml_model *m = model_of(spec);
    tml_run_def run = *tml_model_run(m);
    run.method = method;
    run.tol = tol;
    tml_sim *sim = start_sim(m, &run);
    static const char *const names[] = {"j1.angle", "j2.angle", "j1.fx", NULL};
    record *r = record_new(sim, names);
    OK(tml_sim_run(sim, NAN, &err));
    assert_int_equal(r->rows, 501);
    for (int k = 0; k < 501; k++) {
        CHECK_CLOSE(r->t[k], k * 0.004, 1e-12);
        for (int i = 0; i < 3; i++) angle[3 * k + i] = r->value[k][i];
    }
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    report.method = tml_method_find(report.method)->name;  // outlives the simulation
    if (h->changes > 0) {
        assert_non_null(strstr(report.reason, "not stiff"));
        assert_non_null(strstr(report.reason, "changed to radau5 at t = "));
        assert_non_null(strstr(report.reason, "stiff (time scales differ"));
    }
    CHECK_SMALL(report.energy_error, 100 * tol + 1e-5);  // of the motion, and of the quadrature of the power
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
    return report;
}

// An explicit method that comes to crawl is left for an implicit one, without a gap in results; one given by
// name is not.
static void change_when_stiff(void **state)
{
    (void)state;
    static double chosen[1503], exact[1503];
    heard open = {0}, given = {0};
    const tml_sim_report report = braked("auto", 1e-4, &open, chosen);
    assert_int_equal(open.changes, 1);
    assert_int_equal(open.warnings, 0);
    assert_string_equal(report.method, "radau5");
    assert_true(report.count.steps < 300);
    (void)braked("radau5", 1e-11, &given, exact);  // at 1e-8 its own forces are off by 1 N
    for (int k = 0; k < 1503; k++)
        CHECK_CLOSE(chosen[k], exact[k],
                    k % 3 == 2 ? 0.5 : 1e-3);  // a force is off by 1e4 N m s times that of rates
    const tml_sim_report slow = braked("erk8", 1e-4, &given, exact);
    assert_string_equal(slow.method, "erk8");
    assert_int_equal(given.changes, 0);
    assert_int_equal(given.warnings, 1);
    assert_true(slow.count.steps > 5 * report.count.steps);
}

// What a method has done stays counted when another one continues.
static void counted_on(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *m = text_model(CHAIN(2, "law: \"5e3*(1 + tanh(20*(t - 1)))*rate\""));
    tml_run_def run = *tml_model_run(m);
    run.tol = 1e-4;
    tml_sim *sim = start_sim(m, &run);
    tml_counters last = {0};
    bool changed = false;
    while (tml_sim_time(sim) < 2) {
        OK(tml_sim_step(sim, 2, &err));
        const tml_sim_report r = report_of(sim);
        assert_true(r.count.steps > last.steps && r.count.residuals >= last.residuals &&
                    r.count.iterations >= last.iterations && r.count.factorizations >= last.factorizations &&
                    r.count.bases >= last.bases);
        last = r.count;
        changed = changed || strstr(r.reason, "changed to");
    }
    assert_true(changed);
    end_sim(sim, m);
}

// Vibrations that methods damped: from the lowest frequency on, by the largest errors, with all of the
// energy.
static void damped_by_both(void **state)
{
    (void)state;
    tml_counters all = {0};
    const tml_counters
        none = {0},
        one = {.damped_above = 70, .damped_position = 3e-4, .damped_velocity = 0.2, .damped_energy = 5},
        two = {.damped_above = 50, .damped_position = 1e-4, .damped_velocity = 0.9, .damped_energy = 2};
    const tml_counters *const order[] = {&none, &one, &two, &none};
    for (int k = 0; k < 4; k++) tmli_sim_add_damped(&all, order[k]);
    CHECK_CLOSE(all.damped_above, 50, 0);
    CHECK_CLOSE(all.damped_position, 3e-4, 0);
    CHECK_CLOSE(all.damped_velocity, 0.9, 0);
    CHECK_CLOSE(all.damped_energy, 7, 0);
}

// No change without need.
static void stay_when_smooth(void **state)
{
    (void)state;
    tml_model *m = bundled("double_pendulum");
    tml_sim *sim = start_sim(m, NULL);
    tml_error err = {0};
    tml_sim_report report;
    OK(tml_sim_run(sim, NAN, &err));
    tml_sim_get_report(sim, &report);
    assert_string_equal(report.method, "erk8");
    assert_null(strstr(report.reason, "changed"));
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// Linkages that pass their flat, singular position, at any tolerance and as parallelograms: all cranks turn
// alike.
static void pass_singular_positions(void **state)
{
    (void)state;
    tml_model *m = load_model("four_bars", (tml_parameter){"N", "3"}, NULL);
    static const char *const names[] = {"foot0.angle", "foot3.angle", NULL};
    double exact = NAN;
    for (int i = 0; i <= 10; i++) {
        tml_run_def run = *tml_model_run(m);
        tml_error err = {0};
        run.tol = pow(10, -8 + i / 2.0);
        tml_sim *sim = start_sim(m, &run);
        record *r = record_new(sim, names);
        OK(tml_sim_run(sim, NAN, &err));
        const double *end = r->value[r->rows - 1];
        CHECK_CLOSE(end[0], end[1], 5 * run.tol);
        if (i == 0) exact = end[0];
        CHECK_CLOSE(end[0], exact, 5 * run.tol);
        record_free(r);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(m);
}

// So near to the flat position that a method of accelerations alone would creep: an implicit one takes over,
// and passes.
static void pass_singular_positions_alone(void **state)
{
    (void)state;
    tml_model *m = load_model("four_bars", (tml_parameter){"N", "1"}, NULL);
    for (int i = 0; i < 24; i++) {
        tml_run_def run = *tml_model_run(m);
        tml_error err = {0};
        tml_sim_report report;
        run.tol = pow(10, -6 - i / 12.0);
        tml_sim *sim = start_sim(m, &run);
        static const char *const names[] = {"foot0.angle", "foot1.angle", NULL};
        record *r = record_new(sim, names);
        OK(tml_sim_run(sim, NAN, &err));
        tml_sim_get_report(sim, &report);
        assert_true(report.count.steps < 1000);
        CHECK_CLOSE(r->value[r->rows - 1][0], r->value[r->rows - 1][1], 5 * run.tol);
        record_free(r);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_the_steps),
        cmocka_unit_test(by_the_forces),
        cmocka_unit_test(by_the_spectrum),
        cmocka_unit_test(by_the_joints),
        cmocka_unit_test(by_the_masses),
        cmocka_unit_test(by_the_motion),
        cmocka_unit_test(by_the_loops),
        cmocka_unit_test(by_the_operations),
        cmocka_unit_test(by_rolling),
        cmocka_unit_test(by_the_size),
        cmocka_unit_test(by_newton),
        cmocka_unit_test(of_a_system),
        cmocka_unit_test(by_a_setting),
        cmocka_unit_test(by_name),
        cmocka_unit_test(change_when_stiff),
        cmocka_unit_test(counted_on),
        cmocka_unit_test(damped_by_both),
        cmocka_unit_test(stay_when_smooth),
        cmocka_unit_test(pass_singular_positions),
        cmocka_unit_test(pass_singular_positions_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

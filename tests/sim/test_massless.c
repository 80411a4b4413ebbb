// Bodies without mass or inertia: carried by constraints with every method, against twins that do without
// them; rotations that nothing can cause; parts that float on their forces; what is refused, by name.
#include "model/build/build.h"
#include "sim/queries/sim.h"
#include "sim_fixture.h"

static const char *const every[] = {
    "genalpha",   "hht",       "newmark",    "midpoint",   "bdf",      "bdf2",      "radau3",
    "radau5",     "ggl",       "ggl-radau3", "ggl-radau5", "ssp-trap", "ssp-sdirk", "infl-trap",
    "infl-sdirk", "for-sdirk", "for-rosen",  "erk5",       "erk8",     "adams",     NULL};
static const char *const some[] = {"genalpha", "bdf", "radau5", "for-sdirk", "erk5", NULL};

enum { KINDS = 3 };  // of unknowns: bodies on R^3 x SO(3), on SE(3), joint coordinates
static const char *const kind_name[KINDS] = {"bodies", "SE(3)", "joints"};

static tml_run_def settings(const tml_model *model, const char *method, int kind, double end, double tol)
{
    tml_run_def run = *tml_model_run(model);
    run.method = method;
    run.end = end;
    run.tol = tol;
    run.rtol = run.atol = NAN;
    run.kinematics = kind == 2 ? TML_KINEMATICS_JOINTS : TML_KINEMATICS_BODIES;
    run.group = kind == 1 ? TML_GROUP_SE3 : TML_GROUP_R3SO3;
    return run;
}

// Values of the channels at the end of a run.
static void end_values(const tml_model *model, const tml_run_def *run, const char *const *names, double *out)
{
    tml_error err = {0};
    tml_sim *sim = start_sim(model, run);
    record *r = record_new(sim, names);
    const tml_status st = tml_sim_run(sim, NAN, &err);
    if (st != TML_OK) fail_msg("%s: %s", run->method, err.msg);
    for (int i = 0; i < r->picked; i++) out[i] = r->value[r->rows - 1][i];
    record_free(r);
    tml_sim_destroy(sim);
}

static double tolerance_of(const char *method)
{
    const tml_method_ops *m = tml_method_find(method);
    return m->order <= 2 ? 1e-4 : 1e-6;
}

// The same channels of a model and of its twin at the end, each method with a tolerance that suits its order.
// Errors are those of the motion; reactions and velocities are larger numbers than positions, hence the
// factor.
static void agrees(const char *text, const char *twin, const char *const *names, const char *const *methods,
                   double end)
{
    tml_model *model = text_model(text), *other = text_model(twin);
    double expected[PICKED_MAX], found[PICKED_MAX];
    const tml_run_def reference = settings(other, "radau5", 0, end, 1e-9);
    end_values(other, &reference, names, expected);
    for (const char *const *m = methods; *m; m++)
        for (int kind = 0; kind < KINDS; kind++) {
            const double tol = tolerance_of(*m);
            const tml_run_def run = settings(model, *m, kind, end, tol);
            end_values(model, &run, names, found);
            for (int i = 0; names[i]; i++)
                if (!(fabs(found[i] - expected[i]) <= 30 * tol * (1 + fabs(expected[i]))))
                    fail_msg("%s in %s: %s is %.10g, expected %.10g", *m, kind_name[kind], names[i], found[i],
                             expected[i]);
        }
    tml_model_destroy(model);
    tml_model_destroy(other);
}

// ---- carried by constraints -------------------------------------------------------------------------------

#define FOUR_BAR                                                                      \
    "planar: true\ngravity: [6, -7.5]\n"                                              \
    "ground: {frames: {g: [1, -0.2]}}\n"                                              \
    "bodies:\n"                                                                       \
    "  crank: {mass: 1.3, inertia: 0.02, position: [0, 0.2], orientation: 90 deg,\n"  \
    "          frames: {root: [-0.2, 0], tip: [0.2, 0]}}\n"                           \
    "  rocker: {mass: 0.7, inertia: 0.03, position: [1, 0.1], orientation: 90 deg,\n" \
    "           frames: {root: [-0.3, 0], tip: [0.3, 0]}}\n"
#define FOUR_BAR_JOINTS                                 \
    "joints:\n"                                         \
    "  A: {type: revolute, a: ground, b: crank.root}\n" \
    "  D: {type: revolute, a: ground.g, b: rocker.root}\n"

// The tree of joints cuts the loop beside the coupler: there nothing with inertia moves with the coupler's
// angle.
static void coupler(void **state)
{
    (void)state;
    static const char *const names[] = {"crank.x", "crank.vx", "rocker.y", "A.fx",
                                        "C.fx",    "C.fy",     "D.fy",     NULL};
    agrees(FOUR_BAR
           "  coupler: {mass: 0, position: [0.5, 0.4], frames: {a: [-0.5, 0], b: [0.5, 0]}}\n" FOUR_BAR_JOINTS
           "  B: {type: revolute, a: crank.tip, b: coupler.a}\n"
           "  C: {type: revolute, a: coupler.b, b: rocker.tip}\n",
           FOUR_BAR FOUR_BAR_JOINTS "  C: {type: distance, a: crank.tip, b: rocker.tip}\n", names, every,
           0.4);
}

#define SHAFT(axes)                                                                                          \
    "gravity: 9.81\n"                                                                                        \
    "bodies:\n"                                                                                              \
    "  shaft: {mass: 1, inertia: [0.01, 0.02, 0.025], position: [0.2, 0, 0], angular_velocity: [3, 0, 0],\n" \
    "          frames: {root: [-0.2, 0, 0], tip: {position: [0.2, 0, 0]" axes "}}}\n"                        \
    "  arm: {mass: 0.8, inertia: [0.012, 0.03, 0.027], position: [0.6, 0, 0], angular_velocity: [3, 0, "     \
    "0],\n"                                                                                                  \
    "        frames: {root: {position: [-0.2, 0, 0]" axes "}}}\n"
#define BEARING "joints:\n  A: {type: revolute, a: ground, b: shaft.root, axis: [1, 0, 0]}\n"

// The cross of a universal joint as a body of its own.
static void cross(void **state)
{
    (void)state;
    static const char *const names[] = {"shaft.wx", "arm.x", "arm.z", "arm.wy", "A.mx", "C.fx", "C.fz", NULL};
    agrees(SHAFT("") "  cross: {mass: 0, position: [0.4, 0, 0], angular_velocity: [3, 0, 0]}\n" BEARING
                     "  B: {type: revolute, a: shaft.tip, b: cross, axis: [0, 1, 0], point: [0.4, 0, 0]}\n"
                     "  C: {type: revolute, a: cross, b: arm.root, axis: [0, 0, 1], point: [0.4, 0, 0]}\n",
           SHAFT(", orientation: {x: [0, 1, 0], y: [0, 0, 1]}") BEARING
           "  C: {type: universal, a: shaft.tip, b: arm.root}\n",
           names, every, 0.4);
}

#define RODS                                                                                            \
    "gravity: 9.81\n"                                                                                   \
    "bodies:\n"                                                                                         \
    "  upper: {mass: 1.1, inertia: [0.01, 0.03, 0.03], position: [0.25, 0, 0],\n"                       \
    "          frames: {root: [-0.25, 0, 0], tip: [0.25, 0, 0]}}\n"                                     \
    "  lower: {mass: 0.9, inertia: [0.01, 0.02, 0.02], position: [1.1, 0, 0], velocity: [0, 0.2, 0],\n" \
    "          angular_velocity: [0, 0, 1], frames: {root: [-0.2, 0, 0]}}\n"
#define RODS_LINK(spin)                                                 \
    "  link: {mass: 0, position: [0.7, 0, 0], angular_velocity: [" spin \
    ", 0, 0], frames: {a: [-0.2, 0, 0], b: [0.2, 0, 0]}}\n"
#define RODS_JOINTS \
    "joints:\n"     \
    "  A: {type: revolute, a: ground, b: upper.root, axis: [0, 1, 0]}\n"
#define RODS_ENDS                                       \
    "  B: {type: spherical, a: upper.tip, b: link.a}\n" \
    "  C: {type: spherical, a: link.b, b: lower.root}\n"

// A rod between spherical joints may spin about itself. hht is left out: joint coordinates with error control
// fail it, mass or not.
static void two_force_rod(void **state)
{
    (void)state;
    static const char *const names[] = {"upper.x", "lower.x", "lower.z", "lower.vy",
                                        "A.fx",    "C.fx",    "C.fz",    NULL};
    static const char *const methods[] = {"genalpha",   "newmark",   "bdf",  "radau5", "ggl", "ggl-radau5",
                                          "infl-sdirk", "for-rosen", "erk8", "adams",  NULL};
    agrees(RODS RODS_LINK("0") RODS_JOINTS RODS_ENDS,
           RODS RODS_JOINTS "  C: {type: distance, a: upper.tip, b: lower.root}\n", names, methods, 0.4);
}

#define BOB "gravity: 9.81\nbodies:\n"
#define BOB_POINT "  bob: {mass: 2, point: true, position: [1, 0, 0], velocity: [0, 1, 0]}\njoints:\n"
#define BOB_TWIN BOB BOB_POINT "  A: {type: distance, a: ground, b: bob}\n"

// A point mass with a massless rod, as one body and as two.
static void point_mass(void **state)
{
    (void)state;
    static const char *const names[] = {"bob.x", "bob.y", "bob.z", "bob.vx", "bob.vz", "A.fx", "A.fz", NULL};
    static const char *const motion[] = {"bob.x", "bob.y", "bob.z", "bob.vx", "bob.vz", NULL};
    agrees(BOB
           "  bob: {mass: 2, position: [1, 0, 0], velocity: [0, 1, 0], angular_velocity: [0, 0, 1],\n"
           "        frames: {root: [-1, 0, 0]}}\njoints:\n  A: {type: spherical, a: bob.root, b: ground}\n",
           BOB BOB_POINT "  A: {type: distance, a: bob, b: ground}\n", names, every, 0.5);
    agrees(BOB "  rod: {mass: 0, position: [0.5, 0, 0], velocity: [0, 0.5, 0], angular_velocity: [0, 0, 1],\n"
               "        frames: {root: [-0.5, 0, 0], tip: [0.5, 0, 0]}}\n" BOB_POINT
               "  A: {type: spherical, a: ground, b: rod.root}\n  B: {type: spherical, a: rod.tip, b: bob}\n",
           BOB_TWIN, motion, every, 0.5);
    // both welded into one, whose spin about the rod no body has by itself
    agrees(
        BOB
        "  rod: {mass: 0, position: [0.5, 0, 0], velocity: [0, 0.5, 0], angular_velocity: [7, 0, 1],\n"
        "        frames: {root: [-0.5, 0, 0], tip: [0.5, 0, 0]}}\n"
        "  bob: {mass: 2, position: [1, 0, 0], orientation: 90 deg, velocity: [0, 1, 0],\n"
        "        angular_velocity: [0, -7, 1], frames: {w: {position: [0, 0.5, 0], orientation: -90 deg}}}\n"
        "joints:\n"
        "  A: {type: spherical, a: ground, b: rod.root}\n"
        "  B: {type: fixed, a: bob.w, b: rod}\n",
        BOB_TWIN, motion, some, 0.5);
}

// ---- rotations that nothing can cause ---------------------------------------------------------------------

// b at (1, 0, 0) with its x axis along y, welded to c at (1, y, 0)
#define WELDED(y, c)                                                                               \
    "bodies:\n  b: {mass: 2, position: [1, 0, 0], orientation: 90 deg, frames: {w: {position: [" y \
    ", 0, 0], orientation: -90 deg}}}\n"                                                           \
    "  c: {position: [1, " y ", 0], " c "}\njoints:\n  W: {type: fixed, a: c, b: b.w}\n"
#define ONE(fields, rest) "bodies:\n  b: {" fields "}\n" rest

static void held_rotations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int massless_rotations;
        double axis[3];  // up to its sign
    } cases[] = {
        {ONE("mass: 2, position: [1, 0, 0]", ""), 3, {0}},
        {ONE("mass: 2, inertia: [0, 0.3, 0.3]", ""), 1, {1, 0, 0}},
        {ONE("mass: 2, inertia: 0.1", ""), 0, {0}},
        {ONE("mass: 0", ""), 0, {0}},  // its translation is free, too
        {ONE("mass: 2, frames: {p: [0, 0.3, 0.4]}", "joints:\n  J: {type: spherical, a: ground, b: b.p}\n"),
         1,
         {0, 0.6, 0.8}},
        {ONE("mass: 0, frames: {p: [0, 0.3, 0.4]}", "joints:\n  J: {type: spherical, a: ground, b: b.p}\n"),
         3,
         {0}},
        // a thin rod: joints on its axis leave the spin, one beside it does not
        {ONE("mass: 2, inertia: [0, 0.3, 0.3], frames: {p: [0.5, 0, 0]}",
             "joints:\n  J: {type: spherical, a: ground, b: b.p}\n"),
         1,
         {1, 0, 0}},
        {ONE("mass: 2, inertia: [0, 0.3, 0.3], frames: {p: [0.5, 0.01, 0]}",
             "joints:\n  J: {type: spherical, a: ground, b: b.p}\n"),
         0,
         {0}},
        {ONE("mass: 2", "joints:\n  J: {type: revolute, a: ground, b: b, axis: [0, 1, 0]}\n"), 1, {0, 1, 0}},
        {ONE("mass: 2", "joints:\n  J: {type: fixed, a: ground, b: b}\n"), 0, {0}},
        {ONE("mass: 2", "joints:\n  J: {type: universal, a: ground, b: b}\n"), 1, {0, 1, 0}},
        {ONE("mass: 2", "joints:\n  J: {type: universal, a: b, b: ground}\n"), 1, {1, 0, 0}},
        {ONE("mass: 2", "joints:\n  J: {type: point-on-line, a: ground, b: b}\n"), 3, {0}},
        {ONE("mass: 2", "joints:\n  J: {type: point-on-line, a: b, b: ground}\n"), 1, {0, 0, 1}},
        {ONE("mass: 2", "joints:\n  J: {type: parallel, a: ground, b: b, axis: [1, 0, 0]}\n"), 1, {1, 0, 0}},
        {ONE("mass: 2", "forces:\n  F: {type: applied, at: b, force: [1, t, 0]}\n"), 3, {0}},
        {ONE("mass: 2", "forces:\n  F: {type: applied, at: b, torque: [1, 0, 0]}\n"), 0, {0}},
        {ONE("mass: 2", "forces:\n  F: {type: drag, body: b, linear: 1, angular_linear: 1}\n"), 3, {0}},
        {ONE("mass: 2", "forces:\n  F: {type: torsion, a: ground, b: b, stiffness: 1}\n"), 0, {0}},
        {ONE("mass: 2",
             "  c: {mass: 1, inertia: 1}\nforces:\n  F: {type: torsion, a: ground, b: c, stiffness: 1}\n"),
         3,
         {0}},
        {ONE("mass: 2, position: [1, 0, 0]", "forces:\n  F: {type: spring, a: ground, b: b, stiffness: 1}\n"),
         3,
         {0}},
        {ONE("mass: 2, position: [1, 0, 0], frames: {p: [0, 0, 2]}",
             "forces:\n  F: {type: spring, a: ground, b: b.p, stiffness: 1}\n"),
         1,
         {0, 0, 1}},
        {ONE("mass: 2, position: [1, 0, 0]", "joints:\n  J: {type: driver, of: b.x, motion: 1 + t}\n"),
         3,
         {0}},
        // bodies that fixed joints make one: the others' points and inertia count, and the ground holds all
        {WELDED("2", "mass: 1"), 1, {1, 0, 0}},
        {WELDED("0", "mass: 1"), 3, {0}},
        {WELDED("0", "mass: 1, inertia: 0.1"), 0, {0}},
        {WELDED("0", "mass: 0"), 3, {0}},
        {WELDED("2", "mass: 1") "  G: {type: fixed, a: ground, b: c}\n", 0, {0}},
        {"planar: true\n" ONE("mass: 2", "joints:\n  J: {type: revolute, a: ground, b: b}\n"), 1, {0, 0, 1}},
        {"planar: true\n" ONE("mass: 2, frames: {p: [1, 0]}",
                              "joints:\n  J: {type: revolute, a: ground, b: b.p}\n"),
         0,
         {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tml_model *m = text_model(cases[i].text);
        const tmli_node *b = &m->node[0];
        if (b->massless_rotations != cases[i].massless_rotations)
            fail_msg("%s: held %d, expected %d", cases[i].text, b->massless_rotations,
                     cases[i].massless_rotations);
        const vec3 n = b->massless_axis, a = v3_from(cases[i].axis);
        if (b->massless_rotations == 1 && !m->planar) CHECK_CLOSE(fabs(v3_dot(n, a)), 1, 1e-12);
        tml_model_destroy(m);
    }
}

// A spin given to a rod that has no inertia about itself would act as a gyroscope: it is taken out, and
// nothing else changes.
static void spin_is_stopped(void **state)
{
    (void)state;
    static const char *const names[] = {"upper.x", "lower.x", "lower.y", "lower.z",
                                        "link.x",  "link.wx", NULL};
    double still[PICKED_MAX], spun[PICKED_MAX];
    tml_model *a = text_model(RODS RODS_LINK("0") RODS_JOINTS RODS_ENDS);
    tml_model *b = text_model(RODS RODS_LINK("40") RODS_JOINTS RODS_ENDS);
    const tml_run_def run = settings(a, "radau5", 0, 0.3, 1e-7);
    end_values(a, &run, names, still);
    end_values(b, &run, names, spun);
    for (int i = 0; names[i]; i++) CHECK_CLOSE(still[i], spun[i], 1e-9);
    CHECK_SMALL(still[5], 1e-8);  // a tenth of the tolerance
    tml_model_destroy(a);
    tml_model_destroy(b);
    // where the axis does not pass through the body's own point, its velocity changes as well: the axis keeps
    // its own
    tml_model *m = text_model(
        "bodies:\n  b: {mass: 0, position: [0, -1, 0], velocity: [5, 0.1, 0.2], angular_velocity: [0, 0, "
        "5],\n"
        "      frames: {p: [0, 1, 0], q: [0, 1, 0.7]}}\n"
        "  c: {mass: 1, inertia: 1, velocity: [0, 0.1, 0.2]}\n"
        "joints:\n  P: {type: spherical, a: c, b: b.p}\n  Q: {type: point-on-line, a: c, b: b.q}\n");
    tml_error err = {0};
    tml_state *x = NULL;
    OK(tml_state_create(tml_model_system(m), &x, &err));
    tml_model_start(m, 0, x);
    assert_int_equal(m->node[0].massless_rotations, 1);
    tmli_model_stop_massless_rotations(m, x);
    static const double expected[6] = {0, 0.1, 0.2, 0, 0, 0};
    for (int j = 0; j < 6; j++) CHECK_CLOSE(x->u[j], expected[j], 1e-14);
    tml_state_destroy(x, tml_model_system(m));
    tml_model_destroy(m);
}

// ---- parts that float on their forces ---------------------------------------------------------------------

static const char *const followers[] = {"genalpha", "hht", "bdf", "bdf2", "radau3", "radau5", "ggl", NULL};
static const char *const refusers[] = {"newmark",   "midpoint",  "ggl-radau3", "ggl-radau5", "ssp-trap",
                                       "ssp-sdirk", "infl-trap", "infl-sdirk", "for-sdirk",  "for-rosen",
                                       "erk5",      "erk8",      "adams",      NULL};

#define LINE                                                                                       \
    "planar: true\ngravity: 9.81\nground: {frames: {line: {orientation: {z: [1, 0, 0], x: [0, 0, " \
    "1]}}}}\nbodies:\n"
#define BLOCK "  block: {mass: 2, point: true, position: [2.2, 0], velocity: [0.3, 0]}\n"
#define GUIDE "  B: {type: point-on-line, a: ground.line, b: block}\n"
#define SERIES(start, second)                                                            \
    LINE "  mid: {mass: 0, point: true, position: [" start ", 0]}\n" BLOCK               \
         "joints:\n  A: {type: point-on-line, a: ground.line, b: mid}\n" GUIDE           \
         "forces:\n  s1: {type: spring, a: ground, b: mid, stiffness: 100, length: 1}\n" \
         "  s2: {type: spring, a: mid, b: block, " second "}\n"

// Two springs in series, 1/k = 1/k1 + 1/k2; the start has the body between them out of balance.
static void springs_in_series(void **state)
{
    (void)state;
    static const char *const names[] = {"block.x", "block.vx", "B.fx", "B.fy", NULL};
    agrees(SERIES("1.4", "stiffness: 300, length: 1"),
           LINE BLOCK "joints:\n" GUIDE
                      "forces:\n  s: {type: spring, a: ground, b: block, stiffness: 75, length: 2}\n",
           names, followers, 1.3);
}

// Where the part between is at the start, and how fast, on a line across the plane and in a small model: the
// springs' lengths are 0.1 m each, k1 (x - 0.1) = k2 (s - x - 0.1) along the line with the block at s = 0.22
// m, and the rates have the ratio k2/(k1 + k2); with a damper instead of the second spring the place stays,
// and c (sdot - xdot) = k1 (x - 0.1).
static void start_of_what_floats(void **state)
{
    (void)state;
#define SLOPE(second)                                                                                    \
    "planar: true\nground: {frames: {line: {orientation: {z: [0.6, 0.8, 0], x: [0, 0, 1]}}}}\nbodies:\n" \
    "  block: {mass: 2, point: true, position: [0.132, 0.176], velocity: [0.06, 0.08]}\n"                \
    "  mid: {mass: 0, point: true, position: [0.078, 0.104]}\njoints:\n"                                 \
    "  A: {type: point-on-line, a: ground.line, b: mid}\n  B: {type: point-on-line, a: ground.line, b: " \
    "block}\n"                                                                                           \
    "forces:\n  s1: {type: spring, a: ground, b: mid, stiffness: 100, length: 0.1}\n"                    \
    "  s2: {type: spring, a: mid, b: block, length: 0.1, " second "}\n"
    static const struct {
        const char *text;
        double x, rate;
    } cases[] = {{SLOPE("stiffness: 300"), 46.0 / 400, 0.1 * 300 / 400},
                 {SLOPE("damping: 50"), 0.13, 0.1 - 100 * 0.03 / 50}};
    for (int i = 0; i < 2; i++) {
        tml_model *model = text_model(cases[i].text);
        const tml_run_def run = settings(model, "bdf", 0, 1, 1e-4);
        tml_sim *sim = start_sim(model, &run);
        const tml_state *x = tml_sim_state(sim);
        CHECK_CLOSE(x->q[7], 0.6 * cases[i].x, 1e-11);
        CHECK_CLOSE(x->q[8], 0.8 * cases[i].x, 1e-11);
        CHECK_CLOSE(x->u[2], 0.6 * cases[i].rate, 1e-9);
        CHECK_CLOSE(x->u[3], 0.8 * cases[i].rate, 1e-9);
        CHECK_CLOSE(x->u[0], 0.06, 1e-14);  // what has mass keeps its motion
        CHECK_CLOSE(x->q[0], 0.132, 1e-14);
        tml_sim_destroy(sim);
        tml_model_destroy(model);
    }
}

// x and its rate, y: m xddot = -k (y - 1),  ydot = xdot - k (y - 1)/c, by the classical Runge-Kutta method
static void spring_and_damper(double t, double x[3])
{
    enum { STEPS = 4000 };
    const double k = 100, c = 30, m = 2, h = t / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double d[4][3], z[3];
        static const double at[4] = {0, 0.5, 0.5, 1};
        for (int s = 0; s < 4; s++) {
            for (int j = 0; j < 3; j++) z[j] = x[j] + (s ? at[s] * h * d[s - 1][j] : 0);
            d[s][0] = z[1];
            d[s][1] = -k * (z[2] - 1) / m;
            d[s][2] = z[1] - k * (z[2] - 1) / c;
        }
        for (int j = 0; j < 3; j++) x[j] += h / 6 * (d[0][j] + 2 * d[1][j] + 2 * d[2][j] + d[3][j]);
    }
}

// The damper decides the velocity of the body between, which keeps its place at the start.
static void maxwell(void **state)
{
    (void)state;
    static const char *const names[] = {"block.x", "block.vx", "mid.x", NULL};
    tml_model *model = text_model(SERIES("1.1", "damping: 30, length: 1"));
    double expected[3] = {2.2, 0.3, 1.1}, found[PICKED_MAX];
    spring_and_damper(0.9, expected);
    for (const char *const *m = followers; *m; m++)
        for (int kind = 0; kind < KINDS; kind++) {
            const tml_run_def run = settings(model, *m, kind, 0.9, tolerance_of(*m));
            end_values(model, &run, names, found);
            for (int i = 0; i < 3; i++)
                if (!(fabs(found[i] - expected[i]) < 10 * run.tol))
                    fail_msg("%s in %s: %s is %.9g, expected %.9g", *m, kind_name[kind], names[i], found[i],
                             expected[i]);
        }
    tml_model_destroy(model);
}

#define KNOT KNOT_WITH("")
#define KNOT_WITH(more)                                                                             \
    "planar: true\ngravity: 9.81\nground: {frames: {l: [-1, 0], r: [1, 0]}}\nbodies:\n"             \
    "  knot: {mass: 0, point: true, position: [0, -0.8]}\n"                                         \
    "  block: {mass: 2, point: true, position: [0.2, -2]}\nforces:\n"                               \
    "  s1: {type: spring, a: ground.l, b: knot, stiffness: 300, length: 1}\n"                       \
    "  s2: {type: spring, a: ground.r, b: knot, stiffness: 300, length: 1}\n"                       \
    "  s3: {type: spring, a: knot, b: block, stiffness: 200, length: 1}\n" more "outputs:\n"        \
    "  fx: s1.force*(knot.x + 1)/s1.length + s2.force*(knot.x - 1)/s2.length + s3.force*(knot.x - " \
    "block.x)/s3.length\n"                                                                          \
    "  fy: s1.force*knot.y/s1.length + s2.force*knot.y/s2.length + s3.force*(knot.y - block.y)/s3.length\n"

// A knot in the plane: forces balance at all times, at the start too, its velocity is that of its place, and
// energy is kept. What the knot does sideways is not linear, unlike the springs in series.
static void knot(void **state)
{
    (void)state;
    static const char *const names[] = {"fx", "fy", "knot.x", "knot.vx", "knot.y", "knot.vy", NULL};
    tml_model *model = text_model(KNOT);
    for (const char *const *m = followers; *m; m++) {
        tml_error err = {0};
        tml_sim_report report;
        tml_run_def run = settings(model, *m, 0, 1, tolerance_of(*m));
        run.output_step = 1e-3;
        tml_sim *sim = start_sim(model, &run);
        record *r = record_new(sim, names);
        OK(tml_sim_run(sim, NAN, &err));
        tml_sim_get_report(sim, &report);
        CHECK_SMALL(report.energy_error, 20 * run.tol * report.energy_scale);
        for (int i = 0; i < r->rows; i++)  // springs of 800 N/m together, off by the tolerance of some 1 m
            for (int c = 0; c < 2; c++) CHECK_SMALL(r->value[i][c], i == 0 ? 1e-9 : 1000 * run.tol);
        for (int c = 2; c < 6; c += 2) {  // the first row: one-sided difference of second order
            const double rate = (-3 * r->value[0][c] + 4 * r->value[1][c] - r->value[2][c]) / 2e-3;
            CHECK_CLOSE(r->value[0][c + 1], rate, 1e-3);
            for (int i = 1; i + 1 < r->rows; i++)
                CHECK_CLOSE(r->value[i][c + 1], (r->value[i + 1][c] - r->value[i - 1][c]) / 2e-3, 0.02);
        }
        record_free(r);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
}

// A knot between two dampers at an angle and a spring: its velocity at the start answers to both at once, and
// the block falls slowly.
static void knot_on_dampers(void **state)
{
    (void)state;
    static const char *const names[] = {"fx", "fy", "knot.vx", "knot.vy", NULL};
    tml_error err = {0};
    tml_model *model =
        text_model("planar: true\ngravity: 9.81\nground: {frames: {l: [-1, 0], r: [1, 0.3]}}\nbodies:\n"
                   "  knot: {mass: 0, point: true, position: [0, -0.8]}\n"
                   "  block: {mass: 2, point: true, position: [0.2, -2]}\nforces:\n"
                   "  s1: {type: spring, a: ground.l, b: knot, damping: 30}\n  s2: {type: spring, a: "
                   "ground.r, b: knot, damping: 50}\n"
                   "  s3: {type: spring, a: knot, b: block, stiffness: 200, length: 1}\n"
                   "outputs:\n"
                   "  fx: s1.force*(knot.x + 1)/s1.length + s2.force*(knot.x - 1)/s2.length + "
                   "s3.force*(knot.x - block.x)/s3.length\n"
                   "  fy: s1.force*knot.y/s1.length + s2.force*(knot.y - 0.3)/s2.length + s3.force*(knot.y - "
                   "block.y)/s3.length\n"
                   "run: {end: 0.2, output_step: 0.01}\n");
    const tml_run_def run = settings(model, "bdf", 0, 0.2, 1e-6);
    tml_sim *sim = start_sim(model, &run);
    record *r = record_new(sim, names);
    OK(tml_sim_run(sim, NAN, &err));
    assert_true(fabs(r->value[0][2]) > 0.05 && fabs(r->value[0][3]) > 0.5);
    for (int i = 0; i < r->rows; i++)
        for (int c = 0; c < 2; c++) CHECK_SMALL(r->value[i][c], i == 0 ? 1e-9 : 0.05);  // of some 40 N
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// A force on the knot that sets in at a time, and one by the place of the block: the knot follows at once,
// wherever the step ends.
static void jumps(void **state)
{
    (void)state;
    static const char *const names[] = {"fx", "fy", "knot.x", "block.x", "block.y", NULL};
    double expected[PICKED_MAX], found[PICKED_MAX];
    tml_model *model = text_model(KNOT_WITH("  push: {type: applied, at: knot, force: [\"if(t < 0.3, 0, "
                                            "60)\", \"if(block.y > -1.2, -40, 0)\"]}\n"));
    const tml_run_def reference = settings(model, "radau5", 0, 1, 1e-9);
    end_values(model, &reference, names, expected);
    assert_true(fabs(expected[0] - 60) < 1e-3);  // the springs hold the push
    for (const char *const *m = followers; *m; m++) {
        const tml_run_def run = settings(model, *m, 0, 1, tolerance_of(*m));
        end_values(model, &run, names, found);
        for (int i = 2; names[i]; i++)
            if (!(fabs(found[i] - expected[i]) <= 50 * run.tol))
                fail_msg("%s: %s is %.9g, expected %.9g", *m, names[i], found[i], expected[i]);
    }
    tml_model_destroy(model);
}

// Fixed steps, and the method that is chosen.
static void fixed_steps(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = text_model(KNOT);
    tml_run_def run = *tml_model_run(model);
    run.step = 1e-3;
    tml_sim *sim = start_sim(model, &run);
    OK(tml_sim_run(sim, NAN, &err));
    tml_sim_destroy(sim);
    run.step = 0;
    sim = start_sim(model, &run);
    assert_true(strcmp(sim->driver.method->form, "state space, explicit") != 0);
    OK(tml_sim_run(sim, NAN, &err));
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// ---- what is refused --------------------------------------------------------------------------------------

static void refusals(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_sim *sim = NULL;
    tml_model *model = text_model(KNOT);
    for (const char *const *m = refusers; *m; m++) {
        const tml_run_def run = settings(model, *m, 0, 1, 1e-4);
        assert_int_equal(tml_sim_create(model, &run, &sim, &err), TML_ERR_MODEL);
        assert_null(sim);
        assert_non_null(strstr(err.msg, "'knot."));
        assert_non_null(strstr(err.msg, *m));
    }
    tml_run_def run = settings(model, "genalpha", 0, 1, 1e-4);
    run.rho = 1;
    assert_int_equal(tml_sim_create(model, &run, &sim, &err), TML_ERR_MODEL);
    run = settings(model, "hht", 0, 1, 1e-4);
    run.alpha = 0;
    assert_int_equal(tml_sim_create(model, &run, &sim, &err), TML_ERR_MODEL);
    tml_model_destroy(model);

    // nothing determines the part, or its spring does so only along itself; a torque on what has no inertia
    static const char *const lost[] = {
        "bodies:\n  ball: {mass: 2, inertia: 1}\n  ghost: {mass: 0}\n",
        ("planar: true\nbodies:\n  ghost: {mass: 0, point: true, position: [1, 0]}\n"
         "forces:\n  s: {type: spring, a: ground, b: ghost, stiffness: 10}\n"),
        "bodies:\n  ghost: {mass: 1}\nforces:\n  F: {type: applied, at: ghost, torque: [0, 0, 1]}\n",
    };
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        model = text_model(lost[i]);
        run = settings(model, "bdf", 0, 1, 1e-4);
        assert_int_equal(tml_sim_create(model, &run, &sim, &err), TML_ERR_SINGULAR);
        assert_non_null(strstr(err.msg, "'ghost."));
        tml_model_destroy(model);
    }
}

// A mass that flies off drags a link without mass and a rod until both are straight. Smooth motion ends
// there: the link swings ever faster. The message tells this, and not the tolerance or round-off.
static void straightened(void **state)
{
    (void)state;
    static const char *const methods[] = {"auto", "bdf", "genalpha", "radau5"};
    const size_t count = less_if_slow("auto alone") ? 1 : sizeof methods / sizeof *methods;
    for (size_t i = 0; i < count; i++) {
        tml_error err = {0};
        tml_model *m =
            text_model("planar: true\nbodies:\n"
                       "  ball: {mass: 1, inertia: 0.1, position: [1.2, 0.3], velocity: [3, 0.2]}\n"
                       "  link: {mass: 0, inertia: 0, position: [0.8, 0.4], frames: {end: [-0.3, 0.3]}}\n"
                       "joints:\n"
                       "  rod: {type: distance, a: ground, b: link.end}\n"
                       "  pin: {type: revolute, a: link, b: ball, point: [1.2, 0.3]}\n"
                       "run: {end: 1, tol: 1e-4}\n");
        tml_run_def run = *tml_model_run(m);
        run.method = methods[i];
        tml_sim *sim = start_sim(m, &run);
        assert_int_equal(tml_sim_run(sim, NAN, &err), TML_ERR_STEP);
        if (!strstr(err.msg, "smooth motion ends at t = 0.282") || !strstr(err.msg, "'link' has no mass"))
            fail_msg("%s: %s", methods[i], err.msg);
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

// Every allocation fails once: a status, and nothing is lost. Steps of a model that floats take no memory,
// its jumps neither.
static void memory(void **state)
{
    (void)state;
    static const char text[] = KNOT_WITH("  push: {type: applied, at: knot, force: [\"if(t < 0.03, 0, 60)\", "
                                         "0]}\n") "run: {end: 0.1, method: bdf}\n";
    for (long k = 1;; k++) {
        counter c = {.fail_at = k};
        const tml_env env = count_env(&c);
        tml_error err = {0};
        tml_spec *spec = NULL;
        tml_model *model = NULL;
        tml_sim *sim = NULL;
        tml_status st = tml_spec_parse(text, sizeof text - 1, "test.yaml", NULL, 0, &env, &spec, &err);
        if (st == TML_OK) st = tml_model_build(spec, &model, &err);
        tml_spec_destroy(spec);
        if (st == TML_OK) st = tml_sim_create(model, NULL, &sim, &err);
        const long calls = c.calls;
        if (st == TML_OK) {
            OK(tml_sim_run(sim, NAN, &err));
            assert_true(c.calls == calls);
        }
        tml_sim_destroy(sim);
        tml_model_destroy(model);
        assert_true(c.live == 0);
        if (st == TML_OK) {
            assert_true(k > 50);
            return;
        }
        assert_int_equal(st, TML_ERR_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coupler),           cmocka_unit_test(cross),
        cmocka_unit_test(two_force_rod),     cmocka_unit_test(point_mass),
        cmocka_unit_test(held_rotations),    cmocka_unit_test(spin_is_stopped),
        cmocka_unit_test(springs_in_series), cmocka_unit_test(start_of_what_floats),
        cmocka_unit_test(maxwell),           cmocka_unit_test(knot),
        cmocka_unit_test(knot_on_dampers),   cmocka_unit_test(jumps),
        cmocka_unit_test(fixed_steps),       cmocka_unit_test(refusals),
        cmocka_unit_test(straightened),      cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Linear systems of inputs and outputs against formulas, and against motions of the simulation.
#include "support/support.h"

#include <trammel/linear.h>
#include <trammel/sim.h>

static tml_error err;

#define OK(call)                                                  \
    do {                                                          \
        if ((call) != TML_OK) fail_msg("%s: %s", #call, err.msg); \
    } while (0)

typedef struct found {
    tml_model *model;
    tml_sim *sim;
    tml_linear *l;
} found;

static found linearize(const char *text, tml_begin begin)
{
    found f = {0};
    tml_spec *spec = NULL;
    OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err));
    OK(tml_model_build(spec, &f.model, &err));
    tml_spec_destroy(spec);
    tml_run_def run = *tml_model_run(f.model);
    run.begin = begin;
    OK(tml_sim_create(f.model, &run, &f.sim, &err));
    OK(tml_linear_create(f.sim, tml_sim_state(f.sim), &f.l, &err));
    return f;
}

static void clear(found *f)
{
    tml_linear_destroy(f->l);
    tml_sim_destroy(f->sim);
    tml_model_destroy(f->model);
}

static void expect(const double *X, const double *expected, int count, double tolerance)
{
    for (int i = 0; i < count; i++) CHECK_CLOSE(X[i], expected[i], tolerance);
}

// Two masses on springs; a force on the second is the input; position, acceleration and a reaction are
// outputs
static void masses_and_springs(void **state)
{
    (void)state;
    found f = linearize("planar: true\n"
                        "bodies:\n"
                        "  a: {mass: 2, inertia: 0.1, position: [1, 0]}\n"
                        "  b: {mass: 0.5, inertia: 0.1, position: [2, 0]}\n"
                        "inputs: {push: {value: 0, unit: N}}\n"
                        "joints:\n"
                        "  ra: {type: prismatic, a: ground, b: a, axis: [1, 0]}\n"
                        "  rb: {type: prismatic, a: ground, b: b, axis: [1, 0]}\n"
                        "forces:\n"
                        "  s1: {type: spring, a: ground, b: a, stiffness: 300, damping: 4, length: 1}\n"
                        "  s2: {type: spring, a: a, b: b, stiffness: 70, length: 1}\n"
                        "  f: {type: applied, at: b, force: [2*push, -push]}\n"
                        "outputs: {where: 3*b.x, stretch: b.x - a.x, guide: rb.fy}\n",
                        TML_BEGIN_GIVEN);
    const tml_linear *l = f.l;
    assert_true(l->rest);
    assert_int_equal(l->state_count, 4);
    assert_int_equal(l->input_count, 1);
    assert_int_equal(l->output_count, 3);
    assert_string_equal(l->states[0].name, "a.x");
    assert_string_equal(l->states[1].name, "b.x");
    assert_string_equal(l->states[2].name, "a.x'");
    assert_string_equal(l->states[3].name, "b.x'");
    assert_string_equal(l->states[3].unit, "m/s");
    assert_string_equal(l->inputs[0].name, "push");
    assert_string_equal(l->outputs[1].name, "stretch");
    CHECK_CLOSE(l->outputs[0].value, 6, 1e-9);
    const double A[] = {0, 0, 1, 0, 0, 0, 0, 1, -370 / 2.0, 70 / 2.0, -4 / 2.0, 0, 70 / 0.5, -70 / 0.5, 0, 0};
    const double B[] = {0, 0, 0, 2 / 0.5}, C[] = {0, 3, 0, 0, -1, 1, 0, 0, 0, 0, 0, 0}, D[] = {0, 0, 1};
    expect(l->A, A, 16, 1e-9);
    expect(l->B, B, 4, 1e-8);  // differences with steps of 6e-6
    expect(l->C, C, 12, 1e-8);
    CHECK_CLOSE(fabs(l->D[2]), 1, 1e-8);
    expect(l->D, D, 2, 1e-8);
    clear(&f);
}

// A mass on a rail with states of its own, that are the last of the linear system: m x'' = f - k x,
// f' = (c x - f)/lag + 3 push, g' = -g.
static void first_order_states(void **state)
{
    (void)state;
    found f = linearize("planar: true\n"
                        "bodies: {b: {mass: 2.1, inertia: 0.4}}\n"
                        "inputs: {push: {value: 0, unit: N}}\n"
                        "joints: {rail: {type: prismatic, a: ground, b: b, axis: [1, 0]}}\n"
                        "states: {f: {rate: (11*b.x - f)/0.3 + 3*push}, g: {rate: -g}}\n"
                        "forces: {drive: {type: applied, at: b, force: [f - 37*b.x, 0]}}\n"
                        "outputs: {double: 2*f + g}\n",
                        TML_BEGIN_GIVEN);
    const double A[] = {0, 1, 0, 0, -37 / 2.1, 0, 1 / 2.1, 0, 11 / 0.3, 0, -1 / 0.3, 0, 0, 0, 0, -1};
    const double B[] = {0, 0, 3, 0}, C[] = {0, 0, 2, 1};
    assert_int_equal(f.l->state_count, 4);
    assert_string_equal(f.l->states[2].name, "f");
    assert_string_equal(f.l->states[3].name, "g");
    expect(f.l->A, A, 16, 1e-7);  // rates by differences
    expect(f.l->B, B, 4, 1e-8);
    expect(f.l->C, C, 4, 1e-8);
    clear(&f);
}

// A pendulum by its angle, with a torque: J w' = -m g l sin(angle) + T, output: height and horizontal
// reaction
static void pendulum(void **state)
{
    (void)state;
    found f =
        linearize("planar: true\n"
                  "gravity: 9.81\n"
                  "inputs: {T: {value: 0, unit: N m}}\n"
                  "bodies: {bar: {mass: 1.5, inertia: 0.2, position: [0, -0.6], frames: {end: [0, -0.6]}}}\n"
                  "joints: {pin: {type: revolute, a: ground, b: bar, point: [0, 0]}}\n"
                  "forces: {motor: {type: applied, at: bar, torque: T}}\n"
                  "outputs: {x: bar.end.x, fx: pin.fx}\n",
                  TML_BEGIN_STATIC);
    const tml_linear *l = f.l;
    const double J = 0.2 + 1.5 * 0.36, k = 1.5 * 9.81 * 0.6;
    assert_int_equal(l->state_count, 2);
    assert_string_equal(l->states[0].name, "bar.rz");
    assert_string_equal(l->states[0].unit, "rad");
    const double A[] = {0, 1, -k / J, 0}, B[] = {0, 1 / J};
    expect(l->A, A, 4, 1e-8);
    expect(l->B, B, 2, 1e-8);
    CHECK_CLOSE(l->C[0], 1.2, 1e-8);
    CHECK_SMALL(l->C[1], 1e-8);
    // the pin accelerates the bar: fx = m 0.6 alpha, alpha = -(k/J) angle + T/J
    CHECK_CLOSE(l->C[2], -1.5 * 0.6 * k / J, 1e-6);
    CHECK_CLOSE(l->D[1], 1.5 * 0.6 / J, 1e-7);
    clear(&f);
}

// A mechanism in motion, neither at rest nor steady: a double pendulum in space with a spring in its hinge.
static const char moving[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  arm: {mass: 1.2, inertia: [0.02, 0.1, 0.11], position: [0.4, 0, 0],\n"
    "        angular_velocity: [0.3, 0.8, 1.9], velocity: [0, 0.76, -0.32]}\n"
    "  tip: {mass: 0.7, inertia: [0.03, 0.02, 0.04], position: [0.8, 0.3, 0],\n"
    "        angular_velocity: [0, 0, -1.1]}\n"
    "joints:\n"
    "  ball: {type: spherical, a: ground, b: arm, point: [0, 0, 0]}\n"
    "  hinge: {type: revolute, a: arm, b: tip, point: [0.8, 0, 0], axis: [0, 0, 1]}\n"
    "forces: {spring: {type: torsion, a: arm, b: tip, stiffness: 9, damping: 0.4}}\n"
    "run: {end: 1, method: erk8, tol: 1e-12, kinematics: bodies}\n";

typedef struct place {
    int coordinate;
    bool rate;
} place;

// The coordinate that a state is, by its name: "tip.rz'"
static place find_place(const found *f, const char *name)
{
    static const char *const axis[6] = {"x", "y", "z", "rx", "ry", "rz"};
    char body[40];
    const char *dot = strchr(name, '.');
    snprintf(body, sizeof body, "%.*s", (int)(dot - name), name);
    const tml_body_layout at = tml_model_body_layout(f->model, tml_model_body_index(f->model, body, &err));
    const size_t n = strcspn(dot + 1, "'");
    for (int c = 0; c < at.u_count; c++)
        if (strlen(axis[at.component[c]]) == n && strncmp(dot + 1, axis[at.component[c]], n) == 0)
            return (place){at.u + c, dot[1 + n] == '\''};
    fail_msg("no coordinate %s", name);
    return (place){0};
}

// A simulation from x with the independent coordinates of the states moved by dx. The start is made
// consistent, which changes all of them.
static tml_sim *start_near(const found *f, const double *dx)
{
    const tml_system *sys = tml_model_system(f->model);
    const tml_state *x = tml_sim_state(f->sim);
    double d[64] = {0};
    tml_state *y = NULL;
    tml_sim *sim = NULL;
    OK(tml_state_create(sys, &y, &err));
    tml_state_copy(y, x);
    for (int i = 0; i < f->l->state_count; i++) {
        const place p = find_place(f, f->l->states[i].name);
        if (p.rate) y->u[p.coordinate] += dx[i];
        else d[p.coordinate] += dx[i];
    }
    sys->ops->retract(sys->self, x->q, d, y->q);
    tml_sim_def def = tml_sim_def_default();
    def.model = f->model;
    def.x0 = y;
    OK(tml_sim_create_def(&def, &sim, &err));
    tml_state_destroy(y, sys);
    return sim;
}

// Deviation of the states of a run from those of f's own run, after a time
static void deviation(const found *f, tml_sim *sim, tml_sim *base, double t, double *out)
{
    const tml_system *sys = tml_model_system(f->model);
    tml_state *x = NULL, *y = NULL;
    double d[64];
    OK(tml_state_create(sys, &x, &err));
    OK(tml_state_create(sys, &y, &err));
    OK(tml_sim_advance_to(base, t, x, &err));
    OK(tml_sim_advance_to(sim, t, y, &err));
    sys->ops->local(sys->self, x->q, y->q, d);
    for (int i = 0; i < f->l->state_count; i++) {
        const place p = find_place(f, f->l->states[i].name);
        out[i] = p.rate ? y->u[p.coordinate] - x->u[p.coordinate] : d[p.coordinate];
    }
    tml_state_destroy(x, sys);
    tml_state_destroy(y, sys);
}

// (x(t) - x(0))/t = A x(0) + O(t): differences of runs at t and 2 t, extrapolated. All x(0) are near the
// units of states, and independent.
static void motion_of_a_simulation(void **state)
{
    (void)state;
    found f = linearize(moving, TML_BEGIN_GIVEN);
    const int N = f.l->state_count;
    assert_false(f.l->rest);
    assert_false(f.l->steady);
    assert_int_equal(N, 8);
    const double h = 1e-3, t = 1e-4;
    double largest = 0;
    for (int i = 0; i < N * N; i++) largest = fmax(largest, fabs(f.l->A[i]));
    for (int k = 0; k < N; k++) {
        double start[64] = {0}, slope[64] = {0};
        for (int sign = 1; sign >= -1; sign -= 2) {
            double none[64] = {0}, dx[64] = {0}, x[3][64];
            dx[k] = sign * h;
            tml_sim *sim = start_near(&f, dx), *base = start_near(&f, none);
            for (int step = 0; step < 3; step++) deviation(&f, sim, base, step * t, x[step]);
            for (int i = 0; i < N; i++) {
                start[i] += sign * x[0][i] / (2 * h);
                slope[i] += sign * (4 * x[1][i] - 3 * x[0][i] - x[2][i]) / (2 * t) / (2 * h);
            }
            tml_sim_destroy(sim);
            tml_sim_destroy(base);
        }
        assert_true(fabs(start[k]) > 0.1);
        for (int i = 0; i < N; i++) {
            double rate = 0;
            for (int j = 0; j < N; j++) rate += f.l->A[i * N + j] * start[j];
            // terms of second order in t and h, round-off 1e-14/(h t)
            CHECK_CLOSE(slope[i], rate, 1e-5 * largest);
        }
    }
    clear(&f);
}

// A spinning rotor in two bearings is steady in inertial axes. Sums of powers of the roots are traces of
// powers of A: translations 2 k/m, tilts It s^2 - i Ip W s + 2 k a^2 = 0, and zeros of the rotation.
static void rotor(void **state)
{
    (void)state;
    enum { N = 12 };
    const double W = 180, m = 3, It = 0.05, Ip = 0.08, k = 2e4, a = 0.4, kt = 2 * k * a * a;
    char text[900];
    snprintf(text, sizeof text,
             "parameters: {k: %g, a: %g}\n"
             "bodies: {disc: {mass: %g, inertia: [%g, %g, %g], angular_velocity: [0, 0, %g],\n"
             "  frames: {left: [0, 0, -a], right: [0, 0, a]}}}\n"
             "forces:\n"
             "  l: {type: applied, at: disc.left, force: [-k*disc.left.x, -k*disc.left.y,\n"
             "      -k*(disc.left.z + a)]}\n"
             "  r: {type: applied, at: disc.right, force: [-k*disc.right.x, -k*disc.right.y,\n"
             "      -k*(disc.right.z - a)]}\n",
             k, a, m, It, It, Ip, W);
    found f = linearize(text, TML_BEGIN_GIVEN);
    assert_true(f.l->steady);
    assert_string_equal(f.l->axes, "inertial axes");
    assert_int_equal(f.l->state_count, N);
    const double root = sqrt(Ip * Ip * W * W + 4 * It * kt), forward = (Ip * W + root) / (2 * It),
                 backward = (root - Ip * W) / (2 * It), w2 = 2 * k / m;
    double square[N * N] = {0}, trace[3] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int q = 0; q < N; q++) square[i * N + j] += f.l->A[i * N + q] * f.l->A[q * N + j];
    for (int i = 0; i < N; i++) {
        trace[0] += f.l->A[i * N + i];
        trace[1] += square[i * N + i];
        for (int j = 0; j < N; j++) trace[2] += square[i * N + j] * square[j * N + i];
    }
    const double second = -2 * (3 * w2 + forward * forward + backward * backward),
                 fourth = 2 * (3 * w2 * w2 + pow(forward, 4) + pow(backward, 4));
    CHECK_SMALL(trace[0], 1e-6);
    CHECK_CLOSE(trace[1], second, 1e-8 * fabs(second));
    CHECK_CLOSE(trace[2], fourth, 1e-8 * fourth);
    clear(&f);
}

// Motion without inertia has no rate.
static void refuses(void **state)
{
    (void)state;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    tml_linear *l = NULL;
    static const char text[] = "planar: true\n"
                               "bodies: {cart: {mass: 0, inertia: 0, position: [1, 0]}}\n"
                               "joints: {rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}}\n"
                               "forces: {s: {type: spring, a: ground, b: cart, stiffness: 3, damping: 1,\n"
                               "  length: 1}}\n"
                               "run: {method: bdf}\n";
    OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err));
    OK(tml_model_build(spec, &model, &err));
    OK(tml_sim_create(model, NULL, &sim, &err));
    assert_int_equal(tml_linear_create(sim, tml_sim_state(sim), &l, &err), TML_ERR_SINGULAR);
    assert_null(l);
    assert_non_null(strstr(err.msg, "1 direction of motion has no inertia"));
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_and_springs),
        cmocka_unit_test(first_order_states),
        cmocka_unit_test(pendulum),
        cmocka_unit_test(motion_of_a_simulation),
        cmocka_unit_test(rotor),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

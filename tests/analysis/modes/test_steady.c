// Small motions beside steady motion: roots against formulas. tests/sim/test_disturbed.c compares with runs.
#include "analysis/check_models.h"

#include <trammel/check.h>

#include <complex.h>

static tml_model *parse(const char *text)
{
    tml_spec *spec = NULL;
    OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, err));
    return build(spec);
}

// The check of a model, which the caller destroys after it.
static tml_check *check_text(const char *format, double value, tml_model **model)
{
    char text[2000];
    tml_check *check = NULL;
    snprintf(text, sizeof text, format, value);
    *model = parse(text);
    OK(tml_check_create(*model, 0, &check, err));
    assert_true(check->has_spectrum);
    return check;
}

// Distance of s from the nearest root.
static double distance(const tml_check *c, double complex s)
{
    double least = INFINITY;
    for (int i = 0; i < c->eigenvalue_count; i++)
        least = fmin(least, cabs(c->eigenvalues[i].re + c->eigenvalues[i].im * I - s));
    return least;
}

static void expect_roots(const char *format, double value, const char *axes, int zeros, int count,
                         const double complex *roots)
{
    tml_model *model = NULL;
    tml_check *c = check_text(format, value, &model);
    assert_true(c->steady);
    assert_false(c->instantaneous);
    if (axes) assert_string_equal(c->axes, axes);
    assert_int_equal(c->zeros, zeros);
    assert_int_equal(c->eigenvalue_count, zeros + 2 * count);
    for (int i = 0; i < count; i++) {
        // C by differences: 1e-9 of the rates; they split double roots by the square root of it
        CHECK_SMALL(distance(c, roots[i]), 1e-6);
        CHECK_SMALL(distance(c, conj(roots[i])), 1e-6);
    }
    tml_check_destroy(c);
    tml_model_destroy(model);
}

// ---- formulas ---------------------------------------------------------------------------------------------

// J s^2 - i J3 w s - m g l = 0 for the tilt x + i y of a sleeping top, J about its tip, in inertial axes.
static void sleeping_top(void **state)
{
    (void)state;
    static const char text[] = "gravity: [0, 0, -1]\n"
                               "bodies: {top: {mass: 1, inertia: [0.75, 0.75, 0.5], position: [0, 0, 1],\n"
                               "               angular_velocity: [0, 0, %.17g]}}\n"
                               "joints: {tip: {type: spherical, a: ground, b: top, point: [0, 0, 0]}}\n";
    const double speeds[] = {6, 9.3, 23.1, 5.1, 1.7};  // the last two are too slow to sleep
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        const double J = 1.75, H = 0.5 * speeds[i], mgl = 1;
        const double complex root = csqrt(H * H - 4 * J * mgl);
        const double complex s[2] = {I * (H + root) / (2 * J), I * (H - root) / (2 * J)};
        expect_roots(text, speeds[i], "inertial axes", 2, 2, s);
    }
}

// J = 1, J3 = 0.5, m g l = 1, w = 6: 0.382i and 2.618i
static void sleeping_top_in_numbers(void **state)
{
    (void)state;
    const double complex s[2] = {0.38196601125010515 * I, 2.6180339887498949 * I};
    expect_roots("gravity: [0, 0, -2]\n"
                 "bodies: {top: {mass: 1, inertia: [0.75, 0.75, 0.5], position: [0, 0, 0.5],\n"
                 "               angular_velocity: [0, 0, %.17g]}}\n"
                 "joints: {tip: {type: spherical, a: ground, b: top, point: [0, 0, 0]}}\n",
                 6, "inertial axes", 2, 2, s);
}

// Nutation of a top in steady precession W at the angle h: the second derivative of its effective potential.
// Precession and spin have two double zeros.
static void precession(void **state)
{
    (void)state;
    const double W = 1.5, h = 0.7, J1 = 1, J3 = 0.5, mgl = 0.5, c = cos(h),
                 w3 = (mgl + J1 * W * W * c) / (J3 * W);
    const double square =
        (4 * J1 * J1 * W * W * c * c - 4 * J1 * J3 * w3 * W * c + J3 * J3 * w3 * w3) / (J1 * J1) +
        W * W * sin(h) * sin(h);
    const double complex s[1] = {I * sqrt(square)};
    expect_roots(
        "parameters: {h: 0.7, W: %.17g, w3: (0.5 + W^2*cos(h))/(0.5*W)}\n"
        "gravity: [0, 0, -1]\n"
        "bodies: {top: {mass: 1, inertia: [0.75, 0.75, 0.5], position: [0.5*sin(h), 0, 0.5*cos(h)],\n"
        "  orientation: {axis: [0, 1, 0], angle: h}, velocity: [0, W*0.5*sin(h), 0],\n"
        "  angular_velocity: [-W*sin(h), 0, w3]}}\n"
        "joints: {tip: {type: spherical, a: ground, b: top, point: [0, 0, 0]}}\n",
        W, "axes that turn with (0, 0, 1.5) rad/s", 4, 1, s);
}

// A conical pendulum, cos h = g/(w^2 l), free: w sqrt(1 + 3 cos^2 h); turned by a motor: w sin h.
static void conical_pendulum(void **state)
{
    (void)state;
    const double w = 4, c = 9.81 / (w * w);
    const double complex free_root[1] = {I * w * sqrt(1 + 3 * c * c)}, driven[1] = {I * w * sqrt(1 - c * c)};
    expect_roots("parameters: {w: %.17g, c: 9.81/w^2, s: sqrt(1 - c^2)}\n"
                 "gravity: [0, 0, -9.81]\n"
                 "bodies: {ball: {mass: 1.3, point: true, position: [s, 0, -c], velocity: [0, w*s, 0]}}\n"
                 "joints: {rod: {type: distance, a: ground, b: ball, length: 1}}\n",
                 w, "axes that turn with (0, 0, 4) rad/s", 2, 1, free_root);
    expect_roots(
        "parameters: {w: %.17g, c: 9.81/w^2, s: sqrt(1 - c^2)}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  shaft: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0, 0, 0.2], angular_velocity: [0, 0, w]}\n"
        "  ball: {mass: 1.3, inertia: 1e-9, position: [s, 0, -c], velocity: [0, w*s, 0],\n"
        "         angular_velocity: [0, 0, w]}\n"
        "joints:\n"
        "  axle: {type: revolute, a: ground, b: shaft, point: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  motor: {type: driver, of: axle.angle, motion: w*t}\n"
        "  hinge: {type: revolute, a: shaft, b: ball, point: [0, 0, 0], axis: [0, 1, 0]}\n",
        w, "axes that turn with (0, 0, 4) rad/s", 0, 1, driven);
}

// A mass in a radial slot of a driven disc, on a spring: s^2 = w^2 - k/m, in a planar model.
static void slot_in_disc(void **state)
{
    (void)state;
    const double w = 5;
    const double complex s[1] = {I * sqrt(100 / 0.7 - w * w)};
    expect_roots(
        "planar: true\n"
        "parameters: {w: %.17g}\n"
        "bodies:\n"
        "  disc: {mass: 1, inertia: 1, position: [0, 0], angular_velocity: w}\n"
        "  slider: {mass: 0.7, inertia: 0.1, position: [1, 0], velocity: [0, w], angular_velocity: w}\n"
        "joints:\n"
        "  axle: {type: revolute, a: ground, b: disc, point: [0, 0]}\n"
        "  motor: {type: driver, of: axle.angle, motion: w*t}\n"
        "  slot: {type: prismatic, a: disc, b: slider, point: [0, 0], axis: [1, 0]}\n"
        "forces: {s: {type: spring, a: disc, b: slider, stiffness: 100, length: 1 - 0.7*w^2/100}}\n",
        w, "axes that turn with (0, 0, 5) rad/s", 0, 1, s);
}

// Two unsymmetric rotors on a gear, with eccentric masses: nothing but the free rotation.
static void geared_rotors(void **state)
{
    (void)state;
    expect_roots(
        "parameters: {w: %.17g}\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.2, 0, 0], velocity: [0, 0.2*w, 0],\n"
        "      angular_velocity: [0, 0, w]}\n"
        "  b: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [1.3, 0.2, 0], velocity: [0, -0.6*w, 0],\n"
        "      angular_velocity: [0, 0, -2*w]}\n"
        "joints:\n"
        "  pa: {type: revolute, a: ground, b: a, point: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  pb: {type: revolute, a: ground, b: b, point: [1, 0.2, 0], axis: [0, 0, 1]}\n"
        "  gear: {type: gear, first: pb.angle, second: pa.angle, ratio: -2}\n",
        3.7, "axes that turn with the bodies", 2, 0, NULL);
}

// A body that falls at the speed at which drag balances its weight: m s = -c1 - 2 c2 v.
static void terminal_velocity(void **state)
{
    (void)state;
    tml_model *model = NULL;
    tml_check *c =
        check_text("gravity: [0, 0, -10]\n"
                   "bodies: {ball: {mass: 2, point: true, position: [0, 0, 0], velocity: [0, 0, %.17g]}}\n"
                   "forces: {air: {type: drag, body: ball, linear: 1, quadratic: 0.5}}\n",
                   (1 - sqrt(1 + 4 * 0.5 * 20)), &model);  // 0.5 v^2 + v = 20
    assert_true(c->steady);
    CHECK_SMALL(distance(c, -(1 + (sqrt(41) - 1)) / 2), 1e-9);
    tml_check_destroy(c);
    tml_model_destroy(model);
}

// A cart that follows a state which moves at a constant rate, by a spring: m s^2 = -k, and the state itself.
static void moving_state(void **state)
{
    (void)state;
    const double complex roots[] = {I * sqrt(3 / 2.0)};
    tml_model *model = NULL;
    tml_check *c = check_text("planar: true\n"
                              "bodies: {cart: {mass: 2, inertia: 1, velocity: [%.17g, 0]}}\n"
                              "joints: {rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}}\n"
                              "states: {lead: {rate: 0.7, start: 0}}\n"
                              "forces: {pull: {type: applied, at: cart, force: ['3*(lead - cart.x)', 0]}}\n",
                              0.7, &model);
    assert_true(c->steady);
    CHECK_SMALL(distance(c, roots[0]), 1e-6);
    tml_check_destroy(c);
    tml_model_destroy(model);
}

// Swinging, accelerated, and periodic coefficients: an unsymmetric rotor in unsymmetric bearings.
static void not_steady(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "planar: true\ngravity: [0, -9.81]\n"
        "bodies: {bob: {mass: 1, inertia: 0.1, position: [0, -1], velocity: [1, 0], angular_velocity: 1}}\n"
        "joints: {pin: {type: revolute, a: ground, b: bob, point: [0, 0]}}\n",
        "planar: true\n"
        "bodies: {disc: {mass: 1, inertia: 1, angular_velocity: 2}}\n"
        "joints: {axle: {type: revolute, a: ground, b: disc, point: [0, 0]}}\n"
        "forces: {motor: {type: torsion, a: ground, b: disc, law: '-0.1'}}\n",
        "bodies:\n"
        "  house: {mass: 2, inertia: [0.3, 0.3, 0.2], position: [0, 0, 0]}\n"
        "  rotor: {mass: 3, inertia: [0.09, 0.13, 0.2], position: [0, 0, 0.4], angular_velocity: [0, 0, "
        "40]}\n"
        "joints:\n"
        "  bearing: {type: revolute, a: house, b: rotor, point: [0, 0, 0.4], axis: [0, 0, 1]}\n"
        "  motor: {type: driver, of: bearing.angle, motion: 40*t}\n"
        "forces:\n"
        "  mount: {type: bushing, a: ground, b: house, stiffness: [1000, 1500, 2000, 300, 300, 200]}\n",
        // steady at this instant alone: the spring stiffens with time
        "planar: true\n"
        "bodies: {cart: {mass: 1, inertia: 1, velocity: [1, 0]}}\n"
        "joints: {rail: {type: prismatic, a: ground, b: cart, point: [0, 0], axis: [1, 0]}}\n"
        "forces: {air: {type: applied, at: cart, force: ['t*(1 - cart.vx)', 0]}}\n",
        // where it is compared, x = 0, 1, 2, the angle is that of steady motion, and so is the acceleration,
        // but at x = 1 it is too fast: x^3 (1 - x)(x - 2)^3 has three zeros at 0 and 2, and at 1 the slope 1
        // and no curvature
        "planar: true\n"
        "parameters: {w: 5, x1: 0.6/(2*w)}\n"  // STEADY_ANGLE at the rate of the motion, 2 w
        "bodies:\n"
        "  disc: {mass: 1, inertia: 1, position: [0, 0], angular_velocity: w}\n"
        "  slider: {mass: 0.7, inertia: 0.1, position: [1, 0], velocity: [0, w], angular_velocity: w}\n"
        "joints:\n"
        "  axle: {type: revolute, a: ground, b: disc, point: [0, 0]}\n"
        "  motor: {type: driver, of: axle.angle, motion: 'w*t + 0.01*(t/x1)^3*(1 - t/x1)*(t/x1 - 2)^3'}\n"
        "  slot: {type: prismatic, a: disc, b: slider, point: [0, 0], axis: [1, 0]}\n"
        "forces: {s: {type: spring, a: disc, b: slider, stiffness: 100, length: 1 - 0.7*w^2/100}}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tml_check *c = NULL;
        tml_model *model = parse(texts[i]);
        OK(tml_check_create(model, 0, &c, err));
        assert_false(c->steady);
        assert_true(c->instantaneous);
        assert_string_equal(c->axes, "");
        tml_check_destroy(c);
        tml_model_destroy(model);
    }
}

// Rest is still rest, also of a stiff model whose equilibrium is written with six digits.
static void stiff_rest(void **state)
{
    (void)state;
    tml_model *model = NULL;
    tml_check *c = check_text(
        "gravity: [0, 0, -9.81]\n"
        "bodies: {mass: {mass: 3, point: true, position: [0, 0, -1.00000]}}\n"
        "joints: {rail: {type: point-on-line, a: ground, b: mass, point: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "forces: {s: {type: spring, a: ground, b: mass, stiffness: %g, length: 1}}\n",
        1e9, &model);
    assert_false(c->steady);
    assert_false(c->instantaneous);
    tml_check_destroy(c);
    tml_model_destroy(model);
}

// ---- systems of callbacks ---------------------------------------------------------------------------------

// A sleigh (Chaplygin): centre of mass at the distance l before a knife edge. q = (x, y, turn); the knife
// allows no velocity across itself. In straight motion with speed v a turn has s = -m l v/(J + m l^2);
// the directions of position and heading are zero roots.
typedef struct sleigh {
    double m, J, l;
} sleigh;

static tml_status sleigh_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q;
    const sleigh *s = user;
    M[0] = M[4] = s->m;
    M[8] = s->J;
    return TML_OK;
}
static tml_status sleigh_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)q, (void)u, (void)f, (void)user;
    return TML_OK;
}
static tml_status sleigh_knife(double t, const double *q, double *B, void *user)
{
    (void)t;
    B[0] = -sin(q[2]);
    B[1] = cos(q[2]);
    B[2] = -((const sleigh *)user)->l;
    return TML_OK;
}

static void chaplygin_sleigh(void **state)
{
    (void)state;
    for (int back = 0; back < 2; back++) {
        sleigh s = {1.7, 0.31, 0.43};
        tml_user_system_def def = tml_user_system_def_default();
        def.n = 3;
        def.m = def.velocity_rows = 1;
        def.mass = sleigh_mass;
        def.force = sleigh_force;
        def.velocity_jacobian = sleigh_knife;
        def.user = &s;
        tml_system *sys = NULL;
        tml_state *x = NULL;
        tml_check *c = NULL;
        OK(tml_system_create_user(&def, NULL, &sys, err));
        OK(tml_state_create(sys, &x, err));
        const double v = back ? -2.3 : 2.3, turn = 0.73;
        x->q[2] = turn;
        x->u[0] = v * cos(turn);
        x->u[1] = v * sin(turn);
        OK(tml_check_create_system(sys, x, &c, err));
        assert_true(c->steady);
        assert_int_equal(c->eigenvalue_count, 5);  // 3 positions, 2 velocities
        assert_int_equal(c->zeros, 4);
        CHECK_SMALL(distance(c, -s.m * s.l * v / (s.J + s.m * s.l * s.l)), 1e-4);  // differences
        tml_check_destroy(c);
        tml_state_destroy(x, sys);
        tml_system_destroy(sys);
    }
}

// A disc that rolls in a steady turn has a fourfold zero root (place of its path and heading aside, two free
// motions that depend on each other), which differences split by up to 1e-5. It is neutral where the
// lean is stable, and the note of growth is that of the lean where it is not.
static void rolling_disc(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: 9.81\n"
        "parameters: {b: %g deg, W: 3, r: 0.3, w3: (W^2*r*sin(b)*cos(b)/4 - 9.81*cos(b))/(1.5*r*W*sin(b))}\n"
        "bodies:\n"
        "  disc:\n"
        "    mass: 1\n"
        "    inertia: [r^2/4, r^2/4, r^2/2]\n"
        "    position: [0, 0, r*sin(b)]\n"
        "    orientation: {axis: [1, 0, 0], angle: b}\n"
        "    angular_velocity: [0, W*sin(b), w3]\n"
        "    velocity: [-r*w3, 0, 0]\n"
        "joints: {contact: {type: wheel, a: ground, b: disc, radius: r}}\n";
    static const double lean[] = {55, 60, 70, 75, 80};
    for (int i = 0; i < 5; i++) {
        tml_model *model = NULL;
        tml_check *c = check_text(text, lean[i], &model);
        double growth = 0;
        bool said = false;
        assert_true(c->steady);
        assert_int_equal(c->zeros, 4);
        for (int k = 0; k < c->eigenvalue_count; k++) growth = fmax(growth, c->eigenvalues[k].re);
        for (int k = 0; k < c->note_count; k++) said = said || strstr(c->notes[k].text, "not stable");
        if (said != (growth > 1e-3)) fail_msg("lean %g deg: growth %g, note %d", lean[i], growth, said);
        assert_true(said == (lean[i] > 72));
        tml_check_destroy(c);
        tml_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleeping_top),      cmocka_unit_test(sleeping_top_in_numbers),
        cmocka_unit_test(precession),        cmocka_unit_test(conical_pendulum),
        cmocka_unit_test(slot_in_disc),      cmocka_unit_test(geared_rotors),
        cmocka_unit_test(terminal_velocity), cmocka_unit_test(moving_state),
        cmocka_unit_test(not_steady),        cmocka_unit_test(stiff_rest),
        cmocka_unit_test(chaplygin_sleigh),  cmocka_unit_test(rolling_disc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

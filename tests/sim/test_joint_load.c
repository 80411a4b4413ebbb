// Friction whose load is the reaction of its joint: analytic motions of a rotor, a block on a slope, a sleeve
// on a shaft and a pendulum, with every family of methods that takes it.
#include "sim_fixture.h"

static const char *const methods[] = {"auto",  "for-sdirk",    "infl-sdirk", "erk8",
                                      "adams", "trust-region", NULL};

#define GRAVITY 9.81

// Methods that a test takes.
static int most(void) { return less_if_slow("all but the first two methods") ? 2 : 100; }

// ---- a rotor in its bearing -------------------------------------------------------------------------------

// The bearing carries m g: it turns slower by mu r m g/I per second, stops after w0 of it and sticks.
static void rotor(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: 9.81\n"
        "bodies: {rotor: {mass: 3, inertia: [0.02, 0.02, 0.031], angular_velocity: [0, 0, 50],\n"
        "  orientation: {axis: [0, 1, 0], angle: 90 deg}}}\n"
        "joints: {pin: {type: revolute, a: ground, b: rotor, axis: [1, 0, 0],\n"
        "  friction: {coefficient: 0.2, radius: 0.02, load: reaction}}}\n"
        "run: {end: 20, output_step: 1, tol: 1e-9}\n";
    const double slower = 0.2 * 0.02 * 3 * GRAVITY / 0.031;
    for (int i = 0, count = most(); methods[i] && i < count; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim = sim_of_text(text, methods[i], 0, &model);
        OK(tml_sim_run(sim, 7, &err));
        CHECK_CLOSE(channel_value(sim, "pin.angle"), 50 * 7 - slower * 7 * 7 / 2, 1e-6);
        CHECK_CLOSE(channel_value(sim, "rotor.wz"), 50 - slower * 7, 1e-6);
        CHECK_CLOSE(channel_value(sim, "pin_friction.force"), slower * 0.031, 1e-8);
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_CLOSE(channel_value(sim, "pin.angle"), 50 * 50 / (2 * slower), 1e-5);
        assert_true(channel_value(sim, "pin_friction.sticks") == 1);
        assert_true(fabs(channel_value(sim, "rotor.wz")) < 1e-12);
        end_sim(sim, model);
    }
}

// ---- a block on a slope -----------------------------------------------------------------------------------

static tml_sim *slope(double angle, const char *method, tml_model **model)
{
    char text[600];
    snprintf(text, sizeof text,
             "parameters: {a: %.17g}\n"
             "gravity: 9.81\n"
             "bodies: {block: {mass: 3, inertia: [1, 1, 1], position: [0.7, 0, 0.2],\n"
             "  orientation: {axis: [0, 1, 0], angle: a}}}\n"
             "joints: {guide: {type: prismatic, a: ground, b: block, point: [0.7, 0, 0.2],\n"
             "  axis: [cos(a), 0, -sin(a)], friction: {coefficient: 0.5, load: reaction}}}\n"
             "run: {end: 1000, output_step: 10, tol: 1e-8}\n",
             angle);
    return sim_of_text(text, method, 0, model);
}

static void block_on_slope(void **state)
{
    (void)state;
    const double limit = atan(0.5);
    for (int i = 0, count = most(); methods[i] && i < count; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim = slope(limit - 1e-6, methods[i], &model);
        const double x0 = tml_sim_state(sim)->q[0], z0 = tml_sim_state(sim)->q[2];
        OK(tml_sim_run(sim, NAN, &err));
        if (strcmp(methods[i], "trust-region") == 0)  // which corrects positions in every step
            assert_true(fabs(tml_sim_state(sim)->q[0] - x0) < 1e-10);
        else
            assert_true(tml_sim_state(sim)->q[0] == x0 && tml_sim_state(sim)->q[2] == z0);  // to the last bit
        end_sim(sim, model);
        const double a = limit + 0.1, way = GRAVITY * (sin(a) - 0.5 * cos(a)) * 2 * 2 / 2;
        sim = slope(a, methods[i], &model);
        OK(tml_sim_run(sim, 2, &err));
        CHECK_CLOSE(channel_value(sim, "guide.distance"), way, 1e-6);
        CHECK_CLOSE(channel_value(sim, "guide_friction.force"), 0.5 * 3 * GRAVITY * cos(a), 1e-7);
        end_sim(sim, model);
    }
}

// ---- a sleeve on a shaft ----------------------------------------------------------------------------------

// Both coordinates of a cylindrical joint, each with its own friction by the load m g.
static void sleeve(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: 9.81\n"
        "bodies: {sleeve: {mass: 2, inertia: [0.1, 0.2, 0.2], velocity: [3, 0, 0],\n"
        "  angular_velocity: [20, 0, 0]}}\n"
        "joints: {shaft: {type: cylindrical, a: ground, b: sleeve, axis: [1, 0, 0],\n"
        "  friction: {coefficient: 0.1, radius: 0.05, load: reaction}}}\n"
        "forces: {slide: {type: friction, of: shaft.distance, coefficient: 0.3, load: reaction}}\n"
        "run: {end: 0.7, output_step: 0.1, tol: 1e-9}\n";
    for (int i = 0, count = most(); methods[i] && i < count; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim = sim_of_text(text, methods[i], 0, &model);
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_CLOSE(channel_value(sim, "sleeve.x"), 3 * 0.7 - 0.3 * GRAVITY * 0.7 * 0.7 / 2, 1e-8);
        const double slower = 0.1 * 0.05 * 2 * GRAVITY / 0.1;
        CHECK_CLOSE(channel_value(sim, "shaft.angle"), 20 * 0.7 - slower * 0.7 * 0.7 / 2, 1e-8);
        end_sim(sim, model);
    }
}

// ---- a pendulum -------------------------------------------------------------------------------------------
//
// Mass m, length l, inertia J about the centre, angle x from the horizontal downwards:
//   (J + m l^2) x'' = m g l cos x - s mu r N,   N = m sqrt((l x'^2 + g sin x)^2 + (l x'' - g cos x)^2)
// The load depends on the acceleration, and the acceleration on the load.

enum { RK_STEPS = 4000 };
static const double M = 2, L = 0.5, J = 0.02, MU = 0.4, R = 0.15;

static double pendulum_acceleration(double x, double v)
{
    double a = 0;
    for (int k = 0; k < 200; k++) {  // a contraction by mu r/l
        const double N = M * hypot(L * v * v + GRAVITY * sin(x), L * a - GRAVITY * cos(x));
        a = (M * GRAVITY * L * cos(x) - MU * R * N) / (J + M * L * L);
    }
    return a;
}

static double pendulum_angle(double t)
{
    const double h = t / RK_STEPS;
    double x = 0, v = 0;
    for (int i = 0; i < RK_STEPS; i++) {
        const double a1 = pendulum_acceleration(x, v), v2 = v + h / 2 * a1,
                     a2 = pendulum_acceleration(x + h / 2 * v, v2), v3 = v + h / 2 * a2,
                     a3 = pendulum_acceleration(x + h / 2 * v2, v3), v4 = v + h * a3,
                     a4 = pendulum_acceleration(x + h * v3, v4);
        x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return x;
}

static void pendulum(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: 9.81\n"
        "bodies: {bob: {mass: 2, inertia: [0.01, 0.02, 0.03], position: [0.5, 0, 0]}}\n"
        "joints: {pin: {type: revolute, a: ground, b: bob, point: [0, 0, 0], axis: [0, 1, 0],\n"
        "  friction: {coefficient: 0.4, radius: 0.15, load: reaction}}}\n"
        "run: {end: 10, output_step: 0.1, tol: 1e-9}\n";
    const double want =
        pendulum_angle(0.45);  // before it turns back; the steps of the test have errors of 1e-13
    for (int i = 0, count = most(); methods[i] && i < count; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim = sim_of_text(text, methods[i], 0, &model);
        OK(tml_sim_run(sim, 0.45, &err));
        const double angle = channel_value(sim, "pin.angle");
        printf("%-12s angle %.1e\n", methods[i], fabs(angle - want));
        CHECK_CLOSE(angle, want, 2e-8);
        OK(tml_sim_run(sim, 3, &err));
        const tml_sim_report r = report_of(sim);
        const double now = r.kinetic + r.potential + r.dissipated;
        CHECK_CLOSE(now, r.energy_start, 1e-6 * r.energy_scale);
        end_sim(sim, model);
    }
}

// ---- a slider-crank ---------------------------------------------------------------------------------------

// Four joints with friction in a closed loop: methods of different kinds agree on the number of the model.
static void slider_crank(void **state)
{
    (void)state;
    tml_model *model = load_model("contact/crank_friction", (tml_parameter){0}, NULL);
    for (int i = 0; methods[i] && i < most(); i++) {
        if (strcmp(methods[i], "trust-region") == 0) continue;  // takes ten times as long
        tml_error err = {0};
        tml_run_def run = *tml_model_run(model);
        run.method = methods[i];
        tml_sim *sim = start_sim(model, &run);
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_CLOSE(channel_value(sim, "main.angle"), 13.174784, 2e-6);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
}

// ---- refusals ---------------------------------------------------------------------------------------------

// A ball drops onto a block that slides on a rail: the rail passes on the impulse P = (1 + e) m w, and its
// friction takes mu P of the momentum; the viscous part has no impulse. Nothing loads the rail otherwise.
static void struck_block(void **state)
{
    (void)state;
    const double m = 2.1, c = 3.3, mu = 0.25, P = 1.5 * 0.4 * 4, hit = 0.05, end = 0.08;
    const double v = 5 * exp(-c * hit / m) - mu * P / m, want = v * exp(-c * (end - hit) / m);
    static const char text[] =
        "planar: true\n"
        "bodies: {block: {mass: 2.1, inertia: 1, velocity: [5, 0]},\n"
        "  ball: {mass: 0.4, inertia: 0.01, position: [0, 0.3], velocity: [4, -4]}}\n"
        "joints: {rail: {type: prismatic, a: ground, b: block, axis: [1, 0], friction:\n"
        "  {coefficient: 0.25, load: reaction, viscous: 3.3}}}\n"
        "shapes: {ball: {type: sphere, radius: 0.1}, top: {type: plane, at: block}}\n"
        "contacts: {hit: {a: ball, b: top, law: rigid, restitution: 0.5}}\n"
        "run: {end: 0.08, tol: 1e-9}\n";
    static const char *const some[] = {"erk8", "ggl-radau5", "for-sdirk"};
    for (int i = 0; i < 3; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim = sim_of_text(text, some[i], 0, &model);
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_CLOSE(channel_value(sim, "ball.vy"), 2, 1e-9);
        CHECK_CLOSE(channel_value(sim, "block.vx"), want, 1e-7);
        end_sim(sim, model);
    }
}

static void refuse(const char *lines, const char *method, const char *message)
{
    char text[900];
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    snprintf(text, sizeof text,
             "bodies:\n"
             "  arm: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n%s",
             lines);
    tml_status st = tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    tml_run_def run = model ? *tml_model_run(model) : tml_run_def_default();
    run.method = method;
    if (st == TML_OK) st = tml_sim_create(model, &run, &sim, &err);
    if (st == TML_OK || !strstr(err.msg, message) || err.line == 0)
        fail_msg("expected '%s', found '%s' in line %d", message, err.msg, err.line);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

static void mistakes(void **state)
{
    (void)state;
#define PIN "joints: {pin: {type: revolute, a: ground, b: arm, point: [0, 0, 0], friction: "
#define LOAD "{coefficient: 0.3, radius: 0.1, load: reaction}}}\n"
    refuse(PIN LOAD, "bdf", "which the method bdf does not compute well enough");
    refuse(PIN LOAD, "genalpha", "use ggl-radau5");
    refuse(PIN "{coulomb: 1, load: reaction}}}\n", "auto", "'load' belongs to 'coefficient'");
    refuse(PIN "{coefficient: 1, load: reaction}}}\n", "auto", "give the 'radius'");
    refuse(PIN "{coefficient: 1, load: -3}}}\n", "auto", "expected a number >= 0");
    refuse(PIN "{coefficient: 1, load: reactoin}}}\n", "auto", "reactoin");
    refuse("forces: {rub: {type: friction, of: arm.x, coefficient: 0.3, load: reaction}}\n", "auto",
           "is not the coordinate of a joint whose reaction is a load");
#undef PIN
#undef LOAD
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(struck_block),   cmocka_unit_test(rotor),
                                       cmocka_unit_test(block_on_slope), cmocka_unit_test(sleeve),
                                       cmocka_unit_test(pendulum),       cmocka_unit_test(slider_crank),
                                       cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Rigid limits with restitution: analytic sequences of bounces, rest and release, loops, friction, mistakes.
#include "bounces.h"

// ---- a mass that bounces ----------------------------------------------------------------------------------

static const char bounce[] = "planar: true\n"
                             "gravity: 9.81\n"
                             "bodies: {ball: {mass: 1.3, inertia: 1, position: [0, 1]}}\n"
                             "joints: {guide: {type: prismatic, a: ground, b: ball, axis: [0, 1],\n"
                             "                 limits: {lower: 0, restitution: 0.8}}}\n"
                             "run: {end: 6, output_step: 0.01}\n";

static void thirty_bounces_then_rest(void **state)
{
    (void)state;
    for (int i = 0; methods[i]; i++) bounce_to_rest(bounce, methods[i], 1, 0, "guide_limit.force");
}

// Without loss it never rests, and between two limits without gravity the times are those of a clock.
static void elastic(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model;
    tml_sim *sim =
        sim_of_text("planar: true\n"
                    "bodies: {ball: {mass: 0.7, inertia: 1, position: [0.3, 0], velocity: [1.7, 0]}}\n"
                    "joints: {guide: {type: prismatic, a: ground, b: ball, axis: [1, 0],\n"
                    "                 limits: {lower: 0, upper: 1, restitution: 1}}}\n"
                    "run: {end: 20, tol: 1e-8}\n",
                    NULL, 0, &model);
    OK(tml_sim_run(sim, 20, &err));
    const double way = fmod(0.3 + 1.7 * 20, 2);
    CHECK_CLOSE(tml_sim_state(sim)->q[0], way < 1 ? way : 2 - way, 1e-10);
    assert_int_equal(report_of(sim).impact_count, (long)(0.3 + 1.7 * 20));
    CHECK_SMALL(report_of(sim).impact_loss, 1e-12);
    end_sim(sim, model);
}

// ---- rest and release -------------------------------------------------------------------------------------

// A mass rests until the lift 3 t^2 passes its weight; then y'' = 3 t^2/m - g.
static void release(void **state)
{
    (void)state;
    for (int i = 0; methods[i]; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim = sim_of_text("planar: true\n"
                                   "gravity: 9.81\n"
                                   "bodies: {ball: {mass: 1.3, inertia: 1}}\n"
                                   "joints: {guide: {type: prismatic, a: ground, b: ball, axis: [0, 1],\n"
                                   "                 limits: {lower: 0, restitution: 0.4}}}\n"
                                   "forces: {lift: {type: applied, at: ball, force: [0, 3*t^2]}}\n"
                                   "run: {end: 3}\n",
                                   methods[i], 1e-9, &model);
        const double b = sqrt(1.3 * G / 3), t = 3;
        OK(tml_sim_run(sim, 2, &err));
        CHECK_SMALL(tml_sim_state(sim)->q[1], 1e-12);
        assert_true(channel_value(sim, "guide_limit.closed") == 1);
        OK(tml_sim_run(sim, 3, &err));
        const double y = (t * t * t * t - b * b * b * b) / (4 * 1.3) - b * b * b * (t - b) / 1.3 -
                         G * (t - b) * (t - b) / 2;
        CHECK_CLOSE(tml_sim_state(sim)->q[1], y, 1e-8);
        assert_int_equal(report_of(sim).impact_count, 0);
        end_sim(sim, model);
    }
}

// Without any load a mass stays where an impact without restitution has stopped it.
static void stops_without_load(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model;
    tml_sim *sim =
        sim_of_text("planar: true\n"
                    "bodies: {ball: {mass: 0.7, inertia: 1, position: [0.3, 0], velocity: [1.7, 0]}}\n"
                    "joints: {guide: {type: prismatic, a: ground, b: ball, axis: [1, 0],\n"
                    "                 limits: {upper: 1, restitution: 0}}}\n"
                    "run: {end: 20, tol: 1e-8}\n",
                    NULL, 0, &model);
    OK(tml_sim_run(sim, 20, &err));
    CHECK_CLOSE(tml_sim_state(sim)->q[0], 1, 1e-14);
    assert_true(tml_sim_state(sim)->u[0] == 0);
    assert_true(report_of(sim).count.steps < 200);
    end_sim(sim, model);
}

// ---- closed loops -----------------------------------------------------------------------------------------

// A parallelogram of bars, one of them redundant, swings against a limit: an impact leaves e^2 of its kinetic
// energy.
static void loop(void **state)
{
    (void)state;
    static const char text[] =
        "planar: true\n"
        "gravity: 9.81\n"
        "parameters: {c: cos(0.9), s: sin(0.9)}\n"
        "defaults: {bodies: {mass: 0.7, inertia: 0.06}}\n"
        "bodies:\n"
        "  left: {position: [-0.5*s, -0.5*c], orientation: -0.9, frames: {top: [0, 0.5], end: [0, -0.5]}}\n"
        "  mid: {position: [1 - 0.5*s, -0.5*c], orientation: -0.9, frames: {top: [0, 0.5], end: [0, -0.5]}}\n"
        "  right: {position: [2 - 0.5*s, -0.5*c], orientation: -0.9, frames: {top: [0, 0.5], end: [0, "
        "-0.5]}}\n"
        "  bar: {mass: 1.1, position: [1 - s, -c], frames: {a: [-1, 0], b: [1, 0]}}\n"
        "ground: {frames: {B: [1, 0], C: [2, 0]}}\n"
        "joints:\n"
        "  A: {type: revolute, a: ground, b: left.top, limits: {upper: -0.2, restitution: 0.6}}\n"
        "  B: {type: revolute, a: ground.B, b: mid.top}\n"
        "  C: {type: revolute, a: ground.C, b: right.top}\n"
        "  D: {type: revolute, a: left.end, b: bar.a}\n"
        "  F: {type: revolute, a: mid.end, b: bar}\n"
        "  H: {type: revolute, a: right.end, b: bar.b}\n"
        "run: {end: 6, tol: 1e-7}\n";
    static const char *const some[] = {"genalpha", "bdf", "radau5", "for-sdirk", "ggl"};
    for (int i = 0; i < 5; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim = sim_of_text(text, some[i], 0, &model);
        const tml_sim_report begin = report_of(sim);
        // at the limit: three bars with their middle at 0.5 of their length, one at the end
        const double limit = -G * cos(0.2) * (3 * 0.7 * 0.5 + 1.1), energy = begin.energy_start - limit;
        long seen = 0;
        for (int k = 1; k <= 60; k++) {
            OK(tml_sim_run(sim, 0.1 * k, &err));
            const tml_sim_report r = report_of(sim);
            const double left = r.kinetic + r.potential - limit;
            CHECK_CLOSE(left / energy, pow(0.36, (double)r.impact_count), 1e-6);
            seen = r.impact_count;
        }
        assert_true(seen >= 3);
        CHECK_SMALL(report_of(sim).energy_error, 1e-6);
        end_sim(sim, model);
    }
}

// ---- with friction ----------------------------------------------------------------------------------------

// A block of 2 kg sticks to the ground by friction of 5 N. A slider of 1 kg runs along it against a stop: an
// impact, which friction, a finite force, does not take up. The velocity of the block is then (1 + e) v/3,
// and it slides until friction has stopped it.
static void friction_has_no_impulse(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model;
    tml_sim *sim =
        sim_of_text("planar: true\n"
                    "bodies:\n"
                    "  block: {mass: 2, inertia: 1}\n"
                    "  slider: {mass: 1, inertia: 1, position: [0.2, 0], velocity: [2.5, 0]}\n"
                    "joints:\n"
                    "  base: {type: prismatic, a: ground, b: block, axis: [1, 0], friction: {coulomb: 5}}\n"
                    "  rail: {type: prismatic, a: block, b: slider, axis: [1, 0],\n"
                    "         limits: {upper: 1, restitution: 0.5}}\n"
                    "run: {end: 1.5, tol: 1e-9}\n",
                    NULL, 0, &model);
    OK(tml_sim_run(sim, 0.3, &err));
    assert_true(tml_sim_state(sim)->q[0] == 0 && channel_value(sim, "base_friction.sticks") == 1);
    OK(tml_sim_run(sim, 1.5, &err));
    const double v = 1.5 * 2.5 / 3, after = 2.5 - 2 * v;  // of block and slider; the slider slides on alone
    CHECK_CLOSE(tml_sim_state(sim)->q[0], v * v / (2 * 2.5), 1e-9);
    CHECK_CLOSE(tml_sim_state(sim)->u[3], after, 1e-9);
    assert_int_equal(report_of(sim).impact_count, 1);
    assert_true(channel_value(sim, "base_friction.sticks") == 1);
    end_sim(sim, model);
}

// A mass on a slope with friction along the same coordinate: it bounces, rests against its stop, and stays.
static void friction_along_the_same_coordinate(void **state)
{
    (void)state;
    for (int weak = 0; weak < 2; weak++) {
        tml_error err = {0};
        tml_model *model;
        char text[500];
        snprintf(text, sizeof text,
                 "planar: true\n"
                 "gravity: 9.81\n"
                 "bodies: {block: {mass: 1.3, inertia: 1, position: [0, 0.4], velocity: [0, -1]}}\n"
                 "joints: {guide: {type: prismatic, a: ground, b: block, axis: [0, 1],\n"
                 "         friction: {coulomb: %d}, limits: {lower: 0, restitution: 0.5}}}\n"
                 "run: {end: 3, tol: 1e-8}\n",
                 weak ? 4 : 12);
        tml_sim *sim = sim_of_text(text, NULL, 0, &model);
        OK(tml_sim_run(sim, 3, &err));
        CHECK_SMALL(tml_sim_state(sim)->u[1], 1e-14);
        CHECK_SMALL(tml_sim_state(sim)->q[1], 1e-12);
        assert_true(report_of(sim).count.steps < 2000);
        end_sim(sim, model);
    }
}

// Friction holds what rests at a limit, on a body that turns so fast that its rate is 0 but for round-off:
// the limit is struck once and stays closed, without a force.
static void held_by_friction(void **state)
{
    (void)state;
    const char *const some[] = {"radau5", "ggl-radau5", "bdf", "erk8"};
    for (int i = 0; i < 4; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim =
            sim_of_text("bodies:\n"
                        "  a: {mass: 1, inertia: [1, 2, 2.5], angular_velocity: [1000, 700, 500]}\n"
                        "  b: {mass: 0.01, inertia: [0.02, 0.01, 0.03], angular_velocity: [700, 700, 500]}\n"
                        "joints:\n"
                        "  pivot: {type: spherical, a: ground, b: a}\n"
                        "  hinge: {type: revolute, a: a, b: b, axis: [1, 0, 0], friction: {coulomb: 2e4},\n"
                        "          limits: {lower: -0.02, restitution: 0}}\n"
                        "run: {end: 0.01, tol: 1e-6}\n",
                        some[i], 0, &model);
        OK(tml_sim_run(sim, NAN, &err));
        assert_int_equal(report_of(sim).impact_count, 1);
        CHECK_CLOSE(channel_value(sim, "hinge.angle"), -0.02, 1e-9);
        assert_true(channel_value(sim, "hinge_limit.closed") == 1);
        assert_true(channel_value(sim, "hinge_limit.force") == 0);
        assert_true(channel_value(sim, "hinge_friction.sticks") == 1);
        end_sim(sim, model);
    }
}

// The same on a wheel, until at 1.9 s the torque 1.3 - 4 (t - 1) is beyond the friction and turns it away.
static void friction_lets_go(void **state)
{
    (void)state;
    for (int i = 0; methods[i]; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim =
            sim_of_text("planar: true\n"
                        "bodies: {wheel: {mass: 1, inertia: 1, angular_velocity: 0.7}}\n"
                        "joints: {hub: {type: revolute, a: ground, b: wheel, friction: {coulomb: 2.3},\n"
                        "               limits: {upper: 0.2, restitution: 0}}}\n"
                        "forces: {push: {type: applied, at: wheel, torque: '1.3 - 4*max(t - 1, 0)'}}\n"
                        "run: {end: 2.9, tol: 1e-6}\n",
                        methods[i], 0, &model);
        OK(tml_sim_run(sim, 1.8, &err));
        CHECK_CLOSE(channel_value(sim, "hub_friction.force"), 1.3 - 4 * 0.8, 1e-9);
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_CLOSE(channel_value(sim, "hub.angle"), 0.2 - 4.0 / 6, 1e-4);
        assert_true(channel_value(sim, "hub_limit.closed") == 0);
        end_sim(sim, model);
    }
}

// A hinge with a limit and friction, of a wheel that is 1e-6 to 1e5 m large: its rows are of angles. It
// strikes at sqrt(0.7^2 - 2*0.2) = 0.3 rad/s, returns at half of it, and stops.
static void any_size(void **state)
{
    (void)state;
    const double inertia[] = {1e-12, 1, 1e6, 1e10};
    for (int i = 0; i < 4 * 3; i++) {
        const double J = inertia[i % 4];
        const char *const some[] = {"radau5", "bdf", "erk5"};
        char text[500];
        tml_error err = {0};
        tml_model *model;
        snprintf(text, sizeof text,
                 "planar: true\n"
                 "bodies: {wheel: {mass: 1, inertia: %g, angular_velocity: 0.7}}\n"
                 "joints: {hub: {type: revolute, a: ground, b: wheel, friction: {coulomb: %g},\n"
                 "               limits: {upper: 0.2, restitution: 0.5}}}\n"
                 "forces: {push: {type: applied, at: wheel, torque: %g}}\n"
                 "run: {end: 2}\n",
                 J, 2.3 * J, 1.3 * J);
        tml_sim *sim = sim_of_text(text, some[i / 4], 0, &model);
        for (int k = 0; k < 2000 && tml_sim_time(sim) < 2; k++) OK(tml_sim_step(sim, 2, &err));
        assert_true(tml_sim_time(sim) == 2);
        CHECK_CLOSE(channel_value(sim, "hub.angle"), 0.2 - 0.15 * 0.15 / (2 * 3.6), 1e-6);
        CHECK_SMALL(channel_value(sim, "hub.rate"), 1e-12);
        end_sim(sim, model);
    }
}

// ---- many limits ------------------------------------------------------------------------------------------

// Three bars with limits at every joint, thrown at random: the energy never grows, and no run hangs.
static void energy_never_grows(void **state)
{
    (void)state;
    rng r = rng_seed(17);
    const int runs = less_if_slow("random throws") ? 3 : 25;
    for (int i = 0; i < runs; i++) {
        tml_error err = {0};
        tml_model *model;
        char text[1500];
        const double e = i % 5 == 0 ? 0 : rng_range(&r, 0, 1);
        snprintf(
            text, sizeof text,
            "planar: true\n"
            "gravity: 9.81\n"
            "defaults: {bodies: {mass: 0.7, inertia: 0.06}}\n"
            "bodies:\n"
            "  one: {position: [0, -0.5], angular_velocity: %.6f, frames: {a: [0, 0.5], b: [0, -0.5]}}\n"
            "  two: {position: [0, -1.5], angular_velocity: %.6f, frames: {a: [0, 0.5], b: [0, -0.5]}}\n"
            "  three: {position: [0, -2.5], angular_velocity: %.6f, frames: {a: [0, 0.5], b: [0, -0.5]}}\n"
            "joints:\n"
            "  A: {type: revolute, a: ground, b: one.a, limits: {lower: -0.6, upper: 0.5, restitution: "
            "%.4f}}\n"
            "  B: {type: revolute, a: one.b, b: two.a, limits: {lower: -0.4, upper: 0.7, restitution: "
            "%.4f}}\n"
            "  C: {type: revolute, a: two.b, b: three.a, limits: {lower: 0, restitution: %.4f}}\n"
            "run: {end: 2, tol: 1e-6}\n",
            rng_range(&r, -4, 4), rng_range(&r, -4, 4), rng_range(&r, -4, 4), e, e, rng_range(&r, 0, 1));
        tml_sim *sim = sim_of_text(text, methods[i % 5], 0, &model);
        double last = report_of(sim).energy_start;
        for (int k = 1; k <= 20; k++) {
            OK(tml_sim_run(sim, 0.1 * k, &err));
            const tml_sim_report now = report_of(sim);
            const double energy = now.kinetic + now.potential;
            if (energy > last + 2e-4) fail_msg("run %d: energy grows from %.9g to %.9g J", i, last, energy);
            last = energy;
            for (int j = 0; j < 3; j++) {
                static const char *const angles[3] = {"A.angle", "B.angle", "C.angle"};
                static const double lower[3] = {-0.6, -0.4, 0}, upper[3] = {0.5, 0.7, 100};
                const double x = channel_value(sim, angles[j]);
                if (x < lower[j] - 1e-6 || x > upper[j] + 1e-6)
                    fail_msg("run %d: %s = %.9g", i, angles[j], x);
            }
        }
        assert_true(report_of(sim).impact_count > 0);
        if (report_of(sim).energy_error > 1e-3)
            fail_msg("run %d (%s): energy error %g\n%s", i, methods[i % 5], report_of(sim).energy_error,
                     text);
        end_sim(sim, model);
    }
}

// ---- saving -----------------------------------------------------------------------------------------------

static void saved_between_bounces(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model;
    double q[2];
    tml_sim *sim = sim_of_text(bounce, "radau5", 1e-6, &model), *other = NULL;
    OK(tml_sim_run(sim, 2, &err));
    OK(tml_sim_save(sim, "bounce.sim", &err));
    OK(tml_sim_load(model, "bounce.sim", &other, &err));
    remove("bounce.sim");
    for (int i = 0; i < 2; i++) {
        OK(tml_sim_run(i == 0 ? sim : other, 3.3, &err));
        q[i] = tml_sim_state(i == 0 ? sim : other)->q[1];
    }
    assert_true(q[0] == q[1] && q[0] > 0);
    assert_int_equal(report_of(sim).impact_count, report_of(other).impact_count);
    tml_sim_destroy(sim);
    tml_sim_destroy(other);
    tml_model_destroy(model);
}

// ---- mistakes ---------------------------------------------------------------------------------------------

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *limits, *says;
    } wrong[] = {
        {"{lower: 0, restitution: -0.1}", "restitution"},
        {"{lower: 0, restitution: 1.1}", "restitution"},
        {"{lower: 0}", "neither 'stiffness' (compliant) nor 'restitution' (rigid)"},
        {"{lower: 0, restitution: 0.5, stiffness: 10}", "both 'restitution' (rigid) and 'stiffness'"},
        {"{lower: 0, restitution: 0.5, damping: 10}", "both 'restitution' (rigid) and 'damping'"},
        {"{restitution: 0.5}", "neither 'lower' nor 'upper'"},
        {"{lower: 0.4, restitution: 0.5}", "starts at 0.3, beyond its limit 0.4 by 0.1"},
        {"{upper: 0.5, restitution: 0.5}", "do not let it stop"},
        {"{upper: 0.5, restitution: 0.5}", "switches must be on"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[600];
        tml_error err = {0};
        tml_spec *spec = NULL;
        tml_model *model = NULL;
        tml_sim *sim = NULL;
        const bool driven = strstr(wrong[i].says, "stop"), off = strstr(wrong[i].says, "switches");
        snprintf(text, sizeof text,
                 "planar: true\n"
                 "bodies: {b: {mass: 1, inertia: 1, position: [0.3, 0], velocity: [1, 0]}}\n"
                 "joints:\n"
                 "  guide: {type: prismatic, a: ground, b: b, axis: [1, 0], limits: %s}\n%s"
                 "run: {end: 2%s}\n",
                 wrong[i].limits,
                 driven ? "  drive: {type: driver, of: guide.distance, motion: 0.3 + t}\n" : "",
                 off ? ", switches: false" : "");
        tml_status st = tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err);
        if (st == TML_OK) st = tml_model_build(spec, &model, &err);
        if (st == TML_OK) st = tml_sim_create(model, NULL, &sim, &err);
        if (st == TML_OK) st = tml_sim_run(sim, 2, &err);
        if (st == TML_OK || !strstr(err.msg, wrong[i].says)) fail_msg("%s: %s", wrong[i].limits, err.msg);
        if (!driven && !off) assert_int_equal(err.line, 4);
        tml_sim_destroy(sim);
        tml_model_destroy(model);
        tml_spec_destroy(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thirty_bounces_then_rest),
        cmocka_unit_test(elastic),
        cmocka_unit_test(release),
        cmocka_unit_test(stops_without_load),
        cmocka_unit_test(loop),
        cmocka_unit_test(friction_has_no_impulse),
        cmocka_unit_test(friction_along_the_same_coordinate),
        cmocka_unit_test(held_by_friction),
        cmocka_unit_test(friction_lets_go),
        cmocka_unit_test(any_size),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(saved_between_bounces),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

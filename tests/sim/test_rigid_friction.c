// Rigid contacts with friction: impacts that slide and stick, from slip to rolling, a box on a slope, both
// laws of impact, no energy from anywhere.
#include "sim_fixture.h"

static const char *const methods[] = {"auto", "for-sdirk", "erk8", NULL};

#define GRAVITY 9.81

// ---- a ball -----------------------------------------------------------------------------------------------

// It falls from 1 m with the speed vx. The impulse of friction is mu times that of the normal, or 2/7 of the
// momentum of slip, which ends it.
static void impact_of_ball(void **state)
{
    (void)state;
    static const char *const laws[] = {"newton", "poisson"};
    const double m = 2, r = 0.1, J = 0.4 * m * r * r, e = 0.5, vx = 3, vn = sqrt(2 * GRAVITY);
    for (int i = 0, count = less_if_slow("two of three methods") ? 4 : 12; i < count; i++) {
        char text[700];
        tml_error err = {0};
        tml_model *model;
        const double mu = i % 2 ? 0.9 : 0.07, slide = mu * m * (1 + e) * vn, stick = m * vx * 2 / 7,
                     impulse = fmin(slide, stick);
        snprintf(text, sizeof text,
                 "gravity: 9.81\n"
                 "bodies: {ball: {mass: 2, inertia: 0.008, position: [0, 0, 1.1], velocity: [3, 0, 0]}}\n"
                 "shapes: {ball: {type: sphere, radius: 0.1}, floor: {type: plane, at: ground}}\n"
                 "contacts: {hit: {a: ball, b: floor, law: rigid, impact: %s, restitution: 0.5,\n"
                 "  friction: {coefficient: %g}}}\n"
                 "run: {end: 0.6, output_step: 0.1, tol: 1e-9}\n",
                 laws[i / 2 % 2], mu);
        tml_sim *sim = sim_of_text(text, methods[i / 4], 0, &model);
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_CLOSE(channel_value(sim, "ball.vx"), vx - impulse / m, 1e-9);
        CHECK_CLOSE(channel_value(sim, "ball.wy"), impulse * r / J, 1e-8);
        const double t = 0.6 - vn / GRAVITY;
        CHECK_CLOSE(channel_value(sim, "ball.vz"), e * vn - GRAVITY * t, 1e-9);
        assert_int_equal(report_of(sim).impact_count, 1);
        CHECK_CLOSE(report_of(sim).kinetic + report_of(sim).potential + report_of(sim).dissipated,
                    report_of(sim).energy_start, 1e-8 * report_of(sim).energy_scale);
        end_sim(sim, model);
    }
}

// On the floor it slips until 2 s/(7 mu g), with s its velocity of slip, whose direction stays; then it
// rolls.
static void rolls(void **state)
{
    (void)state;
    const double sx = 3 - 0.7, sy = 1.5, s = hypot(sx, sy), a = 0.2 * GRAVITY, stop = 2 * s / (7 * a),
                 ax = -a * sx / s, ay = -a * sy / s, rest = 2 - stop;
    for (int i = 0; methods[i]; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim = sim_of_text(
            "gravity: 9.81\n"
            "bodies: {ball: {mass: 2, inertia: 0.008, position: [0, 0, 0.1], velocity: [3, 0, 0],\n"
            "  angular_velocity: [15, 7, 3]}}\n"
            "shapes: {ball: {type: sphere, radius: 0.1}, floor: {type: plane, at: ground}}\n"
            "contacts: {hit: {a: ball, b: floor, law: rigid, restitution: 0.5,\n"
            "  friction: {coefficient: 0.2}}}\n"
            "run: {end: 2, output_step: 0.1, tol: 1e-8}\n",
            methods[i], 0, &model);
        OK(tml_sim_run(sim, stop - 0.01, &err));
        CHECK_CLOSE(channel_value(sim, "hit.friction"), 0.2 * 2 * GRAVITY, 1e-6);
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_CLOSE(channel_value(sim, "ball.x"), 3 * stop + ax * stop * stop / 2 + rest * (3 + ax * stop),
                    2e-7);
        CHECK_CLOSE(channel_value(sim, "ball.y"), ay * stop * stop / 2 + rest * ay * stop, 2e-7);
        CHECK_SMALL(channel_value(sim, "hit.friction"), 1e-7);  // a ball that rolls needs none
        CHECK_CLOSE(channel_value(sim, "hit.force"), 2 * GRAVITY, 1e-9);
        end_sim(sim, model);
    }
}

// The angular momentum about the point of contact stays, in impacts too.
static void skids(void **state)
{
    (void)state;
    tml_model *model = load_model("contact/skidding_ball", (tml_parameter){0}, NULL);
    for (int i = 0; methods[i]; i++) {
        tml_error err = {0};
        tml_run_def run = *tml_model_run(model);
        run.method = methods[i];
        tml_sim *sim = start_sim(model, &run);
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_CLOSE(channel_value(sim, "ball.vx"), -6.0 / 7, 1e-8);
        CHECK_CLOSE(channel_value(sim, "ball.x"), -1.917744, 1e-6);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
}

// ---- a box on a slope -------------------------------------------------------------------------------------

// Four corners carry it; three of their rows are independent.
static void box_on_slope(void **state)
{
    (void)state;
    for (int i = 0, count = less_if_slow("all but one method") ? 1 : 3; i < count; i++)
        for (int slides = 0; slides < 2; slides++) {
            char text[600];
            tml_error err = {0};
            tml_model *model;
            const double a = slides ? 0.6 : 0.4;  // the angle of friction is 0.464
            snprintf(text, sizeof text,
                     "gravity: [9.81*sin(%g), 0, -9.81*cos(%g)]\n"
                     "bodies: {block: {mass: 2, inertia: [0.0217, 0.0333, 0.0417], position: [0, 0, 0.1]}}\n"
                     "shapes: {block: {type: box, size: [0.4, 0.3, 0.2]}, slope: {type: plane, at: ground}}\n"
                     "contacts: {support: {a: block, b: slope, law: rigid, restitution: 0.2,\n"
                     "  friction: {coefficient: 0.5}}}\n"
                     "run: {end: 3, output_step: 0.1, tol: 1e-8}\n",
                     a, a);
            tml_sim *sim = sim_of_text(text, methods[i], 0, &model);
            OK(tml_sim_run(sim, NAN, &err));
            const double way = slides ? GRAVITY * (sin(a) - 0.5 * cos(a)) * 3 * 3 / 2 : 0;
            CHECK_CLOSE(channel_value(sim, "block.x"), way, slides ? 1e-9 : 1e-15);
            CHECK_CLOSE(channel_value(sim, "support.force"), 2 * GRAVITY * cos(a), 1e-9);
            end_sim(sim, model);
        }
}

// ---- a rod ------------------------------------------------------------------------------------------------

// A rod of the mass m, inertia J about its centre, strikes with its end at (x, y) from the centre, with the
// velocities vn down and vt along the floor. The inverse inertia of its end is
//   A = 1/m + x^2/J (normal),  B = x y/J up to the sign (coupling),  C = 1/m + y^2/J (along the floor)
// The end sticks. Newton: A Ln - B Lt = (1 + e) vn, -B Ln + C Lt = -vt. Poisson: Ln is 1 + e times that of
// e = 0, then Lt from the second equation.
static void rod(void **state)
{
    (void)state;
    const double m = 1, J = 0.0833, e = 0.7, angle = 0.9, l = 0.5, x = -l * cos(angle),
                 y = -l * sin(angle) - 0.02, vt = 0.3;
    const double A = 1 / m + x * x / J, B = x * y / J, C = 1 / m + y * y / J;
    for (int poisson = 0; poisson < 2; poisson++) {
        char text[700];
        tml_error err = {0};
        tml_model *model;
        snprintf(text, sizeof text,
                 "planar: true\n"
                 "bodies: {rod: {mass: 1, inertia: 0.0833, position: [0, 1], orientation: 0.9,\n"
                 "  velocity: [0.3, -2]}}\n"
                 "shapes: {rod: {type: capsule, radius: 0.02, length: 1}, floor: {type: plane, at: ground}}\n"
                 "contacts: {hit: {a: rod, b: floor, law: rigid, impact: %s, restitution: 0.7,\n"
                 "  friction: {coefficient: 3}}}\n"
                 "run: {end: 0.4, tol: 1e-9}\n",
                 poisson ? "poisson" : "newton");
        const double vn = 2, det = A * C - B * B;
        double Ln = (C * (1 + e) * vn - B * vt) / det, Lt = (-A * vt + B * (1 + e) * vn) / det;
        if (poisson) {
            Ln = (1 + e) * (C * vn - B * vt) / det;
            Lt = (-vt + B * Ln) / C;
        }
        assert_true(fabs(Lt) < 3 * Ln);  // within the cone
        tml_sim *sim = sim_of_text(text, "erk8", 0, &model);
        OK(tml_sim_run(sim, NAN, &err));
        assert_int_equal(report_of(sim).impact_count, 1);
        CHECK_CLOSE(channel_value(sim, "rod.vx"), vt + Lt / m, 1e-9);
        CHECK_CLOSE(channel_value(sim, "rod.vy"), -vn + Ln / m, 1e-9);
        CHECK_CLOSE(channel_value(sim, "rod.wz"), (x * Ln - y * Lt) / J, 1e-8);
        end_sim(sim, model);
    }
}

// The same rod with a small coefficient: its end slides back after the impact, in whatever direction it slid
// before, because the stick that would stop it is not within the cone. r_N = (1 + e) vn/(A - mu B).
static void rod_slides_back(void **state)
{
    (void)state;
    const double m = 1, J = 0.0833, e = 0.5, angle = 0.9, l = 0.5, x = -l * cos(angle),
                 y = -l * sin(angle) - 0.02, vn = 2;
    const double A = 1 / m + x * x / J, B = x * y / J, C = 1 / m + y * y / J;
    static const double slip[] = {0.3, 0, -0.4}, coefficient[] = {0.1, 0.3};
    for (int i = 0; i < 6; i++) {
        char text[700];
        tml_error err = {0};
        tml_model *model;
        const double vt = slip[i / 2], mu = coefficient[i % 2];
        snprintf(text, sizeof text,
                 "planar: true\n"
                 "bodies: {rod: {mass: 1, inertia: 0.0833, position: [0, 1], orientation: 0.9,\n"
                 "  velocity: [%g, -2]}}\n"
                 "shapes: {rod: {type: capsule, radius: 0.02, length: 1}, floor: {type: plane, at: ground}}\n"
                 "contacts: {hit: {a: rod, b: floor, law: rigid, restitution: 0.5,\n"
                 "  friction: {coefficient: %g}}}\n"
                 "run: {end: 0.4, tol: 1e-9}\n",
                 vt, mu);
        const double Ln = (1 + e) * vn / (A - mu * B), Lt = mu * Ln;
        assert_true(vt - B * Ln + C * Lt < 0);  // against the friction
        tml_sim *sim = sim_of_text(text, "erk8", 0, &model);
        OK(tml_sim_run(sim, NAN, &err));
        assert_int_equal(report_of(sim).impact_count, 1);
        CHECK_CLOSE(channel_value(sim, "rod.vx"), vt + Lt / m, 1e-9);
        CHECK_CLOSE(channel_value(sim, "rod.vy"), -vn + Ln / m, 1e-9);
        CHECK_CLOSE(channel_value(sim, "rod.wz"), (x * Ln - y * Lt) / J, 1e-8);
        CHECK_CLOSE(channel_value(sim, "hit.impulse"), Ln, 1e-9);
        end_sim(sim, model);
    }
}

// A block slides on a plate that a driver suddenly moves up at 1 m/s: the impulse m 1 m/s takes up to mu
// 1 m/s of its speed, and nothing once it has come to rest.
static void lifted(void **state)
{
    (void)state;
    static const double speed[] = {0.25, 0.4, 0.9, 1.4};
    static const char *const some[] = {"erk8", "ggl-radau5", "for-sdirk"};
    for (int i = 0; i < 12; i++) {
        const double v0 = speed[i % 4], v = v0 - 0.3 * 9.81 * 0.05, left = fmax(v - 0.3, 0);
        char text[900];
        tml_error err = {0};
        tml_model *model;
        snprintf(text, sizeof text,
                 "planar: true\n"
                 "gravity: 9.81\n"
                 "bodies: {plate: {mass: 5, inertia: 1},\n"
                 "  block: {mass: 2, inertia: 0.1, position: [0, 0.1], velocity: [%g, 0]}}\n"
                 "joints:\n"
                 "  rail: {type: prismatic, a: ground, b: plate, axis: [0, 1]}\n"
                 "  lift: {type: driver, of: rail.distance, motion: 'if(t < 0.05, 0, t - 0.05)'}\n"
                 "shapes: {block: {type: box, size: [0.8, 0.2]}, floor: {type: plane, at: plate}}\n"
                 "contacts: {hit: {a: block, b: floor, law: rigid, restitution: 0,\n"
                 "  friction: {coefficient: 0.3}}}\n"
                 "run: {end: 0.06, tol: 1e-7, output_step: 0.01}\n",
                 v0);
        tml_sim *sim = sim_of_text(text, some[i / 4], 0, &model);
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_CLOSE(channel_value(sim, "block.vx"), fmax(left - 0.3 * 9.81 * 0.01, 0), 1e-5);
        CHECK_CLOSE(channel_value(sim, "block.vy"), 1, 1e-6);
        CHECK_CLOSE(channel_value(sim, "plate.vy"), 1, 1e-6);
        CHECK_CLOSE(channel_value(sim, "block.y"), 0.11, 1e-6);
        end_sim(sim, model);
    }
}

// Rods and balls that are thrown never gain energy, and never sink.
static void throws(void **state)
{
    (void)state;
    rng r = rng_seed(53);
    const int count = less_if_slow("most throws") ? 3 : 60;
    for (int i = 0; i < count; i++) {
        char text[900];
        tml_error err = {0};
        tml_model *model;
        snprintf(text, sizeof text,
                 "planar: true\n"
                 "gravity: 9.81\n"
                 "bodies: {b: {mass: 1, inertia: 0.0833, position: [0, %g], orientation: %g,\n"
                 "  velocity: [%g, %g], angular_velocity: %g}}\n"
                 "shapes: {b: {type: %s}, floor: {type: plane, at: ground}}\n"
                 "contacts: {hit: {a: b, b: floor, law: rigid, impact: %s, restitution: %g,\n"
                 "  friction: {coefficient: %g}}}\n"
                 "run: {end: 2, tol: 1e-7, output_step: 0.02}\n",
                 rng_range(&r, 0.7, 1.5), rng_range(&r, -3, 3), rng_range(&r, -4, 4), rng_range(&r, -2, 2),
                 rng_range(&r, -9, 9), i % 3 ? "capsule, radius: 0.02, length: 1" : "sphere, radius: 0.2",
                 i % 2 ? "newton" : "poisson", rng_range(&r, 0, 0.95), rng_range(&r, 0.05, 1.2));
        tml_sim *sim = sim_of_text(text, i % 2 ? "erk8" : "auto", 0, &model);
        double before = INFINITY, after;
        for (int k = 1; k <= 100; k++, before = after) {
            OK(tml_sim_run(sim, 0.02 * k, &err));
            after = channel_value(sim, "energy.kinetic") + channel_value(sim, "energy.potential");
            if (!(after < before + 1e-5))
                fail_msg("throw %d gains %g J at %g s", i, after - before, 0.02 * k);
            assert_true(channel_value(sim, "hit.gap") > -1e-6);
        }
        const tml_sim_report report = report_of(sim);
        CHECK_CLOSE(report.kinetic + report.potential + report.dissipated, report.energy_start,
                    1e-5 * report.energy_scale);
        end_sim(sim, model);
    }
}

// ---- mistakes ---------------------------------------------------------------------------------------------

static void refuse(const char *contact, const char *method, const char *message)
{
    char text[900];
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    snprintf(text, sizeof text,
             "bodies: {a: {mass: 1, inertia: 0.1, position: [0, 0, 2]},\n"
             "         b: {mass: 1, inertia: 0.1, position: [2, 0, 2]}}\n"
             "shapes: {a: {type: sphere, radius: 0.1}, b: {type: sphere, radius: 0.1},\n"
             "         floor: {type: plane, at: ground}}\n"
             "contacts: {hit: {%s}}\n",
             contact);
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

// A rod slides on its tip until it jams (P. Painleve, 1895): its normal force times
// 1 + 3 c (c - mu (s + r)) is g - w^2 s, both with c and s of its angle, and both become 0 at 0.00933 s. What
// follows is not determined: a method that goes on there with any of the motions is wrong.
static void jams(void **state)
{
    (void)state;
    const char *const some[] = {"auto", "ggl-radau5", "erk8"};
    const double angle = 0.854888536015894, w = -0.325151445149646, v = -16.971493267061273;
    for (int i = 0; i < 3; i++) {
        char text[800];
        tml_error err = {0};
        tml_model *model;
        snprintf(
            text, sizeof text,
            "planar: true\n"
            "gravity: 9.81\n"
            "bodies: {rod: {mass: 1, inertia: 0.3333, position: [%.17g, %.17g], orientation: %.17g,\n"
            "               velocity: [%.17g, %.17g], angular_velocity: %.17g,\n"
            "               frames: {tip: [-1, 0]}}}\n"
            "shapes: {tip: {type: sphere, at: rod.tip, radius: 0.01}, floor: {type: plane, at: ground}}\n"
            "contacts: {rub: {a: tip, b: floor, law: rigid, restitution: 0,\n"
            "                 friction: {coefficient: 1.5}}}\n"
            "run: {end: 0.6}\n",
            cos(angle), sin(angle) + 0.01, angle, v - w * sin(angle), w * cos(angle), w);
        tml_sim *sim = sim_of_text(text, some[i], 0, &model);
        assert_int_equal(tml_sim_run(sim, NAN, &err), TML_ERR_STEP);
        assert_non_null(strstr(err.msg, "locks itself"));
        CHECK_CLOSE(tml_sim_time(sim), 0.00933, 2e-5);
        end_sim(sim, model);
    }
}

static void mistakes(void **state)
{
    (void)state;
#define RIGID "a: a, b: floor, law: rigid, restitution: 0.3, "
    refuse(RIGID "friction: {law: lugre, coefficient: 0.2}", NULL, "has the law coulomb");
    refuse(RIGID "friction: {coulomb: 2}", NULL, "lacks the key 'coefficient'");
    refuse(RIGID "friction: {coefficient: 0.2, stribeck: 0.1}", NULL, "has the key 'coefficient' alone");
    refuse(RIGID "friction: {coefficient: -0.2}", NULL, "expected a number >= 0");
    refuse(RIGID "impact: poison", NULL, "poisson");
    refuse(RIGID "friction: {coefficient: 0.2}", "bdf", "the method bdf does not compute well enough");
    refuse("a: a, b: b, law: rigid, restitution: 0.3, friction: {coefficient: 0.2}", NULL,
           "have no rigid contact with friction");
    refuse("a: a, b: floor, stiffness: 1e5, impact: poisson", NULL, "'impact' belongs to the law rigid");
#undef RIGID
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impact_of_ball), cmocka_unit_test(rolls),  cmocka_unit_test(skids),
        cmocka_unit_test(box_on_slope),   cmocka_unit_test(rod),    cmocka_unit_test(rod_slides_back),
        cmocka_unit_test(throws),         cmocka_unit_test(lifted), cmocka_unit_test(jams),
        cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

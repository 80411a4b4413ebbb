// Counted angles follow the integrated motion, however many turns a step makes, at steps, outputs, events and
// discontinuities; joints stay on their branch.
#include "sim_fixture.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

typedef struct setting {
    const char *method;
    tml_kinematics kinematics;
    tml_group group;
} setting;

static const setting settings[] = {
    {"genalpha", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"genalpha", TML_KINEMATICS_JOINTS, TML_GROUP_R3SO3},
    {"genalpha", TML_KINEMATICS_AUTO, TML_GROUP_SE3},
    {"hht", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"midpoint", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"bdf", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"bdf", TML_KINEMATICS_JOINTS, TML_GROUP_R3SO3},
    {"bdf", TML_KINEMATICS_AUTO, TML_GROUP_SE3},
    {"radau3", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"radau5", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"radau5", TML_KINEMATICS_JOINTS, TML_GROUP_R3SO3},
    {"radau5", TML_KINEMATICS_AUTO, TML_GROUP_SE3},
    {"ggl", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"ggl-radau5", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"ssp-trap", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"infl-sdirk", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"for-sdirk", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"for-rosen", TML_KINEMATICS_JOINTS, TML_GROUP_R3SO3},
    {"erk5", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"erk8", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"erk8", TML_KINEMATICS_JOINTS, TML_GROUP_R3SO3},
    {"adams", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"adams", TML_KINEMATICS_JOINTS, TML_GROUP_R3SO3},
#ifdef TRAMMEL_HAVE_IDA
    {"baumgarte", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
    {"trust-region", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
#endif
};

static tml_sim *sim_of(const tml_model *m, setting s)
{
    tml_run_def run = *tml_model_run(m);
    run.method = s.method;
    run.kinematics = s.kinematics;
    run.group = s.group;
    return start_sim(m, &run);
}

// Runs the model with all settings and compares every row of `name` with want(t) within `allowed`. most:
// bound of the number of steps.
static void all_settings(const char *text, const char *name, double (*want)(double t), double allowed,
                         long most)
{
    const char *const names[] = {name, NULL};
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        tml_model *m = text_model(text);
        tml_sim *sim = sim_of(m, settings[k]);
        record *r = record_new(sim, names);
        tml_error err = {0};
        OK(tml_sim_run(sim, NAN, &err));
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        for (int i = 0; i < r->rows; i++)
            if (!(fabs(r->value[i][0] - want(r->t[i])) <= allowed))
                fail_msg("%s, kinematics %d, group %d: %.10g at t = %g, wanted %.10g", settings[k].method,
                         (int)settings[k].kinematics, (int)settings[k].group, r->value[i][0], r->t[i],
                         want(r->t[i]));
        if (most > 0 && report.count.steps > most)
            fail_msg("%s, kinematics %d, group %d: %ld steps", settings[k].method,
                     (int)settings[k].kinematics, (int)settings[k].group, report.count.steps);
        record_free(r);
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

// ---- steady spin ------------------------------------------------------------------------------------------

static double spin(double t) { return 1000 * t; }

// A count must not limit the step: these motions are linear in time.
static void free_rotor(void **state)
{
    (void)state;
    static const char spatial[] =
        "bodies: {r: {mass: 1, inertia: [2, 2, 2], angular_velocity: [0, 0, 1000]}}\n"
        "joints: {pin: {type: revolute, a: ground, b: r}}\n"
        "run: {end: 2, output_step: 0.0313}\n",
                      planar[] = "planar: true\n"
                                 "bodies: {r: {mass: 1, inertia: 2, angular_velocity: 1000}}\n"
                                 "joints: {pin: {type: revolute, a: ground, b: r}}\n"
                                 "run: {end: 2, output_step: 0.0313}\n";
    all_settings(planar, "pin.angle", spin, 1e-6, 100);
    all_settings(spatial, "pin.angle", spin, 1e-6, 0);
}

static double height(double t) { return 0.1 * 1000 * t / (2 * PI); }

static void nut_on_a_screw(void **state)
{
    (void)state;
    static const char text[] = "bodies: {nut: {mass: 1, inertia: [2, 2, 2], angular_velocity: [0, 0, 1000],\n"
                               "  velocity: [0, 0, 100/(2*pi)]}}\n"
                               "joints: {s: {type: screw, a: ground, b: nut, pitch: 0.1}}\n"
                               "run: {end: 2, output_step: 0.0313, tol: 1e-5}\n";
    all_settings(text, "nut.z", height, 1e-4, 0);
}

static double third_gear(double t) { return 250 * t; }

static void gear_train(void **state)
{
    (void)state;
    static const char text[] = "planar: true\n"
                               "bodies:\n"
                               "  g1: {mass: 1, inertia: 2, angular_velocity: 1000}\n"
                               "  g2: {mass: 1, inertia: 2, position: [1, 0], angular_velocity: -500}\n"
                               "  g3: {mass: 1, inertia: 2, position: [2, 0], angular_velocity: 250}\n"
                               "joints:\n"
                               "  p1: {type: revolute, a: ground, b: g1}\n"
                               "  p2: {type: revolute, a: ground, b: g2, point: [1, 0]}\n"
                               "  p3: {type: revolute, a: ground, b: g3, point: [2, 0]}\n"
                               "  m12: {type: gear, first: p1.angle, second: p2.angle, ratio: -2}\n"
                               "  m23: {type: gear, first: p2.angle, second: p3.angle, ratio: -2}\n"
                               "run: {end: 40, output_step: 0.7}\n";
    all_settings(text, "p3.angle", third_gear, 1e-4, 1000);
}

// ---- forces that depend on the count ----------------------------------------------------------------------

static double wound(double t) { return 300 * sin(t); }

// Angles of 300 rad to and fro; the last one starts wound by three turns and more.
static void torsion_spring(void **state)
{
    (void)state;
    static const char text[] = "planar: true\n"
                               "bodies: {r: {mass: 1, inertia: 2, angular_velocity: 300}}\n"
                               "joints: {pin: {type: revolute, a: ground, b: r}}\n"
                               "forces: {ts: {type: torsion, a: ground, b: r, stiffness: 2, angle: 0}}\n"
                               "run: {end: 4, output_step: 0.0713}\n";
    all_settings(text, "ts.angle", wound, 0.02, 0);
}

static double unwinding(double t) { return 20 * (1 - cos(t)); }

static void wound_spring(void **state)
{
    (void)state;
    static const char text[] = "bodies: {r: {mass: 1, inertia: [2, 2, 2]}}\n"
                               "joints: {pin: {type: revolute, a: ground, b: r}}\n"
                               "forces: {ts: {type: torsion, a: ground, b: r, stiffness: 2, angle: 20}}\n"
                               "run: {end: 3, output_step: 0.0713}\n";
    all_settings(text, "pin.angle", unwinding, 0.01, 0);
}

// A torque of -40 N m from 50 turns on: constant speed until t = pi/10, then 1/2 (-20) (t - pi/10)^2.
static double braked(double t)
{
    const double t0 = 100 * PI / 1000, dt = fmax(t - t0, 0);
    return 1000 * t - 10 * dt * dt;
}

static void torque_from_a_turn_on(void **state)
{
    (void)state;
    static const char text[] =
        "planar: true\n"
        "bodies: {r: {mass: 1, inertia: 2, angular_velocity: 1000}}\n"
        "joints: {pin: {type: revolute, a: ground, b: r}}\n"
        "forces: {brake: {type: applied, at: r, torque: 'if(pin.angle > 100*pi, -40, 0)'}}\n"
        "run: {end: 1, output_step: 0.0313}\n";
    all_settings(text, "pin.angle", braked, 1e-3, 0);
}

// The angle to the ground of a rotor on another one, which is no joint coordinate: 1000 rad/s of 700 and 300.
#define ROTORS(planar, slow, fast, run)                                               \
    planar "bodies:\n"                                                                \
           "  c: {mass: 1, inertia: 2, angular_velocity: " slow "}\n"                 \
           "  r: {mass: 1, inertia: 1, angular_velocity: " fast "}\n"                 \
           "joints:\n"                                                                \
           "  base: {type: revolute, a: ground, b: c}\n"                              \
           "  pin: {type: revolute, a: c, b: r}\n"                                    \
           "forces: {ts: {type: torsion, a: ground, b: r, stiffness: 0, angle: 0}}\n" \
           "run: " run "\n"

static void rotor_on_a_rotor(void **state)
{
    (void)state;
    all_settings(ROTORS("planar: true\n", "700", "1000", "{end: 2, output_step: 0.0313}"), "ts.angle", spin,
                 1e-6, 100);
    all_settings(ROTORS("", "[0, 0, 700]", "[0, 0, 1000]", "{end: 2, output_step: 0.0313}"), "ts.angle", spin,
                 1e-6, 0);
}

// About one axis it needs no path: a step may make any number of turns.
static void turns_of_a_long_step(void **state)
{
    (void)state;
    static const char *const method[] = {"radau5", "erk8"};
    for (int k = 0; k < 2; k++) {
        tml_model *m = text_model(ROTORS("", "[0, 0, 700]", "[0, 0, 1000]", "{end: 300}"));
        tml_sim *sim = sim_of(m, (setting){method[k], TML_KINEMATICS_JOINTS, TML_GROUP_R3SO3});
        tml_error err = {0};
        OK(tml_sim_run(sim, NAN, &err));
        assert_true(report_of(sim).h_max > 10);  // 1600 turns
        CHECK_CLOSE(channel_value(sim, "ts.angle"), 3e5, 1e-6);
        end_sim(sim, m);
    }
}

// A fast rotor on a carrier that tumbles: their relative angle in joint coordinates, where steps are long.
static double relative(double t) { return 400 * t; }

static void rotor_on_a_driven_carrier(void **state)
{
    (void)state;
    static const char text[] = "bodies:\n"
                               "  c: {mass: 1, inertia: [1, 1, 1], angular_velocity: [2, 0, 0]}\n"
                               "  r: {mass: 1, inertia: [1, 1, 1], angular_velocity: [2, 0, 400]}\n"
                               "joints:\n"
                               "  base: {type: revolute, a: ground, b: c, axis: [1, 0, 0]}\n"
                               "  pin: {type: revolute, a: c, b: r, axis: [0, 0, 1]}\n"
                               "  turn: {type: driver, of: base.angle, motion: 2*t}\n"
                               "  keep: {type: driver, of: pin.angle, motion: 400*t}\n"
                               "forces: {ts: {type: torsion, a: r, b: c, stiffness: 0, angle: 0}}\n"
                               "outputs: {o: -ts.angle}\n"
                               "run: {end: 0.5, output_step: 0.0113}\n";
    const char *const names[] = {"o", NULL};
    for (int k = 0; k < 3; k++) {
        tml_model *m = text_model(text);
        static const setting set[3] = {{"radau5", TML_KINEMATICS_JOINTS, TML_GROUP_R3SO3},
                                       {"bdf", TML_KINEMATICS_BODIES, TML_GROUP_R3SO3},
                                       {"genalpha", TML_KINEMATICS_JOINTS, TML_GROUP_R3SO3}};
        tml_sim *sim = sim_of(m, set[k]);
        record *r = record_new(sim, names);
        tml_error err = {0};
        OK(tml_sim_run(sim, NAN, &err));
        for (int i = 0; i < r->rows; i++) CHECK_CLOSE(r->value[i][0], relative(r->t[i]), 1e-3);
        record_free(r);
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

// A body spins about an axis that is tilted against that of its angle: one turn each.
static double tilted(double t) { return 1000 * t; }

static void tilted_spin(void **state)
{
    (void)state;
    static const char text[] =
        "bodies: {b: {mass: 1, inertia: [2, 2, 3], orientation: {axis: [1, 0, 0], angle: 20 deg},\n"
        "  angular_velocity: [0, 0, 1000]}}\n"
        "outputs: {o: b.angle}\n"
        "run: {end: 1, output_step: 0.0313}\n";
    all_settings(text, "o", tilted, 0.04, 0);  // atan(cos(20 deg) tan(x)) - x is below 0.032
}

static void event_on_turns(void **state)
{
    (void)state;
    static const char text[] = "planar: true\n"
                               "bodies: {r: {mass: 1, inertia: 2, angular_velocity: 1000}}\n"
                               "joints: {pin: {type: revolute, a: ground, b: r}}\n"
                               "events: {e: {when: pin.angle - 200*pi}}\n"
                               "run: {end: 2, output_step: 0.5}\n";
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        tml_model *m = text_model(text);
        tml_sim *sim = sim_of(m, settings[k]);
        tml_error err = {0};
        OK(tml_sim_run(sim, NAN, &err));
        if (fabs(tml_sim_time(sim) - PI / 5) > 1e-9)
            fail_msg("%s: event at %.12g s", settings[k].method, tml_sim_time(sim));
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

// ---- branches ---------------------------------------------------------------------------------------------

// Two bodies on a constant-velocity joint that folds: radau methods left its branch where it is bent by half
// a turn. e3 is the twist of the joint, half its sine; the motion by erk8 is the reference.
static void constant_velocity_joint_folds(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: 9.81\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.016, 0.04, 0.03], angular_velocity: [13.777, 10.318, -3.177]}\n"
        "  b: {mass: 1.38, inertia: [0.02, 0.032, 0.03], position: [0, 0, -0.827],\n"
        "    angular_velocity: [-9.643, 0.451, -3.8]}\n"
        "joints:\n"
        "  s: {type: spherical, a: ground, b: a, point: [0, 0, 0]}\n"
        "  j: {type: constant-velocity, a: a, b: b, point: [0, 0, -0.1]}\n"
        "outputs:\n"
        "  e0: a.q0*b.q0 + a.q1*b.q1 + a.q2*b.q2 + a.q3*b.q3\n"
        "  e3: a.q0*b.q3 - a.q1*b.q2 + a.q2*b.q1 - a.q3*b.q0\n"
        "run: {end: 2, output_step: 0.02, tol: 1e-3}\n";
    static const char *const methods[] = {"erk8", "radau3", "radau5",   "ggl-radau3", "ggl-radau5",
                                          "bdf",  "ggl",    "genalpha", "for-sdirk"};
    const char *const names[] = {"e0", "e3", "b.z", NULL};
    double reference = 0;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        tml_model *m = text_model(text);
        const setting s = {methods[k], TML_KINEMATICS_AUTO, TML_GROUP_R3SO3};
        tml_sim *sim = sim_of(m, s);
        record *r = record_new(sim, names);
        tml_error err = {0};
        OK(tml_sim_run(sim, NAN, &err));
        bool folds = false;
        for (int i = 0; i < r->rows; i++) {
            folds = folds || (i > 0 && r->value[i][0] * r->value[i - 1][0] < 0);
            if (fabs(r->value[i][1]) > 1e-6)
                fail_msg("%s: twist %g at t = %g s", methods[k], r->value[i][1], r->t[i]);
        }
        assert_true(folds);  // else this test shows nothing
        const double z = r->value[r->rows - 1][2];
        if (k == 0) reference = z;
        if (fabs(z - reference) > 0.05) fail_msg("%s: ends at %g m, not %g m", methods[k], z, reference);
        record_free(r);
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_rotor),
        cmocka_unit_test(nut_on_a_screw),
        cmocka_unit_test(gear_train),
        cmocka_unit_test(torsion_spring),
        cmocka_unit_test(wound_spring),
        cmocka_unit_test(torque_from_a_turn_on),
        cmocka_unit_test(rotor_on_a_rotor),
        cmocka_unit_test(turns_of_a_long_step),
        cmocka_unit_test(rotor_on_a_driven_carrier),
        cmocka_unit_test(tilted_spin),
        cmocka_unit_test(event_on_turns),
        cmocka_unit_test(constant_velocity_joint_folds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

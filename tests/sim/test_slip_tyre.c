// Runs of tyres with slip: the numbers of the formula on rigs, rolling without loss, braking to a standstill,
// lift-off, and what is said of mistakes.
#include "sim_fixture.h"

static const double DEGREE = 0.017453292519943295;

static record *run_of(tml_model *model, const char *method, double tol, const char *const *channels,
                      tml_sim_report *report)
{
    tml_error err = {0};
    tml_run_def run = *tml_model_run(model);
    if (method) run.method = method;
    if (tol > 0) run.tol = tol;
    tml_sim *sim = start_sim(model, &run);
    record *r = record_new(sim, channels);
    OK(tml_sim_run(sim, NAN, &err));
    *report = report_of(sim);
    CHECK_SMALL(report->energy_error / report->energy_scale, 1e-4);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    return r;
}

// D sin(C atan(B s (1 - E) + E atan(B s)))
static double magic(double B, double C, double D, double E, double s)
{
    const double x = B * s;
    return D * sin(C * atan(x * (1 - E) + E * atan(x)));
}

// The side force of the formula at the slip angle, which is that of the fork but for the relaxation length
// over the speed, 0.02 s; its slope at the start and its peak.
static void cornering(void **state)
{
    (void)state;
    static const char *const channels[] = {"tyre.force", "tyre.lateral",  "tyre.slip_angle",
                                           "head.angle", "tyre.aligning", NULL};
    tml_sim_report report;
    record *r = run_of(load_model("contact/tyre_rig", (tml_parameter){0}, NULL), NULL, 0, channels, &report);
    double peak = 0, at = 0;
    for (int i = 20; i < r->rows; i++) {
        const double *x = r->value[i];
        CHECK_CLOSE(x[0], 3924, 1e-2);
        // the force of the deflection and its damping, 200 N s/m times 1 mm/s
        CHECK_CLOSE(x[1], 3924 * magic(11, 1.4, 1, -0.6, tan(x[2])), 8);
        // bound deflections relax faster
        CHECK_CLOSE(x[2], x[3] - 12 * DEGREE / 3 * 0.02, 12 * DEGREE / 3 * 0.02);
        if (x[1] > peak) peak = x[1], at = x[2];
    }
    CHECK_CLOSE(peak, 3924, 1);                     // and the damping
    CHECK_CLOSE(at, 8.715 * DEGREE, 0.1 * DEGREE);  // the peak is flat, rows are 0.04 degrees apart
    const double *early = r->value[5];
    assert_true(early[4] < 0);
    // the damping of a deflection that grows by 0.4 m * 4 degrees per second; the curve bends by 1 %
    CHECK_CLOSE((early[1] - 200 * 0.4 * 4 * DEGREE) / early[2], 60430, 700);
    record_free(r);
}

#define RIG(motion, run)                                                                              \
    "planar: true\ngravity: 9.81\n"                                                                   \
    "bodies:\n"                                                                                       \
    "  cart: {mass: 380, inertia: 5, position: [0, 0.28038], velocity: [20, 0]}\n"                    \
    "  wheel: {mass: 20, inertia: 1, position: [0, 0.28038], velocity: [20, 0],\n"                    \
    "    angular_velocity: -20/0.28038}\n"                                                            \
    "roads: {way: {type: flat}}\n"                                                                    \
    "joints:\n"                                                                                       \
    "  hub: {type: revolute, a: cart, b: wheel, point: [0, 0.28038]}\n"                               \
    "  level: {type: driver, of: cart.angle, motion: 0}\n" motion "forces:\n"                         \
    "  tyre: {type: slip-tyre, at: wheel, road: way, radius: 0.3, stiffness: 2e5, damping: 2000,\n"   \
    "    law: magic-formula, load: 3924, longitudinal: {B: 13, C: 1.6, D: 1.1, E: -0.5},\n"           \
    "    lateral: {B: 11, C: 1.4, D: 1, E: -0.6}, longitudinal_relaxation: 0.1, lateral_relaxation: " \
    "0.4}\n"                                                                                          \
    "run: {" run ", output_step: 0.002, tol: 1e-6}\n"

// From free rolling to a locked wheel within 4 s: the peak of the formula at its slip, 0.10024.
static void braking(void **state)
{
    (void)state;
    static const char *const channels[] = {"tyre.longitudinal", "tyre.slip", "tyre.lateral", NULL};
    tml_sim_report report;
    record *r = run_of(text_model(RIG("  drive: {type: driver, of: cart.x, motion: 20*t}\n"
                                      "  spin: {type: driver, of: hub.angle, motion: \"-20/0.28038*(t - "
                                      "t^2/8)\"}\n",
                                      "end: 4")),
                       NULL, 0, channels, &report);
    double peak = 0, at = 0;
    for (int i = 0; i < r->rows; i++) {
        const double *x = r->value[i], kappa = -r->t[i] / 4;
        CHECK_SMALL(x[2], 1e-9);
        CHECK_CLOSE(x[0], -3924 * magic(13, 1.6, 1.1, -0.5, -x[1]), 1e-3);
        if (i > 50) CHECK_CLOSE(x[1], kappa, 0.002);  // 0.1 m at 20 m/s late, 0.005 s
        if (x[0] < peak) peak = x[0], at = x[1];
    }
    CHECK_CLOSE(peak, -3924 * 1.1, 0.01);
    CHECK_CLOSE(at, -0.10024, 1e-3);  // rows are 5e-4 apart
    record_free(r);
}

// A wheel that rolls without slip keeps its speed.
static void rolling(void **state)
{
    (void)state;
    static const char *const channels[] = {"cart.vx", "tyre.slip", NULL};
    static const char *const methods[] = {"bdf", "radau5", "genalpha", "erk8"};
    for (int i = 0; i < (less_if_slow("four runs") ? 2 : 4); i++) {
        tml_sim_report report;
        record *r = run_of(text_model(RIG("", "end: 2")), methods[i], 0, channels, &report);
        for (int k = 0; k < r->rows; k++) {
            CHECK_CLOSE(r->value[k][0], 20, 1e-7);  // the compression at the start has 5 digits less
            CHECK_SMALL(r->value[k][1], 1e-7);
        }
        record_free(r);
    }
}

// Until it stops the car slows down as its wheels roll, and slides if they are locked; then it rests.
static void stopping(void **state)
{
    (void)state;
    static const char *const channels[] = {"speed", "way", "front_tyre.slip", "rear_tyre.slip", NULL};
    const double r0 = 0.3 - 5886 / 4e5,
                 slows = 2 * 1000 * r0 / (1200 * r0 * r0 + 4);  // loaded radii differ by +-1.1 %
    for (int locked = 0; locked < 2; locked++) {
        const tml_parameter set = locked ? (tml_parameter){"brake", "3000"} : (tml_parameter){0};
        tml_sim_report report;
        record *r = run_of(load_model("contact/tyre_stop", set, NULL), NULL, 0, channels, &report);
        const double *a = r->value[50], *b = r->value[100], *end = r->value[r->rows - 1];
        CHECK_CLOSE(a[0] - b[0], locked ? 0.9 * 9.81 : slows, locked ? 1e-3 : 0.015);
        for (int i = 0; i < 2; i++) assert_true(locked ? b[2 + i] < -10 : b[2 + i] > -0.1);
        CHECK_SMALL(end[0], 1e-6);
        CHECK_CLOSE(end[1], 200 / (locked ? 0.9 * 9.81 : slows),
                    0.15);  // the rise of the force takes a while
        record_free(r);
    }
}

// Over a step the wheel lifts off and lands; all methods agree.
static void lift_off(void **state)
{
    (void)state;
    static const char *const text =
        "planar: true\ngravity: 9.81\n"
        "bodies: {wheel: {mass: 20, inertia: 1, position: [0, 0.2951], velocity: [6, 0], angular_velocity: "
        "-20}}\n"
        "roads: {way: {type: step, height: -0.1, position: 1}}\n"
        "forces: {tyre: {type: slip-tyre, at: wheel, road: way, radius: 0.3, stiffness: 4e4, damping: 300,\n"
        "  load: 200, coefficient: 0.8, longitudinal_stiffness: 2000, cornering_stiffness: 2000,\n"
        "  longitudinal_relaxation: 0.1, lateral_relaxation: 0.1, slip_damping: 50}}\n"
        "run: {end: 0.6, output_step: 0.01, tol: 1e-8}\n";
    static const char *const channels[] = {"wheel.x", "wheel.y", "wheel.wz", "tyre.force", NULL};
    static const char *const methods[] = {"radau5", "bdf", "erk8"};
    double first[3] = {0};
    for (int i = 0; i < 3; i++) {
        tml_sim_report report;
        record *r = run_of(text_model(text), methods[i], i == 1 ? 1e-9 : 0, channels, &report);
        const double *end = r->value[r->rows - 1];
        int flies = 0;
        for (int k = 0; k < r->rows; k++) flies += r->value[k][3] == 0;
        assert_true(flies > 5 && report.switches >= 3);  // the edge, lift-off, landing
        for (int k = 0; k < 3 && i == 0; k++) first[k] = end[k];
        for (int k = 0; k < 3; k++) CHECK_CLOSE(end[k], first[k], 2e-5);  // errors after an impact
        record_free(r);
    }
}

static void says(const char *forces, const char *expected)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    char text[1200];
    snprintf(text, sizeof text,
             "bodies: {wheel: {mass: 1, inertia: 1}, dot: {mass: 1, point: true}}\n"
             "roads: {way: {type: flat}}\nforces:\n  f: {type: slip-tyre, road: way, radius: 0.3, load: 100, "
             "longitudinal_relaxation: 0.1, lateral_relaxation: 0.1,\n    %s}\n",
             forces);
    tml_status st = tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st == TML_OK || !strstr(err.msg, expected)) fail_msg("'%s' instead of '%s'", err.msg, expected);
    assert_true(strcmp(err.file, "test.yaml") == 0 && err.line >= 4 && err.col > 0);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

static void mistakes(void **state)
{
    (void)state;
#define BRUSH "stiffness: 1e5, coefficient: 1, longitudinal_stiffness: 9, cornering_stiffness: 9"
    says("at: wheel, stiffness: 1e5, coefficient: 1, longitudinal_stiffness: 9", "'cornering_stiffness'");
    says("at: wheel, law: magic-formula, " BRUSH, "'coefficient' belongs to the law brush");
    says("at: wheel, law: magic, " BRUSH, "expected one of: brush, magic-formula");
    says("at: wheel, lateral: {B: 1, C: 1, D: 1}, " BRUSH, "'lateral' belongs to the law magic-formula");
    says("at: wheel, law: magic-formula, lateral: {B: 1, C: 1}, stiffness: 1", "'D'");
    says("at: wheel, law: magic-formula, stiffness: 1, lateral: {B: 1, C: 1, D: 1}, longitudinal: {B: 1, C: "
         "1, "
         "D: 1, E: 1.1}",
         "'E' is 1.1, expected at most 1");
    says(
        "at: wheel, law: magic-formula, stiffness: 1, lateral: {B: 1, C: 2.3, D: 1}, longitudinal: {B: 1, C: "
        "1, D: 1}",
        "'C' is 2.3, expected less than 2");
    says("at: wheel, coefficient: 1, longitudinal_stiffness: 9, cornering_stiffness: 9", "carries no load");
    says("at: wheel, load_exponent: -1, " BRUSH, "expected above -1");
    says("at: weel, " BRUSH, "'wheel'");
    says("at: dot, " BRUSH, "point mass");
    says("at: ground, " BRUSH, "cannot move");
    says("at: wheel, axis: [0, 0.01, 1], " BRUSH, "lies flat");
    says("at: wheel, corner_stiffness: 3, " BRUSH, "'cornering_stiffness'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cornering), cmocka_unit_test(braking),
                                       cmocka_unit_test(rolling),   cmocka_unit_test(stopping),
                                       cmocka_unit_test(lift_off),  cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

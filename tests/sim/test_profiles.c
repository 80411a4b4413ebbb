// Runs with planar profiles: the lift of a cam, the ratio of gears, bounces and rest, and what is said of
// mistakes.
#include "contact_drops.h"
#include "element/outline/outline.h"

static record *run_of(tml_model *model, const char *const *channels, tml_sim_report *report)
{
    tml_error err = {0};
    tml_sim *sim = start_sim(model, tml_model_run(model));
    record *r = record_new(sim, channels);
    OK(tml_sim_run(sim, NAN, &err));
    *report = report_of(sim);
    CHECK_SMALL(relative_energy_error(sim), 1e-3);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    return r;
}

// The points of models/contact/cam_profile.yaml
static const double cam[][2] = {
    {0.03115, 0.00000},   {0.03188, 0.00854},   {0.03063, 0.01769},   {0.02677, 0.02677},
    {0.02001, 0.03465},   {0.01074, 0.04007},   {0.00000, 0.04200},   {-0.01074, 0.04007},
    {-0.02001, 0.03465},  {-0.02677, 0.02677},  {-0.03063, 0.01769},  {-0.03188, 0.00854},
    {-0.03115, 0.00000},  {-0.02910, -0.00780}, {-0.02598, -0.01500}, {-0.02121, -0.02121},
    {-0.01500, -0.02598}, {-0.00776, -0.02898}, {-0.00000, -0.03000}, {0.00776, -0.02898},
    {0.01500, -0.02598},  {0.02121, -0.02121},  {0.02598, -0.01500},  {0.02910, -0.00780}};

// Height at which a roller of radius r touches the cam turned by `angle`: the highest one over all points of
// the spline, which is above their offsets.
static double height_of(const tmli_outline *o, double angle, double r)
{
    double most = 0;
    for (double s = 0; s < o->nparts; s += 1e-3) {
        const tmli_outline_place at = tmli_outline_at(o, s);
        const double x = at.c.x * cos(angle) - at.c.y * sin(angle),
                     y = at.c.x * sin(angle) + at.c.y * cos(angle);
        if (y > 0 && fabs(x) < r) most = fmax(most, y + sqrt(r * r - x * x));
    }
    return most;
}

static void cam_lift(void **state)
{
    (void)state;
    static const char *const channels[] = {"lift", "touch.force", "touch.gap", NULL};
    tmli_arena arena = {0};
    tmli_outline o;
    double point[72] = {0};
    for (int i = 0; i < 24; i++) point[3 * i] = cam[i][0], point[3 * i + 1] = cam[i][1];
    assert_int_equal(tmli_outline_spline(point, 24, 1, &arena, &o, NULL), TML_OK);
    tml_sim_report report;
    record *r = run_of(load_model("contact/cam_profile", (tml_parameter){0}, NULL), channels, &report);
    double most = 0;
    for (int i = 20; i < r->rows; i += 16) {
        const double *x = r->value[i], height = height_of(&o, 10 * r->t[i], 0.01);
        // the roller is pressed in by force/stiffness along the normal, which is up to 35 degrees from y
        CHECK_CLOSE(x[0] + 0.04, height, 1.25 * x[1] / 5e6 + 1e-8);
        assert_true(x[0] + 0.04 < height);
    }
    for (int i = 20; i < r->rows; i++) most = fmax(most, r->value[i][0]);
    CHECK_CLOSE(most, 0.012, 1e-4);
    record_free(r);
    tmli_arena_clear(&arena);
}

// After the first touch the wheel is behind by the backlash of its flanks and their compression, with one
// pair of teeth 0.24e-3 rad more than with two.
static void gear_ratio(void **state)
{
    (void)state;
    skip_if_slow("thousands of evaluations of two gears");
    static const char *const channels[] = {"error", "speed", "force", "mesh.points", NULL};
    tml_sim_report report;
    record *r = run_of(load_model("contact/gear_pair", (tml_parameter){0}, NULL), channels, &report);
    double sum = 0;
    bool pairs[3] = {false};
    const int first = 20, count = r->rows - first;
    for (int i = first; i < r->rows; i++) {
        const double *x = r->value[i];
        CHECK_CLOSE(x[0], 0.00125, 0.0003);
        CHECK_CLOSE(x[1], -20 * 18 / 27.0, 0.35);
        sum += x[1] / count;
        if (x[3] >= 0 && x[3] <= 2) pairs[(int)x[3]] = true;
    }
    const double way = r->value[r->rows - 1][0] - r->value[first][0];
    CHECK_CLOSE(sum, -20 * 18 / 27.0 + way / (r->t[r->rows - 1] - r->t[first]), 0.02);
    CHECK_CLOSE(sum / -20, 18 / 27.0, 1e-3);
    assert_true(pairs[1] && pairs[2] && !pairs[0]);
    record_free(r);
}

// A disc bounces on the side of a square with the restitution; steps end where it touches and leaves.
static void bounce(void **state)
{
    (void)state;
    static const char *const text =
        "planar: true\ngravity: 9.81\n"
        "bodies: {ball: {mass: 1, inertia: 0.1, position: [0.1, 1.1]}}\n"
        "shapes:\n"
        "  ball: {type: sphere, radius: 0.1}\n"
        "  block: {type: profile, at: ground, interpolation: linear, points: [[1, 0], [-1, 0], [-1, -1], [1, "
        "-1]]}\n"
        "contacts: {hit: {a: ball, b: block, stiffness: 1e9, restitution: 0.8}}\n"
        "run: {end: 1.1, output_step: 0.001, tol: 1e-7}\n";
    tml_sim_report report;
    record *r = run_of(text_model(text), (const char *const[]){"ball.y", "ball.x", NULL}, &report);
    double peak = 0;
    for (int i = 500; i < 900; i++) peak = fmax(peak, r->value[i][0]);
    CHECK_CLOSE(peak, 0.1 + 0.64, 1e-3);
    CHECK_CLOSE(r->value[r->rows - 1][1], 0.1, 1e-9);
    assert_true(report.switches >= 2);
    record_free(r);
}

// A hexagon falls on a plane and comes to rest on a side; a smooth stone falls on it and rolls away.
static void rest(void **state)
{
    (void)state;
    skip_if_slow("a run of thousands of steps");
    static const char *const text =
        "planar: true\ngravity: 9.81\n"
        "bodies:\n"
        "  hexagon: {mass: 2, inertia: 0.02, position: [0, 0.12], orientation: 20 deg}\n"
        "  stone: {mass: 1, inertia: 0.01, position: [0.02, 0.34]}\n"
        "shapes:\n"
        "  hexagon: {type: profile, interpolation: linear, points: [[0.1, 0], [0.05, 0.0866025]], repeat: "
        "3}\n"
        "  stone: {type: profile, points: [[0.12, 0], [0, 0.06], [-0.12, 0], [0, -0.06]]}\n"
        "  table: {type: plane, at: ground}\n"
        "contacts:\n"
        "  all: {a: hexagon, b: table, stiffness: 1e7, restitution: 0.2, exponent: 1,\n"
        "    friction: {law: regularized, coefficient: 0.6, creep: 1e-3}}\n"
        "  top: {a: stone, b: hexagon, stiffness: 1e7, restitution: 0.2, exponent: 1,\n"
        "    friction: {law: regularized, coefficient: 0.6, creep: 1e-3}}\n"
        "  below: {a: stone, b: table, stiffness: 1e7, restitution: 0.2, exponent: 1,\n"
        "    friction: {law: regularized, coefficient: 0.6, creep: 1e-3}, rolling: 2e-3, spin_creep: 0.1}\n"
        "run: {end: 1.5, output_step: 0.01, tol: 1e-5}\n";
    tml_sim_report report;
    record *r = run_of(text_model(text),
                       (const char *const[]){"hexagon.y", "hexagon.vy", "hexagon.wz", "energy.kinetic",
                                             "stone.y", "all.points", "all.force", "energy.potential", NULL},
                       &report);
    const double *last = r->value[r->rows - 1];
    CHECK_SMALL(last[1], 2e-3);
    CHECK_SMALL(last[2], 2e-2);
    CHECK_CLOSE(last[0], 0.0866, 1e-3);  // on a side, its corners rounded by 1 mm
    assert_true(last[5] == 2);
    double energy = INFINITY;
    for (int i = 0; i < r->rows; i++) {
        const double *x = r->value[i];
        assert_true(x[4] > 0.0595);                // half of its lesser width, less its depth
        assert_true(x[3] + x[7] < energy + 1e-4);  // it loses energy only
        energy = x[3] + x[7];
    }
    record_free(r);
}

static void says(const char *planar, const char *shape, const char *contact, const char *expected)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    char text[1200];
    snprintf(text, sizeof text,
             "%sbodies: {b: {mass: 1, inertia: 1}}\n"
             "shapes:\n  p: {at: b, type: profile, %s}\n  s: {type: sphere, at: ground, radius: 0.1}\n"
             "contacts:\n  c: {a: p, b: s, %s}\n",
             planar, shape, contact);
    tml_status st = tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st == TML_OK || !strstr(err.msg, expected)) fail_msg("'%s' instead of '%s'", err.msg, expected);
    assert_true(strcmp(err.file, "test.yaml") == 0 && err.line >= 3 && err.col > 0);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

static void mistakes(void **state)
{
    (void)state;
    static const char flat[] = "planar: true\n";
#define SQUARE "points: [[1, 0], [0, 1], [-1, 0], [0, -1]]"
    says("", "points: [[1, 0, 0], [0, 1, 0], [-1, 0, 0]]", "stiffness: 1", "planar models");
    says(flat, "points: [[1, 0], [0, 1]]", "stiffness: 1", "at least 3 points");
    says(flat, "points: [[1, 0], [0, 1], [0, 1], [-1, -1]]", "stiffness: 1", "point 2 of its outline");
    says(flat, SQUARE ", rounding: 0.1", "stiffness: 1", "a spline has no corners");
    says(flat, SQUARE ", interpolation: linear, rounding: 0.9", "stiffness: 1", "too short for corners");
    says(flat, SQUARE ", interpolation: line", "stiffness: 1", "spline, linear");
    says(flat, SQUARE ", repeat: 2000", "stiffness: 1", "expected 1 to 1000");
    says(flat, SQUARE ", point: [1]", "stiffness: 1", "'points'");
    says(flat, SQUARE, "law: hertz", "lacks 'stiffness'");
    says(flat, SQUARE, "law: rigid, restitution: 0.5", "rigid");
    says(flat, SQUARE,
         "stiffness: 1, friction: {law: lugre, coefficient: 1, bristle_stiffness: 1, bristle_damping: 1}",
         "bristles");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cam_lift), cmocka_unit_test(gear_ratio),
                                       cmocka_unit_test(bounce), cmocka_unit_test(rest),
                                       cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

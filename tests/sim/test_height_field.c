// Bodies on height fields: the plane, energy in a bowl, oscillation in a valley of waves, rolling.
#include "contact_drops.h"

/** Heights of a function as rows of a model file. */
typedef double surface(double x, double y);

static void put_heights(char *text, size_t room, surface *z, double length, double width, int columns,
                        int rows)
{
    size_t n = 0;
    for (int k = 0; k < columns * rows; k++) {
        const int i = k % columns, j = k / columns;
        n += (size_t)snprintf(text + n, room - n, "%s%.14g%s", i == 0 ? (j == 0 ? "[[" : "[") : "",
                              z(length * (i / (columns - 1.0) - 0.5), width * (j / (rows - 1.0) - 0.5)),
                              i + 1 < columns ? ", "
                              : j + 1 < rows  ? "], "
                                              : "]]");
    }
    assert_true(n < room);
}

enum { ROOM = 60000 };

/** A body, a field with the heights, and the rest of a model. */
static tml_sim *field_sim(const char *before, surface *z, double length, double width, int columns, int rows,
                          tml_model **model)
{
    static char heights[ROOM], text[ROOM + 3000];
    put_heights(heights, sizeof heights, z, length, width, columns, rows);
    snprintf(text, sizeof text,
             "%s  ground: {type: height-field, at: ground, length: %.17g, width: %.17g, heights: %s}\n",
             before, length, width, heights);
    *model = text_model(text);
    return start_sim(*model, tml_model_run(*model));
}

static double bowl(double x, double y) { return (x * x + y * y) / 4; }
static double slope(double x, double y) { return (void)y, -0.3 * x; }
static double waves(double x, double y) { return (void)y, -0.08 * cos(6.283185307179586 * x / 2); }

// A ball in a bowl without friction: it bounces, and keeps energy and angular momentum about the axis.
static void energy_in_a_bowl(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model;
    tml_sim *sim = field_sim(
        "gravity: 9.81\n"
        "bodies: {ball: {mass: 1.3, inertia: 0.0052, position: [1, 0.3, 0.5], velocity: [0.2, 0.8, 0]}}\n"
        "contacts: {hit: {a: ball, b: ground, stiffness: 1e5}}\n"
        "outputs: {spin: 'ball.x*ball.vy - ball.y*ball.vx'}\n"
        "run: {end: 5, output_step: 0.05, tol: 1e-7}\n"
        "shapes:\n  ball: {type: sphere, radius: 0.1}\n",
        bowl, 4, 4, 9, 9, &model);
    record *rec =
        record_new(sim, (const char *const[]){"energy.kinetic", "energy.potential", "spin", "hit.gap", NULL});
    OK(tml_sim_run(sim, NAN, &err));
    const double *first = rec->value[0], *last = rec->value[rec->rows - 1];
    // 6.8 J, and 30 impacts at tol 1e-7
    for (int i = 1; i < rec->rows; i++)
        CHECK_CLOSE(rec->value[i][0] + rec->value[i][1], first[0] + first[1], 1e-5);
    CHECK_CLOSE(last[2], first[2], 1e-5);  // the spline of a paraboloid is round to round-off
    record_free(rec);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// What a body does on a slope by heights it does on a plane.
static void compare_with_plane(const char *shape, double tolerance)
{
    tml_error err = {0};
    double end[2][4];
    for (int k = 0; k < 2; k++) {
        char text[1200];
        tml_model *model;
        snprintf(
            text, sizeof text,
            "gravity: 9.81\n"
            "bodies: {body: {mass: 1.3, inertia: [0.0052, 0.0061, 0.0052], position: [-2, 0.1, 0.706]}}\n"
            "contacts: {hit: {a: body, b: ground, stiffness: 1e6, restitution: 0.5,\n"
            "  friction: {law: regularized, coefficient: 0.5, creep: 1e-3}}}\n"
            "run: {end: 1.5, output_step: 0.1, tol: 1e-7}\n"
            "shapes:\n  body: {type: %s}\n%s",
            shape, k == 1 ? "  ground: {type: plane, at: ground, normal: [0.3, 0, 1]}\n" : "");
        tml_sim *sim = NULL;
        if (k == 0) {
            sim = field_sim(text, slope, 6, 2, 13, 5, &model);
        } else {
            model = text_model(text);
            sim = start_sim(model, tml_model_run(model));
        }
        record *rec = record_new(sim, (const char *const[]){"body.x", "body.y", "body.z", "body.wy", NULL});
        OK(tml_sim_run(sim, NAN, &err));
        for (int i = 0; i < 4; i++) end[k][i] = rec->value[rec->rows - 1][i];
        record_free(rec);
        tml_sim_destroy(sim);
        tml_model_destroy(model);
    }
    assert_true(end[1][0] > 0);  // it has rolled 2 m
    for (int i = 0; i < 4; i++) CHECK_CLOSE(end[0][i], end[1][i], tolerance);
}

static void slopes(void **state)
{
    (void)state;
    compare_with_plane("sphere, radius: 0.1", 1e-6);  // tol times the steps
    // circles and prism share the load of two points: other depths, at most 20 um
    compare_with_plane("cylinder, radius: 0.1, length: 0.3, axis: [0, 1, 0]", 1e-3);
}

// Half a period of a ball in a valley of z = -A cos(k x), with the radius R = 1/(A k^2) of its bottom:
// sliding w^2 = g/(R - r), rolling w^2 = g/(R - r)/(1 + 2/5). The amplitude of 5 mm adds 1e-4 to it, and the
// curvature of the spline at its nodes, less by (k h)^2/12, 5e-4.
static void check_valley(const char *friction, double share)
{
    tml_error err = {0};
    char text[1000];
    tml_model *model;
    const double k = 6.283185307179586 / 2, R = 1 / (0.08 * k * k), r = 0.1,
                 half = 3.141592653589793 / sqrt(9.81 / (R - r) / share);
    snprintf(text, sizeof text,
             "gravity: 9.81\n"
             "bodies: {ball: {mass: 1, inertia: 0.004, position: [0.005, 0, %.12g]}}\n"
             "contacts: {hit: {a: ball, b: ground, stiffness: 1e8, damping: 1e2%s}}\n"
             "run: {end: %.12g, output_step: %.12g, tol: 1e-8}\n"
             "shapes:\n  ball: {type: sphere, radius: 0.1}\n",
             R - 0.08 - sqrt((R - r) * (R - r) - 2.5e-5), friction, half, half);
    tml_sim *sim = field_sim(text, waves, 4, 1, 161, 2, &model);
    record *rec = record_new(sim, (const char *const[]){"ball.x", "ball.vx", NULL});
    OK(tml_sim_run(sim, NAN, &err));
    const double *end = rec->value[rec->rows - 1];
    CHECK_CLOSE(end[0], -0.005, 0.005 * 2e-3);  // the turning point, of which the phase shifts nothing
    CHECK_SMALL(end[1] * half / 3.1416 / 0.005, 2e-3);  // the phase
    record_free(rec);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

static void valleys(void **state)
{
    (void)state;
    check_valley("", 1);
    check_valley(", friction: {law: regularized, coefficient: 0.5, creep: 1e-6}", 1.4);
}

static void expect_failure(const char *text, const char *message)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_status st = tml_spec_parse(text, strlen(text), "field.yaml", NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st == TML_OK || !strstr(err.msg, message)) fail_msg("%s\ninstead of: %s", err.msg, message);
    tml_spec_destroy(spec);
}

static void note(tml_log_level level, const char *message, void *user)
{
    if (level == TML_LOG_WARNING) snprintf(user, 400, "%s", message);
}

// What starts below a field is refused, and what starts beside it is named.
static void parse_quietly(const char *text, char *warning)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    const tml_env env = {.log = note, .user = warning};
    OK(tml_spec_parse(text, strlen(text), "field.yaml", NULL, 0, &env, &spec, &err));
    OK(tml_model_build(spec, &model, &err));
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

// A plane in the same contact holds what leaves a field: no warning, in any order of the shapes.
static void field_in_a_plane(void **state)
{
    (void)state;
    static const char *const plane = "  sea: {type: plane, at: ground, group: all}\n";
    for (int k = 0; k < 3; k++) {
        char text[800], warning[400] = "";
        snprintf(text, sizeof text,
                 "bodies: {ball: {mass: 1, inertia: 0.004, position: [1, 2.5, 0.4]}}\nshapes:\n"
                 "%s  ball: {type: sphere, radius: 0.1, group: all}\n"
                 "  hills: {type: height-field, at: ground, length: 4, width: 3, group: all,\n"
                 "    heights: [[0, 0.1, 0.2], [0, 0.1, 0.2]]}\n%s"
                 "contacts: {hit: {a: ball, b: all, stiffness: 1e4}}\n",
                 k == 1 ? plane : "", k == 2 ? plane : "");
        parse_quietly(text, warning);
        assert_int_equal(strstr(warning, "beyond the edge") != NULL, k == 0);
    }
}

static void starts(void **state)
{
    (void)state;
    static const char *const rest = "shapes:\n"
                                    "  ball: {type: sphere, radius: 0.1}\n"
                                    "  hills: {type: height-field, at: ground, length: 4, width: 3, heights: "
                                    "[[0, 0.1, 0.2], [0, 0.1, 0.2]]}\n"
                                    "contacts: {hit: {a: ball, b: hills, stiffness: 1e4}}\n";
    char text[600], warning[400] = "";
    snprintf(text, sizeof text, "bodies: {ball: {mass: 1, inertia: 0.004, position: [1, 0.5, -0.2]}}\n%s",
             rest);
    expect_failure(text, "'ball' starts below the height field 'hills', its centre 0.35 m under the surface");
    snprintf(text, sizeof text, "bodies: {ball: {mass: 1, inertia: 0.004, position: [1, 2.5, -0.2]}}\n%s",
             rest);
    parse_quietly(text, warning);
    if (!strstr(warning, "'ball' starts 1 m beyond the edge of the height field 'hills'"))
        fail_msg("%s", warning);
    snprintf(text, sizeof text, "bodies: {ball: {mass: 1, inertia: 0.004, position: [1, 0, 1]}}\n%.*s",
             (int)(strstr(rest, "stiffness") - rest), rest);
    strncat(text, "youngs_modulus: 1}}\n", sizeof text - strlen(text) - 1);
    expect_failure(text, "Unknown key 'youngs_modulus'");
}

static void few_drops(void **state)
{
    (void)state;
    rng r = rng_seed(23);
    for (int k = 0; k < 20; k++) drop_on_field(&r, k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_in_a_bowl), cmocka_unit_test(slopes), cmocka_unit_test(valleys),
        cmocka_unit_test(few_drops),        cmocka_unit_test(starts), cmocka_unit_test(field_in_a_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

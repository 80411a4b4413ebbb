// What good files say: every form of a value, parameters, defaults, include, repeat.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "spec/spec.h"

#include <unistd.h>

static int enter(void **state)
{
    (void)state;
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/io/good", root ? root : ".");
    return chdir(path);
}

static tml_spec *read_ok(const char *name, const tml_parameter *overrides, int count)
{
    tml_spec *spec = NULL;
    tml_error err = {0};
    if (tml_spec_read(name, overrides, count, NULL, &spec, &err) != TML_OK)
        fail_msg("%s:%d:%d: %s", err.file, err.line, err.col, err.msg);
    return spec;
}

static tml_spec *parse_ok(const char *text)
{
    tml_spec *spec = NULL;
    tml_error err = {0};
    if (tml_spec_parse(text, strlen(text), "text.yaml", NULL, 0, NULL, &spec, &err) != TML_OK)
        fail_msg("%s:%d:%d: %s", err.file, err.line, err.col, err.msg);
    return spec;
}

#define FIND(spec, list, count, key)                                                           \
    do {                                                                                       \
        for (int find_i = 0; find_i < (spec)->count; find_i++)                                 \
            if (strcmp((spec)->list[find_i].def.name, key) == 0) return &(spec)->list[find_i]; \
        fail_msg("no %s", key);                                                                \
        return NULL;                                                                           \
    } while (0)

static const tmli_body_entry *body(const tml_spec *s, const char *name) { FIND(s, bodies, nbodies, name); }
static const tmli_joint_entry *joint(const tml_spec *s, const char *name) { FIND(s, joints, njoints, name); }
static const tmli_force_entry *force(const tml_spec *s, const char *name) { FIND(s, forces, nforces, name); }

static void near_all(const double *x, const double *y, int n)
{
    for (int i = 0; i < n; i++) CHECK_CLOSE(x[i], y[i], 1e-14);  // a few roundings of numbers of order 1
}
#define NEAR(x, ...) \
    near_all(x, (const double[]){__VA_ARGS__}, (int)(sizeof(double[]){__VA_ARGS__} / sizeof(double)))

static void planar_model(void **state)
{
    (void)state;
    tml_spec *s = read_ok("slider_crank.yaml", NULL, 0);
    const double r = 0.153, L = 3 * r;
    assert_string_equal(s->title, "Slider-crank");
    assert_true(s->planar);
    NEAR(s->gravity, 0, -9.81, 0);
    assert_int_equal(s->nparams, 4);
    assert_string_equal(s->param_names[0], "L");
    CHECK_CLOSE(s->param_values[0], L, 1e-16);
    CHECK_CLOSE(s->param_values[3], asin(1.0 / 3), 1e-15);

    const tml_body_def *crank = &body(s, "crank")->def;
    NEAR(crank->inertia, 0, 0, 2.1e-3, 0, 0, 0);
    NEAR(crank->position, r / 2, 0, 0);
    NEAR(crank->angular_velocity, 0, 0, acos(-1) / 6);
    NEAR(body(s, "rod")->def.inertia, 0.1, 0.2, 0.25);
    assert_true(body(s, "slider")->def.point);

    assert_int_equal(s->nframes, 6);
    assert_string_equal(s->frames[1].def.body, "ground");
    NEAR(s->frames[1].def.position, L, 0, 0);
    NEAR(s->frames[1].def.orientation, 0.5, 0.5, 0.5, 0.5);  // x to y, y to z, z to x
    assert_string_equal(s->frames[3].def.name, "tip");
    NEAR(s->frames[3].def.orientation, cos(acos(-1) / 24), 0, 0, sin(acos(-1) / 24));

    const tmli_joint_entry *pin3 = joint(s, "pin3");
    assert_int_equal(pin3->def.type, TML_JOINT_REVOLUTE);
    assert_true(pin3->def.has_point && !pin3->def.has_axis);
    assert_true(isnan(pin3->def.length) && isnan(pin3->def.angle));
    assert_string_equal(pin3->def.a, "rod.pin");
    assert_string_equal(joint(s, "drive")->def.motion, "w0*t + 0.1*sin(2*t)");

    const tmli_force_entry *push = force(s, "push");
    assert_string_equal(push->def.b, "crank.tip");
    assert_string_equal(push->def.force[1], "2*sin(t)");
    assert_null(push->def.force[2]);
    assert_null(push->def.torque[0]);
    assert_string_equal(push->def.torque[2], "0.5*t");
    assert_true(push->def.body_axes);
    CHECK_CLOSE(force(s, "return")->def.free, 0.61, 0);

    assert_string_equal(s->outputs[1].def.value, "2");
    assert_int_equal(s->events[0].def.direction, -1);
    CHECK_CLOSE(s->run.end, 2 * acos(-1), 1e-15);
    CHECK_CLOSE(s->run.augment, 0, 0);
    assert_true(strncmp(tml_spec_text(s), "# Planar", 8) == 0);

    // positions: of the entry its name, of a field its value, of a quoted text its first letter
    assert_string_equal(push->at.at.file, "slider_crank.yaml");
    assert_int_equal(push->at.at.line, 36);
    assert_int_equal(push->at.at.col, 3);
    const tml_mark m = tmli_entry_mark(&push->at, "force[1]");
    assert_int_equal(m.line, 36);
    assert_int_equal(m.col, 55);
    assert_int_equal(tmli_entry_mark(&push->at, "at").col, 29);
    assert_int_equal(tmli_entry_mark(&push->at, "stiffness").col, 3);
    tml_spec_destroy(s);
}

static void spatial_model(void **state)
{
    (void)state;
    tml_spec *s = read_ok("spatial.yaml", NULL, 0);
    assert_int_equal(s->njoints, TML_JOINT_TYPES);
    for (int i = 0; i < s->njoints; i++) assert_int_equal(s->joints[i].def.type, i);
    NEAR(s->gravity, 0.1, -0.2, -9.81);

    const double d = acos(-1) / 180;
    const double a = 20 * d, c = cos(a), si = sin(a) / 3;
    NEAR(body(s, "b1")->def.orientation, c, si, 2 * si, -2 * si);
    assert_true(body(s, "b1")->def.fixed_at_start);
    NEAR(body(s, "b1")->def.inertia, 0.4, 0.4, 0.4, 0, 0, 0);
    NEAR(s->frames[1].def.orientation, sqrt(0.5), 0, 0, sqrt(0.5));
    // zyx with (0.1, 0.2, 0.3): products of half-angle cosines and sines
    const double c1 = cos(0.05), s1 = sin(0.05), c2 = cos(0.1), s2 = sin(0.1), c3 = cos(0.15), s3 = sin(0.15);
    NEAR(body(s, "b2")->def.orientation, c1 * c2 * c3 + s1 * s2 * s3, c1 * c2 * s3 - s1 * s2 * c3,
         c1 * s2 * c3 + s1 * c2 * s3, s1 * c2 * c3 - c1 * s2 * s3);
    // zxz: (cos t/2 cos (p+s)/2, sin t/2 cos (p-s)/2, sin t/2 sin (p-s)/2, cos t/2 sin (p+s)/2)
    NEAR(body(s, "b3")->def.orientation, cos(10 * d) * cos(20 * d), sin(10 * d) * cos(-10 * d),
         sin(10 * d) * sin(-10 * d), cos(10 * d) * sin(20 * d));
    NEAR(body(s, "b3")->def.inertia, 0.3, 0.4, 0.5, 0.01, -0.02, 0.03);
    assert_true(body(s, "b7")->def.point);

    const tml_joint_def *j4 = &joint(s, "j4")->def;
    assert_true(j4->has_point && j4->has_axis);
    NEAR(j4->axis, 0, 3, 4);
    CHECK_CLOSE(joint(s, "j11")->def.length, 1.25 * 0.37, 1e-16);
    CHECK_CLOSE(joint(s, "j15")->def.ratio, -1.5, 0);
    assert_string_equal(joint(s, "j17")->def.of, "distance(b1, b7)");
    CHECK_CLOSE(joint(s, "j20")->def.radius, 0.3, 0);
    CHECK_CLOSE(joint(s, "j20")->def.tread, 0.02, 0);

    const tml_force_def *f1 = &force(s, "f1")->def;
    assert_int_equal(f1->table_count, 3);
    NEAR(f1->table, -0.1, -5, 0, 0, 0.2, 11.5);
    CHECK_CLOSE(force(s, "f3")->def.stiffness6[35], 1500, 0);
    CHECK_CLOSE(force(s, "f3")->def.stiffness6[7], 2, 0);
    CHECK_CLOSE(force(s, "f4")->def.stiffness6[6], 1, 0);
    CHECK_CLOSE(force(s, "f3")->def.preload6[2], -9, 0);
    assert_string_equal(force(s, "f6")->def.b, "b7");
    assert_int_equal(s->run.scaling, TML_SCALING_UNIFORM);
    assert_string_equal(s->run.solver, "klu");
    CHECK_CLOSE(s->run.augment, 2.5, 0);
    tml_spec_destroy(s);
}

// Two given axes: z is exact, x lies in the plane of both; columns of R are the frame's axes.
static void axes_of_orientation(void **state)
{
    (void)state;
    tml_spec *s = read_ok("spatial.yaml", NULL, 0);
    const double h = sqrt(0.5);
    const double want[3][2][3] = {
        {{0, h, h}, {0, 0, 0}},   // b4: z
        {{0, 0, 1}, {1, 0, 0}},   // b5: x, y
        {{1, 0, 0}, {0, 1, 0.1}}  // b6: z, y up to length
    };
    const int column[3][2] = {{2, -1}, {0, 1}, {2, 1}};
    const char *const names[3] = {"b4", "b5", "b6"};
    for (int b = 0; b < 3; b++) {
        const double *q = body(s, names[b])->def.orientation;
        const double R[9] = {q[0] * q[0] + q[1] * q[1] - q[2] * q[2] - q[3] * q[3],
                             2 * (q[1] * q[2] - q[0] * q[3]),
                             2 * (q[1] * q[3] + q[0] * q[2]),
                             2 * (q[1] * q[2] + q[0] * q[3]),
                             q[0] * q[0] - q[1] * q[1] + q[2] * q[2] - q[3] * q[3],
                             2 * (q[2] * q[3] - q[0] * q[1]),
                             2 * (q[1] * q[3] - q[0] * q[2]),
                             2 * (q[2] * q[3] + q[0] * q[1]),
                             q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3]};
        for (int k = 0; k < 2 && column[b][k] >= 0; k++) {
            const double *w = want[b][k], len = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
            for (int i = 0; i < 3; i++)
                CHECK_CLOSE(R[3 * i + column[b][k]], w[i] / len, 1e-14);  // few roundings
        }
    }
    tml_spec_destroy(s);
}

static void repeat_and_include(void **state)
{
    (void)state;
    tml_spec *s = read_ok("chain.yaml", NULL, 0);
    assert_int_equal(s->nbodies, 7);
    CHECK_CLOSE(body(s, "link4")->def.mass, 0.8, 1e-16);
    CHECK_CLOSE(body(s, "link4")->def.position[0], 0.21 * 3.5, 1e-16);
    NEAR(body(s, "link4")->def.inertia, 1e-3, 2e-3, 2e-3);  // defaults
    CHECK_CLOSE(body(s, "special2")->def.mass, 3, 0);       // own value before the merged one
    NEAR(body(s, "special2")->def.inertia, 0.01, 0.02, 0.02);
    assert_string_equal(joint(s, "pin3")->def.a, "link2.tip");
    assert_string_equal(joint(s, "pin3")->def.b, "link3.root");
    assert_int_equal(joint(s, "pin3")->def.type, TML_JOINT_SPHERICAL);
    assert_string_equal(joint(s, "tail")->def.a, "link5.tip");
    CHECK_CLOSE(joint(s, "bolt")->def.pitch, 0.3, 0);  // a default only where it applies
    assert_string_equal(s->outputs[2].def.name, "h3");
    assert_string_equal(s->outputs[2].def.value, "link3.z - 0.3");
    assert_string_equal(force(s, "w4")->def.force[2], "4*t");
    assert_string_equal(force(s, "w2")->def.b, "link2");
    assert_int_equal(s->nframes, 1 + 7 * 2 + 4 * 2);
    int found = 0;
    for (int i = 0; i < s->nframes; i++)
        if (strcmp(s->frames[i].def.name, "P3_2") == 0) {
            NEAR(s->frames[i].def.position, 3, 2, 6);
            found++;
        }
    assert_int_equal(found, 1);
    // the included file's force comes first and knows its file
    assert_string_equal(s->forces[0].def.name, "s1");
    assert_string_equal(s->forces[0].at.at.file, "parts/springs.yaml");
    CHECK_CLOSE(s->forces[0].def.stiffness, 310 * 0.21, 1e-13);
    tml_spec_destroy(s);
}

// Values of expressions are kept in a block, but not where one of their names is an index.
static void names_of_indices(void **state)
{
    (void)state;
    tml_spec *s = parse_ok(
        "parameters: {m: 2}\n"
        "repeat:\n"
        "  - {index: j, to: 2, repeat: [{index: k, to: 2, bodies: {\"a{j}{k}\": {mass: &v k + m, inertia: "
        "&w \"1{j}\"}}}]}\n"
        "  - {index: k, to: 2, repeat: [{index: j, to: 2, bodies: {\"b{j}{k}\": {mass: *v, inertia: *w}}}]}"
        "\n");
    for (int j = 1; j <= 2; j++)
        for (int k = 1; k <= 2; k++)
            for (int block = 0; block < 2; block++) {
                const char name[] = {block ? 'b' : 'a', (char)('0' + j), (char)('0' + k), 0};
                CHECK_CLOSE(body(s, name)->def.mass, k + 2, 0);
                CHECK_CLOSE(body(s, name)->def.inertia[0], 10 + j, 0);
            }
    tml_spec_destroy(s);
}

static void overrides(void **state)
{
    (void)state;
    const tml_parameter set[] = {{"N", "2 + 1"}, {"l", "k/1000"}, {"k", "430"}};
    tml_spec *s = read_ok("chain.yaml", set, 3);
    assert_int_equal(s->nbodies, 5);
    CHECK_CLOSE(body(s, "link3")->def.position[0], 0.43 * 2.5, 1e-16);
    tml_spec_destroy(s);

    tml_error err = {0};
    const tml_parameter wrong = {"K", "1"}, bad = {"l", "3*"}, twice[] = {{"N", "1"}, {"N", "2"}},
                        own = {"l", "l"};
    assert_int_equal(tml_spec_read("chain.yaml", &wrong, 1, NULL, &s, &err), TML_ERR_NAME);
    assert_non_null(strstr(err.msg, "is it 'k'"));
    assert_int_equal(tml_spec_read("chain.yaml", &bad, 1, NULL, &s, &err), TML_ERR_SYNTAX);
    assert_non_null(strstr(err.msg, "of parameter 'l'"));
    assert_int_equal(tml_spec_read("chain.yaml", twice, 2, NULL, &s, &err), TML_ERR_ARG);
    assert_int_equal(tml_spec_read("chain.yaml", &own, 1, NULL, &s, &err), TML_ERR_MODEL);
    assert_null(s);
}

static void json_too(void **state)
{
    (void)state;
    tml_spec *s = read_ok("flat.json", NULL, 0);
    NEAR(body(s, "a")->def.position, 0.5, 0.1, 0);
    tml_spec_destroy(s);
}

static void roads_and_tyres(void **state)
{
    (void)state;
    tml_spec *s = parse_ok(
        "parameters: {R: 0.47}\n"
        "roads:\n"
        "  bump: {type: bump, diameter: R/4, position: 3, direction: [0, 2, 0], origin: [1, 0, 0.1]}\n"
        "  waves: {type: sine, amplitude: 0.1, wavelength: 2, up: [0, 0, -3]}\n"
        "  line: {type: table, table: [[0, 0.1], [1, R], [2.5, 0]]}\n"
        "repeat:\n"
        "  - {index: i, to: 2, roads: {'kerb{i}': {type: step, height: 0.1*i, length: 0.5}}}\n"
        "forces:\n"
        "  t1: {type: tyre, at: w.hub, road: bump, radius: R, stiffness: 3e5, damping: 20}\n"
        "  t2: {type: tyre, at: w, road: line, radius: 2*R, contact: false, along: normal,\n"
        "       table: [[0, 0], [1, 3]]}\n");
    assert_int_equal(s->nroads, 5);
    const tml_road_def *r = &s->roads[0].def;
    assert_int_equal(r->type, TML_ROAD_BUMP);
    CHECK_CLOSE(r->diameter, 0.1175, 1e-16);
    NEAR(r->direction, 0, 1, 0);
    NEAR(r->up, 0, 0, 1);
    NEAR(r->origin, 1, 0, 0.1);
    assert_int_equal(s->roads[0].at.at.line, 3);
    NEAR(s->roads[1].def.up, 0, 0, -1);
    assert_true(isnan(s->roads[1].def.waves));
    assert_int_equal(s->roads[2].def.table_count, 3);
    NEAR(s->roads[2].def.table, 0, 0.1, 1, 0.47, 2.5, 0);
    assert_string_equal(s->roads[4].def.name, "kerb2");
    CHECK_CLOSE(s->roads[4].def.height, 0.2, 1e-16);
    const tml_force_def *t1 = &force(s, "t1")->def, *t2 = &force(s, "t2")->def;
    assert_string_equal(t1->b, "w.hub");
    assert_string_equal(t1->road, "bump");
    assert_true(t1->contact && !t1->normal && t1->table_count == 0);
    assert_true(!t2->contact && t2->normal && t2->table_count == 2);
    CHECK_CLOSE(t2->radius, 0.94, 1e-16);
    tml_spec_destroy(s);
    s = parse_ok("planar: true\nroads: {way: {type: flat}}\n");
    NEAR(s->roads[0].def.up, 0, 1, 0);
    tml_spec_destroy(s);
}

// The shapes of bodies and frames are entries of `shapes`, with the same defaults.
static void shapes_of_bodies(void **state)
{
    (void)state;
    tml_spec *s = parse_ok("defaults: {shapes: {opacity: 0.75}}\n"
                           "bodies:\n"
                           "  arm:\n"
                           "    mass: 1\n"
                           "    shape: [{type: cone, radius: 0.3, length: 2}, {type: mesh, file: a/b.stl}]\n"
                           "    frames: {tip: {position: [1, 2, 3], shape: {type: torus, radius: 1, tube: "
                           "0.25, colour: '#12aB3f'}}}\n"
                           "ground: {frames: {post: {shape: {type: box, size: [1, 2, 3], opacity: 1}}}}\n");
    static const char *const name[] = {"arm_tip", "arm", "arm_2", "ground_post"}, *const at[] = {
                                                                                      "arm.tip", "arm", "arm",
                                                                                      "ground.post"};
    assert_int_equal(s->nshapes, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(s->shapes[i].def.name, name[i]);
        assert_string_equal(s->shapes[i].def.at, at[i]);
        CHECK_CLOSE(s->shapes[i].def.opacity, i < 3 ? 0.75 : 1.0, 0);
    }
    assert_string_equal(s->shapes[0].def.colour, "#12aB3f");
    CHECK_CLOSE(s->shapes[0].def.tube, 0.25, 0);
    assert_string_equal(s->shapes[2].def.file, "a/b.stl");
    CHECK_CLOSE(s->shapes[2].def.scale, 1.0, 0);
    tml_spec_destroy(s);
}

static void gravity_downwards(void **state)
{
    (void)state;
    tml_spec *s = parse_ok("gravity: 1.62\n");
    NEAR(s->gravity, 0, 0, -1.62);
    tml_spec_destroy(s);
    s = parse_ok("planar: true\ngravity: [0.3, -1.1]\n");
    NEAR(s->gravity, 0.3, -1.1, 0);
    tml_spec_destroy(s);
}

static void augment_words(void **state)
{
    (void)state;
    const char *const texts[] = {"run: {augment: true}", "run: {augment: on}", "run: {augment: 0.7}",
                                 "run: {augment: false}"};
    const double want[] = {1, 1, 0.7, 0};
    for (int i = 0; i < 4; i++) {
        tml_spec *s = parse_ok(texts[i]);
        CHECK_CLOSE(s->run.augment, want[i], 0);
        tml_spec_destroy(s);
    }
}

// A hundred thousand entries are read in linear time.
static void large(void **state)
{
    (void)state;
    tml_spec *s = parse_ok(
        "repeat:\n  - {index: i, to: 30000, bodies: {\"b{i}\": {mass: 1, inertia: i}}, joints: {\"j{i}\": "
        "{type: fixed, a: ground, b: \"b{i}\"}}}\n");
    assert_int_equal(s->nbodies, 30000);
    assert_string_equal(s->joints[29999].def.b, "b30000");
    tml_spec_destroy(s);
}

// Quoted texts: over several lines, with escapes, in both kinds of quotes.
static void quoted_texts(void **state)
{
    (void)state;
    tml_spec *s = parse_ok("title: \"one two\n  three\n\n  four \\\n   five \\u00e4\\U0001F600 \\x41\"\n"
                           "bodies: {b: {mass: 1, inertia: 1}}\n");
    assert_string_equal(s->title, "one two three\nfour five \xc3\xa4\xf0\x9f\x98\x80 A");
    tml_spec_destroy(s);
    s = parse_ok("title: 'it''s\n  two lines'\nbodies: {b: {mass: 1, inertia: 1}}\n");
    assert_string_equal(s->title, "it's two lines");
    tml_spec_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_model),
        cmocka_unit_test(spatial_model),
        cmocka_unit_test(axes_of_orientation),
        cmocka_unit_test(repeat_and_include),
        cmocka_unit_test(names_of_indices),
        cmocka_unit_test(overrides),
        cmocka_unit_test(json_too),
        cmocka_unit_test(roads_and_tyres),
        cmocka_unit_test(shapes_of_bodies),
        cmocka_unit_test(gravity_downwards),
        cmocka_unit_test(augment_words),
        cmocka_unit_test(large),
        cmocka_unit_test(quoted_texts),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}

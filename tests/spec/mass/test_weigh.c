// Bodies with a density: integrals of shapes against sums over a grid of points, and what becomes of frames.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "spec/mass/integrals.h"
#include "spec/spec.h"

#include <unistd.h>

enum { GRID = 120 };

static double above(double x) { return x > 0 ? x : 0; }

// Shapes about the z axis, at the origin; a plain test of every point.
static bool is_inside(const tml_shape_def *d, vec3 x)
{
    const double away = hypot(x.x, x.y), r = d->radius, half = d->length / 2;
    switch (d->type) {
    case TML_SHAPE_SPHERE: return v3_norm(x) < r;
    case TML_SHAPE_CYLINDER: return away < r && fabs(x.z) < half;
    case TML_SHAPE_CAPSULE: return hypot(away, above(fabs(x.z) - half)) < r;
    case TML_SHAPE_CONE: return fabs(x.z) < half && away < r * (half - x.z) / d->length;
    case TML_SHAPE_TORUS: return hypot(away - r, x.z) < d->tube;
    default: return false;
    }
}

static tml_shape_def shape_of(tml_shape_type type)
{
    tml_shape_def d = tml_shape_def_default();
    d.name = "s";
    d.type = type;
    d.radius = 0.371;
    if (type == TML_SHAPE_CYLINDER || type == TML_SHAPE_CAPSULE || type == TML_SHAPE_CONE) d.length = 0.83;
    if (type == TML_SHAPE_TORUS) d.tube = 0.119;
    return d;
}

static void grid(void **state)
{
    (void)state;
    const double reach = 0.8, h = 2 * reach / GRID;
    for (int type = 0; type < TML_SHAPE_TYPES; type++) {
        // faces along the grid count whole layers of points; boxes are below
        if (type == TML_SHAPE_PLANE || type == TML_SHAPE_MESH || type == TML_SHAPE_BOX ||
            type == TML_SHAPE_PROFILE || type == TML_SHAPE_HEIGHT_FIELD)
            continue;
        const tml_shape_def d = shape_of((tml_shape_type)type);
        tmli_integrals exact, sum = {0};
        assert_true(tmli_integrals_of_shape(&d, false, &exact));
        for (int i = 0; i < GRID * GRID * GRID; i++) {
            const vec3 x = v3(h * (i % GRID + 0.5) - reach, h * (i / GRID % GRID + 0.5) - reach,
                              h * (i / GRID / GRID + 0.5) - reach);
            if (!is_inside(&d, x)) continue;
            sum.volume += h * h * h;
            sum.first = v3_axpy(h * h * h, x, sum.first);
            const mat3 xx = m3_outer(x, x), part = m3_scale(h * h * h, &xx);
            sum.second = m3_add(&sum.second, &part);
        }
        // points at the surface: h over the size of a shape, and the signs cancel
        assert_true(fabs(sum.volume - exact.volume) < 0.02 * exact.volume);
        assert_true(v3_norm(v3_sub(sum.first, exact.first)) < 0.01 * exact.volume);
        for (int k = 0; k < 9; k++)
            assert_true(fabs(sum.second.m[k] - exact.second.m[k]) <
                        0.03 * exact.second.m[k - k % 3 + k / 3] + 1e-4);
    }
}

static tml_spec *spec_with_body(double density)
{
    tml_spec *spec = NULL;
    assert_int_equal(tml_spec_create(NULL, &spec, NULL), TML_OK);
    tml_body_def b = tml_body_def_default();
    b.name = "part";
    b.density = density;
    b.position[0] = 1.3;
    b.orientation[0] = b.orientation[3] = sqrt(0.5);  // a quarter turn about z
    b.angular_velocity[2] = 2.5;
    assert_int_equal(tml_spec_add_body(spec, &b, NULL), TML_OK);
    return spec;
}

static void add_frame(tml_spec *spec, const char *name, double x, double y, double z)
{
    tml_frame_def f = tml_frame_def_default();
    f.body = "part";
    f.name = name;
    f.position[0] = x;
    f.position[1] = y;
    f.position[2] = z;
    assert_int_equal(tml_spec_add_frame(spec, &f, NULL), TML_OK);
}

static void add_box(tml_spec *spec, const char *name, const char *at, double a, double b, double c)
{
    tml_shape_def d = tml_shape_def_default();
    d.name = name;
    d.type = TML_SHAPE_BOX;
    d.at = at;
    d.edges[0] = a;
    d.edges[1] = b;
    d.edges[2] = c;
    tml_error err = {0};
    if (tml_spec_add_shape(spec, &d, &err) != TML_OK) fail_msg("%s", err.msg);
}

static void assert_near(double x, double y) { assert_true(fabs(x - y) < 1e-12 * fmax(1, fabs(y))); }

// Two boxes side by side are one box, whose centre is not at the origin of the body.
static void centre(void **state)
{
    (void)state;
    tml_spec *spec = spec_with_body(700);
    add_frame(spec, "tip", 0.9, 0, 0);
    add_frame(spec, "second", 0.5, 0, 0);
    add_box(spec, "one", "part", 0.4, 0.3, 0.2);
    add_box(spec, "two", "part.second", 0.6, 0.3, 0.2);
    tml_error err = {0};
    assert_int_equal(tml_spec_weigh(spec, &err), TML_OK);
    const tml_body_def *b = &spec->bodies[0].def;
    const double m = 700 * 1.0 * 0.3 * 0.2;
    assert_near(b->mass, m);
    assert_near(b->inertia[0], m * (0.09 + 0.04) / 12);
    assert_near(b->inertia[1], m * (1 + 0.04) / 12);
    assert_near(b->inertia[2], m * (1 + 0.09) / 12);
    for (int k = 3; k < 6; k++) assert_near(b->inertia[k], 0);
    // the centre is at 0.3 along x of the body, which is y at the start
    assert_near(b->position[0], 1.3);
    assert_near(b->position[1], 0.3);
    assert_near(b->velocity[0], -2.5 * 0.3);
    assert_near(b->velocity[1], 0);
    assert_near(spec->frames[0].def.position[0], 0.6);
    assert_string_equal(spec->frames[2].def.name, "origin");
    assert_near(spec->frames[2].def.position[0], -0.3);
    assert_string_equal(spec->shapes[0].def.at, "part.origin");
    assert_string_equal(spec->shapes[1].def.at, "part.second");
    // once is enough
    assert_int_equal(tml_spec_weigh(spec, &err), TML_OK);
    assert_near(b->mass, m);
    tml_spec_destroy(spec);
}

// A box of twelve triangles in the corner of the first octant, in OBJ.
static const char corners[] = "v 0 0 0\nv 2 0 0\nv 2 3 0\nv 0 3 0\nv 0 0 5\nv 2 0 5\nv 2 3 5\nv 0 3 5\n"
                              "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\n";

static void write_mesh(const char *last_face)
{
    FILE *f = fopen("box.obj", "w");
    assert_non_null(f);
    fputs(corners, f);
    fputs(last_face, f);
    fclose(f);
}

static tml_status weigh_mesh(tml_spec **spec, tml_error *err)
{
    *spec = spec_with_body(1000);
    tml_shape_def d = tml_shape_def_default();
    d.name = "part";
    d.type = TML_SHAPE_MESH;
    d.file = "box.obj";
    d.scale = 0.1;
    assert_int_equal(tml_spec_add_shape(*spec, &d, err), TML_OK);
    return tml_spec_weigh(*spec, err);
}

static void meshes(void **state)
{
    (void)state;
    tml_spec *spec;
    tml_error err = {0};
    write_mesh("f 2 3 7 6\n");
    if (weigh_mesh(&spec, &err) != TML_OK) fail_msg("%s", err.msg);
    const tml_body_def *b = &spec->bodies[0].def;
    // vertices are numbers of 24 bits
    assert_true(fabs(b->mass - 30) < 1e-5);
    assert_true(fabs(b->inertia[0] - 30 * (0.09 + 0.25) / 12) < 1e-6);
    assert_true(fabs(b->inertia[2] - 30 * (0.04 + 0.09) / 12) < 1e-6);
    assert_true(fabs(b->inertia[3]) < 1e-6 && fabs(b->inertia[5]) < 1e-6);
    assert_true(fabs(spec->frames[0].def.position[2] + 0.25) < 1e-7);
    tml_spec_destroy(spec);
    write_mesh("");  // a side is missing
    assert_int_equal(weigh_mesh(&spec, &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "not closed: 4 of its edges"));
    tml_spec_destroy(spec);
    write_mesh("f 6 7 3 2\n");  // a side looks inwards
    assert_int_equal(weigh_mesh(&spec, &err), TML_ERR_MODEL);
    tml_spec_destroy(spec);
    unlink("box.obj");
}

static void refused(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_spec *spec = spec_with_body(700);
    assert_int_equal(tml_spec_weigh(NULL, &err), TML_ERR_ARG);
    assert_int_equal(tml_spec_weigh(spec, &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "no shape"));
    tml_shape_def d = tml_shape_def_default();
    d.name = "part";
    d.type = TML_SHAPE_PLANE;
    assert_int_equal(tml_spec_add_shape(spec, &d, &err), TML_OK);
    assert_int_equal(tml_spec_weigh(spec, &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "plane"));
    tml_spec_destroy(spec);
}

// A stadium in the plane, by its parts: a rectangle and two half discs.
static void plane_figures(void **state)
{
    (void)state;
    tml_shape_def d = shape_of(TML_SHAPE_CAPSULE);
    d.axis[0] = 1;
    d.axis[2] = 0;
    tmli_integrals exact, sum = {0};
    assert_true(tmli_integrals_of_shape(&d, true, &exact));
    const double reach = 0.8, h = 2 * reach / 1000;
    for (int i = 0; i < 1000 * 1000; i++) {
        const vec3 x = v3(h * (i % 1000 + 0.5) - reach, h * (i / 1000 + 0.5) - reach, 0);
        if (hypot(x.y, above(fabs(x.x) - d.length / 2)) >= d.radius) continue;
        sum.volume += h * h;
        sum.second.m[0] += h * h * x.x * x.x;
        sum.second.m[4] += h * h * x.y * x.y;
    }
    assert_true(fabs(sum.volume - exact.volume) < 1e-3);
    assert_true(fabs(sum.second.m[0] - exact.second.m[0]) < 1e-3 && exact.second.m[8] == 0);
    assert_true(fabs(sum.second.m[4] - exact.second.m[4]) < 1e-3);
    d.type = TML_SHAPE_CONE;
    assert_false(tmli_integrals_of_shape(&d, true, &exact));
}

// A rectangle with corners rounded by r, and an ellipse by the points of a spline, both beside the origin.
static void profiles(void **state)
{
    (void)state;
    enum { POINTS = 60 };
    const double pi = 3.14159265358979324, r = 0.05, a = 0.4, b = 0.3, corner = (4 - pi) * r * r;
    const double box[] = {0.1, 0.2, 0, 0.5, 0.2, 0, 0.5, 0.5, 0, 0.1, 0.5, 0};
    double ellipse[3 * POINTS];
    for (int i = 0; i < POINTS; i++) {
        ellipse[3 * i] = 0.3 + 0.2 * cos(2 * pi * i / POINTS);
        ellipse[3 * i + 1] = 0.35 + 0.1 * sin(2 * pi * i / POINTS);
        ellipse[3 * i + 2] = 0;
    }
    for (int k = 0; k < 2; k++) {
        tml_spec *spec = spec_with_body(30);
        tml_spec_set_planar(spec, true);
        tml_shape_def d = tml_shape_def_default();
        tml_error err = {0};
        d.name = "part";
        d.type = TML_SHAPE_PROFILE;
        d.outline = k == 0 ? TML_OUTLINE_LINEAR : TML_OUTLINE_SPLINE;
        if (k == 0) d.rounding = r;
        d.points = k == 0 ? box : ellipse;
        d.point_count = k == 0 ? 4 : POINTS;
        assert_int_equal(tml_spec_add_shape(spec, &d, &err), TML_OK);
        assert_int_equal(tml_spec_weigh(spec, &err), TML_OK);
        const tml_body_def *body = &spec->bodies[0].def;
        // a corner that is lost, a square less a quarter disc: its centre from the middle of the disc is
        // (r^3/2 - r^3/3)/(r^2 - pi r^2/4) along both axes, its second moments r^4/3 - pi r^4/16
        const double one = corner / 4, c = r * r * r / 6 / one,
                     own = 2 * (pow(r, 4) / 3 - pi * pow(r, 4) / 16) - 2 * one * c * c,
                     away = pow(a / 2 - r + c, 2) + pow(b / 2 - r + c, 2);
        const double area = k == 0 ? a * b - corner : pi * 0.2 * 0.1,
                     J = k == 0 ? a * b * (a * a + b * b) / 12 - 4 * (own + one * away)
                                : area * (0.04 + 0.01) / 4,
                     tolerance = k == 0 ? 1e-9 : 1e-5;  // Gauss on arcs; the spline of 60 points
        assert_true(fabs(body->mass - 30 * area) < tolerance * 30 * area);
        assert_true(fabs(body->inertia[2] - 30 * J) < tolerance * 30 * J);
        // a quarter turn about z
        assert_true(fabs(body->position[0] - (1.3 - 0.35)) < tolerance);
        assert_true(fabs(body->position[1] - 0.3) < tolerance);
        tml_spec_destroy(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grid),     cmocka_unit_test(centre),
                                       cmocka_unit_test(profiles), cmocka_unit_test(meshes),
                                       cmocka_unit_test(refused),  cmocka_unit_test(plane_figures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

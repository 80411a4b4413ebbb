// What names mean: values of expressions against formulas of the poses, rates against derivatives along a
// motion.
#include "system/multibody_fixture.h"

static const char *const values[] = {
    "t",
    "A.x",
    "A.z",
    "B.f.x",
    "B.f.y",
    "ground.f.z",
    "P.y",
    "A.wx",
    "B.wz",
    "A.q0",
    "A.q3",
    "B.angle",
    "C.angle",
    "j.angle",
    "j.distance",
    "s.length",
    "s.force",
    "w.angle",
    "w.force",
    "distance(A.f, C.g)",
    "angle(B.f, C.g)",
    "3*A.y - 2*B.x",
};
// value and the name of its rate
static const char *const pairs[][2] = {
    {"A.x", "A.vx"},           {"B.f.y", "B.f.vy"},   {"P.z", "P.vz"},
    {"B.angle", "B.rate"},     {"j.angle", "j.rate"}, {"j.distance", "j.speed"},
    {"s.length", "s.rate"},    {"w.angle", "w.rate"}, {"distance(A.f, C.g)", "speed(A.f, C.g)"},
    {"C.f.angle", "C.f.rate"},
};
enum { VALUES = sizeof values / sizeof *values, PAIRS = sizeof pairs / sizeof *pairs };

static mb *open_named(void)
{
    draft d = mb_draft(88, false, false);
    tml_error err = {0};
    const char *const bodies[] = {"A", "B", "C", "P", "ground"};
    for (int i = 0; i < 4; i++) mb_add_body(&d, bodies[i], i == 3);
    for (int i = 0; i < 5; i++) {
        mb_add_frame(&d, bodies[i], "f");
        mb_add_frame(&d, bodies[i], "g");
    }
    mb_add_joint_between(&d, TML_JOINT_CYLINDRICAL, "j", "A.f", "B.f");
    d.a = "A.f";
    d.b = "B.g";
    mb_add_scalar(&d, 0);  // spring s
    tml_force_def w = tml_force_def_default();
    w.name = "w";
    w.type = TML_FORCE_TORSION;
    w.a = "ground.f";
    w.b = "C.f";
    w.stiffness = 3.7;
    w.damping = 0.9;
    w.free = 0.2;
    assert_int_equal(tml_spec_add_force(d.spec, &w, &err), TML_OK);
    for (int i = 0; i < VALUES + 2 * PAIRS; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%d", i);
        tml_output_def out = tml_output_def_default();
        out.name = name;
        out.value = i < VALUES ? values[i] : pairs[(i - VALUES) / 2][(i - VALUES) % 2];
        if (tml_spec_add_output(d.spec, &out, &err) != TML_OK) fail_msg("%s", err.msg);
    }
    return mb_open_spec(d.spec, "names");
}

static double value_at(mb *s, const tml_state *x, int output)
{
    tmli_mb_set_poses(s->model, s->w, x->q);
    return tmli_mb_expression(s->model, s->w, x, &s->model->output[output].value);
}

static double value_of(mb *s, const char *text)
{
    for (int i = 0; i < VALUES; i++)
        if (strcmp(values[i], text) == 0) return value_at(s, s->x, i);
    fail_msg("no value %s", text);
    return 0;
}

typedef struct frame {
    vec3 P;
    mat3 E;
} frame;

// body -1: ground; the frame's number in the spec
static frame frame_at(const mb *s, int body, int which)
{
    const tml_frame_def *f = &s->spec->frames[which].def;
    const double *q = s->x->q + 7 * (body < 0 ? 0 : body);
    const mat3 R = body < 0 ? m3_identity() : q_matrix(q_from(q + 3)), C = q_matrix(q_from(f->orientation));
    const vec3 r = body < 0 ? v3(0, 0, 0) : v3_from(q);
    return (frame){v3_add(r, m3_mulv(&R, v3_from(f->position))), m3_mul(&R, &C)};
}

static double twist(const mat3 *a, const mat3 *b)  // from x of a to x of b about z of a
{
    return atan2(v3_dot(m3_col(a, 1), m3_col(b, 0)), v3_dot(m3_col(a, 0), m3_col(b, 0)));
}

static void named_values(void **state)
{
    (void)state;
    mb *s = open_named();
    rng r = rng_seed(1423);
    for (int round = 0; round < 3; round++) {
        mb_random_state(s, &r);
        memset(s->x->angle, 0, (size_t)s->sys->na * sizeof(double));  // the turn nearest to 0
        const tml_state *x = s->x;
        const frame Af = frame_at(s, 0, 0), Bf = frame_at(s, 1, 2), Bg = frame_at(s, 1, 3),
                    Cf = frame_at(s, 2, 4);
        const frame Cg = frame_at(s, 2, 5), gf = frame_at(s, -1, 8);
        const mat3 one = m3_identity(), RB = q_matrix(q_from(x->q + 10)), RC = q_matrix(q_from(x->q + 17));
        const double tol = 1e-14 * 20;  // some 20 roundings of numbers near 1
        CHECK_CLOSE(value_of(s, "t"), x->t, 0);
        CHECK_CLOSE(value_of(s, "A.x"), x->q[0], tol);
        CHECK_CLOSE(value_of(s, "A.z"), x->q[2], tol);
        CHECK_CLOSE(value_of(s, "B.f.x"), Bf.P.x, tol);
        CHECK_CLOSE(value_of(s, "B.f.y"), Bf.P.y, tol);
        CHECK_CLOSE(value_of(s, "ground.f.z"), gf.P.z, tol);
        CHECK_CLOSE(value_of(s, "P.y"), x->q[22], tol);
        CHECK_CLOSE(value_of(s, "A.wx"), x->u[3], 0);
        CHECK_CLOSE(value_of(s, "B.wz"), x->u[11], 0);
        CHECK_CLOSE(value_of(s, "A.q0"), x->q[3], 0);
        CHECK_CLOSE(value_of(s, "A.q3"), x->q[6], 0);
        CHECK_CLOSE(value_of(s, "B.angle"), twist(&one, &RB), tol);
        CHECK_CLOSE(value_of(s, "C.angle"), twist(&one, &RC), tol);
        CHECK_CLOSE(value_of(s, "j.angle"), twist(&Af.E, &Bf.E), tol);
        CHECK_CLOSE(value_of(s, "j.distance"), v3_dot(m3_col(&Af.E, 2), v3_sub(Bf.P, Af.P)), tol);
        CHECK_CLOSE(value_of(s, "s.length"), v3_norm(v3_sub(Bg.P, Af.P)), tol);
        CHECK_CLOSE(value_of(s, "w.angle"), twist(&gf.E, &Cf.E), tol);
        CHECK_CLOSE(value_of(s, "distance(A.f, C.g)"), v3_norm(v3_sub(Cg.P, Af.P)), tol);
        CHECK_CLOSE(value_of(s, "angle(B.f, C.g)"), twist(&Bf.E, &Cg.E), tol);
        CHECK_CLOSE(value_of(s, "3*A.y - 2*B.x"), 3 * x->q[1] - 2 * x->q[7], tol);
        const double rate = value_at(s, x, VALUES + 13), spin = value_at(s, x, VALUES + 15);
        CHECK_CLOSE(value_of(s, "s.force"), 37.3 * (value_of(s, "s.length") - 0.77) + 2.9 * rate, 1e-12);
        CHECK_CLOSE(value_of(s, "w.force"), 3.7 * (value_of(s, "w.angle") - 0.2) + 0.9 * spin, 1e-12);
    }
    mb_close(s);
}

static void output_of(mb *s, const tml_state *x, const void *context, double *out)
{
    out[0] = value_at(s, x, *(const int *)context);
}

static void rates(void **state)
{
    (void)state;
    mb *s = open_named();
    rng r = rng_seed(61);
    for (int round = 0; round < 3; round++) {
        mb_random_state(s, &r);
        for (int i = 0; i < PAIRS; i++) {
            const int value = VALUES + 2 * i;
            double want;
            mb_derivative(s, &(mb_curve){.d = s->x->u, .t = 1}, output_of, &value, 1, &want);
            mb_compare(s, pairs[i][1], i, 0, value_at(s, s->x, value + 1), want, 1);
        }
    }
    mb_close(s);
}

static void coordinate_and_row_names(void **state)
{
    (void)state;
    mb *s = open_named();
    char buf[64];
    assert_string_equal(s->sys->coordinate_name(s->sys, 0, buf, sizeof buf), "A.x");
    assert_string_equal(s->sys->coordinate_name(s->sys, 10, buf, sizeof buf), "B.ry");
    assert_string_equal(s->sys->coordinate_name(s->sys, 20, buf, sizeof buf), "P.z");
    assert_string_equal(s->sys->row_name(s->sys, 2, buf, sizeof buf), "joint 'j' (row 3 of 4)");
    assert_string_equal(s->sys->row_unit(s->sys, 2), "m");
    assert_string_equal(s->sys->row_unit(s->sys, 0), "rad");
    mb_close(s);
}

// Rows of joints are lengths or angles; those of a rack are lengths.
static void row_units(void **state)
{
    (void)state;
    static const char text[] =
        "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, position: [1, 0, 0]},"
        "  c: {mass: 1, inertia: 1, position: [3, 0, 0]}}\n"
        "joints:\n"
        "  pin: {type: revolute, a: ground, b: a}\n"
        "  slide: {type: prismatic, a: ground, b: b, axis: [1, 0, 0]}\n"
        "  rack: {type: rack, first: slide.distance, second: pin.angle, ratio: 0.3}\n"
        "  rod: {type: distance, a: b, b: c}\n"
        "  level: {type: point-on-plane, a: ground, b: c}\n"
        "  turned: {type: perpendicular, a: a, b: c}\n"
        "  motor: {type: driver, of: pin.angle, motion: t}\n";
    static const struct {
        const char *joint, *units;
    } known[] = {{"pin", "mmmrr"}, {"slide", "rrmmr"}, {"rack", "m"}, {"rod", "m"},
                 {"level", "m"},   {"turned", "r"},    {"motor", "r"}};
    tml_spec *spec = NULL;
    tml_error err = {0};
    if (tml_spec_parse(text, strlen(text), "units.yaml", NULL, 0, NULL, &spec, &err) != TML_OK)
        fail_msg("%s", err.msg);
    mb *s = mb_open_spec(spec, "units");
    int rows = 0;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        char units[8] = "";
        for (int r = 0; r < s->m; r++) {
            if (strcmp(s->model->constraint[s->model->row_owner[r]].name, known[k].joint) != 0) continue;
            strncat(units, s->sys->row_unit(s->sys, r), 1);
            rows++;
        }
        assert_string_equal(units, known[k].units);
    }
    assert_int_equal(rows, s->m);
    mb_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_values), cmocka_unit_test(rates),
                                       cmocka_unit_test(coordinate_and_row_names),
                                       cmocka_unit_test(row_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

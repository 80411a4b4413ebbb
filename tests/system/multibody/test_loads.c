// Friction whose load is the reaction of its joint: derivatives of its force against difference quotients of
// the residual, by multipliers and by positions.
#include "system/multibody_fixture.h"

static void motion_of(mb *s, const tml_state *x, const void *context, double *out)
{
    double phi[MB_NM];
    tml_error err = {0};
    (void)context;
    assert_int_equal(s->ops->residual(s->self, s->w, x, NULL, out, phi, &err), TML_OK);
}

static mb *open_text(const char *joint)
{
    char text[900];
    tml_error err = {0};
    tml_spec *spec = NULL;
    snprintf(text, sizeof text,
             "bodies:\n"
             "  A: {mass: 1.3, inertia: [0.4, 0.5, 0.6], position: [0.3, 0.1, 0.2]}\n"
             "  B: {mass: 0.7, inertia: [0.2, 0.3, 0.4], position: [0.9, -0.4, 0.5]}\n"
             "joints: {j: {%s, point: [0.6, 0.2, 0.1], axis: [0.3, 0.5, 0.8]}}\n",
             joint);
    assert_int_equal(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err), TML_OK);
    return mb_open_spec(spec, joint);
}

// first: mode of the first discontinuity; others: of the next
static void check(mb *s, double first, double others)
{
    rng r = rng_seed(91);
    double A[MB_NM * MB_NM], e[MB_NM] = {0}, column[MB_NM], row[MB_NM];
    const int nm = s->n + s->m;
    assert_true(s->sys->loads);
    for (int round = 0; round < 5; round++) {
        mb_random_state(s, &r);
        for (int i = 0; i < s->x->nmode; i++) s->x->mode[i] = i == 0 ? first : others;
        for (int i = 0; i < s->m; i++) row[i] = rng_range(&r, 0.4, 3);
        mb_assemble_dense(s, s->x, &(tml_assembly){.r = row, .loads = true}, A);
        for (int j = 0; j < s->m; j++) {
            e[j] = 1;
            mb_derivative(s, &(mb_curve){.lambda = e}, motion_of, NULL, s->n, column);
            e[j] = 0;
            for (int i = 0; i < s->n; i++)
                mb_compare(s, "column", i, j, A[i * nm + s->n + j], row[j] * column[i], 1);
        }
        for (int part = 0; part < 2; part++) {
            mb_assemble_dense(s, s->x, &(tml_assembly){.ck = part == 0, .cd = part == 1}, A);
            const double scale = mb_largest(A, nm * nm);
            for (int j = 0; j < s->n; j++) {
                const mb_curve c = {.d = part == 0 ? e : NULL, .u = part == 1 ? e : NULL};
                e[j] = 1;
                mb_derivative(s, &c, motion_of, NULL, s->n, column);
                e[j] = 0;
                for (int i = 0; i < s->n; i++)
                    mb_compare(s, part == 0 ? "K" : "D", i, j, A[i * nm + j], column[i], scale);
            }
        }
    }
    mb_close(s);
}

static void check_joint(const char *joint)
{
    check(open_text(joint), 1, 0);
    check(open_text(joint), -1, 0);
}

static void derivatives(void **state)
{
    (void)state;
#define LOAD "coefficient: 0.3, static_coefficient: 0.4, stribeck: 0.7, load: reaction"
    check_joint("type: revolute, a: A, b: B, friction: {radius: 0.2, " LOAD "}");
    check_joint("type: revolute, a: ground, b: B, friction: {radius: 0.2, viscous: 0.3, " LOAD "}");
    check_joint("type: prismatic, a: A, b: ground, friction: {" LOAD "}");
    check_joint("type: cylindrical, a: A, b: B, friction: {radius: 0.2, law: regularized, creep: 0.8, " LOAD
                "}");
    check_joint("type: prismatic, a: B, b: A, friction: {law: lugre, bristle_stiffness: 2, bristle_damping: "
                "0.4, " LOAD "}");
#undef LOAD
}

// A ball and a box that slip on a plane of a body: closed normals, a direction of slip.
static void contact(void **state)
{
    (void)state;
    static const char *const shapes[] = {"sphere, radius: 0.4", "capsule, radius: 0.2, length: 0.5"};
    for (int i = 0; i < 2; i++) {
        char text[900];
        tml_error err = {0};
        tml_spec *spec = NULL;
        snprintf(
            text, sizeof text,
            "bodies:\n"
            "  A: {mass: 1.3, inertia: [0.4, 0.5, 0.6], position: [0.3, 0.1, 0.2]}\n"
            "  B: {mass: 0.7, inertia: [0.2, 0.3, 0.4], position: [0.9, -0.4, 2.5]}\n"
            "shapes: {B: {type: %s}, floor: {type: plane, at: A, normal: [0.2, 0.3, 1]}}\n"
            "contacts: {hit: {a: B, b: floor, law: rigid, restitution: 0.2, friction: {coefficient: 0.4}}}\n",
            shapes[i]);
        assert_int_equal(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err), TML_OK);
        mb *s = mb_open_spec(spec, shapes[i]);
        // closed and slipping along 0.9 rad, as rigid_slip.c has it; the second end of the capsule is open
        check(s, 2, 16.9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(contact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

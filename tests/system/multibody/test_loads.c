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

static void check(const char *joint)
{
    mb *s = open_text(joint);
    rng r = rng_seed(91);
    double A[MB_NM * MB_NM], e[MB_NM] = {0}, column[MB_NM], row[MB_NM];
    const int nm = s->n + s->m;
    assert_true(s->sys->loads);
    for (int round = 0; round < 5; round++) {
        mb_random_state(s, &r);
        for (int i = 0; i < s->x->nmode; i++) s->x->mode[i] = round % 2 ? 1 : -1;  // directions of slip
        for (int i = 0; i < s->m; i++) row[i] = rng_range(&r, 0.4, 3);
        mb_assemble_dense(s, s->x, &(tml_assembly){.r = row, .loads = true}, A);
        for (int j = 0; j < s->m; j++) {
            e[j] = 1;
            mb_derivative(s, &(mb_curve){.lambda = e}, motion_of, NULL, s->n, column);
            e[j] = 0;
            for (int i = 0; i < s->n; i++)
                mb_compare(s, "column", i, j, A[i * nm + s->n + j], row[j] * column[i], 1);
        }
        mb_assemble_dense(s, s->x, &(tml_assembly){.ck = 1}, A);
        const double scale = mb_largest(A, nm * nm);
        for (int j = 0; j < s->n; j++) {
            e[j] = 1;
            mb_derivative(s, &(mb_curve){.d = e}, motion_of, NULL, s->n, column);
            e[j] = 0;
            for (int i = 0; i < s->n; i++) mb_compare(s, "K", i, j, A[i * nm + j], column[i], scale);
        }
    }
    mb_close(s);
}

static void derivatives(void **state)
{
    (void)state;
#define LOAD "coefficient: 0.3, static_coefficient: 0.4, stribeck: 0.7, load: reaction"
    check("type: revolute, a: A, b: B, friction: {radius: 0.2, " LOAD "}");
    check("type: revolute, a: ground, b: B, friction: {radius: 0.2, viscous: 0.3, " LOAD "}");
    check("type: prismatic, a: A, b: ground, friction: {" LOAD "}");
    check("type: cylindrical, a: A, b: B, friction: {radius: 0.2, law: regularized, creep: 0.8, " LOAD "}");
    check("type: prismatic, a: B, b: A, friction: {law: lugre, bristle_stiffness: 2, bristle_damping: "
          "0.4, " LOAD "}");
#undef LOAD
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

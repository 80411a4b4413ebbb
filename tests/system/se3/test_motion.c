// The checks of test_multibody_motion.c with every subject on SE(3), and what only the motion formalism has.
#define MB_ON_SE3
#define main motion_main
#include "system/multibody/test_motion.c"
#undef main

// The same equations: residuals of the model turned into the body frames, velocities there and back.
static void check_base(mb *s, const subject *k, rng *r)
{
    (void)k;
    const tml_system *base = tml_model_system(s->model);
    double u[MB_N], udot[MB_N], V[MB_N], Vdot[MB_N], motion[2][MB_N], phi[2][MB_NM], p[MB_NM];
    tml_error err = {0};
    mb_random_state(s, r);
    for (int i = 0; i < s->m; i++) p[i] = rng_range(r, 1, 9);
    tmli_se3_to_base(s->sys, s->x->q, s->x->u, s->x->udot, u, udot);
    tmli_se3_from_base(s->sys, s->x->q, u, udot, V, Vdot);
    for (int i = 0; i < s->n; i++) {
        CHECK_CLOSE(V[i], s->x->u[i], 1e-14);  // a turn and its inverse
        CHECK_CLOSE(Vdot[i], s->x->udot[i], 3e-14);
    }
    // u is the rate of change of the positions
    const double h = 1e-6;
    for (int side = 0; side < 2; side++) {
        double d[MB_N], q[56], inc[MB_N];
        for (int i = 0; i < s->n; i++) d[i] = (side ? h : -h) * s->x->u[i];
        s->ops->retract(s->self, s->x->q, d, q);
        base->ops->local(base->self, s->x->q, q, inc);
        for (int i = 0; i < s->n; i++)
            CHECK_CLOSE(inc[i] / (side ? h : -h), u[i], 1e-5);  // h times products of velocities
    }
    assert_int_equal(s->ops->residual(s->self, s->w, s->x, p, motion[0], phi[0], &err), TML_OK);
    tml_state y = *s->x;
    y.u = u;
    y.udot = udot;
    assert_int_equal(base->ops->residual(base->self, s->poses, &y, p, motion[1], phi[1], &err), TML_OK);
    for (int i = 0; i < s->m; i++) assert_true(phi[0][i] == phi[1][i]);
    for (int i = 0; i < s->n; i++) V[i] = rng_range(r, -1, 1);  // the power of any motion is the same
    tmli_se3_to_base(s->sys, s->x->q, V, Vdot, u, udot);
    double power[2] = {0}, size = 1;
    for (int i = 0; i < s->n; i++) {
        power[0] += motion[0][i] * V[i];
        power[1] += motion[1][i] * u[i];
        size += fabs(motion[0][i]);
    }
    CHECK_CLOSE(power[0], power[1], 1e-13 * size);
}

static void same_equations(void **state)
{
    (void)state;
    mb_for_all(check_base);
}

// residual_rows is residual and rows in one; T(d) d is d unless the system says that it is bent.
static void check_contract(mb *s, const subject *k, rng *r)
{
    (void)k;
    double p[MB_NM], motion[2][MB_N], phi[2][MB_NM], d[MB_N], out[MB_N], off = 0;
    const int entries = s->sys->rowptr[s->m];
    double *rows = calloc(2 * (size_t)entries + 1, sizeof *rows);
    tml_error err = {0};
    assert_non_null(rows);
    mb_random_state(s, r);
    for (int i = 0; i < s->m; i++) p[i] = rng_range(r, 1, 9);
    assert_int_equal(s->ops->residual(s->self, s->w, s->x, p, motion[0], phi[0], &err), TML_OK);
    assert_int_equal(s->ops->rows(s->self, s->w, s->x, rows, &err), TML_OK);
    assert_int_equal(s->ops->residual_rows(s->self, s->w, s->x, p, motion[1], phi[1], rows + entries, &err),
                     TML_OK);
    for (int i = 0; i < s->n; i++) assert_true(motion[0][i] == motion[1][i]);
    for (int i = 0; i < s->m; i++) assert_true(phi[0][i] == phi[1][i]);
    for (int i = 0; i < entries; i++) assert_true(rows[i] == rows[entries + i]);
    free(rows);
    for (int i = 0; i < s->n; i++) d[i] = rng_range(r, 0.5, 1);
    s->ops->tangent(s->self, d, d, out);
    for (int i = 0; i < s->n; i++) off = fmax(off, fabs(out[i] - d[i]));
    assert_true(s->sys->retraction_curved ? off > 0.01 : off < 1e-14);  // Cayley's map: |theta|^2/4 of it
}

static void contract(void **state)
{
    (void)state;
    mb_for_all(check_contract);
}

static void check_operators(mb *s, const subject *k, rng *r)
{
    (void)k;
    double d[MB_N], v[MB_N], out[MB_N], back[MB_N], q[56], one[56], two[56];
    mb_random_state(s, r);
    for (int i = 0; i < s->n; i++) {
        d[i] = rng_range(r, -0.8, 0.8);
        v[i] = rng_range(r, -0.8, 0.8);
    }
    tmli_se3_system_tangent(s->self, d, v, out);
    s->ops->tangent_inverse(s->self, d, out, back);
    for (int i = 0; i < s->n; i++) CHECK_CLOSE(back[i], v[i], 2e-14);  // some dozen roundings
    tmli_se3_system_compose(s->self, d, v, out);
    s->ops->retract(s->self, s->x->q, d, q);
    s->ops->retract(s->self, q, v, two);
    s->ops->retract(s->self, s->x->q, out, one);
    for (int i = 0; i < s->sys->nq; i++)
        CHECK_SMALL(fmin(fabs(one[i] - two[i]), fabs(one[i] + two[i])), 2e-14);
    char name[64], want[64];
    const tml_system *base = tml_model_system(s->model);
    for (int i = 0; i < s->n; i++)
        assert_string_equal(s->sys->coordinate_name(s->sys, i, name, sizeof name),
                            base->coordinate_name(base, i, want, sizeof want));
    for (int i = 0; i < s->m; i++)
        assert_string_equal(s->sys->row_name(s->sys, i, name, sizeof name),
                            base->row_name(base, i, want, sizeof want));
}

static void operators(void **state)
{
    (void)state;
    mb_for_all(check_operators);
}

// A joint between two bodies, when all move as one: B of the moved world is B with its rows carried there.
static void check_carry(mb *s, const subject *k, rng *r)
{
    if (k->add != mb_add_joint || !strstr(s->name, "A.f-B.f")) return;
    const bool planar = s->model->planar;
    double q[56], B[2][MB_NM * MB_N], column[MB_NM];
    mb_random_state(s, r);
    const double a = rng_range(r, -1, 1), b = rng_range(r, -1, 1);
    const quat turn = q_normalize(planar ? (quat){a, 0, 0, b} : (quat){a, b, 0.7, -0.4});
    const mat3 Q = q_matrix(turn);
    for (int i = 0; i < s->model->nnodes; i++) {
        const vec3 p = m3_mulv(&Q, v3_from(s->x->q + 7 * i));
        v3_store(v3_add(p, v3(0.3, -0.8, planar ? 0 : 1.1)), q + 7 * i);
        q_store(q_mul(turn, q_from(s->x->q + 7 * i + 3)), q + 7 * i + 3);
    }
    tml_state moved = *s->x;
    moved.q = q;
    mb_rows_dense(s, s->x, B[0]);
    mb_rows_dense(s, &moved, B[1]);
    for (int j = 0; j < s->n; j++) {
        for (int i = 0; i < s->m; i++) column[i] = B[0][i * s->n + j];
        s->ops->transform_rows(s->self, s->x->q, q, column);
        for (int i = 0; i < s->m; i++) CHECK_CLOSE(column[i], B[1][i * s->n + j], 1e-13);  // some hundred eps
    }
}

static void rows_are_carried(void **state)
{
    (void)state;
    mb_for_all(check_carry);
}

// Far away, where Cayley's map has no bound, `local` still measures.
static void far_configurations(void **state)
{
    (void)state;
    mb *s = mb_open(&mb_subjects[0], 0, false, false, 5);
    double d[MB_N], q[56];
    for (int i = 0; i < 40; i++) {
        memcpy(q, s->x->q, (size_t)s->sys->nq * sizeof *q);
        const double half = 3.14159265358979 / 2 + 1e-3 * (i - 20);  // half turns within 20 mrad
        const quat turn = {cos(half), 0, sin(half), 0};
        q_store(q_mul(q_from(q + 3), turn), q + 3);
        q[0] += 0.7;
        s->ops->local(s->self, s->x->q, q, d);
        // Cayley: the translation itself; exponential: an arc over it, half a circle at most
        const double arc = v3_norm(v3_from(d)) / 0.7;
        assert_true(arc > 1 - 1e-14 && arc < (mb_cayley ? 1 + 1e-14 : 3.15 / 2));
        CHECK_CLOSE(v3_norm(v3_from(d + 3)), 3.14159265358979, 0.05);
    }
    mb_close(s);
}

static void callbacks_are_refused(void **state)
{
    (void)state;
    static const tml_system_ops none = {0};
    const tml_system other = {.ops = &none};
    tml_system *out = NULL;
    tml_error err = {0};
    assert_false(tmli_se3_possible(&other));
    assert_int_equal(tmli_se3_create(&other, false, &out, &err), TML_ERR_ARG);
    assert_null(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_equations),     cmocka_unit_test(contract),
        cmocka_unit_test(operators),          cmocka_unit_test(rows_are_carried),
        cmocka_unit_test(far_configurations), cmocka_unit_test(callbacks_are_refused),
    };
    int failed = 0;
    for (int map = 0; map < 2; map++) {
        mb_cayley = map == 1;
        failed += motion_main() + cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}

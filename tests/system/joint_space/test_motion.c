// Levels, increments and energy of test_multibody_motion.c with every subject in joint coordinates, and what
// only they have: the joints of the tree hold, states go there and back, accelerations are those of the
// model; states for results are complete.
#define MB_ON_JOINTS
#define main motion_main
#include "system/multibody/test_motion.c"
#undef main
#include "system/joint_space/internal.h"
#include "system/joint_trees.h"

// The model's accelerations and multipliers by its full matrix, into udot and lambda of x. Rows of joints in
// the tree that depend on each other there are independent in the catalogue. False: some rows are nearly
// dependent.
static bool solve_base(mb *s, tml_state *x)
{
    enum { ROOM = 72 };
    const tml_system *base = tml_model_system(s->model);
    const int n = base->n, m = base->m, nm = n + m;
    double *A = calloc((size_t)(nm * nm), sizeof *A), b[ROOM], r[ROOM], gamma[ROOM];
    double *values = calloc((size_t)base->pattern->colptr[nm], sizeof *values);
    tml_error err = {0};
    assert_true(nm <= ROOM && A && values);
    assert_int_equal(base->ops->assemble(base->self, s->poses, x, &(tml_assembly){.cm = 1}, values, &err),
                     TML_OK);
    for (int j = 0; j < nm; j++)
        for (int k = base->pattern->colptr[j]; k < base->pattern->colptr[j + 1]; k++)
            A[base->pattern->rowind[k] * nm + j] = values[k];
    assert_int_equal(base->ops->dynamics(base->self, s->poses, x, b, gamma, &err), TML_OK);
    memcpy(b + n, gamma, (size_t)m * sizeof *b);
    double *LU = calloc((size_t)(nm * nm), sizeof *LU), c[ROOM];
    memcpy(LU, A, (size_t)(nm * nm) * sizeof *A);
    memcpy(c, b, sizeof c);
    const bool regular = dense_solve(nm, LU, c) > 1e-6;
    for (int i = 0; i < nm; i++) {  // one step of refinement
        r[i] = b[i];
        for (int j = 0; j < nm; j++) r[i] -= A[i * nm + j] * c[j];
    }
    memcpy(LU, A, (size_t)(nm * nm) * sizeof *A);
    dense_solve(nm, LU, r);
    for (int i = 0; i < nm; i++) c[i] += r[i];
    memcpy(x->udot, c, (size_t)n * sizeof *c);
    memcpy(x->lambda, c + n, (size_t)m * sizeof *c);
    free(A);
    free(LU);
    free(values);
    return regular;
}

// What an evaluation leaves in the scratch memory changes no other: every function twice, in random order.
static void check_repeats(mb *s, rng *r)
{
    tml_state *x;
    tml_error err = {0};
    double d[MB_N], motion[2][MB_N], phi[2][MB_NM], rate[2][MB_NM], step[2][MB_NM], rows[2][MB_NM * MB_N];
    bool known[5] = {false};
    assert_int_equal(tml_state_create(s->sys, &x, &err), TML_OK);
    for (int i = 0; i < s->n; i++) d[i] = rng_range(r, -0.1, 0.1);
    for (int k = 0; k < 25; k++) {
        const int what = (int)rng_range(r, 0, 5), to = known[what];
        known[what] = true;
        tml_state_copy(x, s->x);
        if (what == 0) {
            memset(x->udot, 0, (size_t)s->n * sizeof(double));
            assert_int_equal(s->ops->accelerate(s->self, s->w, x, &err), TML_OK);
            for (int i = 0; i < s->n; i++) assert_true(x->udot[i] == s->x->udot[i]);
            for (int i = 0; i < s->m; i++) assert_true(x->lambda[i] == s->x->lambda[i]);
        }
        if (what == 1) s->ops->residual(s->self, s->w, x, NULL, motion[to], phi[to], &err);
        if (what == 2) s->ops->velocity(s->self, s->w, x, rate[to], &err);
        if (what == 3) s->ops->increment(s->self, s->w, x, d, x->t, step[to], &err);
        if (what == 4) s->ops->rows(s->self, s->w, x, rows[to], &err);
        for (int i = 0; i < s->n && what == 1 && to; i++) assert_true(motion[0][i] == motion[1][i]);
        for (int i = 0; i < s->m && to; i++) {
            if (what == 1) assert_true(phi[0][i] == phi[1][i]);
            if (what == 2) assert_true(rate[0][i] == rate[1][i]);
            if (what == 3) assert_true(step[0][i] == step[1][i]);
        }
        for (int i = 0; i < s->sys->rowptr[s->m] && what == 4 && to; i++)
            assert_true(rows[0][i] == rows[1][i]);
        if (rng_unit(r) < 0.3) {  // elsewhere in between
            s->ops->retract(s->self, x->q, d, x->q);
            s->ops->velocity(s->self, s->w, x, rate[1], &err);
        }
    }
    tml_state_destroy(x, s->sys);
}

static int compared;

static void check_accelerations(mb *s, const subject *k, rng *r)
{
    (void)k;
    const tmli_joint_space *t = s->sys->self;
    tml_state *x = s->x, *whole = s->whole;
    tml_error err = {0};
    double phi[72], motion[72], phidot[72];
    mb_random_state(s, r);
    assert_int_equal(s->ops->accelerate(s->self, s->w, x, &err), TML_OK);
    check_repeats(s, r);
    tmli_joint_space_to_base(s->sys, s->w, x, whole);
    // the joints of the tree hold
    const tml_system *base = tml_model_system(s->model);
    assert_int_equal(base->ops->residual(base->self, s->poses, whole, NULL, motion, phi, &err), TML_OK);
    assert_int_equal(base->ops->velocity(base->self, s->poses, whole, phidot, &err), TML_OK);
    for (int i = 0; i < t->njoints; i++)
        for (int row = 0; t->joint[i].constraint >= 0 && row < t->joint[i].solved; row++) {
            const int at = s->model->constraint[t->joint[i].constraint].first + row;
            if (!(fabs(phi[at]) < 1e-13)) fail_msg("%s: row %d is %g", s->name, row, phi[at]);
            if (!(fabs(phidot[at]) < 1e-13)) fail_msg("%s: rate of row %d is %g", s->name, row, phidot[at]);
        }
    // and the motion is that of the model
    double udot[72], lambda[72];
    memcpy(udot, whole->udot, (size_t)base->n * sizeof *udot);
    memcpy(lambda, whole->lambda, (size_t)base->m * sizeof *lambda);
    if (!solve_base(s, whole)) return;
    compared++;
    const double size = 1 + mb_largest(whole->udot, base->n), force = 1 + mb_largest(whole->lambda, base->m);
    for (int i = 0; i < base->n; i++)
        if (!(fabs(udot[i] - whole->udot[i]) < 1e-12 * size))
            fail_msg("%s: acceleration %d is %g, off by %g", s->name, i, udot[i], udot[i] - whole->udot[i]);
    for (int i = 0; i < t->nloops; i++)
        for (int row = 0; row < t->loop[i].nrows; row++) {
            const int at = s->model->constraint[t->loop[i].constraint].first + t->loop[i].keep + row;
            if (!(fabs(lambda[at] - whole->lambda[at]) < 1e-11 * force))
                fail_msg("%s: multiplier %d is %g, not %g", s->name, at, lambda[at], whole->lambda[at]);
        }
}

static void accelerations(void **state)
{
    (void)state;
    mb_for_all(check_accelerations);
    compared = 0;
    for_all_trees(check_accelerations);
    assert_true(compared > TREES);
}

static void check_round_trip(mb *s, const subject *k, rng *r)
{
    (void)k;
    tml_error err = {0};
    tml_state *back, *whole = s->whole;
    double d[MB_N];
    mb_random_state(s, r);
    tmli_joint_space_to_base(s->sys, s->w, s->x, whole);
    assert_int_equal(tml_state_create(s->sys, &back, &err), TML_OK);
    if (tmli_joint_space_from_base(s->sys, s->w, whole, back, &err) != TML_OK)
        fail_msg("%s: %s", s->name, err.msg);
    s->ops->local(s->self, s->x->q, back->q, d);
    for (int i = 0; i < s->n; i++) {
        if (!(fabs(d[i]) < 1e-13)) fail_msg("%s: coordinate %d is off by %g", s->name, i, d[i]);
        CHECK_CLOSE(back->u[i], s->x->u[i], 1e-13);
        CHECK_CLOSE(back->udot[i], s->x->udot[i], 3e-13);
    }
    for (int i = 0; i < s->m; i++) assert_true(back->lambda[i] == s->x->lambda[i]);
    for (int i = 0; i < s->sys->na; i++) assert_true(back->angle[i] == s->x->angle[i]);
    tml_state_destroy(back, s->sys);
}

static void round_trip(void **state)
{
    (void)state;
    mb_for_all(check_round_trip);
    for_all_trees(check_round_trip);
}

// The power of the residual on any motion is that of the model's residual on the motion of its bodies.
static void check_power(mb *s, const subject *k, rng *r)
{
    (void)k;
    const tml_system *base = tml_model_system(s->model);
    double motion[MB_N], phi[MB_NM], big[72], rows[72], v[MB_N], power[2] = {0}, size = 1;
    tml_error err = {0};
    mb_random_state(s, r);
    assert_int_equal(s->ops->residual(s->self, s->w, s->x, NULL, motion, phi, &err), TML_OK);
    tmli_joint_space_to_base(s->sys, s->w, s->x, s->whole);
    assert_int_equal(base->ops->residual(base->self, s->poses, s->whole, NULL, big, rows, &err), TML_OK);
    for (int i = 0; i < s->n; i++) v[i] = rng_range(r, -1, 1);
    tml_state *y;
    assert_int_equal(tml_state_create(s->sys, &y, &err), TML_OK);
    tml_state_copy(y, s->x);
    memcpy(y->u, v, (size_t)s->n * sizeof *v);
    tmli_joint_space_to_base(s->sys, s->w, y, s->whole);
    for (int i = 0; i < s->n; i++) power[0] += motion[i] * v[i];
    for (int i = 0; i < base->n; i++) {
        power[1] += big[i] * s->whole->u[i];
        size += fabs(big[i]);
    }
    CHECK_CLOSE(power[0], power[1], 1e-13 * size);
    tml_state_destroy(y, s->sys);
}

static void powers(void **state)
{
    (void)state;
    mb_for_all(check_power);
    for_all_trees(check_power);
}

static void check_maps(mb *s, const subject *k, rng *r)
{
    (void)k;
    double d[MB_N], d2[MB_N], both[MB_N], back[MB_N], rate[MB_N], q[56], q3[56], q4[56];
    mb_random_state(s, r);
    for (int i = 0; i < s->n; i++) {
        d[i] = rng_range(r, -1.1, 1.1);
        d2[i] = rng_range(r, -0.7, 0.7);
    }
    s->ops->retract(s->self, s->x->q, d, q);
    s->ops->local(s->self, s->x->q, q, back);
    for (int i = 0; i < s->n; i++) CHECK_CLOSE(back[i], d[i], 1e-14 * 20);
    s->ops->tangent_inverse(s->self, d, s->x->u, rate);
    s->ops->tangent(s->self, d, rate, back);
    for (int i = 0; i < s->n; i++) CHECK_CLOSE(back[i], s->x->u[i], 1e-13);
    s->ops->compose(s->self, d, d2, both);
    s->ops->retract(s->self, s->x->q, both, q3);
    s->ops->retract(s->self, q, d2, q4);
    s->ops->local(s->self, q3, q4, back);
    CHECK_SMALL(mb_largest(back, s->n), 1e-14);
    double place[MB_N];  // results in place of arguments
    s->ops->tangent(s->self, d, d2, back);
    memcpy(place, d, sizeof place);
    s->ops->tangent(s->self, place, d2, place);
    assert_memory_equal(place, back, (size_t)s->n * sizeof *place);
    memcpy(place, d2, sizeof place);
    s->ops->tangent(s->self, d, place, place);
    assert_memory_equal(place, back, (size_t)s->n * sizeof *place);
    memcpy(place, d, sizeof place);
    s->ops->tangent_inverse(s->self, place, s->x->u, place);
    assert_memory_equal(place, rate, (size_t)s->n * sizeof *place);
    memcpy(place, d, sizeof place);
    s->ops->compose(s->self, place, d2, place);
    assert_memory_equal(place, both, (size_t)s->n * sizeof *place);
    const double h = 1e-5;  // (d/dt T) v
    double moved[2][MB_N], want[MB_N], first[MB_N], second[MB_N];
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < s->n; i++) both[i] = d[i] + (side ? h : -h) * d2[i];
        s->ops->tangent(s->self, both, d2, moved[side]);
    }
    s->ops->tangent_rate(s->self, d, d2, want);
    for (int i = 0; i < s->n; i++) CHECK_CLOSE((moved[1][i] - moved[0][i]) / (2 * h), want[i], 1e-9);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < s->n; i++) both[i] = (side ? h : -h) * d[i];
        s->ops->tangent(s->self, both, d2, moved[side]);
    }
    s->ops->tangent_derivatives(s->self, d, d2, first, second);
    for (int i = 0; i < s->n; i++) CHECK_CLOSE((moved[1][i] - moved[0][i]) / (2 * h), first[i], 1e-9);
}

// ---- states for results -----------------------------------------------------------------------------------

// Near the loops they are put on them, and have the accelerations and all multipliers of the model by its
// full matrix.
static int closed;  // states with loops

// Newton's method from a random state; false: it does not find the loops.
static bool close_loops(mb *s)
{
    const tmli_joint_space *t = s->sys->self;
    double phi[72], motion[72];
    tml_error err = {0};
    for (int i = 0; i < 12; i++) {
        assert_int_equal(s->ops->residual(s->self, s->w, s->x, NULL, motion, phi, &err), TML_OK);
        if (!(mb_largest(phi, s->m) < 1e3)) return false;
        if (mb_largest(phi, s->m) < 1e-14) break;
        if (!tmli_joint_space_articulate(t, s->w, s->x)) return false;
        tmli_joint_space_close(t, s->w, phi, motion);
        s->ops->retract(s->self, s->x->q, motion, s->x->q);
    }
    if (!(mb_largest(phi, s->m) < 1e-12) || !tmli_joint_space_articulate(t, s->w, s->x)) return false;
    assert_int_equal(s->ops->velocity(s->self, s->w, s->x, phi, &err), TML_OK);
    tmli_joint_space_close(t, s->w, phi, motion);
    for (int j = 0; j < s->n; j++) s->x->u[j] += motion[j];
    return true;
}

static void check_complete(mb *s, const subject *k, rng *r)
{
    (void)k;
    tml_state *x = s->x, *whole = s->whole;
    const tml_system *base = tml_model_system(s->model);
    tml_error err = {0};
    double phi[72], motion[72], d[72], udot[72], lambda[72];
    mb_random_state(s, r);
    if (s->m > 0 && !close_loops(s)) return;
    // as far off as an interpolated state: a correction of 1e-5, whose square is not round-off
    for (int j = 0; j < s->n; j++) d[j] = s->m > 0 ? rng_range(r, -1e-5, 1e-5) : 0;
    s->ops->retract(s->self, x->q, d, x->q);
    for (int j = 0; j < s->n; j++) x->u[j] += d[j];
    if (!tmli_joint_space_settle(s->sys, s->w, x)) return;
    if (!tmli_joint_space_complete(s->sys, s->w, x, whole)) return;
    assert_int_equal(base->ops->residual(base->self, s->poses, whole, NULL, motion, phi, &err), TML_OK);
    memcpy(udot, whole->udot, (size_t)base->n * sizeof *udot);
    memcpy(lambda, whole->lambda, (size_t)base->m * sizeof *lambda);
    // 1e-12: round-off of some positions of size 1, and what Newton's method leaves of 1e-5
    for (int i = 0; i < base->m; i++)
        if (!(fabs(phi[i]) < 1e-12)) fail_msg("%s: row %d is off by %g", s->name, i, phi[i]);
    assert_int_equal(base->ops->velocity(base->self, s->poses, whole, phi, &err), TML_OK);
    for (int i = 0; i < base->m; i++)
        if (!(fabs(phi[i]) < 1e-11)) fail_msg("%s: rate of row %d is off by %g", s->name, i, phi[i]);
    if (!solve_base(s, whole)) return;
    compared++;
    closed += s->m > 0;
    const double size = 1 + mb_largest(whole->udot, base->n), force = 1 + mb_largest(whole->lambda, base->m);
    // 1e-9: condition numbers of up to 1e6 of the full matrix
    for (int i = 0; i < base->n; i++)
        if (!(fabs(udot[i] - whole->udot[i]) < 1e-9 * size))
            fail_msg("%s: acceleration %d is %g, off by %g", s->name, i, udot[i], udot[i] - whole->udot[i]);
    for (int i = 0; i < base->m; i++)
        if (!(fabs(lambda[i] - whole->lambda[i]) < 1e-9 * force))
            fail_msg("%s: multiplier %d is %g, not %g", s->name, i, lambda[i], whole->lambda[i]);
}

static void complete_states(void **state)
{
    (void)state;
    compared = closed = 0;
    for_all_trees(check_complete);
    if (!(compared > 40 && closed > 30)) fail_msg("compared %d, with loops %d", compared, closed);
}

static void trees(void **state)
{
    (void)state;
    for_all_trees(check_levels);
    for_all_trees(check_increment);
}

// Every joint of the catalogue between two bodies is solved for, whichever way round: 21 coordinates of three
// bodies and a point less its rows.
static void catalogue(void **state)
{
    (void)state;
    static const struct {
        tml_joint_type type;
        int rows, left;
    } want[] = {
        {TML_JOINT_FIXED, 6, 0},     {TML_JOINT_REVOLUTE, 5, 0},          {TML_JOINT_PRISMATIC, 5, 0},
        {TML_JOINT_SCREW, 5, 0},     {TML_JOINT_CYLINDRICAL, 4, 0},       {TML_JOINT_UNIVERSAL, 4, 0},
        {TML_JOINT_SPHERICAL, 3, 0}, {TML_JOINT_CONSTANT_VELOCITY, 3, 1}, {TML_JOINT_PLANAR, 3, 0},
        {TML_JOINT_PARALLEL, 2, 0},  {TML_JOINT_POINT_ON_LINE, 2, 0},     {TML_JOINT_POINT_ON_PLANE, 1, 0},
        {TML_JOINT_DISTANCE, 0, 1},  {TML_JOINT_PERPENDICULAR, 0, 1},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        for (int k = 0; k < MB_SUBJECTS; k++)
            for (int place = 0; place < 3; place++) {
                if (mb_subjects[k].add != mb_add_joint || mb_subjects[k].detail != (int)want[i].type)
                    continue;
                mb *s = mb_open(&mb_subjects[k], place, false, false, 91);
                // the line and the plane are the parent's: on the ground they need the child at b
                const bool back = place == 2 && (want[i].type == TML_JOINT_POINT_ON_LINE ||
                                                 want[i].type == TML_JOINT_POINT_ON_PLANE);
                const int rows = back ? 0 : want[i].rows, left = back ? want[i].rows : want[i].left;
                if (s->n != 21 - rows || s->m != left)
                    fail_msg("%s: %d coordinates, %d rows", s->name, s->n, s->m);
                mb_close(s);
            }
}

static void maps(void **state)
{
    (void)state;
    mb_for_all(check_maps);
    for_all_trees(check_maps);
    (void)manifold;
    (void)rigid_move;
    (void)counting;
    (void)motion_main;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations), cmocka_unit_test(round_trip),
        cmocka_unit_test(powers),        cmocka_unit_test(levels),
        cmocka_unit_test(increments),    cmocka_unit_test(energy),
        cmocka_unit_test(maps),          cmocka_unit_test(trees),
        cmocka_unit_test(catalogue),     cmocka_unit_test(complete_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

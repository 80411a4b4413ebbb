// Multibody systems along motions: velocity and acceleration level, energy and power, the manifold's maps,
// rigid moves of the world, counted angles.
#include "system/multibody_fixture.h"

static void phi_of(mb *s, const tml_state *x, const void *context, double *out)
{
    (void)context;
    double motion[MB_N];
    tml_error err = {0};
    assert_int_equal(s->ops->residual(s->self, s->w, x, NULL, motion, out, &err), TML_OK);
}

static void phidot_of(mb *s, const tml_state *x, const void *context, double *out)
{
    (void)context;
    tml_error err = {0};
    assert_int_equal(s->ops->velocity(s->self, s->w, x, out, &err), TML_OK);
}

static void energy_of(mb *s, const tml_state *x, const void *context, double *out)
{
    (void)context;
    double kinetic, potential, power;
    tml_error err = {0};
    assert_int_equal(s->ops->energy(s->self, s->w, x, &kinetic, &potential, &power, &err), TML_OK);
    out[0] = kinetic + potential;
}

// ---- velocity, acceleration, dynamics ---------------------------------------------------------------------

static void check_levels(mb *s, const subject *k, rng *r)
{
    (void)k;
    double phidot[MB_NM], want[MB_NM], f[MB_N], gamma[MB_NM], motion[MB_N], phi[MB_NM], B[MB_NM * MB_N];
    tml_error err = {0};
    mb_random_state(s, r);
    phidot_of(s, s->x, NULL, phidot);
    mb_derivative(s, &(mb_curve){.d = s->x->u, .t = 1}, phi_of, NULL, s->m, want);
    for (int i = 0; i < s->m; i++) mb_compare(s, "B u - nu", i, 0, phidot[i], want[i], 1);
    assert_int_equal(s->ops->dynamics(s->self, s->w, s->x, f, gamma, &err), TML_OK);
    mb_derivative(s, &(mb_curve){.d = s->x->u, .u = s->x->udot, .t = 1}, phidot_of, NULL, s->m, want);
    mb_rows_dense(s, s->x, B);
    for (int i = 0; i < s->m; i++) {
        double Bu = -gamma[i];
        for (int j = 0; j < s->n; j++) Bu += B[i * s->n + j] * s->x->udot[j];
        mb_compare(s, "B udot - gamma", i, 0, Bu, want[i], 10);
    }
    memset(s->x->udot, 0, (size_t)s->n * sizeof(double));
    memset(s->x->lambda, 0, (size_t)s->m * sizeof(double));
    assert_int_equal(s->ops->residual(s->self, s->w, s->x, NULL, motion, phi, &err), TML_OK);
    for (int i = 0; i < s->n; i++) CHECK_CLOSE(f[i], -motion[i], 1e-12 * (1 + fabs(f[i])));  // the same sums
}

static void levels(void **state)
{
    (void)state;
    mb_for_all(check_levels);
}

// dphi = Phi(q0 (+) d, t1) - Phi(q0, t0), also for large d; for tiny ones accurate to the size of the change,
// where a difference of two Phi would lose all digits.
static void check_increment(mb *s, const subject *k, rng *r)
{
    (void)k;
    double d[MB_N], before[MB_NM], after[MB_NM], change[MB_NM], motion[MB_N];
    tml_error err = {0};
    tml_state *x;
    mb_random_state(s, r);
    assert_int_equal(tml_state_create(s->sys, &x, &err), TML_OK);
    tml_state_copy(x, s->x);
    for (int i = 0; i < s->n; i++) d[i] = rng_range(r, -0.3, 0.3);
    s->ops->retract(s->self, s->x->q, d, x->q);
    x->t += 0.37;
    assert_int_equal(s->ops->residual(s->self, s->w, s->x, NULL, motion, before, &err), TML_OK);
    assert_int_equal(s->ops->residual(s->self, s->w, x, NULL, motion, after, &err), TML_OK);
    assert_int_equal(s->ops->increment(s->self, s->w, s->x, d, x->t, change, &err), TML_OK);
    for (int i = 0; i < s->m; i++)
        CHECK_CLOSE(change[i], after[i] - before[i], 1e-13);  // round-off of Phi near 5
    // t held: tiny changes are B d
    const double tiny = 1e-12;
    double B[MB_NM * MB_N];
    mb_rows_dense(s, s->x, B);
    for (int i = 0; i < s->n; i++) d[i] *= tiny;
    assert_int_equal(s->ops->increment(s->self, s->w, s->x, d, s->x->t, change, &err), TML_OK);
    for (int i = 0; i < s->m; i++) {
        double Bd = 0;
        for (int j = 0; j < s->n; j++) Bd += B[i * s->n + j] * d[j];
        CHECK_CLOSE(change[i], Bd, 1e-10 * tiny);  // d^2 and some hundred eps |d|
    }
    tml_state_destroy(x, s->sys);
}

static void increments(void **state)
{
    (void)state;
    mb_for_all(check_increment);
}

// ---- energy -----------------------------------------------------------------------------------------------

// d/dt (T + V) = power holds where M udot + B' lambda = f and B u = nu, for any lambda and off the
// constraints too. It says that joints do no work, that what is called potential is one, and that power
// counts everything else.
static void check_energy(mb *s, const subject *k, rng *r)
{
    (void)k;
    const int n = s->n, m = s->m, nm = n + m;
    double A[MB_NM * MB_NM], b[MB_NM] = {0}, B[MB_NM * MB_N], f[MB_N], gamma[MB_NM], rate, M[MB_N * MB_N];
    tml_error err = {0};
    mb_random_state(s, r);
    mb_assemble_dense(s, s->x, &(tml_assembly){.cm = 1}, A);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) M[i * n + j] = A[i * nm + j];
    phidot_of(s, s->x, NULL, b + n);
    assert_true(dense_solve(nm, A, b) > 1e-7);
    for (int i = 0; i < n; i++) s->x->u[i] -= b[i];  // B u = nu
    double phidot[MB_NM], kinetic, potential, power;
    phidot_of(s, s->x, NULL, phidot);
    CHECK_SMALL(mb_largest(phidot, m), 1e-11);
    assert_int_equal(s->ops->dynamics(s->self, s->w, s->x, f, gamma, &err), TML_OK);
    mb_rows_dense(s, s->x, B);
    for (int i = 0; i < n; i++)
        for (int l = 0; l < m; l++) f[i] -= B[l * n + i] * s->x->lambda[l];
    dense_solve(n, M, f);
    memcpy(s->x->udot, f, (size_t)n * sizeof(double));
    assert_int_equal(s->ops->energy(s->self, s->w, s->x, &kinetic, &potential, &power, &err), TML_OK);
    mb_derivative(s, &(mb_curve){.d = s->x->u, .u = s->x->udot, .t = 1}, energy_of, NULL, 1, &rate);
    mb_compare(s, "power", 0, 0, power, rate, fabs(kinetic) + fabs(potential) + fabs(power));
    const bool joint_only = k->add == mb_add_joint || k->add == mb_add_coupler;
    if (joint_only) assert_true(power == 0);
}

static void energy(void **state)
{
    (void)state;
    mb_for_all(check_energy);
}

// ---- the manifold -----------------------------------------------------------------------------------------

static void check_manifold(mb *s, const subject *k, rng *r)
{
    (void)k;
    double d[MB_N], back[MB_N], q[56], zero[MB_N] = {0};
    mb_random_state(s, r);
    for (int i = 0; i < s->n; i++) d[i] = rng_range(r, -1.1, 1.1);
    s->ops->retract(s->self, s->x->q, d, q);
    s->ops->local(s->self, s->x->q, q, back);
    for (int i = 0; i < s->n; i++)
        CHECK_CLOSE(back[i], d[i], 1e-14 * 20);  // some 20 roundings of numbers near 1
    s->ops->local(s->self, q, q, back);
    CHECK_SMALL(mb_largest(back, s->n), 1e-15);
    for (int i = 0; i < s->model->nnodes; i++) {
        const double *p = q + 7 * i + 3;
        CHECK_CLOSE(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], 1, 1e-15 * 4);
    }
    s->ops->tangent_inverse(s->self, zero, d, back);
    for (int i = 0; i < s->n; i++) CHECK_CLOSE(back[i], d[i], 1e-15);
    // d' = inverse(T(d)) u: the increments of q0 (+) d (+) tau u
    const double h = 1e-4;
    double rate[MB_N], want[MB_N] = {0};
    s->ops->tangent_inverse(s->self, d, s->x->u, rate);
    for (int side = -1; side <= 1; side += 2) {
        double step[MB_N], q1[56];
        for (int i = 0; i < s->n; i++) step[i] = side * h * s->x->u[i];
        s->ops->retract(s->self, q, step, q1);
        s->ops->local(s->self, s->x->q, q1, back);
        for (int i = 0; i < s->n; i++) want[i] += side * back[i] / (2 * h);
    }
    for (int i = 0; i < s->n; i++)
        CHECK_CLOSE(rate[i], want[i], 2e-7);  // h^2/6 times a third derivative of some 10
    s->ops->tangent(s->self, d, rate, back);
    for (int i = 0; i < s->n; i++) CHECK_CLOSE(back[i], s->x->u[i], 1e-13);  // T inverse(T)
    // two increments in one
    double d2[MB_N], both[MB_N], q3[56], q4[56];
    for (int i = 0; i < s->n; i++) d2[i] = rng_range(r, -0.7, 0.7);
    s->ops->compose(s->self, d, d2, both);
    s->ops->retract(s->self, s->x->q, both, q3);
    s->ops->retract(s->self, q, d2, q4);
    s->ops->local(s->self, q3, q4, back);
    CHECK_SMALL(mb_largest(back, s->n), 1e-14);
    // small ones without loss of digits: d (+) -d with the last part 1e-9 larger
    for (int i = 0; i < s->n; i++) d2[i] = -1e-7 * d[i], both[i] = 1e-7 * d[i] * (1 + 1e-9);
    s->ops->compose(s->self, both, d2, back);
    for (int i = 0; i < s->n; i++) CHECK_CLOSE(back[i], 1e-16 * d[i], 1e-22);  // eps times 1e-7
    memcpy(q, s->x->q, (size_t)s->sys->nq * sizeof *q);
    double q2[56];
    s->ops->retract(s->self, q, d, q2);
    s->ops->retract(s->self, q, d, q);  // in place
    assert_memory_equal(q, q2, (size_t)s->sys->nq * sizeof *q);
}

static void manifold(void **state)
{
    (void)state;
    mb_for_all(check_manifold);
}

// ---- a rigid move of the world ----------------------------------------------------------------------------

static bool moves_with_the_world(const subject *k)
{
    const bool driven_inertial = k->add == mb_add_driver && k->detail >= 2;
    const bool inertial = k->add == mb_add_applied && (k->detail != 5);
    const bool law = (k->add == mb_add_scalar && k->detail % 3 == 1) || k->add == mb_add_coordinate;
    return !driven_inertial && !inertial && !law;
}

static void set_random(mb *s, uint64_t seed)
{
    rng r = rng_seed(seed);
    for (int i = 0; i < s->n; i++) s->x->udot[i] = rng_range(&r, -2.3, 2.3);
    for (int i = 0; i < s->m; i++) s->x->lambda[i] = rng_range(&r, -8, 8);
}

static void turn3(const mat3 *Q, double *x) { v3_store(m3_mulv(Q, v3_from(x)), x); }

// Forces and accelerations of bodies on SE(3) are in their own frames.
static void turn_nodes(const mb *s, const mat3 *Q, double *x)
{
    for (int i = 0; i < s->model->nnodes; i++)
        if (!mb_on_se3 || s->model->node[i].ncoords == 3) turn3(Q, x + s->model->node[i].first);
}

// The residual at the start: forces turn with the world, moments in body axes and Phi stay. The three rows of
// a common point are along inertial axes: they and their multipliers turn.
static void check_moved(const subject *k, int place)
{
    const uint64_t seed = (uint64_t)(401 + 3 * place);
    mb *s = mb_open(k, place, false, false, seed);
    draft d = mb_draft(seed, false, false);
    d.turn = q_normalize((quat){0.31, -0.52, 0.47, 0.63});
    d.shift = v3(1.7, -2.3, 0.9);
    const mat3 Q = q_matrix(d.turn);
    mb *moved = mb_finish(&d, k, place);
    double motion[2][MB_N], phi[2][MB_NM], p[MB_NM];
    tml_error err = {0};
    set_random(s, 77);
    set_random(moved, 77);
    for (int i = 0; i < s->m; i++) p[i] = 2.9;
    turn_nodes(s, &Q, moved->x->udot);
    for (int i = 0; i < s->model->nconstraints; i++) {
        const tmli_constraint *c = &s->model->constraint[i];
        const bool pointed =
            c->nrows >= 3 && s->model->measure_use[c->term[0].use].measure.kind == TMLI_COORD;
        if (pointed) turn3(&Q, moved->x->lambda + c->first);
    }
    assert_int_equal(s->ops->residual(s->self, s->w, s->x, p, motion[0], phi[0], &err), TML_OK);
    assert_int_equal(moved->ops->residual(moved->self, moved->w, moved->x, p, motion[1], phi[1], &err),
                     TML_OK);
    turn_nodes(s, &Q, motion[0]);
    for (int i = 0; i < s->model->nconstraints; i++) {
        const tmli_constraint *c = &s->model->constraint[i];
        const bool pointed =
            c->nrows >= 3 && s->model->measure_use[c->term[0].use].measure.kind == TMLI_COORD;
        if (pointed) turn3(&Q, phi[0] + c->first);
    }
    // sums of some hundred products of numbers up to 1e2
    for (int i = 0; i < s->n; i++)
        if (!(fabs(motion[1][i] - motion[0][i]) <= 1e-11)) fail_msg("%s: motion %d", s->name, i);
    for (int i = 0; i < s->m; i++)
        if (!(fabs(phi[1][i] - phi[0][i]) <= 1e-13)) fail_msg("%s: phi %d", s->name, i);
    mb_close(moved);
    mb_close(s);
}

static void rigid_move(void **state)
{
    (void)state;
    int count = 0;
    for (int i = 0; i < MB_SUBJECTS; i++)
        for (int place = 0; place < MB_PLACES; place++) {
            // a point mass does not turn, nor does a frame beside it
            if (!(mb_subjects[i].where & MB_ALL & 1 << place) || !moves_with_the_world(&mb_subjects[i]))
                continue;
            check_moved(&mb_subjects[i], place);
            count++;
        }
    assert_true(count > 60);
}

// ---- counted angles ---------------------------------------------------------------------------------------

// Body B turns about the axis of its joint, ten turns forth and twelve back: the angle follows without jumps,
// and so does the row of a screw.
static void counting(void **state)
{
    (void)state;
    const double two_pi = 6.283185307179586;
    for (int planar = 0; planar < 2; planar++) {
        mb *s = mb_open(&mb_subjects[planar ? 1 : 13], 1, planar, true, 913);
        const tmli_constraint *c = &s->model->constraint[0];
        assert_string_equal(c->coord_suffix[0], "angle");
        const tmli_measure_use *l = &s->model->measure_use[c->coord[0]];
        const double start = s->x->angle[l->angle];
        tml_state *x = s->x;
        double turned = 0, d[MB_N] = {0}, phi[MB_NM], motion[MB_N], z[12];
        tml_error err = {0};
        const int first = s->model->node[1].first;
        for (int k = 0; k < 220; k++) {
            const double step = k < 100 ? two_pi / 10 : -two_pi / 10;
            // the joint's axis in B is the direction of the angle's gradient
            tmli_mb_set_poses(s->model, s->poses, x->q);
            const tmli_pose ground = {.R = m3_identity()};
            tmli_measure_grad(&l->measure, &ground, &s->poses->pose[1], z);
            const double size = mb_cayley ? 2 * tan(step / 2) : step;
            if (planar) d[first + 2] = size * z[11];
            for (int i = 0; i < 3 && !planar; i++) d[first + 3 + i] = size * z[9 + i];
            s->ops->retract(s->self, x->q, d, x->q);
            s->ops->accept(s->self, s->w, x);
            turned += step;
            CHECK_CLOSE(x->angle[l->angle], start + turned, 1e-11);  // 220 roundings of numbers up to 63
        }
        CHECK_CLOSE(turned, -2 * two_pi, 1e-12);
        assert_int_equal(s->ops->residual(s->self, s->w, x, NULL, motion, phi, &err), TML_OK);
        // the row of the screw: the body went back two turns and did not slide
        if (!planar) CHECK_CLOSE(phi[4], 2 * 0.37, 1e-11);
        mb_close(s);
    }
}

// ---- facts ------------------------------------------------------------------------------------------------

static int facts_seen[2][2];  // steady, conservative: no and yes

// The parts that depend on time change from the first (later = 0) to the second time as f and gamma do.
static void check_time_parts(mb *s, double f[2][MB_N], double gamma[2][MB_NM], int later)
{
    static double part_f[2][MB_N], part_gamma[2][MB_NM];
    tml_error err = {0};
    if (!s->ops->time_parts) return;
    assert_int_equal(s->ops->time_parts(s->self, s->w, s->x, part_f[later], part_gamma[later], &err), TML_OK);
    for (int i = 0; i < s->n && later; i++)  // differences of sums: round-off of these
        if (!(fabs(part_f[1][i] - part_f[0][i] - (f[1][i] - f[0][i])) <= 1e-12 * (1 + fabs(f[0][i]))))
            fail_msg("%s: f changes by %g with time, its part by %g", s->name, f[1][i] - f[0][i],
                     part_f[1][i] - part_f[0][i]);
    for (int i = 0; i < s->m && later; i++)
        if (!(fabs(part_gamma[1][i] - part_gamma[0][i] - (gamma[1][i] - gamma[0][i])) <=
              1e-12 * (1 + fabs(gamma[0][i]))))
            fail_msg("%s: gamma changes by %g with time, its part by %g", s->name, gamma[1][i] - gamma[0][i],
                     part_gamma[1][i] - part_gamma[0][i]);
}

// A system that calls itself steady or conservative is; one that does not shows why at some of these states.
static void check_facts(mb *s, const subject *k, rng *r)
{
    (void)k;
    bool moved = false, works = false;
    for (int trial = 0; trial < 8; trial++) {
        double f[2][MB_N], gamma[2][MB_NM], motion[MB_N], phi[2][MB_NM], kinetic, potential, power;
        tml_error err = {0};
        mb_random_state(s, r);
        assert_int_equal(s->ops->energy(s->self, s->w, s->x, &kinetic, &potential, &power, &err), TML_OK);
        works = works || power != 0;
        for (int later = 0; later < 2; later++) {
            s->x->t += 0.37 * later;
            assert_int_equal(s->ops->dynamics(s->self, s->w, s->x, f[later], gamma[later], &err), TML_OK);
            check_time_parts(s, f, gamma, later);
            assert_int_equal(s->ops->residual(s->self, s->w, s->x, NULL, motion, phi[later], &err), TML_OK);
        }
        for (int i = 0; i < s->n; i++) moved = moved || f[0][i] != f[1][i];
        for (int i = 0; i < s->m; i++) moved = moved || gamma[0][i] != gamma[1][i] || phi[0][i] != phi[1][i];
    }
    if (s->sys->autonomous == moved)
        fail_msg("%s: steady, but it depends on time, or the other way round", s->name);
    if (s->sys->conservative == works) fail_msg("%s: conservative, but with power, or not so", s->name);
    facts_seen[0][s->sys->autonomous]++;
    facts_seen[1][s->sys->conservative]++;
}

static void facts(void **state)
{
    (void)state;
    mb_for_all(check_facts);
    for (int i = 0; i < 4; i++) assert_true(facts_seen[i / 2][i % 2] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels),     cmocka_unit_test(increments),
                                       cmocka_unit_test(energy),     cmocka_unit_test(manifold),
                                       cmocka_unit_test(rigid_move), cmocka_unit_test(counting),
                                       cmocka_unit_test(facts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

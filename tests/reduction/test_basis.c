// Changes of the basis along a motion, redundant rows, large sparse systems.
#include "reduction/fixture.h"

// x := end of one step of the classical Runge-Kutta method in reduced coordinates from the centre.
static void runge_kutta(rig *s, double h, tml_state *x)
{
    enum { MAX = 16 };
    const int dof = tmli_reduction_dof(s->red);
    const double t = s->x->t, c[4] = {0, 0.5, 0.5, 1}, b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double v0[MAX] = {0}, vd0[MAX], v[MAX], vd[MAX], kv[4][MAX], ka[4][MAX];
    assert_true(dof <= MAX);
    tmli_reduction_velocity(s->red, s->x, vd0);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < dof; k++) {
            v[k] = v0[k] + (i > 0 ? c[i] * h * kv[i - 1][k] : 0);
            kv[i][k] = vd[k] = vd0[k] + (i > 0 ? c[i] * h * ka[i - 1][k] : 0);
        }
        OK(tmli_reduction_solve_dependent(s->red, t + c[i] * h, v, vd, x, err));
        OK(tmli_reduction_accelerate(s->red, x, ka[i], err));
    }
    for (int k = 0; k < dof; k++) {
        v[k] = v0[k];
        vd[k] = vd0[k];
        for (int i = 0; i < 4; i++) {
            v[k] += h * b[i] * kv[i][k];
            vd[k] += h * b[i] * ka[i][k];
        }
    }
    OK(tmli_reduction_solve_dependent(s->red, t + h, v, vd, x, err));
    OK(tmli_reduction_accelerate(s->red, x, ka[0], err));
}

static double total_energy(rig *s, const tml_state *x)
{
    double kinetic, potential, power;
    OK(s->sys->ops->energy(s->sys->self, s->work, x, &kinetic, &potential, &power, err));
    return kinetic + potential;
}

// Changes of the basis along a motion preserve energy, constraints and velocities. step [s]
static void check_motion(const subject *k, double step, int steps, int least, int most)
{
    for (int tangent = 0; tangent < 2; tangent++) {
        rig *s = rig_open(k, tangent ? TML_COORDINATES_TANGENT : TML_COORDINATES_PARTITION, false);
        rig_project(s, s->x);
        const double energy = total_energy(s, s->x);
        int changes = 0;
        double before[6], after[6], transformed[6], v[6], position, velocity;
        bool changed;
        for (int i = 0; i < steps; i++) {
            OK(tmli_reduction_begin(s->red, s->x, &changed, err));
            tmli_reduction_velocity(s->red, s->x, after);
            double speed = 0, jump = 0;
            for (int j = 0; j < k->dof; j++) speed = fmax(speed, fabs(after[j]));
            if (changed && i > 0) {
                changes++;
                tmli_reduction_transform(s->red, before, transformed);
                for (int j = 0; j < k->dof; j++) CHECK_CLOSE(transformed[j], after[j], 1e-10 * (1 + speed));
            }
            // V of tangent coordinates stays near the last one: velocities along it do not jump
            for (int j = 0; j < k->dof && tangent && i > 0; j++)
                jump = fmax(jump, fabs(after[j] - before[j]));
            CHECK_SMALL(jump, 0.1 * speed);
            runge_kutta(s, step, s->y);
            locate(s->red, s->y, v, before);  // T = 1 in these models
            if (s->sys->ops->accept) s->sys->ops->accept(s->sys->self, s->work, s->y);
            tml_state_copy(s->x, s->y);
            rig_residuals(s, s->x, &position, &velocity);
            CHECK_SMALL(position, 1e-14);
            CHECK_SMALL(velocity, 1e-12 * (1 + speed));
        }
        CHECK_CLOSE(total_energy(s, s->x), energy, (tangent ? 2e-6 : 2e-4) * energy);
        if (tangent) assert_int_equal(changes, 0);
        else assert_in_range(changes, least, most);
        rig_close(s);
    }
}

static void motions(void **state)
{
    (void)state;
    check_motion(&(subject){"models/four_bar.yaml", NULL, 1}, 1e-3, 800, 0, 40);
    check_motion(&(subject){"beads", beads, 6}, 2e-3, 1000, 4, 60);
}

// A transformed matrix maps transformed vectors to transformed vectors.
static void transformed_matrix(void **state)
{
    (void)state;
    enum { DOF = 6 };
    const subject k = {"beads", beads, DOF};
    rng r = rng_seed(41);
    rig *s = rig_open(&k, TML_COORDINATES_PARTITION, false);
    double J[DOF * DOF], J2[DOF * DOF], y[DOF], Jy[DOF], z[DOF], want[DOF], got[DOF];
    int seen = 0;
    bool changed;
    for (int round = 0; round < 60; round++) {
        rig_random(s, &r, 0.3, 1);
        OK(tmli_reduction_begin(s->red, s->x, &changed, err));
        if (!changed || round == 0) continue;
        seen++;
        for (int i = 0; i < DOF * DOF; i++) J[i] = J2[i] = rng_range(&r, -1, 1);
        for (int i = 0; i < DOF; i++) y[i] = rng_range(&r, -1, 1);
        tmli_reduction_transform_matrix(s->red, J2);
        for (int i = 0; i < DOF; i++) {
            Jy[i] = 0;
            for (int j = 0; j < DOF; j++) Jy[i] += J[DOF * j + i] * y[j];
        }
        tmli_reduction_transform(s->red, y, z);
        tmli_reduction_transform(s->red, Jy, want);
        for (int i = 0; i < DOF; i++) {
            got[i] = 0;
            for (int j = 0; j < DOF; j++) got[i] += J2[DOF * j + i] * z[j];
        }
        for (int i = 0; i < DOF; i++) CHECK_CLOSE(got[i], want[i], 1e-9 * (1 + fabs(want[i])));
    }
    assert_true(seen > 3);
    rig_close(s);
}

// ---- redundant rows ---------------------------------------------------------------------------------------

// The door on two hinges moves as the door on one hinge. Five multipliers are 0.
static void redundant_door(void **state)
{
    (void)state;
    char single[sizeof door];
    memcpy(single, door, sizeof door);
    char *upper = strstr(single, "  upper:"), *end = strchr(upper, '\n') + 1;
    memmove(upper, end, strlen(end) + 1);
    const subject both = {"door", door, 4}, one = {"door on one hinge", single, 4};
    rig *s[2] = {rig_open(&both, TML_COORDINATES_PARTITION, false),
                 rig_open(&one, TML_COORDINATES_PARTITION, false)};
    for (int i = 0; i < 2; i++) {
        rig_project(s[i], s[i]->x);
        for (int step = 0; step < 40; step++) {
            bool changed;
            OK(tmli_reduction_begin(s[i]->red, s[i]->x, &changed, err));
            assert_int_equal(tmli_reduction_dof(s[i]->red), 4);
            runge_kutta(s[i], 2e-3, s[i]->y);
            tml_state_copy(s[i]->x, s[i]->y);
        }
    }
    double position, velocity;
    rig_residuals(s[0], s[0]->x, &position, &velocity);
    CHECK_SMALL(position, 1e-13);  // all ten rows of the hinges
    CHECK_SMALL(velocity, 1e-12);
    for (int j = 0; j < s[0]->sys->nq; j++) CHECK_CLOSE(s[0]->x->q[j], s[1]->x->q[j], 1e-9);
    for (int j = 0; j < s[0]->n; j++) CHECK_CLOSE(s[0]->x->u[j], s[1]->x->u[j], 1e-8);
    int zeros = 0;
    for (int i = 0; i < s[0]->m; i++) zeros += s[0]->x->lambda[i] == 0;
    assert_int_equal(zeros, 5);
    rig_close(s[0]);
    rig_close(s[1]);
}

// Contradicting hinges give an error that names a joint.
static void contradiction(void **state)
{
    (void)state;
    const subject k = {"door", door, 4};
    rig *s = rig_open(&k, TML_COORDINATES_PARTITION, false);
    tml_error why = {0};
    bool changed;
    rig_project(s, s->x);
    OK(tmli_reduction_begin(s->red, s->x, &changed, err));
    s->x->q[4] += 0.01;  // rotates the door out of both hinges
    assert_int_equal(tmli_reduction_begin(s->red, s->x, &changed, &why), TML_ERR_SINGULAR);
    assert_non_null(strstr(why.msg, "joint '"));
    rig_close(s);
}

// ---- size -------------------------------------------------------------------------------------------------

static const char long_chain[] =
    "title: chain\nplanar: true\ngravity: 9.81\n"
    "parameters: {N: 150}\n"
    "defaults:\n"
    "  bodies: {mass: 1, inertia: 1/12, frames: {left: [-0.5, 0], right: [0.5, 0]}}\n"
    "  joints: {type: revolute}\n"
    "joints:\n"
    "  pin1: {a: ground, b: rod1.left}\n"
    "repeat:\n"
    "  - {index: i, from: 1, to: N, bodies: {\"rod{i}\": {position: [i - 0.5, 0]}}}\n"
    "  - {index: i, from: 2, to: N, joints: {\"pin{i}\": {a: \"rod{i-1}.right\", b: \"rod{i}.left\"}}}\n"
    "run: {end: 1}\n";

// Large enough for threshold pivoting and sparse factors: positions of the rods depend on their angles.
static void sparse_choice(void **state)
{
    (void)state;
    const subject k = {"chain", long_chain, 150};
    rng r = rng_seed(3);
    for (int tangent = 0; tangent < 2; tangent++) {
        rig *s = rig_open(&k, tangent ? TML_COORDINATES_TANGENT : TML_COORDINATES_PARTITION, false);
        rig_project(s, s->x);
        bool changed;
        double v[150], vd[150], v2[150], vd2[150], a[150], position, velocity;
        OK(tmli_reduction_begin(s->red, s->x, &changed, err));
        assert_int_equal(tmli_reduction_dof(s->red), 150);
        for (int i = 0; i < 150; i++) {
            v[i] = rng_range(&r, -1, 1) * (tangent ? 1e-3 : 0.1);
            vd[i] = rng_range(&r, -1, 1);
        }
        tml_state_copy(s->y, s->x);
        OK(tmli_reduction_solve_dependent(s->red, 0, v, vd, s->y, err));
        rig_residuals(s, s->y, &position, &velocity);
        CHECK_SMALL(position, 1e-12);
        CHECK_SMALL(velocity, 1e-10);
        locate(s->red, s->y, v2, vd2);
        for (int i = 0; i < 150; i++) {
            CHECK_CLOSE(v2[i], v[i], 1e-12);
            CHECK_CLOSE(vd2[i], vd[i], 1e-10);
        }
        OK(tmli_reduction_accelerate(s->red, s->y, a, err));
        rig_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions),        cmocka_unit_test(transformed_matrix),
        cmocka_unit_test(redundant_door), cmocka_unit_test(contradiction),
        cmocka_unit_test(sparse_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

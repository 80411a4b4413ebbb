// Points of contact of robots, and their Jacobians against those of frames and against difference quotients.
#include "machine.h"

static const char *const walker_text =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  trunk: {mass: 5, inertia: [0.1, 0.12, 0.09], position: [0.3, 0.1, 0.6],"
    " frames: {hip: [0.1, 0, 0], belly: [0.02, 0, -0.1]}}\n"
    "  leg: {mass: 1, inertia: [0.01, 0.02, 0.01], position: [0.4, 0.1, 0.4],"
    " frames: {top: [0, 0, 0.2], foot: [0.03, 0.01, -0.3]}}\n"
    "joints: {hip: {type: revolute, a: trunk.hip, b: leg.top, axis: [0.1, 1, 0], damping: 0.2}}\n"
    "shapes:\n"
    "  floor: {type: plane, at: ground}\n"
    "  foot: {type: sphere, radius: 0.05, at: leg.foot, group: skin}\n"
    "  belly: {type: sphere, radius: 0.04, at: trunk.belly, group: skin}\n";
static const char *const laws[] = {
    "contacts: {step: {a: floor, b: skin, stiffness: 1e4}}\n",
    "contacts: {step: {a: floor, b: skin, law: rigid, restitution: 0}}\n",
    "contacts: {step: {a: floor, b: skin, law: rigid, restitution: 0, friction: {coefficient: "
    "0.4}}}\n",
    "contacts: {step: {a: floor, b: skin, law: rigid, restitution: 0, friction: {coefficient: "
    "0.4}}}\n"
    "run: {contacts: captured, step: 1e-3}\n"};

static machine make_walker(const char *law)
{
    char text[2000];
    snprintf(text, sizeof text, "%s%s", walker_text, law);
    return make(text);
}

static void tilt(const machine *o, double *q, double *u)
{
    random_state(o, q, u);
    for (int i = 0; i < 3; i++) q[i] += 1;
}

static void test_points(void **state)
{
    (void)state;
    tml_error err = {0};
    for (int i = 0; i < 4; i++) {
        machine o = make_walker(laws[i]);
        tml_robot_contact c[2];
        tml_robot_frame foot;
        OK(tml_robot_find_frame(o.spec, "leg.foot", &foot, &err));
        for (int trial = 0; trial < 5; trial++) {
            double q[MOST + 4], u[MOST], p[3], J[3 * MOST], F[6 * MOST], gap[2], near[MOST + 4];
            int count = 0;
            tilt(&o, q, u);
            OK(tml_robot_set(o.robot, q, u, &err));
            OK(tml_robot_contacts(o.robot, 10, c, 2, &count, &err));
            assert_int_equal(count, 2);
            assert_true(c[0].body[0] == -1 && c[0].body[1] == 1 && c[1].body[1] == 0);
            assert_string_equal(c[0].name, "step");
            OK(tml_robot_pose(o.robot, &foot, p, NULL, &err));
            assert_true(fabs(c[0].gap - (p[2] - 0.05)) < 1e-14 && c[0].normal[2] == 1);
            const double place[3] = {p[0], p[1], c[0].gap / 2};
            for (int k = 0; k < 3; k++) assert_true(fabs(c[0].position[k] - place[k]) < 1e-14);
            // velocity of the point: that of the frame, and the rotation about it
            OK(tml_robot_contact_jacobian(o.robot, &c[0], J, &err));
            OK(tml_robot_jacobian(o.robot, &foot, F, NULL, &err));
            const double down = c[0].gap / 2 - p[2];
            for (int j = 0; j < o.n; j++) {
                const double v[3] = {F[j] + F[4 * o.n + j] * down, F[o.n + j] - F[3 * o.n + j] * down,
                                     F[2 * o.n + j]};
                for (int k = 0; k < 3; k++) assert_true(fabs(J[k * o.n + j] - v[k]) < 1e-14);
            }
            for (int side = 0; side < 2; side++) {
                move(&o, q, side ? 1e-6 : -1e-6, u, near);
                OK(tml_robot_set(o.robot, near, u, &err));
                OK(tml_robot_contacts(o.robot, 10, c, 1, &count, &err));
                gap[side] = c[0].gap;
            }
            double rate = 0;
            for (int j = 0; j < o.n; j++) rate += J[2 * o.n + j] * u[j];
            assert_true(fabs((gap[1] - gap[0]) / 2e-6 - rate) < 1e-8);  // error of the difference: 1e-10
        }
        clear(&o);
    }
}

// Those farther away than the reach are not listed, and of two bodies that touch each other both move.
static void test_reach_of_points(void **state)
{
    (void)state;
    tml_error err = {0};
    machine o = make_walker("contacts: {clash: {a: foot, b: belly, stiffness: 1e4}}\n");
    double q[MOST + 4], u[MOST], J[3 * MOST], F[2][6 * MOST];
    tml_robot_contact c;
    tml_robot_frame at[2] = {{.body = 1}, {.body = 0}};
    int count = 0;
    tilt(&o, q, u);
    OK(tml_robot_set(o.robot, q, u, &err));
    OK(tml_robot_contacts(o.robot, INFINITY, &c, 1, &count, &err));
    assert_int_equal(count, 1);
    assert_true(c.gap > 0.01 && c.body[0] + c.body[1] == 1);
    OK(tml_robot_contact_jacobian(o.robot, &c, J, &err));
    for (int side = 0; side < 2; side++) {
        double p[3], R[9], d[3];
        at[side] = (tml_robot_frame){.body = c.body[side], .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        OK(tml_robot_pose(o.robot, &at[side], p, R, &err));
        for (int k = 0; k < 3; k++) d[k] = c.position[k] - p[k];
        for (int k = 0; k < 3; k++) at[side].point[k] = R[k] * d[0] + R[3 + k] * d[1] + R[6 + k] * d[2];
        OK(tml_robot_jacobian(o.robot, &at[side], F[side], NULL, &err));
    }
    for (int k = 0; k < 3 * o.n; k++) assert_true(fabs(J[k] - (F[1][k] - F[0][k])) < 1e-14);
    OK(tml_robot_contacts(o.robot, c.gap * 0.99, &c, 1, &count, &err));
    assert_int_equal(count, 0);
    assert_int_equal(tml_robot_contacts(o.robot, NAN, &c, 1, &count, &err), TML_ERR_ARG);
    c.body[1] = 7;
    assert_int_equal(tml_robot_contact_jacobian(o.robot, &c, J, &err), TML_ERR_ARG);
    clear(&o);
}

// Rigid contacts hold nothing and rub nothing: the equations are those without them, at a state that touches.
static void test_rigid(void **state)
{
    (void)state;
    tml_error err = {0};
    double udot[2][MOST], by[2][2 * MOST * MOST], q[MOST + 4], u[MOST];
    for (int i = 0; i < 2; i++) {
        machine o = make_walker(i ? laws[2] : "");
        const size_t n = (size_t)o.n;
        if (i == 0) tilt(&o, q, u);
        q[2] = 0.2;
        OK(tml_robot_set(o.robot, q, u, &err));
        OK(tml_robot_accelerations(o.robot, NULL, udot[i], NULL, &err));
        OK(tml_robot_gradients(o.robot, NULL, by[i], by[i] + n * n, NULL, &err));
        assert_int_equal(tml_robot_row_count(o.robot), 0);
        if (i) assert_memory_equal(udot[0], udot[1], n * sizeof **udot);
        if (i) assert_memory_equal(by[0], by[1], 2 * n * n * sizeof **by);
        clear(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_reach_of_points),
        cmocka_unit_test(test_rigid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

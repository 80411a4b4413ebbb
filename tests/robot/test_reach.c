// Inverse kinematics of robots: targets that can be reached, and least squares within limits and on loops.
#include "machine.h"

static void test_reach(void **state)
{
    (void)state;
    tml_error err = {0};
    machine o = make(fixed_text);
    double q[MOST + 4], u[MOST];
    tml_robot_target t[2] = {{.weight = 1, .turn_weight = 1}, {.weight = 1}};
    OK(tml_robot_find_frame(o.spec, "five.tip", &t[0].frame, &err));
    OK(tml_robot_find_frame(o.spec, "two.tip", &t[1].frame, &err));
    for (int trial = 0; trial < 20; trial++) {  // where the frames are at a posture; then from another one
        random_state(&o, q, u);
        for (int i = 0; i < 5; i++) q[i] *= 0.6;
        OK(tml_robot_set(o.robot, q, NULL, &err));
        for (int i = 0; i < 2; i++) OK(tml_robot_pose(o.robot, &t[i].frame, t[i].position, t[i].axes, &err));
        for (int i = 0; i < 5; i++) q[i] += 0.3 * rnd();
        tml_robot_reached out;
        OK(tml_robot_set(o.robot, q, u, &err));
        OK(tml_robot_reach(o.robot, t, 2, NULL, NULL, &out, &err));
        if (!(out.converged && out.distance < 1e-9 && out.angle < 1e-9))
            fail_msg("trial %d: %g m and %g rad after %d iterations", trial, out.distance, out.angle,
                     out.iterations);
        assert_true(tml_robot_u(o.robot)[0] == 0);
    }
    clear(&o);
}

// A target that no posture reaches: the arm of two links points to it, or as near as its limit lets it.
static void test_reach_limits(void **state)
{
    (void)state;
    tml_error err = {0};
    machine o = make(planar_text);
    tml_robot_target t = {.weight = 2, .position = {1.8, 1.35, 0}};
    tml_robot_reached out;
    double q[2] = {0.2, 0.4};
    OK(tml_robot_find_frame(o.spec, "b.e", &t.frame, &err));
    OK(tml_robot_set(o.robot, q, NULL, &err));
    OK(tml_robot_reach(o.robot, &t, 1, NULL, NULL, &out, &err));
    assert_true(out.converged);
    assert_true(fabs(out.distance - (2.25 - 0.9)) < 1e-12);  // links of 0.5 and 0.4 m, stretched
    assert_true(fabs(tml_robot_q(o.robot)[0] - atan2(1.35, 1.8)) < 1e-6);
    assert_true(fabs(tml_robot_q(o.robot)[1]) < 1e-6);

    const double lower[2] = {-1, 0.3}, upper[2] = {0.4, 2};  // q.angle is from b to a
    OK(tml_robot_set(o.robot, q, NULL, &err));
    OK(tml_robot_reach(o.robot, &t, 1, lower, upper, &out, &err));
    assert_true(out.converged);
    assert_true(tml_robot_q(o.robot)[0] == 0.4 && tml_robot_q(o.robot)[1] == 0.3);
    const double wrong[2] = {3, 3};
    assert_int_equal(tml_robot_reach(o.robot, &t, 1, wrong, upper, &out, &err), TML_ERR_ARG);
    t.weight = -1;
    assert_int_equal(tml_robot_reach(o.robot, &t, 1, NULL, NULL, &out, &err), TML_ERR_ARG);
    clear(&o);
}

static double weighted_sum(const machine *o, const tml_robot_target *t, int count, const double *q)
{
    tml_error err = {0};
    double p[3], sum = 0;
    OK(tml_robot_set(o->robot, q, NULL, &err));
    for (int i = 0; i < count; i++) {
        OK(tml_robot_pose(o->robot, &t[i].frame, p, NULL, &err));
        for (int k = 0; k < 3; k++) sum += pow(t[i].weight * (p[k] - t[i].position[k]), 2);
    }
    return sum;
}

// Targets out of reach, within narrow limits: what is called the least sum is least. No coordinate can make
// it less, those at a limit not inwards.
static void test_reach_least(void **state)
{
    (void)state;
    tml_error err = {0};
    machine o = make(fixed_text);
    tml_robot_target t[2] = {{.weight = 1}, {.weight = 0.7}};
    double q[MOST + 4], u[MOST], lower[MOST], upper[MOST], near[MOST + 4];
    OK(tml_robot_find_frame(o.spec, "five.tip", &t[0].frame, &err));
    OK(tml_robot_find_frame(o.spec, "two.tip", &t[1].frame, &err));
    int slow = 0;
    for (int trial = 0; trial < 300; trial++) {
        random_state(&o, q, u);
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++) t[i].position[k] = 0.3 + rnd();
        for (int j = 0; j < o.n; j++) {
            lower[j] = -0.45 + 0.4 * rnd();
            upper[j] = 0.45 + 0.4 * rnd();
        }
        tml_robot_reached out;
        OK(tml_robot_set(o.robot, q, NULL, &err));
        OK(tml_robot_reach(o.robot, t, 2, lower, upper, &out, &err));
        if (!out.converged) {  // where the sum curves more than its linear parts tell
            slow++;
            continue;
        }
        memcpy(q, tml_robot_q(o.robot), (size_t)o.nq * sizeof *q);
        for (int j = 0; j < o.n; j++) {
            const tml_robot_coordinate *c = tml_robot_get_coordinate(o.robot, j);
            const double h = 1e-5;
            double d[MOST] = {0}, sum[2];
            d[j] = 1;
            for (int side = 0; side < 2; side++) {
                move(&o, q, side ? h : -h, d, near);
                sum[side] = weighted_sum(&o, t, 2, near);
            }
            const double slope = (sum[1] - sum[0]) / (2 * h);
            const bool low = !c->quaternion && q[c->q] <= lower[j];
            const bool high = !c->quaternion && q[c->q] >= upper[j];
            // round-off of the difference is some 1e-11, of the last step of a slow convergence 1e-6
            if ((slope > 1e-5 && !low) || (slope < -1e-5 && !high))
                fail_msg("trial %d: '%s' at %g, within %g .. %g, has the slope %g", trial, c->name, q[c->q],
                         lower[j], upper[j], slope);
        }
    }
    if (slow > 9) fail_msg("%d of 300 do not converge", slow);
    clear(&o);
}

// A closed chain of six links in the plane, with three freedoms.
static const char *const chain_text =
    "planar: true\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 0.1, position: [0, 0.25], frames: {o: [0, -0.25], e: [0, 0.25]}}\n"
    "  b: {mass: 1, inertia: 0.1, position: [0.15, 0.7], frames: {o: [-0.15, -0.2], e: [0.15, 0.2]}}\n"
    "  c: {mass: 1, inertia: 0.1, position: [0.5, 0.95], frames: {o: [-0.2, -0.05], e: [0.2, 0.05]}}\n"
    "  d: {mass: 1, inertia: 0.1, position: [0.85, 0.75], frames: {o: [-0.15, 0.25], e: [0.15, -0.25]}}\n"
    "  f: {mass: 1, inertia: 0.1, position: [0.95, 0.25], frames: {o: [0.05, 0.25], e: [-0.05, -0.25]}}\n"
    "joints:\n"
    "  j1: {type: revolute, a: ground, b: a.o}\n"
    "  j2: {type: revolute, a: a.e, b: b.o}\n"
    "  j3: {type: revolute, a: b.e, b: c.o}\n"
    "  j4: {type: revolute, a: c.e, b: d.o}\n"
    "  j5: {type: revolute, a: d.e, b: f.o}\n"
    "  j6: {type: revolute, a: ground, b: f.e, point: [0.9, 0]}\n";

// The slope of the squared distance from the target along coordinate j, less what the two rows of the loop
// take: their multipliers follow from the coordinates that are not at a limit, by least squares.
static void slopes(const machine *o, const tml_robot_target *t, const bool *held, double *out)
{
    tml_error err = {0};
    double p[3], J[6 * MOST], B[2 * MOST], N[3] = {0}, b[2] = {0};
    OK(tml_robot_pose(o->robot, &t->frame, p, NULL, &err));
    OK(tml_robot_jacobian(o->robot, &t->frame, J, NULL, &err));
    OK(tml_robot_rows(o->robot, B, NULL, &err));
    for (int j = 0; j < o->n; j++) {
        const double x = B[j], y = B[o->n + j];
        out[j] = 0;
        for (int k = 0; k < 3; k++) out[j] += 2 * J[k * o->n + j] * (p[k] - t->position[k]);
        if (held[j]) continue;
        N[0] += x * x;
        N[1] += x * y;
        N[2] += y * y;
        b[0] += x * out[j];
        b[1] += y * out[j];
    }
    const double det = N[0] * N[2] - N[1] * N[1];
    const double nu[2] = {(N[2] * b[0] - N[1] * b[1]) / det, (N[0] * b[1] - N[1] * b[0]) / det};
    for (int j = 0; j < o->n; j++) out[j] -= nu[0] * B[j] + nu[1] * B[o->n + j];
}

// The same with a loop: it stays closed to round-off, and what is called least is least among closed ones.
static void test_reach_least_loop(void **state)
{
    (void)state;
    tml_error err = {0};
    machine o = make(chain_text);
    tml_sim *sim = NULL;
    tml_robot_target t = {.weight = 1};
    int at_limits = 0;
    OK(tml_sim_create(o.model, NULL, &sim, &err));
    OK(tml_robot_find_frame(o.spec, "c", &t.frame, &err));
    assert_int_equal(o.n, 5);
    assert_int_equal(o.m, 2);
    for (int trial = 0; trial < 100; trial++) {
        double lower[MOST], upper[MOST], slope[MOST];
        bool held[MOST];
        OK(tml_robot_set_state(o.robot, tml_sim_state(sim), &err));
        for (int j = 0; j < o.n; j++) {
            const double q = tml_robot_q(o.robot)[j];
            lower[j] = q - 0.3 + 0.2 * rnd();
            upper[j] = q + 0.3 + 0.2 * rnd();
        }
        t.position[0] = 0.5 + 0.5 * rnd();
        t.position[1] = 0.9 + 0.5 * rnd();
        tml_robot_reached out;
        OK(tml_robot_reach(o.robot, &t, 1, lower, upper, &out, &err));
        if (!(out.converged && out.opening < 1e-12))
            fail_msg("trial %d: %s, open by %g", trial, out.converged ? "converged" : "slow", out.opening);
        int free = 0;
        for (int j = 0; j < o.n; j++) {
            held[j] = tml_robot_q(o.robot)[j] <= lower[j] || tml_robot_q(o.robot)[j] >= upper[j];
            at_limits += held[j];
            free += !held[j];
        }
        if (free < 3) continue;  // limits and loop leave no motion: nothing is to be less
        slopes(&o, &t, held, slope);
        for (int j = 0; j < o.n; j++) {
            const bool low = tml_robot_q(o.robot)[j] <= lower[j], high = tml_robot_q(o.robot)[j] >= upper[j];
            if ((slope[j] > 1e-5 && !low) || (slope[j] < -1e-5 && !high))
                fail_msg("trial %d: coordinate %d at %g, within %g .. %g, has the slope %g", trial, j,
                         tml_robot_q(o.robot)[j], lower[j], upper[j], slope[j]);
        }
    }
    assert_true(at_limits > 100);
    tml_sim_destroy(sim);
    clear(&o);
}

// Loops stay closed, whether the target can be reached or not.
static void test_reach_loop(void **state)
{
    (void)state;
    tml_error err = {0};
    machine o = make(loop_text);
    tml_state *x = NULL;
    tml_robot_reached out;
    tml_robot_target t = {.weight = 1};
    OK(tml_state_create(tml_model_system(o.model), &x, &err));
    tml_sim *sim = NULL;
    OK(tml_sim_create(o.model, NULL, &sim, &err));
    OK(tml_robot_set_state(o.robot, tml_sim_state(sim), &err));
    OK(tml_robot_find_frame(o.spec, "crank.b", &t.frame, &err));
    t.position[0] = 0.4 * cos(0.3);
    t.position[1] = 0.4 * sin(0.3);
    OK(tml_robot_reach(o.robot, &t, 1, NULL, NULL, &out, &err));
    if (!(out.converged && out.distance < 1e-12 && out.opening < 1e-12))
        fail_msg("%g m, open by %g after %d iterations, %d", out.distance, out.opening, out.iterations,
                 out.converged);
    t.position[0] = 1;
    OK(tml_robot_reach(o.robot, &t, 1, NULL, NULL, &out, &err));
    assert_true(out.converged && out.distance > 0.1 && out.opening < 1e-12);
    tml_sim_destroy(sim);
    tml_state_destroy(x, tml_model_system(o.model));
    clear(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reach),       cmocka_unit_test(test_reach_limits),
        cmocka_unit_test(test_reach_least), cmocka_unit_test(test_reach_least_loop),
        cmocka_unit_test(test_reach_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

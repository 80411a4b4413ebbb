// Robots: matrices, forces and accelerations against simulations of the bodies and against each other;
// Jacobians, their rates and gradients of accelerations against difference quotients.
#include "machine.h"

static void close_to(const char *what, const double *a, const double *b, int count, double tol)
{
    double size = 1;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(b[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= tol * size)) fail_msg("%s, %d: %.12g, not %.12g", what, i, a[i], b[i]);
}

// ---- dynamics ---------------------------------------------------------------------------------------------

// Kinetic energy and accelerations of a simulation in the coordinates of the bodies that starts at the state.
static void check_against_bodies(const machine *o)
{
    tml_error err = {0};
    double q[MOST + 4], u[MOST], udot[MOST], M[MOST * MOST];
    for (int trial = 0; trial < 10; trial++) {
        random_state(o, q, u);
        OK(tml_robot_set(o->robot, q, u, &err));
        OK(tml_robot_accelerations(o->robot, NULL, udot, NULL, &err));
        OK(tml_robot_mass_matrix(o->robot, M, &err));
        tml_state *x = NULL;
        tml_sim *sim = NULL;
        OK(tml_state_create(tml_model_system(o->model), &x, &err));
        tml_model_start(o->model, 0, x);
        OK(tml_robot_get_state(o->robot, x, &err));
        tml_run_def run = tml_run_def_default();
        run.kinematics = TML_KINEMATICS_BODIES;
        const tml_sim_def def = {.size = sizeof def, .model = o->model, .x0 = x, .run = &run};
        OK(tml_sim_create_def(&def, &sim, &err));
        const int kinetic = tml_sim_channel_index(sim, "energy.kinetic", &err);
        double energy, sum = 0;
        OK(tml_sim_read(sim, &kinetic, 1, &energy, &err));
        for (int i = 0; i < o->n; i++)
            for (int j = 0; j < o->n; j++) sum += u[i] * M[i * o->n + j] * u[j] / 2;
        close_to("kinetic energy", &sum, &energy, 1, 1e-12);
        for (int j = 0; j < o->n; j++) {
            char name[80];
            const tml_robot_coordinate *c = tml_robot_get_coordinate(o->robot, j);
            snprintf(name, sizeof name, "%s_acceleration", c->name);
            const int channel = tml_sim_channel_index(sim, name, NULL);
            double value;
            if (channel < 0) continue;
            OK(tml_sim_read(sim, &channel, 1, &value, &err));
            close_to(name, &udot[j], &value, 1, 1e-10);  // condition of the equations of the bodies
        }
        OK(tml_robot_set(o->robot, q, NULL, &err));
        OK(tml_robot_set_state(o->robot, tml_sim_state(sim), &err));
        close_to("u of the state", tml_robot_u(o->robot), u, o->n, 1e-12);
        tml_sim_destroy(sim);
        tml_state_destroy(x, tml_model_system(o->model));
    }
}

// tau = M udot + h - Q, term by term, and back.
static void check_inverse(const machine *o)
{
    tml_error err = {0};
    double q[MOST + 4], u[MOST], a[MOST], tau[MOST], back[MOST], bias[MOST], Q[MOST], M[MOST * MOST];
    for (int trial = 0; trial < 10; trial++) {
        random_state(o, q, u);
        OK(tml_robot_set(o->robot, q, u, &err));
        for (int i = 0; i < o->n; i++) a[i] = 3 * rnd();
        OK(tml_robot_inverse_dynamics(o->robot, a, tau, &err));
        OK(tml_robot_accelerations(o->robot, tau, back, NULL, &err));
        if (o->m == 0) close_to("accelerations of the forces", back, a, o->n, 1e-10);
        OK(tml_robot_forces(o->robot, bias, Q, &err));
        OK(tml_robot_mass_matrix(o->robot, M, &err));
        for (int i = 0; i < o->n; i++) {
            back[i] = bias[i] - Q[i];
            for (int j = 0; j < o->n; j++) back[i] += M[i * o->n + j] * a[j];
        }
        close_to("forces", back, tau, o->n, 1e-13);
    }
}

static void check_gradients(const machine *o, double tol)
{
    tml_error err = {0};
    const double h = 1e-5;
    double q[MOST + 4], u[MOST], tau[MOST], near[MOST + 4], plus[MOST], minus[MOST], d[MOST];
    double by[3][MOST * MOST];
    const int n = o->n;
    for (int trial = 0; trial < 5; trial++) {
        random_state(o, q, u);
        for (int i = 0; i < n; i++) tau[i] = rnd();
        OK(tml_robot_set(o->robot, q, u, &err));
        OK(tml_robot_gradients(o->robot, tau, by[0], by[1], by[2], &err));
        for (int part = 0; part < 3; part++)
            for (int j = 0; j < n; j++) {
                for (int side = 0; side < 2; side++) {
                    double v[MOST], f[MOST];
                    const double step = side ? h : -h;
                    memset(d, 0, sizeof d);
                    d[j] = part == 0;
                    move(o, q, step, d, near);
                    memcpy(v, u, sizeof v);
                    memcpy(f, tau, sizeof f);
                    v[j] += part == 1 ? step : 0;
                    f[j] += part == 2 ? step : 0;
                    OK(tml_robot_set(o->robot, near, v, &err));
                    OK(tml_robot_accelerations(o->robot, f, side ? plus : minus, NULL, &err));
                }
                for (int i = 0; i < n; i++) {
                    const double wanted = (plus[i] - minus[i]) / (2 * h), found = by[part][i * n + j];
                    if (!(fabs(found - wanted) <= tol * fmax(1, fabs(wanted))))
                        fail_msg("part %d, %d by %d: %.10g, not %.10g", part, i, j, found, wanted);
                }
            }
    }
}

// h^2 of the differences and eps/h, times accelerations of some hundred and their derivatives: 3e-7
static void test_arm(void **state)
{
    (void)state;
    machine o = make(fixed_text);
    assert_int_equal(o.n, 8);
    assert_int_equal(o.nq, 9);
    check_against_bodies(&o);
    check_inverse(&o);
    check_gradients(&o, 3e-6);
    clear(&o);
}

static void test_flying(void **state)
{
    (void)state;
    machine o = make(flying_text);
    assert_int_equal(o.n, 13);
    check_against_bodies(&o);
    check_inverse(&o);
    check_gradients(&o, 3e-6);
    clear(&o);
}

// Torques by roll, pitch and yaw and by their rates have exact tangents.
static void test_attitude(void **state)
{
    (void)state;
    machine o = make("gravity: [0, 0, -9.81]\n"
                     "bodies:\n"
                     "  one: {mass: 2.3, inertia: [0.5, 0.4, 0.2]}\n"
                     "  two: {mass: 1.4, inertia: [0.3, 0.35, 0.1], position: [0.4, 0, 0]}\n"
                     "joints:\n"
                     "  pin: {type: revolute, a: one, b: two, point: [0.2, 0, 0], axis: [0, 1, 0.1]}\n"
                     "forces:\n"
                     "  level: {type: applied, at: one, torque: ["
                     "'-2*one.roll - 0.3*two.roll_rate', '-3*sin(two.pitch) - 0.2*one.pitch_rate',"
                     " '-one.yaw*two.roll - 0.4*one.yaw_rate']}\n"
                     "  pull: {type: applied, at: two, force: ["
                     "'2*dx(two, one) - vz(one, two)', 'dy(two, one)*vy(two, ground)', 'dz(one, two)']}\n");
    check_gradients(&o, 3e-6);
    clear(&o);
}

static void test_planar(void **state)
{
    (void)state;
    machine o = make(planar_text);
    assert_int_equal(o.n, 2);
    check_against_bodies(&o);
    check_inverse(&o);
    check_gradients(&o, 1e-6);
    clear(&o);
}

// The rows of the loop: accelerations keep them, and the gradients are those of (1) also off the loop.
static void test_loop(void **state)
{
    (void)state;
    tml_error err = {0};
    machine o = make(loop_text);
    double q[MOST + 4], u[MOST], udot[MOST], lambda[MOST], B[MOST * MOST], gamma[MOST];
    assert_true(o.n == 3 && o.m == 2);
    random_state(&o, q, u);
    OK(tml_robot_set(o.robot, q, u, &err));
    OK(tml_robot_accelerations(o.robot, NULL, udot, lambda, &err));
    OK(tml_robot_rows(o.robot, B, gamma, &err));
    for (int i = 0; i < o.m; i++) {
        double sum = 0;
        for (int j = 0; j < o.n; j++) sum += B[i * o.n + j] * udot[j];
        close_to("acceleration of a row", &sum, &gamma[i], 1, 1e-11);
    }
    double tau[MOST], wanted[MOST];
    OK(tml_robot_inverse_dynamics(o.robot, udot, tau, &err));
    for (int j = 0; j < o.n; j++) {
        wanted[j] = 0;
        for (int i = 0; i < o.m; i++) wanted[j] += B[i * o.n + j] * lambda[i];
    }
    close_to("forces of the loop", tau, wanted, o.n, 1e-11);
    check_gradients(&o, 1e-5);
    clear(&o);
}

// ---- frames -----------------------------------------------------------------------------------------------

static void check_frame(const machine *o, const char *name)
{
    tml_error err = {0};
    tml_robot_frame frame;
    const double h = 1e-6;
    double q[MOST + 4], u[MOST], near[MOST + 4], J[6 * MOST], rate[6 * MOST], other[2][6 * MOST];
    double p[2][3], R[2][9];
    OK(tml_robot_find_frame(o->spec, name, &frame, &err));
    for (int trial = 0; trial < 5; trial++) {
        random_state(o, q, u);
        OK(tml_robot_set(o->robot, q, u, &err));
        OK(tml_robot_jacobian(o->robot, &frame, J, rate, &err));
        for (int j = 0; j < o->n; j++) {
            double d[MOST] = {0}, column[6], wanted[6];
            d[j] = 1;
            for (int side = 0; side < 2; side++) {
                move(o, q, side ? h : -h, d, near);
                OK(tml_robot_set(o->robot, near, u, &err));
                OK(tml_robot_pose(o->robot, &frame, p[side], R[side], &err));
            }
            for (int k = 0; k < 3; k++) wanted[k] = (p[1][k] - p[0][k]) / (2 * h);
            for (int k = 0; k < 3; k++) {  // of R1 R0', twice the angle in its skew part
                const int a = (k + 1) % 3, b = (k + 2) % 3;
                double skew = 0;
                for (int c = 0; c < 3; c++)
                    skew += R[1][3 * b + c] * R[0][3 * a + c] - R[1][3 * a + c] * R[0][3 * b + c];
                wanted[3 + k] = skew / (4 * h);
            }
            for (int k = 0; k < 6; k++) column[k] = J[k * o->n + j];
            close_to("column of the Jacobian", column, wanted, 6, 1e-8);
        }
        for (int side = 0; side < 2; side++) {
            move(o, q, side ? h : -h, u, near);
            OK(tml_robot_set(o->robot, near, u, &err));
            OK(tml_robot_jacobian(o->robot, &frame, other[side], NULL, &err));
        }
        for (int k = 0; k < 6 * o->n; k++) other[0][k] = (other[1][k] - other[0][k]) / (2 * h);
        close_to("rate of the Jacobian", rate, other[0], 6 * o->n, 1e-8);
    }
}

static void test_frames(void **state)
{
    (void)state;
    const char *const texts[] = {fixed_text, flying_text};
    for (int i = 0; i < 2; i++) {
        machine o = make(texts[i]);
        check_frame(&o, "five.tip");
        check_frame(&o, "two.tip");
        check_frame(&o, "one");
        clear(&o);
    }
    machine o = make(planar_text);
    check_frame(&o, "b.e");
    clear(&o);
}

// First-order states are those of the start, then of the state that is set; they are no coordinates.
static void test_motors(void **state)
{
    (void)state;
    tml_error err = {0};
    machine o = make(motor_text), plain = make(fixed_text);
    double M[MOST * MOST], other[MOST * MOST], q[MOST + 4], u[MOST], Q[2][MOST];
    assert_int_equal(o.n, plain.n);
    assert_int_equal(o.nq, plain.nq);
    assert_null(tml_robot_get_coordinate(o.robot, o.n));
    check_against_bodies(&o);
    check_inverse(&o);
    check_gradients(&o, 1e-6);
    check_frame(&o, "five.tip");
    random_state(&o, q, u);
    OK(tml_robot_set(o.robot, q, NULL, &err));
    OK(tml_robot_set(plain.robot, q, NULL, &err));
    OK(tml_robot_mass_matrix(o.robot, M, &err));
    OK(tml_robot_mass_matrix(plain.robot, other, &err));
    close_to("mass matrix", M, other, o.n * o.n, 1e-14);

    tml_sim *sim = NULL;
    OK(tml_sim_create(o.model, NULL, &sim, &err));
    for (int i = 0; i < 2; i++) {
        if (i) OK(tml_sim_run(sim, 0.5, &err));
        OK(tml_robot_set_state(o.robot, tml_sim_state(sim), &err));
        OK(tml_robot_forces(o.robot, NULL, Q[i], &err));
        const int lag = tml_sim_channel_index(sim, "waist_motor_lag", &err);
        double force;
        OK(tml_sim_read(sim, &lag, 1, &force, &err));
        close_to("force of the motor", &Q[i][0], &force, 1, 1e-12);
    }
    if (!(fabs(Q[0][0]) < 1e-12 && fabs(Q[1][0]) > 0.1)) fail_msg("forces %g and %g", Q[0][0], Q[1][0]);
    tml_sim_destroy(sim);
    clear(&o);
    clear(&plain);
}

static void test_names(void **state)
{
    (void)state;
    tml_error err = {0};
    machine o = make(flying_text);
    const char *const names[] = {"one.x",  "one.y",  "one.z",          "one.wx",
                                 "one.wy", "one.wz", "shoulder.angle", "slide.distance"};
    for (int j = 0; j < 8; j++) {
        const tml_robot_coordinate *c = tml_robot_get_coordinate(o.robot, j);
        assert_string_equal(c->name, names[j]);
        assert_int_equal(c->quaternion, j >= 3 && j < 6);
    }
    const tml_robot_coordinate *c = tml_robot_get_coordinate(o.robot, 6);
    assert_true(c->lower == -0.9 && c->upper == 1.1 && isinf(tml_robot_get_coordinate(o.robot, 7)->upper));
    assert_null(tml_robot_get_coordinate(o.robot, 13));
    tml_robot_frame frame;
    assert_int_equal(tml_robot_find_frame(o.spec, "five.tup", &frame, &err), TML_ERR_NAME);
    clear(&o);
}

// Coordinates that are called as a channel have its value, whichever of its bodies a joint begins with.
static void test_channels(void **state)
{
    (void)state;
    static const char *const types[] = {"revolute", "prismatic", "cylindrical",   "universal",
                                        "planar",   "screw",     "point-on-line", "parallel"};
    tml_error err = {0};
    for (int i = 0; i < 16; i++) {
        const char *const type = types[i / 2], *const pitch =
                                                   strcmp(type, "screw") == 0 ? ", pitch: 0.1" : "";
        const bool reversed = i % 2;
        char text[400];
        snprintf(text, sizeof text,
                 "bodies: {arm: {mass: 1, inertia: [1, 1, 1], position: [0.2, 0, 0],"
                 " frames: {o: {position: [-0.2, 0, 0], orientation: {z: [0, 0, 1], x: [0, 1, 0]}}}}}\n"
                 "joints:\n  j: {type: %s, a: %s, b: %s%s}\n",
                 type, reversed ? "arm.o" : "ground", reversed ? "ground" : "arm.o", pitch);
        machine o = make(text);
        double q[MOST + 4], u[MOST], value;
        random_state(&o, q, u);
        OK(tml_robot_set(o.robot, q, u, &err));
        tml_state *x = NULL;
        tml_sim *sim = NULL;
        OK(tml_state_create(tml_model_system(o.model), &x, &err));
        OK(tml_robot_get_state(o.robot, x, &err));
        const tml_sim_def def = {.size = sizeof def, .model = o.model, .x0 = x};
        if (o.m == 0) OK(tml_sim_create_def(&def, &sim, &err));  // other states have their loops open
        for (int j = 0; j < o.n && sim; j++) {
            const tml_robot_coordinate *c = tml_robot_get_coordinate(o.robot, j);
            const int channel = tml_sim_channel_index(sim, c->name, NULL);
            if (channel < 0 || c->quaternion) continue;
            OK(tml_sim_read(sim, &channel, 1, &value, &err));
            close_to(type, &q[c->q], &value, 1, 1e-12);
        }
        tml_sim_destroy(sim);
        tml_state_destroy(x, tml_model_system(o.model));
        clear(&o);
    }
}

// A chain of parallel axes in space, whose rows depend on each other, moves as the same one in the plane.
static void test_redundant_loop(void **state)
{
    (void)state;
    tml_error err = {0};
    const char *const texts[] = {loop_text, redundant_text};
    const char *const names[] = {"hinge.angle", "foot.angle", "pin.angle"};
    double udot[2][3], by[2][9];
    for (int i = 0; i < 2; i++) {
        machine o = make(texts[i]);
        tml_sim *sim = NULL;
        double lambda[MOST], back[3], rest = 0;
        const double tau[3] = {0.7, -0.2, 0.4};
        OK(tml_sim_create(o.model, NULL, &sim, &err));
        OK(tml_sim_run(sim, 0.3, &err));
        OK(tml_robot_set_state(o.robot, tml_sim_state(sim), &err));
        assert_int_equal(o.n, 3);
        assert_int_equal(o.m, i ? 5 : 2);
        for (int j = 0; j < 3; j++) assert_string_equal(tml_robot_get_coordinate(o.robot, j)->name, names[j]);
        OK(tml_robot_accelerations(o.robot, tau, udot[i], lambda, &err));
        OK(tml_robot_gradients(o.robot, tau, NULL, NULL, by[i], &err));
        // the equations: M udot + h - Q = tau + B'lambda
        double B[MOST * 3];
        OK(tml_robot_inverse_dynamics(o.robot, udot[i], back, &err));
        OK(tml_robot_rows(o.robot, B, NULL, &err));
        for (int j = 0; j < 3; j++) {
            double sum = back[j] - tau[j];
            for (int r = 0; r < o.m; r++) sum -= B[r * 3 + j] * lambda[r];
            rest = fmax(rest, fabs(sum));
        }
        if (!(rest < 1e-10)) fail_msg("the equations of motion have the residual %g", rest);
        tml_sim_destroy(sim);
        clear(&o);
    }
    close_to("accelerations", udot[1], udot[0], 3, 1e-3);  // two runs with the tolerance 1e-4
    close_to("derivatives by the forces", by[1], by[0], 9, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arm),      cmocka_unit_test(test_flying),
        cmocka_unit_test(test_planar),   cmocka_unit_test(test_attitude),
        cmocka_unit_test(test_loop),     cmocka_unit_test(test_motors),
        cmocka_unit_test(test_frames),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_channels), cmocka_unit_test(test_redundant_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

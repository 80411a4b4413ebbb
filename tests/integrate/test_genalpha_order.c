// The order of genalpha at fixed steps, for positions, velocities and the integrator's own multipliers apart: 2 for every
// rho, on rotations in closed loops, on the heavy top and on a system of callbacks.
//
// Steps are h, h/2, h/4, errors those against h/32. Times are dyadic, so that all of them meet the same instants. The
// reference takes 1/64 off the smallest error (0.017 of the slope); it is not finer because the round-off of positions,
// divided by its h^2, is in its multipliers. The third-order part of the error of the top, which turns by 0.15 rad in a
// step of h, is the rest of the 0.15 allowed. A disturbance at the start decays like rho^k: 0.8^72 = 1e-7 at the first
// instant counted. "with start-up" is for the reader: the slope if all instants count.
#include "integrate/fixture.h"

enum { SAMPLES = 16, STEPS = 8, FIRST_SAMPLE = 8, LEVELS = 3, FINE = 32 };
static const double SLOPE_TOL = 0.15;

// ---- the systems -------------------------------------------------------------------------------------------------------

static void add_body(tml_spec *s, const char *name, double mass, const double J[6], const double r[3],
                     const double w[3])
{
    tml_body_def b = tml_body_def_default();
    b.name = name;
    b.mass = mass;
    memcpy(b.inertia, J, sizeof b.inertia);
    memcpy(b.position, r, sizeof b.position);
    memcpy(b.angular_velocity, w, sizeof b.angular_velocity);
    OK(tml_spec_add_body(s, &b, err));
}

static void add_joint(tml_spec *s, const char *name, tml_joint_type type, const char *a, const char *b,
                      const double point[3], const double *axis)
{
    tml_joint_def j = tml_joint_def_default();
    j.name = name;
    j.type = type;
    j.a = a;
    j.b = b;
    j.has_point = true;
    memcpy(j.point, point, sizeof j.point);
    j.has_axis = axis != NULL;
    if (axis) memcpy(j.axis, axis, sizeof j.axis);
    OK(tml_spec_add_joint(s, &j, err));
}

// A spatial linkage, crank - coupler - rocker, with skew hinges and two ball joints, so that the coupler also spins about
// its own axis; a tumbling weight hangs from the rocker by a universal joint, a spring-damper pulls the crank.
// 24 coordinates, 20 independent rows, 4 degrees of freedom. Velocities become consistent by projection.
static tml_model *linkage(void)
{
    tml_spec *s = NULL;
    OK(tml_spec_create(NULL, &s, err));
    const double g[3] = {0.71, -1.3, -9.42};
    tml_spec_set_gravity(s, g);
    const double A[3] = {0, 0, 0}, B[3] = {0.17, 0.05, 0.21}, C[3] = {0.78, 0.41, 0.37},
                 D[3] = {0.83, 0.55, -0.09};
    const double crank_axis[3] = {0.2, 1, -0.1}, rocker_axis[3] = {1, -0.3, 0.25};
    const double mid1[3] = {0.08, 0.03, 0.11}, mid2[3] = {0.46, 0.21, 0.31}, mid3[3] = {0.81, 0.47, 0.16};
    const double hang[3] = {0.79, 0.44, 0.3}, low[3] = {0.86, 0.31, 0.07};
    add_body(s, "crank", 1.3, (double[6]){0.021, 0.017, 0.012, 0.003, -0.002, 0.001}, mid1,
             (double[3]){1.2, 6, -0.6});
    add_body(s, "coupler", 0.9, (double[6]){0.011, 0.052, 0.049, -0.004, 0.002, 0.005}, mid2,
             (double[3]){5, 2.5, -1});
    add_body(s, "rocker", 1.7, (double[6]){0.043, 0.038, 0.019, 0.001, 0.003, -0.006}, mid3,
             (double[3]){0, 0, 0});
    add_body(s, "weight", 0.6, (double[6]){0.013, 0.009, 0.016, 0.002, -0.001, 0.001}, low,
             (double[3]){-2, 3, 1});
    add_joint(s, "hinge_a", TML_JOINT_REVOLUTE, "ground", "crank", A, crank_axis);
    add_joint(s, "ball_b", TML_JOINT_SPHERICAL, "crank", "coupler", B, NULL);
    add_joint(s, "ball_c", TML_JOINT_SPHERICAL, "coupler", "rocker", C, NULL);
    add_joint(s, "hinge_d", TML_JOINT_REVOLUTE, "ground", "rocker", D, rocker_axis);
    add_joint(s, "cross", TML_JOINT_UNIVERSAL, "rocker", "weight", hang, NULL);
    tml_frame_def f = tml_frame_def_default();
    f.body = "ground";
    f.name = "hook";
    memcpy(f.position, (double[3]){-0.4, 0.1, 0.5}, sizeof f.position);
    OK(tml_spec_add_frame(s, &f, err));
    tml_force_def k = tml_force_def_default();
    k.name = "spring";
    k.type = TML_FORCE_SPRING;
    k.a = "ground.hook";
    k.b = "crank";
    k.stiffness = 47;
    k.damping = 1.9;
    k.free = 0.2;
    OK(tml_spec_add_force(s, &k, err));
    return model_of(s);
}

static tml_model *heavy_top(void) { return model_read("heavy_top", NULL, 0); }

static tml_status pend_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[3] = 1.37;
    return TML_OK;
}
static tml_status pend_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)q, (void)user;
    f[0] = -0.29 * u[0] + 1.1 * sin(3 * t);
    f[1] = -0.29 * u[1] - 1.37 * 9.81;
    return TML_OK;
}
static tml_status pend_constraint(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = q[0] * q[0] + q[1] * q[1] - 0.83 * 0.83;
    return TML_OK;
}

static void start(ride *r, tml_model *(*build)(void), const plan *p)
{
    if (build) {
        ride_model(r, build(), p);
        return;
    }
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 2;
    def.m = 1;
    def.length = 0.83;
    def.mass = pend_mass;
    def.force = pend_force;
    def.constraint = pend_constraint;
    tml_system *sys = NULL;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    ride_user(r, sys, (double[2]){0.83 * cos(0.4), 0.83 * sin(0.4)},
              (double[2]){0.7 * sin(0.4), -0.7 * cos(0.4)}, p);
}

// ---- the measurement -----------------------------------------------------------------------------------------------------

// States at the SAMPLES instants of a ride with `steps` steps in between.
static void record(tml_model *(*build)(void), double end, double rho, int steps, ride *r, tml_state *x[SAMPLES])
{
    plan p = plan_default();
    p.h = end / SAMPLES / steps;
    p.rho = rho;
    p.duration = end;
    start(r, build, &p);
    for (int i = 0; i < SAMPLES; i++) {
        OK(tml_state_create(r->sys, &x[i], err));
        ride_steps(r, steps);
        CHECK_SMALL(ride_state(r)->t - end * (i + 1) / SAMPLES, 0);
        tml_state_copy(x[i], ride_state(r));
    }
}

static void erase(ride *r, tml_state *x[SAMPLES])
{
    for (int i = 0; i < SAMPLES; i++) tml_state_destroy(x[i], r->sys);
    ride_end(r);
}

static void check_order(const char *name, tml_model *(*build)(void), double end, double rho)
{
    static const char *const what[3] = {"positions", "velocities", "multipliers"};
    ride fine, r;
    tml_state *exact[SAMPLES], *x[SAMPLES];
    record(build, end, rho, STEPS * FINE, &fine, exact);
    // [level][over the ride, at its end, from the first instant on][position, velocity, multiplier]
    double error[LEVELS][3][3] = {0};
    for (int level = 0; level < LEVELS; level++) {
        record(build, end, rho, STEPS << level, &r, x);
        for (int i = 0; i < SAMPLES; i++) {
            double d[3];
            state_distance(fine.sys, exact[i], x[i], d);
            for (int k = 0; k < 3; k++) {
                error[level][2][k] = fmax(error[level][2][k], d[k]);
                if (i >= FIRST_SAMPLE) error[level][0][k] = fmax(error[level][0][k], d[k]);
                error[level][1][k] = d[k];
            }
        }
        erase(&r, x);
    }
    erase(&fine, exact);
    for (int k = 0; k < 3; k++) {
        double slope[3][LEVELS - 1];
        for (int over = 0; over < 3; over++)
            for (int level = 0; level < LEVELS - 1; level++)
                slope[over][level] = log2(error[level][over][k] / error[level + 1][over][k]);
        printf("%-9s rho %.1f %-11s error %8.1e  slope %5.3f %5.3f   end %5.3f %5.3f   with start-up %5.3f "
               "%5.3f\n",
               name, rho, what[k], error[LEVELS - 1][0][k], slope[0][0], slope[0][1], slope[1][0],
               slope[1][1], slope[2][0], slope[2][1]);
        CHECK_CLOSE(slope[0][LEVELS - 2], 2, SLOPE_TOL);
        CHECK_CLOSE(slope[1][LEVELS - 2], 2, SLOPE_TOL);
    }
}

static const double RHO[] = {0, 0.5, 0.8};

// Largest distance, over the first six steps, of the multipliers from those that belong to the state reached, relative to
// the largest multiplier: the state itself is off by O(h^3) only, so this is the error of the start-up transient.
static double start_up_error(tml_model *(*build)(void), double h, double rho)
{
    plan p = plan_default();
    p.h = h;
    p.rho = rho;
    ride r;
    start(&r, build, &p);
    tml_state *y = NULL;
    OK(tml_state_create(r.sys, &y, err));
    double worst = 0;
    for (int k = 0; k < 6; k++) {
        double d[3];
        ride_steps(&r, 1);
        tml_state_copy(y, ride_state(&r));
        OK(tmli_consistent_project(&r.consistent, y, err));
        state_distance(r.sys, y, ride_state(&r), d);
        worst = fmax(worst, d[2]);
    }
    tml_state_destroy(y, r.sys);
    ride_end(&r);
    return worst;
}

// The starting values of genalpha.c (7) leave no first-order transient in the multipliers, with rotations too.
static void multipliers_are_second_order_from_the_first_step(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tml_model *(*build)(void);
        double h;
    } cases[] = {{"linkage", linkage, 0x1p-9}, {"heavy top", heavy_top, 0x1p-12}, {"callbacks", NULL, 0x1p-8}};
    int low = 0;
    const int count = plan_group == TML_GROUP_R3SO3 ? 3 : 2;  // callbacks have no bodies to move on SE(3)
    for (int c = 0; c < count; c++)
        for (int i = 0; i < 3; i++) {
            const double coarse = start_up_error(cases[c].build, cases[c].h, RHO[i]);
            const double fine = start_up_error(cases[c].build, cases[c].h / 2, RHO[i]),
                         slope = log2(coarse / fine);
            printf("%-9s rho %.1f start-up of multipliers: error %8.1e  slope %5.3f\n", cases[c].name, RHO[i],
                   fine, slope);
            // on SE(3) nothing is left of it for the top, whose multipliers then show Newton's tolerance
            low += !(slope > 2 - SLOPE_TOL || fine < 1e-7);
        }
    assert_int_equal(low, 0);
}

static void linkage_is_second_order(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) check_order("linkage", linkage, 0.25, RHO[i]);
}

static void heavy_top_is_second_order(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) check_order("heavy top", heavy_top, 0.125, RHO[i]);
}

static void callbacks_are_second_order(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) check_order("callbacks", NULL, 0.5, RHO[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linkage_is_second_order),
        cmocka_unit_test(heavy_top_is_second_order),
        cmocka_unit_test(callbacks_are_second_order),
        cmocka_unit_test(multipliers_are_second_order_from_the_first_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

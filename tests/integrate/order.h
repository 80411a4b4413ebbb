// The order of a method at fixed steps, for positions, velocities and the integrator's own multipliers apart.
//
// A ride passes SAMPLES instants; it is made with steps h, h/2, h/4, and once with h/FINE, against which
// errors count. Times are dyadic, so that all of them meet the same instants. The reference takes
// (4/FINE)^order off the smallest error; it is not finer because the round-off of positions, divided by its
// h^2, is in its multipliers.
//
//   plan p = plan_default();
//   p.method = "bdf";
//   order_check(&order_cases[0], &p, (order_expect){.order = {2, 2, 2}, .tolerance = 0.2});
//
// Three cases: a spatial closed loop, the heavy top, callbacks.
#ifndef TEST_INTEGRATE_ORDER_H
#define TEST_INTEGRATE_ORDER_H

#include "integrate/fixture.h"

enum { ORDER_SAMPLES = 16, ORDER_LEVELS = 3 };

/** What a method is to reach, and how it is measured; zero fields: 8 steps between instants, reference h/32,
 * errors count from the middle of the ride on (so that a disturbance at the start has decayed). */
typedef struct order_expect {
    double order[3];   // positions, velocities, multipliers; 0: not asked for
    double tolerance;  // of the slopes
    int steps;         // between two instants, at the largest step
    int fine;          // the reference takes h/fine
    int first;         // instant from which errors count
} order_expect;

/** A system to ride on. */
typedef struct order_case {
    const char *name;
    tml_model *(*build)(void);  // NULL: callbacks
    double end;                 // [s], dyadic
} order_case;

// ---- the systems ------------------------------------------------------------------------------------------

static inline void order_add_body(tml_spec *s, const char *name, double mass, const double J[6],
                                  const double r[3], const double w[3])
{
    tml_body_def b = tml_body_def_default();
    b.name = name;
    b.mass = mass;
    memcpy(b.inertia, J, sizeof b.inertia);
    memcpy(b.position, r, sizeof b.position);
    memcpy(b.angular_velocity, w, sizeof b.angular_velocity);
    OK(tml_spec_add_body(s, &b, err));
}

static inline void order_add_joint(tml_spec *s, const char *name, tml_joint_type type, const char *a,
                                   const char *b, const double point[3], const double *axis)
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

// A spatial linkage, crank - coupler - rocker, with skew hinges and two ball joints, so that the coupler also
// spins about its own axis; a tumbling weight hangs from the rocker by a universal joint, a spring-damper
// pulls the crank. 24 coordinates, 20 independent rows, 4 degrees of freedom. Velocities become consistent by
// projection.
static inline tml_model *order_linkage(void)
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
    order_add_body(s, "crank", 1.3, (double[6]){0.021, 0.017, 0.012, 0.003, -0.002, 0.001}, mid1,
                   (double[3]){1.2, 6, -0.6});
    order_add_body(s, "coupler", 0.9, (double[6]){0.011, 0.052, 0.049, -0.004, 0.002, 0.005}, mid2,
                   (double[3]){5, 2.5, -1});
    order_add_body(s, "rocker", 1.7, (double[6]){0.043, 0.038, 0.019, 0.001, 0.003, -0.006}, mid3,
                   (double[3]){0, 0, 0});
    order_add_body(s, "weight", 0.6, (double[6]){0.013, 0.009, 0.016, 0.002, -0.001, 0.001}, low,
                   (double[3]){-2, 3, 1});
    order_add_joint(s, "hinge_a", TML_JOINT_REVOLUTE, "ground", "crank", A, crank_axis);
    order_add_joint(s, "ball_b", TML_JOINT_SPHERICAL, "crank", "coupler", B, NULL);
    order_add_joint(s, "ball_c", TML_JOINT_SPHERICAL, "coupler", "rocker", C, NULL);
    order_add_joint(s, "hinge_d", TML_JOINT_REVOLUTE, "ground", "rocker", D, rocker_axis);
    order_add_joint(s, "cross", TML_JOINT_UNIVERSAL, "rocker", "weight", hang, NULL);
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

static inline tml_model *order_heavy_top(void) { return model_read("heavy_top", NULL, 0); }

static inline tml_status order_pend_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[3] = 1.37;
    return TML_OK;
}
static inline tml_status order_pend_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)q, (void)user;
    f[0] = -0.29 * u[0] + 1.1 * sin(3 * t);
    f[1] = -0.29 * u[1] - 1.37 * 9.81;
    return TML_OK;
}
static inline tml_status order_pend_constraint(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = q[0] * q[0] + q[1] * q[1] - 0.83 * 0.83;
    return TML_OK;
}

static inline tml_status order_pend_increment(double t0, const double *q0, double t1, const double *d,
                                              double *dphi, void *user)
{
    (void)t0, (void)t1, (void)user;
    dphi[0] = (2 * q0[0] + d[0]) * d[0] + (2 * q0[1] + d[1]) * d[1];
    return TML_OK;
}

/** Start the callbacks. */
static inline void order_callbacks(ride *r, const plan *p)
{
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 2;
    def.m = 1;
    def.length = 0.83;
    def.mass = order_pend_mass;
    def.force = order_pend_force;
    def.constraint = order_pend_constraint;
    def.constraint_increment = order_pend_increment;  // without: round-off of Phi over h^2 in multipliers
    tml_system *sys = NULL;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    ride_user(r, sys, (double[2]){0.83 * cos(0.4), 0.83 * sin(0.4)},
              (double[2]){0.7 * sin(0.4), -0.7 * cos(0.4)}, p);
}

static const order_case order_cases[] = {
    {"linkage", order_linkage, 0.25}, {"heavy top", order_heavy_top, 0.125}, {"callbacks", NULL, 0.5}};

static inline void order_start(ride *r, const order_case *c, const plan *p)
{
    if (c->build) ride_model(r, c->build(), p);
    else order_callbacks(r, p);
}

// ---- the measurement --------------------------------------------------------------------------------------

// States at the instants of a ride with `steps` steps in between.
static inline void order_record(const order_case *c, const plan *base, int steps, ride *r,
                                tml_state *x[ORDER_SAMPLES])
{
    plan p = *base;
    p.h = c->end / ORDER_SAMPLES / steps;
    p.duration = c->end;
    order_start(r, c, &p);
    for (int i = 0; i < ORDER_SAMPLES; i++) {
        OK(tml_state_create(r->sys, &x[i], err));
        ride_steps(r, steps);
        CHECK_SMALL(ride_state(r)->t - c->end * (i + 1) / ORDER_SAMPLES, 0);
        tml_state_copy(x[i], ride_state(r));
    }
}

static inline void order_erase(ride *r, tml_state *x[ORDER_SAMPLES])
{
    for (int i = 0; i < ORDER_SAMPLES; i++) tml_state_destroy(x[i], r->sys);
    ride_end(r);
}

// Slopes over the last halving: over the ride and at its end; "with start-up", if all instants count, is for
// the reader.
static inline void order_judge(const char *title, double error[ORDER_LEVELS][3][3], const order_expect *e)
{
    static const char *const what[3] = {"positions", "velocities", "multipliers"};
    for (int k = 0; k < 3; k++) {
        double slope[3][ORDER_LEVELS - 1];
        for (int over = 0; over < 3; over++)
            for (int level = 0; level < ORDER_LEVELS - 1; level++)
                slope[over][level] = log2(error[level][over][k] / error[level + 1][over][k]);
        printf("%s %-11s error %8.1e  slope %5.3f %5.3f   end %5.3f %5.3f   with start-up %5.3f %5.3f\n",
               title, what[k], error[ORDER_LEVELS - 1][0][k], slope[0][0], slope[0][1], slope[1][0],
               slope[1][1], slope[2][0], slope[2][1]);
        if (e->order[k] == 0) continue;
        CHECK_CLOSE(slope[0][ORDER_LEVELS - 2], e->order[k], e->tolerance);
        CHECK_CLOSE(slope[1][ORDER_LEVELS - 2], e->order[k], e->tolerance);
    }
}

static inline void order_check(const order_case *c, const plan *p, order_expect e)
{
    ride fine, r;
    tml_state *exact[ORDER_SAMPLES], *x[ORDER_SAMPLES];
    if (e.steps == 0) e.steps = 8;
    if (e.fine == 0) e.fine = 32;
    if (e.first == 0) e.first = ORDER_SAMPLES / 2;
    if (less_if_slow("all but the ride with the longest steps, and so the orders; two minutes")) {
        order_record(c, p, e.steps, &r, x);
        order_erase(&r, x);
        return;
    }
    order_record(c, p, e.steps * e.fine, &fine, exact);
    // [level][over the ride, at its end, from the first instant on][position, velocity, multiplier]
    double error[ORDER_LEVELS][3][3] = {0};
    for (int level = 0; level < ORDER_LEVELS; level++) {
        order_record(c, p, e.steps << level, &r, x);
        for (int i = 0; i < ORDER_SAMPLES; i++) {
            double d[3];
            state_distance(fine.sys, exact[i], x[i], d);
            for (int k = 0; k < 3; k++) {
                error[level][2][k] = fmax(error[level][2][k], d[k]);
                if (i >= e.first) error[level][0][k] = fmax(error[level][0][k], d[k]);
                error[level][1][k] = d[k];
            }
        }
        order_erase(&r, x);
    }
    order_erase(&fine, exact);
    char title[80];
    snprintf(title, sizeof title, "%-9s %-8s rho %4.2f alpha %5.2f", c->name,
             p->method ? p->method : "genalpha", p->rho, p->alpha);
    order_judge(title, error, &e);
}

// Largest distance, over the first six steps of size h, of the multipliers from those that belong to the
// state reached, relative to the largest multiplier: the state itself is off by O(h^3) only, so this is the
// error of the start-up.
static inline double order_start_up(const order_case *c, const plan *base, double h)
{
    plan p = *base;
    p.h = h;
    ride r;
    order_start(&r, c, &p);
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

#endif

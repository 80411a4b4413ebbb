// First-order states z with every method: orders at fixed steps on a controlled mass, errors under step-size
// control, stiff states, systems of states alone, and round-off where the integral of z is large.
#include "integrate/fixture.h"

// ---- a mass under a PI controller, whose actuator follows with a lag --------------------------------------
//
//   m x'' = F - c x',   tau F' = kp e + ki w - F,   w' = e,   e = r(t) - x,   r = 0.3 sin(2 t)
// z = (F, w). Forces depend on z, rates on x, u, z and t.

typedef struct servo {
    double m, c, kp, ki, tau;
} servo;

static const servo SERVO = {.m = 1.3, .c = 0.7, .kp = 4.1, .ki = 2.3, .tau = 0.21};

static double target(double t) { return 0.3 * sin(2 * t); }

static tml_status servo_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q;
    M[0] = ((const servo *)user)->m;
    return TML_OK;
}
static tml_status servo_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)q;
    f[0] = u[1] - ((const servo *)user)->c * u[0];
    return TML_OK;
}
static tml_status servo_rate(double t, const double *q, const double *u, double *zdot, void *user)
{
    const servo *s = user;
    const double e = target(t) - q[0];
    zdot[0] = (s->kp * e + s->ki * u[2] - u[1]) / s->tau;
    zdot[1] = e;
    return TML_OK;
}
static tml_status servo_rate_by_q(double t, const double *q, const double *u, double *gq, void *user)
{
    const servo *s = user;
    (void)t, (void)q, (void)u;
    gq[0] = -s->kp / s->tau;
    gq[1] = -1;
    return TML_OK;
}
static tml_status servo_rate_by_u(double t, const double *q, const double *u, double *gu, void *user)
{
    const servo *s = user;
    (void)t, (void)q, (void)u;
    gu[1] = -1 / s->tau;
    gu[2] = s->ki / s->tau;
    return TML_OK;
}

static tml_system *servo_system(const servo *s, bool derivatives)
{
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 1;
    def.nz = 2;
    def.mass = servo_mass;
    def.force = servo_force;
    def.rate = servo_rate;
    def.rate_by_q = derivatives ? servo_rate_by_q : NULL;
    def.rate_by_u = derivatives ? servo_rate_by_u : NULL;
    def.user = (void *)s;
    tml_system *sys = NULL;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    return sys;
}

static const double SERVO_Q[5] = {0.11, 0, 0, 0, 0}, SERVO_U[3] = {-0.23, 0.4, 0.05};

static void servo_start(ride *r, const servo *s, bool derivatives, const plan *p)
{
    ride_user(r, servo_system(s, derivatives), SERVO_Q, SERVO_U, p);
}

// y = (x, x', F, w) at t by the classical Runge-Kutta method.
static void servo_exact(const servo *s, double t, double y[4])
{
    enum { STEPS = 20000 };
    const double h = t / STEPS, at[4] = {0, 0.5, 0.5, 1}, share[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    const double start[4] = {SERVO_Q[0], SERVO_U[0], SERVO_U[1], SERVO_U[2]};
    memcpy(y, start, sizeof start);
    for (int i = 0; i < STEPS; i++) {
        double k[4] = {0}, sum[4] = {0};
        for (int stage = 0; stage < 4; stage++) {
            double x[4];
            for (int j = 0; j < 4; j++) x[j] = y[j] + at[stage] * h * k[j];
            const double e = target((i + at[stage]) * h) - x[0];
            k[0] = x[1];
            k[1] = (x[2] - s->c * x[1]) / s->m;
            k[2] = (s->kp * e + s->ki * x[3] - x[2]) / s->tau;
            k[3] = e;
            for (int j = 0; j < 4; j++) sum[j] += share[stage] * k[j];
        }
        for (int j = 0; j < 4; j++) y[j] += h * sum[j];
    }
}

// Errors of motion and of states.
static void servo_errors(const tml_state *x, const double y[4], double error[2])
{
    error[0] = fmax(fabs(x->q[0] - y[0]), fabs(x->u[0] - y[1]));
    error[1] = fmax(fabs(x->z[0] - y[2]), fabs(x->z[1] - y[3]));
}

typedef struct order_row {
    const char *method;
    int max_order;  // 0: of the method
    double order;
    int steps;  // in one second, at the longest step
} order_row;

static const order_row ORDERS[] = {
    {"genalpha", 0, 2, 32}, {"hht", 0, 2, 32},      {"newmark", 0, 2, 32},    {"midpoint", 0, 2, 32},
    {"bdf", 1, 1, 64},      {"bdf", 2, 2, 64},      {"bdf", 3, 3, 32},        {"bdf", 4, 4, 32},
    {"bdf", 5, 5, 8},       {"bdf2", 0, 2, 32},     {"ggl", 2, 2, 64},        {"ggl", 5, 5, 8},
    {"radau3", 0, 3, 16},   {"radau5", 0, 5, 4},    {"ggl-radau3", 0, 3, 16}, {"ggl-radau5", 0, 5, 4},
    {"ssp-trap", 0, 2, 32}, {"ssp-sdirk", 0, 4, 8}, {"infl-trap", 0, 2, 32},  {"infl-sdirk", 0, 4, 8},
    {"for-sdirk", 0, 4, 8}, {"for-rosen", 0, 4, 8}, {"erk5", 0, 5, 8},        {"erk8", 0, 8, 2},
    {"adams", 3, 4, 32},
};

static void test_orders(void **state)
{
    (void)state;
    double y[4];
    servo_exact(&SERVO, 1, y);
    for (size_t i = 0; i < sizeof ORDERS / sizeof *ORDERS; i++) {
        const order_row *o = &ORDERS[i];
        double error[3][2];
        for (int level = 0; level < 3; level++) {
            plan p = plan_default();
            p.method = o->method;
            p.max_order = o->max_order;
            p.h = 1.0 / (o->steps << level);
            ride r;
            servo_start(&r, &SERVO, level > 0, &p);  // derivatives by differences on the first level
            ride_steps(&r, o->steps << level);
            servo_errors(ride_state(&r), y, error[level]);
            ride_end(&r);
        }
        const double slope[2] = {log2(error[1][0] / error[2][0]), log2(error[1][1] / error[2][1])};
        printf("%-10s %d: errors %8.1e %8.1e, slopes %5.2f (motion) %5.2f (states)\n", o->method,
               o->max_order, error[2][0], error[2][1], slope[0], slope[1]);
        // one halving, far from the limit: a quarter below, and above where errors change their sign
        for (int k = 0; k < 2; k++) assert_true(slope[k] > o->order - 0.3 && slope[k] < o->order + 1);
    }
}

static void ride_any(ride *r, const char *method, double tol, double end)
{
    tml_error err = {0};
    while (ride_state(r)->t < end)
        if (tmli_driver_step(&r->driver, end, &err) != TML_OK) fail_msg("%s at %g: %s", method, tol, err.msg);
}

// The error at the end is within the tolerance, of motion and of states; regularized methods use IDA, which
// controls it less closely.
static void test_tolerances(void **state)
{
    (void)state;
    double y[4];
    servo_exact(&SERVO, 3, y);
    for (int i = 0; tml_methods[i]; i++)
        for (double tol = 1e-3; tol > 1e-8; tol /= 100) {
            if (tml_methods[i]->order < 3 && tol < 1e-6) continue;
            plan p = plan_default();
            p.method = tml_methods[i]->name;
            p.max_order = 0;
            p.tol = tol;
            p.duration = 3;
            ride r;
            servo_start(&r, &SERVO, true, &p);
            ride_any(&r, p.method, tol, 3);
            double error[2];
            servo_errors(ride_state(&r), y, error);
            printf("%-12s %7.0e: motion %7.3f, states %7.3f tolerances, %ld steps\n", p.method, tol,
                   error[0] / tol, error[1] / tol, ride_count(&r).steps);
            const double most = tml_methods[i]->equations == TML_EQUATIONS_REGULARIZED ? 3 : 1;
            CHECK_SMALL(error[0], most * tol);
            CHECK_SMALL(error[1], most * tol);
            ride_end(&r);
        }
}

// Dense output of z is as accurate as the steps.
static void test_between(void **state)
{
    (void)state;
    tml_state *x = NULL;
    for (int i = 0; tml_methods[i]; i++) {
        plan p = plan_default();
        p.method = tml_methods[i]->name;
        p.max_order = 0;
        p.tol = 1e-5;
        ride r;
        servo_start(&r, &SERVO, true, &p);
        ride_any(&r, p.method, p.tol, 0.5);
        OK(tml_state_create(r.sys, &x, err));
        const double end = ride_state(&r)->t;
        while (ride_state(&r)->t == end) OK(tmli_driver_step(&r.driver, 1, err));
        r.driver.method->interpolate(r.driver.self, 0.37, x);
        double y[4], error[2];
        servo_exact(&SERVO, x->t, y);
        servo_errors(x, y, error);
        CHECK_SMALL(error[0], 4 * p.tol);
        CHECK_SMALL(error[1], 4 * p.tol);
        tml_state_destroy(x, r.sys);
        ride_end(&r);
    }
}

// ---- states alone -----------------------------------------------------------------------------------------

typedef tml_status rate_callback(double t, const double *q, const double *u, double *zdot, void *user);

static tml_status lorenz(double t, const double *q, const double *z, double *zdot, void *user)
{
    (void)t, (void)q, (void)user;
    zdot[0] = 10 * (z[1] - z[0]);
    zdot[1] = z[0] * (28 - z[2]) - z[1];
    zdot[2] = z[0] * z[1] - 8.0 / 3 * z[2];
    return TML_OK;
}
static tml_status robertson(double t, const double *q, const double *z, double *zdot, void *user)
{
    (void)t, (void)q, (void)user;
    zdot[0] = -0.04 * z[0] + 1e4 * z[1] * z[2];
    zdot[2] = 3e7 * z[1] * z[1];
    zdot[1] = -zdot[0] - zdot[2];
    return TML_OK;
}
static tml_status van_der_pol(double t, const double *q, const double *z, double *zdot, void *user)
{
    (void)t, (void)q, (void)user;
    zdot[0] = z[1];
    zdot[1] = ((1 - z[0] * z[0]) * z[1] - z[0]) / 1e-6;
    return TML_OK;
}

typedef struct ode {
    const char *name;
    int nz;
    rate_callback *rate;
    double start[3], scale[3], end, tol;
    double exact[3];
    bool stiff;
} ode;

// Lorenz: erk8 at 1e-13. Robertson: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.1,
// at 40 s. Van der Pol with epsilon = 1e-6: the same, IV.10, at 2 s.
static const ode ODES[] = {
    {"lorenz", 3, lorenz, {-1.1, 0.3, 11}, {10, 10, 10}, 1, 1e-4, {0}, false},
    {"robertson",
     3,
     robertson,
     {1, 0, 0},
     {1, 1e-5, 1},
     40,
     1e-4,
     {0.7158270688, 0.9185534765e-5, 0.2841637457},
     true},
    {"van der pol",
     2,
     van_der_pol,
     {2, -0.66},
     {1, 1},
     2,
     1e-2,
     {0.1706167732170483e1, -0.8928097010247975e0},
     true},
};

static void ode_start(ride *r, const ode *o, const plan *p)
{
    tml_user_system_def def = tml_user_system_def_default();
    const double q[6] = {0};
    def.nz = o->nz;
    def.rate = o->rate;
    def.state_scale = o->scale;
    tml_system *sys = NULL;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    ride_user(r, sys, q, o->start, p);
}

static void ode_exact(const ode *o, double exact[3])
{
    memcpy(exact, o->exact, sizeof o->exact);
    if (exact[0] != 0) return;
    plan p = plan_default();
    p.method = "erk8";
    p.tol = 1e-13;
    p.duration = o->end;
    ride r;
    ode_start(&r, o, &p);
    ride_to(&r, o->end);
    memcpy(exact, ride_state(&r)->z, (size_t)o->nz * sizeof(double));
    ride_end(&r);
}

static void test_odes(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof ODES / sizeof *ODES; k++) {
        const ode *o = &ODES[k];
        double exact[3];
        ode_exact(o, exact);
        for (int i = 0; tml_methods[i]; i++) {
            if (o->stiff && tml_methods[i]->is_explicit) continue;
            plan p = plan_default();
            p.method = tml_methods[i]->name;
            p.max_order = 0;
            p.tol = o->tol;
            p.duration = o->end;
            ride r;
            ode_start(&r, o, &p);
            ride_any(&r, p.method, p.tol, o->end);
            double error = 0;
            for (int j = 0; j < o->nz; j++)
                error = fmax(error, fabs(ride_state(&r)->z[j] - exact[j]) / (o->scale[j] + fabs(exact[j])));
            printf("%-12s %-12s: %8.3f tolerances, %ld steps\n", o->name, p.method, error / p.tol,
                   ride_count(&r).steps);
            // for-rosen loses an order where a state is stiff
            CHECK_SMALL(error, (strcmp(p.method, "for-rosen") == 0 ? 10 : 1) * p.tol);
            ride_end(&r);
        }
    }
}

// ---- stiff ------------------------------------------------------------------------------------------------

// The actuator has a time constant of 1e-6 s. The start is off its equilibrium, by 0.7, which takes a
// transient. The motion is that of a slower actuator, up to the difference of the time constants.
static void test_stiff(void **state)
{
    (void)state;
    const double quick = 1e-6, slow = 1e-4;
    servo stiff = SERVO, smooth = SERVO;
    stiff.tau = quick;
    smooth.tau = slow;
    double y[4];
    servo_exact(&smooth, 1, y);
    for (int i = 0; tml_methods[i]; i++) {
        if (tml_methods[i]->is_explicit) continue;
        plan p = plan_default();
        p.method = tml_methods[i]->name;
        p.max_order = 0;
        p.tol = 1e-4;
        ride r;
        servo_start(&r, &stiff, true, &p);
        ride_any(&r, p.method, p.tol, 1);
        double error[2];
        servo_errors(ride_state(&r), y, error);
        printf("stiff %-12s: motion %9.2e, states %9.2e, %ld steps\n", p.method, error[0], error[1],
               ride_count(&r).steps);
        CHECK_SMALL(error[0], p.tol);
        CHECK_SMALL(error[1], 4 * slow + p.tol);  // the force changes at 4 per second
        // a method that resolved the time constant all the way would take a million steps
        assert_true(ride_count(&r).steps < 30000);
        ride_end(&r);
    }
}

// ---- round-off --------------------------------------------------------------------------------------------

// z' = c (1e6 - z) has come to rest at 1e6 after some time, and its integral grows to 1e11. Steps of a
// microsecond would see its round-off, 1e-5, as 10 of z.
static tml_status settle(double t, const double *q, const double *z, double *zdot, void *user)
{
    (void)t, (void)q, (void)user;
    zdot[0] = 0.9 * (1e6 - z[0]);
    return TML_OK;
}

static void test_roundoff(void **state)
{
    (void)state;
    const ode o = {.nz = 1, .rate = settle, .start = {1e6 - 1}, .scale = {1}, .end = 1e5};
    tml_state *x = NULL;
    for (int i = 0; tml_methods[i]; i++) {
        plan p = plan_default();
        p.method = tml_methods[i]->name;
        p.max_order = 0;
        p.duration = o.end;
        ride r;
        ode_start(&r, &o, &p);
        OK(tml_state_create(r.sys, &x, err));
        tml_state_copy(x, r.x0);
        x->z[0] = 1e6;
        x->udot[0] = 0;
        const double integral = 1e11;
        r.sys->ops->retract(r.sys->self, x->q, &integral, x->q);
        OK(r.driver.method->start(r.driver.self, x, err));
        double error = 0;
        for (int k = 0; k < 20; k++) {
            r.driver.h = 1e-6;
            OK(tmli_driver_step(&r.driver, 1, err));
            assert_true(ride_state(&r)->t < 1e-3);
            r.driver.method->interpolate(r.driver.self, 0.5, x);
            error = fmax(error, fmax(fabs(ride_state(&r)->z[0] - 1e6), fabs(x->z[0] - 1e6)));
        }
        printf("round-off %-12s: %8.1e\n", p.method, error / 1e6);
        CHECK_SMALL(error, 1e6 * 1e-13);
        tml_state_destroy(x, r.sys);
        ride_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders), cmocka_unit_test(test_tolerances), cmocka_unit_test(test_between),
        cmocka_unit_test(test_odes),   cmocka_unit_test(test_stiff),      cmocka_unit_test(test_roundoff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

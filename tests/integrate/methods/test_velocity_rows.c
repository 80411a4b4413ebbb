// Rows at velocity level with every method: orders at fixed steps on a skate, errors and constraints under
// step-size control on the skate and on a rolling disc.
#include "integrate/fixture.h"
#include "integrate/velocity_problems.h"

static void skate_start(ride *r, const plan *p)
{
    double q[SKATE_N], u[SKATE_N], lambda;
    const tml_user_system_def def = skate_def();
    tml_system *sys = NULL;
    skate_exact(0, q, u, &lambda);
    OK(tml_system_create_user(&def, NULL, &sys, err));
    ride_user(r, sys, q, u, p);
    CHECK_CLOSE(r->x0->lambda[0], lambda, 1e-9);
}

static void skate_errors(const tml_state *x, double error[3])
{
    double q[SKATE_N], u[SKATE_N], lambda;
    skate_exact(x->t, q, u, &lambda);
    error[0] = error[1] = 0;
    for (int i = 0; i < SKATE_N; i++) error[0] = fmax(error[0], fabs(x->q[i] - q[i]));
    for (int i = 0; i < SKATE_N; i++) error[1] = fmax(error[1], fabs(x->u[i] - u[i]));
    error[2] = fabs(x->lambda[0] - lambda);
}

static double violation(const ride *r, const tml_state *x)
{
    double phi[4], worst = 0;
    OK(r->sys->ops->velocity(r->sys->self, r->work, x, phi, err));
    for (int i = 0; i < r->sys->m; i++) worst = fmax(worst, fabs(phi[i]));
    return worst;
}

static void ride_any(ride *r, const char *method, double tol, double end)
{
    tml_error err = {0};
    while (ride_state(r)->t < end)
        if (tmli_driver_step(&r->driver, end, &err) != TML_OK)
            fail_msg("%s at %g, t = %g: %s", method, tol, ride_state(r)->t, err.msg);
}

typedef struct order_row {
    const char *method;
    int max_order;    // 0: of the method
    double order[3];  // positions, velocities, multipliers
    int steps;        // in one second, at the longest step
} order_row;

static const order_row ORDERS[] = {
    {"genalpha", 0, {2, 2, 2}, 32},  {"hht", 0, {2, 2, 2}, 32},       {"newmark", 0, {2, 2, 2}, 32},
    {"midpoint", 0, {2, 2, 2}, 32},  {"bdf", 1, {1, 1, 1}, 64},       {"bdf", 2, {2, 2, 2}, 64},
    {"bdf", 3, {3, 3, 3}, 32},       {"bdf", 4, {4, 4, 4}, 32},       {"bdf", 5, {5, 5, 5}, 16},
    {"bdf2", 0, {2, 2, 2}, 32},      {"ggl", 2, {2, 2, 2}, 64},       {"ggl", 4, {4, 4, 4}, 32},
    {"radau3", 0, {3, 3, 2}, 16},    {"radau5", 0, {5, 5, 3}, 8},     {"ggl-radau3", 0, {3, 3, 2}, 16},
    {"ggl-radau5", 0, {5, 5, 3}, 8}, {"ssp-trap", 0, {2, 2, 2}, 32},  {"ssp-sdirk", 0, {4, 4, 4}, 8},
    {"infl-trap", 0, {2, 2, 2}, 32}, {"infl-sdirk", 0, {4, 4, 4}, 8}, {"for-sdirk", 0, {4, 4, 4}, 8},
    {"for-rosen", 0, {4, 4, 4}, 32}, {"erk5", 0, {5, 5, 5}, 12},      {"erk8", 0, {8, 8, 8}, 2},
    {"adams", 3, {4, 4, 4}, 32},
};

static void test_orders(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ORDERS / sizeof *ORDERS; i++) {
        const order_row *o = &ORDERS[i];
        double error[3][3] = {0};
        for (int level = 0; level < 3; level++) {
            plan p = plan_default();
            p.method = o->method;
            p.max_order = o->max_order;
            p.h = 1.0 / (o->steps << level);
            ride r;
            skate_start(&r, &p);
            while (ride_state(&r)->t < 1) {  // the largest errors of the second half: they change their sign
                double now[3];
                ride_steps(&r, 1);
                skate_errors(ride_state(&r), now);
                for (int k = 0; k < 3 && ride_state(&r)->t >= 0.5; k++)
                    error[level][k] = fmax(error[level][k], now[k]);
            }
            // Newton's method leaves errors of 3e-9 lengths times (h rate)^2 in positions, 3/h more in
            // velocities
            CHECK_SMALL(violation(&r, ride_state(&r)), 1e-9);
            ride_end(&r);
        }
        double slope[3];
        for (int k = 0; k < 3; k++) slope[k] = log2(error[1][k] / error[2][k]);
        printf("%-10s %d: errors %8.1e %8.1e %8.1e, slopes %5.2f %5.2f %5.2f\n", o->method, o->max_order,
               error[2][0], error[2][1], error[2][2], slope[0], slope[1], slope[2]);
        // one halving: a third below, some more above where errors are not yet asymptotic
        for (int k = 0; k < 3; k++) assert_true(slope[k] > o->order[k] - 0.35 && slope[k] < o->order[k] + 1);
    }
}

// The error at the end is within the tolerance.
static void test_tolerances(void **state)
{
    (void)state;
    for (int i = 0; tml_methods[i]; i++)
        for (double tol = 1e-3; tol > 1e-8; tol /= 100) {
            if (tml_methods[i]->order < 3 && tol < 1e-6) continue;
            plan p = plan_default();
            p.method = tml_methods[i]->name;
            p.max_order = 0;
            p.tol = tol;
            p.duration = 2;
            ride r;
            skate_start(&r, &p);
            ride_any(&r, p.method, tol, 2);
            double error[3];
            skate_errors(ride_state(&r), error);
            printf("%-12s %7.0e: q %7.3f, u %7.3f tolerances, lambda %8.1e, off %8.1e, %ld steps\n", p.method,
                   tol, error[0] / tol, error[1] / tol, error[2], violation(&r, ride_state(&r)),
                   ride_count(&r).steps);
            // speeds are up to 6; regularized methods use IDA, which controls the error less closely
            const double most = tml_methods[i]->equations == TML_EQUATIONS_REGULARIZED ? 4 : 1;
            CHECK_SMALL(error[0], most * tol);
            CHECK_SMALL(error[1], 3 * most * tol);
            CHECK_SMALL(violation(&r, ride_state(&r)), most > 1 ? tol : tol / 10);  // they give way
            ride_end(&r);
        }
}

static void disc_ride(ride *r, bool redundant, const plan *p)
{
    double q[DISC_N], u[DISC_N];
    const tml_user_system_def def = disc_def(redundant);
    tml_system *sys = NULL;
    disc_start(q, u);
    OK(tml_system_create_user(&def, NULL, &sys, err));
    *r = (ride){.user = sys, .sys = sys};
    r->work = sys->ops->create_work(sys->self, &sys->env);
    OK(tmli_consistent_create_redundant(sys, p->solver, &r->consistent, err));
    OK(tml_state_create(sys, &r->x0, err));
    memcpy(r->x0->q, q, sizeof q);
    memcpy(r->x0->u, u, sizeof u);
    OK(tmli_consistent_project(&r->consistent, r->x0, err));
    ride_integrator(r, p);
}

// Mixed levels, and a row at velocity level that depends on one at position level: it is left out.
static void test_disc(void **state)
{
    (void)state;
    plan p = plan_default();
    p.method = "radau5";
    p.tol = 1e-11;
    p.duration = 1;
    ride fine, r;
    disc_ride(&fine, false, &p);
    ride_any(&fine, p.method, p.tol, 1);
    for (int redundant = 0; redundant < 2; redundant++)
        for (int i = 0; tml_methods[i]; i++) {
            p.method = tml_methods[i]->name;
            p.max_order = 0;
            p.tol = 1e-5;
            disc_ride(&r, redundant, &p);
            const double before = disc_energy(r.x0);
            ride_any(&r, p.method, p.tol, 1);
            double d[3];
            tml_state x = *ride_state(&r);
            x.m = 3;
            state_distance(fine.sys, ride_state(&fine), &x, d);
            printf("%-12s %d: q %8.3f u %8.3f tolerances, energy %8.1e, off %8.1e, %ld steps\n", p.method,
                   redundant, d[0] / p.tol, d[1] / p.tol, disc_energy(&x) / before - 1, violation(&r, &x),
                   ride_count(&r).steps);
            CHECK_SMALL(d[0], p.tol);
            CHECK_SMALL(d[1], 7 * p.tol);  // the spin is 6 rad/s
            CHECK_SMALL(disc_energy(&x) / before - 1, p.tol);
            CHECK_SMALL(violation(&r, &x), p.tol);  // index 3: the standing error of the row of positions
            ride_end(&r);
        }
    ride_end(&fine);
}

// Options of Newton's equations change how the step is solved, not its solution.
static void check_variant(const char *what, const plan *p, const tml_state *expect)
{
    ride r;
    double d[3];
    disc_ride(&r, false, p);
    ride_steps(&r, 40);
    state_distance(r.sys, expect, ride_state(&r), d);
    printf("%-10s %-20s %8.1e %8.1e %8.1e\n", p->method, what, d[0], d[1], d[2]);
    // at most 40 times what the iteration may leave in a step, 3e-9 lengths (h rate)^2, and 1/h more
    CHECK_SMALL(d[0], 1e-8);
    CHECK_SMALL(d[1], 2e-6);
    ride_end(&r);
}

static void test_options(void **state)
{
    (void)state;
    static const tml_scaling scalings[] = {TML_SCALING_LEFT_RIGHT, TML_SCALING_LEFT_RIGHT_VELOCITY,
                                           TML_SCALING_UNIFORM};
    static const char *const methods[] = {"genalpha", "bdf2", "ggl", "radau3", "radau5", "ggl-radau5"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        plan p = plan_default();
        p.method = methods[m];
        p.h = 1.0 / 256;
        p.max_order = 2;
        ride base;
        disc_ride(&base, false, &p);
        ride_steps(&base, 40);
        for (size_t i = 0; i < sizeof scalings / sizeof *scalings; i++) {
            plan v = p;
            v.scaling = scalings[i];
            check_variant("scaling", &v, ride_state(&base));
        }
        plan v = p;
        v.augment = 0;
        check_variant("augment 0", &v, ride_state(&base));
        v = p;
        v.iterate = TML_ITERATE_SATURATED;
        check_variant("saturated", &v, ride_state(&base));
        v = p;
        v.fields = TML_FIELDS_THREE;
        if (m < 2) check_variant("three fields", &v, ride_state(&base));
        ride_end(&base);
    }
}

// Equilibrium at an inner point of the step, with the constraints at its end; and error control of
// multipliers.
static void test_variants(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        plan p = plan_default();
        p.method = (const char *[]){"genalpha", "genalpha", "bdf", "radau5"}[i];
        p.max_order = 0;
        if (i == 0) p.placement = TML_PLACEMENT_INNER;
        else p.control = TML_CONTROL_ALL;
        p.tol = 1e-4;
        p.duration = 2;
        ride r;
        skate_start(&r, &p);
        ride_any(&r, p.method, p.tol, 2);
        double error[3];
        skate_errors(ride_state(&r), error);
        printf("%-10s q %8.1e u %8.1e lambda %8.1e, %ld steps\n", p.method, error[0], error[1], error[2],
               ride_count(&r).steps);
        CHECK_SMALL(error[0], p.tol);
        CHECK_SMALL(error[1], 3 * p.tol);
        if (i > 0) CHECK_SMALL(error[2], 20 * p.tol);  // forces up to 17
        ride_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),  cmocka_unit_test(test_tolerances), cmocka_unit_test(test_disc),
        cmocka_unit_test(test_options), cmocka_unit_test(test_variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

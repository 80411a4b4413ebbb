// What the schemes of the alpha family share and where they coincide; very small steps; what undamped schemes
// do to stay quiet across the constraints; multipliers under step-size control.
#include "integrate/fixture.h"

typedef struct variant {
    const char *method;
    double rho, alpha;
    tml_placement placement;
} variant;

static plan plan_of(const variant *v)
{
    plan p = plan_default();
    p.method = v->method;
    p.rho = v->rho;
    p.alpha = v->alpha;
    p.placement = v->placement;
    return p;
}

static const variant FOUR[] = {
    {"genalpha", NAN, NAN, TML_PLACEMENT_NODES}, {"genalpha", NAN, NAN, TML_PLACEMENT_INNER},
    {"hht", NAN, NAN, TML_PLACEMENT_NODES},      {"hht", NAN, NAN, TML_PLACEMENT_INNER},
    {"newmark", NAN, NAN, TML_PLACEMENT_NODES},  {"midpoint", NAN, NAN, TML_PLACEMENT_NODES}};
enum { VARIANTS = sizeof FOUR / sizeof *FOUR };

static const char *place(const plan *p) { return p->placement == TML_PLACEMENT_INNER ? "inner" : "nodes"; }

// ---- coincidence ------------------------------------------------------------------------------------------

static void compare(const variant *a, const variant *b, double tol)
{
    const variant *const v[2] = {a, b};
    ride r[2];
    double d[3];
    for (int k = 0; k < 2; k++) {
        plan p = plan_of(v[k]);
        p.h = 1e-3;
        ride_model(&r[k], model_read("four_bar", NULL, 0), &p);
        ride_steps(&r[k], 50);
    }
    state_distance(r[0].sys, ride_state(&r[0]), ride_state(&r[1]), d);
    printf("%s and %s: %g %g %g\n", a->method, b->method, d[0], d[1], d[2]);
    for (int k = 0; k < 3; k++) CHECK_SMALL(d[k], tol);
    for (int k = 0; k < 2; k++) ride_end(&r[k]);
}

// The same formulas by other names, to the last bit; hht with alpha = -1/3 has the parameters of no other.
static void schemes_coincide_at_their_limits(void **state)
{
    (void)state;
    const variant newmark = {"newmark", 1, NAN, TML_PLACEMENT_NODES};
    compare(&newmark, &(variant){"hht", NAN, 0, TML_PLACEMENT_NODES}, 0);
    compare(&newmark, &(variant){"hht", NAN, 0, TML_PLACEMENT_INNER}, 0);
    compare(&newmark, &(variant){"genalpha", 1, NAN, TML_PLACEMENT_NODES}, 0);
    compare(&(variant){"midpoint", NAN, NAN, TML_PLACEMENT_NODES},
            &(variant){"genalpha", 1, NAN, TML_PLACEMENT_INNER}, 0);
    compare(&(variant){"genalpha", 0, NAN, TML_PLACEMENT_NODES},
            &(variant){"genalpha", 0, NAN, TML_PLACEMENT_INNER}, 0);
}

static tml_status one_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = 1.7;
    return TML_OK;
}
static tml_status soft_spring(double t, const double *q, const double *u, double *f, void *user)
{
    (void)user;
    f[0] = -31 * q[0] - 5 * q[0] * q[0] * q[0] - 0.4 * u[0] + sin(2 * t);
    return TML_OK;
}

// The formulas of the papers, from the states alone: q_f - q_i = h (u_i + u_f)/2, and M (u_f - u_i)/h = f at
// the middle for the midpoint rule, the mean of the forces at both ends for the trapezoidal rule.
static void undamped_schemes_are_what_they_are_called(void **state)
{
    (void)state;
    static const char *const names[] = {"newmark", "midpoint"};
    for (int k = 0; k < 2; k++) {
        tml_user_system_def def = tml_user_system_def_default();
        def.n = 1;
        def.mass = one_mass;
        def.force = soft_spring;
        tml_system *sys = NULL;
        OK(tml_system_create_user(&def, NULL, &sys, err));
        plan p = plan_default();
        p.method = names[k];
        p.h = 0.07;
        ride r;
        ride_user(&r, sys, (double[1]){0.63}, (double[1]){-1.1}, &p);
        for (int i = 0; i < 5; i++) {
            const double q0 = ride_state(&r)->q[0], u0 = ride_state(&r)->u[0], t0 = ride_state(&r)->t;
            ride_steps(&r, 1);
            const double q1 = ride_state(&r)->q[0], u1 = ride_state(&r)->u[0], t1 = ride_state(&r)->t;
            const double qm = (q0 + q1) / 2, um = (u0 + u1) / 2;
            double fm, f0, f1;
            soft_spring((t0 + t1) / 2, &qm, &um, &fm, NULL);
            soft_spring(t0, &q0, &u0, &f0, NULL);
            soft_spring(t1, &q1, &u1, &f1, NULL);
            CHECK_CLOSE(q1 - q0, p.h * um, 1e-13);
            // Newton's tolerance of fixed steps, 3e-9 of a length, times M 4/h^2
            CHECK_CLOSE(1.7 * (u1 - u0) / p.h, k == 0 ? (f0 + f1) / 2 : fm, 1e-6);
        }
        ride_end(&r);
    }
}

// ---- small steps ------------------------------------------------------------------------------------------

// No step takes more than four iterations. At h = 0.1 s a step turns the pendulum by 0.5 rad and the first
// correction is a tenth of a length: squared three times that is round-off. At small steps two iterations are
// the least.
static void newton_does_not_feel_the_step(void **state)
{
    (void)state;
    for (int k = 0; k < VARIANTS; k++) {
        double h = 1e-1;
        for (int i = 0; i < 9; i++, h /= 10) {
            plan p = plan_of(&FOUR[k]);
            p.h = h;
            p.duration = 10;
            ride r;
            ride_model(&r, model_read("pendulum", NULL, 0), &p);
            ride_steps(&r, 30);
            const double mean = (double)ride_count(&r).iterations / 30;
            const double condition = r.driver.method->condition(r.driver.self);
            if (i == 0 || i == 8)
                printf("%-8s %s h = %g: %.2f iterations, condition %.1f\n", p.method, place(&p), h, mean,
                       condition);
            assert_true(ride_count(&r).max_iterations <= 4);
            assert_true(condition < 100);
            ride_end(&r);
        }
    }
}

// Largest distance of the multipliers from those of the index-1 equations at the state, over the largest
// multiplier.
static double multiplier_error(const variant *v, const char *model, double h, int steps)
{
    plan p = plan_of(v);
    p.h = h;
    ride r;
    tml_state *y = NULL;
    double worst = 0;
    ride_model(&r, model_read(model, NULL, 0), &p);
    OK(tml_state_create(r.sys, &y, err));
    for (int k = 0; k < steps; k++) {
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

// The round-off of the positions over h^2 is 1 % of the accelerations here: none of it may show.
static void multipliers_survive_small_steps(void **state)
{
    (void)state;
    for (int k = 0; k < VARIANTS; k++) {
        const double worst = multiplier_error(&FOUR[k], "four_bar", 1e-7, 1000);
        printf("%-8s %s: multipliers at h = 1e-7 within %.1e\n", FOUR[k].method,
               FOUR[k].placement == TML_PLACEMENT_INNER ? "inner" : "nodes", worst);
        assert_true(worst < 1e-6);
    }
}

// ---- undamped schemes -------------------------------------------------------------------------------------

// A thousand steps of some ten degrees of crank angle each second part: errors of the multipliers stay those
// of the step, (w h)^2 = 4e-4, where the trapezoidal rule left to itself lets disturbances grow in proportion
// to the steps.
static void undamped_schemes_stay_quiet(void **state)
{
    (void)state;
    static const variant undamped[] = {{"newmark", NAN, NAN, TML_PLACEMENT_NODES},
                                       {"midpoint", NAN, NAN, TML_PLACEMENT_NODES},
                                       {"genalpha", 0.95, NAN, TML_PLACEMENT_NODES},
                                       {"hht", NAN, -0.02, TML_PLACEMENT_INNER}};
    for (int k = 0; k < 4; k++) {
        const double few = multiplier_error(&undamped[k], "four_bar", 1e-3, 200);
        const double many = multiplier_error(&undamped[k], "four_bar", 1e-3, 2000);
        printf("%-8s multipliers within %.1e over 200 steps, %.1e over 2000\n", undamped[k].method, few,
               many);
        assert_true(many < 2 * few);
        assert_true(many < 2e-2);
    }
}

// ---- control of multipliers -------------------------------------------------------------------------------

// With control: all the multipliers of every accepted state are within the tolerance of those that belong to
// the state, or nearly so where the jerk jumps (the driver's at 0.2 s). Where all freedoms are driven, the
// motion alone asks for less.
static void multipliers_are_controlled(void **state)
{
    (void)state;
    for (int k = 0; k < VARIANTS; k++) {
        long steps[2];
        double worst[2] = {0, 0};
        for (int all = 0; all < 2; all++) {
            plan p = plan_of(&FOUR[k]);
            p.tol = 1e-3;
            p.control = all ? TML_CONTROL_ALL : TML_CONTROL_MOTION;
            ride r;
            tml_state *y = NULL;
            double largest = 0, error = 0;
            ride_model(&r, model_read("slider_crank", NULL, 0), &p);
            OK(tml_state_create(r.sys, &y, err));
            while (ride_state(&r)->t < 0.5) {
                OK(tmli_driver_step(&r.driver, 0.5, err));
                tml_state_copy(y, ride_state(&r));
                OK(tmli_consistent_project(&r.consistent, y, err));
                for (int i = 0; i < r.sys->m; i++) {
                    largest = fmax(largest, fabs(y->lambda[i]));
                    error = fmax(error, fabs(y->lambda[i] - ride_state(&r)->lambda[i]));
                }
            }
            worst[all] = error / largest;
            steps[all] = ride_count(&r).steps;
            tml_state_destroy(y, r.sys);
            ride_end(&r);
        }
        printf("%-8s %s: multipliers within %.1e in %ld steps, controlled %.1e in %ld\n", FOUR[k].method,
               FOUR[k].placement == TML_PLACEMENT_INNER ? "inner" : "nodes", worst[0], steps[0], worst[1],
               steps[1]);
        assert_true(worst[1] < 1.5e-3);
        assert_true(worst[0] > 2 * worst[1] || worst[0] < 1e-3);
    }
}

// ---- options ----------------------------------------------------------------------------------------------

static void options_are_checked(void **state)
{
    (void)state;
    tml_model *model = model_read("pendulum", NULL, 0);
    tml_integrator_options opt = tml_integrator_options_default();
    tml_error err = {0};
    void *self = &opt;
    opt.run.rho = 1.01;
    assert_int_equal(tml_method_find("newmark")->create(tml_model_system(model), &opt, &self, &err),
                     TML_ERR_ARG);
    assert_null(self);
    assert_non_null(strstr(err.msg, "rho = 1.01 is outside"));
    self = &opt;
    assert_int_equal(tml_method_find("genalpha")->create(tml_model_system(model), &opt, &self, &err),
                     TML_ERR_ARG);
    assert_null(self);
    opt.run.alpha = 0.1;
    assert_int_equal(tml_method_find("hht")->create(tml_model_system(model), &opt, &self, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "alpha = 0.1 is outside of its range -1/3 .. 0"));
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_coincide_at_their_limits),
        cmocka_unit_test(undamped_schemes_are_what_they_are_called),
        cmocka_unit_test(newton_does_not_feel_the_step),
        cmocka_unit_test(multipliers_survive_small_steps),
        cmocka_unit_test(undamped_schemes_stay_quiet),
        cmocka_unit_test(multipliers_are_controlled),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

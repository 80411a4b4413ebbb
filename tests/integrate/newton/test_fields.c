// Unknowns and scalings of Newton's method change neither the motion nor, if they scale at all, the work:
// three fields against two, powers of the step against inertia, with every linear solver that can.
#include "integrate/fixture.h"
#include "integrate/lab.h"

enum { STEPS = 20 };

static const char *const MODELS[] = {"andrews",   "chain",        "four_bar",        "governor",
                                     "heavy_top", "slider_crank", "spring_pendulum", "stiff_double_pendulum",
                                     "suspension"};
static const double STEP[] = {2e-5, 2e-3, 1e-3, 2e-3, 5e-4, 5e-4, 5e-3, 1e-3, 2e-3};  // [s]

static ride start(int model, tml_scaling scaling, tml_fields fields, const tml_linsolver_ops *solver)
{
    plan p = plan_default();
    p.h = STEP[model];
    p.scaling = scaling;
    p.fields = fields;
    p.solver = solver;
    ride r;
    ride_model(&r, model_read(MODELS[model], NULL, 0), &p);
    return r;
}

// As between linear solvers (test_conditioning.c): at most Newton's tolerance, 1e-10 of a length, in
// positions, the same over h in velocities, over h^2 in multipliers. Light bodies in metres make the penalty
// 1/h^2 of the scalings without inertia large against their mass: an iteration more in some steps, and
// another path to the tolerance of fixed steps, which is 3e-9 lengths at most.
static void same_motion(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tml_scaling scaling;
        tml_fields fields;
        const tml_linsolver_ops *solver;
        double more;  // iterations per step
    } forms[] = {
        {"physical, three, dense", TML_SCALING_PHYSICAL, TML_FIELDS_THREE, &tml_linsolver_dense, 0.1},
        {"physical, three, klu", TML_SCALING_PHYSICAL, TML_FIELDS_THREE, &tml_linsolver_klu, 0.1},
        {"physical, three, block", TML_SCALING_PHYSICAL, TML_FIELDS_THREE, &tml_linsolver_block, 0.1},
        {"uniform, three, klu", TML_SCALING_UNIFORM, TML_FIELDS_THREE, &tml_linsolver_klu, 2},
        {"left-right, two, klu", TML_SCALING_LEFT_RIGHT, TML_FIELDS_TWO, &tml_linsolver_klu, 2},
        {"left-right, three, klu", TML_SCALING_LEFT_RIGHT, TML_FIELDS_THREE, &tml_linsolver_klu, 2},
        {"left-right-velocity, three, klu", TML_SCALING_LEFT_RIGHT_VELOCITY, TML_FIELDS_THREE,
         &tml_linsolver_klu, 2},
    };
    for (int m = 0; m < (int)(sizeof MODELS / sizeof *MODELS); m++) {
        ride two = start(m, TML_SCALING_PHYSICAL, TML_FIELDS_TWO, &tml_linsolver_dense);
        ride_steps(&two, STEPS);
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            // one stiff damper makes the penalty of all rows so large that Newton does not converge: what
            // physical cures
            if (forms[f].scaling != TML_SCALING_PHYSICAL && strncmp(MODELS[m], "stiff", 5) == 0) continue;
            ride r = start(m, forms[f].scaling, forms[f].fields, forms[f].solver);
            ride_steps(&r, STEPS);
            double d[3];
            state_distance(two.sys, ride_state(&two), ride_state(&r), d);
            const double more = (double)(ride_count(&r).iterations - ride_count(&two).iterations) / STEPS;
            printf("%-22s %-32s positions %7.1e, velocities times h %7.1e, multipliers %7.1e, iterations "
                   "%+.2f\n",
                   MODELS[m], forms[f].name, d[0], STEP[m] * d[1], d[2], more);
            const bool same = forms[f].scaling == TML_SCALING_PHYSICAL;
            CHECK_SMALL(d[0], same ? 1e-10 : 3e-9);
            CHECK_SMALL(STEP[m] * d[1], same ? 1e-10 : 3e-9);
            CHECK_SMALL(d[2], same ? 1e-6 : 1e-4);
            assert_true(more <= forms[f].more);
            ride_end(&r);
        }
        ride_end(&two);
    }
}

// Three fields keep what two have: iterations and condition number do not feel the step, with masses too.
static void three_fields_do_not_feel_the_step(void **state)
{
    (void)state;
    double least = INFINITY, most = 0;
    for (double h = 1e-2; h > 0.9e-8; h /= 10) {
        plan p = plan_default();
        p.h = h;
        p.duration = 10;
        p.fields = TML_FIELDS_THREE;
        p.report = true;
        ride r;
        ride_model(&r, model_read("spring_pendulum", NULL, 0), &p);
        ride_steps(&r, STEPS);
        tml_conditioning c;
        r.driver.method->conditioning(r.driver.self, &c);
        assert_int_equal(c.unknowns, 2 * r.sys->n + r.sys->m);
        least = fmin(least, c.condition_2);
        most = fmax(most, c.condition_2);
        assert_true(ride_count(&r).iterations <= 4L * STEPS);
        ride_end(&r);
    }
    printf("spring pendulum, three fields: condition %.3g .. %.3g\n", least, most);
    assert_true(most <= 1.5 * least && most < 200);  // a handful of unknowns in units of their own
}

// Newton until corrections stop falling, with constraint residuals damped at small steps (kernel.h (2)),
// where corrections far below round-off may go on falling: every step ends, at a level that does not depend
// on the step.
static void saturation_ends(void **state)
{
    (void)state;
    for (double h = 1e-2; h > 0.9e-7; h /= 10) {
        plan p = plan_default();
        p.h = h;
        p.duration = 10;
        p.iterate = TML_ITERATE_SATURATED;
        p.report = true;
        ride r;
        ride_model(&r, model_read("slider_crank", NULL, 0), &p);
        double worst = 0;
        for (int i = 0; i < 3 * STEPS; i++) {
            tml_conditioning c;
            OK(tmli_driver_step(&r.driver, 1e3, err));
            r.driver.method->conditioning(r.driver.self, &c);
            worst = fmax(worst, c.correction);
        }
        printf("slider crank, h = %g: %.1f iterations per step, corrections saturate below %.1e\n", h,
               (double)ride_count(&r).iterations / (3 * STEPS), worst);
        CHECK_SMALL(worst, 1e-12);  // eps times the condition number, 1e2 to 1e3, and a dozen unknowns
        ride_end(&r);
    }
}

// Equilibrium at an inner point of the step, constraints at its end: both sets of unknowns reach the same
// solution.
static void inner_point(void **state)
{
    (void)state;
    tml_error err = {0};
    lab_spring p = {0.7, 10, 1.3};
    tml_system *sys = lab_spring_pendulum(&p, &err);
    const double q[3] = {1.3 * sin(0.6), -1.3 * cos(0.6), 0.6};
    static const tml_scaling modes[] = {TML_SCALING_PHYSICAL, TML_SCALING_UNIFORM,
                                        TML_SCALING_LEFT_RIGHT_VELOCITY};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        lab b[2];
        for (int f = 0; f < 2; f++) {
            const tml_integrator_options opt = lab_options(modes[i], (tml_fields)f, 1, false);
            assert_true(lab_begin(&b[f], sys, &opt, 0.01, q, &err));
            for (int k = 0; k < STEPS; k++) {
                if (!lab_midpoint_try(&b[f], &b[f].kernel, &err)) fail_msg("%s", err.msg);
                lab_midpoint_accept(&b[f]);
            }
            double phi[2];
            lab_spring_constraint(0, b[f].x->q, phi, &p);
            CHECK_SMALL(phi[0], 1e-13);  // round-off of 20 steps
            CHECK_SMALL(phi[1], 1e-13);
        }
        for (int j = 0; j < 3; j++) CHECK_CLOSE(b[0].x->q[j], b[1].x->q[j], 1e-12);  // round-off of 20 steps
        assert_true(fabs(b[0].x->q[2] - 0.6) > 0.05);                                // it has moved
        lab_end(&b[0]);
        lab_end(&b[1]);
    }
    tml_system_destroy(sys);
}

// A relation between displacements and velocities that the corrections left open is closed by the next one.
static void velocities_follow(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_system *sys = lab_pendulum(&err);
    const double q[2] = {cos(-0.7), sin(-0.7)}, h = 1e-2;
    const tml_integrator_options opt = lab_options(TML_SCALING_PHYSICAL, TML_FIELDS_THREE, 1, false);
    lab b;
    assert_true(lab_begin(&b, sys, &opt, h, q, &err));
    for (int k = 0; k < STEPS; k++) {
        assert_true(lab_bdf2_try(&b, false, &err));
        const double a = k ? 1.5 : 1, c = k ? 0.5 : 0;
        for (int j = 0; j < 2; j++)  // to round-off of a few sums of numbers of the size of 1
            CHECK_CLOSE(b.trial->u[j], (a * b.D[j] - c * b.D_last[j]) / h, 1e-14);
        lab_accept(&b);
    }
    lab_end(&b);
    tml_system_destroy(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_motion),       cmocka_unit_test(three_fields_do_not_feel_the_step),
        cmocka_unit_test(saturation_ends),   cmocka_unit_test(inner_point),
        cmocka_unit_test(velocities_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

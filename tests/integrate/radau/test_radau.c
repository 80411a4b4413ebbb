// The Radau methods: coefficients, small steps, Newton's iteration, dense output, scaling, memory.
#include "integrate/fixture.h"
#include "integrate/radau/tables.h"

static const char *const METHODS[] = {"radau3", "radau5", "ggl-radau3", "ggl-radau5"};

// ---- coefficients -----------------------------------------------------------------------------------------

// The matrix A of a collocation method integrates polynomials of degree < s: sum_j A_ij c_j^(k-1) = c_i^k/k.
// With its inverse G: sum_j G_ij c_j^k = k c_i^(k-1). Eigenvectors: G = sum mu v w. Round-off of numbers up
// to 10.
static void coefficients(void **state)
{
    (void)state;
    for (int s = 2; s <= 3; s++) {
        const tmli_radau_table *t = tmli_radau_find(s);
        assert_int_equal(t->stages, s);
        CHECK_CLOSE(t->c[s - 1], 1, 0);
        for (int i = 0; i < s; i++) {
            for (int k = 1; k <= s; k++) {
                double sum = 0;
                for (int j = 0; j < s; j++) sum += t->inverse[i][j] * pow(t->c[j], k);
                CHECK_CLOSE(sum, k * pow(t->c[i], k - 1), 1e-14);
            }
            for (int j = 0; j < s; j++) {
                double complex sum = 0, unit = 0;
                for (int e = 0; e < t->eigenvalues; e++) {
                    const double complex vw = t->eigen[e].right[i] * t->eigen[e].left[j];
                    sum += t->eigen[e].pair ? 2 * creal(t->eigen[e].mu * vw) : t->eigen[e].mu * vw;
                    unit += t->eigen[e].pair ? 2 * creal(vw) : vw;
                }
                CHECK_SMALL(cabs(sum - t->inverse[i][j]), 2e-14);
                CHECK_SMALL(cabs(unit - (i == j)), 1e-14);
            }
        }
        // Radau nodes: the quadrature is of order 2s - 1. b = last row of A: b G = (0 .. 0 1), so test sum
        // over b via G'.
        double left = 0;  // estimate: order conditions of the embedded method, h^1 .. h^(s)
        for (int k = 1; k <= s; k++) {
            left = 0;
            for (int i = 0; i < s; i++) left += t->estimate[i] * pow(t->c[i], k);
            CHECK_CLOSE(left, k == 1 ? -1 : 0, 1e-14);
        }
        for (int j = 0; j < s; j++) {  // back_u G = (estimate)_j r_j ... row vectors: (y_j/r_j) G = estimate
            double u = 0, d = 0;
            for (int i = 0; i < s; i++) {
                double r = 0;
                for (int l = 0; l < s; l++) r += t->inverse[i][l];
                u += t->back_u[i] / r * t->inverse[i][j];
                d += t->back_d[i] / r * t->inverse[i][j];
            }
            double rj = 0;
            for (int l = 0; l < s; l++) rj += t->inverse[j][l];
            CHECK_CLOSE(u, t->estimate[j], 1e-13);
            CHECK_CLOSE(d, t->back_u[j] / rj, 1e-13);
        }
    }
}

static void polynomials(void **state)
{
    (void)state;
    for (int s = 2; s <= 3; s++) {
        const tmli_radau_table *t = tmli_radau_find(s);
        const double theta = 1.37;
        double value[3], slope[3], inner[3], v = 0, d = 0, p = 0;
        tmli_radau_value(t, theta, value);
        tmli_radau_slope(t, theta, slope);
        tmli_radau_inner(t, theta, inner);
        for (int i = 0; i < s; i++) {
            v += value[i] * (0.7 * t->c[i] - 0.4 * pow(t->c[i], s));
            d += slope[i] * (0.7 * t->c[i] - 0.4 * pow(t->c[i], s));
            p += inner[i] * (0.3 - 0.9 * pow(t->c[i], s - 1));
        }
        CHECK_CLOSE(v, 0.7 * theta - 0.4 * pow(theta, s), 1e-13);
        CHECK_CLOSE(d, 0.7 - 0.4 * s * pow(theta, s - 1), 1e-13);
        CHECK_CLOSE(p, 0.3 - 0.9 * pow(theta, s - 1), 1e-13);
    }
}

// ---- Newton -----------------------------------------------------------------------------------------------

// The count does not grow when the step shrinks, and the constraint holds to round-off.
static void newton_does_not_feel_the_step(void **state)
{
    (void)state;
    static const double H[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++)
        for (size_t i = 0; i < sizeof H / sizeof *H; i++) {
            plan p = plan_default();
            p.method = METHODS[m];
            p.h = H[i];
            ride r;
            ride_model(&r, model_read("pendulum", NULL, 0), &p);
            ride_steps(&r, H[i] > 0.5e-3 ? 200 : 30);
            const int most = ride_count(&r).max_iterations;
            const double x = ride_state(&r)->q[0], y = ride_state(&r)->q[1];
            // at 0.1 s the bob moves by 0.4 lengths, and the first correction is a tenth: squared three times
            // round-off
            if (most > 4) fail_msg("%s: %d iterations at h = %g s", METHODS[m], most, H[i]);
            CHECK_SMALL(hypot(x, y) - 1, 1e-14);  // round-off of a length of 1
            ride_end(&r);
        }
}

// Multipliers at a very small step against those of the index-1 system at the same state: the former hold the
// error of the method, which is nothing here, and round-off of D, eps h u, divided by h^2: 2e-16 10/1e-7 =
// 2e-8 of accelerations of 100.
static void multipliers_at_tiny_steps(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
        plan p = plan_default();
        p.method = METHODS[m];
        p.h = 1e-7;
        ride r;
        ride_model(&r, model_read("four_bar", NULL, 0), &p);
        tml_state *y = NULL;
        OK(tml_state_create(r.sys, &y, err));
        for (int i = 0; i < 10; i++) {
            double d[3];
            ride_steps(&r, 5);
            tml_state_copy(y, ride_state(&r));
            OK(tmli_consistent_accelerations(&r.consistent, y, err));
            state_distance(r.sys, y, ride_state(&r), d);
            CHECK_SMALL(d[2], m == 0 ? 3e-6 : 5e-7);
        }
        tml_state_destroy(y, r.sys);
        ride_end(&r);
    }
}

// All solvers, scalings and augmentations give the same steps.
static void options_do_not_change_the_result(void **state)
{
    (void)state;
    static const struct {
        tml_scaling scaling;
        double augment;
        const tml_linsolver_ops *solver;
    } cases[] = {{TML_SCALING_PHYSICAL, 1, &tml_linsolver_dense},
                 {TML_SCALING_PHYSICAL, 1, &tml_linsolver_block},
                 {TML_SCALING_PHYSICAL, 0, &tml_linsolver_klu},
                 {TML_SCALING_UNIFORM, 1, &tml_linsolver_klu},
                 {TML_SCALING_NONE, 0, &tml_linsolver_dense}};
    for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
        ride first = {0};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            plan p = plan_default();
            p.method = METHODS[m];
            p.h = 0x1p-9;
            p.scaling = cases[i].scaling;
            p.augment = cases[i].augment;
            p.solver = cases[i].solver;
            ride r;
            ride_model(&r, model_read("governor", NULL, 0), &p);
            ride_steps(&r, 40);
            assert_true(r.driver.method->condition(r.driver.self) > 1);
            if (i == 0) {
                first = r;
                continue;
            }
            double d[3];
            state_distance(r.sys, ride_state(&first), ride_state(&r), d);
            // 40 steps of round-off: 1e-16, over h in velocities, over h^2 (4e-6) in multipliers
            CHECK_SMALL(d[0], 1e-11);
            CHECK_SMALL(d[1], 1e-9);
            CHECK_SMALL(d[2], 1e-6);
            ride_end(&r);
        }
        ride_end(&first);
    }
}

// After steps of size h, trial steps of h/2 and h/4: the error over the allowed one falls, with h^5 (three
// stages) or h^3 at best, although the velocities at the start are off the constraints by what the large
// steps left. Of that, only terms of second order remain in the estimate, which go with h^2 after (10) of
// docs/theory/radau.md; without the corrections of stages_estimate.c it were the square root of h, and a
// rejected step would be rejected again and again.
static void estimate_falls_with_the_step(void **state)
{
    (void)state;
    static const char *const models[] = {"pendulum", "andrews"};
    static const double h[] = {0.03, 1e-4};
    for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++)
        for (int c = 0; c < 2; c++) {
            plan p = plan_default();
            p.method = METHODS[m];
            p.duration = c ? 0.03 : 10;
            ride r;
            ride_model(&r, model_read(models[c], NULL, 0), &p);
            const tml_method_ops *method = r.driver.method;
            double error[3];
            for (int i = 0; i < 24; i++) {
                OK(method->step(r.driver.self, h[c], &error[0], err));
                method->accept(r.driver.self, ride_state(&r)->t + h[c]);
            }
            for (int i = 0; i < 2; i++) OK(method->step(r.driver.self, h[c] / (2 << i), &error[i + 1], err));
            const double slope = log2(error[1] / error[2]);
            printf("%-10s %-8s slope %5.2f\n", METHODS[m], models[c], slope);
            if (!(slope > 2)) fail_msg("%s, %s: slope %g", METHODS[m], models[c], slope);
            ride_end(&r);
        }
}

// ---- dense output -----------------------------------------------------------------------------------------

// Inside of a step the output is as good as at its ends: against a fine ride, positions within 1e-8 where a
// cubic would be off by (h w)^4/384 = 3e-5 (h w = 0.33). The ends are exact to 1e-9.
static void dense_output(void **state)
{
    (void)state;
    plan p = plan_default();
    p.method = "ggl-radau5";
    p.h = 0x1p-9;
    ride r, fine;
    ride_model(&r, model_read("heavy_top", NULL, 0), &p);
    p.h = 0x1p-13;
    ride_model(&fine, model_read("heavy_top", NULL, 0), &p);
    tml_state *y = NULL;
    OK(tml_state_create(r.sys, &y, err));
    for (int i = 0; i < 8; i++) {
        ride_steps(&r, 1);
        for (int k = 1; k <= 16; k++) {
            double d[3];
            ride_steps(&fine, 1);
            r.driver.method->interpolate(r.driver.self, k / 16.0, y);
            state_distance(r.sys, ride_state(&fine), y, d);
            CHECK_CLOSE(y->t, ride_state(&fine)->t, 1e-15);
            CHECK_SMALL(d[0], 2e-6);
            CHECK_SMALL(d[1], 3e-3);  // of 150 rad/s
        }
    }
    tml_state_destroy(y, r.sys);
    ride_end(&r);
    ride_end(&fine);
}

// ---- memory -----------------------------------------------------------------------------------------------

static void *failing_alloc(size_t bytes, void *user)
{
    long *left = user;
    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void plain_free(void *ptr, void *user)
{
    (void)user;
    free(ptr);
}

static tml_status unit_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[3] = 1;
    return TML_OK;
}
static tml_status weight(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)q, (void)u, (void)user;
    f[1] = -1;
    return TML_OK;
}
static tml_status circle(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return TML_OK;
}

// Every allocation of create may fail; afterwards none is made.
static void allocations(void **state)
{
    (void)state;
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 2;
    def.m = 1;
    def.mass = unit_mass;
    def.force = weight;
    def.constraint = circle;
    for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
        const tml_method_ops *method = tml_method_find(METHODS[m]);
        long left = 1000000;
        const tml_env env = {.alloc = failing_alloc, .free = plain_free, .user = &left};
        tml_system *sys = NULL;
        tml_state *x = NULL;
        OK(tml_system_create_user(&def, &env, &sys, err));
        OK(tml_state_create(sys, &x, err));
        x->q[0] = 1;
        x->udot[1] = -1;
        tml_integrator_options opt = tml_integrator_options_default();
        void *self = NULL;
        tml_status st = TML_ERR_NOMEM;
        for (long k = 0; st != TML_OK; k++) {
            left = k;
            st = method->create(sys, &opt, &self, NULL);
            assert_true(st == TML_OK || (st == TML_ERR_NOMEM && !self));
            assert_true(k < 1000);
        }
        left = 0;
        double error;
        OK(method->start(self, x, err));
        OK(method->step(self, 1e-3, &error, err));
        method->accept(self, 1e-3);
        OK(method->step(self, 2e-3, &error, err));
        method->destroy(self);
        tml_state_destroy(x, sys);
        tml_system_destroy(sys);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coefficients),
        cmocka_unit_test(polynomials),
        cmocka_unit_test(newton_does_not_feel_the_step),
        cmocka_unit_test(multipliers_at_tiny_steps),
        cmocka_unit_test(options_do_not_change_the_result),
        cmocka_unit_test(estimate_falls_with_the_step),
        cmocka_unit_test(dense_output),
        cmocka_unit_test(allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

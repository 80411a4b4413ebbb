// bdf from within: the defects that its error estimate is made of, the choice of order, and the dense output,
// each against polynomials on an uneven grid, for which all of them are known; the error of the multipliers
// against the one there is.
#include "integrate/bdf/bdf.h"
#include "integrate/fixture.h"

// ages of the points of the history [s], no two distances alike
static const double AGES[] = {0, 0.011, 0.019, 0.034, 0.041, 0.055, 0.063};

static double power(double x, int n)
{
    double p = 1;
    for (int i = 0; i < n; i++) p *= x;
    return p;
}

// A ride on the pendulum, two translations and one row, whose history the test writes itself.
static tmli_bdf *begin(ride *r, plan *p)
{
    p->method = "bdf";
    ride_model(r, model_read("pendulum", NULL, 0), p);
    tmli_bdf *b = r->driver.self;
    assert_true(b->flat && r->sys->n == 2 && r->sys->m == 1);
    return b;
}

// X = (t^degree, -2 t^degree), u = (3 t^degree, t^degree), lambda = 5 t^degree, t = 0 now; k + 1 points.
static void write_history(tmli_bdf *b, int k, int degree)
{
    tmli_history *y = &b->history;
    y->count = y->multipliers = k + 1;
    for (int i = 0; i <= k; i++) {
        const double x = power(-AGES[i], degree);
        y->age[i] = AGES[i];
        y->X[i][0] = x;
        y->X[i][1] = -2 * x;
        y->u[i][0] = 3 * x;
        y->u[i][1] = x;
        y->lambda[i][0] = 5 * x;
    }
}

// (4): what the slope of the formula lacks, X' - a1 D - hx, for the first power that it does not integrate
// exactly.
static void defects(void **state)
{
    (void)state;
    const double h = 0.013;
    for (int k = 1; k <= TMLI_BDF_ORDER; k++) {
        plan p = plan_default();
        ride r;
        tmli_bdf *b = begin(&r, &p);
        write_history(b, k, k + 1);
        const tmli_history *y = &b->history;
        const double x = power(h, k + 1), slope = (k + 1) * power(h, k);
        b->h_trial = h;
        b->D[0] = x;
        b->D[1] = -2 * x;
        b->trial->u[0] = 3 * x;
        b->trial->u[1] = x;
        double w[TMLI_BDF_POINTS], hx[2] = {0}, hu[2] = {0};
        tmli_history_values(y, k + 1, h, b->through);
        const double a1 = tmli_history_slope(y, k, h, b->through[k - 1], w);
        for (int i = 0; i < k; i++)
            for (int j = 0; j < 2; j++) {
                hx[j] += w[i] * y->X[i][j];
                hu[j] += w[i] * y->u[i][j];
            }
        tmli_bdf_set_defects(b, k);
        const double lack = slope - a1 * x - hx[0];
        printf("order %d: defect %.4e\n", k, lack);
        assert_true(fabs(lack) > 0.01 * slope);
        CHECK_CLOSE(b->ex[0], lack, 1e-9 * slope);
        CHECK_CLOSE(b->ex[1], -2 * slope - a1 * b->D[1] - hx[1], 1e-9 * slope);
        CHECK_CLOSE(b->eu[0], 3 * slope - a1 * b->trial->u[0] - hu[0], 1e-9 * slope);
        CHECK_CLOSE(b->eu[1], slope - a1 * b->trial->u[1] - hu[1], 1e-9 * slope);
        ride_end(&r);
    }
}

// The dense output after a step of order k is the polynomial of degree k through the last k + 1 points.
static void dense_output(void **state)
{
    (void)state;
    for (int k = 1; k <= TMLI_BDF_ORDER; k++) {
        plan p = plan_default();
        ride r;
        tmli_bdf *b = begin(&r, &p);
        write_history(b, k, k);
        tml_state *y = NULL;
        OK(tml_state_create(r.sys, &y, err));
        b->order_dense = k;
        b->x->t = 7;
        b->x->u[0] = b->x->u[1] = b->x->lambda[0] = 0;
        for (double theta = 0; theta < 1; theta += 0.3) {
            const double t = (theta - 1) * AGES[1], x = power(t, k), size = power(AGES[k], k);
            tmli_bdf_interpolate(b, theta, y);
            CHECK_CLOSE(y->t, 7 + t, 1e-15);
            CHECK_CLOSE(y->q[0], b->x->q[0] + x, 1e-13);
            CHECK_CLOSE(y->q[1], b->x->q[1] - 2 * x, 1e-13);
            CHECK_CLOSE(y->u[0], 3 * x, 1e-12 * size);
            CHECK_CLOSE(y->u[1], x, 1e-12 * size);
            CHECK_CLOSE(y->udot[0], 3 * k * power(t, k - 1), 1e-11 * size / AGES[1]);
            CHECK_CLOSE(y->lambda[0], 5 * x, 1e-12 * size);
        }
        tml_state_destroy(y, r.sys);
        ride_end(&r);
    }
}

// The estimate (6) of the multipliers' error against their distance from those of the index-1 equations at
// the same state: at even steps the largest of the two agree to a factor. It is not 1, because the direction
// of the constraint turns.
static void multiplier_error(void **state)
{
    (void)state;
    static const double step[] = {0, 1e-4, 1e-3, 4e-3, 8e-3, 1.6e-2};
    for (int k = 1; k <= TMLI_BDF_ORDER; k++) {
        plan p = plan_default();
        p.max_order = k;
        p.h = step[k];
        ride r;
        tmli_bdf *b = begin(&r, &p);
        tml_state *y = NULL;
        OK(tml_state_create(r.sys, &y, err));
        double estimated = 0, there = 0;  // largest
        for (int i = 0; i < 60; i++) {
            double error;
            OK(tmli_bdf_step(b, p.h, &error, err));
            b->opt.run.control = TML_CONTROL_ALL;  // fixed steps ask for no estimate
            const double estimate =
                tmli_bdf_multiplier_error(b, k) * tmli_weights_multiplier(&b->weights, 0, b->kernel.unit);
            tml_state_copy(y, b->trial);
            OK(tmli_consistent_project(&r.consistent, y, err));
            if (i >= 20) {
                estimated = fmax(estimated, estimate);
                there = fmax(there, fabs(y->lambda[0] - b->trial->lambda[0]));
            }
            tmli_bdf_accept(b, b->x->t + p.h);
        }
        printf("order %d: error of the multiplier %.2e, estimated %.2e\n", k, there, estimated);
        assert_true(estimated > 0.2 * there && estimated < 3 * there);
        tml_state_destroy(y, r.sys);
        ride_end(&r);
    }
}

// A past that is not smooth: only order k reaches back to its oldest point, and that has jumped.
static tmli_bdf *begin_torn(ride *r, double *h, double *error)
{
    plan p = plan_default();
    p.tol = 1e-6;
    p.duration = 2;
    tmli_bdf *b = begin(r, &p);
    ride_to(r, 1);
    *h = b->h_trial;
    OK(tmli_bdf_step(b, *h, error, err));
    const int k = b->order;
    assert_true(k >= 3 && *error < 1 && b->history.count > k);
    for (int j = 0; j < 2; j++) b->history.u[k][j] += 0.1;
    OK(b->estimate(b, k, 1, error, err));
    assert_true(*error > 10);
    return b;
}

static void order_falls_after_failures(void **state)
{
    (void)state;
    ride r;
    double h, error;
    tmli_bdf *b = begin_torn(&r, &h, &error);
    const int k = b->order;
    const double once = tmli_bdf_next_step(b, h, error, false);
    assert_int_equal(b->order, k);  // one failure says nothing about the order
    const double twice = tmli_bdf_next_step(b, h, error, false);
    assert_int_equal(b->order, k - 1);
    assert_true(once < h && twice < h && twice > once);
    ride_end(&r);
}

// Other orders are looked at when the last k steps were of this one, not before; terms that grow with the
// order speak for the lower one.
static void order_is_looked_at_in_time(void **state)
{
    (void)state;
    ride r;
    double h, error;
    tmli_bdf *b = begin_torn(&r, &h, &error);
    const int k = b->order;
    b->since = k - 1;
    tmli_bdf_next_step(b, h, error, true);
    assert_int_equal(b->order, k);
    b->since = k;
    assert_true(tmli_bdf_next_step(b, h, error, true) >= h);  // the lower order needs no smaller step
    assert_int_equal(b->order, k - 1);
    assert_int_equal(b->since, -1);
    ride_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defects), cmocka_unit_test(dense_output), cmocka_unit_test(multiplier_error),
        cmocka_unit_test(order_falls_after_failures), cmocka_unit_test(order_is_looked_at_in_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

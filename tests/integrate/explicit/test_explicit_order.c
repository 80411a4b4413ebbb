// Orders of the explicit methods at fixed steps: on a spatial closed loop (24 coordinates, 20 constraints),
// where every step has another chart, on the heavy top (erk5), and on a chain in its angles; and of their
// dense outputs.
#include "integrate/chain_fixture.h"
#include "integrate/order.h"

static plan plan_of(const char *method, int max_order)
{
    plan p = plan_default();
    p.method = method;
    p.max_order = max_order;
    return p;
}

static void erk5(void **state)
{
    (void)state;
    const plan p = plan_of("erk5", 0);
    // positions of the first are round-off
    order_check(&order_cases[0], &p,
                (order_expect){.order = {0, 5, 5}, .tolerance = 0.3, .steps = 2, .fine = 16});
    order_case top = order_cases[1];
    top.end = 0.5;
    order_check(&top, &p, (order_expect){.order = {5, 5, 0}, .tolerance = 0.3, .steps = 4, .fine = 16});
}

// Slopes of the largest error at four instants, from one number of steps to another; order 8 leaves little
// room between large steps and round-off.
static void slope_of_erk8(const order_case *c, double end, int coarse, int fine, int finest, double slope[2])
{
    plan p = plan_of("erk8", 0);
    const int count[3] = {finest, coarse, fine};
    ride r[3];
    double worst[2][2] = {0};
    p.duration = end;
    for (int i = 0; i < 3; i++) {
        p.h = end / count[i];
        if (c) order_start(&r[i], c, &p);
        else chain_start(&r[i], &p);
    }
    for (int instant = 1; instant <= 4; instant++) {
        for (int i = 0; i < 3; i++) ride_steps(&r[i], count[i] / 4);
        for (int i = 0; i < 2; i++) {
            double d[3];
            state_distance(r[0].sys, ride_state(&r[0]), ride_state(&r[i + 1]), d);
            for (int k = 0; k < 2; k++) worst[i][k] = fmax(worst[i][k], d[k]);
        }
    }
    for (int k = 0; k < 2; k++) slope[k] = log(worst[0][k] / worst[1][k]) / log((double)fine / coarse);
    printf("%-9s erk8     errors %8.1e %8.1e  slopes: positions %5.3f, velocities %5.3f\n",
           c ? c->name : "chain", worst[0][0], worst[1][0], slope[0], slope[1]);
    for (int i = 0; i < 3; i++) ride_end(&r[i]);
}

static void erk8(void **state)
{
    (void)state;
    double slope[2];
    slope_of_erk8(&order_cases[0], 1, 160, 280, 1200, slope);
    CHECK_CLOSE(slope[1], 8, 0.4);
    slope_of_erk8(NULL, 1, 48, 80, 400, slope);
    CHECK_CLOSE(slope[0], 8, 0.4);
    CHECK_CLOSE(slope[1], 8, 0.4);
}

// Order k of the predictor makes order k + 1.
static void adams(void **state)
{
    (void)state;
    for (int k = 1; k <= 4; k++) {
        const plan p = plan_of("adams", k);
        order_check(
            &order_cases[0], &p,
            (order_expect){
                .order = {k < 4 ? k + 1 : 0, k + 1, k + 1}, .tolerance = 0.35, .steps = 4, .fine = 16});
    }
}

// Largest error half-way between steps of size h.
static double dense_error(const char *method, int order, double h, double end)
{
    plan p = plan_of(method, order), q = plan_of("erk8", 0);
    ride r, exact;
    p.duration = q.duration = end;
    p.h = h;
    q.h = 1.0 / 256;
    chain_start(&r, &p);
    chain_start(&exact, &q);
    tml_state *between = NULL;
    OK(tml_state_create(r.sys, &between, err));
    double worst = 0, d[3];
    for (double t = 0; t < end; t += h) {
        ride_steps(&r, 1);
        r.driver.method->interpolate(r.driver.self, 0.5, between);
        CHECK_CLOSE(between->t, t + h / 2, 1e-14);
        ride_to(&exact, t + h / 2);
        state_distance(r.sys, ride_state(&exact), between, d);
        worst = fmax(worst, fmax(d[0], d[1]));
    }
    tml_state_destroy(between, r.sys);
    ride_end(&r);
    ride_end(&exact);
    return worst;
}

// A dense output of order p leaves an error of the power p + 1 of h: that of the method, or better.
static void dense(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        int order;
        double h, slope;
    } cases[] = {{"erk5", 0, 1.0 / 32, 5},
                 {"erk8", 0, 1.0 / 32, 8},
                 {"adams", 2, 1.0 / 128, 3},
                 {"adams", 5, 1.0 / 64, 6}};
    for (int i = 0; i < 4; i++) {
        const double coarse = dense_error(cases[i].method, cases[i].order, cases[i].h, 2),
                     fine = dense_error(cases[i].method, cases[i].order, cases[i].h / 2, 2);
        printf("dense %-5s order %d: errors %8.1e %8.1e, slope %5.3f\n", cases[i].method, cases[i].order,
               coarse, fine, log2(coarse / fine));
        CHECK_CLOSE(log2(coarse / fine), cases[i].slope, 0.5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(erk5), cmocka_unit_test(erk8),
                                       cmocka_unit_test(adams), cmocka_unit_test(dense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

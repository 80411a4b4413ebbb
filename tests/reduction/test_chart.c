// Derivatives of the tangent operator of the retraction: tangent_rate and tangent_derivatives against
// differences of tangent.
#include "reduction/fixture.h"

enum { N = 12 };

// Five-point differences of tau -> f(d + tau v).
static void difference(const tml_system *s, const double *d, const double *v, const double *u, double *out,
                       void (*f)(const void *self, const double *d, const double *v, double *out))
{
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const double h = 1e-3;
    double y[N], z[N];
    memset(out, 0, sizeof y);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < N; j++) y[j] = d[j] + at[i] * h * v[j];
        f(s->self, y, u, z);
        for (int j = 0; j < N; j++) out[j] += weight[i] * z[j] / h;
    }
}

static void check_chart(const tml_system *s, rng *r)
{
    static const double sizes[] = {0, 1e-6, 1e-2, 0.7, 1.6, 2.4};  // up to 4.1 rad
    double d[N], v[N], rate[N], want[N], first[N], second[N];
    const double zero[N] = {0};
    assert_int_equal(s->n, N);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int j = 0; j < N; j++) {
            d[j] = rng_range(r, -sizes[k], sizes[k]);
            v[j] = rng_range(r, -1, 1);
        }
        s->ops->tangent_rate(s->self, d, v, rate);
        difference(s, d, v, v, want, s->ops->tangent);
        for (int j = 0; j < N; j++) CHECK_CLOSE(rate[j], want[j], 3e-10);
        s->ops->tangent_derivatives(s->self, d, v, first, second);
        difference(s, zero, d, v, want, s->ops->tangent);
        for (int j = 0; j < N; j++) CHECK_CLOSE(first[j], want[j], 3e-10);
        difference(s, zero, d, v, want, s->ops->tangent_rate);
        for (int j = 0; j < N; j++) CHECK_CLOSE(second[j], want[j], 3e-10);
        s->ops->tangent_derivatives(s->self, v, v, first, second);
        for (int j = 0; j < N; j++) CHECK_SMALL(first[j], 1e-16);  // the reduction relies on it
    }
}

static void charts(void **state)
{
    (void)state;
    const subject k = {"loose", loose, 12};
    rng r = rng_seed(5);
    rig *s = rig_open(&k, TML_COORDINATES_PARTITION, false);
    check_chart(s->sys, &r);
    for (int cayley = 0; cayley < 2; cayley++) {
        tml_system *motion = NULL;
        OK(tmli_se3_create(s->sys, cayley, &motion, err));
        check_chart(motion, &r);
        motion->ops->destroy(motion->self);
    }
    rig_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(charts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Exact condition numbers, also where no decomposition of the matrix itself could show them; and transposed
// solves.
#include "linalg/graphs.h"
#include "linalg/rank/svd.h"

static tml_pattern *full(int32_t n)
{
    const uint8_t coordinates = 0;
    tml_pattern *p = NULL;
    tml_error err = {0};
    if (tmli_pattern_create(1, &n, &coordinates, 0, NULL, NULL, NULL, NULL, NULL, NULL, &p, &err) != TML_OK)
        fail_msg("%s", err.msg);
    return p;
}

static void conditions(const tml_pattern *p, const double *values, double c[3])
{
    tmli_svd s;
    tml_error err = {0};
    assert_int_equal(tmli_svd_create(p, NULL, &s, &err), TML_OK);
    tmli_svd_conditions(&s, p, values, c);
    tmli_svd_clear(&s);
}

static void known(void **state)  // A = [a b; 0 1/b]: det = a/b, norms by hand
{
    (void)state;
    tml_pattern *p = full(2);
    const double a = 3.7, b = 0.81;
    const double A[4] = {a, 0, b, 1 / b};  // columns
    double c[3];
    conditions(p, A, c);
    // inv(A) = [1/a  -b^2/a; 0  b]
    CHECK_CLOSE(c[0], fmax(a, b + 1 / b) * fmax(1 / a, b * b / a + b), 1e-12);  // round-off
    CHECK_CLOSE(c[2], fmax(a + b, 1 / b) * fmax(1 / a + b * b / a, b), 1e-12);
    const double f = a * a + b * b + 1 / (b * b), det = a / b;  // |A|_F^2; s1 s2 = det
    const double s1 = sqrt((f + sqrt(f * f - 4 * det * det)) / 2);
    CHECK_CLOSE(c[1], s1 * s1 / det, 1e-12);
    const double singular[4] = {1, 0, 0, 0}, bad[4] = {1, 0, NAN, 1};
    conditions(p, singular, c);
    assert_true(isinf(c[0]) && isinf(c[1]) && isinf(c[2]));
    conditions(p, bad, c);
    assert_true(isnan(c[0]) && isnan(c[1]) && isnan(c[2]));
    tmli_pattern_destroy(p);
}

// [a b; b 0] with a/b = 1e14: |A|_2 = a to 28 digits, |inv(A)|_2 = a/b^2. A decomposition of A ends at 1/eps
// = 5e15.
static void far_beyond_round_off(void **state)
{
    (void)state;
    tml_pattern *p = full(2);
    const double a = 2.25e14, b = 2.25;
    const double A[4] = {a, b, b, 0};
    double c[3];
    conditions(p, A, c);
    for (int i = 0; i < 3; i++) CHECK_CLOSE(c[i] / 1e28, 1, 1e-12);  // round-off
    tmli_pattern_destroy(p);
}

static void too_many(void **state)
{
    (void)state;
    tml_pattern *p = full(TMLI_SVD_MAX + 1);
    tmli_svd s;
    tml_error err = {0};
    assert_int_equal(tmli_svd_create(p, NULL, &s, &err), TML_ERR_ARG);
    assert_null(s.memory);
    tmli_pattern_destroy(p);
}

// x' A' = b': A' x is formed entry by entry.
static void transposed(void **state)
{
    (void)state;
    graph_def g = graph_chain(9, 6, 5);
    g.augmented = true;
    g.penalty = 1.3;
    tml_error err = {0};
    tml_pattern *p = graph_pattern_env(&g, false, NULL, &err);
    rng r = rng_seed(11);
    const size_t n = (size_t)p->n;
    double *values = malloc((size_t)tmli_pattern_nnz(p) * sizeof *values), *x = malloc(n * sizeof *x),
           *b = malloc(n * sizeof *b);
    graph_values(&g, p, &r, 0.02, values);
    for (int s = 0; tml_linsolvers[s]; s++) {
        void *self = NULL;
        assert_int_equal(tml_linsolvers[s]->create(p, NULL, &self, &err), TML_OK);
        assert_int_equal(tml_linsolvers[s]->factor(self, values, &err), TML_OK);
        for (size_t i = 0; i < n; i++) x[i] = rng_range(&r, -1, 1);
        for (size_t j = 0; j < n; j++) {
            b[j] = 0;
            for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) b[j] += values[k] * x[p->rowind[k]];
        }
        tml_linsolvers[s]->solve_transposed(self, b);
        for (size_t i = 0; i < n; i++) CHECK_CLOSE(b[i], x[i], 1e-11);  // eps / rcond, rcond > 1e-4 here
        tml_linsolvers[s]->destroy(self);
    }
    free(values);
    free(x);
    free(b);
    tmli_pattern_destroy(p);
    graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known),
        cmocka_unit_test(far_beyond_round_off),
        cmocka_unit_test(too_many),
        cmocka_unit_test(transposed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

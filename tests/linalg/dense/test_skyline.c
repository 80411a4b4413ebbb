// Cholesky factors by the skyline: A = L L' and A x = b, for rows that begin anywhere; what is left of the
// skyline is not touched; a matrix that is not definite is refused.
#include "linalg/dense/skyline.h"
#include "support.h"

#include <math.h>
#include <string.h>

enum { MAX = 23 };

// A = G G' of a lower triangular G with the skyline `first`; NAN left of it.
static void make(int n, rng *r, int *first, double *A)
{
    double G[MAX * MAX] = {0};
    for (int i = 0; i < n; i++) {
        first[i] = (int)rng_range(r, 0, i + 1);
        for (int k = first[i]; k < i; k++) G[i * n + k] = rng_range(r, -1, 1);
        G[i * n + i] = rng_range(r, 0.7, 2);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k <= j; k++) sum += G[i * n + k] * G[j * n + k];
            A[i * n + j] = j < first[i] ? NAN : sum;
        }
}

static void factors_and_solves(void **state)
{
    (void)state;
    rng r = rng_seed(731);
    for (int trial = 0; trial < 200; trial++) {
        const int n = 1 + trial % MAX;
        int first[MAX];
        double A[MAX * MAX], L[MAX * MAX], b[MAX] = {0}, x[MAX], given[MAX];
        make(n, &r, first, A);
        memcpy(L, A, sizeof A);
        for (int i = 0; i < n; i++) given[i] = rng_range(&r, -3, 3);
        for (int i = 0; i < n; i++)
            for (int j = first[i]; j <= i; j++) {
                b[i] += A[i * n + j] * given[j];
                if (j < i) b[j] += A[i * n + j] * given[i];
            }
        assert_true(tmli_skyline_factor(n, first, L));
        memcpy(x, b, sizeof x);
        tmli_skyline_solve(n, first, L, x);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < first[i]; j++) assert_true(isnan(L[i * n + j]));
            // round-off times the condition of A, below 1e6 here
            if (!(fabs(x[i] - given[i]) < 1e-9))
                fail_msg("%d rows: x[%d] %.17g, not %.17g", n, i, x[i], given[i]);
        }
        const int bad = (int)rng_range(&r, 0, n);
        A[bad * n + bad] = -A[bad * n + bad];
        assert_false(tmli_skyline_factor(n, first, A));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(factors_and_solves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Determinants of products with known ones: of triangular matrices whose rows are permuted.
#include "linalg/dense/determinant.h"
#include "support.h"

#include <string.h>

enum { MAX = 16 };

static void permuted_triangles(void **state)
{
    (void)state;
    rng r = rng_seed(917);
    for (int trial = 0; trial < 300; trial++) {
        const int n = 1 + trial % MAX;
        double L[MAX * MAX] = {0}, U[MAX * MAX] = {0}, A[MAX * MAX] = {0}, expected = 1;
        for (int i = 0; i < n; i++) {
            L[i * n + i] = 1;
            U[i * n + i] = rng_range(&r, 0.4, 2) * (rng_range(&r, -1, 1) < 0 ? -1 : 1);
            expected *= U[i * n + i];
            for (int k = 0; k < i; k++) L[i * n + k] = rng_range(&r, -1, 1);
            for (int k = i + 1; k < n; k++) U[i * n + k] = rng_range(&r, -1, 1);
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < n; k++) A[i * n + j] += L[i * n + k] * U[k * n + j];
        for (int i = n - 1; i > 0; i--) {  // each exchange of two rows changes the sign
            const int other = (int)rng_range(&r, 0, i);
            double row[MAX];
            memcpy(row, A + i * n, (size_t)n * sizeof *row);
            memcpy(A + i * n, A + other * n, (size_t)n * sizeof *row);
            memcpy(A + other * n, row, (size_t)n * sizeof *row);
            expected = -expected;
        }
        double copy[MAX * MAX];
        memcpy(copy, A, sizeof copy);
        const double found = tmli_determinant(n, A);
        // round-off times the condition of A, below 1e6 here
        if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
            fail_msg("%d rows: %.17g, not %.17g", n, found, expected);
        if (n > 1) memcpy(copy + (n - 1) * n, copy, (size_t)n * sizeof *copy);  // two equal rows
        else copy[0] = 0;
        // each of n pivots is round-off or of the order 1
        assert_true(fabs(tmli_determinant(n, copy)) <= 1e-9 * fabs(expected));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(permuted_triangles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

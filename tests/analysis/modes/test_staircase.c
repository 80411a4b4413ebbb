// Zero roots by ranks: chains of zeros that noise splits, and soft springs that are none.
#include "support.h"

#include "analysis/modes/staircase.h"

#include <math.h>
#include <string.h>

enum { N = 7 };

static double pseudo_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

// A (by columns) = H B H with the reflection H = 1 - 2 v v'/v'v, and noise of size e in every entry
static void disguise(double *B, double e)
{
    unsigned seed = 731;
    double v[N], vv = 0;
    for (int i = 0; i < N; i++) {
        v[i] = pseudo_random(&seed);
        vv += v[i] * v[i];
    }
    for (int side = 0; side < 2; side++) {
        double T[N * N];
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int i = 0; i < N; i++) s += v[i] * B[j * N + i];
            for (int i = 0; i < N; i++) T[i * N + j] = B[j * N + i] - 2 * s / vv * v[i];  // transposed
        }
        memcpy(B, T, sizeof T);
    }
    for (int i = 0; i < N * N; i++) B[i] += e * pseudo_random(&seed);
}

static int regular_part(double *A, double error)
{
    tmli_arena arena = {0};
    int regular = -1;
    assert_int_equal(tmli_remove_zero_roots(A, N, error, &arena, &regular, NULL), TML_OK);
    tmli_arena_clear(&arena);
    return regular;
}

// Zeros of multiplicity three and two beside the roots -0.01 and -0.7: the triple one alone would be split to
// 5e-5, and is not told from a slow motion by its size.
static void chains(void **state)
{
    (void)state;
    double A[N * N] = {0};
    A[1 * N + 0] = A[2 * N + 1] = 1;
    A[4 * N + 3] = 0.6;
    A[5 * N + 4] = 0.3;
    A[5 * N + 5] = -0.01;
    A[6 * N + 6] = -0.7;
    disguise(A, 1e-13);
    assert_int_equal(regular_part(A, 2e-12), 2);
    CHECK_CLOSE(A[0] + A[3], -0.71, 1e-9);  // noise over the root -0.01
    CHECK_CLOSE(A[0] * A[3] - A[1] * A[2], 0.007, 1e-9);
}

// A free mass beside a soft spring (1e-9) and a stiff one (1): two zeros, not four.
static void soft_spring(void **state)
{
    (void)state;
    double A[N * N] = {0};
    A[1 * N + 0] = A[3 * N + 2] = A[5 * N + 4] = 1;
    A[2 * N + 3] = -1e-9;
    A[4 * N + 5] = -1;
    A[6 * N + 6] = -0.4;
    disguise(A, 1e-16);
    assert_int_equal(regular_part(A, 2e-12), 5);
}

static void none_and_all(void **state)
{
    (void)state;
    double A[N * N] = {0};
    assert_int_equal(regular_part(A, 1e-15), 0);
    for (int i = 0; i < N; i++) A[i * (N + 1)] = 0.1 + i;
    assert_int_equal(regular_part(A, 1e-12), N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains),
        cmocka_unit_test(soft_spring),
        cmocka_unit_test(none_and_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

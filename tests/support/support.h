// Helpers shared by the tests: repeatable random numbers.
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the headers above
#include <cmocka.h>

/** xorshift64*: the same numbers on every machine. */
typedef struct rng {
    uint64_t s;
} rng;
static inline rng rng_seed(uint64_t seed) { return (rng){seed * 0x9E3779B97F4A7C15u + 1}; }
static inline double rng_unit(rng *r)  // in [0, 1)
{
    r->s ^= r->s >> 12;
    r->s ^= r->s << 25;
    r->s ^= r->s >> 27;
    return (double)((r->s * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-53;
}
static inline double rng_range(rng *r, double a, double b) { return a + (b - a) * rng_unit(r); }

#define CHECK_SMALL(x, tol)                                                                          \
    do {                                                                                             \
        const double check_x = (x), check_tol = (tol);                                               \
        if (!(fabs(check_x) <= check_tol)) fail_msg("|%s| = %g > %g", #x, fabs(check_x), check_tol); \
    } while (0)
#define CHECK_CLOSE(x, y, tol)                                                               \
    do {                                                                                     \
        const double check_a = (x), check_b = (y), check_tol = (tol);                        \
        if (!(fabs(check_a - check_b) <= check_tol))                                         \
            fail_msg("%s = %.17g, expected %.17g, difference %g > %g", #x, check_a, check_b, \
                     check_a - check_b, check_tol);                                          \
    } while (0)

/** Whether this is an instrumented program, some five times slower. If so tells that `name` of the file
 * leaves something out; tests/tools/list_skipped collects these lines. */
static inline bool less_in(const char *file, const char *name, const char *reason)
{
    if (!getenv("TRAMMEL_SLOW_BUILD")) return false;
    const char *slash = strrchr(file, '/');
    printf("skipped under sanitizers: %s %s: %s\n", slash ? slash + 1 : file, name, reason);
    return true;
}

/** True in an instrumented program, where a test does less of the same. The reason says what is left out. */
#define less_if_slow(reason) less_in(__FILE__, __func__, reason)

/** Leaves out a test of numbers that takes too long in an instrumented program. */
#define skip_if_slow(reason)              \
    do {                                  \
        if (less_if_slow(reason)) skip(); \
    } while (0)

/** b (n) := inverse(A) b by elimination with row exchanges; A (n x n) by rows is overwritten. Returns the
 * smallest pivot over the largest entry. */
static inline double dense_solve(int n, double *A, double *b)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < n * n; i++) most = fmax(most, fabs(A[i]));
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
        for (int j = 0; j < n; j++) {
            const double swap = A[k * n + j];
            A[k * n + j] = A[p * n + j];
            A[p * n + j] = swap;
        }
        const double swap = b[k];
        b[k] = b[p];
        b[p] = swap;
        least = fmin(least, fabs(A[k * n + k]));
        for (int i = k + 1; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
    return least / most;
}

#endif

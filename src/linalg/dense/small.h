// Dense kernels on a few rows. They are inlined with a constant number of rows where that is 1 .. 6
// (TMLI_SMALL), so that the compiler unrolls and vectorizes them; the same source serves any other size.
// Column-major, leading dimension = rows.
#ifndef TMLI_LINALG_DENSE_SMALL_H
#define TMLI_LINALG_DENSE_SMALL_H

#include "base/inline.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "linalg/dense/constants.h"

/** call(n, ...) with n as a constant where it is small. */
#define TMLI_SMALL(n, call, ...)          \
    switch (n) {                          \
    case 1: call(1, __VA_ARGS__); break;  \
    case 2: call(2, __VA_ARGS__); break;  \
    case 3: call(3, __VA_ARGS__); break;  \
    case 4: call(4, __VA_ARGS__); break;  \
    case 5: call(5, __VA_ARGS__); break;  \
    case 6: call(6, __VA_ARGS__); break;  \
    default: call(n, __VA_ARGS__); break; \
    }

/** Cholesky factor in the lower triangle of A (n x n, lower triangle given), reciprocal diagonal to d;
 * pivot_scale (n): sizes that the pivots are compared with. False if A is not definite enough. */
TMLI_INLINE bool tmli_small_cholesky(const int32_t n, double *restrict A, double *restrict d,
                                     const double *restrict pivot_scale)
{
    bool good = true;
    for (int32_t j = 0; j < n; j++) {
        const double pivot = A[j * n + j];
        good &= pivot > CHOLESKY_PIVOT * pivot_scale[j] && pivot <= DBL_MAX;
        const double s = 1 / sqrt(pivot);
        d[j] = s;
        for (int32_t i = j; i < n; i++) A[j * n + i] *= s;
        for (int32_t c = j + 1; c < n; c++)
            for (int32_t i = c; i < n; i++) A[c * n + i] -= A[j * n + i] * A[j * n + c];
    }
    return good;
}

/** x (n) := inv(L) x. */
TMLI_INLINE void tmli_small_lower(const int32_t n, const double *restrict L, const double *restrict d,
                                  double *restrict x)
{
    for (int32_t j = 0; j < n; j++) {
        x[j] *= d[j];
        for (int32_t i = j + 1; i < n; i++) x[i] -= L[j * n + i] * x[j];
    }
}

/** x (n) := inv(L') x. */
TMLI_INLINE void tmli_small_upper(const int32_t n, const double *restrict L, const double *restrict d,
                                  double *restrict x)
{
    for (int32_t j = n - 1; j >= 0; j--) {
        double sum = x[j];
        for (int32_t i = j + 1; i < n; i++) sum -= L[j * n + i] * x[i];
        x[j] = sum * d[j];
    }
}

/** X (k x n) := X inv(L'), L (n x n). */
TMLI_INLINE void tmli_small_right(const int32_t k, int32_t n, const double *restrict L,
                                  const double *restrict d, double *restrict X)
{
    for (int32_t j = 0; j < n; j++) {
        double *x = X + j * k;
        for (int32_t i = 0; i < k; i++) x[i] *= d[j];
        for (int32_t c = j + 1; c < n; c++)
            for (int32_t i = 0; i < k; i++) X[c * k + i] -= x[i] * L[j * n + c];
    }
}

/** Z (k x m) += X Y', X (k x n), Y (m x n). */
TMLI_INLINE void tmli_small_add(const int32_t k, int32_t m, int32_t n, const double *restrict X,
                                const double *restrict Y, double *restrict Z)
{
    for (int32_t s = 0; s < m; s++) {
        double *z = Z + s * k;
        for (int32_t c = 0; c < n; c++)
            for (int32_t i = 0; i < k; i++) z[i] += X[c * k + i] * Y[c * m + s];
    }
}

/** Z (k x m) -= X Y', X (k x n), Y (m x n). */
TMLI_INLINE void tmli_small_sub(const int32_t k, int32_t m, int32_t n, const double *restrict X,
                                const double *restrict Y, double *restrict Z)
{
    for (int32_t s = 0; s < m; s++) {
        double *z = Z + s * k;
        for (int32_t c = 0; c < n; c++)
            for (int32_t i = 0; i < k; i++) z[i] -= X[c * k + i] * Y[c * m + s];
    }
}

#endif

// Cholesky factor of a symmetric matrix by its skyline: A = L L' where row r of A, and so of L, begins in
// column first[r] <= r. Row-major, leading dimension = rows; nothing left of the skyline is read or written.
// It costs the sum of the squared lengths of the rows: for the B B' of constraints of neighbouring loops
// little more than their number, and without the overhead of LAPACK on few rows.
#ifndef TMLI_LINALG_DENSE_SKYLINE_H
#define TMLI_LINALG_DENSE_SKYLINE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/** A (n x n, lower triangle) := L. False: A is not positive definite. */
static inline bool tmli_skyline_factor(int n, const int *first, double *A)
{
    for (int r = 0; r < n; r++) {
        double *row = A + (size_t)r * (size_t)n, pivot = row[r];
        for (int i = first[r]; i < r; i++) {
            const double *other = A + (size_t)i * (size_t)n;
            double sum = row[i];
            for (int k = first[r] > first[i] ? first[r] : first[i]; k < i; k++) sum -= row[k] * other[k];
            row[i] = sum / other[i];
            pivot -= row[i] * row[i];
        }
        if (!(pivot > 0)) return false;
        row[r] = sqrt(pivot);
    }
    return true;
}

/** x (n) := inverse(L L') x. */
static inline void tmli_skyline_solve(int n, const int *first, const double *L, double *x)
{
    for (int r = 0; r < n; r++) {
        const double *row = L + (size_t)r * (size_t)n;
        for (int k = first[r]; k < r; k++) x[r] -= row[k] * x[k];
        x[r] /= row[r];
    }
    for (int r = n - 1; r >= 0; r--) {
        const double *row = L + (size_t)r * (size_t)n;
        x[r] /= row[r];
        for (int k = first[r]; k < r; k++) x[k] -= row[k] * x[r];
    }
}

#endif

// Determinant of a small matrix by elimination with partial pivoting.
#ifndef TMLI_LINALG_DENSE_DETERMINANT_H
#define TMLI_LINALG_DENSE_DETERMINANT_H

#include <math.h>

/** det A (n x n, row- or column-major), which is destroyed. */
static inline double tmli_determinant(int n, double *A)
{
    double det = 1;
    for (int k = 0; k < n; k++) {
        int largest = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[largest * n + k])) largest = i;
        double *pivot = A + largest * n, *row = A + k * n;
        det *= largest == k ? pivot[k] : -pivot[k];
        if (pivot[k] == 0) return 0;
        for (int j = k; j < n && largest != k; j++) {
            const double swapped = row[j];
            row[j] = pivot[j];
            pivot[j] = swapped;
        }
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i * n + k] / row[k];
            for (int j = k + 1; j < n; j++) A[i * n + j] -= factor * row[j];
        }
    }
    return det;
}

#endif

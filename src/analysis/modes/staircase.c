// Zero roots by ranks: the staircase of Golub and Wilkinson, SIAM Review 18 (1976) 578-619.
//
// A motion that nothing resists has a double zero root, for its place and its speed, with one shape. A
// vehicle that heads elsewhere drifts aside, and where it loses its stability another root comes close. An
// error e of the matrix splits a k-fold zero with one shape to roots of size e^(1/k), and more beside a small
// root: the sizes of computed roots cannot tell these from slow motions. Singular values can: e changes them
// by e.
//
// With A = U S V', V1 the right vectors of the singular values above e, V2 those of the others,
//   [V2, V1]' A [V2, V1] = [ 0  *; 0  A1 ],   A1 = V1' A V1 = V1' U1 S1                                   (1)
// so that A has the roots of A1 and a zero for each column of V2. A1 is treated likewise, until it is
// regular. V2 is off by e over the least of S1, and so is A1.
#include "analysis/modes/staircase.h"

#include <math.h>

#include "analysis/modes/constants.h"
#include "linalg/dense/lapack.h"

// (1): B (rank x rank), by columns; row i of Vt is v_i'
static void project(int n, int rank, const double *U, const double *sigma, const double *Vt, double *B)
{
    const size_t rows = (size_t)n;
    for (size_t j = 0; j < (size_t)rank; j++)
        for (size_t i = 0; i < (size_t)rank; i++) {
            double sum = 0;
            for (size_t k = 0; k < rows; k++) sum += Vt[k * rows + i] * U[j * rows + k];
            B[j * (size_t)rank + i] = sum * sigma[j];
        }
}

tml_status tmli_remove_zero_roots(double *A, int N, double error, tmli_arena *arena, int *regular,
                                  tml_error *err)
{
    const size_t S = (size_t)N;
    const int lwork = 8 * N + 64;
    double *U = tmli_arena_alloc(arena, S * S + 1, sizeof *U),
           *B = tmli_arena_alloc(arena, S * S + 1, sizeof *B),
           *Vt = tmli_arena_alloc(arena, S * S + 1, sizeof *Vt),
           *sigma = tmli_arena_alloc(arena, S + 1, sizeof *sigma),
           *work = tmli_arena_alloc(arena, (size_t)lwork, sizeof *work);
    if (!U || !B || !Vt || !sigma || !work)
        return tmli_fail(err, TML_ERR_NOMEM, "check: memory is exhausted");
    int n = N;
    for (double limit = error; n > 0;) {
        int info = 0, rank = 0;
        for (size_t i = 0; i < (size_t)n * (size_t)n; i++) B[i] = A[i];
        tmli_dgesvd("A", "A", &n, &n, B, &n, sigma, U, &n, Vt, &n, work, &lwork, &info, 1, 1);
        if (info != 0) return tmli_fail(err, TML_ERR_SINGULAR, "the zero roots cannot be counted");
        while (rank < n && sigma[rank] > limit) rank++;
        if (rank == n) break;
        project(n, rank, U, sigma, Vt, A);
        if (rank > 0) limit = error * fmin(sigma[0] / sigma[rank - 1], NULL_SPACE_GROWTH);
        n = rank;
    }
    *regular = n;
    return TML_OK;
}

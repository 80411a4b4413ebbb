// The 1-norm condition number of a factored matrix, from a few solves, and the norm of a sparse matrix.
#ifndef TMLI_LINALG_PATTERN_CONDEST_H
#define TMLI_LINALG_PATTERN_CONDEST_H

#include <trammel/linsolver.h>

/** x (n): right-hand side in, solution out. */
typedef void (*tmli_solve_fn)(void *self, double *x);

/** Estimate of 1 / (anorm |inv(A)|_1), at most 1; 0 if a solve overflows. work: (3 n). A lower bound of
 * |inv(A)|_1 is used, almost always within a factor 3, so the result errs to the large side. At most 11
 * solves. */
double tmli_condest(int32_t n, double anorm, tmli_solve_fn solve, tmli_solve_fn solve_transposed, void *self,
                    double *work);

/** Factors that make the largest modulus of every row and column of diag(row) A diag(col) about 1 (both:
 * (n)); of an empty row or column: 1. Returns the 1-norm of the scaled matrix. work: (2 n). */
double tmli_equilibrate(const tml_pattern *p, const double *values, double *row, double *col, double *work);

/** |A|_1 = the largest sum of moduli of a column, and the largest modulus of an entry.
 * Not finite if (and, short of overflow in a sum, only if) an entry is not. */
double tmli_matrix_norm(const tml_pattern *p, const double *values, double *largest);

#endif

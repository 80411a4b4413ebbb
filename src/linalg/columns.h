// Independent columns of a wide matrix, and solves with them: A (m x n), given by rows, of rank k.
//
// Full pivoting picks k rows and k columns of A whose square matrix S is well conditioned. The other rows depend on the picked
// ones, up to a tolerance; the other columns can be given, the picked ones follow:
//   A x = b   ->   x(picked columns) = inverse(S) (b - A x(others))                                      (1)
// S is factored anew, with the same rows and columns, when the values of A have changed.
#ifndef TMLI_LINALG_COLUMNS_H
#define TMLI_LINALG_COLUMNS_H

#include "base/base.h"

/** Which rows and columns; constant until the next choice. */
typedef struct tmli_choice {
    int m, n, rank;
    int *row;        // (m) picked rows first, in the order of their pivots, then the others
    int *column;     // (n) picked columns first, in the order of their pivots, then the others, ascending
    int *place;      // (n) column[place[j]] = j
    bool *left_out;  // (m) rows that depend on others
    double *work;    // (m n)
    tml_env env;
} tmli_choice;

tml_status tmli_choice_create(int m, int n, const tml_env *env, tmli_choice *out, tml_error *err);
void tmli_choice_clear(tmli_choice *c);
/** Choose for A (rows as in rowptr, rowcol), whose rows and columns are so scaled that entries are compared with each other:
 * pivots below tolerance count as zero. */
void tmli_choice_make(tmli_choice *c, const int *rowptr, const int *rowcol, const double *values,
                      double tolerance);
void tmli_choice_copy(tmli_choice *to, const tmli_choice *from);  // of equal size; no allocation

/** Factors of S. */
typedef struct tmli_columns {
    const tmli_choice *choice;
    double *lu;   // (k k), k = min(m, n)
    double *x;    // (5 k)
    int *pivot;   // (2 k)
    double norm;  // |S|_1
    tml_env env;
} tmli_columns;

tml_status tmli_columns_create(const tmli_choice *choice, const tml_env *env, tmli_columns *out, tml_error *err);
void tmli_columns_clear(tmli_columns *c);
/** Factor S of A. False: S is singular or not finite. */
bool tmli_columns_factor(tmli_columns *c, const int *rowptr, const int *rowcol, const double *values);
/** y (n): y(picked columns) = inverse(S) b(picked rows), the others 0; b (m). */
void tmli_columns_solve(tmli_columns *c, const double *b, double *y);
/** z (m): z(picked rows) = inverse(S') y(picked columns), the others 0; y (n). */
void tmli_columns_solve_transposed(tmli_columns *c, const double *y, double *z);
/** Estimate of |S|_1 |inverse(S)|_1; 1 if the rank is 0. */
double tmli_columns_condition(tmli_columns *c);

#endif

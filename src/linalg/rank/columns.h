// Independent columns of a wide matrix, and solves with them: A (m x n), given by rows, of rank k.
//
// k rows and k columns of A are picked such that their square matrix S is well conditioned. The other rows
// depend on the picked ones, up to a tolerance; the other columns can be given, the picked ones follow:
//   A x = b   ->   x(picked columns) = inverse(S) (b - A x(others))                                      (1)
// S is factored anew, with the same rows and columns, when the values of A have changed.
//
// Small matrices are eliminated with full pivoting: the largest remaining entry. Large sparse ones with
// threshold pivoting: an entry not much smaller than the largest of its row, in the column with the
// fewest entries, so that there is little fill-in; for the constraints of a chain of bodies, from its tip
// inwards, none at all.
#ifndef TMLI_LINALG_RANK_COLUMNS_H
#define TMLI_LINALG_RANK_COLUMNS_H

#include "base/archive.h"
#include "linalg/rank/triangles.h"

/** Which rows and columns; constant until the next choice. */
typedef struct tmli_pivot_choice {
    int m, n, rank;
    int *row;         // (m) picked rows first, in the order of their pivots, then the others
    int *column;      // (n) picked columns first, in the order of their pivots, then the others, ascending
    int *position;    // (n) column[position[j]] = j
    bool *left_out;   // (m) rows that depend on others
    double least;     // the smallest pivot
    long version;     // counts choices
    double *work;     // (m n) full pivoting; NULL: threshold pivoting
    double *largest;  // (m) in each row of it, of what is left
    int *span;        // (2 m) first column of each row of it that may have an entry, and one past the last
    struct tmli_elimination *sparse;
    tml_env env;
} tmli_pivot_choice;

/** rowptr, rowcol: pattern of A, borrowed. */
tml_status tmli_pivot_choice_create(int m, int n, const int *rowptr, const int *rowcol, const tml_env *env,
                                    tmli_pivot_choice *out, tml_error *err);
/** The same; threshold pivoting uses the memory of `shared` (may be NULL), which is of the same pattern. */
tml_status tmli_pivot_choice_create_shared(int m, int n, const int *rowptr, const int *rowcol,
                                           const tml_env *env, const tmli_pivot_choice *shared,
                                           tmli_pivot_choice *out, tml_error *err);
void tmli_pivot_choice_clear(tmli_pivot_choice *c);
/** Choose for A (rows as in rowptr, rowcol), whose rows and columns are scaled so that its entries are
 * comparable: pivots below tolerance count as zero. late (m; may be NULL): rows that are picked only when no
 * other is left. TML_ERR_NOMEM: fill-in of a large matrix; the last choice is kept. */
tml_status tmli_pivot_choice_make(tmli_pivot_choice *c, const int *rowptr, const int *rowcol,
                                  const double *values, const bool *late, double tolerance, tml_error *err);
void tmli_pivot_choice_archive(tmli_pivot_choice *c, tml_archive *a);
void tmli_pivot_choice_copy(tmli_pivot_choice *to,
                            const tmli_pivot_choice *from);  // of equal size; no allocation

/** Factors of S: dense for a few rows, else sparse by KLU, whose memory is allocated when the choice has
 * changed. */
typedef struct tmli_columns {
    const tmli_pivot_choice *choice;
    const int *rowptr, *rowcol;
    double *lu;    // (k k), k = min(m, n), of dense factors
    double *x;     // (5 k)
    int *pivot;    // (2 k)
    double *sum;   // (n) of columns
    long version;  // of the choice that the factors are for
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    tmli_triangles triangles;  // the same factors, for one right-hand side
    int *colptr, *rowind;      // S by columns
    int *from;                 // indices of its entries in the values of A
    double *values;            // of S
    double *chosen;            // those for which KLU chose its pivots
    bool refactored;           // the sparse factors have the pivots of an earlier matrix
    tml_env env;
} tmli_columns;

tml_status tmli_columns_create(const tmli_pivot_choice *choice, const int *rowptr, const int *rowcol,
                               const tml_env *env, tmli_columns *out, tml_error *err);
void tmli_columns_clear(tmli_columns *c);
/** Factor S of A. False: S is singular or not finite, or memory is exhausted. */
bool tmli_columns_factor(tmli_columns *c, const double *values);
/** y (n): y(picked columns) = inverse(S) b(picked rows), the others 0; b (m). */
void tmli_columns_solve(tmli_columns *c, const double *b, double *y);
/** The same for `count` right-hand sides (rank numbers each, one after the other, in the order of the
 * pivots), in place. */
void tmli_columns_solve_many(tmli_columns *c, bool transposed, int count, double *x);
/** z (m): z(picked rows) = inverse(S') y(picked columns), the others 0; y (n). */
void tmli_columns_solve_transposed(tmli_columns *c, const double *y, double *z);
/** Estimate of |A|_1 |inverse(S)|_1, A: picked rows of what was factored, all columns; 1 if the rank is 0.
 * Unlike the condition number of S it grows when a row of S becomes small relative to its row of A. */
double tmli_columns_condition(tmli_columns *c, const double *values);
/** The choice has been visited before. */
void tmli_columns_archive(tmli_columns *c, tml_archive *a);

#endif

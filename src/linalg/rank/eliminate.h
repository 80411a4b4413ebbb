// Threshold pivoting of a sparse wide matrix: which rows and columns to pick. See columns.h.
#ifndef TMLI_LINALG_RANK_ELIMINATE_H
#define TMLI_LINALG_RANK_ELIMINATE_H

#include "base/base.h"
#include "base/tolerances.h"

// [-] Entry relative to the largest of its row from which it may be a pivot, so that the rank is that of a
// stable elimination; the same for the row that counts as the dependent one.
// Origin: I. S. Duff, A. M. Erisman, J. K. Reid, Direct Methods for Sparse Matrices, advise 0.1 for solving.
// A rank needs more: this bounds the growth per pivot to 1 + 1/0.3. Smaller gives less fill-in.
#define TMLI_PIVOT_THRESHOLD TMLI_MODERATE_SHARE

typedef struct tmli_elimination tmli_elimination;

tml_status tmli_elimination_create(int m, int n, const int *rowptr, const int *rowcol, const tml_env *env,
                                   tmli_elimination **out, tml_error *err);
/** e for another user, who destroys it too. */
tmli_elimination *tmli_elimination_share(tmli_elimination *e);
void tmli_elimination_destroy(tmli_elimination *e);  // accepts NULL
/** Eliminate A with the given values. late (m; may be NULL): these rows are picked when no other is left. row
 * (m), column (n): the first *rank entries become the pivots; *least: the smallest. */
tml_status tmli_elimination_run(tmli_elimination *e, const double *values, const bool *late, double tolerance,
                                int *row, int *column, int *rank, double *least, tml_error *err);

#endif

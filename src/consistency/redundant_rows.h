// Rows of the constraints that depend on others: which they are, and a system that does without them
// (system/active_rows/active_rows.h).
//
// B is looked at in units of the model (scale.h), where its entries are of the order 1, by elimination with
// pivots (linalg/rank/columns.h): rows that only have pivots below a tolerance left depend on the others.
#ifndef TMLI_CONSISTENCY_REDUNDANT_ROWS_H
#define TMLI_CONSISTENCY_REDUNDANT_ROWS_H

#include "base/base.h"
#include "linalg/rank/columns.h"
#include "system/active_rows/active_rows.h"
#include <trammel/system.h>

// Pivots that count as zero. In exact arithmetic: of rows that would be left out by themselves. In mechanisms
// as built, whose measures fit each other up to small errors: such rows are dependent by intent, and would
// lock the mechanism.
#define TMLI_RANK_TOLERANCE 1e-8
#define TMLI_BUILT_TOLERANCE 1e-5
#define TMLI_ENLARGED 1e-3
// Of a singular position that is passed: with pivots above it multipliers and velocities still have half of
// their digits.
#define TMLI_NEAR_SINGULAR 1e-2

typedef struct tmli_redundant_rows {
    const tml_system *base;
    tml_system *system;        // with rows held
    void *work;                // of base
    tmli_pivot_choice choice;  // the last
    double *rows;              // (entries of B)
    double *size;              // (m) of a row, the largest so far: a row that vanishes is dependent
    double *unit;              // (n + m) as in tmli_kernel_units, of rows by this size
} tmli_redundant_rows;

tml_status tmli_redundant_rows_create(const tml_system *base, tmli_redundant_rows *d, tml_error *err);
void tmli_redundant_rows_clear(tmli_redundant_rows *d);

/** How rows held so far count in a search. */
typedef enum tmli_inactive_policy {
    TMLI_INACTIVE_ZERO,  // as zero
    TMLI_INACTIVE_LAST,  // a tenth of the others, so that they are left out before others
    TMLI_INACTIVE_ALIKE  // as all others
} tmli_inactive_policy;

/** Which rows of the base depend on others at x: d->choice. */
tml_status tmli_redundant_rows_find(tmli_redundant_rows *d, const tml_state *x, double tolerance,
                                    tmli_inactive_policy held, tml_error *err);
/** The same of a mechanism as built, of which no more than `most` rows are independent: where errors of its
 * measures are enlarged, by rows that come close to a singular position, pivots up to `enlarged` count as
 * zero if that explains it. */
tml_status tmli_redundant_rows_find_most(tmli_redundant_rows *d, const tml_state *x, int most,
                                         double tolerance, double enlarged, tmli_inactive_policy held,
                                         tml_error *err);
/** The same with TMLI_BUILT_TOLERANCE and TMLI_ENLARGED. */
tml_status tmli_redundant_rows_find_built(tmli_redundant_rows *d, const tml_state *x, int most,
                                          tmli_inactive_policy held, tml_error *err);
/** Which rows (m) depend on others at x is known from another search: d->choice has them and the rank, but no
 * pivots. */
tml_status tmli_redundant_rows_set_known(tmli_redundant_rows *d, const tml_state *x, const bool *rows,
                                         tml_error *err);
/** Hold the rows of the last search. */
void tmli_redundant_rows_deactivate_found(tmli_redundant_rows *d);

#endif

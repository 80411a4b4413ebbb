// Search for redundant constraint rows, and the system with which inactive rows of a state are left out
// (system/active_rows/active_rows.h).
//
// B is scaled to units of the model (scaling.h), where its entries are of the order 1, and eliminated with
// pivoting (linalg/rank/columns.h): rows whose pivots are below a tolerance (tolerances.h) depend on the
// others.
#ifndef TMLI_CONSISTENCY_REDUNDANT_ROWS_H
#define TMLI_CONSISTENCY_REDUNDANT_ROWS_H

#include "base/base.h"
#include "linalg/rank/columns.h"
#include "system/active_rows/active_rows.h"
#include <trammel/system.h>

typedef struct tmli_redundant_rows {
    const tml_system *base;    // with all rows
    tml_system *system;        // base with selects_rows
    tmli_pivot_choice choice;  // result of the last search; left_out: rows that depend on others
    bool *late;                // (m) rows of switches: dependent rather than rows that are always in force
    int rank;                  // number of the others, with those that are released
    void *memory;              // of all arrays
    void *work;                // of base
    double *B_values;          // (entries of B)
    double *row_size;          // (m) the largest so far: a row that vanishes later is dependent
    double *unit;              // (n + m) as in tmli_kernel_units, of rows by row_size
} tmli_redundant_rows;

/** shared (may be NULL): of the same rows; both share what a search needs. */
tml_status tmli_redundant_rows_create(const tml_system *base, const tmli_redundant_rows *shared,
                                      tmli_redundant_rows *d, tml_error *err);
void tmli_redundant_rows_clear(tmli_redundant_rows *d);

/** Weight of the inactive rows of x in a search. */
typedef enum tmli_inactive_policy {
    TMLI_INACTIVE_ZERO,  // zero: only active rows are searched
    TMLI_INACTIVE_LAST,  // a tenth: they are left out rather than others
    TMLI_INACTIVE_ALIKE  // as all others
} tmli_inactive_policy;

/** Search for the rows of base that depend on others at x: d->choice. */
tml_status tmli_redundant_rows_find(tmli_redundant_rows *d, const tml_state *x, double tolerance,
                                    tmli_inactive_policy policy, tml_error *err);
/** The same if at most max_rank rows are independent. Near a singular configuration dimensional errors are
 * amplified: pivots up to max_tolerance count as zero if that explains the rank. */
tml_status tmli_redundant_rows_find_most(tmli_redundant_rows *d, const tml_state *x, int max_rank,
                                         double tolerance, double max_tolerance, tmli_inactive_policy policy,
                                         tml_error *err);
/** The same with TMLI_BUILT_TOLERANCE and TMLI_AMPLIFIED_TOLERANCE. */
tml_status tmli_redundant_rows_find_built(tmli_redundant_rows *d, const tml_state *x, int max_rank,
                                          tmli_inactive_policy policy, tml_error *err);
/** The redundant rows (m) at x are known from another search: d->choice gets them and the rank, but no
 * pivots. */
tml_status tmli_redundant_rows_set_known(tmli_redundant_rows *d, const tml_state *x, const bool *redundant,
                                         tml_error *err);
void tmli_redundant_rows_archive(tmli_redundant_rows *d, tml_archive *a);

#endif

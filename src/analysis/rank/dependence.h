// Dependent constraint rows: which rows, on which others they depend, and which reactions are not unique as a
// result.
//
//   C = diag(1/norm) B diag(unit) (m x n),    C_dep = X' C_ind,    N = [-X; 1]:  N' C = 0            (1)
//
// The multipliers of a state are unique up to the columns of N: lambda + diag(1/norm) N z exerts the same
// forces on every body. The multiplier of a row is unique if its row of N is zero (B' lambda determines it).
// The other rows form sets: rows that depend on each other, directly or through others (the connected
// components of the matroid of C, the same for every choice of C_ind).
#ifndef TMLI_ANALYSIS_RANK_DEPENDENCE_H
#define TMLI_ANALYSIS_RANK_DEPENDENCE_H

#include "analysis/rank/rank.h"
#include <trammel/check.h>
#include <trammel/system.h>

/** See (1). All arrays belong to it. */
typedef struct tmli_dependence {
    tml_env env;
    int m, rank;
    int count;  // m - rank: columns of N
    // (count) dependent rows, ascending; of a set the last rows of the model if there is a choice
    int *row;
    int *start;    // (count + 1) row[k] = sum coef[i] at[i], i = start[k] .. start[k+1]-1, in normalized rows
    int *at;       // independent rows
    double *coef;  // larger than TMLI_NEARLY_DEPENDENT
    int sets;      // number of sets
    int *set;      // (m) of a row; -1: independent of all others, its multiplier is unique
    double *norm;  // (m) of the rows of B diag(unit); 1 for rows that vanish
    // largest |C_dep - X' C_ind|: 0 for exactly dependent rows, up to
    // TMLI_BUILT_TOLERANCE for misaligned joints
    double misfit;
    // N by rows: entries row_start[r] .. row_start[r+1]-1 of row r, in column row_vector, for
    // tmli_reaction_is_unique
    int *row_start, *row_vector;
    double *row_value;
    double *sum;  // (2 count) scratch
} tmli_dependence;

/** Find the rows of B at x that depend on others. w: scratch of the system. Sparse: some hundred dependent
 * rows among thousands take milliseconds. TML_ERR_NAN: a derivative is not finite; TML_ERR_NOMEM. */
tml_status tmli_dependence_calc(const tml_system *sys, void *w, const tml_state *x, tmli_dependence *out,
                                tml_error *err);
/** dependent (m): rows without a pivot in the elimination, with those that are released. *any: there are
 * others than these. */
tml_status tmli_dependent_rows(const tml_system *sys, void *w, const tml_state *x, bool *dependent, bool *any,
                               tml_error *err);
void tmli_dependence_clear(tmli_dependence *d);  // accepts a zeroed one

/** The kinds of reactions in words; `determined` of a channel of a simulation is one of these, or NULL. */
extern const char *const tmli_reaction_words[3];
/** kind (m) of the multiplier of every row. here: at the state in question; nearby: at a configuration close
 * to it, NULL if it is not known or no row is dependent. Shared: dependent in both; the minimum-norm
 * multipliers are well defined. Indeterminate: dependent only here (a singular configuration), or a row
 * without effect. */
void tmli_reactions_classify(const tmli_dependence *here, const tmli_dependence *nearby,
                             tml_reaction_kind *kind);

/** True if sum weight[i] lambda[first + i], i < count, is the same for all multipliers of the state.
 * Overwrites d->sum. */
bool tmli_reaction_is_unique(const tmli_dependence *d, int first, int count, const double *weight);

#endif

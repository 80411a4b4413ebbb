// Rank of the constraint Jacobian by a dense factorization, for the linearization. For large systems, and to
// find on which rows a dependent row depends: dependence.h.
#ifndef TMLI_ANALYSIS_RANK_RANK_H
#define TMLI_ANALYSIS_RANK_RANK_H

#include "base/base.h"
#include "base/tolerances.h"
#include "consistency/tolerances.h"
#include <trammel/system.h>

// [-] Rows up to which the dense factorization is computed; twice as many columns.
// Origin: it takes about 200 MB and half a minute at this size.
#define TMLI_RANK_ROWS (3 * TMLI_DENSE_UNKNOWNS)

/** Rank-revealing factorization of the scaled rows C = diag(1/norm) B diag(unit), see rank.c. */
typedef struct tmli_rank {
    tml_env env;
    int n, m, rank;
    double *unit;   // (n) length of the model for translations, 1 for rotations
    double *norm;   // (m) of the rows of B diag(unit); 1 for rows that vanish
    double *pivot;  // (min(n, m)) |diagonal of R|, from 1 downwards
    double *qr;     // (n x m) column-major: R above the diagonal, reflectors below it
    double *tau;    // (min(n, m)) factors of the reflectors
    int *order;     // (m) column k of R belongs to row order[k]; the first `rank` of them are independent
} tmli_rank;

/** Rank of B at x. w: scratch of the system. TML_ERR_ARG if the system is larger than TMLI_RANK_ROWS. */
tml_status tmli_rank_calc(const tml_system *sys, void *w, const tml_state *x, tmli_rank *out, tml_error *err);
void tmli_rank_clear(tmli_rank *rank);  // accepts a zeroed one

#endif

// Rank of the constraint Jacobian by a dense factorization, for the linearization. For large systems, and to
// find on which rows a dependent row depends: dependence.h.
#ifndef TMLI_ANALYSIS_RANK_RANK_H
#define TMLI_ANALYSIS_RANK_RANK_H

#include "base/base.h"
#include "base/constants.h"
#include <trammel/system.h>

// [-] Pivot of the scaled rows C over the largest pivot, below which a row is dependent.
// Origin: above the error of joints that are meant to be aligned and are given with six digits, far below the
// smallest ratio of lengths in a mechanism.
TMLI_CONSTANT(TMLI_DEPENDENT, 1e-5)

// [-] Rows and columns up to which the dense factorization is computed.
// Origin: it takes about 200 MB and half a minute at this size.
TMLI_COUNT(TMLI_RANK_ROWS, 3000)
TMLI_COUNT(TMLI_RANK_COLUMNS, 6000)

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

/** Rank of B at x. w: scratch of the system. TML_ERR_ARG if the system is larger than the sizes above. */
tml_status tmli_rank_calc(const tml_system *sys, void *w, const tml_state *x, tmli_rank *out, tml_error *err);
void tmli_rank_clear(tmli_rank *rank);  // accepts a zeroed one

#endif

// Rank of the constraint Jacobian: degrees of freedom, dependent rows and what they depend on.
#ifndef TMLI_RANK_H
#define TMLI_RANK_H

#include "base/base.h"
#include <trammel/system.h>

/** Sizes up to which the dense factorization is taken (some 200 MB and half a minute at the limit). */
enum { TMLI_RANK_ROWS = 3000, TMLI_RANK_COLUMNS = 6000 };

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
    int *dependent;  // (m - rank) rows that repeat others, ascending; the last ones of the model where there is a choice
    double *coef;  // (m - rank) x m: C[dependent[k]] = sum coef[k m + i] C[i] over the rows that are not dependent
} tmli_rank;

/** Rank of B at x. w: scratch of the system. TML_ERR_ARG if the system is larger than the sizes above. */
tml_status tmli_rank_calc(const tml_system *sys, void *w, const tml_state *x, tmli_rank *out, tml_error *err);
void tmli_rank_clear(tmli_rank *rank);  // accepts a zeroed one

#endif

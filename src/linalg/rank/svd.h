// The condition numbers of a small matrix, exact.
#ifndef TMLI_LINALG_RANK_SVD_H
#define TMLI_LINALG_RANK_SVD_H

#include "base/base.h"

#include <trammel/linsolver.h>

enum { TMLI_SVD_MAX = 200 };  // unknowns; beyond that it takes longer than the step it describes

/** Memory for matrices of one pattern. */
typedef struct tmli_svd {
    tml_env env;
    double *memory;
    int *pivot;
} tmli_svd;

/** TML_ERR_ARG if the pattern has more than TMLI_SVD_MAX unknowns. */
tml_status tmli_svd_create(const tml_pattern *p, const tml_env *env, tmli_svd *out, tml_error *err);
void tmli_svd_clear(tmli_svd *s);

/** |A| |inv(A)| in the 1-, 2- and infinity norm; infinite if A is singular, NAN if an entry is not finite. */
void tmli_svd_conditions(tmli_svd *s, const tml_pattern *p, const double *values, double condition[3]);

#endif

// The condition number of a matrix in the 2-norm, from singular values.
#ifndef TMLI_LINALG_SVD_H
#define TMLI_LINALG_SVD_H

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

/** |A|_2 |inv(A)|_2; infinite if A is singular, NAN if an entry is not finite. */
double tmli_svd_condition(tmli_svd *s, const tml_pattern *p, const double *values);

#endif

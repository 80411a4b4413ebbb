// The order in which a block solver eliminates the blocks of a pattern, and the fill this order makes.
#ifndef TMLI_LINALG_PATTERN_ORDER_H
#define TMLI_LINALG_PATTERN_ORDER_H

#include "base/base.h"

#include <trammel/linsolver.h>

/** The k-th pivot is block perm[k]; it is coupled to the later blocks ind[ptr[k] .. ptr[k+1]-1] (fill
 * included), in no particular order. */
typedef struct tmli_order {
    int32_t nblocks;
    int32_t *perm;  // (nblocks)
    size_t *ptr;    // (nblocks + 1)
    int32_t *ind;   // (ptr[nblocks]), room for `room`
    size_t room;
    double flops;    // of the elimination
    bool abandoned;  // they are more than was allowed, and the order is not complete
} tmli_order;

/** Fills a zeroed order; clear it also after a failure. free: the `after` rules of the pattern do not
 * count. most: operations of the elimination from which the order is abandoned. */
tml_status tmli_order_init(tmli_order *order, const tml_pattern *pattern, bool free, double most,
                           const tml_env *env, tml_error *err);
void tmli_order_clear(tmli_order *order, const tml_env *env);

#endif

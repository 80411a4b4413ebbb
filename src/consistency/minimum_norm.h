// Multipliers of constraints that depend on each other: the smallest that do the same.
//
// Accelerations determine the constraint forces, B' lambda = r = f - M udot, but not lambda where rows depend
// on each other. Of all lambda with this sum the one with the least norm is taken, a force F counting as the
// moment L F, L the model's length:
//   [ A   B' ] [ x  ]   [ r - B' lambda ]
//   [ B  -eps] [ dl ] = [ 0             ],   lambda += dl,  from lambda = 0                               (1)
// With S = B inverse(A) B' one such sweep leaves eps/(S + eps) of what is missing in the range of S, and
// never leaves that range: the limit is the solution of least norm, for any definite A. Near dependence, S
// much smaller than eps, counts as dependence.
#ifndef TMLI_CONSISTENCY_MINIMUM_NORM_H
#define TMLI_CONSISTENCY_MINIMUM_NORM_H

#include "base/base.h"
#include "consistency/index1.h"
#include <trammel/system.h>

typedef struct tmli_minimum_norm {
    const tml_system *sys;
    tmli_index1 matrix;
    double *r, *x;     // (n)
    double *dl, *phi;  // (m)
} tmli_minimum_norm;

tml_status tmli_minimum_norm_create(const tml_system *sys, const tml_linsolver_ops *solver,
                                    tmli_minimum_norm *s, tml_error *err);
void tmli_minimum_norm_clear(tmli_minimum_norm *s);
/** x->lambda from x->udot. */
tml_status tmli_minimum_norm_set(tmli_minimum_norm *s, tml_state *x, tml_error *err);

#endif

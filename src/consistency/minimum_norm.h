// Minimum-norm multipliers of redundant constraints.
//
// Accelerations determine the constraint forces, B' lambda = r = f - M udot, but not lambda where rows
// depend on each other. This file computes the lambda of least norm that satisfies it. In the norm a force
// F counts as the moment L F, with the model length L. Iteration:
//   [ A   B' ] [ x  ]   [ r - B' lambda ]
//   [ B  -eps] [ dl ] = [ 0             ],   lambda += dl,  from lambda = 0                               (1)
// With S = B inverse(A) B' one sweep multiplies the error in the range of S by eps/(S + eps), and lambda
// stays in that range: the limit is the solution of least norm, for any positive definite A. Rows with S
// much smaller than eps count as dependent. Friction that reactions load makes r depend on lambda; then
// sweeps go on until both agree.
#ifndef TMLI_CONSISTENCY_MINIMUM_NORM_H
#define TMLI_CONSISTENCY_MINIMUM_NORM_H

#include "base/base.h"
#include "consistency/index1.h"
#include <trammel/system.h>

typedef struct tmli_minimum_norm {
    const tml_system *sys;
    tmli_index1 matrix;
    void *memory;      // of all arrays
    double *r, *x;     // (n) residual and solution of (1)
    double *dl, *phi;  // (m) change of lambda; scratch
    double *given;     // (m) lambda before
} tmli_minimum_norm;

tml_status tmli_minimum_norm_create(const tml_system *sys, const tml_linsolver_ops *solver,
                                    tmli_minimum_norm *s, tml_error *err);
void tmli_minimum_norm_clear(tmli_minimum_norm *s);
/** Set x->lambda from x->udot. applied (n; NULL: none): further terms of the equations of motion, such as a
 * force -applied. Rows that the matrix leaves out get 0. If an error is returned lambda is as it was. */
tml_status tmli_minimum_norm_set(tmli_minimum_norm *s, tml_state *x, const double *applied, tml_error *err);
void tmli_minimum_norm_archive(tmli_minimum_norm *s, tml_archive *a);

#endif

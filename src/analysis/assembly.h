// Assembly: the configuration and velocity nearest to those given that satisfy the constraints.
#ifndef TMLI_ASSEMBLY_H
#define TMLI_ASSEMBLY_H

#include "base/base.h"
#include <trammel/system.h>

/** Move x (q, u) onto the constraints at x->t with the least weighted change,
 *   min sum w_j d_j^2   subject to  Phi(q (+) d) = 0,   then the same for B u = nu.
 * weight: (n) relative weights > 0 (a large one holds a coordinate); NULL: all 1 (translations in model lengths).
 * moved (may be NULL): largest change of a coordinate, in model lengths or rad.
 * TML_ERR_ASSEMBLY names the rows with the largest residuals. Dependent but consistent rows do no harm. */
tml_status tmli_assemble(const tml_system *sys, const double *weight, tml_state *x, double *moved,
                         tml_error *err);

#endif

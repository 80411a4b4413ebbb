// Assembly: the configuration and velocity nearest to those given that satisfy the constraints.
#ifndef TMLI_ANALYSIS_ASSEMBLY_ASSEMBLY_H
#define TMLI_ANALYSIS_ASSEMBLY_ASSEMBLY_H

#include "analysis/assembly/conflict.h"
#include "base/base.h"
#include <trammel/model.h>
#include <trammel/system.h>

/** Move x (q, u) onto the constraints at x->t with the least weighted change,
 *   min sum w_j d_j^2   subject to  Phi(q (+) d) = 0,   then the same for B u = nu.
 * weight: (n) relative weights > 0 (a large one holds a coordinate); NULL: all 1 (translations in model
 * lengths). moved (may be NULL): largest change of a coordinate, in model lengths or rad. conflicts (may be
 * NULL): contradicting constraints, empty unless they are the reason of a failure; the caller clears it.
 * TML_ERR_ASSEMBLY gives the same in a sentence; x is then the configuration with the least sum of squares of
 * the residuals. Redundant rows are allowed. */
tml_status tmli_assemble(const tml_system *sys, const double *weight, tml_state *x, double *moved,
                         tmli_conflicts *conflicts, tml_error *err);

/** An assembled x may leave a small residual in rows that are nearly dependent. buf: the joints that
 * contradict each other and by how much, without a full stop. */
tml_status tmli_assembly_gaps(const tml_system *sys, const tml_state *x, char *buf, size_t size,
                              tml_error *err);

/** Weights for the start of a model (n, to be freed by its env): large for bodies whose pose is exact. False:
 * no memory. */
bool tmli_assembly_weights(const tml_model *model, double **weight);

#endif

// Interface between Newton's iteration (kernel.c) and its matrix (kernel_matrix.c).
#ifndef TMLI_INTEGRATE_NEWTON_KERNEL_MATRIX_H
#define TMLI_INTEGRATE_NEWTON_KERNEL_MATRIX_H

#include "integrate/newton/kernel.h"

/** Set the factors of rows and multipliers and the penalties of (1) for the current step, by (4). */
void tmli_kernel_set_factors(tmli_kernel *k);
/** Evaluate and factor the matrix at x with the increment D (n; NULL: none); scales are renewed if the step
 * has changed much. */
tml_status tmli_kernel_factor(tmli_kernel *k, const tml_state *x, const double *D, tml_error *err);
/** Velocity at the inner point less that at the start, over the change in the step. */
static inline double tmli_kernel_velocity_share(const tmli_kernel *k)
{
    return k->stage.velocity_share > 0 ? k->stage.velocity_share : k->stage.theta;
}
/** For forces that are means: the step from k->start by the increment D (n), with its middle x. */
void tmli_kernel_set_step(tmli_kernel *k, const tml_state *x, const double *D);
/** True if the last matrix cannot be used for the present step at any age, because it contains the step
 * size. */
bool tmli_kernel_needs_other_matrix(const tmli_kernel *k);
/** rhs := solution with the last matrix, in the units of the model. relation: with the residual of the
 * relations between displacements and velocities (three fields). */
void tmli_kernel_solve_linear(tmli_kernel *k, bool relation);
/** Transform v (m) from the frames that rows have at q0 to those at q1, (5). */
void tmli_kernel_transform_rows(const tmli_kernel *k, const double *q0, const double *q1, double *v);

#endif

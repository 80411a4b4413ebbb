// What Newton's iteration (kernel.c) asks of its matrix (kernel_matrix.c).
#ifndef TMLI_INTEGRATE_NEWTON_KERNEL_MATRIX_H
#define TMLI_INTEGRATE_NEWTON_KERNEL_MATRIX_H

#include "integrate/newton/kernel.h"

/** Row and multiplier factors and penalties of (1) for the current step, by (4). */
void tmli_kernel_set_factors(tmli_kernel *k);
/** Scales if the step has changed much, factors, the matrix at x with the increment D (n; NULL: none),
 * factored. */
tml_status tmli_kernel_factor(tmli_kernel *k, const tml_state *x, const double *D, tml_error *err);
/** True if the last matrix cannot stand for that of the present step whatever its age: the step enters it. */
bool tmli_kernel_other_matrix(const tmli_kernel *k);
/** rhs := solution of the last matrix, in the units of the model; relation: with what the velocities of three
 * fields are off. */
void tmli_kernel_apply(tmli_kernel *k, bool relation);
/** (5); v: (m) */
void tmli_kernel_transform_rows(const tmli_kernel *k, const double *q0, const double *q1, double *v);

#endif

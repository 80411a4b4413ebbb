// Scales of the iteration matrix that schemes share: length units of unknowns and rows, the inertia that a
// row feels.
#ifndef TMLI_CONSISTENCY_SCALING_H
#define TMLI_CONSISTENCY_SCALING_H

#include "base/base.h"
#include <trammel/integrator.h>
#include <trammel/system.h>

/** unit (n + m): the model's length for translations, 1 for rotations; for a row of the constraints what it
 * changes by when its coordinates move by one unit each (rows: values of B; NULL: 1). */
void tmli_kernel_units(const tml_system *sys, const double *rows, double *unit);

/** Inertia felt by row r: 1/e = sum B_j^2/A_j over coordinates that have inertia (mass > 0); 0 if none has.
 * unit (n + m) as in tmli_kernel_units. */
double tmli_scale_inertia(const tml_system *s, const double *rows, const double *mass, const double *A,
                          const double *unit, int r);
/** For the matrix M + cd D + b K at x (kernel.h (1)): e (m): the inertia that a row of the constraints feels,
 * 1/e = sum_j B_rj^2 / A_jj with A its diagonal (`uniform`: one number for all rows, the mean of the
 * diagonal of M + h D + h^2 K); unit (n + m) as in tmli_kernel_units; gyration_ratio: model length over the
 * smallest radius of gyration. diagonal (3 n) and rows (entries of B) are scratch: the diagonal of M comes
 * first, then that of D, then what to weigh a coordinate by (A, of massless ones the mean of their kind;
 * `uniform`: the mean); rows are left as the values of B. */
tml_status tmli_scale_rows(const tml_system *s, void *work, tml_scaling scaling, const tml_state *x, double b,
                           double cd, double h, double *diagonal, double *rows, double *unit, double *e,
                           double *gyration_ratio, tml_error *err);

#endif

// Scales that the equations share: units of unknowns and constraint rows, and the inertia that acts on a row.
#ifndef TMLI_CONSISTENCY_SCALING_H
#define TMLI_CONSISTENCY_SCALING_H

#include "base/base.h"
#include <trammel/integrator.h>
#include <trammel/system.h>

/** unit (n + m): the model length for translations, 1 for rotations, its scale for a first-order state; for a
 * constraint row its largest change when one of its coordinates moves by one unit (B_values: entries of B;
 * NULL: 1). */
void tmli_kernel_units(const tml_system *sys, const double *B_values, double *unit);

/** Inertia e that acts on row r: 1/e = sum B_j^2/A_j over coordinates that have inertia (mass > 0); 0 if none
 * has. unit (n + m) as in tmli_kernel_units. */
double tmli_scale_inertia(const tml_system *s, const double *B_values, const double *mass, const double *A,
                          const double *unit, int r);
/** Scales of the matrix A = M + cd D + b K at x (integrate/newton/kernel.h (1)). e (m): inertia that acts on
 * a row, 1/e = sum_j B_rj^2/A_jj (uniform scaling: one value for all rows, the mean of the diagonal of M + h
 * D + h^2 K). unit (n + m) as in tmli_kernel_units. gyration_ratio: model length over the smallest radius of
 * gyration. diagonal (3 n): the diagonals of M and D, then the weight of each coordinate (A_jj; for massless
 * coordinates the mean of their kind; uniform scaling: the mean). B_values: the entries of B. */
tml_status tmli_scale_rows(const tml_system *s, void *work, tml_scaling scaling, const tml_state *x, double b,
                           double cd, double h, double *diagonal, double *B_values, double *unit, double *e,
                           double *gyration_ratio, tml_error *err);
/** The same if the absolute diagonals of M, D and K are in `diagonal` already. */
tml_status tmli_scale_rows_by(const tml_system *s, void *work, tml_scaling scaling, const tml_state *x,
                              double b, double cd, double h, double *diagonal, double *B_values, double *unit,
                              double *e, double *gyration_ratio, tml_error *err);

#endif

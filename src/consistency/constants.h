// Thresholds of consistent states; see base/constants.h. tolerances.h has those that other rooms use too.
//
// Gaps of inactive rows are in units of the row, distances in model lengths or rad.
#ifndef TMLI_CONSISTENCY_CONSTANTS_H
#define TMLI_CONSISTENCY_CONSTANTS_H

#include "base/constants.h"

// ---- projection (consistent.c) ----------------------------------------------------------------------------

// [model lengths or rad] Residual in row units that is round-off: the state is on the constraints. A
// projection that moves nothing further leaves the factorization valid.
// Origin: a thousand times round-off.
TMLI_CONSTANT(SATISFIED_RESIDUAL, 1e-13)

// [-] Most iterations of the projection of positions.
// Origin: quadratic convergence needs four; chosen by trial on the bundled models.
TMLI_COUNT(MAX_POSITION_ITERATIONS, 8)

// [-] Error after the first correction over the square of that correction, which is estimated before a rate
// is known.
// Origin: curvature of the constraints in model lengths over the smallest radius of gyration.
TMLI_CONSTANT(FIRST_ERROR_FACTOR, 1e3)

// [model lengths or rad] Correction that ends the projection.
// Origin: round-off of positions.
TMLI_CONSTANT(CONVERGED_CORRECTION, 1e-14)

// [model lengths or rad] Estimated error that ends the projection.
// Origin: round-off of positions.
TMLI_CONSTANT(CONVERGED_ERROR, 1e-16)

// [-] Ratio of two corrections below which the iteration has stopped converging.
// Origin: usual practice; Newton's method contracts much faster.
TMLI_CONSTANT(MIN_CONTRACTION, 2)

// [model lengths or rad] Correction that is accepted after the last iteration. Near a singular
// configuration corrections amplify the round-off of Phi.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(ACCEPTED_CORRECTION, 1e-9)

// ---- rows that depend on others (consistent.c, redundant_rows.c) ------------------------------------------

// [model lengths or rad; for velocities the share of the fastest] Correction of a nearly consistent state
// that indicates a singular configuration.
// Origin: chosen by trial; integrators leave residuals far below it.
TMLI_CONSTANT(SUSPICIOUS_CORRECTION, 1e-2)

// [-] Gap of inactive rows over that of the last search at which the search is repeated.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(SEARCH_GAP_GROWTH, 2)

// [model lengths or rad] Motion gap/pivot above which weak rows do not belong to the mechanism: they come
// from dimensional errors.
// Origin: chosen by trial on coupled_wheels.
TMLI_CONSTANT(MISFIT_MOTION, 0.03)

// [-] Largest gap of joints that are meant to fit each other.
// Origin: chosen by trial on door_out_of_line and coupled_wheels.
TMLI_CONSTANT(MAX_MISFIT_GAP, 2e-5)

// [-] Residual B udot - gamma of inactive rows over the largest term: above it they are independent of the
// active rows.
// Origin: redundant rows of joints with dimensional errors reach 1e-5.
TMLI_CONSTANT(INDEPENDENT_ACCELERATION, 1e-4)

// [-] Size of a row over the smaller of model length and 1 below which the row is round-off and has no unit
// of its own.
// Origin: chosen by trial on redundant models in joint coordinates.
TMLI_CONSTANT(MIN_ROW_SIZE, 1e-4)

// [-] Weight of inactive rows in a search that prefers to leave them inactive.
// Origin: chosen by trial: hysteresis against frequent exchanges.
TMLI_CONSTANT(INACTIVE_WEIGHT, 0.1)

// [-] Loss of weight from the first to the last row: joints that are defined first keep their rows.
// Origin: chosen by trial; large enough to decide between rows that are equally good.
TMLI_CONSTANT(ROW_ORDER_LOSS, 0.75)

// [-] Growth of the pivot tolerance from one search to the next, up to TMLI_AMPLIFIED_TOLERANCE.
// Origin: chosen by trial on coupled_wheels.
TMLI_CONSTANT(TOLERANCE_GROWTH, 4)

// ---- index-1 equations (index1.c, minimum_norm.c, scaling.c) ----------------------------------------------

// [-] Most passes of the proximal iteration, index1.h (2).
// Origin: a rate of 1e-3 per pass needs five; chosen by trial on massless models.
TMLI_COUNT(MAX_PASSES, 12)

// [-] W of index1.h (2) over the least inertia of the same kind.
// Origin: chosen by trial: fast convergence against the condition of the matrix.
TMLI_CONSTANT(PROXIMAL_MASS_SHARE, 1e-3)

// [-] Change of the multipliers over their size that ends the iteration.
// Origin: a hundred times round-off.
TMLI_CONSTANT(CONVERGED_MULTIPLIERS, 1e-14)

// [-] Multipliers over accelerations, in units, above which one pass of iterative refinement is made.
// Origin: tests/sim/test_strain.c: forces in balance cost the accelerations as many digits.
TMLI_CONSTANT(REFINEMENT_RATIO, 1e4)

// [-] eps of minimum_norm.h (1) over the size of B inverse(A) B'. Rows that are dependent up to errors of
// 1e-6 get minimum-norm multipliers; rows that are independent by 1e-2 keep theirs to 12 digits.
// Origin: theory, eps/(S + eps) per sweep with S = 1e-12 and 1e-4.
TMLI_CONSTANT(REGULARIZATION, 1e-8)

// [-] Sweeps of minimum_norm.h (1).
// Origin: theory, (eps/(S + eps))^3 = 1e-12 for S = 1e-4.
TMLI_COUNT(SWEEPS, 3)

// [-] Entry of a row over its largest massless entry below which it does not contribute to the inertia of
// the row: it varies with the configuration down to round-off.
// Origin: chosen by trial on massless models.
TMLI_CONSTANT(NEGLIGIBLE_ENTRY, 1e-3)

#endif

// Thresholds of consistent states; see base/constants.h. tolerances.h has those that other rooms use too.
#ifndef TMLI_CONSISTENCY_CONSTANTS_H
#define TMLI_CONSISTENCY_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "consistency/tolerances.h"

#include <float.h>

// Residual in row units, model lengths or rad, that is round-off: the state is on the constraints. A
// projection that moves nothing further leaves the factorization valid. A residual sums some hundred products
// of poses; a larger one would show in runs near round-off (tests/integrate/explicit/test_explicit_order.c).
#define SATISFIED_RESIDUAL (512 * DBL_EPSILON)

// [model lengths or rad] Motion of a projection up to which accelerations come from the matrix before it.
// Origin: a pass of refinement costs half of a factorization by the solver `tree`, and leaves the square of
// this over the smallest pivot: one pass down to 1e-2 (TMLI_NEAR_SINGULAR).
TMLI_CONSTANT(NEARBY_MATRIX, 1e-7)

// [-] Iterations, at most: of the projection of positions, and of the proximal iteration, index1.h (2).
// Origin: a rate of PROXIMAL_MASS_SHARE, and positions far from singular configurations, need five. A start
// at rest in a singular configuration must fail before joints come apart (tests/models/flat_at_rest.yaml): it
// converges in twelve.
TMLI_COUNT(MAX_ITERATIONS, 8)

// ---- rows that depend on others (consistent.c, redundant_rows.c) ------------------------------------------

// [model lengths or rad] Motion gap/pivot above which weak rows do not belong to the mechanism: they come
// from dimensional errors.
// Origin: a start that is meant to fit needs no visible motion to close; tests/models/coupled_wheels.yaml.
TMLI_CONSTANT(MISFIT_MOTION, 0.03)

// [-] Loss of weight from the first to the last row: joints that are defined first keep their rows.
// Origin: decides between rows that are equally good; the last row keeps enough to prevail over weak ones.
TMLI_SHARE(ROW_ORDER_LOSS, 0.75)

// ---- index-1 equations (index1.c) -------------------------------------------------------------------------

// [-] W of index1.h (2) over the least inertia of the same kind: the convergence rate per pass.
// Origin: a compromise: the condition of the matrix grows by the inverse, the passes by its logarithm.
#define PROXIMAL_MASS_SHARE TMLI_NEGLIGIBLE_SHARE

// [-] Change of the multipliers in a pass, over the largest, that may be round-off if it does not fall.
// Origin: 1e-16 times the condition number of the scaled equations; 2e-10 with four corners of a box.
#define LOADS_STALLED TMLI_ROOT_ROUNDOFF

// [-] Passes, at most, of the iteration that takes a share of the way; the change of the multipliers that is
// round-off if it has not halved in TMLI_LOAD_ITERATIONS of them. Origin: time, as some hundred steps; 1e-16
// times the condition number at mass ratios of 1e12.
#define SLOW_LOAD_ITERATIONS TMLI_SEARCH_STEPS
TMLI_CONSTANT(LOADS_NOISE, 1e-6)

// [-] Passes between extrapolations, and change of the ratio of two changes, over its distance from 1, below
// which the changes are a geometric sequence. Origin: passes in which one mode of the iteration is left; the
// rest of the way is then known to a tenth.
TMLI_COUNT(LOADS_EXTRAPOLATED, 20)
#define LOADS_STEADY TMLI_SMALL_SHARE

// [-] Growth of the multipliers from those without friction from which on they grow without end.
// Origin: friction that locks itself to a millionth leaves no accuracy.
#define LOADS_GROWTH TMLI_LOST_DIGITS

// [-] Multipliers over accelerations, in units, above which one pass of iterative refinement is made.
// Origin: forces in balance cost the accelerations as many digits; tests/sim/test_strain.c.
TMLI_CONSTANT(REFINEMENT_RATIO, 1e4)

// [-] Inertia of a coordinate over the largest of its kind that is round-off: what an armature has across its
// direction. Origin: the square of a round-off of directions, 1e-16, that has grown 1e6-fold; mass ratios of
// models are 1e-12 and more.
TMLI_CONSTANT(MASS_OF_ROUNDOFF, 1e-20)

#endif

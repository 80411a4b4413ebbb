// Tolerances of constraint residuals and of the rank decision, for several rooms (consistency, reduction,
// integrate/constraints).
//
// B is scaled to units of the model (consistency/scaling.h), so that its entries are of the order 1. Pivots
// are those of its elimination (linalg/rank/columns.h). The gap of an inactive row is |Phi_r| divided by
// the unit of the row.
#ifndef TMLI_CONSISTENCY_TOLERANCES_H
#define TMLI_CONSISTENCY_TOLERANCES_H

#include "base/constants.h"

// [-] Pivots below it are zero in exact arithmetic: the row is redundant.
// Origin: half the digits of double precision.
TMLI_CONSTANT(TMLI_RANK_TOLERANCE, 1e-8)

// [-] Pivots below it count as zero at the start: joints with small dimensional errors are redundant by
// intent, and as independent rows they would lock the mechanism.
// Origin: hinges that are 1e-6 model lengths out of line are redundant by intent (docs/theory/singular.md).
TMLI_CONSTANT(TMLI_BUILT_TOLERANCE, 1e-5)

// [-] Pivots up to it count as zero where a nearby singular configuration amplifies dimensional errors and
// the number of independent rows is known.
// Origin: chosen by trial on models with slightly misaligned joints (tests/models/coupled_wheels.yaml).
TMLI_CONSTANT(TMLI_AMPLIFIED_TOLERANCE, 1e-3)

// [-] Pivots below it: the configuration is near a singular one. Above it multipliers and velocities still
// have half of their digits.
// Origin: the digits that are left; chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_NEAR_SINGULAR, 1e-2)

// [-] Growth of the gap of inactive rows that triggers a new search for redundant rows.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_GAP_INCREASE, 1e-6)

// [-] Gap of inactive rows at the start up to which their dimensions fit exactly, except for round-off. Above
// it the joints have dimensional errors.
// Origin: round-off of Phi after assembly; chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_EXACT_FIT, 1e-11)

// [model lengths or rad] Correction of Newton iterations for positions that is round-off if it does not
// decrease.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_ROUNDOFF_CORRECTION, 1e-10)

#endif

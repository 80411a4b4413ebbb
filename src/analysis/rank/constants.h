// Thresholds of rank and massless motion; see base/constants.h. rank.h has those that other rooms use too.
#ifndef TMLI_ANALYSIS_RANK_CONSTANTS_H
#define TMLI_ANALYSIS_RANK_CONSTANTS_H

#include "base/constants.h"

// ---- rank and dependent rows (rank.c, dependence.c) -------------------------------------------------------

// [-] Norm of a constraint row over the largest norm below which the row counts as zero.
// Origin: far above round-off of the derivatives, far below any row that constrains a motion.
TMLI_CONSTANT(ZERO_ROW_NORM, 1e-12)

// [-] Coefficient of a dependent row in terms of other rows that counts as zero.
// Origin: ten times TMLI_DEPENDENT; slightly misaligned joints leave smaller ones.
TMLI_CONSTANT(ZERO_COEFFICIENT, 1e-4)

// [-] Pivot over the largest pivot from which on a later row is chosen as the dependent one.
// Origin: bounds the growth of the coefficients X of (1) in dependence.h to 1/0.3 per elimination.
TMLI_CONSTANT(LATE_ROW_PIVOT, 0.3)

// [floating-point operations] Work of that choice beyond which it is omitted.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(LATE_ROW_WORK, 2e9)

// ---- massless motion (massless_motion.c) ------------------------------------------------------------------

// [-] Singular value over the largest entry of its matrix below which it counts as zero.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(ZERO_SINGULAR_VALUE, 1e-9)

// [model lengths, rad] Largest displacement of one correction (2) towards the equilibrium of the springs.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(MAX_EQUILIBRIUM_MOVE, 0.2)

// [model lengths, rad] Displacement at which the equilibrium is found.
// Origin: a thousand times round-off.
TMLI_CONSTANT(EQUILIBRIUM_MOVE, 1e-12)

// [-] Corrections (2) until the search for the equilibrium fails.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(EQUILIBRIUM_CORRECTIONS, 60)

// [-] Passes over (3), (4) for the velocities.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(VELOCITY_PASSES, 3)

// [-] Step of the difference quotient of the forces by time, over max(1 s, |t|).
// Origin: near the cube root of round-off, for central differences.
TMLI_CONSTANT(TIME_DIFFERENCE, 1e-6)

// [1/s] Least rate of the motion; it bounds the step of the difference quotient of the velocities.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(MIN_MOTION_RATE, 1e-3)

// [-] Step of the difference quotient of the velocities times the rate of the motion.
// Origin: near the fourth root of round-off; chosen by trial on the bundled models.
TMLI_CONSTANT(VELOCITY_DIFFERENCE, 1e-4)

#endif

// Thresholds of robots; see base/constants.h.
#ifndef TMLI_ROBOT_CONSTANTS_H
#define TMLI_ROBOT_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Reciprocal condition of the equations below which they are singular.
// Origin: dependent rows leave some 1e-17; arms with massive and light links are above 1e-10.
TMLI_CONSTANT(SMALLEST_RCOND, 1e-15)

// [-] Iterations of the inverse kinematics.
// Origin: from any posture less than 50 are needed where a solution is near; at limits twice as many.
#define MAX_REACH_ITERATIONS TMLI_ITERATIONS

// [-] Change of the sum of squares, over itself, below which it is least.
// Origin: round-off of the sum.
#define REACH_PRECISION TMLI_FEW_ROUNDOFFS

// [rad or m] Step below which the sum is least.
// Origin: some hundred times the round-off of coordinates.
#define REACH_STEP TMLI_SUM_ROUNDOFF

// [-] Damping over the largest diagonal entry of the normal equations from which no step makes the sum less.
// Origin: such steps are of the size of round-off.
#define REACH_STIFFEST (1 / TMLI_SOLUTION_ROUNDOFF)

// [-] Weight of squared residuals of loops over that of squared distances, where a step is judged.
// Origin: joints must close; a thousand times less distance than that of targets counts as much.
TMLI_CONSTANT(REACH_CLOSING, 1e6)

// [-] Error of scalar products of the axes of a target.
// Origin: axes given with six digits.
#define REACH_AXES TMLI_IMPORTED_ERROR

// [-] First damping of the inverse kinematics over the largest diagonal entry of its normal equations.
// Origin: Marquardt (1963); the factor 10 by which it changes follows from him, too.
#define REACH_DAMPING TMLI_NEGLIGIBLE_SHARE

#endif

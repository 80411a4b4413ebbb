// Thresholds of robots; see base/constants.h.
#ifndef TMLI_ROBOT_CONSTANTS_H
#define TMLI_ROBOT_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Reciprocal condition of the equations below which they are singular.
// Origin: what moves without inertia leaves some 1e-17; arms with massive and light links are above 1e-10.
TMLI_CONSTANT(SMALLEST_RCOND, 1e-15)

// [-] Iterations of the inverse kinematics.
// Origin: from any posture less than 50 are needed where a solution is near; at limits twice as many.
#define MAX_REACH_ITERATIONS TMLI_ITERATIONS

// [-] Solutions in a row without fewer coordinates on the wrong side of their limits, after which one changes
// sides at a time; and so many solutions per coordinate at most.
// Origin: Judice and Pires (1994) advise 10.
TMLI_COUNT(REACH_BLOCKS, 10)

// [-] Change of the sum of squares, over itself, below which it is least.
// Origin: round-off of the sum.
#define REACH_PRECISION TMLI_FEW_ROUNDOFFS

// [rad or m] Step below which the sum is least.
// Origin: some hundred times the round-off of coordinates.
#define REACH_STEP TMLI_SUM_ROUNDOFF

// [-] Damping over the largest diagonal entry of the normal equations from which no step makes the sum less.
// Origin: such steps are of the size of round-off.
#define REACH_STIFFEST (1 / TMLI_SOLUTION_ROUNDOFF)

// [1/m or 1/rad] Cost of an opened loop over the squares of the largest weight, where a step is judged.
// Origin: it must exceed what targets would gain by it, twice their distance in lengths of the robot, here
// 500 m; round-off of residuals is not to count.
TMLI_CONSTANT(REACH_CLOSING, 1e3)

// [-] Passes that close loops after a step of the inverse kinematics.
// Origin: an opening of second order is closed to round-off by two or three.
#define REACH_CLOSING_PASSES TMLI_FEW

// [-] Error of scalar products of the axes of a target.
// Origin: axes given with six digits.
#define REACH_AXES TMLI_IMPORTED_ERROR

// [-] Gain of a step over what its linear parts promise, below which the damping rises.
// Origin: J. E. Dennis, R. B. Schnabel, Numerical Methods for Unconstrained Optimization (1983), advise 0.1.
TMLI_CONSTANT(REACH_POOR, 0.1)

// [-] The same, above which the damping falls. By Marquardt's rule, any gain, it can step back and forth
// across a valley.
// Origin: Dennis and Schnabel (1983) advise 0.75.
TMLI_CONSTANT(REACH_GOOD, 0.75)

// [-] First damping of the inverse kinematics over the largest diagonal entry of its normal equations.
// Origin: Marquardt (1963); the factor 10 by which it changes follows from him, too.
#define REACH_DAMPING TMLI_NEGLIGIBLE_SHARE

#endif

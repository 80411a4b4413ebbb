// Thresholds of the system in joint coordinates; see base/constants.h.
#ifndef TMLI_SYSTEM_JOINT_SPACE_CONSTANTS_H
#define TMLI_SYSTEM_JOINT_SPACE_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

#include <float.h>

// ---- states -----------------------------------------------------------------------------------------------

// [model lengths or rad] Error of a tree joint up to which a state of the model is converted.
// Origin: assembly errors of mechanisms whose redundant joints have rounded dimensions.
TMLI_CONSTANT(TREE_JOINT_ERROR, 3e-5)

// ---- inertia ----------------------------------------------------------------------------------------------

// [-] Coordinates up to which the inertias of the coordinates are compared.
// Origin: one pass over the bodies per coordinate; this many take some milliseconds.
TMLI_COUNT(INERTIA_COORDINATES, 300)

// ---- accelerations ----------------------------------------------------------------------------------------

// [-] Pivot of a row of a loop relative to its diagonal up to which it depends on earlier rows.
// Origin: round-off of the Cholesky factorization of a redundant row is eps times the number of rows that it
// depends on, times the ratio of their inertias; this leaves 5000.
#define DEPENDENT_PIVOT TMLI_SOLUTION_ROUNDOFF
// [-] Multipliers relative to accelerations, in the energy norm and divided by the smallest relative pivot,
// from which the loops are solved a second time with the residual of their rows. Forces in balance leave
// accelerations that are small differences of large numbers.
// Origin: scissor lift of 100 cells, where one refinement takes the relative error of accelerations from 2e-7
// to 1e-12; other models pay less than 1 % of their time (a car at rest 3 %).
#define REFINED_RATIO TMLI_LOST_DIGITS

// ---- loops ------------------------------------------------------------------------------------------------

// [-] Rows of the loops from which on four of them are factored at once.
// Origin: time; fewer rows take as long to be interleaved as to be factored.
TMLI_COUNT(ROWS_AT_ONCE, 16)

// ---- states for results (complete.c) ----------------------------------------------------------------------

// [-] Iterations that close the loops of an interpolated state, at most.
// Origin: each squares the error, or multiplies it by the distance from the matrix; three reach round-off.
TMLI_COUNT(CLOSING_ITERATIONS, 4)

// [model lengths or rad; of velocities over the largest] Correction above which the state may be near a
// singular configuration, and is left to the projection that looks for those.
// Origin: a tenth of TMLI_NEAR_SINGULAR, at which that projection looks.
TMLI_CONSTANT(CLOSING_MOTION, 1e-3)

// [model lengths or rad] Correction that is round-off: nothing is left to close.
// Origin: as SATISFIED_RESIDUAL of the projection in the coordinates of the bodies.
#define CLOSED_MOTION (512 * DBL_EPSILON)

// [model lengths or rad] Correction up to which the inertias of the state before it serve for accelerations.
// Origin: their relative error, over the smallest pivot: 1e-9 of the forces (tests/sim/test_sim_run.c).
#define NEARBY_MOTION TMLI_SOLUTION_ROUNDOFF

// [-] Singular value of the rows of the loops, over their size, that a closing correction allows for; its
// square is the smallest pivot.
// Origin: as TMLI_AMPLIFIED_TOLERANCE.
TMLI_CONSTANT(CLOSING_PIVOT, 1e-3)

// ---- matrices ---------------------------------------------------------------------------------------------

// [-] Coordinates of a model with loops up to which there is a matrix even if the method needs none: the
// constraint monitor then can find redundant rows.
// Origin: memory; the three dense work arrays take 24 MB at this size.
#define MATRIX_COORDINATES TMLI_DENSE_UNKNOWNS

#endif

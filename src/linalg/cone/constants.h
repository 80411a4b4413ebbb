// Thresholds of the contact problem; see base/constants.h.
#ifndef TMLI_LINALG_CONE_CONSTANTS_H
#define TMLI_LINALG_CONE_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// Sweeps in a cycle of an island that is solved at once; the first cycle has SWEEPS_PER_TEST. Origin: the
// modes of boxes that tumble are known after them.
TMLI_COUNT(FIRST_SWEEPS, 20)

// Sweeps over a large heap of spheres before it is factored, if it can be. Origin: a collapsing heap of 300
// spheres needs 180 to a hundredth.
TMLI_COUNT(HEAP_SWEEPS, 200)

// Further sweeps over an island at most, before the step is halved. Origin: a wall of 36 bricks, 100 boxes
// and 1000 spheres need none of them; 60 bodies from 0.01 to 100 kg took them 18 times in 500 steps.
#define MOST_SWEEPS TMLI_SEARCH_PARTS

// Sweeps between two measurements of the residual. Origin: a measurement costs half a sweep.
TMLI_COUNT(SWEEPS_PER_TEST, 5)

// Solutions at once of one island, each with the modes that follow from the one before. Origin: a box that
// tips has its other edge opened in one, and directions of slip follow in three.
#define DIRECT_TRIALS (2 * TMLI_FEW)

// Points of an island with so many trials. Origin: 144 unknowns take a millisecond or less per trial.
TMLI_COUNT(DIRECT_USUAL, 48)

// [-] Residual of a solution at once over the change of velocity that the island demands, per point, at which
// it counts as found. Origin: round-off in a stack of ten boxes, 40 points.
TMLI_CONSTANT(DIRECT_RESIDUAL, 2.5e-13)

// [-] The same of a small island for which none is found. Origin: a block that slides keeps its path to it.
#define SMALL_TOLERANCE TMLI_UNSEEN

// [-] How far the impulse of a point that sticks is within its cone, over its friction. Origin: round-off of
// the local solution.
#define INSIDE_CONE TMLI_SOLUTION_ERROR

// [-] Added to the diagonal of a solution at once, over its mean: points of a face are redundant. Origin:
// the square root of round-off; passes of refinement remove it from the velocities.
#define DIRECT_SHIFT TMLI_ROOT_ROUNDOFF

// Passes of refinement of a solution at once. Origin: each reduces the error by the shift over the least
// eigenvalue, 1e-4 in a stack of ten boxes.
TMLI_COUNT(DIRECT_PASSES, 6)

// [-] Change of velocity over the velocities whose difference it is, below which it is no demand. Origin:
// with a bound of a hundredth of it, some 100 round-offs.
TMLI_CONSTANT(DEMAND_ROUNDOFF, 2e-12)

// Iterations for the slip rate of a point. Origin: the digits of a double, by halving alone; Newton's method
// takes 4 to 6.
TMLI_COUNT(SLIP_ITERATIONS, 80)

// [-] Relative accuracy of the slip rate. Origin: round-off.
#define SLIP_ACCURACY TMLI_FEW_ROUNDOFFS

// [-] Coupling of normal and tangents of a point, over its mobility, below which it has none. Origin:
// round-off.
#define ROUND_COUPLING TMLI_SUM_ROUNDOFF

// Cycles of sweeps, splitting and modes of an island that can be factored. Origin: of 32,000 solutions for
// 100 boxes that tumble half need none, all but one six at most, and that one ten.
#define MOST_CYCLES TMLI_NEWTON_LIMIT

// [-] Part of the tolerance that the first half of these cycles reaches in islands that are not small.
// Origin: chosen; the next step then begins within the tolerance, where loads do not change.
#define CLOSE_PART TMLI_SMALL_SHARE

// [-] Load of a point over the largest of its island below which it is open in the second trial of modes.
// Origin: end faces of bricks that touch bear round-off where all points stick.
#define LIGHT_LOAD TMLI_UNSEEN

// Iterations of splitting in a cycle. Origin: with 50 in each of twelve cycles 5 of 500 steps of 100 boxes
// missed the bound, with 100 none.
TMLI_COUNT(SPLIT_ITERATIONS, 100)

// Iterations of splitting between two measurements of the residual. Origin: a measurement with its sweeps
// costs as much as two of them.
TMLI_COUNT(SPLIT_PER_TEST, 10)

// Sweeps before a measurement. Origin: the first leaves the errors of points that do not touch each other.
#define SPLIT_SWEEPS TMLI_TWO_PASSES

// [-] Relaxation of splitting. Origin: 1.5 to 1.8 are usual (Boyd et al., Found. Trends Mach. Learn. 3 (2011)
// 1).
TMLI_CONSTANT(SPLIT_RELAXATION, 1.6)

// Blocks of the matrix over bodies for which there is room. Origin: 23 megabytes.
TMLI_COUNT(ENVELOPE_BLOCKS, 40000)

// Products of blocks in its factorization, per point, up to which an island is factored. Origin: 200 of 432
// operations are as many as those of 290 sweeps, 300 for each point.
TMLI_CONSTANT(ENVELOPE_WORK, 200)

#endif

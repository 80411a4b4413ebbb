// Thresholds of the contact problem; see base/constants.h.
#ifndef TMLI_LINALG_CONE_CONSTANTS_H
#define TMLI_LINALG_CONE_CONSTANTS_H

#include "base/constants.h"

// Sweeps over a small island before it is solved at once for the last time; the first time is after a
// quarter.
// Origin: the modes of boxes that tumble are known after them.
TMLI_COUNT(FIRST_SWEEPS, 20)

// Sweeps over an island at most. Origin: a collapsing heap of 300 spheres needs 180 to a hundredth; more
// sweeps cost more than shorter steps, which need fewer.
TMLI_COUNT(MOST_SWEEPS, 200)

// Sweeps between two measurements of the residual. Origin: a measurement costs half a sweep.
TMLI_COUNT(SWEEPS_PER_TEST, 5)

// Solutions at once of one island, each with the modes that follow from the one before. Origin: a box that
// tips has its other edge opened in one, and directions of slip follow in three.
TMLI_COUNT(DIRECT_TRIALS, 8)

// Points of an island with so many trials. Origin: 144 unknowns take a millisecond or less per trial.
TMLI_COUNT(DIRECT_USUAL, 48)

// [-] Residual of a solution at once over the change of velocity that the island demands, per point, at which
// it counts as found. Origin: round-off in a stack of ten boxes, 40 points.
TMLI_CONSTANT(DIRECT_RESIDUAL, 2.5e-13)

// [-] The same of a small island for which none is found. Origin: a block that slides keeps its path to it.
TMLI_CONSTANT(SMALL_TOLERANCE, 1e-6)

// [-] How far the impulse of a point that sticks is within its cone, over its friction. Origin: round-off of
// the local solution.
TMLI_CONSTANT(INSIDE_CONE, 1e-9)

// [-] Added to the diagonal of a solution at once, over its mean: points of a face are redundant. Origin:
// the square root of round-off; passes of refinement remove it from the velocities.
TMLI_SHARE(DIRECT_SHIFT, 1e-8)

// Passes of refinement of a solution at once. Origin: each reduces the error by the shift over the least
// eigenvalue, 1e-4 in a stack of ten boxes.
TMLI_COUNT(DIRECT_PASSES, 6)

// Iterations for the slip rate of a point. Origin: the digits of a double, by halving alone; Newton's method
// takes 4 to 6.
TMLI_COUNT(SLIP_ITERATIONS, 80)

// [-] Relative accuracy of the slip rate. Origin: round-off.
TMLI_CONSTANT(SLIP_ACCURACY, 1e-14)

// [-] Coupling of normal and tangents of a point, over its mobility, below which it has none. Origin:
// round-off.
TMLI_CONSTANT(ROUND_COUPLING, 1e-13)

#endif

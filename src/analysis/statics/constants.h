// Thresholds of the search for equilibria; see base/constants.h.
#ifndef TMLI_ANALYSIS_STATICS_CONSTANTS_H
#define TMLI_ANALYSIS_STATICS_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "consistency/tolerances.h"

#include <float.h>

// [-] Corrections of one load step, at most.
// Origin: Newton's method near the path needs 4 to 7; from 12 on a smaller step is cheaper.
#define MAX_CORRECTIONS TMLI_NEWTON_LIMIT

// [-] Corrections for which the arc length is chosen.
// Origin: E. Ramm, Nonlinear finite element analysis in structural mechanics (1981): half of the most.
TMLI_COUNT(WANTED_CORRECTIONS, 5)

// [-] Load steps or relaxation steps, at most.
// Origin: ends loops; a full circle of a cantilever takes 10 to 30.
#define MAX_STEPS TMLI_SEARCH_STEPS

// [model lengths, rad] Largest predicted change of a coordinate in a load step.
// Origin: half a radian is a quarter of the radius of convergence of a pendulum about its equilibrium.
#define LARGEST_PREDICTION TMLI_LARGEST_CORRECTION

// [model lengths, rad] The same in the first step.
// Origin: small against the slope of a shallow arch, so that a snap does not pass for a long first step;
// steps double from there.
#define FIRST_PREDICTION TMLI_SLIGHT_SHARE

// [-] Arc length, relative to the first one, at which the search gives up.
// Origin: ends loops; the path cannot be resolved further.
#define SMALLEST_ARC TMLI_SOLUTION_ERROR

// [-] Cosine of the largest angle between the tangents of the path before and after a step.
// Origin: 30 degrees, twice the wanted angle: paths that come near each other meet at larger ones.
#define LEAST_COSINE cos(2 * WANTED_TURN)

// [-] Distance from the whole load at which the path ends: Newton's method goes on from there.
// Origin: far less than what a step may be off its prediction.
TMLI_CONSTANT(END_OF_LOADS, 1e-5)

// [-] Distance of the point that a step reaches from the predicted one, over the distance to the last point.
// Origin: a step that leaves the path by snapping has 1 or nearly so; a straight prediction of a quarter of a
// circle has 0.5.
#define LARGEST_DEVIATION TMLI_EVEN_SHARE

// [rad] Angle between these tangents for which the arc length is chosen.
// Origin: 15 degrees; a circle is followed in 24 steps.
TMLI_CONSTANT(WANTED_TURN, 0.26)

// [-] Trial steps that locate a limit point, and the share of the slope of the load before it that ends them.
// Origin: the error of the load is of the square of this share.
#define LIMIT_POINT_TRIALS MAX_CORRECTIONS
TMLI_CONSTANT(LIMIT_POINT_SLOPE, 1e-4)

// [model lengths, rad] Correction below which the iteration has converged if the next is not smaller. A point
// of the path is accurate to this share of its distance from the point before.
// Origin: far above the round-off of a beam (1e-12), far below what a user sees.
#define CONVERGED_CORRECTION TMLI_ROOT_ROUNDOFF

// [-] Unbalanced forces over the largest stiffness that are round-off of positions: corrections cannot fall
// further, however large a soft mechanism or a thin beam makes them.
// Origin: a force is the difference of sums over some tens of terms, each rounded.
#define RESIDUAL_ROUNDOFF (64 * DBL_EPSILON)

// [-] Unbalanced over largest force up to which a configuration is an equilibrium.
// Origin: round-off of stiff elements in soft mechanisms (1e-10) with a margin; real imbalances are of 1.
#define BALANCED TMLI_ABOVE_ROOT_ROUNDOFF

// [-] Regularization of multipliers, relative to the largest stiffness: redundant rows share a load.
// Origin: its effect vanishes in the iteration; must stay above round-off times the size of the model.
#define MULTIPLIER_REGULARIZATION TMLI_MULTIPLIER_SHIFT

// [-] Growth of entries up to which the elimination by blocks, without pivoting between them, is trusted.
// Origin: six digits are lost then, and Newton's iteration regains them; bundled models stay below 100.
#define SAFE_GROWTH TMLI_LOST_DIGITS

// [-] Reciprocal condition number above which a matrix is regular beyond doubt; else pivoting decides.
// Origin: fifty times round-off; bundled models have more than 2e-12, or less than 2e-16 if a motion is free.
#define REGULAR_RCOND TMLI_FEW_ROUNDOFFS

// [-] Factors of the mass in the relaxation after steps that are too large, and that reduce the forces.
// Origin: C. T. Kelley, D. E. Keyes, SIAM J. Numer. Anal. 35 (1998): switched evolution relaxation.
#define RELAXATION_GROWTH TMLI_FOURFOLD
TMLI_SHARE(RELAXATION_DECAY, 0.3)

// [-] Share of the largest mass that all coordinates have in the metric of the relaxation.
// Origin: massless bodies move as the forces say; small, so that others move as their masses say.
#define RELAXATION_INERTIA TMLI_NEGLIGIBLE_SHARE

// [model lengths, rad] Sum of the relaxation's steps after which the model moves without end.
// Origin: a chain of a hundred links that uncoils moves by some hundred.
TMLI_CONSTANT(LARGEST_TRAVEL, 300)

// [-] Real part over the largest |root| from which on a root grows.
// Origin: undamped roots have real parts of round-off, 1e-10 of the largest for 1500 coordinates.
#define GROWING_SHARE TMLI_ROOT_ROUNDOFF

// [-] The same over the size of a root that was found by itself.
// Origin: undamped ones have real parts of some 1e-9 of their size; flutter sets in with the square root of
// the load beyond its limit.
#define GROWING_ROOT TMLI_DOUBLE_ROOT

// [-] Change of a root by round-off, over that of a simple and well-conditioned one, up to which it is taken
// for round-off without a word.
// Origin: the roots of a column whose follower load is 0.1 % below its limit are changed by up to 20 times as
// much.
TMLI_CONSTANT(SIMPLE_ROOTS, 30)

// [-] Difference of entries (i, j) and (j, i) of the scaled stiffness up to which it is symmetric.
// Origin: of a conservative system in equilibrium it is round-off and what the forces miss of their balance
// (1e-9); a follower load makes it of the size of its share of the stiffness.
#define SYMMETRIC TMLI_ROOT_ROUNDOFF

// [-] Pivot of the scaled stiffness that counts as zero.
// Origin: round-off of some hundred additions.
#define ZERO_PIVOT TMLI_FEW_ROUNDOFFS

// [-] The same over the share of the forces that is not balanced, where some motion has no stiffness.
// Origin: the stiffness that such forces give to a vehicle's free motions is 15 times their share.
TMLI_CONSTANT(NEUTRAL_PIVOT, 100)

#endif

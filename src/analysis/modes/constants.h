// Thresholds of steady motion and of modes; see base/constants.h.
#ifndef TMLI_ANALYSIS_MODES_CONSTANTS_H
#define TMLI_ANALYSIS_MODES_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Change of the equations of small motions, over their size, up to which a motion is steady.
// Origin: TMLI_INPUT_ERROR for inertia and geometry of symmetric bodies that are written with six digits.
#define STEADY_ERROR TMLI_INPUT_ERROR

// [-] The same over the size of the largest terms.
// Origin: TMLI_AGREEMENT: terms of very stiff directions leave round-off in the others.
#define STEADY_NOISE TMLI_AGREEMENT

// [-] The same for systems of callbacks.
// Origin: the error of their difference quotients, cbrt(eps)^2 to sqrt(eps), with a margin of some hundred.
#define STEADY_DIFFERENCES TMLI_QUOTIENT_MOTION

// [rad, model lengths] Motion after which the equations are compared, and once more after twice of it.
// Origin: twice of it is below half a turn even between two bodies that turn against each other, so that
// counted angles are known; a sine of any phase differs at one of the three points.
TMLI_CONSTANT(STEADY_ANGLE, 0.6)

// [-] Axes that are tried for a part of the model, at most.
// Origin: bounds the time of a check of a model with many bodies that turn differently.
#define STEADY_TRIES (2 * TMLI_FEW)

// [-] Part of a shape that others of the same root do not contain, from which on it counts as one of its own.
// Origin: round-off splits a double zero by its square root, 1e-8, and turns its shapes by as much or more;
// the shapes of different rigid motions differ by the size of the model.
#define INDEPENDENT_SHAPE TMLI_NEGLIGIBLE_SHARE

// Further searches while roots are missing, each from another start.
// Origin: free motions have roots of multiplicity three (a free body: six zeros with three shapes in turn).
TMLI_COUNT(MORE_STARTS, 3)

// [-] Regularization of multipliers in the pencil, relative to its largest entry.
// Origin: as that of the statics; refinement squares its effect.
#define PENCIL_REGULARIZATION TMLI_MULTIPLIER_SHIFT

// [-] First shift over the fastest rate of a coordinate.
// Origin: the lowest frequencies of a beam of 10 elements. Far larger shifts make roots look alike, so that
// nothing converges; from smaller ones the search goes up again.
#define FIRST_SHIFT TMLI_NEGLIGIBLE_SHARE

// [-] Restarts of ARPACK, at most; from a shift after which others are tried; and of a coarse solution.
// Origin: a Krylov space of twice the wanted size converges in some ten.
TMLI_COUNT(RESTARTS, 300)
#define TRIAL_RESTARTS (RESTARTS / 10)
#define COARSE_RESTARTS (RESTARTS / 30)

// [-] Error of the roots that only serve to find a shift, over the distance from the shift.
// Origin: each round may reduce the shift by as much.
#define COARSE_ROOTS TMLI_NEGLIGIBLE_SHARE

// [-] Size of the farthest wanted root over the shift, below which the shift is reduced.
// Origin: inverse iteration separates roots well that are not much smaller than their distance to the shift.
#define SMALL_ROOTS TMLI_SMALL_SHARE

// [-] Factor of the shift if not all wanted roots converge from it.
// Origin: as SMALL_ROOTS, squared: fewer factorizations, and the wanted roots are not passed by more.
TMLI_SHARE(SMALLER_SHIFT, 0.03)

// [-] Rounds of this search, at most.
// Origin: eighteen orders of magnitude below the first, more than machine numbers resolve.
TMLI_COUNT(SHIFT_ROUNDS, 6)

// [-] Degrees of freedom over wanted modes, from which on these are found by ARPACK instead of all by LAPACK.
// Origin: ARPACK needs room for more roots than are wanted. The reduction to degrees of freedom mixes stiff
// and soft directions, so that low frequencies of thin beams lose digits: sparse equations are the better
// ones.
TMLI_CONSTANT(SPARSE_SHARE, 1.5)

// [-] Distance of a root from the shift, over the shift, from which on it is verified by a shift of its own.
// Origin: constraints bring a threefold infinite root, which round-off turns to finite ones from its cube
// root on, 1e5 times the shift.
TMLI_CONSTANT(FAR_ROOT, 300)

// [-] Distance of this shift from the root, over its size; a true root is ten times nearer to what is found.
// Origin: near enough for one step of inverse iteration, far from round-off.
#define OWN_SHIFT TMLI_NEGLIGIBLE_SHARE

// [-] Size of the residual (4) of damped.c up to which a pair is a root with its shape.
// Origin: an error e of a root, over its size, gives e/OWN_SHIFT: 1e-9 is UNDAMPED_SHARE.
#define OWN_RESIDUAL (UNDAMPED_SHARE / OWN_SHIFT)

// [-] Part of a shape outside of a space of shapes, from which on it extends the space.
// Origin: TMLI_INPUT_ERROR; what is left of smaller ones is round-off of the constraints.
#define NEW_DIRECTION TMLI_INPUT_ERROR

// [-] Distance of two equal roots over their size that round-off makes of them.
// Origin: the square root of TMLI_ROUNDOFF.
#define SPLIT_ROOTS TMLI_DOUBLE_ROOT

// [-] Distance of roots of two searches, or of the space of shapes from one that was refined, and of the
// frequencies of their shapes, over their size, up to which they are the same, if their shapes are.
// Origin: slow roots of overdamped motions differ by little, but their shapes have different frequencies;
// round-off splits a root of multiplicity three by its cubic root, 6e-6.
TMLI_CONSTANT(SAME_ROOT, 1e-4)
#define SAME_ORDER TMLI_SLIGHT_SHARE

// [-] Steps of inverse iteration for a root, at most; rounds of the space of shapes; roots beyond the wanted
// ones that are refined, so that none is passed over.
// Origin: convergence is quadratic; a stiff damper in one place needs two to four rounds.
#define REFINEMENTS TMLI_NEWTON_LIMIT
#define SUBSPACE_ROUNDS SHIFT_ROUNDS
TMLI_COUNT(SPARE_ROOTS, 4)

// [-] Growth of the error of a matrix by the removal of its null space, at most.
// Origin: error over the least singular value that is kept, 15 for a bicycle that is about to capsize; more
// would take soft springs beside stiff ones for errors.
TMLI_GROWTH(NULL_SPACE_GROWTH, 8)

// [-] Real part of a root over its size, and imaginary part, that count as zero.
// Origin: TMLI_AGREEMENT, with a margin for pairs that are nearly equal.
#define UNDAMPED_SHARE TMLI_SOLUTION_ERROR

// [-] Weight of rotations beside translations in model lengths in the choice of minimal coordinates.
// Origin: a rod that turns about its end has equal ones; angles are what users expect.
TMLI_CONSTANT(PREFERRED_ROTATION, 2)

// [-] Stiffness over inertia of a shape whose root is lost beside strong damping, over the acceleration of
// the state in model lengths. Origin: gravity that turns with a part has a stiffness of 1 on this scale.
#define LOST_STIFFNESS TMLI_TENFOLD

#endif

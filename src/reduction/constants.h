// Thresholds of the state-space reduction; see base/constants.h. Equation numbers as in reduction.h.
#ifndef TMLI_REDUCTION_CONSTANTS_H
#define TMLI_REDUCTION_CONSTANTS_H

#include "base/constants.h"

// ---- basis (basis.c, reduction.c) -------------------------------------------------------------------------

// [-] Growth of |B| |inverse(B U)| since a partition was chosen at which it is checked again. Dependent
// coordinates move that much faster than independent ones, which curves w(v) and shortens steps long before
// (2) becomes hard to solve.
// Origin: four_bar with for-sdirk; 1.3 saves steps on linkages that turn over, but fixed steps lose their
// order.
TMLI_CONSTANT(PARTITION_GROWTH, 1.6)

// [-] The same for tangent coordinates, where only the solution of (2) depends on it.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TANGENT_GROWTH, 50)

// [-] |B| |inverse(B U)| above which a partition is poor from the start and is checked periodically.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(POOR_CONDITION, 10)

// [-] Steps after which a poor partition is checked again.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(RECHECK_STEPS, 30)

// [-] Improvement of |B| |inverse(B U)| from which on a new partition replaces the old one.
// Origin: chosen by trial: fewer changes of the basis.
TMLI_CONSTANT(MIN_IMPROVEMENT, 1.2)

// [-] Weight of rotations among candidates for dependent coordinates. Springs, joints and inertia are more
// nearly linear in angles.
// Origin: stiff_double_pendulum takes a tenth of the steps in angles of its rods compared with positions of
// their centres.
TMLI_CONSTANT(ROTATION_WEIGHT, 0.1)

// [-] Model lengths in a unit of translations, for tangent coordinates of systems with rotations.
// Origin: stiff double pendulum at 1e-5 with for-rosen (internal.h): 390 tolerances off with 1, 34 with 10, 1
// with 100.
TMLI_CONSTANT(TRANSLATION_FACTOR, 100)

// [-] Change of left-out rows along the null space, over TMLI_RANK_TOLERANCE, up to which they are still
// dependent.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(DEPENDENT_CHANGE, 100)

// [-] Residual of left-out rows, in row units, from which on they contradict the others.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(CONTRADICTION_RESIDUAL, 1e-6)

// [-] Length that a vector keeps in one pass of Gram-Schmidt, below which a second pass follows.
// Origin: "twice is enough", W. Kahan, B. N. Parlett, The Symmetric Eigenvalue Problem, 1980.
TMLI_CONSTANT(ORTHOGONAL_SHARE, 0.5)

// [-] Most iterations for the orthogonal factor that aligns two tangent bases.
// Origin: quadratic convergence from angles below 60 degrees.
TMLI_COUNT(MAX_ALIGN_ITERATIONS, 8)

// [-] Deviation of Q'Q from the identity that ends this iteration.
// Origin: a hundred times round-off.
TMLI_CONSTANT(ALIGN_CONVERGED, 1e-14)

// ---- dependent coordinates (dependent_coordinates.c) ------------------------------------------------------

// [-] Most iterations of (2).
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_POSITION_ITERATIONS, 30)

// [-] Most iterations of (3).
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_VELOCITY_ITERATIONS, 40)

// [-] Contraction rate of (2) above which the matrix is factored again: a factorization costs some
// iterations.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(SLOW_CONTRACTION, 0.1)

// [-] Most factorizations in one solution of (2).
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_FACTORIZATIONS, 4)

// [-] Iterations of (2) above which (3), which needs B anyway, gets a matrix of its own. The next solution of
// (2) starts with it. (Tangent coordinates would also need a null space, and continue with the present
// matrix.)
// Origin: chosen by trial on planar loops with adams.
TMLI_COUNT(MANY_ITERATIONS, 4)

// [model lengths or rad] Correction of (2) that has diverged.
// Origin: far beyond the size of the model.
TMLI_CONSTANT(MAX_CORRECTION, 10)

// [model lengths or rad] Correction of (2) below which the matrix is not factored again.
// Origin: near round-off.
TMLI_CONSTANT(MIN_FACTORED_CORRECTION, 1e-13)

// [-] Correction of (2) over round-off that ends the iteration.
// Origin: round-off of a sum of a few terms.
TMLI_CONSTANT(CONVERGED_ROUNDOFFS, 4)

// [-] Contraction rate of (2) above which a correction below TMLI_ROUNDOFF_CORRECTION does not decrease.
// Origin: usual practice; Newton's method contracts much faster.
TMLI_CONSTANT(STALLED_RATE, 0.5)

// [-] Iterations of (3) after which a correction that grows ends the iteration.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MIN_VELOCITY_ITERATIONS, 3)

// [-] Correction of (3) over the speed that is accepted in the end. Near a singular configuration B U
// amplifies the round-off of B u.
// Origin: chosen by trial on singular_slider_crank.
TMLI_CONSTANT(ACCEPTED_VELOCITY_CORRECTION, 1e-8)

// [model lengths or rad per duration of the run] Speeds below it are rest, and no scale of errors or
// differences.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(REST_SPEED, 1e-3)

// [model lengths or rad] Distance between the solution of (2) and its prediction, over the clearance: below
// it the solution is on the right branch. Near a singular configuration the other branch is about as far away
// as the clearance.
// Origin: chosen by trial on folded_parallelogram with erk8.
TMLI_CONSTANT(BRANCH_DISTANCE_SHARE, 0.01)

// [-] Clearance below which velocities have no digits left.
// Origin: chosen by trial on folded_parallelogram with erk8.
TMLI_CONSTANT(MIN_CLEARANCE, 1e-3)

// ---- derivatives (jacobian.c, reduction.c) ----------------------------------------------------------------

// [-] Degrees of freedom from which exact derivatives are computed column by column on threads; fewer are
// cheaper at once (dense_jacobian.c). Independent of the number of threads, so that results are.
// Origin: chosen by trial on chains of bodies.
TMLI_COUNT(PARALLEL_EXACT_DOF, 128)

// [-] The same for derivatives by differences.
// Origin: chosen by trial on chains of bodies.
TMLI_COUNT(PARALLEL_DIFFERENCES_DOF, 32)

// [-] Least time step of a difference over the round-off of the time.
// Origin: six binary digits of the step survive.
TMLI_CONSTANT(MIN_TIME_ROUNDOFFS, 64)

#endif

// Thresholds of the state-space reduction; see base/constants.h. Equation numbers as in reduction.h.
#ifndef TMLI_REDUCTION_CONSTANTS_H
#define TMLI_REDUCTION_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "consistency/tolerances.h"
#include <float.h>

// ---- basis (basis.c, reduction.c) -------------------------------------------------------------------------

// [-] Growth of |B| |inverse(B U)| since a partition was chosen at which it is checked again. Dependent
// coordinates move that much faster than independent ones, which curves w(v) and shortens steps long before
// (2) becomes hard to solve.
// Origin: four_bar with for-sdirk; 1.3 saves steps on linkages that turn over, but fixed steps lose their
// order.
TMLI_GROWTH(PARTITION_GROWTH, 1.6)

// [-] Steps after which a partition is checked again: it may have been poor from the start.
// Origin: the check costs about as much as a step; chosen by trial on the bundled models.
TMLI_COUNT(RECHECK_STEPS, 30)

// [-] Improvement of |B| |inverse(B U)| from which on a new partition replaces the old one.
// Origin: hysteresis, for fewer changes of the basis; chosen by trial on the bundled models.
TMLI_GROWTH(MIN_IMPROVEMENT, 1.2)

// [-] Weight of rotations among candidates for dependent coordinates. Springs, joints and inertia are more
// nearly linear in angles.
// Origin: stiff_double_pendulum takes a tenth of the steps in angles of its rods compared with positions of
// their centres.
#define ROTATION_WEIGHT TMLI_SMALL_SHARE

// [-] Model lengths in a unit of translations, for tangent coordinates of systems with rotations.
// Origin: stiff double pendulum at 1e-5 with for-rosen (internal.h): 390 tolerances off with 1, 34 with 10, 1
// with 100.
TMLI_CONSTANT(TRANSLATION_FACTOR, 100)

// ---- dependent coordinates (dependent_coordinates.c) ------------------------------------------------------

// [-] Iterations of (2) and of (3), and of the alignment of two tangent bases, at most.
// Origin: ends loops; a linear rate of 0.3 takes 30 iterations to round-off.
TMLI_COUNT(MAX_ITERATIONS, 30)

// [-] Correction of (2) relative to the increment, and of (3) relative to the velocities, that is the last
// one. It is made, so that a part of it is left, which is round-off of the residuals: of four-bars in a row
// they are linear in the increments, and first corrections are up to 170 DBL_EPSILON where forty of them add
// up.
// Origin: a half of the residual that outputs accept as round-off (SATISFIED_RESIDUAL).
#define SETTLED_CORRECTION (256 * DBL_EPSILON)

// [-] |B| |inverse(B U)| per row up to which a configuration is far from singular ones. Loops in a row have 2
// to 5.
// Origin: 1/16 model length or rad from a singular configuration.
TMLI_GROWTH(CLEAR_CONDITION, 16)

// [-] Iterations of (2) above which (3), which needs B anyway, gets a matrix of its own. The next solution of
// (2) starts with it. (Tangent coordinates would also need a null space, and continue with the present
// matrix.)
// Origin: chosen by trial on planar loops with adams.
TMLI_COUNT(MANY_ITERATIONS, 4)

// [model lengths or rad per duration of the run] Speeds below it are rest, and no scale of errors or
// differences.
// Origin: small against the model, and large enough for differences of velocities to keep their digits.
#define REST_SPEED TMLI_NEGLIGIBLE_SHARE

// ---- derivatives (reduction.c) ----------------------------------------------------------------------------

// [-] Degrees of freedom from which derivatives by differences are computed column by column on threads;
// exact derivatives from four times as many, because fewer are cheaper at once (dense_jacobian.c).
// Independent of the number of threads, so that results are.
// Origin: chosen by the run time of chains of bodies.
TMLI_COUNT(PARALLEL_DOF, 32)

#endif

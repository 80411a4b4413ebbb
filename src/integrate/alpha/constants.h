// Thresholds of the alpha family; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_ALPHA_CONSTANTS_H
#define TMLI_INTEGRATE_ALPHA_CONSTANTS_H

#include "base/constants.h"

// ---- scheme -----------------------------------------------------------------------------------------------

// [-] Disturbances across the constraints that decay more slowly than this factor per step are removed,
// alpha.h (12).
// Origin: docs/theory/alpha.md; chosen by trial on the bundled models.
TMLI_CONSTANT(SLOW_DECAY, 0.9)

// [-] A first-order coefficient c1 of alpha.h (9) below this is round-off of the parameters and counts as 0.
// Origin: some tens of units in the last place of numbers of the order 1.
TMLI_CONSTANT(NEGLIGIBLE_COEFFICIENT, 1e-14)

// [-] Spectral radius at infinite frequency of genalpha if the user gives none.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(DEFAULT_RHO, 0.8)

// [-] Numerical damping alpha of hht if the user gives none.
// Origin: close to its limit -1/3, for strong damping of high frequencies; chosen by trial on the bundled
// models.
TMLI_CONSTANT(DEFAULT_HHT_ALPHA, -0.3)

// ---- step controller --------------------------------------------------------------------------------------

// [-] Growth of the step in one step. Stiff components answer a change of the step by an error of their
// accelerations: with more growth the error test rejects what was gained.
// Origin: stiff double pendulum with rho = 0.2, where a third of the steps is rejected at 2.
TMLI_CONSTANT(LARGEST_GROWTH, 1.2)

// [-] Smallest ratio of the step after an accepted one.
// Origin: common practice.
TMLI_CONSTANT(SMALLEST_GROWTH, 0.3)

// [-] Smallest ratio of the step after a rejected one.
// Origin: common practice.
TMLI_CONSTANT(SMALLEST_REJECTED, 0.2)

// [-] Safety factor of the next step.
// Origin: docs/theory/alpha.md, 6; common practice.
TMLI_CONSTANT(SAFETY, 0.85)

// [-] Safety factor and largest ratio of the step after a rejected one.
// Origin: common practice.
TMLI_CONSTANT(SAFETY_REJECTED, 0.8)

// [-] Exponent of the last error in the proportional-integral controller, for an error of order h^2.
// Origin: K. Gustafsson, ACM Trans. Math. Softw. 17 (1991) 533-554: 0.7/2.
TMLI_CONSTANT(ERROR_EXPONENT, 0.35)

// [-] Exponent of the error before the last one in the same controller.
// Origin: docs/theory/alpha.md, 6; chosen by trial on the bundled models.
TMLI_CONSTANT(PREVIOUS_ERROR_EXPONENT, 0.1)

// [-] Exponent of the error of a rejected step.
// Origin: 1/2 for an error of order h^2.
TMLI_CONSTANT(REJECTED_ERROR_EXPONENT, 0.5)

// [-] Smallest error that the controller sees.
// Origin: any value that gives more than the largest growth.
TMLI_CONSTANT(SMALLEST_ERROR, 1e-6)

// [-] Step ratios from this to KEEP_STEP_BELOW leave the step unchanged: a change disturbs accelerations and
// multipliers.
// Origin: docs/theory/alpha.md, 6; chosen by trial on the bundled models.
TMLI_CONSTANT(KEEP_STEP_ABOVE, 0.95)

// [-] Upper limit of the step ratios that leave the step unchanged.
// Origin: docs/theory/alpha.md, 6; chosen by trial on the bundled models.
TMLI_CONSTANT(KEEP_STEP_BELOW, 1.15)

// [-] Where disturbances of `a` are left to decay by the root per step, steps grow by at most this over the
// root, since these disturbances grow with the step.
// Origin: docs/theory/alpha.md, 6.
TMLI_CONSTANT(GROWTH_TIMES_ROOT, 0.95)

// [-] Smallest root that counts in this limit.
// Origin: any value that allows LARGEST_GROWTH.
TMLI_CONSTANT(SMALLEST_ROOT, 0.1)

// [-] A step longer than this times the last one restarts the differences over steps: the last one was cut
// to land on a time and is too short for them.
// Origin: far above LARGEST_GROWTH; chosen by trial.
TMLI_CONSTANT(RESTART_GROWTH, 4)

// ---- estimate and corrections with an old matrix ----------------------------------------------------------

// [-] Corrections of accelerations end when they are below this share of the first one.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(ENOUGH_CORRECTION, 0.01)

// [-] Limit of the number of these corrections.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_CORRECTIONS, 4)

// [-] Share of an error that an old matrix may leave. Directions across the constraints are wrong by this
// share, and the velocities there are of order h^2.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(OLD_MATRIX_ERROR, 0.02)

// [-] The same over the share that the matrix left when it was new.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(OLD_MATRIX_RATIO, 2)

// [-] Share of the part across the constraints that may leak through the projection with a new matrix and is
// not counted as error along them.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(PROJECTION_LEAK, 0.03)

// [-] Factor that turns h times the change of accelerations at the end of the step, with an inner point of
// equilibrium, into an error of the size of alpha.h (9).
// Origin: 3/8 h^2 v'' for smooth accelerations against Cu of (9).
TMLI_CONSTANT(END_RESIDUAL_SHARE, 0.1)

#endif

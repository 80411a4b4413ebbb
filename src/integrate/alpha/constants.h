// Thresholds of the alpha family; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_ALPHA_CONSTANTS_H
#define TMLI_INTEGRATE_ALPHA_CONSTANTS_H

#include "base/constants.h"

// ---- scheme -----------------------------------------------------------------------------------------------

// [-] Disturbances across the constraints that decay more slowly than this factor per step are removed,
// alpha.h (12).
// Origin: chosen by trial on the bundled models; slower decay shows in the multipliers of many steps.
TMLI_CONSTANT(SLOW_DECAY, 0.9)

// [-] A first-order coefficient c1 of alpha.h (9) below this is round-off of the parameters and counts as 0.
// Origin: some ten units in the last place of numbers of the order 1.
TMLI_CONSTANT(NEGLIGIBLE_COEFFICIENT, 1e-14)

// [-] Spectral radius of genalpha and numerical damping alpha of hht if the user gives none.
// Origin: docs/theory/alpha.md; light damping of high frequencies.
TMLI_CONSTANT(DEFAULT_RHO, 0.8)
TMLI_CONSTANT(DEFAULT_HHT_ALPHA, -0.3)

// ---- step controller --------------------------------------------------------------------------------------

// [-] Growth of the step in one step. Stiff components answer a change of the step by an error of their
// accelerations: with more growth the error test rejects what was gained.
// Origin: stiff double pendulum with rho = 0.2, where a third of the steps is rejected at 2.
TMLI_CONSTANT(LARGEST_GROWTH, 1.2)

// [-] Reduction of the step in one step, after an accepted and after a rejected one.
// Origin: common practice.
TMLI_CONSTANT(SMALLEST_GROWTH, 0.3)
TMLI_CONSTANT(SMALLEST_REJECTED, 0.2)

// [-] Safety factor of the next step, and of the repeated step after a rejection, which is also its largest
// ratio.
// Origin: common practice; docs/theory/alpha.md, 6.
TMLI_CONSTANT(SAFETY, 0.85)
TMLI_CONSTANT(SAFETY_REJECTED, 0.8)

// [-] Exponents of the proportional-integral controller for an error of order h^2: of the last error, of the
// one before, and of the error of a rejected step.
// Origin: K. Gustafsson, ACM Trans. Math. Softw. 17 (1991) 533-554: 0.7/2 and 0.4/2, the latter reduced by
// trial.
TMLI_CONSTANT(ERROR_EXPONENT, 0.35)
TMLI_CONSTANT(PREVIOUS_ERROR_EXPONENT, 0.1)
TMLI_CONSTANT(REJECTED_ERROR_EXPONENT, 0.5)

// [-] Smallest error that the controller sees.
// Origin: any value that gives more than the largest growth.
TMLI_CONSTANT(SMALLEST_ERROR, 1e-6)

// [-] Step ratios between these leave the step as it is: a change disturbs accelerations and multipliers.
// Origin: docs/theory/alpha.md, 6.
TMLI_CONSTANT(KEEP_STEP_ABOVE, 0.95)
TMLI_CONSTANT(KEEP_STEP_BELOW, 1.15)

// [-] Where disturbances of `a` are left to decay by the root per step, steps grow by at most this over the
// root (which counts as at least SMALLEST_ROOT), since these disturbances grow with the step.
// Origin: docs/theory/alpha.md, 6.
TMLI_CONSTANT(GROWTH_TIMES_ROOT, 0.95)
TMLI_CONSTANT(SMALLEST_ROOT, 0.1)

// [-] A step longer than this times the last one restarts the differences over steps: the last one was cut
// to land on a time and is too short for them.
// Origin: far above LARGEST_GROWTH; chosen by trial.
TMLI_CONSTANT(RESTART_GROWTH, 4)

// ---- estimate and corrections with an old matrix ----------------------------------------------------------

// [-] Corrections of accelerations end at this share of the first one, after this many at most.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(ENOUGH_CORRECTION, 0.01)
TMLI_COUNT(MAX_CORRECTIONS, 4)

// [-] Share of an error that an old matrix may leave, and its ratio to what the matrix left when it was new.
// Directions across the constraints are wrong by this share, and the velocities there are of order h^2.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(OLD_MATRIX_ERROR, 0.02)
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

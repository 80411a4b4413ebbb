// Thresholds of the alpha family; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_ALPHA_CONSTANTS_H
#define TMLI_INTEGRATE_ALPHA_CONSTANTS_H

#include "base/constants.h"

// ---- scheme -----------------------------------------------------------------------------------------------

// [-] Spectral radius at infinite frequency of genalpha if the user gives none.
// Origin: chosen by trial on the bundled models.
TMLI_SHARE(DEFAULT_RHO, 0.8)

// [-] Numerical damping alpha of hht if the user gives none, as a share of its limit -1/3.
// Origin: for strong damping of high frequencies.
TMLI_SHARE(DEFAULT_HHT_SHARE, 0.9)

// ---- step controller --------------------------------------------------------------------------------------

// [-] Growth of the step in one step. Stiff components answer a change of the step by an error of their
// accelerations: with more growth the error test rejects what was gained.
// Origin: stiff double pendulum with rho = 0.2, where a third of the steps is rejected at 2.
TMLI_GROWTH(LARGEST_GROWTH, 1.2)

// ---- short steps, alpha.h (13) ----------------------------------------------------------------------------

// [-] Steps shorter than this share of the longest one are short.
// Origin: steps that follow the motion seldom vary by more, and (12) costs up to four evaluations of forces.
TMLI_SHARE(SHORT_STEP, 0.1)

// [-] Factor by which the longest step is forgotten with every accepted step.
// Origin: a tenth of it is left after 2300 steps, when short steps are what the motion needs.
TMLI_SHARE(STEP_MEMORY, 0.999)

// ---- estimate and corrections with an old matrix ----------------------------------------------------------

// [-] Corrections of accelerations end when they are below this share of the first one.
// Origin: chosen by trial on the bundled models.
TMLI_SHARE(ENOUGH_CORRECTION, 0.01)

// [-] Limit of the number of these corrections.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_CORRECTIONS, 4)

// [-] Share of an error that an old matrix may leave. Directions across the constraints are wrong by this
// share, and the velocities there are of order h^2.
// Origin: chosen by trial on the bundled models.
TMLI_SHARE(OLD_MATRIX_ERROR, 0.02)

// [-] The same over the share that the matrix left when it was new.
// Origin: chosen by trial on the bundled models.
TMLI_GROWTH(OLD_MATRIX_RATIO, 2)

// [-] Share of the part across the constraints that may leak through the projection with a new matrix and is
// not counted as error along them.
// Origin: chosen by trial on the bundled models.
TMLI_SHARE(PROJECTION_LEAK, 0.03)

// [-] Error of velocities that decay within the step, over the tolerance of the whole run, up to which it
// does not reject the step.
// Origin: as for the Radau methods and bdf. Schemes with damping leave 0.8 of it at most from step to step,
// so that five times as much is there at once.
TMLI_SHARE(DAMPED_ERROR, 0.1)

// [rad] Phase of a step in which the damping of a scheme is measured, and the iterations of its factor.
// Origin: the next term of the damping is 1 % there, and round-off 1e-9; each iteration brings a digit.
TMLI_CONSTANT(LOSS_PHASE, 0.1)
TMLI_COUNT(LOSS_ITERATIONS, 30)

// [-] Most filters of the estimate before a step is rejected.
// Origin: as for bdf.
TMLI_COUNT(MOST_FILTERS, 4)

// [-] A filter that leaves more than this of the error shows that nothing decays within the step.
// Origin: as for bdf; it leaves 0.8 of a vibration that a step of a sixth of its period follows.
TMLI_SHARE(FILTERED_SHARE, 0.5)

// [-] Factor that turns h times the change of accelerations at the end of the step, with an inner point of
// equilibrium, into an error of the size of alpha.h (9).
// Origin: 3/8 h^2 v'' for smooth accelerations against Cu of (9).
TMLI_SHARE(END_RESIDUAL_SHARE, 0.1)

#endif

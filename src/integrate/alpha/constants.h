// Thresholds of the alpha family; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_ALPHA_CONSTANTS_H
#define TMLI_INTEGRATE_ALPHA_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "integrate/core/tolerances.h"

// ---- scheme -----------------------------------------------------------------------------------------------

// [-] Spectral radius at infinite frequency of genalpha if the user gives none.
// Origin: chosen by trial on the bundled models.
TMLI_SHARE(DEFAULT_RHO, 0.8)

// [-] Numerical damping alpha of hht if the user gives none, as a share of its limit -1/3.
// Origin: for strong damping of high frequencies.
TMLI_SHARE(DEFAULT_HHT_SHARE, 0.9)

// ---- step controller --------------------------------------------------------------------------------------

// ---- short steps, alpha.h (13) ----------------------------------------------------------------------------

// [-] Steps shorter than this share of the longest one are short.
// Origin: steps that follow the motion seldom vary by more, and (12) costs up to four evaluations of forces.
#define SHORT_STEP TMLI_SMALL_SHARE

// [-] Factor by which the longest step is forgotten with every accepted step.
// Origin: a tenth of it is left after 2300 steps, when short steps are what the motion needs.
#define STEP_MEMORY (1 - TMLI_NEGLIGIBLE_SHARE)

// ---- estimate and corrections with an old matrix ----------------------------------------------------------

// [-] Corrections of accelerations end when they are below this share of the first one.
#define ENOUGH_CORRECTION TMLI_SLIGHT_SHARE

// [-] Limit of the number of these corrections.
#define MAX_CORRECTIONS TMLI_FEW

// [-] Share of an error that an old matrix may leave. Directions across the constraints are wrong by this
// share, and the velocities there are of order h^2.
// Origin: chosen by trial on the bundled models.
TMLI_SHARE(OLD_MATRIX_ERROR, 0.02)

// [-] The same over the share that the matrix left when it was new.
// Origin: chosen by trial on the bundled models.
#define OLD_MATRIX_RATIO TMLI_CHANGED

// [rad] Phase of a step in which the damping of a scheme is measured, and the iterations of its factor.
// Origin: the next term of the damping is 1 % there, and round-off 1e-9; each iteration brings a digit.
#define LOSS_PHASE TMLI_SMALL_SHARE
TMLI_COUNT(LOSS_ITERATIONS, 30)

// [-] Factor that turns h times the change of accelerations at the end of the step, with an inner point of
// equilibrium, into an error of the size of alpha.h (9).
// Origin: 3/8 h^2 v'' for smooth accelerations against Cu of (9).
#define END_RESIDUAL_SHARE TMLI_SMALL_SHARE

#endif

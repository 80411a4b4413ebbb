// Thresholds of the Newton kernel alone; those it shares with other iterations stand in convergence.h.
#ifndef TMLI_INTEGRATE_NEWTON_CONSTANTS_H
#define TMLI_INTEGRATE_NEWTON_CONSTANTS_H

#include "base/constants.h"

// [-] Iterations after which corrections at the level of round-off end the iteration.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_ROUNDOFF_ITERATIONS, 5)

// [lengths] With step-size control a larger correction ends the iteration: the step is too large to be worth
// more iterations, and coming back from there would cost the velocities their digits.
// Origin: the model length; chosen by trial on the bundled models.
TMLI_CONSTANT(FARTHEST_CORRECTION, 1)

// [-] A first correction larger than this times that of the last solve means that a force has set in. The
// rate of earlier steps is then not trusted.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(UNEXPECTED_CORRECTION, 4)

// [-] Steps of fixed size are iterated to this share of round-off at most.
// Origin: the second iteration gets there; more would follow noise.
TMLI_CONSTANT(FIXED_ROUNDOFF_SHARE, 1e-2)

// [-] Row scales are computed anew when the factor b of kernel.h (1) has changed by this factor.
// Origin: scales only balance the blocks of the matrix; chosen by trial on the bundled models.
TMLI_CONSTANT(RESCALE_RATIO, 4)

// [-] Solves of a projection onto the constraints, since the matrix may be old.
// Origin: the second one leaves the square of the first one's error.
TMLI_COUNT(PROJECTION_SOLVES, 2)

#endif

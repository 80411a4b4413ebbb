// Thresholds of the check; see base/constants.h. base/tolerances.h and consistency/tolerances.h have levels
// of round-off, of errors of data and of singular configurations.
#ifndef TMLI_ANALYSIS_CHECK_CONSTANTS_H
#define TMLI_ANALYSIS_CHECK_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Ratio of the fastest to the slowest rate from which on a note calls the model stiff.
// Origin: a matter of judgement: explicit methods are limited by stability far below. It changes a sentence,
// no result.
TMLI_CONSTANT(NOTE_STIFFNESS, 1e4)

// ---- sweeps of the check (sweeps.c) -----------------------------------------------------------------------

// [-] Joint coordinates along which a mechanism with several degrees of freedom is moved.
// Origin: bounds the time of a check and the lines that it prints.
#define SWEEP_COORDINATES TMLI_FEW

// [model lengths, rad] Length of a sweep.
// Origin: more than two turns of a body, 4 pi: the crank of a kite linkage turns twice before it closes.
TMLI_CONSTANT(SWEEP_LENGTH, 16)

// [-] Steps times unknowns of a sweep, at most.
// Origin: bounds the time of a sweep to a few seconds.
TMLI_CONSTANT(SWEEP_WORK, 4e5)

// [-] Rate of a joint coordinate over that of the fastest from which on the first such coordinate is used.
// Origin: of joints that move about equally fast the one written first describes the motion, as the crank.
#define GOOD_COORDINATE_RATE TMLI_MODERATE_SHARE

// ---- the path of a sweep (sweep.c) ------------------------------------------------------------------------

// [-] Iterations, at most: of corrections of a step, and of inverse iterations for sigma.
// Origin: ends loops; both converge in a few iterations unless the configuration is singular.
TMLI_COUNT(MAX_ITERATIONS, 20)

// [model lengths, rad] Longest step.
// Origin: the residual of a step is of third order: below TMLI_BUILT_TOLERANCE.
TMLI_CONSTANT(MAX_STEP, 0.04)

// [-] Least number of steps of a driven sweep.
// Origin: resolves ten periods of a motion by ten steps each.
TMLI_COUNT(MIN_DRIVEN_STEPS, 100)

#endif

// Thresholds of the kinematic method; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_KINEMATIC_CONSTANTS_H
#define TMLI_INTEGRATE_KINEMATIC_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "integrate/core/tolerances.h"

// [model lengths or rad] Motion in the first step.
// Origin: as long as a step whose predictor would just fail if accelerations were as large as the squares of
// the velocities; growing is cheaper than a rejection.
#define FIRST_MOTION TMLI_SMALL_SHARE

// [-] Step over the duration of the run below which a step that fails ends the run.
// Origin: positions near a limit of the motion differ by the square root of this, 1e-5 model lengths.
#define SHORTEST_STEP TMLI_AGREEMENT

// [-] Coordinates up to which the sign of the determinant of B is watched.
// Origin: a dense factorization of this size takes as long as the sparse ones of a step of such a model.
TMLI_COUNT(MAX_DETERMINANT, 600)

#endif

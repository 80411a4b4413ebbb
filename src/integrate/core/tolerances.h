// Thresholds that several families of methods share; base/constants.h says how these are declared.
#ifndef TMLI_INTEGRATE_CORE_TOLERANCES_H
#define TMLI_INTEGRATE_CORE_TOLERANCES_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Share of a step's allowed error that Newton's method may leave.
// Origin: docs/theory/alpha.md, 4; with a fifth the errors of runs begin to show it.
TMLI_SHARE(TMLI_NEWTON_SHARE, 0.1)

// [-] Growth of a step size, or of what a matrix or a choice was made for, from which on that is made anew;
// and factor within which steps at a limit of stability are equal.
// Origin: chosen by trial on the bundled models; a change is a small jump for a method.
#define TMLI_CHANGED TMLI_TWOFOLD

// [-] Growth of the step of alpha and decay in one step. Stiff components answer a change of the step by an
// error of their accelerations: with more growth the error test rejects what was gained.
// Origin: stiff double pendulum with rho = 0.2, where a third of the steps is rejected at 2.
TMLI_GROWTH(TMLI_STIFF_GROWTH, 1.2)

// [-] Solves of a projection onto the constraints, or of an error estimate, with a matrix that may be old.
#define TMLI_OLD_MATRIX_SOLVES TMLI_TWO_PASSES

// [-] Share of the part across the constraints that may leak through the projection with a new matrix and is
// not counted as error along them.
// Origin: chosen by trial on the bundled models.
TMLI_SHARE(TMLI_PROJECTION_LEAK, 0.03)

// [-] Error of velocities that decay within the step, over the tolerance of the whole run, up to which it
// does not reject the step.
// Origin: what a step damps it takes some steps to forget, and other components need the rest. Schemes with
// damping leave 0.8 of it at most from step to step, so that five times as much is there at once.
#define TMLI_DAMPED_ERROR TMLI_SMALL_SHARE

// [-] Most filters of the estimate before a step is rejected, and the share of the error that one leaves from
// which on nothing decays within the step.
// Origin: what decays by 1/e in a step is reduced to a sixteenth, by implicit Euler to a half in each; each
// filter costs an evaluation. A vibration that a step of a sixth of its period follows keeps 0.8.
TMLI_COUNT(TMLI_MOST_FILTERS, 4)
TMLI_SHARE(TMLI_FILTERED_SHARE, 0.5)

// [rad] Rotation of a body up to which increments of rotation from one point serve.
// Origin: they are singular at a full turn, ambiguous from half a turn on, and no longer smooth before that.
TMLI_CONSTANT(TMLI_CHART_ROTATION, 3)

// [model lengths or rad] How far a step may be off its prediction without being on another branch.
// Origin: branches of a mechanism are further apart unless it is near a singular configuration; steps on the
// right branch are off by 1e-3 at most, at loose tolerances.
TMLI_CONSTANT(TMLI_BRANCH_DISTANCE, 0.02)

#endif

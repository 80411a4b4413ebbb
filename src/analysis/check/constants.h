// Thresholds of the check; see base/constants.h.
//
// sigma is the smallest singular value of the independent constraint rows, normalized and in units of the
// model.
#ifndef TMLI_ANALYSIS_CHECK_CONSTANTS_H
#define TMLI_ANALYSIS_CHECK_CONSTANTS_H

#include "base/constants.h"

// ---- notes (check.c, notes.c, rows.c) ---------------------------------------------------------------------

// [model lengths, rad] Residual after the assembly, or misfit of redundant rows, above which joints are
// misaligned.
// Origin: ten times the residual of an assembled mechanism.
TMLI_CONSTANT(ALIGNED_RESIDUAL, 1e-9)

// [-] Smallest pivot over the largest below which constraint rows are nearly dependent.
// Origin: a joint misplaced by this part of the model's size; a matter of judgement, far above
// TMLI_DEPENDENT.
TMLI_CONSTANT(NEARLY_DEPENDENT, 1e-4)

// [model lengths, rad, and per second] Change by the assembly from which on a note is given.
// Origin: more than the last digits of a written number.
TMLI_CONSTANT(NOTE_CHANGE, 1e-6)

// [-] Ratio of the fastest to the slowest rate from which on a note calls the model stiff.
// Origin: a matter of judgement; beyond it explicit methods are limited by stability.
TMLI_CONSTANT(NOTE_STIFFNESS, 1e4)

// [-] Real part of an eigenvalue over its modulus from which on the motion grows.
// Origin: a matter of judgement, far above round-off.
TMLI_CONSTANT(NOTE_GROWTH, 1e-6)

// [model lengths/s, rad/s] Velocity below which the start is at rest.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(REST_VELOCITY, 1e-9)

// [model lengths/s^2, rad/s^2] Acceleration below which the start is an equilibrium.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(REST_ACCELERATION, 1e-6)

// [-] 1 - |cos| of the angle between hinge axes up to which they are parallel.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(PARALLEL_AXES, 1e-6)

// [-] |cos| of the angle between a slide and the hinge axes up to which they are perpendicular.
// Origin: chosen by trial on the bundled models; about the angle of PARALLEL_AXES.
TMLI_CONSTANT(PERPENDICULAR_AXES, 1e-3)

// ---- sweeps of the check (sweeps.c) -----------------------------------------------------------------------

// [-] Joint coordinates along which a mechanism with several degrees of freedom is moved.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(SWEEP_COORDINATES, 4)

// [-] Steps of a sweep: of a small and of a very large mechanism.
// Origin: 400 steps of MAX_STEP are 16 rad, more than two turns.
TMLI_COUNT(MAX_SWEEP_STEPS, 400)
TMLI_COUNT(MIN_SWEEP_STEPS, 40)

// [-] Steps times unknowns of a sweep, between these limits.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(SWEEP_WORK, 4e5)

// [model lengths, rad] Length of a sweep.
// Origin: a turn of several bodies.
TMLI_CONSTANT(SWEEP_LENGTH, 20)

// [rad] Angle printed as zero.
// Origin: accuracy of the search for a singular configuration.
TMLI_CONSTANT(PRINTED_ZERO_ANGLE, 1e-5)

// [-] Smallest sigma over that at the start below which its configuration is printed.
// Origin: a matter of judgement.
TMLI_CONSTANT(PRINTED_SIGMA_RATIO, 0.5)

// [-] Range of a coordinate over its total change from which on it turns back during the sweep.
// Origin: above the error of the extremes; a matter of judgement.
TMLI_CONSTANT(TURNING_RANGE, 1.05)

// [-] Rate of a joint coordinate over the largest rate of the bodies below which it does not describe the
// motion.
// Origin: chosen by trial.
TMLI_CONSTANT(MIN_COORDINATE_RATE, 1e-3)

// [-] Rate of a joint coordinate over that of the fastest from which on the first such coordinate is used.
// Origin: chosen by trial: prefers the joints written first, as the crank.
TMLI_CONSTANT(GOOD_COORDINATE_RATE, 0.3)

// ---- the path of a sweep (sweep.c) ------------------------------------------------------------------------

// [-] Inverse iterations for sigma: at the start of a sweep, and after a step, where the last vectors are
// close.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(FIRST_INVERSE_ITERATIONS, 20)
TMLI_COUNT(INVERSE_ITERATIONS, 3)

// [-] Corrections of a step onto the constraints.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(STEP_CORRECTIONS, 12)

// [-] Golden sections of the search for a minimum of sigma.
// Origin: 0.618^26 of two steps is less than 1e-6 rad.
TMLI_COUNT(GOLDEN_SECTIONS, 26)

// [model lengths, rad] Longest and shortest step.
// Origin: the residual of a step is of third order, 1e-5; below the shortest the path is at its end.
TMLI_CONSTANT(MAX_STEP, 0.04)
TMLI_CONSTANT(MIN_STEP, 1e-7)

// [-] Least number of steps of a driven sweep.
// Origin: chosen by trial.
TMLI_COUNT(MIN_DRIVEN_STEPS, 100)

// [-] Shortest step of a driven sweep over its duration.
// Origin: below it the path is at its end.
TMLI_CONSTANT(MIN_DRIVEN_STEP, 1e-9)

// [-] Rest of the duration of a driven sweep that is round-off.
// Origin: round-off of the time.
TMLI_CONSTANT(TIME_ROUNDOFF, 1e-12)

// [-] eps of (1): for singular values and tangents, and for corrections.
// Origin: the square of the smallest sigma that is resolved, 1e-7, and of the one below which corrections are
// damped, 1e-3.
TMLI_CONSTANT(SIGMA_REGULARIZATION, 1e-14)
TMLI_CONSTANT(CORRECTION_REGULARIZATION, 1e-6)

// [model lengths, rad] Residual that ends the corrections, and the one that a step may leave near a singular
// configuration.
// Origin: far above round-off; the residual of a predicted step.
TMLI_CONSTANT(STEP_RESIDUAL, 1e-11)
TMLI_CONSTANT(MAX_STEP_RESIDUAL, 1e-5)

// [-] Residual over the last one above which corrections no longer help, after SURE_CORRECTIONS of them.
// Origin: chosen by trial.
TMLI_CONSTANT(SLOW_CORRECTION, 0.5)
TMLI_COUNT(SURE_CORRECTIONS, 2)

// [-] sigma below which the rank is computed.
// Origin: ten times TMLI_DEPENDENT.
TMLI_CONSTANT(NEARLY_SINGULAR, 1e-4)

// [-] sigma over that at the start at the end of a path, below which the end is a singular configuration.
// Origin: chosen by trial on the bundled models; sigma would vanish a little further along the path.
TMLI_CONSTANT(SINGULAR_END, 0.05)

// [-] Allowed part of the gradient over that at the start below which its coordinate is at an extreme.
// Origin: chosen by trial.
TMLI_CONSTANT(EXTREME_GRADIENT, 0.02)

// [-] Part of the drivers' velocities along the lost direction from which on they lock the mechanism.
// Origin: far above round-off; chosen by trial.
TMLI_CONSTANT(LOCKING_VELOCITY, 1e-3)

// [-] Largest over smallest sigma of three neighbours from which on a zero may lie between them.
// Origin: |sigma| grows linearly from a zero, which makes the ratio at least 2.
TMLI_CONSTANT(SIGMA_DIP, 1.5)

// [-] Part of a direction allowed by the constraints that is round-off.
// Origin: far above round-off.
TMLI_CONSTANT(ZERO_DIRECTION, 1e-6)

// [-] A closed path: length over MAX_STEP from which on it can be closed, distance from the start over
// MAX_STEP, and cosine of the angle between the tangents.
// Origin: steps of MAX_STEP pass the start within half of it.
TMLI_CONSTANT(CLOSED_MIN_STEPS, 10)
TMLI_CONSTANT(CLOSED_DISTANCE, 0.7)
TMLI_CONSTANT(CLOSED_DIRECTION, 0.5)

#endif

// Thresholds of model building; see base/constants.h.
#ifndef TMLI_MODEL_CONSTANTS_H
#define TMLI_MODEL_CONSTANTS_H

#include "base/constants.h"

// [-] Component of a unit axis below which the axis lies in, or perpendicular to, the plane of a planar
// model; sine of the angle below which two axes, and distance over the model length below which two points,
// are the same. Origin: model files give directions and positions to about 10 digits; chosen by trial on the
// bundled models.
TMLI_CONSTANT(ALIGNMENT_TOLERANCE, 1e-9)

// [-] Square of the tangent of half the angle by which a body of a planar model may be tilted out of the
// plane. Origin: square of 1e-10, the digits that a model file gives.
TMLI_CONSTANT(PLANAR_TILT_SQUARED, 1e-20)

// [-] Largest |J n| over the trace of J for which the inertia about the unit vector n counts as zero; smaller
// components of the axis n are set to zero. Origin: round-off of the rotation of an inertia tensor, 1e-16,
// with some digits in reserve.
TMLI_CONSTANT(ZERO_INERTIA, 1e-12)

// [-] Largest derivative, over the larger of 1 and the model length, of a row that no planar motion changes.
// Origin: round-off of the derivatives, 1e-16, with some digits in reserve.
TMLI_CONSTANT(IDENTICAL_ROW_SLOPE, 1e-12)

// [-] Largest residual, over the larger of 1 and the model length, of a row that is dropped from a planar
// model. Origin: model files give positions to about 10 digits; chosen by trial on the bundled models.
TMLI_CONSTANT(DROPPED_ROW_RESIDUAL, 1e-9)

// [-] Length of a spring at the start over the model length below which its ends coincide.
// Origin: the direction of a shorter spring has less than 7 valid digits; chosen by trial.
TMLI_CONSTANT(COINCIDENT_ENDS, 1e-9)

// [-] Number of planar configurations at which a row is tested for a dependence on planar motion.
// Origin: a row whose derivative vanishes at three unrelated configurations is identical; chosen by trial.
TMLI_COUNT(PLANAR_TRIALS, 3)

#endif

// Thresholds of model building; see base/constants.h.
#ifndef TMLI_MODEL_CONSTANTS_H
#define TMLI_MODEL_CONSTANTS_H

#include "base/constants.h"

// [-] Component of a unit axis in a planar model below which the axis lies in the plane, or is
// perpendicular to it.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(PLANAR_AXIS_TOLERANCE, 1e-9)

// [-] Search for massless rotations: sine of the angle between two directions, or distance of two points
// over the model length, up to which they are the same.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(COMMON_AXIS_TOLERANCE, 1e-9)

// [-] Square of the tangent of half the angle by which a body of a planar model may be tilted out of the
// plane.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(PLANAR_TILT_SQUARED, 1e-20)

// [-] Largest |J n| over the trace of J for which the inertia about the unit vector n counts as zero.
// Smaller components of the axis n are set to zero.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(ZERO_INERTIA, 1e-12)

// [-] Largest derivative of a row that no planar motion changes, over the larger of 1 and the model
// length.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(IDENTICAL_ROW_SLOPE, 1e-12)

// [-] Largest residual of a row that is dropped from a planar model, over the larger of 1 and the model
// length.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(DROPPED_ROW_RESIDUAL, 1e-9)

// [-] Length of a spring at the start over the model length up to which its ends coincide.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(COINCIDENT_ENDS, 1e-9)

// [-] Number of planar configurations at which a row is tested for a dependence on planar motion.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(PLANAR_TRIALS, 3)

#endif

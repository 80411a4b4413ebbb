// Thresholds of the reader of model files; see base/constants.h. Limits of sizes are in yaml.h and
// yaml_doc.c.
#ifndef TMLI_IO_CONSTANTS_H
#define TMLI_IO_CONSTANTS_H

#include "base/constants.h"

// [-] Sine of the angle between two given axes below which they count as parallel.
// Origin: the perpendicular part has an error of 1e-16, so that fewer than ten valid digits would remain.
TMLI_CONSTANT(PARALLEL_AXES_SINE, 1e-6)

// [-] Square of the length of a quaternion above which it is accepted and normalized.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(QUATERNION_MIN_SQUARED, 1e-12)

// [-] Square of the length of a quaternion below which it is accepted and normalized.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(QUATERNION_MAX_SQUARED, 1e12)

#endif

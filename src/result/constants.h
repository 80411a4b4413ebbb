// Thresholds of the result files; see base/constants.h.
#ifndef TMLI_RESULT_CONSTANTS_H
#define TMLI_RESULT_CONSTANTS_H

#include "base/constants.h"

// [s] Wall time after which buffered rows are written, if the buffer is not full earlier. A killed run
// loses the rows since then.
// Origin: what a user may lose; a person who watches the file waits no longer.
TMLI_CONSTANT(FLUSH_INTERVAL, 1)

// [-] Smallest pause between two writes of an HDF5 file, over the duration of the last write.
// Origin: a write costs about 20 us per dataset even with few rows; the ratio limits it to 5 % of the
// time.
TMLI_CONSTANT(FLUSH_PAUSE_RATIO, 20)

#endif

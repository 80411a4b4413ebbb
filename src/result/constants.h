// Thresholds of the result files; see base/constants.h.
#ifndef TMLI_RESULT_CONSTANTS_H
#define TMLI_RESULT_CONSTANTS_H

#include "base/constants.h"

// [s] Wall time after which buffered rows are written, if the buffer is not full earlier. A killed run
// loses the rows since then.
// Origin: what a user may lose; a person who watches the file waits no longer.
TMLI_CONSTANT(FLUSH_INTERVAL, 1)

// [s] Age of the last change of a file from which on a later change has another time.
// Origin: the clock of file systems ticks every 4 or 10 ms.
TMLI_CONSTANT(SETTLE_TIME, 0.012)

#endif

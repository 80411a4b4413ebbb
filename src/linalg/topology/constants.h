// Thresholds of the elimination in joint coordinates; see base/constants.h.
#ifndef TMLI_LINALG_TOPOLOGY_CONSTANTS_H
#define TMLI_LINALG_TOPOLOGY_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [flop] Work of a factorization from which subtrees are factored by several threads.
// Origin: measured; below, some 0.15 ms, starting threads costs what they save.
TMLI_CONSTANT(TASK_FLOPS, 4e5)
// [-] A task has at most 1/LARGEST_TASK of the work.
// Origin: twice the usual number of threads, so that none waits for more than half of its own work.
TMLI_CONSTANT(LARGEST_TASK, 8)
// [-] A task has at least 1/SMALLEST_TASK of the work.
// Origin: at TASK_FLOPS that is 2000 flop or 1 us, about what it costs to hand out a task.
TMLI_CONSTANT(SMALLEST_TASK, 200)

#endif

// Thresholds of the elimination in joint coordinates; see base/constants.h.
#ifndef TMLI_LINALG_TOPOLOGY_CONSTANTS_H
#define TMLI_LINALG_TOPOLOGY_CONSTANTS_H

#include "base/constants.h"

// [-] Pivot of a tree joint's row relative to the largest entry of the row, below which the factorization is
// abandoned: the child's motion would be a difference of large numbers. Block LU is used then.
// Origin: chosen by trial on the bundled models; rows of joints in reasonable units are far above.
TMLI_CONSTANT(JOINT_PIVOT, 1e-7)
// [-] Row of T of a cut joint relative to the terms subtracted in it, below which it is round-off.
// Origin: chosen by trial on random mechanisms with a redundant cut joint (tests/linalg/topology).
TMLI_CONSTANT(CUT_ROW_PIVOT, 1e-13)
// [flop] Work of a factorization from which subtrees are factored by several threads.
// Origin: measured; below, some 0.15 ms, starting threads costs what they save.
TMLI_CONSTANT(TASK_FLOPS, 4e5)
// [-] A task has at most 1/LARGEST_TASK of the work.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(LARGEST_TASK, 8)
// [-] A task has at least 1/SMALLEST_TASK of the work.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(SMALLEST_TASK, 200)

#endif

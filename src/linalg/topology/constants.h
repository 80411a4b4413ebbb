// Thresholds of the elimination in joint coordinates; see base/constants.h.
#ifndef TMLI_LINALG_TOPOLOGY_CONSTANTS_H
#define TMLI_LINALG_TOPOLOGY_CONSTANTS_H

#include "base/constants.h"

// [-] Pivot of a tree joint's row relative to the largest entry of the row, below which the factorization is
// abandoned: the child's motion would be a difference of large numbers. Block LU is used then.
// Origin: half of 16 digits; rows of joints in reasonable units are far above.
TMLI_CONSTANT(JOINT_PIVOT, 1e-7)
// [-] Row of T of a cut joint relative to the terms subtracted in it, below which it is round-off.
// Origin: some hundred round-offs; random mechanisms with a redundant cut joint are all detected.
TMLI_CONSTANT(CUT_ROW_PIVOT, 1e-13)
// [flop] Work of a factorization from which subtrees are factored by several threads.
// Origin: measured; below, some 0.15 ms, starting threads costs what they save.
TMLI_CONSTANT(TASK_FLOPS, 4e5)
// [-] A task has at most 1/LARGEST_TASK and at least 1/SMALLEST_TASK of the work.
// Origin: eight tasks or more keep up to eight threads busy; smaller ones cost more to start than they save.
TMLI_CONSTANT(LARGEST_TASK, 8)
TMLI_CONSTANT(SMALLEST_TASK, 200)

#endif

// A spanning tree of bodies and joints, and the order in which it is eliminated.
//
// From the ground (joints with one arm) outwards, the joint with the most rows first, among equals the one
// nearest to the ground: so the tree has few joint coordinates and short paths. A joint is in the tree if it
// has one or two arms and not more rows than its child body has coordinates; all others are cut. What the
// ground does not reach hangs on the body with the most joints.
//
// Bodies are eliminated from the leaves to the roots. A cut joint closes loops; it is eliminated right after
// the body in which the paths from its bodies to the ground meet, or, if they meet in the ground, after the
// last of their roots.
#ifndef TMLI_LINALG_TOPOLOGY_SPANNING_TREE_H
#define TMLI_LINALG_TOPOLOGY_SPANNING_TREE_H

#include "linalg/topology/saddle.h"

typedef struct tmli_spanning {
    tml_env env;
    int32_t *parent;  // (nbodies) body towards the ground, -1: none
    int32_t *joint;   // (nbodies) that holds the body to its parent or the ground, -1: free
    int32_t *arm;     // (nbodies) of that joint on the body, -1: none
    int32_t *up;      // (nbodies) of that joint on the parent, -1: none
    bool *cut;        // (njoints)
    int32_t ncuts;
    int32_t *order;  // (nbodies + ncuts) body b as b, cut joint j as nbodies + j
    int32_t *place;  // (nbodies + njoints) its inverse, -1 for tree joints
} tmli_spanning;

/** Fills a zeroed object; clear it also after a failure. */
tml_status tmli_spanning_init(tmli_spanning *t, const tmli_saddle *saddle, const tml_env *env,
                              tml_error *err);
void tmli_spanning_clear(tmli_spanning *t);

#endif

// The graph of bodies and joints as a spanning tree and cut joints, and the order in which both are
// eliminated.
//
// The tree (linalg/pattern/spanning_tree.h) prefers the joint with the most rows, then the one found first,
// which leaves few joint coordinates and short paths. A joint can be in the tree if it has one or two arms
// and not more rows than its child body has coordinates; all others are cut. Where the ground reaches no
// further body, the one with the most joints becomes the root of a tree of its own.
//
// Bodies are eliminated from the leaves to the roots. A cut joint closes loops. It is eliminated right after
// the body in which the paths from its bodies to the ground meet, or, if they meet in the ground, after the
// last of their roots.
#ifndef TMLI_LINALG_TOPOLOGY_CUT_TREE_H
#define TMLI_LINALG_TOPOLOGY_CUT_TREE_H

#include "linalg/topology/saddle.h"

typedef struct tmli_cut_tree {
    tml_env env;
    int32_t *parent;  // (nbodies) body towards the ground, -1: none
    int32_t *joint;   // (nbodies) tree joint to the parent or the ground, -1: none, the body is free
    int32_t *arm;     // (nbodies) of that joint on the body, -1: none
    int32_t *up;      // (nbodies) of that joint on the parent, -1: none
    bool *cut;        // (njoints)
    int32_t ncuts;
    int32_t *order;     // (nbodies + ncuts) body b as b, cut joint j as nbodies + j
    int32_t *position;  // (nbodies + njoints) inverse of order, -1 for tree joints
} tmli_cut_tree;

/** Fills a zeroed object; clear it also after a failure. */
tml_status tmli_cut_tree_init(tmli_cut_tree *t, const tmli_saddle *saddle, const tml_env *env,
                              tml_error *err);
void tmli_cut_tree_clear(tmli_cut_tree *t);

#endif

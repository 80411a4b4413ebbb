// Spanning tree of a graph, grown from a distinguished vertex, the ground.
//
// Prim's method: of all edges that lead from the tree to a vertex outside, take the one of highest rank.
// Among edges of equal rank, take the one found first; with `shallow`, first the one whose parent has the
// smallest depth. Where no edge leads on, the next vertex of `root_order` starts a tree of its own. With
// equal ranks and without `shallow` the tree is that of a breadth-first search.
//
// The caller decides which edges may enter the tree, in which direction, and which are preferred.
#ifndef TMLI_LINALG_PATTERN_SPANNING_TREE_H
#define TMLI_LINALG_PATTERN_SPANNING_TREE_H

#include "base/base.h"

enum { TMLI_GROUND = -1 };

typedef struct tmli_tree_edge {
    int32_t vertex[2];     // its ends; TMLI_GROUND: the ground
    bool can_be_child[2];  // the edge may attach vertex[side] to the other end
    int32_t rank;
} tmli_tree_edge;

typedef struct tmli_tree_graph {
    int32_t nvertices, nedges;
    const tmli_tree_edge *edge;  // (nedges) both ends on the ground: not in the tree
    const int32_t *root_order;   // (nvertices) all vertices, the preferred root first
    bool shallow;
} tmli_tree_graph;

typedef struct tmli_tree {
    int32_t *order;   // (nvertices) parents before children, as they were reached
    int32_t *parent;  // (nvertices) TMLI_GROUND: none
    int32_t *edge;    // (nvertices) that attaches the vertex to its parent or the ground, -1: none, a root
    int32_t *depth;   // (nvertices) edges to the ground; a root without an edge has 1
} tmli_tree;

/** Arrays of the tree are taken from the arena. False: no memory. O((n + edges) log edges). */
bool tmli_tree_grow(tmli_tree *tree, const tmli_tree_graph *graph, tmli_arena *arena);

/** The vertex in which the paths from a and b to the ground meet; TMLI_GROUND if there is none. a and b may
 * be TMLI_GROUND. */
int32_t tmli_tree_meet(const tmli_tree *tree, int32_t a, int32_t b);

#endif

// Prim's method with a binary heap of edges; see spanning_tree.h.
#include "linalg/pattern/spanning_tree.h"

// An edge from the tree to a vertex outside.
typedef struct candidate {
    int32_t edge, child_side;
    int32_t rank, depth;  // depth: of the parent, 0 unless it decides
    int32_t number;       // in the order of discovery
} candidate;

typedef struct growth {
    const tmli_tree_graph *graph;
    tmli_tree *tree;
    int32_t *start, *incident;  // edges of each vertex, in ascending order; vertex nvertices: the ground
    bool *reached;              // (nvertices)
    int32_t nreached;
    candidate *heap;  // (nedges) the best one first
    int32_t ncandidates, nfound;
} growth;

static void list_incident_edges(growth *g);
static void find_candidates(growth *g, int32_t vertex);
static void attach(growth *g, int32_t vertex, int32_t parent, int32_t edge);
static bool is_better(const candidate *a, const candidate *b);
static void push(growth *g, candidate c);
static candidate pop(growth *g);

bool tmli_tree_grow(tmli_tree *tree, const tmli_tree_graph *graph, tmli_arena *arena)
{
    const size_t nv = (size_t)graph->nvertices, ne = (size_t)graph->nedges;
    tmli_arena scratch = {.env = arena->env};
    growth g = {.graph = graph, .tree = tree};
    tree->order = tmli_arena_alloc(arena, 4 * nv + 1, sizeof *tree->order);
    const bool ok =
        tmli_arena_alloc_all(&scratch, TMLI_ARRAY(g.start, nv + 3), TMLI_ARRAY(g.incident, 2 * ne + 1),
                             TMLI_ARRAY(g.reached, nv + 1), TMLI_ARRAY(g.heap, ne + 1)) &&
        tree->order;
    if (ok) {
        tree->parent = tree->order + nv;
        tree->edge = tree->parent + nv;
        tree->depth = tree->edge + nv;
        list_incident_edges(&g);
        find_candidates(&g, TMLI_GROUND);
        for (int32_t root = 0; g.nreached < graph->nvertices;) {
            if (g.ncandidates > 0) {
                const candidate c = pop(&g);
                const int32_t *end = graph->edge[c.edge].vertex;
                if (!g.reached[end[c.child_side]])
                    attach(&g, end[c.child_side], end[1 - c.child_side], c.edge);
            } else {
                const int32_t v = graph->root_order[root++];
                if (!g.reached[v]) attach(&g, v, TMLI_GROUND, -1);
            }
        }
    }
    tmli_arena_clear(&scratch);
    return ok;
}

int32_t tmli_tree_meet(const tmli_tree *t, int32_t a, int32_t b)
{
    while (a != b && a != TMLI_GROUND && b != TMLI_GROUND) {
        if (t->depth[a] > t->depth[b]) a = t->parent[a];
        else b = t->parent[b];
    }
    return a == b ? a : TMLI_GROUND;
}

static void list_incident_edges(growth *g)
{
    const tmli_tree_graph *graph = g->graph;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t e = 0; e < graph->nedges; e++)
            for (int side = 0; side < 2; side++) {
                const int32_t end = graph->edge[e].vertex[side];
                const int32_t v = end == TMLI_GROUND ? graph->nvertices : end;
                if (pass == 0) g->start[v + 2]++;
                else g->incident[g->start[v + 1]++] = e;
            }
        for (int32_t v = 0; v <= graph->nvertices && pass == 0; v++) g->start[v + 2] += g->start[v + 1];
    }
}

// The vertex is in the tree: its edges to vertices outside become candidates.
static void find_candidates(growth *g, int32_t vertex)
{
    const int32_t v = vertex == TMLI_GROUND ? g->graph->nvertices : vertex;
    for (int32_t k = g->start[v]; k < g->start[v + 1]; k++) {
        const tmli_tree_edge *e = &g->graph->edge[g->incident[k]];
        const int32_t side = e->vertex[0] == vertex ? 1 : 0, child = e->vertex[side];
        if (child == TMLI_GROUND || g->reached[child] || !e->can_be_child[side]) continue;
        push(g, (candidate){.edge = g->incident[k],
                            .child_side = side,
                            .rank = e->rank,
                            .depth = g->graph->shallow && vertex != TMLI_GROUND ? g->tree->depth[vertex] : 0,
                            .number = g->nfound++});
    }
}

static void attach(growth *g, int32_t vertex, int32_t parent, int32_t edge)
{
    tmli_tree *t = g->tree;
    g->reached[vertex] = true;
    t->order[g->nreached++] = vertex;
    t->parent[vertex] = parent;
    t->edge[vertex] = edge;
    t->depth[vertex] = parent == TMLI_GROUND ? 1 : t->depth[parent] + 1;
    find_candidates(g, vertex);
}

static bool is_better(const candidate *a, const candidate *b)
{
    if (a->rank != b->rank) return a->rank > b->rank;
    if (a->depth != b->depth) return a->depth < b->depth;
    return a->number < b->number;
}

static void push(growth *g, candidate c)
{
    int32_t i = g->ncandidates++;
    for (; i > 0 && is_better(&c, &g->heap[(i - 1) / 2]); i = (i - 1) / 2) g->heap[i] = g->heap[(i - 1) / 2];
    g->heap[i] = c;
}

static candidate pop(growth *g)
{
    const candidate best = g->heap[0], last = g->heap[--g->ncandidates];
    int32_t i = 0;
    for (int32_t c = 1; c < g->ncandidates; c = 2 * i + 1) {
        if (c + 1 < g->ncandidates && is_better(&g->heap[c + 1], &g->heap[c])) c++;
        if (!is_better(&g->heap[c], &last)) break;
        g->heap[i] = g->heap[c];
        i = c;
    }
    g->heap[i] = last;
    return best;
}

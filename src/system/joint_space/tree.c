// The spanning tree: which joints of a model are solved for, and the order of the bodies.
//
// The tree grows from the ground. Of all joints between a body in the tree and one outside, that with the
// most rows is taken, so that few coordinates and few loop rows remain; among equals the one nearest to the
// ground, so that the tree is shallow and changes travel short ways. When no joint leads on, a body becomes
// free: the one that can hold most others, then the heaviest.
#include "system/joint_space/internal.h"

#include <string.h>

typedef struct edge {  // a joint that can be solved for
    int constraint;
    int node[2];       // of its frames, -1: ground
    bool possible[2];  // with the child at frame a, at frame b
    int rows;          // that it takes
} edge;

typedef struct growth {
    const tml_model *m;
    int nedges;
    edge *edge;
    int *start, *list;  // edges of each node; node nnodes: ground
    int *limb_of;       // (nodes) -1: outside
    int nfrontier, *frontier;
} growth;

static void find_edges(growth *g)
{
    const tml_model *m = g->m;
    for (int c = 0; c < m->nconstraints; c++) {
        edge e = {.constraint = c,
                  .node = {m->constraint[c].marker[0].body, m->constraint[c].marker[1].body}};
        if (!m->constraint[c].has_reaction) continue;
        for (int side = 0; side < 2; side++) {
            tmli_tree_joint b;
            e.possible[side] = tmli_tree_joint_of_joint(m, c, side, &b);
            if (e.possible[side]) e.rows = b.solved;
        }
        if (e.possible[0] || e.possible[1]) g->edge[g->nedges++] = e;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < g->nedges; k++)
            for (int side = 0; side < 2; side++) {
                const int v = g->edge[k].node[side] < 0 ? m->nnodes : g->edge[k].node[side];
                if (pass == 0) g->start[v + 2]++;
                else g->list[g->start[v + 1]++] = k;
            }
        for (int v = 0; v <= m->nnodes && pass == 0; v++) g->start[v + 2] += g->start[v + 1];
    }
}

static bool outside(const growth *g, int node) { return node >= 0 && g->limb_of[node] < 0; }

static void add_frontier(growth *g, int v)
{
    for (int k = g->start[v]; k < g->start[v + 1]; k++) {
        const edge *e = &g->edge[g->list[k]];
        if (outside(g, e->node[0]) || outside(g, e->node[1])) g->frontier[g->nfrontier++] = g->list[k];
    }
}

// The best edge that leads on, taken out of the frontier with those that do not any more; *side: of the
// child. -1: none.
static int take_edge(growth *g, const tmli_tree_joint *limb, int *side)
{
    int best = -1, best_depth = 0, kept = 0;
    for (int k = 0; k < g->nfrontier; k++) {
        const edge *e = &g->edge[g->frontier[k]];
        const int child = outside(g, e->node[1]) ? 1 : 0, parent = e->node[1 - child];
        if (!outside(g, e->node[child])) continue;
        g->frontier[kept++] = g->frontier[k];
        if (!e->possible[child]) continue;
        const int depth = parent < 0 ? 0 : limb[g->limb_of[parent]].depth;
        const int lead = best < 0 ? 1 : e->rows - g->edge[best].rows;
        if (lead < 0 || (lead == 0 && depth >= best_depth)) continue;
        best = g->frontier[k];
        best_depth = depth;
        *side = child;
    }
    g->nfrontier = kept;
    return best;
}

static int choose_free(const growth *g)
{
    int best = -1, most = 0;
    for (int v = 0; v < g->m->nnodes; v++) {
        if (!outside(g, v)) continue;
        int joints = 0;
        for (int k = g->start[v]; k < g->start[v + 1]; k++) {
            const edge *e = &g->edge[g->list[k]];
            joints += e->possible[e->node[0] == v ? 1 : 0];
        }
        const double mass = g->m->node[v].mass;
        if (best >= 0 && (joints < most || (joints == most && mass <= g->m->node[best].mass))) continue;
        best = v;
        most = joints;
    }
    return best;
}

static void hang(tmli_joint_space *s, growth *g, tmli_tree_joint b, int parent_node)
{
    const int i = s->nlimbs++;
    const tmli_tree_joint *parent = parent_node < 0 ? NULL : &s->limb[g->limb_of[parent_node]];
    b.parent = parent ? g->limb_of[parent_node] : -1;
    b.depth = parent ? parent->depth + 1 : 1;
    if (parent) b.arm = v3_sub(b.arm, parent->origin);
    b.first = s->n;
    b.firstq = s->nq;
    s->n += b.nu;
    s->nq += b.nqs;
    if (b.depth > s->depth) s->depth = b.depth;
    s->limb[i] = b;
    g->limb_of[b.node] = i;
    add_frontier(g, b.node);
}

static void grow(tmli_joint_space *s, growth *g)
{
    find_edges(g);
    for (int v = 0; v < g->m->nnodes; v++) g->limb_of[v] = -1;
    add_frontier(g, g->m->nnodes);
    while (s->nlimbs < g->m->nnodes) {
        int side = 0;
        const int k = take_edge(g, s->limb, &side);
        if (k < 0) {
            hang(s, g, tmli_tree_joint_free(g->m, choose_free(g)), -1);
            continue;
        }
        tmli_tree_joint b;
        tmli_tree_joint_of_joint(g->m, g->edge[k].constraint, side, &b);
        hang(s, g, b, g->edge[k].node[1 - side]);
    }
}

tml_status tmli_joint_space_build_tree(tmli_joint_space *s, tml_error *err)
{
    const tml_model *m = s->model;
    const size_t nodes = (size_t)m->nnodes, nc = (size_t)m->nconstraints;
    tmli_arena scratch = {.env = &s->env};
    s->limb = tmli_arena_alloc(&s->arena, nodes, sizeof *s->limb);
    s->limb_of = tmli_arena_alloc(&s->arena, nodes, sizeof *s->limb_of);
    growth g = {.m = m, .limb_of = s->limb_of};
    g.edge = tmli_arena_alloc(&scratch, nc + 1, sizeof *g.edge);
    g.start = tmli_arena_alloc(&scratch, nodes + 4, sizeof *g.start);
    g.list = tmli_arena_alloc(&scratch, 2 * nc + 1, sizeof *g.list);
    g.frontier = tmli_arena_alloc(&scratch, 2 * nc + 1, sizeof *g.frontier);
    const bool ok = s->limb && s->limb_of && g.edge && g.start && g.list && g.frontier;
    if (ok) grow(s, &g);
    tmli_arena_clear(&scratch);
    return ok ? TML_OK : tmli_no_memory(err, "joint coordinates");
}

// The spanning tree: which joints of a model become tree joints, and the order of the bodies.
//
// The tree (linalg/pattern/spanning_tree.h) prefers the joint with the most rows, so that few coordinates
// and few loop rows remain; among equals the one nearest to the ground, so that the tree is shallow and
// paths are short. Where no joint leads on, a body becomes free: the one that can hold most others, then
// the heaviest.
#include "linalg/pattern/spanning_tree.h"
#include "system/joint_space/internal.h"

#include <stdlib.h>

// A body that may become free.
typedef struct root {
    int node;
    bool state;  // a first-order state
    int joints;  // that could attach other bodies to it
    double mass;
} root;

// Joints whose reactions are loads of forces are no tree joints: their multipliers are unknowns.
static void cut_loads(const tml_model *m, tmli_tree_edge *edge)
{
    for (int i = 0; i < m->nforces; i++)
        for (int l = 0; l < m->force[i].nloads && m->force[i].load >= 0; l++) {
            tmli_tree_edge *cut = &edge[m->force[i].load + l];
            cut->can_be_child[0] = cut->can_be_child[1] = false;
        }
}

// Edge c is constraint c; one that cannot be a tree joint has no child.
static void list_edges(const tml_model *m, tmli_tree_edge *edge)
{
    for (int c = 0; c < m->nconstraints; c++) {
        const tmli_constraint *g = &m->constraint[c];
        edge[c] = (tmli_tree_edge){.vertex = {g->marker[0].body, g->marker[1].body}};
        for (int side = 0; side < 2; side++) {
            tmli_tree_joint b;
            if (tmli_tree_joint_is_sure(m, g, side)) {
                edge[c].can_be_child[side] = true;
                edge[c].rank = g->nrows;
                continue;
            }
            edge[c].can_be_child[side] = tmli_tree_joint_of_joint(m, c, side, &b);
            if (edge[c].can_be_child[side]) edge[c].rank = b.solved;
        }
    }
    cut_loads(m, edge);
}

static int compare_roots(const void *a, const void *b)
{
    const root *x = a, *y = b;
    if (x->state != y->state) return x->state ? 1 : -1;
    if (x->joints != y->joints) return x->joints < y->joints ? 1 : -1;
    if (x->mass != y->mass) return x->mass < y->mass ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

static void sort_roots(const tml_model *m, const tmli_tree_edge *edge, bool in_order, root *roots,
                       int32_t *root_order)
{
    for (int v = 0; v < m->nnodes; v++) root_order[v] = v;
    if (in_order) return;
    for (int v = 0; v < m->nnodes; v++)
        roots[v] = (root){.node = v, .state = v >= m->nnodes - m->nz, .mass = m->node[v].mass};
    for (int c = 0; c < m->nconstraints; c++)
        for (int side = 0; side < 2; side++)
            if (edge[c].vertex[side] != TMLI_GROUND)
                roots[edge[c].vertex[side]].joints += edge[c].can_be_child[1 - side];
    qsort(roots, (size_t)m->nnodes, sizeof *roots, compare_roots);
    for (int v = 0; v < m->nnodes; v++) root_order[v] = roots[v].node;
}

static void add_tree_joint(tmli_joint_space *s, const tmli_tree *tree, const tmli_tree_edge *edge, int node)
{
    const int i = s->njoints++, c = tree->edge[node];
    tmli_tree_joint b;
    if (c < 0) b = tmli_tree_joint_free(s->model, node);
    else tmli_tree_joint_of_joint(s->model, c, edge[c].vertex[0] == node ? 0 : 1, &b);
    b.parent = tree->parent[node] == TMLI_GROUND ? -1 : s->joint_of_node[tree->parent[node]];
    b.depth = tree->depth[node];
    if (b.parent >= 0) b.arm = v3_sub(b.arm, s->joint[b.parent].origin);
    b.first = s->n;
    b.firstq = s->nq;
    s->n += b.nu;
    s->nq += b.nqs;
    if (b.depth > s->depth) s->depth = b.depth;
    s->joint[i] = b;
    s->joint_of_node[node] = i;
}

tml_status tmli_joint_space_build_tree(tmli_joint_space *s, tml_error *err)
{
    const tml_model *m = s->model;
    const size_t nodes = (size_t)m->nnodes;
    tmli_arena scratch = {.env = &s->env};
    s->joint = tmli_arena_alloc(&s->arena, nodes, sizeof *s->joint);
    s->joint_of_node = tmli_arena_alloc(&s->arena, nodes, sizeof *s->joint_of_node);
    tmli_tree_edge *edge = tmli_arena_alloc(&scratch, (size_t)m->nconstraints + 1, sizeof *edge);
    root *roots = tmli_arena_alloc(&scratch, nodes, sizeof *roots);
    int32_t *root_order = tmli_arena_alloc(&scratch, nodes, sizeof *root_order);
    tmli_tree tree = {0};
    bool ok = s->joint && s->joint_of_node && edge && roots && root_order;
    if (ok) {
        list_edges(m, edge);
        sort_roots(m, edge, s->unswitched, roots, root_order);
        const tmli_tree_graph graph = {.nvertices = m->nnodes,
                                       .nedges = m->nconstraints,
                                       .edge = edge,
                                       .root_order = root_order,
                                       .shallow = true};
        ok = tmli_tree_grow(&tree, &graph, &scratch);
    }
    for (int k = 0; k < m->nnodes && ok; k++) add_tree_joint(s, &tree, edge, tree.order[k]);
    tmli_arena_clear(&scratch);
    return ok ? TML_OK : tmli_no_memory(err, "joint coordinates");
}

// The graph of the model, its sparse pattern, and the scatter plans of its elements.
//
// Blocks: one per node with coordinates, one per constraint with rows. Elements couple all their nodes; a
// constraint's block couples with its nodes. For a solver without pivoting each constraint block states which
// nodes must be eliminated before it. Take a spanning tree of the joints from the ground:
//   - a tree joint needs only its child body: its rows have full rank in the child's coordinates alone, and rows of
//     tree joints whose children are eliminated are block triangular, hence independent;
//   - any other constraint closes loops: it needs every body on the tree paths between its bodies. Then each eliminated
//     cluster touches at most one body that is not, and rows dependent within it would be dependent in the mechanism.
#include "model/model.h"

#include <string.h>

// ---- spanning tree ----------------------------------------------------------------------------------------

typedef struct tree {
    int *parent;  // (nnodes) parent node, -1: ground or none
    int *joint;   // (nnodes) constraint that holds the node to its parent, -1: none
    int *depth;
    int *order;  // scratch: queue
} tree;

// Rows of constraint c have full rank in the coordinates of one node alone. Structural check: not more rows
// than coordinates; the joint catalogue has full rank by design, a point mass or a coupler might not.
static bool child_supports(const tml_model *m, const tmli_constraint *c, int node)
{
    if (c->type >= TML_JOINT_GEAR || c->nrows > m->node[node].ncoords) return false;
    return m->node[node].ncoords == (m->planar ? 3 : 6) || c->type == TML_JOINT_SPHERICAL || c->nrows == 1;
}

static tml_status grow_tree(const tml_model *m, tree *tr, tml_error *err)
{
    const size_t n = (size_t)m->nnodes, nc = (size_t)m->nconstraints;
    int *start = tmli_calloc(&m->env, n + 3, sizeof *start);  // constraints of each node; node n: ground
    int *list = tmli_calloc(&m->env, 4 * nc + 1, sizeof *list);
    if (!start || !list) {
        tmli_free(&m->env, start);
        tmli_free(&m->env, list);
        return tmli_no_memory(err, "model");
    }
    for (int pass = 0; pass < 2; pass++) {
        for (size_t c = 0; c < nc; c++) {
            const tmli_constraint *g = &m->constraint[c];
            if (g->type >= TML_JOINT_GEAR || g->nrows == 0) continue;
            const bool grounded = g->plan.nslots < 2;
            for (int k = 0; k < g->plan.nslots + grounded; k++) {
                const size_t v = k < g->plan.nslots ? (size_t)g->plan.node[k] : n;
                if (pass == 0) start[v + 2]++;
                else list[start[v + 1]++] = (int)c;
            }
        }
        if (pass == 0)
            for (size_t v = 0; v <= n; v++) start[v + 2] += start[v + 1];
    }
    int head = 0, tail = 0;
    for (int v = 0; v < m->nnodes; v++) tr->depth[v] = -1;
    // breadth first from the ground, then from every body not reached
    for (int root = m->nnodes; root >= 0; root--) {
        int v = root;
        if (root < m->nnodes) {
            if (tr->depth[root] >= 0) continue;
            tr->depth[root] = 0;
        }
        for (;;) {
            const int from = start[v], to = start[v + 1];
            for (int k = from; k < to; k++) {
                const tmli_constraint *g = &m->constraint[list[k]];
                for (int s = 0; s < g->plan.nslots; s++) {
                    const int w = g->plan.node[s];
                    if (tr->depth[w] >= 0 || !child_supports(m, g, w)) continue;
                    tr->depth[w] = v == m->nnodes ? 1 : tr->depth[v] + 1;
                    tr->parent[w] = v == m->nnodes ? -1 : v;
                    tr->joint[w] = list[k];
                    tr->order[tail++] = w;
                }
            }
            if (head == tail) break;
            v = tr->order[head++];
        }
    }
    tmli_free(&m->env, start);
    tmli_free(&m->env, list);
    return TML_OK;
}

// Nodes that must precede constraint c; returns their number (out may be NULL to count).
static int nodes_before(const tml_model *m, const tree *tr, int c, int *mark, int stamp, int *out)
{
    const tmli_constraint *g = &m->constraint[c];
    for (int s = 0; s < g->plan.nslots; s++)
        if (tr->joint[g->plan.node[s]] == c) {
            if (out) out[0] = g->plan.node[s];
            return 1;
        }
    int count = 0;
    for (int s = 0; s < g->plan.nslots; s++) mark[g->plan.node[s]] = stamp;
    for (int s = 0; s < g->plan.nslots; s++, count++)
        if (out) out[count] = g->plan.node[s];
    // walk all bodies up to their common ancestor, the deepest first
    int at[16], nat = g->plan.nslots < 16 ? g->plan.nslots : 16;
    const bool grounded = g->plan.nslots < 2;
    for (int s = 0; s < nat; s++) at[s] = g->plan.node[s];
    for (;;) {
        int deepest = -1;
        bool same = !grounded;
        for (int s = 0; s < nat; s++) {
            if (at[s] != at[0]) same = false;
            if (at[s] >= 0 && (deepest < 0 || tr->depth[at[s]] > tr->depth[at[deepest]])) deepest = s;
        }
        if (deepest < 0 || same) break;
        const int up = tr->parent[at[deepest]];
        at[deepest] = up;
        if (up >= 0 && mark[up] != stamp) {
            mark[up] = stamp;
            if (out) out[count] = up;
            count++;
        }
    }
    return count;
}

// ---- blocks and edges -------------------------------------------------------------------------------------

typedef struct graph {
    int nblocks, nedges;
    int32_t *size, *edge, *afterptr, *afterind;
    uint8_t *multiplier;
    int *node_block, *constraint_block;
} graph;

static void plan_edges(const graph *g, const tmli_plan *p, int own, int32_t *edge, int *count)
{
    for (int i = 0; i < p->nslots; i++) {
        const int bi = g->node_block[p->node[i]];
        if (bi < 0) continue;
        for (int j = -1; j < i; j++) {
            const int bj = j < 0 ? own : g->node_block[p->node[j]];
            if (bj < 0) continue;
            if (edge) {
                edge[2 * *count] = bi;
                edge[2 * *count + 1] = bj;
            }
            ++*count;
        }
    }
}

static int count_edges(const tml_model *m, const graph *g, int32_t *edge)
{
    int count = 0;
    for (int i = 0; i < m->nconstraints; i++)
        plan_edges(g, &m->constraint[i].plan, g->constraint_block[i], edge, &count);
    for (int i = 0; i < m->nforces; i++) plan_edges(g, &m->force[i].plan, -1, edge, &count);
    return count;
}

static const char *block_name_of(int32_t block, void *user)
{
    const tml_model *m = user;
    return m->block_name[block];
}

static tml_status name_blocks(tml_model *m, const graph *g, tml_error *err)
{
    m->block_name = tmli_arena_alloc(&m->arena, (size_t)g->nblocks, sizeof *m->block_name);
    if (!m->block_name) return tmli_no_memory(err, "model");
    for (int i = 0; i < m->nnodes + m->nconstraints; i++) {
        const bool body = i < m->nnodes;
        const int b = body ? g->node_block[i] : g->constraint_block[i - m->nnodes];
        if (b < 0) continue;
        const char *name = body ? m->node[i].name : m->constraint[i - m->nnodes].name;
        char *text = tmli_arena_alloc(&m->arena, strlen(name) + 10, 1);
        if (!text) return tmli_no_memory(err, "model");
        strcpy(text, body ? "body '" : "joint '");
        strcat(text, name);
        strcat(text, "'");
        m->block_name[b] = text;
    }
    return TML_OK;
}

static tml_status make_after(const tml_model *m, graph *g, tmli_arena *scratch, tml_error *err)
{
    tree tr;
    int *all = tmli_arena_alloc(scratch, 5 * (size_t)m->nnodes + 1, sizeof *all);
    g->afterptr = tmli_arena_alloc(scratch, (size_t)g->nblocks + 1, sizeof *g->afterptr);
    if (!all || !g->afterptr) return tmli_no_memory(err, "model");
    const int n = m->nnodes;
    tr = (tree){.parent = all, .joint = all + n, .depth = all + 2 * n, .order = all + 3 * n};
    int *mark = all + 4 * n;
    for (int i = 0; i < n; i++) tr.parent[i] = tr.joint[i] = -1;
    tml_status st = grow_tree(m, &tr, err);
    if (st != TML_OK) return st;
    int stamp = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < m->nconstraints; c++) {
            const int b = g->constraint_block[c];
            if (b < 0) continue;
            int32_t *out = pass ? g->afterind + g->afterptr[b] : NULL;
            const int count = nodes_before(m, &tr, c, mark, ++stamp, out);
            if (pass == 0) g->afterptr[b + 1] = count;
            for (int k = 0; k < count && pass; k++) out[k] = g->node_block[out[k]];
        }
        if (pass) break;
        for (int b = 0; b < g->nblocks; b++) g->afterptr[b + 1] += g->afterptr[b];
        g->afterind = tmli_arena_alloc(scratch, (size_t)g->afterptr[g->nblocks] + 1, sizeof *g->afterind);
        if (!g->afterind) return tmli_no_memory(err, "model");
    }
    return TML_OK;
}

static tml_status make_graph(tml_model *m, graph *g, tmli_arena *scratch, tml_error *err)
{
    const size_t most = (size_t)m->nnodes + (size_t)m->nconstraints;
    g->size = tmli_arena_alloc(scratch, most, sizeof *g->size);
    g->multiplier = tmli_arena_alloc(scratch, most, 1);
    g->node_block = tmli_arena_alloc(scratch, (size_t)m->nnodes, sizeof(int));
    g->constraint_block = tmli_arena_alloc(scratch, (size_t)m->nconstraints + 1, sizeof(int));
    if (!g->size || !g->multiplier || !g->node_block || !g->constraint_block)
        return tmli_no_memory(err, "model");
    for (int i = 0; i < m->nnodes; i++) {
        g->node_block[i] = g->nblocks;
        g->size[g->nblocks++] = m->node[i].ncoords;
    }
    for (int i = 0; i < m->nconstraints; i++) {
        g->constraint_block[i] = m->constraint[i].nrows ? g->nblocks : -1;
        if (m->constraint[i].nrows == 0) continue;
        g->multiplier[g->nblocks] = 1;
        g->size[g->nblocks++] = m->constraint[i].nrows;
    }
    g->nedges = count_edges(m, g, NULL);
    g->edge = tmli_arena_alloc(scratch, 2 * (size_t)g->nedges + 1, sizeof *g->edge);
    if (!g->edge) return tmli_no_memory(err, "model");
    count_edges(m, g, g->edge);
    return make_after(m, g, scratch, err);
}

// ---- scatter plans ----------------------------------------------------------------------------------------

static tml_status plan_coordinates(tml_model *m, tmli_plan *p, bool matrix, tml_error *err)
{
    for (int s = 0; s < p->nslots; s++) p->nact += m->node[p->node[s]].ncoords;
    const size_t n = (size_t)p->nact;
    p->act = tmli_arena_alloc(&m->arena, n + 1, sizeof *p->act);
    p->global = tmli_arena_alloc(&m->arena, n + 1, sizeof *p->global);
    p->matrix = matrix ? tmli_arena_alloc(&m->arena, n * n + 1, sizeof *p->matrix) : NULL;
    if (!p->act || !p->global || (matrix && !p->matrix)) return tmli_no_memory(err, "model");
    int k = 0;
    for (int s = 0; s < p->nslots; s++) {
        const tmli_node *node = &m->node[p->node[s]];
        for (int c = 0; c < node->ncoords; c++, k++) {
            p->act[k] = 6 * s + node->local[c];
            p->global[k] = node->first + c;
        }
    }
    for (size_t i = 0; matrix && i < n; i++)
        for (size_t j = 0; j < n; j++)
            p->matrix[i * n + j] = tmli_pattern_find(m->pattern, p->global[i], p->global[j]);
    if (p->nact > m->max_act) m->max_act = p->nact;
    if (p->nslots > m->max_slots) m->max_slots = p->nslots;
    return TML_OK;
}

static tml_status plan_constraint(tml_model *m, tmli_constraint *c, tml_error *err)
{
    tml_status st = plan_coordinates(m, &c->plan, true, err);
    if (st != TML_OK) return st;
    const int n = c->plan.nact;
    const size_t all = (size_t)n * (size_t)c->nrows;
    c->rows = tmli_arena_alloc(&m->arena, all + 1, sizeof *c->rows);
    c->columns = tmli_arena_alloc(&m->arena, all + 1, sizeof *c->columns);
    c->csr = tmli_arena_alloc(&m->arena, all + 1, sizeof *c->csr);
    if (!c->rows || !c->columns || !c->csr) return tmli_no_memory(err, "model");
    for (int r = 0; r < c->nrows; r++)
        for (int k = 0; k < n; k++) {
            const int row = m->n + c->first + r, col = c->plan.global[k];
            c->rows[r * n + k] = tmli_pattern_find(m->pattern, row, col);
            c->columns[r * n + k] = tmli_pattern_find(m->pattern, col, row);
        }
    if (c->nrows > m->max_rows) m->max_rows = c->nrows;
    return TML_OK;
}

// B by rows: the columns of a row ascend.
static tml_status plan_rows(tml_model *m, tml_error *err)
{
    m->rowptr = tmli_arena_alloc(&m->arena, (size_t)m->m + 1, sizeof(int));
    m->row_owner = tmli_arena_alloc(&m->arena, (size_t)m->m + 1, sizeof(int));
    if (!m->rowptr || !m->row_owner) return tmli_no_memory(err, "model");
    for (int i = 0; i < m->nconstraints; i++)
        for (int r = 0; r < m->constraint[i].nrows; r++) {
            m->rowptr[m->constraint[i].first + r + 1] = m->constraint[i].plan.nact;
            m->row_owner[m->constraint[i].first + r] = i;
        }
    for (int r = 0; r < m->m; r++) m->rowptr[r + 1] += m->rowptr[r];
    m->rowcol = tmli_arena_alloc(&m->arena, (size_t)m->rowptr[m->m] + 1, sizeof(int));
    if (!m->rowcol) return tmli_no_memory(err, "model");
    for (int i = 0; i < m->nconstraints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        const int n = c->plan.nact;
        for (int k = 0; k < n; k++) {
            int rank = 0;
            for (int j = 0; j < n; j++) rank += c->plan.global[j] < c->plan.global[k];
            for (int r = 0; r < c->nrows; r++) {
                c->csr[r * n + k] = m->rowptr[c->first + r] + rank;
                m->rowcol[c->csr[r * n + k]] = c->plan.global[k];
            }
        }
    }
    return TML_OK;
}

tml_status tmli_model_build_pattern(tml_model *m, tml_error *err)
{
    tmli_arena scratch = {.env = &m->env};
    graph g = {0};
    tml_status st = make_graph(m, &g, &scratch, err);
    if (st == TML_OK) st = name_blocks(m, &g, err);
    if (st == TML_OK)
        st = tmli_pattern_create(g.nblocks, g.size, g.multiplier, g.nedges, g.edge, g.afterptr, g.afterind,
                                 block_name_of, m, &m->env, &m->pattern, err);
    tmli_arena_clear(&scratch);
    for (int i = 0; i < m->nnodes && st == TML_OK; i++) {
        tmli_node *node = &m->node[i];
        const int n = node->ncoords;
        for (int k = 0; k < n * n; k++)
            node->matrix[k] = tmli_pattern_find(m->pattern, node->first + k / n, node->first + k % n);
    }
    for (int i = 0; i < m->nconstraints && st == TML_OK; i++) st = plan_constraint(m, &m->constraint[i], err);
    for (int i = 0; i < m->nforces && st == TML_OK; i++)
        st = plan_coordinates(m, &m->force[i].plan, true, err);
    if (st == TML_OK) st = plan_rows(m, err);
    return st;
}

// The graph of the model, its sparse pattern, and the scatter plans of its elements.
//
// Blocks: one per node with coordinates, one per constraint with rows. Elements couple all their nodes; a
// constraint's block couples with its nodes. For a solver without pivoting each constraint block states which
// nodes must be eliminated before it. The rules follow from a spanning tree
// (linalg/pattern/spanning_tree.h) of the joints, here breadth first from the ground:
//   - a tree joint needs only its child body: its rows have full rank in the child's coordinates alone, and
//     rows of tree joints whose children are eliminated are block triangular, hence independent;
//   - any other constraint closes loops: it needs every body on the tree paths between its bodies. Then each
//     eliminated cluster touches at most one body that is not eliminated, and rows dependent within the
//     cluster would be dependent in the mechanism.
#include "model/build/build.h"

#include "linalg/pattern/spanning_tree.h"

#include <string.h>

// ---- rules of elimination ---------------------------------------------------------------------------------

// Rows of constraint c have full rank in the coordinates of one node alone. Structural check: not more rows
// than coordinates; the joint catalogue has full rank by design, a point mass or a coupler might not.
static bool child_supports(const tml_model *m, const tmli_constraint *c, int node)
{
    if (c->ops->role != TMLI_JOINT_BETWEEN || c->nrows > m->node[node].ncoords) return false;
    const bool points = (c->ops->uses[0] | c->ops->uses[1]) == TMLI_USES_POINT;
    return m->node[node].ncoords == (m->planar ? 3 : 6) || points || c->nrows == 1;
}

// A breadth-first tree over the joints: edge c is constraint c. Couplers and joints without rows are outside.
static tml_status grow_tree(const tml_model *m, tmli_tree *tree, tmli_arena *scratch, tml_error *err)
{
    const int n = m->nnodes, nc = m->nconstraints;
    tmli_tree_edge *edge = tmli_arena_alloc(scratch, (size_t)nc + 1, sizeof *edge);
    int32_t *root_order = tmli_arena_alloc(scratch, (size_t)n + 1, sizeof *root_order);
    if (!edge || !root_order) return tmli_no_memory(err, "model");
    for (int c = 0; c < nc; c++) {
        const tmli_constraint *g = &m->constraint[c];
        edge[c] = (tmli_tree_edge){.vertex = {TMLI_GROUND, TMLI_GROUND}};
        if (g->ops->role != TMLI_JOINT_BETWEEN || g->nrows == 0) continue;
        for (int s = 0; s < g->plan.nslots; s++) {
            edge[c].vertex[s] = g->plan.node[s];
            edge[c].can_be_child[s] = child_supports(m, g, g->plan.node[s]);
        }
    }
    for (int v = 0; v < n; v++) root_order[v] = n - 1 - v;
    const tmli_tree_graph graph = {.nvertices = n, .nedges = nc, .edge = edge, .root_order = root_order};
    return tmli_tree_grow(tree, &graph, scratch) ? TML_OK : tmli_no_memory(err, "model");
}

// Nodes that must precede constraint c: the child of a tree joint; otherwise all nodes on the tree paths
// between the nodes of c, or to the ground if c has one node. Returns their number (out may be NULL to
// count). mark: (nnodes), nodes with `stamp` are listed.
static int nodes_before(const tml_model *m, const tmli_tree *tree, int c, int *mark, int stamp, int *out)
{
    const tmli_plan *p = &m->constraint[c].plan;
    for (int s = 0; s < p->nslots; s++)
        if (tree->edge[p->node[s]] == c) {
            if (out) out[0] = p->node[s];
            return 1;
        }
    int32_t meet = p->nslots < 2 ? TMLI_GROUND : p->node[0];
    for (int s = 1; s < p->nslots; s++) meet = tmli_tree_meet(tree, meet, p->node[s]);
    int count = 0;
    for (int s = 0; s < p->nslots; s++)
        for (int32_t v = p->node[s]; v != TMLI_GROUND && mark[v] != stamp; v = tree->parent[v]) {
            mark[v] = stamp;
            if (out) out[count] = v;
            count++;
            if (v == meet) break;
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
    for (int i = 0; i < m->nforces; i++)
        if (!m->force[i].diagonal_tangent) plan_edges(g, &m->force[i].plan, -1, edge, &count);
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
    tmli_tree tree;
    int *mark = tmli_arena_alloc(scratch, (size_t)m->nnodes + 1, sizeof *mark);
    g->afterptr = tmli_arena_alloc(scratch, (size_t)g->nblocks + 1, sizeof *g->afterptr);
    if (!mark || !g->afterptr) return tmli_no_memory(err, "model");
    tml_status st = grow_tree(m, &tree, scratch, err);
    if (st != TML_OK) return st;
    int stamp = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < m->nconstraints; c++) {
            const int b = g->constraint_block[c];
            if (b < 0) continue;
            int32_t *out = pass ? g->afterind + g->afterptr[b] : NULL;
            const int count = nodes_before(m, &tree, c, mark, ++stamp, out);
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
        g->multiplier[g->nblocks] = m->constraint[i].stick ? TMLI_SWITCHED_BLOCK : 1;
        g->size[g->nblocks++] = m->constraint[i].nrows;
    }
    g->nedges = count_edges(m, g, NULL);
    g->edge = tmli_arena_alloc(scratch, 2 * (size_t)g->nedges + 1, sizeof *g->edge);
    if (!g->edge) return tmli_no_memory(err, "model");
    count_edges(m, g, g->edge);
    return make_after(m, g, scratch, err);
}

// ---- scatter plans ----------------------------------------------------------------------------------------

// out[i * by_row + j * by_column] := offset of the entry (row + i, column + j) of two blocks that begin with
// `row` and `column`. The rows of a block lie side by side, at the same place in every column of a block.
static void find_entries(const tml_pattern *p, int row, int rows, int column, int columns, int32_t *out,
                         int by_row, int by_column)
{
    if (rows == 0 || columns == 0) return;
    const int32_t within = tmli_pattern_find(p, row, column) - p->colptr[column];
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) out[i * by_row + j * by_column] = p->colptr[column + j] + within + i;
}

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
    for (int s = 0, i = 0; matrix && s < p->nslots; i += m->node[p->node[s++]].ncoords)
        for (int t = 0, j = 0; t < p->nslots; j += m->node[p->node[t++]].ncoords) {
            const tmli_node *a = &m->node[p->node[s]], *b = &m->node[p->node[t]];
            find_entries(m->pattern, a->first, a->ncoords, b->first, b->ncoords, p->matrix + i * p->nact + j,
                         p->nact, 1);
        }
    if (matrix && p->nact > m->max_act) m->max_act = p->nact;
    if (matrix && p->nslots > m->max_slots) m->max_slots = p->nslots;
    return TML_OK;
}

static tml_status plan_force(tml_model *m, tmli_force *f, tml_error *err)
{
    enum { ALIGNED = 16 };
    if (f->diagonal_tangent && f->plan.nslots > m->max_diagonal_slots) m->max_diagonal_slots = f->plan.nslots;
    f->scratch_at = m->scratch_bytes;
    m->scratch_bytes += (f->scratch + ALIGNED - 1) / ALIGNED * ALIGNED;
    return plan_coordinates(m, &f->plan, !f->diagonal_tangent, err);
}

static tml_status plan_constraint(tml_model *m, tmli_constraint *c, tml_error *err)
{
    tml_status st = plan_coordinates(m, &c->plan, true, err);
    if (st != TML_OK) return st;
    const int n = c->plan.nact;
    const size_t all = (size_t)n * (size_t)c->nrows;
    if (!tmli_arena_alloc_all(&m->arena, TMLI_ARRAY(c->rows, all + 1), TMLI_ARRAY(c->columns, all + 1),
                              TMLI_ARRAY(c->csr, all + 1)))
        return tmli_no_memory(err, "model");
    for (int s = 0, k = 0; s < c->plan.nslots; k += m->node[c->plan.node[s++]].ncoords) {
        const tmli_node *node = &m->node[c->plan.node[s]];
        const int row = m->n + c->first;
        find_entries(m->pattern, row, c->nrows, node->first, node->ncoords, c->rows + k, n, 1);
        find_entries(m->pattern, node->first, node->ncoords, row, c->nrows, c->columns + k, 1, n);
    }
    if (c->nrows > m->max_rows) m->max_rows = c->nrows;
    if (!c->stick) return TML_OK;
    c->diagonal = tmli_arena_alloc(&m->arena, (size_t)c->nrows, sizeof *c->diagonal);
    if (!c->diagonal) return tmli_no_memory(err, "model");
    for (int r = 0; r < c->nrows; r++)
        c->diagonal[r] = tmli_pattern_find(m->pattern, m->n + c->first + r, m->n + c->first + r);
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
    bool rates = false;
    for (int i = 0; i < m->nconstraints; i++) rates = rates || m->constraint[i].rates;
    if (rates) m->level = tmli_arena_alloc(&m->arena, (size_t)m->m + 1, 1);
    if (rates && !m->level) return tmli_no_memory(err, "model");
    for (int r = 0; r < m->m && rates; r++) {
        const tmli_constraint *c = &m->constraint[m->row_owner[r]];
        m->level[r] = c->rate[r - c->first] ? TML_LEVEL_VELOCITY : TML_LEVEL_POSITION;
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
        find_entries(m->pattern, node->first, n, node->first, n, node->matrix, n, 1);
    }
    for (int i = 0; i < m->nconstraints && st == TML_OK; i++) st = plan_constraint(m, &m->constraint[i], err);
    for (int i = 0; i < m->nforces && st == TML_OK; i++) st = plan_force(m, &m->force[i], err);
    if (st == TML_OK) st = plan_rows(m, err);
    return st;
}

// Nodes tied to a new one as a rigid body: how a surface of a solid, whose nodes have no rotations, becomes
// an interface node.
//
// With the motion (u, th) of the new node at c, a tied node at X moves by u + th x (X - c) and turns by th.
// In the remaining coordinates x = T x', so that K' = T'K T and M' = T'M T.
#include "part/part.h"

#include <string.h>

enum { TERMS = 3 };  // of a row of T: a translation has u and two components of th

typedef struct tie {
    tml_mesh *mesh;
    tml_error *err;
    tmli_arena arena;
    int n;                // rows after the tie
    int32_t *column;      // (n x TERMS) of T
    double *coefficient;  // (n x TERMS); 0: none
} tie;

static void set_term(const tie *t, int row, int k, int column, double coefficient)
{
    t->column[TERMS * row + k] = column;
    t->coefficient[TERMS * row + k] = coefficient;
}

// Rows of T of a tied node; the new node has the columns from `first`.
static void tie_node(const tie *t, const tmli_mesh_node *node, const double c[3], int first)
{
    double r[3];
    v3_store(v3_sub(v3_from(node->position), v3_from(c)), r);
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, d = (a + 2) % 3;  // (th x r)_a = th_b r_d - th_d r_b
        if (node->row[a] >= 0) {
            set_term(t, node->row[a], 0, first + a, 1);
            set_term(t, node->row[a], 1, first + 3 + b, r[d]);
            set_term(t, node->row[a], 2, first + 3 + d, -r[b]);
        }
        if (node->row[3 + a] >= 0) set_term(t, node->row[3 + a], 0, first + 3 + a, 1);
    }
}

static tml_status transform(tie *t, tmli_sparse *A)
{
    tmli_arena scratch = {.env = &t->mesh->env};
    const size_t most = TERMS * TERMS * (size_t)A->colptr[A->n] + 1;
    int32_t *row = tmli_arena_alloc(&scratch, most, sizeof *row);
    int32_t *col = tmli_arena_alloc(&scratch, most, sizeof *col);
    double *value = tmli_arena_alloc(&scratch, most, sizeof *value);
    int count = 0;
    tml_status st = row && col && value ? TML_OK : tmli_no_memory(t->err, "mesh");
    for (int j = 0; j < A->n && st == TML_OK; j++)
        for (int32_t e = A->colptr[j]; e < A->colptr[j + 1]; e++)
            for (int k = 0; k < TERMS * TERMS; k++) {
                const int a = TERMS * A->rowind[e] + k / TERMS, b = TERMS * j + k % TERMS;
                const double x = t->coefficient[a] * A->value[e] * t->coefficient[b];
                if (x == 0) continue;
                row[count] = t->column[a];
                col[count] = t->column[b];
                value[count++] = x;
            }
    if (st == TML_OK) st = tmli_sparse_build(&t->mesh->arena, t->n, count, row, col, value, NULL, A, t->err);
    tmli_arena_clear(&scratch);
    return st;
}

// The nodes by index; marks those that are tied with -1 in `tied`, the centre in c.
static tml_status find_nodes(const tie *t, int count, const char *const *nodes, int *tied, double c[3])
{
    memset(c, 0, 3 * sizeof *c);
    for (int k = 0; k < count; k++) {
        const int i = tmli_mesh_find(t->mesh, nodes[k], t->err);
        if (i < 0) return TML_ERR_NAME;
        if (tied[i]) return tmli_fail(t->err, TML_ERR_NAME, "node '%s' is tied twice", t->mesh->node[i].name);
        tied[i] = 1;
        for (int a = 0; a < 3; a++) c[a] += t->mesh->node[i].position[a] / count;
    }
    return TML_OK;
}

static tml_status make(tie *t, const char *name, int count, const char *const *nodes)
{
    tml_mesh *mesh = t->mesh;
    const size_t rows = TERMS * (size_t)mesh->n;
    double c[3];
    int *tied = tmli_arena_alloc(&t->arena, (size_t)mesh->nnodes + 1, sizeof *tied);
    t->column = tmli_arena_alloc(&t->arena, rows, sizeof *t->column);
    t->coefficient = tmli_arena_alloc(&t->arena, rows, sizeof *t->coefficient);
    tmli_mesh_node *list = tmli_calloc(&mesh->env, (size_t)mesh->nnodes + 1, sizeof *list);
    char *copy = tmli_arena_strdup(&mesh->arena, name);
    tml_status st = tied && t->column && t->coefficient && list && copy ? find_nodes(t, count, nodes, tied, c)
                                                                        : tmli_no_memory(t->err, "mesh");
    int left = 0;
    for (int i = 0; i < mesh->nnodes && st == TML_OK; i++) {
        if (tied[i]) continue;
        list[left] = mesh->node[i];
        for (int k = 0; k < 6; k++)
            if (mesh->node[i].row[k] >= 0) {
                set_term(t, mesh->node[i].row[k], 0, t->n, 1);
                list[left].row[k] = t->n++;
            }
        left++;
    }
    for (int i = 0; i < mesh->nnodes && st == TML_OK; i++)
        if (tied[i]) tie_node(t, &mesh->node[i], c, t->n);
    if (st == TML_OK) {
        tmli_mesh_node *node = &list[left++];
        *node = (tmli_mesh_node){.name = copy, .position = {c[0], c[1], c[2]}, .line = 1};
        for (int k = 0; k < 6; k++) node->row[k] = t->n++;
        st = transform(t, &mesh->K);
    }
    if (st == TML_OK) st = transform(t, &mesh->M);
    for (int k = 0; k < mesh->ncases && st == TML_OK; k++) st = transform(t, &mesh->load[k].matrix);
    if (st != TML_OK) {
        tmli_free(&mesh->env, list);
        return st;
    }
    tmli_free(&mesh->env, mesh->node);
    mesh->node = list;
    mesh->nnodes = left;
    mesh->n = t->n;
    return tmli_mesh_check(mesh, t->err);
}

tml_status tml_mesh_tie(tml_mesh *mesh, const char *name, int count, const char *const *nodes, tml_error *err)
{
    if (!mesh || !name || !nodes) return tmli_null_argument(err, "tml_mesh_tie");
    if (count < 1) return tmli_fail(err, TML_ERR_ARG, "no node is tied to '%s'", name);
    tie t = {.mesh = mesh, .err = err, .arena.env = &mesh->env};
    const tml_status st = make(&t, name, count, nodes);
    tmli_arena_clear(&t.arena);
    return st;
}

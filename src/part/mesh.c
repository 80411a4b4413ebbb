// Meshes: reading, checks, writing.
#include "base/csv.h"
#include "base/target.h"
#include "part/part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "part/constants.h"

const char *const tmli_node_coordinate[6] = {"x", "y", "z", "rx", "ry", "rz"};
static const char *const column_name[] = {"node", "x", "y", "z", "ux", "uy", "uz", "rx", "ry", "rz"};
enum { COLUMNS = 10, FILE_COLUMNS = 64 };

tml_status tmli_mesh_create(const tml_env *env, tml_mesh **out, tml_error *err)
{
    *out = NULL;
    tml_mesh *mesh = tmli_calloc(env, 1, sizeof *mesh);
    if (!mesh) return tmli_no_memory(err, "mesh");
    if (env) mesh->env = *env;
    mesh->arena.env = &mesh->env;
    *out = mesh;
    return TML_OK;
}

void tml_mesh_destroy(tml_mesh *mesh)
{
    if (!mesh) return;
    const tml_env env = mesh->env;
    tmli_free_all(&env, mesh->node, mesh->load);
    tmli_arena_clear(&mesh->arena);
    tmli_free(&env, mesh);
}

int tml_mesh_node_count(const tml_mesh *mesh) { return mesh ? mesh->nnodes : 0; }
int tml_mesh_size(const tml_mesh *mesh) { return mesh ? mesh->n : 0; }

int tmli_mesh_find(const tml_mesh *mesh, const char *name, tml_error *err)
{
    for (int i = 0; i < mesh->nnodes; i++)
        if (strcmp(mesh->node[i].name, name) == 0) return i;
    tmli_fail_at(err, TML_ERR_NAME, (tml_mark){mesh->file, mesh->file ? 1 : 0, 0},
                 "the mesh has no node '%s'", name);
    const char **names = err ? tmli_calloc(&mesh->env, (size_t)mesh->nnodes + 1, sizeof *names) : NULL;
    for (int i = 0; i < mesh->nnodes && names; i++) names[i] = mesh->node[i].name;
    tmli_error_hint(err, name, names, (size_t)mesh->nnodes);
    tmli_free(&mesh->env, names);
    return -1;
}

// ---- the file of nodes ------------------------------------------------------------------------------------

typedef struct nodes_file {
    tmli_lines l;
    tml_mesh *mesh;
    char separator;
    int count, meaning[FILE_COLUMNS];  // of its columns: index in column_name; -1: not used
    int room;
} nodes_file;

static tml_status read_header(nodes_file *f)
{
    char word[TMLI_WORD];
    tml_mark at;
    bool found[COLUMNS] = {false};
    if (!tmli_lines_next(&f->l, '#'))
        return tmli_fail_at(f->l.err, TML_ERR_SYNTAX, (tml_mark){f->l.path, 1, 1},
                            "the file is empty, expected a line of names: node, x, y, z, ux, uy, uz, rx, ry, "
                            "rz");
    f->separator = memchr(f->l.at, ';', (size_t)(f->l.end - f->l.at)) ? ';' : ',';
    while (tmli_lines_word(&f->l, f->separator, word, &at)) {
        if (f->count == FILE_COLUMNS)
            return tmli_fail_at(f->l.err, TML_ERR_SYNTAX, at, "more than %d columns", FILE_COLUMNS);
        int k = COLUMNS - 1;
        while (k >= 0 && strcmp(word, column_name[k]) != 0) k--;
        if (k >= 0 && found[k])
            return tmli_fail_at(f->l.err, TML_ERR_SYNTAX, at, "the column '%s' is there twice", word);
        if (k >= 0) found[k] = true;
        f->meaning[f->count++] = k;
    }
    for (int k = 0; k < 7; k++)
        if (!found[k])
            return tmli_fail_at(f->l.err, TML_ERR_SYNTAX, (tml_mark){f->l.path, f->l.line, 1},
                                "the column '%s' is missing", column_name[k]);
    return TML_OK;
}

static tml_status set_value(nodes_file *f, tmli_mesh_node *node, int meaning, const char *word, tml_mark at)
{
    const char *end = word, *what = column_name[meaning];
    if (meaning == 0) {
        if (!*word) return tmli_fail_at(f->l.err, TML_ERR_SYNTAX, at, "a node has no name");
        node->name = tmli_arena_strdup(&f->mesh->arena, word);
        return node->name ? TML_OK : tmli_no_memory(f->l.err, "mesh");
    }
    if (meaning > 3 && !*word) return TML_OK;
    const double x = tmli_strtod(word, &end);
    if (end == word || *end || !isfinite(x))
        return tmli_fail_at(f->l.err, TML_ERR_SYNTAX, at, "'%s' is '%.40s', expected a number", what, word);
    if (meaning <= 3) {
        node->position[meaning - 1] = x;
        return TML_OK;
    }
    if (x != floor(x) || x < 0 || x > f->mesh->n)
        return tmli_fail_at(f->l.err, TML_ERR_MODEL, at,
                            "'%s' is %g, expected a row of the matrices from 1 to %d, or 0", what, x,
                            f->mesh->n);
    node->row[meaning - 4] = (int)x - 1;
    return TML_OK;
}

static tml_status read_node(nodes_file *f)
{
    tml_mesh *mesh = f->mesh;
    char word[TMLI_WORD];
    tml_mark at;
    tmli_mesh_node *more = tmli_grown(&mesh->env, mesh->node, mesh->nnodes, &f->room, 64, sizeof *more);
    if (!more) return tmli_no_memory(f->l.err, "mesh");
    mesh->node = more;
    tmli_mesh_node *node = &mesh->node[mesh->nnodes];
    *node = (tmli_mesh_node){.row = {-1, -1, -1, -1, -1, -1}, .line = f->l.line};
    tml_status st = TML_OK;
    for (int k = 0; k < f->count && st == TML_OK; k++) {
        if (!tmli_lines_word(&f->l, f->separator, word, &at)) {
            if (f->meaning[k] < 0 || f->meaning[k] > 3) continue;  // empty at the end of the line
            return tmli_fail_at(f->l.err, TML_ERR_SYNTAX, at, "'%s' is missing", column_name[f->meaning[k]]);
        }
        if (f->meaning[k] >= 0) st = set_value(f, node, f->meaning[k], word, at);
    }
    if (st == TML_OK) mesh->nnodes++;
    return st;
}

static tml_status read_nodes(tml_mesh *mesh, const tmli_text *text, tml_error *err)
{
    nodes_file f = {.mesh = mesh};
    mesh->file = tmli_arena_strdup(&mesh->arena, text->path);
    if (!mesh->file) return tmli_no_memory(err, "mesh");
    tml_status st = tmli_lines_open(&f.l, text, &mesh->env, err);
    if (st == TML_OK) st = read_header(&f);
    while (st == TML_OK && tmli_lines_next(&f.l, '#')) st = read_node(&f);
    tmli_lines_close(&f.l);
    if (st == TML_OK && mesh->nnodes == 0)
        st = tmli_fail_at(err, TML_ERR_MODEL, (tml_mark){mesh->file, 1, 1}, "the file has no nodes");
    return st;
}

// ---- checks -----------------------------------------------------------------------------------------------

static tml_mark mark_of(const tmli_sparse *A, int32_t entry)
{
    return A->file ? (tml_mark){A->file, A->line[entry], 1} : (tml_mark){0};
}

static tml_status check_symmetric(const tmli_sparse *A, const char *what, tml_error *err)
{
    for (int j = 0; j < A->n; j++)
        for (int32_t e = A->colptr[j]; e < A->colptr[j + 1]; e++) {
            const int i = A->rowind[e];
            const double x = A->value[e], y = i == j ? x : tmli_sparse_at(A, j, i);
            const double scale = sqrt(fabs(tmli_sparse_at(A, i, i) * tmli_sparse_at(A, j, j)));
            if (fabs(x - y) <= SYMMETRY * scale || x == y) continue;
            return tmli_fail_at(err, TML_ERR_MODEL, mark_of(A, e),
                                "the %s matrix is not symmetric: entry (%d, %d) is %g, entry (%d, %d) is %g",
                                what, i + 1, j + 1, x, j + 1, i + 1, y);
        }
    return TML_OK;
}

// A necessary condition for a matrix without negative eigenvalues, entry by entry: a_ij^2 <= a_ii a_jj.
static tml_status check_positive(const tmli_sparse *A, const char *what, tml_error *err)
{
    for (int j = 0; j < A->n; j++)
        for (int32_t e = A->colptr[j]; e < A->colptr[j + 1]; e++) {
            const int i = A->rowind[e];
            const double x = A->value[e], a = tmli_sparse_at(A, i, i), b = tmli_sparse_at(A, j, j);
            if (i == j && x < 0)
                return tmli_fail_at(err, TML_ERR_MODEL, mark_of(A, e),
                                    "the %s matrix is not positive: entry (%d, %d) on its diagonal is %g",
                                    what, i + 1, j + 1, x);
            if (i != j && x * x > (1 + SYMMETRY) * a * b)
                return tmli_fail_at(err, TML_ERR_MODEL, mark_of(A, e),
                                    "the %s matrix is not positive: entry (%d, %d) is %g between diagonal "
                                    "entries %g and %g",
                                    what, i + 1, j + 1, x, a, b);
        }
    return TML_OK;
}

// Every row of the matrices belongs to one node.
static tml_status check_rows(const tml_mesh *mesh, tml_error *err)
{
    int *owner = tmli_calloc(&mesh->env, (size_t)mesh->n + 1, sizeof *owner);
    if (!owner) return tmli_no_memory(err, "mesh");
    tml_status st = TML_OK;
    for (int i = 0; i < mesh->nnodes && st == TML_OK; i++)
        for (int c = 0; c < 6 && st == TML_OK; c++) {
            const int row = mesh->node[i].row[c];
            if (row < 0) continue;
            if (owner[row])
                st = tmli_fail_at(err, TML_ERR_MODEL,
                                  (tml_mark){mesh->file, mesh->file ? mesh->node[i].line : 0, 1},
                                  "row %d of the matrices belongs to node '%s' and to node '%s'", row + 1,
                                  mesh->node[owner[row] - 1].name, mesh->node[i].name);
            owner[row] = i + 1;
        }
    for (int r = 0; r < mesh->n && st == TML_OK; r++)
        if (!owner[r])
            st = tmli_fail_at(err, TML_ERR_MODEL, (tml_mark){mesh->file, mesh->file ? 1 : 0, 1},
                              "row %d of the matrices belongs to no node", r + 1);
    tmli_free(&mesh->env, owner);
    return st;
}

static int by_name(const void *a, const void *b)
{
    const tmli_mesh_node *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static tml_status check_names(const tml_mesh *mesh, tml_error *err)
{
    const tmli_mesh_node **order = tmli_calloc(&mesh->env, (size_t)mesh->nnodes + 1, sizeof *order);
    if (!order) return tmli_no_memory(err, "mesh");
    tml_status st = TML_OK;
    for (int i = 0; i < mesh->nnodes; i++) order[i] = &mesh->node[i];
    qsort((void *)order, (size_t)mesh->nnodes, sizeof *order, by_name);
    for (int i = 1; i < mesh->nnodes && st == TML_OK; i++)
        if (by_name(&order[i - 1], &order[i]) == 0)
            st = tmli_fail_at(err, TML_ERR_NAME, (tml_mark){mesh->file, mesh->file ? order[i]->line : 0, 1},
                              "there are two nodes '%s'", order[i]->name);
    tmli_free(&mesh->env, (void *)order);
    return st;
}

tml_status tmli_mesh_check(const tml_mesh *mesh, tml_error *err)
{
    if (mesh->M.n != mesh->K.n)
        return tmli_fail_at(err, TML_ERR_MODEL, (tml_mark){mesh->M.file, mesh->M.file ? 1 : 0, 1},
                            "the mass matrix has %d rows, the stiffness matrix %d", mesh->M.n, mesh->K.n);
    tml_status st = check_symmetric(&mesh->K, "stiffness", err);
    if (st == TML_OK) st = check_symmetric(&mesh->M, "mass", err);
    if (st == TML_OK) st = check_positive(&mesh->K, "stiffness", err);
    if (st == TML_OK) st = check_positive(&mesh->M, "mass", err);
    if (st == TML_OK) st = check_names(mesh, err);
    return st == TML_OK ? check_rows(mesh, err) : st;
}

// ---- files ------------------------------------------------------------------------------------------------

tml_status tmli_mesh_read(const tmli_text *stiffness, const tmli_text *mass, const tmli_text *nodes,
                          const tml_env *env, tml_mesh **out, tml_error *err)
{
    tml_mesh *mesh;
    tml_status st = tmli_mesh_create(env, &mesh, err);
    if (st != TML_OK) return st;
    st = tmli_matrix_market_read(stiffness, &mesh->arena, &mesh->K, err);
    if (st == TML_OK) st = tmli_matrix_market_read(mass, &mesh->arena, &mesh->M, err);
    mesh->n = mesh->K.n;
    if (st == TML_OK) st = read_nodes(mesh, nodes, err);
    if (st == TML_OK) st = tmli_mesh_check(mesh, err);
    if (st == TML_OK) *out = mesh;
    else tml_mesh_destroy(mesh);
    return st;
}

tml_status tml_mesh_read(const char *stiffness, const char *mass, const char *nodes, const tml_env *env,
                         tml_mesh **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!stiffness || !mass || !nodes || !out) return tmli_null_argument(err, "tml_mesh_read");
    const tmli_text k = {.path = stiffness}, m = {.path = mass}, n = {.path = nodes};
    return tmli_mesh_read(&k, &m, &n, env, out, err);
}

tml_status tml_mesh_add_stiffening(tml_mesh *mesh, const char *load, const char *path, tml_error *err)
{
    if (!mesh || !load || !path) return tmli_null_argument(err, "tml_mesh_add_stiffening");
    tmli_load_case c = {.name = tmli_arena_strdup(&mesh->arena, load)};
    tmli_load_case *more =
        tmli_regrow(&mesh->env, mesh->load, (size_t)mesh->ncases, (size_t)mesh->ncases + 1, sizeof *more);
    if (more) mesh->load = more;
    if (!c.name || !more) return tmli_no_memory(err, "mesh");
    const tmli_text text = {.path = path};
    tml_status st = tmli_matrix_market_read(&text, &mesh->arena, &c.matrix, err);
    if (st == TML_OK && c.matrix.n != mesh->n)
        st =
            tmli_fail_at(err, TML_ERR_MODEL, (tml_mark){c.matrix.file, 1, 1},
                         "the geometric stiffness has %d rows, the stiffness matrix %d", c.matrix.n, mesh->n);
    if (st == TML_OK) mesh->load[mesh->ncases++] = c;
    return st;
}

static tml_status write_nodes(const tml_mesh *mesh, const char *path, tml_error *err)
{
    tmli_draft d;
    const tml_status st = tmli_draft_open(&d, path, &mesh->env, err);
    if (st != TML_OK) return st;
    FILE *const f = d.out;
    for (int k = 0; k < COLUMNS; k++)
        tmli_csv_put_text(f, column_name[k], TMLI_CSV_IF_NEEDED, k + 1 < COLUMNS ? ',' : '\n');
    for (int i = 0; i < mesh->nnodes; i++) {
        const tmli_mesh_node *node = &mesh->node[i];
        tmli_csv_put_text(f, node->name, TMLI_CSV_IF_NEEDED, ',');
        for (int k = 0; k < 3; k++) tmli_csv_put_number(f, node->position[k], ',');
        for (int k = 0; k < 6; k++) fprintf(f, "%d%c", node->row[k] + 1, k < 5 ? ',' : '\n');
    }
    return tmli_draft_close(&d, TML_OK, err);
}

tml_status tml_mesh_write(const tml_mesh *mesh, const char *prefix, tml_error *err)
{
    if (!mesh || !prefix) return tmli_null_argument(err, "tml_mesh_write");
    const size_t room = strlen(prefix) + TMLI_WORD + 32;
    char *path = tmli_calloc(&mesh->env, room, 1);
    if (!path) return tmli_no_memory(err, "mesh");
    snprintf(path, room, "%s_stiffness.mtx", prefix);
    tml_status st = tmli_matrix_market_write(&mesh->K, path, &mesh->env, err);
    snprintf(path, room, "%s_mass.mtx", prefix);
    if (st == TML_OK) st = tmli_matrix_market_write(&mesh->M, path, &mesh->env, err);
    snprintf(path, room, "%s_nodes.csv", prefix);
    if (st == TML_OK) st = write_nodes(mesh, path, err);
    for (int i = 0; i < mesh->ncases && st == TML_OK; i++) {
        snprintf(path, room, "%s_stiffening_%.200s.mtx", prefix, mesh->load[i].name);
        st = tmli_matrix_market_write(&mesh->load[i].matrix, path, &mesh->env, err);
    }
    tmli_free(&mesh->env, path);
    return st;
}

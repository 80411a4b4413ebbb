// Craig-Bampton reduction of a mesh (R. R. Craig, M. C. C. Bampton, AIAA J. 6 (1968) 1313).
//
// With the coordinates b of the interface nodes and i of all others, shapes of the part are
//   Psi_b = [1; -inv(k_ii) k_ib],   Psi_m = [0; x],  k_ii x = w^2 m_ii x                                  (1)
// Rigid motion is a combination of Psi_b, because k resists none. The modes have a largest translation of 1:
// their amplitudes are lengths.
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "linalg/pattern/pattern.h"
#include "part/part.h"

#include <math.h>
#include <string.h>

#include "part/constants.h"

enum { FIRST_MODES = 8, MAX_INTERFACE = 200, MAX_MODES = 500 };

typedef struct reduction {
    const tml_mesh *mesh;
    const tml_reduce_def *def;
    tmli_arena arena;
    tml_error *err;
    int *node;              // (interface_count)
    int nb, ni, nm;         // coordinates of the interface, others, modes
    int *boundary, *inner;  // (nb), (ni) rows of the mesh
    int *index;             // (n) index within boundary (-1 - k) or inner (k)
    tmli_sparse K, M;       // of the inner coordinates
    tml_pattern *pattern;
    double *values;
    void *lin;
    double *w, *X;          // modes
    double *Psi;            // (n x N), column-major
    double *MPsi, *O, *MO;  // (n x N) scratch
    double rigid_residual;
} reduction;

tml_reduce_def tml_reduce_def_default(void)
{
    return (tml_reduce_def){.size = sizeof(tml_reduce_def), .modes = -1};
}

static void *alloc(reduction *r, size_t count, size_t size)
{
    return tmli_arena_alloc(&r->arena, count + 1, size);
}

static tml_status no_memory(reduction *r) { return tmli_no_memory(r->err, "reduction of a mesh"); }

// ---- interface --------------------------------------------------------------------------------------------

static tml_status find_interface(reduction *r)
{
    const tml_reduce_def *d = r->def;
    const tml_mesh *mesh = r->mesh;
    if (d->interface_count < 1 || d->interface_count > MAX_INTERFACE)
        return tmli_fail(r->err, TML_ERR_ARG, "there are %d interface nodes, expected 1 to %d",
                         d->interface_count, MAX_INTERFACE);
    r->node = alloc(r, (size_t)d->interface_count, sizeof *r->node);
    r->boundary = alloc(r, (size_t)mesh->n, sizeof *r->boundary);
    r->inner = alloc(r, (size_t)mesh->n, sizeof *r->inner);
    r->index = alloc(r, (size_t)mesh->n, sizeof *r->index);
    if (!r->node || !r->boundary || !r->inner || !r->index) return no_memory(r);
    for (int k = 0; k < d->interface_count; k++) {
        const int i = tmli_mesh_find(mesh, d->interface[k], r->err);
        if (i < 0) return TML_ERR_NAME;
        const tmli_mesh_node *node = &mesh->node[i];
        const tml_mark at = {mesh->file, mesh->file ? node->line : 0, 1};
        for (int j = 0; j < k; j++)
            if (r->node[j] == i)
                return tmli_fail_at(r->err, TML_ERR_NAME, at, "interface node '%s' is given twice",
                                    node->name);
        for (int c = 0; c < 6; c++) {
            if (node->row[c] < 0)
                return tmli_fail_at(r->err, TML_ERR_MODEL, at,
                                    "interface node '%s' lacks the coordinate %s: interface nodes need all "
                                    "six; tie the nodes of a surface to a new one (--tie)",
                                    node->name, tmli_node_coordinate[c]);
            r->index[node->row[c]] = -1 - r->nb;
            r->boundary[r->nb++] = node->row[c];
        }
        r->node[k] = i;
    }
    for (int row = 0; row < mesh->n; row++)
        if (r->index[row] >= 0) {
            r->index[row] = r->ni;
            r->inner[r->ni++] = row;
        }
    return TML_OK;
}

// Rigid motion must not strain the mesh.
static tml_status check_free(reduction *r)
{
    const tml_mesh *mesh = r->mesh;
    const double *centre = mesh->node[r->node[0]].position;
    double *diagonal = alloc(r, (size_t)mesh->n, sizeof *diagonal);
    if (!diagonal) return no_memory(r);
    for (int j = 0; j < mesh->n; j++) diagonal[j] = tmli_sparse_at(&mesh->K, j, j);
    for (int a = 0; a < 6; a++) {
        double *z = r->O, *sum = r->MO, *terms = r->MPsi;
        memset(z, 0, (size_t)mesh->n * sizeof *z);
        memset(terms, 0, (size_t)mesh->n * sizeof *terms);
        for (int i = 0; i < mesh->nnodes; i++) {
            const tmli_mesh_node *node = &mesh->node[i];
            const vec3 axis = v3(a % 3 == 0, a % 3 == 1, a % 3 == 2);
            double six[6] = {0};
            const vec3 arm = v3_sub(v3_from(node->position), v3_from(centre));
            v3_store(a < 3 ? axis : v3_cross(axis, arm), six);
            if (a >= 3) v3_store(axis, six + 3);
            for (int c = 0; c < 6; c++)
                if (node->row[c] >= 0) z[node->row[c]] = six[c];
        }
        tmli_sparse_multiply(&mesh->K, 1, z, sum);
        for (int j = 0; j < mesh->n; j++)
            for (int32_t e = mesh->K.colptr[j]; e < mesh->K.colptr[j + 1]; e++)
                terms[mesh->K.rowind[e]] +=
                    sqrt(fabs(diagonal[mesh->K.rowind[e]] * diagonal[j])) * fabs(z[j]);
        for (int i = 0; i < mesh->nnodes; i++)
            for (int c = 0; c < 6; c++) {
                const int row = mesh->node[i].row[c];
                if (row < 0 || terms[row] == 0) continue;
                const double ratio = fabs(sum[row]) / terms[row];
                r->rigid_residual = fmax(r->rigid_residual, ratio);
                if (ratio > RIGID_FORCE)
                    return tmli_fail_at(
                        r->err, TML_ERR_MODEL, (tml_mark){mesh->file, mesh->file ? mesh->node[i].line : 0, 1},
                        "the part is not free: rigid motion along %s gives the force %g at coordinate %s of "
                        "node '%s' (row %d); the stiffness matrix must be that of the part without supports",
                        tmli_node_coordinate[a], sum[row], tmli_node_coordinate[c], mesh->node[i].name,
                        row + 1);
            }
    }
    return TML_OK;
}

// ---- the inner coordinates --------------------------------------------------------------------------------

static tml_status take_inner(reduction *r, const tmli_sparse *from, tmli_sparse *to)
{
    int count = 0;
    const size_t most = (size_t)from->colptr[from->n];
    int32_t *row = alloc(r, most, sizeof *row), *col = alloc(r, most, sizeof *col);
    double *value = alloc(r, most, sizeof *value);
    if (!row || !col || !value) return no_memory(r);
    for (int j = 0; j < from->n; j++)
        for (int32_t e = from->colptr[j]; e < from->colptr[j + 1] && r->index[j] >= 0; e++) {
            if (r->index[from->rowind[e]] < 0) continue;
            row[count] = r->index[from->rowind[e]];
            col[count] = r->index[j];
            value[count++] = from->value[e];
        }
    return tmli_sparse_build(&r->arena, r->ni, count, row, col, value, NULL, to, r->err);
}

static tml_status factor_inner(reduction *r)
{
    const tmli_sparse *K = &r->K;
    const size_t n = (size_t)r->ni, nnz = (size_t)K->colptr[K->n];
    int32_t *size = alloc(r, n, sizeof *size), *edge = alloc(r, 2 * nnz, sizeof *edge), edges = 0;
    uint8_t *multiplier = alloc(r, n, 1);
    if (!size || !edge || !multiplier) return no_memory(r);
    for (int j = 0; j < K->n; j++) {
        size[j] = 1;
        for (int32_t e = K->colptr[j]; e < K->colptr[j + 1]; e++)
            if (K->rowind[e] > j) {
                edge[2 * edges] = K->rowind[e];
                edge[2 * edges++ + 1] = j;
            }
    }
    tml_status st = tmli_pattern_create(r->ni, size, multiplier, edges, edge, NULL, NULL, NULL, NULL,
                                        &r->mesh->env, &r->pattern, r->err);
    if (st != TML_OK) return st;
    r->values = alloc(r, (size_t)tmli_pattern_nnz(r->pattern), sizeof *r->values);
    if (!r->values) return no_memory(r);
    for (int j = 0; j < K->n; j++)
        for (int32_t e = K->colptr[j]; e < K->colptr[j + 1]; e++)
            r->values[tmli_pattern_find(r->pattern, K->rowind[e], j)] = K->value[e];
    st = tml_linsolver_klu.create(r->pattern, &r->mesh->env, &r->lin, r->err);
    if (st != TML_OK) return st;
    st = tml_linsolver_klu.factor(r->lin, r->values, NULL);
    if (st == TML_OK) return TML_OK;
    return tmli_fail(r->err, TML_ERR_MODEL,
                     "with the interface nodes fixed, inner nodes can still move without strain (a "
                     "mechanism, or nodes without stiffness)");
}

static void solve_inner(void *user, double *x)
{
    const reduction *r = user;
    tml_linsolver_klu.solve(r->lin, x);
}

static tml_status find_modes(reduction *r)
{
    const tml_reduce_def *d = r->def;
    const double limit = d->frequency > 0 ? 6.28318530717958647692 * d->frequency : INFINITY;
    int count = d->modes >= 0 ? d->modes : FIRST_MODES;
    for (;;) {
        if (count > MAX_MODES)
            return tmli_fail(r->err, TML_ERR_ARG, "more than %d modes are wanted; set a lower limit",
                             MAX_MODES);
        if (count > r->ni) count = r->ni;
        r->w = alloc(r, (size_t)count, sizeof *r->w);
        r->X = alloc(r, (size_t)count * (size_t)r->ni, sizeof *r->X);
        if (!r->w || !r->X) return no_memory(r);
        const tmli_modes_def def = {r->ni, count, &r->K, &r->M, solve_inner, r};
        int found;
        tml_status st = tmli_lowest_modes(&def, &r->mesh->env, r->w, r->X, &found, r->err);
        if (st != TML_OK) return st;
        r->nm = 0;
        while (r->nm < found && r->w[r->nm] <= limit) r->nm++;
        if (d->modes >= 0 || r->nm < found || found < count || count == r->ni) return TML_OK;
        count *= 2;
    }
}

// ---- shapes and matrices ----------------------------------------------------------------------------------

static double *column(double *X, const reduction *r, int j) { return X + (size_t)j * (size_t)r->mesh->n; }

// The largest translation of a shape, with its sign. Where rotations count, a mode of torsion, the largest
// rotation times the size of the mesh.
static double largest_motion(const reduction *r, const double *psi)
{
    const tml_mesh *mesh = r->mesh;
    double top[2] = {0}, size = 0;
    for (int i = 0; i < mesh->nnodes; i++) {
        const tmli_mesh_node *node = &mesh->node[i];
        size = fmax(size, v3_norm(v3_sub(v3_from(node->position), v3_from(mesh->node[0].position))));
        for (int c = 0; c < 6; c++) {
            double *const best = &top[c / 3], x = node->row[c] >= 0 ? psi[node->row[c]] : 0;
            if (fabs(x) > (1 + ALIKE) * fabs(*best)) *best = x;  // of equal ones the first
        }
    }
    return fabs(top[0]) > TORSION * size * fabs(top[1]) ? top[0] : size * top[1];
}

static tml_status make_shapes(reduction *r)
{
    const tml_mesh *mesh = r->mesh;
    const tmli_sparse *K = &mesh->K;
    double *x = alloc(r, (size_t)r->ni, sizeof *x);
    if (!x) return no_memory(r);
    for (int b = 0; b < r->nb; b++) {
        double *psi = column(r->Psi, r, b);
        const int row = r->boundary[b];
        memset(x, 0, (size_t)r->ni * sizeof *x);
        for (int32_t e = K->colptr[row]; e < K->colptr[row + 1]; e++)
            if (r->index[K->rowind[e]] >= 0) x[r->index[K->rowind[e]]] = -K->value[e];
        if (r->ni > 0) solve_inner(r, x);
        psi[row] = 1;
        for (int k = 0; k < r->ni; k++) psi[r->inner[k]] = x[k];
    }
    for (int j = 0; j < r->nm; j++) {
        const double *from = r->X + (size_t)j * (size_t)r->ni;
        double *psi = column(r->Psi, r, r->nb + j);
        for (int k = 0; k < r->ni; k++) psi[r->inner[k]] = from[k];
        const double top = largest_motion(r, psi);
        for (int k = 0; k < mesh->n && top != 0; k++) psi[k] /= top;
    }
    return TML_OK;
}

// Y (n x N) = O_a Psi: the vectors of all nodes turned about axis a.
static void turn_shapes(const reduction *r, int axis, int N, double *Y)
{
    const tml_mesh *mesh = r->mesh;
    const vec3 e = v3(axis == 0, axis == 1, axis == 2);
    memset(Y, 0, (size_t)mesh->n * (size_t)N * sizeof *Y);
    for (int j = 0; j < N; j++) {
        const double *psi = r->Psi + (size_t)j * (size_t)mesh->n;
        double *y = Y + (size_t)j * (size_t)mesh->n;
        for (int i = 0; i < mesh->nnodes; i++)
            for (int half = 0; half < 6; half += 3) {
                const int *row = mesh->node[i].row + half;
                double x[3], turned[3];
                for (int c = 0; c < 3; c++) x[c] = row[c] >= 0 ? psi[row[c]] : 0;
                v3_store(v3_cross(e, v3_from(x)), turned);
                for (int c = 0; c < 3; c++)
                    if (row[c] >= 0) y[row[c]] = turned[c];
            }
    }
}

// C (N x N, row-major) = A'B.
static void project(const reduction *r, int N, const double *A, const double *B, double *C)
{
    const double one = 1, zero = 0;
    const int n = r->mesh->n;
    tmli_dgemm("T", "N", &N, &N, &n, &one, B, &n, A, &n, &zero, C, &N, 1, 1);  // C' = B'A, column-major
}

static void make_symmetric(int N, double *C)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) C[i * N + j] = C[j * N + i] = (C[i * N + j] + C[j * N + i]) / 2;
}

static void make_matrices(reduction *r, tml_part *p)
{
    const int N = p->N;
    tmli_sparse_multiply(&r->mesh->K, N, r->Psi, r->MPsi);
    project(r, N, r->Psi, r->MPsi, p->K);
    tmli_sparse_multiply(&r->mesh->M, N, r->Psi, r->MPsi);
    project(r, N, r->Psi, r->MPsi, p->M);
    make_symmetric(N, p->K);
    make_symmetric(N, p->M);
    for (int a = 0; a < 3; a++) {
        turn_shapes(r, a, N, r->O);
        project(r, N, r->MPsi, r->O, p->A[a]);  // (m Psi)'O Psi
        tmli_sparse_multiply(&r->mesh->M, N, r->O, r->MO);
        for (int k = 0; k < TMLI_PAIRS; k++) {
            if (tmli_pair[k][0] != a) continue;
            turn_shapes(r, tmli_pair[k][1], N, r->O);
            project(r, N, r->MO, r->O, p->B[k]);
            make_symmetric(N, p->B[k]);
        }
    }
}

// The meaning of a load case, "NODE.x" or "spin.xx".
static tml_status make_stiffening(reduction *r, tml_part *p, int k)
{
    const tmli_load_case *load = &r->mesh->load[k];
    tmli_stiffening *to = &p->stiffening[k];
    const char *dot = strrchr(load->name, '.');
    const size_t length = dot ? (size_t)(dot - load->name) : 0;
    to->coordinate = to->pair = -1;
    for (int c = 0; c < TMLI_PAIRS && dot; c++)
        if (length == 4 && strncmp(load->name, "spin", 4) == 0 && strcmp(dot + 1, tmli_pair_name[c]) == 0)
            to->pair = c;
    for (int i = 0; i < p->nnodes && dot && to->pair < 0; i++)
        for (int c = 0; c < 6; c++)
            if (strlen(p->name[i]) == length && strncmp(load->name, p->name[i], length) == 0 &&
                strcmp(dot + 1, tmli_node_coordinate[c]) == 0)
                to->coordinate = 6 * i + c;
    if (to->coordinate < 0 && to->pair < 0)
        return tmli_fail(r->err, TML_ERR_NAME,
                         "the load case '%s' is neither NODE.x ... NODE.rz of an interface node nor spin.xx, "
                         "spin.yy, spin.zz, spin.xy, spin.xz, spin.yz",
                         load->name);
    if (to->coordinate >= 0 && to->coordinate / 6 == p->reference)
        return tmli_fail(r->err, TML_ERR_MODEL,
                         "the load case '%s' loads the reference node, which is clamped", load->name);
    tmli_sparse_multiply(&load->matrix, p->N, r->Psi, r->MPsi);
    project(r, p->N, r->Psi, r->MPsi, to->G);
    make_symmetric(p->N, to->G);
    return TML_OK;
}

static tml_status make_part(reduction *r, tml_part **out)
{
    const tml_mesh *mesh = r->mesh;
    const tml_reduce_def *d = r->def;
    tml_part *p;
    tml_status st = tmli_part_create(&mesh->env, d->interface_count, r->nm, mesh->ncases, &p, r->err);
    if (st != TML_OK) return st;
    *out = p;
    p->rigid_residual = r->rigid_residual;
    p->reference = d->reference ? -1 : 0;
    for (int i = 0; i < p->nnodes; i++) {
        const tmli_mesh_node *node = &mesh->node[r->node[i]];
        p->name[i] = tmli_arena_strdup(&p->arena, node->name);
        if (!p->name[i]) return no_memory(r);
        memcpy(p->position + 3 * (size_t)i, node->position, sizeof node->position);
        if (d->reference && strcmp(d->reference, node->name) == 0) p->reference = i;
    }
    if (p->reference < 0)
        return tmli_fail(r->err, TML_ERR_NAME, "the reference node '%s' is not an interface node",
                         d->reference);
    for (int j = 0; j < r->nm; j++) p->frequency[j] = r->w[j] / 6.28318530717958647692;
    make_matrices(r, p);
    for (int k = 0; k < mesh->ncases && st == TML_OK; k++) st = make_stiffening(r, p, k);
    if (st == TML_OK) st = tmli_part_check(p, (tml_mark){0}, r->err);
    return st == TML_OK ? tmli_part_warn_of_soft_loads(p, r->err) : st;
}

static tml_status reduce(reduction *r, tml_part **out)
{
    const size_t n = (size_t)r->mesh->n;
    tml_status st = find_interface(r);
    r->O = alloc(r, n, sizeof *r->O);
    r->MO = alloc(r, n, sizeof *r->MO);
    r->MPsi = alloc(r, n, sizeof *r->MPsi);
    if (st == TML_OK && (!r->O || !r->MO || !r->MPsi)) st = no_memory(r);
    if (st == TML_OK) st = check_free(r);
    if (st == TML_OK) st = take_inner(r, &r->mesh->K, &r->K);
    if (st == TML_OK) st = take_inner(r, &r->mesh->M, &r->M);
    if (st == TML_OK && r->ni > 0) st = factor_inner(r);
    if (st == TML_OK && r->ni > 0) st = find_modes(r);
    if (st != TML_OK) return st;
    const size_t all = n * (size_t)(r->nb + r->nm);
    double **const wide[] = {&r->Psi, &r->MPsi, &r->O, &r->MO};
    for (size_t i = 0; i < 4; i++) {
        *wide[i] = alloc(r, all, sizeof(double));
        if (!*wide[i]) return no_memory(r);
    }
    st = make_shapes(r);
    return st == TML_OK ? make_part(r, out) : st;
}

tml_status tml_part_reduce(const tml_mesh *mesh, const tml_reduce_def *def, tml_part **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!mesh || !def || !out) return tmli_null_argument(err, "tml_part_reduce");
    if (def->size != sizeof *def) return tmli_fail(err, TML_ERR_ARG, "start from tml_reduce_def_default()");
    if (def->modes < 0 && !(def->frequency > 0))
        return tmli_fail(err, TML_ERR_ARG, "give a number of modes or a limit of their frequency");
    tml_part *part = NULL;
    reduction r = {.mesh = mesh, .def = def, .arena.env = &mesh->env, .err = err};
    tml_status st = tmli_lapack_load(err);
    if (st == TML_OK) st = reduce(&r, &part);
    if (r.lin) tml_linsolver_klu.destroy(r.lin);
    tmli_pattern_destroy(r.pattern);
    tmli_arena_clear(&r.arena);
    if (st == TML_OK) *out = part;
    else tml_part_destroy(part);
    return st;
}

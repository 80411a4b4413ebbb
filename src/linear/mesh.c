// The mesh of a part from a model of it: stiffness, mass and geometric stiffness about its start.
//
// Rows of motion of the model have rotations in body axes; with R of its node, th = R th_body turns them to
// the axes of the part. Geometric stiffness of a load p, with the linear displacements x = inv(K) p:
//   G = (K(e x) - K(-e x))/(2 e)                                                                          (1)
// where e makes the displacements small.
#include "part/part.h"
#include "system/multibody/multibody.h"

#include <math.h>
#include <string.h>
#include <trammel/model.h>

#include "linear/constants.h"

typedef struct builder {
    const tml_mesh_def *def;
    tml_error *err;
    tml_model *model;
    tml_mesh *mesh;
    tml_state *x;
    void *work;
    void *lin[2];  // stiffness with the first interface node clamped, with all of them
    int *node;     // (interface_count) of the model
    tmli_arena arena;
    double *M, *K, *D, *other, *fixed;  // values in the pattern of the model
    double *p, *d, *q;                  // (n), (n), (nq)
} builder;

tml_mesh_def tml_mesh_def_default(void) { return (tml_mesh_def){.size = sizeof(tml_mesh_def)}; }

static tml_status no_memory(const builder *b) { return tmli_no_memory(b->err, "mesh of a model"); }

static tml_status check_model(const builder *b)
{
    const tml_model *m = b->model;
    if (m->planar)
        return tmli_fail(b->err, TML_ERR_MODEL, "a part is made of a spatial model; this one is planar");
    if (m->nconstraints > 0)
        return tmli_fail_at(b->err, TML_ERR_MODEL, m->constraint[0].at,
                            "a part is made of a free model; this one has the joint '%s'",
                            m->constraint[0].name);
    if (m->nz > 0 || m->namplitudes > 0)
        return tmli_fail(b->err, TML_ERR_MODEL,
                         "a part is made of bodies and beams; this model has states or modal bodies");
    for (int i = 0; i < m->nnodes; i++)
        if (m->node[i].ncoords != 6)
            return tmli_fail(b->err, TML_ERR_MODEL, "a part is made of bodies that rotate; '%s' is a point",
                             m->node[i].name);
    return TML_OK;
}

// ---- matrices ---------------------------------------------------------------------------------------------

// The 6 x 6 block of two nodes, rotations turned to the axes of the part.
static void turned_block(const builder *b, const double *values, int i, int j, double out[36])
{
    const tml_model *m = b->model;
    const mat3 Ri = tmli_node_start_pose(m, i).R, Rj = tmli_node_start_pose(m, j).R;
    const mat3 Rjt = m3_transpose(&Rj);
    for (int r = 0; r < 6; r += 3)
        for (int c = 0; c < 6; c += 3) {
            mat3 X;
            for (int k = 0; k < 9; k++) {
                const int32_t at =
                    tmli_pattern_find(m->pattern, m->node[i].first + r + k / 3, m->node[j].first + c + k % 3);
                X.m[k] = values[at];
            }
            if (r) X = m3_mul(&Ri, &X);
            if (c) X = m3_mul(&X, &Rjt);
            for (int k = 0; k < 9; k++) out[6 * (r + k / 3) + c + k % 3] = X.m[k];
        }
}

// out = the symmetric part of the matrix with these values.
static tml_status take_matrix(builder *b, const double *values, tmli_sparse *out)
{
    const tml_model *m = b->model;
    tmli_arena scratch = {.env = &m->env};
    const size_t most = 2 * (size_t)tmli_pattern_nnz(m->pattern) + 1;
    int32_t *row = tmli_arena_alloc(&scratch, most, sizeof *row);
    int32_t *col = tmli_arena_alloc(&scratch, most, sizeof *col);
    double *value = tmli_arena_alloc(&scratch, most, sizeof *value);
    int count = 0;
    tml_status st = row && col && value ? TML_OK : no_memory(b);
    for (int i = 0; i < m->nnodes && st == TML_OK; i++)
        for (int j = 0; j < m->nnodes; j++) {
            double X[36];
            if (tmli_pattern_find(m->pattern, m->node[i].first, m->node[j].first) < 0) continue;
            turned_block(b, values, i, j, X);
            for (int k = 0; k < 36; k++)
                for (int side = 0; side < 2; side++) {
                    if (X[k] == 0) continue;
                    const int r = 6 * i + k / 6, c = 6 * j + k % 6;
                    row[count] = side ? c : r;
                    col[count] = side ? r : c;
                    value[count++] = X[k] / 2;
                }
        }
    if (st == TML_OK)
        st = tmli_sparse_build(&b->mesh->arena, m->n, count, row, col, value, NULL, out, b->err);
    tmli_arena_clear(&scratch);
    return st;
}

// values = K of the forces at the present configuration of x, at rest.
static tml_status assemble(builder *b, double *K)
{
    const tml_system *s = tml_model_system(b->model);
    return s->ops->assemble_parts(s->self, b->work, b->x, b->M, b->D, K, b->err);
}

static tml_status make_nodes(builder *b)
{
    const tml_model *m = b->model;
    tml_mesh *mesh = b->mesh;
    mesh->n = m->n;
    mesh->node = tmli_calloc(&mesh->env, (size_t)m->nnodes + 1, sizeof *mesh->node);
    if (!mesh->node) return no_memory(b);
    for (int i = 0; i < m->nnodes; i++) {
        tmli_mesh_node *node = &mesh->node[mesh->nnodes++];
        node->name = tmli_arena_strdup(&mesh->arena, m->node[i].name);
        if (!node->name) return no_memory(b);
        v3_store(tmli_model_place(m, v3_from(m->node[i].q0)), node->position);
        for (int c = 0; c < 6; c++) node->row[c] = 6 * i + c;
    }
    b->node = tmli_arena_alloc(&mesh->arena, (size_t)b->def->interface_count + 1, sizeof *b->node);
    if (!b->node) return no_memory(b);
    for (int k = 0; k < b->def->interface_count; k++) {
        tmli_marker at;
        const char *frame = b->def->interface[k];
        tml_status st = tmli_model_find_frame(b->def->spec, NULL, frame, (tml_mark){0}, &at, b->err);
        if (st != TML_OK) return st;
        if (at.body < 0 || v3_norm(at.s) > 0)
            return tmli_fail(b->err, TML_ERR_MODEL,
                             "interface '%s' is not at a node: give a frame of a beam (NAME.start, NAME.end, "
                             "a station) or a body",
                             frame);
        b->node[k] = at.body;
        mesh->node[at.body].name = tmli_arena_strdup(&mesh->arena, b->def->names[k]);
        if (!mesh->node[at.body].name) return no_memory(b);
    }
    return TML_OK;
}

// ---- load cases -------------------------------------------------------------------------------------------

// Whether coordinate j belongs to one of the first `count` interface nodes.
static bool is_clamped(const builder *b, int count, int j)
{
    for (int k = 0; k < count; k++)
        if (b->model->node_of[j] == b->node[k]) return true;
    return false;
}

static tml_status factor_clamped(builder *b, int count, void **lin)
{
    const tml_model *m = b->model;
    const tml_pattern *p = m->pattern;
    for (int32_t j = 0; j < p->n; j++)
        for (int32_t e = p->colptr[j]; e < p->colptr[j + 1]; e++) {
            const int32_t i = p->rowind[e];
            const bool held = is_clamped(b, count, i) || is_clamped(b, count, j);
            b->fixed[e] = held ? i == j : b->K[e];
        }
    tml_status st = tml_linsolver_klu.create(p, &m->env, lin, b->err);
    if (st == TML_OK && tml_linsolver_klu.factor(*lin, b->fixed, NULL) != TML_OK)
        st = tmli_fail(b->err, TML_ERR_MODEL,
                       "the part has mechanisms: with its first interface node clamped, it can still move "
                       "without strain");
    return st;
}

// G of (1) for the load p (n), in coordinates of the model; p is destroyed.
static tml_status add_case(builder *b, const char *name, bool all_clamped)
{
    const tml_model *m = b->model;
    const tml_system *s = tml_model_system(m);
    tml_mesh *mesh = b->mesh;
    double size = 0;
    const int clamped = all_clamped ? b->def->interface_count : 1;
    for (int j = 0; j < m->n; j++)
        if (is_clamped(b, clamped, j)) b->p[j] = 0;
    tml_linsolver_klu.solve(b->lin[all_clamped], b->p);
    for (int j = 0; j < m->n; j++)
        size = fmax(size, fabs(b->p[j]) * (m->kind[j] == TML_COORDINATE_ROTATION ? m->length : 1));
    if (!(size > 0)) return TML_OK;  // a load that strains nothing
    const double e = STIFFENING_MOTION * m->length / size;
    memcpy(b->q, b->x->q, (size_t)b->x->nq * sizeof *b->q);
    tml_status st = TML_OK;
    for (int side = 0; side < 2 && st == TML_OK; side++) {
        for (int j = 0; j < m->n; j++) b->d[j] = (side ? -e : e) * b->p[j];
        s->ops->retract(s->self, b->q, b->d, b->x->q);
        st = assemble(b, side ? b->other : b->fixed);
    }
    memcpy(b->x->q, b->q, (size_t)b->x->nq * sizeof *b->q);
    for (int32_t k = 0; k < tmli_pattern_nnz(m->pattern); k++)
        b->fixed[k] = (b->fixed[k] - b->other[k]) / (2 * e);
    tmli_load_case *load = &mesh->load[mesh->ncases];
    load->name = tmli_arena_strdup(&mesh->arena, name);
    if (st == TML_OK && !load->name) st = no_memory(b);
    if (st == TML_OK) st = take_matrix(b, b->fixed, &load->matrix);
    mesh->ncases += st == TML_OK;
    return st;
}

// Centrifugal forces of a pair of axes: -M times the field of accelerations.
static void set_centrifugal(builder *b, int pair)
{
    const tml_model *m = b->model;
    const int a = tmli_pair[pair][0], c = tmli_pair[pair][1];
    const vec3 ea = v3(a == 0, a == 1, a == 2), ec = v3(c == 0, c == 1, c == 2);
    for (int i = 0; i < m->nnodes; i++) {
        const vec3 r = v3_sub(v3_from(m->node[i].q0), v3_from(m->node[b->node[0]].q0));
        const vec3 field = v3_add(v3_cross(ea, v3_cross(ec, r)), v3_cross(ec, v3_cross(ea, r)));
        double *p = b->p + m->node[i].first;
        v3_store(v3_scale(-m->node[i].mass / 2, field), p);
        v3_store(v3(0, 0, 0), p + 3);
    }
}

// p = unit load along coordinate c of a node, axes of the part.
static void set_unit_load(builder *b, int node, int c)
{
    const tml_model *m = b->model;
    const mat3 R = tmli_node_start_pose(m, node).R;
    const vec3 axis = v3(c % 3 == 0, c % 3 == 1, c % 3 == 2);
    memset(b->p, 0, (size_t)m->n * sizeof *b->p);
    v3_store(c < 3 ? axis : m3_tmulv(&R, axis), b->p + m->node[node].first + (c < 3 ? 0 : 3));
}

static tml_status add_cases(builder *b)
{
    const tml_mesh_def *d = b->def;
    tml_mesh *mesh = b->mesh;
    tml_status st = factor_clamped(b, 1, &b->lin[0]);
    if (st == TML_OK) st = factor_clamped(b, d->interface_count, &b->lin[1]);
    mesh->load = tmli_calloc(&mesh->env, (size_t)d->load_count, sizeof *mesh->load);
    if (st == TML_OK && !mesh->load) st = no_memory(b);
    for (int i = 0; i < d->load_count && st == TML_OK; i++) {
        const char *dot = strrchr(d->load[i], '.');
        const size_t length = dot ? (size_t)(dot - d->load[i]) : 0;
        bool known = false;
        for (int k = 0; k < TMLI_PAIRS && dot && !known; k++) {
            known = length == 4 && strncmp(d->load[i], "spin", 4) == 0 && !strcmp(dot + 1, tmli_pair_name[k]);
            if (known) set_centrifugal(b, k);
        }
        const bool spin = known;
        for (int k = 1; k < d->interface_count && dot && !known; k++)
            for (int c = 0; c < 6 && !known; c++) {
                known = strlen(d->names[k]) == length && strncmp(d->load[i], d->names[k], length) == 0 &&
                        strcmp(dot + 1, tmli_node_coordinate[c]) == 0;
                if (known) set_unit_load(b, b->node[k], c);
            }
        if (!known)
            return tmli_fail(b->err, TML_ERR_NAME,
                             "the load case '%s' is neither NODE.x ... NODE.rz of an interface node other "
                             "than the first nor spin.xx, spin.yy, spin.zz, spin.xy, spin.xz, spin.yz",
                             d->load[i]);
        st = add_case(b, d->load[i], spin);
    }
    return st;
}

// ---- the mesh ---------------------------------------------------------------------------------------------

static tml_status build(builder *b)
{
    tml_status st = tml_model_build(b->def->spec, &b->model, b->err);
    if (st == TML_OK) st = check_model(b);
    if (st == TML_OK) st = tmli_mesh_create(&b->model->env, &b->mesh, b->err);
    if (st == TML_OK) st = make_nodes(b);
    if (st != TML_OK) return st;
    const tml_system *s = tml_model_system(b->model);
    const size_t nnz = (size_t)tmli_pattern_nnz(s->pattern) + 1, n = (size_t)s->n;
    b->arena.env = &b->model->env;
    double **const values[] = {&b->M, &b->K, &b->D, &b->other, &b->fixed};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        *values[i] = tmli_arena_alloc(&b->arena, nnz, sizeof(double));
        if (!*values[i]) return no_memory(b);
    }
    b->p = tmli_arena_alloc(&b->arena, n, sizeof *b->p);
    b->d = tmli_arena_alloc(&b->arena, n, sizeof *b->d);
    b->q = tmli_arena_alloc(&b->arena, (size_t)s->nq, sizeof *b->q);
    b->work = s->ops->create_work(s->self, &b->model->env);
    if (!b->p || !b->d || !b->q || !b->work) return no_memory(b);
    st = tml_state_create(s, &b->x, b->err);
    if (st != TML_OK) return st;
    tml_model_start(b->model, b->model->run.start, b->x);
    memset(b->x->u, 0, n * sizeof *b->x->u);
    st = assemble(b, b->K);
    if (st == TML_OK) st = take_matrix(b, b->K, &b->mesh->K);
    if (st == TML_OK) st = take_matrix(b, b->M, &b->mesh->M);
    if (st == TML_OK && b->def->load_count > 0) st = add_cases(b);
    return st == TML_OK ? tmli_mesh_check(b->mesh, b->err) : st;
}

tml_status tml_mesh_of_spec(const tml_mesh_def *def, tml_mesh **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!def || !out || !def->spec || (def->interface_count > 0 && (!def->interface || !def->names)) ||
        (def->load_count > 0 && !def->load))
        return tmli_null_argument(err, "tml_mesh_of_spec");
    if (def->size != sizeof *def) return tmli_fail(err, TML_ERR_ARG, "start from tml_mesh_def_default()");
    builder b = {.def = def, .err = err};
    const tml_status st = build(&b);
    for (int k = 0; k < 2; k++)
        if (b.lin[k]) tml_linsolver_klu.destroy(b.lin[k]);
    if (b.x) tml_state_destroy(b.x, tml_model_system(b.model));
    if (b.work) tml_model_system(b.model)->ops->destroy_work(b.work);
    if (b.arena.env) tmli_arena_clear(&b.arena);
    tml_model_destroy(b.model);
    if (st == TML_OK) *out = b.mesh;
    else tml_mesh_destroy(b.mesh);
    return st;
}

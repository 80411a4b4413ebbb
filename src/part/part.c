// Reduced parts: storage, rigid motion, mass, modes, checks.
#include "part/part.h"
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"

#include <math.h>
#include <string.h>

#include "part/constants.h"

const int tmli_pair[TMLI_PAIRS][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
const char *const tmli_pair_name[TMLI_PAIRS] = {"xx", "yy", "zz", "xy", "xz", "yz"};

tml_status tmli_part_create(const tml_env *env, int nnodes, int nmodes, int nstiffening, tml_part **out,
                            tml_error *err)
{
    *out = NULL;
    tml_part *p = tmli_calloc(env, 1, sizeof *p);
    if (!p) return tmli_no_memory(err, "part");
    if (env) p->env = *env;
    p->arena.env = &p->env;
    p->nnodes = nnodes;
    p->nmodes = nmodes;
    p->N = 6 * nnodes + nmodes;
    p->nstiffening = nstiffening;
    const size_t square = (size_t)p->N * (size_t)p->N;
    double **const matrix[] = {&p->M,    &p->K,    &p->A[0], &p->A[1], &p->A[2], &p->B[0],
                               &p->B[1], &p->B[2], &p->B[3], &p->B[4], &p->B[5]};
    bool ok = true;
    for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++) {
        *matrix[i] = tmli_arena_alloc(&p->arena, square, sizeof(double));
        ok = ok && *matrix[i];
    }
    p->name = tmli_arena_alloc(&p->arena, (size_t)nnodes + 1, sizeof *p->name);
    p->position = tmli_arena_alloc(&p->arena, 3 * (size_t)nnodes + 1, sizeof *p->position);
    p->frequency = tmli_arena_alloc(&p->arena, (size_t)nmodes + 1, sizeof *p->frequency);
    p->stiffening = tmli_arena_alloc(&p->arena, (size_t)nstiffening + 1, sizeof *p->stiffening);
    for (int i = 0; i < nstiffening && p->stiffening; i++) {
        p->stiffening[i] = (tmli_stiffening){-1, -1, tmli_arena_alloc(&p->arena, square, sizeof(double))};
        ok = ok && p->stiffening[i].G;
    }
    if (!ok || !p->name || !p->position || !p->frequency || !p->stiffening) {
        tml_part_destroy(p);
        return tmli_no_memory(err, "part");
    }
    *out = p;
    return TML_OK;
}

void tml_part_destroy(tml_part *part)
{
    if (!part) return;
    const tml_env env = part->env;
    tmli_arena_clear(&part->arena);
    tmli_free(&env, part);
}

// ---- rigid motion and mass --------------------------------------------------------------------------------

void tmli_part_rigid(const tml_part *p, const double c[3], double *Z)
{
    memset(Z, 0, 6 * (size_t)p->N * sizeof *Z);
    for (int i = 0; i < p->nnodes; i++) {
        const vec3 r = v3_sub(v3_from(p->position + 3 * i), v3_from(c));
        for (int k = 0; k < 3; k++) {
            const double axis[3] = {k == 0, k == 1, k == 2};
            double moved[3];
            v3_store(v3_cross(v3_from(axis), r), moved);
            for (int row = 0; row < 3; row++) {
                Z[6 * (6 * i + row) + k] = axis[row];
                Z[6 * (6 * i + row) + 3 + k] = moved[row];
                Z[6 * (6 * i + 3 + row) + 3 + k] = axis[row];
            }
        }
    }
}

// J (6 x 6) = Z'X Z.
static void project_rigid(const tml_part *p, const double *Z, const double *X, double J[36])
{
    const int n = 6 * p->nnodes;
    memset(J, 0, 36 * sizeof *J);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int a = 0; a < 6; a++)
                for (int b = 0; b < 6; b++) J[6 * a + b] += Z[6 * i + a] * X[i * p->N + j] * Z[6 * j + b];
}

// J (6 x 6) = Z'M Z about the origin of the part.
static tml_status calc_rigid_inertia(const tml_part *p, double J[36], tml_error *err)
{
    const double origin[3] = {0};
    double *Z = tmli_calloc(&p->env, 6 * (size_t)p->N, sizeof *Z);
    if (!Z) return tmli_no_memory(err, "part");
    tmli_part_rigid(p, origin, Z);
    project_rigid(p, Z, p->M, J);
    tmli_free(&p->env, Z);
    return TML_OK;
}

// With the first moments s = mass times centre: Z_t'M Z_r = -s~.
tml_status tml_part_get_info(const tml_part *p, tml_part_info *info, tml_error *err)
{
    if (!p || !info) return tmli_null_argument(err, "tml_part_get_info");
    double J[36] = {0};
    const tml_status st = calc_rigid_inertia(p, J, err);
    if (st != TML_OK) return st;
    const double m = (J[0] + J[7] + J[14]) / 3;
    const double c[3] = {J[11] / m, J[15] / m, J[4] / m}, square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    *info = (tml_part_info){.node_count = p->nnodes,
                            .mode_count = p->nmodes,
                            .reference = p->reference,
                            .stiffening_count = p->nstiffening,
                            .mass = m,
                            .centre = {c[0], c[1], c[2]},
                            .rigid_residual = p->rigid_residual};
    for (int k = 0; k < TMLI_PAIRS; k++) {
        const int a = tmli_pair[k][0], b = tmli_pair[k][1];
        info->inertia[k] = J[6 * (3 + a) + 3 + b] - m * ((a == b) * square - c[a] * c[b]);
    }
    return TML_OK;
}

const char *tml_part_node_name(const tml_part *part, int node)
{
    return part && node >= 0 && node < part->nnodes ? part->name[node] : NULL;
}

tml_status tml_part_node_position(const tml_part *part, int node, double position[3], tml_error *err)
{
    if (!part || !position) return tmli_null_argument(err, "tml_part_node_position");
    if (node < 0 || node >= part->nnodes)
        return tmli_fail(err, TML_ERR_ARG, "the part has %d nodes, there is no node %d", part->nnodes, node);
    memcpy(position, part->position + 3 * (size_t)node, 3 * sizeof *position);
    return TML_OK;
}

double tml_part_fixed_frequency(const tml_part *part, int i)
{
    return part && i >= 0 && i < part->nmodes ? part->frequency[i] : NAN;
}

// ---- modes ------------------------------------------------------------------------------------------------

// With M = L L': inv(L) K inv(L)' y = w^2 y, phi = inv(L)' y.
tml_status tmli_part_free_modes(const tml_part *p, double *w, double *phi, tml_error *err)
{
    const int n = p->N, lwork = 4 * n;
    const size_t square = (size_t)n * (size_t)n;
    const double one = 1;
    int info = 0;
    const tml_status st = tmli_lapack_load(err);
    if (st != TML_OK) return st;
    double *L = tmli_calloc(&p->env, square + 4 * (size_t)n, sizeof *L);
    if (!L) return tmli_no_memory(err, "part");
    memcpy(L, p->M, square * sizeof *L);
    memcpy(phi, p->K, square * sizeof *phi);
    tmli_dpotrf("L", &n, L, &n, &info, 1);
    if (info == 0) {
        tmli_dtrsm("L", "L", "N", "N", &n, &n, &one, L, &n, phi, &n, 1, 1, 1, 1);
        tmli_dtrsm("R", "L", "T", "N", &n, &n, &one, L, &n, phi, &n, 1, 1, 1, 1);
        tmli_dsyev("V", "L", &n, phi, &n, w, L + square, &lwork, &info, 1, 1);
    }
    if (info == 0) tmli_dtrsm("L", "L", "T", "N", &n, &n, &one, L, &n, phi, &n, 1, 1, 1, 1);
    tmli_free(&p->env, L);
    if (info != 0)
        return tmli_fail(err, TML_ERR_MODEL, "the mass matrix of the part is not positive definite");
    for (int i = 0; i < n; i++) w[i] = i < 6 ? 0 : sqrt(fmax(w[i], 0));
    for (int i = 0; i < n; i++)  // columns to rows
        for (int j = 0; j < i; j++) {
            const double x = phi[i * n + j];
            phi[i * n + j] = phi[j * n + i];
            phi[j * n + i] = x;
        }
    return TML_OK;
}

tml_status tml_part_free_frequencies(const tml_part *part, int count, double *frequency, int *found,
                                     tml_error *err)
{
    if (!part || !frequency || !found) return tmli_null_argument(err, "tml_part_free_frequencies");
    const size_t N = (size_t)part->N;
    *found = 0;
    double *w = tmli_calloc(&part->env, N + N * N, sizeof *w);
    if (!w) return tmli_no_memory(err, "part");
    const tml_status st = tmli_part_free_modes(part, w, w + N, err);
    for (int i = 6; i < part->N && *found < count && st == TML_OK; i++)
        frequency[(*found)++] = w[i] / 6.28318530717958647692;
    tmli_free(&part->env, w);
    return st;
}

// ---- checks -----------------------------------------------------------------------------------------------

static tml_status check_matrix(const tml_part *p, const double *X, const char *what, tml_mark at,
                               tml_error *err)
{
    for (int i = 0; i < p->N; i++)
        for (int j = 0; j <= i; j++) {
            const double x = X[i * p->N + j], y = X[j * p->N + i];
            const double scale = sqrt(fabs(X[i * (p->N + 1)] * X[j * (p->N + 1)]));
            if (!isfinite(x) || !isfinite(y))
                return tmli_fail_at(err, TML_ERR_MODEL, at, "entry (%d, %d) of %s is not finite", i + 1,
                                    j + 1, what);
            if (fabs(x - y) > SYMMETRY * scale && x != y)
                return tmli_fail_at(err, TML_ERR_MODEL, at,
                                    "%s is not symmetric: entry (%d, %d) is %g, entry (%d, %d) is %g", what,
                                    i + 1, j + 1, x, j + 1, i + 1, y);
        }
    return TML_OK;
}

// Forces of rigid motion over the sums of the largest terms that a positive matrix can have.
static tml_status check_rigid(const tml_part *p, tml_mark at, tml_error *err)
{
    double *Z = tmli_calloc(&p->env, 6 * (size_t)p->N, sizeof *Z);
    if (!Z) return tmli_no_memory(err, "part");
    tml_status st = TML_OK;
    tmli_part_rigid(p, p->position, Z);
    for (int i = 0; i < p->N && st == TML_OK; i++)
        for (int a = 0; a < 6 && st == TML_OK; a++) {
            double sum = 0, terms = 0;
            for (int j = 0; j < p->N; j++) {
                sum += p->K[i * p->N + j] * Z[6 * j + a];
                terms += sqrt(fabs(p->K[i * (p->N + 1)] * p->K[j * (p->N + 1)])) * fabs(Z[6 * j + a]);
            }
            if (fabs(sum) > RIGID_FORCE * terms)
                st = tmli_fail_at(err, TML_ERR_MODEL, at,
                                  "the part is not free: rigid motion along %s gives the force %g at "
                                  "coordinate %d",
                                  tmli_node_coordinate[a], sum, i + 1);
        }
    tmli_free(&p->env, Z);
    return st;
}

tml_status tmli_part_check(const tml_part *p, tml_mark at, tml_error *err)
{
    tml_status st = check_matrix(p, p->M, "the mass matrix", at, err);
    if (st == TML_OK) st = check_matrix(p, p->K, "the stiffness matrix", at, err);
    for (int k = 0; k < TMLI_PAIRS && st == TML_OK; k++)
        st = check_matrix(p, p->B[k], "an inertia integral", at, err);
    for (int k = 0; k < p->nstiffening && st == TML_OK; k++)
        for (int i = 0; i < p->N * p->N && st == TML_OK; i++)
            if (!isfinite(p->stiffening[k].G[i]))
                st = tmli_fail_at(err, TML_ERR_MODEL, at, "a geometric stiffness is not finite");
    if (st == TML_OK) st = check_rigid(p, at, err);
    if (st != TML_OK) return st;
    double *w = tmli_calloc(&p->env, (size_t)p->N * ((size_t)p->N + 1), sizeof *w);
    if (!w) return tmli_no_memory(err, "part");
    st = tmli_part_free_modes(p, w, w + p->N, err);
    if (st == TML_ERR_MODEL)
        st = tmli_fail_at(err, TML_ERR_MODEL, at, "the mass matrix of the part is not positive definite");
    tmli_free(&p->env, w);
    return st;
}

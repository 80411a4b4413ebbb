// Random saddle-point matrices on graphs of bodies and joints, for the tests of the linear solvers.
//
//   A = [ K + p B'B   B' + dB' ]        K: block on each body, symmetric part positive definite, unsymmetric
//       [ B + dB''    0        ]        B: random, full rank; dB: small: only the pattern is symmetric
#ifndef TEST_LINALG_GRAPHS_H
#define TEST_LINALG_GRAPHS_H

#include "linalg/pattern/pattern.h"
#include "support/support.h"

enum { MAX_SIDES = 2 };

/** Joint k ties body a[k] to body b[k], or to the ground if b[k] < 0. Bodies are blocks 0 .. nbodies-1. */
typedef struct graph_def {
    int32_t nbodies, njoints;
    int32_t *a, *b;
    int32_t *sizes;  // (nbodies + njoints)
    bool augmented;
    bool both;  // rows have full rank on each body alone, as those of mechanical joints; else on the first
    double penalty;
    char name[32];
} graph_def;

static inline const char *graph_block_name(int32_t block, void *user)
{
    graph_def *g = user;
    snprintf(g->name, sizeof g->name, block < g->nbodies ? "body 'b%d'" : "joint 'j%d'",
             (int)(block < g->nbodies ? block : block - g->nbodies));
    return g->name;
}

static inline graph_def graph_alloc(int32_t nbodies, int32_t njoints, int32_t body_size, int32_t joint_size)
{
    graph_def g = {.nbodies = nbodies, .njoints = njoints};
    g.a = malloc(((size_t)njoints + 1) * sizeof *g.a);
    g.b = malloc(((size_t)njoints + 1) * sizeof *g.b);
    g.sizes = malloc(((size_t)nbodies + (size_t)njoints) * sizeof *g.sizes);
    for (int32_t i = 0; i < nbodies; i++) g.sizes[i] = body_size;
    for (int32_t i = 0; i < njoints; i++) g.sizes[nbodies + i] = joint_size;
    return g;
}

static inline void graph_free(graph_def *g)
{
    free(g->a);
    free(g->b);
    free(g->sizes);
}

static inline graph_def graph_chain(int32_t n, int32_t body_size, int32_t joint_size)
{
    graph_def g = graph_alloc(n, n, body_size, joint_size);
    for (int32_t i = 0; i < n; i++) g.a[i] = i, g.b[i] = i - 1;
    return g;
}

static inline graph_def graph_star(int32_t leaves, int32_t body_size, int32_t joint_size)
{
    graph_def g = graph_alloc(leaves + 1, leaves, body_size, joint_size);
    for (int32_t i = 0; i < leaves; i++) g.a[i] = i + 1, g.b[i] = 0;
    return g;
}

static inline graph_def graph_ring(int32_t n, int32_t body_size, int32_t joint_size)
{
    graph_def g = graph_alloc(n, n, body_size, joint_size);
    for (int32_t i = 0; i < n; i++) g.a[i] = i, g.b[i] = (i + 1) % n;
    return g;
}

static inline graph_def graph_grid(int32_t nx, int32_t ny, int32_t body_size, int32_t joint_size)
{
    graph_def g = graph_alloc(nx * ny, (nx - 1) * ny + nx * (ny - 1), body_size, joint_size);
    int32_t k = 0;
    for (int32_t j = 0; j < ny; j++) {
        for (int32_t i = 0; i < nx; i++) {
            if (i + 1 < nx) g.a[k] = j * nx + i, g.b[k++] = j * nx + i + 1;
            if (j + 1 < ny) g.a[k] = j * nx + i, g.b[k++] = (j + 1) * nx + i;
        }
    }
    return g;
}

/** Each joint comes after its first body, or after both with both_after. NULL if create failed. */
static inline tml_pattern *graph_pattern_env(graph_def *g, bool both_after, const tml_env *env,
                                             tml_error *err)
{
    const int32_t nb = g->nbodies + g->njoints;
    uint8_t *kind = calloc((size_t)nb, 1);
    int32_t *edges = calloc(6 * (size_t)g->njoints + 2, sizeof *edges);
    int32_t *afterptr = calloc((size_t)nb + 1, sizeof *afterptr),
            *after = calloc((size_t)nb * 2 + 1, sizeof *after);
    int32_t ne = 0;
    for (int32_t k = 0; k < g->njoints; k++) {
        const int32_t joint = g->nbodies + k;
        kind[joint] = 1;
        edges[2 * ne] = joint, edges[2 * ne++ + 1] = g->a[k];
        if (g->b[k] >= 0) edges[2 * ne] = g->b[k], edges[2 * ne++ + 1] = joint;
        if (g->b[k] >= 0 && g->augmented) edges[2 * ne] = g->b[k], edges[2 * ne++ + 1] = g->a[k];
    }
    int32_t na = 0;
    for (int32_t b = 0; b < nb; b++) {
        if (b >= g->nbodies) {
            const int32_t k = b - g->nbodies;
            after[na++] = g->a[k];
            if (both_after && g->b[k] >= 0) after[na++] = g->b[k];
        }
        afterptr[b + 1] = na;
    }
    tml_pattern *p = NULL;
    tmli_pattern_create(nb, g->sizes, kind, ne, edges, afterptr, after, graph_block_name, g, env, &p, err);
    free(kind);
    free(edges);
    free(afterptr);
    free(after);
    return p;
}

static inline tml_pattern *graph_pattern(graph_def *g, bool both_after)
{
    return graph_pattern_env(g, both_after, NULL, NULL);
}

static inline void graph_add(const tml_pattern *p, double *values, int32_t row, int32_t col, double x)
{
    const int32_t k = tmli_pattern_find(p, row, col);
    if (k < 0) fail_msg("entry (%d, %d) is not in the pattern", (int)row, (int)col);
    values[k] += x;
}

/** Random values. The unsymmetric part of the coupling blocks has relative size `skew`. */
static inline void graph_values(const graph_def *g, const tml_pattern *p, rng *r, double skew, double *values)
{
    memset(values, 0, (size_t)tmli_pattern_nnz(p) * sizeof *values);
    for (int32_t b = 0; b < g->nbodies; b++) {
        const int32_t o = p->blockptr[b], m = g->sizes[b];
        for (int32_t i = 0; i < m; i++)
            for (int32_t j = 0; j < m; j++)
                graph_add(p, values, o + i, o + j, i == j ? 1.5 + rng_unit(r) : rng_range(r, -0.2, 0.2));
    }
    double row[2 * 12 + 1];
    for (int32_t k = 0; k < g->njoints; k++) {
        const int32_t joint = g->nbodies + k, m = g->sizes[joint];
        const int32_t side[MAX_SIDES] = {g->a[k], g->b[k]};
        const int32_t na = g->sizes[g->a[k]], nb = g->b[k] < 0 ? 0 : g->sizes[g->b[k]];
        for (int32_t i = 0; i < m; i++) {
            for (int32_t j = 0; j < na + nb; j++) row[j] = rng_range(r, -0.3, 0.3);
            row[i % na] += 1.1;  // full rank on the first body
            if (g->both && nb > 0) row[na + i % nb] -= 1.1;
            for (int32_t j = 0; j < na + nb; j++) {
                const int32_t c = j < na ? p->blockptr[side[0]] + j : p->blockptr[side[1]] + j - na;
                graph_add(p, values, p->blockptr[joint] + i, c, row[j] * (1 + skew * rng_range(r, -1, 1)));
                graph_add(p, values, c, p->blockptr[joint] + i, row[j]);
                for (int32_t l = 0; l < na + nb && g->augmented; l++) {
                    const int32_t d = l < na ? p->blockptr[side[0]] + l : p->blockptr[side[1]] + l - na;
                    graph_add(p, values, c, d, g->penalty * row[j] * row[l]);
                }
            }
        }
    }
}

/** Make the values symmetric, bit for bit: the mean of each pair. */
static inline void graph_symmetrize(const tml_pattern *p, double *values)
{
    for (int32_t j = 0; j < p->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1] && p->rowind[k] < j; k++) {
            const int32_t other = tmli_pattern_find(p, j, p->rowind[k]);
            values[k] = values[other] = (values[k] + values[other]) / 2;
        }
}

static inline void graph_multiply(const tml_pattern *p, const double *values, const double *x, double *y)
{
    for (int32_t i = 0; i < p->n; i++) y[i] = 0;
    for (int32_t j = 0; j < p->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) y[p->rowind[k]] += values[k] * x[j];
}

// ---- problems with a known solution -----------------------------------------------------------------------

typedef struct problem {
    graph_def g;  // the pattern keeps a pointer to it
    tml_pattern *p;
    double *values, *x, *b;  // b = A x
} problem;

/** Room for the values and vectors of q->p. */
static inline void problem_allocate(problem *q)
{
    const size_t n = (size_t)q->p->n;
    q->values = malloc((size_t)tmli_pattern_nnz(q->p) * sizeof *q->values);
    q->x = malloc(n * sizeof *q->x);
    q->b = malloc(n * sizeof *q->b);
}

/** A random solution for the values. */
static inline void problem_set_solution(problem *q, rng *r)
{
    for (int32_t i = 0; i < q->p->n; i++) q->x[i] = rng_range(r, -1, 1);
    graph_multiply(q->p, q->values, q->x, q->b);
}

static inline void problem_free(problem *q)
{
    tmli_pattern_destroy(q->p);
    free(q->values);
    free(q->x);
    free(q->b);
    graph_free(&q->g);
}

static inline void *make_solver(const tml_linsolver_ops *ops, const tml_pattern *p)
{
    void *self = NULL;
    tml_error err = {0};
    if (ops->create(p, NULL, &self, &err) != TML_OK) fail_msg("%s: %s", ops->name, err.msg);
    return self;
}

/** Largest error of the solution after a new factorization. */
static inline double solution_error(const tml_linsolver_ops *ops, void *self, const problem *q)
{
    tml_error err = {0};
    if (ops->factor(self, q->values, &err) != TML_OK) fail_msg("%s: %s", ops->name, err.msg);
    double *y = malloc((size_t)q->p->n * sizeof *y), worst = 0;
    memcpy(y, q->b, (size_t)q->p->n * sizeof *y);
    ops->solve(self, y);
    for (int32_t i = 0; i < q->p->n; i++) worst = fmax(worst, fabs(y[i] - q->x[i]));
    free(y);
    return worst;
}

#endif

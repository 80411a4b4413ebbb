// The sparse matrix of the regularized equations: its pattern, and where parts of the system's own matrices go; see
// regularized.h.
//
// Its blocks are copies of those of the system's pattern, which has coordinates first and then multipliers: coordinates as d, u
// and z, multipliers as lambda and r. The order of unknowns is d, u, lambda, z, r.
#include "integrate/regularized.h"

typedef struct graph {
    const tml_pattern *p;
    int coordinates, multipliers;  // blocks
    bool more;                     // z and r as well
    int32_t *size, *edge;
    uint8_t *kind;
    int32_t edges;
} graph;

// Block number of a copy: coordinates 0: d, 1: u, 2: z; multipliers 0: lambda, 1: r.
static int32_t coordinate(const graph *g, int copy, int b)
{
    return copy < 2 ? copy * g->coordinates + b : 2 * g->coordinates + g->multipliers + b;
}
static int32_t multiplier(const graph *g, int copy, int b)
{
    const int place = b - g->coordinates;
    return 2 * g->coordinates + place + (copy == 0 ? 0 : g->multipliers + g->coordinates);
}

static void join(graph *g, int32_t a, int32_t b)
{
    g->edge[2 * g->edges] = a;
    g->edge[2 * g->edges + 1] = b;
    g->edges++;
}

static void couple(graph *g, int a, int b)
{
    const bool ma = a >= g->coordinates, mb = b >= g->coordinates;
    if (ma) return;
    if (!mb) {
        join(g, coordinate(g, 0, a), coordinate(g, 1, b));  // (2) by d, (1) by u
        join(g, coordinate(g, 1, a), coordinate(g, 1, b));  // (2) by u
        if (g->more) join(g, coordinate(g, 2, a), coordinate(g, 2, b));
        return;
    }
    for (int k = 0; k < (g->more ? 3 : 2); k++)
        for (int l = 0; l < (g->more ? 2 : 1); l++) join(g, coordinate(g, k, a), multiplier(g, l, b));
}

// Block couplings, from the first column of each block: the pattern is full within blocks.
static void walk(graph *g)
{
    for (int32_t b = 0; b < g->p->nblocks; b++) {
        const int32_t column = g->p->blockptr[b];
        int32_t a = 0;
        for (int32_t i = g->p->colptr[column]; i < g->p->colptr[column + 1]; i++) {
            const int32_t row = g->p->rowind[i];
            if (i > g->p->colptr[column] && row < g->p->blockptr[a + 1]) continue;
            while (row >= g->p->blockptr[a + 1]) a++;
            couple(g, a, b);
        }
    }
}

static void fill_blocks(graph *g)
{
    const tml_pattern *p = g->p;
    for (int32_t b = 0; b < p->nblocks; b++) {
        const bool is_multiplier = b >= g->coordinates;
        const int copies = is_multiplier ? (g->more ? 2 : 1) : (g->more ? 3 : 2);
        for (int k = 0; k < copies; k++) {
            const int32_t at = is_multiplier ? multiplier(g, k, b) : coordinate(g, k, b);
            g->size[at] = p->blockptr[b + 1] - p->blockptr[b];
            g->kind[at] = is_multiplier;
        }
    }
}

static tml_status make_pattern(tmli_regular_eq *e, tml_error *err)
{
    const tml_pattern *p = e->sys->pattern;
    const tml_env *env = &e->sys->env;
    graph g = {.p = p, .more = e->at_z >= 0};
    for (int32_t b = 0; b < p->nblocks && p->blockptr[b] < e->n; b++) g.coordinates++;
    g.multipliers = p->nblocks - g.coordinates;
    const size_t blocks = 3 * (size_t)p->nblocks, couplings = 6 * (size_t)tmli_pattern_nnz(p);
    g.size = tmli_calloc(env, blocks, sizeof *g.size);
    g.kind = tmli_calloc(env, blocks, sizeof *g.kind);
    g.edge = tmli_calloc(env, 2 * couplings, sizeof *g.edge);
    tml_status st = g.size && g.kind && g.edge ? TML_OK : tmli_no_memory(err, "integrator");
    if (st == TML_OK) {
        fill_blocks(&g);
        walk(&g);
        const int32_t count = 2 * g.coordinates + g.multipliers + (g.more ? p->nblocks : 0);
        st = tmli_pattern_create(count, g.size, g.kind, g.edges, g.edge, NULL, NULL, NULL, NULL, env,
                                 &e->pattern, err);
    }
    tmli_free(env, g.size);
    tmli_free(env, g.kind);
    tmli_free(env, g.edge);
    return st;
}

static int place(const tmli_regular_eq *e, int row, int col)
{
    return tmli_pattern_find(e->pattern, row, col);
}

// Places of (1), whose blocks are those of the nodes.
static void place_tangent(tmli_regular_eq *e)
{
    for (int j = 0; j < e->n; j++)
        for (int k = 0; k < e->colours; k++) {
            const int i = e->first[j] + k, at = j * e->colours + k;
            const bool inside = i < e->n && e->first[i] == e->first[j];
            e->dd[at] = inside ? place(e, i, j) : -1;
            e->du[at] = inside && i == j ? place(e, i, e->n + j) : -1;
        }
}

static void place_motion(tmli_regular_eq *e)
{
    const tml_pattern *p = e->sys->pattern;
    const int n = e->n;
    for (int j = 0; j < p->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int i = p->rowind[k];
            const bool motion = i < n && j < n;
            e->ud[k] = motion ? place(e, n + i, j) : -1;
            e->uu[k] = motion ? place(e, n + i, n + j) : -1;
            e->zz[k] = motion && e->at_z >= 0 ? place(e, e->at_z + i, e->at_z + j) : -1;
        }
}

static void place_rows(tmli_regular_eq *e)
{
    const tml_system *s = e->sys;
    const bool more = e->at_z >= 0;
    for (int r = 0; r < e->m; r++) {
        const int row = (more ? e->at_r : e->at_l) + r;  // of (3)
        e->ll[r] = place(e, e->at_l + r, e->at_l + r);
        e->rr[r] = more ? place(e, e->at_r + r, e->at_r + r) : -1;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) {
            const int j = s->rowcol[i];
            e->ul[i] = place(e, e->n + j, e->at_l + r);
            e->cd[i] = place(e, row, j);
            e->cu[i] = place(e, row, e->n + j);
            e->zr[i] = more ? place(e, e->at_z + j, e->at_r + r) : -1;
            e->lz[i] = more ? place(e, e->at_l + r, e->at_z + j) : -1;
        }
    }
}

tml_status tmli_regular_layout(tmli_regular_eq *e, tml_error *err)
{
    const size_t n = (size_t)e->n, m = (size_t)e->m, nnz = (size_t)tmli_pattern_nnz(e->sys->pattern);
    const size_t entries = m ? (size_t)e->sys->rowptr[m] : 0, tangent = n * (size_t)e->colours;
    tml_status st = make_pattern(e, err);
    if (st != TML_OK) return st;
    const size_t length[] = {tangent, tangent, nnz,     nnz,     nnz, entries,
                             entries, entries, entries, entries, m,   m};
    int **const part[] = {&e->dd, &e->du, &e->ud, &e->uu, &e->zz, &e->ul,
                          &e->cd, &e->cu, &e->zr, &e->lz, &e->ll, &e->rr};
    size_t total = 0;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) total += length[i];
    e->places = tmli_calloc(&e->sys->env, total, sizeof(int));
    if (!e->places) return tmli_no_memory(err, "integrator");
    int *at = e->places;
    for (size_t i = 0; i < sizeof length / sizeof *length; at += length[i++]) *part[i] = at;
    place_tangent(e);
    place_motion(e);
    place_rows(e);
    return TML_OK;
}

// Builds the compressed-column pattern of a block graph.
//
// Neighbours of each block are counted, listed, sorted and made unique; the columns of a block then all get
// the same rows: its neighbours' unknowns in ascending order, itself among them.
#include "linalg/pattern/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct owned_pattern {
    tml_pattern pattern;  // first: a tml_pattern * of ours is an owned_pattern *
    tml_env env;
    int32_t *colptr, *rowind, *blockptr, *block, *afterptr, *afterind;
    uint8_t *multiplier;
} owned_pattern;

// Neighbours in compressed form; lists are sorted and unique after graph_build.
typedef struct graph {
    int32_t *ptr;  // (nblocks + 1) start of the raw list
    int32_t *end;  // (nblocks) end of the unique list
    int32_t *ind;
} graph;

static tml_status check_input(int32_t nblocks, const int32_t *sizes, int32_t nedges, const int32_t *edges,
                              tml_error *err);
static tml_status graph_build(graph *g, int32_t nblocks, int32_t nedges, const int32_t *edges,
                              const tml_env *env);
static tml_status fill_columns(owned_pattern *p, const graph *g, int32_t nblocks, const int32_t *sizes,
                               tml_error *err);
static tml_status copy_rules(owned_pattern *p, int32_t nblocks, const uint8_t *multiplier,
                             const int32_t *afterptr, const int32_t *afterind, tml_error *err);
static tml_status check_cycles(owned_pattern *p, int32_t nblocks, tml_error *err);
static int compare_int32(const void *a, const void *b);

tml_status tmli_pattern_create(int32_t nblocks, const int32_t *sizes, const uint8_t *multiplier,
                               int32_t nedges, const int32_t *edges, const int32_t *afterptr,
                               const int32_t *afterind, const char *(*block_name)(int32_t block, void *user),
                               void *user, const tml_env *env, tml_pattern **out, tml_error *err)
{
    *out = NULL;
    tml_status st = check_input(nblocks, sizes, nedges, edges, err);
    if (st != TML_OK) return st;
    owned_pattern *p = tmli_calloc(env, 1, sizeof *p);
    if (!p) return tmli_fail(err, TML_ERR_NOMEM, "pattern: no memory for %d blocks", (int)nblocks);
    if (env) p->env = *env;

    graph g = {0};
    st = graph_build(&g, nblocks, nedges, edges, env);
    if (st != TML_OK) tmli_fail(err, st, "pattern: no memory for %d edges", (int)nedges);
    if (st == TML_OK) st = fill_columns(p, &g, nblocks, sizes, err);
    if (st == TML_OK) st = copy_rules(p, nblocks, multiplier, afterptr, afterind, err);
    tmli_free_all(env, g.ptr, g.end, g.ind);
    p->pattern = (tml_pattern){.n = p->blockptr ? p->blockptr[nblocks] : 0,
                               .colptr = p->colptr,
                               .rowind = p->rowind,
                               .nblocks = nblocks,
                               .blockptr = p->blockptr,
                               .multiplier = p->multiplier,
                               .afterptr = p->afterptr,
                               .afterind = p->afterind,
                               .block_name = block_name,
                               .name_user = user,
                               .block = p->block};
    if (st == TML_OK) st = check_cycles(p, nblocks, err);
    if (st != TML_OK) {
        tmli_pattern_destroy(&p->pattern);
        return st;
    }
    *out = &p->pattern;
    return TML_OK;
}

void tmli_pattern_destroy(tml_pattern *pattern)
{
    if (!pattern) return;
    owned_pattern *p = (owned_pattern *)(void *)pattern;
    const tml_env env = p->env;
    tmli_free_all(&env, p->colptr, p->rowind, p->blockptr, p->block, p->afterptr, p->afterind, p->multiplier,
                  p);
}

int32_t tmli_pattern_find(const tml_pattern *p, int32_t row, int32_t col)
{
    if (row < 0 || col < 0 || row >= p->n || col >= p->n) return -1;
    int32_t lo = p->colptr[col], hi = p->colptr[col + 1];
    while (lo < hi) {
        const int32_t mid = lo + (hi - lo) / 2;
        if (p->rowind[mid] < row) lo = mid + 1;
        else hi = mid;
    }
    return lo < p->colptr[col + 1] && p->rowind[lo] == row ? lo : -1;
}

int32_t tmli_pattern_block_of(const tml_pattern *p, int32_t i)
{
    if (p->block) return p->block[i];
    int32_t lo = 0, hi = p->nblocks - 1;
    while (lo < hi) {
        const int32_t mid = lo + (hi - lo + 1) / 2;
        if (p->blockptr[mid] <= i) lo = mid;
        else hi = mid - 1;
    }
    return lo;
}

const char *tmli_pattern_block_name(const tml_pattern *p, int32_t block, char buf[TMLI_BLOCK_NAME])
{
    const char *name = p->block_name ? p->block_name(block, p->name_user) : NULL;
    if (name) return name;
    snprintf(buf, TMLI_BLOCK_NAME, "block %d", (int)block);
    return buf;
}

static tml_status check_input(int32_t nblocks, const int32_t *sizes, int32_t nedges, const int32_t *edges,
                              tml_error *err)
{
    if (nblocks < 1)
        return tmli_fail(err, TML_ERR_ARG, "pattern: %d blocks, at least 1 expected", (int)nblocks);
    if (nedges < 0) return tmli_fail(err, TML_ERR_ARG, "pattern: %d edges, at least 0 expected", (int)nedges);
    int64_t n = 0;
    for (int32_t b = 0; b < nblocks; b++) {
        if (sizes[b] < 1)
            return tmli_fail(err, TML_ERR_ARG, "pattern: block %d has size %d, at least 1 expected", (int)b,
                             (int)sizes[b]);
        n += sizes[b];
    }
    if (n >= INT32_MAX) return tmli_fail(err, TML_ERR_ARG, "pattern: more than %d unknowns", (int)INT32_MAX);
    for (int64_t e = 0; e < 2 * (int64_t)nedges; e++) {
        if (edges[e] < 0 || edges[e] >= nblocks)
            return tmli_fail(err, TML_ERR_ARG, "pattern: edge %d names block %d, expected 0 .. %d",
                             (int)(e / 2), (int)edges[e], (int)nblocks - 1);
    }
    return TML_OK;
}

static tml_status graph_build(graph *g, int32_t nblocks, int32_t nedges, const int32_t *edges,
                              const tml_env *env)
{
    if (nedges > (INT32_MAX - nblocks) / 2) return TML_ERR_NOMEM;
    if (!tmli_calloc_all(env, TMLI_ARRAY(g->ptr, (size_t)nblocks + 1), TMLI_ARRAY(g->end, (size_t)nblocks),
                         TMLI_ARRAY(g->ind, (size_t)nblocks + 2 * (size_t)nedges)))
        return TML_ERR_NOMEM;

    for (int32_t b = 0; b < nblocks; b++) g->ptr[b + 1] = 1;
    for (int64_t e = 0; e < 2 * (int64_t)nedges; e++) g->ptr[edges[e] + 1]++;
    for (int32_t b = 0; b < nblocks; b++) g->ptr[b + 1] += g->ptr[b];
    for (int32_t b = 0; b < nblocks; b++) {
        g->end[b] = g->ptr[b];
        g->ind[g->end[b]++] = b;
    }
    for (int64_t e = 0; e < nedges; e++) {
        const int32_t i = edges[2 * e], j = edges[2 * e + 1];
        g->ind[g->end[i]++] = j;
        g->ind[g->end[j]++] = i;
    }
    for (int32_t b = 0; b < nblocks; b++) {
        int32_t *list = g->ind + g->ptr[b];
        const int32_t count = g->end[b] - g->ptr[b];
        qsort(list, (size_t)count, sizeof *list, compare_int32);
        int32_t kept = 1;
        for (int32_t k = 1; k < count; k++)
            if (list[k] != list[kept - 1]) list[kept++] = list[k];
        g->end[b] = g->ptr[b] + kept;
    }
    return TML_OK;
}

static tml_status fill_columns(owned_pattern *p, const graph *g, int32_t nblocks, const int32_t *sizes,
                               tml_error *err)
{
    p->blockptr = tmli_calloc(&p->env, (size_t)nblocks + 1, sizeof *p->blockptr);
    if (!p->blockptr) return tmli_fail(err, TML_ERR_NOMEM, "pattern: no memory for %d blocks", (int)nblocks);
    for (int32_t b = 0; b < nblocks; b++) p->blockptr[b + 1] = p->blockptr[b] + sizes[b];
    const int32_t n = p->blockptr[nblocks];

    int64_t nnz = 0;
    for (int32_t b = 0; b < nblocks; b++)
        for (int32_t k = g->ptr[b]; k < g->end[b]; k++) nnz += (int64_t)sizes[b] * sizes[g->ind[k]];
    if (nnz >= INT32_MAX) return tmli_fail(err, TML_ERR_ARG, "pattern: more than %d entries", (int)INT32_MAX);
    if (!tmli_calloc_all(&p->env, TMLI_ARRAY(p->colptr, (size_t)n + 1), TMLI_ARRAY(p->rowind, (size_t)nnz),
                         TMLI_ARRAY(p->block, (size_t)n)))
        return tmli_fail(err, TML_ERR_NOMEM, "pattern: no memory for %lld entries", (long long)nnz);

    int32_t at = 0;
    for (int32_t b = 0; b < nblocks; b++) {
        for (int32_t i = p->blockptr[b]; i < p->blockptr[b + 1]; i++) p->block[i] = b;
        for (int32_t col = p->blockptr[b]; col < p->blockptr[b + 1]; col++) {
            for (int32_t k = g->ptr[b]; k < g->end[b]; k++) {
                const int32_t nb = g->ind[k];
                for (int32_t row = p->blockptr[nb]; row < p->blockptr[nb + 1]; row++) p->rowind[at++] = row;
            }
            p->colptr[col + 1] = at;
        }
    }
    return TML_OK;
}

static tml_status copy_rules(owned_pattern *p, int32_t nblocks, const uint8_t *multiplier,
                             const int32_t *afterptr, const int32_t *afterind, tml_error *err)
{
    const int32_t count = afterptr ? afterptr[nblocks] : 0;
    if (!tmli_calloc_all(&p->env, TMLI_ARRAY(p->multiplier, (size_t)nblocks),
                         TMLI_ARRAY(p->afterptr, (size_t)nblocks + 1),
                         TMLI_ARRAY(p->afterind, (size_t)count)))
        return tmli_fail(err, TML_ERR_NOMEM, "pattern: no memory for the order of %d blocks", (int)nblocks);
    if (nblocks > 0) memcpy(p->multiplier, multiplier, (size_t)nblocks);
    if (!afterptr) return TML_OK;
    memcpy(p->afterptr, afterptr, ((size_t)nblocks + 1) * sizeof *afterptr);
    if (count) memcpy(p->afterind, afterind, (size_t)count * sizeof *afterind);
    for (int32_t b = 0; b < nblocks; b++) {
        if (afterptr[b + 1] > afterptr[b] && !multiplier[b])
            return tmli_fail(err, TML_ERR_ARG, "pattern: coordinate block %d must not wait for another",
                             (int)b);
        for (int32_t k = afterptr[b]; k < afterptr[b + 1]; k++)
            if (afterind[k] < 0 || afterind[k] >= nblocks)
                return tmli_fail(err, TML_ERR_ARG, "pattern: block %d waits for block %d, expected 0 .. %d",
                                 (int)b, (int)afterind[k], (int)nblocks - 1);
    }
    return TML_OK;
}

// Repeatedly release the blocks that wait for nothing; what is left over lies on a cycle or behind one.
static tml_status check_cycles(owned_pattern *p, int32_t nblocks, tml_error *err)
{
    const int32_t nrules = p->afterptr[nblocks];
    if (nrules == 0) return TML_OK;
    int32_t *waiting = tmli_calloc(&p->env, (size_t)nblocks, sizeof *waiting);  // rules not yet met
    int32_t *ready = tmli_calloc(&p->env, (size_t)nblocks, sizeof *ready);      // queue
    int32_t *start = tmli_calloc(&p->env, (size_t)nblocks + 2, sizeof *start);  // transposed rules
    int32_t *follower = tmli_calloc(&p->env, (size_t)nrules, sizeof *follower);
    tml_status st = TML_OK;
    if (!waiting || !ready || !start || !follower) {
        st = tmli_fail(err, TML_ERR_NOMEM, "pattern: no memory for %d rules of order", (int)nrules);
        goto done;
    }
    for (int32_t k = 0; k < nrules; k++) start[p->afterind[k] + 2]++;
    for (int32_t b = 0; b < nblocks; b++) start[b + 2] += start[b + 1];
    int32_t tail = 0;
    for (int32_t b = 0; b < nblocks; b++) {
        for (int32_t k = p->afterptr[b]; k < p->afterptr[b + 1]; k++)
            follower[start[p->afterind[k] + 1]++] = b;
        waiting[b] = p->afterptr[b + 1] - p->afterptr[b];
        if (waiting[b] == 0) ready[tail++] = b;
    }
    for (int32_t head = 0; head < tail; head++)
        for (int32_t k = start[ready[head]]; k < start[ready[head] + 1]; k++)
            if (--waiting[follower[k]] == 0) ready[tail++] = follower[k];
    for (int32_t b = 0; b < nblocks && st == TML_OK; b++) {
        char buf[TMLI_BLOCK_NAME];
        if (waiting[b])
            st = tmli_fail(err, TML_ERR_ARG, "pattern: the order of elimination waits in a circle at %s",
                           tmli_pattern_block_name(&p->pattern, b, buf));
    }
done:
    tmli_free_all(&p->env, waiting, ready, start, follower);
    return st;
}

static int compare_int32(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void tmli_pattern_scale(const tml_pattern *p, const double *s, double *values)
{
    for (int32_t j = 0; j < p->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) values[k] *= s[j] * s[p->rowind[k]];
}

void tmli_pattern_scale_rows_columns(const tml_pattern *p, const double *row, const double *col,
                                     double *values)
{
    for (int32_t j = 0; j < p->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) values[k] *= row[p->rowind[k]] * col[j];
}

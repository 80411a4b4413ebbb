// Wide patterns; see expand.h.
#include "linalg/pattern/expand.h"

#include <limits.h>

// Edges (block of a row, block of the column), each once: the first column of a block shows its neighbours.
static int32_t list_edges(const tml_pattern *base, int32_t *edges)
{
    int32_t count = 0;
    for (int32_t b = 0; b < base->nblocks; b++) {
        const int32_t col = base->blockptr[b];
        for (int32_t p = base->colptr[col]; p < base->colptr[col + 1];) {
            const int32_t other = tmli_pattern_block_of(base, base->rowind[p]);
            if (other > b) {
                edges[2 * count] = other;
                edges[2 * count + 1] = b;
                count++;
            }
            p += base->blockptr[other + 1] - base->blockptr[other];
        }
    }
    return count;
}

tml_status tmli_pattern_expand(const tml_pattern *base, int times, const tml_env *env, tml_pattern **out,
                               tml_error *err)
{
    *out = NULL;
    const double nnz = tmli_pattern_nnz(base);
    if (times < 1 || nnz * times * times > INT_MAX)
        return tmli_fail(err, TML_ERR_ARG, "pattern: cannot be made %d times as wide", times);
    size_t room = 0;  // entries in the first columns of blocks: at least the number of edges
    for (int32_t b = 0; b < base->nblocks; b++)
        room += (size_t)(base->colptr[base->blockptr[b] + 1] - base->colptr[base->blockptr[b]]);
    int32_t *sizes = tmli_calloc(env, (size_t)base->nblocks + 2 * room, sizeof *sizes);
    if (!sizes) return tmli_no_memory(err, "pattern");
    int32_t *edges = sizes + base->nblocks;
    for (int32_t b = 0; b < base->nblocks; b++)
        sizes[b] = times * (base->blockptr[b + 1] - base->blockptr[b]);
    const int32_t count = list_edges(base, edges);
    tml_status st = tmli_pattern_create(base->nblocks, sizes, base->multiplier, count, edges, base->afterptr,
                                        base->afterind, base->block_name, base->name_user, env, out, err);
    tmli_free(env, sizes);
    return st;
}

// Builds the sparse pattern of a matrix from the graph of its blocks, and finds indices in its value array.
//
// Everything here runs once, when a model is built. The scatter of dense blocks into the value array during a
// run goes through indices that the caller has computed once and keeps.
#ifndef TMLI_LINALG_PATTERN_PATTERN_H
#define TMLI_LINALG_PATTERN_PATTERN_H

#include "base/base.h"

#include <trammel/linsolver.h>

/** Build a pattern that owns its storage.
 *
 * nblocks     vertices of the block graph, >= 1
 * sizes       (nblocks) unknowns of each block, >= 1
 * multiplier  (nblocks) 1: multiplier block, 0: coordinate block
 * nedges      pairs of blocks with a nonzero coupling
 * edges       (2*nedges) edge e joins blocks edges[2e] and edges[2e+1]; both (i,j) and (j,i) become part of
 *             the pattern; duplicates and loops (i,i) are allowed; NULL if nedges == 0
 * afterptr    (nblocks + 1), afterind: see tml_pattern; afterptr may be NULL: no rules. Copied. A coordinate
 *             block with a rule, or rules that form a cycle, are TML_ERR_ARG
 * block_name  name of a block for messages; borrowed with `user`, both must outlive the pattern; NULL:
 *             "block 7"
 *
 * Diagonal blocks are always present and full, also those of multiplier blocks (their values are then
 * explicit zeros). Blocks keep their order: block b holds the unknowns blockptr[b] .. blockptr[b+1]-1. Cost
 * O(E log E + nnz). On failure *out is NULL. */
tml_status tmli_pattern_create(int32_t nblocks, const int32_t *sizes, const uint8_t *multiplier,
                               int32_t nedges, const int32_t *edges, const int32_t *afterptr,
                               const int32_t *afterind, const char *(*block_name)(int32_t block, void *user),
                               void *user, const tml_env *env, tml_pattern **out, tml_error *err);
void tmli_pattern_destroy(tml_pattern *pattern);  // only for patterns of tmli_pattern_create; NULL is fine

/** Number of entries, the length of the value array. */
static inline int32_t tmli_pattern_nnz(const tml_pattern *p) { return p->colptr[p->n]; }

/** Index of entry (row, col) in the value array, or -1 if it is not in the pattern. O(log) of the column's
 * length. */
int32_t tmli_pattern_find(const tml_pattern *p, int32_t row, int32_t col);

/** values(i, j) *= s(i) s(j), s: (n). */
void tmli_pattern_scale(const tml_pattern *p, const double *s, double *values);
/** values(i, j) *= row(i) col(j), both (n). */
void tmli_pattern_scale_rows_columns(const tml_pattern *p, const double *row, const double *col,
                                     double *values);

/** Block that holds unknown i. O(1) for patterns of tmli_pattern_create, else O(log nblocks). */
int32_t tmli_pattern_block_of(const tml_pattern *p, int32_t i);

/** In tml_pattern.multiplier: a multiplier block whose rows are inactive at times. */
enum { TMLI_SWITCHED_BLOCK = 2 };

enum { TMLI_BLOCK_NAME = 128 };
/** Name of a block for messages, never NULL: block_name's, or "block 7" written to buf. */
const char *tmli_pattern_block_name(const tml_pattern *p, int32_t block, char buf[TMLI_BLOCK_NAME]);

#endif

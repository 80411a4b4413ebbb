// Orders of a graph with a small envelope: in each row of the matrix, what lies between the first entry and
// the diagonal.
//
// A Cholesky factorization fills the envelope and nothing else. For blocks I of k_I rows, the first block f_I
// next to I and the width w_I = number of rows of the blocks f_I .. I-1:
//   profile = sum_I k_I w_I,     work = sum_I k_I w_I^2 + k_I^2 w_I + k_I^3 / 3   [flop]             (1)
// (Negrut, thesis, Univ. Iowa, 1998, (3.125), (3.126) with blocks counted by their size). The order of
// least work is taken.
#ifndef TMLI_LINALG_PATTERN_ENVELOPE_H
#define TMLI_LINALG_PATTERN_ENVELOPE_H

#include "base/base.h"

/** An undirected graph: vertex i has size[i] rows and the neighbours ind[ptr[i] .. ptr[i+1]-1], without
 * itself. */
typedef struct tmli_graph {
    int32_t n;
    int32_t *ptr, *ind;
    int32_t *size;
} tmli_graph;

typedef struct tmli_envelope {
    const char *name;  // of the order: "natural", "reverse Cuthill-McKee", "King", "Sloan", ...
    double profile, work;
} tmli_envelope;

/** perm (n): the best of several orders, perm[k]: k-th vertex. best: its cost; all: if not NULL,
 * room for TMLI_ENVELOPE_ORDERS costs, one for each order tried. */
enum { TMLI_ENVELOPE_ORDERS = 9 };
tml_status tmli_envelope_order(const tmli_graph *g, int32_t *perm, tmli_envelope *best, tmli_envelope *all,
                               const tml_env *env, tml_error *err);

#endif

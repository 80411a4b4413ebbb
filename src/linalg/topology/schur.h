// Cholesky factorization of a symmetric saddle-point matrix (saddle.h) through its reduced matrix, in joint
// order.
//
//   A = L L'  body by body,      W = B inv(L')  arm by arm                                            (1)
//   S = W W' = B inv(A) B'                     joints are coupled if they share a body                (2)
//   S = R R'  within its envelope, joints in the order of envelope.h                                   (3)
//   S lambda = W inv(L) b - g,   L' x = inv(L) b - W' lambda                                         (4)
// D. Negrut, thesis, University of Iowa, 1998, section 3.4.2.
#ifndef TMLI_LINALG_TOPOLOGY_SCHUR_H
#define TMLI_LINALG_TOPOLOGY_SCHUR_H

#include "linalg/pattern/envelope.h"
#include "linalg/topology/saddle.h"

/** A joint in the order of elimination. Its rows of S, from the first coupled joint to itself, are one
 * panel by columns: (size x (width + size)). */
typedef struct tmli_panel {
    int32_t joint, size;
    int32_t first;   // position of the first joint in the panel
    int32_t column;  // rows of S before this joint
    int32_t start;   // rows of S before the first joint of the panel
    size_t at;       // in S
} tmli_panel;

/** Two arms of one body: (row joint, column joint) of S gets W W'. */
typedef struct tmli_pair {
    int32_t row, column;  // arms
    size_t at;            // in S
} tmli_pair;

typedef struct tmli_schur {
    tml_env env;
    const tmli_saddle *saddle;
    tmli_envelope envelope;
    tmli_panel *panel;  // (njoints) in order
    int32_t *position;  // (njoints)
    tmli_pair *pair;
    size_t npairs, size, unknowns;
    size_t *body_at, *arm_at;  // where L and W lie in their arrays, and the sizes of these
    double *L, *W, *S;
    double *dL, *dS;      // reciprocal diagonals: by unknown of the bodies; by row of S
    double *pivot_scale;  // (n) diagonals before subtraction
    double *z, *y;        // (unknowns of bodies), (rows)
    double flops, nonzeros;
    bool possible;
} tmli_schur;

/** The graph of the joints, neighbours if they share a body; clear it also after a failure. */
tml_status tmli_schur_graph(const tmli_saddle *d, tmli_graph *g, const tml_env *env, tml_error *err);
void tmli_schur_graph_clear(tmli_graph *g, const tml_env *env);

/** Fills a zeroed object; clear it also after a failure. Where the factorization would take more than `most`
 * operations, as with a body of very many joints, it is not possible, and nothing is kept. */
tml_status tmli_schur_init(tmli_schur *s, const tmli_saddle *saddle, double most, const tml_env *env,
                           tml_error *err);
void tmli_schur_clear(tmli_schur *s);

/** False if some pivot is too small; there are no factors then. The values were read by
 * tmli_saddle_read. */
bool tmli_schur_factor(tmli_schur *s, const double *values);
/** x (n): right side in, solution out. */
void tmli_schur_solve(const tmli_schur *s, double *x);
void tmli_schur_archive(tmli_schur *s, tml_archive *a);

#endif

// Factorization of a symmetric saddle-point matrix (saddle.h) in joint coordinates along a spanning tree
// (cut_tree.h).
//
// The velocity of a body is what its joint leaves free. The joint's rows on the child, k x n, are factored by
// LU with exchange of columns; d: the k columns with pivots, f: the other n - k, whose coordinates are the
// joint's own, a:
//   [C_d C_f] v + C_p v_p = g      ->    v_d = s - R a - X v_p,   v_f = a                             (1)
//   R = inv(C_d) C_f,  X = inv(C_d) C_p,  s = inv(C_d) g
// Leaf to root, with the matrix A of the body, to which its children have added theirs (the articulated
// inertia), the rows D of cut joints in the subtree, and their update matrix Z:
//   G = A N,  N = [-R; 1],  H = N' G = L L',  Y = inv(L) G_d'                                          (2)
//   A_p += X' (A_dd - Y' Y) X                                                                          (3)
//   T = (D_f - D_d R) inv(L'),   D_p = -(D_d - T Y) X,   Z -= T T'                                   (4)
// L, Y, T for all bodies make up the Cholesky factor of the composite matrix H' A H of the joint coordinates,
// which has no fill in this order; but (3) couples a body with the n coordinates of its parent instead of
// those of all ancestors, so that a chain costs O(n). A cut joint c whose bodies are all done has -Z_cc = L
// L', a part of T'T, definite if the joints are not redundant; W = inv(L) [Z_co D_c]:
//   Z_oo += W_o' W_o,   D_o += W_o' W_v,   A_v += W_v' W_v                                             (5)
// Rows of cut joints that depend on others lose their pivots in two ways: by (5), or because T is already a
// difference of equal numbers. A front therefore also has S: for each row the diagonal of T T', and the
// same with absolute values in T. D. Negrut, thesis, University of Iowa, 1998, section 3.4.3; R.
// Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 7; H. Brandl, R. Johanni, M. Otter, IFAC Symp.
// Theory of Robots, 1986 (loops).
#ifndef TMLI_LINALG_TOPOLOGY_ARTICULATED_H
#define TMLI_LINALG_TOPOLOGY_ARTICULATED_H

#include "base/pool.h"
#include "linalg/topology/cut_tree.h"

/** Rows of a cut joint in one front and in the front that gets the update. */
typedef struct tmli_cut_rows {
    int32_t joint, size;
    int32_t from;  // first row in this front
    int32_t to;    // first row there; -1: the joint is eliminated in this front
} tmli_cut_rows;

/** One elimination: a body with its joint, or a cut joint. Offsets are indices in `store`. */
typedef struct tmli_elimination_step {
    int32_t body;                  // the front's body: the pivot's, or for a cut joint the one left, -1: none
    int32_t cut;                   // joint eliminated, -1: a body is
    int32_t n;                     // coordinates of `body`, 0 if there is none
    int32_t k;                     // rows of the body's tree joint or of the cut
    int32_t np;                    // coordinates of the parent body, 0: ground
    int32_t nc;                    // rows of all cut joints in the front
    int32_t next;                  // step that gets the update, -1: none
    int32_t task;                  // it belongs to, -1: none
    size_t target;                 // where the update is added: the front of `next`, or the task's buffer
    int32_t unknown, row, up;      // first unknowns of the body, of the joint (or cut), of the parent
    int32_t rows_begin, rows_end;  // in cut_rows
    int32_t perm;                  // (n) columns of the child in pivot order
    size_t A, D,
        Z;         // (n x n), (nc x n), (nc x nc): the front; columns of A and D in pivot order once factored
    size_t S;      // (nc x 2), the end of the front: sizes that pivots of cut joints are compared with
    size_t J, dJ;  // (k x (n + np)) by rows: L and U of C_d, R, X; reciprocal pivots
    size_t H, dH, Y, T, Q;  // (f x f), (f), (f x k), (nc x f), (nc x k): D_d - T Y
    size_t W;               // of a cut: (k x k) L, then (nc - k) x k, then (k x n)
} tmli_elimination_step;

/** A subtree that one thread eliminates: steps first .. last, the last one being its root. Its update is
 * written to `buffer`, a copy of the front that gets it (A, D, Z, S), and added to that front once all tasks
 * are done. */
typedef struct tmli_task {
    int32_t first, last;
    size_t buffer, size;  // index in `store`, length; size 0: no front gets it
} tmli_task;

typedef struct tmli_articulated {
    tml_env env;
    const tmli_saddle *saddle;
    tmli_cut_tree tree;
    int32_t nsteps, ncut_rows;
    tmli_elimination_step *step;  // in the order of elimination
    tmli_cut_rows *cut_rows;
    int32_t *perm;
    double *store;  // everything numeric, in the order of use
    size_t size;
    tmli_task *task;  // (ntasks) by the topology alone, so that threads change no bit
    int32_t ntasks;
    tmli_pool *pool;  // NULL: one thread
    size_t scratch_size;
    double *scratch;  // (threads x scratch_size) of one elimination
    double flops, nonzeros;
    bool possible;
} tmli_articulated;

/** Fills a zeroed object; clear it also after a failure. Where the factorization would take more than `most`
 * operations or more than `most_numbers` of memory, as with very many cut joints on long paths, it is not
 * possible, and nothing is kept. */
tml_status tmli_articulated_init(tmli_articulated *t, const tmli_saddle *saddle, double most,
                                 size_t most_numbers, const tml_env *env, tml_error *err);
void tmli_articulated_clear(tmli_articulated *t);

/** Threads that factor may use, 0: one per processor. No more than there are tasks: none below some hundred
 * bodies. */
tml_status tmli_articulated_set_threads(tmli_articulated *t, int threads, tml_error *err);

/** False if a pivot is too small; there are no factors then. Values as read by
 * tmli_saddle_read. */
bool tmli_articulated_factor(tmli_articulated *t, const double *values);
/** x (n): right side in, solution out. */
void tmli_articulated_solve(const tmli_articulated *t, double *x);
void tmli_articulated_archive(tmli_articulated *t, tml_archive *a);

#endif

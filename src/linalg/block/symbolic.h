// The schedule of a block factorization: fronts in the order they are factored, and where everything lies in
// memory.
//
// A front gathers some blocks eliminated together (its nk pivots) and the r later unknowns coupled to them.
// Its dense matrix is stored by columns, pivots first,
//                nk        r
//        nkp [ F11      F12 ]      nkp, rp: nk, r rounded up to a multiple of 4, the rows between are zero
//        rp  [ F21      F22 ]          ld = nkp + rp
// so that kernels run over whole vectors of 4. "Local index" of an unknown: 0 .. nk-1 pivots, nk .. nk+r-1
// the others.
#ifndef TMLI_LINALG_BLOCK_SYMBOLIC_H
#define TMLI_LINALG_BLOCK_SYMBOLIC_H

#include "base/base.h"

#include <trammel/linsolver.h>

/** Unknowns that lie side by side in the order of elimination, in this front's rows and in its parent's
 * front. */
typedef struct tmli_index_run {
    int32_t unknown;  // first unknown, in the order of elimination
    int32_t from;     // its index in the front's rows, 0 .. r-1
    int32_t length;
    int32_t at;  // its local index in the parent's front
} tmli_index_run;

/** A dense block of the matrix that is copied into F: entry (r, c) from values[source + c * stride + r] to
 * F[target + c * ld + r]. */
typedef struct tmli_piece {
    int32_t source, stride, target;
    int32_t rows, columns;
} tmli_piece;

typedef struct tmli_front {
    int32_t first;  // first pivot in the order of elimination
    int32_t nk, r, nkp, rp, ld;
    int32_t run, run_end;      // of the r rows
    int32_t piece, piece_end;  // blocks of the matrix gathered into F
    int32_t child, child_end;  // fronts whose updates are added to F
    size_t L;                  // factors: (ld x nk) strictly below the diagonal, zero above
    size_t U;                  // (nkp x (nk + r)) strictly above the diagonal, zero below
    size_t d;                  // (nkp) reciprocal pivots
    size_t stack;              // (rp x r) update matrix for the parent
} tmli_front;

typedef struct tmli_symbolic {
    tml_env env;
    int32_t n, nfronts;
    tmli_front *front;  // (nfronts) children before parents
    tmli_index_run *run;
    int32_t *child;
    tmli_piece *piece;
    int32_t *unknown;    // (n) unknowns of the pattern in the order of elimination
    size_t factor_size;  // doubles of all factors
    size_t stack_size;   // doubles of the stack of update matrices
    size_t front_size;   // doubles of the largest F
    int32_t ld;          // largest ld
    double nonzeros;     // of the factors, without padding
    double flops;
    bool free;       // the order ignores the rules of the pattern: multipliers need a shifted diagonal
    double cost;     // flops, and what does not depend on the size of a front [flop]
    bool too_large;  // a front does not fit into memory, and the schedule is of no use
    bool shared;     // its arrays belong to another, see tmli_symbolic_share
} tmli_symbolic;

/** Fills a zeroed schedule, with that of the pattern if it has one; clear it also after a failure. */
tml_status tmli_symbolic_init(tmli_symbolic *s, const tml_pattern *pattern, const tml_env *env,
                              tml_error *err);
void tmli_symbolic_clear(tmli_symbolic *s);

/** s becomes the schedule of all solvers of this pattern that are created later; s must outlive them. */
static inline void tmli_symbolic_share(const tmli_symbolic *s, tml_pattern *pattern)
{
    pattern->schedule = s;
}

/** The solver for the accelerations of a system with this solver: the faster one, if there is one and the
 * order of the pattern is not free. A free order is taken where the rules of trees cost too much: there the
 * solver `tree` would eliminate as `block` does. */
static inline const tml_linsolver_ops *tmli_acceleration_solver(const tml_linsolver_ops *solver,
                                                                const tml_pattern *pattern)
{
    const tmli_symbolic *s = pattern->schedule;
    return solver->accelerations && !(s && s->free) ? solver->accelerations : solver;
}

#endif

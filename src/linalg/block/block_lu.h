// LU on the graph of blocks in an order of least fill, without pivoting between blocks.
//
// The fronts of symbolic.h are factored in their order. Each gathers the entries of the matrix that belong to
// it and the updates its children left on a stack (the multifrontal method), factors its pivots by front.c,
// keeps L and U, and leaves its own update. All memory lies in the order of use; the schedule was computed
// once. A chain of n bodies costs O(n).
//
// Rows are exchanged only within a block (in fronts large enough for BLAS: among the front's pivots), so the
// result rests on the order: coordinate blocks are definite or made so by augmentation, and a multiplier
// block comes after blocks that give it rank (Bauchau, Epple, Bottasso, J. Comput. Nonlinear Dyn. 4 (2009),
// section 7). The factorization checks its pivots. It fails with the name of the block rather than
// returning a worthless solution.
//
// Where such an order costs much more than a free one (symbolic.c), the free one is taken and the diagonals
// of multipliers are shifted, shifted.c: the matrix is then quasi-definite and has a factorization in every
// order.
#ifndef TMLI_LINALG_BLOCK_BLOCK_LU_H
#define TMLI_LINALG_BLOCK_BLOCK_LU_H

#include "linalg/block/front.h"

typedef struct tmli_blocklu {
    const tml_pattern *pattern;
    const char *who;  // for messages: "block solver"
    tml_env env;
    const tmli_front_kernels *kernels;  // the best that this processor can run
    tmli_symbolic sym;
    double *factors;     // (sym.factor_size)
    double *stack;       // (sym.stack_size) updates
    double *F;           // (sym.front_size)
    double *history;     // (n) see front.c (4), order of elimination
    int32_t *pivot_end;  // (n) where the block of a pivot ends, order of elimination
    double *y;           // (n) solution in the order of elimination
    double *t;           // (sym.ld)
    double *work;        // (3 n) of tmli_condest
    int32_t *row;        // (n) exchanged rows, by front
    int *ipiv;           // (sym.ld)
    double anorm, largest;
    bool good;  // there are factors
    // of a free order; otherwise NULL
    double *shifted;    // (nnz) the matrix that is factored
    double *shift;      // (n) what was added to its diagonal; 0 for coordinates
    double *b, *error;  // (n) right-hand side of a solve, its error
} tmli_blocklu;

/** Fills a zeroed solver; clear it also after a failure. who is borrowed. */
tml_status tmli_blocklu_init(tmli_blocklu *s, const tml_pattern *pattern, const char *who, const tml_env *env,
                             tml_error *err);
void tmli_blocklu_clear(tmli_blocklu *s);
/** As in tml_linsolver_ops; self: tmli_blocklu. */
tml_status tmli_blocklu_factor(tmli_blocklu *s, const double *values, tml_error *err);
void tmli_blocklu_solve(void *self, double *x);
void tmli_blocklu_solve_transposed(void *self, double *x);
double tmli_blocklu_rcond(tmli_blocklu *s);
void tmli_blocklu_info(const tmli_blocklu *s, tml_linsolver_info *out);
void tmli_blocklu_archive(void *self, tml_archive *a);

// ---- shared between the files of this folder --------------------------------------------------------------

/** With the factors as they are: of the shifted matrix, if the order is free. */
void tmli_blocklu_solve_factors(tmli_blocklu *s, bool transposed, double *x);
tml_status tmli_blocklu_report_singular(const tmli_blocklu *s, int32_t block, tml_error *err);

/** Allocate what a free order needs. */
tml_status tmli_shifted_init(tmli_blocklu *s, tml_error *err);
/** s->shifted := values with shifted diagonals. */
void tmli_shifted_set(tmli_blocklu *s, const double *values);
/** Solve with the matrix that was given. */
void tmli_shifted_solve(tmli_blocklu *s, bool transposed, double *x);
/** Error TML_ERR_SINGULAR: rows are dependent. */
tml_status tmli_shifted_check(tmli_blocklu *s, tml_error *err);

#endif

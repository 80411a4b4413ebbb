// The contract of the linear solvers: one sparse pattern, many factorizations.
//
// The iteration matrix of a constrained system has a structurally symmetric pattern and unsymmetric values.
// Its rows and columns fall into blocks (vertices of a graph): coordinate blocks (a body's velocity
// coordinates) and multiplier blocks (a joint's rows, zero on the diagonal before elimination).
#ifndef TRAMMEL_LINSOLVER_H
#define TRAMMEL_LINSOLVER_H

#include <stdbool.h>
#include <stdint.h>
#include <trammel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A square, structurally symmetric sparse pattern in compressed columns, with its blocks. Immutable while in
 * use.
 *
 * Within a block row/column the pattern is full: every column of block J holds the same row indices, and
 * these are whole blocks. Row indices ascend in each column. */
typedef struct tml_pattern {
    int32_t n;                  ///< rows = columns
    const int32_t *colptr;      ///< (n + 1)
    const int32_t *rowind;      ///< (colptr[n])
    int32_t nblocks;            ///< vertices of the block graph
    const int32_t *blockptr;    ///< (nblocks + 1): block b holds unknowns blockptr[b] .. blockptr[b+1]-1
    const uint8_t *multiplier;  ///< (nblocks): 1 for a multiplier block, 0 for a coordinate block
    /** Blocks that a solver without pivoting must eliminate before block b, beside b's own kind rules:
     * afterind[afterptr[b] .. afterptr[b+1]-1]. With them its pivots are nonsingular whenever the matrix is
     * and the coordinate blocks are definite. Coordinate blocks have none. */
    const int32_t *afterptr;  ///< (nblocks + 1)
    const int32_t *afterind;
    /** Name of a block for messages ("body 'crank'", "joint 'pin'"); user may be NULL. */
    const char *(*block_name)(int32_t block, void *user);
    void *name_user;
} tml_pattern;

typedef struct tml_linsolver_info {
    long nonzeros_factor;  ///< entries of the factors (both), 0 if unknown
    double flops_factor;   ///< multiplications and additions of one factorization, 0 if unknown
    double growth;  ///< largest |entry| met while factoring / largest |entry| of the matrix; 0 if unknown
} tml_linsolver_info;

/** A linear solver: a const table. create may allocate; factor, solve and rcond never do. */
typedef struct tml_linsolver_ops {
    const char *name;     ///< as in options: "dense", "klu", "block", ...
    const char *summary;  ///< one line for `trammel methods`
    const char *merit;    ///< why it suits a model, for `trammel check`
    bool pivots;          ///< chooses pivots among all rows: needs no rules about the order of elimination
    /** A faster solver for the matrices of accelerations, for the same systems; NULL: none. */
    const struct tml_linsolver_ops *accelerations;
    tml_status (*create)(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err);
    /** values: (nnz) in pattern order. TML_ERR_SINGULAR: err names the block. The last good factors are lost.
     */
    tml_status (*factor)(void *self, const double *values, tml_error *err);
    /** x (n): right-hand side in, solution out; uses the last factorization. */
    void (*solve)(void *self, double *x);
    /** Estimate of 1 / (|A|_1 |inv(A)|_1) of the last factorization; NULL if not offered. */
    double (*rcond)(void *self);
    void (*info)(const void *self, tml_linsolver_info *out);  ///< NULL if not offered
    void (*destroy)(void *self);                              ///< accepts NULL
    /** As solve, with the transposed matrix; NULL if not offered. */
    void (*solve_transposed)(void *self, double *x);
    /** As factor, for a matrix the caller knows to be symmetric and to have no entries between two coordinate
     * blocks or two multiplier blocks, as the one of accelerations: nothing of that is checked. Its rcond is
     * 0 (not known) afterwards if the solver made use of it. NULL: use factor. */
    tml_status (*factor_symmetric)(void *self, const double *values, tml_error *err);
    /** Threads that a factorization may use from now on; 0: as many as there are processors. At first 1.
     * Factors are the same to the last bit for any number. Allocates. NULL: one thread. */
    tml_status (*set_threads)(void *self, int threads, tml_error *err);
} tml_linsolver_ops;

TML_API extern const tml_linsolver_ops tml_linsolver_dense;  ///< LAPACK LU with partial pivoting
TML_API extern const tml_linsolver_ops
    tml_linsolver_klu;  ///< SuiteSparse KLU: sparse LU with partial pivoting
TML_API extern const tml_linsolver_ops
    tml_linsolver_block;  ///< block LU on the graph, no pivoting between blocks
/** Cholesky of B inv(A) B' in joint order for symmetric matrices with uncoupled definite coordinate blocks,
 * as those of accelerations; block LU for all others. */
TML_API extern const tml_linsolver_ops tml_linsolver_reduced;
/** Elimination in joint coordinates along a spanning tree, cut joints as loop constraints, for the same
 * matrices; block LU for all others. */
TML_API extern const tml_linsolver_ops tml_linsolver_tree;

/** The table of all solvers, NULL at the end, and the look-up by name (NULL if unknown). */
TML_API extern const tml_linsolver_ops *const tml_linsolvers[];
TML_API const tml_linsolver_ops *tml_linsolver_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif

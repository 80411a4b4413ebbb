// The contract of the linear solvers: one sparse pattern, many factorizations with new values.
//
// The iteration matrix of a constrained system has a structurally symmetric pattern and unsymmetric values.
// Its rows and columns fall into blocks (vertices of a graph): coordinate blocks (a body's velocity
// coordinates) and multiplier blocks (a joint's rows, zero on the diagonal before elimination).
#ifndef TRAMMEL_LINSOLVER_H
#define TRAMMEL_LINSOLVER_H

#include <stdbool.h>
#include <stdint.h>
#include <trammel/archive.h>
#include <trammel/base.h>

TML_C_BEGIN

/** A square, structurally symmetric sparse pattern in compressed columns, with its blocks. Immutable while in
 * use.
 *
 * Within a block row/column the pattern is full: every column of block J holds the same row indices, and
 * these are whole blocks. Row indices ascend in each column. */
typedef struct tml_pattern {
    int32_t n;                ///< rows = columns
    const int32_t *colptr;    ///< (n + 1)
    const int32_t *rowind;    ///< (colptr[n])
    int32_t nblocks;          ///< vertices of the block graph
    const int32_t *blockptr;  ///< (nblocks + 1): block b holds unknowns blockptr[b] .. blockptr[b+1]-1
    /** (nblocks): 0 for a coordinate block, 1 for a multiplier block; 2: for one whose rows are inactive at
     * times. */
    const uint8_t *multiplier;
    /** Blocks that a solver without pivoting must eliminate before multiplier block b:
     * afterind[afterptr[b] .. afterptr[b+1]-1]. In this order the pivots are nonsingular if the matrix is
     * nonsingular and the coordinate blocks are definite. The list of a coordinate block is empty. */
    const int32_t *afterptr;  ///< (nblocks + 1)
    const int32_t *afterind;
    /** Name of a block for messages ("body 'crank'", "joint 'pin'"). user: name_user, may be NULL. */
    const char *(*block_name)(int32_t block, void *user);
    void *name_user;
    const int32_t
        *block;  ///< (n): the block of each unknown, as blockptr says; NULL: it is searched for there
    const void *schedule;  ///< of the library's own solvers, found once for all of them; NULL: each finds it
} tml_pattern;

typedef struct tml_linsolver_info {
    long nonzeros_factor;  ///< entries of the factors (both), 0 if unknown
    double flops_factor;   ///< multiplications and additions of one factorization, 0 if unknown
    double growth;  ///< largest |entry| met while factoring / largest |entry| of the matrix; 0 if unknown
} tml_linsolver_info;

/** A linear solver: a const table of functions. create may allocate; factor, solve and rcond do not. */
typedef struct tml_linsolver_ops {
    const char *name;     ///< as in options: "dense", "klu", "block", ...
    const char *summary;  ///< one line for `trammel methods`
    const char *merit;    ///< why it suits a model, for `trammel check`
    bool pivots;          ///< chooses pivots among all rows: needs no rules about the order of elimination
    /** A faster solver for the matrices of accelerations, for the same systems; NULL: none. */
    const struct tml_linsolver_ops *accelerations;
    tml_status (*create)(const tml_pattern *pattern, const tml_env *env, void **self, tml_error *err);
    /** Factor the matrix with the given values (nnz), in pattern order. Error: TML_ERR_SINGULAR; err names
     * the block. On failure the factors of the last matrix are lost. */
    tml_status (*factor)(void *self, const double *values, tml_error *err);
    /** x (n): right-hand side in, solution out; uses the last factorization. */
    void (*solve)(void *self, double *x);
    /** Estimate of 1 / (|A|_1 |inv(A)|_1) of the last factorization; NULL if not offered. */
    double (*rcond)(void *self);
    void (*info)(const void *self, tml_linsolver_info *out);  ///< NULL if not offered
    void (*destroy)(void *self);                              ///< accepts NULL
    /** As solve, with the transposed matrix; NULL if not offered. */
    void (*solve_transposed)(void *self, double *x);
    /** As factor, for a symmetric matrix without entries between two coordinate blocks or two multiplier
     * blocks, such as the matrix of the acceleration problem. The solver does not check this. If it uses the
     * structure, rcond is 0 (not known) afterwards. NULL: use factor. */
    tml_status (*factor_symmetric)(void *self, const double *values, tml_error *err);
    /** Set the number of threads of later factorizations; 0: one per processor; initially 1. The factors are
     * bitwise the same for any number. Allocates. NULL: always one thread. */
    tml_status (*set_threads)(void *self, int threads, tml_error *err);
    /** Visit what later solves and factorizations depend on: the factors, and pivots that are kept. */
    void (*archive)(void *self, tml_archive *a);
} tml_linsolver_ops;

/** The catalogue of solvers, X(name):
 *
 *   dense    LAPACK LU with partial pivoting
 *   klu      SuiteSparse KLU: sparse LU with partial pivoting
 *   block    block LU on the graph, no pivoting between blocks
 *   reduced  symmetric matrices with uncoupled definite coordinate blocks (acceleration problem): Cholesky
 *            factorization of B inv(A) B' in joint order. All other matrices: block LU
 *   tree     the same symmetric matrices: elimination in joint coordinates along a spanning tree, with cut
 *            joints as loop constraints. All other matrices: block LU */
#define TML_LINSOLVER_LIST(X) X(dense) X(klu) X(block) X(reduced) X(tree)

#define TML_LINSOLVER_DECLARE(name) TML_API extern const tml_linsolver_ops tml_linsolver_##name;
TML_LINSOLVER_LIST(TML_LINSOLVER_DECLARE)
#undef TML_LINSOLVER_DECLARE

TML_API extern const tml_linsolver_ops *const tml_linsolvers[];         ///< all solvers; NULL at the end
TML_API const tml_linsolver_ops *tml_linsolver_find(const char *name);  ///< NULL: there is no such solver

TML_C_END
#endif

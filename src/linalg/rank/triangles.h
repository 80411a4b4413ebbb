// The factors of KLU, P A Q = Rs (L U + F) with block triangular L U and F above its blocks, copied into
// arrays of their own. A solve with one right-hand side by KLU is mostly work around each block; where blocks
// have one or two rows, as those of loops in a row, this takes a half of its instructions. Operations and
// their order are those of KLU, except that the reciprocals of scales and pivots are taken once.
#ifndef TMLI_LINALG_RANK_TRIANGLES_H
#define TMLI_LINALG_RANK_TRIANGLES_H

#include "base/base.h"

#include <suitesparse/klu.h>

typedef struct tmli_triangles {
    int n, blocks;
    int *first;            // (blocks + 1) first row of each block
    int *row, *column;     // (n) row[k] of A is row k of the factors
    int *Lp, *Li;          // by columns, the diagonal of ones first
    int *Up, *Ui;          // by columns, the diagonal last, which has its reciprocal in Ux
    int *Fp, *Fi;          // by columns
    double *Lx, *Ux, *Fx;  // entries
    double *scale;         // (n) reciprocals of Rs, of rows of the factors
    double *x;             // (n) scratch
    int *indices;          // memory of all indices
    double *numbers;       // and of all numbers
    size_t index_room, number_room;
} tmli_triangles;

/** Copy the factors. If they have more entries than any before, memory comes from where KLU has its own,
 * which it has just allocated for as many. False: there is none. */
bool tmli_triangles_take(tmli_triangles *t, klu_symbolic *symbolic, klu_numeric *numeric, klu_common *common);
void tmli_triangles_clear(tmli_triangles *t, klu_common *common);
/** b (n) := inverse(A) b */
void tmli_triangles_solve(const tmli_triangles *t, double *b);
/** b (n) := inverse(A') b */
void tmli_triangles_solve_transposed(const tmli_triangles *t, double *b);

#endif

// Meshes and parts, as the rooms after this one see them.
//
// Coordinates of a part: six per interface node (translation, rotation in the axes of the part), then the
// amplitudes of the modes. With the shapes Psi of these coordinates, and O_a that turns the vectors of all
// nodes, (O_a x) = e_a x x, about axis a of the part,
//   M = Psi'm Psi,   K = Psi'k Psi,   A_a = Psi'm O_a Psi,   B_ab = sym (O_a Psi)'m (O_b Psi)             (1)
// m and k: matrices of the mesh. These are all integrals over the mass that large motion needs
// (docs/theory/modal.md).
#ifndef TMLI_PART_PART_H
#define TMLI_PART_PART_H

#include "base/base.h"
#include "math/math3.h"
#include "part/lines.h"

#include <stdint.h>
#include <trammel/part.h>

/** Pairs of axes (a, b) of B_ab and of centrifugal loads: xx, yy, zz, xy, xz, yz. */
enum { TMLI_PAIRS = 6 };
extern const int tmli_pair[TMLI_PAIRS][2];
extern const char *const tmli_pair_name[TMLI_PAIRS];
/** Names of the coordinates of a node: x y z rx ry rz. */
extern const char *const tmli_node_coordinate[6];

/** A square matrix in compressed columns, both triangles. */
typedef struct tmli_sparse {
    int n;
    int32_t *colptr, *rowind;  // (n + 1), (colptr[n]) ascending in each column
    double *value;
    int *line;         // (colptr[n]) of the file; NULL: made by the program
    const char *file;  // NULL: made by the program
} tmli_sparse;

typedef struct tmli_mesh_node {
    const char *name;
    double position[3];
    int row[6];  // rows of the matrices from 0; -1: it has no such coordinate
    int line;    // of the file of nodes
} tmli_mesh_node;

/** Geometric stiffness of a load case; see tml_mesh_add_stiffening. */
typedef struct tmli_load_case {
    const char *name;
    tmli_sparse matrix;
} tmli_load_case;

struct tml_mesh {
    tml_env env;
    tmli_arena arena;
    int n, nnodes, ncases;
    tmli_mesh_node *node;
    const char *file;  // of the nodes; NULL: made by the program
    tmli_sparse K, M;
    tmli_load_case *load;
};

/** Geometric stiffness of a part, by a unit load on coordinate `coordinate`, or by centrifugal forces of the
 * pair of axes `pair`; the other one is -1. */
typedef struct tmli_stiffening {
    int coordinate, pair;
    double *G;  // (N x N), symmetric
} tmli_stiffening;

struct tml_part {
    tml_env env;
    tmli_arena arena;
    int nnodes, nmodes, N;  // N = 6 nnodes + nmodes
    int reference;
    const char **name;  // (nnodes)
    double *position;   // (nnodes x 3) [m]
    double *frequency;  // (nmodes) of the modes with fixed interface [Hz]
    double *M, *K, *A[3], *B[TMLI_PAIRS];
    int nstiffening;
    tmli_stiffening *stiffening;
    double rigid_residual;
};

/** A part of this size with all arrays; the caller destroys it. */
tml_status tmli_part_create(const tml_env *env, int nnodes, int nmodes, int nstiffening, tml_part **out,
                            tml_error *err);
/** Z (N x 6, row-major): rigid motion about the point c [m], three translations and three rotations. */
void tmli_part_rigid(const tml_part *p, const double c[3], double *Z);
/** Checks that matrices are finite and symmetric, M is positive definite and rigid motion free of strain.
 * at: position for messages. */
tml_status tmli_part_check(const tml_part *p, tml_mark at, tml_error *err);
/** Elastic modes of the free part, N - 6 of them ascending: w (N) [rad/s] (the first six are rigid, 0), and
 * phi (N x N, column j is mode j) with phi'M phi = 1. */
tml_status tmli_part_free_modes(const tml_part *p, double *w, double *phi, tml_error *err);

/** Warnings of load cases whose directions are too soft for geometric stiffening. */
tml_status tmli_part_warn_of_soft_loads(const tml_part *p, tml_error *err);

/** An empty mesh; the caller destroys it. */
tml_status tmli_mesh_create(const tml_env *env, tml_mesh **out, tml_error *err);
/** As tml_mesh_read, from files or from their bytes in memory. */
tml_status tmli_mesh_read(const tmli_text *stiffness, const tmli_text *mass, const tmli_text *nodes,
                          const tml_env *env, tml_mesh **out, tml_error *err);
/** As tml_part_read. */
tml_status tmli_part_read(const tmli_text *text, const tml_env *env, tml_part **out, tml_error *err);
/** Checks of a complete mesh. */
tml_status tmli_mesh_check(const tml_mesh *mesh, tml_error *err);
/** Index of a node; -1 and an error with the nearest name. */
int tmli_mesh_find(const tml_mesh *mesh, const char *name, tml_error *err);

/** A matrix (n x n) from `count` entries (row, col, value), in the arena; entries at the same place are
 * summed. lines may be NULL. */
tml_status tmli_sparse_build(tmli_arena *arena, int n, int count, const int32_t *row, const int32_t *col,
                             const double *value, const int *lines, tmli_sparse *out, tml_error *err);
/** Y (n x k, column-major) = A X. */
void tmli_sparse_multiply(const tmli_sparse *A, int k, const double *X, double *Y);
double tmli_sparse_at(const tmli_sparse *A, int row, int col);
/** Read and write a Matrix Market file: real, coordinate or array, general or symmetric, square. */
tml_status tmli_matrix_market_read(const tmli_text *text, tmli_arena *arena, tmli_sparse *out,
                                   tml_error *err);
tml_status tmli_matrix_market_write(const tmli_sparse *A, const char *path, const tml_env *env,
                                    tml_error *err);

/** The modes of lowest frequency of K x = w^2 M x, K positive definite: w (count) [rad/s] ascending, X (n x
 * count, column-major) with X'M X = 1. *found <= count: those with mass. solve: x := inverse(K) x. */
typedef struct tmli_modes_def {
    int n, count;
    const tmli_sparse *K, *M;
    void (*solve)(void *user, double *x);
    void *user;
} tmli_modes_def;
tml_status tmli_lowest_modes(const tmli_modes_def *def, const tml_env *env, double *w, double *X, int *found,
                             tml_error *err);

#endif

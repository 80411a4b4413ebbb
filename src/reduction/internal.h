// What the files of the reduction share; equation numbers as in reduction.h.
//
// Internally increments are measured in units of the model: d = unit .* s, and rows of B are divided by their
// units,
//   Bs = diag(1/unit_r) B diag(unit_j)                                                                    (7)
// V of tangent coordinates has orthonormal columns in these units. P: the picked (dependent) columns of Bs,
// N: the others. For tangent coordinates of systems with rotations the unit of translations is
// TRANSLATION_FACTOR model lengths, so that v are rotations wherever these describe the motion: rotations are
// linear in v and translations are curved. Springs, joints and inertia are more nearly linear in angles. With
// a factor of 1 stiff springs between angles are strongly curved in v: on the stiff double pendulum at 1e-5
// for-rosen was 390 tolerances off, with 10 it was 34, with 100 it is 1, as with a partition.
#ifndef TMLI_REDUCTION_INTERNAL_H
#define TMLI_REDUCTION_INTERNAL_H

#include "base/pool.h"
#include "consistency/index1.h"
#include "linalg/rank/columns.h"
#include "reduction/reduction.h"

enum { TMLI_REDUCTION_THREADS = 8 };  // threads that derivatives can use

/** Workspace for (2)-(5) at one configuration: one per thread. */
typedef struct tmli_thread_work {
    tmli_columns centre_factor;  // of P of Bs at the centre
    tmli_columns local_factor;   // the same where (2) was slow
    tmli_index1 dynamics;        // (4)
    bool use_local;              // local_factor is valid
    bool topology_singular;      // a tree joint has inertia only through a closed loop: use `dynamics`
    bool from_last;              // the present configuration was found from the one before, not the centre
    long choice_version;         // of the choice that dynamics uses
    double t;                    // [s]
    double *null_space;          // (n x dof) tangent coordinates: N of (8), for local_factor
    double *square;              // (3 x dof x dof) scratch for null_space, with pivots
    int *pivot;                  // (dof)
    void *memory;                // of the arrays that follow
    void *work;                  // of the system
    tml_state *x;                // perturbed state of differences
    double *d, *d_rate;          // (n) increment of the present configuration, and its derivative d'
    double *v, *vd;              // (dof) of the present configuration, and of d'
    double *y, *z, *s;           // (n)
    double *motion;              // (n)
    double *a;                   // (n)
    double *column[6];           // (n) of derivatives
    double *residual;            // (m)
    double *b;                   // (m)
    double *B_values;            // (entries) B at the present configuration
    double *B_scaled;            // (entries) (7)
} tmli_thread_work;

struct tmli_reduction {
    const tml_system *sys;
    tml_integrator_options opt;
    tml_counters *count;
    bool derivatives;                 // of accelerations will be asked for
    bool tangent;                     // V is a basis of the null space; else columns of the identity
    bool ready;                       // there is a basis
    bool old_factored;                // false: the columns of old_factor are dependent there
    bool centre_factored;             // the matrix of main_work.dynamics is that of the centre
    bool at_centre;                   // the present configuration of main_work is the centre
    double translation_factor;        // model lengths in a unit of translations
    tmli_pivot_choice choice;         // rows and columns of P
    tmli_pivot_choice choice_before;  // the same before the last change of the basis
    double condition;                 // |B| |inverse(B U)| in units, the least since the basis was chosen
    int age;                          // steps since then
    int dof, dof_before;              // of the present and the previous basis
    int velocity_rows;                // number of rows at velocity level, (5')
    int capacity;                     // columns for which V, V_before and thread workspaces have memory
    double *V, *V_before;             // (n x dof) tangent coordinates, orthonormal in units
    tmli_columns old_factor;          // of choice_before at the centre of the change
    tmli_thread_work main_work;       // of the calling thread
    tmli_index1 descriptor;           // (6)
    void *memory;                     // of the arrays that follow
    tml_state *centre;
    double *unit;                          // (n + m) of (7)
    double *phi, *nu;                      // (m) Phi and B u at the centre
    double *test_vector;                   // (n) fixed, with components in all directions
    double *K, *D, *M;                     // (nnz)
    double *B_values, *B_scaled;           // (entries) B at the centre, and (7)
    double *gamma_d, *gamma_u, *B_udot_d;  // (entries) derivatives of gamma by d and u, of B udot by d
    double *row_change;                    // (entries) of the descriptor's matrix, consistency/index1.h (1')
    bool *left_out;                        // (m) rows left out of (4)
    double *dense_memory;           // matrices of dense_jacobian.c; NULL: columns are computed one by one
    int dense_capacity;             // degrees of freedom for which they have memory
    int *dense_pivot;               // (dense_capacity)
    tmli_pool *pool;                // NULL: one thread
    tmli_thread_work *helper_work;  // (helper_count) for derivatives of large systems; NULL: use main_work
    int helper_count;
};

/** One model length or rad as an increment of coordinate j. */
static inline double tmli_reduction_coordinate_unit(const tmli_reduction *r, int j)
{
    return r->sys->kind[j] == TML_COORDINATE_TRANSLATION ? r->unit[j] / r->translation_factor : r->unit[j];
}

/** Rows at velocity level are in (4) only. */
static inline bool tmli_reduction_is_velocity_row(const tmli_reduction *r, int i)
{
    return r->sys->level && r->sys->level[i] == TML_LEVEL_VELOCITY;
}

// reduction.c

// basis.c
/** Memory of V, V_before and the workspaces for dof columns; allocates only if there are more than ever
 * before. */
tml_status tmli_reduction_reserve_columns(tmli_reduction *r, tml_error *err);
/** out (entries): (7) of B_values. */
void tmli_reduction_scale_rows(const tmli_reduction *r, const double *B_values, double *out);
/** Keep the basis at the centre or choose a new one. */
tml_status tmli_reduction_choose_basis(tmli_reduction *r, bool *changed, tml_error *err);
/** full (n) = V y. */
void tmli_reduction_expand(const tmli_reduction *r, const double *y, double *full);
/** y (dof) = V+ full. */
void tmli_reduction_extract(const tmli_reduction *r, const double *full, double *y);
/** Factor P of B_scaled (entries) as local_factor, and compute N of tangent coordinates. False: P is
 * singular. */
bool tmli_reduction_refactor(const tmli_reduction *r, tmli_thread_work *tw, const double *B_scaled);
/** d (n) = U w with B d = value (m), B at the centre or, if `local` and tw->use_local, that of local_factor.
 */
void tmli_reduction_constrain(const tmli_reduction *r, tmli_thread_work *tw, bool local, const double *value,
                              double *d);
/** out (m) = B x. */
void tmli_reduction_rows_times(const tml_system *s, const double *B_values, const double *x, double *out);
/** full (n) = H y at the centre; overwrites b and residual of tw. */
void tmli_reduction_lift_in(const tmli_reduction *r, tmli_thread_work *tw, const double *y, double *full);

// dependent_coordinates.c
/** T at the increment tw->d is block diagonal by nodes; its columns are evaluated one by one, for all nodes
 * at once. tw->z (n) := column `local` of each block, tw->y (n): 1 at its place in the node. False: no node
 * has so many. */
bool tmli_reduction_tangent_column(const tmli_reduction *r, tmli_thread_work *tw, int local);
/** Solve (2) and (3). */
tml_status tmli_reduction_solve_dependent_in(const tmli_reduction *r, tmli_thread_work *tw, double t,
                                             const double *v, const double *vd, tml_state *x, tml_error *err);
/** Factor B T U at the increment tw->d, with tw->B_values there, as local_factor. False: it is singular. */
bool tmli_reduction_factor_local(const tmli_reduction *r, tmli_thread_work *tw);
/** Set the present configuration of tw to the centre. */
void tmli_reduction_set_centre(const tmli_reduction *r, tmli_thread_work *tw);

// dense_jacobian.c
/** Reserve memory for dof columns, if helper threads do not compute them one by one. */
tml_status tmli_reduction_reserve_dense(tmli_reduction *r, tml_error *err);
/** Exact derivatives with dense matrices of dof columns; M, D, K and the derivatives of the rows are known.
 */
tml_status tmli_reduction_dense_jacobian(tmli_reduction *r, const tml_state *x, double *by_v, double *by_vd,
                                         tml_error *err);

// jacobian.c
/** out (n) -= A x, A the first n rows and columns of a matrix of the pattern. */
void tmli_reduction_subtract_product(const tml_system *s, const double *A, const double *x, double *out);
/** Assemble M, D and K at x. */
tml_status tmli_reduction_assemble_parts(tmli_reduction *r, const tml_state *x, tml_error *err);
/** Evaluate M, D, K and the derivatives of gamma and B udot at x, which columns consist of. */
tml_status tmli_reduction_element_derivatives(tmli_reduction *r, const tml_state *x, tml_error *err);
/** Column k (dof) of both derivatives, by (9) to (13); the matrices of tw are factored at the centre. */
void tmli_reduction_exact_column(const tmli_reduction *r, tmli_thread_work *tw, const tml_state *x, int k,
                                 double *by_v, double *by_vd);
/** first (n) = T'[x] u, second (n) = T''[x, u] u at the origin. */
void tmli_reduction_tangent_derivatives(const tmli_reduction *r, tmli_thread_work *tw, const double *x,
                                        const double *u, double *first, double *second);

// accelerate.c
/** True if accelerations come from the system's elimination along the tree, not from `dynamics`. */
bool tmli_reduction_uses_topology(const tmli_reduction *r, const tmli_thread_work *tw);
/** (4), (5) without counting evaluations; factored: the matrix of tw is that of x. */
tml_status tmli_reduction_accelerate_in(const tmli_reduction *r, tmli_thread_work *tw, tml_state *x,
                                        bool factored, double *a, tml_error *err);

#endif

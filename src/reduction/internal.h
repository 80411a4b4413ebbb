// What the files of the reduction share; equation numbers as in reduction.h.
//
// Inside, increments are measured in units of the model: d = unit .* s, rows of B are divided by theirs,
//   Bs = diag(1/unit_r) B diag(unit_j)                                                                    (7)
// and V of tangent coordinates has orthonormal columns in these. P: the picked (dependent) columns of Bs, N:
// the others. With tangent coordinates of systems that turn the units of translations are 100 times the
// model's length. Translations then hardly count in V+, v are turns wherever turns tell the motion, and
// rotations are straight in v; translations bend. Springs, joints and inertia are straighter in angles. With
// 1 in its place stiff springs between angles are strongly curved in v: on the stiff double pendulum at 1e-5
// for-rosen was 390 tolerances off, with 10 it was 34, with 100 it is 1, as with a partition.
#ifndef TMLI_REDUCTION_INTERNAL_H
#define TMLI_REDUCTION_INTERNAL_H

#include "base/pool.h"
#include "consistency/index1.h"
#include "linalg/rank/columns.h"
#include "reduction/reduction.h"

enum { TMLI_REDUCTION_THREADS = 8 };  // threads that derivatives can use

/** What evaluating (2)-(5) at one place needs: one per thread. */
typedef struct tmli_thread_work {
    void *work;            // of the system
    tmli_columns factor;   // of P of Bs at the centre
    tmli_columns near;     // the same where (2) was slow
    bool renewed;          // near is to be used
    tmli_index1 dynamics;  // (4)
    tml_state *x;          // where differences are taken
    double *d, *rate;      // (n) increment of the place and its derivative d'
    double *v;             // (dof) where it is
    double t;
    double *rows;    // (entries) of B at the place
    double *scaled;  // (entries) (7)
    double *null;    // (n x dof) tangent coordinates: N with Bs N = 0 and V+ N = 1 where the factor was made
    double *small;   // (dof x dof) and its pivots, for null
    int *pivot;
    double *residual;   // (m)
    double *b;          // (m)
    double *y, *z, *s;  // (n)
    double *motion;     // (n)
    double *a;          // (n)
    double *column[6];  // (n) of derivatives
    long version;       // of the choice that dynamics knows
    bool
        loops_carry;  // the system's own accelerations met a coordinate whose inertia is beyond a closed loop
} tmli_thread_work;

struct tmli_reduction {
    const tml_system *sys;
    tml_integrator_options opt;
    tml_counters *count;
    bool tangent;  // V is a basis of the null space; else columns of the identity
    bool ready;    // there is a basis
    tml_state *centre;
    double lengths;         // of the model in a unit of translations
    double *unit;           // (n + m) of (7)
    double *rows, *scaled;  // (entries) of B at the centre, and (7)
    double *phi, *nu;       // (m) Phi at the centre; B u there
    double *test;           // (n) a fixed vector without meaning
    tmli_pivot_choice choice, before;
    double condition;           // |B| |inverse(B U)| in units, the least since the basis was chosen
    int age;                    // begins since then
    int dof, dof_before, room;  // room: columns that the matrices below can hold
    double *V, *V_before;       // (n x dof) tangent coordinates, orthonormal in units
    tmli_columns old;           // factor of `before` at the centre of the change
    bool old_factored;  // false: the columns before are dependent there, as after a change of the active rows
    bool centre_factored;  // the matrix of lane 0 is that of the centre
    bool placed_centre;    // the place of lane 0 is the centre
    tmli_thread_work lane;
    tmli_index1 descriptor;
    double *K, *D;                        // (nnz)
    double *gamma_d, *gamma_u, *turning;  // (entries)
    double *M;                            // (nnz)
    double *few;                          // matrices of dense.c; NULL: helpers do it
    int few_room;                         // columns that they can hold
    int *few_pivot;                       // (few_room)
    tmli_pool *pool;                      // NULL: one thread
    tmli_thread_work *helper;             // (helpers) for derivatives of large systems; NULL: lane does it
    int helpers;
};

/** One length of the model, or rad, in increments of coordinate j. */
static inline double tmli_reduction_coordinate_unit(const tmli_reduction *r, int j)
{
    return r->sys->kind[j] == TML_COORDINATE_TRANSLATION ? r->unit[j] / r->lengths : r->unit[j];
}

// reduction.c
tml_status tmli_thread_work_create(tmli_thread_work *l, const tmli_reduction *r, tml_error *err);
void tmli_thread_work_clear(tmli_thread_work *l, const tml_system *s);

// basis.c
/** out (entries): (7) of rows. */
void tmli_reduction_scale_rows(const tmli_reduction *r, const double *rows, double *out);
/** A basis at the centre, kept or new. */
tml_status tmli_reduction_choose_basis(tmli_reduction *r, bool *changed, tml_error *err);
/** full (n) = V y. */
void tmli_reduction_expand(const tmli_reduction *r, const double *y, double *full);
/** y (dof) = V+ full. */
void tmli_reduction_extract(const tmli_reduction *r, const double *full, double *y);
/** Make `near` of rows `scaled` (entries), and N of tangent coordinates with it. False: singular. */
bool tmli_reduction_refactor(const tmli_reduction *r, tmli_thread_work *l, const double *scaled);
/** d (n) = U w with B d = value (m) and B of the centre, or of `near` if that is renewed and near is true. */
void tmli_reduction_constrain(const tmli_reduction *r, tmli_thread_work *l, bool near, const double *value,
                              double *d);
/** out (m) = rows times x. */
void tmli_reduction_rows_times(const tml_system *s, const double *rows, const double *x, double *out);
/** full (n) = H y at the centre; scratch of l: b, residual. */
void tmli_reduction_lift_in(const tmli_reduction *r, tmli_thread_work *l, const double *y, double *full);

// place.c
/** (2), (3). */
tml_status tmli_reduction_solve_dependent_in(const tmli_reduction *r, tmli_thread_work *l, double t,
                                             const double *v, const double *vd, tml_state *x, tml_error *err);
/** The place of l is the centre. */
void tmli_reduction_set_centre(const tmli_reduction *r, tmli_thread_work *l);

// dense.c
/** Room for derivatives of dof coordinates, if no helpers make them. */
tml_status tmli_reduction_reserve_dense(tmli_reduction *r, tml_error *err);
/** Exact derivatives by matrices of dof columns; M, D, K and the derivatives of the rows are in place. */
tml_status tmli_reduction_dense_jacobian(tmli_reduction *r, const tml_state *x, double *by_v, double *by_vd,
                                         tml_error *err);

// jacobian.c
/** M, D and K at x. */
tml_status tmli_reduction_assemble_parts(tmli_reduction *r, const tml_state *x, tml_error *err);
/** first (n) = T'[x] u, second (n) = T''[x, u] u at the origin. */
void tmli_reduction_tangent_derivatives(const tmli_reduction *r, tmli_thread_work *l, const double *x,
                                        const double *u, double *first, double *second);
bool tmli_reduction_is_exact(const tmli_reduction *r);

// accelerate.c
/** Accelerations come by the system's own way, not from `dynamics`. */
bool tmli_reduction_uses_topology(const tmli_reduction *r, const tmli_thread_work *l);
/** (4), (5) without counting; factored: the matrix of l is that of x. */
tml_status tmli_reduction_accelerate_in(const tmli_reduction *r, tmli_thread_work *l, tml_state *x,
                                        bool factored, double *a, tml_error *err);
/** (5) */
void tmli_reduction_acceleration_in(const tmli_reduction *r, tmli_thread_work *l, const tml_state *x,
                                    double *a);

#endif

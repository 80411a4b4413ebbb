// One-step methods for a constrained system reduced to its degrees of freedom (reduction/reduction.h):
// shared parts.
//
// In the chart at the start of a step the motion is y'' = a(t, y, y'), y = v of the reduction, y(0) = 0. As
// a first-order system z = (y, y') its derivative is J = [0 1; J1 J2], and with g = h gamma
//   inverse(1 - g J) (e1, e2) = (e1 + g w, w),      S w = e2 + g J1 e1,      S = 1 - g J2 - g^2 J1        (1)
// Methods with a constant diagonal gamma need S alone, dof x dof. J1 and J2 do not depend on h: they are
// kept over steps and rejected trials as long as Newton's method converges well. A change of h costs a
// factorization of S, a change of basis a transformation of J1 and J2. In descriptor form the sparse matrix
// of reduction.h (6) takes the place of S; with `jacobian: full` S completes it (independent.c (18)). In
// state-space form the matrix is Mr S, Mr = H'M H.
//
// Error. A scheme gives (e1, e2), the distance of an embedded method. It is filtered by (1), so that modes
// much faster than the step do not make it larger than the error, and lifted to all coordinates. If it is
// of a lower power of h than the error, it is converted as in radau.h (1): error = convert estimate^((order
// + 1)/estimate_order). A scheme may also give a defect, of the size of the error; the larger of the two
// counts.
//
// Dense output: the polynomial of degree 5 that has the increment, its rate and its second derivative of
// both ends,
//   X(th) = th h u0 + th^2 h^2/2 X''(0) + th^3 [ S0 + S1 (th - 1) + S2/2 (th - 1)^2 ]         (2)
// in the chart of the step, for all coordinates. The polynomials of the Runge-Kutta methods are of order 3
// only. Accelerations evaluated at a state enlarge its errors in very fast modes; a scheme that evaluates
// them gives smoothed ones for (2).
//
// Prediction. The accelerations of the last step at its start, middle (2) and end are transformed to the
// present chart: they belong to states, and a state has an increment, rate and second derivative in every
// chart near to it. Nothing is lost when the chart moves or the basis changes.
//
// References: D. Negrut, thesis, University of Iowa, 1998, chapters 3 and 4; E. Hairer, G. Wanner, Solving
// Ordinary Differential Equations II, 2nd ed., Springer 1996, IV.6 - IV.8. Theory:
// docs/theory/state-space.md.
#ifndef TMLI_INTEGRATE_STATESPACE_STATESPACE_H
#define TMLI_INTEGRATE_STATESPACE_STATESPACE_H

#include "integrate/core/error_weights.h"
#include "integrate/core/step_control.h"
#include "integrate/statespace/tables.h"
#include "reduction/reduction.h"

typedef struct tmli_statespace tmli_statespace;

/** The unknowns of Newton's method in a stage (dirk.c). */
typedef enum tmli_iteration {
    TMLI_ITERATION_FIRST_ORDER,  // velocities; accelerations are solved exactly for every iterate
    TMLI_ITERATION_STATE_SPACE,  // independent accelerations
    TMLI_ITERATION_DESCRIPTOR    // all accelerations and multipliers
} tmli_iteration;

/** What distinguishes the methods of the family. */
typedef struct tmli_scheme {
    const char *name;
    int order, estimate_order;  // estimate_order: power of h of the estimate
    double convert, safety;     // see the head of this file; safety multiplies the error
    double constant;            // local error of a vibration of rate w: constant (h w)^(order + 1)
    tmli_iteration iteration;
    const tmli_dirk_table *table;  // NULL: not a Runge-Kutta method
    /** Make the step h from x: sets v, vd and trial at its end, e1 and e2. */
    tml_status (*advance)(tmli_statespace *s, double h, tml_error *err);
} tmli_scheme;

struct tmli_statespace {
    const tml_system *sys;
    const tmli_scheme *scheme;
    tml_integrator_options opt;
    tml_counters count;
    tmli_reduction *red;
    tmli_weights weights;
    tmli_step_control control;  // of the step size

    bool descriptor;   // all accelerations and multipliers are unknowns
    bool sparse;       // of these, with the sparse matrix alone; else with S
    bool independent;  // the independent accelerations are unknowns, matrix Mr S
    bool embedded;     // option estimate: embedded

    int dof;
    bool centred;            // the chart is at x
    bool known_J;            // J1 and J2, or the descriptor's matrix, exist
    bool fresh;              // they were evaluated at x
    bool stale;              // they are due for evaluation before the next step
    long age;                // steps since then
    double rate;             // [1/s] rate of the motion at a start
    double h_last, h_trial;  // step sizes: accepted, under trial
    double defect;           // of the step over its allowed error, dirk.c (3); 0: not computed
    double distance;         // of the embedded method, converted, over the allowed error of the step
    double last_defect, last_distance, h_defect;  // of the last accepted step, and its size
    double ageing;                                // growth of eta with every step of age
    double factored;                              // g of the factorization; 0: none
    double contraction;                           // largest contraction rate of Newton's method in the step
    double eta[TMLI_DIRK_STAGES];  // rate/(1 - rate) of Newton's method when the stage was last solved

    void *memory;  // of all arrays but the matrices
    void *work;
    tml_state *x, *previous, *trial, *probe;
    double *vd0, *a0;           // (dof) velocity and acceleration at the start of the step
    double *a_before, *a_half;  // (dof) accelerations at start and middle of the last step, in this chart
    double *v, *vd;   // (dof) position and velocity of the current stage, finally of the end of the step
    double *e1, *e2;  // (dof) estimate, filtered by tmli_statespace_filter
    double *Jt;       // (dof) derivative by time
    double *wq, *wu;  // (n) allowed errors of a step, positions and velocities
    double *moved;    // (n)
    double *smooth, *smooth_trial;    // (n) added to udot in dense output, at start and end of the trial step
    double *z[TMLI_DIRK_STAGES];      // (dof) velocities of the stages minus vd0
    double *k[TMLI_DIRK_STAGES];      // (dof) accelerations of the stages
    double *poly[4], *poly_trial[4];  // (n) S0, S1, S2 of (2) and X''(0): last step, step under trial
    double *dz;                       // (dof) correction of a stage
    double *known_z, *known_v;        // (dof) parts of z and v of a stage that earlier stages give
    double *unfiltered;  // (n) estimate of velocities before the filter, for the states of for-rosen; else 0
    double *full, *other, *d, *d1, *d2;  // (n) scratch
    double *unit;                        // (n + m) as in the kernel
    double *rows;                        // (entries of B) scratch
    double *phi;                         // (m) scratch

    double *J1, *J2, *S, *Mr;  // (dof x dof) S holds Mr S if independent
    int *pivot;
    size_t capacity;  // degrees of freedom for which the matrices have memory
};

tml_status tmli_statespace_create(const tml_system *sys, const tml_integrator_options *opt,
                                  const tmli_scheme *scheme, void **self, tml_error *err);
void tmli_statespace_destroy(void *self);
tml_status tmli_statespace_start(void *self, const tml_state *x, tml_error *err);
tml_status tmli_statespace_inputs_changed(void *self, const tml_state *x, tml_error *err);
double tmli_statespace_first_step(void *self);
tml_status tmli_statespace_step(void *self, double h, double *error, tml_error *err);
double tmli_statespace_next_step(void *self, double h, double error, bool accepted);
void tmli_statespace_accept(void *self, double t);
void tmli_statespace_interpolate(void *self, double theta, tml_state *out);
const tml_state *tmli_statespace_state(const void *self);
void tmli_statespace_counters(const void *self, tml_counters *out);
double tmli_statespace_condition(void *self);
void tmli_statespace_archive(void *self, tml_archive *a);

// ---- functions for the schemes ----------------------------------------------------------------------------

/** Largest ratio to the allowed errors of a step, of a change du (n) of velocities and g du of positions.
 */
double tmli_statespace_size(const tmli_statespace *s, double g, const double *du);

/** Matrices (matrix.c). Make the matrix ready for g = h gamma: evaluated if needed (or if `anew`), and
 * factored. */
tml_status tmli_statespace_matrix(tmli_statespace *s, double g, bool anew, tml_error *err);
/** The same at y, an iterate of a stage that the matrix of the step does not reach. */
tml_status tmli_statespace_renew_matrix(tmli_statespace *s, const tml_state *y, double g, tml_error *err);
/** y (dof) := inverse(Mr S) y, of the independent accelerations. */
void tmli_statespace_solve_independent(const tmli_statespace *s, double *y);
/** y (dof) := inverse(S) y. */
void tmli_statespace_solve(const tmli_statespace *s, double *y);
/** out (dof) += factor J1 y. */
void tmli_statespace_times_J1(const tmli_statespace *s, double factor, const double *y, double *out);
/** Filter e1, e2 by (1); in descriptor form by the sparse matrix. */
void tmli_statespace_filter(tmli_statespace *s, double g);
/** The same of an error e (dof) of velocities alone; uses e1 as scratch memory. */
void tmli_statespace_filter_velocity(tmli_statespace *s, double g, double *e);
/** Provide memory for the matrices of dof degrees of freedom. */
tml_status tmli_statespace_reserve(tmli_statespace *s, tml_error *err);

/** Chart (dense_output.c). a (dof) := second derivative of v of a consistent state near the centre. */
void tmli_statespace_acceleration(tmli_statespace *s, const tml_state *y, double *a);
/** Set (2) for the step h_trial from x to trial. */
void tmli_statespace_set_dense(tmli_statespace *s);
/** Transform the accelerations of the last step to the present chart. */
void tmli_statespace_transform_last_step(tmli_statespace *s);
/** *miss := distance of (2) from the constraints half-way through the step under trial [lengths]. */
tml_status tmli_statespace_check_dense(tmli_statespace *s, double *miss, tml_error *err);

tml_status tmli_dirk_advance(tmli_statespace *s, double h, tml_error *err);
tml_status tmli_rosen_advance(tmli_statespace *s, double h, tml_error *err);

/** The table of a method of this family from its scheme; tmli_method_SCHEME is its symbol. */
#define TMLI_STATESPACE_METHOD(SCHEME, NAME, SUMMARY, FORM, STABILITY, CITATION, ORDER)                      \
    static tml_status create_##SCHEME(const tml_system *sys, const tml_integrator_options *opt, void **self, \
                                      tml_error *err)                                                        \
    {                                                                                                        \
        return tmli_statespace_create(sys, opt, &SCHEME, self, err);                                         \
    }                                                                                                        \
    const tml_method_ops tmli_method_##SCHEME = {.name = NAME,                                               \
                                                 .summary = SUMMARY,                                         \
                                                 .form = FORM,                                               \
                                                 .stability = STABILITY,                                     \
                                                 .citation = CITATION,                                       \
                                                 .order = ORDER,                                             \
                                                 .equations = TML_EQUATIONS_STATE_SPACE,                     \
                                                 .exact_if_driven = true,                                    \
                                                 .create = create_##SCHEME,                                  \
                                                 .start = tmli_statespace_start,                             \
                                                 .first_step = tmli_statespace_first_step,                   \
                                                 .step = tmli_statespace_step,                               \
                                                 .next_step = tmli_statespace_next_step,                     \
                                                 .accept = tmli_statespace_accept,                           \
                                                 .interpolate = tmli_statespace_interpolate,                 \
                                                 .state = tmli_statespace_state,                             \
                                                 .counters = tmli_statespace_counters,                       \
                                                 .condition = tmli_statespace_condition,                     \
                                                 .destroy = tmli_statespace_destroy,                         \
                                                 .inputs_changed = tmli_statespace_inputs_changed,           \
                                                 .archive = tmli_statespace_archive};

#endif

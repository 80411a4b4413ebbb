// One-step methods for a constrained system reduced to its degrees of freedom (reduction/reduction.h): what
// they share.
//
// In the chart at the start of a step the motion is y'' = a(t, y, y'), y = v of the reduction, y(0) = 0. As a
// first-order system z = (y, y') its derivative is J = [0 1; J1 J2], and with g = h gamma
//   inverse(1 - g J) (e1, e2) = (e1 + g w, w),      S w = e2 + g J1 e1,      S = 1 - g J2 - g^2 J1        (1)
// Methods with a diagonal gamma need S alone, dof x dof. J1 and J2 do not depend on h: they are kept over
// steps and rejected trials as long as Newton's method converges well, a change of h costs a factorization of
// S, and a change of basis a transformation. In descriptor form S is never made: the sparse matrix of
// reduction.h (6) stands for it.
//
// Error. A scheme gives (e1, e2), the distance of an embedded method; filtered by (1), so that modes which
// are much faster than the step do not make it larger than the error is, and lifted to all coordinates. Where
// it is of a lower power of h than the error it is converted as in radau.c (1): error = convert
// estimate^((order + 1)/estimate_order). A scheme may also give a defect, of the size of the error; the
// larger of the two counts.
//
// Dense output: the polynomial of degree 5 that takes over increment, its rate and its second derivative at
// both ends,
//   X(th) = th h u0 + th^2 h^2/2 X''(0) + th^3 [ S0 + S1 (th - 1) + S2/2 (th - 1)^2 ]         (2)
// in the chart of the step, all coordinates. The polynomials of the Runge-Kutta methods are of order 3 only.
// Accelerations that are evaluated at a state enlarge its errors in very fast modes; a scheme that does that
// gives better ones for (2).
//
// Prediction. Accelerations of the step before, at its start, middle (2) and end, are moved to the present
// chart: they are those of states, and a state has an increment, rate and second derivative in every chart
// near to it. So nothing is lost when the chart moves or the basis changes.
//
// References: D. Negrut, thesis, University of Iowa, 1998, chapters 3 and 4; E. Hairer, G. Wanner, Solving
// Ordinary Differential Equations II, 2nd ed., Springer 1996, IV.6 - IV.8. Theory:
// docs/theory/state-space.md.
#ifndef TMLI_INTEGRATE_STATESPACE_STATESPACE_H
#define TMLI_INTEGRATE_STATESPACE_STATESPACE_H

#include "integrate/core/error_weights.h"
#include "integrate/statespace/tables.h"
#include "reduction/reduction.h"

typedef struct tmli_statespace tmli_statespace;

/** A method on the shared part. */
typedef struct tmli_scheme {
    const char *name;
    int order, estimate_order;     // estimate_order: power of h of the estimate
    double convert, safety;        // see the head of this file; safety multiplies the error
    double constant;               // local error of a vibration of rate w: constant (h w)^(order + 1)
    bool descriptor;               // sparse matrix with all accelerations as unknowns
    const tmli_dirk_table *table;  // NULL: not of that kind
    /** The step h from x: v, vd and trial at its end, e1 and e2 (unfiltered). */
    tml_status (*advance)(tmli_statespace *s, double h, tml_error *err);
} tmli_scheme;

struct tmli_statespace {
    const tml_system *sys;
    const tmli_scheme *scheme;
    tml_integrator_options opt;
    tml_counters count;
    tmli_reduction *red;
    tmli_weights weights;
    void *work;
    tml_state *x, *previous, *trial, *probe;
    double rate;             // [1/s] of the motion at a start
    double h_limit;          // of the step size, where Newton failed
    double h_last, h_trial;  // accepted, under trial

    int dof;
    bool centred;      // the chart is at x
    double *vd0, *a0;  // (dof) velocity and acceleration at the start of the step
    double *a_before,
        *a_half;      // (dof) accelerations at the start and middle of the step before, in this chart
    double *v, *vd;   // (dof) the stage at hand, at last the end of the step
    double *e1, *e2;  // (dof) estimate, then filtered
    double defect;    // of the step over what it is allowed, dirk.c (3); 0: not looked at
    double last_defect, h_defect;  // of the step accepted last, and its size
    double *z[TMLI_DIRK_STAGES],
        *k[TMLI_DIRK_STAGES];      // (dof) velocities less vd0, accelerations of the stages
    double *dz, *known, *reach;    // (dof) of a stage: correction; parts of z and v that are known before
    double eta[TMLI_DIRK_STAGES];  // rate/(1 - rate) of Newton's method when the stage was last solved

    double *J1, *J2, *S, *Jt;  // (dof x dof), Jt (dof): derivative by time
    int *pivot;
    size_t room;         // degrees of freedom the matrices have room for
    bool known_J;        // J1 and J2, or the descriptor's matrix, exist
    bool fresh;          // they were evaluated at x
    bool stale;          // evaluate them before the next step
    long age;            // steps since then
    double ageing;       // what eta grows by with every step of age
    double factored;     // g of the factorization; 0: none
    double contraction;  // largest rate of Newton's method in the step

    double *wq, *wu;  // (n) what errors of a step are judged by, positions and velocities
    double *full, *other, *moved, *d, *d1, *d2;  // (n) scratch
    double *poly[4], *poly_trial[4];  // (n) S0, S1, S2 of (2) and X''(0): last step, step under trial
    double *smooth, *smooth_trial;    // (n) what dense output adds to udot at start and end of the trial step
    double *rows, *unit, *phi;        // B, as in the kernel, (m): scratch
    double *block;
};

tml_status tmli_statespace_create(const tml_system *sys, const tml_integrator_options *opt,
                                  const tmli_scheme *scheme, void **self, tml_error *err);
void tmli_statespace_destroy(void *self);
tml_status tmli_statespace_start(void *self, const tml_state *x, tml_error *err);
double tmli_statespace_first_step(void *self);
tml_status tmli_statespace_step(void *self, double h, double *error, tml_error *err);
double tmli_statespace_next_step(void *self, double h, double error, bool accepted);
void tmli_statespace_accept(void *self, double t);
void tmli_statespace_interpolate(const void *self, double theta, tml_state *out);
const tml_state *tmli_statespace_state(const void *self);
const tml_counters *tmli_statespace_counters(const void *self);
double tmli_statespace_condition(void *self);

// ---- parts for the schemes --------------------------------------------------------------------------------

/** Largest of what du (n), a change of velocities and g times that of positions, is over what a step is
 * allowed. */
double tmli_statespace_size(const tmli_statespace *s, double g, const double *du);

/** Matrices (space_matrix.c). Ready for g = h gamma: evaluated if needed (or if `anew`), factored. */
tml_status tmli_statespace_matrix(tmli_statespace *s, double g, bool anew, tml_error *err);
/** y (dof) := inverse(S) y. */
void tmli_statespace_solve(const tmli_statespace *s, double *y);
/** out (dof) += factor J1 y. */
void tmli_statespace_times_J1(const tmli_statespace *s, double factor, const double *y, double *out);
/** e1, e2 := (1). Descriptor form: by the sparse matrix. */
void tmli_statespace_filter(tmli_statespace *s, double g);
/** Room for the matrices of dof degrees of freedom. */
tml_status tmli_statespace_reserve(tmli_statespace *s, tml_error *err);

/** Chart (space_dense.c). a (dof): second derivative of y of a consistent state near the centre. */
void tmli_statespace_acceleration(tmli_statespace *s, const tml_state *y, double *a);
/** Set (2) for the step h_trial from x to trial. */
void tmli_statespace_set_dense(tmli_statespace *s);
/** Accelerations of the step before in the present chart. */
void tmli_statespace_look_back(tmli_statespace *s);
/** How far (2) misses the constraints half-way through the step under trial [model lengths]. */
tml_status tmli_statespace_between(tmli_statespace *s, double *miss, tml_error *err);

tml_status tmli_dirk_advance(tmli_statespace *s, double h, tml_error *err);
tml_status tmli_rosen_advance(tmli_statespace *s, double h, tml_error *err);

#endif

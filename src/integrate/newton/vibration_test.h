// The error of a step whose vibrations it does not resolve, for the methods on the Newton kernel;
// docs/theory/vibrations.md. Of the local error (ed, eu) in positions and velocities the matrix of the step,
//   F = a0 (a0 M + a1 Dm + K)^-1 M,    k = 1/sqrt(a0)                                                     (1)
// leaves (F ed, F eu): of a vibration faster than 1/k no more than about its amplitude. A step is also
// accepted if
//   F^2 ed on the time scale s, and F eu on that of the motion, are within the share of the step
//   max(|F ed|, k |F eu|) <= TMLI_DAMPED_VIBRATION of the tolerance of positions
//   the energy that the step takes out is allowed (core/vibrations.h)                                     (2)
// s is the longest time scale, up to that of the motion, such that all vibrations faster than 1/s, by the
// accelerations of the last steps, move nothing by more than TMLI_DAMPED_VIBRATION of the tolerance of
// positions. What steps that resolve them make of their phases adds up to no more than that.
//
// The filters take M, Dm and K as constant for the time kappa. Those of one state serve for as long, while
// the stiffness against the error of each step stays what it was. If the error is too large by matrices of an
// earlier state, from which a stiff direction may have turned, those of the step decide.
//
// Backward differences of values that vibrate fast are no larger than a few of these: of such methods ed and
// eu stand for F ed and F eu.
//
// Schemes of order 2 with damping multiply a resolved vibration of phase x = h w by 1 - c4 x^4 in a step.
// With the change dv of accelerations in the step, which is h w^3 times the amplitude,
//   loss = 2 c4 h^2 dv'M F dv                                                                             (3)
// is 2 c4 x^4 of its energy in the mean over a period; of a vibration that alternates F leaves a part of the
// energy itself. Of mean accelerations v, h v = u1 - u0, which alternate by no more than the velocities,
//   loss = c h^2 v'M v                                                                                   (3')
#ifndef TMLI_INTEGRATE_NEWTON_VIBRATION_TEST_H
#define TMLI_INTEGRATE_NEWTON_VIBRATION_TEST_H

#include "integrate/core/slow_filter.h"
#include "integrate/core/vibrations.h"
#include "integrate/newton/kernel.h"

#include <math.h>

/** The time scale s of (2). */
typedef struct tmli_vibration_bound {
    double scale;    // s [s]; 0: not known
    double largest;  // of the vibrations faster than 1/s, over the tolerance of positions
} tmli_vibration_bound;

typedef struct tmli_vibration_test {
    const tml_system *sys;
    tmli_kernel *kernel;
    const tmli_weights *weights;
    bool offered;  // with step-size control, unless all velocities are to be right, and without contacts
    bool elastic;  // offered, and some force is stiff at the start of the motion
    bool loses;    // the step under trial is judged by (2)
    tmli_vibrations vibrations;
    tmli_slow_filter filter;            // of velocities, on the time scale of the motion
    tmli_slow_filter places;            // of positions, on the time scale s
    double t_kept;                      // of the state of M and K [s]; NAN: none
    double kappa;                       // time scale of the motion there [s]
    tmli_vibration_bound bound, trial;  // of the last accepted step, of that under trial
    double damped[2];                   // largest position [m] and velocity [m/s] of the last test
    void *memory;                       // of all arrays
    double *ed, *eu, *dv, *d;           // (n)
    double *kept;                       // (nnz) K
} tmli_vibration_test;

/** A step under trial. */
typedef struct tmli_vibration_trial {
    const tml_state *start, *end;
    double h;
    const double *ed, *eu;  // (n) local error along the constraints
    const double *dv;       // (n) change of accelerations, or v of (3')
    const double *moved;    // (n) local(q_start, q), of the weights
    double loss;            // 2 c4 of (3), c of (3')
    bool mean;              // (3') instead of (3)
    bool bounded;           // ed and eu of fast vibrations are of the size of these, without F
} tmli_vibration_trial;

tml_status tmli_vibration_test_create(const tml_system *sys, const tml_integrator_options *opt,
                                      tmli_kernel *kernel, const tmli_weights *weights,
                                      tmli_vibration_test *t, tml_error *err);
void tmli_vibration_test_clear(tmli_vibration_test *t);
/** A motion begins, or begins anew, at x. */
tml_status tmli_vibration_test_start(tmli_vibration_test *t, const tml_state *x, tml_error *err);
/** A new trial begins. */
static inline void tmli_vibration_test_begin(tmli_vibration_test *t)
{
    t->loses = false;
    t->trial = t->bound;
}
/** The matrices of the filters no longer serve: other rows are active. */
static inline void tmli_vibration_test_renew(tmli_vibration_test *t) { t->t_kept = NAN; }
/** *error: estimated over allowed error of the trial x; less if (2) gives less. The kernel has its matrix. */
tml_status tmli_vibration_test_judge(tmli_vibration_test *t, const tmli_vibration_trial *x, double *error,
                                     tml_error *err);
/** The trial was accepted, with the state x. */
void tmli_vibration_test_accept(tmli_vibration_test *t, const tml_state *x, tml_counters *count);
void tmli_vibration_test_archive(tmli_vibration_test *t, tml_archive *a);

#endif

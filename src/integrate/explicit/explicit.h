// What the explicit methods on the degrees of freedom share (erk5, erk8, adams): states, chart, weights,
// judgement of errors, and the watch for stiffness. The equations v'' = a(t, v, v') are those of
// reduction/reduction.h.
//
// Stiffness. Two evaluations at one time t tell how strongly the accelerations answer to a small change of
// the motion,
//   |lambda| = |(dv', da)| / |(dv, dv')|   with v measured in lengths, v' in lengths per h      (1)
// If h |lambda| keeps standing at the border of the stability region (FULL steps of it with less than CALM
// others between), the step is limited by stability and not by the accuracy asked for, and a warning says so
// once. E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer 1996, IV.2.
//
// Branches. At the end of a step dependent coordinates are where the constraints have them. Their own
// accelerations at the stages, integrated like those of the independent ones, lead there as well, but for the
// error of the step:
//   rift = max(|d - d by accelerations|, h |d' - d' by accelerations|)   [lengths or rad]                 (2)
// It is large where a step over a singular position has gone over to another branch. Estimates do not know:
// they are of the independent coordinates, and a mechanism that is driven has none.
#ifndef TMLI_INTEGRATE_EXPLICIT_EXPLICIT_H
#define TMLI_INTEGRATE_EXPLICIT_EXPLICIT_H

#include "base/base.h"
#include "integrate/core/error_weights.h"
#include "reduction/reduction.h"
#include <trammel/integrator.h>

typedef struct tmli_explicit {
    const tml_system *sys;
    tml_integrator_options opt;
    tml_counters count;
    tmli_reduction *reduction;
    tmli_weights weights;
    void *work;                       // of the system
    bool flat;                        // no constraints, and T is the identity: one chart serves all
    bool centred;                     // the chart is at the place of x, or as near to it as the method wants
    int dof;                          // of the present chart
    double *centre;                   // (nq) its place
    tml_state *x, *previous, *trial;  // accepted last, the one before, under trial
    tml_state *stage;                 // on the way
    double h_last;                    // from previous to x [s]; 0: none
    double *full, *moved, *allowed;   // (n) scratch
    double *near;                     // (n) scratch of first steps
    double old_error;                 // of the last accepted step, for the controller
    int full_steps, calm_steps;       // at the border of the stability region, and not
    bool stiff;                       // the watch has seen it
} tmli_explicit;

/** memory: doubles that the method wants, at *own, zero. */
tml_status tmli_explicit_create(const tml_system *sys, const tml_integrator_options *opt, size_t memory,
                                tmli_explicit *e, double **own, tml_error *err);
void tmli_explicit_clear(tmli_explicit *e);
tml_status tmli_explicit_start(tmli_explicit *e, const tml_state *x, tml_error *err);

/** The chart to x; vd and a (dof) there. Nothing is done to a chart that is at its place. */
tml_status tmli_explicit_centre(tmli_explicit *e, double *vd, double *a, tml_error *err);
/** a (dof) at (t, v, vd); the state in x, with accelerations and multipliers. */
tml_status tmli_explicit_evaluate(const tmli_explicit *e, double t, const double *v, const double *vd,
                                  tml_state *x, double *a, tml_error *err);
/** The last step at theta, in `out`: the state of v and vd near the increment d with its rate (n), with which
 * it does where the constraints cannot be solved. Accelerations and multipliers run linearly. */
void tmli_explicit_between(const tmli_explicit *e, double theta, const double *v, const double *vd,
                           const double *d, const double *rate, tml_state *out);

/** Begin to judge a step of size h that ended near q. */
void tmli_explicit_weigh(tmli_explicit *e, double h, const double *q);
/** Largest error over the tolerance, of positions wrong by p y and velocities by s y, y (dof). */
double tmli_explicit_error(tmli_explicit *e, const double *y, double p, double s);
/** A local error of the power `to` of h, over what a step h may use, of an estimate `worst` of the power
 * `from`, over the tolerance. For a vibration A exp(i w t) they are A c_to (h w)^to and A c_from (h w)^from.
 * h w is taken as if A were as large as the model, or larger if `change` says so: the change of the
 * accelerations over the step times h, over the tolerance, which is A (h w)^2; 0: not known. */
double tmli_explicit_convert(const tmli_explicit *e, double h, double worst, double change, int from,
                             double c_from, int to, double c_to);

/** (2) at which a step is rejected [lengths or rad], and the error that a rift of so many times this limit
 * is. */
double tmli_explicit_rift_limit(const tmli_explicit *e);
double tmli_explicit_rift_error(double times);

/** Rate of the motion at the start x [1/s]: the typical one, or what the change of the accelerations over a
 * short time says about a vibration as large as the velocities. */
double tmli_explicit_rate(tmli_explicit *e);
/** h |lambda| of (1) was seen in an accepted step; limit: of the stability region. */
void tmli_explicit_check_stiffness(tmli_explicit *e, double h_lambda, double limit);
/** The trial is accepted at time t, after a step h. */
void tmli_explicit_accept(tmli_explicit *e, double t, double h);

#endif

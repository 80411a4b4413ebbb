// Shared parts of the explicit methods on the degrees of freedom (erk5, erk8, adams): states, chart, error
// weights, and the test for stiffness. The equations v'' = a(t, v, v') are those of reduction/reduction.h.
//
// Stiffness. Two evaluations at one time t show how strongly the accelerations react to a small change of
// the motion,
//   |lambda| = |(dv', da)| / |(dv, dv')|   with v measured in lengths, v' in lengths per h                (1)
// If h |lambda| stays at the limit of the stability region (STIFF_STEPS steps, with fewer than
// NONSTIFF_STEPS others between), the step is limited by stability and not by the wanted accuracy. A
// warning is logged once. E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed.,
// Springer 1996, IV.2.
//
// Branches. At the end of a step the constraints determine the dependent coordinates. Their own
// accelerations at the stages, integrated like those of the independent ones, lead to the same values up to
// the error of the step:
//   branch distance = max(|d - d by accelerations|, h |d' - d' by accelerations|)   [lengths or rad]      (2)
// It is large where a step across a singular configuration has gone over to another branch. Error estimates
// do not show this: they are those of the independent coordinates, and a driven mechanism has none.
#ifndef TMLI_INTEGRATE_EXPLICIT_EXPLICIT_H
#define TMLI_INTEGRATE_EXPLICIT_EXPLICIT_H

#include "integrate/core/error_weights.h"
#include "integrate/core/step_control.h"
#include "reduction/reduction.h"
#include "system/state/fields.h"
#include <trammel/integrator.h>

typedef struct tmli_explicit {
    const tml_system *sys;
    const tmli_fields *fields;  // of the method
    tmli_sizes sizes;
    tml_integrator_options opt;
    tml_counters count;
    tmli_reduction *reduction;
    tmli_weights weights;
    void *work;                       // workspace of the system, that of the reduction
    bool flat;                        // no constraints, and T is the identity: one chart serves all steps
    bool centred;                     // the chart is at x, or as near to it as the method needs
    bool stiff;                       // steps were found to be limited by stability
    int dof;                          // of the present chart
    int stiff_steps, nonstiff_steps;  // steps at the limit of the stability region, and others since
    double stiff_low, stiff_high;     // smallest and largest of the former [s]
    double h_last;                    // from previous to x [s]; 0: none
    const double *v_accepted;   // (dof) x in a flat chart that is kept over steps; NULL: x is its centre
    tmli_step_control control;  // of the step size
    void *memory;               // of all arrays of the method
    tml_state *x, *previous, *trial;  // accepted last, the one before, under trial
    tml_state *stage;                 // state of a stage
    double *centre;                   // (nq) configuration at the centre of the chart
    double *full, *moved, *allowed;   // (n) scratch
    double *near;                     // (n) scratch of first steps
} tmli_explicit;

/** Fields of tmli_explicit, a part of those of a method. */
extern const tmli_span tmli_explicit_spans[];
/** *method := a struct of `size` bytes with these fields that begins with a tmli_explicit; own: its own size
 * of arrays. */
tml_status tmli_explicit_create(const tml_system *sys, const tml_integrator_options *opt,
                                const tmli_fields *fields, size_t size, size_t own, void **method,
                                tml_error *err);
void tmli_explicit_destroy(tmli_explicit *e);  // with the method's struct
tml_status tmli_explicit_start(tmli_explicit *e, const tml_state *x, tml_error *err);

/** Move the chart to x; vd and a (dof) := velocity and acceleration there. Does nothing if the chart is
 * centred. */
tml_status tmli_explicit_centre(tmli_explicit *e, double *vd, double *a, tml_error *err);
/** x := state at (t, v, vd), without accelerations and multipliers. */
tml_status tmli_explicit_solve_dependent(const tmli_explicit *e, double t, const double *v, const double *vd,
                                         tml_state *x, tml_error *err);
/** a (dof) := accelerations at (t, v, vd); x gets the state, with accelerations and multipliers. */
tml_status tmli_explicit_evaluate(const tmli_explicit *e, double t, const double *v, const double *vd,
                                  tml_state *x, double *a, tml_error *err);
/** The inputs become those of `with`; a (dof) := accelerations at x, which has v and vd (dof). */
tml_status tmli_explicit_change_inputs(tmli_explicit *e, const tml_state *with, const double *v,
                                       const double *vd, double *a, tml_error *err);
/** out := state at theta of the last step, with the independent v and vd, near the increment d and its rate
 * (n), which are used as they are where the constraints cannot be solved. Accelerations and multipliers are
 * linear. */
void tmli_explicit_interpolate(const tmli_explicit *e, double theta, const double *v, const double *vd,
                               const double *d, const double *rate, tml_state *out);

/** Set the allowed errors of a step of size h that ended near q. */
void tmli_explicit_weigh(tmli_explicit *e, double h, const double *q);
/** Largest error over the tolerance, of errors p y of positions and s y of velocities, y (dof). */
double tmli_explicit_error(tmli_explicit *e, const double *y, double p, double s);
/** Local error of the power `to` of h over the allowed error of a step h, from an estimate `worst` of the
 * power `from` over the tolerance. For a vibration A exp(i w t) they are A c_to (h w)^to and A c_from (h
 * w)^from. h w follows from the assumption that A is as large as the model. It is larger if `change` says
 * so: the change of the accelerations over the step times h, over the tolerance, which is A (h w)^2; 0: not
 * known. */
double tmli_explicit_convert(const tmli_explicit *e, double h, double worst, double change, int from,
                             double c_from, int to, double c_to);

/** Branch distance (2) at which a step is rejected [lengths or rad], and the error that so many times this
 * limit counts as. */
double tmli_explicit_branch_limit(const tmli_explicit *e);
double tmli_explicit_branch_error(double times);

/** Rate of the motion at the start x [1/s]: the typical one, or the one that the change of the accelerations
 * over a short time gives for a vibration as large as the velocities. */
double tmli_explicit_rate(tmli_explicit *e);
/** An accepted step had h |lambda| of (1); limit: that of the stability region. */
void tmli_explicit_check_stiffness(tmli_explicit *e, double h, double h_lambda, double limit);
/** The trial is accepted at time t, after a step h. */
void tmli_explicit_accept(tmli_explicit *e, double t, double h);
void tmli_explicit_archive(tmli_explicit *e, tml_archive *a);  // with the method's fields

#endif

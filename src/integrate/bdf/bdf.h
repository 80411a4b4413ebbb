// Shared parts of bdf, bdf2 and ggl: history, start, error estimate, choice of order and step, dense
// output. The methods differ in the equations of a step (`solve`). Equations in bdf.c.
#ifndef TMLI_INTEGRATE_BDF_BDF_H
#define TMLI_INTEGRATE_BDF_BDF_H

#include "consistency/consistent.h"
#include "integrate/bdf/history.h"
#include "integrate/core/error_weights.h"
#include "integrate/core/step_control.h"
#include "integrate/newton/kernel.h"
#include "integrate/newton/vibration_test.h"

#include <float.h>

enum { TMLI_BDF_DERIVATIVES = 4 };

/** See drift.c. */
typedef struct tmli_bdf_drift {
    bool matters;    // step-size control, and an order above 2
    double of_step;  // e of the step under trial
    double left;     // k of it
    double energy;   // E
    double lag;      // integral of E/k [s]
    double elapsed;  // time since the start [s]
    double *path;    // (n) integral of the velocities since the start
} tmli_bdf_drift;

typedef struct tmli_bdf tmli_bdf;
struct tmli_bdf {
    const tml_system *sys;
    tml_integrator_options opt;
    tml_counters count;
    tmli_kernel kernel;
    tmli_consistent consistent;
    tmli_weights weights;
    tmli_history history;
    int lowest, highest;             // orders the method may use
    int order, order_dense;          // of the next step, and of the last accepted one (0: none)
    int since;                       // accepted steps since the order changed or the history began
    int refusals;                    // considerations of order 2 that are left out, at most
    int refused;                     // those left out since the last one
    int failures;                    // trials rejected since the last accepted step
    bool fresh;                      // the history is made up from the derivatives at a start
    bool first;                      // the last accepted step was the first of its history
    bool restart;                    // the history misleads: discard it before the next trial
    bool lenient;                    // round-off that damping passes on is no error of the step under trial
    bool jumped;                     // the history contains a jump of the inputs since the last accepted step
    bool flat;                       // T is the identity
    tmli_step_control control;       // of the step size
    tmli_bdf_drift drift;            // of the positions, by errors of velocities of one sign
    tmli_vibration_test vibrations;  // of steps of order 2, index 3
    double increment_roundoff;       // round-off of the increment in the last solve [lengths]
    double strictness;  // tolerance of the iteration that velocities need, over that of positions, <= 1
    double rate;        // [1/s] rate of the motion at a start
    double quick;       // [s] time in which accelerations at a start change; 0: not faster than a fixed step
    double h_trial;     // size of the step under trial (not t1 - t0, which is rounded)
    double a1;          // leading coefficient of (1)
    // weights (2) of history.h at its end, of polynomials through up to order + 2 points
    double through[TMLI_BDF_POINTS][TMLI_BDF_POINTS];
    void *memory;                              // of all arrays
    tml_state *x, *trial;                      // accepted, under trial
    tml_state *probe;                          // scratch
    double *derivative[TMLI_BDF_DERIVATIVES];  // (n) of the velocity at a start
    double *D;                                 // (n) increment of the trial
    double *hx, *hu;              // (n) contribution of the history: X' = a1 D + hx, udot = a1 u + hu
    double *history_velocity;     // (n) u - a1 D, by (1)
    double *linearization_point;  // (n) u/a1 of the prediction
    double *ex, *eu, *force, *moved, *along;  // (n) scratch of the error estimate
    /** Solve the equations of the step; D and x are the prediction on entry, the solution on return. */
    tml_status (*solve)(tmli_bdf *b, double h, double *D, tml_state *x, tml_error *err);
    /** Renew the matrix behind `estimate` at x. */
    tml_status (*refresh)(tmli_bdf *b, const tml_state *x, tml_error *err);
    /** Give b->x the inputs of `with`; dudot (n), dlambda (m): jumps, as of tmli_kernel_change_inputs. */
    tml_status (*change_inputs)(tmli_bdf *b, const tml_state *with, double *dudot, double *dlambda,
                                tml_error *err);
    /** Estimated error of the trial by order k, over the allowed error. sweeps: how often the estimate of
     * velocities is filtered by the iteration matrix, which removes what stiff forces take up at once. */
    tml_status (*estimate)(tmli_bdf *b, int k, int sweeps, double *error, tml_error *err);
    void *extension;  // data of a method of the family (ggl)
};

/** A method of the family with orders lowest .. highest. */
tml_status tmli_bdf_create(const tml_system *sys, const tml_integrator_options *opt, int lowest, int highest,
                           tmli_bdf **out, tml_error *err);
void tmli_bdf_destroy(void *self);
/** Solve on the shared kernel: index 3, velocities eliminated. */
tml_status tmli_bdf_solve_index3(tmli_bdf *b, double h, double *D, tml_state *x, tml_error *err);

tml_status tmli_bdf_start(void *self, const tml_state *x, tml_error *err);
double tmli_bdf_first_step(void *self);
tml_status tmli_bdf_step(void *self, double h, double *error, tml_error *err);
double tmli_bdf_next_step(void *self, double h, double error, bool accepted);
void tmli_bdf_accept(void *self, double t);
tml_status tmli_bdf_inputs_changed(void *self, const tml_state *x, tml_error *err);
void tmli_bdf_interpolate(void *self, double theta, tml_state *out);
const tml_state *tmli_bdf_state(const void *self);
void tmli_bdf_counters(const void *self, tml_counters *out);
double tmli_bdf_condition(void *self);
void tmli_bdf_conditioning(void *self, tml_conditioning *out);
void tmli_bdf_archive(void *self, tml_archive *a);

/** start.c: derivatives of the velocity at x from the equations. */
tml_status tmli_bdf_derivatives(tmli_bdf *b, tml_error *err);
/** start.c: filter the derivatives for a fixed step h, with a1 set; changed: some are not as before. */
tml_status tmli_bdf_settle(tmli_bdf *b, double h, bool *changed, tml_error *err);
/** Wanted error of D [lengths]; feedback: k of kernel.h (2). The round-off of positions enters the
 * accelerations as feedback eps/h^2. With fixed steps it must stay below the error of order h^k, else its
 * effect on the velocities below the allowed error of the step. Sets increment_roundoff and the kernel's
 * share of round-off. */
double tmli_bdf_tolerance(tmli_bdf *b, double h, const double *D, double *feedback);
/** Round-off of the increment of coordinate j in the last solve. That of a state is its own size only. */
static inline double tmli_bdf_roundoff(const tmli_bdf *b, int j)
{
    const double unit = tmli_weights_unit(&b->weights, j);
    return b->sys->kind[j] == TML_COORDINATE_STATE
               ? DBL_EPSILON * unit * tmli_weights_rate(&b->weights) / b->a1
               : b->increment_roundoff * unit;
}
/** out (n) := u - a1 D by (1). */
void tmli_bdf_history_velocity(const tmli_bdf *b, const double *D, double *out);
/** dD of dV, in place: to_increment of the stage, kernel.h. */
void tmli_bdf_to_increment(void *user, const double *D, double *dV);

// drift.c
/** At a start of a run. */
void tmli_bdf_start_drift(tmli_bdf *b);
/** The share (1) of the trial, whose velocities have the errors h eu. */
void tmli_bdf_set_drift_of_step(tmli_bdf *b);
/** The trial is accepted. */
void tmli_bdf_accept_drift(tmli_bdf *b);

// control.c
/** Error of order 2, for which *error is the estimate: less, if vibrations make it so that the step does not
 * resolve. The estimate's scratch (ex, eu) is then overwritten. */
tml_status tmli_bdf_judge_vibrations(tmli_bdf *b, double *error, tml_error *err);
tml_status tmli_bdf_estimate_index3(tmli_bdf *b, int k, int sweeps, double *error, tml_error *err);
/** The defects (4) of order k of the trial: ex for positions, eu for velocities. */
void tmli_bdf_set_defects(tmli_bdf *b, int k);
/** The error (6) of the multipliers over the allowed error, if the option control asks for it; else 0. */
double tmli_bdf_multiplier_error(const tmli_bdf *b, int k);
/** b->force := change of the residual of motion by errors du of the velocities (or NULL) and a1 du (or
 * dudot) of the accelerations. The errors are enlarged to a size that the equations resolve from round-off
 * and that is still small against the motion; `ratio` is the size of du over that of the velocities. */
tml_status tmli_bdf_probe_force(tmli_bdf *b, const double *du, const double *dudot, double ratio,
                                tml_error *err);

#define TMLI_BDF_FUNCTIONS                                                                           \
    .start = tmli_bdf_start, .first_step = tmli_bdf_first_step, .step = tmli_bdf_step,               \
    .next_step = tmli_bdf_next_step, .accept = tmli_bdf_accept, .interpolate = tmli_bdf_interpolate, \
    .state = tmli_bdf_state, .counters = tmli_bdf_counters, .inputs_changed = tmli_bdf_inputs_changed

#endif

// Error weights: the tolerance of a run as an allowed error of each coordinate and multiplier.
//
// Positions:   atol L + rtol |moved|   L: the model's length for translations, 1 rad for rotations
//                                      moved: displacement since the start (translations only)
// Velocities:  atol L/T + rtol speed   T: duration of the run
//                                      speed: largest so far of the node's translation or rotation (of the
//                                      coordinate's group), at most four times the largest mean over some
//                                      time; or what its acceleration gives over one length, at most four
//                                      times the mean one since the start. A short peak gives no speed: an
//                                      error of a velocity lasts longer
// States:      atol scale + rtol |z|   z: present value; scale: of the system (state_scale)
//                                      the configuration of a state coordinate is never judged
// Multipliers: rtol force              force: largest so far of the row, at least 1 % of the largest row
//                                      (as work over one length, so that forces and moments compare)
// A step of size h may use the share 0.6 h/T of these (error per unit step, docs/decisions/0001). The error
// at the end is then proportional to the tolerance, whatever the number of steps. Round-off is added to the
// allowed error of a step, because no estimate can get below it: otherwise small steps would be rejected
// for errors that even smaller ones do not reduce.
//
// "Along the constraints" means in the directions of motion that the constraints permit, "across" in all
// others.
#ifndef TMLI_INTEGRATE_CORE_ERROR_WEIGHTS_H
#define TMLI_INTEGRATE_CORE_ERROR_WEIGHTS_H

#include "base/base.h"
#include "consistency/consistent.h"
#include <trammel/integrator.h>
#include <trammel/system.h>

typedef struct tmli_weights {
    const tml_system *sys;
    double rtol, atol, duration;
    bool fixed;         // steps of fixed size, no error control
    double strictness;  // steps are allowed a share of the tolerance that is smaller by this factor
    double rate;        // [1/s] typical rate of the motion: largest relative speed so far; 0: none yet
    double roundoff;    // of positions [lengths]: DBL_EPSILON, more far from the origin (system.h: reach)
    double state_rate;  // [1/s] largest |zdot| over max(|z|, scale) at the last state; 0: no states
    double t_start, t_last;     // start and last tracked time [s]
    void *memory;               // of all arrays
    double *unit;               // (n) model length or 1 rad; of a state max(|z|, scale) over the rate
    double *absolute;           // (n) absolute part of the weights of velocities
    double *fastest;            // (n) largest |velocity| so far of the coordinate's node and kind; |z|
    double *speed;              // (n) speed of the weights of velocities, see above
    double *mean_acceleration;  // (n) time mean of |acceleration|, at the first coordinate of each group
    double *mean_speed;         // (n) likewise of |velocity|, in which earlier ones fade
    double *largest_mean;       // (n) likewise the largest mean speed so far
    double *force;              // (m) largest |multiplier| so far
    double *q_start;            // (nq) displacements are measured from here
    const double *massless;     // (n) > 0: massless, see tmli_weights_set_massless; NULL: none
} tmli_weights;

tml_status tmli_weights_create(const tml_system *sys, const tml_integrator_options *opt, tmli_weights *w,
                               tml_error *err);
void tmli_weights_clear(tmli_weights *w);
/** Set the massless coordinates: those of a part whose motion its forces alone decide
 * (tmli_consistent_massless; borrowed, NULL: none). Their velocities do not belong to the state, nothing
 * that follows depends on them, and their errors do not count. */
void tmli_weights_set_massless(tmli_weights *w, const double *massless);
static inline bool tmli_weights_massless(const tmli_weights *w, int j)
{
    return w->massless && w->massless[j] > 0;
}
/** Begin at x: displacements are measured from x; the largest speeds so far stay. */
void tmli_weights_start(tmli_weights *w, const tml_state *x);
/** x was accepted. */
void tmli_weights_track(tmli_weights *w, const tml_state *x);

/** The model's length for a translation [m], 1 for a rotation [rad]. For a state the integral over the time
 * 1/rate of max(|z|, scale), so that velocities and accelerations in units compare. */
static inline double tmli_weights_unit(const tmli_weights *w, int j) { return w->unit[j]; }
/** unit (n) of the states := what a correction of their increments is measured in, if the velocities change
 * by a1 times it in a step of size h. The Newton tolerance then leaves to z the share of its tolerance that
 * it leaves to positions, or less: what it leaves must stand out of the round-off of corrections. */
void tmli_weights_set_state_units(const tmli_weights *w, double h, double a1, double *unit);
/** Allowed error of coordinate j; moved (n): local(q_start, q). */
double tmli_weights_position(const tmli_weights *w, int j, const double *moved);
double tmli_weights_velocity(const tmli_weights *w, int j);
/** Allowed error of multiplier r; unit (n + m) as in the kernel. */
double tmli_weights_multiplier(const tmli_weights *w, int r, const double *unit);
/** The share of the allowed error that a step of size h may use. A lower bound keeps very short transients
 * affordable. */
double tmli_weights_budget(const tmli_weights *w, double h);
/** Typical relative speed of the motion [1/s], without states. */
double tmli_weights_rate(const tmli_weights *w);
/** The larger of `rate` and the present rates of the states: for differences in time at a start. */
static inline double tmli_weights_with_states(const tmli_weights *w, double rate)
{
    return w->state_rate > rate ? w->state_rate : rate;
}
/** Allowed errors that a step of size h adds to position and velocity of coordinate j: its share of the
 * tolerance and some units in the last place. For velocities these are units of their own size, of the
 * velocity that the fastest part of the model passes on, and of the round-off of positions that the least
 * feedback lets in at very small steps. Nothing depends on the configuration of a state, and nothing is let
 * in: its unit has no bound where the model is at rest. */
double tmli_weights_step_position(const tmli_weights *w, int j, const double *moved, double h);
double tmli_weights_step_velocity(const tmli_weights *w, int j, double h);
/** Allowed error of the velocity across the constraints. It does not accumulate, so all of the tolerance is
 * allowed, plus the round-off over h of positions, enlarged by the kernel's gyration_ratio, and of the time
 * t [s]. */
double tmli_weights_velocity_across(const tmli_weights *w, int j, double h, double gyration_ratio, double t);
/** Wanted error of the position increment in Newton's method [lengths]. */
double tmli_weights_newton_tolerance(const tmli_weights *w, double h);
/** Share of the round-off of the positions that may enter the accelerations, k of kernel.h (2): eps/h^2
 * times this share must stay small against the second differences of error estimates, which are of the
 * order rate^4 h^2. */
double tmli_weights_feedback(const tmli_weights *w, double h);
/** c: gives the massless coordinates, if they are set; it has been visited before. NULL: they are never set.
 */
void tmli_weights_archive(tmli_weights *w, const tmli_consistent *c, tml_archive *a);

#endif

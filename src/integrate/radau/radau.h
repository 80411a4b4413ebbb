// Radau IIA with 2 and 3 stages for the index-3 equations and for their stabilized index-2 form; see stages.h
// for the equations of a step and docs/theory/radau.md for the rest.
//
// A mechanism without degrees of freedom has no local error: accepted states are projected onto the
// constraints, and only the dense output limits the step.
//
// Local error. The embedded method's estimate is of lower order (h^4 and h^3) than the method (h^6 and h^4).
// Steps chosen by it would make the error at the end fall faster than the tolerance, so it is converted: for
// a motion of the size of the model, y = exp(i w t), both are powers of h w, and
//   local error = C (estimate)^(order/estimate_order)          (1)   in units of length and speed
// with C from the error constants. A step is accepted if this is within the tolerance times its share
// h/duration. Vibrations that are fast for the step are damped by it and do not add up: whatever becomes of
// one, the error at the end is at most its size. Filtering the estimate once more by the matrix of (7), (8)
// of docs/theory/radau.md removes them and leaves what moves slowly as it is. A step is also accepted if
//   the filtered estimate gives (1) within that share, and the estimate is within a part of the tolerance (3)
// The part is larger where the estimate is overdamped: what the step damps the motion damps as well, and the
// filtered estimate is about what the step leaves of it.
//
// Where stiff dampers take up a force that has set in, (3) is met by long steps and not by short ones: x = k
// times the rate of the dampers, the estimate is a x/(1 + x) and the filtered one a x/(1 + x)^2, over the
// share of the step a/(1 + x)^2. A step that (3) rejects for the filtered estimate alone, with x > 1, is
// tried again with a longer one, as long as its error falls by that.                                    (4)
//
// Velocities of vibrations count as what they move (core/vibrations.h). A step is also accepted if
//   (1) holds for the filtered positions of the estimate and its velocities on the time scale of the motion,
//   the estimate moves nothing by more than a part of the tolerance within the step,
//   and the energy that the step takes out is allowed                                                    (5)
//
// Dense output and prediction: in the chart of the step the polynomial of degree 5 that has the position,
// velocity and acceleration of both ends,
//   X(th) = th h u0 + th^2 h^2/2 udot0 + th^3 [ S0 + S1 (th - 1) + S2/2 (th - 1)^2 ]         (2)
// The stages themselves are of order h^4 inside of the step only, the ends of the order of the method: (2) is
// more accurate than the polynomial of the collocation, along the constraints. For multipliers and
// accelerations the latter is used.
//
// Reference: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer 1996, IV.8,
// VII.
#ifndef TMLI_INTEGRATE_RADAU_RADAU_H
#define TMLI_INTEGRATE_RADAU_RADAU_H

#include "consistency/consistent.h"
#include "integrate/core/step_control.h"
#include "integrate/core/vibrations.h"
#include "integrate/radau/stages.h"

typedef struct tmli_radau {
    const tml_system *sys;
    tml_integrator_options opt;
    const tmli_radau_table *table;
    tml_counters count;
    tmli_stages stages;
    tmli_weights weights;
    tmli_consistent consistent;
    tmli_step_control control;  // of the step size
    tmli_vibrations vibrations;
    bool loses;                  // the step under trial is judged by (5)
    double damped[2];            // largest position [m] and velocity [m/s] of its estimate
    double rate;                 // [1/s] rate of the motion at a start
    double h_last, h_trial;      // step sizes: accepted, under trial
    double error_last;           // estimated over allowed error of the accepted one; 1: none
    double h_short, error_long;  // (4): next trial if longer ones fail, 0: none; error of the longest
    bool fades;                  // a longer trial may be accepted, (4)
    bool touches;                // there are laws of contact, or others that switch by the motion
    bool inputs_new;             // udot of x is still that of the old inputs
    bool elastic;                // the last estimate had vibrations that the step does not resolve
    void *memory;                // of all arrays
    tml_state *x, *previous, *trial;
    double *end;                        // (n) D at the end of the last step
    double *S[3], *S_trial[3];          // (n) of (2)
    double *ed, *eu, *moved, *slow;     // (n) scratch
    double *phi;                        // (m) scratch
    double *V[TMLI_RADAU_STAGES];       // (n) V of the last step's stages
    double *lambda[TMLI_RADAU_STAGES];  // (m) multipliers of the last step's stages
} tmli_radau;

/** X(theta) - theta h u0 of (2) for a step h from x. */
void tmli_radau_deviation(const tmli_radau *r, const tml_state *x, double *const S[3], double h, double theta,
                          double *out);

// ---- estimate.c -------------------------------------------------------------------------------------------

/** Estimated error over the allowed error of the step, (1), (3) and (5). */
tml_status tmli_radau_estimate(tmli_radau *r, double h, double *error, tml_error *err);
/** True: the prediction of the stages was so good, ed and eu less the solution, that it serves as the
 * estimate. */
bool tmli_radau_is_predicted(tmli_radau *r, double h, double *error);
/** *error := the larger of it and that of the multipliers. */
tml_status tmli_radau_estimate_multipliers(tmli_radau *r, double h, double *error, tml_error *err);
/** The same of velocities across the constraints, as dampers pass them on. */
tml_status tmli_radau_check_passed_on(tmli_radau *r, double h, double *error, tml_error *err);
/** *error := the larger of it and how far velocities at the end are from the constraints, over their size. */
tml_status tmli_radau_check_velocity(tmli_radau *r, double h, double *error, tml_error *err);
/** *error := how far the dense output misses the constraints half-way, over the allowed distance. */
tml_status tmli_radau_check_dense_output(tmli_radau *r, double h, double *error, tml_error *err);

#endif

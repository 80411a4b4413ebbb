// The one-step alpha family for constrained systems, index 3: Newmark, HHT-alpha, generalized-alpha,
// midpoint.
//
//   D   = h u_i + h^2 [(1/2 - beta) a_i + beta a_f],     q_f = q_i (+) D                  (1)
//   u_f = u_i + h [(1 - gamma) a_i + gamma a_f]                                           (2)
// and equilibrium either at the end (placement nodes)
//   (1 - am) a_f + am a_i = (1 - af) v_f + af v_i                                         (3)
//   M v_f + B'lambda_f = f   at q_f, u_f, t + h                                           (4)
// or at an inner point of the step (placement inner), c = 1 - af
//   (1 - am) a_f + am a_i = v_c                                                           (3')
//   M v_c + B'lambda_c = f   at q_i (+) c D, c u_f + (1 - c) u_i, t + c h                 (4')
// and Phi(q_f) = 0 at t + h always. v are accelerations proper, a auxiliary.
//
// By (3), (3') a_f = c5 v_i + c6 a_i + c9 v with v the unknown acceleration (of the end or of the inner
// point), and D, u_f are affine in it with slopes c8 and c7: a0 = 1/c8 and a1 = c7/c8 (inner: c c7/c8) in the
// kernel.                                                                                                 (5)
//
// `a` approximates udot at t + theta h, theta = am - af. The method keeps shift = (a - udot)/h, which keeps
// its meaning when h changes. For an inner point udot and lambda at the end of the step are extrapolated from
// the last two points. (6)
//
// Across the constraints the velocities have a standing error: (1) reaches the constraint although its own
// error is h^3 (Cq v' + r), so with constant h B u - nu = h^2 B (Cs v' + r), r the third-order part of the
// retraction. When h changes to h', this must become h'^2/h^2 times what it was, else the accelerations
// have to compensate it by (h^2 - h'^2)/h' v', which disturbs multipliers and error estimate. A step of a
// new size therefore starts from u + P y with B P y = y = (h'^2/h^2 - 1)(B u - nu), and the first step from
// y = h^2 B (Cs jerk_0 + r): the perturbed starting values of Arnold, Bruels and Cardona.
//                                                                                                         (7)
//
// Local errors for smooth accelerations (v' jerk, v'' jounce), docs/theory/alpha.md, 6:
//   D: h^3 (Cq v' + r),            Cq = 1/6 - theta/2 - beta                                              (8)
//   u: h^2 C1 v' + h^3 Cu v'',     C1 = 1/2 - theta - gamma (0 for second order)
//      Cu = 1/6 - theta^2/2 - kappa - gamma (1 + 2 theta)/2
//      kappa = [(1 - af) - (1 - am)(1 + 2 theta) - theta^2]/2                                             (9)
//   standing error across the constraints: Cs = Cq - C1/2                                                (10)
//   r = [u, udot]/12 + Q(u, u, u)/3   with   inverse(T(x)) y = y + [x, y]/2 + Q(x, x, y) + ...           (11)
//       (exponential map: [u, udot] = w x wdot, Q(u, u, u) = 0)
//
// Without damping disturbances across the constraints do not decay: (1), (2) with Phi = 0 have the double
// root -(3/2 - gamma)/(gamma + 1/2), -1 with a Jordan block for the trapezoidal rule. Disturbances of
// `a` also grow with the step. Where the root times the growth of steps is above 1, and where multipliers
// are controlled, everything that the constraints determine is computed from them at every step: velocities
// across them get the standing error (7), accelerations and multipliers satisfy B udot = gamma. Along the
// constraints nothing changes.                                                                           (12)
//
// Velocities across the constraints contain the round-off of positions over h, which damping c passes on to
// masses m next to them: by c eps/m per step, however short. With (12) it does not last beyond the step.
// Steps that have become short therefore use (12) too; else an estimate made of it would make them shorter
// without end.                                                                                           (13)
//
// Errors of velocities that stiff damping takes up within a step do not add up, but (9), with differences of
// accelerations, shows h c/m times as much. Where it would reject a step, and is within a part of the
// tolerance of the whole run, it is filtered by a0 inverse(a0 M + a1 D + K) M as long as that reduces it.
// Shorter steps would follow the decay.                                                                  (14)
//
// At a start with a fixed step the jerk is that of motion which stiff forces end long before the step does:
// of damping c of a mass m, c/m times the acceleration. `a`, at theta h, and the prediction would be out of
// scale by h c/m. The part of the jerk along the constraints is filtered likewise, if that leaves less than
// half of it. Of motion that the step follows it leaves 1 - O(h): the order stays.                       (15)
//
// References: N. Newmark, J. Eng. Mech. Div. ASCE 85 (1959) 67-94; H. Hilber, T. Hughes, R. Taylor, Earthq.
// Eng. Struct. Dyn. 5 (1977) 283-292; J. Chung, G. Hulbert, J. Appl. Mech. 60 (1993) 371-375; M. Arnold, O.
// Bruels, Multibody Syst. Dyn. 18 (2007) 185-202; O. Bruels, A. Cardona, M. Arnold, Mech. Mach. Theory 48
// (2012) 121-137; O. Bauchau, A. Epple, C. Bottasso, J. Comput. Nonlinear Dyn. 4 (2009) 021007; D. Negrut, R.
// Rampalli, G. Ottarsson, A. Sajdak, J. Comput. Nonlinear Dyn. 2 (2007) 73-85.
#ifndef TMLI_INTEGRATE_ALPHA_ALPHA_H
#define TMLI_INTEGRATE_ALPHA_ALPHA_H

#include "consistency/consistent.h"
#include "integrate/core/error_weights.h"
#include "integrate/core/step_control.h"
#include "integrate/newton/kernel.h"
#include "integrate/newton/vibration_test.h"

/** A scheme of the family. */
typedef struct tmli_alpha_scheme {
    double am, af, beta, gamma;
    bool inner;  // (3'), (4')
} tmli_alpha_scheme;

/** Accelerations and multipliers at the point of a step where equilibrium was solved: its end or the inner
 * point. */
typedef struct tmli_alpha_point {
    double *v;            // (n) accelerations
    double *jerk;         // (n) mean v' since the point before (at a start: v' at x)
    double *lambda;       // (m)
    double *lambda_rate;  // (m)
    double span;          // [s] time since the point before; 0 at a start
} tmli_alpha_point;

typedef struct tmli_alpha {
    const tml_system *sys;
    tml_integrator_options opt;
    tml_counters count;
    tmli_kernel kernel;
    tmli_consistent consistent;
    tmli_weights weights;
    tmli_vibration_test vibrations;
    tmli_alpha_scheme scheme;
    double point;                  // c of (4'); 1 at the end
    double theta, cq, cs, c1, cu;  // (6), (8)-(10)
    double root;                   // decay factor of disturbances per step
    double loss;                   // 2 c4 of vibration_test.h (3)
    bool renews;                   // (12) applies to all steps
    bool is_short;                 // the step under trial, (13)
    bool renew;                    // (12) applies to it
    int order;
    double quick;    // [s] time in which accelerations at a start change, (15); 0: not faster than the step
    double h_last;   // size of the last accepted step; 0 after a start
    double h_trial;  // of the step under trial (not t1 - t0, which is rounded)
    double h_dense;  // of the last accepted step, for the dense output
    double longest;  // accepted step, forgotten by STEP_MEMORY [s]
    double a0, a1;   // (5), of the step under trial
    double matrix_error;  // share of an error that the matrix left when it was new
    long matrix_count;    // count of factorizations at the last correction by (12)
    bool standing_known;
    tmli_step_control control;        // of the step size
    void *memory;                     // of all arrays
    tml_state *x, *trial, *previous;  // accepted, under trial, and the one before (for dense output)
    tml_state *scratch;
    tmli_alpha_point last, found;            // of the accepted step and of that under trial
    double *shift, *trial_shift;             // (n) (6)
    double *jounce;                          // (n) v'' at a start
    double *standing;                        // (n) P (B u - nu) of (7) at x; at a start: P B (Cs jerk + r)
    double *D, *D_last;                      // (n) increment of the trial and of the last accepted step
    double *u_start;                         // (n) velocities that the trial step starts from, (7)
    double *fresh_v;                         // (n) of the index-1 equations at the trial's point
    double *along, *first, *second, *taken;  // (n) scratch
    double *eu;                              // (n) local error of the trial's velocities, as it is
    double *fresh_lambda;                    // (m) of these equations
    double *phi, *gap;                       // (m) scratch
} tmli_alpha;

// ---- alpha.c ----------------------------------------------------------------------------------------------

tml_status tmli_alpha_create(const tml_system *sys, const tml_integrator_options *opt,
                             const tmli_alpha_scheme *scheme, void **self, tml_error *err);
tml_status tmli_alpha_step(void *self, double h, double *error, tml_error *err);
double tmli_alpha_next_step(void *self, double h, double error, bool accepted);
void tmli_alpha_accept(void *self, double t);
void tmli_alpha_interpolate(void *self, double theta, tml_state *out);
const tml_state *tmli_alpha_state(const void *self);
void tmli_alpha_counters(const void *self, tml_counters *out);
double tmli_alpha_condition(void *self);
void tmli_alpha_conditioning(void *self, tml_conditioning *out);
void tmli_alpha_destroy(void *self);
void tmli_alpha_archive(void *self, tml_archive *a);

// ---- start.c ----------------------------------------------------------------------------------------------

tml_status tmli_alpha_start(void *self, const tml_state *x, tml_error *err);
/** Accelerations jump: `a` with them, so that shift, jerk and what the error estimate compares stay. */
tml_status tmli_alpha_inputs_changed(void *self, const tml_state *x, tml_error *err);
double tmli_alpha_first_step(void *self);
/** Compute jerk, shift and standing error at x from the equations alone, as at a start. */
tml_status tmli_alpha_begin(tmli_alpha *g, tml_error *err);
/** u_start := the velocities at x, perturbed by (7) or (12) for a step of size h. */
tml_status tmli_alpha_perturb(tmli_alpha *g, double h, tml_error *err);
/** (15) at x, before the first step of size h, with a0 and a1 set. */
tml_status tmli_alpha_settle(tmli_alpha *g, double h, tml_error *err);
/** r of (11) at x; uses `along` and `taken`. */
void tmli_alpha_retraction(const tmli_alpha *g, double *r);

// ---- estimate.c -------------------------------------------------------------------------------------------

/** v (n), lambda (m) := accelerations and multipliers of the index-1 equations at y, for (12). */
tml_status tmli_alpha_solve_index1(tmli_alpha *g, const tml_state *y, double *v, double *lambda,
                                   tml_error *err);
/** Split d (n) at y: `taken` (n) := its part across the constraints, P B d; d keeps the part along them. */
tml_status tmli_alpha_split(tmli_alpha *g, const tml_state *y, double *d, double *taken, tml_error *err);
/** v (n) := what a step leaves of changes v of the first `count` velocities at y, tmli_kernel_decay. */
tml_status tmli_alpha_decay(tmli_alpha *g, const tml_state *y, int count, double *v, tml_error *err);
/** Error of the trial step over the allowed error. */
tml_status tmli_alpha_estimate(tmli_alpha *g, double h, double *error, tml_error *err);

#endif

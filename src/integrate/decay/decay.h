// Energy-decaying integration of constrained systems, index 3, and its conserving limit.
//
//   q1 = q0 (+) D,      D = h [(u0 + u1)/2 + alpha (u1 - u0)]                                            (1)
//   M (u1 - u0)/h + B^'lambda = f^                                                                       (2)
//   Phi(q1, t1) = 0                                                                                      (3)
// f^ and B^ are means over the step (mean_residual of the system contract) with
//   f^.D = V0 - V1 - loss + h P,     B^ D = Phi(q1, t0) - Phi(q0, t0)                                    (4)
// so that for constant M, with the kinetic energy T, and constraints that do not depend on time
//   T1 + V1 = T0 + V0 + h P - alpha (u1 - u0)'M (u1 - u0) - loss,   loss >= 0                            (5)
// whatever the step: (2) times D, and (u1 - u0)'M (u0 + u1)/2 = T1 - T0. alpha = 0 conserves, alpha > 0 has
// the spectral radius (1 - 2 alpha)/(1 + 2 alpha) at infinite frequency. Constant alpha costs one order. It
// is therefore chosen for each step from the accelerations v = (u1 - u0)/h of the last three,
//   alpha = r^(3/2) (1 - rho)/(2 (1 + rho)),
//   r = |v2 - (w v1 + (1 - w) v3)|/(|v2| + w |v1| + (1 - w) |v3|)                                       (6)
// in the norm of the mass; w interpolates from v1 and v3 to the middle of the step of v2. Of an oscillation
// that turns by the phase p in a step, r is sin(p/2)^2: of the order h^2 where steps follow the motion, and 1
// where a frequency is too high for them and alternates. r is of order h^2 in smooth motion, and the scheme
// of order 2. docs/theory/decay.md has the proofs.
//
// Across the constraints u1 follows from D alone: what is wrong there at the start is wrong at the end with
// the other sign, and lambda has it divided by h. After a step
//   u1 := u1 - P (B u1 - nu),   M P + B'Q = 0,   B P = 1                                                (8)
// This projection is orthogonal with respect to M: along the constraints nothing changes, and what it takes
// out is kinetic energy, of order h^4. In `conserve` a factor of u1, 1 + O(h^4), restores it.
//
// Local errors for smooth accelerations (v' jerk, v'' jounce):
//   D: h^3 v'/12 - alpha h^2 v,     u: h^3 v''/12 - alpha h^2 v'                                          (7)
//
// Not the energy-decaying scheme of O. Bauchau, Multibody Syst. Dyn. 2 (1998) 169-225, though its aim is the
// same (docs/theory/decay.md, 6). References: O. Gonzalez, J. Nonlinear Sci. 6 (1996)
// 449-467; J. Simo, K. Wong, Int. J. Numer. Methods Eng. 31 (1991) 19-52; F. Armero, I. Romero, Comput.
// Methods Appl. Mech. Eng. 190 (2001) 2603-2649.
#ifndef TMLI_INTEGRATE_DECAY_DECAY_H
#define TMLI_INTEGRATE_DECAY_DECAY_H

#include "consistency/consistent.h"
#include "integrate/core/error_weights.h"
#include "integrate/core/step_control.h"
#include "integrate/newton/kernel.h"
#include "integrate/newton/vibration_test.h"

enum { TMLI_DECAY_HISTORY = 3 };

/** Accelerations and multipliers of a step, at its middle; of a start, at that time. */
typedef struct tmli_decay_point {
    double t;        // [s]
    double *v;       // (n) accelerations
    double *lambda;  // (m) multipliers
} tmli_decay_point;

typedef struct tmli_decay {
    const tml_system *sys;
    tml_integrator_options opt;
    tml_counters count;
    tmli_kernel kernel;
    tmli_consistent consistent;
    tmli_weights weights;
    tmli_step_control control;
    tmli_vibration_test vibrations;
    double most;              // largest alpha of (6)
    double ratio;             // r of (6) of the step under trial
    double share;             // alpha of the step under trial
    double h_trial, h_dense;  // size of the step under trial, of the last accepted one (0: none)
    int points;               // known ones, without that of the trial
    void *memory;             // of all arrays
    tml_state *x, *trial, *previous;
    tml_state *end;                                  // scratch
    tmli_decay_point point[TMLI_DECAY_HISTORY + 1];  // found in the trial; then the latest first
    double *inertia;                                 // (n) diagonal of M; 0 for states
    double *D, *D_last;                              // (n) increment of the trial, of the last step
    double *first, *second, *taken, *moved;          // (n) scratch
    double *gap;                                     // (m) scratch
    double *mass;                                    // (nnz) M at the start
} tmli_decay;

/** Size of the local error (7) of the trial step over what the tolerance allows. */
tml_status tmli_decay_estimate(tmli_decay *g, double h, double *error, tml_error *err);

#endif

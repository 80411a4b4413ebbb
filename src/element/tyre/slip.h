// Tyre with slip: the forces of a rolling wheel along and across the road, beside the normal force of tyre.h.
//
// The wheel is a disc about the axis a of its body, which turns with it. Its lowest point is at the height of
// the centre less radius sqrt(1 - (n.a)^2), so that with h, z(s) and up n of tyre.h
//   c = radius sqrt(1 - (n.a)^2) + z(s) - h                                                               (1)
// is its compression. The force F of tyre.h acts by this potential. With the normal of the road
// m = (n - z' e)/w, w = sqrt(1 + z'^2), the normal load N = F w acts on the contact.
//   x = a x m/|a x m|,  y = m x x           forward and across, tangential to the road                    (2)
//   q = x x a,  l = radius - c               the contact is at P - l q                                    (3)
//   V_s = (x, y).(v_P - l w x q)             slip velocity of the wheel at the contact                    (4)
//   V = |x.v_P| (magic formula), |x.v_P - V_sx| (brush): the speed by which slip is defined               (5)
// Slip is not V_s/V, which has no value at rest, but follows from deflections d [m] of the tyre, first-order
// states with the relaxation lengths b (Pacejka, Tire and Vehicle Dynamics, 2012, ch. 7; the bound by W is
// that of bristles, Canudas de Wit et al. 1995):
//   d_i' = -V_si - (V + W) d_i/b_i,    W = |V_s/S|,    i = x, y                                           (6)
//   s_i = (d_i/b_i)/(1 - r),           r = |d/(b S)| < 1                                                  (7)
// where S_i is the slip at which the linear force would be the limit of friction, and |.| is the norm of the
// two components. In steady motion s_i = -V_si/V exactly. At rest the tyre is a spring, and deflections never
// exceed b S: a wheel that has stopped from sliding springs back no further.
//
// With the normalized slip t_i = s_i/S_i, t = |t|, psi = t/3 and the load L = N (N/N0)^p:
//   brush          F = mu L ((1 - psi)^2 t + psi^2 (3 - 2 psi) s/|s|), psi < 1;   mu L s/|s| else         (8)
//                  parabolic pressure: the first part sticks, the second slides; |F| = mu L (1 - (1 - psi)^3)
//                  if S_x = S_y. S_i = mu N0/C_i with the stiffness C_i at the load N0.
//   magic formula  F_i = L t_i/t D_i sin(C_i atan(B_i s (1 - E_i) + E_i atan(B_i s))),  s = t S_i         (9)
//                  S_i = 1/(B_i C_i)
//   F_i += k N/N0 d_i'                       damping of the deflection                                   (10)
//   M = -trail (1 - psi)^3 mu_y L t_y m, psi < 1                                                         (11)
// F acts on the wheel at the contact, M about the normal.
#ifndef TMLI_ELEMENT_TYRE_SLIP_H
#define TMLI_ELEMENT_TYRE_SLIP_H

#include "element/tyre/tyre.h"

typedef struct tmli_slip_law {
    bool magic;                              // (9), else (8)
    double scale[2];                         // S
    double peak[2];                          // mu or D
    double stiffness[2], shape[2], fall[2];  // B, C, E of (9)
    double load, exponent;                   // N0 [N], p
    double relaxation[2];                    // b [m]
    double damping;                          // k [N s/m]
    double trail;                            // [m]
} tmli_slip_law;

/** A slip tyre at a state. Forces on the wheel. */
typedef struct tmli_slip_state {
    tmli_tyre_state tyre;
    double load;      // N [N]
    double slip[2];   // s
    double force[2];  // F [N]
    double moment;    // M along the normal [N m]
    double rate[2];   // d' [m/s]
    double Q[6];      // generalized force on the body, with that of the normal load
    vec3 point;       // of contact, inertial [m]
    vec3 normal;      // m
    vec3 friction;    // F as a vector [N]
} tmli_slip_state;

/** The law of a checked definition. */
tmli_slip_law tmli_slip_law_of(const tml_force_def *def);
/** t: with its axis. d (2): deflections. H, D (8 x 8, of the body and the two deflections; NULL: not wanted)
 * = -d(Q, d')/d(increments), -d(Q, d')/d(velocities, deflections). */
void tmli_slip_eval(const tmli_tyre *t, const tmli_slip_law *l, const tmli_pose *B, const double u[6],
                    const double d[2], const double *mode, tmli_slip_state *out, double *H, double *D);

#endif

// Normal forces of contacts, by the depth d [m] and its rate v [m/s].
//
//   N = k d^n + c d^p v,   N >= 0                                                                         (1)
//   linear          n = 1,     p = 0
//   hertz           n = 3/2,   p = 1/4   (Tsuji, Tanaka, Ishida, Powder Technol. 71 (1992) 239)
//   hunt-crossley   n,         p = n,    c = k chi
// The spring k d^n has the potential k d^(n+1)/(n+1).
//
// An impact of the mass m at the speed v0 ends where N = 0. With y = d and, for hertz, y = sqrt(4k/(5m))
// d^(5/4), both are the same damped oscillator v dv/dy + 2 zeta w v + w^2 y = 0, with c = 2 zeta sqrt(k m)
// and c = zeta sqrt(5 k m), and the ratio of the speeds is, at any speed v0,
//   e = exp(-2 a/tan a),  cos a = zeta;    zeta > 1: e = exp(-2 a/tanh a),  cosh a = zeta.                (2)
// For hunt-crossley v dv/(1 + chi v) = -(k/m) d^n dd, whose integral has the same value at both ends:
//   D - ln(1 + D) = -e D - ln(1 - e D),   D = chi v0                                                      (3)
// independent of the mass, but with chi by the speed of the impact.
//
// A contact is open, pressed (N of (1) acts) or relaxing: it is still deformed, but the bodies part faster
// than it recovers, and N = 0. The energy of the spring is lost when it opens, and in part when it is pressed
// again, at a lesser depth. The mode of a pressed contact holds the speed v0 at which it began; that of a
// relaxing one the energy that the spring had, or v0 for hunt-crossley, which loses the energy at once.
#ifndef TMLI_ELEMENT_LAW_NORMAL_H
#define TMLI_ELEMENT_LAW_NORMAL_H

#include <stdbool.h>
#include <trammel/spec.h>

typedef struct tmli_normal_law {
    tml_contact_law law;
    double k;      // [N/m^n]
    double n, p;   // exponents of (1)
    double c;      // linear, hertz: [N s/m^(1+p)]; hunt-crossley: chi [s/m], if it is constant
    double D;      // hunt-crossley: of (3); 0: chi is constant
    double speed;  // hunt-crossley: least v0 [m/s]
    double unit;   // [m] of event functions
    double begin;  // depth from which on it presses without a mode [m]
} tmli_normal_law;

typedef struct tmli_normal_force {
    double N, N_d, N_v;  // force and its derivatives
    double spring;       // k d^n; 0 if it is not pressed
    double energy;       // of the spring [J]
    bool touches;        // it is pressed
} tmli_normal_force;

/** zeta of (2) and D of (3), for 0 < e <= 1. */
double tmli_restitution_damping(double e);
double tmli_restitution_crossley(double e);

/** mode: 0 or infinite: by d and v. */
tmli_normal_force tmli_normal_eval(const tmli_normal_law *l, double mode, double d, double v);

/** Energy of the spring at the depth d >= 0. */
double tmli_normal_spring(const tmli_normal_law *l, double d);

/** The law with the damping of a mode, to be evaluated by depth and rate alone. */
tmli_normal_law tmli_normal_of_mode(const tmli_normal_law *l, double mode);
bool tmli_normal_is_open(double mode);
/** Event function [m] of a mode, positive on its branch. */
double tmli_normal_event(const tmli_normal_law *l, double mode, double d, double v);
/** The mode at d and v after `mode`. */
double tmli_normal_mode(const tmli_normal_law *l, double mode, double d, double v);
/** Both for a pair with one mode, which is open or pressed; d: the largest depth of its points, v: its
 * rate. */
double tmli_normal_pair_event(double mode, double d);
double tmli_normal_pair_mode(double mode, double d, double v);
/** True if a branch ends exactly at d and v. */
bool tmli_normal_is_at_end(const tmli_normal_law *l, double mode, double d, double v);

#endif

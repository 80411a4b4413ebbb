// Friction and resistance to rolling and spin at a point of contact, in proportion to the normal force N.
//
// With the velocity of slip w of Y relative to X, tangential, s = |w|, and the angular velocity of Y relative
// to X, tangential part W_t and part W_n n:
//   m(s) = mu_c + (mu_s - mu_c) exp(-(s/v_s)^2)                                                           (1)
//   regularized   T = -N (m(s) tanh(s/v_c)/s + v) w                                                       (2)
//   lugre         T = -N (s0 z + s1 zdot + v w),   zdot = w - s0 |w|/m(s) z                               (3)
// with two bristles z along axes x, y fixed in X, the tangential axes of a plane (Canudas de Wit et al., IEEE
// Trans. Autom. Control 40 (1995) 419).
//   M = -N (a_r tanh(|W_t|/w_c)/|W_t| W_t + a_d tanh(W_n/w_c) n)                                          (4)
// Without contact nothing bends the bristles, and slip wears them off as under load, but not faster than they
// straighten by themselves, s0 z + s1 zdot = 0: the times of both, m/(s0 |w|) and s1/s0, add up,
//   zdot = -s0 |w|/(m(s) + s1 |w|) z                                                                      (5)
// With s0 z + s1 zdot = 0 alone the rate s0/s1 has no bound as s1 becomes 0, and every opening begins with a
// transient that no step resolves; (5) is never faster than the wear of (3).
#ifndef TMLI_ELEMENT_LAW_FRICTION_H
#define TMLI_ELEMENT_LAW_FRICTION_H

#include "math/math3.h"
#include <stdbool.h>

typedef struct tmli_tangential_law {
    bool slides;                           // there is friction
    bool bristles;                         // (3)
    double mu, more;                       // mu_c, mu_s - mu_c
    double stribeck;                       // v_s [m/s]; 0: none
    double viscous;                        // v [s/m]
    double creep;                          // v_c [m/s]
    double s0, s1;                         // [1/m], [s/m]
    double rolling, drilling, spin_creep;  // a_r, a_d [m], w_c [rad/s]
} tmli_tangential_law;

/** h(s) of a force -h w, and h'(s)/s. */
typedef struct tmli_slope {
    double h, h_s;
} tmli_slope;

/** tanh(s/c)/s and its derivative by s over s. */
tmli_slope tmli_saturation(double s, double c);
/** m(s) of (1) and its derivative by s over s. */
tmli_slope tmli_friction_coefficient(const tmli_tangential_law *l, double s);
/** (2): T = -N h w. */
tmli_slope tmli_friction_regularized(const tmli_tangential_law *l, double s);
/** Rate of the wear of bristles [1/s] at the speed s, the factor of -z in (3), (5), and its derivative by s
 * over s. */
tmli_slope tmli_bristle_wear(const tmli_tangential_law *l, double s, bool loaded);

#endif

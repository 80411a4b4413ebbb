// Force and tangents of one point of contact (docs/theory/contact.md).
//
// X and Y are the bodies of the point, with centres of mass r, velocities v and angular velocities w in
// inertial axes. The force on Y at p is F = N n + T, the couple on Y is M; X gets the opposite.
#ifndef TMLI_ELEMENT_LAW_KERNEL_H
#define TMLI_ELEMENT_LAW_KERNEL_H

#include "element/law/friction.h"
#include "element/law/normal.h"
#include "element/shape/point.h"

enum { TMLI_CONTACT_COORDS = 14 };  // 6 of X, 6 of Y, two bristles

/** The motion of a body. */
typedef struct tmli_body_motion {
    vec3 r, v, w;  // inertial axes
    const mat3 *R;
} tmli_body_motion;

/** A point of contact with its laws at a state. */
typedef struct tmli_contact_state {
    const tmli_contact_point *point;
    const tmli_normal_law *normal;
    const tmli_tangential_law *tangential;
    tmli_body_motion body[2];  // X, Y
    double z[2];               // bristles
    vec3 axis[2];              // their directions, fixed in X
    // results
    tmli_normal_force N;
    vec3 p;                // place of the contact
    vec3 slip, spin;       // velocities of Y relative to X at p [m/s], [rad/s]
    double rate;           // of the gap [m/s]
    vec3 T, M;             // friction [N], couple [N m]
    vec3 F;                // force on Y [N]
    double bristle[2];     // zdot
    double energy, power;  // of the spring [J], of all that has no potential [W]
    // of a point that fades, without it: force [N]; energy that (4) of point.h takes [J], its derivative by
    // the depth [N]; loss of the rest [W]
    double whole, stored, spring, lost;
    vec3 G, C;  // (4) of point.h: force at the pivot [N], couple [N m]
} tmli_contact_state;

/** The rate of the gap. */
double tmli_contact_gap_rate(const tmli_contact_point *k, const tmli_body_motion body[2]);
/** Set the results; mode: of the normal law. */
void tmli_contact_eval(tmli_contact_state *s, double mode);
/** Q (12) = generalized forces on X and Y: force in inertial axes, torque in body axes. */
void tmli_contact_wrench(const tmli_contact_state *s, double Q[12]);
/** H, D (14 x 14) = -d(Q, zdot)/d(increments), -d(Q, zdot)/d(velocities, z). */
void tmli_contact_tangent(const tmli_contact_state *s, double *H, double *D);

#endif

// Tyre: a spring and damper between the centre P of a wheel, which is a point of a body, and the road below
// it.
//
// P = r + R p is at the distance s = e.(P - o) along the road and at the height h = n.(P - o) above its
// origin o. With z(s) of road.h and
//   c = radius + z(s) - h  [m]  compression,   F = k c + d cdot + table(c)  [N]
// the force on the wheel at P is F n, or F (n - z' e) along the normal of the road. With `contact` the tyre
// cannot pull: the force acts if c > 0 and F > 0, and is 0 otherwise.
//
// Up to two discontinuities: first the piece of the road (mode 1 + piece), if the road has pieces; then, with
// `contact`, the state of the contact: pressed (c > 0, F > 0), relaxing (c > 0, F <= 0: the wheel lifts off
// faster than the tyre expands, no force acts, and the energy of the spring is lost) or free (c <= 0). A mode
// that is 0 or infinite fixes no branch: the actual piece and contact state are used.
#ifndef TMLI_ELEMENT_TYRE_TYRE_H
#define TMLI_ELEMENT_TYRE_TYRE_H

#include "element/joint/measure.h"
#include "element/tyre/road.h"

enum { TMLI_TYRE_MODES = 3 };

typedef struct tmli_tyre {
    vec3 p;        // centre of the wheel, body frame [m]
    vec3 o, e, n;  // origin [m], direction and up of the road, inertial, unit, e.n = 0
    tmli_profile profile;
    double radius, stiffness, damping;  // [m], [N/m], [N s/m]
    const tmli_curve *table;            // of compression [m]: force [N]; NULL: none
    bool contact, normal;
    bool disc;  // the wheel is a disc about an axis (slip.h), not a ball
    vec3 axis;  // unit, body frame
} tmli_tyre;

/** A tyre at a state of its body. */
typedef struct tmli_tyre_state {
    double s, s_rate;          // distance along the road and its rate [m], [m/s]
    double road[3];            // z, z', z''
    double compression, rate;  // [m], [m/s]
    double spring, slope;      // force of spring and table [N], its derivative [N/m]
    double force;              // F, 0 if not pressed [N]
    bool presses;              // the force acts
    bool stores;               // the spring stores energy
} tmli_tyre_state;

/** Sine of the angle between the axis of a disc and up, by its cosine; a disc that lies still has one. */
double tmli_tyre_upright(double lean);
/** u (6): velocity of the body; mode NULL: no branch is fixed. */
void tmli_tyre_at(const tmli_tyre *t, const tmli_pose *B, const double u[6], const double *mode,
                  tmli_tyre_state *out);
/** Where it touches the road, or would, on the line of action of its force, which passes through P; the
 * force. */
void tmli_tyre_contact(const tmli_tyre *t, const tmli_pose *B, const tmli_tyre_state *x, vec3 *point,
                       vec3 *normal);
/** Q (6) += generalized force on the body. */
void tmli_tyre_eval(const tmli_tyre *t, const tmli_pose *B, const tmli_tyre_state *x, double Q[6]);
/** H (6 x 6, rows of length `width`) += -dQ/dd at constant u; D += -dQ/du. */
void tmli_tyre_tangent(const tmli_tyre *t, const tmli_pose *B, const double u[6], const tmli_tyre_state *x,
                       int width, double *H, double *D);
/** potential [J] += energy of the spring; power [W] += power without a potential: that of the damper, and
 * that of the road if a wheel that is driven along it is lifted. */
void tmli_tyre_energy(const tmli_tyre *t, const tmli_pose *B, const double u[6], const tmli_tyre_state *x,
                      double *potential, double *power);
/** The same for a generalized force Q (6), of which the normal force is a part. */
void tmli_tyre_energy_of(const tmli_tyre *t, const double Q[6], const double u[6], const tmli_tyre_state *x,
                         double *potential, double *power);

/** Number of modes, 0 to TMLI_TYRE_MODES. */
int tmli_tyre_modes(const tmli_tyre *t);
/** values (modes): event functions of the branches of `mode` [m], positive on them. */
void tmli_tyre_event_values(const tmli_tyre *t, const tmli_pose *B, const double u[6], const double *mode,
                            double *values);
/** Update the modes whose branch has ended, or all. Exactly at the end of a branch, the slightly later state
 * (later_B, later_u) selects the next one; NULL: the second piece, and a contact without force. Returns the
 * number of changed modes. */
int tmli_tyre_update_modes(const tmli_tyre *t, const tmli_pose *B, const double u[6],
                           const tmli_pose *later_B, const double later_u[6], bool all, double *mode);

#endif

// Tyre: a spring and damper between the centre of a wheel, a point of a body, and the road below it.
//
// The point P = r + R p has the way s = e.(P - o) and the height h = n.(P - o) over the road's origin o;
// z(s): road.h. With
//   c = radius + z(s) - h  [m]  compression,   F = k c + d cdot + table(c)  [N]
// the force on the wheel at P is F n, or F (n - z' e) along the normal of the road. With `contact` the tyre
// pushes only: F acts where c > 0 and F > 0, else there is none.
//
// Two switches: the piece of the road (mode 1 + piece), where it has pieces, then, with `contact`, whether
// the tyre presses (c > 0, F > 0), springs back behind a wheel that lifts off faster (c > 0, F <= 0: no
// force, and the energy left in the spring goes), or is free (c <= 0). A mode that is 0 or infinite does not
// hold: the road and the tyre are as they are.
#ifndef TMLI_ELEMENT_FORCE_TYRE_H
#define TMLI_ELEMENT_FORCE_TYRE_H

#include "element/force/road.h"
#include "element/joint/measure.h"

enum { TMLI_TYRE_MODES = 2 };

typedef struct tmli_tyre {
    vec3 p;        // centre of the wheel, body frame [m]
    vec3 o, e, n;  // origin [m], direction and up of the road, inertial, unit, e.n = 0
    tmli_profile profile;
    double radius, stiffness, damping;  // [m], [N/m], [N s/m]
    tmli_spline *table;                 // of compression [m]: force [N]; NULL: none
    bool contact, normal;
} tmli_tyre;

/** A tyre at a state of its body. */
typedef struct tmli_tyre_state {
    double s, s_rate;          // way of the wheel [m], [m/s]
    double road[3];            // z, z', z''
    double compression, rate;  // [m], [m/s]
    double spring, slope;      // force of spring and table [N], its derivative [N/m]
    double force;              // F, 0 if it does not press [N]
    bool presses;              // the force acts
    bool stores;               // the spring holds energy
} tmli_tyre_state;

/** u (6): velocity of the body; mode: NULL: as it is. */
void tmli_tyre_at(const tmli_tyre *t, const tmli_pose *B, const double u[6], const double *mode,
                  tmli_tyre_state *out);
/** Q (6) += generalized force on the body. */
void tmli_tyre_eval(const tmli_tyre *t, const tmli_pose *B, const tmli_tyre_state *x, double Q[6]);
/** H (6 x 6, rows of `width`) += -dQ/dd, u held; D += -dQ/du. */
void tmli_tyre_tangent(const tmli_tyre *t, const tmli_pose *B, const double u[6], const tmli_tyre_state *x,
                       int width, double *H, double *D);
/** Energy of the spring [J], and the power [W] of what has no potential: the damper, and the road, which
 * lifts a wheel that something else drives along. */
void tmli_tyre_energy(const tmli_tyre *t, const tmli_pose *B, const double u[6], const tmli_tyre_state *x,
                      double *potential, double *power);

/** Number of modes, 0 to TMLI_TYRE_MODES. */
int tmli_tyre_modes(const tmli_tyre *t);
/** margin (modes) of the branches of `mode`: positive on them. [m] */
void tmli_tyre_event_values(const tmli_tyre *t, const tmli_pose *B, const double u[6], const double *mode,
                            double *margin);
/** Change the modes whose branch has ended, or all; on a border the state a little later decides (later_B,
 * later_u; NULL: as on the border's upper side). Returns the number of changes. */
int tmli_tyre_switch(const tmli_tyre *t, const tmli_pose *B, const double u[6], const tmli_pose *later_B,
                     const double later_u[6], bool all, double *mode);

#endif

// Steady rotation as an equilibrium: every body keeps the motion that it has at the start, seen by an
// observer who turns with it.
//
// A body that starts at r0 with velocity v and angular velocity O (inertial frame) moves, wherever it is,
// with the field of that motion,
//   rdot = v + O x (r - r0),   w = R'O,     rddot = O x rdot,   wdot = 0                                  (1)
// so that velocities and accelerations are functions of the configuration, and M udot + B'lambda = f, Phi = 0
// are equations for positions alone. For bodies that turn together it is the equilibrium in their axes: a
// rotor that centrifugal forces stretch. Bodies at rest stay at rest. Increments d change (1) by
//   du = T d:  O x dr,  w x dth;     dudot = A d:  O x (O x dr),  0                                       (2)
// Where forces do not turn with the bodies, a shaft that its weight bends turns about its bent axis: bodies
// whose centres rest at the start keep
//   rdot = 0,   w as at the start (body frame),   rddot = 0,   wdot = 0                                   (3)
#ifndef TMLI_ANALYSIS_STATICS_SPIN_H
#define TMLI_ANALYSIS_STATICS_SPIN_H

#include "model/model.h"

typedef struct tmli_spin {
    const tml_model *model;
    struct tmli_spin_body {
        vec3 r, v, O;
        vec3 w;        // R'O at the start, body frame
        bool own;      // moves by (3)
        bool carried;  // O is that of another body: its place turns, itself it does not
    } * body;          // (nbodies)
} tmli_spin;

/** The motion of x, by (1), or if `own` by (3) of bodies that turn in place. *found (may be NULL): there are
 * such bodies. The caller clears it, also after an error. */
tml_status tmli_spin_init(tmli_spin *s, const tml_model *model, const tml_state *x, bool own, bool *found,
                          tml_error *err);
/** (1): u and udot of x from its configuration; first-order states stay. */
void tmli_spin_apply(const tmli_spin *s, tml_state *x);
/** values (nnz) += D T + M A in the rows and columns of coordinates, by (2) at x. */
void tmli_spin_tangent(const tmli_spin *s, const tml_state *x, const double *M, const double *D,
                       double *values);
void tmli_spin_clear(tmli_spin *s);  // accepts a zeroed one

#endif

// The motion of a modal body from that of its nodes, and forces back on them (docs/theory/modal.md).
//
// Reference node: r, R, rdot, w; another node i: r_i, R_i, rdot_i, w_i (inertial frame, body axes). Its
// rotation seen from the reference node is the unit quaternion (c, d), c >= 0. Then
//   v = R'rdot,                                          vdot = R'rddot - w x v                           (1)
//   rho = R'(r_i - r),   y = rho - X_i,   ydot = R'(rdot_i - rdot) - w x rho                              (2)
//   psi = 2 d,   psidot = c (w_i - w) + d x (w_i + w) = P w_i - P'w,   P = c + d~                         (3)
// psi = 2 sin(a/2) about the axis of a rotation by a: the angle up to a^3/24. All formulas are polynomials in
// the quaternion, and so are their derivatives. As cdot = -d.(w_i - w)/2 and ddot = psidot/2,
//   psiddot = c (wdot_i - wdot) + d x (wdot_i + wdot) + cdot (w_i - w) + psidot x (w_i + w)/2             (4)
#ifndef TMLI_ELEMENT_MODAL_NODES_H
#define TMLI_ELEMENT_MODAL_NODES_H

#include "element/modal/body.h"

/** Motion of a node: q of the model (7 numbers), velocity and acceleration (6 each; NULL: 0). */
typedef struct tmli_modal_node {
    const double *q, *u, *a;
} tmli_modal_node;

/** nu, nudot and q of x from the motion of the nodes, the reference node first, and amplitudes (modes),
 * their rates and accelerations (NULL: 0). g: gravity, inertial frame [m/s^2]. */
void tmli_modal_see(const tmli_modal *b, const tmli_modal_node *node, const double *amplitude,
                    const double *rate, const double *acceleration, vec3 g, tmli_modal_motion *x);
/** F (6 (1 + nodes) + modes) = J'f: forces on the coordinates of nodes and amplitudes, nu = J u. */
void tmli_modal_to_nodes(const tmli_modal *b, const tmli_modal_node *node, const double *f, double *F);
/** J (n x n, row-major): nu = J u, u the velocities of nodes and amplitudes. */
void tmli_modal_map(const tmli_modal *b, const tmli_modal_node *node, double *J);
/** Derivatives (n x n): nu by increments, nudot by increments, nudot by velocities. */
void tmli_modal_map_derivatives(const tmli_modal *b, const tmli_modal_node *node, double *nu_by_d,
                                double *nudot_by_d, double *nudot_by_u);
/** H (n x n) += derivative of J'f by increments, at constant f. */
void tmli_modal_add_force_derivative(const tmli_modal *b, const tmli_modal_node *node, const double *f,
                                     double *H);

#endif

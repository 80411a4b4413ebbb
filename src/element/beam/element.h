// The geometrically exact beam element with 2, 3 or 4 nodes (docs/theory/beams.md).
//
// A node has a position r_i (inertial frame, on the line of the sections' centres of mass) and a rotation R_i
// (section axes, x along the beam). Seen from the reference node k,
//   y_i = R_k'(r_i - r_k),   psi_i = log(R_k' R_i),   y = sum N_i y_i,   psi = sum N_i psi_i              (1)
// with Lagrange polynomials N_i through the nodes, which lie at the Lobatto points. The interpolation does
// not depend on rigid motion (the frame of a node moves with the element), nor on the path. If motions are
// interpolated, (y_i, psi_i) is an element of SE(3) and its logarithm (d_i, psi_i) takes its place: d = sum
// N_i d_i with y_i = T(psi_i)'d_i. Then an element of two nodes has constant strains. Strains
// e = (gamma, kappa) are in strain.h; with the stiffness C of the section and the damping time eta,
//   U = 1/2 sum_g w_g j_g (e - e0)'C (e - e0),   stress s = C (e - e0 + eta edot)                         (2)
// at as many Gauss points as the element has spans: the highest number that does not lock.
#ifndef TMLI_ELEMENT_BEAM_ELEMENT_H
#define TMLI_ELEMENT_BEAM_ELEMENT_H

#include "element/joint/measure.h"

#include <stdbool.h>

enum { TMLI_BEAM_NODES = 4, TMLI_BEAM_POINTS = 3 };

typedef struct tmli_beam {
    int nodes, reference;
    double C[36];   // section stiffness: (axial, shear y, shear z, torsion, bending y, bending z), row-major
    bool diagonal;  // C is
    bool planar;    // all nodes move in the plane of x and y, rotating about z
    bool motion;    // interpolation on SE(3)
    double eta;     // damping time of Kelvin-Voigt damping [s]
    double N[TMLI_BEAM_POINTS][TMLI_BEAM_NODES], dN[TMLI_BEAM_POINTS][TMLI_BEAM_NODES];  // at Gauss points
    double j[TMLI_BEAM_POINTS];                                                          // ds/dxi [m]
    double weight[TMLI_BEAM_POINTS];                                                     // of the Gauss point
    double e0[TMLI_BEAM_POINTS][6];  // strains of the shape without stress
} tmli_beam;

/** An element that is free of stress with its nodes at `start`. motion: interpolates on SE(3). Returns the
 * least ds/dxi relative to the largest: <= 0 if the shape is folded. The section is set by the next function.
 */
double tmli_beam_init(tmli_beam *b, int nodes, bool motion, const tmli_pose *start);
void tmli_beam_set_section(tmli_beam *b, const double C[36], double eta);
/** F (6 nodes) += internal forces: -Q of force.h. u: velocities (6 nodes); NULL: at rest. If the element is
 * planar, forces and tangents across the plane are left out. */
void tmli_beam_force(const tmli_beam *b, const tmli_pose *node, const double *u, double *F);
/** H, D (6 nodes square) += derivatives of F by increments and by velocities. */
void tmli_beam_tangent(const tmli_beam *b, const tmli_pose *node, const double *u, double *H, double *D);
/** The nodes of an element over a step: poses at start, middle and end (docs/theory/decay.md). */
typedef struct tmli_beam_step {
    const tmli_pose *start, *middle, *end;
    const double *d;  // (6 nodes) increments from start to end
    const double *u;  // (6 nodes) d/h
    double h;         // [s]
    double decay;     // share of the change of a stress beyond its mean, >= 0
} tmli_beam_step;

/** F (6 nodes) += mean internal forces over a step. With e the strains and E their derivatives at the middle,
 *   F = E'C ((e0 + e1)/2 + decay (e1 - e0) + eta E u) + a force along d,
 * so that F.d = U1 - U0 + decay (e1 - e0)'C (e1 - e0) + h times the dissipated power at the middle. */
void tmli_beam_mean_force(const tmli_beam *b, const tmli_beam_step *s, double *F);
/** H_end, H, D (6 nodes square) += derivatives of this, without those of the force along d, by increments at
 * the end, by increments at the middle and by u. */
void tmli_beam_mean_tangent(const tmli_beam *b, const tmli_beam_step *s, double *H_end, double *H, double *D);
/** Strain energy [J] and, if u is given, the dissipated power [W] >= 0. */
double tmli_beam_energy(const tmli_beam *b, const tmli_pose *node, const double *u, double *dissipated);
/** strain (6), stress (6) at xi in -1..1: the polynomial through the Gauss points, where both are most exact.
 */
void tmli_beam_resultants(const tmli_beam *b, const tmli_pose *node, const double *u, double xi,
                          double strain[6], double stress[6]);

#endif

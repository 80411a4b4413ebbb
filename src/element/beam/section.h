// Parts of the beam element that its forces (element.c) and its tangents (tangent.c) share.
//
// Local coordinates are x = (y_i, psi_i) of the nodes other than the reference node k. Their variations, with
// S = inverse(T(psi_i)) and S exp(psi_i)' = S', are
//   dy_i = R_k'(dr_i - dr_k) + y_i~ dth_k,     dpsi_i = S_i dth_i - S_i' dth_k                            (1)
// Forces f_i = dU/dy_i and g_i = dU/dpsi_i become
//   on r_i: R_k f_i;  on th_i: S_i'g_i;  on r_k: -sum R_k f_i;  on th_k: sum f_i x y_i - S_i g_i          (2)
#ifndef TMLI_ELEMENT_BEAM_SECTION_H
#define TMLI_ELEMENT_BEAM_SECTION_H

#include "element/beam/element.h"
#include "element/beam/strain.h"

/** An element in local coordinates. */
typedef struct tmli_beam_shape {
    vec3 y[TMLI_BEAM_NODES], psi[TMLI_BEAM_NODES];        // (1) of element.h; 0 at the reference node
    vec3 ydot[TMLI_BEAM_NODES], psidot[TMLI_BEAM_NODES];  // if `moving`
    mat3 S[TMLI_BEAM_NODES];                              // of (1)
    bool moving;                                          // strain rates matter
} tmli_beam_shape;

/** A section at a Gauss point. */
typedef struct tmli_beam_section {
    tmli_kernel kernel;
    vec3 dpsi, dy;                         // psi', y' by xi
    vec3 psidot, dpsidot, dydot;           // their rates, if the shape is moving
    mat3 G[2];                             // of (3) of strain.h
    double strain[6], rate[6], stress[6];  // e - e0, edot, s
} tmli_beam_section;

void tmli_beam_shape_of(const tmli_beam *b, const tmli_pose *node, const double *u, tmli_beam_shape *s);
void tmli_beam_section_at(const tmli_beam *b, int g, const tmli_beam_shape *s, tmli_beam_section *c);
/** f (6 per node: dU/dy, dU/dpsi) += the forces of the section at Gauss point g. */
void tmli_beam_add_section_force(const tmli_beam *b, int g, const tmli_beam_section *c, double *f);

/** The same element in the plane: planar.c. */
void tmli_beam_planar_force(const tmli_beam *b, const tmli_pose *node, const double *u, double *F);
double tmli_beam_planar_energy(const tmli_beam *b, const tmli_pose *node, const double *u,
                               double *dissipated);
void tmli_beam_planar_tangent(const tmli_beam *b, const tmli_pose *node, const double *u, double *H,
                              double *D);

#endif

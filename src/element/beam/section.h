// Parts of the beam element that its forces (element.c) and its tangents (tangent.c, dense.c) share.
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
    vec3 d[TMLI_BEAM_NODES], ddot[TMLI_BEAM_NODES];       // S'y and its rate, if motions are interpolated
    mat3 B[TMLI_BEAM_NODES];                              // derivative of d by psi
    bool moving;                                          // strain rates matter
} tmli_beam_shape;

/** A section at a Gauss point. x: y, or d if motions are interpolated. */
typedef struct tmli_beam_section {
    tmli_kernel kernel;
    vec3 d;                                // if motions are interpolated
    vec3 dpsi, dx;                         // psi', x' by xi
    vec3 psidot, dpsidot, ddot, dxdot;     // their rates, if the shape is moving
    mat3 G[2];                             // of (3) of strain.h
    double strain[6], rate[6], stress[6];  // e - e0, edot, s
} tmli_beam_section;

void tmli_beam_shape_of(const tmli_beam *b, const tmli_pose *node, const double *u, tmli_beam_shape *s);
void tmli_beam_section_at(const tmli_beam *b, int g, const tmli_beam_shape *s, tmli_beam_section *c);
/** f (6 per node: dU/dy, dU/dpsi) += the forces of the section at Gauss point g. */
void tmli_beam_add_section_force(const tmli_beam *b, int g, const tmli_beam_section *c, double *f);

/** The strains of a section if motions are interpolated: motion.c. */
void tmli_beam_motion_strain(tmli_beam_section *c);
void tmli_beam_motion_rate(tmli_beam_section *c);

/** Derivatives with all entries: dense.c. A point has the coordinates (psi, psi', x, x'), a node (x, psi). */
enum { TMLI_BEAM_POINT = 12, TMLI_BEAM_ALL = 6 * TMLI_BEAM_NODES };
/** E (6 x 12): j times the derivatives of the strains by the coordinates of the point. */
void tmli_beam_point_rows(const tmli_beam *b, const tmli_beam_section *c, double *E);
/** K (12 x 12): derivatives of j E'stress at constant stress. */
void tmli_beam_point_curvature(const tmli_beam *b, const tmli_beam_section *c, double *K);
/** A (12 x 12) += f E'C W with W (6 x 12). */
void tmli_beam_point_product(const double *C, const double *E, const double *W, double f, double *A);
/** f (6 per node) += E'stress of Gauss point g. */
void tmli_beam_spread_force(const tmli_beam *b, int g, const double *E, const double *stress, double *f);
/** A (6 nodes square, rows TMLI_BEAM_ALL long) += the tangent P (12 x 12) of Gauss point g. */
void tmli_beam_spread_tangent(const tmli_beam *b, int g, const double *P, double *A);
/** F += the forces (2) of f. */
void tmli_beam_to_nodes(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s, const double *f,
                        double *F);
/** out += A J: columns by the coordinates of nodes become columns by increments. */
void tmli_beam_columns_to_nodes(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s,
                                const double *A, double *out);
/** out += J'A: rows of forces on the coordinates of nodes become rows of forces on nodes. */
void tmli_beam_rows_to_nodes(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s,
                             const double *A, double *out);
/** H (rows `width` long) += the derivative of the forces (2) by increments at constant f. */
void tmli_beam_add_geometric(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s,
                             const double *f, int width, double *H);
/** Forces and tangents by these. */
void tmli_beam_dense_force(const tmli_beam *b, const tmli_pose *node, const double *u, double *F);
void tmli_beam_dense_tangent(const tmli_beam *b, const tmli_pose *node, const double *u, double *H,
                             double *D);

/** The same element in the plane: planar.c. */
void tmli_beam_planar_force(const tmli_beam *b, const tmli_pose *node, const double *u, double *F);
double tmli_beam_planar_energy(const tmli_beam *b, const tmli_pose *node, const double *u,
                               double *dissipated);
void tmli_beam_planar_tangent(const tmli_beam *b, const tmli_pose *node, const double *u, double *H,
                              double *D);

#endif

// Bushing: a six-dimensional spring and damper between frame a on body A and frame b on body B.
//
// With P = r + R s the origin and E = R C the axes of a frame, the deflection in the axes of frame a is
//   y = E_A' (P_B - P_A)  [m],   theta = log(E_A' E_B)  [rad, rotation vector],   z = (y, theta)
// and the wrench conjugate to it
//   w = preload + K z + D zdot          [N, N m]
// does the virtual work -w . dz. The generalized forces on the increments d = (dr_A, dth_A, dr_B, dth_B) of
// element/joint/measure.h are therefore Q = -(dz/dd)' w: a positive w_x pulls b along -x of frame a.
// log is the shortest rotation. At half a turn it jumps from theta to theta (1 - 2 pi/|theta|), and the
// torque with it, which is a discontinuity of the element. From HELD_ROTATION on its branch is held: k = +-1,
// +-2, +-3 says that component |k| of theta has this sign, also beyond half a turn, where theta continues
// smoothly.
#ifndef TMLI_ELEMENT_FORCE_BUSHING_H
#define TMLI_ELEMENT_FORCE_BUSHING_H

#include "element/joint/measure.h"

typedef struct tmli_bushing {
    vec3 s_A, s_B;  // origins of the frames, body frames [m]
    mat3 C_A, C_B;  // axes of the frames to body axes
    double K[36];   // row-major, order (x y z rx ry rz), axes of frame a [N/m, N/rad, N, N m/rad]; any matrix
    double D[36];   // the same with [s]
    double preload[6];  // [N, N m] at z = 0, zdot = 0
} tmli_bushing;

/** The branch at A, B: k of the rotation there, 0 if it is small. held: the branch before, which continues up
 * to half a turn; 0: none. */
double tmli_bushing_branch(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double held);
/** Positive on a branch, zero at its end. */
double tmli_bushing_event(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double branch);
/** branch: 0, or the held one. Deflection z and its rate at the velocities u (12); zdot may be NULL. */
void tmli_bushing_deflection(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double branch,
                             const double u[12], double z[6], double zdot[6]);
/** Q (12) = generalized forces on both bodies. */
void tmli_bushing_eval(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double branch,
                       const double u[12], double Q[12]);
/** H (12 x 12, row-major) += wH (-dQ/dd) at constant u; Du (12 x 12) += wD (-dQ/du). H or Du may be NULL. */
void tmli_bushing_tangent(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double branch,
                          const double u[12], double wH, double *H, double wD, double *Du);
/** Potential energy preload . z + z'K z/2 [J]; only the symmetric part of K has a potential. */
double tmli_bushing_energy(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double branch);
/** Dissipated power zdot' D zdot [W]. */
double tmli_bushing_dissipation(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double branch,
                                const double u[12]);

#endif

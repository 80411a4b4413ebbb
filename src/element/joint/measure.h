// Measures: scalar functions of the poses of two bodies. Joint rows, joint coordinates, spring lengths,
// driven coordinates and outputs are measures or sums of them, so that exact derivatives are needed for
// measures only.
//
// A pose is (r, R): r [m] inertial, R maps body to inertial components. Its tangent increment is (dr, dth):
//   r + dr,  R exp(dth~)          dr inertial [m], dth body frame [rad]
// and its velocity (rdot, w) uses the same frames. For a measure phi(A, B) with stacked increments
//   d = (dr_A, dth_A, dr_B, dth_B)  (12)   and velocities u (12):
//   g   = dphi/dd                          gradient; phidot = g.u
//   N   = dg/dd                            (12 x 12), N[i][j] = derivative of g_i; not symmetric on rotations
//   phiddot = g.udot + u'N u
// and for the state-space family  (g.u)_d = u'N  and  (u'N u)_d.
#ifndef TMLI_ELEMENT_JOINT_MEASURE_H
#define TMLI_ELEMENT_JOINT_MEASURE_H

#include "math/math3.h"

#include <stdbool.h>

typedef struct tmli_pose {
    vec3 r;  // [m] inertial
    mat3 R;  // body to inertial
} tmli_pose;

typedef enum tmli_measure_kind {
    // e . d with d = (r_B + R_B s_B) - (r_A + R_A s_A) and the constant inertial direction e = a
    TMLI_COORD,
    TMLI_DOT1,  // (R_A a) . (R_B b)
    TMLI_DOT2,  // (R_A a) . d
    // d.d / (2 l0) with l0 > 0 [m]: the row of a massless rod; its gradient has unit size at |d| = l0
    TMLI_DIST2,
    // |d|; all derivatives are set to 0 at d = 0, where they do not exist
    TMLI_LENGTH,
    TMLI_ANGLE,  // atan2( (R_A a).(R_B b), (R_A a2).(R_B b2) ) in (-pi, pi]
    // asin( (R_A a).(R_B b) ) with unit vectors, in [-pi/2, pi/2]; all derivatives are set to 0 at its ends,
    // where they do not exist
    TMLI_ARCSINE,
    // sqrt(1 - c^2), c = (R_A a).(R_B b): sine of the angle between two unit vectors; c^2 < 1
    TMLI_SINE,
    // the velocity of slip at a contact (slip.c): linear in the velocities, the rate of no function of the
    // poses. Its value is 0; g and the rest are those of phidot = g.u
    TMLI_SLIP
} tmli_measure_kind;

/** True if the measure is an angle [rad]. */
static inline bool tmli_measure_is_angle(tmli_measure_kind kind)
{
    return kind == TMLI_ANGLE || kind == TMLI_ARCSINE;
}

typedef struct tmli_measure {
    tmli_measure_kind kind;
    vec3 s_A, s_B;  // points, body frames [m]
    vec3 a, b;      // vectors in A's and B's frame (COORD: a is inertial; SLIP: direction R_A a + R_B b)
    vec3 a2, b2;    // ANGLE: vectors of the cosine; SLIP: normal of the plane in A, axis of the disc in B
    double l0;      // DIST2; SLIP: radius of the disc [m]
    double l1;      // SLIP: radius of its rounded tread [m]
} tmli_measure;

double tmli_measure_value(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B);
/** A finite increment of a pose, r + dr and R exp(th~), with factors for the change of vectors. */
typedef struct tmli_pose_increment {
    vec3 dr, th;  // [m] inertial, [rad] body frame
    double s, c;  // (sin a)/a, (1 - cos a)/a^2 with a = |th|
} tmli_pose_increment;
/** d = (dr, th). */
tmli_pose_increment tmli_pose_increment_of(const double d[6]);
/** Change of the value if the poses A and B change by tA and tB, without cancellation: the error is relative
 * to the change. */
double tmli_measure_increment(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B,
                              const tmli_pose_increment *tA, const tmli_pose_increment *tB);
/** Returns the value; g (12) = gradient. */
double tmli_measure_grad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, double g[12]);
/** Value; *rate: g.u for the velocities u of both nodes, without the gradient. */
double tmli_measure_rate(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12],
                         double *rate);
/** H (12 x 12, row-major, row i column j at H[12*i+j]) += w N. */
void tmli_measure_add_hessian(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, double w,
                              double *H);
/** out (12) = u'N: derivative of g.u with respect to the increments at constant u. */
void tmli_measure_row(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12],
                      double out[12]);
/** u'N u: phiddot without g.udot. */
double tmli_measure_quad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12]);
/** out (12) = (u'N u)_d: derivative with respect to the increments at constant u. */
void tmli_measure_quad_grad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12],
                            double out[12]);

#endif

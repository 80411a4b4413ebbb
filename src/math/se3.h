// Rigid motions, the group SE(3): dual quaternions, incremental motions, and the tangent operator of these.
//
// A motion (t, R) takes the point x to R x + t. As a unit dual quaternion (eps^2 = 0) it is
//   P = p + eps t p/2,      p: unit quaternion of R, t as a quaternion without scalar part,               (1)
// motions following one another are products, P1 P2 = (t1 + R1 t2, R1 R2), and the velocity in the moving
// frame is
//   2 conj(P) P' = w + eps v,    w: angular velocity,  v = R' t'   both in body components.               (2)
// An incremental motion d = (rho, theta) [m, rad], body frame of its start, is the dual vector U = theta +
// eps rho. Two maps make a motion of it:
//   exponential   P = exp(U/2): the motion with constant velocity U over a unit of time, a screw          (3)
//   Cayley        P = (2 + U)/|2 + U|,   |2 + U| = sqrt(4 + U.U) a dual number                            (4)
// (4) is that of the Euler motion parameters (Dymore manual, generalized-alpha scheme, eq. 29). It needs no
// trigonometric functions, but a turn by the angle a has |theta| = 2 tan(a/2): half turns are out of reach,
// and a steady spin is not an increment in proportion to time.
#ifndef TMLI_MATH_SE3_H
#define TMLI_MATH_SE3_H

#include "math/math3.h"
#include <stdbool.h>

/** A dual vector: incremental motion (rho, theta) or velocity (v, w); stored translation first, as in states.
 */
typedef struct motion6 {
    vec3 rho, theta;
} motion6;

static inline motion6 motion6_from(const double *x) { return (motion6){v3_from(x), v3_from(x + 3)}; }
static inline void motion6_store(motion6 m, double *x)
{
    v3_store(m.rho, x);
    v3_store(m.theta, x + 3);
}

/** A map from increments to motions with its operators. */
typedef struct tmli_se3_map {
    bool unbounded;  // increments grow without bound as the rotation approaches half a turn
    /** Translation and unit quaternion of the motion of an increment; the error is relative to d. */
    vec3 (*translation)(motion6 d);
    quat (*rotation)(vec3 theta);
    /** Rotation vector (of the exponential map of SO(3)) of the same rotation. */
    vec3 (*rotation_vector)(vec3 theta);
    /** The increment of a motion (t, p) with its rotation nearest to `near`; Cayley: below half a turn. */
    motion6 (*increment)(vec3 t, quat p, vec3 near);
    /** Tangent operator: (v, w) of (2) = T(d) d'. In blocks (translation, rotation): T = [A C; 0 A]. */
    void (*tangent)(motion6 d, mat3 *A, mat3 *C);
    /** inverse(T(d)) (v, w) */
    motion6 (*tangent_solve)(motion6 d, motion6 v);
    /** How T changes: for vectors of SO(3), (d/dt T(x)) v with x' = v is
     *   k0 (x.v) v + k1 (x.v) x x v + k2 v x (x x v) + k3 (x.v) x x (x x v)                            (5)
     * with functions k of s = |x|^2 and their derivatives dk; with dual vectors it holds on SE(3). */
    void (*tangent_change)(double s, double k[4], double dk[4]);
} tmli_se3_map;

extern const tmli_se3_map tmli_se3_exponential, tmli_se3_cayley;

/** T(d) rate */
motion6 tmli_se3_tangent_mul(const tmli_se3_map *map, motion6 d, motion6 rate);
/** (d/dt T(d)) v with d moving at the rate v. */
motion6 tmli_se3_tangent_rate(const tmli_se3_map *map, motion6 d, motion6 v);
/** Derivatives of T at the origin: T'[x] u (the same for both maps), and T''[x, u] u. */
motion6 tmli_se3_tangent_first(const tmli_se3_map *map, motion6 x, motion6 u);
motion6 tmli_se3_tangent_second(const tmli_se3_map *map, motion6 x, motion6 u);
/** d1 followed by d2, as one increment, accurate to the size of the larger one. */
motion6 tmli_se3_compose(const tmli_se3_map *map, motion6 d1, motion6 d2);

#endif

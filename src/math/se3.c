// Incremental motions of SE(3) by Cayley's map on dual quaternions; equations (1)-(3) in the header.
//
// Every formula of Cayley's map on SO(3) holds on SE(3) when vectors become dual vectors, theta -> U = theta + eps rho, and
// its parts without and with eps are read off apart (the principle of transference). With n = 1 + |theta|^2/4:
//   motion       p = (1 + theta/2)/sqrt(n),   t = (rho + theta x rho/2)/n                                       (4)
//   inverse      theta = 2 vec(p)/p0,         rho = t - theta x t/2 + theta (theta.t)/4                         (5)
//   composition  U = (U1 + U2 + U1 x U2/2)/(1 - U1.U2/4)                                                        (6)
//   tangent      w + eps v = (U' - U x U'/2)/(1 + U.U/4)                                                        (7)
//                w = A theta',   v = A rho' + C theta',   A = (1 - theta~/2)/n,
//                C = -rho~/(2n) - (theta.rho)/(2n) A
//   its inverse  U' = W + U x W/2 + U (U.W)/4,   W = w + eps v                                                  (8)
// t in (4): the dual part of (3) is rho/m - (theta.rho)(2 + theta)/m^3 with m^2 = 4 n; times 2 conj(p) that is
// 2/m^2 (2 rho - rho theta - theta.rho) = (4 rho + 2 theta x rho)/m^2. (5) uses inverse(1 + theta~/2) =
// (1 - theta~/2 + theta theta'/4)/n. No formula subtracts nearly equal numbers while 1 - U1.U2/4 stays away from 0.
//
// A turn about a point s of the body has rho = s x theta, and t = s - R s exactly, whatever theta: the increments of a
// body that pivots about a fixed point are a linear space, which (3) maps onto just these motions.               (9)
#include "math/se3.h"

static quat q_axpy(double s, quat a, quat b)
{
    return (quat){s * a.e0 + b.e0, s * a.e1 + b.e1, s * a.e2 + b.e2, s * a.e3 + b.e3};
}

static quat q_vector(vec3 a) { return (quat){0, a.x, a.y, a.z}; }

dualquat tmli_dualquat(vec3 t, quat p) { return (dualquat){p, q_mul(q_vector(v3_scale(0.5, t)), p)}; }

dualquat tmli_dualquat_mul(dualquat a, dualquat b)
{
    return (dualquat){q_mul(a.p, b.p), q_axpy(1, q_mul(a.p, b.d), q_mul(a.d, b.p))};
}

dualquat tmli_dualquat_conj(dualquat a) { return (dualquat){q_conj(a.p), q_conj(a.d)}; }

vec3 tmli_dualquat_translation(dualquat a)
{
    const quat t = q_mul(a.d, q_conj(a.p));
    return v3(2 * t.e1, 2 * t.e2, 2 * t.e3);
}

dualquat tmli_se3_motion(motion6 d)  // (3)
{
    const quat sum = {2, d.theta.x, d.theta.y, d.theta.z};
    const double norm = sqrt(4 + v3_dot(d.theta, d.theta));  // |2 + U| = norm + eps slope
    const double slope = v3_dot(d.theta, d.rho) / norm;      // 1/|2 + U| = 1/norm - eps slope/norm^2
    const quat zero = {0}, p = q_axpy(1 / norm, sum, zero);
    return (dualquat){p, q_axpy(-slope / norm, p, q_axpy(1 / norm, q_vector(d.rho), zero))};
}

vec3 tmli_se3_translation(motion6 d)  // (4)
{
    const double n = 1 + v3_dot(d.theta, d.theta) / 4;
    return v3_scale(1 / n, v3_axpy(0.5, v3_cross(d.theta, d.rho), d.rho));
}

quat tmli_se3_rotation(vec3 theta)  // (4)
{
    const double f = 1 / sqrt(1 + v3_dot(theta, theta) / 4);
    return (quat){f, f / 2 * theta.x, f / 2 * theta.y, f / 2 * theta.z};
}

vec3 tmli_se3_rotation_vector(vec3 theta) { return tmli_so3_log(tmli_se3_rotation(theta)); }

motion6 tmli_se3_increment(vec3 t, quat p)  // (5)
{
    const vec3 theta = v3(2 * p.e1 / p.e0, 2 * p.e2 / p.e0, 2 * p.e3 / p.e0);
    const vec3 rho = v3_axpy(-0.5, v3_cross(theta, t), v3_axpy(v3_dot(theta, t) / 4, theta, t));
    return (motion6){rho, theta};
}

motion6 tmli_se3_compose(motion6 a, motion6 b)  // (6)
{
    const vec3 turn = v3_axpy(0.5, v3_cross(a.theta, b.theta), v3_add(a.theta, b.theta));
    const vec3 cross = v3_add(v3_cross(a.theta, b.rho), v3_cross(a.rho, b.theta));
    const vec3 shift = v3_axpy(0.5, cross, v3_add(a.rho, b.rho));
    const double c = 1 / (1 - v3_dot(a.theta, b.theta) / 4);
    const double c_dual = (v3_dot(a.theta, b.rho) + v3_dot(a.rho, b.theta)) / 4 * c * c;
    return (motion6){v3_axpy(c, shift, v3_scale(c_dual, turn)), v3_scale(c, turn)};
}

void tmli_se3_tangent(motion6 d, mat3 *A, mat3 *C)  // (7)
{
    const double n = 1 / (1 + v3_dot(d.theta, d.theta) / 4), f = -n / 2, g = f * v3_dot(d.theta, d.rho);
    const vec3 s = v3_scale(f, d.theta);
    *A = (mat3){{n, -s.z, s.y, s.z, n, -s.x, -s.y, s.x, n}};
    const mat3 r = m3_skew(v3_scale(f, d.rho)), turn = m3_scale(g, A);
    *C = m3_add(&r, &turn);
}

motion6 tmli_se3_tangent_mul(motion6 d, motion6 rate)
{
    mat3 A, C;
    tmli_se3_tangent(d, &A, &C);
    return (motion6){v3_add(m3_mulv(&A, rate.rho), m3_mulv(&C, rate.theta)), m3_mulv(&A, rate.theta)};
}

motion6 tmli_se3_tangent_solve(motion6 d, motion6 v)  // (8)
{
    const double dot = v3_dot(d.theta, v.theta) / 4;
    const double dual = (v3_dot(d.theta, v.rho) + v3_dot(d.rho, v.theta)) / 4;
    const vec3 cross = v3_add(v3_cross(d.theta, v.rho), v3_cross(d.rho, v.theta));
    motion6 out;
    out.theta = v3_axpy(dot, d.theta, v3_axpy(0.5, v3_cross(d.theta, v.theta), v.theta));
    out.rho = v3_axpy(dot, d.rho, v3_axpy(dual, d.theta, v3_axpy(0.5, cross, v.rho)));
    return out;
}

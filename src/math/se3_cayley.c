// The Cayley map of SE(3), (4) of the header.
//
// Every formula of a map of SO(3) is valid on SE(3) with dual vectors, theta -> U = theta + eps rho; its
// parts without and with eps are two equations (principle of transference). With n = 1 + |theta|^2/4:
//   motion       p = (1 + theta/2)/sqrt(n),   t = (rho + theta x rho/2)/n                                 (5)
//   inverse      theta = 2 vec(p)/p0,         rho = t - theta x t/2 + theta (theta.t)/4                   (6)
//   tangent      w + eps v = (U' - U x U'/2)/(1 + U.U/4)                                                  (7)
//                w = A theta',   v = A rho' + C theta',   A = (1 - theta~/2)/n,
//                C = -rho~/(2n) - (theta.rho)/(2n) A
//   its inverse  U' = W + U x W/2 + U (U.W)/4,   W = w + eps v                                            (8)
// t in (5): the dual part of (4) is rho/m - (theta.rho)(2 + theta)/m^3 with m^2 = 4 n; times 2 conj(p) that
// is 2/m^2 (2 rho - rho theta - theta.rho) = (4 rho + 2 theta x rho)/m^2. (6) uses inverse(1 + theta~/2) = (1
// - theta~/2 + theta theta'/4)/n.
//
// A rotation about a point s of the body has rho = s x theta, and t = s - R s exactly for any theta: the
// increments of a body that rotates about a fixed point are a linear space, which (4) maps onto exactly these
// motions. (9)
#include "math/se3.h"

static vec3 translation(motion6 d)  // (5)
{
    const double n = 1 + v3_dot(d.theta, d.theta) / 4;
    return v3_scale(1 / n, v3_axpy(0.5, v3_cross(d.theta, d.rho), d.rho));
}

static quat rotation(vec3 theta)  // (5)
{
    const double f = 1 / sqrt(1 + v3_dot(theta, theta) / 4);
    return (quat){f, f / 2 * theta.x, f / 2 * theta.y, f / 2 * theta.z};
}

static vec3 rotation_vector(vec3 theta) { return tmli_so3_log(rotation(theta)); }

static motion6 increment(vec3 t, quat p, vec3 near)  // (6)
{
    (void)near;
    const vec3 theta = v3(2 * p.e1 / p.e0, 2 * p.e2 / p.e0, 2 * p.e3 / p.e0);
    const vec3 rho = v3_axpy(-0.5, v3_cross(theta, t), v3_axpy(v3_dot(theta, t) / 4, theta, t));
    return (motion6){rho, theta};
}

static void tangent(motion6 d, mat3 *A, mat3 *C)  // (7)
{
    const double n = 1 / (1 + v3_dot(d.theta, d.theta) / 4), f = -n / 2, g = f * v3_dot(d.theta, d.rho);
    const vec3 s = v3_scale(f, d.theta);
    *A = (mat3){{n, -s.z, s.y, s.z, n, -s.x, -s.y, s.x, n}};
    const mat3 r = m3_skew(v3_scale(f, d.rho)), turn = m3_scale(g, A);
    *C = m3_add(&r, &turn);
}

static motion6 tangent_solve(motion6 d, motion6 v)  // (8)
{
    const double dot = v3_dot(d.theta, v.theta) / 4;
    const double dual = (v3_dot(d.theta, v.rho) + v3_dot(d.rho, v.theta)) / 4;
    const vec3 cross = v3_add(v3_cross(d.theta, v.rho), v3_cross(d.rho, v.theta));
    motion6 out;
    out.theta = v3_axpy(dot, d.theta, v3_axpy(0.5, v3_cross(d.theta, v.theta), v.theta));
    out.rho = v3_axpy(dot, d.rho, v3_axpy(dual, d.theta, v3_axpy(0.5, cross, v.rho)));
    return out;
}

// T = k (1 - theta~/2) with k = 1/n, dk/ds = -k^2/4
static void tangent_change(double s, double k[4], double dk[4])
{
    const double f = 1 / (1 + s / 4);
    k[0] = -f * f / 2;
    k[1] = f * f / 4;
    dk[0] = f * f * f / 4;
    dk[1] = -f * f * f / 8;
    k[2] = k[3] = dk[2] = dk[3] = 0;
}

const tmli_se3_map tmli_se3_cayley = {true,      translation, rotation,      rotation_vector,
                                      increment, tangent,     tangent_solve, tangent_change};

// Strains of a beam at one point, with exact derivatives.
//
// Motion is seen from the frame of one node of the element: y(xi) [m] is the position of the axis, psi(xi)
// the rotation vector of the section. With y', psi', their derivatives by the coordinate xi, and ds/dxi = j,
//   gamma = exp(psi)' y'/j        axial strain (+ 1) and shear strains, section axes                     (1)
//   kappa = T(psi) psi'/j         twist and curvatures [rad/m], section axes                             (2)
// Both are a kernel applied to a vector, with Stumpff functions c_k of |psi|^2 (math/stumpff.h):
//   G_k(psi) v = v - c_k psi x v + c_(k+1) psi x (psi x v);    exp(psi)' = G_1,  T(psi) = G_2            (3)
#ifndef TMLI_ELEMENT_BEAM_STRAIN_H
#define TMLI_ELEMENT_BEAM_STRAIN_H

#include "math/math3.h"
#include "math/stumpff.h"

/** psi with the factors of (3) and their derivatives by s = |psi|^2; index 0: G_1, index 1: G_2. The kernel
 * of the inverse tangent has index 0 alone, and no c. */
typedef struct tmli_kernel {
    vec3 psi;
    double s;
    double a[2], da[2], dda[2];  // c_k
    double b[2], db[2], ddb[2];  // c_(k+1)
    double c[TMLI_STUMPFF];
} tmli_kernel;

static inline tmli_kernel tmli_kernel_at(vec3 psi)
{
    tmli_kernel g = {.psi = psi, .s = v3_dot(psi, psi)};
    tmli_stumpff(g.s, g.c);
    for (int k = 0; k < 2; k++) {
        g.a[k] = g.c[k + 1];
        g.da[k] = tmli_stumpff_first(g.c, k + 1);
        g.dda[k] = tmli_stumpff_second(g.c, k + 1);
        g.b[k] = g.c[k + 2];
        g.db[k] = tmli_stumpff_first(g.c, k + 2);
        g.ddb[k] = tmli_stumpff_second(g.c, k + 2);
    }
    return g;
}
/** The kernel, at index 0, of the transposed inverse of the tangent: inverse(T(psi))'. */
tmli_kernel tmli_kernel_inverse_at(vec3 psi);
/** G_k */
static inline mat3 tmli_kernel_matrix(const tmli_kernel *g, int k)
{
    const vec3 p = g->psi;
    const double b = g->b[k], f = 1 - b * g->s;
    const vec3 a = v3_scale(g->a[k], p);
    const double xy = b * p.x * p.y, xz = b * p.x * p.z, yz = b * p.y * p.z;
    return (mat3){{f + b * p.x * p.x, xy + a.z, xz - a.y, xy - a.z, f + b * p.y * p.y, yz + a.x, xz + a.y,
                   yz - a.x, f + b * p.z * p.z}};
}
/** Gradient of n.(G_k v) by psi:
 *   n.(G v) = (1 - b s) n.v - a psi.(v x n) + b (n.psi)(psi.v),  a = c_k,  b = c_(k+1) */
static inline vec3 tmli_kernel_gradient(const tmli_kernel *g, int k, vec3 v, vec3 n)
{
    const vec3 psi = g->psi, w = v3_cross(v, n);
    const double a = v3_dot(n, psi), b = v3_dot(psi, v);
    const double by_s =
        -(g->b[k] + g->db[k] * g->s) * v3_dot(n, v) - g->da[k] * v3_dot(psi, w) + g->db[k] * a * b;
    const vec3 rest = v3_axpy(g->b[k], v3_axpy(b, n, v3_scale(a, v)), v3_scale(-g->a[k], w));
    return v3_axpy(2 * by_s, psi, rest);
}
/** Derivative of G_k v by psi. */
mat3 tmli_kernel_by_psi(const tmli_kernel *g, int k, vec3 v);
/** Derivative of G_k' n by psi. */
mat3 tmli_kernel_transposed_by_psi(const tmli_kernel *g, int k, vec3 n);
/** Second derivative of n.(G_k v) by psi, symmetric. */
mat3 tmli_kernel_hessian(const tmli_kernel *g, int k, vec3 v, vec3 n);
/** Derivative of G_k by psi along `rate`: d/dt G_k with psi' = rate. */
mat3 tmli_kernel_rate(const tmli_kernel *g, int k, vec3 rate);
/** Derivative by psi of (d/dt G_k) v, with rate and v constant. */
mat3 tmli_kernel_rate_by_psi(const tmli_kernel *g, int k, vec3 v, vec3 rate);
/** Derivative by psi of (d/dt G_k)' n. */
mat3 tmli_kernel_transposed_rate_by_psi(const tmli_kernel *g, int k, vec3 n, vec3 rate);
/** Derivative of the second derivative of n.(G_2 v) along `rate`. */
mat3 tmli_kernel_hessian_rate(const tmli_kernel *g, vec3 v, vec3 n, vec3 rate);

#endif

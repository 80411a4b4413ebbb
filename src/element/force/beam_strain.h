// Strains of a beam at one point, with exact derivatives.
//
// Motion is seen from the frame of one node of the element: y(xi) [m] is the position of the axis, psi(xi)
// the rotation vector of the section. With y', psi', their derivatives by the coordinate xi, and ds/dxi = j,
//   gamma = exp(psi)' y'/j        axial strain (+ 1) and shear strains, section axes                     (1)
//   kappa = T(psi) psi'/j         twist and curvatures [rad/m], section axes                             (2)
// Both are a kernel applied to a vector, with Stumpff functions c_k of |psi|^2 (math/stumpff.h):
//   G_k(psi) v = v - c_k psi x v + c_(k+1) psi x (psi x v);    exp(psi)' = G_1,  T(psi) = G_2            (3)
#ifndef TMLI_ELEMENT_FORCE_BEAM_STRAIN_H
#define TMLI_ELEMENT_FORCE_BEAM_STRAIN_H

#include "math/math3.h"

/** psi with the factors of (3) and their derivatives by s = |psi|^2; index 0: G_1, index 1: G_2. */
typedef struct tmli_kernel {
    vec3 psi;
    double s;
    double a[2], da[2], dda[2];  // c_k
    double b[2], db[2], ddb[2];  // c_(k+1)
} tmli_kernel;

tmli_kernel tmli_kernel_at(vec3 psi);
/** G_k */
mat3 tmli_kernel_matrix(const tmli_kernel *g, int k);
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

#endif

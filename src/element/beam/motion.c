// Strains of a beam whose motions are interpolated: on SE(3) instead of R^3 x SO(3).
//
// With dual numbers (e^2 = 0) the motion from the reference node is the dual rotation vector psi + e d, and
// strains follow from it as curvatures do from psi (principle of transference):
//   kappa + e gamma = G_2(psi + e d)(psi' + e d')/j                                                       (1)
// The dual part is a derivative along d, for which strain.h has the kernels:
//   gamma j = (d/dt G_2) psi' + G_2 d'    with psi moving at the rate d                                   (2)
#include "element/beam/section.h"

void tmli_beam_motion_strain(tmli_beam_section *c)
{
    const mat3 along = tmli_kernel_rate(&c->kernel, 1, c->d);
    v3_store(v3_add(m3_mulv(&along, c->dpsi), m3_mulv(&c->G[1], c->dx)), c->strain);
}

void tmli_beam_motion_rate(tmli_beam_section *c)
{
    const tmli_kernel *g = &c->kernel;
    const mat3 turn = tmli_kernel_rate_by_psi(g, 1, c->dpsi, c->d), along = tmli_kernel_rate(g, 1, c->d),
               by_psi = tmli_kernel_by_psi(g, 1, c->dpsi), other = tmli_kernel_by_psi(g, 1, c->dx);
    const vec3 a = v3_add(m3_mulv(&turn, c->psidot), m3_mulv(&other, c->psidot)),
               b = v3_add(m3_mulv(&along, c->dpsidot), m3_mulv(&by_psi, c->ddot));
    v3_store(v3_add(v3_add(a, b), m3_mulv(&c->G[1], c->dxdot)), c->rate);
}

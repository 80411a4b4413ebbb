// A cylinder above a plane: the lowest points of its two ends.
//
// With the normal n, the axis f and q = -(n - (n.f) f), |q| the sine of the angle between n and f, the lowest
// point of a circle with radius r is r q/|q| from its centre. It jumps where the cylinder stands upright,
// q = 0. The ends are therefore domed a little: with the roundness o the lowest point is at
//   b - centre = k q/sqrt(q.q + o^2),   k = r/(sqrt(1 + o^2) - o),
// and its height is k (o - sqrt(q.q + o^2)): the support of a dome of curvature radius k/o, which is exactly
// r for a lying cylinder. As the derivative of its height by a rotation is the moment arm of b, the normal
// force has a potential.
#include "element/shape/point.h"

#include "element/shape/constants.h"

void tmli_cylinder_plane(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                         tmli_contact_point *out)
{
    (void)X;
    const vec3 n = m3_col(&x->A, 2), f = m3_col(&y->A, 2), q = v3_axpy(v3_dot(n, f), f, v3_scale(-1, n));
    const double o = DOME, size = sqrt(v3_dot(q, q) + o * o), k = Y->radius / (sqrt(1 + o * o) - o);
    for (int i = 0; i < 2; i++) {
        const vec3 centre = v3_axpy(i == 0 ? -Y->half[2] : Y->half[2], f, y->c);
        const double height = v3_dot(n, v3_sub(centre, x->c)), gap = height - k * (size - o);
        const vec3 b = v3_axpy(k / size, q, centre);
        // b is outside of the dome, by k (o - o^2/size)
        out[i] = (tmli_contact_point){.n = n,
                                      .b = b,
                                      .rounding = v3_dot(n, v3_sub(b, x->c)) - gap,
                                      .gap = gap,
                                      .feature = TMLI_FEATURE_RIM,
                                      .f = f,
                                      .centre = centre,
                                      .rim = k,
                                      .dome = o};
    }
}

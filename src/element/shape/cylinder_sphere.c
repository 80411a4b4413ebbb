// A sphere beside a cylinder: beside its side, its end, or the circle between them. A centre inside is pushed
// out through the nearer of side and end.
#include "element/shape/manifold.h"

tmli_contact_point tmli_cylinder_beside(const tmli_shape *X, const tmli_place *x, double m, vec3 b,
                                        double radius)
{
    const vec3 f = m3_col(&x->A, 2), d = v3_sub(b, x->c);
    const double half = X->half[2] - m, r = X->radius - m, z = v3_dot(f, d), end = copysign(half, z),
                 above = fabs(z) - half;
    const vec3 across = v3_axpy(-z, f, d);
    const double rho = v3_norm(across), beside = rho - r;
    const vec3 radial = rho > 0 ? v3_scale(1 / rho, across) : m3_col(&x->A, 0);
    tmli_contact_point k = {.b = b, .rounding = radius};
    if (above > 0 && beside > 0) {
        const vec3 w = v3_add(v3_scale(z - end, f), v3_scale(beside, radial));
        const double L = v3_norm(w);
        k.n = v3_scale(1 / L, w);
        k.gap = L;
        k.inverse = 1 / L;
        k.e = v3_cross(f, radial);
        k.share = r / rho;
    } else if (above > beside) {
        k.n = v3_scale(z < 0 ? -1 : 1, f);
        k.gap = above;
    } else {
        k.n = radial;
        k.gap = beside;
        k.inverse = rho > 0 ? 1 / rho : 0;
        k.e = f;
        k.share = 1;
    }
    k.gap -= m + radius;
    return k;
}

void tmli_cylinder_sphere(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                          tmli_contact_point *out)
{
    *out = tmli_cylinder_beside(X, x, 0, y->c, Y->radius);
}

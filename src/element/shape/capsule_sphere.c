// A sphere beside a capsule: nearest to a point of its axis, or to an end.
#include "element/shape/point.h"

void tmli_capsule_sphere(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                         tmli_contact_point *out)
{
    const vec3 axis = m3_col(&x->A, 2);
    const double along = v3_dot(axis, v3_sub(y->c, x->c)), end = X->half[2];
    const bool beside = fabs(along) < end;
    const vec3 d = v3_sub(y->c, v3_axpy(beside ? along : copysign(end, along), axis, x->c));
    const double L = v3_norm(d);
    *out = (tmli_contact_point){.n = L > 0 ? v3_scale(1 / L, d) : m3_col(&x->A, 0),
                                .b = y->c,
                                .rounding = Y->radius,
                                .gap = L - X->radius - Y->radius,
                                .inverse = L > 0 ? 1 / L : 0,
                                .share = beside ? 1 : 0,
                                .e = axis};
}

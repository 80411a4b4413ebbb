// A sphere above a plane.
#include "element/shape/point.h"

void tmli_sphere_plane(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                       tmli_contact_point *out)
{
    (void)X;
    const vec3 n = m3_col(&x->A, 2);
    *out = (tmli_contact_point){
        .n = n, .b = y->c, .rounding = Y->radius, .gap = v3_dot(n, v3_sub(y->c, x->c)) - Y->radius};
}

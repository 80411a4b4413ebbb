// A capsule above a plane: its two half spheres.
#include "element/shape/point.h"

void tmli_capsule_plane(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                        tmli_contact_point *out)
{
    (void)X;
    const vec3 n = m3_col(&x->A, 2), axis = m3_col(&y->A, 2);
    for (int i = 0; i < 2; i++) {
        const vec3 b = v3_axpy(i == 0 ? -Y->half[2] : Y->half[2], axis, y->c);
        out[i] = (tmli_contact_point){
            .n = n, .b = b, .rounding = Y->radius, .gap = v3_dot(n, v3_sub(b, x->c)) - Y->radius};
    }
}

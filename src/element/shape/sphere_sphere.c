// Two spheres: the normal is along the line of their centres.
#include "element/shape/point.h"

void tmli_sphere_sphere(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                        tmli_contact_point *out)
{
    const vec3 d = v3_sub(y->c, x->c);
    const double L = v3_norm(d);
    // centres that coincide have no normal; any will part them
    *out = (tmli_contact_point){.n = L > 0 ? v3_scale(1 / L, d) : v3(0, 0, 1),
                                .b = y->c,
                                .rounding = Y->radius,
                                .gap = L - X->radius - Y->radius,
                                .inverse = L > 0 ? 1 / L : 0};
}

// A box above a plane: its corners.
#include "element/shape/point.h"

vec3 tmli_box_corner(const tmli_shape *s, const tmli_place *x, int i)
{
    const vec3 own = v3(i & 1 ? s->half[0] : -s->half[0], i & 2 ? s->half[1] : -s->half[1],
                        i & 4 ? s->half[2] : -s->half[2]);
    return v3_add(x->c, m3_mulv(&x->A, own));
}

void tmli_box_plane(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                    tmli_contact_point *out)
{
    (void)X;
    const vec3 n = m3_col(&x->A, 2);
    for (int i = 0; i < (Y->flat ? 4 : 8); i++) {
        const vec3 b = tmli_box_corner(Y, y, i);
        out[i] = (tmli_contact_point){.n = n, .b = b, .gap = v3_dot(n, v3_sub(b, x->c))};
    }
}

// A sphere beside a box. In the axes of the box, with the centre q and the half edges h, the nearest point of
// the box is q clamped to it: beside a face one coordinate is clamped, beside an edge two, beside a corner
// three. A centre inside is pushed out through the nearest face. A flat box has faces x and y only.
#include "element/shape/point.h"

static tmli_contact_point face_of(const tmli_shape *X, const tmli_place *x, const double *q, vec3 b)
{
    int face = 0;
    for (int k = 1; k < (X->flat ? 2 : 3); k++)
        if (fabs(q[k]) - X->half[k] > fabs(q[face]) - X->half[face]) face = k;
    return (tmli_contact_point){.n = v3_scale(q[face] < 0 ? -1 : 1, m3_col(&x->A, face)),
                                .b = b,
                                .gap = fabs(q[face]) - X->half[face]};
}

tmli_contact_point tmli_box_beside(const tmli_shape *X, const tmli_place *x, vec3 b)
{
    double q[3], d[3], square = 0;
    int outside = 0, along = 0;
    v3_store(m3_tmulv(&x->A, v3_sub(b, x->c)), q);
    for (int k = 0; k < 3; k++) {
        const double beyond = X->flat && k == 2 ? 0 : fabs(q[k]) - X->half[k];
        d[k] = beyond > 0 ? copysign(beyond, q[k]) : 0;
        outside += beyond > 0;
        if (!(beyond > 0)) along = k;
        square += d[k] * d[k];
    }
    if (outside <= 1) return face_of(X, x, q, b);
    const double L = sqrt(square);
    const bool edge = outside == 2 || X->flat;
    return (tmli_contact_point){.n = v3_scale(1 / L, m3_mulv(&x->A, v3_from(d))),
                                .b = b,
                                .gap = L,
                                .inverse = 1 / L,
                                .share = edge ? 1 : 0,
                                .e = m3_col(&x->A, X->flat ? 2 : along)};
}

void tmli_box_sphere(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                     tmli_contact_point *out)
{
    *out = tmli_box_beside(X, x, y->c);
    out->rounding = Y->radius;
    out->gap -= Y->radius;
}

// Two rectangles of a planar model: the corners of each beside and within the other. Boxes in space:
// core_core.c.
//
// Rectangles that overlap are pushed out along the side of least overlap, which all corners of the other one
// share: with the outward normals n_i and the half edges h_i of X, whose centre is c, and the corners b of Y,
//   d_i = min_b n_i.(b - c) - h_i,   r = argmax d_i,   gap = n_r.(b - c) - h_r                            (1)
// (Gottschalk, Lin, Manocha, SIGGRAPH (1996) 171; d_r < 0 of both if they overlap). The nearest side of each
// corner would be another one for corners that lie at the ends of the side, as those of equal rectangles
// that land flush do: they would be pushed apart, and sink in. Near these ends the corner of one rectangle
// takes over from that of the other, which is at the same place. With the distance s beyond the end of the
// side and the depth p = -gap, the force of a corner is multiplied by
//   F((s/p + 1)/2)                                                                                        (2)
// so that both together have the whole force; F as in crossing.c.
#include "element/shape/point.h"

/** A side of a rectangle. */
typedef struct side {
    int axis;     // 0: x, 1: y
    double sign;  // of its normal
    double d;     // (1) [m]
} side;

// The side of X with the largest distance from Y.
static side farthest_side(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y)
{
    side most = {.d = -INFINITY};
    const vec3 between = v3_sub(y->c, x->c);
    for (int k = 0; k < 2; k++) {
        const vec3 n = m3_col(&x->A, k);
        const double along = v3_dot(n, between),
                     half = fabs(v3_dot(n, m3_col(&y->A, 0))) * Y->half[0] +
                            fabs(v3_dot(n, m3_col(&y->A, 1))) * Y->half[1],
                     d = fabs(along) - X->half[k] - half;
        if (d > most.d) most = (side){k, along < 0 ? -1 : 1, d};
    }
    return most;
}

// The distance of a corner b of Y from the line of a side of X.
static tmli_graded distance_from(const tmli_shape *X, const tmli_place *x, int axis, double sign,
                                 const tmli_place *y, vec3 b)
{
    const vec3 n = v3_scale(sign, m3_col(&x->A, axis));
    const tmli_graded along = tmli_graded_point(n, y->c, v3_sub(b, y->c));
    return tmli_graded_line(1, &along, -v3_dot(n, x->c) - X->half[axis]);
}

// A corner b of Y below or above the side r of X.
static tmli_contact_point beside_side(const tmli_shape *X, const tmli_place *x, const side *r,
                                      const tmli_place *y, vec3 b)
{
    const int other = 1 - r->axis;
    const vec3 seen = v3_sub(b, x->c);
    const double across = v3_dot(m3_col(&x->A, other), seen);
    tmli_contact_point k = {.n = v3_scale(r->sign, m3_col(&x->A, r->axis)), .b = b};
    k.gap = v3_dot(k.n, seen) - X->half[r->axis];
    if (k.gap >= 0 || fabs(across) - X->half[other] <= k.gap) return k;
    const tmli_graded gap = distance_from(X, x, r->axis, r->sign, y, b),
                      beyond = distance_from(X, x, other, across < 0 ? -1 : 1, y, b),
                      inverse = tmli_graded_inverse(&gap), ratio = tmli_graded_product(&beyond, &inverse),
                      part = tmli_graded_line(-0.5, &ratio, 0.5), weight = tmli_graded_falling(&part);
    k.fade = tmli_graded_line(-1, &weight, 1);
    k.pivot = y->c;
    k.shallow = X->half[r->axis];
    return k;
}

void tmli_box_box(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                  tmli_contact_point *out)
{
    const side own = farthest_side(X, x, Y, y), other = farthest_side(Y, y, X, x);
    const bool overlap = own.d < 0 && other.d < 0;
    for (int i = 0; i < 8; i++) {
        const bool swapped = i >= 4;
        const vec3 b = swapped ? tmli_box_corner(X, x, i - 4) : tmli_box_corner(Y, y, i);
        if (overlap) out[i] = swapped ? beside_side(Y, y, &other, x, b) : beside_side(X, x, &own, y, b);
        else out[i] = swapped ? tmli_box_beside(Y, y, b) : tmli_box_beside(X, x, b);
        out[i].swapped = swapped;
    }
}

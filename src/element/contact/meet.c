// Points of spheres, planes and boxes; see meet.h.
#include "element/contact/meet.h"

#include <math.h>

bool tmli_can_meet(tml_shape_type a, tml_shape_type b)
{
    const bool known[2] = {a == TML_SHAPE_SPHERE || a == TML_SHAPE_PLANE || a == TML_SHAPE_BOX,
                           b == TML_SHAPE_SPHERE || b == TML_SHAPE_PLANE || b == TML_SHAPE_BOX};
    return known[0] && known[1] && !(a == TML_SHAPE_PLANE && b == TML_SHAPE_PLANE);
}

static int meet_spheres(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                        double reach, tmli_meeting *out)
{
    const vec3 d = v3_sub(y->c, x->c);
    const double size = v3_norm(d), gap = size - X->radius - Y->radius;
    if (gap > reach) return 0;
    const vec3 n = size > 0 ? v3_scale(1 / size, d) : v3(0, X->flat, !X->flat);
    *out = (tmli_meeting){v3_axpy(X->radius + gap / 2, n, x->c), n, gap, 0};
    return 1;
}

static int meet_plane_sphere(const tmli_place *x, const tmli_shape *Y, const tmli_place *y, double reach,
                             tmli_meeting *out)
{
    const vec3 n = m3_col(&x->A, 2);
    const double gap = v3_dot(n, v3_sub(y->c, x->c)) - Y->radius;
    if (gap > reach) return 0;
    *out = (tmli_meeting){v3_axpy(-Y->radius - gap / 2, n, y->c), n, gap, 0};
    return 1;
}

// The four lowest corners: a box stands on a face, an edge or a corner.
static int meet_plane_box(const tmli_place *x, const tmli_shape *Y, const tmli_place *y, double reach,
                          tmli_meeting *out)
{
    const vec3 n = m3_col(&x->A, 2);
    int count = 0;
    for (uint32_t i = 0; i < (Y->flat ? 4 : 8); i++) {
        const vec3 own = v3(i & 1 ? Y->half[0] : -Y->half[0], i & 2 ? Y->half[1] : -Y->half[1],
                            Y->flat ? 0 : (i & 4 ? Y->half[2] : -Y->half[2]));
        const vec3 corner = v3_add(y->c, m3_mulv(&y->A, own));
        const double gap = v3_dot(n, v3_sub(corner, x->c));
        int at = count;
        if (gap > reach) continue;
        if (count == TMLI_MEETINGS) {  // it replaces the highest, if that is higher
            at = 0;
            for (int k = 1; k < count; k++)
                if (out[k].gap >= out[at].gap) at = k;
            if (out[at].gap <= gap) continue;
        } else {
            count++;
        }
        out[at] = (tmli_meeting){v3_axpy(-gap / 2, n, corner), n, gap, i};
    }
    return count;
}

// Outside, the nearest point of the box; inside, that of the nearest face.
static int meet_box_sphere(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                           double reach, tmli_meeting *out)
{
    const vec3 d = m3_tmulv(&x->A, v3_sub(y->c, x->c));
    const double p[3] = {d.x, d.y, X->flat ? 0 : d.z};
    const int sides = X->flat ? 2 : 3;
    double near[3] = {0}, away[3] = {0}, square = 0, least = INFINITY;
    int face = 0;
    for (int k = 0; k < sides; k++) {
        near[k] = fmin(fmax(p[k], -X->half[k]), X->half[k]);
        away[k] = p[k] - near[k];
        square += away[k] * away[k];
        if (X->half[k] - fabs(p[k]) >= least) continue;
        least = X->half[k] - fabs(p[k]);
        face = k;
    }
    double gap = sqrt(square) - Y->radius, n[3] = {0};
    if (gap > reach) return 0;
    for (int k = 0; k < 3 && square > 0; k++) n[k] = away[k] / sqrt(square);
    if (!(square > 0)) {
        n[face] = p[face] < 0 ? -1 : 1;
        gap = -least - Y->radius;
    }
    const vec3 normal = m3_mulv(&x->A, v3_from(n));
    *out = (tmli_meeting){v3_axpy(-Y->radius - gap / 2, normal, y->c), normal, gap, 0};
    return 1;
}

static void turn_round(tmli_meeting *m, int count)
{
    for (int i = 0; i < count; i++) m[i].normal = v3_scale(-1, m[i].normal);
}

int tmli_meet(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
              double reach, tmli_meeting out[TMLI_MEETINGS])
{
    const bool swap = Y->type == TML_SHAPE_PLANE || (Y->type == TML_SHAPE_BOX && X->type == TML_SHAPE_SPHERE);
    if (swap) {
        const int count = tmli_meet(Y, y, X, x, reach, out);
        turn_round(out, count);
        return count;
    }
    if (X->type == TML_SHAPE_PLANE && Y->type == TML_SHAPE_BOX) return meet_plane_box(x, Y, y, reach, out);
    if (X->type == TML_SHAPE_PLANE) return meet_plane_sphere(x, Y, y, reach, out);
    if (X->type == TML_SHAPE_BOX && Y->type == TML_SHAPE_BOX) return tmli_meet_boxes(X, x, Y, y, reach, out);
    if (X->type == TML_SHAPE_BOX) return meet_box_sphere(X, x, Y, y, reach, out);
    return meet_spheres(X, x, Y, y, reach, out);
}

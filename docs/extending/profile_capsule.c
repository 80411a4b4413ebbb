// A capsule beside a planar profile: it touches with its two half spheres, as a pawl in the teeth of a
// ratchet wheel does. Its sides between them touch nothing.
#include "element/shape/manifold.h"

tmli_manifold_function tmli_profile_capsule;  // as in point.c: the compiler compares both with this function

int tmli_profile_capsule(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                         tmli_contact_point *out)
{
    const vec3 axis = m3_col(&y->A, 2);
    tmli_manifold m = {.out = out, .gap = INFINITY};
    for (int side = -1; side <= 1; side += 2) {
        tmli_contact_point found[TMLI_PAIR_POINTS];
        const tmli_place end = {v3_axpy(side * Y->half[2], axis, y->c), y->A};
        const int count = tmli_profile_sphere(X, x, Y, &end, found);
        for (int i = 0; i < count; i++) tmli_manifold_put(&m, &found[i]);
    }
    return tmli_manifold_count(&m);
}

// A cylinder on a box, a capsule, a mesh or another cylinder.
//
// The cylinder touches with four kinds of points:
//   corners of the other core beside the cylinder, which is exactly round                                 (1)
//   corners of a prism in the cylinder beside the other core, and edges of its ends that cross others     (2)
//   its axis, with the radius about it, where it crosses edges of the other core                          (3)
//   the lowest points of its two rims over a face, where it lies on the face                              (4)
// The prism is a little narrower than the cylinder: a lying cylinder rolls on (3) and (4). Lowest points are
// those of cylinder_plane.c, about a circle within the cylinder by the rounding of its rims. Their force is
// multiplied by factors that are 0 before the point ends, with F of crossing.c:
//   F((LIES - q.q)/(LIES - STANDS))          where the cylinder stands; q: normal across the axis         (5)
//   F((n_j.p - h_j)/t)                       beyond face j, that is beside this one; t: the taper of (3)  (6)
//   F(-2 s/r)                                where the cores overlap by -s, for the prism touches there   (7)
//                                            as well; r: sum of the roundings
#include "element/shape/graded.h"
#include "element/shape/manifold.h"

#include "element/shape/constants.h"

static void corners_beside(tmli_manifold *m, const tmli_shape *X, const tmli_place *x, const tmli_polytope *Y,
                           const tmli_place *y, bool swapped)
{
    for (int i = 0; i < Y->nvertices; i++) {
        const vec3 b = v3_add(y->c, m3_mulv(&y->A, Y->vertex[i]));
        tmli_contact_point k = tmli_cylinder_beside(X, x, X->core->rounding, b, Y->rounding);
        k.swapped = swapped;
        tmli_manifold_put(m, &k);
    }
}

// ---- lowest points of rims --------------------------------------------------------------------------------

typedef struct rim {
    tmli_contact_point k;
    tmli_graded spacing;  // of the cores, about k.b
} rim;

// End e of the cylinder over face i of the core P; in the point the core is X.
static rim lowest(const tmli_shape *C, const tmli_place *x, int e, const tmli_polytope *P,
                  const tmli_place *y, int i)
{
    const double m = C->core->rounding, o = DOME, radius = (C->radius - m) / (sqrt(1 + o * o) - o);
    const vec3 n = m3_mulv(&y->A, P->face[i].n), f = m3_col(&x->A, 2),
               q = v3_axpy(v3_dot(n, f), f, v3_scale(-1, n)),
               centre = v3_axpy(e == 0 ? m - C->half[2] : C->half[2] - m, f, x->c);
    const double size = sqrt(v3_dot(q, q) + o * o);
    const vec3 b = v3_axpy(radius / size, q, centre);
    const double spacing = v3_dot(n, v3_sub(centre, y->c)) - P->face[i].h - radius * (size - o),
                 gap = spacing - m - P->rounding;
    return (rim){.k = {.n = n,
                       .b = b,
                       .rounding = v3_dot(n, v3_sub(b, y->c)) - P->face[i].h - P->rounding - gap,
                       .gap = gap,
                       .swapped = true,
                       .feature = TMLI_FEATURE_RIM,
                       .f = f,
                       .centre = centre,
                       .rim = radius,
                       .dome = o},
                 .spacing = {.v = spacing, .move = n}};
}

// How b of a rim moves besides with its body, along g, by its rotation.
static vec3 along_rim(const tmli_contact_point *k, vec3 g)
{
    const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double sum[3];
    for (int j = 0; j < 3; j++) {
        const tmli_pair_motion turn = {.th = {{0, 0, 0}, axes[j]}};
        const vec3 r[2] = {k->centre, k->centre};
        vec3 dn, dp;
        tmli_point_move(k, r, &turn, &dn, &dp);
        // across n the point of contact moves as b
        sum[j] = v3_dot(g, dp) - v3_dot(g, v3_cross(axes[j], v3_sub(k->b, k->centre)));
    }
    return v3_from(sum);
}

// (5) and (6)
static tmli_graded part_on_face(const rim *r, const tmli_polytope *P, const tmli_place *y, int i,
                                double taper)
{
    const tmli_contact_point *k = &r->k;
    const double c = v3_dot(k->n, k->f), q = 1 - c * c, range = LIES - STANDS;
    const tmli_graded square = {.v = q, .turn = v3_scale(-2 * c, v3_cross(k->f, k->n))};
    tmli_graded w = tmli_graded_falling(tmli_graded_function(-1 / range, (LIES - q) / range, square));
    const double height = v3_dot(k->n, v3_sub(k->b, y->c)) - P->face[i].h;
    const vec3 foot = v3_axpy(-height, k->n, k->b);
    for (int j = 0; j < P->nfaces && w.v > 0; j++) {
        const vec3 n = m3_mulv(&y->A, P->face[j].n), g = v3_axpy(-v3_dot(n, k->n), k->n, n);
        const double beyond = v3_dot(n, v3_sub(foot, y->c)) - P->face[j].h;
        if (j == i || beyond <= 0) continue;
        const tmli_graded at = {beyond, g, along_rim(k, g)};
        w = tmli_graded_product(w, tmli_graded_falling(tmli_graded_function(1 / taper, beyond / taper, at)));
    }
    return w;
}

static void rims_over_faces(tmli_manifold *m, const tmli_shape *C, const tmli_place *x,
                            const tmli_polytope *P, const tmli_place *y)
{
    const double reach = C->core->rounding + P->rounding, taper = C->axis->edge->taper;
    for (int i = 0; i < 2 * P->nfaces; i++) {
        rim r = lowest(C, x, i % 2, P, y, i / 2);
        const tmli_graded deep =
            tmli_graded_falling(tmli_graded_function(-2 / reach, -2 * r.spacing.v / reach, r.spacing));
        if (deep.v == 0) continue;
        const tmli_graded w = tmli_graded_product(deep, part_on_face(&r, P, y, i / 2, taper));
        if (w.v == 0) continue;
        r.k.fade = 1 - w.v;
        r.k.fade_move = v3_scale(-1, w.move);
        r.k.fade_turn = v3_scale(-1, w.turn);
        tmli_manifold_put(m, &r.k);
    }
}

// ---- pairs ------------------------------------------------------------------------------------------------

int tmli_cylinder_core(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                       tmli_contact_point *out)
{
    tmli_manifold m = {.out = out, .gap = INFINITY};
    corners_beside(&m, X, x, Y->core, y, false);
    tmli_manifold_vertices(&m, Y, y, X, x, true);
    rims_over_faces(&m, X, x, Y->core, y);
    tmli_manifold_edges(&m, X->core, x, Y->core, y);
    tmli_manifold_edges(&m, X->axis, x, Y->core, y);
    return tmli_manifold_count(&m);
}

int tmli_cylinder_cylinder(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                           tmli_contact_point *out)
{
    tmli_manifold m = {.out = out, .gap = INFINITY};
    corners_beside(&m, X, x, Y->core, y, false);
    corners_beside(&m, Y, y, X->core, x, true);
    tmli_manifold_edges(&m, X->core, x, Y->core, y);
    tmli_manifold_edges(&m, X->axis, x, Y->core, y);
    tmli_manifold_edges(&m, X->core, x, Y->axis, y);
    tmli_manifold_edges(&m, X->axis, x, Y->axis, y);
    return tmli_manifold_count(&m);
}

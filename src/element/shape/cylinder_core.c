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
//   F((n_j.p - h_j)/t + 1 - F(n_j.a/A))      beyond face j, that is beside this one; t: the taper of (3), (6)
//                                            a: along the axis to the other end, A: NOT_FACING. If the
//                                            cylinder goes away from the face, it is not over this one
//   F(-s/a - 1)                              where the cores overlap by -s, a part of the radius or of    (7)
//                                            the distance of the face: the way out is through another face
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

/** The lowest point of an end over a face, and what its factors depend on. */
typedef struct rim {
    tmli_contact_point k;
    vec3 arm;             // of the centre of the circle from that of the cylinder
    tmli_graded c, size;  // n.f, sqrt(q.q + o^2)
    tmli_graded spacing;  // of the cores
} rim;

// End e of the cylinder over face i of the core P; in the point the core is X.
static rim lowest(const tmli_shape *C, const tmli_place *x, int e, const tmli_polytope *P,
                  const tmli_place *y, int i)
{
    const double m = C->core->rounding, o = DOME, radius = (C->radius - m) / (sqrt(1 + o * o) - o);
    const vec3 n = m3_mulv(&y->A, P->face[i].n), f = m3_col(&x->A, 2),
               q = v3_axpy(v3_dot(n, f), f, v3_scale(-1, n)),
               arm = v3_scale(e == 0 ? m - C->half[2] : C->half[2] - m, f), centre = v3_add(x->c, arm);
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
                       .dome = o,
                       .pivot = x->c,
                       .shallow = INFINITY},
                 .arm = arm,
                 .spacing = {.v = spacing}};
}

static void set_derivatives(rim *r)
{
    const tmli_contact_point *k = &r->k;
    r->c = tmli_graded_turning(k->n, k->f);
    const tmli_graded square =
        tmli_graded_function(1 - r->c.v * r->c.v + k->dome * k->dome, -2 * r->c.v, -2, &r->c);
    r->size = tmli_graded_sqrt(&square);
    const tmli_graded height = tmli_graded_point(k->n, k->pivot, r->arm);
    const double spacing = r->spacing.v;
    r->spacing = tmli_graded_sum(1, &height, -k->rim, &r->size, 0);
    r->spacing.v = spacing;
}

// (6) beyond face j: the foot of b on face i is g.b + (n_j.n) h_i from the centre of the core along n_j, with
// g = n_j across n, and g.b = g.(centre of the circle) + radius c (g.f)/size
static tmli_graded inside_of(const rim *r, const tmli_polytope *P, const tmli_place *y, int i, int j,
                             double taper)
{
    const tmli_contact_point *k = &r->k;
    const vec3 n = m3_mulv(&y->A, P->face[j].n);
    const double c = v3_dot(n, k->n);
    const vec3 g = v3_axpy(-c, k->n, n);
    const tmli_graded centre = tmli_graded_point(g, v3_sub(k->pivot, y->c), r->arm),
                      axis = tmli_graded_turning(g, k->f), inverse = tmli_graded_inverse(&r->size),
                      product = tmli_graded_product(&r->c, &axis),
                      out = tmli_graded_product(&product, &inverse),
                      away = tmli_graded_turning(v3_scale(1 / NOT_FACING, n),
                                                 v3_scale(-1 / v3_norm(r->arm), r->arm)),
                      towards = tmli_graded_falling(&away),
                      beyond = tmli_graded_sum(1 / taper, &centre, k->rim / taper, &out,
                                               (c * P->face[i].h - P->face[j].h) / taper),
                      x = tmli_graded_sum(1, &beyond, -1, &towards, 1);
    return tmli_graded_falling(&x);
}

// (5) and (6)
static tmli_graded part_on_face(const rim *r, const tmli_polytope *P, const tmli_place *y, int i,
                                double taper)
{
    const double c = r->c.v, range = LIES - STANDS;
    const tmli_graded x = tmli_graded_function((LIES - 1 + c * c) / range, 2 * c / range, 2 / range, &r->c);
    tmli_graded w = tmli_graded_falling(&x);
    for (int j = 0; j < P->nfaces && w.v > 0; j++) {
        if (j == i) continue;
        const tmli_graded factor = inside_of(r, P, y, i, j, taper);
        if (factor.v < 1) w = tmli_graded_product(&w, &factor);
    }
    return w;
}

static void rims_over_faces(tmli_manifold *m, const tmli_shape *C, const tmli_place *x,
                            const tmli_polytope *P, const tmli_place *y)
{
    const double taper = C->axis->edge->taper;
    for (int i = 0; i < 2 * P->nfaces; i++) {
        rim r = lowest(C, x, i % 2, P, y, i / 2);
        const double most = DEEP_RIM * fmin(C->radius, P->face[i / 2].h);
        if (r.spacing.v <= -2 * most || (r.k.gap >= 0 && (m->count > 0 || r.k.gap >= m->gap))) continue;
        set_derivatives(&r);
        const tmli_graded deep = tmli_graded_line(-1 / most, &r.spacing, -1),
                          factor = tmli_graded_falling(&deep), on_face = part_on_face(&r, P, y, i / 2, taper),
                          w = tmli_graded_product(&factor, &on_face);
        if (w.v == 0) continue;
        r.k.fade = tmli_graded_line(-1, &w, 1);
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

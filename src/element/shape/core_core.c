// Boxes, capsules and meshes: the vertices of each core beside the other core, and edges that cross
// (crossing.c).
//
// The distance of a point from a convex core has a continuous gradient outside of the core. The sum of the
// potentials of all vertices and crossings is then a smooth function of the place as long as the cores are
// apart, that is down to a depth of the sum of their roundings.
#include "element/shape/manifold.h"

void tmli_manifold_put(tmli_manifold *m, const tmli_contact_point *k)
{
    if (k->gap >= 0) {
        if (m->count == 0 && k->gap < m->gap) {
            m->gap = k->gap;
            m->out[0] = *k;
        }
        return;
    }
    int at = m->count;
    if (at == TMLI_PAIR_POINTS) {
        at = 0;
        for (int i = 1; i < TMLI_PAIR_POINTS; i++)
            if (m->out[i].gap > m->out[at].gap) at = i;
        if (m->out[at].gap <= k->gap) return;
    } else {
        m->count++;
    }
    m->out[at] = *k;
}

tmli_contact_point tmli_core_beside(const tmli_polytope *X, const tmli_place *x, vec3 b, double radius)
{
    const tmli_nearest_point p = tmli_polytope_nearest(X, m3_tmulv(&x->A, v3_sub(b, x->c)));
    const bool curved = p.kind < 2 && p.distance > 0;
    return (tmli_contact_point){.n = m3_mulv(&x->A, p.n),
                                .b = b,
                                .rounding = radius,
                                .gap = p.distance - X->rounding - radius,
                                .inverse = curved ? 1 / p.distance : 0,
                                .share = p.kind == 1 ? 1 : 0,
                                .e = m3_mulv(&x->A, p.e)};
}

void tmli_manifold_vertices(tmli_manifold *m, const tmli_shape *X, const tmli_place *x, const tmli_shape *Y,
                            const tmli_place *y, bool swapped)
{
    const double reach = X->core->rounding + Y->core->rounding;
    for (int i = 0; i < Y->core->nvertices; i++) {
        const vec3 b = v3_add(y->c, m3_mulv(&y->A, Y->core->vertex[i]));
        const double least = tmli_polytope_bound_distance(X->core, m3_tmulv(&x->A, v3_sub(b, x->c))) - reach;
        if (least > 0 && (m->count > 0 || least > m->gap)) continue;
        tmli_contact_point k = tmli_core_beside(X->core, x, b, Y->core->rounding);
        k.swapped = swapped;
        tmli_manifold_put(m, &k);
    }
}

int tmli_core_core(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                   tmli_contact_point *out)
{
    tmli_manifold m = {.out = out, .gap = INFINITY};
    tmli_manifold_vertices(&m, X, x, Y, y, false);
    tmli_manifold_vertices(&m, Y, y, X, x, true);
    if (!X->flat) tmli_manifold_edges(&m, X->core, x, Y->core, y);
    return tmli_manifold_count(&m);
}

int tmli_mesh_sphere(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                     tmli_contact_point *out)
{
    *out = tmli_core_beside(X->core, x, y->c, Y->radius);
    return 1;
}

int tmli_mesh_plane(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                    tmli_contact_point *out)
{
    (void)X;
    tmli_manifold m = {.out = out, .gap = INFINITY};
    const vec3 n = m3_col(&x->A, 2);
    const double radius = Y->core->rounding;
    for (int i = 0; i < Y->core->nvertices; i++) {
        const vec3 b = v3_add(y->c, m3_mulv(&y->A, Y->core->vertex[i]));
        const tmli_contact_point k = {
            .n = n, .b = b, .rounding = radius, .gap = v3_dot(n, v3_sub(b, x->c)) - radius};
        tmli_manifold_put(&m, &k);
    }
    return tmli_manifold_count(&m);
}

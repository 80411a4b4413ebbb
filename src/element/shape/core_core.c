// Boxes, capsules and meshes: the vertices of each core beside the other core, and edges that cross
// (crossing.c).
//
// The distance of a point from a convex core has a continuous gradient outside of the core. The sum of the
// potentials of all vertices and crossings is then a smooth function of the place as long as the cores are
// apart, that is down to a depth of the sum of their roundings.
//
// Cores that overlap are pushed out along the face of least overlap: the face r of X with the largest
// distance d_r = min_b n_r.(b - c) - h_r of the vertices b of Y, which all vertices share. The nearest face
// of each vertex would be a side for those at the edges of the face, as the vertices of equal boxes that land
// flush are: they would be pushed apart, and sink in. With the depth p of a vertex below the face and its
// distance s beyond a side, its potential is
//   w E(p) + (1 - w) E(-distance),   w = F(s/p) F(s/D) F(s/R)                                             (1)
// with the depth D of the cores in each other, the sum R of the roundings and F of crossing.c, w a product
// over all sides: where cores begin to overlap, D = 0, and at the face, p = 0, nothing jumps.
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

// A point b, with a radius about it, beside the core of X.
static tmli_contact_point core_beside(const tmli_polytope *X, const tmli_place *x, vec3 b, double radius)
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

/** How a core is pushed out of another one. */
typedef struct way_out {
    bool known;
    int face;  // -1: the cores are apart
    const tmli_polytope *X;
    const tmli_place *x, *y;
    double reach;       // sum of the roundings [m]
    tmli_graded depth;  // of the cores in each other [m]
} way_out;

static void find_way_out(const tmli_polytope *X, const tmli_place *x, const tmli_polytope *Y,
                         const tmli_place *y, way_out *w)
{
    w->known = true;
    w->X = X;
    w->x = x;
    w->y = y;
    w->reach = X->rounding + Y->rounding;
    if (X->nfaces == 0 || !tmli_cores_overlap(X, x, Y, y, &w->face, &w->depth)) w->face = -1;
}

// The distance of a vertex b of Y from the plane of a face of X.
static tmli_graded distance_from(const way_out *w, int face, vec3 b)
{
    const vec3 n = m3_mulv(&w->x->A, w->X->face[face].n);
    const tmli_graded along = tmli_graded_point(n, w->y->c, v3_sub(b, w->y->c));
    return tmli_graded_line(1, &along, -v3_dot(n, w->x->c) - w->X->face[face].h);
}

// w of (1) for the vertex b at the depth -gap below the face; false: it is 0. 1: b is beyond no side.
static bool weigh(const way_out *w, vec3 b, double gap, tmli_graded *weight)
{
    const vec3 seen = m3_tmulv(&w->x->A, v3_sub(b, w->x->c));
    const double limit = fmin(fmin(-gap, w->depth.v), w->reach);
    *weight = (tmli_graded){.v = 1};
    for (int i = 0; i < w->X->nfaces; i++) {
        const double beyond = v3_dot(w->X->face[i].n, seen) - w->X->face[i].h;
        if (i == w->face || beyond <= 0) continue;
        if (beyond >= limit) return false;
        const tmli_graded p = distance_from(w, w->face, b), s = distance_from(w, i, b),
                          below = tmli_graded_inverse(&p), deep = tmli_graded_inverse(&w->depth),
                          ratio[3] = {tmli_graded_product(&s, &below), tmli_graded_product(&s, &deep), s};
        const double factor[3] = {-1, 1, 1 / w->reach};
        for (int k = 0; k < 3; k++) {
            const tmli_graded x = tmli_graded_line(factor[k], &ratio[k], 0), f = tmli_graded_falling(&x);
            *weight = tmli_graded_product(weight, &f);
        }
    }
    return true;
}

// (1) of a vertex whose point beside the core is k.
static void put_vertex(tmli_manifold *m, const way_out *w, tmli_contact_point *k)
{
    const vec3 n = m3_mulv(&w->x->A, w->X->face[w->face].n);
    const double gap = v3_dot(n, v3_sub(k->b, w->x->c)) - w->X->face[w->face].h;
    tmli_graded weight;
    if (!(gap < 0) || !weigh(w, k->b, gap, &weight)) {
        tmli_manifold_put(m, k);
        return;
    }
    tmli_contact_point down = {
        .n = n, .b = k->b, .rounding = k->rounding, .gap = gap - w->reach, .swapped = k->swapped};
    if (weight.v < 1) {
        down.fade = tmli_graded_line(-1, &weight, 1);
        k->fade = weight;
        down.pivot = k->pivot = w->y->c;
        down.shallow = k->shallow = w->reach;
        tmli_manifold_put(m, k);
    }
    tmli_manifold_put(m, &down);
}

void tmli_manifold_vertices(tmli_manifold *m, const tmli_shape *X, const tmli_place *x, const tmli_shape *Y,
                            const tmli_place *y, bool swapped)
{
    const double reach = X->core->rounding + Y->core->rounding;
    way_out out = {.face = -1};
    for (int i = 0; i < Y->core->nvertices; i++) {
        const vec3 b = v3_add(y->c, m3_mulv(&y->A, Y->core->vertex[i]));
        const double least = tmli_polytope_bound_distance(X->core, m3_tmulv(&x->A, v3_sub(b, x->c))) - reach;
        if (least > 0 && (m->count > 0 || least > m->gap)) continue;
        tmli_contact_point k = core_beside(X->core, x, b, Y->core->rounding);
        k.swapped = swapped;
        if (k.gap < 0 && !out.known && !X->flat) find_way_out(X->core, x, Y->core, y, &out);
        if (k.gap < 0 && out.face >= 0) put_vertex(m, &out, &k);
        else tmli_manifold_put(m, &k);
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
    *out = core_beside(X->core, x, y->c, Y->radius);
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

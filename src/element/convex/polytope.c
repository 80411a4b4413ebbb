// Cores of shapes; see polytope.h.
//
// The core of a body is the body less a layer of the thickness `rounding`. With a cube or a prism it is
// exactly that. A corner of a hull where more than three faces meet moves inwards by the vector a with
// n_f.a = rounding for its faces f, in the mean of squares, and the core is the hull of the moved corners.
#include "element/convex/polytope.h"
#include "element/convex/hull.h"

#include <math.h>

#include "element/convex/constants.h"

static tml_status make_room(int vertices, int edges, int faces, tmli_arena *a, tmli_polytope *out,
                            tml_error *err)
{
    out->vertex = tmli_arena_alloc(a, (size_t)vertices, sizeof *out->vertex);
    out->edge = tmli_arena_alloc(a, (size_t)edges, sizeof *out->edge);
    out->face = tmli_arena_alloc(a, (size_t)faces, sizeof *out->face);
    return out->vertex && out->edge && out->face ? TML_OK : tmli_no_memory(err, "shape");
}

static void set_bound(tmli_polytope *P)
{
    for (int i = 0; i < P->nvertices; i++) P->bound = fmax(P->bound, v3_norm(P->vertex[i]));
}

tml_status tmli_polytope_segment(double half, double rounding, tmli_arena *a, tmli_polytope *out,
                                 tml_error *err)
{
    *out = (tmli_polytope){.nvertices = 2, .nedges = 1, .rounding = rounding};
    const tml_status st = make_room(2, 1, 1, a, out, err);
    if (st != TML_OK) return st;
    out->vertex[0] = v3(0, 0, -half);
    out->vertex[1] = v3(0, 0, half);
    out->edge[0] = (tmli_edge){.e = v3(0, 0, 1), .half = half};
    set_bound(out);
    return TML_OK;
}

static vec3 around(double i, double radius, double z)
{
    const double angle = 2 * acos(-1.0) * i / TMLI_PRISM_SIDES;
    return v3(radius * cos(angle), radius * sin(angle), z);
}

tml_status tmli_polytope_prism(double radius, double half, tmli_arena *a, tmli_polytope *out, tml_error *err)
{
    enum { N = TMLI_PRISM_SIDES };
    const double m = ROUNDED * fmin(radius, half), r = (radius - m) * (1 - NARROWER), h = half - m,
                 apothem = r * cos(acos(-1.0) / N);
    *out = (tmli_polytope){.nvertices = 2 * N, .nedges = 2 * N, .nfaces = N + 2, .rounding = m};
    const tml_status st = make_room(2 * N, 2 * N, N + 2, a, out, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < 2 * N; i++) {
        const double z = i < N ? -h : h, in = i < N ? 1 : -1;
        const vec3 p = around(i, r, z), q = around(i + 1, r, z), d = v3_sub(q, p);
        out->vertex[i] = p;
        out->edge[i] = (tmli_edge){.middle = v3_scale(0.5, v3_add(p, q)),
                                   .e = v3_scale(1 / v3_norm(d), d),
                                   .half = v3_norm(d) / 2,
                                   .nfaces = 2,
                                   .into = {v3(0, 0, in), around(i + 0.5, -1, 0)}};
    }
    for (int i = 0; i < N; i++) out->face[i] = (tmli_half_space){around(i + 0.5, 1, 0), apothem};
    out->face[N] = (tmli_half_space){v3(0, 0, -1), h};
    out->face[N + 1] = (tmli_half_space){v3(0, 0, 1), h};
    set_bound(out);
    return TML_OK;
}

static vec3 unit(int k, double size) { return v3(k == 0 ? size : 0, k == 1 ? size : 0, k == 2 ? size : 0); }

tml_status tmli_polytope_box(const double h[3], bool flat, tmli_arena *a, tmli_polytope *out, tml_error *err)
{
    const int axes = flat ? 2 : 3;
    const double least = flat ? fmin(h[0], h[1]) : fmin(fmin(h[0], h[1]), h[2]), m = ROUNDED * least;
    const double c[3] = {h[0] - m, h[1] - m, flat ? 0 : h[2] - m};
    *out = (tmli_polytope){.nvertices = 1 << axes, .nfaces = 2 * axes, .rounding = m};
    const tml_status st = make_room(8, 12, 6, a, out, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < out->nvertices; i++)
        out->vertex[i] = v3(i & 1 ? c[0] : -c[0], i & 2 ? c[1] : -c[1], i & 4 ? c[2] : -c[2]);
    for (int i = 0; i < out->nfaces; i++)
        out->face[i] = (tmli_half_space){unit(i / 2, i % 2 ? 1 : -1), c[i / 2]};
    for (int k = flat ? 2 : 0; k < 3; k++)
        for (int i = 0; i < 4; i++) {
            const int p = (k + 1) % 3, q = (k + 2) % 3;
            const double sp = i & 1 ? 1 : -1, sq = i & 2 ? 1 : -1;
            out->edge[out->nedges++] = (tmli_edge){.middle = v3_add(unit(p, sp * c[p]), unit(q, sq * c[q])),
                                                   .e = unit(k, 1),
                                                   .half = flat ? least : c[k],
                                                   .nfaces = 2,
                                                   .into = {unit(p, -sp), unit(q, -sq)}};
        }
    set_bound(out);
    return TML_OK;
}

// ---- hulls ------------------------------------------------------------------------------------------------

typedef struct sides {
    int count;
    tmli_half_space face[TMLI_POLYTOPE_FACES];
    int *of;  // (ntriangles) the face of a triangle; -1: it is a sliver
} sides;

static vec3 normal_of(const vec3 *p, const int *t)
{
    return v3_cross(v3_sub(p[t[1]], p[t[0]]), v3_sub(p[t[2]], p[t[0]]));
}

// True if a triangle lies in the plane of a face.
static bool is_in_face(const tmli_half_space *f, const vec3 *p, const int *t, double near)
{
    for (int k = 0; k < 3; k++)
        if (fabs(v3_dot(f->n, p[t[k]]) - f->h) > near) return false;
    return v3_dot(f->n, normal_of(p, t)) > 0;
}

// The faces of a hull: triangles in a plane belong to the face of the largest of them.
static void find_faces(const tmli_hull *h, const vec3 *p, double size, sides *s)
{
    s->count = 0;
    for (int i = 0; i < h->ntriangles; i++) s->of[i] = -1;
    for (;;) {
        int largest = -1;
        double most = SLIVER * size * size;
        for (int i = 0; i < h->ntriangles; i++) {
            const double area = s->of[i] >= 0 ? 0 : v3_norm(normal_of(p, h->triangle[i]));
            if (area <= most) continue;
            most = area;
            largest = i;
        }
        if (largest < 0 || s->count == TMLI_POLYTOPE_FACES) return;
        const int *t = h->triangle[largest];
        tmli_half_space *f = &s->face[s->count];
        f->n = v3_scale(1 / most, normal_of(p, t));
        f->h = v3_dot(f->n, p[t[0]]);
        for (int i = 0; i < h->ntriangles; i++)
            if (s->of[i] < 0 && is_in_face(f, p, h->triangle[i], IN_PLANE * size)) s->of[i] = s->count;
        s->of[largest] = s->count++;
        for (int i = 0; i < h->ncorners; i++) f->h = fmax(f->h, v3_dot(f->n, p[h->corner[i]]));
    }
}

// x of (A + tiny) x = b for a symmetric A that is positive or semidefinite
static vec3 solve_symmetric(mat3 A, vec3 b)
{
    const double trace = A.m[0] + A.m[4] + A.m[8];
    for (int k = 0; k < 3; k++) A.m[4 * k] += 1e-12 * trace;
    const vec3 c0 = m3_col(&A, 0), c1 = m3_col(&A, 1), c2 = m3_col(&A, 2), u = v3_cross(c1, c2),
               v = v3_cross(c2, c0), w = v3_cross(c0, c1);
    return v3_scale(1 / v3_dot(c0, u), v3(v3_dot(u, b), v3_dot(v, b), v3_dot(w, b)));
}

// The vector by which corner c moves inwards when its faces do by 1, and the number of its faces.
static vec3 inwards(const tmli_hull *h, const sides *s, int c, int *nfaces)
{
    mat3 A = {{0}};
    *nfaces = 0;
    vec3 b = v3(0, 0, 0);
    bool seen[TMLI_POLYTOPE_FACES] = {false};
    for (int i = 0; i < h->ntriangles; i++) {
        const int *t = h->triangle[i], f = s->of[i];
        if (f < 0 || seen[f] || (t[0] != c && t[1] != c && t[2] != c)) continue;
        const vec3 n = s->face[f].n;
        const mat3 nn = m3_outer(n, n);
        seen[f] = true;
        ++*nfaces;
        A = m3_add(&A, &nn);
        b = v3_sub(b, n);
    }
    return solve_symmetric(A, b);
}

static int opposite(const tmli_hull *h, int i, int j)
{
    for (int f = 0; f < h->ntriangles; f++)
        for (int k = 0; k < 3; k++)
            if (h->triangle[f][k] == j && h->triangle[f][(k + 1) % 3] == i) return f;
    return -1;
}

// Edges between triangles of different faces.
static void find_edges(const tmli_hull *h, const vec3 *p, const sides *s, tmli_polytope *out)
{
    for (int f = 0; f < h->ntriangles; f++)
        for (int k = 0; k < 3; k++) {
            const int i = h->triangle[f][k], j = h->triangle[f][(k + 1) % 3], other = opposite(h, i, j);
            if (other < f || s->of[f] < 0 || s->of[other] < 0 || s->of[f] == s->of[other]) continue;
            const vec3 d = v3_sub(p[j], p[i]);
            const double length = v3_norm(d);
            if (out->nedges == TMLI_POLYTOPE_EDGES || !(length > 0)) continue;
            const vec3 e = v3_scale(1 / length, d);
            // a face is to the left of its edges, seen from outside
            out->edge[out->nedges++] =
                (tmli_edge){.middle = v3_scale(0.5, v3_add(p[i], p[j])),
                            .e = e,
                            .half = length / 2,
                            .nfaces = 2,
                            .into = {v3_cross(s->face[s->of[f]].n, e), v3_cross(e, s->face[s->of[other]].n)}};
        }
}

typedef struct shrinking {
    const tml_env *env;
    tmli_hull hull, core;
    vec3 corner[TMLI_POLYTOPE_VERTICES];  // of the hull, then of the core
    sides sides;
    double size;
} shrinking;

// The hull of the corners moved inwards by the rounding. Points on an edge or in a face may be corners of the
// hull, by round-off or where it began: a corner of the body has three faces or more.
static tml_status shrink(shrinking *s, const vec3 *point, vec3 *centre, double *rounding, tml_error *err)
{
    const tmli_hull *h = &s->hull;
    double least = INFINITY;
    int ncorners = 0, corner[TMLI_POLYTOPE_VERTICES];
    vec3 in[TMLI_POLYTOPE_VERTICES];
    s->sides.of = tmli_calloc(s->env, (size_t)h->ntriangles, sizeof *s->sides.of);
    if (!s->sides.of) return tmli_no_memory(err, "shape");
    find_faces(h, point, s->size, &s->sides);
    *centre = v3(0, 0, 0);
    for (int i = 0; i < h->ncorners; i++) {
        int nfaces;
        in[ncorners] = inwards(h, &s->sides, h->corner[i], &nfaces);
        if (nfaces < 3) continue;
        *centre = v3_add(*centre, point[h->corner[i]]);
        corner[ncorners++] = h->corner[i];
    }
    *centre = v3_scale(1.0 / ncorners, *centre);
    for (int f = 0; f < s->sides.count; f++)
        least = fmin(least, s->sides.face[f].h - v3_dot(s->sides.face[f].n, *centre));
    *rounding = ROUNDED * least;
    for (int i = 0; i < ncorners; i++)
        s->corner[i] = v3_axpy(*rounding, in[i], v3_sub(point[corner[i]], *centre));
    tmli_free(s->env, s->sides.of);
    s->sides.of = NULL;
    return tmli_hull_build(s->corner, ncorners, TMLI_POLYTOPE_VERTICES, OUTSIDE * s->size, s->env, &s->core,
                           err);
}

static tml_status put_core(shrinking *s, tmli_arena *a, tmli_polytope *out, tml_error *err)
{
    const tmli_hull *h = &s->core;
    s->sides.of = tmli_calloc(s->env, (size_t)h->ntriangles, sizeof *s->sides.of);
    if (!s->sides.of) return tmli_no_memory(err, "shape");
    const tml_status st = make_room(h->ncorners, TMLI_POLYTOPE_EDGES, TMLI_POLYTOPE_FACES, a, out, err);
    if (st != TML_OK) return st;
    find_faces(h, s->corner, s->size, &s->sides);
    for (int i = 0; i < h->ncorners; i++) out->vertex[out->nvertices++] = s->corner[h->corner[i]];
    for (int i = 0; i < s->sides.count; i++) out->face[out->nfaces++] = s->sides.face[i];
    find_edges(h, s->corner, &s->sides, out);
    set_bound(out);
    return TML_OK;
}

static double hollow_of(const tmli_polytope *P, const vec3 *point, int count, vec3 centre)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        const double depth = P->rounding - tmli_polytope_bound_distance(P, v3_sub(point[i], centre));
        most = fmax(most, depth);
    }
    return most;
}

tml_status tmli_polytope_hull(const vec3 *point, int count, tmli_arena *a, tmli_polytope *out, vec3 *centre,
                              tmli_hull_loss *loss, tml_error *err)
{
    shrinking *s = tmli_calloc(a->env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, "shape");
    *out = (tmli_polytope){0};
    s->env = a->env;
    for (int i = 0; i < count; i++) s->size = fmax(s->size, v3_norm(v3_sub(point[i], point[0])));
    tml_status st =
        tmli_hull_build(point, count, TMLI_POLYTOPE_VERTICES, IN_PLANE * s->size, s->env, &s->hull, err);
    if (st == TML_OK) st = shrink(s, point, centre, &out->rounding, err);
    if (st == TML_OK) st = put_core(s, a, out, err);
    if (st == TML_OK)
        *loss = (tmli_hull_loss){.beyond = s->hull.left, .hollow = hollow_of(out, point, count, *centre)};
    tmli_hull_clear(&s->hull, s->env);
    tmli_hull_clear(&s->core, s->env);
    tmli_free_all(s->env, s->sides.of, s);
    return st;
}

// ---- points beside a core ---------------------------------------------------------------------------------

static double outermost_face(const tmli_polytope *P, vec3 p, int *face)
{
    double most = -INFINITY;
    for (int i = 0; i < P->nfaces; i++) {
        const double d = v3_dot(P->face[i].n, p) - P->face[i].h;
        if (d <= most) continue;
        most = d;
        *face = i;
    }
    return most;
}

double tmli_polytope_bound_distance(const tmli_polytope *P, vec3 p)
{
    int face;
    return P->nfaces > 0 ? outermost_face(P, p, &face) : v3_norm(p) - P->bound;
}

static double clamp(double x, double most) { return fmin(fmax(x, -most), most); }

// The nearest point of all edges
static tmli_nearest_point beside_edges(const tmli_polytope *P, vec3 p)
{
    tmli_nearest_point best = {.distance = INFINITY, .n = v3(0, 0, 1)};
    for (int i = 0; i < P->nedges; i++) {
        const tmli_edge *e = &P->edge[i];
        const vec3 w = v3_sub(p, e->middle);
        const double s = v3_dot(w, e->e);
        const vec3 d = v3_axpy(-clamp(s, e->half), e->e, w);
        const double L = v3_norm(d);
        if (L >= best.distance) continue;
        const vec3 n = L > 0 ? v3_scale(1 / L, d) : best.n;
        best = (tmli_nearest_point){.distance = L, .n = n, .kind = fabs(s) < e->half, .e = e->e};
    }
    return best;
}

tmli_nearest_point tmli_polytope_nearest(const tmli_polytope *P, vec3 p)
{
    int face = 0;
    if (P->nfaces == 0) return beside_edges(P, p);
    const double most = outermost_face(P, p, &face);
    if (most <= 0) return (tmli_nearest_point){.distance = most, .n = P->face[face].n, .kind = 2};
    // over a face: the foot of the point on its plane is in the core
    for (int i = 0; i < P->nfaces; i++) {
        const vec3 n = P->face[i].n;
        const double d = v3_dot(n, p) - P->face[i].h;
        if (d <= 0) continue;
        int other = 0;
        if (outermost_face(P, v3_axpy(-d, n, p), &other) <= OUTSIDE * P->bound)
            return (tmli_nearest_point){.distance = d, .n = n, .kind = 2};
    }
    return beside_edges(P, p);
}

// Edges of two cores that cross: each pair has a point of contact where its lines are nearest to each other.
//
// With edges a + s e, |s| <= S, of X and b + t f, |t| <= T, of Y, c = e.f, and w = b - a, the nearest points
// of the lines have
//   s = (w.e - c w.f)/(1 - c^2),   t = (c w.e - w.f)/(1 - c^2),   n = +-(e x f)/|e x f|                   (1)
// and the distance n.w. The edges touch if s and t are between their ends, and if n is between the normals of
// the faces of the edge of X and -n between those of Y: with the vectors u along the faces, into them,
// n.u <= 0 and -n.u <= 0. The sign of n is the one that comes closest to this.
//
// None of these conditions may switch a force on or off. The force is multiplied by factors that are 0 before
// the point ends:
//   1 - (s/S)^8, 1 - (t/T)^8                      at the ends, where vertices touch; F of (4) at the ends (2)
//                                                 of the axis of a cylinder
//   (1 + p^2) (1 - c^2)/(1 - c^2 + p^2)           for edges that are parallel, where vertices touch       (3)
//   F((n.u - FACING)/(NOT_FACING - FACING))       for n beyond a face; F(x) = 1 - 3 x^2 + 2 x^3, 0..1     (4)
//   F((1.5 min(d, 0) - n.w)/r)                    where the cores overlap by -d, for pairs that are much  (5)
//                                                 deeper; r: sum of the roundings
//   F((r - n.w - 1.5 (S - |s|))/w - 1)            for the axis of a cylinder, where the way out through   (6)
//                                                 its end is shorter; w: a small part of its radius
// d is the largest distance of the cores along the normal of a face or along e x f of two edges: they overlap
// if none is positive (Gottschalk, Lin, Manocha, SIGGRAPH (1996) 171).
#include "element/shape/graded.h"
#include "element/shape/manifold.h"

#include "element/shape/constants.h"

// (2); s: from the middle of the edge
static tmli_graded before_end(const tmli_edge *e, tmli_graded s)
{
    const double sign = s.v < 0 ? -1 : 1, x = s.v / e->half, square = x * x, fourth = square * square;
    if (e->taper > 0)
        return tmli_graded_falling(
            tmli_graded_function(sign / e->taper, (sign * s.v - e->half) / e->taper + 1, s));
    return tmli_graded_function(-8 * x * square * fourth / e->half, 1 - fourth * fourth, s);
}

// (6); s: from the middle of the axis
static tmli_graded through_side(const tmli_edge *axis, tmli_graded s, tmli_graded spacing, double reach)
{
    const double sign = s.v < 0 ? -1 : 1, width = TAPER * axis->taper;
    const tmli_graded x = tmli_graded_sum(-1 / width, spacing, sign * SHORTEST_WAY / width, s,
                                          (reach - SHORTEST_WAY * axis->half) / width - 1);
    return tmli_graded_falling(x);
}

typedef struct candidate {
    tmli_contact_point k;
    tmli_graded weight, spacing;
} candidate;

enum { DEEP = 24, EDGES = TMLI_POLYTOPE_EDGES };

typedef struct crossings {
    tmli_manifold *m;
    double rounding;  // of Y [m]
    double reach;     // sum of the roundings [m]
    int ndeep;
    candidate deep[DEEP];  // those that overlap with their cores
} crossings;

// An edge in inertial axes
static tmli_edge edge_at(const tmli_edge *e, const tmli_place *x)
{
    tmli_edge out = *e;
    out.middle = v3_add(x->c, m3_mulv(&x->A, e->middle));
    out.e = m3_mulv(&x->A, e->e);
    for (int i = 0; i < e->nfaces; i++) out.into[i] = m3_mulv(&x->A, e->into[i]);
    return out;
}

// How far n is beyond the faces of an edge.
static double beyond_faces(const tmli_edge *e, vec3 n)
{
    double most = -1;
    for (int i = 0; i < e->nfaces; i++) most = fmax(most, v3_dot(n, e->into[i]));
    return most;
}

// The factors of (4) of both edges; dn = sign/|e x f| (c th - f (e.th)) across n
static tmli_graded facing(const tmli_edge *X, const tmli_edge *Y, vec3 n, double sign, double sine, double c)
{
    tmli_graded all = {.v = 1};
    for (int i = 0; i < X->nfaces + Y->nfaces; i++) {
        const bool own = i < X->nfaces;
        const vec3 u = own ? X->into[i] : Y->into[i - X->nfaces], t = v3_axpy(-v3_dot(n, u), n, u);
        const vec3 turn = v3_scale(sign / sine, v3_axpy(-v3_dot(t, Y->e), X->e, v3_scale(c, t)));
        tmli_graded x = {.v = v3_dot(n, u), .turn = turn};
        if (!own) {
            x.v = -x.v;
            x.turn = v3_sub(v3_scale(-1, turn), v3_cross(u, n));
        }
        const double range = NOT_FACING - FACING;
        all = tmli_graded_product(
            all, tmli_graded_falling(tmli_graded_function(1 / range, (x.v - FACING) / range, x)));
    }
    return all;
}

// The point of two edges, if they pass each other between their ends, face each other and are near.
static bool cross(const crossings *all, const tmli_edge *X, const tmli_edge *Y, candidate *out)
{
    const vec3 normal = v3_cross(X->e, Y->e), w = v3_sub(Y->middle, X->middle);
    const double c = v3_dot(X->e, Y->e), square = v3_dot(normal, normal);
    if (square < PARALLEL_LINES * PARALLEL_LINES) return false;
    const double we = v3_dot(w, X->e), wf = v3_dot(w, Y->e), s = (we - c * wf) / square,
                 t = (c * we - wf) / square, sine = sqrt(square);
    if (fabs(s) >= X->half || fabs(t) >= Y->half) return false;
    vec3 n = v3_scale(1 / sine, normal);
    const double one = fmax(beyond_faces(X, n), beyond_faces(Y, v3_scale(-1, n))),
                 other = fmax(beyond_faces(X, v3_scale(-1, n)), beyond_faces(Y, n));
    const bool faces = X->nfaces + Y->nfaces > 0;
    const double sign = (faces ? one <= other : v3_dot(n, w) >= 0) ? 1 : -1;
    n = v3_scale(sign, n);
    const double spacing = v3_dot(n, w), gap = spacing - all->reach;
    if (fmin(one, other) >= NOT_FACING || (gap >= 0 && (all->m->count > 0 || gap >= all->m->gap)))
        return false;
    const tmli_graded dt = {t, v3_scale(-1 / square, v3_axpy(-c, X->e, Y->e)),
                            v3_scale(-spacing / square, v3_cross(Y->e, n))},
                      ds = {s, v3_axpy(c, dt.move, X->e), v3_scale(c, dt.turn)},
                      dq = {.v = square, .turn = v3_scale(-2 * c, v3_cross(Y->e, X->e))};
    const double p = PARALLEL_EDGES * PARALLEL_EDGES, q = square + p;
    tmli_graded weight = tmli_graded_product(before_end(X, ds), before_end(Y, dt));
    weight =
        tmli_graded_product(weight, tmli_graded_function((1 + p) * p / (q * q), (1 + p) * square / q, dq));
    weight = tmli_graded_product(weight, facing(X, Y, n, sign, sine, c));
    const tmli_graded distance = {.v = spacing, .move = n};
    if (X->taper > 0) weight = tmli_graded_product(weight, through_side(X, ds, distance, all->reach));
    if (Y->taper > 0) weight = tmli_graded_product(weight, through_side(Y, dt, distance, all->reach));
    *out = (candidate){.k = {.n = n,
                             .b = v3_axpy(t, Y->e, Y->middle),
                             .rounding = all->rounding,
                             .gap = gap,
                             .feature = TMLI_FEATURE_LINE,
                             .e = X->e,
                             .f = Y->e,
                             .spacing = spacing},
                       .weight = weight,
                       .spacing = distance};
    return weight.v > 0;
}

static void put(const crossings *all, const candidate *found, tmli_graded weight)
{
    tmli_contact_point k = found->k;
    k.fade = 1 - weight.v;
    k.fade_move = v3_scale(-1, weight.move);
    k.fade_turn = v3_scale(-1, weight.turn);
    if (weight.v > 0) tmli_manifold_put(all->m, &k);
}

// ---- depth of the cores -----------------------------------------------------------------------------------

// The largest distance of the vertices of Y from a face of X; about the origin.
static tmli_graded face_distance(const tmli_polytope *X, const tmli_place *x, const tmli_polytope *Y,
                                 const tmli_place *y, bool swapped)
{
    tmli_graded most = {.v = -INFINITY};
    for (int i = 0; i < X->nfaces; i++) {
        const vec3 n = m3_mulv(&x->A, X->face[i].n), own = m3_tmulv(&y->A, n);
        double least = INFINITY;
        vec3 at = y->c;
        for (int j = 0; j < Y->nvertices; j++) {
            const double along = v3_dot(own, Y->vertex[j]);
            if (along >= least) continue;
            least = along;
            at = v3_add(y->c, m3_mulv(&y->A, Y->vertex[j]));
        }
        const double d = v3_dot(n, v3_sub(at, x->c)) - X->face[i].h;
        if (d <= most.v) continue;
        // seen from the other side the vertex is at rest, and the face moves
        const vec3 move = swapped ? v3_scale(-1, n) : n;
        most = (tmli_graded){d, move, v3_cross(at, move)};
    }
    return most;
}

// The vertex of a core that is farthest along n.
static vec3 farthest(const tmli_polytope *P, const tmli_place *x, vec3 n)
{
    const vec3 own = m3_tmulv(&x->A, n);
    double most = -INFINITY;
    int best = 0;
    for (int i = 0; i < P->nvertices; i++) {
        const double along = v3_dot(own, P->vertex[i]);
        if (along <= most) continue;
        most = along;
        best = i;
    }
    return v3_add(x->c, m3_mulv(&x->A, P->vertex[best]));
}

/** A core and its edges near the other one. */
typedef struct side {
    const tmli_polytope *core;
    const tmli_place *x;
    int n;
    tmli_edge edge[EDGES];
} side;

// The distance along +-(e x f), about the origin; with the points a, b of the cores that face each other
// n.(b - a) changes by the motion of b along n and by that of n.
static tmli_graded edge_distance(const side *X, const side *Y, vec3 e, vec3 f, double sign)
{
    const vec3 normal = v3_cross(e, f);
    const double sine = v3_norm(normal), c = v3_dot(e, f);
    if (sine < PARALLEL_LINES) return (tmli_graded){.v = -INFINITY};
    const vec3 n = v3_scale(sign / sine, normal), a = farthest(X->core, X->x, n),
               b = farthest(Y->core, Y->x, v3_scale(-1, n)), w = v3_sub(b, a),
               t = v3_axpy(-v3_dot(n, w), n, w);
    const vec3 turn = v3_scale(sign / sine, v3_axpy(-v3_dot(t, f), e, v3_scale(c, t)));
    return (tmli_graded){v3_dot(n, w), n, v3_add(turn, v3_cross(b, n))};
}

static tmli_graded core_distance(const side *X, const side *Y)
{
    const tmli_graded a = face_distance(X->core, X->x, Y->core, Y->x, false),
                      b = face_distance(Y->core, Y->x, X->core, X->x, true);
    tmli_graded best = a.v > b.v ? a : b;
    for (int i = 0; i < 2 * X->n * Y->n; i++) {
        const int k = i / 2;
        const tmli_graded d =
            edge_distance(X, Y, X->edge[k / Y->n].e, Y->edge[k % Y->n].e, i % 2 == 0 ? 1 : -1);
        if (d.v > best.v) best = d;
    }
    return best;
}

// (5)
static void put_deep(const crossings *all, tmli_graded depth)
{
    for (int i = 0; i < all->ndeep; i++) {
        const candidate *k = &all->deep[i];
        const double less = depth.v < 0 ? SHORTEST_WAY : 0;
        const tmli_graded d = tmli_graded_about(depth, v3(0, 0, 0), k->k.b);
        const tmli_graded x = {
            (less * depth.v - k->spacing.v) / all->reach,
            v3_scale(1 / all->reach, v3_axpy(less, d.move, v3_scale(-1, k->spacing.move))),
            v3_scale(1 / all->reach, v3_axpy(less, d.turn, v3_scale(-1, k->spacing.turn)))};
        put(all, k, tmli_graded_product(k->weight, tmli_graded_falling(x)));
    }
}

// ---- pairs ------------------------------------------------------------------------------------------------

// The edges of a core that are within `limit` of the other one, in inertial axes; returns their number.
static int near_edges(const tmli_polytope *own, const tmli_place *x, const tmli_polytope *other,
                      const tmli_place *y, double limit, tmli_edge out[EDGES])
{
    int n = 0;
    for (int i = 0; i < own->nedges; i++) {
        const tmli_edge e = edge_at(&own->edge[i], x);
        const vec3 w = v3_sub(y->c, e.middle);
        const double along = fmin(fmax(v3_dot(w, e.e), -e.half), e.half);
        bool near = v3_norm(v3_axpy(-along, e.e, w)) <= other->bound + limit;
        const vec3 middle = m3_tmulv(&y->A, v3_scale(-1, w)), f = m3_tmulv(&y->A, e.e);
        for (int k = 0; k < other->nfaces && near; k++)
            near = v3_dot(other->face[k].n, middle) - e.half * fabs(v3_dot(other->face[k].n, f)) -
                       other->face[k].h <=
                   limit;
        if (near) out[n++] = e;
    }
    return n;
}

void tmli_manifold_edges(tmli_manifold *m, const tmli_polytope *X, const tmli_place *x,
                         const tmli_polytope *Y, const tmli_place *y)
{
    side a, b;
    crossings all;
    candidate k;
    a.core = X;
    a.x = x;
    b.core = Y;
    b.x = y;
    all.m = m;
    all.rounding = Y->rounding;
    all.reach = X->rounding + Y->rounding;
    all.ndeep = 0;
    const double limit = all.reach + (m->count > 0 ? 0 : m->gap);
    a.n = near_edges(X, x, Y, y, limit, a.edge);
    b.n = a.n > 0 ? near_edges(Y, y, X, x, limit, b.edge) : 0;
    for (int i = 0; i < a.n; i++)
        for (int j = 0; j < b.n; j++) {
            if (!cross(&all, &a.edge[i], &b.edge[j], &k)) continue;
            if (k.spacing.v >= 0) put(&all, &k, k.weight);
            else if (all.ndeep < DEEP) all.deep[all.ndeep++] = k;
        }
    if (all.ndeep > 0) put_deep(&all, core_distance(&a, &b));
}

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
//   1 - (s/S)^8, 1 - (t/T)^8                      at the ends, where vertices touch                       (2)
//   (1 + p^2) (1 - c^2)/(1 - c^2 + p^2)           for edges that are parallel, where vertices touch       (3)
//   F((n.u - FACING)/(NOT_FACING - FACING))       for n beyond a face; F(x) = 1 - 3 x^2 + 2 x^3, 0..1     (4)
//   F((1.5 min(d, 0) - n.w)/r)                    where the cores overlap by -d, for pairs that are much  (5)
//                                                 deeper; r: sum of the roundings
// d is the largest distance of the cores along the normal of a face (Gottschalk, Lin, Manocha, SIGGRAPH
// (1996) 171) or of such a pair, less the size of the bodies times what the pair lacks.
#include "element/shape/manifold.h"

#include "element/shape/constants.h"

// A number that changes with the place: d(v) = move.b' + turn.th as in (4) of point.h, about a point b.
typedef struct graded {
    double v;
    vec3 move, turn;
} graded;

static graded product(graded a, graded b)
{
    return (graded){a.v * b.v, v3_add(v3_scale(a.v, b.move), v3_scale(b.v, a.move)),
                    v3_add(v3_scale(a.v, b.turn), v3_scale(b.v, a.turn))};
}

static graded scaled(double slope, double v, graded a)
{
    return (graded){v, v3_scale(slope, a.move), v3_scale(slope, a.turn)};
}

// F of (4)
static graded falling(graded x)
{
    if (x.v <= 0) return (graded){.v = 1};
    if (x.v >= 1) return (graded){.v = 0};
    return scaled(-6 * x.v * (1 - x.v), 1 - x.v * x.v * (3 - 2 * x.v), x);
}

// (2); x = s/S
static graded before_end(graded x)
{
    const double square = x.v * x.v, fourth = square * square;
    return scaled(-8 * x.v * square * fourth, 1 - fourth * fourth, x);
}

typedef struct candidate {
    tmli_contact_point k;
    graded weight, spacing;
} candidate;

enum { DEEP = 24, EDGES = TMLI_POLYTOPE_EDGES };

typedef struct crossings {
    tmli_manifold *m;
    double rounding;     // of Y [m]
    double reach, size;  // sum of the roundings, of the bounds [m]
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
static graded facing(const tmli_edge *X, const tmli_edge *Y, vec3 n, double sign, double sine, double c)
{
    graded all = {.v = 1};
    for (int i = 0; i < X->nfaces + Y->nfaces; i++) {
        const bool own = i < X->nfaces;
        const vec3 u = own ? X->into[i] : Y->into[i - X->nfaces], t = v3_axpy(-v3_dot(n, u), n, u);
        const vec3 turn = v3_scale(sign / sine, v3_axpy(-v3_dot(t, Y->e), X->e, v3_scale(c, t)));
        graded x = {.v = v3_dot(n, u), .turn = turn};
        if (!own) {
            x.v = -x.v;
            x.turn = v3_sub(v3_scale(-1, turn), v3_cross(u, n));
        }
        const double range = NOT_FACING - FACING;
        all = product(all, falling(scaled(1 / range, (x.v - FACING) / range, x)));
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
    const double sign = one <= other ? 1 : -1;
    n = v3_scale(sign, n);
    const double spacing = v3_dot(n, w), gap = spacing - all->reach;
    if (fmin(one, other) >= NOT_FACING || (gap >= 0 && (all->m->count > 0 || gap >= all->m->gap)))
        return false;
    const graded dt = {t, v3_scale(-1 / square, v3_axpy(-c, X->e, Y->e)),
                       v3_scale(-spacing / square, v3_cross(Y->e, n))},
                 ds = {s, v3_axpy(c, dt.move, X->e), v3_scale(c, dt.turn)},
                 dq = {.v = square, .turn = v3_scale(-2 * c, v3_cross(Y->e, X->e))};
    const double p = PARALLEL_EDGES * PARALLEL_EDGES, q = square + p;
    graded weight = product(before_end(scaled(1 / X->half, s / X->half, ds)),
                            before_end(scaled(1 / Y->half, t / Y->half, dt)));
    weight = product(weight, scaled((1 + p) * p / (q * q), (1 + p) * square / q, dq));
    weight = product(weight, facing(X, Y, n, sign, sine, c));
    *out = (candidate){.k = {.n = n,
                             .b = v3_axpy(t, Y->e, Y->middle),
                             .rounding = all->rounding,
                             .gap = gap,
                             .feature = TMLI_FEATURE_LINE,
                             .e = X->e,
                             .f = Y->e,
                             .spacing = spacing},
                       .weight = weight,
                       .spacing = {.v = spacing, .move = n}};
    return weight.v > 0;
}

static void put(const crossings *all, const candidate *found, graded weight)
{
    tmli_contact_point k = found->k;
    k.fade = 1 - weight.v;
    k.fade_move = v3_scale(-1, weight.move);
    k.fade_turn = v3_scale(-1, weight.turn);
    if (weight.v > 0) tmli_manifold_put(all->m, &k);
}

// ---- depth of the cores -----------------------------------------------------------------------------------

// The largest distance of the vertices of Y from a face of X; about the origin.
static graded face_distance(const tmli_polytope *X, const tmli_place *x, const tmli_polytope *Y,
                            const tmli_place *y, bool swapped)
{
    graded most = {.v = -INFINITY};
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
        most = (graded){d, move, v3_cross(at, move)};
    }
    return most;
}

// The same number about another point: b'_to = b'_from + th x (to - from)
static graded about(graded x, vec3 from, vec3 to)
{
    x.turn = v3_sub(x.turn, v3_cross(v3_sub(to, from), x.move));
    return x;
}

static graded core_distance(const crossings *all, const tmli_shape *X, const tmli_place *x,
                            const tmli_shape *Y, const tmli_place *y)
{
    const graded a = face_distance(X->core, x, Y->core, y, false),
                 b = face_distance(Y->core, y, X->core, x, true);
    graded best = a.v > b.v ? a : b;
    for (int i = 0; i < all->ndeep; i++) {
        const candidate *k = &all->deep[i];
        const double d = k->spacing.v - (1 - k->weight.v) * all->size;
        if (d <= best.v) continue;
        best = (graded){d, v3_axpy(all->size, k->weight.move, k->spacing.move),
                        v3_axpy(all->size, k->weight.turn, k->spacing.turn)};
        best = about(best, k->k.b, v3(0, 0, 0));
    }
    return best;
}

// (5)
static void put_deep(const crossings *all, graded depth)
{
    for (int i = 0; i < all->ndeep; i++) {
        const candidate *k = &all->deep[i];
        const double less = depth.v < 0 ? SHORTEST_WAY : 0;
        const graded d = about(depth, v3(0, 0, 0), k->k.b);
        const graded x = {(less * depth.v - k->spacing.v) / all->reach,
                          v3_scale(1 / all->reach, v3_axpy(less, d.move, v3_scale(-1, k->spacing.move))),
                          v3_scale(1 / all->reach, v3_axpy(less, d.turn, v3_scale(-1, k->spacing.turn)))};
        put(all, k, product(k->weight, falling(x)));
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

void tmli_manifold_edges(tmli_manifold *m, const tmli_shape *X, const tmli_place *x, const tmli_shape *Y,
                         const tmli_place *y)
{
    tmli_edge a[EDGES], b[EDGES];
    crossings all;
    candidate k;
    all.m = m;
    all.rounding = Y->core->rounding;
    all.reach = X->core->rounding + Y->core->rounding;
    all.size = X->core->bound + Y->core->bound;
    all.ndeep = 0;
    const double limit = all.reach + (m->count > 0 ? 0 : m->gap);
    const int na = near_edges(X->core, x, Y->core, y, limit, a),
              nb = na > 0 ? near_edges(Y->core, y, X->core, x, limit, b) : 0;
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) {
            if (!cross(&all, &a[i], &b[j], &k)) continue;
            if (k.spacing.v >= 0) put(&all, &k, k.weight);
            else if (all.ndeep < DEEP) all.deep[all.ndeep++] = k;
        }
    if (all.ndeep > 0) put_deep(&all, core_distance(&all, X, x, Y, y));
}

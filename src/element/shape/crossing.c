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
//   F((|s| - S)/l + 1), likewise t, T             on the last part l of an edge, where vertices touch: as (2)
//                                                 long as vertices feel edges, and a part of S; for the
//                                                 axis of a cylinder a part of its radius
//   (1 + p^2) (1 - c^2)/(1 - c^2 + p^2)           for edges that are parallel, where vertices touch       (3)
//   F((n.u - FACING)/(NOT_FACING - FACING))       for n beyond a face; F(x) = 1 - 3 x^2 + 2 x^3, 0..1     (4)
//   F((1.5 min(d, 0) - n.w)/r)                    where the cores overlap by -d, for pairs that are much  (5)
//                                                 deeper; r: sum of the roundings
//   F((r - n.w - 1.5 (S - |s|))/w - 1)            for the axis of a cylinder, where the way out through   (6)
//                                                 its end is shorter; w: a small part of its radius
// d is the largest distance of the cores along the normal of a face or along e x f of two edges: they overlap
// if none is positive (Gottschalk, Lin, Manocha, SIGGRAPH (1996) 171).
//
// All factors end with the slope 0: their gradient is a force, (4) of point.h, and if that jumped where a
// point ends, a body could be held there by a force of any size below the jump, which no step resolves.
#include "element/shape/graded.h"
#include "element/shape/manifold.h"

#include "element/shape/constants.h"

// (2); s: from the middle of the edge
static tmli_graded before_end(const tmli_edge *e, const tmli_graded *s, double reach)
{
    const double sign = s->v < 0 ? -1 : 1,
                 taper = e->taper > 0 ? e->taper : fmin(EDGE_END * reach, SHORT_EDGE * e->half);
    const tmli_graded part = tmli_graded_line(sign / taper, s, 1 - e->half / taper);
    return tmli_graded_falling(&part);
}

// (3); square: of the sine of the angle
static tmli_graded not_parallel(const tmli_graded *square)
{
    const double p = PARALLEL_EDGES * PARALLEL_EDGES, q = square->v + p, slope = (1 + p) * p / (q * q);
    return tmli_graded_function((1 + p) * square->v / q, slope, -2 * slope / q, square);
}

// (6); s: from the middle of the axis
static tmli_graded through_side(const tmli_edge *axis, const tmli_graded *s, const tmli_graded *spacing,
                                double reach)
{
    const double sign = s->v < 0 ? -1 : 1, width = TAPER * axis->taper;
    const tmli_graded x = tmli_graded_sum(-1 / width, spacing, sign * SHORTEST_WAY / width, s,
                                          (reach - SHORTEST_WAY * axis->half) / width - 1);
    return tmli_graded_falling(&x);
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
    vec3 pivot;       // centre of Y
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

// weight *= the factors of (4) of both edges; scale: sign/|e x f|, with which n.u is (u x e).f for u of X
// and e.(f x u) for u of Y
static void fade_beyond_faces(const tmli_edge *X, const tmli_edge *Y, const tmli_graded *scale,
                              tmli_graded *weight)
{
    for (int i = 0; i < X->nfaces + Y->nfaces; i++) {
        const bool own = i < X->nfaces;
        const tmli_graded u = own ? tmli_graded_turning(v3_cross(X->into[i], X->e), Y->e)
                                  : tmli_graded_turning(X->e, v3_cross(Y->into[i - X->nfaces], Y->e)),
                          along = tmli_graded_product(scale, &u);
        const double range = NOT_FACING - FACING;
        if (along.v <= FACING) continue;
        const tmli_graded x = tmli_graded_line(1 / range, &along, -FACING / range),
                          factor = tmli_graded_falling(&x);
        *weight = tmli_graded_product(weight, &factor);
    }
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
    const vec3 c_ = all->pivot, r = v3_sub(Y->middle, c_);
    const tmli_graded cosine = tmli_graded_turning(X->e, Y->e), ge = tmli_graded_point(X->e, c_, r),
                      along_X = tmli_graded_line(1, &ge, -v3_dot(X->e, X->middle)),
                      along_Y = tmli_graded_along(X->middle, Y->e, c_, r),
                      sine2 = tmli_graded_function(square, -2 * c, -2, &cosine),
                      inverse2 = tmli_graded_inverse(&sine2), root = tmli_graded_sqrt(&inverse2),
                      scale = tmli_graded_line(sign, &root, 0),
                      lines = tmli_graded_crossing(X->e, X->middle, Y->e, c_, r),
                      distance = tmli_graded_product(&scale, &lines);
    const tmli_graded c_wf = tmli_graded_product(&cosine, &along_Y),
                      c_we = tmli_graded_product(&cosine, &along_X),
                      s_ = tmli_graded_sum(1, &along_X, -1, &c_wf, 0),
                      t_ = tmli_graded_sum(1, &c_we, -1, &along_Y, 0),
                      gs = tmli_graded_product(&s_, &inverse2), gt = tmli_graded_product(&t_, &inverse2);
    tmli_graded weight = before_end(X, &gs, all->reach), factor = before_end(Y, &gt, all->reach);
    weight = tmli_graded_product(&weight, &factor);
    factor = not_parallel(&sine2);
    weight = tmli_graded_product(&weight, &factor);
    fade_beyond_faces(X, Y, &scale, &weight);
    for (int k = 0; k < 2; k++) {
        const tmli_edge *axis = k == 0 ? X : Y;
        if (axis->taper == 0) continue;
        factor = through_side(axis, k == 0 ? &gs : &gt, &distance, all->reach);
        weight = tmli_graded_product(&weight, &factor);
    }
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

static void put(const crossings *all, const candidate *found, const tmli_graded *weight)
{
    tmli_contact_point k = found->k;
    k.fade = tmli_graded_line(-1, weight, 1);
    k.pivot = all->pivot;
    k.shallow = all->reach;
    if (weight->v > 0) tmli_manifold_put(all->m, &k);
}

// ---- depth of the cores -----------------------------------------------------------------------------------

/** A core and its edges near the other one. */
typedef struct side {
    const tmli_polytope *core;
    const tmli_place *x;
    int n;
    tmli_edge edge[EDGES];
} side;

// A distance of the cores along the normal n of a face of X or Y, or along n = +-(e x f)
typedef struct separation {
    double d;
    enum { FACE_OF_X, FACE_OF_Y, TWO_EDGES } kind;
    vec3 n, e, f;
    int face;
    double h;   // of the face
    vec3 a, b;  // points of X and Y
} separation;

// The radius of a sphere about the centre of a core that is within it
static double inner_radius(const tmli_polytope *P)
{
    double least = P->nfaces > 0 ? INFINITY : 0;
    for (int i = 0; i < P->nfaces; i++) least = fmin(least, P->face[i].h);
    return least;
}

// The largest distance of the vertices of another core from a face of one
static separation face_distance(const tmli_polytope *X, const tmli_place *x, const tmli_polytope *Y,
                                const tmli_place *y)
{
    separation most = {.d = -INFINITY};
    const vec3 between = v3_sub(y->c, x->c), seen = m3_tmulv(&x->A, between);
    const double inner = inner_radius(Y);
    for (int i = 0; i < X->nfaces; i++) {
        const double h = X->face[i].h, centre = v3_dot(X->face[i].n, seen) - h;
        if (centre - inner <= most.d) continue;
        const vec3 n = m3_mulv(&x->A, X->face[i].n), own = m3_tmulv(&y->A, n);
        double least = INFINITY;
        int best = 0;
        for (int j = 0; j < Y->nvertices; j++) {
            const double along = v3_dot(own, Y->vertex[j]);
            if (along >= least) continue;
            least = along;
            best = j;
        }
        if (centre + least <= most.d) continue;
        const vec3 at = v3_add(y->c, m3_mulv(&y->A, Y->vertex[best]));
        most = (separation){.d = centre + least, .n = n, .face = i, .h = h, .a = x->c, .b = at};
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

static separation edge_distance(const side *X, const side *Y, vec3 e, vec3 f, double sign)
{
    const vec3 normal = v3_cross(e, f);
    const double sine = v3_norm(normal);
    if (sine < PARALLEL_LINES) return (separation){.d = -INFINITY};
    const vec3 n = v3_scale(sign / sine, normal), a = farthest(X->core, X->x, n),
               b = farthest(Y->core, Y->x, v3_scale(-1, n));
    return (separation){v3_dot(n, v3_sub(b, a)), TWO_EDGES, n, e, f, 0, 0, a, b};
}

// The distance with its derivatives
static tmli_graded graded_distance(const separation *s, vec3 pivot)
{
    if (s->kind == FACE_OF_X) {
        const tmli_graded along = tmli_graded_point(s->n, pivot, v3_sub(s->b, pivot));
        return tmli_graded_line(1, &along, -v3_dot(s->n, s->a) - s->h);
    }
    if (s->kind == FACE_OF_Y) {
        const tmli_graded along = tmli_graded_along(s->b, s->n, pivot, v3(0, 0, 0));
        return tmli_graded_line(-1, &along, -s->h);
    }
    const double c = v3_dot(s->e, s->f), sign = v3_dot(v3_cross(s->e, s->f), s->n) < 0 ? -1 : 1;
    const tmli_graded cosine = tmli_graded_turning(s->e, s->f),
                      square = tmli_graded_function(1 - c * c, -2 * c, -2, &cosine),
                      inverse = tmli_graded_inverse(&square), root = tmli_graded_sqrt(&inverse),
                      lines = tmli_graded_crossing(s->e, s->a, s->f, pivot, v3_sub(s->b, pivot)),
                      distance = tmli_graded_product(&root, &lines);
    return tmli_graded_line(sign, &distance, 0);
}

// The largest distance along the normal of a face of either
static separation faces_apart(const tmli_polytope *X, const tmli_place *x, const tmli_polytope *Y,
                              const tmli_place *y)
{
    const separation own = face_distance(X, x, Y, y);
    separation other = face_distance(Y, y, X, x);
    other.kind = FACE_OF_Y;
    return own.d >= other.d ? own : other;
}

static tmli_graded core_distance(const side *X, const side *Y, const separation *faces)
{
    separation best = *faces;
    for (int i = 0; i < 2 * X->n * Y->n; i++) {
        const int k = i / 2;
        const separation s =
            edge_distance(X, Y, X->edge[k / Y->n].e, Y->edge[k % Y->n].e, i % 2 == 0 ? 1 : -1);
        if (s.d > best.d) best = s;
    }
    return graded_distance(&best, Y->x->c);
}

// (5)
static void put_deep(const crossings *all, const tmli_graded *depth)
{
    const double less = depth->v < 0 ? SHORTEST_WAY : 0;
    for (int i = 0; i < all->ndeep; i++) {
        const candidate *k = &all->deep[i];
        const tmli_graded x = tmli_graded_sum(less / all->reach, depth, -1 / all->reach, &k->spacing, 0),
                          factor = tmli_graded_falling(&x), weight = tmli_graded_product(&k->weight, &factor);
        put(all, k, &weight);
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
    all.pivot = y->c;
    all.ndeep = 0;
    // an edge that crosses with a weight is as near to the other core as the crossing is deep
    const separation faces = faces_apart(X, x, Y, y);
    const double limit = all.reach + (m->count > 0 ? 0 : m->gap) + SHORTEST_WAY * fmax(-faces.d, 0);
    if (faces.d > limit) return;
    a.n = near_edges(X, x, Y, y, limit, a.edge);
    b.n = a.n > 0 ? near_edges(Y, y, X, x, limit, b.edge) : 0;
    for (int i = 0; i < a.n; i++)
        for (int j = 0; j < b.n; j++) {
            if (!cross(&all, &a.edge[i], &b.edge[j], &k)) continue;
            if (k.spacing.v >= 0) put(&all, &k, &k.weight);
            else if (all.ndeep < DEEP) all.deep[all.ndeep++] = k;
        }
    if (all.ndeep == 0) return;
    const tmli_graded depth = core_distance(&a, &b, &faces);
    put_deep(&all, &depth);
}

bool tmli_cores_overlap(const tmli_polytope *X, const tmli_place *x, const tmli_polytope *Y,
                        const tmli_place *y, int *face, tmli_graded *depth)
{
    const separation own = face_distance(X, x, Y, y);
    if (own.d >= 0) return false;
    separation other = face_distance(Y, y, X, x);
    if (other.d >= 0) return false;
    other.kind = FACE_OF_Y;
    side a = {.core = X, .x = x}, b = {.core = Y, .x = y};
    const double limit = -fmax(own.d, other.d);
    a.n = near_edges(X, x, Y, y, limit, a.edge);
    b.n = a.n > 0 ? near_edges(Y, y, X, x, limit, b.edge) : 0;
    const tmli_graded distance = core_distance(&a, &b, own.d >= other.d ? &own : &other);
    *face = own.face;
    *depth = tmli_graded_line(-1, &distance, 0);
    return distance.v < 0;
}

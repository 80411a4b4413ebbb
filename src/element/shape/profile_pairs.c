// Profiles of planar models beside discs, planes and each other.
//
// Where two curves touch, they have a common normal n; each is its circle of curvature to the second order.
// The circle of Y, with the radius rho about b = c + rho n, is the feature of Y in (1) of point.h: as the
// point of contact moves along Y, b moves along n by the change of rho, which p does not see. Beside a curve
// of X with the curvature k (positive: convex) at the distance L = gap + rho of b, n turns by
//   dn = t (t.b') k/(1 + k L)                                                                             (1)
// which is (3) of point.h with 1/L = k/(1 + k L).
//
// Convex arcs are discs: the rounded corners of a polygon, of which several touch at once where it lies on a
// side. Other pieces touch where the distance of the outlines has a local minimum.
#include "element/shape/manifold.h"

#include "element/shape/constants.h"

static tmli_vec2 seen_from(const tmli_place *x, vec3 p)
{
    const vec3 q = m3_tmulv(&x->A, v3_sub(p, x->c));
    return (tmli_vec2){q.x, q.y};
}
static vec3 direction(const tmli_place *x, tmli_vec2 a) { return m3_mulv(&x->A, v3(a.x, a.y, 0)); }
static vec3 place_of(const tmli_place *x, tmli_vec2 a) { return v3_add(x->c, direction(x, a)); }

// 1/L of (1); two curves that fit into each other have no limit of it
static double inverse_of(double k, double distance)
{
    const double rest = 1 + k * distance;
    return k / (fabs(rest) > FITTING ? rest : copysign(FITTING, rest));
}

// ---- discs ------------------------------------------------------------------------------------------------

/** A disc about b beside the outline of X. */
typedef struct disc {
    tmli_manifold *m;
    const tmli_place *x;
    vec3 b;
    tmli_vec2 p;  // b seen from X
    double radius;
    bool swapped;
    bool skip_arcs;  // those of X have touched already
} disc;

static void put_disc(const disc *d, const tmli_outline_place *at, double distance)
{
    if (d->skip_arcs && at->arc && at->curvature > 0) return;
    const tmli_contact_point k = {.n = direction(d->x, at->n),
                                  .b = d->b,
                                  .rounding = d->radius,
                                  .gap = distance - d->radius,
                                  .swapped = d->swapped,
                                  .inverse = inverse_of(at->curvature, distance),
                                  .share = 1,
                                  .e = m3_col(&d->x->A, 2)};
    tmli_manifold_put(d->m, &k);
}

static void visit_disc(const tmli_outline_place *at, void *user)
{
    const disc *d = user;
    const double distance = (d->p.x - at->c.x) * at->n.x + (d->p.y - at->c.y) * at->n.y;
    if (distance > 0) put_disc(d, at, distance);  // else it is on the other side of a thin wall
}

// All places where the disc touches; with its centre inside, the nearest one.
static void touch_disc(const disc *d, const tmli_outline *o)
{
    double distance;
    const tmli_outline_place at = tmli_outline_nearest(o, d->p, &distance);
    if (distance <= 0) put_disc(d, &at, distance);
    else (void)tmli_outline_near(o, d->p, fmax(distance * (1 + 1e-9), d->radius), visit_disc, (void *)d);
}

int tmli_profile_sphere(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                        tmli_contact_point *out)
{
    tmli_manifold m = {.out = out, .gap = INFINITY};
    const disc d = {&m, x, y->c, seen_from(x, y->c), Y->radius, false, false};
    touch_disc(&d, X->outline);
    return tmli_manifold_count(&m);
}

// ---- planes -----------------------------------------------------------------------------------------------

// A place of the outline of Y over a plane.
static void put_over_plane(tmli_manifold *m, const tmli_place *x, const tmli_place *y, vec3 n,
                           tmli_vec2 centre, double radius)
{
    const vec3 b = place_of(y, centre);
    const tmli_contact_point k = {
        .n = n, .b = b, .rounding = radius, .gap = v3_dot(n, v3_sub(b, x->c)) - radius};
    tmli_manifold_put(m, &k);
}

// Where the tangent is along the plane with the normal a, within part k: by halving and Newton's method.
static tmli_outline_place lowest_in(const tmli_outline *o, int k, tmli_vec2 a)
{
    double low = 0, high = 1, x = 0.5;
    tmli_outline_place at = tmli_outline_at(o, k + x);
    for (int i = 0; i < SEARCH; i++) {
        const double slope = (a.y * at.n.x - a.x * at.n.y) * at.speed;  // a.c'
        // the tangent turns by the curvature times the way
        const double change = -(a.x * at.n.x + a.y * at.n.y) * at.curvature * at.speed * at.speed;
        if (slope < 0) low = x;
        else high = x;
        double to = change > 0 ? x - slope / change : 2;
        if (!(to >= low && to <= high)) to = (low + high) / 2;
        if (fabs(to - x) < FOUND) return at;
        x = to;
        at = tmli_outline_at(o, k + x);
    }
    return at;
}

int tmli_profile_plane(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                       tmli_contact_point *out)
{
    (void)X;
    tmli_manifold m = {.out = out, .gap = INFINITY};
    const tmli_outline *o = Y->outline;
    const vec3 n = m3_col(&x->A, 2), own = m3_tmulv(&y->A, n);
    const tmli_vec2 a = {own.x, own.y};
    for (int k = 0; k < o->nparts; k++) {
        const tmli_outline_piece *piece = &o->piece[k / TMLI_OUTLINE_PARTS];
        if (piece->arc && piece->sweep > 0) {
            if (k % TMLI_OUTLINE_PARTS == 0) put_over_plane(&m, x, y, n, piece->centre, piece->radius);
            continue;
        }
        const int next = k + 1 < o->nparts ? k + 1 : 0;
        const double before = a.x * o->along[k].x + a.y * o->along[k].y,
                     after = a.x * o->along[next].x + a.y * o->along[next].y;
        if (!(before <= 0 && after > 0)) continue;
        const tmli_outline_place at = lowest_in(o, k, a);
        if (!(at.curvature > 0)) continue;
        const double rho = fmin(1 / at.curvature, FLAT * o->bound);
        put_over_plane(&m, x, y, n, (tmli_vec2){at.c.x - rho * at.n.x, at.c.y - rho * at.n.y}, rho);
    }
    return tmli_manifold_count(&m);
}

// ---- two profiles -----------------------------------------------------------------------------------------

/** The outline of Y seen from X. */
typedef struct meeting {
    tmli_manifold *m;
    const tmli_shape *X, *Y;
    const tmli_place *x, *y;
    tmli_vec2 shift;  // of the origin of Y
    double c, s;      // cosine and sine of its rotation
} meeting;

static tmli_vec2 turned(const meeting *q, tmli_vec2 a)
{
    return (tmli_vec2){q->c * a.x - q->s * a.y, q->s * a.x + q->c * a.y};
}
static tmli_vec2 moved(const meeting *q, tmli_vec2 a)
{
    const tmli_vec2 t = turned(q, a);
    return (tmli_vec2){t.x + q->shift.x, t.y + q->shift.y};
}

/** A place of Y with its foot on X. */
typedef struct facing {
    tmli_outline_place y, x;
    double distance;  // of the place of Y from X, negative inside
    double slope;     // its derivative by s of Y
} facing;

static void set_slope(const meeting *q, facing *f)
{
    const tmli_vec2 along = turned(q, (tmli_vec2){-f->y.n.y * f->y.speed, f->y.n.x * f->y.speed});
    f->slope = f->x.n.x * along.x + f->x.n.y * along.y;
}

static facing facing_at(const meeting *q, double s)
{
    facing f = {.y = tmli_outline_at(q->Y->outline, s)};
    f.x = tmli_outline_nearest(q->X->outline, moved(q, f.y.c), &f.distance);
    set_slope(q, &f);
    return f;
}

// The same if X is within reach.
static bool faces_at(const meeting *q, int k, double reach, facing *f)
{
    const tmli_outline *o = q->Y->outline;
    const int at = k < o->nparts ? k : 0;
    if (!tmli_outline_nearest_within(q->X->outline, moved(q, o->at[at]), reach, &f->x, &f->distance))
        return false;
    const tmli_vec2 along = turned(q, o->along[at]);
    f->slope = f->x.n.x * along.x + f->x.n.y * along.y;
    return true;
}

// The same near another one.
static facing facing_beside(const meeting *q, double s, const facing *known)
{
    facing f = {.y = tmli_outline_at(q->Y->outline, s)};
    const tmli_vec2 p = moved(q, f.y.c);
    if (!tmli_outline_follow(q->X->outline, p, known->x.s, &f.x)) return facing_at(q, s);
    f.distance = (p.x - f.x.c.x) * f.x.n.x + (p.y - f.x.c.y) * f.x.n.y;
    set_slope(q, &f);
    return f;
}

// The minimum between two places with slopes < 0 and > 0: the rule of false position, its ends halved where
// one stays (the Illinois method).
static facing nearest_between(const meeting *q, double s0, const facing *a, const facing *b)
{
    double low = 0, high = 1, f0 = a->slope, f1 = b->slope, x = f0 < 0 ? -f0 / (f1 - f0) : 0;
    facing at = facing_beside(q, s0 + x, a);
    for (int i = 0, side = 0; i < SEARCH && high - low > FOUND && at.slope != 0; i++) {
        if (at.slope < 0) {
            low = x;
            f0 = at.slope;
            if (side < 0) f1 /= 2;
            side = -1;
        } else {
            high = x;
            f1 = at.slope;
            if (side > 0) f0 /= 2;
            side = 1;
        }
        double to = low - f0 * (high - low) / (f1 - f0);
        if (!(to > low && to < high)) to = (low + high) / 2;
        if (fabs(to - x) < FOUND) break;
        x = to;
        at = facing_beside(q, s0 + x, &at);
    }
    return at;
}

// The place with the greater curvature is the circle b of (1).
static void put_facing(const meeting *q, const facing *f, bool reverse)
{
    const bool swapped = fabs(f->x.curvature) > fabs(f->y.curvature);
    const double k = swapped ? f->y.curvature : f->x.curvature,
                 own = swapped ? f->x.curvature : f->y.curvature;
    const double size = FLAT * (q->X->outline->bound + q->Y->outline->bound);
    const double rho = fabs(own) * size > 1 ? 1 / own : size;
    const vec3 away = direction(q->x, f->x.n), n = swapped ? v3_scale(-1, away) : away;
    const vec3 c = swapped ? place_of(q->x, f->x.c) : place_of(q->y, f->y.c);
    const tmli_contact_point point = {.n = n,
                                      .b = v3_axpy(rho, n, c),
                                      .rounding = rho,
                                      .gap = f->distance,
                                      .swapped = swapped != reverse,
                                      .inverse = inverse_of(k, f->distance + rho),
                                      .share = 1,
                                      .e = m3_col(&q->x->A, 2)};
    tmli_manifold_put(q->m, &point);
}

static bool is_disc(const tmli_outline_piece *p) { return p->arc && p->sweep > 0; }

// Corners of Y beside X.
static void touch_corners(const meeting *q, bool swapped)
{
    const tmli_outline *o = q->Y->outline;
    for (int k = 0; k < o->npieces; k++) {
        const tmli_outline_piece *piece = &o->piece[k];
        if (!is_disc(piece)) continue;
        const vec3 b = place_of(q->y, piece->centre);
        const disc d = {q->m, q->x, b, seen_from(q->x, b), piece->radius, swapped, swapped};
        const double beyond = hypot(d.p.x, d.p.y) - q->X->outline->bound - piece->radius;
        if (beyond > 0 && (q->m->count > 0 || beyond > q->m->gap)) continue;
        touch_disc(&d, q->X->outline);
    }
}

// A place deep in X, where its foot jumps from one side to the other, is no place of contact.
static bool is_kink(const facing *f) { return fabs(f->slope) > KINK * f->y.speed; }

// Whether the foot of the place of X is found from that of Y.
static bool is_known(const meeting *q, const facing *f)
{
    const tmli_place *x = q->x, *y = q->y;
    double distance;
    const tmli_outline_place back =
        tmli_outline_nearest(q->Y->outline, seen_from(y, place_of(x, f->x.c)), &distance);
    return fabs(fabs(distance) - fabs(f->distance)) <= KINK * q->Y->outline->longest ||
           fabs(back.s - f->y.s) < 1;
}

// Other pieces of Y beside those of X. Only where the outlines are nearer to each other than some parts are
// long, they are searched. False: a place of Y is deeper in X than its tip is round. Then the search from X
// finds what touches, `reverse`, and leaves out what the first one has found.
static bool touch_curves(const meeting *q, bool reverse)
{
    bool shallow = true;
    const tmli_outline *o = q->Y->outline;
    const double reach = SEARCHED * fmax(o->longest, q->X->outline->longest);
    for (int block = 0; block < o->nblocks; block++) {
        const tmli_vec2 middle = moved(q, o->block[block].middle);
        if (hypot(middle.x, middle.y) > q->X->outline->bound + o->block[block].reach + reach) continue;
        const int first = block * TMLI_OUTLINE_BLOCK,
                  end = first + TMLI_OUTLINE_BLOCK < o->nparts ? first + TMLI_OUTLINE_BLOCK : o->nparts;
        facing before, after;
        bool was_near = faces_at(q, first, reach, &before), is_near = false;
        for (int k = first; k < end; k++, before = after, was_near = is_near) {
            is_near = faces_at(q, k + 1, reach, &after);
            if (!was_near || !is_near || !(before.slope <= 0 && after.slope > 0)) continue;
            const double least = fmin(before.distance, after.distance) - o->longest;
            const bool wanted = least < 0 || (q->m->count == 0 && least < q->m->gap);
            if (!wanted || is_disc(&o->piece[k / TMLI_OUTLINE_PARTS])) continue;
            const facing f = nearest_between(q, k, &before, &after);
            const bool corner = f.x.arc && f.x.curvature > 0, flat = f.x.straight && f.y.straight;
            const bool kink = is_kink(&f);
            shallow = shallow && !kink;
            if (!corner && !flat && !kink && !(reverse && is_known(q, &f))) put_facing(q, &f, reverse);
        }
    }
    return shallow;
}

// Outlines that are not near each other, or so deep in each other that nothing faces: the nearest, or
// deepest, of some points of Y.
static void put_distance(const meeting *q)
{
    facing best = facing_at(q, 0);
    for (int block = 1; block < q->Y->outline->nblocks; block++) {
        const facing f = facing_at(q, block * TMLI_OUTLINE_BLOCK);
        if (f.distance < best.distance) best = f;
    }
    const tmli_contact_point point = {.n = direction(q->x, best.x.n),
                                      .b = place_of(q->y, best.y.c),
                                      .gap = best.distance,
                                      .inverse = inverse_of(best.x.curvature, best.distance),
                                      .share = 1,
                                      .e = m3_col(&q->x->A, 2)};
    tmli_manifold_put(q->m, &point);
}

static meeting meeting_of(tmli_manifold *m, const tmli_shape *X, const tmli_place *x, const tmli_shape *Y,
                          const tmli_place *y)
{
    const tmli_vec2 e = seen_from(&(tmli_place){v3(0, 0, 0), x->A}, m3_col(&y->A, 0));
    return (meeting){m, X, Y, x, y, seen_from(x, y->c), e.x, e.y};
}

int tmli_profile_profile(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                         tmli_contact_point *out)
{
    tmli_manifold m = {.out = out, .gap = INFINITY};
    const meeting q = meeting_of(&m, X, x, Y, y), reverse = meeting_of(&m, Y, y, X, x);
    touch_corners(&q, false);
    touch_corners(&reverse, true);
    if (!touch_curves(&q, false)) (void)touch_curves(&reverse, true);
    if (m.count == 0 && !isfinite(m.gap)) put_distance(&q);
    return tmli_manifold_count(&m);
}

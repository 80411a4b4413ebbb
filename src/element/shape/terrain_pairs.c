// Spheres, boxes, capsules, cylinders and meshes on a height field.
//
// A sphere touches in all feet of its centre that are nearer than its radius. Boxes, capsules and meshes
// touch with points fixed in them (tmli_polytope_samples), each a small sphere of the rounding of the core:
// its distance from the surface has continuous derivatives at any depth, so that the sum of their springs is
// a smooth potential, without features that begin and end.
//
// A cylinder touches with the points of the prism in it, and with the lowest points of circles about its
// axis, on which it rolls. The lowest point b of a circle with the axis f is where its tangent t is
// perpendicular to the normal n of the foot of b; it is found by Newton's method for the angle, with the
// slope of n.t, r t.W t - n.q, of point.c. Where the cylinder stands, with its axis near that of the field,
// the lowest point is not defined; before that, circles give up their force to the prism by
//   F((c^2 - LIES)/(STANDS - LIES)),   c: cosine between the axes, F: tmli_graded_falling.                (1)
// In hollows about as narrow as the cylinder a circle has several lowest points, which appear and vanish: on
// fields that have such hollows the prism touches alone.
//
// Points beyond the rectangle do not touch. The field has no side walls: without more, a point that comes in
// from the side below the surface would be deep in it at once. The force of each point, seen from above at x,
// is therefore multiplied by F(1 - (half - |x|)/cell), likewise along y, and its potential with it.
#include "element/shape/graded.h"
#include "element/shape/manifold.h"

#include "element/shape/constants.h"

static vec3 seen_from(const tmli_place *x, vec3 p) { return m3_tmulv(&x->A, v3_sub(p, x->c)); }

// k/(1 + k L); a sphere that fits into a hollow has no limit of it
static double inverse_of(double k, double L)
{
    const double rest = 1 + k * L;
    return k / (fabs(rest) > FITTING ? rest : copysign(FITTING, rest));
}

// A point b of Y with a radius about it, over its foot.
static tmli_contact_point point_over(const tmli_terrain_foot *f, const tmli_place *x, vec3 b, double radius)
{
    const double w[2] = {inverse_of(f->k[0], f->distance), inverse_of(f->k[1], f->distance)};
    const int most = fabs(w[1]) > fabs(w[0]);
    return (tmli_contact_point){.n = m3_mulv(&x->A, f->n),
                                .b = b,
                                .rounding = radius,
                                .gap = f->distance - radius,
                                .inverse = w[most],
                                .share = w[most] != 0 ? 1 - w[!most] / w[most] : 0,
                                .e = m3_mulv(&x->A, f->e[!most])};
}

// The part of the force of a point of Y, `arm` from its centre, that the edge leaves.
static tmli_graded part_within(const tmli_terrain *t, const tmli_place *x, const tmli_place *y, vec3 arm)
{
    const vec3 from = v3_sub(y->c, x->c), at = m3_tmulv(&x->A, v3_add(from, arm));
    const double place[2] = {at.x, at.y};
    tmli_graded part = {.v = 1};
    for (int i = 0; i < 2; i++) {
        const double band = t->cell[i], sign = place[i] < 0 ? -1 : 1;
        if (fabs(place[i]) <= t->half[i] - band) continue;
        const tmli_graded own = tmli_graded_point(v3_scale(sign, m3_col(&x->A, i)), from, arm),
                          beyond = tmli_graded_line(1 / band, &own, 1 - t->half[i] / band),
                          factor = tmli_graded_falling(&beyond);
        part = tmli_graded_product(&part, &factor);
    }
    return part;
}

// Take a point with a part of its force.
static void put_part(tmli_manifold *m, tmli_contact_point *k, const tmli_graded *part, const tmli_place *y)
{
    k->fade = tmli_graded_line(-1, part, 1);
    k->pivot = y->c;
    k->shallow = INFINITY;
    tmli_manifold_put(m, k);
}

// A point b that is not over the rectangle; its gap is its distance from it.
static void put_outside(tmli_manifold *m, const tmli_terrain *t, const tmli_place *x, vec3 b)
{
    const tmli_contact_point k = {
        .n = m3_col(&x->A, 2), .b = b, .gap = tmli_terrain_outside(t, seen_from(x, b))};
    tmli_manifold_put(m, &k);
}

int tmli_terrain_sphere(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                        tmli_contact_point *out)
{
    tmli_manifold m = {.out = out, .gap = INFINITY};
    tmli_terrain_foot foot[TMLI_TERRAIN_FEET];
    const vec3 own = seen_from(x, y->c);
    const tmli_graded part = part_within(X->terrain, x, y, v3(0, 0, 0));
    const int count = part.v > 0 ? tmli_terrain_feet(X->terrain, own, Y->radius, foot) : 0;
    for (int i = 0; i < count; i++) {
        tmli_contact_point k = point_over(&foot[i], x, y->c, Y->radius);
        put_part(&m, &k, &part, y);
    }
    if (count == 0) put_outside(&m, X->terrain, x, y->c);
    return tmli_manifold_count(&m);
}

// Whether what is within `radius` of b may overlap, or be the nearest so far.
static bool is_wanted(const tmli_manifold *m, const tmli_terrain *t, vec3 b, double radius)
{
    const double least = tmli_terrain_clearance(t, b) - radius;
    return least < 0 || (m->count == 0 && least < m->gap);
}

static void put_samples(tmli_manifold *m, const tmli_shape *X, const tmli_place *x, const tmli_shape *Y,
                        const tmli_place *y)
{
    const double radius = Y->core->rounding;
    for (int i = 0; i < Y->nsamples; i++) {
        const vec3 arm = m3_mulv(&y->A, Y->sample[i]), b = v3_add(y->c, arm), own = seen_from(x, b);
        if (!is_wanted(m, X->terrain, own, radius)) continue;
        tmli_terrain_foot foot[TMLI_TERRAIN_FEET];
        const tmli_graded part = part_within(X->terrain, x, y, arm);
        const int count = part.v > 0 ? tmli_terrain_feet(X->terrain, own, radius, foot) : 0;
        for (int k = 0; k < count; k++) {
            tmli_contact_point point = point_over(&foot[k], x, b, radius);
            put_part(m, &point, &part, y);
        }
        if (count == 0) put_outside(m, X->terrain, x, b);
    }
}

int tmli_terrain_core(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                      tmli_contact_point *out)
{
    tmli_manifold m = {.out = out, .gap = INFINITY};
    put_samples(&m, X, x, Y, y);
    return tmli_manifold_count(&m);
}

// ---- cylinders --------------------------------------------------------------------------------------------

/** A circle of Y about the axis f; its points are at the angles from q towards t. */
typedef struct circle {
    const tmli_terrain *t;
    const tmli_place *x;
    vec3 centre, f, down, across;
    double radius, rounding;
} circle;

static circle circle_about(const tmli_shape *X, const tmli_place *x, vec3 centre, vec3 f, double radius,
                           double rounding)
{
    const vec3 up = m3_col(&x->A, 2), q = v3_axpy(v3_dot(up, f), f, v3_scale(-1, up)),
               down = v3_scale(1 / v3_norm(q), q);
    return (circle){X->terrain, x, centre, f, down, v3_cross(f, down), radius, rounding};
}

static vec3 point_at(const circle *c, double angle)
{
    return v3_add(c->centre,
                  v3_axpy(c->radius * cos(angle), c->down, v3_scale(c->radius * sin(angle), c->across)));
}

/** A point of a circle, and the first and second derivative of its distance by the angle, over the radius. */
typedef struct circle_point {
    double angle, first, second;
    tmli_contact_point k;
} circle_point;

static circle_point circle_at(const circle *c, double angle)
{
    const vec3 b = point_at(c, angle), own = seen_from(c->x, b),
               q = v3_scale(1 / c->radius, v3_sub(b, c->centre)), t = v3_cross(c->f, q);
    const tmli_terrain_foot foot = tmli_terrain_descend(c->t, own, own.x, own.y);
    circle_point p = {.angle = angle, .k = point_over(&foot, c->x, b, c->rounding)};
    const double along = v3_dot(p.k.e, t);
    p.first = v3_dot(p.k.n, t);
    p.second =
        c->radius * p.k.inverse * (1 - p.first * p.first - p.k.share * along * along) - v3_dot(p.k.n, q);
    return p;
}

// The lowest point next to an angle: between two angles at which the distance falls and rises, by Newton's
// method and halving.
static tmli_contact_point lowest_from(const circle *c, double angle)
{
    circle_point p = circle_at(c, angle);
    const double way = p.first > 0 ? -SPACING : SPACING;
    double low = p.angle, high = p.angle;
    for (int i = 0; i < 2 * ANGLES && p.first * way < 0; i++) {
        low = p.angle;
        p = circle_at(c, p.angle + way);
        high = p.angle;
    }
    if (way < 0) {
        const double keep = low;
        low = high;
        high = keep;
    }
    for (int i = 0; i < SEARCH && high - low > FOUND; i++) {
        if (p.first < 0) low = p.angle;
        else high = p.angle;
        double to = p.second > 0 ? p.angle - p.first / p.second : INFINITY;
        if (!(to >= low && to <= high)) to = (low + high) / 2;
        const double step = to - p.angle;
        p = circle_at(c, to);
        if (fabs(step) < FOUND) break;
    }
    p.k.feature = TMLI_FEATURE_CIRCLE;
    p.k.f = c->f;
    p.k.centre = c->centre;
    p.k.rim = c->radius;
    return p.k;
}

// The lowest point, from that of some angles.
static tmli_contact_point lowest(const circle *c)
{
    double least = INFINITY;
    int best = 0;
    for (int i = -ANGLES; i <= ANGLES; i++) {
        const vec3 own = seen_from(c->x, point_at(c, i * SPACING));
        const double height = own.z - tmli_terrain_height(c->t, own.x, own.y);
        if (!(height < least)) continue;
        least = height;
        best = i;
    }
    return lowest_from(c, best * SPACING);
}

int tmli_terrain_cylinder(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                          tmli_contact_point *out)
{
    tmli_manifold m = {.out = out, .gap = INFINITY};
    const double rounding = Y->core->rounding, radius = Y->radius - rounding, half = Y->half[2] - rounding,
                 range = STANDS_ON_FIELD - LIES_ON_FIELD;
    const vec3 f = m3_col(&y->A, 2);
    const tmli_graded c = tmli_graded_turning(m3_col(&x->A, 2), f),
                      lies = tmli_graded_function((c.v * c.v - LIES_ON_FIELD) / range, 2 * c.v / range,
                                                  2 / range, &c),
                      part = tmli_graded_falling(&lies);
    put_samples(&m, X, x, Y, y);
    for (int i = 0; i < Y->ncircles && part.v > 0; i++) {
        const vec3 arm = v3_scale(half * (2.0 * i / (Y->ncircles - 1) - 1), f), centre = v3_add(y->c, arm),
                   own = seen_from(x, centre);
        if (!is_wanted(&m, X->terrain, own, Y->radius)) continue;
        const tmli_graded within = part_within(X->terrain, x, y, arm),
                          both = tmli_graded_product(&part, &within);
        if (!(both.v > 0)) continue;
        const circle ring = circle_about(X, x, centre, f, radius, rounding);
        tmli_contact_point k = lowest(&ring);
        put_part(&m, &k, &both, y);
    }
    return tmli_manifold_count(&m);
}

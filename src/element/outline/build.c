// Outlines through points: periodic splines and rounded polygons.
#include "element/outline/outline.h"

#include <math.h>

#include "element/outline/constants.h"

static tmli_vec2 sub(tmli_vec2 a, tmli_vec2 b) { return (tmli_vec2){a.x - b.x, a.y - b.y}; }
static tmli_vec2 axpy(double s, tmli_vec2 a, tmli_vec2 b)
{
    return (tmli_vec2){s * a.x + b.x, s * a.y + b.y};
}
static double dot(tmli_vec2 a, tmli_vec2 b) { return a.x * b.x + a.y * b.y; }
static double cross(tmli_vec2 a, tmli_vec2 b) { return a.x * b.y - a.y * b.x; }
static double size(tmli_vec2 a) { return sqrt(dot(a, a)); }

/** The points of all sectors, counter-clockwise. */
typedef struct ring {
    int count;
    tmli_vec2 *p;
} ring;

static tml_status make_ring(const double *point, int count, int repeat, tmli_arena *a, ring *out,
                            tml_error *err)
{
    const double turn = 2 * acos(-1) / repeat;
    const int n = count * repeat;
    if (n < 3)
        return tmli_fail(err, TML_ERR_MODEL, "an outline has at least 3 points, and this one has %d", n);
    out->count = n;
    out->p = tmli_arena_alloc(a, (size_t)n, sizeof *out->p);
    if (!out->p) return tmli_no_memory(err, "outline");
    // sectors follow each other in the sense in which the points of one go round
    double within = 0;
    for (int i = 0; i + 1 < count; i++)
        within += cross((tmli_vec2){point[3 * i], point[3 * i + 1]},
                        (tmli_vec2){point[3 * i + 3], point[3 * i + 4]});
    const double sense = within < 0 && repeat > 1 ? -1 : 1;
    for (int i = 0; i < n; i++) {
        const double c = cos(sense * turn * (i / count)), s = sin(sense * turn * (i / count));
        const double *q = point + 3 * (i % count);
        out->p[i] = (tmli_vec2){c * q[0] - s * q[1], s * q[0] + c * q[1]};
    }
    double area = 0;
    for (int i = 0; i < n; i++) {
        const tmli_vec2 next = out->p[(i + 1) % n];
        if (!(size(sub(next, out->p[i])) > 0))
            return tmli_fail(err, TML_ERR_MODEL, "point %d of its outline is the same as the next one",
                             i % count + 1);
        area += cross(out->p[i], next);
    }
    if (!(area != 0)) return tmli_fail(err, TML_ERR_MODEL, "its outline has no area");
    for (int i = 0; i < n / 2 && area < 0; i++) {
        const tmli_vec2 keep = out->p[i];
        out->p[i] = out->p[n - 1 - i];
        out->p[n - 1 - i] = keep;
    }
    return TML_OK;
}

// max |c''|/8 over a part, which bounds its distance from its chord, and the round-off of its places.
static double sag_of(const tmli_outline *o, int k)
{
    const double parts = TMLI_OUTLINE_PARTS, u = k % TMLI_OUTLINE_PARTS / parts;
    const tmli_outline_piece *p = &o->piece[k / TMLI_OUTLINE_PARTS];
    const double w = p->sweep / parts;
    if (p->arc) return p->radius * w * w / 8 + ROUNDED * (size(p->centre) + p->radius);
    const tmli_vec2 *c = p->c;  // c'' is linear: the greatest at one of the ends
    const tmli_vec2 half0 = axpy(3 * u, c[3], c[2]), half1 = axpy(3 * (u + 1 / parts), c[3], c[2]);
    return fmax(size(half0), size(half1)) / (4 * parts * parts) +
           ROUNDED * (size(c[0]) + size(c[1]) + size(c[2]) + size(c[3]));
}

// A tree of circles: those about blocks of parts, and of each two the one about both.
static void surround(tmli_outline *o)
{
    for (int b = 0; b < o->nblocks; b++) {
        const int first = b * TMLI_OUTLINE_BLOCK;
        const int last = first + TMLI_OUTLINE_BLOCK < o->nparts ? first + TMLI_OUTLINE_BLOCK : o->nparts;
        tmli_vec2 sum = {0, 0};
        for (int k = first; k < last; k++) sum = axpy(1.0 / (last - first), o->at[k], sum);
        double reach = 0;
        for (int k = first; k < last; k++) {
            const double begin = size(sub(o->at[k], sum)), end = size(sub(o->at[(k + 1) % o->nparts], sum));
            reach = fmax(reach, fmax(begin, end) * (1 + ROUNDED) + o->sag[k]);
        }
        o->block[b] = (tmli_circle){sum, reach};
    }
    for (int b = o->nblocks; b < o->leaves; b++) o->block[b].reach = -1;
    for (int i = o->leaves - 1; i > 0; i--) {
        const tmli_circle *a = &o->node[2 * i], *c = a + 1;
        o->node[i] = *a;
        if (c->reach < 0) continue;
        const tmli_vec2 middle = {(a->middle.x + c->middle.x) / 2, (a->middle.y + c->middle.y) / 2};
        const double to_a = size(sub(a->middle, middle)), to_c = size(sub(c->middle, middle));
        o->node[i] = (tmli_circle){middle, fmax(to_a + a->reach, to_c + c->reach) * (1 + ROUNDED)};
    }
}

// Beginnings of the parts, what contains them, and the bound.
static tml_status finish(tmli_arena *a, tmli_outline *o, tml_error *err)
{
    o->nparts = o->npieces * TMLI_OUTLINE_PARTS;
    o->nblocks = (o->nparts + TMLI_OUTLINE_BLOCK - 1) / TMLI_OUTLINE_BLOCK;
    for (o->leaves = 1; o->leaves < o->nblocks;) o->leaves *= 2;
    if (!tmli_arena_alloc_all(a, TMLI_ARRAY(o->at, (size_t)o->nparts),
                              TMLI_ARRAY(o->along, (size_t)o->nparts), TMLI_ARRAY(o->sag, (size_t)o->nparts),
                              TMLI_ARRAY(o->node, 2 * (size_t)o->leaves)))
        return tmli_no_memory(err, "outline");
    o->block = o->node + o->leaves;
    for (int k = 0; k < o->nparts; k++) {
        const tmli_outline_place p = tmli_outline_at(o, k);
        o->at[k] = p.c;
        o->along[k] = (tmli_vec2){-p.n.y * p.speed, p.n.x * p.speed};
        o->sag[k] = sag_of(o, k);
        o->longest = fmax(o->longest, p.speed);
    }
    surround(o);
    for (int k = 0; k < o->nparts; k++) o->bound = fmax(o->bound, size(o->at[k]) + o->longest / 2);
    return TML_OK;
}

// ---- splines ----------------------------------------------------------------------------------------------

// Slopes m of the periodic cubic spline through the values y at distances h of its points:
//   m_(i-1)/h_(i-1) + 2 m_i (1/h_(i-1) + 1/h_i) + m_(i+1)/h_i = 3 (d_(i-1)/h_(i-1) + d_i/h_i),
//   d_i = (y_(i+1) - y_i)/h_i,
// a cyclic system, solved as a tridiagonal one with a correction of rank one (Sherman and Morrison).
static void solve_slopes(int n, const double *h, const double *y, double *work, double *m)
{
    double *upper = work, *second = work + n;
    const double corner = 1 / h[n - 1], gamma = -2 * (1 / h[n - 1] + 1 / h[0]);
    for (int i = 0; i < n; i++) {
        const int before = i > 0 ? i - 1 : n - 1, next = i + 1 < n ? i + 1 : 0;
        const double d0 = (y[i] - y[before]) / h[before], d1 = (y[next] - y[i]) / h[i];
        m[i] = 3 * (d0 / h[before] + d1 / h[i]);
        second[i] = i == 0 ? gamma : i == n - 1 ? corner : 0;
    }
    for (int i = 0; i < n; i++) {
        double diagonal = 2 * (1 / h[i > 0 ? i - 1 : n - 1] + 1 / h[i]);
        if (i == 0) diagonal -= gamma;
        if (i == n - 1) diagonal -= corner * corner / gamma;
        const double lower = i > 0 ? 1 / h[i - 1] : 0,
                     pivot = i > 0 ? diagonal - lower * upper[i - 1] : diagonal;
        upper[i] = i + 1 < n ? 1 / h[i] / pivot : 0;
        m[i] = (m[i] - (i > 0 ? lower * m[i - 1] : 0)) / pivot;
        second[i] = (second[i] - (i > 0 ? lower * second[i - 1] : 0)) / pivot;
    }
    for (int i = n - 2; i >= 0; i--) {
        m[i] -= upper[i] * m[i + 1];
        second[i] -= upper[i] * second[i + 1];
    }
    const double share =
        (m[0] + corner / gamma * m[n - 1]) / (1 + second[0] + corner / gamma * second[n - 1]);
    for (int i = 0; i < n; i++) m[i] -= share * second[i];
}

tml_status tmli_outline_spline(const double *point, int count, int repeat, tmli_arena *a, tmli_outline *out,
                               tml_error *err)
{
    ring r = {0};
    *out = (tmli_outline){0};
    tml_status st = make_ring(point, count, repeat, a, &r, err);
    if (st != TML_OK) return st;
    const int n = r.count;
    double *all = tmli_arena_alloc(a, 7 * (size_t)n, sizeof *all);
    out->piece = tmli_arena_alloc(a, (size_t)n, sizeof *out->piece);
    if (!all || !out->piece) return tmli_no_memory(err, "outline");
    out->npieces = n;
    double *h = all, *x = all + n, *y = x + n, *mx = y + n, *my = mx + n, *work = my + n;
    for (int i = 0; i < n; i++) {
        h[i] = size(sub(r.p[(i + 1) % n], r.p[i]));
        x[i] = r.p[i].x;
        y[i] = r.p[i].y;
    }
    solve_slopes(n, h, x, work, mx);
    solve_slopes(n, h, y, work, my);
    for (int i = 0; i < n; i++) {
        const int next = (i + 1) % n;
        const tmli_vec2 m0 = {h[i] * mx[i], h[i] * my[i]}, m1 = {h[i] * mx[next], h[i] * my[next]},
                        d = sub(r.p[next], r.p[i]);
        tmli_vec2 *c = out->piece[i].c;
        c[0] = r.p[i];
        c[1] = m0;
        c[2] = (tmli_vec2){3 * d.x - 2 * m0.x - m1.x, 3 * d.y - 2 * m0.y - m1.y};
        c[3] = (tmli_vec2){m0.x + m1.x - 2 * d.x, m0.y + m1.y - 2 * d.y};
    }
    return finish(a, out, err);
}

// ---- polygons ---------------------------------------------------------------------------------------------

// Each corner becomes an arc that touches both sides; the length `cut` of each side is lost by it.
tml_status tmli_outline_polygon(const double *point, int count, int repeat, double rounding, tmli_arena *a,
                                tmli_outline *out, tml_error *err)
{
    ring r = {0};
    *out = (tmli_outline){0};
    tml_status st = make_ring(point, count, repeat, a, &r, err);
    if (st != TML_OK) return st;
    const int n = r.count;
    double *cut = tmli_arena_alloc(a, (size_t)n, sizeof *cut);
    out->piece = tmli_arena_alloc(a, 2 * (size_t)n, sizeof *out->piece);
    if (!cut || !out->piece) return tmli_no_memory(err, "outline");
    for (int i = 0; i < n; i++) {
        const tmli_vec2 in = sub(r.p[i], r.p[(i + n - 1) % n]), to = sub(r.p[(i + 1) % n], r.p[i]);
        const double turn = atan2(cross(in, to), dot(in, to));
        cut[i] = fabs(sin(turn)) > NO_CORNER || dot(in, to) < 0 ? rounding * tan(fabs(turn) / 2) : 0;
    }
    for (int i = 0; i < n; i++) {
        const int next = (i + 1) % n;
        const tmli_vec2 side = sub(r.p[next], r.p[i]);
        const double length = size(side);
        if (!(cut[i] + cut[next] < length))
            return tmli_fail(err, TML_ERR_MODEL,
                             "the side of its outline at point %d, %.3g m long, is too short for corners "
                             "rounded by %.3g m",
                             i % count + 1, length, rounding);
        const tmli_vec2 e = {side.x / length, side.y / length};
        tmli_outline_piece *line = &out->piece[out->npieces++];
        line->c[0] = axpy(cut[i], e, r.p[i]);
        line->c[1] = (tmli_vec2){(length - cut[i] - cut[next]) * e.x, (length - cut[i] - cut[next]) * e.y};
        if (cut[next] == 0) continue;
        const tmli_vec2 after = sub(r.p[(next + 1) % n], r.p[next]);
        const double turn = atan2(cross(side, after), dot(side, after)), sign = turn > 0 ? 1 : -1;
        tmli_outline_piece *arc = &out->piece[out->npieces++];
        // the centre is on the left of the side at a convex corner
        const tmli_vec2 normal = {-sign * e.y, sign * e.x}, begin = axpy(-cut[next], e, r.p[next]);
        *arc = (tmli_outline_piece){.arc = true,
                                    .centre = axpy(rounding, normal, begin),
                                    .radius = rounding,
                                    .angle = atan2(-normal.y, -normal.x),
                                    .sweep = turn};
    }
    return finish(a, out, err);
}

tml_status tmli_outline_of(const tml_shape_def *d, tmli_arena *a, tmli_outline *out, tml_error *err)
{
    tml_status st;
    if (d->outline == TML_OUTLINE_SPLINE) {
        st = tmli_outline_spline(d->points, d->point_count, d->repeat, a, out, err);
    } else {
        double farthest = 0;
        for (int i = 0; i < d->point_count; i++)
            farthest = fmax(farthest, hypot(d->points[3 * i], d->points[3 * i + 1]));
        const double rounding = isnan(d->rounding) ? CORNER * farthest : d->rounding;
        st = tmli_outline_polygon(d->points, d->point_count, d->repeat, rounding, a, out, err);
    }
    tmli_vec2 at;
    if (st == TML_OK && tmli_outline_crosses(out, &at))
        st = tmli_fail(err, TML_ERR_MODEL, "its outline crosses itself near (%.4g, %.4g) m", at.x, at.y);
    return st;
}

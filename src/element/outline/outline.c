// Places on outlines and distances from them; see outline.h.
#include "element/outline/outline.h"

#include <math.h>

#include "element/outline/constants.h"

static double dot(tmli_vec2 a, tmli_vec2 b) { return a.x * b.x + a.y * b.y; }
static tmli_vec2 sub(tmli_vec2 a, tmli_vec2 b) { return (tmli_vec2){a.x - b.x, a.y - b.y}; }

/** c, c', c'' by s. */
typedef struct jet {
    tmli_vec2 c, d, dd;
} jet;

static double wrapped(const tmli_outline *o, double s)
{
    const double n = o->nparts, r = s - n * floor(s / n);
    return r < n ? r : 0;
}

static jet jet_at(const tmli_outline *o, double s, const tmli_outline_piece **piece)
{
    const double parts = TMLI_OUTLINE_PARTS, x = wrapped(o, s) / parts;
    const int k = (int)x < o->npieces ? (int)x : o->npieces - 1;
    const tmli_outline_piece *p = *piece = &o->piece[k];
    const double u = x - k;
    if (p->arc) {
        const double a = p->angle + p->sweep * u, w = p->sweep / parts, r = p->radius;
        const tmli_vec2 e = {cos(a), sin(a)};
        return (jet){{p->centre.x + r * e.x, p->centre.y + r * e.y},
                     {-r * w * e.y, r * w * e.x},
                     {-r * w * w * e.x, -r * w * w * e.y}};
    }
    const tmli_vec2 *c = p->c;
    return (jet){
        {c[0].x + u * (c[1].x + u * (c[2].x + u * c[3].x)),
         c[0].y + u * (c[1].y + u * (c[2].y + u * c[3].y))},
        {(c[1].x + u * (2 * c[2].x + 3 * u * c[3].x)) / parts,
         (c[1].y + u * (2 * c[2].y + 3 * u * c[3].y)) / parts},
        {(2 * c[2].x + 6 * u * c[3].x) / (parts * parts), (2 * c[2].y + 6 * u * c[3].y) / (parts * parts)}};
}

tmli_outline_place tmli_outline_at(const tmli_outline *o, double s)
{
    const tmli_outline_piece *p;
    const jet j = jet_at(o, s, &p);
    const double speed = sqrt(dot(j.d, j.d));
    return (tmli_outline_place){.s = wrapped(o, s),
                                .c = j.c,
                                .n = {j.d.y / speed, -j.d.x / speed},
                                .curvature = (j.d.x * j.dd.y - j.d.y * j.dd.x) / (speed * speed * speed),
                                .speed = speed,
                                .arc = p->arc,
                                .straight = !p->arc && j.dd.x == 0 && j.dd.y == 0};
}

// (c - p).c' at the beginning of a part
static double slope_at(const tmli_outline *o, int k, tmli_vec2 p)
{
    return dot(sub(o->at[k], p), o->along[k]);
}

// The zero of (c - p).c' within a part at whose ends it is negative and positive: Newton's method, and
// halving where it leaves the bracket.
static tmli_outline_place minimum_in(const tmli_outline *o, int k, tmli_vec2 p)
{
    const int next = k + 1 < o->nparts ? k + 1 : 0;
    const double h0 = slope_at(o, k, p), h1 = slope_at(o, next, p);
    double low = 0, high = 1, x = h0 < 0 ? -h0 / (h1 - h0) : 0;
    for (int i = 0; i < ITERATIONS; i++) {
        const tmli_outline_piece *piece;
        const jet j = jet_at(o, k + x, &piece);
        const tmli_vec2 d = sub(j.c, p);
        const double h = dot(d, j.d), slope = dot(j.d, j.d) + dot(d, j.dd);
        if (h < 0) low = x;
        else high = x;
        double to = slope > 0 ? x - h / slope : 2;
        if (!(to >= low && to <= high)) to = (low + high) / 2;
        if (fabs(to - x) <= CONVERGED) {
            x = to;
            break;
        }
        x = to;
    }
    return tmli_outline_at(o, k + x);
}

// Whether the circle of a block is beyond `reach` of p
static bool is_far(const tmli_outline *o, int block, tmli_vec2 p, double reach)
{
    const tmli_vec2 d = sub(o->middle[block], p);
    const double most = reach + o->reach[block];
    return dot(d, d) > most * most;
}

/** Blocks to be searched; list NULL: all. */
typedef struct search {
    const tmli_outline *o;
    tmli_vec2 p;
    int count;
    const int *list;
} search;

// Visit the local minima within *reach, which the visitor may lower.
static int visit_minima(const search *q, double *reach, tmli_outline_visit *visit, void *user)
{
    const tmli_outline *o = q->o;
    int count = 0;
    for (int i = 0; i < q->count; i++) {
        const int b = q->list ? q->list[i] : i;
        if (is_far(o, b, q->p, *reach)) continue;
        const int first = b * TMLI_OUTLINE_BLOCK,
                  end = first + TMLI_OUTLINE_BLOCK < o->nparts ? first + TMLI_OUTLINE_BLOCK : o->nparts;
        double before = slope_at(o, first, q->p);
        for (int k = first; k < end; k++) {
            const double after = slope_at(o, k + 1 < o->nparts ? k + 1 : 0, q->p);
            if (before <= 0 && after > 0) {
                const tmli_outline_place place = minimum_in(o, k, q->p);
                const tmli_vec2 d = sub(place.c, q->p);
                if (dot(d, d) <= *reach * *reach) {
                    visit(&place, user);
                    count++;
                }
            }
            before = after;
        }
    }
    return count;
}

int tmli_outline_near(const tmli_outline *o, tmli_vec2 p, double reach, tmli_outline_visit *visit, void *user)
{
    const search q = {o, p, o->nblocks, NULL};
    return visit_minima(&q, &reach, visit, user);
}

typedef struct best {
    tmli_vec2 p;
    double reach;
    tmli_outline_place place;
} best;

static void take_nearer(const tmli_outline_place *place, void *user)
{
    best *b = user;
    const tmli_vec2 d = sub(place->c, b->p);
    const double distance = sqrt(dot(d, d));
    if (distance > b->reach) return;
    b->reach = distance;
    b->place = *place;
}

static double signed_distance(tmli_vec2 p, const tmli_outline_place *at)
{
    const tmli_vec2 d = sub(p, at->c);
    return copysign(sqrt(dot(d, d)), dot(d, at->n));
}

int tmli_outline_blocks_near(const tmli_outline *o, tmli_vec2 p, double reach, int room, int *list)
{
    int count = 0;
    for (int b = 0; b < o->nblocks; b++) {
        if (is_far(o, b, p, reach)) continue;
        if (count == room) return -1;
        list[count++] = b;
    }
    return count;
}

bool tmli_outline_nearest_within(const tmli_outline *o, tmli_vec2 p, double reach, int count, const int *list,
                                 tmli_outline_place *out, double *distance)
{
    best b = {.p = p, .reach = reach};
    const search q = {o, p, count < 0 ? o->nblocks : count, count < 0 ? NULL : list};
    if (visit_minima(&q, &b.reach, take_nearer, &b) == 0) return false;
    *out = b.place;
    *distance = signed_distance(p, out);
    return true;
}

tmli_outline_place tmli_outline_nearest(const tmli_outline *o, tmli_vec2 p, double *distance)
{
    best b = {.p = p, .reach = INFINITY};
    // the nearest beginning of a part bounds the distance
    int nearest = 0;
    for (int k = 0; k < o->nblocks; k++) {
        const tmli_vec2 d = sub(o->at[k * TMLI_OUTLINE_BLOCK], p);
        const double size = sqrt(dot(d, d));
        if (size < b.reach) b.reach = size, nearest = k * TMLI_OUTLINE_BLOCK;
    }
    b.place = tmli_outline_at(o, nearest);
    const search q = {o, p, o->nblocks, NULL};
    (void)visit_minima(&q, &b.reach, take_nearer, &b);
    *distance = signed_distance(p, &b.place);
    return b.place;
}

bool tmli_outline_follow(const tmli_outline *o, tmli_vec2 p, double s, tmli_outline_place *out)
{
    int k = (int)wrapped(o, s);
    for (int i = 0; i < FOLLOWED; i++) {
        const int next = k + 1 < o->nparts ? k + 1 : 0;
        const bool falls = slope_at(o, k, p) <= 0, rises = slope_at(o, next, p) > 0;
        if (falls && rises) {
            *out = minimum_in(o, k, p);
            return true;
        }
        k = falls ? next : k > 0 ? k - 1 : o->nparts - 1;
    }
    return false;
}

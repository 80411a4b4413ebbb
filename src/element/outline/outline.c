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

// Whether the circle of a node is beyond `reach` of p
static bool is_far(const tmli_circle *c, tmli_vec2 p, double reach)
{
    const tmli_vec2 d = sub(c->middle, p);
    const double most = reach + c->reach;
    return c->reach < 0 || dot(d, d) > most * most;
}

// Whether part k, which is within its sag of its chord, is beyond `reach` of p
static bool part_is_far(const tmli_outline *o, int k, tmli_vec2 p, double reach)
{
    const tmli_vec2 e = sub(o->at[k + 1 < o->nparts ? k + 1 : 0], o->at[k]), d = sub(p, o->at[k]);
    const double along = dot(d, e), whole = dot(e, e), most = reach + o->sag[k],
                 x = along > 0 ? (along < whole ? along / whole : 1) : 0;
    const tmli_vec2 off = {d.x - x * e.x, d.y - x * e.y};
    return dot(off, off) * (1 - ROUNDED) > most * most;
}

/** Local minima of the distance of p within a reach, which the visitor may lower. */
typedef struct search {
    const tmli_outline *o;
    tmli_vec2 p;
    double reach;
    tmli_outline_visit *visit;
    void *user;
    int count;
} search;

static void visit_block(search *q, int block)
{
    const tmli_outline *o = q->o;
    const int first = block * TMLI_OUTLINE_BLOCK,
              end = first + TMLI_OUTLINE_BLOCK < o->nparts ? first + TMLI_OUTLINE_BLOCK : o->nparts;
    double before = slope_at(o, first, q->p);
    for (int k = first; k < end; k++) {
        const double after = slope_at(o, k + 1 < o->nparts ? k + 1 : 0, q->p);
        if (before <= 0 && after > 0 && !part_is_far(o, k, q->p, q->reach)) {
            const tmli_outline_place place = minimum_in(o, k, q->p);
            const tmli_vec2 d = sub(place.c, q->p);
            if (dot(d, d) <= q->reach * q->reach) {
                q->visit(&place, q->user);
                q->count++;
            }
        }
        before = after;
    }
}

int tmli_outline_near(const tmli_outline *o, tmli_vec2 p, double reach, tmli_outline_visit *visit, void *user)
{
    search q = {o, p, reach, visit, user, 0};
    int todo[64] = {1}, count = 1;  // a path has 31 nodes at most
    while (count > 0) {
        const int i = todo[--count];
        if (is_far(&o->node[i], p, reach)) continue;
        if (i >= o->leaves) {
            visit_block(&q, i - o->leaves);
        } else {
            todo[count++] = 2 * i + 1;
            todo[count++] = 2 * i;  // in order along the outline
        }
    }
    return q.count;
}

/** The nearest place so far, within the reach of the search. */
typedef struct best {
    search q;
    tmli_outline_place place;
} best;

static void take_nearer(const tmli_outline_place *place, void *user)
{
    best *b = user;
    const tmli_vec2 d = sub(place->c, b->q.p);
    const double distance = sqrt(dot(d, d));
    // of two that are as near the later one
    if (distance > b->q.reach || (b->q.count > 0 && distance == b->q.reach && place->s < b->place.s)) return;
    b->q.reach = distance;
    b->place = *place;
}

// The beginning of a block bounds the distance.
static void bound_by_beginning(best *b, int block)
{
    const tmli_vec2 d = sub(b->q.o->at[block * TMLI_OUTLINE_BLOCK], b->q.p);
    const double distance = sqrt(dot(d, d));
    if (!(distance < b->q.reach)) return;
    b->q.reach = distance;
    b->place = tmli_outline_at(b->q.o, block * TMLI_OUTLINE_BLOCK);
}

static void search_nearest(best *b, bool from_beginnings)
{
    const tmli_circle *node = b->q.o->node;
    const int leaves = b->q.o->leaves;
    int todo[64] = {1}, count = 1;
    while (count > 0) {
        const int i = todo[--count];
        if (is_far(&node[i], b->q.p, b->q.reach)) continue;
        if (i >= leaves) {
            if (from_beginnings) bound_by_beginning(b, i - leaves);
            visit_block(&b->q, i - leaves);
            continue;
        }
        // the nearer half first
        const tmli_vec2 d0 = sub(node[2 * i].middle, b->q.p), d1 = sub(node[2 * i + 1].middle, b->q.p);
        const int nearer = node[2 * i + 1].reach >= 0 && dot(d1, d1) < dot(d0, d0);
        todo[count++] = 2 * i + !nearer;
        todo[count++] = 2 * i + nearer;
    }
}

static double signed_distance(tmli_vec2 p, const tmli_outline_place *at)
{
    const tmli_vec2 d = sub(p, at->c);
    return copysign(sqrt(dot(d, d)), dot(d, at->n));
}

bool tmli_outline_nearest_within(const tmli_outline *o, tmli_vec2 p, double reach, tmli_outline_place *out,
                                 double *distance)
{
    best b = {.q = {o, p, reach, take_nearer, &b, 0}};
    search_nearest(&b, false);
    if (b.q.count == 0) return false;
    *out = b.place;
    *distance = signed_distance(p, out);
    return true;
}

tmli_outline_place tmli_outline_nearest(const tmli_outline *o, tmli_vec2 p, double *distance)
{
    best b = {.q = {o, p, INFINITY, take_nearer, &b, 0}};
    search_nearest(&b, true);
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

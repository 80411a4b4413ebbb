// Whether an outline crosses itself: then it has no inside.
//
// Two pieces of curve, each within a sag of its chord, do not meet if the chords are farther apart than both
// sags together. They cross if the ends of each are on both sides of the other's chord by more than its sag:
// then each goes through the strip of the other from side to side. Otherwise both are halved, which divides
// sags by four. Pieces that only touch are halved until round-off or a bound of the work; they may stand.
#include "element/outline/outline.h"

#include <math.h>

#include "element/outline/constants.h"

static tmli_vec2 sub(tmli_vec2 a, tmli_vec2 b) { return (tmli_vec2){a.x - b.x, a.y - b.y}; }
static double dot(tmli_vec2 a, tmli_vec2 b) { return a.x * b.x + a.y * b.y; }
static double cross(tmli_vec2 a, tmli_vec2 b) { return a.x * b.y - a.y * b.x; }

/** The outline from s0 to s1, within one part. */
typedef struct stretch {
    double s0, s1;
    tmli_vec2 c0, c1;
    double sag;
} stretch;

typedef struct search {
    const tmli_outline *o;
    double budget;  // pairs that may still be tried
    bool crosses;
    tmli_vec2 at;
} search;

// Signed distance of p from the line through a stretch
static double beside(const stretch *a, tmli_vec2 p)
{
    const tmli_vec2 e = sub(a->c1, a->c0);
    return cross(e, sub(p, a->c0)) / sqrt(dot(e, e));
}

// Whether both ends of b are more than the sag of a on one side of it (1), on both sides (-1), neither (0)
static int sides(const stretch *a, const stretch *b)
{
    const double d0 = beside(a, b->c0), d1 = beside(a, b->c1);
    if (fmin(fabs(d0), fabs(d1)) > a->sag && (d0 < 0) != (d1 < 0)) return -1;
    return fmin(d0, d1) > a->sag + b->sag || fmax(d0, d1) < -a->sag - b->sag;
}

// Whether the circles about two stretches are apart
static bool is_apart(const stretch *a, const stretch *b)
{
    const tmli_vec2 ea = sub(a->c1, a->c0), eb = sub(b->c1, b->c0),
                    d = {(a->c0.x + a->c1.x - b->c0.x - b->c1.x) / 2,
                         (a->c0.y + a->c1.y - b->c0.y - b->c1.y) / 2};
    const double most = (sqrt(dot(ea, ea)) + sqrt(dot(eb, eb))) / 2 + a->sag + b->sag;
    return dot(d, d) > most * most;
}

static void halve(const tmli_outline *o, const stretch *a, double rounding, stretch out[2])
{
    const double middle = (a->s0 + a->s1) / 2;
    const tmli_vec2 c = tmli_outline_at(o, middle).c;
    const double sag = (a->sag - rounding) / 4 + rounding;
    out[0] = (stretch){a->s0, middle, a->c0, c, sag};
    out[1] = (stretch){middle, a->s1, c, a->c1, sag};
}

static void try_pair(search *q, const stretch *a, const stretch *b, int depth)
{
    if (q->crosses || --q->budget < 0 || is_apart(a, b)) return;
    const int of_a = sides(a, b), of_b = sides(b, a);
    if (of_a > 0 || of_b > 0) return;
    if (of_a < 0 && of_b < 0) {
        q->crosses = true;
        q->at = a->c1;
        return;
    }
    const double rounding = ROUNDED * q->o->bound;
    if (depth == 0 || fmax(a->sag, b->sag) <= 2 * rounding) return;
    stretch half[2], other[2];
    halve(q->o, a, rounding, half);
    halve(q->o, b, rounding, other);
    for (int i = 0; i < 4; i++) try_pair(q, &half[i / 2], &other[i % 2], depth - 1);
}

static stretch part(const tmli_outline *o, int k)
{
    return (stretch){k, k + 1, o->at[k], o->at[(k + 1) % o->nparts], o->sag[k]};
}

// Parts of two blocks that are not neighbours
static void try_blocks(search *q, int a, int b)
{
    const tmli_outline *o = q->o;
    for (int i = a * TMLI_OUTLINE_BLOCK; i < (a + 1) * TMLI_OUTLINE_BLOCK && i < o->nparts; i++) {
        const stretch x = part(o, i);
        const stretch all = {.c0 = o->block[b].middle, .c1 = o->block[b].middle, .sag = o->block[b].reach};
        if (a != b && is_apart(&x, &all)) continue;
        for (int k = b * TMLI_OUTLINE_BLOCK; k < (b + 1) * TMLI_OUTLINE_BLOCK && k < o->nparts; k++) {
            const stretch y = part(o, k);
            if (k > i + 1 && (k + 1) % o->nparts != i) try_pair(q, &x, &y, HALVINGS);
        }
    }
}

static void try_nodes(search *q, int i, int k)
{
    const tmli_circle *a = &q->o->node[i], *b = &q->o->node[k];
    const tmli_vec2 d = sub(a->middle, b->middle);
    const double most = a->reach + b->reach;
    if (q->crosses || --q->budget < 0 || a->reach < 0 || b->reach < 0 || dot(d, d) > most * most) return;
    if (i >= q->o->leaves) {
        try_blocks(q, i - q->o->leaves, k - q->o->leaves);
        return;
    }
    // nodes of one height; of a node with itself each pair once
    for (int n = 0; n < 4; n++)
        if (i != k || n != 2) try_nodes(q, 2 * i + n / 2, 2 * k + n % 2);
}

bool tmli_outline_crosses(const tmli_outline *o, tmli_vec2 *at)
{
    search q = {.o = o, .budget = TRIED * (double)o->nparts};
    try_nodes(&q, 1, 1);
    *at = q.at;
    return q.crosses;
}

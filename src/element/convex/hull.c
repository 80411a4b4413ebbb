// Convex hull by insertion of the farthest point (Barber, Dobkin, Huhdanpaa, ACM Trans. Math. Softw. 22
// (1996) 469).
//
// Each point that is still outside belongs to a triangle that it sees. The farthest one becomes a corner: the
// triangles that it sees are removed, and those between it and the rim of the hole are added. The points of
// the removed triangles find a new one among the added ones, or are inside.
#include "element/convex/hull.h"

#include <math.h>

typedef struct triangle {
    int corner[3];
    vec3 n;    // unit normal; 0: a sliver, which no point sees
    double h;  // n.x = h in its plane
    bool alive, seen;
} triangle;

typedef struct building {
    const vec3 *point;
    int count, capacity, ncorners;
    double near;
    triangle *t;   // (capacity) of which some are alive
    int *owner;    // (count) a triangle that the point sees; -1: it is inside or a corner
    double *away;  // (count) its distance from it
    int (*rim)[2];
    int nrim;
    int *fresh;  // the triangles that were added
    int nfresh;
} building;

static double distance(const building *b, int face, int i)
{
    return v3_dot(b->t[face].n, b->point[i]) - b->t[face].h;
}

static void set_triangle(building *b, int at, int i, int j, int k)
{
    const vec3 p = b->point[i], n = v3_cross(v3_sub(b->point[j], p), v3_sub(b->point[k], p));
    const double size = v3_norm(n),
                 longest = fmax(v3_norm(v3_sub(b->point[j], p)), v3_norm(v3_sub(b->point[k], p)));
    triangle *t = &b->t[at];
    *t = (triangle){.corner = {i, j, k}, .alive = true};
    if (size <= 1e-14 * longest * longest) return;  // the corners are in a line but for round-off
    t->n = v3_scale(1 / size, n);
    t->h = v3_dot(t->n, p);
}

// The triangle among `list` that a point is farthest from.
static void find_owner(building *b, int i, const int *list, int n)
{
    b->owner[i] = -1;
    b->away[i] = b->near;
    for (int k = 0; k < n; k++) {
        const double d = distance(b, list[k], i);
        if (d <= b->away[i]) continue;
        b->away[i] = d;
        b->owner[i] = list[k];
    }
}

// The point farthest from the first one, from the line of the first two, or from the plane of three.
static int farthest(const building *b, const int *corner, int n, double *most)
{
    int best = -1;
    *most = b->near;
    vec3 axis = v3(0, 0, 0);
    if (n >= 2) axis = v3_sub(b->point[corner[1]], b->point[corner[0]]);
    if (n >= 3) axis = v3_cross(axis, v3_sub(b->point[corner[2]], b->point[corner[0]]));
    const double size = v3_norm(axis);
    for (int i = 0; i < b->count; i++) {
        const vec3 d = v3_sub(b->point[i], b->point[corner[0]]);
        const double away = n == 1   ? v3_norm(d)
                            : n == 2 ? v3_norm(v3_cross(axis, d)) / size
                                     : fabs(v3_dot(axis, d)) / size;
        if (away <= *most) continue;
        *most = away;
        best = i;
    }
    return best;
}

static tml_status first_four(building *b, tml_error *err)
{
    int c[4] = {0};
    double most;
    for (int i = 1; i < b->count; i++)
        if (b->point[i].x < b->point[c[0]].x) c[0] = i;
    for (int n = 1; n < 4; n++) {
        c[n] = farthest(b, c, n, &most);
        if (c[n] < 0) return tmli_fail(err, TML_ERR_MODEL, "its points are in a plane: it has no volume");
    }
    const vec3 u = v3_sub(b->point[c[1]], b->point[c[0]]), v = v3_sub(b->point[c[2]], b->point[c[0]]),
               w = v3_sub(b->point[c[3]], b->point[c[0]]);
    if (v3_dot(v3_cross(u, v), w) > 0) {  // the fourth must be below the first three
        const int swap = c[1];
        c[1] = c[2];
        c[2] = swap;
    }
    set_triangle(b, 0, c[0], c[1], c[2]);
    set_triangle(b, 1, c[0], c[3], c[1]);
    set_triangle(b, 2, c[1], c[3], c[2]);
    set_triangle(b, 3, c[2], c[3], c[0]);
    b->ncorners = 4;
    for (int i = 0; i < b->count; i++) find_owner(b, i, (const int[]){0, 1, 2, 3}, 4);
    for (int k = 0; k < 4; k++) b->owner[c[k]] = -1;
    return TML_OK;
}

// The triangle on the other side of the edge from i to j.
static int beyond(const building *b, int i, int j)
{
    for (int f = 0; f < b->capacity; f++) {
        if (!b->t[f].alive) continue;
        const int *c = b->t[f].corner;
        for (int k = 0; k < 3; k++)
            if (c[k] == j && c[(k + 1) % 3] == i) return f;
    }
    return -1;
}

// Mark the triangles that point i sees, from one on, and list the rim of the hole.
static void see(building *b, int face, int i)
{
    int n = 0;
    b->nrim = 0;
    b->fresh[n++] = face;  // the list of seen ones, for now
    b->t[face].seen = true;
    for (int m = 0; m < n; m++)
        for (int k = 0; k < 3; k++) {
            const int *c = b->t[b->fresh[m]].corner, p = c[k], q = c[(k + 1) % 3];
            const int other = beyond(b, p, q);
            if (other >= 0 && b->t[other].seen) continue;
            if (other >= 0 && distance(b, other, i) > 0 && v3_norm(b->t[other].n) > 0) {
                b->t[other].seen = true;
                b->fresh[n++] = other;
            }
        }
    for (int m = 0; m < n; m++)
        for (int k = 0; k < 3; k++) {
            const int *c = b->t[b->fresh[m]].corner, other = beyond(b, c[k], c[(k + 1) % 3]);
            if (other >= 0 && b->t[other].seen) continue;
            b->rim[b->nrim][0] = c[k];
            b->rim[b->nrim++][1] = c[(k + 1) % 3];
        }
}

static void insert(building *b, int i)
{
    see(b, b->owner[i], i);
    for (int f = 0; f < b->capacity; f++)
        if (b->t[f].seen) b->t[f].alive = false;
    b->nfresh = 0;
    for (int f = 0; f < b->capacity && b->nfresh < b->nrim; f++) {
        if (b->t[f].alive || b->t[f].seen) continue;
        set_triangle(b, f, b->rim[b->nfresh][0], b->rim[b->nfresh][1], i);
        b->fresh[b->nfresh++] = f;
    }
    b->owner[i] = -1;
    b->ncorners++;
    for (int k = 0; k < b->count; k++)
        if (b->owner[k] >= 0 && b->t[b->owner[k]].seen) find_owner(b, k, b->fresh, b->nfresh);
    for (int f = 0; f < b->capacity; f++) b->t[f].seen = false;
}

static int outermost(const building *b)
{
    int best = -1;
    for (int i = 0; i < b->count; i++)
        if (b->owner[i] >= 0 && (best < 0 || b->away[i] > b->away[best])) best = i;
    return best;
}

static tml_status finish(const building *b, const tml_env *env, tmli_hull *out, tml_error *err)
{
    const int rest = outermost(b);
    for (int f = 0; f < b->capacity; f++) out->ntriangles += b->t[f].alive;
    out->triangle = tmli_calloc(env, (size_t)out->ntriangles, sizeof *out->triangle);
    out->corner = tmli_calloc(env, (size_t)b->ncorners, sizeof *out->corner);
    if (!out->triangle || !out->corner) return tmli_no_memory(err, "hull");
    out->left = rest < 0 ? 0 : b->away[rest];
    int n = 0;
    for (int f = 0; f < b->capacity; f++) {
        if (!b->t[f].alive) continue;
        for (int k = 0; k < 3; k++) {
            const int c = b->t[f].corner[k];
            bool known = false;
            for (int m = 0; m < out->ncorners; m++) known = known || out->corner[m] == c;
            if (!known && out->ncorners < b->ncorners) out->corner[out->ncorners++] = c;
            out->triangle[n][k] = c;
        }
        n++;
    }
    return TML_OK;
}

tml_status tmli_hull_build(const vec3 *point, int count, int most, double near, const tml_env *env,
                           tmli_hull *out, tml_error *err)
{
    // a hull with c corners has 2 c - 4 triangles; those that an insertion removes are kept until its end
    building b = {.point = point, .count = count, .capacity = 4 * most, .near = near};
    *out = (tmli_hull){0};
    if (count < 4) return tmli_fail(err, TML_ERR_MODEL, "it has less than four points");
    const size_t n = (size_t)b.capacity;
    const bool room =
        tmli_calloc_all(env, TMLI_ARRAY(b.t, n), TMLI_ARRAY(b.rim, 3 * n), TMLI_ARRAY(b.fresh, n),
                        TMLI_ARRAY(b.owner, (size_t)count), TMLI_ARRAY(b.away, (size_t)count));
    tml_status st = room ? first_four(&b, err) : tmli_no_memory(err, "hull");
    for (int i = 0; st == TML_OK && b.ncorners < most && (i = outermost(&b)) >= 0;) insert(&b, i);
    if (st == TML_OK) st = finish(&b, env, out, err);
    tmli_free_all(env, b.t, b.rim, b.fresh, b.owner, b.away);
    if (st != TML_OK) tmli_hull_clear(out, env);
    return st;
}

void tmli_hull_clear(tmli_hull *h, const tml_env *env)
{
    tmli_free_all(env, h->corner, h->triangle);
    *h = (tmli_hull){0};
}

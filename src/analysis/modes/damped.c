// Roots of damped motions from a subspace of shapes.
//
// Damping D = tau K gives each motion of the frequency w without damping the roots
//   s = -tau w^2/2 +- i w sqrt(1 - tau^2 w^2/4)                                                           (1)
// For tau w > 2 both are real. One goes to -tau w^2, the other to -1/tau: a model with thousands of stiff
// motions has as many roots that differ by round-off, nearer to 0 than those of its slow motions. A solver
// that looks for the smallest roots gets lost among them, and one that finds all drowns slow roots in the
// round-off of the fast ones.
//
// What separates slow motions from fast ones is their shape. So the shapes of the lowest frequencies without
// damping, which are found well, and those that the solver of the damped equations found, span a space V (n x
// k) of possible motions, B V = 0, and the small problem
//   V'(P0 + s P1 + s^2 P2) V y = 0                                                                        (2)
// shows roots with shapes V y (subspace.c). Each wanted root is refined by inverse iteration in P(s),
//   P(s) y = P'(s) d,   s <- s - d*d / d*y,   d <- y                                                      (3)
// and its shape joins V, until (2) shows none that is new (H. Voss, BIT 44 (2004) 387). Damping in one place,
// which couples shapes, needs some rounds of this; damping as in (1) needs none.
//
// A root is accepted if the residual of the quadratic equations is small: with a shift h next to s,
//   x = P(h)^-1 P(s) d                                                                                    (4)
// is 0 for a true pair, and of the size of d for any other.
//
// Order: the slow root of an overdamped motion counts with sqrt(k/m) of its shape, k = d*P0 d, m = d*P2 d,
// the geometric mean of the two roots that (1) has for it. So the slow roots of the lowest frequencies
// without damping come first, not those at -1/tau. Overdamped is what decays without oscillation, or, in
// turning axes, with d*P1 d > 2 |s| m.
#include "analysis/modes/damped.h"
#include "analysis/modes/subspace.h"

#include <math.h>
#include <string.h>

#include "analysis/modes/constants.h"

// A root with its shape
typedef struct pair {
    double complex s;
    double order;         // distance from what is wanted [1/s]
    double complex *d;    // (n) of length 1
    double complex *own;  // (n) its part that earlier ones with the same root do not have
} pair;

typedef struct search {
    tmli_pencil *p;
    tmli_roots *out;
    tmli_subspace v;
    int count, most;       // accepted pairs
    pair *accepted;        // (most)
    double complex *list;  // (most) their roots
} search;

static void *alloc(search *s, size_t count, size_t size)
{
    return tmli_arena_alloc(&s->p->arena, count + 1, size);
}

bool tmli_damped_applies(const tmli_pencil *p) { return !p->rate_rows; }

tmli_roots_def tmli_damped_start(const tmli_roots_def *want)
{
    tmli_roots_def start = *want;
    start.count += SPARE_ROOTS;
    return start;
}

// ---- refinement -------------------------------------------------------------------------------------------

// A root that round-off of the equations, or of (2), makes of 0
static bool is_zero(search *s, double complex root, const double complex *d)
{
    const double size = cabs(root), slope = size * cabs(tmli_subspace_form(&s->v, 0, 1, 2 * root, d));
    if (slope <= tmli_subspace_roundoff(&s->v, size, d)) return true;
    const bool moves = creal(tmli_subspace_form(&s->v, 0, 0, 1, d)) > 0;  // else it is one of states
    if ((!moves || creal(root) > 0) && size <= TMLI_ROUNDOFF * s->v.rate) return true;
    return moves && size <= tmli_subspace_noise(&s->v, d) && !tmli_subspace_is_stiff(&s->v, d);
}

// (3); false: it does not converge
static bool refine(search *s, pair *a)
{
    const int n = s->p->n;
    double last = INFINITY;
    for (int round = 0; round < REFINEMENTS; round++) {
        if (tmli_pencil_factor(s->p, a->s, NULL) != TML_OK) return last < INFINITY;
        tmli_subspace_multiply(&s->v, 0, 1, 2 * a->s, a->d, s->v.x);
        tmli_pencil_solve(s->p, s->v.x);
        double complex product = 0;
        for (int j = 0; j < n; j++) product += conj(a->d[j]) * s->v.x[j];
        const double length = tmli_shape_norm(s->v.x, n);
        if (!(length > 0) || !isfinite(length) || product == 0) return false;
        const double complex change = 1 / product;
        for (int j = 0; j < n; j++) a->d[j] = s->v.x[j] / length;
        a->s -= change;
        if (!(cabs(change) < last)) break;  // round-off
        last = cabs(change);
        if (last <= TMLI_ROUNDOFF * cabs(a->s)) break;
    }
    if (fabs(cimag(a->s)) <= UNDAMPED_SHARE * cabs(a->s)) a->s = creal(a->s);
    return last <= SPLIT_ROOTS * cabs(a->s);
}

// (4)
static bool is_root(search *s, const pair *a)
{
    const int n = s->p->n;
    const double complex shift = a->s * (1 + OWN_SHIFT);
    if (!(cabs(a->s) > 0) || tmli_pencil_factor(s->p, shift, NULL) != TML_OK) return false;
    const double slope = cabs(tmli_subspace_form(&s->v, 0, 1, 2 * a->s, a->d)) * OWN_SHIFT * cabs(a->s);
    const double least = slope > 0 ? tmli_subspace_roundoff(&s->v, cabs(a->s), a->d) / slope : 0;
    tmli_subspace_multiply(&s->v, 1, a->s, a->s * a->s, a->d, s->v.x);
    tmli_pencil_solve(s->p, s->v.x);
    return tmli_shape_norm(s->v.x, n) <= OWN_RESIDUAL + least;
}

// x := what is left of the shape beside those of accepted pairs with the same root; false: nothing
static bool is_new(search *s, const pair *a)
{
    const int n = s->p->n;
    memcpy(s->v.x, a->d, (size_t)n * sizeof *s->v.x);
    for (int pass = 0; pass < 2; pass++)  // twice, against round-off
        for (int i = 0; i < s->count; i++) {
            const pair *b = &s->accepted[i];
            if (cabs(b->s - a->s) > SPLIT_ROOTS * cabs(a->s)) continue;
            double complex product = 0;
            for (int j = 0; j < n; j++) product += conj(b->own[j]) * s->v.x[j];
            for (int j = 0; j < n; j++) s->v.x[j] -= product * b->own[j];
        }
    const double length = tmli_shape_norm(s->v.x, n);
    for (int j = 0; j < n && length > 0; j++) s->v.x[j] /= length;
    return length > INDEPENDENT_SHAPE;
}

// known: its root and shape may be those of another one
static bool accept(search *s, const pair *a, bool known)
{
    const bool new = is_new(s, a);
    if (s->count == s->most || !(new || known)) return false;
    if (new) memcpy(a->own, s->v.x, (size_t)s->p->n * sizeof *a->own);  // else 0
    s->accepted[s->count] = *a;
    s->accepted[s->count++].order = tmli_subspace_order(&s->v, a->s, a->d);
    tmli_subspace_extend(&s->v, a->d);
    return true;
}

// Is the pair of (2) one of those accepted? used (count) marks them.
static bool is_accepted(const search *s, const tmli_ritz *a, bool *used)
{
    for (int i = 0; i < s->count; i++) {
        const pair *b = &s->accepted[i];
        if (used[i] || cabs(a->s - b->s) > SAME_ROOT * cabs(b->s)) continue;
        if (fabs(a->order - b->order) > SAME_ORDER * b->order) continue;
        return used[i] = true;
    }
    return false;
}

// A pair of (2) as it is, or refined
static tml_status examine(search *s, const double complex *d, double complex root, bool *used, tml_error *err)
{
    const size_t n = (size_t)s->p->n;
    pair a = {root, 0, alloc(s, 2 * n, sizeof *a.d), NULL};
    if (!a.d) return tmli_no_memory(err, "modes");
    a.own = a.d + n;
    memcpy(a.d, d, n * sizeof *a.d);
    const bool as_it_is = is_root(s, &a);  // also one of two equal roots with one shape
    const bool good = as_it_is || (refine(s, &a) && is_root(s, &a));
    if (good && accept(s, &a, as_it_is)) used[s->count - 1] = true;
    else tmli_subspace_extend(&s->v, a.d);
    return TML_OK;
}

// Look at the wanted pairs of (2): refine those that are new. *open: number of new ones
static tml_status improve(search *s, int *open, tml_error *err)
{
    const size_t n = (size_t)s->p->n;
    bool *used = tmli_arena_alloc(&s->v.round, (size_t)s->most + 1, sizeof *used);
    double complex *d = tmli_arena_alloc(&s->v.round, n + 1, sizeof *d);
    tml_status st = used && d ? TML_OK : tmli_no_memory(err, "modes");
    *open = 0;
    for (int i = 0, wanted = 0; i < s->v.count && wanted < s->out->room + SPARE_ROOTS && st == TML_OK; i++) {
        const tmli_ritz *a = &s->v.found[i];
        tmli_subspace_shape(&s->v, a->y, d);
        if (is_zero(s, a->s, d)) continue;
        wanted++;
        if (is_accepted(s, a, used)) continue;
        ++*open;
        st = examine(s, d, a->s, used, err);
    }
    return st;
}

// ---- result -----------------------------------------------------------------------------------------------

// i: of an accepted root; -1: a root 0
static void store(search *s, int i, const double complex *d, double *part)
{
    const int n = s->p->n;
    for (int j = 0; j < n; j++) {
        part[j] = creal(d[j]);
        part[n + j] = cimag(d[j]);
    }
    const double noise = tmli_subspace_noise(&s->v, d);
    tmli_root root = {.distance = tmli_roots_distance(s->out, 0), .noise = noise};
    if (i >= 0)
        root = (tmli_root){.s = s->list[i],
                           .distance = s->accepted[i].order,
                           .noise = noise,
                           .error = tmli_root_error(s->list, s->count, i, noise)};
    tmli_roots_add(s->out, root, part, i < 0 ? NULL : part + n);
    if (i < 0) tmli_roots_add(s->out, root, part + n, NULL);
}

static tml_status store_all(search *s, tml_error *err)
{
    const size_t n = (size_t)s->p->n;
    double complex *d = tmli_arena_alloc(&s->v.round, n + 1, sizeof *d);
    double complex *y = tmli_arena_alloc(&s->v.round, (size_t)s->v.projected + 1, sizeof *y);
    double *part = tmli_arena_alloc(&s->v.round, 2 * n + 1, sizeof *part);
    if (!d || !y || !part) return tmli_no_memory(err, "modes");
    for (int i = 0; i < s->v.zeros; i++) {
        tmli_subspace_rigid(&s->v, i, y, d);
        store(s, -1, d, part);
    }
    for (int i = 0; i < s->v.count; i++) {
        tmli_subspace_shape(&s->v, s->v.found[i].y, d);
        if (is_zero(s, s->v.found[i].s, d)) store(s, -1, d, part);
    }
    for (int i = 0; i < s->count; i++) s->list[i] = s->accepted[i].s;
    for (int i = 0; i < s->count; i++) store(s, i, s->accepted[i].d, part);
    return TML_OK;
}

tml_status tmli_damped_roots(tmli_pencil *p, const tmli_roots *undamped, const tmli_roots *damped,
                             tmli_roots *out, tml_error *err)
{
    search s = {.p = p, .out = out, .most = SUBSPACE_ROUNDS * (out->room + SPARE_ROOTS)};
    const tmli_roots *const start[2] = {undamped, damped};
    const size_t n = (size_t)p->n;
    int open = 1;
    tml_status st =
        tmli_subspace_init(&s.v, p, 4 * (undamped->count + damped->count) + 2 * s.most, out->near, err);
    s.accepted = alloc(&s, (size_t)s.most, sizeof *s.accepted);
    s.list = alloc(&s, (size_t)s.most, sizeof *s.list);
    if (st == TML_OK && (!s.accepted || !s.list)) st = tmli_no_memory(err, "modes");
    for (int k = 0; k < 2 && st == TML_OK; k++)
        for (int i = 0; i < start[k]->count; i++) tmli_subspace_extend(&s.v, start[k]->d + (size_t)i * n);
    for (int round = 0; round < SUBSPACE_ROUNDS && open > 0 && s.v.size > 0 && st == TML_OK; round++) {
        st = tmli_subspace_solve(&s.v, err);
        if (st == TML_OK) st = improve(&s, &open, err);
    }
    if (st == TML_OK) st = store_all(&s, err);
    tmli_subspace_clear(&s.v);
    return st;
}

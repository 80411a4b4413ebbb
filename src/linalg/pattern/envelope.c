// Orders of small envelope, compared; see envelope.h.
//
// Cuthill-McKee: breadth first from a peripheral vertex of the graph, neighbours by degree; reversed it never
// has a larger envelope (A. George, J. Liu, Computer Solution of Large Sparse Positive Definite Systems,
// 1981). Sloan (Int. J. Numer. Methods Eng. 23 (1986) 239-251): from one end s of the graph to the other, e.
// The next vertex is the active or preactive one of highest priority
//   P_i = w1 dist(i, e) - w2 (rows that enter the front if i is numbered)                             (1)
// w1 = 0 is King's rule (the second half of Gibbs-King): the front grows as little as possible at each step.
// Each order is tried in both directions.
#include "linalg/pattern/envelope.h"

#include <math.h>
#include <string.h>

// Sloan's states of a vertex.
enum {
    INACTIVE,    // none of the others
    PREACTIVE,   // neighbour of an active vertex
    ACTIVE,      // in the front: neighbour of a numbered vertex
    POSTACTIVE,  // numbered
};

typedef struct search {
    const tmli_graph *g;
    int32_t *level;      // distance from the root of the last search, -1: not reached
    int32_t *queue;      // vertices in the order they were reached
    int32_t *position;   // vertex -> position
    int32_t *trial;      // order being tried
    uint8_t *state;      // Sloan's state
    int32_t *candidate;  // active and preactive vertices
    double *priority;    // (1)
} search;

static int32_t breadth_first(const search *s, int32_t root, int32_t *height);
static int32_t find_peripheral(const search *s, int32_t start, int32_t *count);
static void cuthill_mckee(search *s);
static void sloan(search *s, double w1, double w2);
static int32_t number_component(search *s, int32_t from, int32_t at, double w2);
static void reverse(int32_t n, int32_t *perm);
static void measure(search *s, tmli_envelope *e);
static void try_order(search *s, const char *name, int32_t *perm, tmli_envelope *best, tmli_envelope **all);

tml_status tmli_envelope_order(const tmli_graph *g, int32_t *perm, tmli_envelope *best, tmli_envelope *all,
                               const tml_env *env, tml_error *err)
{
    // w1, w2: King; Sloan's own; J. K. Reid, J. A. Scott, Int. J. Numer. Methods Eng. 45 (1999) 1737-1755
    static const struct {
        const char *forth, *back;
        double w1, w2;
    } sloan_orders[] = {{"King", "reverse King", 0, 1},
                        {"Sloan", "reverse Sloan", 1, 2},
                        {"Sloan 16:1", "reverse Sloan 16:1", 16, 1}};
    const size_t n = (size_t)g->n;
    search s = {.g = g};
    const bool lists =
        tmli_calloc_block(env, TMLI_ARRAY(s.level, n), TMLI_ARRAY(s.queue, n), TMLI_ARRAY(s.position, n),
                          TMLI_ARRAY(s.trial, n), TMLI_ARRAY(s.candidate, n));
    s.state = tmli_calloc(env, n, sizeof *s.state);
    s.priority = tmli_calloc(env, n, sizeof *s.priority);
    *best = (tmli_envelope){.name = "", .profile = INFINITY, .work = INFINITY};
    const bool ok = lists && s.state && s.priority;
    if (ok) {
        for (int32_t i = 0; i < g->n; i++) s.trial[i] = i;
        try_order(&s, "natural", perm, best, &all);
        cuthill_mckee(&s);
        try_order(&s, "Cuthill-McKee", perm, best, &all);
        reverse(g->n, s.trial);
        try_order(&s, "reverse Cuthill-McKee", perm, best, &all);
        for (size_t k = 0; k < sizeof sloan_orders / sizeof *sloan_orders; k++) {
            sloan(&s, sloan_orders[k].w1, sloan_orders[k].w2);
            try_order(&s, sloan_orders[k].forth, perm, best, &all);
            reverse(g->n, s.trial);
            try_order(&s, sloan_orders[k].back, perm, best, &all);
        }
    }
    tmli_free_all(env, s.level, s.state, s.priority);
    if (!ok) return tmli_fail(err, TML_ERR_NOMEM, "reduced solver: no memory to order %zu joints", n);
    return TML_OK;
}

// Breadth first from root over vertices of level -1; returns how many were reached.
static int32_t breadth_first(const search *s, int32_t root, int32_t *height)
{
    int32_t tail = 1;
    s->queue[0] = root;
    s->level[root] = 0;
    for (int32_t head = 0; head < tail; head++) {
        const int32_t v = s->queue[head];
        *height = s->level[v];
        for (int32_t k = s->g->ptr[v]; k < s->g->ptr[v + 1]; k++) {
            const int32_t w = s->g->ind[k];
            if (s->level[w] >= 0) continue;
            s->level[w] = s->level[v] + 1;
            s->queue[tail++] = w;
        }
    }
    return tail;
}

static int32_t degree(const tmli_graph *g, int32_t v) { return g->ptr[v + 1] - g->ptr[v]; }

// A pseudo-peripheral vertex of start's component (George and Liu). Sets queue to the component's vertices,
// and level to their distances from the opposite end, the vertex of least degree in the last level.
static int32_t find_peripheral(const search *s, int32_t start, int32_t *count)
{
    int32_t peripheral = start, height = -1;
    for (;;) {
        int32_t last_level = 0;
        *count = breadth_first(s, peripheral, &last_level);
        int32_t end = s->queue[*count - 1];
        for (int32_t k = *count - 1; k >= 0 && s->level[s->queue[k]] == last_level; k--)
            if (degree(s->g, s->queue[k]) < degree(s->g, end)) end = s->queue[k];
        for (int32_t k = 0; k < *count; k++) s->level[s->queue[k]] = -1;
        if (last_level <= height) {
            breadth_first(s, end, &last_level);
            return peripheral;
        }
        height = last_level;
        peripheral = end;
    }
}

static void cuthill_mckee(search *s)
{
    const tmli_graph *g = s->g;
    int32_t at = 0;
    memset(s->state, INACTIVE, (size_t)g->n);
    for (int32_t i = 0; i < g->n; i++) s->level[i] = -1;
    for (int32_t root = 0; root < g->n; root++) {
        if (s->state[root] == POSTACTIVE) continue;
        int32_t count, tail = at + 1;
        const int32_t peripheral = find_peripheral(s, root, &count);
        s->trial[at] = peripheral;
        s->state[peripheral] = POSTACTIVE;
        for (; at < tail; at++) {
            const int32_t v = s->trial[at], begin = tail;
            for (int32_t k = g->ptr[v]; k < g->ptr[v + 1]; k++) {
                const int32_t w = g->ind[k];
                if (s->state[w] == POSTACTIVE) continue;
                s->state[w] = POSTACTIVE;
                int32_t position = tail++;
                for (; position > begin && degree(g, s->trial[position - 1]) > degree(g, w); position--)
                    s->trial[position] = s->trial[position - 1];
                s->trial[position] = w;
            }
        }
    }
}

static void sloan(search *s, double w1, double w2)
{
    const tmli_graph *g = s->g;
    int32_t at = 0;
    memset(s->state, INACTIVE, (size_t)g->n);
    for (int32_t i = 0; i < g->n; i++) s->level[i] = -1;
    for (int32_t root = 0; root < g->n; root++) {
        if (s->state[root] == POSTACTIVE) continue;
        int32_t count;
        const int32_t peripheral = find_peripheral(s, root, &count);
        for (int32_t i = 0; i < count; i++) {
            const int32_t v = s->queue[i];
            double enters = g->size[v];
            for (int32_t k = g->ptr[v]; k < g->ptr[v + 1]; k++) enters += g->size[g->ind[k]];
            s->priority[v] = w1 * s->level[v] - w2 * enters;
        }
        at = number_component(s, peripheral, at, w2);
    }
}

// Numbers the component of `from`; returns the next free position.
static int32_t number_component(search *s, int32_t from, int32_t at, double w2)
{
    const tmli_graph *g = s->g;
    int32_t count = 1;
    s->candidate[0] = from;
    s->state[from] = PREACTIVE;
    while (count > 0) {
        int32_t best = 0;
        for (int32_t k = 1; k < count; k++)
            if (s->priority[s->candidate[k]] > s->priority[s->candidate[best]]) best = k;
        const int32_t v = s->candidate[best];
        s->candidate[best] = s->candidate[--count];
        const bool enters = s->state[v] == PREACTIVE;  // v itself was not in the front yet
        for (int32_t k = g->ptr[v]; k < g->ptr[v + 1]; k++) {
            const int32_t w = g->ind[k];
            if (s->state[w] == POSTACTIVE) continue;
            if (enters) s->priority[w] += w2 * g->size[v];
            if (s->state[w] == INACTIVE) s->candidate[count++] = w;
            if (s->state[w] == ACTIVE) continue;
            s->state[w] =
                ACTIVE;  // numbering v brings w into the front: cheaper for w and all its neighbours
            s->priority[w] += w2 * g->size[w];
            for (int32_t l = g->ptr[w]; l < g->ptr[w + 1]; l++) {
                const int32_t x = g->ind[l];
                if (s->state[x] == POSTACTIVE) continue;
                s->priority[x] += w2 * g->size[w];
                if (s->state[x] != INACTIVE) continue;
                s->state[x] = PREACTIVE;
                s->candidate[count++] = x;
            }
        }
        s->state[v] = POSTACTIVE;
        s->trial[at++] = v;
    }
    return at;
}

static void reverse(int32_t n, int32_t *perm)
{
    for (int32_t i = 0, j = n - 1; i < j; i++, j--) {
        const int32_t a = perm[i];
        perm[i] = perm[j];
        perm[j] = a;
    }
}

// (1) of envelope.h
static void measure(search *s, tmli_envelope *e)
{
    const tmli_graph *g = s->g;
    double *before = s->priority;  // rows before a position
    double rows = 0;
    e->profile = e->work = 0;
    for (int32_t k = 0; k < g->n; k++) {
        s->position[s->trial[k]] = k;
        before[k] = rows;
        rows += g->size[s->trial[k]];
    }
    for (int32_t k = 0; k < g->n; k++) {
        const int32_t v = s->trial[k];
        int32_t first = k;
        for (int32_t i = g->ptr[v]; i < g->ptr[v + 1]; i++)
            if (s->position[g->ind[i]] < first) first = s->position[g->ind[i]];
        const double size = g->size[v], width = before[k] - before[first];
        e->profile += size * width;
        e->work += size * width * width + size * size * width + size * size * size / 3;
    }
}

static void try_order(search *s, const char *name, int32_t *perm, tmli_envelope *best, tmli_envelope **all)
{
    tmli_envelope e = {.name = name};
    measure(s, &e);
    if (*all) *(*all)++ = e;
    if (e.work >= best->work) return;
    *best = e;
    memcpy(perm, s->trial, (size_t)s->g->n * sizeof *perm);
}

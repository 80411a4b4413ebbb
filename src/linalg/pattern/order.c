// Minimum-degree ordering of the block graph under rules of precedence.
//
// P. R. Amestoy, T. A. Davis, I. S. Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886-905. The graph during
// elimination is kept as a quotient graph: an eliminated pivot p becomes an element, whose list L_p holds the
// blocks it has made neighbours of each other, so that fill costs no memory. For a live block i with
// neighbours A_i (not covered by an element) and elements E_i, and weights |.| that count unknowns,
//   L_p = A_p + union_{e in E_p} L_e - {p}                                                           (1)
//   d_i = |A_i| + |L_p - {i}| + sum_{e in E_i, e != p} |L_e - L_p|                                   (2)
// (2) bounds the degree from above and is exact for up to two elements. An element inside L_p is absorbed by
// it. L_p is also the structure of column p of the factors, so no other symbolic factorization is needed.
//
// The next pivot is an eligible block of least d_i, among equals the one updated last, which follows chains
// and keeps the work local. Coordinate blocks are eligible from the start. A multiplier block has a zero
// pivot before elimination; it is eligible when
//   - all blocks of its `after` list are eliminated (unless the order is free), and
//   - adjacent coordinate blocks with together at least its own number of unknowns are eliminated (all of
//     them, if they are fewer), since its pivot -B inv(M) B' has no larger rank.
// If no block is eligible (cyclic rules), the first remaining one is taken; the factorization then checks the
// pivot.
#include "linalg/pattern/order.h"

#include "linalg/pattern/pattern.h"

typedef struct quotient {
    const tml_pattern *pattern;
    int32_t *adjptr;  // (nb + 1) original neighbours; A_i and E_i share the same memory
    int32_t *adj;     // original neighbours
    int32_t *var;     // A_i = var[adjptr[i] .. + nvar[i]-1]
    int32_t *elem;    // E_i = elem[adjptr[i] .. + nelem[i]-1]; fits: elements replace neighbours
    int32_t *nvar, *nelem;
    int32_t *position;  // (nb) position in the order, -1 while live
    int32_t *weight;    // (nb) |L_e| of a live element, 0 once absorbed
    int32_t *outside;   // (nb) |L_e - L_p| of the current pivot
    int32_t *seen;      // (nb) stamp of `outside`
    int32_t *mark;      // (nb) stamp of membership in L_p
    int32_t *degree;    // (nb)
    int32_t *head;      // (n + 1) eligible blocks by degree, doubly linked
    int32_t *next, *prev;
    int32_t lowest;               // no eligible block has a smaller degree
    int32_t *rules;               // (nb) unmet `after` rules; -1 once in the lists
    int32_t *support;             // (nb) unknowns still to be eliminated beside a multiplier block
    int32_t *followptr, *follow;  // `after` transposed
} quotient;

static tml_status quotient_init(quotient *g, const tml_pattern *p, bool free, const tml_env *env);
static void quotient_clear(quotient *g, const tml_env *env);
static void find_neighbours(quotient *g);
static void start_eligibility(quotient *g, bool free);
static bool is_eligible(const quotient *g, int32_t b);
static void list_insert(quotient *g, int32_t b);
static void list_remove(quotient *g, int32_t b);
static int32_t take_lowest(quotient *g, int32_t *first_left);
static tml_status form_element(quotient *g, int32_t p, int32_t stamp, tmli_order *o, size_t *count,
                               const tml_env *env);
static void update_neighbours(quotient *g, int32_t p, int32_t stamp, const int32_t *L, size_t count);
static void release(quotient *g, int32_t p);

static int32_t size_of(const quotient *g, int32_t b)
{
    return g->pattern->blockptr[b + 1] - g->pattern->blockptr[b];
}

// sum_{q = r}^{r + size - 1} 2 q^2
static double pivot_flops(double size, double r)
{
    const double m = size + r;
    return (m * (m - 1) * (2 * m - 1) - r * (r - 1) * (2 * r - 1)) / 3;
}

tml_status tmli_order_init(tmli_order *order, const tml_pattern *pattern, bool free, double most,
                           const tml_env *env, tml_error *err)
{
    const int32_t nb = pattern->nblocks;
    quotient g = {0};
    tml_status st = quotient_init(&g, pattern, free, env);
    order->nblocks = nb;
    order->perm = tmli_calloc(env, (size_t)nb, sizeof *order->perm);
    order->ptr = tmli_calloc(env, (size_t)nb + 1, sizeof *order->ptr);
    order->room = 4 * (size_t)nb;
    order->ind = tmli_calloc(env, order->room, sizeof *order->ind);
    if (st == TML_OK && (!order->perm || !order->ptr || !order->ind)) st = TML_ERR_NOMEM;
    int32_t first_left = 0;
    for (int32_t k = 0; k < nb && st == TML_OK && !order->abandoned; k++) {
        const int32_t p = take_lowest(&g, &first_left);
        size_t count = 0;
        g.position[p] = k;
        order->perm[k] = p;
        st = form_element(&g, p, k + 1, order, &count, env);
        if (st != TML_OK) break;
        order->ptr[k + 1] = order->ptr[k] + count;
        update_neighbours(&g, p, k + 1, order->ind + order->ptr[k], count);
        release(&g, p);
        order->flops += pivot_flops(size_of(&g, p), g.weight[p]);
        order->abandoned = order->flops > most;
    }
    quotient_clear(&g, env);
    if (st != TML_OK) return tmli_fail(err, st, "block solver: no memory to order %d blocks", (int)nb);
    return TML_OK;
}

void tmli_order_clear(tmli_order *order, const tml_env *env)
{
    tmli_free_all(env, order->perm, order->ptr, order->ind);
    *order = (tmli_order){0};
}

static tml_status quotient_init(quotient *g, const tml_pattern *p, bool free, const tml_env *env)
{
    const size_t nb = (size_t)p->nblocks;
    size_t edges = 0;
    for (size_t b = 0; b < nb; b++) {
        const int32_t col = p->blockptr[b];
        for (int32_t k = p->colptr[col]; k < p->colptr[col + 1];) {
            const int32_t other = tmli_pattern_block_of(p, p->rowind[k]);
            k += p->blockptr[other + 1] - p->blockptr[other];
            edges++;
        }
    }
    g->pattern = p;
    if (!tmli_calloc_all(env, TMLI_ARRAY(g->nvar, nb), TMLI_ARRAY(g->nelem, nb), TMLI_ARRAY(g->position, nb),
                         TMLI_ARRAY(g->weight, nb), TMLI_ARRAY(g->outside, nb), TMLI_ARRAY(g->seen, nb),
                         TMLI_ARRAY(g->mark, nb), TMLI_ARRAY(g->degree, nb), TMLI_ARRAY(g->next, nb),
                         TMLI_ARRAY(g->prev, nb), TMLI_ARRAY(g->rules, nb), TMLI_ARRAY(g->support, nb),
                         TMLI_ARRAY(g->adjptr, nb + 1), TMLI_ARRAY(g->adj, edges), TMLI_ARRAY(g->var, edges),
                         TMLI_ARRAY(g->elem, edges), TMLI_ARRAY(g->head, (size_t)p->n + 1),
                         TMLI_ARRAY(g->followptr, nb + 2), TMLI_ARRAY(g->follow, (size_t)p->afterptr[nb])))
        return TML_ERR_NOMEM;
    find_neighbours(g);
    start_eligibility(g, free);
    return TML_OK;
}

static void quotient_clear(quotient *g, const tml_env *env)
{
    tmli_free_all(env, g->nvar, g->nelem, g->position, g->weight, g->outside, g->seen, g->mark, g->degree,
                  g->next, g->prev, g->rules, g->support, g->adjptr, g->adj, g->var, g->elem, g->head,
                  g->followptr, g->follow);
}

static void find_neighbours(quotient *g)
{
    const tml_pattern *p = g->pattern;
    int32_t at = 0;
    for (int32_t b = 0; b < p->nblocks; b++) {
        const int32_t col = p->blockptr[b];
        g->adjptr[b] = at;
        for (int32_t k = p->colptr[col]; k < p->colptr[col + 1];) {
            const int32_t other = tmli_pattern_block_of(p, p->rowind[k]);
            k += size_of(g, other);
            if (other == b) continue;
            g->adj[at] = g->var[at] = other;
            g->degree[b] += size_of(g, other);
            at++;
        }
        g->nvar[b] = at - g->adjptr[b];
        g->position[b] = -1;
    }
    g->adjptr[p->nblocks] = at;
}

static void start_eligibility(quotient *g, bool free)
{
    const tml_pattern *p = g->pattern;
    const int32_t nb = p->nblocks;
    for (int32_t k = 0; k < p->afterptr[nb] && !free; k++) g->followptr[p->afterind[k] + 2]++;
    for (int32_t b = 0; b < nb; b++) g->followptr[b + 2] += g->followptr[b + 1];
    for (int32_t b = 0; b < nb; b++)
        for (int32_t k = p->afterptr[b]; k < p->afterptr[b + 1] && !free; k++)
            g->follow[g->followptr[p->afterind[k] + 1]++] = b;

    for (int32_t d = 0; d <= p->n; d++) g->head[d] = -1;
    g->lowest = p->n;
    for (int32_t b = nb - 1; b >= 0; b--) {  // backwards, so that the first of equals comes first
        g->rules[b] = free ? 0 : p->afterptr[b + 1] - p->afterptr[b];
        if (p->multiplier[b]) {
            int32_t beside = 0;
            for (int32_t k = g->adjptr[b]; k < g->adjptr[b + 1]; k++)
                if (!p->multiplier[g->adj[k]]) beside += size_of(g, g->adj[k]);
            g->support[b] = beside < size_of(g, b) ? beside : size_of(g, b);
        }
        if (is_eligible(g, b)) list_insert(g, b);
    }
}

static bool is_eligible(const quotient *g, int32_t b) { return g->rules[b] <= 0 && g->support[b] <= 0; }

static void list_insert(quotient *g, int32_t b)
{
    const int32_t d = g->degree[b];
    g->rules[b] = -1;
    g->prev[b] = -1;
    g->next[b] = g->head[d];
    if (g->head[d] >= 0) g->prev[g->head[d]] = b;
    g->head[d] = b;
    if (d < g->lowest) g->lowest = d;
}

static void list_remove(quotient *g, int32_t b)
{
    if (g->prev[b] >= 0) g->next[g->prev[b]] = g->next[b];
    else g->head[g->degree[b]] = g->next[b];
    if (g->next[b] >= 0) g->prev[g->next[b]] = g->prev[b];
}

static int32_t take_lowest(quotient *g, int32_t *first_left)
{
    const int32_t n = g->pattern->n;
    while (g->lowest <= n && g->head[g->lowest] < 0) g->lowest++;
    if (g->lowest <= n) {
        const int32_t b = g->head[g->lowest];
        list_remove(g, b);
        return b;
    }
    g->lowest = n;
    while (g->position[*first_left] >= 0) (*first_left)++;
    g->rules[*first_left] = -1;
    return *first_left;
}

// (1), written to the end of the order's lists.
static tml_status form_element(quotient *g, int32_t p, int32_t stamp, tmli_order *o, size_t *count,
                               const tml_env *env)
{
    const size_t start = o->ptr[g->position[p]];
    size_t need = (size_t)g->nvar[p];
    const int32_t *E = g->elem + g->adjptr[p];
    for (int32_t k = 0; k < g->nelem[p]; k++) {
        const size_t at = (size_t)g->position[E[k]];
        need += o->ptr[at + 1] - o->ptr[at];
    }
    if (start + need > o->room) {
        const size_t room = 2 * (start + need) + 64;
        int32_t *ind = tmli_regrow(env, o->ind, start, room, sizeof *ind);
        if (!ind) return TML_ERR_NOMEM;
        o->ind = ind;
        o->room = room;
    }
    int32_t *L = o->ind + start;
    size_t n = 0;
    int32_t weight = 0;
    g->mark[p] = stamp;
    for (int32_t k = -1; k < g->nelem[p]; k++) {
        const size_t at = k < 0 ? 0 : (size_t)g->position[E[k]];
        const int32_t *list = k < 0 ? g->var + g->adjptr[p] : o->ind + o->ptr[at];
        const size_t length = k < 0 ? (size_t)g->nvar[p] : o->ptr[at + 1] - o->ptr[at];
        for (size_t i = 0; i < length; i++) {
            if (g->mark[list[i]] == stamp) continue;
            g->mark[list[i]] = stamp;
            L[n++] = list[i];
            weight += size_of(g, list[i]);
        }
        if (k >= 0) g->weight[E[k]] = 0;  // absorbed
    }
    g->weight[p] = weight;
    *count = n;
    return TML_OK;
}

static void update_neighbours(quotient *g, int32_t p, int32_t stamp, const int32_t *L, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const int32_t i = L[k], *E = g->elem + g->adjptr[i];
        for (int32_t j = 0; j < g->nelem[i]; j++) {
            if (g->weight[E[j]] == 0) continue;
            if (g->seen[E[j]] != stamp) {
                g->seen[E[j]] = stamp;
                g->outside[E[j]] = g->weight[E[j]];
            }
            g->outside[E[j]] -= size_of(g, i);
        }
    }
    for (size_t k = 0; k < count; k++) {
        const int32_t i = L[k];
        int32_t *E = g->elem + g->adjptr[i], *A = g->var + g->adjptr[i];
        int32_t degree = g->weight[p] - size_of(g, i), ne = 0, na = 0;
        for (int32_t j = 0; j < g->nelem[i]; j++) {
            const int32_t e = E[j];
            if (g->weight[e] == 0 || g->outside[e] == 0) continue;  // inside L_p
            degree += g->outside[e];
            E[ne++] = e;
        }
        E[ne++] = p;
        for (int32_t j = 0; j < g->nvar[i]; j++) {
            if (g->mark[A[j]] == stamp) continue;
            degree += size_of(g, A[j]);
            A[na++] = A[j];
        }
        if (g->rules[i] == -1) list_remove(g, i);
        g->nelem[i] = ne;
        g->nvar[i] = na;
        g->degree[i] = degree < g->pattern->n ? degree : g->pattern->n;
        if (g->rules[i] == -1) list_insert(g, i);
    }
}

// Blocks that waited for p.
static void release(quotient *g, int32_t p)
{
    for (int32_t k = g->followptr[p]; k < g->followptr[p + 1]; k++) {
        const int32_t f = g->follow[k];
        if (g->rules[f] > 0 && --g->rules[f] == 0 && is_eligible(g, f) && g->position[f] < 0)
            list_insert(g, f);
    }
    if (g->pattern->multiplier[p]) return;
    for (int32_t k = g->adjptr[p]; k < g->adjptr[p + 1]; k++) {
        const int32_t f = g->adj[k];
        if (!g->pattern->multiplier[f] || g->support[f] <= 0) continue;
        g->support[f] -= size_of(g, p);
        if (g->rules[f] == 0 && is_eligible(g, f) && g->position[f] < 0) list_insert(g, f);
    }
}

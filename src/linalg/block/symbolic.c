// From the order of elimination to the schedule of fronts.
//
// I. S. Duff, J. K. Reid, ACM Trans. Math. Softw. 9 (1983) 302-325. The parent of a pivot is the first
// eliminated among the blocks coupled to it; a pivot's update touches only its ancestors. Pivots are numbered
// anew by a post-order of this tree, which changes no pivot's value, but lets waiting updates form a stack
// and puts the factors in memory in the order of use.
//
// A pivot is merged with its parent into one front if that is cheaper. The structure of the merged front is
// the parent's, since L_c - {p} lies in L_p. The cost of a front of nk pivots and m = nk + r rows is
//   c = c0 + sum_{q = r}^{m - 1} 2 q^2                                                                (1)
// c0, FRONT_OVERHEAD, does not depend on the size of the front: assembly, calls, unfilled vectors. Merging
// also widens the choice of pivots: a body and its joint in one front may exchange rows.
//
// The order is that of least degree under the rules of the pattern. In nets of loops these cost most of the
// work, since a joint waits for all bodies of its loop. There a free order is tried; if it is much cheaper,
// it is taken, and shifted.c sees to the pivots.
#include "linalg/block/symbolic.h"

#include "linalg/pattern/order.h"
#include "linalg/pattern/pattern.h"

#include <math.h>
#include <stdlib.h>

#include "linalg/block/constants.h"

typedef struct tree {
    const tml_pattern *pattern;
    tmli_order order;
    int32_t *position;               // (nb) block -> k
    int32_t *parent;                 // (nb) k -> k, -1: root
    int32_t *top;                    // (nb) k -> last pivot of its front
    int32_t *pivots;                 // (nb) unknowns of the front, for tops
    int32_t *rows;                   // (nb) |L_k|
    int32_t *first_child, *sibling;  // (nb) children not merged
    int32_t *member, *memberptr;     // (nb), (nb + 1) pivots of a front, by its top
    int32_t *front_of;               // (nb) top -> front
    int32_t *offset;                 // (nb) block -> first unknown in the final order
    int32_t *local;                  // (nb) block -> local index in the current front
    int32_t *owner;                  // (n) final unknown -> block
    int32_t *list;                   // (nb) scratch
} tree;

static tml_status tree_init(tree *t, const tml_pattern *p, bool free, double most, const tml_env *env,
                            tml_error *err);
static void tree_clear(tree *t, const tml_env *env);
static void find_parents(tree *t);
static void merge(tree *t);
static double front_cost(double nk, double r);
static void list_members(tree *t);
static tml_status allocate(tmli_symbolic *s, tree *t);
static void number_fronts(tmli_symbolic *s, tree *t);
static int32_t next_leaf(const tree *t, int32_t k);
static bool lay_out(tmli_symbolic *s, tree *t);
static void sort_rows(tree *t, const tmli_front *f, int32_t top);
static void plan_entries(tmli_symbolic *s, tree *t, tmli_front *f, int32_t top, int32_t *at);
static void plan_runs(tmli_symbolic *s, tree *t, int32_t nfront, int32_t *at);
static int compare_int32(const void *a, const void *b);

static int32_t size_of(const tree *t, int32_t block)
{
    return t->pattern->blockptr[block + 1] - t->pattern->blockptr[block];
}

// A tree whose fronts are merged, of an order of at most `most` operations.
static tml_status plan_tree(tree *t, const tml_pattern *pattern, bool free, double most, const tml_env *env,
                            tml_error *err)
{
    const tml_status st = tree_init(t, pattern, free, most, env, err);
    if (st != TML_OK || t->order.abandoned) return st;
    find_parents(t);
    merge(t);
    return TML_OK;
}

// The tree of the order under the rules or, where that takes many operations and the free one much fewer, of
// the free order.
static tml_status choose_tree(tree *t, const tml_pattern *pattern, bool *free, const tml_env *env,
                              tml_error *err)
{
    tml_status st = plan_tree(t, pattern, false, COSTLY_UNKNOWN * pattern->n, env, err);
    if (st != TML_OK || !t->order.abandoned) return st;
    tree unruled = {0};
    st = plan_tree(&unruled, pattern, true, INFINITY, env, err);
    tree_clear(t, env);
    *t = (tree){0};
    if (st == TML_OK) st = plan_tree(t, pattern, false, FREE_ORDER_GAIN * unruled.order.flops, env, err);
    *free = st == TML_OK && t->order.abandoned;
    if (*free) {
        tree_clear(t, env);
        *t = unruled;
    } else {
        tree_clear(&unruled, env);
    }
    return st;
}

tml_status tmli_symbolic_init(tmli_symbolic *s, const tml_pattern *pattern, const tml_env *env,
                              tml_error *err)
{
    tree t = {0};
    if (pattern->schedule) {
        *s = *(const tmli_symbolic *)pattern->schedule;
        s->shared = true;
        return TML_OK;
    }
    if (env) s->env = *env;
    s->n = pattern->n;
    tml_status st = choose_tree(&t, pattern, &s->free, env, err);
    if (st == TML_OK) {
        list_members(&t);
        st = allocate(s, &t);
        if (st != TML_OK)
            tmli_fail(err, st, "block solver: no memory for the schedule of %d blocks", t.order.nblocks);
    }
    if (st == TML_OK) {
        number_fronts(s, &t);
        s->too_large = !lay_out(s, &t);
        if (s->too_large)
            st = tmli_fail(err, TML_ERR_NOMEM,
                           "block solver: too much fill for a front in memory; try solver klu");
    }
    tree_clear(&t, env);
    return st;
}

void tmli_symbolic_clear(tmli_symbolic *s)
{
    const tml_env env = s->env;
    void *const arrays[] = {s->front, s->run, s->child, s->piece, s->unknown};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays && !s->shared; i++) tmli_free(&env, arrays[i]);
    *s = (tmli_symbolic){0};
}

static tml_status tree_init(tree *t, const tml_pattern *p, bool free, double most, const tml_env *env,
                            tml_error *err)
{
    const size_t nb = (size_t)p->nblocks;
    t->pattern = p;
    const tml_status st = tmli_order_init(&t->order, p, free, most, env, err);
    if (st != TML_OK || t->order.abandoned) return st;
    int32_t **const arrays[] = {&t->position,    &t->parent,  &t->top,    &t->pivots,    &t->rows,
                                &t->first_child, &t->sibling, &t->member, &t->memberptr, &t->front_of,
                                &t->offset,      &t->local,   &t->list};
    bool ok = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        ok = (*arrays[i] = tmli_calloc(env, nb + 1, sizeof(int32_t))) && ok;
    t->owner = tmli_calloc(env, (size_t)p->n, sizeof *t->owner);
    if (!ok || !t->owner)
        return tmli_fail(err, TML_ERR_NOMEM, "block solver: no memory for %d blocks", p->nblocks);
    return TML_OK;
}

static void tree_clear(tree *t, const tml_env *env)
{
    int32_t *const arrays[] = {t->position,    t->parent,  t->top,    t->pivots,    t->rows,
                               t->first_child, t->sibling, t->member, t->memberptr, t->front_of,
                               t->offset,      t->local,   t->list,   t->owner};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tmli_free(env, arrays[i]);
    tmli_order_clear(&t->order, env);
}

static void find_parents(tree *t)
{
    const tmli_order *o = &t->order;
    for (int32_t k = 0; k < o->nblocks; k++) t->position[o->perm[k]] = k;
    for (int32_t k = 0; k < o->nblocks; k++) {
        t->parent[k] = t->first_child[k] = t->sibling[k] = -1;
        for (size_t i = o->ptr[k]; i < o->ptr[k + 1]; i++) {
            const int32_t later = t->position[o->ind[i]];
            if (t->parent[k] < 0 || later < t->parent[k]) t->parent[k] = later;
            t->rows[k] += size_of(t, o->ind[i]);
        }
        t->pivots[k] = size_of(t, o->perm[k]);
    }
}

// Children first. A child merged into its parent hands over its own children.
static void merge(tree *t)
{
    const int32_t nb = t->order.nblocks;
    for (int32_t k = nb - 1; k >= 0; k--) {
        if (t->parent[k] < 0) continue;
        t->sibling[k] = t->first_child[t->parent[k]];
        t->first_child[t->parent[k]] = k;
    }
    for (int32_t k = 0; k < nb; k++) {
        t->top[k] = k;
        for (int32_t *link = &t->first_child[k]; *link >= 0;) {
            const int32_t c = *link;
            const double apart = front_cost(t->pivots[c], t->rows[c]) + front_cost(t->pivots[k], t->rows[k]);
            if (front_cost(t->pivots[c] + t->pivots[k], t->rows[k]) > apart) {
                link = &t->sibling[c];
                continue;
            }
            t->pivots[k] += t->pivots[c];
            t->top[c] = k;
            *link = t->sibling[c];
            while (t->first_child[c] >=
                   0) {  // its children become siblings before *link; they are not tried again
                const int32_t g = t->first_child[c];
                t->first_child[c] = t->sibling[g];
                t->sibling[g] = *link;
                *link = g;
                link = &t->sibling[g];
            }
        }
    }
    for (int32_t k = nb - 1; k >= 0; k--)
        if (t->top[k] != k) t->top[k] = t->top[t->top[k]];
}

// (1)
static double front_cost(double nk, double r)
{
    const double m = nk + r;
    return FRONT_OVERHEAD + (m * (m - 1) * (2 * m - 1) - r * (r - 1) * (2 * r - 1)) / 3;
}

static void list_members(tree *t)
{
    const int32_t nb = t->order.nblocks;
    int32_t *start = t->list;
    for (int32_t k = 0; k < nb; k++) t->memberptr[t->top[k] + 1]++;
    for (int32_t k = 0; k < nb; k++) t->memberptr[k + 1] += t->memberptr[k];
    for (int32_t k = 0; k < nb; k++) start[k] = t->memberptr[k];
    for (int32_t k = 0; k < nb; k++) t->member[start[t->top[k]]++] = k;
}

static tml_status allocate(tmli_symbolic *s, tree *t)
{
    const tml_pattern *p = t->pattern;
    size_t rows = 0;
    for (int32_t k = 0; k < t->order.nblocks; k++) {
        if (t->top[k] != k) continue;
        s->nfronts++;
        rows += t->order.ptr[k + 1] - t->order.ptr[k];
    }
    size_t blocks = 0;
    for (int32_t b = 0; b < p->nblocks; b++)
        for (int32_t i = p->colptr[p->blockptr[b]]; i < p->colptr[p->blockptr[b] + 1]; blocks++)
            i += size_of(t, tmli_pattern_block_of(p, p->rowind[i]));
    return tmli_calloc_all(&s->env, TMLI_ARRAY(s->front, (size_t)s->nfronts), TMLI_ARRAY(s->run, rows),
                           TMLI_ARRAY(s->child, (size_t)s->nfronts), TMLI_ARRAY(s->piece, blocks),
                           TMLI_ARRAY(s->unknown, (size_t)p->n))
               ? TML_OK
               : TML_ERR_NOMEM;
}

// Post-order of the fronts; numbers of the unknowns; list of tops, in order, in t->list.
static void number_fronts(tmli_symbolic *s, tree *t)
{
    int32_t count = 0, unknown = 0;
    for (int32_t root = 0; root < t->order.nblocks; root++) {
        if (t->parent[root] >= 0) continue;
        for (int32_t k = next_leaf(t, root);;) {
            t->front_of[k] = count;
            t->list[count] = k;
            tmli_front *f = &s->front[count++];
            f->first = unknown;
            f->nk = t->pivots[k];
            f->r = t->rows[k];
            for (int32_t i = t->memberptr[k]; i < t->memberptr[k + 1]; i++) {
                const int32_t b = t->order.perm[t->member[i]];
                t->offset[b] = unknown;
                for (int32_t j = 0; j < size_of(t, b); j++) {
                    t->owner[unknown] = b;
                    s->unknown[unknown++] = t->pattern->blockptr[b] + j;
                }
            }
            if (k == root) break;
            k = t->sibling[k] >= 0 ? next_leaf(t, t->sibling[k]) : t->top[t->parent[k]];
        }
    }
}

static int32_t next_leaf(const tree *t, int32_t k)
{
    while (t->first_child[k] >= 0) k = t->first_child[k];
    return k;
}

static bool lay_out(tmli_symbolic *s, tree *t)
{
    int32_t piece = 0, run = 0, child = 0;
    size_t top = 0;  // of the stack
    for (int32_t i = 0; i < s->nfronts; i++) {
        tmli_front *f = &s->front[i];
        f->nkp = (f->nk + 3) & ~3;
        f->rp = (f->r + 3) & ~3;
        f->ld = f->nkp + f->rp;
        const size_t ld = (size_t)f->ld, m = (size_t)f->nk + (size_t)f->r, nk = (size_t)f->nk;
        if (ld * m >= INT32_MAX) return false;
        f->L = s->factor_size;
        f->U = f->L + ld * nk;
        f->d = f->U + (size_t)f->nkp * m;
        s->factor_size = f->d + (size_t)f->nkp;
        if (ld * m > s->front_size) s->front_size = ld * m;
        if (f->ld > s->ld) s->ld = f->ld;
        s->nonzeros += (double)(m * m - (m - nk) * (m - nk));
        s->cost += front_cost(f->nk, f->r);
        s->flops += front_cost(f->nk, f->r) - FRONT_OVERHEAD;

        f->child = child;
        for (int32_t c = t->first_child[t->list[i]]; c >= 0; c = t->sibling[c]) {
            s->child[child++] = t->front_of[c];
            const tmli_front *g = &s->front[t->front_of[c]];
            if (g->stack < top) top = g->stack;
        }
        f->child_end = child;
        f->stack = top;
        top += (size_t)f->rp * (size_t)f->r;
        if (top > s->stack_size) s->stack_size = top;
        plan_entries(s, t, f, t->list[i], &piece);
    }
    for (int32_t i = 0; i < s->nfronts; i++) plan_runs(s, t, i, &run);
    return true;
}

// Sorts the front's rows (blocks, in place) by their unknowns and gives them their local indices.
static void sort_rows(tree *t, const tmli_front *f, int32_t top)
{
    int32_t *rows = t->order.ind + t->order.ptr[top];
    const int32_t count = (int32_t)(t->order.ptr[top + 1] - t->order.ptr[top]);
    for (int32_t i = 0; i < count; i++) rows[i] = t->offset[rows[i]];
    qsort(rows, (size_t)count, sizeof *rows, compare_int32);
    int32_t at = f->nk;
    for (int32_t i = 0; i < count; i++) {
        rows[i] = t->owner[rows[i]];
        t->local[rows[i]] = at;
        at += size_of(t, rows[i]);
    }
}

static void add_block(tmli_symbolic *s, const tree *t, const tmli_front *f, int32_t row, int32_t col,
                      int32_t *at)
{
    const tml_pattern *p = t->pattern;
    const int32_t first = p->blockptr[col];
    const int32_t frow = t->local[row] < f->nk ? t->local[row] : t->local[row] - f->nk + f->nkp;
    s->piece[(*at)++] = (tmli_piece){.source = tmli_pattern_find(p, p->blockptr[row], first),
                                     .stride = p->colptr[first + 1] - p->colptr[first],
                                     .target = t->local[col] * f->ld + frow,
                                     .rows = size_of(t, row),
                                     .columns = size_of(t, col)};
}

// Entries with a row or a column among the front's pivots and none among earlier pivots.
static void plan_entries(tmli_symbolic *s, tree *t, tmli_front *f, int32_t top, int32_t *at)
{
    const tml_pattern *p = t->pattern;
    sort_rows(t, f, top);
    for (int32_t i = t->memberptr[top]; i < t->memberptr[top + 1]; i++) {
        const int32_t b = t->order.perm[t->member[i]];
        t->local[b] = t->offset[b] - f->first;
    }
    f->piece = *at;
    for (int32_t i = t->memberptr[top]; i < t->memberptr[top + 1]; i++) {
        const int32_t b = t->order.perm[t->member[i]], col = p->blockptr[b];
        for (int32_t k = p->colptr[col]; k < p->colptr[col + 1];) {
            const int32_t a = tmli_pattern_block_of(p, p->rowind[k]);
            k += size_of(t, a);
            if (t->offset[a] < f->first) continue;
            add_block(s, t, f, a, b, at);
            if (t->offset[a] >= f->first + f->nk) add_block(s, t, f, b, a, at);
        }
    }
    f->piece_end = *at;
}

static void plan_runs(tmli_symbolic *s, tree *t, int32_t nfront, int32_t *at)
{
    tmli_front *f = &s->front[nfront];
    const int32_t top = t->list[nfront];
    const int32_t *rows = t->order.ind + t->order.ptr[top];
    const int32_t count = (int32_t)(t->order.ptr[top + 1] - t->order.ptr[top]);
    f->run = f->run_end = *at;
    if (count == 0) return;

    const int32_t up = t->top[t->parent[top]];
    const tmli_front *g = &s->front[t->front_of[up]];
    const int32_t *theirs = t->order.ind + t->order.ptr[up];
    int32_t from = 0, their_at = g->nk;
    for (int32_t i = 0, j = 0; i < count; i++) {
        const int32_t unknown = t->offset[rows[i]], size = size_of(t, rows[i]);
        int32_t local = unknown - g->first;
        if (local >= g->nk) {
            for (; theirs[j] != rows[i]; j++) their_at += size_of(t, theirs[j]);
            local = their_at;
        }
        tmli_index_run *last = *at > f->run ? &s->run[*at - 1] : NULL;
        const bool joins = last && last->unknown + last->length == unknown &&
                           last->at + last->length == local && local != g->nk;  // F is padded before nk
        if (joins) last->length += size;
        else
            s->run[(*at)++] = (tmli_index_run){.unknown = unknown, .from = from, .length = size, .at = local};
        from += size;
    }
    f->run_end = *at;
}

static int compare_int32(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

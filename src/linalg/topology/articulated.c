// The plan of the elimination in joint coordinates; see articulated.h.
#include "linalg/topology/articulated.h"

#include <string.h>

// Growing lists of riders while the fronts are planned.
typedef struct plan {
    const tmli_saddle *d;
    tmli_cut_tree *tree;
    int32_t *child, *sibling;  // (links) fronts that update this one
    int32_t *mark;             // (njoints) link that has seen the cut last
    int32_t *at;               // (njoints) first row of the cut in the front being planned
    size_t room;
    bool two_bodies;  // left beside a cut joint: not by this order
} plan;

// [flop] below this, some 0.15 ms, waking threads costs what they save
static const double task_flops = 4e5;

static tml_status plan_links(tmli_articulated *t, plan *p, tml_error *err);
static tml_status gather_riders(tmli_articulated *t, plan *p, int32_t i);
static bool add_rider(tmli_articulated *t, plan *p, int32_t i, int32_t joint);
static void sort_riders(tmli_articulated *t, const plan *p, tmli_elimination_step *x);
static void find_next(tmli_articulated *t, plan *p, int32_t i);
static void place_riders(tmli_articulated *t, plan *p);
static void lay_out(tmli_articulated *t);
static tml_status plan_tasks(tmli_articulated *t, tml_error *err);
static int32_t subtree_size(const tmli_articulated *t, int32_t first, int32_t last);

tml_status tmli_articulated_init(tmli_articulated *t, const tmli_saddle *saddle, double most,
                                 const tml_env *env, tml_error *err)
{
    if (env) t->env = *env;
    t->saddle = saddle;
    tml_status st = tmli_cut_tree_init(&t->tree, saddle, env, err);
    if (st != TML_OK) return st;
    t->nlinks = saddle->nbodies + t->tree.ncuts;
    const size_t links = (size_t)t->nlinks, joints = (size_t)saddle->njoints;
    plan p = {.d = saddle, .tree = &t->tree, .room = 4 * joints + 16};
    p.child = tmli_calloc(env, 2 * links + 2 * joints, sizeof *p.child);
    t->link = tmli_calloc(env, links, sizeof *t->link);
    t->rider = tmli_calloc(env, p.room, sizeof *t->rider);
    st = p.child && t->link && t->rider ? TML_OK : tmli_no_memory(err, "tree solver");
    if (st == TML_OK) {
        p.sibling = p.child + links;
        p.mark = p.sibling + links;
        p.at = p.mark + joints;
        st = plan_links(t, &p, err);
    }
    if (st == TML_OK) place_riders(t, &p);
    tmli_free(env, p.child);
    if (st != TML_OK) return st;
    lay_out(t);
    t->possible = !p.two_bodies && t->flops <= most;
    if (!t->possible) return TML_OK;
    st = plan_tasks(t, err);
    if (st != TML_OK) return st;
    size_t perm = 0;
    for (int32_t i = 0; i < t->nlinks; i++) {
        const tmli_elimination_step *x = &t->link[i];
        const size_t n = (size_t)x->n + (size_t)x->np + (size_t)x->nc;
        if (3 * n * n > t->scratch_size) t->scratch_size = 3 * n * n;
        perm += (size_t)x->n;
    }
    t->perm = tmli_calloc(env, perm, sizeof *t->perm);
    t->scratch = tmli_calloc(env, t->scratch_size, sizeof *t->scratch);
    t->store = tmli_calloc(env, t->size, sizeof *t->store);
    if (!t->perm || !t->scratch || !t->store)
        return tmli_fail(err, TML_ERR_NOMEM, "tree solver: no memory for factors of %zu numbers", t->size);
    return TML_OK;
}

void tmli_articulated_clear(tmli_articulated *t)
{
    const tml_env env = t->env;
    tmli_cut_tree_clear(&t->tree);
    tmli_pool_destroy(t->pool);
    void *const arrays[] = {t->link, t->rider, t->task, t->perm, t->store, t->scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tmli_free(&env, arrays[i]);
    *t = (tmli_articulated){0};
}

static tml_status plan_links(tmli_articulated *t, plan *p, tml_error *err)
{
    const tmli_saddle *d = p->d;
    const tmli_cut_tree *tree = p->tree;
    int32_t perm = 0;
    for (int32_t i = 0; i < t->nlinks; i++) p->child[i] = p->sibling[i] = -1;
    for (int32_t j = 0; j < d->njoints; j++) p->mark[j] = -1;
    for (int32_t i = 0; i < t->nlinks; i++) {
        const int32_t b = tree->order[i];
        tmli_elimination_step *x = &t->link[i];
        *x = (tmli_elimination_step){.body = -1, .cut = -1, .next = -1, .task = -1, .perm = perm};
        if (b < d->nbodies) {
            const int32_t j = tree->joint[b], parent = tree->parent[b];
            x->body = b;
            x->n = d->body[b].size;
            x->unknown = d->body[b].first;
            x->k = j < 0 ? 0 : d->joint[j].size;
            x->row = j < 0 ? 0 : d->joint[j].first;
            x->np = parent < 0 ? 0 : d->body[parent].size;
            x->up = parent < 0 ? 0 : d->body[parent].first;
        } else {
            x->cut = b - d->nbodies;
            x->k = d->joint[x->cut].size;
            x->row = d->joint[x->cut].first;
        }
        if (gather_riders(t, p, i) != TML_OK) return tmli_no_memory(err, "tree solver");
        perm += x->n;
        find_next(t, p, i);
    }
    return TML_OK;
}

// The cuts on the body itself and those its children bring; a cut's front: the cut and what is coupled to it.
static tml_status gather_riders(tmli_articulated *t, plan *p, int32_t i)
{
    const tmli_saddle *d = p->d;
    tmli_elimination_step *x = &t->link[i];
    x->rider = x->rider_end = t->nriders;
    bool ok = true;
    if (x->cut >= 0) {
        ok = add_rider(t, p, i, x->cut);
    } else {
        for (int32_t k = d->bodyptr[x->body]; k < d->bodyptr[x->body + 1] && ok; k++) {
            const int32_t j = d->arm[d->bodyarm[k]].joint;
            if (p->tree->cut[j]) ok = add_rider(t, p, i, j);
        }
    }
    for (int32_t c = p->child[i]; c >= 0 && ok; c = p->sibling[c]) {
        const tmli_elimination_step *y = &t->link[c];
        const int32_t left = y->cut >= 0 ? y->body : p->tree->parent[y->body];
        if (x->cut >= 0 && left >= 0) {
            if (x->body >= 0 && x->body != left) p->two_bodies = true;
            x->body = left;
            x->n = d->body[left].size;
            x->unknown = d->body[left].first;
        }
        for (int32_t r = y->rider; r < y->rider_end && ok; r++)
            if (t->rider[r].joint != y->cut) ok = add_rider(t, p, i, t->rider[r].joint);
    }
    if (!ok) return TML_ERR_NOMEM;
    sort_riders(t, p, x);
    for (int32_t r = x->rider; r < x->rider_end; r++) {
        t->rider[r].from = x->nc;
        x->nc += t->rider[r].size;
    }
    return TML_OK;
}

static bool add_rider(tmli_articulated *t, plan *p, int32_t i, int32_t joint)
{
    if (p->mark[joint] == i) return true;
    p->mark[joint] = i;
    if ((size_t)t->nriders == p->room) {
        tmli_rider *more = tmli_regrow(&t->env, t->rider, p->room, 2 * p->room, sizeof *more);
        if (!more) return false;
        t->rider = more;
        p->room *= 2;
    }
    t->rider[t->nriders++] = (tmli_rider){.joint = joint, .size = p->d->joint[joint].size, .to = -1};
    t->link[i].rider_end = t->nriders;
    return true;
}

// In the order of elimination: the pivot of a cut's front comes first.
static void sort_riders(tmli_articulated *t, const plan *p, tmli_elimination_step *x)
{
    const int32_t *place = p->tree->position + p->d->nbodies;
    for (int32_t r = x->rider + 1; r < x->rider_end; r++) {
        const tmli_rider here = t->rider[r];
        int32_t k = r;
        for (; k > x->rider && place[t->rider[k - 1].joint] > place[here.joint]; k--)
            t->rider[k] = t->rider[k - 1];
        t->rider[k] = here;
    }
}

// The first eliminated of what is left in the front.
static void find_next(tmli_articulated *t, plan *p, int32_t i)
{
    tmli_elimination_step *x = &t->link[i];
    const int32_t left = x->cut >= 0 ? x->body : p->tree->parent[x->body];
    const int32_t r = x->rider + (x->cut >= 0);
    int32_t next = left >= 0 ? p->tree->position[left] : -1;
    if (r < x->rider_end) {
        const int32_t place = p->tree->position[p->d->nbodies + t->rider[r].joint];
        if (next < 0 || place < next) next = place;
    }
    x->next = next;
    if (next < 0) return;
    p->sibling[i] = p->child[next];
    p->child[next] = i;
}

static void place_riders(tmli_articulated *t, plan *p)
{
    for (int32_t i = 0; i < t->nlinks; i++) {
        const tmli_elimination_step *x = &t->link[i];
        for (int32_t r = x->rider; r < x->rider_end; r++) p->at[t->rider[r].joint] = t->rider[r].from;
        for (int32_t c = p->child[i]; c >= 0; c = p->sibling[c])
            for (int32_t r = t->link[c].rider; r < t->link[c].rider_end; r++)
                if (t->rider[r].joint != t->link[c].cut) t->rider[r].to = p->at[t->rider[r].joint];
    }
}

static double flops_of(const tmli_elimination_step *x)
{
    const double n = x->n, k = x->k, p = x->np, c = x->nc, f = n - k;
    if (x->cut >= 0) {
        const double rest = c - k + n;
        return k * k * k / 3 + k * k * rest + k * rest * (rest + 1);
    }
    return k * k * (n + p - k / 3) - k * k + k * k * (f + p)                               // (1)
           + 2 * n * k * f + f * (f + 1) * k + f * f * f / 3 + f * f * k                   // (2)
           + k * (k + 1) * f + 2 * k * k * p + p * (p + 1) * k                             // (3)
           + 2 * c * k * f + c * f * f + 2 * c * f * k + 2 * c * k * p + c * (c + 1) * f;  // (4)
}

static void lay_out(tmli_articulated *t)
{
    size_t at = 0;
    for (int32_t i = 0; i < t->nlinks; i++) {
        tmli_elimination_step *x = &t->link[i];
        const size_t n = (size_t)x->n, k = (size_t)x->k, np = (size_t)x->np, nc = (size_t)x->nc, f = n - k;
        x->A = at;
        x->D = x->A + n * n;
        x->Z = x->D + nc * n;
        x->S = x->Z + nc * nc;
        at = x->S + 2 * nc;
        t->flops += flops_of(x);
        t->nonzeros += (double)(n * (n + 1) / 2 + nc * n + nc * (nc + 1) / 2);
        if (x->cut >= 0) {
            x->W = at;
            at += k * nc + k * n;
            continue;
        }
        x->J = at;
        x->dJ = x->J + k * (n + np);
        x->H = x->dJ + k;
        x->dH = x->H + f * f;
        x->Y = x->dH + f;
        x->T = x->Y + f * k;
        x->Q = x->T + nc * f;
        at = x->Q + nc * k;
        t->nonzeros += (double)(k * (n + np) + f * f + f * k + nc * n);
    }
    for (int32_t i = 0; i < t->nlinks; i++)
        if (t->link[i].next >= 0) t->link[i].target = t->link[t->link[i].next].A;
    t->size = at;
}

// The largest subtrees of at most an eighth of the work each, if there is enough of it. Links of a subtree
// lie side by side in the order of elimination and end with its root; joints cut at the root come after it
// and are not part of it.
static tml_status plan_tasks(tmli_articulated *t, tml_error *err)
{
    if (t->flops < task_flops) return TML_OK;
    const size_t links = (size_t)t->nlinks;
    double *work = tmli_calloc(&t->env, links, sizeof *work);
    int32_t *first = tmli_calloc(&t->env, links, sizeof *first);
    t->task = tmli_calloc(&t->env, links, sizeof *t->task);
    const bool ok = work && first && t->task;
    for (int32_t i = 0; i < t->nlinks && ok; i++) {
        work[i] += flops_of(&t->link[i]);
        if (first[i] == 0 || first[i] > i + 1) first[i] = i + 1;  // counted from 1; 0: none yet
        const int32_t next = t->link[i].next;
        if (next < 0) continue;
        work[next] += work[i];
        if (first[next] == 0 || first[next] > first[i]) first[next] = first[i];
    }
    for (int32_t i = t->nlinks - 1; i >= 0 && ok;) {
        const tmli_elimination_step *x = &t->link[i];
        const bool fits = x->cut < 0 && work[i] <= t->flops / 8 && work[i] >= t->flops / 200;
        if (!fits || i - (first[i] - 1) + 1 != subtree_size(t, first[i] - 1, i)) {
            i--;
            continue;
        }
        tmli_task *k = &t->task[t->ntasks];
        *k = (tmli_task){.first = first[i] - 1, .last = i, .box = t->size};
        if (x->next >= 0) {
            const tmli_elimination_step *y = &t->link[x->next];
            k->size = y->S + 2 * (size_t)y->nc - y->A;
            t->link[i].target = k->box;
            t->size += k->size;
        }
        for (int32_t q = k->first; q <= i; q++) t->link[q].task = t->ntasks;
        t->ntasks++;
        i = k->first - 1;
    }
    tmli_free(&t->env, work);
    tmli_free(&t->env, first);
    return ok ? TML_OK : tmli_no_memory(err, "tree solver");
}

// How many of the links first .. last lead to the last and to nothing outside.
static int32_t subtree_size(const tmli_articulated *t, int32_t first, int32_t last)
{
    int32_t count = 1;
    for (int32_t i = first; i < last; i++) count += t->link[i].next > i && t->link[i].next <= last;
    return count;
}

tml_status tmli_articulated_set_threads(tmli_articulated *t, int threads, tml_error *err)
{
    tmli_pool_destroy(t->pool);
    t->pool = NULL;
    if (t->ntasks < 2 || threads == 1) return TML_OK;
    const tml_status st = tmli_pool_create(threads > t->ntasks ? t->ntasks : threads, &t->env, &t->pool, err);
    if (st != TML_OK) return st;
    const size_t count = (size_t)tmli_pool_threads(t->pool) * t->scratch_size;
    double *scratch = tmli_calloc(&t->env, count, sizeof *scratch);
    if (!scratch) {
        tmli_pool_destroy(t->pool);
        t->pool = NULL;
        return tmli_no_memory(err, "tree solver");
    }
    tmli_free(&t->env, t->scratch);
    t->scratch = scratch;
    return TML_OK;
}

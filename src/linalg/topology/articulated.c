// The plan of the elimination in joint coordinates; see articulated.h.
#include "linalg/topology/articulated.h"

#include "linalg/topology/constants.h"

// Lists that grow while the fronts are planned.
typedef struct plan {
    const tmli_saddle *d;
    tmli_cut_tree *tree;
    int32_t *child, *sibling;  // (steps) fronts that update this one
    int32_t *mark;             // (njoints) last step whose front has the cut joint
    int32_t *at;               // (njoints) first row of the cut in the front being planned
    size_t room;
    bool two_bodies;     // left in the front of a cut joint: cannot happen in this order
    double flops, most;  // of the steps planned; the plan ends if they are more than allowed
} plan;

static tml_status plan_steps(tmli_articulated *t, plan *p, tml_error *err);
static tml_status collect_cut_rows(tmli_articulated *t, plan *p, int32_t i);
static bool add_cut_joint(tmli_articulated *t, plan *p, int32_t i, int32_t joint);
static void sort_cut_rows(tmli_articulated *t, const plan *p, tmli_elimination_step *x);
static void find_next(tmli_articulated *t, plan *p, int32_t i);
static void index_cut_rows(tmli_articulated *t, plan *p);
static double flops_of(const tmli_elimination_step *x);
static void lay_out(tmli_articulated *t);
static tml_status plan_tasks(tmli_articulated *t, tml_error *err);
static int32_t subtree_size(const tmli_articulated *t, int32_t first, int32_t last);

tml_status tmli_articulated_init(tmli_articulated *t, const tmli_saddle *saddle, double most,
                                 size_t most_numbers, const tml_env *env, tml_error *err)
{
    if (env) t->env = *env;
    t->saddle = saddle;
    tml_status st = tmli_cut_tree_init(&t->tree, saddle, env, err);
    if (st != TML_OK) return st;
    t->nsteps = saddle->nbodies + t->tree.ncuts;
    const size_t steps = (size_t)t->nsteps, joints = (size_t)saddle->njoints;
    plan p = {.d = saddle, .tree = &t->tree, .room = 4 * joints + 16, .most = most};
    st = tmli_calloc_all(env, TMLI_ARRAY(p.child, 2 * steps + 2 * joints), TMLI_ARRAY(t->step, steps),
                         TMLI_ARRAY(t->cut_rows, p.room))
             ? TML_OK
             : tmli_no_memory(err, "tree solver");
    if (st == TML_OK) {
        p.sibling = p.child + steps;
        p.mark = p.sibling + steps;
        p.at = p.mark + joints;
        st = plan_steps(t, &p, err);
    }
    const bool planned = st == TML_OK && !p.two_bodies && p.flops <= most;
    if (planned) index_cut_rows(t, &p);
    if (planned) lay_out(t);
    tmli_free(env, p.child);
    t->possible = planned && t->size <= most_numbers;
    if (!t->possible) {
        tmli_articulated_clear(t);
        return st;
    }
    st = plan_tasks(t, err);
    if (st != TML_OK) return st;
    size_t perm = 0;
    for (int32_t i = 0; i < t->nsteps; i++) {
        const tmli_elimination_step *x = &t->step[i];
        const size_t n = (size_t)x->n + (size_t)x->np + (size_t)x->nc;
        if (3 * n * n > t->scratch_size) t->scratch_size = 3 * n * n;
        perm += (size_t)x->n;
    }
    if (!tmli_calloc_all(env, TMLI_ARRAY(t->perm, perm), TMLI_ARRAY(t->scratch, t->scratch_size),
                         TMLI_ARRAY(t->store, t->size)))
        return tmli_fail(err, TML_ERR_NOMEM, "tree solver: no memory for factors of %zu numbers", t->size);
    return TML_OK;
}

void tmli_articulated_clear(tmli_articulated *t)
{
    const tml_env env = t->env;
    tmli_cut_tree_clear(&t->tree);
    tmli_pool_destroy(t->pool);
    tmli_free_all(&env, t->step, t->cut_rows, t->task, t->perm, t->store, t->scratch);
    *t = (tmli_articulated){0};
}

static tml_status plan_steps(tmli_articulated *t, plan *p, tml_error *err)
{
    const tmli_saddle *d = p->d;
    const tmli_cut_tree *tree = p->tree;
    int32_t perm = 0;
    for (int32_t i = 0; i < t->nsteps; i++) p->child[i] = p->sibling[i] = -1;
    for (int32_t j = 0; j < d->njoints; j++) p->mark[j] = -1;
    for (int32_t i = 0; i < t->nsteps; i++) {
        const int32_t b = tree->order[i];
        tmli_elimination_step *x = &t->step[i];
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
        if (collect_cut_rows(t, p, i) != TML_OK) return tmli_no_memory(err, "tree solver");
        perm += x->n;
        find_next(t, p, i);
        p->flops += flops_of(x);
        if (p->flops > p->most) break;
    }
    return TML_OK;
}

// Cut joints on the body itself and those in the updates of its children; for a cut joint: itself and those
// coupled to it.
static tml_status collect_cut_rows(tmli_articulated *t, plan *p, int32_t i)
{
    const tmli_saddle *d = p->d;
    tmli_elimination_step *x = &t->step[i];
    x->rows_begin = x->rows_end = t->ncut_rows;
    bool ok = true;
    if (x->cut >= 0) {
        ok = add_cut_joint(t, p, i, x->cut);
    } else {
        for (int32_t k = d->bodyptr[x->body]; k < d->bodyptr[x->body + 1] && ok; k++) {
            const int32_t j = d->arm[d->bodyarm[k]].joint;
            if (p->tree->cut[j]) ok = add_cut_joint(t, p, i, j);
        }
    }
    for (int32_t c = p->child[i]; c >= 0 && ok; c = p->sibling[c]) {
        const tmli_elimination_step *y = &t->step[c];
        const int32_t left = y->cut >= 0 ? y->body : p->tree->parent[y->body];
        if (x->cut >= 0 && left >= 0) {
            if (x->body >= 0 && x->body != left) p->two_bodies = true;
            x->body = left;
            x->n = d->body[left].size;
            x->unknown = d->body[left].first;
        }
        for (int32_t r = y->rows_begin; r < y->rows_end && ok; r++)
            if (t->cut_rows[r].joint != y->cut) ok = add_cut_joint(t, p, i, t->cut_rows[r].joint);
    }
    if (!ok) return TML_ERR_NOMEM;
    sort_cut_rows(t, p, x);
    for (int32_t r = x->rows_begin; r < x->rows_end; r++) {
        t->cut_rows[r].from = x->nc;
        x->nc += t->cut_rows[r].size;
    }
    return TML_OK;
}

static bool add_cut_joint(tmli_articulated *t, plan *p, int32_t i, int32_t joint)
{
    if (p->mark[joint] == i) return true;
    p->mark[joint] = i;
    if ((size_t)t->ncut_rows == p->room) {
        tmli_cut_rows *more = tmli_regrow(&t->env, t->cut_rows, p->room, 2 * p->room, sizeof *more);
        if (!more) return false;
        t->cut_rows = more;
        p->room *= 2;
    }
    t->cut_rows[t->ncut_rows++] = (tmli_cut_rows){.joint = joint, .size = p->d->joint[joint].size, .to = -1};
    t->step[i].rows_end = t->ncut_rows;
    return true;
}

// In the order of elimination: the pivot of a cut's front comes first.
static void sort_cut_rows(tmli_articulated *t, const plan *p, tmli_elimination_step *x)
{
    const int32_t *position = p->tree->position + p->d->nbodies;
    for (int32_t r = x->rows_begin + 1; r < x->rows_end; r++) {
        const tmli_cut_rows here = t->cut_rows[r];
        int32_t k = r;
        for (; k > x->rows_begin && position[t->cut_rows[k - 1].joint] > position[here.joint]; k--)
            t->cut_rows[k] = t->cut_rows[k - 1];
        t->cut_rows[k] = here;
    }
}

// The next step: the first eliminated of the unknowns left in the front.
static void find_next(tmli_articulated *t, plan *p, int32_t i)
{
    tmli_elimination_step *x = &t->step[i];
    const int32_t left = x->cut >= 0 ? x->body : p->tree->parent[x->body];
    const int32_t r = x->rows_begin + (x->cut >= 0);
    int32_t next = left >= 0 ? p->tree->position[left] : -1;
    if (r < x->rows_end) {
        const int32_t position = p->tree->position[p->d->nbodies + t->cut_rows[r].joint];
        if (next < 0 || position < next) next = position;
    }
    x->next = next;
    if (next < 0) return;
    p->sibling[i] = p->child[next];
    p->child[next] = i;
}

static void index_cut_rows(tmli_articulated *t, plan *p)
{
    for (int32_t i = 0; i < t->nsteps; i++) {
        const tmli_elimination_step *x = &t->step[i];
        for (int32_t r = x->rows_begin; r < x->rows_end; r++)
            p->at[t->cut_rows[r].joint] = t->cut_rows[r].from;
        for (int32_t c = p->child[i]; c >= 0; c = p->sibling[c])
            for (int32_t r = t->step[c].rows_begin; r < t->step[c].rows_end; r++)
                if (t->cut_rows[r].joint != t->step[c].cut) t->cut_rows[r].to = p->at[t->cut_rows[r].joint];
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
    for (int32_t i = 0; i < t->nsteps; i++) {
        tmli_elimination_step *x = &t->step[i];
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
    for (int32_t i = 0; i < t->nsteps; i++)
        if (t->step[i].next >= 0) t->step[i].target = t->step[t->step[i].next].A;
    t->size = at;
}

// The largest subtrees whose work is within the limits of a task, if there is enough work. Steps of a
// subtree are contiguous in the order of elimination and end with its root; joints cut at the root come
// after it and are not part of it.
static tml_status plan_tasks(tmli_articulated *t, tml_error *err)
{
    if (t->flops < TASK_FLOPS) return TML_OK;
    const size_t steps = (size_t)t->nsteps;
    double *work = tmli_calloc(&t->env, steps, sizeof *work);
    int32_t *first = tmli_calloc(&t->env, steps, sizeof *first);
    t->task = tmli_calloc(&t->env, steps, sizeof *t->task);
    const bool ok = work && first && t->task;
    for (int32_t i = 0; i < t->nsteps && ok; i++) {
        work[i] += flops_of(&t->step[i]);
        if (first[i] == 0 || first[i] > i + 1) first[i] = i + 1;  // counted from 1; 0: none yet
        const int32_t next = t->step[i].next;
        if (next < 0) continue;
        work[next] += work[i];
        if (first[next] == 0 || first[next] > first[i]) first[next] = first[i];
    }
    for (int32_t i = t->nsteps - 1; i >= 0 && ok;) {
        const tmli_elimination_step *x = &t->step[i];
        const bool fits =
            x->cut < 0 && work[i] <= t->flops / LARGEST_TASK && work[i] >= t->flops / SMALLEST_TASK;
        if (!fits || i - (first[i] - 1) + 1 != subtree_size(t, first[i] - 1, i)) {
            i--;
            continue;
        }
        tmli_task *k = &t->task[t->ntasks];
        *k = (tmli_task){.first = first[i] - 1, .last = i, .buffer = t->size};
        if (x->next >= 0) {
            const tmli_elimination_step *y = &t->step[x->next];
            k->size = y->S + 2 * (size_t)y->nc - y->A;
            t->step[i].target = k->buffer;
            t->size += k->size;
        }
        for (int32_t q = k->first; q <= i; q++) t->step[q].task = t->ntasks;
        t->ntasks++;
        i = k->first - 1;
    }
    tmli_free_all(&t->env, work, first);
    return ok ? TML_OK : tmli_no_memory(err, "tree solver");
}

// Number of steps first .. last whose updates go to steps among them, plus the last.
static int32_t subtree_size(const tmli_articulated *t, int32_t first, int32_t last)
{
    int32_t count = 1;
    for (int32_t i = first; i < last; i++) count += t->step[i].next > i && t->step[i].next <= last;
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

void tmli_articulated_archive(tmli_articulated *t, tml_archive *a)
{
    if (!t->possible) return;
    size_t perm = 0;
    int32_t widest = 0;
    for (int32_t i = 0; i < t->nsteps; i++) {
        perm += (size_t)t->step[i].n;
        widest = t->step[i].n > widest ? t->step[i].n : widest;
    }
    tml_archive_doubles(a, t->store, t->size);
    tml_archive_indices(a, t->perm, perm, 0, widest);
}

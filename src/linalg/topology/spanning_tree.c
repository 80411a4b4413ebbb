// Spanning tree and order of elimination; see spanning.h.
#include "linalg/topology/spanning_tree.h"

// Scratch of the search.
typedef struct search {
    const tmli_saddle *d;
    int32_t *head, *tail;  // (most rows + 1) queues of arms that may lead outwards, by rows of their joint
    int32_t *next;         // (narms) in its queue
    int32_t most;          // rows of a joint
    bool *reached;         // (nbodies)
    int32_t *visited;      // (nbodies) in the order they were reached
    int32_t nvisited;
    int32_t *roots;  // (nbodies) by number of arms, most first
    int32_t nroots;  // how many were looked at
    int32_t *root;   // (nbodies)
    int32_t *child, *sibling;
    int32_t *post;               // (nbodies) place among the bodies, leaves first
    int32_t *release, *waiting;  // (nbodies), (njoints) lists of the cuts to eliminate after a body
} search;

static bool allocate(tmli_spanning *t, search *s);
static void release_scratch(search *s, const tml_env *env);
static void grow(tmli_spanning *t, search *s);
static void offer(search *s, int32_t arm);
static void reach(tmli_spanning *t, search *s, int32_t body, int32_t parent, int32_t arm, int32_t up);
static int32_t take(search *s);
static int32_t next_root(search *s);
static void sort_roots(search *s);
static void number_bodies(const tmli_spanning *t, search *s);
static int32_t meeting_body(const tmli_spanning *t, const search *s, int32_t joint);
static void list_order(tmli_spanning *t, search *s);

tml_status tmli_spanning_init(tmli_spanning *t, const tmli_saddle *saddle, const tml_env *env, tml_error *err)
{
    search s = {.d = saddle};
    if (env) t->env = *env;
    const bool ok = allocate(t, &s);
    if (ok) {
        sort_roots(&s);
        grow(t, &s);
        number_bodies(t, &s);
        list_order(t, &s);
    }
    release_scratch(&s, env);
    return ok ? TML_OK : tmli_no_memory(err, "tree solver");
}

void tmli_spanning_clear(tmli_spanning *t)
{
    const tml_env env = t->env;
    void *const arrays[] = {t->parent, t->joint, t->arm, t->up, t->cut, t->order, t->place};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tmli_free(&env, arrays[i]);
    *t = (tmli_spanning){0};
}

static bool allocate(tmli_spanning *t, search *s)
{
    const tmli_saddle *d = s->d;
    const tml_env *env = &t->env;
    const size_t nb = (size_t)d->nbodies, nj = (size_t)d->njoints;
    for (int32_t j = 0; j < d->njoints; j++)
        if (d->joint[j].size > s->most) s->most = d->joint[j].size;
    const size_t rows = (size_t)s->most + 1;
    struct {
        int32_t **at;
        size_t count;
    } const all[] = {
        {&t->parent, nb},  {&t->joint, nb},      {&t->arm, nb},
        {&t->up, nb},      {&t->order, nb + nj}, {&t->place, nb + nj},
        {&s->head, rows},  {&s->tail, rows},     {&s->next, (size_t)d->narms},
        {&s->visited, nb}, {&s->roots, nb},      {&s->root, nb},
        {&s->child, nb},   {&s->sibling, nb},    {&s->post, nb},
        {&s->release, nb}, {&s->waiting, nj},
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ok = (*all[i].at = tmli_calloc(env, all[i].count, sizeof(int32_t))) && ok;
    t->cut = tmli_calloc(env, nj, sizeof *t->cut);
    s->reached = tmli_calloc(env, nb, sizeof *s->reached);
    return ok && t->cut && s->reached;
}

static void release_scratch(search *s, const tml_env *env)
{
    void *const arrays[] = {s->head, s->tail,  s->next,    s->reached, s->visited, s->roots,
                            s->root, s->child, s->sibling, s->post,    s->release, s->waiting};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tmli_free(env, arrays[i]);
}

static void grow(tmli_spanning *t, search *s)
{
    const tmli_saddle *d = s->d;
    for (int32_t k = 0; k <= s->most; k++) s->head[k] = s->tail[k] = -1;
    for (int32_t j = 0; j < d->njoints; j++) {
        t->cut[j] = true;
        if (d->armptr[j + 1] - d->armptr[j] == 1) offer(s, d->armptr[j]);
    }
    for (;;) {
        for (int32_t a = take(s); a >= 0; a = take(s)) {
            const int32_t body = d->arm[a].body, j = d->arm[a].joint, first = d->armptr[j];
            if (s->reached[body]) continue;
            const bool grounded = d->armptr[j + 1] - first == 1;
            const int32_t up = grounded ? -1 : a == first ? first + 1 : first;
            reach(t, s, body, grounded ? -1 : d->arm[up].body, a, up);
        }
        const int32_t root = next_root(s);
        if (root < 0) break;
        reach(t, s, root, -1, -1, -1);
    }
    t->ncuts = 0;
    for (int32_t j = 0; j < d->njoints; j++) t->ncuts += t->cut[j];
}

// The body on this arm may become a child.
static void offer(search *s, int32_t arm)
{
    const int32_t rows = s->d->joint[s->d->arm[arm].joint].size;
    if (rows > s->d->body[s->d->arm[arm].body].size) return;
    s->next[arm] = -1;
    if (s->head[rows] < 0) s->head[rows] = arm;
    else s->next[s->tail[rows]] = arm;
    s->tail[rows] = arm;
}

static void reach(tmli_spanning *t, search *s, int32_t body, int32_t parent, int32_t arm, int32_t up)
{
    const tmli_saddle *d = s->d;
    s->reached[body] = true;
    s->visited[s->nvisited++] = body;
    s->root[body] = parent < 0 ? body : s->root[parent];
    t->parent[body] = parent;
    t->arm[body] = arm;
    t->up[body] = up;
    t->joint[body] = arm < 0 ? -1 : d->arm[arm].joint;
    if (arm >= 0) t->cut[t->joint[body]] = false;
    for (int32_t i = d->bodyptr[body]; i < d->bodyptr[body + 1]; i++) {
        const int32_t a = d->bodyarm[i], j = d->arm[a].joint, first = d->armptr[j];
        if (d->armptr[j + 1] - first != 2) continue;
        const int32_t far = a == first ? first + 1 : first;
        if (!s->reached[d->arm[far].body]) offer(s, far);
    }
}

// The first arm offered among those of joints with the most rows; -1: none is left.
static int32_t take(search *s)
{
    for (int32_t rows = s->most; rows > 0; rows--) {
        const int32_t arm = s->head[rows];
        if (arm < 0) continue;
        s->head[rows] = s->next[arm];
        return arm;
    }
    return -1;
}

static int32_t next_root(search *s)
{
    while (s->nroots < s->d->nbodies) {
        const int32_t b = s->roots[s->nroots++];
        if (!s->reached[b]) return b;
    }
    return -1;
}

// Counting sort; post is scratch here.
static void sort_roots(search *s)
{
    const tmli_saddle *d = s->d;
    const int32_t nb = d->nbodies;
    int32_t *count = s->post, most = nb - 1;  // more arms than that count as that many
    for (int32_t b = 0; b < nb; b++) count[b] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t b = 0; b < nb; b++) {
            const int32_t arms = d->bodyptr[b + 1] - d->bodyptr[b], key = most - (arms < most ? arms : most);
            if (pass) s->roots[count[key]++] = b;
            else count[key]++;
        }
        for (int32_t b = 0, sum = 0; b < nb && !pass; b++) {
            const int32_t here = count[b];
            count[b] = sum;
            sum += here;
        }
    }
}

// Post-order: children before parents, each subtree in one piece.
static void number_bodies(const tmli_spanning *t, search *s)
{
    const int32_t nb = s->d->nbodies;
    for (int32_t b = 0; b < nb; b++) s->child[b] = s->sibling[b] = -1;
    for (int32_t i = nb - 1; i >= 0; i--) {
        const int32_t b = s->visited[i], p = t->parent[b];
        if (p < 0) continue;
        s->sibling[b] = s->child[p];
        s->child[p] = b;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < nb; i++) {
        if (t->parent[s->visited[i]] >= 0) continue;
        for (int32_t b = s->visited[i];;) {
            while (s->child[b] >= 0) {  // down; the way is taken once
                const int32_t c = s->child[b];
                s->child[b] = s->sibling[c];
                b = c;
            }
            s->post[b] = count++;
            if (t->parent[b] < 0) break;
            b = t->parent[b];
        }
    }
}

// The body after which a cut joint can be eliminated.
static int32_t meeting_body(const tmli_spanning *t, const search *s, int32_t joint)
{
    const tmli_saddle *d = s->d;
    const int32_t first = d->armptr[joint], end = d->armptr[joint + 1];
    int32_t last = -1;
    bool one_tree = end - first > 1;
    for (int32_t a = first; a < end; a++) {
        const int32_t root = s->root[d->arm[a].body];
        if (last >= 0 && root != last) one_tree = false;
        if (last < 0 || s->post[root] > s->post[last]) last = root;
    }
    if (!one_tree) return last;
    int32_t meet = d->arm[first].body;
    for (int32_t a = first + 1; a < end; a++)
        for (int32_t b = d->arm[a].body; b != meet;) {
            if (s->post[b] < s->post[meet]) b = t->parent[b];
            else meet = t->parent[meet];
        }
    return meet;
}

static void list_order(tmli_spanning *t, search *s)
{
    const int32_t nb = s->d->nbodies, nj = s->d->njoints;
    int32_t count = 0;
    for (int32_t b = 0; b < nb; b++) {
        s->release[b] = -1;
        s->visited[s->post[b]] = b;
    }
    for (int32_t j = nj - 1; j >= 0; j--) {
        t->place[nb + j] = -1;
        if (!t->cut[j] || s->d->armptr[j] == s->d->armptr[j + 1]) continue;
        const int32_t b = meeting_body(t, s, j);
        s->waiting[j] = s->release[b];
        s->release[b] = j;
    }
    for (int32_t i = 0; i < nb; i++) {
        const int32_t b = s->visited[i];
        t->place[b] = count;
        t->order[count++] = b;
        for (int32_t j = s->release[b]; j >= 0; j = s->waiting[j]) {
            t->place[nb + j] = count;
            t->order[count++] = nb + j;
        }
    }
    for (int32_t j = 0; j < nj; j++) {  // joints without a body
        if (!t->cut[j] || t->place[nb + j] >= 0) continue;
        t->place[nb + j] = count;
        t->order[count++] = nb + j;
    }
}

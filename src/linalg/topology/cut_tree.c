// Tree joints, cut joints and their order of elimination; see cut_tree.h.
#include "linalg/topology/cut_tree.h"

#include "linalg/pattern/spanning_tree.h"

// Scratch of the analysis.
typedef struct scratch {
    const tmli_saddle *d;
    tmli_arena arena;
    tmli_tree_edge *edge;      // (njoints)
    int32_t *root_order;       // (nbodies) by number of arms, most first
    tmli_tree tree;            // of the bodies
    int32_t *root;             // (nbodies) of the tree that holds the body
    int32_t *child, *sibling;  // (nbodies) first child, next child of the same parent; -1: none
    int32_t *post;             // (nbodies) number in post-order
    int32_t *at_post;          // (nbodies) its inverse
    int32_t *first_cut;        // (nbodies) list of cut joints to eliminate after a body, -1: none
    int32_t *next_cut;         // (njoints)
} scratch;

static bool allocate(tmli_cut_tree *t, scratch *s);
static void list_edges(scratch *s);
static void sort_roots(scratch *s);
static void set_tree(tmli_cut_tree *t, scratch *s);
static void number_bodies(const tmli_cut_tree *t, scratch *s);
static int32_t last_body_before(const scratch *s, int32_t joint);
static void list_order(tmli_cut_tree *t, scratch *s);

tml_status tmli_cut_tree_init(tmli_cut_tree *t, const tmli_saddle *saddle, const tml_env *env, tml_error *err)
{
    if (env) t->env = *env;
    scratch s = {.d = saddle, .arena = {.env = env}};
    bool ok = allocate(t, &s);
    if (ok) {
        list_edges(&s);
        sort_roots(&s);
        const tmli_tree_graph graph = {.nvertices = saddle->nbodies,
                                       .nedges = saddle->njoints,
                                       .edge = s.edge,
                                       .root_order = s.root_order};
        ok = tmli_tree_grow(&s.tree, &graph, &s.arena);
    }
    if (ok) {
        set_tree(t, &s);
        number_bodies(t, &s);
        list_order(t, &s);
    }
    tmli_arena_clear(&s.arena);
    return ok ? TML_OK : tmli_no_memory(err, "tree solver");
}

void tmli_cut_tree_clear(tmli_cut_tree *t)
{
    const tml_env env = t->env;
    tmli_free_all(&env, t->parent, t->joint, t->arm, t->up, t->cut, t->order, t->position);
    *t = (tmli_cut_tree){0};
}

static bool allocate(tmli_cut_tree *t, scratch *s)
{
    const size_t nb = (size_t)s->d->nbodies, nj = (size_t)s->d->njoints;
    struct {
        int32_t **array;
        size_t count;
    } const kept[] = {{&t->parent, nb}, {&t->joint, nb},      {&t->arm, nb},
                      {&t->up, nb},     {&t->order, nb + nj}, {&t->position, nb + nj}};
    int32_t **const of_bodies[] = {&s->root_order, &s->root,    &s->child,    &s->sibling,
                                   &s->post,       &s->at_post, &s->first_cut};
    bool ok = true;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        ok = (*kept[i].array = tmli_calloc(&t->env, kept[i].count, sizeof(int32_t))) && ok;
    for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies; i++)
        ok = (*of_bodies[i] = tmli_arena_alloc(&s->arena, nb, sizeof(int32_t))) && ok;
    t->cut = tmli_calloc(&t->env, nj, sizeof *t->cut);
    return tmli_arena_alloc_all(&s->arena, TMLI_ARRAY(s->next_cut, nj + 1), TMLI_ARRAY(s->edge, nj + 1)) &&
           ok && t->cut;
}

// Joints as edges, in their order. Joints with no arm or more than two, and those whose rows are inactive at
// times, cannot be in the tree.
static void list_edges(scratch *s)
{
    const tmli_saddle *d = s->d;
    for (int32_t j = 0; j < d->njoints; j++) {
        const int32_t first = d->armptr[j], arms = d->armptr[j + 1] - first, rows = d->joint[j].size;
        s->edge[j] = (tmli_tree_edge){.vertex = {TMLI_GROUND, TMLI_GROUND}, .rank = rows};
        for (int32_t k = 0; k < arms && arms <= 2 && !d->joint[j].switched; k++) {
            s->edge[j].vertex[k] = d->arm[first + k].body;
            s->edge[j].can_be_child[k] = rows <= d->body[d->arm[first + k].body].size;
        }
    }
}

// Counting sort; post is scratch here.
static void sort_roots(scratch *s)
{
    const tmli_saddle *d = s->d;
    const int32_t nb = d->nbodies;
    int32_t *count = s->post, most = nb - 1;  // more arms than that count as that many
    for (int32_t b = 0; b < nb; b++) count[b] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t b = 0; b < nb; b++) {
            const int32_t arms = d->bodyptr[b + 1] - d->bodyptr[b], key = most - (arms < most ? arms : most);
            if (pass) s->root_order[count[key]++] = b;
            else count[key]++;
        }
        for (int32_t b = 0, sum = 0; b < nb && !pass; b++) {
            const int32_t here = count[b];
            count[b] = sum;
            sum += here;
        }
    }
}

static void set_tree(tmli_cut_tree *t, scratch *s)
{
    const tmli_saddle *d = s->d;
    t->ncuts = d->njoints;
    for (int32_t j = 0; j < d->njoints; j++) t->cut[j] = true;
    for (int32_t i = 0; i < d->nbodies; i++) {
        const int32_t b = s->tree.order[i], p = s->tree.parent[b], j = s->tree.edge[b];
        t->parent[b] = p;
        t->joint[b] = j;
        t->arm[b] = t->up[b] = -1;
        s->root[b] = p < 0 ? b : s->root[p];
        if (j < 0) continue;
        const int32_t first = d->armptr[j], side = d->arm[first].body == b ? 0 : 1;
        t->arm[b] = first + side;
        if (p >= 0) t->up[b] = first + 1 - side;
        t->cut[j] = false;
        t->ncuts--;
    }
}

// Post-order: children before parents, each subtree contiguous.
static void number_bodies(const tmli_cut_tree *t, scratch *s)
{
    const int32_t nb = s->d->nbodies, *reached = s->tree.order;
    for (int32_t b = 0; b < nb; b++) s->child[b] = s->sibling[b] = -1;
    for (int32_t i = nb - 1; i >= 0; i--) {
        const int32_t b = reached[i], p = t->parent[b];
        if (p < 0) continue;
        s->sibling[b] = s->child[p];
        s->child[p] = b;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < nb; i++) {
        if (t->parent[reached[i]] >= 0) continue;
        for (int32_t b = reached[i];;) {
            while (s->child[b] >= 0) {  // down; each child is visited once
                const int32_t c = s->child[b];
                s->child[b] = s->sibling[c];
                b = c;
            }
            s->at_post[count] = b;
            s->post[b] = count++;
            if (t->parent[b] < 0) break;
            b = t->parent[b];
        }
    }
}

// The body after which a cut joint can be eliminated.
static int32_t last_body_before(const scratch *s, int32_t joint)
{
    const tmli_saddle *d = s->d;
    const int32_t first = d->armptr[joint], end = d->armptr[joint + 1];
    int32_t last_root = -1, meet = d->arm[first].body;
    for (int32_t a = first; a < end; a++) {
        const int32_t root = s->root[d->arm[a].body];
        if (last_root < 0 || s->post[root] > s->post[last_root]) last_root = root;
        meet = tmli_tree_meet(&s->tree, meet, d->arm[a].body);
    }
    return end - first > 1 && meet != TMLI_GROUND ? meet : last_root;
}

static void list_order(tmli_cut_tree *t, scratch *s)
{
    const int32_t nb = s->d->nbodies, nj = s->d->njoints;
    int32_t count = 0;
    for (int32_t b = 0; b < nb; b++) s->first_cut[b] = -1;
    for (int32_t j = nj - 1; j >= 0; j--) {
        t->position[nb + j] = -1;
        if (!t->cut[j] || s->d->armptr[j] == s->d->armptr[j + 1]) continue;
        const int32_t b = last_body_before(s, j);
        s->next_cut[j] = s->first_cut[b];
        s->first_cut[b] = j;
    }
    for (int32_t i = 0; i < nb; i++) {
        const int32_t b = s->at_post[i];
        t->position[b] = count;
        t->order[count++] = b;
        for (int32_t j = s->first_cut[b]; j >= 0; j = s->next_cut[j]) {
            t->position[nb + j] = count;
            t->order[count++] = nb + j;
        }
    }
    for (int32_t j = 0; j < nj; j++) {  // joints without a body
        if (!t->cut[j] || t->position[nb + j] >= 0) continue;
        t->position[nb + j] = count;
        t->order[count++] = nb + j;
    }
}

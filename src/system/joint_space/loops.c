// Loops: the constraints outside the tree, the tree joints their rows depend on, and the order of the Schur
// complement that gives their multipliers (loop_solve.c).
//
// The matrix B inverse(M) B' = sum over coordinates of e e'/D (spatial.c (6)) couples two loops whose
// paths to the ground share tree joints. Loops are ordered by reverse Cuthill-McKee on that graph, so that
// the rows of the Cholesky factor are short, and stored as a skyline.
#include "system/joint_space/internal.h"

#include <stdlib.h>
#include <string.h>

#include "system/joint_space/constants.h"

// ---- rows and paths ---------------------------------------------------------------------------------------

static int mark_path(const tmli_joint_space *s, const tmli_plan *plan, int *mark, int stamp)
{
    int count = 0;
    for (int k = 0; k < plan->nslots; k++)
        for (int i = s->joint_of_node[plan->node[k]]; i >= 0 && mark[i] != stamp; i = s->joint[i].parent) {
            mark[i] = stamp;
            count++;
        }
    return count;
}

static int compare_descending(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x < y) - (x > y);
}

// position: (njoints) scratch
static bool set_path(tmli_joint_space *s, tmli_loop *p, int *mark, int stamp, int *position)
{
    const tmli_plan *plan = &s->model->constraint[p->constraint].plan;
    p->npath = mark_path(s, plan, mark, stamp);
    const size_t n = (size_t)p->npath;
    p->path = tmli_arena_alloc(&s->arena, 3 * n + (size_t)plan->nslots + 1, sizeof(int));
    if (!p->path) return false;
    p->up = p->path + n;
    p->at = p->up + n;
    p->slot = p->at + n;
    int count = 0;
    for (int k = 0; k < plan->nslots; k++)
        for (int i = s->joint_of_node[plan->node[k]]; i >= 0 && mark[i] == stamp; i = s->joint[i].parent) {
            mark[i] = -1;
            p->path[count++] = i;
        }
    qsort(p->path, n, sizeof *p->path, compare_descending);
    for (int k = 0; k < p->npath; k++) position[p->path[k]] = k;
    for (int k = p->npath - 1; k >= 0; k--) {
        const tmli_tree_joint *b = &s->joint[p->path[k]];
        p->up[k] = b->parent < 0 ? -1 : position[b->parent];
        p->at[k] = p->width;
        p->width += b->nu;
    }
    for (int k = 0; k < plan->nslots; k++) p->slot[k] = position[s->joint_of_node[plan->node[k]]];
    return true;
}

static tml_status find_loop_rows(tmli_joint_space *s, tml_error *err)
{
    const tml_model *m = s->model;
    int *mark = tmli_calloc(&s->env, 2 * (size_t)s->njoints + 1, sizeof *mark);
    s->loop = tmli_arena_alloc(&s->arena, (size_t)m->nconstraints + 1, sizeof *s->loop);
    s->loop_of = tmli_arena_alloc(&s->arena, (size_t)m->nconstraints + 1, sizeof *s->loop_of);
    bool ok = mark && s->loop && s->loop_of;
    for (int c = 0; c < m->nconstraints && ok; c++) s->loop_of[c] = 0;
    for (int i = 0; i < s->njoints && ok; i++)
        if (s->joint[i].constraint >= 0) s->loop_of[s->joint[i].constraint] = s->joint[i].solved;
    for (int c = 0; c < m->nconstraints && ok; c++) {
        const int solved = s->loop_of[c];
        s->loop_of[c] = -1;
        if (solved >= m->constraint[c].nrows || (s->unswitched && c >= m->njoints)) continue;
        s->loop_of[c] = s->nloops;
        tmli_loop *p = &s->loop[s->nloops++];
        *p = (tmli_loop){
            .constraint = c, .keep = solved, .first = s->m, .nrows = m->constraint[c].nrows - solved};
        p->offset = s->row_entries;
        ok = set_path(s, p, mark, s->nloops, mark + s->njoints);
        s->m += p->nrows;
        s->row_entries += p->nrows * p->width;
    }
    tmli_free(&s->env, mark);
    return ok ? TML_OK : tmli_no_memory(err, "joint coordinates");
}

static tml_status index_rows(tmli_joint_space *s, tml_error *err)
{
    s->rowptr = tmli_arena_alloc(&s->arena, (size_t)s->m + 1, sizeof(int));
    s->rowcol = tmli_arena_alloc(&s->arena, (size_t)s->row_entries + 1, sizeof(int));
    if (!s->rowptr || !s->rowcol) return tmli_no_memory(err, "joint coordinates");
    int count = 0;
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        for (int r = 0; r < p->nrows; r++) {
            for (int k = p->npath - 1; k >= 0; k--)
                for (int j = 0; j < s->joint[p->path[k]].nu; j++)
                    s->rowcol[count++] = s->joint[p->path[k]].first + j;
            s->rowptr[p->first + r + 1] = count;
        }
    }
    return TML_OK;
}

// ---- order of the Schur complement ------------------------------------------------------------------------

typedef struct graph {
    int n;
    bool *joined;  // (n x n)
    int *degree, *order, *position;
} graph;

// Paths that share a tree joint share all joints from there to the ground: the one at the ground tells. root,
// mark: (njoints) scratch
static void join_loops(const tmli_joint_space *s, graph *g, int *root, int *mark)
{
    for (int i = 0; i < s->njoints; i++) root[i] = s->joint[i].parent < 0 ? i : root[s->joint[i].parent];
    for (int a = 0; a < g->n; a++) {
        const tmli_loop *p = &s->loop[a];
        const int slots = s->model->constraint[p->constraint].plan.nslots;
        for (int k = 0; k < slots; k++) mark[root[p->path[p->slot[k]]]] = a + 1;
        for (int b = 0; b <= a; b++) {
            const tmli_loop *q = &s->loop[b];
            const int others = s->model->constraint[q->constraint].plan.nslots;
            bool share = false;
            for (int k = 0; k < others && !share; k++) share = mark[root[q->path[q->slot[k]]]] == a + 1;
            g->joined[a * g->n + b] = g->joined[b * g->n + a] = share;
            if (share && a != b) {
                g->degree[a]++;
                g->degree[b]++;
            }
        }
    }
}

// Breadth first from `root` over loops without a position, neighbours of small degree first.
static int breadth_first(graph *g, int root, int begin)
{
    int head = begin, tail = begin;
    g->order[tail++] = root;
    g->position[root] = 0;
    while (head < tail) {
        const int v = g->order[head++], first = tail;
        for (int u = 0; u < g->n; u++) {
            if (!g->joined[v * g->n + u] || g->position[u] >= 0) continue;
            int k = tail++;
            g->position[u] = 0;
            for (; k > first && g->degree[g->order[k - 1]] > g->degree[u]; k--) g->order[k] = g->order[k - 1];
            g->order[k] = u;
        }
    }
    return tail;
}

static void order_loops(graph *g)
{
    for (int v = 0; v < g->n; v++) g->position[v] = -1;
    int done = 0;
    while (done < g->n) {
        int root = -1;
        for (int v = 0; v < g->n; v++)
            if (g->position[v] < 0 && (root < 0 || g->degree[v] < g->degree[root])) root = v;
        int end = breadth_first(g, root, done);
        const int last = g->order[end - 1];  // a better root
        for (int k = done; k < end; k++) g->position[g->order[k]] = -1;
        done = breadth_first(g, last, done);
    }
    for (int k = 0; k < g->n; k++) g->position[g->order[g->n - 1 - k]] = k;  // reversed
}

// place (njoints): of a tree joint in the path of loop a; -1: it is not there.
static bool add_pair(tmli_joint_space *s, int a, int b, const int *place)
{
    const tmli_loop *p = &s->loop[a], *q = &s->loop[b];
    tmli_loop_pair *pair = &s->pair[s->npairs++];
    size_t count = 0;
    for (int k = 0; k < q->npath; k++)
        if (place[q->path[k]] >= 0) count += (size_t)s->joint[q->path[k]].nu;
    *pair = (tmli_loop_pair){.a = a, .b = b};
    pair->shared = tmli_arena_alloc(&s->arena, 3 * count + 1, sizeof(int));
    if (!pair->shared) return false;
    for (int k = 0; k < q->npath; k++) {
        const tmli_tree_joint *joint = &s->joint[q->path[k]];
        if (place[q->path[k]] < 0) continue;
        for (int d = 0; d < joint->nu; d++) {
            int *to = pair->shared + 3 * (size_t)pair->nshared++;
            to[0] = p->at[place[q->path[k]]] + d;
            to[1] = q->at[k] + d;
            to[2] = joint->first + d;
        }
    }
    return true;
}

// place: (njoints) scratch
static bool set_skyline(tmli_joint_space *s, graph *g, int *place)
{
    int row = 0, npairs = 0;
    for (int k = 0; k < g->n; k++) g->order[g->position[k]] = k;
    for (int k = 0; k < g->n; k++) {
        s->loop[g->order[k]].schur = row;
        row += s->loop[g->order[k]].nrows;
    }
    s->skyline = tmli_arena_alloc(&s->arena, (size_t)s->m + 1, sizeof(int));
    for (int a = 0; a < g->n; a++)
        for (int b = 0; b < g->n; b++)
            npairs += g->joined[a * g->n + b] && s->loop[b].schur <= s->loop[a].schur;
    s->pair = tmli_arena_alloc(&s->arena, (size_t)npairs + 1, sizeof *s->pair);
    if (!s->skyline || !s->pair) return false;
    for (int k = 0; k < s->njoints; k++) place[k] = -1;
    for (int k = 0; k < g->n; k++) {
        const int a = g->order[k];
        const tmli_loop *p = &s->loop[a];
        int begin = p->schur;
        for (int j = 0; j < p->npath; j++) place[p->path[j]] = j;
        for (int b = 0; b < g->n; b++) {
            if (!g->joined[a * g->n + b] || s->loop[b].schur > s->loop[a].schur) continue;
            if (s->loop[b].schur < begin) begin = s->loop[b].schur;
            if (!add_pair(s, a, b, place)) return false;
        }
        for (int j = 0; j < p->npath; j++) place[p->path[j]] = -1;
        for (int r = 0; r < s->loop[a].nrows; r++) {
            const int i = s->loop[a].schur + r;
            s->skyline[i + 1] = s->skyline[i] + i - begin + 1;
        }
    }
    return true;
}

// Operations that form the lower triangle of the matrix of the loops: each coordinate adds the products of
// all rows that depend on it, three operations each.
static double fill_work(const tmli_joint_space *s, int *rows)
{
    double work = 0;
    for (int i = 0; i < s->nloops; i++)
        for (int k = 0; k < s->loop[i].npath; k++) rows[s->loop[i].path[k]] += s->loop[i].nrows;
    for (int i = 0; i < s->njoints; i++) work += 1.5 * s->joint[i].nu * rows[i] * (rows[i] + 1.0);
    return work;
}

// Operations of the Cholesky factorization: those of row i with the rows before it, if they are as long.
static double factor_work(const tmli_joint_space *s)
{
    double work = 0;
    for (int i = 0; i < s->m; i++) {
        const double length = s->skyline[i + 1] - s->skyline[i];
        work += length * length;
    }
    return work;
}

static tml_status check_work(const tmli_joint_space *s, double work, double most, tml_error *err)
{
    if (work <= most) return TML_OK;
    return tmli_fail(err, TML_ERR_MODEL, "%d loops take too long in joint coordinates", s->nloops);
}

tml_status tmli_joint_space_find_loops(tmli_joint_space *s, double most_work, tml_error *err)
{
    tml_status st = find_loop_rows(s, err);
    if (st == TML_OK) st = index_rows(s, err);
    if (st != TML_OK) return st;
    tmli_arena scratch = {.env = &s->env};
    int *rows = tmli_arena_alloc(&scratch, (size_t)s->njoints + 1, sizeof *rows);
    const double fill = rows ? fill_work(s, rows) : 0;
    st = rows ? check_work(s, fill, most_work, err) : tmli_no_memory(err, "joint coordinates");
    if (st != TML_OK) {  // before an order is looked for, which takes the square of the number of loops
        tmli_arena_clear(&scratch);
        return st;
    }
    const size_t n = (size_t)s->nloops;
    graph g = {.n = s->nloops};
    int *mark;
    bool ok = tmli_arena_alloc_all(&scratch, TMLI_ARRAY(g.joined, n * n + 1), TMLI_ARRAY(g.degree, 3 * n + 1),
                                   TMLI_ARRAY(mark, (size_t)s->njoints + 1));
    if (ok) {
        g.order = g.degree + n;
        g.position = g.order + n;
        join_loops(s, &g, rows, mark);
        order_loops(&g);
        ok = set_skyline(s, &g, mark);
    }
    tmli_arena_clear(&scratch);
    if (!ok) return tmli_no_memory(err, "joint coordinates");
    return check_work(s, fill + factor_work(s), most_work, err);
}

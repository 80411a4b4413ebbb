// Loops: the constraints outside the tree, the tree joints their rows depend on, and the Schur complement
// that gives their multipliers.
//
// The matrix B inverse(M) B' = sum over coordinates of e e'/D (spatial.c (6)) couples two loops whose
// paths to the ground share tree joints. Loops are ordered by reverse Cuthill-McKee on that graph, so that
// the rows of the Cholesky factor are short, and stored as a skyline. A row whose pivot vanishes depends on
// earlier rows; its multiplier is 0.
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
        if (solved >= m->constraint[c].nrows) continue;
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

static void join_loops(const tmli_joint_space *s, graph *g, int *mark)
{
    for (int a = 0; a < g->n; a++) {
        const tmli_loop *p = &s->loop[a];
        for (int k = 0; k < p->npath; k++) mark[p->path[k]] = a + 1;
        for (int b = 0; b <= a; b++) {
            bool share = false;
            for (int k = 0; k < s->loop[b].npath && !share; k++) share = mark[s->loop[b].path[k]] == a + 1;
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

static bool add_pair(tmli_joint_space *s, int a, int b, int *mark)
{
    const tmli_loop *p = &s->loop[a], *q = &s->loop[b];
    tmli_loop_pair *pair = &s->pair[s->npairs++];
    int count = 0;
    for (int k = 0; k < s->njoints; k++) mark[k] = -1;
    for (int k = 0; k < p->npath; k++) mark[p->path[k]] = k;
    for (int k = 0; k < q->npath; k++) count += mark[q->path[k]] >= 0 && s->joint[q->path[k]].nu > 0;
    *pair = (tmli_loop_pair){.a = a, .b = b};
    pair->shared = tmli_arena_alloc(&s->arena, 4 * (size_t)count + 1, sizeof(int));
    if (!pair->shared) return false;
    pair->count = pair->shared + 2 * count;
    pair->dof = pair->count + count;
    for (int k = 0; k < q->npath; k++) {
        const tmli_tree_joint *joint = &s->joint[q->path[k]];
        if (mark[q->path[k]] < 0 || joint->nu == 0) continue;
        pair->shared[2 * pair->nshared] = p->at[mark[q->path[k]]];
        pair->shared[2 * pair->nshared + 1] = q->at[k];
        pair->count[pair->nshared] = joint->nu;
        pair->dof[pair->nshared++] = joint->first;
    }
    return true;
}

static bool set_skyline(tmli_joint_space *s, graph *g, int *mark)
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
    for (int k = 0; k < g->n; k++) {
        const int a = g->order[k];
        int begin = s->loop[a].schur;
        for (int b = 0; b < g->n; b++) {
            if (!g->joined[a * g->n + b] || s->loop[b].schur > s->loop[a].schur) continue;
            if (s->loop[b].schur < begin) begin = s->loop[b].schur;
            if (!add_pair(s, a, b, mark)) return false;
        }
        for (int r = 0; r < s->loop[a].nrows; r++) {
            const int i = s->loop[a].schur + r;
            s->skyline[i + 1] = s->skyline[i] + i - begin + 1;
        }
    }
    return true;
}

// Operations that form the matrix of the loops: each coordinate adds the products of all rows that depend on
// it.
static double loop_work(const tmli_joint_space *s, int *rows)
{
    double work = 0;
    for (int i = 0; i < s->nloops; i++)
        for (int k = 0; k < s->loop[i].npath; k++) rows[s->loop[i].path[k]] += s->loop[i].nrows;
    for (int i = 0; i < s->njoints; i++) work += (double)s->joint[i].nu * rows[i] * rows[i];
    return work;
}

static tml_status check_work(tmli_joint_space *s, double most, tml_error *err)
{
    int *rows = tmli_calloc(&s->env, (size_t)s->njoints + 1, sizeof *rows);
    if (!rows) return tmli_no_memory(err, "joint coordinates");
    const double work = loop_work(s, rows);
    tmli_free(&s->env, rows);
    if (work <= most) return TML_OK;
    return tmli_fail(err, TML_ERR_MODEL, "%d loops take too long in joint coordinates", s->nloops);
}

tml_status tmli_joint_space_find_loops(tmli_joint_space *s, double most_work, tml_error *err)
{
    tml_status st = find_loop_rows(s, err);
    if (st == TML_OK && isfinite(most_work)) st = check_work(s, most_work, err);
    if (st == TML_OK) st = index_rows(s, err);
    if (st != TML_OK) return st;
    tmli_arena scratch = {.env = &s->env};
    const size_t n = (size_t)s->nloops;
    graph g = {.n = s->nloops};
    g.joined = tmli_arena_alloc(&scratch, n * n + 1, sizeof *g.joined);
    g.degree = tmli_arena_alloc(&scratch, 3 * n + 1, sizeof(int));
    int *mark = tmli_arena_alloc(&scratch, (size_t)s->njoints + 1, sizeof *mark);
    bool ok = g.joined && g.degree && mark;
    if (ok) {
        g.order = g.degree + n;
        g.position = g.order + n;
        join_loops(s, &g, mark);
        order_loops(&g);
        ok = set_skyline(s, &g, mark);
    }
    tmli_arena_clear(&scratch);
    return ok ? TML_OK : tmli_no_memory(err, "joint coordinates");
}

// ---- factor and solve -------------------------------------------------------------------------------------

// Entry (i, j) of the skyline is row(i)[j].
static inline double *row_of(const tmli_joint_space *s, double *values, int i)
{
    return values + s->skyline[i + 1] - 1 - i;
}
static inline int begin_of(const tmli_joint_space *s, int i)
{
    return i + 1 - (s->skyline[i + 1] - s->skyline[i]);
}

static void fill_schur(const tmli_joint_space *s, tmli_joint_space_work *w, const double *inv)
{
    memset(w->schur, 0, (size_t)s->skyline[s->m] * sizeof *w->schur);
    for (int k = 0; k < s->npairs; k++) {
        const tmli_loop_pair *pair = &s->pair[k];
        const tmli_loop *a = &s->loop[pair->a], *b = &s->loop[pair->b];
        for (int i = 0; i < a->nrows; i++) {
            const double *ea = w->projected + a->offset + i * a->width;
            double *row = row_of(s, w->schur, a->schur + i);
            for (int j = 0; j < (pair->a == pair->b ? i + 1 : b->nrows); j++) {
                const double *eb = w->projected + b->offset + j * b->width;
                double sum = 0;
                for (int p = 0; p < pair->nshared; p++) {
                    const double *x = ea + pair->shared[2 * p], *y = eb + pair->shared[2 * p + 1];
                    for (int d = 0; d < pair->count[p]; d++) sum += x[d] * y[d] * inv[pair->dof[p] + d];
                }
                row[b->schur + j] = sum;
            }
        }
    }
}

// Returns the smallest pivot of an independent row, relative to its diagonal.
static double factor(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    double smallest = 1;
    for (int i = 0; i < s->m; i++) {
        double *row = row_of(s, w->schur, i);
        const int begin = begin_of(s, i);
        const double diagonal = row[i];
        for (int j = begin; j < i; j++) {
            const double *other = row_of(s, w->schur, j);
            const int from = begin_of(s, j) > begin ? begin_of(s, j) : begin;
            double sum = row[j];
            for (int k = from; k < j; k++) sum -= row[k] * other[k];
            row[j] = sum * w->schur_inv[j];
            row[i] -= row[j] * row[j];
        }
        const bool independent = row[i] > DEPENDENT_PIVOT * diagonal;
        if (independent && row[i] < smallest * diagonal) smallest = row[i] / diagonal;
        w->schur_inv[i] = independent ? 1 / sqrt(row[i]) : 0;
    }
    return smallest;
}

// w->gamma (in the order of the factorization) := acceleration of the rows: w->opening + sum e u/D
static void compute_opening(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        for (int r = 0; r < p->nrows; r++) {
            const double *e_row = w->projected + p->offset + r * p->width;
            const int *col = s->rowcol + s->rowptr[p->first + r];
            double sum = w->opening[p->first + r];
            for (int k = 0; k < p->width; k++) sum += e_row[k] * w->inv[col[k]] * w->gen[col[k]];
            w->gamma[p->schur + r] = sum;
        }
    }
}

// y := inverse(S) y; returns y' inverse(S) y
static double solve(const tmli_joint_space *s, tmli_joint_space_work *w, double *y)
{
    double size = 0;
    for (int i = 0; i < s->m; i++) {
        const double *row = row_of(s, w->schur, i);
        for (int j = begin_of(s, i); j < i; j++) y[i] -= row[j] * y[j];
        y[i] *= w->schur_inv[i];
        size += y[i] * y[i];
    }
    for (int i = s->m - 1; i >= 0; i--) {
        const double *row = row_of(s, w->schur, i);
        y[i] *= w->schur_inv[i];
        for (int j = begin_of(s, i); j < i; j++) y[j] -= row[j] * y[i];
    }
    return size;
}

// lambda += y, u -= e y
static void add_multipliers(const tmli_joint_space *s, tmli_joint_space_work *w, const double *y)
{
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        for (int r = 0; r < p->nrows; r++) {
            const double *e_row = w->projected + p->offset + r * p->width, change = y[p->schur + r];
            const int *col = s->rowcol + s->rowptr[p->first + r];
            w->lambda[p->first + r] += change;
            for (int k = 0; k < p->width; k++) w->gen[col[k]] -= change * e_row[k];
        }
    }
}

void tmli_joint_space_solve_loops(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    fill_schur(s, w, w->inv);
    const double smallest = factor(s, w);
    memset(w->lambda, 0, (size_t)s->m * sizeof *w->lambda);
    compute_opening(s, w);
    const double force = solve(s, w, w->gamma);  // lambda' S lambda
    add_multipliers(s, w, w->gamma);
    double motion = 0;  // udot' M udot
    for (int j = 0; j < s->n; j++) motion += w->inv[j] * w->gen[j] * w->gen[j];
    const double limit = REFINED_RATIO * smallest;
    if (!(force > limit * limit * motion)) return;
    compute_opening(s, w);
    solve(s, w, w->gamma);
    add_multipliers(s, w, w->gamma);
}

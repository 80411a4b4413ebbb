// The reduced matrix: plan, factorization, solution; see schur.h.
#include "linalg/topology/schur.h"

#include "linalg/dense/small.h"

#include <string.h>

static double least_work(const tmli_saddle *d);
static tml_status plan_panels(tmli_schur *s, const tmli_graph *g, const int32_t *perm, tml_error *err);
static tml_status plan_pairs(tmli_schur *s, tml_error *err);
static void count_flops(tmli_schur *s);
static bool factor_body(const tmli_schur *s, const double *values, int32_t b);
static void reduce_arm(const tmli_schur *s, const double *values, int32_t a);
static bool factor_panel(const tmli_schur *s, int32_t position);
static void solve_reduced(const tmli_schur *s);

tml_status tmli_schur_init(tmli_schur *s, const tmli_saddle *saddle, double most, const tml_env *env,
                           tml_error *err)
{
    const size_t nj = (size_t)saddle->njoints, nb = (size_t)saddle->nbodies;
    if (env) s->env = *env;
    s->saddle = saddle;
    if (least_work(saddle) > most) return TML_OK;
    tmli_graph g = {0};
    int32_t *perm = tmli_calloc(env, nj, sizeof *perm);
    tml_status st = perm ? tmli_schur_graph(saddle, &g, env, err) : tmli_no_memory(err, "reduced solver");
    if (st == TML_OK) st = tmli_envelope_order(&g, perm, &s->envelope, NULL, env, err);
    s->possible = st == TML_OK && s->envelope.work <= most;
    if (s->possible) st = plan_panels(s, &g, perm, err);
    tmli_free(env, perm);
    tmli_schur_graph_clear(&g, env);
    if (st != TML_OK || !s->possible) return st;

    size_t body_size = 0, arm_size = 0, coordinates = 0;
    s->body_at = tmli_calloc(env, nb + 1, sizeof *s->body_at);
    s->arm_at = tmli_calloc(env, (size_t)saddle->narms + 1, sizeof *s->arm_at);
    if (!s->body_at || !s->arm_at) return tmli_no_memory(err, "reduced solver");
    for (size_t b = 0; b < nb; b++) {
        const size_t size = (size_t)saddle->body[b].size;
        s->body_at[b] = body_size;
        body_size += size * size;
        coordinates += size;
    }
    for (int32_t a = 0; a < saddle->narms; a++) {
        s->arm_at[a] = arm_size;
        arm_size +=
            (size_t)saddle->joint[saddle->arm[a].joint].size * (size_t)saddle->body[saddle->arm[a].body].size;
    }
    s->body_at[nb] = body_size;
    s->arm_at[saddle->narms] = arm_size;
    const size_t rows = (size_t)saddle->rows, n = s->unknowns = coordinates + rows;
    if (!tmli_calloc_all(env, TMLI_ARRAY(s->L, body_size), TMLI_ARRAY(s->W, arm_size),
                         TMLI_ARRAY(s->S, s->size), TMLI_ARRAY(s->dL, n), TMLI_ARRAY(s->dS, rows),
                         TMLI_ARRAY(s->pivot_scale, n), TMLI_ARRAY(s->z, n), TMLI_ARRAY(s->y, rows)))
        return tmli_fail(err, TML_ERR_NOMEM, "reduced solver: no memory for %zu entries", s->size);
    s->nonzeros = (double)(body_size + arm_size + s->size);
    st = plan_pairs(s, err);
    if (st == TML_OK) count_flops(s);
    return st;
}

void tmli_schur_clear(tmli_schur *s)
{
    const tml_env env = s->env;
    tmli_free_all(&env, s->panel, s->position, s->pair, s->body_at, s->arm_at, s->L, s->W, s->S, s->dL, s->dS,
                  s->pivot_scale, s->z, s->y);
    *s = (tmli_schur){0};
}

// The rows of the joints of one body make a full block of S.
static double least_work(const tmli_saddle *d)
{
    double work = 0;
    for (int32_t b = 0; b < d->nbodies; b++) {
        double rows = 0;
        for (int32_t i = d->bodyptr[b]; i < d->bodyptr[b + 1]; i++)
            rows += d->joint[d->arm[d->bodyarm[i]].joint].size;
        work = fmax(work, rows * rows * rows / 3);
    }
    return work;
}

void tmli_schur_graph_clear(tmli_graph *g, const tml_env *env)
{
    tmli_free_all(env, g->ptr, g->ind, g->size);
    *g = (tmli_graph){0};
}

// A body with d joints makes d (d - 1) edges.
tml_status tmli_schur_graph(const tmli_saddle *d, tmli_graph *g, const tml_env *env, tml_error *err)
{
    size_t edges = 0;
    for (int32_t b = 0; b < d->nbodies; b++) {
        const size_t arms = (size_t)(d->bodyptr[b + 1] - d->bodyptr[b]);
        edges += arms * arms;
    }
    g->n = d->njoints;
    g->ptr = tmli_calloc(env, (size_t)g->n + 1, sizeof *g->ptr);
    g->ind = tmli_calloc(env, edges, sizeof *g->ind);
    g->size = tmli_calloc(env, (size_t)g->n, sizeof *g->size);
    int32_t *mark = tmli_calloc(env, (size_t)g->n, sizeof *mark), at = 0;
    if (!g->ptr || !g->ind || !g->size || !mark) {
        tmli_free(env, mark);
        return tmli_no_memory(err, "reduced solver");
    }
    for (int32_t j = 0; j < g->n; j++) mark[j] = -1;
    for (int32_t j = 0; j < g->n; j++) {
        g->size[j] = d->joint[j].size;
        mark[j] = j;
        for (int32_t k = d->armptr[j]; k < d->armptr[j + 1]; k++) {
            const int32_t b = d->arm[k].body;
            for (int32_t i = d->bodyptr[b]; i < d->bodyptr[b + 1]; i++) {
                const int32_t other = d->arm[d->bodyarm[i]].joint;
                if (mark[other] == j) continue;
                mark[other] = j;
                g->ind[at++] = other;
            }
        }
        g->ptr[j + 1] = at;
    }
    tmli_free(env, mark);
    return TML_OK;
}

static tml_status plan_panels(tmli_schur *s, const tmli_graph *g, const int32_t *perm, tml_error *err)
{
    if (!tmli_calloc_all(&s->env, TMLI_ARRAY(s->panel, (size_t)g->n), TMLI_ARRAY(s->position, (size_t)g->n)))
        return tmli_no_memory(err, "reduced solver");
    int32_t column = 0;
    for (int32_t k = 0; k < g->n; k++) s->position[perm[k]] = k;
    for (int32_t k = 0; k < g->n; k++) {
        tmli_panel *p = &s->panel[k];
        *p = (tmli_panel){
            .joint = perm[k], .size = g->size[perm[k]], .first = k, .column = column, .at = s->size};
        for (int32_t i = g->ptr[perm[k]]; i < g->ptr[perm[k] + 1]; i++)
            if (s->position[g->ind[i]] < p->first) p->first = s->position[g->ind[i]];
        p->start = s->panel[p->first].column;
        column += p->size;
        s->size += (size_t)p->size * (size_t)(column - p->start);
    }
    return TML_OK;
}

// In the order of the panels that get them.
static tml_status plan_pairs(tmli_schur *s, tml_error *err)
{
    const tmli_saddle *d = s->saddle;
    for (int pass = 0; pass < 2; pass++) {
        s->npairs = 0;
        for (int32_t k = 0; k < d->njoints; k++) {
            const tmli_panel *p = &s->panel[k];
            for (int32_t a = d->armptr[p->joint]; a < d->armptr[p->joint + 1]; a++) {
                const int32_t b = d->arm[a].body;
                for (int32_t i = d->bodyptr[b]; i < d->bodyptr[b + 1]; i++) {
                    const int32_t other = s->position[d->arm[d->bodyarm[i]].joint];
                    if (other > k) continue;
                    if (pass) {
                        const size_t column = (size_t)(s->panel[other].column - p->start);
                        s->pair[s->npairs] = (tmli_pair){
                            .row = a, .column = d->bodyarm[i], .at = p->at + column * (size_t)p->size};
                    }
                    s->npairs++;
                }
            }
        }
        if (pass == 0 && !(s->pair = tmli_calloc(&s->env, s->npairs, sizeof *s->pair)))
            return tmli_no_memory(err, "reduced solver");
    }
    return TML_OK;
}

static void count_flops(tmli_schur *s)
{
    const tmli_saddle *d = s->saddle;
    double flops = 0;
    for (int32_t b = 0; b < d->nbodies; b++) {
        const double n = d->body[b].size;
        flops += n * n * n / 3;
        for (int32_t i = d->bodyptr[b]; i < d->bodyptr[b + 1]; i++)
            flops += n * n * d->joint[d->arm[d->bodyarm[i]].joint].size;
    }
    for (size_t i = 0; i < s->npairs; i++) {
        const tmli_arm *a = &d->arm[s->pair[i].row], *c = &d->arm[s->pair[i].column];
        flops += 2.0 * d->joint[a->joint].size * d->joint[c->joint].size * d->body[a->body].size;
    }
    for (int32_t k = 0; k < d->njoints; k++) {
        const double size = s->panel[k].size;
        flops += size * size * size / 3;
        for (int32_t c = s->panel[k].first; c < k; c++) {
            const double n = s->panel[c].size;
            flops += size * n * n + size * size * n;
            for (int32_t j = c + 1; j < k; j++)
                if (s->panel[j].first <= c) flops += 2 * size * n * s->panel[j].size;
        }
    }
    s->flops = flops;
}

bool tmli_schur_factor(tmli_schur *s, const double *values)
{
    const tmli_saddle *d = s->saddle;
    if (!s->possible) return false;
    for (int32_t b = 0; b < d->nbodies; b++)
        if (!factor_body(s, values, b)) return false;
    for (int32_t a = 0; a < d->narms; a++) reduce_arm(s, values, a);
    memset(s->S, 0, s->size * sizeof *s->S);
    for (size_t i = 0; i < s->npairs; i++) {  // (2)
        const tmli_pair *p = &s->pair[i];
        const tmli_arm *row = &d->arm[p->row];
        const int32_t k = d->joint[row->joint].size, m = d->joint[d->arm[p->column].joint].size;
        TMLI_SMALL(k, tmli_small_add, m, d->body[row->body].size, s->W + s->arm_at[p->row],
                   s->W + s->arm_at[p->column], s->S + p->at)
    }
    for (int32_t k = 0; k < d->njoints; k++)
        if (!factor_panel(s, k)) return false;
    return true;
}

static inline bool body_cholesky(const int32_t n, const double *A, int32_t stride, double *L, double *d,
                                 double *pivot_scale)
{
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = j; i < n; i++) L[j * n + i] = A[j * stride + i];
    for (int32_t j = 0; j < n; j++) pivot_scale[j] = L[j * n + j];
    return tmli_small_cholesky(n, L, d, pivot_scale);
}

// A = L L' of (1)
static bool factor_body(const tmli_schur *s, const double *values, int32_t b)
{
    const tmli_part *x = &s->saddle->body[b];
    double *L = s->L + s->body_at[b], *d = s->dL + x->first, *pivot_scale = s->pivot_scale + x->first;
    const double *A = values + x->at;
    if (x->size == 6) return body_cholesky(6, A, x->stride, L, d, pivot_scale);
    if (x->size == 3) return body_cholesky(3, A, x->stride, L, d, pivot_scale);
    return body_cholesky(x->size, A, x->stride, L, d, pivot_scale);
}

TMLI_INLINE void arm_solve(const int32_t k, int32_t n, const double *restrict B, int32_t stride,
                           const double *restrict L, const double *restrict d, double *restrict W)
{
    for (int32_t c = 0; c < n; c++)
        for (int32_t r = 0; r < k; r++) W[c * k + r] = B[c * stride + r];
    tmli_small_right(k, n, L, d, W);
}

// W of (1)
static void reduce_arm(const tmli_schur *s, const double *values, int32_t a)
{
    const tmli_arm *arm = &s->saddle->arm[a];
    const tmli_part *body = &s->saddle->body[arm->body];
    const double *B = values + arm->mirror, *L = s->L + s->body_at[arm->body], *d = s->dL + body->first;
    double *W = s->W + s->arm_at[a];
    const int32_t k = s->saddle->joint[arm->joint].size;
    if (body->size == 6) {
        TMLI_SMALL(k, arm_solve, 6, B, body->stride, L, d, W)
    } else if (body->size == 3) {
        TMLI_SMALL(k, arm_solve, 3, B, body->stride, L, d, W)
    } else {
        arm_solve(k, body->size, B, body->stride, L, d, W);
    }
}

TMLI_INLINE void panel_rows(const int32_t k, const tmli_schur *s, const tmli_panel *p, int32_t position)
{
    double *X = s->S + p->at, *diagonal = X + (size_t)(p->column - p->start) * (size_t)k;
    for (int32_t c = p->first; c < position; c++) {
        const tmli_panel *q = &s->panel[c];
        const int32_t n = q->size;
        double *x = X + (q->column - p->start) * k;
        const double *L = s->S + q->at + (size_t)(q->column - q->start) * (size_t)n;
        tmli_small_right(k, n, L, s->dS + q->column, x);
        for (int32_t j = c + 1; j < position; j++) {
            const tmli_panel *later = &s->panel[j];
            if (later->first > c) continue;
            const double *Y = s->S + later->at + (size_t)(q->column - later->start) * (size_t)later->size;
            tmli_small_sub(k, later->size, n, x, Y, X + (later->column - p->start) * k);
        }
        tmli_small_sub(k, k, n, x, x, diagonal);
    }
}

static bool panel_diagonal(const tmli_schur *s, const tmli_panel *p)
{
    double *A = s->S + p->at + (size_t)(p->column - p->start) * (size_t)p->size, *d = s->dS + p->column;
    bool good = false;
    const double *pivot_scale = s->pivot_scale + s->saddle->joint[p->joint].first;
#define CHOLESKY(n, unused) good = tmli_small_cholesky(n, A, d, pivot_scale)
    TMLI_SMALL(p->size, CHOLESKY, 0)
#undef CHOLESKY
    return good;
}

// (3), one panel, by those before it.
static bool factor_panel(const tmli_schur *s, int32_t position)
{
    const tmli_panel *p = &s->panel[position];
    const tmli_part *joint = &s->saddle->joint[p->joint];
    double *A = s->S + p->at + (size_t)(p->column - p->start) * (size_t)p->size;
    for (int32_t r = 0; r < p->size; r++) {
        double *pivot = &A[r * p->size + r];
        if (s->saddle->any_inactive && s->saddle->inactive[joint->first + r] != 0) *pivot = 1;
        s->pivot_scale[joint->first + r] = *pivot;
    }
    TMLI_SMALL(p->size, panel_rows, s, p, position)
    return panel_diagonal(s, p);
}

void tmli_schur_solve(const tmli_schur *s, double *x)
{
    const tmli_saddle *d = s->saddle;
    for (int32_t k = 0; k < d->njoints; k++) {
        const tmli_panel *p = &s->panel[k];
        const double *g = x + d->joint[p->joint].first;
        for (int32_t r = 0; r < p->size; r++) s->y[p->column + r] = -g[r];
    }
    for (int32_t b = 0; b < d->nbodies; b++) {  // inv(L) b
        const tmli_part *body = &d->body[b];
        double *z = s->z + body->first;
        const double *L = s->L + s->body_at[b], *dL = s->dL + body->first;
        memcpy(z, x + body->first, (size_t)body->size * sizeof *z);
        if (body->size == 6) tmli_small_lower(6, L, dL, z);
        else if (body->size == 3) tmli_small_lower(3, L, dL, z);
        else tmli_small_lower(body->size, L, dL, z);
    }
    for (int32_t a = 0; a < d->narms; a++) {
        const tmli_arm *arm = &d->arm[a];
        const int32_t k = d->joint[arm->joint].size;
        double *y = s->y + s->panel[s->position[arm->joint]].column;
        const double *z = s->z + d->body[arm->body].first, *W = s->W + s->arm_at[a];
        for (int32_t c = 0; c < d->body[arm->body].size; c++)
            for (int32_t r = 0; r < k; r++) y[r] += W[c * k + r] * z[c];
    }
    solve_reduced(s);
    for (int32_t a = 0; a < d->narms; a++) {
        const tmli_arm *arm = &d->arm[a];
        const int32_t k = d->joint[arm->joint].size;
        const double *y = s->y + s->panel[s->position[arm->joint]].column, *W = s->W + s->arm_at[a];
        double *z = s->z + d->body[arm->body].first;
        for (int32_t c = 0; c < d->body[arm->body].size; c++) {
            double sum = 0;
            for (int32_t r = 0; r < k; r++) sum += W[c * k + r] * y[r];
            z[c] -= sum;
        }
    }
    for (int32_t b = 0; b < d->nbodies; b++) {
        const tmli_part *body = &d->body[b];
        double *z = s->z + body->first;
        const double *L = s->L + s->body_at[b], *dL = s->dL + body->first;
        if (body->size == 6) tmli_small_upper(6, L, dL, z);
        else if (body->size == 3) tmli_small_upper(3, L, dL, z);
        else tmli_small_upper(body->size, L, dL, z);
        memcpy(x + body->first, z, (size_t)body->size * sizeof *z);
    }
    for (int32_t k = 0; k < d->njoints; k++) {
        const tmli_panel *p = &s->panel[k];
        const int32_t first = d->joint[p->joint].first;
        for (int32_t r = 0; r < p->size; r++) {
            const double inactive = d->any_inactive ? d->inactive[first + r] : 0;
            x[first + r] = inactive != 0 ? x[first + r] / inactive : s->y[p->column + r];
        }
    }
}

// y := inv(S) y
static void solve_reduced(const tmli_schur *s)
{
    const int32_t count = s->saddle->njoints;
    for (int32_t k = 0; k < count; k++) {
        const tmli_panel *p = &s->panel[k];
        double *y = s->y + p->column;
        const double *L = s->S + p->at;
        for (int32_t c = p->start; c < p->column; c++, L += p->size)
            for (int32_t r = 0; r < p->size; r++) y[r] -= L[r] * s->y[c];
        TMLI_SMALL(p->size, tmli_small_lower, L, s->dS + p->column, y)
    }
    for (int32_t k = count - 1; k >= 0; k--) {
        const tmli_panel *p = &s->panel[k];
        double *y = s->y + p->column;
        const double *L = s->S + p->at;
        TMLI_SMALL(p->size, tmli_small_upper, L + (size_t)(p->column - p->start) * (size_t)p->size,
                   s->dS + p->column, y)
        for (int32_t c = p->start; c < p->column; c++, L += p->size)
            for (int32_t r = 0; r < p->size; r++) s->y[c] -= L[r] * y[r];
    }
}

void tmli_schur_archive(tmli_schur *s, tml_archive *a)
{
    const tmli_saddle *d = s->saddle;
    if (!s->possible) return;
    tml_archive_doubles(a, s->L, s->body_at[d->nbodies]);
    tml_archive_doubles(a, s->W, s->arm_at[d->narms]);
    tml_archive_doubles(a, s->S, s->size);
    tml_archive_doubles(a, s->dL, s->unknowns);
    tml_archive_doubles(a, s->dS, (size_t)d->rows);
}

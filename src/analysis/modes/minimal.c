// Choice of the coordinates and matrices of (1) and (2) of minimal.h.
//
// Coordinates are chosen by a factorization with column pivoting of the transposed basis: each next one is
// the coordinate that moves most where the ones before stand still. Rotations count twice, so that a
// pendulum has its angle and not a position.
#include "analysis/modes/minimal.h"
#include "analysis/modes/linearize.h"
#include "linalg/dense/lapack.h"

#include <string.h>

#include "analysis/modes/constants.h"

typedef struct build {
    tmli_minimal *out;
    tmli_variation v;
    tmli_steady steady;
    int *position, *velocity;  // (ra), (r) selected coordinates
    double *a, *b;             // (ra x size), (r x size) of unit states
} build;

static void *alloc(build *k, int rows, int columns)
{
    return tmli_arena_alloc(&k->v.arena, (size_t)rows * (size_t)columns + 1, sizeof(double));
}

// `count` coordinates in which the columns of X (n x count) are independent, ascending
static tml_status choose(build *k, const double *X, int count, int *out, tml_error *err)
{
    const int n = k->v.n - k->v.sys->nz, lwork = 4 * n + 64;
    const size_t c = (size_t)count;
    double *T = alloc(k, count, n), *tau = alloc(k, count, 1), *work = alloc(k, lwork, 1);
    int *order = alloc(k, n, 1);
    if (!T || !tau || !work || !order) return tmli_no_memory(err, "linearize");
    for (int j = 0; j < n; j++)
        for (size_t i = 0; i < c; i++)
            T[(size_t)j * c + i] = X[i * (size_t)k->v.n + (size_t)j] *
                                   (k->v.sys->kind[j] == TML_COORDINATE_ROTATION ? PREFERRED_ROTATION : 1);
    int info = 0;
    if (count > 0) tmli_dgeqp3(&count, &n, T, &count, order, tau, work, &lwork, &info);
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && out[at - 1] > order[i] - 1; at--) out[at] = out[at - 1];
        out[at] = order[i] - 1;
    }
    return TML_OK;
}

// X (count x columns) := the selected rows of F (n x columns)
static void pick(const build *k, const double *F, int columns, const int *rows, int count, double *X)
{
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < count; i++)
            X[(size_t)c * (size_t)count + (size_t)i] = F[(size_t)c * (size_t)k->v.n + (size_t)rows[i]];
}

// (1) for unit states: a = (Sp Y)^-1 p, b = (Sv Z)^-1 (v - Sv U a)
static tml_status solve_coordinates(build *k, tml_error *err)
{
    const int ra = k->v.ra, r = k->v.r, size = k->out->size;
    double *P = alloc(k, ra, ra), *Q = alloc(k, r, r), *SU = alloc(k, r, ra);
    int *pivot = alloc(k, ra + r, 1), info = 0, second = 0;
    k->a = alloc(k, ra, size);
    k->b = alloc(k, r, size);
    if (!P || !Q || !SU || !pivot || !k->a || !k->b) return tmli_no_memory(err, "linearize");
    pick(k, k->v.Y, ra, k->position, ra, P);
    pick(k, k->v.Z, r, k->velocity, r, Q);
    pick(k, k->v.U, ra, k->velocity, r, SU);
    for (int i = 0; i < ra; i++) k->a[(size_t)i * (size_t)ra + (size_t)i] = 1;
    for (int i = 0; i < r; i++) k->b[(size_t)(ra + i) * (size_t)r + (size_t)i] = 1;
    if (ra > 0) {
        tmli_dgetrf(&ra, &ra, P, &ra, pivot, &info);
        tmli_dgetrs("N", &ra, &size, P, &ra, pivot, k->a, &ra, &second, 1);
    }
    if (info == 0 && r > 0) {
        for (size_t i = 0; i < (size_t)r * (size_t)ra; i++) SU[i] = -SU[i];
        tmli_dense_multiply("N", "N", r, size, ra, SU, r, k->a, ra, 1, k->b);
        tmli_dgetrf(&r, &r, Q, &r, pivot, &info);
        tmli_dgetrs("N", &r, &size, Q, &r, pivot, k->b, &r, &second, 1);
    }
    return info == 0 ? TML_OK : tmli_fail(err, TML_ERR_SINGULAR, "no independent coordinates were found");
}

// Rates (n x columns) dp = W a + Z b - g d and dv = Z y + G b + A a - g e, for y of (2); d, e: increments
static tml_status calc_rates(build *k, double *dp, double *dv, tml_error *err)
{
    const tmli_variation *v = &k->v;
    const int n = v->n, r = v->r, ra = v->ra, size = k->out->size;
    double *y = alloc(k, r, size), *scratch = alloc(k, r, 1), *turned = alloc(k, n, 1);
    if (!y || !scratch || !turned) return tmli_no_memory(err, "linearize");
    tmli_dense_multiply("N", "N", r, size, ra, v->Kr, r, k->a, ra, 0, y);
    tmli_dense_multiply("N", "N", r, size, r, v->Dr, r, k->b, r, 1, y);
    for (int c = 0; c < size; c++) {
        double *const column = y + (size_t)c * (size_t)r;
        for (int i = 0; i < r; i++) column[i] = -column[i];
        tmli_variation_solve_inertia(v, column, scratch);
    }
    tmli_dense_multiply("N", "N", n, size, ra, v->W, n, k->a, ra, 0, dp);
    tmli_dense_multiply("N", "N", n, size, r, v->Z, n, k->b, r, 1, dp);
    tmli_dense_multiply("N", "N", n, size, r, v->Z, n, y, r, 0, dv);
    tmli_dense_multiply("N", "N", n, size, r, v->G, n, k->b, r, 1, dv);
    tmli_dense_multiply("N", "N", n, size, ra, v->A, n, k->a, ra, 1, dv);
    for (int c = 0; c < size && k->steady.found; c++)
        for (int level = 0; level < 2; level++) {
            const size_t at = (size_t)c * (size_t)n;
            tmli_steady_rate(&k->steady, n, (level == 0 ? k->out->d : k->out->e) + at, turned);
            for (int j = 0; j < n; j++) (level == 0 ? dp : dv)[at + (size_t)j] -= turned[j];
        }
    return TML_OK;
}

static double unit_of(const build *k, int state) { return k->v.k->unit[k->out->coordinate[state]]; }

// A, d and e; from units of the model to SI
static tml_status fill(build *k, tml_error *err)
{
    tmli_minimal *out = k->out;
    const tmli_variation *v = &k->v;
    const int n = v->n, size = out->size;
    double *dp = alloc(k, n, size), *dv = alloc(k, n, size);
    if (!dp || !dv) return tmli_no_memory(err, "linearize");
    tmli_dense_multiply("N", "N", n, size, v->ra, v->Y, n, k->a, v->ra, 0, out->d);
    tmli_dense_multiply("N", "N", n, size, v->r, v->Z, n, k->b, v->r, 0, out->e);
    tmli_dense_multiply("N", "N", n, size, v->ra, v->U, n, k->a, v->ra, 1, out->e);
    const tml_status st = calc_rates(k, dp, dv, err);
    if (st != TML_OK) return st;
    for (int c = 0; c < size; c++)
        for (int i = 0; i < size; i++) {
            const double *rate = i < out->positions ? dp : dv;
            out->A[(size_t)i * (size_t)size + (size_t)c] =
                rate[(size_t)c * (size_t)n + (size_t)out->coordinate[i]] * unit_of(k, i) / unit_of(k, c);
        }
    for (int c = 0; c < size; c++)
        for (int j = 0; j < n; j++) {
            const size_t at = (size_t)c * (size_t)n + (size_t)j;
            out->d[at] *= v->k->unit[j] / unit_of(k, c);
            out->e[at] *= v->k->unit[j] / unit_of(k, c);
        }
    return TML_OK;
}

// Sv Z Mr^-1 Z' for each coordinate
static tml_status fill_force(build *k, tml_error *err)
{
    const tmli_variation *v = &k->v;
    tmli_minimal *out = k->out;
    double *c = alloc(k, v->r, 1), *scratch = alloc(k, v->r, 1);
    if (!c || !scratch) return tmli_no_memory(err, "linearize");
    for (int j = 0; j < v->n; j++) {
        for (int i = 0; i < v->r; i++) c[i] = v->Z[(size_t)i * (size_t)v->n + (size_t)j] * v->k->unit[j];
        tmli_variation_solve_inertia(v, c, scratch);
        for (int i = out->positions; i < out->size; i++) {
            double sum = 0;
            for (int q = 0; q < v->r; q++)
                sum += v->Z[(size_t)q * (size_t)v->n + (size_t)out->coordinate[i]] * c[q];
            out->force[(size_t)i * (size_t)v->n + (size_t)j] = sum * unit_of(k, i);
        }
    }
    return TML_OK;
}

static tml_status allocate(build *k, tml_error *err)
{
    tmli_minimal *out = k->out;
    const size_t n = (size_t)k->v.n, size = (size_t)(k->v.ra + k->v.r), d = sizeof(double);
    out->n = k->v.n;
    out->size = k->v.ra + k->v.r;
    out->positions = k->v.ra;
    out->coordinate = tmli_arena_alloc(&out->arena, size + 1, sizeof *out->coordinate);
    out->A = tmli_arena_alloc(&out->arena, size * size + 1, d);
    out->d = tmli_arena_alloc(&out->arena, n * size + 1, d);
    out->e = tmli_arena_alloc(&out->arena, n * size + 1, d);
    out->force = tmli_arena_alloc(&out->arena, n * size + 1, d);
    if (!out->coordinate || !out->A || !out->d || !out->e || !out->force)
        return tmli_no_memory(err, "linearize");
    k->position = out->coordinate;
    k->velocity = out->coordinate + k->v.ra;
    return TML_OK;
}

static tml_status assemble(build *k, const tml_model *model, tml_error *err)
{
    tmli_variation *v = &k->v;
    tmli_spectrum about = {0};
    tml_status st = tmli_variation_dynamics(v, err);
    if (st == TML_OK && v->r1 < v->rm)
        st = tmli_fail(err, TML_ERR_SINGULAR,
                       "%d direction%s of motion ha%s no inertia: there is no system of rates", v->rm - v->r1,
                       tmli_plural(v->rm - v->r1), v->rm - v->r1 == 1 ? "s" : "ve");
    if (st == TML_OK) st = allocate(k, err);
    if (st == TML_OK) st = tmli_variation_reduce(v, err);
    if (st == TML_OK) st = tmli_linearize_motion(v, model, &k->steady, &about, err);
    if (st != TML_OK) return st;
    k->out->motion = about.motion;
    memcpy(k->out->axes, about.axes, sizeof k->out->axes);
    st = choose(k, v->Y, v->ra, k->position, err);
    if (st == TML_OK) st = choose(k, v->Z, v->rm, k->velocity, err);
    for (int i = 0; i < v->sys->nz; i++) k->velocity[v->rm + i] = v->n - v->sys->nz + i;
    if (st == TML_OK) st = solve_coordinates(k, err);
    if (st == TML_OK) st = fill(k, err);
    if (st == TML_OK) st = fill_force(k, err);
    return st;
}

tml_status tmli_minimal_init(tmli_minimal *s, const tml_system *sys, const tml_model *model, void *w,
                             const tmli_rank *rank, tml_state *x, tml_error *err)
{
    *s = (tmli_minimal){.env = sys->env};
    s->arena.env = &s->env;
    build k = {.out = s};
    if (sys->n > TMLI_LINEARIZE_COORDINATES)
        return tmli_fail(err, TML_ERR_ARG, "a model with %d coordinates is not linearized: at most %d",
                         sys->n, TMLI_LINEARIZE_COORDINATES);
    tml_status st = tmli_variation_init(&k.v, sys, w, rank, x, model && !sys->level, err);
    if (st == TML_OK) st = assemble(&k, model, err);
    tmli_variation_clear(&k.v);
    return st;
}

void tmli_minimal_clear(tmli_minimal *s)
{
    tmli_arena_clear(&s->arena);
    *s = (tmli_minimal){0};
}

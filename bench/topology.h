// One factorization and one solution of [M B'; B 0] by every way there is, measured: what bench_topology and
// the tables of D. Negrut's thesis (bench/papers/papers_004_solvers.c) share. Include first (clocks). Times
// are processor time, the least of several rounds; each is for factoring values that are in memory and
// solving one right side.
//   dense         dgetrf + dgetrs          Gauss of the thesis (1998), Table 9
//   symmetric     dsytrf + dsytrs          Symmetric
//   sparse        KLU, pivots chosen anew each time (analysis kept)   Harwell, Tables 2 and 9
//   klu           KLU with the pivots of the first factorization
//   block, reduced, tree                   ours
#ifndef BENCH_TOPOLOGY_H
#define BENCH_TOPOLOGY_H

#define _POSIX_C_SOURCE 200809L
#include "linalg/dense/lapack.h"
#include "linalg/pattern/pattern.h"
#include "linalg/topology/schur.h"

#include <klu.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trammel/sim.h>

void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *ipiv, double *work,
             const int *lwork, int *info, size_t uplo_len);
void dsytrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t uplo_len);

enum { DENSE, SYMMETRIC, SPARSE, KLU, BLOCK, REDUCED, TREE, WAYS };
static const char *const WAY[WAYS] = {"dense", "symmetric", "sparse", "klu", "block", "reduced", "tree"};
enum { LARGEST_DENSE = 700, ROUNDS = 9 };

typedef struct matrix {
    char name[32];
    tml_model *model;
    const tml_pattern *p;
    double *values, *b, *x;  // b: right side, x: room for a solution
    double *first;           // the solution found first, to compare with
    double time[WAYS], flops[WAYS], difference[WAYS];
} matrix;

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void need(tml_status st, const tml_error *err)
{
    if (st == TML_OK) return;
    fprintf(stderr, "%s: %s\n", tml_status_name(st), err->msg);
    exit(1);
}

static inline void *room(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) exit(1);
    return p;
}

static inline matrix load(const char *name, const char *path, const char *text, int n)
{
    matrix m = {0};
    tml_error err = {0};
    tml_spec *spec = NULL;
    char value[16];
    snprintf(value, sizeof value, "%d", n);
    snprintf(m.name, sizeof m.name, n ? "%s %d" : "%s", name, n);
    const tml_parameter set = {"N", value};
    if (text) need(tml_spec_parse(text, strlen(text), name, &set, 1, NULL, &spec, &err), &err);
    else need(tml_spec_read(path, &set, n ? 1 : 0, NULL, &spec, &err), &err);
    need(tml_model_build(spec, &m.model, &err), &err);
    tml_spec_destroy(spec);

    tml_run_def run = *tml_model_run(m.model);
    tml_sim *sim = NULL;
    need(tml_sim_create(m.model, &run, &sim, &err), &err);
    const tml_system *s = tml_model_system(m.model);
    void *w = s->ops->create_work(s->self, &s->env);
    m.p = s->pattern;
    const size_t size = (size_t)m.p->n;
    m.values = room((size_t)tmli_pattern_nnz(m.p), sizeof *m.values);
    m.b = room(size, sizeof *m.b);
    m.x = room(size, sizeof *m.x);
    m.first = room(size, sizeof *m.first);
    const tml_assembly a = {.cm = 1};
    need(s->ops->assemble(s->self, w, tml_sim_state(sim), &a, m.values, &err), &err);
    need(s->ops->dynamics(s->self, w, tml_sim_state(sim), m.b, m.b + s->n, &err), &err);
    s->ops->destroy_work(w);
    tml_sim_destroy(sim);
    return m;
}

static inline void unload(matrix *m)
{
    free(m->values);
    free(m->b);
    free(m->x);
    free(m->first);
    tml_model_destroy(m->model);
}

// ---- the ways ---------------------------------------------------------------------------------------------

typedef struct way {
    const matrix *m;
    double *full, *work;
    int *pivot;
    const tml_linsolver_ops *ops;
    void *self;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
} way;

static void expand(const way *w)
{
    const tml_pattern *p = w->m->p;
    const size_t n = (size_t)p->n;
    memset(w->full, 0, n * n * sizeof *w->full);
    for (size_t j = 0; j < n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            w->full[j * n + (size_t)p->rowind[k]] = w->m->values[k];
}

static void run_dense(way *w)
{
    const int n = w->m->p->n, one = 1;
    int info;
    expand(w);
    dgetrf_(&n, &n, w->full, &n, w->pivot, &info);
    dgetrs_("N", &n, &one, w->full, &n, w->pivot, w->m->x, &n, &info, 1);
}

static void run_symmetric(way *w)
{
    const int n = w->m->p->n, one = 1, lwork = 64 * n;
    int info;
    expand(w);
    dsytrf_("L", &n, w->full, &n, w->pivot, w->work, &lwork, &info, 1);
    dsytrs_("L", &n, &one, w->full, &n, w->pivot, w->m->x, &n, &info, 1);
}

static void run_sparse(way *w)
{
    int *ptr = (int *)(uintptr_t)w->m->p->colptr, *ind = (int *)(uintptr_t)w->m->p->rowind;
    klu_free_numeric(&w->numeric, &w->common);
    w->numeric = klu_factor(ptr, ind, w->m->values, w->symbolic, &w->common);
    klu_solve(w->symbolic, w->numeric, w->m->p->n, 1, w->m->x, &w->common);
}

static void run_ours(way *w)
{
    tml_error err = {0};
    need((w->ops->factor_symmetric ? w->ops->factor_symmetric : w->ops->factor)(w->self, w->m->values, &err),
         &err);
    w->ops->solve(w->self, w->m->x);
}

static void prepare(way *w, matrix *m, int which)
{
    static const tml_linsolver_ops *const ours[WAYS] = {[KLU] = &tml_linsolver_klu,
                                                        [BLOCK] = &tml_linsolver_block,
                                                        [REDUCED] = &tml_linsolver_reduced,
                                                        [TREE] = &tml_linsolver_tree};
    const size_t n = (size_t)m->p->n;
    tml_error err = {0};
    *w = (way){.m = m, .ops = ours[which]};
    if (w->ops) need(w->ops->create(m->p, NULL, &w->self, &err), &err);
    if (which == DENSE || which == SYMMETRIC) {
        w->full = room(n * n, sizeof(double));
        w->work = room(64 * n, sizeof(double));
        w->pivot = room(n, sizeof(int));
    }
    if (which == SPARSE) {
        klu_defaults(&w->common);
        w->symbolic =
            klu_analyze(m->p->n, (int *)(uintptr_t)m->p->colptr, (int *)(uintptr_t)m->p->rowind, &w->common);
    }
}

static void put_away(way *w)
{
    if (w->ops) w->ops->destroy(w->self);
    free(w->full);
    free(w->work);
    free(w->pivot);
    if (w->symbolic) {
        klu_free_numeric(&w->numeric, &w->common);
        klu_free_symbolic(&w->symbolic, &w->common);
    }
}

static double flops_of(way *w, int which)
{
    const double n = w->m->p->n;
    tml_linsolver_info info = {0};
    if (which == DENSE) return 2 * n * n * n / 3;
    if (which == SYMMETRIC) return n * n * n / 3;
    if (which == SPARSE) {
        klu_flops(w->symbolic, w->numeric, &w->common);
        return w->common.flops;
    }
    w->ops->info(w->self, &info);
    return info.flops_factor;
}

static void measure(matrix *m, int which)
{
    static void (*const run[WAYS])(way *) = {run_dense, run_symmetric, run_sparse, run_ours,
                                             run_ours,  run_ours,      run_ours};
    const size_t bytes = (size_t)m->p->n * sizeof(double);
    way w;
    m->time[which] = NAN;
    if (m->p->n > LARGEST_DENSE && which <= SYMMETRIC) return;
    prepare(&w, m, which);
    memcpy(m->x, m->b, bytes);
    run[which](&w);
    double size = 0, worst = 0;
    if (which == SPARSE) memcpy(m->first, m->x, bytes);
    for (int32_t i = 0; i < m->p->n; i++) {
        size = fmax(size, fabs(m->first[i]));
        worst = fmax(worst, fabs(m->x[i] - m->first[i]));
    }
    m->difference[which] = worst / size;
    m->flops[which] = flops_of(&w, which);
    int repeats = 1;
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now();
        for (int i = 0; i < repeats; i++) {
            memcpy(m->x, m->b, bytes);
            run[which](&w);
        }
        const double took = now() - start;
        best = fmin(best, took / repeats);
        if (round == 0) repeats = (int)fmin(fmax(1, 4e-3 / best), 5000);
    }
    m->time[which] = best;
    put_away(&w);
}

#endif

// Time of one factorization and one solve per link of a chain, for the sparse solvers.
//
// Spatial: 6 coordinates and 5 constraint rows per link; planar: 3 and 2. Neighbouring bodies are coupled, as
// by augmentation. Prints the least of several means of processor time, in microseconds per link.
#define _POSIX_C_SOURCE 200809L
#include "linalg/graphs.h"

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_factor(const tml_linsolver_ops *ops, void *self, const double *values, int repeats)
{
    double best = 1e300;
    for (int round = 0; round < 7; round++) {
        const double start = now();
        for (int i = 0; i < repeats; i++)
            if (ops->factor(self, values, NULL) != TML_OK) return NAN;
        best = fmin(best, (now() - start) / repeats);
    }
    return best;
}

static double time_solve(const tml_linsolver_ops *ops, void *self, double *x, int repeats)
{
    double best = 1e300;
    for (int round = 0; round < 7; round++) {
        const double start = now();
        for (int i = 0; i < repeats; i++) {
            x[0] += 1;  // keeps the numbers from dying out
            ops->solve(self, x);
        }
        best = fmin(best, (now() - start) / repeats);
    }
    return best;
}

static void run(const tml_linsolver_ops *ops, graph_def g, const char *what)
{
    g.augmented = true;
    g.penalty = 1;
    tml_pattern *p = graph_pattern(&g, false);
    double *values = malloc((size_t)tmli_pattern_nnz(p) * sizeof *values);
    double *x = calloc((size_t)p->n, sizeof *x);
    rng r = rng_seed(5);
    graph_values(&g, p, &r, 0.01, values);
    void *self = NULL;
    tml_error err = {0};
    const double start = now();
    if (ops->create(p, NULL, &self, &err) != TML_OK) {
        printf("%s\n", err.msg);
        exit(1);
    }
    const double create = now() - start;
    const int repeats = 20000 / g.nbodies + 1;
    if (ops->factor(self, values, &err) != TML_OK) printf("%s\n", err.msg);
    const double factor = time_factor(ops, self, values, repeats), solve = time_solve(ops, self, x, repeats);
    tml_linsolver_info info;
    ops->info(self, &info);
    printf(
        "%-6s %-8s %6d links: create %8.3f ms, factor %7.3f us/link, solve %7.3f us/link, %6.0f flop/link\n",
        ops->name, what, (int)g.nbodies, 1e3 * create, 1e6 * factor / g.nbodies, 1e6 * solve / g.nbodies,
        info.flops_factor / g.nbodies);
    ops->destroy(self);
    free(values);
    free(x);
    tmli_pattern_destroy(p);
    graph_free(&g);
}

int main(void)
{
    const tml_linsolver_ops *solvers[] = {&tml_linsolver_klu, &tml_linsolver_block};
    const int32_t lengths[] = {10, 100, 1000, 10000};
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < 4; i++) run(solvers[s], graph_chain(lengths[i], 6, 5), "spatial");
        for (int i = 0; i < 4; i++) run(solvers[s], graph_chain(lengths[i], 3, 2), "planar");
    }
    return 0;
}

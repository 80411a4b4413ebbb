// The solvers that follow the topology, on symmetric matrices with uncoupled bodies: there they take their own way.
#include "linalg/graphs.h"

typedef struct problem {
    graph_def g;
    tml_pattern *p;
    double *values, *x, *b;
} problem;

static const tml_linsolver_ops *const own[] = {&tml_linsolver_reduced, &tml_linsolver_tree};

// The pattern keeps a pointer to q->g.
static void problem_fill(problem *q, graph_def g, uint64_t seed)
{
    rng r = rng_seed(seed);
    *q = (problem){.g = g};
    q->g.both = true;
    q->p = graph_pattern(&q->g, false);
    if (!q->p) fail_msg("no pattern");
    const size_t n = (size_t)q->p->n;
    q->values = malloc((size_t)tmli_pattern_nnz(q->p) * sizeof *q->values);
    q->x = malloc(n * sizeof *q->x);
    q->b = malloc(n * sizeof *q->b);
    graph_values(&q->g, q->p, &r, 0, q->values);
    graph_symmetrize(q->p, q->values);
    for (size_t i = 0; i < n; i++) q->x[i] = rng_range(&r, -1, 1);
    graph_multiply(q->p, q->values, q->x, q->b);
}

static void problem_free(problem *q)
{
    tmli_pattern_destroy(q->p);
    free(q->values);
    free(q->x);
    free(q->b);
    graph_free(&q->g);
}

static void *make_solver(const tml_linsolver_ops *ops, const tml_pattern *p)
{
    void *self = NULL;
    tml_error err = {0};
    if (ops->create(p, NULL, &self, &err) != TML_OK) fail_msg("%s: %s", ops->name, err.msg);
    return self;
}

static double solution_error(const tml_linsolver_ops *ops, void *self, const problem *q)
{
    tml_error err = {0};
    if (ops->factor(self, q->values, &err) != TML_OK) fail_msg("%s: %s", ops->name, err.msg);
    double *y = malloc((size_t)q->p->n * sizeof *y), worst = 0;
    memcpy(y, q->b, (size_t)q->p->n * sizeof *y);
    ops->solve(self, y);
    for (int32_t i = 0; i < q->p->n; i++) worst = fmax(worst, fabs(y[i] - q->x[i]));
    free(y);
    return worst;
}

static void check_solution(graph_def g, uint64_t seed)
{
    problem q;
    problem_fill(&q, g, seed);
    for (int s = 0; s < 2; s++) {
        void *self = make_solver(own[s], q.p);
        const double e = solution_error(own[s], self, &q), rcond = own[s]->rcond(self);
        assert_true(rcond > 0 && rcond <= 1);
        if (!(e <= 2000 * 2.2e-16 / rcond))
            fail_msg("%s: error %g, rcond %g, seed %d", own[s]->name, e, rcond, (int)seed);
        tml_linsolver_info info;
        own[s]->info(self, &info);
        assert_true(info.growth == 0);  // not known on the own way; block LU would give it
        assert_true(info.flops_factor > 0 && info.nonzeros_factor > 0);
        own[s]->destroy(self);
    }
    problem_free(&q);
}

static void test_graphs(void **state)
{
    (void)state;
    const int32_t sizes[][2] = {{6, 5}, {3, 2}, {1, 1}, {6, 3}, {6, 1}, {2, 2},
                                {4, 3}, {6, 6}, {5, 4}, {7, 3}, {9, 8}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int32_t nb = sizes[i][0], nj = sizes[i][1];
        for (uint64_t seed = 1; seed <= 3; seed++) {
            check_solution(graph_chain(17, nb, nj), seed);
            check_solution(graph_star(13, nb, nj), seed);
            if (nb >= 3) check_solution(graph_grid(4, 3, nb, 1), seed);
            if (nj < nb) check_solution(graph_ring(11, nb, nj), seed);
            check_solution(graph_alloc(3, 0, nb, 0), seed);
        }
    }
}

static graph_def random_graph(rng *r)
{
    const int32_t nb = 3 + (int32_t)(12 * rng_unit(r)), cuts = (int32_t)(nb / 2 * rng_unit(r));
    graph_def g = graph_alloc(nb, nb + cuts, 6, 1);
    for (int32_t b = 0; b < nb; b++) g.sizes[b] = 2 + (int32_t)(5 * rng_unit(r));
    for (int32_t k = 0; k < nb + cuts; k++) {
        g.a[k] = k < nb ? k : k - nb;  // a freedom of its own for each cut joint: none is redundant
        g.b[k] = (int32_t)((k < nb ? k + 1 : nb + 1) * rng_unit(r)) - 1;
        if (g.b[k] == g.a[k]) g.b[k] = -1;
        g.sizes[nb + k] = k < nb ? 1 + (int32_t)(rng_unit(r) * (g.sizes[k] - 1)) : 1;
    }
    return g;
}

static void test_random_trees_and_loops(void **state)
{
    (void)state;
    rng r = rng_seed(31);
    for (uint64_t trial = 0; trial < 300; trial++) check_solution(random_graph(&r), trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_random_trees_and_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

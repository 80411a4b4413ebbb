// The kernels on fronts that this processor can run: each solves what is known, and all agree.
#include "linalg/block/block_lu.h"
#include "linalg/graphs.h"

// Worst |x - x known| with the kernels of a number.
static double error_with(int number, const tml_pattern *p, const double *values, const double *x)
{
    tmli_blocklu s = {0};
    tml_error err = {0};
    if (tmli_blocklu_init(&s, p, "test", NULL, &err) != TML_OK) fail_msg("%s", err.msg);
    s.kernels = tmli_front_kernels_of(number);
    if (tmli_blocklu_factor(&s, values, &err) != TML_OK) fail_msg("%s", err.msg);
    double *y = malloc((size_t)p->n * sizeof *y), worst = 0;
    graph_multiply(p, values, x, y);
    tmli_blocklu_solve(&s, y);
    for (int32_t i = 0; i < p->n; i++) worst = fmax(worst, fabs(y[i] - x[i]));
    free(y);
    tmli_blocklu_clear(&s);
    return worst;
}

static void try_graph(graph_def g, uint64_t seed)
{
    g.augmented = true;
    g.penalty = 1.3;
    rng r = rng_seed(seed);
    tml_pattern *p = graph_pattern(&g, false);
    assert_non_null(p);
    double *values = malloc((size_t)tmli_pattern_nnz(p) * sizeof *values),
           *x = malloc((size_t)p->n * sizeof *x);
    graph_values(&g, p, &r, 0.02, values);
    for (int32_t i = 0; i < p->n; i++) x[i] = rng_range(&r, -1, 1);
    for (int k = 0; tmli_front_kernels_of(k); k++) {
        const double error = error_with(k, p, values, x);
        if (!(error < 1e-10)) fail_msg("kernels %d, %d unknowns: error %g", k, (int)p->n, error);
    }
    free(values);
    free(x);
    tmli_pattern_destroy(p);
    graph_free(&g);
}

// Fronts of all sizes: of chains, which have kernels of constant size, and up to those that use BLAS.
static void test_all_kernels(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        try_graph(graph_chain(20, 3, 2), seed);
        try_graph(graph_chain(20, 6, 5), seed);
        for (int32_t nb = 1; nb <= 7; nb++)
            for (int32_t nj = 1; nj <= nb; nj++) try_graph(graph_star(9, nb, nj), seed);
        try_graph(graph_grid(9, 9, 6, 1), seed);
    }
}

static void test_choice(void **state)
{
    (void)state;
    graph_def g = graph_chain(3, 3, 2);
    tml_pattern *p = graph_pattern(&g, false);
    tmli_blocklu s = {0};
    assert_int_equal(tmli_blocklu_init(&s, p, "test", NULL, NULL), TML_OK);
    int count = 0;
    while (tmli_front_kernels_of(count)) count++;
    assert_true(count > 0);
    assert_ptr_equal(s.kernels, tmli_front_kernels_of(count - 1));
    assert_null(tmli_front_kernels_of(-1));
    print_message("%d kinds of kernels\n", count);
    tmli_blocklu_clear(&s);
    tmli_pattern_destroy(p);
    graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kernels),
        cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

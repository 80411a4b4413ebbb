// Wide patterns: structure entry by entry, places, and a complex system solved as a real one by every solver.
#include "linalg/graphs.h"
#include "linalg/pattern/expand.h"

static graph_def some_graph(void)
{
    graph_def g = graph_ring(5, 3, 2);
    g.sizes[1] = 6;
    g.sizes[7] = 1;
    g.augmented = true;
    g.penalty = 0.7;
    return g;
}

static void test_structure(void **state)
{
    (void)state;
    graph_def g = some_graph();
    tml_pattern *base = graph_pattern(&g, false);
    for (int times = 1; times <= 4; times++) {
        tml_pattern *wide = NULL;
        assert_int_equal(tmli_pattern_expand(base, times, NULL, &wide, NULL), TML_OK);
        assert_int_equal(wide->n, times * base->n);
        assert_int_equal(tmli_pattern_nnz(wide), times * times * tmli_pattern_nnz(base));
        assert_int_equal(wide->nblocks, base->nblocks);
        for (int32_t b = 0; b <= base->nblocks; b++) {
            assert_int_equal(wide->blockptr[b], times * base->blockptr[b]);
            assert_int_equal(wide->afterptr[b], base->afterptr[b]);
        }
        assert_memory_equal(wide->multiplier, base->multiplier, (size_t)base->nblocks);
        assert_memory_equal(wide->afterind, base->afterind,
                            (size_t)base->afterptr[base->nblocks] * sizeof *base->afterind);
        char buf[TMLI_BLOCK_NAME];
        assert_string_equal(tmli_pattern_block_name(wide, 6, buf), "joint 'j1'");
        for (int32_t j = 0; j < base->n; j++)
            for (int32_t p = base->colptr[j]; p < base->colptr[j + 1]; p++)
                for (int a = 0; a < times; a++)
                    for (int b = 0; b < times; b++)
                        assert_int_equal(tmli_pattern_expand_at(base, wide, times, j, p, a, b),
                                         tmli_pattern_find(wide, base->rowind[p] * times + a, j * times + b));
        tmli_pattern_destroy(wide);
    }
    tmli_pattern_destroy(base);
    graph_free(&g);
}

// (A + i C) z = y with A as in graphs.h and C a tenth of another such matrix: entry (i, j) becomes [a -c; c
// a].
static void test_complex_solve(void **state)
{
    (void)state;
    graph_def g = some_graph();
    tml_pattern *base = graph_pattern(&g, true), *wide = NULL;
    assert_int_equal(tmli_pattern_expand(base, 2, NULL, &wide, NULL), TML_OK);
    const size_t nnz = (size_t)tmli_pattern_nnz(base), n = (size_t)wide->n;
    double *re = calloc(nnz, sizeof *re), *im = calloc(nnz, sizeof *im),
           *values = calloc(4 * nnz, sizeof *values);
    double *x = calloc(3 * n, sizeof *x), *y = x + n, *z = y + n;
    rng r = rng_seed(11);
    graph_values(&g, base, &r, 0.02, re);
    graph_values(&g, base, &r, 0.02, im);
    for (int32_t j = 0; j < base->n; j++)
        for (int32_t p = base->colptr[j]; p < base->colptr[j + 1]; p++)
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++)
                    values[tmli_pattern_expand_at(base, wide, 2, j, p, a, b)] =
                        a == b ? re[p] : (a ? 0.1 : -0.1) * im[p];
    for (size_t i = 0; i < n; i++) x[i] = rng_range(&r, -1, 1);
    for (int32_t j = 0; j < base->n; j++)  // y by complex arithmetic on the base
        for (int32_t p = base->colptr[j]; p < base->colptr[j + 1]; p++) {
            const double a = re[p], c = 0.1 * im[p];
            y[2 * base->rowind[p]] += a * x[2 * j] - c * x[2 * j + 1];
            y[2 * base->rowind[p] + 1] += c * x[2 * j] + a * x[2 * j + 1];
        }
    for (int s = 0; tml_linsolvers[s]; s++) {
        void *self = NULL;
        tml_error err = {0};
        assert_int_equal(tml_linsolvers[s]->create(wide, NULL, &self, &err), TML_OK);
        assert_int_equal(tml_linsolvers[s]->factor(self, values, &err), TML_OK);
        memcpy(z, y, n * sizeof *z);
        tml_linsolvers[s]->solve(self, z);
        for (size_t i = 0; i < n; i++)
            CHECK_CLOSE(z[i], x[i], 1e-12);  // round-off times a condition of some 100
        tml_linsolvers[s]->destroy(self);
    }
    free(re);
    free(im);
    free(values);
    free(x);
    tmli_pattern_destroy(wide);
    tmli_pattern_destroy(base);
    graph_free(&g);
}

static void *failing_alloc(size_t bytes, void *user)
{
    long *left = user;
    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void plain_free(void *ptr, void *user)
{
    (void)user;
    free(ptr);
}

static void test_refused(void **state)
{
    (void)state;
    graph_def g = some_graph();
    tml_pattern *base = graph_pattern(&g, false), *wide = base;
    tml_error err = {0};
    assert_int_equal(tmli_pattern_expand(base, 0, NULL, &wide, &err), TML_ERR_ARG);
    assert_null(wide);
    assert_int_equal(tmli_pattern_expand(base, 30000, NULL, &wide, &err), TML_ERR_ARG);
    tml_status st = TML_ERR_NOMEM;
    for (long k = 0; st != TML_OK; k++) {
        long left = k;
        const tml_env env = {.alloc = failing_alloc, .free = plain_free, .user = &left};
        st = tmli_pattern_expand(base, 2, &env, &wide, NULL);
        assert_true(st == TML_OK || (st == TML_ERR_NOMEM && !wide));
        assert_true(k < 100);
        tmli_pattern_destroy(wide);
    }
    tmli_pattern_destroy(base);
    graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_complex_solve),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The pattern builder, places in the value array, and the order of elimination against brute force.
#include "linalg/graphs.h"
#include "linalg/pattern/order.h"

static const int32_t sizes[] = {3, 1, 6, 2, 5};
static const uint8_t kinds[] = {0, 1, 0, 1, 1};
static const int32_t edges[] = {1, 0, 2, 1, 0, 1, 3, 2, 4, 2, 4, 0, 2, 2};  // with a duplicate and a loop

static void test_build(void **state)
{
    (void)state;
    tml_pattern *p = NULL;
    assert_int_equal(tmli_pattern_create(5, sizes, kinds, 7, edges, NULL, NULL, NULL, NULL, NULL, &p, NULL),
                     TML_OK);
    assert_int_equal(p->n, 17);
    bool coupled[5][5] = {{false}};
    for (int e = 0; e < 7; e++)
        coupled[edges[2 * e]][edges[2 * e + 1]] = coupled[edges[2 * e + 1]][edges[2 * e]] = true;
    int32_t count = 0;
    for (int32_t j = 0; j < p->n; j++) {
        tml_pattern plain = *p;  // a caller's own has no table of blocks
        plain.block = NULL;
        const int32_t bj = tmli_pattern_block_of(p, j);
        assert_int_equal(tmli_pattern_block_of(&plain, j), bj);
        assert_true(p->blockptr[bj] <= j && j < p->blockptr[bj + 1]);
        for (int32_t i = 0; i < p->n; i++) {
            const int32_t bi = tmli_pattern_block_of(p, i), k = tmli_pattern_find(p, i, j);
            assert_int_equal(k >= 0, bi == bj || coupled[bi][bj]);
            if (k < 0) continue;
            assert_int_equal(k, count++);  // ascending rows, no gaps
            assert_int_equal(p->rowind[k], i);
        }
        assert_int_equal(p->colptr[j + 1], count);
    }
    assert_int_equal(tmli_pattern_nnz(p), count);
    assert_int_equal(tmli_pattern_find(p, 17, 0), -1);
    assert_int_equal(tmli_pattern_find(p, 0, -1), -1);
    char buf[TMLI_BLOCK_NAME];
    assert_string_equal(tmli_pattern_block_name(p, 3, buf), "block 3");
    tmli_pattern_destroy(p);
    tmli_pattern_destroy(NULL);
}

static void test_refused(void **state)
{
    (void)state;
    tml_pattern *p = NULL;
    tml_error err = {0};
    const int32_t zero_size[] = {3, 0, 6, 2, 5}, far_edge[] = {0, 5};
    assert_int_equal(tmli_pattern_create(0, sizes, kinds, 0, NULL, NULL, NULL, NULL, NULL, NULL, &p, &err),
                     TML_ERR_ARG);
    assert_int_equal(
        tmli_pattern_create(5, zero_size, kinds, 0, NULL, NULL, NULL, NULL, NULL, NULL, &p, &err),
        TML_ERR_ARG);
    assert_int_equal(
        tmli_pattern_create(5, sizes, kinds, 1, far_edge, NULL, NULL, NULL, NULL, NULL, &p, &err),
        TML_ERR_ARG);
    const int32_t on_body[] = {0, 1, 1, 1, 1, 1}, body_rule[] = {1};  // body 0 waits for joint 1
    assert_int_equal(
        tmli_pattern_create(5, sizes, kinds, 7, edges, on_body, body_rule, NULL, NULL, NULL, &p, &err),
        TML_ERR_ARG);
    const int32_t ptr[] = {0, 0, 1, 1, 2, 3}, circle[] = {3, 4, 1};  // 1 after 3 after 4 after 1
    assert_int_equal(tmli_pattern_create(5, sizes, kinds, 7, edges, ptr, circle, NULL, NULL, NULL, &p, &err),
                     TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "circle"));
    assert_null(p);
    const int32_t fine[] = {3, 4, 2};
    assert_int_equal(tmli_pattern_create(5, sizes, kinds, 7, edges, ptr, fine, NULL, NULL, NULL, &p, &err),
                     TML_OK);
    tmli_pattern_destroy(p);
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

static void test_allocation_failures(void **state)
{
    (void)state;
    tml_status st = TML_ERR_NOMEM;
    const int32_t ptr[] = {0, 0, 1, 1, 2, 3}, fine[] = {3, 4, 2};
    for (long k = 0; st != TML_OK; k++) {
        long left = k;
        const tml_env env = {.alloc = failing_alloc, .free = plain_free, .user = &left};
        tml_pattern *p = NULL;
        st = tmli_pattern_create(5, sizes, kinds, 7, edges, ptr, fine, NULL, NULL, &env, &p, NULL);
        assert_true(st == TML_OK || (st == TML_ERR_NOMEM && !p));
        assert_true(k < 100);
        tmli_pattern_destroy(p);
    }
}

// Elimination on a dense adjacency matrix in the order given; the structure and the rules must agree.
static void check_order(const tml_pattern *p)
{
    tmli_order o = {0};
    assert_int_equal(tmli_order_init(&o, p, false, INFINITY, NULL, NULL), TML_OK);
    const size_t nb = (size_t)p->nblocks;
    bool *adj = calloc(nb * nb, sizeof *adj), *done = calloc(nb, sizeof *done);
    for (size_t i = 0; i < nb; i++)
        for (size_t j = 0; j < nb; j++)
            adj[i * nb + j] = i != j && tmli_pattern_find(p, p->blockptr[i], p->blockptr[j]) >= 0;
    for (size_t k = 0; k < nb; k++) {
        const size_t b = (size_t)o.perm[k];
        assert_false(done[b]);
        for (int32_t r = p->afterptr[b]; r < p->afterptr[b + 1]; r++) assert_true(done[p->afterind[r]]);
        done[b] = true;
        size_t count = 0;
        for (size_t i = 0; i < nb; i++) {
            if (!adj[b * nb + i] || done[i]) continue;
            count++;
            for (size_t j = 0; j < nb; j++)
                if (j != i && adj[b * nb + j] && !done[j]) adj[i * nb + j] = true;
        }
        assert_int_equal(o.ptr[k + 1] - o.ptr[k], count);
        for (size_t i = o.ptr[k]; i < o.ptr[k + 1]; i++)
            assert_true(adj[b * nb + (size_t)o.ind[i]] && !done[o.ind[i]]);
    }
    free(adj);
    free(done);
    tmli_order_clear(&o, NULL);
}

static void test_order(void **state)
{
    (void)state;
    rng r = rng_seed(3);
    for (int trial = 0; trial < 60; trial++) {
        graph_def g = graph_alloc(12, 16, 6, 2);
        for (int32_t k = 0; k < g.njoints; k++) {
            g.a[k] = (int32_t)(12 * rng_unit(&r));
            g.b[k] = trial % 3 ? (g.a[k] + 1 + (int32_t)(11 * rng_unit(&r))) % 12 : -1;
            g.sizes[12 + k] = 1 + (int32_t)(3 * rng_unit(&r));
        }
        g.augmented = trial % 2;
        tml_pattern *p = graph_pattern(&g, trial % 5 == 0);
        assert_non_null(p);
        check_order(p);
        tmli_pattern_destroy(p);
        graph_free(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

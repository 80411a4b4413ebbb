// The spanning tree: preference by rank, depth and order, directions, roots, and where paths meet.
#include "linalg/pattern/spanning_tree.h"
#include "support/support.h"

enum { G = TMLI_GROUND, MAX_VERTICES = 40, MAX_EDGES = 90 };

static tmli_tree_edge both_ways(int32_t a, int32_t b, int32_t rank)
{
    return (tmli_tree_edge){.vertex = {a, b}, .can_be_child = {true, true}, .rank = rank};
}

static void check_tree(const tmli_tree_graph *g, const int32_t *parent, const int32_t *edge)
{
    tmli_arena arena = {0};
    tmli_tree t;
    assert_true(tmli_tree_grow(&t, g, &arena));
    for (int32_t v = 0; v < g->nvertices; v++) {
        assert_int_equal(t.parent[v], parent[v]);
        assert_int_equal(t.edge[v], edge[v]);
        assert_int_equal(t.depth[v], parent[v] == G ? 1 : t.depth[parent[v]] + 1);
    }
    tmli_arena_clear(&arena);
}

// Vertex 2 can be reached by an edge of rank 1 from the ground or of rank 3 from vertex 1.
static void test_rank(void **state)
{
    (void)state;
    const tmli_tree_edge edge[] = {both_ways(2, G, 1), both_ways(G, 0, 2), both_ways(1, 0, 2),
                                   both_ways(1, 2, 3)};
    const int32_t roots[] = {0, 1, 2};
    const tmli_tree_graph g = {3, 4, edge, roots, false};
    check_tree(&g, (int32_t[]){G, 0, 1}, (int32_t[]){1, 2, 3});
}

// Edges of rank 5 lead to a deep vertex 1 first; vertex 3 then has two edges of rank 1, from 1 (depth 2,
// found first) and from 2 (depth 1).
static void test_depth(void **state)
{
    (void)state;
    const tmli_tree_edge edge[] = {both_ways(0, G, 5), both_ways(0, 1, 5), both_ways(2, G, 4),
                                   both_ways(3, 1, 1), both_ways(3, 2, 1)};
    const int32_t roots[] = {0, 1, 2, 3};
    tmli_tree_graph g = {4, 5, edge, roots, false};
    check_tree(&g, (int32_t[]){G, 0, G, 1}, (int32_t[]){0, 1, 2, 3});
    g.shallow = true;
    check_tree(&g, (int32_t[]){G, 0, G, 2}, (int32_t[]){0, 1, 2, 4});
}

// Vertex 1 cannot hang on 0, so it becomes a root, and before 2, which hangs on it.
static void test_roots(void **state)
{
    (void)state;
    tmli_tree_edge edge[] = {both_ways(0, G, 1), both_ways(0, 1, 1), both_ways(2, 1, 1), both_ways(G, G, 1)};
    edge[1].can_be_child[1] = false;
    const int32_t roots[] = {0, 1, 2};
    const tmli_tree_graph g = {3, 4, edge, roots, false};
    check_tree(&g, (int32_t[]){G, G, 1}, (int32_t[]){0, -1, 2});
}

// Equal ranks: depths are those of a breadth-first search, the least possible. Paths meet in the deepest
// common ancestor.
static void test_breadth_first(void **state)
{
    (void)state;
    rng r = rng_seed(11);
    for (int trial = 0; trial < 200; trial++) {
        tmli_tree_edge edge[MAX_EDGES];
        int32_t roots[MAX_VERTICES], best[MAX_VERTICES];
        for (int e = 0; e < MAX_EDGES; e++)
            edge[e] = both_ways((int32_t)rng_range(&r, -1, MAX_VERTICES),
                                (int32_t)(rng_unit(&r) * MAX_VERTICES), 3);
        for (int v = 0; v < MAX_VERTICES; v++) roots[v] = v, best[v] = MAX_VERTICES + 1;
        const tmli_tree_graph g = {MAX_VERTICES, MAX_EDGES, edge, roots, false};
        tmli_arena arena = {0};
        tmli_tree t;
        assert_true(tmli_tree_grow(&t, &g, &arena));
        for (int v = 0; v < MAX_VERTICES; v++)
            if (t.edge[v] < 0) best[v] = 1;
        for (int round = 0; round < MAX_VERTICES; round++)
            for (int e = 0; e < MAX_EDGES; e++)
                for (int side = 0; side < 2; side++) {
                    const int32_t v = edge[e].vertex[side], u = edge[e].vertex[1 - side];
                    const int32_t depth = (u == G ? 0 : best[u]) + 1;
                    if (v != G && depth < best[v]) best[v] = depth;
                }
        for (int v = 0; v < MAX_VERTICES; v++) assert_int_equal(t.depth[v], best[v]);
        for (int32_t a = 0; a < MAX_VERTICES; a++)
            for (int32_t b = 0; b < MAX_VERTICES; b++) {
                int32_t common = a;
                for (bool found = false; common != G && !found; common = found ? common : t.parent[common])
                    for (int32_t x = b; x != G && !found; x = t.parent[x]) found = x == common;
                assert_int_equal(tmli_tree_meet(&t, a, b), common);
            }
        assert_int_equal(tmli_tree_meet(&t, G, 0), G);
        tmli_arena_clear(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_breadth_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Cells find the pairs that are near, each once, in an order that depends on the places alone.
#include "element/contact/grid.h"
#include "support/support.h"

enum { COUNT = 150 };

typedef struct found {
    int times[COUNT][COUNT];
    int sequence;
    uint64_t order;  // hash of the sequence
} found;

static void note(int i, int j, void *user)
{
    found *f = user;
    assert_true(i != j && i >= 0 && j >= 0 && i < COUNT && j < COUNT);
    f->times[i > j ? i : j][i > j ? j : i]++;
    f->order = f->order * 1000003u + (uint64_t)(i * COUNT + j);
}

static void near_pairs(void **state)
{
    (void)state;
    rng r = rng_seed(3);
    static unsigned char memory[100000];
    static found f, again;
    assert_true(tmli_grid_bytes(COUNT) <= sizeof memory);
    for (int round = 0; round < 20; round++) {
        const double size = round % 3 == 0 ? 0.4 : 3, cell = 0.31;
        vec3 c[COUNT];
        for (int i = 0; i < COUNT; i++)
            c[i] = v3(rng_range(&r, -size, size), rng_range(&r, -size, size), rng_range(&r, -size, size));
        c[7] = v3(1e300, -INFINITY, 0);  // flown off
        memset(&f, 0, sizeof f);
        memset(&again, 0, sizeof again);
        tmli_grid g = tmli_grid_in(memory, COUNT, cell);
        tmli_grid_fill(&g, c);
        tmli_grid_pairs(&g, note, &f);
        for (int i = 0; i < COUNT; i++)
            for (int j = 0; j < i; j++) {
                assert_true(f.times[i][j] <= 1);
                const bool near = i != 7 && j != 7 && v3_norm(v3_sub(c[i], c[j])) <= cell;
                if (near && f.times[i][j] != 1) fail_msg("round %d: pair %d %d not found", round, i, j);
            }
        memset(memory, 0xA5, sizeof memory);
        g = tmli_grid_in(memory, COUNT, cell);
        tmli_grid_fill(&g, c);
        tmli_grid_pairs(&g, note, &again);
        assert_true(again.order == f.order);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Cells find the pairs that are near, each once, in an order that depends on the places alone.
#include "element/contact/near.h"
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

// Spheres of other sizes that move about.
typedef struct crowd {
    vec3 centre[COUNT];
    double radius[COUNT];
    found *found;
} crowd;

static bool touch(const crowd *c, int i, int j)
{
    return v3_norm(v3_sub(c->centre[i], c->centre[j])) <= c->radius[i] + c->radius[j];
}

static void note_touching(int i, int j, void *user)
{
    const crowd *c = user;
    if (touch(c, i, j)) note(i, j, c->found);
}

static void visit_list(crowd *c, void *memory, found *f)
{
    tmli_near l = tmli_near_in(memory, COUNT, 0.4);
    memset(f, 0, sizeof *f);
    c->found = f;
    tmli_near_pairs(&l, c->centre, c->radius, note_touching, c);
}

// A list that was made at other places gives the same pairs in the same order as a new one.
static void kept_list(void **state)
{
    (void)state;
    rng r = rng_seed(11);
    static double kept[5000], fresh[5000];
    static found f, again;
    crowd c;
    assert_true(tmli_near_bytes(COUNT) <= sizeof kept);
    int made = 0, touching = 0;
    for (int i = 0; i < COUNT; i++) {
        c.centre[i] = v3(rng_range(&r, -0.6, 0.6), rng_range(&r, -0.6, 0.6), rng_range(&r, -0.6, 0.6));
        c.radius[i] = rng_range(&r, 0.02, 0.2);
    }
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < COUNT; i++)
            c.centre[i] = v3_add(c.centre[i], v3(rng_range(&r, -3e-3, 3e-3), rng_range(&r, -3e-3, 3e-3),
                                                 rng_range(&r, -3e-3, 3e-3)));
        if (round == 120) c.centre[7] = v3(1e300, -INFINITY, 0);  // flown off
        const tmli_near before = tmli_near_in(kept, COUNT, 0.4);
        const double at = before.at[3].x;
        visit_list(&c, kept, &f);
        made += before.at[3].x != at;
        memset(fresh, 0, sizeof fresh);
        visit_list(&c, fresh, &again);
        assert_true(again.order == f.order);
        for (int i = 0; i < COUNT; i++)
            for (int j = 0; j < i; j++) {
                assert_int_equal(f.times[i][j], touch(&c, i, j));
                touching += f.times[i][j];
            }
    }
    assert_true(made > 2 && made < 100);
    assert_true(touching > 1000);
}

// More pairs than a list has room for.
static void heap(void **state)
{
    (void)state;
    static double memory[5000];
    static found f;
    crowd c;
    memset(memory, 0, sizeof memory);
    for (int i = 0; i < COUNT; i++) {
        c.centre[i] = v3(1e-3 * i, 0, 0);
        c.radius[i] = 0.2;
    }
    visit_list(&c, memory, &f);
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < i; j++) assert_int_equal(f.times[i][j], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_pairs), cmocka_unit_test(kept_list),
                                       cmocka_unit_test(heap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

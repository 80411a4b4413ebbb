// Fields of an object by their table: creation, release, archives.
#include "base/layout.h"
#include "support.h"

enum { PLACES = 3, OBJECTS = 4 };

typedef struct point {
    double t;
    double *v;
} point;

typedef struct thing {
    void *memory;
    double first, middle, last;
    long count;
    int index;
    bool flag, other_flag;
    void *made[2];
    double *a, *b;
    double *scratch;
    double *place[PLACES];
    int *pivot;
    point point[2];
} thing;

static int alive, refuse;  // objects, and how many may be created

static tml_status create_object(const void *system, void **out, tml_error *err)
{
    if (refuse-- <= 0) return tmli_no_memory(err, "object");
    alive++;
    *out = (void *)(uintptr_t)system;
    return TML_OK;
}

static void destroy_object(void *object, const void *system)
{
    if (object) alive--;
    assert_true(!object || object == system);
}

static const tmli_object_kind OBJECT = {create_object, destroy_object, NULL};
static const tmli_span POINT[] = {TMLI_NUMBERS(point, t, t), TMLI_KEPT(point, v, v, TMLI_BY_N, 2), {0}};
static const tmli_fields FIELDS = {
    "thing", offsetof(thing, memory),
    (const tmli_span[]){TMLI_NUMBERS(thing, first, last),
                        TMLI_NUMBERS(thing, count, count),
                        TMLI_INDICES(thing, index, index, -1, TMLI_BY_M, -1),
                        TMLI_NUMBERS(thing, flag, other_flag),
                        TMLI_OBJECTS(thing, made, made, &OBJECT, false),
                        TMLI_KEPT(thing, a, b, TMLI_BY_N, 1),
                        TMLI_SCRATCH(thing, scratch, scratch, TMLI_BY_M, 2),
                        TMLI_KEPT_FIRST(thing, place, TMLI_BY_OWN, TMLI_BY_M, 1),
                        TMLI_KEPT_INDICES(thing, pivot, pivot, TMLI_BY_M),
                        TMLI_PARTS(thing, point[0], point, POINT),
                        {0}}};
static const tmli_sizes SIZES = {.system = &alive,
                                 .of = {[TMLI_BY_N] = 3, [TMLI_BY_M] = 5, [TMLI_BY_OWN] = 2}};

static void fill(thing *x)
{
    x->first = 1;
    x->middle = 2;
    x->last = 3;
    x->count = 4;
    x->index = 4;
    x->other_flag = true;
    for (int i = 0; i < 3; i++) {
        x->a[i] = 10 + i;
        x->b[i] = 20 + i;
    }
    for (int i = 0; i < 10; i++) x->scratch[i] = 30 + i;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 5; i++) x->place[k][i] = 40 + 5 * k + i;
    for (int i = 0; i < 5; i++) x->pivot[i] = i;
    for (int k = 0; k < 2; k++) {
        x->point[k].t = 50 + k;
        for (int i = 0; i < 6; i++) x->point[k].v[i] = 60 + 6 * k + i;
    }
}

static void arrays_do_not_overlap(void **unused)
{
    (void)unused;
    tml_error err = {0};
    thing x = {0};
    refuse = OBJECTS;
    assert_int_equal(tmli_fields_create(&FIELDS, &SIZES, &x, &err), TML_OK);
    assert_int_equal(alive, 2);
    assert_true(x.made[1] == &alive);
    assert_null(x.place[2]);
    for (int i = 0; i < 10; i++) assert_true(x.scratch[i] == 0);
    fill(&x);
    assert_true(x.a[2] == 12 && x.b[2] == 22 && x.scratch[9] == 39 && x.place[1][4] == 49);
    assert_true(x.pivot[4] == 4 && x.point[0].v[5] == 65 && x.point[1].v[5] == 71);
    tmli_fields_clear(&FIELDS, &SIZES, &x);
    assert_int_equal(alive, 0);
    assert_null(x.memory);
    tmli_fields_clear(&FIELDS, &SIZES, &x);  // of nothing
}

static void what_is_kept_returns(void **unused)
{
    (void)unused;
    tml_error err = {0};
    tml_archive a = {0};
    thing x = {0}, y = {0};
    refuse = OBJECTS;
    assert_int_equal(tmli_fields_create(&FIELDS, &SIZES, &x, &err), TML_OK);
    assert_int_equal(tmli_fields_create(&FIELDS, &SIZES, &y, &err), TML_OK);
    fill(&x);
    assert_int_equal(tmli_archive_begin(&a, NULL, &err), TML_OK);
    tmli_fields_archive(&FIELDS, &SIZES, &x, &a);
    assert_int_equal(tmli_archive_end(&a, &err), TML_OK);
    tml_archive b = {0};
    assert_int_equal(tmli_archive_open(&b, a.data, a.size, &err), TML_OK);
    tmli_fields_archive(&FIELDS, &SIZES, &y, &b);
    assert_int_equal(tmli_archive_close(&b, &err), TML_OK);
    assert_true(y.first == 1 && y.middle == 2 && y.last == 3 && y.count == 4 && y.index == 4);
    assert_true(!y.flag && y.other_flag && y.a[0] == 10 && y.b[2] == 22 && y.scratch[3] == 0);
    assert_true(y.place[1][0] == 45 && y.pivot[3] == 3 && y.point[1].t == 51 && y.point[1].v[0] == 66);
    tmli_archive_clear(&a);
    tmli_fields_clear(&FIELDS, &SIZES, &x);
    tmli_fields_clear(&FIELDS, &SIZES, &y);
}

// An archive with a number out of its range is refused.
static void refuses(void (*spoil)(thing *x))
{
    tml_error err = {0};
    tml_archive a = {0}, b = {0};
    thing x = {0};
    refuse = OBJECTS;
    assert_int_equal(tmli_fields_create(&FIELDS, &SIZES, &x, &err), TML_OK);
    fill(&x);
    spoil(&x);
    assert_int_equal(tmli_archive_begin(&a, NULL, &err), TML_OK);
    tmli_fields_archive(&FIELDS, &SIZES, &x, &a);
    assert_int_equal(tmli_archive_end(&a, &err), TML_OK);
    assert_int_equal(tmli_archive_open(&b, a.data, a.size, &err), TML_OK);
    tmli_fields_archive(&FIELDS, &SIZES, &x, &b);
    assert_int_equal(tmli_archive_close(&b, &err), TML_ERR_IO);
    tmli_archive_clear(&a);
    tmli_fields_clear(&FIELDS, &SIZES, &x);
}

static void large_index(thing *x) { x->index = 5; }
static void small_index(thing *x) { x->index = -2; }
static void large_pivot(thing *x) { x->pivot[2] = 6; }

static void indices_have_a_range(void **unused)
{
    (void)unused;
    refuses(large_index);
    refuses(small_index);
    refuses(large_pivot);
}

static void a_failure_leaves_nothing(void **unused)
{
    (void)unused;
    tml_error err = {0};
    thing x = {0};
    refuse = 1;
    assert_int_equal(tmli_fields_create(&FIELDS, &SIZES, &x, &err), TML_ERR_NOMEM);
    assert_int_equal(alive, 1);
    tmli_fields_clear(&FIELDS, &SIZES, &x);
    assert_int_equal(alive, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_do_not_overlap), cmocka_unit_test(what_is_kept_returns),
        cmocka_unit_test(indices_have_a_range), cmocka_unit_test(a_failure_leaves_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

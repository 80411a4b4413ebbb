// Streams into memory: all of the text, or an error.
#include "base/stream.h"
#include "support.h"

typedef struct limit {
    int left;  // allocations that succeed
    int blocks;
} limit;

static void *alloc_limited(size_t size, void *user)
{
    limit *l = user;
    if (l->left-- <= 0) return NULL;
    l->blocks++;
    return malloc(size);
}

static void free_counted(void *p, void *user)
{
    limit *l = user;
    l->blocks--;
    free(p);
}

enum { WORDS = 20000 };

// The text of WORDS numbers by a stream whose allocations after some fail.
static int print(int allocations, char **text, size_t *size, limit *l, tml_env *env)
{
    *l = (limit){.left = allocations};
    *env = (tml_env){.alloc = alloc_limited, .free = free_counted, .user = l};
    FILE *f = tmli_memory_stream(env, text, size);
    if (!f) return -2;
    for (int i = 0; i < WORDS; i++) fprintf(f, "%d ", i);
    return fclose(f);
}

static void text_is_whole_or_missing(void **unused)
{
    (void)unused;
    char *whole, *text;
    size_t size, length;
    limit l, few;
    tml_env env, other;
    assert_int_equal(print(1000, &whole, &size, &l, &env), 0);
    assert_int_equal(strlen(whole), size);
    assert_memory_equal(whole, "0 1 2 3 ", 8);
    assert_string_equal(whole + size - 12, "19998 19999 ");
    int failed = 0;
    for (int n = 0;; n++) {
        const int status = print(n, &text, &length, &few, &other);
        if (status == 0) break;
        assert_null(text);
        assert_int_equal(length, 0);
        assert_int_equal(few.blocks, 0);
        failed++;
    }
    assert_true(failed > 4);  // the stream itself, its block, and each time that this grew
    assert_int_equal(length, size);
    assert_string_equal(text, whole);
    tmli_free(&other, text);
    tmli_free(&env, whole);
    assert_int_equal(l.blocks, 0);
    assert_int_equal(few.blocks, 0);
}

static void nothing_is_an_empty_text(void **unused)
{
    (void)unused;
    char *text;
    size_t size = 7;
    FILE *f = tmli_memory_stream(NULL, &text, &size);
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    assert_string_equal(text, "");
    assert_int_equal(size, 0);
    free(text);
}

static void a_reserve_is_there_or_not(void **unused)
{
    (void)unused;
    assert_true(tmli_spare(1000));
    if (!getenv("TRAMMEL_SLOW_BUILD")) assert_false(tmli_spare(SIZE_MAX / 4));  // sanitizers end the process
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_whole_or_missing),
        cmocka_unit_test(nothing_is_an_empty_text),
        cmocka_unit_test(a_reserve_is_there_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

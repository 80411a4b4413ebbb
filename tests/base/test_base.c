// Errors, memory, arena, nearest names and locale-free numbers.
#define _POSIX_C_SOURCE 200809L
#include "base/base.h"
#include "support.h"

#include <float.h>
#include <locale.h>
#include <stdalign.h>

// ---- errors -----------------------------------------------------------------------------------------------

static void fail_fills_the_record(void **unused)
{
    (void)unused;
    tml_error err = {.line = 7, .col = 3, .file = "old"};
    assert_int_equal(tmli_fail(&err, TML_ERR_MODEL, "joint '%s': %d rows", "pin", 5), TML_ERR_MODEL);
    assert_int_equal(err.status, TML_ERR_MODEL);
    assert_string_equal(err.msg, "joint 'pin': 5 rows");
    assert_string_equal(err.file, "");  // a position of an earlier error does not linger
    assert_int_equal(err.line, 0);
    assert_int_equal(err.col, 0);
}

static void fail_at_keeps_the_position(void **unused)
{
    (void)unused;
    tml_error err = {0};
    const tml_mark at = {.file = "crank.yaml", .line = 14, .col = 9};
    assert_int_equal(tmli_fail_at(&err, TML_ERR_NAME, at, "body '%s' not found", "rodd"), TML_ERR_NAME);
    assert_string_equal(err.file, "crank.yaml");
    assert_int_equal(err.line, 14);
    assert_int_equal(err.col, 9);
    assert_string_equal(err.msg, "body 'rodd' not found");
}

static void append_adds_a_sentence(void **unused)
{
    (void)unused;
    tml_error err = {0};
    tmli_fail(&err, TML_ERR_NAME, "body 'rodd' not found.");
    tmli_error_append(&err, "Is it '%s'?", "rod");
    assert_string_equal(err.msg, "body 'rodd' not found. Is it 'rod'?");
}

static void long_texts_are_cut(void **unused)
{
    (void)unused;
    char text[3000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    tml_error err = {0};
    tmli_fail_at(&err, TML_ERR_SYNTAX, (tml_mark){.file = text, .line = 2, .col = 1}, "%s", text);
    assert_int_equal(strlen(err.msg), TML_ERROR_MSG - 1);
    assert_int_equal(strlen(err.file), TML_ERROR_FILE - 1);
    tmli_error_append(&err, "%s", text);
    assert_int_equal(strlen(err.msg), TML_ERROR_MSG - 1);

    text[TML_ERROR_MSG - 10] = 0;
    tmli_fail(&err, TML_ERR_SYNTAX, "%s", text);
    tmli_error_append(&err, "%s", "0123456789abcdef");
    assert_int_equal(strlen(err.msg), TML_ERROR_MSG - 1);
    assert_string_equal(err.msg + TML_ERROR_MSG - 10, " 01234567");
}

static void err_may_be_null(void **unused)
{
    (void)unused;
    assert_int_equal(tmli_fail(NULL, TML_ERR_IO, "%d", 3), TML_ERR_IO);
    assert_int_equal(tmli_fail_at(NULL, TML_ERR_ARG, (tml_mark){0}, "%d", 3), TML_ERR_ARG);
    tmli_error_append(NULL, "%d", 3);
}

static void every_status_has_its_name(void **unused)
{
    (void)unused;
    assert_string_equal(tml_status_name(TML_OK), "ok");
    assert_string_equal(tml_status_name(TML_RETRY), "retry");
    assert_string_equal(tml_status_name((tml_status)99), "unknown");
    for (int i = TML_ERR_STOPPED; i <= TML_RETRY; i++) {
        assert_string_not_equal(tml_status_name((tml_status)i), "unknown");
        for (int j = TML_ERR_STOPPED; j < i; j++)
            assert_string_not_equal(tml_status_name((tml_status)i), tml_status_name((tml_status)j));
    }
    assert_string_equal(tml_version(), TRAMMEL_VERSION);
}

// ---- memory -----------------------------------------------------------------------------------------------

// An allocator that counts its blocks, fills them with rubbish and fails at call number `fail_at` (from 1; 0:
// never).
typedef struct counting {
    int calls, live, fail_at;
    int logs;
    tml_log_level level;
    char text[2000];
} counting;

static void *count_alloc(size_t bytes, void *user)
{
    counting *c = user;
    if (++c->calls == c->fail_at) return NULL;
    void *p = malloc(bytes);
    if (p) {
        memset(p, 0xA5, bytes);
        c->live++;
    }
    return p;
}

static void count_free(void *ptr, void *user)
{
    counting *c = user;
    assert_non_null(ptr);
    c->live--;
    free(ptr);
}

static void count_log(tml_log_level level, const char *text, void *user)
{
    counting *c = user;
    c->logs++;
    c->level = level;
    snprintf(c->text, sizeof c->text, "%s", text);
}

static tml_env counting_env(counting *c)
{
    return (tml_env){.alloc = count_alloc, .free = count_free, .log = count_log, .user = c};
}

static void calloc_zeroes_and_counts(void **unused)
{
    (void)unused;
    counting c = {0};
    const tml_env env = counting_env(&c);
    unsigned char *p = tmli_calloc(&env, 13, 7);
    assert_non_null(p);
    for (int i = 0; i < 13 * 7; i++) assert_int_equal(p[i], 0);
    assert_int_equal(c.live, 1);
    tmli_free(&env, p);
    tmli_free(&env, NULL);
    assert_int_equal(c.live, 0);

    const tml_env none = {0};
    const tml_env *plain[] = {NULL, &none};  // both mean malloc and free
    for (int i = 0; i < 2; i++) {
        p = tmli_calloc(plain[i], 3, 5);
        assert_non_null(p);
        for (int k = 0; k < 15; k++) assert_int_equal(p[k], 0);
        tmli_free(plain[i], p);
    }
}

static void calloc_of_nothing_is_a_block(void **unused)
{
    (void)unused;
    void *a = tmli_calloc(NULL, 0, 8), *b = tmli_calloc(NULL, 8, 0);
    assert_non_null(a);
    assert_non_null(b);
    tmli_free(NULL, a);
    tmli_free(NULL, b);
}

static void overflow_is_refused(void **unused)
{
    (void)unused;
    counting c = {0};
    const tml_env env = counting_env(&c);
    assert_null(tmli_calloc(&env, SIZE_MAX, 2));
    assert_null(tmli_calloc(&env, SIZE_MAX / 8 + 1, 8));
    int *old = tmli_calloc(&env, 4, sizeof *old);
    assert_null(tmli_regrow(&env, old, 4, SIZE_MAX / 2, sizeof *old));
    assert_int_equal(c.live, 1);
    assert_int_equal(c.calls, 1);  // the allocator never saw the wrapped sizes
    tmli_free(&env, old);
    tmli_arena a = {.env = &env};
    assert_null(tmli_arena_alloc(&a, SIZE_MAX, 1));
    assert_null(tmli_arena_alloc(&a, SIZE_MAX / 16, 17));
    assert_int_equal(c.calls, 1);
    tmli_arena_clear(&a);
}

// Lists of arrays: each is of zeros and of its own; what is missing is NULL, and nothing is lost.
static void arrays_are_made_by_lists(void **unused)
{
    (void)unused;
    for (int k = 0; k <= 4; k++) {
        counting c = {.fail_at = k};
        const tml_env env = counting_env(&c);
        tmli_arena arena = {.env = &env};
        double *x, *y;
        int *i;
        const bool all = tmli_calloc_all(&env, TMLI_ARRAY(x, 5), TMLI_ARRAY(i, 3), TMLI_ARRAY(y, 0));
        assert_int_equal(all, k == 0 || k > 3);
        assert_int_equal(x && i && y, all);
        for (int j = 0; j < 5 && all; j++) assert_true(x[j] == 0 && i[j % 3] == 0);
        tmli_free_all(&env, x, i, y);
        assert_int_equal(tmli_arena_alloc_all(&arena, TMLI_ARRAY(x, 5), TMLI_ARRAY(i, 3)), k != 4);
        assert_int_equal(x && i, k != 4);
        tmli_arena_clear(&arena);
        assert_int_equal(c.live, 0);
    }
}

static void a_block_has_its_arrays_one_after_the_other(void **unused)
{
    (void)unused;
    for (int k = 0; k <= 1; k++) {
        counting c = {.fail_at = k};
        const tml_env env = counting_env(&c);
        double *x, *y, *z;
        int *i;
        const bool all =
            tmli_calloc_block(&env, TMLI_ARRAY(x, 5), TMLI_ARRAY(i, 3), TMLI_ARRAY(y, 2), TMLI_ARRAY(z, 4));
        assert_int_equal(all, k == 0);
        assert_int_equal(c.calls, 1);
        assert_int_equal(x && i && y && z, all);
        assert_true(all || (!x && !i && !y && !z));
        if (all) assert_true((void *)i == (void *)(x + 5) && (void *)y == (void *)(i + 4) && z == y + 2);
        for (int j = 0; j < 4 && all; j++)
            assert_true(x[j] == 0 && i[j % 3] == 0 && y[j % 2] == 0 && z[j] == 0);
        tmli_free(&env, x);
        assert_int_equal(c.live, 0);
        assert_false(tmli_calloc_block(&env, TMLI_ARRAY(x, SIZE_MAX / 16), TMLI_ARRAY(y, SIZE_MAX / 16),
                                       TMLI_ARRAY(z, SIZE_MAX / 8 + 1)));
        assert_int_equal(c.calls, 1);  // the allocator never saw the wrapped size
    }
}

static void strings_are_copied(void **unused)
{
    (void)unused;
    counting c = {0};
    const tml_env env = counting_env(&c);
    char *a = tmli_strdup(&env, "crank"), *b = tmli_strndup(&env, "crankshaft", 5),
         *e = tmli_strdup(&env, "");
    assert_string_equal(a, "crank");
    assert_string_equal(b, "crank");
    assert_string_equal(e, "");
    assert_int_equal(c.live, 3);
    tmli_free(&env, a);
    tmli_free(&env, b);
    tmli_free(&env, e);
    assert_int_equal(c.live, 0);
    c.fail_at = c.calls + 1;
    assert_null(tmli_strdup(&env, "rod"));
    c.fail_at = c.calls + 1;
    assert_null(tmli_strndup(&env, "rod", 2));
}

static void regrow_keeps_the_elements(void **unused)
{
    (void)unused;
    counting c = {0};
    const tml_env env = counting_env(&c);
    double *x = tmli_regrow(&env, NULL, 0, 3, sizeof *x);  // from nothing
    assert_non_null(x);
    x[0] = 0.731, x[1] = -2.25, x[2] = 1e300;
    x = tmli_regrow(&env, x, 3, 50, sizeof *x);
    assert_non_null(x);
    assert_true(x[0] == 0.731 && x[1] == -2.25 && x[2] == 1e300);
    for (int i = 3; i < 50; i++) assert_true(x[i] == 0);
    x = tmli_regrow(&env, x, 50, 2, sizeof *x);  // may shrink
    assert_non_null(x);
    assert_true(x[0] == 0.731 && x[1] == -2.25);
    assert_int_equal(c.live, 1);

    c.fail_at = c.calls + 1;
    assert_null(tmli_regrow(&env, x, 2, 9, sizeof *x));
    assert_true(x[0] == 0.731 && x[1] == -2.25);  // the old block is still there
    assert_int_equal(c.live, 1);
    tmli_free(&env, x);
    assert_int_equal(c.live, 0);
}

static void lists_grow_by_doubling(void **unused)
{
    (void)unused;
    counting c = {0};
    const tml_env env = counting_env(&c);
    int *x = NULL, room = 0;
    for (int i = 0; i < 13; i++) {
        int *more = tmli_grown(&env, x, i, &room, 3, sizeof *x);
        assert_non_null(more);
        x = more;
        assert_int_equal(room, i < 3 ? 3 : i < 6 ? 6 : i < 12 ? 12 : 24);
        x[i] = 7 * i;
    }
    for (int i = 0; i < 13; i++) assert_int_equal(x[i], 7 * i);
    assert_int_equal(c.live, 1);
    c.fail_at = c.calls + 1;
    assert_ptr_equal(tmli_grown(&env, x, 13, &room, 3, sizeof *x), x);  // there is room
    assert_null(tmli_grown(&env, x, 24, &room, 3, sizeof *x));
    assert_int_equal(room, 24);
    assert_int_equal(x[12], 84);  // nothing has changed
    char *text = tmli_strdup(&env, "rod");
    tmli_free_all(&env, x, NULL, text);
    assert_int_equal(c.live, 0);
}

static void log_reaches_the_environment(void **unused)
{
    (void)unused;
    counting c = {0};
    const tml_env env = counting_env(&c), silent = {0};
    tmli_log(NULL, TML_LOG_WARNING, "%d", 1);
    tmli_log(&silent, TML_LOG_WARNING, "%d", 1);
    tmli_log(&env, TML_LOG_WARNING, "joint '%s' is redundant", "pin");
    assert_int_equal(c.logs, 1);
    assert_int_equal(c.level, TML_LOG_WARNING);
    assert_string_equal(c.text, "joint 'pin' is redundant");
}

// ---- arena ------------------------------------------------------------------------------------------------

static bool is_filled(const unsigned char *p, size_t size, int value)
{
    for (size_t k = 0; k < size; k++)
        if (p[k] != value) return false;
    return true;
}

static void arena_blocks_are_apart(void **unused)
{
    (void)unused;
    counting c = {0};
    const tml_env env = counting_env(&c);
    tmli_arena a = {.env = &env};
    enum { N = 500 };
    unsigned char *p[N];
    size_t size[N];
    rng r = rng_seed(42);
    for (int i = 0; i < N; i++) {
        size[i] =
            i % 50 == 7 ? 40000 : (size_t)rng_range(&r, 0, 300);  // some larger than the arena's own block
        p[i] = tmli_arena_alloc(&a, size[i], 1);
        assert_non_null(p[i]);
        assert_int_equal((uintptr_t)p[i] % alignof(max_align_t), 0);
        assert_true(is_filled(p[i], size[i], 0));
        memset(p[i], i % 251 + 1, size[i]);
    }
    for (int i = 0; i < N; i++) assert_true(is_filled(p[i], size[i], i % 251 + 1));
    assert_true(c.live < N / 5);  // many allocations share a block
    tmli_arena_clear(&a);
    assert_int_equal(c.live, 0);
    assert_null(a.head);

    assert_string_equal(tmli_arena_strdup(&a, "coupler"), "coupler");  // usable again
    assert_int_equal(c.live, 1);
    tmli_arena_clear(&a);
    tmli_arena_clear(&a);
    assert_int_equal(c.live, 0);
}

static void arena_survives_a_failing_allocator(void **unused)
{
    (void)unused;
    for (int k = 1; k <= 3; k++) {
        counting c = {.fail_at = k};
        const tml_env env = counting_env(&c);
        tmli_arena a = {.env = &env};
        int got = 0;
        for (int i = 0; i < 3; i++) got += tmli_arena_alloc(&a, 3000, 8) != NULL;  // a block each
        assert_int_equal(got, 2);
        assert_int_equal(c.live, 2);
        tmli_arena_clear(&a);
        assert_int_equal(c.live, 0);
    }
    counting c = {.fail_at = 1};
    const tml_env env = counting_env(&c);
    tmli_arena a = {.env = &env};
    assert_null(tmli_arena_strdup(&a, "rod"));
}

// ---- names ------------------------------------------------------------------------------------------------

static void nearest_finds_the_slip(void **unused)
{
    (void)unused;
    const char *const names[] = {"stiffness", "damping", NULL, "mass", "position", "orientation", "free"};
    const size_t n = sizeof names / sizeof *names;
    assert_string_equal(tmli_nearest("stifness", names, n), "stiffness");  // left out
    assert_string_equal(tmli_nearest("dampping", names, n), "damping");    // doubled
    assert_string_equal(tmli_nearest("pisition", names, n), "position");   // wrong letter
    assert_string_equal(tmli_nearest("msas", names, n), "mass");           // swapped
    assert_string_equal(tmli_nearest("MASS", names, n), "mass");           // case
    assert_string_equal(tmli_nearest("orientaton", names, n), "orientation");
    assert_null(tmli_nearest("gravity", names, n));
    assert_null(tmli_nearest("x", names, n));
    assert_null(tmli_nearest("", names, n));
    assert_null(tmli_nearest("mass", names, 0));
}

static void nearest_prefers_the_nearer(void **unused)
{
    (void)unused;
    const char *const names[] = {"rod_1", "rod_12", "rod_2"};
    assert_string_equal(tmli_nearest("rod_12", names, 3), "rod_12");
    assert_string_equal(tmli_nearest("rod2", names, 3), "rod_2");
}

static void nearest_takes_long_words(void **unused)
{
    (void)unused;
    char a[300], b[300];
    memset(a, 'a', sizeof a);
    memset(b, 'a', sizeof b);
    a[299] = b[250] = 0;
    b[10] = 'x';
    const char *const names[] = {b};
    assert_ptr_equal(tmli_nearest(a, names, 1), b);
}

// ---- numbers ----------------------------------------------------------------------------------------------

static void check_round_trip(double x)
{
    char buf[32];
    const char *end, *text = tmli_dtoa(x, buf);
    assert_true(strlen(text) < 32);
    assert_null(strchr(text, ','));
    const double y = tmli_strtod(text, &end);
    uint64_t bits_x, bits_y;  // tells -0 from 0
    memcpy(&bits_x, &x, sizeof bits_x);
    memcpy(&bits_y, &y, sizeof bits_y);
    if (*end != 0 || bits_x != bits_y) fail_msg("%a was written as '%s' and read as %a", x, text, y);
}

static void check_round_trips(void)
{
    const double special[] = {
        0.0,     -0.0,    0.1,         1.0 / 3, 2.0 / 3, 0.731,     1e22,   1e23, 123456789012345678.0,
        DBL_MAX, DBL_MIN, DBL_EPSILON, 5e-324,  -1.5,    9.80665e0, 1e-300, 17};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) check_round_trip(special[i]);
    rng r = rng_seed(20240229);
    for (int i = 0; i < 20000; i++) {  // any finite pattern of bits
        (void)rng_unit(&r);
        double x;
        memcpy(&x, &r.s, sizeof x);
        if (isfinite(x)) check_round_trip(x);
        check_round_trip(rng_range(&r, -100, 100));
    }
}

static void numbers_read_back_exactly(void **unused)
{
    (void)unused;
    check_round_trips();
}

static void numbers_are_short(void **unused)
{
    (void)unused;
    char buf[32];
    assert_string_equal(tmli_dtoa(0.1, buf), "0.1");
    assert_string_equal(tmli_dtoa(-2.5, buf), "-2.5");
    assert_string_equal(tmli_dtoa(17, buf), "17");
    assert_string_equal(tmli_dtoa(1e22, buf), "1e+22");
    assert_string_equal(tmli_dtoa(1e15, buf), "1e+15");
    assert_string_equal(tmli_dtoa(1e14, buf), "100000000000000");
    assert_string_equal(tmli_dtoa(1e-5, buf), "1e-05");
    assert_string_equal(tmli_dtoa(0.0001, buf), "0.0001");
    assert_string_equal(tmli_dtoa(5e-324, buf), "5e-324");
    assert_string_equal(tmli_dtoa(2.2250738585072014e-308, buf), "2.2250738585072014e-308");
    assert_string_equal(tmli_dtoa(1.7976931348623157e308, buf), "1.7976931348623157e+308");
    assert_string_equal(tmli_dtoa(9007199254740993.0, buf), "9007199254740992");
    assert_string_equal(tmli_dtoa(7.1202363472230444e-307, buf), "7.120236347223045e-307");
    assert_string_equal(tmli_dtoa(0.1 + 0.2, buf), "0.30000000000000004");
    assert_string_equal(tmli_dtoa(NAN, buf), "nan");
    assert_string_equal(tmli_dtoa(INFINITY, buf), "inf");
    assert_string_equal(tmli_dtoa(-INFINITY, buf), "-inf");
}

// What is read of a text, and how many characters it takes.
static void check_read(const char *text, double value, size_t used)
{
    const char *end = NULL;
    const double x = tmli_strtod(text, &end);
    if (x != value || end != text + used)
        fail_msg("'%s': read %.17g, %zu characters; expected %.17g, %zu", text, x, (size_t)(end - text),
                 value, used);
}

static void check_reads(void)
{
    check_read("0.731", 0.731, 5);
    check_read("-1.25e-3 m", -1.25e-3, 8);
    check_read("+4E2", 400, 4);
    check_read(".5", 0.5, 2);
    check_read("5.", 5, 2);
    check_read("1,5", 1, 1);  // the comma is no decimal point, in no locale
    check_read("2e", 2, 1);   // an exponent needs digits
    check_read("2e+x", 2, 1);
    check_read("3 deg", 3, 1);
    check_read("0x10", 0, 1);  // no hexadecimal notation
    check_read("1.2.3", 1.2, 3);
    const char *const none[] = {"", "-", "+", ".", "-.", "e5", "x", " 1", "inf", "nan", "--1", ",5"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) check_read(none[i], 0, 0);
    check_read("1e999", HUGE_VAL, 5);
}

static void texts_are_read_strictly(void **unused)
{
    (void)unused;
    check_reads();
}

static void long_numbers_are_read(void **unused)
{
    (void)unused;
    char text[1000];
    memset(text, '0', sizeof text);
    memcpy(text + 500, "2.5", 3);
    text[sizeof text - 1] = 0;
    check_read(text, 2.5, sizeof text - 1);
}

static void locale_does_not_matter(void **unused)
{
    (void)unused;
    const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                 "fr_FR.UTF-8", "fr_FR.utf8", "nl_NL.UTF-8"};
    for (size_t i = 0; i < sizeof comma / sizeof *comma; i++) {
        if (!setlocale(LC_NUMERIC, comma[i])) continue;
        const int is_comma = localeconv()->decimal_point[0] == ',';
        if (is_comma) {
            char buf[32];
            assert_string_equal(tmli_dtoa(0.25, buf), "0.25");
            check_reads();
            check_round_trips();
        }
        setlocale(LC_NUMERIC, "C");
        if (is_comma) return;
    }
    skip();  // no such locale on this machine
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_fills_the_record),
        cmocka_unit_test(fail_at_keeps_the_position),
        cmocka_unit_test(append_adds_a_sentence),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(err_may_be_null),
        cmocka_unit_test(every_status_has_its_name),
        cmocka_unit_test(calloc_zeroes_and_counts),
        cmocka_unit_test(calloc_of_nothing_is_a_block),
        cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(arrays_are_made_by_lists),
        cmocka_unit_test(a_block_has_its_arrays_one_after_the_other),
        cmocka_unit_test(strings_are_copied),
        cmocka_unit_test(regrow_keeps_the_elements),
        cmocka_unit_test(lists_grow_by_doubling),
        cmocka_unit_test(log_reaches_the_environment),
        cmocka_unit_test(arena_blocks_are_apart),
        cmocka_unit_test(arena_survives_a_failing_allocator),
        cmocka_unit_test(nearest_finds_the_slip),
        cmocka_unit_test(nearest_prefers_the_nearer),
        cmocka_unit_test(nearest_takes_long_words),
        cmocka_unit_test(numbers_read_back_exactly),
        cmocka_unit_test(numbers_are_short),
        cmocka_unit_test(texts_are_read_strictly),
        cmocka_unit_test(long_numbers_are_read),
        cmocka_unit_test(locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// JSON: what is written is safe and valid in each style, and what is read is a tree or an error.
#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#include "support.h"

#include "base/json.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

static const char odd_text[] = "a\"b\\c\n\t\x01<b>&'\xff\xc3\xa9\xf0\x9f\x98\x80\xc0\xaf";

static void safe_in_pages(void **state)
{
    (void)state;
    tmli_json j = {.env = NULL};
    const double x[3] = {0.731, -1234567.89, 1e-9};
    tmli_json_open(&j, NULL, '{');
    tmli_json_text(&j, "</script>", odd_text);
    tmli_json_place(&j, "x", x, 3);
    tmli_json_rounded(&j, "nan", NAN, 7);
    tmli_json_number(&j, "third", 1.0 / 3);
    tmli_json_bool(&j, "yes", true);
    tmli_json_close(&j, '}');
    assert_false(j.failed);
    assert_string_equal(j.text,
                        "{\"\\u003c/script\\u003e\":\"a\\\"b\\\\c\\u000a\\u0009\\u0001\\u003cb\\u003e\\u0026"
                        "\\u0027\\ufffd\\u00e9\\ud83d\\ude00\\ufffd\\ufffd\",\"x\":[0.731,-1234568,1e-09],"
                        "\"nan\":null,\"third\":0.3333333333333333,\"yes\":true}");
    tmli_json_clear(&j);
}

// Each conversion of a list of members, and the same in lines.
static void members(void **state)
{
    (void)state;
    tmli_json j = {.style = TMLI_JSON_LINE};
    const char *const none = tmli_nearest("no", NULL, 0);  // NULL
    tmli_json_open(&j, NULL, '[');
    tmli_json_object(&j, NULL, "a %s b %s x %g y %.4g inf %g", odd_text, none, 1.0 / 3, 1.0 / 3, INFINITY);
    tmli_json_object(&j, NULL, "n %d rank %i none %i long %ld all %lld size %zu on %u off %u", -7, 3, -1,
                     -70000000000, 80000000000ll, (size_t)9, true, false);
    tmli_json_close(&j, ']');
    assert_string_equal(j.text,
                        "[{\"a\": \"a\\\"b\\\\c\\n\\t\\u0001<b>&'\\ufffd\xc3\xa9\xf0\x9f\x98\x80\\ufffd"
                        "\\ufffd\", \"b\": null, \"x\": 0.3333333333333333, \"y\": 0.3333, \"inf\": null}, "
                        "{\"n\": -7, \"rank\": 3, \"none\": null, \"long\": -70000000000, "
                        "\"all\": 80000000000, \"size\": 9, \"on\": true, \"off\": false}]");
    tmli_json_clear(&j);
    j.style = TMLI_JSON_LINES;
    tmli_json_object(&j, NULL, "a %d b %d", 1, 2);
    char *text = tmli_json_take(&j);
    assert_string_equal(text, "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
    assert_null(j.text);
    tmli_free(NULL, text);
}

static void tree(void **state)
{
    (void)state;
    const char text[] = " {\"list\": [1, -2.5e1, 7], \"odd\": \"\\u00e9\\ud83d\\ude00\\n\", \"in\": "
                        "{\"yes\": true, \"no\": null}, \"empty\": []} ";
    tmli_arena arena = {0};
    tmli_json_node *top;
    tml_error err = {0};
    double x[3];
    assert_int_equal(tmli_json_parse(text, "It", SIZE_MAX, &arena, &top, &err), TML_OK);
    const tmli_json_node *list = tmli_json_array(top, "list");
    assert_int_equal(list->count, 3);
    assert_true(tmli_json_numbers_of(list, x, 3) && x[1] == -25 && list->item[2]->number == 7);
    assert_false(tmli_json_numbers_of(list, x, 4));
    assert_string_equal(tmli_json_text_of(top, "odd"), "\xc3\xa9\xf0\x9f\x98\x80\n");
    assert_true(tmli_json_number_of(tmli_json_member(top, "in"), "yes", 0) == 1);
    assert_true(tmli_json_number_of(tmli_json_member(top, "in"), "no", 0.731) == 0.731);
    assert_int_equal(tmli_json_array(top, "empty")->count, 0);
    assert_null(tmli_json_array(top, "in"));
    tmli_arena_clear(&arena);
}

static void refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",   "{", "[1,]", "{\"a\" 1}", "\"\\x\"", "\"\\ud800\"", "[1] 2",      "+1",
        ".5", "-", "nul",  "\"open",    "{1: 2}",  "[1 2]",       "{\"a\": 1,}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tmli_arena arena = {0};
        tmli_json_node *top;
        tml_error err = {0};
        assert_int_equal(tmli_json_parse(texts[i], "It", SIZE_MAX, &arena, &top, &err), TML_ERR_SYNTAX);
        assert_null(top);
        assert_non_null(strstr(err.msg, "It is no JSON: error after "));
        tmli_arena_clear(&arena);
    }
    tmli_arena few = {0};
    tmli_json_node *tree_of_four;
    tml_error err = {0};
    const char four[] = "[1, {\"a\": 2}]";
    assert_int_equal(tmli_json_parse(four, "It", 4, &few, &tree_of_four, &err), TML_OK);
    assert_int_equal(tmli_json_parse(four, "It", 3, &few, &tree_of_four, &err), TML_ERR_ARG);
    assert_string_equal(err.msg, "It has more than 3 values.");
    tmli_arena_clear(&few);
    char deep[2 * TMLI_JSON_DEPTH];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    tmli_arena arena = {0};
    tmli_json_node *top;
    assert_int_equal(tmli_json_parse(deep, "It", SIZE_MAX, &arena, &top, NULL), TML_ERR_SYNTAX);
    tmli_arena_clear(&arena);
}

// Texts that end anywhere, or have another byte anywhere, before a page that cannot be read.
static void ends(void **state)
{
    (void)state;
    enum { PAGE = 65536 };
    static const char whole[] = "{\"a\" : [1, -2.5e3, true , {\"\\u00e9\\n\": null}, \"\\ud83d\\ude00\"], "
                                "\"b\":{} } ";
    static const char others[] = "\\\"{}[]:,u0 ";
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED && mprotect(pages + PAGE, PAGE, PROT_NONE) == 0);
    for (size_t length = 0; length < sizeof whole; length++)
        for (size_t at = 0; at < length; at++)
            for (const char *c = others; *c; c++) {
                char *text = memcpy(pages + PAGE - length - 1, whole, length);
                text[length] = 0;
                text[at] = *c;
                tmli_arena arena = {0};
                tmli_json_node *top;
                const tml_status st = tmli_json_parse(text, "text", 100, &arena, &top, NULL);
                assert_true(st == TML_OK ? top != NULL : st == TML_ERR_SYNTAX && !top);
                tmli_arena_clear(&arena);
            }
    munmap(pages, 2 * PAGE);
}

static tmli_value taken(const char *format, const char **end, ...)
{
    va_list values;
    tmli_value v;
    va_start(values, end);
    *end = tmli_value_take(format, &values, &v);
    va_end(values);
    return v;
}

// A conversion keeps its flags, width and precision; integers are long long, whatever they were.
static void conversions(void **state)
{
    (void)state;
    const char *end;
    char text[32];
    tmli_value v = taken("%-*s rest", &end, 7, "rod");
    assert_string_equal(end, " rest");
    assert_string_equal(v.format, "%-7s");
    assert_string_equal(v.text, "rod");
    v = taken("%+9.3e", &end, 0.731);
    assert_string_equal(v.format, "%+9.3e");
    assert_true(v.kind == 'e' && v.number == 0.731);
    v = taken("%06zu}", &end, (size_t)731);
    assert_string_equal(end, "}");
    snprintf(text, sizeof text, v.format, v.integer);
    assert_string_equal(text, "000731");
    assert_true(v.kind == 'd');
    v = taken("%ld", &end, -7310000000L);
    assert_true(v.kind == 'd' && v.integer == -7310000000LL);
    tmli_json j = {.style = TMLI_JSON_LINE};
    tmli_json_open(&j, NULL, '{');
    v = taken("%.2g", &end, 0.73125);
    tmli_json_put(&j, "exact", &v);
    v = taken("%i", &end, -1);
    tmli_json_put(&j, "unknown", &v);
    v = taken("%u", &end, true);
    tmli_json_put(&j, "yes", &v);
    tmli_json_close(&j, '}');
    assert_string_equal(j.text, "{\"exact\": 0.73125, \"unknown\": null, \"yes\": true}");
    tmli_json_clear(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(safe_in_pages), cmocka_unit_test(members), cmocka_unit_test(tree),
        cmocka_unit_test(refused),       cmocka_unit_test(ends),    cmocka_unit_test(conversions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

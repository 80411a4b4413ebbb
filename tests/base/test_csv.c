// CSV: what is written is read back, and is one line for any text.
#include "base/csv.h"
#include "support/support.h"

#include <math.h>

static const char *const texts[] = {"",         "x",      "a b",      "a,b",          "\"",
                                    "a\"b\"",   ",,\"\"", "=1+1",     "two\nlines\r", "-0",
                                    "\xC3\xA4", "'",      "a;b\ttab", "\"quoted\"",   "ends with \""};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int quotes = TMLI_CSV_IF_NEEDED; quotes <= TMLI_CSV_ALWAYS; quotes++) {
            char line[100] = "", read[100] = "", wanted[100];
            const size_t n =
                tmli_csv_print(texts[i], (tmli_csv_quotes)quotes, line, 2 * strlen(texts[i]) + 3);
            assert_true(n <= 2 * strlen(texts[i]) + 2);
            assert_int_equal(strlen(line), n);
            assert_null(strpbrk(line, "\r\n"));
            strcpy(wanted, texts[i]);
            for (char *c = wanted; (c = strpbrk(c, "\r\n"));) *c = ' ';
            if (line[0] != '"') {
                assert_int_equal(quotes, TMLI_CSV_IF_NEEDED);
                assert_null(strpbrk(line, ",\""));
                assert_string_equal(line, wanted);
                continue;
            }
            const char *p = line;
            size_t length = 99;
            strcat(line, ",next");
            assert_true(tmli_csv_read_quoted(&p, read, sizeof read, &length));
            assert_string_equal(p, ",next");
            assert_int_equal(length, strlen(wanted));
            assert_memory_equal(read, wanted, length);
            p = line;  // in place, with just enough room, and with less
            if (length > 0) assert_false(tmli_csv_read_quoted(&p, read, length - 1, &length));
            length = strlen(wanted);
            assert_true(tmli_csv_read_quoted(&p, line + 1, length + 1, &length));
            assert_memory_equal(line + 1, wanted, length);
        }
}

// A text that is too long is cut, and stays a field.
static void test_room(void **state)
{
    (void)state;
    static const char *const long_texts[] = {"\"\"\"\"\"\"\"\"", "abcdefgh", "a\"b\"c\"d"};
    for (size_t i = 0; i < 3; i++)
        for (size_t room = 2; room < 12; room++) {
            char line[20], out[20];
            memset(line, 'x', sizeof line);
            const size_t n = tmli_csv_print(long_texts[i], TMLI_CSV_ALWAYS, line, room);
            assert_true(n >= 2 && n <= room && line[room] == 'x');
            size_t length;
            const char *p = line;
            line[n] = 0;
            assert_true(tmli_csv_read_quoted(&p, out, sizeof out, &length) && !*p);
            assert_memory_equal(out, long_texts[i], length);
        }
}

static void test_files(void **state)
{
    (void)state;
    FILE *f = tmpfile();
    char text[200] = "";
    assert_non_null(f);
    tmli_csv_put_text(f, "a,\nb", TMLI_CSV_IF_NEEDED, ',');
    tmli_csv_put_text(f, "", TMLI_CSV_ALWAYS, ',');
    tmli_csv_put_number(f, NAN, ',');
    tmli_csv_put_known(f, NAN, ',');
    tmli_csv_put_known(f, -0.1, '\n');
    tmli_csv_put_text(f, "=1+1", TMLI_CSV_IF_NEEDED, ',');
    tmli_csv_put_text(f, "-a,b", TMLI_CSV_IF_NEEDED, ',');
    tmli_csv_put_text(f, "a=1", TMLI_CSV_IF_NEEDED, '\n');
    rewind(f);
    assert_non_null(fgets(text, sizeof text, f));
    assert_string_equal(text, "\"a, b\",\"\",nan,,-0.1\n");
    assert_non_null(fgets(text, sizeof text, f));
    assert_string_equal(text, "'=1+1,\"'-a,b\",a=1\n");
    fclose(f);
}

static void test_reading(void **state)
{
    (void)state;
    const char *end = NULL;
    assert_int_equal(tmli_csv_mark_length("\xEF\xBB\xBFt", 4), 3);
    assert_int_equal(tmli_csv_mark_length("\xEF\xBB", 2), 0);
    assert_int_equal(tmli_csv_mark_length("t,x", 3), 0);
    static const char *const none[] = {"", ",1", "x", "+", "i", "-n", "\"1\""};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        (void)tmli_csv_read_number(none[i], &end);
        assert_ptr_equal(end, none[i]);
    }
    assert_true(isnan(tmli_csv_read_number("-nan,", &end)) && *end == ',');
    assert_true(tmli_csv_read_number("-inf\n", &end) == -INFINITY && *end == '\n');
    assert_true(tmli_csv_read_number("-1.5e3,", &end) == -1500 && *end == ',');
    static const char *const bad[] = {"", "a\"", "\"", "\"a", "\"a\"\"", "\"a\nb\""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *p = bad[i];
        char out[20];
        size_t length;
        assert_false(tmli_csv_read_quoted(&p, out, sizeof out, &length));
        assert_ptr_equal(p, bad[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts), cmocka_unit_test(test_room),
                                       cmocka_unit_test(test_files), cmocka_unit_test(test_reading)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

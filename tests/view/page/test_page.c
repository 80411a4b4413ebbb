// Pages: values in bytes with the errors that are stated, and what a page refuses.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "view/page/page.h"

#include <unistd.h>

enum { ROWS = 1001 };

// t, a wave, a constant, a wave with a hole
static tml_result *make_result(const char *scene)
{
    const tml_channel c[] = {{.name = "t", .unit = "s", .dataset = "/t", .width = 1},
                             {.name = "a", .unit = "m", .dataset = "/a", .width = 1},
                             {.name = "b", .unit = "m", .dataset = "/b", .width = 1},
                             {.name = "c", .unit = "m", .dataset = "/c", .width = 1}};
    const tml_result_note notes[] = {{"title", "</script><script>alert(1)</script>"}, {"scene", scene}};
    tml_writer *w = NULL;
    tml_result *r = NULL;
    tml_error err = {0};
    if (tml_writer_create("page.h5", c, 4, notes, scene ? 2 : 1, NULL, &w, &err) != TML_OK)
        fail_msg("%s", err.msg);
    for (int i = 0; i < ROWS; i++) {
        const double t = 0.731e-2 * i, x[] = {t, 3 + sin(5 * t), 7.1, i == 500 ? (double)NAN : cos(t)};
        assert_int_equal(tml_writer_row(w, x, &err), TML_OK);
    }
    assert_int_equal(tml_writer_note(w, &(tml_result_note){"report", "it ended"}, &err), TML_OK);
    assert_int_equal(tml_writer_note(w, &(tml_result_note){"a/b", "x"}, NULL), TML_ERR_ARG);
    assert_int_equal(tml_writer_close(w, &err), TML_OK);
    assert_int_equal(tml_result_open("page.h5", NULL, &r, &err), TML_OK);
    assert_string_equal(tml_result_note_text(r, "report"), "it ended");
    return r;
}

static double number_at(const unsigned char *p, tmli_coding coding, const tmli_packed_channel *k)
{
    if (coding == TMLI_CODE_FLOAT) {
        float x;
        memcpy(&x, p, sizeof x);
        return (double)x;
    }
    if (coding == TMLI_CODE_DOUBLE) {
        double x;
        memcpy(&x, p, sizeof x);
        return x;
    }
    const int code = p[0] | p[1] << 8;
    return code == 65535 ? (double)NAN : k->least + code / 65534.0 * (k->most - k->least);
}

// Decode channel c and compare it with the result, row by row.
static void compare(const tml_result *r, const tmli_packed *p, int c, size_t offset)
{
    const tmli_packed_channel *k = &p->channel[c];
    const size_t width = k->coding == TMLI_CODE_DOUBLE ? 8 : k->coding == TMLI_CODE_FLOAT ? 4 : 2;
    const double largest = fmax(fabs(k->least), fabs(k->most));
    for (size_t i = 0; i < p->kept; i++) {
        const size_t row = i + 1 == p->kept ? p->rows - 1 : i * p->stride;
        const double x = tml_result_value(r, row, c),
                     y = number_at(p->bytes + offset + i * width, k->coding, k);
        if (isnan(x)) assert_true(isnan(y));
        else assert_true(fabs(y - x) <= p->value_error * largest);
    }
}

static void packing(void **state)
{
    (void)state;
    tml_result *r = make_result(NULL);
    tmli_packed p;
    assert_int_equal(tmli_pack(r, 1000000, NULL, &p, NULL), TML_OK);
    assert_int_equal(p.channel[0].coding, TMLI_CODE_DOUBLE);
    assert_int_equal(p.channel[1].coding, TMLI_CODE_FLOAT);
    assert_int_equal(p.channel[2].coding, TMLI_CODE_CONSTANT);
    assert_int_equal(p.channel[3].coding, TMLI_CODE_FLOAT);
    assert_int_equal(p.kept, ROWS);
    assert_int_equal(p.size, ROWS * 16);
    assert_true(p.value_error > 0 && p.value_error < 6e-8 && p.between_error == 0);  // half a unit of 2^-23
    compare(r, &p, 1, (size_t)ROWS * 8);
    compare(r, &p, 3, (size_t)ROWS * 12);
    tmli_packed_clear(&p, NULL);

    assert_int_equal(tmli_pack(r, 12500, NULL, &p, NULL), TML_OK);  // 12 bytes a row
    assert_int_equal(p.channel[1].coding, TMLI_CODE_SHORT);
    assert_int_equal(p.kept, ROWS);
    assert_true(p.value_error > 1e-6 && p.value_error < 1.0 / 65534);
    compare(r, &p, 1, (size_t)ROWS * 8);
    compare(r, &p, 3, (size_t)ROWS * 10);
    tmli_packed_clear(&p, NULL);

    assert_int_equal(tmli_pack(r, 3000, NULL, &p, NULL), TML_OK);
    assert_true(p.kept > 200 && p.size <= 3000 && p.stride >= 4);
    // a wave of frequency 5 between rows at a distance d: d^2/8 25 of 4, the largest value
    const double d = 0.731e-2 * (double)p.stride;
    assert_true(p.between_error > 0.8 * d * d / 8 * 25 / 4 && p.between_error < 1.05 * d * d / 8 * 25 / 4);
    compare(r, &p, 1, p.kept * 8);
    tmli_packed_clear(&p, NULL);
    assert_int_equal(tmli_pack(r, 0, NULL, &p, NULL), TML_OK);
    assert_int_equal(p.kept, 2);
    tmli_packed_clear(&p, NULL);
    tml_result_close(r);
}

static char *read_page(void)
{
    FILE *f = fopen("page.html", "rb");
    assert_non_null(f);
    char *text = test_calloc(8000000, 1);
    const size_t n = fread(text, 1, 8000000 - 1, f);
    fclose(f);
    assert_true(n > 0);
    return text;
}

// Memory that is taken at once, at most.
typedef struct account {
    size_t now, most;
} account;

static void *take(size_t size, void *user)
{
    account *a = user;
    size_t *p = malloc(size + 16);
    if (!p) return NULL;
    p[0] = size;
    a->now += size;
    if (a->now > a->most) a->most = a->now;
    return p + 2;
}

static void give(void *p, void *user)
{
    account *a = user;
    if (!p) return;
    a->now -= ((size_t *)p)[-2];
    free((size_t *)p - 2);
}

// Rows that stay in the file give the same bytes as rows in memory.
static void rows_in_the_file(void **state)
{
    (void)state;
    tml_result *r = make_result(NULL), *s = NULL;
    tml_error err = {0};
    double x[4];
    assert_int_equal(tml_result_open_rows("page.h5", NULL, &s, &err), TML_OK);
    assert_int_equal(tml_result_row_count(s), ROWS);
    assert_null(tml_result_row(s, 0));
    assert_true(isnan(tml_result_value(s, 3, 1)));
    assert_int_equal(tml_result_read_rows(s, 731, 1, x, &err), TML_OK);
    assert_memory_equal(x, tml_result_row(r, 731), sizeof x);
    assert_int_equal(tml_result_read_rows(s, ROWS - 1, 2, x, &err), TML_ERR_ARG);
    assert_int_equal(tml_result_read_rows(r, 0, 1, x, &err), TML_OK);
    assert_memory_equal(x, tml_result_row(r, 0), sizeof x);
    for (size_t room = 100; room < 40000; room *= 3) {
        tmli_packed a, b;
        assert_int_equal(tmli_pack(r, room, NULL, &a, &err), TML_OK);
        assert_int_equal(tmli_pack(s, room, NULL, &b, &err), TML_OK);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.bytes, b.bytes, a.size);
        assert_true(a.value_error == b.value_error && a.between_error == b.between_error);
        assert_int_equal(a.between_channel, b.between_channel);
        tmli_packed_clear(&a, NULL);
        tmli_packed_clear(&b, NULL);
    }
    tml_result_close(r);
    // a file that another run writes anew
    r = make_result("{\"scene\": 1}");
    assert_int_equal(tml_result_read_rows(s, 0, 1, x, &err), TML_ERR_IO);
    assert_non_null(strstr(err.msg, "changes"));
    tml_result_close(s);
    tml_result_close(r);
    unlink("page.h5");
}

enum { WIDE = 500, LONG = 12000 };  // 48 MB

// The memory for a page does not grow with the number of rows.
static void long_result(void **state)
{
    (void)state;
    static tml_channel c[WIDE];
    static char names[WIDE][16];
    static double x[WIDE];
    for (int i = 0; i < WIDE; i++) {
        snprintf(names[i], sizeof names[i], "/c%d", i);
        if (i == 0) memcpy(names[0], "/t", 3);
        c[i] = (tml_channel){.name = names[i] + 1, .unit = "m", .dataset = names[i], .width = 1};
    }
    tml_writer *w = NULL;
    tml_result *r = NULL;
    tml_error err = {0};
    assert_int_equal(tml_writer_create("long.h5", c, WIDE, NULL, 0, NULL, &w, &err), TML_OK);
    for (int i = 0; i < LONG; i++) {
        for (int k = 0; k < WIDE; k++) x[k] = k ? (double)(i % (37 + k)) : 1e-3 * i;
        assert_int_equal(tml_writer_row(w, x, &err), TML_OK);
    }
    assert_int_equal(tml_writer_close(w, &err), TML_OK);
    account used = {0};
    const tml_env env = {.alloc = take, .free = give, .user = &used};
    tmli_packed p;
    assert_int_equal(tml_result_open_rows("long.h5", &env, &r, &err), TML_OK);
    assert_int_equal(tmli_pack(r, 1000000, &env, &p, &err), TML_OK);
    assert_int_equal(p.rows, LONG);
    assert_true(p.stride > 1);
    // a block of rows, the codes, the names: less than a third of the values
    assert_true(used.most < (size_t)WIDE * LONG * sizeof(double) / 3);
    tmli_packed_clear(&p, &env);
    tml_result_close(r);
    assert_int_equal(used.now, 0);
    unlink("long.h5");
}

static void writing(void **state)
{
    (void)state;
    tml_result *r = make_result("{\"scene\":1}");
    tml_page_report report = {0};
    tml_error err = {0};
    const tml_status st = tml_page_write(r, NULL, "page.html", NULL, &report, &err);
    if (tmli_viewer_page_size == 0) {
        assert_int_equal(st, TML_ERR_ARG);
        assert_non_null(strstr(err.msg, "npm"));
        tml_result_close(r);
        return;
    }
    if (st != TML_OK) fail_msg("%s", err.msg);
    assert_int_equal(report.rows_kept, ROWS);
    assert_true(report.scene && !report.modes && report.bytes < 5000000);
    char *page = read_page();
    assert_null(strstr(page, "alert(1)</script>"));
    assert_non_null(strstr(page, "\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
    assert_non_null(strstr(page, "id=\"scene\">{\"scene\":1}</script>"));
    assert_null(strstr(page, TMLI_PAGE_DATA));
    test_free(page);
    unlink("page.html");
    tml_page_def def = tml_page_def_default();
    assert_int_equal(tml_page_write(r, &def, "no/such/folder.html", NULL, NULL, &err), TML_ERR_IO);
    def.scene = "{\"a\":\"</script>\"}";  // not escaped: of another program
    assert_int_equal(tml_page_write(r, &def, "page.html", NULL, NULL, &err), TML_ERR_ARG);
    assert_int_equal(tml_page_write(NULL, NULL, NULL, NULL, NULL, &err), TML_ERR_ARG);
    def.size = 0;
    assert_int_equal(tml_page_write(r, &def, "page.html", NULL, NULL, &err), TML_ERR_ARG);
    tml_result_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packing), cmocka_unit_test(rows_in_the_file),
                                       cmocka_unit_test(long_result), cmocka_unit_test(writing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

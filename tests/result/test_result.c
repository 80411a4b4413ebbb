// Result files read through the public functions: what was written comes back, in both formats.
#include "support.h"

#include <math.h>
#include <trammel/result.h>

static const tml_channel CHANNELS[] = {
    {.name = "t", .unit = "s", .dataset = "/t", .width = 1},
    {.name = "crank.x", .unit = "m", .dataset = "/bodies/crank/position", .component = 0, .width = 2},
    {.name = "crank.y", .unit = "m", .dataset = "/bodies/crank/position", .component = 1, .width = 2},
};

static void write_file(const char *path)
{
    tml_error err = {0};
    tml_writer *w = NULL;
    const tml_result_note note = {"title", "a test"};
    assert_int_equal(tml_writer_create(path, CHANNELS, 3, &note, 1, NULL, &w, &err), TML_OK);
    for (int i = 0; i < 137; i++) {
        const double row[3] = {0.01 * i, sin(0.01 * i), -i / 3.0};
        assert_int_equal(tml_writer_row(w, row, &err), TML_OK);
    }
    assert_int_equal(tml_writer_close(w, &err), TML_OK);
}

static void read_back(void **state)
{
    (void)state;
    static const char *const paths[] = {"result.csv", "result.h5"};
    for (int k = 0; k < 2; k++) {
        tml_error err = {0};
        tml_result *r = NULL;
        write_file(paths[k]);
        assert_int_equal(tml_result_open(paths[k], NULL, &r, &err), TML_OK);
        assert_int_equal(tml_result_channel_count(r), 3);
        assert_int_equal(tml_result_row_count(r), 137);
        for (int i = 0; i < 3; i++) {
            assert_string_equal(tml_result_channel_name(r, i), CHANNELS[i].name);
            assert_string_equal(tml_result_channel_unit(r, i), CHANNELS[i].unit);
            assert_int_equal(tml_result_channel_index(r, CHANNELS[i].name, &err), i);
        }
        assert_int_equal(tml_result_channel_index(r, "crank.z", &err), -1);
        assert_non_null(strstr(err.msg, "there is no channel 'crank.z' (is it 'crank."));
        for (size_t i = 0; i < 137; i++) {
            const double *row = tml_result_row(r, i);
            assert_true(row[0] == 0.01 * (double)i && tml_result_time(r, i) == row[0]);
            assert_true(row[1] == sin(0.01 * (double)i) && tml_result_value(r, i, 1) == row[1]);
            assert_true(row[2] == -(double)i / 3.0);
        }
        assert_null(tml_result_row(r, 137));
        assert_true(isnan(tml_result_value(r, 0, 3)) && isnan(tml_result_time(r, 137)));
        assert_null(tml_result_channel_name(r, -1));
        assert_null(tml_result_note_text(r, "nothing"));
        if (k == 1) assert_string_equal(tml_result_note_text(r, "title"), "a test");
        tml_result_close(r);
    }
}

static void refused(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_result *r = NULL;
    assert_int_equal(tml_result_open("a.txt", NULL, &r, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "does not end in"));
    assert_int_equal(tml_result_open("none.csv", NULL, &r, &err), TML_ERR_IO);
    assert_int_not_equal(tml_result_open("none.h5", NULL, &r, &err), TML_OK);
    assert_null(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(read_back), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

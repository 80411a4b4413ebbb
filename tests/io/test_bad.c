// Every file in tests/io/bad is refused at the position and with the sentence its first line expects.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <trammel/spec.h>
#include <unistd.h>

static int enter(void **state)
{
    (void)state;
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/io/bad", root ? root : ".");
    return chdir(path);
}

static void check_file(const char *name)
{
    char line[512] = "", fragment[512] = "";
    int row = 0, col = 0;
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    line[strcspn(line, "\n")] = 0;
    assert_int_equal(sscanf(line, "# expect: %d:%d %511[^\n]", &row, &col, fragment), 3);

    tml_spec *spec = NULL;
    tml_error err = {0};
    const tml_status st = tml_spec_read(name, NULL, 0, NULL, &spec, &err);
    if (st == TML_OK || spec) fail_msg("%s is accepted", name);
    assert_int_equal(st, err.status);
    if (err.line != row || err.col != col || !strstr(err.msg, fragment))
        fail_msg("%s: found %d:%d %s\n  expected %d:%d %s", name, err.line, err.col, err.msg, row, col,
                 fragment);
    assert_true(strstr(name, "include_") || strcmp(err.file, name) == 0);
}

static void bad_files(void **state)
{
    (void)state;
    DIR *dir = opendir(".");
    assert_non_null(dir);
    int count = 0;
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0) continue;
        check_file(e->d_name);
        count++;
    }
    closedir(dir);
    assert_true(count >= 110);
}

static void expect(const char *text, size_t length, int line, int col, const char *fragment)
{
    tml_spec *spec = NULL;
    tml_error err = {0};
    const tml_status st = tml_spec_parse(text, length, "text.yaml", NULL, 0, NULL, &spec, &err);
    assert_true(st < 0);
    assert_null(spec);
    if (err.line != line || err.col != col || !strstr(err.msg, fragment))
        fail_msg("found %d:%d %s\n  expected %d:%d %s", err.line, err.col, err.msg, line, col, fragment);
}

static void bad_bytes(void **state)
{
    (void)state;
    expect("", 0, 1, 1, "empty");
    expect(NULL, 0, 1, 1, "empty");
    expect("title: a\n\0b", 11, 2, 1, "binary");
    expect("title: \xc3\x28", 9, 1, 8, "UTF-8");
    expect("title: \xed\xa0\x80", 10, 1, 8, "UTF-8");
    expect("\xff\xfet\0", 4, 1, 1, "UTF-8");
    expect("t\x1b: 3", 5, 1, 2, "0x1B");
}

static void bad_paths(void **state)
{
    (void)state;
    tml_spec *spec = NULL;
    tml_error err = {0};
    assert_int_equal(tml_spec_read("no_such_file.yaml", NULL, 0, NULL, &spec, &err), TML_ERR_IO);
    assert_string_equal(err.file, "no_such_file.yaml");
    assert_non_null(strstr(err.msg, "No such file"));
    assert_int_equal(tml_spec_read(".", NULL, 0, NULL, &spec, &err), TML_ERR_IO);
    assert_non_null(strstr(err.msg, "directory"));
    assert_int_equal(tml_spec_read(NULL, NULL, 0, NULL, &spec, &err), TML_ERR_ARG);
    assert_int_equal(tml_spec_parse("", (size_t)65 << 20, "x", NULL, 0, NULL, &spec, NULL), TML_ERR_IO);
}

// Deep nesting and repeated aliases must end in an error, quickly.
static void bombs(void **state)
{
    (void)state;
    char deep[2001];
    memset(deep, '[', 2000);
    deep[2000] = 0;
    tml_spec *spec = NULL;
    tml_error err = {0};
    assert_int_equal(tml_spec_parse(deep, 2000, "x", NULL, 0, NULL, &spec, &err), TML_ERR_SYNTAX);

    char laughs[4000] = "a0: &a0 {x: 1, y: 2, z: 3}\n";
    for (int i = 1; i < 40; i++) {
        char line[80];
        snprintf(line, sizeof line, "a%d: &a%d {<<: [*a%d, *a%d], n%d: [*a%d, *a%d]}\n", i, i, i - 1, i - 1,
                 i, i - 1, i - 1);
        strcat(laughs, line);
    }
    assert_int_equal(tml_spec_parse(laughs, strlen(laughs), "x", NULL, 0, NULL, &spec, &err), TML_ERR_NAME);
    assert_null(spec);

    // one body with 2000 frames under 2000 names: 4e6 frames
    const size_t room = 200000;
    char *text = malloc(room);
    assert_non_null(text);
    size_t used = (size_t)snprintf(text, room, "bodies:\n  b: &b\n    mass: 0\n    frames:\n");
    for (int i = 0; i < 2000; i++)
        used += (size_t)snprintf(text + used, room - used, "      f%d: [0, 0, 0]\n", i);
    for (int i = 0; i < 2000; i++) used += (size_t)snprintf(text + used, room - used, "  c%d: *b\n", i);
    assert_int_equal(tml_spec_parse(text, used, "x", NULL, 0, NULL, &spec, &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "more than 1000000 entries"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files),
        cmocka_unit_test(bad_bytes),
        cmocka_unit_test(bad_paths),
        cmocka_unit_test(bombs),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}

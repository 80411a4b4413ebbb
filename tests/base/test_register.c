// The files of a command: what is written is neither read nor written under another name.
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "base/register.h"
#include "base/target.h"
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct tml_files files;
static tml_env env;
static tml_error err;

static int begin(void **state)
{
    (void)state;
    tmli_files_begin(&files);
    env = (tml_env){.files = &files};
    unlink("r_link.txt");
    unlink("r_new.txt");
    return tmli_file_write("r_in.txt", "in", 2, false, NULL, &err);
}

static int end(void **state)
{
    (void)state;
    tmli_files_clear(&files);
    return 0;
}

static tml_status read_file(const char *path, char reason[TMLI_FILE_REASON])
{
    tmli_bytes bytes;
    const tml_status st = tmli_file_load(path, NULL, 100, TMLI_FILE_REGULAR, &env, &bytes, reason);
    tmli_free(&env, bytes.data);
    return st;
}

static void test_read_before(void **state)
{
    (void)state;
    char reason[TMLI_FILE_REASON];
    assert_int_equal(read_file("r_in.txt", reason), TML_OK);
    assert_int_equal(symlink("r_in.txt", "r_link.txt"), 0);
    assert_int_equal(tmli_file_write("r_link.txt", "x", 1, false, &env, &err), TML_ERR_IO);
    assert_non_null(strstr(err.msg, "'r_link.txt': it would overwrite a file that is read ('r_in.txt')"));
    tmli_used_file other;
    assert_int_equal(tmli_files_add(&files, TMLI_USE_WRITTEN, "--out", "./r_in.txt", &other), TML_ERR_ARG);
    assert_string_equal(other.path, "r_in.txt");
    tmli_used_file_clear(&other);
    assert_int_equal(tmli_files_add(&files, TMLI_USE_READ, "the model", "r_in.txt", &other), TML_OK);
    assert_int_equal(tmli_files_add(&files, TMLI_USE_KEPT, "--out", "r_link.txt", &other), TML_ERR_ARG);
    assert_string_equal(other.what, "the model");
    tmli_used_file_clear(&other);
    assert_int_equal(read_file("r_in.txt", reason), TML_OK);
}

static void test_read_after(void **state)
{
    (void)state;
    char reason[TMLI_FILE_REASON];
    tmli_used_file other;
    assert_int_equal(link("r_in.txt", "r_link.txt"), 0);
    assert_int_equal(tmli_files_add(&files, TMLI_USE_WRITTEN, "--out", "r_link.txt", &other), TML_OK);
    assert_int_equal(read_file("r_in.txt", reason), TML_ERR_IO);
    assert_string_equal(reason, "--out 'r_link.txt' would overwrite it");
    assert_int_equal(read_file("r_link.txt", reason), TML_ERR_IO);
    assert_string_equal(reason, "--out would overwrite it");
    tmli_digest d;
    assert_int_equal(tmli_file_digest("r_in.txt", NULL, 100, &env, &d, reason), TML_ERR_IO);
    assert_int_equal(tmli_file_write("r_link.txt", "x", 1, false, &env, &err), TML_OK);
    assert_int_equal(read_file("r_link.txt", reason), TML_OK);  // its own
    assert_int_equal(read_file("r_in.txt", reason), TML_OK);    // no longer the same
}

static void test_twice(void **state)
{
    (void)state;
    tmli_used_file other;
    assert_int_equal(tmli_file_write("r_new.txt", "x", 1, false, &env, &err), TML_OK);
    assert_int_equal(tmli_file_write("./r_new.txt", "x", 1, false, &env, &err), TML_ERR_IO);
    assert_non_null(strstr(err.msg, "it is written already"));
    assert_int_equal(tmli_files_add(&files, TMLI_USE_KEPT, "--save", "r_new.txt", &other), TML_ERR_ARG);
    tmli_used_file_clear(&other);
    unlink("r_keep.txt");
    assert_int_equal(tmli_files_add(&files, TMLI_USE_KEPT, "the checkpoint", "r_keep.txt", &other), TML_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(tmli_file_write("r_keep.txt", "x", 1, false, &env, &err), TML_OK);
    tmli_draft a, b;
    assert_int_equal(tmli_draft_open(&a, "r_both.txt", &env, &err), TML_OK);
    assert_int_equal(tmli_draft_open(&b, "r_both.txt", &env, &err), TML_OK);
    assert_int_equal(tmli_draft_close(&a, TML_OK, &err), TML_OK);
    assert_int_equal(tmli_draft_close(&b, TML_OK, &err), TML_ERR_IO);
    for (int i = 0; i < 2; i++)  // devices are no files
        assert_int_equal(tmli_file_write("/dev/null", "x", 1, false, &env, &err), TML_OK);
}

// What is told of a file stays as it is, however many files others add.
static void test_many(void **state)
{
    (void)state;
    tmli_used_file found, other;
    assert_int_equal(tmli_files_find(&files, TMLI_USE_WRITTEN, "r_in.txt", &found), TML_OK);
    assert_int_equal(tmli_files_add(&files, TMLI_USE_WRITTEN, "--out", "r_0.txt", &other), TML_OK);
    assert_int_equal(tmli_files_find(&files, TMLI_USE_WRITTEN, "./r_0.txt", &found), TML_ERR_ARG);
    for (int i = 1; i < 100; i++) {
        char path[20];
        snprintf(path, sizeof path, "r_%d.txt", i);
        assert_int_equal(tmli_files_add(&files, TMLI_USE_WRITTEN, "--csv", path, &other), TML_OK);
    }
    assert_int_equal(found.use, TMLI_USE_WRITTEN);
    assert_string_equal(found.path, "r_0.txt");
    assert_string_equal(found.what, "--out");
    tmli_used_file_clear(&found);
}

// The reason of a draft is that of its first write that failed, however much is printed after it.
static void test_reason(void **state)
{
    (void)state;
    struct rlimit old, low;
    tmli_draft d;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low = old;
    low.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(tmli_draft_open(&d, "r_large.txt", &env, &err), TML_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    for (int i = 0; i < 100000; i++) fputs("0123456789", d.out);
    errno = 0;
    assert_int_equal(tmli_draft_close(&d, TML_OK, &err), TML_ERR_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_non_null(strstr(err.msg, "File too large"));
    assert_int_not_equal(access("r_large.txt", F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_read_before, begin, end),
        cmocka_unit_test_setup_teardown(test_read_after, begin, end),
        cmocka_unit_test_setup_teardown(test_twice, begin, end),
        cmocka_unit_test_setup_teardown(test_many, begin, end),
        cmocka_unit_test_setup_teardown(test_reason, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

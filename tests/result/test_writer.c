// Writers of results: what is written reads back bit for bit, in both formats; failures are told and leave
// nothing behind.
#define _POSIX_C_SOURCE 200809L
#include "fixture.h"

// 0 rows, less than a block, exactly a block, blocks and a rest
static void test_round_trip(void **state)
{
    fixture *f = *state;
    const size_t sizes[] = {0, 1, 255, 256, 777};
    for (size_t e = 0; e < 3; e++) {
        for (size_t s = 0; s < 5; s++) {
            char name[32];
            snprintf(name, sizeof name, "r%zu.%s", s, endings[e]);
            tml_error err = {0};
            tml_writer *w = open_writer(f, name);
            write_rows(w, 0, sizes[s]);
            assert_int_equal(tml_writer_close(w, &err), TML_OK);
            tmli_result *r = NULL;
            if (read_any(f->path, NULL, &r, &err) != TML_OK) fail_msg("%s", err.msg);
            assert_int_equal(r->nrows, sizes[s]);
            check_cells(r);
            assert_int_equal(tmli_result_column(r, "pin.torque"), 6);
            assert_int_equal(tmli_result_column(r, "pin.torqu"), -1);
            tmli_result_destroy(r);
        }
    }
}

static void test_units_and_notes(void **state)
{
    fixture *f = *state;
    tml_error err = {0};
    tml_writer *w = open_writer(f, "x.h5");
    assert_int_equal(tml_writer_close(w, &err), TML_OK);
    tmli_result *r = NULL;
    assert_int_equal(tmli_result_read_hdf5(f->path, NULL, &r, &err), TML_OK);
    for (int i = 0; i < N; i++) assert_string_equal(r->units[i], channels[i].unit);
    assert_int_equal(r->nnotes, 3);
    for (int i = 0; i < 3; i++) assert_string_equal(tmli_result_note(r, f->notes[i].name), f->notes[i].text);
    assert_null(tmli_result_note(r, "version"));
    tmli_result_destroy(r);
}

// The records of /channels: group, owner, quantity, component, and whether reactions are unique.
static void test_channel_table(void **state)
{
    fixture *f = *state;
    tml_error err = {0};
    tml_writer *w = open_writer(f, "x.h5");
    write_rows(w, 0, 3);
    assert_int_equal(tml_writer_close(w, &err), TML_OK);
    typedef struct record {
        char name[32], unit[8], group[16], owner[16], quantity[16], determined[16];
        int component;
    } record;
    static const char *const texts[] = {"name", "unit", "group", "owner", "quantity", "determined"};
    const size_t at[] = {offsetof(record, name),     offsetof(record, unit),     offsetof(record, group),
                         offsetof(record, owner),    offsetof(record, quantity), offsetof(record, determined),
                         offsetof(record, component)};
    const hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT),
                d = H5Dopen2(file, "/channels", H5P_DEFAULT), type = H5Tcreate(H5T_COMPOUND, sizeof(record));
    for (int k = 0; k < 6; k++) {
        const hid_t text = tmli_h5_string_type((k < 5 ? at[k + 1] : at[6]) - at[k]);
        assert_true(H5Tinsert(type, texts[k], at[k], text) >= 0);
        H5Tclose(text);
    }
    assert_true(H5Tinsert(type, "component", at[6], H5T_NATIVE_INT) >= 0);
    record r[N];
    assert_true(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, r) >= 0);
    static const char *const expected[N][4] = {{"", "", "t", ""},
                                               {"bodies", "crank", "position", ""},
                                               {"bodies", "crank", "position", ""},
                                               {"bodies", "crank", "position", ""},
                                               {"bodies", "arm", "angle", ""},
                                               {"joints", "pin", "load", "shared"},
                                               {"joints", "pin", "load", "indeterminate"}};
    for (int i = 0; i < N; i++) {
        assert_string_equal(r[i].name, channels[i].name);
        assert_string_equal(r[i].unit, channels[i].unit);
        assert_string_equal(r[i].group, expected[i][0]);
        assert_string_equal(r[i].owner, expected[i][1]);
        assert_string_equal(r[i].quantity, expected[i][2]);
        assert_string_equal(r[i].determined, expected[i][3]);
        assert_int_equal(r[i].component, channels[i].component);
    }
    H5Tclose(type);
    H5Dclose(d);
    const hid_t values = H5Dopen2(file, "/values", H5P_DEFAULT), space = H5Dget_space(values);
    hsize_t dims[2];
    assert_int_equal(H5Sget_simple_extent_dims(space, dims, NULL), 2);
    assert_true(dims[0] == 3 && dims[1] == N);
    H5Sclose(space);
    H5Dclose(values);
    H5Fclose(file);
}

static void test_csv_text(void **state)
{
    fixture *f = *state;
    const tml_channel c[] = {{.name = "t", .unit = "s", .dataset = "/t", .width = 1},
                             {.name = "x", .unit = "m", .dataset = "/x", .width = 1}};
    const double rows[][2] = {{0.1, NAN}, {1e-9, INFINITY}, {-2.5, -INFINITY}, {1.0 / 3, 1e22}};
    tml_writer *w = NULL;
    assert_int_equal(tml_writer_create(in_dir(f, "a.CSV"), c, 2, NULL, 0, NULL, &w, NULL), TML_OK);
    for (int i = 0; i < 4; i++) assert_int_equal(tml_writer_row(w, rows[i], NULL), TML_OK);
    assert_int_equal(tml_writer_close(w, NULL), TML_OK);
    char got[256] = "";
    FILE *file = fopen(f->path, "r");
    assert_non_null(file);
    assert_true(fread(got, 1, sizeof got - 1, file) > 0);
    fclose(file);
    assert_string_equal(got, "t,x\n# [s],[m]\n0.1,nan\n1e-09,inf\n-2.5,-inf\n0.3333333333333333,1e+22\n");
}

static void check_refused(const char *path, const tml_channel *c, int n, tml_status expected,
                          const char *word)
{
    tml_error err = {0};
    tml_writer *w = (tml_writer *)&err;
    assert_int_equal(tml_writer_create(path, c, n, NULL, 0, NULL, &w, &err), expected);
    assert_null(w);
    if (!strstr(err.msg, word)) fail_msg("'%s' is not in: %s", word, err.msg);
    assert_int_equal(tml_writer_create(path, c, n, NULL, 0, NULL, &w, NULL), expected);
}

static void test_refusals(void **state)
{
    fixture *f = *state;
    check_refused(in_dir(f, "x.txt"), channels, N, TML_ERR_ARG, ".txt");
    check_refused(in_dir(f, "x"), channels, N, TML_ERR_ARG, "no extension");
    check_refused("/a.csv/x", channels, N, TML_ERR_ARG, "no extension");
    check_refused(in_dir(f, "x.csv"), channels, 0, TML_ERR_ARG, "no channels");
    check_refused(in_dir(f, "x.csv"), channels, 3, TML_ERR_ARG, "width 3");      // dataset cut off
    check_refused(in_dir(f, "x.csv"), channels + 2, 2, TML_ERR_ARG, "width 3");  // starts at component 1
    check_refused(in_dir(f, "none/x.csv"), channels, N, TML_ERR_IO, "none/x.csv': No such file or directory");
    check_refused(in_dir(f, "none/x.h5"), channels, N, TML_ERR_IO, "none/x.h5': No such file or directory");

    tml_channel c[2] = {{.name = "t", .unit = "s", .dataset = "/t", .width = 1},
                        {.name = "t", .unit = "m", .dataset = "/x", .width = 1}};
    check_refused(in_dir(f, "x.h5"), c, 2, TML_ERR_NAME, "'t'");
    c[1].name = "x";
    c[1].component = 1;
    check_refused(in_dir(f, "x.h5"), c, 2, TML_ERR_ARG, "component 1");
    c[1].component = 0;
    c[1].unit = "m,m";
    check_refused(in_dir(f, "x.h5"), c, 2, TML_ERR_ARG, "unit");
    c[1].unit = "m";
    c[1].determined = "";
    check_refused(in_dir(f, "x.h5"), c, 2, TML_ERR_ARG, "determined");
    c[1].determined = NULL;
    const char *const bad_paths[] = {"x", "/", "/x/", "/a//b", "", NULL};
    for (int i = 0; i < 6; i++) {
        c[1].dataset = bad_paths[i];
        check_refused(in_dir(f, "x.h5"), c, 2, TML_ERR_ARG, "'x'");
    }
    assert_int_equal(access(f->path, F_OK), -1);  // nothing was created by all this
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);

    if (geteuid() != 0) {
        chmod(f->dir, 0500);
        check_refused(in_dir(f, "y.csv"), channels, N, TML_ERR_IO, "Permission denied");
        check_refused(in_dir(f, "y.h5"), channels, N, TML_ERR_IO, "Permission denied");
        chmod(f->dir, 0700);
    }
    mkdir(in_dir(f, "d.csv"), 0700);
    check_refused(f->path, channels, N, TML_ERR_IO, "Is a directory");
    mkdir(in_dir(f, "d.h5"), 0700);
    check_refused(f->path, channels, N, TML_ERR_IO, "Is a directory");
    assert_int_equal(tml_writer_close(NULL, NULL), TML_OK);
    assert_int_equal(tml_writer_row(NULL, NULL, NULL), TML_ERR_ARG);
}

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

// A file that exists stays until the new one is there, through links, and while another run writes it.
static void test_target(void **state)
{
    fixture *f = *state;
    tml_error err = {0};
    for (int e = 0; e < 2; e++) {
        char name[32], link[128];
        snprintf(name, sizeof name, "real.%s", endings[e]);
        put_text(in_dir(f, name), "old");
        snprintf(link, sizeof link, "%s/link.%s", f->dir, endings[e]);
        assert_int_equal(symlink(name, link), 0);
        tml_writer *w = NULL, *second = NULL;
        assert_int_equal(tml_writer_create(link, channels, N, NULL, 0, NULL, &w, &err), TML_OK);
        assert_int_equal(tml_writer_create(f->path, channels, N, NULL, 0, NULL, &second, &err), TML_ERR_IO);
        assert_non_null(strstr(err.msg, "another program is writing it"));
        write_rows(w, 0, 5);
        assert_int_equal(tml_writer_close(w, &err), TML_OK);
        struct stat info;
        assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
        tmli_result *r = NULL;
        assert_int_equal(read_any(f->path, NULL, &r, &err), TML_OK);
        assert_int_equal(r->nrows, 5);
        tmli_result_destroy(r);

        assert_int_equal(tml_writer_create(f->path, channels, N, NULL, 0, NULL, &w, &err), TML_OK);
        unlink(f->path);
        assert_int_equal(tml_writer_close(w, &err), TML_ERR_IO);
        assert_non_null(strstr(err.msg, "deleted or replaced"));
    }
}

static void test_dev_full(void **state)
{
    fixture *f = *state;
    if (access("/dev/full", W_OK) != 0) skip();
    assert_int_equal(symlink("/dev/full", in_dir(f, "full.csv")), 0);
    check_refused(f->path, channels, N, TML_ERR_IO, "full.csv': No space left on device");
    assert_int_equal(symlink("/dev/full", in_dir(f, "full.h5")), 0);
    check_refused(f->path, channels, N, TML_ERR_IO, "full.h5': No space left on device");
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

// A full disk in the middle of a run, by a limit on the size of files (in a child, since the limit stays).
static int run_into_limit(fixture *f, const char *name)
{
    signal(SIGXFSZ, SIG_IGN);
    tml_error err = {0}, again = {0};
    tml_writer *w = NULL;
    if (tml_writer_create(in_dir(f, name), channels, N, f->notes, 1, NULL, &w, &err) != TML_OK) return 1;
    const struct rlimit limit = {100000, 100000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    double x[N];
    tml_status st = TML_OK;
    for (size_t k = 0; k < 100000 && st == TML_OK; k++) {
        fill_row(k, x);
        st = tml_writer_row(w, x, &err);
    }
    if (st != TML_ERR_IO || !strstr(err.msg, name) || !strstr(err.msg, "File too large")) return 3;
    if (tml_writer_row(w, x, &again) != TML_ERR_IO || strcmp(again.msg, err.msg) != 0) return 4;
    again = (tml_error){0};
    if (tml_writer_close(w, &again) != TML_ERR_IO || strcmp(again.msg, err.msg) != 0) return 5;
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0) return 6;
    return 0;
}

static void test_full_while_running(void **state)
{
    fixture *f = *state;
    const char *const names[] = {"limit.csv", "limit.h5"};
    for (int i = 0; i < 2; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) exit(run_into_limit(f, names[i]));
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    tmli_result *r = NULL;  // the blocks before the failed one are still there
    assert_int_equal(tmli_result_read_hdf5(in_dir(f, "limit.h5"), NULL, &r, NULL), TML_OK);
    check_cells(r);
    tmli_result_destroy(r);
    assert_int_equal(tmli_result_read_csv(in_dir(f, "limit.csv"), NULL, &r, NULL), TML_OK);
    assert_in_range(r->nrows, 500, 100000 / N);
    check_cells(r);
    tmli_result_destroy(r);
}

// Start a child that writes `rows` rows, says so, and waits; kill it then, and read what it left.
static tmli_result *read_after_kill(fixture *f, const char *name, size_t rows)
{
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tml_writer *w = NULL;
        double x[N];
        if (tml_writer_create(in_dir(f, name), channels, N, f->notes, 3, NULL, &w, NULL) != TML_OK) _exit(1);
        for (size_t k = 0; k < rows; k++) {
            fill_row(k, x);
            if (tml_writer_row(w, x, NULL) != TML_OK) _exit(2);
        }
        if (write(ready[1], "x", 1) != 1) _exit(3);
        for (;;) pause();
    }
    close(ready[1]);
    char byte = 0;
    const bool said = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    kill(child, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(said && WIFSIGNALED(status));
    tmli_result *r = NULL;
    tml_error err = {0};
    if (read_any(in_dir(f, name), NULL, &r, &err) != TML_OK) fail_msg("%s", err.msg);
    return r;
}

static void test_kill(void **state)
{
    fixture *f = *state;
    tmli_result *r = read_after_kill(f, "killed.h5", 10000);
    assert_in_range(r->nrows, 8192, 10000);  // two blocks of 4096; more if a second has passed
    check_cells(r);
    for (int i = 0; i < 3; i++) assert_string_equal(tmli_result_note(r, f->notes[i].name), f->notes[i].text);
    tmli_result_destroy(r);

    r = read_after_kill(f, "early.h5", 0);
    assert_int_equal(r->nrows, 0);
    check_cells(r);
    tmli_result_destroy(r);

    r = read_after_kill(f, "killed.csv", 10000);
    assert_in_range(r->nrows, 5000, 10000);  // a row has some 150 bytes, the buffer 256 KB
    check_cells(r);
    tmli_result_destroy(r);
}

// Another program cuts a result while rows wait: an error, also where the next block of rows is written
// behind the gap, which would be read as zeros.
static void test_cut_while_running(void **state)
{
    fixture *f = *state;
    for (int e = 0; e < 2; e++) {
        for (size_t rows = 4200; rows <= 20000; rows += 3950) {
            tml_writer *w = open_writer(f, e ? "cut.h5" : "cut.csv");
            tml_error err = {0};
            write_rows(w, 0, 4097);
            assert_int_equal(tml_writer_flush(w, &err), TML_OK);
            assert_int_equal(truncate(f->path, 2000), 0);
            tml_status st = TML_OK;
            for (size_t k = 4097; k < rows && st == TML_OK; k++) {
                double x[N];
                fill_row(k, x);
                st = tml_writer_row(w, x, &err);
            }
            const tml_status closed = tml_writer_close(w, st == TML_OK ? &err : NULL);
            assert_int_equal(st == TML_OK ? closed : st, TML_ERR_IO);
            assert_non_null(strstr(err.msg, "was cut by another program"));
        }
    }
}

// Rows reach the file about a second after they were given, however few they are.
static void test_timed_flush(void **state)
{
    fixture *f = *state;
    tml_writer *csv = open_writer(f, "slow.csv"), *h5 = open_writer(f, "slow.h5");
    struct stat before[2], after[2];
    write_rows(csv, 0, 3);
    write_rows(h5, 0, 3);
    assert_int_equal(stat(in_dir(f, "slow.csv"), &before[0]), 0);
    assert_int_equal(stat(in_dir(f, "slow.h5"), &before[1]), 0);
    nanosleep(&(struct timespec){1, 50000000}, NULL);
    write_rows(csv, 3, 4);
    write_rows(h5, 3, 4);
    assert_int_equal(stat(in_dir(f, "slow.csv"), &after[0]), 0);
    assert_int_equal(stat(in_dir(f, "slow.h5"), &after[1]), 0);
    assert_true(after[0].st_size > before[0].st_size);
    assert_true(after[1].st_size > before[1].st_size);
    write_rows(csv, 4, 300);
    write_rows(h5, 4, 300);
    const char *const names[] = {"slow.csv", "slow.h5"};
    assert_int_equal(tml_writer_close(csv, NULL), TML_OK);
    assert_int_equal(tml_writer_close(h5, NULL), TML_OK);
    for (int i = 0; i < 2; i++) {
        tmli_result *r = NULL;
        assert_int_equal(read_any(in_dir(f, names[i]), NULL, &r, NULL), TML_OK);
        assert_int_equal(r->nrows, 300);
        check_cells(r);
        tmli_result_destroy(r);
    }
}

// ---- memory ----------------------------------------------------------------------------------------------

typedef struct meter {
    long calls, fail_at, live;
} meter;

static void *meter_alloc(size_t bytes, void *user)
{
    meter *m = user;
    if (++m->calls == m->fail_at) return NULL;
    m->live++;
    return malloc(bytes);
}

static void meter_free(void *p, void *user)
{
    ((meter *)user)->live--;
    free(p);
}

static void test_no_memory(void **state)
{
    fixture *f = *state;
    for (int e = 0; e < 2; e++) {
        char name[32];
        snprintf(name, sizeof name, "m.%s", endings[e]);
        in_dir(f, name);
        for (int reading = 0; reading < 2; reading++) {
            tml_status st = TML_ERR_NOMEM;
            long k = 0;
            while (st != TML_OK) {
                meter m = {.fail_at = ++k};
                const tml_env env = {.alloc = meter_alloc, .free = meter_free, .user = &m};
                tml_error err = {0};
                tml_writer *w = NULL;
                tmli_result *r = NULL;
                if (reading) st = read_any(f->path, &env, &r, &err);
                else st = tml_writer_create(f->path, channels, N, f->notes, 3, &env, &w, &err);
                if (st == TML_OK) {
                    const long calls = m.calls;
                    if (w) write_rows(w, 0, 300);
                    assert_int_equal(m.calls, calls);  // rows do not allocate
                    assert_int_equal(tml_writer_close(w, &err), TML_OK);
                    if (r) check_cells(r);
                    tmli_result_destroy(r);
                } else {
                    assert_int_equal(st, TML_ERR_NOMEM);
                    assert_int_equal(err.status, TML_ERR_NOMEM);
                    assert_true(err.msg[0] && !w && !r);
                }
                assert_int_equal(m.live, 0);
                assert_true(k < 1000);
            }
            assert_true(k > 3);
        }
    }
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static herr_t count_prints(hid_t stack, void *user)
{
    (void)stack;
    ++*(int *)user;
    return 0;
}

// The caller's error handler of HDF5 is not called by us, and still there afterwards.
static void test_quiet(void **state)
{
    fixture *f = *state;
    int prints = 0;
    H5E_auto2_t before = NULL, after = NULL;
    void *before_data = NULL, *after_data = NULL;
    H5Eget_auto2(H5E_DEFAULT, &before, &before_data);
    H5Eset_auto2(H5E_DEFAULT, count_prints, &prints);
    tmli_result *r = NULL;
    assert_int_equal(tmli_result_read_hdf5(in_dir(f, "none.h5"), NULL, &r, NULL), TML_ERR_IO);
    check_refused(in_dir(f, "none/q.h5"), channels, N, TML_ERR_IO, "q.h5");
    H5Eget_auto2(H5E_DEFAULT, &after, &after_data);
    H5Eset_auto2(H5E_DEFAULT, before, before_data);
    assert_int_equal(prints, 0);
    assert_true(after == count_prints && after_data == &prints);
}

// Some thousand channels: order of the columns and values survive.
static void test_many(void **state)
{
    fixture *f = *state;
    enum { BODIES = 1000, COLS = 1 + 3 * BODIES, ROWS = 300 };
    tml_channel *c = calloc(COLS, sizeof *c);
    char(*text)[32] = calloc(2 * COLS, sizeof *text);
    double *x = calloc(COLS, sizeof *x);
    c[0] = channels[0];
    for (int i = 1; i < COLS; i++) {
        const int body = (i - 1) / 3, k = (i - 1) % 3;
        snprintf(text[2 * i], sizeof *text, "b%d.%c", body, "xyz"[k]);
        snprintf(text[2 * i + 1], sizeof *text, "/bodies/b%d/position", body);
        c[i] = (tml_channel){
            .name = text[2 * i], .unit = "m", .dataset = text[2 * i + 1], .component = k, .width = 3};
    }
    tml_writer *w = NULL;
    tml_error err = {0};
    assert_int_equal(tml_writer_create(in_dir(f, "many.h5"), c, COLS, NULL, 0, NULL, &w, &err), TML_OK);
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < COLS; i++) x[i] = row * 0.731 + i / 7.0;
        assert_int_equal(tml_writer_row(w, x, &err), TML_OK);
    }
    assert_int_equal(tml_writer_close(w, &err), TML_OK);
    tmli_result *r = NULL;
    assert_int_equal(tmli_result_read_hdf5(f->path, NULL, &r, &err), TML_OK);
    assert_int_equal(r->ncols, COLS);
    assert_int_equal(r->nrows, ROWS);
    for (int i = 0; i < COLS; i++) {
        assert_string_equal(r->names[i], c[i].name);
        for (int row = 0; row < ROWS; row++)
            if (r->values[(size_t)row * COLS + (size_t)i] != row * 0.731 + i / 7.0)
                fail_msg("row %d column %d", row, i);
    }
    tmli_result_destroy(r);
    free(c);
    free(text);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_units_and_notes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_channel_table, setup, teardown),
        cmocka_unit_test_setup_teardown(test_target, setup, teardown),
        cmocka_unit_test_setup_teardown(test_csv_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dev_full, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full_while_running, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kill, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cut_while_running, setup, teardown),
        cmocka_unit_test_setup_teardown(test_timed_flush, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_quiet, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

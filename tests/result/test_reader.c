// Readers of results: malformed, cut and torn files are refused or read as far as they are sound.
#define _POSIX_C_SOURCE 200809L
#include "fixture.h"

static void put_file(const char *path, const char *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

static void test_malformed_csv(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *text;
        int line;
        const char *word;
    } cases[] = {
        {"", 1, "empty"},
        {"t,x", 1, "end of the line"},
        {"t,,x\n", 1, "Column 2"},
        {"t,\"x\n", 1, "Column 2"},
        {"t,x\n1,2\n3\n", 3, "comma"},
        {"t,x\n1,2,3\n", 2, "does not end"},
        {"t,x\n,1\n", 2, "'t'"},
        {"t,x\n1,2\n\n", 3, "'t'"},
        {"t,x\n1,0x1p3\n", 2, ""},
        {"t,x\n1,bar\n", 2, "'bar'"},
        {"a,b,c,d,e,f,g,h,i\n\n\n\n\n\n\n\n\n\n\n\n\n\n", 2, "'a'"},
    };
    in_dir(f, "bad.csv");
    tmli_result *r = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tml_error err = {0};
        put_file(f->path, cases[i].text, strlen(cases[i].text));
        assert_int_equal(tmli_result_read_csv(f->path, NULL, &r, &err), TML_ERR_SYNTAX);
        assert_null(r);
        assert_int_equal(err.line, cases[i].line);
        assert_string_equal(err.file, f->path);
        if (!strstr(err.msg, cases[i].word)) fail_msg("'%s' is not in: %s", cases[i].word, err.msg);
    }
    put_file(f->path, "t\n1\0\n", 5);
    assert_int_equal(tmli_result_read_csv(f->path, NULL, &r, NULL), TML_ERR_SYNTAX);
    static const char good[] = "t,\"a,\"\"b\"\r\n.5,-inf\r\n";
    put_file(f->path, good, sizeof good - 1);
    assert_int_equal(tmli_result_read_csv(f->path, NULL, &r, NULL), TML_OK);
    assert_string_equal(r->names[1], "a,\"b");
    assert_true(r->nrows == 1 && r->values[0] == 0.5 && r->values[1] == -INFINITY);
    tmli_result_destroy(r);
    static const char gaps[] = "t,a,b\n0.7,,3\r\n0.9,-2,\r\n1,,\n";
    put_file(f->path, gaps, sizeof gaps - 1);
    assert_int_equal(tmli_result_read_csv(f->path, NULL, &r, NULL), TML_OK);
    const double *const x = r->values;
    assert_true(r->nrows == 3 && x[0] == 0.7 && isnan(x[1]) && x[2] == 3 && x[4] == -2 && isnan(x[5]));
    assert_true(x[6] == 1 && isnan(x[7]) && isnan(x[8]));
    tmli_result_destroy(r);
    assert_int_equal(tmli_result_read_csv(in_dir(f, "none.csv"), NULL, &r, NULL), TML_ERR_IO);
    assert_int_equal(tmli_result_read_csv(f->dir, NULL, &r, NULL), TML_ERR_IO);
}

// A file cut at any length is refused with a sentence, and so is one of another kind.
static void test_malformed_hdf5(void **state)
{
    fixture *f = *state;
    tmli_result *r = NULL;
    tml_error err = {0};
    tml_writer *w = open_writer(f, "good.h5");
    write_rows(w, 0, 40);
    assert_int_equal(tml_writer_close(w, NULL), TML_OK);
    FILE *file = fopen(f->path, "rb");
    assert_non_null(file);
    static char bytes[1 << 20];
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    in_dir(f, "cut.h5");
    for (size_t n = 0; n < size; n += 997) {
        put_file(f->path, bytes, n);
        err = (tml_error){0};
        assert_int_equal(tmli_result_read_hdf5(f->path, NULL, &r, &err), TML_ERR_IO);
        assert_true(!r && strstr(err.msg, "cut.h5"));
    }
    put_file(f->path, "t,x\n1,2\n", 8);
    assert_int_equal(tmli_result_read_hdf5(f->path, NULL, &r, &err), TML_ERR_IO);
    assert_int_equal(tmli_result_read_hdf5(in_dir(f, "none.h5"), NULL, &r, &err), TML_ERR_IO);
    assert_non_null(strstr(err.msg, "No such file"));

    const hid_t h = H5Fcreate(in_dir(f, "other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Fclose(h), 0);
    assert_int_equal(tmli_result_read_hdf5(f->path, NULL, &r, &err), TML_ERR_SYNTAX);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

// A result whose rows would come from another file, in one of the three ways of HDF5, is refused: it could
// name any file.
static void test_other_files(void **state)
{
    fixture *f = *state;
    tmli_result *r = NULL;
    tml_error err = {0};
    const hsize_t shape[2] = {40, N};
    char other[sizeof f->path];
    tml_writer *w = open_writer(f, "other.h5");
    write_rows(w, 0, 40);
    assert_int_equal(tml_writer_close(w, NULL), TML_OK);
    strcpy(other, f->path);
    for (int way = 0; way < 4; way++) {
        w = open_writer(f, "elsewhere.h5");
        write_rows(w, 0, 40);
        assert_int_equal(tml_writer_close(w, NULL), TML_OK);
        const hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT),
                    create = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, shape, NULL);
        assert_true(H5Ldelete(file, "values", H5P_DEFAULT) >= 0);
        if (way == 0) H5Lcreate_external(other, "/values", file, "values", H5P_DEFAULT, H5P_DEFAULT);
        if (way == 1) H5Pset_external(create, other, 0, sizeof(double) * 40 * N);
        if (way == 2) H5Pset_virtual(create, space, other, "/values", space);
        if (way == 3) H5Lcreate_soft("/values", file, "values", H5P_DEFAULT, H5P_DEFAULT);
        if (way == 1 || way == 2) {
            const hid_t d =
                H5Dcreate2(file, "values", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT);
            assert_true(d >= 0);
            H5Dclose(d);
        }
        H5Sclose(space);
        H5Pclose(create);
        H5Fclose(file);
        assert_int_equal(tmli_result_read_hdf5(f->path, NULL, &r, &err), TML_ERR_SYNTAX);
        assert_non_null(strstr(err.msg, "lacks 'values'"));
        assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    }
}

// Rows that were announced and not written, as a kill inside a write may leave them, and a file that claims
// what it does not hold.
static void test_announced_rows(void **state)
{
    fixture *f = *state;
    tmli_result *r = NULL;
    tml_error err = {0};
    tml_writer *w = open_writer(f, "announced.h5");
    write_rows(w, 0, 40);
    assert_int_equal(tml_writer_close(w, NULL), TML_OK);
    for (int pass = 0; pass < 2; pass++) {
        const hsize_t rows[2] = {pass == 0 ? 4000 : (hsize_t)1 << 40, N};
        const hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT),
                    d = H5Dopen2(file, "/values", H5P_DEFAULT);
        assert_true(H5Dset_extent(d, rows) >= 0);
        H5Dclose(d);
        H5Fclose(file);
        const tml_status st = tmli_result_read_hdf5(f->path, NULL, &r, &err);
        if (pass == 0) {
            assert_int_equal(st, TML_OK);
            assert_int_equal(r->nrows, 40);
            check_cells(r);
            tmli_result_destroy(r);
        } else {
            assert_int_equal(st, TML_ERR_SYNTAX);
            assert_non_null(strstr(err.msg, "claims more rows"));
        }
    }
}

// A line that was cut is left out.
static void test_cut_csv(void **state)
{
    fixture *f = *state;
    tmli_result *r = NULL;
    static const char text[] = "t,x\n1,2\n2,3.7";
    put_file(in_dir(f, "cut.csv"), text, sizeof text - 1);
    assert_int_equal(tmli_result_read_csv(f->path, NULL, &r, NULL), TML_OK);
    assert_int_equal(r->nrows, 1);
    tmli_result_destroy(r);
}

// Files of the first layout, and of a later one.
static void test_layouts(void **state)
{
    fixture *f = *state;
    tmli_result *r = NULL, *csv = NULL;
    tml_error err = {0};
    const char *source = getenv("TRAMMEL_SOURCE_DIR");
    assert_non_null(source);  // set by ctest
    char path[512];
    snprintf(path, sizeof path, "%s/tests/result/data/layout1.h5", source);
    assert_int_equal(tmli_result_read_hdf5(path, NULL, &r, &err), TML_OK);
    snprintf(path, sizeof path, "%s/tests/result/data/layout1.csv", source);
    assert_int_equal(tmli_result_read_csv(path, NULL, &csv, &err), TML_OK);
    assert_int_equal(r->ncols, csv->ncols);
    assert_int_equal(r->nrows, csv->nrows);
    for (int i = 0; i < r->ncols; i++) assert_string_equal(r->names[i], csv->names[i]);
    assert_memory_equal(r->values, csv->values, r->nrows * (size_t)r->ncols * sizeof(double));
    assert_string_equal(r->units[tmli_result_column(r, "bob.x")], "m");
    assert_non_null(tmli_result_note(r, "model"));
    tmli_result_destroy(r);
    tmli_result_destroy(csv);

    tml_writer *w = open_writer(f, "later.h5");
    assert_int_equal(tml_writer_close(w, NULL), TML_OK);
    const hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT), a = H5Aopen(file, "format", H5P_DEFAULT),
                type = H5Aget_type(a);
    assert_true(H5Awrite(a, type, "trammel result 3") >= 0);
    H5Tclose(type);
    H5Aclose(a);
    H5Fclose(file);
    assert_int_equal(tmli_result_read_hdf5(f->path, NULL, &r, &err), TML_ERR_SYNTAX);
    assert_non_null(strstr(err.msg, "later version"));
}

// The file of a writer that is still open is read up to the rows that were written last.
static void test_running_writer(void **state)
{
    fixture *f = *state;
    tml_error err = {0};
    for (int e = 0; e < 3; e++) {
        char name[32];
        snprintf(name, sizeof name, "running.%s", endings[e]);
        tml_writer *w = open_writer(f, name);
        for (size_t k = 0; k < 3; k++) {
            tmli_result *r = NULL;
            write_rows(w, 700 * k, 700 * (k + 1));
            assert_int_equal(tml_writer_flush(w, &err), TML_OK);
            if (read_any(f->path, NULL, &r, &err) != TML_OK) fail_msg("%s", err.msg);
            assert_int_equal(r->nrows, 700 * (k + 1));
            check_cells(r);
            tmli_result_destroy(r);
        }
        assert_int_equal(tml_writer_close(w, &err), TML_OK);
    }
}

// A second process writes block after block while this one reads: rows are the right ones, in their order,
// and never fewer than before.
static void test_read_while_written(void **state)
{
    fixture *f = *state;
    tml_error err = {0};
    const int blocks = less_if_slow("fewer blocks") ? 40 : 150;
    tml_writer *w = open_writer(f, "busy.h5");
    write_rows(w, 0, 1);
    assert_int_equal(tml_writer_flush(w, &err), TML_OK);
    const pid_t child = fork();
    if (child == 0) {
        size_t row = 1;
        bool ok = true;
        for (int k = 0; k < blocks && ok; k++) {
            const size_t more = 1 + (size_t)(k * 37 % 300);
            write_rows(w, row, row + more);
            row += more;
            ok = tml_writer_flush(w, NULL) == TML_OK;
        }
        ok = tml_writer_close(w, NULL) == TML_OK && ok;
        _exit(ok ? 0 : 1);
    }
    assert_true(child > 0);
    size_t rows = 0;
    int status = 0;
    bool ended = false;
    while (!ended) {
        tmli_result *r = NULL;
        ended = waitpid(child, &status, WNOHANG) == child;
        if (tmli_result_read_hdf5(f->path, NULL, &r, &err) != TML_OK) fail_msg("%s", err.msg);
        assert_true(r->nrows >= rows);
        rows = r->nrows;
        check_cells(r);
        tmli_result_destroy(r);
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    size_t all = 1;
    for (int k = 0; k < blocks; k++) all += 1 + (size_t)(k * 37 % 300);
    assert_int_equal(rows, all);
    // the copy of the writer in this process must not write: its file is complete
    unlink(f->path);
    assert_int_equal(tml_writer_close(w, &err), TML_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_malformed_csv, setup, teardown),
        cmocka_unit_test_setup_teardown(test_malformed_hdf5, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_announced_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cut_csv, setup, teardown),
        cmocka_unit_test_setup_teardown(test_layouts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_running_writer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_while_written, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Rows of a result that stay in their HDF5 file and are read block by block.
//
// The file remains open. A file that changes may give pieces of two instants: reading then fails, and the
// caller reads it as a whole (reader_hdf5.c), which tries again until it is at rest.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "result/hdf5/h5source.h"
#include "result/hdf5/reader_h5.h"

typedef struct rows_in_file {
    tml_env env;
    char *path;
    hid_t file, values;
    size_t columns;
    struct stat opened;  // the file as it was
} rows_in_file;

static bool has_changed(const rows_in_file *s)
{
    struct stat now;
    return stat(s->path, &now) != 0 || now.st_size != s->opened.st_size || now.st_ino != s->opened.st_ino ||
           now.st_mtim.tv_sec != s->opened.st_mtim.tv_sec || now.st_mtim.tv_nsec != s->opened.st_mtim.tv_nsec;
}

static bool read_block(const rows_in_file *s, size_t first, size_t count, double *rows)
{
    const hsize_t start[2] = {first, 0}, size[2] = {count, s->columns};
    const hid_t stored = H5Dget_space(s->values), memory = H5Screate_simple(2, size, NULL);
    const bool read = stored >= 0 && memory >= 0 &&
                      H5Sselect_hyperslab(stored, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                      H5Dread(s->values, H5T_NATIVE_DOUBLE, memory, stored, H5P_DEFAULT, rows) >= 0;
    if (stored >= 0) H5Sclose(stored);
    if (memory >= 0) H5Sclose(memory);
    return read;
}

static tml_status read_rows(void *self, size_t first, size_t count, double *rows, tml_error *err)
{
    const rows_in_file *s = self;
    char reason[TMLI_H5_REASON] = "it changes while it is read";
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    bool good = !has_changed(s);
    if (good && !read_block(s, first, count, rows)) {
        tmli_h5_reason(reason);
        good = false;
    }
    const int fault = good ? tmli_h5_source_fault(s->file) : 0;  // of an index, too
    if (fault) snprintf(reason, sizeof reason, "%s", strerror(fault));
    good = good && !fault;
    tmli_h5_quiet_end(quiet);
    if (good) return TML_OK;
    return tmli_fail(err, TML_ERR_IO, "Cannot read the rows of result file '%s': %s.", s->path, reason);
}

static void close_rows(void *self)
{
    rows_in_file *s = self;
    if (s->values >= 0) H5Dclose(s->values);
    if (s->file >= 0) H5Fclose(s->file);
    const tml_env env = s->env;
    tmli_free_all(&env, s->path, s);
}

// Leave out the rows at the end that a killed run announced and did not write: they have no time.
static tml_status leave_out_unwritten(tmli_h5_reading *w, const rows_in_file *s)
{
    tmli_result *r = w->r;
    const int t = tmli_result_column(r, "t");
    double *row = tmli_calloc(&r->env, (size_t)r->ncols, sizeof *row);
    if (!row) return tmli_h5_no_memory(w);
    while (t >= 0 && r->nrows > 0 && w->st == TML_OK) {
        if (!read_block(s, r->nrows - 1, 1, row)) tmli_h5_bad(w, "/values", "cannot be read");
        else if (!isnan(row[t])) break;
        else r->nrows--;
    }
    tmli_free(&r->env, row);
    return w->st;
}

tml_status tmli_h5_keep_rows(tmli_h5_reading *w, hid_t values)
{
    tmli_result *r = w->r;
    const size_t length = strlen(w->path) + 1;
    rows_in_file *s = tmli_calloc(&r->env, 1, sizeof *s);
    if (!s) return tmli_h5_no_memory(w);
    *s = (rows_in_file){.env = r->env, .file = -1, .values = -1, .columns = (size_t)r->ncols};
    r->source = (tmli_row_source){s, read_rows, close_rows};
    s->path = tmli_calloc(&r->env, length, 1);
    if (!s->path) return tmli_h5_no_memory(w);
    memcpy(s->path, w->path, length);
    if (stat(w->path, &s->opened) != 0 || H5Iinc_ref(w->file) < 0) return tmli_h5_bad(w, "/", "is gone");
    s->file = w->file;
    if (H5Iinc_ref(values) < 0) return tmli_h5_bad(w, "/values", "cannot be opened");
    s->values = values;
    return leave_out_unwritten(w, s);
}

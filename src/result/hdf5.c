// HDF5 results: one extendable dataset of doubles per path, (rows) or (rows x width); the path determines its
// group.
//
//   /t, /bodies/crank/position, ...   attributes: unit     "m", or "m,m,rad" if the columns differ
//                                                 columns  names of the channels (width)
//                                                 channel  index of the first column among all channels
//                                                 determined  reactions: "unique", "shared" or
//                                                             "indeterminate" (width)
//   /meta/NAME                        the notes: scalar strings (attributes cannot hold more than 64 KB)
//   /                                 attribute:  format   "trammel result 1"
//
// Rows are collected in a block, which is written at once: extend and write every dataset, then flush.
// Between two blocks the cache of the library agrees with the file, so that a killed process leaves a
// readable file up to the last block. Three choices serve this:
//   - format version 1.8: the superblock of 1.10 has an "open for writing" mark that makes the file of a
//     killed process unreadable until it is repaired; that of 1.8 has none;
//   - no chunk cache: the rows of a block are written directly into the chunk, one system call per dataset;
//   - chunks are not initialized: rows beyond the extent are not readable, rows below it are written.
// Writing many datasets costs time even if a block has few rows (about 20 us each). The pause between two
// blocks is therefore at least FLUSH_PAUSE_RATIO times the duration of the last write.
#include "result/writer.h"

#include <string.h>

#include "result/h5.h"
#include "result/h5sink.h"

#include "result/constants.h"

enum {
    BLOCK_ROWS = 256,            // rows of a block and of a chunk
    BLOCK_VALUES = 1280 * 1024,  // a block of very many channels has fewer rows: about 10 MB
    BLOCK_ROWS_MIN = 64,         // ... but not less, because each dataset costs time
};

typedef struct dataset {
    hid_t id;
    int first, width;  // channels
} dataset;

typedef struct h5 {
    const tml_env *env;
    char *path;
    tmli_h5_sink sink;
    hid_t file;
    dataset *sets;
    int nsets, n;                 // n: channels
    double *block;                // dataset after dataset, each (block_rows x width)
    hsize_t block_rows, pending;  // rows in the block: room, used
    hsize_t written;              // rows in the file
    double flushed, pause;        // wall time of the last write, and time from it to the next [s]
} h5;

// property lists for the creation of all datasets of a file
typedef struct properties {
    hid_t link, create, access;
} properties;

static tml_status open_file(h5 *s, tml_error *err);
static tml_status create_all(h5 *s, const tmli_writer_def *def, tml_error *err);
static tml_status burst(h5 *s, tml_error *err);
static tml_status close_handles(h5 *s, tml_error *err);

// Call it directly after the failed call. which: the object in the file, or NULL.
static tml_status h5_fail(const h5 *s, const char *what, const char *which, tml_error *err)
{
    char buf[TMLI_H5_REASON];
    const char *reason = s->sink.fault ? strerror(s->sink.fault) : tmli_h5_reason(buf);
    if (!which) return tmli_fail(err, TML_ERR_IO, "Cannot %s result file '%s': %s.", what, s->path, reason);
    return tmli_fail(err, TML_ERR_IO, "Cannot %s '%s' in result file '%s': %s.", what, which, s->path,
                     reason);
}

// The library does not detect a failed write; the sink does.
static tml_status flush(const h5 *s, tml_error *err)
{
    if (H5Fflush(s->file, H5F_SCOPE_GLOBAL) < 0 || s->sink.fault) return h5_fail(s, "write", NULL, err);
    return TML_OK;
}

static void h5_free(h5 *s)
{
    tmli_free(s->env, s->block);
    tmli_free(s->env, s->sets);
    tmli_free(s->env, s->path);
    tmli_free(s->env, s);
}

static tml_status hdf5_create(const tmli_writer_def *def, void **self, tml_error *err)
{
    h5 *s = tmli_calloc(def->env, 1, sizeof *s);
    if (!s) return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for the writer.", def->path);
    s->env = def->env;
    s->file = H5I_INVALID_HID;
    s->n = def->nchannels;
    for (int i = 0; i < s->n; i += def->channels[i].width) s->nsets++;
    s->block_rows = BLOCK_ROWS;
    while (s->block_rows > BLOCK_ROWS_MIN && s->block_rows * (hsize_t)s->n > BLOCK_VALUES) s->block_rows /= 2;
    s->sets = tmli_calloc(s->env, (size_t)s->nsets, sizeof *s->sets);
    s->block = tmli_calloc(s->env, (size_t)s->n, (size_t)s->block_rows * sizeof *s->block);
    s->path = tmli_strdup(s->env, def->path);
    if (!s->sets || !s->block || !s->path) {
        h5_free(s);
        return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for its buffer.", def->path);
    }
    for (int i = 0, k = 0; i < s->n; i += def->channels[i].width)
        s->sets[k++] = (dataset){H5I_INVALID_HID, i, def->channels[i].width};

    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    tml_status st = open_file(s, err);
    if (st == TML_OK) st = create_all(s, def, err);
    if (st == TML_OK) st = flush(s, err);
    if (st != TML_OK) {
        close_handles(s, NULL);
        h5_free(s);
    }
    tmli_h5_quiet_end(quiet);
    if (st != TML_OK) return st;
    s->flushed = tmli_wall_time();
    s->pause = FLUSH_INTERVAL;
    *self = s;
    return TML_OK;
}

static tml_status hdf5_row(void *self, const double *x, tml_error *err)
{
    h5 *s = self;
    const size_t row = (size_t)s->pending;
    for (int k = 0; k < s->nsets; k++) {
        const size_t first = (size_t)s->sets[k].first, width = (size_t)s->sets[k].width;
        memcpy(s->block + first * (size_t)s->block_rows + row * width, x + first, width * sizeof *x);
    }
    s->pending++;
    if (s->pending < s->block_rows && tmli_wall_time() - s->flushed < s->pause) return TML_OK;
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    const tml_status st = burst(s, err);
    tmli_h5_quiet_end(quiet);
    return st;
}

static tml_status hdf5_close(void *self, bool keep, tml_error *err)
{
    h5 *s = self;
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    tml_status st = keep && s->pending > 0 ? burst(s, err) : TML_OK;
    const tml_status closed = close_handles(s, st == TML_OK ? err : NULL);
    if (st == TML_OK) st = closed;
    tmli_h5_quiet_end(quiet);
    h5_free(s);
    return st;
}

const tmli_writer_ops tmli_writer_hdf5 = {"hdf5", hdf5_create, hdf5_row, hdf5_close};

// All metadata stay in the cache of the library: they are never read again, and only our flush writes them.
static bool keep_metadata(hid_t access, int nsets)
{
    H5AC_cache_config_t c = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (H5Pget_mdc_config(access, &c) < 0) return false;
    const size_t most = (size_t)128 << 20;     // limit of the library
    const size_t room = 4096 * (size_t)nsets;  // twice the need of a dataset with its groups and chunk index
    if (room <= c.initial_size) return true;
    c.set_initial_size = true;
    c.initial_size = c.min_size = c.max_size = room < most ? room : most;
    c.incr_mode = H5C_incr__off;
    c.flash_incr_mode = H5C_flash_incr__off;
    c.decr_mode = H5C_decr__off;
    return H5Pset_mdc_config(access, &c) >= 0;
}

static tml_status open_file(h5 *s, tml_error *err)
{
    const int refused = tmli_h5_sink_open(&s->sink, s->path);
    if (refused)
        return tmli_fail(err, TML_ERR_IO, "Cannot write result file '%s': %s.", s->path, strerror(refused));
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    bool ok = access >= 0 && create >= 0 &&
              H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
              H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0;
    // contiguous metadata of the datasets, so that a flush writes long pieces; about 600 bytes for each
    const hsize_t metadata = 600 * (hsize_t)s->nsets;
    ok = ok && H5Pset_meta_block_size(access, metadata < 2048      ? 2048
                                              : metadata > 1048576 ? 1048576
                                                                   : metadata) >= 0;
    // nodes of the chunk index hold 2 x 8 chunks instead of 2 x 32: most datasets have few, and each owns a
    // node
    ok = ok && H5Pset_istore_k(create, 8) >= 0;
    ok = ok && keep_metadata(access, s->nsets) && tmli_h5_sink_use(&s->sink, access);
    if (ok) s->file = H5Fcreate(s->path, H5F_ACC_TRUNC, create, access);
    const tml_status st = s->file < 0 ? h5_fail(s, "write", NULL, err) : TML_OK;
    if (access >= 0) H5Pclose(access);
    if (create >= 0) H5Pclose(create);
    return st;
}

static bool put_attribute(hid_t object, const char *name, hid_t type, hid_t space, const void *value)
{
    const hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (a < 0) return false;
    const bool ok = H5Awrite(a, type, value) >= 0;
    return H5Aclose(a) >= 0 && ok;
}

// `count` consecutive strings of `size` bytes each, including the terminating zero; count 0: a scalar
static bool put_strings(hid_t object, const char *name, const char *text, size_t size, hsize_t count)
{
    const hid_t type = tmli_h5_string_type(size);
    const hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    const bool ok = type >= 0 && space >= 0 && put_attribute(object, name, type, space, text);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return ok;
}

static bool put_int(hid_t object, const char *name, int value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    if (space < 0) return false;
    const hid_t a = H5Acreate2(object, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = a >= 0 && H5Awrite(a, H5T_NATIVE_INT, &value) >= 0;
    if (a >= 0) ok = H5Aclose(a) >= 0 && ok;
    H5Sclose(space);
    return ok;
}

static tml_status put_note(h5 *s, const tml_result_note *note, hid_t link, tml_error *err)
{
    char name[256];
    const size_t room = sizeof name - strlen("/meta/");
    if (strlen(note->name) >= room)
        return tmli_fail(err, TML_ERR_ARG, "The name of the note '%s' is longer than %zu characters.",
                         note->name, room - 1);
    strcpy(name, "/meta/");
    strcat(name, note->name);
    const hid_t type = tmli_h5_string_type(strlen(note->text) + 1), space = H5Screate(H5S_SCALAR);
    hid_t id = H5I_INVALID_HID;
    if (type >= 0 && space >= 0) id = H5Dcreate2(s->file, name, type, space, link, H5P_DEFAULT, H5P_DEFAULT);
    tml_status st = TML_OK;
    if (id < 0 || H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, note->text) < 0)
        st = h5_fail(s, "write", name, err);
    if (id >= 0) H5Dclose(id);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return st;
}

// Write the attribute "determined" of a dataset of reactions, one word per column; nothing for other
// datasets.
static tml_status put_determined(h5 *s, const dataset *d, const tml_channel *c, tml_error *err)
{
    size_t size = 0;
    for (int k = 0; k < d->width; k++)
        if (c[k].determined && strlen(c[k].determined) + 1 > size) size = strlen(c[k].determined) + 1;
    if (size == 0) return TML_OK;
    char *words = tmli_calloc(s->env, (size_t)d->width, size);
    if (!words) return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for its names.", s->path);
    for (int k = 0; k < d->width; k++)
        if (c[k].determined) memcpy(words + (size_t)k * size, c[k].determined, strlen(c[k].determined));
    const bool ok = put_strings(d->id, "determined", words, size, (hsize_t)d->width);
    const tml_status st = ok ? TML_OK : h5_fail(s, "describe", c->dataset, err);
    tmli_free(s->env, words);
    return st;
}

// The attributes of one dataset; c: its channels.
static tml_status describe(h5 *s, const dataset *d, const tml_channel *c, tml_error *err)
{
    size_t unit_size = 0, name_size = 0;
    bool same = true;
    for (int k = 0; k < d->width; k++) {
        unit_size += strlen(c[k].unit) + 1;
        if (strlen(c[k].name) + 1 > name_size) name_size = strlen(c[k].name) + 1;
        same = same && strcmp(c[k].unit, c[0].unit) == 0;
    }
    char *unit = tmli_calloc(s->env, unit_size, 1), *names = tmli_calloc(s->env, (size_t)d->width, name_size);
    tml_status st = TML_OK;
    if (!unit || !names) {
        st = tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for its names.", s->path);
    } else {
        char *p = unit;
        for (int k = 0; k < (same ? 1 : d->width); k++) {
            if (k) *p++ = ',';
            const size_t length = strlen(c[k].unit);
            memcpy(p, c[k].unit, length);
            p += length;
        }
        for (int k = 0; k < d->width; k++)
            memcpy(names + (size_t)k * name_size, c[k].name, strlen(c[k].name));
        if (!put_strings(d->id, "unit", unit, (size_t)(p - unit) + 1, 0) ||
            !put_strings(d->id, "columns", names, name_size, (hsize_t)d->width) ||
            !put_int(d->id, "channel", d->first))
            st = h5_fail(s, "describe", c->dataset, err);
        else st = put_determined(s, d, c, err);
    }
    tmli_free(s->env, unit);
    tmli_free(s->env, names);
    return st;
}

static tml_status create_dataset(h5 *s, dataset *d, const tml_channel *c, const properties *p, tml_error *err)
{
    const int rank = d->width > 1 ? 2 : 1;
    const hsize_t dims[2] = {0, (hsize_t)d->width}, max[2] = {H5S_UNLIMITED, (hsize_t)d->width};
    const hsize_t chunk[2] = {s->block_rows, (hsize_t)d->width};
    const hid_t space = H5Screate_simple(rank, dims, max);
    if (space >= 0 && H5Pset_chunk(p->create, rank, chunk) >= 0)
        d->id = H5Dcreate2(s->file, c->dataset, H5T_IEEE_F64LE, space, p->link, p->create, p->access);
    const tml_status st = d->id < 0 ? h5_fail(s, "create", c->dataset, err) : TML_OK;
    if (space >= 0) H5Sclose(space);
    return st == TML_OK ? describe(s, d, c, err) : st;
}

static tml_status create_all(h5 *s, const tmli_writer_def *def, tml_error *err)
{
    properties p = {H5Pcreate(H5P_LINK_CREATE), H5Pcreate(H5P_DATASET_CREATE), H5Pcreate(H5P_DATASET_ACCESS)};
    const char *format = "trammel result 1";
    bool ok = p.link >= 0 && p.create >= 0 && p.access >= 0;
    ok = ok && H5Pset_create_intermediate_group(p.link, 1) >= 0 &&
         H5Pset_char_encoding(p.link, H5T_CSET_UTF8) >= 0;
    ok = ok && H5Pset_fill_time(p.create, H5D_FILL_TIME_NEVER) >= 0;
    ok = ok && H5Pset_chunk_cache(p.access, 1, 0, 1.0) >= 0;
    ok = ok && put_strings(s->file, "format", format, strlen(format) + 1, 0);
    tml_status st = ok ? TML_OK : h5_fail(s, "write", NULL, err);
    for (int i = 0; i < def->nnotes && st == TML_OK; i++) st = put_note(s, &def->notes[i], p.link, err);
    for (int k = 0; k < s->nsets && st == TML_OK; k++)
        st = create_dataset(s, &s->sets[k], def->channels + s->sets[k].first, &p, err);
    if (p.link >= 0) H5Pclose(p.link);
    if (p.create >= 0) H5Pclose(p.create);
    if (p.access >= 0) H5Pclose(p.access);
    return st;
}

static tml_status append(const h5 *s, const dataset *d, tml_error *err)
{
    const int rank = d->width > 1 ? 2 : 1;
    const hsize_t width = (hsize_t)d->width;
    const hsize_t total[2] = {s->written + s->pending, width}, start[2] = {s->written, 0},
                  count[2] = {s->pending, width};
    if (H5Dset_extent(d->id, total) < 0) return h5_fail(s, "extend", NULL, err);
    const hid_t target = H5Screate_simple(rank, total, NULL), source = H5Screate_simple(rank, count, NULL);
    const double *x = s->block + (size_t)d->first * (size_t)s->block_rows;
    const bool ok = target >= 0 && source >= 0 &&
                    H5Sselect_hyperslab(target, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                    H5Dwrite(d->id, H5T_NATIVE_DOUBLE, source, target, H5P_DEFAULT, x) >= 0;
    const tml_status st = ok ? TML_OK : h5_fail(s, "write", NULL, err);
    if (target >= 0) H5Sclose(target);
    if (source >= 0) H5Sclose(source);
    return st;
}

static tml_status burst(h5 *s, tml_error *err)
{
    const double start = tmli_wall_time();
    for (int k = 0; k < s->nsets; k++) {
        const tml_status appended = append(s, &s->sets[k], err);
        if (appended != TML_OK) return appended;
    }
    const tml_status st = flush(s, err);
    if (st != TML_OK) return st;
    s->written += s->pending;
    s->pending = 0;
    s->flushed = tmli_wall_time();
    s->pause = FLUSH_PAUSE_RATIO * (s->flushed - start);
    if (s->pause < FLUSH_INTERVAL) s->pause = FLUSH_INTERVAL;
    return TML_OK;
}

// Close all handles, also after a failure; err describes the first failure.
static tml_status close_handles(h5 *s, tml_error *err)
{
    tml_status st = TML_OK;
    for (int k = 0; k < s->nsets; k++)
        if (s->sets[k].id >= 0 && H5Dclose(s->sets[k].id) < 0 && st == TML_OK)
            st = h5_fail(s, "finish", NULL, err);
    if (s->file >= 0 && H5Fclose(s->file) < 0 && st == TML_OK) st = h5_fail(s, "finish", NULL, err);
    if (tmli_h5_sink_close(&s->sink) && st == TML_OK) st = h5_fail(s, "finish", NULL, err);
    return st;
}

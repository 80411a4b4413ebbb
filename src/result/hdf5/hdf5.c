// HDF5 results: one table of numbers, and a table that describes its columns.
//
//   /values     (rows x channels) doubles; extendable
//   /channels   (channels) records: name       "crank.x"
//                                   unit       "m"
//                                   group      "bodies", "joints", "outputs", ...; "" for t and step
//                                   owner      "crank": the body, joint or force; "" if there is none
//                                   quantity   "position"
//                                   component  0, 1, ...: of a vector
//                                   determined reactions: "unique", "shared" or "indeterminate"; else ""
//   /meta/NAME  the notes: scalar strings (attributes cannot hold more than 64 KB)
//   /           attribute: format  "trammel result 2"
//
// Rows are collected in a block, which is written at once: extend, write, flush. Between two blocks the cache
// of the library agrees with the file, so that a killed process leaves a readable file up to the last block.
// Four choices serve this:
//   - format version 1.8: the superblock of 1.10 has an "open for writing" mark that makes the file of a
//     killed process unreadable until it is repaired; that of 1.8 has none;
//   - no chunk cache: the rows of a block are written directly into the chunks;
//   - rows that are not written read as NaN: if the process is killed between the writes of the extent and of
//     the index, readers know them;
//   - the file gets its name when its tables exist (target.h).
#include "result/writer.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "result/hdf5/h5.h"
#include "result/hdf5/h5sink.h"

#include "result/constants.h"

enum {
    CHUNK_BYTES = 64 * 1024,        // a chunk is a few rows of all channels: the last one is partly empty
    CHUNK_ROWS = 256,               // at most
    BLOCK_BYTES = 4 * 1024 * 1024,  // of rows that wait, about
    BLOCK_ROWS = 4096,              // at most
};

typedef struct h5 {
    const tml_env *env;
    char *path;
    tmli_h5_sink sink;
    hid_t file, values;
    int n;                        // channels
    double *block;                // (block_rows x n)
    hsize_t block_rows, pending;  // rows in the block: room, used
    hsize_t written;              // rows in the file
    double flushed;               // wall time of the last write [s]
} h5;

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
    tmli_free(s->env, s->path);
    tmli_free(s->env, s);
}

// ---- the tables -------------------------------------------------------------------------------------------

static tml_status open_file(h5 *s, tml_error *err)
{
    const tml_status opened = tmli_h5_sink_open(&s->sink, s->path, s->env, err);
    if (opened != TML_OK) return opened;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const bool ok = access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
                    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && tmli_h5_sink_use(&s->sink, access);
    if (ok) s->file = H5Fcreate(s->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const tml_status st = s->file < 0 ? h5_fail(s, "write", NULL, err) : TML_OK;
    if (access >= 0) H5Pclose(access);
    return st;
}

static tml_status put_format(const h5 *s, tml_error *err)
{
    const hid_t type = tmli_h5_string_type(sizeof TMLI_H5_FORMAT), space = H5Screate(H5S_SCALAR);
    hid_t a = H5I_INVALID_HID;
    if (type >= 0 && space >= 0) a = H5Acreate2(s->file, "format", type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = a >= 0 && H5Awrite(a, type, TMLI_H5_FORMAT) >= 0;
    const tml_status st = ok ? TML_OK : h5_fail(s, "write", NULL, err);
    if (a >= 0) H5Aclose(a);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return st;
}

// Create a dataset and write all of it.
static tml_status put_dataset(const h5 *s, const char *name, hid_t type, hid_t space, const void *data,
                              tml_error *err)
{
    const hid_t link = H5Pcreate(H5P_LINK_CREATE);
    hid_t id = H5I_INVALID_HID;
    if (type >= 0 && space >= 0 && link >= 0 && H5Pset_create_intermediate_group(link, 1) >= 0 &&
        H5Pset_char_encoding(link, H5T_CSET_UTF8) >= 0)
        id = H5Dcreate2(s->file, name, type, space, link, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = id >= 0 && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    const tml_status st = ok ? TML_OK : h5_fail(s, "write", name, err);
    if (id >= 0) H5Dclose(id);
    if (link >= 0) H5Pclose(link);
    return st;
}

static tml_status put_note(const h5 *s, const tml_result_note *note, tml_error *err)
{
    char name[256];
    const size_t room = sizeof name - strlen("/meta/");
    if (strlen(note->name) >= room)
        return tmli_fail(err, TML_ERR_ARG, "The name of the note '%s' is longer than %zu characters.",
                         note->name, room - 1);
    strcpy(name, "/meta/");
    strcat(name, note->name);
    const hid_t type = tmli_h5_string_type(strlen(note->text) + 1), space = H5Screate(H5S_SCALAR);
    const tml_status st = put_dataset(s, name, type, space, note->text, err);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return st;
}

// The texts of a channel's record. A path "/bodies/crank/position" is group, owner and quantity.
enum { NAME, UNIT, GROUP, OWNER, QUANTITY, DETERMINED, TEXTS };
static const char *const text_names[TEXTS] = {"name", "unit", "group", "owner", "quantity", "determined"};

static void split(const tml_channel *c, const char *text[TEXTS], size_t length[TEXTS])
{
    const char *path = c->dataset + 1, *last = strrchr(path, '/'), *first = strchr(path, '/');
    text[NAME] = c->name;
    text[UNIT] = c->unit;
    text[DETERMINED] = c->determined ? c->determined : "";
    for (int k = 0; k < TEXTS; k++) length[k] = k <= UNIT || k == DETERMINED ? strlen(text[k]) : 0;
    text[GROUP] = path;
    length[GROUP] = first ? (size_t)(first - path) : 0;
    text[OWNER] = first && last > first ? first + 1 : path;
    length[OWNER] = first && last > first ? (size_t)(last - first - 1) : 0;
    text[QUANTITY] = last ? last + 1 : path;
    length[QUANTITY] = strlen(text[QUANTITY]);
}

static tml_status put_channels(const h5 *s, const tml_channel *c, tml_error *err)
{
    size_t width[TEXTS] = {0}, offset[TEXTS], size = 0;
    const char *text[TEXTS];
    size_t length[TEXTS];
    for (int i = 0; i < s->n; i++) {
        split(&c[i], text, length);
        for (int k = 0; k < TEXTS; k++)
            if (length[k] + 1 > width[k]) width[k] = length[k] + 1;
    }
    for (int k = 0; k < TEXTS; k++) {
        offset[k] = size;
        size += width[k];
    }
    const size_t component = size;
    size += sizeof(int32_t);
    const hsize_t count = (hsize_t)s->n;
    const hid_t type = H5Tcreate(H5T_COMPOUND, size), space = H5Screate_simple(1, &count, NULL);
    bool ok = type >= 0 && space >= 0;
    for (int k = 0; k < TEXTS && ok; k++) {
        const hid_t string = tmli_h5_string_type(width[k]);
        ok = string >= 0 && H5Tinsert(type, text_names[k], offset[k], string) >= 0;
        if (string >= 0) H5Tclose(string);
    }
    ok = ok && H5Tinsert(type, "component", component, H5T_NATIVE_INT32) >= 0;
    tml_status st = ok ? TML_OK : h5_fail(s, "describe", "/channels", err);
    char *records = st == TML_OK ? tmli_calloc(s->env, (size_t)s->n, size) : NULL;
    if (st == TML_OK && !records)
        st = tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for its names.", s->path);
    for (int i = 0; i < s->n && st == TML_OK; i++) {
        char *record = records + (size_t)i * size;
        const int32_t which = c[i].component;
        split(&c[i], text, length);
        for (int k = 0; k < TEXTS; k++) memcpy(record + offset[k], text[k], length[k]);
        memcpy(record + component, &which, sizeof which);
    }
    if (st == TML_OK) st = put_dataset(s, "/channels", type, space, records, err);
    tmli_free(s->env, records);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return st;
}

static tml_status create_values(h5 *s, hsize_t chunk_rows, tml_error *err)
{
    const hsize_t dims[2] = {0, (hsize_t)s->n}, max[2] = {H5S_UNLIMITED, (hsize_t)s->n};
    const hsize_t chunk[2] = {chunk_rows, (hsize_t)s->n};
    const double missing = NAN;
    const hid_t space = H5Screate_simple(2, dims, max), create = H5Pcreate(H5P_DATASET_CREATE),
                access = H5Pcreate(H5P_DATASET_ACCESS);
    const bool ok = space >= 0 && create >= 0 && access >= 0 && H5Pset_chunk(create, 2, chunk) >= 0 &&
                    H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, &missing) >= 0 &&
                    H5Pset_chunk_cache(access, 1, 0, 1.0) >= 0;
    if (ok) s->values = H5Dcreate2(s->file, "/values", H5T_IEEE_F64LE, space, H5P_DEFAULT, create, access);
    const tml_status st = s->values < 0 ? h5_fail(s, "create", "/values", err) : TML_OK;
    if (space >= 0) H5Sclose(space);
    if (create >= 0) H5Pclose(create);
    if (access >= 0) H5Pclose(access);
    return st;
}

// ---- rows -------------------------------------------------------------------------------------------------

static tml_status write_block(h5 *s, tml_error *err)
{
    const hsize_t n = (hsize_t)s->n, total[2] = {s->written + s->pending, n}, start[2] = {s->written, 0},
                  count[2] = {s->pending, n};
    if (H5Dset_extent(s->values, total) < 0) return h5_fail(s, "extend", NULL, err);
    const hid_t target = H5Screate_simple(2, total, NULL), source = H5Screate_simple(2, count, NULL);
    const bool ok = target >= 0 && source >= 0 &&
                    H5Sselect_hyperslab(target, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                    H5Dwrite(s->values, H5T_NATIVE_DOUBLE, source, target, H5P_DEFAULT, s->block) >= 0;
    tml_status st = ok ? TML_OK : h5_fail(s, "write", NULL, err);
    if (target >= 0) H5Sclose(target);
    if (source >= 0) H5Sclose(source);
    if (st == TML_OK) st = flush(s, err);
    if (st != TML_OK) return st;
    s->written += s->pending;
    s->pending = 0;
    s->flushed = tmli_wall_time();
    return TML_OK;
}

// Close all handles, also after a failure; err describes the first failure.
static tml_status close_handles(h5 *s, tml_error *err)
{
    tml_status st = TML_OK;
    if (s->values >= 0 && H5Dclose(s->values) < 0) st = h5_fail(s, "finish", NULL, err);
    if (s->file >= 0 && H5Fclose(s->file) < 0 && st == TML_OK) st = h5_fail(s, "finish", NULL, err);
    const tml_status closed = tmli_h5_sink_close(&s->sink, st == TML_OK ? err : NULL);
    return st == TML_OK ? closed : st;
}

static hsize_t at_most(hsize_t a, hsize_t b) { return a < b ? a : b; }

static tml_status hdf5_create(const tmli_writer_def *def, void **self, tml_error *err)
{
    h5 *s = tmli_calloc(def->env, 1, sizeof *s);
    if (!s) return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for the writer.", def->path);
    s->env = def->env;
    s->file = s->values = H5I_INVALID_HID;
    s->n = def->nchannels;
    const hsize_t row = sizeof(double) * (hsize_t)s->n,
                  chunk_rows = at_most(CHUNK_BYTES / row + 1, CHUNK_ROWS);
    const hsize_t chunks = at_most(BLOCK_BYTES / (row * chunk_rows) + 1, BLOCK_ROWS / chunk_rows);
    s->block_rows = chunk_rows * chunks;
    s->block = tmli_calloc(s->env, (size_t)s->n, (size_t)s->block_rows * sizeof *s->block);
    s->path = tmli_strdup(s->env, def->path);
    if (!s->block || !s->path) {
        h5_free(s);
        return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for its buffer.", def->path);
    }
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    tml_status st = open_file(s, err);
    if (st == TML_OK) st = put_format(s, err);
    for (int i = 0; i < def->nnotes && st == TML_OK; i++) st = put_note(s, &def->notes[i], err);
    if (st == TML_OK) st = put_channels(s, def->channels, err);
    if (st == TML_OK) st = create_values(s, chunk_rows, err);
    if (st == TML_OK) st = flush(s, err);
    if (st == TML_OK) st = tmli_target_publish(&s->sink.target, err);
    if (st != TML_OK) {
        close_handles(s, NULL);
        h5_free(s);
    }
    tmli_h5_quiet_end(quiet);
    if (st != TML_OK) return st;
    s->flushed = tmli_wall_time();
    *self = s;
    return TML_OK;
}

static tml_status hdf5_row(void *self, const double *x, tml_error *err)
{
    h5 *s = self;
    const size_t n = (size_t)s->n;
    memcpy(s->block + (size_t)s->pending++ * n, x, n * sizeof *x);
    if (s->pending < s->block_rows && tmli_wall_time() - s->flushed < FLUSH_INTERVAL) return TML_OK;
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    const tml_status st = write_block(s, err);
    tmli_h5_quiet_end(quiet);
    return st;
}

static tml_status hdf5_note(void *self, const tml_result_note *note, tml_error *err)
{
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    const tml_status st = put_note(self, note, err);
    tmli_h5_quiet_end(quiet);
    return st;
}

static tml_status hdf5_close(void *self, bool keep, tml_error *err)
{
    h5 *s = self;
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    tml_status st = keep && s->pending > 0 ? write_block(s, err) : TML_OK;
    const tml_status closed = close_handles(s, st == TML_OK ? err : NULL);
    if (st == TML_OK) st = closed;
    tmli_h5_quiet_end(quiet);
    h5_free(s);
    return st;
}

static const tmli_writer_ops hdf5_ops = {"hdf5", hdf5_create, hdf5_row, hdf5_note, hdf5_close};

tml_status tmli_writer_hdf5(const tmli_writer_ops **ops, tml_error *err)
{
    (void)err;
    *ops = &hdf5_ops;
    return TML_OK;
}

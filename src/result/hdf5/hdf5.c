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
//   /meta/NAME  the notes: scalar strings (attributes cannot hold more than 64 KB); report, marks and steps,
//               which a run writes at its end: bytes
//   /resume     bytes, if the file is that of a run: what it takes to continue it, when it has ended
//   /           attributes: format  "trammel result 2"
//                           run     "trammel run complete" if its end was reached, else "trammel run open";
//                                   of files with /resume, and among their first bytes (result/reader.h)
//
// Rows are collected in a block, which is written at once: extend, write, flush. Between two blocks the cache
// of the library agrees with the file, so that a killed process leaves a readable file up to the last block.
// Five choices serve this:
//   - format version 1.8: the superblock of 1.10 has an "open for writing" mark that makes the file of a
//     killed process unreadable until it is repaired; that of 1.8 has none;
//   - no chunk cache: the rows of a block are written directly into the chunks;
//   - rows that are not written read as NaN: if the process is killed between the writes of the extent and of
//     the index, readers know them;
//   - the file gets its name when its tables exist (target.h): later, tables only grow;
//   - the metadata of a flush are written in an order that keeps the file readable (h5sink.h).
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
    BYTES_CHUNK = 16 * 1024,        // of the texts that close a run
    BLOCK_BYTES = 4 * 1024 * 1024,  // of rows that wait, about
    BLOCK_ROWS = 4096,              // at most
};

typedef struct h5 {
    const tml_env *env;
    char *path;
    tmli_h5_sink sink;
    hid_t file, values;
    hid_t resume;                 // < 0: there is none
    int n;                        // channels
    double *block;                // (block_rows x n)
    hsize_t block_rows, pending;  // rows in the block: room, used
    hsize_t written;              // rows in the file
    hsize_t announced;            // rows that its table has; more than written if it is continued
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
static tml_status flush(h5 *s, tml_error *err)
{
    const tml_status st = tmli_target_check(&s->sink.target, err);
    if (st != TML_OK) return st;
    if (H5Fflush(s->file, H5F_SCOPE_GLOBAL) < 0 || !tmli_h5_sink_commit(&s->sink))
        return h5_fail(s, "write", NULL, err);
    return TML_OK;
}

static void h5_free(h5 *s) { tmli_free_all(s->env, s->block, s->path, s); }

// ---- the tables -------------------------------------------------------------------------------------------

static tml_status open_file(h5 *s, bool again, tml_error *err)
{
    const tml_status opened = again ? tmli_h5_sink_reopen(&s->sink, s->path, s->env, err)
                                    : tmli_h5_sink_open(&s->sink, s->path, s->env, err);
    if (opened != TML_OK) return opened;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const bool ok = access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
                    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && tmli_h5_sink_use(&s->sink, access);
    if (ok && again) s->file = H5Fopen(s->path, H5F_ACC_RDWR, access);
    else if (ok) s->file = H5Fcreate(s->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const tml_status st = s->file < 0 ? h5_fail(s, again ? "continue" : "write", NULL, err) : TML_OK;
    if (access >= 0) H5Pclose(access);
    return st;
}

// An attribute of the file, of size bytes with its zero: a new one, or another value of the same size.
static tml_status put_attribute(const h5 *s, const char *name, const char *text, size_t size, bool again,
                                tml_error *err)
{
    const hid_t type = tmli_h5_string_type(size), space = H5Screate(H5S_SCALAR);
    hid_t a = H5I_INVALID_HID;
    if (again) a = H5Aopen(s->file, name, H5P_DEFAULT);
    else if (type >= 0 && space >= 0) a = H5Acreate2(s->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = a >= 0 && type >= 0 && H5Awrite(a, type, text) >= 0;
    const tml_status st = ok ? TML_OK : h5_fail(s, "write", NULL, err);
    if (a >= 0) H5Aclose(a);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return st;
}

static tml_status put_run(const h5 *s, bool complete, bool again, tml_error *err)
{
    static const char open[sizeof TMLI_RUN_COMPLETE] = TMLI_RUN_OPEN;
    return put_attribute(s, "run", complete ? TMLI_RUN_COMPLETE : open, sizeof open, again, err);
}

// Create a dataset and write all of it.
// Texts above this size [bytes] are compressed: names of many channels take a tenth then.
enum { COMPRESSED_FROM = 64 * 1024 };

// In one chunk, if the library can.
static bool compress(hid_t create, hid_t space, hid_t type)
{
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const hsize_t chunk = (hsize_t)count;
    if (H5Sget_simple_extent_ndims(space) != 1 || count < 1 || !H5Zfilter_avail(H5Z_FILTER_DEFLATE))
        return true;
    const size_t size = H5Tget_size(type) * (size_t)count;
    if (size < COMPRESSED_FROM || size > UINT32_MAX) return true;
    return H5Pset_chunk(create, 1, &chunk) >= 0 && H5Pset_deflate(create, 1) >= 0;
}

static tml_status put_dataset(const h5 *s, const char *name, hid_t type, hid_t space, const void *data,
                              tml_error *err)
{
    const hid_t link = H5Pcreate(H5P_LINK_CREATE), create = H5Pcreate(H5P_DATASET_CREATE);
    hid_t id = H5I_INVALID_HID;
    if (type >= 0 && space >= 0 && link >= 0 && create >= 0 && compress(create, space, type) &&
        H5Pset_create_intermediate_group(link, 1) >= 0 && H5Pset_char_encoding(link, H5T_CSET_UTF8) >= 0)
        id = H5Dcreate2(s->file, name, type, space, link, create, H5P_DEFAULT);
    const bool ok = id >= 0 && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    const tml_status st = ok ? TML_OK : h5_fail(s, "write", name, err);
    if (id >= 0) H5Dclose(id);
    if (link >= 0) H5Pclose(link);
    if (create >= 0) H5Pclose(create);
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

// Bytes that are known when the run ends: an empty table, whose link is there from the beginning.
static hid_t create_bytes(const h5 *s, const char *name)
{
    const hsize_t none = 0, most = H5S_UNLIMITED, chunk = BYTES_CHUNK;
    const hid_t space = H5Screate_simple(1, &none, &most), create = H5Pcreate(H5P_DATASET_CREATE),
                access = H5Pcreate(H5P_DATASET_ACCESS);
    hid_t id = H5I_INVALID_HID;
    if (space >= 0 && create >= 0 && access >= 0 && H5Pset_chunk(create, 1, &chunk) >= 0 &&
        H5Pset_chunk_cache(access, 1, 0, 1.0) >= 0)
        id = H5Dcreate2(s->file, name, H5T_STD_U8LE, space, H5P_DEFAULT, create, access);
    if (space >= 0) H5Sclose(space);
    if (create >= 0) H5Pclose(create);
    if (access >= 0) H5Pclose(access);
    return id;
}

static bool write_bytes(hid_t id, const void *data, size_t size)
{
    const hsize_t count = size;
    return H5Dset_extent(id, &count) >= 0 &&
           (size == 0 || H5Dwrite(id, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
}

// The closing notes of a run, and what it takes to continue it.
static tml_status create_closing(h5 *s, tml_error *err)
{
    static const char *const names[] = {"/meta/report", "/meta/marks", "/meta/steps"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const hid_t id = create_bytes(s, names[i]);
        if (id < 0 || H5Dclose(id) < 0) return h5_fail(s, "create", names[i], err);
    }
    s->resume = create_bytes(s, "/resume");
    return s->resume < 0 ? h5_fail(s, "create", "/resume", err) : TML_OK;
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

// ---- continuing -------------------------------------------------------------------------------------------

static tml_status other_run(const h5 *s, const char *what, tml_error *err)
{
    return tmli_fail(err, TML_ERR_ARG, "Cannot continue result file '%s': %s.", s->path, what);
}

// Whether the table of channels has these names.
static bool has_channels(const h5 *s, const tml_channel *c)
{
    size_t width = 0;
    for (int i = 0; i < s->n; i++)
        if (strlen(c[i].name) + 2 > width) width = strlen(c[i].name) + 2;  // a longer name is not equal
    const hid_t id = tmli_h5_open(s->file, "channels", H5P_DEFAULT), text = tmli_h5_string_type(width);
    const hid_t space = id >= 0 ? H5Dget_space(id) : H5I_INVALID_HID, record = H5Tcreate(H5T_COMPOUND, width);
    char *names = tmli_calloc(s->env, (size_t)s->n, width);
    bool same = names && space >= 0 && record >= 0 && text >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                H5Sget_simple_extent_npoints(space) == s->n && H5Tinsert(record, "name", 0, text) >= 0 &&
                H5Dread(id, record, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0;
    for (int i = 0; i < s->n && same; i++) same = strcmp(names + (size_t)i * width, c[i].name) == 0;
    tmli_free(s->env, names);
    if (record >= 0) H5Tclose(record);
    if (text >= 0) H5Tclose(text);
    if (space >= 0) H5Sclose(space);
    if (id >= 0) H5Oclose(id);
    return same;
}

// Whether row `rows` - 1 of the table has these values, bit by bit; uses the block.
static bool has_row(const h5 *s, hsize_t rows, const double *last)
{
    const hsize_t n = (hsize_t)s->n, start[2] = {rows - 1, 0}, count[2] = {1, n};
    const hid_t file = H5Dget_space(s->values), memory = H5Screate_simple(2, count, NULL);
    const bool ok = file >= 0 && memory >= 0 &&
                    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                    H5Dread(s->values, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, s->block) >= 0 &&
                    memcmp(s->block, last, (size_t)s->n * sizeof *last) == 0;
    if (file >= 0) H5Sclose(file);
    if (memory >= 0) H5Sclose(memory);
    return ok;
}

static tml_status find_tables(h5 *s, const tmli_writer_def *def, tml_error *err)
{
    tml_status st = open_file(s, true, err);
    if (st != TML_OK) return st;
    if (!has_channels(s, def->channels)) return other_run(s, "its channels are not those of the run", err);
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    if (access >= 0 && H5Pset_chunk_cache(access, 1, 0, 1.0) >= 0)
        s->values = tmli_h5_open(s->file, "values", access);
    if (access >= 0) H5Pclose(access);
    if (s->values < 0) return h5_fail(s, "find", "/values", err);
    if (def->resumable) s->resume = tmli_h5_open(s->file, "resume", H5P_DEFAULT);
    if (def->resumable && s->resume < 0) return h5_fail(s, "find", "/resume", err);
    const hid_t space = H5Dget_space(s->values);
    hsize_t dims[2] = {0, 0};
    const bool shaped = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
                        H5Sget_simple_extent_dims(space, dims, NULL) >= 0 && dims[1] == (hsize_t)s->n;
    if (space >= 0) H5Sclose(space);
    if (!shaped || dims[0] < def->rows)
        return other_run(s, "it has fewer rows than the run had written", err);
    if (!has_row(s, def->rows, def->last)) return other_run(s, "its rows are not those of the run", err);
    s->written = def->rows;
    s->announced = dims[0];  // later rows are written again, and cut off at the end if there are fewer
    return TML_OK;
}

// ---- rows -------------------------------------------------------------------------------------------------

static tml_status write_block(h5 *s, tml_error *err)
{
    const hsize_t n = (hsize_t)s->n, start[2] = {s->written, 0}, count[2] = {s->pending, n};
    hsize_t total[2] = {s->written + s->pending, n};
    if (total[0] < s->announced) total[0] = s->announced;
    if (H5Dset_extent(s->values, total) < 0) return h5_fail(s, "extend", NULL, err);
    s->announced = total[0];
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
    if (s->resume >= 0) H5Oclose(s->resume);
    if (s->values >= 0 && H5Oclose(s->values) < 0) st = h5_fail(s, "finish", NULL, err);
    if (s->file >= 0 && H5Fclose(s->file) < 0 && st == TML_OK) st = h5_fail(s, "finish", NULL, err);
    const tml_status closed = tmli_h5_sink_close(&s->sink, st == TML_OK ? err : NULL);
    return st == TML_OK ? closed : st;
}

static hsize_t at_most(hsize_t a, hsize_t b) { return a < b ? a : b; }

static tml_status allocate(const tmli_writer_def *def, h5 **out, hsize_t *chunk, tml_error *err)
{
    h5 *s = tmli_calloc(def->env, 1, sizeof *s);
    if (!s) return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for the writer.", def->path);
    s->env = def->env;
    s->file = s->values = s->resume = H5I_INVALID_HID;
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
    *chunk = chunk_rows;
    *out = s;
    return TML_OK;
}

static tml_status put_tables(h5 *s, const tmli_writer_def *def, hsize_t chunk_rows, tml_error *err)
{
    tml_status st = open_file(s, false, err);
    if (st == TML_OK) st = put_attribute(s, "format", TMLI_H5_FORMAT, sizeof TMLI_H5_FORMAT, false, err);
    if (st == TML_OK && def->resumable) st = put_run(s, false, false, err);
    for (int i = 0; i < def->nnotes && st == TML_OK; i++) st = put_note(s, &def->notes[i], err);
    if (st == TML_OK) st = put_channels(s, def->channels, err);
    if (st == TML_OK) st = create_values(s, chunk_rows, err);
    if (st == TML_OK && def->resumable) st = create_closing(s, err);
    if (st == TML_OK) st = flush(s, err);
    if (st == TML_OK && def->ready) st = def->ready(def->user, err);
    return st == TML_OK ? tmli_target_publish(&s->sink.target, err) : st;
}

// Begin a file: a new one, or one that is continued.
static tml_status begin(const tmli_writer_def *def, void **self, tml_error *err)
{
    h5 *s = NULL;
    hsize_t chunk_rows = 1;
    tml_status st = tmli_h5_ready(def->path, err);
    if (st == TML_OK) st = allocate(def, &s, &chunk_rows, err);
    if (st != TML_OK) return st;
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    st = def->last ? find_tables(s, def, err) : put_tables(s, def, chunk_rows, err);
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

static tml_status hdf5_flush(void *self, tml_error *err)
{
    h5 *s = self;
    if (s->pending == 0) return TML_OK;
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    const tml_status st = write_block(s, err);
    tmli_h5_quiet_end(quiet);
    return st;
}

static tml_status hdf5_row(void *self, const double *x, tml_error *err)
{
    h5 *s = self;
    const size_t n = (size_t)s->n;
    memcpy(s->block + (size_t)s->pending++ * n, x, n * sizeof *x);
    if (s->pending < s->block_rows && tmli_wall_time() - s->flushed < FLUSH_INTERVAL) return TML_OK;
    return hdf5_flush(s, err);
}

static tml_status hdf5_attach(void *self, const void *data, size_t size, bool complete, tml_error *err)
{
    h5 *s = self;
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    tml_status st = s->pending > 0 ? write_block(s, err) : TML_OK;
    if (st == TML_OK && !write_bytes(s->resume, data, size)) st = h5_fail(s, "write", "/resume", err);
    const bool known = H5Aexists(s->file, "run") > 0;  // not in files of earlier versions
    if (st == TML_OK && known) st = put_run(s, complete, true, err);
    if (st == TML_OK) st = flush(s, err);
    tmli_h5_quiet_end(quiet);
    return st;
}

static tml_status hdf5_note(void *self, const tml_result_note *note, tml_error *err)
{
    h5 *s = self;
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    const hid_t group = tmli_h5_open(s->file, "meta", H5P_DEFAULT);
    const bool known = group >= 0 && H5Lexists(group, note->name, H5P_DEFAULT) > 0;
    const hid_t id = known ? tmli_h5_open(group, note->name, H5P_DEFAULT) : H5I_INVALID_HID;
    tml_status st = TML_OK;
    if (id < 0) st = put_note(s, note, err);
    else if (!write_bytes(id, note->text, strlen(note->text))) st = h5_fail(s, "write", note->name, err);
    if (id >= 0) H5Oclose(id);
    if (group >= 0) H5Oclose(group);
    if (st == TML_OK) st = flush(s, err);
    tmli_h5_quiet_end(quiet);
    return st;
}

static tml_status hdf5_close(void *self, bool keep, tml_error *err)
{
    h5 *s = self;
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    tml_status st = keep && s->pending > 0 ? write_block(s, err) : TML_OK;
    const hsize_t rows[2] = {s->written, (hsize_t)s->n};
    if (keep && st == TML_OK && s->announced > s->written && H5Dset_extent(s->values, rows) < 0)
        st = h5_fail(s, "cut", "/values", err);
    const tml_status closed = close_handles(s, st == TML_OK ? err : NULL);
    if (st == TML_OK) st = closed;
    tmli_h5_quiet_end(quiet);
    h5_free(s);
    return st;
}

static const tmli_writer_ops hdf5_ops = {"hdf5",    begin,      begin,       hdf5_row,
                                         hdf5_note, hdf5_flush, hdf5_attach, hdf5_close};

tml_status tmli_writer_hdf5(const tmli_writer_ops **ops, tml_error *err)
{
    (void)err;
    *ops = &hdf5_ops;
    return TML_OK;
}

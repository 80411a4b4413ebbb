// Reading results: HDF5. The layout is described at the head of hdf5.c; reader_layout1.c reads files of the
// first version.
//
// Sizes in a file are not trusted: they are checked against the number of bytes that a dataset really stores
// before memory is allocated.
//
// The file of a running simulation is read without a lock: it is readable at every instant (h5sink.h). If it
// changes while it is read, pieces of two instants may come together; it is then read again.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/near_file.h"
#include "base/register.h"
#include "result/constants.h"
#include "result/hdf5/h5source.h"
#include "result/hdf5/reader_h5.h"

tml_status tmli_h5_bad(tmli_h5_reading *w, const char *name, const char *what)
{
    if (errno == ENOMEM) return tmli_h5_no_memory(w);  // what cannot be read is not missing
    w->st = tmli_fail(w->err, TML_ERR_SYNTAX, "Result file '%s': '%s' %s.", w->path, name, what);
    return w->st;
}

tml_status tmli_h5_no_memory(tmli_h5_reading *w)
{
    w->st = tmli_fail(w->err, TML_ERR_NOMEM, "Result file '%s': no memory for its contents.", w->path);
    return w->st;
}

size_t tmli_h5_string_size(hid_t type)
{
    return type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 ? H5Tget_size(type)
                                                                                          : 0;
}

// Reserve memory for one more note: both lists double when the count reaches a power of two.
static bool grow_notes(tmli_result *r)
{
    const size_t n = (size_t)r->nnotes;
    if (n & (n - 1)) return true;
    const size_t room = n ? 2 * n : 1;
    const char **names, **texts;
    if (!tmli_arena_alloc_all(&r->arena, TMLI_ARRAY(names, room), TMLI_ARRAY(texts, room))) return false;
    for (size_t i = 0; i < n; i++) {
        names[i] = r->note_names[i];
        texts[i] = r->note_texts[i];
    }
    r->note_names = names;
    r->note_texts = texts;
    return true;
}

// memory: the type in memory, of `size` bytes
static void take(tmli_h5_reading *w, hid_t id, hid_t memory, size_t size, const char *name)
{
    tmli_result *r = w->r;
    char *content = tmli_arena_alloc(&r->arena, size + 1, 1), *title = tmli_arena_strdup(&r->arena, name);
    if (!content || !title || !grow_notes(r)) {
        tmli_h5_no_memory(w);
    } else if (H5Dread(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, content) < 0) {
        tmli_h5_bad(w, name, "is a note that cannot be read");
    } else {
        r->note_names[r->nnotes] = title;
        r->note_texts[r->nnotes++] = content;
    }
}

void tmli_h5_take_note(tmli_h5_reading *w, hid_t id, const char *name)
{
    const hid_t type = H5Dget_type(id), space = H5Dget_space(id);
    const size_t size = tmli_h5_string_size(type);
    const bool fits = size > 0 && size < INT_MAX && space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                      H5Dget_storage_size(id) >= size;
    const hid_t memory = fits ? tmli_h5_string_type(size + 1) : H5I_INVALID_HID;
    if (memory >= 0) {
        take(w, id, memory, size, name);
        H5Tclose(memory);
    }
    const hssize_t count =
        space >= 0 && H5Sget_simple_extent_ndims(space) == 1 ? H5Sget_simple_extent_npoints(space) : 0;
    // of a run that has ended: bytes in UTF-8
    if (type >= 0 && H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1 && count > 0 &&
        count < INT_MAX && (hsize_t)count <= H5Dget_storage_size(id))
        take(w, id, H5T_NATIVE_UINT8, (size_t)count, name);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
}

tml_status tmli_h5_read_columns(tmli_h5_reading *w, hid_t id, int width, int first)
{
    tmli_result *r = w->r;
    const hsize_t rows = r->nrows, start[2] = {0, 0}, count[2] = {rows, (hsize_t)width};
    const hsize_t all[2] = {rows, (hsize_t)r->ncols}, place[2] = {0, (hsize_t)first};
    const hid_t file = H5Dget_space(id), memory = H5Screate_simple(2, all, NULL);
    if (file < 0 || memory < 0 || H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, place, NULL, count, NULL) < 0 ||
        H5Dread(id, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, r->values) < 0) {
        char reason[TMLI_H5_REASON];
        tmli_h5_reason(reason);
        w->st = tmli_fail(w->err, TML_ERR_IO, "Cannot read '%s' of result file '%s': %s.", r->names[first],
                          w->path, reason);
    }
    if (file >= 0) H5Sclose(file);
    if (memory >= 0) H5Sclose(memory);
    return w->st;
}

// One text of all channel records, each in `*stride` bytes of the arena; NULL: the records do not have it.
static char *read_texts(tmli_h5_reading *w, hid_t id, hid_t type, const char *name, size_t *stride)
{
    const int member = H5Tget_member_index(type, name);
    const hid_t stored = member >= 0 ? H5Tget_member_type(type, (unsigned)member) : H5I_INVALID_HID;
    const size_t size = tmli_h5_string_size(stored);
    char *texts = NULL;
    if (stored >= 0) H5Tclose(stored);
    if (size == 0 || size > TMLI_H5_LABEL) return NULL;
    *stride = size + 1;
    const hid_t record = H5Tcreate(H5T_COMPOUND, *stride), text = tmli_h5_string_type(*stride);
    if (record >= 0 && text >= 0 && H5Tinsert(record, name, 0, text) >= 0) {
        texts = tmli_arena_alloc(&w->r->arena, (size_t)w->r->ncols, *stride);
        if (!texts) tmli_h5_no_memory(w);
        else if (H5Dread(id, record, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0) texts = NULL;
    }
    if (record >= 0) H5Tclose(record);
    if (text >= 0) H5Tclose(text);
    return texts;
}

// Number of channels, their names and units.
static tml_status read_channels(tmli_h5_reading *w, hid_t id)
{
    tmli_result *r = w->r;
    const hid_t type = H5Dget_type(id), space = H5Dget_space(id);
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    const size_t size = type >= 0 && H5Tget_class(type) == H5T_COMPOUND ? H5Tget_size(type) : 0;
    size_t name_stride = 0, unit_stride = 0;
    if (space >= 0) H5Sclose(space);
    if (size == 0 || count < 1 || count > INT_MAX / 16) {
        tmli_h5_bad(w, "/channels", "is no table of channels");
    } else if ((hsize_t)count > TMLI_H5_RATIO * (H5Dget_storage_size(id) / size + 1)) {
        tmli_h5_bad(w, "/channels", "claims more channels than the file holds");
    } else {
        r->ncols = (int)count;
        r->names = tmli_arena_alloc(&r->arena, (size_t)count, sizeof *r->names);
        r->units = tmli_arena_alloc(&r->arena, (size_t)count, sizeof *r->units);
        if (!r->names || !r->units) tmli_h5_no_memory(w);
    }
    const char *names = w->st == TML_OK ? read_texts(w, id, type, "name", &name_stride) : NULL;
    const char *units = w->st == TML_OK ? read_texts(w, id, type, "unit", &unit_stride) : NULL;
    if (w->st == TML_OK && (!names || !units)) tmli_h5_bad(w, "/channels", "has no names or no units");
    for (int i = 0; i < r->ncols && w->st == TML_OK; i++) {
        r->names[i] = names + (size_t)i * name_stride;
        r->units[i] = units + (size_t)i * unit_stride;
        if (!*r->names[i]) tmli_h5_bad(w, "/channels", "has a channel without a name");
    }
    if (type >= 0) H5Tclose(type);
    return w->st;
}

static tml_status read_values(tmli_h5_reading *w, hid_t id)
{
    tmli_result *r = w->r;
    hsize_t dims[2] = {0, 0};
    const hid_t space = H5Dget_space(id), type = H5Dget_type(id);
    const bool shaped = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
                        H5Sget_simple_extent_dims(space, dims, NULL) >= 0 && dims[1] == (hsize_t)r->ncols;
    const bool real = type >= 0 && H5Tget_class(type) == H5T_FLOAT;
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (!shaped || !real)
        return tmli_h5_bad(w, "/values", "is no table of numbers with a column per channel");
    if (dims[0] / TMLI_H5_RATIO > H5Dget_storage_size(id) / dims[1])
        return tmli_h5_bad(w, "/values", "claims more rows than the file holds");
    if (dims[0] > TMLI_RESULT_BYTES / sizeof(double) / (size_t)r->ncols)
        return tmli_h5_bad(w, "/values", "is larger than 8 GB");
    r->nrows = (size_t)dims[0];
    if (w->rows_later && r->nrows > 0) return tmli_h5_keep_rows(w, id);
    r->values = tmli_calloc(&r->env, r->nrows * (size_t)r->ncols, sizeof *r->values);
    if (!r->values) return tmli_h5_no_memory(w);
    if (r->nrows > 0 && tmli_h5_read_columns(w, id, r->ncols, 0) != TML_OK) return w->st;
    // rows that a killed run announced and did not write
    const int t = tmli_result_column(r, "t");
    while (t >= 0 && r->nrows > 0 && isnan(r->values[(r->nrows - 1) * (size_t)r->ncols + (size_t)t]))
        r->nrows--;
    return TML_OK;
}

static herr_t visit_note(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    tmli_h5_reading *w = user;
    if (info->type != H5L_TYPE_HARD) return 0;
    const hid_t id = tmli_h5_open(group, name, H5P_DEFAULT);
    if (id < 0) {
        tmli_h5_bad(w, name, "cannot be opened");
        return -1;
    }
    if (H5Iget_type(id) == H5I_DATASET) tmli_h5_take_note(w, id, name);
    H5Oclose(id);
    return w->st == TML_OK ? 0 : -1;
}

static tml_status read_layout2(tmli_h5_reading *w)
{
    const hid_t channels = tmli_h5_open(w->file, "channels", H5P_DEFAULT),
                values = tmli_h5_open(w->file, "values", H5P_DEFAULT);
    const hid_t meta = H5Lexists(w->file, "meta", H5P_DEFAULT) > 0
                           ? tmli_h5_open(w->file, "meta", H5P_DEFAULT)
                           : H5I_INVALID_HID;
    if (channels < 0 || values < 0) tmli_h5_bad(w, "/", "lacks 'values' or 'channels'");
    if (w->st == TML_OK) read_channels(w, channels);
    if (w->st == TML_OK) read_values(w, values);
    if (w->st == TML_OK && meta >= 0 &&
        H5Literate(meta, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_note, w) < 0 && w->st == TML_OK)
        tmli_h5_bad(w, "/meta", "cannot be read");
    if (channels >= 0) H5Oclose(channels);
    if (values >= 0) H5Oclose(values);
    if (meta >= 0) H5Oclose(meta);
    return w->st;
}

// The number of the layout; 0: the file does not say.
static int layout_of(hid_t file)
{
    static const char key[] = "trammel result ";
    char text[64] = "";
    if (H5Aexists(file, "format") <= 0) return 0;
    const hid_t a = H5Aopen(file, "format", H5P_DEFAULT), memory = tmli_h5_string_type(sizeof text);
    const hid_t type = a >= 0 ? H5Aget_type(a) : H5I_INVALID_HID, space = a >= 0 ? H5Aget_space(a) : -1;
    if (tmli_h5_string_size(type) > 0 && space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
        memory >= 0 && H5Aread(a, memory, text) < 0)
        text[0] = 0;
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (memory >= 0) H5Tclose(memory);
    if (a >= 0) H5Aclose(a);
    int number = 0;
    if (strncmp(text, key, strlen(key)) == 0)
        for (const char *p = text + strlen(key); *p >= '0' && *p <= '9' && number < 10000; p++)
            number = 10 * number + (*p - '0');
    return number;
}

// A pipe would be waited for.
static tml_status open_file(tmli_h5_reading *w)
{
    struct stat info;
    char reason[TMLI_H5_REASON] = "it is not a regular file";
    w->file = H5I_INVALID_HID;
    errno = 0;  // for tmli_h5_bad
    const bool missing = stat(w->path, &info) != 0;
    const bool ours = missing || tmli_files_read(w->env, w->path, &info, reason, sizeof reason) == TML_OK;
    if (ours && (missing || S_ISREG(info.st_mode))) w->file = tmli_h5_source_open(w->path, reason);
    if (w->file < 0 && errno == ENOMEM) return tmli_h5_no_memory(w);
    const size_t used = strlen(reason);
    if (w->file < 0 && missing) tmli_file_hint(w->path, reason + used, sizeof reason - used);
    if (w->file < 0)
        w->st = tmli_fail(w->err, TML_ERR_IO, "Cannot read result file '%s': %s.", w->path, reason);
    return w->st;
}

// What the system could not read is the reason for all else, and for what seems not to be there.
static void close_file(tmli_h5_reading *w)
{
    const int fault = w->file >= 0 ? tmli_h5_source_fault(w->file) : 0;
    if (w->file >= 0) H5Fclose(w->file);
    if (fault)
        w->st = tmli_fail(w->err, TML_ERR_IO, "Cannot read result file '%s': %s.", w->path, strerror(fault));
}

static void read_file(tmli_h5_reading *w)
{
    const int layout = open_file(w) == TML_OK ? layout_of(w->file) : 0;
    if (layout > 2)
        w->st = tmli_fail(
            w->err, TML_ERR_SYNTAX,
            "Result file '%s' has layout %d, of a later version of Trammel; this one reads 1 and 2.", w->path,
            layout);
    else if (layout == 2) read_layout2(w);
    else if (w->st == TML_OK) tmli_h5_read_layout1(w);
    // a note whose type could not be read looks like something else that is no note
    if (w->st == TML_OK && errno == ENOMEM) tmli_h5_no_memory(w);
    close_file(w);
}

// ---- files that are being written -------------------------------------------------------------------------

static void pause_reading(void)
{
    const struct timespec pause = {.tv_nsec = (long)(1e9 * SETTLE_TIME)};
    nanosleep(&pause, NULL);
}

// When and how the file changed last; changes of the same tick of the clock look alike, so that a change of
// this moment is waited for. False: there is no file.
static bool look_at(const char *path, struct stat *info)
{
    struct timespec now;
    for (int tries = 0; tries < 2; tries++) {
        if (stat(path, info) != 0) return false;
        if (clock_gettime(CLOCK_REALTIME, &now) != 0) return true;
        const double age = (double)(now.tv_sec - info->st_mtim.tv_sec) +
                           1e-9 * (double)(now.tv_nsec - info->st_mtim.tv_nsec);
        if (!(age >= 0 && age < SETTLE_TIME)) return true;
        pause_reading();
    }
    return true;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

// Keep the rows before the first one without a time.
static void cut_at_gap(tmli_result *r)
{
    const int t = tmli_result_column(r, "t");
    size_t rows = 0;
    while (t >= 0 && rows < r->nrows && !isnan(r->values[rows * (size_t)r->ncols + (size_t)t])) rows++;
    if (t >= 0) r->nrows = rows;
}

static tml_status read_result(const char *path, bool rows_later, const tml_env *env, tmli_result **out,
                              tml_error *err)
{
    *out = NULL;
    tmli_result *r = NULL;
    tml_status st = tmli_h5_ready(path, err);
    if (st != TML_OK) return st;
    bool changed = true;
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    for (int tries = 0; changed && tries < (st == TML_OK ? TMLI_H5_TRIES : TMLI_H5_FAILURES); tries++) {
        struct stat before, after;
        tmli_result_destroy(r);
        r = tmli_result_create(env);
        if (!r) {
            st = tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory to read it.", path);
            break;
        }
        const bool known = look_at(path, &before);
        tmli_h5_reading w = {.path = path, .env = &r->env, .r = r, .rows_later = rows_later, .err = err};
        read_file(&w);
        st = w.st;
        changed = known && stat(path, &after) == 0 && !same(&before, &after);
    }
    tmli_h5_quiet_end(quiet);
    if (st != TML_OK) {
        tmli_result_destroy(r);
        return st;
    }
    if (changed && r->values) cut_at_gap(r);
    tmli_result_clean(r);
    *out = r;
    return TML_OK;
}

tml_status tmli_result_read_hdf5(const char *path, const tml_env *env, tmli_result **out, tml_error *err)
{
    return read_result(path, false, env, out, err);
}

tml_status tmli_result_open_hdf5(const char *path, const tml_env *env, tmli_result **out, tml_error *err)
{
    return read_result(path, true, env, out, err);
}

// The bytes of a dataset of one dimension.
static void read_bytes(tmli_h5_reading *w, hid_t id, const char *name, const tml_env *env, void **data,
                       size_t *size)
{
    const hid_t space = H5Dget_space(id);
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0) H5Sclose(space);
    if (count == 0) return;  // the run has not ended
    if (count < 0 || (hsize_t)count > H5Dget_storage_size(id) || (hsize_t)count > TMLI_RESULT_BYTES) {
        tmli_h5_bad(w, name, "holds no bytes");
        return;
    }
    *size = (size_t)count;
    *data = tmli_calloc(env, *size, 1);
    if (!*data) tmli_h5_no_memory(w);
    else if (H5Dread(id, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, *data) < 0)
        tmli_h5_bad(w, name, "cannot be read");
    if (w->st == TML_OK) return;
    tmli_free(env, *data);
    *data = NULL;
}

tml_status tmli_result_attachment(const char *path, const tml_env *env, void **data, size_t *size,
                                  tml_error *err)
{
    static const char name[] = "/resume";
    *data = NULL;
    *size = 0;
    const tml_status ready = tmli_h5_ready(path, err);
    if (ready != TML_OK) return ready;
    tmli_h5_reading w = {.path = path, .env = env, .err = err};
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    if (open_file(&w) == TML_OK && H5Lexists(w.file, name, H5P_DEFAULT) > 0) {
        const hid_t id = tmli_h5_open(w.file, name, H5P_DEFAULT);
        if (id < 0) tmli_h5_bad(&w, name, "is no dataset");
        else read_bytes(&w, id, name, env, data, size);
        if (id >= 0) H5Oclose(id);
    }
    close_file(&w);
    tmli_h5_quiet_end(quiet);
    return w.st;
}

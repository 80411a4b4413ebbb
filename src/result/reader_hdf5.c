// Reading results: HDF5. The layout is described at the head of hdf5.c.
//
// The file is traversed once to list the datasets; then each is read into its columns. Sizes in a file are
// not trusted: they are checked against the number of bytes that the dataset really stores before memory is
// allocated.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "result/h5.h"
#include "result/reader.h"

enum {
    RATIO_MAX = 1100,   // a compressed dataset unpacks to at most this times its size (deflate: 1032)
    LABEL_MAX = 65536,  // bytes of a name or a list of units
};

typedef struct entry {
    hid_t id;
    int order;  // attribute "channel"
    int seen;   // order in the file, to break ties
    int width;
    hsize_t rows;
} entry;

typedef struct walk {
    const char *path;
    tmli_result *r;
    entry *sets;
    size_t nsets, room;
    tml_status st;
    tml_error *err;
} walk;

static herr_t visit(hid_t file, const char *name, const H5L_info_t *info, void *user);
static tml_status collect(walk *w);

tml_status tmli_result_read_hdf5(const char *path, const tml_env *env, tmli_result **out, tml_error *err)
{
    *out = NULL;
    tmli_result *r = tmli_result_create(env);
    if (!r) return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory to read it.", path);
    walk w = {.path = path, .r = r, .err = err};
    char reason[TMLI_H5_REASON];
    const tmli_h5_quiet quiet = tmli_h5_quiet_begin();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        w.st = tmli_fail(err, TML_ERR_IO, "Cannot read result file '%s': %s.", path, tmli_h5_reason(reason));
    } else if (H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &w) < 0 && w.st == TML_OK) {
        w.st = tmli_fail(err, TML_ERR_IO, "Cannot read result file '%s': %s.", path, tmli_h5_reason(reason));
    }
    if (w.st == TML_OK) w.st = collect(&w);
    for (size_t i = 0; i < w.nsets; i++) H5Dclose(w.sets[i].id);
    if (file >= 0) H5Fclose(file);
    tmli_h5_quiet_end(quiet);
    tmli_free(env, w.sets);
    if (w.st != TML_OK) {
        tmli_result_destroy(r);
        return w.st;
    }
    *out = r;
    return TML_OK;
}

static tml_status bad(walk *w, const char *name, const char *what)
{
    w->st = tmli_fail(w->err, TML_ERR_SYNTAX, "Result file '%s': '%s' %s.", w->path, name, what);
    return w->st;
}

static tml_status no_memory(walk *w)
{
    w->st = tmli_fail(w->err, TML_ERR_NOMEM, "Result file '%s': no memory for its contents.", w->path);
    return w->st;
}

// type and number of the strings of an attribute or dataset; size 0: they are not fixed-length strings
static size_t string_size(hid_t type)
{
    return type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 ? H5Tget_size(type)
                                                                                          : 0;
}

// The strings of an attribute, each zero-terminated in size + 1 bytes of the arena; NULL: it has no strings.
static char *get_strings(walk *w, hid_t object, const char *name, hssize_t count, size_t *stride)
{
    const hid_t a = H5Aopen(object, name, H5P_DEFAULT);
    if (a < 0) return NULL;
    const hid_t type = H5Aget_type(a), space = H5Aget_space(a);
    const size_t size = string_size(type);
    char *buf = NULL;
    if (size > 0 && size < LABEL_MAX && space >= 0 && H5Sget_simple_extent_npoints(space) == count) {
        *stride = size + 1;
        const hid_t memory = tmli_h5_string_type(*stride);
        if (memory >= 0) {
            buf = tmli_arena_alloc(&w->r->arena, (size_t)count, *stride);
            if (!buf) no_memory(w);
            else if (H5Aread(a, memory, buf) < 0) buf = NULL;
            H5Tclose(memory);
        }
    }
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Aclose(a);
    return buf;
}

// Reserve memory for one more note: both lists double when the count reaches a power of two.
static bool grow_notes(tmli_result *r)
{
    const size_t n = (size_t)r->nnotes;
    if (n & (n - 1)) return true;
    const size_t room = n ? 2 * n : 1;
    const char **names = tmli_arena_alloc(&r->arena, room, sizeof *names);
    const char **texts = tmli_arena_alloc(&r->arena, room, sizeof *texts);
    if (!names || !texts) return false;
    for (size_t i = 0; i < n; i++) {
        names[i] = r->note_names[i];
        texts[i] = r->note_texts[i];
    }
    r->note_names = names;
    r->note_texts = texts;
    return true;
}

static void take_note(walk *w, hid_t id, const char *name)
{
    tmli_result *r = w->r;
    const hid_t type = H5Dget_type(id), space = H5Dget_space(id);
    const size_t size = string_size(type);
    const bool fits = size > 0 && size < INT_MAX && space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                      H5Dget_storage_size(id) >= size;
    const hid_t memory = fits ? tmli_h5_string_type(size + 1) : H5I_INVALID_HID;
    if (memory >= 0) {
        char *content = tmli_arena_alloc(&r->arena, size + 1, 1), *title = tmli_arena_strdup(&r->arena, name);
        if (!content || !title || !grow_notes(r)) {
            no_memory(w);
        } else if (H5Dread(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, content) < 0) {
            bad(w, name, "is a note that cannot be read");
        } else {
            r->note_names[r->nnotes] = title;
            r->note_texts[r->nnotes++] = content;
        }
        H5Tclose(memory);
    }
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
}

static int get_order(hid_t id)
{
    int order = INT_MAX;
    if (H5Aexists(id, "channel") <= 0) return order;
    const hid_t a = H5Aopen(id, "channel", H5P_DEFAULT);
    if (a < 0) return order;
    const hid_t space = H5Aget_space(a);
    if (space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(a, H5T_NATIVE_INT, &order) < 0)
        order = INT_MAX;
    if (space >= 0) H5Sclose(space);
    H5Aclose(a);
    return order;
}

// Check shape and type of a channel dataset and add it to the list, which then owns id. False: the caller
// still owns id.
static bool take_set(walk *w, hid_t id, const char *name)
{
    hsize_t dims[2] = {0, 1};
    const hid_t space = H5Dget_space(id), type = H5Dget_type(id);
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    const bool shaped = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, dims, NULL) >= 0;
    const bool real = type >= 0 && H5Tget_class(type) == H5T_FLOAT;
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (!shaped || !real || dims[1] < 1 || dims[1] > INT_MAX / 16 || w->nsets >= INT_MAX) {
        bad(w, name, "is no table of numbers with one or two dimensions");
        return false;
    }
    if (dims[0] / RATIO_MAX > H5Dget_storage_size(id) / dims[1]) {
        bad(w, name, "claims more rows than the file holds");
        return false;
    }
    if (w->nsets == w->room) {
        const size_t room = w->room ? 2 * w->room : 64;
        entry *grown = tmli_regrow(&w->r->env, w->sets, w->nsets, room, sizeof *grown);
        if (!grown) {
            no_memory(w);
            return false;
        }
        w->sets = grown;
        w->room = room;
    }
    w->sets[w->nsets] = (entry){id, get_order(id), (int)w->nsets, (int)dims[1], dims[0]};
    w->nsets++;
    return true;
}

static herr_t visit(hid_t file, const char *name, const H5L_info_t *info, void *user)
{
    walk *w = user;
    if (info->type != H5L_TYPE_HARD) return 0;
    const hid_t id = H5Oopen(file, name, H5P_DEFAULT);
    if (id < 0) {
        bad(w, name, "cannot be opened");
        return -1;
    }
    bool kept = false;
    if (H5Iget_type(id) == H5I_DATASET) {
        if (strncmp(name, "meta/", 5) == 0) take_note(w, id, name + 5);
        else if (H5Aexists(id, "columns") > 0) kept = take_set(w, id, name);
    }
    if (!kept) H5Oclose(id);
    return w->st == TML_OK ? 0 : -1;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    return x->seen < y->seen ? -1 : x->seen > y->seen;
}

// Names and units of one dataset, from column `first` on. A single unit is that of all columns.
static tml_status label(walk *w, const entry *e, int first)
{
    tmli_result *r = w->r;
    size_t name_stride = 0, unit_stride = 0;
    char *names = get_strings(w, e->id, "columns", e->width, &name_stride);
    char *units = w->st == TML_OK ? get_strings(w, e->id, "unit", 1, &unit_stride) : NULL;
    if (w->st != TML_OK) return w->st;
    if (!names) return bad(w, "columns", "is not one string per column");
    if (!units) return bad(w, names, "has no unit");
    int commas = 0;
    for (const char *p = units; *p; p++) commas += *p == ',';
    if (commas != 0 && commas != e->width - 1)
        return bad(w, names, "has a list of units of the wrong length");
    for (int k = 0; k < e->width; k++) {
        r->names[first + k] = names + (size_t)k * name_stride;
        r->units[first + k] = units;
        if (commas == 0) continue;
        units += strcspn(units, ",");
        if (*units) *units++ = 0;
    }
    return TML_OK;
}

static tml_status read_columns(walk *w, const entry *e, int first)
{
    tmli_result *r = w->r;
    const hsize_t rows = r->nrows, width = (hsize_t)e->width, start[2] = {0, 0}, count[2] = {rows, width};
    const hsize_t all[2] = {rows, (hsize_t)r->ncols}, place[2] = {0, (hsize_t)first};
    const hid_t file = H5Dget_space(e->id), memory = H5Screate_simple(2, all, NULL);
    if (file < 0 || memory < 0 || H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, place, NULL, count, NULL) < 0 ||
        H5Dread(e->id, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, r->values) < 0) {
        char reason[TMLI_H5_REASON];
        tmli_h5_reason(reason);
        w->st = tmli_fail(w->err, TML_ERR_IO, "Cannot read '%s' of result file '%s': %s.", r->names[first],
                          w->path, reason);
    }
    if (file >= 0) H5Sclose(file);
    if (memory >= 0) H5Sclose(memory);
    return w->st;
}

static tml_status collect(walk *w)
{
    tmli_result *r = w->r;
    if (w->nsets == 0)
        return bad(w, "/", "holds no dataset with the attribute 'columns'; it is no result of ours");
    qsort(w->sets, w->nsets, sizeof *w->sets, compare_entries);
    hsize_t least = w->sets[0].rows, most = least;
    for (size_t i = 0; i < w->nsets; i++) {
        if (w->sets[i].width > INT_MAX - r->ncols) return bad(w, "/", "has too many columns");
        r->ncols += w->sets[i].width;
        if (w->sets[i].rows < least) least = w->sets[i].rows;
        if (w->sets[i].rows > most) most = w->sets[i].rows;
    }
    if (least != most)
        tmli_log(&r->env, TML_LOG_WARNING,
                 "Result file '%s': datasets have %llu to %llu rows; the common ones are read.", w->path,
                 (unsigned long long)least, (unsigned long long)most);
    const size_t ncols = (size_t)r->ncols;
    if (least > SIZE_MAX / sizeof(double) / ncols) return no_memory(w);
    r->nrows = (size_t)least;
    r->names = tmli_arena_alloc(&r->arena, ncols, sizeof *r->names);
    r->units = tmli_arena_alloc(&r->arena, ncols, sizeof *r->units);
    r->values = tmli_calloc(&r->env, r->nrows * ncols, sizeof *r->values);
    if (!r->names || !r->units || !r->values) return no_memory(w);
    int first = 0;
    for (size_t i = 0; i < w->nsets && w->st == TML_OK; i++) {
        if (label(w, &w->sets[i], first) == TML_OK && r->nrows > 0) read_columns(w, &w->sets[i], first);
        first += w->sets[i].width;
    }
    return w->st;
}

// Reading results: HDF5 files of the first layout, a dataset per vector or number with the attributes "unit",
// "columns" (names of the channels) and "channel" (index of the first column).
//
// The file is traversed once to list the datasets; then each is read into its columns.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "result/hdf5/reader_h5.h"

typedef struct entry {
    hid_t id;
    int order;  // attribute "channel"
    int seen;   // order in the file, to break ties
    int width;
    hsize_t rows;
} entry;

typedef struct walk {
    tmli_h5_reading *in;
    entry *sets;
    size_t nsets, room;
} walk;

// The strings of an attribute, each zero-terminated in size + 1 bytes of the arena; NULL: it has no strings.
static char *get_strings(tmli_h5_reading *w, hid_t object, const char *name, hssize_t count, size_t *stride)
{
    const hid_t a = H5Aopen(object, name, H5P_DEFAULT);
    if (a < 0) return NULL;
    const hid_t type = H5Aget_type(a), space = H5Aget_space(a);
    const size_t size = tmli_h5_string_size(type);
    char *buf = NULL;
    if (size > 0 && size < TMLI_H5_LABEL && space >= 0 && H5Sget_simple_extent_npoints(space) == count) {
        *stride = size + 1;
        const hid_t memory = tmli_h5_string_type(*stride);
        if (memory >= 0) {
            buf = tmli_arena_alloc(&w->r->arena, (size_t)count, *stride);
            if (!buf) tmli_h5_no_memory(w);
            else if (H5Aread(a, memory, buf) < 0) buf = NULL;
            H5Tclose(memory);
        }
    }
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Aclose(a);
    return buf;
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
static bool take_set(walk *v, hid_t id, const char *name)
{
    tmli_h5_reading *const w = v->in;
    hsize_t dims[2] = {0, 1};
    const hid_t space = H5Dget_space(id), type = H5Dget_type(id);
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    const bool shaped = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, dims, NULL) >= 0;
    const bool real = type >= 0 && H5Tget_class(type) == H5T_FLOAT;
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (!shaped || !real || dims[1] < 1 || dims[1] > INT_MAX / 16 || v->nsets >= INT_MAX) {
        tmli_h5_bad(w, name, "is no table of numbers with one or two dimensions");
        return false;
    }
    if (dims[0] / TMLI_H5_RATIO > H5Dget_storage_size(id) / dims[1]) {
        tmli_h5_bad(w, name, "claims more rows than the file holds");
        return false;
    }
    if (v->nsets == v->room) {
        const size_t room = v->room ? 2 * v->room : 64;
        entry *grown = tmli_regrow(&w->r->env, v->sets, v->nsets, room, sizeof *grown);
        if (!grown) {
            tmli_h5_no_memory(w);
            return false;
        }
        v->sets = grown;
        v->room = room;
    }
    v->sets[v->nsets] = (entry){id, get_order(id), (int)v->nsets, (int)dims[1], dims[0]};
    v->nsets++;
    return true;
}

static herr_t visit(hid_t file, const char *name, const H5L_info_t *info, void *user)
{
    walk *v = user;
    tmli_h5_reading *const w = v->in;
    if (info->type != H5L_TYPE_HARD) return 0;
    const hid_t id = tmli_h5_open(file, name, H5P_DEFAULT);
    if (id < 0) {
        tmli_h5_bad(w, name, "cannot be opened");
        return -1;
    }
    bool kept = false;
    if (H5Iget_type(id) == H5I_DATASET) {
        if (strncmp(name, "meta/", 5) == 0) tmli_h5_take_note(w, id, name + 5);
        else if (H5Aexists(id, "columns") > 0) kept = take_set(v, id, name);
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
static tml_status label(tmli_h5_reading *w, const entry *e, int first)
{
    tmli_result *r = w->r;
    size_t name_stride = 0, unit_stride = 0;
    char *names = get_strings(w, e->id, "columns", e->width, &name_stride);
    char *units = w->st == TML_OK ? get_strings(w, e->id, "unit", 1, &unit_stride) : NULL;
    if (w->st != TML_OK) return w->st;
    if (!names) return tmli_h5_bad(w, "columns", "is not one string per column");
    if (!units) return tmli_h5_bad(w, names, "has no unit");
    int commas = 0;
    for (const char *p = units; *p; p++) commas += *p == ',';
    if (commas != 0 && commas != e->width - 1)
        return tmli_h5_bad(w, names, "has a list of units of the wrong length");
    for (int k = 0; k < e->width; k++) {
        r->names[first + k] = names + (size_t)k * name_stride;
        r->units[first + k] = units;
        if (commas == 0) continue;
        units += strcspn(units, ",");
        if (*units) *units++ = 0;
    }
    return TML_OK;
}

static tml_status collect(walk *v)
{
    tmli_h5_reading *const w = v->in;
    tmli_result *r = w->r;
    if (v->nsets == 0)
        return tmli_h5_bad(w, "/", "holds no dataset with the attribute 'columns'; it is no result of ours");
    qsort(v->sets, v->nsets, sizeof *v->sets, compare_entries);
    hsize_t least = v->sets[0].rows, most = least;
    for (size_t i = 0; i < v->nsets; i++) {
        if (v->sets[i].width > INT_MAX - r->ncols) return tmli_h5_bad(w, "/", "has too many columns");
        r->ncols += v->sets[i].width;
        if (v->sets[i].rows < least) least = v->sets[i].rows;
        if (v->sets[i].rows > most) most = v->sets[i].rows;
    }
    if (least != most)
        tmli_log(&r->env, TML_LOG_WARNING,
                 "Result file '%s': datasets have %llu to %llu rows; the common ones are read.", w->path,
                 (unsigned long long)least, (unsigned long long)most);
    const size_t ncols = (size_t)r->ncols;
    if (least > TMLI_RESULT_BYTES / sizeof(double) / ncols) return tmli_h5_no_memory(w);
    r->nrows = (size_t)least;
    r->names = tmli_arena_alloc(&r->arena, ncols, sizeof *r->names);
    r->units = tmli_arena_alloc(&r->arena, ncols, sizeof *r->units);
    r->values = tmli_calloc(&r->env, r->nrows * ncols, sizeof *r->values);
    if (!r->names || !r->units || !r->values) return tmli_h5_no_memory(w);
    int first = 0;
    for (size_t i = 0; i < v->nsets && w->st == TML_OK; i++) {
        if (label(w, &v->sets[i], first) == TML_OK && r->nrows > 0)
            tmli_h5_read_columns(w, v->sets[i].id, v->sets[i].width, first);
        first += v->sets[i].width;
    }
    return w->st;
}

tml_status tmli_h5_read_layout1(tmli_h5_reading *w)
{
    walk v = {.in = w};
    if (H5Lvisit(w->file, H5_INDEX_NAME, H5_ITER_INC, visit, &v) < 0 && w->st == TML_OK) {
        char reason[TMLI_H5_REASON];
        tmli_h5_reason(reason);
        w->st = tmli_fail(w->err, TML_ERR_IO, "Cannot read result file '%s': %s.", w->path, reason);
    }
    if (w->st == TML_OK) collect(&v);
    for (size_t i = 0; i < v.nsets; i++) H5Dclose(v.sets[i].id);
    tmli_free(&w->r->env, v.sets);
    return w->st;
}

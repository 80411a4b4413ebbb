// Result writers: checks for all formats, the choice of the format by the extension of the path, and the
// first failure, which every later call reports again.
#define _POSIX_C_SOURCE 200809L
#include "result/writer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct tml_writer {
    const tmli_writer_ops *ops;
    void *self;
    tml_env env;
    bool resumable;
    tml_error failure;  // status TML_OK: none so far
};

static tml_status pick_format(const char *path, const tmli_writer_ops **ops, tml_error *err);
static tml_status check_channels(const tml_channel *c, int n, tml_error *err);
static tml_status check_vectors(const tml_channel *c, int n, tml_error *err);
static tml_status check_unique(const tml_channel *c, int n, const tml_env *env, tml_error *err);
static tml_status check_notes(const tml_result_note *notes, int n, tml_error *err);

tml_status tmli_writer_begin(const tmli_writer_def *given, tml_writer **out, tml_error *err)
{
    tmli_writer_def def = *given;
    if (!def.path || !*def.path) return tmli_fail(err, TML_ERR_ARG, "The result file has no path.");
    if (def.nchannels < 1 || !def.channels)
        return tmli_fail(err, TML_ERR_ARG, "Result file '%s': there are no channels to write.", def.path);
    const tmli_writer_ops *ops = NULL;
    tml_status st = pick_format(def.path, &ops, err);
    if (st == TML_OK) st = check_channels(def.channels, def.nchannels, err);
    if (st == TML_OK && !def.selected) st = check_vectors(def.channels, def.nchannels, err);
    if (st == TML_OK) st = check_unique(def.channels, def.nchannels, def.env, err);
    if (st == TML_OK) st = check_notes(def.notes, def.nnotes, err);
    if (st != TML_OK) return st;

    tml_writer *w = tmli_calloc(def.env, 1, sizeof *w);
    if (!w) return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for the writer.", def.path);
    if (def.env) w->env = *def.env;
    w->ops = ops;
    w->resumable = def.resumable;
    def.env = &w->env;
    st = (def.last ? ops->reopen : ops->create)(&def, &w->self, err);
    if (st != TML_OK) {
        const tml_env env = w->env;
        tmli_free(&env, w);
        return st;
    }
    *out = w;
    return TML_OK;
}

tml_status tml_writer_create(const char *path, const tml_channel *channels, int nchannels,
                             const tml_result_note *notes, int nnotes, const tml_env *env, tml_writer **out,
                             tml_error *err)
{
    if (!out) return tmli_fail(err, TML_ERR_ARG, "tml_writer_create: out is NULL.");
    *out = NULL;
    const tmli_writer_def def = {.path = path,
                                 .channels = channels,
                                 .nchannels = nchannels,
                                 .notes = notes,
                                 .nnotes = nnotes,
                                 .env = env};
    return tmli_writer_begin(&def, out, err);
}

tml_status tml_writer_continue(const char *path, const tml_channel *channels, int nchannels, size_t rows,
                               const double *last, const tml_env *env, tml_writer **out, tml_error *err)
{
    if (!out) return tmli_fail(err, TML_ERR_ARG, "tml_writer_continue: out is NULL.");
    *out = NULL;
    if (rows < 1 || !last)
        return tmli_fail(err, TML_ERR_ARG, "A result file is continued after at least one row.");
    const tmli_writer_def def = {
        .path = path, .channels = channels, .nchannels = nchannels, .env = env, .rows = rows, .last = last};
    return tmli_writer_begin(&def, out, err);
}

tml_status tml_writer_row(tml_writer *w, const double *x, tml_error *err)
{
    if (!w || !x) return tmli_fail(err, TML_ERR_ARG, "A result row needs a writer and values.");
    if (w->failure.status == TML_OK) {
        if (w->ops->row(w->self, x, &w->failure) == TML_OK) return TML_OK;
    }
    if (err) *err = w->failure;
    return w->failure.status;
}

tml_status tml_writer_note(tml_writer *w, const tml_result_note *note, tml_error *err)
{
    if (!w || !note) return tmli_null_argument(err, "tml_writer_note");
    const tml_status st = check_notes(note, 1, err);
    if (st != TML_OK || w->failure.status != TML_OK || !w->ops->note) return st;
    return w->ops->note(w->self, note, err);
}

tml_status tml_writer_flush(tml_writer *w, tml_error *err)
{
    if (!w) return tmli_null_argument(err, "tml_writer_flush");
    if (w->failure.status == TML_OK && w->ops->flush(w->self, &w->failure) == TML_OK) return TML_OK;
    if (err) *err = w->failure;
    return w->failure.status;
}

bool tmli_writer_can_attach(const tml_writer *w) { return w->ops->attach && w->resumable; }

tml_status tmli_writer_attach(tml_writer *w, const void *data, size_t size, bool complete, tml_error *err)
{
    if (w->failure.status == TML_OK && w->ops->attach(w->self, data, size, complete, &w->failure) == TML_OK)
        return TML_OK;
    if (err) *err = w->failure;
    return w->failure.status;
}

tml_status tml_writer_close(tml_writer *w, tml_error *err)
{
    if (!w) return TML_OK;
    tml_status st = w->failure.status;
    if (st == TML_OK) {
        st = w->ops->close(w->self, true, err);
    } else {
        w->ops->close(w->self, false, NULL);
        if (err) *err = w->failure;
    }
    const tml_env env = w->env;
    tmli_free(&env, w);
    return st;
}

static bool same_text_nocase(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    return *a == *b;
}

static tml_status pick_format(const char *path, const tmli_writer_ops **ops, tml_error *err)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const char *ending = dot ? dot : "";
    if (same_text_nocase(ending, ".csv")) *ops = &tmli_writer_csv;
    else if (same_text_nocase(ending, ".h5") || same_text_nocase(ending, ".hdf5"))
        return tmli_writer_hdf5(ops, err);
    else if (!*ending)
        return tmli_fail(err, TML_ERR_ARG, "Result file '%s' has no extension; use .csv, .h5 or .hdf5.",
                         path);
    else
        return tmli_fail(err, TML_ERR_ARG,
                         "Result file '%s': the extension '%s' is unknown; use .csv, .h5 or .hdf5.", path,
                         ending);
    return TML_OK;
}

// printable, at least one character
static bool is_label(const char *text)
{
    if (!text || !*text) return false;
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f) return false;
    return true;
}

static bool is_dataset_path(const char *p)
{
    if (!is_label(p) || p[0] != '/' || strstr(p, "//")) return false;
    return p[strlen(p) - 1] != '/';  // also refuses "/"
}

static tml_status check_channels(const tml_channel *c, int n, tml_error *err)
{
    for (int i = 0; i < n; i++) {
        if (!is_label(c[i].name))
            return tmli_fail(err, TML_ERR_ARG,
                             "Channel %d: its name is empty or contains control characters.", i);
        if (!is_label(c[i].unit) || strchr(c[i].unit, ','))
            return tmli_fail(err, TML_ERR_ARG,
                             "Channel '%s': a unit is printable text without a comma ('1' for none).",
                             c[i].name);
        if (!is_dataset_path(c[i].dataset))
            return tmli_fail(err, TML_ERR_ARG,
                             "Channel '%s': its dataset must be a path like '/bodies/crank/position'.",
                             c[i].name);
        if (c[i].determined && !is_label(c[i].determined))
            return tmli_fail(err, TML_ERR_ARG,
                             "Channel '%s': 'determined' is empty or contains control characters.",
                             c[i].name);
    }
    return TML_OK;
}

// The components of a vector follow each other.
static tml_status check_vectors(const tml_channel *c, int n, tml_error *err)
{
    for (int i = 0; i < n; i += c[i].width) {
        if (c[i].width < 1 || c[i].width > n - i)
            return tmli_fail(err, TML_ERR_ARG,
                             "Channel '%s': the width %d of its dataset is outside 1 .. %d.", c[i].name,
                             c[i].width, n - i);
        for (int k = 0; k < c[i].width; k++) {
            const tml_channel *p = &c[i + k];
            if (p->component != k || p->width != c[i].width || strcmp(p->dataset, c[i].dataset) != 0)
                return tmli_fail(err, TML_ERR_ARG,
                                 "Channel '%s': found component %d of %d in '%s', expected %d of %d in '%s'.",
                                 p->name, p->component, p->width, p->dataset, k, c[i].width, c[i].dataset);
        }
    }
    return TML_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static tml_status check_unique(const tml_channel *c, int n, const tml_env *env, tml_error *err)
{
    const char **names = tmli_calloc(env, (size_t)n, sizeof *names);
    if (!names) return tmli_fail(err, TML_ERR_NOMEM, "Result: no memory for the names of %d channels.", n);
    for (int i = 0; i < n; i++) names[i] = c[i].name;
    qsort(names, (size_t)n, sizeof *names, compare_names);
    tml_status st = TML_OK;
    for (int i = 1; i < n && st == TML_OK; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            st = tmli_fail(err, TML_ERR_NAME, "Two channels have the name '%s'.", names[i]);
    tmli_free(env, (void *)names);
    return st;
}

static tml_status check_notes(const tml_result_note *notes, int n, tml_error *err)
{
    if (n < 0 || (n > 0 && !notes))
        return tmli_fail(err, TML_ERR_ARG, "The notes of the result are missing.");
    for (int i = 0; i < n; i++)
        if (!is_label(notes[i].name) || strchr(notes[i].name, '/') || !notes[i].text)
            return tmli_fail(err, TML_ERR_ARG,
                             "Note %d of the result needs a text and a printable name without '/'.", i);
    return TML_OK;
}

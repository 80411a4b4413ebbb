// The public side of results in memory: files that are read (the formats are in reader.c and hdf5/reader.c),
// and rows that a simulation records.
#define _POSIX_C_SOURCE 200809L
#include "base/near_file.h"
#include "result/reader.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

typedef tml_status (*open_function)(const char *path, const tml_env *env, tml_result **out, tml_error *err);

static tml_status open_by(open_function hdf5, const char *path, const tml_env *env, tml_result **out,
                          tml_error *err)
{
    if (tmli_ends_with(path, ".csv")) return tmli_result_read_csv(path, env, out, err);
    if (tmli_ends_with(path, ".h5") || tmli_ends_with(path, ".hdf5")) return hdf5(path, env, out, err);
    const bool model = tmli_ends_with(path, ".yaml") || tmli_ends_with(path, ".yml");
    tmli_fail(err, TML_ERR_ARG, "The file '%s' does not end in .csv, .h5 or .hdf5.", path);
    if (access(path, F_OK) != 0) {
        char near[200];
        tmli_file_hint(path, near, sizeof near);
        tmli_error_append(err, "(There is no such file%s)", near[0] ? near : ".");
    } else if (model) tmli_error_append(err, "(Is it a model? 'trammel run' makes a result of it.)");
    return TML_ERR_ARG;
}

tml_status tml_result_open(const char *path, const tml_env *env, tml_result **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!path || !out) return tmli_null_argument(err, "tml_result_open");
    return open_by(tmli_result_read_hdf5, path, env, out, err);
}

tml_status tml_result_open_rows(const char *path, const tml_env *env, tml_result **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!path || !out) return tmli_null_argument(err, "tml_result_open_rows");
    return open_by(tmli_result_open_hdf5, path, env, out, err);
}

tml_status tml_result_read_rows(const tml_result *r, size_t first, size_t count, double *rows, tml_error *err)
{
    if (!r || !rows) return tmli_null_argument(err, "tml_result_read_rows");
    if (first > r->nrows || count > r->nrows - first)
        return tmli_fail(err, TML_ERR_ARG,
                         "tml_result_read_rows: the result has %zu rows, not %zu and %zu more.", r->nrows,
                         first, count);
    if (count == 0) return TML_OK;
    if (!r->values) return r->source.read(r->source.self, first, count, rows, err);
    const size_t n = (size_t)r->ncols;
    memcpy(rows, r->values + first * n, count * n * sizeof *rows);
    return TML_OK;
}

void tml_result_close(tml_result *r) { tmli_result_destroy(r); }

int tml_result_channel_count(const tml_result *r) { return r ? r->ncols : 0; }
size_t tml_result_row_count(const tml_result *r) { return r ? r->nrows : 0; }

static bool has_channel(const tml_result *r, int channel) { return r && channel >= 0 && channel < r->ncols; }

const char *tml_result_channel_name(const tml_result *r, int channel)
{
    return has_channel(r, channel) ? r->names[channel] : NULL;
}

const char *tml_result_channel_unit(const tml_result *r, int channel)
{
    return has_channel(r, channel) && r->units && r->units[channel] ? r->units[channel] : "";
}

int tml_result_channel_index(const tml_result *r, const char *name, tml_error *err)
{
    if (!r || !name) {
        tmli_null_argument(err, "tml_result_channel_index");
        return -1;
    }
    const int found = tmli_result_column(r, name);
    if (found >= 0) return found;
    tmli_fail(err, TML_ERR_NAME, "there is no channel '%s'", name);
    tmli_error_hint(err, name, r->names, (size_t)r->ncols);
    return -1;
}

const double *tml_result_row(const tml_result *r, size_t row)
{
    return row < tml_result_row_count(r) && r->values ? r->values + row * (size_t)r->ncols : NULL;
}

double tml_result_value(const tml_result *r, size_t row, int channel)
{
    const double *values = tml_result_row(r, row);
    return values && has_channel(r, channel) ? values[channel] : NAN;
}

double tml_result_time(const tml_result *r, size_t row)
{
    return r ? tml_result_value(r, row, tmli_result_column(r, "t")) : NAN;
}

const char *tml_result_note_text(const tml_result *r, const char *name)
{
    return r && name ? tmli_result_note(r, name) : NULL;
}

tml_status tml_result_write(const tml_result *r, const char *path, const tml_result_note *notes,
                            int note_count, tml_error *err)
{
    if (!r || !path) return tmli_null_argument(err, "tml_result_write");
    if (!r->channels)
        return tmli_fail(err, TML_ERR_ARG, "The result was read from a file: copy that file to '%s'.", path);
    tml_writer *w;
    tml_status st = tml_writer_create(path, r->channels, r->ncols, notes, note_count, &r->env, &w, err);
    if (st != TML_OK) return st;
    for (size_t i = 0; i < r->nrows && st == TML_OK; i++)
        st = tml_writer_row(w, r->values + i * (size_t)r->ncols, err);
    const tml_status closed = tml_writer_close(w, st == TML_OK ? err : NULL);
    return st == TML_OK ? closed : st;
}

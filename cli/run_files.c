// The result files of a run: their names, and what they must not overwrite.
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include "base/base.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// "dir/crank.yaml" gives "crank.h5".
static char *default_result_path(const char *model)
{
    const char *slash = strrchr(model, '/'), *base = slash ? slash + 1 : model;
    const char *dot = strrchr(base, '.');
    const size_t n = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    char *path = malloc(n + 4);
    if (!path) return NULL;
    snprintf(path, n + 4, "%.*s.h5", (int)n, base);
    return path;
}

// Whether two paths name one file: by links, or by the folders that they name if it does not exist yet.
static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    const bool first = stat(a, &x) == 0, second = stat(b, &y) == 0;
    if (first && second) return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    if (first || second) return false;
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    if (strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) != 0) return false;
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    snprintf(folder_a, sizeof folder_a, "%.*s", slash_a ? (int)(slash_a - a + 1) : 2, slash_a ? a : "./");
    snprintf(folder_b, sizeof folder_b, "%.*s", slash_b ? (int)(slash_b - b + 1) : 2, slash_b ? b : "./");
    return stat(folder_a, &x) == 0 && stat(folder_b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

tml_status run_choose_files(run_state *r, tml_error *err)
{
    const run_values *v = r->values;
    const char *out = v->out;
    if (!out && !v->csv) {
        out = r->default_path = default_result_path(v->in.model);
        if (!out) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the name of the result file.");
    }
    if (out && strcmp(out, "none") == 0) out = NULL;
    if (out && !tmli_ends_with(out, ".h5") && !tmli_ends_with(out, ".hdf5") && !tmli_ends_with(out, ".csv"))
        return tmli_fail(err, TML_ERR_ARG, "--out: '%s' does not end in .h5, .hdf5 or .csv.", out);
    if (v->csv && !tmli_ends_with(v->csv, ".csv"))
        return tmli_fail(err, TML_ERR_ARG, "--csv: '%s' does not end in .csv.", v->csv);
    if (out && v->csv && is_same_file(out, v->csv))
        return tmli_fail(err, TML_ERR_ARG, "--out and --csv name the same file '%s'.", out);
    if (v->report && !tmli_ends_with(v->report, ".csv"))
        return tmli_fail(err, TML_ERR_ARG, "--report: '%s' does not end in .csv.", v->report);
    if (v->report && ((out && is_same_file(out, v->report)) || (v->csv && is_same_file(v->csv, v->report))))
        return tmli_fail(err, TML_ERR_ARG, "--report names the result file '%s'.", v->report);
    if (out) r->files[r->nfiles++].path = out;
    if (v->csv) r->files[r->nfiles++].path = v->csv;
    for (int i = 0; i < r->nfiles; i++)
        if (is_same_file(r->files[i].path, v->in.model))
            return tmli_fail(err, TML_ERR_ARG,
                             tmli_ends_with(v->in.model, ".h5")
                                 ? "'%s' is a result, not a model (--resume continues its run)."
                                 : "The result file '%s' would overwrite the model.",
                             r->files[i].path);
    if (v->report && is_same_file(v->report, v->in.model))
        return tmli_fail(err, TML_ERR_ARG, "--report: '%s' would overwrite the model.", v->report);
    return TML_OK;
}

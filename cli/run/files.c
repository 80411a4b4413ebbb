// The result files of a run: their names.
#include "run.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

tml_status run_add_checkpoint(const run_values *v, const char *result, tml_error *err)
{
    char *beside = cli_checkpoint_path(result);
    const tml_status st = cli_files_add(v->in.files, CLI_FILE_KEPT, "the checkpoint of the run", beside, err);
    free(beside);
    return st;
}

tml_status run_choose_files(run_state *r, tml_error *err)
{
    const run_values *v = r->values;
    const char *out = v->out;
    if (!out && !v->csv) {
        out = r->default_path = cli_stem(v->in.model, ".h5");
        if (!out) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the name of the result file.");
    }
    if (out && strcmp(out, "none") == 0) out = NULL;
    if (out && !tmli_ends_with(out, ".h5") && !tmli_ends_with(out, ".hdf5") && !tmli_ends_with(out, ".csv"))
        return tmli_fail(err, TML_ERR_ARG, "--out: '%s' does not end in .h5, .hdf5 or .csv.", out);
    if (v->csv && !tmli_ends_with(v->csv, ".csv"))
        return tmli_fail(err, TML_ERR_ARG, "--csv: '%s' does not end in .csv.", v->csv);
    if (v->report && !tmli_ends_with(v->report, ".csv"))
        return tmli_fail(err, TML_ERR_ARG, "--report: '%s' does not end in .csv.", v->report);
    if (out) r->files[r->nfiles++].path = out;
    if (v->csv) r->files[r->nfiles++].path = v->csv;
    tml_status st = cli_files_add(v->in.files, CLI_FILE_WRITTEN, "the result file", r->default_path, err);
    for (int i = 0; i < r->nfiles && st == TML_OK; i++) st = run_add_checkpoint(v, r->files[i].path, err);
    return st;
}

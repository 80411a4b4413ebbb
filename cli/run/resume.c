// Checkpoints of a run, and runs that are continued from them.
//
// A checkpoint is taken at the start, about once a second, when the run is interrupted, and before the first
// step that the end of the run shortens: from there a later end is reached as if the earlier had not been.
// It is written after the rows that it counts. A killed run thus leaves rows behind its last checkpoint; they
// are cut off when it is continued, and computed again.
#include "base/target.h"
#include "run.h"

#include "result/reader.h"
#include "result/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// [s] Wall time between two checkpoints: what a killed run has to compute again.
static const double INTERVAL = 1;
// Part of the run that checkpoints may take: large models get them less often.
static const double SHARE = 0.01;

// ---- taking them ------------------------------------------------------------------------------------------

// A run that cannot be continued is still a run.
static void warn(run_state *r, const tml_error *err)
{
    if (r->checkpoints.failed) return;
    r->checkpoints.failed = true;
    cli_progress_clear(&r->progress);
    fprintf(stderr, "trammel: warning: this run cannot be continued later: %s\n", CLI_VISIBLE(err->msg));
}

static tml_status take(run_state *r, const tml_sim *sim, tml_error *err)
{
    run_checkpoints *c = &r->checkpoints;
    size_t size = 0;
    tml_status st = tml_sim_save_memory(sim, c->sim, c->sim_room, &size, err);
    if (size > c->sim_room) {  // also at the first call
        unsigned char *more = realloc(c->sim, size + size / 4);
        if (!more) return tmli_fail(err, TML_ERR_NOMEM, "No memory for a checkpoint.");
        c->sim = more;
        c->sim_room = size + size / 4;
        st = tml_sim_save_memory(sim, c->sim, c->sim_room, &size, err);
    }
    c->sim_size = st == TML_OK ? size : 0;
    c->rows = r->rows;
    memcpy(c->last, r->row, (size_t)r->nchannels * sizeof *c->last);
    c->stored = false;
    return st;
}

// As one block; NULL: none was taken, or memory is exhausted.
static void *pack(run_state *r, bool finished, size_t *size, tml_error *err)
{
    const run_checkpoints *c = &r->checkpoints;
    const bool again = r->values->again;
    const cli_checkpoint all = {
        .kinematics = r->method != NULL,
        .finished = finished,
        .end = r->end,
        .rows = c->rows,
        .channels = run_channel_patterns(r),
        .channel_count = r->nchannels,
        .last = c->last,
        .parameter_count = again ? r->from.parameter_count : r->values->in.set.count,
        .parameters = again ? r->from.parameters : c->parameters,
        .source_count = tml_spec_source_count(r->spec),
        .sources = tml_spec_source(r->spec, 0),
        .sim = c->sim,
        .sim_size = c->sim_size,
    };
    void *data = NULL;
    if (c->sim_size == 0) return NULL;
    cli_checkpoint_pack(&all, &data, size, err);
    return data;
}

// That of an earlier run does not stay beside a result to which it does not belong.
static void store(run_state *r, int file, const void *data, size_t size)
{
    tml_error err = {0};
    run_checkpoints *c = &r->checkpoints;
    const tml_env env = {.files = r->values->in.files};
    if (!c->path[file]) return;
    if (data && tmli_file_write(c->path[file], data, size, false, &env, &err) == TML_OK) c->own[file] = true;
    else if (!c->own[file]) unlink(c->path[file]);
    if (err.status != TML_OK) warn(r, &err);
}

// ---- during a run -----------------------------------------------------------------------------------------

// Whether the file is the result of a run that had not reached its end. beside: of its checkpoint.
static bool is_unfinished(const char *result, const char *beside)
{
    cli_checkpoint old;
    bool found = false;
    if (access(beside, F_OK) != 0 && tmli_result_is_complete(result)) return false;
    const tml_status st = cli_checkpoint_find(result, &old, &found, NULL);
    const bool unfinished = st == TML_OK && found && !old.finished && old.rows > 0;
    cli_checkpoint_clear(&old);
    return unfinished;
}

tml_status run_checkpoints_begin(run_state *r, tml_error *err)
{
    run_checkpoints *c = &r->checkpoints;
    const run_values *v = r->values;
    c->last = calloc((size_t)r->nchannels + 1, sizeof *c->last);
    if (!c->last) return tmli_fail(err, TML_ERR_NOMEM, "No memory for %d channels.", r->nchannels);
    if (v->again && r->from.channel_count != r->nchannels)
        return tmli_fail(err, TML_ERR_IO, "The run of '%s' has %d channels, its checkpoint %d.", v->in.model,
                         r->nchannels, r->from.channel_count);
    if (v->again && r->rows > 0) memcpy(r->row, r->from.last, (size_t)r->nchannels * sizeof *r->row);
    const tml_status st = v->again ? TML_OK : cli_parameters(&v->in.set, &c->parameters, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < r->nfiles; i++) {
        c->path[i] = cli_checkpoint_path(r->files[i].path);
        c->own[i] = v->again;
        c->unfinished[i] = c->path[i] && !v->again && is_unfinished(r->files[i].path, c->path[i]);
    }
    tml_error why = {0};
    if (r->nfiles > 0 && take(r, r->sim, &why) != TML_OK) warn(r, &why);
    c->near_end = tml_sim_is_near_end(r->sim, r->end);
    c->due = tmli_wall_time() + INTERVAL;
    return TML_OK;
}

tml_status run_checkpoints_ready(void *user, tml_error *err)
{
    (void)err;
    const run_ready *ready = user;
    run_state *r = ready->r;
    tml_error why = {0};
    if (r->checkpoints.unfinished[ready->file])
        fprintf(stderr,
                "trammel: warning: '%s' was the result of a run that had not reached its end; it is replaced "
                "('trammel run --resume' would have continued it)\n",
                r->files[ready->file].path);
    size_t size = 0;
    void *data = r->checkpoints.path[ready->file] ? pack(r, false, &size, &why) : NULL;
    store(r, ready->file, data, size);
    if (why.status != TML_OK) warn(r, &why);
    free(data);
    return TML_OK;
}

void run_checkpoints_withdraw(const run_state *r, int file)
{
    if (r->checkpoints.own[file] && !r->values->again) unlink(r->checkpoints.path[file]);
}

// Rows first, then the checkpoint that counts them.
static tml_status flush_and_store(run_state *r)
{
    for (int i = 0; i < r->nfiles; i++) {
        const tml_status st = tml_writer_flush(r->files[i].writer, &r->err);
        if (st != TML_OK) return st;
    }
    tml_error why = {0};
    size_t size = 0;
    void *data = pack(r, false, &size, &why);
    if (!data) warn(r, &why);
    for (int i = 0; i < r->nfiles && data; i++) store(r, i, data, size);
    r->checkpoints.stored = data != NULL;
    free(data);
    return TML_OK;
}

tml_status run_checkpoints_step(run_state *r, const tml_sim *sim)
{
    run_checkpoints *c = &r->checkpoints;
    if (c->near_end || c->failed || r->nfiles == 0) return TML_OK;
    const bool near_end = tml_sim_is_near_end(sim, r->end);
    const double begin = tmli_wall_time();
    if (!near_end && begin < c->due) return TML_OK;
    tml_error why = {0};
    if (take(r, sim, &why) != TML_OK) {
        warn(r, &why);
        return TML_OK;
    }
    c->near_end = near_end;
    if (begin < c->due) return TML_OK;
    const tml_status st = flush_and_store(r);
    const double now = tmli_wall_time();
    c->due = now + fmax(INTERVAL, (now - begin) / SHARE);
    return st;
}

// ---- the end ----------------------------------------------------------------------------------------------

// An HDF5 file takes the checkpoint in; then it needs no file beside it.
static bool attach(run_state *r, int file, const void *data, size_t size, bool finished)
{
    tml_writer *w = r->files[file].writer;
    if (!tmli_writer_can_attach(w)) return false;
    tml_error err = {0};
    if (tmli_writer_attach(w, data, size, finished, &err) != TML_OK) return false;
    return tml_writer_flush(w, &err) == TML_OK;
}

// The end is reached, also if nothing could be kept to continue from it.
static void mark_complete(run_state *r, int file) { attach(r, file, NULL, 0, true); }

// A file that cannot take it in lacks the report, too: its run is continued to the same end.
static void keep_checkpoint(run_state *r, int file, bool finished)
{
    tml_error why = {0};
    size_t size = 0;
    void *data = pack(r, finished, &size, &why);
    if (data && attach(r, file, data, size, finished)) unlink(r->checkpoints.path[file]);
    else if (data) {
        if (finished && tmli_writer_can_attach(r->files[file].writer)) {
            free(data);
            data = pack(r, false, &size, &why);
        }
        if (data) store(r, file, data, size);
    }
    if (!data) warn(r, &why);
    if (!data && finished) mark_complete(r, file);
    free(data);
}

void run_checkpoints_end(run_state *r, bool finished)
{
    run_checkpoints *c = &r->checkpoints;
    tml_error why = {0};
    for (int i = 0; i < r->nfiles && c->failed && finished; i++) mark_complete(r, i);
    if (c->failed || r->nfiles == 0) return;
    if (!finished && !c->near_end && take(r, r->sim, &why) != TML_OK) {
        warn(r, &why);
        return;
    }
    for (int i = 0; i < r->nfiles; i++)
        if (tml_writer_flush(r->files[i].writer, &why) != TML_OK) return;  // closing reports it
    for (int i = 0; i < r->nfiles; i++)
        if (c->path[i]) keep_checkpoint(r, i, finished);
}

void run_checkpoints_hint(const run_state *r)
{
    const run_checkpoints *c = &r->checkpoints;
    if (r->err.status != TML_ERR_IO || !r->running || r->rows == 0 || c->failed) return;
    for (int i = 0; i < r->nfiles; i++) {
        tml_result *result = NULL;  // it may have been deleted or cut
        if (c->path[i] && tml_result_open(r->files[i].path, NULL, &result, NULL) == TML_OK &&
            strcmp(tml_result_channel_name(result, 0), "t") == 0)
            fprintf(stderr, "trammel: note: 'trammel run --resume %s' continues it\n",
                    CLI_VISIBLE(r->files[i].path));
        tml_result_close(result);
    }
}

void run_checkpoints_clear(run_state *r)
{
    run_checkpoints *c = &r->checkpoints;
    for (int i = 0; i < RUN_FILES; i++) free(c->path[i]);
    free(c->parameters);
    free(c->last);
    free(c->sim);
    cli_checkpoint_clear(&r->from);
}

// ---- continuing -------------------------------------------------------------------------------------------

// Model and settings are those of the run.
static tml_status check_options(const run_values *v, tml_error *err)
{
    const char *other = cli_settings_other(&v->in.settings, "end");
    if (!other && v->in.set.count > 0) other = "set";
    if (!other && v->resume) other = "continue";
    if (!other && v->out) other = "out";
    if (!other && v->csv) other = "csv";
    if (!other && v->channels) other = "channels";
    if (other)
        return tmli_fail(err, TML_ERR_ARG,
                         "--resume takes model and settings from the run; --%s cannot be given.", other);
    if (!isnan(v->save_at) && !v->save)
        return tmli_fail(err, TML_ERR_ARG, "--save-at needs a file: give --save as well.");
    return TML_OK;
}

static tml_status find(run_state *r, const char *result, tml_error *err)
{
    bool found = false;
    tml_error why = {0};
    if (!tmli_ends_with(result, ".csv") && !tmli_ends_with(result, ".h5") && !tmli_ends_with(result, ".hdf5"))
        return tmli_fail(err, TML_ERR_ARG, "--resume: '%s' is no result file (.h5, .hdf5 or .csv).", result);
    const tml_status st = cli_checkpoint_find(result, &r->from, &found, &why);
    if (st != TML_OK) return tmli_fail(err, st, "The run of '%s' cannot be continued: %s.", result, why.msg);
    if (found) return TML_OK;
    return tmli_fail(
        err, TML_ERR_IO, "%s '%s'%s.",
        access(result, F_OK) == 0 ? "There is nothing to continue the run of" : "There is no result", result,
        access(result, F_OK) != 0        ? ""
        : tmli_ends_with(result, ".csv") ? ": the file '.resume' beside it is missing"
                                         : ": it does not hold what that takes");
}

static tml_status load_model(run_state *r, const tml_env *env, tml_error *err)
{
    tml_read_def def = tml_read_def_default();
    def.path = r->from.sources[0].path;
    def.parameters = r->from.parameters;
    def.parameter_count = r->from.parameter_count;
    def.sources = r->from.sources;
    def.source_count = r->from.source_count;
    tml_status st = tml_spec_read_def(&def, env, &r->spec, err);
    if (st == TML_OK) st = cli_files_add_model(r->values->in.files, r->spec, err);
    if (st == TML_OK) st = tml_model_build(r->spec, &r->model, err);
    return st;
}

// What readers refuse is not written on: an HDF5 file whose notes or channels are damaged could take rows.
static tml_status check_result(const char *path, tml_error *err)
{
    tml_result *result = NULL;
    if (tmli_ends_with(path, ".csv")) return TML_OK;  // its writer reads it
    const tml_status st = tml_result_open_rows(path, NULL, &result, err);
    tml_result_close(result);
    return st;
}

tml_status run_resume(run_state *r, const tml_env *env, tml_error *err)
{
    const run_values *v = r->values;
    tml_status st = check_options(v, err);
    if (st == TML_OK) st = run_add_checkpoint(v, v->in.model, err);
    tmli_files_continue(v->in.files, v->in.model);
    if (st == TML_OK) st = find(r, v->in.model, err);
    if (st != TML_OK) return st;
    const cli_checkpoint *c = &r->from;
    r->end = cli_settings_given(&v->in.settings, "end") ? v->in.settings.def.end : c->end;
    r->complete = c->finished && r->end <= c->end;
    st = check_result(v->in.model, err);
    if (r->complete || st != TML_OK) return st;
    if (c->kinematics) r->method = &tml_method_kinematics;
    st = load_model(r, env, err);
    tml_sim_def def = tml_sim_def_default();
    def.model = r->model;
    def.method = r->method;
    if (st == TML_OK) st = tml_sim_load_memory(&def, c->sim, c->sim_size, &r->sim, err);
    if (st != TML_OK) return st;
    if (r->end < tml_sim_time(r->sim))
        return tmli_fail(err, TML_ERR_ARG, "The run of '%s' is at t = %g s and cannot end at %g s.",
                         v->in.model, tml_sim_time(r->sim), r->end);
    r->files[r->nfiles++].path = v->in.model;
    r->rows = c->rows;
    r->t_row = c->rows > 0 ? c->last[0] : NAN;
    return TML_OK;
}

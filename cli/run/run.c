// trammel run: read a model, simulate it, write the results.
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include "base/base.h"
#include "base/stream.h"
#include "conditioning.h"
#include "result/writer.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trammel/view.h>

#define AT(member) offsetof(run_values, member)
static const cli_option options[] = {
    CLI_INPUT_MODEL,
    {.kind = CLI_HEADING, .doc = "Model and time"},
    CLI_INPUT_SET,
    CLI_INPUT_SETTINGS(CLI_GROUP_TIME, false),
    {.kind = CLI_HEADING, .doc = "Method and accuracy"},
    CLI_INPUT_SETTINGS(CLI_GROUP_METHOD, false),
    CLI_INPUT_SETTINGS(CLI_GROUP_ACCURACY, false),
    CLI_INPUT_SETTINGS(CLI_GROUP_STEPS, false),
    {.kind = CLI_HEADING, .doc = "Settings of particular methods"},
    CLI_INPUT_SETTINGS(CLI_GROUP_FORMULA, false),
    {.kind = CLI_HEADING, .doc = "Equations and their solution"},
    CLI_INPUT_SETTINGS(CLI_GROUP_EQUATIONS, false),
    {.kind = CLI_HEADING, .doc = "Results"},
    RUN_OPTIONS_RESULTS,
    CLI_OPTION_TEXT("--report", 0, AT(report), "FILE", CLI_FILE_WRITTEN,
                    "CSV file with condition numbers and Newton corrections of every step"),
    {.kind = CLI_HEADING, .doc = "Saving and continuing"},
    CLI_OPTION_TEXT("--save", 0, AT(save), "FILE", CLI_FILE_WRITTEN,
                    "save the simulation at the end of the run or when it is interrupted, to be continued"),
    CLI_OPTION_NUMBER("--save-at", CLI_NUMBER, TMLI_RANGE_ANY, AT(save_at), "T", NULL,
                      "save it after the first step that reaches this time [s] instead; the run goes on"),
    CLI_OPTION_TEXT(
        "--continue", 0, AT(resume), "FILE", CLI_FILE_READ,
        "continue a saved simulation of this model, with the same bits as without the interruption; its "
        "settings are those of the saved run, except --end; the results begin where it was saved"),
    CLI_OPTION_FLAG(
        "--resume", 0, AT(again),
        "MODEL is a result file, whose run was killed or interrupted, or met a full disk, or is to go on "
        "to a later --end: append to it, with the same bits as without the interruption. Model and "
        "settings are in the file or in RESULT.resume beside it"),
    {.kind = CLI_HEADING, .doc = "Messages"},
    CLI_OPTION_FLAG("--json", 0, AT(json), "print the closing report as JSON"),
    CLI_OPTION_FLAG("--quiet", 'q', AT(quiet), "print no closing report, only errors and warnings"),
    CLI_OPTION_FLAG(
        "--verbose", 'v', AT(verbose),
        "print notes during the run: singular configurations passed, changes of method or solver"),
    CLI_NO_PROGRESS(AT(no_progress)),
};
#undef AT

// Largest error of the energy balance without a warning, over the largest energy term.
static const double ENERGY_ERROR_WARNING = 0.05;
// The same over the tolerance: a loose tolerance allows a larger error.
static const double ENERGY_ERROR_PER_TOLERANCE = 100;

// ---- results ----------------------------------------------------------------------------------------------

// The settings as one line of JSON, freed by the caller; NULL if memory is exhausted.
static char *settings_text(const tml_sim *sim)
{
    tmli_json j = {.style = TMLI_JSON_LINE};
    run_put_settings(&j, NULL, sim);
    return tmli_json_take(&j);
}

static tml_status open_files(run_state *r, const tml_env *env, tml_error *err)
{
    if (r->nfiles == 0) return run_checkpoints_begin(r, err);
    char *settings = settings_text(r->sim);
    tml_scene *scene = NULL;
    // a file that is continued has it already, and the meshes that are only seen may be gone
    tml_status st = r->rows > 0 ? TML_OK : tml_scene_create(r->spec, r->model, env, &scene, err);
    if (st == TML_OK && !settings) st = tmli_fail(err, TML_ERR_NOMEM, "No memory for the settings.");
    const char *text = tml_spec_text(r->spec);
    const tml_result_note notes[] = {{"title", tml_model_title(r->model)},
                                     {"file", tml_spec_source(r->spec, 0)->path},
                                     {"model", text ? text : ""},
                                     {"settings", settings},
                                     {"scene", scene ? tml_scene_text(scene) : ""},
                                     {"version", tml_version()}};
    if (st == TML_OK) st = run_checkpoints_begin(r, err);
    for (int i = 0; i < r->nfiles && st == TML_OK; i++) {
        run_ready ready = {r, i};
        const tmli_writer_def def = {.path = r->files[i].path,
                                     .channels = r->channel,
                                     .nchannels = r->nchannels,
                                     .notes = notes,
                                     .nnotes = sizeof notes / sizeof *notes,
                                     .env = env,
                                     .rows = (size_t)r->rows,
                                     .last = r->rows > 0 ? r->row : NULL,
                                     .ready = run_checkpoints_ready,
                                     .user = &ready,
                                     .resumable = true,
                                     .selected = true};
        st = tmli_writer_begin(&def, &r->files[i].writer, err);
        if (st != TML_OK) run_checkpoints_withdraw(r, i);
    }
    free(settings);
    tml_scene_destroy(scene);
    return st;
}

// The closing report, the marks of the time line and the history of the steps go to the file of a run that
// reached its end.
static tml_status write_closing_notes(run_state *r, tml_writer *writer, tml_error *err)
{
    char *report = NULL, *marks = cli_marks_text(&r->marks), *steps = cli_history_text(&r->history);
    size_t size = 0;
    FILE *f = tmli_memory_stream(NULL, &report, &size);
    cli_report page = cli_report_text(f);
    run_put_report(r, &page);
    const bool ok = f && fclose(f) == 0 && marks && steps;
    tml_status st = ok ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for the closing report.");
    if (st == TML_OK) st = tml_writer_note(writer, &(tml_result_note){"report", report}, err);
    if (st == TML_OK) st = tml_writer_note(writer, &(tml_result_note){"marks", marks}, err);
    if (st == TML_OK) st = tml_writer_note(writer, &(tml_result_note){"steps", steps}, err);
    free(report);
    free(marks);
    free(steps);
    return st;
}

static void keep_error(run_state *r, const tml_error *err)
{
    if (r->err.status != TML_OK) return;
    r->err = *err;
    if (r->sim) r->err.t = tml_sim_time(r->sim);
}

// Before the checkpoint goes to the files: one that lacks its notes is continued to its end again.
static void note_end(run_state *r)
{
    for (int i = 0; i < r->nfiles && r->err.status == TML_OK && !r->interrupted; i++) {
        tml_error err = {0};
        if (r->files[i].writer && write_closing_notes(r, r->files[i].writer, &err) != TML_OK)
            keep_error(r, &err);
    }
}

static void close_files(run_state *r)
{
    for (int i = 0; i < r->nfiles; i++) {
        run_file *f = &r->files[i];
        if (!f->writer) continue;
        tml_error err = {0};
        f->kept = tml_writer_close(f->writer, &err) == TML_OK;
        f->writer = NULL;
        if (!f->kept) keep_error(r, &err);
        struct stat info;
        if (f->kept && stat(f->path, &info) == 0) f->bytes = (long long)info.st_size;
    }
    tml_error err = {0};
    if (tmli_draft_close(&r->report, TML_OK, &err) != TML_OK && r->err.status == TML_OK) r->err = err;
}

// ---- the run ----------------------------------------------------------------------------------------------

static tml_status stop_if_interrupted(run_state *r)
{
    if (!cli_interrupted()) return TML_OK;
    r->interrupted = true;
    return TML_ERR_STOPPED;
}

static tml_status save(run_state *r, const tml_sim *sim, double t)
{
    r->saved = true;
    const tml_status st = tml_sim_save(sim, r->values->save, &r->err);
    if (st == TML_OK) return TML_OK;
    r->err.status = st;
    r->err.t = t;
    return TML_ERR_STOPPED;
}

static tml_status on_step(const tml_sim *sim, double t, double h, void *user)
{
    run_state *r = user;
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    if (cli_progress_due(&r->progress)) cli_progress_draw(&r->progress, t, h, report.count.steps);
    cli_marks_step(&r->marks, &report, t);
    cli_history_step(&r->history, &report, t, h);
    if (r->report.out) cli_conditioning_row(&r->report, r->sim, t, h);
    if (r->values->save && !r->saved && t >= r->values->save_at && save(r, sim, t) != TML_OK)
        return TML_ERR_STOPPED;
    const tml_status st = run_checkpoints_step(r, sim);
    if (st != TML_OK) {
        r->err.status = st;
        r->err.t = t;
        return TML_ERR_STOPPED;
    }
    return stop_if_interrupted(r);
}

// A write error stops the run with TML_ERR_STOPPED; the error itself is kept in r->err.
static tml_status on_output(const tml_sim *sim, const tml_state *x, void *user)
{
    run_state *r = user;
    tml_status st = tml_sim_channel_values(sim, x, r->values_of_all, &r->err);
    for (int i = 0; i < r->nranges && st == TML_OK; i++) {
        run_range *g = &r->range[i];
        g->least = fmin(g->least, r->values_of_all[g->channel]);
        g->most = fmax(g->most, r->values_of_all[g->channel]);
    }
    if (st == TML_OK) run_watch_row(&r->watch, sim, x, r->values_of_all);
    for (int i = 0; i < r->nchannels; i++) r->row[i] = r->values_of_all[r->column[i]];
    for (int i = 0; i < r->nfiles && st == TML_OK; i++)
        st = tml_writer_row(r->files[i].writer, r->row, &r->err);
    if (st != TML_OK) {
        r->err.status = st;
        r->err.t = x->t;
        return TML_ERR_STOPPED;
    }
    r->rows++;
    r->t_row = x->t;
    // a run is continued after a whole step
    return r->values->save || r->nfiles > 0 ? TML_OK : stop_if_interrupted(r);
}

static void simulate(run_state *r)
{
    cli_interrupts(true);
    const tml_run_def *run = tml_sim_settings(r->sim);
    cli_progress_init(&r->progress, !r->values->no_progress && !r->values->quiet, run->start, r->end);
    const tml_sim_hooks hooks = {
        .on_step = on_step, .on_output = on_output, .user = r, .jump_rows = r->method != NULL};
    tml_sim_set_hooks(r->sim, &hooks);
    tml_error err = {0};
    tml_sim_report report;
    tml_sim_get_report(r->sim, &report);
    cli_history_begin(&r->history, &report, tml_sim_time(r->sim));
    r->running = true;
    const tml_status st = tml_sim_run(r->sim, r->end, &err);
    cli_progress_clear(&r->progress);
    tml_sim_get_report(r->sim, &report);
    if (report.event) cli_marks_add(&r->marks, tml_sim_time(r->sim), "event", report.event);
    const bool worth = st == TML_OK || r->interrupted;
    if (worth && r->values->save && !r->saved) save(r, r->sim, tml_sim_time(r->sim));
    if (st != TML_OK && !r->interrupted && r->err.status == TML_OK) {
        r->err = err;
        r->err.status = st;
    }
    if (st == TML_OK && !r->values->again) run_watch_end(&r->watch, r->sim);  // which has seen all rows
    if (st == TML_OK) note_end(r);
    if (worth) run_checkpoints_end(r, st == TML_OK);
    close_files(r);
    cli_interrupts(false);
}

static tml_status start_new(run_state *r, tml_error *err)
{
    tml_run_def run = *tml_model_run(r->model);
    run.report = r->values->report != NULL;
    if (!r->method) return tml_sim_create(r->model, &run, &r->sim, err);
    const tml_run_def defaults = tml_run_def_default();
    run.step = defaults.step;  // settings of the run block that are meant for other methods
    run.control_from = defaults.control_from;
    run.max_step = defaults.max_step;
    run.min_step = defaults.min_step;
    run.group = defaults.group;
    run.kinematics = TML_KINEMATICS_BODIES;
    tml_sim_def def = tml_sim_def_default();
    def.model = r->model;
    def.run = &run;
    def.method = r->method;
    return tml_sim_create_def(&def, &r->sim, err);
}

// The channels with forces of drivers and actuators.
static tml_status find_ranges(run_state *r, tml_error *err)
{
    const tml_channel *channel = tml_sim_channels(r->sim);
    const int count = tml_sim_channel_count(r->sim);
    r->range = calloc((size_t)count + 1, sizeof *r->range);
    if (!r->range) return tmli_fail(err, TML_ERR_NOMEM, "No memory for %d channels.", count);
    for (int i = 0; i < count; i++)
        if (strncmp(channel[i].dataset, "/actuators/", 11) == 0 ||
            tmli_ends_with(channel[i].dataset, "/multiplier"))
            r->range[r->nranges++] = (run_range){.channel = i, .least = INFINITY, .most = -INFINITY};
    return TML_OK;
}

static tml_status continue_saved(run_state *r, tml_error *err)
{
    const run_values *v = r->values;
    tml_status st = tml_sim_load(r->model, v->resume, &r->sim, err);
    if (st == TML_OK && v->report && !tml_sim_settings(r->sim)->report)
        st = tmli_fail(err, TML_ERR_ARG, "--report: the saved run was made without it.");
    return st;
}

// The settings of a continued run are those of the saved one.
static tml_status check_saving(const run_values *v, tml_error *err)
{
    const char *const other = v->resume ? cli_settings_other(&v->in.settings, "end") : NULL;
    if (other)
        return tmli_fail(err, TML_ERR_ARG,
                         "--continue takes its settings from the saved run; %s cannot be changed.", other);
    if (!isnan(v->save_at) && !v->save)
        return tmli_fail(err, TML_ERR_ARG, "--save-at needs a file: give --save as well.");
    return TML_OK;
}

static tml_status begin_new(run_state *r, const tml_env *env, tml_error *err)
{
    const run_values *v = r->values;
    tml_status st = check_saving(v, err);
    if (st == TML_OK) st = run_choose_files(r, err);
    if (st == TML_OK) st = cli_input_load(&v->in, CLI_STEPS_CHOSEN, env, &r->spec, &r->model, err);
    if (st == TML_OK) st = v->resume ? continue_saved(r, err) : start_new(r, err);
    if (st != TML_OK) return st;
    const bool given = cli_settings_given(&v->in.settings, "end");
    r->end = given ? tml_model_run(r->model)->end : tml_sim_settings(r->sim)->end;
    return TML_OK;
}

static tml_status prepare(run_state *r, tml_error *err)
{
    const run_values *v = r->values;
    r->progress.notes = v->verbose;
    r->progress.marks = &r->marks;
    const tml_env env = cli_env(&r->progress, v->in.files);
    tml_status st = v->again ? run_resume(r, &env, err) : begin_new(r, &env, err);
    if (st == TML_OK && !r->complete) st = run_choose_channels(r, err);
    if (st == TML_OK && !r->complete) {
        r->running = true;  // from here on a write error is a failure of the run
        st = open_files(r, &env, err);
        if (st == TML_OK) st = run_watch_begin(&r->watch, r->sim, err);
        if (st == TML_OK && r->method) st = find_ranges(r, err);
        if (st == TML_OK && v->report) st = cli_conditioning_open(&r->report, v->report, &env, err);
    }
    return st;
}

// "results up to t = ... are in a.h5 and b.csv"
static void print_kept_results(const run_state *r)
{
    int kept = 0, shown = 0;
    for (int i = 0; i < r->nfiles; i++) kept += r->files[i].kept;
    if (!kept || !r->rows || !r->sim) return;
    fprintf(stderr, "trammel: note: results up to t = %.6g s are in ", r->t_row);
    for (int i = 0; i < r->nfiles; i++)
        if (r->files[i].kept) fprintf(stderr, "%s%s", shown++ ? " and " : "", CLI_VISIBLE(r->files[i].path));
    if (r->interrupted && !r->checkpoints.failed) fputs("; --resume continues the run", stderr);
    fputc('\n', stderr);
}

// A large error of the energy balance: numerical damping at a loose tolerance, or a wrong motion.
static void warn_of_energy(const run_state *r)
{
    tml_sim_report report;
    tml_sim_get_report(r->sim, &report);
    const double ratio = report.energy_error / report.energy_scale;
    // an error that the tolerance of the positions allows is none: a model at rest has no other energy
    if (!(report.energy_error > report.energy_allowed &&
          ratio > fmax(ENERGY_ERROR_WARNING, ENERGY_ERROR_PER_TOLERANCE * tml_sim_settings(r->sim)->rtol)))
        return;
    fprintf(stderr,
            "trammel: warning: the energy balance error is %.3g %% of the largest energy term; verify the "
            "motion with a tighter tolerance or shorter steps ('trammel verify')\n",
            100 * ratio);
}

tml_status cli_run(const run_values *v, const char *command, const tml_method_ops *method, cli_call *c)
{
    run_state r = {.values = v, .command = command, .method = method};
    signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of writing, with a message
    const tml_status st = prepare(&r, &r.err);
    if (st == TML_OK && !r.complete) simulate(&r);
    r.err.status = st != TML_OK ? st : r.err.status;
    close_files(&r);  // files of a run that was not started

    // a file that the model names, and that cannot be read, is wrong input
    const bool named = r.err.status == TML_ERR_IO && r.err.line > 0;
    const int code = c->exit_status =
        r.interrupted ? CLI_EXIT_FAILED : cli_exit_status(r.err.status, r.running && !named);
    const tml_status told = r.interrupted ? TML_ERR_STOPPED : r.err.status;
    cli_report report = cli_report_begin(v->json, command, v->in.model, told, code, &r.err);
    if (v->json || (!v->quiet && r.running && st == TML_OK)) run_put_summary(&r, &report);
    cli_report_end(&report);
    if (r.complete) fprintf(stderr, "trammel: note: the run is complete; a later --end continues it\n");
    fflush(stdout);
    if (r.err.status != TML_OK) cli_print_error(&r.err);
    else if (r.interrupted) fprintf(stderr, "trammel: interrupted at t = %.6g s\n", tml_sim_time(r.sim));
    if (code != CLI_EXIT_OK) print_kept_results(&r);
    else if (!r.complete) warn_of_energy(&r);
    if (code != CLI_EXIT_OK) run_checkpoints_hint(&r);

    run_checkpoints_clear(&r);
    tml_sim_destroy(r.sim);
    tml_model_destroy(r.model);
    cli_marks_clear(&r.marks);
    run_watch_clear(&r.watch);
    tml_spec_destroy(r.spec);
    free(r.row);
    free(r.values_of_all);
    free(r.channel);
    free(r.column);
    free(r.range);
    free(r.default_path);
    return TML_OK;  // with all said
}

static tml_status run(void *values, cli_call *c) { return cli_run(values, "run", NULL, c); }

const cli_command cli_command_run = {
    .name = "run",
    .summary = "Simulate a model and write its results.",
    .notes = "Options override the run block of the model file; the defaults above apply where neither gives "
             "a value.\n"
             "\n"
             "  trammel run crank.yaml\n"
             "  trammel run crank.yaml --tol 1e-6 --csv crank.csv\n"
             "  trammel run crank.yaml --set length=0.3 --set speed=\"20*pi\" --end 2\n"
             "  trammel run crank.yaml --csv a.csv --save crank.sim\n"
             "  trammel run crank.yaml --csv b.csv --continue crank.sim --end 3\n"
             "  trammel run --resume crank.h5\n",
    CLI_OPTIONS(run_values),
    .files = offsetof(run_values, in.files),
    .run = run,
};

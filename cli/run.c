// trammel run: read a model, simulate it, write the results.
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include "base/base.h"
#include "report.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trammel/linsolver.h>

static const cli_word scaling_words[] = {{"none", TML_SCALING_NONE},
                                         {"left", TML_SCALING_LEFT},
                                         {"left-right", TML_SCALING_LEFT_RIGHT},
                                         {"left-right-velocity", TML_SCALING_LEFT_RIGHT_VELOCITY},
                                         {"uniform", TML_SCALING_UNIFORM},
                                         {"physical", TML_SCALING_PHYSICAL},
                                         {"on", TML_SCALING_PHYSICAL},
                                         {"off", TML_SCALING_NONE},
                                         {NULL, 0}};
static const cli_word iterate_words[] = {
    {"converged", TML_ITERATE_CONVERGED}, {"saturated", TML_ITERATE_SATURATED}, {NULL, 0}};
static const cli_word placement_words[] = {
    {"nodes", TML_PLACEMENT_NODES}, {"inner", TML_PLACEMENT_INNER}, {NULL, 0}};
static const cli_word fields_words[] = {{"two", TML_FIELDS_TWO}, {"three", TML_FIELDS_THREE}, {NULL, 0}};
static const cli_word control_words[] = {{"motion", TML_CONTROL_MOTION}, {"all", TML_CONTROL_ALL}, {NULL, 0}};
const cli_word run_group_words[] = {
    {"r3so3", TML_GROUP_R3SO3}, {"se3", TML_GROUP_SE3}, {"se3-cayley", TML_GROUP_SE3_CAYLEY}, {NULL, 0}};
static const cli_word augment_words[] = {{"on", 1}, {"off", 0}, {NULL, 0}};

#define AT(member) offsetof(run_values, member)
static const cli_option options[] = {
    {"MODEL", CLI_ARGUMENT, CLI_RANGE_ANY, AT(model), NULL, NULL, NULL, 0, "model file (YAML or JSON)"},
    {NULL, CLI_HEADING, CLI_RANGE_ANY, 0, NULL, NULL, NULL, 0, "Model and time"},
    {"--set", CLI_LIST, CLI_RANGE_ANY, AT(set), "NAME=VALUE", NULL, NULL, 0,
     "value (or expression) of a parameter of the model; may be repeated"},
    {"--end", CLI_NUMBER, CLI_RANGE_ANY, AT(end), "T", NULL, NULL, 0, "time at the end [s]"},
    {NULL, CLI_HEADING, CLI_RANGE_ANY, 0, NULL, NULL, NULL, 0, "Method and accuracy"},
    {"--method", CLI_TEXT, CLI_RANGE_ANY, AT(method), "NAME", NULL, NULL, 0,
     "integration method; 'trammel methods' lists them; auto chooses by the model"},
    {"--tol", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(tol), "X", NULL, NULL, 0,
     "tolerance: sets --rtol and --atol, and lets it choose the steps"},
    {"--rtol", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(rtol), "X", NULL, NULL, 0, "relative tolerance"},
    {"--atol", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(atol), "X", NULL, NULL, 0,
     "absolute tolerance, in model lengths and rad"},
    {"--step", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(step), "H", NULL, NULL, 0,
     "steps of a fixed size [s] instead of a tolerance"},
    {"--max-step", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(max_step), "H", NULL, NULL, 0, "largest step [s]"},
    {"--rho", CLI_NUMBER, CLI_RANGE_UNIT, AT(rho), "X", NULL, NULL, 0,
     "spectral radius of genalpha and newmark at infinite frequency: 1 keeps high frequencies, 0 removes "
     "them at once"},
    {"--alpha", CLI_NUMBER, CLI_RANGE_ANY, AT(alpha), "X", NULL, NULL, 0,
     "numerical damping of hht, -1/3 (most) to 0 (none)"},
    {"--placement", CLI_CHOICE, CLI_RANGE_ANY, AT(placement), "WHERE", placement_words, NULL, 0,
     "where genalpha and hht ask for equilibrium: nodes or inner"},
    {"--max-order", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(max_order), "K", NULL, NULL, 0,
     "highest order of bdf and ggl, 1 to 5, and of adams, 1 to 12"},
    {"--control", CLI_CHOICE, CLI_RANGE_ANY, AT(control), "WHAT", control_words, NULL, 0,
     "whose errors choose the steps: motion, or all (multipliers too)"},
    {NULL, CLI_HEADING, CLI_RANGE_ANY, 0, NULL, NULL, NULL, 0, "Equations"},
    {"--solver", CLI_TEXT, CLI_RANGE_ANY, AT(solver), "NAME", NULL, NULL, 0,
     "linear solver: dense, klu, block or auto"},
    {"--scaling", CLI_CHOICE, CLI_RANGE_ANY, AT(scaling), "KIND", scaling_words, NULL, 0,
     "scaling of Newton's equations: none, left, left-right, left-right-velocity, uniform or physical; "
     "on = physical, off = none"},
    {"--augment", CLI_NUMBER, CLI_RANGE_NONNEGATIVE, AT(augment), "on|off|X", augment_words, NULL, 0,
     "augmented-Lagrangian penalty in units of the scaling; on = 1"},
    {"--fields", CLI_CHOICE, CLI_RANGE_ANY, AT(fields), "N", fields_words, NULL, 0,
     "unknowns of Newton's method: two (displacements, multipliers) or three (velocities too)"},
    {"--iterate", CLI_CHOICE, CLI_RANGE_ANY, AT(iterate), "UNTIL", iterate_words, NULL, 0,
     "end of Newton's iteration: converged (tolerance met) or saturated (corrections stop falling)"},
    {"--group", CLI_CHOICE, CLI_RANGE_ANY, AT(group), "KIND", run_group_words, NULL,
     0, "what bodies move on within a step: r3so3 (positions and rotations apart), se3 (rigid motions) or se3-cayley"},
    {NULL, CLI_HEADING, CLI_RANGE_ANY, 0, NULL, NULL, NULL, 0, "Results"},
    {"--out", CLI_TEXT, CLI_RANGE_ANY, AT(out), "FILE", NULL, NULL, 'o',
     "result file, .h5 or .csv; 'none' writes none; without --out and --csv it is the model's name with "
     ".h5, in the current directory"},
    {"--csv", CLI_TEXT, CLI_RANGE_ANY, AT(csv), "FILE", NULL, NULL, 0, "result file as CSV"},
    {"--output-step", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(output_step), "DT", NULL, NULL, 0,
     "time between two rows of the results [s]"},
    {"--report", CLI_TEXT, CLI_RANGE_ANY, AT(report), "FILE", NULL, NULL, 0,
     "CSV file with condition numbers and Newton corrections of every step"},
    {NULL, CLI_HEADING, CLI_RANGE_ANY, 0, NULL, NULL, NULL, 0, "Messages"},
    {"--json", CLI_FLAG, CLI_RANGE_ANY, AT(json), NULL, NULL, NULL, 0, "print the closing report as JSON"},
    {"--quiet", CLI_FLAG, CLI_RANGE_ANY, AT(quiet), NULL, NULL, NULL, 'q',
     "print no closing report; errors and warnings stay"},
    {"--no-progress", CLI_FLAG, CLI_RANGE_ANY, AT(no_progress), NULL, NULL, NULL, 0,
     "no progress line (there is none either if stderr is no terminal)"},
};
#undef AT

static volatile sig_atomic_t interrupt_flag;  // a handler can reach nothing else

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupt_flag = 1;
}

// ---- settings -----------------------------------------------------------------------------------------------

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    if (n <= m) return false;
    for (size_t i = 0; i < m; i++)
        if (tolower((unsigned char)path[n - m + i]) != ending[i]) return false;
    return true;
}

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

static tml_status choose_files(run_state *r, tml_error *err)
{
    const run_values *v = r->values;
    const char *out = v->out;
    if (!out && !v->csv) {
        out = r->default_path = default_result_path(v->model);
        if (!out) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the name of the result file.");
    }
    if (out && strcmp(out, "none") == 0) out = NULL;
    if (out && !ends_with(out, ".h5") && !ends_with(out, ".hdf5") && !ends_with(out, ".csv"))
        return tmli_fail(err, TML_ERR_ARG, "--out: '%s' does not end in .h5, .hdf5 or .csv.", out);
    if (v->csv && !ends_with(v->csv, ".csv"))
        return tmli_fail(err, TML_ERR_ARG, "--csv: '%s' does not end in .csv.", v->csv);
    if (out && v->csv && strcmp(out, v->csv) == 0)
        return tmli_fail(err, TML_ERR_ARG, "--out and --csv name the same file '%s'.", out);
    if (v->report && !ends_with(v->report, ".csv"))
        return tmli_fail(err, TML_ERR_ARG, "--report: '%s' does not end in .csv.", v->report);
    if (v->report && ((out && strcmp(out, v->report) == 0) || (v->csv && strcmp(v->csv, v->report) == 0)))
        return tmli_fail(err, TML_ERR_ARG, "--report names a result file, '%s'.", v->report);
    if (out) r->files[r->nfiles++].path = out;
    if (v->csv) r->files[r->nfiles++].path = v->csv;
    for (int i = 0; i < r->nfiles; i++)
        if (strcmp(r->files[i].path, v->model) == 0)
            return tmli_fail(err, TML_ERR_ARG, "The result file '%s' would overwrite the model.", v->model);
    return TML_OK;
}

static tml_status check_name(const char *option, const char *name, const char *const *names, size_t count,
                             tml_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return TML_OK;
    const char *near = tmli_nearest(name, names, count);
    if (near)
        return tmli_fail(err, TML_ERR_NAME, "%s: '%.60s' is unknown (is it '%s'?).", option, name, near);
    return tmli_fail(err, TML_ERR_NAME, "%s: '%.60s' is unknown; 'trammel methods' lists what there is.",
                     option, name);
}

static tml_status check_values(const run_values *v, tml_error *err)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    tml_status st = TML_OK;
    names[count++] = "auto";
    for (int i = 0; tml_methods[i] && count < NAMES_MAX; i++) names[count++] = tml_methods[i]->name;
    if (v->method) st = check_name("--method", v->method, names, count, err);
    if (st != TML_OK) return st;
    count = 0;
    names[count++] = "auto";
    for (int i = 0; tml_linsolvers[i] && count < NAMES_MAX; i++) names[count++] = tml_linsolvers[i]->name;
    if (v->solver) st = check_name("--solver", v->solver, names, count, err);
    if (st != TML_OK) return st;
    if (!isnan(v->step) && (!isnan(v->tol) || !isnan(v->rtol) || !isnan(v->atol)))
        return tmli_fail(err, TML_ERR_ARG,
                         "--step asks for steps of a fixed size and a tolerance for steps that "
                         "follow it; give one of them.");
    if (!isnan(v->step) && !isnan(v->max_step))
        return tmli_fail(err, TML_ERR_ARG, "--max-step means nothing beside --step.");
    return TML_OK;
}

// The options override the file's run block.
static tml_status override_run(tml_spec *spec, const run_values *v, tml_error *err)
{
    tml_run_def run = *tml_spec_run(spec);
    if (v->method) run.method = v->method;
    if (v->solver) run.solver = v->solver;
    if (!isnan(v->tol)) {
        run.tol = v->tol;
        run.rtol = run.atol = NAN;
    }
    if (!isnan(v->rtol)) run.rtol = v->rtol;
    if (!isnan(v->atol)) run.atol = v->atol;
    if (!isnan(v->tol) || !isnan(v->rtol) || !isnan(v->atol)) run.step = 0;
    if (!isnan(v->step)) {
        run.step = v->step;
        run.max_step = run.min_step = 0;
    }
    if (!isnan(v->max_step)) run.max_step = v->max_step;
    if (!isnan(v->end)) run.end = v->end;
    if (!isnan(v->output_step)) run.output_step = v->output_step;
    if (!isnan(v->rho)) run.rho = v->rho;
    if (!isnan(v->alpha)) run.alpha = v->alpha;
    if (!isnan(v->max_order)) run.max_order = v->max_order;
    if (v->placement >= 0) run.placement = (tml_placement)v->placement;
    if (v->fields >= 0) run.fields = (tml_fields)v->fields;
    if (v->control >= 0) run.control = (tml_control)v->control;
    if (v->scaling >= 0) run.scaling = (tml_scaling)v->scaling;
    if (v->iterate >= 0) run.iterate = (tml_iterate)v->iterate;
    run.report = v->report != NULL;
    if (!isnan(v->augment)) run.augment = v->augment;
    if (v->group >= 0) run.group = (tml_group)v->group;
    if (!isnan(v->end) && !(run.end > run.start))
        return tmli_fail(err, TML_ERR_ARG, "--end: the end time %g s is not after the start time %g s.",
                         run.end, run.start);
    if (!isnan(v->max_step) && run.min_step > run.max_step)
        return tmli_fail(err, TML_ERR_ARG, "--max-step: %g s is less than the model's smallest step, %g s.",
                         run.max_step, run.min_step);
    return tml_spec_set_run(spec, &run, err);
}

void run_values_none(run_values *v)
{
    memset(v, 0, sizeof *v);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        unsigned char *value = (unsigned char *)v + options[i].offset;
        if (options[i].kind == CLI_NUMBER) *(double *)(void *)value = NAN;
        if (options[i].kind == CLI_CHOICE) *(int *)(void *)value = -1;
    }
}

tml_status run_load(const run_values *v, const tml_env *env, tml_model **model, tml_error *err)
{
    tml_parameter *parameters = NULL;
    tml_spec *spec = NULL;
    tml_status st = check_values(v, err);
    if (st == TML_OK) st = cli_parameters(&v->set, &parameters, err);
    if (st == TML_OK) st = tml_spec_read(v->model, parameters, v->set.count, env, &spec, err);
    if (st == TML_OK) st = override_run(spec, v, err);
    if (st == TML_OK) st = tml_model_build(spec, model, err);
    tml_spec_destroy(spec);
    free(parameters);
    return st;
}

// ---- results ------------------------------------------------------------------------------------------------

// The settings as one line of JSON, freed by the caller; NULL if memory is exhausted.
static char *settings_text(const tml_sim *sim)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    cli_json j = {.out = f, .compact = true};
    run_json_settings(&j, NULL, sim);
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

static tml_status open_files(run_state *r, const tml_spec *spec, const tml_env *env, tml_error *err)
{
    const tml_channel *channels = NULL;
    r->nchannels = tml_sim_channels(r->sim, &channels);
    r->row = calloc((size_t)r->nchannels + 1, sizeof *r->row);
    char *settings = settings_text(r->sim);
    tml_status st = TML_OK;
    if (!r->row || !settings) st = tmli_fail(err, TML_ERR_NOMEM, "No memory for %d channels.", r->nchannels);
    const char *text = tml_spec_text(spec);
    const tml_result_note notes[] = {{"title", tml_model_title(r->model)},
                                     {"file", r->values->model},
                                     {"model", text ? text : ""},
                                     {"settings", settings},
                                     {"version", tml_version()}};
    for (int i = 0; i < r->nfiles && st == TML_OK; i++)
        st = tml_writer_create(r->files[i].path, channels, r->nchannels, notes, sizeof notes / sizeof *notes,
                               env, &r->files[i].writer, err);
    free(settings);
    return st;
}

static void close_files(run_state *r)
{
    for (int i = 0; i < r->nfiles; i++) {
        run_file *f = &r->files[i];
        if (!f->writer) continue;
        tml_error err = {0};
        f->kept = tml_writer_close(f->writer, &err) == TML_OK;
        f->writer = NULL;
        if (!f->kept && r->err.status == TML_OK) {
            r->err = err;
            if (r->sim) r->err.t = tml_sim_time(r->sim);
        }
        struct stat info;
        if (f->kept && stat(f->path, &info) == 0) f->bytes = (long long)info.st_size;
    }
    tml_error err = {0};
    if (cli_report_close(r->report, r->values->report, &err) != TML_OK && r->err.status == TML_OK)
        r->err = err;
    r->report = NULL;
}

// ---- the run ------------------------------------------------------------------------------------------------

static tml_status stop_if_interrupted(run_state *r)
{
    if (!interrupt_flag) return TML_OK;
    r->interrupted = true;
    return TML_ERR_STOPPED;
}

static tml_status on_step(const tml_sim *sim, double t, double h, void *user)
{
    run_state *r = user;
    if (cli_progress_due(&r->progress)) {
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        cli_progress_draw(&r->progress, t, h, report.count.steps);
    }
    if (r->report && cli_report_row(r->report, r->values->report, r->sim, t, h, &r->err) != TML_OK) {
        r->err.t = t;
        return TML_ERR_STOPPED;
    }
    return stop_if_interrupted(r);
}

// A failure to write ends the run by "stopped"; its own error is kept in r->err.
static tml_status on_output(const tml_sim *sim, const tml_state *x, void *user)
{
    run_state *r = user;
    tml_status st = tml_sim_channel_values(sim, x, r->row, &r->err);
    for (int i = 0; i < r->nfiles && st == TML_OK; i++)
        st = tml_writer_row(r->files[i].writer, r->row, &r->err);
    if (st != TML_OK) {
        r->err.status = st;
        r->err.t = x->t;
        return TML_ERR_STOPPED;
    }
    r->rows++;
    r->t_row = x->t;
    return stop_if_interrupted(r);
}

static void simulate(run_state *r)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}, old_int, old_term;
    sigemptyset(&action.sa_mask);
    interrupt_flag = 0;
    sigaction(SIGINT, &action, &old_int);  // a second one kills
    sigaction(SIGTERM, &action, &old_term);

    const tml_run_def *run = tml_sim_settings(r->sim);
    cli_progress_init(&r->progress, !r->values->no_progress && !r->values->quiet, run->start, run->end);
    tml_sim_set_hooks(r->sim, &(tml_sim_hooks){on_step, on_output, r});
    tml_error err = {0};
    r->running = true;
    const tml_status st = tml_sim_run(r->sim, NAN, &err);
    cli_progress_clear(&r->progress);
    if (st != TML_OK && !r->interrupted && r->err.status == TML_OK) {
        r->err = err;
        r->err.status = st;
    }
    close_files(r);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
}

static tml_status prepare(run_state *r, tml_error *err)
{
    const run_values *v = r->values;
    const tml_env env = cli_env(&r->progress);
    tml_parameter *parameters = NULL;
    tml_spec *spec = NULL;
    tml_status st = check_values(v, err);
    if (st == TML_OK) st = choose_files(r, err);
    if (st == TML_OK) st = cli_parameters(&v->set, &parameters, err);
    if (st == TML_OK) st = tml_spec_read(v->model, parameters, v->set.count, &env, &spec, err);
    if (st == TML_OK) st = override_run(spec, v, err);
    if (st == TML_OK) st = tml_model_build(spec, &r->model, err);
    if (st == TML_OK) st = tml_sim_create(r->model, NULL, &r->sim, err);
    if (st == TML_OK) {
        r->running = true;  // from here on a failure to write is one of the run
        st = open_files(r, spec, &env, err);
        if (st == TML_OK && v->report) {
            r->report = cli_report_open(v->report, err);
            if (!r->report) st = TML_ERR_IO;
        }
    }
    tml_spec_destroy(spec);
    free(parameters);
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
        if (r->files[i].kept) fprintf(stderr, "%s%s", shown++ ? " and " : "", r->files[i].path);
    fputc('\n', stderr);
}

static int run(void *values)
{
    run_state r = {.values = values};
    const tml_status st = prepare(&r, &r.err);
    if (st == TML_OK) simulate(&r);
    else r.err.status = st;
    close_files(&r);  // those of a run that did not begin

    const int code = r.interrupted ? CLI_EXIT_FAILED : cli_exit_status(r.err.status, r.running);
    if (r.values->json) run_print_json(&r, code, stdout);
    else if (!r.values->quiet && r.running && st == TML_OK) run_print_summary(&r, stdout);
    fflush(stdout);
    if (r.err.status != TML_OK) cli_print_error(&r.err);
    else if (r.interrupted) fprintf(stderr, "trammel: interrupted at t = %.6g s\n", tml_sim_time(r.sim));
    if (code != CLI_EXIT_OK) print_kept_results(&r);

    tml_sim_destroy(r.sim);
    tml_model_destroy(r.model);
    free(r.row);
    free(r.default_path);
    return code;
}

const cli_command cli_command_run = {
    .name = "run",
    .summary = "Simulate a model and write its results.",
    .notes = "Options override the run block of the model file. Where both are silent:\n"
             "--method auto --tol 1e-4 --end 1 --solver auto --scaling physical\n"
             "--augment on, no largest step, and 501 rows of results.\n"
             "\n"
             "  trammel run crank.yaml\n"
             "  trammel run crank.yaml --tol 1e-6 --csv crank.csv\n"
             "  trammel run crank.yaml --set length=0.3 --set speed=\"20*pi\" --end 2\n",
    .table = {options, sizeof options / sizeof *options},
    .values_size = sizeof(run_values),
    .run = run,
};

// trammel compare: runs of a model with several methods and tolerances, compared with a reference.
#include "compare.h"

#include "base/base.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/plot.h>

typedef struct compare_values {
    cli_input in;
    const char *methods, *tols, *steps, *reference, *csv, *svg, *png, *plot, *html;
    int jobs;
    double budget, limit;
    int error;
    bool json, quiet, no_progress;
} compare_values;

static const tmli_key_choice none_words[] = {{"none", 0, NULL}, {NULL, 0, NULL}};
static const tmli_key_choice error_words[] = {{"position", COMPARE_POSITION, NULL},
                                              {"velocity", COMPARE_VELOCITY, NULL},
                                              {"multiplier", COMPARE_MULTIPLIER, NULL},
                                              {NULL, 0, NULL}};

#define AT(member) offsetof(compare_values, member)
static const cli_option options[] = {
    CLI_INPUT_MODEL,
    {.kind = CLI_HEADING, .doc = "What to compare"},
    CLI_OPTION_TEXT("--methods", 0, AT(methods), "A,B,...", CLI_FILE_NONE,
                    "integration methods; default: all that can run the model"),
    CLI_OPTION_TEXT("--tols", 0, AT(tols), "LIST", CLI_FILE_NONE,
                    "tolerances: a range by decades, as 1e-2..1e-8 (the default), or a list, as 1e-3,1e-5"),
    CLI_OPTION_TEXT("--steps", 0, AT(steps), "LIST", CLI_FILE_NONE, "fixed steps [s] instead of tolerances"),
    CLI_OPTION_TEXT(
        "--reference", 0, AT(reference), "FILE|METHOD@TOL", CLI_FILE_READ,
        "compare with a result file (.csv, .h5) or with this run; default: a reference is computed and "
        "checked"),
    {.kind = CLI_HEADING, .doc = "Model and time"},
    CLI_INPUT_SET,
    CLI_INPUT_SETTINGS(CLI_GROUP_TIME, true),
    CLI_INPUT_SETTING("--output-step", "time between two comparisons [s]; default: a hundredth of the run, "
                                       "or the model's output step if --reference is a file"),
    {.kind = CLI_HEADING, .doc = "Settings of all runs ('trammel run --help' explains them)"},
    CLI_INPUT_SETTINGS(CLI_GROUP_STEPS, true),
    CLI_INPUT_SETTINGS(CLI_GROUP_FORMULA, true),
    CLI_INPUT_SETTINGS(CLI_GROUP_EQUATIONS, true),
    {.kind = CLI_HEADING, .doc = "Time limits"},
    {.name = "--budget",
     .kind = CLI_NUMBER,
     .range = TMLI_RANGE_POSITIVE,
     .offset = AT(budget),
     .arg = "S",
     .words = none_words,
     .fallback = "50",
     .doc = "time for all of it [s], or none; runs that would exceed it are stopped or left out"},
    CLI_OPTION_NUMBER("--limit", CLI_NUMBER, TMLI_RANGE_POSITIVE, AT(limit), "S", NULL,
                      "CPU time of each run [s]"),
    {.name = "--jobs",
     .kind = CLI_INTEGER,
     .range = TMLI_RANGE_POSITIVE,
     .offset = AT(jobs),
     .arg = "N",
     .letter = 'j',
     .doc = "number of parallel runs; default: one per processor"},
    {.kind = CLI_HEADING, .doc = "Results"},
    CLI_OPTION_TEXT("--csv", 0, AT(csv), "FILE", CLI_FILE_WRITTEN, "the table as CSV"),
    CLI_OPTION_TEXT(
        "--plot", 0, AT(plot), "FILE", CLI_FILE_WRITTEN,
        "work-precision diagram, .svg, .pdf or .png: error over CPU time, a line per method, a marker per "
        "tolerance"),
    CLI_OPTION_TEXT("--svg", 0, AT(svg), "FILE", CLI_FILE_WRITTEN, "the same as SVG"),
    CLI_OPTION_TEXT("--png", 0, AT(png), "FILE", CLI_FILE_WRITTEN, "the same as PNG"),
    CLI_OPTION_TEXT("--html", 0, AT(html), "FILE", CLI_FILE_WRITTEN,
                    "report with the table and diagrams of all three errors"),
    CLI_OPTION_CHOICE("--error", AT(error), "KIND", error_words, "position",
                      "error shown in the diagram: position, velocity or multiplier"),
    {.kind = CLI_HEADING, .doc = "Messages"},
    CLI_OPTION_FLAG("--json", 0, AT(json), "print the table as JSON"),
    CLI_OPTION_FLAG("--quiet", 'q', AT(quiet), "print no table, only errors and warnings"),
    CLI_NO_PROGRESS(AT(no_progress)),
};
#undef AT

enum { METHODS_MAX = 64 };

typedef struct compare_state {
    const compare_values *values;
    tml_compare_def def;
    tml_run_def run;
    char *method_text, *reference_text;
    const char *methods[METHODS_MAX];
    double *tols, *steps;
    tml_model *model;
    tml_comparison *result;
} compare_state;

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static tml_status split_methods(compare_state *c, tml_error *err)
{
    if (!c->values->methods) return TML_OK;
    c->method_text = copy_text(c->values->methods);
    if (!c->method_text) return tmli_fail(err, TML_ERR_NOMEM, "No memory for --methods.");
    for (char *s = c->method_text;;) {
        const size_t n = strcspn(s, ",");
        const bool last = !s[n];
        s[n] = 0;
        if (n == 0) return tmli_fail(err, TML_ERR_ARG, "--methods: a name is missing.");
        if (c->def.method_count == METHODS_MAX)
            return tmli_fail(err, TML_ERR_ARG, "--methods: too many methods.");
        c->methods[c->def.method_count++] = s;
        if (last) break;
        s += n + 1;
    }
    c->def.methods = c->methods;
    return TML_OK;
}

static tml_status split_reference(compare_state *c, tml_error *err)
{
    const char *text = c->values->reference;
    if (!text) return TML_OK;
    if (tmli_ends_with(text, ".csv") || tmli_ends_with(text, ".h5") || tmli_ends_with(text, ".hdf5")) {
        c->def.reference_file = text;
        return TML_OK;
    }
    const char *at = strrchr(text, '@');
    if (!at || at == text)
        return tmli_fail(
            err, TML_ERR_ARG,
            "--reference: '%.60s' is neither a result file (.csv, .h5) nor METHOD@TOL, as genalpha@1e-9.",
            text);
    double *tol;
    int count;
    tml_status st = compare_parse_values("--reference", at + 1, &tol, &count, err);
    if (st != TML_OK) return st;
    if (count != 1) st = tmli_fail(err, TML_ERR_ARG, "--reference: '%.60s' is not one tolerance.", at + 1);
    c->def.reference_tol = tol[0];
    free(tol);
    c->reference_text = copy_text(text);
    if (!c->reference_text) return tmli_fail(err, TML_ERR_NOMEM, "No memory for --reference.");
    c->reference_text[at - text] = 0;
    c->def.reference_method = c->reference_text;
    return st;
}

// The endings that a file may have; b and c may repeat a.
typedef struct endings {
    const char *a, *b, *c;
} endings;

static tml_status check_file(const char *option, const char *path, endings e, tml_error *err)
{
    if (!path) return TML_OK;
    if (!tmli_ends_with(path, e.a) && !tmli_ends_with(path, e.b) && !tmli_ends_with(path, e.c))
        return tmli_fail(err, TML_ERR_ARG,
                         strcmp(e.c, e.a)   ? "%s: '%s' does not end in %s, %s or %s."
                         : strcmp(e.b, e.a) ? "%s: '%s' does not end in %s or %s."
                                            : "%s: '%s' does not end in %s.",
                         option, path, e.a, e.b, e.c);
    if ((tmli_ends_with(path, ".png") || tmli_ends_with(path, ".pdf")) && !tml_plot_has_png())
        return tmli_fail(
            err, TML_ERR_ARG,
            "%s: '%s' cannot be written: this program was built without cairo (libcairo2-dev). Ask for .svg.",
            option, path);
    return TML_OK;
}

static tml_status check_files(const compare_values *v, tml_error *err)
{
    tml_status st = check_file("--csv", v->csv, (endings){".csv", ".csv", ".csv"}, err);
    if (st == TML_OK) st = check_file("--plot", v->plot, (endings){".svg", ".pdf", ".png"}, err);
    if (st == TML_OK) st = check_file("--html", v->html, (endings){".html", ".htm", ".html"}, err);
    if (st == TML_OK) st = check_file("--svg", v->svg, (endings){".svg", ".svg", ".svg"}, err);
    if (st == TML_OK) st = check_file("--png", v->png, (endings){".png", ".png", ".png"}, err);
    if (st == TML_OK && v->csv && v->reference && strcmp(v->csv, v->reference) == 0)
        st = tmli_fail(err, TML_ERR_ARG, "--csv and --reference name the same file '%s'.", v->csv);
    return st;
}

static tml_status load(compare_state *c, const tml_env *env, tml_error *err)
{
    const cli_settings *given = &c->values->in.settings;
    if (c->values->steps && (cli_settings_given(given, "max_step") || cli_settings_given(given, "min_step")))
        return tmli_fail(err, TML_ERR_ARG, "--max-step and --min-step have no effect with --steps.");
    const tml_status st = cli_input_load(&c->values->in, CLI_STEPS_CHOSEN, env, NULL, &c->model, err);
    if (st != TML_OK) return st;
    c->run = *tml_model_run(c->model);
    if (!cli_settings_given(given, "output_step") && !c->def.reference_file) c->run.output_step = 0;
    c->run.step = 0;  // each run has its own, or a tolerance
    c->def.run = &c->run;
    return TML_OK;
}

static tml_status prepare(compare_state *c, compare_ui *ui, tml_error *err)
{
    const compare_values *v = c->values;
    const tml_env env = compare_ui_env(ui, v->in.files);
    c->def = tml_compare_def_default();
    tml_status st = TML_OK;
    if (v->tols && v->steps)
        st = tmli_fail(err, TML_ERR_ARG,
                       "--tols and --steps: compare at tolerances or at fixed steps, not both.");
    if (st == TML_OK && v->tols) {
        st = compare_parse_values("--tols", v->tols, &c->tols, &c->def.tol_count, err);
        c->def.tols = c->tols;
    }
    if (st == TML_OK && v->steps) {
        st = compare_parse_values("--steps", v->steps, &c->steps, &c->def.step_count, err);
        c->def.steps = c->steps;
    }
    if (st == TML_OK) st = split_methods(c, err);
    if (st == TML_OK) st = split_reference(c, err);
    if (st == TML_OK) st = compare_jobs(v->jobs, &c->def.threads, err);
    if (st == TML_OK) st = check_files(v, err);
    c->def.budget = v->budget;
    c->def.limit = isnan(v->limit) ? 0 : v->limit;
    c->def.on_progress = compare_ui_progress;
    c->def.user = ui;
    return st == TML_OK ? load(c, &env, err) : st;
}

static tml_status write_files(compare_state *c, const tml_env *env, tml_error *err)
{
    const compare_values *v = c->values;
    const char *title = cli_title(c->model, v->in.model);
    const char *const pictures[] = {v->plot, v->svg, v->png};
    tml_status st = v->csv ? compare_write_csv(c->result, v->csv, env, err) : TML_OK;
    for (int i = 0; i < 3 && st == TML_OK; i++)
        if (pictures[i]) st = compare_draw(c->result, title, v->error, pictures[i], env, err);
    if (st == TML_OK && v->html)
        st = compare_write_html(c->result, title, v->in.model, c->def.threads, v->html, env, err);
    return st;
}

// A run for which memory was exhausted tells nothing about its method.
static tml_status find_lack_of_memory(const tml_comparison *c, tml_error *err)
{
    for (int i = 0; i < c->row_count; i++)
        if (c->rows[i].outcome == TML_COMPARE_FAILED && c->rows[i].status == TML_ERR_NOMEM)
            return tmli_fail(err, TML_ERR_NOMEM, "Memory was exhausted in the run of %s: %s.",
                             c->rows[i].method, c->rows[i].note);
    return TML_OK;
}

static tml_status run(void *values, cli_call *call)
{
    compare_state c = {.values = values};
    compare_ui ui;
    tml_error *err = &call->err;
    compare_ui_init(&ui, !c.values->no_progress && !c.values->quiet);
    tml_status st = prepare(&c, &ui, err);
    if (st == TML_OK) {
        cli_interrupts(true);
        st = tml_compare(c.model, &c.def, &c.result, err);
        cli_interrupts(false);
    }
    cli_progress_clear(&ui.progress);
    call->running = st == TML_OK;
    if (st == TML_OK) st = write_files(&c, &call->env, err);
    if (st == TML_OK) st = find_lack_of_memory(c.result, err);
    err->status = st;
    const bool stopped = c.result && c.result->stopped;
    const int code = call->exit_status = stopped ? CLI_EXIT_FAILED : cli_exit_status(st, call->running);
    const char *const file = c.values->in.model;
    cli_report r =
        cli_report_begin(c.values->json, "compare", file, stopped ? TML_ERR_STOPPED : st, code, err);
    if (c.result && (c.values->json || !c.values->quiet)) {
        cli_settings_report(&r, &c.run);
        compare_report(&r, c.result, cli_title(c.model, file), c.def.threads);
    }
    cli_report_end(&r);
    fflush(stdout);
    if (st == TML_OK && stopped) fputs("trammel: interrupted\n", stderr);
    tml_comparison_destroy(c.result);
    tml_model_destroy(c.model);
    compare_ui_clear(&ui);
    free(c.method_text);
    free(c.reference_text);
    free(c.tols);
    free(c.steps);
    return st;
}

const cli_command cli_command_compare = {
    .name = "compare",
    .summary = "Run a model with several methods and tolerances; list their errors and CPU times.",
    .notes = "Errors are the largest over the output times, against a tight reference. Runs that fail or "
             "take too long are listed with the reason. See docs/compare.md.\n\n  trammel compare "
             "crank.yaml\n  trammel compare crank.yaml --tols 1e-3..1e-7 --plot crank.svg\n  trammel compare "
             "crank.yaml --methods genalpha --steps 1e-2,5e-3,2e-3\n",
    CLI_OPTIONS(compare_values),
    .files = offsetof(compare_values, in.files),
    .run = run,
};

// trammel compare: the same model by several methods and tolerances, against a reference.
#include "compare.h"

#include "base/base.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/plot.h>

typedef struct compare_values {
    const char *model, *methods, *tols, *steps, *reference, *csv, *svg, *png, *plot, *solver;
    double end, output_step, max_step, rho, augment, threads, budget, limit;
    int scaling, group, error;
    cli_list set;
    bool json, quiet, no_progress;
} compare_values;

static const cli_word scaling_words[] = {{"none", TML_SCALING_NONE},         {"uniform", TML_SCALING_UNIFORM},
                                         {"physical", TML_SCALING_PHYSICAL}, {"on", TML_SCALING_PHYSICAL},
                                         {"off", TML_SCALING_NONE},          {NULL, 0}};
static const cli_word augment_words[] = {{"on", 1}, {"off", 0}, {NULL, 0}};
static const cli_word none_words[] = {{"none", 0}, {NULL, 0}};
static const cli_word error_words[] = {{"position", COMPARE_POSITION},
                                       {"velocity", COMPARE_VELOCITY},
                                       {"multiplier", COMPARE_MULTIPLIER},
                                       {NULL, 0}};

#define AT(member) offsetof(compare_values, member)
#define HEADING(text)                                                  \
    {                                                                  \
        NULL, CLI_HEADING, CLI_RANGE_ANY, 0, NULL, NULL, NULL, 0, text \
    }
static const cli_option options[] = {
    {"MODEL", CLI_ARGUMENT, CLI_RANGE_ANY, AT(model), NULL, NULL, NULL, 0, "model file (YAML or JSON)"},
    HEADING("What to compare"),
    {"--methods", CLI_TEXT, CLI_RANGE_ANY, AT(methods), "A,B,...", NULL, NULL, 0,
     "integration methods; without it all that can run the model"},
    {"--tols", CLI_TEXT, CLI_RANGE_ANY, AT(tols), "LIST", NULL, NULL, 0,
     "tolerances: 1e-2..1e-8 by decades (which is what it does without), or 1e-3,1e-5"},
    {"--steps", CLI_TEXT, CLI_RANGE_ANY, AT(steps), "LIST", NULL, NULL, 0, "fixed steps [s] instead of tolerances"},
    {"--reference", CLI_TEXT, CLI_RANGE_ANY, AT(reference), "FILE|METHOD@TOL", NULL, NULL,
     0, "compare with a result file (.csv, .h5) or with this run; without it the reference is computed and checked"},
    HEADING("Model and time"),
    {"--set", CLI_LIST, CLI_RANGE_ANY, AT(set), "NAME=VALUE", NULL, NULL, 0,
     "value (or expression) of a parameter of the model; may be repeated"},
    {"--end", CLI_NUMBER, CLI_RANGE_ANY, AT(end), "T", NULL, NULL, 0, "time at the end [s]"},
    {"--output-step", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(output_step), "DT", NULL, NULL,
     0, "time between two comparisons [s]; without it a hundredth of the run, or the model's if a file is compared with"},
    HEADING("Method and equations"),
    {"--max-step", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(max_step), "H", NULL, NULL, 0, "largest step [s]"},
    {"--rho", CLI_NUMBER, CLI_RANGE_UNIT, AT(rho), "X", NULL, NULL, 0,
     "spectral radius at infinite frequency, for methods that have it"},
    {"--solver", CLI_TEXT, CLI_RANGE_ANY, AT(solver), "NAME", NULL, NULL, 0,
     "linear solver: dense, klu, block or auto"},
    {"--scaling", CLI_CHOICE, CLI_RANGE_ANY, AT(scaling), "KIND", scaling_words, NULL, 0,
     "scaling of the constraint equations: none, uniform or physical"},
    {"--augment", CLI_NUMBER, CLI_RANGE_NONNEGATIVE, AT(augment), "on|off|X", augment_words, NULL, 0,
     "augmented-Lagrangian penalty in units of the scaling; on = 1"},
    {"--group", CLI_CHOICE, CLI_RANGE_ANY, AT(group), "KIND", run_group_words, NULL, 0,
     "what bodies move on within a step: r3so3, se3 or se3-cayley"},
    HEADING("Time it may take"),
    {"--budget", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(budget), "S", none_words, "50", 0,
     "time for all of it [s], or none; runs that would exceed it are stopped or left out"},
    {"--limit", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(limit), "S", NULL, NULL, 0, "CPU time of each run [s]"},
    {"--threads", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(threads), "N", NULL, NULL, 0,
     "runs at the same time; without it one per processor"},
    HEADING("Results"),
    {"--csv", CLI_TEXT, CLI_RANGE_ANY, AT(csv), "FILE", NULL, NULL, 0, "the table as CSV"},
    {"--plot", CLI_TEXT, CLI_RANGE_ANY, AT(plot), "FILE", NULL, NULL, 0,
     "work-precision diagram, .svg or .png: error over CPU time, a line per method, a marker per tolerance"},
    {"--svg", CLI_TEXT, CLI_RANGE_ANY, AT(svg), "FILE", NULL, NULL, 0, "the same as SVG"},
    {"--png", CLI_TEXT, CLI_RANGE_ANY, AT(png), "FILE", NULL, NULL, 0, "the same as PNG"},
    {"--error", CLI_CHOICE, CLI_RANGE_ANY, AT(error), "KIND", error_words, "position", 0,
     "error shown in the diagram: position, velocity or multiplier"},
    HEADING("Messages"),
    {"--json", CLI_FLAG, CLI_RANGE_ANY, AT(json), NULL, NULL, NULL, 0, "print the table as JSON"},
    {"--quiet", CLI_FLAG, CLI_RANGE_ANY, AT(quiet), NULL, NULL, NULL, 'q',
     "print no table; errors and warnings stay"},
    {"--no-progress", CLI_FLAG, CLI_RANGE_ANY, AT(no_progress), NULL, NULL, NULL, 0,
     "no progress line (there is none either if stderr is no terminal)"},
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
    int threads;
    tml_model *model;
    tml_comparison *result;
    bool running;
} compare_state;

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    if (n <= m) return false;
    for (size_t i = 0; i < m; i++)
        if (tolower((unsigned char)path[n - m + i]) != ending[i]) return false;
    return true;
}

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
        if (c->def.nmethods == METHODS_MAX)
            return tmli_fail(err, TML_ERR_ARG, "--methods: too many of them.");
        c->methods[c->def.nmethods++] = s;
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
    if (ends_with(text, ".csv") || ends_with(text, ".h5") || ends_with(text, ".hdf5")) {
        c->def.reference_file = text;
        return TML_OK;
    }
    const char *at = strrchr(text, '@');
    if (!at || at == text)
        return tmli_fail(
            err, TML_ERR_ARG,
            "--reference: '%.60s' is neither a result file (.csv, .h5) nor METHOD@TOL, as genalpha@1e-9.", text);
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

static tml_status check_file(const char *option, const char *path, const char *a, const char *b,
                             const char *model, tml_error *err)
{
    if (!path) return TML_OK;
    if (strcmp(path, model) == 0)
        return tmli_fail(err, TML_ERR_ARG, "%s: '%s' would overwrite the model.", option, path);
    if (ends_with(path, ".png") && (strcmp(a, ".png") == 0 || strcmp(b, ".png") == 0) && !tml_plot_has_png())
        return tmli_fail(
            err, TML_ERR_ARG,
            "%s: PNG cannot be written: this program was built without cairo (libcairo2-dev). Ask for .svg.",
            option);
    if (ends_with(path, a) || ends_with(path, b)) return TML_OK;
    return tmli_fail(err, TML_ERR_ARG,
                     strcmp(a, b) ? "%s: '%s' does not end in %s or %s." : "%s: '%s' does not end in %s.",
                     option, path, a, b);
}

static tml_status check_files(const compare_values *v, tml_error *err)
{
    tml_status st = check_file("--csv", v->csv, ".csv", ".csv", v->model, err);
    if (st == TML_OK) st = check_file("--plot", v->plot, ".svg", ".png", v->model, err);
    if (st == TML_OK) st = check_file("--svg", v->svg, ".svg", ".svg", v->model, err);
    if (st == TML_OK) st = check_file("--png", v->png, ".png", ".png", v->model, err);
    if (st == TML_OK && v->csv && v->reference && strcmp(v->csv, v->reference) == 0)
        st = tmli_fail(err, TML_ERR_ARG, "--csv and --reference name the same file '%s'.", v->csv);
    return st;
}

static tml_status load(compare_state *c, const tml_env *env, tml_error *err)
{
    const compare_values *v = c->values;
    run_values r;
    run_values_none(&r);
    r.model = v->model;
    r.solver = v->solver;
    r.set = v->set;
    r.end = v->end;
    r.output_step = v->output_step;
    r.max_step = v->max_step;
    r.rho = v->rho;
    r.augment = v->augment;
    r.scaling = v->scaling;
    r.group = v->group;
    const tml_status st = run_load(&r, env, &c->model, err);
    if (st != TML_OK) return st;
    c->run = *tml_model_run(c->model);
    if (isnan(v->output_step) && !c->def.reference_file) c->run.output_step = 0;
    c->def.run = &c->run;
    return TML_OK;
}

static tml_status prepare(compare_state *c, compare_ui *ui, tml_error *err)
{
    const compare_values *v = c->values;
    const tml_env env = compare_ui_env(ui);
    c->def = tml_compare_def_default();
    tml_status st = TML_OK;
    if (v->tols && v->steps)
        st = tmli_fail(err, TML_ERR_ARG,
                       "--tols and --steps: compare at tolerances or at fixed steps, not both.");
    if (st == TML_OK && v->tols) {
        st = compare_parse_values("--tols", v->tols, &c->tols, &c->def.ntols, err);
        c->def.tols = c->tols;
    }
    if (st == TML_OK && v->steps) {
        st = compare_parse_values("--steps", v->steps, &c->steps, &c->def.nsteps, err);
        c->def.steps = c->steps;
    }
    if (st == TML_OK) st = split_methods(c, err);
    if (st == TML_OK) st = split_reference(c, err);
    if (st == TML_OK) st = compare_whole_number("--threads", v->threads, 64, &c->threads, err);
    if (st == TML_OK) st = check_files(v, err);
    c->def.threads = c->threads;
    c->def.budget = v->budget;
    c->def.limit = isnan(v->limit) ? 0 : v->limit;
    c->def.on_progress = compare_ui_progress;
    c->def.user = ui;
    return st == TML_OK ? load(c, &env, err) : st;
}

static tml_status write_files(compare_state *c, tml_error *err)
{
    const compare_values *v = c->values;
    const char *title = tml_model_title(c->model);
    const char *const pictures[] = {v->plot, v->svg, v->png};
    tml_status st = v->csv ? compare_write_csv(c->result, v->csv, err) : TML_OK;
    for (int i = 0; i < 3 && st == TML_OK; i++)
        if (pictures[i])
            st = compare_draw(c->result, title[0] ? title : v->model, v->error, pictures[i], err);
    return st;
}

static int run(void *values)
{
    compare_state c = {.values = values};
    compare_ui ui;
    tml_error err = {0};
    compare_ui_init(&ui, !c.values->no_progress && !c.values->quiet);
    tml_status st = prepare(&c, &ui, &err);
    if (st == TML_OK) {
        compare_ui_signals(true);
        st = tml_compare(c.model, &c.def, &c.result, &err);
        compare_ui_signals(false);
    }
    cli_progress_clear(&ui.progress);
    if (st == TML_OK) {
        c.running = true;
        st = write_files(&c, &err);
    }
    err.status = st;
    int code = cli_exit_status(st, c.running);
    if (c.result && c.result->stopped) code = CLI_EXIT_FAILED;
    const char *title = c.model ? tml_model_title(c.model) : "";
    if (c.values->json) compare_print_json(c.result, c.values->model, code, &err, stdout);
    else if (c.result && !c.values->quiet)
        compare_print(c.result, title[0] ? title : c.values->model, c.threads, stdout);
    fflush(stdout);
    if (st != TML_OK) cli_print_error(&err);
    else if (c.result->stopped) fputs("trammel: interrupted\n", stderr);
    tml_comparison_destroy(c.result);
    tml_model_destroy(c.model);
    compare_ui_clear(&ui);
    free(c.method_text);
    free(c.reference_text);
    free(c.tols);
    free(c.steps);
    return code;
}

const cli_command cli_command_compare = {
    .name = "compare",
    .summary = "Run a model by several methods and tolerances; tell their errors and what they cost.",
    .notes = "Errors are the largest over the output times, against a tight reference. A run that fails or "
             "takes too long "
             "stays in the table and says so. See docs/compare.md.\n"
             "\n"
             "  trammel compare crank.yaml\n"
             "  trammel compare crank.yaml --tols 1e-3..1e-7 --plot crank.svg\n"
             "  trammel compare crank.yaml --methods genalpha --steps 1e-2,5e-3,2e-3\n",
    .table = {options, sizeof options / sizeof *options},
    .values_size = sizeof(compare_values),
    .run = run,
};

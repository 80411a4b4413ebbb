// trammel verify: a run against a better one; how many digits agree, and was the tolerance met?
#include "compare.h"

#include "base/base.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct verify_values {
    const char *model, *method, *with, *solver;
    double tol, rtol, atol, step, max_step, end, output_step, rho, augment, factor, threads;
    int scaling, group;
    cli_list set;
    bool all, json, quiet, no_progress;
} verify_values;

static const cli_word scaling_words[] = {{"none", TML_SCALING_NONE},         {"uniform", TML_SCALING_UNIFORM},
                                         {"physical", TML_SCALING_PHYSICAL}, {"on", TML_SCALING_PHYSICAL},
                                         {"off", TML_SCALING_NONE},          {NULL, 0}};
static const cli_word augment_words[] = {{"on", 1}, {"off", 0}, {NULL, 0}};

#define AT(member) offsetof(verify_values, member)
#define HEADING(text)                                                  \
    {                                                                  \
        NULL, CLI_HEADING, CLI_RANGE_ANY, 0, NULL, NULL, NULL, 0, text \
    }
static const cli_option options[] = {
    {"MODEL", CLI_ARGUMENT, CLI_RANGE_ANY, AT(model), NULL, NULL, NULL, 0, "model file (YAML or JSON)"},
    HEADING("The run to verify"),
    {"--set", CLI_LIST, CLI_RANGE_ANY, AT(set), "NAME=VALUE", NULL, NULL, 0,
     "value (or expression) of a parameter of the model; may be repeated"},
    {"--end", CLI_NUMBER, CLI_RANGE_ANY, AT(end), "T", NULL, NULL, 0, "time at the end [s]"},
    {"--output-step", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(output_step), "DT", NULL, NULL, 0,
     "time between two comparisons [s]"},
    {"--method", CLI_TEXT, CLI_RANGE_ANY, AT(method), "NAME", NULL, NULL, 0, "integration method"},
    {"--tol", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(tol), "X", NULL, NULL, 0, "tolerance: sets --rtol and --atol"},
    {"--rtol", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(rtol), "X", NULL, NULL, 0, "relative tolerance"},
    {"--atol", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(atol), "X", NULL, NULL, 0,
     "absolute tolerance, in model lengths and rad"},
    {"--step", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(step), "H", NULL, NULL, 0,
     "steps of a fixed size [s]; the tolerance is then what they are judged by"},
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
    HEADING("What it is held against"),
    {"--factor", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(factor), "X", NULL, "100", 0,
     "the better run's tolerance is the asked one over this"},
    {"--with", CLI_TEXT, CLI_RANGE_ANY, AT(with), "METHOD", NULL, NULL, 0,
     "method of the better run; without it the same"},
    {"--threads", CLI_NUMBER, CLI_RANGE_POSITIVE, AT(threads), "N", NULL, NULL, 0, "1: one run after the other"},
    HEADING("Messages"),
    {"--all", CLI_FLAG, CLI_RANGE_ANY, AT(all), NULL, NULL, NULL, 0,
     "list all signals, those with fewest digits first"},
    {"--json", CLI_FLAG, CLI_RANGE_ANY, AT(json), NULL, NULL, NULL, 0, "print all as JSON"},
    {"--quiet", CLI_FLAG, CLI_RANGE_ANY, AT(quiet), NULL, NULL, NULL, 'q', "print nothing; the exit status tells"},
    {"--no-progress", CLI_FLAG, CLI_RANGE_ANY, AT(no_progress), NULL, NULL, NULL, 0,
     "no progress line (there is none either if stderr is no terminal)"},
};
#undef AT

// ---- for people ---------------------------------------------------------------------------------------------

static void print_run(const char *label, const tml_verify_run *r, FILE *out)
{
    fprintf(out, "  %-12s %s, ", label, r->method);
    if (r->step > 0) fprintf(out, "fixed step %g s", r->step);
    else if (r->rtol == r->atol) fprintf(out, "tolerance %.3g", r->rtol);
    else fprintf(out, "rtol %.3g, atol %.3g", r->rtol, r->atol);
    fprintf(out, ": %ld steps, %.3g s CPU time", r->count.steps, r->cpu_seconds);
    if (r->event) fprintf(out, ", ended by event '%s' at t = %.10g s", r->event, r->t);
    fputc('\n', out);
}

static void print_difference(const tml_verify_signal *s, FILE *out)
{
    char scale[48];
    snprintf(scale, sizeof scale, "%.3g %s", s->scale, s->unit);
    fprintf(out, "%9.1e  %-20s  %.6g s\n", s->difference, scale, s->t);
}

static int name_width(const tml_verification *v)
{
    int width = 12;
    for (int i = 0; i < v->nsignals; i++)
        if ((int)strlen(v->signals[i].name) > width) width = (int)strlen(v->signals[i].name);
    return width;
}

static void print_kinds(const tml_verification *v, int width, FILE *out)
{
    fprintf(out, "\n  %-18s  %7s  %6s  %-*s  %9s  %-20s  %s\n", "", "signals", "digits", width, "fewest in",
            "differ.", "scale", "at t");
    for (int kind = 0; kind < TML_SIGNAL_KINDS; kind++) {
        const tml_verify_signal *worst = NULL;
        int count = 0;
        for (int i = v->nsignals - 1; i >= 0; i--) {
            if ((int)v->signals[i].kind != kind) continue;
            worst = &v->signals[i];
            count++;
        }
        if (!worst) continue;
        fprintf(out, "  %-18s  %7d  %6.1f  %-*s  ", tml_signal_kind_name((tml_signal_kind)kind), count,
                worst->digits, width, worst->name);
        print_difference(worst, out);
    }
}

static void print_all(const tml_verification *v, int width, FILE *out)
{
    fprintf(out, "\n  %-*s  %6s  %9s  %-20s  %s\n", width, "signal", "digits", "differ.", "scale", "at t");
    for (int i = 0; i < v->nsignals; i++) {
        fprintf(out, "  %-*s  %6.1f  ", width, v->signals[i].name, v->signals[i].digits);
        print_difference(&v->signals[i], out);
    }
}

static void print_verdict(const tml_verification *v, FILE *out)
{
    fprintf(out, "\n  tolerance    %s: ", v->met ? "met" : "NOT met");
    if (!v->ratio_name) {
        fputs("positions and orientations agree exactly\n", out);
        return;
    }
    fprintf(out, "the largest error is %.3g of what ", v->ratio);
    if (v->asked.rtol == v->asked.atol) fprintf(out, "%.3g", v->asked.rtol);
    else fprintf(out, "rtol %.3g, atol %.3g", v->asked.rtol, v->asked.atol);
    fprintf(out, " allows (%s at t = %.6g s)\n", v->ratio_name, v->ratio_t);
}

static void print_text(const tml_verification *v, const char *title, bool all, FILE *out)
{
    const int width = name_width(v);
    fprintf(out, "%s\n", title);
    print_run("run", &v->asked, out);
    print_run("held against", &v->better, out);
    fprintf(out, "  compared     %d signals at %d output times\n", v->nsignals, v->output_times);
    print_kinds(v, width, out);
    if (all) print_all(v, width, out);
    print_verdict(v, out);
}

// ---- for programs -------------------------------------------------------------------------------------------

static void json_run(cli_json *j, const char *key, const tml_verify_run *r)
{
    cli_json_open(j, key, '{');
    cli_json_text(j, "method", r->method);
    cli_json_number(j, "rtol", r->rtol);
    cli_json_number(j, "atol", r->atol);
    cli_json_number(j, "step", r->step);
    cli_json_integer(j, "steps", r->count.steps);
    cli_json_number(j, "cpu_seconds", r->cpu_seconds);
    cli_json_number(j, "t", r->t);
    cli_json_text(j, "event", r->event);
    cli_json_close(j, '}');
}

static void json_result(cli_json *j, const tml_verification *v)
{
    json_run(j, "run", &v->asked);
    json_run(j, "against", &v->better);
    cli_json_bool(j, "met", v->met);
    cli_json_number(j, "ratio", v->ratio);
    cli_json_text(j, "ratio_signal", v->ratio_name);
    cli_json_number(j, "ratio_t", v->ratio_t);
    cli_json_number(j, "length", v->length);
    cli_json_integer(j, "output_times", v->output_times);
    cli_json_open(j, "signals", '[');
    for (int i = 0; i < v->nsignals; i++) {
        const tml_verify_signal *s = &v->signals[i];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", s->name);
        cli_json_text(j, "unit", s->unit);
        cli_json_text(j, "kind", tml_signal_kind_name(s->kind));
        cli_json_number(j, "digits", s->digits);
        cli_json_number(j, "difference", s->difference);
        cli_json_number(j, "scale", s->scale);
        cli_json_number(j, "t", s->t);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void print_json(const tml_verification *v, const char *model, int code, const tml_error *err)
{
    cli_json j = {.out = stdout};
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "trammel", tml_version());
    cli_json_text(&j, "command", "verify");
    cli_json_text(&j, "model", model);
    cli_json_text(&j, "status", tml_status_name(err->status));
    cli_json_integer(&j, "exit_status", code);
    cli_json_error(&j, err);
    if (v) json_result(&j, v);
    cli_json_close(&j, '}');
}

// ---- the command --------------------------------------------------------------------------------------------

// A step of fixed size may stand beside the tolerance it is judged by.
static tml_status load(const verify_values *v, const tml_env *env, tml_model **model, tml_run_def *run,
                       tml_error *err)
{
    run_values r;
    run_values_none(&r);
    r.model = v->model;
    r.method = v->method;
    r.solver = v->solver;
    r.set = v->set;
    r.end = v->end;
    r.tol = v->tol;
    r.rtol = v->rtol;
    r.atol = v->atol;
    r.output_step = v->output_step;
    r.max_step = v->max_step;
    r.rho = v->rho;
    r.augment = v->augment;
    r.scaling = v->scaling;
    r.group = v->group;
    if (!isnan(v->step) && !isnan(v->max_step))
        return tmli_fail(err, TML_ERR_ARG, "--max-step means nothing beside --step.");
    tml_status st = run_load(&r, env, model, err);
    if (st != TML_OK) return st;
    *run = *tml_model_run(*model);
    if (!isnan(v->step)) run->step = v->step;
    return TML_OK;
}

static tml_status verify(const verify_values *v, compare_ui *ui, tml_model **model, tml_verification **out,
                         bool *running, tml_error *err)
{
    const tml_env env = compare_ui_env(ui);
    tml_verify_def def = tml_verify_def_default();
    tml_run_def run;
    tml_status st = TML_OK;
    if (!(v->factor >= 1)) st = tmli_fail(err, TML_ERR_ARG, "--factor: %g is not 1 or greater.", v->factor);
    if (st == TML_OK) st = compare_whole_number("--threads", v->threads, 64, &def.threads, err);
    if (st == TML_OK) st = load(v, &env, model, &run, err);
    if (st != TML_OK) return st;
    def.run = &run;
    def.with = v->with;
    def.factor = v->factor;
    def.on_progress = compare_ui_progress;
    def.user = ui;
    *running = true;
    compare_ui_signals(true);
    st = tml_verify(*model, &def, out, err);
    compare_ui_signals(false);
    return st;
}

static int run(void *values)
{
    const verify_values *v = values;
    compare_ui ui;
    tml_model *model = NULL;
    tml_verification *result = NULL;
    tml_error err = {0};
    bool running = false;
    compare_ui_init(&ui, !v->no_progress && !v->quiet);
    const tml_status st = verify(v, &ui, &model, &result, &running, &err);
    cli_progress_clear(&ui.progress);
    err.status = st;
    int code = cli_exit_status(st, running);
    if (st == TML_OK && !result->met) code = CLI_EXIT_FAILED;
    const char *title = model ? tml_model_title(model) : "";
    if (v->json) print_json(result, v->model, code, &err);
    else if (result && !v->quiet) print_text(result, title[0] ? title : v->model, v->all, stdout);
    fflush(stdout);
    if (compare_ui_interrupted()) fputs("trammel: interrupted\n", stderr);
    else if (st != TML_OK) cli_print_error(&err);
    tml_verification_destroy(result);
    tml_model_destroy(model);
    compare_ui_clear(&ui);
    return code;
}

const cli_command cli_command_verify = {
    .name = "verify",
    .summary = "Run a model as asked and by a better run; tell how many digits agree and whether the "
               "tolerance was met.",
    .notes = "Exit status: 0 the tolerance was met, 1 it was not, or a run failed. Where the options are "
             "silent the run block of "
             "the model file speaks. See docs/compare.md.\n"
             "\n"
             "  trammel verify crank.yaml --tol 1e-5\n"
             "  trammel verify crank.yaml --step 1e-3 --tol 1e-4 --all\n",
    .table = {options, sizeof options / sizeof *options},
    .values_size = sizeof(verify_values),
    .run = run,
};

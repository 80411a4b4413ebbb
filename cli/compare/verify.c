// trammel verify: a run compared with a more accurate one: digits that agree, and whether every signal is
// within the tolerance.
#define _POSIX_C_SOURCE 200809L
#include "cli/common/html.h"
#include "compare.h"

#include "base/base.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct verify_values {
    cli_input in;
    const char *with, *html;
    double factor;
    int jobs;
    bool all, json, quiet, no_progress;
} verify_values;

#define AT(member) offsetof(verify_values, member)
static const cli_option options[] = {
    CLI_INPUT_MODEL,
    {.kind = CLI_HEADING, .doc = "The run to verify"},
    CLI_INPUT_SET,
    CLI_INPUT_SETTINGS(CLI_GROUP_TIME, true),
    CLI_INPUT_SETTING("--output-step", "time between two comparisons [s]"),
    CLI_INPUT_SETTINGS(CLI_GROUP_METHOD, true),
    CLI_INPUT_SETTINGS(CLI_GROUP_ACCURACY, true),
    CLI_INPUT_SETTING("--step", "fixed step size [s]; the error is then compared with the tolerance"),
    {.kind = CLI_HEADING, .doc = "Reference run"},
    CLI_OPTION_NUMBER(
        "--factor", CLI_NUMBER, TMLI_RANGE_POSITIVE, AT(factor), "X", "100",
        "tolerance of the verified run over that of the reference run; more if the reference is in doubt"),
    CLI_OPTION_TEXT("--with", 0, AT(with), "METHOD", CLI_FILE_NONE,
                    "method of the reference run; default: the same method"),
    {.kind = CLI_HEADING, .doc = "Settings of both runs ('trammel run --help' explains them)"},
    CLI_INPUT_SETTINGS(CLI_GROUP_STEPS, true),
    CLI_INPUT_SETTINGS(CLI_GROUP_FORMULA, true),
    CLI_INPUT_SETTINGS(CLI_GROUP_EQUATIONS, true),
    {.kind = CLI_HEADING, .doc = "Time and messages"},
    {.name = "--jobs",
     .kind = CLI_INTEGER,
     .range = TMLI_RANGE_POSITIVE,
     .offset = AT(jobs),
     .arg = "N",
     .letter = 'j',
     .doc =
         "number of parallel runs; default: run and reference at the same time if there are two processors"},
    CLI_OPTION_FLAG("--all", 0, AT(all), "list all signals, those with the fewest correct digits first"),
    CLI_OPTION_TEXT("--html", 0, AT(html), "FILE", CLI_FILE_WRITTEN,
                    "also write a report with a diagram of the errors of all signals"),
    CLI_OPTION_FLAG("--json", 0, AT(json), "print all as JSON"),
    CLI_OPTION_FLAG("--quiet", 'q', AT(quiet), "print nothing; the exit status gives the result"),
    CLI_NO_PROGRESS(AT(no_progress)),
};
#undef AT

// ---- the report -------------------------------------------------------------------------------------------

static void put_run(cli_report *out, const char *label, const char *key, const tml_verify_run *r)
{
    cli_label(out, label);
    cli_entry(out, "%s, ", r->first_method);
    if (strcmp(r->first_method, r->method) != 0) cli_entry(out, "later %s, ", r->method);
    if (r->step > 0) cli_entry(out, "fixed step %g s", r->step);
    else if (r->rtol == r->atol) cli_entry(out, "tolerance %.3g", r->rtol);
    else cli_entry(out, "rtol %.3g, atol %.3g", r->rtol, r->atol);
    cli_open(out, key, '{');
    cli_entry(out,
              "{-method %s first_method %s rtol %g atol %g step %g}: {steps %ld step}, {cpu_seconds %.3g} s "
              "CPU time",
              r->method, r->first_method, r->rtol, r->atol, r->step, r->count.steps, r->cpu_seconds);
    cli_entry(out, "{-t %g event %s}", r->t, r->event);
    cli_close(out, '}');
    if (r->event) cli_entry(out, ", ended by event '%s' at t = %.10g s", r->event, r->t);
    cli_entry(out, "\n");
}

static void print_difference(const tml_verify_signal *s, cli_report *out)
{
    char scale[48];
    snprintf(scale, sizeof scale, "%.3g %s", s->scale, s->unit);
    cli_entry(out, "%9.1e  %-20s  %.6g s\n", s->difference, scale, s->t);
}

static void print_kinds(const tml_verification *v, int width, cli_report *out)
{
    cli_entry(out, "\n  %-18s  %7s  %8s  %6s  %-*s  %9s  %-20s  %s\n", "", "signals", "of tol.", "digits",
              width, "fewest in", "differ.", "scale", "at t");
    for (int kind = 0; kind < TML_SIGNAL_KINDS; kind++) {
        const tml_verify_signal *worst = NULL;
        int count = 0;
        double ratio = 0;
        for (int i = v->signal_count - 1; i >= 0; i--) {
            if ((int)v->signals[i].kind != kind) continue;
            worst = &v->signals[i];
            count++;
            if (worst->judged) ratio = fmax(ratio, worst->ratio);
        }
        if (!worst) continue;
        cli_entry(out, "  %-18s  %7d  %8.2g  %6.1f  %-*s  ", tml_signal_kind_name((tml_signal_kind)kind),
                  count, ratio, worst->digits, width, worst->name);
        print_difference(worst, out);
    }
}

static void put_signals(cli_report *out, const tml_verification *v, int width)
{
    cli_entry(out, "\n  %-*s  %8s  %6s  %9s  %-20s  %s\n", width, "signal", "of tol.", "digits", "differ.",
              "scale", "at t");
    cli_open(out, "signals", '[');
    for (int i = 0; i < v->signal_count; i++) {
        const tml_verify_signal *s = &v->signals[i];
        char ratio[24];
        snprintf(ratio, sizeof ratio, s->judged ? "%.2g" : "shared", s->ratio);
        cli_open(out, NULL, '{');
        cli_entry(out, "  {name %-*s}{-unit %s kind %s}  %8s  {digits %6.1f}  {-difference %g scale %g t %g}",
                  width, s->name, s->unit, tml_signal_kind_name(s->kind), ratio, s->digits, s->difference,
                  s->scale, s->t);
        cli_entry(out, "{-judged %u ratio %g doubt %g}", s->judged, s->ratio, s->doubt);
        cli_close(out, '}');
        print_difference(s, out);
    }
    cli_close(out, ']');
}

static void print_tolerance(const tml_verification *v, cli_report *out)
{
    if (v->asked.rtol == v->asked.atol) cli_entry(out, "%.3g", v->asked.rtol);
    else cli_entry(out, "rtol %.3g, atol %.3g", v->asked.rtol, v->asked.atol);
}

// An event ends one of the runs only, or another event does.
static bool print_other_end(const tml_verification *v, cli_report *out)
{
    const char *a = v->asked.event, *b = v->better.event;
    if (a == b || (a && b && strcmp(a, b) == 0)) return false;
    cli_entry(out, "the run ends %s%s%s at t = %.6g s, the reference %s%s%s at t = %.6g s\n",
              a ? "by event '" : "", a ? a : "without event", a ? "'" : "", v->asked.t, b ? "by event '" : "",
              b ? b : "without event", b ? "'" : "", v->better.t);
    return true;
}

static void print_error(const tml_verification *v, cli_report *out)
{
    if (print_other_end(v, out)) return;
    if (v->unmatched > 0) {
        cli_entry(out, "the reference lacks {%d output time} of the run\n", v->unmatched);
        return;
    }
    if (!v->ratio_name) {
        cli_entry(out, "all signals agree exactly\n");
        return;
    }
    cli_entry(out, "the largest error is %.3g times what ", v->ratio);
    print_tolerance(v, out);
    cli_entry(out, " allows (%s at t = %.6g s)\n", v->ratio_name, v->ratio_t);
}

// Largest error of positions, orientations, velocities and joint coordinates over what is allowed.
static double motion_ratio(const tml_verification *v)
{
    double ratio = 0;
    for (int i = 0; i < v->signal_count; i++)
        if (v->signals[i].judged && v->signals[i].kind <= TML_SIGNAL_COORDINATE)
            ratio = fmax(ratio, v->signals[i].ratio);
    return ratio;
}

static bool is_reaction(const tml_verification *v, const char *name)
{
    for (int i = 0; i < v->signal_count; i++)
        if (v->signals[i].kind == TML_SIGNAL_REACTION && name && strcmp(v->signals[i].name, name) == 0)
            return true;
    return false;
}

// Reactions that balance each other over a lever that vanishes at a singular configuration have a pole there:
// of the run they are as wrong as its distance from the pole.
static bool print_pole(const tml_verification *v, double motion, cli_report *out)
{
    const double amplified = 10;  // reactions of smooth motions err by a few times the error of the motion
    if (v->better.count.singular == 0 || !is_reaction(v, v->ratio_name) || v->ratio < amplified * motion)
        return false;
    cli_entry(
        out,
        "               the singular configuration at t = %.6g s was passed: beside it reactions may\n"
        "               grow without bound, and an error of the motion (%.2g of what is allowed) changes\n"
        "               them by as much; compare reactions at other times\n",
        v->better.count.singular_first, motion);
    return true;
}

static void print_verdict(const tml_verification *v, cli_report *out)
{
    const bool doubtful = !v->met && !v->confirmed && v->ratio <= 1;
    cli_entry(out, "\n  tolerance    %s: ", v->met ? "met" : doubtful ? "NOT confirmed" : "NOT met");
    print_error(v, out);
    if (!v->confirmed)
        cli_entry(
            out,
            "               the reference is in doubt: its error may be %.3g times what is allowed (%s)\n",
            v->doubt, v->doubt_name);
    if (v->met || doubtful || v->asked.step > 0 || !isfinite(v->ratio)) return;
    const double tol = fmin(v->asked.rtol, v->asked.atol), motion = motion_ratio(v);
    if (print_pole(v, motion, out)) return;
    if (motion <= 1)  // nothing grew: a steep law, or a difference of large forces
        cli_entry(
            out,
            "               the motion is within it (%.2g of what is allowed); %s changes much with small\n"
            "               changes of the motion: use --tol %.0e to keep %.3g in it, too\n",
            motion, v->ratio_name ? v->ratio_name : "a signal", pow(10, floor(log10(tol / v->ratio))), tol);
    else
        cli_entry(out,
                  "               errors accumulate or grow along the motion: use --tol %.0e to keep %.3g\n",
                  pow(10, floor(log10(tol / v->ratio))), tol);
}

static void put_report(cli_report *out, const tml_verification *v, const tml_run_def *run, const char *title,
                       bool all)
{
    const int width = CLI_WIDEST(12, v->signals, v->signal_count, tml_verify_signal, name);
    cli_entry(out, "%s\n", title);
    cli_settings_report(out, run);
    put_run(out, "run", "run", &v->asked);
    put_run(out, "reference", "against", &v->better);
    put_run(out, "check", "check", &v->check);
    if (strcmp(v->asked.method, tml_method_moreau.name) == 0)
        cli_line(out, "", "captured contacts: errors of order 2 in the step between impacts, 1 across");
    cli_line(out, "", "{-confirmed %u}the error of the reference is about {doubt %.2g} of what is allowed",
             v->confirmed, v->doubt);
    cli_entry(out, "{-doubt_signal %s met %u ratio %g ratio_signal %s}", v->doubt_name, v->met, v->ratio,
              v->ratio_name);
    cli_line(out, "compared", "{-ratio_t %g length %g}{%d signal} at {output_times %d output time}",
             v->ratio_t, v->length, v->signal_count, v->output_times);
    cli_entry(out, "{-unmatched %d jumps %d time_scale %g}", v->unmatched, v->jumps, v->time_scale);
    if (v->jumps > 0) cli_line(out, "", "at %d of them forces jump, and are not compared", v->jumps);
    if (v->time_scale > 0)
        cli_line(out, "", "velocities and forces (of tol.) on the time scale of the motion, %.2g s at most",
                 v->time_scale);
    print_kinds(v, width, out);
    out->silent = !all;
    put_signals(out, v, width);
    out->silent = false;
    print_verdict(v, out);
}

// ---- the command ------------------------------------------------------------------------------------------

static tml_status verify(const verify_values *v, compare_ui *ui, tml_model **model, tml_verification **out,
                         bool *running, tml_error *err)
{
    const tml_env env = compare_ui_env(ui, v->in.files);
    tml_verify_def def = tml_verify_def_default();
    tml_status st = TML_OK;
    if (!(v->factor >= 1)) st = tmli_fail(err, TML_ERR_ARG, "--factor: %g is not 1 or greater.", v->factor);
    if (st == TML_OK) st = compare_jobs(v->jobs, &def.threads, err);
    if (st == TML_OK) st = cli_input_load(&v->in, CLI_STEPS_JUDGED, &env, NULL, model, err);
    if (st != TML_OK) return st;
    def.with = v->with;
    def.factor = v->factor;
    def.on_progress = compare_ui_progress;
    def.user = ui;
    *running = true;
    cli_interrupts(true);
    st = tml_verify(*model, &def, out, err);
    cli_interrupts(false);
    return st;
}

// ---- HTML -------------------------------------------------------------------------------------------------

// Largest difference over what is allowed, signal by signal in the order of their digits.
static tml_status make_plot(const tml_verification *r, tml_plot **out, tml_error *err)
{
    const size_t n = (size_t)r->signal_count + 1;
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *doubt = calloc(n, sizeof *doubt);
    tml_plot_def def = tml_plot_def_default();
    def.x = (tml_axis_def){.label = "signal, by correct digits", .min = NAN, .max = NAN};
    def.y = (tml_axis_def){.label = "difference / allowed", .kind = TML_AXIS_LOG, .min = NAN, .max = NAN};
    tml_series_def s = tml_series_def_default(), d = s;
    s.name = "run";
    d.name = "error of the reference";
    s.x = d.x = x;
    s.y = y;
    d.y = doubt;
    s.line = d.line = TML_LINE_NONE;
    s.marker = TML_MARKER_CIRCLE;
    d.marker = TML_MARKER_SQUARE;
    d.open = true;
    tml_status st = x && y && doubt ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for the diagram.");
    for (int i = 0; i < r->signal_count && st == TML_OK; i++) {
        if (!r->signals[i].judged) continue;
        x[s.count] = i + 1;
        y[s.count] = r->signals[i].ratio;
        doubt[s.count++] = r->signals[i].doubt;
    }
    d.count = s.count;
    if (st == TML_OK) st = tml_plot_create(&def, NULL, out, err);
    if (st == TML_OK) st = tml_plot_add(*out, &s, err);
    if (st == TML_OK) st = tml_plot_add(*out, &d, err);
    if (st == TML_OK) st = tml_plot_add_slope(*out, 0, 1, 1, r->signal_count, "allowed", err);
    free(x);
    free(y);
    free(doubt);
    return st;
}

static tml_status write_html(const tml_verification *r, const char *title, const char *file, const char *path,
                             const tml_env *env, tml_error *err)
{
    cli_html h;
    tml_plot *plot = NULL;
    tml_status st = cli_html_begin(&h, path, title, file, env, err);
    if (st != TML_OK) return st;
    cli_html_paragraph(&h, r->met ? "Every signal is within the tolerance."
                                  : "The tolerance was not met, or the reference is in doubt.");
    cli_html_heading(&h, "Errors of the signals");
    st = make_plot(r, &plot, err);
    if (st == TML_OK) st = cli_html_plot(&h, plot, err);
    cli_report table = cli_html_table(&h);
    put_report(&table, r, NULL, title, true);
    st = cli_html_table_end(&h, st, err);
    tml_plot_destroy(plot);
    return cli_html_end(&h, st, err);
}

static tml_status run(void *values, cli_call *c)
{
    const verify_values *v = values;
    compare_ui ui;
    tml_model *model = NULL;
    tml_verification *result = NULL;
    tml_error *err = &c->err;
    compare_ui_init(&ui, !v->no_progress && !v->quiet);
    tml_status st = verify(v, &ui, &model, &result, &c->running, err);
    cli_progress_clear(&ui.progress);
    const char *title = cli_title(model, v->in.model);
    if (st == TML_OK && v->html) st = write_html(result, title, v->in.model, v->html, &c->env, err);
    err->status = st;
    const bool failed = st == TML_OK && !result->met;
    const int code = c->exit_status = failed ? CLI_EXIT_FAILED : cli_exit_status(st, c->running);
    cli_report r = cli_report_begin(v->json, "verify", v->in.model, st, code, err);
    if (result && (v->json || !v->quiet)) put_report(&r, result, tml_model_run(model), title, v->all);
    cli_report_end(&r);
    fflush(stdout);
    const bool interrupted = cli_interrupted();
    if (interrupted) fputs("trammel: interrupted\n", stderr);
    tml_verification_destroy(result);
    tml_model_destroy(model);
    compare_ui_clear(&ui);
    return interrupted ? TML_OK : st;
}

const cli_command cli_command_verify = {
    .name = "verify",
    .summary =
        "Compare a run with a more accurate one: digits that agree, and whether the tolerance was met.",
    .notes =
        "Exit status: 0 every signal is within the tolerance, 1 one is not, the reference is in doubt, or a "
        "run failed. Options override the run "
        "block of the model file. See docs/compare.md.\n"
        "\n"
        "  trammel verify crank.yaml --tol 1e-5\n"
        "  trammel verify crank.yaml --step 1e-3 --tol 1e-4 --all\n",
    CLI_OPTIONS(verify_values),
    .files = offsetof(verify_values, in.files),
    .run = run,
};

// The closing report of `trammel run`: an audit for people, and the same facts as JSON.
#include "run.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

enum {
    LABEL = 13,    // columns of the labels
    REPEATED = 5,  // joints that repeat others, told before the rest is counted
};

static void label(FILE *out, const char *text) { fprintf(out, "  %-*s", LABEL, text); }

// 1234567 as "1,234,567"
static const char *grouped(long n, char buf[32])
{
    char digits[24];
    const int count = snprintf(digits, sizeof digits, "%ld", n);
    int used = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) buf[used++] = ',';
        buf[used++] = digits[i];
    }
    buf[used] = 0;
    return buf;
}

static const char *size_text(long long bytes, char buf[32])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    double x = (double)bytes;
    int unit = -1;
    while (x >= 999.5 && unit < 3) x /= 1000, unit++;
    if (unit < 0) snprintf(buf, 32, "%lld bytes", bytes);
    else snprintf(buf, 32, "%.*f %s", x < 9.95 ? 1 : 0, x, units[unit]);
    return buf;
}

// The name of the row with the worst position residual; NULL: there is none.
static const char *worst_row(const run_state *r, const tml_sim_report *report, char *buf, size_t size)
{
    const tml_system *sys = tml_sim_system(r->sim);
    if (report->position_row < 0 || report->position_row >= sys->m || !sys->row_name) return NULL;
    return sys->row_name(sys, report->position_row, buf, size);
}

static void print_count(FILE *out, int n, const char *one, const char *many, const char *after)
{
    fprintf(out, "%d %s%s", n, n == 1 ? one : many, after);
}

// ---- for people -------------------------------------------------------------------------------------------

static void print_setup(const run_state *r, const tml_sim_report *report, FILE *out)
{
    const tml_run_def *run = tml_sim_settings(r->sim);
    const tml_system *sys = tml_sim_system(r->sim);
    label(out, "model");
    print_count(out, tml_model_body_count(r->model), "body", "bodies", ", ");
    print_count(out, tml_model_joint_count(r->model), "joint", "joints", ", ");
    print_count(out, tml_model_force_count(r->model), "force", "forces", "; ");
    print_count(out, sys->n, "coordinate", "coordinates", ", ");
    print_count(out, sys->m, "constraint", "constraints", "\n");
    label(out, "method");
    const tml_method_ops *method = tml_method_find(report->method);
    fprintf(out, "%s, order %d; ", report->method, method ? method->order : 0);
    if (run->group != TML_GROUP_R3SO3) fprintf(out, "on %s; ", cli_settings_word(run, "group"));
    if (run->step > 0) fprintf(out, "fixed step %g s\n", run->step);
    else if (run->rtol == run->atol) fprintf(out, "tolerance %g\n", run->rtol);
    else fprintf(out, "rtol %g, atol %g\n", run->rtol, run->atol);
    if (report->reason) {
        label(out, "");
        fprintf(out, "chosen for: %s\n", report->reason);
    }
    label(out, "solver");
    fprintf(out, "%s; scaling %s, augmentation %g\n", report->solver, cli_settings_word(run, "scaling"),
            run->augment);
}

// Which joints repeat which; nothing if none does.
static void print_repeated(const tml_sim_report *report, FILE *out)
{
    const int count = report->sentence_count, shown = count <= REPEATED ? count : REPEATED - 1;
    for (int i = 0; i < shown; i++) {
        label(out, i == 0 ? "repeated" : "");
        cli_wrap(out, report->sentences[i], LABEL + 2, LABEL + 2);
    }
    if (shown == count) return;
    label(out, "");
    fprintf(out, "... and %d more; `trammel check --all` lists them\n", count - shown);
}

static void print_span(const run_state *r, const tml_sim_report *report, FILE *out)
{
    const tml_run_def *run = tml_sim_settings(r->sim);
    const double t = tml_sim_time(r->sim);
    label(out, "simulated");
    fprintf(out, "%.6g .. %.6g s", run->start, t);
    if (r->interrupted) fprintf(out, " of %.6g s: interrupted", run->end);
    else if (r->err.status != TML_OK) fprintf(out, " of %.6g s: FAILED", run->end);
    else if (report->event) fprintf(out, " of %.6g s: ended by event '%s'", run->end, report->event);
    fputc('\n', out);
}

static void print_singular(const tml_counters *c, FILE *out)
{
    char a[32];
    label(out, "singular");
    if (c->singular == 1) fprintf(out, "1 singular position passed at t = %.6g s", c->singular_first);
    else
        fprintf(out, "%s singular positions passed, t = %.6g .. %.6g s", grouped(c->singular, a),
                c->singular_first, c->singular_last);
    fprintf(out, ", rank %d -> %d; the smooth branch is kept\n", c->rank, c->singular_rank);
}

static void print_work(const tml_sim_report *report, FILE *out)
{
    const tml_counters *c = &report->count;
    const long rejected = c->rejected_error + c->rejected_newton;
    char a[32], b[32];
    label(out, "steps");
    fprintf(out, "%s, %s rejected", grouped(c->steps, a), grouped(rejected, b));
    if (rejected > 0)
        fprintf(out, " (%ld by the error test, %ld by Newton)", c->rejected_error, c->rejected_newton);
    fputc('\n', out);
    if (c->singular > 0) print_singular(c, out);
    if (report->switches > 0) {
        label(out, "switches");
        fprintf(out, "%s %s located\n", grouped(report->switches, a),
                report->switches == 1 ? "discontinuity" : "discontinuities");
    }
    if (c->steps == 0) return;
    label(out, "step size");
    fprintf(out, "%.3g .. %.3g s, mean %.3g s\n", report->h_min, report->h_max, report->h_mean);
    label(out, "Newton");
    fprintf(out, "%.2f iterations per step, at most %d; %s factorization%s\n",
            (double)c->iterations / (double)c->steps, c->max_iterations, grouped(c->factorizations, a),
            tmli_plural(c->factorizations));
    if (c->bases == 0) return;
    label(out, "basis");
    fprintf(out, "%s %s of independent coordinates\n", grouped(c->bases, a),
            c->bases == 1 ? "change" : "changes");
}

static void print_audit(const run_state *r, const tml_sim_report *report, FILE *out)
{
    char buf[160];
    if (tml_sim_system(r->sim)->m > 0) {
        const char *row = worst_row(r, report, buf, sizeof buf);
        label(out, "constraints");
        fprintf(out, "velocity kept to %.1e, position to %.1e", report->velocity_residual,
                report->position_residual);
        if (row && report->position_residual > 0) fprintf(out, " in %s", row);
        fputc('\n', out);
    }
    if (!(report->energy_scale > 0)) return;
    const double end = report->kinetic + report->potential, gone = report->dissipated;
    label(out, "energy");
    fprintf(out, "%.6g J at the start, %.6g J at the end", report->energy_start, end);
    if (fabs(gone) >
        fmax(report->energy_error, 1e-12 * report->energy_scale))  // below it is the error of the balance
        fprintf(out, ", %.6g J %s", fabs(gone), gone > 0 ? "dissipated" : "put in");
    fputc('\n', out);
    label(out, "");
    fprintf(out, "balance kept to %.1e J, %.1e of the largest term\n", report->energy_error,
            report->energy_error / report->energy_scale);
}

static void print_time(const run_state *r, const tml_sim_report *report, FILE *out)
{
    const double simulated = tml_sim_time(r->sim) - tml_sim_settings(r->sim)->start;
    const double ratio = report->wall_seconds > 0 ? simulated / report->wall_seconds : 0;
    label(out, "wall time");
    fprintf(out, "%.3g s", report->wall_seconds);
    if (ratio >= 1) fprintf(out, ", %.3g times faster than real time", ratio);
    else if (ratio > 0) fprintf(out, ", %.3g times slower than real time", 1 / ratio);
    fputc('\n', out);
}

static void print_files(const run_state *r, FILE *out)
{
    char a[32], b[32];
    for (int i = 0; i < r->nfiles; i++) {
        const run_file *f = &r->files[i];
        label(out, i == 0 ? "written" : "");
        if (f->kept)
            fprintf(out, "%s (%s row%s, %s)\n", f->path, grouped(r->rows, a), tmli_plural(r->rows),
                    size_text(f->bytes, b));
        else fprintf(out, "%s: INCOMPLETE\n", f->path);
    }
    if (r->nfiles > 0) return;
    label(out, "written");
    fputs("nothing\n", out);
}

void run_print_summary(const run_state *r, FILE *out)
{
    tml_sim_report report;
    tml_sim_get_report(r->sim, &report);
    const char *title = tml_model_title(r->model);
    fprintf(out, "%s\n", title[0] ? title : r->values->in.model);
    print_setup(r, &report, out);
    print_repeated(&report, out);
    print_span(r, &report, out);
    print_work(&report, out);
    print_audit(r, &report, out);
    print_time(r, &report, out);
    print_files(r, out);
}

// ---- for programs -----------------------------------------------------------------------------------------

void run_json_settings(cli_json *j, const char *key, const tml_sim *sim)
{
    const tml_run_def *run = tml_sim_settings(sim);
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    cli_json_open(j, key, '{');
    cli_json_text(j, "method", report.method);
    if (report.reason) cli_json_text(j, "method_reason", report.reason);
    cli_json_text(j, "solver", report.solver);
    cli_settings_json(j, run);
    cli_json_close(j, '}');
}

static void json_model(cli_json *j, const run_state *r)
{
    const tml_system *sys = tml_sim_system(r->sim);
    cli_json_open(j, "size", '{');
    cli_json_integer(j, "bodies", tml_model_body_count(r->model));
    cli_json_integer(j, "joints", tml_model_joint_count(r->model));
    cli_json_integer(j, "forces", tml_model_force_count(r->model));
    cli_json_integer(j, "coordinates", sys->n);
    cli_json_integer(j, "constraints", sys->m);
    cli_json_close(j, '}');
}

static void json_counters(cli_json *j, const tml_sim_report *report)
{
    const tml_counters *c = &report->count;
    cli_json_open(j, "counters", '{');
    cli_json_integer(j, "steps", c->steps);
    cli_json_integer(j, "rejected_error", c->rejected_error);
    cli_json_integer(j, "rejected_newton", c->rejected_newton);
    cli_json_integer(j, "switches", report->switches);
    cli_json_integer(j, "repeated_constraints", report->repeated);
    cli_json_integer(j, "singular_positions", c->singular);
    cli_json_integer(j, "iterations", c->iterations);
    cli_json_integer(j, "max_iterations", c->max_iterations);
    cli_json_integer(j, "residuals", c->residuals);
    cli_json_integer(j, "factorizations", c->factorizations);
    cli_json_integer(j, "bases", c->bases);
    cli_json_close(j, '}');
    const bool any = c->steps > 0;
    cli_json_open(j, "step_size", '{');
    cli_json_number(j, "min", any ? report->h_min : (double)NAN);
    cli_json_number(j, "max", any ? report->h_max : (double)NAN);
    cli_json_number(j, "mean", any ? report->h_mean : (double)NAN);
    cli_json_close(j, '}');
}

static void json_audit(cli_json *j, const run_state *r, const tml_sim_report *report)
{
    char buf[160];
    cli_json_open(j, "residuals", '{');
    cli_json_number(j, "position", report->position_residual);
    cli_json_text(j, "position_row", worst_row(r, report, buf, sizeof buf));
    cli_json_number(j, "velocity", report->velocity_residual);
    cli_json_close(j, '}');
    cli_json_open(j, "energy", '{');
    cli_json_number(j, "start", report->energy_start);
    cli_json_number(j, "kinetic", report->kinetic);
    cli_json_number(j, "potential", report->potential);
    cli_json_number(j, "dissipated", report->dissipated);
    cli_json_number(j, "error", report->energy_error);
    cli_json_number(j, "scale", report->energy_scale);
    cli_json_close(j, '}');
}

static void json_sim(cli_json *j, const run_state *r)
{
    tml_sim_report report;
    tml_sim_get_report(r->sim, &report);
    const tml_run_def *run = tml_sim_settings(r->sim);
    const double t = tml_sim_time(r->sim), wall = report.wall_seconds;
    cli_json_text(j, "title", tml_model_title(r->model));
    json_model(j, r);
    run_json_settings(j, "settings", r->sim);
    cli_json_number(j, "t", t);
    cli_json_text(j, "event", report.event);
    cli_json_open(j, "repeated", '[');
    for (int i = 0; i < report.sentence_count; i++) cli_json_text(j, NULL, report.sentences[i]);
    cli_json_close(j, ']');
    json_counters(j, &report);
    json_audit(j, r, &report);
    const double condition = tml_sim_condition(r->sim);
    cli_json_number(j, "condition", condition > 0 ? condition : (double)NAN);
    cli_json_number(j, "wall_seconds", wall);
    cli_json_number(j, "real_time_factor", wall > 0 ? (t - run->start) / wall : (double)NAN);
}

static const char *format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (dot[1] == 'c' || dot[1] == 'C') ? "csv" : "hdf5";
}

void run_print_json(const run_state *r, int exit_status, FILE *out)
{
    cli_json j = {.out = out};
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "trammel", tml_version());
    cli_json_text(&j, "command", "run");
    cli_json_text(&j, "model", r->values->in.model);
    cli_json_text(&j, "status", tml_status_name(r->interrupted ? TML_ERR_STOPPED : r->err.status));
    cli_json_integer(&j, "exit_status", exit_status);
    cli_json_error(&j, &r->err);
    cli_json_bool(&j, "interrupted", r->interrupted);
    if (r->sim) json_sim(&j, r);
    cli_json_integer(&j, "rows", r->rows);
    cli_json_open(&j, "outputs", '[');
    for (int i = 0; i < r->nfiles; i++) {
        if (!r->files[i].kept) continue;
        cli_json_open(&j, NULL, '{');
        cli_json_text(&j, "path", r->files[i].path);
        cli_json_text(&j, "format", format_of(r->files[i].path));
        cli_json_integer(&j, "bytes", r->files[i].bytes);
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, ']');
    cli_json_close(&j, '}');
}

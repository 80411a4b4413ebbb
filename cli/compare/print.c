// The work-precision table of `trammel compare`: as text, CSV, JSON and diagram.
#define _POSIX_C_SOURCE 200809L
#include "cli/common/print.h"
#include "compare.h"

#include "base/csv.h"
#include "base/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/plot.h>

static const char *outcome_name(tml_compare_outcome o)
{
    switch (o) {
    case TML_COMPARE_DONE: return "done";
    case TML_COMPARE_REFERENCE: return "reference";
    case TML_COMPARE_FAILED: return "failed";
    case TML_COMPARE_STOPPED: return "stopped";
    case TML_COMPARE_LEFT_OUT: break;
    }
    return "left out";
}

static bool has_run(const tml_compare_row *r) { return r->outcome != TML_COMPARE_LEFT_OUT; }
static bool finished(const tml_compare_row *r)
{
    return r->outcome == TML_COMPARE_DONE || r->outcome == TML_COMPARE_REFERENCE;
}

// ---- text -------------------------------------------------------------------------------------------------

// "1.2e-05", with '~' if it is less than twice the estimated error of the reference.
static const char *error_text(double error, double uncertainty, bool *doubtful, char buf[24])
{
    if (isnan(error)) snprintf(buf, 24, "-");
    else if (error < 2 * uncertainty) {
        *doubtful = true;
        snprintf(buf, 24, "~%.1e", error);
    } else snprintf(buf, 24, "%.1e", error);
    return buf;
}

static void print_errors(FILE *out, const tml_errors *e)
{
    fprintf(out, "%.1e position, %.1e velocity", e->position, e->velocity);
    if (!isnan(e->multiplier)) fprintf(out, ", %.1e multiplier", e->multiplier);
}

static void print_head(const tml_comparison *c, const char *title, int threads, FILE *out)
{
    fprintf(out, "%s\n", title);
    if (c->reference[0]) {
        fprintf(out, "  reference    %s", c->reference);
        if (c->check[0]) {
            fprintf(out, ", checked by %s;\n               its estimated error is ", c->check);
            print_errors(out, &c->uncertainty);
        } else fputs(", not checked", out);
        fputc('\n', out);
    } else cli_fact(out, "reference", "NONE, so the errors are unknown: %s", c->check);
    fprintf(out, "  errors       largest at %d output time%s; lengths over %.3g m", c->output_times,
            tmli_plural(c->output_times), c->length);
    if (c->velocity_scale > 0) fprintf(out, ", velocities over %.3g m/s", c->velocity_scale);
    if (c->force_scale > 0) fprintf(out, ",\n               reactions over %.3g N", c->force_scale);
    fprintf(out, "\n  time         CPU time of each run; total wall time %.3g s", c->wall_seconds);
    if (threads != 1) fputs(" with parallel runs", out);
    fputs("\n\n", out);
}

// Rows with the same note share its number.
static int note_number(const tml_comparison *c, int row)
{
    int number = 0;
    for (int i = 0; i <= row; i++) {
        if (!c->rows[i].note[0]) continue;
        int first = 0;
        while (strcmp(c->rows[first].note, c->rows[i].note) != 0) first++;
        if (first == i) number++;
        if (i == row && first != i) return note_number(c, first);
    }
    return number;
}

static void print_row(const tml_comparison *c, int i, int width, bool *doubtful, FILE *out)
{
    const tml_compare_row *r = &c->rows[i];
    const tml_errors *u = &c->uncertainty;
    char a[24], b[24], d[24];
    fprintf(out, "  %-*s  %7.1e", width, r->method, r->step > 0 ? r->step : r->tol);
    if (finished(r))
        fprintf(out, "  %8s  %8s  %8s", error_text(r->error.position, u->position, doubtful, a),
                error_text(r->error.velocity, u->velocity, doubtful, b),
                error_text(r->error.multiplier, u->multiplier, doubtful, d));
    else fprintf(out, "  %-28s", outcome_name(r->outcome));
    if (has_run(r))
        fprintf(out, "  %9ld  %5ld  %5ld  %9ld  %7ld  %8.3g", r->count.steps, r->count.rejected_error,
                r->count.rejected_newton, r->count.iterations, r->count.factorizations, r->cpu_seconds);
    else fprintf(out, "  %9s  %5s  %5s  %9s  %7s  %8s", "-", "-", "-", "-", "-", "-");
    if (r->note[0]) fprintf(out, "  (%d)", note_number(c, i));
    fputc('\n', out);
}

void compare_print(const tml_comparison *c, const char *title, int threads, FILE *out)
{
    const int width = CLI_WIDEST((int)strlen("method"), c->rows, c->row_count, tml_compare_row, method);
    bool doubtful = false;
    print_head(c, title, threads, out);
    fprintf(out, "  %-*s  %7s  %28s  %9s  %12s  %9s  %7s  %8s\n", width, "", "",
            "------ largest error -------", "", "- rejected -", "Newton", "factor-", "time");
    fprintf(out, "  %-*s  %7s  %8s  %8s  %8s  %9s  %5s  %5s  %9s  %7s  %8s\n", width, "method",
            c->rows[0].step > 0 ? "step" : "tol", "position", "velocity", "multipl.", "steps", "error",
            "Newt.", "iterat.", "izat.", "[s]");
    for (int i = 0; i < c->row_count; i++) {
        if (i > 0 && strcmp(c->rows[i].method, c->rows[i - 1].method) != 0) fputc('\n', out);
        print_row(c, i, width, &doubtful, out);
    }
    bool head = false;
    if (doubtful) {
        fputs("\n  ~    less than twice the estimated error of the reference\n", out);
        head = true;
    }
    int printed = 0;
    for (int i = 0; i < c->row_count; i++) {
        if (!c->rows[i].note[0] || note_number(c, i) <= printed) continue;
        if (!head) fputc('\n', out);
        head = true;
        fprintf(out, "  (%d)  ", ++printed);
        cli_wrap(out, c->rows[i].note, 7, 7);
    }
    for (int i = 0; i < c->skipped_count; i++) {
        if (!head) fputc('\n', out);
        head = true;
        fputs("  not compared: ", out);
        cli_wrap(out, c->skipped[i], 7, 16);
    }
}

// ---- CSV and JSON -----------------------------------------------------------------------------------------

tml_status compare_write_csv(const tml_comparison *c, const char *path, const tml_env *env, tml_error *err)
{
    tmli_draft d;
    const tml_status st = tmli_draft_open(&d, path, env, err);
    if (st != TML_OK) return st;
    FILE *const f = d.out;
    fputs("method,tol,step,outcome,position_error,velocity_error,multiplier_error,steps,rejected_error,"
          "rejected_newton,"
          "newton_iterations,factorizations,cpu_seconds,t_end,note\n",
          f);
    for (int i = 0; i < c->row_count; i++) {
        const tml_compare_row *r = &c->rows[i];
        tmli_csv_put_text(f, r->method, TMLI_CSV_IF_NEEDED, ',');
        tmli_csv_put_known(f, r->step > 0 ? NAN : r->tol, ',');
        tmli_csv_put_known(f, r->step > 0 ? r->step : NAN, ',');
        tmli_csv_put_text(f, outcome_name(r->outcome), TMLI_CSV_IF_NEEDED, ',');
        tmli_csv_put_known(f, r->error.position, ',');
        tmli_csv_put_known(f, r->error.velocity, ',');
        tmli_csv_put_known(f, r->error.multiplier, ',');
        if (has_run(r)) {
            fprintf(f, "%ld,%ld,%ld,%ld,%ld,", r->count.steps, r->count.rejected_error,
                    r->count.rejected_newton, r->count.iterations, r->count.factorizations);
            tmli_csv_put_known(f, r->cpu_seconds, ',');
            tmli_csv_put_known(f, r->t, ',');
        } else fputs(",,,,,,,", f);
        tmli_csv_put_text(f, r->note, TMLI_CSV_ALWAYS, '\n');
    }
    return tmli_draft_close(&d, TML_OK, err);
}

static void json_errors(tmli_json *j, const char *key, const tml_errors *e)
{
    tmli_json_object(j, key, "position %g velocity %g multiplier %g", e->position, e->velocity,
                     e->multiplier);
}

static void json_row(tmli_json *j, const tml_compare_row *r)
{
    tmli_json_open(j, NULL, '{');
    tmli_json_text(j, "method", r->method);
    if (r->step > 0) tmli_json_number(j, "step", r->step);
    else tmli_json_number(j, "tol", r->tol);
    tmli_json_members(j, "outcome %s status %s note %s", outcome_name(r->outcome), tml_status_name(r->status),
                      r->note[0] ? r->note : NULL);
    json_errors(j, "error", &r->error);
    tmli_json_members(j, "steps %ld rejected_error %ld rejected_newton %ld newton_iterations %ld",
                      r->count.steps, r->count.rejected_error, r->count.rejected_newton, r->count.iterations);
    tmli_json_members(j, "factorizations %ld cpu_seconds %g t %g", r->count.factorizations, r->cpu_seconds,
                      r->t);
    tmli_json_close(j, '}');
}

void compare_print_json(const tml_comparison *c, const char *model, const tml_run_def *run, int exit_status,
                        const tml_error *failure, FILE *out)
{
    tmli_json j = cli_json_begin(out, "compare", model, c && c->stopped ? TML_ERR_STOPPED : failure->status,
                                 exit_status, failure);
    if (c) {
        tmli_json_open(&j, "settings", '{');
        cli_settings_json(&j, run);
        tmli_json_close(&j, '}');
        tmli_json_open(&j, "reference", '{');
        tmli_json_members(&j, "name %s check %s", c->reference[0] ? c->reference : NULL,
                          c->check[0] ? c->check : NULL);
        json_errors(&j, "uncertainty", &c->uncertainty);
        tmli_json_close(&j, '}');
        tmli_json_members(&j, "length %g velocity_scale %g force_scale %g output_times %d wall_seconds %g",
                          c->length, c->velocity_scale, c->force_scale, c->output_times, c->wall_seconds);
        tmli_json_open(&j, "rows", '[');
        for (int i = 0; i < c->row_count; i++) json_row(&j, &c->rows[i]);
        tmli_json_close(&j, ']');
        tmli_json_texts(&j, "not_compared", c->skipped, c->skipped_count);
    }
    tmli_json_close(&j, '}');
}

// ---- diagram ----------------------------------------------------------------------------------------------

static double error_of(const tml_compare_row *r, int kind)
{
    return kind == COMPARE_POSITION   ? r->error.position
           : kind == COMPARE_VELOCITY ? r->error.velocity
                                      : r->error.multiplier;
}

// Rows of a method are adjacent.
static tml_status add_methods(tml_plot *plot, const tml_comparison *c, int kind, tml_error *err)
{
    double *x = calloc((size_t)c->row_count + 1, sizeof *x), *y = calloc((size_t)c->row_count + 1, sizeof *y);
    tml_status st = x && y ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for the diagram.");
    for (int i = 0; i < c->row_count && st == TML_OK;) {
        tml_series_def s = tml_series_def_default();
        s.name = c->rows[i].method;
        s.x = x;
        s.y = y;
        for (; i < c->row_count && strcmp(c->rows[i].method, s.name) == 0; i++) {
            if (c->rows[i].outcome != TML_COMPARE_DONE) continue;
            x[s.count] = c->rows[i].cpu_seconds;
            y[s.count++] = error_of(&c->rows[i], kind);
        }
        st = tml_plot_add(plot, &s, err);
    }
    free(x);
    free(y);
    return st;
}

// The estimated error of the reference, below which errors are meaningless.
static tml_status add_floor(tml_plot *plot, const tml_comparison *c, int kind, tml_error *err)
{
    const tml_compare_row floor = {.error = c->uncertainty};
    const double y = error_of(&floor, kind);
    double from = INFINITY, to = 0;
    for (int i = 0; i < c->row_count; i++) {
        const tml_compare_row *r = &c->rows[i];
        if (r->outcome != TML_COMPARE_DONE || !(error_of(r, kind) > 0) || !(r->cpu_seconds > 0)) continue;
        from = fmin(from, r->cpu_seconds);
        to = fmax(to, r->cpu_seconds);
    }
    if (!(y > 0) || !(to > from)) return TML_OK;
    return tml_plot_add_slope(plot, 0, from, y, to, "error of the reference", err);
}

tml_status compare_make_plot(const tml_comparison *c, const char *title, int error_kind, const tml_env *env,
                             tml_plot **out, tml_error *err)
{
    static const char *const labels[] = {"position error / model length", "velocity error / largest velocity",
                                         "multiplier error / largest reaction"};
    tml_plot_def def = tml_plot_def_default();
    def.title = title;
    def.x.label = "CPU time";
    def.x.unit = "s";
    def.y.label = labels[error_kind];
    def.x.kind = def.y.kind = TML_AXIS_LOG;
    tml_status st = tml_plot_create(&def, env, out, err);
    if (st == TML_OK) st = add_methods(*out, c, error_kind, err);
    if (st == TML_OK) st = add_floor(*out, c, error_kind, err);
    return st;
}

tml_status compare_draw(const tml_comparison *c, const char *title, int error_kind, const char *path,
                        const tml_env *env, tml_error *err)
{
    tml_plot *plot = NULL;
    tml_status st = compare_make_plot(c, title, error_kind, env, &plot, err);
    if (st == TML_OK) st = tml_plot_write(plot, path, err);
    tml_plot_destroy(plot);
    return st;
}

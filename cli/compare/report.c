// The work-precision table of `trammel compare`: as text, JSON, CSV, diagram and page.
#define _POSIX_C_SOURCE 200809L
#include "cli/common/html.h"
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

// ---- the report -------------------------------------------------------------------------------------------

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

static void put_errors(cli_report *out, const char *key, const tml_errors *e)
{
    cli_open(out, key, '{');
    cli_entry(out, "{position %.1e} position, {velocity %.1e} velocity", e->position, e->velocity);
    if (!isnan(e->multiplier)) cli_entry(out, ", %.1e multiplier", e->multiplier);
    cli_entry(out, "{-multiplier %g}", e->multiplier);
    cli_close(out, '}');
}

static void put_head(cli_report *out, const tml_comparison *c, int threads)
{
    const char *const reference = c->reference[0] ? c->reference : NULL;
    const char *const check = c->check[0] ? c->check : NULL;
    cli_open(out, "reference", '{');
    cli_text(out, "name", reference);
    cli_text(out, "check", check);
    cli_label(out, "reference");
    if (!reference) cli_entry(out, "NONE, so the errors are unknown: %s", c->check);
    else if (!check) cli_entry(out, "%s, not checked", reference);
    else cli_entry(out, "%s, checked by %s;\n               its estimated error is ", reference, check);
    out->silent = !reference || !check;
    put_errors(out, "uncertainty", &c->uncertainty);
    out->silent = false;
    cli_close(out, '}');
    cli_entry(out, "\n{-length %g velocity_scale %g force_scale %g}", c->length, c->velocity_scale,
              c->force_scale);
    cli_label(out, "errors");
    cli_entry(out, "largest at {output_times %d output time}; lengths over %.3g m", c->output_times,
              c->length);
    if (c->velocity_scale > 0) cli_entry(out, ", velocities over %.3g m/s", c->velocity_scale);
    if (c->force_scale > 0) cli_entry(out, ",\n               reactions over %.3g N", c->force_scale);
    cli_entry(out, "\n");
    cli_line(out, "time", "CPU time of each run; total wall time {wall_seconds %.3g} s%s\n", c->wall_seconds,
             threads != 1 ? " with parallel runs" : "");
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

static void put_row(cli_report *out, const tml_comparison *c, int i, int width, bool *doubtful)
{
    const tml_compare_row *r = &c->rows[i];
    const tml_errors *u = &c->uncertainty, *e = &r->error;
    const tml_counters *n = &r->count;
    char a[24], b[24], d[24];
    cli_open(out, NULL, '{');
    cli_entry(out, "  {method %-*s}", width, r->method);
    if (r->step > 0) cli_entry(out, "  {step %7.1e}", r->step);
    else cli_entry(out, "  {tol %7.1e}", r->tol);
    cli_entry(out, "{-outcome %s status %s note %s}", outcome_name(r->outcome), tml_status_name(r->status),
              r->note[0] ? r->note : NULL);
    cli_object(out, "error", "{-position %g velocity %g multiplier %g}", e->position, e->velocity,
               e->multiplier);
    if (finished(r))
        cli_entry(out, "  %8s  %8s  %8s", error_text(e->position, u->position, doubtful, a),
                  error_text(e->velocity, u->velocity, doubtful, b),
                  error_text(e->multiplier, u->multiplier, doubtful, d));
    else cli_entry(out, "  %-28s", outcome_name(r->outcome));
    if (!has_run(r)) cli_entry(out, "  %9s  %5s  %5s  %9s  %7s  %8s", "-", "-", "-", "-", "-", "-");
    out->silent = !has_run(r);
    cli_entry(out, "  {steps %9ld}  {rejected_error %5ld}  {rejected_newton %5ld}  {newton_iterations %9ld}",
              n->steps, n->rejected_error, n->rejected_newton, n->iterations);
    cli_entry(out, "  {factorizations %7ld}  {cpu_seconds %8.3g}{-t %g}", n->factorizations, r->cpu_seconds,
              r->t);
    out->silent = false;
    if (r->note[0]) cli_entry(out, "  (%d)", note_number(c, i));
    cli_entry(out, "\n");
    cli_close(out, '}');
}

// What stands below the table, after a blank line.
static void put_remarks(cli_report *out, const tml_comparison *c, bool doubtful)
{
    int printed = 0;
    bool any = doubtful || c->skipped_count > 0;
    for (int i = 0; i < c->row_count; i++) any |= c->rows[i].note[0] != 0;
    if (any) cli_entry(out, "\n");
    if (doubtful) cli_entry(out, "  ~    less than twice the estimated error of the reference\n");
    for (int i = 0; i < c->row_count; i++) {
        if (!c->rows[i].note[0] || note_number(c, i) <= printed) continue;
        cli_entry(out, "  (%d)  ", ++printed);
        cli_wrapped(out, c->rows[i].note, 7, 7);
    }
    for (int i = 0; i < c->skipped_count; i++) {
        cli_entry(out, "  not compared: ");
        cli_wrapped(out, c->skipped[i], 7, 16);
    }
    cli_texts(out, "not_compared", c->skipped, c->skipped_count);
}

void compare_report(cli_report *out, const tml_comparison *c, const char *title, int threads)
{
    const int width = CLI_WIDEST((int)strlen("method"), c->rows, c->row_count, tml_compare_row, method);
    bool doubtful = false;
    cli_entry(out, "%s\n", title);
    put_head(out, c, threads);
    cli_entry(out, "  %-*s  %7s  %28s  %9s  %12s  %9s  %7s  %8s\n", width, "", "",
              "------ largest error -------", "", "- rejected -", "Newton", "factor-", "time");
    cli_entry(out, "  %-*s  %7s  %8s  %8s  %8s  %9s  %5s  %5s  %9s  %7s  %8s\n", width, "method",
              c->rows[0].step > 0 ? "step" : "tol", "position", "velocity", "multipl.", "steps", "error",
              "Newt.", "iterat.", "izat.", "[s]");
    cli_open(out, "rows", '[');
    for (int i = 0; i < c->row_count; i++) {
        if (i > 0 && strcmp(c->rows[i].method, c->rows[i - 1].method) != 0) cli_entry(out, "\n");
        put_row(out, c, i, width, &doubtful);
    }
    cli_close(out, ']');
    put_remarks(out, c, doubtful);
}

// ---- CSV --------------------------------------------------------------------------------------------------

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

static tml_status make_plot(const tml_comparison *c, const char *title, int error_kind, const tml_env *env,
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
    tml_status st = make_plot(c, title, error_kind, env, &plot, err);
    if (st == TML_OK) st = tml_plot_write(plot, path, err);
    tml_plot_destroy(plot);
    return st;
}

// ---- the page ---------------------------------------------------------------------------------------------

static tml_status put_diagrams(const cli_html *h, const tml_comparison *c, tml_error *err)
{
    static const char *const titles[] = {"Positions", "Velocities", "Reactions"};
    tml_status st = TML_OK;
    for (int kind = COMPARE_POSITION; kind <= COMPARE_MULTIPLIER && st == TML_OK; kind++) {
        tml_plot *plot = NULL;
        cli_html_heading(h, titles[kind]);
        st = make_plot(c, NULL, kind, NULL, &plot, err);
        if (st == TML_OK) st = cli_html_plot(h, plot, err);
        tml_plot_destroy(plot);
    }
    return st;
}

tml_status compare_write_html(const tml_comparison *c, const char *title, const char *file, int threads,
                              const char *path, const tml_env *env, tml_error *err)
{
    cli_html h;
    tml_status st = cli_html_begin(&h, path, title, file, env, err);
    if (st != TML_OK) return st;
    cli_html_paragraph(&h, "Error over CPU time: a line per method, a marker per tolerance. Lower left is "
                           "better.");
    st = put_diagrams(&h, c, err);
    cli_report table = cli_html_table(&h);
    compare_report(&table, c, title, threads);
    st = cli_html_table_end(&h, st, err);
    return cli_html_end(&h, st, err);
}

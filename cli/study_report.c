// What the table of a study says: statistics, correlations, Sobol indices, diagrams.
#include "html.h"
#include "study.h"

#include "base/base.h"
#include "base/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/plot.h>

enum { MOST_DIAGRAMS = 60 };

static const char *column_name(const tml_study *s, int column)
{
    const int n = tml_study_parameter_count(s);
    return column < n ? tml_study_parameter_name(s, column) : tml_study_quantity_name(s, column - n);
}

static int columns(const tml_study *s) { return tml_study_parameter_count(s) + tml_study_quantity_count(s); }

// ---- text -------------------------------------------------------------------------------------------------

static int longest(const tml_study *s)
{
    int width = 8;
    for (int i = 0; i < columns(s); i++)
        if ((int)strlen(column_name(s, i)) > width) width = (int)strlen(column_name(s, i));
    return width > 30 ? 30 : width;
}

static void print_number(double x)
{
    if (isnan(x)) printf("  %10s", "-");
    else printf("  %10.2f", x);
}

tml_status study_print_table(const tml_study *s, const tml_study_table *t, tml_error *err)
{
    const int width = longest(s), np = tml_study_parameter_count(s), nq = tml_study_quantity_count(s);
    printf("\n%-*s  %12s  %12s  %12s  %12s  %12s\n", width, "quantity", "least", "mean", "most", "deviation",
           "median");
    for (int q = 0; q < nq; q++) {
        tml_study_statistics x;
        const tml_status st = tml_study_table_statistics(t, np + q, &x, err);
        if (st != TML_OK) return st;
        printf("%-*.30s  %12.6g  %12.6g  %12.6g  %12.6g  %12.6g\n", width, column_name(s, np + q), x.least,
               x.mean, x.most, x.deviation, x.median);
    }
    const bool indices = tml_study_has_indices(s);
    const int first = indices && width < 17 ? 17 : width < 11 ? 11 : width;
    printf("\n%-*s", first, indices ? "share of variance" : "correlation");
    for (int p = 0; p < np; p++) printf("  %10.10s", column_name(s, p));
    putchar('\n');
    for (int q = 0; q < nq; q++) {
        printf("%-*.30s", first, column_name(s, np + q));
        for (int p = 0; p < np; p++) {
            tml_study_indices x = {0};
            double r = NAN;
            const tml_status st = indices ? tml_study_sobol(s, t, p, q, &x, err)
                                          : tml_study_table_correlation(t, p, np + q, &r, err);
            if (st != TML_OK) return st;
            print_number(indices ? x.total : r);
        }
        putchar('\n');
    }
    return TML_OK;
}

// ---- page -------------------------------------------------------------------------------------------------

// The colours are those of the viewer.
static const char head[] =
    "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n<style>\n"
    ":root{--paper:#fff;--line:#dde2e9;--ink:#20252c;--ink-soft:#66707d;--accent:#2767c4}\n"
    "body{font:14px/1.5 system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:var(--ink);"
    "background:var(--paper);max-width:1100px;margin:2em auto;padding:0 1em}\n"
    "h1{font-size:22px}h2{font-size:16px;margin-top:2em;color:var(--accent)}\n"
    "table{border-collapse:collapse}td,th{padding:2px 12px;text-align:right;"
    "border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}\n"
    "th{color:var(--ink-soft);font-weight:500}td:first-child,th:first-child{text-align:left}\n"
    ".plots{display:flex;flex-wrap:wrap;gap:12px}\n"
    "</style>\n";

static tml_status write_statistics(const cli_html *h, const tml_study *s, const tml_study_table *t,
                                   tml_error *err)
{
    FILE *const out = h->out;
    fputs("<h2>Statistics</h2>\n<table><tr><th>column</th><th>least</th><th>5 %</th><th>median</th>"
          "<th>95 %</th><th>most</th><th>mean</th><th>deviation</th><th>values</th></tr>\n",
          out);
    for (int i = 0; i < columns(s); i++) {
        tml_study_statistics x;
        const tml_status st = tml_study_table_statistics(t, i, &x, err);
        if (st != TML_OK) return st;
        fputs("<tr><td>", out);
        cli_html_text(h, column_name(s, i));
        const double numbers[] = {x.least, x.low, x.median, x.high, x.most, x.mean, x.deviation};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            fprintf(out, "</td><td>%.6g", numbers[k]);
        fprintf(out, "</td><td>%ld</td></tr>\n", x.count);
    }
    fputs("</table>\n", out);
    return TML_OK;
}

static void write_cell(FILE *out, double x)
{
    if (isnan(x)) fputs("<td>-</td>", out);
    else fprintf(out, "<td style=\"background:rgba(39,103,196,%.2f)\">%.2f</td>", 0.5 * fmin(fabs(x), 1), x);
}

// A table of parameters by quantities. kind 0: rank correlation, 1: first, 2: total Sobol index.
static tml_status write_matrix(const cli_html *h, const tml_study *s, const tml_study_table *t, int kind,
                               tml_error *err)
{
    FILE *const out = h->out;
    static const char *const titles[] = {"Rank correlation", "Share of variance: by the parameter alone",
                                         "Share of variance: with its interactions"};
    const int np = tml_study_parameter_count(s), nq = tml_study_quantity_count(s);
    fprintf(out, "<h2>%s</h2>\n<table><tr><th></th>", titles[kind]);
    for (int p = 0; p < np; p++) {
        fputs("<th>", out);
        cli_html_text(h, column_name(s, p));
        fputs("</th>", out);
    }
    fputs("</tr>\n", out);
    for (int q = 0; q < nq; q++) {
        fputs("<tr><td>", out);
        cli_html_text(h, column_name(s, np + q));
        fputs("</td>", out);
        for (int p = 0; p < np; p++) {
            tml_study_indices x = {0};
            double r = NAN;
            const tml_status st = kind ? tml_study_sobol(s, t, p, q, &x, err)
                                       : tml_study_table_correlation(t, p, np + q, &r, err);
            if (st != TML_OK) return st;
            write_cell(out, kind == 1 ? x.first : kind == 2 ? x.total : r);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
    return TML_OK;
}

static tml_status write_diagram(const tmli_draft *page, const tml_study *s, const tml_study_table *t, int x,
                                int y, double *values, tml_error *err)
{
    const long rows = tml_study_table_count(t);
    tml_plot *plot = NULL;
    tml_plot_def def = tml_plot_def_default();
    tml_series_def series = tml_series_def_default();
    def.x.label = column_name(s, x);
    def.y.label = column_name(s, y);
    def.width = 340;
    def.height = 260;
    for (long i = 0; i < rows; i++) {
        values[i] = tml_study_table_values(t, i)[x];
        values[rows + i] = tml_study_table_values(t, i)[y];
    }
    series.count = (int)rows;
    series.x = values;
    series.y = values + rows;
    series.line = TML_LINE_NONE;
    series.marker = TML_MARKER_CIRCLE;
    tml_status st = tml_plot_create(&def, NULL, &plot, err);
    if (st == TML_OK) st = tml_plot_add(plot, &series, err);
    if (st == TML_OK) st = cli_draft_plot(page, plot, err);
    tml_plot_destroy(plot);
    return st;
}

static tml_status write_diagrams(const tmli_draft *page, const tml_study *s, const tml_study_table *t,
                                 tml_error *err)
{
    enum { MOST_POINTS = 100000 };
    const int np = tml_study_parameter_count(s), nq = tml_study_quantity_count(s);
    const long rows = tml_study_table_count(t);
    if (rows < 2 || rows > MOST_POINTS) return TML_OK;
    double *values = calloc(2 * (size_t)rows, sizeof *values);
    tml_status st = values ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for diagrams.");
    int drawn = 0;
    fputs("<h2>Diagrams</h2>\n<div class=\"plots\">\n", page->out);
    for (int q = 0; q < nq && st == TML_OK; q++) {
        tml_study_statistics x;
        st = tml_study_table_statistics(t, np + q, &x, err);
        if (st != TML_OK || !(x.most > x.least)) continue;  // nothing to see
        for (int p = 0; p < np && st == TML_OK && drawn < MOST_DIAGRAMS; p++, drawn++)
            st = write_diagram(page, s, t, p, np + q, values, err);
    }
    fputs("</div>\n", page->out);
    free(values);
    return st;
}

static void write_failures(const cli_html *h, const tml_study_table *t)
{
    FILE *const out = h->out;
    enum { MOST = 100 };
    long failed = 0;
    for (long i = 0; i < tml_study_table_count(t); i++) {
        const char *message = tml_study_table_message(t, i);
        if (!message[0] || ++failed > MOST) continue;
        if (failed == 1) fputs("<h2>Members that failed</h2>\n<table>\n", out);
        fprintf(out, "<tr><td>%ld</td><td style=\"text-align:left\">", tml_study_table_member(t, i));
        cli_html_text(h, message);
        fputs("</td></tr>\n", out);
    }
    if (failed > 0) fputs("</table>\n", out);
    if (failed > MOST) fprintf(out, "<p>%ld more are in the table.</p>\n", failed - MOST);
}

tml_status study_write_report(const tml_study *s, const tml_study_table *t, const char *path, tml_error *err)
{
    cli_html h = {0};
    tml_status st = tmli_draft_open(&h.draft, path, NULL, err);
    if (st != TML_OK) return st;
    FILE *const out = h.out = h.draft.out;
    fputs("<!doctype html>\n<html lang=\"en\"><head><title>", out);
    cli_html_text(&h, tml_study_title(s));
    fprintf(out, "</title>\n%s</head><body>\n<h1>", head);
    cli_html_text(&h, tml_study_title(s));
    fprintf(out, "</h1>\n<p>%ld of %ld members</p>\n", tml_study_table_count(t), tml_study_member_count(s));
    st = write_statistics(&h, s, t, err);
    const int last = tml_study_has_indices(s) ? 2 : 0;
    for (int kind = last ? 1 : 0; kind <= last && st == TML_OK; kind++)
        st = write_matrix(&h, s, t, kind, err);
    if (st == TML_OK) st = write_diagrams(&h.draft, s, t, err);
    write_failures(&h, t);
    fputs("</body></html>\n", out);
    return tmli_draft_close(&h.draft, st, err);
}

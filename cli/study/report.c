// What the table of a study says: statistics, correlations, Sobol indices, diagrams.
#include "cli/common/html.h"
#include "study.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

enum {
    FEW_MEMBERS = 24,  // whose rows are printed
    FEW_COLUMNS = 10   // of such rows; wider ones are in the table
};

const char *study_column_name(const tml_study *s, int column)
{
    const int n = tml_study_parameter_count(s);
    return column < n ? tml_study_parameter_name(s, column) : tml_study_quantity_name(s, column - n);
}

const char *study_column_label(const tml_study *s, int column, char buf[STUDY_LABEL])
{
    const char *unit = tml_study_column_unit(s, column);
    snprintf(buf, STUDY_LABEL, unit[0] ? "%.80s [%.40s]" : "%.80s", study_column_name(s, column), unit);
    return buf;
}

static int columns(const tml_study *s) { return tml_study_parameter_count(s) + tml_study_quantity_count(s); }

// ---- text -------------------------------------------------------------------------------------------------

static int longest(const tml_study *s)
{
    int width = 8;
    for (int i = 0; i < columns(s); i++) {
        char label[STUDY_LABEL];
        const int length = (int)strlen(study_column_label(s, i, label));
        if (length > width) width = length;
    }
    return width > 30 ? 30 : width;
}

static void print_number(double x)
{
    if (isnan(x)) printf("  %10s", "-");
    else printf("  %10.2f", x);
}

// The rows of few members, one line each.
static void print_rows(const tml_study *s, const tml_study_table *t)
{
    const long rows = tml_study_table_count(t);
    const int n = columns(s);
    if (rows > FEW_MEMBERS || n > FEW_COLUMNS) return;
    int width[FEW_COLUMNS];
    printf("\nmember");
    for (int i = 0; i < n; i++) {
        char label[STUDY_LABEL];
        const int length = (int)strlen(study_column_label(s, i, label));
        width[i] = length > 10 ? length : 10;
        printf("  %*s", width[i], label);
    }
    putchar('\n');
    for (long r = 0; r < rows; r++) {
        const double *x = tml_study_table_values(t, r);
        const char *message = tml_study_table_message(t, r);
        printf("%6ld", tml_study_table_member(t, r));
        for (int i = 0; i < n && !(message[0] && i >= tml_study_parameter_count(s)); i++)
            printf("  %*.6g", width[i], x[i]);
        printf("%s%.300s\n", message[0] ? "  failed: " : "", CLI_VISIBLE(message));
    }
}

tml_status study_print_table(const tml_study *s, const tml_study_table *t, tml_error *err)
{
    const int width = longest(s), np = tml_study_parameter_count(s), nq = tml_study_quantity_count(s);
    char label[STUDY_LABEL];
    print_rows(s, t);
    printf("\n%-*s  %12s  %12s  %12s  %12s  %12s\n", width, "quantity", "least", "mean", "most", "deviation",
           "median");
    for (int q = 0; q < nq; q++) {
        tml_study_statistics x;
        const tml_status st = tml_study_table_statistics(t, np + q, &x, err);
        if (st != TML_OK) return st;
        printf("%-*.30s  %12.6g  %12.6g  %12.6g  %12.6g  %12.6g\n", width,
               study_column_label(s, np + q, label), x.least, x.mean, x.most, x.deviation, x.median);
    }
    const bool indices = tml_study_has_indices(s);
    const int first = indices && width < 17 ? 17 : width < 11 ? 11 : width;
    printf("\n%-*s", first, indices ? "share of variance" : "correlation");
    for (int p = 0; p < np; p++) printf("  %10.10s", study_column_name(s, p));
    putchar('\n');
    for (int q = 0; q < nq; q++) {
        printf("%-*.30s", first, study_column_name(s, np + q));
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

static tml_status write_statistics(const cli_html *h, const tml_study *s, const tml_study_table *t,
                                   tml_error *err)
{
    FILE *const out = h->out;
    char label[STUDY_LABEL];
    fputs("<h2>Statistics</h2>\n<table><tr><th>column</th><th class=\"n\">least</th><th class=\"n\">5 %</th>"
          "<th class=\"n\">median</th><th class=\"n\">95 %</th><th class=\"n\">most</th><th "
          "class=\"n\">mean</th>"
          "<th class=\"n\">deviation</th><th class=\"n\">values</th></tr>\n",
          out);
    for (int i = 0; i < columns(s); i++) {
        tml_study_statistics x;
        const tml_status st = tml_study_table_statistics(t, i, &x, err);
        if (st != TML_OK) return st;
        fputs("<tr><td>", out);
        cli_html_text(h, study_column_label(s, i, label));
        const double numbers[] = {x.least, x.low, x.median, x.high, x.most, x.mean, x.deviation};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            fprintf(out, "</td><td class=\"n\">%.6g", numbers[k]);
        fprintf(out, "</td><td class=\"n\">%ld</td></tr>\n", x.count);
    }
    fputs("</table>\n", out);
    return TML_OK;
}

static void write_cell(FILE *out, double x)
{
    if (isnan(x)) fputs("<td class=\"n\">-</td>", out);
    else
        fprintf(out, "<td class=\"n\" style=\"background:rgba(39,103,196,%.2f)\">%.2f</td>",
                0.5 * fmin(fabs(x), 1), x);
}

// A table of parameters by quantities. kind 0: rank correlation, 1: first, 2: total Sobol index.
static tml_status write_matrix(const cli_html *h, const tml_study *s, const tml_study_table *t, int kind,
                               tml_error *err)
{
    FILE *const out = h->out;
    static const char *const titles[] = {"Rank correlation", "Share of variance: by the parameter alone",
                                         "Share of variance: with its interactions"};
    const int np = tml_study_parameter_count(s), nq = tml_study_quantity_count(s);
    fprintf(out, "<h2>%s</h2>\n<table><tr><td></td>", titles[kind]);
    for (int p = 0; p < np; p++) {
        fputs("<th class=\"n\">", out);
        cli_html_text(h, study_column_name(s, p));
        fputs("</th>", out);
    }
    fputs("</tr>\n", out);
    for (int q = 0; q < nq; q++) {
        fputs("<tr><td>", out);
        cli_html_text(h, study_column_name(s, np + q));
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

static void write_failures(const cli_html *h, const tml_study_table *t)
{
    FILE *const out = h->out;
    enum { MOST = 100 };
    long failed = 0;
    for (long i = 0; i < tml_study_table_count(t); i++) {
        const char *message = tml_study_table_message(t, i);
        if (!message[0] || ++failed > MOST) continue;
        if (failed == 1) fputs("<h2>Members that failed</h2>\n<table>\n", out);
        fprintf(out, "<tr><td>%ld</td><td>", tml_study_table_member(t, i));
        cli_html_text(h, message);
        fputs("</td></tr>\n", out);
    }
    if (failed > 0) fputs("</table>\n", out);
    if (failed > MOST) fprintf(out, "<p>%ld more are in the table.</p>\n", failed - MOST);
}

tml_status study_write_report(const tml_study *s, const tml_study_table *t, long best, const char *path,
                              const tml_env *env, tml_error *err)
{
    cli_html h;
    char below[80];
    snprintf(below, sizeof below, "%ld of %s%ld members", tml_study_table_count(t),
             tml_study_optimizes(s) ? "at most " : "", tml_study_member_count(s));
    tml_status st = cli_html_begin(&h, path, tml_study_title(s), below, env, err);
    if (st != TML_OK) return st;
    if (tml_study_optimizes(s)) st = study_write_optimum(&h, s, t, best, err);
    if (st == TML_OK) st = write_statistics(&h, s, t, err);
    const int last = tml_study_has_indices(s) ? 2 : 0;
    for (int kind = last ? 1 : 0; kind <= last && st == TML_OK; kind++)
        st = write_matrix(&h, s, t, kind, err);
    if (st == TML_OK) st = study_write_diagrams(&h, s, t, err);
    write_failures(&h, t);
    return cli_html_end(&h, st, err);
}

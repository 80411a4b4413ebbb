// trammel stats: least and largest values of channels, where they are, means.
#include "cli/common/cli.h"
#include "cli/common/curves.h"
#include "cli/common/report.h"

#include "base/base.h"
#include "math/extremes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct stats_values {
    const char *result;
    cli_list what;
    bool json;
} stats_values;

#define AT(member) offsetof(stats_values, member)
static const cli_option options[] = {
    CLI_OPTION_ARGUMENT("RESULT", CLI_ARGUMENT, AT(result), CLI_FILE_READ, "result file (.h5, .csv)"),
    CLI_OPTION_ARGUMENT(
        "EXPR", CLI_ARGUMENTS, AT(what), CLI_FILE_NONE,
        "channels, patterns of them such as 'pin.*', or expressions; none: all channels that change"),
    CLI_OPTION_FLAG("--json", 0, AT(json), "print the table as JSON"),
};
#undef AT

static void put_table(cli_report *r, const cli_curve *curves, const double *t, size_t rows, int count)
{
    const int longest = CLI_WIDEST(7, curves, count, cli_curve, text), width = longest > 40 ? 40 : longest;
    cli_entry(r, "%-*s  %12s  %10s  %12s  %10s  %12s  %12s  unit\n", width, "channel", "min", "at t", "max",
              "at t", "mean", "rms");
    cli_open(r, NULL, '[');
    for (int i = 0; i < count; i++) {
        const tmli_extremes e = tmli_find_extremes(t, curves[i].value, rows);
        cli_object(r, NULL,
                   "{name %-*s}{-unit %s}  {min %12.6g}  {t_min %10.6g}  {max %12.6g}  {t_max %10.6g}  {mean "
                   "%12.6g}  "
                   "{rms %12.6g}{-first %g last %g}  %s\n",
                   width, curves[i].text, curves[i].unit, e.least, e.least_at, e.most, e.most_at, e.mean,
                   e.rms, e.first, e.last, curves[i].unit);
    }
    cli_close(r, ']');
}

static bool changes(const cli_curve *c, size_t rows)
{
    for (size_t i = 1; i < rows; i++)
        if (memcmp(&c->value[i], &c->value[0], sizeof(double)) != 0) return true;
    return false;
}

// The curves that are wanted; *count of them, freed by the caller.
static tml_status load(const stats_values *v, const tml_result *r, cli_curve **out, int *count,
                       tml_error *err)
{
    const int all = tml_result_channel_count(r), wanted = v->what.count;
    cli_curve *curves = *out = calloc((size_t)(wanted + all) + 1, sizeof *curves);
    if (!curves) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the table.");
    tml_status st = TML_OK;
    for (int i = 0; i < (wanted ? wanted : all) && st == TML_OK; i++) {
        const char *name = wanted ? v->what.items[i] : tml_result_channel_name(r, i);
        if (!wanted && strcmp(name, "t") == 0) continue;
        st = cli_curve_eval(r, name, &curves[*count], err);
        if (st != TML_OK) break;
        if (wanted || changes(&curves[*count], tml_result_row_count(r))) ++*count;
        else free(curves[*count].value);
    }
    return st;
}

static tml_status run(void *values, cli_call *c)
{
    stats_values *v = values;
    const cli_list given = v->what;
    tml_result *r = NULL;
    cli_curve *curves = NULL;
    int count = 0;
    double *t = NULL;
    tml_status st = tml_result_open(v->result, &c->env, &r, &c->err);
    if (st == TML_OK) st = cli_curve_names(r, &given, &v->what, &c->err);
    if (st == TML_OK) st = load(v, r, &curves, &count, &c->err);
    if (st == TML_OK) {
        t = cli_curve_times(r);
        if (!t) st = tmli_fail(&c->err, TML_ERR_NOMEM, "No memory for the times.");
    }
    cli_report table = cli_report_bare(v->json);
    if (st == TML_OK) put_table(&table, curves, t, tml_result_row_count(r), count);
    for (int i = 0; i < count; i++) free(curves[i].value);
    free(curves);
    free(t);
    if (v->what.items != given.items) free((void *)v->what.items);
    v->what = given;
    tml_result_close(r);
    return st;
}

const cli_command cli_command_stats = {
    .name = "stats",
    .summary = "Print the least and largest values of a result with their times, means and rms.",
    .notes = "Peaks are found between rows too: a parabola through three of them, where the curve is smooth. "
             "Means are over time.\n"
             "\n"
             "  trammel stats hmmwv.h5\n"
             "  trammel stats hmmwv.h5 height tyre_f1.force \"sqrt(rack_lock.fx^2 + rack_lock.fy^2)\"\n",
    CLI_OPTIONS(stats_values),
    .run = run,
};

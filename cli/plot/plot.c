// trammel plot: channels of results, and expressions of them, as a diagram. Each unit has a diagram of its
// own, below the others.
#include "cli/common/cli.h"
#include "cli/common/curves.h"

#include "base/base.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/plot.h>

typedef struct plot_values {
    const char *result, *out, *over, *title, *label;
    cli_list what, more;
    double from, to, highest, width, height;
    bool log, spectrum, together;
} plot_values;

enum { PANELS = 12 };

static const char default_out[] = "plot.svg";  // said, since nobody has named it

#define AT(member) offsetof(plot_values, member)
static const cli_option options[] = {
    CLI_OPTION_ARGUMENT("RESULT", CLI_ARGUMENT, AT(result), CLI_FILE_READ, "result file (.h5, .csv)"),
    CLI_OPTION_ARGUMENT("EXPR", CLI_ARGUMENTS, AT(what), CLI_FILE_NONE,
                        "channels, patterns of them such as 'pin.*', or expressions, a line each"),
    {.name = "--out",
     .kind = CLI_TEXT,
     .offset = AT(out),
     .arg = "FILE",
     .letter = 'o',
     .doc = "the diagram (.svg, .pdf, .png)",
     .fallback = default_out,
     .file = CLI_FILE_WRITTEN},
    CLI_OPTION_TEXT("--over", 0, AT(over), "EXPR", CLI_FILE_NONE,
                    "abscissa instead of the time: a channel or expression"),
    CLI_OPTION_LIST("--with", AT(more), "RESULT", CLI_FILE_READ,
                    "another result with the same channels, drawn over the first; may be repeated"),
    CLI_OPTION_NUMBER("--from", CLI_NUMBER, TMLI_RANGE_ANY, AT(from), "T", NULL, "first time [s]"),
    CLI_OPTION_NUMBER("--to", CLI_NUMBER, TMLI_RANGE_ANY, AT(to), "T", NULL, "last time [s]"),
    CLI_OPTION_FLAG("--spectrum", 0, AT(spectrum),
                    "amplitudes over the frequency: a sine of amplitude A has a peak of A"),
    CLI_OPTION_NUMBER("--highest", CLI_NUMBER, TMLI_RANGE_POSITIVE, AT(highest), "HZ", NULL,
                      "with --spectrum: end of the axis [Hz] instead of half the rate of the rows"),
    CLI_OPTION_FLAG("--log", 0, AT(log), "logarithmic ordinate"),
    CLI_OPTION_FLAG("--together", 0, AT(together),
                    "all lines on one axis; otherwise each unit has a diagram of its own, below the others"),
    CLI_OPTION_TEXT("--title", 0, AT(title), "TEXT", CLI_FILE_NONE, "title of the diagram"),
    CLI_OPTION_TEXT("--label", 0, AT(label), "TEXT", CLI_FILE_NONE, "label of the ordinate"),
    CLI_OPTION_NUMBER("--width", CLI_NUMBER, TMLI_RANGE_POSITIVE, AT(width), "PX", "640",
                      "width [px = 1/96 inch]"),
    CLI_OPTION_NUMBER("--height", CLI_NUMBER, TMLI_RANGE_POSITIVE, AT(height), "PX", "400",
                      "height [px], of several diagrams 60 % more for each"),
};
#undef AT

// The name of a file without its folder and its ending, for the legend.
static void short_name(const char *path, char *buf, size_t size)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    snprintf(buf, size, "%.*s", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

// The rows first .. last - 1 between --from and --to, of a result with the times t.
static tml_status choose_rows(const plot_values *v, const tml_result *r, const char *path, const double *t,
                              size_t *first, size_t *last, tml_error *err)
{
    const size_t rows = tml_result_row_count(r);
    for (*first = 0, *last = rows; *first < rows && cli_is_beyond(t[*first], v->from, -1);) ++*first;
    while (*last > *first && cli_is_beyond(t[*last - 1], v->to, 1)) --*last;
    if (*first < *last || rows == 0) return TML_OK;
    return tmli_fail(err, TML_ERR_ARG,
                     "'%s' has no rows between --from and --to: its times go from %g to %g s.", path, t[0],
                     t[rows - 1]);
}

static tml_status add_line(const plot_values *v, tml_plot *plot, const tml_result *r, const char *path,
                           const char *text, tml_error *err)
{
    cli_curve x = {0}, y = {0};
    cli_points spectrum = {0};
    double *t = cli_curve_times(r);
    tml_status st = t ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for the times.");
    if (st == TML_OK && v->spectrum && tml_result_channel_index(r, "t", NULL) < 0)
        st = tmli_fail(err, TML_ERR_ARG, "--spectrum: '%s' has no times, a channel 't'.", path);
    if (st == TML_OK) st = cli_curve_eval(r, text, &y, err);
    if (st == TML_OK && v->over) st = cli_curve_eval(r, v->over, &x, err);
    if ((st == TML_ERR_NAME || st == TML_ERR_SYNTAX) && v->more.count)
        tmli_error_append(err, "(In '%s'.)", path);
    size_t first = 0, last = 0;
    if (st == TML_OK) st = choose_rows(v, r, path, t, &first, &last, err);
    if (st == TML_OK) {
        char name[300], file[120];
        short_name(path, file, sizeof file);
        snprintf(name, sizeof name, v->more.count ? "%.150s (%s)" : "%.150s", text, file);
        tml_series_def s = tml_series_def_default();
        s.name = name;
        s.count = last - first > INT_MAX ? INT_MAX : (int)(last - first);
        s.x = (v->over ? x.value : t) + first;
        s.y = y.value + first;
        if (v->spectrum) {
            const size_t columns = 2 * (size_t)v->width;  // a point for every quarter px, to zoom in
            st = cli_curve_spectrum(s.x, s.y, last - first, v->highest, columns, &spectrum, err);
            s.count = (int)spectrum.count;
            s.x = spectrum.x;
            s.y = spectrum.y;
            if (st == TML_ERR_ARG) tmli_error_append(err, "See '%s' of '%s'.", text, path);
        }
        // members of a study have no order: points
        const bool timed = v->spectrum || !v->over || tml_result_channel_index(r, "t", NULL) >= 0;
        s.line = timed ? TML_LINE_SOLID : TML_LINE_NONE;
        s.marker = timed ? TML_MARKER_NONE : TML_MARKER_AUTO;
        if (st == TML_OK) st = tml_plot_add(plot, &s, err);
    }
    free(spectrum.x);
    free(spectrum.y);
    free(t);
    free(x.value);
    free(y.value);
    return st;
}

// The panels of the lines, by their units; an expression, whose unit is not known, joins the line before.
typedef struct panels {
    const char *unit[PANELS];  // "": not known, or none
    int count;
    int *of;  // (lines)
} panels;

static tml_status find_panels(const plot_values *v, const tml_result *r, panels *p, tml_error *err)
{
    p->of = calloc((size_t)v->what.count, sizeof *p->of);
    if (!p->of) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the lines.");
    for (int i = 0; i < v->what.count; i++) {
        const int c = tml_result_channel_index(r, v->what.items[i], NULL);
        const char *unit = c < 0 ? (i > 0 ? p->unit[p->of[i - 1]] : "") : tml_result_channel_unit(r, c);
        if (strcmp(unit, "1") == 0) unit = "";
        int k = 0;
        while (k < p->count && strcmp(p->unit[k], unit) != 0) k++;
        if (k == p->count && v->together && k > 0) {
            k = 0;
            p->unit[0] = "";
        }
        if (k == PANELS)
            return tmli_fail(err, TML_ERR_ARG, "The lines have more than %d units; see --together.", PANELS);
        if (k == p->count) p->unit[p->count++] = unit;
        p->of[i] = k;
    }
    return TML_OK;
}

static tml_axis_def abscissa(const plot_values *v, const tml_result *r)
{
    const int over = v->over ? tml_result_channel_index(r, v->over, NULL) : -1;
    const bool timed = tml_result_channel_index(r, "t", NULL) >= 0;
    tml_axis_def x = {.label = v->over ? v->over : timed ? "time" : "row", .min = NAN, .max = NAN};
    x.unit = !v->over ? (timed ? "s" : NULL) : over < 0 ? NULL : tml_result_channel_unit(r, over);
    if (v->spectrum) x = (tml_axis_def){.label = "frequency", .unit = "Hz", .min = 0, .max = v->highest};
    return x;
}

static tml_status check(const plot_values *v, tml_error *err)
{
    if (v->what.count == 0)
        return tmli_fail(err, TML_ERR_ARG,
                         "EXPR is missing: a channel, such as one that 'trammel stats' lists.");
    if (v->spectrum && v->over)
        return tmli_fail(err, TML_ERR_ARG, "--over: with --spectrum the abscissa is the frequency.");
    if (!v->spectrum && !isnan(v->highest))
        return tmli_fail(err, TML_ERR_ARG, "--highest is a frequency; it needs --spectrum.");
    return TML_OK;
}

// The label of the ordinate: the name, if there is only one line.
static const char *ordinate(const plot_values *v, const panels *p, int panel)
{
    const char *name = NULL;
    int lines = 0;
    for (int i = 0; i < v->what.count; i++)
        if (p->of[i] == panel && lines++ == 0) name = v->what.items[i];
    return v->label          ? v->label
           : v->spectrum     ? "amplitude"
           : lines == 1      ? name
           : *p->unit[panel] ? "value"
                             : NULL;
}

static tml_status create_panels(const plot_values *v, const tml_result *r, const panels *p, tml_plot **plot,
                                const tml_env *env, tml_error *err)
{
    tml_status st = TML_OK;
    for (int k = 0; k < p->count && st == TML_OK; k++) {
        tml_plot_def def = tml_plot_def_default();
        if (k == 0) def.title = v->title ? v->title : tml_result_note_text(r, "title");
        def.width = v->width;
        def.height = round(v->height * (1 + 0.6 * (p->count - 1)) / p->count);  // whole px: no seams
        def.x = abscissa(v, r);
        if (k + 1 < p->count) def.x.label = def.x.unit = NULL;
        def.y = (tml_axis_def){.label = ordinate(v, p, k),
                               .unit = *p->unit[k] ? p->unit[k] : NULL,
                               .kind = v->log ? TML_AXIS_LOG : TML_AXIS_LINEAR,
                               .min = NAN,
                               .max = NAN};
        st = tml_plot_create(&def, env, &plot[k], err);
    }
    return st;
}

static tml_status add_lines(const plot_values *v, const tml_result *r, const char *path, const panels *p,
                            tml_plot *const *plot, tml_error *err)
{
    tml_status st = TML_OK;
    for (int i = 0; i < v->what.count && st == TML_OK; i++)
        st = add_line(v, plot[p->of[i]], r, path, v->what.items[i], err);
    return st;
}

static tml_status draw(const plot_values *v, const tml_result *first, const panels *p, tml_plot **plot,
                       const tml_env *env, tml_error *err)
{
    tml_status st = create_panels(v, first, p, plot, env, err);
    if (st == TML_OK) st = add_lines(v, first, v->result, p, plot, err);
    for (int k = 0; k < v->more.count && st == TML_OK; k++) {
        tml_result *r = NULL;
        st = tml_result_open(v->more.items[k], env, &r, err);
        if (st == TML_OK) st = add_lines(v, r, v->more.items[k], p, plot, err);
        tml_result_close(r);
    }
    return st;
}

static tml_status run(void *values, cli_call *c)
{
    plot_values *v = values;
    const cli_list given = v->what;
    tml_result *r = NULL;
    tml_plot *plot[PANELS] = {0};
    panels p = {0};
    tml_status st = check(v, &c->err);
    if (st == TML_OK) st = tml_result_open(v->result, &c->env, &r, &c->err);
    if (st == TML_OK) st = cli_curve_names(r, &given, &v->what, &c->err);
    if (st == TML_OK) st = find_panels(v, r, &p, &c->err);
    if (st == TML_OK) st = draw(v, r, &p, plot, &c->env, &c->err);
    c->running = st == TML_OK;
    if (st == TML_OK) st = tml_plot_write_stacked((const tml_plot *const *)plot, p.count, v->out, &c->err);
    if (st == TML_OK && strcmp(v->out, default_out) == 0) printf("written: %s\n", v->out);
    for (int k = 0; k < PANELS; k++) tml_plot_destroy(plot[k]);
    free(p.of);
    if (v->what.items != given.items) free((void *)v->what.items);
    v->what = given;
    tml_result_close(r);
    return st;
}

const cli_command cli_command_plot = {
    .name = "plot",
    .summary =
        "Draw channels of results, and expressions of them, over time or each other, or their spectra.",
    .notes = "  trammel plot hmmwv.h5 tyre_f1.force tyre_r1.force -o tyres.svg\n"
             "  trammel plot andrews.h5 K3.y --over K3.x -o path.pdf\n"
             "  trammel plot a.h5 pin.angle --with b.h5 --from 1 --to 2\n"
             "  trammel plot hmmwv.h5 height --spectrum --highest 20 --from 1 -o spectrum.pdf\n",
    CLI_OPTIONS(plot_values),
    .run = run,
};

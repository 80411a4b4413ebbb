// trammel export: a result for other programs: CSV, VTK, glTF, pictures and films.
#include "export.h"
#include "cli/common/cli.h"
#include "cli/common/curves.h"
#include "cli/common/patterns.h"
#include "cli/common/report.h"

#include "base/csv.h"
#include "base/target.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct export_values {
    const char *result, *out, *channels, *chromium;
    cli_files *files;
    cli_list what;
    double from, to, step, fps, speed;
    int width, height, view;
    bool units, quiet;
} export_values;

typedef enum file_kind { KIND_NONE, KIND_CSV, KIND_VTK, KIND_GLTF, KIND_PNG, KIND_FILM } file_kind;

static const tmli_key_choice views[] = {
    {"3d", 0, NULL}, {"front", 1, NULL}, {"side", 2, NULL}, {"top", 3, NULL}, {NULL, 0, NULL}};

#define AT(member) offsetof(export_values, member)
static const cli_option options[] = {
    CLI_OPTION_ARGUMENT("RESULT", CLI_ARGUMENT, AT(result), CLI_FILE_READ, "result file (.h5, .csv)"),
    CLI_OPTION_ARGUMENT(
        "EXPR", CLI_ARGUMENTS, AT(what), CLI_FILE_NONE,
        "CSV: columns beside the time, channels or expressions of channels; none: all channels"),
    CLI_OPTION_TEXT(
        "--out", 'o', AT(out), "FILE", CLI_FILE_WRITTEN,
        "what is written, by its ending: .csv; .pvd (VTK series, with a .vtp file for each time); .glb "
        "(glTF animation); .png (pictures, numbered if there are several); .gif and .mp4 (films)"),
    CLI_OPTION_NUMBER("--from", CLI_NUMBER, TMLI_RANGE_ANY, AT(from), "T", NULL, "first time [s]"),
    CLI_OPTION_NUMBER("--to", CLI_NUMBER, TMLI_RANGE_ANY, AT(to), "T", NULL, "last time [s]"),
    {.kind = CLI_HEADING, .doc = "CSV"},
    CLI_OPTION_TEXT(
        "--channels", 0, AT(channels), "PATTERNS", CLI_FILE_NONE,
        "channels beside the time, as 'chassis.*,*.force'; * stands for any characters, ? for one"),
    CLI_OPTION_FLAG("--units", 0, AT(units), "units in the header: 'crank.x [m]'"),
    {.kind = CLI_HEADING, .doc = "VTK, glTF, pictures, films"},
    CLI_OPTION_NUMBER(
        "--step", CLI_NUMBER, TMLI_RANGE_POSITIVE, AT(step), "DT", NULL,
        "time between two pictures or surfaces [s]; without it films take --fps and --speed, and the "
        "others every row"),
    {.kind = CLI_HEADING, .doc = "Pictures and films (they need Chromium, films also ffmpeg)"},
    CLI_OPTION_NUMBER("--fps", CLI_NUMBER, TMLI_RANGE_POSITIVE, AT(fps), "N", "25",
                      "pictures per second of a film"),
    CLI_OPTION_NUMBER("--speed", CLI_NUMBER, TMLI_RANGE_POSITIVE, AT(speed), "X", "1",
                      "seconds of the run in a second of the film"),
    CLI_OPTION_CHOICE("--view", AT(view), "KIND", views, NULL,
                      "where it is seen from: 3d, front, side or top; without it as the page opens"),
    CLI_OPTION_NUMBER("--width", CLI_INTEGER, TMLI_RANGE_POSITIVE, AT(width), "PX", "1280", "width [px]"),
    CLI_OPTION_NUMBER("--height", CLI_INTEGER, TMLI_RANGE_POSITIVE, AT(height), "PX", "720", "height [px]"),
    CLI_OPTION_TEXT("--chromium", 0, AT(chromium), "FILE", CLI_FILE_READ,
                    "the browser; without it chromium, chromium-browser or google-chrome"),
    {.kind = CLI_HEADING, .doc = "Messages"},
    CLI_OPTION_FLAG("--quiet", 'q', AT(quiet), "print errors only"),
};
#undef AT

enum { TIMES_MOST = 1000000, SIZE_MOST = 8192 };

static file_kind kind_of(const char *path)
{
    static const struct {
        const char *ending;
        file_kind kind;
    } kinds[] = {{".csv", KIND_CSV}, {".pvd", KIND_VTK},  {".glb", KIND_GLTF},
                 {".png", KIND_PNG}, {".gif", KIND_FILM}, {".mp4", KIND_FILM}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (tmli_ends_with(path, kinds[i].ending)) return kinds[i].kind;
    return KIND_NONE;
}

static tml_status check(const export_values *v, file_kind kind, tml_error *err)
{
    if (!v->out) return tmli_fail(err, TML_ERR_ARG, "--out is missing: it says what is written and where.");
    if (kind == KIND_NONE)
        return tmli_fail(err, TML_ERR_ARG,
                         "--out: '%.200s' does not end in .csv, .pvd, .glb, .png, .gif or .mp4.", v->out);
    if (kind != KIND_CSV && (v->channels || v->units || v->what.count > 0))
        return tmli_fail(err, TML_ERR_ARG, "Columns (EXPR, --channels, --units) belong to CSV files.");
    if (v->channels && v->what.count > 0)
        return tmli_fail(err, TML_ERR_ARG, "Give columns by --channels or as arguments, not both.");
    if (kind == KIND_CSV && !isnan(v->step))
        return tmli_fail(err, TML_ERR_ARG, "--step does not belong to CSV files: they have the rows.");
    if (v->width > SIZE_MOST || v->height > SIZE_MOST)
        return tmli_fail(err, TML_ERR_ARG, "--width, --height: at most %d.", SIZE_MOST);
    return TML_OK;
}

// ---- CSV --------------------------------------------------------------------------------------------------

static tml_status mark_channels(const tml_result *r, const char *patterns, bool *wanted, tml_error *err)
{
    const int count = tml_result_channel_count(r);
    for (const char *p = patterns; *p;) {
        p += strspn(p, " ,");
        size_t length = strcspn(p, ",");
        const char *next = p + length;
        while (length > 0 && p[length - 1] == ' ') length--;
        bool found = length == 0;
        for (int i = 0; i < count && length > 0; i++)
            if (cli_matches(p, length, tml_result_channel_name(r, i))) found = wanted[i] = true;
        if (!found) {
            char word[80];
            snprintf(word, sizeof word, "%.*s", length < 79 ? (int)length : 79, p);
            tml_error near = {0};
            tml_result_channel_index(r, word, &near);
            return tmli_fail(err, TML_ERR_NAME, "--channels: %s.", near.msg);
        }
        p = next;
    }
    return TML_OK;
}

static tml_status choose_columns(const export_values *v, const tml_result *r, cli_curve *columns, int *count,
                                 tml_error *err)
{
    const int all = tml_result_channel_count(r);
    bool *wanted = calloc((size_t)all + 1, sizeof *wanted);
    tml_status st = wanted ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for the columns.");
    if (st == TML_OK && v->channels) st = mark_channels(r, v->channels, wanted, err);
    for (int i = 0; i < v->what.count && st == TML_OK; i++) {
        st = cli_curve_eval(r, v->what.items[i], &columns[*count], err);
        if (st == TML_OK) ++*count;
    }
    for (int i = 0; i < all && st == TML_OK && v->what.count == 0; i++) {
        const char *name = tml_result_channel_name(r, i);
        if (strcmp(name, "t") == 0 || (v->channels && !wanted[i])) continue;
        columns[*count] = (cli_curve){.text = name, .unit = tml_result_channel_unit(r, i)};
        columns[*count].value = calloc(tml_result_row_count(r) + 1, sizeof(double));
        if (!columns[*count].value) st = tmli_fail(err, TML_ERR_NOMEM, "No memory for the columns.");
        else
            for (size_t k = 0; k < tml_result_row_count(r); k++)
                columns[*count].value[k] = tml_result_value(r, k, i);
        if (st == TML_OK) ++*count;
    }
    free(wanted);
    return st;
}

// "x [m]" as one field; false: no memory
static bool put_name(FILE *f, const char *name, const char *unit, char after)
{
    const size_t room = strlen(name) + (unit ? strlen(unit) : 0) + 4;
    char *text = malloc(room);
    if (!text) return false;
    snprintf(text, room, unit && *unit ? "%s [%s]" : "%s", name, unit);
    tmli_csv_put_text(f, text, TMLI_CSV_IF_NEEDED, after);
    free(text);
    return true;
}

static size_t put_rows(const export_values *v, FILE *f, const double *t, size_t rows,
                       const cli_curve *columns, int count)
{
    size_t written = 0;
    for (size_t k = 0; k < rows; k++) {
        if (cli_is_beyond(t[k], v->from, -1) || cli_is_beyond(t[k], v->to, 1)) continue;
        tmli_csv_put_number(f, t[k], count > 0 ? ',' : '\n');
        for (int i = 0; i < count; i++)
            tmli_csv_put_number(f, columns[i].value[k], i + 1 < count ? ',' : '\n');
        written++;
    }
    return written;
}

static tml_status write_csv(const export_values *v, const tml_result *r, const tml_env *env, tml_error *err)
{
    const size_t rows = tml_result_row_count(r);
    int count = 0;
    cli_curve *columns = calloc((size_t)(tml_result_channel_count(r) + v->what.count) + 1, sizeof *columns);
    double *t = cli_curve_times(r);
    tml_status st = columns && t ? choose_columns(v, r, columns, &count, err)
                                 : tmli_fail(err, TML_ERR_NOMEM, "No memory for the columns.");
    tmli_draft d = {0};
    if (st == TML_OK) st = tmli_draft_open(&d, v->out, env, err);
    if (st == TML_OK) {
        FILE *const f = d.out;
        bool ok = put_name(f, "t", v->units ? "s" : NULL, count > 0 ? ',' : '\n');
        for (int i = 0; i < count && ok; i++)
            ok = put_name(f, columns[i].text, v->units ? columns[i].unit : NULL, i + 1 < count ? ',' : '\n');
        if (!ok) st = tmli_fail(err, TML_ERR_NOMEM, "No memory for the columns.");
        const size_t written = put_rows(v, f, t, rows, columns, count);
        st = tmli_draft_close(&d, st, err);
        if (st == TML_OK && !v->quiet)
            printf("%s: %d columns, %zu rows\n", CLI_VISIBLE(v->out), count + 1, written);
    }
    for (int i = 0; i < count; i++) free(columns[i].value);
    free(columns);
    free(t);
    return st;
}

// ---- surfaces and pictures --------------------------------------------------------------------------------

// Rows, or times at equal distances, between --from and --to. The caller frees *out.
static tml_status choose_times(const export_values *v, const tml_result *r, file_kind kind, double **out,
                               size_t *count, tml_error *err)
{
    const size_t rows = tml_result_row_count(r);
    if (rows == 0 || tml_result_channel_index(r, "t", NULL) < 0)
        return tmli_fail(err, TML_ERR_ARG, "The result has no rows with a time.");
    const double first = tml_result_time(r, 0), last = tml_result_time(r, rows - 1);
    const double from = isnan(v->from) ? first : fmax(first, v->from),
                 to = isnan(v->to) ? last : fmin(last, v->to);
    const double step = !isnan(v->step) ? v->step : kind == KIND_FILM ? v->speed / v->fps : 0;
    if (!(from <= to)) return tmli_fail(err, TML_ERR_ARG, "There are no rows between --from and --to.");
    const double most = step > 0 ? floor((to - from) / step * (1 + 1e-12)) + 1 : (double)rows;
    if (most > TIMES_MOST)
        return tmli_fail(err, TML_ERR_ARG, "That would be %.0f times; at most %d are written.", most,
                         TIMES_MOST);
    double *t = *out = calloc((size_t)most + 1, sizeof *t);
    if (!t) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the times.");
    *count = 0;
    for (size_t i = 0; step > 0 && i < (size_t)most; i++) t[(*count)++] = from + (double)i * step;
    for (size_t i = 0; step <= 0 && i < rows; i++) {
        const double x = tml_result_time(r, i);
        if (cli_is_beyond(x, from, -1) || cli_is_beyond(x, to, 1)) continue;
        if (*count > 0 && x <= t[*count - 1]) --*count;  // a jump: the later of two rows at one time
        t[(*count)++] = x;
    }
    if (*count == 0) t[(*count)++] = from;  // between two rows: the motion there
    return TML_OK;
}

static tml_status write_moving(const export_values *v, const tml_result *r, file_kind kind,
                               const tml_env *env, tml_error *err)
{
    static const char *const names[] = {"3d", "front", "side", "top"};
    double *t = NULL;
    tmli_times times = {0};
    tmli_figure *figure = NULL;
    const char *scene = tml_result_note_text(r, "scene");
    tml_status st = choose_times(v, r, kind, &t, &times.count, err);
    times.t = t;
    if (st == TML_OK && kind == KIND_VTK)
        st = cli_files_add_series(v->files, v->out, ".vtp", times.count, err);
    if (st == TML_OK && kind == KIND_PNG)
        st = cli_files_add_series(v->files, v->out, ".png", times.count, err);
    if (st == TML_OK) st = tmli_figure_create(r, scene, env, &figure, err);
    if (st == TML_OK && kind == KIND_VTK) st = tmli_export_vtk(figure, &times, v->out, err);
    if (st == TML_OK && kind == KIND_GLTF) st = tmli_export_gltf(figure, &times, v->out, err);
    if (st == TML_OK && (kind == KIND_PNG || kind == KIND_FILM)) {
        const tml_page_def def = tml_page_def_default();
        const cli_pictures p = {.path = v->out,
                                .chromium = v->chromium,
                                .view = v->view >= 0 ? names[v->view] : NULL,
                                .width = v->width,
                                .height = v->height,
                                .fps = v->fps,
                                .times = times,
                                .progress = !v->quiet};
        st = cli_export_pictures(r, &def, &p, env, err);
    }
    if (st == TML_OK && !v->quiet)
        printf("%s: %zu time%s from %g s to %g s\n", CLI_VISIBLE(v->out), times.count,
               times.count == 1 ? "" : "s", t[0], t[times.count - 1]);
    tmli_figure_destroy(figure);
    free(t);
    return st;
}

static tml_status run(void *values, cli_call *c)
{
    const export_values *v = values;
    tml_result *r = NULL;
    const file_kind kind = v->out ? kind_of(v->out) : KIND_NONE;
    tml_status st = check(v, kind, &c->err);
    if (st == TML_OK) st = tml_result_open(v->result, &c->env, &r, &c->err);
    c->running = st == TML_OK;
    if (st == TML_OK)
        st =
            kind == KIND_CSV ? write_csv(v, r, &c->env, &c->err) : write_moving(v, r, kind, &c->env, &c->err);
    tml_result_close(r);
    return st;
}

const cli_command cli_command_export = {
    .name = "export",
    .summary = "Write a result for other programs: CSV, VTK, glTF, pictures, films.",
    .notes = "  trammel export hmmwv.h5 -o hmmwv.csv --channels 'chassis.*,height' --units\n"
             "  trammel export hmmwv.h5 -o hmmwv.pvd --step 0.02\n"
             "  trammel export hmmwv.h5 -o hmmwv.glb\n"
             "  trammel export hmmwv.h5 -o hmmwv.mp4 --speed 0.5\n"
             "  trammel export hmmwv.h5 -o start.png --to 0\n",
    CLI_OPTIONS(export_values),
    .files = offsetof(export_values, files),
    .run = run,
};

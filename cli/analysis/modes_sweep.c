// trammel modes --over: modes at several values of a parameter, followed by their shapes.
//
// Each value has a model of its own. A mode is followed to the mode of the next value whose shape is most
// like its own (modal assurance criterion), in doubt to the nearest root: pairs of best agreement are taken
// first. Where two roots meet, shapes keep them apart.
#include "base/base.h"
#include "cli/common/cli.h"
#include "modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/plot.h>

// Weight of the distance of roots beside the likeness of shapes, 0 .. 1; decides between shapes that are
// equally like, as those of two planes.
static const double DISTANCE_WEIGHT = 0.25;
// Likeness below which a mode is not continued.
static const double LEAST_LIKENESS = 0.15;

enum { VALUES_MAX = 2001 };
static const double TWO_PI = 6.28318530717958647692;

// ---- options ----------------------------------------------------------------------------------------------

static bool parse_number(const char *text, size_t n, double *out)
{
    char buf[64];
    const char *end;
    if (n == 0 || n >= sizeof buf) return false;
    memcpy(buf, text, n);
    buf[n] = 0;
    *out = tmli_strtod(buf, &end);
    return end != buf && !*end && isfinite(*out);
}

// NAME=FROM:TO:N
static tml_status parse_over(const char *text, modes_sweep *s, tml_error *err)
{
    const size_t name = strcspn(text, "=");
    const char *from = text + name + (text[name] == '='), *to = from + strcspn(from, ":");
    const char *count = *to ? to + 1 + strcspn(to + 1, ":") : to;
    double n = 0;
    if (name == 0 || name >= sizeof s->name || !text[name] || !*to || !*count ||
        !parse_number(from, (size_t)(to - from), &s->from) ||
        !parse_number(to + 1, (size_t)(count - to - 1), &s->to) ||
        !parse_number(count + 1, strlen(count + 1), &n))
        return tmli_fail(err, TML_ERR_ARG, "--over: '%.60s' is not of the form NAME=FROM:TO:N.", text);
    if (n != floor(n) || n < 2 || n > VALUES_MAX)
        return tmli_fail(err, TML_ERR_ARG, "--over: the number of values is %g, expected 2 to %d.", n,
                         VALUES_MAX);
    if (s->from == s->to) return tmli_fail(err, TML_ERR_ARG, "--over: FROM and TO are both %g.", s->from);
    memcpy(s->name, text, name);
    s->values = (int)n;
    return TML_OK;
}

static tml_status parse_orders(const char *text, modes_sweep *s, tml_error *err)
{
    for (; text; text = *text ? text + 1 : NULL) {
        const size_t n = strcspn(text, ",");
        if (s->order_count == MODES_ORDERS)
            return tmli_fail(err, TML_ERR_ARG, "--orders: more than %d values.", MODES_ORDERS);
        double *order = &s->order[s->order_count++];
        if (!parse_number(text, n, order) || !(*order > 0))
            return tmli_fail(err, TML_ERR_ARG, "--orders: '%.*s' is not a number greater than 0.",
                             n < 60 ? (int)n : 60, text);
        text += n;
        if (!*text) break;
    }
    return TML_OK;
}

// ---- modes at the values ----------------------------------------------------------------------------------

typedef struct sample {
    cli_state state;
    tml_modes *modes;
    int *track;  // (modes->count) its number; -1: none
} sample;

static void clear_sample(sample *a)
{
    tml_modes_destroy(a->modes);
    cli_state_clear(&a->state);
    free(a->track);
    *a = (sample){0};
}

static tml_status take_sample(const modes_values *v, const modes_sweep *s, double value, const tml_env *env,
                              sample *out, tml_error *err)
{
    char text[128], number[32];
    snprintf(text, sizeof text, "%s=%s", s->name, tmli_dtoa(value, number));
    cli_input in = v->in;
    in.set.items = calloc((size_t)v->in.set.count + 1, sizeof *in.set.items);
    if (!in.set.items) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the options.");
    for (int i = 0; i < v->in.set.count; i++) in.set.items[i] = v->in.set.items[i];
    in.set.items[in.set.count++] = text;
    tml_modes_def def = modes_definition(v);
    def.count += def.count / 2 + 4;  // modes may leave the wanted ones and return
    tml_status st = cli_state_load(&out->state, &in, v->at, env, err);
    if (st == TML_OK) st = tml_modes_create(out->state.model, out->state.x, &def, &out->modes, err);
    if (st == TML_OK) {
        out->track = calloc((size_t)out->modes->count + 1, sizeof *out->track);
        if (!out->track) st = tmli_fail(err, TML_ERR_NOMEM, "No memory for the modes.");
    }
    free((void *)in.set.items);
    if (st != TML_OK) tmli_error_append(err, "(at %s = %g)", s->name, value);
    return st;
}

static double likeness(const sample *a, int i, const sample *b, int j)
{
    const tml_mode *p = &a->modes->modes[i], *q = &b->modes->modes[j];
    const double size = fmax(hypot(p->re, p->im), hypot(q->re, q->im));
    const double apart = size > 0 ? hypot(p->re - q->re, p->im - q->im) / size : 0;
    return tml_modes_assurance(a->modes, i, b->modes, j) + DISTANCE_WEIGHT * exp(-10 * apart);
}

static void match(const sample *before, sample *now)
{
    for (int j = 0; j < now->modes->count; j++) now->track[j] = -1;
    for (;;) {
        double best = LEAST_LIKENESS;
        int from = -1, to = -1;
        for (int i = 0; i < before->modes->count; i++) {
            bool taken = before->track[i] < 0;
            for (int j = 0; j < now->modes->count && !taken; j++) taken = now->track[j] == before->track[i];
            for (int j = 0; j < now->modes->count && !taken; j++) {
                if (now->track[j] >= 0) continue;
                const double like = likeness(before, i, now, j);
                if (like > best) {
                    best = like;
                    from = i;
                    to = j;
                }
            }
        }
        if (from < 0) return;
        now->track[to] = before->track[from];
    }
}

static tml_status grow(modes_sweep *s, tml_error *err)
{
    const int room = 2 * s->room + 16;
    modes_point *point = malloc((size_t)s->values * (size_t)room * sizeof *point);
    if (!point) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the modes.");
    for (int k = 0; k < s->values; k++)
        for (int t = 0; t < room; t++)
            point[k * room + t] = t < s->room ? s->point[k * s->room + t] : (modes_point){NAN, NAN, NAN, NAN};
    free(s->point);
    s->point = point;
    s->room = room;
    return TML_OK;
}

// Modes among the wanted ones that continue no other begin a track.
static tml_status store(const modes_values *v, modes_sweep *s, int k, sample *now, tml_error *err)
{
    int wanted = 0;
    for (int j = 0; j < now->modes->count; j++) {
        const tml_mode *mode = &now->modes->modes[j];
        if (mode->kind == TML_MODE_RIGID && now->track[j] < 0) continue;
        if (now->track[j] < 0 && wanted < v->count) {
            const tml_status st = s->tracks == s->room ? grow(s, err) : TML_OK;
            if (st != TML_OK) return st;
            now->track[j] = s->tracks++;
        }
        wanted++;
        if (now->track[j] >= 0)
            s->point[k * s->room + now->track[j]] =
                (modes_point){mode->re, mode->im, mode->hz, mode->damping};
    }
    return TML_OK;
}

static tml_status sweep(const modes_values *v, modes_sweep *s, bool *simulated, char *axes, size_t size,
                        tml_error *err)
{
    const tml_env env = cli_env(NULL, v->in.files);
    sample before = {0};
    tml_status st = TML_OK;
    s->value = calloc((size_t)s->values + 1, sizeof *s->value);
    s->rest = calloc((size_t)s->values + 1, sizeof *s->rest);
    s->steady = calloc((size_t)s->values + 1, sizeof *s->steady);
    if (!s->value || !s->rest || !s->steady)
        return tmli_fail(err, TML_ERR_NOMEM, "No memory for %d values.", s->values);
    for (int k = 0; k < s->values && st == TML_OK; k++) {
        sample now = {0};
        s->value[k] = s->from + (s->to - s->from) * k / (s->values - 1);
        st = take_sample(v, s, s->value[k], &env, &now, err);
        *simulated = now.state.simulated;
        if (st == TML_OK && k > 0 && before.modes->n != now.modes->n)
            st = tmli_fail(err, TML_ERR_ARG,
                           "--over: '%s' changes the number of coordinates from %d to %d; shapes cannot be "
                           "compared.",
                           s->name, before.modes->n, now.modes->n);
        if (st == TML_OK) {
            if (k > 0) match(&before, &now);
            else
                for (int j = 0; j < now.modes->count; j++) now.track[j] = -1;
            st = store(v, s, k, &now, err);
            s->rest[k] = now.modes->rest;
            s->steady[k] = now.modes->steady;
            if (s->steady[k]) snprintf(axes, size, "%s", now.modes->axes);
        }
        clear_sample(&before);
        before = now;
    }
    clear_sample(&before);
    return st;
}

// ---- crossings --------------------------------------------------------------------------------------------

// order * value/(2 pi) = hz, linear between values
static void find_crossings(modes_sweep *s)
{
    for (int o = 0; o < s->order_count; o++)
        for (int t = 0; t < s->tracks; t++)
            for (int k = 1; k < s->values; k++) {
                const double slope = s->order[o] / TWO_PI;
                const double h0 = s->point[(k - 1) * s->room + t].hz, h1 = s->point[k * s->room + t].hz;
                const double a = h0 - slope * s->value[k - 1], b = h1 - slope * s->value[k];
                if (!(h0 > 0 && h1 > 0) || !(a * b <= 0) || a == b || (b == 0 && k + 1 < s->values)) continue;
                if (s->crossing_count == MODES_CROSSINGS) return;
                const double part = a / (a - b);
                s->crossing[s->crossing_count++] =
                    (modes_crossing){t, s->order[o], s->value[k - 1] + part * (s->value[k] - s->value[k - 1]),
                                     h0 + part * (h1 - h0)};
            }
}

// ---- results ----------------------------------------------------------------------------------------------

static tml_status draw(const modes_values *v, const modes_sweep *s, tml_error *err)
{
    const tml_env env = cli_env(NULL, v->in.files);
    tml_plot_def def = tml_plot_def_default();
    def.x = (tml_axis_def){.label = s->name, .kind = TML_AXIS_LINEAR, .min = NAN, .max = NAN};
    if (s->order_count > 0) def.x.unit = "rad/s";  // orders are of a speed
    def.y = (tml_axis_def){.label = "frequency", .unit = "Hz", .kind = TML_AXIS_LINEAR, .min = 0, .max = NAN};
    tml_plot *plot = NULL;
    double *y = malloc((size_t)(s->values + 1) * sizeof *y), top = 0;
    if (!y) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the diagram.");
    for (int i = 0; i < s->values * s->room; i++)
        if (s->point[i].hz > top) top = s->point[i].hz;
    if (top > 0) def.y.max = 1.05 * top;
    tml_status st = tml_plot_create(&def, &env, &plot, err);
    for (int t = 0; t < s->tracks && st == TML_OK; t++) {
        char name[32];
        tml_series_def line = tml_series_def_default();
        snprintf(name, sizeof name, "mode %d", t + 1);
        for (int k = 0; k < s->values; k++) y[k] = s->point[k * s->room + t].hz;
        line.name = s->tracks <= 12 ? name : NULL;
        line.count = s->values;
        line.x = s->value;
        line.y = y;
        line.line = TML_LINE_SOLID;
        line.marker = TML_MARKER_NONE;
        st = tml_plot_add(plot, &line, err);
    }
    for (int o = 0; o < s->order_count && st == TML_OK; o++) {
        const double slope = s->order[o] / TWO_PI, low = fmin(s->from, s->to), high = fmax(s->from, s->to);
        const double end = slope * high > def.y.max ? def.y.max / slope : high;
        char label[32];
        snprintf(label, sizeof label, "%gx", s->order[o]);
        if (end > low) st = tml_plot_add_slope(plot, slope, low, slope * low, end, label, err);
    }
    if (st == TML_OK) st = tml_plot_write(plot, v->plot, err);
    tml_plot_destroy(plot);
    free(y);
    return st;
}

static tml_status write_table(const modes_values *v, const modes_sweep *s, tml_error *err)
{
    enum { COLUMNS = 4 };
    static const char *const what[COLUMNS] = {"hz", "damping", "re", "im"}, *const unit[COLUMNS] = {
                                                                                "Hz", "1", "1/s", "rad/s"};
    const size_t count = 1 + COLUMNS * (size_t)s->tracks;
    tml_channel *channel = calloc(count, sizeof *channel);
    char(*text)[48] = calloc(2 * count, sizeof *text), path[80];
    double *row = calloc(count, sizeof *row);
    tml_writer *writer = NULL;
    tml_status st = TML_OK;
    if (!channel || !text || !row) st = tmli_fail(err, TML_ERR_NOMEM, "No memory for %zu columns.", count);
    snprintf(path, sizeof path, "/%s", s->name);
    for (size_t i = 0; i < count && st == TML_OK; i++) {
        const size_t c = (i + COLUMNS - 1) % COLUMNS, t = (i + COLUMNS - 1) / COLUMNS;
        snprintf(text[2 * i], sizeof *text, "mode%zu.%s", t, what[c]);
        snprintf(text[2 * i + 1], sizeof *text, "/mode%zu/%s", t, what[c]);
        channel[i] =
            (tml_channel){.name = text[2 * i], .unit = unit[c], .dataset = text[2 * i + 1], .width = 1};
    }
    if (st == TML_OK) {
        channel[0] = (tml_channel){.name = s->name, .unit = "1", .dataset = path, .width = 1};
        const tml_result_note notes[] = {{"file", v->in.model}, {"version", tml_version()}};
        const tml_env env = cli_env(NULL, v->in.files);
        st = tml_writer_create(v->out, channel, (int)count, notes, 2, &env, &writer, err);
    }
    for (int k = 0; k < s->values && st == TML_OK; k++) {
        row[0] = s->value[k];
        for (int t = 0; t < s->tracks; t++) {
            const modes_point *p = &s->point[k * s->room + t];
            const double numbers[COLUMNS] = {p->hz, p->damping, p->re, p->im};
            memcpy(row + 1 + COLUMNS * t, numbers, sizeof numbers);
        }
        st = tml_writer_row(writer, row, err);
    }
    st = cli_writer_close(writer, st, err);
    free(channel);
    free(text);
    free(row);
    return st;
}

static void put_table(cli_report *r, const modes_sweep *s)
{
    const int shown = s->tracks < 8 ? s->tracks : 8;
    cli_entry(r, "\n\n%12s", s->name);
    for (int t = 0; t < shown; t++) cli_entry(r, "   mode %2d", t + 1);
    cli_entry(r, "\n");
    for (int k = 0; k < s->values; k++) {
        cli_entry(r, "%12.6g", s->value[k]);
        for (int t = 0; t < shown; t++) {
            const double hz = s->point[k * s->room + t].hz;
            if (isnan(hz)) cli_entry(r, "  %8s", "-");
            else cli_entry(r, "  %8.5g", hz);
        }
        cli_entry(r, "\n");
    }
    if (shown < s->tracks) cli_entry(r, "(%d more: --out, --json)\n", s->tracks - shown);
    for (int k = 0; k < s->values; k++)
        for (int t = 0; t < s->tracks; t++)
            if (s->point[k * s->room + t].re > 0 && !(k > 0 && s->point[(k - 1) * s->room + t].re > 0))
                cli_entry(r, "\nUNSTABLE: mode %d grows from %s = %.6g on.\n", t + 1, s->name, s->value[k]);
}

static void put_series(cli_report *r, const modes_sweep *s, int track)
{
    static const char *const key[] = {"hz", "damping", "re", "im"};
    static const size_t at[] = {offsetof(modes_point, hz), offsetof(modes_point, damping),
                                offsetof(modes_point, re), offsetof(modes_point, im)};
    cli_open(r, NULL, '{');
    for (int i = 0; i < 4; i++) {
        cli_open(r, key[i], '[');
        for (int k = 0; k < s->values; k++)
            cli_number(r, NULL,
                       *(const double *)(const void *)((const char *)&s->point[k * s->room + track] + at[i]));
        cli_close(r, ']');
    }
    cli_close(r, '}');
}

static void put_flags(cli_report *r, const char *key, const bool *flag, int count)
{
    cli_open(r, key, '[');
    for (int k = 0; k < count; k++) tmli_json_bool(&r->j, NULL, flag[k]);
    cli_close(r, ']');
}

// Values of the parameter at which the coefficients are those of an instant.
static void put_unsteady(cli_report *r, const modes_sweep *s)
{
    enum { SHOWN = 8 };
    int count = 0, shown = 0;
    for (int k = 0; k < s->values; k++) count += !s->rest[k] && !s->steady[k];
    if (count == 0) return;
    cli_entry(r, "\nnot steady");
    for (int k = 0; k < s->values && count < s->values && shown < SHOWN; k++) {
        if (s->rest[k] || s->steady[k]) continue;
        if (shown == 0) cli_entry(r, " at %s =", s->name);
        cli_entry(r, "%s %.6g", shown ? "," : "", s->value[k]);
        shown++;
    }
    if (shown > 0 && shown < count) cli_entry(r, ", ...");
    cli_entry(r, ": modes of the coefficients of the instant");
}

static void put_report(cli_report *r, const modes_values *v, const modes_sweep *s, const char *axes)
{
    cli_entry(r, "Frequencies [Hz] of %s over {over %s}", v->in.model, s->name);
    if (axes[0]) cli_entry(r, ", in %s", strncmp(axes, "axes", 4) == 0 ? "turning axes" : axes);
    put_unsteady(r, s);
    cli_numbers(r, "values", s->value, s->values);
    put_flags(r, "rest", s->rest, s->values);
    put_flags(r, "steady", s->steady, s->values);
    cli_open(r, "modes", '[');
    for (int t = 0; t < s->tracks; t++) put_series(r, s, t);
    cli_close(r, ']');
    put_table(r, s);
    if (s->order_count > 0 && s->crossing_count == 0) cli_entry(r, "\nNo mode crosses the orders.\n");
    cli_open(r, "crossings", '[');
    for (int i = 0; i < s->crossing_count; i++) {
        const modes_crossing *x = &s->crossing[i];
        cli_object(r, NULL, "{-mode %d}%s{order %g}x meets mode %d at %s = {value %.5g} ({hz %.5g} Hz)\n",
                   x->track + 1, i ? "" : "\n", x->order, x->track + 1, s->name, x->value, x->hz);
    }
    cli_close(r, ']');
    if (v->out) cli_entry(r, "\nTable: %s\n", v->out);
    if (v->plot) cli_entry(r, "%sDiagram: %s\n", v->out ? "" : "\n", v->plot);
}

tml_status modes_run_sweep(const modes_values *v, cli_call *c)
{
    modes_sweep s = {0};
    tml_error *err = &c->err;
    char axes[80] = "";
    tml_status st = parse_over(v->over, &s, err);
    if (st == TML_OK && v->orders) st = parse_orders(v->orders, &s, err);
    if (st == TML_OK) st = sweep(v, &s, &c->running, axes, sizeof axes, err);
    if (st == TML_OK) find_crossings(&s);
    if (st == TML_OK && v->out) st = write_table(v, &s, err);
    if (st == TML_OK && v->plot) st = draw(v, &s, err);
    const int code = cli_exit_status(st, c->running);
    cli_report r = cli_report_begin(v->json, "modes", v->in.model, st, code, st != TML_OK ? err : NULL);
    if (st == TML_OK) put_report(&r, v, &s, axes);
    cli_report_end(&r);
    free(s.value);
    free(s.rest);
    free(s.steady);
    free(s.point);
    return st;
}

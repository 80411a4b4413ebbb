// What `trammel modes` prints and writes about the modes at one state.
#include "base/base.h"
#include "cli/run/run.h"
#include "modes.h"

#include <stdlib.h>
#include <string.h>
#include <trammel/view.h>

static const char *kind_name(const tml_mode *m)
{
    static const char *const names[] = {"rigid", "oscillation", "aperiodic"};
    return names[m->kind];
}

static void put_state(cli_report *out, const cli_state *s, const tml_modes *m)
{
    tml_sim_report report;
    tml_sim_get_report(s->sim, &report);
    if (report.equilibrium.found && m->t == tml_sim_settings(s->sim)->start && out->kind != CLI_REPORT_JSON)
        run_put_equilibrium(out, &report.equilibrium);
    cli_state_report(out, m->t, m->rest, m->steady, m->axes, "modes of the coefficients");
    cli_label(out, "modes");
    cli_entry(out, "%d{-eigen %s freedoms %i}", m->count, m->sparse ? "sparse" : "dense", m->freedoms);
    if (m->freedoms >= 0) cli_entry(out, " of a model with {%d degree|degrees} of freedom", m->freedoms);
    cli_entry(out, ", found by %s\n", m->sparse ? "ARPACK" : "LAPACK");
    cli_entry(out, "{-rigid %d unstable %d missing %d}", m->rigid, m->unstable, m->missing);
}

static void put_parts(cli_report *out, const tml_mode *mode)
{
    cli_open(out, "parts", '[');
    for (int k = 0; k < TML_MODE_PARTS && mode->part[k]; k++) {
        out->silent |= k > 0 && mode->share[k] < 0.005;
        cli_object(out, NULL, "%s{name %s} %.0f %%{-share %g}", k ? ", " : "", mode->part[k],
                   100 * mode->share[k], mode->share[k]);
    }
    out->silent = false;
    cli_close(out, ']');
    cli_entry(out, "\n");
}

// "-0.0093 + 7.7533i", "-2.5", "0"
static void root_text(const tml_mode *m, char *text, size_t size)
{
    if (m->im == 0) snprintf(text, size, "%.5g", m->re);
    else if (m->re == 0) snprintf(text, size, "%.6gi", m->im);
    else snprintf(text, size, "%.4g + %.6gi", m->re, m->im);
}

static void put_mode(cli_report *out, int number, const tml_mode *mode)
{
    char root[64], hz[32], damping[32];
    root_text(mode, root, sizeof root);
    snprintf(hz, sizeof hz, "%.7g", mode->hz);
    snprintf(damping, sizeof damping, "%.4g", mode->damping);
    cli_open(out, NULL, '{');
    cli_entry(out, "{-hz %g damping %g re %g im %g kind %s unstable %u}", mode->hz, mode->damping, mode->re,
              mode->im, kind_name(mode), mode->unstable);
    cli_entry(out, "  %4d  %13s  %9s  %-24s  ", number,
              mode->kind == TML_MODE_OSCILLATION ? hz : kind_name(mode),
              mode->kind == TML_MODE_RIGID ? "" : damping, root);
    put_parts(out, mode);
    cli_close(out, '}');
}

void modes_report(cli_report *out, const modes_values *v, const cli_state *s, const tml_modes *m)
{
    cli_entry(out, "%s\n", cli_title(s->model, v->in.model));
    put_state(out, s, m);
    if (m->count > 0) cli_entry(out, "\n  mode   frequency Hz    damping  root 1/s                  moves\n");
    cli_open(out, "modes", '[');
    for (int i = 0; i < m->count; i++) put_mode(out, i + 1, &m->modes[i]);
    cli_close(out, ']');
    if (m->count == 0) cli_entry(out, "\nNothing can move: there are no modes.\n");
    if (m->missing > 0)
        cli_entry(out,
                  "\n{%d mode} more %s asked for, which %s not found: %s no inertia, or did not converge.\n",
                  m->missing, m->missing == 1 ? "was" : "were", m->missing == 1 ? "was" : "were",
                  m->missing == 1 ? "it has" : "they have");
    if (m->rigid > 0)
        cli_entry(out, "\n{%d rigid mode}: %s that no force resists.\n", m->rigid,
                  m->rigid == 1 ? "a motion" : "motions");
    for (int i = 0; i < m->count; i++)
        if (m->modes[i].unstable) cli_entry(out, "\nUNSTABLE: mode %d grows.\n", i + 1);
    if (v->out) cli_entry(out, "\nShapes: %s\n", v->out);
    if (v->plot) cli_entry(out, "%sDiagram: %s\n", v->out ? "" : "\n", v->plot);
}

// ---- shapes -----------------------------------------------------------------------------------------------

enum { ROOT_COLUMNS = 5 };

typedef struct shape_table {
    tml_channel *channel;
    tmli_arena texts;  // names and datasets
    double *row;
    int count;
    bool failed;  // memory is exhausted
} shape_table;

static void add_channel(shape_table *t, const char *body, const char *what, const char *dataset,
                        const char *unit, int component, int width)
{
    const char *name = what, *path;
    if (body) name = tmli_arena_format(&t->texts, "%s.%s", body, what);
    if (body) path = tmli_arena_format(&t->texts, "/bodies/%s/%s", body, dataset);
    else path = tmli_arena_format(&t->texts, "/%s", dataset);
    t->failed = t->failed || !name || !path;
    t->channel[t->count++] =
        (tml_channel){.name = name, .unit = unit, .dataset = path, .component = component, .width = width};
}

static void list_channels(shape_table *t, const tml_model *model)
{
    static const char *const root[ROOT_COLUMNS] = {"mode", "hz", "damping", "re", "im"},
                             *const unit[ROOT_COLUMNS] = {"1", "Hz", "1", "1/s", "rad/s"};
    static const char *const pose[7] = {"x", "y", "z", "q0", "q1", "q2", "q3"};
    static const char *const part[12] = {"dx.re",  "dx.im",  "dy.re",  "dy.im",  "dz.re",  "dz.im",
                                         "drx.re", "drx.im", "dry.re", "dry.im", "drz.re", "drz.im"};
    for (int i = 0; i < ROOT_COLUMNS; i++) add_channel(t, NULL, root[i], root[i], unit[i], 0, 1);
    for (int b = 0; b < tml_model_body_count(model); b++) {
        const char *body = tml_model_body_name(model, b);
        for (int i = 0; i < 7; i++)
            add_channel(t, body, pose[i], i < 3 ? "position" : "orientation", i < 3 ? "m" : "1",
                        i < 3 ? i : i - 3, i < 3 ? 3 : 4);
        for (int i = 0; i < 12; i++)
            add_channel(t, body, part[i], i < 6 ? "translation" : "rotation", i < 6 ? "m" : "rad", i % 6, 6);
    }
}

static void fill_row(shape_table *t, const tml_model *model, const tml_state *x, int index,
                     const tml_mode *mode)
{
    const double root[ROOT_COLUMNS] = {index + 1, mode->hz, mode->damping, mode->re, mode->im};
    memcpy(t->row, root, sizeof root);
    double *row = t->row + ROOT_COLUMNS;
    for (int b = 0; b < tml_model_body_count(model); b++, row += 19) {
        const tml_body_layout at = tml_model_body_layout(model, b);
        memset(row, 0, 19 * sizeof *row);
        memcpy(row, x->q + at.q, 7 * sizeof *row);
        for (int c = 0; c < 3; c++) row[c] += x->origin[c];
        for (int c = 0; c < at.u_count; c++) {
            row[7 + 2 * at.component[c]] = mode->shape_re[at.u + c];
            row[8 + 2 * at.component[c]] = mode->shape_im[at.u + c];
        }
    }
}

tml_status modes_write_shapes(const modes_values *v, const cli_state *s, const tml_modes *m, tml_error *err)
{
    const size_t columns = ROOT_COLUMNS + 19 * (size_t)tml_model_body_count(s->model);
    shape_table t = {.channel = calloc(columns, sizeof *t.channel), .row = calloc(columns, sizeof *t.row)};
    const tml_env env = cli_env(NULL, v->in.files);
    tml_scene *scene = NULL;
    tml_status st = tml_scene_create(s->spec, s->model, &env, &scene, err);
    const tml_result_note notes[] = {{"title", tml_model_title(s->model)},
                                     {"file", v->in.model},
                                     {"axes", m->axes},
                                     {"scene", scene ? tml_scene_text(scene) : ""},
                                     {"version", tml_version()}};
    tml_writer *writer = NULL;
    t.failed = !t.channel || !t.row;
    if (!t.failed) list_channels(&t, s->model);
    if (t.failed) st = tmli_fail(err, TML_ERR_NOMEM, "No memory for %zu columns.", columns);
    if (st == TML_OK) {
        st = tml_writer_create(v->out, t.channel, t.count, notes, sizeof notes / sizeof *notes, &env, &writer,
                               err);
    }
    for (int i = 0; i < m->count && st == TML_OK; i++) {
        fill_row(&t, s->model, s->x, i, &m->modes[i]);
        st = tml_writer_row(writer, t.row, err);
    }
    st = cli_writer_close(writer, st, err);
    tml_scene_destroy(scene);
    free(t.channel);
    tmli_arena_clear(&t.texts);
    free(t.row);
    return st;
}

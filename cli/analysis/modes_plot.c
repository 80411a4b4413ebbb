// trammel modes --plot: shapes at one state. The abscissa is the position of bodies along the longest extent
// of the model, the ordinate that component of the displacement or rotation which has most of the mode's
// kinetic energy, over its largest value.
#include "base/base.h"
#include "modes.h"

#include <math.h>
#include <stdlib.h>
#include <trammel/plot.h>

enum { LINES = 8 };                // of one diagram
static const double EQUAL = 0.01;  // of shapes that cannot be told apart, over the largest value
static const double WIDER = 3;     // [px]

typedef struct shape_line {
    int count;
    double *x, *y;
    char name[64];
} shape_line;

// The inertial axis along which the bodies extend most
static int longest_axis(const cli_state *s)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int b = 0; b < tml_model_body_count(s->model); b++)
        for (int c = 0; c < 3; c++) {
            const double x = s->x->q[tml_model_body_layout(s->model, b).q + c];
            low[c] = fmin(low[c], x);
            high[c] = fmax(high[c], x);
        }
    int best = 0;
    for (int c = 1; c < 3; c++)
        if (high[c] - low[c] > high[best] - low[best]) best = c;
    return best;
}

static int main_component(const cli_state *s, const tml_modes *m, const tml_mode *mode)
{
    double energy[6] = {0};
    for (int b = 0; b < tml_model_body_count(s->model); b++) {
        const tml_body_layout at = tml_model_body_layout(s->model, b);
        for (int c = 0; c < at.u_count; c++) {
            const double re = mode->shape_re[at.u + c], im = mode->shape_im[at.u + c];
            energy[at.component[c]] += m->weight[at.u + c] * (re * re + im * im);
        }
    }
    int best = 0;
    for (int c = 1; c < 6; c++)
        if (energy[c] > (1 + 1e-9) * energy[best]) best = c;
    return best;
}

// Points (position, displacement) of a mode, by position; the phase of its largest displacement is real.
static void fill_line(const cli_state *s, const tml_mode *mode, int axis, int component, shape_line *out)
{
    double largest = 0, cosine = 1, sine = 0;
    out->count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int b = 0; b < tml_model_body_count(s->model); b++) {
            const tml_body_layout at = tml_model_body_layout(s->model, b);
            for (int c = 0; c < at.u_count; c++) {
                if ((int)at.component[c] != component) continue;
                const double re = mode->shape_re[at.u + c], im = mode->shape_im[at.u + c];
                if (pass == 0) {
                    if (!(hypot(re, im) > largest)) continue;
                    largest = hypot(re, im);
                    cosine = re / largest;
                    sine = im / largest;
                    continue;
                }
                const double x = s->x->origin[axis] + s->x->q[at.q + axis],
                             y = largest > 0 ? (re * cosine + im * sine) / largest : 0;
                int k = out->count++;
                for (; k > 0 && out->x[k - 1] > x; k--) {
                    out->x[k] = out->x[k - 1];
                    out->y[k] = out->y[k - 1];
                }
                out->x[k] = x;
                out->y[k] = y;
            }
        }
}

// Lines that cannot be told apart: those of the two planes in which a shaft bends, say.
static bool are_equal(const shape_line *a, const shape_line *b)
{
    if (a->count != b->count) return false;
    for (int k = 0; k < a->count; k++)
        if (a->x[k] != b->x[k] || fabs(a->y[k] - b->y[k]) > EQUAL) return false;
    return true;
}

// A line is wider than those that are drawn over it and equal to it.
static tml_status add_line(tml_plot *plot, const shape_line *lines, int i, int count, tml_error *err)
{
    tml_series_def series = tml_series_def_default();
    series.name = lines[i].name;
    series.count = lines[i].count;
    series.x = lines[i].x;
    series.y = lines[i].y;
    series.line = TML_LINE_SOLID;
    if (lines[i].count > 12) series.marker = TML_MARKER_NONE;
    for (int k = i + 1; k < count; k++)
        if (are_equal(&lines[i], &lines[k])) series.width += WIDER;
    return tml_plot_add(plot, &series, err);
}

tml_status modes_draw_shapes(const modes_values *v, const cli_state *s, const tml_modes *m, tml_error *err)
{
    static const char *const axes[3] = {"x", "y", "z"}, *const names[6] = {"x", "y", "z", "rx", "ry", "rz"};
    const size_t bodies = (size_t)tml_model_body_count(s->model) + 1;
    double *values = malloc(2 * LINES * bodies * sizeof *values);
    shape_line lines[LINES];
    const int axis = longest_axis(s);
    tml_plot *plot = NULL;
    const tml_env env = cli_env(NULL, v->in.files);
    tml_plot_def def = tml_plot_def_default();
    def.x = (tml_axis_def){.label = axes[axis], .unit = "m", .min = NAN, .max = NAN};
    def.y = (tml_axis_def){.label = "shape", .min = -1.1, .max = 1.1};
    def.legend = TML_LEGEND_OUTSIDE;
    tml_status st = values ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for the diagram.");
    if (st == TML_OK) st = tml_plot_create(&def, &env, &plot, err);
    int count = 0;
    for (int i = 0; i < m->count && count < LINES && st == TML_OK; i++) {
        const tml_mode *mode = &m->modes[i];
        if (mode->kind == TML_MODE_RIGID) continue;
        shape_line *line = &lines[count];
        line->x = values + 2 * bodies * (size_t)count++;
        line->y = line->x + bodies;
        const int component = main_component(s, m, mode);
        fill_line(s, mode, axis, component, line);
        snprintf(line->name, sizeof line->name, "%d: %s, %.4g Hz", i + 1, names[component], mode->hz);
    }
    for (int i = 0; i < count && st == TML_OK; i++) st = add_line(plot, lines, i, count, err);
    if (st == TML_OK) st = tml_plot_write(plot, v->plot, err);
    tml_plot_destroy(plot);
    free(values);
    return st;
}

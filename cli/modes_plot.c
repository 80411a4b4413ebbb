// trammel modes --plot: shapes at one state. The abscissa is the position of bodies along the longest extent
// of the model, the ordinate that component of the displacement or rotation which has most of the mode's
// kinetic energy, over its largest value.
#include "base/base.h"
#include "modes.h"

#include <math.h>
#include <stdlib.h>
#include <trammel/plot.h>

enum { LINES = 8 };  // of one diagram

typedef struct shape_line {
    int count;
    double *x, *y;
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
                const double x = s->x->q[at.q + axis],
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

tml_status modes_draw_shapes(const modes_values *v, const cli_state *s, const tml_modes *m, tml_error *err)
{
    static const char *const axes[3] = {"x", "y", "z"}, *const names[6] = {"x", "y", "z", "rx", "ry", "rz"};
    const size_t bodies = (size_t)tml_model_body_count(s->model) + 1;
    shape_line line = {0, malloc(bodies * sizeof(double)), malloc(bodies * sizeof(double))};
    const int axis = longest_axis(s);
    tml_plot *plot = NULL;
    tml_plot_def def = tml_plot_def_default();
    def.x = (tml_axis_def){.label = axes[axis], .unit = "m", .min = NAN, .max = NAN};
    def.y = (tml_axis_def){.label = "shape", .min = -1.1, .max = 1.1};
    def.legend = TML_LEGEND_OUTSIDE;
    tml_status st = line.x && line.y ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for the diagram.");
    if (st == TML_OK) st = tml_plot_create(&def, NULL, &plot, err);
    int drawn = 0;
    for (int i = 0; i < m->count && drawn < LINES && st == TML_OK; i++) {
        const tml_mode *mode = &m->modes[i];
        if (mode->kind == TML_MODE_RIGID) continue;
        const int component = main_component(s, m, mode);
        fill_line(s, mode, axis, component, &line);
        char name[64];
        snprintf(name, sizeof name, "%d: %s, %.4g Hz", i + 1, names[component], mode->hz);
        tml_series_def series = tml_series_def_default();
        series.name = name;
        series.count = line.count;
        series.x = line.x;
        series.y = line.y;
        series.line = TML_LINE_SOLID;
        if (line.count > 12) series.marker = TML_MARKER_NONE;
        st = tml_plot_add(plot, &series, err);
        drawn++;
    }
    if (st == TML_OK) st = tml_plot_write(plot, v->plot, err);
    tml_plot_destroy(plot);
    free(line.x);
    free(line.y);
    return st;
}

// trammel static --plot: the bodies at the start and in equilibrium, seen along the axis of least extent. The
// nodes of a beam, NAME_0, NAME_1, ..., are joined by a line.
#include "base/base.h"
#include "static.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/plot.h>

static const char *const axis_names[3] = {"x", "y", "z"};

// Whether `next` is the node after `name` of one beam.
static bool follows(const char *name, const char *next)
{
    const char *a = strrchr(name, '_'), *b = strrchr(next, '_');
    if (!a || !b || a - name != b - next || strncmp(name, next, (size_t)(a - name)) != 0) return false;
    char *end_a, *end_b;
    const long i = strtol(a + 1, &end_a, 10), k = strtol(b + 1, &end_b, 10);
    return end_a > a + 1 && end_b > b + 1 && *end_a == '\0' && *end_b == '\0' && k == i + 1;
}

// The two inertial axes along which the bodies extend most in both states; axis[0] along the most.
static void choose_axes(const tml_model *model, const tml_state *start, const tml_state *x, int axis[2])
{
    double extent[3];
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int b = 0; b < tml_model_body_count(model); b++) {
            const int q = tml_model_body_layout(model, b).q + c;
            low = fmin(low, fmin(start->q[q], x->q[q]));
            high = fmax(high, fmax(start->q[q], x->q[q]));
        }
        extent[c] = high - low;
    }
    axis[0] = extent[1] > extent[0] ? 1 : 0;
    if (extent[2] > extent[axis[0]]) axis[0] = 2;
    const int a = (axis[0] + 1) % 3, b = (axis[0] + 2) % 3;
    axis[1] = extent[b] > extent[a] ? b : a;
}

static tml_status add_state(tml_plot *plot, const tml_model *model, const tml_state *x, const int *axis,
                            const char *name, double *points, tml_error *err)
{
    const int bodies = tml_model_body_count(model);
    double *const px = points, *const py = points + 2 * (size_t)bodies;
    int count = 0;
    for (int b = 0; b < bodies; b++) {
        if (b > 0 && !follows(tml_model_body_name(model, b - 1), tml_model_body_name(model, b))) {
            px[count] = py[count] = NAN;  // ends the line
            count++;
        }
        const int q = tml_model_body_layout(model, b).q;
        px[count] = x->origin[axis[0]] + x->q[q + axis[0]];
        py[count] = x->origin[axis[1]] + x->q[q + axis[1]];
        count++;
    }
    tml_series_def series = tml_series_def_default();
    series.name = name;
    series.count = count;
    series.x = px;
    series.y = py;
    series.line = strcmp(name, "start") == 0 ? TML_LINE_DASHED : TML_LINE_SOLID;
    series.marker = TML_MARKER_CIRCLE;
    series.open = strcmp(name, "start") == 0;
    return tml_plot_add(plot, &series, err);
}

tml_status static_draw(const char *path, const tml_sim *sim, const tml_env *env, tml_error *err)
{
    const tml_model *model = tml_sim_model(sim);
    const tml_system *sys = tml_model_system(model);
    const tml_state *x = tml_sim_state(sim);
    const size_t bodies = (size_t)tml_model_body_count(model);
    double *points = calloc(4 * bodies + 1, sizeof *points);
    tml_state *start = NULL;
    tml_plot *plot = NULL;
    int axis[2] = {0, 1};
    tml_status st = points ? tml_state_create(sys, &start, err)
                           : tmli_fail(err, TML_ERR_NOMEM, "No memory for the diagram.");
    if (st == TML_OK) {
        tml_model_start(model, x->t, start);
        choose_axes(model, start, x, axis);
        tml_plot_def def = tml_plot_def_default();
        def.x = (tml_axis_def){.label = axis_names[axis[0]], .unit = "m", .min = NAN, .max = NAN};
        def.y = (tml_axis_def){.label = axis_names[axis[1]], .unit = "m", .min = NAN, .max = NAN};
        def.title = tml_model_title(model);
        st = tml_plot_create(&def, env, &plot, err);
    }
    if (st == TML_OK) st = add_state(plot, model, start, axis, "start", points, err);
    if (st == TML_OK) st = add_state(plot, model, x, axis, "equilibrium", points, err);
    if (st == TML_OK) st = tml_plot_write(plot, path, err);
    tml_plot_destroy(plot);
    tml_state_destroy(start, sys);
    free(points);
    return st;
}

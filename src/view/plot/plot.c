// Diagrams: definitions are checked and copied; the drawing is made when a file is written.
#include "view/plot/plot.h"

#include <math.h>
#include <string.h>

tml_plot_def tml_plot_def_default(void)
{
    const tml_axis_def axis = {.kind = TML_AXIS_LINEAR, .min = NAN, .max = NAN};
    return (tml_plot_def){.size = sizeof(tml_plot_def),
                          .x = axis,
                          .y = axis,
                          .width = 640,
                          .height = 440,
                          .grid = true,
                          .png_scale = 2};
}

tml_series_def tml_series_def_default(void)
{
    return (tml_series_def){.size = sizeof(tml_series_def), .color = -1, .width = 1.5};
}

static const char *keep(tml_plot *p, const char *text, bool *ok)
{
    if (!text) return NULL;
    char *clean = tmli_text_clean(&p->env, text);
    const char *copy = clean ? tmli_arena_strdup(&p->arena, clean) : NULL;
    tmli_free(&p->env, clean);
    *ok &= copy != NULL;
    return copy;
}

static tml_status check_axis(const tml_axis_def *a, const char *name, tml_error *err)
{
    if (isinf(a->min) || isinf(a->max))
        return tmli_fail(err, TML_ERR_ARG, "The limits of the %s axis are not finite.", name);
    if (a->kind == TML_AXIS_LOG && (a->min <= 0 || a->max <= 0))
        return tmli_fail(err, TML_ERR_ARG, "The %s axis is logarithmic: its limits must be greater than 0.",
                         name);
    if (a->min >= a->max)
        return tmli_fail(err, TML_ERR_ARG, "The %s axis ends at %g, but begins at %g.", name, a->max, a->min);
    return TML_OK;
}

static tml_status check_def(const tml_plot_def *def, tml_error *err)
{
    if (def->size != sizeof *def)
        return tmli_fail(err, TML_ERR_ARG,
                         "The diagram's definition was not made by tml_plot_def_default().");
    const double low = fmin(def->width, def->height), high = fmax(def->width, def->height);
    if (!(low >= 100 && high <= 20000))
        return tmli_fail(err, TML_ERR_ARG, "A diagram of %g x %g px: both must be 100 .. 20000.", def->width,
                         def->height);
    if (!(def->png_scale >= 0.1 && def->png_scale <= 10))
        return tmli_fail(err, TML_ERR_ARG, "png_scale = %g is not in 0.1 .. 10.", def->png_scale);
    const tml_status st = check_axis(&def->x, "x", err);
    return st == TML_OK ? check_axis(&def->y, "y", err) : st;
}

tml_status tml_plot_create(const tml_plot_def *def, const tml_env *env, tml_plot **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!def || !out) return tmli_null_argument(err, "tml_plot_create");
    const tml_status st = check_def(def, err);
    if (st != TML_OK) return st;
    tml_plot *p = tmli_calloc(env, 1, sizeof *p);
    if (!p) return tmli_no_memory(err, "diagram");
    if (env) p->env = *env;
    p->arena.env = &p->env;
    p->def = *def;
    bool ok = true;
    p->def.title = keep(p, def->title, &ok);
    p->def.x.label = keep(p, def->x.label, &ok);
    p->def.x.unit = keep(p, def->x.unit, &ok);
    p->def.y.label = keep(p, def->y.label, &ok);
    p->def.y.unit = keep(p, def->y.unit, &ok);
    if (!ok) {
        tml_plot_destroy(p);
        return tmli_no_memory(err, "diagram");
    }
    *out = p;
    return TML_OK;
}

void tml_plot_destroy(tml_plot *p)
{
    if (!p) return;
    tmli_free(&p->env, p->series);
    tmli_free(&p->env, p->slope);
    tmli_arena_clear(&p->arena);
    const tml_env env = p->env;
    tmli_free(&env, p);
}

// ---- series -----------------------------------------------------------------------------------------------

// Blue, vermilion, green, black, purple, orange, sky blue, brown: distinguishable also with most forms of
// colour blindness, and dark enough for print.
static const long palette[] = {0x0072B2, 0xD55E00, 0x009E73, 0x000000,
                               0xB0559A, 0xE08E00, 0x3A9BD9, 0x7F4F24};
enum { COLORS = sizeof palette / sizeof *palette, SPARSE = 15 };  // SPARSE: automatic markers on a long curve

static void choose_line(tmli_series *s, const tml_series_def *def, int number)
{
    static const tml_line_kind kinds[] = {TML_LINE_SOLID, TML_LINE_DASHED, TML_LINE_DASHDOT, TML_LINE_DOTTED};
    const tml_line_kind kind = def->line == TML_LINE_AUTO ? kinds[(number + number / COLORS) % 4] : def->line;
    s->pen =
        (tmli_pen){.color = def->color >= 0 ? def->color : palette[number % COLORS], .width = def->width};
    const double dash[4] = {kind == TML_LINE_DOTTED ? 1.5 : 7, kind == TML_LINE_DOTTED ? 3 : 4, 1.5, 4};
    memcpy(s->pen.dash, dash, sizeof dash);
    s->pen.ndash = kind == TML_LINE_DASHDOT ? 4 : kind == TML_LINE_DASHED || kind == TML_LINE_DOTTED ? 2 : 0;
    if (kind == TML_LINE_NONE) s->pen.width = 0;
}

static void choose_marker(tmli_series *s, const tml_series_def *def, int number)
{
    enum { KINDS = TML_MARKER_PLUS - TML_MARKER_CIRCLE + 1 };
    s->marker = def->marker;
    s->open = def->open;
    s->every = 1;
    if (def->marker != TML_MARKER_AUTO) return;
    s->marker = (tml_marker_kind)(TML_MARKER_CIRCLE + number % KINDS);
    s->open = (number + number / COLORS) % 2 == 1;
    if (def->count > 4 * SPARSE && def->line != TML_LINE_NONE) s->every = def->count / SPARSE;
}

tml_status tml_plot_add(tml_plot *p, const tml_series_def *def, tml_error *err)
{
    if (!p || !def) return tmli_null_argument(err, "tml_plot_add");
    if (def->size != sizeof *def)
        return tmli_fail(err, TML_ERR_ARG,
                         "The series' definition was not made by tml_series_def_default().");
    if (def->count < 0 || (def->count > 0 && (!def->x || !def->y)))
        return tmli_fail(err, TML_ERR_ARG, "A series of %d points without values.", def->count);
    if (!(def->width > 0 && def->width <= 100))
        return tmli_fail(err, TML_ERR_ARG, "A line %g px wide: it must be greater than 0 and at most 100.",
                         def->width);
    tmli_series *grown = tmli_grown(&p->env, p->series, p->nseries, &p->room_series, 8, sizeof *grown);
    if (!grown) return tmli_no_memory(err, "diagram");
    p->series = grown;
    bool ok = true;
    tmli_series s = {.count = def->count};
    s.name = keep(p, def->name, &ok);
    s.x = tmli_arena_alloc(&p->arena, (size_t)def->count + 1, sizeof(double));
    s.y = tmli_arena_alloc(&p->arena, (size_t)def->count + 1, sizeof(double));
    if (!ok || !s.x || !s.y) return tmli_no_memory(err, "diagram");
    if (def->count > 0) {
        memcpy(s.x, def->x, (size_t)def->count * sizeof(double));
        memcpy(s.y, def->y, (size_t)def->count * sizeof(double));
    }
    choose_line(&s, def, p->nseries);
    choose_marker(&s, def, p->nseries);
    p->series[p->nseries++] = s;
    return TML_OK;
}

tml_status tml_plot_add_slope(tml_plot *p, double slope, double x0, double y0, double x1, const char *label,
                              tml_error *err)
{
    if (!p) return tmli_null_argument(err, "tml_plot_add_slope");
    if (!isfinite(slope) || !tmli_axis_drawable(p->def.x.kind, x0) ||
        !tmli_axis_drawable(p->def.x.kind, x1) || !tmli_axis_drawable(p->def.y.kind, y0))
        return tmli_fail(err, TML_ERR_ARG,
                         "A reference line of slope %g from (%g, %g) to x = %g cannot be drawn.", slope, x0,
                         y0, x1);
    tmli_slope *grown = tmli_grown(&p->env, p->slope, p->nslopes, &p->room_slopes, 4, sizeof *grown);
    if (!grown) return tmli_no_memory(err, "diagram");
    p->slope = grown;
    bool ok = true;
    const tmli_slope s = {slope, x0, y0, x1, keep(p, label, &ok)};
    if (!ok) return tmli_no_memory(err, "diagram");
    p->slope[p->nslopes++] = s;
    return TML_OK;
}

// ---- writing ----------------------------------------------------------------------------------------------

static tml_status create_canvas(const tml_plot_def *d, double height, const char *path, const tml_env *env,
                                tmli_canvas *c, tml_error *err)
{
    const char *title = d->title ? d->title : "";
    if (tmli_ends_with(path, ".svg")) return tmli_svg_create(d->width, height, title, env, c, err);
    if (tmli_ends_with(path, ".png")) return tmli_png_create(d->width, height, d->png_scale, env, c, err);
    if (tmli_ends_with(path, ".pdf")) return tmli_pdf_create(d->width, height, title, env, c, err);
    return tmli_fail(err, TML_ERR_ARG, "'%s' does not end in .svg, .png or .pdf.", path);
}

// Under each other; the frames of several begin at the same x.
static tml_status draw_stacked(const tml_plot *const *plots, int count, tmli_canvas *c, tml_error *err)
{
    double top = 0, left = 0;
    const tml_env *env = &plots[0]->env;
    tmli_layout *l = tmli_calloc(env, 1, sizeof *l);
    if (!l) return tmli_no_memory(err, "diagram");
    for (int i = 0; i < count && count > 1; i++) {
        *l = (tmli_layout){0};
        tmli_plot_layout(plots[i], l);
        left = fmax(left, l->frame.x);
    }
    for (int i = 0; i < count; i++) {
        *l = (tmli_layout){.top = top, .left = left};
        tmli_plot_layout(plots[i], l);
        tmli_plot_draw(plots[i], l, c);
        top += plots[i]->def.height;
    }
    tmli_free(env, l);
    return TML_OK;
}

tml_status tml_plot_write_stacked(const tml_plot *const *plots, int count, const char *path, tml_error *err)
{
    if (!plots || count < 1 || !path) return tmli_null_argument(err, "tml_plot_write_stacked");
    double height = 0;
    for (int i = 0; i < count; i++) {
        if (!plots[i]) return tmli_null_argument(err, "tml_plot_write_stacked");
        height += plots[i]->def.height;
    }
    tmli_canvas c = {0};
    tml_status st = create_canvas(&plots[0]->def, height, path, &plots[0]->env, &c, err);
    if (st != TML_OK) return st;
    st = draw_stacked(plots, count, &c, err);
    const tml_status written = c.ops->finish(c.self, st == TML_OK ? path : NULL, err);
    return st == TML_OK ? written : st;
}

tml_status tmli_plot_embed(const tml_plot *p, FILE *out, tml_error *err)
{
    tmli_canvas c = {0};
    tml_status st =
        tmli_svg_create(p->def.width, p->def.height, p->def.title ? p->def.title : "", &p->env, &c, err);
    if (st != TML_OK) return st;
    st = draw_stacked(&p, 1, &c, err);
    if (st == TML_OK) return tmli_svg_embed(&c, out, err);
    c.ops->finish(c.self, NULL, NULL);
    return st;
}

tml_status tml_plot_write(const tml_plot *p, const char *path, tml_error *err)
{
    if (!p || !path) return tmli_null_argument(err, "tml_plot_write");
    return tml_plot_write_stacked(&p, 1, path, err);
}

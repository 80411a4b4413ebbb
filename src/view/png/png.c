// A canvas that draws to a PNG file with cairo. In a build without cairo it fails with a message.
#include "view/plot/plot.h"

#include <math.h>
#include <string.h>

#ifdef TRAMMEL_HAVE_CAIRO
#include <cairo.h>

typedef struct png {
    tml_env env;
    cairo_surface_t *surface;
    cairo_t *cr;
    char *buffer;  // a part of a text, zero-terminated
    size_t room;
    bool out_of_memory;
} png;

static void set_color(cairo_t *cr, long c)
{
    cairo_set_source_rgb(cr, (double)(c >> 16 & 255) / 255, (double)(c >> 8 & 255) / 255,
                         (double)(c & 255) / 255);
}

static void paint(cairo_t *cr, const tmli_pen *pen, long fill)
{
    if (fill >= 0) {
        set_color(cr, fill);
        cairo_fill_preserve(cr);
    }
    if (pen->width > 0) {
        set_color(cr, pen->color);
        cairo_set_line_width(cr, pen->width);
        cairo_set_dash(cr, pen->dash, pen->ndash, 0);
        cairo_stroke_preserve(cr);
    }
    cairo_new_path(cr);
}

static void png_polyline(void *self, const tmli_point *p, int n, bool closed, const tmli_pen *pen, long fill)
{
    png *s = self;
    cairo_new_path(s->cr);  // a text sets a current point
    for (int i = 0; i < n; i++) cairo_line_to(s->cr, p[i].x, p[i].y);
    if (closed) cairo_close_path(s->cr);
    paint(s->cr, pen, fill);
}

static void png_circle(void *self, tmli_point c, double r, const tmli_pen *pen, long fill)
{
    png *s = self;
    cairo_new_path(s->cr);
    cairo_arc(s->cr, c.x, c.y, r, 0, 6.28318530717958647692);
    paint(s->cr, pen, fill);
}

static const char *part(png *s, tmli_text_run run)
{
    const size_t need = (size_t)run.bytes + 1;
    if (need > s->room) {
        char *grown = tmli_regrow(&s->env, s->buffer, 0, 2 * need, 1);
        if (!grown) {
            s->out_of_memory = true;
            return "";
        }
        s->buffer = grown;
        s->room = 2 * need;
    }
    memcpy(s->buffer, run.at, need - 1);
    s->buffer[need - 1] = 0;
    return s->buffer;
}

// Width of a text; drawn too if `draw`.
static double lay(png *s, const tmli_text *t, const char *text, bool draw)
{
    double x = 0;
    tmli_text_run run;
    while (tmli_text_next(&text, &run)) {
        const char *piece = part(s, run);
        cairo_text_extents_t e;
        cairo_set_font_size(s->cr, run.level ? tmli_script_size * t->size : t->size);
        cairo_text_extents(s->cr, piece, &e);
        if (draw) {
            cairo_move_to(s->cr, x, -run.level * tmli_script_rise * t->size);
            cairo_show_text(s->cr, piece);
        }
        x += e.x_advance;
    }
    return x;
}

static void png_text(void *self, const tmli_text *t, const char *text)
{
    png *s = self;
    cairo_save(s->cr);
    cairo_select_font_face(s->cr, "Helvetica", CAIRO_FONT_SLANT_NORMAL,
                           t->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    set_color(s->cr, t->color);
    cairo_translate(s->cr, t->at.x, t->at.y);
    if (t->upright) cairo_rotate(s->cr, -1.57079632679489661923);
    const double width = lay(s, t, text, false);
    cairo_translate(s->cr,
                    -width * (t->anchor == TMLI_ANCHOR_START    ? 0
                              : t->anchor == TMLI_ANCHOR_MIDDLE ? 0.5
                                                                : 1),
                    0);
    lay(s, t, text, true);
    cairo_restore(s->cr);
}

static tml_status png_finish(void *self, const char *path, tml_error *err)
{
    png *s = self;
    const tml_env env = s->env;
    tml_status st = TML_OK;
    cairo_status_t drawn = cairo_status(s->cr);
    if (s->out_of_memory || drawn == CAIRO_STATUS_NO_MEMORY) st = tmli_no_memory(err, "diagram");
    else if (path && drawn == CAIRO_STATUS_SUCCESS) drawn = cairo_surface_write_to_png(s->surface, path);
    if (st == TML_OK && drawn != CAIRO_STATUS_SUCCESS) {
        if (path) remove(path);
        st = tmli_fail(err, TML_ERR_IO, "Cannot write '%s': %s.", path ? path : "",
                       cairo_status_to_string(drawn));
    }
    cairo_destroy(s->cr);
    cairo_surface_destroy(s->surface);
    tmli_free(&env, s->buffer);
    tmli_free(&env, s);
    return st;
}

static const tmli_canvas_ops png_ops = {png_polyline, png_circle, png_text, png_finish};

tml_status tmli_png_create(double width, double height, double scale, const tml_env *env, tmli_canvas *out,
                           tml_error *err)
{
    png *s = tmli_calloc(env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, "diagram");
    if (env) s->env = *env;
    s->surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale));
    s->cr = cairo_create(s->surface);
    cairo_set_line_join(s->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_scale(s->cr, scale, scale);
    *out = (tmli_canvas){&png_ops, s};
    return TML_OK;
}

bool tml_plot_has_png(void) { return true; }

#else

tml_status tmli_png_create(double width, double height, double scale, const tml_env *env, tmli_canvas *out,
                           tml_error *err)
{
    (void)width, (void)height, (void)scale, (void)env, (void)out;
    return tmli_fail(
        err, TML_ERR_ARG,
        "PNG cannot be written: Trammel was built without cairo (libcairo2-dev). SVG can (.svg).");
}

bool tml_plot_has_png(void) { return false; }

#endif

// Canvases that draw with cairo to PNG, and to PDF as lines and texts with their fonts embedded. In a build
// without cairo they fail with a message.
#include "view/plot/plot.h"

#include <math.h>
#include <string.h>

#ifdef TRAMMEL_HAVE_CAIRO
#include <cairo-pdf.h>
#include <cairo.h>

typedef struct picture {
    tml_env env;
    cairo_surface_t *surface;
    cairo_t *cr;
    char *buffer;  // a part of a text, zero-terminated
    size_t room;
    bool out_of_memory;
    tmli_output file;  // PDF: what cairo has written so far
} picture;

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

static void draw_polyline(void *self, const tmli_point *p, int n, bool closed, const tmli_pen *pen, long fill)
{
    picture *s = self;
    cairo_new_path(s->cr);  // a text sets a current point
    for (int i = 0; i < n; i++) cairo_line_to(s->cr, p[i].x, p[i].y);
    if (closed) cairo_close_path(s->cr);
    paint(s->cr, pen, fill);
}

static void draw_circle(void *self, tmli_point c, double r, const tmli_pen *pen, long fill)
{
    picture *s = self;
    cairo_new_path(s->cr);
    cairo_arc(s->cr, c.x, c.y, r, 0, 6.28318530717958647692);
    paint(s->cr, pen, fill);
}

static const char *part(picture *s, tmli_text_run run)
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
static double lay(picture *s, const tmli_text *t, const char *text, bool draw)
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

static void draw_text(void *self, const tmli_text *t, const char *text)
{
    picture *s = self;
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

static void destroy(picture *s)
{
    const tml_env env = s->env;
    cairo_destroy(s->cr);
    cairo_surface_destroy(s->surface);  // a PDF surface writes its rest to s->file
    tmli_free_all(&env, s->file.data, s->buffer, s);
}

// The error of a drawing whose status is `drawn`; TML_OK if there is none.
static tml_status drawing_error(const picture *s, cairo_status_t drawn, const char *path, tml_error *err)
{
    if (s->out_of_memory || s->file.out_of_memory || drawn == CAIRO_STATUS_NO_MEMORY)
        return tmli_no_memory(err, "diagram");
    if (drawn == CAIRO_STATUS_SUCCESS) return TML_OK;
    return tmli_fail(err, TML_ERR_IO, "Cannot write '%s': %s.", path, cairo_status_to_string(drawn));
}

// Neither lets cairo write the file: an older one of its name stays until the new one is whole.
static tml_status finish(picture *s, cairo_status_t (*encode)(picture *s), const char *path, tml_error *err)
{
    tml_status st = path ? drawing_error(s, cairo_status(s->cr), path, err) : TML_OK;
    if (path && st == TML_OK) st = drawing_error(s, encode(s), path, err);
    if (path && st == TML_OK) st = tmli_output_write(&s->file, path, err);
    destroy(s);
    return st;
}

static cairo_status_t keep_bytes(void *file, const unsigned char *data, unsigned int n)
{
    tmli_output *o = file;
    tmli_output_put(o, data, n);
    return o->out_of_memory ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static cairo_status_t encode_png(picture *s)
{
    return cairo_surface_write_to_png_stream(s->surface, keep_bytes, &s->file);
}

static cairo_status_t encode_pdf(picture *s)
{
    cairo_show_page(s->cr);
    cairo_surface_finish(s->surface);
    return cairo_surface_status(s->surface);
}

static tml_status png_finish(void *self, const char *path, tml_error *err)
{
    return finish(self, encode_png, path, err);
}

static tml_status pdf_finish(void *self, const char *path, tml_error *err)
{
    return finish(self, encode_pdf, path, err);
}

static const tmli_canvas_ops png_ops = {draw_polyline, draw_circle, draw_text, png_finish};
static const tmli_canvas_ops pdf_ops = {draw_polyline, draw_circle, draw_text, pdf_finish};

// Draw to s->surface, of which a px is `scale` units.
static void begin(picture *s, double scale)
{
    s->cr = cairo_create(s->surface);
    cairo_set_line_join(s->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_scale(s->cr, scale, scale);
}

// [bytes] What cairo and fontconfig allocate for a diagram: some 15 MB, most of it for the list of the fonts.
enum { RESERVE = 16 << 20 };

static picture *create(const tml_env *env)
{
    picture *s = tmli_spare(RESERVE) ? tmli_calloc(env, 1, sizeof *s) : NULL;
    if (s && env) s->env = s->file.env = *env;
    return s;
}

tml_status tmli_png_create(double width, double height, double scale, const tml_env *env, tmli_canvas *out,
                           tml_error *err)
{
    picture *s = create(env);
    if (!s) return tmli_no_memory(err, "diagram");
    s->surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale));
    begin(s, scale);
    *out = (tmli_canvas){&png_ops, s};
    return TML_OK;
}

// The title without its markup.
static void set_title(picture *s, const char *title)
{
    tmli_output plain = {.env = s->env};
    tmli_text_run run;
    while (tmli_text_next(&title, &run)) tmli_output_put(&plain, run.at, (size_t)run.bytes);
    tmli_output_put(&plain, "", 1);
    if (plain.out_of_memory) s->out_of_memory = true;
    else cairo_pdf_surface_set_metadata(s->surface, CAIRO_PDF_METADATA_TITLE, plain.data);
    tmli_free(&s->env, plain.data);
}

tml_status tmli_pdf_create(double width, double height, const char *title, const tml_env *env,
                           tmli_canvas *out, tml_error *err)
{
    const double point = 72.0 / 96.0;  // points per px
    picture *s = create(env);
    if (!s) return tmli_no_memory(err, "diagram");
    s->surface = cairo_pdf_surface_create_for_stream(keep_bytes, &s->file, width * point, height * point);
    if (title[0]) set_title(s, title);
    // without the time, equal diagrams are equal files
    cairo_pdf_surface_set_metadata(s->surface, CAIRO_PDF_METADATA_CREATE_DATE, NULL);
    begin(s, point);
    *out = (tmli_canvas){&pdf_ops, s};
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

tml_status tmli_pdf_create(double width, double height, const char *title, const tml_env *env,
                           tmli_canvas *out, tml_error *err)
{
    (void)width, (void)height, (void)title, (void)env, (void)out;
    return tmli_fail(
        err, TML_ERR_ARG,
        "PDF cannot be written: Trammel was built without cairo (libcairo2-dev). SVG can (.svg).");
}

bool tml_plot_has_png(void) { return false; }

#endif

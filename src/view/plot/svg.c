// A canvas that writes SVG 1.1: paths, circles and texts; numbers have two decimals and do not depend on the
// locale.
#include "view/plot/plot.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

typedef tmli_output svg;

static const char declaration[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";  // of a file

static void puts_(svg *s, const char *text) { tmli_output_put(s, text, strlen(text)); }

static void number(svg *s, double x)
{
    char buf[48];
    const long long n = llround(fmin(fmax(x, -1e9), 1e9) * 100), a = n < 0 ? -n : n;
    int used = snprintf(buf, sizeof buf, "%s%lld", n < 0 ? "-" : "", a / 100);
    if (a % 100) used += snprintf(buf + used, sizeof buf - (size_t)used, ".%02lld", a % 100);
    if (a % 100 && a % 10 == 0) used--;
    tmli_output_put(s, buf, (size_t)used);
}

// A format with %n for numbers, %c for colours, %s for texts that need no escapes.
static void format(svg *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    for (; *fmt; fmt++) {
        if (*fmt != '%') {
            tmli_output_put(s, fmt, 1);
            continue;
        }
        char buf[16];
        switch (*++fmt) {
        case 'n': number(s, va_arg(args, double)); break;
        case 's': puts_(s, va_arg(args, const char *)); break;
        default: snprintf(buf, sizeof buf, "#%06lx", va_arg(args, long) & 0xFFFFFF); puts_(s, buf);
        }
    }
    va_end(args);
}

static void escaped(svg *s, const char *text, int n)
{
    char one[TMLI_MARKUP];
    for (const char *end = text + n; text < end;) {
        text += tmli_markup(text, one);
        puts_(s, one);
    }
}

static void style(svg *s, const tmli_pen *pen, long fill)
{
    if (fill >= 0) format(s, " fill=\"%c\"", fill);
    else puts_(s, " fill=\"none\"");
    if (!(pen->width > 0)) return;
    format(s, " stroke=\"%c\" stroke-width=\"%n\"", pen->color, pen->width);
    if (!pen->ndash) return;
    puts_(s, " stroke-dasharray=\"");
    for (int i = 0; i < pen->ndash; i++) format(s, "%s%n", i ? " " : "", pen->dash[i]);
    puts_(s, "\"");
}

static void svg_polyline(void *self, const tmli_point *p, int n, bool closed, const tmli_pen *pen, long fill)
{
    svg *s = self;
    puts_(s, "<path d=\"");
    for (int i = 0; i < n; i++) format(s, "%s%n %n", i ? "L" : "M", p[i].x, p[i].y);
    puts_(s, closed ? "Z\"" : "\"");
    style(s, pen, fill);
    puts_(s, "/>\n");
}

static void svg_circle(void *self, tmli_point c, double r, const tmli_pen *pen, long fill)
{
    svg *s = self;
    format(s, "<circle cx=\"%n\" cy=\"%n\" r=\"%n\"", c.x, c.y, r);
    style(s, pen, fill);
    puts_(s, "/>\n");
}

// Superscripts and subscripts are shifted by dy; the following part is shifted back.
static void svg_text(void *self, const tmli_text *t, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    svg *s = self;
    format(s, "<text x=\"%n\" y=\"%n\" font-size=\"%n\" text-anchor=\"%s\" fill=\"%c\"", t->at.x, t->at.y,
           t->size, anchors[t->anchor], t->color);
    if (t->bold) puts_(s, " font-weight=\"bold\"");
    if (t->upright) format(s, " transform=\"rotate(-90 %n %n)\"", t->at.x, t->at.y);
    puts_(s, ">");
    tmli_text_run run;
    double shift = 0;  // of the base line so far [px], downwards
    while (tmli_text_next(&text, &run)) {
        const double wanted = -run.level * tmli_script_rise * t->size;
        if (wanted == shift && run.level == 0) {
            escaped(s, run.at, run.bytes);
            continue;
        }
        format(s, "<tspan dy=\"%n\" font-size=\"%n\">", wanted - shift,
               run.level ? tmli_script_size * t->size : t->size);
        escaped(s, run.at, run.bytes);
        puts_(s, "</tspan>");
        shift = wanted;
    }
    puts_(s, "</text>\n");
}

static tml_status svg_finish(void *self, const char *path, tml_error *err)
{
    svg *s = self;
    const tml_env env = s->env;
    puts_(s, "</g>\n</svg>\n");
    const tml_status st = path ? tmli_output_write(s, path, err) : TML_OK;
    tmli_free_all(&env, s->data, s);
    return st;
}

tml_status tmli_svg_embed(tmli_canvas *c, FILE *out, tml_error *err)
{
    svg *s = c->self;
    puts_(s, "</g>\n</svg>\n");
    const tml_status st = s->out_of_memory ? tmli_no_memory(err, "diagram") : TML_OK;
    const size_t head = sizeof declaration - 1;
    if (st == TML_OK) fwrite(s->data + head, 1, s->used - head, out);
    svg_finish(s, NULL, NULL);
    return st;
}

static const tmli_canvas_ops svg_ops = {svg_polyline, svg_circle, svg_text, svg_finish};

tml_status tmli_svg_create(double width, double height, const char *title, const tml_env *env,
                           tmli_canvas *out, tml_error *err)
{
    svg *s = tmli_calloc(env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, "diagram");
    if (env) s->env = *env;
    puts_(s, declaration);
    format(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%n\" height=\"%n\" viewBox=\"0 0 %n %n\">\n",
           width, height, width, height);
    if (title[0]) {
        puts_(s, "<title>");
        tmli_text_run run;
        while (tmli_text_next(&title, &run)) escaped(s, run.at, run.bytes);
        puts_(s, "</title>\n");
    }
    puts_(s, "<g font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" "
             "stroke-linejoin=\"round\">\n");
    *out = (tmli_canvas){&svg_ops, s};
    return TML_OK;
}

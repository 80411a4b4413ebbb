// Drawing a diagram, from back to front: background, grid, reference lines, series, frame, ticks, texts,
// legend.
#include "view/plot/plot.h"

#include <math.h>
#include <stdlib.h>

static const long ink = 0x222222, faint = 0xE2E2E2, grey = 0x888888, paper = 0xFFFFFF;
static const tmli_pen no_pen = {0};
enum { TICK_MAJOR = 7, TICK_MINOR = 4, CHUNK = 256 };  // [px], [px], points of a line drawn at once

typedef struct drawing {
    const tml_plot *p;
    const tmli_layout *l;
    tmli_canvas *c;
} drawing;

static void line(const drawing *d, tmli_point a, tmli_point b, const tmli_pen *pen)
{
    const tmli_point p[2] = {a, b};
    d->c->ops->polyline(d->c->self, p, 2, false, pen, -1);
}

static void rectangle(const drawing *d, tmli_rect r, const tmli_pen *pen, long fill)
{
    const tmli_point p[4] = {{r.x, r.y}, {r.x + r.w, r.y}, {r.x + r.w, r.y + r.h}, {r.x, r.y + r.h}};
    d->c->ops->polyline(d->c->self, p, 4, true, pen, fill);
}

static void text(const drawing *d, double x, double y, double size, tmli_anchor anchor, const char *s)
{
    const tmli_text t = {.at = {x, y}, .size = size, .anchor = anchor, .color = ink};
    d->c->ops->text(d->c->self, &t, s);
}

// ---- data -------------------------------------------------------------------------------------------------

static void marker(const drawing *d, const tmli_series *s, tmli_point c)
{
    const double r = tmli_marker_size;
    const tmli_pen pen = {.color = s->pen.color, .width = 1.4};
    const long fill = s->open ? paper : s->pen.color;
    const tmli_canvas_ops *ops = d->c->ops;
    void *self = d->c->self;
    switch (s->marker) {
    case TML_MARKER_AUTO:
    case TML_MARKER_NONE: break;
    case TML_MARKER_CIRCLE: ops->circle(self, c, r, &pen, fill); break;
    case TML_MARKER_SQUARE: {
        const double e = 0.9 * r;
        const tmli_point p[4] = {
            {c.x - e, c.y - e}, {c.x + e, c.y - e}, {c.x + e, c.y + e}, {c.x - e, c.y + e}};
        ops->polyline(self, p, 4, true, &pen, fill);
        break;
    }
    case TML_MARKER_TRIANGLE:
    case TML_MARKER_DOWN: {
        const double up = s->marker == TML_MARKER_TRIANGLE ? -r : r;  // centred on its centroid
        const tmli_point p[3] = {
            {c.x, c.y + 1.25 * up}, {c.x + 1.1 * r, c.y - 0.63 * up}, {c.x - 1.1 * r, c.y - 0.63 * up}};
        ops->polyline(self, p, 3, true, &pen, fill);
        break;
    }
    case TML_MARKER_DIAMOND: {
        const double e = 1.25 * r;
        const tmli_point p[4] = {{c.x, c.y - e}, {c.x + e, c.y}, {c.x, c.y + e}, {c.x - e, c.y}};
        ops->polyline(self, p, 4, true, &pen, fill);
        break;
    }
    case TML_MARKER_CROSS:
    case TML_MARKER_PLUS: {
        const double e = s->marker == TML_MARKER_PLUS ? 1.2 * r : 0.95 * r,
                     k = s->marker == TML_MARKER_PLUS ? 0 : e;
        const tmli_pen thick = {.color = s->pen.color, .width = 1.8};
        line(d, (tmli_point){c.x - e, c.y - k}, (tmli_point){c.x + e, c.y + k}, &thick);
        line(d, (tmli_point){c.x - k, c.y + e}, (tmli_point){c.x + k, c.y - e}, &thick);
        break;
    }
    }
}

static bool place(const drawing *d, double x, double y, tmli_point *out)
{
    if (!tmli_axis_drawable(d->l->x.kind, x) || !tmli_axis_drawable(d->l->y.kind, y)) return false;
    *out = (tmli_point){tmli_axis_place(&d->l->x, x), tmli_axis_place(&d->l->y, y)};
    return isfinite(out->x) && isfinite(out->y);
}

static bool is_inside(tmli_rect r, tmli_point c)
{
    const double slack = 0.01;  // px: points exactly at the limit are inside
    return c.x >= r.x - slack && c.x <= r.x + r.w + slack && c.y >= r.y - slack && c.y <= r.y + r.h + slack;
}

// A point between two that cannot be drawn, such as a blow between rows without force on a logarithmic axis:
// a dot as wide as two lines.
static void lonely_point(const drawing *d, const tmli_series *s, tmli_point c)
{
    if (is_inside(d->l->frame, c)) d->c->ops->circle(d->c->self, c, s->pen.width, &no_pen, s->pen.color);
}

// Draw the pieces of a line inside the frame; adjacent pieces are joined.
static void series_line(const drawing *d, const tmli_series *s)
{
    tmli_point chunk[CHUNK], last = {0}, now;
    int n = 0;
    bool have = false, joined = false;
    for (int k = 0; k < s->count; k++) {
        const bool good = place(d, s->x[k], s->y[k], &now);
        if (have && !joined && !good) lonely_point(d, s, last);
        joined = have && good;
        tmli_point a = last, b = now;
        const bool seen = good && have && tmli_clip(d->l->frame, &a, &b);
        const bool joins = seen && n > 0 && n < CHUNK && a.x == chunk[n - 1].x && a.y == chunk[n - 1].y;
        if (n > 0 && !joins) {
            if (n > 1) d->c->ops->polyline(d->c->self, chunk, n, false, &s->pen, -1);
            n = 0;
        }
        if (seen && n == 0) chunk[n++] = a;
        if (seen) chunk[n++] = b;
        last = now;
        have = good;
    }
    if (n > 1) d->c->ops->polyline(d->c->self, chunk, n, false, &s->pen, -1);
    if (have && !joined) lonely_point(d, s, last);
}

static void draw_series(const drawing *d, const tmli_series *s)
{
    if (s->pen.width > 0) series_line(d, s);
    if (s->marker == TML_MARKER_NONE) return;
    for (int k = 0; k < s->count; k += s->every) {
        tmli_point c;
        if (place(d, s->x[k], s->y[k], &c) && is_inside(d->l->frame, c)) marker(d, s, c);
    }
}

static double slope_value(const drawing *d, const tmli_slope *s, double x)
{
    if (d->l->y.kind == TML_AXIS_LINEAR) {
        const double run = d->l->x.kind == TML_AXIS_LOG ? log10(x / s->x0) : x - s->x0;
        return s->y0 + s->slope * run;
    }
    if (d->l->x.kind == TML_AXIS_LOG) return s->y0 * pow(x / s->x0, s->slope);
    return s->y0 * exp(s->slope * (x - s->x0));
}

// Reference lines are straight in the coordinates of their axes.
static void draw_slope(const drawing *d, const tmli_slope *s)
{
    tmli_point a, b;
    if (!place(d, s->x0, s->y0, &a) || !place(d, s->x1, slope_value(d, s, s->x1), &b)) return;
    if (!tmli_clip(d->l->frame, &a, &b)) return;
    line(d, a, b, &(tmli_pen){.color = grey, .width = 1});
    if (!s->label) return;
    const double rising = (b.y - a.y) * (b.x - a.x);  // < 0: upwards to the right on the paper
    const tmli_text t = {.at = {(a.x + b.x) / 2 + 5, (a.y + b.y) / 2 + (rising < 0 ? tmli_font_size : -4)},
                         .size = 0.9 * tmli_font_size,
                         .color = 0x555555};
    d->c->ops->text(d->c->self, &t, s->label);
}

// ---- frame and texts --------------------------------------------------------------------------------------

static void draw_grid(const drawing *d)
{
    const tmli_pen pen = {.color = faint, .width = 0.8};
    const tmli_rect *f = &d->l->frame;
    for (int i = 0; i < d->l->x.count; i++) {
        if (!d->l->x.tick[i].major) continue;
        const double x = tmli_axis_place(&d->l->x, d->l->x.tick[i].value);
        line(d, (tmli_point){x, f->y}, (tmli_point){x, f->y + f->h}, &pen);
    }
    for (int i = 0; i < d->l->y.count; i++) {
        if (!d->l->y.tick[i].major) continue;
        const double y = tmli_axis_place(&d->l->y, d->l->y.tick[i].value);
        line(d, (tmli_point){f->x, y}, (tmli_point){f->x + f->w, y}, &pen);
    }
}

static void draw_ticks(const drawing *d)
{
    const tmli_pen pen = {.color = ink, .width = 0.9};
    const tmli_rect *f = &d->l->frame;
    const double right = f->x + f->w, bottom = f->y + f->h;
    for (int i = 0; i < d->l->x.count; i++) {
        const tmli_tick *t = &d->l->x.tick[i];
        const double x = tmli_axis_place(&d->l->x, t->value), len = t->major ? TICK_MAJOR : TICK_MINOR;
        line(d, (tmli_point){x, bottom}, (tmli_point){x, bottom - len}, &pen);
        line(d, (tmli_point){x, f->y}, (tmli_point){x, f->y + len}, &pen);
        if (t->label[0])
            text(d, x, bottom + 6 + tmli_font_size, tmli_font_size, TMLI_ANCHOR_MIDDLE, t->label);
    }
    for (int i = 0; i < d->l->y.count; i++) {
        const tmli_tick *t = &d->l->y.tick[i];
        const double y = tmli_axis_place(&d->l->y, t->value), len = t->major ? TICK_MAJOR : TICK_MINOR;
        line(d, (tmli_point){f->x, y}, (tmli_point){f->x + len, y}, &pen);
        line(d, (tmli_point){right, y}, (tmli_point){right - len, y}, &pen);
        if (t->label[0])
            text(d, f->x - 7, y + 0.36 * tmli_font_size, tmli_font_size, TMLI_ANCHOR_END, t->label);
    }
}

// "label [10^{-3} unit]"
static void axis_label(const tml_axis_def *def, int exponent, char *buf, size_t size)
{
    const char *label = def->label ? def->label : "", *unit = def->unit ? def->unit : "";
    char power[24] = "";
    if (exponent)
        snprintf(power, sizeof power, "10^{%s%d}", exponent < 0 ? "\xE2\x88\x92" : "", abs(exponent));
    const bool brackets = power[0] || unit[0];
    snprintf(buf, size, "%s%s%s%s%s%s", label, brackets ? " [" : "", power, power[0] && unit[0] ? " " : "",
             unit, brackets ? "]" : "");
}

static void draw_labels(const drawing *d)
{
    const tml_plot_def *def = &d->p->def;
    const tmli_rect *f = &d->l->frame;
    char buf[300];
    axis_label(&def->x, d->l->x.exponent, buf, sizeof buf);
    text(d, f->x + f->w / 2, d->l->top + def->height - 12, tmli_font_size, TMLI_ANCHOR_MIDDLE, buf);
    axis_label(&def->y, d->l->y.exponent, buf, sizeof buf);
    const tmli_text y = {.at = {10 + tmli_font_size, f->y + f->h / 2},
                         .size = tmli_font_size,
                         .anchor = TMLI_ANCHOR_MIDDLE,
                         .upright = true,
                         .color = ink};
    d->c->ops->text(d->c->self, &y, buf);
    if (!def->title || !def->title[0]) return;
    const tmli_text title = {.at = {f->x + f->w / 2, f->y - 9},
                             .size = tmli_title_size,
                             .anchor = TMLI_ANCHOR_MIDDLE,
                             .bold = true,
                             .color = ink};
    d->c->ops->text(d->c->self, &title, def->title);
}

static void draw_legend(const drawing *d)
{
    const tmli_rect *box = &d->l->legend;
    if (!(box->h > 0)) return;
    rectangle(d, *box, &(tmli_pen){.color = 0xAAAAAA, .width = 0.8}, paper);
    double y = box->y + TMLI_LEGEND_PAD / 2.0 + d->l->row / 2;
    for (int i = 0; i < d->p->nseries; i++) {
        const tmli_series *s = &d->p->series[i];
        if (!s->name) continue;
        const double x = box->x + TMLI_LEGEND_PAD;
        if (s->pen.width > 0) line(d, (tmli_point){x, y}, (tmli_point){x + TMLI_LEGEND_SAMPLE, y}, &s->pen);
        marker(d, s, (tmli_point){x + TMLI_LEGEND_SAMPLE / 2.0, y});
        text(d, x + TMLI_LEGEND_SAMPLE + TMLI_LEGEND_PAD, y + 0.36 * tmli_font_size, tmli_font_size,
             TMLI_ANCHOR_START, s->name);
        y += d->l->row;
    }
}

void tmli_plot_draw(const tml_plot *p, const tmli_layout *l, tmli_canvas *c)
{
    const drawing d = {p, l, c};
    rectangle(&d, (tmli_rect){0, l->top, p->def.width, p->def.height}, &no_pen, paper);
    if (p->def.grid) draw_grid(&d);
    for (int i = 0; i < p->nslopes; i++) draw_slope(&d, &p->slope[i]);
    rectangle(&d, l->frame, &(tmli_pen){.color = ink, .width = 1}, -1);
    draw_ticks(&d);
    for (int i = 0; i < p->nseries; i++) draw_series(&d, &p->series[i]);
    draw_labels(&d);
    draw_legend(&d);
}

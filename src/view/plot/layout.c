// Layout of a diagram: margins from the widths of the labels, ticks from the lengths of the axes, the legend
// where it covers the least data.
#include "view/plot/plot.h"

#include <math.h>

const double tmli_font_size = 13, tmli_title_size = 15, tmli_marker_size = 4.2;

static const double edge = 14;       // empty border of the picture [px]
static const double gap = 7;         // between tick labels and the frame, and between them and the axis label
static const double y_spacing = 30;  // least distance of two labels [px]

// Range of the drawable data; lo > hi: no data.
static void data_range(const tml_plot *p, bool of_x, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int i = 0; i < p->nseries; i++) {
        const tmli_series *s = &p->series[i];
        for (int k = 0; k < s->count; k++) {
            if (!tmli_axis_drawable(p->def.x.kind, s->x[k]) || !tmli_axis_drawable(p->def.y.kind, s->y[k]))
                continue;
            const double v = of_x ? s->x[k] : s->y[k];
            *lo = fmin(*lo, v);
            *hi = fmax(*hi, v);
        }
    }
}

static double widest_label(const tmli_axis *a)
{
    double width = 0;
    for (int i = 0; i < a->count; i++) width = fmax(width, tmli_text_width(a->tick[i].label, tmli_font_size));
    return width;
}

// Reduce the number of labels until no two of them overlap.
static void set_x_axis(const tml_plot *p, tmli_axis *a, double length)
{
    double lo, hi;
    data_range(p, true, &lo, &hi);
    double spacing = 56;
    for (int attempt = 0; attempt < 6; attempt++, spacing *= 1.4) {
        tmli_axis_init(a, &p->def.x, lo, hi, length, spacing);
        a->from = 0;
        a->to = length;
        double free_until = -INFINITY;
        bool touch = false;
        for (int i = 0; i < a->count; i++) {
            if (!a->tick[i].label[0]) continue;
            const double at = tmli_axis_place(a, a->tick[i].value);
            const double half = tmli_text_width(a->tick[i].label, tmli_font_size) / 2;
            touch |= at - half < free_until;
            free_until = at + half + 8;
        }
        if (!touch) return;
    }
}

// Size of the box of the legend [px]; w = h = 0 if no series has a name.
static tmli_rect legend_size(const tml_plot *p, double *row)
{
    tmli_rect box = {0};
    int rows = 0;
    for (int i = 0; i < p->nseries; i++) {
        if (!p->series[i].name) continue;
        box.w = fmax(box.w, tmli_text_width(p->series[i].name, tmli_font_size));
        rows++;
    }
    *row = 1.4 * tmli_font_size;
    if (!rows || p->def.legend == TML_LEGEND_NONE) return (tmli_rect){0};
    box.w += 3 * TMLI_LEGEND_PAD + TMLI_LEGEND_SAMPLE;
    box.h = rows * *row + TMLI_LEGEND_PAD;
    return box;
}

bool tmli_clip(tmli_rect r, tmli_point *a, tmli_point *b)
{
    // Liang and Barsky: the parameters at which the segment enters and leaves the four half planes
    const double dx = b->x - a->x, dy = b->y - a->y;
    const double slope[4] = {-dx, dx, -dy, dy};
    const double room[4] = {a->x - r.x, r.x + r.w - a->x, a->y - r.y, r.y + r.h - a->y};
    double enter = 0, leave = 1;
    for (int i = 0; i < 4; i++) {
        if (slope[i] == 0) {
            if (room[i] < 0) return false;
            continue;
        }
        const double s = room[i] / slope[i];
        if (slope[i] < 0) enter = fmax(enter, s);
        else leave = fmin(leave, s);
    }
    if (!(enter <= leave)) return false;
    const tmli_point start = *a;
    *a = (tmli_point){start.x + enter * dx, start.y + enter * dy};
    *b = (tmli_point){start.x + leave * dx, start.y + leave * dy};
    return true;
}

static bool place(const tml_plot *p, const tmli_layout *l, const tmli_series *s, int k, tmli_point *out)
{
    if (!tmli_axis_drawable(p->def.x.kind, s->x[k]) || !tmli_axis_drawable(p->def.y.kind, s->y[k]))
        return false;
    *out = (tmli_point){tmli_axis_place(&l->x, s->x[k]), tmli_axis_place(&l->y, s->y[k])};
    return isfinite(out->x) && isfinite(out->y);
}

// A measure of the points and line segments that a box would cover; points count more.
static long covered(const tml_plot *p, const tmli_layout *l, tmli_rect box)
{
    const tmli_rect wide = {box.x - tmli_marker_size, box.y - tmli_marker_size, box.w + 2 * tmli_marker_size,
                            box.h + 2 * tmli_marker_size};
    long count = 0;
    for (int i = 0; i < p->nseries; i++) {
        const tmli_series *s = &p->series[i];
        tmli_point last = {0}, now;
        bool have = false;
        for (int k = 0; k < s->count; k++) {
            if (!place(p, l, s, k, &now)) {
                have = false;
                continue;
            }
            tmli_point a = have ? last : now, b = now;
            if (tmli_clip(wide, &a, &b)) count += s->pen.width > 0 || !have ? 1 : 0;
            a = b = now;
            if (tmli_clip(wide, &a, &b)) count += 2;
            last = now;
            have = true;
        }
    }
    return count;
}

static tmli_rect corner(const tmli_layout *l, tmli_rect box, tml_legend_place at)
{
    const double inset = 10;
    const bool left = at == TML_LEGEND_TOP_LEFT || at == TML_LEGEND_BOTTOM_LEFT;
    const bool top = at == TML_LEGEND_TOP_LEFT || at == TML_LEGEND_TOP_RIGHT;
    box.x = left ? l->frame.x + inset : l->frame.x + l->frame.w - inset - box.w;
    box.y = top ? l->frame.y + inset : l->frame.y + l->frame.h - inset - box.h;
    return box;
}

// Frame and axes, with `side` px of free space on the right.
static void place_frame(const tml_plot *p, tmli_layout *l, double side)
{
    const tml_plot_def *d = &p->def;
    const double top = edge + (d->title && d->title[0] ? tmli_title_size + gap : 0);
    const bool x_label = (d->x.label && d->x.label[0]) || (d->x.unit && d->x.unit[0]);
    const bool y_label = (d->y.label && d->y.label[0]) || (d->y.unit && d->y.unit[0]);
    const double bottom = edge + tmli_font_size + gap + (x_label ? tmli_font_size + gap : 0);
    double lo, hi;
    data_range(p, false, &lo, &hi);
    l->frame.y = l->top + top;
    l->frame.h = fmax(d->height - top - bottom, 20);
    tmli_axis_init(&l->y, &d->y, lo, hi, l->frame.h, y_spacing);
    l->frame.x = fmax(l->left, edge + widest_label(&l->y) + gap + (y_label ? tmli_font_size + gap : 0));
    l->frame.w = fmax(d->width - l->frame.x - edge - side, 20);
    set_x_axis(p, &l->x, l->frame.w);
    // the last label may extend to the right
    const double out =
        tmli_text_width(l->x.count ? l->x.tick[l->x.count - 1].label : "", tmli_font_size) / 2 - edge;
    if (side == 0 && out > 0) {
        l->frame.w -= out;
        set_x_axis(p, &l->x, l->frame.w);
    }
    l->x.from = l->frame.x;
    l->x.to = l->frame.x + l->frame.w;
    l->y.from = l->frame.y + l->frame.h;
    l->y.to = l->frame.y;
}

void tmli_plot_layout(const tml_plot *p, tmli_layout *l)
{
    static const tml_legend_place corners[] = {TML_LEGEND_TOP_RIGHT, TML_LEGEND_BOTTOM_LEFT,
                                               TML_LEGEND_TOP_LEFT, TML_LEGEND_BOTTOM_RIGHT};
    tml_legend_place at = p->def.legend;
    place_frame(p, l, 0);
    const tmli_rect box = legend_size(p, &l->row);
    l->legend = box;
    if (!(box.h > 0)) return;
    if (at == TML_LEGEND_AUTO) {
        long least = -1;
        const bool fits = box.w < 0.6 * l->frame.w && box.h < 0.7 * l->frame.h;
        for (int i = 0; i < 4 && fits; i++) {
            const long count = covered(p, l, corner(l, box, corners[i]));
            if (least < 0 || count < least) {
                least = count;
                at = corners[i];
            }
        }
        if (least != 0) at = TML_LEGEND_OUTSIDE;
    }
    if (at != TML_LEGEND_OUTSIDE) {
        l->legend = corner(l, box, at);
        return;
    }
    place_frame(p, l, box.w + 2);
    l->legend.x = l->frame.x + l->frame.w + edge;
    l->legend.y = l->frame.y;
}

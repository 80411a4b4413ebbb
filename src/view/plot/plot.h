// Internal data of a diagram, and the two layers that draw it: axes (data to px) and a canvas (px to a file).
//
// Positions are in px from the top left corner of the picture, x to the right, y downwards.
#ifndef TMLI_VIEW_PLOT_PLOT_H
#define TMLI_VIEW_PLOT_PLOT_H

#include "base/base.h"
#include <stdio.h>
#include <trammel/plot.h>

typedef struct tmli_point {
    double x, y;
} tmli_point;

typedef struct tmli_rect {
    double x, y, w, h;
} tmli_rect;

// ---- canvas -----------------------------------------------------------------------------------------------

typedef struct tmli_pen {
    long color;      // 0xRRGGBB
    double width;    // [px]
    double dash[4];  // lengths of strokes and gaps [px]
    int ndash;       // 0: solid
} tmli_pen;

typedef enum tmli_anchor { TMLI_ANCHOR_START, TMLI_ANCHOR_MIDDLE, TMLI_ANCHOR_END } tmli_anchor;

typedef struct tmli_text {
    tmli_point at;  // on the base line
    double size;    // of the font [px]
    tmli_anchor anchor;
    bool bold, upright;  // upright: rotated by 90 degrees, read from bottom to top
    long color;
} tmli_text;

/** Drawing functions. Texts are valid UTF-8 with the markup of trammel/plot.h. */
typedef struct tmli_canvas_ops {
    /** An open line, or a closed shape: filled (fill >= 0) and outlined (pen->width > 0). */
    void (*polyline)(void *self, const tmli_point *p, int n, bool closed, const tmli_pen *pen, long fill);
    void (*circle)(void *self, tmli_point c, double r, const tmli_pen *pen, long fill);
    void (*text)(void *self, const tmli_text *t, const char *s);
    /** Write the picture and destroy self, also on failure. path NULL: destroy only. */
    tml_status (*finish)(void *self, const char *path, tml_error *err);
} tmli_canvas_ops;

typedef struct tmli_canvas {
    const tmli_canvas_ops *ops;
    void *self;
} tmli_canvas;

/** Bytes of a file to be (output.c). */
typedef struct tmli_output {
    tml_env env;
    char *data;
    size_t used, room;
    bool out_of_memory;  // something is missing
} tmli_output;

void tmli_output_put(tmli_output *o, const void *data, size_t n);
/** Write the file; a failed call leaves none. */
tml_status tmli_output_write(const tmli_output *o, const char *path, tml_error *err);

tml_status tmli_svg_create(double width, double height, const char *title, const tml_env *env,
                           tmli_canvas *out, tml_error *err);
/** Write the element <svg> of a canvas of tmli_svg_create into a page and destroy the canvas, also after a
 * failure. The stream keeps its errors. */
tml_status tmli_svg_embed(tmli_canvas *c, FILE *out, tml_error *err);
tml_status tmli_png_create(double width, double height, double scale, const tml_env *env, tmli_canvas *out,
                           tml_error *err);
tml_status tmli_pdf_create(double width, double height, const char *title, const tml_env *env,
                           tmli_canvas *out, tml_error *err);

// ---- text (text.c) ----------------------------------------------------------------------------------------

/** A part of a text on one level: 0 on the base line, 1 superscript, -1 subscript. */
typedef struct tmli_text_run {
    const char *at;
    int bytes, level;
} tmli_text_run;

/** The next part at *text, which is advanced; false at the end. */
bool tmli_text_next(const char **text, tmli_text_run *run);
/** Estimated width [px] in a sans-serif font, with some reserve. */
double tmli_text_width(const char *text, double size);
/** A copy of a text for all canvases: valid UTF-8 without control characters. NULL gives "". */
char *tmli_text_clean(const tml_env *env, const char *text);
extern const double tmli_script_size, tmli_script_rise;  // of superscripts and subscripts, in font sizes

// ---- axes (axis.c) ----------------------------------------------------------------------------------------

enum { TMLI_TICKS = 400 };

typedef struct tmli_tick {
    double value;
    bool major;
    char label[48];  // "" if it has none
} tmli_tick;

typedef struct tmli_axis {
    tml_axis_kind kind;
    double min, max;  // limits, min < max
    double from, to;  // px of min and max
    int exponent;     // linear: labels are multiples of 10^exponent
    int count;
    tmli_tick tick[TMLI_TICKS];
} tmli_axis;

/** Set everything except from and to. The limits follow from def and the range lo..hi of the drawable data
 * (lo > hi: no data). length: of the axis [px]; spacing: smallest distance of two labels [px]. */
void tmli_axis_init(tmli_axis *a, const tml_axis_def *def, double lo, double hi, double length,
                    double spacing);
/** True if a value can be drawn on the axis, possibly outside its limits. */
bool tmli_axis_drawable(tml_axis_kind kind, double value);
double tmli_axis_place(const tmli_axis *a, double value);  // [px]

// ---- the diagram ------------------------------------------------------------------------------------------

typedef struct tmli_series {
    const char *name;  // NULL: not in the legend
    int count;
    double *x, *y;
    tmli_pen pen;  // width 0: no line
    tml_marker_kind marker;
    bool open;
    int every;  // distance of two markers, in points
} tmli_series;

typedef struct tmli_slope {
    double slope, x0, y0, x1;
    const char *label;
} tmli_slope;

struct tml_plot {
    tml_env env;
    tmli_arena arena;  // texts and data
    tml_plot_def def;
    int nseries, nslopes, room_series, room_slopes;
    tmli_series *series;
    tmli_slope *slope;
};

/** Layout of one drawing. */
typedef struct tmli_layout {
    double top;   // upper edge of the diagram in the picture [px]
    double left;  // least place of the frame: frames of diagrams below each other are in line [px]
    tmli_axis x, y;
    tmli_rect frame;   // of the data
    tmli_rect legend;  // h = 0: none
    double row;        // height of a legend's line [px]
} tmli_layout;

/** Compute the positions of frame, axes and legend (layout.c); top and left are given. */
void tmli_plot_layout(const tml_plot *p, tmli_layout *l);
void tmli_plot_draw(const tml_plot *p, const tmli_layout *l, tmli_canvas *c);
/** The part of a segment inside r; false if there is none. */
bool tmli_clip(tmli_rect r, tmli_point *a, tmli_point *b);

extern const double tmli_font_size, tmli_title_size, tmli_marker_size;  // [px]
enum { TMLI_LEGEND_SAMPLE = 34, TMLI_LEGEND_PAD = 8 };                  // [px]

/** Write the diagram into a page, as an element <svg>. The stream keeps its errors. Error: TML_ERR_NOMEM. */
tml_status tmli_plot_embed(const tml_plot *p, FILE *out, tml_error *err);

#endif

// Diagrams: lines and markers over linear or logarithmic axes, written as SVG, PDF or PNG.
//
//   tml_plot_def def = tml_plot_def_default();
//   def.x = (tml_axis_def){.label = "step", .unit = "s", .kind = TML_AXIS_LOG, .min = NAN, .max = NAN};
//   tml_plot_create(&def, NULL, &plot, &err);
//   tml_series_def s = tml_series_def_default();
//   s.name = "genalpha"; s.count = n; s.x = h; s.y = error;
//   tml_plot_add(plot, &s, &err);
//   tml_plot_write(plot, "order.svg", &err);
//
// Texts are UTF-8; "^{...}" is a superscript and "_{...}" a subscript: "10^{-3}", "q_{1}". Lengths are in px
// = 1/96 inch.
#ifndef TRAMMEL_PLOT_H
#define TRAMMEL_PLOT_H

#include <stdbool.h>
#include <trammel/base.h>

TML_C_BEGIN

typedef struct tml_plot tml_plot;

typedef enum tml_axis_kind { TML_AXIS_LINEAR, TML_AXIS_LOG } tml_axis_kind;

/** An axis. Limits that are NAN follow from the data; other limits are used exactly. */
typedef struct tml_axis_def {
    const char *label;  ///< NULL: none
    const char *unit;   ///< shown in brackets after the label; NULL: none
    tml_axis_kind kind;
    double min, max;  ///< min < max; logarithmic: > 0
} tml_axis_def;

typedef enum tml_legend_place {
    TML_LEGEND_AUTO,  ///< a corner without data; outside if there is none
    TML_LEGEND_NONE,
    TML_LEGEND_TOP_LEFT,
    TML_LEGEND_TOP_RIGHT,
    TML_LEGEND_BOTTOM_LEFT,
    TML_LEGEND_BOTTOM_RIGHT,
    TML_LEGEND_OUTSIDE  ///< right of the diagram
} tml_legend_place;

typedef struct tml_plot_def {
    size_t size;        ///< set by tml_plot_def_default()
    const char *title;  ///< NULL: none
    tml_axis_def x, y;
    tml_legend_place legend;
    double width, height;  ///< of the whole picture [px]; default 640 x 440; 100 .. 20000
    bool grid;             ///< grid lines at the labelled ticks; default true
    double png_scale;      ///< pixels per px of a PNG; default 2; 0.1 .. 10
} tml_plot_def;

typedef enum tml_line_kind {
    TML_LINE_AUTO,  ///< by the index of the series: solid, dashed, dash-dotted, dotted, repeated
    TML_LINE_NONE,
    TML_LINE_SOLID,
    TML_LINE_DASHED,
    TML_LINE_DASHDOT,
    TML_LINE_DOTTED
} tml_line_kind;

typedef enum tml_marker_kind {
    TML_MARKER_AUTO,  ///< by the index of the series, alternating open and filled markers
    TML_MARKER_NONE,
    TML_MARKER_CIRCLE,
    TML_MARKER_SQUARE,
    TML_MARKER_TRIANGLE,
    TML_MARKER_DIAMOND,
    TML_MARKER_DOWN,   ///< triangle on its point
    TML_MARKER_CROSS,  ///< x
    TML_MARKER_PLUS
} tml_marker_kind;

/** A series of points. A point that cannot be drawn (NAN, infinite, not positive on a logarithmic axis)
 * interrupts the line. */
typedef struct tml_series_def {
    size_t size;       ///< set by tml_series_def_default()
    const char *name;  ///< in the legend; NULL: no entry
    int count;
    const double *x, *y;  ///< (count) copied
    tml_line_kind line;
    tml_marker_kind marker;
    bool open;     ///< draw the outline of the marker only; not for TML_MARKER_AUTO
    long color;    ///< 0xRRGGBB; -1: by the index of the series (default)
    double width;  ///< line width [px]; default 1.5
} tml_series_def;

TML_API tml_plot_def tml_plot_def_default(void);
TML_API tml_series_def tml_series_def_default(void);

/** Create an empty diagram. The definition is copied; env may be NULL. Errors: TML_ERR_ARG (limits, sizes),
 * TML_ERR_NOMEM. */
TML_API tml_status tml_plot_create(const tml_plot_def *def, const tml_env *env, tml_plot **out,
                                   tml_error *err);
/** Add a series; later series are drawn over earlier ones. Errors: TML_ERR_ARG, TML_ERR_NOMEM. */
TML_API tml_status tml_plot_add(tml_plot *plot, const tml_series_def *def, tml_error *err);
/** Add a thin grey reference line from (x0, y0) to x1 with a label (may be NULL) at its middle: y ~ x^slope
 * (both axes logarithmic), y ~ e^(slope x) (only y logarithmic), or straight with this slope. It does not
 * affect the limits of the axes. */
TML_API tml_status tml_plot_add_slope(tml_plot *plot, double slope, double x0, double y0, double x1,
                                      const char *label, tml_error *err);
/** Write the diagram. The extension selects the format: .svg, or .png and .pdf if tml_plot_has_png(). PDF has
 * lines and texts, with their fonts. A failed call leaves no file. Errors: TML_ERR_ARG (extension, PNG or PDF
 * in a build without cairo), TML_ERR_IO, TML_ERR_NOMEM. */
TML_API tml_status tml_plot_write(const tml_plot *plot, const char *path, tml_error *err);
/** Write diagrams of one width below each other, their frames in line; width, title and scale of the file are
 * those of the first. Errors as above. */
TML_API tml_status tml_plot_write_stacked(const tml_plot *const *plots, int count, const char *path,
                                          tml_error *err);
TML_API void tml_plot_destroy(tml_plot *plot);  ///< accepts NULL

/** True if the library was built with cairo and can write PNG and PDF. */
TML_API bool tml_plot_has_png(void);

TML_C_END
#endif

// What the programs that redo a paper share: where to write, tables as CSV, figures as SVG.
#ifndef PAPER_H
#define PAPER_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/base.h>

#include <trammel/plot.h>

typedef struct paper {
    const char *out;  // folder; NULL: print only
    int failures;     // of checks and of files
} paper;

/** --out DIR */
static inline bool paper_arguments(paper *p, int argc, char **argv)
{
    *p = (paper){0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
            p->out = argv[++i];
        } else {
            fprintf(stderr, "usage: %s [--out DIR]\n", argv[0]);
            return false;
        }
    }
    return true;
}

static inline void paper_fail(paper *p, const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    p->failures++;
}

/** Begins a part of what is printed: the text that docs/papers.md has after `printed by: PROGRAM name`.
 * columns: kinds of the numbers in the columns of its tables, the last for all that follow; text: of those
 * elsewhere, NULL: exact. scripts/papers has the kinds. */
static inline void paper_part(const char *name, const char *columns, const char *text)
{
    printf("\n<!-- part: %s; columns: %s%s%s -->\n", name, columns, text ? "; text: " : "", text ? text : "");
}

/** A file in the folder, NULL if none is wanted or possible. */
static inline FILE *paper_open(paper *p, const char *name)
{
    char path[1024];
    if (!p->out) return NULL;
    snprintf(path, sizeof path, "%s/%s", p->out, name);
    FILE *f = fopen(path, "w");
    if (!f) paper_fail(p, path, "cannot be written");
    return f;
}

static inline void paper_close(paper *p, FILE *f, const char *name)
{
    if (f && fclose(f) != 0) paper_fail(p, name, "cannot be written");
}

typedef struct paper_series {
    const char *name;
    int count;
    const double *x, *y;
    bool printed;  // the paper's own values: markers without a line, each series another
} paper_series;

typedef struct paper_slope {
    double slope, x0, y0, x1;
    const char *label;
} paper_slope;

typedef struct paper_figure {
    const char *file, *title, *x, *y;
    bool linear_x, linear_y;
    double x_min, x_max, y_min, y_max;  // both 0: from the data
    bool smooth;                        // lines without markers
    const paper_series *series;
    int count;
    const paper_slope *slopes;
    int nslopes;
} paper_figure;

static inline tml_axis_def paper_axis(const char *label, bool linear, double min, double max)
{
    const bool given = min != max;
    return (tml_axis_def){.label = label,
                          .kind = linear ? TML_AXIS_LINEAR : TML_AXIS_LOG,
                          .min = given ? min : (double)NAN,
                          .max = given ? max : (double)NAN};
}

/** Draws f into the folder. */
static inline void paper_draw(paper *p, const paper_figure *f)
{
    if (!p->out) return;
    char path[1024];
    tml_error err = {0};
    tml_plot *plot = NULL;
    tml_plot_def def = tml_plot_def_default();
    def.title = f->title;
    def.x = paper_axis(f->x, f->linear_x, f->x_min, f->x_max);
    def.y = paper_axis(f->y, f->linear_y, f->y_min, f->y_max);
    tml_status st = tml_plot_create(&def, NULL, &plot, &err);
    static const tml_marker_kind printed[] = {TML_MARKER_CROSS, TML_MARKER_PLUS, TML_MARKER_CIRCLE,
                                              TML_MARKER_SQUARE, TML_MARKER_DIAMOND};
    for (int i = 0, k = 0; i < f->count && st == TML_OK; i++) {
        tml_series_def s = tml_series_def_default();
        s.name = f->series[i].name;
        s.count = f->series[i].count;
        s.x = f->series[i].x;
        s.y = f->series[i].y;
        if (f->smooth) s.marker = TML_MARKER_NONE;
        if (f->series[i].printed) {
            s.line = TML_LINE_NONE;
            s.marker = printed[k++ % (int)(sizeof printed / sizeof *printed)];
            s.color = 0x000000;
        }
        st = tml_plot_add(plot, &s, &err);
    }
    for (int i = 0; i < f->nslopes && st == TML_OK; i++) {
        const paper_slope *s = &f->slopes[i];
        st = tml_plot_add_slope(plot, s->slope, s->x0, s->y0, s->x1, s->label, &err);
    }
    snprintf(path, sizeof path, "%s/%s", p->out, f->file);
    if (st == TML_OK) st = tml_plot_write(plot, path, &err);
    tml_plot_destroy(plot);
    if (st != TML_OK) paper_fail(p, path, err.msg);
}

/** Slope of log y over log x by least squares, points that are not finite and positive left out. */
static inline double paper_fit(int count, const double *x, const double *y)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; i++) {
        if (!(isfinite(y[i]) && y[i] > 0)) continue;
        const double a = log(x[i]), b = log(y[i]);
        n += 1;
        sx += a;
        sy += b;
        sxx += a * a;
        sxy += a * b;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/** Says whether a number is within the range that is claimed for it; one that is not a number is not. */
static inline void paper_check(paper *p, const char *what, double value, double low, double high)
{
    const bool good = value >= low && value <= high;
    printf("| %s | %.3g | %g .. %g | %s |\n", what, value, low, high, good ? "yes" : "NO");
    if (!good) paper_fail(p, what, "the law is not met");
}

/** Says whether a measured slope is the paper's. */
static inline void paper_check_slope(paper *p, const char *what, double slope, double law, double tol)
{
    const bool good = fabs(slope - law) <= tol;
    printf("| %s | %+.3f | %+.0f | %s |\n", what, slope, law, good ? "yes" : "NO");
    if (!good) paper_fail(p, what, "the law is not met");
}

#endif

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

static char paper_laws[1 << 15];  // lines about the laws of the part that is printed, for scripts/papers

/** Adds a line to them. */
TML_PRINTF(1, 2) static inline void paper_note(const char *format, ...)
{
    const size_t used = strlen(paper_laws);
    va_list args;
    va_start(args, format);
    vsnprintf(paper_laws + used, sizeof paper_laws - used, format, args);
    va_end(args);
}

/** Ends a part: prints what has been noted about its laws. */
static inline void paper_part_end(void)
{
    fputs(paper_laws, stdout);
    paper_laws[0] = '\0';
}

/** Begins a part of what is printed: the text that docs/papers.md has after `printed by: PROGRAM name`.
 * columns: kinds of the numbers in the columns of its tables, the last for all that follow; text: of those
 * elsewhere, NULL: exact. scripts/papers has the kinds, and wants each part to have a law, to say in which
 * part its laws are, or why there is none. */
static inline void paper_part(const char *name, const char *columns, const char *text)
{
    paper_part_end();
    printf("\n<!-- part: %s; columns: %s%s%s -->\n", name, columns, text ? "; text: " : "", text ? text : "");
}

/** Whether every law shall be broken on purpose, which scripts/papers --break asks for: a value that is
 * checked is then nan, and what holds does not. */
static inline bool paper_broken(void) { return getenv("PAPERS_BREAK") != NULL; }

/** Notes whether a law of this part is met; returns it. */
static inline bool paper_law(paper *p, const char *what, bool good)
{
    good = good && !paper_broken();
    paper_note("<!-- law: %s: %s -->\n", what, good ? "met" : "not met");
    if (!good) paper_fail(p, what, "the law is not met");
    return good;
}

/** The same for a value and its range; one that is not a number is not in it. */
static inline bool paper_within(paper *p, const char *what, double value, double low, double high)
{
    char text[256];
    if (paper_broken()) value = (double)NAN;
    snprintf(text, sizeof text, "%s, %g .. %g", what, low, high);
    return paper_law(p, text, value >= low && value <= high);
}

/** The laws of this part are in another one. */
static inline void paper_laws_in(const char *part) { paper_note("<!-- laws: in %s -->\n", part); }

/** This part has no law. */
static inline void paper_no_law(const char *why) { paper_note("<!-- laws: none: %s -->\n", why); }

/** Ends the last part. Returns the status of the program. */
static inline int paper_end(const paper *p)
{
    paper_part_end();
    return p->failures > 0;
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
    const bool good = paper_within(p, what, value, low, high);
    printf("| %s | %.3g | %g .. %g | %s |\n", what, paper_broken() ? (double)NAN : value, low, high,
           good ? "yes" : "NO");
}

/** Says whether a measured slope is the paper's. */
static inline void paper_check_slope(paper *p, const char *what, double slope, double law, double tol)
{
    const bool good = paper_within(p, what, slope, law - tol, law + tol);
    printf("| %s | %+.3f | %+.0f | %s |\n", what, paper_broken() ? (double)NAN : slope, law,
           good ? "yes" : "NO");
}

#endif
